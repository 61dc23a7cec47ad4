/* Models with constraints, from the size of atoms to that of planets: the same equilibria and runs, at the same
 * relative quality. */
#include "atoms.h"

static const units SIZES[] = { { "nm, Da, ps", 1, 1, 1 },
                               { "SI", 1e-9, 1.66053906660e-27, 1e-12 },
                               { "Angstrom, Da, fs", 10, 1, 1000 },
                               { "metres, of a bridge's size", 30, 1e3, 5 },
                               { "metres, of a planet's size", 1e7, 1e20, 1e3 } };
enum { N_SIZES = sizeof SIZES / sizeof *SIZES };

/* ---- equilibrium ---- */

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

/* A dumb-bell of two atoms whose rod is 5 % too long at the start: in SI, far within 1e-10 m. A third atom is
 * attracted. With the rod at the distance of least energy, the three make the triangle of the cluster. */
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

/* ---- runs ---- */

/* A run's tolerances are in unit changes and unit errors, which its user sets. With the same ones it does the same: a
 * double pendulum of two rods, the first one 1 % wrong, a first state that is projected. */
static void swing(const units *s, double *q) {
  const double L = s->length, T = s->time, at[6] = { 0.303, 0, 0, 0.3, 0, 0.3 };
  double of_q[6], of_u[6];
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body a = add_point(system, s, at), b = add_point(system, s, at + 3);
  const cdn_vec3 origin = { 0, 0, 0 };
  const cdn_constraint rods[2] = {
    cdn_system_constrain_rod(system, "first", cdn_ground(), origin, a, origin, 0.3 * L),
    cdn_system_constrain_rod(system, "second", a, origin, b, origin, 0.3 * L),
  };
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.8 * L / (T * T), 0));
  cdn_state *state = state_of(system);
  for (int i = 0; i < 2; i++) OK_ON(state, cdn_constraint_set_unit_error(state, rods[i], L));
  for (int k = 0; k < 6; k++) of_q[k] = 1 / L, of_u[k] = T / L;
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper;
  cdn_return_reason reason;
  def.accuracy = 1e-8, def.q_weights = of_q, def.u_weights = of_u, def.time_scale = 0.1 * T, def.final_time = 0.3 * T;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  OK_ON(state, cdn_stepper_advance(stepper, def.final_time, &reason));
  for (int k = 0; k < 6; k++) q[k] = cdn_state_q(cdn_stepper_state(stepper))[k] / L;
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}

START_TEST(runs_of_any_size) {
  double first[6], q[6];
  swing(&SIZES[0], first);
  for (int size = 0; size < N_SIZES; size++) {
    swing(&SIZES[size], q);
    /* a projection in each step leaves rounding: of sums of squares of places, and the rod's own */
    NEAR(hypot(hypot(q[0], q[1]), q[2]) / 0.3, 1, 1e-14);
    NEAR(apart(q, 0, 1) / 0.3, 1, 1e-14);
    for (int k = 0; k < 6; k++) NEAR(q[k], first[k], 1e-8); /* the accuracy */
  }
}
END_TEST

CHECK_MAIN("sizes", rods_of_any_size, a_chain_of_rods_hangs, welds_of_any_size, displacements_of_any_size,
           runs_of_any_size)
