// A run in Simbody with one of its integrators.
#include "../tests/peers/simbody_tree.h"

#include "runs_in_time.h"

#include <chrono>
#include <cstdio>
#include <exception>

#include <csignal>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {

using namespace SimTK;

const char *name_of(Peer peer) {
  switch (peer) {
    case Peer::merson: return "RungeKuttaMerson";
    case Peer::fehlberg: return "RungeKuttaFeldberg";
    case Peer::adams: return "CPodes Adams";
    case Peer::bdf: return "CPodes BDF";
    default: return "Verlet";
  }
}

static std::unique_ptr<Integrator> make_integrator(Peer peer, const System &system) {
  switch (peer) {
    case Peer::merson: return std::make_unique<RungeKuttaMersonIntegrator>(system);
    case Peer::fehlberg: return std::make_unique<RungeKuttaFeldbergIntegrator>(system);
    case Peer::adams: return std::make_unique<CPodesIntegrator>(system, CPodes::Adams);
    case Peer::bdf: return std::make_unique<CPodesIntegrator>(system, CPodes::BDF);
    default: return std::make_unique<VerletIntegrator>(system);
  }
}

// The first q falls through zero: its u turns about.
class Bounce : public TriggeredEventHandler {
public:
  Bounce(const MobilizedBody &body, double restitution)
      : TriggeredEventHandler(Stage::Position), body(body), restitution(restitution) {
    getTriggerInfo().setTriggerOnRisingSignTransition(false);
  }
  Real getValue(const State &state) const override { return body.getOneQ(state, 0); }
  void handleEvent(State &state, Real, bool &) const override {
    body.setOneU(state, 0, -restitution * body.getOneU(state, 0));
  }

private:
  MobilizedBody body;
  double restitution;
};

static Run run_here(const Problem &problem, Peer peer, double accuracy) {
  peers::SimbodyTree t(problem.tree, false);
  if (problem.restitution > 0) t.system.addEventHandler(new Bounce(t.bodies[0], problem.restitution)); // the system's
  auto body = [&](int i) -> MobilizedBody & { return i < 0 ? t.matter.Ground() : t.bodies[static_cast<size_t>(i)]; };
  auto unit = [](cdn_vec3 v) { return UnitVec3(peers::to_simbody(v)); };
  for (const Loop &l : problem.loops)
    Constraint::Ball(body(l.a), peers::to_simbody(l.p_A), body(l.b), peers::to_simbody(l.p_B));
  for (const Square &s : problem.squares)
    Constraint::ConstantAngle(body(s.a), unit(s.x_A), body(s.b), unit(s.y_B), std::acos(0.));
  for (const Strut &s : problem.struts) {
    const Vec3 p_A = peers::to_simbody(s.p_A), p_B = peers::to_simbody(s.p_B);
    Force::TwoPointLinearSpring(t.forces, body(s.a), p_A, body(s.b), p_B, s.stiffness, s.rest);
    if (s.damping > 0) Force::TwoPointLinearDamper(t.forces, body(s.a), p_A, body(s.b), p_B, s.damping);
  }
  if (problem.drive != 0) Force::MobilityConstantForce(t.forces, body(0), 0, problem.drive);
  t.realize_model();
  t.set_q(problem.q.data());
  t.set_u(problem.u.data());
  Run run;
  auto start = std::chrono::steady_clock::now();
  try {
    std::unique_ptr<Integrator> integrator = make_integrator(peer, t.system);
    integrator->setAccuracy(accuracy);
    TimeStepper stepper(t.system, *integrator);
    stepper.initialize(t.state);
    for (int i = 1; i <= n_reports; i++) {
      stepper.stepTo(problem.end * i / n_reports);
      const State &at = integrator->getState();
      std::vector<double> q = t.q_from_simbody(at.getQ()), u = t.u_from_simbody(at.getU());
      run.rows.insert(run.rows.end(), q.begin(), q.end());
      run.rows.insert(run.rows.end(), u.begin(), u.end());
    }
    run.evaluations = integrator->getNumRealizations();
  } catch (const std::exception &) { run.failed = true; }
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return run;
}

static bool read_all(int pipe, void *out, size_t size, int patience_ms) {
  char *at = static_cast<char *>(out);
  while (size > 0) {
    pollfd wait = { pipe, POLLIN, 0 };
    if (poll(&wait, 1, patience_ms) <= 0) return false;
    ssize_t n = read(pipe, at, size);
    if (n <= 0) return false;
    at += n;
    size -= static_cast<size_t>(n);
  }
  return true;
}

// In a process of its own: some of these integrators never come back on some problems.
Run run_simbody(const Problem &problem, Peer peer, double accuracy) {
  const int patience_ms = 20000;
  int ends[2];
  Run run;
  run.failed = true;
  std::fflush(stdout);
  if (pipe(ends) != 0) return run;
  pid_t child = fork();
  if (child == 0) {
    close(ends[0]);
    if (!std::freopen("/dev/null", "w", stderr)) _exit(1); // CPodes complains at length
    Run result = run_here(problem, peer, accuracy);
    double numbers[3] = { result.failed ? 1. : 0., result.evaluations, result.seconds };
    size_t size = result.rows.size() * sizeof(double);
    bool told = write(ends[1], numbers, sizeof numbers) == static_cast<ssize_t>(sizeof numbers);
    if (told && !result.failed) told = write(ends[1], result.rows.data(), size) == static_cast<ssize_t>(size);
    _exit(told ? 0 : 1);
  }
  close(ends[1]);
  double numbers[3];
  run.rows.resize(static_cast<size_t>(n_reports * (problem.tree.nq() + problem.tree.nu())));
  if (child > 0 && read_all(ends[0], numbers, sizeof numbers, patience_ms) && numbers[0] == 0 &&
      read_all(ends[0], run.rows.data(), run.rows.size() * sizeof(double), patience_ms)) {
    run.failed = false;
    run.evaluations = numbers[1];
    run.seconds = numbers[2];
  }
  if (child > 0) {
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
  }
  close(ends[0]);
  return run;
}

} // namespace bench
