/* A sample of what ./run accuracy measures: a run delivers what was asked of it, or says that it does not, and its own
 * estimate of its error is right. Truths are closed forms, equations in long double, published values, or two runs of
 * different methods that agree. */
#include <stdio.h>

#include "../testing.h"
#include "run.h"

/* Under sanitizers everything takes ten times as long. */
#ifdef CDNI_SANITIZED
enum { ACCURACIES_DEFAULT = 3, PROBLEMS_APART = 8 };
#else
enum { ACCURACIES_DEFAULT = 9, PROBLEMS_APART = 2 };
#endif

static const char *const sample[] = {
  "a01-pendulum",    "a02-ladder-2", "a03-andrews",     "a04-bricard",        "car-axis",       "slider-crank",
  "cv-pendulum",     "free-top-123", "rolling-disc",    "double-pendulum-60", "top-axis-40",    "top-across-150",
  "top-third-150",   "top-middle-5", "heavy-top",       "heavy-top-tip",      "orbit",          "crank-heavy",
  "crank-whip-0.96", "crank-driven", "shaken-pendulum", "oscillator-10",      "oscillator-1e3", "row",
  "row-damped",      "row-stiff",    "maxwell",         "spinning-pair",      "chain10",        "humanoid",
  "stops",           "bilinear",     "coulomb",         "ball-0.5",           "ball-0.9",       "ball-to-rest",
  "relay",           "bouncing",
};
enum { SAMPLE = sizeof sample / sizeof *sample };

/* What was found, over all runs. */
typedef struct tally {
  int runs, within, failed, estimates, good;
  int false_claims,
      silent; /* beyond 10 accuracies, and said to be delivered; neither a verdict nor why there is none */
} tally;

/* Roundings of the truth and of the run are no error of the method: `floor` is what they come to. */
static bool is_rounding(const run *r, double floor) { return r->error < 10 * floor; }

static double floor_of(const true_motion *truth) { return fmax(1e-12, 10 * truth->doubt); }

static void judge(const problem *p, const run *r, double floor, tally *t) {
  const double over = r->error / r->accuracy, share = r->estimate / r->error;
  t->runs++;
  if (run_has_failed(p, r)) {
    t->failed++;
    printf("%s, %s at %.1e: %s\n", p->name, cdn_method_name(r->method), r->accuracy, r->message);
    return;
  }
  if (over <= 10) t->within++;
  else if (r->verdict == CDN_VERDICT_DELIVERED) t->false_claims++;
  else if (r->verdict == CDN_VERDICT_UNKNOWN && !r->message[0]) t->silent++;
  if (!is_rounding(r, floor) && !p->chaotic && !r->status) {
    t->estimates++;
    t->good += share <= 3 && share >= 1. / 3;
  }
  const bool bad = (over > 10 && r->verdict != CDN_VERDICT_NOT_DELIVERED) ||
                   (!is_rounding(r, floor) && !(share <= 3 && share >= 1. / 3));
  if (bad || getenv("CARDAN_TEST_VERBOSE"))
    printf("%-20s %-20s %.1e: error %8.3g of it, estimate %8.3g of the error, %d evaluations %s\n", p->name,
           cdn_method_name(r->method), r->accuracy, over, share, (int)r->evaluations, r->message);
}

static double accuracy_of(int i, int which) {
  /* between decades, and elsewhere for each problem: from 1e-2 to 1e-11 */
  return pow(10, -2 - (9. * i + 0.1 * (which * 7 % 10)) / ACCURACIES_DEFAULT);
}

static bool can_run(const problem *p, cdn_state *start, const true_motion *truth, cdn_method method, double accuracy,
                    run *r) {
  if (accuracy < 100 * truth->doubt) return false;
  run_problem(p, start, truth, &(run_request){ method, accuracy, true, 20000 }, r);
  return !r->cut && r->status != CDN_ERR_UNSUPPORTED;
}

/* The smallest error at the tightest accuracies is one of rounding: a singular pose, say, multiplies roundings. */
static void run_default(const problem *p, int which, cdn_state *start, const true_motion *truth, tally *t) {
  static run runs[ACCURACIES_DEFAULT];
  double least = INFINITY, floor = floor_of(truth);
  int n = 0;
  for (int k = 0; k < ACCURACIES_DEFAULT; k++)
    if (can_run(p, start, truth, CDN_METHOD_DEFAULT, accuracy_of(k, which), &runs[n])) n++;
  for (int k = 0; k < n; k++)
    if (runs[k].accuracy < 1e-9 && !runs[k].status) least = fmin(least, runs[k].error);
  if (isfinite(least)) floor = fmax(floor, least);
  for (int k = 0; k < n; k++) judge(p, &runs[k], floor, t);
}

static void run_one(const problem *p, cdn_state *start, const true_motion *truth, cdn_method method, double accuracy,
                    tally *t) {
  run r;
  if (can_run(p, start, truth, method, accuracy, &r)) judge(p, &r, floor_of(truth), t);
}

static true_motion truth;

START_TEST(the_default_delivers_or_says_so) {
  tally t = { 0 };
  for (int i = 0; i < SAMPLE; i++) {
    const problem *p = find_problem(sample[i]);
    ck_assert_msg(p != NULL, "%s", sample[i]);
    find_truth(p, &truth);
    ck_assert_msg(!truth.failed, "%s: the truth is not known", p->name);
    if (p->published)
      ck_assert_msg(truth.published <= p->published->most, "%s: %.3g from published values", p->name, truth.published);
    cdn_state *start = p->start(p);
    run_default(p, i, start, &truth, &t);
    cdn_state_destroy(start);
  }
  fflush(stdout);
  printf("default: %d runs, %d within 10 accuracies, %d failed, %d of %d estimates within a factor of 3\n", t.runs,
         t.within, t.failed, t.good, t.estimates);
  ck_assert_int_eq(t.false_claims + t.silent, 0);
  AT_MOST(t.failed, 0.01 * t.runs);
  AT_MOST(0.8 * t.runs, t.within);
  AT_MOST(0.99 * t.estimates, t.good);
}
END_TEST

START_TEST(all_methods_deliver_or_say_so) {
  tally t = { 0 };
  for (int i = 0; i < SAMPLE; i += PROBLEMS_APART) {
    const problem *p = find_problem(sample[i]);
    find_truth(p, &truth);
    cdn_state *start = p->start(p);
    for (int m = CDN_METHOD_DEFAULT + 1; m < ALL_METHODS; m++) {
      if (!controls_errors(m)) continue;
      run_one(p, start, &truth, (cdn_method)m, pow(10, -2.3 - 0.1 * ((i + m) % 10)), &t);
      run_one(p, start, &truth, (cdn_method)m, pow(10, -5.5 - 0.1 * ((3 * i + m) % 10)), &t);
    }
    cdn_state_destroy(start);
  }
  printf("all methods: %d runs, %d within 10 accuracies, %d failed, %d of %d estimates within a factor of 3\n", t.runs,
         t.within, t.failed, t.good, t.estimates);
  ck_assert_int_eq(t.false_claims + t.silent, 0);
  AT_MOST(t.failed, 0.01 * t.runs);
  AT_MOST(0.98 * t.estimates, t.good);
}
END_TEST

CHECK_MAIN("delivered", the_default_delivers_or_says_so, all_methods_deliver_or_say_so)
