// Function-based mobilizers in Simbody.
//
// Simbody 3.7's own class is right only for some of them. Its H leaves out rotations by a constant, and its Hdot takes
// u_i
// for the coordinate whose functions turn about axis i (differences of its poses and of its velocities show both). So
// it serves where no rotation is by a constant and rotation i is a function of coordinate i alone; elsewhere a custom
// mobilizer, written here after the definition, takes its place.
#include "simbody_tree.h"

using namespace SimTK;

namespace peers {

// ---- functions ----------------------------------------------------------------------------------

static Vector vector_of(const std::vector<double> &a) { return Vector(static_cast<int>(a.size()), a.data()); }

const SimTK::Function *simbody_function(const peers::Function &f) {
  switch (f.type) {
    case peers::Function::constant: return new SimTK::Function::Constant(f.a[0], 0);
    case peers::Function::linear: return new SimTK::Function::Linear(vector_of(f.a));
    case peers::Function::polynomial: return new SimTK::Function::Polynomial(vector_of(f.a));
    case peers::Function::sinusoid: return new SimTK::Function::Sinusoid(f.a[0], f.a[1], f.a[2]);
    case peers::Function::spline:
      return SplineFitter<Real>::fitForSmoothingParameter(3, vector_of(f.x), vector_of(f.a), 0).getSpline().clone();
    default: return new SimTK::Function::Constant(0, 0);
  }
}

static bool simbody_is_right(const FunctionMobilizer &m) {
  for (int i = 0; i < 3; i++) {
    if (m.f[i].type == peers::Function::constant) return false;
    for (int input : m.f[i].inputs)
      if (input != i) return false;
  }
  return true;
}

// ---- by the definition --------------------------------------------------------------------------

namespace {

class FunctionMotion : public MobilizedBody::Custom::Implementation {
public:
  FunctionMotion(SimbodyMatterSubsystem &matter, const FunctionMobilizer &mobilizer)
      : Implementation(matter, mobilizer.nu, mobilizer.nu), m(mobilizer) {
    for (const peers::Function &f : m.f) functions.emplace_back(simbody_function(f));
  }
  Implementation *clone() const override { return new FunctionMotion(*this); }

  Transform calcMobilizerTransformFromQ(const State &, int, const Real *q) const override {
    Vec3 p(0);
    for (int i = 3; i < 6; i++) p += value(i, q) * axis(i);
    return Transform(Rotation(turn(0, q) * turn(1, q) * turn(2, q)), p);
  }

  SpatialVec multiplyByHMatrix(const State &s, int nu, const Real *u) const override { return product(H(s), nu, u); }
  void multiplyByHTranspose(const State &s, const SpatialVec &F, int nu, Real *f) const override {
    transposed(H(s), F, nu, f);
  }
  SpatialVec multiplyByHDotMatrix(const State &s, int nu, const Real *u) const override {
    return product(H_dot(s), nu, u);
  }
  void multiplyByHDotTranspose(const State &s, const SpatialVec &F, int nu, Real *f) const override {
    transposed(H_dot(s), F, nu, f);
  }

private:
  typedef std::vector<SpatialVec> Columns;

  Vec3 axis(int i) const { return to_simbody(m.axis[i]); }
  Vector arguments(int i, const Real *q) const {
    Vector x(static_cast<int>(m.f[i].inputs.size()));
    for (int j = 0; j < x.size(); j++) x[j] = q[m.f[i].inputs[j]];
    return x;
  }
  Real value(int i, const Real *q) const { return functions[i]->calcValue(arguments(i, q)); }

  Rotation turn(int i, const Real *q) const { return Rotation(value(i, q), UnitVec3(axis(i))); }

  // Derivatives by the coordinates k (and l).
  Real slope(int i, const Real *q, int k) const {
    Real sum = 0;
    const auto &inputs = m.f[i].inputs;
    for (size_t j = 0; j < inputs.size(); j++)
      if (inputs[j] == k) sum += functions[i]->calcDerivative(Array_<int>(1, static_cast<int>(j)), arguments(i, q));
    return sum;
  }
  Real curvature(int i, const Real *q, int k, int l) const {
    Real sum = 0;
    const auto &inputs = m.f[i].inputs;
    for (size_t a = 0; a < inputs.size(); a++)
      for (size_t b = 0; b < inputs.size(); b++) {
        if (inputs[a] != k || inputs[b] != l) continue;
        Array_<int> by;
        by.push_back(static_cast<int>(a));
        by.push_back(static_cast<int>(b));
        sum += functions[i]->calcDerivative(by, arguments(i, q));
      }
    return sum;
  }

  // The axes of rotation as the rotations before them turned them.
  void turned_axes(const Real *q, Vec3 *b) const {
    const Rotation first = turn(0, q), second(first * turn(1, q));
    b[0] = axis(0), b[1] = first * axis(1), b[2] = second * axis(2);
  }

  Columns H(const State &s) const {
    const Vector q = getQ(s);
    Vec3 b[3];
    turned_axes(&q[0], b);
    Columns h(m.nu, SpatialVec(Vec3(0), Vec3(0)));
    for (int k = 0; k < m.nu; k++)
      for (int i = 0; i < 3; i++) h[k] += SpatialVec(slope(i, &q[0], k) * b[i], slope(3 + i, &q[0], k) * axis(3 + i));
    return h;
  }

  Columns H_dot(const State &s) const {
    const Vector q = getQ(s), u = getU(s);
    Vec3 b[3], turning(0); // of the rotations so far
    turned_axes(&q[0], b);
    Columns h(m.nu, SpatialVec(Vec3(0), Vec3(0)));
    for (int i = 0; i < 3; i++) {
      Real rate = 0;
      for (int k = 0; k < m.nu; k++) {
        Real bend = 0, bend_p = 0;
        for (int l = 0; l < m.nu; l++) bend += curvature(i, &q[0], k, l) * u[l];
        for (int l = 0; l < m.nu; l++) bend_p += curvature(3 + i, &q[0], k, l) * u[l];
        h[k] += SpatialVec(bend * b[i] + slope(i, &q[0], k) * (turning % b[i]), bend_p * axis(3 + i));
        rate += slope(i, &q[0], k) * u[k];
      }
      turning += rate * b[i];
    }
    return h;
  }

  static SpatialVec product(const Columns &h, int nu, const Real *u) {
    SpatialVec sum(Vec3(0), Vec3(0));
    for (int k = 0; k < nu; k++) sum += h[k] * u[k];
    return sum;
  }
  static void transposed(const Columns &h, const SpatialVec &F, int nu, Real *f) {
    for (int k = 0; k < nu; k++) f[k] = dot(h[k][0], F[0]) + dot(h[k][1], F[1]);
  }

  FunctionMobilizer m;
  std::vector<std::shared_ptr<const SimTK::Function>> functions;
};

} // namespace

// ---- both ---------------------------------------------------------------------------------------

MobilizedBody add_function_based(MobilizedBody &parent, const Transform &F, const SimTK::Body &rigid,
                                 const Transform &M, const FunctionMobilizer &m, MobilizedBody::Direction direction) {
  if (!simbody_is_right(m))
    return MobilizedBody::Custom(parent, new FunctionMotion(parent.updMatterSubsystem(), m), F, rigid, M, direction);
  Array_<const SimTK::Function *> functions;
  Array_<Array_<int>> inputs;
  Array_<Vec3> axes;
  for (int i = 0; i < 6; i++) {
    functions.push_back(simbody_function(m.f[i]));
    inputs.push_back(Array_<int>(m.f[i].inputs));
    axes.push_back(to_simbody(m.axis[i]));
  }
  return MobilizedBody::FunctionBased(parent, F, rigid, M, m.nu, functions, inputs, axes, direction);
}

} // namespace peers
