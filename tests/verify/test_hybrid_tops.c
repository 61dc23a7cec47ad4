/* Round bodies that roll and slip on a floor: Euler's disc, the tippe top. Reference values are closed forms
 * (../shared/hybrid/reference_values.json). */
#include "hybrid_scenes.h"

static const double g = 9.81;

static double energy_of(cdn_state *state) {
  double kinetic, potential;
  OK_ON(state, cdn_kinetic_energy(state, &kinetic));
  OK_ON(state, cdn_potential_energy(state, &potential));
  return kinetic + potential;
}

/* ---- the rim of a thin disc on the floor z = 0: constraints of one's own ---- */

/* The disc's axis n, and the horizontal distance s of n from the vertical; the lowest point of the rim from the centre,
 * r = -R (z - n_z n) / s, and its rate if the disc turns with w. */
typedef struct rim {
  cdn_vec3 n, r, r_rate;
  double s, s_rate;
} rim;

static rim lowest(double R, const cdn_transform *X, cdn_vec3 w) {
  rim a = { .n = X->R.z };
  const cdn_vec3 z = cdn_v3(0, 0, 1), rate = cdn_cross(w, a.n), d = cdn_sub(z, cdn_scale(a.n.z, a.n));
  const cdn_vec3 d_rate = cdn_scale(-1, cdn_add(cdn_scale(rate.z, a.n), cdn_scale(a.n.z, rate)));
  a.s = sqrt(1 - a.n.z * a.n.z), a.s_rate = -a.n.z * rate.z / a.s;
  a.r = cdn_scale(-R / a.s, d);
  a.r_rate = cdn_scale(-R / a.s, cdn_sub(d_rate, cdn_scale(a.s_rate / a.s, d)));
  return a;
}

static cdn_vec3 in_body(const cdn_transform *X, cdn_vec3 v) {
  return cdn_v3(cdn_dot(X->R.x, v), cdn_dot(X->R.y, v), cdn_dot(X->R.z, v));
}

static cdn_status calc_gap(const void *self, const cdn_constraint_input *in, double *perr) {
  const cdn_transform *X = &in->X_GB[0];
  (void)self;
  *perr = X->p.z - in->params[0] * sqrt(1 - X->R.z.z * X->R.z.z);
  return CDN_OK;
}

static cdn_status calc_gap_row(const void *self, const cdn_constraint_input *in, cdn_rows *rows) {
  const cdn_transform *X = &in->X_GB[0];
  (void)self;
  cdn_rows_add_point(rows, 0, (cdn_body){ 1 }, in_body(X, lowest(in->params[0], X, cdn_v3(0, 0, 0)).r),
                     cdn_v3(0, 0, 1));
  return CDN_OK;
}

/* -R s'' for zero accelerations */
static cdn_status calc_gap_bias(const void *self, const cdn_constraint_input *in, double *bias) {
  const cdn_vec3 w = in->V_GB[0].w;
  const rim a = lowest(in->params[0], &in->X_GB[0], w);
  const cdn_vec3 rate = cdn_cross(w, a.n), second = cdn_cross(w, rate);
  (void)self;
  *bias = in->params[0] * (rate.z * rate.z + a.n.z * second.z + a.s_rate * a.s_rate) / a.s;
  return CDN_OK;
}

static cdn_status calc_slip_rows(const void *self, const cdn_constraint_input *in, cdn_rows *rows) {
  const cdn_transform *X = &in->X_GB[0];
  const cdn_vec3 at = in_body(X, lowest(in->params[0], X, cdn_v3(0, 0, 0)).r);
  (void)self;
  cdn_rows_add_point(rows, 0, (cdn_body){ 1 }, at, cdn_v3(1, 0, 0));
  cdn_rows_add_point(rows, 1, (cdn_body){ 1 }, at, cdn_v3(0, 1, 0));
  return CDN_OK;
}

static cdn_status calc_slip_bias(const void *self, const cdn_constraint_input *in, double *bias) {
  const cdn_vec3 w = in->V_GB[0].w, v = cdn_cross(w, lowest(in->params[0], &in->X_GB[0], w).r_rate);
  (void)self;
  bias[0] = v.x, bias[1] = v.y;
  return CDN_OK;
}

static cdn_constraint constrain_rim(cdn_system *system, const char *name, const cdn_constraint_ops *ops, cdn_body disc,
                                    const double *R) {
  cdn_custom_constraint_def d = cdn_default_custom_constraint_def();
  d.name = name, d.ops = ops, d.bodies = &disc, d.n_bodies = 1, d.params = R, d.n_params = 1;
  return cdn_system_constrain_custom(system, &d);
}

/* A thin disc of 1 kg whose axis is z of its frame, on the floor. */
static cdn_state *disc_on_floor(double R, double mu, const double *q, const double *u, cdn_dry_friction *friction) {
  const cdn_constraint_ops gap = { .struct_size = sizeof gap,
                                   .name = "rim",
                                   .np = 1,
                                   .absolute = true,
                                   .calc_position = calc_gap,
                                   .calc_rows = calc_gap_row,
                                   .calc_bias = calc_gap_bias };
  const cdn_constraint_ops slip = { .struct_size = sizeof slip,
                                    .name = "slip of a rim",
                                    .nv = 2,
                                    .absolute = true,
                                    .calc_rows = calc_slip_rows,
                                    .calc_bias = calc_slip_bias };
  const double J = R * R / 4;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.name = "disc", d.mobilizer = CDN_FREE;
  d.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { J, J, 2 * J, 0, 0, 0 } };
  const cdn_body disc = cdn_system_add_body(system, &d);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  cdn_one_sided_def side = cdn_default_one_sided_def();
  side.constraint = constrain_rim(system, "rim", &gap, disc, &R);
  cdn_dry_friction_def f = cdn_default_dry_friction_def();
  f.name = "rim", f.normal = cdn_system_make_one_sided(system, &side);
  f.slip = constrain_rim(system, "rim slip", &slip, disc, &R);
  f.mu_dynamic = mu;
  *friction = cdn_system_add_dry_friction(system, &f);
  return hybrid_state(system, q, u);
}

/* ---- Euler's disc: its centre is at rest, its plane goes round ---- */

START_TEST(the_centre_of_a_disc_stays_at_rest) {
  const double R = 0.1, tilt = 0.2, turning = 44.442561790547446625, accuracy = 1e-9, laps = 5;
  const double energy = 0.29234192026493257855, end = laps * 2 * PI / turning;
  cdn_dry_friction friction;
  NEAR(-turning * cos(tilt), -43.556669444559760142, 1e-14); /* as seen from its own plane */
  /* tilted about x: the lowest point is at -y; w = turning (z - cos(tilt) n), which is along y' */
  const double q[] = { cos(tilt / 2), sin(tilt / 2), 0, 0, 0, 0, R * sin(tilt) };
  const double u[] = { 0, turning * sin(tilt) * cos(tilt), turning * sin(tilt) * sin(tilt), 0, 0, 0 };
  cdn_state *state = disc_on_floor(R, 0.5, q, u, &friction);
  NEAR(energy_of(state), energy, 1e-14);
  cdn_stepper *run = event_run(state, accuracy);
  cdn_state *now = cdn_stepper_state(run);
  ck_assert(!run_to_event(run, "l", end)); /* it sticks: no event but that of the start, "statuses" */
  ck_assert_int_eq(cdn_dry_friction_get_status(now, friction), CDN_FRICTION_STICK);
  /* where it was, turned on about its axis by -(cos tilt) times the angle of its plane, which is laps full turns */
  for (int i = 0; i < 3; i++) NEAR(cdn_state_q(now)[4 + i], q[4 + i], 10 * accuracy);
  for (int i = 0; i < 3; i++) NEAR(cdn_state_u(now)[i], u[i], 100 * accuracy);
  cdn_transform X;
  OK_ON(now, cdn_body_pose(now, (cdn_body){ 1 }, &X));
  NEAR(X.R.z.x, 0, 10 * accuracy);
  NEAR(X.R.z.y, -sin(tilt), 10 * accuracy);
  const double about = -cos(tilt) * laps * 2 * PI;
  NEAR(X.R.x.x, cos(about), 100 * accuracy);
  NEAR(X.R.x.y, sin(about) * cos(tilt), 100 * accuracy);
  NEAR(energy_of(now), energy, accuracy);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* ---- the tippe top: Jellett's number stays, whatever friction does ---- */

/* Its number is -L . r, L about the centre of mass, r from there to the floor. */
static double jelletts_number(double I1, double I3, double a, double R, cdn_vec3 axis, cdn_vec3 omega) {
  const cdn_vec3 L = cdn_add(cdn_scale(I1, omega), cdn_scale((I3 - I1) * cdn_dot(omega, axis), axis));
  return -cdn_dot(L, cdn_sub(cdn_scale(a, axis), cdn_v3(0, 0, R)));
}

/* On a rough floor its slip comes to rest at once; on a smooth one it slips, and rises. */
START_TEST(a_tippe_top_keeps_jelletts_number) {
  const double R = 0.015, a = 0.003, m = 6e-3, I1 = 8e-7, I3 = 7e-7, tilt = 0.1, spin = 180;
  const double J = 1.5025578723754687e-6, mu = _i == 0 ? 0.3 : 0.01;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.name = "top", d.mobilizer = CDN_FREE, d.mass = (cdn_mass_properties){ m, { 0, 0, 0 }, { I1, I1, I3, 0, 0, 0 } };
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.b = cdn_system_add_body(system, &d), c.p_B = cdn_v3(0, 0, a), c.radius = R, c.mu_dynamic = mu;
  const cdn_rigid_contact contact = cdn_system_add_rigid_contact(system, &c);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  const double q[] = { cos(tilt / 2), sin(tilt / 2), 0, 0, 0, 0, R - a * cos(tilt) };
  const double u[] = { 0, -spin * sin(tilt), spin * cos(tilt), 0, 0, 0 };
  cdn_state *state = hybrid_state(system, q, u);
  cdn_stepper *run = event_run(state, 1e-8);
  cdn_state *now = cdn_stepper_state(run);
  cdn_transform X;
  double before = energy_of(state);
  /* upside down, its spin about e3 would be this: along the floor's normal it is positive still */
  const double inverted = -119.250624791703865;
  NEAR(jelletts_number(I1, I3, a, R, cdn_v3(0, 0, -1), cdn_v3(0, 0, -inverted)) / J, 1, 1e-15);
  for (int k = 1; k <= 8; k++) {
    run_to_event(run, "nothing", 0.5 * k);
    OK_ON(now, cdn_body_pose(now, (cdn_body){ 1 }, &X));
    const double *w = cdn_state_u(now), energy = energy_of(now);
    const double number = jelletts_number(I1, I3, a, R, X.R.z, cdn_v3(w[0], w[1], w[2]));
    NEAR(number / J, 1, 1e-11); /* of rounding: no friction has a moment along r */
    NEAR(X.p.z, R - a * X.R.z.z, 1e-9);
    ck_assert(energy <= before + 1e-12);
    before = energy;
  }
  ck_assert_int_eq(cdn_dry_friction_get_status(now, contact.friction),
                   _i == 0 ? CDN_FRICTION_STICK : CDN_FRICTION_SLIP);
  if (_i == 1) ck_assert(X.R.z.z < cos(tilt));
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_test(c, the_centre_of_a_disc_stays_at_rest);
  tcase_add_loop_test(c, a_tippe_top_keeps_jelletts_number, 0, 2);
}

CHECK_MAIN_OF("hybrid tops", 60, add)
