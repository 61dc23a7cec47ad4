/* Derivatives of accelerations and multipliers with rows that subsystems provide, against differences of the whole. */
#include "../unit/row_rig.h"
#include "differences.h"

enum { NU = 11, NZ = 2 };

/* Rows of all sorts, by points that move, with biases that read q, u and z, and bounds that read q. Numbers: which
 * of them: as bits. */
static cdn_status rows_of_all_sorts(const row_source *s, cdn_state *state, cdn_row_list *rows) {
  const int which = (int)s->numbers[0];
  const double q = *cdn_body_q(state, s->body), u = *cdn_body_u(state, s->body), *z = cdn_state_zvar(state, s->z);
  cdn_row_def def = cdn_default_row_def();
  cdn_transform X;
  const cdn_status status = cdn_body_pose(state, s->other, &X);
  if (which & 1) {
    def.target[0] = -(sin(q) + 2 * u + z[0] * u), def.R[0] = 0.1 * (1 + q * q);
    cdn_row_list_add(rows, &def);
    cdn_row_list_add_mobility(rows, s->body, 0, 1 + 0.5 * cos(q));
    cdn_row_list_add_mobility(rows, s->other, 4, 0.3 * z[1]);
  }
  def = cdn_default_row_def();
  if (which & 2) {
    def.target[0] = -X.p.x * u;
    cdn_row_list_add(rows, &def);
    cdn_row_list_add_point(rows, s->body, v(0.1, -0.2, 0.3), cdn_rotate(X.R, v(1, 0, 2)));
    cdn_row_list_add_point(rows, s->other, v(-0.3, 0.2, 0.1), cdn_rotate(X.R, v(-1, 0, -2)));
  }
  if (which & 4) { /* at its lower bound, and another that is at its upper one */
    def.target[0] = -50, def.lower = -(0.4 + 0.1 * X.p.y + 0.05 * z[0]);
    cdn_row_list_add(rows, &def);
    cdn_row_list_add_point(rows, s->other, v(0, 0.1, 0.1), X.p);
    def.target[0] = 50, def.lower = -INFINITY, def.upper = 0.7;
    cdn_row_list_add(rows, &def);
    cdn_row_list_add_body(rows, s->other, (cdn_spatial){ v(1, 0.2, 0), v(0, 0, 0.5) });
  }
  if (which & 8) {
    double W[36] = { 0 };
    for (int k = 0; k < 6; k++) W[7 * k] = 0.5 + 0.1 * k + 0.1 * sin(q);
    W[1] = W[6] = 0.2, W[21] = 0;
    cdn_row_list_add_weight(rows, ground, s->other, X.p, W, (cdn_spatial){ v(u, 0, 0), v(0, z[1], 1) });
  }
  return status;
}

static void multipliers_of_constraints(sample *s, double *out) {
  const double *lambda = cdn_state_multipliers(s->state);
  ck_assert_ptr_nonnull(lambda);
  memset(out, 0, NU * sizeof *out);
  for (int i = 0; i < cdn_system_nudoterr(cdn_state_system(s->state)); i++) out[i] = lambda[i];
}

/* Which rows: as bits; with a constraint; with a prescribed joint. */
static void check(int which, bool constrained, bool prescribed) {
  rig r = make_rig();
  double dq[NU * NU], du[NU * NU], df[NU * NU], dz[NU * NZ], f[NU] = { 0 };
  cdn_system_add_gravity(r.system, NULL, v(1, -9, 3));
  cdn_system_add_mobility_spring(r.system, NULL, r.pin, 0, 20, 0.1);
  if (constrained) cdn_system_constrain_ball(r.system, NULL, r.slider, v(0, 0, 0.1), r.ball, v(0.2, 0, 0));
  add_rows(
      r.system,
      (row_source){ .calc = rows_of_all_sorts, .body = r.slider, .other = r.free, .numbers = { which }, .nz = NZ });
  start(&r);
  OK(cdn_state_set_q(r.state, (double[]){ 0.4, 0.3, 0.9, 0.3, -0.2, 0.5, 0.8, -0.5, 0.1, 0.4, 1.2, -0.7, 0.6 }));
  OK(cdn_state_set_u(r.state, (double[]){ 0.7, -1.1, 0.4, -0.9, 1.3, 0.8, -0.6, 0.5, 1.4, 0.2, -1.0 }));
  OK(cdn_state_set_applied_body_force(r.state, r.slider, (cdn_spatial){ v(1, 2, 3), v(-3, 2, 1) }));
  if (prescribed) OK_ON(r.state, cdn_body_lock(r.state, r.pin, CDN_LEVEL_VELOCITY));
  sample s = sample_of(r.state, 1);
  OK_ON(s.state, cdn_forward_dynamics_derivatives(s.state, dq, du, df, dz));
  /* a lock keeps what it was told: coordinates of the locked joint are not to be displaced */
  if (!prescribed) {
    check_matrix(&s, forward, ALONG_Q, NU, dq, 1e-7, "dudot/dq");
    check_matrix(&s, forward, ALONG_U, NU, du, 1e-7, "dudot/du");
  }
  check_matrix(&s, forward, ALONG_Z, NZ, dz, 1e-7, "dudot/dz");
  put_back(&s);
  double udot[NU];
  memcpy(udot, cdn_state_udot(s.state), sizeof udot);
  for (int k = 0; k < NU; k++) { /* while no row comes to its bound or leaves it, udot is linear in f */
    f[k] = 1e-3;
    OK(cdn_state_set_applied_mobility_forces(s.state, f));
    for (int i = 0; i < NU; i++) NEAR((cdn_state_udot(s.state)[i] - udot[i]) / 1e-3, df[i * NU + k], 1e-9);
    f[k] = 0;
  }
  OK(cdn_state_set_applied_mobility_forces(s.state, f));
  if (constrained && !prescribed) {
    const int m = cdn_system_nudoterr(r.system);
    double lq[NU * NU] = { 0 }, lz[NU * NZ] = { 0 };
    ck_assert_int_le(m, NU);
    OK_ON(s.state, cdn_multiplier_derivatives(s.state, lq, NULL, NULL, lz));
    check_matrix(&s, multipliers_of_constraints, ALONG_Q, NU, lq, 1e-7, "dlambda/dq");
    check_matrix(&s, multipliers_of_constraints, ALONG_Z, NZ, lz, 1e-7, "dlambda/dz");
  }
  drop(&s);
  cdn_system_release(r.system);
}

START_TEST(test_rows) {
  for (int which = 1; which < 16; which++) check(which, false, false);
}
END_TEST

START_TEST(test_with_constraints) {
  for (int which = 1; which < 16; which++) check(which, true, false);
}
END_TEST

START_TEST(test_with_a_lock) {
  for (int k = 0; k < 4; k++) check(k < 2 ? 15 : 5, k % 2, true);
}
END_TEST

/* By the mass of the box: the regressor of forward dynamics against another mass. */
START_TEST(test_regressor) {
  double udot[2][NU], by[NU * 50], pi[2][50];
  for (int k = 0; k < 2; k++) {
    rig r = make_rig();
    add_rows(r.system,
             (row_source){ .calc = rows_of_all_sorts, .body = r.slider, .other = r.free, .numbers = { 15 }, .nz = NZ });
    start(&r);
    OK(cdn_state_set_u(r.state, (double[]){ 0.7, -1.1, 0.4, -0.9, 1.3, 0.8, -0.6, 0.5, 1.4, 0.2, -1.0 }));
    OK(cdn_state_set_applied_body_force(r.state, r.slider, (cdn_spatial){ v(1, 2, 3), v(-3, 2, 1) }));
    cdn_mass_properties mass = cdn_body_mass_properties(r.state, r.free);
    if (k) mass.mass += 1e-5;
    OK_ON(r.state, cdn_body_set_mass_properties(r.state, r.free, mass));
    OK_ON(r.state, cdn_inertial_parameters(r.state, pi[k]));
    memcpy(udot[k], cdn_state_udot(r.state), sizeof udot[k]);
    if (k == 0) OK_ON(r.state, cdn_forward_dynamics_regressor(r.state, by));
    stop(&r);
  }
  for (int i = 0; i < NU; i++) {
    double change = 0;
    for (int c = 0; c < 50; c++) change += by[i * 50 + c] * (pi[1][c] - pi[0][c]);
    NEAR((udot[1][i] - udot[0][i]) / 1e-5, change / 1e-5, 1e-4);
  }
}
END_TEST

CHECK_MAIN("derivatives with rows", test_rows, test_with_constraints, test_with_a_lock, test_regressor)
