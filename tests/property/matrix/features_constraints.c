/* shared by tests in this folder */
/* Features: one constraint of each kind, which the pose satisfies. The table is made from the library's own list. */
#include "constraints/internal.h"
#include "matrix.h"

static cdn_vec3 place(const scene *s, cdn_body body, cdn_vec3 p) { return cdn_transform_point(s->X[body.i], p); }

static void add_rod(scene *s) {
  s->element[s->now] = "rod";
  cdn_body a, b;
  scene_pair(s, &a, &b);
  const cdn_vec3 p = scene_vec3(s, 0.3), q = scene_vec3(s, 0.3);
  cdn_system_constrain_rod(s->system, "rod", a, p, b, q, cdn_norm(cdn_sub(place(s, a, p), place(s, b, q))));
}
static void add_ball(scene *s) {
  s->element[s->now] = "ball";
  cdn_body a, b;
  scene_pair(s, &a, &b);
  const cdn_vec3 p = scene_vec3(s, 0.3);
  cdn_system_constrain_ball(s->system, "ball", a, p, b, scene_station(s, b, place(s, a, p)));
}
static void add_joint(scene *s) {
  s->element[s->now] = "hinge";
  cdn_body a, b;
  scene_pair(s, &a, &b);
  const cdn_transform F = { scene_rotation(s), scene_vec3(s, 0.3) };
  cdn_system_constrain_joint(s->system, "hinge", CDN_PIN, a, F, b,
                             scene_frame(s, b, cdn_transform_multiply(s->X[a.i], F)), NULL);
}
static void add_point_in_plane(scene *s) {
  s->element[s->now] = "plane";
  cdn_body a, b;
  scene_pair(s, &a, &b);
  const cdn_vec3 n = cdn_rotation_z_to(scene_vec3(s, 1)).z, q = scene_vec3(s, 0.3);
  const double h = cdn_dot(n, scene_station(s, a, place(s, b, q)));
  cdn_system_constrain_point_in_plane(s->system, "plane", a, n, h, b, q);
}
static void add_point_on_line(scene *s) {
  s->element[s->now] = "line";
  cdn_body a, b;
  scene_pair(s, &a, &b);
  const cdn_vec3 d = scene_vec3(s, 1), q = scene_vec3(s, 0.3);
  cdn_system_constrain_point_on_line(s->system, "line", a, d, scene_station(s, a, place(s, b, q)), b, q);
}
static void add_constant_angle(scene *s) {
  s->element[s->now] = "angle";
  cdn_body a, b;
  scene_pair(s, &a, &b);
  const cdn_vec3 x = cdn_v3(1, 0, 0), x_G = cdn_rotate(s->X[a.i].R, x), y_G = cdn_rotate(s->X[b.i].R, cdn_v3(0, 1, 0));
  cdn_system_constrain_angle(s->system, "angle", a, x, b, cdn_v3(0, 1, 0), acos(cdn_dot(x_G, y_G)));
}

static void add_constant_coordinate(scene *s) {
  s->element[s->now] = "coordinate";
  const cdn_mobility at = scene_coordinate(s);
  cdn_system_constrain_coordinate(s->system, "coordinate", at.body, at.k, scene_q(s, at.body, at.k));
}
static void add_constant_speed(scene *s) {
  s->element[s->now] = "speed";
  const cdn_mobility at = scene_coordinate(s);
  cdn_system_constrain_speed(s->system, "speed", at.body, at.k, 0.3);
}
static void add_constant_acceleration(scene *s) {
  s->element[s->now] = "acceleration";
  const cdn_mobility at = scene_coordinate(s);
  cdn_system_constrain_acceleration(s->system, "acceleration", at.body, at.k, 2);
}
static void add_prescribed_motion(scene *s) {
  s->element[s->now] = "motion";
  const cdn_mobility at = scene_coordinate(s);
  const double a[] = { -0.7, 1.5, 0.2, scene_q(s, at.body, at.k) };
  cdn_function *f = cdn_function_polynomial(4, a);
  cdn_system_constrain_motion(s->system, "motion", at.body, at.k, f);
  cdn_function_release(f);
}
static cdn_control control_at(scene *s, const char *name, double value) {
  cdn_control_def def = cdn_default_control_def();
  def.name = name, def.initial = value;
  return cdn_system_add_control(s->system, &def);
}
static void add_controlled_coordinate(scene *s) {
  s->element[s->now] = "followed coordinate";
  const cdn_mobility at = scene_coordinate(s);
  cdn_system_constrain_coordinate_to_control(s->system, "followed coordinate", at.body, at.k,
                                             control_at(s, "coordinate", scene_q(s, at.body, at.k)));
}
static void add_controlled_speed(scene *s) {
  s->element[s->now] = "followed speed";
  const cdn_mobility at = scene_coordinate(s);
  cdn_system_constrain_speed_to_control(s->system, "followed speed", at.body, at.k, control_at(s, "speed", 0.3));
}

/* sin(x0) + x0 x1 + x1 - c */
static cdn_status calc_mix(const void *self, const double *x, int order, cdn_function_result *out) {
  out->value = sin(x[0]) + x[0] * x[1] + x[1] - *(const double *)self;
  if (order >= 1) out->d1[0] = cos(x[0]) + x[1], out->d1[1] = x[0] + 1;
  if (order >= 2) out->d2[0] = -sin(x[0]), out->d2[1] = out->d2[2] = 1, out->d2[3] = 0;
  return order < 3 ? CDN_OK : CDN_ERR_UNSUPPORTED;
}
static cdn_function *mix(double c) {
  const cdn_function_ops ops = { .struct_size = sizeof ops, .self_size = sizeof c, .n_inputs = 2, .calc = calc_mix };
  return cdn_function_create(&ops, &c);
}
static void add_coordinate_coupler(scene *s) {
  s->element[s->now] = "coupler";
  const cdn_mobility at[] = { scene_coordinate(s), scene_coordinate(s) };
  const double x = scene_q(s, at[0].body, at[0].k), y = scene_q(s, at[1].body, at[1].k);
  cdn_function *f = mix(sin(x) + x * y + y);
  cdn_system_couple_coordinates(s->system, "coupler", f, 2, at);
  cdn_function_release(f);
}
/* 2 x0 + x1 sin(x0) - c: not linear in the speed x0 */
static cdn_status calc_pace(const void *self, const double *x, int order, cdn_function_result *out) {
  out->value = 2 * x[0] + x[1] * sin(x[0]) - *(const double *)self;
  if (order >= 1) out->d1[0] = 2 + x[1] * cos(x[0]), out->d1[1] = sin(x[0]);
  if (order >= 2) out->d2[0] = -x[1] * sin(x[0]), out->d2[1] = out->d2[2] = cos(x[0]), out->d2[3] = 0;
  return order < 3 ? CDN_OK : CDN_ERR_UNSUPPORTED;
}
static void add_speed_coupler(scene *s) {
  s->element[s->now] = "speed coupler";
  const cdn_mobility speed = scene_coordinate(s), coordinate = { s->cylinder, 0 };
  const double c = 0.6;
  const cdn_function_ops ops = { .struct_size = sizeof ops, .self_size = sizeof c, .n_inputs = 2, .calc = calc_pace };
  cdn_function *f = cdn_function_create(&ops, &c);
  cdn_system_couple_speeds(s->system, "speed coupler", f, &speed, 1, &coordinate, 1);
  cdn_function_release(f);
}
static void add_polynomial_coupler(scene *s) {
  s->element[s->now] = "polynomial";
  const cdn_mobility y = scene_coordinate(s), x = scene_coordinate(s);
  cdn_system_couple_by_polynomial(s->system, "polynomial", y, scene_q(s, y.body, y.k), x, scene_q(s, x.body, x.k),
                                  (double[]){ 0, 0.5, 0.3, -0.2, 0.1 });
}

static void add_no_slip_1d(scene *s) {
  s->element[s->now] = "gear";
  cdn_body a, b;
  scene_pair(s, &a, &b);
  cdn_system_constrain_no_slip(s->system, "gear", s->cylinder, scene_vec3(s, 0.3), scene_vec3(s, 1), a, b);
}
static void add_relative_rotation(scene *s) {
  s->element[s->now] = "rotation";
  cdn_body a, b;
  scene_pair(s, &a, &b);
  cdn_system_constrain_rotation(s->system, "rotation", a, b);
}
static void add_slip_on_line(scene *s) {
  s->element[s->now] = "bead";
  cdn_body a, b;
  scene_pair(s, &a, &b);
  cdn_system_constrain_slip_on_line(s->system, "bead", a, scene_vec3(s, 1), b, scene_vec3(s, 0.3));
}
static void add_sphere_on_plane(scene *s) {
  s->element[s->now] = "roll";
  cdn_body a, b;
  scene_pair(s, &a, &b);
  const cdn_vec3 q = scene_vec3(s, 0.3);
  cdn_transform P = { scene_rotation(s), place(s, b, q) };
  P.p = cdn_add(cdn_sub(P.p, cdn_scale(0.2, P.R.z)), cdn_scale(0.1, P.R.x));
  cdn_system_constrain_sphere_on_plane(s->system, "roll", a, scene_frame(s, a, P), b, q, 0.2, true);
}
static void add_sphere_on_sphere(scene *s) {
  s->element[s->now] = "balls";
  cdn_body a, b;
  scene_pair(s, &a, &b);
  const cdn_vec3 p = scene_vec3(s, 0.3), q = scene_vec3(s, 0.3);
  const double d = cdn_norm(cdn_sub(place(s, a, p), place(s, b, q)));
  cdn_system_constrain_sphere_on_sphere(s->system, "balls", a, p, 0.4 * d, b, q, 0.6 * d, true);
}
static void add_line_on_line(scene *s) {
  s->element[s->now] = "edges";
  cdn_body a, b;
  scene_pair(s, &a, &b);
  const cdn_transform E = { scene_rotation(s), place(s, b, scene_vec3(s, 0.3)) };
  cdn_transform D = { cdn_rotation_multiply(E.R, cdn_rotation_axis_angle(cdn_v3(0, 0, 1), 1.1)), E.p };
  D.R = cdn_rotation_multiply(D.R, cdn_rotation_axis_angle(cdn_v3(1, 0, 0), PI - 0.3));
  cdn_system_constrain_line_on_line(s->system, "edges", a, scene_frame(s, a, E), b, scene_frame(s, b, D), true);
}

/* Of the user's: the height of a station over a plane of Ground that rises. */
typedef struct rising {
  cdn_body b;
  cdn_vec3 p_B, n;
  double height;
} rising;
static cdn_status rise_position(const void *self, const cdn_constraint_input *in, double *perr) {
  const rising *r = self;
  perr[0] = cdn_dot(r->n, cdn_transform_point(in->X_GB[0], r->p_B)) - r->height - sin(0.3 * in->t);
  return CDN_OK;
}
static cdn_status rise_rows(const void *self, const cdn_constraint_input *in, cdn_rows *rows) {
  const rising *r = self;
  (void)in;
  cdn_rows_add_point(rows, 0, r->b, r->p_B, r->n);
  return CDN_OK;
}
static cdn_status rise_velocity(const void *self, const cdn_constraint_input *in, double *verr) {
  const rising *r = self;
  const cdn_vec3 arm = cdn_rotate(in->X_GB[0].R, r->p_B);
  verr[0] = cdn_dot(r->n, cdn_add(in->V_GB[0].v, cdn_cross(in->V_GB[0].w, arm))) - 0.3 * cos(0.3 * in->t);
  return CDN_OK;
}
static cdn_status rise_bias(const void *self, const cdn_constraint_input *in, double *bias) {
  const rising *r = self;
  const cdn_vec3 arm = cdn_rotate(in->X_GB[0].R, r->p_B), w = in->V_GB[0].w;
  bias[0] = cdn_dot(r->n, cdn_cross(w, cdn_cross(w, arm))) + 0.09 * sin(0.3 * in->t);
  return CDN_OK;
}
static void add_custom(scene *s) {
  s->element[s->now] = "lift";
  const cdn_constraint_ops ops = { .struct_size = sizeof ops,
                                   .name = "rising",
                                   .self_size = sizeof(rising),
                                   .np = 1,
                                   .rheonomic = true,
                                   .absolute = true,
                                   .calc_position = rise_position,
                                   .calc_rows = rise_rows,
                                   .calc_velocity = rise_velocity,
                                   .calc_bias = rise_bias };
  cdn_body a, b;
  scene_pair(s, &a, &b);
  /* on the chain: b may be a mocap body */
  rising self = { .b = a, .p_B = scene_vec3(s, 0.3), .n = cdn_rotation_z_to(scene_vec3(s, 1)).z };
  self.height = cdn_dot(self.n, place(s, a, self.p_B));
  cdn_custom_constraint_def def = cdn_default_custom_constraint_def();
  def.name = "lift", def.ops = &ops, def.self = &self, def.bodies = &a, def.n_bodies = 1;
  cdn_system_constrain_custom(s->system, &def);
}

static const refusal all_refuse[] = {
  { "invertible motion", NULL, NULL },
  { "method", "cvode-adams", "CVODE Adams" },
  { "checkpoint of a run", "cvode-adams", "CVODE Adams" },
  { "run from a vector", "cvode-adams", "CVODE Adams" },
  { NULL, NULL, NULL },
};
static const refusal controlled_refuse[] = {
  { "a step by controls", NULL, "control '" },
  { "invertible motion", NULL, NULL },
  { "method", "cvode-adams", "CVODE Adams" },
  { "checkpoint of a run", "cvode-adams", "CVODE Adams" },
  { "run from a vector", "cvode-adams", "CVODE Adams" },
  { NULL, NULL, NULL },
};
static const refusal nonlinear_refuses[] = {
  { "linearization", NULL, NULL },
  { "eigenvalues", NULL, NULL },
  { "derivatives of a step", NULL, NULL },
  { "a step by controls", NULL, NULL },
  { "invertible motion", NULL, NULL },
  { "method", "cvode-adams", "CVODE Adams" },
  { "checkpoint of a run", "cvode-adams", "CVODE Adams" },
  { "run from a vector", "cvode-adams", "CVODE Adams" },
  { NULL, NULL, NULL },
};
static const refusal *refused_by(constraint_kind_id kind) {
  if (kind == CONSTRAINT_SPEED_COUPLER) return nonlinear_refuses;
  return kind == CONSTRAINT_CONTROLLED_COORDINATE || kind == CONSTRAINT_CONTROLLED_SPEED ? controlled_refuse
                                                                                         : all_refuse;
}

/* Contact of shapes comes last in the list, and is added by shapes alone (features_contact.c). */
enum { ADDED_KINDS = CONSTRAINT_SHAPE_CONTACT };
static void add_shape_contact(scene *s) { (void)s; }

feature_table constraint_features(void) {
  static feature table[CONSTRAINT_KIND_COUNT];
  static const feature rows[] = {
#define CONSTRAINT_ROW(ENUM, kind) { .name = "constraint " #kind, .add = add_##kind },
    CONSTRAINT_KIND_LIST(CONSTRAINT_ROW)
#undef CONSTRAINT_ROW
  };
  for (int k = 0; k < CONSTRAINT_KIND_COUNT; k++)
    table[k] = rows[k], table[k].refuses = refused_by((constraint_kind_id)k);
  return (feature_table){ table, ADDED_KINDS };
}
