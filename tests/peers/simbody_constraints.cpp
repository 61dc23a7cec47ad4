// The constraints of simbody_constraints.h.
#include "simbody_constraints.h"

using namespace SimTK;

namespace peers {

Looped::Looped(const Tree &t, uint64_t seed) : tree(t), theirs(t, false), system(start_cardan(t)), rng(seed) {
  const int n = static_cast<int>(tree.bodies.size());
  a = static_cast<int>(random_below(&rng, n + 1)) - 1;
  do b = static_cast<int>(random_below(&rng, n + 1)) - 1;
  while (b == a);
  c = static_cast<int>(random_below(&rng, n + 1)) - 1;
  for (int i = 0; i < n && coordinate.size() < 3; i++)
    if (qdot_is_u(tree.bodies[i]) && tree.bodies[i].kind != CDN_CUSTOM_MOBILIZER && nu(tree.bodies[i]) > 0)
      coordinate.push_back({ i, static_cast<int>(random_below(&rng, nu(tree.bodies[i]))) });
  cdn_system_add_gravity(system, "gravity", tree.gravity);
}

Looped::~Looped() { cdn_system_release(system); }

namespace {

UnitVec3 unit(cdn_vec3 v) { return UnitVec3(to_simbody(v)); }

// ---- functions: a[0] x0^2 x1 + a[1] x1 + a[2] x2 x0 --------------------------------------------

struct Mix : SimTK::Function {
  double a[3];
  explicit Mix(Looped &m) {
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

cdn_constraint add_contact_spheres(Looped &m, Other &other, bool rolling) {
  const cdn_vec3 p = m.vec(), q = m.vec();
  const double r = m.number(), s = m.number();
  other.reset(
      new Constraint::SphereOnSphereContact(m.mobod(m.a), to_simbody(p), r, m.mobod(m.b), to_simbody(q), s, rolling));
  return cdn_system_constrain_sphere_on_sphere(m.system, nullptr, m.body(m.a), p, r, m.body(m.b), q, s, rolling);
}

cdn_constraint add_sphere_on_plane(Looped &m, Other &other, bool rolling) {
  const cdn_transform X = random_frame(&m.rng);
  const cdn_vec3 p = m.vec();
  const double r = m.number();
  other.reset(
      new Constraint::SphereOnPlaneContact(m.mobod(m.a), to_simbody(X), m.mobod(m.b), to_simbody(p), r, rolling));
  return cdn_system_constrain_sphere_on_plane(m.system, nullptr, m.body(m.a), X, m.body(m.b), p, r, rolling);
}

cdn_constraint add_lines(Looped &m, Other &other, bool rolling) {
  const cdn_transform X = random_frame(&m.rng), Y = random_frame(&m.rng);
  other.reset(
      new Constraint::LineOnLineContact(m.mobod(m.a), to_simbody(X), 1, m.mobod(m.b), to_simbody(Y), 1, rolling));
  return cdn_system_constrain_line_on_line(m.system, nullptr, m.body(m.a), X, m.body(m.b), Y, rolling);
}

const std::vector<ConstraintKind> kinds = {
  { "rod", ConstraintKind::SAME,
    [](Looped &m, Other &other) {
      const cdn_vec3 p = m.vec(), q = m.vec();
      const double length = m.number();
      other.reset(new Constraint::Rod(m.mobod(m.a), to_simbody(p), m.mobod(m.b), to_simbody(q), length));
      return cdn_system_constrain_rod(m.system, nullptr, m.body(m.a), p, m.body(m.b), q, length);
    } },
  { "ball", ConstraintKind::OTHERS,
    [](Looped &m, Other &other) {
      const cdn_vec3 p = m.vec(), q = m.vec();
      other.reset(new Constraint::Ball(m.mobod(m.a), to_simbody(p), m.mobod(m.b), to_simbody(q)));
      return cdn_system_constrain_ball(m.system, nullptr, m.body(m.a), p, m.body(m.b), q);
    } },
  { "weld", ConstraintKind::OTHERS,
    [](Looped &m, Other &other) {
      const cdn_transform F = random_frame(&m.rng), M = random_frame(&m.rng);
      other.reset(new Constraint::Weld(m.mobod(m.a), to_simbody(F), m.mobod(m.b), to_simbody(M)));
      return cdn_system_constrain_joint(m.system, nullptr, CDN_WELD, m.body(m.a), F, m.body(m.b), M, nullptr);
    } },
  { "constant orientation", ConstraintKind::OTHERS,
    [](Looped &m, Other &other) {
      const cdn_transform F = random_frame(&m.rng), M = random_frame(&m.rng);
      other.reset(
          new Constraint::ConstantOrientation(m.mobod(m.a), to_simbody(F).R(), m.mobod(m.b), to_simbody(M).R()));
      return cdn_system_constrain_joint(m.system, nullptr, CDN_TRANSLATION, m.body(m.a), F, m.body(m.b), M, nullptr);
    } },
  { "point in plane", ConstraintKind::SAME,
    [](Looped &m, Other &other) {
      const cdn_vec3 n = m.vec(), p = m.vec();
      const double h = m.number();
      other.reset(new Constraint::PointInPlane(m.mobod(m.a), unit(n), h, m.mobod(m.b), to_simbody(p)));
      return cdn_system_constrain_point_in_plane(m.system, nullptr, m.body(m.a), n, h, m.body(m.b), p);
    } },
  { "point on line", ConstraintKind::OTHERS,
    [](Looped &m, Other &other) {
      const cdn_vec3 d = m.vec(), p = m.vec(), q = m.vec();
      other.reset(new Constraint::PointOnLine(m.mobod(m.a), unit(d), to_simbody(p), m.mobod(m.b), to_simbody(q)));
      return cdn_system_constrain_point_on_line(m.system, nullptr, m.body(m.a), d, p, m.body(m.b), q);
    } },
  { "constant angle", ConstraintKind::SAME,
    [](Looped &m, Other &other) {
      const cdn_vec3 x = m.vec(), y = m.vec();
      const double angle = 2 * m.number();
      other.reset(new Constraint::ConstantAngle(m.mobod(m.a), unit(x), m.mobod(m.b), unit(y), angle));
      return cdn_system_constrain_angle(m.system, nullptr, m.body(m.a), x, m.body(m.b), y, angle);
    } },
  // Simbody's acceleration error is that of the points of both bodies that are at the place now, which is not the
  // derivative of
  // its velocity error: the place stays on the case
  { "no slip", ConstraintKind::VELOCITIES,
    [](Looped &m, Other &other) {
      const cdn_vec3 p = m.vec(), n = m.vec();
      other.reset(new Constraint::NoSlip1D(m.mobod(m.c), to_simbody(p), unit(n), m.mobod(m.a), m.mobod(m.b)));
      return cdn_system_constrain_no_slip(m.system, nullptr, m.body(m.c), p, n, m.body(m.a), m.body(m.b));
    } },
  { "constant coordinate", ConstraintKind::SAME,
    [](Looped &m, Other &other) {
      const double value = m.number();
      other.reset(new Constraint::ConstantCoordinate(m.on(0), MobilizerQIndex(m.at(0)), value));
      return cdn_system_constrain_coordinate(m.system, nullptr, m.ours(0).body, m.at(0), value);
    } },
  { "constant speed", ConstraintKind::SAME,
    [](Looped &m, Other &other) {
      const double value = m.number();
      other.reset(new Constraint::ConstantSpeed(m.on(1), MobilizerUIndex(m.at(1)), value));
      return cdn_system_constrain_speed(m.system, nullptr, m.ours(1).body, m.at(1), value);
    } },
  { "constant acceleration", ConstraintKind::SAME,
    [](Looped &m, Other &other) {
      const double value = m.number();
      other.reset(new Constraint::ConstantAcceleration(m.on(2), MobilizerUIndex(m.at(2)), value));
      return cdn_system_constrain_acceleration(m.system, nullptr, m.ours(2).body, m.at(2), value);
    } },
  { "coordinate coupler", ConstraintKind::SAME,
    [](Looped &m, Other &other) {
      Mix *f = new Mix(m); // theirs from now on
      cdn_function *ours = mix(*f);
      const cdn_mobility at[] = { m.ours(0), m.ours(1), m.ours(2) };
      std::vector<MobilizedBodyIndex> bodies;
      std::vector<MobilizerQIndex> q;
      for (int i = 0; i < 3; i++) bodies.push_back(m.on(i)), q.push_back(MobilizerQIndex(m.at(i)));
      other.reset(new Constraint::CoordinateCoupler(m.theirs.matter, f, bodies, q));
      const cdn_constraint id = cdn_system_couple_coordinates(m.system, nullptr, ours, 3, at);
      cdn_function_release(ours);
      return id;
    } },
  // linear in the speeds, as Simbody's must be
  { "speed coupler", ConstraintKind::SAME,
    [](Looped &m, Other &other) {
      const double a[] = { m.number(), -m.number(), m.number() };
      cdn_function *ours = cdn_function_linear(3, a, -0.3);
      Vector theirs(4);
      for (int i = 0; i < 3; i++) theirs[i] = a[i];
      theirs[3] = -0.3;
      const cdn_mobility at[] = { m.ours(0), m.ours(1), m.ours(2) };
      std::vector<MobilizedBodyIndex> bodies;
      std::vector<MobilizerUIndex> u;
      for (int i = 0; i < 3; i++) bodies.push_back(m.on(i)), u.push_back(MobilizerUIndex(m.at(i)));
      other.reset(new Constraint::SpeedCoupler(m.theirs.matter, new SimTK::Function::Linear(theirs), bodies, u));
      const cdn_constraint id = cdn_system_couple_speeds(m.system, nullptr, ours, at, 3, nullptr, 0);
      cdn_function_release(ours);
      return id;
    } },
  { "prescribed motion", ConstraintKind::SAME,
    [](Looped &m, Other &other) {
      const double a = m.number(), w = 3 * m.number(), coefficients[] = { a, w, 0.1, -0.2 };
      Vector theirs(4);
      for (int i = 0; i < 4; i++) theirs[i] = coefficients[i];
      cdn_function *ours = cdn_function_polynomial(4, coefficients);
      other.reset(new Constraint::PrescribedMotion(m.theirs.matter, new SimTK::Function::Polynomial(theirs), m.on(0),
                                                   MobilizerQIndex(m.at(0))));
      const cdn_constraint id = cdn_system_constrain_motion(m.system, nullptr, m.ours(0).body, m.at(0), ours);
      cdn_function_release(ours);
      return id;
    } },
  { "point on plane", ConstraintKind::SAME,
    [](Looped &m, Other &other) {
      const cdn_transform X = random_frame(&m.rng);
      const cdn_vec3 p = m.vec();
      other.reset(new Constraint::PointOnPlaneContact(m.mobod(m.a), to_simbody(X), m.mobod(m.b), to_simbody(p)));
      return cdn_system_constrain_sphere_on_plane(m.system, nullptr, m.body(m.a), X, m.body(m.b), p, 0, true);
    } },
  { "sphere sliding on plane", ConstraintKind::SAME,
    [](Looped &m, Other &o) { return add_sphere_on_plane(m, o, false); } },
  { "sphere rolling on plane", ConstraintKind::SAME,
    [](Looped &m, Other &o) { return add_sphere_on_plane(m, o, true); } },
  { "sphere sliding on sphere", ConstraintKind::SAME,
    [](Looped &m, Other &o) { return add_contact_spheres(m, o, false); } },
  { "sphere rolling on sphere", ConstraintKind::OTHERS,
    [](Looped &m, Other &o) { return add_contact_spheres(m, o, true); } },
  { "line sliding on line", ConstraintKind::SAME, [](Looped &m, Other &o) { return add_lines(m, o, false); } },
  { "line rolling on line", ConstraintKind::SAME, [](Looped &m, Other &o) { return add_lines(m, o, true); } },
};

} // namespace

const std::vector<ConstraintKind> &constraint_kinds() { return kinds; }

} // namespace peers
