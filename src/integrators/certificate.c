/* The certificate of a run compares the energy of the system with the energy that was put into the system. The
 * certificate's numbers are outside the error norm: the certificate judges the integration and does not influence
 * it. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include <cardan/forces.h>
#include <cardan/matter.h>
#include <cardan/motion.h>
#include <cardan/soft.h>

#include "constraints/project.h"
#include "core/sized.h"
#include "integrators/certificate.h"
#include "integrators/companion.h"
#include "integrators/doubt.h"
#include "integrators/failure.h"
#include "integrators/unresolved.h"
#include "integrators/project.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "soft/soft.h"
#include "system/system.h"

static cdn_status energy_of(cdn_stepper *s, cdn_state *state, double *energy, double *kinetic) {
  double potential;
  *energy = *kinetic = 0;
  if (!s->has_bodies) return CDN_OK;
  CDNI_TRY(cdn_kinetic_energy(state, kinetic));
  CDNI_TRY(cdn_potential_energy(state, &potential));
  *energy = *kinetic + potential;
  return CDN_OK;
}

cdn_status cdni_power(const cdn_stepper *s, cdn_state *state, double *power) {
  double motions = 0, constraints = 0;
  *power = 0;
  if (!s->has_bodies) return CDN_OK;
  CDNI_TRY(cdn_nonpotential_power(state, power));
  CDNI_TRY(cdn_motion_power(state, &motions));
  CDNI_TRY(cdni_constraint_source_power(state, &constraints));
  *power += motions + constraints;
  return CDN_OK;
}

double cdni_quaternion_error(cdn_stepper *s, const double *q) {
  if (s->nq == 0) return 0;
  memcpy(s->scratch, q, sizeof(double) * (size_t)s->nq);
  return cdni_state_normalize_q(s->work, s->scratch, NULL);
}

/* Called at an accepted state, at which the State `work` stands. */
static cdn_status note_constraints(cdn_stepper *s, const double *q) {
  cdn_certificate *c = &s->certificate;
  cdni_constraint_worst now;
  CDNI_TRY(cdni_constraint_errors(s->work, s->def.time_scale, &now));
  c->max_position_error = fmax(c->max_position_error, now.position);
  c->max_velocity_error = fmax(c->max_velocity_error, now.velocity);
  c->max_constraint_error =
      fmax(fmax(c->max_constraint_error, cdni_quaternion_error(s, q)), fmax(now.position, now.velocity));
  return CDN_OK;
}

cdn_status cdni_certificate_energy(cdn_stepper *s, double *energy) {
  double kinetic;
  return energy_of(s, s->work, energy, &kinetic);
}

cdn_status cdni_certificate_evaluation(cdn_stepper *s) {
  cdn_certificate *c = &s->certificate;
  cdn_soft_statistics soft;
  if (!cdni_soft(cdn_state_system(s->work))) return CDN_OK;
  CDNI_TRY(cdn_soft_get_statistics(s->work, &soft));
  c->soft_iterations += soft.most_iterations;
  c->max_soft_residual = fmax(c->max_soft_residual, soft.residual);
  s->unsolved = fmax(s->unsolved, soft.residual);
  return CDN_OK;
}

void cdni_certificate_stage(cdn_stepper *s, const soft_effort *effort) {
  cdn_certificate *c = &s->certificate;
  c->soft_iterations += effort->iterations;
  c->unconverged_stages += effort->unconverged;
  c->max_soft_residual = fmax(c->max_soft_residual, effort->residual);
  s->unsolved = fmax(s->unsolved, effort->residual);
}

cdn_status cdni_certificate_begin(cdn_stepper *s) {
  cdn_certificate *c = &s->certificate;
  c->time_initial = s->t;
  CDNI_TRY(note_constraints(s, s->y[s->at]));
  CDNI_TRY(energy_of(s, s->work, &c->energy_initial, &s->kinetic));
  s->largest_kinetic = s->kinetic;
  return CDN_OK;
}

cdn_status cdni_certificate_accept(cdn_stepper *s) {
  const cdni_step *step = &s->step;
  cdn_certificate *c = &s->certificate;
  double h = step->t1 - step->t0; /* an event may have shortened the step that the method took */
  if (s->has_bodies) {
    s->kinetic_before = s->kinetic;
    CDNI_TRY(cdn_kinetic_energy(s->work, &s->kinetic));
    s->largest_kinetic = fmax(s->largest_kinetic, s->kinetic);
    c->work += step->work;
    /* by the trapezoid rule: a method's weights may be negative, and this is only a scale */
    s->absolute_work += 0.5 * h * (fabs(step->power0) + fabs(step->power1));
    if (cdn_system_motion_count(s->system) > 0)
      s->uncertain_work += fmax(fabs(step->work - h * step->power0), fabs(step->work - h * step->power1));
  }
  c->smallest_step = c->steps ? fmin(c->smallest_step, h) : h;
  c->largest_step = fmax(c->largest_step, h);
  c->steps++;
  s->singular.rounding += s->singular.noise;
  if (s->at_rounding && s->def.fixed_step == 0) c->rounding_steps++, s->floor += s->rounding * s->rounding;
  CDNI_TRY(cdni_doubt_accept(s));
  return note_constraints(s, s->y[!s->at]);
}

cdn_status cdni_certificate_rewind(cdn_stepper *s, double t, double *energy) {
  double kinetic, work, *y = s->scratch + s->stride;
  if (s->dense && t >= s->step.t0 && t < s->step.t1) {
    CDNI_TRY(cdni_look(s, t, y, &work));
    CDNI_TRY(cdni_project(s, s->work, t, y, CDNI_WHERE_OFF));
    s->certificate.work += work - s->step.work;
  }
  return energy_of(s, s->work, energy, &kinetic);
}

cdn_status cdni_certificate_restart(cdn_stepper *s, double energy_before) {
  double energy;
  CDNI_TRY(energy_of(s, s->work, &energy, &s->kinetic));
  s->certificate.energy_jumps += energy - energy_before;
  s->largest_kinetic = fmax(s->largest_kinetic, s->kinetic);
  return CDN_OK;
}

cdn_status cdn_stepper_certificate_sized(cdn_stepper *s, cdn_certificate *out, size_t size) {
  double kinetic;
  if (!s || !out) return cdni_refuse(CDN_ERR_ARG, "cdn_stepper_certificate", "the stepper or the result is NULL");
  cdn_certificate *c = &s->certificate;
  cdn_status status = energy_of(s, s->work, &c->energy_final, &kinetic);
  if (status != CDN_OK) return cdni_fail_evaluation(s, "cdn_stepper_certificate", status);
  c->time_final = s->t;

  /* where nothing moves and nothing does work, the rounding of the energies is the scale */
  double scale = fmax(s->largest_kinetic, s->absolute_work);
  double rounding = 1e6 * DBL_EPSILON * fmax(fabs(c->energy_initial), fabs(c->energy_final));
  scale = fmax(scale, fmax(rounding, DBL_MIN));
  cdni_companion_certify(s, c);
  cdni_unresolved_certify(s, c);
  memset(c->failure_message, 0, sizeof c->failure_message);
  if (s->failed) {
    cdni_print(c->failure_message, sizeof c->failure_message, "the run failed at t = %.9g with %s", s->t,
               cdn_status_name((cdn_status)s->failed));
    if (c->delivered == CDN_VERDICT_DELIVERED) c->delivered = CDN_VERDICT_UNKNOWN;
  }
  c->energy_residual = (c->energy_final - c->energy_initial - c->work - c->energy_jumps) / scale;
  cdni_doubt_certify(s, c, scale);
  cdni_sized_write(out, size, c, sizeof *c);
  return CDN_OK;
}
