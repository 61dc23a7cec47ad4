/* Cardan: soft convex contact and constraints. docs/soft_contact.md introduces it. */
#ifndef CARDAN_SOFT_H
#define CARDAN_SOFT_H

#include <cardan/base.h>

CDN_BEGIN_DECLS

/** How a soft row answers to its violation: MuJoCo's solref and solimp. The struct never changes. */
typedef struct cdn_soft_law {
  /** Time constant (s) and damping ratio, both > 0, of the violation's decay; or, both <= 0, -stiffness (1/s^2) and
   *  -damping (1/s). Default 0.02, 1 */
  double ref[2];
  /** The impedance, in (0, 1), by the violation: its least value, its value from the width on, the width (m or rad), the
   *  midpoint (in (0, 1)) and the power (>= 1) of the curve between them. Default 0.9, 0.95, 0.001, 0.5, 2 */
  double imp[5];
} cdn_soft_law;
static inline cdn_soft_law cdn_default_soft_law(void) {
  const cdn_soft_law law = { { 0.02, 1 }, { 0.9, 0.95, 0.001, 0.5, 2 } };
  return law;
}

CDN_END_DECLS
#endif
