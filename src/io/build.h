/* Shared by the build files: a System under construction and where the spec's elements are in it. */
#ifndef CARDAN_IO_BUILD_H
#define CARDAN_IO_BUILD_H

#include "io/meshes.h"
#include "io/model.h"

struct cdn_spec_joint;

/* Names for a warning: as many as it has room for, and how many more there are. */
typedef struct io_list {
  char text[200], rest[24];
  int count, more;
} io_list;

/* A mesh or height field of the spec. */
typedef struct io_loaded_asset {
  bool tried;
  cdn_surface *surface; /* NULL: it is not to be had */
  cdn_transform X;      /* of the surface in the frame of its shapes */
} io_loaded_asset;

/* A shape of the spec, as the System has it. */
typedef struct io_ready_shape {
  bool there;  /* it becomes a shape of the System */
  bool paired; /* an explicit pair names it, so that its masks do not matter */
  bool seen;   /* it is none, and a sensor sees it: the geometry is there */
  cdn_shape shape;
  cdn_geometry geometry;
  cdn_transform X_BS;
} io_ready_shape;

/* The numbers of a material or a pair. */
typedef struct io_friction {
  double sliding, torsional, rolling;
  double ratio; /* of sliding along the second tangent over that along the first */
} io_friction;

/* Pieces of bodies that are welded together, for each of the tree's mobilizers. -1: Ground. */
typedef struct io_piece {
  int root;        /* the mobilizer that moves the piece */
  int parent;      /* the root of the piece that it moves in, frames without mass in between left out */
  int first, next; /* of a root: the first mobilizer of its piece; the next one of the same piece; -1: none */
} io_piece;

/* Of a joint. */
enum { IO_MOST_MOBILITIES = 6 };

/* A tendon of the spec in the System. */
typedef struct io_tendon {
  cdn_path path;
  double length; /* at the default coordinates; known where something asks for it (io_needs_lengths) */
  double rest;   /* where the springs of joints are slack; of a spring that is told no lengths */
} io_tendon;

typedef struct io_builder {
  cdn_model *model;
  cdn_spec *spec;
  io_log *log; /* the spec's */
  cdn_system *system;
  io_spec_names names;
  cdn_spec_tree tree;
  cdn_body *mobilizers; /* for each of the tree's: its body in the System */
  cdn_body *bodies;     /* for each of the spec's: its body in the System */
  cdn_body *joints;     /* for each of the spec's: the body that its mobilizer moves; { -1 }: it is cut */
  io_tendon *tendons;   /* for each of the spec's */
  cdn_force gravity;    /* { -1 }: none */
  /* With contact. */
  bool has_def;            /* the System was told how it treats contact before */
  bool parents_touch;      /* by that, or by the file */
  bool convex, rigid;      /* contact is soft, or rigid, by that or by the options */
  io_loaded_asset *loaded; /* one for each of the spec's assets; of the others nothing is set */
  io_ready_shape *ready;   /* one for each of the spec's shapes */
  io_names asset_names[CDN_ASSET_HFIELD + 1], shape_names;
  io_list lost_assets;
  char lost_reason[400];
  const char *lost_word;
  int lost_line;
  io_names spec_shapes;       /* the spec's names */
  io_piece *pieces;           /* one for each of the tree's mobilizers */
  int *mobilizer_of;          /* for each of the spec's bodies: the one that moves it */
  cdni_array excluded;        /* int, two by two: bodies of the System that an exclusion keeps apart */
  cdni_array excluded_shapes; /* int, two by two: the same of the spec's shapes */
  cdni_array pairs;           /* int, two by two: the spec's shapes of the System's pairs */
  cdni_array overlaps;        /* int, two by two: bodies of the spec that overlap from the beginning */
  /* IO_MOST_MOBILITIES for each of the spec's joints, then one for each tendon; NULL: no stops, no friction */
  double *inertia;
} io_builder;

static inline const cdn_spec_mobilizer *io_mobilizer(const io_builder *b, int i) {
  return &CDNI_AT(b->tree.mobilizers, cdn_spec_mobilizer, i);
}
static inline const cdn_spec_loop *io_tree_loop(const io_builder *b, int i) {
  return &CDNI_AT(b->tree.loops, cdn_spec_loop, i);
}

/* Building is sticky: the System has the message of a refusal. Mistakes of the spec itself are returned. */

/* build_check.c: errors and warnings about a spec, before anything is built. */
cdn_status io_check_spec(io_builder *b);
/* build_delays.c: what is read late, or only at times. */
typedef struct io_lag {
  const char *of, *name; /* "sensor", and its name */
  int line;
  double delay, period, phase;
  int samples;
  cdn_interpolation interpolation;
} io_lag;
static inline bool io_is_late(const io_lag *lag) { return lag->delay > 0 || lag->period > 0; }
cdn_status io_check_lag(const io_builder *b, const io_lag *lag);
/* A measure of that name; and a control of what the actuator's control was. */
cdn_measure io_add_late(io_builder *b, cdn_measure operand, const io_lag *lag, const char *name);
cdn_control io_add_late_control(io_builder *b, cdn_control control, const io_lag *lag);
/* build_tree.c: bodies and mobilizers. `trial`: of a System that is looked at and thrown away. */
void io_build_tree(io_builder *b, bool trial);
/* build_springs.c: of one joint. */
void io_add_spring_and_damper(io_builder *b, const struct cdn_spec_joint *joint, cdn_body body);
/* build_forces.c: gravity, springs, dampers, and stops and dry friction where inertia is set. */
cdn_status io_build_forces(io_builder *b);
/* The name of the force that takes off a part of a body's weight. */
void io_compensation_name(const cdn_spec_body *body, char *name, size_t size);
/* build_medium.c: the forces of the medium. */
cdn_status io_build_medium(io_builder *b);
/* build_geometry.c: the geometries of the shapes that take part; their files are read. */
cdn_status io_load_geometries(io_builder *b);
/* The kind of geometry that a shape of a spec is; a mesh is its hull. False: a program has put some other number there,
 * which io_check_spec refuses. */
bool io_geometry_kind(cdn_shape_type type, cdn_geometry_kind *kind);
/* find_file.c: the path of an asset's file as seen from where the program runs. A package that is not found is the
 * thread's last failure. */
cdn_status io_find_file(const io_log *log, const char *file, char *path, size_t size);
/* Reads the mesh (as its hull if `convex`) or the height field of an asset. What fails is the thread's last failure. */
cdn_status io_load_asset(const io_log *log, const cdn_spec_asset *asset, bool convex, io_loaded_asset *to);
/* The same mesh as parts of one look each, where its file has looks; or, without `by_looks`, as one part. Else *n is
 * 0. The caller
 * frees them by cdni_mesh_free_parts. */
cdn_status io_load_parts(const io_log *log, const cdn_spec_asset *asset, bool by_looks, mesh_part **parts, int *n);
/* Whether its file says that another axis than z is up: nothing is turned for that. */
bool io_says_up(const io_log *log, const cdn_spec_asset *asset);
/* fit.c: volume, centre and inertia of the solid within a surface, at density 1. */
cdn_status io_solid_of(const cdn_surface *surface, cdn_mass_properties *out);
/* The same as MuJoCo's inertia="legacy" has it: the tetrahedra from a point in the middle to all triangles are added
 * up as if none of
 * them lay outside. That is right for convex meshes, and too much for others. */
cdn_status io_legacy_solid_of(const cdn_surface *surface, cdn_mass_properties *out);
/* Area, centre and inertia of the surface itself, at density 1 kg/m^2. */
cdn_status io_shell_of(const cdn_surface *surface, cdn_mass_properties *out);
/* Principal axes of an inertia, of the largest moment first, with the directions that MuJoCo's rotations come to: they
 * are the axes of its frames of meshes and of bodies. */
cdn_rotation io_mujoco_axes(cdn_inertia I);
/* The size and the pose of a primitive that is fitted to a mesh. What fails is the thread's last failure. */
cdn_status io_fit_shape(const io_log *log, const cdn_spec_asset *asset, const cdn_spec_shape *shape, double size[3],
                        cdn_transform *X_BS);
/* The box around a mesh in MuJoCo's frame of it: half its sides, and where it is in the mesh's frame. What fails is the
 * thread's last failure. */
cdn_status io_mesh_box(const io_log *log, const cdn_spec_asset *asset, double half[3], cdn_transform *X);
bool io_shape_takes_part(const io_builder *b, int i);
void io_list_add(io_list *list, const char *name);
const char *io_list_rest(io_list *list); /* "" or ", and 3 more" */
/* build_shapes.c: what the shapes need before anything is built, and what is freed in the end; the shapes and who of
 * them touches whom. Nothing without contact. */
cdn_status io_prepare_shapes(io_builder *b);
cdn_status io_build_shapes(io_builder *b);
void io_free_shapes(io_builder *b);
/* build_pairs.c */
cdn_status io_build_pairs(io_builder *b);
/* Whether two of the spec's shapes touch, if no pair says so; masks are not looked at. */
bool io_shapes_may_touch(const io_builder *b, int first, int second);
/* build_touch.c: exclusions and pairs; bodies that overlap from the beginning. */
cdn_status io_build_touch(io_builder *b);
cdn_status io_find_overlaps(io_builder *b);
/* build_tendons.c. Every tendon of the spec, fixed or spatial, is a path of the System that has its name. All that
 * pulls along a tendon, or measures it, works on the path, and needs no joints or sites:
 *
 *   length, rate, moments   cdn_path_length, cdn_path_rate, cdn_path_moments (<cardan/paths.h>). Inside of the library,
 *                           with a State that is at Position: cdni_path_view, cdni_path_rate, cdni_path_add_moments
 *                           (paths/paths.h)
 *   a tension T             cdn_forces_add_path(forces, path, T) in a custom force; it pulls the ends together where
 *                           T > 0, so that the generalized forces are -T times the moments. Inside: cdni_path_pull
 *   its derivatives         cdn_force_derivatives_add_path(d, path, T, dT/dlength, dT/drate)
 *   what it depends on      the prerequisites cdn_path_ticket(system) for lengths, cdn_path_rate_ticket(system) for
 *                           rates; with them steps end where the path comes to lie on an obstacle or leaves it
 *
 * Paths are there from right behind the bodies on: forces, actuators and sensors are built after them. */
cdn_status io_build_paths(io_builder *b);
/* The path of the spec's tendon of that name; false: there is no such tendon. By index: b->tendons[i].path. */
bool io_find_tendon(const io_builder *b, const char *name, cdn_path *path);
/* Lengths at the default coordinates and at rest, from a System that is frozen; whether anything asks for them. */
bool io_needs_lengths(const io_builder *b);
cdn_status io_measure_tendons(io_builder *b);
/* Springs, dampers, limits, dry friction and inertia. */
cdn_status io_build_tendons(io_builder *b);
/* The joints of a tendon in the System, tendon->joints of them. */
cdn_status io_find_tendon_joints(io_builder *b, const cdn_spec_tendon *tendon, cdn_mobility *joint);
/* build_loops.c: constraints in the order of the spec, then those that close the loops cut by the tree. */
cdn_status io_build_loops(io_builder *b);
/* build_actuators.c: controls and the forces that read them, after bodies; the tables of the model. */
cdn_status io_build_actuators(io_builder *b);
/* Its def but for control and user: on what it acts, and the law. */
cdn_status io_find_drive(io_builder *b, const cdn_spec_actuator *from, cdn_drive_def *def);
/* build_sensors.c: measures, after bodies and forces; { -1 } for sensors that are not simulated. */
cdn_status io_build_sensors(io_builder *b);
/* Whether a sensor of distances may see a shape of the spec. */
bool io_is_sensed(const io_builder *b, int i);
/* build_armature.c: M and its inverse in a State of b->system, with the armature of the spec's tendons. */
cdn_status io_multiply_by_M(io_builder *b, cdn_state *state, const double *u, double *f);
cdn_status io_multiply_by_M_inv(io_builder *b, cdn_state *state, const double *f, double *udot);
/* build_inertia.c: what joints and actuators say in time constants and damping ratios, and what muscles leave open, as
 * numbers of the spec. Actuators whose numbers are asked for are added to b->system before it is frozen, each with a
 * force of its number in `forces`; { -1 }: the others. */
bool io_has_ratios(const io_builder *b);
cdn_status io_add_drives_of_ratios(io_builder *b, cdn_force *forces);
cdn_status io_resolve_ratios(io_builder *b, const cdn_force *forces);
/* build_lengths.c: the extremes of an actuator's length within the limits of joints. */
cdn_status io_find_length_range(io_builder *b, cdn_state *state, const cdn_spec_actuator *a, cdn_force force,
                                double range[2]);
/* build_limits.c: 1 / (M^-1)_ii for each mobility of the spec's joint `index`. unit (zeros), column: nu numbers. */
cdn_status io_joint_inertia(io_builder *b, cdn_state *state, int index, double *unit, double *column,
                            double inertia[IO_MOST_MOBILITIES]);
/* The inverse of the mean of the inverses. */
double io_mean_inertia(const double *inertia, int n);
/* The same for all joints that meet a stop or have dry friction; b->system must be frozen. */
bool io_meets_inertia(const io_builder *b, const struct cdn_spec_joint *joint);
bool io_tendon_meets_inertia(const cdn_spec_tendon *t);
cdn_status io_calc_inertia(io_builder *b, double *inertia);
/* The stop of a joint, and the dry friction of each of its mobilities. */
void io_add_stop(io_builder *b, const struct cdn_spec_joint *joint, cdn_body body, const double *inertia);
void io_add_friction(io_builder *b, const struct cdn_spec_joint *joint, cdn_body body, const double *inertia);
/* build_rigid.c: the same without giving way; the restitution that follows from a law; a warning of what gives way. */
bool io_limit_is_rigid(const io_builder *b, const struct cdn_spec_joint *joint);
void io_add_rigid_limit(io_builder *b, const struct cdn_spec_joint *joint, cdn_body body);
void io_add_rigid_friction(io_builder *b, const struct cdn_spec_joint *joint, cdn_body body);
void io_rigid_limit_name(const char *joint, bool upper, char *name, size_t size);
double io_restitution(const cdn_soft_law *law);
void io_tell_not_rigid(io_builder *b);
void io_add_tendon_stop(io_builder *b, const cdn_spec_tendon *tendon, cdn_path path, double inertia);
cdn_status io_add_tendon_friction(io_builder *b, const cdn_spec_tendon *tendon, double inertia);

#endif
