/* Bond angles and lengths that are coordinates, for Fixman's potential: see joints.c for which coordinates joints
 * have. */
#include <cardan/fixman.h>

#include "molecules/field.h"

static void add(cdn_fixman_coordinate *out, int most, int *n, cdn_body body, int k, cdn_fixman_kind kind) {
  if (*n < most) out[*n] = (cdn_fixman_coordinate){ body, k, kind };
  ++*n;
}

int cdn_force_field_fixman_coordinates(const cdn_system *system, cdn_force force, cdn_fixman_coordinate *out,
                                       int most) {
  CDNI_NEED_OBJECT(system, -1);
  const field *f = mol_field(system, force, __func__);
  int n = 0;
  for (int i = 0; f && i < f->n_bodies; i++) {
    const field_joint *j = &f->joints[i];
    const bool flexible = j->mobility == CDN_BOND_FLEXIBLE;
    if (j->a < 0 || j->attached || (!flexible && j->mobility != CDN_BOND_TORSION_BEND)) continue;
    const bool has_angle = j->x >= 0, has_dihedral = j->y >= 0;
    if (has_angle) add(out, most, &n, j->body, 0, CDN_FIXMAN_ANGLE);
    if (flexible) add(out, most, &n, j->body, has_angle + has_dihedral, CDN_FIXMAN_LENGTH);
  }
  return f ? n : -1;
}
