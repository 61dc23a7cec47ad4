/* Uniform gravity: m g at every centre of mass; potential -m g . p_com. Parameters: g. */
#include <math.h>

#include "forces/internal.h"

static cdn_status calc(const force_batch *b, cdn_state *state, cdn_forces *out) {
  if (!force_is_on(b, 0)) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, b->matter->inertia.ticket));
  const rigid_inertia *B = cdni_matter_inertia(b->matter, state);
  v3 g = v3_load(b->params);
  for (int i = 1; i < b->matter->tree.n; i++) {
    sv *F = &out->F[i];
    *F = (sv){ v3_cross_add(B[i].mc, g, F->w), v3_fma(B[i].m, g, F->v) };
  }
  return CDN_OK;
}

static cdn_status calc_potential(const force_batch *b, cdn_state *state, double *energy) {
  if (!b->matter || !force_is_on(b, 0)) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, b->matter->inertia.ticket));
  const rigid_inertia *B = cdni_matter_inertia(b->matter, state);
  const body_pose *pose = cdni_matter_pose(b->matter, state);
  v3 sum = v3_zero();
  for (int i = 1; i < b->matter->tree.n; i++) sum = v3_add(sum, v3_fma(B[i].m, pose[i].p_GM, B[i].mc));
  *energy -= v3_dot(v3_load(b->params), sum);
  return CDN_OK;
}

static void depend(const force_set *set, const force_part *part, const matter *m, cdn_declarer *d, cdn_cache entry) {
  (void)set, (void)part;
  if (m) cdni_declare_prerequisite(d, entry, m->inertia.ticket);
}

const force_kind cdni_force_gravity = {
  .name = "gravity",
  .n_params = 3,
  .param_names = { "g.x", "g.y", "g.z" },
  .parts = { { .reads = CDN_READS_POSITION, .potential = true, .bodies = true, .calc = calc } },
  .calc_potential = calc_potential,
  .depend = depend,
};

cdn_force cdn_system_add_gravity(cdn_system *system, const char *name, cdn_vec3 g) {
  force_adder a;
  cdni_force_begin(&a, system, FORCE_GRAVITY, "cdn_system_add_gravity", name ? name : "gravity");
  if (a.ok && a.room->sets[FORCE_GRAVITY].ids.count > 0)
    cdni_force_refuse(&a, CDN_ERR_ARG, "the System has gravity already; cdn_gravity_set changes it in a State");
  const double params[] = { g.x, g.y, g.z };
  return cdni_force_add(&a, NULL, params);
}

cdn_status cdn_gravity_set(cdn_state *state, cdn_force force, cdn_vec3 g) {
  const double params[] = { g.x, g.y, g.z };
  return cdni_force_set(state, force, FORCE_GRAVITY, "cdn_gravity_set", params);
}

cdn_vec3 cdn_gravity_get(const cdn_state *state, cdn_force force) {
  const double *g = cdni_force_params(state, force, FORCE_GRAVITY);
  return g ? cdn_v3(g[0], g[1], g[2]) : cdn_v3(NAN, NAN, NAN);
}
