/* Options of the solvers of soft rows, those of files, and what is told of iterations. */
#include <math.h>

#include "../testing.h"

#define MJCF(option)                                                                                                  \
  "<mujoco>" option "<worldbody><geom type='plane' size='1 1 1'/><body pos='0 0 .1' euler='10 20 0'><freejoint/>"     \
  "<geom type='box' size='.2 .3 .1' mass='1'/><body pos='0 0 .3'><joint axis='1 .3 0' range='-30 30' limited='true' " \
  "frictionloss='.3'/><geom type='box' size='.1 .1 .2' mass='2'/></body></body></worldbody></mujoco>"

static cdn_state *load(const char *text) {
  cdn_model_options options = cdn_default_model_options();
  cdn_model *model;
  cdn_state *state;
  options.contact = CDN_MODEL_SOFT, options.solving = CDN_MODEL_SOLVE_AS_FILE;
  OK(cdn_model_load_string(text, strlen(text), "model", &options, &model));
  OK(cdn_state_create(cdn_model_system(model), &state));
  double u[7] = { 1, 2, 0.5, 3, -1, -2, 4 };
  OK_ON(state, cdn_state_set_u(state, u));
  cdn_model_destroy(model);
  return state;
}

static cdn_soft_statistics statistics_of(cdn_state *state) {
  cdn_soft_statistics s;
  OK_ON(state, cdn_soft_get_statistics(state, &s));
  return s;
}

START_TEST(options_are_checked) {
  static const char *const told[] = { "solver", "cost_tolerance", "noslip", "noslip" };
  for (int i = 0; i < 4; i++) {
    cdn_soft_def def = cdn_default_soft_def();
    cdn_system *system = cdn_system_create(NULL);
    cdn_error error;
    if (i == 0) def.solver = (cdn_soft_solver)7;
    else if (i == 1) def.cost_tolerance = NAN;
    else if (i == 2) def.noslip_iterations = -1;
    else def.noslip_tolerance = NAN;
    cdn_system_set_soft(system, &def);
    FAILS(cdn_system_freeze(system), CDN_ERR_ARG);
    cdn_system_last_error(system, &error);
    ck_assert_ptr_nonnull(strstr(error.text, told[i]));
    cdn_system_release(system);
  }
}
END_TEST

START_TEST(files_are_obeyed) {
  cdn_state *state = load(MJCF(""));
  const cdn_soft_statistics usual = statistics_of(state);
  ck_assert(usual.converged && usual.factorizations > 1 && usual.residual <= 1e-8);
  cdn_state_destroy(state);
  /* MuJoCo's default is no wish */
  state = load(MJCF("<option tolerance='1e-8' ls_tolerance='.01' iterations='100'/>"));
  const cdn_soft_statistics same = statistics_of(state);
  ck_assert(same.residual == usual.residual && same.most_iterations == usual.most_iterations);
  cdn_state_destroy(state);
  state = load(MJCF("<option solver='CG'/>"));
  const cdn_soft_statistics descended = statistics_of(state);
  ck_assert(descended.factorizations == 1 && descended.most_iterations > usual.most_iterations);
  cdn_state_destroy(state);
  state = load(MJCF("<option solver='PGS' iterations='500'/>"));
  const cdn_soft_statistics relaxed = statistics_of(state);
  ck_assert(relaxed.factorizations == 1 && relaxed.evaluations == 0 && relaxed.residual <= 1e-8);
  ck_assert_int_eq(relaxed.noslip_iterations, 0);
  cdn_state_destroy(state);
  state = load(MJCF("<option noslip_iterations='3' noslip_tolerance='0'/>"));
  ck_assert_int_eq(statistics_of(state).noslip_iterations, 3);
  cdn_state_destroy(state);
  state = load(MJCF("<option iterations='1'/>"));
  const cdn_soft_statistics one = statistics_of(state);
  ck_assert(one.most_iterations == 1 && one.records == 1 && !one.converged);
  cdn_state_destroy(state);
  state = load(MJCF("<option tolerance='100'/>"));
  ck_assert(!statistics_of(state).converged);
  cdn_state_destroy(state);
}
END_TEST

/* Costs fall (of PGS they rise), and what they fall by adds up; functions change their pieces. */
START_TEST(iterations_are_told) {
  static const char *const texts[] = { MJCF(""), MJCF("<option solver='CG' iterations='400'/>"),
                                       MJCF("<option cone='elliptic'/>"),
                                       MJCF("<option cone='elliptic' solver='PGS' iterations='500'/>") };
  int changes = 0;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    cdn_state *state = load(texts[i]);
    cdn_soft_iteration it, first = { .islands = 0 }, last = first;
    const cdn_soft_statistics s = statistics_of(state);
    ck_assert_int_ge(s.most_iterations, 2);
    ck_assert_int_eq(s.records, s.most_iterations);
    const double way = i == 3 ? -1 : 1;
    double fallen = 0;
    int evaluations = 0;
    for (int k = 0; k < s.records; k++) {
      OK_ON(state, cdn_soft_get_iteration(state, k, &it));
      ck_assert_int_eq(it.islands, 1);
      if (k == 0) first = it;
      else NEAR(way * (last.cost - it.cost), it.improvement, 1e-13 * first.cost);
      ck_assert(it.improvement >= -1e-13 * first.cost);
      fallen += it.improvement, evaluations += it.evaluations, changes += it.changes;
      last = it;
    }
    ck_assert_int_eq(evaluations, s.evaluations);
    NEAR(way * (first.cost - last.cost) + first.improvement, fallen, 1e-13 * (first.cost + first.improvement));
    ck_assert(last.gradient < first.gradient || i == 3);
    int n, active = 0;
    OK_ON(state, cdn_soft_count(state, &n));
    for (int k = 0; k < n; k++) {
      cdn_soft_group g;
      OK_ON(state, cdn_soft_get(state, k, &g));
      active += g.force[0] != 0;
    }
    ck_assert_int_eq(active, last.active);
    FAILS(cdn_soft_get_iteration(state, s.records, &it), CDN_ERR_ARG);
    FAILS(cdn_soft_get_iteration(state, -1, &it), CDN_ERR_ARG);
    cdn_state_destroy(state);
  }
  ck_assert_int_gt(changes, 0);
}
END_TEST

/* A small cube of mass m and inertia I is held by a connection at the end of a lever r that is 75 times its size,
 * and is off by d, across r. So the rows f = (target - r x (r x f) ...) have one solution across r: f (1/m + r^2/I +
 * R) = -k d. Rounding of the elimination, times (r^2/I) / R = 160000, is in the rows where nothing refines it. */
START_TEST(small_tolerances_are_met_by_stiff_rows) {
  const double I = 1.0 / 600, d1 = 0.95, T = 0.02;
  const cdn_vec3 r = cdn_v3(-1, -2, -3), d = cdn_v3(0.3, 0, -0.1);
  cdn_system *system = cdn_system_create(NULL);
  cdn_soft_def soft = cdn_default_soft_def();
  soft.tolerance = 1e-14;
  cdn_system_set_soft(system, &soft);
  cdn_body_def def = cdn_default_body_def();
  def.name = "cube", def.mobilizer = CDN_FREE;
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { I, I, I, 0, 0, 0 } };
  def.X_PF.p = cdn_add(d, cdn_scale(-1, r));
  const cdn_body cube = cdn_system_add_body(system, &def);
  cdn_soft_equality_def hold = cdn_default_soft_equality_def();
  hold.name = "hold", hold.kind = CDN_SOFT_CONNECT, hold.b = cube, hold.p_B = r;
  cdn_system_add_soft_equality(system, &hold);
  OK(cdn_system_freeze(system));
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  cdn_spatial A;
  OK_ON(state, cdn_body_acceleration(state, cube, &A));
  const double stiffness = 1 / (d1 * d1 * T * T) * d1, R = (1 - d1) / d1;
  const cdn_vec3 f = cdn_scale(-stiffness / (1 + cdn_dot(r, r) / I + R), d);
  const cdn_vec3 a = cdn_scale(1 / I, cdn_cross(r, f));
  NEAR(cdn_norm(cdn_sub(A.w, a)), 0, 1e-12 * cdn_norm(a));
  NEAR(cdn_norm(cdn_sub(A.v, f)), 0, 1e-11 * cdn_norm(f));
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("soft solvers", options_are_checked, files_are_obeyed, iterations_are_told,
           small_tolerances_are_met_by_stiff_rows)
