/* Cardan: shapes on bodies, and the contacts between them.
 *
 * A *shape* is a geometry (geometry.h) on a body, with a frame S, a material, and masks that say what it may touch. A
 * *contact* is what a State has where two shapes overlap: a point, a normal, a depth, and a force that the State alone
 * determines (compliant contact). Frames, sizes, materials and switches of shapes are Instance-stage variables.
 * docs/compliant_contact.md tells which law acts between which geometries.
 *
 * Two shapes never touch if their bodies are the same one or are welded together, if one body is the parent of the
 * other (unless cdn_contact_def.parent_child; Ground is no parent here), if their masks exclude it, if they are in one
 * group, if their bodies were excluded, or if the System's filter says so. A *pair* names two shapes that touch
 * whatever parents, masks, groups, exclusions and filter say.
 *
 * I want to
 *   put a shape on a body: cdn_default_shape_def, cdn_system_add_shape
 *   say what a surface is made of: cdn_default_contact_material, cdn_shape_set_material
 *   say what a surface is to soft contact, or two surfaces together: cdn_default_soft_material,
 *       cdn_shape_set_soft_material, cdn_default_soft_pair_material, cdn_contact_pair_set_soft_material
 *   choose how friction begins, and whether a body touches its parent: cdn_default_contact_def, cdn_system_set_contact
 *   know where forces of contact come from: cdn_system_contact_model
 *   let one pair touch rigidly, another softly (model): cdn_default_contact_pair_def, cdn_system_add_contact_pair
 *   keep two bodies from touching: cdn_system_exclude_contact
 *   decide by a function of my own which shapes may touch: cdn_system_set_contact_filter
 *   let two shapes touch whatever the rules say, with numbers of their own: cdn_default_contact_pair_def,
 *       cdn_contact_material_of_pair, cdn_system_add_contact_pair, cdn_contact_pair_set_material
 *   find a pair by name, ask for its name, its shapes, how many there are: cdn_system_find_contact_pair,
 *       cdn_contact_pair_name, cdn_contact_pair_shapes, cdn_system_contact_pair_count
 *   know whether two shapes may touch, and if not, why: cdn_shapes_may_touch, cdn_shapes_rule
 *   find a shape by name, ask for its name, its body, how many there are: cdn_system_find_shape, cdn_shape_name,
 *       cdn_shape_body, cdn_system_shape_count
 *   move, resize or switch off a shape in a State; get it and where it is: cdn_shape_set_frame, cdn_shape_set_size,
 *       cdn_shape_set_enabled, cdn_shape_get
 *   let a surface move over its body (a belt, a turntable): cdn_shape_set_surface_velocity
 *   know whether the memory of friction suffices: cdn_contact_memory
 *   let friction forget: cdn_contact_forget
 *   read the contacts of a State: cdn_contact_count, cdn_contact_get */
#ifndef CARDAN_CONTACT_H
#define CARDAN_CONTACT_H

#include <cardan/dynamics.h>
#include <cardan/geometry.h>
#include <cardan/soft.h>

CDN_BEGIN_DECLS

/* ---- shapes ------------------------------------------------------------------------------- */

/** Names a shape. */
typedef struct cdn_shape {
  int32_t i;
} cdn_shape;

/** What a surface is made of. The numbers of two surfaces that touch are combined (docs/materials.md):
 *    E^(2/3) = E_1^(2/3) E_2^(2/3) / (E_1^(2/3) + E_2^(2/3)), the depth is divided by s_1 = E_2^(2/3) / (E_1^(2/3) +
 *    E_2^(2/3)) and s_2 = 1 - s_1, the dissipation is c = s_1 c_1 + s_2 c_2, a coefficient of friction is 2 mu_1 mu_2 /
 *    (mu_1 + mu_2), torsional and rolling friction are the larger of the two. cdn_contact_def.combining has other
 *    rules. */
typedef struct cdn_contact_material {
  CDN_DEF_HEADER;
  double modulus;     /**< plane-strain modulus E* = E / (1 - nu^2), Pa, > 0. Default 1e7 */
  double dissipation; /**< c, s/m, >= 0: a slow impact at speed v has the restitution 1 - c v. Default 0.1 */
  double static_friction, dynamic_friction; /**< coefficients, >= 0; static >= dynamic. Defaults 0.8, 0.7 */
  double viscous_friction;                  /**< s/m, >= 0: added to the coefficient for each m/s of slip. Default 0 */
  /** Of the elastic layer in the laws of springs and of pressure fields, m, >= 0: their stiffness by depth and area is
   *  the modulus over the thickness. Default 0: for springs a tenth of the radius of the ball about the mesh, for
   *  pressure fields the depth of the deepest point of the smaller solid. */
  double thickness;
  double torsional_friction; /**< m, >= 0: times the normal force, the largest moment against spin. Default 0 */
  double rolling_friction;   /**< m, >= 0: times the normal force, the largest moment against rolling. Default 0 */
  /** CDN_COMBINE_MUJOCO: whose numbers count; any number. Default 0. Not read in the material of a pair, and neither is
   *  the next. */
  double priority;
  /** 1: no friction; 3: sliding friction; 4: torsional, too; 6: rolling, too. Default 6 */
  double condim;
  /** Rigid contact: e of impacts, 0 to 1; of two surfaces the larger one. Default 0 */
  double restitution;
  /** Rigid contact, in the material of a pair alone, > 0: the coefficients of friction along the second tangent over
   *  those along the first, which are those above. The bound is an ellipse, and the force that which takes most power.
   *  The first tangent is y of Ground made perpendicular to the normal, or z where the normal is within 60 degrees of
   *  y; of a capsule on a half-space it is the axis of the capsule. Default 1 */
  double friction_ratio;
} cdn_contact_material;
CDN_DEF(contact_material);

/** A surface in soft contact (CDN_CONTACT_SOFT), with MuJoCo's names. Two surfaces that touch have the numbers of the
 *  one with the higher priority. Where priorities are equal: solref (if both have a time constant) and solimp are the
 *  means weighted by solmix, solref of negative numbers is the lesser number of each kind, friction and condim are the
 *  larger ones. Margin and gap are always the larger ones. docs/soft_contact.md */
typedef struct cdn_soft_material {
  CDN_DEF_HEADER;
  cdn_soft_law law;   /**< solref and solimp */
  double friction[3]; /**< >= 0: sliding (1), torsional (m), rolling (m); below 1e-5 counts as that. Default 1, 0.005,
                           0.0001 */
  /** Rows of a contact: 1 without friction, 3 sliding, 4 and spin, 6 and rolling. Default 3 */
  int32_t condim;
  int32_t priority; /**< default 0 */
  double solmix;    /**< >= 0: the weight in means. Default 1 */
  /** m, >= 0: points are found at distances below the margin. They have rows where the distance is below margin - gap;
   *  at that distance a row has no violation. Default 0, 0 */
  double margin, gap;
} cdn_soft_material;
CDN_DEF(soft_material);

typedef struct cdn_shape_def {
  CDN_DEF_HEADER;
  const char *name;                     /**< copied; NULL: "shape0", "shape1", ... */
  cdn_body body;                        /**< default Ground */
  cdn_geometry geometry;                /**< must be set; a surface is retained */
  cdn_transform X_BS;                   /**< frame of the geometry on the body. Default: identity */
  const cdn_contact_material *material; /**< NULL: the default material */
  /** A pair may touch if a bit of one's type is in the other's affinity, either way round. Defaults 1, 1. */
  uint32_t type, affinity;
  int32_t group; /**< shapes of one group, >= 1, do not touch each other. 0: in no group. Default 0 */
  /** Motion of the surface over its body, in the shape's frame S: the material at p_S moves at surface_velocity +
   *  surface_spin x p_S. A belt has a velocity, a turntable or a roller a spin. m/s and rad/s. Defaults 0 */
  cdn_vec3 surface_velocity, surface_spin;
  const cdn_soft_material *soft; /**< read if contact is soft. NULL: the default soft material */
} cdn_shape_def;
CDN_DEF(shape_def);

/** Adds a shape. Sticky (system.h). A pair of shapes that may touch and that the library has no law for is refused at
 *  freezing, by name. */
CDN_API cdn_shape cdn_system_add_shape(cdn_system *system, const cdn_shape_def *def);

/** The law of friction (docs/friction.md). */
typedef enum cdn_friction {
  CDN_FRICTION_SLIP_SPEED, /**< the slip speed: no memory, and nothing truly sticks */
  CDN_FRICTION_STICKING    /**< an elastic displacement that each contact remembers: z of the State */
} cdn_friction;

/** Where forces of contact come from. */
typedef enum cdn_contact_model {
  CDN_CONTACT_OF_SYSTEM = -1, /**< of a pair: as cdn_contact_def.model says */
  CDN_CONTACT_COMPLIANT, /**< the laws of docs/compliant_contact.md: each force is a function of pose and velocity */
  /** soft contact, rows beside the constraints (docs/soft_contact.md): materials are cdn_soft_material; laws and
   *  cdn_contact_material are not read */
  CDN_CONTACT_SOFT,
  /** rigid contact (docs/hybrid.md): surfaces never overlap. Of cdn_contact_material, friction and restitution are
   *  read; laws are not. Events of a run switch contacts on and off */
  CDN_CONTACT_RIGID
} cdn_contact_model;

/** Numbers of a pair for soft contact, in place of the combined numbers of its shapes. */
typedef struct cdn_soft_pair_material {
  CDN_DEF_HEADER;
  cdn_soft_law law;   /**< default zeros: ref, or imp, as the shapes have it */
  double friction[5]; /**< two sliding ones, torsional, two rolling ones; >= 0. Default -1: as the shapes have it */
  int32_t condim;     /**< default -1: as the shapes have it */
  double margin, gap; /**< m, >= 0. Default -1: as the shapes have it */
} cdn_soft_pair_material;
CDN_DEF(soft_pair_material);

/** By which rule the numbers of two surfaces become those of their contact (docs/contact.md, Combining). A pair that
 *  you have named has its numbers in place of what the rule gives. */
typedef enum cdn_combining {
  /** Compliant contact: CDN_COMBINE_HARMONIC. Soft contact: CDN_COMBINE_MUJOCO. */
  CDN_COMBINE_USUAL,
  /** Priorities are not read. Surfaces give way in series (cdn_contact_material). Sliding friction
   *  is 2 mu_1 mu_2 / (mu_1 + mu_2), torsional and rolling friction the larger of the two, each where the condim of its
   *  own material has it. Soft contact: friction the same, the least condim, laws as CDN_COMBINE_MUJOCO. */
  CDN_COMBINE_HARMONIC,
  /** The numbers of the larger priority: friction, condim, and modulus, dissipation and thickness (soft contact: solref
   *  and solimp). Of equal ones: the larger of each coefficient, the larger condim; surfaces give way in series (soft
   *  contact: means of solref and solimp, weighted by solmix). */
  CDN_COMBINE_MUJOCO,
  CDN_COMBINE_OWN /**< combine, or combine_soft, of the def */
} cdn_combining;
/** A rule of your own, for compliant contact. *combined comes as cdn_contact_material_of_pair(): numbers that you set
 *  are those of the contact, -1: as CDN_COMBINE_HARMONIC. Called in each evaluation for each pair that is near; it must
 *  give the same numbers for the same materials, and several threads may call it at once. Numbers that a material may
 *  not have are not taken. priority and condim are not read. */
typedef void cdn_combine_fn(const void *self, const cdn_contact_material *a, const cdn_contact_material *b,
                            cdn_contact_material *combined);
/** The same for soft contact. *combined comes as cdn_default_soft_pair_material(): what it leaves is as
 *  CDN_COMBINE_MUJOCO. Its margin and gap are not read: those of the shapes, or of a pair that you have named, hold. */
typedef void cdn_combine_soft_fn(const void *self, const cdn_soft_material *a, const cdn_soft_material *b,
                                 cdn_soft_pair_material *combined);

/** How a System treats contact; one for a System. */
typedef struct cdn_contact_def {
  CDN_DEF_HEADER;
  bool parent_child; /**< bodies may touch their parents. Default false */
  /** Pairs without a law (soft contact: without a distance) pass through each other. Default false: freezing refuses
   *  them by name. */
  bool pass_without_law;
  double transition_velocity; /**< slip at which friction is fully developed, m/s, > 0. Default 0.01 */
  cdn_friction friction;      /**< default CDN_FRICTION_SLIP_SPEED */
  /** Most contacts whose friction sticks at once; a pair with a pressure field or springs counts as one. Each has four
   *  z, or seven if the default material of a shape or of a pair has rolling friction.
   *  Contacts beyond have the friction of the slip speed (cdn_contact_memory tells). Default 0: four for each shape on
   *  a body that moves, but not more than there can be. */
  int memory_slots;
  double friction_damping; /**< damping ratio of what sticks, > 0 (docs/friction.md). Default 0.5 */
  cdn_contact_model model; /**< of all pairs that have none of their own. Default CDN_CONTACT_COMPLIANT */
  /** Bits of cdn_law_part (contact_law.h). If shapes may touch by a law that lacks one of these parts, freezing refuses
   *  them by name. Default 0: a law needs its force only. */
  unsigned needs;
  cdn_combining combining; /**< default CDN_COMBINE_USUAL */
  /** For CDN_COMBINE_OWN: that of the model must be given. Defaults NULL */
  cdn_combine_fn *combine;
  cdn_combine_soft_fn *combine_soft;
  const void *combine_self; /**< given to both; must live as long as the System. Default NULL */
  /** Rigid contact: most points that touch at once; a run that needs more ends with CDN_ERR_STEP. Default 0: from 4
   *  (balls) to 12, or the corners of its largest face (a hull; at most 64, as a mesh), for each shape on a body that
   *  moves; at most 1024. */
  int rigid_slots;
} cdn_contact_def;
CDN_DEF(contact_def);
/** Sets it; without this call the defaults hold. Sticky. */
CDN_API void cdn_system_set_contact(cdn_system *system, const cdn_contact_def *def);
/** The System's model of contact: as it was set, else CDN_CONTACT_COMPLIANT. Pairs may have others. */
CDN_API cdn_contact_model cdn_system_contact_model(const cdn_system *system);
/** Keeps all shapes of two bodies from touching each other. Sticky. */
CDN_API void cdn_system_exclude_contact(cdn_system *system, cdn_body a, cdn_body b);

/** Whether shapes a and b (a.i < b.i) may touch. The answer for two shapes must never change, and several threads may
 *  ask at once. The filter is called for pairs that all other rules allow: once for each pair at freezing, and in each
 *  evaluation for pairs that are near each other. */
typedef bool cdn_contact_filter_fn(const void *self, const cdn_system *system, cdn_shape a, cdn_shape b);
/** Gives the System a filter in place of an earlier one; NULL: none. `self` is a copy of self_size bytes, or the
 *  pointer itself if self_size is 0. Sticky. */
CDN_API void cdn_system_set_contact_filter(cdn_system *system, cdn_contact_filter_fn *filter, const void *self,
                                           size_t self_size);

/* ---- pairs --------------------------------------------------------------------------------
 *
 * A pair touches even if a rule keeps its shapes apart (parent and child, masks, groups, exclusions, the filter). Only
 * one rule holds for pairs, too: shapes on one body, or on bodies that are welded together, never touch. Numbers of a
 * pair's material take the place of the combined ones. */

/** Names a pair. */
typedef struct cdn_contact_pair {
  int32_t i;
} cdn_contact_pair;

typedef struct cdn_contact_pair_def {
  CDN_DEF_HEADER;
  const char *name; /**< copied; NULL: "pair0", "pair1", ... */
  cdn_shape a, b;   /**< must be set: two shapes, in any order */
  /** NULL: what the materials of the shapes combine to. Else numbers that take their place: `modulus` the combined
   *  modulus of the law, the others likewise; -1: as the materials combine. Start with cdn_contact_material_of_pair.
   *  Where only one of the two coefficients of friction is given, the static one is at least the dynamic one. */
  const cdn_contact_material *material;
  const cdn_soft_pair_material *soft; /**< read if contact is soft. NULL: as the shapes have it */
  /** Where the forces of this pair come from, whatever those of others do. Default CDN_CONTACT_OF_SYSTEM */
  cdn_contact_model model;
} cdn_contact_pair_def;
CDN_DEF(contact_pair_def);
/** A material all of whose numbers are -1. */
CDN_DEF_PAIR(contact_material, cdn_contact_material_of_pair, cdn_contact_material_of_pair_init);

/** Adds a pair. Building mistakes: an unknown shape, a shape with itself, a second pair of the same shapes or of the
 *  same name. Sticky. */
CDN_API cdn_contact_pair cdn_system_add_contact_pair(cdn_system *system, const cdn_contact_pair_def *def);
CDN_API int cdn_system_contact_pair_count(const cdn_system *system);
/** The pair of this name; { -1 } if there is none. O(1). */
CDN_API cdn_contact_pair cdn_system_find_contact_pair(const cdn_system *system, const char *name);
CDN_API const char *cdn_contact_pair_name(const cdn_system *system, cdn_contact_pair pair); /**< NULL: a wrong id */
/** The shapes of a pair, a.i < b.i. CDN_ERR_ARG: no such pair. O(1). */
CDN_API cdn_status cdn_contact_pair_shapes(const cdn_system *system, cdn_contact_pair pair, cdn_shape *a,
                                           cdn_shape *b) CDN_NODISCARD;
/** Sets a pair's numbers in a State; -1: as the materials combine. Errors as below. Invalidates Instance. */
CDN_API cdn_status cdn_contact_pair_set_material(cdn_state *state, cdn_contact_pair pair,
                                                 const cdn_contact_material *material) CDN_NODISCARD;

/** Sets a pair's soft numbers in a State. Errors as below, and CDN_ERR_ARG if the System's contact is compliant.
 *  Invalidates Instance. */
CDN_API cdn_status cdn_contact_pair_set_soft_material(cdn_state *state, cdn_contact_pair pair,
                                                      const cdn_soft_pair_material *material) CDN_NODISCARD;

/* ---- asking a System ---------------------------------------------------------------------- */

/** The number of shapes: their ids are 0 to this, without it. */
CDN_API int cdn_system_shape_count(const cdn_system *system);
/** The shape of this name; { -1 } if there is none. O(1). */
CDN_API cdn_shape cdn_system_find_shape(const cdn_system *system, const char *name);
CDN_API const char *cdn_shape_name(const cdn_system *system, cdn_shape shape); /**< NULL for a wrong id */
CDN_API cdn_body cdn_shape_body(const cdn_system *system, cdn_shape shape);    /**< { -1 } for a wrong id */
/** Whether two shapes of a frozen System may touch, by bodies, parents, masks, groups, exclusions, the filter, and
 *  pairs. Laws, and switches of a State, do not count. O(log(exclusions) + log(pairs)). */
CDN_API bool cdn_shapes_may_touch(const cdn_system *system, cdn_shape a, cdn_shape b);
/** The rule that keeps two shapes apart: the first one of this list that applies. */
typedef enum cdn_contact_rule {
  CDN_RULE_NONE,      /**< they may touch */
  CDN_RULE_ONE_PIECE, /**< on one body, or on bodies that are welded together */
  CDN_RULE_MASKS,     /**< type and affinity */
  CDN_RULE_GROUP,     /**< in one group */
  CDN_RULE_PARENT,    /**< one body is the other's parent */
  CDN_RULE_EXCLUDED,  /**< an exclusion of the program's, of a model file's, or of the file's beside a robot (SRDF) */
  CDN_RULE_OVERLAP,   /**< the bodies overlap in the first pose of a model that is loaded (URDF) */
  CDN_RULE_FILTER,    /**< the System's filter */
  CDN_RULE_COUNT
} cdn_contact_rule;
/** The rule that keeps two shapes of a frozen System apart; CDN_RULE_NONE also for an unknown shape. Cost as
 *  cdn_shapes_may_touch. */
CDN_API cdn_contact_rule cdn_shapes_rule(const cdn_system *system, cdn_shape a, cdn_shape b);

/* In a State. Errors: CDN_ERR_ARG (no such shape, a number that the adder would refuse), CDN_ERR_NONFINITE; nothing has
 * changed then. Setters invalidate Instance. */

/** Sets what a shape is made of. */
CDN_API cdn_status cdn_shape_set_material(cdn_state *state, cdn_shape shape,
                                          const cdn_contact_material *material) CDN_NODISCARD;
/** CDN_ERR_ARG also if the System's contact is compliant. */
CDN_API cdn_status cdn_shape_set_soft_material(cdn_state *state, cdn_shape shape,
                                               const cdn_soft_material *material) CDN_NODISCARD;
CDN_API cdn_status cdn_shape_set_frame(cdn_state *state, cdn_shape shape, cdn_transform X_BS) CDN_NODISCARD;
CDN_API cdn_status cdn_shape_set_size(cdn_state *state, cdn_shape shape, const double size[3]) CDN_NODISCARD;
CDN_API cdn_status cdn_shape_set_enabled(cdn_state *state, cdn_shape shape, bool enabled) CDN_NODISCARD;
/** Sets how the surface moves over its body, in the shape's frame S (cdn_shape_def.surface_velocity, surface_spin). */
CDN_API cdn_status cdn_shape_set_surface_velocity(cdn_state *state, cdn_shape shape, cdn_vec3 velocity,
                                                  cdn_vec3 spin) CDN_NODISCARD;
/** The geometry with the State's sizes, and its pose X_GS. Realizes Position. */
CDN_API cdn_status cdn_shape_get(cdn_state *state, cdn_shape shape, cdn_geometry *geometry,
                                 cdn_transform *X_GS) CDN_NODISCARD;

/* ---- contacts ----------------------------------------------------------------------------- */

/** One contact: geometry, force and motion. Vectors are in Ground. Later releases append members. In soft contact,
 *  contacts are the points that have rows, and forces are those of the rows; power is that of all these forces, and the
 *  stored energy is 0. */
typedef struct cdn_contact {
  cdn_shape a, b;      /**< a.i < b.i */
  int32_t feature;     /**< which of several contacts of the pair: the same from step to step */
  cdn_vec3 point;      /**< where the force acts, m */
  cdn_vec3 normal;     /**< from a to b */
  double depth;        /**< overlap of the undeformed shapes along the normal, m, > 0 */
  double rate;         /**< of the depth, m/s: positive while the shapes approach */
  double slip[2];      /**< components of the velocity of b's surface relative to a's in the plane of the contact,
                            m/s: along... */
  cdn_vec3 tangent[2]; /**< ... these unit vectors; with `normal` as the third they are right-handed */
  double force;        /**< normal force on b, N, >= 0; a feels the opposite */
  cdn_vec3 friction;   /**< on b, N */
  /** Stored energy, J (NaN: a law of yours does not tell it), and power of all forces that are not elastic, W. The
   *  energy of two pressure fields is divided among their contacts in proportion to force times depth. */
  double elastic, power;
  double radius[2];      /**< half axes of Hertz's patch, m, or 0 */
  cdn_vec3 moment;       /**< moment on b against spin and rolling, N m; a feels the opposite */
  int32_t slot;          /**< of the memory of friction; -1: this contact has none */
  int32_t sticks;        /**< 1: it has a slot, and its surfaces do not slide over each other; else 0 */
  cdn_vec3 displacement; /**< elastic displacement of b's surface relative to a's (friction with memory), m, or zeros */
  /** Contacts of ellipsoids: the elastic force on b in the plane of the contact, N, and its moment about the point, N
   *  m; a feels the opposite. They arise because the stiffness varies over an ellipsoid. Else zeros. */
  cdn_vec3 side_force, side_moment;
  /** Coefficients of friction along the two tangents: the bound of friction over the normal force (compliant contact:
   *  the static one) */
  double coefficient[2];
  int64_t pyramid; /**< 1: friction is bounded by the pyramid with these edges; 0: by the ellipse through them */
  int64_t model;   /**< a cdn_contact_model: where its force comes from */
} cdn_contact;

/** Quantities of the contacts between two sides (cdn_system_add_contact_measure, measures.h). */
typedef enum cdn_contact_quantity {
  CDN_CONTACT_COUNT,        /**< how many contacts there are */
  CDN_CONTACT_DEPTH,        /**< the largest depth, m; 0 without a contact */
  CDN_CONTACT_ENERGY,       /**< stored energy, J; contacts whose energy nobody computes add 0 */
  CDN_CONTACT_NORMAL_FORCE, /**< sum of the normal forces, N: numbers, whatever their directions */
  CDN_CONTACT_FORCE,        /**< force on side a, N: three numbers in Ground */
  CDN_CONTACT_FRICTION,     /**< the part of it that is friction, N: three numbers in Ground */
  CDN_CONTACT_POWER,        /**< power of all that is not elastic, W: negative where it dissipates */
  CDN_CONTACT_SLIP,         /**< the largest slip speed, m/s; 0 without a contact */
  CDN_CONTACT_STICKING,     /**< how many contacts stick (friction that has a memory) */
  /** the least signed distance of shapes that may touch and are switched on, m; DBL_MAX without such shapes */
  CDN_CONTACT_GAP
} cdn_contact_quantity;

/** How many contacts the State has. Realizes Velocity. CDN_ERR_ARG: no such contact. CDN_ERR_LIMIT: more than
 *  1,048,576 pairs of shapes are near each other. O(1) once they are computed; no
 *  allocation after the first few evaluations. Contacts are in ascending order of (a, b, feature). */
CDN_API cdn_status cdn_contact_count(cdn_state *state, int *n) CDN_NODISCARD;
/** The memory of friction (CDN_FRICTION_STICKING): the number of slots, the number in use in this State, and the number
 *  of contacts that found no slot, so that their friction follows from the slip speed. A pair with a pressure field or
 *  springs counts as one. Each pointer may be NULL. Zeros without memory. Realizes Position. */
CDN_API cdn_status cdn_contact_memory(cdn_state *state, int *slots, int *used, int *without) CDN_NODISCARD;
/** Frees all slots of the memory of friction: contacts of this State begin without displacement. For a State that was
 *  put into another pose; no z changes. Errors: CDN_ERR_ARG (no State; while something of it is being computed). */
CDN_API cdn_status cdn_contact_forget(cdn_state *state) CDN_NODISCARD;
/** Writes contact i, 0 ... n - 1. Realizes Velocity; with soft contact Acceleration. Errors likewise. */
CDN_SIZED(cdn_contact_get, (cdn_state *state, int i, cdn_contact *out), (state, i, out), out);

CDN_END_DECLS
#endif
