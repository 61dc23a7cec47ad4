/* Thermal speeds and the step of sampling on trees of every kind: the factor of M^-1 and the gradient of the kinetic
 * energy against what they are of; a run back; the determinant of the step's Jacobian. */
#include <stdlib.h>

#include "random_tree.h"

enum { MOST = 48 };

static cdn_state *tree_state(uint64_t seed, bool simple, int bodies, random_tree *tree) {
  const tree_options options = {
    .bodies = bodies, .shape = seed, .numbers = seed + 7, .simple = simple, .forces = true, .conservative = true
  };
  *tree = make_random_tree(&options);
  cdn_system_use_random(tree->system, 3);
  return random_tree_state(tree, seed + 11);
}

/* ---- operators ---- */

START_TEST(test_factor_of_inverse_mass) {
  random_tree tree;
  cdn_state *state = tree_state((uint64_t)_i + 100, false, 8, &tree);
  const int nu = cdn_system_nu(cdn_state_system(state));
  ck_assert_int_le(nu, MOST);
  double S[MOST][MOST], M_inv[MOST * MOST], z[MOST], most = 0;
  OK_ON(state, cdn_calc_M_inv(state, M_inv));
  for (int j = 0; j < nu; j++) { /* S[j]: column j */
    for (int i = 0; i < nu; i++) z[i] = i == j;
    OK_ON(state, cdn_multiply_by_sqrt_M_inv(state, z, S[j]));
  }
  for (int i = 0; i < nu * nu; i++) most = fmax(most, fabs(M_inv[i]));
  for (int i = 0; i < nu; i++)
    for (int k = 0; k < nu; k++) {
      double sum = 0;
      for (int j = 0; j < nu; j++) sum += S[j][i] * S[j][k];
      NEAR(sum, M_inv[i * nu + k], 1e-12 * most);
    }
  cdn_state_destroy(state);
}
END_TEST

/* q moved by the motion `by` along mobility j. */
static void move_along(cdn_state *state, const double *q0, int j, double by) {
  const int nq = cdn_system_nq(cdn_state_system(state)), nu = cdn_system_nu(cdn_state_system(state));
  double e[MOST] = { 0 }, q[2 * MOST];
  e[j] = 1;
  ck_assert_int_le(nu, MOST);
  OK_ON(state, cdn_state_set_q(state, q0));
  OK_ON(state, cdn_multiply_by_N(state, e, q));
  for (int i = 0; i < nq; i++) q[i] = q0[i] + by * q[i];
  OK_ON(state, cdn_state_set_q(state, q));
}

START_TEST(test_gradient_of_kinetic_energy) {
  random_tree tree;
  cdn_state *state = tree_state((uint64_t)_i + 200, false, 8, &tree);
  const int nq = cdn_system_nq(cdn_state_system(state)), nu = cdn_system_nu(cdn_state_system(state));
  double q0[2 * MOST], g[MOST], u[MOST], p[MOST], K[4], most = 0;
  memcpy(q0, cdn_state_q(state), (size_t)nq * sizeof *q0);
  memcpy(u, cdn_state_u(state), (size_t)nu * sizeof *u);
  OK_ON(state, cdn_calc_kinetic_gradient(state, u, g));
  for (int i = 0; i < nu; i++) most = fmax(most, fabs(g[i]));
  for (int j = 0; j < nu; j++) {
    static const double by[4] = { -2e-3, -1e-3, 1e-3, 2e-3 };
    for (int k = 0; k < 4; k++) {
      move_along(state, q0, j, by[k]);
      OK_ON(state, cdn_multiply_by_M(state, u, p));
      K[k] = 0;
      for (int i = 0; i < nu; i++) K[k] += 0.5 * p[i] * u[i];
    }
    /* of order 4: its error is 1e-12 of fifth derivatives */
    NEAR((8 * (K[2] - K[1]) - (K[3] - K[0])) / 12e-3, g[j], 1e-8 * (1 + most));
  }
  cdn_state_destroy(state);
}
END_TEST

/* ---- the step ---- */

static cdn_hmc *sampler(cdn_state *state) {
  cdn_hmc_def def = cdn_default_hmc_def();
  cdn_hmc *hmc = NULL;
  def.kT = 1, def.step = 1e-3;
  const cdn_status status = cdn_hmc_create(state, &def, &hmc);
  if (status != CDN_ERR_UNSUPPORTED) OK_ON(state, status);
  return hmc;
}

/* A step that the fastest motion allows. */
static double gentle(cdn_state *state) {
  const double *u = cdn_state_u(state);
  double fastest = 1;
  for (int i = 0; i < cdn_system_nu(cdn_state_system(state)); i++) fastest = fmax(fastest, fabs(u[i]));
  return 0.01 / fastest;
}

START_TEST(test_run_back) {
  random_tree tree;
  cdn_state *state = tree_state((uint64_t)_i + 300, _i % 2 == 0, 5, &tree);
  cdn_hmc *hmc = sampler(state);
  if (hmc) {
    cdn_state *run = cdn_hmc_state(hmc);
    const int nq = cdn_system_nq(cdn_state_system(state)), nu = cdn_system_nu(cdn_state_system(state));
    double u[MOST];
    const double h = gentle(run);
    OK_ON(run, cdn_hmc_steps(hmc, h, 20));
    for (int i = 0; i < nu; i++) u[i] = -cdn_state_u(run)[i];
    OK_ON(run, cdn_state_set_u(run, u));
    OK_ON(run, cdn_hmc_steps(hmc, h, 20));
    for (int i = 0; i < nq; i++) NEAR(cdn_state_q(run)[i], cdn_state_q(state)[i], 1e-10);
    for (int i = 0; i < nu; i++)
      NEAR(cdn_state_u(run)[i], -cdn_state_u(state)[i], 1e-10 * (1 + fabs(cdn_state_u(state)[i])));
  }
  cdn_hmc_destroy(hmc);
  cdn_state_destroy(state);
}
END_TEST

static double determinant(int n, double *A) {
  double det = 1;
  for (int c = 0; c < n; c++) {
    int best = c;
    for (int r = c + 1; r < n; r++)
      if (fabs(A[r * n + c]) > fabs(A[best * n + c])) best = r;
    if (best != c) det = -det;
    for (int k = 0; k < n; k++) {
      const double x = A[c * n + k];
      A[c * n + k] = A[best * n + k], A[best * n + k] = x;
    }
    det *= A[c * n + c];
    for (int r = c + 1; r < n; r++) {
      const double factor = A[r * n + c] / A[c * n + c];
      for (int k = c; k < n; k++) A[r * n + k] -= factor * A[c * n + k];
    }
  }
  return det;
}

/* (q, p) after two steps from the start, with one of them moved along direction j: of q for j < nu, else of p. */
static void image(cdn_hmc *hmc, const cdn_state *start, double h, const double *p0, int j, double by, double *q,
                  double *p) {
  cdn_state *run = cdn_hmc_state(hmc);
  const int nq = cdn_system_nq(cdn_state_system(run)), nu = cdn_system_nu(cdn_state_system(run));
  double u[MOST], moved[MOST];
  memcpy(moved, p0, (size_t)nu * sizeof *moved);
  if (j >= nu) moved[j - nu] += by;
  if (j < nu) move_along(run, cdn_state_q(start), j, by);
  else OK_ON(run, cdn_state_set_q(run, cdn_state_q(start)));
  OK_ON(run, cdn_multiply_by_M_inv(run, moved, u));
  OK_ON(run, cdn_state_set_u(run, u));
  OK_ON(run, cdn_hmc_steps(hmc, h, 2));
  memcpy(q, cdn_state_q(run), (size_t)nq * sizeof *q);
  OK_ON(run, cdn_multiply_by_M(run, cdn_state_u(run), p));
}

START_TEST(test_volume) {
  random_tree tree;
  cdn_state *state = tree_state((uint64_t)_i + 400, _i % 2 == 0, 3, &tree);
  cdn_hmc *hmc = sampler(state);
  const int nu = cdn_system_nu(cdn_state_system(state)), nq = cdn_system_nq(cdn_state_system(state)), n = 2 * nu;
  if (hmc && nu > 0) {
    double p0[MOST], q[4][2 * MOST], p[4][MOST], slope[2 * MOST], *J = malloc((size_t)(n * n) * sizeof *J);
    const double h = 2 * gentle(state);
    OK_ON(state, cdn_multiply_by_M(state, cdn_state_u(state), p0));
    double size = 1;
    for (int i = 0; i < nu; i++) size = fmax(size, fabs(p0[i]));
    cdn_state *end;
    OK(cdn_state_create(cdn_state_system(state), &end));
    image(hmc, state, h, p0, nu, 0, q[0], p[0]);
    OK_ON(end, cdn_state_copy(end, cdn_hmc_state(hmc)));
    for (int j = 0; j < n; j++) {
      static const double by[4] = { -2, -1, 1, 2 };
      const double unit = j < nu ? 1e-3 : 1e-3 * size;
      for (int k = 0; k < 4; k++) image(hmc, state, h, p0, j, by[k] * unit, q[k], p[k]);
      double dq[2 * MOST];
      for (int i = 0; i < nq; i++) dq[i] = (8 * (q[2][i] - q[1][i]) - (q[3][i] - q[0][i])) / (12 * unit);
      OK_ON(end, cdn_multiply_by_N_inv(end, dq, slope));
      for (int i = 0; i < nu; i++) J[i * n + j] = slope[i];
      for (int i = 0; i < nu; i++) J[(nu + i) * n + j] = (8 * (p[2][i] - p[1][i]) - (p[3][i] - p[0][i])) / (12 * unit);
    }
    NEAR(determinant(n, J), 1, 1e-7);
    free(J);
    cdn_state_destroy(end);
  }
  cdn_hmc_destroy(hmc);
  cdn_state_destroy(state);
}
END_TEST

/* The energy is kept to the second order. */
START_TEST(test_order) {
  random_tree tree;
  cdn_state *state = tree_state(511, true, 6, &tree);
  cdn_hmc *hmc = sampler(state);
  cdn_state *run = cdn_hmc_state(hmc);
  double K, U, start, error[2];
  OK_ON(state, cdn_kinetic_energy(state, &K));
  OK_ON(state, cdn_potential_energy(state, &U));
  start = K + U;
  for (int k = 0; k < 2; k++) {
    OK_ON(run, cdn_state_copy(run, state));
    const double h = gentle(state) / (1 << k);
    OK_ON(run, cdn_hmc_steps(hmc, h, 20 << k));
    OK_ON(run, cdn_kinetic_energy(run, &K));
    OK_ON(run, cdn_potential_energy(run, &U));
    error[k] = K + U - start;
  }
  NEAR(error[0] / error[1], 4, 0.4);
  cdn_hmc_destroy(hmc);
  cdn_state_destroy(state);
}
END_TEST

/* ---- with rods ---- */

/* A ring of n atoms of mass 1 with rods of length 1; the last rod is redundant if `twice`. */
static cdn_state *ring_of_atoms(int n, bool twice) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body atom[8];
  for (int i = 0; i < n; i++) {
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_TRANSLATION;
    def.mass.mass = 1 + 0.5 * (i % 2);
    atom[i] = cdn_system_add_body(system, &def);
  }
  const cdn_vec3 o = { 0, 0, 0 };
  for (int i = 0; i < n; i++) cdn_system_constrain_rod(system, NULL, atom[i], o, atom[(i + 1) % n], o, 1);
  if (twice) cdn_system_constrain_rod(system, NULL, atom[0], o, atom[1], o, 1);
  cdn_system_use_random(system, 5);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  double q[24];
  for (int i = 0; i < n; i++) {
    const double angle = 2 * PI * i / n, radius = 0.5 / sin(PI / n);
    q[3 * i] = radius * cos(angle), q[3 * i + 1] = radius * sin(angle), q[3 * i + 2] = 0.1 * (i % 2);
  }
  OK_ON(state, cdn_state_set_q(state, q));
  cdn_projection_def def = cdn_default_projection_def();
  def.tolerance = 1e-13, def.always = true;
  OK_ON(state, cdn_project_q(state, &def, NULL));
  OK_ON(state, cdn_draw_speeds(state, 1, 0, 9));
  return state;
}

START_TEST(test_rods) {
  cdn_state *state = ring_of_atoms(5, _i == 1);
  int n;
  OK_ON(state, cdn_count_thermal_freedoms(state, &n));
  ck_assert_int_eq(n, 10);
  const double *error = cdn_state_uerr(state);
  for (int i = 0; i < cdn_system_nuerr(cdn_state_system(state)); i++) NEAR(error[i], 0, 1e-13);
  cdn_hmc *hmc = sampler(state);
  cdn_state *run = cdn_hmc_state(hmc);
  double u[15], K0, K1;
  OK_ON(state, cdn_kinetic_energy(state, &K0));
  OK_ON(run, cdn_hmc_steps(hmc, 0.02, 50));
  error = cdn_state_qerr(run);
  for (int i = 0; i < cdn_system_nqerr(cdn_state_system(run)); i++) NEAR(error[i], 0, 1e-13);
  OK_ON(run, cdn_kinetic_energy(run, &K1));
  NEAR(K1, K0, 1e-2 * K0);
  for (int i = 0; i < 15; i++) u[i] = -cdn_state_u(run)[i];
  OK_ON(run, cdn_state_set_u(run, u));
  OK_ON(run, cdn_hmc_steps(hmc, 0.02, 50));
  for (int i = 0; i < 15; i++) NEAR(cdn_state_q(run)[i], cdn_state_q(state)[i], 1e-10);
  cdn_hmc_destroy(hmc);
  cdn_state_destroy(state);
}
END_TEST

/* ---- what is refused, what is locked ---- */

typedef struct pair_of_pins {
  cdn_system *system;
  cdn_body body[2];
  cdn_state *state;
} pair_of_pins;

typedef enum extra { NOTHING, NO_RANDOM, DAMPER, GEAR, ANGLES, CHAIN } extra;

static pair_of_pins pins(extra with) {
  pair_of_pins p = { .system = cdn_system_create(NULL) };
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = with == ANGLES ? CDN_BALL : CDN_PIN;
  def.euler = with == ANGLES;
  def.mass = (cdn_mass_properties){ .mass = 1, .com = { 1, 0.2, 0 }, .inertia = { 0.1, 0.2, 0.3, 0, 0, 0 } };
  p.body[0] = cdn_system_add_body(p.system, &def);
  def.mobilizer = CDN_PIN, def.euler = false, def.parent = p.body[0];
  def.X_PF.p = cdn_v3(2, 0, 0);
  p.body[1] = cdn_system_add_body(p.system, &def);
  cdn_system_add_gravity(p.system, "gravity", cdn_v3(0, -1, 0));
  if (with == DAMPER) cdn_system_add_mobility_damper(p.system, "damper", p.body[0], 0, 0.1);
  if (with == CHAIN) {
    cdn_nose_hoover_def chain = cdn_default_nose_hoover_def();
    chain.kT = 1, chain.time = 1;
    cdn_system_add_nose_hoover(p.system, "chain", &chain);
  }
  if (with == GEAR) cdn_system_constrain_speed(p.system, "gear", p.body[1], 0, 0);
  if (with != NO_RANDOM) cdn_system_use_random(p.system, 1);
  OK_FREEZE(p.system);
  OK(cdn_state_create(p.system, &p.state));
  cdn_system_release(p.system);
  return p;
}

static void refuses(extra with, cdn_status expected, const char *says) {
  pair_of_pins p = pins(with);
  cdn_hmc_def def = cdn_default_hmc_def();
  cdn_hmc *hmc;
  cdn_error error;
  def.kT = 1, def.step = 0.1;
  FAILS(cdn_hmc_create(p.state, &def, &hmc), expected);
  ck_assert_ptr_null(hmc);
  cdn_state_last_error(p.state, &error);
  ck_assert_msg(strstr(error.text, says), "'%s' does not say '%s'", error.text, says);
  cdn_state_destroy(p.state);
}

START_TEST(test_refusals) {
  refuses(NO_RANDOM, CDN_ERR_ARG, "cdn_system_use_random");
  refuses(DAMPER, CDN_ERR_UNSUPPORTED, "without potential");
  refuses(GEAR, CDN_ERR_UNSUPPORTED, "'gear'");
  refuses(ANGLES, CDN_ERR_UNSUPPORTED, "quaternions");
  pair_of_pins p = pins(CHAIN);
  cdn_hmc *hmc;
  const double wrong[][3] = { { 0, 1, 1 }, { 1, 0, 1 }, { 1, 1, -1 }, { NAN, 1, 1 }, { 1, INFINITY, 1 } };
  for (int i = 0; i < 5; i++) {
    cdn_hmc_def def = cdn_default_hmc_def();
    def.kT = wrong[i][0], def.step = wrong[i][1], def.friction = wrong[i][2];
    FAILS(cdn_hmc_create(p.state, &def, &hmc), CDN_ERR_ARG);
    FAILS(cdn_nose_hoover_set(p.state, (cdn_force){ 1 }, wrong[i][0], wrong[i][1], wrong[i][2]), CDN_ERR_ARG);
  }
  FAILS(cdn_hmc_create(p.state, NULL, &hmc), CDN_ERR_ARG);
  FAILS(cdn_nose_hoover_set(p.state, (cdn_force){ 0 }, 1, 1, 1), CDN_ERR_ARG);
  FAILS(cdn_nose_hoover_energy(p.state, (cdn_force){ 7 }, NULL, NULL), CDN_ERR_ARG);
  OK_ON(p.state, cdn_nose_hoover_set(p.state, (cdn_force){ 1 }, 2, 3, 0));
  FAILS(cdn_draw_speeds(p.state, -1, 0, 0), CDN_ERR_ARG);
  FAILS(cdn_draw_speeds(p.state, 1, 1.1, 0), CDN_ERR_ARG);
  OK_ON(p.state, cdn_draw_speeds(p.state, 1, 1, 0));
  ck_assert(cdn_state_u(p.state)[0] == 0);
  FAILS(cdn_hmc_advance(NULL, 1), CDN_ERR_ARG);
  cdn_hmc_destroy(NULL);
  cdn_state_destroy(p.state);
}
END_TEST

/* A joint that is locked at rest stays where it is, and takes no part in the energy. */
START_TEST(test_locked) {
  pair_of_pins p = pins(NOTHING);
  cdn_hmc_def def = cdn_default_hmc_def();
  cdn_hmc *hmc;
  int n;
  double kT;
  OK_ON(p.state, cdn_state_set_q(p.state, (double[]){ 0.3, 0.7 }));
  OK_ON(p.state, cdn_body_lock(p.state, p.body[0], CDN_LEVEL_POSITION));
  OK_ON(p.state, cdn_count_thermal_freedoms(p.state, &n));
  ck_assert_int_eq(n, 1);
  def.kT = 1, def.step = 0.3;
  OK_ON(p.state, cdn_hmc_create(p.state, &def, &hmc));
  OK_ON(cdn_hmc_state(hmc), cdn_hmc_advance(hmc, 200));
  cdn_hmc_report report;
  cdn_hmc_get_report(hmc, &report);
  ck_assert_int_ge(report.accepted, 120);
  ck_assert(cdn_state_q(cdn_hmc_state(hmc))[0] == 0.3 && cdn_state_u(cdn_hmc_state(hmc))[0] == 0);
  ck_assert(cdn_state_q(cdn_hmc_state(hmc))[1] != 0.7);
  OK_ON(cdn_hmc_state(hmc), cdn_calc_kT(cdn_hmc_state(hmc), 0, &kT));
  ck_assert(kT > 0);
  OK_ON(cdn_hmc_state(hmc), cdn_calc_kT(cdn_hmc_state(hmc), 3, &kT));
  ck_assert(isnan(kT));
  cdn_hmc_destroy(hmc);
  cdn_state_destroy(p.state);
}
END_TEST

static void add(TCase *tcase) {
  tcase_add_loop_test(tcase, test_factor_of_inverse_mass, 0, 20);
  tcase_add_loop_test(tcase, test_gradient_of_kinetic_energy, 0, 20);
  tcase_add_loop_test(tcase, test_run_back, 0, 20);
  tcase_add_loop_test(tcase, test_volume, 0, 16);
  tcase_add_test(tcase, test_order);
  tcase_add_test(tcase, test_refusals);
  tcase_add_test(tcase, test_locked);
  tcase_add_loop_test(tcase, test_rods, 0, 2);
}

CHECK_MAIN_OF("sampling", CHECK_TIMEOUT, add)
