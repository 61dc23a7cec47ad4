/* Assembly: guesses anywhere, never a worse State, optimal where it ends, locks and bounds kept, tracking. */
#include "mechanisms.h"

#include <lapacke.h>
#undef I /* of complex.h */

static cdn_assembly *assembly_of(const cdn_state *state, const cdn_assembly_def *def) {
  cdn_assembly *a = NULL;
  OK(cdn_assembly_create(cdn_state_system(state), def, &a));
  return a;
}

/* The largest position error; units are 1. */
static double error_of(cdn_state *state) {
  const double *e = cdn_state_qerr(state);
  double most = 0;
  ck_assert_ptr_nonnull(e);
  for (int i = 0; i < cdn_system_nqerr(cdn_state_system(state)); i++) most = fmax(most, fabs(e[i]));
  return most;
}

/* ---- guesses anywhere ---- */

static cdn_system *barely_four_bar(void) { return four_bar_of(4, 1, 2, 3.001); }
static cdn_system *offset_slider(void) { return slider_crank(0.5); }
static cdn_system *planar_ring(void) { return ring(100, 1, false); }
static cdn_system *ball_ring(void) { return ring(100, 1, true); }
static cdn_system *short_ring(void) { return ring(4, 2, false); }
static cdn_system *bodies_in_a_row(void) { return free_chain(10, 5); }

START_TEST(test_any_guess) {
  static const struct {
    const char *name;
    make_mechanism *make;
    double size;
    int guesses;
  } all[] = { { "four-bar", four_bar, 1, 2000 },          { "four-bar that barely closes", barely_four_bar, 1, 2000 },
              { "slider-crank", offset_slider, 1, 1000 }, { "six-bar", six_bar, 1, 2000 },
              { "Theo Jansen", theo_jansen, 1, 2000 },    { "Stewart platform", stewart, 2, 500 },
              { "ring of 4", short_ring, 1, 1000 },       { "ring of 100 pins", planar_ring, 1, 20 },
              { "ring of 100 balls", ball_ring, 1, 20 },  { "10 free bodies", bodies_in_a_row, 5, 100 } };
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    cdn_state *state = mechanism_state(all[i].make());
    cdn_assembly *a = assembly_of(state, NULL);
    rng r = rng_of(50 + i);
    int assembled = 0;
    for (int k = 0; k < FEWER(all[i].guesses); k++) {
      cdn_assembly_report report;
      scatter(state, &r, all[i].size);
      const cdn_status status = cdn_assemble(a, state, &report);
      ck_assert_msg(status == CDN_OK || status == CDN_ERR_CONSTRAINT, "%s: %s", all[i].name, cdn_status_name(status));
      if (status != CDN_OK) continue;
      assembled++;
      AT_MOST(error_of(state), 1e-10);
      ck_assert(report.error == error_of(state));
    }
    /* all of them on the machines that this ran on; another's rounding may lose one in a thousand */
    ck_assert_msg(assembled >= 0.999 * FEWER(all[i].guesses), "%s: %d of %d", all[i].name, assembled, all[i].guesses);
    cdn_assembly_destroy(a), cdn_state_destroy(state);
  }
}
END_TEST

/* Joints that turn by 0.5 rad at most, of a chain whose ends are to meet: a ring of 20 needs 0.31 from each. */
START_TEST(test_guesses_within_bounds) {
  cdn_state *state = mechanism_state(ring(20, 1, false));
  cdn_assembly *a = assembly_of(state, NULL);
  rng r = rng_of(63);
  enum { GUESSES = FEWER(300) };
  int assembled = 0;
  double q[20];
  for (int k = 1; k < 20; k++) OK(cdn_assembly_set_bounds(a, (cdn_body){ k + 1 }, 0, -0.5, 0.5));
  for (int i = 0; i < GUESSES; i++) {
    random_numbers(&r, 0.7, q, 20);
    OK_ON(state, cdn_state_set_q(state, q));
    const cdn_status status = cdn_assemble(a, state, NULL);
    ck_assert(status == CDN_OK || status == CDN_ERR_CONSTRAINT);
    for (int k = 1; k < 20; k++) AT_MOST(fabs(cdn_state_q(state)[k]), 0.5);
    ck_assert((error_of(state) <= 1e-10) == (status == CDN_OK));
    assembled += status == CDN_OK;
  }
  /* all of them, where this was written */
  ck_assert_msg(assembled >= GUESSES * 98 / 100, "%d of %d", assembled, GUESSES);
  cdn_assembly_destroy(a), cdn_state_destroy(state);
}
END_TEST

/* With the crank locked there are places to be stuck at, where a loop that is turned over keeps another from closing.
 * Other starts get round them; without these, failures are honest. */
START_TEST(test_restarts) {
  static make_mechanism *const makers[] = { six_bar, theo_jansen };
  for (int i = 0; i < 4; i++) {
    cdn_state *state = mechanism_state(makers[i / 2]());
    cdn_assembly_def def = cdn_default_assembly_def();
    def.restarts = i % 2 ? 30 : 0;
    cdn_assembly *a = assembly_of(state, &def);
    rng r = rng_of(60);
    int stuck = 0;
    enum { GUESSES = FEWER(500) };
    OK(cdn_assembly_lock(a, body_named(state, "crank"), true));
    for (int k = 0; k < GUESSES; k++) {
      cdn_assembly_report report;
      scatter(state, &r, 1);
      const double crank = *cdn_body_q(state, body_named(state, "crank"));
      const cdn_status status = cdn_assemble(a, state, &report);
      ck_assert(status == CDN_OK || status == CDN_ERR_CONSTRAINT);
      ck_assert((error_of(state) <= def.tolerance) == (status == CDN_OK));
      ck_assert(*cdn_body_q(state, body_named(state, "crank")) == crank);
      if (status == CDN_OK) ck_assert_int_le(report.attempt, 3 + def.restarts);
      stuck += status != CDN_OK;
    }
    ck_assert_int_le(stuck, def.restarts ? 0 : GUESSES * 3 / 10);
    cdn_assembly_destroy(a), cdn_state_destroy(state);
  }
}
END_TEST

/* ---- never worse ---- */

static cdn_system *too_short(void) { return ring(5, 5.5, false); }
static cdn_system *too_short_balls(void) { return ring(5, 6, true); }
static cdn_system *apart(void) { return free_chain(3, 4); }
static cdn_system *middle_ring(void) { return ring(7, 3, true); }

/* Two rods that cannot both have their lengths, and one that is there twice. */
static cdn_system *contradiction(void) {
  cdn_system *s = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "bob", def.mobilizer = CDN_FREE;
  def.mass = (cdn_mass_properties){ 1, cdn_v3(0, 0, 0), { 1, 1, 1, 0, 0, 0 } };
  const cdn_body bob = cdn_system_add_body(s, &def);
  const cdn_vec3 o = cdn_v3(0, 0, 0);
  cdn_system_constrain_rod(s, "long", cdn_ground(), o, bob, o, 2);
  cdn_system_constrain_rod(s, "short", cdn_ground(), o, bob, o, 1);
  cdn_system_constrain_rod(s, "twin", cdn_ground(), o, bob, o, 1);
  OK_FREEZE(s);
  return s;
}

static make_mechanism *const mixed[] = { four_bar,  six_bar,         theo_jansen, stewart,     offset_slider,
                                         too_short, too_short_balls, apart,       middle_ring, contradiction };
enum { MIXED = sizeof mixed / sizeof *mixed };

/* Coordinates whose rate is a speed, of kinds that these mechanisms have. */
static int first_plain(const cdn_system *s, cdn_body b) { return cdn_body_has_quaternion(s, b) ? 4 : 0; }

typedef struct wishes {
  bool locked[128];
  double lower[128], upper[128]; /* by q */
} wishes;

static void wish(cdn_assembly *a, const cdn_state *state, rng *r, wishes *w) {
  const cdn_system *s = cdn_state_system(state);
  const int bodies = cdn_system_body_count(s);
  for (int i = 0; i < 128; i++) w->locked[i] = false, w->lower[i] = -INFINITY, w->upper[i] = INFINITY;
  for (int b = 1; b < bodies; b++) {
    const cdn_body body = { b };
    for (int k = first_plain(s, body); k < cdn_body_nq(s, body); k++) {
      const int q = cdn_body_first_q(s, body) + k, what = pick(r, 12);
      const double at = cdn_state_q(state)[q];
      if (what < 2) cdn_assembly_add_coordinate(a, NULL, body, k, uniform(r, -2, 2), uniform(r, 0, 2));
      if (what == 2) {
        OK(cdn_assembly_lock_coordinate(a, body, k, true));
        w->locked[q] = true;
      }
      if (what == 3) {
        w->lower[q] = at - uniform(r, 0, 1), w->upper[q] = at + uniform(r, 0, 1);
        OK(cdn_assembly_set_bounds(a, body, k, w->lower[q], w->upper[q]));
      }
    }
    if (pick(r, 3) == 0) {
      const cdn_goal g = cdn_assembly_add_marker(a, NULL, body, random_vec3(r, 1), uniform(r, 0, 2));
      if (pick(r, 4)) OK(cdn_assembly_observe_marker(a, g, random_vec3(r, 3)));
    }
    if (pick(r, 6) == 0) {
      const cdn_goal g = cdn_assembly_add_orientation(a, NULL, body, random_rotation(r), uniform(r, 0, 2));
      OK(cdn_assembly_observe_orientation(a, g, random_rotation(r)));
    }
  }
}

static void check_wishes(cdn_state *state, const wishes *w, const double *before) {
  for (int i = 0; i < cdn_system_nq(cdn_state_system(state)); i++) {
    const double q = cdn_state_q(state)[i];
    ck_assert_msg(q >= w->lower[i] && q <= w->upper[i], "q %d is %.17g, not in %.17g .. %.17g", i, q, w->lower[i],
                  w->upper[i]);
    if (w->locked[i]) ck_assert(q == before[i]);
  }
}

START_TEST(test_never_worse) {
  int assembled = 0, refused = 0;
  for (int i = 0; i < FEWER(600); i++) {
    cdn_state *state = mechanism_state(mixed[i % MIXED]());
    cdn_assembly_def def = cdn_default_assembly_def();
    def.most_iterations = 1 + i % 7 * 40; /* ended early, too */
    cdn_assembly *a = assembly_of(state, &def);
    rng r = rng_of(900 + (uint64_t)i);
    wishes w;
    scatter(state, &r, 2);
    wish(a, state, &r, &w);
    for (int again = 0; again < 3; again++) {
      double *q = coordinate_copy(state);
      cdn_assembly_report report;
      const double before = error_of(state);
      const cdn_status status = cdn_assemble(a, state, &report);
      const double after = error_of(state);
      ck_assert(status == CDN_OK || status == CDN_ERR_CONSTRAINT || status == CDN_ERR_LIMIT);
      ck_assert(report.error == after && report.error_before == before);
      check_wishes(state, &w, q);
      if (status == CDN_ERR_CONSTRAINT) {
        cdn_error e;
        cdn_assembly_last_error(a, &e);
        ck_assert(after <= before && after > def.tolerance && e.value == after);
        ck_assert_str_eq(e.element, cdn_constraint_name(cdn_state_system(state), report.worst_constraint));
      } else {
        AT_MOST(after, def.tolerance);
        if (before <= def.tolerance) AT_MOST(report.goal, report.goal_before);
      }
      status == CDN_OK ? assembled++ : refused++;
      free(q);
    }
    cdn_assembly_destroy(a), cdn_state_destroy(state);
  }
  ck_assert_int_gt(assembled, FEWER(200));
  ck_assert_int_gt(refused, FEWER(200));
}
END_TEST

/* What cannot be is left where the errors are least: of lengths 2, 1 and 1, at the cubic's root. */
START_TEST(test_contradictions_meet_in_the_middle) {
  cdn_state *state = mechanism_state(contradiction());
  cdn_assembly *a = assembly_of(state, NULL);
  const double q[] = { 1, 0, 0, 0, 3, 1, -2 };
  OK_ON(state, cdn_state_set_q(state, q));
  cdn_assembly_report report;
  FAILS(cdn_assemble(a, state, &report), CDN_ERR_CONSTRAINT);
  cdn_error e;
  cdn_assembly_last_error(a, &e);
  ck_assert_str_eq(e.element, "long");
  const double *error = cdn_state_qerr(state);
  NEAR(error[1], error[2], 1e-12);
  /* at the least sum of squares the derivative vanishes: every error's derivative by the distance is alike in form */
  cdn_vec3 p;
  OK_ON(state, cdn_body_station(state, (cdn_body){ 1 }, cdn_v3(0, 0, 0), &p, NULL));
  double sum[2];
  const double distance = cdn_norm(p);
  for (int side = 0; side < 2; side++) {
    double moved[7];
    memcpy(moved, cdn_state_q(state), sizeof moved);
    for (int k = 4; k < 7; k++) moved[k] *= 1 + (side ? -1e-4 : 1e-4) / distance;
    cdn_state *beside = NULL;
    OK(cdn_state_create(cdn_state_system(state), &beside));
    OK_ON(beside, cdn_state_set_q(beside, moved));
    const double *b = cdn_state_qerr(beside);
    sum[side] = b[0] * b[0] + b[1] * b[1] + b[2] * b[2];
    cdn_state_destroy(beside);
  }
  const double here = error[0] * error[0] + error[1] * error[1] + error[2] * error[2];
  ck_assert(here <= sum[0] && here <= sum[1]);
  cdn_assembly_destroy(a), cdn_state_destroy(state);
}
END_TEST

/* ---- optimal ---- */

/* The goals' sum, where q would be. */
static double goal_at(cdn_assembly *a, cdn_state *scratch, const double *q) {
  cdn_assembly_report report;
  cdn_state *state = scratch;
  OK_ON(state, cdn_state_set_q(state, q));
  /* one iteration may move it; what it was before is reported */
  const cdn_status status = cdn_assemble(a, state, &report);
  ck_assert(status == CDN_OK || status == CDN_ERR_LIMIT || status == CDN_ERR_CONSTRAINT);
  return report.goal_before;
}

/* At the solution the goals' gradient along u (by differences) is in the span of G's rows. */
START_TEST(test_optimal_along_the_constraints) {
  static make_mechanism *const makers[] = { six_bar, stewart, middle_ring, theo_jansen };
  for (int i = 0; i < FEWER(40); i++) {
    cdn_state *state = mechanism_state(makers[i % 4]());
    const cdn_system *s = cdn_state_system(state);
    const int nu = cdn_system_nu(s), nq = cdn_system_nq(s), m = cdn_system_nqerr(s);
    cdn_assembly_def def = cdn_default_assembly_def();
    def.accuracy = 1e-11, def.most_iterations = 3000;
    cdn_assembly *a = assembly_of(state, &def);
    rng r = rng_of(300 + (uint64_t)i);
    scatter(state, &r, 1);
    const cdn_body body = { cdn_system_body_count(s) - 1 }, first = { 1 };
    const cdn_goal g = cdn_assembly_add_marker(a, NULL, body, random_vec3(&r, 0.3), 1);
    OK(cdn_assembly_observe_marker(a, g, random_vec3(&r, 1)));
    const cdn_goal o = cdn_assembly_add_orientation(a, NULL, first, random_rotation(&r), 0.3);
    OK(cdn_assembly_observe_orientation(a, o, random_rotation(&r)));
    OK_ASSEMBLY(a, cdn_assemble(a, state, NULL));

    cdn_state *beside = NULL;
    OK(cdn_state_create(s, &beside));
    double *Gt = calloc((size_t)(nu * (m > nu ? m : nu)), sizeof *Gt), *G = calloc((size_t)(m * nu), sizeof *G);
    double *b = calloc((size_t)(m > nu ? m : nu), sizeof *b), *u = calloc((size_t)nu, sizeof *u);
    double *qdot = calloc((size_t)nq, sizeof *qdot), *q = calloc((size_t)nq, sizeof *q);
    double gradient = 0;
    for (int k = 0; k < nu; k++) {
      double side[2];
      u[k] = 1;
      OK_ON(state, cdn_multiply_by_N(state, u, qdot));
      u[k] = 0;
      for (int p = 0; p < 2; p++) {
        for (int j = 0; j < nq; j++) q[j] = cdn_state_q(state)[j] + (p ? -1e-5 : 1e-5) * qdot[j];
        side[p] = goal_at(a, beside, q);
      }
      b[k] = (side[0] - side[1]) / 2e-5;
      gradient = fmax(gradient, fabs(b[k]));
    }
    OK_ON(state, cdn_calc_G(state, G));
    for (int k = 0; k < nu; k++)
      for (int e = 0; e < m; e++) Gt[e * nu + k] = G[e * nu + k];
    /* least squares by singular values: rows may be redundant */
    double values[128];
    lapack_int rank;
    double *copy = calloc((size_t)(nu * m), sizeof *copy), *rhs = calloc((size_t)(m > nu ? m : nu), sizeof *rhs);
    memcpy(copy, Gt, (size_t)(nu * m) * sizeof *copy);
    memcpy(rhs, b, (size_t)nu * sizeof *rhs);
    ck_assert_int_eq(LAPACKE_dgelsd(LAPACK_COL_MAJOR, nu, m, 1, copy, nu, rhs, m > nu ? m : nu, values, 1e-6, &rank),
                     0);
    for (int k = 0; k < nu; k++) {
      double left = b[k];
      for (int e = 0; e < m; e++) left -= Gt[e * nu + k] * rhs[e];
      /* sums of squares, which steps are judged by, are flat to rounding (1e-14 of the sum) within the root of that */
      NEAR(left, 0, 5e-7 * (1 + gradient));
    }
    free(Gt), free(G), free(b), free(u), free(qdot), free(q), free(copy), free(rhs);
    cdn_state_destroy(beside), cdn_assembly_destroy(a), cdn_state_destroy(state);
  }
}
END_TEST

/* With bounds in the way: where none holds, as above (of two constraints the multipliers follow from the free
 * coordinates by least squares); where one does, the goals push against it. */
START_TEST(test_optimal_within_bounds) {
  enum { N = 7 };
  int at_bounds = 0, within = 0;
  for (int i = 0; i < FEWER(60); i++) {
    cdn_state *state = mechanism_state(ring(N, 3, false)), *beside = NULL;
    cdn_assembly_def def = cdn_default_assembly_def();
    def.accuracy = 1e-11, def.most_iterations = 3000;
    cdn_assembly *a = assembly_of(state, &def);
    rng r = rng_of(400 + (uint64_t)i);
    double lower[N], upper[N], gradient[N], G[2 * N], q[N];
    scatter(state, &r, 1);
    OK_ASSEMBLY(a, cdn_assemble(a, state, NULL));
    for (int k = 0; k < N; k++) {
      const double at = cdn_state_q(state)[k];
      lower[k] = at - uniform(&r, 0.1, 0.6), upper[k] = at + uniform(&r, 0.1, 0.6);
      OK(cdn_assembly_set_bounds(a, (cdn_body){ k + 1 }, 0, lower[k], upper[k]));
    }
    const cdn_goal g = cdn_assembly_add_marker(a, NULL, (cdn_body){ 4 }, cdn_v3(0.5, 0.2, 0), 1);
    OK(cdn_assembly_observe_marker(a, g, random_vec3(&r, 4)));
    OK_ASSEMBLY(a, cdn_assemble(a, state, NULL));
    OK(cdn_state_create(cdn_state_system(state), &beside));
    for (int k = 0; k < N; k++) OK(cdn_assembly_set_bounds(a, (cdn_body){ k + 1 }, 0, -INFINITY, INFINITY));
    for (int k = 0; k < N; k++) {
      double side[2];
      for (int p = 0; p < 2; p++) {
        memcpy(q, cdn_state_q(state), sizeof q);
        q[k] += p ? -1e-5 : 1e-5;
        side[p] = goal_at(a, beside, q);
      }
      gradient[k] = (side[0] - side[1]) / 2e-5;
    }
    OK_ON(state, cdn_calc_G(state, G));
    double GG[3] = { 0 }, Gg[2] = { 0 };
    bool bound[N];
    for (int k = 0; k < N; k++) {
      const double at = cdn_state_q(state)[k];
      bound[k] = at == lower[k] || at == upper[k];
      if (bound[k]) continue;
      GG[0] += G[k] * G[k], GG[1] += G[k] * G[N + k], GG[2] += G[N + k] * G[N + k];
      Gg[0] -= G[k] * gradient[k], Gg[1] -= G[N + k] * gradient[k];
    }
    const double det = GG[0] * GG[2] - GG[1] * GG[1];
    if (det > 1e-2 * GG[0] * GG[2]) {
      const double l0 = (Gg[0] * GG[2] - Gg[1] * GG[1]) / det, l1 = (GG[0] * Gg[1] - GG[1] * Gg[0]) / det;
      for (int k = 0; k < N; k++) {
        const double left = gradient[k] + G[k] * l0 + G[N + k] * l1;
        if (!bound[k]) NEAR(left, 0, 2e-6);
        else if (cdn_state_q(state)[k] == lower[k]) ck_assert_msg(left > -2e-6, "%d: pulled up by %g", i, left);
        else ck_assert_msg(left < 2e-6, "%d: pulled down by %g", i, left);
        bound[k] ? at_bounds++ : within++;
      }
    }
    cdn_state_destroy(beside), cdn_assembly_destroy(a), cdn_state_destroy(state);
  }
  ck_assert_int_gt(at_bounds, FEWER(60));
  ck_assert_int_gt(within, FEWER(60));
}
END_TEST

/* ---- what the State prescribes ---- */

START_TEST(test_locks_of_the_state) {
  cdn_state *state = mechanism_state(theo_jansen());
  /* with the crank held a loop may be turned over, and then another cannot close: there are places to be stuck at */
  cdn_assembly_def def = cdn_default_assembly_def();
  def.restarts = 20;
  cdn_assembly *a = assembly_of(state, &def);
  const cdn_body crank = body_named(state, "crank"), upper = body_named(state, "upper");
  rng r = rng_of(4);
  for (int i = 0; i < FEWER(50); i++) {
    const double angle = uniform(&r, -PI, PI);
    cdn_assembly_report report;
    scatter(state, &r, 1);
    OK_ON(state, cdn_body_lock_at(state, crank, CDN_LEVEL_POSITION, 1, &angle));
    /* a lock of speeds leaves positions free */
    OK_ON(state, cdn_body_lock(state, upper, CDN_LEVEL_VELOCITY));
    OK_ASSEMBLY(a, cdn_assemble(a, state, &report));
    ck_assert(*cdn_body_q(state, crank) == angle);
    ck_assert_int_eq(report.dof, 0);
    OK_ON(state, cdn_body_unlock(state, crank));
    OK_ON(state, cdn_body_unlock(state, upper));
  }
  cdn_assembly_destroy(a), cdn_state_destroy(state);
}
END_TEST

/* A State within the tolerance, with nothing wanted, keeps its bits. */
START_TEST(test_untouched) {
  cdn_state *state = mechanism_state(six_bar());
  cdn_assembly *a = assembly_of(state, NULL);
  rng r = rng_of(5);
  scatter(state, &r, 1);
  OK_ASSEMBLY(a, cdn_assemble(a, state, NULL));
  OK_ASSEMBLY(a, cdn_assemble(a, state, NULL));
  double *q = coordinate_copy(state);
  cdn_assembly_report report;
  OK_ASSEMBLY(a, cdn_assemble(a, state, &report));
  ck_assert_int_eq(memcmp(q, cdn_state_q(state), (size_t)cdn_system_nq(cdn_state_system(state)) * sizeof *q), 0);
  free(q);
  cdn_assembly_destroy(a), cdn_state_destroy(state);
}
END_TEST

/* ---- speeds ---- */

START_TEST(test_speeds) {
  static make_mechanism *const makers[] = { four_bar, six_bar, theo_jansen };
  for (int i = 0; i < 3; i++) {
    cdn_state *state = mechanism_state(makers[i]());
    const cdn_system *s = cdn_state_system(state);
    const int nu = cdn_system_nu(s);
    cdn_assembly *a = assembly_of(state, NULL);
    const cdn_body crank = body_named(state, "crank");
    rng r = rng_of(70 + (uint64_t)i);
    scatter(state, &r, 1);
    OK_ASSEMBLY(a, cdn_assemble(a, state, NULL));
    const double wanted = 2.5, h = 1e-5;
    double u[32], side[2][32];
    random_numbers(&r, 3, u, nu);
    OK_ON(state, cdn_state_set_u(state, u));
    const cdn_goal g = cdn_assembly_add_speed(a, "drive", crank, 0, wanted, 1);
    cdn_assembly_report report;
    OK_ASSEMBLY(a, cdn_assemble_speeds(a, state, &report));
    ck_assert_int_eq(report.dof, 1);
    NEAR(*cdn_body_u(state, crank), wanted, 1e-13);
    AT_MOST(report.error, 1e-13);
    memcpy(u, cdn_state_u(state), (size_t)nu * sizeof *u);
    /* all joints are pins, so that u is the derivative of q: of what is assembled as the crank turns */
    const double angle = *cdn_body_q(state, crank);
    OK(cdn_assembly_set_weight(a, g, 0));
    for (int k = 0; k < 2; k++) {
      cdn_state *beside = NULL;
      OK(cdn_state_create(s, &beside));
      OK(cdn_state_copy(beside, state));
      const double turned = angle + (k ? -h : h);
      OK_ON(beside, cdn_body_lock_at(beside, crank, CDN_LEVEL_POSITION, 1, &turned));
      OK_ASSEMBLY(a, cdn_assemble(a, beside, NULL));
      memcpy(side[k], cdn_state_q(beside), (size_t)nu * sizeof **side);
      cdn_state_destroy(beside);
    }
    for (int k = 0; k < nu; k++) NEAR(u[k], wanted * (side[0][k] - side[1][k]) / (2 * h), 1e-6 * (1 + fabs(u[k])));
    cdn_assembly_destroy(a), cdn_state_destroy(state);
  }
}
END_TEST

/* More speeds wanted than there are degrees of freedom: least squares; fewer: the others change least. */
START_TEST(test_speeds_are_least_squares) {
  cdn_state *state = mechanism_state(ring(6, 3, false));
  const int nu = 6;
  cdn_assembly *a = assembly_of(state, NULL);
  rng r = rng_of(81);
  scatter(state, &r, 1);
  OK_ASSEMBLY(a, cdn_assemble(a, state, NULL));
  double u[6], v[6], w[6], G[2 * 6];
  OK_ON(state, cdn_calc_G(state, G));
  random_numbers(&r, 2, u, nu);
  OK_ON(state, cdn_state_set_u(state, u));
  for (int k = 0; k < nu; k++) {
    v[k] = uniform(&r, -2, 2), w[k] = uniform(&r, 0.5, 2);
    cdn_assembly_add_speed(a, NULL, (cdn_body){ k + 1 }, 0, v[k], w[k]);
  }
  OK_ASSEMBLY(a, cdn_assemble_speeds(a, state, NULL));
  memcpy(u, cdn_state_u(state), sizeof u);
  /* W (u - v) = G^T lambda: solved for lambda by two of the equations, the others follow */
  double b[6], lambda[2];
  for (int k = 0; k < nu; k++) b[k] = w[k] * (u[k] - v[k]);
  const double det = G[0] * G[7] - G[1] * G[6];
  lambda[0] = (b[0] * G[7] - b[1] * G[6]) / det, lambda[1] = (G[0] * b[1] - G[1] * b[0]) / det;
  for (int k = 0; k < nu; k++) NEAR(b[k], G[k] * lambda[0] + G[6 + k] * lambda[1], 1e-12 * (1 + 1 / fabs(det)));
  cdn_assembly_destroy(a);

  a = assembly_of(state, NULL);
  random_numbers(&r, 2, u, nu);
  OK_ON(state, cdn_state_set_u(state, u));
  OK_ASSEMBLY(a, cdn_assemble_speeds(a, state, NULL));
  for (int k = 0; k < nu; k++) b[k] = cdn_state_u(state)[k] - u[k];
  lambda[0] = (b[0] * G[7] - b[1] * G[6]) / det, lambda[1] = (G[0] * b[1] - G[1] * b[0]) / det;
  for (int k = 0; k < nu; k++) NEAR(b[k], G[k] * lambda[0] + G[6 + k] * lambda[1], 1e-12 * (1 + 1 / fabs(det)));
  cdn_assembly_destroy(a), cdn_state_destroy(state);
}
END_TEST

/* ---- tracking ---- */

/* A floating tree with 3 markers a body, on a path that is known: markers without noise give it back. */
START_TEST(test_tracking) {
  enum { BODIES = 8, MARKERS = 3 * BODIES, FRAMES = 60 };
  const tree_options options = { .bodies = BODIES, .shape = 21, .numbers = 22, .simple = true, .floating = true };
  random_tree tree = make_random_tree(&options);
  cdn_state *truth = random_tree_state(&tree, 23), *state = NULL;
  const cdn_system *s = cdn_state_system(truth);
  OK(cdn_state_create(s, &state));
  OK(cdn_state_copy(state, truth));
  cdn_assembly *a = assembly_of(state, NULL);
  rng r = rng_of(24);
  cdn_body body[MARKERS];
  cdn_vec3 p_B[MARKERS], p_G[MARKERS];
  const int nu = cdn_system_nu(s), nq = cdn_system_nq(s);
  for (int i = 0; i < MARKERS; i++) {
    body[i].i = 1 + i % BODIES, p_B[i] = random_vec3(&r, 0.3);
    cdn_assembly_add_marker(a, NULL, body[i], p_B[i], 1);
  }
  double u[64], q[96];
  for (int frame = 0; frame < FRAMES; frame++) {
    const double t = frame / 100.;
    for (int k = 0; k < nu; k++) u[k] = 0.02 * sin(3 * t + k);
    OK_ON(truth, cdn_multiply_by_N(truth, u, q));
    for (int k = 0; k < nq; k++) q[k] += cdn_state_q(truth)[k];
    OK_ON(truth, cdn_state_set_q(truth, q));
    for (int i = 0; i < MARKERS; i++) OK_ON(truth, cdn_body_station(truth, body[i], p_B[i], &p_G[i], NULL));
    /* one after the other is out of sight; where it is then does not matter */
    const int unseen = frame % MARKERS;
    p_G[unseen].y = NAN;
    cdn_assembly_report report;
    OK_ASSEMBLY(a, cdn_track(a, state, t, MARKERS, p_G, &report));
    ck_assert_int_eq(report.markers, MARKERS - 1);
    ck_assert(cdn_state_time(state) == t);
    AT_MOST(report.marker_rms, 1e-9);
    AT_MOST(report.marker_most, 1e-8);
    for (int i = 0; i < BODIES; i++) {
      cdn_transform X, Y;
      OK_ON(state, cdn_body_pose(state, (cdn_body){ i + 1 }, &X));
      OK_ON(truth, cdn_body_pose(truth, (cdn_body){ i + 1 }, &Y));
      AT_MOST(cdn_norm(cdn_sub(X.p, Y.p)), 1e-7);
    }
  }
  /* one that is off is named */
  for (int i = 0; i < MARKERS; i++) OK_ON(truth, cdn_body_station(truth, body[i], p_B[i], &p_G[i], NULL));
  p_G[7] = cdn_add(p_G[7], cdn_v3(0.2, 0.1, -0.3));
  cdn_assembly_report report;
  OK_ASSEMBLY(a, cdn_track(a, state, 1, MARKERS, p_G, &report));
  ck_assert_int_eq(report.worst_marker.i, 7);
  ck_assert(report.marker_rms < report.marker_most);
  /* nothing seen: nothing changes */
  double *before = coordinate_copy(state);
  for (int i = 0; i < MARKERS; i++) p_G[i].x = NAN;
  OK_ASSEMBLY(a, cdn_track(a, state, 1.1, MARKERS, p_G, &report));
  ck_assert_int_eq(report.markers, 0);
  ck_assert_int_eq(memcmp(before, cdn_state_q(state), (size_t)nq * sizeof *before), 0);
  free(before);
  cdn_assembly_destroy(a), cdn_state_destroy(state), cdn_state_destroy(truth);
}
END_TEST

/* ---- models of any size ---- */

static const double NANOMETRE = 1e-9;

static cdn_status wave(const void *self, cdn_state *state, double *r) {
  (void)self;
  r[0] = sin(cdn_state_q(state)[0] / NANOMETRE);
  return CDN_OK;
}

/* A goal without derivatives, in a model of nanometres: Gauss-Newton steps are Newton's, which end at its zero. */
START_TEST(test_goals_are_differenced_by_the_size_of_the_model) {
  const cdn_goal_ops ops = { .struct_size = sizeof ops, .name = "wave", .rows = 1, .residual = wave };
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  const double I = NANOMETRE * NANOMETRE;
  body.mobilizer = CDN_SLIDER;
  body.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = I, .yy = I, .zz = I } };
  cdn_system_add_body(system, &body);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  cdn_assembly_def def = cdn_default_assembly_def();
  cdn_assembly *a;
  def.accuracy = 1e-12 * NANOMETRE;
  OK(cdn_assembly_create(system, &def, &a));
  cdn_assembly_add_goal(a, NULL, &ops, NULL, 1);
  const double q = 0.4 * NANOMETRE;
  OK_ON(state, cdn_state_set_q(state, &q));
  OK_ASSEMBLY(a, cdn_assemble(a, state, NULL));
  AT_MOST(fabs(cdn_state_q(state)[0]), 1e-9 * NANOMETRE);
  cdn_assembly_destroy(a), cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("assembly", test_any_guess, test_guesses_within_bounds, test_restarts, test_never_worse,
           test_contradictions_meet_in_the_middle, test_optimal_along_the_constraints, test_optimal_within_bounds,
           test_locks_of_the_state, test_untouched, test_speeds, test_speeds_are_least_squares, test_tracking,
           test_goals_are_differenced_by_the_size_of_the_model)
