/* shared by tests in this folder */
#include "differences.h"

#include <stdio.h>

void residual(sample *s, double *out) { OK_ON(s->state, cdn_residual(s->state, s->udot, out)); }

void forward(sample *s, double *out) {
  const double *udot = cdn_state_udot(s->state);
  ck_assert_ptr_nonnull(udot);
  memcpy(out, udot, (size_t)s->nu * sizeof *out);
}

void multipliers(sample *s, double *out) {
  const double *lambda = cdn_state_multipliers(s->state);
  ck_assert_ptr_nonnull(lambda);
  memset(out, 0, (size_t)s->nu * sizeof *out);
  for (int k = 0; k < cdn_system_nudoterr(cdn_state_system(s->state)) && k < s->nu; k++) out[k] = lambda[k];
}

/* ---- samples ---- */

sample sample_of(cdn_state *state, uint64_t seed) {
  sample s = { .state = state };
  const cdn_system *system = cdn_state_system(state);
  rng r = rng_of(seed + 17);
  s.nq = cdn_system_nq(system), s.nu = cdn_system_nu(system), s.nz = cdn_system_nz(system);
  s.nb = cdn_system_body_count(system);
  memcpy(s.q, cdn_state_q(state), (size_t)s.nq * sizeof(double));
  memcpy(s.u, cdn_state_u(state), (size_t)s.nu * sizeof(double));
  memcpy(s.z, cdn_state_z(state), (size_t)s.nz * sizeof(double));
  random_numbers(&r, 3, s.udot, s.nu);
  const size_t size = (size_t)(s.nu + 1) * (size_t)(s.nu > 10 * s.nb ? s.nu : 10 * s.nb) * sizeof(double);
  s.a = malloc(size), s.b = malloc(size);
  return s;
}

sample sample_of_tree(const random_tree *tree, uint64_t seed) {
  sample s = sample_of(random_tree_state(tree, seed), seed);
  rng r = rng_of(seed + 18);
  double f[MOST_NU];
  random_numbers(&r, 2, f, s.nu);
  OK_ON(s.state, cdn_state_set_applied_mobility_forces(s.state, f));
  for (int b = 1; b < s.nb; b++)
    OK_ON(s.state, cdn_state_set_applied_body_force(s.state, (cdn_body){ b }, random_spatial(&r, 2)));
  return s;
}

void drop(sample *s) {
  cdn_state_destroy(s->state);
  free(s->a);
  free(s->b);
}

void put_back(sample *s) {
  OK_ON(s->state, cdn_state_set_q(s->state, s->q));
  OK_ON(s->state, cdn_state_set_u(s->state, s->u));
  OK_ON(s->state, cdn_state_set_z(s->state, s->z));
}

static void displace(sample *s, pool what, int k, double h) {
  double q[MOST_NQ], unit[MOST_NU] = { 0 };
  put_back(s);
  if (what == ALONG_Q) {
    unit[k] = 1;
    OK_ON(s->state, cdn_multiply_by_N(s->state, unit, q));
    for (int i = 0; i < s->nq; i++) q[i] = s->q[i] + h * q[i];
    OK_ON(s->state, cdn_state_set_q(s->state, q));
  } else if (what == ALONG_U) {
    memcpy(q, s->u, (size_t)s->nu * sizeof *q);
    q[k] += h;
    OK_ON(s->state, cdn_state_set_u(s->state, q));
  } else {
    memcpy(q, s->z, (size_t)s->nz * sizeof *q);
    q[k] += h;
    OK_ON(s->state, cdn_state_set_z(s->state, q));
  }
}

/* Central differences with steps h, h / 2 and h / 4, extrapolated twice: the truncation error is of order h^6, rounding
 * some 10 eps / h of the values. `truth` is nu numbers. */
static void differentiate(sample *s, evaluate *f, pool what, int k, double h, double *truth) {
  double D[3][MOST_NU], plus[MOST_NU], minus[MOST_NU];
  for (int level = 0; level < 3; level++) {
    const double step = h / (1 << level);
    displace(s, what, k, step);
    f(s, plus);
    displace(s, what, k, -step);
    f(s, minus);
    for (int i = 0; i < s->nu; i++) D[level][i] = (plus[i] - minus[i]) / (2 * step);
  }
  put_back(s);
  for (int i = 0; i < s->nu; i++) {
    const double first = (4 * D[1][i] - D[0][i]) / 3, second = (4 * D[2][i] - D[1][i]) / 3;
    truth[i] = (16 * second - first) / 15;
  }
}

/* All columns; the error is measured by the largest element of the matrix. */
void check_matrix_by(double h, sample *s, evaluate *f, pool what, int columns, const double *matrix, double tolerance,
                     const char *name) {
  double truth[MOST_NU], largest = 1, worst = 0;
  for (int i = 0; i < s->nu * columns; i++) largest = fmax(largest, fabs(matrix[i]));
  for (int k = 0; k < columns; k++) {
    differentiate(s, f, what, k, h, truth);
    for (int i = 0; i < s->nu; i++) {
      double error = fabs(matrix[i * columns + k] - truth[i]);
      ck_assert_msg(error <= tolerance * largest, "%s[%d, %d] = %.15g, by differences %.15g: %.2e of the largest, %g",
                    name, i, k, matrix[i * columns + k], truth[i], error / largest, largest);
      worst = fmax(worst, error / largest);
    }
  }
  if (getenv("CARDAN_TEST_SHOW")) printf("%-10s %3d mobilities: %.1e\n", name, s->nu, worst);
}

void check_matrix(sample *s, evaluate *f, pool what, int columns, const double *matrix, double tolerance,
                  const char *name) {
  check_matrix_by(4e-3, s, f, what, columns, matrix, tolerance, name);
}

/* ---- masses ---- */

static double *number_of(cdn_mass_properties *m, int number) {
  double *const all[] = { &m->mass,       &m->com.x,      &m->com.y,      &m->com.z,      &m->inertia.xx,
                          &m->inertia.yy, &m->inertia.zz, &m->inertia.xy, &m->inertia.xz, &m->inertia.yz };
  return all[number];
}

bool along_mass(sample *s, cdn_body body, int number, double h, const double *Y, double *by_Y, double *by_difference) {
  const int columns = CDN_INERTIAL_PARAMETERS * s->nb;
  const cdn_mass_properties m = cdn_body_mass_properties(s->state, body);
  double pi[2][CDN_INERTIAL_PARAMETERS * (TREE_MOST_BODIES + 1)], udot[2][MOST_NU];
  for (int k = 0; k < 2; k++) {
    cdn_mass_properties other = m;
    *number_of(&other, number) += k ? -h : h;
    if (cdn_body_set_mass_properties(s->state, body, other) != CDN_OK) break;
    OK_ON(s->state, cdn_inertial_parameters(s->state, pi[k]));
    forward(s, udot[k]);
    if (k == 0) continue;
    for (int i = 0; i < s->nu; i++) {
      by_Y[i] = 0;
      for (int c = 0; c < columns; c++) by_Y[i] += Y[i * columns + c] * (pi[0][c] - pi[1][c]) / (2 * h);
      by_difference[i] = (udot[0][i] - udot[1][i]) / (2 * h);
    }
    OK_ON(s->state, cdn_body_set_mass_properties(s->state, body, m));
    return true;
  }
  OK_ON(s->state, cdn_body_set_mass_properties(s->state, body, m));
  return false;
}

/* ---- mistakes ---- */

static cdn_status no_force(const void *self, cdn_state *state, cdn_forces *forces) {
  (void)self, (void)state, (void)forces;
  return CDN_OK;
}

cdn_state *state_with_culprit(describe_derivative *describe, int which) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  cdn_system_add_body(system, &def);
  cdn_force_ops ops = { .struct_size = sizeof ops, .calc_force = no_force, .calc_derivative = describe };
  ops.subsystem.name = "culprit";
  ops.subsystem.self_size = sizeof which;
  cdn_system_add_custom_force(system, &ops, &which);
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

void check_culprit(const cdn_state *state) {
  cdn_error e;
  cdn_state_last_error(state, &e);
  ck_assert_str_eq(e.element, "culprit");
}

void check_dynamics(cdn_state *state, double tolerance) {
  sample s = sample_of(state, 1);
  const size_t nu = (size_t)s.nu, m = (size_t)cdn_system_nudoterr(cdn_state_system(state)), most = nu > m ? nu : m;
  double *dq = calloc(most * nu, sizeof *dq), *du = calloc(most * nu, sizeof *du);
  OK_ON(state, cdn_forward_dynamics_derivatives(state, s.a, s.b, NULL, NULL));
  check_matrix(&s, forward, ALONG_Q, s.nu, s.a, tolerance, "dudot/dq");
  check_matrix(&s, forward, ALONG_U, s.nu, s.b, tolerance, "dudot/du");
  OK_ON(state, cdn_multiplier_derivatives(state, dq, du, NULL, NULL));
  check_matrix(&s, multipliers, ALONG_Q, s.nu, dq, tolerance, "dlambda/dq");
  check_matrix(&s, multipliers, ALONG_U, s.nu, du, tolerance, "dlambda/du");
  free(dq), free(du);
  drop(&s);
}
