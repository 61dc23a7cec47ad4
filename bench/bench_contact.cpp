// Falling spheres with Hunt and Crossley's contact, here and with Simbody's HuntCrossleyForce: the same scene, the same
// end, runs under
// error control at several accuracies. The error of a run is the largest error of a sphere's place at the end, against
// a run of ours at
// 1e-11 (both engines have the same forces to rounding: tests/peers/test_simbody_contact.cpp). Ratios are between runs
// of equal error: for each
// run of Simbody the least time of ours that is at least as accurate.
#include <cardan/cardan.h>

#include "../tests/peers/simbody_headers.h"
#include "standing_robots.h"

#include <algorithm>
#include <cmath>
#include <ctime>
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

// Processor time: runs take too long to be repeated until nobody else is on the machine.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

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
    check(cdn_body_set_u(state, { static_cast<int32_t>(i) + 1 }, 6, u0));
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

/* A run of Simbody's, and the fastest of ours that is at least as accurate. */
void print_theirs(const Run &run, const Run &truth, const std::vector<std::pair<double, Run>> &ours) {
  const double e = error(run, truth);
  std::printf("  Simbody 3.7 accuracy %.0e  error %.1e m  %8lld evaluations  %9.2f ms", run.accuracy, e,
              run.evaluations, 1e3 * run.seconds);
  const Run *best = nullptr;
  for (const auto &o : ours)
    if (o.first <= e && (!best || o.second.seconds < best->seconds)) best = &o.second;
  if (best)
    std::printf("  at that error: %.2f of the evaluations, %.3f of the time\n",
                static_cast<double>(best->evaluations) / static_cast<double>(run.evaluations),
                best->seconds / run.seconds);
  else std::printf("  no run of ours is as accurate\n");
}

void compare(int n) {
  const Scene scene = make_scene(n);
  cdn_system *system = build(scene);
  const Run truth = run_ours(scene, system, CDN_METHOD_DEFAULT, 1e-11);
  std::printf("%d spheres, %g s\n", n, scene.end);
  std::vector<std::pair<double, Run>> ours;
  for (double accuracy : { 0.3, 0.1, 3e-2, 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8 }) {
    const Run run = run_ours(scene, system, CDN_METHOD_DEFAULT, accuracy);
    ours.emplace_back(error(run, truth), run);
    std::printf("  Cardan      accuracy %.0e  error %.1e m  %8lld evaluations  %9.2f ms\n", accuracy, ours.back().first,
                run.evaluations, 1e3 * run.seconds);
  }
  for (double accuracy : { 1e-3, 1e-4, 1e-5, 1e-6 }) print_theirs(run_simbody(scene, accuracy), truth, ours);
  cdn_system_release(system);
}

/* ---- elastic foundation ---- */

/* Balls of triangles that fall on a floor next to one another, turning. */
struct Mesh {
  std::vector<double> points;
  std::vector<int> triangles;
};

Mesh make_ball(double radius, int rings) {
  Mesh mesh;
  const int around = 2 * rings, last = 1 + (rings - 1) * around;
  auto add = [&](double polar, double angle) {
    mesh.points.insert(mesh.points.end(), { radius * std::sin(polar) * std::cos(angle),
                                            radius * std::sin(polar) * std::sin(angle), radius * std::cos(polar) });
  };
  auto triangle = [&](int a, int b, int c) { mesh.triangles.insert(mesh.triangles.end(), { a, b, c }); };
  add(0, 0);
  for (int i = 1; i < rings; i++)
    for (int j = 0; j < around; j++) add(Pi * i / rings, 2 * Pi * j / around);
  add(Pi, 0);
  for (int j = 0; j < around; j++) {
    const int k = (j + 1) % around;
    triangle(0, 1 + j, 1 + k);
    triangle(last, last - around + k, last - around + j);
    for (int i = 0; i + 2 < rings; i++) {
      const int up = 1 + i * around, down = up + around;
      triangle(up + j, down + j, down + k);
      triangle(up + j, down + k, up + k);
    }
  }
  return mesh;
}

struct FoundationScene {
  int balls, rings;
  double radius = 0.1, height = 0.12, mass = 4, modulus = 1e6, thickness = 0.02, dissipation = 0.1;
  double mu_s = 0.6, mu_d = 0.5, transition = 0.05, g = 9.81, end = 0.3;
  double u0[6] = { 2, 3, 1, 0.5, 0.2, 0 };
};

Run run_our_foundation(const FoundationScene &scene, double accuracy) {
  const Mesh mesh = make_ball(scene.radius, scene.rings);
  cdn_surface *surface;
  check(cdn_surface_create_mesh(static_cast<int>(mesh.points.size() / 3), mesh.points.data(),
                                static_cast<int>(mesh.triangles.size() / 3), mesh.triangles.data(), &surface));
  cdn_system *system = cdn_system_create(nullptr);
  cdn_system_add_gravity(system, "gravity", { 0, 0, -scene.g });
  cdn_contact_material material = cdn_default_contact_material();
  material.modulus = scene.modulus, material.thickness = scene.thickness, material.dissipation = scene.dissipation;
  material.static_friction = scene.mu_s, material.dynamic_friction = scene.mu_d;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &material;
  shape.geometry.kind = CDN_GEOMETRY_MESH, shape.geometry.surface = surface;
  const double I = 0.4 * scene.mass * scene.radius * scene.radius;
  for (int i = 0; i < scene.balls; i++) {
    cdn_body_def body = cdn_default_body_def();
    const double q0[] = { 1, 0, 0, 0, 0.5 * i, 0, scene.height + 0.01 * i };
    body.mobilizer = CDN_FREE;
    body.mass.mass = scene.mass;
    body.mass.inertia = { I, I, I, 0, 0, 0 };
    body.q0 = q0;
    shape.body = cdn_system_add_body(system, &body);
    cdn_system_add_shape(system, &shape);
  }
  cdn_surface_release(surface);
  cdn_contact_material rigid = material;
  rigid.modulus = 1e30; /* Simbody's force has the stiffness of the mesh alone */
  shape.material = &rigid;
  shape.body = { 0 };
  shape.geometry = { CDN_GEOMETRY_HALF_SPACE, { 0, 0, 0 }, nullptr };
  cdn_system_add_shape(system, &shape);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.transition_velocity = scene.transition;
  cdn_system_set_contact(system, &contact);
  check(cdn_system_freeze(system));

  Run run = { accuracy, 0, 0, {} };
  cdn_state *state;
  cdn_stepper *stepper;
  check(cdn_state_create(system, &state));
  for (int i = 0; i < scene.balls; i++) check(cdn_body_set_u(state, { i + 1 }, 6, scene.u0));
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = accuracy, def.final_time = scene.end;
  check(cdn_stepper_create(state, &def, &stepper));
  const double start = now();
  check(cdn_stepper_advance(stepper, scene.end, nullptr));
  run.seconds = now() - start;
  cdn_certificate c;
  check(cdn_stepper_certificate(stepper, &c));
  run.evaluations = c.evaluations;
  for (int i = 0; i < scene.balls; i++) {
    const double *q = cdn_body_q(cdn_stepper_state(stepper), { i + 1 });
    run.places.insert(run.places.end(), q + 4, q + 7);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return run;
}

Run run_their_foundation(const FoundationScene &scene, double accuracy) {
  const Mesh mesh = make_ball(scene.radius, scene.rings);
  Array_<Vec3> vertices;
  for (size_t i = 0; i < mesh.points.size(); i += 3)
    vertices.push_back(Vec3(mesh.points[i], mesh.points[i + 1], mesh.points[i + 2]));
  const ContactGeometry::TriangleMesh ball(vertices, Array_<int>(mesh.triangles.begin(), mesh.triangles.end()));
  MultibodySystem system;
  SimbodyMatterSubsystem matter(system);
  GeneralForceSubsystem forces(system);
  Force::UniformGravity gravity(forces, matter, Vec3(0, 0, -scene.g));
  GeneralContactSubsystem contacts(system);
  const ContactSetIndex set = contacts.createContactSet();
  std::vector<MobilizedBody::Free> bodies;
  const double I = 0.4 * scene.mass * scene.radius * scene.radius;
  for (int i = 0; i < scene.balls; i++) {
    bodies.emplace_back(matter.Ground(), Transform(), Body::Rigid(MassProperties(scene.mass, Vec3(0), Inertia(I))),
                        Transform());
    contacts.addBody(set, bodies.back(), ball, Transform());
  }
  contacts.addBody(set, matter.updGround(), ContactGeometry::HalfSpace(), Transform(Rotation(Pi / 2, YAxis), Vec3(0)));
  ElasticFoundationForce force(forces, contacts, set);
  force.setTransitionVelocity(scene.transition);
  for (int i = 0; i < scene.balls; i++)
    force.setBodyParameters(ContactSurfaceIndex(i), scene.modulus / scene.thickness, scene.dissipation, scene.mu_s,
                            scene.mu_d, 0);
  State state = system.realizeTopology();
  for (int i = 0; i < scene.balls; i++) {
    bodies[static_cast<size_t>(i)].setQToFitTranslation(state, Vec3(0.5 * i, 0, scene.height + 0.01 * i));
    for (int k = 0; k < 6; k++) bodies[static_cast<size_t>(i)].setOneU(state, k, scene.u0[k]);
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

void compare_foundations(int balls, int rings) {
  FoundationScene scene = { balls, rings };
  const Run truth = run_our_foundation(scene, 1e-8);
  std::printf("%d balls of %d triangles, %g s\n", balls, 4 * rings * (rings - 1), scene.end);
  std::vector<std::pair<double, Run>> ours;
  for (double accuracy : { 1e-2, 3e-3, 1e-3, 3e-4, 1e-4, 3e-5, 1e-5, 1e-6 }) {
    const Run run = run_our_foundation(scene, accuracy);
    ours.emplace_back(error(run, truth), run);
    std::printf("  Cardan      accuracy %.0e  error %.1e m  %8lld evaluations  %9.2f ms\n", accuracy, ours.back().first,
                run.evaluations, 1e3 * run.seconds);
  }
  for (double accuracy : { 1e-3, 1e-4, 1e-5 }) print_theirs(run_their_foundation(scene, accuracy), truth, ours);
}

/* ---- piles ---- */

/* Spheres in a square heap as deep as wide that touch all their neighbours: what one evaluation costs after another,
 * each at another place. */
void time_piles() {
  std::printf("One evaluation of a pile of spheres that all touch their neighbours\n");
  double sum_x = 0, sum_y = 0, sum_xx = 0, sum_xy = 0, count = 0;
  for (int n : { 10, 30, 100, 300, 1000, 3000, 10000 }) {
    Scene scene;
    const int side = std::max(2, static_cast<int>(std::lround(std::cbrt(n))));
    for (int i = 0; i < n; i++)
      scene.spheres.push_back(
          { 0.1, 4, { 0.199 * (i % side), 0.199 * (i / side % side), 0.0995 + 0.199 * (i / side / side) } });
    cdn_system *system = build(scene);
    cdn_state *state;
    check(cdn_state_create(system, &state));
    std::vector<double> q(static_cast<size_t>(cdn_system_nq(system)));
    std::copy_n(cdn_state_q(state), q.size(), q.data());
    int contacts = 0;
    check(cdn_contact_count(state, &contacts));
    const int calls = std::max(3, 30000 / n);
    double best = INFINITY;
    for (int sweep = 0; sweep < 15; sweep++) {
      const double start = now();
      for (int k = 0; k < calls; k++) {
        for (size_t i = 6; i < q.size(); i += 7) q[i] += k % 2 ? -1e-4 : 1e-4;
        check(cdn_state_set_q(state, q.data()));
        check(cdn_realize(state, CDN_STAGE_ACCELERATION));
      }
      best = std::fmin(best, 1e9 * (now() - start) / calls);
    }
    std::printf("  %6d spheres %7d contacts %12.2f us %8.1f ns a sphere\n", n, contacts, best / 1000, best / n);
    const double x = std::log(n), y = std::log(best);
    sum_x += x, sum_y += y, sum_xx += x * x, sum_xy += x * y, count++;
    cdn_state_destroy(state);
    cdn_system_release(system);
  }
  std::printf("  time grows as the power %.3f of the number\n",
              (count * sum_xy - sum_x * sum_y) / (count * sum_xx - sum_x * sum_x));
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

// bench_contact [--once N | --spheres N | --flight N | --foundation | --piles | --robots]: a part alone; --once is one
// run of ours, for a
// profiler.
int main(int argc, char **argv) {
  if (argc == 3 && std::strcmp(argv[1], "--once") == 0) {
    const Scene scene = make_scene(std::atoi(argv[2]));
    cdn_system *system = build(scene);
    const Run run = run_ours(scene, system, CDN_METHOD_DEFAULT, 1e-3);
    std::printf("%lld evaluations, %.2f us each\n", run.evaluations,
                1e6 * run.seconds / static_cast<double>(run.evaluations));
    cdn_system_release(system);
    return 0;
  }
  if (argc == 3 && std::strcmp(argv[1], "--flight") == 0) {
    compare_in_flight(std::atoi(argv[2]));
    return 0;
  }
  if (argc == 2 && std::strcmp(argv[1], "--foundation") == 0) {
    compare_foundations(1, 8);
    compare_foundations(5, 12);
    return 0;
  }
  if (argc == 2 && std::strcmp(argv[1], "--robots") == 0) {
    bench::time_standing_robots(std::getenv("CARDAN_SHARED"));
    return 0;
  }
  if (argc == 2 && std::strcmp(argv[1], "--piles") == 0) {
    time_piles();
    return 0;
  }
  if (argc == 3 && std::strcmp(argv[1], "--spheres") == 0) {
    compare(std::atoi(argv[2]));
    return 0;
  }
  for (int n : { 20, 200 }) compare(n);
  compare_foundations(1, 8);
  compare_foundations(5, 12);
  time_piles();
  for (int n : { 1, 20, 200 }) compare_in_flight(n);
  bench::time_standing_robots(std::getenv("CARDAN_SHARED"));
  return 0;
}
