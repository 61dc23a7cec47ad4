/* Random edits of specs: nothing crashes, a failure leaves the spec as it was, and whatever can be built is the same
 * after it was written and read. */
#include "spec_dump.h"

#include <stdio.h>
#include <stdlib.h>

#include "io/joints.h"

static uint32_t seed;
static int draw(int n) {
  seed = seed * 1664525u + 1013904223u;
  return n > 0 ? (int)((seed >> 8) % (uint32_t)n) : 0;
}

static const char *const files[] = {
  "gripper.xml", "pendulum.xml", "walker.xml", "puppet.xml", "arm.urdf", "press.xml"
};
enum { FILES = sizeof files / sizeof *files };

static cdn_spec *load(int which) {
  char path[300];
  const char *root = getenv("CARDAN_SOURCE_ROOT");
  cdn_spec *spec;
  snprintf(path, sizeof path, "%s/examples/models/%s", root ? root : ".", files[which]);
  OK(cdn_spec_load(path, NULL, &spec));
  return spec;
}

static bool builds(const cdn_spec *spec, int *bodies) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_model_options options = cdn_default_model_options();
  cdn_model *model;
  options.contact = CDN_MODEL_NO_CONTACT; /* meshes are not read */
  const bool good = cdn_model_build(spec, &options, system, &model) == CDN_OK && cdn_system_freeze(system) == CDN_OK;
  *bodies = good ? cdn_system_body_count(system) : 0;
  cdn_model_destroy(model), cdn_system_release(system);
  return good;
}

static const char *some_name(const cdn_spec *spec, cdn_spec_kind kind) {
  static char name[200];
  const int n = cdn_spec_count(spec, kind);
  if (n == 0 || draw(6) == 0) return NULL;
  io_any_element element;
  io_element_kinds()[kind].start(&element);
  OK(io_element_kinds()[kind].get(spec, draw(n), &element));
  const char *found = *(const char *const *)io_field_at(&io_element_kinds()[kind].fields[0], &element);
  snprintf(name, sizeof name, "%s", found ? found : "");
  return name;
}

static const char *const prefixes[] = { "", "a", "a_", "b_", "left ", "arm", "Ground" };
enum { PREFIXES = sizeof prefixes / sizeof *prefixes };

static void attach(cdn_spec *spec, cdn_spec *const *library) {
  const int which = draw(FILES + 1);
  const cdn_spec *child = which == FILES ? spec : library[which];
  cdn_attach_def def = cdn_default_attach_def();
  char body[200], part[200];
  if (cdn_spec_count(spec, CDN_SPEC_BODY) + cdn_spec_count(child, CDN_SPEC_BODY) > 80) return;
  const char *name = some_name(spec, CDN_SPEC_BODY);
  if (name) def.body = strcpy(body, name);
  name = draw(3) ? NULL : some_name(child, CDN_SPEC_BODY);
  if (name) def.child_body = strcpy(part, name);
  if (draw(4) == 0) def.frame = some_name(spec, CDN_SPEC_FRAME);
  def.prefix = prefixes[draw(PREFIXES)];
  if (draw(3) == 0) def.suffix = prefixes[draw(PREFIXES)];
  if (draw(2))
    def.X_BA = (cdn_transform){ cdn_rotation_axis_angle(cdn_v3(1, draw(3), 2), draw(6)), cdn_v3(draw(3), 0, 1) };
  char *before = spec_dump(spec);
  if (cdn_spec_attach(spec, child, &def) != CDN_OK) {
    char *after = spec_dump(spec);
    ck_assert_str_eq(before, after);
    free(after);
  } else if (draw(2) && (def.prefix[0] || (def.suffix && def.suffix[0]))) {
    cdn_spec *out;
    OK(cdn_spec_detach(spec, def.prefix, def.suffix, NULL, NULL, &out));
    char *after = spec_dump(spec);
    ck_assert_str_eq(before, after);
    free(after);
    if (!def.child_body && child != spec) {
      char *own = spec_dump(child), *again = spec_dump(out);
      ck_assert_str_eq(own, again);
      free(own), free(again);
    }
    cdn_spec_destroy(out);
  }
  free(before);
}

static void detach(cdn_spec **spec) {
  cdn_spec *out;
  const char *prefix = prefixes[draw(PREFIXES)], *suffix = draw(3) ? NULL : prefixes[draw(PREFIXES)];
  cdn_attached what;
  const int n = cdn_spec_attached_count(*spec);
  if (n > 0 && draw(3)) {
    OK(cdn_spec_attached(*spec, draw(n), &what));
    prefix = what.prefix, suffix = what.suffix;
  }
  if (cdn_spec_detach(*spec, prefix, suffix, NULL, NULL, &out) != CDN_OK) return;
  if (draw(3) == 0) {
    cdn_spec *other = *spec;
    *spec = out, out = other;
  }
  cdn_spec_destroy(out);
}

static void add(cdn_spec *spec) {
  cdn_spec_shape shape = cdn_default_spec_shape();
  cdn_spec_joint joint = cdn_default_spec_joint();
  cdn_spec_body body = cdn_default_spec_body();
  char name[40];
  snprintf(name, sizeof name, "%snew%d", prefixes[draw(PREFIXES)], draw(1000));
  body.name = shape.name = joint.name = joint.child = name;
  body.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  shape.size[0] = 1;
  if (cdn_spec_find(spec, CDN_SPEC_BODY, name) >= 0) return;
  OK(cdn_spec_add_body(spec, &body, NULL));
  joint.kind = draw(2) ? CDN_PIN : CDN_FREE, joint.parent = some_name(spec, CDN_SPEC_BODY);
  OK(cdn_spec_add_joint(spec, &joint, NULL));
  shape.body = some_name(spec, CDN_SPEC_BODY);
  OK(cdn_spec_add_shape(spec, &shape, NULL));
}

static void delete_some(cdn_spec *spec) {
  const cdn_spec_kind kind = (cdn_spec_kind)draw(CDN_SPEC_KIND_COUNT);
  const int n = cdn_spec_count(spec, kind);
  if (n == 0) return;
  /* which leaves references to nothing, and would leave numbers in keys */
  if (draw(8) == 0 && kind != CDN_SPEC_JOINT && kind != CDN_SPEC_ACTUATOR) OK(cdn_spec_remove(spec, kind, draw(n)));
  else OK(cdn_spec_delete(spec, kind, draw(n), NULL, NULL));
}

START_TEST(test_random_edits) {
  enum { RUNS = 60, EDITS = 12 };
  cdn_spec *library[FILES];
  int built = 0;
  for (int i = 0; i < FILES; i++) library[i] = load(i);
  for (int run = 0; run < FEWER(RUNS); run++) {
    cdn_spec *spec = load(draw(FILES));
    seed = 77u + (uint32_t)run;
    for (int k = 0; k < EDITS; k++) {
      const int what = draw(6);
      if (what < 3) attach(spec, library);
      else if (what == 3) detach(&spec);
      else if (what == 4) add(spec);
      else delete_some(spec);
    }
    int n, m;
    char *text = spec_dump(spec);
    cdn_spec *again;
    const cdn_status status = cdn_spec_load_string(text, strlen(text), "/tmp/cardan.json", NULL, &again);
    ck_assert_msg(status == CDN_OK, "run %d: %s", run, cdn_last_error_text());
    char *same = spec_dump(again);
    ck_assert_str_eq(text, same);
    const bool good = builds(spec, &n);
    ck_assert_msg(builds(again, &m) == good && n == m, "run %d", run);
    built += good;
    cdn_spec_destroy(spec), cdn_spec_destroy(again), free(text), free(same);
  }
  ck_assert_int_ge(built, FEWER(RUNS) / 4);
  for (int i = 0; i < FILES; i++) cdn_spec_destroy(library[i]);
}
END_TEST

CHECK_MAIN("spec_edits", test_random_edits)
