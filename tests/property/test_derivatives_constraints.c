/* Derivatives of constrained forward dynamics against differences of what cdn_realize computes: random trees of all
 * kinds of mobilizers with all kinds of forces and constraints, on the constraints' manifold and off it, with redundant
 * equations and with prescribed mobilizers. */
#include "constraint_samples.h"
#include "differences.h"
#include "prescribed_tree.h"
#include "random_constraints.h"

/* Of the largest element: what is left of the differences' own truncation and rounding; near poses where constraints
 * are singular derivatives of high order are large. */
static const double BY_DIFFERENCES = 1e-8;
/* Off the manifold redundant equations contradict each other a little, and rounding in their pivots leaves 1e-10 of
 * noise in udot, which differences magnify. */
static const double NOISY_DIFFERENCES = 1e-6;

static void check_udot(sample *s, double tolerance) {
  OK_ON(s->state, cdn_forward_dynamics_derivatives(s->state, s->a, s->b, NULL, NULL));
  check_matrix(s, forward, ALONG_Q, s->nu, s->a, tolerance, "dudot/dq");
  check_matrix(s, forward, ALONG_U, s->nu, s->b, tolerance, "dudot/du");
}

static void check_lambda(sample *s) {
  const int m = cdn_system_nudoterr(cdn_state_system(s->state));
  const size_t n = (size_t)s->nu;
  double *dq = calloc(n * n, sizeof *dq), *du = calloc(n * n, sizeof *du); /* as high as check_matrix wants them */
  ck_assert_int_le(m, s->nu);
  OK_ON(s->state, cdn_multiplier_derivatives(s->state, dq, du, NULL, NULL));
  check_matrix(s, multipliers, ALONG_Q, s->nu, dq, BY_DIFFERENCES, "dlambda/dq");
  check_matrix(s, multipliers, ALONG_U, s->nu, du, BY_DIFFERENCES, "dlambda/du");
  free(dq), free(du);
}

static random_tree make_tree(int bodies, uint64_t seed) {
  tree_options options = {
    .bodies = bodies, .shape = 50 * (uint64_t)bodies + seed, .numbers = seed, .forces = true, .conservative = true
  };
  return make_random_tree(&options);
}

static int redundant(cdn_state *state) {
  bool flags[MOST_NU];
  int n;
  OK_ON(state, cdn_redundant_equations(state, flags, &n));
  return n;
}

/* Where redundant equations contradict each other the accelerations are a compromise, which has other derivatives. */
START_TEST(off_the_manifold) {
  int checked = 0;
  for (int bodies = 2; bodies <= 8; bodies++)
    for (uint64_t seed = 1; seed <= 12; seed++) {
      random_tree tree = make_tree(bodies, seed);
      add_random_constraints(&tree, 1 + (int)(seed % 3), seed);
      sample s = sample_of_tree(&tree, seed);
      if (cdn_system_constraint_count(cdn_state_system(s.state)) > 0 && redundant(s.state) == 0) {
        check_udot(&s, BY_DIFFERENCES);
        check_lambda(&s);
        checked++;
      }
      drop(&s);
    }
  ck_assert_int_ge(checked, 30);
}
END_TEST

/* Next to a singular pose accelerations vary too fast for differences. */
static bool is_tame(sample *s) {
  double most = 0;
  OK_ON(s->state, cdn_forward_dynamics_derivatives(s->state, s->a, NULL, NULL, NULL));
  for (int k = 0; k < s->nu * s->nu; k++) most = fmax(most, fabs(s->a[k]));
  return most < 2e3;
}

/* Rows that are not linear in u, functions of the user's, rolling, every mobilizer as a loop joint. */
START_TEST(every_kind) {
  for (int i = 0; i < constraint_sample_count(); i++) {
    int checked = 0;
    for (uint64_t seed = 1; seed <= 6; seed++) {
      rng r = rng_of(40 * (uint64_t)i + seed);
      random_tree tree = make_tree(4 + (int)(seed % 3), 100 + seed);
      const constraint_place place = constraint_place_on(&tree, &r);
      constraint_sample_add(i, &place, &r);
      sample s = sample_of_tree(&tree, seed);
      if (redundant(s.state) == 0 && is_tame(&s)) {
        check_udot(&s, BY_DIFFERENCES);
        check_lambda(&s);
        checked++;
      }
      drop(&s);
    }
    ck_assert_msg(checked >= 2, "%s", constraint_sample_at(i)->name);
  }
}
END_TEST

/* On the manifold redundant equations agree, and nearby they do so to second order. Where they are redundant is a
 * matter of how the bodies are joined here (two ball constraints of one pair), so that the rank does not change. */
START_TEST(on_the_manifold) {
  int checked = 0, singular = 0;
  for (int bodies = 2; bodies <= 8; bodies++)
    for (uint64_t seed = 1; seed <= 12; seed++) {
      random_tree tree = make_tree(bodies, seed);
      add_random_constraints(&tree, 1 + (int)(seed % 3), seed);
      if (seed % 4 == 0) /* a hinge of two ball joints: the sixth equation follows from the others */
        for (int k = 0; k < 2; k++)
          cdn_system_constrain_ball(tree.system, NULL, cdn_ground(), cdn_v3(0.2, 0.3, k), (cdn_body){ bodies },
                                    cdn_v3(k, 0, 0.1));
      const cdn_constraint first = { 0 };
      cdn_projection_def tight = cdn_default_projection_def();
      tight.tolerance = 1e-11;
      tight.always = true;
      sample s = sample_of_tree(&tree, seed);
      const cdn_system *system = cdn_state_system(s.state);
      if (!cdn_constraint_name(system, first) || cdn_project_q(s.state, &tight, NULL) != CDN_OK ||
          cdn_project_u(s.state, &tight, NULL) != CDN_OK) {
        drop(&s);
        continue;
      }
      memcpy(s.q, cdn_state_q(s.state), (size_t)s.nq * sizeof(double));
      memcpy(s.u, cdn_state_u(s.state), (size_t)s.nu * sizeof(double));
      if (redundant(s.state) == 0) check_lambda(&s);
      else singular++;
      check_udot(&s, redundant(s.state) ? NOISY_DIFFERENCES : BY_DIFFERENCES);
      checked++;
      drop(&s);
    }
  ck_assert_int_ge(checked, 30);
  ck_assert_int_ge(singular, 1);
}
END_TEST

/* Every constraint twice: equations that agree everywhere. */
START_TEST(the_same_twice) {
  for (uint64_t seed = 1; seed <= 8; seed++) {
    random_tree twins[2] = { make_tree(7, seed), make_tree(7, seed) };
    add_random_constraints(&twins[0], 3, seed);
    for (int k = 0; k < 2; k++) add_random_constraints(&twins[1], 3, seed);
    sample once = sample_of_tree(&twins[0], seed), twice = sample_of_tree(&twins[1], seed);
    const int m = cdn_system_nudoterr(cdn_state_system(once.state));
    if (m > 0 && redundant(once.state) == 0) {
      ck_assert_int_eq(redundant(twice.state), m);
      check_udot(&twice, BY_DIFFERENCES);
    }
    drop(&once), drop(&twice);
  }
}
END_TEST

/* By forces: M^-1 on the constraints' manifold, from G M^-1 G^T as dense matrices would have it; and by masses. */
START_TEST(by_forces) {
  for (uint64_t seed = 1; seed <= 12; seed++) {
    random_tree tree = make_tree(6, seed);
    add_random_constraints(&tree, 2, seed);
    sample s = sample_of_tree(&tree, seed);
    const int m = cdn_system_nudoterr(cdn_state_system(s.state)), nu = s.nu;
    double *G = calloc((size_t)(m * nu + 1), sizeof *G), *lambda = calloc((size_t)(m * nu + 1), sizeof *lambda);
    double *M = calloc((size_t)(nu * nu + 1), sizeof *M);
    OK_ON(s.state, cdn_forward_dynamics_derivatives(s.state, NULL, NULL, s.a, NULL));
    OK_ON(s.state, cdn_multiplier_derivatives(s.state, NULL, NULL, lambda, NULL));
    OK_ON(s.state, cdn_calc_G(s.state, G));
    OK_ON(s.state, cdn_calc_M(s.state, M));
    double largest = 1;
    for (int k = 0; k < nu * nu; k++) largest = fmax(largest, fabs(s.a[k]) * fabs(M[0]));
    for (int k = 0; k < nu; k++) {
      for (int i = 0; i < nu; i++) { /* M x + G^T lambda = e_k */
        double sum = i == k ? -1 : 0, size = 1;
        for (int j = 0; j < nu; j++)
          sum += M[i * nu + j] * s.a[j * nu + k], size += fabs(M[i * nu + j] * s.a[j * nu + k]);
        for (int e = 0; e < m; e++)
          sum += G[e * nu + i] * lambda[e * nu + k], size += fabs(G[e * nu + i] * lambda[e * nu + k]);
        NEAR(sum, 0, 1e-11 * size);
      }
      for (int e = 0; e < m; e++) { /* G x = 0 */
        double sum = 0, size = 1;
        for (int j = 0; j < nu; j++)
          sum += G[e * nu + j] * s.a[j * nu + k], size += fabs(G[e * nu + j] * s.a[j * nu + k]);
        NEAR(sum, 0, 1e-10 * size);
      }
    }
    /* -M^-1 Y by the inertial parameters: M x + Y is what constraints take, G x = 0 */
    const int columns = CDN_INERTIAL_PARAMETERS * s.nb;
    double *basis = calloc((size_t)(nu * nu + 1), sizeof *basis);
    int n;
    OK_ON(s.state, cdn_displacement_basis(s.state, basis, &n));
    OK_ON(s.state, cdn_forward_dynamics_regressor(s.state, s.a));
    OK_ON(s.state, cdn_inverse_dynamics_regressor(s.state, cdn_state_udot(s.state), s.b));
    for (int k = 0; k < columns; k++) {
      for (int i = 0; i < n; i++) {
        double sum = 0, size = 1;
        for (int j = 0; j < nu; j++) {
          double row = s.b[j * columns + k];
          for (int l = 0; l < nu; l++) row += M[j * nu + l] * s.a[l * columns + k];
          sum += basis[i * nu + j] * row, size += fabs(s.b[j * columns + k]);
        }
        NEAR(sum, 0, 1e-9 * size);
      }
      for (int e = 0; e < m; e++) {
        double sum = 0, size = 1;
        for (int j = 0; j < nu; j++)
          sum += G[e * nu + j] * s.a[j * columns + k], size += fabs(G[e * nu + j] * s.a[j * columns + k]);
        NEAR(sum, 0, 1e-10 * size);
      }
    }
    free(G), free(lambda), free(M), free(basis);
    drop(&s);
  }
}
END_TEST

/* Accelerations that are prescribed, by locks and by functions of q and u. */
START_TEST(with_prescribed_mobilizers) {
  int checked = 0;
  for (int bodies = 3; bodies <= 9; bodies++)
    for (uint64_t seed = 1; seed <= 10; seed++) {
      tree_options options = {
        .bodies = bodies, .shape = 100 * (uint64_t)bodies + seed, .numbers = seed, .forces = true, .conservative = true
      };
      prescribed_tree p = make_prescribed_tree(&options, seed);
      add_random_constraints(&p.tree, 1 + (int)(seed % 2), seed);
      cdn_state *state = prescribed_tree_state(&p, seed);
      OK_ON(state, cdn_prescribe(state, NULL));
      sample s = sample_of(state, seed);
      hold_accelerations(state, &p);
      if (cdn_system_nudoterr(cdn_state_system(state)) > 0 && redundant(state) == 0) {
        check_udot(&s, BY_DIFFERENCES);
        checked++;
      }
      drop(&s);
    }
  ck_assert_int_ge(checked, 10);
}
END_TEST

CHECK_MAIN("derivatives of constrained dynamics", off_the_manifold, every_kind, on_the_manifold, the_same_twice,
           by_forces, with_prescribed_mobilizers)
