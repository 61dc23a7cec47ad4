// A run in Cardan, through the public API.
#include "runs_in_time.h"

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace bench {

static void must(cdn_status status, cdn_state *state) {
  if (status == CDN_OK) return;
  cdn_error error = {};
  if (state) cdn_state_last_error(state, &error);
  std::fprintf(stderr, "Cardan: %s: %s\n", cdn_status_name(status), error.text);
  std::exit(1);
}

static cdn_status first_q(const void *, cdn_state *state, double *value) {
  *value = cdn_state_q(state)[0];
  return CDN_OK;
}

static cdn_status bounce(const void *self, cdn_state *state, const cdn_occurrence *, cdn_action *) {
  double u = -*static_cast<const double *>(self) * cdn_state_u(state)[0];
  return cdn_state_set_slots(state, CDN_POOL_U, 0, 1, &u);
}

// As peers::build_cardan, with what a problem has besides its tree; springs and dampers on pins go without.
static cdn_system *build(const Problem &problem) {
  if (problem.tree.stiffness > 0 || problem.tree.damping > 0) return peers::build_cardan(problem.tree);
  cdn_system *system = peers::start_cardan(problem.tree);
  cdn_system_add_gravity(system, "gravity", problem.tree.gravity);
  for (const Loop &loop : problem.loops)
    cdn_system_constrain_ball(system, nullptr, { loop.a + 1 }, loop.p_A, { loop.b + 1 }, loop.p_B);
  for (const Square &s : problem.squares)
    cdn_system_constrain_angle(system, nullptr, { s.a + 1 }, s.x_A, { s.b + 1 }, s.y_B, std::acos(0.));
  for (const Strut &s : problem.struts) {
    const cdn_body a = { s.a + 1 }, b = { s.b + 1 };
    cdn_system_add_two_point_spring(system, nullptr, a, s.p_A, b, s.p_B, s.stiffness, s.rest);
    if (s.damping > 0) cdn_system_add_two_point_damper(system, nullptr, a, s.p_A, b, s.p_B, s.damping);
  }
  if (problem.drive != 0) cdn_system_add_mobility_force(system, "drive", { 1 }, 0, problem.drive);
  cdn_event_def event = cdn_default_event_def();
  event.name = "bounce";
  event.direction = CDN_FALLING;
  event.value = first_q;
  event.handle = bounce;
  event.self = &problem.restitution;
  event.self_size = sizeof problem.restitution;
  if (problem.restitution > 0) cdn_system_add_event(system, &event);
  peers::freeze_cardan(system);
  return system;
}

Run run_cardan(const Problem &problem, cdn_method method, double accuracy) {
  cdn_system *system = build(problem);
  cdn_state *state = nullptr;
  cdn_stepper *stepper = nullptr;
  must(cdn_state_create(system, &state), state);
  must(cdn_state_set_q(state, problem.q.data()), state);
  must(cdn_state_set_u(state, problem.u.data()), state);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method;
  def.accuracy = accuracy;
  def.max_steps = 2000000;

  Run run;
  auto start = std::chrono::steady_clock::now();
  cdn_status status = cdn_stepper_create(state, &def, &stepper);
  if (status == CDN_ERR_UNSUPPORTED) {
    run.failed = true; // with events, or without SUNDIALS
    cdn_state_destroy(state);
    cdn_system_release(system);
    return run;
  }
  must(status, state);
  for (int i = 1; i <= n_reports && !run.failed; i++) {
    run.failed = cdn_stepper_advance(stepper, problem.end * i / n_reports, nullptr) != CDN_OK;
    const cdn_state *at = cdn_stepper_state(stepper);
    run.rows.insert(run.rows.end(), cdn_state_q(at), cdn_state_q(at) + problem.tree.nq());
    run.rows.insert(run.rows.end(), cdn_state_u(at), cdn_state_u(at) + problem.tree.nu());
  }
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  cdn_certificate certificate;
  if (!run.failed) {
    must(cdn_stepper_certificate(stepper, &certificate), nullptr);
    run.evaluations = static_cast<double>(certificate.evaluations + certificate.report_evaluations);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return run;
}

double error_of(const Problem &problem, const Run &run, const Run &reference) {
  if (run.failed || reference.failed) return NAN;
  size_t nq = static_cast<size_t>(problem.tree.nq()), nu = static_cast<size_t>(problem.tree.nu());
  double worst = 0;
  for (size_t row = 0; row < reference.rows.size(); row += nq + nu) {
    double q = 0, u = 0;
    for (size_t i = 0; i < nq + nu; i++) {
      double truth = reference.rows[row + i], off = run.rows[row + i] - truth;
      if (i < nq) q += off * off;
      else u += std::pow(off / std::fmax(1, std::fabs(truth)), 2);
    }
    worst = std::fmax(worst, std::sqrt(std::fmax(q / static_cast<double>(nq), u / static_cast<double>(nu))));
  }
  return worst;
}

} // namespace bench
