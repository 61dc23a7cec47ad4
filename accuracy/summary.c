/* What many runs were worth, and tables of it in Markdown. */
#include "summary.h"

#include <math.h>
#include <stdlib.h>

static const double most_accuracies = 10; /* what a run may deliver and say that it has delivered */

static const double tight = 1e-9; /* accuracies at which the smallest error may be one of rounding */

double smallest_tight_error(const sweep *runs) {
  double least = INFINITY;
  for (int i = 0; i < ACCURACIES; i++) {
    if (runs->ran[i] && !runs->runs[i].status && runs->runs[i].accuracy < tight)
      least = fmin(least, runs->runs[i].error);
  }
  return least;
}

static bool is_rounding(const run *r, double floor) { return isfinite(floor) && r->error <= 10 * floor; }

static bool is_good_estimate(const run *r) { return r->estimate <= 3 * r->error && r->error <= 3 * r->estimate; }

static void take(summary *s, const run *r, double floor) {
  const double ratio = r->error / r->accuracy;
  s->evaluations += r->evaluations, s->companion_evaluations += r->companion_evaluations;
  if (s->n_ratios < SUMMARY_MOST) s->ratio[s->n_ratios++] = ratio;
  if (ratio <= most_accuracies) s->within++;
  else if (r->verdict == CDN_VERDICT_NOT_DELIVERED) s->said++;
  else if (r->verdict == CDN_VERDICT_DELIVERED) s->false_claims++;
  else s->not_known++;
  if (ratio <= 1 && r->verdict == CDN_VERDICT_NOT_DELIVERED) s->false_alarms++;
  if (is_rounding(r, floor)) {
    s->rounding++;
  } else if (r->error > 0.3) {
    s->lost++;
  } else if (!isnan(r->estimate) && !r->status) {
    s->estimates++;
    s->good_estimates += is_good_estimate(r);
  }
}

void summarize(summary *s, const problem *p, const sweep *runs, double floor) {
  s->longer += runs->longer, s->doubtful += runs->doubtful;
  if (!runs->done) s->crashed++;
  for (int i = 0; i < ACCURACIES; i++) {
    if (!runs->ran[i]) continue;
    s->n++;
    if (run_has_failed(p, &runs->runs[i])) s->failed++;
    else take(s, &runs->runs[i], floor);
  }
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void print_heading(FILE *to, const char *first) {
  fprintf(
      to,
      "| %s | runs | least | median | most | within 10 | beyond: said | not known | **denied** | alarms | estimates | "
      "rounding, lost | failed | left out | cost |\n",
      first);
  fprintf(to, "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
}

static void print_ratio(FILE *to, double ratio) { fprintf(to, isfinite(ratio) ? " %.2g |" : " - |", ratio); }

static void print_share(FILE *to, int part, int all) {
  if (all) fprintf(to, " %.*f %% |", part != all && part > 0.99 * all ? 1 : 0, 100. * part / all);
  else fprintf(to, " - |");
}

void print_row(FILE *to, const char *first, summary *s) {
  const int n = s->n_ratios;
  const double both = (double)(s->evaluations + s->companion_evaluations);
  qsort(s->ratio, (size_t)n, sizeof *s->ratio, ascending);
  fprintf(to, "| %s | %d |", first, s->n);
  print_ratio(to, n ? s->ratio[0] : NAN), print_ratio(to, n ? s->ratio[n / 2] : NAN),
      print_ratio(to, n ? s->ratio[n - 1] : NAN);
  print_share(to, s->within, s->n);
  fprintf(to, " %d | %d | %d | %d |", s->said, s->not_known, s->false_claims, s->false_alarms);
  print_share(to, s->good_estimates, s->estimates);
  fprintf(to, " %d, %d | %d | %d%s |", s->rounding, s->lost, s->failed, s->longer + s->doubtful,
          s->crashed ? ", did not end" : "");
  print_ratio(to, s->evaluations ? both / (double)s->evaluations : NAN);
  fputs("\n", to);
}

static const char *verdict_name(cdn_verdict verdict) {
  return verdict == CDN_VERDICT_DELIVERED       ? "delivered"
         : verdict == CDN_VERDICT_NOT_DELIVERED ? "not delivered"
                                                : "unknown";
}

void print_run(FILE *to, const problem *p, const run *r) {
  fprintf(to, "%s, %s at %.3e: error %.2e = %.3g of it (q %.1e, u %.1e, z %.1e; at t = %.6g, %s)\n", p->name,
          cdn_method_name(r->method), r->accuracy, r->error, r->error / r->accuracy, r->error_q, r->error_u, r->error_z,
          r->error_time, r->error_slot);
  fprintf(to, "  estimate %.2e = %.2f of the error, %s, until %.6g, amplification %.2g; energy residual %.1e\n",
          r->estimate, r->estimate / r->error, verdict_name(r->verdict), r->delivered_until, r->amplification,
          r->residual);
  fprintf(to, "  %lld evaluations + %lld, %lld steps, %lld rejected, %.3f s%s%s\n", (long long)r->evaluations,
          (long long)r->companion_evaluations, (long long)r->steps, (long long)r->rejected, r->seconds,
          r->message[0] ? "\n  " : "", r->message);
}

static void print_number(FILE *to, const char *name, double value) {
  if (isfinite(value)) fprintf(to, ", \"%s\": %.6g", name, value);
  else fprintf(to, ", \"%s\": null", name);
}

void print_json(FILE *to, const problem *p, const run *r, double floor) {
  fprintf(
      to,
      "{\"problem\": \"%s\", \"method\": \"%s\", \"status\": \"%s\", \"failed\": %s, \"rounding\": %s, \"verdict\": \"%s\"",
      p->name, cdn_method_name(r->method), cdn_status_name(r->status), run_has_failed(p, r) ? "true" : "false",
      is_rounding(r, floor) ? "true" : "false", verdict_name(r->verdict));
  print_number(to, "accuracy", r->accuracy), print_number(to, "error", r->error);
  print_number(to, "delivered_over_asked", r->error / r->accuracy);
  print_number(to, "q", r->error_q), print_number(to, "u", r->error_u), print_number(to, "z", r->error_z);
  print_number(to, "estimate", r->estimate), print_number(to, "estimate_over_true", r->estimate / r->error);
  print_number(to, "amplification", r->amplification), print_number(to, "delivered_until", r->delivered_until);
  print_number(to, "time", r->error_time), print_number(to, "reached", r->reached),
      print_number(to, "residual", r->residual);
  fprintf(
      to,
      ", \"slot\": \"%s\", \"evaluations\": %lld, \"companion_evaluations\": %lld, \"steps\": %lld, \"rejected\": %lld",
      r->error_slot, (long long)r->evaluations, (long long)r->companion_evaluations, (long long)r->steps,
      (long long)r->rejected);
  print_number(to, "seconds", r->seconds);
  fprintf(to, "}");
}
