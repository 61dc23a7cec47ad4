/* Analytic derivatives against differences of the public API on random trees, and their identities. */
#include "differences.h"

typedef void check_sample(sample *s);

static void on_trees(check_sample *check, int most_bodies, bool with_forces) {
  static const int sizes[] = { 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 6, 7, 8, 10, 13, 17, 22, 30, 40 };
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (uint64_t seed = 1; seed <= FEWER(6); seed++) {
      if (sizes[i] > most_bodies) continue;
      tree_options options = { .bodies = sizes[i], .shape = 100 * i + seed, .numbers = seed, .forces = with_forces };
      random_tree tree = make_random_tree(&options);
      sample s = sample_of_tree(&tree, seed);
      check(&s);
      drop(&s);
    }
}

/* ---- inverse dynamics ---- */

/* Differences of tau lose about 1e-16 / 1e-3 of tau; products of lengths, speeds and masses are of order one. */
static const double BY_DIFFERENCES = 3e-11;

static void check_inverse(sample *s) {
  OK_ON(s->state, cdn_inverse_dynamics_derivatives(s->state, s->udot, s->a, s->b, NULL));
  check_matrix(s, residual, ALONG_Q, s->nu, s->a, BY_DIFFERENCES, "dtau/dq");
  check_matrix(s, residual, ALONG_U, s->nu, s->b, BY_DIFFERENCES, "dtau/du");
}

START_TEST(inverse_dynamics_of_trees) { on_trees(check_inverse, 17, false); }
END_TEST
START_TEST(inverse_dynamics_with_forces) { on_trees(check_inverse, 17, true); }
END_TEST

/* ---- forward dynamics ---- */

/* Massless frames and thin rods make M^-1 large: the condition of M takes digits from both sides. */
static void check_forward(sample *s) {
  OK_ON(s->state, cdn_forward_dynamics_derivatives(s->state, s->a, s->b, NULL, NULL));
  check_matrix(s, forward, ALONG_Q, s->nu, s->a, 2e-10, "dudot/dq");
  check_matrix(s, forward, ALONG_U, s->nu, s->b, 2e-10, "dudot/du");
}

START_TEST(forward_dynamics_with_forces) { on_trees(check_forward, 13, true); }
END_TEST

/* ---- identities ---- */

static void check_M_inv(sample *s) {
  const int n = s->nu;
  double f[MOST_NU], udot[MOST_NU];
  OK_ON(s->state, cdn_forward_dynamics_derivatives(s->state, NULL, NULL, s->a, NULL));
  for (int i = 0; i < n; i++) {
    double x[MOST_NU];
    for (int k = 0; k < n; k++) x[k] = s->a[i * n + k];
    OK_ON(s->state, cdn_multiply_by_M(s->state, x, f)); /* M^-1 is symmetric: row i is column i */
    OK_ON(s->state, cdn_calc_M(s->state, s->b));
    for (int k = 0; k < n; k++) {
      double row = 0;
      for (int l = 0; l < n; l++) row += sqrt(s->b[k * n + k] * s->b[l * n + l]) * fabs(x[l]);
      NEAR(f[k], i == k, 1e-12 * row);
    }
  }
  /* and udot is linear in f */
  double before[MOST_NU];
  forward(s, before);
  memcpy(f, cdn_state_applied_mobility_forces(s->state), (size_t)n * sizeof *f);
  const int k = n / 2;
  if (n == 0) return;
  f[k] += 1;
  OK_ON(s->state, cdn_state_set_applied_mobility_forces(s->state, f));
  forward(s, udot);
  for (int i = 0; i < n; i++) {
    double size = fabs(udot[i]) + fabs(before[i]) + sqrt(s->a[i * n + i]) * 100;
    NEAR(udot[i] - before[i], s->a[i * n + k], 1e-9 * size);
  }
}

/* tau is quadratic in u (without forces that read it): the derivative is linear in u, and twice the bias along u. */
static void check_bias(sample *s) {
  double bias[MOST_NU], twice[MOST_NU], size = 1;
  OK_ON(s->state, cdn_inverse_dynamics_derivatives(s->state, s->udot, NULL, s->a, NULL));
  OK_ON(s->state, cdn_calc_bias(s->state, bias));
  for (int i = 0; i < s->nu * s->nu; i++) size = fmax(size, fabs(s->a[i]));
  for (int i = 0; i < s->nu; i++) {
    double sum = 0;
    for (int k = 0; k < s->nu; k++) sum += s->a[i * s->nu + k] * s->u[k];
    NEAR(sum, 2 * bias[i], 1e-12 * size * (1 + s->nu)); /* custom mobilizers are differenced */
  }
  for (int k = 0; k < s->nu; k++) twice[k] = -2 * s->u[k];
  OK_ON(s->state, cdn_state_set_u(s->state, twice));
  OK_ON(s->state, cdn_inverse_dynamics_derivatives(s->state, NULL, NULL, s->b, NULL));
  for (int i = 0; i < s->nu * s->nu; i++) NEAR(s->b[i], -2 * s->a[i], 1e-13 * size);
}

/* At rest, with forces that have a potential, dtau/dq is its second derivative: symmetric but for the order of turns.
 * In the block of a turning mobilizer, with e_i x e_j = e_k, dtau_i/dq_j - dtau_j/dq_i is tau_k. */
static void check_symmetry(sample *s) {
  double zero[MOST_NU] = { 0 }, tau[MOST_NU], size = 1;
  const cdn_system *system = cdn_state_system(s->state);
  for (int b = 1; b < s->nb; b++)
    OK_ON(s->state,
          cdn_state_set_applied_body_force(s->state, (cdn_body){ b }, (cdn_spatial){ { 0, 0, 0 }, { 0, 0, 0 } }));
  OK_ON(s->state, cdn_state_set_applied_mobility_forces(s->state, zero));
  OK_ON(s->state, cdn_state_set_u(s->state, zero));
  OK_ON(s->state, cdn_inverse_dynamics_derivatives(s->state, NULL, s->a, NULL, NULL));
  OK_ON(s->state, cdn_residual(s->state, NULL, tau));
  for (int i = 0; i < s->nu * s->nu; i++) size = fmax(size, fabs(s->a[i]));
  for (int b = 1; b < s->nb; b++) {
    const cdn_body body = { b };
    const int at = cdn_body_first_u(system, body), nu = cdn_body_nu(system, body);
    const cdn_mobilizer kind = cdn_body_mobilizer(system, body);
    if (kind == CDN_LINE_ORIENTATION || kind == CDN_FREE_LINE || kind == CDN_CUSTOM_MOBILIZER)
      for (int i = at; i < at + nu; i++) /* the commutator is a motion that they do not have */
        for (int k = at; k < at + nu; k++) s->a[i * s->nu + k] = 0;
    if (kind != CDN_BALL && kind != CDN_FREE && kind != CDN_ELLIPSOID) continue;
    const double half[3] = { tau[at] / 2, tau[at + 1] / 2, tau[at + 2] / 2 };
    /* remove half the commutator's part: then the block is symmetric */
    for (int k = 0; k < 3; k++) {
      const int i = (k + 1) % 3, j = (k + 2) % 3; /* e_i x e_j = e_k */
      s->a[(at + i) * s->nu + at + j] -= half[k];
      s->a[(at + j) * s->nu + at + i] += half[k];
    }
  }
  for (int i = 0; i < s->nu; i++)
    for (int k = 0; k < i; k++) NEAR(s->a[i * s->nu + k], s->a[k * s->nu + i], 1e-12 * size * (1 + s->nb));
}

START_TEST(inverse_of_mass_matrix) { on_trees(check_M_inv, 30, true); }
END_TEST
START_TEST(velocity_terms_are_quadratic) { on_trees(check_bias, 40, false); }
END_TEST
START_TEST(stiffness_is_symmetric) {
  for (uint64_t seed = 1; seed <= FEWER(60); seed++) {
    tree_options options = {
      .bodies = (int)(seed % 20) + 1, .shape = seed, .numbers = seed, .forces = true, .conservative = true
    };
    random_tree tree = make_random_tree(&options);
    sample s = sample_of_tree(&tree, seed);
    check_symmetry(&s);
    drop(&s);
  }
}
END_TEST

/* ---- inertial parameters ---- */

static void check_regressor(sample *s) {
  double pi[10 * (TREE_MOST_BODIES + 1)], tau[MOST_NU], f[MOST_NU] = { 0 };
  const cdn_system *system = cdn_state_system(s->state);
  const int columns = CDN_INERTIAL_PARAMETERS * s->nb;
  OK_ON(s->state, cdn_inertial_parameters(s->state, pi));
  OK_ON(s->state, cdn_inverse_dynamics_regressor(s->state, s->udot, s->a));
  /* with the weight as a given force: the other elements have no inertia in them */
  cdn_spatial weight[TREE_MOST_BODIES + 1];
  memset(weight, 0, sizeof weight);
  cdn_vec3 g = cdn_gravity_get(s->state, (cdn_force){ 0 });
  if (cdn_system_force_count(system) == 0) g = cdn_v3(0, 0, 0);
  for (int b = 1; b < s->nb; b++) {
    cdn_transform X;
    OK_ON(s->state, cdn_body_pose(s->state, (cdn_body){ b }, &X));
    const cdn_mass_properties m = cdn_body_mass_properties(s->state, (cdn_body){ b });
    weight[b].v = cdn_scale(m.mass, g);
    weight[b].w = cdn_cross(cdn_rotate(X.R, m.com), weight[b].v);
  }
  OK_ON(s->state, cdn_inverse_dynamics(s->state, s->udot, weight, NULL, tau));
  for (int b = 1; b < s->nb; b++)
    for (int k = 0; k < cdn_body_nu(system, (cdn_body){ b }); k++) {
      const int at = cdn_body_first_u(system, (cdn_body){ b }) + k;
      tau[at] -= cdn_body_armature(s->state, (cdn_body){ b }) * s->udot[at];
    }
  for (int i = 0; i < s->nu; i++) {
    double size = 1e-3;
    for (int k = 0; k < columns; k++)
      f[i] += s->a[i * columns + k] * pi[k], size += fabs(s->a[i * columns + k] * pi[k]);
    NEAR(f[i], tau[i], 1e-12 * size);
  }
}

/* Of the differences, the truncation error is (h / mass)^2 of what udot varies by over the mass. */
static void check_forward_regressor(sample *s) {
  double by_Y[MOST_NU], by_difference[MOST_NU], largest = 1;
  OK_ON(s->state, cdn_forward_dynamics_regressor(s->state, s->a));
  for (int i = 0; i < s->nu * CDN_INERTIAL_PARAMETERS * s->nb; i++) largest = fmax(largest, fabs(s->a[i]));
  for (int b = 1; b < s->nb; b++)
    for (int number = 0; number < CDN_INERTIAL_PARAMETERS; number++) {
      const cdn_mass_properties m = cdn_body_mass_properties(s->state, (cdn_body){ b });
      if (m.mass == 0 || !along_mass(s, (cdn_body){ b }, number, 1e-4 * m.mass, s->a, by_Y, by_difference)) continue;
      for (int i = 0; i < s->nu; i++) NEAR(by_Y[i], by_difference[i], 1e-6 * largest);
    }
}

START_TEST(regressor_times_parameters) {
  on_trees(check_regressor, 40, false);
  on_trees(check_regressor, 40, true);
}
END_TEST
START_TEST(forward_regressor) { on_trees(check_forward_regressor, 10, true); }
END_TEST

/* ---- kinematics ---- */

/* f'(0) = sum WEIGHTS f(STEPS): central differences with steps h and h/2, extrapolated; the error is about h^4 f^(5) /
 * 480 and 10 eps f / h. */
static const double STEPS[4] = { 2e-3, -2e-3, 1e-3, -1e-3 };
static const double WEIGHTS[4] = { -1 / 12e-3, 1 / 12e-3, 8 / 12e-3, -8 / 12e-3 };

static void check_qdot(sample *s) {
  const int nq = s->nq, nu = s->nu;
  double *D = calloc((size_t)(nq * nq + 1), sizeof *D), *N = calloc((size_t)(nq * nu + 1), sizeof *N);
  double *N_inv = calloc((size_t)(nq * nu + 1), sizeof *N_inv);
  OK_ON(s->state, cdn_qdot_derivatives(s->state, D, N, N_inv));
  for (int k = 0; k < nq; k++) {
    double truth[MOST_NQ] = { 0 };
    for (int step = 0; step < 4; step++) {
      double q[MOST_NQ];
      memcpy(q, s->q, (size_t)nq * sizeof *q);
      q[k] += STEPS[step];
      OK_ON(s->state, cdn_state_set_q(s->state, q));
      const double *qdot = cdn_state_qdot(s->state);
      for (int i = 0; i < nq; i++) truth[i] += WEIGHTS[step] * qdot[i];
    }
    put_back(s);
    double size = 1;
    for (int i = 0; i < nq; i++) size = fmax(size, fabs(truth[i]));
    for (int i = 0; i < nq; i++) NEAR(D[i * nq + k], truth[i], 1e-10 * size);
  }
  const double *qdot = cdn_state_qdot(s->state);
  for (int i = 0; i < nq; i++) {
    double sum = 0;
    for (int k = 0; k < nu; k++) sum += N[i * nu + k] * s->u[k];
    NEAR(sum, qdot[i], 1e-14 * (1 + fabs(qdot[i])));
  }
  for (int i = 0; i < nu; i++)
    for (int k = 0; k < nu; k++) {
      double sum = 0, size = 1;
      for (int j = 0; j < nq; j++) sum += N_inv[i * nq + j] * N[j * nu + k], size += fabs(N[j * nu + k]);
      NEAR(sum, i == k, 1e-14 * size);
    }
  /* The growth of a displacement: N^+ d(N u) along N e_k, less how N e_k itself moves with u, N^+ d(N e_k) along N
   * u. */
  const cdn_status status = cdn_tangent_rate_derivatives(s->state, s->a);
  ck_assert(status == CDN_OK || status == CDN_ERR_UNSUPPORTED);
  for (int k = 0; k < nu && status == CDN_OK; k++) {
    double q[MOST_NQ], unit[MOST_NU] = { 0 }, moved[MOST_NQ], rate[MOST_NQ], A[MOST_NU];
    unit[k] = 1;
    qdot = cdn_state_qdot(s->state);
    double forwards[MOST_NQ];
    memcpy(forwards, qdot, (size_t)nq * sizeof *qdot);
    for (int i = 0; i < nq; i++) {
      rate[i] = 0;
      for (int j = 0; j < nq; j++) rate[i] += D[i * nq + j] * N[j * nu + k];
    }
    for (int step = 0; step < 4; step++) {
      for (int i = 0; i < nq; i++) q[i] = s->q[i] + STEPS[step] * forwards[i];
      OK_ON(s->state, cdn_state_set_q(s->state, q));
      OK_ON(s->state, cdn_multiply_by_N(s->state, unit, moved));
      for (int i = 0; i < nq; i++) rate[i] -= WEIGHTS[step] * moved[i];
    }
    put_back(s);
    OK_ON(s->state, cdn_multiply_by_N_inv(s->state, rate, A));
    double size = 1;
    for (int i = 0; i < nq; i++) size = fmax(size, fabs(forwards[i]) + fabs(rate[i]));
    for (int i = 0; i < nu; i++) NEAR(s->a[i * nu + k], A[i], 1e-9 * size * size);
  }
  free(D);
  free(N);
  free(N_inv);
}

START_TEST(coordinate_rates) { on_trees(check_qdot, 13, false); }
END_TEST

CHECK_MAIN("derivatives", inverse_dynamics_of_trees, inverse_dynamics_with_forces, forward_dynamics_with_forces,
           inverse_of_mass_matrix, velocity_terms_are_quadratic, stiffness_is_symmetric, regressor_times_parameters,
           forward_regressor, coordinate_rates)
