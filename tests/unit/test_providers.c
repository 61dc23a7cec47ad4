/* Subsystems that register forces while they declare: any number of them add up, none replaces another. */
#include "force_rig.h"

/* A subsystem with two providers: a drag -c u on one joint, and a spring with a potential on it; the stiffness is a
 * parameter of its own. */
typedef struct pad {
  cdn_body body;
  double c, k;
  const char *names[2];
  cdn_dvar stiffness;
} pad;

static double coordinate(const pad *p, cdn_state *state) { return *cdn_body_q(state, p->body); }
static double speed(const pad *p, cdn_state *state) { return *cdn_body_u(state, p->body); }

static cdn_status calc_drag(const void *self, cdn_state *state, cdn_forces *forces) {
  const pad *p = self;
  cdn_forces_add_mobility(forces, p->body, 0, -p->c * speed(p, state));
  return CDN_OK;
}

static cdn_status calc_spring(const void *self, cdn_state *state, cdn_forces *forces) {
  const pad *p = self;
  const double k = *cdn_state_parameters(state, p->stiffness);
  cdn_forces_add_mobility(forces, p->body, 0, -k * coordinate(p, state));
  return CDN_OK;
}

static cdn_status calc_energy(const void *self, cdn_state *state, double *energy) {
  const pad *p = self;
  const double k = *cdn_state_parameters(state, p->stiffness), q = coordinate(p, state);
  *energy = k * q * q / 2;
  return CDN_OK;
}

static cdn_status declare_pad(void *self, cdn_declarer *d) {
  pad *p = self;
  p->stiffness = cdn_declare_parameters(d, "stiffness", 1, &p->k);
  const cdn_force_provider drag = {
    .struct_size = sizeof drag, .name = p->names[0], .reads = CDN_READS_VELOCITY, .calc_force = calc_drag
  };
  const cdn_force_provider spring = { .struct_size = sizeof spring,
                                      .name = p->names[1],
                                      .reads = CDN_READS_POSITION,
                                      .calc_force = calc_spring,
                                      .calc_potential = calc_energy };
  const cdn_force a = cdn_declare_forces(d, &drag), b = cdn_declare_forces(d, &spring);
  ck_assert(a.i >= 0 && b.i == a.i + 1);
  return CDN_OK;
}

static void add_pad(cdn_system *system, const char *name, pad p) {
  const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = name, .self_size = sizeof p, .declare = declare_pad
  };
  ck_assert_int_ge(cdn_system_add_subsystem(system, &ops, &p).i, 0);
}

static cdn_force find(const cdn_system *system, const char *name) {
  for (int i = 0; i < cdn_system_force_count(system); i++)
    if (strcmp(cdn_force_name(system, (cdn_force){ i }), name) == 0) return (cdn_force){ i };
  ck_abort_msg("no force '%s'", name);
  return (cdn_force){ -1 };
}

/* ---- sums ---- */

/* Two subsystems on one joint and a third of another kind, beside what the library has: every one counts. */
START_TEST(test_all_add_up) {
  rig r = make_rig();
  add_pad(r.system, "first", (pad){ r.pin, 0.5, 20, { "first drag", "first spring" }, { 0 } });
  cdn_system_add_mobility_force(r.system, "motor", r.pin, 0, 4);
  add_pad(r.system, "second", (pad){ r.pin, 0.25, 8, { "second drag", "second spring" }, { 0 } });
  add_pad(r.system, "third", (pad){ r.slider, 2, 3, { "third drag", "third spring" }, { 0 } });
  start(&r);
  ck_assert_int_eq(cdn_system_force_count(r.system), 7);
  const double q = 0.4, u = 0.7, s = -0.3, w = 1.1;
  OK(cdn_state_set_q(r.state, (double[]){ q, s, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0 }));
  OK(cdn_state_set_u(r.state, (double[]){ u, w, 0, 0, 0, 0, 0, 0, 0, 0, 0 }));
  NEAR(mobility_force(&r, 0), 4 - (0.5 + 0.25) * u - (20 + 8) * q, 1e-14);
  NEAR(mobility_force(&r, 1), -2 * w - 3 * s, 1e-15);
  NEAR(potential(&r), (20 + 8) * q * q / 2 + 3 * s * s / 2, 1e-15);
  NEAR(power(&r), 4 * u - 0.75 * u * u - 2 * w * w, 1e-14);

  /* the dynamics see them */
  double residual[11];
  OK_ON(r.state, cdn_residual(r.state, cdn_state_udot(r.state), residual));
  for (int k = 0; k < 11; k++) NEAR(residual[k], 0, 1e-12);

  /* and each is switched by itself */
  OK(cdn_force_set_enabled(r.state, find(r.system, "second drag"), false));
  NEAR(mobility_force(&r, 0), 4 - 0.5 * u - 28 * q, 1e-14);
  OK(cdn_force_set_enabled(r.state, find(r.system, "first spring"), false));
  NEAR(mobility_force(&r, 0), 4 - 0.5 * u - 8 * q, 1e-14);
  stop(&r);
}
END_TEST

/* A provider in a System that has no other force; its parameter is a prerequisite without being said. */
START_TEST(test_alone) {
  rig r = make_rig();
  add_pad(r.system, "pad", (pad){ r.pin, 0.5, 20, { NULL, NULL }, { 0 } });
  start(&r);
  OK(cdn_state_set_q(r.state, (double[]){ 0.1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0 }));
  NEAR(mobility_force(&r, 0), -2, 1e-15);
  NEAR(potential(&r), 0.1, 1e-16);
  cdn_dvar stiffness =
      ((const pad *)cdn_subsystem_self(r.system, cdn_force_subsystem(r.system, (cdn_force){ 0 })))->stiffness;
  OK(cdn_state_set_parameters(r.state, stiffness, 0, 1, (double[]){ 30 }));
  NEAR(mobility_force(&r, 0), -3, 1e-15);
  NEAR(potential(&r), 0.15, 1e-16);
  stop(&r);
}
END_TEST

/* Derivatives of forces that bring none are differenced: d tau / dq = k, d tau / du = c beside those of the tree. */
START_TEST(test_derivatives) {
  double dq[2][121], du[2][121];
  const double k = 20, c = 0.5;
  for (int with = 0; with < 2; with++) {
    rig r = make_rig();
    if (with) add_pad(r.system, "pad", (pad){ r.pin, c, k, { NULL, NULL }, { 0 } });
    start(&r);
    OK(cdn_state_set_q(r.state, (double[]){ 0.4, 0.3, 0.9, 0.3, -0.2, 0.5, 0.8, -0.5, 0.1, 0.4, 1.2, -0.7, 0.6 }));
    OK(cdn_state_set_u(r.state, (double[]){ 0.7, -1.1, 0.4, -0.9, 1.3, 0.8, -0.6, 0.5, 1.4, 0.2, -1.0 }));
    OK_ON(r.state, cdn_inverse_dynamics_derivatives(r.state, NULL, dq[with], du[with], NULL));
    stop(&r);
  }
  for (int i = 0; i < 121; i++) {
    NEAR(dq[1][i] - dq[0][i], i == 0 ? k : 0, 1e-7);
    NEAR(du[1][i] - du[0][i], i == 0 ? c : 0, 1e-7);
  }
}
END_TEST

/* An ensemble has the bits of single States, in lanes or not. */
START_TEST(test_ensemble) {
  rig r = make_rig();
  add_pad(r.system, "pad", (pad){ r.pin, 0.5, 20, { NULL, NULL }, { 0 } });
  start(&r);
  cdn_ensemble_def def = cdn_default_ensemble_def();
  def.count = 3;
  cdn_ensemble *e = NULL;
  OK_ON(r.state, cdn_ensemble_create(r.state, &def, &e));
  double udot[3][11], rates[3][11];
  for (int i = 0; i < 3; i++) {
    OK(cdn_state_set_q(r.state, (double[]){ 0.1 * i, 0.2, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0 }));
    OK(cdn_state_set_u(r.state, (double[]){ 0.3, -0.2 * i, 0, 0.1, 0, 0, 0, 0.2, 0, 0, 0 }));
    OK(cdn_ensemble_set_state(e, i, r.state));
    memcpy(udot[i], cdn_state_udot(r.state), sizeof udot[i]);
  }
  OK(cdn_ensemble_rates(e, CDN_POOL_U, &rates[0][0], 11));
  ck_assert_mem_eq(udot, rates, sizeof udot);
  cdn_ensemble_destroy(e);
  stop(&r);
}
END_TEST

/* ---- refusals ---- */

typedef struct wrong {
  cdn_force_provider provider;
} wrong;

static cdn_status declare_wrong(void *self, cdn_declarer *d) {
  ck_assert_int_eq(cdn_declare_forces(d, &((const wrong *)self)->provider).i, -1);
  return CDN_OK;
}

static void refused(cdn_force_provider provider, cdn_status expected, const char *says) {
  rig r = make_rig();
  const wrong self = { provider };
  const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "wrong", .self_size = sizeof self, .declare = declare_wrong
  };
  cdn_system_add_subsystem(r.system, &ops, &self);
  FAILS(cdn_system_freeze(r.system), expected);
  cdn_error e;
  cdn_system_last_error(r.system, &e);
  ck_assert_msg(strstr(e.text, says), "'%s' does not say '%s'", e.text, says);
  cdn_system_release(r.system);
}

START_TEST(test_refusals) {
  refused((cdn_force_provider){ .struct_size = 1 }, CDN_ERR_VERSION, "cdn_force_provider");
  const cdn_force_provider empty = { .struct_size = sizeof empty, .name = "empty" };
  refused(empty, CDN_ERR_ARG, "force 'empty': its ops have no calc_force");
  const cdn_force_provider list = {
    .struct_size = sizeof list, .name = "list", .calc_force = calc_drag, .n_prerequisites = 2
  };
  refused(list, CDN_ERR_ARG, "2 prerequisites");
}
END_TEST

/* Whoever adds a force does not know which names subsystems declare, those of the library among them. */
START_TEST(test_names_that_are_taken) {
  rig r = make_rig();
  cdn_system_add_mobility_force(r.system, "contact", r.pin, 0, 4);
  cdn_system_add_mobility_force(r.system, "drag", r.pin, 0, 4);
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(r.system, &shape);
  add_pad(r.system, "first", (pad){ r.pin, 0.5, 20, { "drag", "spring" }, { 0 } });
  add_pad(r.system, "second", (pad){ r.pin, 0.25, 8, { "drag", "spring" }, { 0 } });
  start(&r);
  static const char *const names[] = { "contact", "drag",     "drag 2",    "spring",
                                       "drag 3",  "spring 2", "contact 2", "contact dissipation" };
  ck_assert_int_eq(cdn_system_force_count(r.system), 8);
  for (int i = 0; i < 8; i++) ck_assert_str_eq(cdn_force_name(r.system, (cdn_force){ i }), names[i]);
  ck_assert_str_eq(cdn_force_kind_name(r.system, (cdn_force){ 0 }), "mobility_force");
  stop(&r);
}
END_TEST

CHECK_MAIN("providers", test_names_that_are_taken, test_all_add_up, test_alone, test_derivatives, test_ensemble,
           test_refusals)
