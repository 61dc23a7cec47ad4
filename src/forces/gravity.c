/* Uniform gravity: m g at every centre of mass; potential -m g . p_com. Parameters: g, and for every body whether it is
 * excluded. */
#include <math.h>

#include <cardan/operators.h>

#include "forces/derivatives.h"

typedef struct gravity {
  cdni_array excluded; /* int32_t: the bodies that it leaves out by default */
} gravity;

/* The force kinds' parameters are as many for each element; these are as many as there are bodies. */
static const double *excluded_bodies(const force_batch *b, cdn_state *state) {
  return cdn_state_parameters(state, b->room->sets[FORCE_GRAVITY].own);
}

static cdn_status calc_potential(const force_batch *b, cdn_state *state, double *energy) {
  if (!b->matter || !force_is_on(b, 0)) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, b->matter->inertia.ticket));
  const rigid_inertia *B = cdni_matter_inertia(b->matter, state);
  const body_pose *pose = cdni_matter_pose(b->matter, state);
  const double *excluded = excluded_bodies(b, state);
  v3 sum = v3_zero();
  for (int i = 1; i < b->matter->tree.n; i++)
    if (excluded[i] == 0) sum = v3_add(sum, v3_fma(B[i].m, pose[i].p_GM, B[i].mc));
  *energy -= v3_dot(v3_load(b->params), sum);
  return CDN_OK;
}

v3 cdni_gravity(const force_room *room, cdn_state *state, const double **excluded) {
  *excluded = NULL;
  if (room->sets[FORCE_GRAVITY].ids.count == 0) return v3_zero();
  const force_batch b = cdni_force_batch(room, state, FORCE_GRAVITY, NULL);
  if (!force_is_on(&b, 0)) return v3_zero();
  *excluded = excluded_bodies(&b, state);
  return v3_load(b.params);
}

/* A constant force at the centre of mass: m g, with the lever mc / m. */
static cdn_status derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  const double *excluded;
  const rigid_inertia *B = cdni_matter_inertia(b->matter, state);
  const v3 g = cdni_gravity(b->room, state, &excluded);
  for (int i = 1; excluded && i < b->matter->tree.n; i++)
    if (excluded[i] == 0 && B[i].m != 0)
      cdni_derivatives_constant_force(out->pass, i, v3_scale(1 / B[i].m, B[i].mc), v3_scale(B[i].m, g));
  return CDN_OK;
}

static void prepare(force_set *set, cdn_declarer *d) {
  const cdn_system *system = cdni_declarer_system(d);
  const cdn_allocator *memory = cdni_system_allocator(system);
  const cdni_array *list = &CDNI_AT(set->elements, gravity, 0).excluded;
  const int n = cdn_system_body_count(system);
  double *excluded = cdni_calloc(memory, (size_t)n * sizeof *excluded);
  if (!excluded) {
    cdn_declare_error(d, CDN_ERR_NOMEM, "out of memory");
    return;
  }
  for (size_t i = 0; i < list->count; i++) excluded[CDNI_AT(*list, int32_t, i)] = 1;
  set->has_own = true;
  set->own = cdn_declare_parameters(d, "gravity_excluded", n, excluded);
  cdni_free(memory, excluded, (size_t)n * sizeof *excluded);
}

static void destroy(force_set *set, const cdn_allocator *a) {
  for (size_t i = 0; i < set->elements.count; i++) cdni_array_free(a, &CDNI_AT(set->elements, gravity, i).excluded);
}

static void depend(const force_set *set, const force_part *part, const matter *m, cdn_declarer *d, cdn_cache entry) {
  (void)part;
  cdni_declare_prerequisite(d, entry, set->own.ticket);
  if (m) cdni_declare_prerequisite(d, entry, m->inertia.ticket);
}

const force_kind cdni_force_gravity = {
  .name = "gravity",
  .element_size = sizeof(gravity),
  .n_params = 3,
  .params = { CDNI_VECTOR("g", "m/s^2") },
  .parts = { { .reads = CDN_READS_POSITION,
               .potential = true,
               .bodies = true,
               .inertia = true,
               .kernel = FORCE_KERNEL_gravity } },
  .calc_potential = calc_potential,
  .derivative = derivative,
  .prepare = prepare,
  .depend = depend,
  .destroy = destroy,
};

cdn_force cdn_system_add_gravity(cdn_system *system, const char *name, cdn_vec3 g) {
  force_adder a;
  cdni_force_begin(&a, system, FORCE_GRAVITY, "cdn_system_add_gravity", name ? name : "gravity");
  if (a.by.ok && a.room->sets[FORCE_GRAVITY].ids.count > 0)
    cdni_adder_refuse(&a.by, CDN_ERR_ARG, "the System has gravity already; cdn_gravity_set changes it in a State");
  const double params[] = { g.x, g.y, g.z };
  const gravity none = { { 0 } };
  return cdni_force_add(&a, &none, params);
}

void cdn_system_exclude_from_gravity(cdn_system *system, cdn_force force, cdn_body body) {
  if (cdni_system_refuses(system, __func__)) return;
  const force_room *room = cdni_forces(system);
  const bool exists = room && force.i >= 0 && (size_t)force.i < room->elements.count;
  if (!exists || CDNI_AT(room->elements, force_element, force.i).kind != FORCE_GRAVITY) {
    cdni_system_fail(system, CDN_ERR_ARG, __func__, NULL, "force %d is no gravity of this System", (int)force.i);
    return;
  }
  const char *name = CDNI_AT(room->elements, force_element, force.i).name;
  if (body.i < 0 || body.i >= cdn_system_body_count(system)) {
    cdni_system_fail(system, CDN_ERR_ARG, __func__, name,
                     "force '%s': there is no body %d in this System (yet): add the body first", name, (int)body.i);
    return;
  }
  cdni_array *list = &CDNI_AT(room->sets[FORCE_GRAVITY].elements, gravity, 0).excluded;
  if (!cdni_array_push(cdni_system_allocator(system), list, sizeof body.i, &body.i))
    cdni_system_fail(system, CDN_ERR_NOMEM, __func__, name, "out of memory");
}

cdn_status cdn_gravity_set(cdn_state *state, cdn_force force, cdn_vec3 g) {
  const double params[] = { g.x, g.y, g.z };
  return cdni_force_set(state, force, FORCE_GRAVITY, "cdn_gravity_set", params);
}

cdn_vec3 cdn_gravity_get(const cdn_state *state, cdn_force force) {
  CDNI_NEED_OBJECT(state, (cdn_vec3){ 0 });
  const double *g = cdni_force_params(state, force, FORCE_GRAVITY);
  return g ? cdn_v3(g[0], g[1], g[2]) : cdn_v3(NAN, NAN, NAN);
}

static cdn_status check_switch(cdn_state *state, const char *function, cdn_force force, cdn_body body) {
  const cdn_system *system = cdn_state_system(state);
  if (!cdni_force_params(state, force, FORCE_GRAVITY))
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "force %d is no gravity of this System",
                           (int)force.i);
  if (body.i < 0 || body.i >= cdn_system_body_count(system))
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, cdn_force_name(system, force),
                           "there is no body %d in this System; nothing was changed", (int)body.i);
  return CDN_OK;
}

cdn_status cdn_gravity_set_body_excluded(cdn_state *state, cdn_force force, cdn_body body, bool excluded) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_TRY(check_switch(state, "cdn_gravity_set_body_excluded", force, body));
  const double value = excluded;
  const force_room *room = cdni_forces(cdn_state_system(state));
  return cdn_state_set_parameters(state, room->sets[FORCE_GRAVITY].own, body.i, 1, &value);
}

bool cdn_gravity_body_is_excluded(const cdn_state *state, cdn_force force, cdn_body body) {
  CDNI_NEED_OBJECT(state, false);
  const cdn_system *system = cdn_state_system(state);
  if (!cdni_force_params(state, force, FORCE_GRAVITY) || body.i <= 0 || body.i >= cdn_system_body_count(system))
    return true;
  return cdn_state_parameters(state, cdni_forces(system)->sets[FORCE_GRAVITY].own)[body.i] != 0;
}

cdn_status cdn_calc_gravity_compensation(cdn_state *state, double *f) {
  CDNI_NEED_SOME(state, f, cdn_system_nu(cdn_state_system(state)));
  const force_room *room = cdni_forces(cdn_state_system(state));
  const double *excluded = NULL;
  const v3 g = room ? cdni_gravity(room, state, &excluded) : v3_zero();
  return cdni_matter_gravity_forces(state, "cdn_calc_gravity_compensation", v3_neg(g), excluded, f);
}
