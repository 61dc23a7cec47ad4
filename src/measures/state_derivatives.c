/* How values of measures vary with q, u, z, forces and controls: central differences. */
#include <cardan/controls.h>

#include "controls/controls.h"
#include "matter/differences.h"
#include "matter/operators.h"
#include "measures/internal.h"

typedef struct differ {
  differences by;
  const cdn_system *system;
  int n;
  const cdn_measure *measures;
  int ny, nu, nz, nc;
  double *dy_dx, *dy_dtau, *dy_dc;
  double *there[2], *f; /* ny each; nu */
} differ;

static cdn_status evaluate(void *user, int side) {
  const differ *d = user;
  double *to = d->there[side];
  for (int i = 0; i < d->n; i++) {
    const int size = cdn_measure_size(d->system, d->measures[i]);
    const double *value = cdn_measure_value(d->by.state, d->measures[i]);
    if (!value) return cdni_state_last_status(d->by.state);
    memcpy(to, value, (size_t)size * sizeof *to);
    to += size;
  }
  return CDN_OK;
}

/* Column `column` of a matrix: the difference of side 0 less side 1, which are `over` apart. */
static void put(const differ *d, double over, int column, int columns, double *to) {
  for (int i = 0; i < d->ny; i++)
    to[(size_t)i * (size_t)columns + (size_t)column] = (d->there[0][i] - d->there[1][i]) / over;
}

static cdn_status add(void *user, cdn_pool pool, int column, double h) {
  const differ *d = user;
  const int first = pool == CDN_POOL_Q ? 0 : pool == CDN_POOL_U ? d->nu : 2 * d->nu;
  put(d, 2 * h, first + column, 2 * d->nu + d->nz, d->dy_dx);
  return CDN_OK;
}

static cdn_status by_forces(differ *d) {
  cdn_state *state = d->by.state;
  if (d->nu > 0) memcpy(d->f, cdn_state_applied_mobility_forces(state), (size_t)d->nu * sizeof *d->f);
  for (int k = 0; k < d->nu; k++) {
    const double now = d->f[k], h = cdni_difference_of(now);
    for (int side = 0; side < 2; side++) {
      CDNI_TRY(cdni_state_goes_on(state));
      d->f[k] = side ? now - h : now + h;
      CDNI_TRY(cdn_state_set_applied_mobility_forces(state, d->f));
      CDNI_TRY(evaluate(d, side));
    }
    d->f[k] = now;
    put(d, 2 * h, k, d->nu, d->dy_dtau);
  }
  return d->nu > 0 ? cdn_state_set_applied_mobility_forces(state, d->f) : CDN_OK;
}

static cdn_status by_control(differ *d, cdn_control control) {
  cdn_state *state = d->by.state;
  const double now = cdn_control_given(state, control);
  double at[2];
  CDNI_TRY(cdni_control_sides(state, control, at));
  if (at[0] == at[1]) return CDN_OK;
  for (int side = 0; side < 2; side++) {
    CDNI_TRY(cdni_state_goes_on(state));
    CDNI_TRY(cdn_control_set(state, control, at[1 - side]));
    CDNI_TRY(evaluate(d, side));
  }
  put(d, at[1] - at[0], control.i, d->nc, d->dy_dc);
  return cdn_control_set(state, control, now);
}

static cdn_status all(void *user) {
  differ *d = user;
  if (d->dy_dx) {
    CDNI_TRY(cdni_differences_by(&d->by, CDN_POOL_Q, 0, d->nu));
    CDNI_TRY(cdni_differences_by(&d->by, CDN_POOL_U, 0, d->nu));
    CDNI_TRY(cdni_differences_by(&d->by, CDN_POOL_Z, 0, d->nz));
  }
  if (d->dy_dtau) CDNI_TRY(by_forces(d));
  for (int i = 0; d->dy_dc && i < d->nc; i++) CDNI_TRY(by_control(d, (cdn_control){ i }));
  return CDN_OK;
}

/* How many numbers they have; -1: one of them is none. */
static int count_numbers(const cdn_system *system, int n, const cdn_measure *measures) {
  int sum = 0;
  for (int i = 0; i < n; i++) {
    if (!cdni_measure_at(system, measures[i])) return -1;
    sum += cdn_measure_size(system, measures[i]);
  }
  return sum;
}

static void clear(double *to, int rows, int columns) {
  if (to && rows > 0 && columns > 0) memset(to, 0, (size_t)rows * (size_t)columns * sizeof *to);
}

cdn_status cdn_measure_state_derivatives(cdn_state *state, int n, const cdn_measure *measures, double *dy_dx,
                                         double *dy_dtau, double *dy_dc) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_NEED_SOME(state, measures, n);
  const cdn_system *system = cdn_state_system(state);
  differ d = { .system = system, .n = n, .measures = measures, .dy_dx = dy_dx, .dy_dtau = dy_dtau, .dy_dc = dy_dc };
  d.ny = n < 0 ? -1 : count_numbers(system, n, measures);
  if (d.ny < 0)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL,
                           n < 0 ? "n is %d" : "one of the %d measures is not in this System", n);
  d.nu = cdn_system_nu(system), d.nz = cdn_system_nz(system), d.nc = cdn_system_control_count(system);
  clear(dy_dx, d.ny, 2 * d.nu + d.nz), clear(dy_dtau, d.ny, d.nu), clear(dy_dc, d.ny, d.nc);
  double *memory;
  const size_t size = 2 * (size_t)d.ny + (size_t)d.nu + cdni_differences_room(system);
  CDNI_TRY(cdni_operator_work(state, __func__, (size + 1) * sizeof *memory, (void **)&memory));
  d.there[0] = memory, d.there[1] = d.there[0] + d.ny, d.f = d.there[1] + d.ny;
  d.by = (differences){ .user = &d, .evaluate = evaluate, .add = add };
  d.by.state = state;
  cdn_status status = evaluate(&d, 0);
  if (status == CDN_OK) status = cdni_differences_begin(&d.by, state, __func__, d.f + d.nu);
  if (status == CDN_OK) status = cdni_differences_make(&d.by, all);
  cdn_work_pop(state, memory);
  return status;
}
