/* Bodies and joints as a reader finds them. The frames between the joints of a body coincide with the body's frame B
 * when every coordinate has its reference value. So joint k, with its axis frame A in B, has F = A and M = A, with two
 * exceptions: F of the first joint is placed in the parent by X_PB, and F is set back by the reference value. */
#include "io/tree.h"

#include <stdio.h>

#include "io/build.h"
#include "io/joints.h"

static cdn_status no_memory(const io_tree *tree) {
  return io_fail(&tree->spec->log, CDN_ERR_NOMEM, 0, "out of memory");
}

/* ---- bodies and joints ----------------------------------------------------------------------- */

cdn_status io_tree_start(io_tree *tree, cdn_spec *spec) {
  const io_place ground = { .parent = -1, .X_PB = cdn_transform_identity(), .body = -1 };
  *tree = (io_tree){ .spec = spec };
  return cdni_array_push(&spec->log.allocator, &tree->places, sizeof ground, &ground) ? CDN_OK : no_memory(tree);
}

static io_place *newest(const io_tree *tree) { return io_place_at(tree, (int)tree->places.count - 1); }

cdn_status io_tree_add_body(io_tree *tree, int parent, cdn_transform X_PB, const cdn_spec_body *body) {
  io_place place = {
    .parent = parent, .X_PB = X_PB, .frame = -1, .first_joint = cdn_spec_count(tree->spec, CDN_SPEC_JOINT)
  };
  CDNI_TRY(io_spec_append(tree->spec, CDN_SPEC_BODY, body, &place.body));
  return cdni_array_push(&tree->spec->log.allocator, &tree->places, sizeof place, &place) ? CDN_OK : no_memory(tree);
}

/* A free body's coordinates are its pose in the parent. */
static void place_free(cdn_spec_joint *joint, const io_place *place) {
  const cdn_quaternion q = cdn_quaternion_from_rotation(place->X_PB.R);
  const cdn_vec3 p = place->X_PB.p;
  memcpy(joint->q0, (double[7]){ q.w, q.x, q.y, q.z, p.x, p.y, p.z }, sizeof joint->q0);
  joint->X_PF = joint->X_CM = cdn_transform_identity();
  joint->X_FM_rest = place->X_PB;
}

/* Where a joint is: A in B, and the angle or distance by which F is set back. */
static void place_joint(cdn_spec_joint *joint, const io_place *place, cdn_vec3 pos, cdn_vec3 axis, double ref) {
  const bool first = place->n_joints == 0;
  cdn_transform X_BF = { cdn_rotation_identity(), pos };
  if (joint->kind == CDN_PIN || joint->kind == CDN_PLANAR) X_BF.R = cdn_rotation_z_to(axis);
  if (joint->kind == CDN_SLIDER) X_BF.R = cdn_rotation_x_to(axis);
  joint->X_CM = X_BF;
  joint->q0[0] = ref;
  if (joint->kind == CDN_SLIDER) X_BF.p = cdn_sub(pos, cdn_scale(ref, X_BF.R.x));
  if (joint->kind == CDN_PIN && ref != 0)
    X_BF.R = cdn_rotation_multiply(X_BF.R, cdn_rotation_axis_angle(cdn_v3(0, 0, 1), -ref));
  joint->X_PF = first ? cdn_transform_multiply(place->X_PB, X_BF) : X_BF;
  if (joint->kind == CDN_BALL || joint->kind == CDN_FREE) joint->q0[0] = 1;
  if (joint->kind == CDN_FREE && first) place_free(joint, place);
}

cdn_status io_tree_add_joint(io_tree *tree, const cdn_spec_joint *joint, cdn_vec3 pos, cdn_vec3 axis, double ref) {
  cdn_spec_joint placed = *joint;
  place_joint(&placed, newest(tree), pos, axis, ref);
  newest(tree)->n_joints++;
  return io_spec_append(tree->spec, CDN_SPEC_JOINT, &placed, NULL);
}

void io_tree_move_frame(io_tree *tree, cdn_transform X_BN) {
  io_place *place = newest(tree);
  place->X_PB = cdn_transform_multiply(place->X_PB, X_BN);
  place_free(io_spec_joint(tree->spec, place->first_joint), place);
}

static cdn_status add_weld(io_tree *tree) {
  io_place *place = newest(tree);
  cdn_spec_joint weld = cdn_default_spec_joint();
  weld.line = io_spec_body(tree->spec, place->body)->line;
  weld.X_PF = place->X_PB;
  place->n_joints = 1;
  return io_spec_append(tree->spec, CDN_SPEC_JOINT, &weld, NULL);
}

/* A frame in between stands before the body: it takes the body's element, and the body the new one. */
static cdn_status add_between(io_tree *tree) {
  io_place *place = newest(tree);
  int last;
  cdn_spec_body frame = cdn_default_spec_body();
  frame.line = io_spec_body(tree->spec, place->body)->line;
  frame.intermediate = frame.allow_improper = true;
  CDNI_TRY(io_spec_append(tree->spec, CDN_SPEC_BODY, &frame, &last));
  cdn_spec_body *before = io_spec_body(tree->spec, place->body), *after = io_spec_body(tree->spec, last);
  const cdn_spec_body body = *before;
  *before = *after, *after = body;
  place->body = last;
  return CDN_OK;
}

cdn_status io_tree_end_body(io_tree *tree) {
  if (newest(tree)->n_joints == 0) return add_weld(tree);
  for (int k = 1; k < newest(tree)->n_joints; k++) CDNI_TRY(add_between(tree));
  return CDN_OK;
}

/* ---- names of bodies in other elements ------------------------------------------------------- */

typedef struct reference {
  cdn_spec_kind kind;
  int element, place;
  size_t offset;
} reference;

cdn_status io_tree_refer(io_tree *tree, cdn_spec_kind kind, int element, size_t offset, int place) {
  const reference made = { kind, element, place, offset };
  return cdni_array_push(&tree->spec->log.allocator, &tree->references, sizeof made, &made) ? CDN_OK : no_memory(tree);
}

void io_tree_free(io_tree *tree) {
  cdni_array_free(&tree->spec->log.allocator, &tree->places);
  cdni_array_free(&tree->spec->log.allocator, &tree->references);
}

static cdn_status put(io_tree *tree, const char **text, const char *name) {
  *text = cdni_strdup(&tree->spec->log.allocator, name);
  return *text ? CDN_OK : no_memory(tree);
}

/* Between the joints k and k + 1: "thigh (after hip_x)". */
static cdn_status name_between(io_tree *tree, const io_place *place, int k, const cdn_spec_joint *joint) {
  const cdn_spec_body *body = io_spec_body(tree->spec, place->body);
  char name[512];
  snprintf(name, sizeof name, "%.240s (after %.240s)", body->name, joint->name);
  return put(tree, &io_spec_body(tree->spec, place->body - place->n_joints + 1 + k)->name, name);
}

/* Names of frames in between and of welds, and the ends of joints. */
static cdn_status name_ends(io_tree *tree, const io_place *place) {
  const cdn_spec_body *body = io_spec_body(tree->spec, place->body);
  const char *parent = place->parent > 0 ? io_body_at(tree, place->parent)->name : NULL;
  for (int k = 0; k < place->n_joints; k++) {
    cdn_spec_joint *joint = io_spec_joint(tree->spec, place->first_joint + k);
    char weld[300];
    snprintf(weld, sizeof weld, "%.280s weld", body->name);
    if (!joint->name) CDNI_TRY(put(tree, &joint->name, weld));
    if (k < place->n_joints - 1) CDNI_TRY(name_between(tree, place, k, joint));
    if (parent) CDNI_TRY(put(tree, &joint->parent, parent));
    parent = io_spec_body(tree->spec, place->body - place->n_joints + 1 + k)->name;
    CDNI_TRY(put(tree, &joint->child, parent));
  }
  return CDN_OK;
}

/* ---- names of shapes ------------------------------------------------------------------------- */

static const char *word_of(cdn_shape_type type) {
  switch (type) {
    case CDN_SHAPE_PLANE: return "plane";
    case CDN_SHAPE_HFIELD: return "height field";
    case CDN_SHAPE_SPHERE: return "sphere";
    case CDN_SHAPE_CAPSULE: return "capsule";
    case CDN_SHAPE_ELLIPSOID: return "ellipsoid";
    case CDN_SHAPE_CYLINDER: return "cylinder";
    case CDN_SHAPE_BOX: return "box";
    case CDN_SHAPE_MESH: return "mesh";
  }
  return "shape";
}

/* Names for shapes that have none. */
typedef struct namer {
  io_names given, bodies;
  int *numbers; /* for Ground and each body: how many of each kind have got a name */
} namer;

/* "thigh capsule 2": the second capsule of that body which has no name. */
static cdn_status name_shape(io_tree *tree, namer *n, cdn_spec_shape *shape) {
  cdn_geometry_kind kind = CDN_GEOMETRY_CUSTOM;
  (void)io_geometry_kind(shape->type, &kind);
  const int body = shape->body ? io_names_find(&n->bodies, shape->body) + 1 : 0;
  int *number = &n->numbers[body * CDN_GEOMETRY_KIND_COUNT + (int)kind];
  char made[256];
  do {
    snprintf(made, sizeof made, "%.200s %s %d", body ? shape->body : "Ground", word_of(shape->type), ++*number);
  } while (io_names_find(&n->given, made) >= 0);
  return put(tree, &shape->name, made);
}

static cdn_status name_with(io_tree *tree, namer *n, int bodies, int shapes) {
  const cdn_allocator *a = &tree->spec->log.allocator;
  for (int i = 0; i < bodies; i++)
    if (io_names_add(a, &n->bodies, io_spec_body(tree->spec, i)->name, i) < 0) return no_memory(tree);
  for (int i = 0; i < shapes; i++) {
    const char *name = io_spec_shape(tree->spec, i)->name;
    if (name && io_names_add(a, &n->given, name, i) < 0) return no_memory(tree);
  }
  for (int i = 0; i < shapes; i++)
    if (!io_spec_shape(tree->spec, i)->name) CDNI_TRY(name_shape(tree, n, io_spec_shape(tree->spec, i)));
  return CDN_OK;
}

static cdn_status name_shapes(io_tree *tree) {
  const cdn_allocator *a = &tree->spec->log.allocator;
  const int bodies = cdn_spec_count(tree->spec, CDN_SPEC_BODY), shapes = cdn_spec_count(tree->spec, CDN_SPEC_SHAPE);
  const size_t bytes = (size_t)(bodies + 1) * CDN_GEOMETRY_KIND_COUNT * sizeof(int);
  namer n = { .numbers = cdni_calloc(a, bytes) };
  if (!n.numbers) return no_memory(tree);
  const cdn_status status = name_with(tree, &n, bodies, shapes);
  io_names_free(a, &n.given);
  io_names_free(a, &n.bodies);
  cdni_free(a, n.numbers, bytes);
  return status;
}

cdn_status io_tree_finish(io_tree *tree) {
  for (int i = 1; i < (int)tree->places.count; i++)
    if (!io_place_at(tree, i)->attached) CDNI_TRY(name_ends(tree, io_place_at(tree, i)));
  for (size_t i = 0; i < tree->references.count; i++) {
    const reference *r = &CDNI_AT(tree->references, reference, i);
    if (r->place == 0) continue;
    CDNI_TRY(put(tree, io_spec_text(tree->spec, r->kind, r->element, r->offset), io_body_at(tree, r->place)->name));
  }
  return name_shapes(tree);
}
