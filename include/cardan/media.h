/* Cardan: media, air or water around bodies that move: drag, lift, and the fluid that moves along. docs/media.md has
 * the formulas and their sources; they are those of MuJoCo's two models of fluids.
 *
 * A medium has a density, a viscosity and a wind, its velocity. It acts on a body as on a box, or as on an ellipsoid,
 * in a frame of the body. Its forces are forces like others (forces.h): switched on and off, asked for what they do,
 * with all numbers as parameters of the State. None has a potential. There is no buoyancy.
 *
 * I want to
 *   let a medium act on a box: cdn_default_fluid_box_def, cdn_system_add_fluid_box
 *   find the box that has a body's mass and inertia: cdn_fluid_box_of_mass
 *   let a medium act on an ellipsoid, with drag, lift and added mass: cdn_default_fluid_ellipsoid_def,
 *       cdn_system_add_fluid_ellipsoid
 *   change density, viscosity or wind in a State: cdn_fluid_set_medium */
#ifndef CARDAN_MEDIA_H
#define CARDAN_MEDIA_H

#include <cardan/forces.h>

CDN_BEGIN_DECLS

/** A box in a medium. */
typedef struct cdn_fluid_box_def {
  CDN_DEF_HEADER;
  cdn_body body;      /**< must be set; default Ground, on which nothing acts */
  cdn_transform X_BF; /**< of the box on the body, whose centre is F's origin. Default: identity */
  double half[3];     /**< half sides, m, not negative; must be set */
  double density;     /**< of the medium, kg/m^3, not negative. Default 0 */
  double viscosity;   /**< Pa s, not negative. Default 0 */
  cdn_vec3 wind;      /**< velocity of the medium, m/s, in Ground. Default 0 */
} cdn_fluid_box_def;
CDN_DEF(fluid_box_def);

/** A medium acts on a body as on a box. With w and v the angular velocity and the velocity of its centre in the medium,
 *  in its axes, b its sides and D their mean: the moment -pi D^3 viscosity w_i - density/64 b_i (b_j^4 + b_k^4) |w_i|
 *  w_i and the force -3 pi D viscosity v_i - density/2 b_j b_k |v_i| v_i along axis i. (MJCF: bodies without
 *  ellipsoids.) */
CDN_API cdn_force cdn_system_add_fluid_box(cdn_system *system, const char *name, const cdn_fluid_box_def *def);

/** Sets X_BF and half of def: the box of uniform density that has this mass and central inertia. Its axes are `axes` in
 *  the body, which must be principal, or, if that is NULL, principal axes of the inertia. CDN_ERR_ARG: NULL, or a mass
 *  that is not positive; nothing is written then. */
CDN_API cdn_status cdn_fluid_box_of_mass(const cdn_mass_properties *mass, const cdn_rotation *axes,
                                         cdn_fluid_box_def *def) CDN_NODISCARD;

/** An ellipsoid in a medium. */
typedef struct cdn_fluid_ellipsoid_def {
  CDN_DEF_HEADER;
  cdn_body body;       /**< must be set; default Ground, on which nothing acts */
  cdn_transform X_BF;  /**< of the ellipsoid on the body, whose centre is F's origin. Default: identity */
  double half[3];      /**< half axes, m, positive; must be set */
  double density;      /**< of the medium, kg/m^3, not negative. Default 0 */
  double viscosity;    /**< Pa s, not negative. Default 0 */
  cdn_vec3 wind;       /**< velocity of the medium, m/s, in Ground. Default 0 */
  double blunt_drag;   /**< coefficient of the area that it shows. Default 0.5 */
  double slender_drag; /**< coefficient of the area that it does not show. Default 0.25 */
  double angular_drag; /**< coefficient of its turning. Default 1.5 */
  double kutta_lift;   /**< coefficient of the flow around it that is not symmetric. Default 1 */
  double magnus_lift;  /**< coefficient of its turning in the flow. Default 1 */
} cdn_fluid_ellipsoid_def;
CDN_DEF(fluid_ellipsoid_def);

/** A medium acts on a body as on an ellipsoid, by the formulas of docs/media.md: linear drag, exact for a sphere in
 *  slow flow; quadratic drag; lift by Kutta and by Magnus; and the forces that turn the momentum of the fluid that
 *  moves along, as far as they follow from velocities: the part that follows from accelerations, added mass itself, is
 *  left out. (MJCF: fluidshape="ellipsoid", whose five numbers of fluidcoef are those above, in this order.) Parameters
 *  besides: fluid_mass and fluid_inertia, m^3 and m^5, which follow from the half axes here, and do not when a State
 *  sets those. */
CDN_API cdn_force cdn_system_add_fluid_ellipsoid(cdn_system *system, const char *name,
                                                 const cdn_fluid_ellipsoid_def *def);

/** Sets density (kg/m^3), viscosity (Pa s) and wind (m/s, in Ground) of one of both elements. */
CDN_API cdn_status cdn_fluid_set_medium(cdn_state *state, cdn_force force, double density, double viscosity,
                                        cdn_vec3 wind) CDN_NODISCARD;

CDN_END_DECLS
#endif
