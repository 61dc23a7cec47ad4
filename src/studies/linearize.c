/* The equations of motion linearized in local independent coordinates (12.6).
 *
 * Perturbations (v, delta u) that stay on the constraints have P v = 0 and G_u delta u + d(G_u u)/dq v = 0, with the
 * rows P of positions and G_u of positions and velocities. So v = D^T a and delta u = U^T b + C v, where C v is the
 * smallest delta u that satisfies the latter; at rest there is none. Along the motion
 *
 *   d/dt v = T v + delta u,     d/dt delta u = dudot/dq v + dudot/du delta u + dudot/dz delta z,
 *
 * and delta z is free. */
#include <cardan/derivatives.h>
#include <cardan/measures.h>
#include <cardan/modes.h>
#include <math.h>

#include "constraints/elements.h"
#include "controls/controls.h"
#include "dynamics/dynamics.h"
#include "math/dense.h"
#include "matter/motion.h"
#include "matter/motion_derivatives.h"
#include "matter/operators.h"
#include "studies/statics.h"

typedef struct linearization {
  const char *function;
  cdn_state *state;
  const matter *m;
  int nu, nz, n, l, rows;                  /* nz: 0 where z is held */
  double *D, *U;                           /* bases */
  double *by_q, *by_u, *T, *C;             /* nu x nu, by rows */
  double *v, *du, *vdot, *udot;            /* nu */
  double *by_z, *z_by_q, *z_by_u, *z_by_z; /* dudot/dz, nu x nz; of zdot, nz rows */
} linearization;

static bool is_at_rest(const double *u, int nu) {
  for (int k = 0; k < nu; k++)
    if (u[k] != 0) return false;
  return true;
}

/* Rows of enabled velocity constraints, scaled to unit length on the free mobilities, and the same scaling of E. */
static int gather_rows(const linearization *x, const constraint_rows *from, const double *G_all, const double *E_all,
                       double *G, double *E) {
  const constraint_room *room = cdni_constraints(cdn_state_system(x->state));
  const int nu = x->nu;
  int rows = 0;
  for (int c = 0; c < from->plan->n_constraints; c++) {
    const constraint_element *e = constraint_on(room, from->plan, c);
    for (int k = 0; k < e->np + e->nv; k++) {
      double *to = G + rows * nu, square = 0;
      memcpy(to, G_all + (room->first_row + e->row + k) * nu, (size_t)nu * sizeof *to);
      for (int i = 1; i < x->m->tree.n; i++)
        if (cdn_body_driver(x->state, (cdn_body){ i }).level >= CDN_LEVEL_VELOCITY)
          memset(to + x->m->tree.node[i].u, 0, x->m->tree.node[i].nu * sizeof *to);
      for (int j = 0; j < nu; j++) square += to[j] * to[j];
      if (!(sqrt(square) > cdni_row_rounding(room, from, c, k))) continue;
      for (int j = 0; j < nu; j++) {
        to[j] /= sqrt(square);
        E[rows * nu + j] = E_all[(e->row + k) * nu + j] / sqrt(square);
      }
      rows++;
    }
  }
  return rows;
}

/* C = -G_u^+ d(G_u u)/dq. The derivative is that of the errors of accelerations which are u, in a State at rest. */
static cdn_status find_C(linearization *x, cdn_state *rest, const double *u) {
  const size_t nu = (size_t)x->nu, m = (size_t)cdn_system_nudoterr(cdn_state_system(x->state));
  const size_t smaller = nu < m ? nu : m;
  double *memory = cdn_work_push(x->state, (5 * m * nu + m + smaller * (m + 1) + nu * nu + 1) * sizeof *memory);
  if (!memory) return cdni_state_fail(x->state, CDN_ERR_NOMEM, false, x->function, NULL, "out of memory");
  double *G_all = memory, *E_all = G_all + m * nu, *G = E_all + m * nu, *E = G + m * nu, *A = E + m * nu;
  double *lambda = A + m * nu, *s = lambda + m, *W = s + smaller, *VT = W + smaller * m;
  memset(lambda, 0, m * sizeof *lambda);
  cdn_status status = cdni_constrained_residual_derivatives(rest, x->function, u, lambda, NULL, NULL, E_all, NULL);
  constraint_rows from = { .J = NULL };
  if (status == CDN_OK) status = cdn_calc_G(x->state, G_all);
  if (status == CDN_OK) status = cdni_constraint_rows(cdni_constraints(cdn_state_system(x->state)), x->state, &from);
  if (status == CDN_OK) {
    const int rows = gather_rows(x, &from, G_all, E_all, G, E);
    for (int e = 0; e < rows; e++)
      for (int j = 0; j < x->nu; j++) A[j * rows + e] = G[e * x->nu + j];
    double *work = cdn_work_push(x->state, cdni_svd_work(rows, x->nu) * sizeof *work);
    if (!work) status = cdni_state_fail(x->state, CDN_ERR_NOMEM, false, x->function, NULL, "out of memory");
    else if (!cdni_svd(rows, x->nu, A, s, W, VT, work))
      status =
          cdni_state_fail(x->state, CDN_ERR_SINGULAR, false, x->function, NULL, "the singular values were not found");
    const int rank = status == CDN_OK ? cdni_svd_rank(rows < x->nu ? rows : x->nu, s) : 0;
    for (int r = 0; r < rank; r++)
      for (int j = 0; j < x->nu; j++) {
        double along = 0;
        for (int e = 0; e < rows; e++) along += W[r * rows + e] * E[e * x->nu + j];
        for (int i = 0; i < x->nu; i++) x->C[i * x->nu + j] -= VT[i * x->nu + r] * along / s[r];
      }
    cdn_work_pop(x->state, work);
  }
  cdn_work_pop(x->state, memory);
  return status;
}

/* A motion u(t, q) varies with q, and does not say how. */
static cdn_status refuse_velocity_motions(const linearization *x) {
  for (int i = 1; i < x->m->tree.n; i++) {
    const cdn_driver d = cdn_body_driver(x->state, (cdn_body){ i });
    if (d.locked || d.motion.i < 0 || d.level != CDN_LEVEL_VELOCITY) continue;
    const matter_motion *motion = cdni_motion_at(x->m, d.motion.i);
    if (motion->kind == CDN_MOTION_CUSTOM)
      return cdni_state_fail(
          x->state, CDN_ERR_UNSUPPORTED, false, x->function, motion->name,
          "motion '%s' prescribes u as a function of q, whose derivatives it does not bring: lock the "
          "mobilizer, or prescribe its accelerations",
          motion->name);
  }
  return CDN_OK;
}

/* Velocity errors that are not G u + (a function of time): their derivatives by q are not known. */
static cdn_status refuse_nonlinear(const linearization *x) {
  const constraint_room *room = cdni_constraints(cdn_state_system(x->state));
  for (size_t i = 0; i < room->elements.count; i++) {
    const constraint_element *c = constraint_at(room, (int)i);
    if (c->nonlinear && cdn_constraint_is_enabled(x->state, (cdn_constraint){ (int32_t)i }))
      return cdni_state_fail(
          x->state, CDN_ERR_UNSUPPORTED, false, x->function, c->name,
          "the velocity error of constraint '%s' is not linear in u, which is linearized at rest only", c->name);
  }
  return CDN_OK;
}

static cdn_status prepare(linearization *x, const double *u) {
  const size_t square = (size_t)x->nu * (size_t)x->nu;
  CDNI_TRY(refuse_velocity_motions(x));
  CDNI_TRY(cdni_local_basis(x->state, x->function, CDN_LEVEL_POSITION, x->D, &x->n));
  CDNI_TRY(cdni_local_basis(x->state, x->function, CDN_LEVEL_VELOCITY, x->U, &x->l));
  CDNI_TRY(cdn_forward_dynamics_derivatives(x->state, x->by_q, x->by_u, NULL, x->nz ? x->by_z : NULL));
  if (x->nz) CDNI_TRY(cdn_calc_zdot_derivatives(x->state, x->z_by_q, x->z_by_u, x->z_by_z));
  if (square) memset(x->T, 0, square * sizeof *x->T), memset(x->C, 0, square * sizeof *x->C);
  if (is_at_rest(u, x->nu)) return CDN_OK;
  CDNI_TRY(cdn_tangent_rate_derivatives(x->state, x->T));
  if (!cdni_dynamics_is_constrained(cdni_dynamics(cdn_state_system(x->state)), x->state)) return CDN_OK;
  CDNI_TRY(refuse_nonlinear(x));
  cdn_state *rest;
  CDNI_TRY(cdni_rest_state(x->state, x->function, &rest));
  const cdn_status status = find_C(x, rest, u);
  cdn_state_destroy(rest);
  return status;
}

static void multiply_add(int n, const double *A, const double *x, double *y) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) y[i] += A[i * n + k] * x[k];
}

static double along(int n, const double *a, const double *b) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += a[k] * b[k];
  return sum;
}

/* v and du of displacement j, of change of velocity j - n, or zero. Returns the number of z, below 0 if it is none. */
static int perturb(linearization *x, int j) {
  const int nu = x->nu;
  memset(x->v, 0, (size_t)nu * 4 * sizeof *x->v);
  if (j < x->n) {
    memcpy(x->v, x->D + j * nu, (size_t)nu * sizeof *x->v);
    multiply_add(nu, x->C, x->v, x->du);
  } else if (j < x->n + x->l) memcpy(x->du, x->U + (j - x->n) * nu, (size_t)nu * sizeof *x->du);
  return j - x->n - x->l;
}

/* Column j of A: by displacement j, by change of velocity j - n, or by z number j - n - l. */
static void fill_column(linearization *x, int j, double *A) {
  const int nu = x->nu, nz = x->nz, size = x->n + x->l + nz, z = perturb(x, j);
  multiply_add(nu, x->T, x->v, x->vdot);
  for (int k = 0; k < nu; k++) x->vdot[k] += x->du[k];
  multiply_add(nu, x->by_q, x->v, x->udot);
  multiply_add(nu, x->by_u, x->du, x->udot);
  for (int k = 0; k < nu && z >= 0; k++) x->udot[k] = x->by_z[k * nz + z];
  /* U C = 0: of what C makes of d/dt v nothing is left in b */
  for (int i = 0; i < x->n; i++) A[i * size + j] = along(nu, x->D + i * nu, x->vdot);
  for (int i = 0; i < x->l; i++) A[(x->n + i) * size + j] = along(nu, x->U + i * nu, x->udot);
  for (int i = 0; i < nz; i++)
    A[(x->n + x->l + i) * size + j] =
        z >= 0 ? x->z_by_z[i * nz + z] : along(nu, x->z_by_q + i * nu, x->v) + along(nu, x->z_by_u + i * nu, x->du);
}

/* What all need, in memory of the State's workspace, which is returned. */
static cdn_status begin(linearization *x, cdn_state *state, const char *function, bool with_z, double **memory) {
  *x = (linearization){ .function = function, .state = state };
  CDNI_TRY(cdni_study_matter(state, function, &x->m));
  x->nu = x->m->tree.nu, x->nz = with_z ? cdn_system_nz(cdn_state_system(state)) : 0;
  const size_t nu = (size_t)x->nu, nz = (size_t)x->nz, square = nu * nu;
  *memory = cdn_work_push(state, (6 * square + 4 * nu + 3 * nu * nz + nz * nz + 1) * sizeof **memory);
  if (!*memory) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  x->D = *memory, x->U = x->D + square, x->by_q = x->U + square, x->by_u = x->by_q + square;
  x->T = x->by_u + square, x->C = x->T + square;
  x->v = x->C + square, x->du = x->v + nu, x->vdot = x->du + nu, x->udot = x->vdot + nu;
  x->by_z = x->udot + nu, x->z_by_q = x->by_z + nu * nz, x->z_by_u = x->z_by_q + nu * nz,
  x->z_by_z = x->z_by_u + nu * nz;
  const double *u = cdn_state_u_eff(state);
  const cdn_status status = u ? prepare(x, u) : cdni_state_last_status(state);
  if (status != CDN_OK) cdn_work_pop(state, *memory);
  return status;
}

static cdn_status linearize(cdn_state *state, const char *function, bool with_z, double *A, double *displacements,
                            int *n, double *velocities, int *l) {
  linearization x;
  double *memory;
  CDNI_TRY(begin(&x, state, function, with_z, &memory));
  for (int j = 0; j < x.n + x.l + x.nz; j++) fill_column(&x, j, A);
  if (displacements) memcpy(displacements, x.D, (size_t)x.n * (size_t)x.nu * sizeof *A);
  if (velocities) memcpy(velocities, x.U, (size_t)x.l * (size_t)x.nu * sizeof *A);
  *n = x.n, *l = x.l;
  cdn_work_pop(state, memory);
  return CDN_OK;
}

/* ---- inputs and outputs ---- */

static cdn_status refuse_control(const linearization *x, cdn_control control) {
  const cdn_system *system = cdn_state_system(x->state);
  const constraint_room *room = cdni_constraints(system);
  if (!cdni_motion_reads_control(x->m, x->state, control) &&
      !(room && cdni_constraint_reads_control(room, x->state, control)))
    return CDN_OK;
  const char *name = cdn_control_name(system, control);
  return cdni_state_fail(x->state, CDN_ERR_UNSUPPORTED, false, x->function, name,
                         "control '%s' prescribes a motion: accelerations have no derivative by it", name);
}

/* Column `control` of B, from udot and zdot of another State on both sides of the control's value. */
static cdn_status fill_input(linearization *x, cdn_state *other, cdn_control control, double *zdot, double *B) {
  const int nu = x->nu, nz = x->nz, nc = cdn_system_control_count(cdn_state_system(other));
  double at[2];
  CDNI_TRY(refuse_control(x, control));
  CDNI_TRY(cdni_control_sides(x->state, control, at));
  if (at[0] == at[1]) return CDN_OK;
  memset(x->udot, 0, (size_t)nu * sizeof *x->udot);
  memset(zdot, 0, (size_t)nz * sizeof *zdot);
  for (int side = 0; side < 2; side++) {
    const double by = (side ? 1 : -1) / (at[1] - at[0]);
    CDNI_TRY(cdn_control_set(other, control, at[side]));
    CDNI_TRY(cdn_realize(other, CDN_STAGE_ACCELERATION));
    for (int k = 0; k < nu; k++) x->udot[k] += by * cdn_state_udot(other)[k];
    for (int k = 0; k < nz; k++) zdot[k] += by * cdn_state_zdot(other)[k];
  }
  for (int i = 0; i < x->l; i++) B[(x->n + i) * nc + control.i] = along(nu, x->U + i * nu, x->udot);
  for (int i = 0; i < nz; i++) B[(x->n + x->l + i) * nc + control.i] = zdot[i];
  return cdn_control_set(other, control, cdn_control_given(x->state, control));
}

static cdn_status fill_inputs(linearization *x, double *B) {
  const int nc = cdn_system_control_count(cdn_state_system(x->state));
  const size_t size = (size_t)(x->n + x->l + x->nz) * (size_t)nc;
  cdn_state *other;
  if (size > 0) memset(B, 0, size * sizeof *B);
  double *zdot = cdn_work_push(x->state, ((size_t)x->nz + 1) * sizeof *zdot);
  if (!zdot) return cdni_state_fail(x->state, CDN_ERR_NOMEM, false, x->function, NULL, "out of memory");
  cdn_status status = cdn_state_create(cdn_state_system(x->state), &other);
  if (status != CDN_OK) {
    cdn_work_pop(x->state, zdot);
    return cdni_state_fail(x->state, status, false, x->function, NULL, "out of memory");
  }
  status = cdn_state_copy(other, x->state);
  for (int i = 0; i < nc && status == CDN_OK; i++) status = fill_input(x, other, (cdn_control){ i }, zdot, B);
  cdn_work_pop(x->state, zdot);
  cdni_rest_destroy(x->state, other, status);
  return status;
}

/* C from the derivatives by q, u and z (ny rows). */
static void fill_outputs(linearization *x, int ny, const double *dy_dx, double *C) {
  const int nu = x->nu, size = x->n + x->l + x->nz;
  for (int j = 0; j < size; j++) {
    const int z = perturb(x, j);
    for (int i = 0; i < ny; i++) {
      const double *row = dy_dx + (size_t)i * (size_t)(2 * nu + x->nz);
      C[i * size + j] = z >= 0 ? row[2 * nu + z] : along(nu, row, x->v) + along(nu, row + nu, x->du);
    }
  }
}

static cdn_status measure(linearization *x, int n, const cdn_measure *measures, double *C, double *D) {
  const cdn_system *system = cdn_state_system(x->state);
  size_t ny = 0;
  for (int i = 0; i < n; i++) ny += (size_t)cdn_measure_size(system, measures[i]);
  double *dy_dx = cdn_work_push(x->state, (ny * (size_t)(2 * x->nu + x->nz) + 1) * sizeof *dy_dx);
  if (!dy_dx) return cdni_state_fail(x->state, CDN_ERR_NOMEM, false, x->function, NULL, "out of memory");
  const cdn_status status = cdn_measure_state_derivatives(x->state, n, measures, C ? dy_dx : NULL, NULL, D);
  if (status == CDN_OK && C) fill_outputs(x, (int)ny, dy_dx, C);
  cdn_work_pop(x->state, dy_dx);
  return status;
}

cdn_status cdn_linearize_outputs(cdn_state *state, int n_measures, const cdn_measure *measures, double *B, double *C,
                                 double *D) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_NEED_SOME(state, measures, n_measures);
  linearization x;
  double *memory;
  CDNI_TRY(begin(&x, state, __func__, true, &memory));
  cdn_status status = B ? fill_inputs(&x, B) : CDN_OK;
  if (status == CDN_OK && (C || D)) status = measure(&x, n_measures, measures, C, D);
  cdn_work_pop(state, memory);
  return status;
}

cdn_status cdn_linearize(cdn_state *state, double *A, double *displacements, int *n, double *velocities, int *l) {
  CDNI_NEED_SOME(state, A, cdn_system_nu(cdn_state_system(state)));
  CDNI_NEED(state, n);
  CDNI_NEED(state, l);
  return linearize(state, "cdn_linearize", false, A, displacements, n, velocities, l);
}

cdn_status cdn_linearize_with_z(cdn_state *state, double *A, double *displacements, int *n, double *velocities,
                                int *l) {
  CDNI_NEED_SOME(state, A, cdn_system_nu(cdn_state_system(state)) + cdn_system_nz(cdn_state_system(state)));
  CDNI_NEED(state, n);
  CDNI_NEED(state, l);
  return linearize(state, "cdn_linearize_with_z", true, A, displacements, n, velocities, l);
}
