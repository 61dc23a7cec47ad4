/* Cardan: subsystems that take part in the equations of motion.
 *
 * Any subsystem (a controller, a muscle, a fluid) may add forces as well: it registers force providers while it
 * declares its resources. All force elements and providers form one ordered list, so forces of any number of
 * subsystems add up. See docs/providers.md.
 *
 * I want to
 *   add forces from a subsystem of mine: cdn_declare_forces */
#ifndef CARDAN_DYNAMICS_H
#define CARDAN_DYNAMICS_H

#include <cardan/forces.h>

CDN_BEGIN_DECLS

/** A force provider: forces of a subsystem. The functions get the subsystem's own `self`. */
typedef struct cdn_force_provider {
  uint32_t struct_size; /**< sizeof(cdn_force_provider) */
  /** The name of its force element; copied; NULL: the library makes one up. If a force has that name already, this one
   *  is called "NAME 2", "NAME 3", ... */
  const char *name;
  cdn_force_reads reads;
  /** Adds the forces, like calc_force of cdn_force_ops. Required. */
  cdn_status (*calc_force)(const void *self, cdn_state *state, cdn_forces *forces);
  /** Like those of cdn_force_ops; may be NULL. */
  cdn_status (*calc_potential)(const void *self, cdn_state *state, double *energy);
  cdn_status (*calc_derivative)(const void *self, cdn_state *state, cdn_force_derivatives *derivatives);
  /** Further tickets that the functions read, beyond `reads` and the subsystem's own declarations so far; copied. */
  const cdn_ticket *prerequisites;
  int n_prerequisites;
  /** Kinks of the forces, as in cdn_force_ops. */
  int n_kinks;
  cdn_status (*calc_kinks)(const void *self, cdn_state *state, double *values, double *rates);
} cdn_force_provider;

/** Registers a force provider of the declaring subsystem; a subsystem may register several. It becomes a force
 *  element of the System, after all elements that were added before; cdn_force_set_enabled switches it like any
 *  other. Returns its id, or { -1 } if something is wrong: freezing then fails with the message. */
CDN_API cdn_force cdn_declare_forces(cdn_declarer *d, const cdn_force_provider *provider);

CDN_END_DECLS
#endif
