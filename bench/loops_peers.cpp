// The linkages in Simbody and in MuJoCo.
#include "../tests/peers/simbody_tree.h"

#include <algorithm>

#include "../tests/peers/mujoco_bridge.h"
#include "loops.h"

namespace bench {

namespace {

class SimbodyLinkage : public Engine {
public:
  SimbodyLinkage(const Linkage &linkage, const Samples &samples) : t(linkage.tree, false) {
    for (const Loop &loop : linkage.loops) {
      SimTK::MobilizedBody &ground = t.matter.Ground();
      SimTK::Constraint::Ball(loop.a < 0 ? ground : t.bodies[static_cast<size_t>(loop.a)], peers::to_simbody(loop.p_A),
                              loop.b < 0 ? ground : t.bodies[static_cast<size_t>(loop.b)], peers::to_simbody(loop.p_B));
    }
    t.realize_model();
    for (const Sample &sample : samples) {
      t.set_q(sample.q.data());
      q.push_back(t.state.getQ());
      u.push_back(t.u_to_simbody(sample.u.data()));
    }
  }
  const char *name() const override { return "Simbody 3.7"; }
  void forward(int sample) override {
    t.state.updQ() = q[static_cast<size_t>(sample)];
    t.state.updU() = u[static_cast<size_t>(sample)];
    t.system.realize(t.state, SimTK::Stage::Acceleration);
  }
  std::vector<double> udot(int) override { return t.u_from_simbody(t.state.getUDot()); }

private:
  peers::SimbodyTree t;
  std::vector<SimTK::Vector> q, u;
};

class MujocoLinkage : public Engine {
public:
  MujocoLinkage(mjModel *model, const Samples &given) : samples(given), m(model), d(mj_makeData(model)) {
    m->opt.disableflags |= mjDSBL_LIMIT | mjDSBL_CONTACT | mjDSBL_PASSIVE | mjDSBL_ACTUATION | mjDSBL_SENSOR;
    mj_bridge_init(&bridge, m, nullptr);
    for (const Sample &sample : samples) {
      std::vector<double> q(static_cast<size_t>(m->nq)), v(static_cast<size_t>(m->nv));
      mj_bridge_q_to_mujoco(&bridge, sample.q.data(), q.data());
      mj_bridge_u_to_mujoco(&bridge, sample.q.data(), sample.u.data(), v.data());
      qpos.push_back(q);
      qvel.push_back(v);
    }
  }
  ~MujocoLinkage() override {
    mj_bridge_free(&bridge);
    mj_deleteData(d);
    mj_deleteModel(m);
  }
  const char *name() const override { return "MuJoCo 2.2.2"; }
  void forward(int sample) override {
    const size_t s = static_cast<size_t>(sample);
    std::copy(qpos[s].begin(), qpos[s].end(), d->qpos);
    std::copy(qvel[s].begin(), qvel[s].end(), d->qvel);
    mj_forward(m, d);
  }
  std::vector<double> udot(int sample) override {
    std::vector<double> out(static_cast<size_t>(m->nv));
    mj_bridge_u_from_mujoco(&bridge, samples[static_cast<size_t>(sample)].q.data(), d->qacc, out.data());
    return out;
  }

private:
  Samples samples;
  mjModel *m;
  mjData *d;
  mj_bridge bridge;
  std::vector<std::vector<double>> qpos, qvel;
};

std::string body_name(int i) { return i < 0 ? "world" : "l" + std::to_string(i); }

} // namespace

std::unique_ptr<Engine> make_simbody_linkage(const Linkage &linkage, const Samples &samples) {
  return std::make_unique<SimbodyLinkage>(linkage, samples);
}

std::unique_ptr<Engine> make_mujoco_linkage(const Linkage &linkage, const Samples &samples) {
  mj_bridge_handlers();
  std::string text = tree_as_mjcf(linkage.tree), connections = "<equality>\n";
  for (const Loop &loop : linkage.loops)
    connections +=
        "<connect body1=\"" + body_name(loop.a) + "\" body2=\"" + body_name(loop.b) + "\" anchor=\"0 0 0\"/>\n";
  text.insert(text.rfind("</mujoco>"), connections + "</equality>\n");
  const size_t rows = 3 * linkage.loops.size() + 10;
  text.insert(text.find('>') + 1, "<size njmax=\"" + std::to_string(rows) + "\" nconmax=\"1\"/>");
  char message[500] = "";
  mjModel *m = mj_bridge_load_string(text.c_str(), "model.xml", message, sizeof message);
  if (!m) return nullptr;
  for (int i = 0; i < 3; i++) m->opt.gravity[i] = (&linkage.tree.gravity.x)[i];
  /* its compiler puts the second anchor where the first is at q = 0 */
  for (size_t i = 0; i < linkage.loops.size(); i++) {
    mjtNum *anchor = m->eq_data + mjNEQDATA * i;
    const Loop &loop = linkage.loops[i];
    for (int k = 0; k < 3; k++) anchor[k] = (&loop.p_A.x)[k], anchor[3 + k] = (&loop.p_B.x)[k];
  }
  return std::make_unique<MujocoLinkage>(m, samples);
}

} // namespace bench
