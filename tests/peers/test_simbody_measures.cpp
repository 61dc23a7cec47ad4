// The measures that Simbody 3.7 has, beside ours: their values and derivatives in random states, and what they remember
// along a trajectory that both integrate.
//
// In random states both compute the same sums of a few numbers: tolerances are a few roundings (1e-14) of them. Along
// the
// trajectory both take steps of a thousandth of a second at accuracy 1e-11. There Simbody interpolates a delay linearly
// and
// knows extremes at the ends of steps only, and so is within h^2/8 |q''| of the truth; its estimated derivative begins
// with
// a difference, whose error of h/2 |f''| it keeps. (Differentiate is told to estimate: where the operand knows its
// derivative
// it ends in an assertion at Acceleration stage.) SampleAndHold is declared in its headers, but not implemented: a
// variable
// that an event sets takes its place.
#include "simbody_compare.h"

#include "../check_main.h"
#include "random_mjcf.h"

#include <algorithm>
#include <cmath>

namespace simbody_measures {

using SimTK::MobilizedBody;
using SimTK::Real;
using SimTK::Stage;
using SimTK::State;

using Measure = SimTK::Measure_<Real>;

constexpr double roundings = 1e-14, step = 1e-3, accuracy = 1e-11, duration = 2, delay = 0.3, period = 0.2;

// ---- Simbody has no measure of a coordinate --------------------------------------------------------

class AngleOf : public Measure::Implementation {
public:
  explicit AngleOf(const MobilizedBody &body) : Measure::Implementation(3), pin(body) {}
  AngleOf *cloneVirtual() const override { return new AngleOf(*this); }
  int getNumTimeDerivativesVirtual() const override { return 2; }
  Stage getDependsOnStageVirtual(int order) const override {
    return order == 0 ? Stage::Position : order == 1 ? Stage::Velocity : Stage::Acceleration;
  }
  void calcCachedValueVirtual(const State &s, int order, Real &value) const override {
    value = order == 0 ? pin.getOneQ(s, 0) : order == 1 ? pin.getOneU(s, 0) : pin.getOneUDot(s, 0);
  }

private:
  MobilizedBody pin;
};

class Angle : public Measure {
public:
  Angle(SimTK::Subsystem &owner, const MobilizedBody &pin) : Measure(owner, new AngleOf(pin), SetHandle()) {}
};

// Sets a variable to a measure, periodically.
class Sampler : public SimTK::PeriodicEventHandler {
public:
  Sampler(const SimTK::System &in, const Measure &what, const Measure::Variable &into)
      : SimTK::PeriodicEventHandler(period), system(in), source(what), held(into) {}
  void handleEvent(State &s, Real, bool &) const override {
    system.realize(s, source.getDependsOnStage());
    held.setValue(s, source.getValue(s));
  }

private:
  const SimTK::System &system;
  Measure source;
  Measure::Variable held;
};

// ---- a pendulum of three links with the same measures on both sides ------------------------------------

struct Pair {
  std::string name;
  cdn_measure ours;
  Measure theirs;
};

struct Rig {
  peers::Tree tree = peers::pin_chain(3);
  peers::SimbodyTree theirs{ tree, false };
  SimTK::Subsystem &owner = theirs.matter;
  cdn_system *system = peers::start_cardan(tree);
  cdn_state *state = nullptr;
  std::vector<Pair> pairs;

  Measure::Time time{ owner };
  Measure::Constant constant{ owner, 2.5 };
  Measure::Sinusoid wave{ owner, 1.3, 2.1, 0.4 };
  Measure::Variable variable{ owner, Stage::Position, -0.75 };
  Angle angle{ owner, theirs.bodies[1] };
  Measure::Plus plus{ owner, wave, time };
  Measure::Minus minus{ owner, plus, angle };
  Measure::Scale scale{ owner, -3, minus };
  Measure::Constant start{ owner, 0.25 };
  Measure::Integrate of_scale{ owner, scale, start }, of_angle{ owner, angle, start };
  Measure::Differentiate wave_rate{ owner, wave }, angle_rate{ owner, angle }, estimate{ owner, scale };
  Measure::Minimum minimum{ owner, angle };
  Measure::Maximum maximum{ owner, angle };
  Measure::MaxAbs max_abs{ owner, angle };
  Measure::MinAbs min_abs{ owner, wave };
  Measure::Delay late{ owner, angle, delay };
  Measure::Variable held{ owner, Stage::Position, 0 };

  Rig() {
    cdn_system_add_gravity(system, "gravity", tree.gravity);
    const double two_and_a_half = 2.5, initial = 0.25, of_variable = -0.75;
    const cdn_measure t = add("time", cdn_system_add_time_measure(system, "time"), time);
    add("constant", cdn_system_add_constant_measure(system, "constant", 1, &two_and_a_half), constant);
    const cdn_measure w = add("wave", cdn_system_add_sinusoid_measure(system, "wave", 1.3, 2.1, 0.4), wave);
    add("variable", cdn_system_add_variable_measure(system, "variable", 1, &of_variable), variable);
    const cdn_measure q =
        add("angle", cdn_system_add_coordinate_measure(system, "angle", cdn_body{ 2 }, CDN_Q, 0), angle);
    const cdn_measure p = add("plus", sum("plus", w, 1, t, 1), plus),
                      m = add("minus", sum("minus", p, 1, q, -1), minus);
    const double factor = -3;
    const cdn_measure s = add("scale", cdn_system_add_sum_measure(system, "scale", 1, &m, &factor), scale);
    add("of scale", cdn_system_add_integral_measure(system, "of scale", s, &initial, 1), of_scale);
    add("of angle", cdn_system_add_integral_measure(system, "of angle", q, &initial, 1), of_angle);
    add("wave rate", cdn_system_add_derivative_measure(system, "wave rate", w), wave_rate);
    add("angle rate", cdn_system_add_derivative_measure(system, "angle rate", q), angle_rate);
    add("estimate", cdn_system_add_derivative_measure(system, "estimate", s), estimate);
    add("minimum", cdn_system_add_extreme_measure(system, "minimum", q, CDN_MINIMUM), minimum);
    add("maximum", cdn_system_add_extreme_measure(system, "maximum", q, CDN_MAXIMUM), maximum);
    add("max abs", cdn_system_add_extreme_measure(system, "max abs", q, CDN_MAX_ABS), max_abs);
    add("min abs", cdn_system_add_extreme_measure(system, "min abs", w, CDN_MIN_ABS), min_abs);
    cdn_delay_def def = cdn_default_delay_def();
    def.name = "late", def.operand = q, def.delay = delay, def.capacity = 1024;
    add("late", cdn_system_add_delay_measure(system, &def), late);
    add("held", cdn_system_add_sample_hold_measure(system, "held", q, period, 0, nullptr), held);
    theirs.system.addEventHandler(new Sampler(theirs.system, angle, held));
    wave_rate.setForceUseApproximation(true);
    angle_rate.setForceUseApproximation(true);
    peers::freeze_cardan(system);
    SUCCEEDS(nullptr, cdn_state_create(system, &state));
    theirs.realize_model();
  }
  ~Rig() {
    cdn_state_destroy(state);
    cdn_system_release(system);
  }
  Rig(const Rig &) = delete;
  Rig &operator=(const Rig &) = delete;

  cdn_measure add(const char *name, cdn_measure ours, const Measure &other) {
    pairs.push_back({ name, ours, other });
    return ours;
  }
  cdn_measure sum(const char *name, cdn_measure a, double of_a, cdn_measure b, double of_b) {
    const cdn_measure terms[] = { a, b };
    const double weights[] = { of_a, of_b };
    return cdn_system_add_sum_measure(system, name, 2, terms, weights);
  }

  const Pair &find(const char *name) const {
    return *std::find_if(pairs.begin(), pairs.end(), [name](const Pair &p) { return p.name == name; });
  }

  // The same t, q, u on both sides.
  void set(double t, const std::vector<double> &q, const std::vector<double> &u) {
    SUCCEEDS(state, cdn_state_set_time(state, t));
    SUCCEEDS(state, cdn_state_set_q(state, q.data()));
    SUCCEEDS(state, cdn_state_set_u(state, u.data()));
    theirs.state.setTime(t);
    theirs.set_q(q.data());
    theirs.set_u(u.data());
  }
};

void near(const std::string &what, double t, double ours, double theirs, double tolerance) {
  ck_assert_msg(std::fabs(ours - theirs) <= tolerance, "%s at %g s: %.17g, Simbody %.17g: differ by %.3g > %.3g",
                what.c_str(), t, ours, theirs, std::fabs(ours - theirs), tolerance);
}

double ours_in(cdn_state *state, const Pair &p) {
  const double *value = cdn_measure_value(state, p.ours);
  ck_assert_msg(value != nullptr, "%s has no value", p.name.c_str());
  return *value;
}

// ---- in one state ------------------------------------------------------------------------------------

START_TEST(test_random_states) {
  Rig rig;
  uint64_t rng = 7;
  State &s = rig.theirs.state;
  for (int k = 0; k < 100; k++) {
    rig.set(random_uniform(&rng, -5, 5), peers::random_q(rig.tree, &rng), peers::random_u(rig.tree, 3, &rng));
    const double value = random_uniform(&rng, -1, 1),
                 z[] = { random_uniform(&rng, -1, 1), random_uniform(&rng, -1, 1) };
    SUCCEEDS(rig.state, cdn_measure_set_value(rig.state, rig.find("variable").ours, &value));
    rig.variable.setValue(s, value);
    SUCCEEDS(rig.state, cdn_state_set_z(rig.state, z));
    rig.of_scale.setValue(s, z[0]);
    rig.of_angle.setValue(s, z[1]);
    rig.theirs.system.realize(s, Stage::Acceleration);
    for (const char *name :
         { "time", "constant", "wave", "variable", "angle", "plus", "minus", "scale", "of scale", "of angle" }) {
      const Pair &p = rig.find(name);
      const int orders = std::min(p.theirs.getNumTimeDerivatives(), cdn_measure_derivatives(rig.system, p.ours));
      for (int order = 0; order <= std::min(orders, 3); order++) {
        double ours;
        SUCCEEDS(rig.state, cdn_measure_derivative(rig.state, p.ours, order, &ours));
        near(p.name, s.getTime(), ours, p.theirs.getValue(s, order), 30 * roundings);
      }
    }
  }
}
END_TEST

// What somebody else puts there: valid until what it depends on changes, then refused.
START_TEST(test_result) {
  peers::Tree tree = peers::pin_chain(2);
  peers::SimbodyTree theirs(tree, false);
  Measure::Result result(theirs.matter, Stage::Position, Stage::Velocity);
  cdn_system *system = peers::start_cardan(tree);
  const cdn_measure ours = cdn_system_add_result_measure(system, "result", 1, CDN_STAGE_POSITION, 0, nullptr);
  peers::freeze_cardan(system);
  cdn_state *state = nullptr;
  SUCCEEDS(nullptr, cdn_state_create(system, &state));
  theirs.realize_model();
  State &s = theirs.state;
  const auto set_both = [&](double value) {
    theirs.system.realize(s, Stage::Position);
    result.updValue(s) = value;
    result.markAsValid(s);
    SUCCEEDS(state, cdn_realize(state, CDN_STAGE_POSITION));
    SUCCEEDS(state, cdn_measure_set_value(state, ours, &value));
  };
  const auto compare = [&](const char *when) {
    const double *value = cdn_measure_value(state, ours);
    ck_assert_msg((value != nullptr) == result.isValid(s), "%s: valid %d, Simbody %d", when, value != nullptr,
                  result.isValid(s));
    if (value) ck_assert_msg(*value == result.getValue(s), "%s: %g, Simbody %g", when, *value, result.getValue(s));
  };
  const double two[] = { 0.5, -0.25 };
  compare("before it is set");
  set_both(3.5);
  ck_assert(result.isValid(s));
  compare("set");
  theirs.set_u(two);
  SUCCEEDS(state, cdn_state_set_u(state, two));
  compare("after a change of a later stage");
  theirs.system.realize(s, Stage::Acceleration);
  SUCCEEDS(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  compare("after realizing the rest");
  // What is later than the stage that it invalidates has to be realized again.
  set_both(-1.25);
  ck_assert(s.getSystemStage() < Stage::Acceleration);
  compare("set again");
  theirs.set_q(two);
  SUCCEEDS(state, cdn_state_set_q(state, two));
  compare("after a change of what it depends on");
  ck_assert(!result.isValid(s));
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

// ---- along a trajectory --------------------------------------------------------------------------------

START_TEST(test_trajectory) {
  Rig rig;
  const std::vector<double> q = { 0.4, -0.7, 0.2 }, u = { 0.5, 1.5, -1 };
  rig.set(0, q, u);
  SimTK::RungeKuttaMersonIntegrator method(rig.theirs.system);
  method.setAccuracy(accuracy);
  method.setMaximumStepSize(step);
  method.setAllowInterpolation(false);
  SimTK::TimeStepper run(rig.theirs.system, method);
  run.initialize(rig.theirs.state);

  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = accuracy;
  def.max_step = step;
  cdn_stepper *stepper = nullptr;
  SUCCEEDS(rig.state, cdn_stepper_create(rig.state, &def, &stepper));

  const Pair &wave = rig.find("wave");
  // Two runs at this accuracy, with steps that are short for both, may differ by a few times it.
  const double same = 10 * accuracy;
  double bend = 0, bend_of_scale = 0;
  for (int k = 1; k <= 100; k++) {
    const double t = (k - 0.5) * duration / 100; // no sample is taken there: Simbody reports first, and then samples
    ck_assert(cdn_stepper_advance(stepper, t, nullptr) == CDN_OK);
    run.stepTo(t);
    const State &s = method.getState();
    cdn_state *state = cdn_stepper_state(stepper);
    rig.theirs.system.realize(s, Stage::Acceleration);
    const double now = method.getState().getUDot()[rig.theirs.u_at[1]];
    double wave2;
    SUCCEEDS(state, cdn_measure_derivative(state, wave.ours, 2, &wave2));
    // The largest so far, and what it may have been between reports.
    bend = std::max(bend, 2 * std::fabs(now));
    bend_of_scale = std::max(bend_of_scale, 6 * (std::fabs(now) + std::fabs(wave2)));
    const double within = step * step / 8 * bend;
    for (const Pair &p : rig.pairs) {
      double tolerance = same;
      if (p.name == "late" || p.name == "minimum" || p.name == "maximum" || p.name == "max abs") tolerance += within;
      // It is zero at a crossing, where Simbody has the nearer end of a step: up to half a step's way.
      if (p.name == "min abs") tolerance += step / 2 * 1.3 * 2.1;
      if (p.name == "wave rate") tolerance += step / 2 * 1.3 * 2.1 * 2.1;
      if (p.name == "angle rate") tolerance += step / 2 * bend;
      if (p.name == "estimate") tolerance += step / 2 * bend_of_scale;
      near(p.name, t, ours_in(state, p), p.theirs.getValue(s), tolerance);
    }
  }
  // Something has happened: both have turned, and have been sampled.
  ck_assert(ours_in(cdn_stepper_state(stepper), rig.find("maximum")) > q[1] + 0.1);
  ck_assert(rig.held.getValue(method.getState()) != 0);
  cdn_stepper_destroy(stepper);
}
END_TEST

CHECK_MAIN("simbody_measures", test_random_states, test_result, test_trajectory)

} // namespace simbody_measures
