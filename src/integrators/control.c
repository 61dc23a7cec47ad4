/* Step size control. The error of each step is bounded by a part of the accuracy (error per step), and the solution
 * of higher order is continued, so that the delivered error goes with the requested accuracy. */
#include <float.h>
#include <math.h>

#include "contact/contact.h"
#include "integrators/control.h"
#include "integrators/norm.h"
#include "integrators/singular.h"
#include "integrators/step.h"
#include "integrators/stepper.h"

/* Steps aim at this error, over the tolerance, which is a tenth of the accuracy: errors of a hundred steps then add up
 * to the requested accuracy on motions that neither damp nor amplify them much (docs/evidence/methods.md). It costs
 * little, because hardly any step is rejected. */
static const double TARGET = 0.1;
/* Largest decrease and increase of a step at once: DOPRI5's, and the most that Hairer, Norsett and Wanner advise
 * (section II.4), with no increase right after a rejected step. */
static const double LEAST = 0.2, MOST = 5.0;
/* Weight of the previous error in the PI rule, over the order; that of the present error is 0.7 (Gustafsson 1991;
 * Hairer and Wanner, section IV.2). */
static const double BETA = 0.4;
/* An error below this part of the tolerance gives no trend, and shows no limit of a step that was cut short.
 * Measured: docs/constants.md. */
static const double NO_TREND = 1e-4, NO_LIMIT = 1e-2;
/* A size after a rejected step, at most; after one that failed to evaluate; after one that was cut short and showed no
 * limit, at most. */
static const double AFTER_REJECTION = 0.9, AFTER_FAILURE = 0.25, AFTER_CUT = 8;
/* A step below this part of its planned size was cut short. */
static const double AS_PLANNED = 0.99;

/* The steps of a run share this many tenths of the accuracy; each of fewer steps gets one tenth. */
static const double SHARES = 100, TENTH = 0.1;
/* Before it has taken steps, a run is expected to take this many equal ones. Measured: docs/constants.md. */
static const double FORETOLD = 4;

/* If steps share the accuracy: the target of a pair's error, over the accuracy and over the gain of pairs. The error
 * of a pair is about the estimate times h over the time scale of the motion. Measured: docs/constants.md. */
static const double GAIN = 0.1;

/* Pairs continue with the solution of higher order, whose error is below the estimate, the more so the shorter the
 * steps are. For estimates of size h^p the shares may be larger by this factor; the sum of the errors then goes with
 * the accuracy, for any number of steps. */
static double ease(const cdni_method *method, double accuracy, double crowd) {
  if (method->resize || method->continues_estimated) return 1;
  double p = method->error_order;
  return fmax(1, pow(pow(GAIN, p) * 100 * crowd / accuracy, 1 / (p + 1)));
}

double cdni_share_of(const cdni_method *method, double accuracy, double length, double covered, double steps) {
  if (!(length < INFINITY) || !(length > 0) || method->bare) return 1;
  double mean = (covered + length * FORETOLD / SHARES) / (steps + FORETOLD);
  double crowd = length / (SHARES * mean);
  return crowd > 1 ? fmin(1, ease(method, accuracy, crowd) / crowd) : 1;
}

/* An error shifts the rest of the motion in time. Where rates are far above their mean, as in an impact, the shift
 * makes an error that is as many times larger than elsewhere; so the error allowed is as many times smaller. Rates that
 * swing as a sine does are at most 1.6 times their mean. A burst fades over this part of the run, for what has come to
 * rest has no impacts before it. Measured: docs/constants.md. */
static const double EVEN = 1.6, FORGOTTEN = 0.5;
/* A whip, or a fast decay at the start, is no impact: what it makes of errors is over soon. */
static const double MOST_BURST = 1e3;
/* Where shapes may touch, the first impact comes without warning, and the steps before it make the error that it
 * shows. So a burst of this size is expected from the start. It fades as bursts do, and as speeds are lost: what has
 * lost its energy meets nothing as hard as at first. Measured: docs/constants.md. */
static const double FORESEEN = 30;

static double burst(const cdn_stepper *s) {
  double most = s->bursts.foreseen;
  if (!(s->def.final_time < INFINITY) || (s->method->error_order < 4 && !s->method->resize) || s->method->own_steps ||
      s->method->over_kinks)
    return 1;
  for (int k = 0; k < 2; k++) {
    const double *sum = &s->bursts.sum[k];
    if (*sum > 0) most = fmax(most, s->bursts.largest[k] * s->covered / *sum / EVEN);
  }
  const double p = s->method->error_order;
  most = fmin(most, MOST_BURST);
  return s->method->resize ? most : pow(most, p / (p + 1));
}

double cdni_share(const cdn_stepper *s) {
  const double length = s->def.final_time - s->certificate.time_initial;
  return cdni_share_of(s->method, s->def.accuracy, length, s->covered, s->spent / TARGET);
}

void cdni_bursts_begin(cdn_stepper *s) {
  s->bursts.foreseen = cdni_contact_any_compliant(cdni_contact(s->system)) ? FORESEEN : 1;
}

/* Root mean square of n weighted variables and their changes over a step; each at most 1 if its errors are relative. */
static double size_of(int n, const double *y, const double *f, double h, const double *w, const bool *absolute) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    double size = (fabs(y[i]) + fabs(h * f[i])) * (w ? w[i] : 1);
    if (absolute && !absolute[i]) size = fmin(size, 1);
    sum += size * size;
  }
  return n ? sqrt(sum / n) : 0;
}

void cdni_note_bursts(cdn_stepper *s) {
  if (s->def.fixed_step > 0) return;
  const double length = s->def.final_time - s->certificate.time_initial, *f[2] = { s->step.f0, s->f[s->at] };
  const double kept = length > 0 ? exp(-s->taken / (FORGOTTEN * length)) : 1;
  /* speeds after what forces took in the step, over those before */
  const double motion = s->kinetic + s->kinetic_before, slowed = motion > 0 ? exp(fmin(0, s->step.work) / motion) : 1;
  s->bursts.foreseen = fmax(1, kept * slowed * s->bursts.foreseen);
  double rate[2][2];
  for (int i = 0; i < 2; i++) {
    const double *u = f[i] + s->nq, *z = u + s->nu;
    rate[0][i] = size_of(s->nu, u, u, 0, s->def.u_weights, NULL);
    rate[1][i] = size_of(s->nz, z, z, 0, s->def.z_weights, NULL);
  }
  for (int k = 0; k < 2; k++) {
    s->bursts.largest[k] = fmax(kept * s->bursts.largest[k], rate[k][1]);
    s->bursts.sum[k] += 0.5 * s->taken * (rate[k][0] + rate[k][1]);
  }
}

/* Roundings in the sum of y and its change over a step; no error estimate is smaller. */
static const double ROUNDINGS = 4;
/* A companion can show the error of steps at this floor only if its own floor is lower, and the error of the first
 * steps only if its own first steps differ. Measured: docs/constants.md. */
static const double COMPANION_ROUNDINGS = 1, COMPANION_START = 0.6;
/* The methods of SUNDIALS refuse smaller tolerances. */
static const double SUNDIALS_ROUNDINGS = 2;

static double rounding_of(const cdn_stepper *s, double h) {
  const double *y = s->y[s->at], *f = s->f[s->at];
  const int u = s->nq, z = s->nq + s->nu;
  /* implicit methods step over fast modes, whose rates say nothing about the end of the step */
  const double change = s->method->own_steps ? 0 : h;
  double of_q = size_of(s->nq, y, f, h, s->q_weight, NULL);
  double of_u = size_of(s->nu, y + u, f + u, change, s->def.u_weights, NULL);
  double of_z = size_of(s->nz, y + z, f + z, change, s->def.z_weights, s->def.z_absolute_each);
  double least = s->method->own_steps ? SUNDIALS_ROUNDINGS : COMPANION_ROUNDINGS;
  return (s->muted ? least : ROUNDINGS) * DBL_EPSILON * fmax(of_q, fmax(of_u, of_z));
}

/* Bursts make the allowed error smaller down to this many roundings, not to where steps collapse. */
static const double ABOVE_ROUNDING = 8;

void cdni_allow(cdn_stepper *s, double h) {
  const double share = TENTH * s->def.accuracy * cdni_share(s);
  s->rounding = rounding_of(s, h);
  const double asked = fmax(share / burst(s), fmin(share, ABOVE_ROUNDING * s->rounding));
  s->at_rounding = s->rounding > asked;
  s->allowed = fmax(asked, s->rounding);
}

double cdni_min_step(const cdn_stepper *s) {
  /* with a shorter step t + c h is not resolved at the stages; near t = 0 the first step gives the time scale */
  double first = s->certificate.steps ? s->certificate.largest_step : s->control.next;
  double resolved = 16 * DBL_EPSILON * fmax(fabs(s->t), first);
  return fmax(s->def.min_step, resolved);
}

/* Step size for which the expected error is the target. */
static double sized(double h, double error, double exponent, double factor, double most) {
  double ratio = error > 0 ? factor * pow(error, -exponent) : most;
  return h * fmin(most, fmax(LEAST, ratio));
}

double cdni_size_accepted(int order, double h, double error, double *last_error, bool rejected) {
  double beta = BETA / order;
  error = fmax(error, NO_TREND);
  /* powers of errors over the target, so that the rule is at rest there */
  double factor = pow(*last_error, beta) * pow(TARGET, 1.0 / order - 1.75 * beta);
  *last_error = error;
  return sized(h, error, 1.0 / order - 0.75 * beta, factor, rejected ? 1 : MOST);
}

double cdni_size_rejected(int order, double h, double error) {
  return sized(h, error, 1.0 / order, pow(TARGET, 1.0 / order), AFTER_REJECTION);
}

/* A size within the limits. */
static double limited(const cdn_stepper *s, double size) {
  return s->def.max_step > 0 ? fmin(size, s->def.max_step) : size;
}

void cdni_control_accepted(cdn_stepper *s, double h, double error) {
  cdni_control *c = &s->control;
  if (s->method->resize) {
    c->next = limited(s, s->method->resize(s, h, error, true));
    return;
  }
  double last = c->last_error;
  double next = limited(s, cdni_size_accepted(s->method->error_order, h, error, &last, c->rejected));
  /* where events cut steps short, sizes have to come back from far below what errors ask for */
  if (c->cut && !c->rejected && fmax(error, c->last_error) <= NO_TREND) next = limited(s, MOST * h);
  if (h < AS_PLANNED * c->next) {
    /* this step was cut short to end at a given time: the next steps need not be shorter */
    c->next = fmax(next, c->next);
  } else {
    c->next = next;
    c->last_error = last;
    if (error >= NO_LIMIT) c->shown = h;
  }
  c->rejected = false;
}

/* The size that was planned stays the measure of the motion, unless its error says nothing: free flight between
 * impacts has no error, so steps would grow without bound, and impacts would be located on them in ever coarser
 * numbers. Then it is at most the last one that has shown an error. */
void cdni_control_cut(cdn_stepper *s, double h, double planned, double error) {
  if (s->def.fixed_step > 0) return;
  cdni_control *c = &s->control;
  c->cut = true;
  c->next = fmax(c->next, planned);
  if (error < NO_LIMIT) c->next = fmin(c->next, fmax(AFTER_CUT * h, c->shown));
}

void cdni_control_rejected(cdn_stepper *s, double h, double error) {
  if (s->method->resize) {
    s->control.next = limited(s, s->method->resize(s, h, error, false));
    return;
  }
  s->control.next = limited(s, cdni_size_rejected(s->method->error_order, h, error));
  s->control.rejected = true;
}

void cdni_control_failed(cdn_stepper *s, double h) {
  if (s->method->begin) s->method->begin(s);
  s->control.next = AFTER_FAILURE * h;
  s->control.rejected = true;
}

/* A few steps may look stiff by chance: counting begins when so many in a row do, with few others between them, and
 * ends after so many in a row that do not (as DOPRI5 does: Hairer and Wanner, section IV.2). */
enum { STIFF_IN_A_ROW = 15, NOT_STIFF_IN_A_ROW = 6 };

void cdni_note_stiffness(cdn_stepper *s) {
  if (s->step.stiffness > 1) {
    s->not_stiff = 0;
    s->stiff++;
  } else if (++s->not_stiff >= NOT_STIFF_IN_A_ROW) {
    s->stiff = 0;
  }
  if (s->stiff >= STIFF_IN_A_ROW) s->certificate.stiff_steps++;
}

/* Starting step size of Hairer, Norsett and Wanner, section II.4, with the unit change in place of the size of y. So
 * it does not depend on the place of a body or on the number of its turns. */
cdn_status cdni_first_step(cdn_stepper *s) {
  const double *y = s->y[s->at], *f = s->f[s->at];
  double *y1 = s->step.error, *f1 = s->f[!s->at], d1, d2, power;
  double alpha = s->def.accuracy;
  cdni_singular_start(s);
  int order = s->method->error_order;

  s->control = (cdni_control){ .last_error = NO_TREND };
  cdni_allow(s, 0);
  s->weighted_valid = false;
  if (s->def.fixed_step > 0 || s->def.initial_step > 0) {
    s->control.next = s->def.fixed_step > 0 ? s->def.fixed_step : s->def.initial_step;
  } else {
    /* a step that changes y by a hundredth of its unit, or that is short compared with the time scale of 9.3 */
    CDNI_TRY(cdni_error_norm(s, f, y, y, &d1));
    double h = fmin(0.01 / fmax(d1, DBL_MIN), 0.1 * s->def.time_scale);
    if (s->def.max_step > 0) h = fmin(h, s->def.max_step);
    if (s->t + h > s->def.final_time) h = s->def.final_time - s->t;

    /* the change of the rates over it; if it leaves the model's domain, a shorter one is tried */
    cdn_status status = CDN_OK;
    for (int tries = 0; tries < 8; tries++, h *= 0.1) {
      for (int i = 0; i < s->ny; i++) y1[i] = y[i] + h * f[i];
      status = cdni_evaluate(s, s->t + h, y1, f1, &power);
      if (status == CDN_OK) break;
      if (status == CDN_ERR_NOMEM) return status;
    }
    if (status != CDN_OK) {
      s->control.next = h;
    } else {
      for (int i = 0; i < s->ny; i++) f1[i] -= f[i];
      CDNI_TRY(cdni_error_norm(s, f1, y, y1, &d2));
      d2 = h > 0 ? d2 / h : 0;
      double largest = fmax(d1, d2);
      double h1 = largest > 1e-15 ? pow(0.01 * alpha / largest, 1.0 / order) : 1e-3 * h;
      s->control.next = fmin(100 * h, h1);
    }
    cdni_restore(s);
  }
  if (s->muted && s->def.fixed_step == 0) s->control.next *= COMPANION_START;
  if (s->def.max_step > 0) s->control.next = fmin(s->control.next, s->def.max_step);
  return CDN_OK;
}
