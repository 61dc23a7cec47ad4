/* The true motion of a problem at its reports: in closed form, by equations in long double, or by two runs that have
 * next to nothing in common. */
#include "truth.h"

#include <stdlib.h>
#include <time.h>

#include "distance.h"

enum { EVENTS_MOST = 4096 };

/* The methods by which a motion is known that is known in no other way, and what they are asked for. */
static const struct {
  cdn_method method;
  double accuracy;
} witnesses[2] = { { CDN_METHOD_DORMAND_PRINCE_8, 1e-14 }, { CDN_METHOD_DORMAND_PRINCE, 1e-13 } };

static cdn_stepper *witness(const problem *p, cdn_state *start, int which, bool return_on_events) {
  cdn_stepper *stepper = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = witnesses[which].method;
  def.accuracy = witnesses[which].accuracy * (p->witness > 0 ? p->witness / witnesses[0].accuracy : 1);
  def.final_time = p->end;
  def.return_on_events = return_on_events;
  MUST(start, cdn_stepper_create(start, &def, &stepper));
  return stepper;
}

static void pack(const cdn_state *state, double *y) {
  const cdn_system *system = cdn_state_system(state);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system), nz = cdn_system_nz(system);
  memcpy(y, cdn_state_q(state), (size_t)nq * sizeof *y);
  memcpy(y + nq, cdn_state_u(state), (size_t)nu * sizeof *y);
  if (nz) memcpy(y + nq + nu, cdn_state_z(state), (size_t)nz * sizeof *y);
}

static void unpack(cdn_state *state, double t, const double *y) {
  const cdn_system *system = cdn_state_system(state);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system);
  MUST(state, cdn_state_set_time(state, t));
  MUST(state, cdn_state_set_q(state, y));
  MUST(state, cdn_state_set_u(state, y + nq));
  if (cdn_system_nz(system)) MUST(state, cdn_state_set_z(state, y + nq + nu));
}

/* ---- times ---- */

static int find_events(const problem *p, cdn_state *start, double *t) {
  int n = 0;
  if (p->events) return p->events(p, t, EVENTS_MOST);
  if (cdn_system_event_count(cdn_state_system(start)) == 0) return 0;
  cdn_stepper *stepper = witness(p, start, 0, true);
  cdn_return_reason reason = CDN_HANDLED_EVENT;
  while (n < EVENTS_MOST && cdn_stepper_advance(stepper, p->end, &reason) == CDN_OK && reason == CDN_HANDLED_EVENT)
    t[n++] = cdn_state_time(cdn_stepper_state(stepper));
  cdn_stepper_destroy(stepper);
  return n;
}

/* Not within a fifth of the time from an event to its neighbours: a run that has the event a little earlier or later is
 * not on its other side then. */
static double away_from(const double *event, int n, double t, double end) {
  int after = 0;
  while (after < n && event[after] <= t) after++;
  const double from = after ? event[after - 1] : 0, to = after < n ? event[after] : end, margin = (to - from) / 5;
  if (after && t < from + margin) t = from + margin;
  if (after < n && t > to - margin) t = to - margin;
  return t;
}

static void choose_times(const problem *p, cdn_state *start, true_motion *out) {
  double *event = malloc(EVENTS_MOST * sizeof *event);
  const int n = event ? find_events(p, start, event) : 0;
  out->n = REPORTS;
  for (int i = 0; i < REPORTS; i++) out->t[i] = away_from(event, n, p->end * (i + 1) / REPORTS, p->end);
  free(event);
}

/* ---- the motion at increasing times ---- */

static void follow_equations(const problem *p, int n, const double *t, double (*y)[TRUTH_MOST]) {
  extrapolation e = { .rates = p->equations->rates, .self = p, .n = p->equations->n };
  p->equations->start(p, e.x);
  for (int i = 0; i < n; i++) {
    extrapolate_to(&e, t[i]);
    p->equations->unfold(p, t[i], e.x, y[i]);
  }
}

static bool follow_witness(const problem *p, cdn_state *start, int which, int n, const double *t,
                           double (*y)[TRUTH_MOST]) {
  cdn_stepper *stepper = witness(p, start, which, false);
  bool well = true;
  for (int i = 0; i < n && well; i++) {
    well = cdn_stepper_advance(stepper, t[i], NULL) == CDN_OK;
    pack(cdn_stepper_state(stepper), y[i]);
  }
  cdn_stepper_destroy(stepper);
  return well;
}

static bool follow(const problem *p, cdn_state *start, int n, const double *t, double (*y)[TRUTH_MOST]) {
  if (p->exact) {
    for (int i = 0; i < n; i++) p->exact(p, t[i], y[i]);
  } else if (p->equations) {
    follow_equations(p, n, t, y);
  } else {
    return follow_witness(p, start, 0, n, t, y);
  }
  return true;
}

/* ---- what speaks for it ---- */

/* The distance of the other witness. */
static double doubt_of(const problem *p, cdn_state *start, cdn_state *scratch, true_motion *out) {
  double(*other)[TRUTH_MOST] = malloc(REPORTS * sizeof *other), worst = 0;
  cdn_state *at = NULL;
  if (!other) abort();
  MUST(NULL, cdn_state_create(cdn_state_system(start), &at));
  if (!follow_witness(p, start, 1, out->n, out->t, other)) out->failed = true;
  for (int i = 0; i < out->n; i++) {
    unpack(at, out->t[i], other[i]);
    const distance d = distance_of(at, out->y[i], scratch);
    worst = fmax(worst, distance_norm(&d));
  }
  cdn_state_destroy(at);
  free(other);
  return worst;
}

static double distance_from_published(const problem *p, cdn_state *start, cdn_state *scratch) {
  const published *rows = p->published;
  double(*y)[TRUTH_MOST] = malloc((size_t)rows->n * sizeof *y), *t = malloc((size_t)rows->n * sizeof *t), worst = 0;
  if (!y || !t) abort();
  for (int i = 0; i < rows->n; i++) t[i] = rows->rows[rows->columns * i];
  if (!follow(p, start, rows->n, t, y)) worst = INFINITY;
  for (int i = 0; i < rows->n && worst < INFINITY; i++) {
    unpack(scratch, t[i], y[i]);
    worst = fmax(worst, rows->apart(p, scratch, rows->rows + rows->columns * i));
  }
  free(y), free(t);
  return worst;
}

void find_truth(const problem *p, true_motion *out) {
  cdn_state *start = p->start(p), *scratch = NULL;
  const cdn_system *system = cdn_state_system(start);
  const clock_t began = clock();
  memset(out, 0, sizeof *out);
  if (cdn_system_nq(system) + cdn_system_nu(system) + cdn_system_nz(system) > TRUTH_MOST) abort();
  MUST(NULL, cdn_state_create(system, &scratch));
  choose_times(p, start, out);
  out->failed = !follow(p, start, out->n, out->t, out->y);
  if (!out->failed && !p->exact && !p->equations) out->doubt = doubt_of(p, start, scratch, out);
  out->published = p->published && !out->failed ? distance_from_published(p, start, scratch) : NAN;
  cdn_state_destroy(scratch);
  cdn_state_destroy(start);
  out->seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
}
