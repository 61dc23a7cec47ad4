/* From links and joints by name to a tree of bodies: the checks that it is one tree, and links that are fixed to
 * another merged into it. */
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
      return io_fail(graph->d, CDN_ERR_PARSE, joint->line, "joint '%.60s' connects link '%.60s' with itself",
                     joint->name, child->name);
    if (child->parent_joint >= 0) {
      const urdf_joint *other = joint_at(graph, child->parent_joint);
      return io_fail(graph->d, CDN_ERR_PARSE, joint->line,
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
    return io_fail(graph->d, CDN_ERR_PARSE, link_at(graph, 0)->line,
                   "no link is the root: every one is the child of some joint, so they form a cycle through '%.60s'; "
                   "remove the joint that closes it",
                   link_at(graph, 0)->name);
  return io_fail(graph->d, CDN_ERR_PARSE, link_at(graph, second)->line,
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
    return io_fail(graph->d, CDN_ERR_PARSE, joint->line,
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

static cdn_status no_memory(const urdf_graph *graph) { return io_fail(graph->d, CDN_ERR_NOMEM, 0, "out of memory"); }

static cdn_status add_body(urdf_graph *graph, urdf_link *link, int parent, cdn_transform X_PB) {
  io_description *d = graph->d;
  io_body body = { .name = cdni_strdup(&d->allocator, link->name),
                   .line = link->line,
                   .parent = parent,
                   .X_PB = X_PB,
                   .mass = link->mass,
                   .mass_checked = true,
                   .first_joint = (int)d->joints.count };
  link->body = (int)d->bodies.count;
  link->X_BL = cdn_transform_identity();
  if (body.name && cdni_array_push(&d->allocator, &d->bodies, sizeof body, &body)) return CDN_OK;
  cdni_strfree(&d->allocator, body.name);
  return no_memory(graph);
}

static cdn_status add_joint(urdf_graph *graph, const char *name, int line, io_joint joint) {
  io_description *d = graph->d;
  joint.name = cdni_strdup(&d->allocator, name);
  joint.line = line;
  joint.limit_law = joint.friction_law = cdn_default_soft_law();
  joint.body = (int)d->bodies.count - 1;
  if (joint.name && cdni_array_push(&d->allocator, &d->joints, sizeof joint, &joint)) {
    CDNI_AT(d->bodies, io_body, joint.body).n_joints++;
    return CDN_OK;
  }
  cdni_strfree(&d->allocator, joint.name);
  return no_memory(graph);
}

/* The link becomes part of the body that its parent link is, or is part of; its name stays as that of a frame. */
static cdn_status merge_link(const urdf_graph *graph, const urdf_joint *joint, urdf_link *link) {
  io_description *d = graph->d;
  const urdf_link *parent = link_at(graph, joint->parent);
  io_body *body = &CDNI_AT(graph->d->bodies, io_body, parent->body);
  link->body = parent->body;
  link->X_BL = cdn_transform_multiply(parent->X_BL, joint->X_PJ);
  body->mass = cdn_mass_properties_merge(body->mass, cdn_mass_properties_transform(link->X_BL, link->mass));
  const io_named_frame frame = { .name = cdni_strdup(&d->allocator, link->name),
                                 .line = link->line,
                                 .frame = { link->body, link->X_BL } };
  if (frame.name && cdni_array_push(&d->allocator, &d->frames, sizeof frame, &frame)) return CDN_OK;
  cdni_strfree(&d->allocator, frame.name);
  return no_memory(graph);
}

/* Places the child link of a joint whose parent link is placed already. */
static cdn_status place_child(urdf_graph *graph, const urdf_joint *joint) {
  static const io_joint_kind kinds[URDF_JOINT_TYPE_COUNT] = {
    [URDF_REVOLUTE] = IO_PIN,  [URDF_CONTINUOUS] = IO_PIN, [URDF_PRISMATIC] = IO_SLIDER,
    [URDF_FLOATING] = IO_FREE, [URDF_PLANAR] = IO_PLANAR,
  };
  urdf_link *link = link_at(graph, joint->child);
  const urdf_link *parent = link_at(graph, joint->parent);
  const bool fixed = joint->type == URDF_FIXED;
  if (fixed && !graph->options->keep_fixed) return merge_link(graph, joint, link);
  CDNI_TRY(add_body(graph, link, parent->body, cdn_transform_multiply(parent->X_BL, joint->X_PJ)));
  if (fixed) return CDN_OK;
  return add_joint(graph, joint->name, joint->line,
                   (io_joint){ .kind = kinds[joint->type],
                               .axis = joint->axis,
                               .damping = joint->damping,
                               .limited = joint->limited,
                               .lower = joint->lower,
                               .upper = joint->upper,
                               .friction = joint->friction,
                               .effort_limited = joint->effort_limited,
                               .effort_lower = -joint->effort,
                               .effort_upper = joint->effort,
                               .speed_limited = joint->speed_limited,
                               .speed_limit = joint->speed });
}

/* A name that no joint of the file has. */
static cdn_status add_floating_base(urdf_graph *graph, const urdf_link *root) {
  char name[160] = "floating_base";
  if (io_names_find(&graph->joint_names, name) >= 0) snprintf(name, sizeof name, "%.120s_free", root->name);
  for (int i = 2; io_names_find(&graph->joint_names, name) >= 0; i++)
    snprintf(name, sizeof name, "floating_base_%d", i);
  return add_joint(graph, name, root->line, (io_joint){ .kind = IO_FREE, .axis = { 0, 0, 1 } });
}

/* The world and the root link, which stays a body of its own so that its pose and mass can be seen. */
static cdn_status place_root(urdf_graph *graph) {
  io_description *d = graph->d;
  io_body world = {
    .name = cdni_strdup(&d->allocator, "world"), .parent = -1, .X_PB = cdn_transform_identity(), .mass_checked = true
  };
  if (!world.name || !cdni_array_push(&d->allocator, &d->bodies, sizeof world, &world)) {
    cdni_strfree(&d->allocator, world.name);
    return no_memory(graph);
  }
  urdf_link *root = link_at(graph, graph->root);
  root->reached = true;
  CDNI_TRY(add_body(graph, root, 0, cdn_transform_identity()));
  return graph->options->floating_base ? add_floating_base(graph, root) : CDN_OK;
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
  io_description *d = graph->d;
  if (joint->type == URDF_FIXED) {
    io_warn(d, joint->mimic_line, "joint '%.60s' is fixed: that it mimics '%.60s' has no effect", joint->name,
            joint->mimic);
    return CDN_OK;
  }
  const int index = io_names_find(&graph->joint_names, joint->mimic);
  if (index < 0)
    return io_fail(d, CDN_ERR_PARSE, joint->mimic_line,
                   "joint '%.60s' mimics '%.60s', but there is no joint of that name; correct it", joint->name,
                   joint->mimic);
  const urdf_joint *other = joint_at(graph, index), *wrong = has_one_coordinate(joint) ? other : joint;
  if (!has_one_coordinate(wrong))
    return io_fail(d, CDN_ERR_PARSE, joint->mimic_line,
                   "joint '%.60s' mimics '%.60s', but '%.60s' does not have one coordinate: both must be revolute, "
                   "continuous or prismatic",
                   joint->name, joint->mimic, wrong->name);
  if (other == joint)
    return io_fail(d, CDN_ERR_PARSE, joint->mimic_line, "joint '%.60s' mimics itself; name another", joint->name);
  char name[300];
  snprintf(name, sizeof name, "%.280s mimic", joint->name);
  const io_loop loop = { .name = cdni_strdup(&d->allocator, name),
                         .line = joint->mimic_line,
                         .kind = IO_COUPLING,
                         .y = joint->emitted,
                         .x = other->emitted,
                         .c = { joint->offset, joint->multiplier },
                         .law = cdn_default_soft_law() };
  if (loop.name && cdni_array_push(&d->allocator, &d->loops, sizeof loop, &loop)) return CDN_OK;
  cdni_strfree(&d->allocator, loop.name);
  return no_memory(graph);
}

cdn_status urdf_emit(urdf_graph *graph) {
  CDNI_TRY(place_root(graph));
  for (int i = link_at(graph, graph->root)->first_joint; i >= 0; i = next_joint(graph, i)) {
    urdf_joint *joint = joint_at(graph, i);
    const int before = (int)graph->d->joints.count;
    link_at(graph, joint->child)->reached = true;
    CDNI_TRY(place_child(graph, joint));
    if ((int)graph->d->joints.count > before) joint->emitted = before;
  }
  CDNI_TRY(find_cycle(graph));
  CDNI_TRY(urdf_place_shapes(graph));
  for (int i = 0; i < (int)graph->joints.count; i++)
    if (joint_at(graph, i)->mimic) CDNI_TRY(add_mimic(graph, joint_at(graph, i)));
  return CDN_OK;
}
