/* Cardan: model files (URDF, MJCF) become Systems, in one call or in steps: a file becomes a spec (spec.h), which can be changed;
 * a spec is built into a System that is not frozen yet, so that anything can be added to the model by its names; tables tell
 * where its joints, frames and sensors are. docs/models.md shows the ways. What closes loops (MJCF's equality, URDF's mimic) becomes hard
 * constraints (constraints.h) of the same names; unnamed ones have the element's name and line, mimicking joints are called
 * "JOINT mimic". */
#ifndef CARDAN_MODEL_H
#define CARDAN_MODEL_H

#include <cardan/assembly.h>
#include <cardan/forces.h>
#include <cardan/measures.h>
#include <cardan/spec.h>

CDN_BEGIN_DECLS

typedef struct cdn_model cdn_model; /**< a spec in a System, and tables of where its elements are */

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
  bool no_gravity; /**< leave out the file's gravity: for a System that has gravity already */
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

/* ---- in steps ------------------------------------------------------------------------------- */

/** Reads a model file into a spec; of the options strict, keep_fixed and floating_base count. `*out` is made even on failure
 *  (unless memory ran out), for cdn_spec_last_error. Errors as of cdn_model_load. */
CDN_API cdn_status cdn_spec_load(const char *path, const cdn_model_options *options, cdn_spec **out) CDN_NODISCARD;
/** The same from memory; `name` stands for the file in messages. */
CDN_API cdn_status cdn_spec_load_string(const char *text, size_t size, const char *name,
                                        const cdn_model_options *options, cdn_spec **out) CDN_NODISCARD;
/** Adds everything that a spec holds to a System that is not frozen yet. The spec is copied and may be destroyed. The System
 *  may hold other elements already; more may be added before and after. Of the options tree_only, armature and no_gravity
 *  count. Bodies, joints, forces ("knee spring", "knee damper", "knee limit", "gravity"), constraints and sensors have their
 *  names in the System. `*out` is made even on failure, for cdn_model_last_error. Building is sticky: after a failure the
 *  System does not freeze. CDN_ERR_FROZEN for a frozen System; CDN_ERR_ARG, or CDN_ERR_PARSE with file and line, for
 *  names that mean nothing and for values that the System refuses. O((bodies + joints) log joints). */
CDN_API cdn_status cdn_model_build(const cdn_spec *spec, const cdn_model_options *options, cdn_system *system,
                                   cdn_model **out) CDN_NODISCARD;
/** cdn_spec_load and cdn_model_build in one call. */
CDN_API cdn_status cdn_model_load_into(const char *path, const cdn_model_options *options, cdn_system *system,
                                       cdn_model **out) CDN_NODISCARD;

/** Drops the model's reference to its System, and its tables. NULL is allowed. */
CDN_API void cdn_model_destroy(cdn_model *model);
/** The last failure; code CDN_OK if none yet. */
CDN_API void cdn_model_last_error_sized(const cdn_model *model, cdn_error *out, size_t size);
static inline void cdn_model_last_error(const cdn_model *model, cdn_error *out) {
  cdn_model_last_error_sized(model, out, sizeof *out);
}

/* ---- what was built -------------------------------------------------------------------------- */

/** The System; retained by the model. Frozen if one call loaded it. NULL if loading failed. */
CDN_API const cdn_system *cdn_model_system(const cdn_model *model);
CDN_API const char *cdn_model_name(const cdn_model *model);
/** What the model was built from, with the shapes, assets and everything else that the file holds. It belongs to the model. */
CDN_API const cdn_spec *cdn_model_spec(const cdn_model *model);

/** A joint with motion: its coordinates are q[first_q .. first_q + nq - 1] of the System once that is frozen. */
typedef struct cdn_model_joint {
  const char *name;  /**< the file's, or one made up */
  const char *kind;  /**< as cdn_mobilizer_name has it: pin, slider, ball, free, planar, ... */
  const char *body;  /**< the body that it moves */
  const char *units; /**< of q: "rad", "m", "quaternion", "quaternion, m", "rad, m, m"; "" for kinds of the user's */
  int first_q, nq, first_u, nu;
  double lower, upper; /**< limits of one coordinate, infinite where there are none (tree_only: nowhere) */
  cdn_body mobilized;  /**< the System's body whose mobilizer it is: for cdn_body_q and all that names a coordinate */
  double effort_lower, effort_upper; /**< of an actuator, Nm or N; infinite where the file gives none */
  double speed_limit;                /**< rad/s or m/s; infinite where the file gives none */
  double damping, friction;          /**< Nm s or N s/m; Nm or N, not simulated */
  double stiffness, springref;       /**< of the joint's spring */
  double armature;                   /**< kg m^2 or kg, with what the options add */
  int line;                          /**< of the file, 0: of none */
} cdn_model_joint;

/** Joints with motion, depth first, siblings in the file's order. */
CDN_API int cdn_model_joint_count(const cdn_model *model);
/** The joint of this name, or -1. */
CDN_API int cdn_model_find_joint(const cdn_model *model, const char *name);
CDN_API void cdn_model_joint_get_sized(const cdn_model *model, int i, cdn_model_joint *out, size_t size);
static inline cdn_model_joint cdn_model_joint_get(const cdn_model *model, int i) {
  cdn_model_joint out;
  cdn_model_joint_get_sized(model, i, &out, sizeof out);
  return out;
}

/** Bounds an assembly of the model's System by the limits of its joints, as cdn_assembly_set_bounds: of one coordinate; the cone of a ball bounds no single coordinate. In a run limits are compliant stops. */
CDN_API cdn_status cdn_model_bound_assembly(const cdn_model *model, cdn_assembly *assembly) CDN_NODISCARD;

/** Bodies of the file (intermediate frames left out), in System order, Ground not included. */
CDN_API int cdn_model_body_count(const cdn_model *model);
CDN_API cdn_body cdn_model_body(const cdn_model *model, int i);
/** The System's body that a body of the spec has become, or { -1 }. Ground for "Ground", unless a body has that name. */
CDN_API cdn_body cdn_model_find_body(const cdn_model *model, const char *name);
CDN_API int cdn_model_mobilizer_count(
    const cdn_model *model); /**< joints of the file, fixed ones that were kept included */

/** A named frame on a body: a site of MJCF, or a link of URDF behind a fixed joint, which is part of the body. Its place in Ground:
 *  cdn_body_pose times X_BF, or cdn_body_station for its origin. */
typedef struct cdn_model_frame {
  const char *name;
  cdn_body body; /**< of the System */
  cdn_transform X_BF;
  int line; /**< of the file, 0: of none */
} cdn_model_frame;
CDN_API int cdn_model_frame_count(const cdn_model *model);
CDN_API cdn_status cdn_model_frame_get_sized(const cdn_model *model, int i, cdn_model_frame *out,
                                             size_t size) CDN_NODISCARD;
static inline CDN_NODISCARD cdn_status cdn_model_frame_get(const cdn_model *model, int i, cdn_model_frame *out) {
  return cdn_model_frame_get_sized(model, i, out, sizeof *out);
}
/** The frame of this name: a frame, or else a body's own, so that a link is found whether it is a body or part of one.
 *  CDN_ERR_ARG if there is neither. */
CDN_API cdn_status cdn_model_find_frame_sized(const cdn_model *model, const char *name, cdn_model_frame *out,
                                              size_t size) CDN_NODISCARD;
static inline CDN_NODISCARD cdn_status cdn_model_find_frame(const cdn_model *model, const char *name,
                                                            cdn_model_frame *out) {
  return cdn_model_find_frame_sized(model, name, out, sizeof *out);
}

/** A sensor, which is a measure of the System. */
typedef struct cdn_model_sensor {
  const char *name;
  cdn_sensor_kind kind;
  cdn_measure measure; /**< { -1 }: it is not simulated */
  int n;               /**< numbers that it has */
  int line;            /**< of the file, 0: of none */
} cdn_model_sensor;
CDN_API int cdn_model_sensor_count(const cdn_model *model);
/** The sensor of this name, or -1. */
CDN_API int cdn_model_find_sensor(const cdn_model *model, const char *name);
CDN_API cdn_status cdn_model_sensor_get_sized(const cdn_model *model, int i, cdn_model_sensor *out,
                                              size_t size) CDN_NODISCARD;
static inline CDN_NODISCARD cdn_status cdn_model_sensor_get(const cdn_model *model, int i, cdn_model_sensor *out) {
  return cdn_model_sensor_get_sized(model, i, out, sizeof *out);
}

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

/** Keyframes: named values of t, q, u of the model's joints. */
CDN_API int cdn_model_key_count(const cdn_model *model);
CDN_API const char *cdn_model_key_name(const cdn_model *model, int i);
/** Sets a State to a keyframe: t, and q and u of the model's joints. What a key leaves out gets its default. CDN_ERR_ARG if
 *  there is none of that name; the error text lists those there are. */
CDN_API cdn_status cdn_model_set_key(cdn_model *model, const char *name, cdn_state *state) CDN_NODISCARD;

CDN_END_DECLS
#endif
