/* Constraints of every kind. */
#include "constraint_samples.h"

static cdn_transform frame(rng *r) { return (cdn_transform){ random_rotation(r), random_vec3(r, 0.7) }; }
static double positive(rng *r) { return uniform(r, 0.2, 1.5); }

/* ---- stations and directions ---- */

static cdn_constraint add_rod(const constraint_place *p, rng *r) {
  const cdn_vec3 A = random_vec3(r, 1), B = random_vec3(r, 1);
  return cdn_system_constrain_rod(p->system, "rod", p->a, A, p->b, B, positive(r));
}
static cdn_status set_rod(cdn_state *s, cdn_constraint id, rng *r) {
  const cdn_vec3 A = random_vec3(r, 1), B = random_vec3(r, 1);
  return cdn_rod_set(s, id, A, B, positive(r));
}
static cdn_constraint add_ball(const constraint_place *p, rng *r) {
  const cdn_vec3 A = random_vec3(r, 1), B = random_vec3(r, 1);
  return cdn_system_constrain_ball(p->system, "ball", p->a, A, p->b, B);
}
static cdn_status set_ball(cdn_state *s, cdn_constraint id, rng *r) {
  const cdn_vec3 A = random_vec3(r, 1), B = random_vec3(r, 1);
  return cdn_ball_set(s, id, A, B);
}
static cdn_constraint add_plane(const constraint_place *p, rng *r) {
  const cdn_vec3 n = random_vec3(r, 3), B = random_vec3(r, 1);
  return cdn_system_constrain_point_in_plane(p->system, "point in plane", p->a, n, positive(r), p->b, B);
}
static cdn_status set_plane(cdn_state *s, cdn_constraint id, rng *r) {
  const cdn_vec3 n = random_vec3(r, 3), B = random_vec3(r, 1);
  return cdn_point_in_plane_set(s, id, n, positive(r), B);
}
static cdn_constraint add_line(const constraint_place *p, rng *r) {
  const cdn_vec3 d = random_vec3(r, 3), A = random_vec3(r, 1), B = random_vec3(r, 1);
  return cdn_system_constrain_point_on_line(p->system, "point on line", p->a, d, A, p->b, B);
}
static cdn_status set_line(cdn_state *s, cdn_constraint id, rng *r) {
  const cdn_vec3 d = random_vec3(r, 3), A = random_vec3(r, 1), B = random_vec3(r, 1);
  return cdn_point_on_line_set(s, id, d, A, B);
}
static cdn_constraint add_angle(const constraint_place *p, rng *r) {
  const cdn_vec3 x = random_vec3(r, 3), y = random_vec3(r, 3);
  return cdn_system_constrain_angle(p->system, "angle", p->a, x, p->b, y, positive(r));
}
static cdn_status set_angle(cdn_state *s, cdn_constraint id, rng *r) {
  const cdn_vec3 x = random_vec3(r, 3), y = random_vec3(r, 3);
  return cdn_angle_set(s, id, x, y, positive(r));
}

/* ---- joints ---- */

static void joint_params(cdn_mobilizer kind, rng *r, double *params) {
  random_numbers(r, 1, params, CDN_MOBILIZER_PARAMS);
  if (kind == CDN_ELLIPSOID)
    for (int i = 0; i < 3; i++) params[i] = positive(r);
  if (kind == CDN_SPHERICAL_COORDS) params[2] = 4 * pick(r, 2);
}

static cdn_constraint add_joint(cdn_mobilizer kind, const constraint_place *p, rng *r) {
  double params[CDN_MOBILIZER_PARAMS];
  const cdn_transform F = frame(r), M = frame(r);
  joint_params(kind, r, params);
  char name[64];
  snprintf(name, sizeof name, "%s joint", cdn_mobilizer_name(kind));
  return cdn_system_constrain_joint(p->system, name, kind, p->a, F, p->b, M, params);
}

static cdn_status set_joint(cdn_state *s, cdn_constraint id, rng *r) {
  const cdn_transform F = frame(r), M = frame(r);
  return cdn_joint_set(s, id, F, M, NULL);
}

/* ---- coordinates and speeds ---- */

static cdn_constraint add_coordinate(const constraint_place *p, rng *r) {
  return cdn_system_constrain_coordinate(p->system, "coordinate", p->at[0].body, p->at[0].k, positive(r));
}
static cdn_status set_coordinate(cdn_state *s, cdn_constraint id, rng *r) {
  return cdn_constant_coordinate_set(s, id, positive(r));
}
static cdn_constraint add_speed(const constraint_place *p, rng *r) {
  return cdn_system_constrain_speed(p->system, "speed", p->at[1].body, p->at[1].k, positive(r));
}
static cdn_status set_speed(cdn_state *s, cdn_constraint id, rng *r) {
  return cdn_constant_speed_set(s, id, positive(r));
}
static cdn_constraint add_acceleration(const constraint_place *p, rng *r) {
  return cdn_system_constrain_acceleration(p->system, "acceleration", p->at[2].body, p->at[2].k, positive(r));
}
static cdn_status set_acceleration(cdn_state *s, cdn_constraint id, rng *r) {
  return cdn_constant_acceleration_set(s, id, positive(r));
}

static cdn_constraint add_motion(const constraint_place *p, rng *r) {
  double a[4];
  random_numbers(r, 1, a, 4);
  cdn_function *f = cdn_function_polynomial(4, a);
  const cdn_constraint id = cdn_system_constrain_motion(p->system, "motion", p->at[0].body, p->at[0].k, f);
  cdn_function_release(f);
  return id;
}

/* a[0] x0^2 x1 + a[1] sin(x1) + a[2] x2 x0 + a[3] x2^2 */
static cdn_status calc_mix(const void *self, const double *x, int order, cdn_function_result *out) {
  const double *a = self;
  out->value = a[0] * x[0] * x[0] * x[1] + a[1] * sin(x[1]) + a[2] * x[2] * x[0] + a[3] * x[2] * x[2];
  if (order >= 1) {
    out->d1[0] = 2 * a[0] * x[0] * x[1] + a[2] * x[2];
    out->d1[1] = a[0] * x[0] * x[0] + a[1] * cos(x[1]);
    out->d1[2] = a[2] * x[0] + 2 * a[3] * x[2];
  }
  if (order >= 2) {
    out->d2[0] = 2 * a[0] * x[1];
    out->d2[1] = out->d2[3] = 2 * a[0] * x[0];
    out->d2[4] = -a[1] * sin(x[1]);
    out->d2[2] = out->d2[6] = a[2];
    out->d2[8] = 2 * a[3];
  }
  return order < 3 ? CDN_OK : CDN_ERR_UNSUPPORTED;
}

static cdn_function *mix(rng *r) {
  double a[4];
  for (int i = 0; i < 4; i++) a[i] = positive(r);
  const cdn_function_ops ops = { .struct_size = sizeof ops, .self_size = sizeof a, .n_inputs = 3, .calc = calc_mix };
  return cdn_function_create(&ops, a);
}

static cdn_constraint add_coordinate_coupler(const constraint_place *p, rng *r) {
  cdn_function *f = mix(r);
  const cdn_constraint id = cdn_system_couple_coordinates(p->system, "coordinate coupler", f, 3, p->at);
  cdn_function_release(f);
  return id;
}
static cdn_constraint add_speed_coupler(const constraint_place *p, rng *r) {
  cdn_function *f = mix(r);
  const cdn_constraint id = cdn_system_couple_speeds(p->system, "speed coupler", f, p->at, 2, p->at + 2, 1);
  cdn_function_release(f);
  return id;
}
static cdn_constraint add_polynomial(const constraint_place *p, rng *r) {
  double a[7];
  random_numbers(r, 1, a, 7);
  return cdn_system_couple_by_polynomial(p->system, "polynomial", p->at[1], a[5], p->at[2], a[6], a);
}
static cdn_status set_polynomial(cdn_state *s, cdn_constraint id, rng *r) {
  double a[7];
  random_numbers(r, 1, a, 7);
  return cdn_polynomial_coupler_set(s, id, a[5], a[6], a);
}

/* ---- contact ---- */

static cdn_constraint add_no_slip(const constraint_place *p, rng *r) {
  const cdn_vec3 C = random_vec3(r, 1), n = random_vec3(r, 3);
  return cdn_system_constrain_no_slip(p->system, "no slip", p->c, C, n, p->a, p->b);
}
static cdn_status set_no_slip(cdn_state *s, cdn_constraint id, rng *r) {
  const cdn_vec3 C = random_vec3(r, 1), n = random_vec3(r, 3);
  return cdn_no_slip_set(s, id, C, n);
}
static cdn_constraint add_rotation(const constraint_place *p, rng *r) {
  (void)r;
  return cdn_system_constrain_rotation(p->system, "rotation", p->a, p->b);
}
static cdn_constraint add_slip_on_line(const constraint_place *p, rng *r) {
  const cdn_vec3 d = random_vec3(r, 3), B = random_vec3(r, 1);
  return cdn_system_constrain_slip_on_line(p->system, "slip on line", p->a, d, p->b, B);
}
static cdn_status set_slip_on_line(cdn_state *s, cdn_constraint id, rng *r) {
  const cdn_vec3 d = random_vec3(r, 3), B = random_vec3(r, 1);
  return cdn_slip_on_line_set(s, id, d, B);
}
static cdn_constraint sphere_on_plane(const constraint_place *p, rng *r, double radius, bool rolling,
                                      const char *name) {
  const cdn_transform X = frame(r);
  return cdn_system_constrain_sphere_on_plane(p->system, name, p->a, X, p->b, random_vec3(r, 1), radius, rolling);
}
static cdn_constraint add_sliding_sphere(const constraint_place *p, rng *r) {
  return sphere_on_plane(p, r, positive(r), false, "sphere sliding on plane");
}
static cdn_constraint add_rolling_sphere(const constraint_place *p, rng *r) {
  return sphere_on_plane(p, r, positive(r), true, "sphere rolling on plane");
}
static cdn_constraint add_sticking_point(const constraint_place *p, rng *r) {
  return sphere_on_plane(p, r, 0, true, "point sticking on plane");
}
static cdn_status set_sphere(cdn_state *s, cdn_constraint id, rng *r) {
  const cdn_transform X = frame(r);
  const cdn_vec3 B = random_vec3(r, 1);
  return cdn_sphere_on_plane_set(s, id, X, B, positive(r));
}
static cdn_constraint spheres(const constraint_place *p, rng *r, bool rolling, const char *name) {
  const cdn_vec3 A = random_vec3(r, 1), B = random_vec3(r, 1);
  const double radius = positive(r);
  return cdn_system_constrain_sphere_on_sphere(p->system, name, p->a, A, radius, p->b, B, positive(r), rolling);
}
static cdn_constraint add_sliding_spheres(const constraint_place *p, rng *r) {
  return spheres(p, r, false, "sphere sliding on sphere");
}
static cdn_constraint add_rolling_spheres(const constraint_place *p, rng *r) {
  return spheres(p, r, true, "sphere rolling on sphere");
}
static cdn_status set_spheres(cdn_state *s, cdn_constraint id, rng *r) {
  const cdn_vec3 A = random_vec3(r, 1), B = random_vec3(r, 1);
  const double radius = positive(r);
  return cdn_sphere_on_sphere_set(s, id, A, radius, B, positive(r));
}
static cdn_constraint add_sliding_lines(const constraint_place *p, rng *r) {
  const cdn_transform A = frame(r), B = frame(r);
  return cdn_system_constrain_line_on_line(p->system, "line sliding on line", p->a, A, p->b, B, false);
}
static cdn_constraint add_rolling_lines(const constraint_place *p, rng *r) {
  const cdn_transform A = frame(r), B = frame(r);
  return cdn_system_constrain_line_on_line(p->system, "line rolling on line", p->a, A, p->b, B, true);
}
static cdn_status set_lines(cdn_state *s, cdn_constraint id, rng *r) {
  const cdn_transform A = frame(r), B = frame(r);
  return cdn_line_on_line_set(s, id, A, B);
}

/* ---- custom: a spring's length that follows a coordinate and time; d^2 / 2 + sin(c t) - q ---- */

typedef struct stations {
  cdn_body a, b;
  cdn_vec3 p_A, p_B;
  cdn_mobility at;
} stations;

static cdn_vec3 point_velocity(const cdn_constraint_input *in, int b, cdn_vec3 p) {
  return cdn_add(in->V_GB[b].v, cdn_cross(in->V_GB[b].w, cdn_rotate(in->X_GB[b].R, p)));
}
static cdn_vec3 centripetal(const cdn_constraint_input *in, int b, cdn_vec3 p) {
  return cdn_cross(in->V_GB[b].w, cdn_cross(in->V_GB[b].w, cdn_rotate(in->X_GB[b].R, p)));
}
static cdn_vec3 between(const stations *s, const cdn_constraint_input *in) {
  return cdn_sub(cdn_transform_point(in->X_GB[1], s->p_B), cdn_transform_point(in->X_GB[0], s->p_A));
}

static cdn_status follow_position(const void *self, const cdn_constraint_input *in, double *perr) {
  const cdn_vec3 d = between(self, in);
  perr[0] = cdn_dot(d, d) / 2 + sin(in->params[0] * in->t) - in->q[0];
  return CDN_OK;
}
static cdn_status follow_rows(const void *self, const cdn_constraint_input *in, cdn_rows *rows) {
  const stations *s = self;
  const cdn_vec3 d = between(s, in);
  cdn_rows_add_point(rows, 0, s->b, s->p_B, d);
  cdn_rows_add_point(rows, 0, s->a, s->p_A, cdn_scale(-1, d));
  cdn_rows_add_mobility(rows, 0, s->at.body, s->at.k, -1);
  return CDN_OK;
}
static cdn_vec3 between_rate(const stations *s, const cdn_constraint_input *in) {
  return cdn_sub(point_velocity(in, 1, s->p_B), point_velocity(in, 0, s->p_A));
}
static cdn_status follow_velocity(const void *self, const cdn_constraint_input *in, double *verr) {
  const double c = in->params[0];
  verr[0] = cdn_dot(between(self, in), between_rate(self, in)) + c * cos(c * in->t) - in->u[0];
  return CDN_OK;
}
static cdn_status follow_bias(const void *self, const cdn_constraint_input *in, double *bias) {
  const stations *s = self;
  const cdn_vec3 rate = between_rate(s, in), a = cdn_sub(centripetal(in, 1, s->p_B), centripetal(in, 0, s->p_A));
  const double c = in->params[0];
  bias[0] = cdn_dot(rate, rate) + cdn_dot(between(s, in), a) - c * c * sin(c * in->t);
  return CDN_OK;
}

static cdn_constraint add_follower(const constraint_place *p, rng *r) {
  const cdn_constraint_ops ops = { .struct_size = sizeof ops,
                                   .name = "follower",
                                   .self_size = sizeof(stations),
                                   .np = 1,
                                   .rheonomic = true,
                                   .calc_position = follow_position,
                                   .calc_rows = follow_rows,
                                   .calc_velocity = follow_velocity,
                                   .calc_bias = follow_bias };
  const cdn_body bodies[] = { p->a, p->b };
  const stations self = { p->a, p->b, random_vec3(r, 1), random_vec3(r, 1), p->at[1] };
  const double rate = positive(r);
  cdn_custom_constraint_def def = cdn_default_custom_constraint_def();
  def.name = "custom", def.ops = &ops, def.self = &self;
  def.bodies = bodies, def.n_bodies = 2, def.mobilities = p->at + 1, def.n_mobilities = 1;
  def.params = &rate, def.n_params = 1;
  return cdn_system_constrain_custom(p->system, &def);
}
static cdn_status set_follower(cdn_state *s, cdn_constraint id, rng *r) {
  const double rate = positive(r);
  return cdn_custom_constraint_set(s, id, &rate);
}

/* ---- custom: a station keeps a kinetic energy with a mobility; v^2 / 2 + u^2 - 1: not linear, with a net force
 * ---- */

static cdn_status pace_rows(const void *self, const cdn_constraint_input *in, cdn_rows *rows) {
  const stations *s = self;
  cdn_rows_add_point(rows, 0, s->b, s->p_B, point_velocity(in, 0, s->p_B));
  cdn_rows_add_mobility(rows, 0, s->at.body, s->at.k, 2 * in->u[0]);
  return CDN_OK;
}
static cdn_status pace_velocity(const void *self, const cdn_constraint_input *in, double *verr) {
  const cdn_vec3 v = point_velocity(in, 0, ((const stations *)self)->p_B);
  verr[0] = cdn_dot(v, v) / 2 + in->u[0] * in->u[0] - 1;
  return CDN_OK;
}
static cdn_status pace_bias(const void *self, const cdn_constraint_input *in, double *bias) {
  const stations *s = self;
  bias[0] = cdn_dot(point_velocity(in, 0, s->p_B), centripetal(in, 0, s->p_B));
  return CDN_OK;
}

static cdn_constraint add_pace(const constraint_place *p, rng *r) {
  const cdn_constraint_ops ops = { .struct_size = sizeof ops,
                                   .self_size = sizeof(stations),
                                   .nv = 1,
                                   .absolute = true,
                                   .nonlinear = true,
                                   .calc_rows = pace_rows,
                                   .calc_velocity = pace_velocity,
                                   .calc_bias = pace_bias };
  const stations self = { .b = p->b, .p_B = random_vec3(r, 1), .at = p->at[0] };
  cdn_custom_constraint_def def = cdn_default_custom_constraint_def();
  def.name = "custom nonlinear", def.ops = &ops, def.self = &self;
  def.bodies = &p->b, def.n_bodies = 1, def.mobilities = p->at, def.n_mobilities = 1;
  return cdn_system_constrain_custom(p->system, &def);
}

/* ---- the list ---- */

static const constraint_sample samples[] = {
  { "rod", add_rod, set_rod, 0 },
  { "ball", add_ball, set_ball, 0 },
  { "point in plane", add_plane, set_plane, 0 },
  { "point on line", add_line, set_line, 0 },
  { "angle", add_angle, set_angle, 0 },
  { "coordinate", add_coordinate, set_coordinate, 0 },
  { "speed", add_speed, set_speed, 0 },
  { "acceleration", add_acceleration, set_acceleration, 0 },
  { "motion", add_motion, NULL, 0 },
  { "coordinate coupler", add_coordinate_coupler, NULL, 0 },
  { "speed coupler", add_speed_coupler, NULL, 0 },
  { "polynomial", add_polynomial, set_polynomial, 0 },
  { "no slip", add_no_slip, set_no_slip, 0 },
  { "sphere sliding on plane", add_sliding_sphere, set_sphere, 0 },
  { "sphere rolling on plane", add_rolling_sphere, set_sphere, 0 },
  { "point sticking on plane", add_sticking_point, set_sphere, 0 },
  { "sphere sliding on sphere", add_sliding_spheres, set_spheres, 0 },
  { "sphere rolling on sphere", add_rolling_spheres, set_spheres, 0 },
  { "line sliding on line", add_sliding_lines, set_lines, 0 },
  { "line rolling on line", add_rolling_lines, set_lines, 0 },
  { "custom", add_follower, set_follower, 0 },
  { "custom nonlinear", add_pace, NULL, 0 },
#define JOINT(kind) \
  { #kind, NULL, set_joint, kind }
  JOINT(CDN_WELD),
  JOINT(CDN_PIN),
  JOINT(CDN_SLIDER),
  JOINT(CDN_BALL),
  JOINT(CDN_UNIVERSAL),
  JOINT(CDN_CYLINDER),
  JOINT(CDN_BEND_STRETCH),
  JOINT(CDN_PLANAR),
  JOINT(CDN_GIMBAL),
  JOINT(CDN_ELLIPSOID),
  JOINT(CDN_TRANSLATION),
  JOINT(CDN_LINE_ORIENTATION),
  JOINT(CDN_FREE_LINE),
  JOINT(CDN_SPHERICAL_COORDS),
  JOINT(CDN_SCREW),
  { "rotation", add_rotation, NULL, 0 },
  { "slip on line", add_slip_on_line, set_slip_on_line, 0 },
};

int constraint_sample_count(void) { return (int)(sizeof samples / sizeof *samples); }
const constraint_sample *constraint_sample_at(int i) { return &samples[i]; }

cdn_constraint constraint_sample_add(int i, const constraint_place *p, rng *r) {
  return samples[i].add ? samples[i].add(p, r) : add_joint(samples[i].joint, p, r);
}

constraint_place constraint_place_on(random_tree *tree, rng *r) {
  static const cdn_mobilizer kinds[3] = { CDN_PIN, CDN_SLIDER, CDN_CYLINDER };
  constraint_place p = { .system = tree->system };
  p.a.i = pick(r, tree->bodies + 1);
  do p.b.i = pick(r, tree->bodies + 1);
  while (p.b.i == p.a.i);
  p.c.i = pick(r, tree->bodies + 1);
  for (int i = 0; i < 3; i++) {
    cdn_body_def def = cdn_default_body_def();
    def.parent.i = pick(r, tree->bodies + 1), def.mobilizer = kinds[i];
    def.X_PF = frame(r), def.X_BM = frame(r);
    def.mass = (cdn_mass_properties){ 1, random_vec3(r, 0.3), { 0.1, 0.11, 0.12, 0, 0, 0 } };
    p.at[i] = (cdn_mobility){ cdn_system_add_body(tree->system, &def), i == 2 };
  }
  return p;
}
