/* Painleve's rod: a rod whose tip slides on a floor, with much friction. Where pressing does not lift the tip there are
 * no accelerations, and friction jams, or several. Reference values are those of the Darboux-Keller equations with 16
 * digits (../shared/hybrid/reference_values.json). */
#include "hybrid_scenes.h"

static const double g = 9.81, l = 1, m = 1, MU = 1.5;

/* Tip T = C - l (cos, sin), at rest along the normal but for `normal`, with a speed of slip along x. */
typedef struct rod {
  cdn_state *state;
  cdn_rigid_contact tip;
} rod;

static rod add_rod(double angle, double omega, double slip, double normal, double mu, double e,
                   const cdn_impact_def *impact) {
  rod x;
  const double c = cos(angle), s = sin(angle);
  cdn_system *system = cdn_system_create(NULL);
  cdn_rigid_contact_def tip = cdn_default_rigid_contact_def();
  tip.name = "tip", tip.b = add_planar(system, "rod", m, m * l * l / 3), tip.p_B = cdn_v3(-l, 0, 0);
  tip.mu_dynamic = mu, tip.restitution = e, tip.capture_speed = 1e-30;
  tip.X_AP = facing(cdn_v3(0, 1, 0), cdn_v3(0, 0, 0));
  x.tip = cdn_system_add_rigid_contact(system, &tip);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  cdn_system_set_impact(system, impact);
  /* the tip's velocity is v - l w (-s, c) */
  x.state = hybrid_state(system, (double[]){ angle, l * c, l * s },
                         (double[]){ omega, slip - l * omega * s, normal + l * omega * c });
  return x;
}

static cdn_impact_def law_of(cdn_impact_law law) {
  cdn_impact_def impact = cdn_default_impact_def();
  impact.law = law;
  return impact;
}

static void tip_velocity(const rod *x, double v[2]) {
  const cdn_system *system = cdn_state_system(x->state);
  double slip[2];
  OK_ON(x->state, cdn_calc_constraint_verr(x->state, cdn_system_find_constraint(system, "tip"), &v[1]));
  OK_ON(x->state, cdn_calc_constraint_verr(x->state, cdn_system_find_constraint(system, "tip slip"), slip));
  v[0] = slip[0];
}

/* ---- the response of the tip, which decides ---- */

typedef struct response {
  double NN, NT, TT;
} response;

static cdn_status see_response(const void *self, const cdn_impact_set *set, double *impulses) {
  const cdn_impact_contact *c = &set->contacts[0];
  const int n = c->normal_row, t = c->tangent_row, k = set->rows;
  response *seen = *(response *const *)self;
  *seen = (response){ set->response[n * k + n], set->response[n * k + t], set->response[t * k + t] };
  impulses[n] = -2 * set->speeds[n] / seen->NN; /* it parts as fast */
  return CDN_OK;
}

static response response_at(double angle) {
  response seen = { 0, 0, 0 }, *to = &seen;
  const cdn_impact_ops ops = {
    .struct_size = sizeof ops, .name = "look", .self_size = sizeof to, .solve = see_response
  };
  cdn_impact_def impact = cdn_default_impact_def();
  impact.ops = &ops, impact.self = &to;
  rod x = add_rod(angle, 0, 0, -1, MU, 0, &impact);
  OK_ON(x.state, cdn_settle(x.state, 0));
  cdn_state_destroy(x.state);
  return seen;
}

/* What a push lifts a tip that slips along -x. */
static double lift_of(double angle, double mu) {
  const response W = response_at(angle);
  return W.NN + mu * W.NT;
}

START_TEST(pressing_does_not_lift_between_two_angles) {
  NEAR(lift_of(0.8838626263729983, MU), 0, 1e-14);
  NEAR(lift_of(1.274936303969466, MU), 0, 1e-14);
  ck_assert(lift_of(1.1, MU) < 0 && lift_of(0.88, MU) > 0 && lift_of(1.28, MU) > 0);
  /* the least friction that makes it so, at tan = 2, for which the lift is zero and smallest */
  const double most = 1.333333333333333, at = atan(2);
  NEAR(lift_of(at, most), 0, 3e-15);
  NEAR((lift_of(at + 1e-4, most) - lift_of(at - 1e-4, most)) / 2e-4, 0, 1e-7);
  ck_assert(lift_of(at + 1e-2, most) > 1e-5 && lift_of(at - 1e-2, most) > 1e-5);
}
END_TEST

/* Until the slip stops, and from then on, sticking, until the tip no longer approaches. */
START_TEST(the_response_says_what_a_jam_does) {
  const response W = response_at(1.1);
  const double p = W.NN + MU * W.NT, stops = 1 / (W.NT + MU * W.TT), there = stops * p;
  NEAR(p, -0.2018685844770965, 1e-14);
  NEAR(-W.NT / W.TT, 0.3585083156932635, 1e-14); /* < mu: it sticks */
  NEAR(stops, 0.2589745756380606, 1e-14);
  NEAR(there, -0.05227883099961205, 1e-14);
  NEAR(stops - there / (W.NN - W.NT * W.NT / W.TT), 0.3031861514323463, 1e-14);
  NEAR(response_at(1.1).NN - MU * response_at(1.1).NT, 3.436365232711059, 1e-14);
  NEAR(lift_of(0.3, MU), 2.467557857225688, 1e-14);
}
END_TEST

/* ---- impacts without collision ---- */

typedef struct jam {
  double e, omega, normal, N, T, taken;
} jam;

/* Poisson's law, and Stronge's */
static const jam jams[2][2] = {
  { { 0, 0.6684055200460765, 0, 0.3031861514323463, 0.4043120810292454, 0.2021560405146227 },
    { 0.5, 0.6074237769845962, 0.1792541578466317, 0.4547792271485195, 0.458659459275012, 0.188569195953181 } },
  { { 0, 0.6684055200460765, 0, 0.3031861514323463, 0.4043120810292454, 0.2021560405146227 },
    { 0.5, 0.6451185410827859, 0.06845143469658559, 0.3610747027914643, 0.4250656080749257, 0.2001747633181034 } },
};

static void check_jam(const rod *x, const jam *y, double omega, double tolerance) {
  double v[2];
  const cdn_hybrid_change normal = cdn_one_sided_get_change(x->state, x->tip.normal);
  const cdn_hybrid_change friction = cdn_dry_friction_get_change(x->state, x->tip.friction);
  tip_velocity(x, v);
  NEAR(cdn_state_u(x->state)[0], omega + y->omega, tolerance);
  NEAR(v[0], 0, tolerance);
  NEAR(v[1], y->normal, tolerance);
  NEAR(normal.impulse[0], y->N, tolerance);
  NEAR(friction.impulse[0], y->T, tolerance);
  NEAR(normal.energy + friction.energy, y->taken, tolerance);
  NEAR(cdn_hybrid_get_totals(x->state).impact_energy, y->taken, tolerance);
}

START_TEST(a_rod_jams_without_collision) {
  const bool stronge = _i >= 2;
  const cdn_impact_def impact = law_of(stronge ? CDN_IMPACT_STRONGE : CDN_IMPACT_POISSON);
  const jam *y = &jams[stronge][_i % 2];
  rod x = add_rod(1.1, 0, -1, 0, MU, y->e, &impact);
  OK_ON(x.state, cdn_settle(x.state, 0));
  ck_assert(cdn_hybrid_get_totals(x.state).jams == 1);
  check_jam(&x, y, 0, stronge ? 1e-11 : 1e-14);
  cdn_state_destroy(x.state);
}
END_TEST

/* With a spin of 4 rad/s there may be an impact, too: any approach, however slow, brings it about. */
START_TEST(a_rod_of_several_solutions_may_jam) {
  const bool stronge = _i >= 2;
  const double approach = 1e-12;
  const cdn_impact_def impact = law_of(stronge ? CDN_IMPACT_STRONGE : CDN_IMPACT_POISSON);
  const jam *y = &jams[stronge][_i % 2];
  rod x = add_rod(1.1, 4, -1, -approach, MU, y->e, &impact);
  OK_ON(x.state, cdn_settle(x.state, 1e-13));
  check_jam(&x, y, 4, stronge ? 2e-11 : 1e-11);
  cdn_state_destroy(x.state);
}
END_TEST

/* ---- accelerations, where they are ---- */

typedef struct sliding {
  double angle, omega, slip;
  double N, lift; /* its push, or its acceleration upwards */
} sliding;

static const sliding slidings[] = { { 1.1, 0, 1, 2.854760578595592, 0 },
                                    { 0.3, 0, -1, 3.975590672078315, 0 },
                                    { 0.3, 7, -1, 0, 4.670490126405639 } };

static void check_push(const rod *x, double angle, double omega, double N, double lift) {
  double push;
  OK_ON(x->state, cdn_one_sided_push(x->state, x->tip.normal, &push));
  NEAR(push, N, 1e-14 * fmax(1, 10 * N));
  const double *udot = cdn_state_udot(x->state);
  NEAR(udot[2] - l * cos(angle) * udot[0] + l * sin(angle) * omega * omega, lift, 1e-13);
}

START_TEST(a_rod_slides_or_leaves_the_floor) {
  const sliding *y = &slidings[_i];
  const cdn_impact_def impact = law_of(CDN_IMPACT_POISSON);
  rod x = add_rod(y->angle, y->omega, y->slip, 0, MU, 0, &impact);
  OK_ON(x.state, cdn_settle(x.state, 0));
  check_push(&x, y->angle, y->omega, y->N, y->lift);
  ck_assert(cdn_hybrid_get_totals(x.state).several == 0 && cdn_hybrid_get_totals(x.state).jams == 0);
  cdn_state_destroy(x.state);
}
END_TEST

/* With a spin of 4 rad/s the rod may go on sliding, with N = 22.04 N, or lift off: what it did before decides. */
START_TEST(a_rod_of_several_solutions_goes_on) {
  const double angle = 1.1, w = 4;
  const bool slid = _i == 1;
  const cdn_impact_def impact = law_of(CDN_IMPACT_POISSON);
  rod x = add_rod(angle, slid ? 0 : w, -1, 0, slid ? 0.1 : MU, 0, &impact);
  if (slid) {
    OK_ON(x.state, cdn_settle(x.state, 0)); /* without much friction and without a spin it slides */
    ck_assert(cdn_one_sided_is_on(x.state, x.tip.normal) && cdn_hybrid_get_totals(x.state).several == 0);
    OK_ON(x.state,
          cdn_element_set_parameters(x.state, CDN_ELEMENT_DRY_FRICTION, x.tip.friction.i, 2, 1, &(double){ MU }));
    OK_ON(x.state, cdn_state_set_u(x.state, (double[]){ w, -1 - w * l * sin(angle), w * l * cos(angle) }));
  }
  OK_ON(x.state, cdn_settle(x.state, 0));
  const cdn_hybrid_totals totals = cdn_hybrid_get_totals(x.state);
  check_push(&x, angle, w, slid ? 22.04066458636002 : 0, slid ? 0 : 4.449317760982965);
  ck_assert(totals.several == 1 && totals.several_at == x.tip.normal.i && totals.jams == 0);
  cdn_state_destroy(x.state);
}
END_TEST

/* ---- a slip that turns until it jams ---- */

/* The same rod in space, with its tip on the plane z = 0. It spins about the vertical, and its tip slips along y. */
static cdn_state *turning_rod(double angle, double spin, double slip, double mu, cdn_rigid_contact *tip) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  body.name = "rod", body.mobilizer = CDN_FREE;
  body.mass = (cdn_mass_properties){ .mass = m, .inertia = { 1e-3, m * l * l / 3, m * l * l / 3, 0, 0, 0 } };
  cdn_rigid_contact_def def = cdn_default_rigid_contact_def();
  def.name = "tip", def.b = cdn_system_add_body(system, &body), def.p_B = cdn_v3(-l, 0, 0), def.mu_dynamic = mu;
  *tip = cdn_system_add_rigid_contact(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  /* the tip's velocity is v - spin l cos(angle) y */
  return hybrid_state(system, (double[]){ cos(angle / 2), 0, -sin(angle / 2), 0, l * cos(angle), 0, l * sin(angle) },
                      (double[]){ 0, 0, spin, 0, slip + spin * l * cos(angle), 0 });
}

/* What a push of one lifts the tip, times m: 1 + 3 cos^2 a - 3 mu sin a cos a cos(b), where b is the angle between the
 * slip and the direction away from the rod. */
static double lift_now(cdn_state *state, double mu, double *fall, double *speed) {
  cdn_vec3 tip, v, centre;
  const cdn_body body = { 1 };
  OK_ON(state, cdn_realize(state, CDN_STAGE_VELOCITY));
  OK_ON(state, cdn_body_station(state, body, cdn_v3(-l, 0, 0), &tip, &v));
  OK_ON(state, cdn_body_station(state, body, cdn_v3(0, 0, 0), &centre, NULL));
  const cdn_vec3 along = cdn_sub(centre, tip);
  const double c = hypot(along.x, along.y), s = along.z;
  *fall = v.z, *speed = hypot(v.x, v.y);
  return 1 + 3 * c * c + 3 * mu * s * (along.x * v.x + along.y * v.y) / *speed;
}

static cdn_stepper *run_to_jam(cdn_state *state) {
  cdn_stepper *run = event_run(state, 1e-9);
  while (cdn_hybrid_get_totals(cdn_stepper_state(run)).jams == 0) {
    cdn_return_reason reason;
    OK_ON(cdn_stepper_state(run), cdn_stepper_advance(run, 1, &reason));
    ck_assert(reason == CDN_HANDLED_EVENT);
  }
  return run;
}

/* Pushes grow as the inverse of the lift, which falls as they turn the slip: it goes as the root of the time that is
 * left. */
START_TEST(a_slip_turns_until_it_jams) {
  static const double starts[][3] = { { 1.1, -3, 1.6 }, { 0.9, -3, 2.5 }, { 1.2, -6, 1.6 } };
  const double *y = starts[_i];
  cdn_rigid_contact tip;
  double fall, speed, later, push[2], lift[2];
  cdn_state *first = turning_rod(y[0], y[1], 5, y[2], &tip), *again = turning_rod(y[0], y[1], 5, y[2], &tip);
  cdn_stepper *run = run_to_jam(first), *before = event_run(again, 1e-9);
  cdn_state *now = cdn_stepper_state(run);
  const double t = cdn_state_time(now);
  ck_assert(cdn_hybrid_get_totals(now).impact_energy > 0);
  lift_now(now, y[2], &fall, &later);
  NEAR(fall, 0, 1e-12); /* behind it the tip does not approach */
  now = cdn_stepper_state(before);
  for (int k = 0; k < 2; k++) {
    cdn_return_reason reason = CDN_HANDLED_EVENT;
    while (reason == CDN_HANDLED_EVENT) OK_ON(now, cdn_stepper_advance(before, t - (k == 0 ? 4e-6 : 1e-6), &reason));
    OK_ON(now, cdn_one_sided_push(now, tip.normal, &push[k]));
    lift[k] = lift_now(now, y[2], &fall, &speed);
  }
  ck_assert(later < 0.5 * speed); /* impulses took most of the slip */
  ck_assert(lift[1] > 0 && lift[1] < 0.1);
  NEAR(lift[0] / lift[1], 2, 0.1);
  NEAR(push[1] / push[0], 2, 0.1);
  end_event_run(before, again);
  end_event_run(run, first);
}
END_TEST

static void add(TCase *c) {
  tcase_add_test(c, pressing_does_not_lift_between_two_angles);
  tcase_add_test(c, the_response_says_what_a_jam_does);
  tcase_add_loop_test(c, a_rod_jams_without_collision, 0, 4);
  tcase_add_loop_test(c, a_rod_of_several_solutions_may_jam, 0, 4);
  tcase_add_loop_test(c, a_rod_slides_or_leaves_the_floor, 0, 3);
  tcase_add_loop_test(c, a_rod_of_several_solutions_goes_on, 0, 2);
  tcase_add_loop_test(c, a_slip_turns_until_it_jams, 0, 3);
}

CHECK_MAIN_OF("hybrid painleve", 20, add)
