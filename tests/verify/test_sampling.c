/* Sampling against closed forms: kinetic energies, thermostats, chains of atoms, rotors. Averages of correlated samples
 * are judged by the spread of blocks (averages.h). */
#include "averages.h"

/* ---- speeds ---- */

static const double RT = CDN_GAS_CONSTANT * 300;

static char *shared(const char *name, char *path, size_t size) {
  const char *directory = getenv("CARDAN_SHARED");
  snprintf(path, size, "%s/molecular/%s", directory ? directory : "../shared", name);
  return path;
}

/* Alanine dipeptide with all torsions: seven, and the free body. */
static cdn_state *alanine_dipeptide(void) {
  char path[512];
  cdn_prmtop *prmtop = NULL;
  cdn_restart *restart = NULL;
  FILE *file = fopen(shared("alanine-dipeptide.prmtop", path, sizeof path), "r");
  if (!file) return NULL;
  fclose(file);
  OK(cdn_prmtop_load(path, NULL, &prmtop));
  OK(cdn_restart_load(shared("alanine-dipeptide.inpcrd", path, sizeof path), prmtop, NULL, &restart));
  cdn_molecule *m = cdn_molecule_from_prmtop(prmtop, restart->positions);
  cdn_molecule_set_mobility(m, "torsions");
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_molecule(system, NULL, m, cdn_ground());
  cdn_molecule_destroy(m);
  cdn_prmtop_destroy(prmtop);
  cdn_restart_destroy(restart);
  return state_of(system);
}

START_TEST(test_kinetic_energy) {
  cdn_state *state = alanine_dipeptide();
  if (!state) SKIP("no files of molecules");
  enum { DRAWS = FEWER(20000) };
  int n;
  OK_ON(state, cdn_count_thermal_freedoms(state, &n));
  ck_assert_int_eq(n, 13);
  average mean = average_of(DRAWS), square = average_of(DRAWS);
  const double expected = 16.2132021054, variance = 40.4412188478;
  for (uint64_t k = 0; k < DRAWS; k++) {
    double K;
    OK_ON(state, cdn_state_set_random(state, &(cdn_random_place){ .seed = 4, .count = k }));
    OK_ON(state, cdn_draw_speeds(state, RT, 0, 2));
    OK_ON(state, cdn_kinetic_energy(state, &K));
    take(&mean, K), take(&square, (K - expected) * (K - expected));
  }
  check_average(&mean, "K", expected, 0.1);
  check_average(&square, "variance of K", variance, 0.8);
  cdn_state_destroy(state);
}
END_TEST

/* ---- one coordinate ---- */

static cdn_body pin_of_inertia(cdn_system *system, double inertia) {
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { inertia, inertia, inertia, 0, 0, 0 } };
  return cdn_system_add_body(system, &def);
}

typedef struct rotor {
  cdn_body body;
  double k;
  int n;
} rotor;

static cdn_status rotor_force(const void *self, cdn_state *state, cdn_forces *f) {
  const rotor *r = self;
  cdn_forces_add_mobility(f, r->body, 0, r->k * r->n * sin(r->n * cdn_state_q(state)[0]));
  return CDN_OK;
}

static cdn_status rotor_potential(const void *self, cdn_state *state, double *energy) {
  const rotor *r = self;
  *energy = r->k * (1 + cos(r->n * cdn_state_q(state)[0]));
  return CDN_OK;
}

static cdn_state *hindered_rotor(double k, int n) {
  cdn_system *system = cdn_system_create(NULL);
  const rotor r = { pin_of_inertia(system, 0.05), k, n };
  cdn_force_ops ops = {
    .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = rotor_force, .calc_potential = rotor_potential
  };
  ops.subsystem = (cdn_subsystem_ops){ .struct_size = sizeof ops.subsystem, .name = "rotor", .self_size = sizeof r };
  cdn_system_add_custom_force(system, &ops, &r);
  return state_of(system);
}

/* -I1/I0 by quadrature, which is exact to rounding for periodic functions. */
static double mean_cos(double a) {
  double sum = 0, of = 0;
  for (int i = 0; i < 400; i++) {
    const double c = cos(2 * PI * i / 400), weight = exp(-a * c);
    sum += weight * c, of += weight;
  }
  return sum / of;
}

START_TEST(test_hindered_rotors) {
  static const double k[] = { 1, 5, 12 };
  for (int i = 0; i < 6; i++) {
    const int n = i % 2 ? 3 : 1;
    cdn_hmc_def def = cdn_default_hmc_def();
    def.kT = RT, def.step = 0.02, def.steps = 4, def.burn_in = 200;
    cdn_hmc *hmc = sampler(hindered_rotor(k[i / 2], n), &def);
    enum { SAMPLES = FEWER(6000) };
    average c = average_of(SAMPLES);
    advance(hmc, def.burn_in);
    for (int s = 0; s < SAMPLES; s++) {
      advance(hmc, 1);
      take(&c, cos(n * cdn_state_q(cdn_hmc_state(hmc))[0]));
    }
    char what[40];
    snprintf(what, sizeof what, "cos %d phi, k = %g", n, k[i / 2]);
    check_average(&c, what, mean_cos(k[i / 2] / RT), 0.02);
    check_balance(hmc, 0.5);
    cdn_hmc_destroy(hmc);
  }
}
END_TEST

/* A harmonic torsion under a chain of three, in equal steps and under error control. */
static void run_chain(bool fixed) {
  cdn_system_def audited = cdn_default_system_def();
  audited.audit = true;
  cdn_system *system = cdn_system_create(&audited);
  const double k = 10, I = 0.1;
  const cdn_body body = pin_of_inertia(system, I);
  cdn_system_add_mobility_spring(system, "torsion", body, 0, k, 0);
  cdn_nose_hoover_def chain = cdn_default_nose_hoover_def();
  chain.kT = RT, chain.time = 0.1;
  const cdn_force force = cdn_system_add_nose_hoover(system, "chain", &chain);
  cdn_state *state = state_of(system);
  OK_ON(state, cdn_state_set_q(state, &(double){ 0.3 }));
  OK_ON(state, cdn_draw_speeds(state, RT, 0, 0));
  cdn_stepper_def def = cdn_default_stepper_def();
  if (fixed) def.method = CDN_METHOD_VERLET, def.fixed_step = 0.01;
  else def.accuracy = 1e-3;
  cdn_stepper *stepper;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  double first, last, chain_energy, K, U;
  OK_ON(state, cdn_nose_hoover_energy(state, force, &chain_energy, &first));
  OK_ON(state, cdn_kinetic_energy(state, &K));
  OK_ON(state, cdn_potential_energy(state, &U));
  NEAR(K + U + chain_energy, first, 1e-12 * fabs(first));
  const int64_t samples = fixed ? 50000 : 10000;
  average q2 = average_of(samples), q4 = average_of(samples);
  const double unit = RT / k;
  cdn_state *now = cdn_stepper_state(stepper);
  for (int64_t s = 0; s < samples; s++) {
    if (fixed) OK_STEP(stepper, cdn_stepper_step(stepper, INFINITY));
    else OK_STEP(stepper, cdn_stepper_advance(stepper, 0.05 * (double)(s + 1), NULL));
    const double x = cdn_state_q(now)[0] * cdn_state_q(now)[0] / unit;
    take(&q2, x), take(&q4, x * x);
  }
  OK_ON(now, cdn_nose_hoover_energy(now, force, NULL, &last));
  NEAR(last, first, 0.05 * RT * (fixed ? 1 : 10));
  check_average(&q2, "k q^2 / RT", 1, 0.08);
  check_average(&q4, "(k q^2 / RT)^2", 3, 0.5);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}

START_TEST(test_chain_in_equal_steps) { run_chain(true); }
END_TEST
START_TEST(test_chain_under_error_control) { run_chain(false); }
END_TEST

/* The same by the step of sampling: what is conserved has no trend, the swing is of second order, and the way back is
 * the way. A free body on a pin has a mass matrix that changes. */
static void go_with_chain(cdn_hmc *hmc, cdn_force force, double step, int steps, double *least, double *most) {
  cdn_state *state = cdn_hmc_state(hmc);
  *least = INFINITY, *most = -INFINITY;
  for (int k = 0; k < steps; k++) {
    double conserved;
    OK_ON(state, cdn_hmc_steps(hmc, step, 1));
    OK_ON(state, cdn_nose_hoover_energy(state, force, NULL, &conserved));
    *least = fmin(*least, conserved), *most = fmax(*most, conserved);
  }
}

/* q, u and z; returns how many. */
static int read_all(const cdn_state *state, double *y) {
  const cdn_system *system = cdn_state_system(state);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system), nz = cdn_system_nz(system);
  memcpy(y, cdn_state_q(state), (size_t)nq * sizeof *y);
  memcpy(y + nq, cdn_state_u(state), (size_t)nu * sizeof *y);
  memcpy(y + nq + nu, cdn_state_z(state), (size_t)nz * sizeof *y);
  return nq + nu + nz;
}

START_TEST(test_chain_by_the_step_of_sampling) {
  double swing[2];
  for (int i = 0; i < 2; i++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_FREE;
    def.mass = (cdn_mass_properties){ 3, { 0.1, 0.2, 0 }, { 1.2, 1, 1.5, 0, 0, 0 } };
    const cdn_body base = cdn_system_add_body(system, &def);
    def.parent = base, def.mobilizer = CDN_PIN, def.X_PF.p = cdn_v3(0.5, 0, 0.5);
    const cdn_body arm = cdn_system_add_body(system, &def);
    cdn_system_add_mobility_spring(system, "torsion", arm, 0, 5, 0);
    cdn_system_add_two_point_spring(system, "tether", cdn_ground(), cdn_v3(0, 0, 2), base, cdn_v3(0.3, 0, 0), 4, 1);
    cdn_nose_hoover_def chain = cdn_default_nose_hoover_def();
    chain.kT = 2, chain.time = 0.5;
    const cdn_force force = cdn_system_add_nose_hoover(system, "chain", &chain);
    cdn_state *state = state_of(system);
    OK_ON(state, cdn_draw_speeds(state, 2, 0, 0));
    double y[32], back[32], least[2], most[2];
    cdn_hmc_def how = cdn_default_hmc_def();
    how.kT = 2, how.step = 0.05, how.no_metropolis = true;
    cdn_hmc *hmc = sampler(state, &how);
    state = cdn_hmc_state(hmc);
    const double step = i ? 0.02 : 0.04;
    const int steps = i ? 2000 : 1000;
    go_with_chain(hmc, force, step, steps, &least[0], &most[0]);
    go_with_chain(hmc, force, step, steps, &least[1], &most[1]);
    swing[i] = most[0] - least[0];
    NEAR(0.5 * (least[1] + most[1]), 0.5 * (least[0] + most[0]), swing[i]);
    /* 40 steps, and 40 back */
    const int n = read_all(state, y);
    OK_ON(state, cdn_hmc_steps(hmc, step, 40));
    OK_ON(state, cdn_hmc_steps(hmc, -step, 40));
    read_all(state, back);
    for (int k = 0; k < n; k++) NEAR(back[k], y[k], 1e-10 * (1 + fabs(y[k])));
    cdn_hmc_destroy(hmc);
  }
  NEAR(swing[0] / swing[1], 4, 0.8);
}
END_TEST

/* Langevin, redrawing: the same torsion. The mean of q^2 at a step h is that of Verlet, without an error of its own. */
static void run_torsion(const cdn_hmc_def *def, double least_error) {
  cdn_system *system = cdn_system_create(NULL);
  const double k = 10;
  const cdn_body body = pin_of_inertia(system, 0.1);
  cdn_system_add_mobility_spring(system, "torsion", body, 0, k, 0);
  cdn_hmc *hmc = sampler(state_of(system), def);
  enum { SAMPLES = FEWER(30000) };
  average q2 = average_of(SAMPLES), q4 = average_of(SAMPLES);
  advance(hmc, 500);
  for (int s = 0; s < SAMPLES; s++) {
    advance(hmc, 1);
    const double q = cdn_state_q(cdn_hmc_state(hmc))[0], x = q * q * k / RT;
    take(&q2, x), take(&q4, x * x);
  }
  /* omega h = 0.2: Verlet's distribution of q is wider by 1 / (1 - (omega h)^2 / 4) */
  const double wider = def->no_metropolis ? 1 / (1 - 0.25 * 100 * def->step * def->step) : 1;
  check_average(&q2, "k q^2 / RT", wider, least_error);
  check_average(&q4, "(k q^2 / RT)^2", 3 * wider * wider, 8 * least_error);
  cdn_hmc_destroy(hmc);
}

START_TEST(test_langevin_and_redrawing) {
  cdn_hmc_def def = cdn_default_hmc_def();
  def.kT = RT, def.step = 0.02, def.no_metropolis = true;
  def.steps = 1, def.friction = 5;
  run_torsion(&def, 0.05);
  def.steps = 7, def.friction = INFINITY;
  run_torsion(&def, 0.05);
  def.no_metropolis = false, def.steps = 2, def.friction = 10; /* speeds persist, ends are tested */
  run_torsion(&def, 0.05);
}
END_TEST

/* ---- atoms on rods ---- */

/* n atoms in a row with unit rods, free in space. */
static cdn_state *chain_of_atoms(int n, const double *mass) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body atom[8];
  double q[24] = { 0 };
  for (int i = 0; i < n; i++) {
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_TRANSLATION;
    def.mass.mass = mass[i];
    atom[i] = cdn_system_add_body(system, &def);
    q[3 * i] = 0.8 * i, q[3 * i + 1] = 0.6 * (i % 2);
    if (i > 0) cdn_system_constrain_rod(system, NULL, atom[i - 1], cdn_v3(0, 0, 0), atom[i], cdn_v3(0, 0, 0), 1);
  }
  cdn_state *state = state_of(system);
  OK_ON(state, cdn_state_set_q(state, q));
  return state;
}

static double cosine(const double *q, int k) {
  double c = 0;
  for (int i = 0; i < 3; i++) c += (q[3 * k + 3 + i] - q[3 * k + i]) * (q[3 * k + 6 + i] - q[3 * k + 3 + i]);
  return c;
}

/* Mean of c^p over the density sqrt(1 - f c^2), by Simpson's rule. */
static double mean_power(double f, int p) {
  double sum = 0, of = 0;
  for (int i = 0; i <= 2000; i++) {
    const double c = -1 + i / 1000.0, weight = (i % 2 ? 4 : 2) * (i % 2000 ? 1 : 0.5) * sqrt(1 - f * c * c);
    sum += weight * pow(c, p), of += weight;
  }
  return sum / of;
}

START_TEST(test_three_atoms) {
  static const double mass[2][3] = { { 1, 1, 1 }, { 12, 1, 12 } };
  for (int i = is_long() ? 0 : 1; i < 2; i++) { /* of equal masses many samples tell */
    const double *m = mass[i], f = m[0] * m[2] / ((m[0] + m[1]) * (m[1] + m[2]));
    cdn_hmc_def def = cdn_default_hmc_def();
    def.kT = 1, def.step = 0.2, def.steps = i ? 6 : 4;
    cdn_hmc *hmc = sampler(chain_of_atoms(3, m), &def);
    const int64_t n = samples(2500, i ? 20000 : 60000);
    average c2 = average_of(n), c4 = average_of(n);
    for (int64_t s = 0; s < n; s++) {
      advance(hmc, 1);
      const double c = cosine(cdn_state_q(cdn_hmc_state(hmc)), 0);
      take(&c2, c * c), take(&c4, c * c * c * c);
    }
    /* 1/3 and 1/5 are those of stiff springs */
    check_apart(&c2, "c^2", mean_power(f, 2), 1 / 3.0);
    check_apart(&c4, "c^4", mean_power(f, 4), 1 / 5.0);
    check_balance(hmc, 0.6);
    cdn_hmc_destroy(hmc);
  }
}
END_TEST

START_TEST(test_four_atoms) {
  const int64_t n = 40000;
  cdn_hmc_def def = cdn_default_hmc_def();
  def.kT = 1, def.step = 0.2, def.steps = 4;
  cdn_hmc *hmc = sampler(chain_of_atoms(4, (double[]){ 1, 1, 1, 1 }), &def);
  average c2 = average_of(n), both = average_of(n);
  for (int64_t s = 0; s < n; s++) {
    advance(hmc, 1);
    const double *q = cdn_state_q(cdn_hmc_state(hmc)), a = cosine(q, 0), b = cosine(q, 1);
    take(&c2, 0.5 * (a * a + b * b)), take(&both, a * a * b * b);
  }
  check_apart(&c2, "c^2", 0.3197030635192105, 1 / 3.0);
  check_apart(&both, "c1^2 c2^2", 0.10182541237972312, 1 / 9.0);
  check_balance(hmc, 0.6);
  cdn_hmc_destroy(hmc);
}
END_TEST

/* ---- a free body with a pin ---- */

/* Four atoms of mass 1, unit bonds at right angles, one torsion: the first three on a free body. */
static cdn_state *torsion_of_four(void) {
  cdn_system *system = cdn_system_create(NULL);
  static const cdn_vec3 at[3] = { { 1, 0, 0 }, { 0, 0, 0 }, { 0, 0, 1 } };
  cdn_mass_properties three = { .mass = 3, .com = { 1 / 3.0, 0, 1 / 3.0 } };
  /* about the origin: sum of r^2 - x x */
  double I[6] = { 0 };
  for (int i = 0; i < 3; i++) {
    const double x = at[i].x - 1 / 3.0, z = at[i].z - 1 / 3.0;
    I[0] += z * z + at[i].y * at[i].y, I[1] += x * x + z * z, I[2] += x * x, I[4] -= x * z;
  }
  three.inertia = (cdn_inertia){ I[0], I[1], I[2], I[3], I[4], I[5] };
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_FREE;
  def.mass = three;
  const cdn_body base = cdn_system_add_body(system, &def);
  def = cdn_default_body_def();
  def.parent = base;
  def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ .mass = 1, .com = { 1, 0, 1 } };
  cdn_system_add_body(system, &def);
  return state_of(system);
}

START_TEST(test_torsion_of_four_atoms) {
  const int64_t n = samples(3500, 60000);
  cdn_hmc_def def = cdn_default_hmc_def();
  def.kT = 1, def.step = 0.3, def.steps = 4;
  cdn_hmc *hmc = sampler(torsion_of_four(), &def);
  average c1 = average_of(n), c2 = average_of(n);
  for (int64_t s = 0; s < n; s++) {
    advance(hmc, 1);
    const double phi = cdn_state_q(cdn_hmc_state(hmc))[7];
    take(&c1, cos(phi)), take(&c2, cos(2 * phi));
  }
  /* uniform torsions, with Fixman's potential, have zeros */
  if (is_long()) check_apart(&c1, "cos phi", -0.0400376869661, 0);
  check_apart(&c2, "cos 2 phi", -0.0704145121772, 0);
  check_balance(hmc, 0.6);
  cdn_hmc_destroy(hmc);
}
END_TEST

/* ---- a branch ---- */

/* Bends of three atoms about one in the middle; 2 to 1 and 3 to 1 have one constant, 2 to 3 a softer one. */
static const double NEAR_ONE = 60, APART = 15, BENT = 1.9;

static double bend_energy(double k, double angle) { return k * (angle - BENT) * (angle - BENT); }

/* cos of the angle of 2 and 3, and its square: by polar angles about the direction of 1, and the azimuth between. */
static void mean_of_branch(double mean[2]) {
  double sum[3] = { 0 };
  enum { STEPS = 120 };
  for (int i = 0; i < STEPS; i++)
    for (int j = 0; j < STEPS; j++)
      for (int k = 0; k < STEPS; k++) {
        const double a = PI * (i + 0.5) / STEPS, b = PI * (j + 0.5) / STEPS, turn = 2 * PI * (k + 0.5) / STEPS;
        const double c = cos(a) * cos(b) + sin(a) * sin(b) * cos(turn);
        const double U = bend_energy(NEAR_ONE, a) + bend_energy(NEAR_ONE, b) + bend_energy(APART, acos(c));
        const double weight = sin(a) * sin(b) * exp(-U / RT);
        sum[0] += weight, sum[1] += weight * c, sum[2] += weight * c * c;
      }
  mean[0] = sum[1] / sum[0], mean[1] = sum[2] / sum[0];
}

static cdn_state *branch(const char *rule, cdn_force *field) {
  cdn_molecule *m = cdn_molecule_create("branch");
  for (int i = 0; i < 4; i++) {
    cdn_atom_def a = cdn_default_atom_def();
    const double turn = 2 * PI * i / 3;
    a.mass = i == 0 ? 14 : 2;
    if (i > 0) a.position = cdn_v3(0.1 * sin(BENT) * cos(turn), 0.1 * sin(BENT) * sin(turn), 0.04);
    cdn_molecule_add_atom(m, &a);
    if (i > 0) cdn_molecule_add_bond(m, 0, i), cdn_molecule_add_stretch(m, 0, i, 1e4, 0.1);
  }
  cdn_molecule_add_bend(m, 1, 0, 2, NEAR_ONE, BENT), cdn_molecule_add_bend(m, 1, 0, 3, NEAR_ONE, BENT);
  cdn_molecule_add_bend(m, 2, 0, 3, APART, BENT);
  cdn_molecule_set_mobility(m, rule);
  cdn_system *system = cdn_system_create(NULL);
  *field = cdn_system_add_molecule(system, NULL, m, cdn_ground());
  cdn_molecule_destroy(m);
  return state_of(system);
}

/* Where all bonds of an atom bend, so do all its angles: `flexible` and `atoms` sample what the energy says. */
START_TEST(test_flexible_branch) {
  enum { SAMPLES = FEWER(8000) };
  double expected[2];
  cdn_force field;
  cdn_state *state = branch(_i ? "atoms" : "flexible", &field);
  ck_assert_int_eq(cdn_system_nu(cdn_state_system(state)), 12);
  cdn_hmc_def def = cdn_default_hmc_def();
  def.kT = RT, def.step = 0.007, def.steps = 8;
  cdn_hmc *hmc = sampler(state, &def);
  average c = average_of(SAMPLES), cc = average_of(SAMPLES);
  mean_of_branch(expected);
  for (int s = -100; s < SAMPLES; s++) {
    double x[12];
    advance(hmc, 1);
    if (s < 0) continue;
    OK_ON(cdn_hmc_state(hmc), cdn_force_field_positions(cdn_hmc_state(hmc), field, x));
    const cdn_vec3 a = cdn_v3(x[6] - x[0], x[7] - x[1], x[8] - x[2]),
                   b = cdn_v3(x[9] - x[0], x[10] - x[1], x[11] - x[2]);
    const double cosine = cdn_dot(a, b) / cdn_norm(a) / cdn_norm(b);
    take(&c, cosine), take(&cc, cosine * cosine);
  }
  check_average(&c, "cos of the branch", expected[0], 0.006);
  check_average(&cc, "its square", expected[1], 0.004);
  check_balance(hmc, 0.5);
  cdn_hmc_destroy(hmc);
}
END_TEST

/* ---- repeated, resumed, exchanged ---- */

START_TEST(test_same_bits) {
  cdn_hmc_def def = cdn_default_hmc_def();
  def.kT = 1, def.step = 0.1, def.steps = 3, def.friction = _i ? 1 : INFINITY, def.no_metropolis = _i == 2;
  cdn_hmc *a = sampler(torsion_of_four(), &def), *b = sampler(torsion_of_four(), &def), *c;
  cdn_buffer saved = { 0 };
  advance(a, 20);
  advance(b, 10);
  OK_ON(cdn_hmc_state(b), cdn_state_save(cdn_hmc_state(b), cdn_buffer_write, &saved));
  cdn_state *loaded = torsion_of_four();
  OK_ON(loaded, cdn_state_load(loaded, cdn_buffer_read, &saved));
  cdn_buffer_free(&saved);
  c = sampler(loaded, &def);
  advance(b, 10);
  advance(c, 10);
  for (int k = 0; k < 8; k++) {
    ck_assert(cdn_state_q(cdn_hmc_state(a))[k] == cdn_state_q(cdn_hmc_state(b))[k]);
    ck_assert(cdn_state_q(cdn_hmc_state(a))[k] == cdn_state_q(cdn_hmc_state(c))[k]);
  }
  for (int k = 0; k < 7; k++) ck_assert(cdn_state_u(cdn_hmc_state(a))[k] == cdn_state_u(cdn_hmc_state(c))[k]);
  ck_assert(cdn_state_time(cdn_hmc_state(a)) == cdn_state_time(cdn_hmc_state(c)));
  cdn_hmc_destroy(a), cdn_hmc_destroy(b), cdn_hmc_destroy(c);
}
END_TEST

/* Replicas of a rotor: the cold one has its own mean, though it could not cross its barrier alone. */
START_TEST(test_replica_exchange) {
  enum { REPLICAS = 4, SAMPLES = FEWER(10000) };
  static const double T[REPLICAS] = { 1, 2, 4, 8 };
  cdn_state *state = hindered_rotor(6, 3);
  cdn_hmc *hmc[REPLICAS];
  for (int i = 0; i < REPLICAS; i++) {
    cdn_hmc_def def = cdn_default_hmc_def();
    def.kT = T[i], def.step = 0.02, def.steps = 3;
    OK_ON(state, cdn_state_set_random(state, &(cdn_random_place){ .seed = 3, .run = 100 * (uint32_t)i }));
    OK_ON(state, cdn_hmc_create(state, &def, &hmc[i]));
  }
  cdn_state_destroy(state);
  average cold[2] = { average_of(SAMPLES), average_of(SAMPLES) };
  int all = 0;
  for (int s = 0; s < SAMPLES; s++) {
    int swaps;
    for (int i = 0; i < REPLICAS; i++) advance(hmc[i], 1);
    OK(cdn_hmc_exchange(hmc, REPLICAS, s % 2, &swaps));
    all += swaps;
    const double phi = cdn_state_q(cdn_hmc_state(hmc[0]))[0];
    take(&cold[0], cos(3 * phi)), take(&cold[1], cos(phi));
  }
  ck_assert_int_gt(all, SAMPLES / 4);
  check_average(&cold[0], "cos 3 phi", mean_cos(6), 0.01);
  check_average(&cold[1], "cos phi", 0, 0.06);
  for (int i = 0; i < REPLICAS; i++) cdn_hmc_destroy(hmc[i]);
}
END_TEST

static void add(TCase *tcase) {
  tcase_add_test(tcase, test_kinetic_energy);
  tcase_add_test(tcase, test_hindered_rotors);
  tcase_add_test(tcase, test_chain_in_equal_steps);
  tcase_add_test(tcase, test_chain_under_error_control);
  tcase_add_test(tcase, test_chain_by_the_step_of_sampling);
  tcase_add_test(tcase, test_langevin_and_redrawing);
  tcase_add_test(tcase, test_three_atoms);
  if (is_long()) tcase_add_test(tcase, test_four_atoms);
  tcase_add_test(tcase, test_torsion_of_four_atoms);
  tcase_add_loop_test(tcase, test_flexible_branch, 0, 2);
  tcase_add_loop_test(tcase, test_same_bits, 0, 3);
  tcase_add_test(tcase, test_replica_exchange);
}

CHECK_MAIN_OF("sampling", CHECK_TIMEOUT, add)
