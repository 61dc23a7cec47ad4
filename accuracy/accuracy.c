/* What runs deliver against what was asked of them: problems whose motion is known, by all methods, at 91
 * accuracies. */
#include <stdlib.h>

#include "delivery.h"
#include "falls/report.h"
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
  studies *studies;   /* one a problem */
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

/* Every ninth accuracy, unless there is nothing else to do. */
static void run_some_studies(void *context, int job) {
  everything *e = context;
  const options *o = &e->options;
  const int each = o->deliver ? o->each : 9;
  run_studies(e->problem[job], &e->truth[job], e->method[0], each, o->accuracy, 0.2 * o->seconds, &e->studies[job]);
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
  else
    printf("The truth is a run at %.0e, from which one by another method is %.1e away",
           p->witness > 0 ? p->witness : 1e-14, truth->doubt);
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

static void print_deliveries(const everything *e) {
  const studies *all[128], *chaotic[128];
  int n_all = 0, n_chaotic = 0;
  for (int i = 0; i < e->n_problems && e->options.verbose; i++) print_studies(stdout, e->problem[i], &e->studies[i]);
  printf("\n## Studies that deliver, by method %s\n\n", cdn_method_name(e->method[0]));
  print_delivery_heading(stdout);
  for (int i = 0; i < e->n_problems; i++) {
    const studies *one = &e->studies[i];
    if (e->problem[i]->chaotic) chaotic[n_chaotic++] = one;
    else all[n_all++] = one;
    print_delivery_row(stdout, e->problem[i]->name, &one, 1);
  }
  print_delivery_row(stdout, "all", all, n_all);
  print_delivery_row(stdout, "all, chaotic problems", chaotic, n_chaotic);
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

/* ---- scenes in which nothing must get through anything: the problem "falls" ---- */

static bool wants_falls(const options *o) {
  return options_want(o->problem, o->n_problems, "falls") && !o->deliver && o->companion;
}

static bool run_falls(const options *o) {
  const falls_request ask = { .seed = 1,
                              .scenes = o->each > 1 ? 60 : 300,
                              .only = -1,
                              .fixed = -1,
                              .most = 8000,
                              .workers = o->workers,
                              .method = o->method,
                              .n_methods = o->n_methods,
                              .accuracy = o->accuracy,
                              .truth = true,
                              .verbose = o->verbose };
  printf("\n## Falls, throws, shots, arms and rotors\n\n");
  return falls_run(&ask);
}

int main(int argc, char **argv) {
  static everything e;
  int code;
  if (!parse_options(argc, argv, &e.options, &code)) return code;
  choose(&e);
  if (e.options.list) {
    for (int i = 0; i < e.n_problems; i++) printf("%-22s %s\n", e.problem[i]->name, e.problem[i]->what);
    printf("%-22s scenes in which a body must not get through another, drawn at random\n", "falls");
    return EXIT_SUCCESS;
  }
  const bool falls = wants_falls(&e.options), names_method = e.n_methods || (falls && !e.n_problems);
  if (!names_method || (!e.n_problems && !falls)) {
    fprintf(stderr, "accuracy: there is no %s of this name; --list lists the problems\n",
            names_method ? "problem" : "method");
    return 2;
  }
  if (falls && !run_falls(&e.options)) {
    fprintf(stderr, "accuracy: no memory, or no process can be started\n");
    return EXIT_FAILURE;
  }
  if (!e.n_problems) return EXIT_SUCCESS;
  e.truth = shared_memory((size_t)e.n_problems * sizeof *e.truth);
  e.sweep = shared_memory((size_t)(e.n_problems * e.n_methods) * sizeof *e.sweep);
  e.studies = shared_memory((size_t)e.n_problems * sizeof *e.studies);
  const jobs truths = { e.n_problems, find_one_truth, NULL, &e, "truths" };
  const jobs sweeps = { e.n_problems * e.n_methods, run_one_sweep, sweep_is_over, &e, "runs" };
  const jobs deliveries = { e.n_problems, run_some_studies, NULL, &e, "studies" };
  if (!e.truth || !e.sweep || !e.studies || !run_jobs(&truths, e.options.workers, 120) ||
      (!e.options.deliver && !run_jobs(&sweeps, e.options.workers, 300)) ||
      !run_jobs(&deliveries, e.options.workers, 300)) {
    fprintf(stderr, "accuracy: no memory, or no process can be started\n");
    return EXIT_FAILURE;
  }
  if (!(e.options.accuracy > 0) && !e.options.deliver) print_totals(&e);
  print_deliveries(&e);
  if (e.options.json && !write_json(&e)) {
    fprintf(stderr, "accuracy: cannot write %s\n", e.options.json);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
