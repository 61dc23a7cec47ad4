/* Fixman's potential: closed forms of densities (../shared/molecular/reference_values.json says where they are from),
 * ln det(G M^-1 G^T) of a protein, forces against differences of the energy. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include <cardan/fixman.h>

#include "../testing.h"

static const double RT = 300 * CDN_GAS_CONSTANT;

typedef struct model {
  cdn_system *system;
  cdn_state *state;
  cdn_force field, fixman;
} model;

/* Freezes a System of a molecule, with Fixman's potential. */
static model make(const cdn_molecule *m) {
  model out = { .system = cdn_system_create(NULL) };
  cdn_fixman_coordinate list[64];
  cdn_fixman_def def = cdn_default_fixman_def();
  out.field = cdn_system_add_molecule(out.system, NULL, m, cdn_ground());
  def.coordinates = list, def.n_coordinates = cdn_force_field_fixman_coordinates(out.system, out.field, list, 64);
  ck_assert(def.n_coordinates >= 0 && def.n_coordinates <= 64);
  out.fixman = cdn_system_add_fixman(out.system, "fixman", &def);
  OK_FREEZE(out.system);
  OK(cdn_state_create(out.system, &out.state));
  return out;
}
static void drop(model *m) {
  cdn_state_destroy(m->state);
  cdn_system_release(m->system);
}

/* U_F/RT. */
static double fixman_of(const model *m) {
  double U;
  OK_ON(m->state, cdn_force_contribution(m->state, m->fixman, NULL, NULL, NULL, &U));
  return U / RT;
}

/* A chain of atoms without terms; masses NULL: 1. */
static cdn_molecule *chain(int n, const double (*x)[3], const double *masses, bool closed) {
  cdn_molecule *m = cdn_molecule_create("chain");
  for (int i = 0; i < n; i++) {
    cdn_atom_def a = cdn_default_atom_def();
    a.mass = masses ? masses[i] : 1, a.position = cdn_v3(x[i][0], x[i][1], x[i][2]);
    cdn_molecule_add_atom(m, &a);
    if (i > 0) cdn_molecule_add_bond(m, i - 1, i);
  }
  if (closed) cdn_molecule_add_bond(m, n - 1, 0);
  return m;
}

/* Places atom 3 so that bond 2-3 makes the angle with bond 1-2 (0: it goes straight on back) and the dihedral phi. */
static void place(double x[4][3], double length, double cos1, double cos2, double phi) {
  const double s1 = sqrt(1 - cos1 * cos1), s2 = sqrt(1 - cos2 * cos2);
  const double at[4][3] = { { length * s1, 0, length * cos1 },
                            { 0, 0, 0 },
                            { 0, 0, length },
                            { length * s2 * cos(phi), length * s2 * sin(phi), length * (1 - cos2) } };
  memcpy(x, at, sizeof at);
}

static double potential_at(cdn_state *state, cdn_force force, const double *q) {
  double U;
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_force_contribution(state, force, NULL, NULL, NULL, &U));
  return U;
}

/* The force is minus the derivative of the energy, along `count` mobilities from `from` on. Differences of fourth order:
 * their error is about 1e-16 U/h. */
static void check_force(cdn_system *system, cdn_state *state, cdn_force force, int from, int count, double tolerance) {
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system);
  double *q = malloc((size_t)nq * sizeof *q), *p = malloc((size_t)nq * sizeof *p),
         *rate = malloc((size_t)nq * sizeof *p);
  double *f = calloc((size_t)nu, sizeof *f), *u = calloc((size_t)nu, sizeof *u), most = 0;
  memcpy(q, cdn_state_q(state), (size_t)nq * sizeof *q);
  OK_ON(state, cdn_force_contribution(state, force, NULL, f, NULL, NULL));
  for (int k = 0; k < nu; k++) most = fmax(most, fabs(f[k]));
  for (int k = from; k < from + count && k < nu; k++) {
    static const double at[4] = { -2, -1, 1, 2 }, weight[4] = { 1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12 };
    const double h = 1e-3;
    double slope = 0;
    u[k] = 1;
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_multiply_by_N(state, u, rate));
    u[k] = 0;
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < nq; i++) p[i] = q[i] + at[s] * h * rate[i];
      slope += weight[s] / h * potential_at(state, force, p);
    }
    ck_assert_msg(fabs(slope + f[k]) <= tolerance * most, "mobility %d: %.12g, not %.12g (of %g)", k, f[k], -slope,
                  most);
  }
  OK_ON(state, cdn_state_set_q(state, q));
  free(q), free(p), free(rate), free(f), free(u);
}

/* A chain of point masses: the first one is free, and each bond a mobilizer: of a direction, or of azimuth, zenith (the
 * angle of the bonds) and length. Closed: by a rod; of bonds with a length all are rods, too. */
static model make_by_hand(int n, const double (*x)[3], const double *masses, cdn_mobilizer kind, bool closed) {
  model out = { .system = cdn_system_create(NULL), .field = { -1 } };
  const bool has_length = kind == CDN_SPHERICAL_COORDS;
  cdn_fixman_coordinate list[8];
  cdn_fixman_def fixman = cdn_default_fixman_def();
  cdn_body atom[4] = { { 0 } };
  cdn_rotation R = cdn_rotation_identity();
  cdn_transform X[4];
  double q[4][3];
  fixman.coordinates = list;
  for (int i = 0; i < n; i++) {
    const double mass = masses ? masses[i] : 1;
    cdn_body_def def = cdn_default_body_def();
    const cdn_vec3 from = i ? cdn_v3(x[i - 1][0], x[i - 1][1], x[i - 1][2]) : cdn_v3(0, 0, 0);
    const cdn_vec3 bond = cdn_sub(cdn_v3(x[i][0], x[i][1], x[i][2]), from);
    const cdn_vec3 p = cdn_rotate(cdn_rotation_transpose(R), bond); /* seen from the parent */
    X[i] = (cdn_transform){ cdn_rotation_identity(), cdn_v3(0, 0, 0) };
    if (i && has_length) {
      q[i][0] = atan2(p.y, p.x), q[i][1] = atan2(hypot(p.x, p.y), p.z), q[i][2] = cdn_norm(p);
      X[i].R = cdn_rotation_multiply(cdn_rotation_axis_angle(cdn_v3(0, 0, 1), q[i][0]),
                                     cdn_rotation_axis_angle(cdn_v3(0, 1, 0), q[i][1]));
    } else if (i) X[i].R = cdn_rotation_z_to(cdn_scale(1 / cdn_norm(p), p));
    else X[i].p = p;
    def.parent = i ? atom[i - 1] : cdn_ground(), def.allow_improper = true, def.mass.mass = mass;
    def.mobilizer = i ? kind : CDN_TRANSLATION;
    if (i && !has_length) def.X_BM.p = cdn_v3(0, 0, -cdn_norm(bond));
    if (i && has_length) {
      list[fixman.n_coordinates++] = (cdn_fixman_coordinate){ { 0 }, 1, CDN_FIXMAN_ANGLE };
      list[fixman.n_coordinates++] = (cdn_fixman_coordinate){ { 0 }, 2, CDN_FIXMAN_LENGTH };
    }
    atom[i] = cdn_system_add_body(out.system, &def);
    if (i && has_length) list[fixman.n_coordinates - 1].body = list[fixman.n_coordinates - 2].body = atom[i];
    R = cdn_rotation_multiply(R, X[i].R);
  }
  for (int i = 0; closed && i < n; i++)
    if (i == n - 1 || has_length)
      cdn_system_constrain_rod(out.system, NULL, atom[i], cdn_v3(0, 0, 0), atom[(i + 1) % n], cdn_v3(0, 0, 0), 1);
  out.fixman = cdn_system_add_fixman(out.system, NULL, &fixman);
  OK_FREEZE(out.system);
  OK(cdn_state_create(out.system, &out.state));
  for (int i = 0; i < n; i++) {
    if (i && has_length) OK_ON(out.state, cdn_body_set_q(out.state, atom[i], 3, q[i]));
    else OK_ON(out.state, cdn_body_set_q_to_fit_transform(out.state, atom[i], X[i]));
  }
  return out;
}

/* ---- densities ---- */

/* U_F = RT/2 ln of a polynomial of the torsion's cosine, and a constant. */
START_TEST(torsion_of_four_atoms) {
  for (int tetrahedral = 0; tetrahedral < 2; tetrahedral++) {
    const double angle = tetrahedral ? -1.0 / 3 : 0;
    for (int i = 0; i < 9; i++) {
      double x[4][3];
      const double phi = -3.1 + 0.7 * i, c = cos(phi);
      const double det = tetrahedral ? 1024.0 / 6561 * (475 - 28 * c - 222 * c * c - 8 * c * c * c + 8 * c * c * c * c)
                                     : 70 - 8 * c - 32 * c * c + 2 * c * c * c * c;
      place(x, 1, angle, angle, phi);
      cdn_molecule *m = chain(4, x, NULL, false);
      cdn_molecule_set_bond_mobility(m, 1, 2, CDN_BOND_TORSION);
      model at = make(m);
      NEAR(fixman_of(&at), 0.5 * log(det), 1e-12);
      drop(&at);
      cdn_molecule_destroy(m);
    }
  }
}
END_TEST

START_TEST(butane) {
  static const double masses[] = { 15.0345, 14.0266, 14.0266, 15.0345 };
  static const double log_det[] = { 7.2803041768, 7.8918168677, 7.9512217731, 7.5396508985 };
  for (int i = 0; i < 4; i++) {
    double x[4][3];
    place(x, 0.154, cos(114 * PI / 180), cos(114 * PI / 180), i * PI / 3);
    cdn_molecule *m = chain(4, x, masses, false);
    cdn_molecule_set_bond_mobility(m, 1, 2, CDN_BOND_TORSION);
    model at = make(m);
    NEAR(fixman_of(&at), 0.5 * log_det[i], 1e-10);
    drop(&at);
    cdn_molecule_destroy(m);
  }
}
END_TEST

/* Rigid bonds and free angles: what Fixman's potential takes away is sqrt(det H) (Kramers): sqrt(1 - f c^2) of three
 * atoms, sqrt(8 - 2 c1^2 - 2 c2^2) of four. */
START_TEST(freely_jointed_chains) {
  static const double masses[3][3] = { { 1, 1, 1 }, { 12, 1, 12 }, { 1, 12, 1 } };
  for (int k = 0; k < 3; k++) {
    const double *w = masses[k], f = w[0] * w[2] / ((w[0] + w[1]) * (w[1] + w[2]));
    double first = 0;
    for (int i = 0; i < 7; i++) {
      double x[4][3];
      const double c = -0.9 + 0.3 * i;
      place(x, 1, c, 0, 0);
      cdn_molecule *m = chain(3, x, w, false);
      cdn_molecule_set_bond_mobility(m, 1, 2, CDN_BOND_TORSION_BEND);
      model at = make(m);
      const double rest = fixman_of(&at) - 0.5 * log(1 - f * c * c);
      if (i == 0) first = rest;
      NEAR(rest, first, 1e-12);
      drop(&at);
      cdn_molecule_destroy(m);
    }
  }
  double first = 0;
  for (int i = 0; i < 12; i++) {
    double x[4][3];
    const double c1 = -0.8 + 0.4 * (i % 4), c2 = 0.7 - 0.5 * (i / 4);
    place(x, 1, c1, c2, 0.3 + i);
    model at = make_by_hand(4, x, NULL, CDN_LINE_ORIENTATION, false);
    const double rest = fixman_of(&at) - 0.5 * log(8 - 2 * c1 * c1 - 2 * c2 * c2);
    if (i == 0) first = rest;
    NEAR(rest, first, 1e-12);
    drop(&at);
  }
}
END_TEST

/* If every length, angle and dihedral is a coordinate, nothing is rigid, and there is nothing to take away: U_F is
 * RT/2 times 3 ln of each mass. */
START_TEST(nothing_is_rigid) {
  static const double masses[] = { 12, 1, 16, 14 };
  for (int i = 0; i < 6; i++) {
    double x[4][3];
    place(x, 0.1 + 0.02 * i, 0.5 - 0.2 * i, -0.6 + 0.2 * i, 0.3 + i);
    x[3][0] *= 1.1, x[0][2] += 0.01;
    for (int n = 3; n <= 4; n++) {
      double expected = 0;
      for (int k = 0; k < n; k++) expected += 1.5 * log(masses[k]);
      model at;
      if (n == 4) at = make_by_hand(n, x, masses, CDN_SPHERICAL_COORDS, false);
      else {
        cdn_molecule *m = chain(n, x, masses, false);
        for (int k = 0; k + 1 < n; k++) cdn_molecule_set_bond_mobility(m, k, k + 1, CDN_BOND_FLEXIBLE);
        at = make(m);
        cdn_molecule_destroy(m);
      }
      ck_assert_int_eq(cdn_system_nu(at.system), 3 * n);
      NEAR(fixman_of(&at), expected, 1e-11);
      drop(&at);
    }
  }
}
END_TEST

/* Four atoms in a ring of unit rods, by the diagonal d and the dihedral chi about it: whatever the tree and the bond
 * that closes the ring, what Fixman's potential takes away is sqrt(16 - 8 (a^2 + b^2) + (a^2 - b^2)^2). */
START_TEST(ring_of_four) {
  for (int tree = 0; tree < 3; tree++) {
    double first = 0;
    for (int i = 0; i < 12; i++) {
      const double d = 0.3 + 0.4 * (i % 4), chi = 0.5 + 0.9 * (i / 4), s = sqrt(1 - d * d / 4);
      const double a = d * d / 4 + (1 - d * d / 4) * cos(chi), b = 1 - d * d / 2;
      const double x[4][3] = { { -d / 2, 0, 0 }, { 0, s, 0 }, { d / 2, 0, 0 }, { 0, s * cos(chi), s * sin(chi) } };
      model at;
      if (tree == 0) { /* free atoms, four rods */
        cdn_molecule *m = chain(4, x, NULL, true);
        cdn_molecule_set_mobility(m, "atoms");
        for (int k = 0; k < 4; k++) cdn_molecule_set_bond_mobility(m, k, (k + 1) % 4, CDN_BOND_CUT);
        at = make(m);
        cdn_molecule_destroy(m);
      } else at = make_by_hand(4, x, NULL, tree == 1 ? CDN_LINE_ORIENTATION : CDN_SPHERICAL_COORDS, true);
      const double rest = fixman_of(&at) - 0.5 * log(16 - 8 * (a * a + b * b) + (a * a - b * b) * (a * a - b * b));
      if (i == 0) first = rest;
      NEAR(rest, first, 1e-11);
      check_force(at.system, at.state, at.fixman, 0, 100, 1e-9);
      drop(&at);
    }
  }
}
END_TEST

/* ---- forces ---- */

static double zigzag[6][3] = { { 0, 0, 0 },          { 0.15, 0.01, 0 },  { 0.2, 0.15, 0.02 },
                               { 0.34, 0.17, 0.05 }, { 0.4, 0.3, 0.12 }, { 0.53, 0.33, 0.06 } };

/* Every mobility of bonds, with and without a rod that closes the chain. */
START_TEST(forces_of_bonds_that_move) {
  static const cdn_bond_mobility mobility[] = { CDN_BOND_TORSION, CDN_BOND_TORSION_BEND, CDN_BOND_FLEXIBLE,
                                                CDN_BOND_BALL };
  for (int closed = 0; closed < 2; closed++) {
    cdn_molecule *m = chain(6, zigzag, (double[]){ 12, 14, 12, 16, 1, 12 }, closed);
    for (int k = 1; k < 5; k++)
      if (k < 4 ? k > 1 || mobility[_i] != CDN_BOND_BALL : mobility[_i] != CDN_BOND_TORSION)
        cdn_molecule_set_bond_mobility(m, k, k + 1, mobility[_i]);
    if (closed) cdn_molecule_set_bond_mobility(m, 5, 0, CDN_BOND_CUT);
    model at = make(m);
    /* a bond's length is 0.1: differences of ln(length) with steps of 1e-3 know it to 1e-8 */
    check_force(at.system, at.state, at.fixman, 0, 100, mobility[_i] == CDN_BOND_FLEXIBLE ? 2e-7 : 1e-9);
    drop(&at);
    cdn_molecule_destroy(m);
  }
}
END_TEST

static void tests(TCase *tc) {
  tcase_add_test(tc, torsion_of_four_atoms);
  tcase_add_test(tc, butane);
  tcase_add_test(tc, freely_jointed_chains);
  tcase_add_test(tc, nothing_is_rigid);
  tcase_add_test(tc, ring_of_four);
  tcase_add_loop_test(tc, forces_of_bonds_that_move, 0, 4);
}

CHECK_MAIN_OF("fixman", CHECK_TIMEOUT, tests)
