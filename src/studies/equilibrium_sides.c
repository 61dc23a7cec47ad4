/* The search for an equilibrium with one-sided elements and dry friction: an active set. What is on is a constraint of
 * the search. A step ends where a gap closes, and the element is on from there. Where all is in balance the moment's
 * own solver says what rests: what does not push lets go, what cannot stick slides, and the search goes on. */
#include <math.h>

#include "studies/equilibrium.h"

/* What counts as a gap of zero; the moment's solver has the same at a start. */
static double near(const search *x) {
  double largest = 1;
  for (int k = 0; k < cdn_system_nq(cdn_state_system(x->rest)); k++)
    largest = fmax(largest, fabs(cdn_state_q(x->rest)[k]));
  return 1e-12 * largest;
}

/* Shapes whose gap is below this have come to touch, when a slot is taken for them, m. */
static const double SLOT = 1e-10;

/* Of an element that is off: its gap; of others, and of ratchets, infinity. */
static cdn_status open_gap(search *x, int i, double *gap) {
  *gap = INFINITY;
  const cdn_one_sided element = { i };
  if (!cdni_hybrid_side_is_there(x->hybrid, x->rest, i)) return CDN_OK;
  if (cdni_hybrid_side_is_ratchet(x->hybrid, i) || cdn_one_sided_is_on(x->rest, element)) return CDN_OK;
  return cdn_one_sided_gap(x->rest, element, gap);
}

/* Whether any gap is below `least`, by element and last that of shapes without a slot (NULL: below `most`); what is so
 * is switched on, or not. */
static cdn_status look_below(search *x, const double *least, double most, bool close, bool *any) {
  const int n = cdni_hybrid_side_count(x->hybrid);
  double gap;
  CDNI_TRY(cdni_hybrid_least_gap(x->hybrid, x->rest, &gap));
  *any = gap < (least ? least[n] : most);
  if (*any && close) {
    CDNI_TRY(cdni_hybrid_take_slots(x->hybrid, x->rest));
    least = NULL, most = fmax(most, SLOT);
  }
  for (int i = 0; i < n; i++) {
    CDNI_TRY(open_gap(x, i, &gap));
    if (!(gap < (least ? least[i] : most))) continue;
    *any = true;
    if (close) CDNI_TRY(cdni_hybrid_touch(x->hybrid, x->rest, i));
  }
  return CDN_OK;
}

cdn_status cdni_equilibrium_touch(search *x) {
  bool any;
  CDNI_TRY(look_below(x, NULL, near(x), true, &any));
  return cdni_equilibrium_project(x);
}

cdn_status cdni_equilibrium_begin_sides(search *x) {
  bool rests, any;
  if (!x->hybrid) return cdni_equilibrium_project(x);
  CDNI_TRY(look_below(x, NULL, -near(x), true, &any));
  CDNI_TRY(cdni_equilibrium_project(x));
  for (int k = 0; k < x->nu; k++) x->bound[k] = x->def->tolerance;
  return cdni_equilibrium_settle(x, &rests);
}

cdn_status cdni_equilibrium_settle(search *x, bool *rests) {
  *rests = true;
  if (!x->hybrid) return CDN_OK;
  CDNI_TRY(cdn_settle(x->rest, 0));
  const double *udot = cdn_state_udot(x->rest);
  if (!udot) return cdni_state_last_status(x->rest);
  for (int k = 0; k < x->nu; k++) *rests = *rests && fabs(udot[k]) <= x->bound[k];
  return cdni_hybrid_end_slips(x->hybrid, x->rest, *rests);
}

static void scale(search *x, double by) {
  for (int k = 0; k < x->nu; k++) x->v[k] *= by;
  for (int k = 0; k < x->s.n; k++) x->y[k] *= by;
}

/* Narrows the part of a step in which a gap closes. */
static cdn_status narrow(search *x, const double *least, double *low, double *high) {
  bool closed;
  for (int k = 0; k < 60 && *high - *low > 1e-15; k++) {
    const double middle = 0.5 * (*low + *high);
    CDNI_TRY(cdni_equilibrium_move(x, middle, x->q));
    CDNI_TRY(look_below(x, least, 0, false, &closed));
    *(closed ? high : low) = middle;
  }
  return CDN_OK;
}

static cdn_status clip(search *x, double *least, double *most, bool *closes) {
  const int n = cdni_hybrid_side_count(x->hybrid);
  double low = 0, high = 1;
  bool any;
  for (int i = 0; i < n; i++) CDNI_TRY(open_gap(x, i, &least[i]));
  CDNI_TRY(cdni_hybrid_least_gap(x->hybrid, x->rest, &least[n]));
  for (int i = 0; i <= n; i++) least[i] = fmin(0, least[i]) - 1e-3 * near(x);
  CDNI_TRY(cdni_equilibrium_move(x, 1, x->q));
  CDNI_TRY(look_below(x, least, 0, false, closes));
  if (*closes) CDNI_TRY(narrow(x, least, &low, &high));
  if (*closes && low * *most <= CDNI_NOT_A_STEP) {
    CDNI_TRY(cdni_equilibrium_move(x, high, x->q));
    CDNI_TRY(look_below(x, least, 0, true, &any));
  }
  CDNI_TRY(cdni_equilibrium_place(x, x->q0, 0));
  if (*closes) scale(x, low), *most *= low;
  return CDN_OK;
}

cdn_status cdni_equilibrium_clip(search *x, double *most, bool *closes) {
  *closes = false;
  if (!x->hybrid) return CDN_OK;
  double *least = cdn_work_push(x->rest, ((size_t)cdni_hybrid_side_count(x->hybrid) + 1) * sizeof *least);
  if (!least) return cdni_state_fail(x->rest, CDN_ERR_NOMEM, false, x->function, NULL, "out of memory");
  const cdn_status status = clip(x, least, most, closes);
  cdn_work_pop(x->rest, least);
  return status;
}
