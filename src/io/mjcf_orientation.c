/* Positions and orientations. An orientation can be written as quat, axisangle, euler, xyaxes or zaxis. */
#include <math.h>

#include "io/mjcf.h"

static const double PI = 3.14159265358979323846;
static const double TINY = 1e-14; /* MuJoCo's, below which a vector has no direction */

double io_mjcf_angle(const mjcf_reader *r, double value) { return r->compiler.degrees ? value * PI / 180 : value; }

cdn_rotation io_mjcf_z_to(cdn_vec3 z) {
  const double length = cdn_norm(z);
  const cdn_vec3 to = cdn_v3(z.x / length, z.y / length, z.z / length);
  const double sine = hypot(to.x, to.y);
  /* Opposite directions have no shortest way; the format's half turn is about x. */
  const cdn_vec3 axis = sine < TINY ? cdn_v3(1, 0, 0) : cdn_v3(-to.y, to.x, 0);
  return cdn_rotation_axis_angle(axis, atan2(sine, to.z));
}

static cdn_status no_direction(mjcf_reader *r, const mjcf_element *e, const char *what) {
  return io_xml_fail(r->log, CDN_ERR_PARSE, e->node,
                     "%s has no direction: a vector is zero, or two are parallel; "
                     "correct them",
                     what);
}

static cdn_status from_quat(mjcf_reader *r, const mjcf_element *e, const double *v, cdn_rotation *R) {
  const double largest = fmax(fmax(fabs(v[0]), fabs(v[1])), fmax(fabs(v[2]), fabs(v[3])));
  if (largest == 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, e->node, "the quaternion is zero; write 1 0 0 0 for no rotation");
  const cdn_quaternion q = { v[0] / largest, v[1] / largest, v[2] / largest, v[3] / largest };
  *R = cdn_rotation_from_quaternion(q);
  return CDN_OK;
}

static cdn_status from_axisangle(mjcf_reader *r, const mjcf_element *e, const double *v, cdn_rotation *R) {
  const cdn_vec3 axis = cdn_v3(v[0], v[1], v[2]);
  if (cdn_norm(axis) < TINY) return no_direction(r, e, "axisangle");
  *R = cdn_rotation_axis_angle(axis, io_mjcf_angle(r, v[3]));
  return CDN_OK;
}

cdn_rotation io_mjcf_euler(const mjcf_reader *r, const double angles[3]) {
  cdn_rotation R = cdn_rotation_identity();
  for (int i = 0; i < 3; i++) {
    const char letter = r->compiler.eulerseq[i];
    const bool fixed = letter < 'a';
    const char axis = fixed ? (char)(letter - 'A' + 'a') : letter;
    const cdn_rotation turn =
        cdn_rotation_axis_angle(cdn_v3(axis == 'x', axis == 'y', axis == 'z'), io_mjcf_angle(r, angles[i]));
    R = fixed ? cdn_rotation_multiply(turn, R) : cdn_rotation_multiply(R, turn);
  }
  return R;
}

static cdn_status from_euler(mjcf_reader *r, const mjcf_element *e, const double *v, cdn_rotation *R) {
  (void)e;
  *R = io_mjcf_euler(r, v);
  return CDN_OK;
}

static cdn_status from_xyaxes(mjcf_reader *r, const mjcf_element *e, const double *v, cdn_rotation *R) {
  cdn_vec3 x = cdn_v3(v[0], v[1], v[2]), y = cdn_v3(v[3], v[4], v[5]);
  if (cdn_norm(x) < TINY) return no_direction(r, e, "xyaxes");
  x = cdn_scale(1 / cdn_norm(x), x);
  y = cdn_sub(y, cdn_scale(cdn_dot(x, y), x)); /* x as written, y made perpendicular to it */
  if (cdn_norm(y) < TINY) return no_direction(r, e, "xyaxes");
  y = cdn_scale(1 / cdn_norm(y), y);
  *R = (cdn_rotation){ x, y, cdn_cross(x, y) };
  return CDN_OK;
}

static cdn_status from_zaxis(mjcf_reader *r, const mjcf_element *e, const double *v, cdn_rotation *R) {
  const cdn_vec3 z = cdn_v3(v[0], v[1], v[2]);
  if (cdn_norm(z) < TINY) return no_direction(r, e, "zaxis");
  *R = io_mjcf_z_to(z);
  return CDN_OK;
}

static const struct {
  const char *name;
  int count;
  cdn_status (*convert)(mjcf_reader *r, const mjcf_element *e, const double *v, cdn_rotation *R);
} forms[] = { { "axisangle", 4, from_axisangle },
              { "euler", 3, from_euler },
              { "xyaxes", 6, from_xyaxes },
              { "zaxis", 3, from_zaxis },
              { "quat", 4, from_quat } };

/* Two forms on one element contradict each other. */
static cdn_status refuse_two_forms(mjcf_reader *r, const mjcf_element *e) {
  const char *found = NULL;
  for (int i = 0; i < CDNI_COUNT(forms); i++) {
    if (!io_xml_has(e->node, forms[i].name)) continue;
    if (found)
      return io_xml_fail(r->log, CDN_ERR_PARSE, e->node, "both '%s' and '%s' give an orientation; keep one of them",
                         found, forms[i].name);
    found = forms[i].name;
  }
  return CDN_OK;
}

cdn_status io_mjcf_orientation(mjcf_reader *r, const mjcf_element *e, cdn_rotation *R, bool *present) {
  *present = false;
  CDNI_TRY(refuse_two_forms(r, e));
  /* The alternative that is nearest counts; a quaternion counts only if there is no other, even in an outer class. */
  int form = -1, nearest = -1;
  for (int i = 0; i < CDNI_COUNT(forms); i++) {
    const int level = io_mjcf_level(r, e, forms[i].name);
    const bool is_quat = i == CDNI_COUNT(forms) - 1;
    if (level < 0 || (is_quat ? form >= 0 : form >= 0 && level >= nearest)) continue;
    form = i;
    nearest = level;
  }
  if (form < 0) return CDN_OK;
  if (nearest > 0 && io_xml_has(e->node, "quat") && form != CDNI_COUNT(forms) - 1)
    io_warn(r->log, io_xml_line(e->node), "the default class's '%s' hides this element's 'quat', as in MuJoCo",
            forms[form].name);
  double v[6];
  CDNI_TRY(io_mjcf_doubles(r, e, forms[form].name, v, forms[form].count, present));
  return forms[form].convert(r, e, v, R);
}

cdn_status io_mjcf_fromto(mjcf_reader *r, const mjcf_element *e, const double v[6], cdn_transform *X) {
  const cdn_vec3 from = cdn_v3(v[0], v[1], v[2]), to = cdn_v3(v[3], v[4], v[5]);
  if (cdn_norm(cdn_sub(from, to)) < 2 * TINY)
    return io_xml_fail(r->log, CDN_ERR_PARSE, e->node, "the two points of fromto coincide; move them apart");
  *X = (cdn_transform){ io_mjcf_z_to(cdn_sub(from, to)), cdn_scale(0.5, cdn_add(from, to)) };
  return CDN_OK;
}

cdn_status io_mjcf_pose(mjcf_reader *r, const mjcf_element *e, cdn_transform *X) {
  bool present;
  *X = cdn_transform_identity();
  CDNI_TRY(io_mjcf_vec3(r, e, "pos", &X->p));
  return io_mjcf_orientation(r, e, &X->R, &present);
}
