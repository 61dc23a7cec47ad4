/* shared by tests in this folder */
/* Questions of derivatives: each along a random direction, against differences. */
#include <cardan/derivatives.h>

#include "matrix.h"

/* ---- differences ---- */

typedef bool value_of(cell *c, cdn_state *state, double *out);

/* Central differences with h and h / 2, extrapolated; *noise tells how far they are from being settled. */
static bool difference_by(double h, cell *c, const direction *d, value_of *value, int n, double *out, double *noise) {
  double *x[4];
  for (int k = 0; k < 4; k++) {
    x[k] = cell_room(c, (size_t)n);
    const double step = (k < 2 ? h : h / 2) * (k % 2 ? -1 : 1);
    if (!cell_move(c, d, step) || !value(c, c->other, x[k])) return false;
  }
  *noise = 0;
  for (int i = 0; i < n; i++) {
    const double whole = (x[0][i] - x[1][i]) / (2 * h), half = (x[2][i] - x[3][i]) / h;
    out[i] = (4 * half - whole) / 3;
    *noise = fmax(*noise, fabs(half - whole));
  }
  return true;
}

/* By the steps with the least noise, if the first are not good enough. */
static bool difference(cell *c, const direction *d, value_of *value, int n, double *out, double *noise) {
  static const double steps[] = { 2e-5, 3e-4, 3e-6, 2e-7 }; /* short ones where a bend is near */
  double *other = cell_room(c, (size_t)n), other_noise;
  if (!difference_by(steps[0], c, d, value, n, out, noise)) return false;
  for (int k = 1; k < 4 && *noise > 1e-7 * largest_of(out, n, 1); k++) {
    if (!difference_by(steps[k], c, d, value, n, other, &other_noise)) return false;
    if (other_noise < *noise) *noise = other_noise, memcpy(out, other, (size_t)n * sizeof *out);
  }
  return true;
}

/* matrix (n x columns) along the direction against differences. */
static void check(cell *c, const char *what, const double *matrix, const double *along, int columns, const direction *d,
                  value_of *value, int n, double tolerance) {
  double *want = cell_room(c, (size_t)n), *got = cell_room(c, (size_t)n), noise;
  if (n == 0 || columns == 0 || c->wrong[0] || !difference(c, d, value, n, want, &noise)) return;
  for (int i = 0; i < n; i++)
    for (int k = 0; k < columns; k++) got[i] += matrix[i * columns + k] * along[k];
  const double scale = largest_of(want, n, largest_of(got, n, 1));
  tolerance = fmax(tolerance, cell_derivative_tolerance(c));
  if (cell_is_differenced(c)) { /* columns of the library's own, of 6e-6, may meet a bend */
    double near, *ignored = cell_room(c, (size_t)n);
    if (!difference_by(4e-5, c, d, value, n, ignored, &near)) return;
    noise = fmax(noise, near);
  }
  if (!(noise <= 1e-3 * scale)) {
    c->unsettled = true;
    return;
  }
  cell_near(c, what, got, want, n, scale, tolerance + 4 * noise / scale);
}

static bool udot_of(cell *c, cdn_state *state, double *out) {
  const double *udot = cdn_state_udot(state);
  if (udot) memcpy(out, udot, (size_t)c->nu * sizeof *out);
  return cell_call(c, udot ? CDN_OK : CDN_ERR_ARG, "cdn_state_udot");
}
static bool zdot_of(cell *c, cdn_state *state, double *out) {
  const double *zdot = cdn_state_zdot(state);
  if (zdot) memcpy(out, zdot, (size_t)c->nz * sizeof *out);
  return cell_call(c, zdot ? CDN_OK : CDN_ERR_ARG, "cdn_state_zdot");
}
static bool lambda_of(cell *c, cdn_state *state, double *out) {
  const double *lambda = cdn_state_multipliers(state);
  if (lambda) memcpy(out, lambda, (size_t)c->m * sizeof *out);
  return cell_call(c, lambda ? CDN_OK : CDN_ERR_ARG, "cdn_state_multipliers");
}
static bool residual_of(cell *c, cdn_state *state, double *out) { /* at udot / 2, which is not the State's own */
  double half[6 * SCENE_MOST_BODIES];
  for (int k = 0; k < c->nu; k++) half[k] = c->udot[k] / 2;
  return cell_call(c, cdn_residual(state, half, out), "cdn_residual");
}

/* ---- dynamics ---- */

/* Directions without what is prescribed: q and u mean effective values there. */
static double *free_direction(cell *c) {
  double *v = cell_room(c, (size_t)(c->nu + c->nz));
  cell_random(c, v, c->nu + c->nz);
  for (int k = 0; k < c->nu; k++)
    if (c->prescribed[k]) v[k] = 0;
  return v;
}

typedef struct matrices {
  double *q, *u, *f, *z;
} matrices;
static matrices rooms_for(cell *c, int rows) {
  const size_t size = (size_t)rows * (size_t)c->nu;
  return (matrices){ cell_room(c, size), cell_room(c, size), cell_room(c, size), cell_room(c, (size_t)(rows * c->nz)) };
}

static void check_all(cell *c, const matrices *D, value_of *value, int n, double tolerance) {
  const double *v = free_direction(c), *z = v + c->nu;
  check(c, "by q", D->q, v, c->nu, &(direction){ .q = v }, value, n, tolerance);
  check(c, "by u", D->u, v, c->nu, &(direction){ .u = v }, value, n, tolerance);
  if (D->f) check(c, "by f", D->f, v, c->nu, &(direction){ .f = v }, value, n, tolerance);
  check(c, "by z", D->z, z, c->nz, &(direction){ .z = z }, value, n, tolerance);
}

void ask_udot_derivatives(cell *c) {
  const matrices D = rooms_for(c, c->nu);
  ASK(cdn_forward_dynamics_derivatives(c->state, D.q, D.u, D.f, D.z));
  check_all(c, &D, udot_of, c->nu, 1e-6);
}

void ask_tau_derivatives(cell *c) {
  matrices D = rooms_for(c, c->nu);
  double *half = cell_room(c, (size_t)c->nu);
  for (int k = 0; k < c->nu; k++) half[k] = c->udot[k] / 2;
  ASK(cdn_inverse_dynamics_derivatives(c->state, half, D.q, D.u, D.z));
  D.f = NULL;
  check_all(c, &D, residual_of, c->nu, 1e-6);
}

void ask_multiplier_derivatives(cell *c) {
  if (c->m == 0) return cell_skip(c);
  const matrices D = rooms_for(c, c->m);
  ASK(cdn_multiplier_derivatives(c->state, D.q, D.u, D.f, D.z));
  check_all(c, &D, lambda_of, c->m, 1e-6);
}

void ask_zdot_derivatives(cell *c) {
  if (c->nz == 0) return cell_skip(c);
  matrices D = rooms_for(c, c->nz);
  ASK(cdn_calc_zdot_derivatives(c->state, D.q, D.u, D.z));
  D.f = NULL;
  check_all(c, &D, zdot_of, c->nz, 3e-5); /* they may follow udot, which varies more than they do */
}

/* ---- coordinates ---- */

static bool qdot_of(cell *c, cdn_state *state, double *out) {
  const double *qdot = cdn_state_qdot(state);
  if (qdot) memcpy(out, qdot, (size_t)c->nq * sizeof *out);
  return cell_call(c, qdot ? CDN_OK : CDN_ERR_ARG, "cdn_state_qdot");
}

void ask_qdot_derivatives(cell *c) {
  double *D = cell_room(c, (size_t)(c->nq * c->nq)), *N = cell_room(c, (size_t)(c->nq * c->nu));
  double *inverse = cell_room(c, (size_t)(c->nq * c->nu)), *along = cell_room(c, (size_t)c->nq);
  double *back = cell_room(c, (size_t)c->nu);
  const double *v = free_direction(c);
  ASK(cdn_qdot_derivatives(c->state, D, N, inverse));
  ASK(cdn_multiply_by_N(c->state, v, along));
  check(c, "qdot by q", D, along, c->nq, &(direction){ .q = v }, qdot_of, c->nq, 1e-7);
  check(c, "qdot by u", N, v, c->nu, &(direction){ .u = v }, qdot_of, c->nq, 1e-8);
  for (int i = 0; i < c->nu; i++)
    for (int k = 0; k < c->nq; k++) back[i] += inverse[i * c->nq + k] * along[k];
  cell_near(c, "N^+ N v", back, v, c->nu, 1, 1e-12);
}

/* ---- inertial parameters ---- */

enum { LIGHTER, TURNED, MASS_CHANGES };
/* Of one body: mass and centre, or inertia, changed by h. */
static cdn_status change_mass(cell *c, cdn_body body, int what, double h, double *pi) {
  cdn_mass_properties m = cdn_body_mass_properties(c->state, body);
  CDN_TRY(cdn_state_copy(c->other, c->state));
  if (what == LIGHTER) m.mass += h, m.com.x += h, m.com.y -= 2 * h;
  else m.inertia.xx += h, m.inertia.yy += h, m.inertia.zz += h, m.inertia.xy += 0.3 * h, m.inertia.xz -= 0.2 * h;
  CDN_TRY(cdn_body_set_mass_properties(c->other, body, m));
  return cdn_inertial_parameters(c->other, pi);
}

/* What changes with the mass of a body: by Y and by differences of h and h / 2, extrapolated. */
static bool mass_difference(cell *c, cdn_body body, int what, double h, const double *Y, value_of *value, double *got,
                            double *want, double *noise) {
  const int columns = CDN_INERTIAL_PARAMETERS * c->nb;
  double *pi[4], *out[4];
  for (int k = 0; k < 4; k++) {
    pi[k] = cell_room(c, (size_t)columns), out[k] = cell_room(c, (size_t)c->nu);
    const double by = (k < 2 ? h : h / 2) * (k % 2 ? -1 : 1);
    if (!cell_call(c, change_mass(c, body, what, by, pi[k]), "to change a mass")) return false;
    if (!value(c, c->other, out[k])) return false;
  }
  *noise = 0;
  for (int i = 0; i < c->nu; i++) {
    const double whole = (out[0][i] - out[1][i]) / (2 * h), half = (out[2][i] - out[3][i]) / h;
    got[i] = 0, want[i] = (4 * half - whole) / 3, *noise = fmax(*noise, fabs(half - whole));
    for (int j = 0; j < columns; j++)
      got[i] += Y[i * columns + j] * (4 * (pi[2][j] - pi[3][j]) / h - (pi[0][j] - pi[1][j]) / (2 * h)) / 3;
  }
  return true;
}

static void check_regressor(cell *c, const char *name, const double *Y, value_of *value, double tolerance) {
  static const double steps[] = { 2e-3, 3e-4, 2e-5 };
  const cdn_body bodies[] = { c->s->pin, c->s->ball, c->s->loose[0] };
  double *got[2], *want[2], noise[2];
  for (int k = 0; k < 2; k++) got[k] = cell_room(c, (size_t)c->nu), want[k] = cell_room(c, (size_t)c->nu);
  for (int b = 0; b < 3; b++)
    for (int what = 0; what < MASS_CHANGES; what++) {
      int best = 0;
      noise[0] = INFINITY;
      for (int k = 0; k < 3 && noise[best] > 1e-6 * largest_of(want[best], c->nu, 1); k++) {
        if (!mass_difference(c, bodies[b], what, steps[k], Y, value, got[!best], want[!best], &noise[!best])) return;
        if (noise[!best] < noise[best]) best = !best;
      }
      const double scale = largest_of(want[best], c->nu, largest_of(got[best], c->nu, 1));
      cell_near(c, name, got[best], want[best], c->nu, scale, tolerance + 4 * noise[best] / scale);
    }
}

void ask_regressors(cell *c) {
  const size_t size = (size_t)(c->nu * CDN_INERTIAL_PARAMETERS * c->nb);
  double *Y = cell_room(c, size), *half = cell_room(c, (size_t)c->nu);
  for (int k = 0; k < c->nu; k++) half[k] = c->udot[k] / 2;
  ASK(cdn_inverse_dynamics_regressor(c->state, half, Y));
  check_regressor(c, "residual by masses", Y, residual_of, 1e-9);
  ASK(cdn_forward_dynamics_regressor(c->state, Y));
  check_regressor(c, "udot by masses", Y, udot_of, cell_derivative_tolerance(c));
}

/* ---- a step ---- */

static const cdn_method stepping[] = { CDN_METHOD_MUJOCO_EULER, CDN_METHOD_MUJOCO_IMPLICIT,
                                       CDN_METHOD_MUJOCO_IMPLICIT_FAST, CDN_METHOD_SEMI_EXPLICIT_EULER };

/* x = (q, u, z) after a step from a State. */
static bool step_from(cell *c, cdn_state *from, cdn_method method, double h, double *x) {
  cdn_stepper *stepper;
  if (!cell_stepper(c, from, method, h, &stepper)) return false;
  const cdn_status status = cdn_stepper_step(stepper, c->t + h);
  const cdn_state *end = cdn_stepper_state(stepper);
  memcpy(x, cdn_state_q(end), (size_t)c->nq * sizeof *x);
  memcpy(x + c->nq, cdn_state_u(end), (size_t)c->nu * sizeof *x);
  if (c->nz) memcpy(x + c->nq + c->nu, cdn_state_z(end), (size_t)c->nz * sizeof *x);
  cdn_stepper_destroy(stepper);
  return cell_call(c, status, "cdn_stepper_step");
}

/* (a - b) / by in the tangent basis at `at`. */
static bool tangent(cell *c, cdn_state *at, const double *a, const double *b, double by, double *x) {
  double *dq = cell_room(c, (size_t)c->nq);
  for (int i = 0; i < c->nq; i++) dq[i] = (a[i] - b[i]) / by;
  for (int i = 0; i < c->nu + c->nz; i++) x[c->nu + i] = (a[c->nq + i] - b[c->nq + i]) / by;
  return cell_call(c, cdn_multiply_by_N_inv(at, dq, x), "cdn_multiply_by_N_inv");
}

/* On the constraints, as steps begin. */
static bool settle(cell *c, double *x) {
  cdn_projection_def tight = cdn_default_projection_def();
  tight.always = true, tight.tolerance = 1e-12;
  cdn_status status = cdn_prescribe(c->other, NULL);
  if (status == CDN_OK) status = cdn_project_q(c->other, &tight, NULL);
  if (status == CDN_OK) status = cdn_project_u(c->other, &tight, NULL);
  memcpy(x, cdn_state_q(c->other), (size_t)c->nq * sizeof *x);
  memcpy(x + c->nq, cdn_state_u(c->other), (size_t)c->nu * sizeof *x);
  if (c->nz) memcpy(x + c->nq + c->nu, cdn_state_z(c->other), (size_t)c->nz * sizeof *x);
  return cell_call(c, status, "to project");
}

/* A change of where a step begins and of forces, or of the controls that programs write. */
typedef struct step_change {
  cdn_method method;
  double h;
  const double *v, *f, *command; /* nu + nz, nu, controls */
  const double *middle;          /* the end of the step itself */
} step_change;

/* What the change is where the step begins, and where it ends: differences by `by`; how far the ends are from being in
 * line, over `by`. */
static bool step_difference(cell *c, const step_change *x, double by, double *here, double *there, double *bent) {
  const size_t size = (size_t)(c->nq + c->nu + c->nz);
  const cdn_system *system = cdn_state_system(c->state);
  double *start[2], *end[2];
  for (int k = 0; k < 2; k++) {
    const double step = k ? -by : by;
    start[k] = cell_room(c, size), end[k] = cell_room(c, size);
    if (!cell_move(c, &(direction){ .q = x->v, .u = x->v, .z = x->v + c->nu, .f = x->f }, step)) return false;
    for (int i = 0; i < cdn_system_control_count(system); i++) {
      const cdn_control control = { i };
      const double given = cdn_control_given(c->state, control);
      if (x->command[i] != 0 && !cell_call(c, cdn_control_set(c->other, control, given + step), "cdn_control_set"))
        return false;
    }
    if (!settle(c, start[k]) || !step_from(c, c->other, x->method, x->h, end[k])) return false;
  }
  for (size_t i = 0; i < size; i++) bent[i] = (end[0][i] - 2 * x->middle[i] + end[1][i]) / by;
  if (!tangent(c, c->state, start[0], start[1], 2 * by, here)) return false;
  if (!cell_call(c, cdn_state_copy(c->other, c->state), "cdn_state_copy")) return false;
  return cell_call(c, cdn_state_set_q(c->other, x->middle), "cdn_state_set_q") &&
         tangent(c, c->other, end[0], end[1], 2 * by, there);
}

/* By two steps, extrapolated; with the least noise of several such. *kink: how far the slopes to both sides differ,
 * however short the steps are. Central differences have their mean, without noise. */
static bool extrapolate(cell *c, const step_change *x, double *here, double *there, double *noise, double *kink) {
  static const double steps[] = { 4e-5, 4e-6, 4e-4, 1.2e-5 };
  const int n = 2 * c->nu + c->nz, size = c->nq + c->nu + c->nz;
  double *part[4], *bent[2];
  for (int k = 0; k < 4; k++) part[k] = cell_room(c, (size_t)n);
  for (int k = 0; k < 2; k++) bent[k] = cell_room(c, (size_t)size);
  double first = 0;
  *noise = INFINITY;
  for (int try = 0; try < 4 && *noise > 1e-6 * largest_of(there, n, 1); try++) {
    if (!step_difference(c, x, steps[try], part[0], part[1], bent[0])) return false;
    if (!step_difference(c, x, steps[try] / 2, part[2], part[3], bent[1])) return false;
    double off = 0;
    for (int i = 0; i < n; i++) off = fmax(off, fabs(part[3][i] - part[1][i]));
    if (try == 3 || try == 0) first = off; /* steps like the library's own may meet a bend */
    if (off >= *noise) continue;
    *noise = off, *kink = 0;
    for (int i = 0; i < size; i++) *kink = fmax(*kink, fabs(2 * bent[1][i] - bent[0][i])); /* curvature cancels */
    for (int i = 0; i < n; i++)
      here[i] = (4 * part[2][i] - part[0][i]) / 3, there[i] = (4 * part[3][i] - part[1][i]) / 3;
  }
  if (cell_is_differenced(c)) *noise = fmax(*noise, first);
  return true;
}

static void check_step(cell *c, bool by_controls) {
  const cdn_system *system = cdn_state_system(c->state);
  const int n = 2 * c->nu + c->nz, nc = cdn_system_control_count(system);
  double *A = cell_room(c, (size_t)(n * n)), *B = cell_room(c, (size_t)(n * c->nu)),
         *C = cell_room(c, (size_t)(n * nc));
  double *middle = cell_room(c, (size_t)(c->nq + c->nu + c->nz)), *got = cell_room(c, (size_t)n);
  double *here = cell_room(c, (size_t)n), *want = cell_room(c, (size_t)n), noise = 0, kink = 0;
  double *v = free_direction(c), *f = cell_room(c, (size_t)c->nu), *command = cell_room(c, (size_t)nc);
  step_change x = { stepping[c->turn], 1e-3, v, f, command, middle };
  cell_random(c, f, c->nu);
  if (by_controls) memset(v, 0, (size_t)(c->nu + c->nz) * sizeof *v), memset(f, 0, (size_t)c->nu * sizeof *f);
  for (int k = 0; k < nc; k++) command[k] = by_controls && !cdn_control_follows(system, (cdn_control){ k }) ? 1 : 0;
  c->method = cdn_method_name(x.method);
  if (!step_from(c, c->state, x.method, x.h, middle)) return;
  ASK(cdn_step_derivatives(c->state, x.method, x.h, A, B, by_controls ? C : NULL));
  if (!extrapolate(c, &x, here, want, &noise, &kink)) return;
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < n; k++) got[i] += A[i * n + k] * here[k];
    for (int k = 0; k < c->nu; k++) got[i] += B[i * c->nu + k] * f[k];
    for (int k = 0; k < nc; k++) got[i] += C[i * nc + k] * command[k];
  }
  const double scale = largest_of(want, n, 1);
  if (!(fmax(noise, kink) <= 1e-3 * scale)) {
    c->unsettled = true;
    return;
  }
  cell_near(c, "a step by where it begins, forces and controls", got, want, n, scale,
            cell_derivative_tolerance(c) + noise / scale);
}

void ask_step_derivatives(cell *c) { check_step(c, false); }
void ask_control_derivatives(cell *c) {
  if (cdn_system_control_count(cdn_state_system(c->state)) == 0) return cell_skip(c);
  check_step(c, true);
}

void ask_step_inverse(cell *c) {
  const cdn_method method = stepping[c->turn];
  const double h = 1e-3;
  double *x = cell_room(c, (size_t)(c->nq + c->nu + c->nz)), *tau = cell_room(c, (size_t)c->nu);
  double *want = cell_room(c, (size_t)c->nu), *r = cell_room(c, (size_t)c->nu);
  c->method = cdn_method_name(method);
  if (c->m > 0 && method != CDN_METHOD_SEMI_EXPLICIT_EULER) return cell_skip(c); /* u is projected at the step's end */
  ASK(cdn_residual(c->state, c->udot, r));
  if (c->m > 0)
    for (int k = 0; k < c->nu; k++) x[c->nq + k] = c->u[k] + h * c->udot[k];
  else if (!step_from(c, c->state, method, h, x)) return;
  ASK(cdn_step_inverse_dynamics(c->state, method, h, x + c->nq, tau));
  for (int k = 0; k < c->nu; k++) want[k] = c->prescribed[k] ? tau[k] : 0;
  cell_near(c, "tau of a step", tau, want, c->nu, largest_of(r, c->nu, largest_of(c->lambda, c->m, 1)), 1e-7);
}
