/* Two surfaces that touch at one point and may push and pull (bilateral contact): one equation for the gap along the
 * normal; if they roll, two more at velocity level
 * for the slip along the tangents. Or these two alone. The multipliers are the force on
 * the first body, along n, x and y, at the contact. */
#ifndef CARDAN_CONSTRAINTS_KINDS_CONTACT_H
#define CARDAN_CONSTRAINTS_KINDS_CONTACT_H

#include "constraints/kinds/equations.h"

/* The contact of the surfaces of bodies a (0) and b (1), in Ground: n points from a to b. The rate of the gap must
 * be the velocity of b relative to a at C, along n. */
typedef struct contact {
  double gap;
  v3 C, n, x, y;
  v3 Cdot, ndot, xdot, ydot; /* with velocities only */
} contact;

/* Rolling contact has three equations, sliding contact one, and slip the other two. */
typedef enum contact_equations { CONTACT_SLIDING, CONTACT_ROLLING, CONTACT_SLIP } contact_equations;
static inline void contact_begin(constraint_adder *adder, cdn_system *system, constraint_kind_id kind,
                                 const char *function, const char *name, cdn_body a, cdn_body b,
                                 contact_equations equations) {
  cdni_constraint_begin(adder, system, kind, function, name, equations != CONTACT_SLIP,
                        equations != CONTACT_SLIDING ? 2 : 0, 0);
  cdni_constraint_add_pair(adder, a, b);
}

static inline void contact_rows(const constraint_view *v, const contact *c) {
  const int slip = v->c->np;
  if (slip > 0) row_slip(v, 0, 0, 1, c->C, c->n);
  if (v->c->nv == 0) return;
  row_slip(v, slip, 0, 1, c->C, c->x);
  row_slip(v, slip + 1, 0, 1, c->C, c->y);
}

static inline void contact_bias(const constraint_view *v, const contact *c, double *bias) {
  const int slip = v->c->np;
  if (slip > 0) bias[0] += bias_slip(v, 0, 1, c->C, c->Cdot, c->n, c->ndot);
  if (v->c->nv == 0) return;
  bias[slip] += bias_slip(v, 0, 1, c->C, c->Cdot, c->x, c->xdot);
  bias[slip + 1] += bias_slip(v, 0, 1, c->C, c->Cdot, c->y, c->ydot);
}

/* The functions of every kind of contact; a kind provides touch(view, with velocities, contact). */
#define CONTACT_FUNCTIONS(touch)                                         \
  static cdn_status calc_position(const constraint_view *v, double *e) { \
    contact c;                                                           \
    CDNI_TRY(touch(v, false, &c));                                       \
    e[0] = c.gap;                                                        \
    return CDN_OK;                                                       \
  }                                                                      \
  static cdn_status calc_rows(const constraint_view *v) {                \
    contact c;                                                           \
    CDNI_TRY(touch(v, false, &c));                                       \
    contact_rows(v, &c);                                                 \
    return CDN_OK;                                                       \
  }                                                                      \
  static cdn_status add_bias(const constraint_view *v, double *bias) {   \
    contact c;                                                           \
    CDNI_TRY(touch(v, true, &c));                                        \
    contact_bias(v, &c, bias);                                           \
    return CDN_OK;                                                       \
  }

#endif
