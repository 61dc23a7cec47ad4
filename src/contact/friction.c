/* Friction that the motion of this moment determines: by the slip speed (laws/friction.c), and against spin and rolling
 * likewise. */
#include <math.h>

#include "contact/motion.h"
#include "contact/touch.h"

cdn_vec3 cdni_friction_by_slip(const touch *t, const relative_motion *m, double normal, double transition) {
  return cdn_scale(-normal * cdni_friction_over_speed(t->friction, cdn_norm(m->slip), transition, NULL), m->slip);
}

/* An angular velocity is as quick as the transition velocity is where it moves the surface so. */
cdn_vec3 cdni_friction_against_spin(const touch *t, const relative_motion *m, double normal, double transition,
                                    double size) {
  if (t->torsional == 0) return cdn_v3(0, 0, 0);
  const double spin = cdn_dot(m->turn, t->normal);
  return cdn_scale(-normal * t->torsional / fmax(fabs(spin), transition / size) * spin, t->normal);
}

cdn_vec3 cdni_friction_against_rolling(const touch *t, const relative_motion *m, double normal, double transition,
                                       double size) {
  if (t->rolling == 0) return cdn_v3(0, 0, 0);
  const cdn_vec3 roll = cdn_sub(m->turn, cdn_scale(cdn_dot(m->turn, t->normal), t->normal));
  return cdn_scale(-normal * t->rolling / fmax(cdn_norm(roll), transition / size), roll);
}
