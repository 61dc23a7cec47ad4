/* Where moments crowd, so that the times between them are shorter than what the accuracy tells apart, a run captures
 * what happens (Moreau, Jean): steps of equal size, each of them half a drift, two halves of a kick by the
 * accelerations without pushes, and half a drift. All that touches, or would touch within the next half, is struck at
 * once, by the same laws as elsewhere, before each drift. Without contact a step is of second order. What is struck is
 * put on its surface. An impact may be half a step early: the sum of changes of speed, times that, is the estimate of
 * the error. */
#include "hybrid/crowd.h"

#include <math.h>

/* Weight of the last time between moments in its mean. */
static const double WEIGHT = 1. / 16;
/* m or rad: what rests may seem to be beyond its surface by so much. */
static const double ROUNDING = 1e-12;
/* How well what is put on its surface lies there, m or rad. */
static const double EXACT = 1e-13;
/* A run of captured steps ends after so many without an impact, and at the latest after so many. */
enum { CALM = 10, MOST_STEPS = 1000, MOST_IMPACTS = 100 };

bool cdni_crowd_note(const cdn_state *state, double accuracy, cdn_hybrid_totals *totals) {
  const double now = cdn_state_time(state);
  if (totals->moments <= 1) totals->mean_between = 1;
  else totals->mean_between += WEIGHT * (now - totals->last_moment - totals->mean_between);
  totals->last_moment = now;
  return accuracy > 0 && totals->mean_between < accuracy;
}

/* Numbers of a step: q, u at the start, z. */
typedef struct crowd {
  moment *m;
  double h;
  int nq, nu, nz;
  double *q, *u, *z;
  cdn_hybrid_totals *totals;
} crowd;

static cdn_status drift(crowd *c, double t) {
  cdn_state *state = c->m->state;
  const double *qdot = cdn_state_qdot(state);
  if (c->nq > 0 && !qdot) return cdn_realize(state, CDN_STAGE_VELOCITY);
  if (c->nq > 0) memcpy(c->q, cdn_state_q(state), (size_t)c->nq * sizeof *c->q);
  for (int i = 0; i < c->nq; i++) c->q[i] += c->h / 2 * qdot[i];
  CDNI_TRY(cdn_state_set_time(state, t));
  CDNI_TRY(cdn_state_set_q(state, c->q));
  return cdn_prescribe(state, NULL);
}

/* Speeds u + part of the step times the accelerations at the present speeds. */
static cdn_status speed_up(crowd *c, double part, bool last) {
  cdn_state *state = c->m->state;
  CDNI_TRY(cdn_realize(state, CDN_STAGE_ACCELERATION));
  const double *udot = cdn_state_udot(state), *zdot = cdn_state_zdot(state);
  for (int i = 0; i < c->nu; i++) c->m->x[i] = c->u[i] + part * c->h * udot[i];
  for (int i = 0; i < c->nz && last; i++) c->z[i] = cdn_state_z(state)[i] + part * c->h * zdot[i];
  CDNI_TRY(cdn_state_set_u(state, c->m->x));
  if (last && c->nz > 0) CDNI_TRY(cdn_state_set_z(state, c->z));
  return cdn_prescribe(state, NULL);
}

/* Half a kick, by the accelerations in the middle of it. */
static cdn_status kick(crowd *c) {
  memcpy(c->u, cdn_state_u(c->m->state), (size_t)c->nu * sizeof *c->u);
  CDNI_TRY(speed_up(c, 0.25, false));
  CDNI_TRY(speed_up(c, 0.5, true));
  return cdn_realize(c->m->state, CDN_STAGE_VELOCITY);
}

/* Adds what comes nearer than `least` within half a step. *more: something has come to what is there. */
static cdn_status choose(crowd *c, double least, bool *more) {
  moment *m = c->m;
  *more = false;
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    double gap, speed;
    if (m->in[i] || !side_is_there(m->room, m->state, i)) continue;
    CDNI_TRY(cdni_moment_gap(m, i, &gap, &speed));
    m->in[i] = side_at(m->room, i)->speed ? speed <= least : gap + c->h / 2 * fmin(0, speed) <= least;
    *more = *more || m->in[i];
  }
  return CDN_OK;
}

static int row_of(const moment *m, int i) { return m->cones[m->side_cone[i]].normal; }

/* One impact of all that is chosen; *hit: there was more than what carries needs. */
static cdn_status strike(crowd *c, bool *hit) {
  moment *m = c->m;
  CDNI_TRY(cdni_moment_arrange(m));
  if (m->rows == 0) return CDN_OK;
  CDNI_TRY(cdni_moment_respond(m));
  memcpy(m->before, m->v, (size_t)m->rows * sizeof *m->before);
  CDNI_TRY(cdni_moment_collide(m, c->totals));
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    if (!m->in[i] || !(-m->before[row_of(m, i)] > m->least[row_of(m, i)])) continue;
    *hit = true, c->totals->crowded_error += c->h / 2 * (m->v[row_of(m, i)] - m->before[row_of(m, i)]);
  }
  m->span = 0; /* loads have had their impulses */
  return cdn_realize(m->state, CDN_STAGE_VELOCITY);
}

/* Whether what is in the set stays where it was struck. */
static bool rests(const moment *m, int i) {
  return m->in[i] && m->total[row_of(m, i)] > 0 && m->v[row_of(m, i)] <= m->least[row_of(m, i)];
}

/* Puts on its surface what was struck (at once), or what rests there or is beyond it (at the end). Where that cannot
 * be, positions stay. */
static cdn_status put_down(crowd *c, bool at_once) {
  moment *m = c->m;
  cdn_projection_def exactly = cdn_default_projection_def();
  bool any = false;
  exactly.always = true, exactly.tolerance = EXACT;
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    double gap, speed;
    if (side_at(m->room, i)->speed || !side_is_there(m->room, m->state, i)) continue;
    CDNI_TRY(cdni_moment_gap(m, i, &gap, &speed));
    if (at_once ? !m->in[i] : !rests(m, i) && gap >= 0) continue;
    any = true;
    CDNI_TRY(cdn_constraint_set_enabled(m->state, (cdn_constraint){ side_at(m->room, i)->constraint }, true));
  }
  if (!any) return CDN_OK;
  memcpy(c->q, cdn_state_q(m->state), (size_t)c->nq * sizeof *c->q);
  if (cdn_project_q(m->state, &exactly, NULL) != CDN_OK) {
    cdni_state_clear_error(m->state);
    CDNI_TRY(cdn_state_set_q(m->state, c->q));
  }
  CDNI_TRY(cdni_moment_release(m));
  return cdn_realize(m->state, CDN_STAGE_VELOCITY);
}

/* All impacts before half a drift; span: the time in which loads have impulses. Impacts bring on others. */
static cdn_status strike_all(crowd *c, double span, double least, bool *hit) {
  moment *m = c->m;
  bool more = true;
  memset(m->in, 0, (size_t)hybrid_sides(m->room) * sizeof *m->in);
  CDNI_TRY(choose(c, least, &more));
  m->span = span, m->rows = 0;
  for (int k = 0; (k == 0 && span > 0) || (more && k < 2 * MOST_IMPACTS); k++) {
    m->dull = k >= MOST_IMPACTS;
    CDNI_TRY(strike(c, hit));
    CDNI_TRY(put_down(c, true));
    CDNI_TRY(choose(c, least, &more));
  }
  m->dull = false;
  return CDN_OK;
}

static cdn_status step(crowd *c, double end, bool *hit) {
  moment *m = c->m;
  cdn_projection_def def = cdn_default_projection_def();
  const double t = cdn_state_time(m->state);
  CDNI_TRY(cdn_realize(m->state, CDN_STAGE_VELOCITY));
  CDNI_TRY(strike_all(c, 0, -ROUNDING, hit));
  CDNI_TRY(drift(c, t + c->h / 2));
  for (int half = 0; half < 2; half++) {
    CDNI_TRY(kick(c));
    CDNI_TRY(strike_all(c, c->h / 2, 0, hit));
  }
  CDNI_TRY(drift(c, end));
  CDNI_TRY(put_down(c, false));
  CDNI_TRY(cdn_project_q(m->state, &def, NULL));
  CDNI_TRY(cdn_project_u(m->state, &def, NULL));
  CDNI_TRY(cdni_state_finish_step(m->state));
  cdni_state_accept_step(m->state);
  c->totals->crowded_steps++, c->totals->crowded_time += c->h;
  return CDN_OK;
}

cdn_status cdni_crowd_run(moment *m, double latest, cdn_hybrid_totals *totals) {
  const cdn_system *system = cdn_state_system(m->state);
  const cdn_allocator *a = cdni_system_allocator(system);
  crowd c = { .m = m, .totals = totals, .nq = cdn_system_nq(system), .nu = m->all_nu, .nz = cdn_system_nz(system) };
  const size_t size = (size_t)(c.nq + c.nu + c.nz + 1) * sizeof(double);
  double *memory = cdni_calloc(a, size);
  if (!memory) return cdni_state_fail(m->state, CDN_ERR_NOMEM, false, "cdn_stepper_advance", NULL, "out of memory");
  c.q = memory, c.u = c.q + c.nq, c.z = c.u + c.nu;
  const double start = cdn_state_time(m->state), left = latest - start;
  const double steps = fmax(1, ceil(left / m->accuracy * (1 - 1e-9)));
  int calm = 0;
  c.h = left / steps;
  m->hit = true; /* these impacts are no sequences of bounces */
  cdn_status status = cdni_moment_release(m);
  for (int k = 1; k <= steps && k <= MOST_STEPS && calm < CALM && status == CDN_OK; k++) {
    bool hit = false;
    status = step(&c, k == steps ? latest : start + k * c.h, &hit);
    calm = hit ? 0 : calm + 1;
  }
  if (calm == CALM) totals->mean_between = 1;
  totals->last_moment = cdn_state_time(m->state);
  memset(cdni_state_update_discrete(m->state, m->room->status), 0, (size_t)hybrid_sides(m->room) * sizeof(double));
  m->span = 0, m->hit = m->jammed = false;
  cdni_free(a, memory, size);
  return status;
}
