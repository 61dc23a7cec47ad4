// Ensembles of Systems that lanes do not have all to themselves.
#include "ensembles.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "timing.h"

#include <cardan/cardan.h>

namespace bench {

namespace {

enum class With { NOTHING, Z, MOTION, ROD };

void must(cdn_status status) {
  if (status == CDN_OK) return;
  std::fprintf(stderr, "Cardan: %s\n", cdn_status_name(status));
  std::exit(1);
}

cdn_status declare(void *, cdn_declarer *d) {
  cdn_declare_z(d, 1, nullptr);
  return CDN_OK;
}

cdn_status calc_zdot(const void *, cdn_state *state, double *zdot) {
  zdot[0] = cdn_state_q_eff(state)[0] - cdn_state_z(state)[0];
  return CDN_OK;
}

cdn_system *make_chain(int bodies, With with) {
  cdn_system *system = cdn_system_create(nullptr);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN;
  def.mass = { 1, { 0, -0.5, 0.1 }, { 0.5, 0.4, 0.5, 0, 0, 0 } };
  cdn_body first = {};
  for (int i = 0; i < bodies; i++) {
    def.X_PF.p = cdn_v3(0.1, i ? -1 : 0, 0);
    def.parent = cdn_system_add_body(system, &def);
    if (i == 0) first = def.parent;
    cdn_system_add_mobility_spring(system, nullptr, def.parent, 0, 10, 0);
    cdn_system_add_mobility_damper(system, nullptr, def.parent, 0, 1);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  if (with == With::Z) {
    cdn_subsystem_ops ops = {};
    ops.struct_size = sizeof ops, ops.name = "lag", ops.declare = declare, ops.calc_zdot = calc_zdot;
    cdn_system_add_subsystem(system, &ops, nullptr);
  }
  if (with == With::MOTION) {
    cdn_motion_def motion = cdn_default_motion_def();
    motion.body = first, motion.kind = CDN_MOTION_SINUSOID, motion.params[0] = 1, motion.params[1] = 2;
    cdn_system_add_motion(system, &motion);
  }
  if (with == With::ROD)
    cdn_system_constrain_rod(system, nullptr, cdn_ground(), cdn_v3(3, 0, 0), def.parent, cdn_v3(0, -1, 0), 5);
  must(cdn_system_freeze(system));
  return system;
}

// Nanoseconds a State.
double time_rates(int bodies, With with, int lanes, int sweeps) {
  enum { COUNT = 64 };
  cdn_system *system = make_chain(bodies, with);
  cdn_state *state = nullptr;
  must(cdn_state_create(system, &state));
  cdn_ensemble_def def = cdn_default_ensemble_def();
  def.count = COUNT, def.lanes = lanes;
  cdn_ensemble *ensemble = nullptr;
  must(cdn_ensemble_create(state, &def, &ensemble));
  std::vector<double> q, out(static_cast<size_t>(COUNT * bodies));
  for (int i = 0; i < COUNT * bodies; i++) q.push_back(0.01 * std::sin(i));
  double best = INFINITY;
  for (int i = 0; i < std::max(20, sweeps); i++) {
    const double start = now();
    must(cdn_ensemble_set(ensemble, CDN_POOL_Q, q.data(), 0));
    must(cdn_ensemble_rates(ensemble, CDN_POOL_U, out.data(), 0));
    best = std::min(best, (now() - start) / COUNT);
  }
  cdn_ensemble_destroy(ensemble);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return best;
}

} // namespace

void add_lane_rows(Report *report, int sweeps) {
  const std::vector<std::string> names = { "in lanes", "State by State" };
  report->print_header("rates of ensembles, ns a State", names);
  const struct {
    const char *name;
    With with;
  } rows[] = { { "forces", With::NOTHING }, { "a z", With::Z }, { "a motion", With::MOTION }, { "a rod", With::ROD } };
  for (int bodies : { 8, 30 })
    for (const auto &row : rows)
      report->add("chain" + std::to_string(bodies) + " ensemble with " + row.name, "ns",
                  { time_rates(bodies, row.with, 0, sweeps), time_rates(bodies, row.with, 1, sweeps) }, names);
}

} // namespace bench
