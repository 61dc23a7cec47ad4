/* Identities of the tree's operators on random trees, and the operators against the dense, naive mechanics. */
#include "naive_tree.h"
#include "random_tree.h"

enum { MOST_NU = 6 * TREE_MOST_BODIES, MOST_NQ = 7 * TREE_MOST_BODIES };

/* Rounding of a quantity that is summed along a path to Ground of up to 40 bodies: each level adds a few roundings of
 * the largest partial sum, 40 * 10 * 1.1e-16 = 4e-14 at worst; usually far less. */
static const double ALONG_A_PATH = 5e-14;

typedef struct sample {
  cdn_state *state;
  naive_tree naive;
  rng r;
  int nq, nu, nb;
} sample;

typedef void check_sample(sample *s);

/* Runs a check on trees of 1 to 40 bodies of every style. */
static void on_trees(check_sample *check, int most_bodies, bool with_forces) {
  static const int sizes[] = { 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 6, 7, 8, 10, 13, 17, 22, 30, 40 };
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (uint64_t seed = 1; seed <= 6; seed++) {
      if (sizes[i] > most_bodies) continue;
      tree_options options = { .bodies = sizes[i], .shape = 100 * i + seed, .numbers = seed, .forces = with_forces };
      random_tree tree = make_random_tree(&options);
      sample s = { .state = random_tree_state(&tree, seed), .r = rng_of(seed) };
      s.naive = naive_of(s.state);
      s.nq = cdn_system_nq(tree.system), s.nu = cdn_system_nu(tree.system), s.nb = s.naive.nb;
      check(&s);
      naive_free(&s.naive);
      cdn_state_destroy(s.state);
    }
}

static void near_vec3(cdn_vec3 a, cdn_vec3 b, double tolerance) {
  NEAR(a.x, b.x, tolerance);
  NEAR(a.y, b.y, tolerance);
  NEAR(a.z, b.z, tolerance);
}

/* ---- kinematics ----------------------------------------------------------------------------- */

static void check_poses(sample *s) {
  for (int b = 0; b < s->nb; b++) {
    cdn_transform X;
    cdn_spatial V;
    const naive_body *B = &s->naive.body[b];
    OK_ON(s->state, cdn_body_pose(s->state, (cdn_body){ b }, &X));
    OK_ON(s->state, cdn_body_velocity(s->state, (cdn_body){ b }, &V));
    near_vec3(X.p, B->X_GB.p, ALONG_A_PATH * (1 + b));
    near_vec3(X.R.x, B->X_GB.R.x, ALONG_A_PATH);
    near_vec3(X.R.y, B->X_GB.R.y, ALONG_A_PATH);
    near_vec3(X.R.z, B->X_GB.R.z, ALONG_A_PATH);
    near_vec3(V.w, B->V_GB.w, ALONG_A_PATH * (B->speed + 1e-300));
    near_vec3(V.v, B->V_GB.v, ALONG_A_PATH * (B->speed + 1e-300));

    cdn_vec3 p_B = random_vec3(&s->r, 1), p_G, v_G, arm = cdn_rotate(X.R, p_B);
    OK_ON(s->state, cdn_body_station(s->state, (cdn_body){ b }, p_B, &p_G, &v_G));
    near_vec3(p_G, cdn_add(X.p, arm), ALONG_A_PATH * (1 + b));
    near_vec3(v_G, cdn_add(V.v, cdn_cross(V.w, arm)), ALONG_A_PATH * (1 + B->speed));
  }
}

static void check_jacobian(sample *s) {
  double u[MOST_NU], f[MOST_NU];
  cdn_spatial V[TREE_MOST_BODIES + 1], F[TREE_MOST_BODIES + 1];
  /* J u = V with the State's own u: the same sums, whatever their order */
  OK_ON(s->state, cdn_multiply_by_J(s->state, cdn_state_u(s->state), V));
  for (int b = 0; b < s->nb; b++) {
    cdn_spatial V_GB;
    OK_ON(s->state, cdn_body_velocity(s->state, (cdn_body){ b }, &V_GB));
    near_vec3(V[b].w, V_GB.w, ALONG_A_PATH * s->naive.body[b].speed);
    near_vec3(V[b].v, V_GB.v, ALONG_A_PATH * s->naive.body[b].speed);
  }
  /* power: F . (J u) = (J^T F) . u for any F and u */
  random_numbers(&s->r, 2, u, s->nu);
  OK_ON(s->state, cdn_multiply_by_J(s->state, u, V));
  double power = 0, size = 0;
  for (int b = 0; b < s->nb; b++) {
    F[b] = random_spatial(&s->r, 3);
    power += cdn_dot(F[b].w, V[b].w) + cdn_dot(F[b].v, V[b].v);
    size += cdn_norm(F[b].w) * cdn_norm(V[b].w) + cdn_norm(F[b].v) * cdn_norm(V[b].v);
  }
  OK_ON(s->state, cdn_multiply_by_J_transpose(s->state, F, f));
  for (int k = 0; k < s->nu; k++) power -= f[k] * u[k], size += fabs(f[k] * u[k]);
  NEAR(power, 0, ALONG_A_PATH * size);
}

static void check_N(sample *s) {
  double u[MOST_NU], back[MOST_NU], qdot[MOST_NQ], again[MOST_NQ];
  random_numbers(&s->r, 2, u, s->nu);
  OK_ON(s->state, cdn_multiply_by_N(s->state, u, qdot));
  OK_ON(s->state, cdn_multiply_by_N_inv(s->state, qdot, back));
  for (int k = 0; k < s->nu; k++) NEAR(back[k], u[k], 2e-15 * 4); /* products of numbers below 2, three of them */
  OK_ON(s->state, cdn_multiply_by_N(s->state, back, again));
  for (int i = 0; i < s->nq; i++) NEAR(again[i], qdot[i], 1e-14);
  /* N against the definitions: a quaternion's rate is half of (0, w) times it */
  const cdn_system *system = cdn_state_system(s->state);
  for (int b = 1; b < s->nb; b++) {
    cdn_body body = { b };
    const double *q = cdn_body_q(s->state, body), *qd = qdot + cdn_body_first_q(system, body);
    const double *w = u + cdn_body_first_u(system, body);
    cdn_mobilizer kind = cdn_body_mobilizer(system, body);
    if (kind == CDN_PIN || kind == CDN_SLIDER) ck_assert_double_eq(qd[0], w[0]);
    if ((kind != CDN_BALL && kind != CDN_FREE) || !cdn_body_has_quaternion(system, body)) continue;
    NEAR(qd[0], -0.5 * (w[0] * q[1] + w[1] * q[2] + w[2] * q[3]), 2e-15);
    NEAR(qd[1], 0.5 * (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]), 2e-15);
    NEAR(qd[2], 0.5 * (w[1] * q[0] + w[2] * q[1] - w[0] * q[3]), 2e-15);
    NEAR(qd[3], 0.5 * (w[2] * q[0] + w[0] * q[2] - w[1] * q[1]), 2e-15);
    for (int k = 0; kind == CDN_FREE && k < 3; k++) ck_assert_double_eq(qd[4 + k], w[3 + k]);
  }
  /* the State's own qdot is N u */
  const double *state_qdot = cdn_state_qdot(s->state);
  OK_ON(s->state, cdn_multiply_by_N(s->state, cdn_state_u(s->state), qdot));
  for (int i = 0; i < s->nq; i++) NEAR(state_qdot[i], qdot[i], 1e-15);
}

/* ---- the mass matrix ------------------------------------------------------------------------ */

static void check_mass_matrix(sample *s) {
  int n = s->nu;
  double *M = calloc((size_t)(n * n + 1), sizeof *M), *truth = calloc((size_t)(n * n + 1), sizeof *truth);
  double unit[MOST_NU] = { 0 }, column[MOST_NU], back[MOST_NU];
  OK_ON(s->state, cdn_calc_M(s->state, M));
  naive_mass_matrix(&s->naive, truth);
  for (int j = 0; j < n; j++) {
    unit[j] = 1;
    OK_ON(s->state, cdn_multiply_by_M(s->state, unit, column));
    unit[j] = 0;
    for (int i = 0; i < n; i++) {
      /* an element is a sum over bodies of products that Cauchy-Schwarz bounds by the diagonal ones; composite inertias
       * about a distant origin lose some digits more */
      double scale = sqrt(truth[i * n + i] * truth[j * n + j]);
      NEAR(M[i * n + j], truth[i * n + j], 1e-12 * scale);
      NEAR(M[i * n + j], column[i], 1e-12 * scale);
      ck_assert_msg(M[i * n + j] == M[j * n + i], "M is not symmetric to the bit at %d, %d", i, j);
    }
    /* M M^-1 = 1, each column measured by what is summed up in it */
    OK_ON(s->state, cdn_multiply_by_M_inv(s->state, column, back));
    double residual[MOST_NU];
    OK_ON(s->state, cdn_multiply_by_M(s->state, back, residual));
    for (int i = 0; i < n; i++) {
      double size = 0;
      for (int k = 0; k < n; k++) size += sqrt(truth[i * n + i] * truth[k * n + k]) * fabs(back[k]);
      NEAR(residual[i], column[i], 1e-12 * size);
    }
  }
  free(M);
  free(truth);
}

/* M^-1 M = 1: here the error is amplified by the condition of M scaled to a unit diagonal, which is measured. */
static void check_inverse(sample *s) {
  int n = s->nu;
  double *M = calloc((size_t)(n * n + 1), sizeof *M), *inverse = calloc((size_t)(n * n + 1), sizeof *inverse);
  double unit[MOST_NU] = { 0 };
  OK_ON(s->state, cdn_calc_M(s->state, M));
  double M_norm = 0, inverse_norm = 0;
  for (int j = 0; j < n; j++) {
    unit[j] = 1;
    OK_ON(s->state, cdn_multiply_by_M_inv(s->state, unit, inverse + j * n)); /* column j */
    unit[j] = 0;
  }
  for (int i = 0; i < n; i++) {
    double row = 0, inverse_row = 0;
    for (int j = 0; j < n; j++) {
      row += fabs(M[i * n + j]) / sqrt(M[i * n + i] * M[j * n + j]);
      inverse_row += fabs(inverse[j * n + i]) * sqrt(M[i * n + i] * M[j * n + j]);
    }
    M_norm = fmax(M_norm, row), inverse_norm = fmax(inverse_norm, inverse_row);
  }
  double condition = M_norm * inverse_norm;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0, scale = sqrt(M[j * n + j] / M[i * n + i]);
      for (int k = 0; k < n; k++) sum += inverse[k * n + i] * M[k * n + j];
      NEAR(sum, i == j ? 1 : 0, 1e-14 * condition * scale);
      double symmetric = sqrt(inverse[i * n + i] * inverse[j * n + j]);
      NEAR(inverse[i * n + j], inverse[j * n + i], 1e-14 * condition * symmetric);
    }
  free(M);
  free(inverse);
}

/* ---- dynamics ------------------------------------------------------------------------------- */

static void check_inverse_dynamics(sample *s) {
  double udot[MOST_NU], f_mob[MOST_NU], f[MOST_NU], truth[MOST_NU], size[MOST_NU], bias[MOST_NU];
  cdn_spatial F[TREE_MOST_BODIES + 1];
  random_numbers(&s->r, 5, udot, s->nu);
  random_numbers(&s->r, 5, f_mob, s->nu);
  for (int b = 0; b < s->nb; b++) F[b] = random_spatial(&s->r, 5);

  OK_ON(s->state, cdn_inverse_dynamics(s->state, udot, F, f_mob, f));
  naive_inverse_dynamics(&s->naive, udot, F, f_mob, truth, size);
  for (int k = 0; k < s->nu; k++) NEAR(f[k], truth[k], ALONG_A_PATH * size[k]);

  OK_ON(s->state, cdn_calc_bias(s->state, bias));
  OK_ON(s->state, cdn_inverse_dynamics(s->state, NULL, NULL, NULL, f));
  naive_inverse_dynamics(&s->naive, NULL, NULL, NULL, truth, size);
  for (int k = 0; k < s->nu; k++) {
    NEAR(bias[k], truth[k], ALONG_A_PATH * size[k]);
    NEAR(f[k], truth[k], ALONG_A_PATH * size[k]);
  }
  /* no velocity, no bias: every term has a factor zero */
  double zero[MOST_NU] = { 0 };
  OK(cdn_state_set_u(s->state, zero));
  OK_ON(s->state, cdn_calc_bias(s->state, bias));
  for (int k = 0; k < s->nu; k++) ck_assert_msg(bias[k] == 0, "bias %g at u = 0", bias[k]);
}

/* Inverse dynamics of what forward dynamics gave returns the forces, within 1e-12 of the summed magnitudes. */
static void check_forward_dynamics(sample *s) {
  double f_mob[MOST_NU], udot[MOST_NU], back[MOST_NU], bias[MOST_NU], f_body[MOST_NU];
  cdn_spatial F[TREE_MOST_BODIES + 1], A[TREE_MOST_BODIES + 1];
  int n = s->nu;
  random_numbers(&s->r, 10, f_mob, n);
  for (int b = 0; b < s->nb; b++) F[b] = random_spatial(&s->r, 10);
  OK_ON(s->state, cdn_forward_dynamics(s->state, F, f_mob, udot, A));
  OK_ON(s->state, cdn_inverse_dynamics(s->state, udot, F, NULL, back));

  double *M = calloc((size_t)(n * n + 1), sizeof *M);
  OK_ON(s->state, cdn_calc_M(s->state, M));
  OK_ON(s->state, cdn_calc_bias(s->state, bias));
  OK_ON(s->state, cdn_multiply_by_J_transpose(s->state, F, f_body));
  for (int k = 0; k < n; k++) {
    double size = fabs(f_mob[k]) + fabs(bias[k]) + fabs(f_body[k]);
    for (int j = 0; j < n; j++) size += fabs(M[k * n + j] * udot[j]);
    NEAR(back[k], f_mob[k], 1e-12 * size);
  }
  free(M);

  /* the accelerations of the bodies that belong to udot */
  for (int b = 0; b < s->nb; b++) {
    cdn_spatial truth = naive_acceleration(&s->naive, b, udot);
    double size = s->naive.body[b].rise;
    for (int k = 0; k < n; k++) {
      const cdn_spatial *J = &s->naive.J[b * n + k];
      size += fabs(udot[k]) * (cdn_norm(J->w) + cdn_norm(J->v));
    }
    near_vec3(A[b].w, truth.w, ALONG_A_PATH * size);
    near_vec3(A[b].v, truth.v, ALONG_A_PATH * size);
  }
}

/* With all force elements: udot solves the equations of motion, and A_GB belongs to it. */
static void check_equations_of_motion(sample *s) {
  int n = s->nu;
  double residual[MOST_NU], f_mob[MOST_NU], truth[MOST_NU], size[MOST_NU], applied[MOST_NU], udot[MOST_NU + 1];
  cdn_spatial F[TREE_MOST_BODIES + 1];
  random_numbers(&s->r, 3, applied, n);
  OK(cdn_state_set_applied_mobility_forces(s->state, applied));
  for (int b = 1; b < s->nb; b++)
    OK(cdn_state_set_applied_body_force(s->state, (cdn_body){ b }, random_spatial(&s->r, 3)));
  OK_ON(s->state, cdn_realize(s->state, CDN_STAGE_ACCELERATION));
  memcpy(udot, cdn_state_udot(s->state), (size_t)n * sizeof *udot);
  OK_ON(s->state, cdn_applied_forces(s->state, F, f_mob));
  OK_ON(s->state, cdn_residual(s->state, udot, residual));
  naive_inverse_dynamics(&s->naive, udot, F, f_mob, truth, size);
  for (int k = 0; k < n; k++) {
    NEAR(residual[k], 0, 1e-12 * size[k]);
    NEAR(truth[k], 0, 1e-12 * size[k]);
  }
  for (int b = 0; b < s->nb; b++) {
    cdn_spatial A, expected = naive_acceleration(&s->naive, b, udot);
    OK_ON(s->state, cdn_body_acceleration(s->state, (cdn_body){ b }, &A));
    double sum = s->naive.body[b].rise;
    for (int k = 0; k < n; k++) {
      const cdn_spatial *J = &s->naive.J[b * n + k];
      sum += fabs(udot[k]) * (cdn_norm(J->w) + cdn_norm(J->v));
    }
    near_vec3(A.w, expected.w, ALONG_A_PATH * sum);
    near_vec3(A.v, expected.v, ALONG_A_PATH * sum);
  }
}

/* ---- sums over bodies ----------------------------------------------------------------------- */

static void check_sums(sample *s) {
  int n = s->nu;
  double *M = calloc((size_t)(n * n + 1), sizeof *M), energy, twice = 0, size = 0, total, moving, mass = 0, fixed = 0;
  const cdn_system *system = cdn_state_system(s->state);
  const double *u = cdn_state_u(s->state);
  naive_mass_matrix(&s->naive, M);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) twice += u[i] * M[i * n + j] * u[j], size += fabs(u[i] * M[i * n + j] * u[j]);
  OK_ON(s->state, cdn_kinetic_energy(s->state, &energy));
  NEAR(energy, 0.5 * twice, ALONG_A_PATH * (size + 1e-300));
  free(M);

  bool welded[TREE_MOST_BODIES + 1] = { true };
  for (int b = 1; b < s->nb; b++) {
    cdn_body body = { b };
    mass += s->naive.body[b].mass;
    welded[b] = welded[cdn_body_parent(system, body).i] && cdn_body_mobilizer(system, body) == CDN_WELD;
    if (welded[b]) fixed += s->naive.body[b].mass;
  }
  OK_ON(s->state, cdn_system_mass(s->state, &total, &moving));
  NEAR(total, mass, 1e-14 * mass);
  NEAR(moving, mass - fixed, 1e-14 * mass);

  cdn_vec3 center;
  OK_ON(s->state, cdn_center_of_mass(s->state, &center));
  near_vec3(center, naive_center_of_mass(&s->naive), ALONG_A_PATH * s->nb);

  cdn_spatial P, truth = naive_momentum(&s->naive);
  OK_ON(s->state, cdn_momentum(s->state, &P));
  double linear = 0, angular = 0;
  for (int b = 1; b < s->nb; b++) {
    double p = s->naive.body[b].mass * (s->naive.body[b].speed + cdn_norm(s->naive.body[b].V_GB.w));
    linear += p, angular += p * (1 + cdn_norm(s->naive.body[b].X_GB.p));
  }
  near_vec3(P.v, truth.v, ALONG_A_PATH * linear);
  near_vec3(P.w, truth.w, ALONG_A_PATH * (angular + linear));
}

START_TEST(test_poses_and_velocities) { on_trees(check_poses, 40, false); }
END_TEST
START_TEST(test_jacobian) { on_trees(check_jacobian, 40, false); }
END_TEST
START_TEST(test_coordinate_rates) { on_trees(check_N, 40, false); }
END_TEST
START_TEST(test_mass_matrix) { on_trees(check_mass_matrix, 40, false); }
END_TEST
START_TEST(test_inverse_mass_matrix) { on_trees(check_inverse, 40, false); }
END_TEST
START_TEST(test_inverse_dynamics) { on_trees(check_inverse_dynamics, 40, false); }
END_TEST
START_TEST(test_forward_dynamics) { on_trees(check_forward_dynamics, 40, false); }
END_TEST
START_TEST(test_equations_of_motion) { on_trees(check_equations_of_motion, 40, true); }
END_TEST
START_TEST(test_sums_over_bodies) { on_trees(check_sums, 40, false); }
END_TEST

CHECK_MAIN("random trees", test_poses_and_velocities, test_jacobian, test_coordinate_rates, test_mass_matrix,
           test_inverse_mass_matrix, test_inverse_dynamics, test_forward_dynamics, test_equations_of_motion,
           test_sums_over_bodies)
