// Function-based mobilizers as plain data, from which both sides make their functions.
#ifndef CARDAN_TESTS_PEERS_FUNCTIONS_H
#define CARDAN_TESTS_PEERS_FUNCTIONS_H

#include <cstdint>
#include <memory>
#include <vector>

#include <cardan/cardan.h>

namespace peers {

struct Function {
  enum Type { zero, constant, linear, polynomial, spline, sinusoid } type = zero;
  std::vector<int> inputs; // which coordinates
  std::vector<double> a;   // constant: c; linear: slopes, c; polynomial: highest power first; spline: values;
                           // sinusoid: amplitude, frequency, phase
  std::vector<double> x;   // of a spline
};

struct FunctionMobilizer {
  int nu;
  Function f[6];
  cdn_vec3 axis[6];
};

// A mobilizer whose nu coordinates each move M in a way of their own, and in others by the way.
std::shared_ptr<const FunctionMobilizer> random_functions(uint64_t *rng);

// One function of ours; the caller releases it. NULL for zero.
cdn_function *cardan_function(const Function &f);

// What a body def points to, for as long as it lives. `mobilizer` may be null: then so is get().
class CardanFunctions {
public:
  explicit CardanFunctions(const FunctionMobilizer *mobilizer);
  ~CardanFunctions();
  CardanFunctions(const CardanFunctions &) = delete;
  CardanFunctions &operator=(const CardanFunctions &) = delete;
  const cdn_function_mobilizer *get() const { return there ? &def : nullptr; }

private:
  bool there;
  cdn_function_mobilizer def;
};

} // namespace peers

#endif
