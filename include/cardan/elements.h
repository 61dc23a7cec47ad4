/* Cardan: elements, the things with names of which a System consists, looked up in one way whatever they are.
 *
 * An element is given by its type and its number, which is the `i` of its id: (CDN_ELEMENT_FORCE, spring.i). Elements
 * of one type have different names. The functions here serve programs that do not know a model beforehand: editors,
 * bindings, optimizers. Where you know the element, the functions of its own header are shorter. docs/lookup.md has
 * examples.
 *
 * Functions that return a status return CDN_ERR_ARG for a type, an element, a parameter or a name that is not there;
 * the message says what is there.
 *
 * I want to
 *   list elements of any type: bodies, joints, forces, constraints, ... (docs/lookup.md): cdn_element_count,
 *       cdn_element_name, cdn_element_kind, cdn_element_type_name
 *   find an element of any type by its name: cdn_system_find_element
 *   keep a pointer of mine on an element: cdn_element_set_user, cdn_element_user
 *   list the parameters of an element with units, limits and defaults: cdn_element_parameter_count,
 *       cdn_element_parameter
 *   read or set a parameter by the names of the element and of the parameter: cdn_parameter_get, cdn_parameter_set
 *   — by numbers, several at once: cdn_element_find_parameter, cdn_element_get_parameters, cdn_element_set_parameters
 */
#ifndef CARDAN_ELEMENTS_H
#define CARDAN_ELEMENTS_H

#include <cardan/state.h>

CDN_BEGIN_DECLS

/* ---- elements ---------------------------------------------------------------------------- */

typedef enum cdn_element_type {
  CDN_ELEMENT_BODY,          /**< with its mass properties. The number is that of cdn_body; 0 is Ground */
  CDN_ELEMENT_MOBILIZER,     /**< the joint of the body that has this number, with its frames */
  CDN_ELEMENT_MOTION,        /**< cdn_motion */
  CDN_ELEMENT_FORCE,         /**< cdn_force */
  CDN_ELEMENT_CONSTRAINT,    /**< cdn_constraint */
  CDN_ELEMENT_MEASURE,       /**< cdn_measure */
  CDN_ELEMENT_CONTROL,       /**< cdn_control */
  CDN_ELEMENT_EVENT,         /**< cdn_event */
  CDN_ELEMENT_SUBSYSTEM,     /**< cdn_subsystem; those of the library are there once the System is frozen */
  CDN_ELEMENT_SHAPE,         /**< cdn_shape (contact.h) */
  CDN_ELEMENT_CONTACT_PAIR,  /**< cdn_contact_pair */
  CDN_ELEMENT_SOFT,          /**< cdn_soft_element (soft_elements.h) */
  CDN_ELEMENT_PATH,          /**< cdn_path (paths.h) */
  CDN_ELEMENT_ONE_SIDED,     /**< cdn_one_sided (hybrid.h) */
  CDN_ELEMENT_DRY_FRICTION,  /**< cdn_dry_friction */
  CDN_ELEMENT_KEPT_REACTION, /**< cdn_kept_reaction */
  CDN_ELEMENT_COUNT
} cdn_element_type;

/** "body", "mobilizer" and the like; NULL for a wrong type. Static storage. */
CDN_API const char *cdn_element_type_name(cdn_element_type type);
/** How many elements of a type there are; 0 for a wrong type. */
CDN_API int cdn_element_count(const cdn_system *system, cdn_element_type type);
/** The name of an element; NULL if it is not there. Lives as long as the System. */
CDN_API const char *cdn_element_name(const cdn_system *system, cdn_element_type type, int i);
/** The kind of an element within its type, such as "pin", "two_point_spring", "rod"; NULL if it is not there, or if its
 *  type (bodies, controls, subsystems) has no kinds. Lives as long as the System. */
CDN_API const char *cdn_element_kind(const cdn_system *system, cdn_element_type type, int i);
/** The number of the element of this name; -1 if there is none, or no such type: then the thread's
 *  last error says so. O(elements of the type). */
CDN_API int cdn_system_find_element(const cdn_system *system, cdn_element_type type, const char *name);

/** Keeps a pointer of your program's on an element, in place of an earlier one. The library neither reads nor frees
 *  what it points to. Allowed before and after freezing, as long as no other thread uses the System: the pointer is
 *  part of the System, and all its States have the same one. CDN_ERR_NOMEM. */
CDN_API cdn_status cdn_element_set_user(cdn_system *system, cdn_element_type type, int i, void *user) CDN_NODISCARD;
/** That pointer; NULL if none was set, or if the element is not there. O(1). */
CDN_API void *cdn_element_user(const cdn_system *system, cdn_element_type type, int i);

/* ---- parameters -------------------------------------------------------------------------- */

/* The parameters of an element are numbers that each State holds, 0 to n - 1 in the order in which the adder takes
 * them. Bodies, mobilizers, motions, forces, constraints, controls (their limits), shapes (frame, sizes, material,
 * whether it is enabled), pairs of shapes (the numbers of their material; -1: as the shapes' materials combine) and
 * soft elements (numbers of their
 * defs, and whether they are enabled) and subsystems (numbers of their parameter arrays; those of a custom force are
 * the force's, too) have some; measures and events have none. A frozen System is needed: otherwise CDN_ERR_NOT_FROZEN,
 * or a count of 0. */

/** A parameter of an element. */
typedef struct cdn_parameter {
  char name[64]; /**< such as "k", "g.y", "X_AF.p.x", "X_AF.R.x.z" (z component of the frame's x axis) */
  /** Such as "N/m", "kg", "1" (a pure number). "" where the library does not know it: parameters of custom elements,
   *  and of elements on mobilities of function-based and custom mobilizers. */
  char unit[32];
  /** The setter refuses a value below or above, and also the limit itself if it is excluded. There may be conditions
   *  on several parameters beyond this, such as the triangle inequality of an inertia. */
  double lower, upper;
  bool excludes_lower, excludes_upper;
  bool may_be_infinite; /**< an infinity is a value, such as the bound of a stop that has none on one side */
  double initial;       /**< value in a new State */
} cdn_parameter;

/** The number of an element's parameters; 0 for a wrong id. */
CDN_API int cdn_element_parameter_count(const cdn_system *system, cdn_element_type type, int i);
/** Describes parameter k. O(1). */
CDN_SIZED(cdn_element_parameter, (const cdn_system *system, cdn_element_type type, int i, int k, cdn_parameter *out),
          (system, type, i, k, out), out);
/** The number of the parameter of this name; -1 if there is none, or no such element: then the thread's
 *  last error says so, and lists the names. O(parameters of the element). */
CDN_API int cdn_element_find_parameter(const cdn_system *system, cdn_element_type type, int i, const char *name);
/** Reads parameters first ... first + n - 1. */
CDN_API cdn_status cdn_element_get_parameters(const cdn_state *state, cdn_element_type type, int i, int first, int n,
                                              double *values) CDN_NODISCARD;
/** Sets parameters first ... first + n - 1, all or none of them: CDN_ERR_ARG for a value beyond a limit or for numbers
 *  that do not go together, CDN_ERR_NONFINITE. Set the numbers of a rotation or an inertia in one call. Directions and
 *  quaternions are scaled to unit length. */
CDN_API cdn_status cdn_element_set_parameters(cdn_state *state, cdn_element_type type, int i, int first, int n,
                                              const double *values) CDN_NODISCARD;

/** The same of one parameter, by names: ("spring", "k"). O(elements of the type). */
CDN_API cdn_status cdn_parameter_get(const cdn_state *state, cdn_element_type type, const char *element,
                                     const char *parameter, double *value) CDN_NODISCARD;
CDN_API cdn_status cdn_parameter_set(cdn_state *state, cdn_element_type type, const char *element,
                                     const char *parameter, double value) CDN_NODISCARD;

CDN_END_DECLS
#endif
