/* What a force field keeps in a State, and what it gives to dynamics. */
#include <math.h>

#include "molecules/field.h"
#include "system/system.h"

/* ---- tables: charges by slot, A and B of each type with each slot ---- */

static cdn_status calc_tables(const void *self, cdn_state *state, cdn_region_output *out) {
  const field *f = self;
  void *memory;
  const int row = f->row, types = f->n_types;
  CDNI_TRY(cdn_region_output_add(out, row * (1 + 2 * types), &memory));
  double *charge = memory, *A = charge + row, *B = A + types * row;
  const double *by_atom = cdn_state_parameters(state, f->v_charge), *lj = cdn_state_parameters(state, f->v_lj);
  for (int i = 0; i < f->n; i++) charge[i] = by_atom[f->atom_of[i]];
  for (int a = 0; a < types; a++)
    for (int i = 0; i < f->n; i++) {
      A[a * row + i] = lj[a * types + f->type[i]];
      B[a * row + i] = lj[types * types + a * types + f->type[i]];
    }
  return CDN_OK;
}

cdn_status mol_get_tables(const field *f, cdn_state *state, field_tables *t) {
  const void *elements;
  CDNI_TRY(cdn_region_eval(state, f->tables, &elements, NULL));
  const double *factor = cdn_state_parameters(state, f->v_factor);
  t->coulomb = f->coulomb_constant * factor[CDN_TERM_COULOMB], t->lj = factor[CDN_TERM_LJ];
  t->charge = elements, t->A = t->charge + f->row, t->B = t->A + f->n_types * f->row;
  return CDN_OK;
}

/* ---- sums: energies by term; a spatial force a body, about its origin; a torque a pin ---- */

static void gather(const field *f, const field_work *w, double *out) {
  memcpy(out, w->energy, sizeof w->energy);
  double *F = out + CDN_TERM_COUNT, *torque = F + SPATIAL * f->n_bodies;
  memcpy(torque, w->torque, (size_t)f->n_bodies * sizeof *torque);
  for (int b = 0; b < f->n_bodies; b++, F += SPATIAL) {
    cdn_vec3 moment = { 0, 0, 0 }, force = { 0, 0, 0 };
    for (int i = f->bodies[b].first; i < f->bodies[b + 1].first; i++) {
      const cdn_vec3 own = cdn_v3(w->fx[i], w->fy[i], w->fz[i]);
      const cdn_vec3 r = cdn_sub(cdn_v3(w->x[i], w->y[i], w->z[i]), w->origin[b]);
      force = cdn_add(force, own), moment = cdn_add(moment, cdn_cross(r, own));
    }
    F[0] = moment.x, F[1] = moment.y, F[2] = moment.z, F[3] = force.x, F[4] = force.y, F[5] = force.z;
  }
}

static cdn_status calc_sums(const void *self, cdn_state *state, cdn_region_output *out) {
  const field *f = self;
  void *memory;
  field_work w;
  CDNI_TRY(cdn_region_output_add(out, CDN_TERM_COUNT + (SPATIAL + 1) * f->n_bodies, &memory));
  cdn_status status = mol_begin(f, state, &w);
  if (!status) status = mol_evaluate(f, state, false, &w);
  if (!status) gather(f, &w, memory);
  mol_end(state, &w);
  return status;
}

static cdn_status get_sums(const field *f, cdn_state *state, const double **sums) {
  const void *elements;
  CDNI_TRY(cdn_region_eval(state, f->sums, &elements, NULL));
  *sums = elements;
  return CDN_OK;
}

cdn_status mol_calc_force(const void *self, cdn_state *state, cdn_forces *out) {
  const field *f = self;
  const double *sums;
  CDNI_TRY(get_sums(f, state, &sums));
  const double *F = sums + CDN_TERM_COUNT, *torque = F + SPATIAL * f->n_bodies;
  for (int b = 0; b < f->n_bodies; b++, F += SPATIAL) {
    cdn_forces_add_body(out, f->bodies[b].body, (cdn_spatial){ cdn_v3(F[0], F[1], F[2]), cdn_v3(F[3], F[4], F[5]) });
    if (torque[b] != 0) cdn_forces_add_mobility(out, f->bodies[b].body, 0, torque[b]);
  }
  return CDN_OK;
}

cdn_status mol_calc_potential(const void *self, cdn_state *state, double *energy) {
  const double *sums;
  CDNI_TRY(get_sums(self, state, &sums));
  for (int k = 0; k < CDN_TERM_COUNT; k++) *energy += sums[k];
  return CDN_OK;
}

/* ---- declaring ---- */

cdn_status mol_declare(void *self, cdn_declarer *d) {
  field *f = self;
  double factors[CDN_TERM_COUNT];
  for (int k = 0; k < CDN_TERM_COUNT; k++) factors[k] = 1;
  f->v_factor = cdn_declare_parameters(d, "factors", CDN_TERM_COUNT, factors);
  f->v_charge = cdn_declare_shared_parameters(d, "charges", f->n, f->charge);
  f->v_lj = cdn_declare_shared_parameters(d, "lj", 2 * f->n_types * f->n_types, f->lj);
  f->v_parameter = cdn_declare_shared_parameters(d, "terms", 2 * f->n_terms + 1, f->parameter);
  const cdn_ticket of_tables[] = { f->v_charge.ticket, f->v_lj.ticket };
  f->tables = cdn_declare_computed_region(d, "tables", sizeof(double), calc_tables, CDNI_COUNT(of_tables), of_tables,
                                          CDN_STAGE_EMPTY);
  mol_declare_pins(f, d);
  const bool cut = f->cutoff.distance > 0;
  if (cut) mol_declare_list(f, d);
  const cdn_ticket of_sums[] = {
    CDN_POSE, CDN_Q_EFF, f->tables.ticket, f->v_factor.ticket, f->v_parameter.ticket, f->pins.ticket, f->vicinity.ticket
  };
  f->sums = cdn_declare_computed_region(d, "sums", sizeof(double), calc_sums, CDNI_COUNT(of_sums) - !cut, of_sums,
                                        CDN_STAGE_EMPTY);
  return CDN_OK;
}
