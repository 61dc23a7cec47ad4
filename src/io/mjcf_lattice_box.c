/* Composites in three dimensions: a box, cylinder or ellipsoid whose bodies slide towards the middle. */
#include <math.h>
#include <stdio.h>

#include "io/mjcf_lattice.h"

static bool on_shell(const lattice *g, const int i[3]) {
  bool on = false;
  for (int k = 0; k < 3; k++) on = on || i[k] == 0 || i[k] == g->count[k] - 1;
  return on;
}

/* Where point i of the shell is: in a box between -1 and 1, taken onto the shape. */
static cdn_vec3 place(const lattice *g, const int i[3]) {
  double p[3], scale = 1;
  for (int k = 0; k < 3; k++) p[k] = 2.0 * i[k] / (g->count[k] - 1) - 1;
  const double across = hypot(p[0], p[1]);
  if (g->type == LATTICE_CYLINDER && across > 0) scale = fmax(fabs(p[0]), fabs(p[1])) / across;
  if (g->type == LATTICE_ELLIPSOID) scale = 1 / cdn_norm(cdn_v3(p[0], p[1], p[2]));
  for (int k = 0; k < 3; k++)
    p[k] *= 0.5 * g->spacing * (g->count[k] - 1) * (k == 2 && g->type == LATTICE_CYLINDER ? 1 : scale);
  return cdn_v3(p[0], p[1], p[2]);
}

static void add_centre(lattice *g) {
  io_xml_node *geom = io_lattice_geom(g, NULL);
  io_lattice_text(g, geom, "name", "Gcenter");
  io_lattice_set(g, geom, "size", (double[]){ 2 * g->size[0] }, 1);
  if (g->good) g->good = io_xml_set(geom, "type", "sphere");
}

/* Inwards from the body's origin. */
static void add_geom(lattice *g, io_xml_node *body, const int i[3]) {
  const char *type = io_xml_peek(g->geom, "type");
  const bool capsule = type && strcmp(type, "capsule") == 0;
  io_xml_node *geom = io_lattice_geom(g, body);
  io_lattice_text(g, geom, "name", "G%d_%d_%d", i[0], i[1], i[2]);
  io_lattice_vec3(g, geom, "pos", 0, 0, -(g->size[0] + (capsule ? g->size[1] : 0)));
  if (capsule) return;
  io_lattice_set(g, geom, "size", g->size, 1);
  if (g->good) g->good = io_xml_set(geom, "type", "sphere");
}

/* Slides of neighbours are equal, softly. */
static void add_neighbours(lattice *g, const int i[3], const char *name) {
  for (int k = 0; k < 3 && g->good; k++) {
    int next[3] = { i[0], i[1], i[2] };
    if (++next[k] >= g->count[k] || !on_shell(g, next)) continue;
    io_xml_node *equality = io_xml_add(g->equalities, "joint", io_xml_line(g->node));
    io_lattice_text(g, equality, "joint1", "%s", name);
    io_lattice_text(g, equality, "joint2", "J%d_%d_%d", next[0], next[1], next[2]);
    io_lattice_law(g, equality, &g->smooth);
  }
}

static void add_body(lattice *g, io_xml_node *tendon, const int i[3]) {
  const cdn_vec3 p = place(g, i);
  const double r = cdn_norm(p);
  char name[60];
  snprintf(name, sizeof name, "J%d_%d_%d", i[0], i[1], i[2]);
  io_xml_node *body = io_lattice_add(g, NULL, "body", "B%d_%d_%d", i[0], i[1], i[2]);
  io_lattice_vec3(g, body, "pos", p.x, p.y, p.z);
  io_lattice_vec3(g, body, "zaxis", p.x / r, p.y / r, p.z / r);
  if (!body) return;
  add_geom(g, body, i);
  io_lattice_text(g, io_lattice_joint(g, body, LATTICE_JOINT, false, cdn_v3(0, 0, 0), cdn_v3(0, 0, 1)), "name", "%s",
                  name);
  io_lattice_hold(g, LATTICE_JOINT, "joint", name);
  io_xml_node *term = g->good ? io_xml_add(tendon, "joint", io_xml_line(g->node)) : NULL;
  io_lattice_text(g, term, "joint", "%s", name);
  io_lattice_set(g, term, "coef", (double[]){ 1 }, 1);
  add_neighbours(g, i, name);
}

cdn_status io_lattice_box(lattice *g) {
  if (g->dim != 3)
    return io_xml_fail(g->r->log, CDN_ERR_PARSE, g->node,
                       "a box, cylinder or ellipsoid has three counts above 1; correct it");
  add_centre(g);
  io_xml_node *tendons = io_lattice_section(g, &g->tendons, "tendon");
  io_xml_node *tendon = tendons ? io_lattice_add(g, tendons, "fixed", "T") : NULL;
  io_lattice_copy_kind(g, tendon, LATTICE_TENDON);
  for (int k = 0; k < g->count[0] * g->count[1] * g->count[2]; k++) {
    const int i[3] = { k / (g->count[1] * g->count[2]), k / g->count[2] % g->count[1], k % g->count[2] };
    if (on_shell(g, i)) add_body(g, tendon, i);
  }
  io_lattice_hold(g, LATTICE_TENDON, "tendon", "T");
  return CDN_OK;
}
