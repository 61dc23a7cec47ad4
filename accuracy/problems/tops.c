/* Rigid bodies that spin: free ones, thrown ones, heavy ones. */
#include "tops.h"

#include "mechanisms.h"
#include "tables.h"

/* x = { I1, I2, I3, w1, w2, w3 } in the body's axes, which are Ground's to begin with, but for the heavy top's */

/* ---- Euler's equations: quaternion, angular velocity in the body ---- */

static void spin_start(const problem *p, long double *x) {
  x[0] = 1, x[1] = x[2] = x[3] = 0;
  for (int i = 0; i < 3; i++) x[4 + i] = p->x[3 + i];
}

static void turn_rates(const long double *e, const long double *w, long double *f) {
  f[0] = (-e[1] * w[0] - e[2] * w[1] - e[3] * w[2]) / 2;
  f[1] = (e[0] * w[0] + e[2] * w[2] - e[3] * w[1]) / 2;
  f[2] = (e[0] * w[1] + e[3] * w[0] - e[1] * w[2]) / 2;
  f[3] = (e[0] * w[2] + e[1] * w[1] - e[2] * w[0]) / 2;
}

static void euler_rates(const long double *I, const long double *w, const long double *torque, long double *f) {
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    f[i] = ((I[j] - I[k]) * w[j] * w[k] + torque[i]) / I[i];
  }
}

static void spin_rates(const void *self, long double t, const long double *x, long double *f) {
  const problem *p = self;
  const long double I[3] = { p->x[0], p->x[1], p->x[2] }, none[3] = { 0, 0, 0 };
  (void)t;
  turn_rates(x, x + 4, f);
  euler_rates(I, x + 4, none, f + 4);
}

/* v in Ground's axes, of v in the body's */
static void rotate(const long double *e, const long double *v, long double *out) {
  const long double s = e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3];
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const long double *a = e + 1;
    /* v + 2 e0 (a x v) + 2 a x (a x v) */
    const long double dot = a[0] * v[0] + a[1] * v[1] + a[2] * v[2], aa = a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    out[i] = v[i] + 2 / s * (e[0] * (a[j] * v[k] - a[k] * v[j]) + a[i] * dot - v[i] * aa);
  }
}

static void spin_unfold(const problem *p, long double t, const long double *x, double *y) {
  long double w[3];
  (void)p, (void)t;
  rotate(x, x + 4, w);
  for (int i = 0; i < 4; i++) y[i] = (double)x[i];
  for (int i = 0; i < 3; i++) y[4 + i] = (double)w[i];
}

static const problem_equations spin = { 7, spin_start, spin_rates, spin_unfold };

static cdn_state *start_spin(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  add_mobile(system, "top", cdn_ground(), CDN_BALL, solid(1, cdn_v3(0, 0, 0), p->x[0], p->x[1], p->x[2]));
  cdn_state *state = state_of(system);
  MUST(state, cdn_state_set_u(state, p->x + 3));
  return state;
}

/* Rows of quaternion and angular velocity in the body. */
static double spin_apart(const problem *p, cdn_state *truth, const double *row) {
  const cdn_body body = { 1 };
  cdn_transform X;
  cdn_spatial V;
  (void)p;
  MUST(truth, cdn_body_pose(truth, body, &X));
  MUST(truth, cdn_body_velocity(truth, body, &V));
  const cdn_rotation R = cdn_rotation_from_quaternion((cdn_quaternion){ row[1], row[2], row[3], row[4] });
  const double x = cdn_norm(cdn_sub(X.R.x, R.x)), z = cdn_norm(cdn_sub(X.R.z, R.z));
  return fmax(fmax(x, z), cdn_norm(cdn_sub(cdn_rotate_inv(X.R, V.w), cdn_v3(row[5], row[6], row[7]))));
}

static const published i123_table = { "integrated with 20 digits", 20, 8, table_free_top[0], 1e-14, spin_apart };

const problem top_i123 = {
  .name = "free-top-123",
  .what = "a torque-free body of inertia 1, 2, 3, 20 s",
  .end = 20,
  .start = start_spin,
  .x = { 1, 2, 3, 0.6, 0.4, 0.9 },
  .equations = &spin,
  .published = &i123_table,
};

const problem top_i123_long = {
  .name = "free-top-123-500s",
  .what = "the same for 500 s, 70 periods",
  .end = 500,
  .start = start_spin,
  .x = { 1, 2, 3, 0.6, 0.4, 0.9 },
  .equations = &spin,
};

#define SPIN(label, text, duration, I1, I2, I3, w1, w2, w3)                                             \
  {                                                                                                     \
    .name = label, .what = text, .end = duration, .start = start_spin, .x = { I1, I2, I3, w1, w2, w3 }, \
    .equations = &spin                                                                                  \
  }

const problem top_symmetric_5 = SPIN(
    "top-axis-5", "a symmetric top about its axis and a little beside it, 5 rad/s, 20 s", 20, 0.3, 0.3, 0.5, 0.5, 0, 5);
const problem top_symmetric_40 = SPIN("top-axis-40", "the same, 40 rad/s", 20, 0.3, 0.3, 0.5, 4, 0, 40);
const problem top_symmetric_150 = SPIN("top-axis-150", "the same, 150 rad/s, 10 s", 10, 0.3, 0.3, 0.5, 15, 0, 150);
const problem top_across_5 =
    SPIN("top-across-5", "a symmetric top about an axis across, 5 rad/s, 20 s", 20, 0.3, 0.3, 0.5, 5, 0, 0.5);
const problem top_across_150 = SPIN("top-across-150", "the same, 150 rad/s, 10 s", 10, 0.3, 0.3, 0.5, 0, 150, 15);
const problem top_first_5 =
    SPIN("top-first-5", "an asymmetric top near its first axis, 5 rad/s, 20 s", 20, 1, 2, 2.5, 5, 0.3, 0.4);
const problem top_first_150 = SPIN("top-first-150", "the same, 150 rad/s, 10 s", 10, 1, 2, 2.5, 150, 9, 12);
const problem top_middle_2 =
    SPIN("top-middle-2", "an asymmetric top near its middle axis, 2 rad/s, 20 s", 20, 1, 2, 2.5, 0.3, 2, 0.5);
const problem top_middle_5 =
    SPIN("top-middle-5", "an asymmetric top near its middle axis, which is unstable, 5 rad/s, 10 s", 10, 1, 2, 2.5, 0.5,
         5, 0.5);
const problem top_middle_40 = SPIN("top-middle-40", "the same, 40 rad/s, 2 s", 2, 1, 2, 2.5, 4, 40, 4);
const problem top_third_5 =
    SPIN("top-third-5", "an asymmetric top near its third axis, 5 rad/s, 20 s", 20, 1, 2, 2.5, 0.4, 0.3, 5);
const problem top_third_40 = SPIN("top-third-40", "the same, 40 rad/s", 20, 1, 2, 2.5, 3, 2, 40);
const problem top_third_150 = SPIN("top-third-150", "the same, 150 rad/s, 10 s", 10, 1, 2, 2.5, 12, 9, 150);
const problem top_third_long = SPIN("top-third-15-500s", "the same, 15 rad/s for 500 s", 500, 1, 2, 2.5, 1, 1, 15);

/* ---- the box: 0.1 x 0.4 x 0.9 m, 10 kg, thrown ---- */

static const double box_v[3] = { -2, 2, 8 };

static void box_unfold(const problem *p, long double t, const long double *x, double *y) {
  double turning[7];
  spin_unfold(p, t, x, turning);
  memcpy(y, turning, 4 * sizeof *y);
  memcpy(y + 7, turning + 4, 3 * sizeof *y);
  for (int i = 0; i < 3; i++) {
    const long double fall = i == 2 ? 9.81 : 0;
    y[4 + i] = (double)(box_v[i] * t - fall * t * t / 2);
    y[10 + i] = (double)(box_v[i] - fall * t);
  }
}

static const problem_equations box_equations = { 7, spin_start, spin_rates, box_unfold };

static cdn_state *start_box(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  const double u[6] = { p->x[3], p->x[4], p->x[5], box_v[0], box_v[1], box_v[2] };
  add_mobile(system, "box", cdn_ground(), CDN_FREE, solid(10, cdn_v3(0, 0, 0), p->x[0], p->x[1], p->x[2]));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_state *state = state_of(system);
  MUST(state, cdn_state_set_u(state, u));
  return state;
}

static const published box_table = {
  "the benchmark of boxes, integrated with 20 digits", 20, 8, table_box[0], 1e-11, spin_apart
};

const problem top_box = {
  .name = "box",
  .what = "a box that flips about its middle axis as it flies, 10 s",
  .end = 10,
  .start = start_box,
  .x = { 10 * (0.4 * 0.4 + 0.9 * 0.9) / 12, 10 * (0.1 * 0.1 + 0.9 * 0.9) / 12, 10 * (0.1 * 0.1 + 0.4 * 0.4) / 12, 0.1,
         5, 0.1 },
  .equations = &box_equations,
  .published = &box_table,
  .chaotic = true,
};

/* ---- heavy tops: 4 kg, 0.25 m from the tip; about the tip I = x[0], x[0], x[2]; 60 degrees from the vertical, w in
 * the body ---- */

static const double weight = 4 * 9.81, arm = 0.25;

static void heavy_start(const problem *p, long double *x) {
  spin_start(p, x);
  x[0] = cosl(0.5235987755982988730771L), x[1] = 0.5L;
}

static void heavy_rates(const void *self, long double t, const long double *x, long double *f) {
  const problem *p = self;
  const long double I[3] = { p->x[0], p->x[1], p->x[2] }, back[4] = { x[0], -x[1], -x[2], -x[3] };
  const long double up[3] = { 0, 0, 1 };
  long double up_B[3], torque[3];
  (void)t;
  rotate(back, up, up_B);
  torque[0] = arm * weight * up_B[1], torque[1] = -arm * weight * up_B[0], torque[2] = 0;
  turn_rates(x, x + 4, f);
  euler_rates(I, x + 4, torque, f + 4);
}

static const problem_equations heavy_on_ball = { 7, heavy_start, heavy_rates, spin_unfold };

/* the centre is where the body's origin is */
static void heavy_unfold(const problem *p, long double t, const long double *x, double *y) {
  const long double axis[3] = { 0, 0, arm };
  long double c[3], w[3];
  double turning[7];
  spin_unfold(p, t, x, turning);
  rotate(x, axis, c), rotate(x, x + 4, w);
  memcpy(y, turning, 4 * sizeof *y);
  memcpy(y + 7, turning + 4, 3 * sizeof *y);
  for (int i = 0; i < 3; i++) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    y[4 + i] = (double)c[i], y[10 + i] = (double)(w[j] * c[k] - w[k] * c[j]);
  }
}

static const problem_equations heavy_on_tip = { 7, heavy_start, heavy_rates, heavy_unfold };

static void place_heavy(const problem *p, cdn_state *state) {
  double y[13];
  long double x[7];
  const int nq = cdn_system_nq(cdn_state_system(state));
  heavy_start(p, x);
  p->equations->unfold(p, 0, x, y);
  MUST(state, cdn_state_set_q(state, y));
  MUST(state, cdn_state_set_u(state, y + nq));
}

static cdn_state *start_heavy(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  const double across = p->x[0] - 4 * arm * arm;
  add_mobile(system, "top", cdn_ground(), CDN_BALL, solid(4, cdn_v3(0, 0, arm), across, across, p->x[2]));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_state *state = state_of(system);
  place_heavy(p, state);
  return state;
}

static cdn_state *start_heavy_on_tip(const problem *p) {
  cdn_state *state = make_top().state;
  place_heavy(p, state);
  return state;
}

/* the lowest and the highest lean in turn, with the time between them */
static double lean_apart(const problem *p, cdn_state *truth, const double *row) {
  const cdn_body body = { 1 };
  cdn_transform X;
  (void)p;
  MUST(truth, cdn_body_pose(truth, body, &X));
  return fabs(X.R.z.z - row[1]);
}

#define NUTATION 0.3286441817635279628
static const double lean_rows[3][2] = { { NUTATION / 2, 0.4191335115385214 },
                                        { NUTATION, 0.5 },
                                        { 9.5 * NUTATION, 0.4191335115385214 } };
static const published lean = { "lean at the turning points, in closed form", 3, 2, lean_rows[0], 1e-13, lean_apart };

const problem top_heavy = {
  .name = "heavy-top",
  .what = "a heavy symmetric top on a ball joint, 40 rad/s, 5 s",
  .end = 5,
  .start = start_heavy,
  .x = { 0.5, 0.5, 0.25, 0, 0, 40 },
  .equations = &heavy_on_ball,
  .published = &lean,
};
const problem top_heavy_long = {
  .name = "heavy-top-100s",
  .what = "the same for 100 s",
  .end = 100,
  .start = start_heavy,
  .x = { 0.5, 0.5, 0.25, 0, 0, 40 },
  .equations = &heavy_on_ball,
};
const problem top_heavy_tip = {
  .name = "heavy-top-tip",
  .what = "a free top held at its tip by a constraint, 40 rad/s, 5 s",
  .end = 5,
  .start = start_heavy_on_tip,
  .x = { 0.5, 0.5, 0.25, 0, 0, 40 },
  .equations = &heavy_on_tip,
  .published = &lean,
};

/* ---- a point that a star attracts: ellipse of eccentricity 0.6 ---- */

static void orbit_start(const problem *p, long double *x) { (void)p, x[0] = 0.4L, x[1] = x[2] = 0, x[3] = 2; }

static void orbit_rates(const void *self, long double t, const long double *x, long double *f) {
  const long double r = hypotl(x[0], x[1]), k = -1 / (r * r * r);
  (void)self, (void)t;
  f[0] = x[2], f[1] = x[3], f[2] = k * x[0], f[3] = k * x[1];
}

static void orbit_unfold(const problem *p, long double t, const long double *x, double *y) {
  (void)p, (void)t;
  y[0] = (double)x[0], y[1] = (double)x[1], y[2] = 0;
  y[3] = (double)x[2], y[4] = (double)x[3], y[5] = 0;
}

static const problem_equations orbit_equations = { 4, orbit_start, orbit_rates, orbit_unfold };

static cdn_status attract(const void *self, cdn_state *state, cdn_forces *forces) {
  const cdn_body body = { 1 };
  const double *q = cdn_body_q(state, body), r = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
  (void)self;
  for (int i = 0; i < 3; i++) cdn_forces_add_mobility(forces, body, i, -q[i] / (r * r * r));
  return CDN_OK;
}

static cdn_state *start_orbit(const problem *p) {
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = attract };
  cdn_system *system = cdn_system_create(NULL);
  (void)p;
  ops.subsystem.name = "star";
  add_mobile(system, "planet", cdn_ground(), CDN_TRANSLATION, point_mass(1, cdn_v3(0, 0, 0)));
  cdn_system_add_custom_force(system, &ops, NULL);
  cdn_state *state = state_of(system);
  MUST(state, cdn_state_set_q(state, (double[]){ 0.4, 0, 0 }));
  MUST(state, cdn_state_set_u(state, (double[]){ 0, 2, 0 }));
  return state;
}

/* back at the start after each turn */
static double orbit_apart(const problem *p, cdn_state *truth, const double *row) {
  const double *q = cdn_state_q(truth), *u = cdn_state_u(truth);
  (void)p, (void)row;
  return fmax(fmax(fabs(q[0] - 0.4), fabs(q[1])), fmax(fabs(u[0]), fabs(u[1] - 2)));
}

static const double orbit_rows[] = { 2 * PI, 20 * PI };
static const published orbit_ends = { "back at the start after 1 and 10 turns", 2, 1, orbit_rows, 1e-12, orbit_apart };

const problem top_orbit = {
  .name = "orbit",
  .what = "a planet on an ellipse of eccentricity 0.6, 20 turns",
  .end = 125,
  .start = start_orbit,
  .equations = &orbit_equations,
  .published = &orbit_ends,
};
