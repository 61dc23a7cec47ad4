/* A model changes while it runs: an arm swings with a gripper, which is then taken off and replaced by another. Each
 * time the model is edited, built and frozen again, and the arm goes on from where it was. */
#include <cardan/core.h>
#include <math.h>
#include <stdio.h>

#include <cardan/carry.h>
#include <cardan/model.h>
#include <cardan/spec_edit.h>
#include <cardan/spec_joints.h>

typedef struct rig {
  cdn_model *model;
  cdn_system *system;
  cdn_state *state;
} rig;

static void give_up(rig *r) {
  cdn_state_destroy(r->state);
  cdn_model_destroy(r->model);
  cdn_system_release(r->system);
  *r = (rig){ .model = NULL };
}

/* Builds the spec as it is now; a State of an earlier System goes over. */
static cdn_status build(const cdn_spec *spec, rig *r) {
  rig now = { .system = cdn_system_create(NULL) };
  cdn_carry_report *report = NULL;
  cdn_status status = cdn_model_build(spec, NULL, now.system, &now.model);
  if (!status) status = cdn_system_freeze(now.system);
  if (!status) status = cdn_state_create(now.system, &now.state);
  if (!status && r->state) status = cdn_state_carry(r->state, now.state, &report);
  for (int i = 0; i < cdn_carry_report_count(report); i++) {
    cdn_carried entry;
    if (!cdn_carry_report_entry(report, i, &entry) && entry.type == CDN_ELEMENT_BODY) printf("  %s\n", entry.text);
  }
  cdn_carry_report_destroy(report);
  give_up(r);
  *r = now;
  return status;
}

static cdn_status run(rig *r, double until) {
  cdn_stepper *stepper = NULL;
  cdn_status status = cdn_stepper_create(r->state, NULL, &stepper);
  if (!status) status = cdn_stepper_advance(stepper, until, NULL);
  if (!status) status = cdn_state_copy(r->state, cdn_stepper_state(stepper));
  cdn_stepper_destroy(stepper);
  return status;
}

/* Where the arm's end is, and how fast. */
static cdn_status look(const rig *r, cdn_vec3 *p, cdn_vec3 *v) {
  const cdn_body body = cdn_model_find_body(r->model, "arm");
  const cdn_status status = cdn_body_station(r->state, body, cdn_v3(0, 0, -0.6), p, v);
  if (!status) printf("t = %.1f s: the arm's end is at (%.3f, %.3f) m\n", cdn_state_time(r->state), p->x, p->z);
  return status;
}

static cdn_status make_arm(cdn_spec **spec) {
  cdn_spec_body arm = cdn_default_spec_body();
  cdn_spec_joint pivot = cdn_default_spec_joint();
  cdn_spec_frame tool = cdn_default_spec_frame();
  arm.name = "arm", arm.mass = (cdn_mass_properties){ 2, { 0, 0, -0.3 }, { 0.06, 0.06, 0.001, 0, 0, 0 } };
  pivot.name = "pivot", pivot.kind = CDN_PIN, pivot.child = "arm", pivot.q0[0] = 1;
  pivot.X_PF.R = pivot.X_CM.R = cdn_rotation_z_to(cdn_v3(0, 1, 0));
  pivot.X_PF.p = cdn_v3(0, 0, 1.5);
  tool.name = "tool", tool.body = "arm", tool.X_BF.p = cdn_v3(0, 0, -0.6);
  cdn_status status = cdn_spec_create(NULL, spec);
  if (!status) status = cdn_spec_set_gravity(*spec, cdn_v3(0, 0, -9.81));
  if (!status) status = cdn_spec_add_body(*spec, &arm, NULL);
  if (!status) status = cdn_spec_add_joint(*spec, &pivot, NULL);
  return status ? status : cdn_spec_add_frame(*spec, &tool, NULL);
}

int main(int argc, char **argv) {
  cdn_spec *spec = NULL, *gripper = NULL, *off = NULL;
  cdn_vec3 p[2], v[2];
  rig r = { .model = NULL };
  double moved = 1;
  cdn_status status = cdn_spec_load(argc > 1 ? argv[1] : "examples/models/gripper.xml", NULL, &gripper);
  if (!status) status = make_arm(&spec);

  cdn_attach_def def = cdn_default_attach_def();
  def.frame = "tool", def.prefix = "first_", def.child_body = "hand";
  if (!status) status = cdn_spec_attach(spec, gripper, &def);
  if (!status) status = build(spec, &r);
  if (!status) status = run(&r, 0.3);
  if (!status) status = look(&r, &p[0], &v[0]);

  printf("the gripper comes off, and another one comes on its side\n");
  if (!status) status = cdn_spec_detach(spec, "first_", NULL, NULL, NULL, &off);
  def.prefix = "second_", def.child_body = NULL, def.X_BA.R = cdn_rotation_z_to(cdn_v3(0, 1, 0));
  if (!status) status = cdn_spec_attach(spec, off, &def);
  const int finger = status ? -1 : cdn_spec_find(spec, CDN_SPEC_BODY, "second_left_finger");
  if (!status) status = cdn_spec_delete(spec, CDN_SPEC_BODY, finger, NULL, NULL); /* this one has one finger */
  if (!status) status = build(spec, &r);
  if (!status) status = look(&r, &p[1], &v[1]);
  if (!status) moved = fmax(cdn_norm(cdn_sub(p[1], p[0])), cdn_norm(cdn_sub(v[1], v[0])));
  if (!status) status = run(&r, 0.6);
  if (!status) status = look(&r, &p[0], &v[0]);
  if (status) fprintf(stderr, "change_gripper: %s\n", cdn_last_error_text());

  give_up(&r);
  cdn_spec_destroy(spec);
  cdn_spec_destroy(gripper);
  cdn_spec_destroy(off);
  return !status && moved < 1e-12 ? 0 : 1;
}
