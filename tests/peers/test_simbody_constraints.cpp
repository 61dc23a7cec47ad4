// Every kind of constraint that Simbody 3.7 has, one at a time on random trees. Where the equations are the same number by
// number, at random states: errors of position and velocity, G, the errors of acceleration of a random udot, then udot, the
// multipliers and the forces of the constrained dynamics. Where theirs are other equations for the same motions (directions
// across a line or a normal may be chosen; ours tell orientations by the rotation vector), at states that satisfy them: udot and
// forces.
//
// Tolerances are a few hundred roundings (1e-13) of what is summed: lengths and velocities of the model's size; what comes out
// of the dynamics by the conditions of M and of G M^-1 G^T, each scaled to a unit diagonal.
#include "simbody_compare.h"

#include "../check_main.h"
#include "condition.h"
#include "random_mjcf.h"

#include <cmath>
#include <functional>

using namespace SimTK;

namespace {

constexpr double roundings = 1e-13;

struct Model;

struct Kind {
  const char *name;
  enum { SAME, VELOCITIES, OTHERS } like; // the equations are alike one by one; to velocities only; other ones
  std::function<cdn_constraint(Model &, std::unique_ptr<Constraint> &)> add;
};

struct Model {
  const peers::Tree &tree;
  peers::SimbodyTree theirs;
  cdn_system *system;
  cdn_state *state = nullptr;
  uint64_t rng;
  int a, b, c;                                 // bodies, -1: Ground; a and b differ
  std::vector<std::pair<int, int>> coordinate; // three, whose rates are speeds
  std::string name;
  int nu, nb, m = 0;
  double size = 1, speed = 1;
  std::vector<double> M, root;
  double cond = 1;

  Model(const peers::Tree &tree, uint64_t seed);
  ~Model();
  Model(const Model &) = delete;
  Model &operator=(const Model &) = delete;
  bool start(const Kind &kind);

  cdn_body body(int i) const { return { i + 1 }; }
  MobilizedBody &mobod(int i) { return theirs.matter.updMobilizedBody(MobilizedBodyIndex(i + 1)); }
  cdn_vec3 vec() { return peers::random_vec3(&rng, 0.7); }
  double number() { return random_uniform(&rng, 0.2, 1); }
  cdn_mobility ours(int i) const { return { body(coordinate[i].first), coordinate[i].second }; }
  MobilizedBody &on(int i) { return mobod(coordinate[i].first); }
  int at(int i) const { return coordinate[i].second; }

  void randomize();
  bool satisfy();
  void measure();
  void compare_errors(bool accelerations);
  bool compare_dynamics(bool multipliers);
  void near(const char *what, double ours, double theirs, double scale) const;
};

UnitVec3 unit(cdn_vec3 v) { return UnitVec3(peers::to_simbody(v)); }

Model::Model(const peers::Tree &t, uint64_t seed)
    : tree(t), theirs(t, false), system(peers::start_cardan(t)), rng(seed), nu(t.nu()),
      nb(static_cast<int>(t.bodies.size()) + 1) {
  const int n = static_cast<int>(tree.bodies.size());
  a = static_cast<int>(random_below(&rng, n + 1)) - 1;
  do b = static_cast<int>(random_below(&rng, n + 1)) - 1;
  while (b == a);
  c = static_cast<int>(random_below(&rng, n + 1)) - 1;
  for (int i = 0; i < n && coordinate.size() < 3; i++)
    if (peers::qdot_is_u(tree.bodies[i]) && tree.bodies[i].kind != CDN_CUSTOM_MOBILIZER &&
        peers::nu(tree.bodies[i]) > 0)
      coordinate.push_back({ i, static_cast<int>(random_below(&rng, peers::nu(tree.bodies[i]))) });
  cdn_system_add_gravity(system, "gravity", tree.gravity);
}

Model::~Model() {
  cdn_state_destroy(state);
  cdn_system_release(system);
}

// False: the tree has too few coordinates for it.
bool Model::start(const Kind &kind) {
  if (coordinate.size() < 3) return false;
  std::unique_ptr<Constraint> other;
  name = tree.name + ", " + kind.name;
  kind.add(*this, other);
  peers::freeze_cardan(system);
  SUCCEEDS(nullptr, cdn_state_create(system, &state));
  theirs.realize_model();
  m = cdn_system_nudoterr(system);
  theirs.system.realize(theirs.state, Stage::Acceleration);
  ck_assert_int_eq(m, theirs.state.getNMultipliers());
  return true;
}

// ---- states -------------------------------------------------------------------------------------

void Model::measure() {
  theirs.system.realize(theirs.state, Stage::Acceleration);
  size = speed = 1;
  for (const MobilizedBody &body : theirs.bodies) {
    const SpatialVec V = body.getBodyVelocity(theirs.state);
    size = std::max(size, body.getBodyOriginLocation(theirs.state).norm());
    speed = std::max(speed, V[0].norm() + V[1].norm());
  }
  M.resize(nu * nu);
  root.resize(nu);
  SUCCEEDS(state, cdn_calc_M(state, M.data()));
  cond = scaled_condition(M.data(), nu, root.data());
  ck_assert_msg(cond > 0, "%s: the mass matrix is singular", name.c_str());
}

void Model::randomize() {
  const std::vector<double> q = peers::random_q(tree, &rng), u = peers::random_u(tree, 2, &rng);
  const double t = random_uniform(&rng, 0, 2);
  SUCCEEDS(state, cdn_state_set_q(state, q.data()));
  SUCCEEDS(state, cdn_state_set_u(state, u.data()));
  SUCCEEDS(state, cdn_state_set_time(state, t));
  theirs.set_q(q.data());
  theirs.set_u(u.data());
  theirs.state.setTime(t);
  measure();
}

// The same state on both sides, which satisfies the constraint of ours; theirs must agree that it does.
bool Model::satisfy() {
  cdn_projection_def def = cdn_default_projection_def();
  def.tolerance = 1e-13 * speed;
  if (cdn_project_q(state, &def, nullptr) != CDN_OK || cdn_project_u(state, &def, nullptr) != CDN_OK) return false;
  theirs.set_q(cdn_state_q(state));
  theirs.set_u(cdn_state_u(state));
  measure();
  for (int i = 0; i < theirs.state.getNQErr(); i++)
    if (i < cdn_system_nqerr(system)) near("satisfied position error", 0, theirs.state.getQErr()[i], 10 * size);
  for (int i = 0; i < cdn_system_nuerr(system); i++)
    near("satisfied velocity error", 0, theirs.state.getUErr()[i], 10 * speed * size);
  return true;
}

// ---- comparing ----------------------------------------------------------------------------------

void Model::near(const char *what, double ours, double other, double scale) const {
  ck_assert_msg(std::fabs(ours - other) <= roundings * scale, "%s, %s: %.17g, Simbody %.17g: differ by %.2g of %.2g",
                name.c_str(), what, ours, other, std::fabs(ours - other) / scale, roundings);
}

void Model::compare_errors(bool accelerations) {
  const int np = cdn_system_nqerr(system), nv = cdn_system_nuerr(system);
  for (int i = 0; i < np; i++) near("position error", cdn_state_qerr(state)[i], theirs.state.getQErr()[i], size);
  for (int i = 0; i < nv; i++) near("velocity error", cdn_state_uerr(state)[i], theirs.state.getUErr()[i], speed);
  std::vector<double> G(m * nu), udot(nu), error(m);
  SUCCEEDS(state, cdn_calc_G(state, G.data()));
  Matrix other;
  theirs.matter.calcG(theirs.state, other);
  for (int i = 0; i < m; i++)
    for (int k = 0; k < nu; k++) near("G", G[i * nu + k], other(i, theirs.u_at[k]), size);
  if (!accelerations) return;
  for (double &x : udot) x = random_uniform(&rng, -2, 2);
  SUCCEEDS(state, cdn_calc_udoterr(state, udot.data(), error.data()));
  Vector bias, Gu;
  theirs.matter.calcBiasForAccelerationConstraints(theirs.state, bias);
  theirs.matter.multiplyByG(theirs.state, theirs.u_to_simbody(udot.data()), Gu);
  for (int i = 0; i < m; i++)
    near("acceleration error", error[i], Gu[i] + bias[i], 10 * (speed * speed + 2 * nu * size));
}

// False: equations depend on each other here, or nearly, and there is nothing to compare.
bool Model::compare_dynamics(bool multipliers) {
  std::vector<double> G(m * nu), A(m * m), x(nu), scale(m);
  SUCCEEDS(state, cdn_calc_G(state, G.data()));
  double largest = 0;
  for (int i = 0; i < m; i++) {
    SUCCEEDS(state, cdn_multiply_by_M_inv(state, &G[i * nu], x.data()));
    for (int j = 0; j < m; j++) {
      A[j * m + i] = 0;
      for (int k = 0; k < nu; k++) A[j * m + i] += G[j * nu + k] * x[k];
    }
    largest = std::max(largest, A[i * m + i]);
  }
  for (int i = 0; i < m; i++)
    if (!(A[i * m + i] > 1e-6 * largest)) return false;
  const double loops = scaled_condition(A.data(), m, scale.data());
  if (!(loops > 0 && loops * cond < 1e6)) return false;

  const double *udot = cdn_state_udot(state), *lambda = cdn_state_multipliers(state);
  ck_assert(udot && lambda);
  const std::vector<double> other = theirs.u_from_simbody(theirs.state.getUDot());
  const double hard = loops + cond;
  double load = 0; // accelerations in the metric of the masses
  for (int i = 0; i < nu; i++) load += std::fabs(other[i]) * root[i] + root[i];
  for (int i = 0; i < nu; i++) near("udot", udot[i], other[i], hard * load / root[i]);
  for (int i = 0; i < m && multipliers; i++)
    near("multiplier", lambda[i], theirs.state.getMultipliers()[i], hard * load / scale[i]);

  std::vector<cdn_spatial> F(nb);
  std::vector<double> f(nu);
  SUCCEEDS(state, cdn_constraint_forces(state, F.data(), f.data()));
  Vector_<SpatialVec> their_F;
  Vector their_f;
  theirs.matter.calcConstraintForcesFromMultipliers(theirs.state, theirs.state.getMultipliers(), their_F, their_f);
  const std::vector<double> push = theirs.u_from_simbody(their_f);
  double force = 0;
  for (int i = 0; i < m; i++) force += std::fabs(lambda[i]);
  for (int i = 0; i < nu; i++) near("mobility force", f[i], -push[i], hard * load + force);
  for (int i = 1; i < nb; i++)
    for (int k = 0; k < 3; k++) {
      near("moment", (&F[i].w.x)[k], -their_F[i][0][k], (hard * load + force) * size);
      near("force", (&F[i].v.x)[k], -their_F[i][1][k], hard * load + force);
    }
  return true;
}

// ---- functions: a[0] x0^2 x1 + a[1] x1 + a[2] x2 x0 --------------------------------------------

struct Mix : SimTK::Function {
  double a[3];
  explicit Mix(Model &m) {
    for (double &x : a) x = m.number();
  }
  Real calcValue(const Vector &x) const override {
    return a[0] * x[0] * x[0] * x[1] + a[1] * x[1] + a[2] * x[2] * x[0];
  }
  Real calcDerivative(const Array_<int> &of, const Vector &x) const override {
    if (of.size() == 1)
      return of[0] == 0 ? 2 * a[0] * x[0] * x[1] + a[2] * x[2] : of[0] == 1 ? a[0] * x[0] * x[0] + a[1] : a[2] * x[0];
    const int i = std::min(of[0], of[1]), j = std::max(of[0], of[1]);
    if (i == 0) return j == 0 ? 2 * a[0] * x[1] : j == 1 ? 2 * a[0] * x[0] : a[2];
    return 0;
  }
  int getArgumentSize() const override { return 3; }
  int getMaxDerivativeOrder() const override { return 2; }
};

cdn_status calc_mix(const void *self, const double *x, int order, cdn_function_result *out) {
  const double *a = static_cast<const double *>(self);
  out->value = a[0] * x[0] * x[0] * x[1] + a[1] * x[1] + a[2] * x[2] * x[0];
  if (order >= 1) {
    out->d1[0] = 2 * a[0] * x[0] * x[1] + a[2] * x[2], out->d1[1] = a[0] * x[0] * x[0] + a[1], out->d1[2] = a[2] * x[0];
  }
  if (order >= 2) {
    out->d2[0] = 2 * a[0] * x[1];
    out->d2[1] = out->d2[3] = 2 * a[0] * x[0];
    out->d2[2] = out->d2[6] = a[2];
  }
  return CDN_OK;
}

cdn_function *mix(const Mix &other) {
  cdn_function_ops ops = {};
  ops.struct_size = sizeof ops, ops.self_size = sizeof other.a, ops.n_inputs = 3, ops.calc = calc_mix;
  return cdn_function_create(&ops, other.a);
}

// ---- the kinds ----------------------------------------------------------------------------------

using Other = std::unique_ptr<Constraint>;

cdn_constraint add_contact_spheres(Model &m, Other &other, bool rolling) {
  const cdn_vec3 p = m.vec(), q = m.vec();
  const double r = m.number(), s = m.number();
  other.reset(new Constraint::SphereOnSphereContact(m.mobod(m.a), peers::to_simbody(p), r, m.mobod(m.b),
                                                    peers::to_simbody(q), s, rolling));
  return cdn_system_constrain_sphere_on_sphere(m.system, nullptr, m.body(m.a), p, r, m.body(m.b), q, s, rolling);
}

cdn_constraint add_sphere_on_plane(Model &m, Other &other, bool rolling) {
  const cdn_transform X = peers::random_frame(&m.rng);
  const cdn_vec3 p = m.vec();
  const double r = m.number();
  other.reset(new Constraint::SphereOnPlaneContact(m.mobod(m.a), peers::to_simbody(X), m.mobod(m.b),
                                                   peers::to_simbody(p), r, rolling));
  return cdn_system_constrain_sphere_on_plane(m.system, nullptr, m.body(m.a), X, m.body(m.b), p, r, rolling);
}

cdn_constraint add_lines(Model &m, Other &other, bool rolling) {
  const cdn_transform X = peers::random_frame(&m.rng), Y = peers::random_frame(&m.rng);
  other.reset(new Constraint::LineOnLineContact(m.mobod(m.a), peers::to_simbody(X), 1, m.mobod(m.b),
                                                peers::to_simbody(Y), 1, rolling));
  return cdn_system_constrain_line_on_line(m.system, nullptr, m.body(m.a), X, m.body(m.b), Y, rolling);
}

const Kind kinds[] = {
  { "rod", Kind::SAME,
    [](Model &m, Other &other) {
      const cdn_vec3 p = m.vec(), q = m.vec();
      const double length = m.number();
      other.reset(new Constraint::Rod(m.mobod(m.a), peers::to_simbody(p), m.mobod(m.b), peers::to_simbody(q), length));
      return cdn_system_constrain_rod(m.system, nullptr, m.body(m.a), p, m.body(m.b), q, length);
    } },
  { "ball", Kind::OTHERS,
    [](Model &m, Other &other) {
      const cdn_vec3 p = m.vec(), q = m.vec();
      other.reset(new Constraint::Ball(m.mobod(m.a), peers::to_simbody(p), m.mobod(m.b), peers::to_simbody(q)));
      return cdn_system_constrain_ball(m.system, nullptr, m.body(m.a), p, m.body(m.b), q);
    } },
  { "weld", Kind::OTHERS,
    [](Model &m, Other &other) {
      const cdn_transform F = peers::random_frame(&m.rng), M = peers::random_frame(&m.rng);
      other.reset(new Constraint::Weld(m.mobod(m.a), peers::to_simbody(F), m.mobod(m.b), peers::to_simbody(M)));
      return cdn_system_constrain_joint(m.system, nullptr, CDN_WELD, m.body(m.a), F, m.body(m.b), M, nullptr);
    } },
  { "constant orientation", Kind::OTHERS,
    [](Model &m, Other &other) {
      const cdn_transform F = peers::random_frame(&m.rng), M = peers::random_frame(&m.rng);
      other.reset(new Constraint::ConstantOrientation(m.mobod(m.a), peers::to_simbody(F).R(), m.mobod(m.b),
                                                      peers::to_simbody(M).R()));
      return cdn_system_constrain_joint(m.system, nullptr, CDN_TRANSLATION, m.body(m.a), F, m.body(m.b), M, nullptr);
    } },
  { "point in plane", Kind::SAME,
    [](Model &m, Other &other) {
      const cdn_vec3 n = m.vec(), p = m.vec();
      const double h = m.number();
      other.reset(new Constraint::PointInPlane(m.mobod(m.a), unit(n), h, m.mobod(m.b), peers::to_simbody(p)));
      return cdn_system_constrain_point_in_plane(m.system, nullptr, m.body(m.a), n, h, m.body(m.b), p);
    } },
  { "point on line", Kind::OTHERS,
    [](Model &m, Other &other) {
      const cdn_vec3 d = m.vec(), p = m.vec(), q = m.vec();
      other.reset(
          new Constraint::PointOnLine(m.mobod(m.a), unit(d), peers::to_simbody(p), m.mobod(m.b), peers::to_simbody(q)));
      return cdn_system_constrain_point_on_line(m.system, nullptr, m.body(m.a), d, p, m.body(m.b), q);
    } },
  { "constant angle", Kind::SAME,
    [](Model &m, Other &other) {
      const cdn_vec3 x = m.vec(), y = m.vec();
      const double angle = 2 * m.number();
      other.reset(new Constraint::ConstantAngle(m.mobod(m.a), unit(x), m.mobod(m.b), unit(y), angle));
      return cdn_system_constrain_angle(m.system, nullptr, m.body(m.a), x, m.body(m.b), y, angle);
    } },
  // Simbody's acceleration error is that of the points of both bodies that are at the place now, which is not the derivative of
  // its velocity error: the place stays on the case
  { "no slip", Kind::VELOCITIES,
    [](Model &m, Other &other) {
      const cdn_vec3 p = m.vec(), n = m.vec();
      other.reset(new Constraint::NoSlip1D(m.mobod(m.c), peers::to_simbody(p), unit(n), m.mobod(m.a), m.mobod(m.b)));
      return cdn_system_constrain_no_slip(m.system, nullptr, m.body(m.c), p, n, m.body(m.a), m.body(m.b));
    } },
  { "constant coordinate", Kind::SAME,
    [](Model &m, Other &other) {
      const double value = m.number();
      other.reset(new Constraint::ConstantCoordinate(m.on(0), MobilizerQIndex(m.at(0)), value));
      return cdn_system_constrain_coordinate(m.system, nullptr, m.ours(0).body, m.at(0), value);
    } },
  { "constant speed", Kind::SAME,
    [](Model &m, Other &other) {
      const double value = m.number();
      other.reset(new Constraint::ConstantSpeed(m.on(1), MobilizerUIndex(m.at(1)), value));
      return cdn_system_constrain_speed(m.system, nullptr, m.ours(1).body, m.at(1), value);
    } },
  { "constant acceleration", Kind::SAME,
    [](Model &m, Other &other) {
      const double value = m.number();
      other.reset(new Constraint::ConstantAcceleration(m.on(2), MobilizerUIndex(m.at(2)), value));
      return cdn_system_constrain_acceleration(m.system, nullptr, m.ours(2).body, m.at(2), value);
    } },
  { "coordinate coupler", Kind::SAME,
    [](Model &m, Other &other) {
      Mix *f = new Mix(m); // theirs from now on
      cdn_function *ours = mix(*f);
      const cdn_mobility at[] = { m.ours(0), m.ours(1), m.ours(2) };
      std::vector<MobilizedBodyIndex> bodies;
      std::vector<MobilizerQIndex> q;
      for (int i = 0; i < 3; i++) bodies.push_back(m.on(i)), q.push_back(MobilizerQIndex(m.at(i)));
      other.reset(new Constraint::CoordinateCoupler(m.theirs.matter, f, bodies, q));
      const cdn_constraint id = cdn_system_couple_coordinates(m.system, nullptr, ours, at, 3);
      cdn_function_release(ours);
      return id;
    } },
  // linear in the speeds, as Simbody's must be
  { "speed coupler", Kind::SAME,
    [](Model &m, Other &other) {
      const double a[] = { m.number(), -m.number(), m.number() };
      cdn_function *ours = cdn_function_linear(3, a, -0.3);
      Vector theirs(4);
      for (int i = 0; i < 3; i++) theirs[i] = a[i];
      theirs[3] = -0.3;
      const cdn_mobility at[] = { m.ours(0), m.ours(1), m.ours(2) };
      std::vector<MobilizedBodyIndex> bodies;
      std::vector<MobilizerUIndex> u;
      for (int i = 0; i < 3; i++) bodies.push_back(m.on(i)), u.push_back(MobilizerUIndex(m.at(i)));
      other.reset(new Constraint::SpeedCoupler(m.theirs.matter, new Function::Linear(theirs), bodies, u));
      const cdn_constraint id = cdn_system_couple_speeds(m.system, nullptr, ours, at, 3, nullptr, 0);
      cdn_function_release(ours);
      return id;
    } },
  { "prescribed motion", Kind::SAME,
    [](Model &m, Other &other) {
      const double a = m.number(), w = 3 * m.number(), coefficients[] = { a, w, 0.1, -0.2 };
      Vector theirs(4);
      for (int i = 0; i < 4; i++) theirs[i] = coefficients[i];
      cdn_function *ours = cdn_function_polynomial(4, coefficients);
      other.reset(new Constraint::PrescribedMotion(m.theirs.matter, new Function::Polynomial(theirs), m.on(0),
                                                   MobilizerQIndex(m.at(0))));
      const cdn_constraint id = cdn_system_constrain_motion(m.system, nullptr, m.ours(0).body, m.at(0), ours);
      cdn_function_release(ours);
      return id;
    } },
  { "point on plane", Kind::SAME,
    [](Model &m, Other &other) {
      const cdn_transform X = peers::random_frame(&m.rng);
      const cdn_vec3 p = m.vec();
      other.reset(
          new Constraint::PointOnPlaneContact(m.mobod(m.a), peers::to_simbody(X), m.mobod(m.b), peers::to_simbody(p)));
      return cdn_system_constrain_sphere_on_plane(m.system, nullptr, m.body(m.a), X, m.body(m.b), p, 0, true);
    } },
  { "sphere sliding on plane", Kind::SAME, [](Model &m, Other &o) { return add_sphere_on_plane(m, o, false); } },
  { "sphere rolling on plane", Kind::SAME, [](Model &m, Other &o) { return add_sphere_on_plane(m, o, true); } },
  { "sphere sliding on sphere", Kind::SAME, [](Model &m, Other &o) { return add_contact_spheres(m, o, false); } },
  { "sphere rolling on sphere", Kind::OTHERS, [](Model &m, Other &o) { return add_contact_spheres(m, o, true); } },
  { "line sliding on line", Kind::SAME, [](Model &m, Other &o) { return add_lines(m, o, false); } },
  { "line rolling on line", Kind::SAME, [](Model &m, Other &o) { return add_lines(m, o, true); } },
};

// Simbody's splines end where their data do, and projection may go farther.
peers::Tree without_functions(peers::Tree tree) {
  for (peers::Body &b : tree.bodies)
    if (b.kind == CDN_FUNCTION_BASED) b.kind = CDN_PIN;
  return tree;
}

} // namespace

START_TEST(test_every_kind) {
  for (const Kind &kind : kinds) {
    int compared = 0, satisfied = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
      const peers::Tree tree =
          without_functions(peers::random_tree_of_kinds(400 + seed, 5 + static_cast<int>(seed % 6), false));
      Model m(tree, seed);
      if (!m.start(kind)) continue;
      for (int round = 0; round < 3; round++) {
        m.randomize();
        if (kind.like != Kind::OTHERS) m.compare_errors(kind.like == Kind::SAME);
        if (kind.like == Kind::SAME) compared += m.compare_dynamics(true);
        if (m.satisfy()) satisfied += kind.like == Kind::VELOCITIES || m.compare_dynamics(kind.like == Kind::SAME);
      }
    }
    ck_assert_msg(satisfied >= 20 && (kind.like != Kind::SAME || compared >= 20),
                  "%s: compared at %d states and at %d that satisfy it", kind.name, compared, satisfied);
  }
}
END_TEST

CHECK_MAIN("simbody constraints", test_every_kind)
