/* A bushing between frame F of body A and frame M of body B: springs and dampers along the six coordinates of M in F,
 * the x-y-z angles of R_FM (body-fixed) and p_FM (in F). With f_i = -k_i q_i - c_i qdot_i, force and moment on B follow
 * from the power f . qdot: the force is f_p along F's axes, at M's origin; the moment, in M, is N^T f_angles, where
 * qdot_angles = N w_FM (w in M). A feels the opposite at the point of A that coincides with M's origin.
 * Parameters: k (6), c (6), X_AF, X_BM (12 each: R by columns, p). */
#include <math.h>
#include <stdio.h>

#include "forces/internal.h"

enum { K = 0, C = 6, X_AF = 12, X_BM = 24, PARAMS = 36 };

typedef struct bushing {
  int32_t body_a, body_b;
} bushing;

/* ---- its coordinates ---- */

/* Where the frames are, and M's place in F. */
typedef struct placing {
  v3 r_a, r_b; /* from the bodies' M origins to M's origin, in Ground */
  m3 R_GF, R_GM;
  double q[6];
  double s1, c1, s2, c2; /* sines and cosines of the second and the third angle */
  bool regular;          /* the first and the third angle can be told apart */
} placing;

static m3 frame_axes(const matter *m, cdn_state *state, const body_pose *pose, int body, const double *X) {
  const m3 R = pose[body].R_GM, B = m3_load(cdni_matter_X_BM(m, state, (cdn_body){ body }));
  return (m3){ m3_mul(R, m3_tmul(B, v3_load(X))), m3_mul(R, m3_tmul(B, v3_load(X + 3))),
               m3_mul(R, m3_tmul(B, v3_load(X + 6))) };
}

static placing place(const matter *m, cdn_state *state, const body_pose *pose, const bushing *e, const double *p) {
  placing at;
  const double *a = p + X_AF + 9, *b = p + X_BM + 9;
  const v3 to_F = cdni_to_v3(cdni_matter_station(m, state, pose, (cdn_body){ e->body_a }, cdn_v3(a[0], a[1], a[2])));
  at.r_b = cdni_to_v3(cdni_matter_station(m, state, pose, (cdn_body){ e->body_b }, cdn_v3(b[0], b[1], b[2])));
  const v3 M = v3_add(pose[e->body_b].p_GM, at.r_b), F = v3_add(pose[e->body_a].p_GM, to_F);
  const v3 p_FM_G = v3_sub(M, F);
  at.r_a = v3_add(to_F, p_FM_G);
  at.R_GF = frame_axes(m, state, pose, e->body_a, p + X_AF);
  at.R_GM = frame_axes(m, state, pose, e->body_b, p + X_BM);

  /* R_FM = Rx(q0) Ry(q1) Rz(q2) has the first row (c1 c2, -c1 s2, s1) and the last column (s1, -s0 c1, c0 c1). */
  const v3 row = { v3_dot(at.R_GF.x, at.R_GM.x), v3_dot(at.R_GF.x, at.R_GM.y), v3_dot(at.R_GF.x, at.R_GM.z) };
  at.s1 = row.z;
  at.c1 = hypot(row.x, row.y);
  at.regular = at.c1 > 0x1p-40;
  at.c2 = at.regular ? row.x / at.c1 : 1;
  at.s2 = at.regular ? -row.y / at.c1 : 0;
  at.q[0] = atan2(-v3_dot(at.R_GF.y, at.R_GM.z), v3_dot(at.R_GF.z, at.R_GM.z));
  at.q[1] = atan2(at.s1, at.c1);
  at.q[2] = atan2(-row.y, row.x);
  const v3 p_FM = m3_tmul(at.R_GF, p_FM_G);
  at.q[3] = p_FM.x, at.q[4] = p_FM.y, at.q[5] = p_FM.z;
  return at;
}

static void rates(const placing *at, const body_twist *twist, const bushing *e, double qdot[6]) {
  const sv V_a = sv_shift_motion(twist[e->body_a].V, at->r_a), V_b = sv_shift_motion(twist[e->body_b].V, at->r_b);
  const v3 w = m3_tmul(at->R_GM, v3_sub(V_b.w, V_a.w)), v = m3_tmul(at->R_GF, v3_sub(V_b.v, V_a.v));
  qdot[0] = at->regular ? (at->c2 * w.x - at->s2 * w.y) / at->c1 : 0;
  qdot[1] = at->s2 * w.x + at->c2 * w.y;
  qdot[2] = w.z - at->s1 * qdot[0];
  qdot[3] = v.x, qdot[4] = v.y, qdot[5] = v.z;
}

/* What the six forces f do to the bodies. */
static void push(cdn_forces *out, const bushing *e, const placing *at, const double f[6]) {
  const double g = f[0] == 0 && f[2] == 0 ? 0 : (f[0] - at->s1 * f[2]) / at->c1;
  const v3 m_M = { at->c2 * g + at->s2 * f[1], at->c2 * f[1] - at->s2 * g, f[2] };
  const v3 moment = m3_mul(at->R_GM, m_M), force = m3_mul(at->R_GF, v3_load(f + 3));
  force_push(out, e->body_b, at->r_b, force);
  force_push(out, e->body_a, at->r_a, v3_neg(force));
  force_turn(out, e->body_b, moment);
  force_turn(out, e->body_a, v3_neg(moment));
}

/* Without springs or dampers about its axes a bushing has no singular position. */
static bool needs_angles(const double *coefficients) {
  return coefficients[0] != 0 || coefficients[1] != 0 || coefficients[2] != 0;
}

static cdn_status singular(cdn_state *state, const char *function, const char *name) {
  return cdni_state_fail(state, CDN_ERR_SINGULAR, true, function, name,
                         "the second angle of bushing '%s' is at 90 degrees, where the other two cannot be told apart: "
                         "choose its frames so that it stays away from there, or stiffen it about F's y axis",
                         name);
}

/* ---- forces and energy ---- */

static cdn_status calc_elastic(const force_batch *b, cdn_state *state, cdn_forces *out) {
  const bushing *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!force_is_on(b, i)) continue;
    const double *p = b->params + PARAMS * i;
    const placing at = place(b->matter, state, out->pose, &e[i], p);
    if (!at.regular && needs_angles(p + K)) return singular(state, "cdn_realize", force_name(b, i));
    double f[6];
    for (int k = 0; k < 6; k++) f[k] = -p[K + k] * at.q[k];
    push(out, &e[i], &at, f);
  }
  return CDN_OK;
}

static cdn_status calc_damping(const force_batch *b, cdn_state *state, cdn_forces *out) {
  const bushing *e = b->elements;
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  const body_twist *twist = cdni_matter_twist(b->matter, state);
  for (int i = 0; i < b->n; i++) {
    if (!force_is_on(b, i)) continue;
    const double *p = b->params + PARAMS * i;
    const placing at = place(b->matter, state, out->pose, &e[i], p);
    if (!at.regular && needs_angles(p + C)) return singular(state, "cdn_realize", force_name(b, i));
    double qdot[6], f[6];
    rates(&at, twist, &e[i], qdot);
    for (int k = 0; k < 6; k++) f[k] = -p[C + k] * qdot[k];
    push(out, &e[i], &at, f);
  }
  return CDN_OK;
}

static cdn_status calc_potential(const force_batch *b, cdn_state *state, double *energy) {
  const bushing *e = b->elements;
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  const body_pose *pose = cdni_matter_pose(b->matter, state);
  for (int i = 0; i < b->n; i++) {
    if (!force_is_on(b, i)) continue;
    const double *p = b->params + PARAMS * i;
    const placing at = place(b->matter, state, pose, &e[i], p);
    if (!at.regular && needs_angles(p + K)) return singular(state, "cdn_potential_energy", force_name(b, i));
    for (int k = 0; k < 6; k++) *energy += 0.5 * p[K + k] * at.q[k] * at.q[k];
  }
  return CDN_OK;
}

/* ---- the kind ---- */

static bool is_rotation(const double *R) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j <= i; j++) {
      const double dot = R[3 * i] * R[3 * j] + R[3 * i + 1] * R[3 * j + 1] + R[3 * i + 2] * R[3 * j + 2];
      if (fabs(dot - (i == j)) > 1e-9) return false;
    }
  return v3_dot(v3_cross(v3_load(R), v3_load(R + 3)), v3_load(R + 6)) > 0;
}

static bool check(const double *params, char *why, size_t size) {
  for (int k = 0; k < 6; k++)
    if (!(params[C + k] >= 0)) {
      snprintf(why, size, "c[%d] is %g; a damper's coefficient must not be negative", k, params[C + k]);
      return false;
    }
  const bool right_F = is_rotation(params + X_AF), right_M = is_rotation(params + X_BM);
  if (!right_F || !right_M) snprintf(why, size, "the R of %s is not a rotation to 1e-9", right_F ? "X_BM" : "X_AF");
  return right_F && right_M;
}

#define SIX(name) name, name, name, name, name, name
#define TWELVE(name) SIX(name), SIX(name)

const force_kind cdni_force_linear_bushing = {
  .name = "linear_bushing",
  .element_size = sizeof(bushing),
  .n_params = PARAMS,
  .param_names = { SIX("k"), SIX("c"), TWELVE("X_AF"), TWELVE("X_BM") },
  .check = check,
  .parts = { { .reads = CDN_READS_POSITION, .potential = true, .bodies = true, .calc = calc_elastic },
             { .reads = CDN_READS_VELOCITY, .bodies = true, .calc = calc_damping } },
  .calc_potential = calc_potential,
};

static void write_frame(double *p, cdn_transform X) {
  const double numbers[] = { X.R.x.x, X.R.x.y, X.R.x.z, X.R.y.x, X.R.y.y, X.R.y.z,
                             X.R.z.x, X.R.z.y, X.R.z.z, X.p.x,   X.p.y,   X.p.z };
  memcpy(p, numbers, sizeof numbers);
}

cdn_force cdn_system_add_linear_bushing(cdn_system *system, const char *name, cdn_body a, cdn_transform X_A, cdn_body b,
                                        cdn_transform X_B, const double k[6], const double c[6]) {
  force_adder adder;
  cdni_force_begin(&adder, system, FORCE_LINEAR_BUSHING, "cdn_system_add_linear_bushing", name);
  cdni_force_check_pair(&adder, a, b);
  const bushing e = { a.i, b.i };
  double params[PARAMS] = { 0 };
  if (k) memcpy(params + K, k, 6 * sizeof *k);
  if (c) memcpy(params + C, c, 6 * sizeof *c);
  write_frame(params + X_AF, X_A);
  write_frame(params + X_BM, X_B);
  return cdni_force_add(&adder, &e, params);
}

/* ---- in a State ---- */

/* Its present parameters, to be changed in part; zeros where cdni_force_set will refuse the id. */
static void read_params(const cdn_state *state, cdn_force force, double params[PARAMS]) {
  const double *now = cdni_force_params(state, force, FORCE_LINEAR_BUSHING);
  memset(params, 0, PARAMS * sizeof *params);
  if (now) memcpy(params, now, PARAMS * sizeof *params);
}

cdn_status cdn_linear_bushing_set(cdn_state *state, cdn_force force, const double k[6], const double c[6]) {
  double params[PARAMS];
  read_params(state, force, params);
  if (k) memcpy(params + K, k, 6 * sizeof *k);
  if (c) memcpy(params + C, c, 6 * sizeof *c);
  return cdni_force_set(state, force, FORCE_LINEAR_BUSHING, "cdn_linear_bushing_set", params);
}

cdn_status cdn_linear_bushing_set_frames(cdn_state *state, cdn_force force, cdn_transform X_A, cdn_transform X_B) {
  double params[PARAMS];
  read_params(state, force, params);
  write_frame(params + X_AF, X_A);
  write_frame(params + X_BM, X_B);
  return cdni_force_set(state, force, FORCE_LINEAR_BUSHING, "cdn_linear_bushing_set_frames", params);
}

cdn_status cdn_linear_bushing_coordinates(cdn_state *state, cdn_force force, double q[6], double qdot[6]) {
  static const char function[] = "cdn_linear_bushing_coordinates";
  const double *p = cdni_force_params(state, force, FORCE_LINEAR_BUSHING);
  if (!p)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "force %d is no linear bushing of this System",
                           (int)force.i);
  const force_room *room = cdni_forces(cdn_state_system(state));
  const force_element *element = &CDNI_AT(room->elements, force_element, force.i);
  const bushing *e = &CDNI_AT(room->sets[FORCE_LINEAR_BUSHING].elements, bushing, element->index);
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  const placing at = place(room->matter, state, cdni_matter_pose(room->matter, state), e, p);
  if (!at.regular) return singular(state, function, element->name);
  if (q) memcpy(q, at.q, sizeof at.q);
  if (!qdot) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  rates(&at, cdni_matter_twist(room->matter, state), e, qdot);
  return CDN_OK;
}
