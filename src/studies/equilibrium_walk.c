/* A step of the search for an equilibrium, and its work.
 *
 * Forces with a potential do the work that their potential loses, whatever lies between the ends of the step: a wall
 * that a quadrature would jump over counts in full. Only forces without a potential are integrated along the way. */
#include <math.h>

#include "constraints/project.h"
#include "contact/contact.h"
#include "dynamics/dynamics.h"
#include "matter/move.h"
#include "matter/operators.h"
#include "studies/equilibrium.h"

static const double DOUBTFUL = 0.25; /* of the work: more than this may not depend on the rule of quadrature */

cdn_status cdni_equilibrium_imbalance(search *x, double *size) {
  const double *udot = cdn_state_udot(x->rest);
  if (!udot) return cdni_state_last_status(x->rest);
  CDNI_TRY(cdn_multiply_by_M(x->rest, udot, x->force));
  *size = 0;
  for (int k = 0; k < x->nu; k++) *size += udot[k] * x->force[k];
  *size = sqrt(fmax(0, *size));
  return CDN_OK;
}

/* ---- places ---- */

/* The memory of friction follows the bodies. */
static cdn_status follow(search *x, double scale) {
  const size_t nz = (size_t)cdn_system_nz(cdn_state_system(x->rest));
  if (x->friction.n == 0) return CDN_OK;
  memcpy(x->z, x->z0, nz * sizeof *x->z);
  cdni_statics_friction_follow(&x->friction, x->nu, scale, x->v, x->z);
  return cdn_state_set_z(x->rest, x->z);
}

cdn_status cdni_equilibrium_place(search *x, const double *q, double scale) {
  CDNI_TRY(cdn_state_set_q(x->rest, q));
  return follow(x, scale);
}

cdn_status cdni_equilibrium_project(search *x) {
  return cdni_project_q_in_model_units(x->rest, false, x->length, &x->report->constraint_error);
}

cdn_status cdni_equilibrium_move(search *x, double scale, double *q) {
  const size_t nq = (size_t)cdn_system_nq(cdn_state_system(x->rest));
  CDNI_TRY(cdn_state_set_q(x->rest, x->q0));
  CDNI_TRY(cdni_move(x->rest, MOVE_TURN, 1, (int)nq, &scale, x->q0, x->v, x->rate, q));
  cdni_state_normalize_q(x->rest, q, NULL);
  CDNI_TRY(cdni_equilibrium_place(x, q, scale));
  CDNI_TRY(cdni_equilibrium_project(x));
  if (nq) memcpy(q, cdn_state_q(x->rest), nq * sizeof *q);
  return CDN_OK;
}

/* M udot from rest: what forces and constraints leave on the mobilities. */
static cdn_status find_pull(search *x, double *pull) {
  const double *udot = cdn_state_udot(x->rest);
  return udot ? cdn_multiply_by_M(x->rest, udot, pull) : cdni_state_last_status(x->rest);
}

/* Whether all forces that act where the State is have a potential. */
static cdn_status is_conservative(search *x, bool *is) {
  *is = true;
  if (x->nu == 0) return CDN_OK;
  CDNI_TRY(cdni_nonpotential_forces(x->rest, x->F, x->force));
  for (int k = 0; k < x->nu; k++) *is = *is && x->force[k] == 0;
  for (int b = 1; *is && b < cdn_system_body_count(cdn_state_system(x->rest)); b++)
    *is = cdn_dot(x->F[b].w, x->F[b].w) == 0 && cdn_dot(x->F[b].v, x->F[b].v) == 0;
  return CDN_OK;
}

cdn_status cdni_equilibrium_begin_step(search *x) {
  const cdn_system *system = cdn_state_system(x->rest);
  CDNI_TRY(find_pull(x, x->pull));
  CDNI_TRY(is_conservative(x, &x->conservative));
  memcpy(x->q0, cdn_state_q(x->rest), (size_t)cdn_system_nq(system) * sizeof *x->q0);
  if (x->friction.n > 0) memcpy(x->z0, cdn_state_z(x->rest), (size_t)cdn_system_nz(system) * sizeof *x->z0);
  return cdn_potential_energy(x->rest, &x->potential);
}

/* ---- work ---- */

/* Power where the State is, for q changing at this rate: of all forces, and of those without a potential. */
static cdn_status powers(search *x, const double *qdot, double *all, double *nonpotential) {
  const int nu = x->nu;
  CDNI_TRY(cdni_state_multiply_by_N_inv(x->rest, qdot, x->along));
  CDNI_TRY(cdn_residual(x->rest, NULL, x->force));
  *all = *nonpotential = 0;
  for (int k = 0; k < nu; k++) *all -= x->along[k] * x->force[k];
  if (nu == 0) return CDN_OK;
  CDNI_TRY(cdni_nonpotential_forces(x->rest, x->F, x->force));
  CDNI_TRY(cdn_multiply_by_J_transpose(x->rest, x->F, x->turned));
  for (int k = 0; k < nu; k++) *nonpotential += x->along[k] * (x->force[k] + x->turned[k]);
  return CDN_OK;
}

/* By way of the middle: Simpson's rule on the parabola through the three places, for the forces without a potential.
 * Where the rule of both ends says something else, the work is not known. */
static cdn_status walk_by_the_middle(search *x, double potential, cdni_walk *w) {
  const int nq = cdn_system_nq(cdn_state_system(x->rest));
  double *rate = x->rate, all[3], own[3];
  CDNI_TRY(cdni_equilibrium_move(x, 0.5, x->middle));
  for (int k = 0; k < nq; k++) rate[k] = x->q[k] - x->q0[k];
  CDNI_TRY(powers(x, rate, &all[1], &own[1]));
  CDNI_TRY(cdni_equilibrium_place(x, x->q0, 0));
  for (int k = 0; k < nq; k++) rate[k] = 4 * x->middle[k] - 3 * x->q0[k] - x->q[k];
  CDNI_TRY(powers(x, rate, &all[0], &own[0]));
  CDNI_TRY(cdni_equilibrium_place(x, x->q, 1));
  for (int k = 0; k < nq; k++) rate[k] = 3 * x->q[k] - 4 * x->middle[k] + x->q0[k];
  CDNI_TRY(powers(x, rate, &all[2], &own[2]));
  w->work = x->potential - potential + (own[0] + 4 * own[1] + own[2]) / 6;
  w->by_slopes = 0.5 * (all[0] + all[2]);
  w->doubtful = !(fabs(own[0] - 2 * own[1] + own[2]) / 6 <= DOUBTFUL * fabs(w->work));
  return cdn_realize(x->rest, CDN_STAGE_ACCELERATION);
}

static double power(const search *x, const double *pull) {
  double sum = 0;
  for (int k = 0; k < x->nu; k++) sum += x->v[k] * pull[k];
  return sum;
}

/* Where all forces have a potential at both ends, the ends tell everything. */
cdn_status cdni_equilibrium_walk(search *x, cdni_walk *w) {
  double potential;
  bool conservative = x->conservative;
  CDNI_TRY(cdni_equilibrium_move(x, 1, x->q));
  CDNI_TRY(cdn_potential_energy(x->rest, &potential));
  if (conservative) CDNI_TRY(is_conservative(x, &conservative));
  if (!conservative) CDNI_TRY(walk_by_the_middle(x, potential, w));
  CDNI_TRY(find_pull(x, x->force));
  w->power = power(x, x->force);
  if (conservative)
    *w = (cdni_walk){ .work = x->potential - potential,
                      .by_slopes = 0.5 * (power(x, x->pull) + w->power),
                      .power = w->power };
  return CDN_OK;
}

size_t cdni_equilibrium_walk_divide(search *x, double *at) {
  const cdn_system *system = cdn_state_system(x->from);
  const size_t nq = (size_t)cdn_system_nq(system), nu = (size_t)cdn_system_nu(system);
  const size_t sides = x->hybrid ? (size_t)cdni_hybrid_side_count(x->hybrid) + 1 : 0;
  const size_t nz = (size_t)cdn_system_nz(system), bodies = 6 * (size_t)cdn_system_body_count(system);
  x->nu = (int)nu;
  double **const coordinates[] = { &x->q, &x->q0, &x->middle, &x->rate, &x->start };
  for (int k = 0; at && k < CDNI_COUNT(coordinates); k++) *coordinates[k] = at, at += nq;
  double **const auxiliary[] = { &x->z, &x->z0 };
  for (int k = 0; at && k < CDNI_COUNT(auxiliary); k++) *auxiliary[k] = at, at += nz;
  double **const mobilities[] = { &x->force, &x->along, &x->turned, &x->pull, &x->v, &x->unit, &x->bound, &x->fall };
  for (int k = 0; at && k < CDNI_COUNT(mobilities); k++) *mobilities[k] = at, at += nu;
  if (at) x->least = at, x->blocks = (bool *)(at + sides), at += 2 * sides;
  if (at) x->F = (cdn_spatial *)at, at += bodies;
  return 2 * sides + bodies + nq * CDNI_COUNT(coordinates) + nz * CDNI_COUNT(auxiliary) + nu * CDNI_COUNT(mobilities);
}
