/* Many scenes, by all methods, in processes of their own, and tables of what came out. */
#include "report.h"

#include <stdlib.h>

#include "jobs.h"
#include "options.h"
#include "trial.h"

enum { METHODS = CDN_METHOD_COUNT, MOST_TRIALS = 32 };

typedef struct scene_result {
  bool made, done, chaotic;
  scene_law law;
  int family, n;
  trial trial[MOST_TRIALS];
} scene_result;

typedef struct everything {
  const falls_request *ask;
  scene_result *result;
} everything;

/* ---- runs ---- */

static void one_trial(const everything *e, const scene *s, scene_truth *truth, cdn_method method, double accuracy,
                      double fixed, scene_result *r) {
  if (r->n >= MOST_TRIALS) return;
  trial *t = &r->trial[r->n++];
  trial_run(s, truth, e->ask->truth, method, accuracy, fixed, t);
  if (e->ask->verbose || t->outcome == TRIAL_BELOW || t->outcome == TRIAL_DENIED || t->outcome == TRIAL_SILENT)
    trial_print(stdout, s, t), fflush(stdout);
}

/* What a method reaches in a reasonable number of steps. */
static double least_accuracy(cdn_method method) {
  switch (method) {
    case CDN_METHOD_SEMI_EXPLICIT_EULER:
    case CDN_METHOD_SEMI_EXPLICIT_EULER_2:
    case CDN_METHOD_EXPLICIT_EULER: return 3e-3;
    case CDN_METHOD_VERLET:
    case CDN_METHOD_TRAPEZOID:
    case CDN_METHOD_IMPLICIT_CONTACT: return 3e-5;
    case CDN_METHOD_BOGACKI_SHAMPINE: return 3e-6;
    default: return 1e-8;
  }
}

static void run_methods(const everything *e, const scene *s, scene_result *r) {
  const falls_request *o = e->ask;
  dice d = { o->seed ^ ((uint64_t)s->index << 20) };
  const bool fixed_fits = s->end / s->fixed_step < 1e5;
  scene_truth truth = { 0 };
  for (int m = 0; m < METHODS; m++) {
    const cdn_method method = (cdn_method)m;
    const double random = dice_log(&d, least_accuracy(method), 0.08);
    const bool also_fixed = dice_chance(&d, 0.1), equal = cdn_method_needs_fixed_step(method);
    if (!cdn_method_is_available(method) || !options_want(o->method, o->n_methods, cdn_method_name(method))) continue;
    if (o->fixed > 0) one_trial(e, s, &truth, method, 1e-3, o->fixed, r);
    else if (!equal) one_trial(e, s, &truth, method, o->accuracy > 0 ? o->accuracy : random, 0, r);
    if (o->fixed < 0 && fixed_fits && (equal || also_fixed)) one_trial(e, s, &truth, method, 1e-3, s->fixed_step, r);
  }
  scene_truth_clear(&truth);
}

static void run_scene(void *context, int job) {
  everything *e = context;
  const falls_request *o = e->ask;
  scene_result *r = &e->result[job];
  scene s;
  if (!scene_make(o->seed, o->only >= 0 ? o->only : o->first + job, o->family, &s)) return;
  r->made = !o->law || !strcmp(o->law, scene_law_names[s.law]);
  r->law = s.law, r->chaotic = s.chaotic;
  if (o->most) s.most_steps = o->most;
  for (int i = 0; i < scene_family_count; i++) {
    if (!strcmp(scene_families[i], s.family)) r->family = i;
  }
  if (r->made) run_methods(e, &s, r);
  scene_clear(&s);
  r->done = true;
}

/* ---- tables ---- */

typedef bool in_row(const scene_result *r, const trial *t, int row);

/* Of pulses nothing tells before they are there, and a step may be longer than they are. */
static bool is_no_pulse(const scene_result *r, const trial *t, int row) {
  (void)t, (void)row;
  return strcmp(scene_families[r->family], "pulse") != 0;
}

static bool by_method(const scene_result *r, const trial *t, int row) {
  return (int)t->method == row && is_no_pulse(r, t, row);
}

static bool by_law(const scene_result *r, const trial *t, int row) {
  (void)t;
  return (int)r->law == row;
}

static bool by_family(const scene_result *r, const trial *t, int row) {
  (void)t;
  return r->family == row;
}

typedef struct tally {
  int outcome[TRIAL_OUTCOMES], n, within, beyond, not_judged, alarms, chaotic, n_costs;
  long long steps, evaluations;
  double *cost;
} tally;

static void take(tally *all, const scene_result *r, const trial *t) {
  const bool wrong = t->outcome == TRIAL_BELOW || t->outcome == TRIAL_DENIED || t->outcome == TRIAL_SILENT;
  all->n++, all->alarms += t->alarm;
  all->steps += t->steps, all->evaluations += t->evaluations;
  if (t->outcome == TRIAL_DENIED && r->chaotic) all->chaotic++;
  else all->outcome[t->outcome]++;
  if (t->status || wrong) return;
  if (!t->judged) all->not_judged++;
  else if (t->beyond) all->beyond++;
  else all->within++;
  if (t->companion_evaluations > 0)
    all->cost[all->n_costs++] = 1 + (double)t->companion_evaluations / (double)t->evaluations;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static void print_row(const everything *e, const char *name, in_row *in, int row) {
  const int n = e->ask->only >= 0 ? 1 : e->ask->scenes;
  tally all = { .cost = malloc((size_t)n * MOST_TRIALS * sizeof(double)) };
  for (int i = 0; i < n && all.cost; i++) {
    const scene_result *r = &e->result[i];
    for (int k = 0; r->made && k < r->n; k++) {
      if (in(r, &r->trial[k], row)) take(&all, r, &r->trial[k]);
    }
  }
  if (all.n) {
    qsort(all.cost, (size_t)all.n_costs, sizeof *all.cost, ascending);
    printf("| %s | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d |", name, all.n, all.outcome[TRIAL_BELOW],
           all.outcome[TRIAL_DENIED], all.chaotic, all.outcome[TRIAL_SILENT], all.within, all.beyond, all.not_judged,
           all.alarms, all.outcome[TRIAL_FAILED], all.outcome[TRIAL_CUT]);
    printf(" %.2f | %lld | %lld |\n", all.n_costs ? all.cost[all.n_costs / 2] : NAN, all.steps / all.n,
           all.evaluations / all.n);
  }
  free(all.cost);
}

static void print_heading(const char *first) {
  printf("\n| %s | runs | **below** | **denied** | denied, chaotic | silent, equal steps | within 10 | beyond: said or "
         "not known | not judged | alarms | failed | cut | cost | steps | evaluations |\n"
         "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n",
         first);
}

static void print_tables(const everything *e) {
  print_heading("method");
  for (int m = 0; m < METHODS; m++) print_row(e, cdn_method_name((cdn_method)m), by_method, m);
  print_heading("law");
  for (int m = 0; m < LAW_COUNT; m++) print_row(e, scene_law_names[m], by_law, m);
  print_heading("family");
  for (int m = 0; m < scene_family_count; m++) print_row(e, scene_families[m], by_family, m);
  print_row(e, "all but pulses", is_no_pulse, 0);
  for (int i = 0; i < e->ask->scenes; i++) {
    if (e->result[i].made && !e->result[i].done) printf("scene %d did not end\n", e->ask->first + i);
  }
}

bool falls_run(const falls_request *ask) {
  const int n = ask->only >= 0 ? 1 : ask->scenes;
  everything e = { ask, shared_memory((size_t)n * sizeof *e.result) };
  const jobs work = { n, run_scene, NULL, &e, "scenes" };
  if (!e.result || !run_jobs(&work, ask->workers, 120)) return false;
  if (ask->only < 0) print_tables(&e);
  return true;
}
