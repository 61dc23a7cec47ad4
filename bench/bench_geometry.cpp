// Nanoseconds a pair of geometries, against the functions of MuJoCo's table, for every pair of kinds that both have:
// the whole
// manifold, which is what MuJoCo computes, and the distance alone.
#include "humanoid_collision.h"
#include "report.h"
#include "timing.h"

#include "../tests/peers/mujoco_bridge.h"
#include "../tests/peers/mujoco_geometry.h"
extern "C" {
#include "geometry/geometry.h"
}

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

namespace bench {

namespace {

const char *const kind_names[] = { "sphere", "half-space", "capsule", "ellipsoid", "cylinder", "box", "hull" };
enum { kinds = 7, poses = 128 };

std::mt19937_64 generator(7);

double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator); }

cdn_vec3 direction() {
  for (;;) {
    const cdn_vec3 v = cdn_v3(number(-1, 1), number(-1, 1), number(-1, 1));
    const double length = cdn_norm(v);
    if (length > 0.1 && length < 1) return cdn_scale(1 / length, v);
  }
}

cdn_rotation rotation() { return cdn_rotation_axis_angle(direction(), number(-3, 3)); }

struct Shape {
  cdn_geometry geometry = {};
  std::vector<double> points;
  cdn_surface *surface = nullptr;
  Shape(int kind, const double size[3]) {
    geometry.kind = (cdn_geometry_kind)kind;
    for (int i = 0; i < 3; i++) geometry.size[i] = size[i];
    if (kind != CDN_GEOMETRY_CONVEX) return;
    for (int i = 0; i < 40; i++) {
      const cdn_vec3 p = direction();
      points.insert(points.end(), { size[0] * p.x, size[1] * p.y, size[2] * p.z });
    }
    if (cdn_surface_create_convex(40, points.data(), &surface) != CDN_OK) std::abort();
    geometry.surface = surface;
  }
  Shape(const Shape &) = delete;
  ~Shape() { cdn_surface_release(surface); }
};

struct Poses {
  cdn_transform X_WA[poses], X_WB[poses];
};

// Poses where the two are as deep in each other as `low` to `high` says, in units of their sizes; < 0: apart.
void make_poses(const Shape &a, const Shape &b, double low, double high, Poses *out) {
  for (int i = 0; i < poses; i++) {
    out->X_WA[i] = { rotation(), cdn_scale(2, direction()) };
    out->X_WB[i] = { rotation(), cdn_add(out->X_WA[i].p, cdn_scale(3, direction())) };
    cdn_proximity near;
    for (int turn = 0; turn < 3; turn++) {
      if (!cdni_pair_distance(&a.geometry, &out->X_WA[i], &b.geometry, &out->X_WB[i], INFINITY, &near)) std::abort();
      const double wanted = -0.4 * number(low, high);
      out->X_WB[i].p = cdn_add(out->X_WB[i].p, cdn_scale(wanted - near.distance, near.normal));
    }
  }
}

double sink;

template <class Call> double best_time(int sweeps, Call call) {
  double best = INFINITY;
  for (int sweep = 0; sweep < sweeps; sweep++) {
    const double begin = now();
    for (int i = 0; i < poses; i++) call(i);
    best = std::min(best, (now() - begin) / poses);
  }
  return best;
}

void run_pair(int kind_a, int kind_b, int sweeps, Report *report, double *worst_analytic, double *worst_convex) {
  const double size_a[3] = { 0.4, 0.5, 0.3 }, size_b[3] = { 0.3, 0.4, 0.5 };
  const Shape a(kind_a, size_a), b(kind_b, size_b);
  mj_geometry_pair peer;
  if (!mj_geometry_init(&peer, &a.geometry, (int)a.points.size() / 3, a.points.data(), &b.geometry,
                        (int)b.points.size() / 3, b.points.data()))
    std::abort();
  static const struct {
    const char *name;
    double low, high;
  } depths[] = { { "shallow", 0.001, 0.05 }, { "deep", 0.2, 0.6 }, { "near", -0.2, -0.01 } };
  const bool analytic =
      std::strcmp(kind_names[kind_a], "half-space") == 0 ||
      (kind_a != CDN_GEOMETRY_ELLIPSOID && kind_a != CDN_GEOMETRY_CYLINDER && kind_a != CDN_GEOMETRY_CONVEX &&
       kind_b != CDN_GEOMETRY_ELLIPSOID && kind_b != CDN_GEOMETRY_CYLINDER && kind_b != CDN_GEOMETRY_CONVEX) ||
      (kind_a == CDN_GEOMETRY_SPHERE && kind_b == CDN_GEOMETRY_CYLINDER);
  for (const auto &depth : depths) {
    Poses p;
    make_poses(a, b, depth.low, depth.high, &p);
    cdn_manifold manifold;
    cdn_proximity near;
    double theirs = INFINITY, ours = INFINITY, distance = INFINITY, nothing = INFINITY;
    for (int round = 0; round < 3; round++) {
      nothing = std::min(nothing, best_time(sweeps, [&](int i) { mj_geometry_pose(&peer, &p.X_WA[i], &p.X_WB[i]); }));
      theirs = std::min(theirs, best_time(sweeps, [&](int i) {
                          mj_geometry_pose(&peer, &p.X_WA[i], &p.X_WB[i]);
                          sink += mj_geometry_collide(&peer, 0);
                        }));
      ours = std::min(ours, best_time(sweeps, [&](int i) {
                        cdni_pair_manifold(&a.geometry, &p.X_WA[i], &b.geometry, &p.X_WB[i], 0, &manifold);
                        sink += manifold.n;
                      }));
      distance = std::min(distance, best_time(sweeps, [&](int i) {
                            sink += cdni_pair_distance(&a.geometry, &p.X_WA[i], &b.geometry, &p.X_WB[i], 0, &near);
                          }));
    }
    theirs -= nothing;
    std::printf("  %-10s %-10s %-8s manifold %8.1f  distance %8.1f  MuJoCo %8.1f ns   ratios %5.2f %5.2f%s\n",
                kind_names[kind_a], kind_names[kind_b], depth.name, ours, distance, theirs, ours / theirs,
                distance / theirs, analytic ? "  (closed form)" : "");
    const std::string name = std::string(kind_names[kind_a]) + ", " + kind_names[kind_b] + ", " + depth.name;
    report->keep(name + ", manifold", "ns", ours, theirs, "MuJoCo 2.2.2");
    report->keep(name + ", distance", "ns", distance, theirs, "MuJoCo 2.2.2");
    double *worst = analytic ? worst_analytic : worst_convex;
    *worst = std::max(*worst, ours / theirs);
  }
  mj_geometry_free(&peer);
}

void run_pairs(int sweeps, Report *report) {
  double analytic = 0, convex = 0;
  std::printf("Nanoseconds a pair of geometries, best of %d sweeps of %d poses\n", sweeps, poses);
  for (int i = 0; i < kinds; i++)
    for (int j = i; j < kinds; j++)
      if (i != CDN_GEOMETRY_HALF_SPACE || j != CDN_GEOMETRY_HALF_SPACE)
        run_pair(i, j, sweeps, report, &analytic, &convex);
  std::printf("Largest ratio to MuJoCo: %.2f in closed form, %.2f of the other convex pairs\n", analytic, convex);
}

const char usage[] = "usage: bench_geometry [--sweeps N] [--humanoid] [--json FILE]\n";

int run(int argc, char **argv) {
  int sweeps = 30;
  bool pairs = true;
  const char *json = nullptr;
  for (int i = 1; i < argc; i++) {
    if (std::strcmp(argv[i], "--sweeps") == 0 && i + 1 < argc) sweeps = std::atoi(argv[++i]);
    else if (std::strcmp(argv[i], "--humanoid") == 0) pairs = false;
    else if (std::strcmp(argv[i], "--json") == 0 && i + 1 < argc) json = argv[++i];
    else {
      std::fputs(usage, stderr);
      return EXIT_FAILURE;
    }
  }
  pin_to_one_core();
  mj_bridge_handlers();
  Report report;
  if (pairs) run_pairs(sweeps, &report);
  run_humanoid_collision(sweeps, &report);
  if (json && !report.write_json(json)) {
    std::fprintf(stderr, "bench_geometry: cannot write %s\n", json);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

} // namespace

} // namespace bench

int main(int argc, char **argv) { return bench::run(argc, argv); }
