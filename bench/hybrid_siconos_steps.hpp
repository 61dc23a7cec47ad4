// Steps of Moreau and Jean in Siconos.
#pragma once

#include <functional>

#include <SiconosKernel.hpp>

/** Steps through a model with contacts in the plane. `before` (may be empty) is called before each step. Returns the
 *  seconds of processor time. Siconos tells what it does on the standard output: nothing of that is seen. */
double take_steps(SP::NonSmoothDynamicalSystem model, double end, int steps, const std::function<void()> &before = {});
