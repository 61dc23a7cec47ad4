/* NaN and infinity at every door: refused, named, and nothing changed. */
#include "../testing.h"

static const double BAD[] = { NAN, INFINITY, -INFINITY };
enum { N_BAD = 3 };

typedef struct scene {
  cdn_system *system;
  cdn_state *state;
  cdn_body pin, slider, ball, root;
  cdn_force gravity, spring, damper, push, stop, rust, cord, dashpot, thrust;
} scene;

typedef struct charge {
  cdn_zvar z;
  cdn_dvar gains;
} charge;
static cdn_status declare_charge(void *self, cdn_declarer *d) {
  charge *c = self;
  const double gains[2] = { 1, 2 };
  c->z = cdn_declare_z(d, 2, NULL);
  c->gains = cdn_declare_parameters(d, "gains", 2, gains);
  return CDN_OK;
}
static cdn_status charge_zdot(const void *self, cdn_state *state, double *zdot) {
  (void)self, (void)state;
  zdot[0] = zdot[1] = 0;
  return CDN_OK;
}
static cdn_subsystem charge_id;

static scene make_scene(void) {
  scene s;
  s.system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  def.mobilizer = CDN_FREE, def.name = "root";
  s.root = def.parent = cdn_system_add_body(s.system, &def);
  def.mobilizer = CDN_PIN, def.name = "pin";
  s.pin = cdn_system_add_body(s.system, &def);
  def.mobilizer = CDN_SLIDER, def.name = "slider";
  s.slider = cdn_system_add_body(s.system, &def);
  def.mobilizer = CDN_BALL, def.name = "ball", def.X_PF.p.x = 1;
  s.ball = cdn_system_add_body(s.system, &def);
  s.gravity = cdn_system_add_gravity(s.system, "gravity", cdn_v3(0, 0, -10));
  s.spring = cdn_system_add_mobility_spring(s.system, "spring", s.pin, 0, 3, 0.1);
  s.damper = cdn_system_add_mobility_damper(s.system, "damper", s.pin, 0, 0.2);
  s.push = cdn_system_add_mobility_force(s.system, "push", s.slider, 0, 0.5);
  s.stop = cdn_system_add_mobility_stop(s.system, "stop", s.slider, 0, -1, 1, 50, 0.1);
  s.rust = cdn_system_add_mobility_friction(s.system, "rust", s.pin, 0, 0.4, 30, 0.1);
  cdn_vec3 o = cdn_v3(0, 0, 0);
  s.cord = cdn_system_add_two_point_spring(s.system, "cord", s.pin, o, s.ball, o, 4, 0.5);
  s.dashpot = cdn_system_add_two_point_damper(s.system, "dashpot", s.pin, o, s.ball, o, 0.3);
  s.thrust = cdn_system_add_body_force(s.system, "thrust", s.root, o, cdn_v3(1, 2, 3), o);
  static const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                         .name = "charge",
                                         .self_size = sizeof(charge),
                                         .declare = declare_charge,
                                         .calc_zdot = charge_zdot };
  charge blank = { .z = { 0, { 0 } } };
  charge_id = cdn_system_add_subsystem(s.system, &ops, &blank);
  OK_FREEZE(s.system);
  OK(cdn_state_create(s.system, &s.state));
  OK_ON(s.state, cdn_realize(s.state, CDN_STAGE_REPORT));
  return s;
}

static void end_scene(scene *s) {
  cdn_state_destroy(s->state);
  cdn_system_release(s->system);
}

/* The call must be refused as not finite, and leave everything as realized as it was and every number as it was. */
#define REFUSED(scene, call)                                                                             \
  do {                                                                                                   \
    cdn_error refused_error_;                                                                            \
    double refused_before_[64], refused_after_[64];                                                      \
    int refused_n_ = snapshot((scene)->state, refused_before_);                                          \
    FAILS(call, CDN_ERR_NONFINITE);                                                                      \
    ck_assert_msg(cdn_state_stage((scene)->state) == CDN_STAGE_REPORT, "%s invalidated results", #call); \
    ck_assert_int_eq(snapshot((scene)->state, refused_after_), refused_n_);                              \
    ck_assert_msg(memcmp(refused_before_, refused_after_, (size_t)refused_n_ * sizeof(double)) == 0,     \
                  "%s changed something", #call);                                                        \
    cdn_state_last_error((scene)->state, &refused_error_);                                               \
    ck_assert_int_eq(refused_error_.code, CDN_ERR_NONFINITE);                                            \
    ck_assert_ptr_nonnull(refused_error_.function);                                                      \
    ck_assert_int_gt((int)strlen(refused_error_.text), 0);                                               \
  } while (0)

static int snapshot(cdn_state *state, double *x) {
  const cdn_system *system = cdn_state_system(state);
  int n = 0;
  x[n++] = cdn_state_time(state);
  for (int i = 0; i < cdn_system_nq(system); i++) x[n++] = cdn_state_q(state)[i];
  for (int i = 0; i < cdn_system_nu(system); i++) x[n++] = cdn_state_u(state)[i];
  for (int i = 0; i < cdn_system_nz(system); i++) x[n++] = cdn_state_z(state)[i];
  for (int i = 0; i < cdn_system_nu(system); i++) x[n++] = cdn_state_udot(state)[i];
  ck_assert_int_le(n, 64);
  return n;
}

START_TEST(test_variables) {
  scene s = make_scene();
  const charge *c = cdn_subsystem_self(s.system, charge_id);
  int nq = cdn_system_nq(s.system), nu = cdn_system_nu(s.system), nz = cdn_system_nz(s.system);
  for (int b = 0; b < N_BAD; b++) {
    REFUSED(&s, cdn_state_set_time(s.state, BAD[b]));
    for (int i = 0; i < nq; i++) { /* wherever among the numbers it hides */
      double q[32];
      memcpy(q, cdn_state_q(s.state), (size_t)nq * sizeof *q);
      q[i] = BAD[b];
      REFUSED(&s, cdn_state_set_q(s.state, q));
      REFUSED(&s, cdn_state_set_slots(s.state, CDN_POOL_Q, i, 1, &BAD[b]));
    }
    for (int i = 0; i < nu; i++) {
      double u[32] = { 0 };
      u[i] = BAD[b];
      REFUSED(&s, cdn_state_set_u(s.state, u));
      REFUSED(&s, cdn_state_set_applied_mobility_forces(s.state, u));
    }
    double z[2] = { 0, BAD[b] }, all_z[8] = { 0 }, y[64];
    ck_assert_int_le(nz, 8);
    all_z[nz - 1] = BAD[b];
    REFUSED(&s, cdn_state_set_z(s.state, all_z));
    REFUSED(&s, cdn_state_set_zvar(s.state, c->z, z));
    REFUSED(&s, cdn_state_set_parameters(s.state, c->gains, 1, 1, &BAD[b]));
    for (int i = 0; i < nq + nu + nz; i++) y[i] = i < nq ? cdn_state_q(s.state)[i] : 0;
    REFUSED(&s, cdn_state_set_ty(s.state, BAD[b], y));
    y[nq + nu + nz - 1] = BAD[b];
    REFUSED(&s, cdn_state_set_ty(s.state, 1, y));
    double q4[4] = { 1, 0, BAD[b], 0 }, u3[3] = { 0, 0, BAD[b] };
    REFUSED(&s, cdn_body_set_q(s.state, s.ball, 4, q4));
    REFUSED(&s, cdn_body_set_u(s.state, s.ball, 3, u3));
  }
  end_scene(&s);
}
END_TEST

START_TEST(test_parameters_of_bodies) {
  scene s = make_scene();
  for (int b = 0; b < N_BAD; b++) {
    cdn_mass_properties good = cdn_body_mass_properties(s.state, s.pin), m = good;
    m.mass = BAD[b];
    REFUSED(&s, cdn_body_set_mass_properties(s.state, s.pin, m));
    m = good, m.com.y = BAD[b];
    REFUSED(&s, cdn_body_set_mass_properties(s.state, s.pin, m));
    m = good, m.inertia.yz = BAD[b];
    REFUSED(&s, cdn_body_set_mass_properties(s.state, s.pin, m));
    cdn_transform X = cdn_transform_identity();
    X.p.z = BAD[b];
    REFUSED(&s, cdn_body_set_X_PF(s.state, s.pin, X));
    REFUSED(&s, cdn_body_set_X_BM(s.state, s.pin, X));
    X = cdn_transform_identity(), X.R.y.x = BAD[b];
    REFUSED(&s, cdn_body_set_X_PF(s.state, s.pin, X));
    REFUSED(&s, cdn_body_set_X_BM(s.state, s.pin, X));
    REFUSED(&s, cdn_body_set_armature(s.state, s.pin, BAD[b]));
  }
  end_scene(&s);
}
END_TEST

START_TEST(test_parameters_of_forces) {
  scene s = make_scene();
  cdn_vec3 o = cdn_v3(0, 0, 0);
  for (int b = 0; b < N_BAD; b++) {
    cdn_vec3 v = cdn_v3(0, BAD[b], 0);
    REFUSED(&s, cdn_gravity_set(s.state, s.gravity, v));
    REFUSED(&s, cdn_mobility_spring_set(s.state, s.spring, BAD[b], 0));
    REFUSED(&s, cdn_mobility_spring_set(s.state, s.spring, 1, BAD[b]));
    REFUSED(&s, cdn_mobility_damper_set(s.state, s.damper, BAD[b]));
    REFUSED(&s, cdn_mobility_force_set(s.state, s.push, BAD[b]));
    REFUSED(&s, cdn_mobility_stop_set(s.state, s.stop, -1, 1, BAD[b], 0));
    REFUSED(&s, cdn_mobility_stop_set(s.state, s.stop, -1, 1, 1, BAD[b]));
    REFUSED(&s, cdn_mobility_friction_set(s.state, s.rust, BAD[b], 1, 1));
    REFUSED(&s, cdn_mobility_friction_set(s.state, s.rust, 1, BAD[b], 1));
    REFUSED(&s, cdn_mobility_friction_set(s.state, s.rust, 1, 1, BAD[b]));
    REFUSED(&s, cdn_two_point_spring_set(s.state, s.cord, BAD[b], 0));
    REFUSED(&s, cdn_two_point_spring_set(s.state, s.cord, 1, BAD[b]));
    REFUSED(&s, cdn_two_point_damper_set(s.state, s.dashpot, BAD[b]));
    REFUSED(&s, cdn_body_force_set(s.state, s.thrust, v, o));
    REFUSED(&s, cdn_body_force_set(s.state, s.thrust, o, v));
    REFUSED(&s, cdn_state_set_applied_body_force(s.state, s.root, (cdn_spatial){ v, o }));
    REFUSED(&s, cdn_state_set_applied_body_force(s.state, s.root, (cdn_spatial){ o, v }));
  }
  REFUSED(&s, cdn_mobility_stop_set(s.state, s.stop, NAN, 1, 1, 0));
  REFUSED(&s, cdn_mobility_stop_set(s.state, s.stop, -1, NAN, 1, 0));
  OK_ON(s.state, cdn_mobility_stop_set(s.state, s.stop, -INFINITY, INFINITY, 1, 0)); /* no bound is a bound */
  end_scene(&s);
}
END_TEST

START_TEST(test_values_that_no_one_can_have) {
  /* finite, but wrong: an argument error, again without effect */
  scene s = make_scene();
  cdn_stage before = cdn_state_stage(s.state);
  double zero4[4] = { 0, 0, 0, 0 }, one = 1;
  cdn_mass_properties m = { .mass = -1 };
  FAILS(cdn_body_set_q(s.state, s.ball, 3, zero4), CDN_ERR_ARG); /* not its count */
  FAILS(cdn_body_set_u(s.state, s.pin, 2, zero4), CDN_ERR_ARG);
  FAILS(cdn_body_set_q(s.state, (cdn_body){ 99 }, 1, &one), CDN_ERR_ARG);
  FAILS(cdn_body_set_q(s.state, (cdn_body){ -1 }, 1, &one), CDN_ERR_ARG);
  FAILS(cdn_state_set_slots(s.state, CDN_POOL_U, 5, 100, zero4), CDN_ERR_ARG);
  FAILS(cdn_state_set_slots(s.state, CDN_POOL_U, -1, 1, zero4), CDN_ERR_ARG);
  FAILS(cdn_body_set_mass_properties(s.state, s.pin, m), CDN_ERR_ARG);
  m = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = 1, .yy = 1, .zz = 3 } };
  FAILS(cdn_body_set_mass_properties(s.state, s.pin, m), CDN_ERR_ARG);
  FAILS(cdn_body_set_armature(s.state, s.pin, -0.1), CDN_ERR_ARG);
  FAILS(cdn_mobility_damper_set(s.state, s.damper, -1), CDN_ERR_ARG);
  FAILS(cdn_mobility_stop_set(s.state, s.stop, 1, -1, 1, 0), CDN_ERR_ARG);
  FAILS(cdn_mobility_stop_set(s.state, s.stop, -1, 1, 0, 0), CDN_ERR_ARG);
  FAILS(cdn_mobility_stop_set(s.state, s.stop, -1, 1, 1, -1), CDN_ERR_ARG);
  FAILS(cdn_mobility_friction_set(s.state, s.rust, -1, 1, 1), CDN_ERR_ARG);
  FAILS(cdn_gravity_set(s.state, s.spring, cdn_v3(0, 0, 0)), CDN_ERR_ARG); /* another kind of element */
  FAILS(cdn_gravity_set(s.state, (cdn_force){ 99 }, cdn_v3(0, 0, 0)), CDN_ERR_ARG);
  FAILS(cdn_force_set_enabled(s.state, (cdn_force){ -1 }, false), CDN_ERR_ARG);
  FAILS(cdn_state_set_applied_body_force(s.state, (cdn_body){ 99 }, (cdn_spatial){ { 0, 0, 0 }, { 0, 0, 0 } }),
        CDN_ERR_ARG);
  cdn_transform X, skewed = cdn_transform_identity();
  FAILS(cdn_body_pose(s.state, (cdn_body){ 99 }, &X), CDN_ERR_ARG);
  skewed.R.x = cdn_v3(1, 1, 0); /* no rotation either */
  FAILS(cdn_body_set_X_PF(s.state, s.pin, skewed), CDN_ERR_ARG);
  ck_assert_int_eq(cdn_state_stage(s.state), before);
  end_scene(&s);
}
END_TEST

START_TEST(test_zero_quaternion) {
  /* four zeros are no rotation: refused where the body is known, found at the pose where only numbers are set */
  scene s = make_scene();
  double zero[4] = { 0, 0, 0, 0 }, good[4] = { 0, 2, 0, 0 };
  cdn_error error;
  cdn_transform X;
  FAILS(cdn_body_set_q(s.state, s.ball, 4, zero), CDN_ERR_ARG);
  ck_assert_int_eq(cdn_state_stage(s.state), CDN_STAGE_REPORT);
  OK(cdn_state_set_slots(s.state, CDN_POOL_Q, cdn_body_first_q(s.system, s.ball), 4, zero));
  FAILS(cdn_body_pose(s.state, s.ball, &X), CDN_ERR_ARG);
  FAILS(cdn_realize(s.state, CDN_STAGE_ACCELERATION), CDN_ERR_ARG);
  cdn_state_last_error(s.state, &error);
  ck_assert_msg(strstr(error.element, "ball") || strstr(error.text, "ball"), "[%s] %s", error.element, error.text);
  OK(cdn_body_set_q(s.state, s.ball, 4, good));
  OK_ON(s.state, cdn_realize(s.state, CDN_STAGE_ACCELERATION));
  end_scene(&s);
}
END_TEST

START_TEST(test_operators) {
  scene s = make_scene();
  double in[32] = { 0 }, out[32];
  cdn_spatial F[8] = { { { 0, 0, 0 }, { 0, 0, 0 } } }, V[8];
  in[3] = NAN;
  FAILS(cdn_multiply_by_N(s.state, in, out), CDN_ERR_NONFINITE);
  FAILS(cdn_multiply_by_N_inv(s.state, in, out), CDN_ERR_NONFINITE);
  FAILS(cdn_multiply_by_M(s.state, in, out), CDN_ERR_NONFINITE);
  FAILS(cdn_multiply_by_M_inv(s.state, in, out), CDN_ERR_NONFINITE);
  FAILS(cdn_multiply_by_J(s.state, in, V), CDN_ERR_NONFINITE);
  FAILS(cdn_inverse_dynamics(s.state, in, NULL, NULL, out), CDN_ERR_NONFINITE);
  FAILS(cdn_inverse_dynamics(s.state, NULL, NULL, in, out), CDN_ERR_NONFINITE);
  FAILS(cdn_forward_dynamics(s.state, NULL, in, out, NULL), CDN_ERR_NONFINITE);
  FAILS(cdn_residual(s.state, in, out), CDN_ERR_NONFINITE);
  F[2].v.y = INFINITY;
  FAILS(cdn_multiply_by_J_transpose(s.state, F, out), CDN_ERR_NONFINITE);
  FAILS(cdn_inverse_dynamics(s.state, NULL, F, NULL, out), CDN_ERR_NONFINITE);
  FAILS(cdn_forward_dynamics(s.state, F, NULL, out, NULL), CDN_ERR_NONFINITE);
  end_scene(&s);
}
END_TEST

START_TEST(test_stepper) {
  scene s = make_scene();
  cdn_stepper *stepper = NULL;
  for (int b = 0; b < N_BAD; b++) {
    cdn_stepper_def def = cdn_default_stepper_def();
    def.accuracy = BAD[b];
    ck_assert_int_ne(cdn_stepper_create(s.state, &def, &stepper), CDN_OK);
    def = cdn_default_stepper_def();
    def.fixed_step = BAD[b];
    ck_assert_int_ne(cdn_stepper_create(s.state, &def, &stepper), CDN_OK);
    double weights[32];
    for (int i = 0; i < 32; i++) weights[i] = 1;
    weights[4] = BAD[b];
    def = cdn_default_stepper_def();
    def.u_weights = weights;
    ck_assert_int_ne(cdn_stepper_create(s.state, &def, &stepper), CDN_OK);
  }
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = -1;
  ck_assert_int_ne(cdn_stepper_create(s.state, &def, &stepper), CDN_OK);
  OK_ON(s.state, cdn_stepper_create(s.state, NULL, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.01, NULL));
  ck_assert_int_ne(cdn_stepper_advance(stepper, NAN, NULL), CDN_OK);
  ck_assert_int_ne(cdn_stepper_advance(stepper, 0.005, NULL), CDN_OK); /* time goes one way */
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.02, NULL));          /* and goes on after that */
  cdn_stepper_destroy(stepper);
  end_scene(&s);
}
END_TEST

/* A custom force that goes bad: what it returns is refused with its name, and the run ends with a report. */
static cdn_status bad_force(const void *self, cdn_state *state, cdn_forces *forces) {
  double t = cdn_state_time(state);
  cdn_forces_add_mobility(forces, *(const cdn_body *)self, 0, t > 0.1 ? NAN : 1);
  return CDN_OK;
}

START_TEST(test_force_that_returns_nan) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_body_def def = cdn_default_body_def();
  def.mass.mass = 1, def.mobilizer = CDN_SLIDER;
  cdn_body body = cdn_system_add_body(system, &def);
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = bad_force };
  ops.subsystem.struct_size = sizeof ops.subsystem, ops.subsystem.self_size = sizeof body,
  ops.subsystem.name = "gone bad";
  cdn_system_add_custom_force(system, &ops, &body);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_stepper_create(state, NULL, &stepper));
  cdn_status status = cdn_stepper_advance(stepper, 1, NULL);
  ck_assert_int_ne(status, CDN_OK);
  cdn_failure failure;
  cdn_stepper_failure(stepper, &failure);
  ck_assert_int_ne(failure.error.code, CDN_OK);
  ck_assert_msg(strstr(failure.error.text, "gone bad") || strstr(failure.error.element, "gone bad"), "[%s] %s",
                failure.error.element, failure.error.text);
  NEAR(failure.time, 0.1, 1e-6); /* it got as far as it could */
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("NaN inputs", test_variables, test_parameters_of_bodies, test_parameters_of_forces,
           test_values_that_no_one_can_have, test_zero_quaternion, test_operators, test_stepper,
           test_force_that_returns_nan)
