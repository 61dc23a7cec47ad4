/* Specs: the same code adds, sets, copies and removes elements of every kind. A table tells which members of an
 * element are texts, arrays or retained objects. */
#include "io/joints.h"
#include "io/spec.h"

#include <math.h>
#include <stdio.h>

#include "core/sized.h"
#include "io/spec_references.h"

/* ---- the kinds of elements ------------------------------------------------------------------- */

/* The memory of an element: its name first, other texts, and the copies of joints, keyframes and assets. */
enum { MOST_TEXTS = 1 + CDN_SPEC_TENDON_JOINTS };
typedef struct kind_info {
  const char *word;
  size_t size;
  int n_texts;
  size_t text[MOST_TEXTS];
} kind_info;

#define AT(type, member) offsetof(cdn_spec_##type, member)
static const kind_info infos[CDN_SPEC_KIND_COUNT] = {
  [CDN_SPEC_BODY] = { "body", sizeof(cdn_spec_body), 1, { AT(body, name) } },
  [CDN_SPEC_JOINT] = { "joint", sizeof(cdn_spec_joint), 3, { AT(joint, name), AT(joint, parent), AT(joint, child) } },
  [CDN_SPEC_CONSTRAINT] = { "constraint",
                            sizeof(cdn_spec_constraint),
                            7,
                            { AT(constraint, name), AT(constraint, body_a), AT(constraint, body_b),
                              AT(constraint, joint_y), AT(constraint, joint_x), AT(constraint, tendon_y),
                              AT(constraint, tendon_x) } },
  [CDN_SPEC_FRAME] = { "frame", sizeof(cdn_spec_frame), 2, { AT(frame, name), AT(frame, body) } },
  [CDN_SPEC_SHAPE] = { "shape",
                       sizeof(cdn_spec_shape),
                       5,
                       { AT(shape, name), AT(shape, body), AT(shape, asset), AT(shape, material), AT(shape, part) } },
  [CDN_SPEC_ASSET] = { "asset",
                       sizeof(cdn_spec_asset),
                       9,
                       { AT(asset, name), AT(asset, file), AT(asset, texture), AT(asset, side_file[0]),
                         AT(asset, side_file[1]), AT(asset, side_file[2]), AT(asset, side_file[3]),
                         AT(asset, side_file[4]), AT(asset, side_file[5]) } },
  [CDN_SPEC_SENSOR] = { "sensor",
                        sizeof(cdn_spec_sensor),
                        8,
                        { AT(sensor, name), AT(sensor, joint), AT(sensor, body), AT(sensor, reference),
                          AT(sensor, actuator), AT(sensor, tendon), AT(sensor, name_a), AT(sensor, name_b) } },
  [CDN_SPEC_KEY] = { "key", sizeof(cdn_spec_key), 1, { AT(key, name) } },
  [CDN_SPEC_ACTUATOR] = { "actuator",
                          sizeof(cdn_spec_actuator),
                          6,
                          { AT(actuator, name), AT(actuator, unit), AT(actuator, joint), AT(actuator, body),
                            AT(actuator, tendon), AT(actuator, reference) } },
  [CDN_SPEC_CONTACT] = { "contact",
                         sizeof(cdn_spec_contact),
                         5,
                         { AT(contact, name), AT(contact, body_a), AT(contact, body_b), AT(contact, shape_a),
                           AT(contact, shape_b) } },
  [CDN_SPEC_CAMERA] = { "camera",
                        sizeof(cdn_spec_camera),
                        3,
                        { AT(camera, name), AT(camera, body), AT(camera, target) } },
  [CDN_SPEC_LIGHT] = { "light", sizeof(cdn_spec_light), 3, { AT(light, name), AT(light, body), AT(light, target) } },
  [CDN_SPEC_TENDON] = { "tendon",
                        sizeof(cdn_spec_tendon),
                        MOST_TEXTS,
                        { AT(tendon, name), AT(tendon, joint[0]), AT(tendon, joint[1]), AT(tendon, joint[2]),
                          AT(tendon, joint[3]), AT(tendon, joint[4]), AT(tendon, joint[5]), AT(tendon, joint[6]),
                          AT(tendon, joint[7]), AT(tendon, joint[8]), AT(tendon, joint[9]), AT(tendon, joint[10]),
                          AT(tendon, joint[11]), AT(tendon, joint[12]), AT(tendon, joint[13]), AT(tendon, joint[14]),
                          AT(tendon, joint[15]) } },
  [CDN_SPEC_PATH_ITEM] = { "path item",
                           sizeof(cdn_spec_path_item),
                           5,
                           { AT(path_item, name), AT(path_item, tendon), AT(path_item, body), AT(path_item, side_body),
                             AT(path_item, joint) } },
};

#define IDENTITY                                   \
  {                                                \
    .R = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } \
  }
CDNI_DEF(spec_def, .name = "model");
#define SOFT                                  \
  {                                           \
    { 0.02, 1 }, { 0.9, 0.95, 0.001, 0.5, 2 } \
  }
CDNI_DEF(spec_body, .line = 0);
CDNI_DEF(spec_joint, .X_PF = IDENTITY, .X_CM = IDENTITY, .X_FM_rest = IDENTITY, .lower = -INFINITY, .upper = INFINITY,
         .effort_lower = -INFINITY, .effort_upper = INFINITY, .speed_limit = INFINITY, .weight = 1, .limit_law = SOFT,
         .friction_law = SOFT);
CDNI_DEF(spec_constraint, .X_A = IDENTITY, .X_B = IDENTITY, .c = { 0, 1 }, .law = SOFT, .torque_scale = 1);
CDNI_DEF(spec_frame, .X_BF = IDENTITY);
CDNI_DEF(spec_shape, .X_BS = IDENTITY, .type = CDN_SHAPE_SPHERE, .rgba = { 0.5, 0.5, 0.5, 1 }, .visual = true,
         .collision = true, .contype = 1, .conaffinity = 1, .condim = 3, .friction = { 1, 0.005, 0.0001 }, .law = SOFT,
         .solmix = 1, .fluid_coefficients = { 0.5, 0.25, 1.5, 1, 1 });
CDNI_DEF(spec_asset, .scale = { 1, 1, 1 }, .rgba = { 1, 1, 1, 1 }, .refquat = { 1 }, .rgb1 = { 0.8, 0.8, 0.8 },
         .rgb2 = { 0.5, 0.5, 0.5 }, .texrepeat = { 1, 1 }, .random = 0.01, .gridsize = { 1, 1 }, .specular = 0.5,
         .shininess = 0.5);
CDNI_DEF(spec_contact, .friction = { -1, -1, -1, -1, -1 });
CDNI_DEF(spec_camera, .X_BC = IDENTITY, .fovy = 0.785398163397448309616);
CDNI_DEF(spec_tendon, .lower = -INFINITY, .upper = INFINITY, .limit_law = SOFT, .friction_law = SOFT,
         .effort_lower = -INFINITY, .effort_upper = INFINITY, .width = 0.003, .rgba = { 0.5, 0.5, 0.5, 1 });
CDNI_DEF(spec_path_item, .X_BP = IDENTITY, .divisor = 1);
CDNI_DEF(spec_light, .direction = { 0, 0, -1 }, .rgb = { 0.7, 0.7, 0.7 }, .cutoff = 0.785398163397448309616,
         .exponent = 10, .attenuation = { 1 }, .castshadow = true);
CDNI_DEF(spec_sensor, .X_BS = IDENTITY, .X_RS = IDENTITY, .volume = CDN_SHAPE_SPHERE, .contacts = 1,
         .data = CDN_SENSED_FOUND, .field = { 0, -0.5, 0 }, .pixels = { 1, 1 }, .numbers = 1);
CDNI_DEF(spec_key, .time = 0);
#define MUSCLE                                                                                              \
  {                                                                                                         \
    .range = { 0.75, 1.05 }, .peak = -1, .scale = 200, .lmin = 0.5, .lmax = 1.6, .vmax = 1.5, .fpmax = 1.3, \
    .fvmax = 1.2, .acceleration = 1                                                                         \
  }
CDNI_DEF(spec_actuator, .X_BS = IDENTITY, .gear = { 1 }, .gain = { 1 }, .force_lower = -INFINITY,
         .force_upper = INFINITY, .control_lower = -INFINITY, .control_upper = INFINITY, .time_constant = 1,
         .activation_lower = -INFINITY, .activation_upper = INFINITY, .X_RF = IDENTITY, .muscle = MUSCLE,
         .passive = MUSCLE, .muscle_time = { 0.01, 0.04 });

static bool is_kind(cdn_spec_kind kind) { return (unsigned)kind < CDN_SPEC_KIND_COUNT; }
void *io_spec_element(const cdn_spec *spec, cdn_spec_kind kind, int i) {
  return (char *)spec->elements[kind].data + infos[kind].size * (size_t)i;
}
static char **text_at(const kind_info *info, void *element, int i) {
  return (char **)(void *)((char *)element + info->text[i]);
}
static const char *name_of(const kind_info *info, const void *element) {
  return *(const char *const *)(const void *)((const char *)element + info->text[0]);
}

/* ---- memory of an element besides its texts -------------------------------------------------- */

static void free_joint(const cdn_allocator *a, cdn_spec_joint *j) {
  for (int i = 0; j->functions && i < 6; i++) cdn_function_release(j->functions->function[i]);
  if (j->functions) cdni_free(a, (void *)j->functions, sizeof *j->functions);
  if (j->custom_self) cdni_free(a, (void *)j->custom_self, j->custom->self_size);
  if (j->custom) cdni_strfree(a, (char *)j->custom->name);
  if (j->custom) cdni_free(a, (void *)j->custom, sizeof *j->custom);
}

/* `to` must not own any of these yet. Returns NULL, or the mistake; "" if memory ran out. */
static const char *own_functions(const cdn_allocator *a, cdn_spec_joint *to, const cdn_function_mobilizer *from) {
  cdn_function_mobilizer *copy = cdni_alloc(a, sizeof *copy);
  if (!copy) return "";
  cdn_function_mobilizer_init(copy, sizeof *copy);
  const char *unreadable = cdni_sized_read(
      copy, from,
      CDNI_SIZED(cdn_function_mobilizer, "start the cdn_function_mobilizer with cdn_default_function_mobilizer()"));
  if (unreadable) {
    cdni_free(a, copy, sizeof *copy);
    return unreadable;
  }
  for (int i = 0; i < 6; i++) cdn_function_retain(copy->function[i]);
  to->functions = copy;
  return NULL;
}

static const char *own_custom(const cdn_allocator *a, cdn_spec_joint *to, const cdn_custom_mobilizer_ops *from,
                              const void *self) {
  cdn_custom_mobilizer_ops known;
  const char *unreadable = CDNI_READ_OPS(cdn_custom_mobilizer_ops, &known, from);
  if (unreadable) return unreadable;
  cdn_custom_mobilizer_ops *copy = cdni_alloc(a, sizeof *copy);
  if (!copy) return "";
  *copy = known;
  copy->name = NULL;
  to->custom = copy;
  if (known.name && !(copy->name = cdni_strdup(a, known.name))) return "";
  if (known.self_size == 0 || !self) return NULL;
  void *bytes = cdni_alloc(a, known.self_size);
  if (!bytes) return "";
  to->custom_self = memcpy(bytes, self, known.self_size);
  return NULL;
}

static const char *own_joint(const cdn_allocator *a, cdn_spec_joint *to, const cdn_spec_joint *from) {
  to->functions = NULL, to->custom = NULL, to->custom_self = NULL;
  const char *wrong = from->functions ? own_functions(a, to, from->functions) : NULL;
  return !wrong && from->custom ? own_custom(a, to, from->custom, from->custom_self) : wrong;
}

/* The lists of a keyframe. */
typedef struct key_list {
  const double **values;
  int n;
} key_list;
enum { KEY_LISTS = 4 };

static void lists_of(cdn_spec_key *k, key_list lists[KEY_LISTS]) {
  lists[0] = (key_list){ &k->q, k->nq };
  lists[1] = (key_list){ &k->u, k->nu };
  lists[2] = (key_list){ &k->controls, k->n_actuators };
  lists[3] = (key_list){ &k->activations, k->n_actuators };
}

static void free_key(const cdn_allocator *a, cdn_spec_key *k) {
  key_list lists[KEY_LISTS];
  lists_of(k, lists);
  for (int i = 0; i < KEY_LISTS; i++)
    if (*lists[i].values) cdni_free(a, (void *)*lists[i].values, (size_t)lists[i].n * sizeof(double));
}

static const char *own_key(const cdn_allocator *a, cdn_spec_key *to, const cdn_spec_key *from) {
  to->nq = from->q ? from->nq : 0;
  to->nu = from->u ? from->nu : 0;
  to->n_actuators = from->controls || from->activations ? from->n_actuators : 0;
  to->q = to->u = to->controls = to->activations = NULL;
  if (to->nq < 0 || to->nu < 0 || to->n_actuators < 0) return "the length of a list is negative";
  const double *values[KEY_LISTS] = { from->q, from->u, from->controls, from->activations };
  key_list lists[KEY_LISTS];
  lists_of(to, lists);
  size_t bad;
  if (!isfinite(from->time)) return "the time is NaN or infinite";
  for (int i = 0; i < KEY_LISTS; i++)
    if (values[i] && !cdni_all_finite(values[i], (size_t)lists[i].n, &bad)) return "a list has a NaN or an infinity";
  for (int i = 0; i < KEY_LISTS; i++) {
    const size_t bytes = (size_t)lists[i].n * sizeof(double);
    if (!values[i] || bytes == 0) continue;
    double *copy = cdni_alloc(a, bytes);
    if (!copy) return "";
    *lists[i].values = memcpy(copy, values[i], bytes);
  }
  return NULL;
}

static void free_asset(const cdn_allocator *a, cdn_spec_asset *asset) {
  if (asset->data) cdni_free(a, (void *)asset->data, (size_t)asset->n_data * sizeof(double));
}

static const char *own_asset(const cdn_allocator *a, cdn_spec_asset *to, const cdn_spec_asset *from) {
  to->data = NULL;
  to->n_data = from->data ? from->n_data : 0;
  if (to->n_data < 0) return "the length of its data is negative";
  size_t bad;
  if (to->n_data > 0 && !cdni_all_finite(from->data, (size_t)to->n_data, &bad)) return "its data have a NaN";
  if (to->n_data == 0) return NULL;
  double *copy = cdni_alloc(a, (size_t)to->n_data * sizeof *copy);
  if (!copy) return "";
  to->data = memcpy(copy, from->data, (size_t)to->n_data * sizeof *copy);
  return NULL;
}

/* ---- elements -------------------------------------------------------------------------------- */

static void free_element(const cdn_allocator *a, cdn_spec_kind kind, void *element) {
  for (int i = 0; i < infos[kind].n_texts; i++) cdni_strfree(a, *text_at(&infos[kind], element, i));
  if (kind == CDN_SPEC_JOINT) free_joint(a, element);
  if (kind == CDN_SPEC_KEY) free_key(a, element);
  if (kind == CDN_SPEC_ASSET) free_asset(a, element);
}

/* Makes a copy in `to` with texts and arrays of its own. Returns NULL; or the mistake, with nothing allocated; "" if
 * memory ran out. */
static const char *own(const cdn_allocator *a, cdn_spec_kind kind, void *to, const void *from) {
  const kind_info *info = &infos[kind];
  memcpy(to, from, info->size);
  for (int i = 0; i < info->n_texts; i++) *text_at(info, to, i) = NULL;
  const char *wrong = NULL;
  if (kind == CDN_SPEC_JOINT) wrong = own_joint(a, to, from);
  if (kind == CDN_SPEC_KEY) wrong = own_key(a, to, from);
  if (kind == CDN_SPEC_ASSET) wrong = own_asset(a, to, from);
  for (int i = 0; i < info->n_texts && !wrong; i++) {
    const char *text = *(const char *const *)(const void *)((const char *)from + info->text[i]);
    if (text && text[0] && !(*text_at(info, to, i) = cdni_strdup(a, text))) wrong = "";
  }
  if (wrong) free_element(a, kind, to);
  return wrong;
}

static cdn_status fail(cdn_spec *spec, cdn_status code, const char *function, const char *element, const char *text) {
  return cdni_error_set(&spec->log.error, code, function, element, "%s%s%s", element ? element : "",
                        element ? ": " : "", text);
}

static cdn_status fail_own(cdn_spec *spec, const char *function, const char *name, const char *wrong) {
  if (!wrong[0]) return fail(spec, CDN_ERR_NOMEM, function, NULL, "out of memory");
  return fail(spec,
              strstr(wrong, "NaN")    ? CDN_ERR_NONFINITE
              : strstr(wrong, "cdn_") ? CDN_ERR_VERSION
                                      : CDN_ERR_ARG,
              function, name, wrong);
}

/* A name for an element without one. Names of bodies, joints, actuators and tendons must be unique. */
static char *made_up_name(const cdn_spec *spec, cdn_spec_kind kind) {
  char text[120];
  int n = snprintf(text, sizeof text, "%s%zu", infos[kind].word, spec->elements[kind].count);
  const bool unique =
      kind == CDN_SPEC_BODY || kind == CDN_SPEC_JOINT || kind == CDN_SPEC_ACTUATOR || kind == CDN_SPEC_TENDON;
  while (unique && cdn_spec_find(spec, kind, text) >= 0 && n + 1 < (int)sizeof text) {
    text[n++] = '_';
    text[n] = '\0';
  }
  return cdni_strdup(&spec->log.allocator, text);
}

/* `named`: a name is made up if there is none. */
static cdn_status append(cdn_spec *spec, cdn_spec_kind kind, const void *element, bool named, const char *function,
                         int *index) {
  const cdn_allocator *a = &spec->log.allocator;
  union {
    cdn_spec_joint joint;
    cdn_spec_shape shape;
    cdn_spec_sensor sensor;
    cdn_spec_constraint constraint;
    cdn_spec_actuator actuator;
    cdn_spec_asset asset;
    cdn_spec_contact contact;
    cdn_spec_tendon tendon;
  } copy; /* the largest kinds */
  _Static_assert(sizeof copy >= sizeof(cdn_spec_key) && sizeof copy >= sizeof(cdn_spec_body), "room for any");
  const char *name = name_of(&infos[kind], element);
  const char *wrong = own(a, kind, &copy, element);
  if (wrong) return fail_own(spec, function, name, wrong);
  char **own_name = text_at(&infos[kind], &copy, 0);
  if (named && !*own_name) *own_name = made_up_name(spec, kind);
  if ((named && !*own_name) || !cdni_array_push(a, &spec->elements[kind], infos[kind].size, &copy)) {
    free_element(a, kind, &copy);
    return fail(spec, CDN_ERR_NOMEM, function, NULL, "out of memory");
  }
  if (index) *index = (int)spec->elements[kind].count - 1;
  return CDN_OK;
}

static cdn_status add(cdn_spec *spec, cdn_spec_kind kind, const void *element, const char *function, int *index) {
  return append(spec, kind, element, true, function, index);
}

cdn_status io_spec_add(cdn_spec *spec, cdn_spec_kind kind, const void *element, int *index) {
  return add(spec, kind, element, "cdn_spec_load", index);
}

cdn_status io_spec_append(cdn_spec *spec, cdn_spec_kind kind, const void *element, int *index) {
  return append(spec, kind, element, false, "cdn_spec_load", index);
}

const char **io_spec_text(const cdn_spec *spec, cdn_spec_kind kind, int i, size_t offset) {
  return (const char **)(void *)((char *)io_spec_element(spec, kind, i) + offset);
}

static cdn_status set(cdn_spec *spec, cdn_spec_kind kind, int i, const void *element, const char *function) {
  const cdn_allocator *a = &spec->log.allocator;
  const int before = (int)spec->elements[kind].count;
  if (i < 0 || i >= before) return fail(spec, CDN_ERR_ARG, function, NULL, "there is no element of this index");
  CDNI_TRY(add(spec, kind, element, function, NULL));
  void *new = io_spec_element(spec, kind, before), *old = io_spec_element(spec, kind, i);
  free_element(a, kind, old);
  memcpy(old, new, infos[kind].size);
  spec->elements[kind].count--;
  return CDN_OK;
}

cdn_status io_spec_replace(cdn_spec *spec, cdn_spec_kind kind, int i, const void *element) {
  return set(spec, kind, i, element, "cdn_spec_detach");
}

/* The caller's struct may be a def again: it has the caller's size. */
static cdn_status get(const cdn_spec *spec, cdn_spec_kind kind, int i, void *out, size_t size, const void *none,
                      const char *function) {
  const bool there = spec && out && i >= 0 && i < (int)spec->elements[kind].count;
  const uint32_t struct_size = (uint32_t)size;
  cdni_sized_write(out, size, there ? io_spec_element(spec, kind, i) : none, infos[kind].size);
  if (out && size >= sizeof struct_size) memcpy(out, &struct_size, sizeof struct_size);
  if (there) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, function, "there is no spec, no %s %d in it, or nowhere to put it", infos[kind].word,
                     i);
}

static cdn_status no_spec(const char *function) { return cdni_refuse(CDN_ERR_ARG, function, "the spec is NULL"); }

#define FUNCTIONS(KIND, type)                                                                              \
  cdn_status cdn_spec_add_##type(cdn_spec *spec, const cdn_spec_##type *def, int *index) {                 \
    cdn_spec_##type known;                                                                                 \
    if (!spec) return no_spec(__func__);                                                                   \
    const char *unreadable = read_spec_##type(&known, def);                                                \
    if (unreadable) return fail(spec, CDN_ERR_VERSION, __func__, NULL, unreadable);                        \
    return add(spec, CDN_SPEC_##KIND, &known, __func__, index);                                            \
  }                                                                                                        \
  cdn_status cdn_spec_set_##type(cdn_spec *spec, int i, const cdn_spec_##type *def) {                      \
    cdn_spec_##type known;                                                                                 \
    if (!spec) return no_spec(__func__);                                                                   \
    const char *unreadable = read_spec_##type(&known, def);                                                \
    if (unreadable) return fail(spec, CDN_ERR_VERSION, __func__, NULL, unreadable);                        \
    return set(spec, CDN_SPEC_##KIND, i, &known, __func__);                                                \
  }                                                                                                        \
  cdn_status cdn_spec_get_##type##_sized(const cdn_spec *spec, int i, cdn_spec_##type *out, size_t size) { \
    return get(spec, CDN_SPEC_##KIND, i, out, size, &spec_##type##_defaults, __func__);                    \
  }
FUNCTIONS(BODY, body)
FUNCTIONS(JOINT, joint)
FUNCTIONS(CONSTRAINT, constraint)
FUNCTIONS(FRAME, frame)
FUNCTIONS(SHAPE, shape)
FUNCTIONS(ASSET, asset)
FUNCTIONS(SENSOR, sensor)
FUNCTIONS(KEY, key)
FUNCTIONS(ACTUATOR, actuator)
FUNCTIONS(CONTACT, contact)
FUNCTIONS(CAMERA, camera)
FUNCTIONS(LIGHT, light)
FUNCTIONS(TENDON, tendon)
FUNCTIONS(PATH_ITEM, path_item)

int cdn_spec_count(const cdn_spec *spec, cdn_spec_kind kind) {
  return spec && is_kind(kind) ? (int)spec->elements[kind].count : 0;
}

int cdn_spec_find(const cdn_spec *spec, cdn_spec_kind kind, const char *name) {
  for (int i = 0; name && i < cdn_spec_count(spec, kind); i++) {
    const char *own = name_of(&infos[kind], io_spec_element(spec, kind, i)); /* some shapes have none */
    if (own && strcmp(own, name) == 0) return i;
  }
  return -1;
}

cdn_status cdn_spec_remove(cdn_spec *spec, cdn_spec_kind kind, int i) {
  if (!spec) return no_spec("cdn_spec_remove");
  if (!is_kind(kind) || i < 0 || i >= cdn_spec_count(spec, kind))
    return fail(spec, CDN_ERR_ARG, "cdn_spec_remove", NULL, "there is no element of this kind and index");
  const size_t size = infos[kind].size, behind = spec->elements[kind].count - (size_t)i - 1;
  char *at = io_spec_element(spec, kind, i);
  free_element(&spec->log.allocator, kind, at);
  memmove(at, at + size, behind * size);
  spec->elements[kind].count--;
  return CDN_OK;
}

void io_spec_remove_marks(cdn_spec *spec, cdn_spec_kind kind, const bool *marked) {
  const int n = cdn_spec_count(spec, kind);
  int kept = 0;
  for (int i = 0; i < n; i++) {
    if (marked[i]) free_element(&spec->log.allocator, kind, io_spec_element(spec, kind, i));
    else if (kept++ < i)
      memcpy(io_spec_element(spec, kind, kept - 1), io_spec_element(spec, kind, i), infos[kind].size);
  }
  spec->elements[kind].count = (size_t)kept;
}

/* ---- the whole ------------------------------------------------------------------------------- */

cdn_spec *io_spec_start(cdn_allocator allocator, const char *file) {
  const cdn_allocator a = cdni_allocator_or_default(allocator);
  cdn_spec *spec = cdni_calloc(&a, sizeof *spec);
  if (!spec) return NULL;
  io_log_init(&spec->log, a, file);
  spec->whole.solver = cdn_default_spec_solver();
  return spec;
}

static cdn_status create(const char *name, const char *file, cdn_allocator allocator, cdn_spec **out) {
  cdn_spec *spec = io_spec_start(allocator, file);
  if (spec && spec->log.file) spec->name = cdni_strdup(&spec->log.allocator, name);
  if (spec && spec->name) *out = spec;
  else cdn_spec_destroy(spec);
  return *out ? CDN_OK : cdni_refuse(CDN_ERR_NOMEM, "cdn_spec_create", "out of memory");
}

cdn_status cdn_spec_create(const cdn_spec_def *def, cdn_spec **out) {
  static const char function[] = "cdn_spec_create";
  if (!out) return cdni_refuse(CDN_ERR_ARG, function, "where the spec shall go is NULL");
  *out = NULL;
  cdn_spec_def known;
  const char *unreadable = read_spec_def(&known, def ? def : &spec_def_defaults);
  if (unreadable) return cdni_refuse(CDN_ERR_VERSION, function, "%s", unreadable);
  const char *name = known.name ? known.name : "model";
  return create(name, name, known.allocator, out);
}

void io_spec_clear(cdn_spec *spec) {
  const cdn_allocator a = spec->log.allocator;
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++) {
    for (int i = 0; i < cdn_spec_count(spec, (cdn_spec_kind)kind); i++)
      free_element(&a, (cdn_spec_kind)kind, io_spec_element(spec, (cdn_spec_kind)kind, i));
    cdni_array_free(&a, &spec->elements[kind]);
  }
}

void cdn_spec_destroy(cdn_spec *spec) {
  if (!spec) return;
  const cdn_allocator a = spec->log.allocator;
  io_spec_clear(spec);
  for (size_t i = 0; i < spec->attached.count; i++) io_attached_free(&a, &CDNI_AT(spec->attached, io_attached, i));
  cdni_array_free(&a, &spec->attached);
  cdni_strfree(&a, spec->name);
  io_log_free(&spec->log);
  cdni_free(&a, spec, sizeof *spec);
}

static cdn_status copy_elements(cdn_spec *to, const cdn_spec *from) {
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++)
    for (int i = 0; i < cdn_spec_count(from, (cdn_spec_kind)kind); i++)
      CDNI_TRY(add(to, (cdn_spec_kind)kind, io_spec_element(from, (cdn_spec_kind)kind, i), "cdn_spec_copy", NULL));
  CDNI_TRY(io_attached_copy(to, from));
  return io_log_copy(&to->log, &from->log);
}

cdn_status cdn_spec_copy(const cdn_spec *spec, cdn_spec **out) {
  if (out) *out = NULL;
  if (!spec || !out) return cdni_refuse(CDN_ERR_ARG, "cdn_spec_copy", "the spec, or where its copy shall go, is NULL");
  cdn_spec *copy = NULL;
  CDNI_TRY(create(cdn_spec_name(spec), spec->log.file, spec->log.allocator, &copy));
  copy->whole = spec->whole;
  copy->log.body_word = spec->log.body_word;
  copy->log.files = spec->log.files;
  const cdn_status status = copy_elements(copy, spec);
  if (status == CDN_OK) *out = copy;
  else cdn_spec_destroy(copy); /* its message has been told */
  return status;
}

void cdn_spec_last_error_sized(const cdn_spec *spec, cdn_error *out, size_t size) {
  cdn_error none;
  if (!spec) cdni_error_set(&none, CDN_ERR_ARG, "cdn_spec_last_error", NULL, "there is no spec");
  cdni_sized_write(out, size, spec ? &spec->log.error : &none, sizeof none);
}

const char *cdn_spec_name(const cdn_spec *spec) { return spec && spec->name ? spec->name : ""; }

cdn_status cdn_spec_set_name(cdn_spec *spec, const char *name) {
  if (!spec) return no_spec("cdn_spec_set_name");
  char *copy = cdni_strdup(&spec->log.allocator, name ? name : "model");
  if (!copy) return fail(spec, CDN_ERR_NOMEM, "cdn_spec_set_name", NULL, "out of memory");
  cdni_strfree(&spec->log.allocator, spec->name);
  spec->name = copy;
  return CDN_OK;
}

cdn_status cdn_spec_get_gravity(const cdn_spec *spec, cdn_vec3 *g) {
  if (!spec || !g)
    return cdni_refuse(CDN_ERR_ARG, "cdn_spec_get_gravity", "the spec, or where gravity shall go, is NULL");
  *g = spec->whole.gravity;
  return CDN_OK;
}

cdn_status cdn_spec_set_gravity(cdn_spec *spec, cdn_vec3 g) {
  if (!spec) return no_spec("cdn_spec_set_gravity");
  if (!isfinite(g.x) || !isfinite(g.y) || !isfinite(g.z))
    return fail(spec, CDN_ERR_NONFINITE, "cdn_spec_set_gravity", NULL, "gravity has a NaN or an infinity");
  spec->whole.gravity = g;
  spec->whole.has_gravity = g.x != 0 || g.y != 0 || g.z != 0;
  return CDN_OK;
}

/* ---- joints ---------------------------------------------------------------------------------- */

bool io_spec_joint_has_quaternion(const cdn_spec_joint *joint) {
  if (joint->kind == CDN_CUSTOM_MOBILIZER) return joint->custom && joint->custom->quaternion;
  return !joint->euler && cdn_mobilizer_nq(joint->kind) >= 4 && joint->kind != CDN_BUSHING;
}

/* A count that a System would take, or 0. */
static int within(int n, int most) { return n >= 0 && n <= most ? n : 0; }

int io_spec_joint_nq(const cdn_spec_joint *joint) {
  if (joint->kind == CDN_FUNCTION_BASED) return joint->functions ? within(joint->functions->nu, 6) : 0;
  if (joint->kind == CDN_CUSTOM_MOBILIZER) return joint->custom ? within(joint->custom->nq, 7) : 0;
  const bool angles = joint->euler && cdn_mobilizer_nq(joint->kind) >= 4 && joint->kind != CDN_BUSHING;
  return cdn_mobilizer_nq(joint->kind) - angles;
}

int io_spec_joint_nu(const cdn_spec_joint *joint) {
  if (joint->kind == CDN_FUNCTION_BASED) return joint->functions ? within(joint->functions->nu, 6) : 0;
  if (joint->kind == CDN_CUSTOM_MOBILIZER) return joint->custom ? within(joint->custom->nu, 6) : 0;
  return cdn_mobilizer_nu(joint->kind);
}

bool io_spec_joint_has_range(const cdn_spec_joint *joint) {
  return io_spec_joint_nq(joint) == 1 && io_spec_joint_nu(joint) == 1;
}
