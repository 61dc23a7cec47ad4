#include "matter/differences.h"

#include <math.h>

#include "matter/motion_derivatives.h"
#include "matter/scale.h"

/* Displacements of q are measured by the model's own length. Far from the origin, rounding asks for more. */
static const double FAR = 0.01;

static size_t pools_of(const cdn_system *system) {
  return (size_t)(cdn_system_nq(system) + cdn_system_nu(system) + cdn_system_nz(system));
}

size_t cdni_differences_room(const cdn_system *system, const matter *m) {
  return 3 * pools_of(system) + (size_t)m->tree.nu;
}

void cdni_differences_set(differences *d, const derivative_pass *pass, double *room) {
  const cdn_system *system = cdn_state_system(pass->state);
  const size_t pools = pools_of(system);
  d->state = pass->state, d->still = *pass;
  d->nq = cdn_system_nq(system), d->nu = cdn_system_nu(system), d->nz = cdn_system_nz(system);
  d->runs = cdni_subsystem_runs(system, pass->m->subsystem);
  d->base = room, d->there = d->base + pools, d->direction = d->there + pools, d->unit = d->direction + pools;
  cdni_matter_units(pass->m, pass->state, cdni_matter_length(pass->m, pass->state), d->unit);
}

cdn_status cdni_differences_make(differences *d, cdn_status (*all)(void *user)) {
  cdn_state *state = d->state;
  const char *block = cdni_state_block(state);
  char *saved = cdn_work_push(state, cdni_state_snapshot_size(state));
  if (!saved) return cdni_state_fail(state, CDN_ERR_NOMEM, false, d->still.function, NULL, "out of memory");
  cdni_state_take_snapshot(state, saved);
  d->still.pose = (const body_pose *)(saved + ((const char *)d->still.pose - block));
  d->still.twist = (const body_twist *)(saved + ((const char *)d->still.twist - block));
  cdn_status status = cdn_prescribe(state, NULL);
  if (status == CDN_OK) {
    cdni_motion_release(d->still.m, state);
    status = all(d->user);
  }
  cdni_state_return_to(state, saved);
  cdn_work_pop(state, saved);
  return status;
}

/* The n values of a pool on both sides of base, h along the direction; then as they were. */
static cdn_status difference(differences *d, cdn_pool pool, int first, int n, int column, double h) {
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < n; i++) d->there[i] = d->base[i] + (side ? -h : h) * d->direction[i];
    CDNI_TRY(cdn_state_set_slots(d->state, pool, first, n, d->there));
    CDNI_TRY(d->evaluate(d->user, side));
  }
  CDNI_TRY(d->add(d->user, pool, column, h));
  return cdn_state_set_slots(d->state, pool, first, n, d->base);
}

cdn_status cdni_differences_by_q(differences *d) {
  if (d->nq == 0) return CDN_OK;
  memcpy(d->base, cdn_state_q(d->state), (size_t)d->nq * sizeof *d->base);
  for (int k = 0; k < d->still.m->tree.nu; k++) {
    double *one = d->there, scale = d->unit[k]; /* nu <= the room there */
    memset(one, 0, (size_t)d->nu * sizeof *one);
    one[d->runs.u + k] = 1;
    CDNI_TRY(cdni_state_multiply_by_N(d->state, one, d->direction));
    for (int i = 0; i < d->nq; i++)
      if (d->direction[i] != 0) scale = fmax(scale, FAR * fabs(d->base[i]));
    CDNI_TRY(difference(d, CDN_POOL_Q, 0, d->nq, k, CDNI_DIFFERENCE * scale));
  }
  return CDN_OK;
}

/* Columns of a pool whose values are displaced one by one. */
static cdn_status by_values(differences *d, cdn_pool pool, const double *values, int first, int n, int column) {
  if (n > 0) d->direction[0] = 1;
  for (int k = 0; k < n; k++) {
    d->base[0] = values[first + k];
    CDNI_TRY(difference(d, pool, first + k, 1, column + k, cdni_difference_of(d->base[0])));
  }
  return CDN_OK;
}

cdn_status cdni_differences_by_u(differences *d) {
  return by_values(d, CDN_POOL_U, cdn_state_u(d->state), d->runs.u, d->still.m->tree.nu, 0);
}

cdn_status cdni_differences_by_z(differences *d, int first, int n) {
  return by_values(d, CDN_POOL_Z, cdn_state_z(d->state), first, n, first);
}

void cdni_differences_push(const differences *d, const sv *F_a, const sv *F_b, const double *f_a, const double *f_b,
                           double h, double *tau, int columns, int column) {
  const matter *m = d->still.m;
  const double a = 1 / h;
  for (int i = 1; i < m->tree.n; i++) {
    const sv dF = sv_sub(F_a[i], F_b[i]);
    const double *x = (const double *)&dF;
    if (x[0] != 0 || x[1] != 0 || x[2] != 0 || x[3] != 0 || x[4] != 0 || x[5] != 0)
      cdni_derivatives_push(&d->still, i, (sv){ v3_scale(a, dF.w), v3_scale(a, dF.v) }, tau, columns, column);
  }
  for (int k = 0; k < m->tree.nu; k++) tau[(size_t)k * (size_t)columns + (size_t)column] -= a * (f_a[k] - f_b[k]);
}
