/* Coordinates for which an absolute accuracy means nothing: they move by less than the accuracy, or their rounding
 * is larger than the accuracy. */
#include <float.h>
#include <math.h>

#include "constraints/project.h"
#include "core/archive.h"
#include "integrators/unresolved.h"
#include "integrators/stepper.h"
#include "system/system.h"

/* A coordinate rests if it has moved by no more than REST roundings (of itself or of the unit change), or if neither
 * its speed nor its acceleration would move it by UNDRIVEN roundings within the time scale. Then only errors have
 * moved the coordinate. */
static const double REST = 1e4, UNDRIVEN = 1e2;
/* Errors that are less than this part of a small motion leave it its shape. What a stiff contact or spring holds moves
 * by less than most accuracies, and errs by some tenths of that. */
static const double RESOLVED = 0.5;

void cdni_unresolved_begin(cdn_stepper *s) {
  cdni_unresolved *f = &s->unresolved;
  f->size = 0;
  f->largest = -1;
  if (s->nq == 0) return;
  memcpy(f->start, s->y[s->at], sizeof(double) * (size_t)s->nq);
}

/* For each vector of q, at the vector's first slot: the largest length so far of the values given for the vector's
 * slots. */
static void note_lengths(const cdn_stepper *s, const double *of_slot, const double *from, double *longest) {
  double square = 0;
  for (int i = 0; i < s->nq; i++) {
    const double part = from ? (of_slot[i] - from[i]) * s->q_weight[i] : of_slot[i];
    square = s->vector[i] == i ? part * part : square + part * part;
    const int first = s->vector[i];
    /* at the last slot of a vector the sum is complete */
    if (i + 1 == s->nq || s->vector[i + 1] != first) longest[first] = fmax(longest[first], sqrt(square));
  }
}

cdn_status cdni_unresolved_drive(cdn_stepper *s) {
  const double *rates = s->f[s->at], tau = s->def.time_scale;
  double *way = s->scratch;
  if (s->nq == 0) return CDN_OK;
  CDNI_TRY(cdni_state_multiply_by_N(s->work, rates + s->nq, way));
  for (int i = 0; i < s->nq; i++) way[i] = (fabs(rates[i]) * tau + 0.5 * fabs(way[i]) * tau * tau) * s->q_weight[i];
  note_lengths(s, way, NULL, s->unresolved.driven);
  return CDN_OK;
}

void cdni_unresolved_accept(cdn_stepper *s) {
  cdni_unresolved *f = &s->unresolved;
  if (s->def.fixed_step > 0) return; /* nothing is said of steps that nothing controls */
  const double *q = s->y[s->at];
  note_lengths(s, q, f->start, f->moved);
  for (int i = 0; i < s->nq; i++) {
    const double size = fabs(q[i]) * s->q_weight[i];
    if (!(size > f->size) || q[i] == f->start[i] || s->prescribed[i]) continue;
    f->size = size;
    f->largest = i;
  }
}

void cdni_unresolved_compare(cdn_stepper *s, const double *weighted) {
  note_lengths(s, weighted, NULL, s->unresolved.apart);
}

/* Of the vectors that move by less than the accuracy, and by more than rounding, the one that errors spoil most.
 * Without a companion, which would tell whether they do, the one that moves most. */
static int find_unresolved(const cdn_stepper *s) {
  const cdni_unresolved *f = &s->unresolved;
  int found = -1;
  double most = s->companion ? RESOLVED : 0;
  for (int i = 0; i < s->nq; i++) {
    const double moved = f->moved[i];
    double size = 1;
    for (int k = i; k < s->nq && s->vector[k] == i; k++) size = fmax(size, s->q_weight[k] * fabs(f->start[k]));
    if (s->vector[i] != i || s->prescribed[i]) continue;
    /* what constraints hold moves by what projections leave */
    const double rest = s->projector ? CDNI_CONSTRAINTS_HELD : REST * DBL_EPSILON;
    if (!(moved < s->def.accuracy) || !(moved > rest * size)) continue;
    if (!(f->driven[i] > UNDRIVEN * DBL_EPSILON * size)) continue;
    const double rank = s->companion ? f->apart[i] / moved : moved;
    if (!(rank > most)) continue;
    most = rank;
    found = i;
  }
  return found;
}

void cdni_unresolved_certify(const cdn_stepper *s, cdn_certificate *out) {
  const cdni_unresolved *f = &s->unresolved;
  memset(out->below_tolerance, 0, sizeof out->below_tolerance);
  memset(out->below_rounding, 0, sizeof out->below_rounding);
  out->below_tolerance_motion = out->below_rounding_size = 0;
  if (s->def.fixed_step > 0) return;
  const int unresolved = find_unresolved(s);
  if (unresolved >= 0) {
    cdn_system_slot_name(s->system, CDN_POOL_Q, unresolved, out->below_tolerance, sizeof out->below_tolerance);
    out->below_tolerance_motion = f->moved[unresolved];
  }
  const double rounding = DBL_EPSILON * f->size;
  if (f->largest < 0 || !(rounding > cdni_asked(s))) return;
  cdn_system_slot_name(s->system, CDN_POOL_Q, f->largest, out->below_rounding, sizeof out->below_rounding);
  out->below_rounding_size = rounding;
}

void cdni_unresolved_archive(cdn_stepper *s, cdni_archive *a) {
  cdni_unresolved *f = &s->unresolved;
  cdni_archive_mark(a, "FAIN");
  cdni_archive_doubles(a, f->start, (size_t)s->nq);
  cdni_archive_doubles(a, f->moved, (size_t)s->nq);
  cdni_archive_doubles(a, f->apart, (size_t)s->nq);
  cdni_archive_doubles(a, f->driven, (size_t)s->nq);
  cdni_archive_double(a, &f->size);
  cdni_archive_int(a, &f->largest, -1, s->nq - 1);
}
