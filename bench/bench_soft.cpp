// Boxes that fall on a floor and lie there, with soft contact: a step of a fixed size here and in MuJoCo, from one
// start, with pyramidal cones and Newton's method in both. `scattered` boxes touch the floor alone, `heaped` ones each
// other, too.
#include "actuated.h"
#include "implicit_contact_step.h"
#include "mujocos.h"
#include "report.h"
#include "soft_humanoid.h"
#include "soft_race.h"
#include "timing.h"

#include <cardan/cardan.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <unistd.h>

namespace bench {

namespace {

const double STEP = 0.002, HALF = 0.1;

struct Pose {
  double p[3], quaternion[4];
};

// A pile of boxes without overlap, turned at random; or a grid of them.
std::vector<Pose> start(int n, bool heaped) {
  std::mt19937_64 generator(7);
  std::normal_distribution<double> normal;
  const int side = (int)std::ceil(heaped ? std::cbrt(n) : std::sqrt(n));
  std::vector<Pose> poses(n);
  for (int i = 0; i < n; i++) {
    double length = 0;
    for (double &x : poses[i].quaternion) x = normal(generator), length += x * x;
    for (double &x : poses[i].quaternion) x /= std::sqrt(length);
    const double apart = (heaped ? 1.8 : 4) * 2 * HALF;
    poses[i].p[0] = apart * (i % side) + 0.02 * normal(generator);
    poses[i].p[1] = apart * (i / side % side) + 0.02 * normal(generator);
    poses[i].p[2] = 0.25 + 0.37 * (heaped ? i / (side * side) : 0);
  }
  return poses;
}

class Ours {
public:
  explicit Ours(const std::vector<Pose> &poses) {
    cdn_system *s = cdn_system_create(nullptr);
    cdn_system_add_gravity(s, nullptr, cdn_v3(0, 0, -9.81));
    cdn_contact_def contact = cdn_default_contact_def();
    contact.model = CDN_CONTACT_SOFT;
    cdn_system_set_contact(s, &contact);
    cdn_soft_def soft = cdn_default_soft_def();
    soft.cone = CDN_SOFT_PYRAMIDAL, soft.shortest_time = 2 * STEP;
    cdn_system_set_soft(s, &soft);
    cdn_shape_def shape = cdn_default_shape_def();
    shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
    cdn_system_add_shape(s, &shape);
    std::vector<double> q;
    for (const Pose &pose : poses) {
      cdn_body_def b = cdn_default_body_def();
      b.mobilizer = CDN_FREE;
      b.mass.mass = 1000 * 8 * HALF * HALF * HALF;
      const double moment = b.mass.mass * 2 * HALF * HALF / 3;
      b.mass.inertia = cdn_inertia{ moment, moment, moment, 0, 0, 0 };
      shape.body = cdn_system_add_body(s, &b);
      shape.geometry.kind = CDN_GEOMETRY_BOX;
      for (double &x : shape.geometry.size) x = HALF;
      cdn_system_add_shape(s, &shape);
      q.insert(q.end(), pose.quaternion, pose.quaternion + 4);
      q.insert(q.end(), pose.p, pose.p + 3);
    }
    cdn_state *state = nullptr;
    check(cdn_system_freeze(s), "freeze");
    check(cdn_state_create(s, &state), "state");
    check(cdn_state_set_q(state, q.data()), "q");
    cdn_stepper_def def = cdn_default_stepper_def();
    def.method = CDN_METHOD_SEMI_EXPLICIT_EULER, def.fixed_step = STEP, def.companion = false;
    check(cdn_stepper_create(state, &def, &stepper), "stepper");
    cdn_state_destroy(state);
    cdn_system_release(s);
  }
  ~Ours() { cdn_stepper_destroy(stepper); }
  void go(int steps) {
    done += steps;
    check(cdn_stepper_advance(stepper, STEP * done, nullptr), "advance");
  }
  double lowest(int n) const {
    double low = INFINITY;
    for (int i = 0; i < n; i++) low = std::fmin(low, cdn_state_q(cdn_stepper_state(stepper))[7 * i + 6]);
    return low;
  }

private:
  static void check(cdn_status status, const char *what) {
    if (status == CDN_OK) return;
    std::fprintf(stderr, "bench_soft: %s: %s\n", what, cdn_status_text(status));
    std::exit(1);
  }
  cdn_stepper *stepper = nullptr;
  int64_t done = 0;
};

// The same boxes in a MuJoCo. Version 2 wants to be told how large its arrays are.
std::unique_ptr<Mujoco_model> theirs(const std::vector<Pose> &poses, const mujoco_functions *functions) {
  const int n = (int)poses.size();
  std::string xml = "<mujoco><option timestep='0.002' solver='Newton' cone='pyramidal' integrator='Euler'/>";
  if (functions->version[0] == '2')
    xml += "<size nconmax='" + std::to_string(16 * n) + "' njmax='" + std::to_string(std::min(40 * n, 7500)) +
           "' nstack='" + std::to_string(4000000 + 60000 * n) + "'/>";
  else xml += "<size memory='1G'/>";
  xml += "<worldbody><geom type='plane' size='0 0 1'/>";
  char text[400];
  for (const Pose &p : poses) {
    std::snprintf(
        text, sizeof text,
        "<body pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'><freejoint/><geom type='box' size='%g %g "
        "%g'/></body>",
        p.p[0], p.p[1], p.p[2], p.quaternion[0], p.quaternion[1], p.quaternion[2], p.quaternion[3], HALF, HALF, HALF);
    xml += text;
  }
  xml += "</worldbody></mujoco>";
  char folder[] = "/tmp/cardan_bench_XXXXXX";
  std::string message = "no folder for its model";
  std::unique_ptr<Mujoco_model> model;
  if (mkdtemp(folder)) {
    const std::string path = std::string(folder) + "/boxes.xml";
    std::ofstream(path) << xml;
    model = Mujoco_model::load(functions, path, &message);
    std::remove(path.c_str()), rmdir(folder);
  }
  if (!model) {
    std::fprintf(stderr, "bench_soft: MuJoCo %s: %s\n", functions->version, message.c_str());
    std::exit(1);
  }
  return model;
}

} // namespace

static void run_boxes(Report *report, const std::vector<const mujoco_functions *> &mujocos) {
  const std::vector<std::string> engines = columns(mujocos);
  report->print_header("A step of boxes with soft contact", engines);
  for (int heaped = 0; heaped < 2; heaped++) {
    std::vector<double> sizes, times;
    for (const int n : { 10, 20, 50, 100, 200, 400, 2000 }) {
      const bool alone = n > 400; /* arrays of constraints would be larger than MuJoCo 2 can allocate */
      const std::vector<Pose> poses = start(n, heaped);
      Ours ours(poses);
      std::vector<std::unique_ptr<Mujoco_model>> peers;
      for (size_t i = 0; i < mujocos.size() && !alone; i++) peers.push_back(theirs(poses, mujocos[i]));
      std::vector<double> time(1 + mujocos.size());
      const int batches = n <= 100 ? 20 : 8, warm_up = 350, batch = 10;
      ours.go(warm_up);
      for (const auto &each : peers) each->step(warm_up);
      for (int b = 0; b < batches; b++) {
        double from = now();
        ours.go(batch);
        time[0] += now() - from;
        for (size_t i = 0; i < peers.size(); i++) {
          from = now();
          peers[i]->step(batch);
          time[i + 1] += now() - from;
        }
      }
      for (double &t : time) t /= batches * batch * 1000.;
      if (alone) std::fill(time.begin() + 1, time.end(), NAN);
      sizes.push_back(n), times.push_back(time[0]);
      report->add(std::string(heaped ? "heaped " : "scattered ") + std::to_string(n), "us", time, engines);
      if (!(ours.lowest(n) > 0.5 * HALF)) std::printf("  a box sank\n");
    }
    std::printf("  ours grows as n^%.2f\n", fit_exponent(sizes, times));
  }
}

// Planar four-bars in a row, each with a ball on its coupler that rests on the floor: loops that hold exactly beside
// contact.
static cdn_system *make_four_bars(int n, std::vector<double> *q) {
  const double length = 0.6, angle = 0.4, pi = 3.14159265358979;
  cdn_system *s = cdn_system_create(nullptr);
  cdn_system_add_gravity(s, nullptr, cdn_v3(0, -9.81, 0));
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_SOFT;
  cdn_system_set_contact(s, &contact);
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  shape.X_BS.R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), -pi / 2);
  shape.X_BS.p = cdn_v3(0, 1 - length * std::cos(angle) - 0.297, 0);
  cdn_system_add_shape(s, &shape);
  for (int i = 0; i < n; i++) {
    cdn_body_def b = cdn_default_body_def();
    b.mobilizer = CDN_PIN;
    b.mass = { 1, { 0, -length / 2, 0 }, { 0.13, 0.01, 0.13, 0, 0, 0 } };
    b.X_PF.p = cdn_v3(2 * i, 1, 0);
    const cdn_body crank = cdn_system_add_body(s, &b);
    b.X_PF.p = cdn_v3(2 * i + 1, 1, 0);
    const cdn_body rocker = cdn_system_add_body(s, &b);
    b.parent = crank, b.X_PF.p = cdn_v3(0, -length, 0);
    b.mass = { 2, { 0.5, 0, 0 }, { 0.02, 0.7, 0.7, 0, 0, 0 } };
    const cdn_body coupler = cdn_system_add_body(s, &b);
    cdn_system_constrain_ball(s, nullptr, coupler, cdn_v3(1, 0, 0), rocker, cdn_v3(0, -length, 0));
    shape = cdn_default_shape_def();
    shape.body = coupler, shape.geometry.kind = CDN_GEOMETRY_SPHERE, shape.geometry.size[0] = 0.3;
    shape.X_BS.p = cdn_v3(0.5, 0, 0);
    cdn_system_add_shape(s, &shape);
    q->insert(q->end(), { angle, angle, -angle });
  }
  return s;
}

static void run_four_bars(Report *report) {
  const std::vector<std::string> engines = { "cardan" };
  report->print_header("Four-bars on a floor", engines);
  std::vector<double> sizes, times;
  for (const int n : { 10, 30, 100, 300, 1000 }) {
    std::vector<double> q;
    cdn_system *s = make_four_bars(n, &q);
    cdn_state *state = nullptr;
    const auto must = [](cdn_status status) {
      if (status == CDN_OK) return;
      std::fprintf(stderr, "bench_soft: four-bars: %s\n", cdn_status_text(status));
      std::exit(1);
    };
    must(cdn_system_freeze(s));
    must(cdn_state_create(s, &state));
    const int rounds = 20000 / n;
    double best = INFINITY;
    int groups = 0;
    for (int sweep = 0; sweep < 6; sweep++) {
      const double from = now();
      for (int k = 0; k < rounds; k++) {
        must(cdn_state_set_q(state, q.data()));
        must(cdn_realize(state, CDN_STAGE_ACCELERATION));
      }
      if (sweep > 0) best = std::min(best, (now() - from) / rounds / 1000);
    }
    must(cdn_soft_count(state, &groups));
    if (groups != n) std::printf("  %d of %d touch\n", groups, n);
    sizes.push_back(n), times.push_back(best);
    report->add("four-bars " + std::to_string(n), "us", { best }, engines);
    cdn_state_destroy(state);
    cdn_system_release(s);
  }
  std::printf("  grows as n^%.2f\n", fit_exponent(sizes, times));
}

} // namespace bench

/* Arguments: --json FILE, --mujoco MODULE (a newer MuJoCo, as ./run compiles it), and which parts are wanted (all, if
 * none is named). Or: --once MODEL OPERATION ROUNDS, --peer-once the same of Debian's MuJoCo (run_actuated_once). */
int main(int argc, char **argv) {
  const bool peer = argc == 5 && std::strcmp(argv[1], "--peer-once") == 0;
  if (peer || (argc == 5 && std::strcmp(argv[1], "--once") == 0))
    return bench::run_actuated_once(argv[2], argv[3], std::atoi(argv[4]), peer, bench::open_mujocos(nullptr));
  const char *json = nullptr, *module = nullptr;
  std::vector<std::string> wanted;
  for (int i = 1; i < argc; i++) {
    if (std::strcmp(argv[i], "--json") == 0 && i + 1 < argc) json = argv[++i];
    else if (std::strcmp(argv[i], "--mujoco") == 0 && i + 1 < argc) module = argv[++i];
    else wanted.push_back(argv[i]);
  }
  const std::vector<const mujoco_functions *> mujocos = bench::open_mujocos(module);
  bench::Report report;
  bench::pin_to_one_core();
  const auto is_wanted = [&](const char *part) {
    return wanted.empty() || std::find(wanted.begin(), wanted.end(), part) != wanted.end();
  };
  if (is_wanted("humanoid")) bench::run_soft_humanoid(&report, mujocos);
  if (is_wanted("race")) bench::run_soft_race(&report, mujocos);
  if (is_wanted("implicit-contact")) bench::run_implicit_contact_step(&report);
  if (is_wanted("four-bars")) bench::run_four_bars(&report);
  if (is_wanted("actuated")) bench::run_actuated(&report, mujocos);
  if (is_wanted("boxes")) bench::run_boxes(&report, mujocos);
  return json && !report.write_json(json);
}
