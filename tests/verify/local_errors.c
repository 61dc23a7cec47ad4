/* shared by tests in this folder */
#include "local_errors.h"

#include <stdio.h>

#include "integrators/norm.h"
#include "integrators/stepper.h"
#include "system/system.h"

/* The distance of where the last step ended from where it should have, in the norm of its estimate. */
static double distance(cdn_stepper *s, const cdn_state *truth, double *e) {
  const double *y = cdni_state_y(truth);
  double norm;
  for (int i = 0; i < s->ny; i++) e[i] = s->y[s->at][i] - y[i];
  OK_STEP(s, cdni_error_norm(s, e, s->y[!s->at], s->y[s->at], &norm));
  return norm;
}

void measure_local_errors(const local_motion *m, cdn_method method, double accuracy, int most_steps,
                          local_errors *out) {
  cdn_state *start = m->start(m->p), *before = NULL;
  cdn_stepper *s = NULL, *truth = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  double logarithms = 0;
  int counted = 0;
  *out = (local_errors){ .status = CDN_OK };
  OK(cdn_state_create(cdn_state_system(start), &before));
  def.method = CDN_METHOD_DORMAND_PRINCE_8;
  def.accuracy = 1e-13;
  OK_ON(start, cdn_stepper_create(start, &def, &truth));
  def.method = method;
  def.accuracy = accuracy;
  def.max_steps = 100000;
  out->status = cdn_stepper_create(start, &def, &s);
  if (out->status != CDN_OK) {
    cdn_stepper_destroy(truth);
    cdn_state_destroy(before);
    cdn_state_destroy(start);
    return;
  }
  double *e = calloc((size_t)s->ny + 1, sizeof *e);
  while (s->t < m->end && out->steps < most_steps) {
    const int64_t events = s->certificate.events;
    OK(cdn_state_copy(before, cdn_stepper_state(s)));
    out->status = cdn_stepper_step(s, m->end);
    if (out->status != CDN_OK) break;
    if (s->certificate.events != events) continue;
    OK_STEP(truth, cdn_stepper_restart(truth, before));
    OK_STEP(truth, cdn_stepper_advance(truth, s->t, NULL));
    const double allowed = cdni_tolerance(s), error = distance(s, cdn_stepper_state(truth), e) / allowed;
    const int last = (s->last.next + CDN_FAILURE_STEPS - 1) % CDN_FAILURE_STEPS;
    const double estimate = s->last.error[last];
    out->steps++;
    if (error > 1) out->beyond++;
    if (error > 10) out->far_beyond++;
    if (error > 1e-3 && estimate > 1e-3) {
      logarithms += log(error / estimate);
      counted++;
      out->most_low = fmax(out->most_low, error / estimate);
    }
    if (error > out->worst) {
      out->worst = error;
      out->worst_estimate = estimate;
      out->worst_time = cdn_state_time(before);
    }
    if (getenv("CARDAN_TEST_STEPS"))
      printf("%.8g %.3g error %.3g estimate %.3g\n", cdn_state_time(before), s->taken, error, estimate);
  }
  out->estimates = counted ? exp(logarithms / counted) : 0;
  OK_STEP(s, cdn_stepper_certificate(s, &out->c));
  free(e);
  cdn_stepper_destroy(s);
  cdn_stepper_destroy(truth);
  cdn_state_destroy(before);
  cdn_state_destroy(start);
}
