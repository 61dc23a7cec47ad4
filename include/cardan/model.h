/* Cardan: model files (URDF, MJCF) become Systems. What closes loops (MJCF's equality, URDF's mimic) becomes hard
 * constraints (constraints.h) of the same names; unnamed ones have the element's name and line, mimicking joints are called
 * "JOINT mimic". */
#ifndef CARDAN_MODEL_H
#define CARDAN_MODEL_H

#include <cardan/assembly.h>
#include <cardan/forces.h>

CDN_BEGIN_DECLS

typedef struct cdn_model cdn_model; /**< a frozen System and what the file said about it */

typedef struct cdn_model_options {
  CDN_DEF_HEADER;
  bool strict;             /**< anything not simulated is an error */
  bool keep_fixed;         /**< URDF: keep links behind fixed joints as bodies of their own */
  bool floating_base;      /**< URDF: the root link is free instead of welded to Ground */
  bool tree_only;          /**< leave out limits and what closes loops; keeps springs and damping */
  cdn_allocator allocator; /**< all zero: aligned_alloc and free */
  /** kg m^2, or kg where a joint slides: joints that have less armature than this get so much, but for free ones. A joint of
   *  massless links that makes the mass matrix singular runs with a little of it. 0: as the file says. */
  double armature;
} cdn_model_options;

/** cdn_default_model_options for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_model_options_init(void *def, size_t size);
static inline cdn_model_options cdn_default_model_options(void) {
  cdn_model_options def;
  cdn_model_options_init(&def, sizeof def);
  return def;
}

/** Reads a model file, URDF or MJCF. Sensors of MJCF that are values of the State become measures of their names
 *  (docs/command.md lists them). Its kind is told by its root element (<robot>: URDF, <mujoco>: MJCF). `*out` is made even on
 *  failure (unless memory ran out), for cdn_model_last_error: file:line, what is wrong and the remedy. A file of more than
 *  256 MiB is refused (CDN_ERR_LIMIT), and so is an included one that is no regular file. A model without bodies is one. */
CDN_API cdn_status cdn_model_load(const char *path, const cdn_model_options *options, cdn_model **out) CDN_NODISCARD;
/** The same from memory; `name` stands for the file in messages. */
CDN_API cdn_status cdn_model_load_string(const char *text, size_t size, const char *name,
                                         const cdn_model_options *options, cdn_model **out) CDN_NODISCARD;
CDN_API void cdn_model_destroy(cdn_model *model); /**< NULL is allowed */
CDN_API void cdn_model_last_error_sized(const cdn_model *model, cdn_error *out, size_t size);
static inline void cdn_model_last_error(const cdn_model *model, cdn_error *out) {
  cdn_model_last_error_sized(model, out, sizeof *out);
}

/** The frozen System; retained by the model. NULL if loading failed. */
CDN_API const cdn_system *cdn_model_system(const cdn_model *model);
CDN_API const char *cdn_model_name(const cdn_model *model);

/** A joint of the file: its coordinates are q[first_q .. first_q + nq - 1] of the System. */
typedef struct cdn_model_joint {
  const char *name;  /**< the file's, or one made up */
  const char *kind;  /**< pin, slider, ball, free, planar, weld */
  const char *body;  /**< the body that it moves */
  const char *units; /**< of q: "rad", "m", "quaternion", "quaternion, m", "m, m, rad" */
  int first_q, nq, first_u, nu;
  double lower, upper; /**< limits of a pin or slider, infinite where there are none (tree_only: nowhere) */
} cdn_model_joint;

/** Joints with motion, depth first, siblings in the file's order. */
CDN_API int cdn_model_joint_count(const cdn_model *model);
CDN_API void cdn_model_joint_get_sized(const cdn_model *model, int i, cdn_model_joint *out, size_t size);
static inline cdn_model_joint cdn_model_joint_get(const cdn_model *model, int i) {
  cdn_model_joint out;
  cdn_model_joint_get_sized(model, i, &out, sizeof out);
  return out;
}

/** Bounds an assembly of the model's System by the limits of the file's joints, as cdn_assembly_set_bounds: of pins and sliders;
 *  the cone of a ball bounds no single coordinate. In a run limits are compliant stops. */
CDN_API cdn_status cdn_model_bound_assembly(const cdn_model *model, cdn_assembly *assembly) CDN_NODISCARD;

/** Bodies of the file (intermediate frames left out), in System order, Ground not included. */
CDN_API int cdn_model_body_count(const cdn_model *model);
CDN_API cdn_body cdn_model_body(const cdn_model *model, int i);
CDN_API int cdn_model_mobilizer_count(
    const cdn_model *model); /**< joints of the file, fixed ones that were kept included */

/** What the file holds that is not simulated: once by element (or "element attribute"), how often, first line. */
typedef struct cdn_model_note {
  const char *element;
  int count;
  int line;
} cdn_model_note;
CDN_API int cdn_model_not_understood_count(const cdn_model *model);
CDN_API void cdn_model_not_understood_sized(const cdn_model *model, int i, cdn_model_note *out, size_t size);
static inline cdn_model_note cdn_model_not_understood(const cdn_model *model, int i) {
  cdn_model_note out;
  cdn_model_not_understood_sized(model, i, &out, sizeof out);
  return out;
}
/** Warnings: "file:line: text". */
CDN_API int cdn_model_warning_count(const cdn_model *model);
CDN_API const char *cdn_model_warning(const cdn_model *model, int i);

/** Keyframes: named values of t, q, u in the System's order. */
CDN_API int cdn_model_key_count(const cdn_model *model);
CDN_API const char *cdn_model_key_name(const cdn_model *model, int i);
/** Sets a State to a keyframe. CDN_ERR_ARG if there is none of that name; the error text lists those there are. */
CDN_API cdn_status cdn_model_set_key(cdn_model *model, const char *name, cdn_state *state) CDN_NODISCARD;

CDN_END_DECLS
#endif
