/* Friction that slips: its law, and what presses on it. Private to the room. */
#ifndef CARDAN_HYBRID_SLIP_H
#define CARDAN_HYBRID_SLIP_H

#include "hybrid/internal.h"
#include "math/lu.h"
#include "matter/operators.h"

/* At the present speed of slip v: its direction e, v along it, and the coefficient. */
typedef struct friction_law {
  double v[2], e[2], along, mu;
} friction_law;
cdn_status cdni_friction_law(const hybrid_room *room, cdn_state *state, int i, friction_law *out);
/* N of friction i with these multipliers (of all constraints), and its slopes along columns of their changes (a row an
 * equation; `columns` may be 0). */
double cdni_friction_press(const hybrid_room *room, const cdn_state *state, int i, const double *lambda, int columns,
                           const double *L, double *slope);
/* The forces of all frictions that slip: two numbers each. */
double *cdni_hybrid_forces(const hybrid_room *room, cdn_state *state);
/* The frictions that slip (NULL: only counted). Returns their number. */
int cdni_hybrid_list_slips(const hybrid_room *room, const cdn_state *state, int *elements);
/* Generalized forces, a column each (nu x n): each friction pushes with 1 against its slip. G: room for 2 nu. */
cdn_status cdni_slip_columns(const hybrid_room *room, cdn_state *state, int n, const int *elements,
                             const friction_law *laws, double *G, double *X);

#endif
