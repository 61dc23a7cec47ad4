/* Modes against closed forms, degrees of freedom of known mechanisms. */
#include "../testing.h"

static const double G = 9.80665;

static cdn_state *state_of(cdn_system *system) {
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

/* A point mass on a massless rod of length 1 along -y of its pin, from the end of its parent's. */
static cdn_body add_bob(cdn_system *system, cdn_body parent, double mass) {
  cdn_body_def def = cdn_default_body_def();
  def.parent = parent, def.mobilizer = CDN_PIN;
  def.X_PF.p = cdn_v3(0, parent.i ? -1 : 0, 0);
  def.mass = (cdn_mass_properties){ .mass = mass, .com = cdn_v3(0, -1, 0) };
  return cdn_system_add_body(system, &def);
}

/* ---- normal modes ---- */

/* Two equal pendulums in series: omega^2 = (2 -+ sqrt 2) g / l, shapes (1, -+ sqrt 2) in absolute angles. */
START_TEST(double_pendulum) {
  cdn_system *system = cdn_system_create(NULL);
  add_bob(system, add_bob(system, cdn_ground(), 2), 2);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -G, 0));
  cdn_state *state = state_of(system);
  double omega2[2], shape[4], M[4];
  int n;
  OK_ON(state, cdn_normal_modes(state, &n, omega2, shape));
  ck_assert_int_eq(n, 2);
  NEAR(omega2[0], (2 - sqrt(2)) * G, 1e-13 * G);
  NEAR(omega2[1], (2 + sqrt(2)) * G, 1e-13 * G);
  OK_ON(state, cdn_calc_M(state, M));
  for (int k = 0; k < 2; k++) {
    const double *x = shape + 2 * k;
    NEAR((x[0] + x[1]) / x[0], k ? -sqrt(2) : sqrt(2), 1e-13);
    NEAR(x[0] * (M[0] * x[0] + M[1] * x[1]) + x[1] * (M[2] * x[0] + M[3] * x[1]), 1, 1e-13);
  }
  cdn_state_destroy(state);
}
END_TEST

/* The same made of free points and rods between them: loops instead of pins, in a plane. */
static cdn_state *points_on_rods(int points, double mass, bool planar) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body last = cdn_ground();
  for (int i = 1; i <= points; i++) {
    cdn_body_def def = cdn_default_body_def();
    const double q0[3] = { 0, -i, 0 };
    def.mobilizer = CDN_TRANSLATION, def.mass.mass = mass, def.q0 = q0;
    const cdn_body body = cdn_system_add_body(system, &def);
    cdn_system_constrain_rod(system, NULL, last, cdn_v3(0, 0, 0), body, cdn_v3(0, 0, 0), 1);
    if (planar) cdn_system_constrain_coordinate(system, NULL, body, 2, 0);
    last = body;
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -G, 0));
  return state_of(system);
}

/* All stiffness is that of the rods' tension here, which turns with them. */
START_TEST(double_pendulum_of_rods) {
  for (int planar = 0; planar < 2; planar++) {
    cdn_state *state = points_on_rods(2, 2, planar);
    double omega2[6], re[12], im[12];
    int n, count;
    OK_ON(state, cdn_normal_modes(state, &n, omega2, NULL));
    ck_assert_int_eq(n, planar ? 2 : 4);
    for (int k = 0; k < n; k++) {
      const bool upper = k >= n / 2;
      NEAR(omega2[k], (upper ? 2 + sqrt(2) : 2 - sqrt(2)) * G, 1e-12 * G);
    }
    OK_ON(state, cdn_linear_modes(state, &count, re, im, NULL, NULL));
    ck_assert_int_eq(count, 2 * n);
    for (int k = 0; k < count; k++) {
      NEAR(re[k], 0, 1e-6); /* a pair of equal eigenvalues is only as exact as the root of the rounding */
      NEAR(fabs(im[k]), sqrt((k >= n ? 2 + sqrt(2) : 2 - sqrt(2)) * G), 1e-6);
    }
    cdn_state_destroy(state);
  }
}
END_TEST

/* A hanging chain of many links: the roots of a Laguerre polynomial, omega^2 = x g / l with L_n(x) = 0 (D.
 * Bernoulli). */
START_TEST(hanging_chain) {
  enum { N = 12 };
  cdn_state *state = points_on_rods(N, 0.7, true);
  double omega2[3 * N];
  int n;
  OK_ON(state, cdn_normal_modes(state, &n, omega2, NULL));
  ck_assert_int_eq(n, N);
  for (int k = 0; k < N; k++) {
    const double x = omega2[k] / G;
    double before = 1, now = 1 - x, slope_before = 0, slope = -1;
    for (int i = 1; i < N; i++) {
      const double next = ((2 * i + 1 - x) * now - i * before) / (i + 1);
      const double slope_next = ((2 * i + 1 - x) * slope - now - i * slope_before) / (i + 1);
      before = now, now = next, slope_before = slope, slope = slope_next;
    }
    NEAR(now / slope, 0, 1e-11 * x); /* Newton's correction */
    ck_assert(k == 0 || omega2[k] > omega2[k - 1] * 1.1);
  }
  cdn_state_destroy(state);
}
END_TEST

/* ---- the fastest one, without a matrix ---- */

static void check_fastest(cdn_state *state, double tolerance) {
  enum { MOST = 64 };
  double omega2[MOST], fastest;
  int n;
  ck_assert(cdn_system_nu(cdn_state_system(state)) <= MOST);
  OK_ON(state, cdn_normal_modes(state, &n, omega2, NULL));
  OK_ON(state, cdn_fastest_mode(state, &fastest));
  ck_assert_msg(fabs(fastest - omega2[n - 1]) <= tolerance * fabs(omega2[n - 1]), "%.12g, of the matrices %.12g",
                fastest, omega2[n - 1]);
  cdn_state_destroy(state);
}

/* Bodies on balls and pins, each held by springs, in motion and out of balance: turns do not commute there. */
static cdn_state *tree_of_springs(int bodies, double length) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body body = cdn_ground();
  for (int i = 0; i < bodies; i++) {
    static const cdn_mobilizer kinds[] = { CDN_FREE, CDN_PIN, CDN_BALL, CDN_SLIDER, CDN_UNIVERSAL };
    const cdn_vec3 com = { 0.3 * length * sin(i), 0.2 * length, 0.1 * length * cos(i) };
    const double size = length * length * (1 + 0.1 * i);
    cdn_body_def def = cdn_default_body_def();
    def.parent = body, def.mobilizer = kinds[i % 5], def.X_PF.p = cdn_v3(0.5 * length, 0.2 * length * i, -0.3 * length);
    def.mass = (cdn_mass_properties){ 1 + 0.2 * i, com, { size, 1.2 * size, 0.9 * size, 0, 0, 0 } };
    const cdn_body before = body;
    body = cdn_system_add_body(system, &def);
    cdn_system_add_two_point_spring(system, NULL, before, cdn_v3(0, 0, length), body, cdn_v3(length, 0, 0), 50 + 7 * i,
                                    0.3 * length);
    cdn_system_add_two_point_spring(system, NULL, cdn_ground(), cdn_v3(length, length, 0), body,
                                    cdn_v3(0, length, length), 40, 0.5 * length);
  }
  cdn_state *state = state_of(system);
  double u[64];
  for (int k = 0; k < 64; k++) u[k] = sin(k);
  OK_ON(state, cdn_state_set_u(state, u));
  return state;
}

START_TEST(the_fastest_mode) {
  check_fastest(points_on_rods(12, 0.7, true), 1e-6);
  check_fastest(points_on_rods(5, 0.7, false), 1e-6);
  check_fastest(tree_of_springs(7, 1), 1e-6);
  check_fastest(tree_of_springs(12, 1e-3), 1e-6);
  cdn_system *system = cdn_system_create(NULL);
  add_bob(system, cdn_ground(), 3);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, G, 0));
  check_fastest(state_of(system), 1e-6); /* it grows */
  system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_WELD;
  cdn_system_add_body(system, &def);
  cdn_state *nothing = state_of(system);
  double fastest = 1;
  OK_ON(nothing, cdn_fastest_mode(nothing, &fastest));
  ck_assert(fastest == 0);
  cdn_state_destroy(nothing);
}
END_TEST

/* Standing on its head: one of each pair grows as fast as it would have swung. */
START_TEST(upright) {
  cdn_system *system = cdn_system_create(NULL);
  add_bob(system, cdn_ground(), 3);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, G, 0));
  cdn_state *state = state_of(system);
  double omega2, re[2], im[2], shape_re[2], shape_im[2];
  int n;
  OK_ON(state, cdn_normal_modes(state, &n, &omega2, NULL));
  NEAR(omega2, -G, 1e-13 * G);
  OK_ON(state, cdn_linear_modes(state, &n, re, im, shape_re, shape_im));
  ck_assert_int_eq(n, 2);
  ck_assert(im[0] == 0 && im[1] == 0);
  NEAR(re[0] + re[1], 0, 1e-13);
  NEAR(fabs(re[0]), sqrt(G), 1e-13);
  ck_assert(shape_re[0] == 1 && shape_re[1] == 1 && shape_im[0] == 0);
  cdn_state_destroy(state);
}
END_TEST

/* A slider with a spring and a damper: eigenvalues -c/2m +- i sqrt(k/m - (c/2m)^2). */
START_TEST(damped_oscillator) {
  const double mass = 2, k = 50, c = 3, half = c / (2 * mass);
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER, def.mass.mass = mass;
  cdn_body body = cdn_system_add_body(system, &def);
  cdn_system_add_mobility_spring(system, NULL, body, 0, k, 0);
  cdn_system_add_mobility_damper(system, NULL, body, 0, c);
  cdn_state *state = state_of(system);
  double re[2], im[2], omega2;
  int n;
  OK_ON(state, cdn_linear_modes(state, &n, re, im, NULL, NULL));
  for (int i = 0; i < 2; i++) {
    NEAR(re[i], -half, 1e-13);
    NEAR(im[i], (i ? -1 : 1) * sqrt(k / mass - half * half), 1e-13);
  }
  OK_ON(state, cdn_normal_modes(state, &n, &omega2, NULL));
  NEAR(omega2, k / mass, 1e-13);
  cdn_state_destroy(state);
}
END_TEST

/* A top that stands and spins about z: precession and nutation of its axis are the roots of
 * A s^2 -+ i C w s - m g l = 0, for small tilts in Ground's axes. With a free body held at its tip by a ball constraint
 * they are those of the linearized equations, beside zeros of the spin. */
START_TEST(spinning_top) {
  const double mass = 1.5, l = 0.4, A = 0.3, C = 0.1, w = 30; /* A about the tip */
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  const double I = A - mass * l * l, u0[6] = { 0, 0, w, 0, 0, 0 };
  def.mobilizer = CDN_FREE, def.u0 = u0;
  def.mass = (cdn_mass_properties){ .mass = mass, .com = cdn_v3(0, 0, l), .inertia = { I, I, C, 0, 0, 0 } };
  cdn_body top = cdn_system_add_body(system, &def);
  cdn_system_constrain_ball(system, "tip", cdn_ground(), cdn_v3(0, 0, 0), top, cdn_v3(0, 0, 0));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -G));
  cdn_state *state = state_of(system);
  double re[12], im[12];
  int n;
  OK_ON(state, cdn_linear_modes(state, &n, re, im, NULL, NULL));
  ck_assert_int_eq(n, 6);
  /* A theta'' + C w (z x theta') ... for theta = x + i y: A s^2 - i C w s - m g l = 0 */
  const double root = sqrt(C * C * w * w - 4 * A * mass * G * l);
  const double slow = (C * w - root) / (2 * A), fast = (C * w + root) / (2 * A);
  const double expected[6] = { 0, 0, slow, slow, fast, fast };
  for (int k = 0; k < 6; k++) {
    NEAR(hypot(re[k], im[k]), expected[k], 1e-6);
    NEAR(re[k], 0, 1e-6);
  }
  cdn_state_destroy(state);
}
END_TEST

/* Neutral directions have eigenvalues that are zero, not the root of rounding; a bearing's damping makes one of the two
 * its own. A cart that rolls freely, two pendulums alike on it, a wheel that is damped and one that is not. */
START_TEST(neutral_directions) {
  const double I = 0.5, c = 1e-3, M = 3, m = 1;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER, def.mass.mass = M;
  const cdn_body cart = cdn_system_add_body(system, &def);
  for (int i = 0; i < 2; i++) {
    def = cdn_default_body_def();
    def.parent = cart, def.mobilizer = CDN_PIN;
    def.mass = (cdn_mass_properties){ .mass = m, .com = cdn_v3(0, -1, 0) };
    cdn_system_add_body(system, &def);
  }
  for (int i = 0; i < 2; i++) {
    def = cdn_default_body_def();
    def.parent = cart, def.mobilizer = CDN_PIN;
    def.X_PF.R = cdn_rotation_axis_angle(cdn_v3(1, 1, 2), 0.7);
    def.mass = (cdn_mass_properties){ .mass = 1e-9, .inertia = { I, I, I, 0, 0, 0 } };
    const cdn_body wheel = cdn_system_add_body(system, &def);
    if (i == 0) cdn_system_add_mobility_damper(system, NULL, wheel, 0, c);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -G, 0));
  cdn_state *state = state_of(system);
  double re[10], im[10], shape[50], shape_im[50];
  int n;
  for (int run = 0; run < 6; run++) { /* what rounding does to the State decides nothing */
    const double q[5] = { 0.3, run * 3e-16, run * -2e-16, 0.4, -1.3 + run * 2e-16 };
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_linear_modes(state, &n, re, im, shape, shape_im));
    ck_assert_int_eq(n, 10);
    for (int k = 0; k < 5; k++) ck_assert(re[k] == 0 && im[k] == 0);
    NEAR(re[5], -c / I, 1e-12);
    ck_assert(im[5] == 0);
    /* the pendulums against each other, and both against the cart */
    for (int k = 0; k < 4; k++) {
      const double omega2 = k < 2 ? G : G * (M + 2 * m) / M;
      NEAR(re[6 + k], 0, 1e-12);
      NEAR(im[6 + k], (k % 2 ? -1 : 1) * sqrt(omega2), 1e-7);
    }
    /* each zero's shape is one body's alone; what nothing damps is there twice */
    const int moves[5] = { 0, 0, 3, 4, 4 };
    for (int k = 0; k < 5; k++)
      for (int j = 0; j < 5; j++) NEAR(shape[5 * k + j], j == moves[k], 1e-9);
  }
  cdn_state_destroy(state);
}
END_TEST

/* A body that hangs on a ball joint, whose frames lie anyhow: what spins it about the vertical is rounding of all that
 * there is. */
START_TEST(neutral_spin) {
  const double mass = 2, l = 0.7, I = 0.4;
  for (int run = 0; run < 10; run++) {
    const cdn_rotation R = cdn_rotation_axis_angle(cdn_v3(1, 2 - run, 0.3 * run), 0.3 + run);
    const cdn_vec3 down = cdn_rotate_inv(R, cdn_v3(0, -1, 0));
    cdn_system *system = cdn_system_create(NULL);
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_BALL, def.X_PF.R = R;
    def.mass = (cdn_mass_properties){ .mass = mass, .com = cdn_scale(l, down), .inertia = { I, I, I, 0, 0, 0 } };
    cdn_system_add_body(system, &def);
    cdn_system_add_gravity(system, "gravity", cdn_v3(0, -G, 0));
    cdn_state *state = state_of(system);
    double re[6], im[6];
    int n;
    OK_ON(state, cdn_linear_modes(state, &n, re, im, NULL, NULL));
    ck_assert_int_eq(n, 6);
    ck_assert(re[0] == 0 && im[0] == 0 && re[1] == 0 && im[1] == 0);
    for (int k = 2; k < 6; k++) NEAR(fabs(im[k]), sqrt(mass * G * l / (I + mass * l * l)), 1e-7);
    cdn_state_destroy(state);
  }
}
END_TEST

/* Of eigenvalues of one magnitude those that decay come first, whatever rounding says of the magnitude. */
START_TEST(decay_comes_first) {
  cdn_system *system = cdn_system_create(NULL);
  add_bob(system, add_bob(system, cdn_ground(), 2), 1);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, G, 0));
  cdn_state *state = state_of(system);
  double re[4], im[4];
  int n;
  for (int run = 0; run < 8; run++) {
    const double q[2] = { run * 3e-16, run * -5e-16 };
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_linear_modes(state, &n, re, im, NULL, NULL));
    ck_assert_int_eq(n, 4);
    ck_assert(re[0] < 0 && re[1] > 0 && re[2] < 0 && re[3] > 0 && re[1] < re[3]);
    NEAR(re[0] + re[1], 0, 1e-12);
  }
  cdn_state_destroy(state);
}
END_TEST

/* A link damped critically: the two roots are one, and real, though rounding makes them two or a pair. */
START_TEST(critical_damping) {
  for (int run = 0; run < 12; run++) {
    const double mass = 2, k = 50 * (1 + run * 1e-17), c = 2 * sqrt(k * mass) * (1 + (run - 6) * 2e-16);
    cdn_system *system = cdn_system_create(NULL);
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_SLIDER, def.mass.mass = mass;
    cdn_body body = cdn_system_add_body(system, &def);
    cdn_system_add_mobility_spring(system, NULL, body, 0, k, 0);
    cdn_system_add_mobility_damper(system, NULL, body, 0, c);
    cdn_state *state = state_of(system);
    double re[2], im[2];
    int n;
    OK_ON(state, cdn_linear_modes(state, &n, re, im, NULL, NULL));
    for (int i = 0; i < 2; i++) {
      NEAR(re[i], -5, 1e-6);
      ck_assert(im[i] == 0);
    }
    cdn_state_destroy(state);
  }
}
END_TEST

/* ---- degrees of freedom ---- */

/* In a plane that lies anyhow in Ground. */
static cdn_body add_bar(cdn_system *system, cdn_body parent, double x, double y, const char *name) {
  cdn_body_def def = cdn_default_body_def();
  const cdn_transform X = { cdn_rotation_axis_angle(cdn_v3(1, 2, -1), 0.7), { 0.3, -0.2, 0.1 } };
  def.name = name, def.parent = parent, def.mobilizer = CDN_PIN, def.X_PF.p = cdn_v3(x, y, 0);
  if (parent.i == 0) def.X_PF = cdn_transform_multiply(X, def.X_PF);
  def.mass = (cdn_mass_properties){ .mass = 1, .com = cdn_v3(0, 0.5, 0), .inertia = { 0.1, 0.1, 0.1, 0, 0, 0 } };
  return cdn_system_add_body(system, &def);
}

/* A table on three equal cranks: of the two loops' six equations two across the plane are idle, and one of the four in
 * the plane follows from the others. */
START_TEST(three_parallel_cranks) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body first = add_bar(system, cdn_ground(), 0, 0, "first");
  cdn_body table = add_bar(system, first, 0, 1, "table");
  const char *const names[2] = { "middle", "last" };
  for (int i = 0; i < 2; i++) {
    cdn_body crank = add_bar(system, cdn_ground(), 1 + i, 0, NULL);
    cdn_system_constrain_ball(system, names[i], table, cdn_v3(1 + i, 0, 0), crank, cdn_v3(0, 1, 0));
  }
  cdn_state *state = state_of(system);
  cdn_freedom f;
  cdn_equation_role roles[6];
  OK_ON(state, cdn_degrees_of_freedom(state, &f, roles));
  ck_assert_int_eq(f.nu, 4);
  ck_assert_int_eq(f.equations, 6);
  ck_assert_int_eq(f.idle, 2);
  ck_assert_int_eq(f.redundant, 1);
  ck_assert_int_eq(f.independent, 3);
  ck_assert_int_eq(f.net, 1);
  const cdn_system *frozen = cdn_state_system(state);
  for (int k = 0; k < 6; k++) {
    int equation;
    const cdn_constraint c = cdn_constraint_of_equation(frozen, k, &equation);
    ck_assert_str_eq(cdn_constraint_name(frozen, c), names[k / 3]);
    ck_assert_int_eq(equation, k % 3);
    ck_assert((roles[k] == CDN_EQUATION_IDLE) == (equation == 2));
  }
  ck_assert_int_eq(cdn_constraint_of_equation(frozen, 6, NULL).i, -1);

  double basis[16];
  int n;
  OK_ON(state, cdn_displacement_basis(state, basis, &n));
  ck_assert_int_eq(n, 1);

  /* one loop less, and a crank locked */
  OK_ON(state, cdn_constraint_set_enabled(state, (cdn_constraint){ 1 }, false));
  OK_ON(state, cdn_degrees_of_freedom(state, &f, roles));
  ck_assert_int_eq(f.net, 2);
  ck_assert(roles[3] == CDN_EQUATION_OFF);
  OK_ON(state, cdn_body_lock(state, first, CDN_LEVEL_POSITION));
  OK_ON(state, cdn_degrees_of_freedom(state, &f, NULL));
  ck_assert_int_eq(f.prescribed, 1);
  ck_assert_int_eq(f.net, 1);
  cdn_state_destroy(state);
}
END_TEST

/* A free body on three rods of equal length, a platform that hangs: three degrees of freedom; on six, none. */
START_TEST(platform) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  const double q0[7] = { 1, 0, 0, 0, 0, 0, -1 };
  def.mobilizer = CDN_FREE, def.q0 = q0;
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { 1, 1, 2, 0, 0, 0 } };
  cdn_body body = cdn_system_add_body(system, &def);
  for (int i = 0; i < 6; i++) {
    const double angle = i * PI / 3, other = angle + (i < 3 ? 0 : 0.5);
    const cdn_vec3 a = { cos(angle), sin(angle), 0 }, b = { cos(other), sin(other), 0 };
    cdn_system_constrain_rod(system, NULL, cdn_ground(), a, body, b,
                             cdn_norm(cdn_add(cdn_sub(b, a), cdn_v3(0, 0, -1))));
  }
  cdn_state *state = state_of(system);
  cdn_freedom f;
  OK_ON(state, cdn_degrees_of_freedom(state, &f, NULL));
  ck_assert_int_eq(f.net, f.nu - f.independent);
  int n;
  double basis[36];
  OK_ON(state, cdn_displacement_basis(state, basis, &n));
  ck_assert_int_eq(n, f.net);
  for (int i = 3; i < 6; i++) OK_ON(state, cdn_constraint_set_enabled(state, (cdn_constraint){ i }, false));
  OK_ON(state, cdn_degrees_of_freedom(state, &f, NULL));
  ck_assert_int_eq(f.net, 3);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("modes", double_pendulum, double_pendulum_of_rods, hanging_chain, the_fastest_mode, upright,
           damped_oscillator, spinning_top, neutral_directions, neutral_spin, decay_comes_first, critical_damping,
           three_parallel_cranks, platform)
