/* How the rates of auxiliary states vary, as subsystems describe it, and the derivatives of zdot as a whole. */
#include "dynamics/zdot.h"

#include <math.h>

#include "dynamics/dynamics.h"
#include "matter/derivatives.h"

struct cdn_zdot_derivatives {
  const cdn_system *system;
  const zdot_matrices *to;
  int nu, nz;
  int first, n;         /* z of the subsystem that is asked */
  derivative_pass pass; /* used only if the System has bodies */
  int first_u;          /* their first slot of u */
  /* The first mistake, and the body or the index it was made with. */
  cdn_status mistake;
  const char *what;
  int index;
};

/* ---- derivatives that subsystems describe ---- */

static void note(cdn_zdot_derivatives *d, cdn_status mistake, const char *what, int index) {
  if (d->mistake != CDN_OK) return;
  d->mistake = mistake, d->what = what, d->index = index;
}

/* The row of a rate. -1, and a noted mistake, if the rate does not belong to the subsystem that is asked. */
static int row_of(cdn_zdot_derivatives *d, cdn_zvar z, int i) {
  const int first = cdni_zvar_first(d->system, z);
  if (first >= d->first && first < d->first + d->n && i >= 0 && i < cdni_zvar_count(d->system, z)) return first + i;
  note(d, CDN_ERR_ARG, "z of its own", i);
  return -1;
}

static bool accepts(cdn_zdot_derivatives *d, const double *numbers, size_t n) {
  if (cdni_all_finite(numbers, n, NULL)) return true;
  note(d, CDN_ERR_NONFINITE, "number that is finite", -1);
  return false;
}

static bool has_body(cdn_zdot_derivatives *d, cdn_body body) {
  if (d->pass.m && cdni_body_exists(d->pass.m, body)) return true;
  note(d, CDN_ERR_ARG, "body", body.i);
  return false;
}

static void add(double *matrix, int columns, int row, int column, double value) {
  matrix[(size_t)row * (size_t)columns + (size_t)column] += value;
}

void cdn_zdot_derivatives_add_z(cdn_zdot_derivatives *d, cdn_zvar z, int i, cdn_zvar by, int k, double value) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  const int row = row_of(d, z, i), n = cdni_zvar_count(d->system, by);
  if (k < 0 || k >= n) note(d, CDN_ERR_ARG, "z to vary with", k);
  else if (row >= 0 && accepts(d, &value, 1)) add(d->to->L, d->nz, row, cdni_zvar_first(d->system, by) + k, value);
}

void cdn_zdot_derivatives_add_slot(cdn_zdot_derivatives *d, cdn_zvar z, int i, int slot, double by_q, double by_u) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  const double numbers[] = { by_q, by_u };
  const int row = row_of(d, z, i);
  if (slot < 0 || slot >= d->nu) note(d, CDN_ERR_ARG, "slot of u", slot);
  else if (row >= 0 && accepts(d, numbers, 2)) {
    add(d->to->G, d->nu, row, slot, by_q);
    add(d->to->H, d->nu, row, slot, by_u);
  }
}

void cdn_zdot_derivatives_add_mobility(cdn_zdot_derivatives *d, cdn_zvar z, int i, cdn_body body, int l, double by_q,
                                       double by_u, double by_udot) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  if (!has_body(d, body)) return;
  const tree_node *n = &d->pass.node[body.i];
  if (l < 0 || l >= n->nu) {
    note(d, CDN_ERR_ARG, "mobility of that body", l);
    return;
  }
  const int row = row_of(d, z, i), slot = d->first_u + n->u + l;
  if (row < 0 || !accepts(d, &by_udot, 1)) return;
  cdn_zdot_derivatives_add_slot(d, z, i, slot, by_q, by_u);
  add(d->to->W, d->nu, row, slot, by_udot);
}

void cdn_zdot_derivatives_add_station(cdn_zdot_derivatives *d, cdn_zvar z, int i, cdn_body body, cdn_vec3 p_B,
                                      cdn_vec3 by_p, cdn_vec3 by_v) {
  CDNI_NEED_OBJECT_OR_NOTHING(d);
  const double numbers[] = { p_B.x, p_B.y, p_B.z, by_p.x, by_p.y, by_p.z, by_v.x, by_v.y, by_v.z };
  const int row = row_of(d, z, i);
  if (!has_body(d, body) || row < 0 || !accepts(d, numbers, 9)) return;
  const derivative_pass *p = &d->pass;
  v3 r = cdni_to_v3(cdni_matter_station(p->m, p->state, p->pose, body, p_B));
  const v3 v = sv_shift_motion(p->twist[body.i].V, r).v, gp = cdni_to_v3(by_p), gv = cdni_to_v3(by_v);
  for (int j = body.i; j > 0; j = p->node[j].parent) {
    for (int l = 0; l < p->node[j].nu; l++) {
      const mobility_motion *s = &p->motion[p->node[j].u + l];
      const int column = d->first_u + p->node[j].u + l;
      const v3 g = sv_shift_motion(s->S, r).v;
      /* The mobility carries the velocity along, and turns or moves the joint's own axes. */
      const sv rest = { s->eta.w, v3_sub(s->eta.v, v3_cross(s->S.w, p->twist[j].V.v)) };
      const v3 dv = v3_cross_add(s->S.w, v, sv_shift_motion(rest, r).v);
      add(d->to->G, d->nu, row, column, v3_dot(gp, g) + v3_dot(gv, dv));
      add(d->to->H, d->nu, row, column, v3_dot(gv, g));
    }
    r = v3_add(r, p->pose[j].r);
  }
}

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
    CDNI_TRY(cdni_dynamics_total_forces(cdni_dynamics(system), state, &force, NULL));
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
  if (!slots) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
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
  static const char function[] = "cdn_calc_zdot_derivatives";
  /* The cube root of the rounding error balances it with the truncation error h^2 / 6. */
  static const double STEP = 6e-6;
  const cdn_system *system = cdn_state_system(state);
  const size_t nu = (size_t)cdn_system_nu(system), nz = (size_t)cdn_system_nz(system), columns = 2 * nu + nz;
  double *memory = cdn_work_push(state, (columns + 3 * nz * nu + nz * nz + nu * (2 * nu + nz) + 1) * sizeof *memory);
  if (!memory) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  double *step = memory, *udot_dq = step + columns, *udot_du = udot_dq + nu * nu, *udot_dz = udot_du + nu * nu;
  zdot_matrices m = { .G = udot_dz + nu * nz };
  m.H = m.G + nz * nu, m.W = m.H + nz * nu, m.L = m.W + nz * nu;
  const double *u = cdn_state_u(state), *z = cdn_state_z(state);
  for (size_t k = 0; k < nu; k++) step[k] = STEP, step[nu + k] = STEP * fmax(1, fabs(u[k]));
  for (size_t k = 0; k < nz; k++) step[2 * nu + k] = STEP * fmax(1, fabs(z[k]));
  cdn_status status = cdni_zdot_differentiate(state, function, step, NULL, &m);
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
