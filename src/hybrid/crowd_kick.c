/* Captured steps between their impulses: how bodies drift, and what forces do to their speeds. */
#include <math.h>

#include "hybrid/crowd.h"
#include "matter/operators.h"

/* To the time t, c->h later, along the rates in the middle of the way. */
cdn_status cdni_crowd_drift(crowd *c, double t) {
  cdn_state *state = c->m->state;
  crowd_copy(c->q0, cdn_state_q(state), c->nq);
  for (int half = 1; half <= 2; half++) {
    const double *qdot = cdn_state_qdot(state), by = c->h * half / 2;
    if (c->nq > 0 && !qdot) return cdn_realize(state, CDN_STAGE_VELOCITY);
    for (int i = 0; i < c->nq; i++) c->q[i] = c->q0[i] + by * qdot[i];
    CDNI_TRY(cdn_state_set_time(state, half == 1 ? t - c->h / 2 : t));
    CDNI_TRY(cdn_state_set_q(state, c->q));
    CDNI_TRY(cdn_prescribe(state, NULL));
    CDNI_TRY(cdn_realize(state, CDN_STAGE_VELOCITY));
  }
  return CDN_OK;
}

/* What the pushes of the last step do to u: they go on about so. */
static cdn_status hold(crowd *c) {
  moment *m = c->m;
  bool any = false;
  for (int i = 0; i < m->nu; i++) any = any || c->push[i] != 0;
  memset(c->held, 0, (size_t)c->nu * sizeof *c->held);
  if (!any) return CDN_OK;
  memset(m->f, 0, (size_t)m->all_nu * sizeof *m->f);
  memcpy(m->f + m->first_u, c->push, (size_t)m->nu * sizeof *m->f);
  return cdn_solve_constrained(m->state, m->f, NULL, c->held, m->lambda);
}

/* The rates of u without pushes. Soft rows answer to accelerations with them, so that they do not bear what elements
 * carry. */
static cdn_status find_rates(crowd *c) {
  moment *m = c->m;
  bool bends;
  CDNI_TRY(m->room->answer.bends(m->state, &bends));
  if (!bends) {
    CDNI_TRY(cdn_realize(m->state, CDN_STAGE_ACCELERATION));
    crowd_copy(c->rate, cdn_state_udot(m->state), c->nu);
    return CDN_OK;
  }
  crowd_copy(c->applied, cdn_state_applied_mobility_forces(m->state), m->nu);
  for (int i = 0; i < m->nu; i++) m->f[i] = c->applied[i] + c->push[i];
  CDNI_TRY(cdn_state_set_applied_mobility_forces(m->state, m->f));
  const cdn_status status = cdn_realize(m->state, CDN_STAGE_ACCELERATION);
  const double *udot = cdn_state_udot(m->state);
  for (int i = 0; i < c->nu && status == CDN_OK; i++) c->rate[i] = udot[i] - c->held[i];
  const cdn_status back = cdn_state_set_applied_mobility_forces(m->state, c->applied);
  return status != CDN_OK ? status : back;
}

/* Sets u and z to those before a kick, and the time times the present rates; `held`: with pushes. */
static cdn_status speed_up(crowd *c, double time, bool held) {
  cdn_state *state = c->m->state;
  const double *zdot = cdn_state_zdot(state);
  for (int i = 0; i < c->nu; i++) c->u[i] = c->u0[i] + time * (c->rate[i] + (held ? c->held[i] : 0));
  for (int i = 0; i < c->nz; i++) c->z[i] = c->z0[i] + time * zdot[i];
  CDNI_TRY(cdn_state_set_u(state, c->u));
  if (c->nz > 0) CDNI_TRY(cdn_state_set_z(state, c->z));
  return cdn_prescribe(state, NULL);
}

/* A kick of that duration, by the rates in the middle of it. There bodies are as fast as they will be with pushes: what
 * has fallen without them would rub, and be damped. *error: about the next term of its series. Where rates
 * follow speeds as -k u, that is the third: (k time)^2 / 6 of the kick. */
cdn_status cdni_crowd_kick(crowd *c, double time, double *error) {
  cdn_state *state = c->m->state;
  double most = 0, change = 0;
  crowd_copy(c->u0, cdn_state_u(state), c->nu), crowd_copy(c->z0, cdn_state_z(state), c->nz);
  CDNI_TRY(hold(c));
  CDNI_TRY(find_rates(c));
  crowd_copy(c->first, c->rate, c->nu);
  CDNI_TRY(speed_up(c, time / 2, true));
  CDNI_TRY(find_rates(c));
  for (int i = 0; i < c->nu; i++)
    most = fmax(most, fabs(c->rate[i])), change = fmax(change, fabs(c->rate[i] - c->first[i]));
  *error = most > 0 ? 2. / 3 * time * change * fmin(change / most, 1) : 0;
  CDNI_TRY(speed_up(c, time, false));
  return cdn_realize(state, CDN_STAGE_VELOCITY);
}
