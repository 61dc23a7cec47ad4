/* What runs deliver against what was asked of them: problems whose motion is known, by all methods, at 91 accuracies. */
#include <stdlib.h>

#include "jobs.h"
#include "options.h"
#include "summary.h"

enum { METHODS = CDN_METHOD_IDA + 1 };

typedef struct everything {
  options options;
  int n_problems, n_methods;
  const problem *problem[128];
  cdn_method method[METHODS];
  true_motion *truth; /* one a problem */
  sweep *sweep;       /* problem by problem, one a method */
} everything;

static sweep *sweep_of(const everything *e, int i, int m) { return &e->sweep[i * e->n_methods + m]; }

static void choose(everything *e) {
  const options *o = &e->options;
  for (int i = 0; i < problem_count; i++) {
    if (options_want(o->problem, o->n_problems, problems[i]->name)) e->problem[e->n_problems++] = problems[i];
  }
  for (int m = 0; m < METHODS; m++) {
    if (options_want(o->method, o->n_methods, cdn_method_name((cdn_method)m)))
      e->method[e->n_methods++] = (cdn_method)m;
  }
}

/* ---- work, in processes of its own ---- */

static void find_one_truth(void *context, int job) {
  everything *e = context;
  find_truth(e->problem[job], &e->truth[job]);
}

static void run_one_sweep(void *context, int job) {
  everything *e = context;
  const options *o = &e->options;
  const int i = job / e->n_methods, m = job % e->n_methods;
  const sweep_request ask = { e->method[m], o->companion, o->each, o->accuracy, o->seconds };
  run_sweep(e->problem[i], &e->truth[i], &ask, sweep_of(e, i, m));
}

/* ---- what is printed ---- */

static double floor_of(const everything *e, int i) {
  double least = INFINITY;
  for (int m = 0; m < e->n_methods; m++) least = fmin(least, smallest_tight_error(sweep_of(e, i, m)));
  return least;
}

static void print_truth(const everything *e, int i) {
  const problem *p = e->problem[i];
  const true_motion *truth = &e->truth[i];
  printf("\n### %s\n\n%s. ", p->name, p->what);
  if (truth->failed) printf("**The truth is not known: a run that was to find it failed.**");
  else if (p->exact) printf("The truth is a closed form");
  else if (p->equations) printf("The truth is an integration of its equations in long double");
  else printf("The truth is a run at 1e-14, from which one by another method is %.1e away", truth->doubt);
  if (p->published && !truth->failed)
    printf("; it is %.1e from published values (%s)%s", truth->published, p->published->source,
           truth->published <= p->published->most ? "" : ", **more than these allow for**");
  printf(".\n\n");
}

static void print_problem(const everything *e, int i) {
  const double floor = floor_of(e, i);
  summary *s = malloc(sizeof *s);
  if (!s) return;
  print_truth(e, i);
  for (int m = 0; m < e->n_methods && e->options.verbose; m++) {
    for (int k = 0; k < ACCURACIES; k++) {
      if (sweep_of(e, i, m)->ran[k]) print_run(stdout, e->problem[i], &sweep_of(e, i, m)->runs[k]);
    }
  }
  if (!(e->options.accuracy > 0)) print_heading(stdout, "method");
  for (int m = 0; m < e->n_methods && !(e->options.accuracy > 0); m++) {
    memset(s, 0, sizeof *s);
    summarize(s, e->problem[i], sweep_of(e, i, m), floor);
    print_row(stdout, cdn_method_name(e->method[m]), s);
  }
  free(s);
  fflush(stdout);
}

static void sweep_is_over(void *context, int job) {
  everything *e = context;
  if (job % e->n_methods == e->n_methods - 1) print_problem(e, job / e->n_methods);
}

static void print_total(const everything *e, const char *first, int method, bool chaotic, summary *s) {
  memset(s, 0, sizeof *s);
  for (int i = 0; i < e->n_problems; i++) {
    if (e->problem[i]->chaotic != chaotic) continue;
    for (int m = 0; m < e->n_methods; m++) {
      if (m == method || method < 0) summarize(s, e->problem[i], sweep_of(e, i, m), floor_of(e, i));
    }
  }
  print_row(stdout, first, s);
}

static void print_totals(const everything *e) {
  summary *s = malloc(sizeof *s);
  if (!s) return;
  printf("\n## Method %s, by problem\n\n", cdn_method_name(e->method[0]));
  print_heading(stdout, "problem");
  for (int i = 0; i < e->n_problems; i++) {
    memset(s, 0, sizeof *s);
    summarize(s, e->problem[i], sweep_of(e, i, 0), floor_of(e, i));
    print_row(stdout, e->problem[i]->name, s);
  }
  printf("\n## All problems but chaotic ones, by method\n\n");
  print_heading(stdout, "method");
  for (int m = 0; m < e->n_methods; m++) print_total(e, cdn_method_name(e->method[m]), m, false, s);
  print_total(e, "all", -1, false, s);
  print_total(e, "all, chaotic problems", -1, true, s);
  free(s);
}

static bool write_json(const everything *e) {
  FILE *to = fopen(e->options.json, "w");
  const char *separator = "";
  if (!to) return false;
  fputs("[\n", to);
  for (int i = 0; i < e->n_problems; i++) {
    const double floor = floor_of(e, i);
    for (int m = 0; m < e->n_methods; m++) {
      for (int k = 0; k < ACCURACIES; k++) {
        const sweep *s = sweep_of(e, i, m);
        if (!s->ran[k]) continue;
        fputs(separator, to);
        print_json(to, e->problem[i], &s->runs[k], floor);
        separator = ",\n";
      }
    }
  }
  fputs("\n]\n", to);
  return !fclose(to);
}

int main(int argc, char **argv) {
  static everything e;
  int code;
  if (!parse_options(argc, argv, &e.options, &code)) return code;
  choose(&e);
  if (e.options.list) {
    for (int i = 0; i < e.n_problems; i++) printf("%-22s %s\n", e.problem[i]->name, e.problem[i]->what);
    return EXIT_SUCCESS;
  }
  if (!e.n_problems || !e.n_methods) {
    fprintf(stderr, "accuracy: there is no %s of this name; --list lists the problems\n",
            e.n_problems ? "method" : "problem");
    return 2;
  }
  e.truth = shared_memory((size_t)e.n_problems * sizeof *e.truth);
  e.sweep = shared_memory((size_t)(e.n_problems * e.n_methods) * sizeof *e.sweep);
  const jobs truths = { e.n_problems, find_one_truth, NULL, &e, "truths" };
  const jobs sweeps = { e.n_problems * e.n_methods, run_one_sweep, sweep_is_over, &e, "runs" };
  if (!e.truth || !e.sweep || !run_jobs(&truths, e.options.workers, 120) ||
      !run_jobs(&sweeps, e.options.workers, 300)) {
    fprintf(stderr, "accuracy: no memory, or no process can be started\n");
    return EXIT_FAILURE;
  }
  if (!(e.options.accuracy > 0)) print_totals(&e);
  if (e.options.json && !write_json(&e)) {
    fprintf(stderr, "accuracy: cannot write %s\n", e.options.json);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
