/* Energies and forces of a molecule at a State. */
#include <math.h>

#include "molecules/born.h"
#include "system/system.h"

cdn_status mol_begin(const field *f, cdn_state *state, field_work *w) {
  *w = (field_work){ 0 };
  const size_t row = (size_t)f->row;
  double *memory = cdn_work_push(state, (6 * row + 4 * (size_t)f->n_bodies) * sizeof *memory);
  if (!memory) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", f->name, "out of memory");
  w->frame = memory;
  w->x = memory, w->y = memory + row, w->z = memory + 2 * row;
  w->fx = memory + 3 * row, w->fy = memory + 4 * row, w->fz = memory + 5 * row;
  w->torque = memory + 6 * row, w->origin = (cdn_vec3 *)(w->torque + f->n_bodies);
  memset(w->fx, 0, (3 * row + (size_t)f->n_bodies) * sizeof *memory);
  for (int b = 0; b < f->n_bodies; b++) {
    cdn_transform X;
    CDNI_TRY(cdn_body_pose(state, f->bodies[b].body, &X));
    w->origin[b] = X.p;
    for (int i = f->bodies[b].first; i < f->bodies[b + 1].first; i++) {
      const cdn_vec3 p = cdn_transform_point(X, f->station[i]);
      w->x[i] = p.x, w->y[i] = p.y, w->z[i] = p.z;
    }
  }
  /* Beyond the last slot there is nothing near. */
  for (int i = f->n; i < f->row; i++) w->x[i] = 1e3, w->y[i] = 1e3, w->z[i] = 1e3;
  return CDN_OK;
}

void mol_end(cdn_state *state, field_work *w) {
  if (w->frame) cdn_work_pop(state, w->frame);
  w->frame = NULL;
}

static void add(field_work *w, int slot, cdn_vec3 force) {
  w->fx[slot] += force.x, w->fy[slot] += force.y, w->fz[slot] += force.z;
}

/* ---- terms of bonds ---- */

static cdn_status add_terms(const field *f, cdn_state *state, bool whole, const double *factor, field_work *w) {
  const double *parameter = cdn_state_parameters(state, f->v_parameter);
  CDNI_TRY(cdni_state_ensure(state, CDN_Q_EFF));
  const cdn_system *system = cdn_state_system(state);
  const double *q = cdn_state_q_eff(state);
  for (int k = 0; k < f->n_terms; k++) {
    const field_term *t = &f->terms[k];
    const double scale = factor[t->kind];
    if (scale == 0 || !(whole || (t->moves && !mol_is_of_pin(t)))) continue;
    term_result law;
    if (!whole && t->pin >= 0) {
      const field_body *on = &f->bodies[t->pin];
      CDNI_TRY(mol_term_law(t, parameter, q[cdn_body_first_q(system, on->body)] + t->offset, 1, &law));
      w->torque[t->pin] -= scale * law.slope;
    } else {
      cdn_vec3 gradient[4];
      const double x = mol_term_coordinate(t, w->x, w->y, w->z, gradient);
      CDNI_TRY(mol_term_law(t, parameter, x, 1, &law));
      const int n = mol_term_atoms(t->kind);
      for (int i = 0; i < n; i++) add(w, t->slot[i], cdn_scale(-scale * law.slope, gradient[i]));
    }
    w->energy[t->kind] += scale * law.energy;
  }
  return whole ? CDN_OK : mol_add_pins(f, state, factor, w);
}

/* ---- pairs one by one ---- */

static void add_pair(const field *f, const field_tables *t, int i, int j, double coulomb, double lj, bool scaled,
                     field_work *w) {
  const cdn_vec3 d = cdn_v3(w->x[i] - w->x[j], w->y[i] - w->y[j], w->z[i] - w->z[j]);
  const double r2 = cdn_dot(d, d);
  const pair_law law = mol_pair_law(f, t, i, j, coulomb, lj, scaled, r2);
  const cdn_vec3 force = cdn_scale(-law.slope / r2, d);
  w->energy[scaled ? CDN_TERM_COULOMB_SCALED : CDN_TERM_COULOMB] += law.coulomb;
  w->energy[scaled ? CDN_TERM_LJ_SCALED : CDN_TERM_LJ] += law.lj;
  add(w, i, force), add(w, j, cdn_scale(-1, force));
}

static void add_scaled_pairs(const field *f, const field_tables *t, bool whole, const double *factor, field_work *w) {
  const double coulomb = f->coulomb_constant * factor[CDN_TERM_COULOMB_SCALED], lj = factor[CDN_TERM_LJ_SCALED];
  for (int k = 0; k < f->n_pairs; k++) {
    const field_pair *p = &f->pairs[k];
    if (whole || p->moves) add_pair(f, t, p->i, p->j, coulomb * p->coulomb, lj * p->lj, true, w);
  }
}

static void add_pairs_within(const field *f, const field_tables *t, field_work *w) {
  for (int b = 0; b < f->n_bodies; b++)
    for (int i = f->bodies[b].first; i < f->bodies[b + 1].first; i++) {
      int left = f->left_start[i];
      for (int j = i + 1; j < f->bodies[b + 1].first; j++) {
        while (left < f->left_start[i + 1] && f->left_out[left] < j) left++;
        if (left < f->left_start[i + 1] && f->left_out[left] == j) continue;
        add_pair(f, t, i, j, t->coulomb, t->lj, false, w);
      }
    }
}

static cdn_status add_pairs(const field *f, cdn_state *state, const field_tables *t, field_work *w) {
  field_sum sum = { .f = f, .t = t, .w = w };
  const bool cut = f->cutoff.distance > 0;
  double energy[2];
  if (cut) CDNI_TRY(mol_get_list(f, state, w, &sum.list));
  CDNI_TRY(mol_sum(&sum, state, cut ? mol_kernels()->listed : mol_kernels()->dense, w, NULL, energy));
  w->energy[CDN_TERM_LJ] += energy[0], w->energy[CDN_TERM_COULOMB] += energy[1];
  return CDN_OK;
}

/* ---- together ---- */

/* Names the two atoms that are nearest to each other. */
static cdn_status tell_nearest(const field *f, cdn_state *state, const field_work *w) {
  double nearest = INFINITY;
  int a = 0, b = 0;
  for (int i = 0; i < f->n; i++)
    for (int j = 0; j < i; j++) {
      const double d = hypot(hypot(w->x[i] - w->x[j], w->y[i] - w->y[j]), w->z[i] - w->z[j]);
      if (d < nearest || isnan(d)) nearest = d, a = f->atom_of[j], b = f->atom_of[i];
    }
  return cdni_state_fail(state, CDN_ERR_NONFINITE, true, "cdn_realize", f->name,
                         "the energy of '%s' is no number: its nearest atoms, '%s' and '%s', are %g nm apart", f->name,
                         f->label[a], f->label[b], nearest);
}

cdn_status mol_evaluate(const field *f, cdn_state *state, bool whole, field_work *w) {
  const double *factor = cdn_state_parameters(state, f->v_factor);
  field_tables t;
  CDNI_TRY(mol_get_tables(f, state, &t));
  CDNI_TRY(add_terms(f, state, whole, factor, w));
  CDNI_TRY(add_pairs(f, state, &t, w));
  if (whole) add_pairs_within(f, &t, w);
  add_scaled_pairs(f, &t, whole, factor, w);
  CDNI_TRY(mol_add_solvent(f, state, &t, factor, w));
  double sum = 0;
  for (int k = 0; k < CDN_TERM_COUNT; k++) sum += w->energy[k];
  for (int i = 0; i < f->n; i++) sum += 0 * (w->fx[i] + w->fy[i] + w->fz[i]);
  return isfinite(sum) ? CDN_OK : tell_nearest(f, state, w);
}
