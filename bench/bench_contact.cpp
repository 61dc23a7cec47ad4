// Falling spheres with Hunt and Crossley's contact, here and with Simbody's HuntCrossleyForce: the same scene, the same
// end, runs under
// error control at several accuracies. The error of a run is the largest error of a sphere's place at the end, against
// a run of ours at
// 1e-11 (both engines have the same forces to rounding: tests/peers/test_simbody_contact.cpp). Ratios are between runs
// of equal error: for each
// run of Simbody the least time of ours that is at least as accurate.
#include <cardan/cardan.h>

#include <Simbody.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

using namespace SimTK;

namespace {

struct Sphere {
  double radius, mass, p[3];
};

struct Scene {
  std::vector<Sphere> spheres;
  double modulus = 1e6, dissipation = 0.05, mu_s = 0.6, mu_d = 0.5, transition = 0.05, g = 9.81, end = 0.3;
};

struct Run {
  double accuracy, seconds;
  long long evaluations;
  std::vector<double> places;
};

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

[[noreturn]] void fail() {
  std::fprintf(stderr, "bench_contact: %s\n", cdn_last_error_text());
  std::exit(1);
}
void check(cdn_status status) {
  if (status != CDN_OK) fail();
}

/* Layers of spheres of several sizes, a little apart, over a floor at z = 0. */
Scene make_scene(int n) {
  Scene scene;
  unsigned seed = 12345;
  auto random = [&seed]() { return (seed = seed * 1664525u + 1013904223u) / 4294967296.0; };
  const int side = std::max(2, static_cast<int>(std::lround(std::cbrt(n / 2.0))));
  for (int i = 0; i < n; i++) {
    Sphere s = { 0.08 + 0.03 * random(),
                 0,
                 { 0.22 * (i % side), 0.22 * (i / side % side), 0.13 + 0.22 * (i / side / side) } };
    s.mass = 4000 * s.radius * s.radius * s.radius;
    for (double &x : s.p) x += 0.01 * (random() - 0.5);
    scene.spheres.push_back(s);
  }
  return scene;
}

cdn_system *build(const Scene &scene, bool shapes = true) {
  cdn_system *system = cdn_system_create(nullptr);
  cdn_system_add_gravity(system, "gravity", { 0, 0, -scene.g });
  cdn_contact_material material = cdn_default_contact_material();
  material.modulus = scene.modulus, material.dissipation = scene.dissipation;
  material.static_friction = scene.mu_s, material.dynamic_friction = scene.mu_d;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &material;
  shape.geometry.kind = CDN_GEOMETRY_SPHERE;
  for (const Sphere &s : scene.spheres) {
    cdn_body_def body = cdn_default_body_def();
    const double I = 0.4 * s.mass * s.radius * s.radius, q0[] = { 1, 0, 0, 0, s.p[0], s.p[1], s.p[2] };
    body.mobilizer = CDN_FREE;
    body.mass.mass = s.mass;
    body.mass.inertia = { I, I, I, 0, 0, 0 };
    body.q0 = q0;
    shape.body = cdn_system_add_body(system, &body);
    shape.geometry.size[0] = s.radius;
    if (shapes) cdn_system_add_shape(system, &shape);
  }
  shape.body = { 0 };
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  if (shapes) cdn_system_add_shape(system, &shape);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.transition_velocity = scene.transition;
  cdn_system_set_contact(system, &contact);
  check(cdn_system_freeze(system));
  return system;
}

/* `push`: speed with which spheres start off from one another, and turn. */
Run run_ours(const Scene &scene, const cdn_system *system, cdn_method method, double accuracy, double push = 0) {
  Run run = { accuracy, 0, 0, {} };
  cdn_state *state;
  cdn_stepper *stepper;
  check(cdn_state_create(system, &state));
  for (size_t i = 0; push > 0 && i < scene.spheres.size(); i++) {
    const double *p = scene.spheres[i].p, u0[] = { push, 2 * push, 3 * push, push * p[0], push * p[1], push * p[2] };
    check(cdn_body_set_u(state, { static_cast<int32_t>(i) + 1 }, u0, 6));
  }
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method, def.accuracy = accuracy, def.final_time = scene.end;
  check(cdn_stepper_create(state, &def, &stepper));
  const double start = now();
  check(cdn_stepper_advance(stepper, scene.end, nullptr));
  run.seconds = now() - start;
  cdn_certificate c;
  check(cdn_stepper_certificate(stepper, &c));
  run.evaluations = c.evaluations;
  for (size_t i = 0; i < scene.spheres.size(); i++) {
    const double *q = cdn_body_q(cdn_stepper_state(stepper), { static_cast<int32_t>(i) + 1 });
    run.places.insert(run.places.end(), q + 4, q + 7);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  return run;
}

Run run_simbody(const Scene &scene, double accuracy) {
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  Force::UniformGravity gravity(forces, matter, Vec3(0, 0, -scene.g));
  GeneralContactSubsystem contacts(system);
  const ContactSetIndex set = contacts.createContactSet();
  std::vector<MobilizedBody::Free> bodies;
  for (const Sphere &s : scene.spheres) {
    const double I = 0.4 * s.mass * s.radius * s.radius;
    bodies.emplace_back(matter.Ground(), Transform(), Body::Rigid(MassProperties(s.mass, Vec3(0), Inertia(I))),
                        Transform());
    contacts.addBody(set, bodies.back(), ContactGeometry::Sphere(s.radius), Transform());
  }
  contacts.addBody(set, matter.updGround(), ContactGeometry::HalfSpace(), Transform(Rotation(Pi / 2, YAxis), Vec3(0)));
  HuntCrossleyForce force(forces, contacts, set);
  force.setTransitionVelocity(scene.transition);
  for (int i = 0; i <= static_cast<int>(scene.spheres.size()); i++)
    force.setBodyParameters(ContactSurfaceIndex(i), scene.modulus, scene.dissipation, scene.mu_s, scene.mu_d, 0);
  State state = system.realizeTopology();
  for (size_t i = 0; i < scene.spheres.size(); i++) {
    const Sphere &s = scene.spheres[i];
    bodies[i].setQToFitTranslation(state, Vec3(s.p[0], s.p[1], s.p[2]));
  }
  RungeKuttaMersonIntegrator integrator(system);
  integrator.setAccuracy(accuracy);
  TimeStepper stepper(system, integrator);
  stepper.initialize(state);
  const double start = now();
  stepper.stepTo(scene.end);
  Run run = { accuracy, now() - start, integrator.getNumRealizations(), {} };
  for (const MobilizedBody::Free &body : bodies) {
    const Vec3 p = body.getBodyOriginLocation(integrator.getState());
    for (int k = 0; k < 3; k++) run.places.push_back(p[k]);
  }
  return run;
}

double error(const Run &run, const Run &truth) {
  double most = 0;
  for (size_t i = 0; i < run.places.size(); i++) most = std::fmax(most, std::fabs(run.places[i] - truth.places[i]));
  return most;
}

void compare(int n) {
  const Scene scene = make_scene(n);
  cdn_system *system = build(scene);
  const Run truth = run_ours(scene, system, CDN_METHOD_DEFAULT, 1e-11);
  std::printf("%d spheres, %g s\n", n, scene.end);
  std::vector<std::pair<double, Run>> ours;
  for (double accuracy : { 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8 }) {
    const Run run = run_ours(scene, system, CDN_METHOD_DEFAULT, accuracy);
    ours.emplace_back(error(run, truth), run);
    std::printf("  Cardan      accuracy %.0e  error %.1e m  %8lld evaluations  %9.2f ms\n", accuracy, ours.back().first,
                run.evaluations, 1e3 * run.seconds);
  }
  for (double accuracy : { 1e-3, 1e-4, 1e-5, 1e-6 }) {
    const Run run = run_simbody(scene, accuracy);
    const double e = error(run, truth);
    std::printf("  Simbody 3.7 accuracy %.0e  error %.1e m  %8lld evaluations  %9.2f ms", accuracy, e, run.evaluations,
                1e3 * run.seconds);
    const Run *best = nullptr;
    for (const auto &o : ours)
      if (o.first <= e && (!best || o.second.seconds < best->seconds)) best = &o.second;
    if (best)
      std::printf("  at that error: %.2f of the evaluations, %.3f of the time\n",
                  static_cast<double>(best->evaluations) / static_cast<double>(run.evaluations),
                  best->seconds / run.seconds);
    else std::printf("  no run of ours is as accurate\n");
  }
  cdn_system_release(system);
}

/* Spheres that fly apart, turning, far above the floor: a run with shapes of which none comes near another, and the
 * same run without shapes. The least of several times each. */
void compare_in_flight(int n) {
  Scene scene = make_scene(n);
  for (Sphere &s : scene.spheres) {
    for (double &x : s.p) x *= 3;
    s.p[2] += 100;
  }
  scene.end = 1;
  double least[2] = { 1e300, 1e300 };
  long long evaluations[2] = { 0, 0 };
  for (int shapes = 0; shapes < 2; shapes++) {
    cdn_system *system = build(scene, shapes != 0);
    for (int k = 0; k < 7; k++) {
      const Run run = run_ours(scene, system, CDN_METHOD_DEFAULT, 1e-6, 1);
      least[shapes] = std::fmin(least[shapes], run.seconds);
      evaluations[shapes] = run.evaluations;
    }
    cdn_system_release(system);
  }
  std::printf("%d spheres that fly and do not meet: %.2f of the time of the run without shapes (%lld and %lld "
              "evaluations, %.1f and %.1f us each)\n",
              n, least[1] / least[0], evaluations[1], evaluations[0],
              1e6 * least[1] / static_cast<double>(evaluations[1]),
              1e6 * least[0] / static_cast<double>(evaluations[0]));
}

} // namespace

// bench_contact [--once N | --flight N]: with N, one run of ours alone, or the comparison in flight alone, for a
// profiler.
int main(int argc, char **argv) {
  if (argc == 3 && std::strcmp(argv[1], "--once") == 0) {
    const Scene scene = make_scene(std::atoi(argv[2]));
    cdn_system *system = build(scene);
    const Run run = run_ours(scene, system, CDN_METHOD_DEFAULT, 1e-3);
    std::printf("%lld evaluations, %.2f us each\n", run.evaluations, 1e6 * run.seconds / static_cast<double>(run.evaluations));
    cdn_system_release(system);
    return 0;
  }
  if (argc == 3 && std::strcmp(argv[1], "--flight") == 0) {
    compare_in_flight(std::atoi(argv[2]));
    return 0;
  }
  for (int n : { 20, 200 }) compare(n);
  for (int n : { 1, 20, 200 }) compare_in_flight(n);
  return 0;
}
