/* Sites, and sensors that are values of the State: of joints, frames and subtrees, and the clock. Sensors of contacts,
 * tendons, actuators and reactions are listed as not simulated. */
#include <stdio.h>

#include "io/mjcf.h"

/* ---- sites ---- */

cdn_status io_mjcf_read_site(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope) {
  const char *name = io_xml_string(node, "name");
  mjcf_element e;
  cdn_transform X_SS;
  CDNI_TRY(io_mjcf_element(r, node, MJCF_SITE, scope->class, &e));
  CDNI_TRY(io_mjcf_pose(r, &e, &X_SS));
  if (io_mjcf_has(r, &e, "fromto")) {
    double v[6];
    if (cdn_norm(X_SS.p) != 0)
      return io_xml_fail(r->d, CDN_ERR_PARSE, node, "both pos and fromto place the site; keep one of them");
    CDNI_TRY(io_mjcf_doubles(r, &e, "fromto", v, 6, NULL));
    CDNI_TRY(io_mjcf_fromto(r, &e, v, &X_SS));
  }
  io_xml_ignore_all(node);
  if (!name || !name[0]) return CDN_OK;
  if (io_names_find(&r->site_names, name) >= 0) {
    return io_xml_fail(r->d, CDN_ERR_PARSE, node, "another site has this name; names of sites must differ");
  }
  const io_named_frame site = { .name = cdni_strdup(&r->d->allocator, name),
                                .line = io_xml_line(node),
                                .frame = { scope->body, cdn_transform_multiply(scope->X_BS, X_SS) } };
  const int index = (int)r->d->frames.count;
  if (site.name && cdni_array_push(&r->d->allocator, &r->d->frames, sizeof site, &site)) {
    return io_names_add(&r->d->allocator, &r->site_names, site.name, index) == index ? CDN_OK
                                                                                     : io_mjcf_out_of_memory(r);
  }
  cdni_strfree(&r->d->allocator, site.name);
  return io_mjcf_out_of_memory(r);
}

/* ---- what sensors are of ---- */

typedef enum target { OF_SCALAR_JOINT, OF_BALL, OF_SITE, OF_OBJECT, OF_SUBTREE, OF_NOTHING } target;

static const struct {
  const char *name;
  cdn_sensor_kind kind;
  target of;
} kinds[] = { { "jointpos", CDN_SENSOR_JOINT_POSITION, OF_SCALAR_JOINT },
              { "jointvel", CDN_SENSOR_JOINT_VELOCITY, OF_SCALAR_JOINT },
              { "ballquat", CDN_SENSOR_BALL_QUATERNION, OF_BALL },
              { "ballangvel", CDN_SENSOR_BALL_VELOCITY, OF_BALL },
              { "accelerometer", CDN_SENSOR_ACCELEROMETER, OF_SITE },
              { "velocimeter", CDN_SENSOR_VELOCIMETER, OF_SITE },
              { "gyro", CDN_SENSOR_GYRO, OF_SITE },
              { "framepos", CDN_SENSOR_POSITION, OF_OBJECT },
              { "framequat", CDN_SENSOR_QUATERNION, OF_OBJECT },
              { "framexaxis", CDN_SENSOR_X_AXIS, OF_OBJECT },
              { "frameyaxis", CDN_SENSOR_Y_AXIS, OF_OBJECT },
              { "framezaxis", CDN_SENSOR_Z_AXIS, OF_OBJECT },
              { "framelinvel", CDN_SENSOR_LINEAR_VELOCITY, OF_OBJECT },
              { "frameangvel", CDN_SENSOR_ANGULAR_VELOCITY, OF_OBJECT },
              { "framelinacc", CDN_SENSOR_LINEAR_ACCELERATION, OF_OBJECT },
              { "frameangacc", CDN_SENSOR_ANGULAR_ACCELERATION, OF_OBJECT },
              { "subtreecom", CDN_SENSOR_SUBTREE_COM, OF_SUBTREE },
              { "subtreelinvel", CDN_SENSOR_SUBTREE_VELOCITY, OF_SUBTREE },
              { "subtreeangmom", CDN_SENSOR_SUBTREE_MOMENTUM, OF_SUBTREE },
              { "clock", CDN_SENSOR_CLOCK, OF_NOTHING },
              { "e_kinetic", CDN_SENSOR_KINETIC_ENERGY, OF_NOTHING },
              { "e_potential", CDN_SENSOR_POTENTIAL_ENERGY, OF_NOTHING } };

static bool turns_axes(cdn_sensor_kind kind) {
  return kind == CDN_SENSOR_QUATERNION || kind == CDN_SENSOR_X_AXIS || kind == CDN_SENSOR_Y_AXIS ||
         kind == CDN_SENSOR_Z_AXIS;
}

static bool has_reference(cdn_sensor_kind kind) {
  return kind == CDN_SENSOR_POSITION || turns_axes(kind) || kind == CDN_SENSOR_LINEAR_VELOCITY ||
         kind == CDN_SENSOR_ANGULAR_VELOCITY;
}

static cdn_status not_there(mjcf_reader *r, io_xml_node *node, const char *what, const char *name) {
  return io_xml_fail(r->d, CDN_ERR_PARSE, node, "there is no %s '%.60s' in the model; correct the name", what, name);
}

/* Where something of this name is: a body's index, a joint's, a site's. */
static int find_body(const mjcf_reader *r, const char *name) {
  for (size_t i = 0; i < r->d->bodies.count; i++) {
    const io_body *b = &CDNI_AT(r->d->bodies, io_body, i);
    if (b->name && strcmp(b->name, name) == 0) return (int)i;
  }
  return -1;
}

static int find_joint(const mjcf_reader *r, const char *name) {
  for (size_t i = 0; i < r->d->joints.count; i++) {
    const io_joint *j = &CDNI_AT(r->d->joints, io_joint, i);
    if (j->name && strcmp(j->name, name) == 0) return (int)i;
  }
  return -1;
}

static cdn_status find_site(mjcf_reader *r, io_xml_node *node, const char *name, io_frame *frame) {
  const int i = io_names_find(&r->site_names, name);
  if (i < 0) return not_there(r, node, "site", name);
  *frame = CDNI_AT(r->d->frames, io_named_frame, i).frame;
  return CDN_OK;
}

/* A frame by type and name. "body" is MuJoCo's word for the centre of mass with the principal axes of inertia, which
 * are not well defined. `axes`: the axes are needed. *known: Cardan has a frame of this type. */
static cdn_status find_object(mjcf_reader *r, io_xml_node *node, const char *type, const char *name, bool axes,
                              io_frame *frame, bool *known) {
  const bool by_body = strcmp(type, "xbody") == 0 || (strcmp(type, "body") == 0 && !axes);
  *known = by_body || strcmp(type, "site") == 0;
  if (!*known) return CDN_OK;
  if (!by_body) return find_site(r, node, name, frame);
  const int body = find_body(r, name);
  if (body < 0) return not_there(r, node, "body", name);
  *frame = (io_frame){ body, cdn_transform_identity() };
  if (strcmp(type, "body") == 0) frame->X_BS.p = CDNI_AT(r->d->bodies, io_body, body).mass.com;
  return CDN_OK;
}

/* ---- reading ---- */

static cdn_status read_joint_target(mjcf_reader *r, io_xml_node *node, target of, io_sensor *sensor) {
  const char *name;
  CDNI_TRY(io_xml_need_string(r->d, node, "joint", &name));
  sensor->joint = find_joint(r, name);
  if (sensor->joint < 0) return not_there(r, node, "joint", name);
  const io_joint_kind kind = CDNI_AT(r->d->joints, io_joint, sensor->joint).kind;
  if (of == OF_BALL ? kind == IO_BALL : kind == IO_PIN || kind == IO_SLIDER) return CDN_OK;
  return io_xml_fail(r->d, CDN_ERR_PARSE, node, "joint '%.60s' must be a %s for this sensor", name,
                     of == OF_BALL ? "ball" : "hinge or slide");
}

static cdn_status read_object_target(mjcf_reader *r, io_xml_node *node, io_sensor *sensor, bool *known) {
  const char *type, *name, *reference = io_xml_string(node, "reftype");
  CDNI_TRY(io_xml_need_string(r->d, node, "objtype", &type));
  CDNI_TRY(io_xml_need_string(r->d, node, "objname", &name));
  CDNI_TRY(find_object(r, node, type, name, turns_axes(sensor->kind), &sensor->frame, known));
  if (!*known || !reference || !has_reference(sensor->kind)) return CDN_OK;
  CDNI_TRY(io_xml_need_string(r->d, node, "refname", &name));
  sensor->has_reference = true;
  return find_object(r, node, reference, name, true, &sensor->reference, known);
}

static cdn_status read_target(mjcf_reader *r, io_xml_node *node, target of, io_sensor *sensor, bool *known) {
  const char *name;
  switch (of) {
    case OF_SCALAR_JOINT:
    case OF_BALL: return read_joint_target(r, node, of, sensor);
    case OF_SITE:
      CDNI_TRY(io_xml_need_string(r->d, node, "site", &name));
      return find_site(r, node, name, &sensor->frame);
    case OF_OBJECT: return read_object_target(r, node, sensor, known);
    case OF_SUBTREE:
      CDNI_TRY(io_xml_need_string(r->d, node, "body", &name));
      sensor->frame.body = find_body(r, name);
      return sensor->frame.body < 0 ? not_there(r, node, "body", name) : CDN_OK;
    case OF_NOTHING: break;
  }
  return CDN_OK;
}

static void report(mjcf_reader *r, io_xml_node *node, const char *what) {
  char note[120];
  snprintf(note, sizeof note, "sensor/%.60s%s", io_xml_name(node), what);
  io_not_understood(r->d, io_xml_line(node), note);
}

static cdn_status read_sensor(mjcf_reader *r, io_xml_node *node) {
  int i = 0;
  while (i < CDNI_COUNT(kinds) && strcmp(kinds[i].name, io_xml_name(node)) != 0) i++;
  if (i == CDNI_COUNT(kinds) || r->lost_joints) { /* or it may be of something that was not understood */
    report(r, node, "");
    return CDN_OK;
  }
  io_sensor sensor = { .line = io_xml_line(node), .kind = kinds[i].kind, .word = kinds[i].name, .joint = -1 };
  bool known = true;
  CDNI_TRY(read_target(r, node, kinds[i].of, &sensor, &known));
  if (!known) {
    report(r, node, " of this objtype or reftype");
    return CDN_OK;
  }
  CDNI_TRY(io_xml_double(r->d, node, "cutoff", &sensor.cutoff, NULL));
  if (!cdni_all_finite((const double *)&sensor.frame.X_BS, sizeof sensor.frame.X_BS / sizeof(double), NULL))
    return io_xml_fail(r->d, CDN_ERR_NONFINITE, node, "its object is farther away than the largest number");
  io_xml_ignore(node, "noise"); /* MuJoCo adds none unless it is asked to */
  io_xml_ignore(node, "user");
  io_sensor *kept = cdni_array_push(&r->d->allocator, &r->d->sensors, sizeof sensor, &sensor);
  if (!kept) return io_mjcf_out_of_memory(r);
  CDNI_TRY(io_mjcf_take_name(r, node, MJCF_NAME_SENSOR, &kept->name));
  io_xml_report_rest(r->d, node);
  return CDN_OK;
}

cdn_status io_mjcf_read_sensors(mjcf_reader *r, io_xml_node *node) {
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;) CDNI_TRY(read_sensor(r, child));
  return walk.status;
}
