#define _GNU_SOURCE
#include "soft_models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mujoco_bridge.h"
#include "random_mjcf.h"

const char *const soft_model_names[SOFT_MODELS] = { "figure", "heap", "loops", "arm" };

/* A torso with legs and arms: contacts of condim 3 and 1, limits with margins, friction losses, armature. */
static const char FIGURE[] =
    "<geom name='floor' type='plane' size='10 10 1' condim='3' friction='0.9 .01 .002'/>"
    "<body name='torso' pos='0 0 1.1'><freejoint name='root'/>"
    "<geom type='capsule' fromto='0 -.1 0 0 .1 0' size='.12' mass='7' solref='.015 .9'/>"
    "<geom type='sphere' pos='0 0 .3' size='.1' mass='3' condim='1' priority='1'/>"
    "<body name='arm' pos='0 -.2 .1'><joint name='shoulder' type='ball' limited='true' range='0 60' damping='.1' margin='.1'"
    " solreflimit='.03 1.2' solimplimit='.3 .9 .2 .4 3'/>"
    "<geom type='capsule' fromto='0 0 0 .2 -.2 0' size='.04' mass='1.5' condim='4' friction='.6 .03 .01'/>"
    "<body name='hand' pos='.2 -.2 0'><joint name='elbow' axis='0 1 1' limited='true' range='-60 30' frictionloss='.7'"
    " solreffriction='.05 1' solimpfriction='.7 .7 .1 .5 2' armature='.02' stiffness='2'/>"
    "<geom type='sphere' pos='.1 0 .1' size='.05' mass='.8' condim='6' friction='.8 .02 .005' solref='-2000 -30'/></body></body>"
    "<body name='thigh' pos='0 .1 -.15'><joint name='hip_x' axis='1 0 0' limited='true' range='-25 5' margin='.2' armature='.01'/>"
    "<joint name='hip_y' axis='0 1 0' limited='true' range='-50 20' solreflimit='-400 -12' frictionloss='1.5'"
    " solreffriction='-30 -8'/>"
    "<geom type='capsule' fromto='0 0 0 0 .01 -.34' size='.06' mass='4.5'/>"
    "<body name='shin' pos='0 .01 -.4'><joint name='knee' axis='0 1 0' pos='0 0 .02' limited='true' range='-160 -2'"
    " solimplimit='.8 .99 .05 .6 1' frictionloss='.2'/>"
    "<geom type='capsule' fromto='0 0 0 0 0 -.3' size='.049' mass='2.6'/>"
    "<body name='foot' pos='0 0 -.39'><joint name='ankle' axis='0 1 .3' solreflimit='.3 -2' limited='true' range='-50 50' armature='.006'/>"
    "<geom type='box' pos='.05 0 0' size='.1 .04 .03' mass='1' margin='.04' gap='.01' solimp='.6 .97 .03 .3 4'/></body></body></body>"
    "</body>";

/* Free and sliding bodies in a heap: pairs of moving bodies, mixed parameters and priorities, explicit pairs. */
static const char HEAP[] =
    "<geom name='floor' type='plane' size='5 5 1' condim='3' solmix='2'/>"
    "<geom name='wall' type='box' pos='.6 0 .3' size='.1 1 .3' condim='4' priority='1' solref='.04 .7' friction='.3 .02 .001'/>"
    "<body name='a' pos='0 0 .2'><joint type='free' frictionloss='.6' solreffriction='.04 1'/><geom name='A' type='box' size='.1 .15 .1' mass='2' condim='6' friction='1.2 .1 .02'/></body>"
    "<body name='b' pos='.1 0 .4'><freejoint/><geom name='B' type='sphere' size='.12' mass='1' condim='4' solimp='.5 .95 .1 .5 2' margin='.05'/></body>"
    "<body name='c' pos='.2 .1 .3'><joint type='ball' frictionloss='.3'/><geom name='C' type='capsule' fromto='0 0 0 .2 0 .1' size='.07' mass='.5' condim='1' priority='2'/></body>"
    "<body name='d' pos='.3 0 .3'><joint type='slide' axis='0 0 1' frictionloss='.4'/><joint type='hinge' axis='0 1 0' limited='true' range='-20 20'/>"
    "<geom name='D' type='ellipsoid' size='.1 .2 .08' mass='4' solref='-900 -50' friction='.5 .5 .5'/></body>"
    "<body name='e' pos='.2 -.2 .2'><freejoint/><geom name='E' type='capsule' size='.06 .1' mass='1000' condim='3'/></body>";
static const char HEAP_PAIRS[] =
    "<contact><pair geom1='A' geom2='B' condim='6' friction='.7 .3 .02 .01 .03' solref='.01 2' margin='.1' gap='.02'/>"
    "<pair geom1='D' geom2='E' condim='4' friction='.9 .2 .05 .01 .01' solimp='.4 .8 .01 .7 5'/></contact>";

/* Equalities of every kind on chains that hang. */
static const char LOOPS[] =
    "<body name='a' pos='0 0 1'><joint name='a1' axis='0 1 0'/><joint name='a2' axis='1 0 0' frictionloss='.3'/>"
    "<geom type='capsule' fromto='0 0 0 .4 0 0' size='.04' mass='1'/>"
    "<body name='b' pos='.4 0 0'><joint name='b1' type='ball'/><geom type='capsule' fromto='0 0 0 .3 .1 0' size='.03' mass='.7'/>"
    "<body name='c' pos='.3 .1 0'><joint name='c1' axis='0 1 1' limited='true' range='-100 100'/>"
    "<joint name='c2' type='slide' axis='1 0 0' limited='true' range='-.3 .05'/><geom type='box' size='.1 .1 .05' mass='.5'/></body></body></body>"
    "<body name='d' pos='0 .5 1'><freejoint/><geom type='box' size='.1 .2 .1' mass='2'/></body>"
    "<body name='e' pos='0 -.5 1'><joint name='e1' axis='0 0 1'/><geom type='box' pos='.1 0 0' size='.2 .1 .1' mass='1'/></body>";
static const char LOOPS_EQUALITIES[] =
    "<equality><connect name='pin' body1='c' body2='d' anchor='.1 .05 .02'/>"
    "<connect name='nail' body1='b' anchor='.2 0 .1' solref='.05 .8' solimp='.5 .9 .05 .3 2'/>"
    "<weld name='glue' body1='d' body2='e' solref='-800 -40' anchor='.1 .2 .05' torquescale='.4'/>"
    "<weld name='post' body1='e' body2='a' relpose='.1 .2 .3 .9 .3 .1 -.2' solimp='.2 .95 .4 .6 3'/>"
    "<joint name='gear' joint1='a1' joint2='e1' polycoef='.1 .9 -.5 .3 .2'/>"
    "<joint name='belt' joint1='c1' joint2='a2' polycoef='0 .5 .2 0 0'/>"
    "<joint name='twin' joint1='a1' joint2='a2' polycoef='.2 1 0 .1 0' solimp='.1 .9 .3 .5 2'/>"
    "<joint name='stay' joint1='c2' polycoef='-.1 0 0 0 0' solref='.1 1.5' solimp='.3 .8 .1 .5 1'/></equality>";

/* Light and heavy in one: a crane with a grain at its end, limits that are all violated by the random states. */
static const char ARM[] =
    "<geom type='plane' size='5 5 1' margin='.02'/>"
    "<body name='cart' pos='0 0 .5'><joint type='slide' axis='1 0 0' limited='true' range='-.1 .1' frictionloss='30'/>"
    "<joint axis='0 0 1' limited='true' range='-30 30' armature='3'/><geom type='box' size='.3 .2 .2' mass='1000'/>"
    "<body name='boom' pos='.4 0 0'><joint type='ball' limited='true' range='0 20' frictionloss='.4' solimplimit='.001 .9999 .5 .5 2'/>"
    "<geom type='capsule' fromto='0 0 0 .5 0 0' size='.03' mass='3'/>"
    "<body name='grain' pos='.55 0 0'><joint axis='0 1 0' limited='true' range='-10 10' solreflimit='.001 1'/>"
    "<geom type='sphere' pos='.05 0 0' size='.02' mass='.001' condim='6'/></body></body></body>";

static const char *const bodies[SOFT_MODELS] = { FIGURE, HEAP, LOOPS, ARM };
static const char *const extras[SOFT_MODELS] = { "", HEAP_PAIRS, LOOPS_EQUALITIES, "" };

char *soft_model_text(int which, const soft_choice *choice) {
  char *text = NULL;
  if (asprintf(
          &text,
          "<mujoco><size njmax='2000' nconmax='500'/><option timestep='.004' cone='%s' impratio='%.17g' solver='%s' "
          "tolerance='1e-14' iterations='1000'><flag refsafe='%s' warmstart='disable'/></option>"
          "<worldbody>%s</worldbody>%s</mujoco>",
          choice->cone, choice->impratio, choice->solver, choice->refsafe, bodies[which], extras[which]) < 0)
    return NULL;
  return text;
}

mjModel *soft_model_load(const char *text) {
  char error[500] = "";
  mj_bridge_handlers();
  mjModel *m = mj_bridge_load_string(text, "soft.xml", error, sizeof error);
  if (!m) fprintf(stderr, "%s\n", error);
  return m;
}

void soft_model_state(const mjModel *m, mjData *d, uint64_t *seed, double speed) {
  mj_resetData(m, d);
  for (int j = 0; j < m->njnt; j++) {
    double *q = d->qpos + m->jnt_qposadr[j];
    switch (m->jnt_type[j]) {
      case mjJNT_FREE:
        for (int i = 0; i < 2; i++) q[i] += random_uniform(seed, -0.2, 0.2);
        q[2] *= random_uniform(seed, 0, 1);
        random_quaternion(seed, q + 3);
        break;
      case mjJNT_BALL: random_quaternion(seed, q); break;
      case mjJNT_SLIDE: *q = random_uniform(seed, -0.3, 0.3); break;
      default: *q = random_uniform(seed, -1.5, 1.5); break;
    }
  }
  for (int i = 0; i < m->nv; i++) d->qvel[i] = random_uniform(seed, -speed, speed);
}
