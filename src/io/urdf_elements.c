/* URDF's <link> and <joint>. Files come from many exporters: a part that breaks a rule of the format but is clear is
 * read, with a warning; anything else is an error with its line. */
#include "io/urdf.h"

#include <math.h>

/* ---- shared ---- */

/* The element's own name, which must be there and be the first of its kind. */
static cdn_status read_name(io_log *log, io_xml_node *node, const char **name) {
  return io_xml_need_string(log, node, "name", name);
}

/* First child of this name, marked as read; a second one is listed as not understood. */
io_xml_node *urdf_take_child(const io_xml_node *node, const char *name) {
  io_xml_node *child = io_xml_child(node, name);
  if (child) io_xml_mark(child);
  return child;
}

/* Roll, pitch and yaw about fixed axes x, y, z: R = Rz(yaw) Ry(pitch) Rx(roll). */
static cdn_rotation rotation_from_rpy(cdn_vec3 rpy) {
  const double cr = cos(rpy.x), sr = sin(rpy.x), cp = cos(rpy.y), sp = sin(rpy.y), cy = cos(rpy.z), sy = sin(rpy.z);
  return (cdn_rotation){ .x = { cy * cp, sy * cp, -sp },
                         .y = { cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr },
                         .z = { cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr } };
}

/* The <origin> of an element; identity if there is none. */
cdn_status urdf_read_origin(io_log *log, const io_xml_node *node, cdn_transform *X) {
  *X = cdn_transform_identity();
  io_xml_node *origin = urdf_take_child(node, "origin");
  if (!origin) return CDN_OK;
  cdn_vec3 rpy = { 0, 0, 0 };
  CDNI_TRY(io_xml_vec3(log, origin, "xyz", &X->p, NULL));
  CDNI_TRY(io_xml_vec3(log, origin, "rpy", &rpy, NULL));
  X->R = rotation_from_rpy(rpy);
  io_xml_report_rest(log, origin);
  return CDN_OK;
}

/* ---- links ---- */

static cdn_status read_inertia(io_log *log, io_xml_node *node, cdn_inertia *I) {
  static const char *const moments[] = { "ixx", "iyy", "izz" };
  double *const values[] = { &I->xx, &I->yy, &I->zz };
  for (int i = 0; i < 3; i++) {
    bool present;
    CDNI_TRY(io_xml_double(log, node, moments[i], values[i], &present));
    if (!present) return io_xml_missing(log, node, moments[i], "give the moment of inertia, in kg m^2");
  }
  CDNI_TRY(io_xml_double(log, node, "ixy", &I->xy, NULL));
  CDNI_TRY(io_xml_double(log, node, "ixz", &I->xz, NULL));
  CDNI_TRY(io_xml_double(log, node, "iyz", &I->yz, NULL));
  io_xml_report_rest(log, node);
  return CDN_OK;
}

/* Mass, and inertia about the centre of mass in the axes of the inertial's own origin. */
static cdn_status read_inertial(io_log *log, io_xml_node *node, urdf_link *link) {
  cdn_transform X_LC;
  CDNI_TRY(urdf_read_origin(log, node, &X_LC));
  io_xml_node *mass = urdf_take_child(node, "mass"), *inertia = urdf_take_child(node, "inertia");
  if (!mass)
    return io_xml_fail(log, CDN_ERR_PARSE, node, "<mass value='...'/> is missing; give it, or remove <inertial>");
  bool present;
  CDNI_TRY(io_xml_double(log, mass, "value", &link->mass.mass, &present));
  if (!present) return io_xml_missing(log, mass, "value", "give the mass in kg");
  io_xml_report_rest(log, mass);
  cdn_inertia I = { 0, 0, 0, 0, 0, 0 };
  if (inertia) CDNI_TRY(read_inertia(log, inertia, &I));
  else io_warn(log, io_xml_line(node), "link '%.60s': <inertial> has no <inertia>; a point mass is used", link->name);
  link->mass.com = X_LC.p;
  link->mass.inertia = cdn_inertia_reexpress(X_LC.R, I);
  io_xml_report_rest(log, node);
  return io_check_mass(log, io_xml_line(node), "link", link->name, &link->mass);
}

cdn_status urdf_read_link(urdf_graph *graph, io_xml_node *node) {
  io_log *log = graph->log;
  const int index = (int)graph->links.count;
  urdf_link link = { .line = io_xml_line(node), .parent_joint = -1, .first_joint = -1, .last_joint = -1, .place = -1 };
  CDNI_TRY(read_name(log, node, &link.name));
  const int known = io_names_add(&log->allocator, &graph->link_names, link.name, index);
  if (known < 0) return io_fail(log, CDN_ERR_NOMEM, 0, "out of memory");
  if (known != index)
    return io_fail(log, CDN_ERR_PARSE, link.line, "link '%.60s' is defined twice, first at line %d; rename one",
                   link.name, CDNI_AT(graph->links, urdf_link, known).line);
  io_xml_node *inertial = urdf_take_child(node, "inertial");
  if (inertial) CDNI_TRY(read_inertial(log, inertial, &link));
  CDNI_TRY(urdf_read_shapes(graph, node, index));
  io_xml_report_rest(log, node);
  if (!cdni_array_push(&log->allocator, &graph->links, sizeof link, &link))
    return io_fail(log, CDN_ERR_NOMEM, 0, "out of memory");
  return CDN_OK;
}

/* ---- joints ---- */

/* <parent link='...'/> or <child link='...'/>: the index of a link that exists. */
static cdn_status read_end(urdf_graph *graph, io_xml_node *node, const char *which, int *link) {
  io_log *log = graph->log;
  io_xml_node *end = urdf_take_child(node, which);
  if (!end)
    return io_xml_fail(log, CDN_ERR_PARSE, node, "<%s link='...'/> is missing; a joint connects two links", which);
  const char *name;
  CDNI_TRY(io_xml_need_string(log, end, "link", &name));
  io_xml_report_rest(log, end);
  *link = io_names_find(&graph->link_names, name);
  if (*link < 0)
    return io_xml_fail(log, CDN_ERR_PARSE, end, "there is no link '%.60s'; define it or correct the name", name);
  return CDN_OK;
}

static cdn_status read_axis(io_log *log, io_xml_node *node, urdf_joint *joint) {
  joint->axis = cdn_v3(1, 0, 0);
  io_xml_node *axis = urdf_take_child(node, "axis");
  if (!axis) return CDN_OK;
  if (joint->type == URDF_FIXED || joint->type == URDF_FLOATING) return CDN_OK; /* of no meaning for these */
  CDNI_TRY(io_xml_vec3(log, axis, "xyz", &joint->axis, NULL));
  io_xml_report_rest(log, axis);
  const double length = cdn_norm(joint->axis);
  if (length == 0)
    return io_xml_fail(log, CDN_ERR_PARSE, axis, "attribute 'xyz' is a zero vector; give the axis' direction");
  joint->axis = cdn_v3(joint->axis.x / length, joint->axis.y / length, joint->axis.z / length);
  return CDN_OK;
}

static cdn_status read_dynamics(urdf_graph *graph, io_xml_node *node, urdf_joint *joint) {
  io_log *log = graph->log;
  io_xml_node *dynamics = urdf_take_child(node, "dynamics");
  if (!dynamics) return CDN_OK;
  CDNI_TRY(io_xml_double(log, dynamics, "damping", &joint->damping, NULL));
  CDNI_TRY(io_xml_double(log, dynamics, "friction", &joint->friction, NULL));
  if (joint->damping < 0)
    return io_xml_fail(log, CDN_ERR_PARSE, dynamics, "attribute 'damping' is negative, which would feed energy in");
  io_xml_report_rest(log, dynamics);
  return CDN_OK;
}

/* A bound may be given as infinite, which is no bound. */
static cdn_status read_bound(io_log *log, io_xml_node *node, const char *attribute, double *value, bool *present) {
  const char *text = io_xml_string(node, attribute);
  if (present) *present = text != NULL;
  if (text && (strcmp(text, "inf") == 0 || strcmp(text, "+inf") == 0)) *value = INFINITY;
  else if (text && strcmp(text, "-inf") == 0) *value = -INFINITY;
  else return io_xml_double(log, node, attribute, value, NULL);
  return CDN_OK;
}

/* Limits of effort and speed, for users' controllers. Exporters write 0 or a negative number if nobody has set a
 * limit; it counts as no limit, since otherwise the joint could not be driven. */
static cdn_status read_drive(io_log *log, io_xml_node *limit, urdf_joint *joint) {
  CDNI_TRY(read_bound(log, limit, "effort", &joint->effort, &joint->effort_limited));
  CDNI_TRY(read_bound(log, limit, "velocity", &joint->speed, &joint->speed_limited));
  joint->effort_limited = joint->effort_limited && joint->effort > 0;
  joint->speed_limited = joint->speed_limited && joint->speed > 0;
  return CDN_OK;
}

/* Position limits are for revolute and prismatic joints. */
static cdn_status read_limit(io_log *log, io_xml_node *node, urdf_joint *joint) {
  const bool needed = joint->type == URDF_REVOLUTE || joint->type == URDF_PRISMATIC;
  io_xml_node *limit = urdf_take_child(node, "limit");
  if (!limit) {
    if (needed)
      io_warn(log, joint->line, "joint '%.60s' has no <limit>, which its type requires; it moves without limits",
              joint->name);
    return CDN_OK;
  }
  CDNI_TRY(read_drive(log, limit, joint));
  if (!needed) {
    io_xml_ignore(limit, "lower");
    io_xml_ignore(limit, "upper");
    io_xml_report_rest(log, limit);
    return CDN_OK;
  }
  CDNI_TRY(read_bound(log, limit, "lower", &joint->lower, NULL));
  CDNI_TRY(read_bound(log, limit, "upper", &joint->upper, NULL));
  io_xml_report_rest(log, limit);
  if (joint->lower > joint->upper)
    return io_xml_fail(log, CDN_ERR_PARSE, limit, "lower (%g) is above upper (%g); exchange them", joint->lower,
                       joint->upper);
  if (joint->lower == 0 && joint->upper == 0) {
    /* Exporters write zeros if nobody has set a limit; no one means a joint that cannot move. */
    io_warn(log, io_xml_line(limit),
            "joint '%.60s': its limits are both zero; it moves without limits (a joint that "
            "shall not move is of type fixed)",
            joint->name);
    return CDN_OK;
  }
  joint->limited = true;
  return CDN_OK;
}

static cdn_status read_mimic(io_log *log, io_xml_node *node, urdf_joint *joint) {
  io_xml_node *mimic = urdf_take_child(node, "mimic");
  if (!mimic) return CDN_OK;
  joint->mimic_line = io_xml_line(mimic);
  joint->multiplier = 1;
  CDNI_TRY(io_xml_need_string(log, mimic, "joint", &joint->mimic));
  CDNI_TRY(io_xml_double(log, mimic, "multiplier", &joint->multiplier, NULL));
  CDNI_TRY(io_xml_double(log, mimic, "offset", &joint->offset, NULL));
  io_xml_report_rest(log, mimic);
  return CDN_OK;
}

static cdn_status read_type(io_log *log, io_xml_node *node, urdf_joint *joint) {
  static const char *const types[URDF_JOINT_TYPE_COUNT] = {
    [URDF_REVOLUTE] = "revolute", [URDF_CONTINUOUS] = "continuous", [URDF_PRISMATIC] = "prismatic",
    [URDF_FIXED] = "fixed",       [URDF_FLOATING] = "floating",     [URDF_PLANAR] = "planar",
  };
  int type = 0;
  bool present;
  CDNI_TRY(io_xml_keyword(log, node, "type", types, URDF_JOINT_TYPE_COUNT, &type, &present));
  if (!present)
    return io_xml_missing(log, node, "type", "give revolute, continuous, prismatic, fixed, floating or planar");
  joint->type = (urdf_joint_type)type;
  return CDN_OK;
}

cdn_status urdf_read_joint(urdf_graph *graph, io_xml_node *node) {
  io_log *log = graph->log;
  const int index = (int)graph->joints.count;
  urdf_joint joint = { .line = io_xml_line(node), .next_joint = -1 };
  CDNI_TRY(read_name(log, node, &joint.name));
  const int known = io_names_add(&log->allocator, &graph->joint_names, joint.name, index);
  if (known < 0) return io_fail(log, CDN_ERR_NOMEM, 0, "out of memory");
  if (known != index)
    return io_fail(log, CDN_ERR_PARSE, joint.line, "joint '%.60s' is defined twice, first at line %d; rename one",
                   joint.name, CDNI_AT(graph->joints, urdf_joint, known).line);
  CDNI_TRY(read_type(log, node, &joint));
  CDNI_TRY(read_end(graph, node, "parent", &joint.parent));
  CDNI_TRY(read_end(graph, node, "child", &joint.child));
  CDNI_TRY(urdf_read_origin(log, node, &joint.X_PJ));
  CDNI_TRY(read_axis(log, node, &joint));
  CDNI_TRY(read_dynamics(graph, node, &joint));
  CDNI_TRY(read_limit(log, node, &joint));
  CDNI_TRY(read_mimic(log, node, &joint));
  /* Where a real joint's encoder has its reference marks. */
  io_xml_node *calibration = urdf_take_child(node, "calibration");
  (void)calibration;
  io_xml_report_rest(log, node);
  if (!cdni_array_push(&log->allocator, &graph->joints, sizeof joint, &joint))
    return io_fail(log, CDN_ERR_NOMEM, 0, "out of memory");
  return CDN_OK;
}
