#include "hybrid_siconos_steps.hpp"

#include <SolverOptions.h>

#include <cstdio>
#include <ctime>
#include <fcntl.h>
#include <iostream>
#include <unistd.h>

static double processor_time() { return double(std::clock()) / CLOCKS_PER_SEC; }

double take_steps(SP::NonSmoothDynamicalSystem model, double end, int steps, const std::function<void()> &before) {
  auto set = std::make_shared<FrictionContact>(2);
  set->numericsSolverOptions()->dparam[0] = 1e-10; // its tolerance
  auto run = std::make_shared<TimeStepping>(model, std::make_shared<TimeDiscretisation>(0, end / steps),
                                            std::make_shared<MoreauJeanOSI>(0.5), set);
  fflush(stdout);
  const int kept = dup(1), nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, 1), close(nowhere);
  const double began = processor_time();
  for (int k = 0; k < steps; k++) {
    if (before) before();
    run->computeOneStep(), run->nextStep();
  }
  const double seconds = processor_time() - began;
  fflush(stdout), std::cout.flush();
  dup2(kept, 1), close(kept);
  return seconds;
}
