/* <equality>: connect, weld and joint. MuJoCo's soft constraints become hard ones; what they would be if they were soft
 * is read, too. If a file omits frames, they are those of the reference configuration, in which every body is at its
 * X_PB. */
#include <math.h>
#include <stdio.h>

#include "io/mjcf.h"

static int body_called(const io_description *d, const char *name) {
  for (size_t i = 0; i < d->bodies.count; i++) {
    const char *known = CDNI_AT(d->bodies, io_body, i).name;
    if (known && strcmp(known, name) == 0) return (int)i;
  }
  return -1;
}

static int joint_called(const io_description *d, const char *name) {
  for (size_t i = 0; i < d->joints.count; i++) {
    const char *known = CDNI_AT(d->joints, io_joint, i).name;
    if (known && strcmp(known, name) == 0) return (int)i;
  }
  return -1;
}

/* In the world, as all joints are at their reference values. */
static cdn_transform reference_pose(const io_description *d, int body) {
  cdn_transform X = cdn_transform_identity();
  for (; body > 0; body = CDNI_AT(d->bodies, io_body, body).parent)
    X = cdn_transform_multiply(CDNI_AT(d->bodies, io_body, body).X_PB, X);
  return X;
}

/* A name that may be of something that was left out: *lost, and the caller leaves out what names it. */
static cdn_status refuse_name(mjcf_reader *r, io_xml_node *node, const char *attribute, const char *name,
                              const char *word, bool *lost) {
  *lost = r->lost_joints || r->suffixes.count > 0; /* MuJoCo copies what names something that is copied */
  if (*lost) return CDN_OK;
  return io_xml_fail(r->d, CDN_ERR_PARSE, node, "%s='%.60s' names no %s; correct the name", attribute, name, word);
}

/* *body is left alone where the attribute may be absent, and is. */
static cdn_status read_body(mjcf_reader *r, io_xml_node *node, const char *attribute, int *body, bool *lost) {
  const char *name = io_xml_string(node, attribute);
  if (!name) return CDN_OK;
  *body = body_called(r->d, name);
  if (*body >= 0) return CDN_OK;
  return refuse_name(r, node, attribute, name, "body", lost);
}

static cdn_status read_bodies(mjcf_reader *r, io_xml_node *node, io_loop *loop, bool *lost) {
  const char *name;
  CDNI_TRY(io_xml_need_string(r->d, node, "body1", &name));
  CDNI_TRY(read_body(r, node, "body1", &loop->a, lost));
  if (!*lost) CDNI_TRY(read_body(r, node, "body2", &loop->b, lost)); /* the world unless there is one */
  if (!*lost && loop->a == loop->b)
    return io_xml_fail(r->d, CDN_ERR_PARSE, node, "both ends are on body '%.60s': name two different bodies", name);
  return CDN_OK;
}

/* The places that two sites mark on their bodies. MuJoCo lets both sites be on one body; that constrains nothing. */
static cdn_status read_sites(mjcf_reader *r, io_xml_node *node, io_loop *loop, bool *lost) {
  static const char *const attributes[] = { "site1", "site2" };
  int *const bodies[] = { &loop->a, &loop->b };
  cdn_transform *const frames[] = { &loop->X_A, &loop->X_B };
  for (int i = 0; i < 2; i++) {
    const char *name;
    CDNI_TRY(io_xml_need_string(r->d, node, attributes[i], &name));
    const int site = io_names_find(&r->site_names, name);
    if (site < 0) return refuse_name(r, node, attributes[i], name, "site", lost);
    const io_frame *frame = &CDNI_AT(r->d->frames, io_named_frame, site).frame;
    *bodies[i] = frame->body, *frames[i] = frame->X_BS;
  }
  if (loop->a != loop->b) return CDN_OK;
  return io_xml_fail(r->d, CDN_ERR_PARSE, node, "both sites are on one body: name sites of two bodies");
}

static bool has_sites(io_xml_node *node) { return io_xml_has(node, "site1") || io_xml_has(node, "site2"); }

/* The anchor is body 1's, and where body 2 has it in the reference configuration. */
static cdn_status read_connect(mjcf_reader *r, io_xml_node *node, io_loop *loop, bool *lost) {
  bool present;
  loop->kind = IO_CONNECT;
  if (has_sites(node)) return read_sites(r, node, loop, lost);
  CDNI_TRY(read_bodies(r, node, loop, lost));
  if (*lost) return CDN_OK;
  loop->X_A = loop->X_B = cdn_transform_identity();
  CDNI_TRY(io_xml_vec3(r->d, node, "anchor", &loop->X_A.p, &present));
  if (!present) return io_xml_missing(r->d, node, "anchor", "give the point in the frame of body1");
  const cdn_transform X_W1 = reference_pose(r->d, loop->a), X_W2 = reference_pose(r->d, loop->b);
  loop->X_B.p = cdn_transform_point(cdn_transform_invert(X_W2), cdn_transform_point(X_W1, loop->X_A.p));
  return CDN_OK;
}

/* The anchor is on body 2. relpose has where it belongs in body 1's frame, and how body 2 is turned there. If
 * relpose is absent, or
 * its quaternion is zero, both are as in the reference configuration. */
static cdn_status read_weld(mjcf_reader *r, io_xml_node *node, io_loop *loop, bool *lost) {
  double v[7] = { 0 };
  cdn_vec3 anchor = { 0, 0, 0 };
  loop->kind = IO_WELD;
  if (has_sites(node)) return read_sites(r, node, loop, lost);
  CDNI_TRY(read_bodies(r, node, loop, lost));
  if (*lost) return CDN_OK;
  CDNI_TRY(io_xml_doubles(r->d, node, "relpose", v, 7, NULL));
  CDNI_TRY(io_xml_vec3(r->d, node, "anchor", &anchor, NULL));
  const cdn_transform X_W1 = reference_pose(r->d, loop->a), X_W2 = reference_pose(r->d, loop->b);
  loop->X_B = (cdn_transform){ cdn_rotation_identity(), anchor };
  loop->X_A = cdn_transform_multiply(cdn_transform_multiply(cdn_transform_invert(X_W1), X_W2), loop->X_B);
  if (v[3] != 0 || v[4] != 0 || v[5] != 0 || v[6] != 0)
    loop->X_A = (cdn_transform){ cdn_rotation_from_quaternion((cdn_quaternion){ v[3], v[4], v[5], v[6] }),
                                 cdn_v3(v[0], v[1], v[2]) };
  return CDN_OK;
}

static cdn_status read_joint_name(mjcf_reader *r, io_xml_node *node, const char *attribute, int *joint, bool *lost) {
  const char *name = io_xml_string(node, attribute);
  if (!name) return CDN_OK;
  *joint = joint_called(r->d, name);
  if (*joint < 0) return refuse_name(r, node, attribute, name, "joint", lost);
  const io_joint_kind kind = CDNI_AT(r->d->joints, io_joint, *joint).kind;
  if (kind == IO_PIN || kind == IO_SLIDER) return CDN_OK;
  return io_xml_fail(r->d, CDN_ERR_PARSE, node, "%s='%.60s' is no hinge or slide; only these can be coupled", attribute,
                     name);
}

static cdn_status read_coupling(mjcf_reader *r, io_xml_node *node, io_loop *loop, bool *lost) {
  const char *name;
  double c[5] = { 0, 1, 0, 0, 0 };
  loop->kind = IO_COUPLING;
  CDNI_TRY(io_xml_need_string(r->d, node, "joint1", &name));
  CDNI_TRY(read_joint_name(r, node, "joint1", &loop->y, lost));
  if (!*lost) CDNI_TRY(read_joint_name(r, node, "joint2", &loop->x, lost));
  if (*lost) return CDN_OK;
  if (loop->y == loop->x)
    return io_xml_fail(r->d, CDN_ERR_PARSE, node, "joint '%.60s' is coupled with itself: name two joints, or one",
                       name);
  int count; /* omitted ones have their defaults */
  CDNI_TRY(io_xml_doubles_upto(r->d, node, "polycoef", c, 1, 5, &count));
  memcpy(loop->c, c, sizeof c);
  return CDN_OK;
}

/* The name of the element, or a name made from its kind and line. */
static cdn_status name_loop(mjcf_reader *r, io_xml_node *node, io_loop *loop) {
  const char *name = io_xml_string(node, "name");
  char made[60];
  snprintf(made, sizeof made, "%.30s of line %d", io_xml_name(node), io_xml_line(node));
  loop->name = cdni_strdup(&r->d->allocator, name && name[0] ? name : made);
  return loop->name ? CDN_OK : io_mjcf_out_of_memory(r);
}

static cdn_status read_one(mjcf_reader *r, io_xml_node *node,
                           cdn_status (*read)(mjcf_reader *, io_xml_node *, io_loop *, bool *)) {
  mjcf_element e;
  bool active = true;
  io_loop loop = { .line = io_xml_line(node), .x = -1 };
  CDNI_TRY(io_mjcf_element(r, node, MJCF_EQUALITY, io_mjcf_first_class(r), &e));
  CDNI_TRY(io_mjcf_bool(r, &e, "active", &active));
  loop.inactive = !active, loop.torque_scale = 1;
  CDNI_TRY(io_mjcf_law(r, &e, "solref", "solimp", &loop.law));
  CDNI_TRY(io_mjcf_double(r, &e, "torquescale", &loop.torque_scale));
  bool lost = false;
  CDNI_TRY(read(r, node, &loop, &lost));
  if (lost) {
    char note[80];
    snprintf(note, sizeof note, "equality/%.30s (of what was not understood)", io_xml_name(node));
    io_mjcf_finish_element(r, &e);
    io_not_understood(r->d, loop.line, note);
    return CDN_OK;
  }
  CDNI_TRY(name_loop(r, node, &loop));
  if (!cdni_array_push(&r->d->allocator, &r->d->loops, sizeof loop, &loop)) {
    cdni_strfree(&r->d->allocator, loop.name);
    return io_mjcf_out_of_memory(r);
  }
  io_mjcf_finish_element(r, &e);
  return CDN_OK;
}

cdn_status io_mjcf_read_equality(mjcf_reader *r, io_xml_node *node) {
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;) {
    if (!r->flags.equality) continue;
    if (io_xml_is(child, "connect")) CDNI_TRY(read_one(r, child, read_connect));
    else if (io_xml_is(child, "weld")) CDNI_TRY(read_one(r, child, read_weld));
    else if (io_xml_is(child, "joint")) CDNI_TRY(read_one(r, child, read_coupling));
    else {
      char note[100];
      snprintf(note, sizeof note, "equality/%.60s", io_xml_name(child));
      io_not_understood(r->d, io_xml_line(child), note);
    }
  }
  io_xml_report_rest(r->d, node);
  return walk.status;
}
