/* The search for a stable equilibrium as a minimiser of energy: clusters and chains with Lennard-Jones forces, in
 * metres and seconds and in nanometres and picoseconds, from poor starts. Minima of clusters, in units of epsilon:
 * Wales and Doye, J. Phys. Chem. A 101 (1997) 5111. */
#include "atoms.h"

static const units SCALES[] = { { "nm, Da, ps", 1, 1, 1 },
                                { "SI", 1e-9, 1.66053906660e-27, 1e-12 },
                                { "Angstrom, Da, fs", 10, 1, 1000 } };

static uint64_t random_;
static double draw(void) {
  random_ = random_ * 6364136223846793005u + 1442695040888963407u;
  return (double)(random_ >> 11) * 0x1p-52 - 1;
}

/* The largest remaining force over the largest single pair's stiffness times sigma: what rounding of places leaves. */
static double gradient_left(cdn_state *state, const units *s) {
  const int nu = cdn_system_nu(cdn_state_system(state));
  const double *udot = cdn_state_udot(state);
  double most = 0;
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  udot = cdn_state_udot(state);
  for (int k = 0; k < nu; k++) most = fmax(most, fabs(udot[k]));
  /* d2V/dr2 at the minimum of a pair is 36 * 2^(2/3) epsilon / sigma^2 */
  return most * MASS * s->mass / (57.1 * epsilon_in(s) / (SIGMA * s->length));
}

/* The search in single iterations: energy must fall in each. (That one iteration is not enough is no failure here,
 * but the State then stays; so every run begins at the start.) */
static double energy_after(cdn_state *state, const double *start, int iterations, cdn_status *status,
                           cdn_equilibrium *found) {
  cdn_equilibrium_def def = cdn_default_equilibrium_def();
  double energy;
  def.most_iterations = iterations;
  OK_ON(state, cdn_state_set_q(state, start));
  OK_ON(state, cdn_potential_energy(state, &energy));
  *status = cdn_find_equilibrium(state, &def, found);
  return energy - found->work;
}

/* ---- clusters ---- */

static void random_start(int atoms, double radius, double nearest, double *at) {
  for (int i = 0; i < atoms;) {
    double *p = at + 3 * i;
    for (int k = 0; k < 3; k++) p[k] = radius * draw();
    bool far = true;
    for (int j = 0; j < i; j++)
      far = far && hypot(hypot(p[0] - at[3 * j], p[1] - at[3 * j + 1]), p[2] - at[3 * j + 2]) > nearest;
    i += far;
  }
}

/* `at` in nanometres. */
static cdn_state *cluster(const units *s, int atoms, const double *at) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body body[16];
  for (int i = 0; i < atoms; i++) {
    cdn_body_def def = cdn_default_body_def();
    double q0[3];
    for (int k = 0; k < 3; k++) q0[k] = at[3 * i + k] * s->length;
    def.mobilizer = CDN_TRANSLATION, def.mass.mass = MASS * s->mass, def.q0 = q0;
    body[i] = cdn_system_add_body(system, &def);
    for (int j = 0; j < i; j++) attract(system, s, body[j], body[i]);
  }
  return state_of(system);
}

/* An icosahedron about an atom, its distances wrong by up to a fifth. */
static void icosahedron(double *at) {
  const double golden = 0.5 * (1 + sqrt(5)), edge = 1.12 * SIGMA / 2;
  memset(at, 0, 39 * sizeof *at);
  for (int i = 0; i < 12; i++) {
    double *p = at + 3 * (i + 1);
    const int axis = i / 4;
    p[axis] = (i & 1 ? 1 : -1) * edge, p[(axis + 1) % 3] = (i & 2 ? 1 : -1) * golden * edge;
    for (int k = 0; k < 3; k++) p[k] += 0.12 * SIGMA * draw();
  }
}

/* A ring of five atoms with one above and one below, its distances wrong by up to a fifth. */
static void bipyramid(double *at) {
  const double edge = 1.12 * SIGMA, radius = 0.5 * edge / sin(PI / 5), height = 0.5 * edge;
  for (int i = 0; i < 7; i++) {
    const double turn = 2 * PI * i / 5;
    at[3 * i] = i < 5 ? radius * cos(turn) : 0, at[3 * i + 1] = i < 5 ? radius * sin(turn) : 0;
    at[3 * i + 2] = i < 5 ? 0 : (i == 5 ? height : -height);
    for (int k = 0; k < 3; k++) at[3 * i + k] += 0.1 * SIGMA * draw();
  }
}

static void check_cluster(const units *s, int atoms, const double *at, double minimum) {
  cdn_state *state = cluster(s, atoms, at);
  double start[48], before, energy;
  cdn_equilibrium found;
  memcpy(start, cdn_state_q(state), (size_t)(3 * atoms) * sizeof *start);
  OK_ON(state, cdn_potential_energy(state, &before));
  OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
  OK_ON(state, cdn_potential_energy(state, &energy));
  const double E = energy / epsilon_in(s);
  ck_assert_msg(fabs(E - minimum) < 1e-6, "%s, %d atoms: %.9f, not %.9f", s->name, atoms, E, minimum);
  ck_assert_msg(gradient_left(state, s) < 1e-13 * atoms, "%s, %d atoms: gradient %g", s->name, atoms,
                gradient_left(state, s));
  NEAR(found.work, before - energy, 1e-12 * (fabs(before) + fabs(energy)));
  ck_assert_int_eq(found.unstable, 0);
  ck_assert_int_eq(found.stable, atoms == 2 ? 1 : 3 * atoms - 6);
  double last = before;
  const int iterations = found.iterations;
  for (int i = 1; i < iterations; i++) {
    cdn_status status;
    const double now = energy_after(state, start, i, &status, &found);
    ck_assert_msg(now <= last + 1e-13 * (fabs(before) + fabs(last)), "%s, %d atoms, iteration %d: from %.17g to %.17g",
                  s->name, atoms, i, last, now);
    last = now;
  }
  cdn_state_destroy(state);
}

START_TEST(clusters) {
  static const struct {
    int atoms;
    double energy;
  } known[] = { { 2, -1 }, { 3, -3 }, { 4, -6 } };
  double at[48];
  for (int run = 0; run < 6; run++)
    for (int n = 0; n < 3; n++) {
      random_ = 77u * (unsigned)run + (unsigned)n;
      random_start(known[n].atoms, 0.8 * SIGMA, 0.5 * SIGMA, at);
      for (int s = 0; s < 3; s++) check_cluster(&SCALES[s], known[n].atoms, at, known[n].energy);
    }
  random_ = 5;
  bipyramid(at);
  for (int s = 0; s < 3; s++) check_cluster(&SCALES[s], 7, at, -16.505384);
  icosahedron(at);
  for (int s = 0; s < 3; s++) check_cluster(&SCALES[s], 13, at, -44.326801);
}
END_TEST

/* Two atoms from every distance: in the wall, and far outside where the force is weak and bends the other way. */
START_TEST(from_every_distance) {
  for (double x = 0.5; x < 4; x *= 1.17)
    for (int s = 0; s < 3; s++) {
      const double at[6] = { 0, 0, 0, x * SIGMA, 0.01 * SIGMA, 0 };
      check_cluster(&SCALES[s], 2, at, -1);
    }
}
END_TEST

/* ---- a slider against a wall: the smallest model that a quadrature jumps over ---- */

START_TEST(a_slider_at_a_wall) {
  for (int s = 0; s < 3; s++)
    for (double x = 0.9; x < 2.4; x += 0.17) {
      cdn_system *system = cdn_system_create(NULL);
      cdn_body_def def = cdn_default_body_def();
      const double q0 = x * SIGMA * SCALES[s].length;
      def.mobilizer = CDN_SLIDER, def.mass.mass = MASS * SCALES[s].mass, def.q0 = &q0;
      attract(system, &SCALES[s], cdn_ground(), cdn_system_add_body(system, &def));
      cdn_state *state = state_of(system);
      cdn_equilibrium found;
      double before, after;
      OK_ON(state, cdn_potential_energy(state, &before));
      OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
      OK_ON(state, cdn_potential_energy(state, &after));
      const double E = epsilon_in(&SCALES[s]);
      NEAR(after / E, -1, 1e-12);
      NEAR(found.work / E, (before - after) / E, 1e-12 * (1 + fabs(before / E)));
      NEAR(fabs(cdn_state_q(state)[0]) / (SIGMA * SCALES[s].length), pow(2, 1.0 / 6),
           2e-13); /* displacements below 1e-13 of the model's length count as rounding */
      cdn_state_destroy(state);
    }
}
END_TEST

/* ---- chains ---- */

/* Atoms on stiff bonds that turn on pins, not in one plane; those that are not neighbours attract each other. */
static cdn_state *chain(const units *s, int atoms, double *turn) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body body[16];
  for (int i = 0; i < atoms; i++) {
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = i ? CDN_BALL : CDN_WELD;
    const double m = MASS * s->mass, I = 0.1 * m * SIGMA * SIGMA * s->length * s->length;
    def.mass = (cdn_mass_properties){ .mass = m, .inertia = { I, I, I, 0, 0, 0 } };
    if (i) def.parent = body[i - 1], def.X_BM.p = cdn_v3(-0.9 * SIGMA * s->length, 0, 0);
    body[i] = cdn_system_add_body(system, &def);
    for (int j = 0; j < i - 1; j++) attract(system, s, body[j], body[i]);
  }
  cdn_state *state = state_of(system);
  const int nq = cdn_system_nq(cdn_state_system(state));
  for (int k = 0; k < nq; k++) turn[k] = k % 4 ? 0.6 * draw() : 1;
  return state;
}

START_TEST(chains) {
  enum { ATOMS = 6 };
  for (int run = 0; run < 4; run++) {
    double energy[3], q[64];
    for (int s = 0; s < 3; s++) {
      random_ = 9u + (unsigned)run;
      cdn_state *state = chain(&SCALES[s], ATOMS, q);
      cdn_equilibrium found, early;
      double before, last;
      OK_ON(state, cdn_state_set_q(state, q));
      OK_ON(state, cdn_potential_energy(state, &before));
      OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
      OK_ON(state, cdn_potential_energy(state, &energy[s]));
      ck_assert_msg(found.unstable == 0, "%d unstable", found.unstable);
      /* a bond's end moves by the angle times the bond's length */
      ck_assert_msg(gradient_left(state, &SCALES[s]) * SIGMA * SCALES[s].length < 1e-12, "%s: gradient %g",
                    SCALES[s].name, gradient_left(state, &SCALES[s]) * SIGMA * SCALES[s].length);
      last = before;
      for (int i = 1; i < found.iterations; i++) {
        cdn_status status;
        const double now = energy_after(state, q, i, &status, &early);
        ck_assert(now <= last + 1e-13 * (fabs(before) + fabs(last)));
        last = now;
      }
      energy[s] /= epsilon_in(&SCALES[s]);
      cdn_state_destroy(state);
    }
    /* the same search in all units */
    NEAR(energy[1], energy[0], 1e-9);
    NEAR(energy[2], energy[0], 1e-9);
  }
}
END_TEST

/* ---- causes ---- */

/* A potential that is not that of the force: no step lowers it, and the message says so. */
static cdn_status wrong_potential(const void *self, cdn_state *state, double *energy) {
  CDN_TRY(pair_potential(self, state, energy));
  *energy = -*energy;
  return CDN_OK;
}

START_TEST(the_cause_is_named) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  const double q0 = 1.3 * SIGMA;
  def.name = "bead", def.mobilizer = CDN_SLIDER, def.mass.mass = MASS, def.q0 = &q0;
  const pair p = { cdn_ground(), cdn_system_add_body(system, &def), EPSILON, SIGMA };
  cdn_force_ops ops = {
    .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = pair_force, .calc_potential = wrong_potential
  };
  ops.subsystem = (cdn_subsystem_ops){ .struct_size = sizeof ops.subsystem, .name = "wrong", .self_size = sizeof p };
  cdn_system_add_custom_force(system, &ops, &p);
  cdn_state *state = state_of(system);
  cdn_equilibrium found;
  cdn_error message;
  FAILS(cdn_find_equilibrium(state, NULL, &found), CDN_ERR_LIMIT);
  cdn_state_last_error(state, &message);
  ck_assert_msg(strstr(message.text, "potential is not that of its force") != NULL, "%s", message.text);
  ck_assert(cdn_state_q(state)[0] == q0);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("minimiser", clusters, from_every_distance, a_slider_at_a_wall, chains, the_cause_is_named)
