/* A molecule in a State: positions, energies by term, forces on atoms; its parameters. */
#include <math.h>

#include "molecules/born.h"
#include "system/system.h"

static void to_atoms(const field *f, const double *x, const double *y, const double *z, double *out) {
  for (int i = 0; i < f->n; i++) {
    double *at = out + 3 * f->atom_of[i];
    at[0] = x[i], at[1] = y[i], at[2] = z[i];
  }
}

cdn_status cdn_force_field_positions(cdn_state *state, cdn_force force, double *x) {
  CDNI_NEED(state, x);
  const field *f = mol_field_of(state, force, __func__);
  if (!f) return CDN_ERR_ARG;
  field_work w;
  const cdn_status status = mol_begin(f, state, &w);
  if (!status) to_atoms(f, w.x, w.y, w.z, x);
  mol_end(state, &w);
  return status;
}

/* Energies by term and forces on atoms, of which either may be NULL. */
static cdn_status evaluate(cdn_state *state, cdn_force force, const char *function, double *energy, double *forces) {
  const field *f = mol_field_of(state, force, function);
  if (!f) return CDN_ERR_ARG;
  field_work w;
  cdn_status status = mol_begin(f, state, &w);
  if (!status) status = mol_evaluate(f, state, true, &w);
  if (!status && energy) memcpy(energy, w.energy, sizeof w.energy);
  if (!status && forces) to_atoms(f, w.fx, w.fy, w.fz, forces);
  mol_end(state, &w);
  return status;
}

cdn_status cdn_force_field_energies(cdn_state *state, cdn_force force, double *energy) {
  CDNI_NEED(state, energy);
  return evaluate(state, force, __func__, energy, NULL);
}

cdn_status cdn_force_field_forces(cdn_state *state, cdn_force force, double *out) {
  CDNI_NEED(state, out);
  return evaluate(state, force, __func__, NULL, out);
}

cdn_status cdn_force_field_born_radii(cdn_state *state, cdn_force force, double *radius) {
  CDNI_NEED(state, radius);
  const field *f = mol_field_of(state, force, __func__);
  if (!f) return CDN_ERR_ARG;
  if (!f->born)
    return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, __func__, f->name, "'%s' is in vacuum", f->name);
  field_work w;
  cdn_status status = mol_begin(f, state, &w);
  double *memory = status ? NULL : cdn_work_push(state, 2 * (size_t)f->row * sizeof *memory);
  if (!status && !memory) status = cdni_state_fail(state, CDN_ERR_NOMEM, false, __func__, f->name, "out of memory");
  if (memory) {
    born_work b = { memory, memory + f->row, NULL };
    status = mol_calc_born_radii(f, state, &w, &b);
    for (int i = 0; i < f->n && !status; i++) radius[f->atom_of[i]] = b.B[i];
    cdn_work_pop(state, memory);
  }
  mol_end(state, &w);
  return status;
}
