/* The extremes of an actuator's length within the limits of the joints that change it: each joint in turn goes to where
 * the length is extreme, until none moves it any more. */
#include <math.h>

#include "io/build.h"
#include "io/joints.h"

/* Places at which a length is looked at on a joint's way, before the best of them is refined: a length that a path's
 * obstacles bend has its extremes farther apart than this. */
enum { PLACES = 32, REFINEMENTS = 60, MOST_SWEEPS = 50 };
/* What a sweep must gain, over the range so far, or the search ends. */
static const double GAIN = 1e-12;
/* The golden section. */
static const double SECTION = 0.61803398874989485;
/* Moments below this are rounding, as for MuJoCo's mjMINVAL. */
static const double LEAST_MOMENT = 1e-12;

typedef struct search {
  io_builder *b;
  cdn_state *state;
  const cdn_spec_actuator *actuator;
  cdn_force force;
  double sign; /* 1: the longest, -1: the shortest */
} search;

static cdn_status length_at(const search *s, cdn_body body, double q, double *length) {
  CDNI_TRY(cdn_body_set_q(s->state, body, 1, &q));
  CDNI_TRY(cdn_actuator_length(s->state, s->force, length));
  *length *= s->sign;
  return CDN_OK;
}

/* Between two places beside the best one the length has one extreme. */
static cdn_status refine(const search *s, cdn_body body, double lower, double upper, double *best_q, double *best) {
  double a = upper - SECTION * (upper - lower), b = lower + SECTION * (upper - lower), at_a, at_b;
  CDNI_TRY(length_at(s, body, a, &at_a));
  CDNI_TRY(length_at(s, body, b, &at_b));
  for (int i = 0; i < REFINEMENTS; i++) {
    if (at_a > at_b) {
      upper = b, b = a, at_b = at_a, a = upper - SECTION * (upper - lower);
      CDNI_TRY(length_at(s, body, a, &at_a));
    } else {
      lower = a, a = b, at_a = at_b, b = lower + SECTION * (upper - lower);
      CDNI_TRY(length_at(s, body, b, &at_b));
    }
    if (at_a > *best) *best = at_a, *best_q = a;
    if (at_b > *best) *best = at_b, *best_q = b;
  }
  return CDN_OK;
}

/* Moves one joint to the best place within its limits. */
static cdn_status move_joint(const search *s, const cdn_spec_joint *joint, cdn_body body, double *best) {
  const double step = (joint->upper - joint->lower) / PLACES, start = *cdn_body_q(s->state, body);
  double best_q = start, length;
  for (int i = 0; i <= PLACES; i++) {
    const double q = i == PLACES ? joint->upper : joint->lower + i * step;
    CDNI_TRY(length_at(s, body, q, &length));
    if (length > *best) *best = length, best_q = q;
  }
  CDNI_TRY(refine(s, body, fmax(best_q - step, joint->lower), fmin(best_q + step, joint->upper), &best_q, best));
  return cdn_body_set_q(s->state, body, 1, &best_q);
}

static cdn_status no_range(const search *s, const char *why, const char *name) {
  const cdn_spec_actuator *a = s->actuator;
  return io_fail(s->b->log, a->line > 0 ? CDN_ERR_PARSE : CDN_ERR_ARG, a->line,
                 "actuator '%.60s': its length range cannot be found, because %s%.60s; write lengthrange='SHORTEST "
                 "LONGEST'",
                 a->name, why, name);
}

/* One sweep over the joints that move it here. *moved: whether any does. */
static cdn_status sweep(const search *s, double *moments, double *best, bool *moved) {
  const cdn_system *system = s->b->system;
  for (int j = 0; j < cdn_spec_count(s->b->spec, CDN_SPEC_JOINT); j++) {
    const cdn_spec_joint *joint = io_spec_joint(s->b->spec, j);
    const cdn_body body = s->b->joints[j];
    const int n = body.i < 0 ? 0 : cdn_body_nu(system, body);
    CDNI_TRY(n > 0 ? cdn_actuator_moments(s->state, s->force, moments) : CDN_OK);
    bool moves = false;
    for (int k = 0; k < n; k++) moves = moves || fabs(moments[cdn_body_first_u(system, body) + k]) > LEAST_MOMENT;
    if (!moves) continue;
    if (!joint->limited || !io_spec_joint_has_range(joint))
      return no_range(s, "it follows a joint without limits, ", joint->name);
    *moved = true;
    CDNI_TRY(move_joint(s, joint, body, best));
  }
  return CDN_OK;
}

static cdn_status find_extreme(const search *s, double *moments, const double *q0, double *extreme) {
  double best, before;
  bool moved = false;
  CDNI_TRY(cdn_state_set_q(s->state, q0));
  CDNI_TRY(cdn_actuator_length(s->state, s->force, &best));
  best *= s->sign;
  for (int i = 0; i < MOST_SWEEPS; i++) {
    before = best;
    CDNI_TRY(sweep(s, moments, &best, &moved));
    if (!moved) return no_range(s, "no joint moves it", "");
    if (best - before <= GAIN * (1 + fabs(best))) break;
  }
  *extreme = s->sign * best;
  return CDN_OK;
}

cdn_status io_find_length_range(io_builder *b, cdn_state *state, const cdn_spec_actuator *a, cdn_force force,
                                double range[2]) {
  const size_t nu = (size_t)cdn_system_nu(b->system), nq = (size_t)cdn_system_nq(b->system);
  const size_t bytes = (nu + nq) * sizeof(double);
  double *work = cdni_alloc(&b->log->allocator, bytes);
  if (!work) return io_fail(b->log, CDN_ERR_NOMEM, 0, "out of memory");
  memcpy(work + nu, cdn_state_q(state), nq * sizeof *work);
  search s = { .b = b, .state = state, .actuator = a, .force = force, .sign = -1 };
  cdn_status status = find_extreme(&s, work, work + nu, &range[0]);
  s.sign = 1;
  if (status == CDN_OK) status = find_extreme(&s, work, work + nu, &range[1]);
  if (status == CDN_OK) status = cdn_state_set_q(state, work + nu);
  cdni_free(&b->log->allocator, work, bytes);
  if (status != CDN_OK || range[0] < range[1]) return status;
  return no_range(&s, "its length does not change", "");
}
