/* The MJCF reader on its own: what is switched off, what is not simulated, messages, limits, and failing memory. */
#include "mjcf_reading.h"

START_TEST(test_options) {
  static const char *const body = "<worldbody><body><joint name='j' stiffness='3' damping='2' range='-1 1' "
                                  "frictionloss='1'/><geom size='1'/></body></worldbody>";
  const struct {
    const char *option;
    double gravity, stiffness, damping;
    bool limited;
    int friction, contact;
  } cases[] = {
    { "<option timestep='0.01' solver='CG' integrator='RK4'/>", -9.81, 3, 2, true, 1, 1 },
    { "<option gravity='0 0 -1'/>", -1, 3, 2, true, 1, 1 },
    { "<option gravity='0 0 -1'><flag gravity='disable'/></option>", 0, 3, 2, true, 1, 1 },
    { "<option><flag passive='disable'/></option>", -9.81, 0, 0, true, 1, 1 },
    { "<option><flag spring='disable'/></option>", -9.81, 0, 2, true, 1, 1 },
    { "<option><flag damper='disable'/></option>", -9.81, 3, 0, true, 1, 1 },
    { "<option><flag limit='disable'/></option>", -9.81, 3, 2, false, 1, 1 },
    { "<option><flag contact='disable' energy='enable'/></option>", -9.81, 3, 2, true, 1, 0 },
    { "<option><flag constraint='disable'/></option>", -9.81, 3, 2, false, 0, 0 },
  };
  for (int i = 0; i < CDNI_COUNT(cases); i++) {
    char text[800];
    snprintf(text, sizeof text, "%s%s", cases[i].option, body);
    read_text(text);
    ck_assert(spec->whole.has_gravity);
    near_vec3(spec->whole.gravity, cdn_v3(0, 0, cases[i].gravity), 0);
    const cdn_spec_joint *j = joint_named("j");
    NEAR(j->stiffness, cases[i].stiffness, 0);
    NEAR(j->damping, cases[i].damping, 0);
    ck_assert_int_eq(j->limited, cases[i].limited);
    NEAR(j->friction, cases[i].friction, 0);
    ck_assert_int_eq(noted("geom contact"), cases[i].contact);
    ck_assert_int_eq((int)spec->log.notes.count, cases[i].contact);
    done();
  }
}
END_TEST

/* ---- what is not simulated ---- */

START_TEST(test_not_understood) {
  read_text(
      "<size njmax='10'/><visual><map/></visual><statistic extent='1'/><custom><numeric/></custom>"
      "<asset><mesh name='m'/><texture/><skin/></asset>\n"
      "<worldbody><camera/><light/><geom type='plane' size='1 1 1'/>"
      "<body gravcomp='1' user='1'><joint name='j' frictionloss='0.1' stifness='3'/><joint actuatorfrcrange='-1 1'/>"
      "<geom size='1' contype='0' conaffinity='0'/><geom size='1'/><site/><banana/>"
      "<geom type='mesh' mesh='m' contype='0' conaffinity='0'/><composite/></body>"
      "<body mocap='true'><geom type='mesh' mesh='m' mass='0'/><inertial mass='1'/></body></worldbody>"
      "<tendon><rope/><fixed limited='true' range='0 1' stiffness='2 1'><joint joint='j' "
      "coef='1'/><geom/></fixed><rope/></tendon><actuator><plugin tendon='t'/><motor name='pull' "
      "tendon='t'/></actuator>"
      "<equality><rope/><weld site1='a' site2='b'/></equality><contact><exclude body1='world' "
      "body2='nobody'/><adhesion/></contact>"
      "<sensor><touch/></sensor><deformable><flex/></deformable><extension><plugin/></extension><gadget/>"
      "<option density='1.2' wind='0 0 0'/>");
  const struct {
    const char *element;
    int count;
  } expected[] = {
    { "joint stifness", 1 },  { "geom contact", 3 },
    { "geom type=mesh", 1 },  { "banana", 1 },
    { "composite", 1 },       { "tendon/rope", 2 },
    { "fixed/geom", 1 },      { "actuator/plugin", 1 },
    { "equality/rope", 1 },   { "equality/weld (of what was not understood)", 1 },
    { "contact/exclude", 1 }, { "sensor/touch", 1 },
    { "deformable/flex", 1 }, { "extension/plugin", 1 },
    { "gadget", 1 },          { "contact/adhesion", 1 },
    { "asset/skin", 1 },      { "actuator/motor on a tendon that is not simulated", 1 },
  };
  for (int i = 0; i < CDNI_COUNT(expected); i++)
    ck_assert_msg(noted(expected[i].element) == expected[i].count, "%s: %d", expected[i].element,
                  noted(expected[i].element));
  for (size_t i = 0; i < spec->log.notes.count; i++) ck_assert_int_ge(CDNI_AT(spec->log.notes, io_note, i).line, 2);
  ck_assert_int_eq((int)spec->log.notes.count, CDNI_COUNT(expected));
  ck_assert_int_eq((int)spec->log.warnings.count,
                   3); /* the mesh's mass, the composite's bodies, the motor with a name */
  done();
}
END_TEST

START_TEST(test_keys_of_lost_joints) {
  read_text("<worldbody><body><joint/><composite count='3'/></body></worldbody>"
            "<keyframe><key name='k' qpos='1 2 3 4' qvel='5'/></keyframe>");
  const cdn_spec_key *key = io_spec_key(spec, 0);
  ck_assert(!key->q && key->u);
  ck_assert_int_eq(noted("key qpos"), 1);
  done();
}
END_TEST

/* ---- keys with fewer numbers than the joints have ---- */

/* The others are those of the reference configuration, or zero, as MuJoCo has it from version 3.2 on. */
START_TEST(test_short_keys) {
  read_text("<compiler angle='radian'/>\n<worldbody><body><joint ref='0.5'/><geom size='1'/></body>"
            "<body pos='1 2 3' quat='0 1 0 0'><freejoint/><geom size='1'/></body>"
            "<body><joint type='ball'/><geom size='1'/></body></worldbody>\n"
            "<keyframe><key name='q' qpos='-1'/><key name='place' qpos='-1 4 5'/><key name='turn' qpos='-1 4 5 6 1'/>"
            "<key name='u' qvel='7 8 9'/><key name='none' qpos='' qvel=' '/></keyframe>");
  const double expected[][12] = {
    /* the hinge; the free body's quaternion and place; the ball */
    { -1, 0, 1, 0, 0, 1, 2, 3, 1, 0, 0, 0 },
    { -1, 0, 1, 0, 0, 4, 5, 3, 1, 0, 0, 0 },
    { -1, 1 / sqrt(2), 1 / sqrt(2), 0, 0, 4, 5, 6, 1, 0, 0, 0 }, /* (1, 1, 0, 0) of unit length */
  };
  for (int k = 0; k < CDNI_COUNT(expected); k++) {
    const cdn_spec_key *key = io_spec_key(spec, k);
    ck_assert(key->q && !key->u);
    for (int i = 0; i < 12; i++) NEAR(key->q[i], expected[k][i], TINY);
  }
  const cdn_spec_key *u = io_spec_key(spec, 3), *none = io_spec_key(spec, 4);
  /* MuJoCo's velocity of the place comes first, ours last */
  static const double speeds[10] = { 7, 0, 0, 0, 8, 9, 0, 0, 0, 0 };
  ck_assert(u->u && !u->q);
  for (int i = 0; i < 10; i++) NEAR(u->u[i], speeds[i], TINY);
  ck_assert(!none->q && !none->u);
  ck_assert_int_eq((int)spec->log.warnings.count, 4);
  ck_assert_ptr_nonnull(strstr(CDNI_AT(spec->log.warnings, char *, 0), "m.xml:4: qpos of a key has 1 of 12 numbers"));
  ck_assert_ptr_nonnull(
      strstr(CDNI_AT(spec->log.warnings, char *, 3), "qvel of a key has 3 of 10 numbers; the others are zero"));
  done();
}
END_TEST

/* ---- errors ---- */

START_TEST(test_messages) {
  const struct {
    const char *text;
    cdn_status code;
    int line;
    const char *part;
  } cases[] = {
    { "<worldbody>\n<body><joint class='no'/></body></worldbody>", CDN_ERR_PARSE, 3, "names no default class" },
    { "<worldbody>\n\n<body childclass='no'/></worldbody>", CDN_ERR_PARSE, 4, "childclass='no'" },
    { "<worldbody><body name='a'/>\n<body name='a'/></worldbody>", CDN_ERR_PARSE, 3, "on line 2" },
    { "<worldbody><body><joint name='a'/>\n<joint name='a'/></body></worldbody>", CDN_ERR_PARSE, 3, "on line 2" },
    { "<worldbody><joint/></worldbody>", CDN_ERR_PARSE, 2, "worldbody does not move" },
    { "<worldbody><inertial mass='1'/></worldbody>", CDN_ERR_PARSE, 2, "worldbody does not move" },
    { "<worldbody><body><joint axis='0 0 0'/></body></worldbody>", CDN_ERR_PARSE, 2, "axis is zero" },
    { "<worldbody><body><joint type='screw'/></body></worldbody>", CDN_ERR_PARSE, 2, "hinge" },
    { "<worldbody><body><joint limited='true' range='2 1'/></body></worldbody>", CDN_ERR_PARSE, 2, "limited='false'" },
    { "<worldbody><body><joint range='1 2' type='ball'/></body></worldbody>", CDN_ERR_PARSE, 2, "0 ANGLE" },
    { "<worldbody><body><joint armature='-1'/></body></worldbody>", CDN_ERR_PARSE, 2, "armature" },
    { "<worldbody><body><joint pos='1 2'/></body></worldbody>", CDN_ERR_PARSE, 2, "'pos' has 2 numbers" },
    { "<worldbody><body><body>\n<freejoint/></body></body></worldbody>", CDN_ERR_PARSE, 3, "directly in the world" },
    { "<worldbody><body><freejoint/><joint/></body></worldbody>", CDN_ERR_PARSE, 2, "7 degrees of freedom" },
    { "<worldbody><body><joint type='ball'/>\n<joint/></body></worldbody>", CDN_ERR_PARSE, 2, "(line 3)" },
    { "<worldbody><body quat='0 0 0 0'/></worldbody>", CDN_ERR_PARSE, 2, "quaternion is zero" },
    { "<worldbody><body quat='1 0 0 0' euler='0 0 0'/></worldbody>", CDN_ERR_PARSE, 2, "keep one" },
    { "<worldbody><body xyaxes='1 0 0 2 0 0'/></worldbody>", CDN_ERR_PARSE, 2, "xyaxes has no direction" },
    { "<worldbody><body pos='1 2 x'/></worldbody>", CDN_ERR_PARSE, 2, "'x'" },
    { "<worldbody><body><inertial/></body></worldbody>", CDN_ERR_PARSE, 2, "'mass' is missing" },
    { "<worldbody><body><inertial mass='-1'/></body></worldbody>", CDN_ERR_PARSE, 2, "negative" },
    { "<worldbody><body><inertial mass='1' fullinertia='1 1 1 0 0 0' quat='1 0 0 0'/></body></worldbody>",
      CDN_ERR_PARSE, 2, "take the orientation out" },
    { "<worldbody><body><inertial mass='1' fullinertia='1 1 1 0 0 0' diaginertia='1 1 1'/></body></worldbody>",
      CDN_ERR_PARSE, 2, "keep one" },
    { "<worldbody><body><inertial mass='1'/><inertial mass='1'/></body></worldbody>", CDN_ERR_PARSE, 2, "second" },
    { "<worldbody><body><frame><inertial mass='1'/></frame></body></worldbody>", CDN_ERR_PARSE, 2, "move it into" },
    { "<worldbody><body><geom/></body></worldbody>", CDN_ERR_PARSE, 2, "a sphere needs 1 number in 'size'" },
    { "<worldbody><body><geom type='capsule' size='1'/></body></worldbody>", CDN_ERR_PARSE, 2, "needs 2 numbers" },
    { "<worldbody><body><geom size='-1'/></body></worldbody>", CDN_ERR_PARSE, 2, "must be positive" },
    { "<worldbody><body><geom size='1' mass='-1'/></body></worldbody>", CDN_ERR_PARSE, 2, "the mass is negative" },
    { "<worldbody><body><geom size='1' density='-1'/></body></worldbody>", CDN_ERR_PARSE, 2, "density is negative" },
    { "<worldbody><body><geom size='1' fromto='0 0 0 0 0 1'/></body></worldbody>", CDN_ERR_PARSE, 2, "fromto is for" },
    { "<worldbody><body><geom type='box' size='1' fromto='1 0 0 1 0 0'/></body></worldbody>", CDN_ERR_PARSE, 2,
      "coincide" },
    { "<worldbody><body><geom type='box' size='1' pos='1 0 0' fromto='1 0 0 0 0 0'/></body></worldbody>", CDN_ERR_PARSE,
      2, "both pos and fromto" },
    { "<worldbody><body><geom size='1e200'/></body></worldbody>", CDN_ERR_NONFINITE, 2, "far too large" },
    { "<default>\n<default/></default>", CDN_ERR_PARSE, 3, "'class' is missing" },
    { "<default><default class='a'/>\n<default class='a'/></default>", CDN_ERR_PARSE, 3, "(line 2)" },
    { "<compiler coordinate='global'/>", CDN_ERR_UNSUPPORTED, 2, "local coordinates" },
    { "<compiler eulerseq='xyw'/>", CDN_ERR_PARSE, 2, "three letters" },
    { "<compiler angle='grad'/>", CDN_ERR_PARSE, 2, "radian or degree" },
    { "<worldbody><body><joint/></body></worldbody>\n<keyframe><key qpos='1 2'/></keyframe>", CDN_ERR_PARSE, 3,
      "qpos has 2 numbers, but the model's joints need 1" },
    { "<worldbody><body><joint type='ball'/></body></worldbody><keyframe><key qvel='1 2 3 4'/></keyframe>",
      CDN_ERR_PARSE, 2, "qvel has 4 numbers, but the model's joints need 3" },
    { "<worldbody><body><joint type='ball'/></body></worldbody><keyframe><key qpos='0 0 0 0'/></keyframe>",
      CDN_ERR_PARSE, 2, "is zero" },
    { "<keyframe><key name='a'/>\n<key name='a'/></keyframe>", CDN_ERR_PARSE, 3, "on line 2" },
  };
  for (int i = 0; i < CDNI_COUNT(cases); i++) {
    char place[40];
    snprintf(place, sizeof place, "m.xml:%d: ", cases[i].line);
    const cdn_status status = try_read(cases[i].text);
    ck_assert_msg(status == cases[i].code, "%s: %s: %s", cases[i].text, cdn_status_name(status), spec->log.error.text);
    ck_assert_msg(strncmp(spec->log.error.text, place, strlen(place)) == 0 &&
                      strstr(spec->log.error.text, cases[i].part),
                  "%s\n%s", cases[i].text, spec->log.error.text);
    ck_assert_int_eq(count(CDN_SPEC_BODY), 0); /* what was read until then is gone */
    done();
  }
}
END_TEST

START_TEST(test_depth) {
  /* Bodies nested far deeper than a stack of calls would bear, and frames and classes up to their stated limits. */
  enum { DEEP = 20000 };
  char *text = malloc(DEEP * 30 + 100), *end = text;
  end += sprintf(end, "<worldbody>");
  for (int i = 0; i < DEEP; i++) end += sprintf(end, "<body><joint/>");
  for (int i = 0; i < DEEP; i++) end += sprintf(end, "</body>");
  sprintf(end, "</worldbody>");
  read_text(text);
  ck_assert_int_eq(count(CDN_SPEC_BODY), DEEP);
  ck_assert_str_eq(io_spec_joint(spec, DEEP - 1)->parent, io_spec_body(spec, DEEP - 2)->name);
  done();
  end = text + sprintf(text, "<worldbody>");
  for (int i = 0; i < DEEP; i++) end += sprintf(end, "<frame>");
  for (int i = 0; i < DEEP; i++) end += sprintf(end, "</frame>");
  sprintf(end, "</worldbody>");
  ck_assert_int_eq(try_read(text), CDN_ERR_LIMIT);
  done();
  free(text);
}
END_TEST

/* ---- memory ---- */

static struct { int until_failure, live; } heap;

static void *meagre_alloc(void *context, size_t size, size_t align) {
  (void)context;
  if (heap.until_failure-- == 0) return NULL;
  heap.live++;
  return aligned_alloc(align, (size + align - 1) / align * align);
}

static void meagre_free(void *context, void *memory, size_t size) {
  (void)context, (void)size;
  heap.live--;
  free(memory);
}

START_TEST(test_every_allocation_may_fail) {
  const cdn_allocator meagre = { meagre_alloc, meagre_free, NULL };
  static const char *const files[] = { "mjcf_include.xml", "mjcf_geoms.xml", "mjcf_frames.xml", "mjcf_attach.xml" };
  for (int f = 0; f < CDNI_COUNT(files); f++) {
    cdn_status status = CDN_ERR_NOMEM;
    for (int n = 0; status != CDN_OK; n++) {
      ck_assert_int_lt(n, 10000);
      heap.until_failure = n;
      heap.live = 0;
      cdn_model_options options = without_contact();
      options.allocator = meagre;
      status = cdn_spec_load(data_path("tests/data", files[f]), &options, &spec);
      ck_assert_msg(status == CDN_OK || status == CDN_ERR_NOMEM, "%d: %s", n, spec ? spec->log.error.text : "");
      /* What was read until it failed is gone. */
      for (int kind = 0; status != CDN_OK && kind < CDN_SPEC_KIND_COUNT; kind++)
        ck_assert_int_eq(count((cdn_spec_kind)kind), 0);
      done();
      ck_assert_int_eq(heap.live, 0);
    }
  }
}
END_TEST

CHECK_MAIN("io_mjcf_errors", test_options, test_not_understood, test_keys_of_lost_joints, test_short_keys,
           test_messages, test_depth, test_every_allocation_may_fail)
