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

static cdn_status close(search *x, int i) { return cdni_hybrid_touch(x->hybrid, x->rest, i); }

/* Shapes that have come to touch get slots, which are on. */
static cdn_status take_slots(search *x) {
  const int n = cdni_hybrid_side_count(x->hybrid);
  double gap;
  for (int i = 0; i < n; i++) x->blocks[i] = cdni_hybrid_side_is_there(x->hybrid, x->rest, i);
  CDNI_TRY(cdni_hybrid_take_slots(x->hybrid, x->rest));
  for (int i = 0; i < n; i++) {
    if (x->blocks[i]) continue;
    CDNI_TRY(open_gap(x, i, &gap));
    if (gap < SLOT) CDNI_TRY(close(x, i));
  }
  return CDN_OK;
}

/* What overlaps is on from here. */
static cdn_status close_overlaps(search *x) {
  double gap;
  for (int i = 0; i < cdni_hybrid_side_count(x->hybrid); i++) {
    CDNI_TRY(open_gap(x, i, &gap));
    if (gap < -near(x)) CDNI_TRY(close(x, i));
  }
  CDNI_TRY(cdni_hybrid_least_gap(x->hybrid, x->rest, &gap));
  return gap < -near(x) ? take_slots(x) : CDN_OK;
}

/* What has come nearer than where the step begins, x->least, blocks it; last that is shapes without a slot. */
static cdn_status look_who_blocks(search *x, bool *any) {
  const int n = cdni_hybrid_side_count(x->hybrid);
  double gap;
  CDNI_TRY(cdni_hybrid_least_gap(x->hybrid, x->rest, &gap));
  *any = x->blocks[n] = gap < x->least[n];
  for (int i = 0; i < n; i++) {
    CDNI_TRY(open_gap(x, i, &gap));
    x->blocks[i] = gap < x->least[i];
    *any = *any || x->blocks[i];
  }
  return CDN_OK;
}

/* What is off and has no gap left may be about to open: only what blocks is on from here. */
cdn_status cdni_equilibrium_touch(search *x) {
  const int n = cdni_hybrid_side_count(x->hybrid);
  for (int i = 0; i < n; i++)
    if (x->blocks[i]) CDNI_TRY(close(x, i));
  if (x->blocks[n]) CDNI_TRY(take_slots(x));
  return cdni_equilibrium_project(x);
}

cdn_status cdni_equilibrium_begin_sides(search *x) {
  bool rests;
  if (!x->hybrid) return cdni_equilibrium_project(x);
  CDNI_TRY(close_overlaps(x));
  CDNI_TRY(cdni_equilibrium_project(x));
  for (int k = 0; k < x->nu; k++) x->bound[k] = x->def->tolerance;
  x->report->unbalanced = 0;
  return cdni_equilibrium_settle(x, &rests);
}

cdn_status cdni_equilibrium_settle(search *x, bool *rests) {
  *rests = true;
  if (!x->hybrid) return CDN_OK;
  const double before = 2 * x->report->unbalanced; /* what the search has found to be rounding */
  CDNI_TRY(cdn_settle(x->rest, 0));
  const double *udot = cdn_state_udot(x->rest);
  if (!udot) return cdni_state_last_status(x->rest);
  if (x->nu) memcpy(x->fall, udot, (size_t)x->nu * sizeof *udot);
  for (int k = 0; k < x->nu; k++) *rests = *rests && fabs(udot[k]) <= fmax(x->bound[k], before);
  return cdni_hybrid_end_slips(x->hybrid, x->rest, *rests);
}

static void scale(search *x, double by) {
  for (int k = 0; k < x->nu; k++) x->v[k] *= by;
  for (int k = 0; k < x->s.n; k++) x->y[k] *= by;
}

/* Narrows the part of a step in which a gap closes. */
static cdn_status narrow(search *x, double *low, double *high) {
  bool closed;
  for (int k = 0; k < 60 && *high - *low > 1e-15; k++) {
    const double middle = 0.5 * (*low + *high);
    CDNI_TRY(cdni_equilibrium_move(x, middle, x->q));
    CDNI_TRY(look_who_blocks(x, &closed));
    *(closed ? high : low) = middle;
  }
  CDNI_TRY(cdni_equilibrium_move(x, *high, x->q));
  return look_who_blocks(x, &closed);
}

cdn_status cdni_equilibrium_clip(search *x, double *most, bool *closes) {
  double low = 0, high = 1;
  *closes = false;
  if (!x->hybrid) return CDN_OK;
  const int n = cdni_hybrid_side_count(x->hybrid);
  for (int i = 0; i < n; i++) CDNI_TRY(open_gap(x, i, &x->least[i]));
  CDNI_TRY(cdni_hybrid_least_gap(x->hybrid, x->rest, &x->least[n]));
  for (int i = 0; i <= n; i++) x->least[i] = fmin(0, x->least[i]) - 1e-3 * near(x);
  CDNI_TRY(cdni_equilibrium_move(x, 1, x->q));
  CDNI_TRY(look_who_blocks(x, closes));
  if (*closes) CDNI_TRY(narrow(x, &low, &high));
  CDNI_TRY(cdni_equilibrium_place(x, x->q0, 0));
  if (*closes) scale(x, low), *most *= low;
  return CDN_OK;
}
