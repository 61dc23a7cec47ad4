// MuJoCo under the clock: everything that is not the tree is switched off.
#include "engine.h"

#include <algorithm>

#include "../tests/peers/mujoco_bridge.h"

namespace bench {

namespace {

class Mujoco : public Engine {
public:
  // `tip` is the last body, `station` its M origin in its frame.
  Mujoco(mjModel *model, const Samples &given, int tip_body, cdn_vec3 tip_station)
      : samples(given), m(model), d(mj_makeData(model)), tip(tip_body), station(tip_station) {
    m->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_EQUALITY | mjDSBL_FRICTIONLOSS | mjDSBL_LIMIT | mjDSBL_CONTACT |
                           mjDSBL_PASSIVE | mjDSBL_ACTUATION | mjDSBL_SENSOR | mjDSBL_WARMSTART;
    mj_bridge_init(&bridge, m, nullptr);
    for (const Sample &sample : samples) {
      std::vector<double> q(static_cast<size_t>(m->nq)), v(static_cast<size_t>(m->nv)), a(v);
      mj_bridge_q_to_mujoco(&bridge, sample.q.data(), q.data());
      mj_bridge_u_to_mujoco(&bridge, sample.q.data(), sample.u.data(), v.data());
      mj_bridge_u_to_mujoco(&bridge, sample.q.data(), sample.udot.data(), a.data());
      qpos.push_back(q);
      qvel.push_back(v);
      qacc.push_back(a);
    }
    force.resize(static_cast<size_t>(m->nv));
    M.resize(force.size() * force.size());
    J.resize(6 * force.size());
  }
  ~Mujoco() override {
    mj_bridge_free(&bridge);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  const char *name() const override { return "MuJoCo 2.2.2"; }

  void forward(int sample) override {
    set(d->qpos, qpos[sample]);
    set(d->qvel, qvel[sample]);
    mj_forward(m, d);
  }
  void inverse(int sample) override {
    set(d->qpos, qpos[sample]);
    set(d->qvel, qvel[sample]);
    set(d->qacc, qacc[sample]);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_comVel(m, d);
    mj_rne(m, d, 1, force.data());
  }
  void matrix(int sample) override {
    set(d->qpos, qpos[sample]);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    mj_crb(m, d);
    mj_fullM(m, M.data(), d->qM);
  }
  void jacobian(int sample) override {
    set(d->qpos, qpos[sample]);
    mj_kinematics(m, d);
    mj_comPos(m, d);
    const mjtNum *R = d->xmat + 9 * tip, *p = d->xpos + 3 * tip;
    mjtNum point[3];
    for (int i = 0; i < 3; i++)
      point[i] = p[i] + R[3 * i] * station.x + R[3 * i + 1] * station.y + R[3 * i + 2] * station.z;
    mj_jac(m, d, J.data() + 3 * m->nv, J.data(), point, tip);
  }

  std::vector<double> udot(int sample) override { return ours(sample, d->qacc); }
  std::vector<double> forces(int sample) override {
    m->opt.disableflags |= mjDSBL_GRAVITY;
    inverse(sample);
    m->opt.disableflags &= ~mjDSBL_GRAVITY;
    return ours(sample, force.data());
  }
  std::vector<double> mass_matrix(int sample) override {
    std::vector<double> rows(M.size());
    mj_bridge_M_from_mujoco(&bridge, d, samples[sample].q.data(), rows.data());
    return rows;
  }
  std::vector<double> tip_velocity(int sample) override {
    const std::vector<double> &v = qvel[sample];
    std::vector<double> V(6);
    for (size_t i = 0; i < V.size(); i++)
      for (size_t k = 0; k < v.size(); k++) V[i] += J[i * v.size() + k] * v[k];
    return V;
  }

private:
  static void set(mjtNum *to, const std::vector<double> &from) { std::copy(from.begin(), from.end(), to); }
  std::vector<double> ours(int sample, const double *theirs) const {
    std::vector<double> u(force.size());
    mj_bridge_u_from_mujoco(&bridge, samples[sample].q.data(), theirs, u.data());
    return u;
  }

  Samples samples;
  mjModel *m;
  mjData *d;
  mj_bridge bridge;
  std::vector<std::vector<double>> qpos, qvel, qacc;
  std::vector<double> force, M, J; // J: rotation above translation
  int tip;
  cdn_vec3 station;
};

// MuJoCo's reader refuses elements nested deeper than this.
constexpr int deepest = 90;

int depth(const peers::Tree &tree) {
  std::vector<int> level;
  for (const peers::Body &body : tree.bodies)
    level.push_back(body.parent < 0 ? 1 : level[static_cast<size_t>(body.parent)] + 1);
  return level.empty() ? 0 : *std::max_element(level.begin(), level.end());
}

} // namespace

std::unique_ptr<Engine> make_mujoco(const peers::Tree &tree, const Samples &samples, std::string *reason) {
  mj_bridge_handlers();
  bool nested = depth(tree) <= deepest;
  for (const peers::Body &body : tree.bodies)
    if (!nested && body.kind != CDN_PIN) {
      *reason = "its MJCF is nested too deeply, and its URDF knows hinges only";
      return nullptr;
    }
  std::string text = nested ? tree_as_mjcf(tree) : tree_as_urdf(tree);
  char message[500] = "";
  mjModel *m = mj_bridge_load_string(text.c_str(), nested ? "model.xml" : "model.urdf", message, sizeof message);
  *reason = message;
  if (!m) return nullptr;
  for (int i = 0; i < 3; i++) m->opt.gravity[i] = (&tree.gravity.x)[i];
  // Its own principal axes are good to 2e-7 only. A link of URDF has the axes of its joint.
  for (size_t i = 0; i < tree.bodies.size(); i++) {
    int body = mj_name2id(m, mjOBJ_BODY, ("l" + std::to_string(i)).c_str());
    const peers::Body &b = tree.bodies[i];
    cdn_rotation R = nested ? cdn_rotation_identity() : cdn_rotation_transpose(b.X_BM.R);
    if (body >= 0) mj_bridge_set_inertia(m, body, cdn_inertia_reexpress(R, b.mass.inertia));
  }
  const int tip = mj_name2id(m, mjOBJ_BODY, ("l" + std::to_string(tree.bodies.size() - 1)).c_str());
  const cdn_vec3 station = nested ? tree.bodies.back().X_BM.p : cdn_v3(0, 0, 0);
  return std::make_unique<Mujoco>(m, samples, tip, station);
}

} // namespace bench
