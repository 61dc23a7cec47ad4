/* From links and joints by name to a tree of bodies: the checks that it is one tree, and links that are fixed to
 * another merged into it. */
#include "io/joints.h"
#include "io/urdf.h"

#include <stdio.h>

static urdf_link *link_at(const urdf_graph *graph, int i) { return &CDNI_AT(graph->links, urdf_link, i); }
static urdf_joint *joint_at(const urdf_graph *graph, int i) { return &CDNI_AT(graph->joints, urdf_joint, i); }

/* ---- is it one tree? ---- */

/* Hangs every joint on the list of its parent link, in the file's order. */
static cdn_status attach_joints(urdf_graph *graph) {
  for (int i = 0; i < (int)graph->joints.count; i++) {
    urdf_joint *joint = joint_at(graph, i);
    urdf_link *parent = link_at(graph, joint->parent), *child = link_at(graph, joint->child);
    if (joint->parent == joint->child)
      return io_fail(graph->log, CDN_ERR_PARSE, joint->line, "joint '%.60s' connects link '%.60s' with itself",
                     joint->name, child->name);
    if (child->parent_joint >= 0) {
      const urdf_joint *other = joint_at(graph, child->parent_joint);
      return io_fail(graph->log, CDN_ERR_PARSE, joint->line,
                     "link '%.60s' is the child of two joints, '%.60s' (line %d) and '%.60s'; a link has one parent: "
                     "remove one of them",
                     child->name, other->name, other->line, joint->name);
    }
    child->parent_joint = i;
    if (parent->last_joint < 0) parent->first_joint = i;
    else joint_at(graph, parent->last_joint)->next_joint = i;
    parent->last_joint = i;
  }
  return CDN_OK;
}

static cdn_status find_root(urdf_graph *graph) {
  int n_roots = 0, second = -1;
  char names[240] = "";
  for (int i = 0; i < (int)graph->links.count; i++) {
    const urdf_link *link = link_at(graph, i);
    if (link->parent_joint >= 0) continue;
    if (n_roots == 0) graph->root = i;
    if (n_roots == 1) second = i;
    const size_t used = strlen(names);
    if (n_roots < 4) snprintf(names + used, sizeof names - used, "%s'%.40s'", n_roots ? ", " : "", link->name);
    n_roots++;
  }
  if (n_roots == 1) return CDN_OK;
  if (n_roots == 0)
    return io_fail(graph->log, CDN_ERR_PARSE, link_at(graph, 0)->line,
                   "no link is the root: every one is the child of some joint, so they form a cycle through '%.60s'; "
                   "remove the joint that closes it",
                   link_at(graph, 0)->name);
  return io_fail(graph->log, CDN_ERR_PARSE, link_at(graph, second)->line,
                 "%d links have no parent, but a robot has one root: %s%s; connect the others with joints (of type "
                 "fixed, if need be)",
                 n_roots, names, n_roots > 4 ? ", ..." : "");
}

/* Every link has one parent, and there is one root: links that the root does not reach form a cycle. */
static cdn_status find_cycle(const urdf_graph *graph) {
  for (int i = 0; i < (int)graph->links.count; i++) {
    const urdf_link *link = link_at(graph, i);
    if (link->reached) continue;
    const urdf_joint *joint = joint_at(graph, link->parent_joint);
    return io_fail(graph->log, CDN_ERR_PARSE, joint->line,
                   "link '%.60s' is in, or behind, a cycle of joints that the root '%.60s' does not reach, by way of "
                   "joint '%.60s'; remove the joint that closes the cycle",
                   link->name, link_at(graph, graph->root)->name, joint->name);
  }
  return CDN_OK;
}

cdn_status urdf_connect(urdf_graph *graph) {
  CDNI_TRY(attach_joints(graph));
  return find_root(graph);
}

/* ---- bodies ---- */

static cdn_status add_body(urdf_graph *graph, urdf_link *link, int parent, cdn_transform X_PB) {
  cdn_spec_body body = cdn_default_spec_body();
  body.name = link->name;
  body.line = link->line;
  body.mass = link->mass;
  body.allow_improper = true;
  link->place = (int)graph->tree.places.count;
  link->X_BL = cdn_transform_identity();
  return io_tree_add_body(&graph->tree, parent, X_PB, &body);
}

static const cdn_vec3 nowhere = { 0, 0, 0 }; /* the joint's frame is the child's */

static cdn_status add_joint(urdf_graph *graph, const urdf_joint *from) {
  static const cdn_mobilizer kinds[URDF_JOINT_TYPE_COUNT] = {
    [URDF_REVOLUTE] = CDN_PIN,  [URDF_CONTINUOUS] = CDN_PIN, [URDF_PRISMATIC] = CDN_SLIDER,
    [URDF_FLOATING] = CDN_FREE, [URDF_PLANAR] = CDN_PLANAR,
  };
  cdn_spec_joint joint = cdn_default_spec_joint();
  joint.name = from->name;
  joint.line = from->line;
  joint.kind = kinds[from->type];
  joint.damping = from->damping;
  joint.friction = from->friction;
  joint.limited = from->limited;
  if (from->limited) joint.lower = from->lower, joint.upper = from->upper;
  if (from->effort_limited) joint.effort_lower = -from->effort, joint.effort_upper = from->effort;
  if (from->speed_limited) joint.speed_limit = from->speed;
  return io_tree_add_joint(&graph->tree, &joint, nowhere, from->axis, 0);
}

/* The link becomes part of the body that its parent link is, or is part of; its name stays as that of a frame. */
static cdn_status merge_link(urdf_graph *graph, const urdf_joint *joint, urdf_link *link) {
  const urdf_link *parent = link_at(graph, joint->parent);
  cdn_spec_body *body = io_body_at(&graph->tree, parent->place);
  link->place = parent->place;
  link->X_BL = cdn_transform_multiply(parent->X_BL, joint->X_PJ);
  body->mass = cdn_mass_properties_merge(body->mass, cdn_mass_properties_transform(link->X_BL, link->mass));
  cdn_spec_frame frame = cdn_default_spec_frame();
  frame.name = link->name;
  frame.line = link->line;
  frame.body = body->name;
  frame.X_BF = link->X_BL;
  return io_spec_append(graph->spec, CDN_SPEC_FRAME, &frame, NULL);
}

/* Places the child link of a joint whose parent link is placed already. */
static cdn_status place_child(urdf_graph *graph, const urdf_joint *joint) {
  urdf_link *link = link_at(graph, joint->child);
  const urdf_link *parent = link_at(graph, joint->parent);
  const bool fixed = joint->type == URDF_FIXED;
  if (fixed && !graph->options->keep_fixed) return merge_link(graph, joint, link);
  CDNI_TRY(add_body(graph, link, parent->place, cdn_transform_multiply(parent->X_BL, joint->X_PJ)));
  if (!fixed) CDNI_TRY(add_joint(graph, joint));
  return io_tree_end_body(&graph->tree);
}

/* A name that no joint of the file has. */
static cdn_status add_floating_base(urdf_graph *graph, const urdf_link *root) {
  char name[160] = "floating_base";
  if (io_names_find(&graph->joint_names, name) >= 0) snprintf(name, sizeof name, "%.120s_free", root->name);
  for (int i = 2; io_names_find(&graph->joint_names, name) >= 0; i++)
    snprintf(name, sizeof name, "floating_base_%d", i);
  cdn_spec_joint joint = cdn_default_spec_joint();
  joint.name = name;
  joint.line = root->line;
  joint.kind = CDN_FREE;
  return io_tree_add_joint(&graph->tree, &joint, nowhere, cdn_v3(0, 0, 1), 0);
}

/* The root link stays a body of its own so that its pose and mass can be seen. */
static cdn_status place_root(urdf_graph *graph) {
  urdf_link *root = link_at(graph, graph->root);
  CDNI_TRY(io_tree_start(&graph->tree, graph->spec));
  root->reached = true;
  CDNI_TRY(add_body(graph, root, 0, cdn_transform_identity()));
  if (graph->options->floating_base) CDNI_TRY(add_floating_base(graph, root));
  return io_tree_end_body(&graph->tree);
}

/* Depth first without recursion: down to a link's first joint, else on to the next joint of its parent. */
static int next_joint(const urdf_graph *graph, int joint) {
  const int down = link_at(graph, joint_at(graph, joint)->child)->first_joint;
  if (down >= 0) return down;
  while (joint >= 0 && joint_at(graph, joint)->next_joint < 0)
    joint = link_at(graph, joint_at(graph, joint)->parent)->parent_joint;
  return joint >= 0 ? joint_at(graph, joint)->next_joint : -1;
}

/* ---- joints that follow others ---- */

static bool has_one_coordinate(const urdf_joint *joint) {
  return joint->type == URDF_REVOLUTE || joint->type == URDF_CONTINUOUS || joint->type == URDF_PRISMATIC;
}

static cdn_status add_mimic(urdf_graph *graph, const urdf_joint *joint) {
  io_log *log = graph->log;
  if (joint->type == URDF_FIXED) {
    io_warn(log, joint->mimic_line, "joint '%.60s' is fixed: that it mimics '%.60s' has no effect", joint->name,
            joint->mimic);
    return CDN_OK;
  }
  const int index = io_names_find(&graph->joint_names, joint->mimic);
  if (index < 0)
    return io_fail(log, CDN_ERR_PARSE, joint->mimic_line,
                   "joint '%.60s' mimics '%.60s', but there is no joint of that name; correct it", joint->name,
                   joint->mimic);
  const urdf_joint *other = joint_at(graph, index), *wrong = has_one_coordinate(joint) ? other : joint;
  if (!has_one_coordinate(wrong))
    return io_fail(log, CDN_ERR_PARSE, joint->mimic_line,
                   "joint '%.60s' mimics '%.60s', but '%.60s' does not have one coordinate: both must be revolute, "
                   "continuous or prismatic",
                   joint->name, joint->mimic, wrong->name);
  if (other == joint)
    return io_fail(log, CDN_ERR_PARSE, joint->mimic_line, "joint '%.60s' mimics itself; name another", joint->name);
  char name[300];
  snprintf(name, sizeof name, "%.280s mimic", joint->name);
  cdn_spec_constraint made = cdn_default_spec_constraint();
  made.name = name;
  made.line = joint->mimic_line;
  made.kind = CDN_SPEC_COUPLING;
  made.joint_y = joint->name;
  made.joint_x = other->name;
  made.c[0] = joint->offset, made.c[1] = joint->multiplier;
  return io_spec_append(graph->spec, CDN_SPEC_CONSTRAINT, &made, NULL);
}

cdn_status urdf_emit(urdf_graph *graph) {
  CDNI_TRY(place_root(graph));
  for (int i = link_at(graph, graph->root)->first_joint; i >= 0; i = next_joint(graph, i)) {
    link_at(graph, joint_at(graph, i)->child)->reached = true;
    CDNI_TRY(place_child(graph, joint_at(graph, i)));
  }
  CDNI_TRY(find_cycle(graph));
  CDNI_TRY(urdf_place_shapes(graph));
  CDNI_TRY(io_tree_finish(&graph->tree));
  for (int i = 0; i < (int)graph->joints.count; i++)
    if (joint_at(graph, i)->mimic) CDNI_TRY(add_mimic(graph, joint_at(graph, i)));
  return CDN_OK;
}
