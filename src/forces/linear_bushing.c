/* The linear bushing: elements/linear_bushing.h has its formula. */
#include <math.h>
#include <stdio.h>

#include "forces/elements/linear_bushing.h"
#include "forces/internal.h"

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

static bool check(const double *params, char *why, size_t size) {
  for (int k = 0; k < 6; k++)
    if (!(params[BUSHING_C + k] >= 0)) {
      snprintf(why, size, "c[%d] is %g; a damper's coefficient must not be negative", k, params[BUSHING_C + k]);
      return false;
    }
  const bool right_F = is_rotation(params + BUSHING_X_AF), right_M = is_rotation(params + BUSHING_X_BM);
  if (!right_F || !right_M) snprintf(why, size, "the R of %s is not a rotation to 1e-9", right_F ? "X_BM" : "X_AF");
  return right_F && right_M;
}

#define SIX(name) name, name, name, name, name, name
#define TWELVE(name) SIX(name), SIX(name)

const force_kind cdni_force_linear_bushing = {
  .name = "linear_bushing",
  .element_size = sizeof(bushing),
  .n_params = BUSHING_PARAMS,
  .param_names = { SIX("k"), SIX("c"), TWELVE("X_AF"), TWELVE("X_BM") },
  .check = check,
  .parts = { { .reads = CDN_READS_POSITION, .potential = true, .bodies = true, .kernel = FORCE_KERNEL_bushing_elastic },
             { .reads = CDN_READS_VELOCITY, .bodies = true, .kernel = FORCE_KERNEL_bushing_damping } },
  .calc_potential = calc_potential,
  .fail = singular,
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
  double params[BUSHING_PARAMS];
  read_params(state, force, params);
  if (k) memcpy(params + BUSHING_K, k, 6 * sizeof *k);
  if (c) memcpy(params + BUSHING_C, c, 6 * sizeof *c);
  return cdni_force_set(state, force, FORCE_LINEAR_BUSHING, "cdn_linear_bushing_set", params);
}

cdn_status cdn_linear_bushing_set_frames(cdn_state *state, cdn_force force, cdn_transform X_A, cdn_transform X_B) {
  double params[BUSHING_PARAMS];
  read_params(state, force, params);
  write_frame(params + BUSHING_X_AF, X_A);
  write_frame(params + BUSHING_X_BM, X_B);
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
  const double *frames = cdn_state_parameters(state, room->matter->frames);
  const bushing_place at = bushing_at(frames, cdni_matter_pose(room->matter, state), e, p);
  if (!at.regular) return singular(state, function, element->name);
  if (q) memcpy(q, at.q, sizeof at.q);
  if (!qdot) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  bushing_rates(&at, cdni_matter_twist(room->matter, state), e, qdot);
  return CDN_OK;
}
