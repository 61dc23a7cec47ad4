/* M^-1, log det M and its gradient against LAPACK on the dense, naive mass matrix; inertias and energies against sums
 * over bodies. */
#include "operator_samples.h"

#include <lapacke.h>
#undef I /* of complex.h; here it is an inertia */

/* log det of the naive M of the State as it is now. */
static double naive_log_det(const cdn_state *state) {
  naive_tree t = naive_of(state);
  double *M = calloc((size_t)(t.nu * t.nu + 1), sizeof *M), sum = 0;
  naive_mass_matrix(&t, M);
  if (t.nu > 0) ck_assert_int_eq(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', t.nu, M, t.nu), 0);
  for (int i = 0; i < t.nu; i++) sum += 2 * log(M[i * t.nu + i]);
  free(M);
  naive_free(&t);
  return sum;
}

/* The condition of M scaled to a unit diagonal: what roundings of M are amplified by in its inverse. */
static double scaled_condition(const sample *s, double *root) {
  int n = s->nu;
  if (n == 0) return 1;
  double *M = calloc((size_t)(n * n), sizeof *M), *eigenvalues = calloc((size_t)n, sizeof *eigenvalues);
  naive_mass_matrix(&s->naive, M);
  for (int i = 0; i < n; i++) root[i] = sqrt(M[i * n + i]);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) M[i * n + j] /= root[i] * root[j];
  ck_assert_int_eq(LAPACKE_dsyev(LAPACK_ROW_MAJOR, 'N', 'L', n, M, n, eigenvalues), 0);
  double condition = eigenvalues[n - 1] / eigenvalues[0];
  free(M);
  free(eigenvalues);
  return condition;
}

static int base_of(const sample *s, int b) {
  int parent;
  while ((parent = cdn_body_parent(cdn_state_system(s->state), (cdn_body){ b }).i) > 0) b = parent;
  return b;
}

static void check_M_inv(sample *s) {
  int n = s->nu, base[MOST_NU];
  size_t bytes = (size_t)(n * n + 1) * sizeof(double);
  double *inverse = malloc(bytes), *M = malloc(bytes), root[MOST_NU], f[MOST_NU], a[MOST_NU], product[MOST_NU];
  double condition = scaled_condition(s, root);
  for (int b = 1; b < s->nb; b++) {
    int first = cdn_body_first_u(cdn_state_system(s->state), (cdn_body){ b });
    for (int k = 0; k < cdn_body_nu(cdn_state_system(s->state), (cdn_body){ b }); k++) base[first + k] = base_of(s, b);
  }
  for (int i = 0; i < n * n; i++) inverse[i] = NAN;
  OK_ON(s->state, cdn_calc_M_inv(s->state, inverse));
  naive_mass_matrix(&s->naive, M);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      double sum = 0;
      for (int k = 0; k < n; k++) sum += M[i * n + k] * inverse[k * n + j];
      NEAR(sum * root[j] / root[i], i == j ? 1 : 0, 1e-14 * condition * (1 + n));
      ck_assert_msg(inverse[i * n + j] == inverse[j * n + i], "M^-1 is not symmetric to the bit at %d, %d", i, j);
      if (base[i] != base[j])
        ck_assert_msg(inverse[i * n + j] == 0, "%g between bodies that share nothing", inverse[i * n + j]);
    }
  /* LAPACK's inverse of the dense M */
  if (n > 0) {
    ck_assert_int_eq(LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', n, M, n), 0);
    ck_assert_int_eq(LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', n, M, n), 0);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j <= i; j++) {
      double scale = sqrt(M[i * n + i] * M[j * n + j]);
      NEAR(inverse[i * n + j], M[i * n + j], 1e-14 * condition * (1 + n) * scale);
    }
  random_numbers(&s->r, 3, f, n);
  OK_ON(s->state, cdn_multiply_by_M_inv(s->state, f, a));
  dense_mul(inverse, n, n, f, product, NULL);
  for (int i = 0; i < n; i++) {
    double size = 0;
    for (int k = 0; k < n; k++) size += sqrt(inverse[i * n + i] * inverse[k * n + k]) * fabs(f[k]);
    NEAR(product[i], a[i], 1e-14 * condition * size);
  }
  free(inverse);
  free(M);
}

static void check_log_det(sample *s) {
  double root[MOST_NU], condition = scaled_condition(s, root), log_det = NAN;
  OK_ON(s->state, cdn_calc_log_det_M(s->state, &log_det));
  /* a relative error e of M changes log det by at most n e condition */
  NEAR(log_det, naive_log_det(s->state), 1e-14 * condition * (1 + s->nu));
}

/* Along each u_k, by differences of LAPACK's log det of the naive M: two central differences of step h and h/2,
 * combined to cancel the error in h^2. Left are h^4 times a fifth derivative, and roundings of log det over h. */
static void check_gradient(sample *s) {
  double g[MOST_NU], q0[MOST_NQ], qdot[MOST_NQ], q[MOST_NQ], unit[MOST_NU] = { 0 }, root[MOST_NU];
  double condition = scaled_condition(s, root), h = 2e-3;
  OK_ON(s->state, cdn_calc_log_det_M_gradient(s->state, g));
  memcpy(q0, cdn_state_q(s->state), (size_t)s->nq * sizeof *q0);
  for (int k = 0; k < s->nu; k++) {
    double difference[2];
    unit[k] = 1;
    OK(cdn_state_set_q(s->state, q0));
    OK_ON(s->state, cdn_multiply_by_N(s->state, unit, qdot));
    unit[k] = 0;
    for (int half = 0; half < 2; half++) {
      double value[2], step = half ? h / 2 : h;
      for (int side = 0; side < 2; side++) {
        for (int i = 0; i < s->nq; i++) q[i] = q0[i] + (side ? step : -step) * qdot[i];
        OK(cdn_state_set_q(s->state, q));
        value[side] = naive_log_det(s->state);
      }
      difference[half] = (value[1] - value[0]) / (2 * step);
    }
    double truth = (4 * difference[1] - difference[0]) / 3, size = 1 + fabs(truth);
    /* the fifth derivative grows as the gradient to the fifth power where M comes near to a singular one */
    NEAR(g[k], truth, 1e-12 * pow(size, 5) + 5e-15 * condition / h);
  }
}

/* ---- inertias ------------------------------------------------------------------------------- */

static bool carries(const sample *s, int b, int c) {
  for (; c > b; c = cdn_body_parent(cdn_state_system(s->state), (cdn_body){ c }).i) {}
  return b == c;
}

static void check_composites(sample *s) {
  cdn_spatial_inertia R[MOST_NB];
  OK_ON(s->state, cdn_calc_composite_body_inertias(s->state, R));
  for (int b = 0; b < s->nb; b++) {
    cdn_spatial_inertia truth = { 0, { 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 } };
    double far = 1;
    for (int c = 1; c < s->nb; c++) {
      if (!carries(s, b, c)) continue;
      const naive_body *C = &s->naive.body[c];
      cdn_vec3 p = cdn_add(cdn_sub(C->X_GB.p, s->naive.body[b].X_GB.p), C->p_BC_G);
      cdn_inertia I = cdn_inertia_shift(C->I_G, C->mass, p);
      truth.mass += C->mass;
      truth.mass_com = cdn_add(truth.mass_com, cdn_scale(C->mass, p));
      truth.inertia.xx += I.xx, truth.inertia.yy += I.yy, truth.inertia.zz += I.zz;
      truth.inertia.xy += I.xy, truth.inertia.xz += I.xz, truth.inertia.yz += I.yz;
      far = fmax(far, cdn_norm(p) + 1);
    }
    double scale = ALONG_A_PATH * (truth.mass + 1e-300) * far * far * 4;
    NEAR(R[b].mass, truth.mass, ALONG_A_PATH * truth.mass);
    near_vec3(R[b].mass_com, truth.mass_com, scale);
    NEAR(R[b].inertia.xx, truth.inertia.xx, scale);
    NEAR(R[b].inertia.yy, truth.inertia.yy, scale);
    NEAR(R[b].inertia.zz, truth.inertia.zz, scale);
    NEAR(R[b].inertia.xy, truth.inertia.xy, scale);
    NEAR(R[b].inertia.xz, truth.inertia.xz, scale);
    NEAR(R[b].inertia.yz, truth.inertia.yz, scale);
  }
}

static double quadratic(cdn_inertia I, cdn_vec3 w) {
  return I.xx * w.x * w.x + I.yy * w.y * w.y + I.zz * w.z * w.z +
         2 * (I.xy * w.x * w.y + I.xz * w.x * w.z + I.yz * w.y * w.z);
}

static void check_energies(sample *s) {
  double energy[MOST_NB], total, sum = 0;
  const double *u = cdn_state_u(s->state);
  OK_ON(s->state, cdn_calc_body_kinetic_energies(s->state, energy));
  OK_ON(s->state, cdn_kinetic_energy(s->state, &total));
  for (int b = 1; b < s->nb; b++) {
    const naive_body *B = &s->naive.body[b];
    cdn_vec3 v_C = cdn_add(B->V_GB.v, cdn_cross(B->V_GB.w, B->p_BC_G));
    double truth = B->mass * cdn_dot(v_C, v_C) / 2 + quadratic(B->I_G, B->V_GB.w) / 2;
    double speed = B->speed + cdn_norm(B->V_GB.w), size = B->mass * speed * speed;
    int first = cdn_body_first_u(cdn_state_system(s->state), (cdn_body){ b });
    for (int k = 0; k < cdn_body_nu(cdn_state_system(s->state), (cdn_body){ b }); k++)
      truth += s->naive.armature[first + k] * u[first + k] * u[first + k] / 2, size += truth;
    NEAR(energy[b], truth, ALONG_A_PATH * (size + 1e-300));
    sum += energy[b];
  }
  ck_assert_msg(energy[0] == 0, "Ground has kinetic energy");
  NEAR(sum, total, 1e-14 * total);
}

static void check_gravity(sample *s) {
  double f[MOST_NU];
  cdn_vec3 g = random_vec3(&s->r, 10);
  OK_ON(s->state, cdn_calc_gravity_forces(s->state, g, f));
  for (int k = 0; k < s->nu; k++) {
    double truth = 0, size = 0;
    for (int b = 1; b < s->nb; b++) {
      const naive_body *B = &s->naive.body[b];
      cdn_spatial at_center = motion_at(s->naive.J[b * s->nu + k], B->p_BC_G);
      truth += B->mass * cdn_dot(at_center.v, g);
      size += B->mass * spatial_size(s->naive.J[b * s->nu + k]) * cdn_norm(g);
    }
    NEAR(f[k], truth, ALONG_A_PATH * (1 + s->nb) * size);
  }
}

START_TEST(test_M_inv) { on_trees(check_M_inv, 40, false); }
END_TEST
START_TEST(test_log_det) { on_trees(check_log_det, 40, false); }
END_TEST
START_TEST(test_log_det_gradient) { on_trees(check_gradient, 17, false); }
END_TEST
START_TEST(test_composite_bodies) { on_trees(check_composites, 40, false); }
END_TEST
START_TEST(test_kinetic_energies) { on_trees(check_energies, 40, false); }
END_TEST
START_TEST(test_gravity_forces) { on_trees(check_gravity, 40, false); }
END_TEST

CHECK_MAIN("operators: mass", test_M_inv, test_log_det, test_log_det_gradient, test_composite_bodies,
           test_kinetic_energies, test_gravity_forces)
