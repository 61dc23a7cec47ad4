/* Numbers of springs, drives and weights that follow from the whole model, against MuJoCo 2.2.2. What it does not
 * know yet it is told in other words. */
#include "mujoco_bridge.h"

#include <stdio.h>

#include "../testing.h"
#include "random_mjcf.h"

/* Arguments: attributes of the hinge, of the slide, of the ball, of the last body; actuators. */
static const char MODEL[] =
    "<mujoco><compiler angle='radian' autolimits='true'/><worldbody><body name='arm' pos='0 0 1' euler='.1 .2 .3'>"
    "<joint name='hinge' axis='0 1 .2' armature='.05' %s/><inertial pos='.1 0 .05' mass='2' diaginertia='.1 .2 .15'/>"
    "<body name='rod' pos='.3 0 0'><joint name='slide' type='slide' axis='1 0 0' %s/><inertial pos='0 0 .2' mass='1' "
    "diaginertia='.1 .1 .15'/>"
    "<body name='ball' pos='0 0 .4' %s><joint name='ball' type='ball' %s/><inertial pos='0 .1 0' mass='.7' "
    "diaginertia='.02 .03 .04'/><site name='tip' pos='.1 .2 .3'/>"
    "</body></body></body><site name='corner' pos='1 2 3'/></worldbody><tendon><fixed name='cord'><joint joint='hinge' coef='2'/><joint joint='slide' "
    "coef='-.5'/></fixed>"
    "</tendon><actuator>%s</actuator></mujoco>";

enum { NQ = 6, NU = 5 };

typedef struct words {
  const char *hinge, *slide, *body, *ball, *actuators;
} words;

static void text_of(const words *w, char *text, size_t size) {
  snprintf(text, size, MODEL, w->hinge, w->slide, w->body, w->ball, w->actuators);
}

/* Accelerations of ours and of theirs, which may be told in other words, at random states and controls. `lift`: on
 * their last body, N. */
static void compare(const words *ours, const words *theirs, double lift) {
  char text[4000], message[500] = "";
  cdn_model *model = NULL;
  cdn_state *state;
  mj_bridge bridge;
  uint64_t rng = 7;
  mj_bridge_handlers();
  text_of(theirs, text, sizeof text);
  mjModel *m = mj_bridge_load_string(text, "model.xml", message, sizeof message);
  ck_assert_msg(m != NULL, "%s", message);
  mjData *d = mj_makeData(m);
  text_of(ours, text, sizeof text);
  cdn_model_options options = cdn_default_model_options();
  options.strict = true;
  const cdn_status status = cdn_model_load_string(text, strlen(text), "drives", &options, &model);
  cdn_error error;
  cdn_model_last_error(model, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  ck_assert(mj_bridge_init(&bridge, m, model));
  OK(cdn_state_create(cdn_model_system(model), &state));
  for (int round = 0; round < 30; round++) {
    double q[NQ], u[NU], expected[NU];
    for (int i = 0; i < NQ; i++) q[i] = random_uniform(&rng, -1, 1);
    random_quaternion(&rng, q + 2);
    for (int i = 0; i < NU; i++) u[i] = random_uniform(&rng, -2, 2);
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_state_set_u(state, u));
    mj_bridge_q_to_mujoco(&bridge, q, d->qpos);
    mj_bridge_u_to_mujoco(&bridge, q, u, d->qvel);
    for (int i = 0; i < m->nu; i++) {
      cdn_model_actuator a;
      OK(cdn_model_get_actuator(model, i, &a));
      d->ctrl[i] = random_uniform(&rng, -5, 5);
      OK_ON(state, cdn_control_set(state, a.control, d->ctrl[i]));
    }
    d->xfrc_applied[6 * (m->nbody - 1) + 2] = lift;
    mj_forward(m, d);
    mj_bridge_u_from_mujoco(&bridge, q, d->qacc, expected);
    double size = 1;
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    for (int i = 0; i < NU; i++) size = fmax(size, fabs(expected[i]));
    /* a system of equations of a condition of some hundreds is solved */
    for (int i = 0; i < NU; i++) NEAR(cdn_state_udot(state)[i], expected[i], 1e-11 * size);
  }
  cdn_state_destroy(state);
  cdn_model_destroy(model);
  mj_bridge_free(&bridge);
  mj_deleteData(d);
  mj_deleteModel(m);
}

START_TEST(springs_get_their_numbers_from_inertia) {
  const words w = { "springdamper='.3 .7'", "springdamper='.2 1.5' springref='.1'", "", "springdamper='.5 .4'", "" };
  compare(&w, &w, 0);
}
END_TEST

START_TEST(weight_is_taken_off) {
  const words ours = { "", "", "gravcomp='.6'", "", "" }, theirs = { "", "", "", "", "" };
  compare(&ours, &theirs, 0.6 * 0.7 * 9.81);
}
END_TEST

/* p of a motor is bounded where gear p is. */
START_TEST(drives_of_joints_and_tendons_are_bounded) {
  const words ours = { "actuatorfrcrange='-3 1'", "actuatorfrcrange='-2 8' actuatorfrclimited='false'", "", "",
                       "<motor name='a' joint='hinge' gear='-2' forcerange='-1 1'/><motor name='b' joint='slide'/>" };
  const words theirs = { "", "", "", "",
                         "<motor name='a' joint='hinge' gear='-2' forcelimited='true' forcerange='-.5 1'/>"
                         "<motor name='b' joint='slide'/>" };
  compare(&ours, &theirs, 0);
}
END_TEST

/* Newer files may write the ratio into biasprm. MuJoCo tells the inertia at the joint, M_ii at the default coordinates;
 * 2.2.2 has no dampratio, but kv may be told. */
START_TEST(damping_ratios_are_of_the_inertia) {
  char text[4000], message[500] = "", actuators[400];
  const words none = { "", "", "", "", "" };
  text_of(&none, text, sizeof text);
  mj_bridge_handlers();
  mjModel *m = mj_bridge_load_string(text, "model.xml", message, sizeof message);
  ck_assert_msg(m != NULL, "%s", message);
  const double *M = m->dof_M0;
  const double on_hinge = 2 * 0.6 * sqrt(9 * M[0] / 4);
  const double on_cord = 2 * 1.2 * sqrt(4 * (M[0] / (3 * 3 * 2 * 2) + M[1] / (3 * 3 * 0.5 * 0.5)));
  mj_deleteModel(m);
  snprintf(actuators, sizeof actuators,
           "<general name='a' joint='hinge' gear='2' gainprm='9' biastype='affine' biasprm='0 -9 %.17g'/>"
           "<general name='b' tendon='cord' gear='3' gainprm='4' biastype='affine' biasprm='0 -4 %.17g'/>",
           -on_hinge, -on_cord);
  const words ours = { "", "", "", "",
                       "<position name='a' joint='hinge' gear='2' kp='9' dampratio='.6'/>"
                       "<general name='b' tendon='cord' gear='3' gainprm='4' biastype='affine' biasprm='0 -4 1.2'/>" };
  const words theirs = { "", "", "", "", actuators };
  compare(&ours, &theirs, 0);
}
END_TEST

/* On a site the moments at the default coordinates are those that MuJoCo has there. */
START_TEST(damping_ratios_of_sites_are_of_the_inertia) {
  static const char drive[] = "<general name='a' site='tip' refsite='corner' gear='.1 .2 .3 .4 .5 .6' gainprm='9' "
                              "biastype='affine' biasprm='0 -9 %.17g'/>";
  char text[4000], message[500] = "", actuators[400];
  snprintf(actuators, sizeof actuators, drive, 0.0);
  const words none = { "", "", "", "", actuators };
  text_of(&none, text, sizeof text);
  mj_bridge_handlers();
  mjModel *m = mj_bridge_load_string(text, "model.xml", message, sizeof message);
  ck_assert_msg(m != NULL, "%s", message);
  mjData *d = mj_makeData(m);
  mj_forward(m, d);
  double mass = 0;
  for (int i = 0; i < m->nv; i++) mass += m->dof_M0[i] / (d->actuator_moment[i] * d->actuator_moment[i]);
  mj_deleteData(d);
  mj_deleteModel(m);
  snprintf(actuators, sizeof actuators, drive, -2 * 0.6 * sqrt(9 * mass));
  const words ours = {
    "", "", "", "", "<position name='a' site='tip' refsite='corner' gear='.1 .2 .3 .4 .5 .6' kp='9' dampratio='.6'/>"
  };
  const words theirs = { "", "", "", "", actuators };
  compare(&ours, &theirs, 0);
}
END_TEST

CHECK_MAIN("mujoco drives", springs_get_their_numbers_from_inertia, weight_is_taken_off,
           drives_of_joints_and_tendons_are_bounded, damping_ratios_are_of_the_inertia,
           damping_ratios_of_sites_are_of_the_inertia)
