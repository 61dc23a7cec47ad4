// The problems of https://www.iftomm-multibody.org/benchmark, planar ones in the xy plane. Final values are of our own
// integrations of reduced equations with 30 digits and more (tests/verify has the same), except A03's, which belong to
// the
// published test set for initial value problems (Mazzia and Magherini, problem II-13). CPU times: OpenSim 3.2 from
// RehabEng's collection on an i5-4570; EXUDYN's from its examples.
#include "iftomm.h"

#include <algorithm>
#include <cmath>

namespace bench {

namespace {

const double pi = std::acos(-1.0);
const cdn_vec3 o = { 0, 0, 0 }, x = { 1, 0, 0 }, y = { 0, 1, 0 }, z = { 0, 0, 1 };

cdn_mass_properties solid(double mass, cdn_vec3 com, double ixx, double iyy, double izz) {
  return { mass, com, { ixx, iyy, izz, 0, 0, 0 } };
}

// A uniform slender rod of 1 m and 1 kg from the body's origin along d.
cdn_mass_properties rod_along(cdn_vec3 d) {
  const double i = 1. / 12;
  return solid(1, cdn_scale(0.5, d), d.x != 0 ? 0 : i, d.y != 0 ? 0 : i, d.z != 0 ? 0 : i);
}

void add(Problem *p, int parent, cdn_mobilizer kind, const cdn_transform &X_PF, const cdn_transform &X_BM,
         const cdn_mass_properties &mass, double q, double u) {
  peers::Body body = {};
  body.parent = parent;
  body.kind = kind;
  body.X_PF = X_PF;
  body.X_BM = X_BM;
  body.mass = mass;
  p->tree.bodies.push_back(body);
  p->q.push_back(q), p->u.push_back(u);
}

// On a pin about `axis` through the body's origin.
void add_pin(Problem *p, int parent, cdn_vec3 axis, cdn_vec3 where, const cdn_mass_properties &mass, double q,
             double u) {
  const cdn_rotation R = cdn_rotation_z_to(axis);
  add(p, parent, CDN_PIN, { R, where }, { R, o }, mass, q, u);
}

// The largest difference, relative to values above 1.
double apart(const std::vector<double> &at, const std::vector<double> &truth) {
  double worst = 0;
  for (size_t i = 0; i < at.size(); i++)
    worst = std::fmax(worst, std::fabs(at[i] - truth[i]) / std::fmax(1, std::fabs(truth[i])));
  return worst;
}

// ---- A01, a simple pendulum: 1 kg on a massless rod of 1 m, level and at rest --------------------

double energy_of_pendulum(const Run &run) {
  double worst = 0;
  for (size_t i = 0; i < run.rows.size(); i += 2)
    worst = std::fmax(worst, std::fabs(run.rows[i + 1] * run.rows[i + 1] / 2 + 9.81 * std::sin(run.rows[i])));
  return worst;
}

Iftomm pendulum() {
  Iftomm a01 = { {}, "energy at ten reports, 5e-5 J", 5e-5, energy_of_pendulum };
  a01.problem.name = "A01";
  a01.problem.end = 10;
  a01.problem.tree.gravity = { 0, -9.81, 0 };
  add_pin(&a01.problem, -1, z, o, solid(1, x, 0, 0, 0), pi, 0);
  a01.published = { { "OpenSim 3.2", 0.637 }, { "EXUDYN, i7", 0.037 } };
  return a01;
}

// ---- A02, n four-bars in a row: all rods are in line where the cranks are level ------------------

// Position and velocity of the first crank's end.
double crank_apart(const Run &run, size_t coordinates, double B0x, double B0y, double B0vx, double B0vy) {
  const double *end = run.rows.data() + run.rows.size() - 2 * coordinates;
  const double c = std::cos(end[0]), s = std::sin(end[0]), w = end[coordinates];
  return std::fmax(std::fmax(std::fabs(c - B0x), std::fabs(s - B0y)),
                   std::fmax(std::fabs(-s * w - B0vx), std::fabs(c * w - B0vy)));
}

double error_of_2(const Run &run) {
  return crank_apart(run, 5, 0.8397465743068435, 0.5429785363528847, 1.8382226441967427, -2.8429137892740971);
}

double error_of_40(const Run &run) {
  return crank_apart(run, 81, 0.4109011537629452, 0.9116799009719807, 1.5667853719090699, -0.7061622355938373);
}

Iftomm four_bars(int n, double (*error)(const Run &)) {
  Iftomm a02 = { {}, "B0 and its velocity at 20 s, 1e-3", 1e-3, error };
  Problem &p = a02.problem;
  p.name = "A02, " + std::to_string(n);
  p.end = 20;
  p.tree.gravity = { 0, -9.81, 0 };
  for (int i = 0; i <= n; i++) {
    add_pin(&p, -1, z, { static_cast<double>(i), 0, 0 }, rod_along(x), pi / 2, -1);
    if (i == n) break;
    add_pin(&p, 2 * i, z, x, rod_along(x), -pi / 2, 1);
    p.loops.push_back({ 2 * i + 1, 2 * i + 2, x, x });
  }
  if (n == 2) a02.published = { { "OpenSim 3.2", 0.455 }, { "EXUDYN, i9, energy to 0.11 J", 0.0776 } };
  return a02;
}

// ---- A03, Andrews' squeezing mechanism -----------------------------------------------------------

double error_of_andrews(const Run &run) {
  return apart(std::vector<double>(run.rows.end() - 14, run.rows.end()),
               { 33.825867766954517, -33.583431517463868, 0.11339507381259902, 0.52606044491699583,
                 -0.40785286560188444, 1.0569024294349628, 0.40785286560188444, 1144.5355026538475, -1336.0337226511925,
                 -190.93706860429462, 0.87586508294301516, -334.31706087086465, -39.617288978352995,
                 334.31706087086465 });
}

Iftomm andrews() {
  Iftomm a03 = { {}, "q and u at 0.05 s, 1e-4", 1e-4, error_of_andrews, { { "OpenSim 3.2", 0.384 } } };
  Problem &p = a03.problem;
  p.name = "A03";
  p.end = 0.05;
  p.tree.gravity = o;
  p.drive = 0.033;
  const cdn_vec3 A = { -0.06934, -0.00227, 0 }, E = { -0.028, 0, 0 };
  auto flat = [](double mass, double cx, double cy, double inertia) {
    return solid(mass, cdn_v3(cx, cy, 0), inertia / 2, inertia / 2, inertia);
  };
  add_pin(&p, -1, z, o, flat(0.04325, 0.00092, 0, 2.194e-6), -0.0617138900142764496, 0);
  add_pin(&p, 0, z, { 0.007, 0, 0 }, flat(0.00365, -0.0115, 0, 4.41e-7), 0, 0);
  add_pin(&p, -1, z, { -0.03635, 0.03273, 0 }, flat(0.02373, 0.01043, -0.01874, 5.255e-6), 0.455279819163070380, 0);
  add_pin(&p, -1, z, A, flat(0.0705, 0.02308, 0.00916, 1.169e-5), 0.487364979543842551, 0);
  add_pin(&p, 3, z, { 0.04, 0, 0 }, flat(0.00706, 0, -0.00579, 5.667e-7), 0.222668390165885885, 0);
  add_pin(&p, -1, z, A, flat(0.05498, -0.00449, -0.01228, 1.912e-5), 1.23054744454982120, 0);
  add_pin(&p, 5, z, { 0, -0.04, 0 }, flat(0.00706, 0.00579, 0, 5.667e-7), -0.222668390165885885, 0);
  p.loops = { { 1, 2, E, { 0, -0.035, 0 } }, { 1, 4, E, { 0, -0.02, 0 } }, { 1, 6, E, { 0.02, 0, 0 } } };
  p.struts = { { -1, 2, { 0.014, 0.072, 0 }, { 0.02, -0.018, 0 }, 4530, 0.07785, 0 } };
  return a03;
}

// ---- A04, Bricard's six rods: one equation too many everywhere -----------------------------------

// P2 and P3, the ends of the second rod and the third.
double error_of_bricard(const Run &run) {
  const double *q = run.rows.data() + run.rows.size() - 10;
  const cdn_rotation R1 = cdn_rotation_axis_angle(y, q[0]),
                     R2 = cdn_rotation_multiply(R1, cdn_rotation_axis_angle(z, q[1])),
                     R3 = cdn_rotation_multiply(R2, cdn_rotation_axis_angle(x, q[2]));
  const cdn_vec3 p2 = cdn_sub(cdn_rotate(R1, x), cdn_rotate(R2, y)), p3 = cdn_add(p2, cdn_rotate(R3, z));
  return apart({ p2.x, p2.y, p2.z, p3.x, p3.y, p3.z },
               { 0.999264610089414864, -0.999999729799615457, -0.000735119511424841, 0.999999729401917775,
                 -1.0007353899105120206, 0.999264339690327738 });
}

Iftomm bricard() {
  Iftomm a04 = { {}, "P2 and P3 at 10 s, 1e-4", 1e-4, error_of_bricard, { { "OpenSim 3.2", 0.258 } } };
  Problem &p = a04.problem;
  p.name = "A04";
  p.end = 10;
  p.tree.gravity = { 0, -9.81, 0 };
  const cdn_vec3 along[] = { x, { 0, -1, 0 }, z, { -1, 0, 0 }, y }, axis[] = { y, z, x, y, z };
  for (int i = 0; i < 5; i++) add_pin(&p, i - 1, axis[i], i ? along[i - 1] : o, rod_along(along[i]), 0, 0);
  p.loops = { { -1, 4, z, y } };
  p.squares = { { -1, 4, y, x }, { -1, 4, z, x } };
  return a04;
}

// ---- A05, a flyball governor: dampers of 4e4 N s/m on 3 kg ----------------------------------------

double error_of_governor(const Run &run) {
  const double *q = run.rows.data() + run.rows.size() - 8, *u = q + 4;
  return apart({ q[0], q[1], q[2], u[0], u[1], u[2] },
               { 55.9354099091023788, 0.619622917061365659, 0.390073701844645081, 5.5482036226549266,
                 -0.747603354164332468, 0.808467051345577400 });
}

Iftomm governor() {
  Iftomm a05 = { {}, "q and u at 10 s, 1e-4", 1e-4, error_of_governor, { { "OpenSim 3.2", 0.233 } } };
  Problem &p = a05.problem;
  p.name = "A05";
  p.end = 10;
  p.tree.gravity = { 0, 0, -9.81 };
  // square rods of 0.01 m, each with the 5 kg at its tip
  const double slim = 0.3 * 2e-4 / 12, wide = 0.3 * 1.0001 / 12, steiner = 0.3 * 5 / 5.3 * 0.25;
  const cdn_rotation up = cdn_rotation_axis_angle(y, -pi / 2); // a slider's x axis along z
  add_pin(&p, -1, z, o, solid(0.3, cdn_v3(0, 0, 0.5), wide, wide, slim), 0, 2 * pi);
  add(&p, 0, CDN_SLIDER, { up, o }, { up, o }, solid(3, o, 0.005, 0.005, 0.005), 0.5, 0);
  for (int side = 0; side < 2; side++) {
    // the rod lies along x of a frame that looks outwards; positive angles are below the horizontal
    const double out = side ? -1 : 1;
    const cdn_rotation R = side ? cdn_rotation_axis_angle(z, pi) : cdn_rotation_identity(),
                       about_y = cdn_rotation_z_to(y);
    add(&p, 0, CDN_PIN, { cdn_rotation_multiply(R, about_y), cdn_v3(0.05 * out, 0, 1) }, { about_y, o },
        solid(5.3, cdn_v3((0.15 + 5) / 5.3, 0, 0), slim, wide + steiner, wide + steiner), pi / 6, 0);
    p.struts.push_back({ 1, 2 + side, cdn_v3(0.05 * out, 0, 0), cdn_v3(0.5, 0, 0), 8e5, 0.5, 4e4 });
  }
  return a05;
}

} // namespace

std::vector<Iftomm> iftomm_problems() {
  return { pendulum(), four_bars(2, error_of_2), four_bars(40, error_of_40), andrews(), bricard(), governor() };
}

} // namespace bench
