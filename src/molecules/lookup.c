/* A force field of a frozen System: where its atoms are, which bodies are bonds, what their coordinates are. */
#include "molecules/field.h"

#include "system/kind_of.h"
#include "system/system.h"

const field *mol_field(const cdn_system *system, cdn_force force, const char *function) {
  const cdn_subsystem own = cdn_force_subsystem(system, force);
  const field *f = own.i >= 0 ? cdn_subsystem_self(system, own) : NULL;
  if (f && cdni_subsystem_is_of(system, own, mol_declare)) return f;
  cdni_refuse(CDN_ERR_ARG, function, "force %d is not the force field of a molecule", force.i);
  return NULL;
}

int cdn_force_field_atom_count(const cdn_system *system, cdn_force force) {
  CDNI_NEED_OBJECT(system, -1);
  const field *f = mol_field(system, force, __func__);
  return f ? f->n : -1;
}

const char *cdn_force_field_coordinate_name(const cdn_system *system, cdn_force force, cdn_body body, int k) {
  CDNI_NEED_OBJECT(system, NULL);
  static const char *const quaternion[] = { "w", "x", "y", "z" };
  const field *f = mol_field(system, force, __func__);
  for (int i = 0; f && i < f->n_bodies; i++) {
    const field_joint *j = &f->joints[i];
    if (j->body.i != body.i || j->a < 0 || j->attached) continue;
    if (j->mobility == CDN_BOND_BALL) return k >= 0 && k < 4 ? quaternion[k] : NULL;
    const bool turns = j->mobility != CDN_BOND_TORSION && j->x >= 0;
    const struct {
      bool there;
      const char *name;
    } all[] = { { turns, "angle" },
                { j->y >= 0, "dihedral" },
                { j->mobility == CDN_BOND_FLEXIBLE, "length" },
                { j->azimuth, "azimuth" } };
    for (int c = 0; c < CDNI_COUNT(all) && k >= 0; c++)
      if (all[c].there && k-- == 0) return all[c].name;
  }
  return NULL;
}

static int body_of_slot(const field *f, int slot) {
  int low = 0, high = f->n_bodies;
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    if (f->bodies[middle].first <= slot) low = middle;
    else high = middle;
  }
  return low;
}

cdn_status cdn_force_field_atom_place(const cdn_system *system, cdn_force force, int atom, cdn_body *body,
                                      cdn_vec3 *p_B) {
  CDNI_NEED_OBJECT(system, CDN_ERR_ARG);
  const field *f = mol_field(system, force, __func__);
  if (!f) return CDN_ERR_ARG;
  if (atom < 0 || atom >= f->n)
    return cdni_refuse(CDN_ERR_ARG, __func__, "molecule '%s' has no atom %d", f->name, atom);
  const int slot = f->slot_of[atom];
  if (body) *body = f->bodies[body_of_slot(f, slot)].body;
  if (p_B) *p_B = f->station[slot];
  return CDN_OK;
}

cdn_body cdn_force_field_bond_body(const cdn_system *system, cdn_force force, int a, int b) {
  const cdn_body none = { -1 };
  CDNI_NEED_OBJECT(system, none);
  const field *f = mol_field(system, force, __func__);
  for (int i = 0; f && i < f->n_bodies; i++) {
    const field_joint *j = &f->joints[i];
    if ((j->a == a && j->b == b) || (j->a == b && j->b == a)) return j->body;
  }
  return none;
}
