/* cardan speed: the pace of a run, with noise on its controls, and where its time goes. */
#include "simulate.h"
#include "speed.h"

#include <cardan/controls.h>
#include <cardan/random.h>
#include <math.h>
#include <stdlib.h>

/* ---- noise --------------------------------------------------------------------------------- */

/* The value that a control has at first, and half of its range; 1 where that has no end. */
static double range_of(cdn_state *initial, cdn_control control, double *lower, double *upper) {
  if (cdn_control_limits(initial, control, lower, upper) != CDN_OK) *lower = -INFINITY, *upper = INFINITY;
  return isfinite(*upper - *lower) ? 0.5 * (*upper - *lower) : 1;
}

/* Each control is, all along a step, its first value and a normal number that the step's number decides. */
static cdn_status shake(cdn_state *initial, cdn_state *now, double noise, uint64_t step) {
  const cdn_system *system = cdn_state_system(now);
  for (int i = 0; noise > 0 && i < cdn_system_control_count(system); i++) {
    const cdn_control control = { i };
    const cdn_random_place place = { .count = step, .user = (uint32_t)i };
    double lower, upper, normal;
    if (cdn_control_follows(system, control)) continue;
    const double half = range_of(initial, control, &lower, &upper);
    cdn_random_normal(&place, 1, &normal);
    const double value = cdn_control_given(initial, control) + noise * half * normal;
    CDN_TRY(cdn_control_set(now, control, fmin(fmax(value, lower), upper)));
  }
  return CDN_OK;
}

/* ---- runs ---------------------------------------------------------------------------------- */

/* Between two changes of controls, s, where steps have no size of their own. */
static const double between = 0.01;
enum { MOST_CALLS = 100000 };

/* Advances so often, or for so many seconds; *calls is how often. A run that fails ends. */
static void advance(cdn_stepper *stepper, cdn_state *initial, const pace_arguments *a, double seconds, int *calls) {
  const double began = wall_clock(), h = a->step > 0 ? a->step : between, first = cdn_state_time(initial);
  const int most = *calls;
  for (*calls = 0; *calls < most && wall_clock() - began < seconds; ++*calls) {
    if (shake(initial, cdn_stepper_state(stepper), a->noise, (uint64_t)*calls) != CDN_OK) break;
    if (cdn_stepper_advance(stepper, first + h * (*calls + 1), NULL) != CDN_OK) break;
  }
}

static cdn_status begin(cdn_state *initial, const pace_arguments *a, cdn_stepper **stepper) {
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = a->method, def.fixed_step = a->step;
  return cdn_stepper_create(initial, &def, stepper);
}

static cdn_status measure_speed(cdn_state *initial, const pace_arguments *a, pace *p, int *calls) {
  cdn_stepper *stepper = NULL;
  cdn_certificate c;
  CDN_TRY(begin(initial, a, &stepper));
  *calls = MOST_CALLS;
  const double began = wall_clock();
  advance(stepper, initial, a, 0.25, calls);
  const double took = wall_clock() - began;
  const cdn_status status = cdn_stepper_certificate(stepper, &c);
  if (status == CDN_OK) {
    p->steps_per_second = (double)c.steps / took;
    p->real_time = (c.time_final - c.time_initial) / took;
  }
  cdn_stepper_destroy(stepper);
  return status;
}

/* ---- shares -------------------------------------------------------------------------------- */

static void keep_longest(pace *p, share x) {
  int i = p->n_entries < MOST_SHARES ? p->n_entries++ : MOST_SHARES;
  for (; i > 0 && p->entries[i - 1].ns < x.ns; i--)
    if (i < MOST_SHARES) p->entries[i] = p->entries[i - 1];
  if (i < MOST_SHARES) p->entries[i] = x;
}

static void read_times(const cdn_stepper *stepper, const cdn_system *system, double steps, pace *p) {
  for (int i = 0; i < cdn_system_ticket_count(system); i++) {
    cdn_entry_time t;
    if (cdn_stepper_get_time(stepper, (cdn_ticket){ i }, &t) != CDN_OK) continue;
    const double ns = 1e9 * t.seconds / steps;
    p->all += ns;
    if (i == 0) p->method = ns;
    else {
      p->stage[t.stage <= CDN_STAGE_ACCELERATION ? t.stage : CDN_STAGE_EMPTY] += ns;
      if (ns > 0) keep_longest(p, (share){ cdn_ticket_name(system, (cdn_ticket){ i }), ns });
    }
  }
}

static cdn_status measure_shares(cdn_state *initial, const pace_arguments *a, int calls, pace *p) {
  cdn_stepper *stepper = NULL;
  cdn_certificate c;
  CDN_TRY(begin(initial, a, &stepper));
  cdn_status status = cdn_stepper_set_timed(stepper, true);
  if (status == CDN_OK) {
    advance(stepper, initial, a, INFINITY, &calls);
    status = cdn_stepper_certificate(stepper, &c);
  }
  if (status == CDN_OK && c.steps > 0) read_times(stepper, cdn_state_system(initial), (double)c.steps, p);
  cdn_stepper_destroy(stepper);
  return status;
}

cdn_status measure_pace(cdn_state *initial, const pace_arguments *a, pace *out) {
  int calls;
  *out = (pace){ 0 };
  CDN_TRY(measure_speed(initial, a, out, &calls));
  return measure_shares(initial, a, calls, out);
}

/* ---- output -------------------------------------------------------------------------------- */

static const char *stage_word(int stage) {
  return stage == CDN_STAGE_EMPTY ? "when asked for" : cdn_stage_name((cdn_stage)stage);
}

void print_pace(const pace *p, const pace_arguments *a) {
  printf("  %-26s %10.0f steps a second, %.3g x real time; %s", "simulation", p->steps_per_second, p->real_time,
         cdn_method_name(a->method));
  if (a->step > 0) printf(", steps of %g s", a->step);
  if (a->noise > 0) printf(", controls with noise of %g", a->noise);
  printf("\n");
  if (!(p->all > 0)) return;
  printf("  of each step:\n");
  for (int s = CDN_STAGE_EMPTY; s <= CDN_STAGE_ACCELERATION; s++)
    if (p->stage[s] > 0)
      printf("    %-30s %10.0f ns  %7.1f %%\n", stage_word(s), p->stage[s], 100 * p->stage[s] / p->all);
  printf("    %-30s %10.0f ns  %7.1f %%\n", "the method and the rest", p->method, 100 * p->method / p->all);
  printf("  the longest:\n");
  for (int i = 0; i < p->n_entries; i++)
    printf("    %-30s %10.0f ns  %7.1f %%\n", p->entries[i].name, p->entries[i].ns, 100 * p->entries[i].ns / p->all);
}

void print_pace_json(json_writer *w, const pace *p, const pace_arguments *a) {
  jw_number(w, "steps_per_second", p->steps_per_second);
  jw_number(w, "real_time_factor", p->real_time);
  jw_text(w, "method", cdn_method_name(a->method));
  jw_number(w, "step", a->step > 0 ? a->step : NAN);
  jw_number(w, "control_noise", a->noise);
  jw_object(w, "step_ns", false);
  jw_number(w, "all", p->all);
  jw_number(w, "method_and_rest", p->method);
  jw_object(w, "stages", true);
  for (int s = CDN_STAGE_EMPTY; s <= CDN_STAGE_ACCELERATION; s++)
    if (p->stage[s] > 0)
      jw_number(w, s == CDN_STAGE_EMPTY ? "when_asked_for" : cdn_stage_name((cdn_stage)s), p->stage[s]);
  jw_close(w);
  jw_object(w, "entries", false);
  for (int i = 0; i < p->n_entries; i++) jw_number(w, p->entries[i].name, p->entries[i].ns);
  jw_close(w);
  jw_close(w);
}
