/* Compiler settings that change the masses of all bodies, once they are known. */
#include <math.h>

#include "io/mjcf.h"

/* Principal moments raised to the bound, and made equal where they break the triangle inequality. */
static void adjust_inertia(const mjcf_compiler *c, cdn_inertia *I) {
  double moment[3];
  cdn_rotation axes;
  cdn_inertia_principal(*I, moment, &axes);
  bool changed = false;
  for (int i = 0; i < 3; i++) {
    changed = changed || moment[i] < c->boundinertia;
    moment[i] = fmax(moment[i], c->boundinertia);
  }
  const bool broken =
      moment[0] + moment[1] < moment[2] || moment[0] + moment[2] < moment[1] || moment[1] + moment[2] < moment[0];
  if (c->balanceinertia && broken) {
    const double mean = (moment[0] + moment[1] + moment[2]) / 3;
    moment[0] = moment[1] = moment[2] = mean;
    changed = true;
  }
  /* Numbers that need no change keep their last bit. */
  if (changed) *I = cdn_inertia_reexpress(axes, (cdn_inertia){ moment[0], moment[1], moment[2], 0, 0, 0 });
}

static void set_total_mass(const io_tree *tree, double total) {
  double sum = 0;
  for (int i = 1; i < (int)tree->places.count; i++) sum += io_body_at(tree, i)->mass.mass;
  if (sum <= 0) return;
  const double scale = total / sum;
  for (int i = 1; i < (int)tree->places.count; i++) {
    cdn_mass_properties *m = &io_body_at(tree, i)->mass;
    const cdn_inertia I = m->inertia;
    m->mass *= scale;
    m->inertia = (cdn_inertia){ scale * I.xx, scale * I.yy, scale * I.zz, scale * I.xy, scale * I.xz, scale * I.yz };
  }
}

void io_mjcf_finish_masses(mjcf_reader *r) {
  const mjcf_compiler *c = &r->compiler;
  for (int i = 1; i < (int)r->tree.places.count; i++) {
    cdn_mass_properties *m = &io_body_at(&r->tree, i)->mass;
    if (io_place_at(&r->tree, i)->attached) continue; /* its own file's bounds count */
    m->mass = fmax(m->mass, c->boundmass);
    if (c->boundinertia > 0 || c->balanceinertia) adjust_inertia(c, &m->inertia);
  }
  if (c->totalmass > 0 && !r->outer) set_total_mass(&r->tree, c->totalmass);
}

cdn_status io_mjcf_check_masses(mjcf_reader *r) {
  for (int i = 1; i < (int)r->tree.places.count; i++) {
    const cdn_spec_body *body = io_body_at(&r->tree, i);
    if (io_place_at(&r->tree, i)->attached) continue;
    CDNI_TRY(io_check_mass(r->log, body->line, r->log->body_word, body->name, &body->mass));
  }
  return CDN_OK;
}
