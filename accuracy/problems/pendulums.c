/* Pendulums, and rows of four-bars, which move as one. */
#include "pendulums.h"

#include "mechanisms.h"
#include "tables.h"

static const cdn_vec3 o = { 0, 0, 0 }, z = { 0, 0, 1 };
static const long double half_turn = 3.141592653589793238462643383279502884L;

static void set(cdn_state *state, const double *q, const double *u) {
  MUST(state, cdn_state_set_q(state, q));
  MUST(state, cdn_state_set_u(state, u));
}

/* ---- one angle from the horizontal: theta'' = -k cos theta; x = { k, theta / pi, omega, four-bars } at the start
 * ---- */

static void angle_start(const problem *p, long double *x) { x[0] = p->x[1] * half_turn, x[1] = p->x[2]; }

/* of a row of n four-bars: (n + 1) / 3 + n kg m^2, (n + 1) / 2 + n kg m */
static long double stiffness(const problem *p) {
  const long double n = p->x[3];
  return n > 0 ? p->x[0] * ((n + 1) / 2 + n) / ((n + 1) / 3 + n) : p->x[0];
}

static void angle_rates(const void *self, long double t, const long double *x, long double *f) {
  (void)t;
  f[0] = x[1], f[1] = -stiffness(self) * cosl(x[0]);
}

static void angle_unfold(const problem *p, long double t, const long double *x, double *y) {
  (void)p, (void)t;
  y[0] = (double)x[0], y[1] = (double)x[1];
}

static const problem_equations angle = { 2, angle_start, angle_rates, angle_unfold };

/* 1 kg at the end of a rod of 1 m without mass */
static cdn_state *start_pin(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  const double q = p->x[1] * PI;
  add_pin(system, "pendulum", cdn_ground(), z, o, point_mass(1, cdn_v3(1, 0, 0)));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -p->x[0], 0));
  cdn_state *state = state_of(system);
  set(state, &q, &p->x[2]);
  return state;
}

static double a01_apart(const problem *p, cdn_state *truth, const double *row) {
  (void)p;
  /* rows are measured from the vertical, the other way round */
  return fmax(fabs(1.5 * PI - cdn_state_q(truth)[0] - row[1]), fabs(cdn_state_u(truth)[0] + row[2]));
}

static const char a01_source[] = "IFToMM A01, integrated with 20 digits";
static const published a01_table = { a01_source, 11, 3, table_a01[0], 1e-14, a01_apart };
static const published a01_late = { a01_source, 3, 3, table_a01[11], 1e-12, a01_apart };

const problem pendulum_a01 = {
  .name = "a01-pendulum",
  .what = "IFToMM A01: a pendulum, level at first, 10 s",
  .end = 10,
  .start = start_pin,
  .x = { 9.81, 1, 0 },
  .equations = &angle,
  .published = &a01_table,
};

const problem pendulum_a01_long = {
  .name = "a01-2000s",
  .what = "the same for 2000 s, 845 periods",
  .end = 2000,
  .start = start_pin,
  .x = { 9.81, 1, 0 },
  .equations = &angle,
  .published = &a01_late,
};

const problem pendulum_longest = {
  .name = "pendulum-1e4s",
  .what = "a pendulum of 60 degrees, 1e4 s, 4600 periods",
  .end = 1e4,
  .start = start_pin,
  .x = { 9.81, -1. / 6, 0 },
  .equations = &angle,
};

/* u' = -sin v, v' = u is an angle from the vertical */
static void ark_start(const problem *p, long double *x) { (void)p, x[0] = 1 - half_turn / 2, x[1] = 1.5L; }

static const problem_equations ark_angle = { 2, ark_start, angle_rates, angle_unfold };

static cdn_state *start_ark(const problem *p) {
  cdn_state *state = start_pin(p);
  set(state, (double[]){ 1 - PI / 2 }, (double[]){ 1.5 });
  return state;
}

static double ark_apart(const problem *p, cdn_state *truth, const double *row) {
  (void)p;
  return fmax(fabs(cdn_state_u(truth)[0] - row[1]), fabs(cdn_state_q(truth)[0] + PI / 2 - row[2]));
}

static const double ark_row[] = { 10, 0.50868284995938797158, 2.0435263235208638522 };
static const published ark_end = {
  "SUNDIALS, ark_pendulum, integrated with 20 digits", 1, 3, ark_row, 1e-14, ark_apart
};

const problem pendulum_ark = {
  .name = "ark-pendulum",
  .what = "SUNDIALS' ark_pendulum, 10 s",
  .end = 10,
  .start = start_ark,
  .x = { 1 },
  .equations = &ark_angle,
  .published = &ark_end,
};

/* ---- rows of four-bars ---- */

/* cranks and couplers in the order in which mechanisms.c adds them */
static void ladder_unfold(const problem *p, long double t, const long double *x, double *y) {
  const int n = (int)p->x[3], nq = 2 * n + 1;
  (void)t;
  for (int i = 0; i < nq; i++) {
    const int sign = i <= n ? 1 : -1;
    y[i] = (double)(sign * x[0]), y[nq + i] = (double)(sign * x[1]);
  }
}

static const problem_equations ladder_equations = { 2, angle_start, angle_rates, ladder_unfold };

static cdn_state *start_ladder(const problem *p) { return make_ladder((int)p->x[3]).state; }
static cdn_state *start_pinned_ladder(const problem *p) { return make_pinned_ladder((int)p->x[3]).state; }

static double ladder_apart(const problem *p, cdn_state *truth, const double *row) {
  (void)p;
  return fmax(fabs(cdn_state_q(truth)[0] - row[1]), fabs(cdn_state_u(truth)[0] - row[2]));
}

static const char a02_source[] = "IFToMM A02, integrated with 20 digits";
static const published a02_1 = { a02_source, 11, 3, table_a02_1[0], 5e-14, ladder_apart };
static const published a02_2 = { a02_source, 11, 3, table_a02_2[0], 5e-14, ladder_apart };

#define LADDER(n, begin) .end = 20, .start = begin, .x = { 9.81, 0.5, -1, n }, .equations = &ladder_equations
const problem ladder_1 = { .name = "a02-ladder-1",
                           .what = "IFToMM A02, one four-bar through its flat pose, 20 s",
                           LADDER(1, start_ladder),
                           .published = &a02_1 };
const problem ladder_2 = {
  .name = "a02-ladder-2", .what = "IFToMM A02, 2 four-bars", LADDER(2, start_ladder), .published = &a02_2
};
const problem ladder_5 = { .name = "a02-ladder-5", .what = "IFToMM A02, 5 four-bars", LADDER(5, start_ladder) };
const problem ladder_10 = { .name = "a02-ladder-10", .what = "IFToMM A02, 10 four-bars", LADDER(10, start_ladder) };
const problem ladder_pinned_5 = { .name = "ladder-pinned-5",
                                  .what = "5 four-bars closed by pins, 3 of 5 equations too many",
                                  LADDER(5, start_pinned_ladder) };

/* ---- a point on a rod ---- */

static void level_start(const problem *p, long double *x) { (void)p, x[0] = x[1] = 0; }

static void rod_rates(const void *self, long double t, const long double *x, long double *f) {
  (void)self, (void)t;
  f[0] = x[1], f[1] = -13.750371636040745654980191559621114395801712L * cosl(x[0]);
}

static void rod_unfold(const problem *p, long double t, const long double *x, double *y) {
  const long double c = cosl(x[0]), s = sinl(x[0]);
  (void)p, (void)t;
  y[0] = (double)c, y[1] = (double)s, y[2] = 0;
  y[3] = (double)(-s * x[1]), y[4] = (double)(c * x[1]), y[5] = 0;
}

static const problem_equations rod_equations = { 2, level_start, rod_rates, rod_unfold };

static cdn_state *start_rod(const problem *p) { return (void)p, make_rod_pendulum().state; }

static double rod_apart(const problem *p, cdn_state *truth, const double *row) {
  const double *q = cdn_state_q(truth), *u = cdn_state_u(truth);
  (void)p, (void)row;
  return fmax(fmax(fabs(q[0] - 1), fabs(q[1])), fmax(fabs(u[0]), fabs(u[1])));
}

static const double rod_row[] = { 30 };
static const published rod_end = {
  "SUNDIALS, cvPendulum: back at the start after 15 periods", 1, 1, rod_row, 1e-13, rod_apart
};

const problem pendulum_rod = {
  .name = "cv-pendulum",
  .what = "SUNDIALS' cvPendulum: a point on a rod, 15 periods of 2 s",
  .end = 30,
  .start = start_rod,
  .equations = &rod_equations,
  .published = &rod_end,
};

/* ---- a spherical pendulum: 60 degrees from the vertical, 1 m/s across ---- */

static void sphere_start(const problem *p, long double *x) {
  (void)p;
  x[0] = sqrtl(0.75L), x[1] = 0, x[2] = -0.5L, x[3] = 0, x[4] = 1, x[5] = 0;
}

/* the rod pulls with v^2 - z g a metre */
static void sphere_rates(const void *self, long double t, const long double *x, long double *f) {
  const long double pull = x[3] * x[3] + x[4] * x[4] + x[5] * x[5] - 9.81L * x[2];
  (void)self, (void)t;
  for (int i = 0; i < 3; i++) f[i] = x[3 + i], f[3 + i] = -pull * x[i] - (i == 2 ? 9.81L : 0);
}

static void sphere_unfold(const problem *p, long double t, const long double *x, double *y) {
  (void)p, (void)t;
  for (int i = 0; i < 6; i++) y[i] = (double)x[i];
}

static const problem_equations sphere_equations = { 6, sphere_start, sphere_rates, sphere_unfold };

static cdn_state *start_sphere(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body bob = add_mobile(system, "bob", cdn_ground(), CDN_TRANSLATION, point_mass(1, o));
  (void)p;
  cdn_system_constrain_rod(system, "rod", cdn_ground(), o, bob, o, 1);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_state *state = state_of(system);
  set(state, (double[]){ sqrt(0.75), 0, -0.5 }, (double[]){ 0, 1, 0 });
  return state;
}

static double sphere_apart(const problem *p, cdn_state *truth, const double *row) {
  (void)p;
  return fabs(cdn_state_q(truth)[2] - row[1]);
}

/* after half a period of the height, and after 9 whole ones */
static const double sphere_rows[2][2] = { { 0.5388495161403777, -0.9620203544430453 }, { 9.6992912905267990, -0.5 } };
static const published sphere_heights = {
  "heights at the turning points, in closed form", 2, 2, sphere_rows[0], 1e-14, sphere_apart
};

const problem pendulum_spherical = {
  .name = "spherical-pendulum",
  .what = "a point on a rod, in space, 10 s",
  .end = 10,
  .start = start_sphere,
  .equations = &sphere_equations,
  .published = &sphere_heights,
};

/* ---- two points on rods of 1 m without mass; x = { first, second angle from the vertical, over pi } ---- */

/* From the very doubles that the State starts from, and with its gravity: chaotic motions amplify their rounding,
 * too. */
static void double_start(const problem *p, long double *x) {
  const double first = p->x[0] * PI, second = (p->x[1] - p->x[0]) * PI;
  x[0] = first, x[1] = x[0] + second, x[2] = x[3] = 0;
}

static void double_rates(const void *self, long double t, const long double *x, long double *f) {
  const long double g = 9.81, c = cosl(x[0] - x[1]), s = sinl(x[0] - x[1]), det = 2 - c * c;
  const long double a = -s * x[3] * x[3] - 2 * g * sinl(x[0]), b = s * x[2] * x[2] - g * sinl(x[1]);
  (void)self, (void)t;
  f[0] = x[2], f[1] = x[3], f[2] = (a - c * b) / det, f[3] = (2 * b - c * a) / det;
}

static void double_unfold(const problem *p, long double t, const long double *x, double *y) {
  (void)p, (void)t;
  y[0] = (double)x[0], y[1] = (double)(x[1] - x[0]), y[2] = (double)x[2], y[3] = (double)(x[3] - x[2]);
}

static const problem_equations double_equations = { 4, double_start, double_rates, double_unfold };

static cdn_state *start_double(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_vec3 end = cdn_v3(0, -1, 0);
  const cdn_body first = add_pin(system, "upper", cdn_ground(), z, o, point_mass(1, end));
  add_pin(system, "lower", first, z, end, point_mass(1, end));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  cdn_state *state = state_of(system);
  set(state, (double[]){ p->x[0] * PI, (p->x[1] - p->x[0]) * PI }, (double[]){ 0, 0 });
  return state;
}

static double double_apart(const problem *p, cdn_state *truth, const double *row) {
  const double *q = cdn_state_q(truth), *u = cdn_state_u(truth);
  (void)p;
  return fmax(fmax(fabs(q[0] - row[1]), fabs(q[0] + q[1] - row[2])),
              fmax(fabs(u[0] - row[3]), fabs(u[0] + u[1] - row[4])));
}

static const published double_table = { "integrated with 20 digits", 20,    5,
                                        table_double_pendulum[0],    1e-12, double_apart };

const problem pendulum_double = {
  .name = "double-pendulum",
  .what = "two points on rods, level at first, 10 s",
  .end = 10,
  .start = start_double,
  .x = { 0.5, 0.5 },
  .equations = &double_equations,
  .published = &double_table,
  .chaotic = true,
};

const problem pendulum_double_small = {
  .name = "double-pendulum-60",
  .what = "the same from 60 and 30 degrees, 30 s",
  .end = 30,
  .start = start_double,
  .x = { 1. / 3, 1. / 6 },
  .equations = &double_equations,
};

/* High and at rest: errors grow about tenfold in two or three seconds, on the way over the top most of all. */
#define CHAOS(seconds, first, second)                                              \
  const problem pendulum_chaos_##seconds = {                                       \
    .name = "double-pendulum-" #seconds "s",                                       \
    .what = "the same from " #first " and " #second " half turns, " #seconds " s", \
    .end = seconds,                                                                \
    .start = start_double,                                                         \
    .x = { first, second },                                                        \
    .equations = &double_equations,                                                \
    .chaotic = true,                                                               \
  };
CHAOS(5, 0.97, 0.6)
CHAOS(8, 0.8, 0.9)
CHAOS(12, 0.7, -0.4)
CHAOS(16, 0.6, 0.9)
CHAOS(20, 0.75, 0.75)
CHAOS(25, 0.45, 0.7)
CHAOS(30, 0.9, -0.8)
CHAOS(40, 0.55, 0.5)

/* ---- a pendulum of 0.7 m on a base that a motion shakes: theta'' = -(g sin theta + x'' cos theta) / l ---- */

static const double shaken_length = 0.7, shake = 0.15, shake_rate = 7, shake_phase = 0.4;

static void shaken_start(const problem *p, long double *x) { (void)p, x[0] = 0.8, x[1] = 0; }

static void shaken_rates(const void *self, long double t, const long double *x, long double *f) {
  const long double w = shake_rate, a = -(long double)shake * w * w * sinl(w * t + shake_phase);
  (void)self;
  f[0] = x[1], f[1] = -(9.81 * sinl(x[0]) + a * cosl(x[0])) / shaken_length;
}

static void shaken_unfold(const problem *p, long double t, const long double *x, double *y) {
  const long double phase = shake_rate * t + shake_phase;
  (void)p;
  y[0] = (double)(shake * sinl(phase)), y[1] = (double)x[0];
  y[2] = (double)(shake * shake_rate * cosl(phase)), y[3] = (double)x[1];
}

static const problem_equations shaken_equations = { 2, shaken_start, shaken_rates, shaken_unfold };

static cdn_state *start_shaken(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body base = add_mobile(system, "base", cdn_ground(), CDN_SLIDER, point_mass(3, o));
  add_pin(system, "bob", base, z, o, point_mass(1, cdn_v3(0, -shaken_length, 0)));
  cdn_motion_def def = cdn_default_motion_def();
  (void)p;
  def.body = base;
  def.params[0] = shake, def.params[1] = shake_rate, def.params[2] = shake_phase;
  cdn_system_add_motion(system, &def);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  cdn_state *state = state_of(system);
  set(state, (double[]){ shake * sin(shake_phase), 0.8 }, (double[]){ shake * shake_rate * cos(shake_phase), 0 });
  return state;
}

const problem pendulum_shaken = {
  .name = "shaken-pendulum",
  .what = "a pendulum on a base that a prescribed motion shakes, 10 s",
  .end = 10,
  .start = start_shaken,
  .equations = &shaken_equations,
};
