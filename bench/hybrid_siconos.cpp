// The woodpecker toy, a chain of blocks on a belt and blocks that rock, in Siconos.
#include "hybrid_siconos.h"

#include <cmath>

#include "hybrid_siconos_steps.hpp"
#include "rocking.h"

namespace {

constexpr double g = 9.81;

std::shared_ptr<SimpleMatrix> zeros(unsigned rows, unsigned columns) {
  return std::make_shared<SimpleMatrix>(rows, columns);
}

// ---- the woodpecker ----

constexpr double rO = 2.5e-3, rM = 3.1e-3, hM = 5.8e-3, lM = 0.01, lG = 0.015, hS = 0.02, lS = 0.0201, mM = 3e-4,
                 mS = 4.5e-3, JM = 5e-9, JS = 7e-7, stiffness = 5.6e-3;

SP::LagrangianLinearTIDS woodpecker() {
  auto M = zeros(3, 3), K = zeros(3, 3), C = zeros(3, 3);
  const double arm[3] = { 1, lM, lG }, own[3] = { mM, JM, JS };
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) (*M)(i, j) = mS * arm[i] * arm[j] + (i == j ? own[i] : 0);
  (*K)(1, 1) = (*K)(2, 2) = stiffness, (*K)(1, 2) = (*K)(2, 1) = -stiffness;
  auto q = std::make_shared<SiconosVector>(3), u = std::make_shared<SiconosVector>(3),
       f = std::make_shared<SiconosVector>(3);
  (*q)(1) = -(rM - rO) / hM, (*q)(2) = -0.2051353492435258, (*u)(2) = 17.57466620557608;
  (*f)(0) = -(mS + mM) * g, (*f)(1) = -mS * g * lM, (*f)(2) = -mS * g * lG;
  auto bird = std::make_shared<LagrangianLinearTIDS>(q, u, M, K, C);
  bird->setFExtPtr(f);
  return bird;
}

void add_contacts(NonSmoothDynamicalSystem &model, SP::LagrangianLinearTIDS bird) {
  const double h[3] = { -hS, hM, -hM }, from[3] = { lM + lG - lS - rO, rM - rO, rM - rO };
  const double tangent[3][3] = { { 1, lM, lG - lS }, { 1, rM, 0 }, { 1, rM, 0 } };
  for (int i = 0; i < 3; i++) {
    auto H = zeros(2, 3);
    auto b = std::make_shared<SiconosVector>(2);
    (*H)(0, i == 0 ? 2 : 1) = h[i], (*b)(0) = from[i];
    for (int k = 0; k < 3; k++) (*H)(1, k) = tangent[i][k];
    auto law = std::make_shared<NewtonImpactFrictionNSL>(i == 0 ? 0.5 : 0, 0, 0.3, 2);
    auto relation = std::make_shared<LagrangianLinearTIR>(H, b);
    model.link(std::make_shared<Interaction>(law, relation), bird);
  }
}

// ---- the chain: along the belt, across it (pressed by 1 N), and the belt, which is heavy ----

constexpr int CHAIN = 3;
constexpr double belt_mass = 1e12, belt_speed = 0.15, sticking = 0.8, sliding = 0.5, coupling = 1.2;
// Below this speed a block is taken to stick in the next step, m/s.
constexpr double at_rest = 1e-9;

SP::LagrangianLinearTIDS chain() {
  constexpr int n = 2 * CHAIN + 1;
  auto M = zeros(n, n), K = zeros(n, n), C = zeros(n, n);
  auto q = std::make_shared<SiconosVector>(n), u = std::make_shared<SiconosVector>(n),
       f = std::make_shared<SiconosVector>(n);
  const double x0[CHAIN] = { 0, 0.1, -0.1 };
  for (int i = 0; i < CHAIN; i++) {
    (*M)(i, i) = (*M)(CHAIN + i, CHAIN + i) = (*K)(i, i) = 1;
    (*q)(i) = x0[i], (*u)(i) = belt_speed, (*f)(CHAIN + i) = -1;
  }
  for (int i = 0; i + 1 < CHAIN; i++) {
    (*K)(i, i) += coupling, (*K)(i + 1, i + 1) += coupling;
    (*K)(i, i + 1) -= coupling, (*K)(i + 1, i) -= coupling;
  }
  (*M)(n - 1, n - 1) = belt_mass, (*u)(n - 1) = belt_speed;
  auto blocks = std::make_shared<LagrangianLinearTIDS>(q, u, M, K, C);
  blocks->setFExtPtr(f);
  return blocks;
}

// ---- a block that rocks: angle, x and y of its middle ----

// The corner's place, and how its speed follows from those of the block.
struct Corner : LagrangianScleronomousR {
  double side;
  explicit Corner(double s) : side(s * ROCKING_HALF_WIDTH) { _jachq = zeros(2, 3); }
  void arm(const BlockVector &q, double &x, double &y) const {
    const double s = std::sin(q(0)), c = std::cos(q(0));
    x = c * side + s * ROCKING_HALF_HEIGHT, y = s * side - c * ROCKING_HALF_HEIGHT;
  }
  void computeh(const BlockVector &q, BlockVector &, SiconosVector &out) override {
    double x, y;
    arm(q, x, y);
    out(0) = q(2) + y, out(1) = q(1) + x;
  }
  void computeJachq(const BlockVector &q, BlockVector &) override {
    double x, y;
    arm(q, x, y);
    SimpleMatrix &J = *_jachq;
    J(0, 0) = x, J(0, 1) = 0, J(0, 2) = 1;
    J(1, 0) = -y, J(1, 1) = 1, J(1, 2) = 0;
  }
};

SP::LagrangianLinearTIDS rocking_block(int i) {
  const double b = ROCKING_HALF_WIDTH, h = ROCKING_HALF_HEIGHT, lean = rocking_lean(i);
  auto M = zeros(3, 3);
  auto q = std::make_shared<SiconosVector>(3), u = std::make_shared<SiconosVector>(3),
       f = std::make_shared<SiconosVector>(3);
  (*M)(0, 0) = (b * b + h * h) / 3, (*M)(1, 1) = (*M)(2, 2) = 1;
  (*q)(0) = -lean, (*q)(1) = b - b * std::cos(lean) + h * std::sin(lean);
  (*q)(2) = b * std::sin(lean) + h * std::cos(lean);
  (*f)(2) = -g;
  auto block = std::make_shared<LagrangianLinearTIDS>(q, u, M);
  block->setFExtPtr(f);
  return block;
}

} // namespace

double siconos_woodpecker(double end, int steps, double *y) {
  auto bird = woodpecker();
  auto model = std::make_shared<NonSmoothDynamicalSystem>(0, 2 * end);
  model->insertDynamicalSystem(bird);
  add_contacts(*model, bird);
  const double seconds = take_steps(model, end, steps);
  for (int i = 0; i < 3; i++) y[i] = (*bird->q())(i), y[3 + i] = (*bird->velocity())(i);
  return seconds;
}

double siconos_chain(double end, int steps, double *y) {
  auto blocks = chain();
  auto model = std::make_shared<NonSmoothDynamicalSystem>(0, 2 * end);
  std::shared_ptr<NewtonImpactFrictionNSL> laws[CHAIN];
  model->insertDynamicalSystem(blocks);
  for (int i = 0; i < CHAIN; i++) {
    auto H = zeros(2, 2 * CHAIN + 1);
    (*H)(0, CHAIN + i) = (*H)(1, i) = 1, (*H)(1, 2 * CHAIN) = -1;
    laws[i] = std::make_shared<NewtonImpactFrictionNSL>(0, 0, sticking, 2);
    model->link(std::make_shared<Interaction>(laws[i], std::make_shared<LagrangianLinearTIR>(H)), blocks);
  }
  // Siconos knows one coefficient: it is that of the status which the last step has found
  const double seconds = take_steps(model, end, steps, [&] {
    for (int i = 0; i < CHAIN; i++) {
      const double slip = (*blocks->velocity())(i) - (*blocks->velocity())(2 * CHAIN);
      laws[i]->setMu(std::fabs(slip) < at_rest ? sticking : sliding);
    }
  });
  for (int i = 0; i < CHAIN; i++) y[i] = (*blocks->q())(i), y[CHAIN + i] = (*blocks->velocity())(i);
  return seconds;
}

double siconos_rocking(double end, int steps, double *y) {
  auto model = std::make_shared<NonSmoothDynamicalSystem>(0, 2 * end);
  std::shared_ptr<LagrangianLinearTIDS> blocks[ROCKING_BLOCKS];
  for (int i = 0; i < ROCKING_BLOCKS; i++) {
    blocks[i] = rocking_block(i);
    model->insertDynamicalSystem(blocks[i]);
    for (int side = -1; side <= 1; side += 2) {
      auto law = std::make_shared<NewtonImpactFrictionNSL>(0, 0, 2, 2);
      model->link(std::make_shared<Interaction>(law, std::make_shared<Corner>(side)), blocks[i]);
    }
  }
  const double seconds = take_steps(model, end, steps);
  for (int i = 0; i < ROCKING_BLOCKS; i++)
    for (int k = 0; k < 3; k++)
      y[3 * i + k] = (*blocks[i]->q())(k), y[3 * (ROCKING_BLOCKS + i) + k] = (*blocks[i]->velocity())(k);
  return seconds;
}
