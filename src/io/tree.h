/* The tree of a model file while a reader fills a spec with it.
 *
 * Bodies are in depth-first order, and siblings are in the order of the file. The joints of a body act in order: the
 * first joint moves relative to the parent, and each joint moves all later ones; the last one moves the body, and the
 * others move massless frames in between. A body without joints is welded to its parent.
 *
 * Names may be settled last. So a reader knows bodies by their places here, and what an element says of a body waits
 * until that has a name. */
#ifndef CARDAN_IO_TREE_H
#define CARDAN_IO_TREE_H

#include "io/spec.h"

struct cdn_spec_joint;

typedef struct io_place {
  int parent;                /* a place, before the body's own; -1 for Ground */
  cdn_transform X_PB;        /* the body in the parent where all coordinates have their reference values */
  int body;                  /* element of the spec; -1: Ground */
  int first_joint, n_joints; /* its joints are a run of the spec's, a weld included */
  bool attached;             /* it is of an attached model: it has its name, and its joints have theirs */
  bool itself;               /* that is the model itself once more */
  int frame;                 /* of MJCF: the frame with a name around it in the parent; -1: none */
  cdn_transform X_PS;        /* and the frame around it in the parent, whether it has a name or not */
} io_place;

typedef struct io_tree {
  cdn_spec *spec;
  cdni_array places;     /* io_place; the first one is Ground */
  cdni_array references; /* texts of elements that shall be names of bodies */
} io_tree;

static inline io_place *io_place_at(const io_tree *tree, int i) { return &CDNI_AT(tree->places, io_place, i); }
static inline cdn_spec_body *io_body_at(const io_tree *tree, int place) {
  return io_spec_body(tree->spec, io_place_at(tree, place)->body);
}

/* A tree with Ground. The caller frees it in any case. */
cdn_status io_tree_start(io_tree *tree, cdn_spec *spec);
void io_tree_free(io_tree *tree);
/* Appends a body to the spec; its place is the last one. */
cdn_status io_tree_add_body(io_tree *tree, int parent, cdn_transform X_PB, const cdn_spec_body *body);
/* Appends a joint of the newest body, which is a pin, a slider, a ball, a free or a planar joint. In the body's frame,
 * as that stands when all coordinates have their reference values, the joint has its anchor at `pos`, and `axis` (unit)
 * is what it turns about, slides along, or has as the normal of its plane. `ref`: the value of q there, of a pin or
 * slider. */
cdn_status io_tree_add_joint(io_tree *tree, const struct cdn_spec_joint *joint, cdn_vec3 pos, cdn_vec3 axis,
                             double ref);
/* Moves the frame of the newest body to the pose X_BN in it. The body has one joint, a free one. */
void io_tree_move_frame(io_tree *tree, cdn_transform X_BN);
/* Once the newest body has its joints: the frames in between, or the weld. */
cdn_status io_tree_end_body(io_tree *tree);
/* Has the text at `offset` in an element be the name of the body at `place`; it stays NULL for Ground. */
cdn_status io_tree_refer(io_tree *tree, cdn_spec_kind kind, int element, size_t offset, int place);
#define IO_REFER(tree, KIND, type, element, member, place) \
  io_tree_refer(tree, CDN_SPEC_##KIND, element, offsetof(cdn_spec_##type, member), place)
/* Once all bodies and joints of the file have names: gives them to what refers to bodies, and makes up those of frames
 * in between, of welds and of shapes. */
cdn_status io_tree_finish(io_tree *tree);

#endif
