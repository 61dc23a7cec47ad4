/* Hamiltonian Monte Carlo with and without Fixman's potential, on molecules whose averages are known. The numbers are
 * of ../shared/molecular/reference_values.json: closed forms and quadrature there; Fixman, PNAS 71:3050 (1974); Go and
 * Scheraga, Macromolecules 9:535 (1976); Pear and Weiner, J. Chem. Phys. 71:212 (1979); Cantarella, Deguchi,
 * Shonkwiler, Comm. Pure Appl. Math. 67:1658 (2014); TraPPE-UA of Martin and Siepmann, J. Phys. Chem. B 102:2569
 * (1998). Without CARDAN_TEST_LONG, little but what the potential is there for is looked at. */
#include <cardan/fixman.h>

#include "../molecule_system.h"
#include "averages.h"

static const double RT = 300 * CDN_GAS_CONSTANT;

typedef struct model {
  cdn_hmc *hmc;
  cdn_force field;
} model;

/* A sampler of a molecule, which it takes, with kT = RT. */
static model make(cdn_molecule *m, bool fixman, double step, int steps) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_fixman_coordinate list[16];
  cdn_fixman_def with = cdn_default_fixman_def();
  cdn_hmc_def how = cdn_default_hmc_def();
  model out = { .field = cdn_system_add_molecule(system, NULL, m, cdn_ground()) };
  with.coordinates = list, with.n_coordinates = cdn_force_field_fixman_coordinates(system, out.field, list, 16);
  if (fixman) cdn_system_add_fixman(system, NULL, &with);
  cdn_molecule_destroy(m);
  how.kT = RT, how.step = step, how.steps = steps;
  out.hmc = sampler(state_of(system), &how);
  return out;
}

/* Atoms after the next trajectory. */
static void next(const model *m, cdn_vec3 *p) {
  double x[18];
  cdn_state *state = cdn_hmc_state(m->hmc);
  advance(m->hmc, 1);
  OK_ON(state, cdn_force_field_positions(state, m->field, x));
  for (int i = 0; i < cdn_force_field_atom_count(cdn_state_system(state), m->field); i++)
    p[i] = cdn_v3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

static double cosine(cdn_vec3 a, cdn_vec3 b, cdn_vec3 c) {
  const cdn_vec3 u = cdn_sub(b, a), v = cdn_sub(c, b);
  return cdn_dot(u, v) / cdn_norm(u) / cdn_norm(v);
}
static double dihedral(const cdn_vec3 *p) {
  const cdn_vec3 u = cdn_sub(p[1], p[0]), v = cdn_sub(p[2], p[1]), w = cdn_sub(p[3], p[2]);
  const cdn_vec3 n = cdn_cross(u, v), k = cdn_cross(v, w);
  return atan2(cdn_norm(v) * cdn_dot(u, k), cdn_dot(n, k));
}

/* A step of `part` times sqrt(mass / RT): unit lengths are passed in sqrt(mass / kT). */
static double step_of(double part, double mass) { return part * sqrt(mass / RT); }

/* ---- chains ---- */

static const double bent[4][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, 1, 0 }, { 1, 1, 1 } };

/* Three atoms on two rods: the mean of c^2 and c^4. */
START_TEST(three_atoms) {
  static const double masses[2][3] = { { 12, 1, 12 }, { 1, 1, 1 } };
  static const double c2_rigid[2] = { 0.2732735549952752, 0.32102105387422875 };
  static const double c4_rigid[2] = { 0.1469389584026424, 0.18938947699794334 };
  for (int i = 0; i < (is_long() ? 2 : 1); i++)
    for (int fixman = !is_long(); fixman < 2; fixman++) {
      cdn_molecule *m = chain_of_atoms(3, bent, masses[i], false);
      cdn_molecule_set_bond_mobility(m, 1, 2, CDN_BOND_TORSION_BEND);
      model at = make(m, fixman, step_of(0.15, masses[i][1]), 6);
      const int64_t n = samples(4000, i ? 180000 : 20000);
      average c2 = average_of(n), c4 = average_of(n);
      for (int64_t k = 0; k < n; k++) {
        cdn_vec3 p[3];
        next(&at, p);
        const double c = cosine(p[0], p[1], p[2]);
        take(&c2, c * c), take(&c4, c * c * c * c);
      }
      check_apart(&c2, "c^2", fixman ? 1.0 / 3 : c2_rigid[i], fixman ? c2_rigid[i] : 1.0 / 3);
      check_apart(&c4, "c^4", fixman ? 1.0 / 5 : c4_rigid[i], fixman ? c4_rigid[i] : 1.0 / 5);
      check_balance(at.hmc, 0.6);
      cdn_hmc_destroy(at.hmc);
    }
}
END_TEST

/* Four atoms on three rods. */
START_TEST(four_atoms) {
  static const double c2_of[2] = { 0.3197030635192105, 1.0 / 3 }, both_of[2] = { 0.10182541237972312, 1.0 / 9 };
  for (int fixman = 0; fixman < 2; fixman++) {
    cdn_molecule *m = chain_of_atoms(4, bent, NULL, false);
    cdn_molecule_set_mobility(m, "atoms");
    for (int k = 0; k < 3; k++) cdn_molecule_set_bond_mobility(m, k, k + 1, CDN_BOND_CUT);
    model at = make(m, fixman, step_of(0.2, 1), 4);
    const int64_t n = 60000;
    average c2 = average_of(n), both = average_of(n);
    for (int64_t k = 0; k < n; k++) {
      cdn_vec3 p[4];
      next(&at, p);
      const double a = pow(cosine(p[0], p[1], p[2]), 2), b = pow(cosine(p[1], p[2], p[3]), 2);
      take(&c2, (a + b) / 2), take(&both, a * b);
    }
    check_apart(&c2, "c^2", c2_of[fixman], c2_of[!fixman]);
    check_apart(&both, "c1^2 c2^2", both_of[fixman], both_of[!fixman]);
    check_balance(at.hmc, 0.5);
    cdn_hmc_destroy(at.hmc);
  }
}
END_TEST

/* Four atoms in a ring of rods: its diagonals d and e. */
START_TEST(ring_of_four) {
  static const double ring[4][3] = { { 0, 0, 0 }, { 0.8, 0.6, 0 }, { 0.8, 0.6, 1 }, { 0, 0, 1 } };
  static const double d_of[2] = { 1.051023, 1.0 }, both_of[2] = { 1.302237, 1.0666666666666667 };
  for (int fixman = !is_long(); fixman < 2; fixman++) {
    cdn_molecule *m = chain_of_atoms(4, ring, NULL, true);
    cdn_molecule_set_mobility(m, "atoms");
    for (int k = 0; k < 4; k++) cdn_molecule_set_bond_mobility(m, k, (k + 1) % 4, CDN_BOND_CUT);
    model at = make(m, fixman, step_of(0.2, 1), 4);
    const int64_t n = samples(1500, 25000);
    average d = average_of(n), both = average_of(n);
    for (int64_t k = 0; k < n; k++) {
      cdn_vec3 p[4];
      next(&at, p);
      const double one = cdn_norm(cdn_sub(p[2], p[0])), other = cdn_norm(cdn_sub(p[3], p[1]));
      take(&d, (one + other) / 2), take(&both, one * one * other * other);
    }
    check_apart(&d, "d", d_of[fixman], d_of[!fixman]);
    check_apart(&both, "d^2 e^2", both_of[fixman], both_of[!fixman]);
    check_balance(at.hmc, 0.4);
    cdn_hmc_destroy(at.hmc);
  }
}
END_TEST

/* ---- torsions ---- */

/* Places atom 3 so that bond 2-3 makes the angle with bond 1-2 and the dihedral phi. */
static void place(double x[4][3], double length, double cosine, double phi) {
  const double s = sqrt(1 - cosine * cosine);
  const double at[4][3] = { { length * s, 0, length * cosine },
                            { 0, 0, 0 },
                            { 0, 0, length },
                            { length * s * cos(phi), length * s * sin(phi), length * (1 - cosine) } };
  memcpy(x, at, sizeof at);
}

/* One torsion of four atoms without a potential. */
START_TEST(torsion_of_four_atoms) {
  static const double c1_rigid[2] = { -0.0400376869661, -0.0256110787561 };
  static const double c2_rigid[2] = { -0.0704145121772, -0.0743705117569 };
  for (int tetrahedral = 0; tetrahedral < (is_long() ? 2 : 1); tetrahedral++)
    for (int fixman = !is_long(); fixman < 2; fixman++) { /* without it: test_sampling */
      double x[4][3];
      place(x, 1, tetrahedral ? -1.0 / 3 : 0, 1);
      cdn_molecule *m = chain_of_atoms(4, x, NULL, false);
      cdn_molecule_set_bond_mobility(m, 1, 2, CDN_BOND_TORSION);
      model at = make(m, fixman, step_of(0.25, 1), 4);
      const int64_t n = samples(3000, tetrahedral ? 250000 : 60000);
      average c1 = average_of(n), c2 = average_of(n);
      for (int64_t k = 0; k < n; k++) {
        cdn_vec3 p[4];
        next(&at, p);
        const double phi = dihedral(p);
        take(&c1, cos(phi)), take(&c2, cos(2 * phi));
      }
      if (is_long()) /* it is small */
        check_apart(&c1, "cos phi", fixman ? 0 : c1_rigid[tetrahedral], fixman ? c1_rigid[tetrahedral] : 0);
      check_apart(&c2, "cos 2 phi", fixman ? 0 : c2_rigid[tetrahedral], fixman ? c2_rigid[tetrahedral] : 0);
      check_balance(at.hmc, 0.6);
      cdn_hmc_destroy(at.hmc);
    }
}
END_TEST

static const double butane_masses[] = { 15.0345, 14.0266, 14.0266, 15.0345 };
static const double butane_k[] = { 2.9518836633217944, -0.5669632059316485, 6.579400558994458 }; /* kJ/mol */

static cdn_molecule *butane(void) {
  double x[4][3];
  place(x, 0.154, cos(114 * PI / 180), PI);
  cdn_molecule *m = chain_of_atoms(4, x, butane_masses, false);
  cdn_molecule_set_bond_mobility(m, 1, 2, CDN_BOND_TORSION);
  for (int n = 1; n <= 3; n++) cdn_molecule_add_torsion(m, 0, 1, 2, 3, n, butane_k[n - 1], n == 2 ? PI : 0);
  return m;
}

static const double butane_trans[2] = { 0.6242421, 0.662742 }, butane_cosine[2] = { -0.4531136, -0.5033709 };

/* Butane at 300 K. Its barriers are passed seldom: the long run waits for it. Here the potential is switched off,
 * and samples are weighted by exp(-U/RT). */
START_TEST(butane_weighted) {
  for (int fixman = !is_long(); fixman < 2; fixman++) {
    model at = make(butane(), fixman, 0.06, 4);
    cdn_state *state = cdn_hmc_state(at.hmc);
    OK_ON(state, cdn_force_field_set_factor(state, at.field, CDN_TERM_TORSION, 0));
    const int64_t n = samples(10000, 100000);
    double weight[BLOCKS] = { 0 }, trans[BLOCKS] = { 0 }, cosines[BLOCKS] = { 0 };
    for (int64_t k = 0; k < n; k++) {
      cdn_vec3 p[4];
      next(&at, p);
      const double phi = dihedral(p);
      double U = 0;
      for (int i = 1; i <= 3; i++) U += butane_k[i - 1] * (1 + (i == 2 ? -1 : 1) * cos(i * phi));
      const double w = exp(-U / RT);
      const int64_t b = k * BLOCKS / n;
      weight[b] += w, trans[b] += w * (fabs(phi) > 2 * PI / 3), cosines[b] += w * cos(phi);
    }
    /* the ratio of sums, to first order: what blocks differ from it by */
    double all = 0, sum[2] = { 0, 0 };
    for (int b = 0; b < BLOCKS; b++) all += weight[b], sum[0] += trans[b], sum[1] += cosines[b];
    average of[2] = { average_of(BLOCKS), average_of(BLOCKS) };
    for (int b = 0; b < BLOCKS; b++) {
      const double share = weight[b] * BLOCKS / all;
      take(&of[0], sum[0] / all + (trans[b] / weight[b] - sum[0] / all) * share);
      take(&of[1], sum[1] / all + (cosines[b] / weight[b] - sum[1] / all) * share);
    }
    check_apart(&of[0], "weighted trans", butane_trans[fixman], butane_trans[!fixman]);
    check_apart(&of[1], "weighted cos phi", butane_cosine[fixman], butane_cosine[!fixman]);
    cdn_hmc_destroy(at.hmc);
  }
}
END_TEST

START_TEST(butane_waited_for) {
  for (int fixman = 0; fixman < 2; fixman++) {
    model at = make(butane(), fixman, 0.03, 12);
    const int64_t n = 300000;
    average trans = average_of(n), c = average_of(n);
    for (int64_t k = 0; k < n; k++) {
      cdn_vec3 p[4];
      next(&at, p);
      const double phi = dihedral(p);
      take(&trans, fabs(phi) > 2 * PI / 3), take(&c, cos(phi));
    }
    check_apart(&trans, "trans", butane_trans[fixman], butane_trans[!fixman]);
    check_apart(&c, "cos phi", butane_cosine[fixman], butane_cosine[!fixman]);
    check_balance(at.hmc, 0.6);
    cdn_hmc_destroy(at.hmc);
  }
}
END_TEST

static void tests(TCase *tc) {
  tcase_add_test(tc, three_atoms);
  if (is_long()) tcase_add_test(tc, four_atoms);
  tcase_add_test(tc, ring_of_four);
  tcase_add_test(tc, torsion_of_four_atoms);
  tcase_add_test(tc, butane_weighted);
  if (is_long()) tcase_add_test(tc, butane_waited_for);
}

CHECK_MAIN_OF("fixman_sampling", CHECK_TIMEOUT, tests)
