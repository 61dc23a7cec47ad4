/* Which orders backward differences may have.
 *
 * The error estimates tell whether an oscillation limits the steps. If e_i are those of three steps of one size h and
 * one order, and an oscillation of the angular frequency w makes most of them, then
 *
 *    e_1 + e_3 = 2 cos(w h) e_2,
 *
 * whatever its shape is. Of several oscillations the sums of e_2.(e_1 + e_3) / 2 and of e_2.e_2 over some steps give a
 * mean of the cosines, weighted by their parts of the errors. Motion that is resolved has small angles w h.
 *
 * Noise has large angles, too: what Newton's iteration leaves, say. So the model is asked whether it has such an
 * oscillation. With S = (1 - gamma J)^-1, an eigenvector of J with the eigenvalue i w is an eigenvector of S with 1 /
 * (1 - i gamma w), and means over the phases of the oscillation are
 *
 *    e.Se / e.e = 1 / (1 + (gamma w)^2) = x,    e.SSe / e.e = x^2 - y^2  with  y = gamma w x.
 *
 * A damped oscillation has a smaller x. Where many eigenvalues are real and none is complex, e.SSe / e.e is larger than
 * x^2. */
#include <math.h>

#include "core/archive.h"
#include "integrators/sundials_order.h"

/* By the order: angles from which on order 2 needs at most twice the steps for the same error. An oscillation is so
 * small then that nothing is lost if it dies away, and grows if its damping is below 1 % of the critical one. Up to the
 * angle RESOLVED a motion counts as resolved. */
static const double LARGE[] = { INFINITY, INFINITY, INFINITY, 0.3, 0.4, 0.55 }, RESOLVED = 0.2;
/* Sums forget by this factor a step, and are trusted from so many terms on. */
static const double FORGETS = 0.95;
enum { ENOUGH = 50, ENOUGH_ANSWERS = 30 };
/* The frequencies of the errors and of the model agree if they are within this factor; damping may be this part of the
 * critical one. Both say no more than a mean of several oscillations can. */
static const double AGREES = 2, DAMPING = 0.3;
/* High orders are tried again after so many steps; if they fail soon, after twice as many. */
enum { FIRST_HOLD = 400, LONGEST_HOLD = 12800, SOON = 8 };

void cdni_order_guard_begin(cdni_order_guard *g, double *memory, int stride) {
  *g = (cdni_order_guard){ .e = { memory, memory + stride }, .hold = FIRST_HOLD };
}

void cdni_order_guard_forget(cdni_order_guard *g) {
  g->known = g->terms = g->answers = 0;
  g->along = g->square = g->once = g->twice = g->plain = 0;
}

static void add_term(cdni_order_guard *g, const double *e, int n) {
  const double *before = g->e[0], *middle = g->e[1];
  double along = 0, square = 0;
  for (int i = 0; i < n; i++) along += middle[i] * (before[i] + e[i]), square += middle[i] * middle[i];
  g->along = FORGETS * g->along + 0.5 * along;
  g->square = FORGETS * g->square + square;
  g->terms++;
}

static cdni_order_verdict change(cdni_order_guard *g, bool low) {
  if (low) g->hold = g->steps < SOON * g->hold ? (g->hold < LONGEST_HOLD ? 2 * g->hold : g->hold) : FIRST_HOLD;
  g->low = low;
  g->steps = 0;
  cdni_order_guard_forget(g);
  return CDNI_ORDER_CHANGED;
}

cdni_order_verdict cdni_order_guard_note(cdni_order_guard *g, double h, int order, const double *e, int n) {
  g->steps++;
  if (order != g->order || !(fabs(h - g->h) <= 1e-6 * h)) g->known = 0;
  g->order = order, g->h = h;
  if (g->known == 2) add_term(g, e, n);
  double *oldest = g->e[0];
  g->e[0] = g->e[1], g->e[1] = oldest;
  memcpy(oldest, e, sizeof(double) * (size_t)n);
  g->known += g->known < 2;
  if (g->terms < ENOUGH) return CDNI_ORDER_GOOD;
  if (!g->low && order > 2 && g->along < cos(LARGE[order]) * g->square) return CDNI_ORDER_SUSPECT;
  if (g->low && g->steps > g->hold && g->along > cos(RESOLVED) * g->square) return change(g, false);
  g->answers = 0;
  g->once = g->twice = g->plain = 0;
  return CDNI_ORDER_GOOD;
}

cdni_order_verdict cdni_order_guard_ask(cdni_order_guard *g, double gamma, const double *Se, const double *SSe, int n) {
  const double *e = g->e[1];
  double once = 0, twice = 0, plain = 0;
  for (int i = 0; i < n; i++) once += e[i] * Se[i], twice += e[i] * SSe[i], plain += e[i] * e[i];
  g->once = FORGETS * g->once + once;
  g->twice = FORGETS * g->twice + twice;
  g->plain = FORGETS * g->plain + plain;
  if (++g->answers < ENOUGH_ANSWERS || !(g->plain > 0)) return CDNI_ORDER_GOOD;
  const double x = g->once / g->plain, square = x * x - g->twice / g->plain;
  if (!(square > 0)) return CDNI_ORDER_GOOD;
  /* the eigenvalue times gamma */
  const double length = x * x + square, re = 1 - x / length, im = sqrt(square) / length;
  const double angle = acos(fmax(-1, g->along / g->square)), of_model = im / gamma * g->h;
  const bool agree = of_model < AGREES * angle && angle < AGREES * of_model;
  return agree && fabs(re) < DAMPING * im ? change(g, true) : CDNI_ORDER_GOOD;
}

void cdni_order_guard_archive(cdni_order_guard *g, cdni_archive *a) {
  cdni_order_guard_forget(g);
  cdni_archive_bool(a, &g->low);
  cdni_archive_int64(a, &g->steps, 0, INT64_MAX);
  cdni_archive_int64(a, &g->hold, FIRST_HOLD, LONGEST_HOLD);
}
