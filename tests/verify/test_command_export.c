/* `cardan export`: glTF whose numbers are those of the model, poses as `eval` has them, keyframes that are read back to
 * the same bits. */
#define _POSIX_C_SOURCE 200809L
#include "command_run.h"

/* A free body with a hinged arm, a ball joint, a slider. */
static const char model[] =
    "<mujoco><worldbody><geom type='plane' size='1 1 1' contype='0' conaffinity='0'/>"
    "<body name='base' pos='0 0 1'><freejoint name='float'/><geom type='box' size='.2 .1 .3' rgba='1 0 0 .5'/>"
    "<body name='arm' pos='.2 0 0'><joint name='elbow' axis='0 1 0'/><geom type='capsule' fromto='0 0 0 .4 0 0' size='.05'/>"
    "<body name='hand' pos='.4 0 0'><joint name='wrist' type='ball'/><geom type='sphere' size='.08'/>"
    "<body name='rod' pos='0 0 .1'><joint name='slide' type='slide' axis='1 0 0'/><geom type='cylinder' size='.02 .1'/>"
    "</body></body></body></body></worldbody></mujoco>";

static const char state[] = "{\"q\": [0.5, 0.5, -0.5, 0.5, 0.1, 0.2, 1.3, 0.7, 0.6, 0, 0.8, 0, 0.05],"
                            " \"u\": [0.1, 0.2, 0.3, 1, 2, 3, -0.4, 0.5, 0.6, 0.7, -0.8]}";

static void set_up(void) {
  enter_directory();
  write_file("m.xml", model);
  write_file("s.json", state);
}

/* The number of a column. */
static int column(const table *t, const char *name) {
  char header[sizeof t->header];
  int i = 0;
  memcpy(header, t->header, sizeof header);
  for (char *rest = header, *word; (word = strtok_r(rest, ",\n", &rest)) != NULL; i++)
    if (strcmp(word, name) == 0) return i;
  ck_abort_msg("there is no column %s in %s", name, t->header);
}

/* ---- glTF ---------------------------------------------------------------------------------- */

static unsigned char bytes[1 << 22];

static uint32_t word(size_t at) {
  uint32_t x;
  memcpy(&x, bytes + at, 4);
  return x;
}

/* Checks the container and returns its JSON; *block is where the numbers begin. */
static json_t *open_glb(const char *name, size_t *block) {
  FILE *file = fopen(name, "rb");
  ck_assert_msg(file != NULL, "%s was not written", name);
  const size_t n = fread(bytes, 1, sizeof bytes, file);
  fclose(file);
  ck_assert(n < sizeof bytes && n > 20 && memcmp(bytes, "glTF", 4) == 0);
  ck_assert_uint_eq(word(4), 2);
  ck_assert_uint_eq(word(8), n);
  ck_assert(memcmp(bytes + 16, "JSON", 4) == 0 && word(12) % 4 == 0);
  *block = 20 + word(12) + 8;
  ck_assert(memcmp(bytes + *block - 4, "BIN\0", 4) == 0);
  ck_assert_uint_eq(*block + word(*block - 8), n);
  json_t *text = json_loadb((const char *)bytes + 20, word(12), 0, NULL);
  ck_assert_ptr_nonnull(text);
  json_t *buffer = json_array_get(json_object_get(text, "buffers"), 0);
  ck_assert(word(*block - 8) - (size_t)integer(buffer, "byteLength") < 4);
  return text;
}

static json_t *item(json_t *text, const char *list, size_t i) {
  json_t *found = json_array_get(json_object_get(text, list), i);
  ck_assert_msg(found != NULL, "there is no %s %zu", list, i);
  return found;
}

/* The numbers of an accessor, which lie within its view and the block. */
static const float *numbers_of(json_t *text, size_t block, long long i, size_t width, size_t *n) {
  json_t *accessor = item(text, "accessors", (size_t)i),
         *view = item(text, "bufferViews", (size_t)integer(accessor, "bufferView"));
  *n = (size_t)integer(accessor, "count");
  ck_assert_int_eq(integer(accessor, "componentType"), 5126);
  ck_assert_uint_eq((size_t)integer(view, "byteLength"), 4 * width * *n);
  return (const float *)(const void *)(bytes + block + integer(view, "byteOffset"));
}

static size_t find_node(json_t *text, const char *name) {
  for (size_t i = 0; i < json_array_size(json_object_get(text, "nodes")); i++)
    if (strcmp(json_string_value(member(item(text, "nodes", i), "name")), name) == 0) return i;
  ck_abort_msg("there is no node '%s'", name);
}

START_TEST(a_pose_as_gltf) {
  set_up();
  SUCCEEDS("export m.xml --state s.json -o pose.glb");
  size_t block, n;
  json_t *text = open_glb("pose.glb", &block);
  ck_assert_str_eq(json_string_value(member(member(text, "asset"), "version")), "2.0");
  ck_assert_ptr_null(json_object_get(text, "animations"));
  json_t *base = item(text, "nodes", find_node(text, "base"));
  NEAR(element(base, "translation", 3, 0), 0.1, 1e-8);
  NEAR(element(base, "translation", 3, 2), 1.3, 1e-8);
  NEAR(fabs(element(base, "rotation", 4, 3)), 0.5, 1e-8);
  /* the box below it: its corners, its colour */
  json_t *box = item(text, "nodes", (size_t)json_integer_value(json_array_get(member(base, "children"), 0)));
  json_t *part = json_array_get(member(item(text, "meshes", (size_t)integer(box, "mesh")), "primitives"), 0);
  const float *p = numbers_of(text, block, integer(member(part, "attributes"), "POSITION"), 3, &n);
  ck_assert_uint_eq(n, 24);
  for (size_t i = 0; i < n; i++) {
    NEAR(fabs((double)p[3 * i]), 0.2, 1e-7);
    NEAR(fabs((double)p[3 * i + 1]), 0.1, 1e-7);
    NEAR(fabs((double)p[3 * i + 2]), 0.3, 1e-7);
  }
  json_t *material = item(text, "materials", (size_t)integer(part, "material"));
  ck_assert_str_eq(json_string_value(member(material, "alphaMode")), "BLEND");
  /* all indices name a vertex */
  for (size_t m = 0; m < json_array_size(member(text, "meshes")); m++) {
    json_t *q = json_array_get(member(item(text, "meshes", m), "primitives"), 0);
    json_t *accessor = item(text, "accessors", (size_t)integer(q, "indices"));
    json_t *view = item(text, "bufferViews", (size_t)integer(accessor, "bufferView"));
    numbers_of(text, block, integer(member(q, "attributes"), "POSITION"), 3, &n);
    for (long long i = 0; i < integer(accessor, "count"); i++)
      ck_assert_uint_lt(word(block + (size_t)integer(view, "byteOffset") + 4 * (size_t)i), n);
  }
  json_decref(text);
}
END_TEST

START_TEST(a_run_as_gltf) {
  set_up();
  SUCCEEDS("simulate m.xml --initial s.json --duration 1 --report 0.1 -o run.csv --quiet");
  SUCCEEDS("export m.xml run.csv --fps 10 -o run.glb");
  SUCCEEDS("export m.xml run.csv --fps 10 -o run_poses.csv");
  size_t block, n;
  json_t *text = open_glb("run.glb", &block), *run = item(text, "animations", 0);
  const table *t = parse_csv_file("run_poses.csv");
  const size_t node = find_node(text, "hand");
  int found = 0;
  for (size_t c = 0; c < json_array_size(member(run, "channels")); c++) {
    json_t *channel = json_array_get(member(run, "channels"), c), *target = member(channel, "target");
    if ((size_t)integer(target, "node") != node) continue;
    json_t *sampler = json_array_get(member(run, "samplers"), (size_t)integer(channel, "sampler"));
    const bool turns = strcmp(json_string_value(member(target, "path")), "rotation") == 0;
    const float *times = numbers_of(text, block, integer(sampler, "input"), 1, &n);
    ck_assert_uint_eq(n, 11);
    const float *x = numbers_of(text, block, integer(sampler, "output"), turns ? 4 : 3, &n);
    ck_assert_uint_eq(n, 11);
    for (int i = 0; i < 11; i++) {
      NEAR((double)times[i], 0.1 * i, 1e-6);
      const int first = column(t, "hand.px");
      double dot = 0;
      for (int k = 0; k < 3 && !turns; k++) NEAR((double)x[3 * i + k], t->value[i][first + k], 1e-6);
      for (int k = 0; k < 4 && turns; k++) dot += (double)x[4 * i + k] * t->value[i][first + (k < 3 ? 4 + k : 3)];
      if (turns) NEAR(fabs(dot), 1, 1e-6);
      for (int k = 0; turns && i > 0 && k == 0; k++) { /* the short way from frame to frame */
        double along = 0;
        for (int l = 0; l < 4; l++) along += (double)x[4 * i + l] * (double)x[4 * (i - 1) + l];
        ck_assert(along > 0);
      }
    }
    found++;
  }
  ck_assert_int_eq(found, 2);
  json_decref(text);
}
END_TEST

/* ---- poses and keyframes ------------------------------------------------------------------- */

START_TEST(poses_are_those_of_eval) {
  set_up();
  SUCCEEDS("export m.xml --state s.json -o poses.csv");
  const table *t = parse_csv_file("poses.csv");
  ck_assert_int_eq(t->rows, 1);
  SUCCEEDS("eval m.xml --state s.json --json");
  json_t *eval = parse(output), *bodies = member(eval, "bodies");
  bool found = false;
  for (size_t i = 0; i < json_array_size(bodies); i++) {
    json_t *body = json_array_get(bodies, i);
    if (strcmp(json_string_value(member(body, "name")), "rod") != 0) continue;
    found = true;
    for (int k = 0; k < 3; k++)
      NEAR(t->value[0][column(t, "rod.px") + k], element(member(body, "X_GB"), "p", 3, (size_t)k), 1e-15);
  }
  ck_assert(found);
  json_decref(eval);
}
END_TEST

/* The exported keyframe, included by the model, sets the same state. */
START_TEST(a_keyframe_comes_back) {
  set_up();
  SUCCEEDS("export m.xml --state s.json -o key.xml");
  char text[2000];
  snprintf(text, sizeof text, "%.*s<include file='key.xml'/></mujoco>", (int)(sizeof model - 1 - strlen("</mujoco>")),
           model);
  write_file("with_key.xml", text);
  SUCCEEDS("eval m.xml --state s.json --json");
  json_t *a = parse(output);
  SUCCEEDS("eval with_key.xml --key exported --json");
  json_t *b = parse(output);
  for (size_t i = 0; i < 13; i++)
    NEAR(element(a, "q", 13, i), element(b, "q", 13, i), 2.3e-16); /* quaternions are normalized */
  for (size_t i = 0; i < 11; i++) NEAR(element(a, "u", 11, i), element(b, "u", 11, i), 4e-16);
  json_decref(a);
  json_decref(b);
}
END_TEST

START_TEST(what_cannot_be_exported_is_said) {
  set_up();
  EXITS(2, "export m.xml");
  SAYS(errors, ".glb");
  EXITS(2, "export m.xml -o a.obj");
  EXITS(2, "export m.xml -o m.xml");
  SAYS(errors, "overwritten");
  EXITS(2, "export ghost.urdf -o a.xml");
  SAYS(errors, "MJCF");
  EXITS(2, "export m.xml --time 1 -o a.xml");
  EXITS(3, "export m.xml nothing.csv -o a.glb");
  EXITS(4, "export m.xml -o nowhere/a.glb");
  EXITS(4, "export m.xml -o nowhere/a.csv");
}
END_TEST

CHECK_MAIN("export", a_pose_as_gltf, a_run_as_gltf, poses_are_those_of_eval, a_keyframe_comes_back,
           what_cannot_be_exported_is_said)
