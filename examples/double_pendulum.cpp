/* A double pendulum in C++, let go; its angles, speeds and energies as comma-separated values. */
#include <cardan/cardan.hpp>
#include <iostream>

int main() try {
  auto system = cardan::get(cdn_system_create, nullptr);
  cdn_body_def arm = cdn_default_body_def();
  arm.name = "upper", arm.mobilizer = CDN_PIN, arm.X_BM.p = { 0, 1, 0 }, arm.mass.mass = 1;
  arm.parent = cdn_system_add_body(system, &arm), arm.name = "lower";
  cdn_system_add_body(system, &arm);
  cdn_system_add_gravity(system, "gravity", { 0, -9.80665, 0 });
  cardan::check(cdn_system_freeze(system));
  auto state = cardan::get(cdn_state_create, system);
  cardan::set_q(state, { 2, -1 });
  auto stepper = cardan::get(cdn_stepper_create, state, nullptr);
  auto rows = cardan::get(cdn_trajectory_create, state, nullptr, cardan::to_stream, &std::cout);
  cardan::check(cdn_trajectory_run(rows, stepper, 10, 0.1));
} catch (const std::exception &failure) { return std::cerr << "double_pendulum: " << failure.what() << '\n', 1; }
