/* How the rates of auxiliary states vary, as subsystems describe it, and the derivatives of zdot as a whole. */
#include "dynamics/zdot.h"

#include "dynamics/dynamics.h"
#include "matter/derivatives.h"

/* ---- of all subsystems ---- */

void cdni_zdot_count(const cdn_system *system, int *described, int *differenced) {
  const cdn_subsystem_ops *ops;
  *described = *differenced = 0;
  for (int i = 0; (ops = cdni_subsystem_ops(system, i)); i++) {
    if (cdni_subsystem_runs(system, (cdn_subsystem){ i }).nz == 0) continue;
    if (ops->calc_zdot_derivative) ++*described;
    else ++*differenced;
  }
}

static cdn_status ask(cdn_zdot_derivatives *d, cdn_state *state, const char *function, cdn_subsystem id) {
  const cdn_subsystem_ops *ops = cdni_subsystem_ops(d->system, id.i);
  const cdni_runs runs = cdni_subsystem_runs(d->system, id);
  if (runs.nz == 0 || !ops->calc_zdot_derivative) return CDN_OK;
  d->first = runs.z, d->n = runs.nz;
  cdni_state_clear_error(state);
  const cdn_status status = ops->calc_zdot_derivative(cdn_subsystem_self(d->system, id), state, d);
  if (status != CDN_OK) {
    cdn_error e;
    cdn_state_last_error(state, &e);
    return e.code != CDN_OK ? status
                            : cdni_state_fail(state, status, false, function, ops->name,
                                              "calc_zdot_derivative of subsystem '%s' failed: %s", ops->name,
                                              cdn_status_text(status));
  }
  if (d->mistake == CDN_OK) return CDN_OK;
  return cdni_state_fail(state, d->mistake, false, function, ops->name,
                         d->index < 0 ? "calc_zdot_derivative of subsystem '%s' gave no %s"
                                      : "calc_zdot_derivative of subsystem '%s' gave no %s: there is no number %d",
                         ops->name, d->what, d->index);
}

static cdn_status describe(cdn_state *state, const char *function, const zdot_matrices *to) {
  const cdn_system *system = cdn_state_system(state);
  const matter *m = cdni_matter(system);
  cdn_zdot_derivatives d = { .system = system, .to = to, .nu = cdn_system_nu(system), .nz = cdn_system_nz(system) };
  if (m) {
    const sv *force = NULL; /* the pass needs the forces; the rates of z do not */
    CDNI_TRY(cdni_dynamics_applied_forces(cdni_dynamics(system), state, &force, NULL));
    CDNI_TRY(cdni_derivatives_begin(&d.pass, state, function, NULL, force, NULL, NULL, NULL));
    d.first_u = cdni_subsystem_runs(system, m->subsystem).u;
  }
  cdn_status status = CDN_OK;
  for (int i = 0; status == CDN_OK && cdni_subsystem_ops(system, i); i++)
    status = ask(&d, state, function, (cdn_subsystem){ i });
  if (m) cdni_derivatives_end(&d.pass);
  return status;
}

/* Clears the columns of prescribed slots: their values do not vary. */
static void leave_out_prescribed(cdn_state *state, const bool *slots, const zdot_matrices *to) {
  const cdn_system *system = cdn_state_system(state);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system), nz = cdn_system_nz(system);
  for (int i = 1; i < cdn_system_body_count(system); i++) {
    const cdn_body body = { i };
    const int u = cdn_body_first_u(system, body), n = cdn_body_nu(system, body);
    const bool by_q = n > 0 && slots[cdn_body_first_q(system, body)];
    for (int k = u; k < u + n; k++)
      for (int r = 0; r < nz; r++) {
        if (by_q) to->G[(size_t)r * (size_t)nu + (size_t)k] = 0;
        if (slots[nq + k]) to->H[(size_t)r * (size_t)nu + (size_t)k] = 0;
      }
  }
}

cdn_status cdni_zdot_differentiate(cdn_state *state, const char *function, const double *step, zdot_groups *groups,
                                   const zdot_matrices *out) {
  const cdn_system *system = cdn_state_system(state);
  const size_t nu = (size_t)cdn_system_nu(system), nz = (size_t)cdn_system_nz(system);
  int described, differenced;
  CDNI_TRY(cdn_realize(state, CDN_STAGE_ACCELERATION));
  if (nz == 0) return CDN_OK;
  double *of_nu[] = { out->G, out->H, out->W };
  for (int k = 0; nu > 0 && k < CDNI_COUNT(of_nu); k++) memset(of_nu[k], 0, nz * nu * sizeof(double));
  memset(out->L, 0, nz * nz * sizeof(double));
  cdni_zdot_count(system, &described, &differenced);
  if (described > 0) CDNI_TRY(describe(state, function, out));
  if (differenced > 0) CDNI_TRY(cdni_zdot_difference(state, function, step, groups, out));
  bool *slots = cdn_work_push(state, (size_t)cdn_system_nq(system) + nu + 1);
  if (!slots) return cdni_state_fail(state, CDN_ERR_NOMEM, false, __func__, NULL, "out of memory");
  cdni_state_prescribed(state, slots, slots + cdn_system_nq(system));
  leave_out_prescribed(state, slots, out);
  cdn_work_pop(state, slots);
  return CDN_OK;
}

/* ---- the derivatives as a whole ---- */

static bool any(const double *x, size_t n) {
  for (size_t k = 0; k < n; k++)
    if (x[k] != 0) return true;
  return false;
}

/* to += W X for nu rows of X */
static void add_product(size_t nz, size_t nu, const double *W, const double *X, size_t columns, double *to) {
  for (size_t i = 0; i < nz; i++)
    for (size_t l = 0; l < nu; l++) {
      const double w = W[i * nu + l];
      for (size_t k = 0; w != 0 && k < columns; k++) to[i * columns + k] += w * X[l * columns + k];
    }
}

cdn_status cdn_calc_zdot_derivatives(cdn_state *state, double *dzdot_dq, double *dzdot_du, double *dzdot_dz) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const cdn_system *system = cdn_state_system(state);
  const size_t nu = (size_t)cdn_system_nu(system), nz = (size_t)cdn_system_nz(system);
  double *memory = cdn_work_push(state, (3 * nz * nu + nz * nz + nu * (2 * nu + nz) + 1) * sizeof *memory);
  if (!memory) return cdni_state_fail(state, CDN_ERR_NOMEM, false, __func__, NULL, "out of memory");
  double *udot_dq = memory, *udot_du = udot_dq + nu * nu, *udot_dz = udot_du + nu * nu;
  zdot_matrices m = { .G = udot_dz + nu * nz };
  m.H = m.G + nz * nu, m.W = m.H + nz * nu, m.L = m.W + nz * nu;
  cdn_status status = cdni_zdot_differentiate(state, __func__, NULL, NULL, &m);
  if (status == CDN_OK && any(m.W, nz * nu)) {
    status = cdn_forward_dynamics_derivatives(state, udot_dq, udot_du, NULL, udot_dz);
    if (status == CDN_OK) {
      add_product(nz, nu, m.W, udot_dq, nu, m.G);
      add_product(nz, nu, m.W, udot_du, nu, m.H);
      add_product(nz, nu, m.W, udot_dz, nz, m.L);
    }
  }
  if (status == CDN_OK && dzdot_dq && nu && nz) memcpy(dzdot_dq, m.G, nz * nu * sizeof *m.G);
  if (status == CDN_OK && dzdot_du && nu && nz) memcpy(dzdot_du, m.H, nz * nu * sizeof *m.H);
  if (status == CDN_OK && dzdot_dz && nz) memcpy(dzdot_dz, m.L, nz * nz * sizeof *m.L);
  cdn_work_pop(state, memory);
  return status;
}
