#include "humanoid_collision.h"

#include "timing.h"
#include "touches.h"

#include "../tests/peers/mujoco_bridge.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

namespace bench {

namespace {

double sink;

template <class Call> double best_time(size_t n, int sweeps, Call call) {
  double best = INFINITY;
  for (int sweep = 0; sweep < sweeps; sweep++) {
    const double begin = now();
    for (size_t i = 0; i < n; i++) call(i);
    best = std::min(best, (now() - begin) / static_cast<double>(n));
  }
  return best;
}

// The poses of MuJoCo's simulation, `steps` of its steps of 5 ms apart; once a second the humanoid is thrown into the
// air.
std::vector<std::vector<double>> fall(const mjModel *m, mjData *d, int poses, int steps) {
  std::vector<std::vector<double>> kept;
  unsigned seed = 1;
  auto random = [&seed]() { return (seed = seed * 1664525u + 1013904223u) / 4294967296.0 - 0.5; };
  for (int step = 0; static_cast<int>(kept.size()) < poses; step++) {
    if (step % 200 == 0) {
      d->qpos[2] = 1.5;
      for (int i = 0; i < m->nv; i++) d->qvel[i] = (i < 6 ? 4 : 10) * random();
    }
    mj_step(m, d);
    if (step % steps == 0) kept.emplace_back(d->qpos, d->qpos + m->nq);
  }
  return kept;
}

struct Both {
  mjModel *m;
  mjData *d;
  mj_bridge bridge;
  cdn_model *model;
  cdn_state *state;
};

void compare(Both *both, const char *name, int steps, int sweeps, Report *report) {
  mjModel *m = both->m;
  mjData *d = both->d;
  const std::vector<std::vector<double>> theirs_at = fall(m, d, 400, steps);
  std::vector<std::vector<double>> ours_at;
  for (const std::vector<double> &qpos : theirs_at) {
    ours_at.emplace_back(static_cast<size_t>(cdn_system_nq(cdn_model_system(both->model))));
    mj_bridge_q_from_mujoco(&both->bridge, qpos.data(), ours_at.back().data());
  }
  auto place_ours = [&](size_t i) {
    if (cdn_state_set_q(both->state, ours_at[i].data()) != CDN_OK ||
        cdn_realize(both->state, CDN_STAGE_POSITION) != CDN_OK)
      std::abort();
  };
  auto place_theirs = [&](size_t i) {
    std::copy(theirs_at[i].begin(), theirs_at[i].end(), d->qpos);
    mj_kinematics(m, d);
  };
  const size_t n = theirs_at.size();
  double places[2] = { INFINITY, INFINITY }, collides[2] = { INFINITY, INFINITY };
  long found[2] = { 0, 0 };
  for (int round = 0; round < 3; round++) {
    places[1] = std::min(places[1], best_time(n, sweeps, place_theirs));
    collides[1] = std::min(collides[1], best_time(n, sweeps, [&](size_t i) {
                             place_theirs(i);
                             mj_collision(m, d);
                             sink += d->ncon;
                           }));
    places[0] = std::min(places[0], best_time(n, sweeps, place_ours));
    collides[0] = std::min(collides[0], best_time(n, sweeps, [&](size_t i) {
                             place_ours(i);
                             sink += bench_count_touches(both->state);
                           }));
  }
  for (size_t i = 0; i < n; i++) {
    place_ours(i), place_theirs(i);
    mj_collision(m, d);
    found[0] += bench_count_touches(both->state), found[1] += d->ncon;
  }
  const double ours = collides[0] - places[0], theirs = collides[1] - places[1];
  std::printf("  %-28s %8.0f ns for %.1f contacts  MuJoCo %8.0f ns for %.1f  ratio %.2f\n", name, ours,
              static_cast<double>(found[0]) / static_cast<double>(n), theirs,
              static_cast<double>(found[1]) / static_cast<double>(n), ours / theirs);
  report->keep(std::string("collision detection, humanoid, ") + name, "ns", ours, theirs, "MuJoCo 2.2.2");
}

} // namespace

void run_humanoid_collision(int sweeps, Report *report) {
  const char *shared = std::getenv("CARDAN_SHARED");
  const std::string path = std::string(shared ? shared : "../shared") + "/models/mjcf/humanoid.xml";
  std::ifstream file(path);
  if (!file) {
    std::printf("There is no %s: collision detection of the humanoid is left out\n", path.c_str());
    return;
  }
  std::stringstream text;
  text << file.rdbuf();
  char message[500] = "";
  Both both;
  both.m = mj_bridge_load_string(text.str().c_str(), "humanoid.xml", message, sizeof message);
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_COMPLIANT;
  if (!both.m ||
      cdn_model_load_string(text.str().c_str(), text.str().size(), "humanoid.xml", &options, &both.model) != CDN_OK ||
      cdn_state_create(cdn_model_system(both.model), &both.state) != CDN_OK) {
    std::printf("The humanoid is not to be read: %s %s\n", message, cdn_last_error_text());
    return;
  }
  both.d = mj_makeData(both.m);
  if (!mj_bridge_init(&both.bridge, both.m, both.model)) std::abort();
  std::printf("Collision detection of MuJoCo's humanoid, %d geoms, best of %d sweeps of 400 poses\n", both.m->ngeom,
              3 * sweeps);
  compare(&both, "poses 5 ms apart", 1, sweeps, report);
  compare(&both, "poses 0.1 s apart", 20, sweeps, report);
  mj_bridge_free(&both.bridge);
  mj_deleteData(both.d);
  mj_deleteModel(both.m);
  cdn_state_destroy(both.state);
  cdn_model_destroy(both.model);
}

} // namespace bench
