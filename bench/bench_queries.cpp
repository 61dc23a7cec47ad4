// The broad phase from 10 to 10,000 boxes of one density, and rays against MuJoCo's. Every call has other data, so that
// no branch is foreseen because it was seen before.
#include "report.h"
#include "timing.h"

#include "../tests/peers/mujoco_bridge.h"
extern "C" {
#include "geometry/geometry.h"
}

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>

namespace bench {

namespace {

std::mt19937_64 generator(11);
double sink;

double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(generator); }

cdn_vec3 direction() {
  for (;;) {
    const cdn_vec3 v = cdn_v3(number(-1, 1), number(-1, 1), number(-1, 1));
    const double length = cdn_norm(v);
    if (length > 0.1 && length < 1) return cdn_scale(1 / length, v);
  }
}

// ---- the broad phase ----

// Boxes around balls of radii 0.35 to 0.5 m, one in a cubic metre, half of them over a half-space.
double time_broad_phase(int n, int sweeps, int *pairs_found) {
  const int sets = std::max(1, 20000 / n);
  std::vector<cdni_box> boxes((size_t)sets * (n + 1));
  const double side = std::cbrt(n);
  for (int set = 0; set < sets; set++) {
    cdni_box *b = &boxes[(size_t)set * (n + 1)];
    b[0] = { { -INFINITY, -INFINITY, -INFINITY }, { INFINITY, INFINITY, 0 } };
    for (int i = 1; i <= n; i++) {
      const double half = number(0.35, 0.5);
      for (int k = 0; k < 3; k++) {
        const double x = number(0, side) + (k == 2 ? 0.5 : 0);
        b[i].least[k] = x - half, b[i].most[k] = x + half;
      }
    }
  }
  const int room = 20 * n;
  std::vector<int32_t> pairs(2 * (size_t)room);
  std::unique_ptr<char[]> work(new char[cdni_broad_size(n + 1)]);
  double best = INFINITY;
  for (int sweep = 0; sweep < sweeps; sweep++) {
    const double begin = now();
    long found = 0;
    for (int set = 0; set < sets; set++)
      found += cdni_broad_pairs(n + 1, &boxes[(size_t)set * (n + 1)], nullptr, nullptr, room, pairs.data(), work.get());
    best = std::min(best, (now() - begin) / sets);
    *pairs_found = (int)(found / sets);
  }
  return best;
}

void run_broad_phase(int sweeps, Report *report) {
  std::printf("Broad phase: boxes of one density over a half-space, best of %d sweeps\n", sweeps);
  std::vector<double> sizes, times;
  for (int n : { 10, 30, 100, 300, 1000, 3000, 10000 }) {
    int pairs = 0;
    const double time = time_broad_phase(n, sweeps, &pairs);
    std::printf("  %6d boxes %7d pairs %10.2f us %7.1f ns a box\n", n, pairs, time / 1000, time / n);
    sizes.push_back(n);
    times.push_back(time);
    report->keep("broad phase, " + std::to_string(n) + " boxes", "ns", time, NAN, "none");
  }
  const double exponent = fit_exponent(sizes, times);
  std::printf("  time grows as the power %.3f of the number\n", exponent);
  report->keep("broad phase, exponent from 10 to 10,000", "", exponent, NAN, "none");
}

// ---- rays ----

enum { rays = 1024 };

struct Rays {
  double origin[rays][3], way[rays][3];
};

void make_rays(bool from_above, Rays *out) {
  for (int i = 0; i < rays; i++) {
    const cdn_vec3 o = from_above ? cdn_v3(number(-0.9, 0.9), number(-0.9, 0.9), 1) : cdn_scale(3, direction());
    const cdn_vec3 aim = from_above ? cdn_v3(number(-0.9, 0.9), number(-0.9, 0.9), 0) : cdn_scale(0.8, direction());
    const cdn_vec3 v = cdn_scale(1 / cdn_norm(cdn_sub(aim, o)), cdn_sub(aim, o));
    const double origin[3] = { o.x, o.y, o.z }, way[3] = { v.x, v.y, v.z };
    std::memcpy(out->origin[i], origin, sizeof origin);
    std::memcpy(out->way[i], way, sizeof way);
  }
}

template <class Call> double best_time(int sweeps, Call call) {
  double best = INFINITY;
  for (int sweep = 0; sweep < sweeps; sweep++) {
    const double begin = now();
    for (int i = 0; i < rays; i++) call(i);
    best = std::min(best, (now() - begin) / rays);
  }
  return best;
}

template <class Theirs>
void run_rays(const char *name, const cdn_geometry &g, int sweeps, Theirs theirs_at, Report *report) {
  Rays r;
  make_rays(g.kind == CDN_GEOMETRY_HEIGHT_FIELD, &r);
  const cdn_transform X = cdn_transform_identity();
  double ours = INFINITY, theirs = INFINITY;
  int differ = 0;
  for (int round = 0; round < 3; round++) {
    theirs = std::min(theirs, best_time(sweeps, [&](int i) { sink += theirs_at(r.origin[i], r.way[i]); }));
    ours = std::min(ours, best_time(sweeps, [&](int i) {
                      cdn_ray_hit hit;
                      int n;
                      const double *o = r.origin[i], *v = r.way[i];
                      if (cdn_geometry_ray(&g, &X, cdn_v3(o[0], o[1], o[2]), cdn_v3(v[0], v[1], v[2]), INFINITY, 1,
                                           &hit, &n) != CDN_OK)
                        std::abort();
                      sink += n;
                    }));
  }
  for (int i = 0; i < rays; i++) {
    cdn_ray_hit hit = {};
    int n;
    const double *o = r.origin[i], *v = r.way[i], t = theirs_at(o, v);
    if (cdn_geometry_ray(&g, &X, cdn_v3(o[0], o[1], o[2]), cdn_v3(v[0], v[1], v[2]), INFINITY, 1, &hit, &n) != CDN_OK)
      std::abort();
    differ += n != (t >= 0) || (n && std::fabs(t - hit.distance) > 1e-6);
  }
  std::printf("  %-28s %10.1f ns  MuJoCo %12.1f ns  ratio %7.4f  %d of %d answers differ\n", name, ours, theirs,
              ours / theirs, differ, rays);
  report->keep(std::string("ray, ") + name, "ns", ours, theirs, "MuJoCo 2.2.2");
}

void run_primitives(int sweeps, Report *report) {
  static const struct {
    const char *name;
    cdn_geometry g;
    int type;
  } kinds[] = { { "sphere", { CDN_GEOMETRY_SPHERE, { 0.7, 0, 0 }, nullptr }, mjGEOM_SPHERE },
                { "capsule", { CDN_GEOMETRY_CAPSULE, { 0.4, 0.6, 0 }, nullptr }, mjGEOM_CAPSULE },
                { "ellipsoid", { CDN_GEOMETRY_ELLIPSOID, { 0.3, 0.6, 1.1 }, nullptr }, mjGEOM_ELLIPSOID },
                { "cylinder", { CDN_GEOMETRY_CYLINDER, { 0.5, 0.7, 0 }, nullptr }, mjGEOM_CYLINDER },
                { "box", { CDN_GEOMETRY_BOX, { 0.3, 0.5, 0.9 }, nullptr }, mjGEOM_BOX } };
  static const double p[3] = { 0, 0, 0 }, R[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  for (const auto &k : kinds)
    run_rays(
        k.name, k.g, sweeps,
        [&](const double *o, const double *v) { return mju_rayGeom(p, R, k.g.size, o, v, k.type); }, report);
}

// A ball with bumps, of n around and n / 2 circles.
void run_mesh(int n, int sweeps, Report *report) {
  std::vector<double> vertices;
  std::vector<int> triangles;
  const int m = n / 2;
  for (int j = 0; j <= m; j++)
    for (int i = 0; i < n; i++) {
      const double a = 2 * M_PI * i / n, b = M_PI * (0.01 + 0.98 * j / m),
                   r = 0.9 + 0.1 * std::sin(5 * a) * std::sin(7 * b);
      vertices.insert(vertices.end(),
                      { r * std::sin(b) * std::cos(a), r * std::sin(b) * std::sin(a), -r * std::cos(b) });
      if (j == m) continue;
      const int p = j * n + i, q = j * n + (i + 1) % n;
      triangles.insert(triangles.end(), { p, q, q + n, p, q + n, p + n });
    }
  std::string text = "<mujoco><asset><mesh name='m' vertex='";
  char word[40];
  for (double x : vertices) std::snprintf(word, sizeof word, "%.9g ", x), text += word;
  text += "' face='";
  for (int t : triangles) text += std::to_string(t) + " ";
  text += "'/></asset><worldbody><geom type='mesh' mesh='m'/></worldbody></mujoco>";
  char error[300] = "";
  mjModel *model = mj_bridge_load_string(text.c_str(), "rays.xml", error, sizeof error);
  if (!model) {
    std::printf("  MuJoCo refuses the mesh: %s\n", error);
    return;
  }
  mjData *d = mj_makeData(model);
  mj_kinematics(model, d);
  // MuJoCo's own vertices, and both at the origin.
  for (size_t i = 0; i < vertices.size(); i++) vertices[i] = model->mesh_vert[i];
  const double R[9] = { 1, 0, 0, 0, 1, 0, 0, 0, 1 };
  std::memset(d->geom_xpos, 0, 3 * sizeof(double));
  std::memcpy(d->geom_xmat, R, sizeof R);
  cdn_geometry g = { CDN_GEOMETRY_MESH, { 0, 0, 0 }, nullptr };
  cdn_surface *surface;
  if (cdn_surface_create_mesh((int)vertices.size() / 3, vertices.data(), (int)triangles.size() / 3, triangles.data(),
                              &surface) != CDN_OK)
    std::abort();
  g.surface = surface;
  const std::string name = "mesh of " + std::to_string(triangles.size() / 3) + " triangles";
  run_rays(
      name.c_str(), g, std::min(sweeps, 3),
      [&](const double *o, const double *v) { return mj_rayMesh(model, d, 0, o, v); }, report);
  cdn_surface_release(surface);
  mj_deleteData(d);
  mj_deleteModel(model);
}

void run_height_field(int n, int sweeps, Report *report) {
  const std::string size = std::to_string(n), text = "<mujoco><asset><hfield name='h' nrow='" + size + "' ncol='" +
                                                     size +
                                                     "' size='1 1 0.5 1'/></asset><worldbody><geom type='hfield' "
                                                     "hfield='h'/></worldbody></mujoco>";
  char error[300] = "";
  mjModel *model = mj_bridge_load_string(text.c_str(), "rays.xml", error, sizeof error);
  if (!model) {
    std::printf("  MuJoCo refuses the height field: %s\n", error);
    return;
  }
  mjData *d = mj_makeData(model);
  mj_kinematics(model, d);
  std::vector<double> heights((size_t)n * n);
  for (size_t i = 0; i < heights.size(); i++) {
    model->hfield_data[i] = (float)number(0, 1);
    heights[i] = 0.5 * model->hfield_data[i];
  }
  cdn_surface *surface;
  if (cdn_surface_create_height_field(n, n, heights.data(), 1, 1, &surface) != CDN_OK) std::abort();
  const cdn_geometry g = { CDN_GEOMETRY_HEIGHT_FIELD, { 0, 0, 0 }, surface };
  const std::string name = "height field of " + size + " x " + size;
  run_rays(
      name.c_str(), g, std::min(sweeps, 3),
      [&](const double *o, const double *v) { return mj_rayHfield(model, d, 0, o, v); }, report);
  cdn_surface_release(surface);
  mj_deleteData(d);
  mj_deleteModel(model);
}

const char usage[] = "usage: bench_queries [--sweeps N] [--json FILE]\n";

int run(int argc, char **argv) {
  int sweeps = 30;
  const char *json = nullptr;
  for (int i = 1; i < argc; i++) {
    if (std::strcmp(argv[i], "--sweeps") == 0 && i + 1 < argc) sweeps = std::atoi(argv[++i]);
    else if (std::strcmp(argv[i], "--json") == 0 && i + 1 < argc) json = argv[++i];
    else {
      std::fputs(usage, stderr);
      return EXIT_FAILURE;
    }
  }
  pin_to_one_core();
  mj_bridge_handlers();
  Report report;
  run_broad_phase(sweeps, &report);
  std::printf("Rays: the nearest hit, best of %d sweeps of %d rays\n", 3 * sweeps, rays);
  run_primitives(sweeps, &report);
  for (int n : { 20, 100, 300 }) run_mesh(n, sweeps, &report);
  for (int n : { 20, 200 }) run_height_field(n, sweeps, &report);
  if (json && !report.write_json(json)) {
    std::fprintf(stderr, "bench_queries: cannot write %s\n", json);
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}

} // namespace

} // namespace bench

int main(int argc, char **argv) { return bench::run(argc, argv); }
