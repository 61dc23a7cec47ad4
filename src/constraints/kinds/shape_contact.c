/* Two shapes that touch rigidly: the gap of a slot of rigid contact (contact/rigid.h), or the slip there. The slot says
 * which bodies these are, and what of the shapes touches. */
#include "constraints/kinds/contact.h"
#include "constraints/kinds/shape_contact.h"

static cdn_status touch(const constraint_view *v, bool moving, contact *c) {
  rigid_touch t;
  bool found;
  *c = (contact){ .gap = 0 };
  CDNI_TRY(
      cdni_rigid_touch_at(v->room->contact, v->state, v->c->slot - 1, v->pose, moving ? v->twist : NULL, &found, &t));
  if (!found) return cdni_constraint_singular(v, "nothing touches here: only events of a run switch it on");
  c->gap = t.gap, c->C = cdni_to_v3(t.point), c->n = cdni_to_v3(t.normal);
  c->x = cdni_to_v3(t.tangent), c->y = v3_cross(c->n, c->x);
  if (!moving) return CDN_OK;
  c->Cdot = cdni_to_v3(t.point_rate), c->ndot = cdni_to_v3(t.normal_rate), c->xdot = cdni_to_v3(t.tangent_rate);
  c->ydot = v3_add(v3_cross(c->ndot, c->x), v3_cross(c->n, c->xdot));
  return CDN_OK;
}

CONTACT_FUNCTIONS(touch)

const constraint_kind cdni_constraint_shape_contact = {
  .name = "contact of shapes",
  .calc_position = calc_position,
  .calc_rows = calc_rows,
  .add_bias = add_bias,
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
