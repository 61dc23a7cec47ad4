/* Masses on springs: for long, small, damped, stiff, in series, with a Maxwell element. */
#include "oscillators.h"

static const cdn_vec3 o = { 0, 0, 0 };

/* ---- one mass: x = { amplitude } ---- */

static void harmonic(const problem *p, double t, double *y) {
  y[0] = (double)(p->x[0] * cosl(t)), y[1] = (double)(-p->x[0] * sinl(t));
}

static cdn_state *start_harmonic(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body mass = add_mobile(system, "mass", cdn_ground(), CDN_SLIDER, point_mass(1, o));
  cdn_system_add_mobility_spring(system, "spring", mass, 0, 1, 0);
  cdn_state *state = state_of(system);
  MUST(state, cdn_state_set_q(state, p->x));
  return state;
}

#define HARMONIC(label, text, duration, amplitude) \
  { .name = label, .what = text, .end = duration, .start = start_harmonic, .x = { amplitude }, .exact = harmonic }

const problem oscillator_10 = HARMONIC("oscillator-10", "a mass on a spring, 10 periods", 62.8, 1);
const problem oscillator_1e3 = HARMONIC("oscillator-1e3", "the same for 1000 periods", 6280, 1);
const problem oscillator_1e4 = HARMONIC("oscillator-1e4", "the same for 10000 periods", 62800, 1);
const problem oscillator_small =
    HARMONIC("oscillator-1e-9m", "100 periods of 1e-9 m, below most accuracies", 628, 1e-9);

/* ---- five masses of 1 kg in series on springs and dampers; x = { stiffness, damping } ---- */

enum { ROW = 5 };

/* Places and speeds; the last one starts away from where it rests. */
static void row_start(const problem *p, long double *x) {
  (void)p;
  for (int i = 0; i < 2 * ROW; i++) x[i] = 0;
  x[ROW - 1] = 1, x[0] = -0.5L, x[ROW + 2] = 1;
}

static void row_rates(const void *self, long double t, const long double *x, long double *f) {
  const problem *p = self;
  long double pull[ROW + 1] = { 0 };
  (void)t;
  for (int i = 0; i < ROW; i++) {
    const long double stretch = x[i] - (i ? x[i - 1] : 0), rate = x[ROW + i] - (i ? x[ROW + i - 1] : 0);
    pull[i] = p->x[0] * stretch + p->x[1] * rate;
  }
  for (int i = 0; i < ROW; i++) f[i] = x[ROW + i], f[ROW + i] = pull[i + 1] - pull[i];
}

static void row_unfold(const problem *p, long double t, const long double *x, double *y) {
  (void)p, (void)t;
  for (int i = 0; i < ROW; i++) {
    y[i] = (double)(x[i] - (i ? x[i - 1] : 0));
    y[ROW + i] = (double)(x[ROW + i] - (i ? x[ROW + i - 1] : 0));
  }
}

static const problem_equations row = { 2 * ROW, row_start, row_rates, row_unfold };

static cdn_state *start_row(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body before = cdn_ground();
  double y[2 * ROW];
  long double x[2 * ROW];
  for (int i = 0; i < ROW; i++) {
    before = add_mobile(system, NULL, before, CDN_SLIDER, point_mass(1, o));
    cdn_system_add_mobility_spring(system, NULL, before, 0, p->x[0], 0);
    if (p->x[1] > 0) cdn_system_add_mobility_damper(system, NULL, before, 0, p->x[1]);
  }
  cdn_state *state = state_of(system);
  row_start(p, x);
  row_unfold(p, 0, x, y);
  MUST(state, cdn_state_set_q(state, y));
  MUST(state, cdn_state_set_u(state, y + ROW));
  return state;
}

#define IN_A_ROW(label, text, duration, stiffness, damping) \
  { .name = label, .what = text, .end = duration, .start = start_row, .x = { stiffness, damping }, .equations = &row }

const problem oscillator_row = IN_A_ROW("row", "five masses in series on springs, 50 s", 50, 100, 0);
const problem oscillator_row_damped =
    IN_A_ROW("row-damped", "the same with dampers, a little stiff, 10 s", 10, 1000, 10);
const problem oscillator_row_stiff =
    IN_A_ROW("row-stiff", "the same, stiff: rates from 100 to 4000 /s, 5 s", 5, 1e5, 1e3);

/* ---- a mass on a Maxwell element beside a spring: z is the damper's length ---- */

static const double maxwell_k = 80, maxwell_c = 20, beside = 30;

static void maxwell_start(const problem *p, long double *x) { (void)p, x[0] = 1, x[1] = 0, x[2] = 0.2L; }

static void maxwell_rates(const void *self, long double t, const long double *x, long double *f) {
  const long double tension = maxwell_k * (x[0] - x[2]);
  (void)self, (void)t;
  f[0] = x[1], f[1] = -tension - beside * x[0], f[2] = tension / maxwell_c;
}

static void maxwell_unfold(const problem *p, long double t, const long double *x, double *y) {
  (void)p, (void)t;
  for (int i = 0; i < 3; i++) y[i] = (double)x[i];
}

static const problem_equations maxwell_equations = { 3, maxwell_start, maxwell_rates, maxwell_unfold };

typedef struct maxwell {
  cdn_zvar damper;
} maxwell;

static cdn_status declare_maxwell(void *self, cdn_declarer *d) {
  const double z0 = 0.2;
  ((maxwell *)self)->damper = cdn_declare_z(d, 1, &z0);
  return CDN_OK;
}

static double tension(const maxwell *m, cdn_state *state) {
  return maxwell_k * (cdn_state_q(state)[0] - *cdn_state_zvar(state, m->damper));
}

static cdn_status maxwell_force(const void *self, cdn_state *state, cdn_forces *forces) {
  cdn_forces_add_mobility(forces, (cdn_body){ 1 }, 0, -tension(self, state));
  return CDN_OK;
}

static cdn_status maxwell_zdot(const void *self, cdn_state *state, double *zdot) {
  zdot[0] = tension(self, state) / maxwell_c;
  return CDN_OK;
}

static cdn_state *start_maxwell(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  const maxwell self = { 0 };
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_EVERYTHING, .calc_force = maxwell_force };
  (void)p;
  ops.subsystem = (cdn_subsystem_ops){ .struct_size = sizeof ops.subsystem,
                                       .name = "maxwell",
                                       .self_size = sizeof self,
                                       .declare = declare_maxwell,
                                       .calc_zdot = maxwell_zdot };
  const cdn_body mass = add_mobile(system, "mass", cdn_ground(), CDN_SLIDER, point_mass(1, o));
  cdn_system_add_mobility_spring(system, "spring", mass, 0, beside, 0);
  cdn_system_add_custom_force(system, &ops, &self);
  cdn_state *state = state_of(system);
  MUST(state, cdn_state_set_q(state, (double[]){ 1 }));
  return state;
}

const problem oscillator_maxwell = {
  .name = "maxwell",
  .what = "a mass on a spring and a Maxwell element, whose damper is a z, 10 s",
  .end = 10,
  .start = start_maxwell,
  .equations = &maxwell_equations,
};

/* ---- two free bodies that spin, on a spring between points beside their centres ---- */

static cdn_state *start_pair(const problem *p) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body a = add_mobile(system, "a", cdn_ground(), CDN_FREE, solid(1, o, 0.1, 0.2, 0.25));
  const cdn_body b = add_mobile(system, "b", cdn_ground(), CDN_FREE, solid(2, o, 0.3, 0.3, 0.5));
  const double q[14] = { 1, 0, 0, 0, 0, 0, 0, 0.8, 0.6, 0, 0, 1, 0.2, 0 };
  const double u[12] = { 3, 0.5, -1, 0.1, 0, 0.3, -1, 2, 4, 0, -0.2, 0 };
  (void)p;
  cdn_system_add_two_point_spring(system, "spring", a, cdn_v3(0.2, 0, 0.1), b, cdn_v3(0, 0.3, 0), 20, 0.5);
  cdn_state *state = state_of(system);
  MUST(state, cdn_state_set_q(state, q));
  MUST(state, cdn_state_set_u(state, u));
  return state;
}

const problem oscillator_spinning_pair = {
  .name = "spinning-pair",
  .what = "two free bodies that spin, on a spring, 10 s",
  .end = 10,
  .start = start_pair,
};
