/* A body's variables in a State: coordinates, speeds, parameters, and the forces applied from outside. */
#include <math.h>

#include "matter/checks.h"
#include "matter/matter.h"

static const char *name_of(const matter *m, cdn_body body) { return CDNI_AT(m->bodies, matter_body, body.i).name; }
static const matter *matter_of(const cdn_state *state) { return cdni_matter(cdn_state_system(state)); }

/* ---- q and u ---- */

static cdn_status set_run(cdn_state *state, const char *function, cdn_pool pool, cdn_body body, const double *values,
                          int n) {
  const matter *m = matter_of(state);
  if (!cdni_body_exists(m, body)) return cdni_state_lacks(state, function, "body", body.i);
  const tree_node *node = &m->tree.node[body.i];
  int has = pool == CDN_POOL_Q ? node->nq : node->nu;
  if (n != has)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, name_of(m, body), "body '%s' has %d %s, %d were given",
                           name_of(m, body), has, pool == CDN_POOL_Q ? "coordinates" : "speeds", n);
  if (pool == CDN_POOL_Q && node->quaternion && values && values[0] == 0 && values[1] == 0 && values[2] == 0 &&
      values[3] == 0)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, name_of(m, body),
                           "body '%s': the quaternion is zero; (1,0,0,0) is the identity", name_of(m, body));
  int first = pool == CDN_POOL_Q ? cdn_body_first_q(cdn_state_system(state), body)
                                 : cdn_body_first_u(cdn_state_system(state), body);
  return cdn_state_set_slots(state, pool, first, n, values);
}

cdn_status cdn_body_set_q(cdn_state *state, cdn_body body, int n, const double *q) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return set_run(state, "cdn_body_set_q", CDN_POOL_Q, body, q, n);
}
cdn_status cdn_body_set_u(cdn_state *state, cdn_body body, int n, const double *u) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return set_run(state, "cdn_body_set_u", CDN_POOL_U, body, u, n);
}

const double *cdn_body_q(const cdn_state *state, cdn_body body) {
  CDNI_NEED_OBJECT(state, NULL);
  const matter *m = matter_of(state);
  return cdni_body_exists(m, body) ? cdn_state_q(state) + cdn_body_first_q(cdn_state_system(state), body) : NULL;
}

const double *cdn_body_u(const cdn_state *state, cdn_body body) {
  CDNI_NEED_OBJECT(state, NULL);
  const matter *m = matter_of(state);
  return cdni_body_exists(m, body) ? cdn_state_u(state) + cdn_body_first_u(cdn_state_system(state), body) : NULL;
}

/* ---- parameters ---- */

cdn_mass_properties cdn_body_mass_properties(const cdn_state *state, cdn_body body) {
  CDNI_NEED_OBJECT(state, (cdn_mass_properties){ 0 });
  const matter *m = matter_of(state);
  if (!cdni_body_exists(m, body)) return (cdn_mass_properties){ 0 };
  return cdni_unpack_mass(cdn_state_parameters(state, m->mass) + MASS_PARAMETERS * body.i);
}

cdn_status cdni_body_set_mass(cdn_state *state, const char *function, cdn_body body, cdn_mass_properties mass) {
  const matter *m = matter_of(state);
  if (!cdni_body_exists(m, body)) return cdni_state_lacks(state, function, "body", body.i);
  char reason[160];
  cdn_status status = cdni_check_mass(mass, CDNI_AT(m->bodies, matter_body, body.i).improper, reason, sizeof reason);
  if (status != CDN_OK)
    return cdni_state_fail(state, status, false, function, name_of(m, body), "body '%s': %s", name_of(m, body), reason);
  double packed[MASS_PARAMETERS];
  cdni_pack_mass(packed, mass);
  return cdn_state_set_parameters(state, m->mass, MASS_PARAMETERS * body.i, MASS_PARAMETERS, packed);
}

cdn_status cdn_body_set_mass_properties(cdn_state *state, cdn_body body, cdn_mass_properties mass) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return cdni_body_set_mass(state, "cdn_body_set_mass_properties", body, mass);
}

static cdn_transform frame(const cdn_state *state, cdn_body body, int offset) {
  CDNI_NEED_OBJECT(state, cdn_transform_identity());
  const matter *m = matter_of(state);
  if (!cdni_body_exists(m, body)) return cdn_transform_identity();
  return cdni_unpack_transform(cdn_state_parameters(state, m->frames) + FRAME_PARAMETERS * body.i + offset);
}

cdn_status cdni_body_set_frame(cdn_state *state, const char *function, cdn_body body, int offset, cdn_transform X,
                               bool only_check) {
  const matter *m = matter_of(state);
  if (!cdni_body_exists(m, body) || body.i == 0) return cdni_state_lacks(state, function, "body", body.i);
  cdn_status status = cdni_check_frame(X);
  if (status != CDN_OK)
    return cdni_state_fail(state, status, false, function, name_of(m, body),
                           "body '%s': the frame is not finite, or its R not a rotation to 1e-9", name_of(m, body));
  if (only_check) return CDN_OK;
  double packed[12];
  cdni_pack_transform(packed, X);
  return cdn_state_set_parameters(state, m->frames, FRAME_PARAMETERS * body.i + offset, 12, packed);
}

cdn_transform cdn_body_X_PF(const cdn_state *state, cdn_body body) { return frame(state, body, 0); }
cdn_transform cdn_body_X_BM(const cdn_state *state, cdn_body body) { return frame(state, body, 12); }
cdn_status cdn_body_set_X_PF(cdn_state *state, cdn_body body, cdn_transform X) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return cdni_body_set_frame(state, "cdn_body_set_X_PF", body, 0, X, false);
}
cdn_status cdn_body_set_X_BM(cdn_state *state, cdn_body body, cdn_transform X) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return cdni_body_set_frame(state, "cdn_body_set_X_BM", body, 12, X, false);
}

double cdn_body_armature(const cdn_state *state, cdn_body body) {
  CDNI_NEED_OBJECT(state, NAN);
  const matter *m = matter_of(state);
  return cdni_body_exists(m, body) ? cdn_state_parameters(state, m->armature)[body.i] : 0;
}

cdn_status cdni_body_set_armature(cdn_state *state, const char *function, cdn_body body, double armature,
                                  bool only_check) {
  const matter *m = matter_of(state);
  if (!cdni_body_exists(m, body)) return cdni_state_lacks(state, function, "body", body.i);
  if (!isfinite(armature))
    return cdni_state_fail(state, CDN_ERR_NONFINITE, false, function, name_of(m, body), "body '%s': armature is %g",
                           name_of(m, body), armature);
  if (armature < 0)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, name_of(m, body),
                           "body '%s': armature is %g; it must not be negative", name_of(m, body), armature);
  return only_check ? CDN_OK : cdn_state_set_parameters(state, m->armature, body.i, 1, &armature);
}

cdn_status cdn_body_set_armature(cdn_state *state, cdn_body body, double armature) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return cdni_body_set_armature(state, "cdn_body_set_armature", body, armature, false);
}

const double *cdn_body_mobilizer_params(const cdn_state *state, cdn_body body) {
  CDNI_NEED_OBJECT(state, NULL);
  const matter *m = matter_of(state);
  return cdni_body_exists(m, body) ? cdn_state_parameters(state, m->params) + CDN_MOBILIZER_PARAMS * body.i : NULL;
}

cdn_status cdni_body_set_mobilizer_params(cdn_state *state, const char *function, cdn_body body, const double *params,
                                          bool only_check) {
  const matter *m = matter_of(state);
  if (!cdni_body_exists(m, body) || body.i == 0) return cdni_state_lacks(state, function, "body", body.i);
  char reason[160];
  cdn_status status = cdni_check_params(cdni_kind_of(&m->tree.node[body.i]), params, reason, sizeof reason);
  if (status != CDN_OK)
    return cdni_state_fail(state, status, false, function, name_of(m, body), "body '%s': %s", name_of(m, body), reason);
  return only_check
             ? CDN_OK
             : cdn_state_set_parameters(state, m->params, CDN_MOBILIZER_PARAMS * body.i, CDN_MOBILIZER_PARAMS, params);
}

cdn_status cdn_body_set_mobilizer_params(cdn_state *state, cdn_body body, const double *params) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return cdni_body_set_mobilizer_params(state, "cdn_body_set_mobilizer_params", body, params, false);
}

/* ---- applied forces: a flag that is set if any is not zero, then the numbers ---- */

cdn_status cdn_state_set_applied_mobility_forces(cdn_state *state, const double *f) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const matter *m = matter_of(state);
  size_t bad;
  if (!m || !f)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL,
                           f ? "the System has no bodies" : "no forces given");
  if (!cdni_all_finite(f, (size_t)m->tree.nu, &bad))
    return cdni_state_fail(state, CDN_ERR_NONFINITE, false, __func__, NULL,
                           "applied force %zu is %g: nothing was changed", bad, f[bad]);
  CDNI_TRY(cdni_state_check_free(state, __func__, "applied forces"));
  double *to = cdni_state_update_discrete(state, m->applied_f);
  to[0] = 0;
  for (int i = 0; i < m->tree.nu; i++) {
    to[1 + i] = f[i];
    if (f[i] != 0) to[0] = 1;
  }
  return CDN_OK;
}

const double *cdn_state_applied_mobility_forces(const cdn_state *state) {
  CDNI_NEED_OBJECT(state, NULL);
  const matter *m = matter_of(state);
  return m ? (const double *)cdn_state_discrete(state, m->applied_f) + 1 : NULL;
}

cdn_status cdn_state_set_applied_body_force(cdn_state *state, cdn_body body, cdn_spatial F_G) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const matter *m = matter_of(state);
  if (!cdni_body_exists(m, body)) return cdni_state_lacks(state, __func__, "body", body.i);
  const double v[6] = { F_G.w.x, F_G.w.y, F_G.w.z, F_G.v.x, F_G.v.y, F_G.v.z };
  if (!cdni_all_finite(v, 6, NULL))
    return cdni_state_fail(state, CDN_ERR_NONFINITE, false, __func__, name_of(m, body),
                           "the force on body '%s' is not finite: nothing was changed", name_of(m, body));
  CDNI_TRY(cdni_state_check_free(state, __func__, "an applied force"));
  double *to = cdni_state_update_discrete(state, m->applied_F);
  memcpy(to + 1 + 6 * body.i, v, sizeof v);
  to[0] = 0;
  for (int i = 0; i < 6 * m->tree.n; i++)
    if (to[1 + i] != 0) to[0] = 1;
  return CDN_OK;
}

cdn_spatial cdn_state_applied_body_force(const cdn_state *state, cdn_body body) {
  CDNI_NEED_OBJECT(state, (cdn_spatial){ 0 });
  const matter *m = matter_of(state);
  if (!cdni_body_exists(m, body)) return (cdn_spatial){ { 0, 0, 0 }, { 0, 0, 0 } };
  const double *v = (const double *)cdn_state_discrete(state, m->applied_F) + 1 + 6 * body.i;
  return (cdn_spatial){ cdn_v3(v[0], v[1], v[2]), cdn_v3(v[3], v[4], v[5]) };
}

/* In lanes each State's own are added to zeros first, as they are alone. */
static cdn_status add_applied_in_lanes(const matter *m, cdn_state *state, double *F, double *f) {
  const size_t lanes = (size_t)m->lanes, nF = 6 * (size_t)m->tree.n, nf = (size_t)m->tree.nu;
  if (!cdni_matter_any_applied(m, state)) return CDN_OK;
  double *one_F = cdn_work_push(state, (nF + nf) * sizeof *one_F), *one_f = one_F + nF;
  if (!one_F) return CDN_ERR_NOMEM;
  for (size_t l = 0; l < lanes; l++) {
    cdn_state *one = cdni_lane_state(state, (int)l);
    if (!one) continue;
    memset(one_F, 0, (nF + nf) * sizeof *one_F);
    const matter *own = cdni_matter(cdn_state_system(one));
    if (cdni_matter_add_applied(own, one, (sv *)one_F, one_f) != CDN_OK) cdni_lane_fail(state, (int)l);
    for (size_t i = 0; i < nF; i++) F[i * lanes + l] += one_F[i];
    for (size_t i = 0; i < nf; i++) f[i * lanes + l] += one_f[i];
  }
  cdn_work_pop(state, one_F);
  return CDN_OK;
}

cdn_status cdni_matter_add_applied(const matter *m, cdn_state *state, sv *F, double *f) {
  if (m->lanes > 1) return add_applied_in_lanes(m, state, (double *)F, f);
  const double *applied_f = cdn_state_discrete(state, m->applied_f),
               *applied_F = cdn_state_discrete(state, m->applied_F);
  if (applied_f[0] != 0)
    for (int i = 0; i < m->tree.nu; i++) f[i] += applied_f[1 + i];
  if (applied_F[0] == 0) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  const body_pose *pose = cdni_matter_pose(m, state);
  for (int i = 1; i < m->tree.n; i++) {
    const double *v = applied_F + 1 + 6 * i;
    v3 r = cdni_to_v3(cdni_matter_station(m, state, pose, (cdn_body){ i }, cdn_v3(0, 0, 0)));
    F[i] = sv_add(F[i], sv_shift_force((sv){ { v[0], v[1], v[2] }, { v[3], v[4], v[5] } }, r));
  }
  return CDN_OK;
}
