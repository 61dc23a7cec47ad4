/* Friction that jams while it slips (Painleve). Pushes that follow from friction grow without bound where a push of its
 * own lifts a contact no more. That takes no time, and what happens then is an impact without any approach. Speeds go
 * along the accelerations up to where no force agrees any more; from there the moment finds impulses. */
#include <math.h>

#include "hybrid/moment.h"
#include "hybrid/slip.h"

/* The first shift changes speeds of slip by this part of them; each is twice the one before, and so many are tried. */
static const double SHIFT = 1e-3;
enum { MOST_SHIFTS = 8 };

/* The time in which a slip, whose direction follows from its speed, would be another one at these rates of speeds. */
static cdn_status time_of(moment *m, const double *u, const double *rates, double *time) {
  const hybrid_room *room = m->room;
  double v[CONE_MOST_TANGENTS], next[CONE_MOST_TANGENTS], change[CONE_MOST_TANGENTS];
  *time = INFINITY;
  for (int i = 0; i < hybrid_frictions(room); i++) {
    const bool slips = friction_status(room, m->state, i) == CDN_FRICTION_SLIP;
    if (!slips || friction_numbers(room, m->state, i)[FRICTION_REST] < 0) continue;
    CDNI_TRY(cdn_state_set_u(m->state, u));
    CDNI_TRY(cdni_friction_slip(room, m->state, i, v));
    for (int k = 0; k < m->all_nu; k++) m->x[k] = u[k] + rates[k];
    CDNI_TRY(cdn_state_set_u(m->state, m->x));
    CDNI_TRY(cdni_friction_slip(room, m->state, i, next));
    for (int k = 0; k < CONE_MOST_TANGENTS; k++) change[k] = next[k] - v[k];
    if (cone_norm(change) > 0) *time = fmin(*time, cone_norm(v) / cone_norm(change));
  }
  return cdn_state_set_u(m->state, u);
}

/* Behind that the forces that would agree pull: friction pushes along a slip. */
static cdn_status pulls(const hybrid_room *room, cdn_state *state, bool *pulls) {
  *pulls = false;
  for (int i = 0; i < hybrid_frictions(room); i++) {
    double v[CONE_MOST_TANGENTS];
    if (friction_status(room, state, i) != CDN_FRICTION_SLIP) continue;
    CDNI_TRY(cdni_friction_slip(room, state, i, v));
    *pulls = *pulls || cone_dot(v, follower_force(room, state, i)) > 0;
  }
  return CDN_OK;
}

cdn_status cdni_moment_pass_jam(moment *m) {
  const size_t size = (size_t)m->all_nu * sizeof(double);
  double *first = cdn_work_push(m->state, 3 * size);
  if (!first) return cdni_state_fail(m->state, CDN_ERR_NOMEM, false, "cdn_settle", NULL, "out of memory");
  double *u = first + m->all_nu, *rates = u + m->all_nu;
  memcpy(first, cdn_state_u(m->state), size);
  double ease = INFINITY;
  bool passed = false;
  cdn_status status = CDN_OK;
  for (int k = 0; k < MOST_SHIFTS && status == CDN_OK; k++) {
    double time = INFINITY;
    status = cdn_realize(m->state, CDN_STAGE_ACCELERATION);
    if (status == CDN_OK) status = pulls(m->room, m->state, &passed);
    else passed = status == CDN_ERR_SINGULAR;
    if (status != CDN_OK || passed) break;
    /* where forces grow no more along the way nothing jams */
    const double before = ease;
    ease = cdni_hybrid_ease(m->room, m->state);
    if (ease >= before) break;
    memcpy(u, cdn_state_u(m->state), size), memcpy(rates, cdn_state_udot(m->state), size);
    status = time_of(m, u, rates, &time);
    if (status == CDN_OK && !isfinite(time)) break;
    for (int i = 0; i < m->all_nu; i++) u[i] += ldexp(SHIFT, k) * time * rates[i];
    if (status == CDN_OK) status = cdn_state_set_u(m->state, u);
  }
  if (passed) status = CDN_OK;
  else if (status == CDN_OK) status = cdn_state_set_u(m->state, first);
  m->jammed = passed;
  cdn_work_pop(m->state, first);
  return status;
}
