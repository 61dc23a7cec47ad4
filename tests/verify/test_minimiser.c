/* The search for a stable equilibrium as a minimiser of energy: clusters and chains with Lennard-Jones forces, in
 * metres and seconds and in nanometres and picoseconds, from poor starts. Minima of clusters, in units of epsilon:
 * Wales and Doye, J. Phys. Chem. A 101 (1997) 5111. */
#include "../testing.h"

typedef struct units {
  const char *name;
  double length, mass, time; /* of a nanometre, a dalton, a picosecond */
} units;
static const units SCALES[] = { { "nm, Da, ps", 1, 1, 1 },
                                { "SI", 1e-9, 1.66053906660e-27, 1e-12 },
                                { "Angstrom, Da, fs", 10, 1, 1000 } };

/* Argon. */
static const double SIGMA = 0.34, EPSILON = 0.996, MASS = 39.948;
static double epsilon_in(const units *s) { return EPSILON * s->mass * s->length * s->length / (s->time * s->time); }

typedef struct pair {
  cdn_body a, b;
  double epsilon, sigma;
} pair;

static cdn_status between(const pair *p, cdn_state *state, cdn_vec3 *r, double *s6) {
  cdn_transform A, B;
  CDN_TRY(cdn_body_pose(state, p->a, &A));
  CDN_TRY(cdn_body_pose(state, p->b, &B));
  *r = cdn_sub(B.p, A.p);
  *s6 = pow(p->sigma * p->sigma / cdn_dot(*r, *r), 3);
  return CDN_OK;
}

static cdn_status pair_force(const void *self, cdn_state *state, cdn_forces *f) {
  const pair *p = self;
  cdn_vec3 r;
  double s6;
  CDN_TRY(between(p, state, &r, &s6));
  const cdn_vec3 push = cdn_scale(24 * p->epsilon * (2 * s6 * s6 - s6) / cdn_dot(r, r), r);
  cdn_forces_add_point(f, p->b, cdn_v3(0, 0, 0), push);
  cdn_forces_add_point(f, p->a, cdn_v3(0, 0, 0), cdn_scale(-1, push));
  return CDN_OK;
}

static cdn_status pair_potential(const void *self, cdn_state *state, double *energy) {
  const pair *p = self;
  cdn_vec3 r;
  double s6;
  CDN_TRY(between(p, state, &r, &s6));
  *energy = 4 * p->epsilon * (s6 * s6 - s6);
  return CDN_OK;
}

static void attract(cdn_system *system, const units *s, cdn_body a, cdn_body b) {
  const pair p = { a, b, epsilon_in(s), SIGMA * s->length };
  char name[24];
  snprintf(name, sizeof name, "pair%d_%d", (int)a.i, (int)b.i);
  cdn_force_ops ops = {
    .struct_size = sizeof ops, .reads = CDN_READS_POSITION, .calc_force = pair_force, .calc_potential = pair_potential
  };
  ops.subsystem = (cdn_subsystem_ops){ .struct_size = sizeof ops.subsystem, .name = name, .self_size = sizeof p };
  cdn_system_add_custom_force(system, &ops, &p);
}

static cdn_state *state_of(cdn_system *system) {
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

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

/* ---- constraints ---- */

static const units SIZES[] = { { "nm, Da, ps", 1, 1, 1 },
                               { "SI", 1e-9, 1.66053906660e-27, 1e-12 },
                               { "Angstrom, Da, fs", 10, 1, 1000 },
                               { "metres, of a bridge's size", 30, 1e3, 5 },
                               { "metres, of a planet's size", 1e7, 1e20, 1e3 } };
enum { N_SIZES = sizeof SIZES / sizeof *SIZES };

static double apart(const double *q, int i, int j) {
  return hypot(hypot(q[3 * j] - q[3 * i], q[3 * j + 1] - q[3 * i + 1]), q[3 * j + 2] - q[3 * i + 2]);
}

static cdn_body add_point(cdn_system *system, const units *s, const double *at) {
  cdn_body_def def = cdn_default_body_def();
  double q0[3];
  for (int k = 0; k < 3; k++) q0[k] = at[k] * s->length;
  def.mobilizer = CDN_TRANSLATION, def.mass.mass = MASS * s->mass, def.q0 = q0;
  return cdn_system_add_body(system, &def);
}

/* A dumb-bell of two atoms whose rod is 5 % too long at the start: in SI, far within 1e-10 m. A third atom is attracted.
 * With the rod at the distance of least energy, the three make the triangle of the cluster. */
START_TEST(rods_of_any_size) {
  const double rest = pow(2, 1.0 / 6) * SIGMA,
               at[9] = { 0, 0, 0, 1.05 * rest, 0, 0, 0.4 * rest, 0.9 * rest, 0.1 * rest };
  for (int size = 0; size < N_SIZES; size++) {
    const units *s = &SIZES[size];
    cdn_system *system = cdn_system_create(NULL);
    cdn_body body[3];
    for (int i = 0; i < 3; i++) body[i] = add_point(system, s, at + 3 * i);
    for (int i = 0; i < 2; i++) attract(system, s, body[i], body[2]);
    const cdn_vec3 origin = { 0, 0, 0 };
    cdn_system_constrain_rod(system, "rod", body[0], origin, body[1], origin, rest * s->length);
    cdn_state *state = state_of(system);
    cdn_equilibrium found;
    double energy;
    OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
    OK_ON(state, cdn_potential_energy(state, &energy));
    /* the tolerance of projection, 1e-10 of a length of the model: the rod's own is at most three times as short */
    NEAR(apart(cdn_state_q(state), 0, 1) / (rest * s->length), 1, 3e-10);
    /* the two pairs without the rod are at their minima, where the rod's error counts in second order only */
    NEAR(energy / epsilon_in(s), -2, 1e-12);
    AT_MOST(found.constraint_error, 1e-10);
    cdn_state_destroy(state);
  }
}
END_TEST

/* Three equal rods between two fixed points hang in a symmetric trapezium: its places are those of geometry. All rods
 * are wrong at the start. `away` is how far all of it stands from Ground's origin, in lengths of a rod. */
static void hang(const units *s, double away, double tolerance) {
  const double rod = 0.3, span = 0.54, across = 0.5 * (span - rod), depth = sqrt(rod * rod - across * across);
  const double at[6] = { away * rod + 0.1, -0.25, 0.02, away * rod + 0.43, -0.31, -0.03 };
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body a = add_point(system, s, at), b = add_point(system, s, at + 3);
  const cdn_vec3 origin = { 0, 0, 0 };
  const double L = s->length, x = away * rod * L;
  cdn_system_constrain_rod(system, "left", cdn_ground(), cdn_v3(x, 0, 0), a, origin, rod * L);
  cdn_system_constrain_rod(system, "middle", a, origin, b, origin, rod * L);
  cdn_system_constrain_rod(system, "right", b, origin, cdn_ground(), cdn_v3(x + span * L, 0, 0), rod * L);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.8 * L / (s->time * s->time), 0));
  cdn_state *state = state_of(system);
  const double expected[6] = { away * rod + across, -depth, 0, away * rod + span - across, -depth, 0 };
  OK_ON(state, cdn_find_equilibrium(state, NULL, NULL));
  for (int k = 0; k < 6; k++)
    ck_assert_msg(fabs(cdn_state_q(state)[k] / L - expected[k]) <= tolerance, "%s, %g away: q[%d] is off by %g",
                  s->name, away, k, cdn_state_q(state)[k] / L - expected[k]);
  cdn_state_destroy(state);
}

START_TEST(a_chain_of_rods_hangs) {
  for (int size = 0; size < N_SIZES; size++) {
    /* 1e-10 of the model's length, and of a balance to 1e-8, which polishing improves */
    hang(&SIZES[size], 0, 1e-10);
    /* rounding of places 1e5 rods away is 1e-11 of a rod, and projection stops at 1e-14 of the way */
    hang(&SIZES[size], 1e5, 1e-9);
  }
}
END_TEST

/* The equations of a weld are in rad and in a length: both are held, whatever the length. */
START_TEST(welds_of_any_size) {
  for (int size = 0; size < N_SIZES; size++) {
    const units *s = &SIZES[size];
    const double L = s->length, m = MASS * s->mass, I = 0.1 * m * SIGMA * SIGMA * L * L;
    cdn_system *system = cdn_system_create(NULL);
    cdn_body_def def = cdn_default_body_def();
    const double q0[7] = { 1, 0, 0, 0, 0.05 * SIGMA * L, 0, -0.04 * SIGMA * L };
    def.mobilizer = CDN_FREE, def.q0 = q0;
    def.mass = (cdn_mass_properties){ .mass = m, .inertia = { I, I, I, 0, 0, 0 } };
    const cdn_body block = cdn_system_add_body(system, &def);
    const cdn_transform here = cdn_transform_identity();
    cdn_system_constrain_joint(system, "weld", CDN_WELD, cdn_ground(), here, block, here, NULL);
    cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.8 * L / (s->time * s->time), 0));
    cdn_state *state = state_of(system);
    OK_ON(state, cdn_find_equilibrium(state, NULL, NULL));
    const double *q = cdn_state_q(state);
    for (int k = 1; k < 4; k++) NEAR(q[k], 0, 1e-10);
    for (int k = 4; k < 7; k++) NEAR(q[k] / (SIGMA * L), 0, 1e-10);
    cdn_state_destroy(state);
  }
}
END_TEST

/* Two rods in a row, displaced by a third of a rod along each free direction: the rods keep their lengths. */
START_TEST(displacements_of_any_size) {
  const double at[6] = { 0.3, 0, 0, 0.3, 0.3, 0 };
  for (int size = 0; size < N_SIZES; size++) {
    const double L = SIZES[size].length;
    cdn_system *system = cdn_system_create(NULL);
    const cdn_body a = add_point(system, &SIZES[size], at), b = add_point(system, &SIZES[size], at + 3);
    const cdn_vec3 origin = { 0, 0, 0 };
    cdn_system_constrain_rod(system, "first", cdn_ground(), origin, a, origin, 0.3 * L);
    cdn_system_constrain_rod(system, "second", a, origin, b, origin, 0.3 * L);
    cdn_state *state = state_of(system);
    double basis[36], y[6] = { 0.1 * L, -0.1 * L, 0.1 * L, 0.1 * L };
    int n;
    OK_ON(state, cdn_displacement_basis(state, basis, &n));
    ck_assert_int_eq(n, 4);
    OK_ON(state, cdn_displace(state, n, basis, y, NULL));
    const double *q = cdn_state_q(state);
    NEAR(hypot(hypot(q[0], q[1]), q[2]) / (0.3 * L), 1, 3e-10);
    NEAR(apart(q, 0, 1) / (0.3 * L), 1, 3e-10);
    cdn_state_destroy(state);
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
  cdn_error story;
  FAILS(cdn_find_equilibrium(state, NULL, &found), CDN_ERR_LIMIT);
  cdn_state_last_error(state, &story);
  ck_assert_msg(strstr(story.text, "potential is not that of its force") != NULL, "%s", story.text);
  ck_assert(cdn_state_q(state)[0] == q0);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("minimiser", clusters, from_every_distance, a_slider_at_a_wall, chains, rods_of_any_size,
           a_chain_of_rods_hangs, welds_of_any_size, displacements_of_any_size, the_cause_is_named)
