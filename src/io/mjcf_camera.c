/* Cameras and lights. They have no effect on the motion, so that a wrong one is left out with a warning. */
#include <math.h>

#include "io/mjcf.h"

static const double PI = 3.14159265358979323846;

/* The angle of view from top to bottom, and the focal lengths and the picture's size in pixels. Newer files may give a
 * focal length and the size of the sensor instead of the angle. */
static cdn_status read_lens(mjcf_reader *r, const mjcf_element *e, double *fovy, mjcf_object *camera) {
  static const char *const lengths[2] = { "focal", "focalpixel" }, *const sizes[2] = { "sensorsize", "resolution" };
  double degrees = 45; /* always degrees, whatever the compiler's angle is */
  double *pixels = camera->pixels, sensor[2] = { 0, 0 };
  pixels[0] = pixels[1] = 1;
  CDNI_TRY(io_mjcf_double(r, e, "fovy", &degrees));
  CDNI_TRY(io_mjcf_doubles(r, e, "resolution", pixels, 2, NULL));
  CDNI_TRY(io_mjcf_doubles(r, e, "sensorsize", sensor, 2, NULL));
  static const char *const projections[] = { "perspective", "orthographic" };
  int projection = 0;
  CDNI_TRY(io_mjcf_keyword(r, e, "projection", projections, 2, &projection));
  if (projection == 1) { /* the angle is a length then; pictures are drawn in perspective */
    io_not_understood(r->log, io_xml_line(e->node), "camera projection='orthographic' (in pictures)");
    *fovy = PI / 4, camera->extent = degrees;
    if (camera->extent > 0) return CDN_OK;
    return io_xml_fail(r->log, CDN_ERR_PARSE, e->node, "its picture is %g high; write fovy='METRES' above zero",
                       degrees);
  }
  *fovy = degrees * PI / 180;
  camera->focal[0] = camera->focal[1] = 0.5 * pixels[1] / tan(0.5 * *fovy);
  for (int i = 0; i < 2; i++) {
    if (!io_mjcf_has(r, e, lengths[i]) || !io_mjcf_has(r, e, sizes[i])) continue;
    double focal[2];
    CDNI_TRY(io_mjcf_doubles(r, e, lengths[i], focal, 2, NULL));
    for (int k = 0; k < 2; k++) camera->focal[k] = i == 0 ? focal[k] / sensor[k] * pixels[k] : focal[k];
    *fovy = 2 * atan2(0.5 * pixels[1], camera->focal[1]);
  }
  if (*fovy > 0 && *fovy < PI) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, e->node, "its angle of view is %g degrees; it must be between 0 and 180",
                     *fovy * 180 / PI);
}

/* How a camera or light follows, and the body to which it turns. */
static cdn_status read_mode(mjcf_reader *r, const mjcf_element *e, cdn_camera_mode *mode, const char **target) {
  static const char *const modes[] = { "fixed", "track", "trackcom", "targetbody", "targetbodycom" };
  int word = CDN_CAMERA_FIXED; /* cdn_camera_mode */
  CDNI_TRY(io_mjcf_keyword(r, e, "mode", modes, CDNI_COUNT(modes), &word));
  CDNI_TRY(io_mjcf_string(r, e, "target", target));
  *mode = (cdn_camera_mode)word;
  if (word >= CDN_CAMERA_TARGET) {
    if (!*target) return io_xml_missing(r->log, e->node, "target", "name the body to which it turns");
    if (strcmp(*target, "world") == 0) *target = NULL; /* Ground */
    return CDN_OK;
  }
  *target = NULL;
  return CDN_OK;
}

static cdn_status read_camera(mjcf_reader *r, const mjcf_element *e, const mjcf_scope *scope) {
  cdn_spec_camera c = cdn_default_spec_camera();
  cdn_transform X_SC;
  int index;
  const char *name = c.name = io_mjcf_name(r, e->node);
  c.line = io_xml_line(e->node);
  CDNI_TRY(io_mjcf_pose(r, e, &X_SC));
  CDNI_TRY(read_mode(r, e, &c.mode, &c.target));
  mjcf_object camera = { .place = scope->place, .fixed = c.mode == CDN_CAMERA_FIXED };
  CDNI_TRY(read_lens(r, e, &c.fovy, &camera));
  c.X_BC = cdn_transform_multiply(scope->X_BS, X_SC);
  CDNI_TRY(io_spec_add(r->spec, CDN_SPEC_CAMERA, &c, &index));
  if (name && name[0]) camera.name = io_spec_camera(r->spec, index)->name;
  camera.X = c.X_BC;
  CDNI_TRY(io_mjcf_add_object(r, MJCF_OBJECT_CAMERA, &camera));
  return IO_REFER(&r->tree, CAMERA, camera, index, body, scope->place);
}

static cdn_status read_light(mjcf_reader *r, const mjcf_element *e, const mjcf_scope *scope) {
  static const char *const types[] = { "spot", "directional", "point", "image" };
  cdn_spec_light l = cdn_default_spec_light();
  bool active = true;
  int type = 0, index;
  double cutoff = 45;
  l.name = io_mjcf_name(r, e->node);
  l.line = io_xml_line(e->node);
  CDNI_TRY(io_mjcf_bool(r, e, "active", &active));
  CDNI_TRY(io_mjcf_bool(r, e, "directional", &l.directional));
  CDNI_TRY(io_mjcf_keyword(r, e, "type", types, CDNI_COUNT(types), &type));
  CDNI_TRY(io_mjcf_vec3(r, e, "pos", &l.position));
  CDNI_TRY(io_mjcf_vec3(r, e, "dir", &l.direction));
  CDNI_TRY(io_mjcf_doubles(r, e, "diffuse", l.rgb, 3, NULL));
  CDNI_TRY(io_mjcf_doubles(r, e, "attenuation", l.attenuation, 3, NULL));
  CDNI_TRY(io_mjcf_double(r, e, "cutoff", &cutoff)); /* always degrees */
  CDNI_TRY(io_mjcf_double(r, e, "exponent", &l.exponent));
  CDNI_TRY(io_mjcf_bool(r, e, "castshadow", &l.castshadow));
  CDNI_TRY(read_mode(r, e, &l.mode, &l.target));
  if (!active) return CDN_OK;
  if (!(cdn_norm(l.direction) > 0))
    return io_xml_fail(r->log, CDN_ERR_PARSE, e->node, "its direction is zero; write 0 0 -1 for down");
  l.directional |= type == 1;
  if (type == 2) cutoff = 180, l.exponent = 0; /* a point shines on all sides */
  l.cutoff = fmin(cutoff, 180) * PI / 180;
  l.position = cdn_transform_point(scope->X_BS, l.position);
  l.direction = cdn_rotate(scope->X_BS.R, l.direction);
  CDNI_TRY(io_spec_add(r->spec, CDN_SPEC_LIGHT, &l, &index));
  return IO_REFER(&r->tree, LIGHT, light, index, body, scope->place);
}

static cdn_status read_element(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope, mjcf_kind kind,
                               cdn_status (*read)(mjcf_reader *r, const mjcf_element *e, const mjcf_scope *scope)) {
  mjcf_element e;
  cdn_status status = io_mjcf_element(r, node, kind, scope->class, &e);
  if (status == CDN_OK) status = read(r, &e, scope);
  io_xml_ignore_all(node);
  return io_forgive(r->log, status, kind == MJCF_CAMERA ? "the camera is left out" : "the light is left out");
}

cdn_status io_mjcf_read_camera(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope) {
  return read_element(r, node, scope, MJCF_CAMERA, read_camera);
}

cdn_status io_mjcf_read_light(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope) {
  return read_element(r, node, scope, MJCF_LIGHT, read_light);
}
