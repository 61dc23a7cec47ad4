/* The MJCF reader on its own: default classes, joints, names, frames, included files, keyframes. */
#include "mjcf_reading.h"

/* ---- default classes ---- */

START_TEST(test_default_classes) {
  read_text("<default><joint damping='1' axis='0 1 0'/><geom type='box' size='1 2 3' density='1'/>"
            "  <default class='outer'><joint damping='2' armature='0.5'/>"
            "    <default class='inner'><joint stiffness='7'/><geom size='2'/></default>"
            "  </default>"
            "  <default class='sibling'><joint stiffness='9'/></default>"
            "</default>"
            "<worldbody><body name='a' childclass='inner'><joint name='a1'/><joint name='a2' class='sibling'/>"
            "  <joint name='a3' damping='5' axis='0 0 1' class='outer'/><geom/>"
            "  <body name='b'><joint name='b1'/><geom size='1 1'/></body>"
            "  <body name='c' childclass='main'><joint name='c1'/><geom/></body>"
            "  <frame childclass='sibling'><body name='e'><joint name='e1'/></body></frame></body>"
            "<body name='f'><joint name='f1'/></body></worldbody>");
  const struct {
    const char *name;
    double damping, armature, stiffness, y;
  } joints[] = {
    { "a1", 2, 0.5, 7, 1 }, { "a2", 1, 0, 9, 1 }, { "a3", 5, 0.5, 0, 0 }, { "b1", 2, 0.5, 7, 1 },
    { "c1", 1, 0, 0, 1 },   { "e1", 1, 0, 9, 1 }, { "f1", 1, 0, 0, 1 },
  };
  for (int i = 0; i < CDNI_COUNT(joints); i++) {
    const cdn_spec_joint *j = joint_named(joints[i].name);
    NEAR(j->damping, joints[i].damping, 0);
    NEAR(j->armature, joints[i].armature, 0);
    NEAR(j->stiffness, joints[i].stiffness, 0);
    NEAR(axis_of(j).y, joints[i].y, 0);
  }
  /* A short list of sizes keeps the class's tail: boxes of half sizes 2 2 3, 1 1 3 and 1 2 3. */
  NEAR(body_named("a")->mass.mass, 8 * 12, 0);
  NEAR(body_named("b")->mass.mass, 8 * 3, 0);
  NEAR(body_named("c")->mass.mass, 8 * 6, 0);
  ck_assert_int_eq(noted("geom contact"), 3);
  ck_assert_int_eq((int)spec->log.notes.count, 1);
  done();
}
END_TEST

START_TEST(test_freejoint_ignores_defaults) {
  read_text("<default><joint damping='1' armature='2'/></default><worldbody>"
            "<body name='a'><freejoint name='a0'/></body>"
            "<body name='b'><joint type='free' name='b0'/></body></worldbody>");
  NEAR(joint_named("a0")->damping, 0, 0);
  NEAR(joint_named("a0")->armature, 0, 0);
  NEAR(joint_named("b0")->damping, 1, 0);
  NEAR(joint_named("b0")->armature, 2, 0);
  done();
}
END_TEST

/* ---- joints ---- */

START_TEST(test_joint_angles) {
  read_text("<worldbody><body><joint name='hinge' ref='30' springref='-90' range='-45 60' axis='3 0 4' pos='1 2 3'/>"
            "<joint name='slide' type='slide' ref='30' springref='-90' range='-45 60'/>"
            "<body><joint name='ball' type='ball' range='0 45' axis='0 0 0'/></body></body></worldbody>");
  const cdn_spec_joint *hinge = joint_named("hinge"), *slide = joint_named("slide"), *ball = joint_named("ball");
  ck_assert(hinge->kind == CDN_PIN && slide->kind == CDN_SLIDER && ball->kind == CDN_BALL);
  NEAR(hinge->q0[0], PI / 6, TINY);
  NEAR(hinge->springref, -PI / 2, TINY);
  NEAR(hinge->lower, -PI / 4, TINY);
  NEAR(hinge->upper, PI / 3, TINY);
  near_vec3(axis_of(hinge), cdn_v3(0.6, 0, 0.8), TINY);
  near_vec3(hinge->X_CM.p, cdn_v3(1, 2, 3), 0);
  NEAR(slide->q0[0], 30, 0);
  NEAR(slide->springref, -90, 0);
  NEAR(slide->lower, -45, 0);
  NEAR(slide->upper, 60, 0);
  NEAR(ball->upper, PI / 4, TINY);
  ck_assert(hinge->limited && slide->limited && ball->limited);
  done();
}
END_TEST

START_TEST(test_limits) {
  const struct {
    const char *compiler, *joint;
    bool limited;
  } cases[] = {
    { "", "range='-1 1'", true },
    { "", "", false },
    { "", "range='0 0'", false },
    { "", "range='-1 1' limited='false'", false },
    { "", "range='-1 1' limited='true'", true },
    { "", "range='-1 1' limited='auto'", true },
    { "autolimits='false'", "range='-1 1'", false },
    { "autolimits='false'", "range='-1 1' limited='true'", true },
  };
  for (int i = 0; i < CDNI_COUNT(cases); i++) {
    char text[400];
    snprintf(text, sizeof text, "<compiler %s/><worldbody><body><joint name='j' %s/></body></worldbody>",
             cases[i].compiler, cases[i].joint);
    read_text(text);
    ck_assert_int_eq(joint_named("j")->limited, cases[i].limited);
    NEAR(joint_named("j")->limit_timeconst, 0.02, 0); /* MuJoCo's defaults */
    NEAR(joint_named("j")->limit_dampratio, 1, 0);
    done();
  }
  read_text("<worldbody><body><joint name='soft' range='-1 1' solreflimit='0.1 0.5'/>"
            "<joint name='time' range='-1 1' solreflimit='0.1'/>"
            "<joint name='direct' range='-1 1' solreflimit='-100 -5'/>"
            "<joint name='mixed' range='-1 1' solreflimit='-100 5'/></body></worldbody>");
  NEAR(joint_named("soft")->limit_timeconst, 0.1, 0);
  NEAR(joint_named("soft")->limit_dampratio, 0.5, 0);
  NEAR(joint_named("time")->limit_timeconst, 0.1, 0);
  NEAR(joint_named("time")->limit_dampratio, 1, 0);
  /* Stiffness 1/(tc dr)^2 = 100, damping 2/tc = 5. */
  const cdn_spec_joint *direct = joint_named("direct");
  NEAR(1 / pow(direct->limit_timeconst * direct->limit_dampratio, 2), 100, 1e-12);
  NEAR(2 / direct->limit_timeconst, 5, 1e-14);
  NEAR(joint_named("mixed")->limit_timeconst, 0.02, 0);
  ck_assert_int_eq((int)spec->log.warnings.count, 1);
  done();
}
END_TEST

START_TEST(test_names_and_order) {
  read_text("<worldbody><body><joint/><joint type='slide'/>"
            "<body name='named'><joint name='named_ball1'/><joint type='ball'/></body>"
            "<body/></body><body name='body3'><freejoint/></body></worldbody>");
  /* Frames between two joints of a body stand before it. */
  static const char *const bodies[] = {
    "body1 (after body1_hinge1)", "body1", "named (after named_ball1)", "named", "body3_", "body3"
  };
  static const char *const parents[] = { NULL, NULL, "body1", "body1", "body1", NULL };
  static const char *const joints[] = { "body1_hinge1", "body1_slide2", "named_ball1",
                                        "named_ball2",  "body3_ weld",  "body3_free1" };
  ck_assert_int_eq(count(CDN_SPEC_BODY), 6);
  ck_assert_int_eq(count(CDN_SPEC_JOINT), 6);
  for (int i = 0; i < 6; i++) {
    ck_assert_str_eq(io_spec_body(spec, i)->name, bodies[i]);
    ck_assert_int_eq(io_spec_body(spec, i)->intermediate, i % 2 == 0 && i < 4);
    ck_assert_pstr_eq(parent_of(bodies[i]), parents[i]);
    ck_assert_str_eq(io_spec_joint(spec, i)->name, joints[i]);
    ck_assert_str_eq(io_spec_joint(spec, i)->child, bodies[i]);
  }
  ck_assert_str_eq(spec->name, "m");
  done();
}
END_TEST

/* ---- frames and includes ---- */

START_TEST(test_frames) {
  read_data("mjcf_frames.xml");
  /* The frames of the file, composed by hand: F in the world, A of body a, S in body a, T in S. */
  const cdn_transform X_WF = { about(0, 0, 1, PI / 2), cdn_v3(1, 0, 0) };
  const cdn_transform X_FG = { about(1, 0, 0, PI / 2), cdn_v3(0, 2, 0) };
  const cdn_transform X_GA = { about(0, 0, 1, PI / 2), cdn_v3(0, 0, 1) };
  const cdn_transform X_AS = { about(0, 1, 0, PI / 2), cdn_v3(0.5, 0, 0) };
  const cdn_transform X_ST = { cdn_rotation_identity(), cdn_v3(0, 0, 0.25) };
  const cdn_transform X_TB = { cdn_rotation_identity(), cdn_v3(0, 0.1, 0) };
  near_transform(pose_in_parent("a", NULL), cdn_transform_multiply(cdn_transform_multiply(X_WF, X_FG), X_GA), TINY);
  near_transform(pose_in_parent("b", NULL), cdn_transform_multiply(cdn_transform_multiply(X_AS, X_ST), X_TB), TINY);
  near_transform(pose_in_parent("c", NULL), cdn_transform_identity(), 0);
  near_transform(pose_in_parent("d", NULL), (cdn_transform){ X_WF.R, cdn_v3(1, 0, 3) }, TINY);
  /* The turned frame's z axis is a's x axis, its y axis a's, and its x axis points down. */
  near_vec3(axis_of(joint_named("a1")), cdn_v3(1, 0, 0), TINY);
  near_vec3(joint_named("a1")->X_CM.p, cdn_v3(0.5 + 0.2, 0.1, 0), TINY);
  near_vec3(axis_of(joint_named("a0")), cdn_v3(1, 0, 0), 0);
  NEAR(joint_named("a1")->damping, 2, 0); /* by the frame's childclass */
  NEAR(joint_named("d0")->damping, 0, 0);
  /* Two equal balls at 0 and at (0.5 + 0.3, 0, 0). */
  const double m = 4000 * 4 * PI / 3 * 1e-3;
  NEAR(body_named("a")->mass.mass, 2 * m, TINY * m);
  near_vec3(body_named("a")->mass.com, cdn_v3(0.4, 0, 0), TINY);
  NEAR(body_named("a")->mass.inertia.yy, 2 * m * (0.4 * 0.01 + 0.16), TINY * m);
  ck_assert_int_eq(cdn_spec_find(spec, CDN_SPEC_JOINT, "b0"), 2); /* the file's order */
  ck_assert_str_eq(parent_of("b"), "a");
  ck_assert_int_eq((int)spec->log.notes.count, 0);
  done();
}
END_TEST

START_TEST(test_include) {
  read_data("mjcf_include.xml");
  static const char *const bodies[] = { "trunk", "thigh", "shank", "post" };
  ck_assert_int_eq(count(CDN_SPEC_BODY), 4);
  for (int i = 0; i < 4; i++) ck_assert_str_eq(io_spec_body(spec, i)->name, bodies[i]);
  ck_assert_str_eq(parent_of("thigh"), "trunk");
  NEAR(joint_named("hip")->damping, 0.125, 0);
  NEAR(axis_of(joint_named("hip")).y, 1, 0);
  NEAR(joint_named("hip")->upper, 1, 0); /* radians, by the included compiler element */
  ck_assert_int_eq((int)spec->log.notes.count, 0);
  done();

  ck_assert_int_eq(try_file("mjcf_circle.xml"), CDN_ERR_PARSE);
  ck_assert_msg(strstr(spec->log.error.text, "mjcf_circle_back.xml:2: ") && strstr(spec->log.error.text, "circle"),
                "%s", spec->log.error.text);
  done();
  ck_assert_int_eq(try_read("<worldbody>\n<include file='no/such.xml'/></worldbody>"), CDN_ERR_FILE);
  ck_assert_msg(strncmp(spec->log.error.text, "m.xml:3: ", 9) == 0 && strstr(spec->log.error.text, "no/such.xml"), "%s",
                spec->log.error.text);
  done();
}
END_TEST

/* ---- keyframes ---- */

START_TEST(test_keyframes) {
  read_data("mjcf_geoms.xml");
  ck_assert_int_eq(count(CDN_SPEC_KEY), 3);
  const cdn_spec_key *flying = io_spec_key(spec, 0), *still = flying + 1, *thrown = flying + 2;
  ck_assert_str_eq(flying->name, "flying");
  ck_assert(flying->q && flying->u && flying->time == 0);
  ck_assert(!still->q && !still->u);
  /* Free: position and quaternion change places. Ball: (2 0 0 1) has length sqrt(5). */
  const double w = 2 / sqrt(5), z = 1 / sqrt(5);
  const double q[] = { 0.5, 0.5, -0.5, 0.5, 1, 2, 3, 0.1, 0.2, 0.3, w, 0, 0, z };
  for (int i = 0; i < CDNI_COUNT(q); i++) NEAR(flying->q[i], q[i], TINY);
  /* (0.5 0.5 -0.5 0.5) is a third of a turn about (1,-1,1): it takes x to z, y to -x, z to -y. So (4, 5, 6) in the
   * body is 4 (0,0,1) + 5 (-1,0,0) + 6 (0,-1,0) in the world. */
  const double c = w * w - z * z, s = 2 * w * z; /* the ball's turn about z */
  const double u[] = { -5, -6, 4, 1, 2, 3, 7, 8, 9, c * 10 - s * 11, s * 10 + c * 11, 12 };
  for (int i = 0; i < CDNI_COUNT(u); i++) NEAR(flying->u[i], u[i], 4 * TINY);
  /* No qpos: velocities are meant in the reference configuration, here unturned. */
  ck_assert(thrown->u && !thrown->q);
  const double u0[] = { 4, 5, 6, 1, 2, 3, 0, 0, 0, 1, 2, 3 };
  for (int i = 0; i < CDNI_COUNT(u0); i++) NEAR(thrown->u[i], u0[i], TINY);
  done();
  read_data("mjcf_orientations.xml");
  const cdn_spec_key *bent = io_spec_key(spec, 0);
  NEAR(bent->time, 1.5, 0);
  NEAR(bent->q[1], -0.2, 0); /* keyframes are in radians whatever the compiler says */
  done();
}
END_TEST

/* Copies, each moved and turned against the one before; the numbers of names have as many digits as the count. */
START_TEST(test_replicate) {
  read_text(
      "<compiler angle='degree'/><worldbody><replicate count='10' offset='1 0 0' euler='0 0 90' sep='-'>"
      "<body name='post' pos='0 0 2'><joint name='j'/><geom name='g' size='.1' contype='0' conaffinity='0'/>"
      "<replicate count='2' offset='0 0 1'><site name='s' pos='0 .5 0'/></replicate></body></replicate></worldbody>");
  ck_assert_int_eq(count(CDN_SPEC_BODY), 10);
  ck_assert_int_eq(moving_count(), 10);
  ck_assert_int_eq(count(CDN_SPEC_FRAME), 20);
  ck_assert_int_eq((int)spec->log.notes.count, 0);
  /* the offsets go round a square */
  const double x[] = { 0, 1, 1, 0 }, y[] = { 0, 0, 1, 1 };
  for (int i = 0; i < 10; i++) {
    char name[20];
    snprintf(name, sizeof name, "post-%02d", i);
    const cdn_transform X = pose_in_parent(name, NULL);
    near_vec3(X.p, cdn_v3(x[i % 4], y[i % 4], 2), 10 * TINY);
    near_rotation(X.R, about(0, 0, 1, i * PI / 2), 10 * TINY);
    const char *moved = joint_of(name)->name;
    snprintf(name, sizeof name, "j-%02d", i);
    ck_assert_str_eq(moved, name);
  }
  const cdn_spec_frame *second = io_spec_frame(spec, 1);
  ck_assert_str_eq(second->name, "s1-00");
  ck_assert_str_eq(second->body, "post-00");
  near_vec3(second->X_BF.p, cdn_v3(0, 0.5, 1), TINY);
  done();
}
END_TEST

static void names_are(cdn_spec_kind kind, const char *const *expected, int n) {
  ck_assert_int_eq(count(kind), n);
  for (int i = 0; i < n; i++) {
    const char *name = kind == CDN_SPEC_SENSOR     ? io_spec_sensor(spec, i)->name
                       : kind == CDN_SPEC_ACTUATOR ? io_spec_actuator(spec, i)->name
                       : kind == CDN_SPEC_TENDON   ? io_spec_tendon(spec, i)->name
                                                   : io_spec_constraint(spec, i)->name;
    ck_assert_str_eq(name, expected[i]);
  }
}

/* What names something in a copy is copied with it, in MuJoCo's order (3.14): copy by copy, after what is not copied.
 * Of an equality with something that is not copied nothing is left, as there. (MuJoCo has 16 clocks then.) */
START_TEST(test_replicate_copies_what_refers_to_it) {
  static const char *const sensors[] = { "clock", "f-0", "a-0",   "in0-0",  "mix0-0", "in1-0", "mix1-0",
                                         "f-1",   "a-1", "in0-1", "mix0-1", "in1-1",  "mix1-1" };
  static const char *const actuators[] = { "mo", "m-0", "mt-0", "m-1", "mt-1" };
  static const char *const tendons[] = { "t-0", "t-1" }, *const equalities[] = { "e-0", "e-1" };
  read_text(
      "<worldbody><body name='out' pos='5 0 0'><joint name='oj'/><geom name='og' size='.1'/></body>"
      "<replicate count='2' offset='1 0 0' sep='-'><body name='a'><joint name='j'/><geom name='g' size='.1'/>"
      "<body name='aa'><joint name='jj' axis='0 1 0'/><geom size='.1'/>"
      "<replicate count='2' offset='0 1 0'><site name='p'/></replicate></body></body></replicate></worldbody>"
      "<actuator><motor name='m' joint='j'/><motor name='mo' joint='oj'/><motor name='mt' tendon='t'/></actuator>"
      "<tendon><fixed name='t'><joint joint='j' coef='1'/><joint joint='oj' coef='2'/></fixed></tendon>"
      "<equality><joint name='e' joint1='j' joint2='jj'/><joint name='mixed' joint1='j' joint2='oj'/></equality>"
      "<contact><exclude body1='a' body2='aa'/><exclude body1='a' body2='out'/><pair geom1='g' geom2='og'/></contact>"
      "<sensor><framepos name='f' objtype='xbody' objname='a' reftype='xbody' refname='out'/>"
      "<framepos name='in' objtype='site' objname='p'/><clock name='clock'/>"
      "<framepos name='mix' objtype='site' objname='p' reftype='xbody' refname='a'/>"
      "<actuatorfrc name='a' actuator='m'/></sensor>");
  const char *suffixes[] = { "-0", "-1" };
  ck_assert_int_eq(noted("equality/joint (of what was not understood)"), 1);
  names_are(CDN_SPEC_ACTUATOR, actuators, 5);
  names_are(CDN_SPEC_TENDON, tendons, 2);
  names_are(CDN_SPEC_CONSTRAINT, equalities, 2);
  ck_assert_int_eq(count(CDN_SPEC_CONTACT), 6);
  names_are(CDN_SPEC_SENSOR, sensors, 13);
  for (int i = 0; i < 2; i++) {
    char name[20];
    snprintf(name, sizeof name, "a%s", suffixes[i]);
    const cdn_spec_sensor *f = io_spec_sensor(spec, 1 + 6 * i), *mix = io_spec_sensor(spec, 4 + 6 * i);
    ck_assert_str_eq(f->body, name);
    ck_assert_str_eq(f->reference, "out");
    ck_assert_str_eq(mix->reference, name);
    snprintf(name, sizeof name, "aa%s", suffixes[i]);
    ck_assert_str_eq(mix->body, name);
    snprintf(name, sizeof name, "jj%s", suffixes[i]);
    ck_assert_str_eq(io_spec_constraint(spec, i)->joint_x, name);
    snprintf(name, sizeof name, "j%s", suffixes[i]);
    ck_assert_str_eq(io_spec_constraint(spec, i)->joint_y, name);
    ck_assert_str_eq(io_spec_actuator(spec, 1 + 2 * i)->joint, name);
    ck_assert_str_eq(io_spec_tendon(spec, i)->joint[0], name);
    ck_assert_str_eq(io_spec_tendon(spec, i)->joint[1], "oj");
  }
  done();
}
END_TEST

/* A body in Ground, through its parents. */
static cdn_transform pose_in_ground(const char *body) {
  const char *parent = NULL;
  cdn_transform X = pose_in_parent(body, &parent);
  while (parent) {
    const char *at = parent;
    X = cdn_transform_multiply(pose_in_parent(at, &parent), X);
  }
  return X;
}

/* Bodies of a helix begin at its points and lie along its chords; y of the first is in the plane of two chords, and the
 * frames turn as little as the chords do. */
START_TEST(test_cable) {
  enum { POINTS = 8 };
  read_text(
      "<default><geom density='1'/><joint damping='7'/></default><worldbody><body name='hand' pos='1 2 3'><joint/>"
      "<geom size='.1'/><composite prefix='C' type='cable' curve='cos(s) sin(s) s' count='8 1 1' size='2 .5 1.5' "
      "offset='0 0 .1' initial='none'><joint kind='main' damping='.2' armature='.01'/>"
      "<geom type='capsule' size='.02' density='3' contype='0' conaffinity='0'/></composite></body></worldbody>");
  static const char *const names[] = { "CB_first", "CB_1", "CB_2", "CB_3", "CB_4", "CB_5", "CB_last" };
  cdn_vec3 p[POINTS];
  cdn_rotation before = cdn_rotation_identity();
  for (int i = 0; i < POINTS; i++) {
    const double part = i / 7.0;
    p[i] = cdn_v3(1 + 0.5 * cos(PI * 1.5 * part), 2 + 0.5 * sin(PI * 1.5 * part), 3.1 + 2 * part);
  }
  ck_assert_int_eq(count(CDN_SPEC_BODY), 8);
  for (int i = 0; i + 1 < POINTS; i++) {
    const cdn_transform X = pose_in_ground(names[i]);
    const cdn_vec3 edge = cdn_sub(p[i + 1], p[i]), along = cdn_scale(1 / cdn_norm(edge), edge);
    near_vec3(X.p, p[i], 1e-12);
    near_vec3(X.R.x, along, 1e-12);
    if (i == 0) {
      const cdn_vec3 next = cdn_sub(p[2], p[1]), across = cdn_cross(along, next);
      near_vec3(X.R.z, cdn_scale(1 / cdn_norm(across), across), 1e-12);
    } else {
      const cdn_vec3 bend = cdn_cross(before.x, along);
      const cdn_rotation turn = cdn_rotation_axis_angle(bend, atan2(cdn_norm(bend), cdn_dot(before.x, along)));
      near_rotation(X.R, cdn_rotation_multiply(turn, before), 1e-11);
    }
    before = X.R;
    const cdn_spec_joint *joint = joint_of(names[i]);
    ck_assert_int_eq(joint->kind, i == 0 ? CDN_WELD : CDN_BALL);
    if (i > 0) NEAR(joint->damping, 0.2, 0);
    if (i > 0) NEAR(joint->armature, 0.01, 0);
    const double length = cdn_norm(edge), mass = 3 * PI * 4e-4 * (length + 4 * 0.02 / 3);
    NEAR(body_named(names[i])->mass.mass, mass, 1e-12);
  }
  /* MuJoCo 3.14 prints these for z of the first and of the last body */
  near_vec3(pose_in_ground("CB_first").R.z, cdn_v3(0.42127, -0.52825, 0.73722), 1e-5);
  near_vec3(pose_in_ground("CB_last").R.z, cdn_v3(0.68962, 0.41330, -0.59465), 1e-5);
  ck_assert_str_eq(joint_of("CB_last")->name, "CJ_last");
  ck_assert_int_eq(count(CDN_SPEC_CONTACT), 6);
  ck_assert_str_eq(io_spec_frame(spec, 0)->name, "CS_first");
  near_vec3(io_spec_frame(spec, 1)->X_BF.p, cdn_v3(cdn_norm(cdn_sub(p[7], p[6])), 0, 0), 1e-12);
  ck_assert_int_eq(noted("composite"), 0);
  done();
}
END_TEST

/* Points of the file, boxes, copies, and what is wrong. */
START_TEST(test_cables_of_points) {
  read_text(
      "<worldbody><replicate count='2' offset='0 1 0'><composite prefix='C' type='cable' initial='free' "
      "vertex='0 0 0  0 1 0  0 2 0'><joint kind='main' damping='.2'/><geom type='box' "
      "size='9 .02 .03' contype='0' conaffinity='0'/><skin texcoord='true'/></composite></replicate></worldbody>");
  ck_assert_int_eq(count(CDN_SPEC_BODY), 4);
  ck_assert_int_eq(count(CDN_SPEC_CONTACT), 2);
  ck_assert_int_eq(noted("skin"), 1);
  ck_assert_int_eq(joint_of("CB_first1")->kind, CDN_FREE);
  NEAR(joint_of("CB_first1")->damping, 0, 0);
  NEAR(joint_of("CB_last1")->damping, 0.2, 0);
  NEAR(body_named("CB_last0")->mass.mass, 1000 * 1 * 0.04 * 0.06, 1e-12);
  near_vec3(pose_in_ground("CB_first1").R.x, cdn_v3(0, 1, 0), 1e-12);
  near_vec3(pose_in_ground("CB_last1").p, cdn_v3(0, 2, 0), 1e-12);
  done();
  static const char *const wrong[] = {
    "<composite type='cable' count='1'><geom type='box' size='1 1 1'/></composite>",
    "<composite type='cable' count='3' vertex='0 0 0 1 0 0'><geom type='box' size='1 1 1'/></composite>",
    "<composite type='cable' vertex='0 0 0 0 0 0'><geom type='box' size='1 1 1'/></composite>",
    "<composite type='cable' vertex='0 0 0 1 0'><geom type='box' size='1 1 1'/></composite>",
    "<composite type='cable' count='3' curve='tan(s)'><geom type='box' size='1 1 1'/></composite>",
    "<composite type='cable' count='3' curve='s'><geom type='sphere' size='1'/></composite>",
    "<composite type='cable' count='3' curve='s'/>"
  };
  for (int i = 0; i < CDNI_COUNT(wrong); i++) {
    char text[300];
    snprintf(text, sizeof text, "<worldbody>%s</worldbody>", wrong[i]);
    ck_assert_int_eq(try_read(text), CDN_ERR_PARSE);
    ck_assert_msg(strstr(spec->log.error.text, "m.xml:2"), "%s", spec->log.error.text);
    done();
  }
}
END_TEST

/* The other types are compared with MuJoCo 2.2.2 (tests/peers/test_mujoco_composites.c). Here: what is left out,
 * copies, and what is wrong. */
START_TEST(test_lattices) {
  read_text("<worldbody><replicate count='2' offset='0 1 0'><composite prefix='C' type='grid' count='2 2' spacing='.3'>"
            "<joint kind='main' damping='.2'/><joint kind='particle' type='ball'/><geom size='.1' material='none'/>"
            "<tendon kind='main'/><skin texcoord='true'/></composite></replicate></worldbody>"
            "<asset><material name='none'/></asset>");
  ck_assert_int_eq(count(CDN_SPEC_BODY), 8 * 3);
  ck_assert_int_eq(count(CDN_SPEC_TENDON), 8);
  ck_assert_int_eq(count(CDN_SPEC_CONSTRAINT), 8);
  ck_assert_str_eq(io_spec_tendon(spec, 4)->name, "CT0_0_01");
  ck_assert_int_eq(noted("skin"), 1);
  ck_assert_int_eq(noted("composite joint kind=particle"), 1);
  done();
  static const char *const wrong[] = {
    "<composite type='grid' count='2 2' spacing='.3'/>",
    "<composite type='grid' count='2 2'><geom size='.1'/></composite>",
    "<composite type='grid' count='1 2' spacing='.3'><geom size='.1'/></composite>",
    "<composite type='grid' count='0' spacing='.3'><geom size='.1'/></composite>",
    "<composite type='grid' count='200 200' spacing='.3'><geom size='.1'/></composite>",
    "<composite type='grid' count='2 2 2' spacing='.3'><geom size='.1'/></composite>",
    "<composite type='grid' count='2' spacing='.3'><geom size='.1'/><tendon kind='shear'/></composite>",
    "<composite type='grid' count='2' spacing='.3'><geom type='box' size='1 1 1'/></composite>",
    "<composite type='rope' count='2' spacing='.3'><geom size='.1'/></composite>",
    "<body name='B9'><composite type='rope' count='2' spacing='.3'><geom size='.1'/></composite></body>",
    "<body name='B0x'><composite type='loop' count='2' spacing='.3'><geom size='.1'/></composite></body>",
    "<body name='B0'><composite type='loop' count='2 2' spacing='.3'><geom size='.1'/></composite></body>",
    "<body name='B0'><composite type='cloth' count='2 2' spacing='.3'><geom size='.1'/></composite></body>",
    "<body name='B0_0'><composite type='cloth' count='2' spacing='.3'><geom size='.1'/></composite></body>",
    "<body name='B0_0'><composite type='cloth' count='2 2' spacing='.3' flatinertia='1'><geom size='.1'/></composite>"
    "<inertial mass='1' pos='0 0 0' diaginertia='1 1 1'/></body>",
    "<composite type='box' count='2 2' spacing='.3'><geom size='.1'/></composite>"
  };
  for (int i = 0; i < CDNI_COUNT(wrong); i++) {
    char text[300];
    snprintf(text, sizeof text, "<worldbody>%s</worldbody>", wrong[i]);
    ck_assert_msg(try_read(text) == CDN_ERR_PARSE, "%s", wrong[i]);
    ck_assert_msg(strstr(spec->log.error.text, "m.xml:2"), "%s", spec->log.error.text);
    done();
  }
}
END_TEST

CHECK_MAIN("io_mjcf_tree", test_cable, test_lattices, test_cables_of_points, test_replicate,
           test_replicate_copies_what_refers_to_it, test_default_classes, test_freejoint_ignores_defaults,
           test_joint_angles, test_limits, test_names_and_order, test_frames, test_include, test_keyframes)
