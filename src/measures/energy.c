/* Energies of all bodies. */
#include "measures/internal.h"

#include <cardan/forces.h>

#include "matter/matter.h"

typedef struct energy {
  measure base;
  cdn_energy which;
} energy;

static cdn_stage stage(const measure *m, int order) {
  (void)order;
  return ((const energy *)m)->which == CDN_ENERGY_POTENTIAL ? CDN_STAGE_POSITION : CDN_STAGE_VELOCITY;
}

static void depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  cdn_energy which = ((const energy *)m)->which;
  (void)order;
  if (which != CDN_ENERGY_POTENTIAL) {
    cdni_declare_prerequisite(d, entry, cdni_matter(m->system)->inertia.ticket);
    cdni_declare_prerequisite(d, entry, CDN_TWIST);
  }
  if (which != CDN_ENERGY_KINETIC && cdn_system_force_count(m->system) > 0) {
    cdni_declare_prerequisite(d, entry, CDN_POTENTIAL_ENERGY);
  }
}

static cdn_status value(const measure *m, cdn_state *state, int order, double *out) {
  cdn_energy which = ((const energy *)m)->which;
  double kinetic = 0, potential = 0;
  (void)order;
  if (which != CDN_ENERGY_POTENTIAL) CDNI_TRY(cdn_kinetic_energy(state, &kinetic));
  if (which != CDN_ENERGY_KINETIC) CDNI_TRY(cdn_potential_energy(state, &potential));
  *out = kinetic + potential;
  return CDN_OK;
}

static const measure_kind energy_kind = {
  .name = "energy", .size = sizeof(energy), .stage = stage, .depend = depend, .value = value
};

cdn_measure cdn_system_add_energy_measure(cdn_system *system, const char *name, cdn_energy which) {
  cdni_adder a;
  energy e = { .base = { .n = 1, .operand = { -1 } }, .which = which };
  cdni_measure_begin(&a, system, "cdn_system_add_energy_measure", name);
  if (which < CDN_ENERGY_KINETIC || which > CDN_ENERGY_TOTAL) {
    cdni_adder_refuse(&a, CDN_ERR_ARG, "energy is not one of cdn_energy");
  }
  if (a.ok && cdn_system_body_count(system) < 2) {
    cdni_adder_refuse(&a, CDN_ERR_ARG, "the System has no bodies (yet): add them first");
  }
  return cdni_measure_add(&a, &energy_kind, &e.base);
}
