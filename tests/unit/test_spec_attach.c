/* <attach> of a file and cdn_spec_attach give the same spec, byte for byte. */
#include "spec_dump.h"

#include <stdio.h>

#include "io/joints.h"
#include "io/spec_references.h"

/* Of the same names, in whatever order. */
static void same_elements(const cdn_spec *a, const cdn_spec *b) {
  for (int which = 0; which < CDN_SPEC_KIND_COUNT; which++) {
    const io_element_kind *kind = &io_element_kinds()[which];
    const cdn_spec_kind k = (cdn_spec_kind)which;
    ck_assert_int_eq(cdn_spec_count(a, k), cdn_spec_count(b, k));
    for (int i = 0; i < cdn_spec_count(a, k); i++) {
      const int other = which == CDN_SPEC_PATH_ITEM ? i : cdn_spec_find(b, k, io_element_name(a, k, i));
      ck_assert_msg(other >= 0, "%s '%s'", kind->word, io_element_name(a, k, i));
      for (int f = 0; f < kind->n_fields; f++)
        ck_assert_msg(io_field_equal(&kind->fields[f], io_spec_element(a, k, i), io_spec_element(b, k, other)),
                      "%s of %s '%s'", kind->fields[f].name, kind->word, io_element_name(a, k, i));
    }
  }
}

static cdn_status give_part(void *user, const char *path, const void **bytes, size_t *size) {
  if (strcmp(path, "part.xml") != 0) return CDN_ERR_FILE;
  *bytes = user, *size = strlen(user);
  return CDN_OK;
}

/* A part that flies, stands or slides, with all kinds of elements that name others. */
static const char part[] =
    "<mujoco model='part'><default><geom density='300'/></default><asset><mesh name='hull' vertex='0 0 0 .05 0 0 0 .05 0 "
    "0 0 .05 .05 .05 .05'/><material name='blue' rgba='0 0 1 1'/></asset><worldbody>%s<body name='palm' pos='.02 0 .01' "
    "euler='0 15 0'>%s<geom name='palm' type='mesh' mesh='hull' material='blue'/><site name='base' pos='0 0 .1' "
    "euler='0 0 90'/><camera name='eye' mode='targetbody' target='left'/><light name='lamp' pos='0 0 .2'/><body "
    "name='left' pos='0 .03 0'><joint name='left'/><joint name='slide' type='slide' axis='1 0 0'/><geom name='left' "
    "size='.03'/><site name='tip' pos='.06 0 0'/></body><body pos='0 -.03 0'><joint axis='1 0 0' stiffness='1'/><geom "
    "type='box' size='.03 .01 .01'/><site name='othertip'/></body></body></worldbody><contact><exclude body1='left' "
    "body2='palm'/><pair geom1='left' geom2='palm'/></contact><equality><joint joint1='left' joint2='slide'/><connect "
    "name='held' site1='tip' site2='othertip'/></equality><tendon><fixed name='sum'><joint joint='left' coef='1'/></fixed>"
    "<spatial name='cord'><site site='tip'/><geom geom='left' sidesite='base'/><site site='othertip'/></spatial></tendon>"
    "<actuator><position name='grip' joint='left' kp='20'/><motor site='tip' refsite='base'/><motor name='cord' "
    "tendon='cord'/></actuator><sensor><accelerometer name='acc' site='base'/><framepos objtype='site' objname='tip' "
    "reftype='body' refname='palm'/><actuatorfrc name='force' actuator='grip'/><clock name='clock'/></sensor><keyframe>"
    "<key name='open' qpos='%s .1 .02 .3' qvel='%s 1 2 3' ctrl='1 2 3'/><key name='push' ctrl='3 2 1'/></keyframe></mujoco>";

static const struct {
  const char *name, *ground, *joint, *q, *u; /* of the part */
  const char *attach;                        /* beside model and prefix */
  const char *body;                          /* of the part, in the call */
  bool on_a_body;
  bool ordered; /* files have what is on Ground before what is on bodies */
} pairs[] = {
  { "a world on a body", "<geom name='guard' size='.02' pos='0 0 .1' mass='0'/><site name='g' pos='1 0 0'/>",
    "<joint name='wrist'/>", ".5", "4", "", NULL, true, true },
  { "a world on Ground", "<geom name='floor' type='plane' size='1 1 1'/>", "", "", "", "", NULL, false, false },
  { "a free body on Ground", "", "<freejoint name='fly'/>", "1 2 3 .6 0 .8 0", "1 2 3 4 5 6", "", NULL, false, true },
  { "a body on a body", "<body name='other'/>", "<joint name='wrist'/>", ".5", "4", "body='left'", "left", true, true },
  { "a free body of it", "<geom name='floor' type='plane' size='1 1 1'/>", "<freejoint name='fly'/>", "1 2 3 .6 0 .8 0",
    "1 2 3 4 5 6", "body='palm'", "palm", false, true },
};

static cdn_spec *load_main(char *child, const char *inside, const char *outside) {
  char text[3000];
  cdn_model_options options = cdn_default_model_options();
  cdn_spec *spec;
  cdn_error error;
  options.read_file = give_part, options.read_file_user = child;
  snprintf(
      text, sizeof text,
      "<mujoco model='main'><asset><model name='part' file='part.xml'/><material name='red'/></asset><worldbody>"
      "<body name='arm' pos='0 0 1'><joint name='arm' type='ball'/><geom size='.1'/>%s</body>%s</worldbody><actuator>"
      "<motor name='arm' joint='arm'/></actuator><sensor><ballquat name='arm' joint='arm'/></sensor></mujoco>",
      inside, outside);
  const cdn_status status = cdn_spec_load_string(text, strlen(text), "main.xml", &options, &spec);
  cdn_spec_last_error(spec, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  return spec;
}

static void compare_ways(size_t i) {
  static const char pose[] = "pos='.3 .01 .02' euler='10 20 30'";
  char child[9000], frame[300];
  const bool inside = pairs[i].on_a_body;
  snprintf(child, sizeof child, part, pairs[i].ground, pairs[i].joint, pairs[i].q, pairs[i].u);
  snprintf(frame, sizeof frame, "<site name='tool' %s/><frame %s><attach model='part' prefix='p_' %s/></frame>", pose,
           pose, pairs[i].attach);
  cdn_spec *file = load_main(child, inside ? frame : "", inside ? "" : frame);
  snprintf(frame, sizeof frame, "<site name='tool' %s/>", pose);
  cdn_spec *called = load_main(child, inside ? frame : "", inside ? "" : frame), *spec = spec_of(child, "part.xml");
  cdn_attach_def def = cdn_default_attach_def();
  def.frame = "tool", def.prefix = "p_", def.child_body = pairs[i].body;
  OK(cdn_spec_attach(called, spec, &def));
  char *text = spec_dump(called);
  if (pairs[i].ordered) same_spec_dump(file, text);
  same_elements(file, called);
  cdn_spec_destroy(file), cdn_spec_destroy(called), cdn_spec_destroy(spec), free(text);
}

START_TEST(test_a_file_and_a_call_attach_alike) {
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) compare_ways(i);
}
END_TEST

/* The coordinates of what flies are its pose in Ground, wherever it was attached; detached it is as before. */
START_TEST(test_what_is_free_stays_on_ground) {
  char child[9000];
  snprintf(child, sizeof child, part, "", "<freejoint name='fly'/>", "1 2 3 .6 0 .8 0", "1 2 3 4 5 6");
  cdn_spec *spec = load_main(child, "", "<site name='tool' pos='1 0 0' euler='0 0 90'/>"), *out;
  cdn_spec *fly = spec_of(child, "part.xml");
  char *before = spec_dump(spec), *own = spec_dump(fly);
  cdn_attach_def def = cdn_default_attach_def();
  def.frame = "tool", def.prefix = "p_";
  OK(cdn_spec_attach(spec, fly, &def));
  const cdn_spec_joint *joint = io_spec_joint(spec, cdn_spec_find(spec, CDN_SPEC_JOINT, "p_fly"));
  ck_assert_ptr_null(joint->parent);
  ck_assert(joint->X_PF.R.x.x == 1 && joint->X_PF.p.x == 0);
  /* a quarter turn about z, times the part's own 15 degrees about y */
  const double c = cos(acos(-1) / 24) * sqrt(0.5), t = sin(acos(-1) / 24) * sqrt(0.5);
  const double q[7] = { c, -t, t, c, 1, 0.02, 0.01 };
  for (int k = 0; k < 7; k++) NEAR(joint->q0[k], q[k], 1e-15);
  const cdn_spec_key *key = io_spec_key(spec, cdn_spec_find(spec, CDN_SPEC_KEY, "p_open"));
  NEAR(key->q[4], 0.6, 1e-15); /* behind the ball */
  ck_assert(key->q[8] == 1 && key->q[9] == 2 && key->q[10] == 3);
  OK(cdn_spec_detach(spec, "p_", NULL, NULL, NULL, &out));
  same_spec_dump(spec, before);
  same_spec_dump(out, own);
  cdn_spec_destroy(spec), cdn_spec_destroy(fly), cdn_spec_destroy(out), free(before), free(own);
}
END_TEST

CHECK_MAIN("spec_attach", test_a_file_and_a_call_attach_alike, test_what_is_free_stays_on_ground)
