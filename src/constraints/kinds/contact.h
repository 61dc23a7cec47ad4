/* Two surfaces that touch at one point and may push and pull (bilateral contact): one equation for the gap along the
 * normal; if they roll, two more at velocity level for the slip along the tangents. Or these two alone; or that of the
 * spin about the normal, or the two of turning about the tangents. The multipliers are the force on the first body,
 * along n, x and y, at the contact, or the moment. */
#ifndef CARDAN_CONSTRAINTS_KINDS_CONTACT_H
#define CARDAN_CONSTRAINTS_KINDS_CONTACT_H

#include "constraints/kinds/equations.h"
#include "constraints/kinds/shape_contact.h"

/* The contact of the surfaces of bodies a (0) and b (1), in Ground: n points from a to b. The rate of the gap must
 * be the velocity of b relative to a at C, along n. */
typedef struct contact {
  double gap;
  v3 C, n, x, y;
  v3 Cdot, ndot, xdot, ydot; /* with velocities only */
} contact;

/* What are the data of a kind: which equations. Without data they are gap and slip. */
static inline contact_equations contact_what(const constraint_view *v) {
  return v->data ? *(const contact_equations *)v->data : CONTACT_ROLLING;
}

/* How many equations there are at position and at velocity level. */
static inline int contact_gaps(contact_equations e) { return e == CONTACT_SLIDING || e == CONTACT_ROLLING; }
static inline int contact_speeds(contact_equations e) { return e == CONTACT_SLIDING ? 0 : e == CONTACT_SPIN ? 1 : 2; }

static inline void contact_begin(constraint_adder *adder, cdn_system *system, constraint_kind_id kind,
                                 const char *function, const char *name, cdn_body a, cdn_body b,
                                 contact_equations equations) {
  cdni_constraint_begin(adder, system, kind, function, name, contact_gaps(equations), contact_speeds(equations), 0);
  cdni_constraint_add_pair(adder, a, b);
}

static inline void contact_rows(const constraint_view *v, const contact *c) {
  if (contact_what(v) == CONTACT_SPIN) row_turn(v, 0, 0, 1, c->n);
  if (contact_what(v) == CONTACT_TURN) row_turn(v, 0, 0, 1, c->x), row_turn(v, 1, 0, 1, c->y);
  if (contact_what(v) != CONTACT_ROLLING) return;
  const int slip = v->c->np;
  if (slip > 0) row_slip(v, 0, 0, 1, c->C, c->n);
  if (v->c->nv == 0) return;
  row_slip(v, slip, 0, 1, c->C, c->x);
  row_slip(v, slip + 1, 0, 1, c->C, c->y);
}

static inline void contact_bias(const constraint_view *v, const contact *c, double *bias) {
  if (contact_what(v) == CONTACT_SPIN) bias[0] += bias_turn(v, 0, 1, c->ndot);
  if (contact_what(v) == CONTACT_TURN) bias[0] += bias_turn(v, 0, 1, c->xdot), bias[1] += bias_turn(v, 0, 1, c->ydot);
  if (contact_what(v) != CONTACT_ROLLING) return;
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
