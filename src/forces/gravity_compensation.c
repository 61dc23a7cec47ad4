/* A force at a body's centre of mass that takes off a part of its weight: -part m g; potential part m g . p_com.
 * Parameter: part. g is that of the System's gravity, and so is which bodies have weight. */
#include "forces/derivatives.h"
#include "forces/elements/body_force.h"

typedef struct compensation {
  int32_t body;
} compensation;

/* What acts on M's centre of mass, at r from M's origin. False: nothing does. */
static bool force_on(const force_batch *b, cdn_state *state, int i, v3 *r, v3 *f) {
  const int body = ((const compensation *)b->elements)[i].body;
  const rigid_inertia *B = &cdni_matter_inertia(b->matter, state)[body];
  const double *excluded;
  const v3 g = cdni_gravity(b->room, state, &excluded);
  if (!force_is_on(b, i) || !excluded || excluded[body] != 0 || B->m == 0) return false;
  *r = v3_scale(1 / B->m, B->mc), *f = v3_scale(-b->params[i] * B->m, g);
  return true;
}

static cdn_status calc(const force_batch *b, cdn_state *state, cdn_forces *out) {
  v3 r, f;
  CDNI_TRY(cdni_state_ensure(state, b->matter->inertia.ticket));
  for (int i = 0; i < b->n; i++)
    if (force_on(b, state, i, &r, &f)) force_push(out, ((const compensation *)b->elements)[i].body, r, f);
  return CDN_OK;
}

static cdn_status calc_potential(const force_batch *b, cdn_state *state, double *energy) {
  v3 r, f;
  if (!b->matter) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, b->matter->inertia.ticket));
  const body_pose *pose = cdni_matter_pose(b->matter, state);
  for (int i = 0; i < b->n; i++)
    if (force_on(b, state, i, &r, &f))
      *energy -= v3_dot(f, v3_add(pose[((const compensation *)b->elements)[i].body].p_GM, r));
  return CDN_OK;
}

static cdn_status derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  v3 r, f;
  for (int i = 0; i < b->n; i++)
    if (force_on(b, state, i, &r, &f))
      cdni_derivatives_constant_force(out->pass, ((const compensation *)b->elements)[i].body, r, f);
  return CDN_OK;
}

static void depend(const force_set *set, const force_part *part, const matter *m, cdn_declarer *d, cdn_cache entry) {
  (void)set, (void)part, (void)m;
  cdni_force_depend(cdni_forces(cdni_declarer_system(d)), d, entry, FORCE_GRAVITY, NULL);
}

static void describe(const force_room *room, const void *element, char *text, size_t size) {
  const body_force at = { ((const compensation *)element)->body, { 0, 0, 0 } };
  cdni_describe_body_force(room, &at, text, size);
}

const force_kind cdni_force_gravity_compensation = {
  .name = "gravity_compensation",
  .element_size = sizeof(compensation),
  .n_params = 1,
  .params = { CDNI_ANY("part", "1") },
  .parts = { { .reads = CDN_READS_POSITION, .potential = true, .bodies = true, .inertia = true, .calc = calc } },
  .calc_potential = calc_potential,
  .derivative = derivative,
  .depend = depend,
  .describe = describe,
};

cdn_force cdn_system_add_gravity_compensation(cdn_system *system, const char *name, cdn_body body, double part) {
  force_adder a;
  cdni_force_begin(&a, system, FORCE_GRAVITY_COMPENSATION, "cdn_system_add_gravity_compensation", name);
  cdni_adder_check_body(&a.by, body);
  if (a.by.ok && a.room->sets[FORCE_GRAVITY].ids.count == 0)
    cdni_adder_refuse(&a.by, CDN_ERR_ARG, "the System has no gravity: add it first, by cdn_system_add_gravity");
  const compensation e = { body.i };
  return cdni_force_add(&a, &e, &part);
}

cdn_status cdn_gravity_compensation_set(cdn_state *state, cdn_force force, double part) {
  return cdni_force_set(state, force, FORCE_GRAVITY_COMPENSATION, "cdn_gravity_compensation_set", &part);
}

bool cdni_force_is_compensation(const cdn_system *system, cdn_force force) {
  const force_room *room = cdni_forces(system);
  return room && force.i >= 0 && (size_t)force.i < room->elements.count &&
         CDNI_AT(room->elements, force_element, force.i).kind == FORCE_GRAVITY_COMPENSATION;
}

double cdni_compensation_left(const force_room *room, cdn_state *state, int body) {
  double left = 1;
  if (room->sets[FORCE_GRAVITY_COMPENSATION].ids.count == 0) return left;
  const force_batch b = cdni_force_batch(room, state, FORCE_GRAVITY_COMPENSATION, NULL);
  for (int i = 0; i < b.n; i++)
    if (((const compensation *)b.elements)[i].body == body && force_is_on(&b, i)) left -= b.params[i];
  return left;
}

cdn_status cdni_compensation_at(cdn_state *state, cdn_force force, cdn_body *body, cdn_vec3 *p_B, cdn_vec3 *f_G) {
  const force_room *room = cdni_forces(cdn_state_system(state));
  const force_batch b = cdni_force_batch(room, state, FORCE_GRAVITY_COMPENSATION, NULL);
  const int i = CDNI_AT(room->elements, force_element, force.i).index;
  v3 r, f = v3_zero();
  CDNI_TRY(cdni_state_ensure(state, b.matter->inertia.ticket));
  body->i = ((const compensation *)b.elements)[i].body;
  *p_B = cdn_body_mass_properties(state, *body).com;
  *f_G = cdni_from_v3(force_on(&b, state, i, &r, &f) ? f : v3_zero());
  return CDN_OK;
}
