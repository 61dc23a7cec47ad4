/* cdn_minimize: proteins from their files' coordinates, hexane and argon clusters from many poor starts, in nanometres
 * and in SI units; and what it promises about forces without a potential, constraints, locks and ends. Minima of
 * clusters, in units of epsilon: Wales and Doye, J. Phys. Chem. A 101 (1997) 5111. CARDAN_TEST_LONG: 1000 starts. */
#include <stdio.h>
#include <stdlib.h>

#include "atoms.h"

static const units SCALES[] = { { "nm, Da, ps", 1, 1, 1 }, { "SI", 1e-9, 1.66053906660e-27, 1e-12 } };
enum { N_SCALES = 2, MOST_ATOMS = 20 };

static uint64_t random_;
static double draw(void) {
  random_ = random_ * 6364136223846793005u + 1442695040888963407u;
  return (double)(random_ >> 11) * 0x1p-52 - 1;
}

static int starts(int few) { return getenv("CARDAN_TEST_LONG") ? 1000 : FEWER(few); }

static double energy_of(cdn_state *state) {
  double energy;
  OK_ON(state, cdn_potential_energy(state, &energy));
  return energy;
}

/* The largest generalized force, by the operators, not by accelerations: for models without constraints. */
static double force_left(cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  const size_t nu = (size_t)cdn_system_nu(system), bodies = (size_t)cdn_system_body_count(system);
  cdn_spatial *F = calloc(bodies, sizeof *F);
  double *f = calloc(nu, sizeof *f), *on_mob = calloc(nu, sizeof *on_mob), most = 0;
  OK_ON(state, cdn_applied_forces(state, F, on_mob));
  OK_ON(state, cdn_multiply_by_J_transpose(state, F, f));
  for (size_t k = 0; k < nu; k++) most = fmax(most, fabs(f[k] + on_mob[k]));
  free(F), free(f), free(on_mob);
  return most;
}

/* ---- steps ---- */

/* Places of the atoms, 3 numbers each. */
typedef struct atoms {
  cdn_state *state;
  int n;
  void (*places)(const struct atoms *a, double *p);
} atoms;

/* Stops after 1, 2, 3 ... evaluations: what is returned are the places that were accepted. Energy never rises but for
 * rounding, and no pair of atoms passes through each other: its distance vector never turns by more than a right angle
 * from one place to the next. */
static void check_every_step(const atoms *a, const cdn_minimize_def *final, int evaluations) {
  const size_t nq = (size_t)cdn_system_nq(cdn_state_system(a->state));
  double start[6 * MOST_ATOMS], p[2][3 * MOST_ATOMS], last = energy_of(a->state);
  ck_assert(nq <= 6 * MOST_ATOMS && a->n <= MOST_ATOMS);
  memcpy(start, cdn_state_q(a->state), nq * sizeof *start);
  a->places(a, p[0]);
  for (int k = 1; k < evaluations; k++) {
    cdn_minimize_def def = *final;
    cdn_minimization found;
    def.most_evaluations = k;
    OK_ON(a->state, cdn_state_set_q(a->state, start));
    OK_ON(a->state, cdn_minimize(a->state, &def, &found));
    ck_assert(found.evaluations <= k + 1);
    if (found.end != CDN_MINIMIZE_EVALUATIONS) break;
    const double energy = energy_of(a->state);
    ck_assert_msg(energy <= last + 1e-13 * (fabs(energy) + fabs(last)), "evaluation %d: from %.17g to %.17g", k, last,
                  energy);
    last = energy;
    double *now = p[k % 2], *before = p[(k + 1) % 2];
    a->places(a, now);
    for (int i = 0; i < a->n; i++)
      for (int j = 0; j < i; j++) {
        double along = 0;
        for (int c = 0; c < 3; c++)
          along += (now[3 * i + c] - now[3 * j + c]) * (before[3 * i + c] - before[3 * j + c]);
        ck_assert_msg(along > 0, "evaluation %d: atoms %d and %d", k, i, j);
      }
  }
  OK_ON(a->state, cdn_state_set_q(a->state, start));
}

/* ---- argon ---- */

static void places_of_bodies(const atoms *a, double *p) {
  for (int i = 0; i < a->n; i++) {
    cdn_transform X;
    OK_ON(a->state, cdn_body_pose(a->state, (cdn_body){ i + 1 }, &X));
    p[3 * i] = X.p.x, p[3 * i + 1] = X.p.y, p[3 * i + 2] = X.p.z;
  }
}

static atoms cluster(const units *s, int n) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body body[MOST_ATOMS];
  for (int i = 0; i < n; i++) {
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_TRANSLATION, def.mass.mass = MASS * s->mass;
    body[i] = cdn_system_add_body(system, &def);
    for (int j = 0; j < i; j++) attract(system, s, body[j], body[i]);
  }
  return (atoms){ state_of(system), n, places_of_bodies };
}

/* In a ball, none nearer to another than `nearest` sigma: there the energy of a pair is 4/nearest^12 epsilon. */
static void draw_cluster(int n, double radius, double nearest, double *at) {
  for (int i = 0; i < n;) {
    double *p = at + 3 * i;
    for (int k = 0; k < 3; k++) p[k] = radius * draw() * SIGMA;
    bool far = true;
    for (int j = 0; j < i; j++)
      far = far && hypot(hypot(p[0] - at[3 * j], p[1] - at[3 * j + 1]), p[2] - at[3 * j + 2]) > nearest * SIGMA;
    i += far;
  }
}

/* From one start: the numbers of evaluations must hardly depend on units. Rounding differs, and chaotic ways part. */
static void minimize_cluster(const units *s, const atoms *a, const double *at, bool each_step, double lowest) {
  double q[3 * MOST_ATOMS];
  cdn_minimize_def def = cdn_default_minimize_def();
  cdn_minimization found;
  const double E = epsilon_in(s), F = E / (SIGMA * s->length);
  def.tolerance = 1e-6 * F;
  for (int k = 0; k < 3 * a->n; k++) q[k] = at[k] * s->length;
  OK_ON(a->state, cdn_state_set_q(a->state, q));
  const double before = energy_of(a->state);
  if (each_step) check_every_step(a, &def, 40);
  OK_ON(a->state, cdn_minimize(a->state, &def, &found));
  ck_assert_msg(found.end == CDN_MINIMIZE_BALANCED, "%s, %d atoms: %s after %d, force %g", s->name, a->n,
                cdn_minimize_end_name(found.end), found.evaluations, found.gradient / F);
  NEAR(found.energy_before / before, 1, 1e-14);
  const double after = energy_of(a->state);
  ck_assert(after <= before && found.energy == after);
  ck_assert_msg(after / E > lowest - 1e-6, "%s, %d atoms: %.12g", s->name, a->n, after / E);
  AT_MOST(force_left(a->state), 1.0001 * def.tolerance);
  NEAR(force_left(a->state), found.gradient, 1e-9 * F);
}

START_TEST(argon) {
  static const struct {
    int n;
    double radius, lowest;
  } kinds[] = { { 2, 0.8, -1 }, { 3, 0.8, -3 }, { 4, 0.9, -6 }, { 7, 1.1, -16.505384 }, { 13, 1.4, -44.326801 } };
  const double nearest[] = { 0.85, 0.5, 0.2 };
  int lowest_found = 0;
  for (int k = 0; k < 5; k++)
    for (int s = 0; s < N_SCALES; s++) {
      const atoms a = cluster(&SCALES[s], kinds[k].n);
      const int n = starts(60) / 5;
      for (int run = 0; run < n; run++) {
        double at[3 * MOST_ATOMS];
        random_ = 1000u * (unsigned)k + (unsigned)run;
        draw_cluster(kinds[k].n, kinds[k].radius, nearest[run % 3], at);
        minimize_cluster(&SCALES[s], &a, at, run < 3, kinds[k].lowest);
        lowest_found += fabs(energy_of(a.state) / epsilon_in(&SCALES[s]) - kinds[k].lowest) < 1e-6;
      }
      cdn_state_destroy(a.state);
    }
  if (!SANITIZED) ck_assert_int_gt(lowest_found, 0); /* few starts need not find one */
}
END_TEST

/* ---- hexane ---- */

enum { CARBONS = 6, HYDROGENS = 14 };

static cdn_vec3 unit_of(cdn_vec3 a) { return cdn_scale(1 / cdn_norm(a), a); }

/* In the units of a scale; no charges. Numbers of the size of AMBER's. */
static cdn_molecule *hexane(const units *u, const char *rule) {
  const double L = u->length, E = u->mass * L * L / (u->time * u->time);
  const double tetrahedral = acos(-1.0 / 3), cc = 0.1526 * L, ch = 0.109 * L;
  const cdn_vec3 e[2] = { { sin(tetrahedral / 2), cos(tetrahedral / 2), 0 },
                          { sin(tetrahedral / 2), -cos(tetrahedral / 2), 0 } };
  cdn_molecule *m = cdn_molecule_create("hexane");
  const int CT = cdn_molecule_add_class(m, "CT", 0.1908 * L, 0.4577 * E);
  const int HC = cdn_molecule_add_class(m, "HC", 0.1487 * L, 0.0657 * E);
  cdn_molecule_define_stretch(m, CT, CT, 129704 * E / (L * L), cc);
  cdn_molecule_define_stretch(m, CT, HC, 142256 * E / (L * L), ch);
  cdn_molecule_define_bend(m, CT, CT, CT, 167 * E, tetrahedral);
  cdn_molecule_define_bend(m, CT, CT, HC, 209 * E, tetrahedral);
  cdn_molecule_define_bend(m, HC, CT, HC, 146 * E, tetrahedral);
  cdn_molecule_define_torsion(m, CDN_ANY_CLASS, CT, CT, CDN_ANY_CLASS, 3, 0.65 * E, 0);
  cdn_molecule_add_residue(m, "HEX", 1);
  cdn_vec3 p = { 0, 0, 0 };
  cdn_atom_def def = cdn_default_atom_def();
  for (int i = 0; i < CARBONS; i++) {
    def.element = 6, def.mass = 12.01 * u->mass, def.atom_class = CT, def.position = p;
    cdn_molecule_add_atom(m, &def);
    if (i) cdn_molecule_add_bond(m, i - 1, i);
    p = cdn_add(p, cdn_scale(cc, e[i % 2]));
  }
  int n = CARBONS;
  for (int i = 0; i < CARBONS; i++) {
    cdn_atom_def carbon = cdn_default_atom_def();
    OK(cdn_molecule_atom(m, i, &carbon));
    /* towards the two neighbours, or to where one would be */
    const cdn_vec3 a = cdn_scale(-1, e[(i + 1) % 2]), b = e[i % 2];
    const cdn_vec3 out = unit_of(cdn_scale(-1, cdn_add(a, b))), z = { 0, 0, 1 };
    cdn_vec3 to[4] = { cdn_add(cdn_scale(cos(tetrahedral / 2), out), cdn_scale(sin(tetrahedral / 2), z)),
                       cdn_add(cdn_scale(cos(tetrahedral / 2), out), cdn_scale(-sin(tetrahedral / 2), z)) };
    int bonds = 2;
    if (i == 0) to[bonds++] = a;
    if (i == CARBONS - 1) to[bonds++] = b;
    for (int k = 0; k < bonds; k++) {
      def.element = 1, def.mass = 1.008 * u->mass, def.atom_class = HC;
      def.position = cdn_add(carbon.position, cdn_scale(ch, to[k]));
      cdn_molecule_add_atom(m, &def);
      cdn_molecule_add_bond(m, i, n++);
    }
  }
  cdn_molecule_assign_terms(m);
  cdn_molecule_set_mobility(m, rule);
  return m;
}

static cdn_force field_;
static void places_of_atoms(const atoms *a, double *p) {
  OK_ON(a->state, cdn_force_field_positions(a->state, field_, p));
}

static atoms hexane_of(const units *u, const char *rule) {
  cdn_molecule *m = hexane(u, rule);
  cdn_system *system = cdn_system_create(NULL);
  field_ = cdn_system_add_molecule(system, NULL, m, cdn_ground());
  cdn_molecule_destroy(m);
  return (atoms){ state_of(system), CARBONS + HYDROGENS, places_of_atoms };
}

/* Torsions anywhere, so that atoms may lie on top of each other; with angles and lengths all coordinates a little off,
 * and with free atoms all atoms. Displacements in rad and nm. */
static void perturb(const atoms *a, const units *u, double by) {
  const cdn_system *system = cdn_state_system(a->state);
  const int nu = cdn_system_nu(system);
  double v[128], unit[128] = { 0 };
  cdn_spatial V[64];
  ck_assert(nu <= 128 && cdn_system_body_count(system) <= 64);
  for (int b = 1; b < cdn_system_body_count(system); b++)
    for (int k = 0; k < cdn_body_nu(system, (cdn_body){ b }); k++) {
      const int at = cdn_body_first_u(system, (cdn_body){ b }) + k;
      unit[at] = 1;
      OK_ON(a->state, cdn_multiply_by_J(a->state, unit, V));
      unit[at] = 0;
      v[at] = by * draw() * (cdn_norm(V[b].w) > 0 ? 1 : 0.1 * u->length);
    }
  OK_ON(a->state, cdn_displace(a->state, 1, v, &(double){ 1 }, NULL));
}

static void check_hexane(const char *rule, double by, int n) {
  for (int s = 0; s < N_SCALES; s++) {
    const units *u = &SCALES[s];
    const double E = u->mass * u->length * u->length / (u->time * u->time);
    const atoms a = hexane_of(u, rule);
    double q[256];
    memcpy(q, cdn_state_q(a.state), (size_t)cdn_system_nq(cdn_state_system(a.state)) * sizeof *q);
    for (int run = 0; run < n; run++) {
      random_ = 31u + (unsigned)run;
      OK_ON(a.state, cdn_state_set_q(a.state, q));
      perturb(&a, u, by);
      const double before = energy_of(a.state);
      cdn_minimize_def def = cdn_default_minimize_def();
      cdn_minimization found;
      if (run == 0 && cdn_system_nq(cdn_state_system(a.state)) < 6 * MOST_ATOMS) check_every_step(&a, &def, 40);
      OK_ON(a.state, cdn_minimize(a.state, &def, &found));
      ck_assert_msg(found.end != CDN_MINIMIZE_EVALUATIONS, "%s, %s, start %d: force %g", u->name, rule, run,
                    found.gradient);
      ck_assert(energy_of(a.state) <= before);
      /* Displacements of the last step are 1e-8 of a length, and the stiffest bond has 3e5 kJ/mol/nm^2. */
      AT_MOST(force_left(a.state) / (E / u->length), 1e-2);
    }
    cdn_state_destroy(a.state);
  }
}

START_TEST(alkane) {
  check_hexane("torsions", PI, starts(40));
  check_hexane("flexible", 0.3, starts(20));
  check_hexane("atoms", 0.3, starts(10));
}
END_TEST

/* ---- proteins ---- */

/* What no multipliers of the rods can balance of the applied forces: at most 1e-3 in each of nu numbers. */
static double unbalanced(cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  const int nu = cdn_system_nu(system), m = cdn_system_nudoterr(system);
  cdn_spatial *F = calloc((size_t)cdn_system_body_count(system), sizeof *F);
  double *f = calloc((size_t)nu, sizeof *f), *on_mob = calloc((size_t)nu, sizeof *f),
         *G = calloc((size_t)(m * nu) + 1, sizeof *G), square = 0;
  OK_ON(state, cdn_applied_forces(state, F, on_mob));
  OK_ON(state, cdn_multiply_by_J_transpose(state, F, f));
  for (int k = 0; k < nu; k++) f[k] += on_mob[k];
  if (m) OK_ON(state, cdn_calc_G(state, G));
  for (int i = 0; i < m; i++) { /* Gram and Schmidt */
    double *row = G + i * nu, length = 0, along = 0;
    for (int j = 0; j < i; j++) {
      double part = 0;
      for (int k = 0; k < nu; k++) part += row[k] * G[j * nu + k];
      for (int k = 0; k < nu; k++) row[k] -= part * G[j * nu + k];
    }
    for (int k = 0; k < nu; k++) length += row[k] * row[k];
    for (int k = 0; k < nu; k++) row[k] /= sqrt(length), along += row[k] * f[k];
    for (int k = 0; k < nu; k++) f[k] -= along * row[k];
  }
  for (int k = 0; k < nu; k++) square += f[k] * f[k];
  free(F), free(f), free(on_mob), free(G);
  return sqrt(square);
}

/* To 1e-3 kJ/mol/nm and kJ/mol/rad from the file's coordinates; disulfides of bpti keep their lengths. */
START_TEST(proteins) {
  static const char *const names[] = { "alanine-dipeptide", "trpzip2", "bpti" };
  const char *shared = getenv("CARDAN_SHARED");
  for (int i = 0; i < (SANITIZED ? 1 : 3); i++) {
    char path[512];
    cdn_prmtop *prmtop;
    cdn_restart *restart;
    snprintf(path, sizeof path, "%s/molecular/%s.prmtop", shared ? shared : "../shared", names[i]);
    if (cdn_prmtop_load(path, NULL, &prmtop) != CDN_OK) SKIP("no %s", path);
    snprintf(path, sizeof path, "%s/molecular/%s.inpcrd", shared ? shared : "../shared", names[i]);
    OK(cdn_restart_load(path, prmtop, NULL, &restart));
    cdn_molecule *m = cdn_molecule_from_prmtop(prmtop, restart->positions);
    cdn_molecule_set_mobility(m, "torsions");
    cdn_system *system = cdn_system_create(NULL);
    cdn_system_add_molecule(system, NULL, m, cdn_ground());
    cdn_molecule_destroy(m), cdn_restart_destroy(restart), cdn_prmtop_destroy(prmtop);
    cdn_state *state = state_of(system);
    const double before = energy_of(state);
    cdn_minimize_def def = cdn_default_minimize_def();
    cdn_minimization found;
    def.tolerance = 1e-3;
    OK_ON(state, cdn_minimize(state, &def, &found));
    ck_assert_msg(found.end == CDN_MINIMIZE_BALANCED, "%s: %s", names[i], cdn_minimize_end_name(found.end));
    AT_MOST(found.gradient, 1e-3);
    AT_MOST(unbalanced(state), 1.01e-3 * sqrt(cdn_system_nu(cdn_state_system(state))));
    AT_MOST(energy_of(state), before - 20);
    for (int k = 0; k < cdn_system_nqerr(cdn_state_system(state)); k++) NEAR(cdn_state_qerr(state)[k], 0, 1e-10);
    cdn_state_destroy(state);
  }
}
END_TEST

/* ---- promises ---- */

static const double GRAVITY = 9.80665;

/* Links of 1 kg and 1 m on pins about z. */
static cdn_state *chain_of(int links) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ .mass = 1, .com = cdn_v3(1, 0, 0), .inertia = { 0.01, 0.01, 0.01, 0, 0, 0 } };
  for (int i = 0; i < links; i++) {
    def.parent = cdn_system_add_body(system, &def);
    def.X_PF.p = cdn_v3(1, 0, 0);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -GRAVITY, 0));
  return state_of(system);
}

/* A torque has no potential; its work counts, however far the link turns. */
START_TEST(a_torque_against_gravity) {
  cdn_state *state = chain_of(1);
  for (int i = 0; i < 8; i++) {
    const double torque = 2 + i, start = -1 + 0.5 * i;
    cdn_minimization found;
    OK_ON(state, cdn_state_set_q(state, &start));
    OK_ON(state, cdn_state_set_applied_mobility_forces(state, &torque));
    OK_ON(state, cdn_minimize(state, NULL, &found));
    const double angle = cdn_state_q(state)[0];
    NEAR(GRAVITY * cos(angle), torque, 1e-7);
    ck_assert(sin(angle) < 0); /* stable */
  }
  cdn_state_destroy(state);
}
END_TEST

/* A locked joint keeps its bits; speeds become zero; the message names what is left. */
START_TEST(locks_and_ends) {
  cdn_state *state = chain_of(3);
  const double q[3] = { 2.5, 0.3, -0.7 }, u[3] = { 1, 0, 2 };
  cdn_minimize_def def = cdn_default_minimize_def();
  cdn_minimization found;
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  OK_ON(state, cdn_body_lock(state, (cdn_body){ 2 }, CDN_LEVEL_POSITION));
  def.most_evaluations = 3;
  OK_ON(state, cdn_minimize(state, &def, &found));
  ck_assert(found.end == CDN_MINIMIZE_EVALUATIONS && found.evaluations <= 4 && found.energy < found.energy_before);
  ck_assert(found.energy == energy_of(state) && found.worst[0]);
  OK_ON(state, cdn_minimize(state, NULL, &found));
  ck_assert(found.end != CDN_MINIMIZE_EVALUATIONS && cdn_state_q(state)[1] == q[1]);
  for (int k = 0; k < 3; k++) ck_assert(cdn_state_u(state)[k] == 0);
  AT_MOST(found.gradient, 1e-6);
  const double lowest = found.energy;
  cdn_equilibrium rest;
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_find_equilibrium(state, NULL, &rest));
  NEAR(energy_of(state), lowest, 1e-12);
  /* from there nothing is left to do */
  OK_ON(state, cdn_minimize(state, NULL, &found));
  AT_MOST(found.energy, lowest + 1e-12);
  AT_MOST(found.evaluations, 20);
  ck_assert_str_eq(cdn_minimize_end_name(CDN_MINIMIZE_ROUNDING), "rounding");
  ck_assert_str_eq(cdn_minimize_end_name((cdn_minimize_end)9), "unknown");
  cdn_state_destroy(state);
}
END_TEST

/* With so many coordinates the search for an equilibrium begins with a descent. The chain hangs at the end. */
START_TEST(a_long_chain) {
  enum { LINKS = SANITIZED ? 100 : 120 };
  cdn_state *state = chain_of(LINKS);
  double q[LINKS] = { 0.3 }, hanging = 0;
  for (int k = 1; k < LINKS; k++) q[k] = 0.2 * sin(k);
  OK_ON(state, cdn_state_set_q(state, q));
  const double before = energy_of(state);
  cdn_equilibrium found;
  OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
  for (int k = 1; k <= LINKS; k++) hanging -= GRAVITY * k;
  NEAR(energy_of(state) / hanging, 1, 1e-14);
  NEAR(found.work / (before - hanging), 1, 1e-10);
  ck_assert_int_eq(found.stable, LINKS);
  cdn_minimization minimum;
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_minimize(state, NULL, &minimum));
  NEAR(minimum.energy / hanging, 1, 1e-13);
  cdn_state_destroy(state);
}
END_TEST

static cdn_status wrong_potential(const void *self, cdn_state *state, double *energy) {
  CDN_TRY(pair_potential(self, state, energy));
  *energy = -*energy;
  return CDN_OK;
}

START_TEST(mistakes) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  const double q0 = 1.3 * SIGMA;
  body.name = "bead", body.mobilizer = CDN_SLIDER, body.mass.mass = MASS, body.q0 = &q0;
  const pair p = { cdn_ground(), cdn_system_add_body(system, &body), EPSILON, SIGMA };
  cdn_force_ops ops = {
    .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = pair_force, .calc_potential = wrong_potential
  };
  ops.subsystem = (cdn_subsystem_ops){ .struct_size = sizeof ops.subsystem, .name = "wrong", .self_size = sizeof p };
  cdn_system_add_custom_force(system, &ops, &p);
  cdn_state *state = state_of(system);
  cdn_error message;
  FAILS(cdn_minimize(state, NULL, NULL), CDN_ERR_LIMIT);
  cdn_state_last_error(state, &message);
  ck_assert_msg(strstr(message.text, "potential is not that of its force") && strstr(message.text, "bead"), "%s",
                message.text);
  ck_assert(cdn_state_q(state)[0] == q0);
  for (int i = 0; i < 5; i++) {
    cdn_minimize_def def = cdn_default_minimize_def();
    if (i == 0) def.tolerance = -1;
    if (i == 1) def.least_step = 0;
    if (i == 2) def.largest_step = NAN;
    if (i == 3) def.most_evaluations = 0;
    if (i == 4) def.tolerance = INFINITY;
    FAILS(cdn_minimize(state, &def, NULL), CDN_ERR_ARG);
  }
  FAILS(cdn_minimize(NULL, NULL, NULL), CDN_ERR_ARG);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("minimize", argon, alkane, proteins, a_torque_against_gravity, locks_and_ends, a_long_chain, mistakes)
