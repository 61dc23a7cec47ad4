/* Composites in one and two dimensions: particles and grids, whose bodies slide; ropes, loops and cloths, whose bodies
 * are a tree that begins at the body around the element. */
#include <math.h>
#include <stdio.h>

#include "io/mjcf_lattice.h"

static const double PI = 3.14159265358979323846;

static cdn_vec3 unit(int axis) { return cdn_v3(axis == 0, axis == 1, axis == 2); }

/* ---- particles and grids ---- */

cdn_status io_lattice_particles(lattice *g) {
  const double d = g->spacing;
  const cdn_vec3 at = g->offset;
  const int *n = g->count;
  for (int i = 0; i < n[0] * n[1] * n[2]; i++) {
    const int x = i / (n[1] * n[2]), y = i / n[2] % n[1], z = i % n[2];
    io_xml_node *body = io_lattice_add(g, NULL, "body", NULL);
    io_lattice_vec3(g, body, "pos", at.x + d * (x - 0.5 * n[0]), at.y + d * (y - 0.5 * n[1]),
                    at.z + d * (z - 0.5 * n[2]));
    for (int k = 0; k < 3; k++) io_lattice_joint(g, body, LATTICE_JOINT, false, cdn_v3(0, 0, 0), unit(k));
    io_xml_node *geom = io_lattice_geom(g, body);
    io_lattice_set(g, geom, "size", g->size, 1);
    if (g->good) g->good = io_xml_set(geom, "type", "sphere");
  }
  return CDN_OK;
}

static cdn_status is_pinned(lattice *g, int x, int y, bool *pinned) {
  *pinned = false;
  for (io_xml_node *pin = io_xml_child(g->node, "pin"); pin; pin = io_xml_next_named(pin, "pin")) {
    double at[2] = { 0, 0 };
    int given;
    CDNI_TRY(io_xml_doubles_upto(g->r->log, pin, "coord", at, 1, 2, &given));
    *pinned = *pinned || (given > 0 && at[0] == x && at[1] == y);
  }
  return CDN_OK;
}

static cdn_status add_grid_body(lattice *g, int x, int y) {
  const double d = g->spacing;
  bool pinned;
  io_xml_node *body = io_lattice_add(g, NULL, "body", "B%d_%d", x, y);
  io_lattice_vec3(g, body, "pos", g->offset.x + d * (x - 0.5 * g->count[0]), g->offset.y + d * (y - 0.5 * g->count[1]),
                  g->offset.z);
  io_xml_node *geom = io_lattice_geom(g, body), *site = io_lattice_site(g, body);
  io_lattice_text(g, geom, "name", "G%d_%d", x, y);
  io_lattice_set(g, geom, "size", g->size, 1);
  io_lattice_text(g, site, "name", "S%d_%d", x, y);
  if (g->good) g->good = io_xml_set(geom, "type", "sphere") && io_xml_set(site, "type", "sphere");
  CDNI_TRY(is_pinned(g, x, y, &pinned));
  for (int k = 0; k < 3 && !pinned; k++)
    io_lattice_text(g, io_lattice_joint(g, body, LATTICE_JOINT, false, cdn_v3(0, 0, 0), unit(k)), "name", "J%d_%d_%d",
                    k, x, y);
  return CDN_OK;
}

/* From (x, y) to (x1, y1). */
static void add_tendon(lattice *g, int kind, const char *name, int x, int y, int x1, int y1) {
  char a[40], b[40];
  snprintf(a, sizeof a, "S%d_%d", x, y);
  snprintf(b, sizeof b, "S%d_%d", x1, y1);
  io_lattice_tendon(g, kind, name, a, b);
}

/* Across the squares. */
static void add_shear(lattice *g) {
  char name[40];
  for (int x = 0; g->has[LATTICE_SHEAR] && x + 1 < g->count[0]; x++)
    for (int y = 0; y + 1 < g->count[1]; y++) {
      snprintf(name, sizeof name, "TS%d_%d", x, y);
      add_tendon(g, LATTICE_SHEAR, name, x, y, x + 1, y + 1);
    }
}

cdn_status io_lattice_grid(lattice *g) {
  char name[60];
  if (g->dim > 2 || (g->has[LATTICE_SHEAR] && g->dim != 2))
    return io_xml_fail(g->r->log, CDN_ERR_PARSE, g->node,
                       "a grid has one or two counts above 1, and two if it has tendons of the kind shear; correct it");
  for (int x = 0; x < g->count[0]; x++)
    for (int y = 0; y < g->count[1]; y++) CDNI_TRY(add_grid_body(g, x, y));
  for (int along = 0; along < 2; along++)
    for (int x = 0; x < g->count[0] - (along == 0); x++)
      for (int y = 0; y < g->count[1] - (along == 1); y++) {
        snprintf(name, sizeof name, "T%d_%d_%d", along, x, y);
        add_tendon(g, LATTICE_TENDON, name, x, y, x + (along == 0), y + (along == 1));
      }
  add_shear(g);
  return CDN_OK;
}

/* ---- the body around ropes and cloths ---- */

/* Its place in the lattice, which its name has after the prefix and B. */
static cdn_status find_origin(const lattice *g, int n, int origin[2]) {
  const io_xml_node *body = io_xml_parent(g->node);
  const char *name = body && io_xml_is(body, "body") ? io_xml_peek(body, "name") : NULL;
  const size_t length = strlen(g->prefix);
  char c, rest;
  bool good = name && strncmp(name, g->prefix, length) == 0 && name[length] == 'B';
  if (good && n == 1) good = sscanf(name + length + 1, "%d%c", &origin[0], &rest) == 1;
  if (good && n == 2) good = sscanf(name + length + 1, "%d%c%d%c", &origin[0], &c, &origin[1], &rest) == 3 && c == '_';
  for (int k = 0; k < n && good; k++) good = origin[k] >= 0 && origin[k] < g->count[k];
  if (good) return CDN_OK;
  return io_xml_fail(g->r->log, CDN_ERR_PARSE, g->node,
                     "it must be directly in one of its bodies, whose name tells which: '%.60sB%s' is the first one",
                     g->prefix, n == 1 ? "0" : "0_0");
}

/* Joints at `pos`, one of the kind for which the lattice has elements; each is held. */
static void add_held(lattice *g, io_xml_node *body, int kind, cdn_vec3 pos, cdn_vec3 axis, const char *name) {
  if (!g->has[kind]) return;
  io_lattice_text(g, io_lattice_joint(g, body, kind, kind == LATTICE_TWIST, pos, axis), "name", "%s", name);
  io_lattice_hold(g, kind, "joint", name);
}

/* ---- ropes and loops ---- */

static void place_in_loop(lattice *g, io_xml_node *body, int way) {
  const double half = PI / g->count[0], R = 0.5 * g->spacing * sin(PI - 2 * half) / sin(half);
  io_lattice_vec3(g, body, "pos", way * R * cos(half), R * sin(half), 0);
  io_lattice_set(g, body, "quat", (double[]){ cos(half), 0, 0, way * sin(half) }, 4);
}

static void add_rope_geom(lattice *g, io_xml_node *body, int x) {
  io_xml_node *geom = io_lattice_geom(g, body);
  io_lattice_text(g, geom, "name", "G%d", x);
  io_lattice_set(g, geom, "quat", (double[]){ sqrt(0.5), 0, sqrt(0.5), 0 }, 4);
}

/* Body x, whose neighbour on the way to the origin is `parent`. */
static io_xml_node *add_rope_body(lattice *g, io_xml_node *parent, int x, int way) {
  io_xml_node *body = io_lattice_add(g, parent, "body", "B%d", x);
  const cdn_vec3 middle = cdn_v3(-0.5 * g->spacing * way, 0, 0);
  char name[40];
  if (g->type == LATTICE_LOOP) place_in_loop(g, body, way);
  else io_lattice_vec3(g, body, "pos", g->spacing * way, 0, 0);
  add_rope_geom(g, body, x);
  for (int k = 0; k < 2; k++)
    io_lattice_text(g, io_lattice_joint(g, body, LATTICE_JOINT, true, middle, unit(k + 1)), "name", "J%d_%d", k, x);
  snprintf(name, sizeof name, "JT%d", x);
  add_held(g, body, LATTICE_TWIST, middle, unit(0), name);
  snprintf(name, sizeof name, "JS%d", x);
  add_held(g, body, LATTICE_STRETCH, middle, unit(0), name);
  return body;
}

/* The first and the last body, which do not touch. */
static void close_loop(lattice *g) {
  io_xml_node *section = io_lattice_section(g, &g->equalities, "equality");
  io_xml_node *connect = g->good ? io_xml_add(section, "connect", io_xml_line(g->node)) : NULL;
  io_xml_node *contacts = io_lattice_section(g, &g->pairs, "contact");
  io_xml_node *exclude = g->good ? io_xml_add(contacts, "exclude", io_xml_line(g->node)) : NULL;
  io_lattice_vec3(g, connect, "anchor", -0.5 * g->spacing, 0, 0);
  io_lattice_law(g, connect, &g->smooth);
  io_xml_node *const both[] = { connect, exclude };
  for (int i = 0; i < 2; i++) {
    io_lattice_text(g, both[i], "body1", "B0");
    io_lattice_text(g, both[i], "body2", "B%d", g->count[0] - 1);
  }
}

cdn_status io_lattice_rope(lattice *g) {
  int origin[2];
  if (g->dim != 1)
    return io_xml_fail(g->r->log, CDN_ERR_PARSE, g->node, "a rope or loop has one count above 1; correct it");
  CDNI_TRY(find_origin(g, 1, origin));
  add_rope_geom(g, NULL, origin[0]);
  for (int way = 1; way >= -1; way -= 2) {
    io_xml_node *at = NULL;
    for (int x = origin[0] + way; x >= 0 && x < g->count[0] && g->good; x += way) at = add_rope_body(g, at, x, way);
  }
  if (g->type == LATTICE_LOOP) close_loop(g);
  return CDN_OK;
}

/* ---- cloths ---- */

static double volume(const lattice *g) {
  const char *type = io_xml_peek(g->geom, "type");
  const double *s = g->size, r = s[0];
  if (type && strcmp(type, "ellipsoid") == 0) return 4 * PI / 3 * s[0] * s[1] * s[2];
  return 4 * PI / 3 * r * r * r + (type && strcmp(type, "capsule") == 0 ? 2 * PI * r * r * s[1] : 0);
}

/* The inertia of a flat box that is as large as the spacing. */
static cdn_status add_flat_inertia(lattice *g, io_xml_node *body) {
  double mass = 0, density = 1000;
  bool given;
  const double a = 0.5 * g->spacing, b = a * g->flatinertia;
  CDNI_TRY(io_xml_double(g->r->log, g->geom, "mass", &mass, &given));
  CDNI_TRY(io_xml_double(g->r->log, g->geom, "density", &density, NULL));
  if (!given) mass = density * volume(g);
  if (!body && io_xml_child(io_xml_parent(g->node), "inertial"))
    return io_xml_fail(g->r->log, CDN_ERR_PARSE, g->node,
                       "the body around it has an <inertial>, in whose place flatinertia puts another: take out one of "
                       "them");
  io_xml_node *inertial = !g->good ? NULL
                          : body   ? io_xml_add(body, "inertial", io_xml_line(g->node))
                                   : io_xml_add_before(g->node, "inertial", io_xml_line(g->node));
  io_lattice_vec3(g, inertial, "pos", 0, 0, 0);
  io_lattice_set(g, inertial, "mass", &mass, 1);
  io_lattice_vec3(g, inertial, "diaginertia", mass * (a * a + b * b) / 3, mass * (a * a + b * b) / 3,
                  mass * 2 * a * a / 3);
  return CDN_OK;
}

/* `body` NULL: that around the element. */
static cdn_status add_cloth_parts(lattice *g, io_xml_node *body, int x, int y) {
  static const double odd[4] = { 0.70710678118654752, 0.70710678118654752, 0, 0 }, even[4] = { 0.5, 0.5, 0.5, 0.5 };
  io_xml_node *geom = io_lattice_geom(g, body);
  io_lattice_text(g, geom, "name", "G%d_%d", x, y);
  io_lattice_set(g, geom, "quat", (x + y) % 2 ? odd : even, 4);
  if (g->flatinertia > 0) CDNI_TRY(add_flat_inertia(g, body));
  io_xml_node *site = io_lattice_site(g, body);
  io_lattice_text(g, site, "name", "S%d_%d", x, y);
  if (g->good) g->good = io_xml_set(site, "type", "sphere");
  return CDN_OK;
}

/* Body (x, y), one step dx or dy away from its parent. *made is inside that. */
static cdn_status add_cloth_body(lattice *g, io_xml_node *parent, int x, int y, int dx, int dy, io_xml_node **made) {
  const double d = g->spacing;
  const cdn_vec3 pos = cdn_v3(-d * dx, -d * dy, 0), along = unit(dx ? 0 : 1);
  char name[40];
  io_xml_node *body = *made = io_lattice_add(g, parent, "body", "B%d_%d", x, y);
  io_lattice_vec3(g, body, "pos", d * dx, d * dy, 0);
  if (!body) return CDN_OK;
  CDNI_TRY(add_cloth_parts(g, body, x, y));
  for (int k = 0; k < 2; k++)
    io_lattice_text(g, io_lattice_joint(g, body, LATTICE_JOINT, true, pos, unit(dx ? k + 1 : 2 * k)), "name",
                    "J%d_%d_%d", k, x, y);
  snprintf(name, sizeof name, "JT%d_%d", x, y);
  add_held(g, body, LATTICE_TWIST, pos, along, name);
  snprintf(name, sizeof name, "JS%d_%d", x, y);
  add_held(g, body, LATTICE_STRETCH, pos, along, name);
  return CDN_OK;
}

/* Both ways from (x, origin). */
static cdn_status add_column(lattice *g, io_xml_node *from, int x, int origin) {
  for (int way = 1; way >= -1; way -= 2) {
    io_xml_node *at = from;
    for (int y = origin + way; y >= 0 && y < g->count[1] && g->good; y += way)
      CDNI_TRY(add_cloth_body(g, at, x, y, 0, way, &at));
  }
  return CDN_OK;
}

cdn_status io_lattice_cloth(lattice *g) {
  int origin[2];
  char name[40];
  if (g->dim != 2) return io_xml_fail(g->r->log, CDN_ERR_PARSE, g->node, "a cloth has two counts above 1; correct it");
  CDNI_TRY(find_origin(g, 2, origin));
  CDNI_TRY(add_cloth_parts(g, NULL, origin[0], origin[1]));
  CDNI_TRY(add_column(g, NULL, origin[0], origin[1]));
  for (int way = 1; way >= -1; way -= 2) {
    io_xml_node *at = NULL;
    for (int x = origin[0] + way; x >= 0 && x < g->count[0] && g->good; x += way) {
      CDNI_TRY(add_cloth_body(g, at, x, origin[1], way, 0, &at));
      CDNI_TRY(add_column(g, at, x, origin[1]));
    }
  }
  /* the origin's row is held by its joints */
  for (int y = 0; y < g->count[1]; y++)
    for (int x = 0; y != origin[1] && x + 1 < g->count[0]; x++) {
      snprintf(name, sizeof name, "T%d_%d", x, y);
      add_tendon(g, LATTICE_TENDON, name, x, y, x + 1, y);
    }
  add_shear(g);
  return CDN_OK;
}
