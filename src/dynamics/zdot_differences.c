/* Differences of the rates of auxiliary states whose subsystems describe no derivatives. Only the subsystems' own
 * calc_zdot is evaluated, with the cache entries that it reads. */
#include <math.h>

#include "dynamics/zdot.h"
#include "matter/differences.h"

typedef struct differ {
  differences by;
  const cdn_system *system;
  const zdot_matrices *to;
  int nu, nz, columns;
  const double *step;       /* of one-sided differences */
  zdot_groups *groups;      /* NULL: central ones */
  bool *rows;               /* nz: whether the rate is differenced */
  double *rates, *other;    /* nz each: where the State is, or on one side, and on the other */
  double *amount;           /* by column: how far it is displaced */
  double *foreseen, *total; /* nz each: sums of the changes by all columns, with signs, and of their absolute values */
} differ;

/* The differenced rates at the present values of the State. */
static cdn_status evaluate(const differ *d, double *rates) {
  const cdn_subsystem_ops *ops;
  for (int i = 0; (ops = cdni_subsystem_ops(d->system, i)); i++) {
    const cdni_runs runs = cdni_subsystem_runs(d->system, (cdn_subsystem){ i });
    if (runs.nz == 0 || ops->calc_zdot_derivative) continue;
    const cdn_status status =
        ops->calc_zdot(cdn_subsystem_self(d->system, (cdn_subsystem){ i }), d->by.state, rates + runs.z);
    if (status != CDN_OK) return status;
    size_t bad;
    if (!cdni_all_finite(rates + runs.z, (size_t)runs.nz, &bad))
      return cdni_state_fail(d->by.state, CDN_ERR_NONFINITE, true, d->by.function, ops->name,
                             "the rate of z[%zu] of '%s' is %g near this State, where it is differenced", bad,
                             ops->name, rates[runs.z + (int)bad]);
  }
  return CDN_OK;
}

/* Displaces every column by its amount, and evaluates. */
static cdn_status displace(differ *d, double *rates) {
  CDNI_TRY(cdni_differences_move(&d->by, d->amount));
  return evaluate(d, rates);
}

static double *element(const differ *d, int row, int column) {
  const int nu = d->nu;
  if (column < nu) return &d->to->G[(size_t)row * (size_t)nu + (size_t)column];
  if (column < 2 * nu) return &d->to->H[(size_t)row * (size_t)nu + (size_t)(column - nu)];
  return &d->to->L[(size_t)row * (size_t)d->nz + (size_t)(column - 2 * nu)];
}

/* ---- every column by itself, from both sides ---- */

static cdn_status evaluate_side(void *user, int side) {
  const differ *d = user;
  return evaluate(d, side ? d->other : d->rates);
}

static cdn_status add(void *user, cdn_pool pool, int column, double h) {
  const differ *d = user;
  const int j = column + (pool == CDN_POOL_Q ? 0 : pool == CDN_POOL_U ? d->nu : 2 * d->nu);
  for (int i = 0; i < d->nz; i++)
    if (d->rows[i]) *element(d, i, j) = (d->rates[i] - d->other[i]) / (2 * h);
  return CDN_OK;
}

static cdn_status central(differ *d) {
  CDNI_TRY(cdni_differences_by(&d->by, CDN_POOL_Q, 0, d->nu));
  CDNI_TRY(cdni_differences_by(&d->by, CDN_POOL_U, 0, d->nu));
  return cdni_differences_by(&d->by, CDN_POOL_Z, 0, d->nz);
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
    memset(d->amount, 0, (size_t)d->columns * sizeof *d->amount);
    d->amount[j] = d->step[j];
    CDNI_TRY(displace(d, d->other));
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
    CDNI_TRY(displace(d, d->other));
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
  CDNI_TRY(displace(d, d->other));
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

static cdn_status one_sided(differ *d) {
  bool good = false;
  CDNI_TRY(evaluate(d, d->rates));
  if (d->groups->n > 0) {
    CDNI_TRY(grouped(d, d->groups));
    CDNI_TRY(confirm(d, &good));
  }
  return good ? CDN_OK : each(d, d->groups);
}

/* ---- */

static cdn_status all(void *user) {
  differ *d = user;
  return d->groups ? one_sided(d) : central(d);
}

cdn_status cdni_zdot_difference(cdn_state *state, const char *function, const double *step, zdot_groups *groups,
                                const zdot_matrices *out) {
  const cdn_system *system = cdn_state_system(state);
  const size_t nu = (size_t)cdn_system_nu(system), nz = (size_t)cdn_system_nz(system), columns = 2 * nu + nz;
  double *memory =
      cdn_work_push(state, (cdni_differences_room(system) + columns + 4 * nz) * sizeof(double) + nz * sizeof(bool));
  if (!memory) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  differ d = { .system = system, .to = out, .nu = (int)nu, .nz = (int)nz, .columns = (int)columns };
  d.step = step, d.groups = groups;
  d.by = (differences){ .user = &d, .evaluate = evaluate_side, .add = add };
  d.rates = memory, d.other = d.rates + nz, d.foreseen = d.other + nz, d.total = d.foreseen + nz;
  d.amount = d.total + nz;
  double *room = d.amount + columns;
  d.rows = (bool *)(room + cdni_differences_room(system));
  memset(d.rows, 0, nz * sizeof *d.rows);
  const cdn_subsystem_ops *ops;
  for (int i = 0; (ops = cdni_subsystem_ops(system, i)); i++) {
    const cdni_runs runs = cdni_subsystem_runs(system, (cdn_subsystem){ i });
    for (int k = 0; k < runs.nz; k++) d.rows[runs.z + k] = !ops->calc_zdot_derivative;
  }
  cdn_status status = cdni_differences_begin(&d.by, state, function, room);
  if (status == CDN_OK) status = cdni_differences_make(&d.by, all);
  cdn_work_pop(state, memory);
  return status;
}
