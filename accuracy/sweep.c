/* All accuracies of one problem and method. */
#include "sweep.h"

#include <math.h>

double sweep_accuracy(int i) { return pow(10, -2 - 0.1 * i); }

/* What an evaluation takes, all else and three times as much for the companion included: a rough measure of one
 * processor of 2020, s. */
static double evaluation_cost(const cdn_system *system, cdn_method method) {
  const int nu = cdn_system_nu(system), equations = cdn_system_nuerr(system);
  const double cost = 3e-6 * (0.9 + 0.1 * nu + (equations ? 0.5 * nu + 0.02 * equations : 0));
  return method >= CDN_METHOD_CVODE_BDF ? 2 * cost : cost;
}

/* The evaluations that the next accuracy will take: as they have grown over the last decade. */
static double predict(const sweep *s, int next) {
  int last = next - 1, first;
  while (last >= 0 && !s->ran[last]) last--;
  if (last < 0) return 0;
  for (first = last; first > 0 && last - first < 10; first--) {}
  while (!s->ran[first]) first++;
  const double evaluations = (double)s->runs[last].evaluations;
  const double slope = first < last ? log10(evaluations / (double)s->runs[first].evaluations) / (last - first) : 0.02;
  return evaluations * pow(10, fmin(0.1, fmax(0, slope)) * (next - last));
}

static bool is_wanted(const sweep *s, int i, bool all, double allowed) {
  const double expected = predict(s, i);
  const int stride = all || expected <= 0.02 * allowed ? 1 : expected <= 0.2 * allowed ? 5 : 10;
  return i % stride == 0 && expected <= allowed;
}

void run_sweep(const problem *p, const true_motion *truth, const sweep_request *ask, sweep *out) {
  cdn_state *start = p->start(p);
  const double allowed = ask->seconds / evaluation_cost(cdn_state_system(start), ask->method);
  const bool thin = ask->each == 1 && ask->method != CDN_METHOD_DEFAULT, single = ask->only > 0;
  bool stopped = false;
  run_request request = { ask->method, .companion = ask->companion };
  memset(out, 0, sizeof *out);
  request.most = single ? INT64_MAX / 2 : (int64_t)(1.5 * allowed);
  for (int i = 0; i < (single ? 1 : ACCURACIES) && !truth->failed; i++) {
    run *r = &out->runs[i];
    request.accuracy = single ? ask->only : sweep_accuracy(i);
    if (!single && i % ask->each != ask->each / 2) continue;
    if (!single && request.accuracy < 100 * truth->doubt) {
      out->doubtful++;
      continue;
    }
    /* once a run had to be stopped tighter ones would have to be */
    if (stopped || (!single && !is_wanted(out, i, !thin, allowed))) {
      out->longer++;
      continue;
    }
    run_problem(p, start, truth, &request, r);
    stopped = r->cut;
    if (stopped) {
      out->longer++;
      continue;
    }
    if (r->status == CDN_ERR_UNSUPPORTED) break;
    out->ran[i] = true;
  }
  out->done = true;
  cdn_state_destroy(start);
}
