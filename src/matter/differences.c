#include "matter/differences.h"

#include <math.h>

#include "matter/motion_derivatives.h"
#include "matter/scale.h"

/* Displacements of q are measured by the model's own length. Far from the origin, rounding asks for more. */
static const double FAR = 0.01;

size_t cdni_differences_room(const cdn_system *system) {
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system), nz = cdn_system_nz(system);
  return 3 * (size_t)nq + 4 * (size_t)nu + 2 * (size_t)nz + 1;
}

cdn_status cdni_differences_begin(differences *d, cdn_state *state, const char *function, double *room) {
  const cdn_system *system = cdn_state_system(state);
  const matter *m = cdni_matter(system);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system), nz = cdn_system_nz(system);
  d->state = state, d->function = function;
  d->n[CDN_POOL_Q] = nq, d->n[CDN_POOL_U] = nu, d->n[CDN_POOL_Z] = nz;
  d->first[CDN_POOL_U] = nq, d->first[CDN_POOL_Z] = nq + nu;
  d->y = room, d->there = d->y + nq + nu + nz, d->unit = d->there + nq + nu + nz, d->one = d->unit + nu;
  d->along = d->one + nu;
  for (int k = 0; k < nu; k++) d->unit[k] = 1;
  if (!m) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  cdni_matter_units(m, state, cdni_matter_length(m, state), d->unit + cdni_subsystem_runs(system, m->subsystem).u);
  return CDN_OK;
}

cdn_status cdni_differences_make(differences *d, cdn_status (*all)(void *user)) {
  cdn_state *state = d->state;
  const matter *m = cdni_matter(cdn_state_system(state));
  char *saved = cdn_work_push(state, cdni_state_snapshot_size(state));
  if (!saved) return cdni_state_fail(state, CDN_ERR_NOMEM, false, d->function, NULL, "out of memory");
  cdni_state_take_snapshot(state, saved);
  d->saved = saved;
  cdn_status status = d->frees ? cdn_prescribe(state, NULL) : CDN_OK;
  if (status == CDN_OK) {
    if (d->frees && m) cdni_motion_release(m, state);
    memcpy(d->y, cdni_state_y(state), (size_t)(d->first[CDN_POOL_Z] + d->n[CDN_POOL_Z]) * sizeof *d->y);
    status = all(d->user);
  }
  cdni_state_return_to(state, saved);
  cdn_work_pop(state, saved);
  return status;
}

/* n values of a pool from slot `first` on, h times a direction from where they were; NULL: there. */
static cdn_status put(differences *d, cdn_pool pool, int first, int n, double h, const double *direction) {
  const int at = d->first[pool] + first;
  for (int i = 0; i < n; i++) d->there[at + i] = d->y[at + i] + (direction ? h * direction[i] : 0);
  d->moved[pool] = direction != NULL;
  return cdn_state_set_slots(d->state, pool, first, n, d->there + at);
}

/* The displacement of column k of q, in `along`; how far it goes is returned. q must be where it was. */
static cdn_status along_column(differences *d, int k, double *h) {
  double scale = d->unit[k];
  memset(d->one, 0, (size_t)d->n[CDN_POOL_U] * sizeof *d->one);
  d->one[k] = 1;
  CDNI_TRY(cdni_state_multiply_by_N(d->state, d->one, d->along));
  for (int i = 0; i < d->n[CDN_POOL_Q]; i++)
    if (d->along[i] != 0) scale = fmax(scale, FAR * fabs(d->y[i]));
  *h = CDNI_DIFFERENCE * scale;
  return CDN_OK;
}

cdn_status cdni_differences_by(differences *d, cdn_pool pool, int first, int n) {
  const double itself = 1;
  const bool turns = pool == CDN_POOL_Q;
  for (int k = first; k < first + n; k++) {
    const double *direction = turns ? d->along : &itself;
    const int slot = turns ? 0 : k, slots = turns ? d->n[pool] : 1;
    double h = cdni_difference_of(d->y[d->first[pool] + slot]);
    if (turns) CDNI_TRY(along_column(d, k, &h));
    for (int side = 0; side < 2; side++) {
      CDNI_TRY(cdni_state_goes_on(d->state));
      CDNI_TRY(put(d, pool, slot, slots, side ? -h : h, direction));
      CDNI_TRY(d->evaluate(d->user, side));
    }
    CDNI_TRY(d->add(d->user, pool, k, h));
    CDNI_TRY(put(d, pool, slot, slots, 0, NULL));
  }
  return CDN_OK;
}

static bool any(const double *x, int n) {
  for (int k = 0; k < n; k++)
    if (x[k] != 0) return true;
  return false;
}

cdn_status cdni_differences_move(differences *d, const double *amount) {
  const int nu = d->n[CDN_POOL_U];
  CDNI_TRY(cdni_state_goes_on(d->state));
  for (int pool = CDN_POOL_Q; pool <= CDN_POOL_Z; pool++) {
    const double *direction = amount + (pool == CDN_POOL_Q ? 0 : pool == CDN_POOL_U ? nu : 2 * nu);
    const bool moves = any(direction, pool == CDN_POOL_Q ? nu : d->n[pool]);
    /* N is that of the place that was left */
    if (d->moved[pool]) CDNI_TRY(put(d, (cdn_pool)pool, 0, d->n[pool], 0, NULL));
    if (!moves) continue;
    if (pool == CDN_POOL_Q) CDNI_TRY(cdni_state_multiply_by_N(d->state, direction, d->along));
    CDNI_TRY(put(d, (cdn_pool)pool, 0, d->n[pool], 1, pool == CDN_POOL_Q ? d->along : direction));
  }
  return CDN_OK;
}
