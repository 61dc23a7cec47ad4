/* The derivatives of inverse and forward dynamics, put together from matter's recursion and the forces' own. */
#include <cardan/derivatives.h>

#include "dynamics/row_derivatives.h"
#include "matter/derivatives.h"
#include "matter/motion_derivatives.h"
#include "matter/operators.h"

/* Multipliers (NULL: the State's), and derivatives of the acceleration errors, by q and u: a row each. */
typedef struct constrained {
  const double *lambda;
  double *by_q, *by_u;
} constrained;

/* What acts beside forces and constraints: soft rows with the changes of the exact ones, friction that slips with the
 * changes of its size by q, u and z. */
typedef struct beyond {
  bool rows_act;
  int exact, slips;
  row_changes rows;
  double *slip[3];
} beyond;

static size_t square(int n) { return (size_t)n * (size_t)n; }

/* The pass over matter, with all forces that act; those of provided rows and of friction, too, or not. */
static cdn_status begin(derivative_pass *p, cdn_state *state, const char *function, bool rows, const double *udot,
                        double *dq, double *du, double *M) {
  const dynamics *d = cdni_dynamics(cdn_state_system(state));
  const sv *force = NULL;
  if (d && rows) CDNI_TRY(cdni_dynamics_acting_forces(d, state, &force, NULL));
  else if (d) CDNI_TRY(cdni_dynamics_applied_forces(d, state, &force, NULL));
  return cdni_derivatives_begin(p, state, function, udot, force, dq, du, M);
}

/* dq, du, dz of tau; M beside them. Any may be NULL. With constraints (NULL: they take no part) their forces belong
 * to tau, and the errors at udot are differentiated, too. The same holds of what acts beyond them. */
static cdn_status differentiate(derivative_pass *p, cdn_state *state, const char *function, const double *udot,
                                double *dq, double *du, double *dz, double *M, const constrained *constraints,
                                const beyond *more) {
  CDNI_TRY(begin(p, state, function, more != NULL, udot, dq, du, M));
  const dynamics *d = cdni_dynamics(cdn_state_system(state));
  cdn_status status = cdni_forces_differentiate(p, function, dz);
  if (status == CDN_OK && more && more->rows_act) status = cdni_rows_differentiate(d, p, dz, &more->rows);
  if (status == CDN_OK && more && more->slips > 0) status = cdni_hybrid_differentiate(d->hybrid, p, more->slip);
  if (status == CDN_OK && constraints) {
    status = cdni_constraint_differentiate(cdni_constraints(cdn_state_system(state)), p, constraints->lambda,
                                           constraints->by_q, constraints->by_u);
  }
  if (status == CDN_OK) status = cdni_derivatives_fill(p);
  if (status != CDN_OK) cdni_derivatives_end(p);
  return status;
}

cdn_status cdn_inverse_dynamics_derivatives(cdn_state *state, const double *udot, double *dtau_dq, double *dtau_du,
                                            double *dtau_dz) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  derivative_pass p;
  CDNI_TRY(
      differentiate(&p, state, "cdn_inverse_dynamics_derivatives", udot, dtau_dq, dtau_du, dtau_dz, NULL, NULL, NULL));
  cdni_derivatives_end(&p);
  return CDN_OK;
}

/* Forces on bodies: those that are applied, and those that the soft rows would have at udot. */
static cdn_status forces_at(const dynamics *d, cdn_state *state, const double *udot, sv *F, double *f) {
  const sv *applied;
  CDNI_TRY(cdni_dynamics_applied_forces(d, state, &applied, NULL));
  memcpy(F, applied, (size_t)d->matter->tree.n * sizeof *F);
  if (d->matter->tree.nu > 0) memset(f, 0, (size_t)d->matter->tree.nu * sizeof *f);
  return cdni_soft_forces(d->soft, state, udot, SOFT_ALL, NULL, F, f, NULL, NULL);
}

static cdn_status differentiate_with_rows(const dynamics *d, derivative_pass *p, double *dz) {
  const row_changes changes = { { p->dq, p->du, dz } }; /* which are wanted: there are no exact rows */
  cdn_status status = cdni_forces_differentiate(p, p->function, dz);
  if (status == CDN_OK) status = cdni_rows_differentiate(d, p, dz, &changes);
  if (status == CDN_OK) status = cdni_derivatives_fill(p);
  return status;
}

/* udot: nu numbers. */
static cdn_status with_rows(const dynamics *d, cdn_state *state, const char *function, const double *udot, double *dq,
                            double *du, double *dz, double *M) {
  const size_t nb = (size_t)d->matter->tree.n, nu = (size_t)d->matter->tree.nu;
  void *frame;
  derivative_pass p;
  CDNI_TRY(cdni_operator_work(state, function, nb * sizeof(sv) + (nu + 1) * sizeof(double), &frame));
  sv *F = frame;
  cdn_status status = forces_at(d, state, udot, F, (double *)(F + nb));
  if (status == CDN_OK) status = cdni_derivatives_begin(&p, state, function, udot, F, dq, du, M);
  if (status == CDN_OK) {
    status = differentiate_with_rows(d, &p, dz);
    cdni_derivatives_end(&p);
  }
  if (status == CDN_OK && M) status = cdni_soft_add_weights(d->soft, state, function, udot, M);
  cdn_work_pop(state, frame);
  return status;
}

cdn_status cdn_soft_inverse_dynamics_derivatives(cdn_state *state, const double *udot, double *dtau_dq, double *dtau_du,
                                                 double *dtau_dz, double *dtau_dudot) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const matter *m = NULL;
  double *a;
  CDNI_TRY(cdni_operator_matter(state, __func__, &m));
  CDNI_TRY(cdni_operator_check_optional(state, __func__, "udot", udot, m->tree.nu));
  CDNI_TRY(cdn_realize(state, CDN_STAGE_FORCE));
  const dynamics *d = cdni_dynamics(cdn_state_system(state));
  bool any = false;
  if (d && d->soft) CDNI_TRY(cdni_soft_refuse_exact(d->soft, state, __func__));
  if (d && d->soft) CDNI_TRY(cdni_soft_any(d->soft, state, &any));
  if (!any) {
    derivative_pass p;
    CDNI_TRY(differentiate(&p, state, __func__, udot, dtau_dq, dtau_du, dtau_dz, dtau_dudot, NULL, NULL));
    cdni_derivatives_end(&p);
    return CDN_OK;
  }
  const size_t nu = (size_t)m->tree.nu;
  CDNI_TRY(cdni_operator_work(state, __func__, (nu + 1) * sizeof *a, (void **)&a));
  memset(a, 0, (nu + 1) * sizeof *a);
  if (udot && nu > 0) memcpy(a, udot, nu * sizeof *a);
  const cdn_status status = with_rows(d, state, __func__, a, dtau_dq, dtau_du, dtau_dz, dtau_dudot);
  cdn_work_pop(state, a);
  return status;
}

cdn_status cdni_constrained_residual_derivatives(cdn_state *state, const char *function, const double *udot,
                                                 const double *lambda, double *dtau_dq, double *dtau_du,
                                                 double *errors_dq, double *errors_du) {
  derivative_pass p;
  const constrained constraints = { .lambda = lambda, .by_q = errors_dq, .by_u = errors_du };
  if (dtau_dq || dtau_du)
    CDNI_TRY(cdni_dynamics_refuse_rows(state, function)); /* the errors are those of constraints alone */
  const dynamics *d = cdni_dynamics(cdn_state_system(state));
  const bool any = d && cdni_dynamics_is_constrained(d, state);
  CDNI_TRY(differentiate(&p, state, function, udot, dtau_dq, dtau_du, NULL, NULL, any ? &constraints : NULL, NULL));
  cdni_derivatives_end(&p);
  return CDN_OK;
}

/* matter's run of the State's udot */
static const double *realized_udot(cdn_state *state, const matter *m) {
  const double *udot = cdn_state_udot(state);
  return udot ? udot + cdni_subsystem_runs(cdn_state_system(state), m->subsystem).u : NULL;
}

/* Rows of motions whose udot varies, with what they do to the others; P (2 nu columns a row) is kept for the end. */
static cdn_status add_motions(const derivative_pass *p, int rows, const double *M, double *P, double *dq, double *du) {
  if (rows == 0) return CDN_OK;
  double *P_u = P + (size_t)rows * (size_t)p->m->tree.nu;
  if (dq) CDNI_TRY(cdni_motion_udot_by(p->m, p->state, p->function, CDN_POOL_Q, rows, P));
  if (du) CDNI_TRY(cdni_motion_udot_by(p->m, p->state, p->function, CDN_POOL_U, rows, P_u));
  if (dq) cdni_motion_add_rows(p->m, p->state, M, P, dq);
  if (du) cdni_motion_add_rows(p->m, p->state, M, P_u, du);
  return CDN_OK;
}

/* Derivatives of udot (nu rows) and of the multipliers (a row an equation), by q, u, f and z; by f: for the columns of
 * generalized forces `force` (NULL: the unit matrix). */
typedef struct wanted {
  double *udot[4], *lambda[4];
  int columns[4];
  const double *force;
} wanted;
enum { BY_Q, BY_U, BY_F, BY_Z };

static wanted wanted_of(cdn_state *state, const matter *m) {
  const int nu = m->tree.nu;
  return (wanted){ .columns = { nu, nu, nu, cdn_system_nz(cdn_state_system(state)) } };
}

/* The columns of forces, times +-1. */
static void fill_forces(const wanted *w, int nu, double sign, double *out) {
  const size_t n = (size_t)nu, columns = (size_t)w->columns[BY_F];
  if (!w->force && n > 0) memset(out, 0, n * n * sizeof *out);
  for (size_t k = 0; !w->force && k < n; k++) out[k * n + k] = sign;
  for (size_t k = 0; w->force && k < n * columns; k++) out[k] = sign * w->force[k];
}

/* M^-1 for all that is wanted. */
static cdn_status solve_all(const derivative_pass *p, double *M, const wanted *out) {
  mass_solver solver;
  CDNI_TRY(cdni_mass_solver_begin(&solver, p, M));
  if (out->udot[BY_F]) fill_forces(out, p->m->tree.nu, -1, out->udot[BY_F]);
  for (int k = 0; k < 4; k++)
    if (out->udot[k]) cdni_mass_solver_apply(&solver, -1, out->udot[k], out->columns[k]);
  cdni_mass_solver_end(&solver);
  return CDN_OK;
}

/* ---- beyond forces and constraints ---- */

static cdn_status look_beyond(const dynamics *d, cdn_state *state, beyond *x) {
  *x = (beyond){ .slips = d->hybrid ? cdni_hybrid_slip_count(d->hybrid, state) : 0 };
  if (!d->soft) return CDN_OK;
  CDNI_TRY(cdni_soft_any(d->soft, state, &x->rows_act));
  return cdni_soft_count_exact(d->soft, state, &x->exact);
}

/* Room for the changes, as far as these are wanted. */
static size_t changes_size(const matter *m, cdn_state *state, const beyond *x) {
  const size_t columns = 2 * (size_t)m->tree.nu + (size_t)cdn_system_nz(cdn_state_system(state));
  return (size_t)(x->exact + x->slips) * columns;
}

static beyond changes_at(const matter *m, cdn_state *state, const beyond *x, const double *const by[3], double *at) {
  const size_t nu = (size_t)m->tree.nu, nz = (size_t)cdn_system_nz(cdn_state_system(state));
  const size_t size = (size_t)x->exact * nu, slips = (size_t)x->slips * nu;
  const double *dq = by[0], *du = by[1], *dz = by[2];
  double *row = at, *slip = row + (size_t)x->exact * (2 * nu + nz);
  beyond to = *x;
  to.slip[0] = dq ? slip : NULL, to.slip[1] = du ? slip + slips : NULL, to.slip[2] = dz ? slip + 2 * slips : NULL;
  to.rows = (row_changes){ { dq ? row : NULL, du ? row + size : NULL, dz ? row + 2 * size : NULL } };
  return to;
}

/* What the derivatives are with rows and friction that follow, from what they are without. */
static cdn_status follow_beyond(cdn_state *state, const char *function, const beyond *x, const wanted *out) {
  const dynamics *d = cdni_dynamics(cdn_state_system(state));
  const double *of_rows[4] = { x->rows.by[0], x->rows.by[1], NULL, x->rows.by[2] };
  const double *of_slips[4] = { x->slip[0], x->slip[1], NULL, x->slip[2] };
  soft_variation rows[4];
  slip_variation slips[4];
  int n = 0;
  for (int k = 0; k < 4; k++) {
    if (!out->udot[k] || out->columns[k] == 0) continue;
    rows[n] = (soft_variation){ out->columns[k], out->udot[k], out->lambda[k], of_rows[k] };
    slips[n++] = (slip_variation){ out->columns[k], out->udot[k], out->lambda[k], of_slips[k] };
  }
  if (x->rows_act) CDNI_TRY(cdni_soft_vary(d->soft, state, function, n, rows));
  return x->slips > 0 ? cdni_hybrid_vary(d->hybrid, state, function, n, slips) : CDN_OK;
}

/* ---- forward dynamics without constraints ---- */

static cdn_status free_derivatives(cdn_state *state, const matter *m, const char *function, const beyond *acts,
                                   const double *udot, const wanted *out) {
  const int nu = m->tree.nu;
  double *dq = out->udot[BY_Q], *du = out->udot[BY_U], *dz = out->udot[BY_Z];
  const int rows = cdni_motion_varying(m, state);
  const size_t size = square(nu) + 2 * (size_t)rows * (size_t)nu + changes_size(m, state, acts) + 1;
  double *M = cdn_work_push(state, size * sizeof *M);
  if (!M) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  double *P = M + square(nu);
  const beyond more = changes_at(m, state, acts, (const double *[]){ dq, du, dz }, P + 2 * (size_t)rows * (size_t)nu);

  derivative_pass p;
  cdn_status status = differentiate(&p, state, function, udot, dq, du, dz, M, NULL, &more);
  if (status == CDN_OK) {
    status = add_motions(&p, rows, M, P, dq, du);
    if (status == CDN_OK) status = solve_all(&p, M, out);
    if (rows && dq) cdni_motion_set_rows(m, state, P, dq);
    if (rows && du) cdni_motion_set_rows(m, state, P + (size_t)rows * (size_t)nu, du);
    cdni_derivatives_end(&p);
  }
  if (status == CDN_OK) status = follow_beyond(state, function, &more, out);
  cdn_work_pop(state, M);
  return status;
}

/* ---- and with them ---- */

/* errors += G P for the prescribed udot that vary. */
static cdn_status add_motion_errors(const derivative_pass *p, int rows, const double *P, double *work, double *errors) {
  const constraint_room *room = cdni_constraints(cdn_state_system(p->state));
  const int equations = cdni_constraints_equations(room);
  const size_t nu = (size_t)p->m->tree.nu;
  double *all = work, *a = all + nu * nu, *r = a + nu;
  if (rows == 0 || !errors) return CDN_OK;
  memset(all, 0, nu * nu * sizeof *all);
  cdni_motion_set_rows(p->m, p->state, P, all);
  for (size_t c = 0; c < nu; c++) {
    for (size_t k = 0; k < nu; k++) a[k] = all[k * nu + c];
    CDNI_TRY(cdni_constraint_multiply_by_G(room, p->state, a, r));
    for (int k = 0; k < equations; k++) errors[(size_t)k * nu + c] += r[k];
  }
  return CDN_OK;
}

/* [M G^T; G 0] d(udot, lambda) = -d(tau, errors). Results that are not wanted go to scratch memory. */
static cdn_status constrained_derivatives(cdn_state *state, const matter *m, const char *function, const beyond *acts,
                                          const double *udot, const wanted *out) {
  const constraint_room *room = cdni_constraints(cdn_state_system(state));
  const int *columns = out->columns;
  const size_t nu = (size_t)m->tree.nu, m_all = (size_t)cdni_constraints_equations(room);
  const int varying = cdni_motion_varying(m, state);
  double *X[4], *b[4];
  size_t size = varying ? 2 * (size_t)varying * nu + 2 * nu * nu + nu + m_all : 0;
  size += changes_size(m, state, acts);
  for (int k = 0; k < 4; k++)
    if (out->udot[k] || out->lambda[k]) size += (nu + m_all) * (size_t)columns[k];
  double *memory = cdn_work_push(state, (size + 1) * sizeof *memory), *at = memory;
  if (!memory) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  for (int k = 0; k < 4; k++) {
    X[k] = b[k] = NULL;
    if (!out->udot[k] && !out->lambda[k]) continue;
    X[k] = at, b[k] = at + nu * (size_t)columns[k];
    at = b[k] + m_all * (size_t)columns[k];
    memset(X[k], 0, (nu + m_all) * (size_t)columns[k] * sizeof *at);
  }
  const beyond more = changes_at(m, state, acts, (const double *[]){ X[BY_Q], X[BY_U], X[BY_Z] }, at);
  at += changes_size(m, state, acts);
  double *P = at, *P_u = P + (size_t)varying * nu, *M = varying ? P_u + (size_t)varying * nu : NULL;

  derivative_pass p;
  const constrained constraints = { .by_q = b[BY_Q], .by_u = b[BY_U] };
  cdn_status status = differentiate(&p, state, function, udot, X[BY_Q], X[BY_U], X[BY_Z], M, &constraints, &more);
  if (status == CDN_OK) {
    status = add_motions(&p, varying, M, P, X[BY_Q], X[BY_U]);
    if (status == CDN_OK && varying) status = add_motion_errors(&p, varying, P, M + nu * nu, b[BY_Q]);
    if (status == CDN_OK && varying) status = add_motion_errors(&p, varying, P_u, M + nu * nu, b[BY_U]);
    if (X[BY_F]) fill_forces(out, m->tree.nu, -1, X[BY_F]);
    for (int k = 0; k < 4 && status == CDN_OK; k++)
      if (X[k]) status = cdni_constraint_solve_columns(room, state, -1, columns[k], X[k], b[k]);
    if (varying && X[BY_Q]) cdni_motion_set_rows(m, state, P, X[BY_Q]);
    if (varying && X[BY_U]) cdni_motion_set_rows(m, state, P_u, X[BY_U]);
    cdni_derivatives_end(&p);
  }
  if (status == CDN_OK) {
    wanted all = { .udot = { X[0], X[1], X[2], X[3] } };
    memcpy(all.columns, columns, sizeof all.columns);
    for (int k = 0; k < 4; k++) all.lambda[k] = out->lambda[k] || acts->slips > 0 ? b[k] : NULL;
    status = follow_beyond(state, function, &more, &all);
  }
  for (int k = 0; k < 4 && status == CDN_OK; k++) {
    const size_t width = (size_t)columns[k] * sizeof *memory;
    if (out->udot[k] && width) memcpy(out->udot[k], X[k], nu * width);
    if (out->lambda[k] && width) memcpy(out->lambda[k], b[k], m_all * width);
  }
  cdn_work_pop(state, memory);
  return status;
}

/* What is wanted, at the State's udot. */
static cdn_status derivatives_of(cdn_state *state, const matter *m, const char *function, const wanted *out) {
  const double *udot = realized_udot(state, m);
  if (!udot) return cdni_state_last_status(state);
  const dynamics *d = cdni_dynamics(cdn_state_system(state));
  beyond acts;
  CDNI_TRY(look_beyond(d, state, &acts));
  return cdni_dynamics_is_constrained(d, state) ? constrained_derivatives(state, m, function, &acts, udot, out)
                                                : free_derivatives(state, m, function, &acts, udot, out);
}

cdn_status cdn_forward_dynamics_derivatives(cdn_state *state, double *dudot_dq, double *dudot_du, double *dudot_df,
                                            double *dudot_dz) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const matter *m = NULL;
  CDNI_TRY(cdni_operator_matter(state, __func__, &m));
  wanted out = wanted_of(state, m);
  out.udot[BY_Q] = dudot_dq, out.udot[BY_U] = dudot_du, out.udot[BY_F] = dudot_df, out.udot[BY_Z] = dudot_dz;
  return derivatives_of(state, m, __func__, &out);
}

cdn_status cdni_forward_dynamics_vary(cdn_state *state, const char *function, const dynamics_variation *v) {
  const matter *m = NULL;
  CDNI_TRY(cdni_operator_matter(state, function, &m));
  wanted out = wanted_of(state, m);
  out.udot[BY_Q] = v->by_q, out.udot[BY_U] = v->by_u, out.udot[BY_Z] = v->by_z;
  if (v->forces > 0) out.udot[BY_F] = v->by_f, out.force = v->force, out.columns[BY_F] = v->forces;
  return derivatives_of(state, m, function, &out);
}

cdn_status cdn_multiplier_derivatives(cdn_state *state, double *dlambda_dq, double *dlambda_du, double *dlambda_df,
                                      double *dlambda_dz) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const matter *m = NULL;
  CDNI_TRY(cdni_operator_matter(state, __func__, &m));
  CDNI_TRY(cdn_realize(state, CDN_STAGE_ACCELERATION));
  const constraint_room *room = cdni_constraints(cdn_state_system(state));
  const size_t equations = room ? (size_t)cdni_constraints_equations(room) : 0;
  wanted out = wanted_of(state, m);
  double *const all[4] = { dlambda_dq, dlambda_du, dlambda_df, dlambda_dz };
  for (int k = 0; k < 4; k++) {
    const size_t width = (size_t)out.columns[k];
    if (!all[k]) continue;
    out.lambda[k] = all[k] + (room ? (size_t)cdni_constraints_first_row(room) * width : 0);
    if (width > 0 && equations > 0) memset(out.lambda[k], 0, equations * width * sizeof(double));
  }
  const dynamics *d = cdni_dynamics(cdn_state_system(state));
  return cdni_dynamics_is_constrained(d, state) ? derivatives_of(state, m, __func__, &out) : CDN_OK;
}
