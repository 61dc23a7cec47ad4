/* Cardan: laws of contact of your own.
 *
 * A law acts between two kinds of geometry, in place of the library's law or where it has none. For two shapes that may
 * touch, and whose boxes overlap, it says where they touch and how strongly they push each other apart, by geometries,
 * poses and materials alone. Dissipation along the normal (1 + damping xdot), friction, its memory, reports and
 * measures are then the library's. examples/custom_contact_law.c is a whole program. */
#ifndef CARDAN_CONTACT_LAW_H
#define CARDAN_CONTACT_LAW_H

#include <cardan/contact.h>

CDN_BEGIN_DECLS

/** What a law is told of two shapes. Geometry a is of the def's first kind, b of its second; if both kinds are the
 *  same, a is the shape with the lower id. The library owns it; later releases append members. */
typedef struct cdn_law_input {
  const cdn_system *system;
  cdn_shape a, b;
  const cdn_geometry *geometry_a, *geometry_b;         /**< with the State's sizes */
  cdn_transform X_GA, X_GB;                            /**< poses of their frames S in Ground */
  const cdn_contact_material *material_a, *material_b; /**< the State's */
  /** Both combined by the rules of docs/contact.md, with the numbers of a pair of the user's: its modulus is E* of
   *  Hertz's law. `thickness` is not combined. */
  const cdn_contact_material *combined;
} cdn_law_input;

/** One contact of a law. Vectors are in Ground. */
typedef struct cdn_law_contact {
  CDN_DEF_HEADER;
  int32_t feature;        /**< >= 0, ascending from one contact of the pair to the next: the same from step to step */
  cdn_vec3 point, normal; /**< where the force acts; unit vector from a to b */
  double depth;           /**< m, >= 0 */
  double elastic;         /**< normal force without dissipation, N, >= 0 */
  /** Stored energy, J. The force along the normals must be its negative gradient by the poses. Default NaN: nobody
   *  computes it; the force then counts as one without a potential. */
  double energy;
  double damping; /**< s/m, >= 0: the force is elastic (1 + damping x rate of the depth). Default 0 */
  /** Coefficients of friction, >= 0, torsional and rolling ones in m. Default -1: those of `combined`. */
  double static_friction, dynamic_friction, viscous_friction, torsional_friction, rolling_friction;
} cdn_law_contact;
/** cdn_default_law_contact for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_law_contact_init(void *def, size_t size);
static inline cdn_law_contact cdn_default_law_contact(void) {
  cdn_law_contact def;
  cdn_law_contact_init(&def, sizeof def);
  return def;
}

/** Where a law puts its contacts; valid during one call. */
typedef struct cdn_law_output cdn_law_output;
/** Adds a contact, for laws. Errors: CDN_ERR_ARG (numbers that are not finite or out of their limits, a normal that is
 *  no unit vector, features that do not ascend), CDN_ERR_NOMEM. Return them. */
CDN_API cdn_status cdn_law_add(cdn_law_output *out, const cdn_law_contact *contact) CDN_NODISCARD;

/** Adds the contacts of two shapes, or none. It must be a function of `in` alone, and several threads may call it at
 *  once. `self` is that of the def. A status other than CDN_OK fails the evaluation of the State. */
typedef cdn_status cdn_law_fn(const void *self, const cdn_law_input *in, cdn_law_output *out);

typedef struct cdn_contact_law_def {
  CDN_DEF_HEADER;
  const char *name;       /**< for messages; copied; NULL: "law0", "law1", ... */
  cdn_geometry_kind a, b; /**< the kinds, in any order; custom ones included */
  cdn_law_fn *find;       /**< must be set */
  const void *self;       /**< a copy of self_size bytes, or the pointer itself if 0 */
  size_t self_size;
} cdn_contact_law_def;
/** cdn_default_contact_law_def for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_contact_law_def_init(void *def, size_t size);
static inline cdn_contact_law_def cdn_default_contact_law_def(void) {
  cdn_contact_law_def def;
  cdn_contact_law_def_init(&def, sizeof def);
  return def;
}
/** Gives two kinds of geometry a law of the user's. Building mistakes: kinds that are none, two laws for the same
 *  kinds. Sticky. Runs end steps where shapes begin to touch only if the library knows the distance of the two kinds.
 *  */
CDN_API void cdn_system_add_contact_law(cdn_system *system, const cdn_contact_law_def *def);

CDN_END_DECLS
#endif
