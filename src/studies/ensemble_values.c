/* The values of the States of an ensemble: set and read, one State or all States. */
#include <math.h>

#include "controls/controls.h"
#include "random/random.h"
#include "soft/soft.h"
#include "studies/ensemble.h"

static double *values_of(const cdn_ensemble *e, int k) { return e->values + (size_t)k * e->n_values; }

static cdni_shared_values **held_of(const cdn_ensemble *e, int k) { return e->held + (size_t)k * e->sharing.count; }

static bool exists(const cdn_ensemble *e, int k) { return e && k >= 0 && k < e->count; }

/* ---- one State ---- */

/* Copies the varying values of State k from the ensemble into a State. */
static cdn_status give_values(const cdn_ensemble *e, int k, cdn_state *state) {
  for (size_t i = 0; i < e->varying.count; i++) {
    const varying *x = &CDNI_AT(e->varying, varying, i);
    const double *from = values_of(e, k) + x->at;
    if (x->parameters) CDNI_TRY(cdn_state_set_parameters(state, x->v, 0, x->n, from));
    else memcpy(cdni_state_update_discrete(state, x->v), from, (size_t)x->n * sizeof *from);
  }
  for (size_t i = 0; i < e->sharing.count; i++)
    cdni_shared_give(state, CDNI_AT(e->sharing, cdn_dvar, i), held_of(e, k)[i]);
  return CDN_OK;
}

cdn_status cdni_ensemble_load(worker *w, view *v, int k, int lane, const double *t, const double *y) {
  const cdn_ensemble *e = w->e;
  cdni_lanes_stand_for(v->state, NULL, 0);
  if (e->n_values + e->sharing.count > 0 && v->viewed != k) {
    v->viewed = -1;
    CDNI_TRY(give_values(e, k, v->state));
    v->viewed = k;
  }
  lane_get(y, e->lanes, lane, w->one, (size_t)e->ny);
  return cdn_state_set_ty(v->state, t[lane], w->one);
}

cdn_status cdni_ensemble_put_constants(worker *w, const view *v, int k) {
  const cdn_ensemble *e = w->e;
  if (!e->twin) return CDN_OK;
  CDNI_TRY(cdn_realize(v->state, CDN_STAGE_INSTANCE));
  CDNI_TRY(cdn_realize(e->prototype, CDN_STAGE_INSTANCE));
  const body_mass *mass = cdni_matter_data(e->m, v->state).mass, *shared = cdni_matter_data(e->m, e->prototype).mass;
  for (int i = 1; i < e->m->tree.n; i++)
    if (mass[i].massless != shared[i].massless) return CDN_ERR_UNSUPPORTED;
  cdni_lanes_collect_constants(e->twin, v->state, k % e->lanes, ensemble_constants(e, k / e->lanes));
  for (int i = 0; i < e->n_workers; i++) e->workers[i].constants_of = -1;
  return CDN_OK;
}

/* ---- beginning anew ---- */

static void forget_views_of(cdn_ensemble *e, int k) {
  for (int i = 0; i < e->n_workers; i++)
    for (int v = 0; v < e->workers[i].n_views; v++)
      if (e->workers[i].views[v].viewed == k) e->workers[i].views[v].viewed = -1;
}

void cdni_ensemble_restart(cdn_ensemble *e, int k) {
  e->guesses[k].count = 0;
  e->courses[k] = (course){ .since = e->t[k], .time = e->t[k], .until = e->t[k], .slot = -1 };
}

/* The run of State k and its companion begin anew, both with the present values of the State. */
static void join_companion(cdn_ensemble *e, int k) {
  cdn_ensemble *other = e->companion;
  cdni_ensemble_restart(e, k);
  if (!other) return;
  const int batch = k / e->lanes, lane = k % e->lanes;
  lane_get(ensemble_y(e, batch), e->lanes, lane, e->workers[0].one, (size_t)e->ny);
  lane_put(ensemble_y(other, batch), e->lanes, lane, e->workers[0].one, (size_t)e->ny);
  if (e->n_values > 0) memcpy(values_of(other, k), values_of(e, k), e->n_values * sizeof(double));
  forget_views_of(other, k);
  other->t[k] = e->t[k];
  other->status[k] = CDN_OK;
  other->known[batch] = false;
  cdni_ensemble_restart(other, k);
}

/* Whether State k and its companion run, and t and y are bit for bit those of State k: only parameters change, and the
 * run goes on. */
static bool goes_on(const cdn_ensemble *e, int k, double t, const double *y) {
  const int batch = k / e->lanes, lane = k % e->lanes;
  const bool runs = e->status[k] == CDN_OK && (!e->companion || e->companion->status[k] == CDN_OK);
  double *present = e->workers[0].one;
  lane_get(ensemble_y(e, batch), e->lanes, lane, present, (size_t)e->ny);
  return runs && e->t[k] == t && (e->ny == 0 || memcmp(present, y, (size_t)e->ny * sizeof *y) == 0);
}

static cdn_status set_state(cdn_ensemble *e, int k, const cdn_state *state, bool keeps_y);

cdn_status cdn_ensemble_set_state(cdn_ensemble *e, int k, const cdn_state *state) {
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
  if (!state || !exists(e, k))
    return cdni_ensemble_fail(e, CDN_ERR_ARG, __func__, k,
                              state ? "there is no State %d: the ensemble has %d" : "State %d is given by NULL (of %d)",
                              k, e->count);
  if (cdn_state_system(state) != e->system)
    return cdni_ensemble_fail(e, CDN_ERR_ARG, __func__, k, "State %d is given by one of another System", k);
  const bool same_run = goes_on(e, k, cdn_state_time(state), cdni_state_y(state));
  CDNI_TRY(set_state(e, k, state, false));
  if (e->companion) CDNI_TRY(set_state(e->companion, k, state, same_run));
  if (!same_run) join_companion(e, k);
  return CDN_OK;
}

/* What lanes hold of the varying values of State k. */
static cdn_status renew_constants(cdn_ensemble *e, int k, const char *function) {
  const int batch = k / e->lanes, lane = k % e->lanes;
  if (!e->constants_vary) return CDN_OK;
  worker *w = &e->workers[0];
  view *v = &w->views[0];
  cdn_status status = cdni_ensemble_load(w, v, k, lane, ensemble_t(e, batch), ensemble_y(e, batch));
  if (status == CDN_OK) status = cdni_ensemble_put_constants(w, v, k);
  if (status == CDN_ERR_UNSUPPORTED)
    cdni_ensemble_fail(e, status, function, k,
                       "State %d has a body with mass and another without: which are massless is "
                       "shared",
                       k);
  else if (status != CDN_OK) cdni_ensemble_fail(e, status, function, k, "%s", cdn_status_text(status));
  return status;
}

static cdn_status set_state(cdn_ensemble *e, int k, const cdn_state *state, bool keeps_y) {
  static const char function[] = "cdn_ensemble_set_state";
  const char *other = cdni_state_difference(state, e->prototype, (int)e->own.count, e->own.data);
  if (other)
    return cdni_ensemble_fail(e, CDN_ERR_ARG, function, k,
                              "State %d is given with another '%s' than the State that the ensemble was made from: "
                              "name it in the def's `vary`, where that is possible",
                              k, other);
  for (size_t i = 0; i < e->varying.count; i++) {
    const varying *x = &CDNI_AT(e->varying, varying, i);
    memcpy(values_of(e, k) + x->at, cdn_state_discrete(state, x->v), (size_t)x->n * sizeof(double));
    if (!x->parameters && values_of(e, k)[x->at] != 0) e->any_applied = true;
  }
  if (e->draws) {
    cdn_dvar place;
    (void)cdni_random_variable(e->system, &place);
    cdni_random_part(cdn_state_discrete(e->prototype, place), values_of(e, k) + e->place, k);
  }
  for (size_t i = 0; i < e->sharing.count; i++) {
    cdni_shared_values **held = &held_of(e, k)[i], *before = *held;
    *held = cdni_shared_hold(state, CDNI_AT(e->sharing, cdn_dvar, i));
    cdni_shared_let_go(e->system, before);
  }
  const int batch = k / e->lanes, lane = k % e->lanes;
  if (!keeps_y) {
    ensemble_t(e, batch)[lane] = cdn_state_time(state);
    lane_put(ensemble_y(e, batch), e->lanes, lane, cdni_state_y(state), (size_t)e->ny);
  }
  e->known[batch] = false;
  e->status[k] = CDN_OK;
  forget_views_of(e, k);
  return renew_constants(e, k, function);
}

cdn_status cdn_ensemble_get_state(cdn_ensemble *e, int k, cdn_state *state) {
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
  if (!state || !exists(e, k))
    return cdni_ensemble_fail(
        e, CDN_ERR_ARG, __func__, k,
        state ? "there is no State %d: the ensemble has %d" : "no State was given for number %d (of %d)", k, e->count);
  if (cdn_state_system(state) != e->system)
    return cdni_ensemble_fail(e, CDN_ERR_ARG, __func__, k, "the State given belongs to another System");
  const int batch = k / e->lanes, lane = k % e->lanes;
  worker *w = &e->workers[0];
  cdn_status status = cdni_ensemble_load(w, &w->views[0], k, lane, ensemble_t(e, batch), ensemble_y(e, batch));
  if (status == CDN_OK) status = cdni_soft_load_guess(w->views[0].state, &e->guesses[k]);
  if (status == CDN_OK) status = cdn_state_copy(state, w->views[0].state);
  if (status != CDN_OK) cdni_ensemble_fail(e, status, __func__, k, "%s", cdn_status_text(status));
  return status;
}

/* ---- all States ---- */

static cdn_status no_pool(cdn_ensemble *e, const char *function, cdn_pool pool, const void *values) {
  if ((int)pool < CDN_POOL_Q || (int)pool > CDN_POOL_Z)
    return cdni_ensemble_fail(e, CDN_ERR_ARG, function, -1, "there is no pool %d", (int)pool);
  if (!values && ensemble_pool_size(e, pool) > 0)
    return cdni_ensemble_fail(e, CDN_ERR_ARG, function, -1, "the array is NULL");
  return CDN_OK;
}

static void forget(cdn_ensemble *e) {
  for (int k = 0; k < e->count; k++) {
    e->status[k] = CDN_OK;
    join_companion(e, k);
  }
  for (int b = 0; b < e->n_batches; b++) e->known[b] = false;
}

cdn_status cdn_ensemble_set(cdn_ensemble *e, cdn_pool pool, const double *values, size_t stride) {
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
  static const char names[] = "quz";
  CDNI_TRY(no_pool(e, __func__, pool, values));
  const size_t n = ensemble_pool_size(e, pool), first = ensemble_pool_first(e, pool);
  if (stride == 0) stride = n;
  for (int k = 0; n > 0 && k < e->count; k++) {
    size_t bad;
    const double *row = values + (size_t)k * stride;
    if (!cdni_all_finite(row, n, &bad))
      return cdni_ensemble_fail(e, CDN_ERR_NONFINITE, __func__, k, "%c[%zu] of State %d is %g: nothing was changed",
                                names[pool], bad, k, row[bad]);
  }
  for (int k = 0; n > 0 && k < e->count; k++)
    lane_put(ensemble_y(e, k / e->lanes) + first * (size_t)e->lanes, e->lanes, k % e->lanes,
             values + (size_t)k * stride, n);
  forget(e);
  return CDN_OK;
}

cdn_status cdn_ensemble_get(cdn_ensemble *e, cdn_pool pool, double *values, size_t stride) {
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
  CDNI_TRY(no_pool(e, "cdn_ensemble_get", pool, values));
  const size_t n = ensemble_pool_size(e, pool), first = ensemble_pool_first(e, pool);
  if (stride == 0) stride = n;
  for (int k = 0; n > 0 && k < e->count; k++)
    lane_get(ensemble_y(e, k / e->lanes) + first * (size_t)e->lanes, e->lanes, k % e->lanes,
             values + (size_t)k * stride, n);
  return CDN_OK;
}

/* ---- controls ---- */

/* Where the written values of controls are among those that vary; NULL: they do not vary. */
static const varying *find_controls(const cdn_ensemble *e) {
  const control_room *room = cdni_controls(e->system);
  for (size_t i = 0; room && i < e->varying.count; i++) {
    const varying *x = &CDNI_AT(e->varying, varying, i);
    if (x->v.ticket.i == cdni_controls_variable(room).ticket.i) return x;
  }
  return NULL;
}

static void put_controls(cdn_ensemble *e, const varying *x, int k, const double *row) {
  double *to = values_of(e, k) + x->at;
  for (int i = 0; i < x->n; i++)
    if (!cdn_control_follows(e->system, (cdn_control){ i })) to[i] = row[i];
  forget_views_of(e, k);
  e->known[k / e->lanes] = false;
}

static cdn_status set_controls(cdn_ensemble *e, const double *values, size_t stride) {
  const varying *x = find_controls(e);
  for (int k = 0; k < e->count; k++) {
    put_controls(e, x, k, values + (size_t)k * stride);
    if (e->status[k] == CDN_OK) CDNI_TRY(renew_constants(e, k, "cdn_ensemble_set_controls"));
  }
  return CDN_OK;
}

cdn_status cdn_ensemble_set_controls(cdn_ensemble *e, const double *values, size_t stride) {
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
  const varying *x = find_controls(e);
  if (cdn_system_control_count(e->system) == 0) return CDN_OK;
  if (!x || !values)
    return cdni_ensemble_fail(e, CDN_ERR_ARG, __func__, -1,
                              x ? "the array is NULL" : "controls do not vary: put CDN_VARY_CONTROLS into def.vary");
  if (stride == 0) stride = (size_t)x->n;
  for (int k = 0; k < e->count; k++)
    for (int i = 0; i < x->n; i++) {
      const double value = values[(size_t)k * stride + (size_t)i];
      if (!isfinite(value) && !cdn_control_follows(e->system, (cdn_control){ i }))
        return cdni_ensemble_fail(e, CDN_ERR_NONFINITE, __func__, k,
                                  "control '%s' of State %d is %g: nothing was changed",
                                  cdn_control_name(e->system, (cdn_control){ i }), k, value);
    }
  CDNI_TRY(set_controls(e, values, stride));
  return e->companion ? set_controls(e->companion, values, stride) : CDN_OK;
}

cdn_status cdn_ensemble_set_time(cdn_ensemble *e, double t) {
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
  if (!isfinite(t))
    return cdni_ensemble_fail(e, CDN_ERR_NONFINITE, "cdn_ensemble_set_time", -1, "time is %g: nothing was changed", t);
  for (int i = 0; i < e->n_batches * e->lanes; i++) e->t[i] = t;
  forget(e);
  return CDN_OK;
}

double cdn_ensemble_time(const cdn_ensemble *e, int k) { return exists(e, k) ? e->t[k] : NAN; }
