/* <tendon>: numbers of tendons, and those whose length is a sum of coordinates (fixed). mjcf_path.c has what spatial
 * ones pass. */
#include <stdio.h>

#include "io/joints.h"
#include "io/mjcf.h"

/* The joints beyond those for which a tendon of the spec has room are items of its path. */
static cdn_status keep_joint(mjcf_reader *r, io_xml_node *node, const char *joint, double coefficient,
                             cdn_spec_tendon *t, mjcf_path *path) {
  if (t->joints < CDN_SPEC_TENDON_JOINTS) {
    t->joint[t->joints] = joint, t->coefficient[t->joints] = coefficient, t->joints++;
    return CDN_OK;
  }
  mjcf_path_item item = { .made = cdn_default_spec_path_item() };
  item.made.kind = CDN_SPEC_PATH_COORDINATE, item.made.line = io_xml_line(node);
  item.made.joint = joint, item.made.coefficient = coefficient;
  return cdni_array_push(&r->log->allocator, &path->items, sizeof item, &item) ? CDN_OK : io_mjcf_out_of_memory(r);
}

/* *lost: the tendon is left out. */
static cdn_status read_joint(mjcf_reader *r, io_xml_node *node, cdn_spec_tendon *t, mjcf_path *path, bool *lost) {
  const char *name;
  CDNI_TRY(io_xml_need_string(r->log, node, "joint", &name));
  const cdn_spec_joint *joint = io_mjcf_find_joint(r, name);
  if (!joint) return io_xml_fail(r->log, CDN_ERR_PARSE, node, "joint='%.60s' names no joint; correct the name", name);
  *lost = *lost || !io_spec_joint_has_range(joint);
  bool twice = false;
  for (int i = 0; i < t->joints; i++) twice = twice || strcmp(t->joint[i], joint->name) == 0;
  for (size_t i = 0; i < path->items.count; i++)
    twice = twice || strcmp(CDNI_AT(path->items, mjcf_path_item, i).made.joint, joint->name) == 0;
  if (twice)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "joint '%.60s' is in the tendon twice; add up the coefficients",
                       name);
  double coefficient;
  bool present;
  CDNI_TRY(io_xml_double(r->log, node, "coef", &coefficient, &present));
  if (!present) return io_xml_missing(r->log, node, "coef", "give the tendon's length for a unit of the joint");
  io_xml_report_rest(r->log, node);
  return keep_joint(r, node, joint->name, coefficient, t, path);
}

static cdn_status read_joints(mjcf_reader *r, io_xml_node *node, cdn_spec_tendon *t, mjcf_path *path, bool *lost) {
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;) {
    if (io_xml_is(child, "joint")) CDNI_TRY(read_joint(r, child, t, path, lost));
    else {
      char note[100];
      snprintf(note, sizeof note, "fixed/%.60s", io_xml_name(child));
      io_not_understood(r->log, io_xml_line(child), note);
    }
  }
  return walk.status;
}

static cdn_status read_limit(mjcf_reader *r, const mjcf_element *e, cdn_spec_tendon *t) {
  double range[2];
  CDNI_TRY(io_mjcf_range(r, e, range, &t->limited));
  CDNI_TRY(io_mjcf_double(r, e, "margin", &t->margin));
  CDNI_TRY(io_mjcf_law(r, e, "solreflimit", "solimplimit", &t->limit_law));
  if (!t->limited) return CDN_OK;
  if (range[0] >= range[1])
    return io_xml_fail(
        r->log, CDN_ERR_PARSE, e->node,
        "the tendon is limited, but its range '%g %g' is empty; write range='LOWER UPPER', or limited='false'",
        range[0], range[1]);
  t->lower = range[0], t->upper = range[1];
  if (!r->flags.limits) t->limited = false;
  return CDN_OK;
}

static void warn_of_no_coefficients(mjcf_reader *r, io_xml_node *node, const cdn_spec_tendon *t,
                                    const mjcf_path *path) {
  if (path->items.count > 0) return; /* more than the few of t */
  for (int k = 0; k < t->joints; k++)
    if (t->coefficient[k] != 0) return;
  io_warn(
      r->log, io_xml_line(node),
      "all coefficients of this tendon are zero: its length does not change, and what pulls along it moves nothing; "
      "write coef='METRES' of one joint at least");
}

/* springlength is one number or two, and its default -1 has the spring rest where the joints' springs do. */
static cdn_status read_spring(mjcf_reader *r, const mjcf_element *e, cdn_spec_tendon *t) {
  double stiffness[3] = { 0 }, damping[3] = { 0 }, rest[2] = { -1, -1 }; /* of newer files polynomials */
  int count;
  CDNI_TRY(io_mjcf_doubles_upto(r, e, "stiffness", stiffness, 3, &count));
  CDNI_TRY(io_mjcf_doubles_upto(r, e, "damping", damping, 3, &count));
  CDNI_TRY(io_mjcf_double(r, e, "armature", &t->armature));
  CDNI_TRY(io_mjcf_doubles_upto(r, e, "springlength", rest, 2, &count));
  if (count == 1) rest[1] = rest[0];
  if (stiffness[0] < 0 || damping[0] < 0 || t->armature < 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, e->node, "its %s is negative; it must be 0 or more",
                       stiffness[0] < 0 ? "stiffness"
                       : damping[0] < 0 ? "damping"
                                        : "armature");
  if (rest[0] > rest[1])
    return io_xml_fail(r->log, CDN_ERR_PARSE, e->node,
                       "its springlength '%g %g' is inverted; write springlength='LOWER UPPER'", rest[0], rest[1]);
  if (r->flags.springs) t->stiffness = stiffness[0], memcpy(t->stiffness_higher, stiffness + 1, 2 * sizeof(double));
  if (r->flags.dampers) t->damping = damping[0], memcpy(t->damping_higher, damping + 1, 2 * sizeof(double));
  t->has_rest = rest[0] >= 0 || rest[1] >= 0;
  if (t->has_rest) t->rest_lower = rest[0], t->rest_upper = rest[1];
  return CDN_OK;
}

static cdn_status read_looks(mjcf_reader *r, const mjcf_element *e, cdn_spec_tendon *t) {
  CDNI_TRY(io_mjcf_int(r, e, "group", &t->group));
  CDNI_TRY(io_mjcf_double(r, e, "width", &t->width));
  CDNI_TRY(io_mjcf_doubles(r, e, "rgba", t->rgba, 4, NULL));
  if (t->width > 0) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, e->node, "its width %g is not positive; give half its diameter in metres",
                     t->width);
}

/* The force of its actuator. */
static cdn_status read_effort(mjcf_reader *r, const mjcf_element *e, cdn_spec_tendon *t) {
  double range[2] = { 0, 0 };
  bool limited = false;
  CDNI_TRY(io_mjcf_doubles(r, e, "actuatorfrcrange", range, 2, NULL));
  if (range[0] != 0 || range[1] != 0) CDNI_TRY(io_mjcf_check_drive_range(r, e, range, &limited));
  if (limited) t->effort_lower = range[0], t->effort_upper = range[1];
  return CDN_OK;
}

/* What both kinds have. */
static cdn_status read_tendon(mjcf_reader *r, const mjcf_element *e, cdn_spec_tendon *t) {
  CDNI_TRY(read_limit(r, e, t));
  CDNI_TRY(io_mjcf_double(r, e, "frictionloss", &t->friction));
  CDNI_TRY(io_mjcf_law(r, e, "solreffriction", "solimpfriction", &t->friction_law));
  if (!r->flags.frictionloss) t->friction = 0;
  CDNI_TRY(read_effort(r, e, t));
  CDNI_TRY(read_spring(r, e, t));
  return read_looks(r, e, t);
}

/* A name for a tendon without one. */
static void make_name(const mjcf_reader *r, int line, char *text, int size) {
  int n = snprintf(text, (size_t)size, "tendon of line %d", line);
  while (cdn_spec_find(r->spec, CDN_SPEC_TENDON, text) >= 0 && n + 1 < size) text[n++] = '_', text[n] = '\0';
}

/* With the items of its path, which have no tendon yet. */
static cdn_status add(mjcf_reader *r, io_xml_node *node, const cdn_spec_tendon *t, mjcf_path *path) {
  char made[60];
  int index, item;
  make_name(r, t->line, made, sizeof made);
  CDNI_TRY(io_spec_append(r->spec, CDN_SPEC_TENDON, t, &index));
  const char **name = &io_spec_tendon(r->spec, index)->name;
  CDNI_TRY(io_mjcf_take_name(r, node, MJCF_NAME_TENDON, name));
  if (!*name && !(*name = cdni_strdup(&r->log->allocator, made))) return io_mjcf_out_of_memory(r);
  for (int i = 0; i < (int)path->items.count; i++) {
    mjcf_path_item *of = &CDNI_AT(path->items, mjcf_path_item, i);
    of->made.tendon = io_spec_tendon(r->spec, index)->name;
    CDNI_TRY(io_spec_add(r->spec, CDN_SPEC_PATH_ITEM, &of->made, &item));
    CDNI_TRY(MJCF_REFER(r, PATH_ITEM, path_item, item, body, &of->at));
    CDNI_TRY(MJCF_REFER(r, PATH_ITEM, path_item, item, side_body, &of->side));
  }
  return CDN_OK;
}

static cdn_status read_fixed(mjcf_reader *r, io_xml_node *node, cdn_spec_tendon *t, mjcf_path *path, bool *lost) {
  CDNI_TRY(read_joints(r, node, t, path, lost));
  if (*lost) { /* MuJoCo adds the first number of the joint's quaternion or place */
    io_not_understood(r->log, t->line, "tendon/fixed on a ball or free joint");
    return CDN_OK;
  }
  if (t->joints == 0) return io_xml_fail(r->log, CDN_ERR_PARSE, node, "the tendon has no joints");
  warn_of_no_coefficients(r, node, t, path);
  return CDN_OK;
}

static cdn_status read_one(mjcf_reader *r, io_xml_node *node, bool fixed) {
  cdn_spec_tendon t = cdn_default_spec_tendon();
  mjcf_element e;
  mjcf_path path = { .items = { 0 } };
  bool lost = false;
  t.line = io_xml_line(node);
  CDNI_TRY(io_mjcf_element(r, node, MJCF_TENDON, MJCF_MAIN_CLASS, &e));
  CDNI_TRY(read_tendon(r, &e, &t));
  cdn_status status = fixed ? read_fixed(r, node, &t, &path, &lost) : io_mjcf_read_path(r, node, &path, &lost);
  if (status == CDN_OK && !lost) status = add(r, node, &t, &path);
  r->lost_tendons = r->lost_tendons || lost;
  cdni_array_free(&r->log->allocator, &path.items);
  CDNI_TRY(status);
  io_mjcf_finish_element(r, &e);
  return CDN_OK;
}

cdn_status io_mjcf_read_tendons(mjcf_reader *r, io_xml_node *node) {
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;) {
    const bool fixed = io_xml_is(child, "fixed");
    if (fixed || io_xml_is(child, "spatial")) {
      CDNI_TRY(io_mjcf_leave_strangers(r, read_one(r, child, fixed)));
      continue;
    }
    char note[100];
    snprintf(note, sizeof note, "tendon/%.60s", io_xml_name(child));
    io_xml_ignore_all(child);
    io_not_understood(r->log, io_xml_line(child), note);
  }
  io_xml_report_rest(r->log, node);
  return walk.status;
}
