/* Types and functions that the files of the room share. Private to the room. */
#ifndef CARDAN_CONTACT_INTERNAL_H
#define CARDAN_CONTACT_INTERNAL_H

#include <math.h>

#include <cardan/contact_law.h>
#include <cardan/regions.h>

#include "contact/contact.h"
#include "contact/lookup.h"
#include "geometry/geometry.h"
#include "geometry/kind.h"
#include "laws/laws.h"
#include "matter/matter.h"
#include "system/elements.h"
#include "system/triggers.h"

typedef struct shape {
  char *name;
  int32_t body;
  cdn_geometry geometry; /* with the default sizes */
  uint32_t type, affinity;
  int32_t group;
} shape;

/* The numbers of a material in a State, and of a frame: R by columns, then p. */
enum {
  MATERIAL_MODULUS,
  MATERIAL_DISSIPATION,
  MATERIAL_STATIC,
  MATERIAL_DYNAMIC,
  MATERIAL_VISCOUS,
  MATERIAL_THICKNESS,
  MATERIAL_TORSIONAL,
  MATERIAL_ROLLING,
  MATERIAL_LARGER,
  MATERIAL_PRIORITY,
  MATERIAL_CONDIM,
  MATERIAL_NUMBERS
};
/* Behind them, where materials are about to be combined: modulus^(2/3). */
enum { MATERIAL_ROOT = MATERIAL_NUMBERS, MATERIAL_PREPARED };
enum { FRAME_NUMBERS = 12, BELT_NUMBERS = 6 };
/* Those of a soft material, and of a pair's, which begins alike. */
enum {
  SOFT_REF,
  SOFT_IMP = SOFT_REF + 2,
  SOFT_FRICTION = SOFT_IMP + 5,
  SOFT_CONDIM = SOFT_FRICTION + 3,
  SOFT_PRIORITY,
  SOFT_SOLMIX,
  SOFT_MARGIN,
  SOFT_GAP,
  SOFT_NUMBERS
};
enum {
  SOFT_PAIR_FRICTION = SOFT_FRICTION,
  SOFT_PAIR_CONDIM = SOFT_PAIR_FRICTION + 5,
  SOFT_PAIR_MARGIN,
  SOFT_PAIR_GAP,
  SOFT_PAIR_NUMBERS
};

/* Two bodies, or two shapes, that never touch, and the rule that says so. */
typedef struct kept_apart {
  int32_t a, b; /* a < b */
  cdn_contact_rule rule;
} kept_apart;

/* A pair that the user has named. */
typedef struct named_pair {
  char *name;
  int32_t a, b; /* a < b */
} named_pair;

/* Pairs in ascending order of their shapes. */
typedef struct pair_entry {
  int32_t a, b, i;
} pair_entry;

struct contact_room {
  cdni_array shapes;                            /* shape */
  cdni_array frames0, sizes0, materials0, ones; /* double: FRAME_NUMBERS, 3, MATERIAL_NUMBERS, 1 a shape */
  cdni_array soft0, soft_pairs0;                /* double: SOFT_NUMBERS a shape, SOFT_PAIR_NUMBERS a pair */
  cdni_array belts0;                            /* double: BELT_NUMBERS a shape, velocity and spin of its surface */
  cdni_array excluded, excluded_shapes;         /* kept_apart; in ascending order once the System is frozen */
  cdni_array pairs, pair_numbers0;              /* named_pair; double: MATERIAL_NUMBERS a pair, < 0: none */
  lookup shape_names, pair_names, pair_shapes;
  cdni_array laws; /* own_law */
  cdn_contact_def def;
  bool has_def;
  cdn_contact_filter_fn *filter;
  void *filter_self;
  size_t filter_size; /* 0: the pointer is the user's */
  /* Known once the System is frozen. */
  const cdn_system *system;
  const matter *matter;
  int32_t *group, *parent; /* a body's group of welded bodies, named after the first of them; the group's parent; */
  int n_bodies;
  cdni_array pair_order; /* pair_entry */
  /* Which law acts between two kinds, or NULL; of convex contact one without functions. */
  const struct contact_law *law[CDN_GEOMETRY_KIND_COUNT][CDN_GEOMETRY_KIND_COUNT];
  cdn_dvar frames, sizes, materials, enabled, belts, transition, pair_numbers;
  cdn_dvar soft, soft_pairs;  /* convex contact only */
  cdn_cache places;           /* shape_place, one a shape */
  cdn_cache poses;            /* shape_pose, one a shape; then their boxes */
  cdn_computed_region points; /* contact_point; convex contact only */
  cdn_computed_region touches, energies, enclosed, forces;
  /* Of the touches, their energies, and all forces; reserved with the first shape. */
  cdn_ticket touches_ticket, energies_ticket, values_ticket;
  cdn_computed_region vicinity; /* has no elements; while it is valid, the lists may be */
  cdn_computed_region neighbours;
  cdn_region kept; /* step.c: touches of the start of a step */
  /* The memory of friction; 0: there is none. */
  int slots, slot_numbers;
  cdn_zvar displacements;
  cdn_autovar owners;
  cdn_computed_region patches, patch_forces;
};

/* A shape on its body, by parameters alone: its geometry, its frame seen from the body's frame M, the ball about it. */
typedef struct shape_place {
  cdn_geometry geometry;
  m3 R_MS;
  v3 p_MS;
  v3 center_M;
  double radius; /* INFINITY: a half-space */
  double material[MATERIAL_PREPARED];
} shape_place;

/* A shape in Ground. */
typedef struct shape_pose {
  cdn_transform X_GS;
  cdn_vec3 center; /* of the ball */
} shape_pose;

/* What a contact is by the pose alone. The force on b along the normal is the pressure of its law by depth and rate,
 * and never pulls. */
typedef struct touch {
  int32_t a, b, feature;
  int16_t law;     /* of its pressure (pressure_at) */
  int16_t in_pair; /* 1: the energy is that of the pair of shapes, which is computed when somebody asks */
  cdn_vec3 point, normal, tangent;  /* the first of two tangents */
  double depth, elastic;            /* elastic: the pressure at the rate 0 */
  double numbers[CDN_LAW_NUMBERS];  /* of its law */
  double energy;                    /* NaN: nobody computes it, and the force counts as one without a potential */
  cdn_vec3 side_force, side_moment; /* on b, elastic as well: stiffness that varies (varying.c) */
  double friction[3];               /* static, dynamic, viscous; of convex contact along two tangents */
  double torsional, rolling;        /* m */
  double modulus;                   /* of both, combined */
  double spread;                    /* root mean square of the distances of its pressure from the point, m */
  double radius[2];
  /* A pressure field on a polygon (in_pair), for bed.c: its stiffness, N/m; the middle of its area, along the tangent
   * and across, from the point; the root of twice the second moments of the area over the area: xx, xy, yy, m. */
  double stiffness, middle[2], half[3];
} touch;

/* Contacts of a State are compared by their bytes, so there must be none between members. */
_Static_assert(sizeof(touch) == 4 * sizeof(int32_t) + 38 * sizeof(double), "a touch has no unused bytes");

/* What it is by pose and velocity. */
typedef struct touch_force {
  double rate, slip[2];
  double normal;          /* force along the normal, >= 0 */
  cdn_vec3 friction;      /* force on b in the plane */
  cdn_vec3 moment;        /* on b, against spin and rolling */
  cdn_vec3 turn, carried; /* as in relative_motion */
  double power;           /* of all that is not elastic, into the bodies */
} touch_force;

/* ---- shapes.c, filter.c ---- */

const shape *cdni_shape_at(const contact_room *room, cdn_shape s);
/* What freezing finds out about who may touch whom. */
cdn_status cdni_contact_find_groups(cdn_system *system, contact_room *room);
bool cdni_contact_accepts(const contact_room *room, int a, int b);
/* For the broad phase: of shapes that are switched on. `enabled`: one number a shape. */
typedef struct shapes_on {
  const contact_room *room;
  const double *enabled;
} shapes_on;
bool cdni_contact_take_part(const void *context, int i, int j);
/* The same without the user's filter, which may refuse them. */
bool cdni_contact_may_accept(const contact_room *room, int a, int b);

/* ---- pairs.c ---- */

cdn_status cdni_contact_order_pairs(cdn_system *system, contact_room *room);
const named_pair *cdni_pair_at(const contact_room *room, cdn_contact_pair pair);
/* The number of the pair that the user has named of two shapes, or -1. */
int cdni_contact_pair_of(const contact_room *room, int a, int b);
/* The numbers of that pair in a State, or NULL; `numbers`: the State's, of all pairs. */
const double *cdni_contact_pair_numbers(const contact_room *room, const double *numbers, int a, int b);
/* Sets the numbers of pair i in a State, if they are right. */
cdn_status cdni_contact_set_pair_numbers(cdn_state *state, const char *function, int i,
                                         const double numbers[MATERIAL_NUMBERS]);
void cdni_contact_free_pairs(cdn_system *system, contact_room *room);

/* ---- materials.c ---- */

const char *cdni_contact_read_material(cdn_contact_material *to, const cdn_contact_material *from);
const char *cdni_contact_read_material_of_pair(cdn_contact_material *to, const cdn_contact_material *from);
/* Whether a material may have rolling friction, by itself or with another one of any condim. */
bool cdni_contact_rolls(const contact_room *room, const double x[MATERIAL_NUMBERS], bool of_pair);
/* What is wrong with a material, or NULL. `of_pair`: -1 stands for no number. */
const char *cdni_contact_check_numbers(const double x[MATERIAL_NUMBERS], bool of_pair);
void cdni_contact_material_numbers(const cdn_contact_material *m, double out[MATERIAL_NUMBERS]);

/* ---- soft.c: materials of convex contact ---- */

const char *cdni_soft_read_material(cdn_soft_material *to, const cdn_soft_material *from);
const char *cdni_soft_read_pair_material(cdn_soft_pair_material *to, const cdn_soft_pair_material *from);
void cdni_soft_numbers(const cdn_soft_material *m, double out[SOFT_NUMBERS]);
void cdni_soft_pair_numbers(const cdn_soft_pair_material *m, double out[SOFT_PAIR_NUMBERS]);
/* What is wrong with the numbers, or NULL. */
const char *cdni_soft_check(const double x[SOFT_NUMBERS]);
const char *cdni_soft_check_pair(const double x[SOFT_PAIR_NUMBERS]);
/* The numbers of two shapes together; `pair` has those of a pair of the user's, or is NULL. */
soft_contact cdni_soft_combine(const contact_room *room, const double *a, const double *b, const double *pair);
/* The distance below which points are found. */
double cdni_soft_margin(const double *a, const double *b, const double *pair);

/* ---- points.c, point_pairs.c ---- */

cdn_region_fn cdni_contact_find_points; /* one contact_point each */
/* Touches without forces, for reports: the points that have rows. */
cdn_status cdni_contact_touch_points(const contact_room *room, cdn_state *state, cdn_region_output *out);
/* The points of two shapes nearer than the margin, and what tells them apart; the normal is from 0 to 1. */
void cdni_contact_pair_points(const cdn_geometry *const g[2], const cdn_transform *const X[2], double margin,
                              cdn_manifold *out);
/* What the first tangent of a point is made of, and which of the two shapes it turns with; -1: neither. */
cdn_vec3 cdni_contact_tangent_axis(const cdn_geometry *const g[2], const cdn_transform *const X[2], cdn_vec3 normal,
                                   int *turning);

/* ---- laws ---- */

/* Materials of two surfaces combined. */
typedef struct combined_material {
  double modulus, share_a, dissipation, friction[3], torsional, rolling;
  bool dissipation_is_told; /* by a rule or a pair */
} combined_material;
/* By the rule of the System, with numbers of the pair that the user has named in their place. */
typedef struct touch_pair touch_pair;
combined_material cdni_combine_materials(const touch_pair *pair);
void cdni_prepare_material(const double *numbers, double prepared[MATERIAL_PREPARED]);
cdn_contact_material cdni_contact_material_of(const double numbers[MATERIAL_NUMBERS]);
/* Of two elastic layers in series, E = E_a E_b / (E_a + E_b): their moduli and thicknesses (0: as the law has it). */
void cdni_beds_in_series(const touch_pair *pair, double E[2], double thickness[2]);
/* What friction of a touch needs of the materials. */
void cdni_touch_friction(touch *t, const combined_material *m);
/* hertz.c: f = stiffness depth^(3/2) of two smooth surfaces with the relative principal curvatures k[0] >= k[1] > 0 and
 * the combined modulus; `radius` are the half axes of the patch over the root of the depth. */
double cdni_hertz_stiffness(const double k[2], double modulus, double radius[2]);
/* motion.c: how the bodies of a touch move there, and their surfaces: b relative to a. */
typedef struct relative_motion {
  cdn_vec3 u, w;       /* of the bodies at the point: velocity, angular velocity */
  cdn_vec3 slip, turn; /* of their surfaces: velocity in the plane, angular velocity */
  cdn_vec3 carried;    /* angular velocity with which what lies between the surfaces turns: that of the larger shape */
  double share;        /* the part of a's angular velocity in it */
} relative_motion;
typedef struct motion_view {
  const contact_room *room;
  const shape_place *places;
  const shape_pose *poses;
  const body_pose *pose;
  const body_twist *twist;
  const double *belts;
} motion_view;
cdn_status cdni_motion_view(const contact_room *room, cdn_state *state, motion_view *out);
relative_motion cdni_relative_motion(const motion_view *v, const touch *t);
/* Radius of the ball about the smaller shape. */
double cdni_contact_size(const motion_view *v, int a, int b);
/* Velocity of the point p (Ground) of a body. */
cdn_vec3 cdni_contact_velocity(const body_pose *pose, const body_twist *twist, int body, cdn_vec3 p);

/* friction.c: friction that follows from the slip speed, on b. */
cdn_vec3 cdni_friction_by_slip(const touch *t, const relative_motion *m, double normal, double transition);
/* Moments against spin and rolling, on b. `size`, m, makes a speed of an angular velocity. */
cdn_vec3 cdni_friction_against_spin(const touch *t, const relative_motion *m, double normal, double transition,
                                    double size);
cdn_vec3 cdni_friction_against_rolling(const touch *t, const relative_motion *m, double normal, double transition,
                                       double size);

/* bristle.c: x: displacement and turn times lever0, m; v: their motion. Computes the force on the surface that moves at
 * v and its moment over lever0, and xdot. Returns whether nothing slides. */
/* Of a slot: displacement and turn about the normal; rolling, if some material has rolling friction. */
enum { SLOT_NUMBERS = 4, SLOT_MOST_NUMBERS = 7 };
#define SLOT_UNIT 1e-6 /* m */
typedef struct bristle {
  double stiffness, time, strength; /* N/m, s, N */
  double lever, lever0;             /* m; lever 0: no moment */
  cdn_vec3 normal;                  /* zero: there is none */
} bristle;
bool cdni_bristle(const bristle *b, const double x[4], const double v[4], double f[4], double xdot[4]);
/* How that changes with small changes of x, v and the bristle's strength, levers and normal, and with those of its
 * stiffness and time as parts of themselves. */
typedef struct bristle_change {
  double x[4], v[4], strength, lever, lever0, stiffness, time;
  cdn_vec3 normal;
} bristle_change;
void cdni_bristle_derivative(const bristle *b, const double x[4], const double v[4], const bristle_change *d,
                             double df[4], double dxdot[4]);

/* memory.c: which slots the patches of a State have. */
typedef struct patch {
  int32_t first, count; /* touches */
  int32_t slot;         /* -1: none */
} patch;
void cdni_contact_declare_memory(contact_room *room, cdn_declarer *d);
cdn_status cdni_contact_patches(const contact_room *room, cdn_state *state, const patch **patches, int *n);
void cdni_contact_displacement(const contact_room *room, cdn_state *state, int slot, double x[SLOT_MOST_NUMBERS]);
/* Marks the touches whose friction comes from their patch; false everywhere without memory. */
cdn_status cdni_contact_mark_patches(const contact_room *room, cdn_state *state, int n, bool *of_patch);

/* sticking.c: friction of patches that have a slot. */
typedef struct patch_force {
  double normal;          /* sum of the normal forces */
  cdn_vec3 force, moment; /* of friction and torsion, on b */
  cdn_vec3 displacement;
  double rate[SLOT_MOST_NUMBERS]; /* of the displacements */
  bool sticks;
} patch_force;
/* What bears on a patch, and how its surfaces move. */
typedef struct patch_load {
  double N;
  cdn_vec3 normal; /* mean, weighted by the forces; a unit vector, or zero if there is none */
  cdn_vec3 center;
  double spread; /* mean square of the distances from the centre */
  cdn_vec3 V, turn, carried;
} patch_load;
patch_load cdni_patch_load(const touch *touches, const touch_force *forces, int n);
/* The bristles of a patch: against sliding and spin, with a fixed lever; against rolling. */
typedef struct patch_bristles {
  bristle sliding, rolling;
  double spread_lever; /* the part of the sliding lever that grows as the root of the depth */
  double roll_lever;   /* m */
  double stamp_lever;  /* the part of both fixed levers that grows with the patch */
} patch_bristles;
patch_bristles cdni_patch_bristles(const motion_view *v, const touch *t, const patch_load *l, double transition);
/* The same of a patch that is one touch. */
patch_bristles cdni_contact_bristles(const motion_view *v, const touch *t, const touch_force *f, double transition);
cdn_region_fn cdni_contact_calc_patch_forces;
/* The displacements that a patch with a slot keeps where its bodies stand still. */
void cdni_contact_relax_patch(const motion_view *v, cdn_state *state, const patch *p, const touch *touches,
                              const touch_force *forces, double transition, double to[SLOT_MOST_NUMBERS]);
cdn_status cdni_contact_calc_zdot(const void *self, cdn_state *state, double *zdot);

/* Two shapes, and the law that acts between them; NULL: none. */
typedef struct contact_law contact_law;
struct touch_pair {
  const contact_law *law;
  const cdn_geometry *g[2];
  const cdn_transform *X[2];
  int32_t shape[2];
  const double *material[2], *numbers; /* of the shapes, prepared; of the pair, or NULL */
  const contact_room *room;
};

/* Two shapes of a State; pair_numbers: as the State has them. */
static inline touch_pair touch_pair_of(const contact_room *room, const shape_place *places, const shape_pose *poses,
                                       const double *pair_numbers, int i, int j) {
  return (touch_pair){ .law = room->law[places[i].geometry.kind][places[j].geometry.kind],
                       .g = { &places[i].geometry, &places[j].geometry },
                       .X = { &poses[i].X_GS, &poses[j].X_GS },
                       .shape = { i, j },
                       .material = { places[i].material, places[j].material },
                       .numbers = cdni_contact_pair_numbers(room, pair_numbers, i, j),
                       .room = room };
}

/* What a law does. A column that is NULL or 0 is what it lacks, or does not need. */
struct contact_law {
  const char *name;
  /* Adds a touch, or several, for a pair that overlaps. */
  cdn_status (*find)(const touch_pair *pair, cdn_state *state, cdn_region_output *out);
  /* The touch with that feature (-1: the deepest one) once more, at another pose: derivatives are differences of it,
   * unless they are exact. False: there is none. */
  bool (*touch)(const touch_pair *pair, int feature, touch *out);
  bool exact;
  int16_t pressure; /* law of the pressure of its touches */
  double damping;   /* their d, over the dissipation of the materials */
  int features;     /* contacts of a pair that come and go one by one */
  /* As cdni_pair_distance, where the distance of the shapes is not that of what the law acts between. */
  bool (*near)(const cdn_geometry *const g[2], const cdn_transform *const X[2], cdn_proximity *near);
  double (*reach)(const cdn_geometry *a,
                  const cdn_geometry *b); /* how much nearer they are for it than their distance */
  /* The elastic force if b were moved along the normal of `near` until it is `depth` deep; NaN: unknown. */
  double (*force)(const touch_pair *pair, double depth, const cdn_proximity *near);
  double (*energy)(const touch_pair *pair); /* of all touches of a pair, which then have none of their own; */
  bool (*acts)(const touch_pair *pair);     /* of such a pair: whether anything is pressed */
};

void cdni_contact_choose_laws(contact_room *room);
/* laws.c: the law of the library, or NULL. */
const contact_law *cdni_library_law(cdn_geometry_kind a, cdn_geometry_kind b);
/* Whether it acts between these two: kinds do not tell whether a custom geometry has a support function. */
bool cdni_library_law_acts(const cdn_geometry *a, const cdn_geometry *b);

/* The pose of b, moved along the normal until it is `depth` deep. */
static inline cdn_transform pose_at_depth(const touch_pair *pair, double depth, const cdn_proximity *near) {
  cdn_transform X = *pair->X[1];
  X.p = cdn_sub(X.p, cdn_scale(depth + near->distance, near->normal));
  return X;
}

/* A law of the user's. */
typedef struct own_law {
  contact_law law;
  char *name;
  cdn_geometry_kind a, b;
  cdn_law_fn *find;
  pressure_law pressure;
  void *self;
  size_t self_size; /* 0: the pointer is the user's */
} own_law;
/* The law of the pressure of a touch. */
static inline const pressure_law *pressure_at(const contact_room *room, int law) {
  return law < LAW_COUNT ? &cdni_pressure_laws[law] : &CDNI_AT(room->laws, own_law, law - LAW_COUNT).pressure;
}
static inline double normal_force(const contact_room *room, const touch *t, double rate) {
  return law_force(pressure_at(room, t->law), t->numbers, t->depth, rate);
}
/* foundation.c, pressure.c: laws of several touches. */
cdn_status cdni_find_springs(const touch_pair *pair, cdn_state *state, cdn_region_output *out);
cdn_status cdni_find_polygons(const touch_pair *pair, cdn_state *state, cdn_region_output *out);
/* springs.c. Where the spring of a triangle is, on the mesh. */
cdn_vec3 cdni_spring_place(const cdn_vec3 vertices[3]);
/* Visits all triangles of g[mesh] whose springs are nearer to the other shape than `margin`, and others. */
void cdni_springs_within(const cdn_geometry *const g[2], const cdn_transform *const X[2], int mesh, double margin,
                         cdni_triangle_visitor *visit, void *context);
/* As cdni_pair_distance, of the springs of meshes from the other solid. */
bool cdni_springs_near(const cdn_geometry *const g[2], const cdn_transform *const X[2], cdn_proximity *near);
/* As cdni_contact_near, of what the law acts between: its distance is zero where the force sets in. */
bool cdni_law_near(const contact_room *room, const cdn_geometry *const g[2], const cdn_transform *const X[2],
                   cdn_proximity *near, double *share);
/* varying.c: the force and moment by which the stiffness of an ellipsoid's contact varies, of a touch that has the
 * rest. */
void cdni_varying_stiffness(const touch_pair *pair, const cdn_proximity *near, touch *t);
/* pressure.c: the force of the pressure fields of a pair; where one of the two would be in the other altogether, which
 * has no force, as they are half as deep as they may be. */
double cdni_pressure_force(const touch_pair *pair, double depth, const cdn_proximity *near);
/* foundation.c: that of springs. */
double cdni_foundation_force(const touch_pair *pair, double depth, const cdn_proximity *near);
/* How much nearer than their distance two shapes are for the law that acts between them. */
double cdni_law_reach(const contact_room *room, const cdn_geometry *a, const cdn_geometry *b);
/* pressure.c */
double cdni_pressure_reach(const cdn_geometry *a, const cdn_geometry *b);
/* Whether some pressure acts between the two. */
bool cdni_pressure_acts(const touch_pair *pair);
/* pressure_energy.c: of all polygons of a pair. */
double cdni_pressure_energy(const touch_pair *pair);
/* own_laws.c: the user's law between two kinds, or NULL, which acts in place of the library's. */
const own_law *cdni_contact_own_law(const contact_room *room, cdn_geometry_kind a, cdn_geometry_kind b);
void cdni_contact_free_laws(cdn_system *system, contact_room *room);
/* law_parts.c: bits of cdn_law_part of the law between two kinds. */
unsigned cdni_law_parts(const contact_room *room, cdn_geometry_kind a, cdn_geometry_kind b);
/* What lacks of the `wanted` parts, in words. */
void cdni_law_lacks(unsigned parts, unsigned wanted, char *text, size_t size);
/* near.c: as cdni_pair_distance, but smooth between capsules. A force acts along the normal with the part `share` of
 * what the distance says. */
bool cdni_contact_near(const cdn_geometry *const g[2], const cdn_transform *const X[2], double reach,
                       cdn_proximity *near, double *share);
/* The place of two capsules' axes to each other that their law is about: on_a + length normal is on b's. */
typedef struct rods_place {
  cdn_vec3 on_a, normal;
  double s, t;             /* along the axes, from their middles */
  bool s_varies, t_varies; /* they are not at an end */
  double length, D;
} rods_place;
rods_place cdni_contact_rods(const cdn_geometry *const g[2], const cdn_transform *const X[2]);
/* How it changes while the two capsules turn about their middles, and these shift. */
typedef struct rods_rate {
  cdn_vec3 on_a, normal;
  double length, D;
} rods_rate;
void cdni_contact_rods_rate(const rods_place *r, const cdn_transform *const X[2], const cdn_vec3 turn[2],
                            const cdn_vec3 shift[2], rods_rate *out);
/* Puts a sphere, end i of it, in the place of the capsule of a pair. */
void cdni_capsule_end(const cdn_geometry *g[2], const cdn_transform *X[2], int i, cdn_geometry *end,
                      cdn_transform *X_end);

/* ---- bed.c: the springs of a pressure field on a polygon ---- */

/* The moments: of the area about its middle, over the area, in the axes of `middle`: xx, xy, yy. */
void cdni_bed_set(touch *t, const double middle[2], const double moments[3]);
/* Each has a quarter of the stiffness. At the touch's point they have no moment. */
typedef struct bed_spring {
  cdn_vec3 arm; /* from the point */
  double force; /* elastic */
} bed_spring;
void cdni_bed_springs(const touch *t, bed_spring springs[4]);
/* The force along the normal, with its dissipation; *moment on b at the point. */
double cdni_bed_damped(const touch *t, const relative_motion *m, cdn_vec3 *moment);

/* ---- detect.c: compute functions of the entries ---- */

cdn_status cdni_contact_calc_places(const void *self, cdn_state *state, void *out);
cdn_status cdni_contact_calc_poses(const void *self, cdn_state *state, void *out);
cdn_region_fn cdni_contact_find_touches;
/* Two shapes that do not touch, of which one is within the other. */
typedef struct enclosed_pair {
  int32_t a, b;
  double energy;
} enclosed_pair;
cdn_region_fn cdni_contact_calc_enclosed;
cdn_region_fn cdni_contact_calc_energies; /* one double a touch; NaN: nobody computes it */
cdn_region_fn cdni_contact_calc_forces;   /* forces.c: one touch_force a touch */

/* neighbours.c: pairs i < j in ascending order, all of which may touch. Each pair of `boxes`, one a shape, that overlap
 * is among them, and so are others. If the list is renewed, it is one for the boxes `wide`, which contain these.
 * `present`: the boxes of the State. Calls with a longer `reach` have larger boxes. */
cdn_status cdni_contact_neighbours(const contact_room *room, cdn_state *state, const cdni_box *present,
                                   const cdni_box *boxes, const cdni_box *wide, double reach, const int32_t **pairs,
                                   int *n_pairs);
cdn_region_fn cdni_contact_forget_neighbours;
static inline bool boxes_overlap(const cdni_box *a, const cdni_box *b) {
  return (a->least[0] <= b->most[0]) & (b->least[0] <= a->most[0]) & (a->least[1] <= b->most[1]) &
         (b->least[1] <= a->most[1]) & (a->least[2] <= b->most[2]) & (b->least[2] <= a->most[2]);
}

/* quiet.c: *id > 0: nothing can touch while the shapes go on as they move now, from `reach` before the State on until
 * `reach` behind it, and between two States with the same id; `turn`: the time for which their turns count. 0: somebody
 * has to look. */
struct quiet_list;
cdn_status cdni_contact_is_quiet(const contact_room *room, cdn_state *state, double reach, double turn, int64_t *id);
/* Finds out for how long it is quiet behind a State; 0: not for so long, or nobody has looked. */
cdn_status cdni_contact_make_quiet(const contact_room *room, cdn_state *state, double reach, double turn, int64_t *id);
/* Its bytes among those of the neighbours. */
size_t cdni_contact_quiet_size(int n);
void cdni_contact_quiet_forget(void *bytes);
struct quiet_list *cdni_contact_quiet_list(const contact_room *room, cdn_state *state);

/* derivatives.c: of the two forces of all contacts, if the shapes of the System are such that they are known. */
bool cdni_contact_has_derivatives(const contact_room *room);
cdn_status cdni_contact_elastic_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d);
cdn_status cdni_contact_rest_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d);
/* derivatives_sticking.c: of what has memory. */
cdn_status cdni_contact_sticking_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d);
cdn_status cdni_contact_zdot_derivative(const void *self, cdn_state *state, cdn_zdot_derivatives *d);

/* kinks.c: touching and letting go of each contact that is near. */
extern const cdni_near_kinks cdni_contact_kinks;
/* The key of the touching of a pair: of its feature that is nearest to it. */
cdn_status cdni_contact_touching_kink(const void *self, cdn_state *state, int a, int b, int64_t *key);

/* sweep.c: what shapes do between two States. */
extern const cdni_sweeper cdni_contact_sweeper;
/* How far a body's origin may be from the axes that it, or a body inboard of it, turns about; the largest of their
 * angular speeds. */
double cdni_contact_lever(const contact_room *room, const body_pose *pose, int body);
double cdni_contact_turn(const contact_room *room, const body_twist *twist, int body);
/* How far a point with that lever leaves the cubic through two of its places, after such a turn between them. */
double cdni_contact_bulge(double turn, double lever);

/* forces.c */
void cdni_contact_declare_forces(contact_room *room, cdn_declarer *d);
/* The part of a patch's friction that a touch bears. */
void cdni_patch_share(const patch_force *p, const touch *t, const touch_force *f, cdn_vec3 *force, cdn_vec3 *moment);

/* elements.c */
extern const cdni_elements cdni_contact_elements[];

/* subsystem.c */
extern const cdn_subsystem_ops cdni_contact_ops;
static inline const contact_room *contact_of(const void *self) { return *(const contact_room *const *)self; }

/* The first of two tangents where nothing tells which: some unit vector across the unit vector n (Duff et al., Building
 * an Orthonormal Basis, Revisited, 2017). */
static inline cdn_vec3 contact_tangent(cdn_vec3 n) {
  const double sign = copysign(1, n.z), a = -1 / (sign + n.z);
  return cdn_v3(1 + sign * n.x * n.x * a, sign * n.x * n.y * a, -sign * n.x);
}

/* `sizes`: the State's, of all shapes. */
static inline cdn_geometry shape_geometry(const contact_room *room, const double *sizes, int i) {
  cdn_geometry g = CDNI_AT(room->shapes, shape, i).geometry;
  memcpy(g.size, sizes + 3 * i, sizeof g.size);
  return g;
}
/* The boxes of the shapes, behind their poses. */
static inline const cdni_box *shape_boxes(const contact_room *room, const shape_pose *poses) {
  return (const cdni_box *)(poses + room->shapes.count);
}
static inline int shape_body(const contact_room *room, int i) { return CDNI_AT(room->shapes, shape, i).body; }

#endif
