/* Studies of one State when memory runs out, when a force fails, and when what they are given is wrong. */
#include "counting_allocator.h"

enum { LINKS = 3 };

typedef struct rig {
  cdn_system *system;
  cdn_state *state;
} rig;

static cdn_status fail_beyond(const void *self, cdn_state *state, cdn_forces *forces) {
  (void)forces;
  const double limit = *(const double *)self;
  return cdn_state_q_eff(state)[0] < limit ? CDN_OK : CDN_ERR_CALLBACK;
}

/* A four-bar linkage that hangs, its rocker driven, and a force that fails where the crank passes a limit. */
static rig make_rig(cdn_allocator allocator, double limit) {
  cdn_system_def def = cdn_default_system_def();
  def.allocator = allocator;
  rig r = { .system = cdn_system_create(&def) };
  if (!r.system) return r;
  cdn_body link[LINKS];
  const double x[LINKS] = { 0, 0.5, 1.5 }, length[LINKS] = { 0.5, 1.3, 1.1 };
  for (int i = 0; i < LINKS; i++) {
    cdn_body_def body = cdn_default_body_def();
    body.mobilizer = CDN_PIN, body.X_PF.p = cdn_v3(x[i], 0, 0);
    body.parent = i == 1 ? link[0] : cdn_ground();
    body.mass = (cdn_mass_properties){ .mass = 1, .com = cdn_v3(length[i] / 2, 0, 0), .inertia = { 1, 1, 1, 0, 0, 0 } };
    link[i] = cdn_system_add_body(r.system, &body);
  }
  cdn_system_constrain_ball(r.system, "closure", link[1], cdn_v3(length[1], 0, 0), link[2], cdn_v3(length[2], 0, 0));
  cdn_system_add_gravity(r.system, "gravity", cdn_v3(0, -9.81, 0));
  cdn_force_ops force = { .struct_size = sizeof force, .reads = CDN_READS_POSITION, .calc_force = fail_beyond };
  force.subsystem.name = "limit", force.subsystem.self_size = sizeof limit;
  cdn_system_add_custom_force(r.system, &force, &limit);
  return r;
}

static void free_rig(rig *r) {
  cdn_state_destroy(r->state);
  cdn_system_release(r->system);
}

static cdn_status start(rig *r) {
  const double q[LINKS] = { 0.4, 0.2, 1.6 };
  cdn_status status = cdn_system_freeze(r->system);
  if (status == CDN_OK) status = cdn_state_create(r->system, &r->state);
  if (status == CDN_OK) status = cdn_state_set_q(r->state, q);
  if (status == CDN_OK) status = cdn_project_q(r->state, NULL, NULL);
  return status;
}

static cdn_status study(rig *r, counting_allocator *c) {
  cdn_status status = start(r);
  double a[4 * LINKS * LINKS], b[LINKS * LINKS], d[LINKS * LINKS], f[LINKS], lambda[LINKS], im[2 * LINKS],
      re[2 * LINKS];
  const double zeros[LINKS] = { 0 };
  int n, l;
  if (status == CDN_OK) status = cdn_forward_dynamics_derivatives(r->state, a, b, d, NULL);
  if (status == CDN_OK) status = cdn_multiplier_derivatives(r->state, a, b, d, NULL);
  if (status == CDN_OK) status = cdn_constrained_inverse_dynamics(r->state, zeros, NULL, f, lambda, NULL);
  if (status == CDN_OK) status = cdn_degrees_of_freedom(r->state, &(cdn_freedom){ 0 }, NULL);
  if (status == CDN_OK) status = cdn_displacement_basis(r->state, a, &n);
  if (status == CDN_OK) status = cdn_displace(r->state, n, a, &(double){ 0.01 }, NULL);
  if (status == CDN_OK) status = cdn_find_equilibrium(r->state, NULL, NULL);
  if (status == CDN_OK) status = cdn_linearize(r->state, a, b, &n, d, &l);
  if (status == CDN_OK) status = cdn_linear_modes(r->state, &n, re, im, a, a + 2 * LINKS * LINKS);
  if (status == CDN_OK) status = cdn_normal_modes(r->state, &n, f, b);
  /* in motion, which takes another State */
  const double u[LINKS] = { 1, 0, 0 };
  if (status == CDN_OK) status = cdn_state_set_u(r->state, u);
  if (status == CDN_OK) status = cdn_project_u(r->state, NULL, NULL);
  if (status == CDN_OK) status = cdn_linearize(r->state, a, b, &n, d, &l);
  /* what needs no State of its own allocates nothing once it is warm */
  const int64_t before = c->calls;
  if (status == CDN_OK) status = cdn_forward_dynamics_derivatives(r->state, a, b, d, NULL);
  if (status == CDN_OK) status = cdn_constrained_inverse_dynamics(r->state, zeros, NULL, f, lambda, NULL);
  if (status == CDN_OK) status = cdn_displacement_basis(r->state, a, &n);
  if (status == CDN_OK) ck_assert_int_eq(c->calls, before);
  return status;
}

START_TEST(memory_runs_out) {
  for (int64_t fail_at = 1;; fail_at++) {
    counting_allocator c = { .fail_at = fail_at };
    rig r = make_rig(allocator_of(&c), 1e9);
    const cdn_status status = r.system ? study(&r, &c) : CDN_ERR_NOMEM;
    free_rig(&r);
    ck_assert_int_eq(c.outstanding, 0);
    ck_assert_int_eq(c.misuse, 0);
    if (c.calls < fail_at) {
      ck_assert_msg(status == CDN_OK, "%s", cdn_status_name(status));
      break;
    }
    must_say_no_memory(status, fail_at);
  }
}
END_TEST

/* The limit is between the start and the place where the linkage would hang: the search goes as far as forces allow,
 * and what was given stays as it is. */
START_TEST(a_force_fails) {
  rig r = make_rig((cdn_allocator){ 0 }, 0.35);
  double a[4 * LINKS * LINKS], q[LINKS], omega2[LINKS];
  int n;
  OK(start(&r));
  memcpy(q, cdn_state_q(r.state), sizeof q);
  const cdn_status code = CDN_ERR_CALLBACK;
  FAILS(cdn_forward_dynamics_derivatives(r.state, a, NULL, NULL, NULL), code);
  FAILS(cdn_find_equilibrium(r.state, NULL, NULL), code);
  FAILS(cdn_normal_modes(r.state, &n, omega2, NULL), code);
  FAILS(cdn_linear_modes(r.state, &n, omega2, omega2, NULL, NULL), code);
  ck_assert(memcmp(q, cdn_state_q(r.state), sizeof q) == 0);
  cdn_error message;
  cdn_state_last_error(r.state, &message);
  ck_assert_int_eq(message.code, code);
  free_rig(&r);
}
END_TEST

START_TEST(wrong_values) {
  rig r = make_rig((cdn_allocator){ 0 }, 1e9);
  OK(start(&r));
  double f[LINKS] = { 0 }, udot[LINKS] = { 0, INFINITY, 0 }, basis[LINKS * LINKS];
  int n;
  FAILS(cdn_constrained_inverse_dynamics(r.state, udot, NULL, f, NULL, NULL), CDN_ERR_NONFINITE);
  FAILS(cdn_constrained_inverse_dynamics(r.state, NULL, NULL, f, NULL, NULL), CDN_ERR_ARG);
  OK(cdn_displacement_basis(r.state, basis, &n));
  ck_assert_int_eq(n, 1);
  FAILS(cdn_displace(r.state, n, basis, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_displace(r.state, n, NULL, f, NULL), CDN_ERR_ARG);
  basis[1] = NAN;
  FAILS(cdn_displace(r.state, n, basis, &(double){ 0.1 }, NULL), CDN_ERR_NONFINITE);
  free_rig(&r);

  /* no bodies at all */
  cdn_system *empty = cdn_system_create(NULL);
  cdn_state *state;
  OK_FREEZE(empty);
  OK(cdn_state_create(empty, &state));
  FAILS(cdn_find_equilibrium(state, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_normal_modes(state, &n, f, NULL), CDN_ERR_ARG);
  FAILS(cdn_linearize(state, f, NULL, &n, NULL, &n), CDN_ERR_ARG);
  FAILS(cdn_degrees_of_freedom(state, &(cdn_freedom){ 0 }, NULL), CDN_ERR_ARG);
  FAILS(cdn_displacement_basis(state, f, &n), CDN_ERR_ARG);
  FAILS(cdn_constrained_inverse_dynamics(state, f, NULL, f, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_multiplier_derivatives(state, NULL, NULL, NULL, NULL), CDN_ERR_ARG);
  cdn_state_destroy(state);
  cdn_system_release(empty);
}
END_TEST

/* Welded to Ground: bodies, but nothing that moves. */
START_TEST(nothing_moves) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  cdn_state *state;
  def.mass.mass = 1;
  cdn_system_add_body(system, &def);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_equilibrium found;
  double none;
  int n = 9, l = 9;
  OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
  ck_assert_int_eq(found.stable + found.neutral + found.unstable, 0);
  OK_ON(state, cdn_normal_modes(state, &n, &none, NULL));
  ck_assert_int_eq(n, 0);
  OK_ON(state, cdn_linearize(state, &none, NULL, &n, NULL, &l));
  ck_assert_int_eq(n + l, 0);
  OK_ON(state, cdn_linear_modes(state, &n, &none, &none, NULL, NULL));
  ck_assert_int_eq(n, 0);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("studies that fail", memory_runs_out, a_force_fails, wrong_values, nothing_moves)
