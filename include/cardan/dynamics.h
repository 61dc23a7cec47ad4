/* Cardan: subsystems that take part in the equations of motion.
 *
 * A subsystem that is there for something of its own (a controller, a muscle, a fluid) may add forces as well: it registers one
 * force provider or more while it declares its resources. All force elements and providers are one ordered list, so that any
 * number of subsystems add up. See docs/architecture.md and docs/custom-forces.md. */
#ifndef CARDAN_DYNAMICS_H
#define CARDAN_DYNAMICS_H

#include <cardan/forces.h>

CDN_BEGIN_DECLS

/** Forces of a subsystem. The functions get the subsystem's own `self`. */
typedef struct cdn_force_provider {
  uint32_t struct_size; /**< sizeof(cdn_force_provider) */
  const char *name;     /**< the name of its force element; NULL: one is made up */
  cdn_force_reads reads;
  /** Adds the forces, as that of cdn_force_ops does. Required. */
  cdn_status (*calc_force)(const void *self, cdn_state *state, cdn_forces *forces);
  /** As those of cdn_force_ops; may be NULL. */
  cdn_status (*calc_potential)(const void *self, cdn_state *state, double *energy);
  cdn_status (*calc_derivative)(const void *self, cdn_state *state, cdn_force_derivatives *derivatives);
  /** Further tickets that the functions read beyond `reads` and what the subsystem has declared so far; copied. */
  const cdn_ticket *prerequisites;
  int n_prerequisites;
} cdn_force_provider;

/** Registers a force provider of the subsystem that declares. It becomes a force element of the System, with an id, which is
 *  switched on and off as any other (cdn_force_set_enabled), and comes after those that were added before. A subsystem may
 *  register several. Where something is wrong, { -1 } is returned, and freezing fails with the story. */
CDN_API cdn_force cdn_declare_forces(cdn_declarer *d, const cdn_force_provider *provider);

CDN_END_DECLS
#endif
