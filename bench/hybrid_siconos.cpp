// The woodpecker toy in Siconos.
#include "hybrid_siconos.h"

#include <SiconosKernel.hpp>
#include <SolverOptions.h>

#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <iostream>
#include <unistd.h>

namespace {

constexpr double rO = 2.5e-3, rM = 3.1e-3, hM = 5.8e-3, lM = 0.01, lG = 0.015, hS = 0.02, lS = 0.0201, mM = 3e-4,
                 mS = 4.5e-3, JM = 5e-9, JS = 7e-7, stiffness = 5.6e-3, g = 9.81;

SP::LagrangianLinearTIDS woodpecker() {
  auto M = std::make_shared<SimpleMatrix>(3, 3), K = std::make_shared<SimpleMatrix>(3, 3),
       C = std::make_shared<SimpleMatrix>(3, 3);
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
    auto H = std::make_shared<SimpleMatrix>(2, 3);
    auto b = std::make_shared<SiconosVector>(2);
    (*H)(0, i == 0 ? 2 : 1) = h[i], (*b)(0) = from[i];
    for (int k = 0; k < 3; k++) (*H)(1, k) = tangent[i][k];
    auto law = std::make_shared<NewtonImpactFrictionNSL>(i == 0 ? 0.5 : 0, 0, 0.3, 2);
    auto relation = std::make_shared<LagrangianLinearTIR>(H, b);
    model.link(std::make_shared<Interaction>(law, relation), bird);
  }
}

double processor_time() { return double(std::clock()) / CLOCKS_PER_SEC; }

} // namespace

double siconos_woodpecker(double end, int steps, double y[6]) {
  auto bird = woodpecker();
  auto model = std::make_shared<NonSmoothDynamicalSystem>(0, 2 * end);
  model->insertDynamicalSystem(bird);
  add_contacts(*model, bird);
  auto set = std::make_shared<FrictionContact>(2);
  set->numericsSolverOptions()->dparam[0] = 1e-12; // its tolerance
  auto run = std::make_shared<TimeStepping>(model, std::make_shared<TimeDiscretisation>(0, end / steps),
                                            std::make_shared<MoreauJeanOSI>(0.5), set);
  // it prints what it is about to do
  fflush(stdout);
  const int kept = dup(1), nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, 1), close(nowhere);
  const double began = processor_time();
  for (int k = 0; k < steps; k++) run->computeOneStep(), run->nextStep();
  const double seconds = processor_time() - began;
  fflush(stdout), std::cout.flush();
  dup2(kept, 1), close(kept);
  for (int i = 0; i < 3; i++) y[i] = (*bird->q())(i), y[3 + i] = (*bird->velocity())(i);
  return seconds;
}
