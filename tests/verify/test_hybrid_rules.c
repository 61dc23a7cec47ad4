/* One impact by every rule: a ball that falls into a groove, a double rod that strikes a floor. Reference values are
 * solutions of the stated rules with 12 to 13 digits (../shared/hybrid/reference_values.json). */
#include "hybrid_scenes.h"

static cdn_impact_def rule(cdn_impact_law law, cdn_impact_propagation propagation) {
  cdn_impact_def impact = cdn_default_impact_def();
  impact.law = law, impact.propagation = propagation;
  return impact;
}

static double kinetic(cdn_state *state) {
  double energy;
  OK_ON(state, cdn_kinetic_energy(state, &energy));
  return energy;
}

/* ---- a ball of 1 kg and 0.1 m in a groove, which falls with 2 m/s and e = 0.5 ---- */

typedef struct groove {
  double angle[2], vx, omega, mu; /* walls rise outwards */
} groove;

static const groove grooves[] = { { { 0.6, 0.6 }, 0, 0, 0 }, { { 0.5, 0.9 }, 0, 0, 0 }, { { 0.5, 0.9 }, 0.3, 1, 0.2 } };

typedef struct strike {
  double u[3];       /* afterwards: vx, vy, omega */
  double N[2], T[2]; /* impulses of the walls; T along their slopes, towards the right */
  double loss;       /* J */
} strike;

typedef struct fallen {
  cdn_state *state;
  cdn_rigid_contact wall[2];
  double energy; /* before */
} fallen;

static fallen ball_in_groove(const groove *x, bool reversed, const cdn_impact_def *impact) {
  fallen f;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body ball = add_planar(system, "ball", 1, 0.4 * 0.01);
  for (int k = 0; k < 2; k++) {
    const int i = reversed ? 1 - k : k;
    const cdn_vec3 n = cdn_v3((i ? -1 : 1) * sin(x->angle[i]), cos(x->angle[i]), 0);
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    c.b = ball, c.radius = 0.1, c.mu_dynamic = x->mu, c.restitution = 0.5, c.X_AP = facing(n, cdn_scale(-0.1, n));
    f.wall[i] = cdn_system_add_rigid_contact(system, &c);
  }
  cdn_system_set_impact(system, impact);
  f.state = hybrid_state(system, NULL, (double[]){ x->omega, x->vx, -2 });
  f.energy = kinetic(f.state);
  OK_ON(f.state, cdn_settle(f.state, 0));
  return f;
}

static void check_ball(const fallen *f, const double u[3]) {
  NEAR(cdn_state_u(f->state)[1], u[0], 1e-14);
  NEAR(cdn_state_u(f->state)[2], u[1], 1e-14);
  NEAR(cdn_state_u(f->state)[0], u[2], 1e-13);
  NEAR(cdn_hybrid_get_totals(f->state).impact_energy, f->energy - kinetic(f->state), 1e-14);
}

static void check_strike(const fallen *f, const groove *x, const strike *y) {
  check_ball(f, y->u);
  NEAR(f->energy - kinetic(f->state), y->loss, 1e-14);
  for (int i = 0; i < 2; i++) {
    NEAR(cdn_one_sided_get_change(f->state, f->wall[i].normal).impulse[0], y->N[i], 1e-14);
    if (x->mu > 0) NEAR(cdn_dry_friction_get_change(f->state, f->wall[i].friction).impulse[0], y->T[i], 1e-14);
  }
}

/* Newton's law, and Poisson's. The compression of the last ends in rest, where both walls stick: its impulses are not
 * unique. Ours are the least ones, by enumeration; those of the reference are below. */
static const strike strikes[2][3] = { { { { 0, 1, 0 }, { 1.8174424717684752, 1.8174424717684752 }, { 0, 0 }, 1.5 },
                                        { { 0, 1, 0 }, { 2.384678444135318, 1.4595129229265213 }, { 0, 0 }, 1.5 },
                                        { { -0.14999999999999952, 1.0000000000000004, 1.9720316721267515 },
                                          { 2.4789699627539834, 2.284563628328633 },
                                          { 0.4957939925507967, -0.4569127256657266 },
                                          1.5279721821682573 } },
                                      { { { 0, 1, 0 }, { 1.8174424717684752, 1.8174424717684752 }, { 0, 0 }, 1.5 },
                                        { { 0, 1, 0 }, { 2.384678444135318, 1.4595129229265213 }, { 0, 0 }, 1.5 } } };
static const double least[3] = { -0.061648090158775495, 0.7211684736343549, 0.519670518141644 };

START_TEST(two_walls_are_one_set) {
  const groove *x = &grooves[_i % 3];
  const bool poisson = _i >= 3;
  const cdn_impact_def impact = rule(poisson ? CDN_IMPACT_POISSON : CDN_IMPACT_NEWTON, CDN_IMPACT_TOGETHER);
  const fallen f = ball_in_groove(x, false, &impact), other = ball_in_groove(x, true, &impact);
  if (poisson && x->mu > 0) check_ball(&f, least);
  else check_strike(&f, x, &strikes[poisson][_i % 3]);
  /* a symmetric drop stays symmetric, and the order of the walls does not matter */
  if (x->vx == 0 && x->angle[0] == x->angle[1]) ck_assert(cdn_state_u(f.state)[1] == 0);
  for (int k = 0; k < 3; k++) NEAR(cdn_state_u(other.state)[k], cdn_state_u(f.state)[k], 1e-13);
  cdn_state_destroy(f.state);
  cdn_state_destroy(other.state);
}
END_TEST

static cdn_status write_impulses(const void *self, const cdn_impact_set *set, double *impulses) {
  const strike *y = self;
  for (int i = 0; i < set->n; i++) {
    impulses[set->contacts[i].normal_row] = y->N[i];
    impulses[set->contacts[i].tangent_row] = y->T[i];
  }
  return CDN_OK;
}

/* Poisson's law with the largest of the impulses of its compression: two thirds of these. */
START_TEST(the_largest_impulses_are_poissons_too) {
  const groove *x = &grooves[2];
  const strike y = { { -0.11420619737620635, 0.9804457565056446, 0.5196705181416464 },
                     { 2.4756970851862024, 2.1638947743012142 },
                     { 0.4135657755859087, -0.43277895486024287 },
                     1.5593014166206192 };
  const cdn_impact_ops ops = {
    .struct_size = sizeof ops, .name = "as written", .self_size = sizeof y, .solve = write_impulses
  };
  cdn_impact_def impact = cdn_default_impact_def();
  impact.ops = &ops, impact.self = &y;
  const fallen f = ball_in_groove(x, false, &impact);
  check_strike(&f, x, &y);
  cdn_state_destroy(f.state);
  /* in the compression one wall is at its bound of friction, and both stick */
  const double compressed[2] = { y.N[0] / 1.5, y.N[1] / 1.5 };
  double rest[3] = { x->vx, -2, x->omega }, T[2];
  for (int i = 0; i < 2; i++) rest[0] += (i ? -1 : 1) * sin(x->angle[i]) * compressed[i];
  for (int i = 0; i < 2; i++) rest[1] += cos(x->angle[i]) * compressed[i];
  /* two tangents bring what is left to rest: t = (cos, -sin), (cos, sin) */
  const double c[2] = { cos(x->angle[0]), cos(x->angle[1]) }, s[2] = { sin(x->angle[0]), sin(x->angle[1]) };
  const double D = c[0] * s[1] + c[1] * s[0];
  T[0] = (-rest[0] * s[1] + rest[1] * c[1]) / D, T[1] = (-rest[0] * s[0] - rest[1] * c[0]) / D;
  NEAR(rest[2] + 0.1 * (T[0] + T[1]) / (0.4 * 0.01), 0, 1e-12);
  NEAR(fabs(T[1]), x->mu * compressed[1], 1e-13);
  ck_assert(fabs(T[0]) < x->mu * compressed[0]);
}
END_TEST

/* One wall after the other: the left first, the right first. */
static const double in_turn[3][2][3] = {
  { { 0.759896078120045, 0.9763362458414064, 0 }, { -0.759896078120045, 0.9763362458414064, 0 } },
  { { 0.32722042664903117, 1.0524127124428853, 0 }, { -0.4265029112017549, 1.052412712442885, 0 } },
  { { 0.29393754903613456, 0.9295627013350981, -9.108659886717062 },
    { -0.6094791873555419, 0.8309322798996375, 9.332384624928409 } },
};

START_TEST(a_ball_strikes_one_wall_after_the_other) {
  const cdn_impact_def impact = rule(CDN_IMPACT_NEWTON, CDN_IMPACT_PAIRWISE);
  const fallen f = ball_in_groove(&grooves[_i / 2], _i % 2, &impact);
  check_ball(&f, in_turn[_i / 2][_i % 2]);
  cdn_state_destroy(f.state);
}
END_TEST

/* ---- a double rod, on which Newton's law gains energy (Kane and Levinson) ---- */

static const double before = 0.5820843746528398, mu = 0.5, e = 0.7;

typedef struct struck {
  double omega[2], P, T, v[2]; /* of the tip: upwards, along the floor */
  double energy;               /* afterwards */
} struck;

static cdn_state *double_rod(const cdn_impact_def *impact) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.mobilizer = CDN_PIN;
  d.mass = (cdn_mass_properties){ 1, { 0, -0.5, 0 }, { 1. / 12, 1. / 12, 1. / 12, 0, 0, 0 } };
  d.parent = cdn_system_add_body(system, &d), d.X_PF.p = cdn_v3(0, -1, 0);
  const cdn_body lower = cdn_system_add_body(system, &d);
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.name = "tip", c.b = lower, c.p_B = cdn_v3(0, -1, 0), c.mu_dynamic = mu, c.restitution = e;
  c.X_AP = facing(cdn_v3(0, 1, 0), cdn_v3(0, -cos(0.5) - cos(0.6), 0));
  cdn_system_add_rigid_contact(system, &c);
  cdn_system_set_impact(system, impact);
  cdn_state *state = hybrid_state(system, (double[]){ 0.5, 0.1 }, (double[]){ -0.5, -0.5 });
  NEAR(kinetic(state), before, 1e-15);
  return state;
}

static void tip_velocity(cdn_state *state, double v[2]) {
  const cdn_system *system = cdn_state_system(state);
  double slip[2];
  OK_ON(state, cdn_calc_constraint_verr(state, cdn_system_find_constraint(system, "tip"), &v[0]));
  OK_ON(state, cdn_calc_constraint_verr(state, cdn_system_find_constraint(system, "tip slip"), slip));
  v[1] = slip[0];
}

static void check_struck(const cdn_impact_def *impact, const struck *y, double tolerance) {
  cdn_state *state = double_rod(impact);
  double v[2];
  tip_velocity(state, v);
  NEAR(v[0], -0.8043552426971369, 1e-15);
  NEAR(v[1], -1.2641268958548646, 1e-15);
  OK_ON(state, cdn_settle(state, 0));
  tip_velocity(state, v);
  NEAR(cdn_state_u(state)[0], y->omega[0], tolerance);
  NEAR(cdn_state_u(state)[0] + cdn_state_u(state)[1], y->omega[1], tolerance);
  NEAR(cdn_one_sided_get_change(state, (cdn_one_sided){ 0 }).impulse[0], y->P, tolerance);
  NEAR(cdn_dry_friction_get_change(state, (cdn_dry_friction){ 0 }).impulse[0], y->T, tolerance);
  for (int k = 0; k < 2; k++) NEAR(v[k], y->v[k], tolerance);
  NEAR(kinetic(state), y->energy, tolerance);
  NEAR(cdn_hybrid_get_totals(state).impact_energy, before - y->energy, tolerance);
  ck_assert(cdn_hybrid_get_totals(state).lowered == 0);
  cdn_state_destroy(state);
}

START_TEST(poisson_strikes_a_double_rod) {
  const struck y = { { -0.9635564629887933, 1.0245533259924455 },
                     0.6878921988407596,
                     0.0676302455819282,
                     { 0.11655274786952144, 0 },
                     0.30277078317858286 };
  const cdn_impact_def impact = rule(CDN_IMPACT_POISSON, CDN_IMPACT_TOGETHER);
  check_struck(&impact, &y, 1e-14);
}
END_TEST

START_TEST(stronge_strikes_a_double_rod) {
  const struck y = { { -1.0502246193625244, 1.358329898475172 },
                     0.8694207812885459,
                     0.026001751712624616,
                     { 0.263466249768176, 0.19941922998770115 },
                     0.3331121770543006 };
  const cdn_impact_def impact = rule(CDN_IMPACT_STRONGE, CDN_IMPACT_TOGETHER);
  check_struck(&impact, &y, 1e-11);
}
END_TEST

/* Routh's construction with Poisson's e, as a law of one's own: friction is followed along the normal impulse, slip to
 * the left, rest, slip to the right, until the impulse is 1 + e times that of the compression. */
static cdn_status follow_slip(const void *self, const cdn_impact_set *set, double *impulses) {
  const cdn_impact_contact *c = &set->contacts[0];
  const int n = c->normal_row, t = c->tangent_row, k = set->rows;
  const double NN = set->response[n * k + n], NT = set->response[n * k + t], TT = set->response[t * k + t];
  double vn = set->speeds[n], vt = set->speeds[t], P = 0, T = 0, ends = INFINITY;
  (void)self;
  for (int piece = 0; piece < 5 && P < ends; piece++) {
    /* at rest it sticks where friction can hold it; else it slips where its response sends it */
    const bool sticks = vt == 0 && fabs(NT) <= c->mu * TT;
    const double rate = sticks ? -NT / TT : (vt != 0 ? vt : NT) > 0 ? -c->mu : c->mu;
    double step = ends - P;
    if (ends == INFINITY && NN + rate * NT > 0) step = -vn / (NN + rate * NT);
    const double slip = NT + rate * TT, rests = vt * slip < 0 ? -vt / slip : INFINITY;
    const bool turns = ends == INFINITY && step < rests;
    step = fmin(step, rests);
    P += step, T += rate * step, vn += (NN + rate * NT) * step, vt = step == rests ? 0 : vt + slip * step;
    if (turns) ends = (1 + c->restitution) * P;
  }
  impulses[n] = P, impulses[t] = T;
  return CDN_OK;
}

START_TEST(routh_and_poisson_strike_a_double_rod) {
  const struck y = { { -0.9930172311396417, 1.1901842770972046 },
                     0.6878921988407596,
                     0.11676604293651782,
                     { 0.19595077313367074, 0.11084686648904123 },
                     0.3054940577631812 };
  const cdn_impact_ops ops = { .struct_size = sizeof ops, .name = "Routh", .solve = follow_slip };
  cdn_impact_def impact = cdn_default_impact_def();
  impact.ops = &ops;
  check_struck(&impact, &y, 1e-14);
}
END_TEST

/* What Newton's e leads to, by slip to the right all the time, or else: 40 % more energy. */
static const struck newton = { { -1.6586322186277438, 2.4054855570520197 },
                               3.676533237392218,
                               -1.838266618696109,
                               { 0.5630486698879966, 0.5297461897286305 },
                               0.8134923257290019 };

static cdn_status write_newton(const void *self, const cdn_impact_set *set, double *impulses) {
  const cdn_impact_contact *c = &set->contacts[0];
  const int row[2] = { c->normal_row, c->tangent_row };
  const double p[2] = { newton.P, newton.T };
  (void)self;
  double gained = 0;
  for (int i = 0; i < 2; i++) {
    double v = set->speeds[row[i]];
    for (int j = 0; j < 2; j++) v += set->response[row[i] * set->rows + row[j]] * p[j];
    NEAR(v, newton.v[i], 1e-14);
    gained += 0.5 * p[i] * (set->speeds[row[i]] + v);
    impulses[row[i]] = p[i];
  }
  NEAR(gained, 0.23140795107616208, 1e-14);
  NEAR(gained, newton.energy - before, 1e-14);
  return CDN_OK;
}

START_TEST(newton_would_gain_energy) {
  const cdn_impact_ops ops = { .struct_size = sizeof ops, .name = "Newton", .solve = write_newton };
  cdn_impact_def impact = cdn_default_impact_def();
  impact.ops = &ops;
  cdn_state *state = double_rod(&impact);
  ck_assert_int_eq(cdn_settle(state, 0), CDN_ERR_CONSTRAINT);
  ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), "it gains energy"));
  /* these impulses turn the rods as the reference says */
  OK_ON(state, cdn_state_set_u(state, (double[]){ newton.omega[0], newton.omega[1] - newton.omega[0] }));
  double v[2];
  tip_velocity(state, v);
  for (int k = 0; k < 2; k++) NEAR(v[k], newton.v[k], 1e-14);
  NEAR(kinetic(state), newton.energy, 1e-14);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(no_impact_gains_energy) {
  const cdn_impact_def impact = rule(CDN_IMPACT_NEWTON, CDN_IMPACT_TOGETHER);
  cdn_state *state = double_rod(&impact);
  OK_ON(state, cdn_settle(state, 0));
  NEAR(kinetic(state), before, 1e-13);
  ck_assert(kinetic(state) <= before + 1e-15);
  ck_assert(cdn_hybrid_get_totals(state).lowered == 1 && cdn_hybrid_get_totals(state).lowered_at == 0);
  cdn_state_destroy(state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, two_walls_are_one_set, 0, 6);
  tcase_add_test(c, the_largest_impulses_are_poissons_too);
  tcase_add_loop_test(c, a_ball_strikes_one_wall_after_the_other, 0, 6);
  tcase_add_test(c, poisson_strikes_a_double_rod);
  tcase_add_test(c, stronge_strikes_a_double_rod);
  tcase_add_test(c, routh_and_poisson_strike_a_double_rod);
  tcase_add_test(c, newton_would_gain_energy);
  tcase_add_test(c, no_impact_gains_energy);
}

CHECK_MAIN_OF("hybrid rules", 20, add)
