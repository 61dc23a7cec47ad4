/* The URDF reader's own picture of a file: links and joints by name, before they become a tree of bodies.
 * Format: the URDF specification of ROS (wiki.ros.org/urdf/XML). */
#ifndef CARDAN_IO_URDF_H
#define CARDAN_IO_URDF_H

#include "io/tree.h"
#include "io/xml.h"

typedef enum urdf_joint_type {
  URDF_REVOLUTE,
  URDF_CONTINUOUS,
  URDF_PRISMATIC,
  URDF_FIXED,
  URDF_FLOATING,
  URDF_PLANAR,
  URDF_JOINT_TYPE_COUNT
} urdf_joint_type;

typedef struct urdf_link {
  const char *name; /* the document's */
  int line;
  cdn_mass_properties mass;    /* in the link's frame; all zero without <inertial> */
  int parent_joint;            /* the joint of which this link is the child, or -1 */
  int first_joint, last_joint; /* list of the joints of which this link is the parent, in the file's order, or -1 */
  bool reached;
  bool collides; /* it has a shape for collision */
  int place;     /* where it ended up: its body in the tree, and where it is in that body's frame */
  cdn_transform X_BL;
} urdf_link;

typedef struct urdf_joint {
  const char *name;
  int line;
  urdf_joint_type type;
  int parent, child;  /* links */
  int next_joint;     /* next in the list of the parent link, or -1 */
  cdn_transform X_PJ; /* the joint's frame, which is the child's at zero, in the parent link's */
  cdn_vec3 axis;      /* unit, in the joint's frame */
  double damping, friction;
  bool limited, effort_limited, speed_limited;
  double lower, upper, effort, speed;
  const char *mimic; /* the joint that it follows, or NULL: q = multiplier q_other + offset */
  double multiplier, offset;
  int mimic_line;
} urdf_joint;

typedef struct urdf_graph {
  cdn_spec *spec;
  io_log *log; /* the spec's */
  io_tree tree;
  const cdn_model_options *options;
  cdni_array links, joints; /* urdf_link, urdf_joint */
  io_names link_names, joint_names;
  io_names material_names, mesh_names; /* of assets; the spec owns the names */
  cdni_array shape_links;              /* int: the link of each of the spec's shapes */
  int root;
} urdf_graph;

/* urdf_elements.c: <link> and <joint> into the graph; a joint's links must have been read. */
cdn_status urdf_read_link(urdf_graph *graph, io_xml_node *node);
cdn_status urdf_read_joint(urdf_graph *graph, io_xml_node *node);
/* What urdf_elements.c and urdf_shapes.c share: the first child of this name, ticked off; an element's <origin>. */
io_xml_node *urdf_take_child(const io_xml_node *node, const char *name);
cdn_status urdf_read_origin(io_log *log, const io_xml_node *node, cdn_transform *X);

/* urdf_shapes.c: the shapes of a link, <visual> and <collision>, in the link's frame until urdf_place_shapes puts them
 * on bodies. A shape that cannot be understood is left out with a warning. */
cdn_status urdf_read_shapes(urdf_graph *graph, io_xml_node *node, int link);
cdn_status urdf_read_material(urdf_graph *graph, io_xml_node *node);
cdn_status urdf_place_shapes(urdf_graph *graph);

/* urdf_transmission.c: the actuator of a transmission, once the joints are in the spec. */
cdn_status urdf_read_transmission(urdf_graph *graph, io_xml_node *node);

/* urdf_tree.c: checks that the graph is one tree and puts its bodies and joints into the spec. */
cdn_status urdf_connect(urdf_graph *graph);
cdn_status urdf_emit(urdf_graph *graph);

/* srdf.c: the links that the robot's SRDF file keeps apart, if it has one: NAME.srdf, by the name of the URDF file or
 * of the robot, in the directory of that file or in the directory srdf beside it. Mistakes in it are warnings. */
cdn_status urdf_read_srdf(urdf_graph *graph);

#endif
