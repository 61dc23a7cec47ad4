// The linkages, and Cardan under the clock.
#include "loops.h"

#include <cmath>

#include "state_engine.h"

namespace bench {

namespace {

const double half_turn = std::acos(-1.0);

// A uniform rod of 1 kg and 1 m along x, pinned at its start.
peers::Body rod(int parent, cdn_vec3 where) {
  peers::Body body = {};
  body.parent = parent;
  body.kind = CDN_PIN;
  body.X_PF = { cdn_rotation_identity(), where };
  body.X_BM = cdn_transform_identity();
  body.mass.mass = 1;
  body.mass.com = cdn_v3(0.5, 0, 0);
  body.mass.inertia = { 1e-4, 1.0 / 12 + 1e-4, 1.0 / 12 + 1e-4, 0, 0, 0 };
  return body;
}

class CardanLinkage : public StateEngine {
public:
  CardanLinkage(const Linkage &linkage, const Samples &given) : StateEngine(given, build_linkage(linkage)) {}
  const char *name() const override { return "Cardan"; }
  void forward(int sample) override {
    set_qu(sample);
    must(cdn_realize(state, CDN_STAGE_ACCELERATION));
  }
  std::vector<double> udot(int) override {
    const double *udot = cdn_state_udot(state);
    return std::vector<double>(udot, udot + cdn_system_nu(system));
  }
};

void must(cdn_state *state, cdn_status status) {
  if (status == CDN_OK) return;
  cdn_error error = {};
  cdn_state_last_error(state, &error);
  std::fprintf(stderr, "Cardan: %s: %s\n", cdn_status_name(status), error.text);
  std::exit(1);
}

} // namespace

Linkage four_bar() {
  Linkage l;
  l.name = "four-bar";
  l.tree.gravity = { 0, -9.81, 0 };
  const double lengths[] = { 0.3, 0.9, 0.7 };
  const cdn_vec3 where[] = { cdn_v3(0, 0, 0), cdn_v3(0.3, 0, 0), cdn_v3(1, 0, 0) };
  const int parents[] = { -1, 0, -1 };
  for (int i = 0; i < 3; i++) {
    peers::Body body = rod(parents[i], where[i]);
    const double m = body.mass.mass = lengths[i];
    body.mass.com = cdn_v3(0.5 * lengths[i], 0, 0);
    body.mass.inertia = {
      1e-4 * m, (lengths[i] * lengths[i] / 12 + 1e-4) * m, (lengths[i] * lengths[i] / 12 + 1e-4) * m, 0, 0, 0
    };
    l.tree.bodies.push_back(body);
  }
  l.q = { 0.5, 0.4, 1.7 };
  l.u = { 9, -7, 0.5 };
  l.loops.push_back({ 1, 2, cdn_v3(0.9, 0, 0), cdn_v3(0.7, 0, 0) });
  return l;
}

Linkage ladder(int n) {
  Linkage l;
  l.name = "ladder" + std::to_string(n);
  for (int i = 0; i <= n; i++) {
    l.tree.bodies.push_back(rod(-1, cdn_v3(i, 0, 0)));
    l.q.push_back(1.1), l.u.push_back(-1);
    if (i == n) break;
    l.tree.bodies.push_back(rod(2 * i, cdn_v3(1, 0, 0)));
    l.q.push_back(-1.1), l.u.push_back(1);
  }
  const cdn_vec3 tip = cdn_v3(1, 0, 0);
  for (int i = 0; i < n; i++) l.loops.push_back({ 2 * i + 1, 2 * i + 2, tip, tip });
  return l;
}

Linkage scissor_lift(int n) {
  Linkage l;
  const double slope = 0.6, between = half_turn - 2 * slope;
  l.name = "scissors" + std::to_string(n);
  const cdn_vec3 tip = cdn_v3(1, 0, 0), middle = cdn_v3(0.5, 0, 0);
  for (int i = 0; i < n; i++) {
    // bar a leans one way on the end of the bar below that leans the other; b crosses it
    l.tree.bodies.push_back(rod(2 * i - 1, i ? tip : cdn_v3(0, 0, 0)));
    l.q.push_back(i ? -between : slope), l.u.push_back(i ? -0.2 : 0.1);
    peers::Body b = rod(2 * i, middle);
    b.X_BM.p = middle;
    l.tree.bodies.push_back(b);
    l.q.push_back(between), l.u.push_back(0.2);
    if (i) l.loops.push_back({ 2 * i - 2, 2 * i + 1, tip, cdn_v3(0, 0, 0) });
  }
  return l;
}

Linkage crossed_chains(int n) {
  Linkage l;
  const double slope = 0.6, between = half_turn - 2 * slope;
  l.name = "crossed" + std::to_string(n);
  const cdn_vec3 tip = cdn_v3(1, 0, 0), middle = cdn_v3(0.5, 0, 0);
  std::vector<int> left(static_cast<size_t>(n)), right(left); // which body is the bar of a level that leans left, right
  auto add = [&](const peers::Body &body, double q, double u) {
    l.tree.bodies.push_back(body);
    l.q.push_back(q), l.u.push_back(u);
    return static_cast<int>(l.tree.bodies.size()) - 1;
  };
  left[0] = add(rod(-1, cdn_v3(0, 0, 0)), slope, 0.1);
  peers::Body crossing = rod(left[0], middle);
  crossing.X_BM.p = middle;
  right[0] = add(crossing, between, 0.2);
  // depth first: the chain that starts at the right bar, then the one that starts at the left
  for (int chain = 0; chain < 2; chain++)
    for (int i = 1; i < n; i++) {
      const bool leans_left = (i + chain) % 2 == 1;
      std::vector<int> &mine = leans_left ? left : right, &below = leans_left ? right : left;
      const size_t k = static_cast<size_t>(i);
      mine[k] = add(rod(below[k - 1], tip), leans_left ? -between : between, leans_left ? -0.2 : 0.2);
    }
  for (size_t k = 1; k < left.size(); k++) l.loops.push_back({ left[k], right[k], middle, middle });
  return l;
}

Linkage ring(int n) {
  Linkage l;
  l.name = "ring" + std::to_string(n);
  for (int i = 0; i < n - 1; i++) {
    l.tree.bodies.push_back(rod(i - 1, i ? cdn_v3(1, 0, 0) : cdn_v3(0, 0, 0)));
    l.q.push_back(2 * half_turn / n), l.u.push_back(0.1 * std::sin(i));
  }
  // its n-th side is Ground
  const double radius = 0.5 / std::sin(half_turn / n), turn = 2 * half_turn / n;
  const double x = -radius * (std::sin(0.5 * turn) + std::sin(-0.5 * turn)), y = 0;
  l.loops.push_back({ n - 2, -1, cdn_v3(1, 0, 0), cdn_v3(x - 1, y, 0) });
  return l;
}

cdn_system *build_linkage(const Linkage &linkage) {
  cdn_system *system = peers::start_cardan(linkage.tree);
  cdn_system_add_gravity(system, "gravity", linkage.tree.gravity);
  for (const Loop &loop : linkage.loops)
    cdn_system_constrain_ball(system, nullptr, { loop.a + 1 }, loop.p_A, { loop.b + 1 }, loop.p_B);
  const int bodies = static_cast<int>(linkage.tree.bodies.size());
  for (int i = 0; i < linkage.off; i++) {
    const cdn_body a = { 1 + i % bodies }, b = { 1 + (i + 1 + i / bodies % (bodies - 1)) % bodies };
    const cdn_vec3 tip = cdn_v3(1, 0, 0);
    cdn_system_disable_constraint(system, cdn_system_constrain_rod(system, nullptr, a, tip, b, tip, 1));
  }
  peers::freeze_cardan(system);
  return system;
}

Samples closed_samples(const Linkage &linkage, int n, double spread) {
  cdn_system *system = build_linkage(linkage);
  cdn_state *state = nullptr;
  cdn_projection_def def = cdn_default_projection_def();
  def.tolerance = 1e-11; // m: rounding along a chain of a thousand links
  def.most_iterations = 200;
  if (cdn_state_create(system, &state) != CDN_OK) std::exit(1);
  Samples samples;
  uint64_t rng = 7;
  for (int i = 0; i < n; i++) {
    const std::vector<double> dq = peers::random_u(linkage.tree, 2 * spread / linkage.tree.nu(), &rng),
                              du = peers::random_u(linkage.tree, spread, &rng);
    Sample s = { linkage.q, linkage.u, du };
    for (size_t k = 0; k < dq.size(); k++) s.q[k] += dq[k], s.u[k] += du[k];
    must(state, cdn_state_set_q(state, s.q.data()));
    must(state, cdn_project_q(state, &def, nullptr));
    must(state, cdn_state_set_u(state, s.u.data()));
    must(state, cdn_project_u(state, &def, nullptr));
    s.q.assign(cdn_state_q(state), cdn_state_q(state) + s.q.size());
    s.u.assign(cdn_state_u(state), cdn_state_u(state) + s.u.size());
    samples.push_back(s);
  }
  cdn_state_destroy(state);
  cdn_system_release(system);
  return samples;
}

std::unique_ptr<Engine> make_cardan_linkage(const Linkage &linkage, const Samples &samples) {
  return std::make_unique<CardanLinkage>(linkage, samples);
}

} // namespace bench
