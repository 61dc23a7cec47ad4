/* The classical Runge-Kutta method of order 4 with equal steps. Balls and free joints are stepped as in MuJoCo: their
 * angular velocities are combined in the axes that turn, and the quaternion turns from the start of the step by the
 * sum. That the axes turn between the stages is not counted, which makes the order 2 where the axis of a turn moves. */
#include "integrators/fixed.h"
#include "integrators/stepper.h"
#include "matter/matter.h"
#include "system/system.h"

/* Of the stages: rates, speeds in turning axes, the sums of both, and a trial y. */
typedef struct parts {
  double *rates, *speeds, *rate_sum, *speed_sum, *y, *u;
} parts;

static size_t memory(const cdni_method *method, int ny) {
  (void)method;
  return 6 * cdni_stride(ny);
}

static parts parts_of(const cdn_stepper *s) {
  const size_t v = s->stride;
  return (
      parts){ s->memory, s->memory + v, s->memory + 2 * v, s->memory + 3 * v, s->memory + 4 * v, s->memory + 5 * v };
}

/* y at h of the start by given rates; speeds of balls and free joints are in turning axes there, too. */
static cdn_status reach(cdn_stepper *s, const parts *p, double h, const double *rates, const double *speeds,
                        double *y) {
  const double *y0 = s->step.y0;
  const int nq = s->nq, nu = s->nu;
  const matter *m = cdni_matter(s->system);
  for (int i = 0; i < s->ny; i++) y[i] = y0[i] + h * rates[i];
  if (!m || m->tree.n_quaternions == 0) return CDN_OK;
  const cdni_runs runs = cdni_subsystem_runs(s->system, m->subsystem);
  /* quaternions */
  CDNI_TRY(cdn_state_set_q(s->work, y0));
  memcpy(p->u, speeds, (size_t)nu * sizeof *p->u);
  cdni_fixed_turn(s, y0, true, p->u);
  double *moved = s->step.error;
  CDNI_TRY(cdni_fixed_move(s, h, y0, p->u, moved));
  for (int b = 1; b < m->tree.n; b++)
    if (cdni_fixed_turns(&m->tree.node[b]))
      memcpy(y + runs.q + m->tree.node[b].q, moved + runs.q + m->tree.node[b].q, 4 * sizeof *y);
  /* speeds */
  memcpy(p->u, y0 + nq, (size_t)nu * sizeof *p->u);
  cdni_fixed_turn(s, y0, false, p->u);
  for (int i = 0; i < nu; i++) p->u[i] += h * rates[nq + i];
  cdni_fixed_turn(s, y, true, p->u);
  memcpy(y + nq, p->u, (size_t)nu * sizeof *p->u);
  return CDN_OK;
}

/* Adds a stage at y, whose rates are in p->rates. */
static void add_stage(cdn_stepper *s, const parts *p, double weight, const double *y) {
  memcpy(p->speeds, y + s->nq, (size_t)s->nu * sizeof *p->speeds);
  cdni_fixed_turn(s, y, false, p->speeds);
  cdni_fixed_turn(s, y, false, p->rates + s->nq);
  for (int i = 0; i < s->ny; i++) p->rate_sum[i] += weight * p->rates[i];
  for (int i = 0; i < s->nu; i++) p->speed_sum[i] += weight * p->speeds[i];
}

static cdn_status attempt(cdn_stepper *s) {
  static const double part[3] = { 0.5, 0.5, 1 }, weight[4] = { 1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6 };
  cdni_step *step = &s->step;
  const parts p = parts_of(s);
  const size_t size = (size_t)s->ny * sizeof *p.y;
  double power, work = weight[0] * step->power0;
  memset(p.rate_sum, 0, size), memset(p.speed_sum, 0, size);
  memcpy(p.rates, step->f0, size);
  add_stage(s, &p, weight[0], step->y0);
  for (int i = 0; i < 3; i++) {
    CDNI_TRY(reach(s, &p, part[i] * step->h, p.rates, p.speeds, p.y));
    CDNI_TRY(cdni_evaluate(s, i < 2 ? step->t0 + 0.5 * step->h : step->t1, p.y, p.rates, &power));
    work += weight[i + 1] * power;
    add_stage(s, &p, weight[i + 1], p.y);
  }
  CDNI_TRY(reach(s, &p, step->h, p.rate_sum, p.speed_sum, step->y1));
  for (int i = 0, z = s->nq + s->nu; i < s->nz; i++) /* MuJoCo follows filters in the end alone */
    step->y1[z + i] = step->y0[z + i] + cdni_fixed_z_step(s->system, i, step->h) * p.rate_sum[z + i];
  CDNI_TRY(cdni_fixed_arrive(s));
  step->work = step->h * work;
  return CDN_OK;
}

const cdni_method cdni_mujoco_rk4 = { .name = "classical Runge-Kutta",
                                      .order = 4,
                                      .equal_steps = true,
                                      .memory = memory,
                                      .attempt = attempt,
                                      .interpolate = cdni_hermite,
                                      .slope = cdni_hermite_slope };
