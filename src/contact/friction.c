/* Friction that the motion of this moment determines: by the slip speed, static, dynamic (Stribeck) and viscous, as in
 * Simbody's HuntCrossleyForce; against spin and rolling likewise. It grows from zero over the transition velocity, so
 * that it does not truly stick. */
#include <math.h>

#include "contact/internal.h"

static double coefficient(const double friction[3], double speed, double transition) {
  const double x = speed / transition, stribeck = 2 * (friction[0] - friction[1]) / (1 + x * x);
  return fmin(x, 1) * (friction[1] + stribeck) + friction[2] * speed;
}

cdn_vec3 cdni_friction_by_slip(const touch *t, const surface_motion *m, double normal, double transition) {
  const double speed = cdn_norm(m->slip);
  if (speed == 0) return cdn_v3(0, 0, 0);
  return cdn_scale(-normal * coefficient(t->friction, speed, transition) / speed, m->slip);
}

cdn_vec3 cdni_friction_moment(const touch *t, const surface_motion *m, double normal, double transition, double size) {
  const double spin = cdn_dot(m->turn, t->normal);
  const cdn_vec3 roll = cdn_sub(m->turn, cdn_scale(spin, t->normal));
  const double slow = transition / size; /* as quick as the transition velocity is */
  return cdn_add(cdn_scale(-normal * t->torsional / fmax(fabs(spin), slow) * spin, t->normal),
                 cdn_scale(-normal * t->rolling / fmax(cdn_norm(roll), slow), roll));
}
