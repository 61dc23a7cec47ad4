/* Cardan: specs, models as data (like MuJoCo's mjSpec). A *spec* has bodies, joints, constraints, frames, shapes,
 * assets, contacts, actuators, sensors and keyframes, as a model file gives them. A reader makes it from a file
 * (cdn_spec_load in model.h), or a program builds it. You can search it by name, change it and copy it. cdn_model_build
 * makes it part of a System.
 *
 * Elements refer to each other by name, so they may come in any order, and joints may form loops. Each kind of
 * element has its own indices from 0 on, in the order of addition, and functions to add, get and set an element;
 * cdn_spec_count, cdn_spec_find and cdn_spec_remove serve all kinds. Adding copies everything, texts and arrays
 * included. Texts and arrays that a getter returns belong to the spec, and are valid until the element is set or
 * removed or the spec is destroyed. Adding checks little; cdn_model_build checks everything that the System needs,
 * and names the element that is wrong.
 *
 * A spec belongs to one thread at a time. SI units, radians. docs/models.md has examples.
 *
 * I want to
 *   start a spec: cdn_spec_create, cdn_default_spec_def
 *   copy one, give one up: cdn_spec_copy, cdn_spec_destroy
 *   read why a call on it failed: cdn_spec_last_error
 *   read or set the model's name: cdn_spec_name, cdn_spec_set_name
 *   read or set gravity: cdn_spec_get_gravity, cdn_spec_set_gravity
 *   read or set the medium: cdn_default_spec_medium, cdn_spec_get_medium, cdn_spec_set_medium
 *   read or set how the file asks that soft rows be solved: cdn_default_spec_solver, cdn_spec_get_solver,
 *       cdn_spec_set_solver
 *   count elements of a kind, find one by name, remove one: cdn_spec_count, cdn_spec_find, cdn_spec_remove
 *   add, read or change a body: cdn_default_spec_body, cdn_spec_add_body, cdn_spec_get_body, cdn_spec_set_body
 *   — a constraint: connect, weld, coupling (mimic): cdn_default_spec_constraint, cdn_spec_add_constraint,
 *       cdn_spec_get_constraint, cdn_spec_set_constraint
 *   — a frame (site): cdn_default_spec_frame, cdn_spec_add_frame, cdn_spec_get_frame, cdn_spec_set_frame
 *   — a shape (geom, visual, collision): cdn_default_spec_shape, cdn_spec_add_shape, cdn_spec_get_shape,
 *       cdn_spec_set_shape
 *   — a camera: cdn_default_spec_camera, cdn_spec_add_camera, cdn_spec_get_camera, cdn_spec_set_camera
 *   — a light: cdn_default_spec_light, cdn_spec_add_light, cdn_spec_get_light, cdn_spec_set_light
 *   — a tendon: cdn_default_spec_tendon, cdn_spec_add_tendon, cdn_spec_get_tendon, cdn_spec_set_tendon
 *   — what a tendon passes (site, geom, pulley): cdn_default_spec_path_item, cdn_spec_add_path_item,
 *       cdn_spec_get_path_item, cdn_spec_set_path_item
 *   — a pair of shapes that touch, or of bodies that do not: cdn_default_spec_contact, cdn_spec_add_contact,
 *       cdn_spec_get_contact, cdn_spec_set_contact
 *   — an asset (mesh, height field, texture, material): cdn_default_spec_asset, cdn_spec_add_asset, cdn_spec_get_asset,
 *       cdn_spec_set_asset
 *   — an actuator: cdn_default_spec_actuator, cdn_spec_add_actuator, cdn_spec_get_actuator, cdn_spec_set_actuator
 *   — a sensor: cdn_default_spec_sensor, cdn_spec_add_sensor, cdn_spec_get_sensor, cdn_spec_set_sensor
 *   — a keyframe: cdn_default_spec_key, cdn_spec_add_key, cdn_spec_get_key, cdn_spec_set_key
 *   make a tree of the joints, with loops cut: cdn_spec_make_tree, cdn_spec_tree_destroy
 *   list its mobilizers: cdn_spec_tree_mobilizer_count, cdn_spec_tree_mobilizer
 *   list its loops and where they are cut: cdn_spec_tree_loop_count, cdn_spec_tree_loop */
#ifndef CARDAN_SPEC_H
#define CARDAN_SPEC_H

#include <cardan/actuators.h>
#include <cardan/measures.h>
#include <cardan/scene.h>
#include <cardan/soft.h>

CDN_BEGIN_DECLS

typedef struct cdn_spec cdn_spec; /**< a model as data */

/** Kinds of elements. Later releases append kinds. */
typedef enum cdn_spec_kind {
  CDN_SPEC_BODY,
  CDN_SPEC_JOINT,
  CDN_SPEC_CONSTRAINT,
  CDN_SPEC_FRAME,
  CDN_SPEC_SHAPE,
  CDN_SPEC_ASSET,
  CDN_SPEC_SENSOR,
  CDN_SPEC_KEY,
  CDN_SPEC_ACTUATOR,
  CDN_SPEC_CONTACT,
  CDN_SPEC_CAMERA,
  CDN_SPEC_LIGHT,
  CDN_SPEC_TENDON,
  CDN_SPEC_PATH_ITEM,
  CDN_SPEC_KIND_COUNT
} cdn_spec_kind;

typedef struct cdn_spec_def {
  CDN_DEF_HEADER;
  const char *name;        /**< the model's; copied; NULL: "model" */
  cdn_allocator allocator; /**< all zero: aligned_alloc and free */
} cdn_spec_def;
CDN_DEF(spec_def);

/** Makes an empty spec without gravity. `def` may be NULL: the defaults. */
CDN_API cdn_status cdn_spec_create(const cdn_spec_def *def, cdn_spec **out) CDN_NODISCARD;
/** Copies all elements; indices stay the same. */
CDN_API cdn_status cdn_spec_copy(const cdn_spec *spec, cdn_spec **out) CDN_NODISCARD;
CDN_API void cdn_spec_destroy(cdn_spec *spec); /**< NULL is allowed */
/** The last failure; its code is CDN_OK if there was none. */
CDN_SIZED_VOID(cdn_spec_last_error, (const cdn_spec *spec, cdn_error *out), (spec, out), out);

/** The model's name, which lives until it is set; the setter copies it. */
CDN_API const char *cdn_spec_name(const cdn_spec *spec);
CDN_API cdn_status cdn_spec_set_name(cdn_spec *spec, const char *name) CDN_NODISCARD;
/** Gravity, m/s^2 in Ground's axes. If it is zero, the System gets no gravity element. */
CDN_API cdn_status cdn_spec_get_gravity(const cdn_spec *spec, cdn_vec3 *g) CDN_NODISCARD;
CDN_API cdn_status cdn_spec_set_gravity(cdn_spec *spec, cdn_vec3 g) CDN_NODISCARD;

/** The medium around all bodies (media.h). A body that has shapes with `fluid` is in it as these ellipsoids, any other
 *  body with a mass as the box of its mass and inertia. Without density and viscosity there is no medium. */
typedef struct cdn_spec_medium {
  CDN_DEF_HEADER;
  double density;   /**< kg/m^3, not negative; default 0 */
  double viscosity; /**< Pa s, not negative; default 0 */
  cdn_vec3 wind;    /**< m/s, in Ground; default 0 */
} cdn_spec_medium;
CDN_DEF(spec_medium);
CDN_SIZED(cdn_spec_get_medium, (const cdn_spec *spec, cdn_spec_medium *out), (spec, out), out);
/** CDN_ERR_ARG, CDN_ERR_NONFINITE: a number that no medium can have; nothing has changed then. */
CDN_API cdn_status cdn_spec_set_medium(cdn_spec *spec, const cdn_spec_medium *def) CDN_NODISCARD;

/** The friction cones of a file's contacts. */
typedef enum cdn_spec_cone { CDN_SPEC_PYRAMIDAL, CDN_SPEC_ELLIPTIC } cdn_spec_cone;
typedef enum cdn_spec_solver_kind { CDN_SPEC_NEWTON, CDN_SPEC_CG, CDN_SPEC_PGS } cdn_spec_solver_kind;
typedef enum cdn_spec_integrator {
  CDN_SPEC_EULER,
  CDN_SPEC_RK4,
  CDN_SPEC_IMPLICIT,
  CDN_SPEC_IMPLICITFAST
} cdn_spec_integrator;
/** A file's options of soft rows and their solver: MJCF's <option>, with MuJoCo's names and defaults. Overrides of
 *  margin, solref and solimp (o_margin, ...) are in the shapes and pairs already. */
typedef struct cdn_spec_solver {
  CDN_DEF_HEADER;
  double timestep;                                  /**< s; default 0.002 */
  cdn_spec_integrator integrator;                   /**< default CDN_SPEC_EULER */
  cdn_spec_cone cone;                               /**< default CDN_SPEC_PYRAMIDAL */
  cdn_spec_solver_kind solver;                      /**< default CDN_SPEC_NEWTON */
  int iterations, ls_iterations, noslip_iterations; /**< default 100, 50, 0 */
  double tolerance, ls_tolerance, noslip_tolerance; /**< default 1e-8, 0.01, 1e-6 */
  double impratio;                                  /**< default 1 */
  bool refsafe;   /**< time constants count as two time steps at least. Default true */
  bool eulerdamp; /**< Euler's damping is implicit. Default true */
  /** Rows are scaled by the inverse inertia that they meet, not by MuJoCo's approximation (cdn_soft_def). Default
   *  false */
  bool exact_diagonal;
} cdn_spec_solver;
CDN_DEF(spec_solver);
CDN_SIZED(cdn_spec_get_solver, (const cdn_spec *spec, cdn_spec_solver *out), (spec, out), out);
/** CDN_ERR_ARG, CDN_ERR_NONFINITE: a number that no solver can have; nothing has changed then. */
CDN_API cdn_status cdn_spec_set_solver(cdn_spec *spec, const cdn_spec_solver *def) CDN_NODISCARD;

CDN_API int cdn_spec_count(const cdn_spec *spec, cdn_spec_kind kind); /**< 0 for an unknown kind */
/** The index of the first element of this name, or -1. O(elements of the kind). */
CDN_API int cdn_spec_find(const cdn_spec *spec, cdn_spec_kind kind, const char *name);
/** Removes element i; the indices of later ones decrease by 1. Elements that refer to it by name stay: remove or
 *  change them too. */
CDN_API cdn_status cdn_spec_remove(cdn_spec *spec, cdn_spec_kind kind, int i) CDN_NODISCARD;

/* For every kind: an element added with name NULL gets a made-up name, such as "body3". `line` is its line in a file
 * (0: none), for messages. Errors: CDN_ERR_ARG (a wrong index), CDN_ERR_VERSION (a def that does not come from its
 * cdn_default_*()), CDN_ERR_NOMEM. `index` may be NULL. */

/* ---- bodies (joints are in spec_joints.h) --------------------------------------------------- */

/** A rigid body. Ground is not an element: a body's name NULL means Ground, and so does "Ground" unless a body has
 *  that name. */
typedef struct cdn_spec_body {
  CDN_DEF_HEADER;
  int line;                 /**< line of the file; 0: none */
  const char *name;         /**< must be unique among bodies (cdn_model_build checks) */
  cdn_mass_properties mass; /**< in the body's frame; default: massless */
  bool intermediate;   /**< a massless frame between several joints of one body, made by a reader: tables omit it */
  bool allow_improper; /**< as in cdn_body_def; readers set it, and warn */
  bool must_be_base;   /**< gets a free joint to Ground if no joint connects it to Ground: see cdn_spec_make_tree */
  /** The part of its weight that a force at its centre of mass compensates; 1: all of it. Default 0 (MJCF's gravcomp)
   * */
  double gravity_compensation;
  /** The axes of its box in a medium, principal axes of its inertia, in the body's frame: MuJoCo has those that a file
   *  writes, which differ where two moments are equal. All zero (the default): they are found */
  cdn_rotation principal;
  /** Its pose is an input (motion.h): its joint is a free one to Ground, whose q0 is the pose in a new State, or it has
   *  none, and no other joint leads to it from Ground. Keys have its pose among the coordinates. Default: false */
  bool mocap;
} cdn_spec_body;
CDN_DEF(spec_body);
CDN_API cdn_status cdn_spec_add_body(cdn_spec *spec, const cdn_spec_body *def, int *index) CDN_NODISCARD;
CDN_API cdn_status cdn_spec_set_body(cdn_spec *spec, int i, const cdn_spec_body *def) CDN_NODISCARD;
CDN_SIZED(cdn_spec_get_body, (const cdn_spec *spec, int i, cdn_spec_body *out), (spec, i, out), out);

/* ---- constraints ---------------------------------------------------------------------------- */

typedef enum cdn_spec_constraint_kind {
  CDN_SPEC_CONNECT,  /**< the origins of frames A and B coincide (MJCF's connect) */
  CDN_SPEC_WELD,     /**< frames A and B coincide (MJCF's weld) */
  CDN_SPEC_COUPLING, /**< q_y - y0 = c0 + c1 (q_x - x0) + ... + c4 (q_x - x0)^4, or y0 + c0 without a joint x (mimic) */
  /** The same of the lengths of tendons y and x beyond those at the default coordinates, to which y0 and x0 come. It is
   *  simulated as a soft element alone. */
  CDN_SPEC_TENDON_COUPLING
} cdn_spec_constraint_kind;

typedef struct cdn_spec_constraint {
  CDN_DEF_HEADER;
  int line;                      /**< line of the file; 0: none */
  const char *name;              /**< copied; NULL: none */
  cdn_spec_constraint_kind kind; /**< what it holds */
  bool disabled;                 /**< true: starts switched off */
  const char *body_a, *body_b;   /**< NULL: Ground */
  cdn_transform X_A, X_B;        /**< the frames on these bodies; default: identity */
  const char *joint_y, *joint_x; /**< joints with one coordinate; joint_x may be NULL */
  double y0, x0, c[5];           /**< numbers of a coupling, rad or m; default of c: 0 1 0 0 0 */
  cdn_soft_law law;              /**< of a soft equality: MuJoCo's solref and solimp. Default: cdn_default_soft_law() */
  double torque_scale;           /**< of a soft weld: MuJoCo's torquescale, m. Default 1 */
  const char *tendon_y, *tendon_x; /**< of a coupling of tendons; tendon_x may be NULL */
} cdn_spec_constraint;
CDN_DEF(spec_constraint);
/** Adds, changes or reads a constraint. *index (may be NULL): its number. */
CDN_API cdn_status cdn_spec_add_constraint(cdn_spec *spec, const cdn_spec_constraint *def, int *index) CDN_NODISCARD;
CDN_API cdn_status cdn_spec_set_constraint(cdn_spec *spec, int i, const cdn_spec_constraint *def) CDN_NODISCARD;
CDN_SIZED(cdn_spec_get_constraint, (const cdn_spec *spec, int i, cdn_spec_constraint *out), (spec, i, out), out);

/* ---- frames --------------------------------------------------------------------------------- */

/** A named frame on a body: a site of MJCF, or a link of URDF that a fixed joint makes part of a body (an end
 *  effector, a sole, an IMU). */
typedef struct cdn_spec_frame {
  CDN_DEF_HEADER;
  int line;           /**< line of the file; 0: none */
  const char *name;   /**< copied; NULL: none */
  const char *body;   /**< NULL: Ground */
  cdn_transform X_BF; /**< the frame on the body, m. Default: identity */
} cdn_spec_frame;
CDN_DEF(spec_frame);
CDN_API cdn_status cdn_spec_add_frame(cdn_spec *spec, const cdn_spec_frame *def, int *index) CDN_NODISCARD;
CDN_API cdn_status cdn_spec_set_frame(cdn_spec *spec, int i, const cdn_spec_frame *def) CDN_NODISCARD;
CDN_SIZED(cdn_spec_get_frame, (const cdn_spec *spec, int i, cdn_spec_frame *out), (spec, i, out), out);

/* ---- shapes and assets ----------------------------------------------------------------------- */

typedef enum cdn_shape_type {
  CDN_SHAPE_PLANE,     /**< x, y half widths for drawing (0: infinite); normal along z */
  CDN_SHAPE_HFIELD,    /**< `asset` */
  CDN_SHAPE_SPHERE,    /**< radius */
  CDN_SHAPE_CAPSULE,   /**< radius, half length of the cylinder along z */
  CDN_SHAPE_ELLIPSOID, /**< half axes */
  CDN_SHAPE_CYLINDER,  /**< radius, half length along z */
  CDN_SHAPE_BOX,       /**< half axes */
  CDN_SHAPE_MESH       /**< `asset` */
} cdn_shape_type;

/** A geometric shape on a body: a geom of MJCF, a visual or collision of URDF. */
typedef struct cdn_spec_shape {
  CDN_DEF_HEADER;
  int line;                     /**< line of the file; 0: none */
  const char *name;             /**< copied; NULL: none */
  const char *body;             /**< NULL: Ground */
  cdn_transform X_BS;           /**< the frame on the body, m. Default: identity */
  cdn_shape_type type;          /**< which geometry it is */
  double size[3];               /**< m; see the type */
  const char *asset, *material; /**< names of assets, or NULL */
  double rgba[4];               /**< colour and opacity, 0 to 1. Default: 0.5 0.5 0.5 1 */
  bool visual, collision;       /**< its uses; default: both */
  int contype,
      conaffinity;    /**< MuJoCo's masks: a pair collides if a contype and the other's conaffinity share a bit; 1 */
  int condim, group;  /**< MuJoCo's; default: 3, 0 */
  double friction[3]; /**< sliding, torsional (m), rolling (m), as MuJoCo has them; default: 1 0.005 0.0001 */
  int priority;       /**< MuJoCo's: of two shapes, condim and friction are those of the one with the larger; 0 */
  double margin, gap; /**< MuJoCo's, m; compliant contact begins where surfaces touch, whatever they are; 0, 0 */
  /** > 0: a primitive that is fitted to the mesh `asset` (docs/contact_files.md), scaled by this; its size is not read,
   *  and X_BS is the pose of the mesh. Default 0 */
  double fit_scale;
  cdn_soft_law law; /**< of soft contact: MuJoCo's solref and solimp. Default: cdn_default_soft_law() */
  double solmix;    /**< MuJoCo's: the weight of the law in means; default 1 */
  /** The link of URDF that the shape belonged to, if a fixed joint made that link part of the body; exclusions may name
   *  it. NULL (the default): the body itself */
  const char *part;
  bool fluid; /**< a medium acts on it as on an ellipsoid with its half sizes (MJCF's fluidshape). Default false */
  /** Its coefficients: blunt, slender and angular drag, Kutta's and Magnus's lift (media.h). Default 0.5 0.25 1.5 1 1
   *  */
  double fluid_coefficients[5];
} cdn_spec_shape;
CDN_DEF(spec_shape);
CDN_API cdn_status cdn_spec_add_shape(cdn_spec *spec, const cdn_spec_shape *def, int *index) CDN_NODISCARD;
CDN_API cdn_status cdn_spec_set_shape(cdn_spec *spec, int i, const cdn_spec_shape *def) CDN_NODISCARD;
CDN_SIZED(cdn_spec_get_shape, (const cdn_spec *spec, int i, cdn_spec_shape *out), (spec, i, out), out);

/** What an asset is. */
typedef enum cdn_asset_type { CDN_ASSET_MESH, CDN_ASSET_HFIELD, CDN_ASSET_TEXTURE, CDN_ASSET_MATERIAL } cdn_asset_type;

/** Textures that MuJoCo makes itself. */
typedef enum cdn_spec_texture {
  CDN_SPEC_TEXTURE_NONE,
  CDN_SPEC_TEXTURE_GRADIENT,
  CDN_SPEC_TEXTURE_CHECKER,
  CDN_SPEC_TEXTURE_FLAT
} cdn_spec_texture;

/** What a texture is: a picture; six pictures around a cube, in the middle of which the shape is; the sky. */
typedef enum cdn_spec_texture_type {
  CDN_SPEC_TEXTURE_2D,
  CDN_SPEC_TEXTURE_CUBE,
  CDN_SPEC_TEXTURE_SKYBOX
} cdn_spec_texture_type;

/** What MuJoCo draws over its own textures: a border, two lines through the middle, dots. */
typedef enum cdn_spec_texture_mark {
  CDN_SPEC_MARK_NONE,
  CDN_SPEC_MARK_EDGE,
  CDN_SPEC_MARK_CROSS,
  CDN_SPEC_MARK_RANDOM
} cdn_spec_texture_mark;

/** An asset, to which shapes refer. Files are named; cdn_model_build reads those that contact needs. */
typedef struct cdn_spec_asset {
  CDN_DEF_HEADER;
  int line;            /**< line of the file; 0: none */
  const char *name;    /**< copied; NULL: none */
  cdn_asset_type type; /**< which asset it is */
  const char *file;    /**< path as in the model file; NULL: none */
  double scale[3];     /**< factors of a mesh along its axes; default 1 1 1 */
  double size[4];      /**< of a height field: half widths x, y, height, depth below (m) */
  const char *texture; /**< of a material: an asset, or NULL */
  double rgba[4];      /**< of a material; default 1 1 1 1 */
  /** A mesh is moved by -refpos, turned back by the quaternion refquat (w first), and then scaled. Defaults: 0 0 0,
   *  1 0 0 0. */
  double refpos[3], refquat[4];
  /** Of an asset without a file. A mesh: 3 numbers a vertex, of which the hull is made. A height field: n_rows
   *  n_columns heights of any range, row by row; rows go along +y, and columns along +x. Copied; NULL: none. */
  int n_data;
  const double *data;
  int n_rows, n_columns; /**< of a height field */
  /** Of a texture without a file. A checker has two by two squares, of rgb1 and rgb2; a gradient goes from rgb1 in the
   *  middle to rgb2 at the border; a flat one is rgb1. Defaults: none, 0.8 0.8 0.8, 0.5 0.5 0.5 */
  cdn_spec_texture builtin;
  double rgb1[3], rgb2[3];
  /** Of a material: repeats of its texture on a shape, along x and y (default 1 1); on each 2 m if `texuniform`
   *  (default false). */
  double texrepeat[2];
  bool texuniform;
  cdn_spec_texture_type texture_type; /**< default CDN_SPEC_TEXTURE_2D */
  /** Of a texture without a file, pixels, 1 to 16384; of cube and sky, width counts, to 4096. 0 (the default): 256 */
  int width, height;
  /** Of a texture without a file, with its colour and the part of the pixels that are dots; defaults: none, 0 0 0,
   *  0.01 */
  cdn_spec_texture_mark mark;
  double markrgb[3], random;
  bool hflip, vflip; /**< the pictures of files are mirrored: left and right, top and bottom */
  /** Of cube and sky from one file: it has so many rows and columns of squares, 12 at most; the layout tells which side
   *  each is: R, L, U, D, F, B for +x, -x, +y, -y, +z, -z, or a dot for none. 1 1 (the default): one picture for all
   *  sides. Sides without a picture are rgb1. */
  int gridsize[2];
  char gridlayout[13];
  const char *side_file[6]; /**< of cube and sky: a file for each side, in the order of RLUDFB; NULL: none */
  /** Of a material: specular reflection, shininess, emission, and reflectance (of planes), each 0 to 1. Defaults: 0.5,
   *  0.5, 0, 0 */
  double specular, shininess, emission, reflectance;
} cdn_spec_asset;
CDN_DEF(spec_asset);
CDN_API cdn_status cdn_spec_add_asset(cdn_spec *spec, const cdn_spec_asset *def, int *index) CDN_NODISCARD;
CDN_API cdn_status cdn_spec_set_asset(cdn_spec *spec, int i, const cdn_spec_asset *def) CDN_NODISCARD;
CDN_SIZED(cdn_spec_get_asset, (const cdn_spec *spec, int i, cdn_spec_asset *out), (spec, i, out), out);

/* ---- who touches whom ------------------------------------------------------------------------ */

/** Two bodies, or parts of bodies (cdn_spec_shape.part), whose shapes never touch each other; or two shapes that touch
 *  whatever their masks and bodies are. (exclude and pair of MJCF's contact.) */
typedef struct cdn_spec_contact {
  CDN_DEF_HEADER;
  int line;                      /**< line of the file; 0: none */
  const char *name;              /**< copied; NULL: none */
  bool exclude;                  /**< true: the bodies do not touch; false (the default): the shapes do */
  const char *body_a, *body_b;   /**< of an exclusion: bodies or parts; NULL: Ground */
  const char *shape_a, *shape_b; /**< of a pair */
  int condim;                    /**< as a shape's; 0 (the default): what the shapes have together */
  /** Sliding along two directions, torsional (m), rolling about two directions (m). A negative number (the default):
   *  the combined number of the shapes. */
  double friction[5];
  double margin, gap; /**< as a shape's */
  cdn_soft_law law;   /**< of soft contact. ref or imp of zeros (the default): the combined numbers of the shapes */
} cdn_spec_contact;
CDN_DEF(spec_contact);
CDN_API cdn_status cdn_spec_add_contact(cdn_spec *spec, const cdn_spec_contact *def, int *index) CDN_NODISCARD;
CDN_API cdn_status cdn_spec_set_contact(cdn_spec *spec, int i, const cdn_spec_contact *def) CDN_NODISCARD;
CDN_SIZED(cdn_spec_get_contact, (const cdn_spec *spec, int i, cdn_spec_contact *out), (spec, i, out), out);

/* ---- cameras and lights ---------------------------------------------------------------------- */

/** A camera. cdn_model_dress gives it to a scene. */
typedef struct cdn_spec_camera {
  CDN_DEF_HEADER;
  int line;             /**< line of the file; 0: none */
  const char *name;     /**< copied; NULL: none */
  const char *body;     /**< NULL: Ground */
  cdn_transform X_BC;   /**< it looks along -z, with y up. A camera that tracks keeps the pose in Ground that this gives
                             in the model's default State */
  double fovy;          /**< angle of view from top to bottom, rad; default pi/4 */
  cdn_camera_mode mode; /**< default CDN_CAMERA_FIXED */
  const char *target;   /**< the body to which it turns; NULL: Ground */
} cdn_spec_camera;
CDN_DEF(spec_camera);
CDN_API cdn_status cdn_spec_add_camera(cdn_spec *spec, const cdn_spec_camera *def, int *index) CDN_NODISCARD;
CDN_API cdn_status cdn_spec_set_camera(cdn_spec *spec, int i, const cdn_spec_camera *def) CDN_NODISCARD;
CDN_SIZED(cdn_spec_get_camera, (const cdn_spec *spec, int i, cdn_spec_camera *out), (spec, i, out), out);

/** A light. cdn_model_dress gives it to a scene. */
typedef struct cdn_spec_light {
  CDN_DEF_HEADER;
  int line;             /**< line of the file; 0: none */
  const char *name;     /**< copied; NULL: none */
  const char *body;     /**< NULL: Ground */
  cdn_vec3 position;    /**< on the body, m */
  cdn_vec3 direction;   /**< a vector on the body, of any length but 0; default 0 0 -1 */
  bool directional;     /**< all rays are parallel; default false */
  double rgb[3];        /**< colour, 0 to 1. Default 0.7 0.7 0.7 */
  cdn_camera_mode mode; /**< default CDN_CAMERA_FIXED. A light that tracks keeps the place, relative to what it follows,
                             and the direction in Ground that it has in the model's default State */
  const char *target;   /**< the body to which it turns; NULL: Ground */
  /** Of a light that is not directional: it shines within this angle about its direction, rad, with the power
   *  `exponent` of the angle's cosine. Defaults: pi/4, 10 */
  double cutoff, exponent;
  double attenuation[3]; /**< it is divided by a + b d + c d^2 at the distance d; default 1 0 0 */
  bool castshadow;       /**< default true */
} cdn_spec_light;
CDN_DEF(spec_light);
CDN_API cdn_status cdn_spec_add_light(cdn_spec *spec, const cdn_spec_light *def, int *index) CDN_NODISCARD;
CDN_API cdn_status cdn_spec_set_light(cdn_spec *spec, int i, const cdn_spec_light *def) CDN_NODISCARD;
CDN_SIZED(cdn_spec_get_light, (const cdn_spec *spec, int i, cdn_spec_light *out), (spec, i, out), out);

/* ---- tendons -------------------------------------------------------------------------------- */

enum { CDN_SPEC_TENDON_JOINTS = 16 }; /**< the most joints of a tendon */

/** A tendon. It becomes a path of its name (paths.h), which gives its length, rate and moments. Its length is the sum
 *  of coefficient[i] times the coordinate of joint[i], and of what its items say (cdn_spec_path_item); it has either
 *  coordinates (MJCF's fixed) or points (MJCF's spatial).
 *
 *  Its spring and its damper become forces "NAME spring" and "NAME damper". With CDN_MODEL_SOFT its limit and its dry
 *  friction are soft elements "NAME limit" and "NAME friction" (soft_elements.h). Otherwise they are forces of the same
 *  names: a one-sided spring with damping, and a friction that sticks. */
typedef struct cdn_spec_tendon {
  CDN_DEF_HEADER;
  int line;                                   /**< line of the file; 0: none */
  const char *name;                           /**< must be unique among tendons, and among the System's paths */
  int joints;                                 /**< 0 to 16 */
  const char *joint[CDN_SPEC_TENDON_JOINTS];  /**< joints with one coordinate, each one once */
  double coefficient[CDN_SPEC_TENDON_JOINTS]; /**< factors of the coordinates */
  bool limited;                               /**< whether lower and upper are limits. Default false */
  double lower, upper, margin;                /**< m. Default -+infinity, 0 */
  double friction;                            /**< dry friction, N */
  cdn_soft_law limit_law, friction_law;       /**< with CDN_MODEL_SOFT. Default: cdn_default_soft_law() */
  double effort_lower, effort_upper;          /**< limits of the force of the actuator on it, N. Default: infinite */
  double stiffness, damping;                  /**< N/m, N s/m, >= 0. Default 0 */
  /** The spring is slack between these lengths, m: below the first it pushes, above the second it pulls. Without
   *  has_rest (the default) both are the tendon's length where every joint is at its springref, and the others at their
   *  default coordinates. */
  bool has_rest;
  double rest_lower, rest_upper;
  double armature; /**< kg: the inertia of what moves along with its length, >= 0. Default 0 */
  /** How it is drawn: the diameter's half (m, default 0.003), the colour (default 0.5 0.5 0.5 1) and MuJoCo's group. */
  double width, rgba[4];
  int group;
  /** Of springs and dampers that are not linear: with x the length beyond the rest, and v the rate, the tension has
   *  stiffness_higher[0] x^2 + stiffness_higher[1] x^3 and damping_higher[0] v |v| + damping_higher[1] v^3 besides. */
  double stiffness_higher[2], damping_higher[2];
} cdn_spec_tendon;
CDN_DEF(spec_tendon);
CDN_API cdn_status cdn_spec_add_tendon(cdn_spec *spec, const cdn_spec_tendon *def, int *index) CDN_NODISCARD;
CDN_API cdn_status cdn_spec_set_tendon(cdn_spec *spec, int i, const cdn_spec_tendon *def) CDN_NODISCARD;
CDN_SIZED(cdn_spec_get_tendon, (const cdn_spec *spec, int i, cdn_spec_tendon *out), (spec, i, out), out);

typedef enum cdn_spec_path_item_kind {
  CDN_SPEC_PATH_POINT,     /**< the path goes through the origin of X_BP */
  CDN_SPEC_PATH_SPHERE,    /**< between the points before and after it, it goes around a sphere about that origin */
  CDN_SPEC_PATH_CYLINDER,  /**< or around a cylinder about the z axis of X_BP, without ends */
  CDN_SPEC_PATH_PULLEY,    /**< a part of it ends; the length of the next part counts 1 / divisor */
  CDN_SPEC_PATH_COORDINATE /**< coefficient times the coordinate of a joint is added to the length */
} cdn_spec_path_item_kind;

/** What a tendon passes, in the order of the spec's items. docs/paths.md has the rules of paths. Members that its kind
 *  does not have are not read. */
typedef struct cdn_spec_path_item {
  CDN_DEF_HEADER;
  int line;           /**< line of the file; 0: none */
  const char *name;   /**< for messages */
  const char *tendon; /**< to which it belongs; must be set */
  cdn_spec_path_item_kind kind;
  const char *body;   /**< NULL: Ground */
  cdn_transform X_BP; /**< of the point, or of the obstacle */
  double radius;      /**< of an obstacle, > 0, m */
  bool has_side;      /**< of an obstacle: the path passes on the side of a station; from inside, if that is within */
  const char *side_body; /**< the body of that station; NULL: Ground */
  cdn_vec3 side;         /**< on that body, m */
  double divisor;        /**< of a pulley, > 0. Default 1 */
  const char *joint;     /**< of a coordinate: a joint with one coordinate */
  double coefficient;    /**< m/rad, or a number */
} cdn_spec_path_item;
CDN_DEF(spec_path_item);
CDN_API cdn_status cdn_spec_add_path_item(cdn_spec *spec, const cdn_spec_path_item *def, int *index) CDN_NODISCARD;
CDN_API cdn_status cdn_spec_set_path_item(cdn_spec *spec, int i, const cdn_spec_path_item *def) CDN_NODISCARD;
CDN_SIZED(cdn_spec_get_path_item, (const cdn_spec *spec, int i, cdn_spec_path_item *out), (spec, i, out), out);

/* ---- actuators ------------------------------------------------------------------------------ */

/** An actuator. It becomes a control c of its name (controls.h) and a force "NAME actuator" that reads c: a drive, or
 *  an actuator of forces.h where it acts on one coordinate without an activation. actuators.h has the law, and what the
 *  transmissions are. (MJCF's actuators have this law.)
 *
 *  It acts on the first of these that is there: `joint`; a frame on `body`; `tendon`. With `rod` the frame on `body` is
 *  the crank, and that on `reference` the slider. With `on_contacts` it acts on the contacts of `body`, which must be
 *  soft. */
typedef struct cdn_spec_actuator {
  CDN_DEF_HEADER;
  int line;           /**< line of the file; 0: none */
  const char *name;   /**< must be unique among actuators, and among the System's controls (cdn_model_build checks) */
  const char *unit;   /**< of the control, for display; NULL: "" */
  const char *joint;  /**< the joint on which it acts: one with one coordinate, a ball or a free joint */
  const char *body;   /**< without a joint: the body of the frame on which it acts */
  cdn_transform X_BS; /**< that frame on the body */
  double gear[6];     /**< default: 1 0 0 0 0 0 */
  bool in_parent;     /**< ball, free joint: gear[0..2] are along F's axes instead of M's */
  double gain[3], bias[3];                   /**< defaults: 1 0 0, 0 0 0 */
  double force_lower, force_upper;           /**< limits of p; default: infinite */
  double control_lower, control_upper;       /**< limits of the control; default: infinite */
  cdn_actuator_dynamics dynamics;            /**< default: CDN_ACTUATOR_DIRECT */
  double time_constant;                      /**< of the filter, s; default 1 */
  double activation_lower, activation_upper; /**< da/dt does not lead a out of these; default: infinite */
  const char *tendon;                        /**< without joint and body: the tendon on which it acts */
  /** > 0: bias[2] becomes -2 D sqrt(k m), with D this number, k = gain[0], and m the inertia that it meets at the
   *  default
   *  coordinates: the sum over its mobilities of M_ii over the square of the moment on it (MJCF's dampratio).
   *  Default 0 */
  double damping_ratio;
  bool has_reference;               /**< the frame on a body is seen from another one (MJCF's refsite) */
  const char *reference;            /**< that frame's body; NULL: Ground */
  cdn_transform X_RF;               /**< that frame on the body */
  double rod;                       /**< > 0: of a slider-crank, m. Default 0 */
  bool on_contacts;                 /**< it acts on the soft contacts of `body` (CDN_ON_CONTACTS). Default false */
  cdn_drive_law gain_law, bias_law; /**< default CDN_LAW_AFFINE */
  /** Of gain and bias. Default: as cdn_default_muscle, but for length_range, 0 0. A length range of two equal numbers
   *  is found: extremes of the length within the limits of the joints that change it. With a negative peak,
   *  acceleration is found, too */
  cdn_muscle muscle, passive;
  double muscle_time[3]; /**< time constants of CDN_ACTUATOR_MUSCLE, s, and the width. Default 0.01, 0.04, 0 */
  bool exact_filter;     /**< as that of cdn_drive_def */
  bool early; /**< the signal is that of the end of a step: of cdn_model_options.fixed_step, or of the file's step */
  /** > 0: the actuator reads what its control was this long ago, s. In a System that is built to be solved as the file
   *  says (cdn_model_options.solving) that is a record of `samples` (measures.h; 0: as many as the delay has steps),
   *  read by `interpolation`; in others it is a delay, which has no such numbers. Before the run the control is 0.
   *  Default 0, 0, CDN_INTERPOLATE_HOLD */
  double delay;
  int samples;
  cdn_interpolation interpolation;
} cdn_spec_actuator;
CDN_DEF(spec_actuator);
CDN_API cdn_status cdn_spec_add_actuator(cdn_spec *spec, const cdn_spec_actuator *def, int *index) CDN_NODISCARD;
CDN_API cdn_status cdn_spec_set_actuator(cdn_spec *spec, int i, const cdn_spec_actuator *def) CDN_NODISCARD;
CDN_SIZED(cdn_spec_get_actuator, (const cdn_spec *spec, int i, cdn_spec_actuator *out), (spec, i, out), out);

/* ---- sensors and keyframes ------------------------------------------------------------------ */

/** The quantity that a sensor measures; it becomes a measure of the System. Positions of `frame` in Ground or in
 *  `reference`. */
typedef enum cdn_sensor_kind {
  CDN_SENSOR_JOINT_POSITION, /**< of a joint with one coordinate */
  CDN_SENSOR_JOINT_VELOCITY,
  CDN_SENSOR_BALL_QUATERNION, /**< of a ball */
  CDN_SENSOR_BALL_VELOCITY,   /**< in the moving axes */
  CDN_SENSOR_ACCELEROMETER,   /**< this and the next two in the frame's own axes; with gravity added */
  CDN_SENSOR_VELOCIMETER,
  CDN_SENSOR_GYRO,
  CDN_SENSOR_POSITION, /**< this and the next six in Ground, or relative to the reference frame */
  CDN_SENSOR_QUATERNION,
  CDN_SENSOR_X_AXIS,
  CDN_SENSOR_Y_AXIS,
  CDN_SENSOR_Z_AXIS,
  CDN_SENSOR_LINEAR_VELOCITY,
  CDN_SENSOR_ANGULAR_VELOCITY,
  CDN_SENSOR_LINEAR_ACCELERATION, /**< in Ground; with gravity added */
  CDN_SENSOR_ANGULAR_ACCELERATION,
  CDN_SENSOR_SUBTREE_COM, /**< of a body and all bodies outboard of it */
  CDN_SENSOR_SUBTREE_VELOCITY,
  CDN_SENSOR_SUBTREE_MOMENTUM, /**< angular, about that centre of mass */
  CDN_SENSOR_CLOCK,
  CDN_SENSOR_KINETIC_ENERGY,
  CDN_SENSOR_POTENTIAL_ENERGY,
  /** What the body of the frame has from its parent, tendons and motors included (cdn_transmitted_forces), in the
   *  frame's axes, N */
  CDN_SENSOR_FORCE,
  CDN_SENSOR_TORQUE, /**< the same's moment about the frame's origin, N m */
  CDN_SENSOR_TOUCH,  /**< the sum of the normal forces on the body, of contacts within a volume on the frame, N */
  CDN_SENSOR_RANGE,  /**< along the frame's z to the first shape of another body, m; -1: there is none */
  CDN_SENSOR_ACTUATOR_POSITION, /**< the length l of an actuator */
  CDN_SENSOR_ACTUATOR_VELOCITY,
  CDN_SENSOR_ACTUATOR_FORCE,  /**< its p */
  CDN_SENSOR_TENDON_POSITION, /**< the length of a tendon */
  CDN_SENSOR_TENDON_VELOCITY,
  CDN_SENSOR_CONTACT, /**< of contacts between two sides: numbers that `data` asks for, of each of `contacts` of them */
  CDN_SENSOR_MAGNETOMETER,      /**< `field`, in the frame's axes */
  CDN_SENSOR_CAMERA_PROJECTION, /**< where the frame's origin is in the picture of a camera, 2 numbers, in pixels from
                                 *   the left and from the top. The reference frame is the camera: x to the right, y up,
                                 *   and it looks along -z */
  CDN_SENSOR_INSIDE,            /**< 1 if the frame's origin is within a volume on the reference frame, else 0 */
  /** Of a limit of a joint or a ball that acts: the distance to the bound less the margin (negative; m or rad), its
   *  rate, and the force, >= 0. All are 0 where none acts. Of two bounds that act at once, the lower one */
  CDN_SENSOR_JOINT_LIMIT_POSITION,
  CDN_SENSOR_JOINT_LIMIT_VELOCITY,
  CDN_SENSOR_JOINT_LIMIT_FORCE,
  CDN_SENSOR_TENDON_LIMIT_POSITION, /**< the same of a tendon's length */
  CDN_SENSOR_TENDON_LIMIT_VELOCITY,
  CDN_SENSOR_TENDON_LIMIT_FORCE,
  CDN_SENSOR_DISTANCE, /**< of two sides, each a shape or all shapes of a body, m; `cutoff` if they are farther apart.
                        *   Shapes that touch nothing count, too */
  CDN_SENSOR_NORMAL,   /**< the direction from the nearest point of side a to that of side b; 0 beyond the cutoff */
  CDN_SENSOR_FROM_TO,  /**< these two points, in Ground, 6 numbers; 0 beyond the cutoff */
  CDN_SENSOR_JOINT_ACTUATOR_FORCE,  /**< the generalized force of all actuators on a joint with one coordinate, within
                                     *   the joint's limits of effort */
  CDN_SENSOR_TENDON_ACTUATOR_FORCE, /**< the sum of the p of all actuators on a tendon */
  CDN_SENSOR_USER,                  /**< `numbers` that the program sets by cdn_measure_set_value; they begin as 0 */
  CDN_SENSOR_KIND_COUNT
} cdn_sensor_kind;

/** What a side of a sensor of contacts is. */
typedef enum cdn_sensor_side {
  CDN_SIDE_ANY,
  CDN_SIDE_SHAPE,
  CDN_SIDE_BODY,
  CDN_SIDE_SUBTREE,
  CDN_SIDE_VOLUME /**< anything, where the contact's point is in the sensor's volume on its frame; of side a alone */
} cdn_sensor_side;
/** Which contacts a sensor of contacts has: the first ones; the deepest; those with the largest forces; or one in
 *  place of all,
 *  with the sum of their forces, in the mean of their points, in Ground's axes. */
typedef enum cdn_sensor_reduce {
  CDN_REDUCE_NONE,
  CDN_REDUCE_DEEPEST,
  CDN_REDUCE_STRONGEST,
  CDN_REDUCE_NET
} cdn_sensor_reduce;
/** The numbers of a contact, in this order: how many contacts there are (1); force (3) and torque (3) of the first
 *  side on the second in the
 *  axes normal, tangent, their product; distance (1), point (3), normal (3) from the first to the second side,
 *  tangent (3). Those of a
 *  contact that is not there are 0. */
enum {
  CDN_SENSED_FOUND = 1,
  CDN_SENSED_FORCE = 2,
  CDN_SENSED_TORQUE = 4,
  CDN_SENSED_DISTANCE = 8,
  CDN_SENSED_POINT = 16,
  CDN_SENSED_NORMAL = 32,
  CDN_SENSED_TANGENT = 64
};
/** The numbers of a ray, in this order: distance (1), direction (3), where it begins (3), where it meets something (3),
 *  the surface's normal there (3), and the distance from the plane of the picture (1; without pixels: the distance).
 *  Points and directions are in Ground. Where a ray meets nothing distances are -1, and all but the beginning is 0. */
enum {
  CDN_RAY_DISTANCE = 1,
  CDN_RAY_DIRECTION = 2,
  CDN_RAY_ORIGIN = 4,
  CDN_RAY_POINT = 8,
  CDN_RAY_NORMAL = 16,
  CDN_RAY_DEPTH = 32
};

typedef struct cdn_spec_sensor {
  CDN_DEF_HEADER;
  int line;                      /**< line of the file; 0: none */
  const char *name;              /**< copied; NULL: none */
  cdn_sensor_kind kind;          /**< what it measures */
  const char *joint;             /**< of joint sensors */
  const char *body;              /**< of frame and subtree sensors; NULL: Ground */
  cdn_transform X_BS;            /**< the frame on the body */
  bool has_reference;            /**< true: relative to a frame on a body instead of Ground */
  const char *reference;         /**< that body; NULL: Ground */
  cdn_transform X_RS;            /**< the frame on that body */
  double cutoff;                 /**< > 0: numbers are limited to -cutoff ... cutoff */
  const char *actuator, *tendon; /**< of sensors of these */
  cdn_shape_type
      volume; /**< of touch, inside and side_a: sphere, capsule, ellipsoid, cylinder or box; default sphere */
  double volume_size[3];          /**< its half sizes, m */
  cdn_sensor_side side_a, side_b; /**< of contact; default CDN_SIDE_ANY */
  const char *name_a, *name_b;    /**< of these shapes and bodies */
  int contacts;                   /**< how many, at least 1; default 1 */
  int data; /**< a sum of CDN_SENSED_FOUND and the like; of range: of CDN_RAY_DISTANCE and the like. Default 1 */
  cdn_sensor_reduce reduce; /**< of contact: which of the contacts count */
  /** The deviation of normal noise in each number, >= 0; of directions and quaternions the deviation of a small turn,
   *  rad. It is drawn if cdn_model_options.noise or `noisy` asks for it, and holds for a step (random.h). Default 0 */
  double noise;
  bool noisy;       /**< default false */
  cdn_vec3 field;   /**< of a magnetometer: the field in Ground, in any unit; default 0 -0.5 0 */
  double focal[2];  /**< of a camera's projection: its focal lengths, in pixels along x and y */
  double pixels[2]; /**< and the width and height of its picture, in pixels; default 1 1 */
  int numbers;      /**< of CDN_SENSOR_USER: 1 (the default) to CDN_MEASURE_MOST */
  /** > 0: it shows what it measured this long ago, s; samples and interpolation are as those of an actuator. Defaults
   *  0, 0, CDN_INTERPOLATE_HOLD */
  double delay;
  int samples;
  cdn_interpolation interpolation;
  /** > 0: it measures at multiples of this, s, and shows the last result; before the first one 0. phase: as that of
   *  cdn_record_def. Defaults 0, 0 */
  double period, phase;
  bool of_pixels; /**< of range: one ray for each pixel of the picture, row by row from the upper left corner. The frame
                   *   is a camera, as that of a projection. Default false: one along z */
  double extent;  /**< > 0: such rays are parallel, and the picture is this high, m. Default 0 */
} cdn_spec_sensor;
CDN_DEF(spec_sensor);
/** Adds, changes or reads a sensor. *index (may be NULL): its number. */
CDN_API cdn_status cdn_spec_add_sensor(cdn_spec *spec, const cdn_spec_sensor *def, int *index) CDN_NODISCARD;
CDN_API cdn_status cdn_spec_set_sensor(cdn_spec *spec, int i, const cdn_spec_sensor *def) CDN_NODISCARD;
CDN_SIZED(cdn_spec_get_sensor, (const cdn_spec *spec, int i, cdn_spec_sensor *out), (spec, i, out), out);

/** A keyframe: values of the joints one after another, in the order of the spec's joints, each with the numbers of
 *  its kind. A list may be short: later joints have their defaults. The numbers of the joint of a mocap body are its
 *  pose and velocity. */
typedef struct cdn_spec_key {
  CDN_DEF_HEADER;
  int line;            /**< line of the file; 0: none */
  const char *name;    /**< copied; NULL: none */
  double time;         /**< s */
  int nq, nu;          /**< lengths of the lists */
  const double *q, *u; /**< copied; NULL if nq or nu is 0 */
  int n_actuators;     /**< length of the next lists, in the order of the spec's actuators; they may be short, too */
  const double *controls, *activations; /**< values of c, and of a where it is a state; copied; NULL: the defaults */
} cdn_spec_key;
CDN_DEF(spec_key);
CDN_API cdn_status cdn_spec_add_key(cdn_spec *spec, const cdn_spec_key *def, int *index) CDN_NODISCARD;
CDN_API cdn_status cdn_spec_set_key(cdn_spec *spec, int i, const cdn_spec_key *def) CDN_NODISCARD;
CDN_SIZED(cdn_spec_get_key, (const cdn_spec *spec, int i, cdn_spec_key *out), (spec, i, out), out);

/* ---- the graph of joints as a tree ---------------------------------------------------------- */

/* Bodies and joints form a graph; a System needs a tree of mobilizers (manual 2.3.1: mobilizers are not joints). The
 * tree grows from Ground, one joint after another. Of the joints that lead from the tree to a body outside, the one
 * of largest weight is next; of equal weights the one nearest to Ground, counted in mobilizers, so that branches are
 * short; of those the first in the spec. If a joint is reached from its child, it becomes a reversed mobilizer; its
 * coordinates keep their meaning.
 *
 * Bodies that no joint connects to Ground get a free joint. In such a group of bodies the base is the one with
 * must_be_base, else the first that is no joint's child, else the heaviest. A body with must_be_base and without a
 * joint to Ground gets a free joint as well.
 *
 * Each remaining joint closes a loop. As the manual recommends, its child is split: a part of the body gets the
 * joint as its mobilizer, and a constraint welds it to the body; so every joint is a mobilizer with coordinates. The
 * mass is divided equally, so that each part has some. If the child is massless or Ground, the parent is split; if
 * neither can be split, the loop is cut at the joint: a constraint of the joint's kind acts between the two bodies,
 * and the joint has no coordinates (a free joint needs no constraint). cdn_spec_joint.cut overrides this choice. */

/** A body of the tree, in the order of the System's bodies: depth first, siblings in the order of the spec's joints. */
typedef struct cdn_spec_mobilizer {
  int body;      /**< index in the spec */
  int joint;     /**< index in the spec; -1: a free joint that was added */
  int inboard;   /**< the mobilizer on which it moves; -1: Ground */
  int level;     /**< number of mobilizers from Ground to here, this one included: 1 and up */
  bool reversed; /**< the joint's child is inboard */
  int part;      /**< 0: the body itself; 1, 2, ...: parts split from it */
  int parts;     /**< number of parts of the body, itself included; each has an equal part of its mass */
} cdn_spec_mobilizer;

/** A cut of a loop. */
typedef struct cdn_spec_loop {
  int joint; /**< index in the spec of the joint that closes the loop */
  bool weld; /**< true: mobilizer b is a part of body a and welded to it; false: the joint is a constraint */
  int a, b;  /**< mobilizers; -1: Ground. For a joint: its parent and child */
} cdn_spec_loop;

typedef struct cdn_spec_tree cdn_spec_tree; /**< the tree of a spec at the time when it was made */
/** Makes the tree of a spec. CDN_ERR_ARG: a joint names a body that does not exist, or connects a body with itself;
 *  or names of bodies or joints are not unique. The message is on the spec. O((bodies + joints) log joints). */
CDN_API cdn_status cdn_spec_make_tree(cdn_spec *spec, cdn_spec_tree **out) CDN_NODISCARD;
CDN_API void cdn_spec_tree_destroy(cdn_spec_tree *tree); /**< NULL is allowed */
CDN_API int cdn_spec_tree_mobilizer_count(const cdn_spec_tree *made);
CDN_SIZED(cdn_spec_tree_mobilizer, (const cdn_spec_tree *made, int i, cdn_spec_mobilizer *out), (made, i, out), out);
CDN_API int cdn_spec_tree_loop_count(const cdn_spec_tree *made);
CDN_SIZED(cdn_spec_tree_loop, (const cdn_spec_tree *made, int i, cdn_spec_loop *out), (made, i, out), out);

CDN_END_DECLS
#endif
