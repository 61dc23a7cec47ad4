// Function-based mobilizers: random ones, and their functions in Cardan.
#include "functions.h"

#include "random_mjcf.h"

#include <algorithm>
#include <cmath>

namespace peers {

// ---- random ones --------------------------------------------------------------------------------

// Rises with q at a rate between about 0.4 and 1.6 on the interval where random coordinates are.
static Function rising(uint64_t *rng, int input) {
  Function f;
  f.inputs = { input };
  const double slope = random_uniform(rng, 0.6, 1.3), c = random_uniform(rng, -0.3, 0.3);
  switch (random_below(rng, 4)) {
    case 0: f.type = Function::linear, f.a = { slope, c }; break;
    case 1:
      f.type = Function::polynomial;
      f.a = { random_uniform(rng, -0.05, 0.05), random_uniform(rng, -0.1, 0.1), slope, c };
      break;
    case 2: f.type = Function::sinusoid, f.a = { slope, 1, random_uniform(rng, -0.1, 0.1) }; break;
    default:
      f.type = Function::spline;
      for (int i = 0; i < 6; i++) {
        f.x.push_back(-1.4 + 0.6 * i + random_uniform(rng, -0.1, 0.1));
        f.a.push_back(c + slope * f.x.back() + random_uniform(rng, -0.05, 0.05));
      }
  }
  return f;
}

// What moves along: a fraction of one or two coordinates, or a constant, or nothing.
static Function following(uint64_t *rng, int nu) {
  Function f;
  switch (random_below(rng, 4)) {
    case 0: f.type = Function::constant, f.a = { random_uniform(rng, -0.3, 0.3) }; break;
    case 1:
      f.type = Function::linear;
      f.inputs = { random_below(rng, nu) };
      if (nu > 1) f.inputs.push_back((f.inputs[0] + 1) % nu);
      for (size_t i = 0; i <= f.inputs.size(); i++) f.a.push_back(random_uniform(rng, -0.2, 0.2));
      break;
    case 2:
      f.type = Function::sinusoid;
      f.inputs = { random_below(rng, nu) };
      f.a = { 0.1, random_uniform(rng, 1, 3), random_uniform(rng, -1, 1) };
      break;
    default: break;
  }
  return f;
}

std::shared_ptr<const FunctionMobilizer> random_functions(uint64_t *rng) {
  auto m = std::make_shared<FunctionMobilizer>();
  m->nu = 1 + random_below(rng, 6);
  int order[6] = { 0, 1, 2, 3, 4, 5 };
  const bool in_order = random_below(rng, 3) == 0; // as most people write them
  for (int i = 5; i > 0 && !in_order; i--) std::swap(order[i], order[random_below(rng, i + 1)]);
  for (int i = 0; i < 6; i++)
    if (i < m->nu) m->f[order[i]] = rising(rng, i);
    else if (!in_order || i >= 3) m->f[order[i]] = following(rng, m->nu);
  const bool plain = random_below(rng, 3) == 0;
  for (int i = 0; i < 6; i++) {
    double e[3];
    for (int k = 0; k < 3; k++) e[k] = (k == i % 3) + (plain ? 0 : random_uniform(rng, -0.25, 0.25));
    const double length = std::sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
    m->axis[i] = { e[0] / length, e[1] / length, e[2] / length };
  }
  return m;
}

// ---- in Cardan ----------------------------------------------------------------------------------

// a sin(w x + p), by the door for functions of the user's.
static cdn_status calc_sinusoid(const void *self, const double *x, int order, cdn_function_result *out) {
  const double *a = static_cast<const double *>(self), phase = a[1] * x[0] + a[2];
  out->value = a[0] * std::sin(phase);
  if (order >= 1) out->d1[0] = a[0] * a[1] * std::cos(phase);
  if (order >= 2) out->d2[0] = -a[0] * a[1] * a[1] * std::sin(phase);
  if (order >= 3) out->d3[0] = -a[0] * a[1] * a[1] * a[1] * std::cos(phase);
  return CDN_OK;
}

cdn_function *cardan_function(const Function &f) {
  cdn_function_ops ops = {};
  ops.struct_size = sizeof ops;
  ops.self_size = 3 * sizeof(double);
  ops.n_inputs = 1;
  ops.calc = calc_sinusoid;
  const int n = static_cast<int>(f.a.size());
  switch (f.type) {
    case Function::constant: return cdn_function_constant(f.a[0]);
    case Function::linear: return cdn_function_linear(n - 1, f.a.data(), f.a[f.a.size() - 1]);
    case Function::polynomial: return cdn_function_polynomial(n, f.a.data());
    case Function::spline: return cdn_function_natural_spline(n, f.x.data(), f.a.data());
    case Function::sinusoid: return cdn_function_create(&ops, f.a.data());
    default: return nullptr;
  }
}

CardanFunctions::CardanFunctions(const FunctionMobilizer *mobilizer)
    : there(mobilizer != nullptr), def(cdn_default_function_mobilizer()) {
  if (!there) return;
  def.nu = mobilizer->nu;
  for (int i = 0; i < 6; i++) {
    const Function &f = mobilizer->f[i];
    def.function[i] = cardan_function(f);
    def.axis[i] = mobilizer->axis[i];
    for (size_t j = 0; j < f.inputs.size(); j++) def.input[i][j] = f.inputs[j];
  }
}

CardanFunctions::~CardanFunctions() {
  for (const cdn_function *f : def.function) cdn_function_release(f);
}

} // namespace peers
