/* Sampling of what has its mass on a line: a pendulum without a spin, molecules of two and three atoms. Runs back, the
 * determinant of the step, closed forms, and what is refused. */
#include "averages.h"

#include <cardan/molecule.h>

static const double RT = CDN_GAS_CONSTANT * 300;

/* ---- models ---- */

/* A rod that is heavy at its end, with gravity along -z; `slides`: and a mass that slides along it. It hangs on Ground,
 * or its other end moves freely and is tied. */
static cdn_state *pendulum(double weight, bool slides, bool moves) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, NULL, cdn_v3(0, 0, -weight));
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = moves ? CDN_FREE_LINE : CDN_LINE_ORIENTATION;
  def.mass = (cdn_mass_properties){ .mass = 1, .com = { 0, 0, 0.5 }, .inertia = { 0.02, 0.02, 0, 0, 0, 0 } };
  const cdn_body rod = cdn_system_add_body(system, &def);
  if (moves)
    cdn_system_add_two_point_spring(system, NULL, cdn_ground(), cdn_v3(0.1, 0.2, 0), rod, cdn_v3(0, 0, 0), 30, 0.1);
  if (slides) {
    def = cdn_default_body_def();
    def.parent = rod, def.mobilizer = CDN_SLIDER, def.mass = (cdn_mass_properties){ .mass = 0.5 };
    /* along the rod */
    def.X_PF.R = def.X_BM.R = cdn_rotation_axis_angle(cdn_v3(0, 1, 0), -PI / 2);
    const cdn_body bead = cdn_system_add_body(system, &def);
    cdn_system_add_mobility_spring(system, "spring", bead, 0, 40, 0.3);
  }
  return state_of(system);
}

/* Atoms on a line, 0.12 nm apart, masses 12 and 16, all bonds rigid but for the first one. A spring ties the first atom
 * to a place. */
static cdn_state *straight_molecule(int atoms, cdn_bond_mobility mobility, cdn_force *field) {
  cdn_molecule *m = cdn_molecule_create("straight");
  for (int i = 0; i < atoms; i++) {
    cdn_atom_def a = cdn_default_atom_def();
    a.mass = i == 1 ? 12 : 16, a.position = cdn_v3(0.12 * i * 0.6, 0.12 * i * 0.8, 0);
    cdn_molecule_add_atom(m, &a);
    if (i > 0) cdn_molecule_add_bond(m, i - 1, i);
  }
  cdn_molecule_add_stretch(m, 0, 1, 5e3, 0.12);
  cdn_molecule_set_bond_mobility(m, 0, 1, mobility);
  cdn_system *system = cdn_system_create(NULL);
  *field = cdn_system_add_molecule(system, NULL, m, cdn_ground());
  cdn_molecule_destroy(m);
  cdn_body body;
  cdn_vec3 at;
  OK(cdn_force_field_atom_place(system, *field, 0, &body, &at));
  cdn_system_add_two_point_spring(system, "tie", cdn_ground(), cdn_v3(0, 0.1, 0), body, at, 300, 0);
  return state_of(system);
}

static int count_speeds(cdn_state *state) { return cdn_system_nu(cdn_state_system(state)); }

/* ---- the step ---- */

enum { MOST = 8 };

static cdn_state *model(int which) {
  cdn_force field;
  switch (which) {
    case 0: return pendulum(5, false, false);
    case 1: return pendulum(5, true, false);
    case 4: return pendulum(5, true, true);
    case 2: return straight_molecule(2, CDN_BOND_RIGID, &field);
    default: return straight_molecule(3, CDN_BOND_FLEXIBLE, &field);
  }
}
static const double length_of_step[] = { 0.1, 0.05, 0.02, 0.002, 0.015 };
enum { MODELS = 5 };

static cdn_hmc *stepper_of(int which) {
  cdn_state *state = model(which);
  cdn_hmc_def def = cdn_default_hmc_def();
  def.kT = RT, def.step = length_of_step[which];
  OK_ON(state, cdn_draw_speeds(state, RT, 0, 1));
  return sampler(state, &def);
}

START_TEST(runs_back) {
  cdn_hmc *hmc = stepper_of(_i);
  cdn_state *run = cdn_hmc_state(hmc);
  const int nq = cdn_system_nq(cdn_state_system(run)), nu = count_speeds(run);
  double q[2 * MOST], u[MOST], back[MOST];
  OK_ON(run, cdn_hmc_steps(hmc, length_of_step[_i], 3));
  memcpy(q, cdn_state_q(run), (size_t)nq * sizeof *q), memcpy(u, cdn_state_u(run), (size_t)nu * sizeof *u);
  OK_ON(run, cdn_hmc_steps(hmc, length_of_step[_i], 30));
  for (int i = 0; i < nu; i++) back[i] = -cdn_state_u(run)[i];
  OK_ON(run, cdn_state_set_u(run, back));
  OK_ON(run, cdn_hmc_steps(hmc, length_of_step[_i], 30));
  for (int i = 0; i < nq; i++) NEAR(cdn_state_q(run)[i], q[i], 1e-10);
  for (int i = 0; i < nu; i++) NEAR(cdn_state_u(run)[i], -u[i], 1e-10 * (1 + fabs(u[i])));
  cdn_hmc_destroy(hmc);
}
END_TEST

/* The body that is a line. */
static cdn_body line_of(cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  for (int i = 1; i < cdn_system_body_count(system); i++) {
    const cdn_mobilizer kind = cdn_body_mobilizer(system, (cdn_body){ i });
    if (kind == CDN_LINE_ORIENTATION || kind == CDN_FREE_LINE) return (cdn_body){ i };
  }
  ck_abort_msg("no line");
}

/* Where the line points, its momentum as a vector; the other coordinates and momenta. Whatever turns M about the line,
 * these are the same. */
typedef struct view {
  cdn_vec3 along, momentum;
  double q[MOST], p[MOST];
  cdn_vec3 x, y;
} view;

static view look(cdn_state *state) {
  view v = { .x = { 0, 0, 0 } };
  const cdn_system *system = cdn_state_system(state);
  const cdn_body line = line_of(state);
  const int first_q = cdn_body_first_q(system, line), first_u = cdn_body_first_u(system, line),
            nu = count_speeds(state);
  cdn_transform X;
  double p[MOST];
  ck_assert(first_q == 0 && first_u == 0);
  OK_ON(state, cdn_body_pose(state, line, &X));
  X.R = cdn_rotation_multiply(X.R, cdn_body_X_BM(state, line).R);
  OK_ON(state, cdn_multiply_by_M(state, cdn_state_u(state), p));
  v.x = X.R.x, v.y = X.R.y, v.along = X.R.z;
  v.momentum = cdn_add(cdn_scale(p[0], v.x), cdn_scale(p[1], v.y));
  for (int i = 2; i < nu; i++) v.q[i] = cdn_state_q(state)[i + 2], v.p[i] = p[i];
  return v;
}

/* How a view differs from the first one, in its axes: nu numbers of q, nu of p. */
static void differ(const view *base, const view *a, const view *b, double scale, int nu, double *out) {
  const cdn_vec3 e = cdn_sub(a->along, b->along), p = cdn_sub(a->momentum, b->momentum);
  out[0] += scale * -cdn_dot(e, base->y), out[1] += scale * cdn_dot(e, base->x);
  out[nu] += scale * cdn_dot(p, base->x), out[nu + 1] += scale * cdn_dot(p, base->y);
  for (int i = 2; i < nu; i++) out[i] += scale * (a->q[i] - b->q[i]), out[nu + i] += scale * (a->p[i] - b->p[i]);
}

static double determinant(int n, double A[2 * MOST][2 * MOST]) {
  double det = 1;
  for (int c = 0; c < n; c++) {
    int best = c;
    for (int r = c + 1; r < n; r++)
      if (fabs(A[r][c]) > fabs(A[best][c])) best = r;
    for (int k = 0; k < n && best != c; k++) {
      const double x = A[c][k];
      A[c][k] = A[best][k], A[best][k] = x;
    }
    det *= best == c ? A[c][c] : -A[c][c];
    for (int r = c + 1; r < n; r++)
      for (int k = n - 1; k >= c; k--) A[r][k] -= A[r][c] / A[c][c] * A[c][k];
  }
  return det;
}

/* The view after two steps from a start that is moved along direction j: of q for j < nu, else of p. */
static view image(cdn_hmc *hmc, double h, const double *q0, const double *p0, int j, double by) {
  cdn_state *run = cdn_hmc_state(hmc);
  const int nq = cdn_system_nq(cdn_state_system(run)), nu = count_speeds(run);
  double q[2 * MOST], p[MOST], u[MOST], e[MOST] = { 0 };
  OK_ON(run, cdn_state_set_q(run, q0));
  memcpy(p, p0, (size_t)nu * sizeof *p);
  if (j >= nu) p[j - nu] += by;
  else {
    e[j] = 1;
    OK_ON(run, cdn_multiply_by_N(run, e, q));
    for (int i = 0; i < nq; i++) q[i] = q0[i] + by * q[i];
    OK_ON(run, cdn_state_set_q(run, q));
  }
  OK_ON(run, cdn_multiply_by_M_inv(run, p, u));
  OK_ON(run, cdn_state_set_u(run, u));
  OK_ON(run, cdn_hmc_steps(hmc, h, 2));
  return look(run);
}

START_TEST(preserves_volume) {
  cdn_hmc *hmc = stepper_of(_i);
  cdn_state *run = cdn_hmc_state(hmc);
  const int nq = cdn_system_nq(cdn_state_system(run)), nu = count_speeds(run);
  double q[2 * MOST], p[MOST], J[2 * MOST][2 * MOST], size = 0;
  OK_ON(run, cdn_hmc_steps(hmc, length_of_step[_i], 3));
  memcpy(q, cdn_state_q(run), (size_t)nq * sizeof *q);
  OK_ON(run, cdn_multiply_by_M(run, cdn_state_u(run), p));
  for (int i = 0; i < nu; i++) size = fmax(size, fabs(p[i]));
  const view base = image(hmc, length_of_step[_i], q, p, nu, 0);
  for (int j = 0; j < 2 * nu; j++) {
    static const double by[4] = { -2, -1, 1, 2 };
    const double unit = j < nu ? 2e-4 : 1e-3 * size;
    double column[2 * MOST] = { 0 };
    view at[4];
    for (int k = 0; k < 4; k++) at[k] = image(hmc, length_of_step[_i], q, p, j, by[k] * unit);
    differ(&base, &at[2], &at[1], 8 / (12 * unit), nu, column),
        differ(&base, &at[3], &at[0], -1 / (12 * unit), nu, column);
    for (int i = 0; i < 2 * nu; i++) J[i][j] = column[i];
  }
  NEAR(determinant(2 * nu, J), 1, 1e-7);
  cdn_hmc_destroy(hmc);
}
END_TEST

/* ---- averages ---- */

/* <cos> of a pendulum upwards, where weight times lever is a RT. */
START_TEST(pendulum_in_a_field) {
  static const double a[] = { 0.7, 3 };
  enum { SAMPLES = FEWER(6000) };
  cdn_hmc_def def = cdn_default_hmc_def();
  def.kT = RT, def.step = 0.15, def.steps = 4, def.burn_in = 200;
  cdn_hmc *hmc = sampler(pendulum(a[_i] * RT / 0.5, false, false), &def);
  average cosine = average_of(SAMPLES);
  advance(hmc, def.burn_in);
  for (int s = 0; s < SAMPLES; s++) {
    cdn_transform X;
    advance(hmc, 1);
    OK_ON(cdn_hmc_state(hmc), cdn_body_pose(cdn_hmc_state(hmc), (cdn_body){ 1 }, &X));
    take(&cosine, X.R.z.z);
  }
  check_average(&cosine, "cos", 1 / a[_i] - 1 / tanh(a[_i]), 0.02);
  check_balance(hmc, 0.4);
  cdn_hmc_destroy(hmc);
}
END_TEST

/* Kinetic energies, and the length where it moves: its density is r^2 exp(-U/RT). By Monte Carlo, and by Langevin's
 * equation. */
typedef struct straight {
  int atoms;
  cdn_bond_mobility mobility;
  int speeds;
  double step;
} straight;
static const straight molecules[] = { { 2, CDN_BOND_RIGID, 5, 0.05 },
                                      { 3, CDN_BOND_RIGID, 5, 0.05 },
                                      { 2, CDN_BOND_FLEXIBLE, 6, 0.008 } };
enum { MOLECULES = sizeof molecules / sizeof molecules[0] };

static double mean_length(void) {
  double sum = 0, of = 0;
  for (int i = 1; i < 40000; i++) {
    const double r = 0.24 * i / 40000, weight = r * r * exp(-5e3 * (r - 0.12) * (r - 0.12) / RT);
    sum += r * weight, of += weight;
  }
  return sum / of;
}

START_TEST(straight_molecules) {
  const straight *x = &molecules[_i / 2];
  const bool langevin = _i % 2;
  enum { SAMPLES = FEWER(5000) };
  cdn_force field;
  cdn_state *state = straight_molecule(x->atoms, x->mobility, &field);
  ck_assert_int_eq(count_speeds(state), x->speeds);
  cdn_hmc_def def = cdn_default_hmc_def();
  def.kT = RT, def.step = langevin ? 0.25 * x->step : x->step, def.steps = langevin ? 1 : 6;
  if (langevin) def.no_metropolis = true, def.friction = 1 / x->step;
  cdn_hmc *hmc = sampler(state, &def);
  average K = average_of(SAMPLES), length = average_of(SAMPLES);
  for (int s = -200; s < SAMPLES; s++) {
    double kinetic, at[9];
    advance(hmc, langevin ? 10 : 1);
    OK_ON(cdn_hmc_state(hmc), cdn_kinetic_energy(cdn_hmc_state(hmc), &kinetic));
    OK_ON(cdn_hmc_state(hmc), cdn_force_field_positions(cdn_hmc_state(hmc), field, at));
    if (s < 0) continue;
    take(&K, kinetic);
    take(&length, cdn_norm(cdn_v3(at[3] - at[0], at[4] - at[1], at[5] - at[2])));
  }
  check_average(&K, "K", 0.5 * x->speeds * RT, 0.15);
  if (x->mobility == CDN_BOND_FLEXIBLE) check_average(&length, "length", mean_length(), 1e-3);
  if (!langevin) check_balance(hmc, 0.4);
  cdn_hmc_destroy(hmc);
}
END_TEST

/* ---- what is refused ---- */

/* A mass beside the line, a spring beside it, a reversed one. */
START_TEST(lines_that_tell_their_turn) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "rod", def.mobilizer = CDN_LINE_ORIENTATION, def.reversed = _i == 2;
  def.mass =
      (cdn_mass_properties){ .mass = 1, .com = { _i == 0 ? 0.1 : 0, 0, 0.5 }, .inertia = { 0.1, 0.1, 0.1, 0, 0, 0 } };
  const cdn_body rod = cdn_system_add_body(system, &def);
  if (_i == 1)
    cdn_system_add_two_point_spring(system, NULL, cdn_ground(), cdn_v3(1, 1, 1), rod, cdn_v3(0.2, 0, 0.1), 3, 0.5);
  cdn_state *state = state_of(system);
  cdn_hmc_def how = cdn_default_hmc_def();
  how.kT = 1, how.step = 0.01;
  cdn_hmc *hmc;
  FAILS(cdn_hmc_create(state, &how, &hmc), CDN_ERR_UNSUPPORTED);
  cdn_error e;
  cdn_state_last_error(state, &e);
  ck_assert_msg(strcmp(e.element, "rod") == 0 && strstr(e.text, "line"), "%s: %s", e.element, e.text);
  cdn_state_destroy(state);
}
END_TEST

static void tests(TCase *tc) {
  tcase_add_loop_test(tc, runs_back, 0, MODELS);
  tcase_add_loop_test(tc, preserves_volume, 0, MODELS);
  tcase_add_loop_test(tc, pendulum_in_a_field, 0, 2);
  tcase_add_loop_test(tc, straight_molecules, 0, 2 * MOLECULES);
  tcase_add_loop_test(tc, lines_that_tell_their_turn, 0, 3);
}

CHECK_MAIN_OF("sampling of lines", CHECK_TIMEOUT, tests)
