/* Cardan: hybrid mechanics: constraints that act on one side, dry friction, and impact (manual 8.6). docs/hybrid.md
 * introduces them.
 *
 * The elements here switch constraints (constraints.h) on and off. A *one-sided* constraint holds its equation only
 * while it has to push: contact, stop, rope, strut, ratchet. *Friction* holds speeds at zero as long as a bounded force
 * can: it sticks, or it slips with the force at its bound. Which of them act is the *status* of the State. Between the
 * moments at which statuses change, a run is a smooth problem with ordinary constraints; every method keeps its order.
 * Statuses change at events of a run: touch and lift-off, slip and stick. All that happens at one moment is solved
 * together: first the impact, if bodies meet, then the accelerations.
 *
 * Elements are sticky adders (system.h) and return an id. Their numbers are parameters (elements.h): Instance-stage
 * variables.
 *
 * I want to
 *   make a constraint act on one side: contact, stop, rope: cdn_system_make_one_sided, cdn_default_one_sided_def
 *   — ask about one: cdn_system_one_sided_count, cdn_one_sided_name, cdn_system_find_one_sided, cdn_one_sided_is_on,
 *       cdn_one_sided_push, cdn_one_sided_gap, cdn_one_sided_is_free, cdn_one_sided_text
 *   add dry friction that sticks: cdn_system_add_dry_friction, cdn_default_dry_friction_def
 *   — ask about it: cdn_system_dry_friction_count, cdn_dry_friction_name, cdn_system_find_dry_friction,
 *       cdn_dry_friction_get_status, cdn_dry_friction_force, cdn_dry_friction_is_free, cdn_dry_friction_text
 *   let a motor keep a rope's tension or a joint's reaction at a value: cdn_system_keep_reaction,
 *       cdn_default_kept_reaction_def
 *   — ask about it: cdn_system_kept_reaction_count, cdn_kept_reaction_name, cdn_system_find_kept_reaction,
 *       cdn_kept_reaction_acts, cdn_kept_reaction_force
 *   let a sphere or a point meet a plane, with friction: cdn_system_add_rigid_contact, cdn_default_rigid_contact_def
 *   say how impacts of a System are solved, by a law of my own, too: cdn_system_set_impact, cdn_default_impact_def
 *   bring the statuses of a State up to date, impacts included: cdn_settle
 *   count impacts and the energy that they took: cdn_hybrid_get_totals
 *   — tell what the last moment did to an element, impulses included: cdn_one_sided_get_change,
 *       cdn_dry_friction_get_change */
#ifndef CARDAN_HYBRID_H
#define CARDAN_HYBRID_H

#include <cardan/constraints.h>
#include <cardan/functions.h>

CDN_BEGIN_DECLS

/** A one-sided constraint. The struct never changes. */
typedef struct cdn_one_sided {
  int32_t i;
} cdn_one_sided;

/** Dry friction. The struct never changes. */
typedef struct cdn_dry_friction {
  int32_t i;
} cdn_dry_friction;

/** A reaction that is kept. The struct never changes. */
typedef struct cdn_kept_reaction {
  int32_t i;
} cdn_kept_reaction;

/** Makes an ordinary constraint act on one side. It has one equation, at position level (a gap) or at velocity level (a
 *  ratchet), and belongs to one element alone. The element switches it from then on. */
typedef struct cdn_one_sided_def {
  CDN_DEF_HEADER;
  const char *name;          /**< copied; NULL: the constraint's name */
  cdn_constraint constraint; /**< with np + nv = 1, na = 0 */
  /** false: the constraint's error must not be negative (a gap, a lower stop, a strut); true: it must not be positive
   *  (a rope, an upper stop). */
  bool upper;
  double restitution; /**< e of impacts, 0 to 1. Default 0 */
  /** Speed of approach below which an impact has no restitution, m/s or rad/s, >= 0. 0, the default: the accuracy of
   *  the run in these units; bounces of a steady ratio end at their limit (docs/hybrid.md). */
  double capture_speed;
  /** Of one argument, the speed of approach (m/s or rad/s), 0 to 1: restitution is multiplied by it. The def takes a
   *  reference. Default NULL: e does not depend on speed */
  const cdn_function *restitution_by_speed;
  /** Where contacts push like springs (cdn_impact_def): a ratio, > 0. Default 1 */
  double stiffness;
} cdn_one_sided_def;
CDN_DEF(one_sided_def);
CDN_API cdn_one_sided cdn_system_make_one_sided(cdn_system *system, const cdn_one_sided_def *def);

/** Coulomb's friction on the one to three equations of a constraint at velocity level, such as the slip of a
 *  contact, the speed of a joint, or the angular velocity of a ball joint. The constraint belongs to one element
 *  alone, which switches it. While it sticks, the multipliers are the friction force, of at most mu_static N; then
 *  it slips, and its force is (mu_dynamic + viscous v) N against the slip of speed v. N is the sum of what is given
 *  here: `load`, the push of a one-sided constraint (which several frictions may name), the norm of the multipliers
 *  of a constraint that is always on, the norm of the force, and of the moment over a length, that a mobilizer
 *  transmits (8.76). */
typedef struct cdn_dry_friction_def {
  CDN_DEF_HEADER;
  const char *name;        /**< copied; NULL: the constraint's name */
  cdn_constraint slip;     /**< np = na = 0, nv = 1 to 3; its errors are what slips, m/s or rad/s */
  cdn_one_sided normal;    /**< default { -1 }: none */
  cdn_constraint reaction; /**< default { -1 }: none */
  double load;             /**< N or N m, >= 0. Default 0 */
  double mu_static;        /**< >= 0. -1, the default: as mu_dynamic */
  double mu_dynamic;       /**< >= 0 */
  double viscous;          /**< s/m, >= 0: mu grows with the speed of slip. Default 0 */
  /** A body whose mobilizer's reaction presses: the force that it transmits (cdn_calc_reaction_forces), and with
   *  `moment_length` its moment. Where the slip is that of angles, such as a pin's or a ball joint's, mu is Coulomb's
   *  coefficient times the radius of the bearing, in m. Default { -1 }: none */
  cdn_body mobilizer;
  /** In the mobilizer's frame M: only the part of that force at a right angle to this axis presses, as in a guide that
   *  slides along it. Of any length. Default 0: the whole force, as in a pin */
  cdn_vec3 axis;
  /** Of several equations: mu along the second over that along the first, > 0. The bound is an ellipse, and the force
   *  that which takes most power. Viscous friction goes by the slip times the ratio along the second. Default 1 */
  double mu_ratio;
  /** What the mobilizer transmits as a bearing, its moment about the axes that it does not turn about, presses like the
   *  couple of two forces at this distance, m, >= 0: N is the norm of the force and of the moment over this length.
   *  Default 0: the moment does not press */
  double moment_length;
} cdn_dry_friction_def;
CDN_DEF(dry_friction_def);
CDN_API cdn_dry_friction cdn_system_add_dry_friction(cdn_system *system, const cdn_dry_friction_def *def);

typedef enum cdn_keep {
  CDN_KEEP_EXACTLY,  /**< the reaction has the value */
  CDN_KEEP_AT_LEAST, /**< the force acts where the reaction would be less, and not otherwise */
  CDN_KEEP_AT_MOST   /**< where it would be more */
} cdn_keep;

/** A condition on a reaction (manual 8.7): a force along the equation of a constraint at velocity level, such as the
 *  speed of a winch, is whatever it has to be so that a reaction has a value. The reaction is one multiplier of a
 *  constraint (cdn_state_multipliers), or the part along an axis of the force that a mobilizer transmits. Where the
 *  constraint is off, such as a slack rope, nothing acts. In an impact a reaction that is kept has no impulse. At least
 *  and at most change at events of a run, "NAME acts" and "NAME rests". cdn_find_equilibrium refuses such an element by
 *  name. Accelerations fail, by name, where the force does not change the reaction. */
typedef struct cdn_kept_reaction_def {
  CDN_DEF_HEADER;
  const char *name;          /**< copied; NULL: the name of the constraint `push` */
  cdn_constraint push;       /**< np = na = 0, nv = 1; belongs to this element alone, and never holds */
  cdn_constraint constraint; /**< whose multiplier is kept; default { -1 }: none */
  int32_t equation;          /**< which of its multipliers, from 0. Default 0 */
  cdn_body mobilizer; /**< of this body: whose force is kept; default { -1 }: none. One of the two must be given */
  cdn_vec3 axis;      /**< of the mobilizer's frame M: the part of the force along it. Of any length but 0 */
  double value;       /**< N or N m. Default 0 */
  cdn_keep keep;      /**< default CDN_KEEP_EXACTLY */
} cdn_kept_reaction_def;
CDN_DEF(kept_reaction_def);
CDN_API cdn_kept_reaction cdn_system_keep_reaction(cdn_system *system, const cdn_kept_reaction_def *def);

/** A sphere of b, or a point (radius 0), that may touch the plane z = 0 of frame P of a from z > 0. */
typedef struct cdn_rigid_contact_def {
  CDN_DEF_HEADER;
  const char *name; /**< copied; NULL: made of the bodies' names. The constraints are NAME and "NAME slip" */
  cdn_body a;
  cdn_transform X_AP; /**< default: the identity */
  cdn_body b;
  cdn_vec3 p_B;                             /**< centre, m */
  double radius;                            /**< m, >= 0 */
  double restitution, capture_speed;        /**< as cdn_one_sided_def */
  double mu_static, mu_dynamic, viscous;    /**< as cdn_dry_friction_def. mu_static and mu_dynamic 0: no friction */
  const cdn_function *restitution_by_speed; /**< as cdn_one_sided_def */
  double stiffness;                         /**< as cdn_one_sided_def */
  /** Along y of P over that along x, as cdn_dry_friction_def. Default 1 */
  double mu_ratio;
  /** Friction against spin about z of P, "NAME spin", and against turning about x and y, "NAME rolling": these lengths
   *  times the push are the largest moments. m, >= 0; default 0: none */
  double torsional_friction, rolling_friction;
} cdn_rigid_contact_def;
CDN_DEF(rigid_contact_def);

/** What such a contact consists of. The struct never changes. */
typedef struct cdn_rigid_contact {
  cdn_one_sided normal;      /**< holds the gap */
  cdn_dry_friction friction; /**< { -1 }: none */
} cdn_rigid_contact;
CDN_API cdn_rigid_contact cdn_system_add_rigid_contact(cdn_system *system, const cdn_rigid_contact_def *def);

/** How impulses return what compression has stored. */
typedef enum cdn_impact_law {
  CDN_IMPACT_POISSON, /**< the push of expansion is at least e times that of compression */
  CDN_IMPACT_NEWTON,  /**< the speed of separation is at least e times that of approach */
  /** The work of the push in expansion is e^2 times that in compression. Friction is followed within the impact: it
   *  sticks, slips, and turns back as the push grows. Several contacts push like springs (CDN_IMPACT_COMPLIANT). */
  CDN_IMPACT_STRONGE
} cdn_impact_law;

/** Which contacts of a moment push at the same time. */
typedef enum cdn_impact_propagation {
  CDN_IMPACT_TOGETHER, /**< all of them: the answer does not depend on their order */
  /** One after another, each alone, in the order in which they were added, round after round, until nothing
   *  approaches. Should 1000 rounds not end it, or what is left be slower than 1e-10 of the first speeds, the rest
   *  ends without restitution, all contacts together. */
  CDN_IMPACT_PAIRWISE,
  /** As very stiff springs on each contact would push: the limit of stiffness without bound, in which nothing moves.
   *  Only ratios of stiffness matter (`stiffness` of the elements). The springs return e^2 of the work, whatever `law`
   *  is; below 1e-4 e counts as 0. */
  CDN_IMPACT_COMPLIANT
} cdn_impact_propagation;

/** One contact of an impact, or friction that no contact presses. The struct never changes. */
typedef struct cdn_impact_contact {
  cdn_one_sided normal;          /**< { -1 }: none */
  cdn_dry_friction friction;     /**< { -1 }: none */
  int32_t normal_row;            /**< -1: none */
  int32_t tangent_row, tangents; /**< the first row of its friction, and the number of its rows: 0 to 3 */
  double restitution;            /**< e at its speed of approach; 0 below its capture speed */
  double mu;                     /**< its friction is at most mu times the pushes that count for it */
} cdn_impact_contact;

/** What a law of your own is told of an impact. Impulses P (N s, N m s) change the speeds of the rows (m/s, rad/s) from
 *  `speeds` to speeds + response P. The speed of a normal is negative where the contact approaches. */
typedef struct cdn_impact_set {
  double time;                        /**< s */
  int32_t n, rows;                    /**< numbers of contacts and of rows */
  const cdn_impact_contact *contacts; /**< n */
  const double *speeds;               /**< rows */
  const double *response;             /**< rows x rows, row-major, symmetric */
} cdn_impact_set;

/** A law of your own. `self` is the System's copy of the private part. Several threads may call `solve` at once, on
 *  different States. */
typedef struct cdn_impact_ops {
  uint32_t struct_size;
  const char *name; /**< appears in messages; copied; NULL: "custom" */
  size_t self_size; /**< bytes of the private part */
  /** Writes the impulses of all rows, which are zero on entry. They must be finite. Normals push (>= 0), friction stays
   *  within its bound, nothing approaches afterwards, and no energy is gained: by more than 1e-9 of the speeds and
   *  impulses, and 1e-10 of the energy, these are failures that name the law and the contact. A status other than
   *  CDN_OK is returned to the caller. Required. */
  cdn_status (*solve)(const void *self, const cdn_impact_set *set, double *impulses);
  void (*destroy)(void *self); /**< called once with the System's copy, when the System goes; may be NULL */
} cdn_impact_ops;

/** How the impacts of a System are solved. An impact never adds energy: where a law would, all e of the moment are
 *  lowered until it does not, and the totals count it. */
typedef struct cdn_impact_def {
  CDN_DEF_HEADER;
  cdn_impact_law law;                 /**< default CDN_IMPACT_POISSON */
  cdn_impact_propagation propagation; /**< default CDN_IMPACT_TOGETHER */
  /** Of springs: their force grows with this power of the depth, 1 to 10. Default 1; 1.5 for balls (Hertz) */
  double exponent;
  const cdn_impact_ops *ops; /**< a law of your own, instead of `law`; copied. Not with CDN_IMPACT_COMPLIANT */
  const void *self;          /**< copied; may be NULL if ops->self_size is 0 */
} cdn_impact_def;
CDN_DEF(impact_def);
CDN_API void cdn_system_set_impact(cdn_system *system, const cdn_impact_def *def);

/* ---- questions ---- */

/** The number of elements: their ids are 0 to this, without it. Names live as long as the System. */
CDN_API int cdn_system_one_sided_count(const cdn_system *system);
CDN_API const char *cdn_one_sided_name(const cdn_system *system, cdn_one_sided element); /**< NULL: wrong id */
/** The element of this name, or { -1 }. O(number of elements). */
CDN_API cdn_one_sided cdn_system_find_one_sided(const cdn_system *system, const char *name);
/** Whether it is on: its constraint holds, and pushes. */
CDN_API bool cdn_one_sided_is_on(const cdn_state *state, cdn_one_sided element);
/** Its push, >= 0 (N or N m); 0 if it is off. Stage: Acceleration. CDN_ERR_ARG for a wrong id. */
CDN_API cdn_status cdn_one_sided_push(cdn_state *state, cdn_one_sided element, double *push) CDN_NODISCARD;
/** Rigid contact of shapes (CDN_CONTACT_RIGID) has a pool of elements, which hold contacts as they come and go. Whether
 *  one of the pool holds none at present. */
CDN_API bool cdn_one_sided_is_free(const cdn_state *state, cdn_one_sided element);
/** How messages and tables call it, cut to `size` bytes: its name, or the shapes whose contact it holds. */
CDN_API void cdn_one_sided_text(const cdn_state *state, cdn_one_sided element, char *text, size_t size);
/** Its gap, on or off, m or rad: >= 0 while the element keeps its side; of a ratchet its speed. Stage: Position, of a
 *  ratchet Velocity. CDN_ERR_ARG for a wrong id. */
CDN_API cdn_status cdn_one_sided_gap(cdn_state *state, cdn_one_sided element, double *gap) CDN_NODISCARD;

/** The number of elements, their names, and the element of a name, as above. */
CDN_API int cdn_system_dry_friction_count(const cdn_system *system);
CDN_API const char *cdn_dry_friction_name(const cdn_system *system, cdn_dry_friction element); /**< NULL: wrong id */
/** The element of this name, or { -1 }. O(number of elements). */
CDN_API cdn_dry_friction cdn_system_find_dry_friction(const cdn_system *system, const char *name);

typedef enum cdn_friction_status {
  CDN_FRICTION_OFF,   /**< nothing presses: its contact is open */
  CDN_FRICTION_STICK, /**< its constraint holds */
  CDN_FRICTION_SLIP   /**< its force is at the bound, against the slip, or against the slip that is about to begin */
} cdn_friction_status;
/** What a friction does at present; off for a wrong id. */
CDN_API cdn_friction_status cdn_dry_friction_get_status(const cdn_state *state, cdn_dry_friction element);
/** Its force along its equations, on what they count as positive (N or N m): 2 numbers, of which the second is 0 where
 *  there is one equation, or 3 where there are three. Stage: Acceleration. CDN_ERR_ARG for a wrong id. */
CDN_API cdn_status cdn_dry_friction_force(cdn_state *state, cdn_dry_friction element, double *force) CDN_NODISCARD;

/** Whether it belongs to a pool's element that holds no contact; how messages and tables call it: as above. */
CDN_API bool cdn_dry_friction_is_free(const cdn_state *state, cdn_dry_friction element);
CDN_API void cdn_dry_friction_text(const cdn_state *state, cdn_dry_friction element, char *text, size_t size);

/** The number of kept reactions, their names, and the one of a name, as above. */
CDN_API int cdn_system_kept_reaction_count(const cdn_system *system);
CDN_API const char *cdn_kept_reaction_name(const cdn_system *system, cdn_kept_reaction element); /**< NULL: wrong id */
/** The element of this name, or { -1 }. O(number of elements). */
CDN_API cdn_kept_reaction cdn_system_find_kept_reaction(const cdn_system *system, const char *name);
/** Whether its force acts at present; false for a wrong id. */
CDN_API bool cdn_kept_reaction_acts(const cdn_state *state, cdn_kept_reaction element);
/** Its force along the equation of `push`, N or N m; 0 if it does not act. Stage: Acceleration. CDN_ERR_ARG for a wrong
 *  id. */
CDN_API cdn_status cdn_kept_reaction_force(cdn_state *state, cdn_kept_reaction element, double *force) CDN_NODISCARD;

/* ---- statuses ---- */

/** Sets the statuses that follow from q, u and the forces of the State. If bodies approach at a gap of zero, their
 *  impact changes u first. Runs do this themselves; call it before you evaluate a State that no run has come to.
 *  `accuracy` (0: 1e-6) stands for that of a run. Realizes Acceleration. Errors: those of realization;
 *  CDN_ERR_CONSTRAINT, by name, if no statuses fit the State. Cost: a factorization, and O(k n + k^3) for k elements
 *  that may act. */
CDN_API cdn_status cdn_settle(cdn_state *state, double accuracy) CDN_NODISCARD;

/** What handled moments of a State have done so far. */
typedef struct cdn_hybrid_totals {
  double moments;        /**< number of moments that were solved */
  double impacts;        /**< number of impacts among them */
  double captures;       /**< number of elements that came to rest below their capture speed */
  double impact_energy;  /**< J, kinetic energy that impacts took */
  double lowered;        /**< number of impacts whose e was lowered, as the law would have added energy */
  double jams;           /**< number of impacts without approach: friction that jams (Painleve) */
  double worst_residual; /**< largest violation of the conditions of a solved moment, a pure number */
  double several;      /**< number of moments at which several sets of accelerations agreed with friction (Painleve) */
  double several_at;   /**< if any: id of a one-sided element of the last of them, a pure number */
  double lowered_at;   /**< if e was lowered: id of a one-sided element of the last such impact, a pure number */
  double last_moment;  /**< s, time of the last moment */
  double mean_between; /**< s, mean time between moments, of late */
  /** Where moments crowd, runs capture them in steps: their number, the time that they cover, s, and the sum of what
   *  the times of impacts may be off, as changes of gaps, m or rad. */
  double crowded_steps, crowded_time, crowded_error;
  double lift_energy;    /**< J, potential energy that captured steps added, where they put overlaps on surfaces */
  double capture_energy; /**< J, kinetic energy that bringing to rest what is captured took */
} cdn_hybrid_totals;
/** All zero for a State without these elements. Stage: none. */
CDN_SIZED_VALUE(cdn_hybrid_totals, cdn_hybrid_get_totals, (const cdn_state *state), (state));

/** What the last moment that was solved did to one element. An element that it left alone has before = after, and
 *  zeros. Later releases append members. */
typedef struct cdn_hybrid_change {
  double time;           /**< of the moment, s */
  int32_t before, after; /**< statuses. One-sided: 0 off, 1 on; friction: a cdn_friction_status */
  /** N s or N m s. One-sided: its push, >= 0; friction: along its one to three equations. Zero without an impact. */
  double impulse[3];
  double energy; /**< J, kinetic energy that these impulses took, or gave (negative). All together: impact_energy */
  /** In words: "touches", "lets go", "bounces" (an impulse, and off as before), "is hit" (an impulse, and on as
   *  before); of friction "sticks", "slips", "ends", "rubs" (an impulse alone). NULL: it was left alone. Static
   *  storage. */
  const char *what;
  char element[128]; /**< the element's name, or the names of the shapes whose contact it held: "foot - floor" */
} cdn_hybrid_change;
/** Where no moment has been solved, and for a wrong id: all zero. Stage: none. */
CDN_SIZED_VALUE(cdn_hybrid_change, cdn_one_sided_get_change, (const cdn_state *state, cdn_one_sided element),
                (state, element));
CDN_SIZED_VALUE(cdn_hybrid_change, cdn_dry_friction_get_change, (const cdn_state *state, cdn_dry_friction element),
                (state, element));

CDN_END_DECLS
#endif
