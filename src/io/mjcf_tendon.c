/* <tendon>: those whose length is a sum of coordinates (fixed). Spatial ones are not simulated. */
#include <stdio.h>

#include "io/joints.h"
#include "io/mjcf.h"

/* *lost: the tendon is left out. */
static cdn_status read_joint(mjcf_reader *r, io_xml_node *node, cdn_spec_tendon *t, bool *lost) {
  const char *name;
  CDNI_TRY(io_xml_need_string(r->log, node, "joint", &name));
  const cdn_spec_joint *joint = io_mjcf_find_joint(r, name);
  if (!joint) return io_xml_fail(r->log, CDN_ERR_PARSE, node, "joint='%.60s' names no joint; correct the name", name);
  *lost = *lost || !io_spec_joint_has_range(joint);
  for (int i = 0; i < t->joints && i < CDN_SPEC_TENDON_JOINTS; i++)
    if (strcmp(t->joint[i], joint->name) == 0)
      return io_xml_fail(r->log, CDN_ERR_PARSE, node, "joint '%.60s' is in the tendon twice; add up the coefficients",
                         name);
  double coefficient;
  bool present;
  CDNI_TRY(io_xml_double(r->log, node, "coef", &coefficient, &present));
  if (!present) return io_xml_missing(r->log, node, "coef", "give the tendon's length for a unit of the joint");
  if (t->joints < CDN_SPEC_TENDON_JOINTS) t->joint[t->joints] = joint->name, t->coefficient[t->joints] = coefficient;
  t->joints++;
  io_xml_report_rest(r->log, node);
  return CDN_OK;
}

static cdn_status read_joints(mjcf_reader *r, io_xml_node *node, cdn_spec_tendon *t, bool *lost) {
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;) {
    if (io_xml_is(child, "joint")) CDNI_TRY(read_joint(r, child, t, lost));
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

/* What tendons may have and is not simulated. */
static cdn_status report_unsimulated(mjcf_reader *r, const mjcf_element *e, const cdn_spec_tendon *t) {
  const int line = io_xml_line(e->node);
  double stiffness[3] = { 0 }, damping[3] = { 0 }, armature = 0; /* of newer files polynomials */
  int count;
  CDNI_TRY(io_mjcf_doubles_upto(r, e, "stiffness", stiffness, 3, &count));
  CDNI_TRY(io_mjcf_doubles_upto(r, e, "damping", damping, 3, &count));
  CDNI_TRY(io_mjcf_double(r, e, "armature", &armature));
  const bool springs = stiffness[0] != 0 || stiffness[1] != 0 || stiffness[2] != 0;
  const bool dampers = damping[0] != 0 || damping[1] != 0 || damping[2] != 0;
  if (springs && r->flags.springs) io_not_understood(r->log, line, "tendon stiffness");
  if (dampers && r->flags.dampers) io_not_understood(r->log, line, "tendon damping");
  if (armature != 0) io_not_understood(r->log, line, "tendon armature");
  if (t->limited && !r->soft_rows) io_not_understood(r->log, line, "tendon/fixed");
  return CDN_OK;
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

static cdn_status read_fixed(mjcf_reader *r, io_xml_node *node) {
  cdn_spec_tendon t = cdn_default_spec_tendon();
  mjcf_element e;
  t.line = io_xml_line(node);
  CDNI_TRY(io_mjcf_element(r, node, MJCF_TENDON, io_mjcf_first_class(r), &e));
  CDNI_TRY(read_limit(r, &e, &t));
  CDNI_TRY(io_mjcf_double(r, &e, "frictionloss", &t.friction));
  CDNI_TRY(io_mjcf_law(r, &e, "solreffriction", "solimpfriction", &t.friction_law));
  if (!r->flags.frictionloss) t.friction = 0;
  CDNI_TRY(read_effort(r, &e, &t));
  CDNI_TRY(report_unsimulated(r, &e, &t));
  bool lost = false;
  CDNI_TRY(read_joints(r, node, &t, &lost));
  io_mjcf_finish_element(r, &e);
  if (lost) { /* MuJoCo adds the first number of the joint's quaternion or place */
    io_not_understood(r->log, t.line, "tendon/fixed on a ball or free joint");
    return CDN_OK;
  }
  if (t.joints > CDN_SPEC_TENDON_JOINTS) {
    io_not_understood(r->log, t.line, "tendon/fixed (more than 16 joints)");
    return CDN_OK;
  }
  if (t.joints == 0) return io_xml_fail(r->log, CDN_ERR_PARSE, node, "the tendon has no joints");
  char made[60];
  snprintf(made, sizeof made, "tendon of line %d", t.line);
  t.name = io_xml_string(node, "name");
  if (!t.name || !t.name[0]) t.name = made;
  return io_spec_append(r->spec, CDN_SPEC_TENDON, &t, NULL);
}

cdn_status io_mjcf_read_tendons(mjcf_reader *r, io_xml_node *node) {
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;) {
    if (io_xml_is(child, "fixed")) {
      CDNI_TRY(read_fixed(r, child));
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
