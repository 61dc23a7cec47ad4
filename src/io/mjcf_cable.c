/* <composite type="cable">: a chain of bodies with ball joints. Names and frames are MuJoCo's. */
#include <math.h>
#include <stdio.h>

#include "io/mjcf_composite.h"

enum { MOST_SEGMENTS = 2000 };

/* What the element says. */
typedef struct cable {
  io_xml_node *node, *geom, *joint, *site;
  const char *prefix;
  double *vertices;
  int n; /* of vertices: one more than bodies */
  int initial;
  bool box;
  cdn_vec3 offset;
} cable;

enum { INITIAL_FREE, INITIAL_BALL, INITIAL_NONE };

/* ---- vertices ---- */

static cdn_vec3 vertex(const cable *c, int i) {
  const double *p = c->vertices + 3 * i;
  return cdn_v3(p[0], p[1], p[2]);
}

static cdn_vec3 unit(cdn_vec3 v) {
  const double length = cdn_norm(v);
  return length > 0 ? cdn_scale(1 / length, v) : v;
}

static cdn_vec3 edge(const cable *c, int i) { return cdn_sub(vertex(c, i + 1), vertex(c, i)); }

/* s, cos(s), sin(s) along each axis, or 0. */
static cdn_status read_curve(mjcf_reader *r, const cable *c, int shapes[3]) {
  static const char *const words[] = { "s", "cos(s)", "sin(s)", "0" };
  const char *text = io_xml_string(c->node, "curve");
  shapes[0] = shapes[1] = shapes[2] = 3;
  for (int k = 0; text && text[strspn(text, " \t\r\n")]; k++) {
    text += strspn(text, " \t\r\n");
    const size_t n = strcspn(text, " \t\r\n");
    int word = 0;
    while (word < CDNI_COUNT(words) && (strlen(words[word]) != n || strncmp(text, words[word], n) != 0)) word++;
    if (k == 3 || word == CDNI_COUNT(words))
      return io_xml_fail(r->log, CDN_ERR_PARSE, c->node, "curve has up to three of: s, cos(s), sin(s), 0");
    shapes[k] = word;
    text += n;
  }
  return CDN_OK;
}

static cdn_status make_curve(mjcf_reader *r, cable *c, int n) {
  static const double PI = 3.14159265358979323846;
  double size[3] = { 1, 0, 0 }, q[4] = { 1, 0, 0, 0 };
  int shapes[3], given;
  CDNI_TRY(read_curve(r, c, shapes));
  CDNI_TRY(io_xml_doubles_upto(r->log, c->node, "size", size, 1, 3, &given));
  CDNI_TRY(io_xml_doubles(r->log, c->node, "quat", q, 4, NULL));
  const cdn_quaternion turn = { q[0], q[1], q[2], q[3] };
  const cdn_rotation R = cdn_rotation_from_quaternion(turn);
  for (int i = 0; i < n; i++) {
    double v[3];
    const double part = (double)i / (n - 1), angle = PI * part * size[2];
    for (int k = 0; k < 3; k++)
      v[k] = shapes[k] == 0   ? part * size[0]
             : shapes[k] == 1 ? size[1] * cos(angle)
             : shapes[k] == 2 ? size[1] * sin(angle)
                              : 0;
    const cdn_vec3 p = cdn_rotate(R, cdn_v3(v[0], v[1], v[2]));
    c->vertices[3 * i] = p.x, c->vertices[3 * i + 1] = p.y, c->vertices[3 * i + 2] = p.z;
  }
  return CDN_OK;
}

static cdn_status read_vertices(mjcf_reader *r, cable *c) {
  const char *text = io_xml_string(c->node, "vertex");
  double count[3] = { 1, 1, 1 };
  int given, numbers = text ? io_xml_count(text) : 0;
  CDNI_TRY(io_xml_doubles_upto(r->log, c->node, "count", count, 1, 3, &given));
  if (text && (numbers % 3 != 0 || count[0] > 1))
    return io_xml_fail(r->log, CDN_ERR_PARSE, c->node,
                       "a cable has a count or vertices of three numbers each, not both");
  const double n = text ? numbers / 3 : count[0];
  if (!(n >= 2 && n <= MOST_SEGMENTS + 1 && n == (int)n) || count[1] != 1 || count[2] != 1)
    return io_xml_fail(r->log, CDN_ERR_PARSE, c->node,
                       "a cable has from 2 to %d points, along one dimension; correct count or vertex",
                       MOST_SEGMENTS + 1);
  c->n = (int)n;
  c->vertices = cdni_calloc(&r->log->allocator, (size_t)c->n * 3 * sizeof *c->vertices);
  if (!c->vertices) return io_mjcf_out_of_memory(r);
  if (text) CDNI_TRY(io_xml_doubles_upto(r->log, c->node, "vertex", c->vertices, numbers, numbers, &given));
  else CDNI_TRY(make_curve(r, c, c->n));
  for (int i = 0; i + 1 < c->n; i++)
    if (!(cdn_norm(edge(c, i)) > 0))
      return io_xml_fail(r->log, CDN_ERR_PARSE, c->node, "points %d and %d of the cable coincide; move one", i, i + 1);
  return CDN_OK;
}

static cdn_status read_cable(mjcf_reader *r, cable *c) {
  static const char *const starts[] = { "free", "ball", "none" }, *const types[] = { "capsule", "cylinder", "box" };
  int type = -1;
  bool given = false;
  const char *prefix = io_xml_string(c->node, "prefix");
  c->prefix = prefix ? prefix : "";
  c->initial = INITIAL_BALL;
  CDNI_TRY(io_xml_keyword(r->log, c->node, "initial", starts, 3, &c->initial, NULL));
  CDNI_TRY(io_xml_vec3(r->log, c->node, "offset", &c->offset, NULL));
  c->geom = io_xml_child(c->node, "geom"), c->joint = io_xml_child(c->node, "joint");
  c->site = io_xml_child(c->node, "site");
  if (c->geom) CDNI_TRY(io_xml_keyword(r->log, c->geom, "type", types, 3, &type, &given));
  if (!given)
    return io_xml_fail(r->log, CDN_ERR_PARSE, c->node, "a cable needs a <geom> of the type capsule, cylinder or box");
  c->box = type == 2;
  return read_vertices(r, c);
}

/* ---- frames ---- */

static cdn_vec3 turn_about(cdn_vec3 axis, double angle, cdn_vec3 v) {
  return cdn_rotate(cdn_rotation_axis_angle(axis, angle), v);
}

/* Axes of segment i: along it; *normal, which turns with the bends of the cable. A cable that begins straight has those
 * of the shortest turn from x. */
static cdn_rotation frame_of(const cable *c, int i, cdn_vec3 *normal) {
  const cdn_vec3 along = unit(edge(c, i)), x = cdn_v3(1, 0, 0);
  const cdn_vec3 before = i > 0 ? unit(edge(c, i - 1)) : along, after = i + 2 < c->n ? unit(edge(c, i + 1)) : along;
  const cdn_vec3 bend = i > 0 ? cdn_cross(before, along) : cdn_cross(along, after);
  const double sine = cdn_norm(bend);
  if (i > 0) {
    if (sine > 0) *normal = turn_about(unit(bend), atan2(sine, cdn_dot(before, along)), *normal);
  } else if (sine > 1e-12) {
    *normal = cdn_cross(unit(bend), along);
  } else {
    const cdn_vec3 axis = cdn_cross(x, along);
    *normal = cdn_norm(axis) > 0 ? turn_about(unit(axis), acos(fmax(-1, fmin(1, along.x))), cdn_v3(0, 1, 0))
                                 : cdn_v3(0, 1, 0);
  }
  *normal = unit(cdn_sub(*normal, cdn_scale(cdn_dot(*normal, along), along)));
  return (cdn_rotation){ along, *normal, cdn_cross(along, *normal) };
}

/* ---- the document ---- */

/* "B_first", "B_3", "B_last", after the prefix. */
static void name_of(const cable *c, char letter, int i, char *name, size_t size) {
  if (i == 0) snprintf(name, size, "%.100s%c_first", c->prefix, letter);
  else if (i == c->n - 2) snprintf(name, size, "%.100s%c_last", c->prefix, letter);
  else snprintf(name, size, "%.100s%c_%d", c->prefix, letter, i);
}

static bool add_geom(const cable *c, io_xml_node *body, int i) {
  static const char *const own[] = { "fromto", "pos", "name" };
  const double length = cdn_norm(edge(c, i));
  io_xml_node *geom = io_xml_add(body, "geom", io_xml_line(c->node));
  char name[120];
  snprintf(name, sizeof name, "%.100sG%d", c->prefix, i);
  bool good = geom && io_composite_copy(c->geom, geom, own, CDNI_COUNT(own)) && io_xml_set(geom, "name", name);
  if (!c->box) return good && io_composite_set(geom, "fromto", (double[]){ 0, 0, 0, length, 0, 0 }, 6);
  const char *size = good ? io_xml_peek(c->geom, "size") : NULL;
  double half[3] = { 0, 0, 0 };
  if (size) { /* the first of them is the segment's */
    char *end;
    for (int k = 0; k < 3 && *size; k++, size = end) {
      half[k] = io_xml_strtod(c->geom, size, &end);
      if (end == size) break;
    }
  }
  half[0] = length / 2;
  return good && io_composite_set(geom, "size", half, 3) &&
         io_composite_set(geom, "pos", (double[]){ length / 2, 0, 0 }, 3);
}

static bool add_joint(const cable *c, io_xml_node *body, int i) {
  static const char *const always[] = { "kind", "solreffix", "solimpfix", "axis", "type", "name" };
  static const char *const of_free[] = { "kind",    "solreffix", "solimpfix",    "axis",  "type",   "name",
                                         "damping", "armature",  "frictionloss", "range", "limited" };
  const bool floats = i == 0 && c->initial == INITIAL_FREE;
  if (i == 0 && c->initial == INITIAL_NONE) return true;
  io_xml_node *joint = io_xml_add(body, "joint", io_xml_line(c->node));
  char name[120];
  name_of(c, 'J', i, name, sizeof name);
  return joint &&
         io_composite_copy(c->joint, joint, floats ? of_free : always,
                           floats ? CDNI_COUNT(of_free) : CDNI_COUNT(always)) &&
         io_xml_set(joint, "type", floats ? "free" : "ball") && io_xml_set(joint, "name", name);
}

static bool add_site(const cable *c, io_xml_node *body, int i) {
  const bool last = i == c->n - 2;
  if (i > 0 && !last) return true;
  io_xml_node *site = io_xml_add(body, "site", io_xml_line(c->node));
  char name[120];
  name_of(c, 'S', i, name, sizeof name);
  return site && io_composite_copy(c->site, site, NULL, 0) && io_xml_set(site, "name", name) &&
         io_composite_set(site, "pos", (double[]){ last ? cdn_norm(edge(c, i)) : 0, 0, 0 }, 3);
}

static bool add_exclude(const cable *c, io_xml_node *contact, int i) {
  io_xml_node *exclude = io_xml_add(contact, "exclude", io_xml_line(c->node));
  char name[120];
  if (!exclude) return false;
  name_of(c, 'B', i, name, sizeof name);
  if (!io_xml_set(exclude, "body1", name)) return false;
  name_of(c, 'B', i + 1, name, sizeof name);
  return io_xml_set(exclude, "body2", name);
}

/* The bodies, one in another. */
static bool write_bodies(const cable *c, io_xml_node *contact) {
  const int line = io_xml_line(c->node);
  cdn_rotation before = cdn_rotation_identity();
  cdn_vec3 normal = cdn_v3(0, 1, 0);
  io_xml_node *body = NULL;
  bool good = true;
  for (int i = 0; i + 1 < c->n && good; i++) {
    const cdn_rotation R = frame_of(c, i, &normal);
    const cdn_quaternion q = cdn_quaternion_from_rotation(cdn_rotation_multiply(cdn_rotation_transpose(before), R));
    const cdn_vec3 p = i == 0 ? cdn_add(c->offset, vertex(c, 0)) : cdn_v3(cdn_norm(edge(c, i - 1)), 0, 0);
    char name[120];
    name_of(c, 'B', i, name, sizeof name);
    body = i == 0 ? io_xml_add_before(c->node, "body", line) : io_xml_add(body, "body", line);
    good = body && io_xml_set(body, "name", name) && io_composite_set(body, "pos", (double[]){ p.x, p.y, p.z }, 3) &&
           io_composite_set(body, "quat", (double[]){ q.w, q.x, q.y, q.z }, 4) &&
           (i > 0 || io_xml_set(body, "childclass", MJCF_PLAIN_CLASS)) && add_geom(c, body, i) &&
           add_joint(c, body, i) && add_site(c, body, i) && (i + 2 == c->n || add_exclude(c, contact, i));
    before = R;
  }
  return good;
}

/* What is read of its parts is read from the copies. */
static void report_rest(mjcf_reader *r, io_xml_node *node) {
  static const char *const parts[] = { "geom", "joint", "site" }, *const shapes[] = { "quat", "size", "curve" };
  for (int i = 0; i < CDNI_COUNT(parts); i++) {
    io_xml_node *part = io_xml_child(node, parts[i]);
    if (part) io_xml_mark(part);
  }
  for (int i = 0; i < CDNI_COUNT(shapes); i++) io_xml_ignore(node, shapes[i]);
  io_xml_ignore(node, "type");
  io_xml_report_rest(r->log, node); /* plugin and skin among others */
}

cdn_status io_mjcf_expand_cable(mjcf_reader *r, io_xml_node *node, io_xml_node *root) {
  cable c = { .node = node };
  cdn_status status = read_cable(r, &c);
  if (status == CDN_OK) report_rest(r, node);
  io_xml_node *contact = status == CDN_OK ? io_xml_add(root, "contact", io_xml_line(node)) : NULL;
  if (status == CDN_OK && !(contact && write_bodies(&c, contact))) status = io_mjcf_out_of_memory(r);
  cdni_free(&r->log->allocator, c.vertices, (size_t)c.n * 3 * sizeof *c.vertices);
  return status;
}
