/* Cardan: shapes on bodies, and the contacts between them.
 *
 * A *shape* is a geometry (geometry.h) on a body, with a frame S, a material, and masks that say what it may touch. A
 * *contact* is what a State has where two shapes overlap: a point, a normal, a depth, and a force that the State alone
 * determines (compliant contact). Frames, sizes, materials and switches of shapes are Instance-stage variables.
 * docs/contact.md tells which law acts between which geometries.
 *
 * Two shapes never touch if their bodies are the same one or are welded together, if one body is the parent of the
 * other (unless cdn_contact_def.parent_child; Ground is no parent here), if their masks exclude it, or if their bodies
 * were excluded. */
#ifndef CARDAN_CONTACT_H
#define CARDAN_CONTACT_H

#include <cardan/dynamics.h>
#include <cardan/geometry.h>

CDN_BEGIN_DECLS

/* ---- shapes ------------------------------------------------------------------------------- */

/** Names a shape. */
typedef struct cdn_shape {
  int32_t i;
} cdn_shape;

/** What a surface is made of. The numbers of two surfaces that touch are combined (docs/contact.md):
 *    E^(2/3) = E_1^(2/3) E_2^(2/3) / (E_1^(2/3) + E_2^(2/3)), the depth is divided by s_1 = E_2^(2/3) / (E_1^(2/3) +
 *    E_2^(2/3)) and s_2 = 1 - s_1, the dissipation is c = s_1 c_1 + s_2 c_2, a coefficient of friction is 2 mu_1 mu_2 /
 *    (mu_1 + mu_2). */
typedef struct cdn_contact_material {
  CDN_DEF_HEADER;
  double modulus;     /**< plane-strain modulus E* = E / (1 - nu^2), Pa, > 0. Default 1e7 */
  double dissipation; /**< c, s/m, >= 0: a slow impact at speed v has the restitution 1 - c v. Default 0.1 */
  double static_friction, dynamic_friction; /**< coefficients, >= 0; static >= dynamic. Defaults 0.8, 0.7 */
  double viscous_friction;                  /**< s/m, >= 0: added to the coefficient for each m/s of slip. Default 0 */
} cdn_contact_material;
/** cdn_default_contact_material for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_contact_material_init(void *def, size_t size);
static inline cdn_contact_material cdn_default_contact_material(void) {
  cdn_contact_material def;
  cdn_contact_material_init(&def, sizeof def);
  return def;
}

typedef struct cdn_shape_def {
  CDN_DEF_HEADER;
  const char *name;                     /**< copied; NULL: "shape0", "shape1", ... */
  cdn_body body;                        /**< default Ground */
  cdn_geometry geometry;                /**< must be set; a surface is retained */
  cdn_transform X_BS;                   /**< frame of the geometry on the body. Default: identity */
  const cdn_contact_material *material; /**< NULL: the default material */
  /** A pair may touch if a bit of one's type is in the other's affinity, either way round. Defaults 1, 1. */
  uint32_t type, affinity;
} cdn_shape_def;
/** cdn_default_shape_def for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_shape_def_init(void *def, size_t size);
static inline cdn_shape_def cdn_default_shape_def(void) {
  cdn_shape_def def;
  cdn_shape_def_init(&def, sizeof def);
  return def;
}

/** Adds a shape. Sticky (system.h). A pair of shapes that may touch and that the library has no law for is refused at
 *  freezing, by name. */
CDN_API cdn_shape cdn_system_add_shape(cdn_system *system, const cdn_shape_def *def);

/** How a System treats contact; one for a System. */
typedef struct cdn_contact_def {
  CDN_DEF_HEADER;
  bool parent_child; /**< bodies may touch their parents. Default false */
  /** Pairs without a law pass through each other. Default false: freezing refuses them by name. */
  bool pass_without_law;
  double transition_velocity; /**< slip at which friction is fully developed, m/s, > 0. Default 0.01 */
} cdn_contact_def;
/** cdn_default_contact_def for a struct of `size` bytes (docs/abi.md). */
CDN_API void cdn_contact_def_init(void *def, size_t size);
static inline cdn_contact_def cdn_default_contact_def(void) {
  cdn_contact_def def;
  cdn_contact_def_init(&def, sizeof def);
  return def;
}
/** Sets it; without this call the defaults hold. Sticky. */
CDN_API void cdn_system_set_contact(cdn_system *system, const cdn_contact_def *def);
/** Keeps all shapes of two bodies from touching each other. Sticky. */
CDN_API void cdn_system_exclude_contact(cdn_system *system, cdn_body a, cdn_body b);

CDN_API int cdn_system_shape_count(const cdn_system *system);
/** The shape of this name. CDN_ERR_ARG if there is none. O(shapes). */
CDN_API cdn_status cdn_system_find_shape(const cdn_system *system, const char *name, cdn_shape *shape) CDN_NODISCARD;
CDN_API const char *cdn_shape_name(const cdn_system *system, cdn_shape shape); /**< NULL for a wrong id */
CDN_API cdn_body cdn_shape_body(const cdn_system *system, cdn_shape shape);    /**< { -1 } for a wrong id */
/** Whether two shapes of a frozen System may touch. O(1). */
CDN_API bool cdn_shapes_may_touch(const cdn_system *system, cdn_shape a, cdn_shape b);

/* In a State. Errors: CDN_ERR_ARG (no such shape, a number that the adder would refuse), CDN_ERR_NONFINITE; nothing has
 * changed then. Setters invalidate Instance. */

CDN_API cdn_status cdn_shape_set_material(cdn_state *state, cdn_shape shape,
                                          const cdn_contact_material *material) CDN_NODISCARD;
CDN_API cdn_status cdn_shape_set_frame(cdn_state *state, cdn_shape shape, cdn_transform X_BS) CDN_NODISCARD;
CDN_API cdn_status cdn_shape_set_size(cdn_state *state, cdn_shape shape, const double size[3]) CDN_NODISCARD;
CDN_API cdn_status cdn_shape_set_enabled(cdn_state *state, cdn_shape shape, bool enabled) CDN_NODISCARD;
/** The geometry with the State's sizes, and its pose X_GS. Realizes Position. */
CDN_API cdn_status cdn_shape_get(cdn_state *state, cdn_shape shape, cdn_geometry *geometry,
                                 cdn_transform *X_GS) CDN_NODISCARD;

/* ---- contacts ----------------------------------------------------------------------------- */

/** One contact: geometry, force and motion. Vectors are in Ground. Later releases append members. */
typedef struct cdn_contact {
  cdn_shape a, b;      /**< a.i < b.i */
  int32_t feature;     /**< which of several contacts of the pair: the same from step to step */
  cdn_vec3 point;      /**< where the force acts, m */
  cdn_vec3 normal;     /**< from a to b */
  double depth;        /**< overlap of the undeformed shapes along the normal, m, > 0 */
  double rate;         /**< of the depth, m/s: positive while the shapes approach */
  double slip[2];      /**< components of the velocity of b relative to a in the plane of the contact, m/s: along... */
  cdn_vec3 tangent[2]; /**< ... these unit vectors; with `normal` as the third they are right-handed */
  double force;        /**< normal force on b, N, >= 0; a feels the opposite */
  cdn_vec3 friction;   /**< on b, N */
  double elastic, power; /**< stored energy, J; power of all that is not elastic, W */
  double radius[2];      /**< half axes of Hertz's patch, m, or 0 */
} cdn_contact;

/** How many contacts the State has. Realizes Velocity. CDN_ERR_ARG: no such contact. O(1) once they are computed; no
 *  allocation after the first few evaluations. Contacts are in ascending order of (a, b, feature). */
CDN_API cdn_status cdn_contact_count(cdn_state *state, int *n) CDN_NODISCARD;
/** Writes contact i, 0 ... n - 1. */
CDN_API cdn_status cdn_contact_get_sized(cdn_state *state, int i, cdn_contact *out, size_t size) CDN_NODISCARD;
static inline CDN_NODISCARD cdn_status cdn_contact_get(cdn_state *state, int i, cdn_contact *out) {
  return cdn_contact_get_sized(state, i, out, sizeof *out);
}

CDN_END_DECLS
#endif
