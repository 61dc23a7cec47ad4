/* Joints. Stations and axes are moved from the surrounding frame into the body's; angles become radians. */
#include <math.h>
#include <stdio.h>

#include "io/joints.h"
#include "io/mjcf.h"

/* A joint on its way into the tree. */
typedef struct moving {
  cdn_spec_joint joint;
  cdn_vec3 pos, axis; /* in the body's frame */
  double ref;         /* the value of q where the file's pose stands */
} moving;

static cdn_status read_axis(mjcf_reader *r, const mjcf_element *e, const mjcf_scope *scope, cdn_vec3 *out) {
  cdn_vec3 axis = cdn_v3(0, 0, 1);
  CDNI_TRY(io_mjcf_vec3(r, e, "axis", &axis));
  const double length = cdn_norm(axis);
  if (length < 1e-14)
    return io_xml_fail(r->log, CDN_ERR_PARSE, e->node, "the axis is zero; write a direction, such as 0 0 1");
  *out = cdn_rotate(scope->X_BS.R, cdn_v3(axis.x / length, axis.y / length, axis.z / length));
  return CDN_OK;
}

/* Newer files may make a spring or damper a polynomial, whose linear coefficient comes first. */
static cdn_status read_polynomial(mjcf_reader *r, const mjcf_element *e, const char *attribute, double *linear,
                                  double higher[2]) {
  double c[3] = { *linear, 0, 0 };
  int count;
  CDNI_TRY(io_mjcf_doubles_upto(r, e, attribute, c, 3, &count));
  *linear = c[0];
  memcpy(higher, c + 1, 2 * sizeof *higher);
  return CDN_OK;
}

static cdn_status read_passive(mjcf_reader *r, const mjcf_element *e, cdn_spec_joint *j) {
  CDNI_TRY(read_polynomial(r, e, "stiffness", &j->stiffness, j->stiffness_higher));
  CDNI_TRY(read_polynomial(r, e, "damping", &j->damping, j->damping_higher));
  CDNI_TRY(io_mjcf_double(r, e, "armature", &j->armature));
  if (!r->flags.springs) j->stiffness = j->stiffness_higher[0] = j->stiffness_higher[1] = 0;
  if (!r->flags.dampers) j->damping = j->damping_higher[0] = j->damping_higher[1] = 0;
  if (j->armature < 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, e->node, "the armature is negative; it must be 0 or more");
  return CDN_OK;
}

/* Of the stop that stands for a soft limit in a compliant model. solref is a time constant and a damping ratio; or a
 * stiffness and a damping that are turned into them: k = 1 / (tc^2 dr^2), b = 2 / tc. */
static void find_stop(cdn_spec_joint *j) {
  const double *ref = j->limit_law.ref;
  const bool direct = ref[0] < 0 && ref[1]<0, decays = ref[0]> 0;
  j->limit_timeconst = direct ? -2 / ref[1] : decays ? ref[0] : 0.02;
  j->limit_dampratio = direct ? -0.5 * ref[1] / sqrt(-ref[0]) : decays ? ref[1] : 1;
}

static cdn_status read_limits(mjcf_reader *r, const mjcf_element *e, cdn_spec_joint *j) {
  double range[2];
  CDNI_TRY(io_mjcf_range(r, e, range, &j->limited));
  CDNI_TRY(io_mjcf_double(r, e, "margin", &j->margin));
  find_stop(j);
  if (!j->limited) return CDN_OK;

  const bool ball = j->kind == CDN_BALL;
  if (ball && range[0] != 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, e->node,
                       "the range of a ball joint is '0 ANGLE', the largest angle "
                       "from the reference, but '%g %g' is given",
                       range[0], range[1]);
  if (!ball && range[0] >= range[1])
    return io_xml_fail(r->log, CDN_ERR_PARSE, e->node,
                       "the joint is limited, but its range '%g %g' is empty; write "
                       "range='LOWER UPPER', or limited='false'",
                       range[0], range[1]);
  if (ball && range[1] <= 0) {
    char text[200];
    io_warn(r->log, io_xml_line(e->node),
            "%s: a limit of %g holds the ball as it is in the file; write range='0 ANGLE', or limited='false'",
            io_xml_describe(e->node, text, sizeof text), range[1]);
    range[1] = 0;
  }
  j->limited = r->flags.limits;
  if (!j->limited) return CDN_OK;
  const bool angle = j->kind != CDN_SLIDER;
  if (!ball) j->lower = angle ? io_mjcf_angle(r, range[0]) : range[0];
  j->upper = angle ? io_mjcf_angle(r, range[1]) : range[1];
  return CDN_OK;
}

/* Values of q: where the file's pose stands, and where the spring is at rest. */
static cdn_status read_references(mjcf_reader *r, const mjcf_element *e, double *ref, cdn_spec_joint *j) {
  CDNI_TRY(io_mjcf_double(r, e, "ref", ref));
  CDNI_TRY(io_mjcf_double(r, e, "springref", &j->springref));
  if (j->kind == CDN_PIN) {
    *ref = io_mjcf_angle(r, *ref);
    j->springref = io_mjcf_angle(r, j->springref);
  } else if (j->kind != CDN_SLIDER) {
    *ref = j->springref = 0; /* springs of ball and free joints rest in the reference configuration */
  }
  return CDN_OK;
}

/* Stiffness and damping that follow from the inertia that the whole model shows to the joint. */
static cdn_status read_spring_times(mjcf_reader *r, const mjcf_element *e, cdn_spec_joint *j) {
  double times[2] = { 0, 0 };
  CDNI_TRY(io_mjcf_doubles(r, e, "springdamper", times, 2, NULL));
  if (!(times[0] > 0 && times[1] > 0)) return CDN_OK;
  if (r->flags.springs && r->flags.dampers) j->spring_timeconst = times[0], j->spring_dampratio = times[1];
  else if (r->flags.springs || r->flags.dampers)
    io_not_understood(r->log, io_xml_line(e->node), "joint springdamper (with a flag against springs or dampers)");
  return CDN_OK;
}

cdn_status io_mjcf_check_drive_range(mjcf_reader *r, const mjcf_element *e, const double range[2], bool *limited) {
  static const char *const words[] = { "false", "true", "auto" };
  int word = 2;
  CDNI_TRY(io_mjcf_keyword(r, e, "actuatorfrclimited", words, 3, &word));
  *limited = word == 1 || (word == 2 && r->compiler.autolimits);
  if (!*limited || range[0] < range[1]) return CDN_OK;
  return io_xml_fail(
      r->log, CDN_ERR_PARSE, e->node,
      "its actuatorfrcrange '%g %g' is empty; write actuatorfrcrange='LOWER UPPER' with LOWER below UPPER", range[0],
      range[1]);
}

/* Dry friction, and bounds of what actuators do. */
static cdn_status read_efforts(mjcf_reader *r, const mjcf_element *e, cdn_spec_joint *j) {
  double forces[2] = { 0, 0 };
  bool gravcomp = false;
  CDNI_TRY(io_mjcf_double(r, e, "frictionloss", &j->friction));
  if (!r->flags.frictionloss) j->friction = 0;
  CDNI_TRY(io_mjcf_doubles(r, e, "actuatorfrcrange", forces, 2, NULL));
  if ((forces[0] != 0 || forces[1] != 0) && io_spec_joint_has_range(j)) {
    CDNI_TRY(io_mjcf_check_drive_range(r, e, forces, &j->drive_limited));
    j->effort_lower = forces[0];
    j->effort_upper = forces[1];
  }
  CDNI_TRY(io_mjcf_bool(r, e, "actuatorgravcomp", &gravcomp));
  j->drive_compensates = gravcomp;
  return read_spring_times(r, e, j);
}

static cdn_status check_place(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope, cdn_mobilizer kind) {
  if (scope->place == 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "the worldbody does not move and has no joints; put the joint into a "
                       "<body>");
  if (kind == CDN_FREE && io_place_at(&r->tree, scope->place)->parent != 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "a free joint is allowed only in a body directly in the worldbody; "
                       "move the body there, or use slide and ball joints");
  return CDN_OK;
}

static cdn_status read_attributes(mjcf_reader *r, const mjcf_element *e, const mjcf_scope *scope, moving *m) {
  static const char *const types[] = { "free", "ball", "slide", "hinge" };
  static const cdn_mobilizer kinds[] = { CDN_FREE, CDN_BALL, CDN_SLIDER, CDN_PIN };
  cdn_spec_joint *j = &m->joint;
  int type = 3;
  CDNI_TRY(io_mjcf_keyword(r, e, "type", types, 4, &type));
  j->kind = kinds[type];
  CDNI_TRY(check_place(r, e->node, scope, j->kind));
  if (io_spec_joint_has_range(j)) CDNI_TRY(read_axis(r, e, scope, &m->axis));
  CDNI_TRY(io_mjcf_law(r, e, "solreflimit", "solimplimit", &j->limit_law));
  if (j->kind != CDN_FREE) {
    cdn_vec3 pos = cdn_v3(0, 0, 0);
    CDNI_TRY(io_mjcf_vec3(r, e, "pos", &pos));
    m->pos = cdn_transform_point(scope->X_BS, pos);
    CDNI_TRY(read_limits(r, e, j));
  }
  CDNI_TRY(io_mjcf_law(r, e, "solreffriction", "solimpfriction", &j->friction_law));
  CDNI_TRY(read_references(r, e, &m->ref, j));
  CDNI_TRY(read_passive(r, e, j));
  CDNI_TRY(read_efforts(r, e, j));
  io_mjcf_finish_element(r, e);
  return CDN_OK;
}

/* A free joint that no default class touches. */
static cdn_status read_freejoint(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope) {
  static const char *const words[] = { "false", "true", "auto" };
  int align = 2;
  CDNI_TRY(check_place(r, node, scope, CDN_FREE));
  CDNI_TRY(io_xml_keyword(r->log, node, "align", words, 3, &align, NULL));
  r->aligns = align == 1 || (align == 2 && r->compiler.alignfree);
  io_xml_ignore(node, "name");
  io_xml_ignore(node, "group");
  io_xml_report_rest(r->log, node);
  return CDN_OK;
}

cdn_status io_mjcf_read_joint(mjcf_reader *r, io_xml_node *node, const mjcf_scope *scope) {
  moving m = { .joint = cdn_default_spec_joint(), .axis = { 0, 0, 1 } };
  const int index = cdn_spec_count(r->spec, CDN_SPEC_JOINT);
  m.joint.line = io_xml_line(node);
  m.joint.kind = CDN_FREE;
  if (io_xml_is(node, "freejoint")) {
    CDNI_TRY(read_freejoint(r, node, scope));
  } else {
    mjcf_element e;
    CDNI_TRY(io_mjcf_element(r, node, MJCF_JOINT, scope->class, &e));
    CDNI_TRY(read_attributes(r, &e, scope, &m));
    r->aligns = m.joint.kind == CDN_FREE && r->compiler.alignfree;
  }
  CDNI_TRY(io_tree_add_joint(&r->tree, &m.joint, m.pos, m.axis, m.ref));
  return io_mjcf_take_name(r, node, MJCF_NAME_JOINT, &io_spec_joint(r->spec, index)->name);
}

cdn_status io_mjcf_refuse_free(mjcf_reader *r, io_xml_node *node, const cdn_spec *attached) {
  for (int i = 0; i < cdn_spec_count(attached, CDN_SPEC_JOINT); i++) {
    const cdn_spec_joint *joint = io_spec_joint(attached, i);
    if (joint->kind == CDN_FREE)
      return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                         "body '%.60s' of what is attached moves freely, which is allowed directly in the worldbody "
                         "only; attach it there, or take out its free joint (or mocap)",
                         joint->child);
  }
  return CDN_OK;
}

cdn_status io_mjcf_check_joints(mjcf_reader *r, int place, io_xml_node *node) {
  const io_place *at = io_place_at(&r->tree, place);
  int freedoms = 0;
  bool ball = false;
  for (int i = 0; i < at->n_joints; i++) {
    const cdn_spec_joint *j = io_spec_joint(r->spec, at->first_joint + i);
    if (ball && j->kind != CDN_SLIDER)
      return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                         "a ball joint is followed by another joint that turns (line %d), "
                         "which gives the body no new motion; remove one of them",
                         j->line);
    ball = ball || j->kind == CDN_BALL;
    freedoms += io_spec_joint_nu(j);
  }
  if (freedoms > 6)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "the body's joints have %d degrees of freedom, but a body can move "
                       "in 6 ways; a free joint stands alone",
                       freedoms);
  return CDN_OK;
}
