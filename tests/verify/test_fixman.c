/* Fixman's potential: closed forms of densities (../shared/molecular/reference_values.json says where they are from),
 * ln det(G M^-1 G^T) of a protein, forces against differences of the energy. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include <cardan/fixman.h>

#include "../molecule_system.h"

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

/* The force is minus the derivative of the energy, along `count` mobilities from `from` on. Differences of fourth
 * order; twice as long steps miss more of a protein, whose potential is steep. */
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
    const double h = 4e-4;
    double slope = 0;
    u[k] = 1;
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_multiply_by_N(state, u, rate));
    u[k] = 0;
    for (int s = 0; s < 4; s++) {
      for (int i = 0; i < nq; i++) p[i] = q[i] + at[s] * h * rate[i];
      slope += weight[s] / h * potential_at(state, force, p);
    }
    /* rounding of U, below 1e-14 kJ/mol times a hundred, over h; where everything moves nothing but that is left */
    ck_assert_msg(fabs(slope + f[k]) <= tolerance * most + 1e-10, "mobility %d: %.12g, not %.12g (of %g)", k, f[k],
                  -slope, most);
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
      cdn_molecule *m = chain_of_atoms(4, x, NULL, false);
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
    cdn_molecule *m = chain_of_atoms(4, x, masses, false);
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
      cdn_molecule *m = chain_of_atoms(3, x, w, false);
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
    /* the root's end or, at last, its middle comes first; the last one is by coordinates of the sphere */
    for (int k = 0; k < 5; k++) {
      const int n = k < 3 ? k + 2 : k == 3 ? 3 : 4;
      double expected = 0;
      for (int j = 0; j < n; j++) expected += 1.5 * log(masses[j]);
      model at;
      if (k < 4) {
        cdn_molecule *m = chain_of_atoms(k == 3 ? 2 : n, x, masses, false);
        if (k == 3) {
          cdn_atom_def a = cdn_default_atom_def();
          a.mass = masses[2], a.position = cdn_v3(0.1, 0.2, -0.1);
          cdn_molecule_add_bond(m, 0, cdn_molecule_add_atom(m, &a));
        }
        for (int j = 0; j + 1 < n; j++) cdn_molecule_set_bond_mobility(m, k == 3 ? 0 : j, j + 1, CDN_BOND_FLEXIBLE);
        at = make(m);
        cdn_molecule_destroy(m);
      } else at = make_by_hand(n, x, masses, CDN_SPHERICAL_COORDS, false);
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
        cdn_molecule *m = chain_of_atoms(4, x, NULL, true);
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
    cdn_molecule *m = chain_of_atoms(6, zigzag, (double[]){ 12, 14, 12, 16, 1, 12 }, closed);
    for (int k = 1; k < 5; k++)
      if (k < 4 ? k > 1 || mobility[_i] != CDN_BOND_BALL : mobility[_i] != CDN_BOND_TORSION)
        cdn_molecule_set_bond_mobility(m, k, k + 1, mobility[_i]);
    if (closed) cdn_molecule_set_bond_mobility(m, 5, 0, CDN_BOND_CUT);
    model at = make(m);
    /* a bond's length is 0.1: differences of ln(length) know less */
    check_force(at.system, at.state, at.fixman, 0, 100, mobility[_i] == CDN_BOND_FLEXIBLE ? 1e-8 : 1e-9);
    drop(&at);
    cdn_molecule_destroy(m);
  }
}
END_TEST

/* ---- proteins ---- */

static const char *directory(void) {
  const char *shared = getenv("CARDAN_SHARED");
  return shared ? shared : "../shared";
}

/* Three disulfide bonds are rods. The reference has ln det(G M^-1 G^T) of two conformations. */
START_TEST(loops_of_a_protein) {
  char path[512];
  cdn_prmtop *prmtop;
  snprintf(path, sizeof path, "%s/molecular/bpti.json", directory());
  json_t *json = json_load_file(path, 0, NULL);
  if (!json) SKIP("no %s", path);
  snprintf(path, sizeof path, "%s/molecular/bpti.prmtop", directory());
  OK(cdn_prmtop_load(path, NULL, &prmtop));
  const json_t *all = json_object_get(json, "conformations");
  int compared = 0;
  for (size_t i = 0; i < json_array_size(all); i++) {
    const json_t *c = json_array_get(all, i), *x = json_object_get(c, "positions");
    const json_t *expected = json_object_get(json_object_get(c, "torsion_model"), "logdet_GMinvGT");
    if (!expected || (SANITIZED && compared > 0)) continue;
    double *y = malloc(3 * json_array_size(x) * sizeof *y), log_det;
    for (size_t k = 0; k < 3 * json_array_size(x); k++)
      y[k] = json_number_value(json_array_get(json_array_get(x, k / 3), k % 3));
    cdn_molecule *m = cdn_molecule_from_prmtop(prmtop, NULL);
    cdn_molecule_set_positions(m, y);
    cdn_molecule_set_mobility(m, "torsions");
    model at = make(m);
    OK_ON(at.state, cdn_calc_log_det_loops(at.state, &log_det));
    NEAR(log_det, json_number_value(expected), 1e-9);
    if (compared++ == 0) /* some torsions of all parts; ln det M is 1e4, known to 1e-11 */
      for (int k = 0; k < cdn_system_nu(at.system); k += SANITIZED ? 150 : 23)
        check_force(at.system, at.state, at.fixman, k, 1, 1e-8);
    drop(&at);
    cdn_molecule_destroy(m);
    free(y);
  }
  ck_assert_int_eq(compared, SANITIZED ? 1 : 2);
  cdn_prmtop_destroy(prmtop);
  json_decref(json);
}
END_TEST

/* ---- any System ---- */

/* Joints of many kinds, and constraints with and without derivatives of their own. */
typedef enum scenario { OPEN, RODS, PLANES, COUPLED, LOCKED, SCENARIO_COUNT } scenario;

static cdn_body add(cdn_system *s, cdn_mobilizer kind, cdn_body parent, double turn) {
  cdn_body_def def = cdn_default_body_def();
  def.parent = parent, def.mobilizer = kind;
  def.mass = (cdn_mass_properties){ .mass = 1 + turn, .com = cdn_v3(0.1, 0.2 * turn, -0.1) };
  def.mass.inertia = (cdn_inertia){ 0.3, 0.4, 0.5, 0.02, -0.03, 0.01 };
  def.X_PF = (cdn_transform){ cdn_rotation_axis_angle(cdn_v3(1, turn, 0.4), 0.7 + turn), cdn_v3(0.3, -0.1, 0.2) };
  def.X_BM = (cdn_transform){ cdn_rotation_axis_angle(cdn_v3(0.3, 1, turn), 1 - turn), cdn_v3(-0.2, 0.1, 0.1 * turn) };
  def.armature = 0.05 * turn;
  return cdn_system_add_body(s, &def);
}

/* From the dense M^-1 of the free mobilities, by elimination. */
static double log_det_of_free(cdn_system *s, cdn_state *state) {
  const int nu = cdn_system_nu(s);
  double A[48 * 48], sum = 0;
  ck_assert_int_le(nu, 48);
  OK_ON(state, cdn_calc_M_inv(state, A));
  for (int i = 0; i < nu; i++) {
    if (A[i * nu + i] == 0) continue; /* prescribed */
    sum -= log(A[i * nu + i]);
    for (int j = i + 1; j < nu; j++) {
      const double by = A[j * nu + i] / A[i * nu + i];
      for (int k = i + 1; k < nu; k++) A[j * nu + k] -= by * A[i * nu + k];
    }
  }
  return sum;
}

START_TEST(forces_of_any_system) {
  cdn_system *s = cdn_system_create(NULL);
  const cdn_body root = add(s, CDN_FREE, cdn_ground(), 0.1), ball = add(s, CDN_BALL, root, 0.3);
  const cdn_body bent = add(s, CDN_UNIVERSAL, ball, 0.5), pin = add(s, CDN_PIN, root, 0.7);
  const cdn_body slid = add(s, CDN_CYLINDER, pin, 0.2), line = add(s, CDN_LINE_ORIENTATION, slid, 0.4);
  const cdn_body far = add(s, CDN_SPHERICAL_COORDS, pin, 0.6), angles = add(s, CDN_GIMBAL, bent, 0.9);
  const cdn_vec3 p = cdn_v3(0.2, 0.1, -0.3), r = cdn_v3(-0.1, 0.3, 0.2);
  switch ((scenario)_i) {
    case RODS:
      cdn_system_constrain_rod(s, "rod", angles, p, line, r, 1);
      cdn_system_constrain_rod(s, "tie", far, p, ball, r, 0.8);
      cdn_system_constrain_rod(s, "anchor", slid, p, cdn_ground(), r, 0.8);
      break;
    case PLANES:
      cdn_system_constrain_point_in_plane(s, "plane", root, cdn_v3(0, 0.6, 0.8), 0.1, angles, p);
      cdn_system_constrain_angle(s, "angle", far, cdn_v3(1, 0, 0), line, cdn_v3(0, 1, 0), 1);
      cdn_system_constrain_ball(s, "pivot", bent, p, line, r);
      break;
    case COUPLED:
      cdn_system_couple_by_polynomial(s, "coupler", (cdn_mobility){ pin, 0 }, 0, (cdn_mobility){ slid, 1 }, 0.1,
                                      (double[]){ 0.1, 0.7, -0.4, 0.3, 0.2 });
      cdn_system_constrain_rod(s, "rod", angles, p, slid, r, 1);
      cdn_system_constrain_no_slip(s, "wheel", root, p, cdn_v3(0, 0, 1), pin, bent); /* of speeds: it does not count */
      break;
    case LOCKED: cdn_system_constrain_rod(s, "rod", angles, p, line, r, 1); break;
    default: break;
  }
  const cdn_force fixman = cdn_system_add_fixman(s, "fixman", NULL);
  OK_FREEZE(s);
  cdn_state *state;
  OK(cdn_state_create(s, &state));
  const int nq = cdn_system_nq(s);
  double q[64];
  memcpy(q, cdn_state_q(state), (size_t)nq * sizeof *q);
  for (int i = 0; i < nq; i++) q[i] += 0.3 + 0.2 * sin(7.0 * i);
  OK_ON(state, cdn_state_set_q(state, q));
  if (_i == LOCKED) {
    OK_ON(state, cdn_body_lock(state, pin, CDN_LEVEL_POSITION));
    OK_ON(state, cdn_body_lock(state, angles, CDN_LEVEL_POSITION));
  }
  if (_i != LOCKED) check_force(s, state, fixman, 0, 100, 1e-9);
  else
    for (int i = 1; i < cdn_system_body_count(s); i++) {
      if (i == pin.i || i == angles.i) continue;
      const cdn_body body = { i };
      check_force(s, state, fixman, cdn_body_first_u(s, body), cdn_body_nu(s, body), 1e-9);
    }
  if (_i == LOCKED) { /* the mass matrix is that of the mobilities that are free */
    double U, log_det, loops;
    OK_ON(state, cdn_force_contribution(state, fixman, NULL, NULL, NULL, &U));
    OK_ON(state, cdn_calc_log_det_M(state, &log_det));
    OK_ON(state, cdn_calc_log_det_loops(state, &loops));
    ck_assert(fabs(U - 0.5 * RT * (log_det + loops)) > 1e-3);
    NEAR(U, 0.5 * RT * (loops + log_det_of_free(s, state)), 1e-10);
  }
  cdn_state_destroy(state);
  cdn_system_release(s);
}
END_TEST

/* ---- temperatures, mistakes ---- */

START_TEST(temperature_is_a_parameter) {
  cdn_molecule *m = chain_of_atoms(6, zigzag, NULL, false);
  cdn_molecule_set_bond_mobility(m, 1, 2, CDN_BOND_TORSION_BEND);
  cdn_molecule_set_bond_mobility(m, 3, 4, CDN_BOND_TORSION_BEND);
  model at = make(m);
  const double U = fixman_of(&at);
  double f[16], g[16];
  ck_assert(cdn_fixman_temperature(at.state, at.fixman) == 300);
  OK_ON(at.state, cdn_force_contribution(at.state, at.fixman, NULL, f, NULL, NULL));
  OK_ON(at.state, cdn_fixman_set_temperature(at.state, at.fixman, 450));
  NEAR(fixman_of(&at), 1.5 * U, 1e-13 * fabs(U));
  OK_ON(at.state, cdn_force_contribution(at.state, at.fixman, NULL, g, NULL, NULL));
  for (int k = 0; k < cdn_system_nu(at.system); k++) NEAR(g[k], 1.5 * f[k], 1e-13 * fabs(f[k]));
  OK_ON(at.state, cdn_fixman_set_temperature(at.state, at.fixman, 0));
  ck_assert(fixman_of(&at) == 0);
  FAILS(cdn_fixman_set_temperature(at.state, at.fixman, -1), CDN_ERR_ARG);
  FAILS(cdn_fixman_set_temperature(at.state, at.fixman, NAN), CDN_ERR_ARG);
  FAILS(cdn_fixman_set_temperature(at.state, at.field, 300), CDN_ERR_ARG);
  ck_assert(isnan(cdn_fixman_temperature(at.state, at.field)));
  ck_assert(cdn_force_field_fixman_coordinates(at.system, at.fixman, NULL, 0) == -1);
  ck_assert(cdn_force_field_fixman_coordinates(at.system, at.field, NULL, 0) == 2);
  drop(&at);
  cdn_molecule_destroy(m);
}
END_TEST

/* A ring of rods in motion: force and potential fit each other along the way. */
START_TEST(energy_is_kept) {
  const double x[4][3] = { { -0.6, 0, 0 }, { 0, 0.8, 0 }, { 0.6, 0, 0 }, { 0, -0.4, 0.69282032302755092 } };
  model at = make_by_hand(4, x, NULL, CDN_LINE_ORIENTATION, true);
  double u[16], U, U0, K, K0;
  for (int i = 0; i < cdn_system_nu(at.system); i++) u[i] = 0.7 * sin(3.0 * i + 1);
  OK_ON(at.state, cdn_state_set_u(at.state, u));
  OK_ON(at.state, cdn_project_u(at.state, NULL, NULL));
  OK_ON(at.state, cdn_potential_energy(at.state, &U0));
  OK_ON(at.state, cdn_kinetic_energy(at.state, &K0));
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_DORMAND_PRINCE, def.accuracy = 1e-9;
  cdn_stepper *stepper;
  OK(cdn_stepper_create(at.state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  OK_ON(at.state, cdn_state_copy(at.state, cdn_stepper_state(stepper)));
  OK_ON(at.state, cdn_potential_energy(at.state, &U));
  OK_ON(at.state, cdn_kinetic_energy(at.state, &K));
  ck_assert_msg(fabs(U - U0) > 1e-3, "nothing happened: %g", U - U0);
  NEAR(U + K, U0 + K0, 1e-7 * fabs(U - U0));
  cdn_stepper_destroy(stepper);
  drop(&at);
}
END_TEST

static void refuses(const cdn_fixman_def *def, cdn_status expected, const char *word) {
  cdn_system *s = cdn_system_create(NULL);
  cdn_error e;
  add(s, CDN_PIN, cdn_ground(), 0.2), add(s, CDN_BALL, cdn_ground(), 0.2);
  ck_assert(cdn_system_add_fixman(s, "mine", def).i < 0);
  FAILS(cdn_system_freeze(s), expected);
  cdn_system_last_error(s, &e);
  ck_assert_msg(strstr(e.text, "mine") && strstr(e.text, word), "%s", e.text);
  cdn_system_release(s);
}

START_TEST(mistakes) {
  cdn_fixman_def def = cdn_default_fixman_def();
  cdn_fixman_coordinate c = { { 1 }, 0, CDN_FIXMAN_ANGLE };
  def.temperature = -1, refuses(&def, CDN_ERR_ARG, "negative");
  def.temperature = NAN, refuses(&def, CDN_ERR_NONFINITE, "nan");
  def.temperature = 300, def.gas_constant = 0, refuses(&def, CDN_ERR_ARG, "positive");
  def.gas_constant = 1, def.n_coordinates = 1, refuses(&def, CDN_ERR_ARG, "NULL");
  def.coordinates = &c;
  c.k = 1, refuses(&def, CDN_ERR_ARG, "number 1");
  c.body.i = 2, c.k = 1, refuses(&def, CDN_ERR_ARG, "coordinate 1");
  c.body.i = 7, refuses(&def, CDN_ERR_ARG, "no body 7");
  c.body.i = 1, c.k = 0, c.kind = CDN_FIXMAN_KIND_COUNT, refuses(&def, CDN_ERR_ARG, "kind 2");

  /* an angle without a sine, and one rod too many */
  for (int twice = 0; twice < 2; twice++) {
    cdn_system *s = cdn_system_create(NULL);
    const cdn_body a = add(s, CDN_FREE, cdn_ground(), 0.1), b = add(s, CDN_PIN, cdn_ground(), 0.2);
    c = (cdn_fixman_coordinate){ b, 0, CDN_FIXMAN_ANGLE };
    def.n_coordinates = !twice;
    cdn_system_add_fixman(s, "mine", &def);
    for (int k = 0; k < 2 * twice; k++) cdn_system_constrain_rod(s, NULL, a, cdn_v3(1, 0, 0), b, cdn_v3(0, 1, 0), 1);
    OK_FREEZE(s);
    cdn_state *state;
    cdn_error e;
    double U;
    OK(cdn_state_create(s, &state));
    FAILS(cdn_potential_energy(state, &U), CDN_ERR_SINGULAR);
    cdn_state_last_error(state, &e);
    ck_assert_msg(strstr(e.text, twice ? "follows from others" : "no sine"), "%s", e.text);
    if (twice) FAILS(cdn_calc_log_det_loops(state, &U), CDN_ERR_SINGULAR);
    cdn_state_destroy(state);
    cdn_system_release(s);
  }
}
END_TEST

static void tests(TCase *tc) {
  tcase_add_test(tc, torsion_of_four_atoms);
  tcase_add_test(tc, butane);
  tcase_add_test(tc, freely_jointed_chains);
  tcase_add_test(tc, nothing_is_rigid);
  tcase_add_test(tc, ring_of_four);
  tcase_add_test(tc, temperature_is_a_parameter);
  tcase_add_test(tc, energy_is_kept);
  tcase_add_test(tc, mistakes);
  tcase_add_test(tc, loops_of_a_protein);
  tcase_add_loop_test(tc, forces_of_any_system, 0, SCENARIO_COUNT);
  tcase_add_loop_test(tc, forces_of_bonds_that_move, 0, 4);
}

CHECK_MAIN_OF("fixman", CHECK_TIMEOUT, tests)
