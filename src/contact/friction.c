/* Friction as a function of the slip speed: static, dynamic (Stribeck) and viscous, as in Simbody's HuntCrossleyForce.
 * It grows from zero over the transition velocity, so that it does not truly stick. */
#include <math.h>

#include "contact/internal.h"

double cdni_friction_coefficient(const double friction[3], double speed, double transition) {
  const double x = speed / transition, stribeck = 2 * (friction[0] - friction[1]) / (1 + x * x);
  return fmin(x, 1) * (friction[1] + stribeck) + friction[2] * speed;
}
