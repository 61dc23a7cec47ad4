/* Cardan: model files (URDF, MJCF) become Systems, in one call or in steps. A file becomes a spec (spec.h), which can
 * be changed. A spec is built into a System that is not frozen yet, so that your program can add elements to the
 * model by its names. Tables give the places of joints, frames, actuators and sensors in the System. docs/models.md
 * shows the ways.
 *
 * Loops and couplings (MJCF's equality, URDF's mimic) become hard constraints (constraints.h) of the same names, or
 * soft elements where cdn_model_options.equality says so.
 * Unnamed ones are called by their element and line, mimicking joints "JOINT mimic".
 *
 * I want to
 *   read a URDF or MJCF file into a System that is ready to run: cdn_model_load
 *   read it from memory (its other files by read_file of the options): cdn_model_load_string
 *   add a file's contents to a System that is not frozen yet: cdn_model_load_into
 *   read a file into a spec, which I can change: cdn_spec_load, cdn_spec_load_string
 *   write a spec into a file: cdn_spec_save, cdn_default_save_options
 *   add a spec's contents to a System: cdn_model_build
 *   set reading options: strict, floating base, keep fixed links, armature, no gravity: cdn_default_model_options
 *   get the System of the model, or the spec that it was built from: cdn_model_system, cdn_model_spec
 *   ask how the file wants its model to be run: cdn_model_steps_of_file
 *   know how low a model reaches, to put something under it: cdn_model_lowest_point
 *   know how many triangles the hulls of a model's meshes have, and what was left out: cdn_model_get_hulls
 *   get the file's name of the model: cdn_model_name
 *   list the joints with units, limits, effort, damping and places in q and u: cdn_model_joint_count,
 *       cdn_model_get_joint
 *   find a joint by name: cdn_model_find_joint
 *   list the file's bodies, or find one by name: cdn_model_body_count, cdn_model_body, cdn_model_find_body
 *   list named frames (sites, links behind fixed joints, end effectors): cdn_model_frame_count, cdn_model_get_frame
 *   find a frame by name: cdn_model_find_frame
 *   list actuators with their controls and forces, or find one by name: cdn_model_actuator_count,
 *       cdn_model_get_actuator, cdn_model_find_actuator
 *   list sensors with their measures, or find one by name: cdn_model_sensor_count, cdn_model_get_sensor,
 *       cdn_model_find_sensor
 *   count the file's joints, kept fixed joints included: cdn_model_mobilizer_count
 *   list what the file holds and Cardan does not simulate: cdn_model_not_understood_count, cdn_model_not_understood
 *   list the reader's warnings: cdn_model_warning_count, cdn_model_warning
 *   list the file's keyframes: cdn_model_key_count, cdn_model_key_name
 *   set a State to a keyframe: cdn_model_set_key
 *   keep an assembly within the joint limits: cdn_model_bound_assembly
 *   read why loading failed: cdn_model_last_error
 *   give up a model: cdn_model_destroy
 *   make a picture of a model file's System, as data: cdn_model_create_scene
 *   add the looks of a model file: cdn_model_dress */
#ifndef CARDAN_MODEL_H
#define CARDAN_MODEL_H

#include <cardan/assembly.h>
#include <cardan/contact.h>
#include <cardan/forces.h>
#include <cardan/measures.h>
#include <cardan/scene.h>
#include <cardan/spec.h>
#include <cardan/stepper.h>

CDN_BEGIN_DECLS

typedef struct cdn_model cdn_model; /**< a spec in a System, with tables of the places of its elements */

/** What shapes of a model file become. */
typedef enum cdn_model_contact {
  CDN_MODEL_NO_CONTACT, /**< nothing: bodies pass through each other */
  CDN_MODEL_COMPLIANT,  /**< compliant contact */
  /** soft contact, which obeys MuJoCo's parameters of a file; limits and dry friction of joints are soft rows, too
   *  (docs/soft_contact.md) */
  CDN_MODEL_SOFT,
  CDN_MODEL_AS_FILE, /**< soft for MJCF files, and specs that were given a solver (cdn_spec_set_solver); else
                      *   compliant */
  /** rigid contact (hybrid.h); limits of joints with one coordinate act on one side, and dry friction of joints sticks
   *  exactly (docs/hybrid.md) */
  CDN_MODEL_RIGID
} cdn_model_contact;

/** What equalities of a model file become. */
typedef enum cdn_model_equality {
  CDN_MODEL_EXACT_EQUALITY, /**< constraints, which hold exactly (constraints.h) */
  CDN_MODEL_SOFT_EQUALITY   /**< equations that give way by the file's solref and solimp (soft_elements.h) */
} cdn_model_equality;

/** How soft rows of a model file are solved. */
typedef enum cdn_model_solving {
  /** by Newton's method, to the tolerance of cdn_default_soft_def: what error control needs */
  CDN_MODEL_SOLVE_TO_THE_END,
  /** with MJCF's solver, iterations and tolerances, even if rows are not solved to the end: for steps like MuJoCo's.
   *  Delays of actuators and sensors are then records of samples at the ends of steps, too */
  CDN_MODEL_SOLVE_AS_FILE
} cdn_model_solving;

/** Gives the contents of a file: *bytes and *size. The bytes stay as they are until the function of this library that
 *  asks has returned; nothing frees them here. CDN_OK with *bytes left NULL: the file is on the disk. CDN_ERR_FILE:
 *  there is no such file, wherever it is sought. A file may be asked for several times, and files that are not there as
 *  well: a package is sought in several directories. `path` begins with the path, or name, that the model was loaded
 *  by, up to its last slash, unless the model's file names a path that begins at the root; "../" in it stays as it is
 *  written. */
typedef cdn_status cdn_read_file_fn(void *user, const char *path, const void **bytes, size_t *size);

typedef struct cdn_model_options {
  CDN_DEF_HEADER;
  bool strict;             /**< true: an element that is not simulated is an error */
  bool keep_fixed;         /**< URDF: keep links behind fixed joints as bodies of their own */
  bool floating_base;      /**< URDF: the root link is free instead of welded to Ground */
  bool tree_only;          /**< true: leave out limits, constraints and actuators; springs and damping stay */
  cdn_allocator allocator; /**< all zero: aligned_alloc and free */
  /** Least armature of joints, kg m^2 or (sliding joints) kg; free joints excepted. A small one lets a model run
   *  whose mass matrix is singular because of massless links. 0: the file's values. */
  double armature;
  bool no_gravity; /**< leave out the file's gravity: for a System that has gravity already */
  /** Whether shapes for collision become shapes of the System (contact.h): planes, spheres, capsules, ellipsoids,
   *  cylinders, boxes, height fields, and the hulls of meshes. A warning names the shapes that are left out. A file
   *  that has no exclusions (URDF) gets those of bodies that overlap in the first pose. Default: CDN_MODEL_COMPLIANT.
   *  tree_only leaves all out. */
  cdn_model_contact contact;
  double contact_modulus;     /**< plane-strain modulus of all shapes, Pa; 0: by the rule of docs/contact_files.md */
  double contact_dissipation; /**< s/m; negative (the default): 10 s/m */
  /** The law of friction between shapes. Default: CDN_FRICTION_STICKING. A System that was given a cdn_contact_def
   *  before the model is built keeps it, and this number has no effect then. */
  cdn_friction contact_friction;
  /** The size of the equal steps that runs will take, s: with soft contact, where the file has refsafe, time constants
   *  count as at least two of them. 0 (the default): the file's step. */
  double fixed_step;
  /** Whether constraints of a spec (MJCF's equality) are exact or soft elements of the same names. Loops that the tree
   *  cuts (cdn_spec_joint.cut) are exact always. URDF says nothing of softness: its mimicking joints are
   *  CDN_ERR_UNSUPPORTED if they are to be soft. Default: CDN_MODEL_EXACT_EQUALITY. */
  cdn_model_equality equality;
  /** An infinite plane under the model, across z, called "ground": it has looks, and shapes for collision touch it as
   *  `contact` says, whatever their masks are. Its friction is that of a shape that says nothing. Default: false. */
  bool ground;
  /** z of the plane, m. NaN (the default): it touches the lowest point of the model in its default State
   *  (cdn_model_lowest_point); then the model's meshes are read twice. */
  double ground_height;
  /** Default: CDN_MODEL_SOLVE_TO_THE_END. A System that was given a cdn_soft_def before the model is built keeps it,
   *  and this number has no effect then. */
  cdn_model_solving solving;
  /** With compliant contact, the hulls of meshes have fewer corners: no corner that is left out is farther from the
   *  hull than this, m, nor than 1 % of the hull's least extent along the axes of its file. 0: hulls are whole; with
   *  soft contact, which is as MuJoCo has it, they always are. cdn_model_get_hulls tells of them. Default: 5e-4. */
  double hull_tolerance;
  /** With soft contact: `onset` of the model's cdn_soft_def, m or rad. A run under error control needs one, of about a
   *  tenth of its accuracy (docs/soft_contact.md). A System that was given a cdn_soft_def before the model is built
   *  keeps it, and this number has no effect then. Default 0: as MuJoCo has it. */
  double soft_onset;
  /** Gives the model's files from the memory of your program: the model's own file, what it includes or attaches,
   *  SRDF, meshes with their materials and buffers, height fields, textures. A spec keeps it, and so does a model:
   *  cdn_model_build calls it, unless the options given there have one, and so does cdn_model_dress. NULL (default):
   *  all files are on the disk. */
  cdn_read_file_fn *read_file;
  void *read_file_user; /**< its first argument; default NULL */
  bool noise;           /**< whether the noise of sensors is drawn; a file can ask for it, too. Default false */
  uint32_t seed;        /**< of that noise (cdn_system_use_random). Default 0 */
  /** Functions for actuators whose activation, gain or bias is a user's (dyntype="user" and the like of MJCF). Default:
   *  none; such an actuator then has a rate of 0, a gain of 1, a bias of 0, and is listed as not simulated. */
  cdn_drive_user actuator_user;
} cdn_model_options;

CDN_DEF(model_options);

/** Reads a model file, URDF or MJCF, into a frozen System; its root element tells the format (<robot>: URDF,
 *  <mujoco>: MJCF). A text that begins with a brace is one of cdn_spec_save. Sensors of MJCF become measures of their
 *  names (docs/measures.md). A model may have no bodies. *out is made even on failure (unless memory ran out):
 *  cdn_model_last_error has file:line, the mistake and the remedy. Errors: CDN_ERR_FILE, CDN_ERR_PARSE,
 *  CDN_ERR_UNSUPPORTED (strict), CDN_ERR_LIMIT (a file of more than 256 MiB), CDN_ERR_NOMEM. An included file that is
 *  not a regular file is refused. */
CDN_API cdn_status cdn_model_load(const char *path, const cdn_model_options *options, cdn_model **out) CDN_NODISCARD;
/** Reads a model from memory; `name` stands for the file in messages. */
CDN_API cdn_status cdn_model_load_string(const char *text, size_t size, const char *name,
                                         const cdn_model_options *options, cdn_model **out) CDN_NODISCARD;

/* ---- in steps ------------------------------------------------------------------------------- */

/** Reads a model file into a spec, with the options strict, keep_fixed and floating_base. *out is made even on
 *  failure (unless memory ran out): cdn_spec_last_error has the message. Errors: as cdn_model_load. */
CDN_API cdn_status cdn_spec_load(const char *path, const cdn_model_options *options, cdn_spec **out) CDN_NODISCARD;
/** Reads a spec from memory; `name` stands for the file in messages. */
CDN_API cdn_status cdn_spec_load_string(const char *text, size_t size, const char *name,
                                        const cdn_model_options *options, cdn_spec **out) CDN_NODISCARD;
typedef struct cdn_save_options {
  CDN_DEF_HEADER;
  /** Called for each thing that the format cannot hold, such as "joint 'knee': weight"; the file is written without it.
   *  NULL (the default): such a spec is CDN_ERR_UNSUPPORTED, and nothing is written. */
  void (*tell_lost)(void *context, const char *what);
  void *context; /**< passed to tell_lost; the program's */
} cdn_save_options;
CDN_DEF(save_options);

/** Writes a spec into a file, whose name tells the format (docs/convert.md): .json is Cardan's own, which holds all
 *  that a spec has; .xml is MJCF, .urdf URDF. Of the first two, cdn_spec_load gives a spec whose numbers have the same
 *  bits. Files of assets are named as they are seen from `path`. An earlier file is replaced when all has been written.
 *  `options` may be NULL. Errors: CDN_ERR_ARG, CDN_ERR_UNSUPPORTED (another ending; a joint that is made of
 *  functions; something that the format cannot hold), CDN_ERR_FILE, CDN_ERR_NOMEM; cdn_last_error_text has the
 *  message. */
CDN_API cdn_status cdn_spec_save(const cdn_spec *spec, const char *path, const cdn_save_options *options) CDN_NODISCARD;
/** Adds all elements of a spec to a System that is not frozen yet, with the options tree_only, armature and
 *  no_gravity. Copies the spec, which may then be destroyed. The System may have other elements, and more may be
 *  added later. Bodies, joints, forces ("knee spring", "knee damper", "knee limit", "knee actuator", "gravity"),
 *  constraints, controls of actuators, and sensors keep their names. *out is made even on failure, for
 *  cdn_model_last_error. Building is sticky: after a failure the System does not freeze. Errors: CDN_ERR_FROZEN (a
 *  frozen System); CDN_ERR_ARG, or CDN_ERR_PARSE with file and line (a name without an element, or values that the
 *  System refuses). O((bodies + joints) log joints). */
CDN_API cdn_status cdn_model_build(const cdn_spec *spec, const cdn_model_options *options, cdn_system *system,
                                   cdn_model **out) CDN_NODISCARD;
/** cdn_spec_load and cdn_model_build in one call. */
CDN_API cdn_status cdn_model_load_into(const char *path, const cdn_model_options *options, cdn_system *system,
                                       cdn_model **out) CDN_NODISCARD;

/** Releases the model's reference to its System, and its tables. NULL is allowed. */
CDN_API void cdn_model_destroy(cdn_model *model);
/** The last failure; its code is CDN_OK if there was none. */
CDN_SIZED_VOID(cdn_model_last_error, (const cdn_model *model, cdn_error *out), (model, out), out);

/* ---- the model in its System ----------------------------------------------------------------- */

/** The System, which the model retains; frozen if one call loaded it. NULL if loading failed. */
CDN_API const cdn_system *cdn_model_system(const cdn_model *model);
CDN_API const char *cdn_model_name(const cdn_model *model);
/** The spec from which the model was built, with shapes, assets and all other contents of the file. It belongs to
 *  the model. */
CDN_API const cdn_spec *cdn_model_spec(const cdn_model *model);

/** The method and the size of equal steps, s, that a file asks for: by <option> of MJCF, with MuJoCo's defaults, or by
 *  the solver that a spec was given. Euler is CDN_METHOD_MUJOCO_EULER, and CDN_METHOD_SEMI_EXPLICIT_EULER where the
 *  file disables eulerdamp. Either may be NULL. CDN_ERR_UNSUPPORTED: the file has nothing of the kind (URDF); nothing
 *  is written then. */
CDN_API cdn_status cdn_model_steps_of_file(cdn_model *model, cdn_method *method, double *step) CDN_NODISCARD;

/** The hulls of the meshes that shapes have, each counted once: their number, their triangles in the files and here,
 *  and the distance of the farthest corner that was left out, m (cdn_model_options.hull_tolerance). CDN_ERR_ARG: NULL.
 * */
typedef struct cdn_model_hull_info {
  int count, triangles_of_files, triangles; /**< hulls, and their triangles in the files and here */
  double farthest;                          /**< distance of the farthest corner that was left out, m */
} cdn_model_hull_info;
CDN_SIZED(cdn_model_get_hulls, (const cdn_model *model, cdn_model_hull_info *out), (model, out), out);

/** The height (z in Ground, m) of the lowest point of the model in this State's pose: of the System's shapes, planes
 *  and height fields excepted; of its looks if it has none; of its bodies' origins if it has neither. Realizes
 *  Position.
 *  Errors: CDN_ERR_ARG (a State of another System), CDN_ERR_NOMEM, errors of realizing; *height is NaN then. O(shapes +
 *  points of hulls). */
CDN_API cdn_status cdn_model_lowest_point(cdn_model *model, cdn_state *state, double *height) CDN_NODISCARD;

/** Adds the looks of a model to a scene of its System: shapes with their colours and meshes, frames as named points,
 *  ranges of joints. What cannot be shown (a mesh that is not there) becomes a warning of the model. Errors:
 *  CDN_ERR_ARG, CDN_ERR_NOMEM. Reads each mesh once. */
CDN_API cdn_status cdn_model_dress(cdn_model *model, cdn_scene *scene) CDN_NODISCARD;
/** cdn_scene_create, cdn_model_dress, cdn_scene_complete and cdn_scene_update: a scene that is ready to be drawn. */
CDN_API cdn_status cdn_model_create_scene(cdn_model *model, cdn_state *state, const cdn_scene_def *def,
                                          cdn_scene **out) CDN_NODISCARD;

/** A joint with motion. Its coordinates are q[first_q] ... q[first_q + nq - 1] of the System, once that is frozen.
 *  Texts live as long as the model. */
typedef struct cdn_model_joint {
  const char *name;  /**< the file's, or a made-up one */
  const char *kind;  /**< as cdn_mobilizer_name: pin, slider, ball, free, planar, ... */
  const char *body;  /**< the body that it moves */
  const char *units; /**< of q: "rad", "m", "quaternion", "quaternion, m", "rad, m, m"; "" for custom kinds */
  int first_q, nq, first_u, nu; /**< its slots in q and in u */
  double lower, upper; /**< limits of a joint with one coordinate, rad or m; infinite: none (tree_only: never any) */
  cdn_body mobilized;  /**< the System's body that this mobilizer moves, as for cdn_body_q */
  double effort_lower, effort_upper; /**< limits of an actuator, N m or N; infinite: none in the file */
  double speed_limit;                /**< rad/s or m/s; infinite: none in the file */
  double damping, friction;          /**< N m s or N s/m; N m or N (friction is simulated with CDN_MODEL_SOFT) */
  double stiffness, springref;       /**< the joint's spring, N m/rad or N/m; its coordinate at rest */
  double armature;                   /**< kg m^2 or kg, including that of the options */
  int line;                          /**< line of the file; 0: none */
} cdn_model_joint;

/** Joints with motion, depth first, siblings in the file's order. */
CDN_API int cdn_model_joint_count(const cdn_model *model);
/** The joint of this name, or -1. */
CDN_API int cdn_model_find_joint(const cdn_model *model, const char *name);
CDN_SIZED_VALUE(cdn_model_joint, cdn_model_get_joint, (const cdn_model *model, int i), (model, i));

/** Bounds an assembly of the model's System by the limits of joints with one coordinate, as cdn_assembly_set_bounds
 *  does. (The cone of a ball does not bound a single coordinate.) In a run limits are compliant stops. */
CDN_API cdn_status cdn_model_bound_assembly(const cdn_model *model, cdn_assembly *assembly) CDN_NODISCARD;

/** Bodies of the file in System order, without intermediate frames and without Ground. */
CDN_API int cdn_model_body_count(const cdn_model *model);
CDN_API cdn_body cdn_model_body(const cdn_model *model, int i);
/** The System's body for a body of the spec, or { -1 }. "Ground" is Ground, unless a body has that name. */
CDN_API cdn_body cdn_model_find_body(const cdn_model *model, const char *name);
CDN_API int cdn_model_mobilizer_count(
    const cdn_model *model); /**< joints of the file, fixed ones that were kept included */

/** A named frame on a body: a site of MJCF, or a link of URDF that a fixed joint makes part of the body. Its pose in
 *  Ground is cdn_body_pose times X_BF; cdn_body_station gives that of its origin. Texts live as long as the model. */
typedef struct cdn_model_frame {
  const char *name;   /**< the file's */
  cdn_body body;      /**< of the System */
  cdn_transform X_BF; /**< the frame on the body, m */
  int line;           /**< line of the file; 0: none */
} cdn_model_frame;
CDN_API int cdn_model_frame_count(const cdn_model *model);
CDN_SIZED(cdn_model_get_frame, (const cdn_model *model, int i, cdn_model_frame *out), (model, i, out), out);
/** Finds a frame by its name, or else the frame of a body, so that a link is found whether it is a body or part of
 *  one. CDN_ERR_ARG if there is neither. */
CDN_SIZED(cdn_model_find_frame, (const cdn_model *model, const char *name, cdn_model_frame *out), (model, name, out),
          out);

/** A sensor; it is a measure of the System. Texts live as long as the model. */
typedef struct cdn_model_sensor {
  const char *name;     /**< the file's, or a made-up one */
  cdn_sensor_kind kind; /**< what it measures */
  cdn_measure measure;  /**< { -1 }: not simulated */
  int n;                /**< numbers in its value */
  int line;             /**< line of the file; 0: none */
} cdn_model_sensor;
CDN_API int cdn_model_sensor_count(const cdn_model *model);
/** The sensor of this name, or -1. */
CDN_API int cdn_model_find_sensor(const cdn_model *model, const char *name);
CDN_SIZED(cdn_model_get_sensor, (const cdn_model *model, int i, cdn_model_sensor *out), (model, i, out), out);

/** An actuator: a control of the System, and the force that reads it. Texts live as long as the model. */
typedef struct cdn_model_actuator {
  const char *name;    /**< of the control, too */
  cdn_control control; /**< the control that drives it */
  cdn_force force;     /**< the force that it exerts */
  cdn_body mobilized; /**< the joint on which it acts, as for cdn_body_q; else the body of its frame, or of its tendon's
                        *   first joint, or Ground */
  cdn_zvar activation; /**< its auxiliary state, once the System is frozen; group -1: it has none */
  int line;            /**< line of the file; 0: none */
} cdn_model_actuator;
/** Actuators in the file's order; none with the option tree_only. */
CDN_API int cdn_model_actuator_count(const cdn_model *model);
/** The actuator of this name, or -1. */
CDN_API int cdn_model_find_actuator(const cdn_model *model, const char *name);
CDN_SIZED(cdn_model_get_actuator, (const cdn_model *model, int i, cdn_model_actuator *out), (model, i, out), out);

/** Parts of the file that are not simulated: each element (or "element attribute") once, with its number and its
 *  first line. Texts live as long as the model. */
typedef struct cdn_model_note {
  const char *element; /**< the element, or the element and its attribute */
  int count;           /**< how often it is in the file */
  int line;            /**< the first line with it */
} cdn_model_note;
CDN_API int cdn_model_not_understood_count(const cdn_model *model);
CDN_SIZED_VALUE(cdn_model_note, cdn_model_not_understood, (const cdn_model *model, int i), (model, i));
/** Warnings: "file:line: text". */
CDN_API int cdn_model_warning_count(const cdn_model *model);
CDN_API const char *cdn_model_warning(const cdn_model *model, int i);

/** Keyframes: named values of t, of q and u of the model's joints, and of the controls of its actuators. */
CDN_API int cdn_model_key_count(const cdn_model *model);
CDN_API const char *cdn_model_key_name(const cdn_model *model, int i);
/** Sets a State to a keyframe: t, q and u of the model's joints, controls and activations of its actuators, poses and
 *  velocities of mocap bodies; values that the key omits become the defaults. Controls that follow a source stay as
 *  they are. CDN_ERR_ARG for an unknown name: the message lists the names of all keys. */
CDN_API cdn_status cdn_model_set_key(cdn_model *model, const char *name, cdn_state *state) CDN_NODISCARD;

CDN_END_DECLS
#endif
