/* A State goes over to a System that was edited and built again: what stays is where it was and moves as it did. */
#include "testing.h"

#include <stdio.h>

static const char text[] =
    "<mujoco model='rig'><option gravity='0 0 -9.81'/><worldbody>"
    "<body name='ship' pos='1 2 3'><freejoint name='ship'/><geom name='ship' type='box' size='.1 .2 .3' mass='3' contype='0' conaffinity='0'/></body>"
    "<body name='upper' pos='0 0 1'><joint name='shoulder' type='ball'/>"
    "<geom name='upper' type='capsule' fromto='0 0 0 .4 .1 0' size='.03' mass='2' contype='0' conaffinity='0'/>"
    "<body name='lower' pos='.4 0 0' euler='10 20 30'><joint name='elbow' axis='0 1 1' stiffness='3' frictionloss='.1'/>"
    "<geom name='lower' type='capsule' fromto='0 0 0 .3 0 0' size='.02' mass='1' contype='0' conaffinity='0'/>"
    "<body name='hand' pos='.3 0 0'><joint name='wrist' type='ball'/><geom name='hand' type='box' size='.05 .03 .01' mass='.2' contype='0' conaffinity='0'/>"
    "</body></body></body>"
    "<body name='tail' pos='0 1 1'><joint name='tail' axis='1 0 0'/><geom name='tail' type='box' size='.05 .03 .01' mass='.2' contype='0' conaffinity='0'/></body>"
    "</worldbody><actuator><general name='slow' joint='elbow' dyntype='filter' dynprm='.5' gainprm='2'/><motor name='tail' joint='tail'/></actuator>"
    "<sensor><jointpos name='elbow' joint='elbow'/><jointpos name='tail' joint='tail'/></sensor></mujoco>";

typedef struct rig {
  cdn_model *model;
  cdn_system *system;
  cdn_state *state;
} rig;

static cdn_spec *load(void) {
  cdn_spec *spec;
  OK(cdn_spec_load_string(text, sizeof text - 1, "rig.xml", NULL, &spec));
  return spec;
}

static rig build(const cdn_spec *spec) {
  rig r = { .system = cdn_system_create(NULL) };
  cdn_model_options options = cdn_default_model_options();
  cdn_error error;
  options.contact = CDN_MODEL_NO_CONTACT;
  const cdn_status status = cdn_model_build(spec, &options, r.system, &r.model);
  cdn_model_last_error(r.model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  OK_FREEZE(r.system);
  OK(cdn_state_create(r.system, &r.state));
  return r;
}

static void done(rig *r) { cdn_state_destroy(r->state), cdn_model_destroy(r->model), cdn_system_release(r->system); }

/* Everywhere something: coordinates, speeds, controls, activations, parameters, forces. */
static void stir(const rig *r) {
  cdn_state *s = r->state;
  const int nq = cdn_system_nq(r->system), nu = cdn_system_nu(r->system), nz = cdn_system_nz(r->system);
  OK(cdn_state_set_time(s, 2.5));
  for (int i = 0; i < nq; i++) {
    const double q = cdn_state_q(s)[i] + 0.3 * sin(i + 1.0);
    OK(cdn_state_set_slots(s, CDN_POOL_Q, i, 1, &q));
  }
  for (int i = 0; i < nu; i++) {
    const double u = cos(2.0 * i);
    OK(cdn_state_set_slots(s, CDN_POOL_U, i, 1, &u));
  }
  for (int i = 0; i < nz; i++) {
    const double z = 0.001 * (i + 1);
    OK(cdn_state_set_slots(s, CDN_POOL_Z, i, 1, &z));
  }
  for (int i = 0; i < cdn_system_control_count(r->system); i++) OK(cdn_control_set(s, (cdn_control){ i }, 0.7 + i));
  OK(cdn_parameter_set(s, CDN_ELEMENT_FORCE, "elbow spring", "k", 5));
  OK(cdn_parameter_set(s, CDN_ELEMENT_BODY, "hand", "mass", 0.25));
  OK(cdn_state_set_applied_body_force(s, cdn_system_find_body(r->system, "lower"),
                                      (cdn_spatial){ { 1, 2, 3 }, { 4, 5, 6 } }));
  double f[40] = { 0 };
  f[cdn_body_first_u(r->system, cdn_system_find_body(r->system, "lower"))] = 0.4;
  OK(cdn_state_set_applied_mobility_forces(s, f));
}

static double apart(const double *a, const double *b, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

/* Rounding of a few metres, rad/s and matrices. */
static void same_motion(const rig *a, const rig *b, const char *const *names, int n, bool accelerations) {
  for (int i = 0; i < n; i++) {
    const cdn_body x = cdn_system_find_body(a->system, names[i]), y = cdn_system_find_body(b->system, names[i]);
    cdn_transform X, Y;
    cdn_spatial V, W;
    OK_ON(a->state, cdn_body_pose(a->state, x, &X));
    OK_ON(b->state, cdn_body_pose(b->state, y, &Y));
    ck_assert_msg(apart(&X.R.x.x, &Y.R.x.x, 12) < 1e-12, "%s: %g", names[i], apart(&X.R.x.x, &Y.R.x.x, 12));
    OK_ON(a->state, cdn_body_velocity(a->state, x, &V));
    OK_ON(b->state, cdn_body_velocity(b->state, y, &W));
    ck_assert_msg(apart(&V.w.x, &W.w.x, 6) < 1e-12, "%s: %g", names[i], apart(&V.w.x, &W.w.x, 6));
    if (!accelerations) continue;
    OK_ON(a->state, cdn_body_acceleration(a->state, x, &V));
    OK_ON(b->state, cdn_body_acceleration(b->state, y, &W));
    /* the hand's inertia is 1e-4 of the arm's */
    ck_assert_msg(apart(&V.w.x, &W.w.x, 6) < 1e-9, "%s: %g", names[i], apart(&V.w.x, &W.w.x, 6));
  }
}

static cdn_spec_joint joint_of(const cdn_spec *spec, const char *name, int *i) {
  cdn_spec_joint joint;
  *i = cdn_spec_find(spec, CDN_SPEC_JOINT, name);
  OK(cdn_spec_get_joint(spec, *i, &joint));
  return joint;
}

static int count(const cdn_carry_report *report, cdn_element_type type, cdn_carry_fate fate, const char *name) {
  int n = 0;
  for (int i = 0; i < cdn_carry_report_count(report); i++) {
    cdn_carried entry;
    OK(cdn_carry_report_entry(report, i, &entry));
    n += entry.type == type && entry.fate == fate && (!name || strcmp(entry.name, name) == 0);
  }
  return n;
}

START_TEST(test_an_unchanged_model_goes_on) {
  cdn_spec *spec = load();
  rig a = build(spec), b = build(spec);
  cdn_carry_report *report;
  stir(&a);
  OK_ON(b.state, cdn_state_carry(a.state, b.state, &report));
  ck_assert_int_eq(cdn_carry_report_count(report), 0);
  cdn_carry_report_destroy(report);
  ck_assert_int_gt(cdn_system_nz(a.system), 1); /* the filter, and friction that sticks */
  ck_assert(cdn_state_time(b.state) == 2.5);
  ck_assert_mem_eq(cdn_state_q(a.state), cdn_state_q(b.state), sizeof(double) * (size_t)cdn_system_nq(a.system));
  ck_assert_mem_eq(cdn_state_u(a.state), cdn_state_u(b.state), sizeof(double) * (size_t)cdn_system_nu(a.system));
  ck_assert_mem_eq(cdn_state_z(a.state), cdn_state_z(b.state), sizeof(double) * (size_t)cdn_system_nz(a.system));
  OK_ON(a.state, cdn_realize(a.state, CDN_STAGE_ACCELERATION));
  OK_ON(b.state, cdn_realize(b.state, CDN_STAGE_ACCELERATION));
  ck_assert_mem_eq(cdn_state_udot(a.state), cdn_state_udot(b.state), sizeof(double) * (size_t)cdn_system_nu(a.system));
  done(&a), done(&b), cdn_spec_destroy(spec);
}
END_TEST

START_TEST(test_an_edited_model_goes_on) {
  static const char *const stays[] = { "ship", "upper", "lower", "hand" };
  cdn_spec *spec = load();
  rig a = build(spec);
  cdn_carry_report *report;
  int i;
  stir(&a);
  cdn_buffer before = { 0 }, after = { 0 };
  OK(cdn_state_save(a.state, cdn_buffer_write, &before));
  /* ball to gimbal, quaternion to angles, a pin that stays one; a body goes, another comes on Ground */
  cdn_spec_joint joint = joint_of(spec, "shoulder", &i);
  joint.kind = CDN_GIMBAL, memset(joint.q0, 0, sizeof joint.q0);
  OK(cdn_spec_set_joint(spec, i, &joint));
  joint = joint_of(spec, "ship", &i);
  joint.euler = true, memset(joint.q0, 0, sizeof joint.q0);
  OK(cdn_spec_set_joint(spec, i, &joint));
  OK(cdn_spec_delete(spec, CDN_SPEC_BODY, cdn_spec_find(spec, CDN_SPEC_BODY, "tail"), NULL, NULL));
  cdn_spec_body body = cdn_default_spec_body();
  body.name = "new", body.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  OK(cdn_spec_add_body(spec, &body, NULL));
  rig b = build(spec);
  OK_ON(b.state, cdn_state_carry(a.state, b.state, &report));
  same_motion(&a, &b, stays, 4, true);
  ck_assert_int_eq(count(report, CDN_ELEMENT_MOBILIZER, CDN_CARRY_FITTED, "shoulder"), 1);
  ck_assert_int_eq(count(report, CDN_ELEMENT_MOBILIZER, CDN_CARRY_FITTED, "ship"), 1);
  ck_assert_int_eq(count(report, CDN_ELEMENT_MOBILIZER, CDN_CARRY_FITTED, NULL), 2);
  ck_assert_int_eq(count(report, CDN_ELEMENT_BODY, CDN_CARRY_GONE, "tail"), 1);
  ck_assert_int_eq(count(report, CDN_ELEMENT_BODY, CDN_CARRY_NEW, "new"), 1);
  ck_assert_int_eq(count(report, CDN_ELEMENT_CONTROL, CDN_CARRY_GONE, "tail"), 1);
  ck_assert_int_eq(count(report, CDN_ELEMENT_MEASURE, CDN_CARRY_GONE, "tail"), 1);
  cdn_carry_report_destroy(report);
  double k;
  OK(cdn_parameter_get(b.state, CDN_ELEMENT_FORCE, "elbow spring", "k", &k));
  ck_assert(k == 5);
  /* and back */
  rig c = build(cdn_model_spec(a.model));
  OK_ON(c.state, cdn_state_carry(b.state, c.state, NULL));
  same_motion(&a, &c, stays, 4, true);
  OK(cdn_state_save(a.state, cdn_buffer_write, &after));
  ck_assert(before.size == after.size && memcmp(before.bytes, after.bytes, before.size) == 0);
  cdn_buffer_free(&before), cdn_buffer_free(&after);
  done(&a), done(&b), done(&c), cdn_spec_destroy(spec);
}
END_TEST

/* A body between, other frames: a free body stays where it is, and a hinge keeps its angle. */
START_TEST(test_other_parents_and_frames) {
  static const char *const stays[] = { "ship" };
  cdn_spec *spec = load();
  rig a = build(spec);
  cdn_carry_report *report;
  int i;
  stir(&a);
  cdn_spec_joint joint = joint_of(spec, "ship", &i);
  joint.parent = "lower", joint.X_PF.p.x += 0.3;
  OK(cdn_spec_set_joint(spec, i, &joint));
  joint = joint_of(spec, "elbow", &i);
  joint.X_PF.p.z += 0.1;
  OK(cdn_spec_set_joint(spec, i, &joint));
  joint = joint_of(spec, "wrist", &i);
  joint.kind = CDN_UNIVERSAL;
  OK(cdn_spec_set_joint(spec, i, &joint));
  rig b = build(spec);
  OK_ON(b.state, cdn_state_carry(a.state, b.state, &report));
  const cdn_body x = cdn_system_find_body(a.system, "lower"), y = cdn_system_find_body(b.system, "lower");
  ck_assert(cdn_body_q(a.state, x)[0] == cdn_body_q(b.state, y)[0]);
  ck_assert(cdn_body_u(a.state, x)[0] == cdn_body_u(b.state, y)[0]);
  ck_assert_int_eq(count(report, CDN_ELEMENT_MOBILIZER, CDN_CARRY_NEAREST, "wrist"), 1);
  ck_assert_int_eq(count(report, CDN_ELEMENT_MOBILIZER, CDN_CARRY_FITTED, "ship"), 1);
  cdn_carry_report_destroy(report);
  /* the same pose relative to the lower arm as before, where the arm itself was moved */
  cdn_transform A, B, P, Q;
  OK(cdn_body_pose(a.state, x, &P));
  OK(cdn_body_pose(b.state, y, &Q));
  OK(cdn_body_pose(a.state, cdn_system_find_body(a.system, stays[0]), &A));
  OK(cdn_body_pose(b.state, cdn_system_find_body(b.system, stays[0]), &B));
  A = cdn_transform_multiply(cdn_transform_invert(P), A), B = cdn_transform_multiply(cdn_transform_invert(Q), B);
  ck_assert(apart(&A.R.x.x, &B.R.x.x, 12) < 1e-12);
  done(&a), done(&b), cdn_spec_destroy(spec);
}
END_TEST

START_TEST(test_locks_and_switches) {
  cdn_spec *spec = load();
  rig a = build(spec), b = build(spec);
  const cdn_body tail = cdn_system_find_body(a.system, "tail"), hand = cdn_system_find_body(a.system, "hand");
  const cdn_force spring = cdn_system_find_force(a.system, "elbow spring");
  const double at = 0.4, rate[3] = { 1, 2, 3 };
  stir(&a);
  OK(cdn_body_lock_at(a.state, tail, CDN_LEVEL_POSITION, 1, &at));
  OK(cdn_body_lock_at(a.state, hand, CDN_LEVEL_VELOCITY, 3, rate));
  OK(cdn_force_set_enabled(a.state, spring, false));
  OK_ON(b.state, cdn_state_carry(a.state, b.state, NULL));
  ck_assert(cdn_body_lock_level(b.state, tail) == CDN_LEVEL_POSITION && !cdn_force_is_enabled(b.state, spring));
  ck_assert(cdn_state_q_eff(b.state)[cdn_body_first_q(b.system, tail)] == at);
  ck_assert(cdn_state_u_eff(b.state)[cdn_body_first_u(b.system, hand) + 2] == 3);
  OK(cdn_body_unlock(a.state, tail));
  FAILS(cdn_state_carry(NULL, b.state, NULL), CDN_ERR_ARG);
  FAILS(cdn_state_carry(a.state, NULL, NULL), CDN_ERR_ARG);
  cdn_carried entry;
  FAILS(cdn_carry_report_entry(NULL, 0, &entry), CDN_ERR_ARG);
  ck_assert_str_eq(cdn_carry_fate_name(CDN_CARRY_NEAREST), "nearest");
  done(&a), done(&b), cdn_spec_destroy(spec);
}
END_TEST

CHECK_MAIN("carry", test_an_unchanged_model_goes_on, test_an_edited_model_goes_on, test_other_parents_and_frames,
           test_locks_and_switches)
