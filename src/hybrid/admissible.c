/* Which multipliers of a State are admissible, for inverse dynamics. */
#include <math.h>

#include "hybrid/press.h"

static int row_of(const hybrid_room *room, int constraint) { return constraint_at(room->constraints, constraint)->row; }

/* Friction that sticks in the cone of a one-sided element (-1: in a cone of its own). */
static int sticking_on(const hybrid_room *room, const cdn_state *state, int normal, int from) {
  for (int i = from; i < hybrid_frictions(room); i++) {
    const dry_friction *x = friction_at(room, i);
    const int of = friction_is_apart(x) ? -1 : x->normal;
    if (of == normal && friction_status(room, state, i) == CDN_FRICTION_STICK) return i;
  }
  return -1;
}

/* The bound of friction i apart from its push. */
static void set_bound(const hybrid_room *room, const cdn_state *state, int i, const pressing *p, multiplier_cone *c) {
  const dry_friction *x = friction_at(room, i);
  double push = 0;
  c->tangent = row_of(room, x->slip), c->n = x->n, c->ratio = friction_scale(room, state, i, 1);
  if (x->shares)
    c->shared = row_of(room, side_at(room, x->normal)->constraint), c->sign = side_at(room, x->normal)->sign;
  c->mu = friction_static(friction_params(room, state, i));
  if (!friction_is_apart(x))
    push = -side_at(room, x->normal)->sign * p->lambda[row_of(room, side_at(room, x->normal)->constraint)];
  const bool unknown = x->joint >= 0 && !p->joints;
  c->base = unknown ? INFINITY : c->mu * (cdni_friction_press(room, state, i, p, NULL) - push);
}

int cdni_hybrid_limits(const hybrid_room *room, const cdn_state *state, const double *lambda, const double *joints,
                       multiplier_cone *cones) {
  const pressing p = { .lambda = lambda, .joints = joints };
  int n = 0;
  for (int i = 0; i < hybrid_sides(room); i++) {
    if (!side_is_on(room, state, i)) continue;
    const one_sided *s = side_at(room, i);
    multiplier_cone c = {
      .name = s->name, .normal = row_of(room, s->constraint), .tangent = -1, .sign = s->sign, .shared = -1, .ratio = 1
    };
    const int friction = sticking_on(room, state, i, 0);
    if (cones && friction >= 0) set_bound(room, state, friction, &p, &c);
    if (cones) cones[n] = c;
    n++;
  }
  for (int i = sticking_on(room, state, -1, 0); i >= 0; i = sticking_on(room, state, -1, i + 1), n++) {
    multiplier_cone c = { .name = friction_at(room, i)->name, .normal = -1, .shared = -1, .ratio = 1 };
    if (cones) set_bound(room, state, i, &p, &c);
    if (cones) cones[n] = c;
  }
  return n;
}

void cdni_hybrid_scale_ellipses(const hybrid_room *room, const cdn_state *state, double *scale) {
  for (int i = 0; i < hybrid_frictions(room); i++)
    if (friction_at(room, i)->n > 1 && friction_status(room, state, i) == CDN_FRICTION_STICK)
      scale[row_of(room, friction_at(room, i)->slip) + 1] *= friction_scale(room, state, i, 1);
}
