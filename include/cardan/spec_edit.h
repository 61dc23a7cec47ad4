/* Cardan: specs (spec.h) are edited as wholes. One is attached to another, and detached again; an element is deleted
 * with all that refers to it. docs/editing.md has examples, and words for those who know MuJoCo's mjSpec.
 *
 * I want to
 *   attach a spec, or one of its bodies, to a body or a frame of another: cdn_default_attach_def, cdn_spec_attach
 *   make what came under a prefix a spec of its own again: cdn_spec_detach
 *   delete an element with all that refers to it: cdn_spec_delete
 *   list what is attached: cdn_spec_attached_count, cdn_spec_attached */
#ifndef CARDAN_SPEC_EDIT_H
#define CARDAN_SPEC_EDIT_H

#include <cardan/spec.h>

CDN_BEGIN_DECLS

/** Told of something that an edit has done or left, in one line such as "sensor 'grip': deleted, for it refers to
 *  body 'finger'". The text is valid during the call. */
typedef void cdn_tell_fn(void *context, const char *what);

typedef struct cdn_attach_def {
  CDN_DEF_HEADER;
  const char *body;   /**< of the spec that others are attached to; NULL: Ground */
  const char *frame;  /**< one of its frames (sites), instead of a body; default NULL */
  cdn_transform X_BA; /**< where the child's Ground comes to lie on that body, or on that frame; default: identity */
  const char *prefix; /**< before all names of the child; NULL: "" */
  const char *suffix; /**< after them; NULL: "" */
  /** A body of the child: it alone is attached, with all bodies outboard of it. The joint on which it moves is on the
   *  body where the child has it on the joint's parent. What refers to other bodies, and what lies on the child's
   *  Ground, does not come along. NULL (default): the whole child */
  const char *child_body;
  cdn_tell_fn *tell; /**< told of options of the child (gravity, medium, solver) that differ and do not count; NULL */
  void *context;     /**< passed to `tell`; the program's */
} cdn_attach_def;
CDN_DEF(attach_def);

/** Attaches a copy of `child` to a body of `spec`. All elements of the child come after those of the spec, with prefix
 *  and suffix at their names and at what refers to them. What is on the child's Ground is on the body then. Keyframes
 *  of the child come, too: in them the spec's own joints and actuators have their defaults. Options of the whole
 *  (gravity, medium, solver) are those of the spec. A body of the child that no joint connects with its Ground stays
 *  free. Attached to Ground, a free joint that leads to the child's Ground keeps its frames: X_BA moves its default
 *  coordinates and speeds, and keyframes keep their numbers. `child` may be `spec` itself.
 *
 *  CDN_ERR_ARG: no such body or frame; a name that an element of the spec has already, which the message gives: choose
 *  another prefix. Also CDN_ERR_VERSION, CDN_ERR_NONFINITE, CDN_ERR_NOMEM. Then the spec is as before. O(elements). */
CDN_API cdn_status cdn_spec_attach(cdn_spec *spec, const cdn_spec *child, const cdn_attach_def *def) CDN_NODISCARD;

/** Takes what came under a prefix and suffix out of a spec, and makes a spec of it, whose Ground is where the child's
 *  was. Elements that were not changed have the same bits as before they were attached. What a program has added under
 *  the prefix goes along, if it refers to nothing else. What else refers to elements that go is deleted, and told.
 *
 *  A spec that was read from a file does not know what has been attached: then all elements of this prefix and suffix
 *  are taken, and the Ground of *out is the frame of the body that they are on.
 *
 *  *out may be NULL before and is NULL after a failure. CDN_ERR_ARG: nothing is there under these names, or an element
 *  that goes refers to one that stays, which the message names. Then the spec is as before. O(elements). */
CDN_API cdn_status cdn_spec_detach(cdn_spec *spec, const char *prefix, const char *suffix, cdn_tell_fn *tell,
                                   void *context, cdn_spec **out) CDN_NODISCARD;

/** Deletes element i and all that refers to it: with a body its joints, the bodies that only lead to Ground through it,
 *  and shapes, frames, cameras, sensors, actuators, tendons, constraints and contacts of these; with a joint or a
 *  tendon what acts on it. Keyframes lose the numbers of joints and actuators that go. A shape whose material goes, and
 *  a material whose texture goes, stay without it. Each further element is told. A body whose joint alone is deleted is
 *  free then: to have it welded, set the joint's kind to CDN_WELD instead.
 *
 *  CDN_ERR_ARG (no such element), CDN_ERR_NOMEM: nothing has changed then. O(elements) for each link of a chain of
 *  references. */
CDN_API cdn_status cdn_spec_delete(cdn_spec *spec, cdn_spec_kind kind, int i, cdn_tell_fn *tell,
                                   void *context) CDN_NODISCARD;

/** Something that was attached and not detached since. Files of specs do not keep this. */
typedef struct cdn_attached {
  const char *name, *prefix, *suffix; /**< the child's name as a model */
  const char *body;                   /**< NULL: Ground */
  cdn_transform X_BA;                 /**< where the child's Ground is on the body */
} cdn_attached;
CDN_API int cdn_spec_attached_count(const cdn_spec *spec); /**< those that came with an attached spec included */
/** In the order of attaching. Texts belong to the spec. CDN_ERR_ARG: no such number; *out is all zero then. */
CDN_SIZED(cdn_spec_attached, (const cdn_spec *spec, int i, cdn_attached *out), (spec, i, out), out);

CDN_END_DECLS
#endif
