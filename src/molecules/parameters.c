/* Parameters of a force field in a State: factors, charges, van der Waals numbers, numbers of terms. States share the
 * latter three until one changes them. */
#include <math.h>

#include "molecules/field.h"
#include "system/system.h"

cdn_status cdn_force_field_set_factor(cdn_state *state, cdn_force force, cdn_energy_term term, double factor) {
  CDNI_NEED(state, state);
  const field *f = mol_field_of(state, force, __func__);
  if (!f) return CDN_ERR_ARG;
  if ((int)term < 0 || term >= CDN_TERM_COUNT || !isfinite(factor))
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, f->name,
                           "there is no term %d, or the factor %g is not finite", (int)term, factor);
  double factors[CDN_TERM_COUNT];
  memcpy(factors, cdn_state_parameters(state, f->v_factor), sizeof factors);
  factors[term] = factor;
  return cdn_state_set_parameters(state, f->v_factor, 0, CDN_TERM_COUNT, factors);
}

double cdn_force_field_factor(const cdn_state *state, cdn_force force, cdn_energy_term term) {
  CDNI_NEED_OBJECT(state, NAN);
  const field *f = mol_field_of(state, force, __func__);
  if (!f || (int)term < 0 || term >= CDN_TERM_COUNT) return NAN;
  return cdn_state_parameters(state, f->v_factor)[term];
}

cdn_status cdn_force_field_set_charges(cdn_state *state, cdn_force force, const double *charge) {
  CDNI_NEED(state, charge);
  const field *f = mol_field_of(state, force, __func__);
  size_t bad;
  if (!f) return CDN_ERR_ARG;
  if (!cdni_all_finite(charge, (size_t)f->n, &bad))
    return cdni_state_fail(state, CDN_ERR_NONFINITE, false, __func__, f->name, "the charge of atom '%s' is %g",
                           f->label[bad], charge[bad]);
  return cdn_state_set_parameters(state, f->v_charge, 0, f->n, charge);
}

const double *cdn_force_field_charges(const cdn_state *state, cdn_force force) {
  CDNI_NEED_OBJECT(state, NULL);
  const field *f = mol_field_of(state, force, __func__);
  return f ? cdn_state_parameters(state, f->v_charge) : NULL;
}

/* ---- van der Waals ---- */

/* The two types of two classes; false, and a refusal: no atom has one of them. */
static bool find_types(const field *f, const char *function, int class_i, int class_j, int type[2]) {
  const int classes[2] = { class_i, class_j };
  for (int k = 0; k < 2; k++) {
    type[k] = classes[k] >= 0 && classes[k] < f->n_classes ? f->type_of_class[classes[k]] : -1;
    if (type[k] >= 0) continue;
    cdni_refuse(CDN_ERR_ARG, function, "no atom of '%s' has class %d", f->name, classes[k]);
    return false;
  }
  return true;
}

cdn_status cdn_force_field_set_lj(cdn_state *state, cdn_force force, int class_i, int class_j, double A, double B) {
  CDNI_NEED(state, state);
  const field *f = mol_field_of(state, force, __func__);
  int type[2];
  if (!f || !find_types(f, __func__, class_i, class_j, type)) return CDN_ERR_ARG;
  if (!isfinite(A) || !isfinite(B))
    return cdni_state_fail(state, CDN_ERR_NONFINITE, false, __func__, f->name,
                           "A = %g or B = %g of classes %d and %d is not finite", A, B, class_i, class_j);
  const int n = f->n_types;
  for (int turn = 0; turn < 2; turn++) {
    const int at = type[turn] * n + type[1 - turn];
    CDNI_TRY(cdn_state_set_parameters(state, f->v_lj, at, 1, &A));
    CDNI_TRY(cdn_state_set_parameters(state, f->v_lj, n * n + at, 1, &B));
  }
  return CDN_OK;
}

cdn_status cdn_force_field_lj(const cdn_state *state, cdn_force force, int class_i, int class_j, double *A, double *B) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const field *f = mol_field_of(state, force, __func__);
  int type[2];
  if (!f || !find_types(f, __func__, class_i, class_j, type)) return CDN_ERR_ARG;
  const double *lj = cdn_state_parameters(state, f->v_lj);
  const int n = f->n_types, at = type[0] * n + type[1];
  if (A) *A = lj[at];
  if (B) *B = lj[n * n + at];
  return CDN_OK;
}

/* ---- terms ---- */

int cdn_force_field_term_count(const cdn_system *system, cdn_force force) {
  CDNI_NEED_OBJECT(system, -1);
  const field *f = mol_field(system, force, __func__);
  return f ? f->n_terms : -1;
}

static const field_term *term_at(const field *f, const char *function, int term) {
  if (f && term >= 0 && term < f->n_terms) return &f->terms[term];
  if (f)
    cdni_refuse(CDN_ERR_ARG, function, "'%s' has no term %d: it has %d, counted from 0", f->name, term, f->n_terms);
  return NULL;
}

int cdn_force_field_find_term(const cdn_system *system, cdn_force force, cdn_energy_term kind, int n,
                              const int *atoms) {
  CDNI_NEED_OBJECT(system, -1);
  CDNI_NEED_OBJECT(atoms, -1);
  const field *f = mol_field(system, force, __func__);
  const int count = mol_term_atoms(kind);
  for (int i = 0; f && i < f->n_terms; i++) {
    const field_term *t = &f->terms[i];
    bool forth = true, back = kind != CDN_TERM_IMPROPER;
    for (int k = 0; k < count; k++) {
      forth = forth && f->atom_of[t->slot[k]] == atoms[k];
      back = back && f->atom_of[t->slot[k]] == atoms[count - 1 - k];
    }
    if (t->kind == kind && t->n == n && (forth || back)) return i;
  }
  const char *name = cdn_energy_term_name(kind);
  if (f) cdni_refuse(CDN_ERR_ARG, __func__, "'%s' has no term '%s' of these atoms", f->name, name ? name : "?");
  return -1;
}

cdn_status cdn_force_field_term(const cdn_state *state, cdn_force force, int term, cdn_energy_term *kind, int *n,
                                int *atoms, double *k, double *x0) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const field *f = mol_field_of(state, force, __func__);
  const field_term *t = term_at(f, __func__, term);
  if (!t) return CDN_ERR_ARG;
  const double *parameter = cdn_state_parameters(state, f->v_parameter);
  if (kind) *kind = t->kind;
  if (n) *n = t->n;
  for (int i = 0; atoms && i < 4; i++) atoms[i] = i < mol_term_atoms(t->kind) ? f->atom_of[t->slot[i]] : -1;
  if (k) *k = parameter[2 * t->number];
  if (x0) *x0 = parameter[2 * t->number + 1];
  return CDN_OK;
}

cdn_status cdn_force_field_set_term(cdn_state *state, cdn_force force, int term, double k, double x0) {
  CDNI_NEED(state, state);
  const field *f = mol_field_of(state, force, __func__);
  const field_term *t = term_at(f, __func__, term);
  if (!t) return CDN_ERR_ARG;
  if (t->custom)
    return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, __func__, f->name,
                           "term %d of '%s' is a function of the user's: it has no k and x0", term, f->name);
  const bool turns = mol_term_atoms(t->kind) == 4;
  if (!isfinite(k) || !isfinite(x0) || (!turns && k < 0) || (t->kind == CDN_TERM_STRETCH && !(x0 > 0)))
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, f->name,
                           "term %d of '%s' (%s): k = %g or x0 = %g is not finite, or negative", term, f->name,
                           cdn_energy_term_name(t->kind), k, x0);
  return cdn_state_set_parameters(state, f->v_parameter, 2 * t->number, 2, (const double[]){ k, x0 });
}
