/* URDF's <transmission>: an actuator whose effort a gear brings to one joint becomes an actuator of the model. Its
 * control is the actuator's effort, and the joint has the reduction times it
 * (transmission_interface::SimpleTransmission of ros_control). Others are listed as not understood: they need
 * controllers that no file of a robot has, or couple several joints. */
#include <math.h>
#include <stdio.h>

#include "io/urdf.h"

/* The text of a child element, or NULL. */
static const char *text_of(const io_xml_node *node, const char *child, char text[80]) {
  const io_xml_node *at = node ? io_xml_child(node, child) : NULL;
  return at ? io_xml_text(at, text, 80) : NULL;
}

static bool ends_with(const char *text, const char *end) {
  const size_t n = text ? strlen(text) : 0, m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

/* What keeps a transmission from becoming an actuator; NULL: nothing. */
static const char *obstacle(io_xml_node *node, const io_xml_node *joint, const io_xml_node *actuator) {
  char type[80], interface[80];
  const char *old = io_xml_string(node, "type"); /* PR2's files have it as an attribute, and efforts alone */
  if (!ends_with(old ? old : text_of(node, "type", type), "SimpleTransmission")) return "transmission";
  if (!joint || !actuator || io_xml_next_named(joint, "joint") || io_xml_next_named(actuator, "actuator"))
    return "transmission (not of one joint and one actuator)";
  const char *word = text_of(joint, "hardwareInterface", interface);
  if (!word) word = text_of(actuator, "hardwareInterface", interface);
  if (old && !word) return NULL;
  if (ends_with(word, "EffortJointInterface")) return NULL;
  if (ends_with(word, "PositionJointInterface")) return "transmission (a position needs a controller)";
  if (ends_with(word, "VelocityJointInterface")) return "transmission (a velocity needs a controller)";
  return "transmission";
}

/* The text of <mechanicalReduction>, of the actuator or (PR2) of the transmission; without one 1. */
static cdn_status read_reduction(io_log *log, const io_xml_node *node, const io_xml_node *actuator, double *n) {
  char text[80];
  const char *number = text_of(actuator, "mechanicalReduction", text);
  if (!number) number = text_of(node, "mechanicalReduction", text);
  *n = 1;
  if (!number || io_xml_number(node, number, n)) return CDN_OK;
  return io_xml_fail(log, CDN_ERR_PARSE, node, "its <mechanicalReduction> is '%s'; write a number that is not 0",
                     number);
}

static cdn_status add_actuator(urdf_graph *graph, io_xml_node *node, const urdf_joint *joint, const char *name,
                               double reduction) {
  cdn_spec_actuator made = cdn_default_spec_actuator();
  if (cdn_spec_find(graph->spec, CDN_SPEC_ACTUATOR, name) >= 0) {
    io_warn(graph->log, io_xml_line(node), "actuator '%.60s' has two transmissions; the second one is left out", name);
    return CDN_OK;
  }
  made.name = name;
  made.line = io_xml_line(node);
  made.joint = joint->name;
  made.unit = joint->type == URDF_PRISMATIC ? "N" : "N m";
  made.gear[0] = reduction;
  if (joint->effort_limited) {
    made.force_upper = joint->effort / fabs(reduction);
    made.force_lower = -made.force_upper;
  }
  return io_spec_append(graph->spec, CDN_SPEC_ACTUATOR, &made, NULL);
}

cdn_status urdf_read_transmission(urdf_graph *graph, io_xml_node *node) {
  io_log *log = graph->log;
  io_xml_node *end = io_xml_child(node, "joint"), *actuator = io_xml_child(node, "actuator");
  const char *reason = obstacle(node, end, actuator);
  if (reason) {
    io_not_understood(log, io_xml_line(node), reason);
    return CDN_OK;
  }
  const char *joint_name, *name;
  double reduction;
  CDNI_TRY(io_xml_need_string(log, end, "name", &joint_name));
  CDNI_TRY(io_xml_need_string(log, actuator, "name", &name));
  CDNI_TRY(read_reduction(log, node, actuator, &reduction));
  const int index = io_names_find(&graph->joint_names, joint_name);
  const urdf_joint *joint = index >= 0 ? &CDNI_AT(graph->joints, urdf_joint, index) : NULL;
  if (!joint)
    return io_xml_fail(log, CDN_ERR_PARSE, end, "there is no joint '%.60s'; define it or correct the name", joint_name);
  if (reduction == 0 || !isfinite(reduction))
    return io_xml_fail(log, CDN_ERR_PARSE, node, "its <mechanicalReduction> is %g; write a number that is not 0",
                       reduction);
  if (joint->type == URDF_REVOLUTE || joint->type == URDF_CONTINUOUS || joint->type == URDF_PRISMATIC)
    return add_actuator(graph, node, joint, name, reduction);
  io_not_understood(log, io_xml_line(node), "transmission (of a joint that has not one coordinate)");
  return CDN_OK;
}
