/* q and u go over to the mobilizers of another System; so does what is locked and what is applied. */
#include <math.h>
#include <string.h>

#include <cardan/motion.h>

#include "studies/carry.h"
#include "system/system.h"

static const char *joint_name(const cdn_system *s, int i) { return cdn_element_name(s, CDN_ELEMENT_MOBILIZER, i); }

static const char *joint_kind(const cdn_system *s, cdn_body body) {
  const char *kind = cdn_element_kind(s, CDN_ELEMENT_MOBILIZER, body.i);
  return kind ? kind : "";
}

/* ---- the same coordinates -------------------------------------------------------------------- */

static bool same_frame(cdn_transform a, cdn_transform b) { return memcmp(&a, &b, sizeof a) == 0; }

/* Whether numbers of one mean the same of the other. A body that is free in all directions stays where it is, whatever
 * its joint is seen from. */
static bool means_the_same(const carrier *c, cdn_body old, cdn_body new) {
  const cdn_system *a = c->old, *b = c->new;
  if (strcmp(joint_kind(a, old), joint_kind(b, new)) != 0 ||
      cdn_body_is_reversed(a, old) != cdn_body_is_reversed(b, new) ||
      cdn_body_has_quaternion(a, old) != cdn_body_has_quaternion(b, new) ||
      cdn_body_nq(a, old) != cdn_body_nq(b, new) || cdn_body_nu(a, old) != cdn_body_nu(b, new))
    return false;
  if (cdn_body_nu(a, old) < 6) return true;
  return strcmp(cdn_body_name(a, cdn_body_parent(a, old)), cdn_body_name(b, cdn_body_parent(b, new))) == 0 &&
         same_frame(cdn_body_X_PF(c->from, old), cdn_body_X_PF(c->to, new)) &&
         same_frame(cdn_body_X_BM(c->from, old), cdn_body_X_BM(c->to, new));
}

/* ---- the same motion ------------------------------------------------------------------------- */

typedef struct moving {
  cdn_transform X_GB;
  cdn_spatial V_GB;
} moving;

static cdn_status motion_of(cdn_state *state, cdn_body body, moving *out) {
  *out = (moving){ .X_GB = cdn_transform_identity() };
  if (body.i == 0) return CDN_OK;
  CDNI_TRY(cdn_body_pose(state, body, &out->X_GB));
  return cdn_body_velocity(state, body, &out->V_GB);
}

static cdn_vec3 velocity_at(const moving *m, cdn_vec3 p_G) {
  return cdn_add(m->V_GB.v, cdn_cross(m->V_GB.w, cdn_sub(p_G, m->X_GB.p)));
}

static double distance(cdn_vec3 a, cdn_vec3 b) { return cdn_norm(cdn_sub(a, b)); }

/* Small angles by the axes themselves. */
static double angle(cdn_rotation a, cdn_rotation b) {
  const double x = distance(a.x, b.x), y = distance(a.y, b.y), z = distance(a.z, b.z);
  return 2 * asin(fmin(1, sqrt((x * x + y * y + z * z) / 8)));
}

static cdn_status tell_fit(carrier *c, cdn_body old, cdn_body new, cdn_transform X_FM, cdn_spatial V_FM) {
  static const double EXACT = 1e-9; /* closed forms are exact to rounding; iterations, of kinds of a program, nearly */
  cdn_transform X;
  cdn_spatial V;
  CDNI_TRY(cdn_body_X_FM(c->to, new, &X));
  CDNI_TRY(cdn_body_V_FM(c->to, new, &V));
  const double e[4] = { angle(X.R, X_FM.R), distance(X.p, X_FM.p), distance(V.w, V_FM.w), distance(V.v, V_FM.v) };
  const double length = 1 + cdn_norm(X_FM.p), rate = 1 + cdn_norm(V_FM.w), speed = 1 + cdn_norm(V_FM.v);
  const bool exact = e[0] <= EXACT && e[1] <= EXACT * length && e[2] <= EXACT * rate && e[3] <= EXACT * speed;
  const char *was = joint_kind(c->old, old), *is = joint_kind(c->new, new);
  if (exact)
    cdni_carry_tell(c, CDN_ELEMENT_MOBILIZER, CDN_CARRY_FITTED, joint_name(c->new, new.i), e,
                    "its motion was fitted: it was %s%s, and is %s%s", was,
                    cdn_body_has_quaternion(c->old, old) ? " with a quaternion" : "", is,
                    cdn_body_has_quaternion(c->new, new) ? " with a quaternion" : "");
  else
    cdni_carry_tell(c, CDN_ELEMENT_MOBILIZER, CDN_CARRY_NEAREST, joint_name(c->new, new.i), e,
                    "it was %s, and is %s, which cannot move so: it is off by %.3g rad, %.3g m, %.3g rad/s, %.3g m/s",
                    was, is, e[0], e[1], e[2], e[3]);
  return CDN_OK;
}

/* The body keeps its motion relative to the body on which it moves now; where the old System did not have that one, to
 * Ground. */
static cdn_status fit(carrier *c, cdn_body old, cdn_body new) {
  moving B, P;
  const cdn_body parent = cdn_body_parent(c->new, new);
  const cdn_body known = parent.i == 0 ? parent : cdn_system_find_body(c->old, cdn_body_name(c->new, parent));
  CDNI_TRY(motion_of(c->from, old, &B));
  CDNI_TRY(known.i >= 0 ? motion_of(c->from, known, &P) : motion_of(c->to, parent, &P));
  const cdn_transform X_GF = cdn_transform_multiply(P.X_GB, cdn_body_X_PF(c->to, new));
  const cdn_transform X_GM = cdn_transform_multiply(B.X_GB, cdn_body_X_BM(c->to, new));
  const cdn_transform X_FM = cdn_transform_multiply(cdn_transform_invert(X_GF), X_GM);
  const cdn_rotation R_FG = cdn_transform_invert(X_GF).R;
  const cdn_vec3 v = cdn_sub(velocity_at(&B, X_GM.p), velocity_at(&P, X_GM.p));
  const cdn_spatial V_FM = { cdn_rotate(R_FG, cdn_sub(B.V_GB.w, P.V_GB.w)), cdn_rotate(R_FG, v) };
  CDNI_TRY(cdn_body_set_q_to_fit_transform(c->to, new, X_FM));
  CDNI_TRY(cdn_body_set_u_to_fit_velocity(c->to, new, V_FM));
  return tell_fit(c, old, new, X_FM, V_FM);
}

/* ---- locks and applied forces ---------------------------------------------------------------- */

static cdn_status lock_like(carrier *c, cdn_body old, cdn_body new, bool same) {
  const cdn_motion_level level = cdn_body_lock_level(c->from, old);
  if (level == cdn_body_lock_level(c->base, old) && level == CDN_LEVEL_NONE) return CDN_OK;
  if (level == CDN_LEVEL_NONE) return cdn_body_unlock(c->to, new);
  const double *values = NULL;
  int n = cdn_body_nu(c->old, old);
  if (level == CDN_LEVEL_POSITION && (values = cdn_state_q_eff(c->from)))
    values += cdn_body_first_q(c->old, old), n = cdn_body_nq(c->old, old);
  if (level == CDN_LEVEL_VELOCITY && (values = cdn_state_u_eff(c->from))) values += cdn_body_first_u(c->old, old);
  if (level == CDN_LEVEL_ACCELERATION && (values = cdn_state_udot(c->from))) values += cdn_body_first_u(c->old, old);
  if (!values) return cdni_state_last_status(c->from);
  return same ? cdn_body_lock_at(c->to, new, level, n, values) : cdn_body_lock(c->to, new, level);
}

static cdn_status apply_like(carrier *c, cdn_body old, cdn_body new, double *f) {
  const cdn_spatial F = cdn_state_applied_body_force(c->from, old);
  const double *given = cdn_state_applied_mobility_forces(c->from);
  if (cdn_norm(F.w) > 0 || cdn_norm(F.v) > 0) CDNI_TRY(cdn_state_set_applied_body_force(c->to, new, F));
  if (f && given)
    memcpy(f + cdn_body_first_u(c->new, new), given + cdn_body_first_u(c->old, old),
           (size_t)cdn_body_nu(c->old, old) * sizeof *f);
  return CDN_OK;
}

/* ---- all of them ----------------------------------------------------------------------------- */

static cdn_status carry_one(carrier *c, int old, int new, double *f) {
  const cdn_body a = { old }, b = { new };
  const bool same = means_the_same(c, a, b);
  if (same) {
    CDNI_TRY(cdn_body_set_q(c->to, b, cdn_body_nq(c->old, a), cdn_body_q(c->from, a)));
    CDNI_TRY(cdn_body_set_u(c->to, b, cdn_body_nu(c->old, a), cdn_body_u(c->from, a)));
  } else {
    CDNI_TRY(fit(c, a, b));
  }
  CDNI_TRY(lock_like(c, a, b, same));
  return apply_like(c, a, b, same ? f : NULL);
}

/* The old mobilizer of each new one: that of its name, else that of its body, if that name is gone. */
static void pair(const carrier *c, int *partner, bool *met) {
  const int n = cdn_system_body_count(c->old), m = cdn_system_body_count(c->new);
  for (int i = 0; i < m; i++) partner[i] = -1;
  for (int k = 0; k < 2; k++)
    for (int i = 1; i < n; i++) {
      const cdn_element_type type = k == 0 ? CDN_ELEMENT_MOBILIZER : CDN_ELEMENT_BODY;
      const int other = met[i] ? -1 : cdni_carry_find(c, type, cdn_element_name(c->old, type, i));
      if (other > 0 && partner[other] < 0) partner[other] = i, met[i] = true;
    }
}

static cdn_status carry_pairs(carrier *c, int *partner, bool *met, double *f) {
  const int n = cdn_system_body_count(c->old), m = cdn_system_body_count(c->new);
  pair(c, partner, met);
  for (int i = 1; i < n; i++)
    if (!met[i]) cdni_carry_tell(c, CDN_ELEMENT_MOBILIZER, CDN_CARRY_GONE, joint_name(c->old, i), NULL, "gone");
  for (int i = 1; i < m; i++) { /* from inboard to outboard */
    if (partner[i] >= 0) CDNI_TRY(carry_one(c, partner[i], i, f));
    else
      cdni_carry_tell(c, CDN_ELEMENT_MOBILIZER, CDN_CARRY_NEW, joint_name(c->new, i), NULL,
                      "new, with its default coordinates");
  }
  return c->status;
}

cdn_status cdni_carry_motion(carrier *c) {
  const int n = cdn_system_body_count(c->old), m = cdn_system_body_count(c->new), nu = cdn_system_nu(c->new);
  if (n == 0 || m == 0) return CDN_OK;
  const size_t sizes[] = { (size_t)m * sizeof(int), (size_t)n * sizeof(bool), (size_t)(nu + 1) * sizeof(double) };
  int *partner = cdni_alloc(c->memory, sizes[0]);
  bool *met = cdni_calloc(c->memory, sizes[1]);
  double *f = cdni_calloc(c->memory, sizes[2]);
  cdn_status status = partner && met && f ? CDN_OK : CDN_ERR_NOMEM;
  const double *present = cdn_state_applied_mobility_forces(c->to);
  if (status == CDN_OK && present) memcpy(f, present, (size_t)nu * sizeof *f);
  if (status == CDN_OK) status = carry_pairs(c, partner, met, f);
  if (status == CDN_OK && nu > 0) status = cdn_state_set_applied_mobility_forces(c->to, f);
  if (partner) cdni_free(c->memory, partner, sizes[0]);
  if (met) cdni_free(c->memory, met, sizes[1]);
  if (f) cdni_free(c->memory, f, sizes[2]);
  return status;
}
