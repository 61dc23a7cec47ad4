// What the benchmark asks of Cardan and of its peers: one model, a few states, four operations.
#ifndef CARDAN_BENCH_ENGINE_H
#define CARDAN_BENCH_ENGINE_H

#include <memory>
#include <string>
#include <vector>

#include "../tests/peers/tree.h"

namespace bench {

// A station of body a is where one of b is; -1 is Ground.
struct Loop {
  int a, b;
  cdn_vec3 p_A, p_B;
};

enum Operation { FORWARD, INVERSE, MATRIX, JACOBIAN, OPERATION_COUNT };

// What the operations start from, in Cardan's order and conventions.
struct Sample {
  std::vector<double> q, u, udot;
};

using Samples = std::vector<Sample>;

// An engine has converted the samples to its own conventions when it is made: what is timed starts by setting q and u.
// Cardan's inverse dynamics and Simbody's have no gravity in them; MuJoCo's has it: it is a start acceleration.
class Engine {
public:
  virtual ~Engine() = default;
  virtual const char *name() const = 0;
  // What is timed; what an engine is not timed for it leaves out.
  virtual void forward(int) {}  // q, u to udot, under gravity
  virtual void inverse(int) {}  // q, u, udot to generalized forces
  virtual void matrix(int) {}   // q to the dense mass matrix
  virtual void jacobian(int) {} // q to the dense 6 x nu Jacobian of the last body at its M origin

  // Results of the last operation in Cardan's order and conventions, for the check that the models are the same;
  // untimed. The inverse is without gravity.
  virtual std::vector<double> udot(int) { return {}; }
  virtual std::vector<double> forces(int) { return {}; }
  virtual std::vector<double> mass_matrix(int) { return {}; }
  virtual std::vector<double> tip_velocity(int) { return {}; } // the Jacobian times u, (w, v) in Ground

  void run(Operation operation, int sample) {
    if (operation == FORWARD) forward(sample);
    if (operation == INVERSE) inverse(sample);
    if (operation == MATRIX) matrix(sample);
    if (operation == JACOBIAN) jacobian(sample);
  }
};

// `prescribed`: the accelerations of all mobilizers are.
std::unique_ptr<Engine> make_cardan(const peers::Tree &tree, const Samples &samples, bool prescribed);
std::unique_ptr<Engine> make_simbody(const peers::Tree &tree, const Samples &samples);
// All States of an ensemble at once, each sample several times over; forward and inverse dynamics only.
constexpr int ensemble_size = 64;
std::unique_ptr<Engine> make_ensemble(const peers::Tree &tree, const Samples &samples);
// NULL with the reason if MuJoCo does not take the model.
std::unique_ptr<Engine> make_mujoco(const peers::Tree &tree, const Samples &samples, std::string *reason);

// The tree as text: MJCF nests a body in its parent, URDF does not and knows hinges only.
std::string tree_as_mjcf(const peers::Tree &tree);
std::string tree_as_urdf(const peers::Tree &tree);

} // namespace bench

#endif
