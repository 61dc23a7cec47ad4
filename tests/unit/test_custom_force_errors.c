/* What becomes of a custom force's mistakes, at run time and when it is added. */
#include "force_probe.h"

#include "core/core.h"

/* ---- mistakes ---- */

static void expect_failure(const rig *r, cdn_status status, bool recoverable, const char *element, const char *text) {
  cdn_error e;
  OK(cdn_state_set_time(r->state, cdn_state_time(r->state) + 1)); /* so that it is called again */
  FAILS(cdn_realize(r->state, CDN_STAGE_ACCELERATION), status);
  cdn_state_last_error(r->state, &e);
  ck_assert_int_eq(e.code, status);
  ck_assert_str_eq(e.element, element);
  ck_assert_msg(strstr(e.text, text) != NULL, "%s", e.text);
  ck_assert_int_eq(e.recoverable, recoverable);
  ck_assert_int_eq(e.stage, CDN_STAGE_FORCE);
}

START_TEST(test_mistakes) {
  rig r = make_rig();
  says good = plain(&r), say = plain(&r);
  add(&r, probe_ops("good", CDN_READS_POSITION), &good, 0);
  add(&r, probe_ops("bad", CDN_READS_POSITION), &say, 0);
  start(&r);
  realize(&r);
  const cdn_body wrong[] = { { 3 }, { -1 }, { 1000000 } };
  for (int i = 0; i < CDNI_COUNT(wrong); i++) {
    say.body = wrong[i];
    expect_failure(&r, CDN_ERR_ARG, false, "bad", "which this System does not have");
  }
  say.body = ground;
  expect_failure(&r, CDN_ERR_ARG, false, "bad", "mobility 0 of joint 'Ground', which has 0");
  say.body = r.ball;
  say.mobility = 3;
  expect_failure(&r, CDN_ERR_ARG, false, "bad", "mobility 3 of joint 'head', which has 3");
  say.mobility = 0;
  const double no_numbers[] = { NAN, INFINITY, -INFINITY };
  for (int i = 0; i < CDNI_COUNT(no_numbers); i++) {
    say.force = no_numbers[i];
    expect_failure(&r, CDN_ERR_NONFINITE, true, "bad", "to joint 'head'");
  }
  say.force = 1;

  /* Failures pass through, with their own message or one made for them. */
  say.status = CDN_ERR_CALLBACK;
  expect_failure(&r, CDN_ERR_CALLBACK, false, "bad", "calc_force of custom force 'bad' failed");
  say.status = CDN_ERR_LIMIT;
  say.message = true;
  expect_failure(&r, CDN_ERR_LIMIT, true, "bad", "the probe was told to fail");
  say.status = (cdn_status)77; /* a user's own number */
  expect_failure(&r, (cdn_status)77, true, "bad", "the probe was told to fail");

  say = plain(&r);
  OK(cdn_state_set_time(r.state, 0));
  realize(&r);
  NEAR(pin_force(&r), 2, 0);
  stop(&r);
}
END_TEST

static cdn_status add_bad_point(const void *self, cdn_state *state, cdn_forces *forces) {
  const int which = *(const int *)self;
  const cdn_body body = { 1 };
  const cdn_vec3 zero = { 0, 0, 0 }, bad = { 0, NAN, 0 };
  (void)state;
  switch (which) {
    case 0: cdn_forces_add_point(forces, body, zero, bad); break;
    case 1: cdn_forces_add_point(forces, body, bad, zero); break;
    case 2: cdn_forces_add_torque(forces, body, bad); break;
    case 3: cdn_forces_add_body(forces, body, (cdn_spatial){ bad, zero }); break;
    case 4: cdn_forces_add_body(forces, body, (cdn_spatial){ zero, bad }); break;
    case 5: cdn_forces_add_point(forces, ground, zero, bad); break;
    case 6: cdn_forces_add_torque(forces, (cdn_body){ 44 }, zero); break;
  }
  return CDN_OK;
}

START_TEST(test_bad_numbers) {
  for (int which = 0; which <= 6; which++) {
    rig r = make_rig();
    const cdn_force_ops ops = { .subsystem = { .name = "bad", .self_size = sizeof which },
                                .struct_size = sizeof ops,
                                .calc_force = add_bad_point };
    cdn_system_add_custom_force(r.system, &ops, &which);
    start(&r);
    if (which == 6) expect_failure(&r, CDN_ERR_ARG, false, "bad", "acts on body 44");
    else expect_failure(&r, CDN_ERR_NONFINITE, true, "bad", which == 5 ? "to body 'Ground'" : "to body 'arm'");
    stop(&r);
  }
}
END_TEST

START_TEST(test_bad_potential) {
  rig r = make_rig();
  says say = plain(&r);
  cdn_force_ops ops = probe_ops("bad", CDN_READS_POSITION);
  ops.calc_potential = calc_potential;
  add(&r, ops, &say, 0);
  start(&r);
  OK(cdn_body_set_q(r.state, r.pin, 1, (double[]){ 1 }));
  double energy;
  cdn_error e;
  say.force = NAN;
  FAILS(cdn_potential_energy(r.state, &energy), CDN_ERR_NONFINITE);
  cdn_state_last_error(r.state, &e);
  ck_assert_str_eq(e.element, "bad");
  ck_assert(e.recoverable);
  say.force = 1;
  say.status = CDN_ERR_LIMIT;
  FAILS(cdn_potential_energy(r.state, &energy), CDN_ERR_LIMIT);
  cdn_state_last_error(r.state, &e);
  ck_assert_str_eq(e.element, "bad");
  say.status = CDN_OK;
  OK_ON(r.state, cdn_potential_energy(r.state, &energy));
  NEAR(energy, -1, 0);
  stop(&r);
}
END_TEST

/* ---- adding ---- */

START_TEST(test_adding_refuses) {
  for (int i = 0; i < 8; i++) {
    rig r = make_rig();
    says say = plain(&r);
    cdn_force_ops ops = probe_ops("probe", CDN_READS_POSITION);
    const cdn_ticket none = { 0 };
    cdn_status expected = CDN_ERR_ARG;
    switch (i) {
      case 0: ops.struct_size = 8, expected = CDN_ERR_VERSION; break;
      case 1: ops.calc_force = NULL; break;
      case 2: ops.reads = (cdn_force_reads)3; break;
      case 3: ops.n_prerequisites = 1; break;
      case 4: ops.n_prerequisites = 1, ops.prerequisites = &none; break; /* told at freezing */
      case 5: ops.subsystem.struct_size = 8, expected = CDN_ERR_VERSION; break;
      case 6: ops.n_kinks = 1; break;
      case 7: ops.n_kinks = -1; break;
    }
    cdn_force f = add(&r, ops, &say, 0);
    ck_assert_int_eq(f.i, i == 4 ? 0 : -1);
    FAILS(cdn_system_freeze(r.system), expected);
    cdn_system_release(r.system);
  }
  ck_assert_int_eq(cdn_system_add_custom_force(NULL, NULL, NULL).i, -1);
}
END_TEST

CHECK_MAIN("errors of custom forces", test_mistakes, test_bad_numbers, test_bad_potential, test_adding_refuses)
