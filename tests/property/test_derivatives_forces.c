/* Derivatives of the elements that random trees do not have, of custom forces with and without calc_derivative, and
 * what the functions promise besides: nothing in the State changes, nothing is allocated, mistakes are named. */
#include "../robust/counting_allocator.h"
#include "differences.h"

#include <cardan/media.h>

/* ---- a custom force that does everything at once ---- */

typedef struct engine {
  cdn_body a, b, c; /* c: on a pin or slider, its neighbour d too */
  cdn_body d;
  bool coupled;
  cdn_vec3 p_A, p_B;
  cdn_zvar z;
} engine;

static cdn_status declare(void *self, cdn_declarer *d) {
  static const double z0[2] = { 0.7, -0.4 };
  ((engine *)self)->z = cdn_declare_z(d, 2, z0);
  return CDN_OK;
}

static cdn_status calc_zdot(const void *self, cdn_state *state, double *zdot) {
  (void)self, (void)state;
  zdot[0] = zdot[1] = 0;
  return CDN_OK;
}

typedef struct ends {
  cdn_vec3 p_a, v_a, p_b, v_b, n;
  double length, rate;
} ends;

static cdn_status find_ends(const engine *e, cdn_state *state, ends *at) {
  cdn_status status = cdn_body_station(state, e->a, e->p_A, &at->p_a, &at->v_a);
  if (!status) status = cdn_body_station(state, e->b, e->p_B, &at->p_b, &at->v_b);
  if (status) return status;
  const cdn_vec3 x = cdn_sub(at->p_b, at->p_a);
  at->length = cdn_norm(x);
  at->n = cdn_scale(1 / at->length, x);
  at->rate = cdn_dot(at->n, cdn_sub(at->v_b, at->v_a));
  return CDN_OK;
}

static const double K = 3, C = 0.4;
static const cdn_vec3 TORQUE = { 0.3, -0.7, 0.2 };

/* A field and drag at a's station, a muscle from a to b, a moment on b, a coupling of two mobilities. */
static cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const engine *e = self;
  ends at;
  cdn_status status = find_ends(e, state, &at);
  if (status) return status;
  const double *z = cdn_state_zvar(state, e->z), tension = z[0] * at.length * at.length + 0.3 * at.rate;
  const cdn_vec3 drag = cdn_scale(-C * cdn_norm(at.v_a), at.v_a);
  cdn_forces_add_point(forces, e->a, e->p_A, cdn_add(cdn_scale(-K, at.p_a), drag));
  cdn_forces_add_point(forces, e->a, e->p_A, cdn_scale(tension, at.n));
  cdn_forces_add_point(forces, e->b, e->p_B, cdn_scale(-tension, at.n));
  cdn_forces_add_torque(forces, e->b, TORQUE);
  if (e->coupled) {
    const double q = cdn_body_q(state, e->d)[0], u = cdn_body_u(state, e->d)[0];
    cdn_forces_add_mobility(forces, e->c, 0, z[1] * q * u);
  }
  return CDN_OK;
}

static cdn_status calc_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d) {
  const engine *e = self;
  ends at;
  cdn_status status = find_ends(e, state, &at);
  if (status) return status;
  const double *z = cdn_state_zvar(state, e->z), tension = z[0] * at.length * at.length + 0.3 * at.rate;
  const double speed = cdn_norm(at.v_a), v[3] = { at.v_a.x, at.v_a.y, at.v_a.z };
  const double df_dp[9] = { -K, 0, 0, 0, -K, 0, 0, 0, -K };
  double df_dv[9];
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++) df_dv[3 * i + k] = -C * ((i == k ? speed : 0) + (speed > 0 ? v[i] * v[k] / speed : 0));
  const cdn_vec3 f = cdn_add(cdn_scale(-K, at.p_a), cdn_scale(-C * speed, at.v_a));
  cdn_force_derivatives_add_point(d, e->a, e->p_A, f, df_dp, df_dv);
  cdn_force_derivatives_add_line(d, e->a, e->p_A, e->b, e->p_B, tension, 2 * z[0] * at.length, 0.3);
  cdn_force_derivatives_add_torque(d, e->b, TORQUE);
  const double q = cdn_body_q(state, e->d)[0], u = cdn_body_u(state, e->d)[0];
  if (e->coupled) cdn_force_derivatives_add_mobility(d, e->c, 0, e->d, 0, z[1] * u, z[1] * q);
  cdn_forces *by_z = cdn_force_derivatives_wrt_z(d, e->z, 0);
  if (by_z) {
    const cdn_vec3 pull = cdn_scale(at.length * at.length, at.n);
    cdn_forces_add_point(by_z, e->a, e->p_A, pull);
    cdn_forces_add_point(by_z, e->b, e->p_B, cdn_scale(-1, pull));
  }
  by_z = cdn_force_derivatives_wrt_z(d, e->z, 1);
  if (by_z && e->coupled) cdn_forces_add_mobility(by_z, e->c, 0, q * u);
  return CDN_OK;
}

static void add_engine(random_tree *tree, rng *r, bool with_derivative) {
  engine self = { .p_A = random_vec3(r, 0.5), .p_B = random_vec3(r, 0.5) };
  self.a.i = 1 + pick(r, tree->bodies);
  do self.b.i = pick(r, tree->bodies + 1);
  while (self.b.i == self.a.i);
  for (int i = 1; i <= tree->bodies; i++) {
    if (tree->kind[i] != CDN_PIN && tree->kind[i] != CDN_SLIDER) continue;
    self.coupled = self.c.i > 0;
    self.c = self.d;
    self.d.i = i;
    if (self.c.i == 0) self.c.i = i;
  }
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_EVERYTHING, .calc_force = calc_force };
  ops.subsystem.name = "engine";
  ops.subsystem.self_size = sizeof self;
  ops.subsystem.declare = declare;
  ops.subsystem.calc_zdot = calc_zdot;
  if (with_derivative) ops.calc_derivative = calc_derivative;
  cdn_system_add_custom_force(tree->system, &ops, &self);
}

static random_tree tree_with_pins(uint64_t seed, int bodies, cdn_allocator allocator) {
  tree_options options = { .bodies = bodies, .shape = seed, .numbers = seed, .forces = true, .allocator = allocator };
  for (;; options.shape += 1000) {
    random_tree tree = make_random_tree(&options);
    int pins = 0;
    for (int i = 1; i <= tree.bodies; i++) pins += tree.kind[i] == CDN_PIN || tree.kind[i] == CDN_SLIDER;
    if (pins > 0) return tree;
    cdn_system_release(tree.system);
  }
}

static void check_all(sample *s, double tolerance) {
  double *dz = calloc((size_t)(s->nu * s->nz + 1), sizeof *dz);
  OK_ON(s->state, cdn_inverse_dynamics_derivatives(s->state, s->udot, s->a, s->b, dz));
  check_matrix(s, residual, ALONG_Q, s->nu, s->a, tolerance, "dtau/dq");
  check_matrix(s, residual, ALONG_U, s->nu, s->b, tolerance, "dtau/du");
  check_matrix(s, residual, ALONG_Z, s->nz, dz, tolerance, "dtau/dz");
  if (!cdn_state_udot(s->state)) { /* frames without mass in line, by chance: there is no udot to differentiate */
    FAILS(cdn_forward_dynamics_derivatives(s->state, s->a, s->b, NULL, dz), CDN_ERR_SINGULAR);
    free(dz);
    return;
  }
  OK_ON(s->state, cdn_forward_dynamics_derivatives(s->state, s->a, s->b, NULL, dz));
  check_matrix(s, forward, ALONG_Q, s->nu, s->a, 10 * tolerance, "dudot/dq");
  check_matrix(s, forward, ALONG_U, s->nu, s->b, 10 * tolerance, "dudot/du");
  check_matrix(s, forward, ALONG_Z, s->nz, dz, 10 * tolerance, "dudot/dz");
  free(dz);
}

static void on_engines(bool with_derivative, double tolerance) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    random_tree tree = tree_with_pins(seed, (int)(seed % 11) + 1, (cdn_allocator){ 0 });
    rng r = rng_of(seed + 5);
    add_engine(&tree, &r, with_derivative);
    sample s = sample_of_tree(&tree, seed);
    check_all(&s, tolerance);
    drop(&s);
  }
}

START_TEST(custom_with_derivative) { on_engines(true, 1e-10); }
END_TEST
/* Central differences with steps of 6e-6: rounding 1e-16 / 6e-6, truncation (6e-6)^2 / 6 of the third derivative, which
 * is large where the ends of the line are near each other. */
START_TEST(custom_by_differences) { on_engines(false, 1e-8); }
END_TEST

/* ---- the elements that random trees do not have ---- */

START_TEST(further_elements) {
  for (uint64_t seed = 1; seed <= 30; seed++) {
    random_tree tree = tree_with_pins(seed, (int)(seed % 9) + 2, (cdn_allocator){ 0 });
    cdn_system *system = tree.system;
    rng r = rng_of(seed + 9);
    for (int i = 0; i < 4; i++) {
      const cdn_body a = { 1 + pick(&r, tree.bodies) }, b = { pick(&r, a.i) };
      const cdn_vec3 p_A = random_vec3(&r, 0.5), p_B = random_vec3(&r, 0.5);
      cdn_system_add_two_point_force(system, NULL, a, p_A, b, p_B, uniform(&r, -4, 4));
      cdn_system_add_two_point_spring(system, NULL, b, p_B, a, p_A, uniform(&r, 1, 9), 0); /* without a rest length */
      cdn_system_add_two_point_damper(system, NULL, b, p_B, a, p_A, uniform(&r, 0, 3));
    }
    for (int i = 1; i <= tree.bodies; i++) {
      const double k[3] = { uniform(&r, 0, 4), uniform(&r, -2, 2), uniform(&r, 0, 2) };
      const cdn_mobilizer kind = tree.kind[i];
      if ((kind == CDN_BALL || kind == CDN_FREE) && cdn_body_has_quaternion(system, (cdn_body){ i }))
        cdn_system_add_rotation_damper(system, NULL, (cdn_body){ i }, k);
      if (kind == CDN_FREE || kind == CDN_TRANSLATION || kind == CDN_BUSHING || kind == CDN_FREE_LINE)
        cdn_system_add_position_spring(system, NULL, (cdn_body){ i }, k, random_vec3(&r, 1));
    }
    cdn_system_add_global_damper(system, NULL, 0.3);
    cdn_system_exclude_from_gravity(system, (cdn_force){ 0 }, (cdn_body){ 1 });
    sample s = sample_of_tree(&tree, seed);
    check_all(&s, 1e-10);
    drop(&s);
  }
}
END_TEST

START_TEST(bushing) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    random_tree tree = tree_with_pins(seed, (int)(seed % 5) + 2, (cdn_allocator){ 0 });
    rng r = rng_of(seed + 29);
    const cdn_transform X_A = { random_rotation(&r), random_vec3(&r, 0.3) },
                        X_B = { random_rotation(&r), random_vec3(&r, 0.3) };
    double k[6], c[6];
    for (int i = 0; i < 6; i++) k[i] = uniform(&r, 1, 5), c[i] = uniform(&r, 0, 1);
    cdn_system_add_linear_bushing(tree.system, "bushing", (cdn_body){ pick(&r, 2) }, X_A, (cdn_body){ 2 }, X_B, k, c);
    sample s = sample_of_tree(&tree, seed);
    double q[6];
    OK_ON(s.state,
          cdn_linear_bushing_coordinates(s.state, (cdn_force){ cdn_system_force_count(tree.system) - 1 }, q, NULL));
    /* near the singular angle differences have no digits */
    if (fabs(q[1]) < 1.2 && fabs(q[0]) < 3 && fabs(q[2]) < 3) check_all(&s, 1e-10);
    drop(&s);
  }
}
END_TEST

/* Ellipsoids on any body, in a wind that is faster than they are: in slow flow higher derivatives, by which differences
 * err, go as inverse powers of its speed. (Drag of boxes bends where one of six speeds is 0, which the steps of these
 * differences often meet: the matrix of features asks about them by smaller steps.) */
START_TEST(ellipsoids_in_a_wind) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    random_tree tree = tree_with_pins(seed, (int)(seed % 5) + 2, (cdn_allocator){ 0 });
    rng r = rng_of(seed + 61);
    static const char *const names[] = { "first", "second", "third" };
    for (int k = 0; k < 3; k++) {
      cdn_fluid_ellipsoid_def e = cdn_default_fluid_ellipsoid_def();
      e.body.i = 1 + pick(&r, tree.bodies);
      e.X_BF = (cdn_transform){ random_rotation(&r), random_vec3(&r, 0.3) };
      for (int i = 0; i < 3; i++) e.half[i] = uniform(&r, 0.2, 0.6);
      e.density = uniform(&r, 0, 2), e.viscosity = uniform(&r, 0, 1);
      e.wind = cdn_scale(10, cdn_rotate(random_rotation(&r), cdn_v3(0, 0, 1)));
      cdn_system_add_fluid_ellipsoid(tree.system, names[k], &e);
    }
    sample s = sample_of_tree(&tree, seed);
    check_all(&s, 1e-9);
    drop(&s);
  }
}
END_TEST

/* ---- what stays as it was ---- */

START_TEST(state_is_left_alone) {
  counting_allocator counter = { 0 };
  random_tree tree = tree_with_pins(3, 8, allocator_of(&counter));
  rng r = rng_of(5);
  add_engine(&tree, &r, false); /* differenced: the State is displaced in between */
  sample s = sample_of_tree(&tree, 3);
  double udot[MOST_NU], tau[MOST_NU], dz[2 * MOST_NU];
  OK_ON(s.state, cdn_realize(s.state, CDN_STAGE_ACCELERATION));
  forward(&s, udot);
  const double *there = cdn_state_udot(s.state);
  const uint64_t serial = cdn_state_serial(s.state, CDN_Q);
  for (int i = 0; i < 3; i++) {
    const int64_t calls = counter.calls;
    OK_ON(s.state, cdn_forward_dynamics_derivatives(s.state, s.a, s.b, NULL, dz));
    OK_ON(s.state, cdn_inverse_dynamics_derivatives(s.state, s.udot, s.a, s.b, dz));
    OK_ON(s.state, cdn_inverse_dynamics_regressor(s.state, s.udot, s.a));
    OK_ON(s.state, cdn_forward_dynamics_regressor(s.state, s.a));
    if (i > 0) ck_assert_int_eq(counter.calls, calls);
    ck_assert_uint_eq(cdn_state_serial(s.state, CDN_Q), serial);
    ck_assert_int_eq(cdn_state_stage(s.state), CDN_STAGE_ACCELERATION);
    ck_assert_mem_eq(there, udot, (size_t)s.nu * sizeof *udot);
    ck_assert_mem_eq(cdn_state_q(s.state), s.q, (size_t)s.nq * sizeof *udot);
  }
  /* the same bits again, and after everything has been computed anew */
  memcpy(tau, s.a, sizeof(double) * (size_t)s.nu);
  put_back(&s);
  OK_ON(s.state, cdn_forward_dynamics_regressor(s.state, s.a));
  ck_assert_mem_eq(tau, s.a, sizeof(double) * (size_t)s.nu);
  drop(&s);
  ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

/* Every allocation may fail: the call says so, and the next one works. */
START_TEST(out_of_memory) {
  for (int64_t k = 1; k < 40; k++) {
    counting_allocator counter = { 0 };
    random_tree tree = tree_with_pins(3, 6, allocator_of(&counter));
    rng r = rng_of(5);
    add_engine(&tree, &r, k % 2 == 0);
    sample s = sample_of_tree(&tree, 3);
    double dz[2 * MOST_NU];
    counter.fail_at = counter.calls + k;
    cdn_status first = cdn_forward_dynamics_derivatives(s.state, s.a, s.b, NULL, dz);
    const bool all = counter.calls < counter.fail_at;
    ck_assert_msg(first == (all ? CDN_OK : CDN_ERR_NOMEM), "allocation %d: %s", (int)k, cdn_status_name(first));
    counter.fail_at = 0;
    OK_ON(s.state, cdn_forward_dynamics_derivatives(s.state, s.a, s.b, NULL, dz));
    drop(&s);
    ck_assert_int_eq(counter.outstanding, 0);
    if (all) return;
  }
  ck_abort_msg("more allocations than there should be");
}
END_TEST

/* ---- mistakes ---- */

static cdn_status bad_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d) {
  (void)state;
  const int which = *(const int *)self;
  const cdn_body one = { 1 }, none = { 99 };
  const cdn_vec3 zero = { 0, 0, 0 };
  if (which == 0) cdn_force_derivatives_add_point(d, none, zero, zero, NULL, NULL);
  if (which == 1) cdn_force_derivatives_add_torque(d, one, cdn_v3(NAN, 0, 0));
  if (which == 2) cdn_force_derivatives_add_mobility(d, one, 0, one, 7, 1, 1);
  if (which == 3) cdn_force_derivatives_add_line(d, one, zero, one, zero, 1, 1, 1);
  return which == 4 ? CDN_ERR_CALLBACK : CDN_OK;
}

START_TEST(mistakes_are_named) {
  static const cdn_status expected[] = { CDN_ERR_ARG, CDN_ERR_NONFINITE, CDN_ERR_ARG, CDN_ERR_SINGULAR,
                                         CDN_ERR_CALLBACK };
  double dq[1], udot = NAN;
  for (int which = 0; which < 5; which++) {
    cdn_state *state = state_with_culprit(bad_derivative, which);
    FAILS(cdn_inverse_dynamics_derivatives(state, NULL, dq, NULL, NULL), expected[which]);
    check_culprit(state);
    FAILS(cdn_inverse_dynamics_derivatives(state, &udot, dq, NULL, NULL), CDN_ERR_NONFINITE);
    FAILS(cdn_inverse_dynamics_regressor(state, &udot, dq), CDN_ERR_NONFINITE);
    cdn_state_destroy(state);
  }
}
END_TEST

START_TEST(without_bodies) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  double x[1];
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  FAILS(cdn_inverse_dynamics_derivatives(state, NULL, x, x, x), CDN_ERR_ARG);
  FAILS(cdn_forward_dynamics_derivatives(state, x, x, x, x), CDN_ERR_ARG);
  FAILS(cdn_inertial_parameters(state, x), CDN_ERR_ARG);
  FAILS(cdn_inverse_dynamics_regressor(state, NULL, x), CDN_ERR_ARG);
  FAILS(cdn_forward_dynamics_regressor(state, x), CDN_ERR_ARG);
  FAILS(cdn_qdot_derivatives(state, x, x, x), CDN_ERR_ARG);
  FAILS(cdn_tangent_rate_derivatives(state, x), CDN_ERR_ARG);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("derivatives of forces", custom_with_derivative, custom_by_differences, further_elements, bushing,
           ellipsoids_in_a_wind, state_is_left_alone, out_of_memory, mistakes_are_named, without_bodies)
