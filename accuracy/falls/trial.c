/* One run of a scene, and the two judgements on it. */
#include "trial.h"

#include <stdlib.h>
#include <time.h>

const char *const trial_outcome_names[TRIAL_OUTCOMES] = { "well",   "said",   "BELOW", "DENIED",
                                                          "SILENT", "failed", "cut",   "absent" };

static const double most_accuracies = 10;

static double now(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* ---- a run ---- */

static void tell(cdn_stepper *stepper, trial *out) {
  cdn_failure failure;
  cdn_stepper_failure(stepper, &failure);
  snprintf(out->message, sizeof out->message, "%s at %.6g: [%s] %.200s", cdn_status_name(out->status), failure.time,
           failure.error.element, failure.error.text);
}

static bool truth_serves(const scene_truth *t, double accuracy) { return t->known && t->doubt < accuracy; }

static void judge(const scene *s, const scene_truth *truth, trial *out) {
  const bool silent = !out->status && out->verdict != CDN_VERDICT_NOT_DELIVERED && !out->passage;
  const double asked = out->fixed_step > 0 ? fmax(1e-3, 10 * out->estimate) : most_accuracies * out->accuracy;
  const bool beyond = truth_serves(truth, out->accuracy) && out->error > asked;
  out->judged = truth_serves(truth, out->accuracy), out->beyond = beyond;
  if (out->status == CDN_ERR_LIMIT) out->outcome = TRIAL_CUT;
  else if (out->status) out->outcome = TRIAL_FAILED;
  else if (silent && out->behind) out->outcome = out->fixed_step > 0 ? TRIAL_SILENT : TRIAL_BELOW;
  else if (beyond && out->fixed_step > 0) out->outcome = s->chaotic ? TRIAL_WELL : TRIAL_SILENT;
  else if (beyond && out->verdict == CDN_VERDICT_DELIVERED) out->outcome = TRIAL_DENIED;
  else if (out->verdict == CDN_VERDICT_NOT_DELIVERED || out->passage) out->outcome = TRIAL_SAID;
  out->alarm = out->outcome == TRIAL_SAID && truth_serves(truth, 0.3 * out->accuracy) &&
               (out->passage ? s->guard.present && !truth->behind && !out->behind : out->error <= out->accuracy);
}

void trial_run(const scene *s, scene_truth *truth, bool wants_truth, cdn_method method, double accuracy,
               double fixed_step, trial *out) {
  cdn_stepper *stepper = NULL;
  cdn_certificate c = { 0 };
  cdn_stepper_def def = cdn_default_stepper_def();
  const double began = now();
  *out = (trial){ .method = method, .accuracy = accuracy, .fixed_step = fixed_step };
  const int n = scene_value_count(s);
  double *y = malloc((size_t)(s->reports * n) * sizeof *y);
  def.method = method, def.accuracy = accuracy, def.fixed_step = fixed_step;
  def.companion = true, def.final_time = s->end, def.max_steps = s->max_steps ? s->max_steps : s->most_steps;
  int done = 0;
  out->status = y ? cdn_stepper_create(s->start, &def, &stepper) : CDN_ERR_NOMEM;
  if (out->status) {
    cdn_error error;
    cdn_state_last_error(s->start, &error);
    snprintf(out->message, sizeof out->message, "%s at the start: [%s] %.200s", cdn_status_name(out->status),
             error.element, error.text);
    out->outcome = out->status == CDN_ERR_UNSUPPORTED ? TRIAL_ABSENT : TRIAL_FAILED;
    free(y);
    return;
  }
  cdn_state *at = cdn_stepper_state(stepper);
  for (int i = 0; i < s->reports && !out->status; i++) {
    if (s->write) s->write(s, at, i);
    do out->status = cdn_stepper_advance(stepper, scene_time(s, i), NULL);
    while (out->status == CDN_ERR_LIMIT && s->max_steps);
    if (out->status) break;
    out->behind |= scene_is_behind(s, at);
    scene_values(at, y + i * n), done++;
    if (cdn_stepper_certificate(stepper, &c)) break;
    if (c.evaluations > 12 * s->most_steps) out->status = CDN_ERR_LIMIT;
  }
  if (out->status) tell(stepper, out);
  if (!cdn_stepper_certificate(stepper, &c) && !out->status)
    cdn_certificate_verdict(&c, out->message, sizeof out->message);
  out->verdict = c.delivered, out->passage = c.passed[0] != 0, out->estimate = c.error_estimate,
  out->amplification = c.amplification;
  out->steps = c.steps, out->evaluations = c.evaluations, out->companion_evaluations = c.companion_evaluations;
  out->seconds = now() - began;
  if (!truth->tried && (wants_truth || (out->behind && !out->status && !s->deep))) scene_find_truth(s, truth);
  if (truth->known && done) out->error = scene_error(s, y, truth->y, done);
  /* what gets through in truth, too, is too soft: nobody is to blame */
  if (truth->known && truth->behind && !s->deep) out->behind = false;
  out->known = truth->known;
  judge(s, truth, out);
  cdn_stepper_destroy(stepper);
  free(y);
}

void trial_print(FILE *to, const scene *s, const trial *t) {
  char how[64];
  if (t->fixed_step > 0) snprintf(how, sizeof how, "--fixed %.17g", t->fixed_step);
  else snprintf(how, sizeof how, "--accuracy %.17g", t->accuracy);
  fprintf(
      to,
      "%-6s%s falls --seed %llu --only %d --method %s %s | %s: %s | error/asked %.3g estimate/asked %.3g steps %lld "
      "evaluations %lld + %lld, %.2f s | %s\n",
      trial_outcome_names[t->outcome], t->outcome == TRIAL_BELOW && !t->known ? "?" : "", (unsigned long long)s->seed,
      s->index, cdn_method_name(t->method), how, s->family, s->what, t->error / t->accuracy, t->estimate / t->accuracy,
      t->steps, t->evaluations, t->companion_evaluations, t->seconds, t->message);
}
