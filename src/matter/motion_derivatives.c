/* How prescribed accelerations vary with q and u: locks and functions of time do not; custom motions at velocity or
 * acceleration level are asked by central differences of their udot. */
#include <math.h>

#include "math/difference.h"
#include "matter/motion_derivatives.h"
#include "matter/subsystem.h"

static bool varies(const matter *m, const cdn_state *state, int body) {
  const int32_t by = cdni_drivers(state, m->driver_udot)[body];
  const matter_motion *x = cdni_driving_motion(m, by, body, CDN_LEVEL_ACCELERATION);
  return x && x->kind == CDN_MOTION_CUSTOM && x->level != CDN_LEVEL_POSITION;
}

bool cdni_motion_reads_control(const matter *m, const cdn_state *state, cdn_control control) {
  const int32_t *driver = cdni_drivers(state, m->driver_udot);
  for (int i = 1; m->motions.count && i < m->tree.n; i++) {
    const matter_motion *x = cdni_driving_motion(m, driver[i], i, CDN_LEVEL_ACCELERATION);
    if (x && x->control.i == control.i) return true;
  }
  return false;
}

void cdni_motion_held(const matter *m, const cdn_state *state, bool *q, bool *u) {
  const int32_t *by_q = cdni_drivers(state, m->driver_q), *by_u = cdni_drivers(state, m->driver_u);
  for (int i = 1; i < m->tree.n; i++)
    for (int k = m->tree.node[i].u; k < m->tree.node[i].u + m->tree.node[i].nu; k++)
      q[k] = by_q[i] != DRIVEN_BY_NOTHING, u[k] = by_u[i] != DRIVEN_BY_NOTHING;
}

int cdni_motion_varying(const matter *m, const cdn_state *state) {
  int rows = 0;
  for (int i = 1; m->motions.count && i < m->tree.n; i++) rows += varies(m, state, i) ? m->tree.node[i].nu : 0;
  return rows;
}

int cdni_motion_first_varying(const matter *m, const cdn_state *state) {
  for (int i = 1; m->motions.count && i < m->tree.n; i++)
    if (varies(m, state, i)) return CDNI_AT(m->bodies, matter_body, i).motion;
  return -1;
}

typedef struct point {
  double *q, *u, *direction; /* of the whole System: nq, nu, nq */
  double *values;            /* q or u of the State: the one that is moved along the direction */
  int n;
} point;

/* All varying motions at the point moved by h: rows of nu. */
static cdn_status evaluate(const matter *m, cdn_state *state, point *at, double h, double *rows) {
  cdn_status status = CDN_OK;
  for (int k = 0; k < at->n; k++) at->values[k] += h * at->direction[k];
  for (int i = 1; i < m->tree.n && status == CDN_OK; i++) {
    if (!varies(m, state, i)) continue;
    const matter_motion *x = cdni_motion_at(m, CDNI_AT(m->bodies, matter_body, i).motion);
    status = cdni_motion_udot_at(m, state, x, at->q, at->u, rows);
    rows += m->tree.node[i].nu;
  }
  return status;
}

static cdn_status difference(const matter *m, cdn_state *state, cdn_pool pool, point *at, int rows, double *work,
                             double *P) {
  const cdn_system *system = cdn_state_system(state);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system), first = cdni_subsystem_runs(system, m->subsystem).u;
  const double *q = cdn_state_q_eff(state), *u = cdn_state_u_eff(state), *base = pool == CDN_POOL_Q ? q : u;
  double *unit = work, *side[2] = { work + nu, work + nu + rows };
  at->n = pool == CDN_POOL_Q ? nq : nu;
  at->values = pool == CDN_POOL_Q ? at->q : at->u;
  memcpy(at->q, q, (size_t)nq * sizeof *q);
  memcpy(at->u, u, (size_t)nu * sizeof *u);
  for (int k = 0; k < m->tree.nu; k++) {
    memset(unit, 0, (size_t)nu * sizeof *unit);
    unit[first + k] = 1;
    if (pool == CDN_POOL_Q) CDNI_TRY(cdni_state_multiply_by_N(state, unit, at->direction));
    else memcpy(at->direction, unit, (size_t)nu * sizeof *unit);
    double scale = 1;
    for (int i = 0; i < at->n; i++)
      if (at->direction[i] != 0) scale = fmax(scale, fabs(base[i]));
    for (int s = 0; s < 2; s++) {
      CDNI_TRY(evaluate(m, state, at, s ? -CDNI_DIFFERENCE * scale : CDNI_DIFFERENCE * scale, side[s]));
      memcpy(at->values, base, (size_t)at->n * sizeof *base);
    }
    for (int r = 0; r < rows; r++) P[r * m->tree.nu + k] = (side[0][r] - side[1][r]) / (2 * CDNI_DIFFERENCE * scale);
  }
  return CDN_OK;
}

cdn_status cdni_motion_udot_by(const matter *m, cdn_state *state, const char *function, cdn_pool pool, int rows,
                               double *P) {
  const cdn_system *system = cdn_state_system(state);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system), longer = nq > nu ? nq : nu;
  double *work = cdn_work_push(state, (size_t)(nq + 2 * nu + longer + 2 * rows) * sizeof *work);
  if (!work) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  point at = { .q = work, .u = work + nq, .direction = work + nq + nu };
  cdn_status status = difference(m, state, pool, &at, rows, work + nq + nu + longer, P);
  cdn_work_pop(state, work);
  return status;
}

/* ---- the part of the prescribed rows in the free ones, and the prescribed rows themselves ---- */

void cdni_motion_add_rows(const matter *m, const cdn_state *state, const double *M, const double *P, double *X) {
  const int nu = m->tree.nu;
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    for (int r = n->u; varies(m, state, i) && r < n->u + n->nu; r++, P += nu)
      for (int k = 0; k < nu; k++)
        for (int c = 0; c < nu; c++) X[k * nu + c] += M[k * nu + r] * P[c];
  }
}

void cdni_motion_set_rows(const matter *m, const cdn_state *state, const double *P, double *X) {
  const int nu = m->tree.nu;
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    for (int r = n->u; varies(m, state, i) && r < n->u + n->nu; r++, P += nu)
      memcpy(X + r * nu, P, (size_t)nu * sizeof *P);
  }
}

/* ---- for differences of other things ---- */

void cdni_motion_release(const matter *m, cdn_state *state) {
  const cdn_dvar drivers[] = { m->driver_q, m->driver_u };
  for (int i = 0; i < CDNI_COUNT(drivers); i++)
    if (cdni_drivers(state, drivers[i])[0] != 0)
      memset(cdni_state_update_discrete(state, drivers[i]), 0, (size_t)m->tree.n * sizeof(int32_t));
}
