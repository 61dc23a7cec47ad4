/* Spring and stop on the rotation angle of a ball or free mobilizer: elements/rotation.h has their formulas. */
#include <math.h>
#include <stdio.h>

#include "forces/derivatives.h"
#include "forces/elements/rotation.h"

/* d(theta n) by a further small turn in F: T = 1 - [phi x]/2 + c [phi x]^2, phi = theta n, the inverse of the tangent
 * of the exponential map; c = (1 - theta/2 cot(theta/2)) / theta^2. By columns. */
static m3 turn_of_vector(double theta, v3 n) {
  const double half = 0.5 * theta;
  /* The quotient loses all digits near zero, where four terms of its series have them. */
  const double t = theta * theta;
  const double c_t = theta < 0.1 ? t * (1.0 / 12 + t * (1.0 / 720 + t * (1.0 / 30240 + t / 1209600)))
                                 : 1 - half * cos(half) / sin(half);
  static const v3 unit[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  v3 column[3];
  for (int k = 0; k < 3; k++) {
    const v3 cross = v3_cross(n, unit[k]);
    column[k] = v3_fma(c_t, v3_cross(n, cross), v3_fma(-half, cross, unit[k]));
  }
  return (m3){ column[0], column[1], column[2] };
}

/* ---- spring ---- */

/* The moment over the angle. */
static double stiffness(const double *p, double theta) {
  return p[ROTATION_K] + theta * (p[ROTATION_K2] + theta * p[ROTATION_K3]);
}

static cdn_status calc_spring_potential(const force_batch *b, cdn_state *state, double *energy) {
  const force_mobility *at = b->elements;
  const double *q;
  CDNI_TRY(force_q(b, state, &q));
  for (int i = 0; i < b->n; i++) {
    if (!force_is_on(b, i)) continue;
    const double *p = b->params + ROTATION_SPRING_PARAMS * i;
    double theta;
    axis_and_angle(q + at[i].q, p + ROTATION_R0, &theta);
    *energy += theta * theta * (p[ROTATION_K] / 2 + theta * (p[ROTATION_K2] / 3 + theta * p[ROTATION_K3] / 4));
  }
  return CDN_OK;
}

static cdn_status derivative_of_spring(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  const force_mobility *at = b->elements;
  const double *q;
  CDNI_TRY(force_q(b, state, &q));
  for (int i = 0; i < b->n; i++) {
    if (!force_is_on(b, i)) continue;
    const double *p = b->params + ROTATION_SPRING_PARAMS * i;
    double theta;
    v3 n = axis_and_angle(q + at[i].q, p + ROTATION_R0, &theta);
    const m3 T = turn_of_vector(theta, n);
    const double k = stiffness(p, theta), rise = theta * (p[ROTATION_K2] + 2 * theta * p[ROTATION_K3]);
    const m3 dq = { v3_fma(-rise * n.x, n, v3_scale(-k, T.x)), v3_fma(-rise * n.y, n, v3_scale(-k, T.y)),
                    v3_fma(-rise * n.z, n, v3_scale(-k, T.z)) };
    derivative_of_three(out, at[i].u, &dq, NULL);
  }
  return CDN_OK;
}

/* The real part of the quaternion of R R0^T: zero at half a turn, where the shortest way is another one. */
static double half_turn(const double *q, const double *q0) {
  return q[0] * q0[0] + v3_dot(v3_load(q + 1), v3_load(q0 + 1));
}

static cdn_status calc_spring_kinks(const force_batch *b, cdn_state *state, double *values, double *rates) {
  const force_mobility *at = b->elements;
  const double *q;
  CDNI_TRY(force_q(b, state, &q));
  for (int i = 0; i < b->n; i++) {
    values[i] = force_is_on(b, i) ? half_turn(q + at[i].q, b->params + ROTATION_SPRING_PARAMS * i + ROTATION_R0) : NAN;
    rates[i] = NAN;
  }
  return CDN_OK;
}

/* The moment jumps from one end of its range to the other. */
static cdn_status spring_kink_force(const force_batch *b, cdn_state *state, int k, double x, double *f) {
  const force_mobility *at = b->elements;
  const double *p = b->params + ROTATION_SPRING_PARAMS * k, *q;
  double theta;
  (void)x;
  CDNI_TRY(force_q(b, state, &q));
  const v3 n = axis_and_angle(q + at[k].q, p + ROTATION_R0, &theta);
  for (int i = 0; i < 3; i++) f[at[k].u + i] += 2 * stiffness(p, theta) * theta * (&n.x)[i];
  return CDN_OK;
}

static bool check_spring(const double *params, char *reason, size_t size) {
  const double *e = params + ROTATION_R0;
  if (e[0] != 0 || e[1] != 0 || e[2] != 0 || e[3] != 0) return true;
  snprintf(reason, size, "the quaternion R0 is zero; (1, 0, 0, 0) is the identity");
  return false;
}

const force_kind cdni_force_rotation_spring = {
  .name = "rotation_spring",
  .element_size = sizeof(force_mobility),
  .n_params = ROTATION_SPRING_PARAMS,
  .params = { CDNI_ANY("k", "N m/rad"), CDNI_QUATERNION("R0"), CDNI_ANY("k2", "N m/rad^2"),
              CDNI_ANY("k3", "N m/rad^3") },
  .check = check_spring,
  .parts = { { .reads = CDN_READS_POSITION,
               .potential = true,
               .mobilities = true,
               .kernel = FORCE_KERNEL_rotation_spring } },
  .calc_potential = calc_spring_potential,
  .derivative = derivative_of_spring,
  .n_kinks = 1,
  .calc_kinks = calc_spring_kinks,
  .kink_force = spring_kink_force,
  .describe = cdni_describe_mobility,
};

static double largest_difference(cdn_vec3 a, cdn_vec3 b) {
  return fmax(fabs(a.x - b.x), fmax(fabs(a.y - b.y), fabs(a.z - b.z)));
}

/* False if R0 is not a rotation: its quaternion gives another matrix. */
static bool spring_params(double params[ROTATION_SPRING_PARAMS], double k, cdn_rotation R0) {
  const double numbers[] = { R0.x.x, R0.x.y, R0.x.z, R0.y.x, R0.y.y, R0.y.z, R0.z.x, R0.z.y, R0.z.z };
  if (!cdni_all_finite(numbers, 9, NULL)) return false;
  const cdn_quaternion e = cdn_quaternion_from_rotation(R0);
  const cdn_rotation R = cdn_rotation_from_quaternion(e);
  params[ROTATION_K] = k;
  memcpy(params + ROTATION_R0, (double[4]){ e.w, e.x, e.y, e.z }, 4 * sizeof *params);
  return largest_difference(R.x, R0.x) < 1e-9 && largest_difference(R.y, R0.y) < 1e-9 &&
         largest_difference(R.z, R0.z) < 1e-9;
}

static cdn_force add(cdn_system *system, const char *function, const char *name, cdn_body body, const double k[3],
                     cdn_rotation R0) {
  static const double none[3] = { NAN, NAN, NAN };
  force_adder a;
  double params[ROTATION_SPRING_PARAMS];
  if (!k) k = none;
  cdni_force_begin(&a, system, FORCE_ROTATION_SPRING, function, name);
  const force_mobility at = cdni_force_check_rotation(&a, body);
  if (!spring_params(params, k[0], R0)) cdni_adder_refuse(&a.by, CDN_ERR_ARG, "R0 is not a rotation to 1e-9");
  params[ROTATION_K2] = k[1], params[ROTATION_K3] = k[2];
  return cdni_force_add(&a, &at, params);
}

cdn_force cdn_system_add_rotation_spring(cdn_system *system, const char *name, cdn_body body, double k,
                                         cdn_rotation R0) {
  return add(system, "cdn_system_add_rotation_spring", name, body, (double[]){ k, 0, 0 }, R0);
}

cdn_force cdn_system_add_polynomial_rotation_spring(cdn_system *system, const char *name, cdn_body body,
                                                    const double k[3], cdn_rotation R0) {
  return add(system, "cdn_system_add_polynomial_rotation_spring", name, body, k, R0);
}

cdn_status cdn_rotation_spring_set(cdn_state *state, cdn_force force, double k, cdn_rotation R0) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const double *now = cdni_force_params(state, force, FORCE_ROTATION_SPRING);
  double params[ROTATION_SPRING_PARAMS] = { 0 };
  if (now) memcpy(params, now, sizeof params);
  if (!spring_params(params, k, R0))
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, cdn_force_name(cdn_state_system(state), force),
                           "R0 is not a rotation to 1e-9; nothing was changed");
  return cdni_force_set(state, force, FORCE_ROTATION_SPRING, __func__, params);
}

/* ---- stop: as mobility_stop.c, with x = theta - max_angle ---- */

static cdn_status calc_stop_potential(const force_batch *b, cdn_state *state, double *energy) {
  const force_mobility *at = b->elements;
  const double *q;
  CDNI_TRY(force_q(b, state, &q));
  for (int i = 0; i < b->n; i++) {
    const double *p = b->params + 3 * i;
    double theta;
    axis_and_angle(q + at[i].q, NULL, &theta);
    double x = theta - p[0];
    if (x > 0 && force_is_on(b, i)) *energy += 0.5 * p[1] * x * x;
  }
  return CDN_OK;
}

/* Of -k x (1 + d n.w) n, where dn = (T - n n^T) / theta: */
static cdn_status derivative_of_stop(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  const force_mobility *at = b->elements;
  const double *q, *u;
  CDNI_TRY(force_q(b, state, &q));
  CDNI_TRY(force_u(b, state, &u));
  for (int i = 0; i < b->n; i++) {
    const double *p = b->params + 3 * i;
    double theta;
    v3 n = axis_and_angle(q + at[i].q, NULL, &theta), w = v3_load(u + at[i].u);
    const double x = theta - p[0], growth = 1 + p[2] * v3_dot(n, w);
    if (!(x > 0) || !(growth > 0) || !force_is_on(b, i)) continue;
    m3 dn = m3_minus_outer(turn_of_vector(theta, n), n, n);
    dn = (m3){ v3_scale(1 / theta, dn.x), v3_scale(1 / theta, dn.y), v3_scale(1 / theta, dn.z) };
    /* -k (growth n n^T + x growth dn + x d n (w^T dn)) */
    const double a = -p[1] * x * growth;
    m3 dq = { v3_scale(a, dn.x), v3_scale(a, dn.y), v3_scale(a, dn.z) }, du = { v3_zero(), v3_zero(), v3_zero() };
    const v3 along = v3_fma(-p[1] * growth, n, v3_scale(-p[1] * x * p[2], m3_tmul(dn, w)));
    dq = m3_plus_outer(dq, n, along);
    du = m3_plus_outer(du, n, v3_scale(-p[1] * x * p[2], n));
    derivative_of_three(out, at[i].u, &dq, &du);
  }
  return CDN_OK;
}

/* Three kinks: where the bound is met or left, beyond it where damping lets go, and half a turn, where the axis turns
 * round. */
enum { AT_BOUND, LETS_GO, AT_HALF_TURN, STOP_KINKS };

static cdn_status calc_stop_kinks(const force_batch *b, cdn_state *state, double *values, double *rates) {
  const force_mobility *at = b->elements;
  const double *q, *u;
  CDNI_TRY(force_q(b, state, &q));
  CDNI_TRY(force_u(b, state, &u));
  for (int i = 0; i < b->n; i++, values += STOP_KINKS, rates += STOP_KINKS) {
    for (int k = 0; k < STOP_KINKS; k++) values[k] = rates[k] = NAN;
    if (!force_is_on(b, i)) continue;
    const double *p = b->params + 3 * i;
    double theta;
    const v3 n = axis_and_angle(q + at[i].q, NULL, &theta);
    values[AT_BOUND] = p[0] - theta;
    rates[AT_BOUND] = -v3_dot(n, v3_load(u + at[i].u));
    if (theta > p[0]) values[LETS_GO] = 1 - p[2] * rates[AT_BOUND];
    values[AT_HALF_TURN] = q[at[i].q];
  }
  return CDN_OK;
}

static cdn_status stop_kink_force(const force_batch *b, cdn_state *state, int k, double x, double *f) {
  const int i = k / STOP_KINKS, which = k % STOP_KINKS;
  const force_mobility *at = &((const force_mobility *)b->elements)[i];
  const double *p = b->params + 3 * i, *q, *u;
  double theta;
  CDNI_TRY(force_q(b, state, &q));
  CDNI_TRY(force_u(b, state, &u));
  const v3 n = axis_and_angle(q + at->q, NULL, &theta);
  const double depth = fmax(0, theta - p[0]), damping = 1 + p[2] * fabs(v3_dot(n, v3_load(u + at->u)));
  const double size = which == AT_BOUND  ? p[1] * x * damping
                      : which == LETS_GO ? p[1] * depth * x
                                         : 2 * p[1] * depth * damping;
  for (int j = 0; j < 3; j++) f[at->u + j] += size * (&n.x)[j];
  return CDN_OK;
}

const force_kind cdni_force_rotation_stop = {
  .name = "rotation_stop",
  .element_size = sizeof(force_mobility),
  .n_params = 3,
  .params = { CDNI_NOT_NEGATIVE("max_angle", "rad"), CDNI_POSITIVE("k", "N m/rad"), CDNI_NOT_NEGATIVE("d", "s/rad") },
  .parts = { { .reads = CDN_READS_POSITION,
               .potential = true,
               .mobilities = true,
               .kernel = FORCE_KERNEL_rotation_stop_elastic },
             { .reads = CDN_READS_VELOCITY, .mobilities = true, .kernel = FORCE_KERNEL_rotation_stop_dissipative } },
  .calc_potential = calc_stop_potential,
  .derivative = derivative_of_stop,
  .n_kinks = STOP_KINKS,
  .calc_kinks = calc_stop_kinks,
  .kink_force = stop_kink_force,
  .describe = cdni_describe_mobility,
};

cdn_force cdn_system_add_rotation_stop(cdn_system *system, const char *name, cdn_body body, double max_angle, double k,
                                       double d) {
  force_adder a;
  cdni_force_begin(&a, system, FORCE_ROTATION_STOP, "cdn_system_add_rotation_stop", name);
  const force_mobility at = cdni_force_check_rotation(&a, body);
  const double params[] = { max_angle, k, d };
  return cdni_force_add(&a, &at, params);
}

cdn_status cdn_rotation_stop_set(cdn_state *state, cdn_force force, double max_angle, double k, double d) {
  const double params[] = { max_angle, k, d };
  return cdni_force_set(state, force, FORCE_ROTATION_STOP, "cdn_rotation_stop_set", params);
}
