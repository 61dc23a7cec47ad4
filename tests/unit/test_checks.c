/* Checks of elements find mistakes that are planted one by one: in mobilizers, forces and constraints that are
 * otherwise right. Each is named by its function, its place and its size. */
#include "../testing.h"

/* The mistake that is planted now; 0: none. */
static int mistake;

/* The check found something, and the first of it is this function of this element. */
static void found(cdn_status status, cdn_check *check, const char *element, const char *what) {
  ck_assert_msg(status == CDN_OK, "mistake %d: %s", mistake, cdn_last_error_text());
  const cdn_check_entry e = cdn_check_get(check, 0);
  if (!what) {
    ck_assert_msg(cdn_check_count(check) == 0, "mistake %d: %s", mistake, cdn_check_text(check));
    ck_assert(strstr(cdn_check_text(check), "nothing wrong"));
  } else {
    bool named = false;
    for (int i = 0; i < cdn_check_count(check); i++) named = named || !strcmp(cdn_check_get(check, i).what, what);
    ck_assert_msg(named, "mistake %d: '%s' was not found: %s", mistake, what, cdn_check_text(check));
    ck_assert_str_eq(e.element, element);
    ck_assert(strstr(e.text, element) && e.poses > 0 && e.error > 0);
    ck_assert(strstr(cdn_check_text(check), e.text));
  }
  cdn_check_destroy(check);
}

static cdn_state *freeze(cdn_system *system) {
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

/* ---- a mobilizer: a pin that advances by q^2 / 2 along its axis, with qdot = N u, N = 2 + sin q
 * --------------------------- */

enum { WRONG_H = 1, WRONG_W, WRONG_BIAS, WRONG_N_INV, WRONG_NDOT, NAN_BEYOND, WRONG_FIT, MOBILIZER_MISTAKES };

static double N_of(double q) { return 2 + sin(q); }

static cdn_status across(const void *self, const double *params, const double *q, cdn_transform *X_FM,
                         cdn_spatial *H_FM) {
  (void)self, (void)params;
  X_FM->R = cdn_rotation_axis_angle(cdn_v3(0, 0, 1), *q);
  X_FM->p = cdn_v3(0, 0, *q * *q / 2);
  H_FM->w = cdn_v3(0, 0, mistake == WRONG_W ? -N_of(*q) : N_of(*q));
  H_FM->v = cdn_v3(0, mistake == WRONG_H ? 0.001 : 0, *q * N_of(*q));
  if (mistake == NAN_BEYOND && *q > 0.7) H_FM->v.z = sqrt(0.7 - *q);
  return CDN_OK;
}
static cdn_status Hdot_u(const void *self, const double *params, const double *q, const double *u, cdn_spatial *A) {
  (void)self, (void)params;
  const double qdot = N_of(*q) * *u;
  A->w = cdn_v3(0, 0, cos(*q) * qdot * *u);
  A->v = cdn_v3(0, 0, (N_of(*q) + *q * cos(*q) * (mistake == WRONG_BIAS ? -1 : 1)) * qdot * *u);
  return CDN_OK;
}
static void N(const void *self, const double *q, const double *u, double *qdot) {
  (void)self;
  *qdot = N_of(*q) * *u;
}
static void N_inv(const void *self, const double *q, const double *qdot, double *u) {
  (void)self;
  *u = *qdot / N_of(mistake == WRONG_N_INV ? -*q : *q);
}
static void Ndot_u(const void *self, const double *q, const double *u, double *qdotdot) {
  (void)self;
  *qdotdot = cos(*q) * N_of(*q) * *u * (mistake == WRONG_NDOT ? 1 : *u);
}
static cdn_status fit(const void *self, const double *params, const cdn_rotation *R, const cdn_vec3 *p, double *q) {
  (void)self, (void)params, (void)p;
  if (R) *q = atan2(R->x.y, R->x.x) * (mistake == WRONG_FIT ? 1.01 : 1);
  return CDN_OK;
}

START_TEST(test_mistakes_of_a_mobilizer) {
  static const char *const what[] = { NULL, "H", "H", "Hdot u", "N_inv", "Ndot u", "evaluation", "fit" };
  for (mistake = 0; mistake < MOBILIZER_MISTAKES; mistake++) {
    const cdn_custom_mobilizer_ops ops = { .struct_size = sizeof ops,
                                           .name = "spiral",
                                           .nq = 1,
                                           .nu = 1,
                                           .across = across,
                                           .Hdot_u = Hdot_u,
                                           .N = N,
                                           .N_inv = N_inv,
                                           .Ndot_u = Ndot_u,
                                           .fit = fit };
    cdn_system *system = cdn_system_create(NULL);
    cdn_body_def def = cdn_default_body_def();
    def.name = "arm", def.mobilizer = CDN_PIN, def.mass = (cdn_mass_properties){ 1, { 1, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
    def.X_PF.p = cdn_v3(0.3, 0.2, 0);
    def.parent = cdn_system_add_body(system, &def);
    def.name = "nut", def.mobilizer = CDN_CUSTOM_MOBILIZER, def.custom = &ops;
    def.X_PF.R = cdn_rotation_axis_angle(cdn_v3(1, 2, 3), 0.7), def.X_BM.p = cdn_v3(0.1, 0.5, -0.2);
    const cdn_body nut = cdn_system_add_body(system, &def);
    cdn_state *state = freeze(system);
    cdn_check *check = NULL;
    const cdn_status status = cdn_check_mobilizer(state, nut, NULL, &check);
    if (mistake == WRONG_W) { /* where, and by how much */
      const cdn_check_entry e = cdn_check_get(check, 0);
      ck_assert(e.row == 2 && e.column == 0 && strstr(e.text, "w_z") && strstr(e.text, "nut.u"));
      NEAR(e.found, -e.expected, 1e-6);
      NEAR(e.error, 2, 1e-5);
    }
    found(status, check, "nut", what[mistake]);
    ck_assert_double_eq(*cdn_body_q(state, nut), 0); /* the State is as it was */
    cdn_state_destroy(state);
  }
}
END_TEST

/* ---- a constraint: the body's origin is at a distance from Ground's that grows with time, and does not slide along x
 * ---------- */

enum {
  WRONG_ROW = 1,
  WRONG_SECOND_ROW,
  WRONG_RATE,
  NO_TIME,
  WRONG_CONSTRAINT_BIAS,
  NO_SECOND_BIAS,
  NAN_ROW,
  CONSTRAINT_MISTAKES
};
enum { GROWTH = 3 };

static cdn_status calc_position(const void *self, const cdn_constraint_input *in, double *perr) {
  (void)self;
  *perr = cdn_dot(in->X_GB[0].p, in->X_GB[0].p) - GROWTH * in->t;
  return CDN_OK;
}
/* The second is that the velocity along the body's own x is zero. */
static cdn_status calc_rows(const void *self, const cdn_constraint_input *in, cdn_rows *rows) {
  const cdn_body body = *(const cdn_body *)self;
  cdn_vec3 f = cdn_scale(2, in->X_GB[0].p);
  if (mistake == WRONG_ROW) f.y *= 1.001;
  if (mistake == NAN_ROW && in->X_GB[0].p.x > 0.5) f.x = NAN;
  cdn_rows_add_point(rows, 0, body, cdn_v3(0, 0, 0), f);
  cdn_rows_add_point(rows, 1, body, cdn_v3(0, mistake == WRONG_SECOND_ROW ? 0.1 : 0, 0), in->X_GB[0].R.x);
  return CDN_OK;
}
static cdn_status calc_velocity(const void *self, const cdn_constraint_input *in, double *verr) {
  (void)self;
  verr[0] =
      2 * cdn_dot(in->X_GB[0].p, in->V_GB[0].v) * (mistake == WRONG_RATE ? 0.5 : 1) - (mistake == NO_TIME ? 0 : GROWTH);
  verr[1] = cdn_dot(in->X_GB[0].R.x, in->V_GB[0].v);
  return CDN_OK;
}
static cdn_status calc_bias(const void *self, const cdn_constraint_input *in, double *bias) {
  (void)self;
  const cdn_spatial V = in->V_GB[0];
  bias[0] = (mistake == WRONG_CONSTRAINT_BIAS ? 1 : 2) * cdn_dot(V.v, V.v);
  bias[1] = mistake == NO_SECOND_BIAS ? 0 : cdn_dot(cdn_cross(V.w, in->X_GB[0].R.x), V.v);
  return CDN_OK;
}

START_TEST(test_mistakes_of_a_constraint) {
  static const char *const what[] = { NULL,   "rows", "rows of velocities", "velocity errors", "velocity errors",
                                      "bias", "bias", "evaluation" };
  for (mistake = 0; mistake < CONSTRAINT_MISTAKES; mistake++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_body_def def = cdn_default_body_def();
    def.name = "kite", def.mobilizer = CDN_FREE,
    def.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
    def.X_BM.p = cdn_v3(0.1, -0.2, 0.3);
    cdn_body kite = cdn_system_add_body(system, &def);
    const cdn_constraint_ops ops = { .struct_size = sizeof ops,
                                     .name = "string",
                                     .self_size = sizeof kite,
                                     .np = 1,
                                     .nv = 1,
                                     .rheonomic = true,
                                     .absolute = true,
                                     .calc_position = calc_position,
                                     .calc_rows = calc_rows,
                                     .calc_velocity = calc_velocity,
                                     .calc_bias = calc_bias };
    cdn_custom_constraint_def string = cdn_default_custom_constraint_def();
    string.name = "leash", string.ops = &ops, string.self = &kite, string.bodies = &kite, string.n_bodies = 1;
    const cdn_constraint id = cdn_system_constrain_custom(system, &string);
    cdn_state *state = freeze(system);
    cdn_check *check = NULL;
    const cdn_status status = cdn_check_constraint(state, id, NULL, &check);
    found(status, check, "leash", what[mistake]);
    cdn_state_destroy(state);
  }
}
END_TEST

/* ---- a force: a spring k with the rest length of a measure, and of z, along a slider; and a damper
 * ------------------------ */

enum {
  WRONG_SIGN = 1,
  WRONG_FACTOR,
  WRONG_PLACE,
  WRONG_BY_Q,
  WRONG_BY_Z,
  READS_U,
  READS_MEASURE,
  NAN_FORCE,
  WRONG_BODY,
  FORCE_MISTAKES
};

typedef struct spring {
  cdn_body cart, arm;
  cdn_measure rest;
  cdn_zvar z;
} spring;

static double rest_of(const spring *s, cdn_state *state) {
  const double *rest = mistake == READS_MEASURE ? cdn_measure_value(state, s->rest) : NULL;
  return 0.1 + (rest ? *rest : 0);
}

static cdn_status declare_spring(void *self, cdn_declarer *d) {
  spring *s = self;
  s->z = cdn_declare_z(d, 1, (const double[]){ 0.2 });
  return CDN_OK;
}
static cdn_status no_rate(const void *self, cdn_state *state, double *zdot) {
  (void)self, (void)state;
  *zdot = 0;
  return CDN_OK;
}
static cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const spring *s = self;
  const double q = *cdn_body_q(state, s->cart);
  double f = -20 * (q - rest_of(s, state));
  if (mistake == WRONG_SIGN) f = -f;
  if (mistake == WRONG_FACTOR) f *= 1.01;
  if (mistake == READS_U) f -= *cdn_body_u(state, s->cart);
  if (mistake == NAN_FORCE && q > 0.5) f = NAN;
  cdn_forces_add_mobility(forces, mistake == WRONG_PLACE ? s->arm : s->cart, 0, f);
  if (mistake == WRONG_BODY) cdn_forces_add_torque(forces, (cdn_body){ 9 }, cdn_v3(1, 0, 0));
  return CDN_OK;
}
static cdn_status calc_potential(const void *self, cdn_state *state, double *energy) {
  const spring *s = self;
  const double x = *cdn_body_q(state, s->cart) - rest_of(s, state);
  *energy = 10 * x * x;
  return CDN_OK;
}
static cdn_status calc_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d) {
  const spring *s = self;
  (void)state;
  cdn_force_derivatives_add_mobility(d, s->cart, 0, s->cart, 0, mistake == WRONG_BY_Q ? -10 : -20, 0);
  return CDN_OK;
}

/* The pull of z, without a potential. */
static cdn_status calc_pull(const void *self, cdn_state *state, cdn_forces *forces) {
  const spring *s = self;
  cdn_forces_add_mobility(forces, s->cart, 0, 3 * cdn_state_zvar(state, s->z)[0]);
  return CDN_OK;
}
static cdn_status calc_pull_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d) {
  const spring *s = self;
  (void)state;
  cdn_forces *by_z = cdn_force_derivatives_wrt_z(d, s->z, 0);
  if (by_z) cdn_forces_add_mobility(by_z, s->cart, 0, mistake == WRONG_BY_Z ? 2 : 3);
  return CDN_OK;
}

static cdn_status check_spring(bool audit, bool pull, cdn_check **check) {
  cdn_system_def options = cdn_default_system_def();
  options.audit = audit;
  cdn_system *system = cdn_system_create(&options);
  cdn_body_def def = cdn_default_body_def();
  spring s = { .z = { -1, { 0 } } };
  def.name = "cart", def.mobilizer = CDN_SLIDER,
  def.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  s.cart = cdn_system_add_body(system, &def);
  def.name = "arm", def.mobilizer = CDN_PIN, def.parent = s.cart;
  s.arm = cdn_system_add_body(system, &def);
  s.rest = cdn_system_add_variable_measure(system, "rest", 1, (const double[]){ 0.3 });
  cdn_system_add_mobility_damper(system, "damper", s.cart, 0, 2);
  const cdn_force_ops spring_ops = { .struct_size = sizeof spring_ops,
                                     .subsystem = { .name = "spring", .self_size = sizeof s },
                                     .calc_force = calc_force,
                                     .calc_potential = calc_potential,
                                     .calc_derivative = calc_derivative };
  const cdn_force_ops pull_ops = {
    .struct_size = sizeof pull_ops,
    .subsystem = { .name = "pull", .self_size = sizeof s, .declare = declare_spring, .calc_zdot = no_rate },
    .reads = CDN_READS_EVERYTHING,
    .calc_force = calc_pull,
    .calc_derivative = calc_pull_derivative
  };
  const cdn_force first = cdn_system_add_custom_force(system, &spring_ops, &s);
  const cdn_force second = cdn_system_add_custom_force(system, &pull_ops, &s);
  cdn_state *state = freeze(system);
  const cdn_status status = cdn_check_force(state, pull ? second : first, NULL, check);
  cdn_state_destroy(state);
  return status;
}

START_TEST(test_mistakes_of_a_force) {
  static const char *const what[] = { NULL,
                                      "potential",
                                      "potential",
                                      "potential",
                                      "derivatives by q",
                                      "derivatives by z",
                                      "declared reads",
                                      "declared reads",
                                      "evaluation",
                                      "evaluation" };
  for (mistake = 0; mistake < FORCE_MISTAKES; mistake++)
    for (int audit = 0; audit < 2; audit++) {
      cdn_check *check = NULL;
      const bool pull = mistake == WRONG_BY_Z;
      const cdn_status status = check_spring(audit, pull, &check);
      found(status, check, pull ? "pull" : "spring", what[mistake]);
    }
  mistake = 0;
  cdn_check *check = NULL;
  const cdn_status status = check_spring(true, true, &check);
  found(status, check, "pull", NULL);
}
END_TEST

/* ---- arguments --------------------------------------------------------------------------------- */

/* ---- a force that is right, without derivatives of its own: a damped strut between points of a chain of pins
 * ---------------- */

typedef struct strut {
  cdn_body a, b;
  double stiffness, damping;
} strut;

static cdn_status push_strut(const void *self, cdn_state *state, cdn_forces *forces) {
  const strut *s = self;
  const cdn_vec3 on_a = { 0.1, 0.2, 0 }, on_b = { -0.1, 0.15, 0.05 };
  cdn_vec3 a, b, va, vb;
  CDN_TRY(cdn_body_station(state, s->a, on_a, &a, &va));
  CDN_TRY(cdn_body_station(state, s->b, on_b, &b, &vb));
  const cdn_vec3 across = cdn_sub(b, a), along = cdn_scale(1 / cdn_norm(across), across);
  const double pull = s->stiffness * (cdn_norm(across) - 0.4) + s->damping * cdn_dot(along, cdn_sub(vb, va));
  cdn_forces_add_point(forces, s->a, on_a, cdn_scale(pull, along));
  cdn_forces_add_point(forces, s->b, on_b, cdn_scale(-pull, along));
  return CDN_OK;
}

START_TEST(test_a_right_force_without_derivatives) {
  mistake = 0;
  for (int run = 0; run < 40; run++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_body_def def = cdn_default_body_def();
    cdn_body links[4];
    def.mobilizer = CDN_PIN, def.X_PF.p = cdn_v3(0, 0.5, 0);
    def.mass = (cdn_mass_properties){ 1, { 0, 0.2, 0 }, { 0.1, 0.1, 0.1, 0, 0, 0 } };
    for (int i = 0; i < 4; i++) def.parent = links[i] = cdn_system_add_body(system, &def);
    const strut s = { links[1], links[3], 1000 * (1 + run * 37 % 100), run * 13 % 50 };
    const cdn_force_ops ops = { .struct_size = sizeof ops,
                                .subsystem = { .name = "strut", .self_size = sizeof s },
                                .reads = CDN_READS_VELOCITY,
                                .calc_force = push_strut };
    const cdn_force id = cdn_system_add_custom_force(system, &ops, &s);
    cdn_state *state = freeze(system);
    cdn_check_def how = cdn_default_check_def();
    cdn_check *check = NULL;
    how.seed = (unsigned)run + 1;
    const cdn_status status = cdn_check_force(state, id, &how, &check);
    found(status, check, "strut", NULL);
    cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(test_arguments) {
  mistake = 0;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_SLIDER, body.mass.mass = 1;
  const cdn_body cart = cdn_system_add_body(system, &body);
  cdn_state *state = freeze(system);
  cdn_check *check = (cdn_check *)&mistake;
  FAILS(cdn_check_mobilizer(state, (cdn_body){ 0 }, NULL, &check), CDN_ERR_ARG);
  ck_assert(!check && strstr(cdn_last_error_text(), "no body 0"));
  FAILS(cdn_check_mobilizer(state, cart, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_check_mobilizer(NULL, cart, NULL, &check), CDN_ERR_ARG);
  FAILS(cdn_check_force(state, (cdn_force){ 0 }, NULL, &check), CDN_ERR_ARG);
  FAILS(cdn_check_constraint(state, (cdn_constraint){ 0 }, NULL, &check), CDN_ERR_ARG);
  cdn_check_def def = cdn_default_check_def();
  def.speed = 0;
  FAILS(cdn_check_mobilizer(state, cart, &def, &check), CDN_ERR_ARG);
  ck_assert(strstr(cdn_last_error_text(), "speed"));
  ck_assert_int_eq(cdn_check_count(NULL), 0);
  ck_assert_str_eq(cdn_check_text(NULL), "");
  ck_assert_int_eq(cdn_check_get(NULL, 0).poses, 0);
  cdn_check_destroy(NULL);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("checks", test_mistakes_of_a_mobilizer, test_mistakes_of_a_constraint, test_mistakes_of_a_force,
           test_a_right_force_without_derivatives, test_arguments)
