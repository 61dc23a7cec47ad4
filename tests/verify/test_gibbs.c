/* Gibbs' alternation: models of one molecule with other mobilities take turns and hand positions over. Averages of two
 * torsions that feel each other are those of quadrature; bits are repeated and resumed. */
#include <cardan/fixman.h>

#include "averages.h"

static const double RT = 300 * CDN_GAS_CONSTANT;
enum { ATOMS = 5, NQ = 9 };

/* Five atoms in a row, of which the ends repel each other. */
static cdn_molecule *describe(void) {
  static const double x[ATOMS][3] = {
    { 0.05, 0.14, 0 }, { 0, 0, 0 }, { 0.15, 0, 0 }, { 0.2, 0.14, 0 }, { 0.33, 0.15, 0.07 }
  };
  cdn_molecule *m = cdn_molecule_create("five");
  for (int i = 0; i < ATOMS; i++) {
    cdn_atom_def a = cdn_default_atom_def();
    a.mass = 14, a.charge = i == 0 || i == 4 ? 0.1 : 0, a.position = cdn_v3(x[i][0], x[i][1], x[i][2]);
    cdn_molecule_add_atom(m, &a);
    if (i > 0) cdn_molecule_add_bond(m, i - 1, i);
  }
  cdn_molecule_add_torsion(m, 0, 1, 2, 3, 1, 1.5, 0);
  cdn_molecule_add_torsion(m, 1, 2, 3, 4, 3, 1, 0.5);
  return m;
}

/* The System of a description: which of the two torsions move. */
typedef struct model {
  cdn_state *state;
  cdn_force field, fixman;
  cdn_body bond[2]; /* { -1 }: it does not move */
} model;

static model make(cdn_molecule *m, bool first, bool second) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_molecule_set_bond_mobility(m, 1, 2, first ? CDN_BOND_TORSION : CDN_BOND_RIGID);
  cdn_molecule_set_bond_mobility(m, 2, 3, second ? CDN_BOND_TORSION : CDN_BOND_RIGID);
  model out = { .field = cdn_system_add_molecule(system, NULL, m, cdn_ground()) };
  out.fixman = cdn_system_add_fixman(system, NULL, NULL);
  for (int k = 0; k < 2; k++) out.bond[k] = cdn_force_field_bond_body(system, out.field, k + 1, k + 2);
  out.state = state_of(system);
  return out;
}

static double dihedral(const double *x) {
  cdn_vec3 p[4];
  for (int i = 0; i < 4; i++) p[i] = cdn_v3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
  const cdn_vec3 u = cdn_sub(p[1], p[0]), v = cdn_sub(p[2], p[1]), w = cdn_sub(p[3], p[2]);
  return atan2(cdn_norm(v) * cdn_dot(u, cdn_cross(v, w)), cdn_dot(cdn_cross(u, v), cdn_cross(v, w)));
}

/* cos phi_1, cos phi_2, cos(phi_1 - phi_2) */
static void cosines(const double *x, double c[3]) {
  const double one = dihedral(x), two = dihedral(x + 3);
  c[0] = cos(one), c[1] = cos(two), c[2] = cos(one - two);
}

/* Means over exp(-U/RT) d phi_1 d phi_2, the density of stiff springs, by sums over a grid: exact to rounding. */
static void calc_means(double mean[3]) {
  enum { GRID = 48 };
  cdn_molecule *m = describe();
  model at = make(m, true, true);
  double of = 0;
  OK_ON(at.state, cdn_fixman_set_temperature(at.state, at.fixman, 0));
  mean[0] = mean[1] = mean[2] = 0;
  for (int i = 0; i < GRID * GRID; i++) {
    const double phi[2] = { 2 * PI * (i / GRID) / GRID, 2 * PI * (i % GRID) / GRID };
    double U, x[3 * ATOMS], c[3];
    for (int k = 0; k < 2; k++) OK_ON(at.state, cdn_body_set_q(at.state, at.bond[k], 1, &phi[k]));
    OK_ON(at.state, cdn_potential_energy(at.state, &U));
    OK_ON(at.state, cdn_force_field_positions(at.state, at.field, x));
    cosines(x, c);
    of += exp(-U / RT);
    for (int k = 0; k < 3; k++) mean[k] += exp(-U / RT) * c[k];
  }
  for (int k = 0; k < 3; k++) mean[k] /= of;
  cdn_state_destroy(at.state);
  cdn_molecule_destroy(m);
}

static cdn_hmc_def how(void) {
  cdn_hmc_def def = cdn_default_hmc_def();
  def.kT = RT, def.step = 0.04, def.steps = 4;
  return def;
}

static void check_means(average *c) {
  static const char *const what[3] = { "cos phi_1", "cos phi_2", "cos(phi_1 - phi_2)" };
  double mean[3];
  calc_means(mean);
  for (int k = 0; k < 3; k++) check_average(&c[k], what[k], mean[k], is_long() ? 0.008 : 0.04);
}

/* ---- one System, whose bonds are locked in turn ---- */

typedef struct pair {
  model of; /* both torsions move; its State is used up */
  cdn_hmc *hmc[2];
} pair;

static pair make_pair(void) {
  cdn_molecule *m = describe();
  pair p = { .of = make(m, true, true) };
  cdn_molecule_destroy(m);
  const cdn_hmc_def def = how();
  for (int k = 0; k < 2; k++) {
    OK_ON(p.of.state, cdn_state_set_random(p.of.state, &(cdn_random_place){ .seed = 5, .run = (uint32_t)k }));
    OK_ON(p.of.state, cdn_body_lock(p.of.state, p.of.bond[!k], CDN_LEVEL_POSITION));
    OK_ON(p.of.state, cdn_hmc_create(p.of.state, &def, &p.hmc[k]));
    OK_ON(p.of.state, cdn_body_unlock(p.of.state, p.of.bond[!k]));
  }
  cdn_state_destroy(p.of.state);
  return p;
}
static void drop_pair(pair *p) {
  for (int k = 0; k < 2; k++) cdn_hmc_destroy(p->hmc[k]);
}

/* Sampler k takes the coordinates of the other one, holds the other bond, and goes on. */
static cdn_state *turn(pair *p, int k) {
  cdn_state *state = cdn_hmc_state(p->hmc[k]);
  OK_ON(state, cdn_body_unlock(state, p->of.bond[!k]));
  OK_ON(state, cdn_state_set_q(state, cdn_state_q(cdn_hmc_state(p->hmc[!k]))));
  OK_ON(state, cdn_body_lock(state, p->of.bond[!k], CDN_LEVEL_POSITION));
  advance(p->hmc[k], 2);
  return state;
}

START_TEST(locks_take_turns) {
  pair p = make_pair();
  const int64_t n = samples(2000, 40000);
  average c[3] = { average_of(n), average_of(n), average_of(n) };
  for (int64_t i = 0; i < n; i++) {
    double x[3 * ATOMS], now[3];
    cdn_state *state = turn(&p, i % 2);
    OK_ON(state, cdn_force_field_positions(state, p.of.field, x));
    cosines(x, now);
    for (int k = 0; k < 3; k++) take(&c[k], now[k]);
  }
  check_means(c);
  for (int k = 0; k < 2; k++) check_balance(p.hmc[k], 0.5);
  drop_pair(&p);
}
END_TEST

static void check_same(const pair *a, const pair *b) {
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < NQ; i++)
      ck_assert(cdn_state_q(cdn_hmc_state(a->hmc[k]))[i] == cdn_state_q(cdn_hmc_state(b->hmc[k]))[i]);
}

START_TEST(bits_are_repeated_and_resumed) {
  cdn_buffer saved[2] = { { 0 }, { 0 } };
  pair a = make_pair(), b = make_pair(), c = make_pair();
  ck_assert_int_eq(cdn_system_nq(cdn_state_system(cdn_hmc_state(a.hmc[0]))), NQ);
  for (int i = 0; i < 20; i++) turn(&a, i % 2);
  for (int i = 0; i < 10; i++) turn(&b, i % 2);
  for (int k = 0; k < 2; k++) {
    OK_ON(cdn_hmc_state(b.hmc[k]), cdn_state_save(cdn_hmc_state(b.hmc[k]), cdn_buffer_write, &saved[k]));
    OK_ON(cdn_hmc_state(c.hmc[k]), cdn_state_load(cdn_hmc_state(c.hmc[k]), cdn_buffer_read, &saved[k]));
    cdn_buffer_free(&saved[k]);
  }
  check_same(&b, &c);
  for (int i = 10; i < 20; i++) turn(&b, i % 2), turn(&c, i % 2);
  check_same(&a, &b);
  check_same(&a, &c);
  drop_pair(&a), drop_pair(&b), drop_pair(&c);
}
END_TEST

/* ---- a System for each turn, of the positions of the last one ---- */

/* Bonds that do not move have the place of the description: so the description takes the positions over. */
static double run_anew(int64_t n, average *c) {
  cdn_molecule *m = describe();
  cdn_random_place place = { .seed = 7 };
  const cdn_hmc_def def = how();
  double x[3 * ATOMS];
  for (int64_t i = 0; i < n; i++) {
    model at = make(m, i % 2 == 0, i % 2 == 1);
    OK_ON(at.state, cdn_state_set_random(at.state, &place));
    cdn_hmc *hmc = sampler(at.state, &def);
    advance(hmc, 2);
    OK_ON(cdn_hmc_state(hmc), cdn_force_field_positions(cdn_hmc_state(hmc), at.field, x));
    OK_ON(cdn_hmc_state(hmc), cdn_state_random(cdn_hmc_state(hmc), def.user, &place));
    cdn_hmc_destroy(hmc);
    cdn_molecule_set_positions(m, x);
    double now[3];
    cosines(x, now);
    for (int k = 0; c && k < 3; k++) take(&c[k], now[k]);
  }
  cdn_molecule_destroy(m);
  return x[3 * ATOMS - 1];
}

START_TEST(systems_take_turns) {
  const int64_t n = samples(2000, 40000);
  average c[3] = { average_of(n), average_of(n), average_of(n) };
  run_anew(n, c);
  check_means(c);
  ck_assert(run_anew(10, NULL) == run_anew(10, NULL));
}
END_TEST

static void tests(TCase *tc) {
  tcase_add_test(tc, locks_take_turns);
  tcase_add_test(tc, systems_take_turns);
  tcase_add_test(tc, bits_are_repeated_and_resumed);
}

CHECK_MAIN_OF("gibbs", CHECK_TIMEOUT, tests)
