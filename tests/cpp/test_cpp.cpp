/* <cardan/cardan.hpp>: owners, exceptions with their story, operators, lambdas that live as long as their System. It is
 * compiled as C++17 and as C++20. */
#include <cardan/cardan.hpp>

#include <cmath>
#include <memory>
#include <sstream>
#include <vector>

#include "check_main.h"

namespace {

/* A pendulum of 1 kg on a rod of 1 m; what adds to the System comes before it is frozen. */
cardan::System pendulum(const std::function<void(cdn_system *)> &add = {}) {
  auto system = cardan::get(cdn_system_create, nullptr);
  cdn_body_def arm = cdn_default_body_def();
  arm.name = "arm", arm.mobilizer = CDN_PIN, arm.X_BM.p = { 0, 1, 0 }, arm.mass.mass = 1;
  cardan::check(cdn_system_add_body(system, &arm));
  if (add) add(system);
  cardan::check(cdn_system_freeze(system));
  return system;
}

template <class E, class Call> std::string thrown(Call call) {
  try {
    call();
  } catch (const E &error) { return error.what(); }
  ck_abort_msg("nothing was thrown, or something else");
  return "";
}

bool has(const std::string &text, const char *part) { return text.find(part) != std::string::npos; }

START_TEST(objects_have_one_owner) {
  const cardan::System system = pendulum();
  cardan::State state = cardan::get(cdn_state_create, system);
  cdn_state *raw = state;
  cardan::State other = std::move(state);
  ck_assert_ptr_null(state.get());
  ck_assert_ptr_eq(other.get(), raw);
  state = std::move(other);
  ck_assert_ptr_eq(state.get(), raw);
  raw = state.release();
  ck_assert_ptr_null(state.get());
  other.reset(raw);
  ck_assert_int_eq(static_cast<int>(cardan::q(other).size()), 1);
  static_assert(!std::is_copy_constructible_v<cardan::State>);
}
END_TEST

START_TEST(results_are_returned) {
  const cardan::System system = pendulum();
  const cardan::State state = cardan::get(cdn_state_create, system);
  cardan::set_u(state, { 3 });
  ck_assert_double_eq_tol(cardan::get(cdn_kinetic_energy, state), 4.5, 1e-15);
  const cardan::Stepper stepper = cardan::get(cdn_stepper_create, state, nullptr);
  cardan::check(cdn_stepper_advance(stepper, 1, nullptr));
  const cdn_certificate certificate = cardan::get(cdn_stepper_certificate, stepper);
  ck_assert(certificate.steps > 0);
}
END_TEST

START_TEST(failures_have_their_story) {
  const cardan::System system = pendulum();
  const cardan::State state = cardan::get(cdn_state_create, system);
  try {
    cardan::set_q(state, { NAN });
    ck_abort_msg("a NaN was taken");
  } catch (const cardan::Error &error) {
    ck_assert_int_eq(error.status(), CDN_ERR_NONFINITE);
    ck_assert_str_eq(error.story().function, "cdn_state_set_q");
    ck_assert_str_eq(error.what(), cdn_last_error_text());
  }
  ck_assert(has(thrown<std::invalid_argument>([&] { cardan::set_q(state, { 1, 2 }); }), "2 numbers are given"));
  ck_assert(has(thrown<cardan::Error>([&] { (void)cardan::get(cdn_state_create, nullptr); }), "cdn_state_create"));
  ck_assert(has(thrown<cardan::Error>([&] { (void)cardan::q(nullptr); }), "NULL"));
  const cdn_body_def another = cdn_default_body_def();
  ck_assert(has(thrown<cardan::Error>([&] { cardan::check(cdn_system_add_body(system, &another)); }), "frozen"));
}
END_TEST

START_TEST(numbers_come_from_containers) {
  const cardan::System system = pendulum();
  const cardan::State state = cardan::get(cdn_state_create, system);
  const std::vector<double> values = { 0.25 };
  cardan::set_q(state, values);
  double sum = 0;
  for (double x : cardan::q(state)) sum += x;
  ck_assert_double_eq(sum, 0.25);
  ck_assert_int_eq(static_cast<int>(cardan::z(state).size()), 0);
  ck_assert_ptr_eq(cardan::udot(state).data(), cdn_state_udot(state));
#if __cplusplus >= 202002L
  static_assert(std::is_same_v<cardan::numbers, std::span<const double>>);
#endif
}
END_TEST

START_TEST(operators_are_those_of_math_h) {
  const cdn_vec3 a = { 1, 2, 3 }, b = { -4, 0.5, 2 };
  ck_assert(a + b == cdn_add(a, b) && a - b == cdn_sub(a, b) && 2 * a == cdn_scale(2, a) && a * 2 == 2 * a);
  ck_assert(-a == cdn_v3(-1, -2, -3) && a / 2 == cdn_v3(0.5, 1, 1.5) && a != b);
  cdn_vec3 c = a;
  c += b, c -= a, c *= 2, c /= 2;
  ck_assert(c == b);
  const cdn_rotation R = cdn_rotation_axis_angle(b, 0.7), S = cdn_rotation_axis_angle(a, -1);
  ck_assert(R * a == cdn_rotate(R, a) && ~R * a == cdn_rotate_inv(R, a));
  ck_assert((R * S).x == cdn_rotation_multiply(R, S).x);
  const cdn_transform X = { R, a }, Y = { S, b };
  ck_assert(X * b == cdn_transform_point(X, b) && (X * Y).p == cdn_transform_multiply(X, Y).p);
  ck_assert(cdn_norm(~X * (X * b) - b) < 1e-15 * cdn_norm(b) * 8);
  cdn_spatial V = { a, b };
  V += V, V -= cdn_spatial{ a, b };
  ck_assert((2 * V - V).v == b && (-V).w == -a);
}
END_TEST

/* A spring of 10 N m/rad as a lambda with a potential: energy is kept, and the frequency is sqrt(k / I). */
START_TEST(a_lambda_is_a_force) {
  const double k = 10;
  const cardan::System system = pendulum([k](cdn_system *s) {
    cardan::add_force(
        s, "spring",
        [k](cdn_state *state, cdn_forces *f) { cdn_forces_add_mobility(f, { 1 }, 0, -k * cardan::q(state)[0]); },
        [k](cdn_state *state) { return 0.5 * k * cardan::q(state)[0] * cardan::q(state)[0]; });
    cardan::add_measure(s, "twice", 1, CDN_STAGE_POSITION,
                        [](cdn_state *state, double *value) { *value = 2 * cardan::q(state)[0]; });
  });
  const cardan::State state = cardan::get(cdn_state_create, system);
  cardan::set_q(state, { 0.3 });
  ck_assert_double_eq_tol(cardan::udot(state)[0], -3, 1e-14);
  ck_assert_double_eq(cardan::value(state, cdn_system_find_measure(system, "twice"))[0], 0.6);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-9;
  const cardan::Stepper stepper = cardan::get(cdn_stepper_create, state, &def);
  cardan::check(cdn_stepper_advance(stepper, 2, nullptr));
  ck_assert_double_eq_tol(cardan::q(cdn_stepper_state(stepper))[0], 0.3 * std::cos(std::sqrt(k) * 2), 1e-8);
  ck_assert(std::fabs(cardan::get(cdn_stepper_certificate, stepper).energy_residual) < 1e-8);
}
END_TEST

START_TEST(lambdas_are_events) {
  std::vector<double> reports;
  cdn_event fall = { -1 };
  const cardan::System system = pendulum([&](cdn_system *s) {
    cdn_event_def def = cdn_default_event_def();
    def.name = "half";
    cardan::event_calls calls;
    calls.value = [](cdn_state *state) { return cardan::q(state)[0] - 0.5; };
    calls.handle = [](cdn_state *, const cdn_occurrence &) { return CDN_STOP; };
    fall = cardan::add_event(s, def, calls);
    def = cdn_default_event_def(), def.name = "clock", def.kind = CDN_EVENT_SCHEDULED;
    calls = {};
    calls.next_time = [](cdn_state *, double after) { return std::floor(after / 0.2 + 1.5) * 0.2; };
    calls.report = [&reports](cdn_state *state, const cdn_occurrence &) { reports.push_back(cdn_state_time(state)); };
    cardan::add_event(s, def, calls);
  });
  const cardan::State state = cardan::get(cdn_state_create, system);
  cardan::set_u(state, { 1 }); /* without gravity: q = t */
  const cardan::Stepper stepper = cardan::get(cdn_stepper_create, state, nullptr);
  cardan::check(cdn_stepper_advance(stepper, 2, nullptr));
  ck_assert_double_eq_tol(cdn_state_time(cdn_stepper_state(stepper)), 0.5, 1e-9);
  ck_assert(cdn_stepper_is_stopped(stepper));
  ck_assert_int_eq(static_cast<int>(reports.size()), 2);
  ck_assert_double_eq(cardan::get(cdn_event_value, state, fall), -0.5);
}
END_TEST

struct Own : std::runtime_error {
  int number;
  explicit Own(int n) : std::runtime_error("own\ttrouble"), number(n) {}
};

START_TEST(what_a_lambda_throws_comes_out_unchanged) {
  bool angry = true;
  const cardan::System system = pendulum([&](cdn_system *s) {
    cardan::add_force(s, "angry", [&angry](cdn_state *, cdn_forces *) {
      if (angry) throw Own(7);
    });
    cardan::add_measure(s, "odd", 1, CDN_STAGE_POSITION, [](cdn_state *, double *) { throw 3; });
    cardan::add_measure(s, "nested", 1, CDN_STAGE_POSITION,
                        [](cdn_state *state, double *) { cardan::check(cdn_realize(state, CDN_STAGE_COUNT)); });
  });
  const cardan::State state = cardan::get(cdn_state_create, system);
  for (int i = 0; i < 2; i++) {
    try {
      cardan::check(cdn_realize(state, CDN_STAGE_ACCELERATION));
      ck_abort_msg("nothing was thrown");
    } catch (const Own &own) { ck_assert_int_eq(own.number, 7); }
  }
  angry = false;
  cardan::check(cdn_realize(state, CDN_STAGE_ACCELERATION));
  bool caught = false;
  try {
    (void)cardan::value(state, cdn_system_find_measure(system, "odd"));
  } catch (int three) { caught = three == 3; }
  ck_assert(caught);
  ck_assert(has(thrown<cardan::Error>([&] { (void)cardan::value(state, cdn_system_find_measure(system, "nested")); }),
                "stage"));
  /* a later failure of C is not the old exception */
  ck_assert(has(thrown<cardan::Error>([&] { cardan::set_q(state, { NAN }); }), "cdn_state_set_q"));
  /* within a run, too */
  const cardan::Stepper stepper = cardan::get(cdn_stepper_create, state, nullptr);
  angry = true;
  bool unchanged = false;
  try {
    cardan::check(cdn_stepper_advance(stepper, 1, nullptr));
  } catch (const Own &) { unchanged = true; }
  ck_assert(unchanged);
}
END_TEST

START_TEST(lambdas_are_freed_with_their_system) {
  const auto held = std::make_shared<int>(1);
  {
    const cardan::System system = pendulum([&](cdn_system *s) {
      cardan::add_force(s, "force", [held](cdn_state *, cdn_forces *) { (void)*held; });
      cardan::add_measure(s, "measure", 1, CDN_STAGE_TIME, [held](cdn_state *, double *value) { *value = *held; });
      cardan::event_calls calls;
      calls.report = [held](cdn_state *, const cdn_occurrence &) { (void)*held; };
      cdn_event_def def = cdn_default_event_def();
      def.kind = CDN_EVENT_STEP;
      cardan::add_event(s, def, calls);
    });
  }
  ck_assert_int_eq(static_cast<int>(held.use_count()), 1);
  /* a building mistake: the System is good for nothing then, and frees the function all the same */
  ck_assert(has(thrown<cardan::Error>([&] {
                  pendulum([&](cdn_system *s) {
                    cardan::add_measure(s, "none", 0, CDN_STAGE_TIME, [held](cdn_state *, double *) { (void)*held; });
                  });
                }),
                "none"));
  ck_assert_int_eq(static_cast<int>(held.use_count()), 1);
  const cardan::System frozen = pendulum();
  ck_assert(has(thrown<cardan::Error>(
                    [&] { cardan::add_force(frozen, "late", [held](cdn_state *, cdn_forces *) { (void)*held; }); }),
                "frozen"));
  ck_assert_int_eq(static_cast<int>(held.use_count()), 1);
}
END_TEST

START_TEST(rows_go_to_streams) {
  const cardan::System system = pendulum();
  const cardan::State state = cardan::get(cdn_state_create, system);
  std::ostringstream out;
  const cardan::Trajectory rows = cardan::get(cdn_trajectory_create, state, nullptr, cardan::to_stream, &out);
  cardan::check(cdn_trajectory_header(rows));
  cardan::check(cdn_trajectory_row(rows, state, nullptr));
  ck_assert(has(out.str(), "time,arm.q,arm.u"));
  out.setstate(std::ios::badbit);
  ck_assert(cdn_trajectory_row(rows, state, nullptr) == CDN_ERR_FILE);
}
END_TEST

} // namespace

CHECK_MAIN("cpp", objects_have_one_owner, results_are_returned, failures_have_their_story, numbers_come_from_containers,
           operators_are_those_of_math_h, a_lambda_is_a_force, lambdas_are_events,
           what_a_lambda_throws_comes_out_unchanged, lambdas_are_freed_with_their_system, rows_go_to_streams)
