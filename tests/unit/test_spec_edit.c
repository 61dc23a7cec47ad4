/* Specs that are attached, detached and cut: what is attached is as if one file had it, what is detached is as before,
 * and what is deleted takes along what refers to it. */
#include "spec_dump.h"

#include <stdio.h>

#include "io/joints.h"
#include "io/spec_references.h"

static const char arm[] =
    "<mujoco model='arm'><option gravity='0 0 -9.81' timestep='0.001'/>"
    "<asset><material name='grey' rgba='.5 .5 .5 1'/></asset>"
    "<worldbody><geom name='floor' type='plane' size='2 2 1'/><light name='sun' pos='0 0 3'/>"
    "<body name='upper' pos='0 0 1'><joint name='shoulder' type='ball' damping='.2'/>"
    "<geom name='upper' type='capsule' fromto='0 0 0 .4 0 0' size='.03' mass='2' material='grey'/>"
    "<body name='lower' pos='.4 0 0'><joint name='elbow' axis='0 1 0' range='-2 2' limited='true'/>"
    "<geom name='lower' type='capsule' fromto='0 0 0 .3 0 0' size='.02' mass='1'/>"
    "<site name='tool' pos='.3 .01 .02' euler='10 20 30'/>%s</body></body></worldbody>"
    "%s"
    "<actuator><motor name='elbow' joint='elbow'/>%s</actuator>"
    "<sensor><jointpos name='elbow' joint='elbow'/>%s</sensor>"
    "<keyframe>%s</keyframe></mujoco>";
static const char arm_key[] = "<key name='bent' time='1' qpos='1 0 0 0 .5' qvel='.1 .2 .3 .4' ctrl='2'/>";

/* The gripper's parts, with P before names and W for what its file calls world; also as they are in the flat file. */
static const char bodies[] =
    "<geom name='Pguard' type='box' size='.02 .02 .005' pos='0 0 .03' mass='0' group='3'/>"
    "<site name='Pbase' pos='.01 0 0' euler='0 0 90'/><camera name='Peye' pos='0 .1 0' euler='90 0 0'/>"
    "<light name='Plamp' pos='0 0 .2' dir='1 0 -1' mode='targetbody' target='Pleft'/>"
    "<body name='Ppalm' pos='.02 0 .01' euler='0 15 0'>"
    "<geom name='Ppalm' type='mesh' mesh='Phull' mass='.3' material='Pblue'/><site name='Ptip' pos='.05 0 0'/>"
    "<body name='Pleft' pos='0 .03 0'><joint name='Pleft' axis='0 0 1'/><joint name='Pslide' type='slide' axis='1 0 0'/>"
    "<geom name='Pleft' type='box' size='.03 .005 .01' pos='.03 0 0' mass='.1'/><site name='Plefttip' pos='.06 0 0'/></body>"
    "<body name='Pright' pos='0 -.03 0'><joint name='Pright' axis='0 0 1' stiffness='1'/>"
    "<geom name='Pright' type='box' size='.03 .005 .01' pos='.03 0 0' mass='.1'/><site name='Prighttip' pos='.06 0 0'/></body>"
    "</body>";
static const char assets[] =
    "<asset><mesh name='Phull' vertex='0 0 0 .05 0 0 0 .05 0 0 0 .05 .05 .05 .05'/>"
    "<texture name='Pchecks' type='2d' builtin='checker' width='8' height='8'/><material name='Pblue' texture='Pchecks'/></asset>"
    "<contact><exclude name='Papart' body1='Pleft' body2='Pright'/><exclude name='Ponbody' body1='W' body2='Pleft'/>"
    "<pair name='Ptouch' geom1='Pleft' geom2='Pright'/></contact>"
    "<equality><joint name='Pmirror' joint1='Pright' joint2='Pleft' polycoef='0 -1 0 0 0'/>"
    "<connect name='Pheld' body1='Pleft' body2='W' anchor='.06 0 0' active='false'/></equality>"
    "<tendon><fixed name='Psum' limited='true' range='-1 1'><joint joint='Pleft' coef='1'/><joint joint='Pright' coef='2'/></fixed>"
    "<spatial name='Pcord' stiffness='3'><site site='Plefttip'/><geom geom='Pguardball' sidesite='Pbase'/><site site='Prighttip'/>"
    "</spatial></tendon>";
static const char ball[] =
    "<geom name='Pguardball' type='sphere' size='.005' pos='.03 0 0' contype='0' conaffinity='0' mass='0'/>";
static const char drives[] =
    "<position name='Pgrip' joint='Pleft' kp='20'/><general name='Ppush' site='Ptip' refsite='Pbase' gear='1 0 0 0 0 0'/>"
    "<motor name='Pcord' tendon='Pcord'/>";
static const char senses[] =
    "<jointvel name='Pspeed' joint='Pleft'/><accelerometer name='Pacc' site='Pbase'/><framepos name='Pwhere' objtype='site' objname='Ptip'/>"
    "<framequat name='Prel' objtype='body' objname='Pleft' reftype='site' refname='Pbase'/><tendonpos name='Plong' tendon='Pcord'/>"
    "<actuatorfrc name='Pforce' actuator='Pgrip'/><subtreecom name='Pcom' body='Ppalm'/><touch name='Pfeel' site='Plefttip'/>"
    "<distance name='Pgap' geom1='Pleft' geom2='Pright' cutoff='1'/><clock name='Pclock'/>";

/* Writes `text` with P and W replaced; a quote or a space is before the letter, and a small letter behind P. */
static void put(char *to, const char *text, const char *prefix, const char *world) {
  for (const char *c = text; *c; c++) {
    if (*c == 'P' && c[-1] == '\'') to += sprintf(to, "%s", prefix);
    else if (*c == 'W' && c[-1] == '\'' && c[1] == '\'') to += sprintf(to, "%s", world);
    else *to++ = *c;
  }
  *to = 0;
}

static cdn_spec *load_arm(void) {
  char text[9000];
  snprintf(text, sizeof text, arm, "", "", "", "", arm_key);
  return spec_of(text, "arm.xml");
}

static void write_gripper(const char *options, char text[16000]) {
  char body[4000], asset[4000], drive[2000], sense[3000], world[400];
  put(body, bodies, "", "world"), put(asset, assets, "", "world"), put(drive, drives, "", "world");
  put(sense, senses, "", "world"), put(world, ball, "", "world");
  snprintf(text, 16000,
           "<mujoco model='gripper'>%s<worldbody>%s%s</worldbody>%s<actuator>%s</actuator><sensor>%s</sensor>"
           "<keyframe><key name='open' qpos='.1 .02 .3' ctrl='1 2 3'/></keyframe></mujoco>",
           options, world, body, asset, drive, sense);
}

static cdn_spec *load_gripper(const char *options) {
  char text[16000];
  write_gripper(options, text);
  return spec_of(text, "gripper.xml");
}

/* The reader's way: <attach> of MJCF. */
static cdn_status give_gripper(void *user, const char *path, const void **bytes, size_t *size) {
  if (strcmp(path, "gripper.xml") != 0) return CDN_ERR_FILE;
  *bytes = user, *size = strlen(user);
  return CDN_OK;
}

static cdn_spec *load_attaching(void) {
  static const char frame[] = "<frame pos='.3 .01 .02' euler='10 20 30'><attach model='grip' prefix='g_'/></frame>";
  char child[16000], text[9000];
  cdn_model_options options = cdn_default_model_options();
  cdn_spec *spec;
  cdn_error error;
  write_gripper("", child);
  options.read_file = give_gripper, options.read_file_user = child;
  snprintf(text, sizeof text, arm, frame, "<asset><model name='grip' file='gripper.xml'/></asset>", "", "", arm_key);
  const cdn_status status = cdn_spec_load_string(text, strlen(text), "arm.xml", &options, &spec);
  cdn_spec_last_error(spec, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  return spec;
}

/* What one file has: the gripper in a frame at the tool's place. */
static cdn_spec *load_flat(void) {
  char body[4000], asset[4000], drive[2000], sense[3000], world[400], frame[5000], keys[400], text[20000];
  put(body, bodies, "g_", "lower"), put(asset, assets, "g_", "lower"), put(drive, drives, "g_", "lower");
  put(sense, senses, "g_", "lower"), put(world, ball, "g_", "lower");
  snprintf(frame, sizeof frame, "<frame pos='.3 .01 .02' euler='10 20 30'>%s%s</frame>", world, body);
  snprintf(keys, sizeof keys, "%s<key name='g_open' qpos='1 0 0 0 0 .1 .02 .3' ctrl='0 1 2 3'/>", arm_key);
  snprintf(text, sizeof text, arm, frame, asset, drive, sense, keys);
  return spec_of(text, "arm.xml");
}

static void count_told(void *context, const char *what) {
  ck_assert(strlen(what) > 5);
  ++*(int *)context;
}

static void attach(cdn_spec *spec, const cdn_spec *child, const char *frame, const char *prefix) {
  cdn_attach_def def = cdn_default_attach_def();
  cdn_error error;
  def.frame = frame, def.prefix = prefix;
  const cdn_status status = cdn_spec_attach(spec, child, &def);
  cdn_spec_last_error(spec, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
}

/* ---- as one file has it ---------------------------------------------------------------------- */

static bool is_key_list(const io_field *f) { return f->type == IO_FIELD_LIST; }

/* Names of frames between several joints have the joint's, which has no prefix then. */
static const char *plain(const char *text, char *to) {
  const char *after = text ? strstr(text, "(after g_") : NULL;
  if (after) sprintf(to, "%.*s(after %s", (int)(after - text), text, after + 9);
  return after ? to : text;
}

/* In <attach>, as in MuJoCo, an element that names the world means that of the whole; cdn_spec_attach puts it on the
 * body, as one file would that has the body's name there. */
static bool world_stays;

static bool same_texts(const io_field *f, const void *a, const void *b) {
  const char *const *x = io_field_at(f, a), *const *y = io_field_at(f, b);
  char p[200], q[200];
  for (int k = 0; f->type == IO_FIELD_TEXT && k < f->count; k++)
    if (!(world_stays && x[k] && !y[k] && strcmp(x[k], "lower") == 0) &&
        (!x[k] != !y[k] || (x[k] && strcmp(plain(x[k], p), plain(y[k], q)) != 0)))
      return false;
  return f->type == IO_FIELD_TEXT;
}

/* Turned frames are products of the same matrices in another order: rounding of lengths of a metre. */
static void near(const io_element_kind *kind, int i, const void *a, const void *b) {
  for (int k = 0; k < kind->n_fields; k++) {
    const io_field *f = &kind->fields[k];
    /* items of tendons have names for messages alone, by kind and number */
    const bool message = k == 0 && kind == &io_element_kinds()[CDN_SPEC_PATH_ITEM];
    const bool held = world_stays && strcmp(kind->word, "constraint") == 0 && strcmp(f->name, "X_B") == 0;
    if (message || held || io_field_equal(f, a, b) || same_texts(f, a, b)) continue;
    const int n = io_field_count(f, a); /* a key may end with the joints that its own file had */
    ck_assert_msg(f->type == IO_FIELD_NUMBER || is_key_list(f), "%s %d: %s", kind->word, i, f->name);
    ck_assert_int_le(n, io_field_count(f, b));
    /* of frames that are connected the origins alone count */
    const bool origin = f->name[0] == 'X' && strcmp(kind->word, "constraint") == 0 &&
                        ((const cdn_spec_constraint *)a)->kind == CDN_SPEC_CONNECT;
    for (int j = origin ? 9 : 0; j < n; j++)
      ck_assert_msg(fabs(io_field_numbers(f, a)[j] - io_field_numbers(f, b)[j]) <= 4e-16, "%s %d: %s: %.17g %.17g",
                    kind->word, i, f->name, io_field_numbers(f, a)[j], io_field_numbers(f, b)[j]);
  }
}

static void same_udot(const cdn_spec *a, const cdn_spec *b, double slack) {
  const cdn_spec *specs[] = { a, b };
  cdn_model *models[2];
  cdn_state *states[2];
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_SOFT;
  for (int k = 0; k < 2; k++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_error error;
    const cdn_status status = cdn_model_build(specs[k], &options, system, &models[k]);
    cdn_model_last_error(models[k], &error);
    ck_assert_msg(status == CDN_OK, "%s", error.text);
    OK_FREEZE(system);
    OK(cdn_state_create(system, &states[k]));
    cdn_system_release(system);
    OK(cdn_model_set_key(models[k], "g_open", states[k]));
    for (int i = 0; i < cdn_system_nu(system); i++) {
      const double u = 0.1 * (i + 1);
      OK(cdn_state_set_slots(states[k], CDN_POOL_U, i, 1, &u));
    }
    OK_ON(states[k], cdn_realize(states[k], CDN_STAGE_ACCELERATION));
  }
  const int n = cdn_system_nu(cdn_state_system(states[0]));
  ck_assert_int_eq(n, cdn_system_nu(cdn_state_system(states[1])));
  for (int i = 0; i < n; i++) {
    const double x = cdn_state_udot(states[0])[i], y = cdn_state_udot(states[1])[i];
    ck_assert_msg(fabs(x - y) <= slack * fmax(1, fabs(y)), "udot %d: %.17g %.17g", i, x, y);
  }
  for (int k = 0; k < 2; k++) cdn_state_destroy(states[k]), cdn_model_destroy(models[k]);
}

static void same_elements(const cdn_spec *spec, const cdn_spec *flat) {
  for (int which = 0; which < CDN_SPEC_KIND_COUNT; which++) {
    const io_element_kind *kind = &io_element_kinds()[which];
    const cdn_spec_kind k = (cdn_spec_kind)which;
    ck_assert_msg(cdn_spec_count(spec, k) == cdn_spec_count(flat, k), "%s: %d %d", kind->plural,
                  cdn_spec_count(spec, k), cdn_spec_count(flat, k));
    for (int i = 0; i < cdn_spec_count(flat, k); i++) {
      /* in the order of the elements, but for those of the world, which a file has after its bodies' */
      char text[200];
      const char *name = plain(io_element_name(flat, k, i), text);
      const int other = which == CDN_SPEC_PATH_ITEM ? i : cdn_spec_find(spec, k, name);
      ck_assert_msg(other >= 0, "%s '%s'", kind->word, name);
      near(kind, i, io_spec_element(spec, k, other), io_spec_element(flat, k, i));
    }
  }
}

START_TEST(test_attached_is_as_written_in_one_file) {
  cdn_spec *spec = load_arm(), *child = load_gripper(""), *flat = load_flat(), *read = load_attaching();
  attach(spec, child, "tool", "g_");
  same_elements(spec, flat);
  same_udot(spec, flat, 1e-11); /* the arm's inertia is 1e4 times that of a finger */
  world_stays = true;
  same_elements(spec, read);
  same_udot(spec, read, 1e-11);
  world_stays = false;
  cdn_spec_destroy(spec), cdn_spec_destroy(child), cdn_spec_destroy(flat), cdn_spec_destroy(read);
}
END_TEST

/* ---- there and back -------------------------------------------------------------------------- */

START_TEST(test_detached_is_as_before) {
  cdn_spec *spec = load_arm(), *child = load_gripper("<option gravity='0 0 -1'/>"), *out;
  char *parent = spec_dump(spec), *own = spec_dump(child);
  for (int again = 0; again < 2; again++) {
    attach(spec, child, "tool", "g_");
    ck_assert_int_eq(cdn_spec_attached_count(spec), 1);
    same_spec_dump(child, own);
    OK(cdn_spec_detach(spec, "g_", NULL, NULL, NULL, &out));
    ck_assert_int_eq(cdn_spec_attached_count(spec), 0);
    same_spec_dump(spec, parent);
    same_spec_dump(out, own);
    cdn_spec_destroy(child);
    child = out;
  }
  cdn_spec_destroy(spec), cdn_spec_destroy(child), free(parent), free(own);
}
END_TEST

START_TEST(test_nested) {
  cdn_spec *spec = load_arm(), *child = load_gripper(""), *grand = load_gripper("<option timestep='.01'/>"), *out,
           *inner;
  char *parent = spec_dump(spec), *middle, *leaf = spec_dump(grand);
  attach(child, grand, "tip", "in_");
  middle = spec_dump(child);
  attach(spec, child, "tool", "out_");
  ck_assert_int_eq(cdn_spec_attached_count(spec), 2);
  ck_assert_int_ge(cdn_spec_find(spec, CDN_SPEC_BODY, "out_in_palm"), 0);
  OK(cdn_spec_detach(spec, "out_", NULL, NULL, NULL, &out));
  same_spec_dump(spec, parent);
  same_spec_dump(out, middle);
  OK(cdn_spec_detach(out, "in_", NULL, NULL, NULL, &inner));
  same_spec_dump(inner, leaf);
  cdn_spec_destroy(inner);
  attach(spec, child, "tool", "out_"); /* from the inside first */
  OK(cdn_spec_detach(spec, "out_in_", NULL, NULL, NULL, &inner));
  same_spec_dump(inner, leaf);
  cdn_spec_destroy(inner);
  OK(cdn_spec_detach(spec, "out_", NULL, NULL, NULL, &inner));
  same_spec_dump(spec, parent);
  char *bare = spec_dump(out);
  same_spec_dump(inner, bare);
  cdn_spec_destroy(spec), cdn_spec_destroy(child), cdn_spec_destroy(grand), cdn_spec_destroy(out),
      cdn_spec_destroy(inner);
  free(parent), free(middle), free(leaf), free(bare);
}
END_TEST

/* A spec to itself, as a copy; a file does not know what was attached, and names tell. */
START_TEST(test_to_itself_and_through_a_file) {
  cdn_spec *spec = load_gripper(""), *out, *read;
  char *own = spec_dump(spec);
  attach(spec, spec, "tip", "more_");
  ck_assert_int_ge(cdn_spec_find(spec, CDN_SPEC_SHAPE, "more_left"), 0);
  char *both = spec_dump(spec);
  read = spec_of(both, "both.json");
  same_spec_dump(read, both);
  OK(cdn_spec_detach(spec, "more_", NULL, NULL, NULL, &out));
  same_spec_dump(spec, own);
  same_spec_dump(out, own);
  cdn_spec_destroy(out);
  const cdn_status status = cdn_spec_detach(read, "more_", NULL, NULL, NULL, &out);
  cdn_error error;
  cdn_spec_last_error(read, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  same_spec_dump(read, own);
  ck_assert_int_eq(cdn_spec_find(out, CDN_SPEC_BODY, "palm"), 0);
  ck_assert_ptr_null(io_spec_joint(out, 0)->parent);
  ck_assert_int_eq(cdn_spec_count(out, CDN_SPEC_PATH_ITEM), cdn_spec_count(spec, CDN_SPEC_PATH_ITEM));
  cdn_spec_destroy(spec), cdn_spec_destroy(out), cdn_spec_destroy(read), free(own), free(both);
}
END_TEST

START_TEST(test_additions_go_along) {
  cdn_spec *spec = load_arm(), *child = load_gripper(""), *out;
  int told = 0;
  attach(spec, child, "tool", "g_");
  cdn_spec_shape shape = cdn_default_spec_shape();
  shape.name = "g_nail", shape.body = "g_left", shape.size[0] = 0.01;
  OK(cdn_spec_add_shape(spec, &shape, NULL));
  shape.name = "sticker";
  OK(cdn_spec_add_shape(spec, &shape, NULL));
  cdn_spec_sensor sensor = cdn_default_spec_sensor();
  sensor.name = "g_both", sensor.kind = CDN_SENSOR_DISTANCE, sensor.side_a = sensor.side_b = CDN_SIDE_BODY;
  sensor.name_a = "g_left", sensor.name_b = "upper";
  OK(cdn_spec_add_sensor(spec, &sensor, NULL));
  OK(cdn_spec_detach(spec, "g_", NULL, count_told, &told, &out));
  ck_assert_int_eq(told, 2); /* the sticker and the sensor */
  ck_assert_int_ge(cdn_spec_find(out, CDN_SPEC_SHAPE, "nail"), 0);
  ck_assert_int_eq(cdn_spec_find(spec, CDN_SPEC_SHAPE, "sticker"), -1);
  ck_assert_int_eq(cdn_spec_find(spec, CDN_SPEC_SENSOR, "g_both"), -1);
  cdn_spec_destroy(spec), cdn_spec_destroy(child), cdn_spec_destroy(out);
}
END_TEST

/* ---- a body of the child --------------------------------------------------------------------- */

START_TEST(test_a_body_alone) {
  cdn_spec *spec = load_arm(), *child = load_gripper("");
  cdn_attach_def def = cdn_default_attach_def();
  def.body = "lower", def.suffix = "_b", def.child_body = "left";
  OK(cdn_spec_attach(spec, child, &def));
  ck_assert_int_ge(cdn_spec_find(spec, CDN_SPEC_BODY, "left_b"), 0);
  ck_assert_int_eq(cdn_spec_find(spec, CDN_SPEC_BODY, "palm_b"), -1);
  ck_assert_int_eq(cdn_spec_find(spec, CDN_SPEC_BODY, "right_b"), -1);
  ck_assert_int_eq(cdn_spec_find(spec, CDN_SPEC_SHAPE, "guard_b"), -1);
  ck_assert_int_eq(cdn_spec_find(spec, CDN_SPEC_TENDON, "sum_b"), -1);
  ck_assert_int_eq(cdn_spec_find(spec, CDN_SPEC_CONTACT, "apart_b"), -1);
  const int grip = cdn_spec_find(spec, CDN_SPEC_ACTUATOR, "grip_b"), key = cdn_spec_find(spec, CDN_SPEC_KEY, "open_b");
  const int joint = cdn_spec_find(spec, CDN_SPEC_JOINT, "left_b");
  ck_assert_int_ge(grip, 0);
  ck_assert_str_eq(io_spec_actuator(spec, grip)->joint, "left_b");
  ck_assert_str_eq(io_spec_joint(spec, joint)->parent, "lower"); /* both joints come along */
  ck_assert_int_ge(cdn_spec_find(spec, CDN_SPEC_JOINT, "slide_b"), 0);
  ck_assert_int_eq(io_spec_key(spec, key)->nq, 4 + 1 + 2);
  ck_assert(io_spec_key(spec, key)->q[0] == 1 && io_spec_key(spec, key)->q[5] == 0.1 &&
            io_spec_key(spec, key)->q[6] == 0.02);
  ck_assert_int_eq(io_spec_key(spec, key)->n_actuators, 2);
  ck_assert(io_spec_key(spec, key)->controls[1] == 1);
  def.child_body = "nobody";
  FAILS(cdn_spec_attach(spec, child, &def), CDN_ERR_ARG);
  cdn_spec_destroy(spec), cdn_spec_destroy(child);
}
END_TEST

/* ---- mistakes -------------------------------------------------------------------------------- */

static void expect(cdn_spec *spec, const char *words) {
  cdn_error error;
  cdn_spec_last_error(spec, &error);
  ck_assert_msg(strstr(error.text, words), "%s", error.text);
}

START_TEST(test_mistakes_are_named) {
  cdn_spec *spec = load_arm(), *child = load_gripper("<option timestep='.005'/>"), *out;
  char *before = spec_dump(spec);
  cdn_attach_def def = cdn_default_attach_def();
  int told = 0;
  def.body = "nobody";
  FAILS(cdn_spec_attach(spec, child, &def), CDN_ERR_ARG);
  expect(spec, "'nobody'");
  def.body = NULL, def.frame = "nowhere";
  FAILS(cdn_spec_attach(spec, child, &def), CDN_ERR_ARG);
  expect(spec, "'nowhere'");
  def.frame = NULL, def.X_BA.p.x = NAN;
  FAILS(cdn_spec_attach(spec, child, &def), CDN_ERR_NONFINITE);
  def.X_BA.p.x = 0;
  FAILS(cdn_spec_attach(spec, spec, &def), CDN_ERR_ARG); /* without a prefix */
  expect(spec, "another prefix");
  FAILS(cdn_spec_attach(spec, NULL, &def), CDN_ERR_ARG);
  FAILS(cdn_spec_attach(NULL, child, &def), CDN_ERR_ARG);
  FAILS(cdn_spec_attach(spec, child, NULL), CDN_ERR_VERSION);
  FAILS(cdn_spec_detach(spec, "g_", NULL, NULL, NULL, &out), CDN_ERR_ARG);
  ck_assert_ptr_null(out);
  FAILS(cdn_spec_detach(spec, NULL, NULL, NULL, NULL, &out), CDN_ERR_ARG);
  FAILS(cdn_spec_detach(NULL, "g_", NULL, NULL, NULL, &out), CDN_ERR_ARG);
  FAILS(cdn_spec_detach(spec, "g_", NULL, NULL, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_spec_delete(NULL, CDN_SPEC_BODY, 0, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_spec_delete(spec, CDN_SPEC_BODY, 99, NULL, NULL), CDN_ERR_ARG);
  FAILS(cdn_spec_delete(spec, CDN_SPEC_KIND_COUNT, 0, NULL, NULL), CDN_ERR_ARG);
  same_spec_dump(spec, before);
  def.prefix = "g_", def.tell = count_told, def.context = &told;
  OK(cdn_spec_attach(spec, child, &def));
  ck_assert_int_eq(told, 1); /* the time step */
  FAILS(cdn_spec_attach(spec, child, &def), CDN_ERR_ARG);
  expect(spec, "'g_palm'");
  cdn_attached what;
  OK(cdn_spec_attached(spec, 0, &what));
  ck_assert_str_eq(what.name, "gripper");
  ck_assert_str_eq(what.prefix, "g_");
  FAILS(cdn_spec_attached(spec, 1, &what), CDN_ERR_ARG);
  /* what goes refers to what stays */
  const int i = cdn_spec_find(spec, CDN_SPEC_SHAPE, "g_left");
  cdn_spec_shape shape;
  OK(cdn_spec_get_shape(spec, i, &shape));
  shape.asset = "grey";
  OK(cdn_spec_set_shape(spec, i, &shape));
  char *attached = spec_dump(spec);
  FAILS(cdn_spec_detach(spec, "g_", NULL, NULL, NULL, &out), CDN_ERR_ARG);
  expect(spec, "'grey'");
  same_spec_dump(spec, attached);
  cdn_spec_destroy(spec), cdn_spec_destroy(child), free(before), free(attached);
}
END_TEST

/* ---- deleting -------------------------------------------------------------------------------- */

/* Nothing refers to anything that is not there. */
static void is_whole(const cdn_spec *spec) {
  io_spec_index index;
  OK(io_spec_index_make(spec, &index));
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++) {
    const io_reference *r;
    const int n = io_references((cdn_spec_kind)kind, &r);
    for (int i = 0; i < cdn_spec_count(spec, (cdn_spec_kind)kind); i++)
      for (int k = 0; k < n; k++) {
        int to, other;
        const void *element = io_spec_element(spec, (cdn_spec_kind)kind, i);
        const char *text = io_reference_text(&r[k], element);
        ck_assert_msg(!text || r[k].label || io_reference_find(&index, &r[k], element, &to, &other) ||
                          io_is_ground(&index, text),
                      "%s %d: '%s'", io_element_kinds()[kind].word, i, text);
      }
  }
  io_spec_index_free(spec, &index);
}

START_TEST(test_deleting_takes_along) {
  cdn_spec *spec = load_gripper("");
  int told = 0;
  OK(cdn_spec_delete(spec, CDN_SPEC_BODY, cdn_spec_find(spec, CDN_SPEC_BODY, "left"), count_told, &told));
  is_whole(spec);
  ck_assert_int_ge(told, 15);
  ck_assert_int_eq(cdn_spec_find(spec, CDN_SPEC_JOINT, "left"), -1);
  ck_assert_int_eq(cdn_spec_find(spec, CDN_SPEC_TENDON, "cord"), -1);
  ck_assert_int_eq(cdn_spec_count(spec, CDN_SPEC_PATH_ITEM), 0);
  ck_assert_int_eq(cdn_spec_find(spec, CDN_SPEC_ACTUATOR, "grip"), -1);
  ck_assert_int_ge(cdn_spec_find(spec, CDN_SPEC_ACTUATOR, "push"), 0);
  ck_assert_int_ge(cdn_spec_find(spec, CDN_SPEC_SENSOR, "com"), 0);
  const cdn_spec_key *key = io_spec_key(spec, 0);
  ck_assert(key->nq == 1 && key->q[0] == 0.3 && key->n_actuators == 1 && key->controls[0] == 2);
  OK(cdn_spec_delete(spec, CDN_SPEC_ASSET, cdn_spec_find(spec, CDN_SPEC_ASSET, "checks"), NULL, NULL));
  const cdn_spec_shape *palm = io_spec_shape(spec, cdn_spec_find(spec, CDN_SPEC_SHAPE, "palm"));
  ck_assert_str_eq(palm->material, "blue"); /* which has no texture now */
  OK(cdn_spec_delete(spec, CDN_SPEC_ASSET, cdn_spec_find(spec, CDN_SPEC_ASSET, "hull"), NULL, NULL));
  ck_assert_int_eq(cdn_spec_find(spec, CDN_SPEC_SHAPE, "palm"), -1);
  OK(cdn_spec_delete(spec, CDN_SPEC_BODY, cdn_spec_find(spec, CDN_SPEC_BODY, "palm"), NULL, NULL));
  is_whole(spec);
  ck_assert_int_eq(cdn_spec_count(spec, CDN_SPEC_BODY), 0);
  ck_assert_int_eq(cdn_spec_count(spec, CDN_SPEC_JOINT), 0);
  cdn_spec_destroy(spec);
}
END_TEST

/* Each text of an element is a reference, or no name of anything. */
START_TEST(test_every_text_is_known) {
  static const char *const free_texts[] = { "name", "file", "side_file", "unit" };
  for (int which = 0; which < CDN_SPEC_KIND_COUNT; which++) {
    const io_element_kind *kind = &io_element_kinds()[which];
    const io_reference *r;
    const int n = io_references((cdn_spec_kind)which, &r);
    for (int k = 0; k < kind->n_fields; k++) {
      const io_field *f = &kind->fields[k];
      if (f->type != IO_FIELD_TEXT) continue;
      bool known = false;
      for (size_t i = 0; i < sizeof free_texts / sizeof *free_texts; i++) known |= strcmp(f->name, free_texts[i]) == 0;
      for (int at = 0; at < f->count && !known; at++) {
        bool found = false;
        for (int i = 0; i < n; i++) found |= r[i].text == f->offset + (size_t)at * sizeof(char *);
        ck_assert_msg(found, "%s: %s", kind->word, f->name);
      }
    }
  }
}
END_TEST

CHECK_MAIN("spec_edit", test_attached_is_as_written_in_one_file, test_detached_is_as_before, test_nested,
           test_to_itself_and_through_a_file, test_additions_go_along, test_a_body_alone, test_mistakes_are_named,
           test_deleting_takes_along, test_every_text_is_known)
