/* Two shapes that touch rigidly: the gap of a slot of rigid contact (contact/rigid.h), or the slip there. The slot says
 * which bodies these are, and what of the shapes touches. */
#include "constraints/kinds/contact.h"
#include "constraints/kinds/shape_contact.h"

/* A touch in the words of rigid contact, and of constraints. */
static cdn_status find(const constraint_view *v, bool moving, rigid_touch *t) {
  bool found;
  CDNI_TRY(
      cdni_rigid_touch_at(v->room->contact, v->state, v->c->slot - 1, v->pose, moving ? v->twist : NULL, &found, t));
  return found ? CDN_OK : cdni_constraint_singular(v, "nothing touches here: only events of a run switch it on");
}

static contact contact_of(const rigid_touch *t, bool moving) {
  contact c = { .gap = t->gap, .C = cdni_to_v3(t->point), .n = cdni_to_v3(t->normal), .x = cdni_to_v3(t->tangent) };
  c.y = v3_cross(c.n, c.x);
  if (!moving) return c;
  c.Cdot = cdni_to_v3(t->point_rate), c.ndot = cdni_to_v3(t->normal_rate), c.xdot = cdni_to_v3(t->tangent_rate);
  c.ydot = v3_add(v3_cross(c.ndot, c.x), v3_cross(c.n, c.xdot));
  return c;
}

static cdn_status touch(const constraint_view *v, bool moving, contact *c) {
  rigid_touch t;
  *c = (contact){ .gap = 0 };
  CDNI_TRY(find(v, moving, &t));
  *c = contact_of(&t, moving);
  return CDN_OK;
}

CONTACT_FUNCTIONS(touch)

/* ---- surfaces that run over their bodies: slip, spin and turning are those of the surfaces ---- */

typedef struct surfaces {
  contact c;
  v3 v, w, v_rate, w_rate;
} surfaces;

static cdn_status find_surfaces(const constraint_view *v, bool moving, bool *run, surfaces *out) {
  rigid_touch t;
  rigid_surface s;
  *run = false;
  if (v->c->np > 0 || !cdni_rigid_any_runs(v->room->contact, v->state, v->c->slot - 1)) return CDN_OK;
  CDNI_TRY(find(v, moving, &t));
  CDNI_TRY(cdni_rigid_surface(v->room->contact, v->state, v->c->slot - 1, v->pose, moving ? v->twist : NULL, &t, &s));
  *out = (surfaces){ .c = contact_of(&t, moving), .v = cdni_to_v3(s.v), .w = cdni_to_v3(s.w) };
  if (moving) out->v_rate = cdni_to_v3(s.v_rate), out->w_rate = cdni_to_v3(s.w_rate);
  *run = true;
  return CDN_OK;
}

static cdn_status finish_velocity(const constraint_view *v, double *e) {
  surfaces s;
  bool run;
  CDNI_TRY(find_surfaces(v, false, &run, &s));
  if (!run) return CDN_OK;
  switch (contact_what(v)) {
    case CONTACT_SPIN: e[0] += v3_dot(s.c.n, s.w); break;
    case CONTACT_TURN: e[0] += v3_dot(s.c.x, s.w), e[1] += v3_dot(s.c.y, s.w); break;
    default: e[0] += v3_dot(s.c.x, s.v), e[1] += v3_dot(s.c.y, s.v);
  }
  return CDN_OK;
}

/* The rate of d . a */
static double rate_of(v3 d, v3 ddot, v3 a, v3 adot) { return v3_dot(ddot, a) + v3_dot(d, adot); }

static cdn_status add_all_bias(const constraint_view *v, double *bias) {
  surfaces s;
  bool run;
  CDNI_TRY(add_bias(v, bias));
  CDNI_TRY(find_surfaces(v, true, &run, &s));
  if (!run) return CDN_OK;
  const contact *c = &s.c;
  switch (contact_what(v)) {
    case CONTACT_SPIN: bias[0] += rate_of(c->n, c->ndot, s.w, s.w_rate); break;
    case CONTACT_TURN:
      bias[0] += rate_of(c->x, c->xdot, s.w, s.w_rate), bias[1] += rate_of(c->y, c->ydot, s.w, s.w_rate);
      break;
    default: bias[0] += rate_of(c->x, c->xdot, s.v, s.v_rate), bias[1] += rate_of(c->y, c->ydot, s.v, s.v_rate);
  }
  return CDN_OK;
}

const constraint_kind cdni_constraint_shape_contact = {
  .name = "contact of shapes",
  .calc_position = calc_position,
  .calc_rows = calc_rows,
  .finish_velocity = finish_velocity,
  .add_bias = add_all_bias,
};

cdn_constraint cdni_constrain_slot(cdn_system *system, const char *name, int slot, contact_equations equations) {
  constraint_adder adder;
  const bool turns = equations == CONTACT_SPIN || equations == CONTACT_TURN;
  cdni_constraint_begin(&adder, system, CONSTRAINT_SHAPE_CONTACT, "cdn_system_freeze", name, contact_gaps(equations),
                        contact_speeds(equations), 0);
  for (int k = 0; k < 2; k++) cdni_constraint_add_body(&adder, cdn_ground());
  adder.element.slot = slot + 1, adder.element.absolute = true;
  return cdni_constraint_add(&adder, turns ? &equations : NULL, turns ? sizeof equations : 0, NULL);
}
