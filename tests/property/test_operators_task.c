/* The operational space against J M^-1 J^T made of matrices, the centroidal momentum matrix against the bodies'
 * momenta and its own rate, gravity compensation against a System that it holds still. */
#include "operator_samples.h"

/* ---- the operational space ------------------------------------------------------------------ */

enum { MOST_TASKS = 3 };

static void check_operational(sample *s) {
  static double J[6 * MOST_TASKS * MOST_NU], M_inv[MOST_NU * MOST_NU], MJ[MOST_NU * 6 * MOST_TASKS];
  double L_inv[36 * MOST_TASKS * MOST_TASKS], L[36 * MOST_TASKS * MOST_TASKS];
  for (int round = 0; round < 4; round++) {
    /* what is prescribed is rigid: the last round locks every third body */
    for (int b = 1; round == 3 && b < s->nb; b += 3)
      OK_ON(s->state, cdn_body_lock(s->state, (cdn_body){ b }, CDN_LEVEL_POSITION));
    const bool frames = round % 2;
    const int n = 1 + pick(&s->r, MOST_TASKS), rows = (frames ? 6 : 3) * n, nu = s->nu;
    cdn_body body[MOST_TASKS];
    cdn_vec3 p[MOST_TASKS];
    for (int i = 0; i < n; i++) body[i] = (cdn_body){ pick(&s->r, s->nb) }, p[i] = random_vec3(&s->r, 1);
    OK_ON(s->state, cdn_calc_M_inv(s->state, M_inv));
    if (frames) {
      OK_ON(s->state, cdn_calc_frame_J(s->state, n, body, p, J));
      OK_ON(s->state, cdn_calc_frame_operational_inertia_inv(s->state, n, body, p, L_inv));
    } else {
      OK_ON(s->state, cdn_calc_station_J(s->state, n, body, p, J));
      OK_ON(s->state, cdn_calc_station_operational_inertia_inv(s->state, n, body, p, L_inv));
    }
    for (int k = 0; k < nu; k++)
      for (int i = 0; i < rows; i++) {
        double sum = 0;
        for (int l = 0; l < nu; l++) sum += M_inv[k * nu + l] * J[i * nu + l];
        MJ[k * rows + i] = sum;
      }
    double largest = 0;
    for (int i = 0; i < rows; i++) largest = fmax(largest, L_inv[i * rows + i]);
    for (int i = 0; i < rows; i++)
      for (int k = 0; k < rows; k++) {
        double truth = 0, size = 0;
        for (int l = 0; l < nu; l++) {
          truth += J[i * nu + l] * MJ[l * rows + k];
          for (int j = 0; j < nu; j++) size += fabs(J[i * nu + l] * M_inv[l * nu + j] * J[k * nu + j]);
        }
        NEAR(L_inv[i * rows + k], truth, 1e-12 * size);
        ck_assert(L_inv[i * rows + k] == L_inv[k * rows + i]);
      }
    /* one that exists is the inverse */
    const cdn_status status = frames ? cdn_calc_frame_operational_inertia(s->state, n, body, p, L)
                                     : cdn_calc_station_operational_inertia(s->state, n, body, p, L);
    if (status != CDN_OK) {
      ck_assert(status == CDN_ERR_SINGULAR);
      continue;
    }
    for (int i = 0; i < rows; i++)
      for (int k = 0; k < rows; k++) {
        double sum = 0, size = 0;
        for (int l = 0; l < rows; l++) sum += L[i * rows + l] * L_inv[l * rows + k];
        for (int l = 0; l < rows; l++) size += fabs(L[i * rows + l]) * sqrt(L_inv[l * rows + l] * L_inv[k * rows + k]);
        NEAR(sum, i == k, 1e-14 * (1 + size * size)); /* Cholesky twice: up to the square of the condition */
        ck_assert(L[i * rows + k] == L[k * rows + i]);
      }
  }
}

START_TEST(test_operational) { on_trees(check_operational, 24, false); }
END_TEST

/* A pendulum's bob: its inertia across the rod is its mass plus the rod's; along the rod nothing moves, and the
 * message says so. */
START_TEST(test_pendulum) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "arm", def.mobilizer = CDN_FREE;
  def.mass = (cdn_mass_properties){ .mass = 3, .inertia = { 0.2, 0.3, 0.4, 0, 0, 0 } };
  const cdn_body arm = cdn_system_add_body(system, &def);
  def.name = "bob", def.mobilizer = CDN_SLIDER, def.parent = cdn_ground();
  const cdn_body bob = cdn_system_add_body(system, &def);
  OK_FREEZE(system);
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  double L[36];
  const cdn_vec3 p = { 0, 0, 0 };
  /* a free body about its centre of mass: its own inertia */
  OK_ON(state, cdn_calc_frame_operational_inertia(state, 1, &arm, &p, L));
  const double truth[6] = { 0.2, 0.3, 0.4, 3, 3, 3 };
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++) NEAR(L[6 * i + k], i == k ? truth[i] : 0, 1e-14);
  OK_ON(state, cdn_calc_station_operational_inertia_inv(state, 1, &bob, &p, L));
  NEAR(L[0], 1.0 / 3, 1e-15);
  for (int i = 1; i < 9; i++) NEAR(L[i], 0, 0);
  FAILS(cdn_calc_station_operational_inertia(state, 1, &bob, &p, L), CDN_ERR_SINGULAR);
  cdn_error error;
  cdn_state_last_error(state, &error);
  ck_assert_msg(strstr(error.text, "'bob'") && strstr(error.text, "row 1"), "%s", error.text);
  cdn_state_destroy(state);
}
END_TEST

/* ---- momentum ------------------------------------------------------------------------------- */

static double spatial_entry(cdn_spatial V, int i) { return (&V.w.x)[i]; }

static void check_centroidal(sample *s) {
  static double A[6 * MOST_NU], up[6 * MOST_NU], down[6 * MOST_NU];
  const int nu = s->nu;
  double q0[MOST_NQ], q[MOST_NQ], qdot[MOST_NQ], u[MOST_NU];
  OK_ON(s->state, cdn_calc_centroidal_momentum_matrix(s->state, A));
  cdn_spatial h, bias;
  OK_ON(s->state, cdn_central_momentum(s->state, &h));
  OK_ON(s->state, cdn_calc_centroidal_momentum_bias(s->state, &bias));
  memcpy(u, cdn_state_u(s->state), (size_t)nu * sizeof *u);
  /* body by body, from the naive Jacobian */
  const cdn_vec3 center = naive_center_of_mass(&s->naive);
  for (int k = 0; k < nu; k++) {
    cdn_spatial truth = { { 0, 0, 0 }, { 0, 0, 0 } };
    double size = 0;
    for (int b = 1; b < s->nb; b++) {
      const naive_body *B = &s->naive.body[b];
      const cdn_spatial V = cdn_spatial_shift_velocity(s->naive.J[b * nu + k], B->p_BC_G);
      const cdn_spatial_inertia I = { B->mass, { 0, 0, 0 }, B->I_G };
      const cdn_vec3 arm = cdn_sub(center, cdn_add(B->X_GB.p, B->p_BC_G));
      const cdn_spatial own = cdn_spatial_shift_force(cdn_spatial_inertia_multiply(I, V), arm);
      truth = cdn_spatial_add(truth, own);
      size += spatial_size(own) + spatial_size(V) * B->mass * (1 + cdn_norm(arm));
    }
    for (int i = 0; i < 6; i++) NEAR(A[i * nu + k], spatial_entry(truth, i), 2 * ALONG_A_PATH * (1 + size));
  }
  double size[6] = { 0 };
  for (int i = 0; i < 6; i++) {
    double sum = 0;
    for (int k = 0; k < nu; k++) sum += A[i * nu + k] * u[k], size[i] += fabs(A[i * nu + k] * u[k]);
    NEAR(sum, spatial_entry(h, i), 20 * ALONG_A_PATH * (1 + size[i]));
  }
  /* the rate of A along the motion, times u */
  const double step = 1e-5;
  memcpy(q0, cdn_state_q(s->state), (size_t)s->nq * sizeof *q0);
  OK_ON(s->state, cdn_multiply_by_N(s->state, u, qdot));
  for (int side = 0; side < 2; side++) {
    for (int i = 0; i < s->nq; i++) q[i] = q0[i] + (side ? step : -step) * qdot[i];
    OK(cdn_state_set_q(s->state, q));
    OK_ON(s->state, cdn_calc_centroidal_momentum_matrix(s->state, side ? up : down));
  }
  OK(cdn_state_set_q(s->state, q0));
  double speed = 1; /* of a quantity that turns at w the third derivative is w^3: the error of the differences */
  for (int k = 0; k < nu; k++) speed += fabs(u[k]);
  for (int i = 0; i < 6; i++) {
    double sum = 0;
    for (int k = 0; k < nu; k++) sum += (up[i * nu + k] - down[i * nu + k]) / (2 * step) * u[k];
    NEAR(sum, spatial_entry(bias, i), (1 + size[i] + size[(i + 3) % 6]) * (step * step * pow(speed, 3) + 1e-8));
  }
}

START_TEST(test_centroidal) { on_trees(check_centroidal, 16, false); }
END_TEST

/* Nothing acts from outside: momentum stays, A udot + bias = 0, whatever the joints do. */
START_TEST(test_conservation) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    random_tree t = make_random_tree(
        &(tree_options){ .bodies = 1 + (int)seed % 12, .shape = seed, .numbers = seed, .floating = true });
    cdn_state *state = random_tree_state(&t, seed);
    const int nu = cdn_system_nu(cdn_state_system(state));
    rng r = rng_of(seed);
    double f[MOST_NU], udot[MOST_NU], A[6 * MOST_NU];
    random_numbers(&r, 1, f, nu);
    for (int i = 0; i < 6; i++) f[i] = 0; /* none on the base, whose joint leads to Ground */
    OK_ON(state, cdn_forward_dynamics(state, NULL, f, udot, NULL));
    OK_ON(state, cdn_calc_centroidal_momentum_matrix(state, A));
    cdn_spatial bias;
    OK_ON(state, cdn_calc_centroidal_momentum_bias(state, &bias));
    for (int i = 0; i < 6; i++) {
      double sum = spatial_entry(bias, i), size = fabs(sum) + 1;
      for (int k = 0; k < nu; k++) sum += A[i * nu + k] * udot[k], size += fabs(A[i * nu + k] * udot[k]);
      NEAR(sum, 0, 1e-11 * size);
    }
    cdn_state_destroy(state);
  }
}
END_TEST

/* ---- gravity -------------------------------------------------------------------------------- */

START_TEST(test_gravity_compensation) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    random_tree t = make_random_tree(&(tree_options){ .bodies = 2 + (int)seed % 12, .shape = seed, .numbers = seed });
    const cdn_vec3 g = { 1, -3, -9 };
    const cdn_force gravity = cdn_system_add_gravity(t.system, NULL, g);
    const cdn_body excluded = { 1 + (int)seed % t.bodies };
    if (seed % 2) cdn_system_exclude_from_gravity(t.system, gravity, excluded);
    cdn_state *state = random_tree_state(&t, seed);
    const int nu = cdn_system_nu(cdn_state_system(state));
    double f[MOST_NU], plain[MOST_NU], zero[MOST_NU] = { 0 };
    OK_ON(state, cdn_calc_gravity_compensation(state, f));
    OK_ON(state, cdn_calc_gravity_forces(state, g, plain));
    for (int k = 0; k < nu && seed % 2 == 0; k++) ck_assert(f[k] == -plain[k]);
    /* held: at rest nothing accelerates */
    OK(cdn_state_set_u(state, zero));
    OK(cdn_state_set_applied_mobility_forces(state, f));
    const double *udot = cdn_state_udot(state);
    ck_assert(udot != NULL);
    for (int k = 0; k < nu; k++) NEAR(udot[k], 0, 1e-9);
    /* off: nothing to hold */
    OK(cdn_force_set_enabled(state, gravity, false));
    OK_ON(state, cdn_calc_gravity_compensation(state, f));
    for (int k = 0; k < nu; k++) NEAR(f[k], 0, 0);
    cdn_state_destroy(state);
  }
}
END_TEST

CHECK_MAIN("operators of tasks", test_operational, test_pendulum, test_centroidal, test_conservation,
           test_gravity_compensation)
