#include "standing_robots.h"

#include <cardan/cardan.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>

namespace bench {

namespace {

const double accuracy = 1e-4, duration = 2;
enum { RUNS = 3 };

double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

void check(cdn_status status) {
  if (status == CDN_OK) return;
  std::fprintf(stderr, "bench_contact: %s\n", cdn_last_error_text());
  std::exit(1);
}

/* A robot in its home pose, its lowest point on the ground, and PD that holds the joints there. */
struct Robot {
  cdn_system *system;
  cdn_model *model;
  cdn_state *home;
};

bool is_there(const std::string &path) {
  std::FILE *file = std::fopen(path.c_str(), "r");
  if (file) std::fclose(file);
  return file != nullptr;
}

/* A servo of a joint with one coordinate. */
void add_servo(Robot *robot, const cdn_model_joint &joint, double home, double stiffness, double damping) {
  cdn_system_add_mobility_spring(robot->system, (std::string(joint.name) + " P").c_str(), joint.mobilized, 0, stiffness,
                                 home);
  cdn_system_add_mobility_damper(robot->system, (std::string(joint.name) + " D").c_str(), joint.mobilized, 0, damping);
}

void stand_up(Robot *robot, double (*home)(const char *joint)) {
  double height;
  check(cdn_system_freeze(robot->system));
  check(cdn_state_create(robot->system, &robot->home));
  int free = -1;
  for (int i = 0; i < cdn_model_joint_count(robot->model); i++) {
    const cdn_model_joint joint = cdn_model_get_joint(robot->model, i);
    if (joint.nq == 7) free = i;
    if (joint.nq != 1) continue;
    const double q = home(joint.name);
    check(cdn_body_set_q(robot->home, joint.mobilized, 1, &q));
  }
  const cdn_body base = cdn_model_get_joint(robot->model, free).mobilized;
  check(cdn_model_lowest_point(robot->model, robot->home, &height));
  double q[7];
  std::copy_n(cdn_body_q(robot->home, base), 7, q);
  q[6] -= height;
  check(cdn_body_set_q(robot->home, base, 7, q));
}

/* ---- solo12: its feet are balls ---- */

double home_of_solo(const char *joint) {
  const std::string name = joint;
  if (name.find("HFE") != std::string::npos) return name[0] == 'F' ? 0.8 : -0.8;
  if (name.find("KFE") != std::string::npos) return name[0] == 'F' ? -1.6 : 1.6;
  return 0;
}

Robot make_solo(const std::string &path) {
  Robot robot = { cdn_system_create(nullptr), nullptr, nullptr };
  cdn_model_options options = cdn_default_model_options();
  options.floating_base = true, options.contact = CDN_MODEL_NO_CONTACT;
  check(cdn_model_load_into(path.c_str(), &options, robot.system, &robot.model));
  cdn_contact_material material = cdn_default_contact_material();
  material.modulus = 5e6, material.dissipation = 10; /* rubber */
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &material;
  shape.geometry.kind = CDN_GEOMETRY_SPHERE, shape.geometry.size[0] = 0.016;
  for (const char *name : { "FL_FOOT", "FR_FOOT", "HL_FOOT", "HR_FOOT" }) {
    cdn_model_frame foot;
    check(cdn_model_find_frame(robot.model, name, &foot));
    shape.name = name, shape.body = foot.body, shape.X_BS = foot.X_BF;
    cdn_system_add_shape(robot.system, &shape);
  }
  shape = cdn_default_shape_def();
  shape.material = &material, shape.name = "ground", shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(robot.system, &shape);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.friction = CDN_FRICTION_STICKING;
  cdn_system_set_contact(robot.system, &contact);
  for (int i = 0; i < cdn_model_joint_count(robot.model); i++) {
    const cdn_model_joint joint = cdn_model_get_joint(robot.model, i);
    if (joint.nq == 1) add_servo(&robot, joint, home_of_solo(joint.name), 5, 0.2);
  }
  stand_up(&robot, home_of_solo);
  return robot;
}

/* ---- the humanoid ---- */

double home_of_humanoid(const char *) { return 0; }

Robot make_humanoid(const std::string &path) {
  Robot robot = { cdn_system_create(nullptr), nullptr, nullptr };
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_COMPLIANT;
  check(cdn_model_load_into(path.c_str(), &options, robot.system, &robot.model));
  for (int i = 0; i < cdn_model_joint_count(robot.model); i++) {
    const cdn_model_joint joint = cdn_model_get_joint(robot.model, i);
    const std::string name = joint.name;
    const bool arm = name.find("shoulder") == 0 || name.find("elbow") == 0;
    if (joint.nq == 1) add_servo(&robot, joint, home_of_humanoid(joint.name), arm ? 50 : 1000, arm ? 2 : 50);
  }
  stand_up(&robot, home_of_humanoid);
  return robot;
}

/* ---- runs ---- */

struct Cost {
  double seconds, height;
  cdn_certificate certificate;
};

Cost run(const Robot &robot, bool companion) {
  cdn_stepper *stepper;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = accuracy, def.final_time = duration, def.companion = companion;
  check(cdn_stepper_create(robot.home, &def, &stepper));
  Cost cost;
  const double start = now();
  for (int k = 1; k <= 100; k++) check(cdn_stepper_advance(stepper, duration * k / 100, nullptr));
  cost.seconds = now() - start;
  check(cdn_stepper_certificate(stepper, &cost.certificate));
  check(cdn_model_lowest_point(robot.model, cdn_stepper_state(stepper), &cost.height));
  const cdn_model_joint base = cdn_model_get_joint(robot.model, 0);
  cost.height = cdn_body_q(cdn_stepper_state(stepper), base.mobilized)[base.nq - 1];
  cdn_stepper_destroy(stepper);
  return cost;
}

void time_robot(const char *name, const Robot &robot) {
  for (bool companion : { false, true }) {
    Cost best = run(robot, companion);
    for (int k = 1; k < RUNS; k++) {
      const Cost cost = run(robot, companion);
      if (cost.seconds < best.seconds) best = cost;
    }
    const cdn_certificate &c = best.certificate;
    char verdict[400];
    cdn_certificate_verdict(&c, verdict, sizeof verdict);
    std::printf("%s that stands by PD, %g s at %.0e%s: %.3f s of processor for a second (%lld evaluations, %lld of the "
                "companion; %lld steps, %lld rejected, %lld stiff); its base ends at %.3f m; %s\n",
                name, duration, accuracy, companion ? " with companion" : "", best.seconds / duration,
                static_cast<long long>(c.evaluations), static_cast<long long>(c.companion_evaluations),
                static_cast<long long>(c.steps), static_cast<long long>(c.rejected),
                static_cast<long long>(c.stiff_steps), best.height, verdict);
  }
  cdn_state_destroy(robot.home);
  cdn_model_destroy(robot.model);
  cdn_system_release(robot.system);
}

} // namespace

void time_standing_robots(const char *directory) {
  const std::string models = std::string(directory ? directory : "") + "/models/";
  const std::string solo = models + "urdf/solo12.urdf", humanoid = models + "race/humanoid_Euler_pyramidal.xml";
  if (is_there(solo)) time_robot("solo12", make_solo(solo));
  else std::printf("solo12 that stands by PD: there is no %s (CARDAN_SHARED)\n", solo.c_str());
  if (is_there(humanoid)) time_robot("the humanoid", make_humanoid(humanoid));
  else std::printf("the humanoid that stands by PD: there is no %s (CARDAN_SHARED)\n", humanoid.c_str());
}

} // namespace bench
