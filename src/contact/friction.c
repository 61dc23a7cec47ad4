/* Friction that the motion of this moment determines: by the slip speed, static, dynamic (Stribeck) and viscous, as in
 * Simbody's HuntCrossleyForce; against spin and rolling likewise. It grows from zero over the transition velocity, so
 * that it does not truly stick. */
#include <math.h>

#include "contact/internal.h"

double cdni_friction_dry(const double friction[3], double x) {
  return friction[1] + 2 * (friction[0] - friction[1]) / (1 + x * x);
}

double cdni_friction_strength(const double friction[3], double speed, double transition) {
  return cdni_friction_dry(friction, fmax(speed / transition, 1)) + friction[2] * speed;
}

static double coefficient(const double friction[3], double speed, double transition) {
  const double x = speed / transition;
  return fmin(x, 1) * cdni_friction_dry(friction, x) + friction[2] * speed;
}

cdn_vec3 cdni_friction_by_slip(const touch *t, const relative_motion *m, double normal, double transition) {
  const double speed = cdn_norm(m->slip);
  if (speed == 0) return cdn_v3(0, 0, 0);
  return cdn_scale(-normal * coefficient(t->friction, speed, transition) / speed, m->slip);
}

/* An angular velocity is as quick as the transition velocity is where it moves the surface so. */
cdn_vec3 cdni_friction_against_spin(const touch *t, const relative_motion *m, double normal, double transition,
                                    double size) {
  const double spin = cdn_dot(m->turn, t->normal);
  return cdn_scale(-normal * t->torsional / fmax(fabs(spin), transition / size) * spin, t->normal);
}

cdn_vec3 cdni_friction_against_rolling(const touch *t, const relative_motion *m, double normal, double transition,
                                       double size) {
  const cdn_vec3 roll = cdn_sub(m->turn, cdn_scale(cdn_dot(m->turn, t->normal), t->normal));
  return cdn_scale(-normal * t->rolling / fmax(cdn_norm(roll), transition / size), roll);
}
