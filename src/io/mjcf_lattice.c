/* <composite> of the types that MuJoCo 2.2.2 has beside cables (later ones have dropped them): what the element says,
 * and the elements that are written for it. */
#include "io/mjcf_lattice.h"

#include <stdio.h>

/* ---- writing ---- */

static void print_name(const lattice *g, char *text, size_t size, const char *format, va_list args) {
  char name[200];
  cdni_vprint(name, sizeof name, format, args);
  snprintf(text, size, "%.200s%s", g->prefix, name);
}

static void set_text(lattice *g, io_xml_node *node, const char *attribute, const char *text) {
  g->good = g->good && node && io_xml_set(node, attribute, text);
}

void io_lattice_text(lattice *g, io_xml_node *node, const char *attribute, const char *name, ...) {
  char text[420];
  va_list args;
  va_start(args, name);
  print_name(g, text, sizeof text, name, args);
  va_end(args);
  set_text(g, node, attribute, text);
}

void io_lattice_set(lattice *g, io_xml_node *node, const char *attribute, const double *x, int n) {
  g->good = g->good && node && io_composite_set(node, attribute, x, n);
}

void io_lattice_vec3(lattice *g, io_xml_node *node, const char *attribute, double x, double y, double z) {
  io_lattice_set(g, node, attribute, (double[]){ x, y, z }, 3);
}

io_xml_node *io_lattice_add(lattice *g, io_xml_node *parent, const char *word, const char *name, ...) {
  const int line = io_xml_line(g->node);
  if (!g->good) return NULL;
  io_xml_node *made = parent ? io_xml_add(parent, word, line) : io_xml_add_before(g->node, word, line);
  if (strcmp(word, "body") != 0) set_text(g, made, "class", MJCF_PLAIN_CLASS);
  if (!name) return made;
  char text[420];
  va_list args;
  va_start(args, name);
  print_name(g, text, sizeof text, name, args);
  va_end(args);
  set_text(g, made, "name", text);
  return made;
}

static void copy(lattice *g, io_xml_node *from, io_xml_node *to) {
  static const char *const own[] = { "kind", "solreffix", "solimpfix", "name", "pos", "axis" };
  g->good = g->good && to && io_composite_copy(from, to, own, CDNI_COUNT(own));
}

io_xml_node *io_lattice_geom(lattice *g, io_xml_node *body) {
  io_xml_node *geom = io_lattice_add(g, body, "geom", NULL);
  if (g->type == LATTICE_PARTICLE) set_text(g, geom, "condim", "1"), set_text(g, geom, "priority", "1");
  if (g->type >= LATTICE_BOX) set_text(g, geom, "contype", "0"); /* its parts do not touch each other */
  copy(g, g->geom, geom);
  return geom;
}

io_xml_node *io_lattice_site(lattice *g, io_xml_node *body) {
  io_xml_node *site = io_lattice_add(g, body, "site", NULL);
  set_text(g, site, "group", "3");
  copy(g, g->site, site);
  return site;
}

/* ---- joints and tendons, by what they are for ---- */

static const char *const joint_kinds[] = { "main", "twist", "stretch" }, *const tendon_kinds[] = { "main", "shear" };

/* The kind of one of the element's joints or tendons; -1: of another one. */
static int kind_of(const io_xml_node *part) {
  const char *kind = io_xml_peek(part, "kind");
  const bool joint = io_xml_is(part, "joint");
  const char *const *words = joint ? joint_kinds : tendon_kinds;
  for (int i = 0; kind && i < (joint ? 3 : 2); i++)
    if (strcmp(kind, words[i]) == 0) return joint ? i : LATTICE_TENDON + i;
  return -1;
}

void io_lattice_copy_kind(lattice *g, io_xml_node *to, int kind) {
  const char *word = kind < LATTICE_TENDON ? "joint" : "tendon";
  for (io_xml_node *part = io_xml_child(g->node, word); part; part = io_xml_next_named(part, word))
    if (kind_of(part) == kind) copy(g, part, to);
}

io_xml_node *io_lattice_joint(lattice *g, io_xml_node *body, int kind, bool hinge, cdn_vec3 pos, cdn_vec3 axis) {
  io_xml_node *joint = io_lattice_add(g, body, "joint", NULL);
  io_lattice_copy_kind(g, joint, kind);
  set_text(g, joint, "type", hinge ? "hinge" : "slide");
  io_lattice_vec3(g, joint, "pos", pos.x, pos.y, pos.z);
  io_lattice_vec3(g, joint, "axis", axis.x, axis.y, axis.z);
  return joint;
}

io_xml_node *io_lattice_section(lattice *g, io_xml_node **section, const char *word) {
  if (!*section && g->good) *section = io_xml_add(g->root, word, io_xml_line(g->node));
  g->good = g->good && *section;
  return *section;
}

void io_lattice_law(lattice *g, io_xml_node *equality, const lattice_law *law) {
  io_lattice_set(g, equality, "solref", law->ref, 2);
  io_lattice_set(g, equality, "solimp", law->imp, 5);
}

void io_lattice_hold(lattice *g, int kind, const char *element, const char *name) {
  io_xml_node *section = io_lattice_section(g, &g->equalities, "equality");
  io_xml_node *equality = section ? io_lattice_add(g, section, element, NULL) : NULL;
  io_lattice_text(g, equality, kind < LATTICE_TENDON ? "joint1" : "tendon1", "%s", name);
  io_lattice_law(g, equality, &g->fix[kind]);
}

void io_lattice_tendon(lattice *g, int kind, const char *tendon, const char *a, const char *b) {
  io_xml_node *section = io_lattice_section(g, &g->tendons, "tendon");
  io_xml_node *made = section ? io_lattice_add(g, section, "spatial", "%s", tendon) : NULL;
  io_lattice_copy_kind(g, made, kind);
  const char *const sites[] = { a, b };
  for (int i = 0; i < 2 && g->good; i++) {
    io_xml_node *site = io_xml_add(made, "site", io_xml_line(g->node));
    io_lattice_text(g, site, "site", "%s", sites[i]);
  }
  io_lattice_hold(g, kind, "tendon", tendon);
}

/* ---- reading ---- */

static const char *const types[LATTICE_TYPES] = { "particle", "grid", "rope",     "loop",
                                                  "cloth",    "box",  "cylinder", "ellipsoid" };

int io_mjcf_lattice_type(const char *name) {
  for (int i = 0; i < LATTICE_TYPES; i++)
    if (strcmp(name, types[i]) == 0) return i;
  return -1;
}

static const lattice_law usual = { { 0.02, 1 }, { 0.9, 0.95, 0.001, 0.5, 2 } };
static const lattice_law hard = { { 0.01, 1 }, { 0.99, 0.99, 0.001, 0.5, 2 } };
static const lattice_law soft = { { 0.02, 1 }, { 0.9, 0.9, 0.001, 0.5, 2 } };

static cdn_status read_law(lattice *g, io_xml_node *node, const char *ref, const char *imp, lattice_law *law) {
  int given;
  CDNI_TRY(io_xml_doubles_upto(g->r->log, node, ref, law->ref, 1, 2, &given));
  return io_xml_doubles_upto(g->r->log, node, imp, law->imp, 1, 5, &given);
}

/* The laws of a type before the element says more. */
static void set_laws(lattice *g) {
  const bool solid = g->type >= LATTICE_BOX;
  g->smooth = g->type == LATTICE_LOOP ? hard : solid ? soft : usual;
  for (int k = 0; k < LATTICE_KINDS; k++) g->fix[k] = solid ? soft : usual;
  if (solid || g->type == LATTICE_GRID) g->fix[LATTICE_TENDON] = hard;
}

static cdn_status read_parts(lattice *g, const char *word) {
  for (io_xml_node *part = io_xml_child(g->node, word); part; part = io_xml_next_named(part, word)) {
    const int kind = kind_of(part);
    io_xml_mark(part);
    if (kind < 0) {
      const char *text = io_xml_peek(part, "kind");
      char note[120];
      snprintf(note, sizeof note, "composite %.20s kind=%.60s", word, text ? text : "");
      io_not_understood(g->r->log, io_xml_line(part), note);
      continue;
    }
    g->has[kind] = true;
    CDNI_TRY(read_law(g, part, "solreffix", "solimpfix", &g->fix[kind]));
  }
  return CDN_OK;
}

static cdn_status read_counts(lattice *g) {
  enum { MOST_BODIES = 10000 };
  double count[3] = { 1, 1, 1 };
  bool ended = false, good = true;
  int given;
  CDNI_TRY(io_xml_doubles_upto(g->r->log, g->node, "count", count, 1, 3, &given));
  for (int k = 0; k < 3; k++) {
    good = good && count[k] >= 1 && count[k] <= MOST_BODIES && count[k] == (int)count[k] && !(ended && count[k] > 1);
    ended = ended || !(count[k] > 1);
    g->dim += count[k] > 1;
    g->count[k] = good ? (int)count[k] : 1;
  }
  if (good && count[0] * count[1] * count[2] <= MOST_BODIES) return CDN_OK;
  return io_xml_fail(g->r->log, CDN_ERR_PARSE, g->node,
                     "count has up to three whole numbers, at least 1, of which those that are 1 come last, and their "
                     "product is at most %d; correct it",
                     MOST_BODIES);
}

static cdn_status read_geom(lattice *g) {
  static const char *const shapes[] = { "sphere", "capsule", "ellipsoid" };
  int shape = 0, given;
  g->geom = io_xml_child(g->node, "geom");
  if (!g->geom) return io_xml_fail(g->r->log, CDN_ERR_PARSE, g->node, "its bodies need a <geom>: write one into it");
  io_xml_mark(g->geom);
  CDNI_TRY(io_xml_keyword(g->r->log, g->geom, "type", shapes, 3, &shape, NULL));
  return io_xml_doubles_upto(g->r->log, g->geom, "size", g->size, 1, 3, &given);
}

static cdn_status read_lattice(lattice *g) {
  io_log *log = g->r->log;
  const char *prefix = io_xml_string(g->node, "prefix");
  g->prefix = prefix ? prefix : "";
  io_xml_ignore(g->node, "type");
  CDNI_TRY(read_counts(g));
  CDNI_TRY(io_xml_double(log, g->node, "spacing", &g->spacing, NULL));
  CDNI_TRY(io_xml_double(log, g->node, "flatinertia", &g->flatinertia, NULL));
  CDNI_TRY(io_xml_vec3(log, g->node, "offset", &g->offset, NULL));
  if (!(g->spacing > 0))
    return io_xml_fail(log, CDN_ERR_PARSE, g->node, "write its spacing, the distance of its points in m");
  set_laws(g);
  CDNI_TRY(read_law(g, g->node, "solrefsmooth", "solimpsmooth", &g->smooth));
  CDNI_TRY(read_geom(g));
  g->site = io_xml_child(g->node, "site");
  if (g->site) io_xml_mark(g->site);
  CDNI_TRY(read_parts(g, "joint"));
  CDNI_TRY(read_parts(g, "tendon"));
  if (g->type == LATTICE_GRID)
    for (io_xml_node *pin = io_xml_child(g->node, "pin"); pin; pin = io_xml_next_named(pin, "pin")) io_xml_mark(pin);
  io_xml_report_rest(log, g->node); /* skin and plugin among others */
  return CDN_OK;
}

cdn_status io_mjcf_expand_lattice(mjcf_reader *r, io_xml_node *node, int type, io_xml_node *root) {
  static cdn_status (*const make[LATTICE_TYPES])(lattice * g) = {
    [LATTICE_PARTICLE] = io_lattice_particles, [LATTICE_GRID] = io_lattice_grid,    [LATTICE_ROPE] = io_lattice_rope,
    [LATTICE_LOOP] = io_lattice_rope,          [LATTICE_CLOTH] = io_lattice_cloth,  [LATTICE_BOX] = io_lattice_box,
    [LATTICE_CYLINDER] = io_lattice_box,       [LATTICE_ELLIPSOID] = io_lattice_box
  };
  lattice g = { .r = r, .node = node, .root = root, .type = type, .good = true };
  CDNI_TRY(read_lattice(&g));
  CDNI_TRY(make[type](&g));
  return g.good ? CDN_OK : io_mjcf_out_of_memory(r);
}
