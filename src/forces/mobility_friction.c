/* Dry friction that sticks, on one mobility or along a tendon of several: elements/mobility_friction.h has its law.
 *
 * What the bristle stores is in no potential, as that of surfaces is not: it counts as work until it comes back. */
#include "forces/elements/mobility_friction.h"

#include <math.h>
#include <string.h>

#include "forces/derivatives.h"

/* One element in a State without lanes. */
typedef struct bristle {
  const friction_element *on_what;
  const double *p;
  double x, v, g;
  bool on, sticks;
} bristle;

static cdn_status look(const force_batch *b, int i, cdn_state *state, bristle *out) {
  const double *u;
  CDNI_TRY(force_u(b, state, &u));
  out->on_what = (const friction_element *)b->elements + i;
  out->p = b->params + FRICTION_PARAMS * i;
  out->x = force_z(b, state)[i], out->v = friction_along(out->on_what, u);
  out->g = friction_strain(out->p, out->x, out->v);
  out->on = force_is_on(b, i);
  out->sticks = out->on && fabs(out->g) <= out->p[FRICTION_LOSS];
  return CDN_OK;
}

/* What is off bears nothing, and forgets. */
static cdn_status calc_zdot(const force_batch *b, cdn_state *state, double *zdot) {
  for (int i = 0; i < b->n; i++) {
    bristle e;
    CDNI_TRY(look(b, i, state, &e));
    const double borne = e.on ? friction_borne(e.p, e.g) : 0;
    zdot[i] = e.sticks ? e.v : (borne / e.p[FRICTION_STIFFNESS] - e.x) / e.p[FRICTION_TIME];
  }
  return CDN_OK;
}

static cdn_status zdot_derivative(const force_batch *b, cdn_state *state, cdn_zdot_derivatives *out) {
  const cdn_zvar z = b->room->sets[b->kind].z;
  for (int i = 0; i < b->n; i++) {
    bristle e;
    CDNI_TRY(look(b, i, state, &e));
    if (!e.sticks) cdn_zdot_derivatives_add_z(out, z, i, z, i, -1 / e.p[FRICTION_TIME]);
    for (int k = 0; k < e.on_what->terms && e.sticks; k++) {
      const friction_term *t = &e.on_what->term[k];
      cdn_zdot_derivatives_add_slot(out, z, i, b->room->first_u + t->u, 0, t->coefficient);
    }
  }
  return CDN_OK;
}

static cdn_status derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  for (int i = 0; i < b->n; i++) {
    bristle e;
    CDNI_TRY(look(b, i, state, &e));
    if (!e.sticks) continue;
    const friction_term *t = e.on_what->term;
    for (int k = 0; k < e.on_what->terms; k++) {
      const double by_x = -t[k].coefficient * e.p[FRICTION_STIFFNESS];
      for (int l = 0; l < e.on_what->terms; l++)
        derivative_of_mobility(out, t[k].u, t[l].u, 0, by_x * t[l].coefficient * e.p[FRICTION_TIME]);
      derivative_by_z(out, t[k].u, force_first_z(b) + i, by_x);
    }
  }
  return CDN_OK;
}

/* The displacement at which it slides: an error of it is one of the force, relative to the largest. */
static double z_unit(const double *p) { return p[FRICTION_LOSS] > 0 ? p[FRICTION_LOSS] / p[FRICTION_STIFFNESS] : 1; }

/* After all that slides has slid. What is still driven on then is put a little beyond the end, where it is known to
 * slide. */
static cdn_status hold(const force_batch *b, cdn_state *state, const double *udot, double *z) {
  static const double BEYOND = 1 + 1e-9;
  for (int i = 0; i < b->n; i++) {
    bristle e;
    CDNI_TRY(look(b, i, state, &e));
    const double most = e.p[FRICTION_LOSS] / e.p[FRICTION_STIFFNESS];
    const bool slides = fabs(e.x) >= most && e.x * friction_along(e.on_what, udot) > 0;
    z[i] = !e.on ? 0 : slides ? copysign(BEYOND * most, e.x) : fmax(fmin(e.x, most), -most);
  }
  return CDN_OK;
}

static void describe(const force_room *room, const void *element, char *text, size_t size) {
  const friction_element *e = element;
  cdni_describe_mobility(room, element, text, size);
  const size_t used = strlen(text);
  if (e->terms > 1) cdni_print(text + used, size - used, " and %d more", e->terms - 1);
}

const force_kind cdni_force_mobility_friction = {
  .name = "mobility_friction",
  .element_size = sizeof(friction_element),
  .n_params = FRICTION_PARAMS,
  .params = { CDNI_NOT_NEGATIVE("loss", "N|N m"), CDNI_POSITIVE("stiffness", "N/m|N m/rad"),
              CDNI_POSITIVE("damping_time", "s") },
  .on_mobility = true,
  .parts = { { .reads = CDN_READS_EVERYTHING, .mobilities = true, .kernel = FORCE_KERNEL_mobility_friction } },
  .derivative = derivative,
  .n_z = 1,
  .z_unit = z_unit,
  .calc_zdot = calc_zdot,
  .zdot_derivative = zdot_derivative,
  .hold = hold,
  .describe = describe,
};

cdn_force cdn_system_add_mobility_friction(cdn_system *system, const char *name, cdn_body body, int mobility,
                                           double loss, double stiffness, double damping_time) {
  force_adder a;
  cdni_force_begin(&a, system, FORCE_MOBILITY_FRICTION, "cdn_system_add_mobility_friction", name);
  const double params[] = { loss, stiffness, damping_time };
  friction_element e = { .at = cdni_force_check_mobility(&a, body, mobility), .terms = 1 };
  e.term[0] = (friction_term){ e.at.u, 1 };
  return cdni_force_add(&a, &e, params);
}

cdn_force cdn_system_add_tendon_friction(cdn_system *system, const char *name, int mobilities,
                                         const cdn_mobility *mobility, const double *coefficient, double loss,
                                         double stiffness, double damping_time) {
  force_adder a;
  friction_element e = { .terms = mobilities };
  const double params[] = { loss, stiffness, damping_time };
  cdni_force_begin(&a, system, FORCE_MOBILITY_FRICTION, "cdn_system_add_tendon_friction", name);
  if (a.by.ok && (mobilities < 1 || mobilities > CDN_FRICTION_MOST_TERMS || !mobility || !coefficient)) {
    cdni_adder_refuse(&a.by, CDN_ERR_ARG, "it is along %d mobilities, or their list is NULL: 1 to %d are possible",
                      mobilities, CDN_FRICTION_MOST_TERMS);
    e.terms = 0;
  }
  for (int k = 0; k < e.terms && a.by.ok; k++) {
    const force_mobility at = cdni_force_check_mobility(&a, mobility[k].body, mobility[k].k);
    if (k == 0) e.at = at;
    e.term[k] = (friction_term){ at.u, coefficient[k] };
    for (int l = 0; l < k && a.by.ok; l++)
      if (e.term[l].u == at.u) cdni_adder_refuse(&a.by, CDN_ERR_ARG, "mobility %d of its list is there twice", k);
  }
  if (a.by.ok) cdni_adder_check_numbers(&a.by, "coefficient", coefficient, e.terms);
  return cdni_force_add(&a, &e, params);
}

cdn_status cdn_mobility_friction_set(cdn_state *state, cdn_force force, double loss, double stiffness,
                                     double damping_time) {
  const double params[] = { loss, stiffness, damping_time };
  return cdni_force_set(state, force, FORCE_MOBILITY_FRICTION, "cdn_mobility_friction_set", params);
}

cdn_status cdn_mobility_friction_get(cdn_state *state, cdn_force force, double *displacement, double *f, bool *sticks) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  if (!cdni_force_params(state, force, FORCE_MOBILITY_FRICTION))
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL, "force %d is no mobility friction of this System",
                           (int)force.i);
  const force_room *room = cdni_forces(cdn_state_system(state));
  const force_batch b = cdni_force_batch(room, state, FORCE_MOBILITY_FRICTION, NULL);
  bristle e;
  CDNI_TRY(look(&b, CDNI_AT(room->elements, force_element, force.i).index, state, &e));
  if (displacement) *displacement = e.x;
  if (f) *f = e.on ? -friction_borne(e.p, e.g) : 0;
  if (sticks) *sticks = e.sticks;
  return CDN_OK;
}
