/* Differences of the rates of auxiliary states whose subsystems describe no derivatives. Only the subsystems' own
 * calc_zdot is evaluated, with the cache entries that it reads. The State is saved before and restored
 * afterwards, so that no computed value is lost. */
#include <math.h>

#include "dynamics/zdot.h"

typedef struct differ {
  cdn_state *state;
  const cdn_system *system;
  const char *function;
  const zdot_matrices *to;
  int nq, nu, nz, columns;
  const double *step;
  bool moved[3];            /* pools that are not at their base */
  bool *rows;               /* nz: whether the rate is differenced */
  double *y, *there;        /* q, u and z as they are, and displaced */
  double *rates, *other;    /* nz each: at the base, or on one side, and on the other */
  double *amount;           /* by column: how far it is displaced */
  double *foreseen, *total; /* nz each: sums of the changes by all columns, with signs, and of their absolute values */
} differ;

/* The differenced rates at the present values of the State. */
static cdn_status evaluate(const differ *d, double *rates) {
  const cdn_subsystem_ops *ops;
  CDNI_TRY(cdni_state_goes_on(d->state));
  for (int i = 0; (ops = cdni_subsystem_ops(d->system, i)); i++) {
    const cdni_runs runs = cdni_subsystem_runs(d->system, (cdn_subsystem){ i });
    if (runs.nz == 0 || ops->calc_zdot_derivative) continue;
    const cdn_status status =
        ops->calc_zdot(cdn_subsystem_self(d->system, (cdn_subsystem){ i }), d->state, rates + runs.z);
    if (status != CDN_OK) return status;
    size_t bad;
    if (!cdni_all_finite(rates + runs.z, (size_t)runs.nz, &bad))
      return cdni_state_fail(d->state, CDN_ERR_NONFINITE, true, d->function, ops->name,
                             "the rate of z[%zu] of '%s' is %g near this State, where it is differenced", bad,
                             ops->name, rates[runs.z + (int)bad]);
  }
  return CDN_OK;
}

static cdn_status put(differ *d, cdn_pool pool, int first, int n, const double *amount) {
  bool any = false;
  for (int k = 0; amount && k < n; k++) any = any || amount[k] != 0;
  if (!any && !d->moved[pool]) return CDN_OK;
  for (int k = 0; k < n; k++) d->there[first + k] = d->y[first + k] + (any ? amount[k] : 0);
  d->moved[pool] = any;
  return cdn_state_set_slots(d->state, pool, 0, n, d->there + first);
}

/* Displaces every column by its amount times `sign`, and evaluates. */
static cdn_status displace(differ *d, double sign, double *rates) {
  const double *z = d->amount + 2 * d->nu;
  bool any = false;
  for (int k = 0; k < d->columns; k++) d->amount[k] *= sign;
  for (int k = 0; k < d->nu; k++) any = any || d->amount[k] != 0;
  if (any || d->moved[CDN_POOL_Q]) {
    /* N is that of the base */
    CDNI_TRY(put(d, CDN_POOL_Q, 0, d->nq, NULL));
    double *along = d->other; /* nq numbers fit, and it is free here */
    if (any) {
      CDNI_TRY(cdni_state_multiply_by_N(d->state, d->amount, along));
      CDNI_TRY(put(d, CDN_POOL_Q, 0, d->nq, along));
    }
  }
  CDNI_TRY(put(d, CDN_POOL_U, d->nq, d->nu, d->amount + d->nu));
  CDNI_TRY(put(d, CDN_POOL_Z, d->nq + d->nu, d->nz, z));
  return evaluate(d, rates);
}

static double *element(const differ *d, int row, int column) {
  const int nu = d->nu;
  if (column < nu) return &d->to->G[(size_t)row * (size_t)nu + (size_t)column];
  if (column < 2 * nu) return &d->to->H[(size_t)row * (size_t)nu + (size_t)(column - nu)];
  return &d->to->L[(size_t)row * (size_t)d->nz + (size_t)(column - 2 * nu)];
}

static void displace_none(differ *d) { memset(d->amount, 0, (size_t)d->columns * sizeof *d->amount); }

/* ---- every column by itself, from both sides ---- */

static cdn_status central(differ *d) {
  for (int j = 0; j < d->columns; j++) {
    displace_none(d);
    d->amount[j] = d->step[j];
    CDNI_TRY(displace(d, 1, d->rates));
    CDNI_TRY(displace(d, -1, d->other));
    for (int i = 0; i < d->nz; i++)
      if (d->rows[i]) *element(d, i, j) = (d->rates[i] - d->other[i]) / (2 * d->step[j]);
  }
  return CDN_OK;
}

/* ---- in groups, from one side ---- */

/* Puts each column into the first group that it fits: no column of the group varies a rate that the new column
 * varies. */
static void group(const differ *d, zdot_groups *g) {
  const size_t nz = (size_t)d->nz;
  int left = 0;
  g->n = 0;
  for (int j = 0; j < d->columns; j++) {
    const bool *varies = g->varies + (size_t)j * nz;
    g->group[j] = -1;
    for (size_t i = 0; i < nz && g->group[j] < 0; i++)
      if (varies[i]) g->group[j] = d->columns; /* in none yet */
    left += g->group[j] >= 0;
  }
  for (; left > 0; g->n++) {
    memset(g->taken, 0, nz * sizeof *g->taken);
    for (int j = 0; j < d->columns; j++) {
      const bool *varies = g->varies + (size_t)j * nz;
      bool fits = g->group[j] == d->columns;
      for (size_t i = 0; i < nz && fits; i++) fits = !(varies[i] && g->taken[i]);
      if (!fits) continue;
      for (size_t i = 0; i < nz; i++) g->taken[i] = g->taken[i] || varies[i];
      g->group[j] = g->n;
      left--;
    }
  }
  if (g->n == 0) g->n = 1; /* the groups are known, and no rate varies with any column */
}

static cdn_status each(differ *d, zdot_groups *g) {
  for (int j = 0; j < d->columns; j++) {
    displace_none(d);
    d->amount[j] = d->step[j];
    CDNI_TRY(displace(d, 1, d->other));
    bool *varies = g->varies + (size_t)j * (size_t)d->nz;
    for (int i = 0; i < d->nz; i++) {
      if (!d->rows[i]) continue;
      *element(d, i, j) = (d->other[i] - d->rates[i]) / d->step[j];
      varies[i] = varies[i] || d->other[i] != d->rates[i];
    }
  }
  group(d, g);
  return CDN_OK;
}

/* A sign for each column: without a pattern, and the same in every run. */
static double sign_of(int column) {
  uint32_t x = (uint32_t)column * 2654435761u;
  x ^= x >> 15;
  return x & 1 ? 1 : -1;
}

static cdn_status grouped(differ *d, const zdot_groups *g) {
  memset(d->foreseen, 0, (size_t)d->nz * sizeof *d->foreseen);
  memset(d->total, 0, (size_t)d->nz * sizeof *d->total);
  for (int k = 0; k < g->n; k++) {
    for (int j = 0; j < d->columns; j++) d->amount[j] = g->group[j] == k ? d->step[j] : 0;
    CDNI_TRY(displace(d, 1, d->other));
    for (int j = 0; j < d->columns; j++) {
      if (g->group[j] != k) continue;
      const bool *varies = g->varies + (size_t)j * (size_t)d->nz;
      for (int i = 0; i < d->nz; i++) {
        if (!varies[i]) continue;
        const double change = d->other[i] - d->rates[i];
        *element(d, i, j) = change / d->step[j];
        d->foreseen[i] += sign_of(j) * change;
        d->total[i] += fabs(change);
      }
    }
  }
  return CDN_OK;
}

/* Tests whether all columns together change the rates by the sum of the groups' changes. One part in a hundred is
 * accurate enough for Newton's method, and larger than the curvature over steps so small. Differences below 1e-4 of
 * the step are rounding. */
static cdn_status confirm(differ *d, bool *good) {
  double least = INFINITY, largest = 0;
  for (int j = 0; j < d->columns; j++) {
    d->amount[j] = sign_of(j) * d->step[j];
    least = fmin(least, d->step[j]);
  }
  CDNI_TRY(displace(d, 1, d->other));
  for (int i = 0; i < d->nz; i++) largest = d->rows[i] ? fmax(largest, fabs(d->rates[i])) : largest;
  *good = true;
  for (int i = 0; i < d->nz; i++) {
    if (!d->rows[i]) continue;
    const double off = d->other[i] - d->rates[i] - d->foreseen[i];
    const double rounding = 1e-4 * least * (fabs(d->rates[i]) + 1e-3 * largest);
    if (fabs(off) > 1e-2 * d->total[i] + rounding) *good = false;
  }
  return CDN_OK;
}

static cdn_status one_sided(differ *d, zdot_groups *g) {
  bool good = false;
  CDNI_TRY(evaluate(d, d->rates));
  if (g->n > 0) {
    CDNI_TRY(grouped(d, g));
    CDNI_TRY(confirm(d, &good));
  }
  return good ? CDN_OK : each(d, g);
}

/* ---- */

cdn_status cdni_zdot_difference(cdn_state *state, const char *function, const double *step, zdot_groups *groups,
                                const zdot_matrices *out) {
  const cdn_system *system = cdn_state_system(state);
  const size_t nq = (size_t)cdn_system_nq(system), nu = (size_t)cdn_system_nu(system);
  const size_t nz = (size_t)cdn_system_nz(system), ny = nq + nu + nz, columns = 2 * nu + nz;
  const size_t saved_size = cdni_state_snapshot_size(state);
  char *saved =
      cdn_work_push(state, saved_size + (2 * ny + nz + (nq > nz ? nq : nz) + columns + 2 * nz) * sizeof(double) + nz);
  if (!saved) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  differ d = { .state = state, .system = system, .function = function, .to = out, .step = step };
  d.nq = (int)nq, d.nu = (int)nu, d.nz = (int)nz, d.columns = (int)columns;
  d.y = (double *)(void *)(saved + saved_size), d.there = d.y + ny, d.rates = d.there + ny;
  d.amount = d.rates + nz, d.foreseen = d.amount + columns, d.total = d.foreseen + nz, d.other = d.total + nz;
  d.rows = (bool *)(d.other + (nq > nz ? nq : nz));
  memset(d.rows, 0, nz);
  const cdn_subsystem_ops *ops;
  for (int i = 0; (ops = cdni_subsystem_ops(system, i)); i++) {
    const cdni_runs runs = cdni_subsystem_runs(system, (cdn_subsystem){ i });
    for (int k = 0; k < runs.nz; k++) d.rows[runs.z + k] = !ops->calc_zdot_derivative;
  }
  cdni_state_take_snapshot(state, saved);
  memcpy(d.y, cdni_state_y(state), ny * sizeof *d.y);
  const cdn_status status = groups ? one_sided(&d, groups) : central(&d);
  cdni_state_return_to(state, saved);
  cdn_work_pop(state, saved);
  return status;
}
