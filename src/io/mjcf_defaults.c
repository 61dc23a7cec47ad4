/* Default classes. A class is a set of <joint>, <geom>, ... elements whose attributes replace those that an element
 * omits; a nested class inherits everything from the class around it. Nothing is copied: an attribute is looked up
 * on the element, then in its class, then in the classes around it. */
#include <stdio.h>

#include "io/mjcf_expand.h"

/* ---- reading ---- */

static cdn_status add_class(mjcf_reader *r, const io_xml_node *node, const char *name, int parent) {
  mjcf_class added = { .name = name, .parent = parent, .line = node ? io_xml_line(node) : 0 };
  for (int k = 0; k < MJCF_NO_DEFAULTS; k++) added.first[k] = -1;
  const int index = (int)r->classes.count;
  if (!cdni_array_push(&r->log->allocator, &r->classes, sizeof added, &added)) return io_mjcf_out_of_memory(r);
  if (io_names_add(&r->log->allocator, &r->class_names, name, index) < 0) return io_mjcf_out_of_memory(r);
  return CDN_OK;
}

cdn_status io_mjcf_start_classes(mjcf_reader *r) {
  CDNI_TRY(add_class(r, NULL, "main", -1));
  return add_class(r, NULL, MJCF_PLAIN_CLASS, -1);
}

/* A further document for the messages of what is read from it. */
static cdn_status join_document(mjcf_reader *r, const mjcf_document *of) {
  const mjcf_document added = { .path = cdni_strdup(&r->log->allocator, of->path) };
  if (added.path && cdni_array_push(&r->log->allocator, &r->documents, sizeof added, &added)) return CDN_OK;
  cdni_strfree(&r->log->allocator, added.path);
  return io_mjcf_out_of_memory(r);
}

static cdn_status join_class(mjcf_reader *r, const mjcf_class *of, const char *prefix, int classes, int defaults) {
  char text[1000];
  snprintf(text, sizeof text, "%.450s%.450s", prefix, of->name);
  mjcf_class added = *of;
  char *name = cdni_strdup(&r->log->allocator, text);
  if (!name || !cdni_array_push(&r->log->allocator, &r->copied_names, sizeof name, &name)) {
    cdni_strfree(&r->log->allocator, name);
    return io_mjcf_out_of_memory(r);
  }
  added.name = name;
  if (added.parent >= 0) added.parent += classes;
  for (int k = 0; k < MJCF_NO_DEFAULTS; k++)
    if (added.first[k] >= 0) added.first[k] += defaults;
  const int index = (int)r->classes.count;
  if (!cdni_array_push(&r->log->allocator, &r->classes, sizeof added, &added)) return io_mjcf_out_of_memory(r);
  return io_names_add(&r->log->allocator, &r->class_names, name, index) < 0 ? io_mjcf_out_of_memory(r) : CDN_OK;
}

cdn_status io_mjcf_join_classes(mjcf_reader *r, const mjcf_reader *child, const char *prefix) {
  const int classes = (int)r->classes.count, defaults = (int)r->defaults.count, documents = (int)r->documents.count;
  for (size_t i = 0; i < child->documents.count; i++)
    CDNI_TRY(join_document(r, &CDNI_AT(child->documents, mjcf_document, i)));
  for (size_t i = 0; i < child->defaults.count; i++) {
    mjcf_default added = CDNI_AT(child->defaults, mjcf_default, i);
    added.document += documents;
    if (added.next >= 0) added.next += defaults;
    if (!cdni_array_push(&r->log->allocator, &r->defaults, sizeof added, &added)) return io_mjcf_out_of_memory(r);
  }
  for (size_t i = 0; i < child->classes.count; i++)
    CDNI_TRY(join_class(r, &CDNI_AT(child->classes, mjcf_class, i), prefix, classes, defaults));
  return CDN_OK;
}

static cdn_status add_default(mjcf_reader *r, io_xml_node *node, int class, mjcf_kind kind) {
  mjcf_class *c = &CDNI_AT(r->classes, mjcf_class, class);
  const mjcf_default added = { .node = node, .document = r->document, .next = c->first[kind] };
  if (!cdni_array_push(&r->log->allocator, &r->defaults, sizeof added, &added)) return io_mjcf_out_of_memory(r);
  c->first[kind] = (int)r->defaults.count - 1;
  return CDN_OK;
}

/* Defaults of elements that are not simulated or only drawn: they matter only through elements that are reported
 * anyway. */
static bool is_silent(const char *name) {
  static const char *const silent[] = { "skin", "flex", "orientation", "pid" };
  for (int i = 0; i < CDNI_COUNT(silent); i++)
    if (strcmp(name, silent[i]) == 0) return true;
  return false;
}

static bool is_actuator(const char *name) {
  static const char *const kinds[] = { "general",  "motor",  "position", "velocity", "intvelocity", "damper",
                                       "cylinder", "muscle", "adhesion", "plugin",   "dcmotor" };
  for (int i = 0; i < CDNI_COUNT(kinds); i++)
    if (strcmp(name, kinds[i]) == 0) return true;
  return false;
}

/* What the defaults of an element of this name are for. */
static mjcf_kind kind_of(const char *name) {
  static const char *const names[] = {
    [MJCF_JOINT] = "joint",   [MJCF_GEOM] = "geom",         [MJCF_SITE] = "site",         [MJCF_EQUALITY] = "equality",
    [MJCF_MESH] = "mesh",     [MJCF_MATERIAL] = "material", [MJCF_ACTUATOR] = "actuator", [MJCF_PAIR] = "pair",
    [MJCF_CAMERA] = "camera", [MJCF_LIGHT] = "light",       [MJCF_TENDON] = "tendon"
  };
  _Static_assert(CDNI_COUNT(names) == MJCF_NO_DEFAULTS, "each kind has a name");
  if (is_actuator(name)) return MJCF_ACTUATOR;
  int kind = 0;
  while (kind < MJCF_NO_DEFAULTS && strcmp(name, names[kind]) != 0) kind++;
  return (mjcf_kind)kind;
}

enum { MAX_CLASS_DEPTH = 100 };

/* A nested <default>; this function reads its contents recursively. */
static cdn_status read_class(mjcf_reader *r, io_xml_node *node, int class, int depth);

static cdn_status read_nested(mjcf_reader *r, io_xml_node *node, int parent, int depth) {
  const char *name;
  if (!io_xml_has(node, "class"))
    return io_xml_missing(r->log, node, "class", "only the outermost <default> may go without a name");
  CDNI_TRY(io_xml_need_string(r->log, node, "class", &name));
  const int twin = io_names_find(&r->class_names, name);
  if (twin >= 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "the default class '%.60s' is defined already (line %d); class names "
                       "must differ, nested ones as well; the outermost is 'main'",
                       name, CDNI_AT(r->classes, mjcf_class, twin).line);
  if (depth > MAX_CLASS_DEPTH)
    return io_xml_fail(r->log, CDN_ERR_LIMIT, node, "default classes are nested more than %d deep", MAX_CLASS_DEPTH);
  CDNI_TRY(add_class(r, node, name, parent));
  return read_class(r, node, (int)r->classes.count - 1, depth);
}

static cdn_status read_class(mjcf_reader *r, io_xml_node *node, int class, int depth) {
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;) {
    const char *name = io_xml_name(child);
    const mjcf_kind kind = kind_of(name);
    if (kind != MJCF_NO_DEFAULTS) {
      CDNI_TRY(add_default(r, child, class, kind));
      io_mjcf_finish_element(r, &(mjcf_element){ child, kind, class });
    } else if (strcmp(name, "default") == 0) {
      CDNI_TRY(read_nested(r, child, class, depth + 1));
    } else if (!is_silent(name)) {
      io_not_understood(r->log, io_xml_line(child), name);
    }
  }
  io_xml_report_rest(r->log, node);
  return walk.status;
}

cdn_status io_mjcf_read_defaults(mjcf_reader *r, io_xml_node *node) {
  /* Older files may rename the outermost class: a further class that inherits everything and adds nothing. */
  const char *name = io_xml_string(node, "class");
  if (name && name[0] && io_names_find(&r->class_names, name) < 0) CDNI_TRY(add_class(r, node, name, MJCF_MAIN_CLASS));
  return read_class(r, node, MJCF_MAIN_CLASS, 1);
}

/* ---- classes of elements ---- */

cdn_status io_mjcf_find_class(mjcf_reader *r, io_xml_node *node, const char *attribute, int *class) {
  const char *name = io_xml_string(node, attribute);
  if (!name || !name[0]) return CDN_OK;
  const int found = io_names_find(&r->class_names, name);
  if (found < 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "%s='%.60s' names no default class; add <default class='%.60s'> "
                       "inside <default>, or correct the name",
                       attribute, name, name);
  *class = found;
  return CDN_OK;
}

cdn_status io_mjcf_element(mjcf_reader *r, io_xml_node *node, mjcf_kind kind, int scope_class, mjcf_element *out) {
  *out = (mjcf_element){ node, kind, scope_class };
  return io_mjcf_find_class(r, node, "class", &out->class);
}

void io_mjcf_finish_element(mjcf_reader *r, const mjcf_element *e) {
  /* Known attributes: those that are read elsewhere, and those without an effect on the motion. */
  static const char *const joint[] = { "class",
                                       "type",
                                       "group",
                                       "pos",
                                       "axis",
                                       "springdamper",
                                       "limited",
                                       "actuatorfrclimited",
                                       "actuatorfrcrange",
                                       "actuatorgravcomp",
                                       "solreflimit",
                                       "solimplimit",
                                       "solreffriction",
                                       "solimpfriction",
                                       "stiffness",
                                       "range",
                                       "margin",
                                       "ref",
                                       "springref",
                                       "armature",
                                       "damping",
                                       "frictionloss",
                                       "user",
                                       "name" };
  static const char *const geom[] = { "class",    "type",         "contype",   "conaffinity", "condim",     "group",
                                      "priority", "size",         "material",  "friction",    "mass",       "density",
                                      "solmix",   "solref",       "solimp",    "margin",      "gap",        "fromto",
                                      "pos",      "quat",         "axisangle", "xyaxes",      "zaxis",      "euler",
                                      "hfield",   "mesh",         "fitscale",  "rgba",        "fluidshape", "fluidcoef",
                                      "user",     "shellinertia", "name" };
  static const char *const equality[] = { "class",    "name",   "active",  "solref",      "solimp", "body1",
                                          "body2",    "anchor", "relpose", "torquescale", "joint1", "joint2",
                                          "polycoef", "site1",  "site2",   "tendon1",     "tendon2" };
  static const char *const tendon[] = { "class",           "name",      "group",          "limited",
                                        "range",           "margin",    "solreflimit",    "solimplimit",
                                        "frictionloss",    "stiffness", "solreffriction", "solimpfriction",
                                        "damping",         "width",     "material",       "rgba",
                                        "springlength",    "user",      "armature",       "actuatorfrclimited",
                                        "actuatorfrcrange" };
  static const char *const pair[] = { "class",  "name",           "geom1",  "geom2",  "condim", "friction",
                                      "solref", "solreffriction", "solimp", "margin", "gap" };
  /* Those of muscles and the like are reported with their element. */
  static const char *const actuator[] = {
    "name",      "class",         "group",     "user",        "ctrllimited", "forcelimited", "actlimited",
    "ctrlrange", "forcerange",    "actrange",  "lengthrange", "gear",        "cranklength",  "joint",
    "tendon",    "jointinparent", "cranksite", "slidersite",  "site",        "refsite",      "body",
    "dyntype",   "gaintype",      "biastype",  "dynprm",      "gainprm",     "biasprm",      "kp",
    "kv",        "dampratio",     "timeconst", "area",        "diameter",    "inheritrange", "bias",
    "actearly",  "actdim",        "gain",      "force",       "scale",       "range",        "tausmooth",
    "lmin",      "lmax",          "vmax",      "fpmax",       "fvmax",       "plugin",       "instance"
  };
  static const struct {
    const char *const *words;
    int n;
  } known[MJCF_NO_DEFAULTS] = { [MJCF_JOINT] = { joint, CDNI_COUNT(joint) },
                                [MJCF_GEOM] = { geom, CDNI_COUNT(geom) },
                                [MJCF_EQUALITY] = { equality, CDNI_COUNT(equality) },
                                [MJCF_ACTUATOR] = { actuator, CDNI_COUNT(actuator) },
                                [MJCF_PAIR] = { pair, CDNI_COUNT(pair) },
                                [MJCF_TENDON] = { tendon, CDNI_COUNT(tendon) } };
  if (known[e->kind].n == 0) io_xml_ignore_all(e->node); /* only drawn, or read with its section */
  for (int i = 0; i < known[e->kind].n; i++) io_xml_ignore(e->node, known[e->kind].words[i]);
  io_xml_report_rest(r->log, e->node);
}

/* ---- attributes with their defaults ---- */

/* Elements in which to look for an attribute, from the nearest outwards: the element, then defaults. */
typedef struct search {
  const mjcf_element *e;
  io_xml_node *node;
  int document, class, entry, level;
} search;

static search start_search(const mjcf_reader *r, const mjcf_element *e) {
  search s = { .e = e, .node = e->node, .document = r->document, .class = -1, .entry = -1, .level = 0 };
  if (e->kind != MJCF_NO_DEFAULTS) {
    s.class = e->class;
    s.entry = CDNI_AT(r->classes, mjcf_class, e->class).first[e->kind];
  }
  return s;
}

static void search_outwards(const mjcf_reader *r, search *s) {
  s->level++;
  while (s->entry < 0 && s->class >= 0) {
    s->class = CDNI_AT(r->classes, mjcf_class, s->class).parent;
    if (s->class >= 0) s->entry = CDNI_AT(r->classes, mjcf_class, s->class).first[s->e->kind];
  }
  s->node = NULL;
  if (s->entry < 0) return;
  const mjcf_default *found = &CDNI_AT(r->defaults, mjcf_default, s->entry);
  s->node = found->node;
  s->document = found->document;
  s->entry = found->next;
}

/* The nearest element that has the attribute; node NULL if none does. */
static search find(const mjcf_reader *r, const mjcf_element *e, const char *attribute) {
  search s = start_search(r, e);
  while (s.node && !io_xml_has(s.node, attribute)) search_outwards(r, &s);
  return s;
}

cdn_status io_mjcf_visit(mjcf_reader *r, const mjcf_element *e,
                         cdn_status (*visit)(mjcf_reader *r, io_xml_node *node, void *context), void *context) {
  cdni_array found = { 0 }; /* search: the nearest first */
  cdn_status status = CDN_OK;
  for (search s = start_search(r, e); s.node && status == CDN_OK; search_outwards(r, &s))
    if (!cdni_array_push(&r->log->allocator, &found, sizeof s, &s)) status = io_mjcf_out_of_memory(r);
  for (size_t i = found.count; i > 0 && status == CDN_OK; i--) {
    const search *s = &CDNI_AT(found, search, i - 1);
    const int before = io_mjcf_enter(r, s->document); /* a message names the file that holds the default */
    status = visit(r, s->node, context);
    io_mjcf_enter(r, before);
  }
  cdni_array_free(&r->log->allocator, &found);
  return status;
}

int io_mjcf_level(mjcf_reader *r, const mjcf_element *e, const char *attribute) {
  const search s = find(r, e, attribute);
  return s.node ? s.level : -1;
}

bool io_mjcf_has(mjcf_reader *r, const mjcf_element *e, const char *attribute) {
  return io_mjcf_level(r, e, attribute) >= 0;
}

cdn_status io_mjcf_doubles(mjcf_reader *r, const mjcf_element *e, const char *attribute, double *values, int n,
                           bool *present) {
  const search s = find(r, e, attribute);
  if (present) *present = s.node != NULL;
  if (!s.node) return CDN_OK;
  const int before = io_mjcf_enter(r, s.document); /* a message names the file that holds the default */
  const cdn_status status = io_xml_doubles(r->log, s.node, attribute, values, n, NULL);
  io_mjcf_enter(r, before);
  return status;
}

cdn_status io_mjcf_double(mjcf_reader *r, const mjcf_element *e, const char *attribute, double *value) {
  return io_mjcf_doubles(r, e, attribute, value, 1, NULL);
}

cdn_status io_mjcf_range(mjcf_reader *r, const mjcf_element *e, double range[2], bool *limited) {
  static const char *const words[] = { "false", "true", "auto" };
  int word = 2;
  range[0] = range[1] = 0;
  CDNI_TRY(io_mjcf_keyword(r, e, "limited", words, 3, &word));
  CDNI_TRY(io_mjcf_doubles(r, e, "range", range, 2, NULL));
  *limited = word == 1 || (word == 2 && r->compiler.autolimits && range[0] < range[1]);
  char text[200];
  if (word == 2 && r->compiler.autolimits && !*limited && (range[0] != 0 || range[1] != 0))
    io_warn(r->log, io_xml_line(e->node),
            "%s: the range '%g %g' is empty and limits nothing; write range='LOWER UPPER'",
            io_xml_describe(e->node, text, sizeof text), range[0], range[1]);
  return CDN_OK;
}

cdn_status io_mjcf_vec3(mjcf_reader *r, const mjcf_element *e, const char *attribute, cdn_vec3 *value) {
  double v[3] = { value->x, value->y, value->z };
  CDNI_TRY(io_mjcf_doubles(r, e, attribute, v, 3, NULL));
  *value = cdn_v3(v[0], v[1], v[2]);
  return CDN_OK;
}

enum { MAX_LIST = 6 };

cdn_status io_mjcf_doubles_upto(mjcf_reader *r, const mjcf_element *e, const char *attribute, double *values, int most,
                                int *count) {
  *count = 0;
  for (search s = start_search(r, e); s.node && *count < most; search_outwards(r, &s)) {
    double v[MAX_LIST];
    int n;
    const int before = io_mjcf_enter(r, s.document);
    const cdn_status status = io_xml_doubles_upto(r->log, s.node, attribute, v, 1, most, &n);
    io_mjcf_enter(r, before);
    CDNI_TRY(status);
    for (; *count < n; ++*count) values[*count] = v[*count];
  }
  return CDN_OK;
}

cdn_status io_mjcf_string(mjcf_reader *r, const mjcf_element *e, const char *attribute, const char **value) {
  const search s = find(r, e, attribute);
  if (s.node) *value = io_xml_string(s.node, attribute);
  return CDN_OK;
}

cdn_status io_mjcf_int(mjcf_reader *r, const mjcf_element *e, const char *attribute, int *value) {
  const search s = find(r, e, attribute);
  if (!s.node) return CDN_OK;
  const int before = io_mjcf_enter(r, s.document);
  const cdn_status status = io_xml_int(r->log, s.node, attribute, value, NULL);
  io_mjcf_enter(r, before);
  return status;
}

cdn_status io_mjcf_bool(mjcf_reader *r, const mjcf_element *e, const char *attribute, bool *value) {
  const search s = find(r, e, attribute);
  if (!s.node) return CDN_OK;
  const int before = io_mjcf_enter(r, s.document);
  const cdn_status status = io_xml_bool(r->log, s.node, attribute, value, NULL);
  io_mjcf_enter(r, before);
  return status;
}

cdn_status io_mjcf_keyword(mjcf_reader *r, const mjcf_element *e, const char *attribute, const char *const *words,
                           int n, int *index) {
  const search s = find(r, e, attribute);
  if (!s.node) return CDN_OK;
  const int before = io_mjcf_enter(r, s.document);
  const cdn_status status = io_xml_keyword(r->log, s.node, attribute, words, n, index, NULL);
  io_mjcf_enter(r, before);
  return status;
}
