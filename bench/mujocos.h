// The MuJoCos that a benchmark compares with: Debian's, and a newer one if the command line names it.
#ifndef CARDAN_BENCH_MUJOCOS_H
#define CARDAN_BENCH_MUJOCOS_H

#include "mujoco_functions.h"

#include <memory>
#include <string>
#include <vector>

namespace bench {

using Numbers = std::vector<double>;

// What a step begins with.
struct Moment {
  Numbers qpos, qvel, warm;
  Numbers act;  // empty: zeros
  Numbers ctrl; // constant in what follows; empty: as they are
};

// A model in one of them.
class Mujoco_model {
public:
  // `message` is what MuJoCo says where the file does not load.
  static std::unique_ptr<Mujoco_model> load(const mujoco_functions *functions, const std::string &path,
                                            std::string *message);
  ~Mujoco_model() { f->destroy(engine); }
  Mujoco_model(const Mujoco_model &) = delete;

  mujoco_sizes sizes() const { return f->sizes(engine); }
  mujoco_counts counts() const { return f->counts(engine); }
  void use_newton_and_pyramids() { f->use_newton_and_pyramids(engine); }
  void solve_to_the_end() { f->solve_to_the_end(engine); }
  void reset(int keyframe) { f->reset(engine, keyframe); }
  void put(const Moment &a) {
    f->put(engine, a.qpos.data(), a.qvel.data(), a.warm.data(), a.act.empty() ? nullptr : a.act.data());
    if (!a.ctrl.empty()) f->put_controls(engine, a.ctrl.data());
  }
  void control_ranges(Numbers *lower, Numbers *upper) const { f->control_ranges(engine, lower->data(), upper->data()); }
  void length_range(int actuator, double range[2]) const { f->length_range(engine, actuator, range); }
  void use_sensors() { f->use_sensors(engine); }
  void step(int count) { f->step(engine, count); }
  void forward() { f->forward(engine); }
  void inverse(const Numbers &qacc) { f->inverse(engine, qacc.data()); }
  void step_derivatives() { f->step_derivatives(engine); }
  const double *transition() { return f->transition(engine); }
  void poses(bool with_tendons) { f->poses(engine, with_tendons); }
  Moment moment() const;
  Numbers qacc() const;

private:
  Mujoco_model(const mujoco_functions *functions, void *loaded) : f(functions), engine(loaded) {}
  const mujoco_functions *f;
  void *engine;
};

// Debian's first; a module of ./run is opened with libraries of its own under the same names. Ends the program with a
// message if `module` (NULL: none) is none.
std::vector<const mujoco_functions *> open_mujocos(const char *module);

// "cardan", then "MuJoCo 2.2.2" and so on: the heads of the columns.
std::vector<std::string> columns(const std::vector<const mujoco_functions *> &mujocos);

} // namespace bench

#endif
