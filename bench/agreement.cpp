// Before anything is timed: do the engines compute the same?
#include "agreement.h"

#include <algorithm>
#include <cmath>

namespace bench {

static double largest(const std::vector<double> &x) {
  double most = 0;
  for (double value : x) most = std::max(most, std::fabs(value));
  return most;
}

// Not a number where the sizes differ, so that it passes no test.
static double relative(const std::vector<double> &x, const std::vector<double> &y, double scale) {
  if (x.size() != y.size()) return NAN;
  double most = 0;
  for (size_t i = 0; i < x.size(); i++) {
    double difference = std::fabs(x[i] - y[i]);
    if (!(difference <= most)) most = difference;
  }
  return scale > 0 ? most / scale : most;
}

// M (a - b) against the largest element of |M| |a|, row by row.
static double relative_forces(const std::vector<double> &M, const std::vector<double> &a,
                              const std::vector<double> &b) {
  size_t n = a.size();
  double most = 0, scale = 0;
  for (size_t i = 0; i < n; i++) {
    double force = 0, sum = 0;
    for (size_t j = 0; j < n; j++) {
      force += M[i * n + j] * (a[j] - b[j]);
      sum += std::fabs(M[i * n + j] * a[j]);
    }
    most = std::max(most, std::fabs(force));
    scale = std::max(scale, sum);
  }
  return scale > 0 ? most / scale : most;
}

double disagreement(const peers::Tree &tree, Engine *ours, Engine *peer, int samples) {
  double worst = 0;
  for (int sample = 0; sample < samples; sample++) {
    for (int k = 0; k < OPERATION_COUNT; k++) {
      ours->run(static_cast<Operation>(k), sample);
      peer->run(static_cast<Operation>(k), sample);
      double error = 0;
      if (k == INVERSE) {
        std::vector<double> f = ours->forces(sample);
        error = relative(f, peer->forces(sample), largest(f));
      } else if (k == MATRIX) {
        std::vector<double> M = ours->mass_matrix(sample);
        error = relative(M, peer->mass_matrix(sample), largest(M));
      } else if (k == JACOBIAN) {
        std::vector<double> V = ours->tip_velocity(sample);
        error = relative(V, peer->tip_velocity(sample), largest(V));
      } else {
        std::vector<double> udot = ours->udot(sample);
        std::vector<double> other = peer->udot(sample);
        error = relative(udot, other, largest(udot));
        if (error > 1e-10 && tree.nu() > 50 && udot.size() == other.size()) {
          ours->matrix(sample);
          error = relative_forces(ours->mass_matrix(sample), udot, other);
        }
      }
      if (!(error <= worst)) worst = error;
    }
  }
  return worst;
}

} // namespace bench
