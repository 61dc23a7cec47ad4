#include "soft_humanoid.h"

#include "soft_model.h"
#include "timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>

namespace bench {

namespace {

class Humanoid {
public:
  explicit Humanoid(const std::vector<const mujoco_functions *> &mujocos) : names(columns(mujocos)) {}
  bool load(const std::string &path, const std::vector<const mujoco_functions *> &mujocos);
  void compare(int sweeps, Report *report);

private:
  std::unique_ptr<Soft_model> ours;
  std::vector<std::unique_ptr<Mujoco_model>> theirs;
  std::vector<std::string> names;
  std::vector<Moment> moments;
  std::vector<Numbers> qacc, udot; // at the moments, MuJoCo's and the same in our coordinates
  double contacts = 0, rows = 0;

  void record();
  void compare_accelerations();
  void compare_steps(int sweeps, Report *report);
  void compare_ensembles(int sweeps, Report *report);
  // Microseconds a call of each engine, in turn, over moments a `stride` apart; the best of the sweeps.
  void time(const char *name, size_t stride, int sweeps, const std::function<void(size_t)> &us,
            const std::function<void(Mujoco_model *, size_t)> &them, Report *report);
};

bool Humanoid::load(const std::string &path, const std::vector<const mujoco_functions *> &mujocos) {
  std::string message;
  ours = Soft_model::load(path, CDN_METHOD_MUJOCO_EULER, &message);
  for (const mujoco_functions *each : mujocos) {
    theirs.push_back(ours ? Mujoco_model::load(each, path, &message) : nullptr);
    if (!theirs.back()) {
      std::printf("%s: %s: it is left out\n", path.c_str(), message.c_str());
      return false;
    }
    theirs.back()->use_newton_and_pyramids();
  }
  record();
  return true;
}

// The motion of the last MuJoCo: the humanoid falls, and lies from about the first second on.
void Humanoid::record() {
  Mujoco_model *m = theirs.back().get();
  m->step(200);
  for (int k = 0; k < 400; k++) {
    moments.push_back(m->moment());
    m->step(1);
    qacc.push_back(m->qacc());
    ours->put(moments.back());
    udot.push_back(ours->ours(qacc.back()));
    contacts += m->counts().contacts / 400, rows += m->counts().rows / 400;
  }
}

void Humanoid::time(const char *name, size_t stride, int sweeps, const std::function<void(size_t)> &us,
                    const std::function<void(Mujoco_model *, size_t)> &them, Report *report) {
  std::vector<double> best(1 + theirs.size(), INFINITY);
  for (int sweep = 0; sweep < sweeps; sweep++)
    for (size_t e = 0; e < best.size(); e++) {
      const double from = now();
      for (size_t i = 0; i < moments.size(); i += stride)
        if (e == 0) us(i);
        else them(theirs[e - 1].get(), i);
      best[e] = std::min(best[e], (now() - from) / 1000 / static_cast<double>(moments.size() / stride));
    }
  report->add(name, "us", best, names);
}

void Humanoid::compare_accelerations() {
  std::vector<double> iterations(1 + theirs.size()), farthest(theirs.size());
  for (const Moment &a : moments) {
    ours->put(a), ours->realize();
    iterations[0] += ours->iterations() / static_cast<double>(moments.size());
    for (size_t e = 0; e < theirs.size(); e++) {
      theirs[e]->put(a), theirs[e]->forward();
      iterations[e + 1] += theirs[e]->counts().iterations / static_cast<double>(moments.size());
      double size = 0, error = 0;
      const Numbers mine = ours->qacc(), their = theirs[e]->qacc();
      for (size_t k = 0; k < mine.size(); k++) size += their[k] * their[k], error += std::pow(mine[k] - their[k], 2);
      farthest[e] = std::max(farthest[e], std::sqrt(error / size));
    }
  }
  std::printf("  cardan: %.2f iterations\n", iterations[0]);
  for (size_t e = 0; e < theirs.size(); e++)
    std::printf("  %s: %.2f iterations; accelerations agree to %.1e\n", names[e + 1].c_str(), iterations[e + 1],
                farthest[e]);
}

// A step of Euler's method with implicit damping, in runs of a hundred: of MuJoCo, which starts each from the solution
// before, and of ours.
void Humanoid::compare_steps(int sweeps, Report *report) {
  const size_t steps = 100;
  std::vector<double> best(1 + theirs.size(), INFINITY);
  for (int sweep = 0; sweep < sweeps; sweep++)
    for (size_t e = 0; e < best.size(); e++) {
      double spent = 0;
      for (size_t i = 0; i < moments.size(); i += steps) {
        if (e == 0) ours->put(moments[i]), ours->restart();
        else theirs[e - 1]->put(moments[i]);
        const double from = now();
        if (e == 0) ours->step(steps);
        else theirs[e - 1]->step(steps);
        spent += now() - from;
      }
      best[e] = std::min(best[e], spent / 1000 / static_cast<double>(moments.size()));
    }
  report->add("a step", "us", best, names);
}

// 64 States from moments all along the motion, on one thread and on two, against MuJoCo's step alone.
void Humanoid::compare_ensembles(int sweeps, Report *report) {
  const int count = 64, steps = 20;
  Numbers q, u;
  for (int k = 0; k < count; k++) {
    ours->put(moments[static_cast<size_t>(k) * moments.size() / count]);
    q.insert(q.end(), ours->q_put().begin(), ours->q_put().end());
    u.insert(u.end(), ours->u_put().begin(), ours->u_put().end());
  }
  cdn_ensemble_def def = cdn_default_ensemble_def();
  def.count = count, def.threads = 1, def.method = CDN_METHOD_MUJOCO_EULER;
  cdn_ensemble *ensemble = nullptr;
  must(cdn_ensemble_create(ours->state(), &def, &ensemble), "an ensemble");
  std::vector<double> best(1 + theirs.size(), INFINITY);
  for (int sweep = 0; sweep < sweeps; sweep++) {
    must(cdn_ensemble_set(ensemble, CDN_POOL_Q, q.data(), 0), "q");
    must(cdn_ensemble_set(ensemble, CDN_POOL_U, u.data(), 0), "u");
    const double from = now();
    must(cdn_ensemble_advance(ensemble, ours->step_size(), steps), "advance");
    best[0] = std::min(best[0], (now() - from) / 1000 / (steps * count));
    for (size_t e = 0; e < theirs.size(); e++) {
      double spent = 0;
      for (size_t k = 0; k < static_cast<size_t>(count); k++) {
        theirs[e]->put(moments[k * moments.size() / count]);
        const double start = now();
        theirs[e]->step(steps);
        spent += now() - start;
      }
      best[e + 1] = std::min(best[e + 1], spent / 1000 / (steps * count));
    }
  }
  report->add("a step in an ensemble of 64", "us", best, names);
  cdn_ensemble_destroy(ensemble);
}

void Humanoid::compare(int sweeps, Report *report) {
  std::printf("\nMuJoCo's humanoid on the floor: %.1f contacts, %.1f rows\n", contacts, rows);
  compare_accelerations();
  report->print_header("at 400 moments", names);
  time(
      "forward dynamics", 1, sweeps, [&](size_t i) { ours->put(moments[i]), ours->realize(); },
      [&](Mujoco_model *m, size_t i) { m->put(moments[i]), m->forward(); }, report);
  compare_steps(sweeps, report);
  compare_ensembles(sweeps, report);
  time(
      "inverse dynamics", 1, sweeps, [&](size_t i) { ours->put(moments[i]), ours->inverse(udot[i]); },
      [&](Mujoco_model *m, size_t i) { m->put(moments[i]), m->inverse(qacc[i]); }, report);
  const auto differences = [&](Mujoco_model *m, size_t i) { m->put(moments[i]), m->step_derivatives(); };
  const int some = std::max(1, sweeps / 4);
  time(
      "derivatives", 10, some, [&](size_t i) { ours->put(moments[i]), ours->derivatives(); }, differences, report);
  time(
      "derivatives of a step", 10, some, [&](size_t i) { ours->put(moments[i]), ours->step_derivatives(); },
      differences, report);
}

} // namespace

void run_soft_humanoid(Report *report, const std::vector<const mujoco_functions *> &mujocos) {
  const char *shared = std::getenv("CARDAN_SHARED");
  Humanoid humanoid(mujocos);
  if (humanoid.load(std::string(shared ? shared : "../shared") + "/models/mjcf/humanoid.xml", mujocos))
    humanoid.compare(10, report);
}

} // namespace bench
