/* What many runs were worth, and tables of it in Markdown. */
#include "summary.h"

#include <math.h>
#include <stdlib.h>

double smallest_error(const sweep *runs) {
  double least = INFINITY;
  for (int i = 0; i < ACCURACIES; i++) {
    if (runs->ran[i] && !runs->runs[i].status) least = fmin(least, runs->runs[i].error);
  }
  return least;
}

void summarize(summary *s, const problem *p, const sweep *runs, double floor) {
  s->longer += runs->longer, s->doubtful += runs->doubtful;
  if (!runs->done) s->crashed++;
  for (int i = 0; i < ACCURACIES; i++) {
    const run *r = &runs->runs[i];
    if (!runs->ran[i]) continue;
    if (run_has_failed(p, r)) {
      s->failed++;
      continue;
    }
    const double ratio = r->error / r->accuracy;
    s->n++;
    if (s->n_ratios < (int)(sizeof s->ratio / sizeof *s->ratio)) s->ratio[s->n_ratios++] = ratio;
    if (ratio <= 10) s->within++;
    else s->beyond++;
    if (ratio > 1000) s->far_beyond++;
    if (ratio > 10 && r->accuracy < 10 * floor) s->rounding++;
  }
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

void print_heading(FILE *to, const char *first) {
  fprintf(to,
          "| %s | runs | least | median | most | within 10 | beyond | above 1000 | of rounding | failed | left out |\n",
          first);
  fprintf(to, "|---|---|---|---|---|---|---|---|---|---|---|\n");
}

static void print_ratio(FILE *to, double ratio) { fprintf(to, isfinite(ratio) ? " %.2g |" : " - |", ratio); }

void print_row(FILE *to, const char *first, summary *s) {
  const int n = s->n_ratios;
  qsort(s->ratio, (size_t)n, sizeof *s->ratio, ascending);
  fprintf(to, "| %s | %d |", first, s->n + s->failed);
  print_ratio(to, n ? s->ratio[0] : NAN), print_ratio(to, n ? s->ratio[n / 2] : NAN),
      print_ratio(to, n ? s->ratio[n - 1] : NAN);
  if (s->n + s->failed) fprintf(to, " %.0f %% |", 100. * s->within / (s->n + s->failed));
  else fprintf(to, " - |");
  fprintf(to, " %d | %d | %d | %d | %d%s |\n", s->beyond, s->far_beyond, s->rounding, s->failed,
          s->longer + s->doubtful, s->crashed ? ", did not end" : "");
}

void print_run(FILE *to, const problem *p, const run *r) {
  fprintf(
      to,
      "%-22s %-20s %.3e: error %.2e = %9.3g of it (q %.1e, u %.1e, z %.1e; at t = %.6g, %s), %lld evaluations, %lld + %lld steps, "
      "residual %.1e, %.3f s%s%s\n",
      p->name, cdn_method_name(r->method), r->accuracy, r->error, r->error / r->accuracy, r->error_q, r->error_u,
      r->error_z, r->error_time, r->error_slot, (long long)r->evaluations, (long long)r->steps, (long long)r->rejected,
      r->residual, r->seconds, r->story[0] ? "\n  " : "", r->story);
}

static void print_number(FILE *to, const char *name, double value) {
  if (isfinite(value)) fprintf(to, ", \"%s\": %.6g", name, value);
  else fprintf(to, ", \"%s\": null", name);
}

void print_json(FILE *to, const problem *p, const run *r, bool rounding) {
  fprintf(to, "{\"problem\": \"%s\", \"method\": \"%s\", \"status\": \"%s\", \"failed\": %s, \"rounding\": %s", p->name,
          cdn_method_name(r->method), cdn_status_name(r->status), run_has_failed(p, r) ? "true" : "false",
          rounding ? "true" : "false");
  print_number(to, "accuracy", r->accuracy), print_number(to, "error", r->error);
  print_number(to, "delivered_over_asked", r->error / r->accuracy);
  print_number(to, "q", r->error_q), print_number(to, "u", r->error_u), print_number(to, "z", r->error_z);
  print_number(to, "time", r->error_time), print_number(to, "reached", r->reached),
      print_number(to, "residual", r->residual);
  fprintf(to, ", \"slot\": \"%s\", \"evaluations\": %lld, \"steps\": %lld, \"rejected\": %lld", r->error_slot,
          (long long)r->evaluations, (long long)r->steps, (long long)r->rejected);
  print_number(to, "seconds", r->seconds);
  fprintf(to, "}");
}
