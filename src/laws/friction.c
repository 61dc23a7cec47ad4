/* What friction can bear by the slip speed: static, dynamic (Stribeck) and viscous, as in Simbody's
 * HuntCrossleyForce. */
#include "laws/laws.h"

double cdni_friction_bound(const double mu[3], double speed, double transition, double *slope) {
  const double x = speed / transition;
  double by_x;
  const double dry = friction_dry(mu, fmax(x, 1), &by_x);
  if (slope) *slope = mu[2] + (x > 1 ? by_x / transition : 0);
  return dry + mu[2] * speed;
}

double cdni_friction_over_speed(const double mu[3], double speed, double transition, double *slope) {
  const double x = speed / transition, over = fmax(speed, transition);
  double by_x;
  const double part = friction_dry(mu, x, &by_x) / over;
  if (slope) *slope = by_x / transition / over - (x < 1 ? 0 : part / speed);
  return part + mu[2];
}
