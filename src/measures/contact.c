/* Contacts between two sides: how many, how deep, how strong; and the gap between them. */
#include "contact/contact.h"

#include "dynamics/dynamics.h"
#include "measures/internal.h"

CDNI_DEF(contact_measure_def, .shape_a = { -1 }, .shape_b = { -1 }, .body_a = { -1 }, .body_b = { -1 });

typedef struct of_contact {
  measure base;
  cdn_contact_quantity quantity;
  cdni_contact_side side[2];
} of_contact;

static cdn_stage stage(const measure *m, int order) {
  (void)order;
  if (cdni_contact_quantity_accelerates(m->system, ((const of_contact *)m)->quantity)) return CDN_STAGE_ACCELERATION;
  return cdni_contact_quantity_moves(((const of_contact *)m)->quantity) ? CDN_STAGE_VELOCITY : CDN_STAGE_POSITION;
}

static void depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  (void)order;
  const cdn_contact_quantity quantity = ((const of_contact *)m)->quantity;
  cdni_declare_prerequisite(d, entry, cdni_contact_ticket(m->system, quantity));
  if (cdni_contact_quantity_accelerates(m->system, quantity)) cdni_declare_prerequisite(d, entry, CDN_ACCELERATION);
}

static cdn_status value(const measure *m, cdn_state *state, int order, double *out) {
  const of_contact *c = (const of_contact *)m;
  (void)order;
  if (c->quantity == CDN_CONTACT_GAP) return cdni_contact_gap(state, c->side, out);
  return cdni_contact_sum(state, c->side, c->quantity, cdni_contact_force_of_rows, out);
}

static const measure_kind contact_kind = {
  .name = "contact", .size = sizeof(of_contact), .stage = stage, .depend = depend, .value = value
};

static void check_side(cdni_adder *a, const cdni_contact_side *side, const char *which) {
  if (side->shape.i < -1 || side->shape.i >= cdn_system_shape_count(a->system))
    cdni_adder_refuse(a, CDN_ERR_ARG, "shape_%s is %d: there is no such shape in this System (yet); { -1 } is any",
                      which, (int)side->shape.i);
  if (side->body.i < -1 || side->body.i >= cdn_system_body_count(a->system))
    cdni_adder_refuse(a, CDN_ERR_ARG, "body_%s is %d: there is no such body in this System (yet); { -1 } is any", which,
                      (int)side->body.i);
}

cdn_measure cdn_system_add_contact_measure(cdn_system *system, const cdn_contact_measure_def *def) {
  cdni_adder a;
  cdn_contact_measure_def d = contact_measure_def_defaults;
  const char *unreadable =
      def ? read_contact_measure_def(&d, def) : "no def is given: start with cdn_default_contact_measure_def()";
  cdni_measure_begin(&a, system, __func__, unreadable ? NULL : d.name);
  if (!a.ok) return (cdn_measure){ -1 };
  of_contact c = { .base = { .operand = { -1 } },
                   .quantity = d.quantity,
                   .side = { { d.shape_a, d.body_a }, { d.shape_b, d.body_b } } };
  if (unreadable) cdni_adder_refuse(&a, def ? CDN_ERR_VERSION : CDN_ERR_ARG, "%s", unreadable);
  else if ((unsigned)d.quantity > CDN_CONTACT_GAP)
    cdni_adder_refuse(&a, CDN_ERR_ARG, "its quantity is not one of cdn_contact_quantity");
  else if (cdn_system_body_count(system) < 2 || cdn_system_shape_count(system) == 0)
    cdni_adder_refuse(&a, CDN_ERR_ARG, "the System has no bodies or no shapes (yet): add them first");
  else {
    check_side(&a, &c.side[0], "a");
    check_side(&a, &c.side[1], "b");
    c.base.n = cdni_contact_quantity_size(d.quantity);
    if (c.base.n == 3 && d.shape_a.i < 0 && d.body_a.i < 0)
      cdni_adder_refuse(&a, CDN_ERR_ARG, "the force is that on side a: give shape_a or body_a");
  }
  return cdni_measure_add(&a, &contact_kind, &c.base);
}
