/* <equality>: connect, weld, joint and tendon. MuJoCo's soft constraints become hard ones, but for those of tendons;
 * what they would be if they were soft is read, too. If a file omits frames, they are those of the reference
 * configuration, in which every body is at its X_PB. */
#include <math.h>
#include <stdio.h>

#include "io/joints.h"
#include "io/mjcf.h"

/* A constraint on its way into the spec, and where its ends are. */
typedef struct loop {
  cdn_spec_constraint made;
  mjcf_where a, b;
} loop;

/* A name that may be of something that was left out: *lost, and the caller leaves out what names it. */
static cdn_status refuse_name(mjcf_reader *r, io_xml_node *node, const char *attribute, const char *name,
                              const char *word, bool *lost) {
  *lost = r->lost_joints || r->suffixes.count > 0; /* MuJoCo copies what names something that is copied */
  *lost = *lost || (r->lost_tendons && strcmp(word, "tendon") == 0);
  if (*lost) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, node, "%s='%.60s' names no %s; correct the name", attribute, name, word);
}

/* *place is left alone where the attribute may be absent, and is. */
static cdn_status read_body(mjcf_reader *r, io_xml_node *node, const char *attribute, int *place, bool *lost) {
  const char *name = io_xml_string(node, attribute);
  if (!name) return CDN_OK;
  *place = io_mjcf_find_body(r, name);
  if (*place >= 0) return CDN_OK;
  return refuse_name(r, node, attribute, name, "body", lost);
}

static cdn_status read_bodies(mjcf_reader *r, io_xml_node *node, loop *l, bool *lost) {
  const char *name;
  CDNI_TRY(io_xml_need_string(r->log, node, "body1", &name));
  CDNI_TRY(read_body(r, node, "body1", &l->a.place, lost));
  if (!*lost) CDNI_TRY(read_body(r, node, "body2", &l->b.place, lost)); /* the world unless there is one */
  if (!*lost && l->a.place == l->b.place)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "both ends are on body '%.60s': name two different bodies", name);
  return CDN_OK;
}

/* The places that two sites mark on their bodies. MuJoCo lets both sites be on one body; that constrains nothing. */
static cdn_status read_sites(mjcf_reader *r, io_xml_node *node, loop *l, bool *lost) {
  static const char *const attributes[] = { "site1", "site2" };
  mjcf_where *const ends[] = { &l->a, &l->b };
  for (int i = 0; i < 2; i++) {
    const char *name;
    CDNI_TRY(io_xml_need_string(r->log, node, attributes[i], &name));
    if (!io_mjcf_find_site(r, name, ends[i])) return refuse_name(r, node, attributes[i], name, "site", lost);
  }
  l->made.X_A = l->a.X, l->made.X_B = l->b.X;
  if (l->a.place != l->b.place) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, node, "both sites are on one body: name sites of two bodies");
}

static bool has_sites(io_xml_node *node) { return io_xml_has(node, "site1") || io_xml_has(node, "site2"); }

void io_mjcf_place_equality(const mjcf_reader *r, int a, int b, cdn_spec_constraint *made) {
  const cdn_transform X_W1 = io_mjcf_reference_pose(r, a), X_W2 = io_mjcf_reference_pose(r, b);
  if (made->kind == CDN_SPEC_CONNECT)
    made->X_B.p = cdn_transform_point(cdn_transform_invert(X_W2), cdn_transform_point(X_W1, made->X_A.p));
  else if (made->kind == CDN_SPEC_WELD)
    made->X_A = cdn_transform_multiply(cdn_transform_multiply(cdn_transform_invert(X_W1), X_W2), made->X_B);
}

/* The anchor is body 1's, and where body 2 has it in the reference configuration. */
static cdn_status read_connect(mjcf_reader *r, io_xml_node *node, loop *l, bool *lost) {
  bool present;
  if (has_sites(node)) return read_sites(r, node, l, lost);
  CDNI_TRY(read_bodies(r, node, l, lost));
  if (*lost) return CDN_OK;
  CDNI_TRY(io_xml_vec3(r->log, node, "anchor", &l->made.X_A.p, &present));
  if (!present) return io_xml_missing(r->log, node, "anchor", "give the point in the frame of body1");
  io_mjcf_place_equality(r, l->a.place, l->b.place, &l->made);
  return CDN_OK;
}

/* The anchor is on body 2. relpose has where it belongs in body 1's frame, and how body 2 is turned there. If
 * relpose is absent, or
 * its quaternion is zero, both are as in the reference configuration. */
static cdn_status read_weld(mjcf_reader *r, io_xml_node *node, loop *l, bool *lost) {
  double v[7] = { 0 };
  cdn_vec3 anchor = { 0, 0, 0 };
  if (has_sites(node)) return read_sites(r, node, l, lost);
  CDNI_TRY(read_bodies(r, node, l, lost));
  if (*lost) return CDN_OK;
  CDNI_TRY(io_xml_doubles(r->log, node, "relpose", v, 7, NULL));
  CDNI_TRY(io_xml_vec3(r->log, node, "anchor", &anchor, NULL));
  l->made.X_B = (cdn_transform){ cdn_rotation_identity(), anchor };
  io_mjcf_place_equality(r, l->a.place, l->b.place, &l->made);
  if (v[3] == 0 && v[4] == 0 && v[5] == 0 && v[6] == 0) return CDN_OK;
  l->made.X_A = (cdn_transform){ cdn_rotation_from_quaternion((cdn_quaternion){ v[3], v[4], v[5], v[6] }),
                                 cdn_v3(v[0], v[1], v[2]) };
  l->a.i = l->b.i = MJCF_POSE_GIVEN;
  return CDN_OK;
}

static cdn_status read_joint_name(mjcf_reader *r, io_xml_node *node, const char *attribute,
                                  const cdn_spec_joint **joint, bool *lost) {
  const char *name = io_xml_string(node, attribute);
  if (!name) return CDN_OK;
  *joint = io_mjcf_find_joint(r, name);
  if (!*joint) return refuse_name(r, node, attribute, name, "joint", lost);
  if (io_spec_joint_has_range(*joint)) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, node, "%s='%.60s' is no hinge or slide; only these can be coupled",
                     attribute, name);
}

static cdn_status read_coupling(mjcf_reader *r, io_xml_node *node, loop *l, bool *lost) {
  const char *name;
  const cdn_spec_joint *y = NULL, *x = NULL;
  cdn_spec_constraint *made = &l->made;
  CDNI_TRY(io_xml_need_string(r->log, node, "joint1", &name));
  CDNI_TRY(read_joint_name(r, node, "joint1", &y, lost));
  if (!*lost) CDNI_TRY(read_joint_name(r, node, "joint2", &x, lost));
  if (*lost) return CDN_OK;
  if (y == x)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "joint '%.60s' is coupled with itself: name two joints, or one",
                       name);
  int count; /* omitted ones have their defaults */
  made->joint_y = y->name, made->y0 = y->q0[0];
  if (x) made->joint_x = x->name, made->x0 = x->q0[0];
  return io_xml_doubles_upto(r->log, node, "polycoef", made->c, 1, 5, &count);
}

static cdn_status read_tendon_name(mjcf_reader *r, io_xml_node *node, const char *attribute, const char **tendon,
                                   bool *lost) {
  const char *name = io_xml_string(node, attribute);
  if (!name) return CDN_OK;
  *tendon = name;
  return cdn_spec_find(r->spec, CDN_SPEC_TENDON, name) >= 0 ? CDN_OK
                                                            : refuse_name(r, node, attribute, name, "tendon", lost);
}

static cdn_status read_tendons(mjcf_reader *r, io_xml_node *node, loop *l, bool *lost) {
  const char *name;
  int count;
  CDNI_TRY(io_xml_need_string(r->log, node, "tendon1", &name));
  CDNI_TRY(read_tendon_name(r, node, "tendon1", &l->made.tendon_y, lost));
  if (!*lost) CDNI_TRY(read_tendon_name(r, node, "tendon2", &l->made.tendon_x, lost));
  if (*lost) return CDN_OK;
  if (l->made.tendon_x && strcmp(l->made.tendon_x, l->made.tendon_y) == 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "tendon '%.60s' is coupled with itself: name two, or one", name);
  return io_xml_doubles_upto(r->log, node, "polycoef", l->made.c, 1, 5, &count);
}

/* By its name, or a name made from its kind and line, and from its number if another one has that. */
static cdn_status add(mjcf_reader *r, io_xml_node *node, loop *l) {
  io_names *names = &r->names[MJCF_NAME_EQUALITY];
  const int number = cdn_spec_count(r->spec, CDN_SPEC_CONSTRAINT);
  char name[80];
  int index;
  snprintf(name, sizeof name, "%.30s of line %d", io_xml_name(node), l->made.line);
  if (io_names_find(names, name) >= 0)
    snprintf(name, sizeof name, "%.30s of line %d (%d)", io_xml_name(node), l->made.line, number + 1);
  l->made.name = io_xml_string(node, "name");
  if (!l->made.name || !l->made.name[0]) l->made.name = name;
  if (l->made.kind != CDN_SPEC_WELD) l->made.torque_scale = 1;
  CDNI_TRY(io_spec_append(r->spec, CDN_SPEC_CONSTRAINT, &l->made, &index));
  const bool given = l->made.name != name;
  if (io_names_add(&r->log->allocator, names, io_spec_constraint(r->spec, index)->name, given ? l->made.line : 0) < 0)
    return io_mjcf_out_of_memory(r);
  CDNI_TRY(MJCF_REFER(r, CONSTRAINT, constraint, index, body_a, &l->a));
  return MJCF_REFER(r, CONSTRAINT, constraint, index, body_b, &l->b);
}

static cdn_status read_known(mjcf_reader *r, io_xml_node *node, cdn_spec_constraint_kind kind,
                             cdn_status (*read)(mjcf_reader *, io_xml_node *, loop *, bool *)) {
  mjcf_element e;
  bool active = true;
  loop l = { .made = cdn_default_spec_constraint() };
  l.made.line = io_xml_line(node);
  l.made.kind = kind;
  CDNI_TRY(io_mjcf_element(r, node, MJCF_EQUALITY, MJCF_MAIN_CLASS, &e));
  CDNI_TRY(io_mjcf_bool(r, &e, "active", &active));
  l.made.disabled = !active;
  CDNI_TRY(io_mjcf_law(r, &e, "solref", "solimp", &l.made.law));
  CDNI_TRY(io_mjcf_double(r, &e, "torquescale", &l.made.torque_scale));
  bool lost = false;
  CDNI_TRY(read(r, node, &l, &lost));
  if (lost) {
    char note[80];
    snprintf(note, sizeof note, "equality/%.30s (of what was not understood)", io_xml_name(node));
    io_mjcf_finish_element(r, &e);
    io_not_understood(r->log, l.made.line, note);
    return CDN_OK;
  }
  CDNI_TRY(add(r, node, &l));
  io_mjcf_finish_element(r, &e);
  return CDN_OK;
}

static cdn_status read_one(mjcf_reader *r, io_xml_node *node, cdn_spec_constraint_kind kind,
                           cdn_status (*read)(mjcf_reader *, io_xml_node *, loop *, bool *)) {
  return io_mjcf_leave_strangers(r, read_known(r, node, kind, read));
}

cdn_status io_mjcf_read_equality(mjcf_reader *r, io_xml_node *node) {
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;) {
    if (!r->flags.equality) continue;
    if (io_xml_is(child, "connect")) CDNI_TRY(read_one(r, child, CDN_SPEC_CONNECT, read_connect));
    else if (io_xml_is(child, "weld")) CDNI_TRY(read_one(r, child, CDN_SPEC_WELD, read_weld));
    else if (io_xml_is(child, "joint")) CDNI_TRY(read_one(r, child, CDN_SPEC_COUPLING, read_coupling));
    else if (io_xml_is(child, "tendon")) CDNI_TRY(read_one(r, child, CDN_SPEC_TENDON_COUPLING, read_tendons));
    else {
      char note[100];
      snprintf(note, sizeof note, "equality/%.60s", io_xml_name(child));
      io_not_understood(r->log, io_xml_line(child), note);
    }
  }
  io_xml_report_rest(r->log, node);
  return walk.status;
}
