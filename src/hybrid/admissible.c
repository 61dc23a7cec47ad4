/* Which multipliers of a State are admissible, for inverse dynamics. */
#include <math.h>

#include "hybrid/press.h"
#include "hybrid/slip.h"

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

/* The bound of friction i apart from its push. That of what a mobilizer presses is not looked at. */
static void set_bound(const hybrid_room *room, const cdn_state *state, int i, const double *lambda,
                      multiplier_cone *c) {
  const dry_friction *x = friction_at(room, i);
  const pressing p = { .lambda = lambda };
  double push = 0;
  c->tangent = row_of(room, x->slip), c->n = x->n;
  if (x->shares)
    c->shared = row_of(room, side_at(room, x->normal)->constraint), c->sign = side_at(room, x->normal)->sign;
  c->mu = friction_static(friction_params(room, state, i));
  if (!friction_is_apart(x))
    push = -side_at(room, x->normal)->sign * lambda[row_of(room, side_at(room, x->normal)->constraint)];
  const bool unknown = x->joint >= 0 || friction_scale(room, state, i, x->n - 1) != 1;
  c->base = unknown ? INFINITY : c->mu * (cdni_friction_press(room, state, i, &p, NULL) - push);
}

int cdni_hybrid_limits(const hybrid_room *room, const cdn_state *state, const double *lambda, multiplier_cone *cones) {
  int n = 0;
  for (int i = 0; i < hybrid_sides(room); i++) {
    if (!side_is_on(room, state, i)) continue;
    const one_sided *s = side_at(room, i);
    multiplier_cone c = {
      .name = s->name, .normal = row_of(room, s->constraint), .tangent = -1, .sign = s->sign, .shared = -1
    };
    const int friction = sticking_on(room, state, i, 0);
    if (cones && friction >= 0) set_bound(room, state, friction, lambda, &c);
    if (cones) cones[n] = c;
    n++;
  }
  for (int i = sticking_on(room, state, -1, 0); i >= 0; i = sticking_on(room, state, -1, i + 1), n++) {
    multiplier_cone c = { .name = friction_at(room, i)->name, .normal = -1, .shared = -1 };
    if (cones) set_bound(room, state, i, lambda, &c);
    if (cones) cones[n] = c;
  }
  return n;
}

/* The force on the slip is -mu N e: r -= H^T of that. */
static cdn_status add_slip(const hybrid_room *room, cdn_state *state, int i, double *H, double *r, double *G) {
  const dry_friction *x = friction_at(room, i);
  const size_t nu = (size_t)room->matter->tree.nu;
  friction_law law;
  CDNI_TRY(cdni_friction_law(room, state, i, &law));
  CDNI_TRY(cdni_constraint_full_rows(room->constraints, state, x->slip, H));
  const double load = friction_params(room, state, i)[FRICTION_LOAD];
  const one_sided *s = x->normal >= 0 ? side_at(room, x->normal) : NULL;
  double *row = s ? G + (size_t)row_of(room, s->constraint) * nu : NULL;
  for (size_t u = 0; u < nu; u++)
    for (int k = 0; k < x->n; k++) {
      const double along = law.mu * law.pull[k] * H[(size_t)k * nu + u];
      r[u] += load * along;
      if (row) row[u] -= s->sign * along;
    }
  return CDN_OK;
}

cdn_status cdni_hybrid_add_slips(const hybrid_room *room, cdn_state *state, const char *function, double *r,
                                 double *G) {
  cdn_status status = CDN_OK;
  void *H;
  CDNI_TRY(cdni_hybrid_refuse_kept(room, state, function, true));
  CDNI_TRY(cdni_operator_work(state, function, (2 * (size_t)room->matter->tree.nu + 1) * sizeof(double), &H));
  for (int i = 0; i < hybrid_frictions(room) && status == CDN_OK; i++) {
    const dry_friction *x = friction_at(room, i);
    if (friction_status(room, state, i) != CDN_FRICTION_SLIP) continue;
    if (x->reaction >= 0 || x->joint >= 0)
      status = cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, x->name,
                               "friction '%s' slips, pressed by the reaction of a constraint or a mobilizer, which %s "
                               "cannot handle",
                               x->name, function);
    else status = add_slip(room, state, i, H, r, G);
  }
  cdn_work_pop(state, H);
  return status;
}
