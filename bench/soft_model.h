// A model file with soft contact, by the file's steps; poses come from MuJoCo.
#ifndef CARDAN_BENCH_SOFT_MODEL_H
#define CARDAN_BENCH_SOFT_MODEL_H

#include "mujocos.h"

#include "../tests/peers/mujoco_bridge.h"

#include <cardan/cardan.h>

#include <memory>
#include <string>

namespace bench {

// Ends the program with a message unless a call succeeded.
void must(cdn_status status, const char *what);

class Soft_model {
public:
  // `message` says why it does not load. `method` (less than 0: the file's).
  static std::unique_ptr<Soft_model> load(const std::string &path, int method, std::string *message);
  ~Soft_model();
  Soft_model(const Soft_model &) = delete;

  int nu() const { return cdn_system_nu(cdn_model_system(model)); }
  int controls() const { return cdn_system_control_count(cdn_model_system(model)); }
  double step_size() const { return h; }
  cdn_state *state() { return s; }

  // q and u of the State; its activations and controls, in the order of the file, if the moment has some.
  void put(const Moment &a);
  const Numbers &q_put() const { return q; }
  const Numbers &u_put() const { return u; }
  void realize();
  void realize_position();
  // From now on all sensors are read before each step.
  void use_sensors() { reads_sensors = true; }
  // Steps begin at what put() has set.
  void restart();
  void step(int count);
  // The stepper's qpos.
  Numbers qpos();
  // udot of the State, in MuJoCo's coordinates; u of ours from MuJoCo's speeds or accelerations at put()'s pose.
  Numbers qacc();
  Numbers ours(const Numbers &speeds);
  void inverse(const Numbers &udot);
  void derivatives();
  void step_derivatives();
  // Of a step by q, u and z, by rows.
  const Numbers &transition() const { return A; }
  // Lengths and moments of all paths.
  void read_paths();
  // Newton's iterations of the last realization.
  int iterations();

private:
  Soft_model() = default;
  void read_sensors();
  cdn_model *model = nullptr;
  cdn_state *s = nullptr;
  cdn_stepper *stepper = nullptr;
  cdn_method chosen = CDN_METHOD_MUJOCO_EULER;
  double h = 0;
  bool reads_sensors = false;
  mj_bridge bridge = {};
  Numbers q, u, f, A, B, by_q, by_u, by_f;
};

} // namespace bench

#endif
