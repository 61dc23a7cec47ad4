/* Coordinates, Jacobians and accelerations: the operators against the dense Jacobian of the naive tree, transposes
 * against what they transpose, second derivatives against differences. */
#include "operator_samples.h"

/* ---- coordinates ---------------------------------------------------------------------------- */

static double dot(const double *a, const double *b, int n, double *size) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i] * b[i], *size += fabs(a[i] * b[i]);
  return sum;
}

static void check_N_transposes(sample *s) {
  double u[MOST_NU], f_u[MOST_NU], back_u[MOST_NU], qdot[MOST_NQ], f_q[MOST_NQ], back_q[MOST_NQ], size = 0;
  random_numbers(&s->r, 2, u, s->nu);
  random_numbers(&s->r, 2, f_q, s->nq);
  OK_ON(s->state, cdn_multiply_by_N(s->state, u, qdot));
  OK_ON(s->state, cdn_multiply_by_N_transpose(s->state, f_q, f_u));
  NEAR(dot(f_q, qdot, s->nq, &size), dot(f_u, u, s->nu, &size), ALONG_A_PATH * size);

  random_numbers(&s->r, 2, qdot, s->nq);
  random_numbers(&s->r, 2, f_u, s->nu);
  size = 0;
  OK_ON(s->state, cdn_multiply_by_N_inv(s->state, qdot, u));
  OK_ON(s->state, cdn_multiply_by_N_inv_transpose(s->state, f_u, f_q));
  NEAR(dot(f_q, qdot, s->nq, &size), dot(f_u, u, s->nu, &size), ALONG_A_PATH * size);
  /* N^+ N = 1, transposed */
  OK_ON(s->state, cdn_multiply_by_N_transpose(s->state, f_q, back_u));
  for (int k = 0; k < s->nu; k++) NEAR(back_u[k], f_u[k], 1e-14);
  OK_ON(s->state, cdn_multiply_by_N_inv_transpose(s->state, back_u, back_q));
  for (int i = 0; i < s->nq; i++) NEAR(back_q[i], f_q[i], 1e-13); /* 1/q^2 of a quaternion of length 1 is 4 times N^T */
}

/* qdotdot as the derivative of qdot = N u along the motion: a central difference, off by h^2 times third derivatives
 * (zero where N is affine in q) and by roundings / h. */
static void check_qdotdot(sample *s) {
  double udot[MOST_NU], back[MOST_NU], qdotdot[MOST_NQ], qdot[MOST_NQ], q0[MOST_NQ], u0[MOST_NU];
  double plus[MOST_NQ], minus[MOST_NQ], h = 1e-5;
  random_numbers(&s->r, 3, udot, s->nu);
  memcpy(q0, cdn_state_q(s->state), (size_t)s->nq * sizeof *q0);
  memcpy(u0, cdn_state_u(s->state), (size_t)s->nu * sizeof *u0);
  OK_ON(s->state, cdn_multiply_by_N(s->state, u0, qdot));
  OK_ON(s->state, cdn_calc_qdotdot(s->state, udot, qdotdot));
  OK_ON(s->state, cdn_calc_udot_of_qdotdot(s->state, qdotdot, back));
  for (int k = 0; k < s->nu; k++) NEAR(back[k], udot[k], 1e-13);
  for (int sign = -1; sign <= 1; sign += 2) {
    double q[MOST_NQ], u[MOST_NU];
    for (int i = 0; i < s->nq; i++) q[i] = q0[i] + sign * h * (qdot[i] + sign * h / 2 * qdotdot[i]);
    for (int k = 0; k < s->nu; k++) u[k] = u0[k] + sign * h * udot[k];
    OK(cdn_state_set_q(s->state, q));
    OK_ON(s->state, cdn_multiply_by_N(s->state, u, sign > 0 ? plus : minus));
  }
  for (int i = 0; i < s->nq; i++) NEAR(qdotdot[i], (plus[i] - minus[i]) / (2 * h), 1e-8);
}

/* ---- J -------------------------------------------------------------------------------------- */

static bool moves(const sample *s, int b, int k) {
  for (; b > 0; b = cdn_body_parent(cdn_state_system(s->state), (cdn_body){ b }).i) {
    int first = cdn_body_first_u(cdn_state_system(s->state), (cdn_body){ b });
    if (k >= first && k < first + cdn_body_nu(cdn_state_system(s->state), (cdn_body){ b })) return true;
  }
  return false;
}

/* Rows of a point's (w, v), or of v alone, against the naive Jacobian seen there; zeros must be zeros. */
static void near_rows(const sample *s, int b, cdn_vec3 arm, const double *rows, bool station) {
  for (int k = 0; k < s->nu; k++) {
    cdn_spatial truth = motion_at(s->naive.J[b * s->nu + k], arm);
    double expected[6] = { truth.w.x, truth.w.y, truth.w.z, truth.v.x, truth.v.y, truth.v.z };
    /* arms of up to (number of bodies) metres enter every element */
    for (int i = station ? 3 : 0; i < 6; i++) {
      double J = rows[(station ? i - 3 : i) * s->nu + k];
      if (moves(s, b, k)) NEAR(J, expected[i], ALONG_A_PATH * (1 + b));
      else ck_assert_msg(J == 0, "row %d of body %d has %g for a mobility that does not move it", i, b, J);
    }
  }
}

static void check_system_jacobian(sample *s) {
  double *J = calloc((size_t)(6 * s->nb * s->nu + 1), sizeof *J);
  cdn_spatial bias[MOST_NB];
  for (int i = 0; i < 6 * s->nb * s->nu; i++) J[i] = NAN; /* every element is written */
  OK_ON(s->state, cdn_calc_J(s->state, J));
  OK_ON(s->state, cdn_calc_Jdot_u(s->state, bias));
  for (int b = 0; b < s->nb; b++) {
    double size;
    cdn_spatial truth = naive_point_acceleration(s, b, cdn_v3(0, 0, 0), NULL, &size);
    near_rows(s, b, cdn_v3(0, 0, 0), J + 6 * b * s->nu, false);
    near_spatial(bias[b], truth, ALONG_A_PATH * size);
  }
  free(J);
}

/* Jdot u as a difference of J u along the motion, whatever the naive tree says: off by h^2 times the third derivatives
 * of positions, which grow with the third power of summed speeds, and by roundings / h. */
static void check_bias_by_differences(sample *s) {
  double q0[MOST_NQ], u0[MOST_NU], qdot[MOST_NQ], q[MOST_NQ], zero[MOST_NU] = { 0 }, qdotdot[MOST_NQ], h = 1e-5;
  cdn_spatial bias[MOST_NB], V[2][MOST_NB];
  memcpy(q0, cdn_state_q(s->state), (size_t)s->nq * sizeof *q0);
  memcpy(u0, cdn_state_u(s->state), (size_t)s->nu * sizeof *u0);
  OK_ON(s->state, cdn_multiply_by_N(s->state, u0, qdot));
  OK_ON(s->state, cdn_calc_qdotdot(s->state, zero, qdotdot));
  OK_ON(s->state, cdn_calc_Jdot_u(s->state, bias));
  for (int side = 0; side < 2; side++) {
    double step = side ? h : -h;
    for (int i = 0; i < s->nq; i++) q[i] = q0[i] + step * (qdot[i] + step / 2 * qdotdot[i]);
    OK(cdn_state_set_q(s->state, q));
    OK_ON(s->state, cdn_multiply_by_J(s->state, u0, V[side]));
  }
  for (int b = 0; b < s->nb; b++) {
    double speed = 1 + s->naive.body[b].speed, size = h * h * speed * speed * speed + 1e-15 / h * speed;
    cdn_spatial rate = { cdn_scale(0.5 / h, cdn_sub(V[1][b].w, V[0][b].w)),
                         cdn_scale(0.5 / h, cdn_sub(V[1][b].v, V[0][b].v)) };
    near_spatial(bias[b], rate, 10 * size);
  }
}

/* ---- tasks ---------------------------------------------------------------------------------- */

enum { MOST_TASKS = 7 };

static void check_tasks(sample *s, int n) {
  cdn_body body[MOST_TASKS];
  cdn_vec3 point[MOST_TASKS], arm[MOST_TASKS], v[MOST_TASKS], f[MOST_TASKS], a[MOST_TASKS];
  cdn_spatial V[MOST_TASKS], F[MOST_TASKS], A[MOST_TASKS];
  double u[MOST_NU], udot[MOST_NU], y[6 * MOST_TASKS], size[6 * MOST_TASKS + MOST_NU], out[MOST_NU], truth[MOST_NU];
  double *J_S = malloc((size_t)(3 * n * s->nu + 1) * sizeof *J_S),
         *J_F = malloc((size_t)(6 * n * s->nu + 1) * sizeof *J_F);
  for (int i = 0; i < n; i++) {
    body[i].i = pick(&s->r, s->nb);
    if (i == 1 && pick(&s->r, 2)) body[1] = body[0]; /* two on one body */
    point[i] = random_vec3(&s->r, 1);
    arm[i] = cdn_rotate(s->naive.body[body[i].i].X_GB.R, point[i]);
    f[i] = random_vec3(&s->r, 2);
    F[i] = random_spatial(&s->r, 2);
  }
  random_numbers(&s->r, 2, u, s->nu);
  random_numbers(&s->r, 4, udot, s->nu);

  OK_ON(s->state, cdn_calc_station_J(s->state, n, body, point, J_S));
  OK_ON(s->state, cdn_calc_frame_J(s->state, n, body, point, J_F));
  for (int i = 0; i < n; i++) {
    near_rows(s, body[i].i, arm[i], J_S + 3 * i * s->nu, true);
    near_rows(s, body[i].i, arm[i], J_F + 6 * i * s->nu, false);
  }

  OK_ON(s->state, cdn_multiply_by_station_J(s->state, n, body, point, u, v));
  dense_mul(J_S, 3 * n, s->nu, u, y, size);
  for (int i = 0; i < n; i++) {
    cdn_vec3 expected = { y[3 * i], y[3 * i + 1], y[3 * i + 2] };
    near_vec3(v[i], expected, ALONG_A_PATH * (1 + s->nb) * (size[3 * i] + size[3 * i + 1] + size[3 * i + 2]));
  }
  OK_ON(s->state, cdn_multiply_by_frame_J(s->state, n, body, point, u, V));
  dense_mul(J_F, 6 * n, s->nu, u, y, size);
  for (int i = 0; i < n; i++) {
    cdn_spatial expected = { { y[6 * i], y[6 * i + 1], y[6 * i + 2] }, { y[6 * i + 3], y[6 * i + 4], y[6 * i + 5] } };
    double sum = 0;
    for (int k = 0; k < 6; k++) sum += size[6 * i + k];
    near_spatial(V[i], expected, ALONG_A_PATH * (1 + s->nb) * sum);
  }

  OK_ON(s->state, cdn_multiply_by_station_J_transpose(s->state, n, body, point, f, out));
  dense_tmul(J_S, 3 * n, s->nu, &f[0].x, truth, size);
  /* moments of forces about points as far away as there are bodies */
  for (int k = 0; k < s->nu; k++) NEAR(out[k], truth[k], ALONG_A_PATH * (1 + s->nb) * n);
  OK_ON(s->state, cdn_multiply_by_frame_J_transpose(s->state, n, body, point, F, out));
  dense_tmul(J_F, 6 * n, s->nu, &F[0].w.x, truth, size);
  for (int k = 0; k < s->nu; k++) NEAR(out[k], truth[k], ALONG_A_PATH * (1 + s->nb) * n);

  OK_ON(s->state, cdn_calc_station_Jdot_u(s->state, n, body, point, a));
  OK_ON(s->state, cdn_calc_frame_Jdot_u(s->state, n, body, point, A));
  for (int i = 0; i < n; i++) {
    double magnitude;
    cdn_spatial expected = naive_point_acceleration(s, body[i].i, arm[i], NULL, &magnitude);
    near_vec3(a[i], expected.v, ALONG_A_PATH * magnitude);
    near_spatial(A[i], expected, ALONG_A_PATH * magnitude);
  }
  OK_ON(s->state, cdn_calc_station_accelerations(s->state, udot, n, body, point, a));
  for (int i = 0; i < n; i++) {
    double magnitude;
    cdn_spatial expected = naive_point_acceleration(s, body[i].i, arm[i], udot, &magnitude);
    near_vec3(a[i], expected.v, ALONG_A_PATH * magnitude);
  }
  free(J_S);
  free(J_F);
}

static void check_one_task(sample *s) { check_tasks(s, 1); }
static void check_several_tasks(sample *s) {
  check_tasks(s, 2);
  check_tasks(s, MOST_TASKS);
}

/* ---- accelerations -------------------------------------------------------------------------- */

static void check_accelerations(sample *s) {
  double udot[MOST_NU], own[MOST_NU];
  cdn_spatial A[MOST_NB];
  random_numbers(&s->r, 4, udot, s->nu);
  OK_ON(s->state, cdn_realize(s->state, CDN_STAGE_ACCELERATION));
  memcpy(own, cdn_state_udot(s->state), (size_t)s->nu * sizeof *own);
  OK_ON(s->state, cdn_calc_body_accelerations(s->state, udot, A));
  ck_assert_int_ge(cdn_state_stage(s->state), CDN_STAGE_ACCELERATION); /* the State stays as it was */
  for (int b = 0; b < s->nb; b++) {
    double size;
    cdn_spatial truth = naive_point_acceleration(s, b, cdn_v3(0, 0, 0), udot, &size);
    near_spatial(A[b], truth, ALONG_A_PATH * size);
  }
  /* with the State's own udot they are the State's own */
  OK_ON(s->state, cdn_calc_body_accelerations(s->state, own, A));
  for (int b = 0; b < s->nb; b++) {
    double size;
    cdn_spatial A_GB;
    (void)naive_point_acceleration(s, b, cdn_v3(0, 0, 0), own, &size);
    OK_ON(s->state, cdn_body_acceleration(s->state, (cdn_body){ b }, &A_GB));
    near_spatial(A[b], A_GB, ALONG_A_PATH * size);
  }
  for (int k = 0; k < s->nu; k++) ck_assert_msg(cdn_state_udot(s->state)[k] == own[k], "udot %d was written", k);
}

START_TEST(test_N_transposes) { on_trees(check_N_transposes, 40, false); }
END_TEST
START_TEST(test_qdotdot) { on_trees(check_qdotdot, 40, false); }
END_TEST
START_TEST(test_system_jacobian) { on_trees(check_system_jacobian, 40, false); }
END_TEST
START_TEST(test_bias_by_differences) { on_trees(check_bias_by_differences, 40, false); }
END_TEST
/* Where poses are not known only what is inboard of the body is placed, by the same operations. */
static void check_task_without_poses(sample *s) {
  double q[MOST_NQ], alone[6 * MOST_NU], placed[6 * MOST_NU];
  const size_t size = 6 * (size_t)s->nu * sizeof *alone;
  memcpy(q, cdn_state_q(s->state), (size_t)s->nq * sizeof *q);
  for (int b = 0; b < s->nb; b++) {
    const cdn_body body = { b };
    const cdn_vec3 point = random_vec3(&s->r, 1);
    OK(cdn_state_set_q(s->state, q));
    OK_ON(s->state, cdn_calc_frame_J(s->state, 1, &body, &point, alone));
    OK_ON(s->state, cdn_realize(s->state, CDN_STAGE_POSITION));
    OK_ON(s->state, cdn_calc_frame_J(s->state, 1, &body, &point, placed));
    ck_assert_mem_eq(alone, placed, size);
    OK(cdn_state_set_q(s->state, q));
    OK_ON(s->state, cdn_calc_station_J(s->state, 1, &body, &point, alone));
    ck_assert_mem_eq(alone, placed + 3 * s->nu, size / 2);
  }
}

START_TEST(test_one_task) { on_trees(check_one_task, 40, false); }
END_TEST
START_TEST(test_one_task_without_poses) { on_trees(check_task_without_poses, 40, false); }
END_TEST
START_TEST(test_several_tasks) { on_trees(check_several_tasks, 40, false); }
END_TEST
START_TEST(test_accelerations) { on_trees(check_accelerations, 40, true); }
END_TEST

CHECK_MAIN("operators: Jacobians", test_N_transposes, test_qdotdot, test_system_jacobian, test_bias_by_differences,
           test_one_task, test_one_task_without_poses, test_several_tasks, test_accelerations)
