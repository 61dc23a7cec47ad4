/* Studies that deliver, and a table of what they were worth. */
#include "delivery.h"

#include <math.h>
#include <stdlib.h>

#include "parts.h"

static const double most_accuracies = 10; /* what a run may deliver and say that it has delivered */

/* ---- one study ---- */

typedef struct watcher {
  const true_motion *truth;
  cdn_state *scratch;
  double most;  /* evaluations of the plain run */
  double worst; /* of the present attempt */
  study *out;
} watcher;

static cdn_status watch(void *context, cdn_stepper *stepper, int attempt, int64_t row) {
  watcher *w = context;
  if (row == 0) w->worst = 0;
  if (row == 0 || row > w->truth->n) return CDN_OK;
  const distance d = distance_of(cdn_stepper_state(stepper), w->truth->y[row - 1], w->scratch);
  cdn_certificate c;
  w->worst = fmax(w->worst, distance_norm(&d));
  if (attempt > 0) return CDN_OK;
  CDN_TRY(cdn_stepper_certificate(stepper, &c));
  w->out->plain_error = w->worst, w->out->plain = c.delivered, w->out->plain_estimate = c.error_estimate;
  w->out->plain_evaluations = c.evaluations;
  return (double)c.evaluations > w->most ? CDN_ERR_LIMIT : CDN_OK;
}

static cdn_status keep(void *context, int attempt) {
  watcher *w = context;
  (void)attempt;
  w->out->error = w->worst;
  return CDN_OK;
}

static void run_study(const problem *p, cdn_state *start, const true_motion *truth, cdn_method method, double most,
                      double accuracy, study *out) {
  cdn_certificate c;
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_deliver_def how = cdn_default_deliver_def();
  watcher w = { truth, NULL, most, 0, out };
  *out = (study){ .accuracy = accuracy, .error = NAN };
  MUST(NULL, cdn_state_create(cdn_state_system(start), &w.scratch));
  def.method = method, def.accuracy = accuracy, def.final_time = p->end;
  how.times = truth->t, how.n_times = truth->n;
  how.report = watch, how.keep = keep, how.context = &w;
  out->status = cdn_deliver(start, &def, &how, NULL, &c, &out->delivery);
  out->verdict = c.delivered, out->estimate = c.error_estimate;
  out->ran = out->status != CDN_ERR_LIMIT && out->status != CDN_ERR_UNSUPPORTED;
  cdn_state_destroy(w.scratch);
}

void run_studies(const problem *p, const true_motion *truth, cdn_method method, int each, double only, double seconds,
                 studies *out) {
  static const double evaluation =
      1e-5; /* s: a rough measure, of all attempts and their companions for one of the plain run */
  cdn_state *start = p->start(p);
  memset(out, 0, sizeof *out);
  for (int i = 0; i < (only > 0 ? 1 : DELIVERIES) && !truth->failed; i++) {
    const double accuracy = only > 0 ? only : pow(10, -1 - 0.2 * i);
    if (!(only > 0) && (i % each != each / 2 || accuracy < 100 * truth->doubt)) continue;
    run_study(p, start, truth, method, seconds / evaluation, accuracy, &out->all[i]);
    if (out->all[i].status == CDN_ERR_LIMIT || out->all[i].status == CDN_ERR_UNSUPPORTED) break;
  }
  out->done = true;
  cdn_state_destroy(start);
}

/* ---- tables ---- */

typedef struct tally {
  int n, at_once, later, said, not_known, false_claims, worse, failed, crashed;
  int n_costs;
  double *cost; /* of those that deliver later */
} tally;

/* The verdict is worse than that of the plain run, or the error is although both deliver. */
static bool is_worse(const study *s) {
  if (s->status || s->plain != CDN_VERDICT_DELIVERED) return false;
  return s->verdict != CDN_VERDICT_DELIVERED || s->error > fmax(s->plain_error, s->accuracy);
}

static void take(tally *t, const study *s) {
  t->n++;
  if (s->status) {
    t->failed++;
    return;
  }
  const bool claims = s->verdict == CDN_VERDICT_DELIVERED;
  if (claims && !(s->error <= most_accuracies * s->accuracy)) t->false_claims++;
  else if (claims && s->delivery.attempts == 1) t->at_once++;
  else if (claims) t->later++;
  else if (s->verdict == CDN_VERDICT_NOT_DELIVERED) t->said++;
  else t->not_known++;
  if (is_worse(s)) t->worse++;
  if (claims && s->delivery.attempts > 1)
    t->cost[t->n_costs++] = (double)s->delivery.evaluations / (double)s->plain_evaluations;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void print_delivery_heading(FILE *to) {
  fprintf(
      to,
      "| problem | studies | at once | later | not delivered | not known | **denied** | worse | failed | cost later: "
      "median, most |\n|---|---|---|---|---|---|---|---|---|---|\n");
}

void print_delivery_row(FILE *to, const char *first, const studies *const *some, int n) {
  tally t = { .cost = malloc((size_t)n * DELIVERIES * sizeof *t.cost) };
  if (!t.cost) return;
  for (int i = 0; i < n; i++) {
    if (!some[i]->done) t.crashed++;
    for (int k = 0; k < DELIVERIES; k++)
      if (some[i]->all[k].ran) take(&t, &some[i]->all[k]);
  }
  qsort(t.cost, (size_t)t.n_costs, sizeof *t.cost, ascending);
  fprintf(to, "| %s | %d | %d | %d | %d | %d | %d | %d | %d%s |", first, t.n, t.at_once, t.later, t.said, t.not_known,
          t.false_claims, t.worse, t.failed, t.crashed ? ", did not end" : "");
  if (t.n_costs) fprintf(to, " %.2g, %.2g |\n", t.cost[t.n_costs / 2], t.cost[t.n_costs - 1]);
  else fprintf(to, " - |\n");
  free(t.cost);
}

void print_studies(FILE *to, const problem *p, const studies *s) {
  static const char *const verdicts[] = { "unknown", "delivered", "not delivered" };
  for (int i = 0; i < DELIVERIES; i++) {
    const study *one = &s->all[i];
    if (!one->ran) continue;
    fprintf(to, "%s at %.3e: %s, error %.3g of it, estimate %.3g; plain: %s, error %.3g, estimate %.3g%s\n", p->name,
            one->accuracy, verdicts[one->verdict], one->error / one->accuracy, one->estimate / one->accuracy,
            verdicts[one->plain], one->plain_error / one->accuracy, one->plain_estimate / one->accuracy,
            is_worse(one) ? " WORSE" : "");
    fprintf(to, "  %s, %d attempts, %.2f times the evaluations, steps at %.1e; %s\n", cdn_status_name(one->status),
            one->delivery.attempts, (double)one->delivery.evaluations / (double)one->plain_evaluations,
            one->delivery.accuracy, one->delivery.message);
  }
}
