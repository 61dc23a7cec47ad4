/* Custom forces: when they are called, what they may read, what they add up to. */
#include "force_probe.h"

#include "core/core.h"

/* ---- when it is called ---- */

START_TEST(test_calls) {
  /* One of each class without and with potential, then one that says position and declares z. */
  rig r = make_rig();
  says say[7];
  for (int i = 0; i < 7; i++) {
    say[i] = plain(&r);
    cdn_force_ops ops = probe_ops(NULL, i < 6 ? (cdn_force_reads)(i / 2) : CDN_READS_POSITION);
    if (i < 6 && i % 2) ops.calc_potential = calc_potential;
    add(&r, ops, &say[i], i == 6);
  }
  cdn_force damper = cdn_system_add_mobility_damper(r.system, NULL, r.pin, 0, 1);
  start(&r);
  enum { ALL = 127, NOT_POSITION = ALL - 3, EVERYTHING = NOT_POSITION - 12 };
#define CALLED(change, forces, potentials_too)                                                                \
  do {                                                                                                        \
    OK_ON(r.state, change);                                                                                   \
    for (int i = 0; i < 7; i++) say[i].calls = say[i].potentials = 0;                                         \
    double energy, power, f[4];                                                                               \
    for (int twice = 0; twice < 2; twice++) {                                                                 \
      realize(&r);                                                                                            \
      OK_ON(r.state, cdn_potential_energy(r.state, &energy));                                                 \
      OK_ON(r.state, cdn_nonpotential_power(r.state, &power));                                                \
      OK_ON(r.state, cdn_applied_forces(r.state, NULL, f));                                                   \
    }                                                                                                         \
    for (int i = 0; i < 7; i++) {                                                                             \
      ck_assert_msg(say[i].calls == ((forces) >> i & 1), "%s: force %d: %d calls", #change, i, say[i].calls); \
      ck_assert_int_eq(say[i].potentials, (potentials_too) && i < 6 && i % 2);                                \
    }                                                                                                         \
  } while (0)
  CALLED(CDN_OK, ALL, true);
  CALLED(cdn_state_set_q(r.state, (double[]){ 1, 1, 0, 0, 0 }), ALL, true);
  CALLED(cdn_state_set_u(r.state, (double[]){ 1, 0, 0, 0 }), NOT_POSITION, false);
  CALLED(cdn_state_set_z(r.state, (double[]){ 4 }), EVERYTHING, false);
  CALLED(cdn_state_set_time(r.state, 2), ALL, true);
  CALLED(cdn_body_set_armature(r.state, r.pin, 1), ALL, true); /* it may read any parameter */
  CALLED(cdn_force_set_enabled(r.state, damper, false), ALL, true);
  CALLED(cdn_realize(r.state, CDN_STAGE_REPORT), 0, false);
  OK(cdn_state_set_applied_mobility_forces(r.state, (double[]){ 1, 0, 0, 0 }));
  realize(&r);
  for (int i = 0; i < 4; i++) ck_assert_int_eq(say[i].calls, 0);
  stop(&r);
}
END_TEST

START_TEST(test_own_variables) {
  rig r = make_rig();
  says say = plain(&r);
  cdn_force f = add(&r, probe_ops("probe", CDN_READS_POSITION), &say, 7);
  start(&r);
  const probe *p = cdn_subsystem_self(r.system, cdn_force_subsystem(r.system, f));
  ck_assert_str_eq(cdn_force_name(r.system, f), "probe");
  NEAR(pin_force(&r), 1 + 0.5 + 3 + 6, 0);
  OK(cdn_state_set_zvar(r.state, p->z, (double[]){ 10 }));
  NEAR(pin_force(&r), 1 + 10 + 3 + 6, 0);
  OK(cdn_state_set_parameters(r.state, p->gain, 0, 1, (double[]){ 5 }));
  NEAR(pin_force(&r), 1 + 10 + 5 + 10, 0);
  OK(cdn_force_set_enabled(r.state, f, false));
  NEAR(pin_force(&r), 0, 0);
  stop(&r);
}
END_TEST

/* What a force without potential does is work, what a potential gives is not. */
START_TEST(test_potential_and_power) {
  rig r = make_rig();
  says say[2] = { plain(&r), plain(&r) };
  cdn_force_ops ops = probe_ops("with", CDN_READS_POSITION);
  ops.calc_potential = calc_potential;
  cdn_force with = add(&r, ops, &say[0], 0);
  cdn_force without = add(&r, probe_ops("without", CDN_READS_POSITION), &say[1], 0);
  say[0].force = 10, say[1].force = 7;
  start(&r);
  OK(cdn_body_set_q(r.state, r.pin, 1, (double[]){ 0.5 }));
  OK(cdn_body_set_u(r.state, r.pin, 1, (double[]){ 2 }));
  double energy, power;
  OK_ON(r.state, cdn_potential_energy(r.state, &energy));
  OK_ON(r.state, cdn_nonpotential_power(r.state, &power));
  NEAR(pin_force(&r), 17, 0);
  NEAR(energy, -5, 0);
  NEAR(power, 14, 0);
  OK(cdn_force_set_enabled(r.state, with, false));
  OK(cdn_force_set_enabled(r.state, without, false));
  OK_ON(r.state, cdn_potential_energy(r.state, &energy));
  OK_ON(r.state, cdn_nonpotential_power(r.state, &power));
  NEAR(energy, 0, 0);
  NEAR(power, 0, 0);
  NEAR(pin_force(&r), 0, 0);
  stop(&r);
}
END_TEST

/* ---- the four ways to add a force ---- */

static cdn_status add_all_ways(const void *self, cdn_state *state, cdn_forces *forces) {
  const rig *r = self;
  (void)state;
  cdn_forces_add_point(forces, r->ball, cdn_v3(1, 0, 0), cdn_v3(0, 0, 2));
  cdn_forces_add_torque(forces, r->ball, cdn_v3(10, 20, 30));
  cdn_forces_add_body(forces, r->ball, (cdn_spatial){ cdn_v3(100, 200, 300), cdn_v3(0, 4, 0) });
  cdn_forces_add_mobility(forces, r->ball, 1, -3);
  cdn_forces_add_mobility(forces, r->ball, 1, 1);
  cdn_forces_add_point(forces, ground, cdn_v3(1, 0, 0), cdn_v3(0, 0, 2));
  cdn_forces_add_torque(forces, ground, cdn_v3(10, 20, 30));
  cdn_forces_add_body(forces, ground, (cdn_spatial){ cdn_v3(100, 200, 300), cdn_v3(0, 4, 0) });
  return CDN_OK;
}

START_TEST(test_accumulator) {
  rig r = make_rig();
  const cdn_force_ops ops = { .subsystem = { .name = "ways", .self_size = sizeof r },
                              .struct_size = sizeof ops,
                              .calc_force = add_all_ways };
  cdn_system_add_custom_force(r.system, &ops, &r);
  start(&r);
  /* Turned by 90 degrees about x: the arm stays (1, 0, 0); X_BM is not the identity, stations are from B's origin. */
  OK(cdn_body_set_q(r.state, r.ball, 4, (double[]){ 1, 1, 0, 0 }));
  cdn_spatial F[3];
  double f[4];
  OK_ON(r.state, cdn_applied_forces(r.state, F, f));
  const double tolerance = 1e-13; /* roundings of numbers of some hundreds */
  NEAR(F[2].v.x, 0, 0);
  NEAR(F[2].v.y, 4, 0);
  NEAR(F[2].v.z, 2, 0);
  NEAR(F[2].w.x, 110, tolerance);
  NEAR(F[2].w.y, 220 - 2, tolerance);
  NEAR(F[2].w.z, 330, tolerance);
  NEAR(f[2], -2, 0);
  NEAR(f[0] + f[1] + f[3], 0, 0);
  NEAR(cdn_norm(F[0].w) + cdn_norm(F[0].v), 0, 0);
  stop(&r);
}
END_TEST

/* ---- what it may read ---- */

START_TEST(test_undeclared_reads) {
  /* reads, reads_u, reads_z, prerequisite: is it caught? */
  const struct {
    cdn_force_reads reads;
    bool u, z;
    cdn_ticket more;
    bool caught;
  } cases[] = {
    { CDN_READS_POSITION, true, false, { 0 }, true },    { CDN_READS_VELOCITY, true, false, { 0 }, false },
    { CDN_READS_VELOCITY, false, true, { 0 }, true },    { CDN_READS_EVERYTHING, true, true, { 0 }, false },
    { CDN_READS_POSITION, true, false, CDN_U, false },   { CDN_READS_POSITION, true, true, CDN_Z, false },
    { CDN_READS_POSITION, true, true, CDN_TWIST, true },
  };
  for (int i = 0; i < CDNI_COUNT(cases); i++) {
    rig r = make_rig();
    says say = plain(&r), other = plain(&r);
    cdn_force_ops ops = probe_ops("probe", cases[i].reads);
    cdn_ticket more = cases[i].more;
    if (more.i) ops.prerequisites = &more, ops.n_prerequisites = 1;
    add(&r, ops, &say, 0);
    more.i = -5; /* the list was copied */
    add(&r, probe_ops("other", CDN_READS_POSITION), &other, 1);
    say.reads_u = cases[i].u, say.reads_z = cases[i].z;
    start(&r);
    if (cases[i].caught) FAILS(cdn_realize(r.state, CDN_STAGE_FORCE), CDN_ERR_UNDECLARED);
    else OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_FORCE));
    stop(&r);
  }
}
END_TEST

/* Bodies may come after the force, or not at all: then there is nothing to act on, but a potential may be there. */
static cdn_status time_potential(const void *self, cdn_state *state, double *energy) {
  (void)self;
  *energy = 2 * cdn_state_time(state);
  return CDN_OK;
}

static cdn_status never(const void *self, cdn_state *state, cdn_forces *forces) {
  (void)self, (void)state, (void)forces;
  ck_abort_msg("there is nothing to act on");
  return CDN_OK;
}

START_TEST(test_without_bodies) {
  rig r = { .system = cdn_system_create(NULL) };
  const cdn_force_ops ops = { .struct_size = sizeof ops, .calc_force = never, .calc_potential = time_potential };
  cdn_force f = cdn_system_add_custom_force(r.system, &ops, NULL);
  start(&r);
  ck_assert_str_eq(cdn_force_name(r.system, f), "force0");
  OK(cdn_state_set_time(r.state, 3));
  double energy;
  OK_ON(r.state, cdn_potential_energy(r.state, &energy));
  NEAR(energy, 6, 0);
  OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_REPORT));
  stop(&r);
}
END_TEST

START_TEST(test_before_bodies) {
  rig r = { .system = cdn_system_create(NULL) };
  says say = { .body = { 1 }, .force = 4 };
  add(&r, probe_ops("first", CDN_READS_VELOCITY), &say, 1);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_PIN;
  body.mass = (cdn_mass_properties){ 1, cdn_v3(0, 0, 0), { 1, 1, 2, 0, 0, 0 } };
  r.pin = cdn_system_add_body(r.system, &body);
  start(&r);
  realize(&r);
  NEAR(cdn_state_udot(r.state)[0], (4 + 0.5) / 2, 1e-15);
  stop(&r);
}
END_TEST

CHECK_MAIN("custom forces", test_calls, test_own_variables, test_potential_and_power, test_accumulator,
           test_undeclared_reads, test_without_bodies, test_before_bodies)
