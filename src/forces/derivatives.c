/* The derivatives of inverse and forward dynamics, put together from matter's recursion and the forces' own. */
#include "forces/derivatives.h"

#include "matter/motion_derivatives.h"

static size_t square(int n) { return (size_t)n * (size_t)n; }

/* All that is not inertia. */
static cdn_status add_forces(cdn_force_derivatives *d) {
  cdn_state *state = d->pass->state;
  const force_room *room = cdni_forces(cdn_state_system(state));
  CDNI_TRY(cdni_derivatives_applied(d->pass));
  for (int k = 0; room && k < FORCE_KIND_COUNT; k++) {
    if (!cdni_force_kinds[k]->derivative || room->sets[k].ids.count == 0) continue;
    const force_batch b = cdni_force_batch(room, state, (force_kind_id)k, NULL);
    CDNI_TRY(cdni_force_kinds[k]->derivative(&b, state, d));
  }
  return room ? cdni_difference_forces(room, d) : CDN_OK;
}

/* dq, du, dz of tau; M beside them. Any may be NULL. */
static cdn_status differentiate(derivative_pass *p, cdn_state *state, const char *function, const double *udot,
                                double *dq, double *du, double *dz, double *M) {
  CDNI_TRY(cdni_derivatives_begin(p, state, function, udot, dq, du, M));
  cdn_force_derivatives d = { .pass = p, .dz = dz, .nz = cdn_system_nz(cdn_state_system(state)), .z = -1 };
  const size_t nb = (size_t)p->m->tree.n, nu = (size_t)p->m->tree.nu;
  cdn_status status = CDN_OK;
  void *frame = NULL;
  if (dz && d.nz > 0) {
    memset(dz, 0, nu * (size_t)d.nz * sizeof *dz);
    frame = cdn_work_push(state, nb * sizeof(sv) + nu * sizeof(double));
    if (!frame) status = cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
    d.by_z.to = (cdn_forces){ .state = state, .matter = p->m, .pose = p->pose, .F = frame };
    d.by_z.to.f = frame ? (double *)(d.by_z.to.F + nb) : NULL;
  } else d.dz = NULL;
  if (status == CDN_OK) status = add_forces(&d);
  cdn_work_pop(state, frame);
  if (status == CDN_OK) cdni_derivatives_fill(p);
  else cdni_derivatives_end(p);
  return status;
}

cdn_status cdn_inverse_dynamics_derivatives(cdn_state *state, const double *udot, double *dtau_dq, double *dtau_du,
                                            double *dtau_dz) {
  derivative_pass p;
  CDNI_TRY(differentiate(&p, state, "cdn_inverse_dynamics_derivatives", udot, dtau_dq, dtau_du, dtau_dz, NULL));
  cdni_derivatives_end(&p);
  return CDN_OK;
}

/* matter's run of the State's udot */
static const double *realized_udot(cdn_state *state, const matter *m) {
  const double *udot = cdn_state_udot(state);
  return udot ? udot + cdni_subsystem_runs(cdn_state_system(state), m->subsystem).u : NULL;
}

/* The status behind a NULL. */
static cdn_status last_code(const cdn_state *state) {
  cdn_error e;
  cdn_state_last_error(state, &e);
  return e.code != CDN_OK ? e.code : CDN_ERR_CALLBACK;
}

/* Rows of motions whose udot varies, with what they do to the others; P (2 nu columns a row) is kept for the end. */
static cdn_status add_motions(const derivative_pass *p, int rows, const double *M, double *P, double *dq, double *du) {
  if (rows == 0) return CDN_OK;
  double *P_u = P + (size_t)rows * (size_t)p->m->tree.nu;
  if (dq) CDNI_TRY(cdni_motion_udot_by(p->m, p->state, CDN_POOL_Q, rows, P));
  if (du) CDNI_TRY(cdni_motion_udot_by(p->m, p->state, CDN_POOL_U, rows, P_u));
  if (dq) cdni_motion_add_rows(p->m, p->state, M, P, dq);
  if (du) cdni_motion_add_rows(p->m, p->state, M, P_u, du);
  return CDN_OK;
}

/* M^-1 for all that is wanted. */
static cdn_status solve_all(const derivative_pass *p, double *M, double *dq, double *du, double *df, double *dz,
                            int nz) {
  const int nu = p->m->tree.nu;
  mass_solver solver;
  CDNI_TRY(cdni_mass_solver_begin(&solver, p, M));
  cdn_status status = CDN_OK;
  if (df && nu > 0) {
    memset(df, 0, square(nu) * sizeof *df);
    for (int k = 0; k < nu; k++) df[(size_t)k * (size_t)nu + (size_t)k] = 1;
    status = cdni_mass_solver_apply(&solver, 1, df, nu);
  }
  if (status == CDN_OK && dq) status = cdni_mass_solver_apply(&solver, -1, dq, nu);
  if (status == CDN_OK && du) status = cdni_mass_solver_apply(&solver, -1, du, nu);
  if (status == CDN_OK && dz) status = cdni_mass_solver_apply(&solver, -1, dz, nz);
  cdni_mass_solver_end(&solver);
  return status;
}

cdn_status cdn_forward_dynamics_derivatives(cdn_state *state, double *dudot_dq, double *dudot_du, double *dudot_df,
                                            double *dudot_dz) {
  static const char function[] = "cdn_forward_dynamics_derivatives";
  const matter *m = cdni_matter(cdn_state_system(state));
  if (!m) return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "the System has no bodies");
  const double *udot = realized_udot(state, m);
  if (!udot) return last_code(state);
  const int nu = m->tree.nu, nz = cdn_system_nz(cdn_state_system(state));
  const int rows = cdni_motion_varying(m, state);
  double *M = cdn_work_push(state, (square(nu) + 2 * (size_t)rows * (size_t)nu + 1) * sizeof *M), *P = M + square(nu);
  if (!M) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");

  derivative_pass p;
  cdn_status status = differentiate(&p, state, function, udot, dudot_dq, dudot_du, dudot_dz, M);
  if (status == CDN_OK) {
    status = add_motions(&p, rows, M, P, dudot_dq, dudot_du);
    if (status == CDN_OK) status = solve_all(&p, M, dudot_dq, dudot_du, dudot_df, dudot_dz, nz);
    if (rows && dudot_dq) cdni_motion_set_rows(m, state, P, dudot_dq);
    if (rows && dudot_du) cdni_motion_set_rows(m, state, P + (size_t)rows * (size_t)nu, dudot_du);
    cdni_derivatives_end(&p);
  }
  cdn_work_pop(state, M);
  return status;
}

/* ---- inertial parameters ---- */

/* The force about B's origin that inertial parameter k of a body asks for: acceleration A of that origin (less gravity),
 * angular velocity w, axes R of the body. */
static sv parameter_force(int k, sv A, v3 w, m3 R) {
  const v3 axes[3] = { R.x, R.y, R.z };
  if (k == 0) return (sv){ v3_zero(), A.v };
  if (k < 4) {
    const v3 e = axes[k - 1];
    return (sv){ v3_cross(e, A.v), v3_cross_add(w, v3_cross(w, e), v3_cross(A.w, e)) };
  }
  /* The inertia e_i e_j^T, made symmetric: moment I alpha + w x I w. */
  static const int at[6][2] = { { 0, 0 }, { 1, 1 }, { 2, 2 }, { 0, 1 }, { 0, 2 }, { 1, 2 } };
  const v3 a = axes[at[k - 4][0]], b = axes[at[k - 4][1]];
  v3 Ia = v3_scale(v3_dot(b, A.w), a), Iw = v3_scale(v3_dot(b, w), a);
  if (k > 6) Ia = v3_fma(v3_dot(a, A.w), b, Ia), Iw = v3_fma(v3_dot(a, w), b, Iw);
  return (sv){ v3_cross_add(w, Iw, Ia), v3_zero() };
}

static void regressor(const derivative_pass *p, double *Y) {
  const int nb = p->m->tree.n, columns = CDN_INERTIAL_PARAMETERS * nb;
  const double *excluded = NULL;
  const force_room *room = cdni_forces(cdn_state_system(p->state));
  const v3 g = room ? cdni_gravity(room, p->state, &excluded) : v3_zero();
  if (p->m->tree.nu) memset(Y, 0, (size_t)p->m->tree.nu * (size_t)columns * sizeof *Y);
  for (int i = 1; i < nb; i++) {
    const cdn_body body = { i };
    const m3 R_GM = p->pose[i].R_GM, R_BM = m3_load(cdni_matter_X_BM(p->m, p->state, body));
    const m3 R = { m3_mul(R_GM, (v3){ R_BM.x.x, R_BM.y.x, R_BM.z.x }),
                   m3_mul(R_GM, (v3){ R_BM.x.y, R_BM.y.y, R_BM.z.y }),
                   m3_mul(R_GM, (v3){ R_BM.x.z, R_BM.y.z, R_BM.z.z }) };
    const v3 w = p->twist[i].V.w;
    const v3 r = cdni_to_v3(cdni_matter_station(p->m, p->state, p->pose, body, cdn_v3(0, 0, 0)));
    sv A = sv_shift_motion(p->A[i], r);
    A.v = v3_cross_add(w, v3_cross(w, r), A.v);
    if (!excluded || excluded[i] == 0) A.v = v3_sub(A.v, g);
    for (int k = 0; k < CDN_INERTIAL_PARAMETERS; k++) {
      const sv F = sv_shift_force(parameter_force(k, A, w, R), r);
      cdni_derivatives_push(p, i, (sv){ v3_neg(F.w), v3_neg(F.v) }, Y, columns, CDN_INERTIAL_PARAMETERS * i + k);
    }
  }
}

cdn_status cdn_inertial_parameters(cdn_state *state, double *pi) {
  const matter *m = cdni_matter(cdn_state_system(state));
  if (!m)
    return cdni_state_fail(state, CDN_ERR_ARG, false, "cdn_inertial_parameters", NULL, "the System has no bodies");
  memset(pi, 0, CDN_INERTIAL_PARAMETERS * sizeof *pi);
  for (int i = 1; i < m->tree.n; i++) {
    const cdn_mass_properties p = cdn_body_mass_properties(state, (cdn_body){ i });
    const cdn_inertia I = cdn_inertia_shift(p.inertia, p.mass, p.com);
    const double numbers[CDN_INERTIAL_PARAMETERS] = {
      p.mass, p.mass * p.com.x, p.mass * p.com.y, p.mass * p.com.z, I.xx, I.yy, I.zz, I.xy, I.xz, I.yz
    };
    memcpy(pi + CDN_INERTIAL_PARAMETERS * i, numbers, sizeof numbers);
  }
  return CDN_OK;
}

cdn_status cdn_inverse_dynamics_regressor(cdn_state *state, const double *udot, double *Y) {
  derivative_pass p;
  CDNI_TRY(cdni_derivatives_begin(&p, state, "cdn_inverse_dynamics_regressor", udot, NULL, NULL, NULL));
  regressor(&p, Y);
  cdni_derivatives_end(&p);
  return CDN_OK;
}

cdn_status cdn_forward_dynamics_regressor(cdn_state *state, double *dudot_dpi) {
  static const char function[] = "cdn_forward_dynamics_regressor";
  const matter *m = cdni_matter(cdn_state_system(state));
  if (!m) return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "the System has no bodies");
  const double *udot = realized_udot(state, m);
  if (!udot) return last_code(state);
  double *M = cdn_work_push(state, (square(m->tree.nu) + 1) * sizeof *M);
  if (!M) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  derivative_pass p;
  cdn_status status = cdni_derivatives_begin(&p, state, function, udot, NULL, NULL, M);
  if (status == CDN_OK) {
    regressor(&p, dudot_dpi);
    cdni_derivatives_fill(&p);
    mass_solver solver;
    status = cdni_mass_solver_begin(&solver, &p, M);
    if (status == CDN_OK) {
      status = cdni_mass_solver_apply(&solver, -1, dudot_dpi, CDN_INERTIAL_PARAMETERS * m->tree.n);
      cdni_mass_solver_end(&solver);
    }
    cdni_derivatives_end(&p);
  }
  cdn_work_pop(state, M);
  return status;
}
