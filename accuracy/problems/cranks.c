/* Slider-cranks, gentle and whipping. A crank turns about the origin by q, a slider is at (s, 0), a rod is pinned to it
 * with an angle p: a (cos q, sin q) + l (cos p, sin p) = (s, 0). */
#include "cranks.h"

#include "elimination.h"
#include "mechanisms.h"
#include "tables.h"

/* Crank and rod are uniform and of 1 kg, but for SUNDIALS'. ANGLE and RATE are the crank's at the start, the angle over
 * pi. */
enum { CRANK, ROD, SLIDER_MASS, GRAVITY, ANGLE, RATE };

static const cdn_vec3 o = { 0, 0, 0 }, z = { 0, 0, 1 };
static const long double half_turn = 3.141592653589793238462643383279502884L;

static bool is_of_sundials(const problem *p) { return p == &crank_sundials; }

/* ---- equations: x = q, s, p and their rates ---- */

static void place_others(const problem *p, long double q, long double w, long double *x) {
  const long double a = p->x[CRANK], l = p->x[ROD], rod = asinl(-a * sinl(q) / l);
  const long double rod_rate = -a * cosl(q) * w / (l * cosl(rod));
  x[0] = q, x[1] = a * cosl(q) + l * cosl(rod), x[2] = rod;
  x[3] = w, x[4] = -a * sinl(q) * w - l * sinl(rod) * rod_rate, x[5] = rod_rate;
}

static void crank_start(const problem *p, long double *x) { place_others(p, p->x[ANGLE] * half_turn, p->x[RATE], x); }

/* The mass matrix and the forces of bodies that are not joined yet. */
static void uniform_rods(const problem *p, const long double *x, long double *M, long double *f) {
  const long double a = p->x[CRANK], l = p->x[ROD], g = p->x[GRAVITY];
  M[0] = a * a / 3, M[4] = p->x[SLIDER_MASS] + 1, M[8] = l * l / 3;
  M[5] = M[7] = l / 2 * sinl(x[2]);
  f[0] = -g * a / 2 * cosl(x[0]);
  f[1] = -l / 2 * cosl(x[2]) * x[5] * x[5];
  f[2] = g * l / 2 * cosl(x[2]);
}

/* A spring and a damper (k = c = 1, 1 m) between the middles of crank and rod, and 1 N at a point beyond the slider. */
static void rods_of_sundials(const long double *x, long double *M, long double *f) {
  const long double c = cosl(x[0]), s = sinl(x[0]), cp = cosl(x[2]), sp = sinl(x[2]), a = 0.25L, b = 0.5L;
  const long double r[2] = { x[1] - b * cp - a * c, -b * sp - a * s };
  const long double v[2] = { x[4] + b * sp * x[5] + a * s * x[3], -b * cp * x[5] - a * c * x[3] };
  const long double length = hypotl(r[0], r[1]), rate = (r[0] * v[0] + r[1] * v[1]) / length;
  const long double pull = (length - 1 + rate) / length;
  M[0] = 1, M[4] = 1, M[8] = 2;
  f[0] = pull * (-a * s * r[0] + a * c * r[1]);
  f[1] = 1 - pull * r[0];
  f[2] = -sp - pull * (b * sp * r[0] - b * cp * r[1]);
}

static void crank_rates(const void *self, long double t, const long double *x, long double *f) {
  const problem *p = self;
  const long double a = p->x[CRANK], l = p->x[ROD], w = x[3], wp = x[5];
  const long double c = cosl(x[0]), s = sinl(x[0]), cp = cosl(x[2]), sp = sinl(x[2]);
  long double M[9] = { 0 }, A[25] = { 0 }, y[5];
  (void)t;
  if (is_of_sundials(p)) rods_of_sundials(x, M, y);
  else uniform_rods(p, x, M, y);
  /* M a - G' lambda = f, G a = b */
  const long double G[2][3] = { { -a * s, -1, -l * sp }, { a * c, 0, l * cp } };
  for (int i = 0; i < 3; i++) {
    for (int k = 0; k < 3; k++) A[5 * i + k] = M[3 * i + k];
    for (int k = 0; k < 2; k++) A[5 * (3 + k) + i] = G[k][i], A[5 * i + 3 + k] = -G[k][i];
  }
  y[3] = a * c * w * w + l * cp * wp * wp, y[4] = a * s * w * w + l * sp * wp * wp;
  eliminate(5, A, y);
  for (int k = 0; k < 3; k++) f[k] = x[3 + k], f[3 + k] = y[k];
}

static void crank_unfold(const problem *p, long double t, const long double *x, double *y) {
  (void)p, (void)t;
  for (int i = 0; i < 6; i++) y[i] = (double)x[i];
}

static const problem_equations crank_equations = { 6, crank_start, crank_rates, crank_unfold };

/* ---- in Cardan ---- */

static void place(const problem *p, cdn_state *state) {
  long double x[6];
  double y[6];
  crank_start(p, x);
  crank_unfold(p, 0, x, y);
  MUST(state, cdn_state_set_q(state, y));
  MUST(state, cdn_state_set_u(state, y + 3));
}

static cdn_state *start_sundials(const problem *p) {
  cdn_state *state = make_slider_crank().state;
  place(p, state);
  return state;
}

static cdn_mass_properties uniform_rod(double from, double to) {
  const double length = to - from, across = length * length / 12;
  return solid(1, cdn_v3((from + to) / 2, 0, 0), 0, across, across);
}

static cdn_system *build_crank(const problem *p) {
  const double a = p->x[CRANK], l = p->x[ROD];
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body crank = add_pin(system, "crank", cdn_ground(), z, o, uniform_rod(0, a));
  const cdn_body slider = add_mobile(system, "slider", cdn_ground(), CDN_SLIDER, point_mass(p->x[SLIDER_MASS], o));
  const cdn_body rod = add_pin(system, "rod", slider, z, o, uniform_rod(-l, 0));
  cdn_system_constrain_ball(system, "end", crank, cdn_v3(a, 0, 0), rod, cdn_v3(-l, 0, 0));
  if (p->x[GRAVITY] > 0) cdn_system_add_gravity(system, "gravity", cdn_v3(0, -p->x[GRAVITY], 0));
  return system;
}

static cdn_state *start_crank(const problem *p) {
  cdn_state *state = state_of(build_crank(p));
  place(p, state);
  return state;
}

static double sundials_apart(const problem *p, cdn_state *truth, const double *row) {
  const double *q = cdn_state_q(truth);
  (void)p;
  return fmax(fmax(fabs(q[0] - row[1]), fabs(q[1] - row[2])),
              fmax(fabs(q[2] - row[3]), fabs(cdn_state_u(truth)[0] - row[4])));
}

static const published sundials_table = {
  "SUNDIALS, idaSlCrank, integrated with 20 digits", 20, 5, table_slider_crank[0], 1e-14, sundials_apart
};

const problem crank_sundials = {
  .name = "slider-crank",
  .what = "SUNDIALS' idaSlCrank, with a spring and a damper, 10 s",
  .end = 10,
  .start = start_sundials,
  .x = { 0.5, 1, 0, 0, 0.5, 0 },
  .equations = &crank_equations,
  .published = &sundials_table,
};

#define SLIDER_CRANK(label, text, duration, ...)                                              \
  {                                                                                           \
    .name = label, .what = text, .end = duration, .start = start_crank, .x = { __VA_ARGS__ }, \
    .equations = &crank_equations                                                             \
  }

const problem crank_heavy = SLIDER_CRANK("crank-heavy", "a slider-crank of 0.3 and 1 m that turns under gravity, 10 s",
                                         10, 0.3, 1, 1, 9.81, 0.1, 10);
const problem crank_fast =
    SLIDER_CRANK("crank-fast", "the same without gravity at 50 rad/s, 5 s", 5, 0.3, 1, 1, 0, 0.1, 50);
const problem crank_whip_80 =
    SLIDER_CRANK("crank-whip-0.8", "crank 0.8 of the rod: the slider whips past, 10 s", 10, 0.8, 1, 0.5, 0, 0.05, 5);
const problem crank_whip_96 = SLIDER_CRANK("crank-whip-0.96", "crank 0.96 of the rod", 10, 0.96, 1, 0.5, 0, 0.05, 5);
const problem crank_whip_99 = SLIDER_CRANK("crank-whip-0.99", "crank 0.99 of the rod", 10, 0.99, 1, 0.5, 0, 0.05, 5);

/* ---- driven by a motion: nothing is left to integrate but the crank's angle ---- */

static void driven_exact(const problem *p, double t, double *y) {
  long double x[6];
  place_others(p, p->x[ANGLE] * half_turn + (long double)p->x[RATE] * t, p->x[RATE], x);
  crank_unfold(p, t, x, y);
}

static cdn_state *start_driven(const problem *p) {
  cdn_system *system = build_crank(p);
  cdn_motion_def def = cdn_default_motion_def();
  def.body = cdn_system_find_body(system, "crank");
  def.kind = CDN_MOTION_STEADY, def.level = CDN_LEVEL_VELOCITY;
  def.params[0] = p->x[RATE];
  cdn_system_add_motion(system, &def);
  cdn_state *state = state_of(system);
  place(p, state);
  return state;
}

const problem crank_driven = {
  .name = "crank-driven",
  .what = "a slider-crank whose crank a motion turns at 10 rad/s, 10 s",
  .end = 10,
  .start = start_driven,
  .x = { 0.3, 1, 1, 9.81, 0.1, 10 },
  .exact = driven_exact,
};
