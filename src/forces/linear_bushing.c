/* The linear bushing: elements/linear_bushing.h has its formula. */
#include <math.h>
#include <stdio.h>

#include "forces/derivatives.h"
#include "forces/elements/linear_bushing.h"

static cdn_status singular(cdn_state *state, const char *function, const char *name) {
  return cdni_state_fail(state, CDN_ERR_SINGULAR, true, function, name,
                         "the second angle of bushing '%s' is at 90 degrees, where the other two cannot be told apart: "
                         "choose its frames so that it stays away from there, or stiffen it about F's y axis",
                         name);
}

static cdn_status calc_potential(const force_batch *b, cdn_state *state, double *energy) {
  const bushing *e = b->elements;
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  const body_pose *pose = cdni_matter_pose(b->matter, state);
  for (int i = 0; i < b->n; i++) {
    if (!force_is_on(b, i)) continue;
    const double *p = b->params + BUSHING_PARAMS * i;
    const bushing_place at = bushing_at(force_frames(b, state), pose, &e[i], p);
    if (!at.regular && bushing_needs_angles(p + BUSHING_K))
      return singular(state, "cdn_potential_energy", force_name(b, i));
    for (int k = 0; k < 6; k++) *energy += 0.5 * p[BUSHING_K + k] * at.q[k] * at.q[k];
  }
  return CDN_OK;
}

/* ---- how it varies ---- */

/* Where a bushing is, how it moves, and what it does. w and v: of B at M's origin, seen from A, in Ground. */
typedef struct bushing_law {
  bushing_place at;
  const double *p;
  real qdot[6], f[6],
      g; /* g: the part of the moment along the line that the first and the third axis are at right angles to */
  v3 w_G, v_G, w_A;
  v3 moment, force; /* on B, about M's origin, in Ground */
} bushing_law;

/* B's station, seen from A, turns by `turn` and goes by `way`, and its velocities seen from A's axes change by dw and
 * dv, all in Ground: the change of what acts on B, if A's axes stand still. */
static sv change_seen_from_A(const bushing_law *b, v3 turn, v3 way, v3 dw, v3 dv) {
  const bushing_place *at = &b->at;
  const double s1 = at->s1, c1 = at->c1, s2 = at->s2, c2 = at->c2, *f = b->f, *qdot = b->qdot;
  const v3 t = m3_tmul(at->R_GM, turn), p = m3_tmul(at->R_GF, way), v = m3_tmul(at->R_GF, dv);
  const v3 w = m3_tmul(at->R_GM, v3_sub(dw, v3_cross(turn, b->w_G)));
  double dq[6] = { 0, 0, 0, p.x, p.y, p.z }, rate[6] = { 0, 0, 0, v.x, v.y, v.z }, df[6];
  if (at->regular) {
    dq[0] = (c2 * t.x - s2 * t.y) / c1, dq[1] = s2 * t.x + c2 * t.y, dq[2] = t.z - s1 * dq[0];
    rate[0] = (c2 * w.x - s2 * w.y - qdot[1] * dq[2] + qdot[0] * s1 * dq[1]) / c1;
    rate[1] = s2 * w.x + c2 * w.y + c1 * qdot[0] * dq[2];
    rate[2] = w.z - s1 * rate[0] - c1 * qdot[0] * dq[1];
  }
  for (int k = 0; k < 6; k++) df[k] = -b->p[BUSHING_K + k] * dq[k] - b->p[BUSHING_C + k] * rate[k];
  v3 dm = v3_zero();
  if (at->regular) {
    const double dg = (df[0] - s1 * df[2] - c1 * f[2] * dq[1] + b->g * s1 * dq[1]) / c1;
    dm = (v3){ c2 * dg + s2 * df[1] + (c2 * f[1] - s2 * b->g) * dq[2],
               c2 * df[1] - s2 * dg - (s2 * f[1] + c2 * b->g) * dq[2], df[2] };
  }
  return (sv){ v3_add(v3_cross(turn, b->moment), m3_mul(at->R_GM, dm)), m3_mul(at->R_GF, v3_load(df + 3)) };
}

/* Station 0 is the point of A where M's origin is, station 1 that origin on B. */
static void change(const void *law, int n, const station_motion *x, sv *dF) {
  const bushing_law *b = law;
  (void)n;
  const v3 turn = x[0].X.w, way = v3_sub(x[1].X.v, x[0].X.v);
  /* A's axes turn, and the point of A that is looked at becomes another one */
  const v3 dw = v3_sub(v3_sub(x[1].V.w, x[0].V.w), v3_cross(turn, b->w_G));
  const v3 dv = v3_sub(v3_sub(v3_sub(x[1].V.v, x[0].V.v), v3_cross(b->w_A, way)), v3_cross(turn, b->v_G));
  const sv seen = change_seen_from_A(b, v3_sub(x[1].X.w, turn), way, dw, dv);
  dF[1] = (sv){ v3_add(seen.w, v3_cross(turn, b->moment)), v3_add(seen.v, v3_cross(turn, b->force)) };
  dF[0] = (sv){ v3_neg(v3_cross_add(way, b->force, dF[1].w)), v3_neg(dF[1].v) };
}

static void take_law(bushing_law *b, const body_twist *twist, const bushing *e) {
  const bushing_place *at = &b->at;
  const sv V_A = sv_shift_motion(twist[e->body_a].V, at->r_a), V_B = sv_shift_motion(twist[e->body_b].V, at->r_b);
  b->w_A = V_A.w, b->w_G = v3_sub(V_B.w, V_A.w), b->v_G = v3_sub(V_B.v, V_A.v);
  bushing_rates(at, twist, e, b->qdot);
  for (int k = 0; k < 6; k++)
    b->f[k] = k < 3 && !at->regular ? 0 : -b->p[BUSHING_K + k] * at->q[k] - b->p[BUSHING_C + k] * b->qdot[k];
  b->g = at->regular ? (b->f[0] - at->s1 * b->f[2]) / at->c1 : 0;
  b->moment = m3_mul(at->R_GM, (v3){ at->c2 * b->g + at->s2 * b->f[1], at->c2 * b->f[1] - at->s2 * b->g, b->f[2] });
  b->force = m3_mul(at->R_GF, v3_load(b->f + 3));
}

static cdn_status derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  const bushing *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    if (!force_is_on(b, i)) continue;
    bushing_law law = { .p = b->params + BUSHING_PARAMS * i };
    law.at = bushing_at(force_frames(b, state), out->pass->pose, &e[i], law.p);
    bool damps = false;
    for (int k = 0; k < 6; k++) damps = damps || law.p[BUSHING_C + k] != 0;
    if (!law.at.regular && (bushing_needs_angles(law.p + BUSHING_K) || bushing_needs_angles(law.p + BUSHING_C)))
      return singular(state, out->pass->function, force_name(b, i));
    take_law(&law, out->pass->twist, &e[i]);
    const int bodies[2] = { e[i].body_a, e[i].body_b };
    const v3 r[2] = { law.at.r_a, law.at.r_b };
    const sv F[2] = { { v3_neg(law.moment), v3_neg(law.force) }, { law.moment, law.force } };
    cdni_derivative_of_bodies(out, 2, bodies, r, F, true, damps, change, &law);
  }
  return CDN_OK;
}

/* ---- kinks ---- */

/* The first and the third angle jump by a turn where they are half a turn. */
static double to_half_turn(double angle) {
  static const double half_turn = 3.14159265358979323846;
  if (fabs(angle) < 0.5 * half_turn) return NAN;
  return copysign(half_turn, angle) - angle;
}

static cdn_status calc_kinks(const force_batch *b, cdn_state *state, double *values, double *rates) {
  const bushing *e = b->elements;
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  const body_pose *pose = cdni_matter_pose(b->matter, state);
  for (int i = 0; i < b->n; i++) {
    const double *p = b->params + BUSHING_PARAMS * i;
    const bool first = p[BUSHING_K] != 0 && force_is_on(b, i), third = p[BUSHING_K + 2] != 0 && force_is_on(b, i);
    values[2 * i] = values[2 * i + 1] = rates[2 * i] = rates[2 * i + 1] = NAN;
    if (!first && !third) continue;
    const bushing_place at = bushing_at(force_frames(b, state), pose, &e[i], p);
    if (first) values[2 * i] = to_half_turn(at.q[0]);
    if (third) values[2 * i + 1] = to_half_turn(at.q[2]);
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

static bool check(const double *params, char *reason, size_t size) {
  const bool right_F = is_rotation(params + BUSHING_X_AF), right_M = is_rotation(params + BUSHING_X_BM);
  if (!right_F || !right_M) snprintf(reason, size, "the R of %s is not a rotation to 1e-9", right_F ? "X_BM" : "X_AF");
  return right_F && right_M;
}

#define SIX(NUMBER, name, angle, length)                                                                       \
  NUMBER(name "[0]", angle), NUMBER(name "[1]", angle), NUMBER(name "[2]", angle), NUMBER(name "[3]", length), \
      NUMBER(name "[4]", length), NUMBER(name "[5]", length)

const force_kind cdni_force_linear_bushing = {
  .name = "linear_bushing",
  .element_size = sizeof(bushing),
  .n_params = BUSHING_PARAMS,
  .params = { SIX(CDNI_ANY, "k", "N m/rad", "N/m"), SIX(CDNI_NOT_NEGATIVE, "c", "N m s/rad", "N s/m"),
              CDNI_FRAME("X_AF"), CDNI_FRAME("X_BM") },
  .check = check,
  .parts = { { .reads = CDN_READS_POSITION, .potential = true, .bodies = true, .kernel = FORCE_KERNEL_bushing_elastic },
             { .reads = CDN_READS_VELOCITY, .bodies = true, .kernel = FORCE_KERNEL_bushing_damping } },
  .calc_potential = calc_potential,
  .fail = singular,
  .derivative = derivative,
  .n_kinks = 2,
  .kinks_read_poses = true,
  .calc_kinks = calc_kinks,
  .describe = cdni_describe_bushing,
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
  double params[BUSHING_PARAMS] = { 0 };
  if (k) memcpy(params + BUSHING_K, k, 6 * sizeof *k);
  if (c) memcpy(params + BUSHING_C, c, 6 * sizeof *c);
  write_frame(params + BUSHING_X_AF, X_A);
  write_frame(params + BUSHING_X_BM, X_B);
  return cdni_force_add(&adder, &e, params);
}

/* ---- in a State ---- */

/* Its present parameters, to be changed in part; zeros where cdni_force_set will refuse the id. */
static void read_params(const cdn_state *state, cdn_force force, double params[BUSHING_PARAMS]) {
  const double *now = cdni_force_params(state, force, FORCE_LINEAR_BUSHING);
  memset(params, 0, BUSHING_PARAMS * sizeof *params);
  if (now) memcpy(params, now, BUSHING_PARAMS * sizeof *params);
}

cdn_status cdn_linear_bushing_set(cdn_state *state, cdn_force force, const double k[6], const double c[6]) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  double params[BUSHING_PARAMS];
  read_params(state, force, params);
  if (k) memcpy(params + BUSHING_K, k, 6 * sizeof *k);
  if (c) memcpy(params + BUSHING_C, c, 6 * sizeof *c);
  return cdni_force_set(state, force, FORCE_LINEAR_BUSHING, "cdn_linear_bushing_set", params);
}

cdn_status cdn_linear_bushing_set_frames(cdn_state *state, cdn_force force, cdn_transform X_A, cdn_transform X_B) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  double params[BUSHING_PARAMS];
  read_params(state, force, params);
  write_frame(params + BUSHING_X_AF, X_A);
  write_frame(params + BUSHING_X_BM, X_B);
  return cdni_force_set(state, force, FORCE_LINEAR_BUSHING, "cdn_linear_bushing_set_frames", params);
}

cdn_status cdn_linear_bushing_coordinates(cdn_state *state, cdn_force force, double q[6], double qdot[6]) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const double *p = cdni_force_params(state, force, FORCE_LINEAR_BUSHING);
  if (!p)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL, "force %d is no linear bushing of this System",
                           (int)force.i);
  const force_room *room = cdni_forces(cdn_state_system(state));
  const force_element *element = &CDNI_AT(room->elements, force_element, force.i);
  const bushing *e = &CDNI_AT(room->sets[FORCE_LINEAR_BUSHING].elements, bushing, element->index);
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  const double *frames = cdn_state_parameters(state, room->matter->frames);
  const bushing_place at = bushing_at(frames, cdni_matter_pose(room->matter, state), e, p);
  if (!at.regular) return singular(state, __func__, element->name);
  if (q) memcpy(q, at.q, sizeof at.q);
  if (!qdot) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  bushing_rates(&at, cdni_matter_twist(room->matter, state), e, qdot);
  return CDN_OK;
}
