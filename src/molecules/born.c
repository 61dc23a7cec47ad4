/* Generalized Born solvents: constants, radii, energies. */
#include "molecules/born.h"

#include <math.h>

#include "molecules/necks.h"
#include "system/system.h"

/* Numbers of a model; the tanh's are by element in GBn2, and there is none in HCT. */
typedef struct born_model {
  double offset, alpha, beta, gamma, neck;
} born_model;
static const born_model models[CDN_SOLVENT_COUNT] = {
  [CDN_SOLVENT_HCT] = { 0.009, 0, 0, 0, 0 },
  [CDN_SOLVENT_OBC1] = { 0.009, 0.8, 0, 2.909125, 0 },
  [CDN_SOLVENT_OBC2] = { 0.009, 1, 0.8, 4.85, 0 },
  [CDN_SOLVENT_GBN] = { 0.009, 1.09511284, 1.907992938, 2.50798245, 0.361825 },
  [CDN_SOLVENT_GBN2] = { 0.0195141, 1, 0.8, 4.851, 0.826836 },
};

/* GBn2's alpha, beta and gamma, and the screens that GBn and GBn2 bring, by element: of proteins, and of nucleic acids
 * (H. Nguyen, D. R. Roe, C. Simmerling, J. Chem. Theory Comput. 9:2020, 2013; H. Nguyen, A. Perez, S. Bermeo, C.
 * Simmerling, ibid. 11:3714, 2015; J. Mongan et al., ibid. 3:156, 2007). Element 0: all others. */
typedef struct element_numbers {
  int element;
  double gbn, gbn2, alpha, beta, gamma;
} element_numbers;
static const element_numbers of_proteins[] = {
  { 1, 1.09085413633, 1.425952, 0.788440, 0.798699, 0.437334 },
  { 6, 0.48435382330, 1.058554, 0.733756, 0.506378, 0.205844 },
  { 7, 0.700147318409, 0.733599, 0.503364, 0.316828, 0.192915 },
  { 8, 1.06557401132, 1.061039, 0.867814, 0.876635, 0.387882 },
  { 16, 0.602256336067, -0.703469, 0.867814, 0.876635, 0.387882 },
  { 0, 0.5, 0.5, 1.0, 0.8, 4.851 },
};
static const element_numbers of_nucleic_acids[] = {
  { 1, 1.09085413633, 1.696538, 0.537050, 0.362861, 0.116704 },
  { 6, 0.48435382330, 1.268902, 0.331670, 0.196842, 0.093422 },
  { 7, 0.700147318409, 1.4259728, 0.686311, 0.463189, 0.138722 },
  { 8, 1.06557401132, 0.1840098, 0.606344, 0.463006, 0.142262 },
  { 15, 0.5, 1.5450597, 0.418365, 0.290054, 0.1064245 },
  { 16, 0.602256336067, 0.05, 0.606344, 0.463006, 0.142262 },
  { 0, 0.5, 0.5, 1.0, 0.8, 4.851 },
};

static bool is_nucleic(const cdn_molecule *m, int atom) {
  static const char *const names[] = { "A", "C", "G", "U", "DA", "DC", "DG", "DT" };
  const int r = MOL_ATOM(m, atom).residue;
  if (r < 0) return false;
  const char *name = CDNI_AT(m->residues, mol_residue, r).name;
  const size_t length = strcspn(name, "35"); /* ends of chains: DA5, U3 */
  for (int i = 0; i < CDNI_COUNT(names); i++)
    if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0) return true;
  return false;
}

static const element_numbers *numbers_of(const cdn_molecule *m, int atom) {
  const element_numbers *e = is_nucleic(m, atom) ? of_nucleic_acids : of_proteins;
  while (e->element != 0 && e->element != MOL_ATOM(m, atom).element) e++;
  return e;
}

/* ---- constants ---- */

/* The place of a radius in the tables of necks: 0.1 to 0.2 nm in 20 steps. */
static double neck_number(const double *table, double one, double other) {
  double at[2] = { (one - 0.1) * 200, (other - 0.1) * 200 }, part[2];
  int low[2];
  for (int k = 0; k < 2; k++) {
    at[k] = fmin(fmax(at[k], 0), NECK_RADII - 1);
    low[k] = (int)fmin(floor(at[k]), NECK_RADII - 2);
    part[k] = at[k] - low[k];
  }
  const double *cell = table + low[0] * NECK_RADII + low[1];
  return (1 - part[0]) * ((1 - part[1]) * cell[0] + part[1] * cell[1]) +
         part[0] * ((1 - part[1]) * cell[NECK_RADII] + part[1] * cell[NECK_RADII + 1]);
}

static void fill_necks(field *f, field_born *b, double scale, const double *radius_of_kind) {
  for (int k = 0; k < b->n_kinds; k++)
    for (int j = 0; j < f->n; j++) {
      const int at = k * f->row + j;
      const double own = radius_of_kind[k], other = f->radius[j];
      /* ANGSTROM in the tables: m0 in 1/angstrom, d0 in angstrom */
      b->m0[at] = scale * 10 * neck_number(cdni_neck_m0, other, own);
      b->d0[at] = 0.1 * neck_number(cdni_neck_d0, other, own);
      b->m0_back[at] = scale * 10 * neck_number(cdni_neck_m0, own, other);
      b->d0_back[at] = 0.1 * neck_number(cdni_neck_d0, own, other);
      b->cut[at] = own + other + 0.68;
    }
}

static int find_kinds(const field *f, field_born *b, double *radius_of_kind) {
  int n = 0;
  for (int i = 0; i < f->n; i++) {
    int k = 0;
    while (k < n && radius_of_kind[k] != f->radius[i]) k++;
    if (k == n) radius_of_kind[n++] = f->radius[i];
    b->kind[i] = k;
  }
  return n;
}

bool mol_born_make(field *f, const cdn_molecule *m) {
  const cdn_solvent_model model = f->solvent.model;
  if (model == CDN_SOLVENT_VACUUM) return true;
  const born_model *numbers = &models[model];
  field_born *b = cdni_calloc(&f->memory, sizeof *b);
  const size_t row = (size_t)f->row;
  f->born = b;
  if (!b) return false;
  double *radius_of_kind = cdni_alloc(&f->memory, row * sizeof *radius_of_kind);
  b->kind = cdni_calloc(&f->memory, row * sizeof *b->kind);
  b->rho = cdni_calloc(&f->memory, 5 * row * sizeof *b->rho);
  bool ok = radius_of_kind && b->kind && b->rho;
  if (ok) {
    b->s = b->rho + row, b->alpha = b->s + row, b->beta = b->alpha + row, b->gamma = b->beta + row;
    for (size_t i = 0; i < row; i++) b->rho[i] = 1;
    for (int i = 0; i < f->n; i++) {
      const element_numbers *e = numbers_of(m, f->atom_of[i]);
      const bool gbn = model == CDN_SOLVENT_GBN, gbn2 = model == CDN_SOLVENT_GBN2;
      b->rho[i] = f->radius[i] - numbers->offset;
      b->s[i] = b->rho[i] * (gbn ? e->gbn : gbn2 ? e->gbn2 : f->screen[i]);
      b->alpha[i] = gbn2 ? e->alpha : numbers->alpha;
      b->beta[i] = gbn2 ? e->beta : numbers->beta;
      b->gamma[i] = gbn2 ? e->gamma : numbers->gamma;
    }
    const int kinds = numbers->neck > 0 ? find_kinds(f, b, radius_of_kind) : 0;
    b->m0 = cdni_calloc(&f->memory, (5 * (size_t)kinds + 1) * row * sizeof *b->m0);
    ok = b->m0 != NULL;
    if (ok) {
      const size_t size = (size_t)kinds * row;
      b->n_kinds = kinds;
      b->d0 = b->m0 + size, b->m0_back = b->d0 + size, b->d0_back = b->m0_back + size, b->cut = b->d0_back + size;
      fill_necks(f, b, numbers->neck, radius_of_kind);
    }
  }
  cdni_free(&f->memory, radius_of_kind, row * sizeof *radius_of_kind);
  return ok;
}

void mol_born_free(field *f) {
  field_born *b = f->born;
  if (!b) return;
  const size_t row = (size_t)f->row;
  cdni_free(&f->memory, b->kind, row * sizeof *b->kind);
  cdni_free(&f->memory, b->rho, 5 * row * sizeof *b->rho);
  cdni_free(&f->memory, b->m0, (5 * (size_t)b->n_kinds + 1) * row * sizeof *b->m0);
  cdni_free(&f->memory, b, sizeof *b);
  f->born = NULL;
}

/* ---- evaluation ---- */

born_radius mol_born_radius(const field *f, int i, double I) {
  const field_born *c = f->born;
  const double rho = c->rho[i];
  if (f->solvent.model == CDN_SOLVENT_HCT) {
    const double B = 1 / (1 / rho - I);
    return (born_radius){ B, B * B, 2 * B * B * B };
  }
  const double psi = rho * I, a = c->alpha[i], b = c->beta[i], g = c->gamma[i];
  const double t = tanh(psi * (a - psi * (b - psi * g))), B = 1 / (1 / rho - t / f->radius[i]);
  const double by_psi = a - psi * (2 * b - 3 * psi * g), twice = 6 * psi * g - 2 * b, keep = (1 - t * t) / f->radius[i];
  const double slope = B * B * keep * by_psi * rho; /* B^2 times that of t/radius */
  return (born_radius){ B, slope,
                        2 * slope * slope / B + B * B * keep * rho * rho * (twice - 2 * t * by_psi * by_psi) };
}

double mol_born_surface(const field *f, int i, double B) {
  const double reach = f->radius[i] + f->solvent.probe, ratio = f->radius[i] / B, cube = ratio * ratio * ratio;
  return f->solvent.surface * reach * reach * cube * cube;
}

cdn_status mol_calc_born_radii(const field *f, cdn_state *state, field_work *w, born_work *b) {
  const field_sum sum = { .f = f, .w = w };
  double none[2];
  memset(b->I, 0, (size_t)f->row * sizeof *b->I);
  CDNI_TRY(mol_sum(&sum, state, mol_born_kernels()->integrals, w, b->I, none));
  for (int i = 0; i < f->n; i++) b->B[i] = mol_born_radius(f, i, b->I[i]).B;
  for (int i = f->n; i < f->row; i++) b->B[i] = 1;
  return CDN_OK;
}

/* The energy of each charge in its own field, and the surface's; slopes by B become those by I. */
static double add_own(const field *f, const field_tables *t, double k, double surface, born_work *b, field_work *w) {
  const double kappa = f->solvent.kappa;
  double polar = 0;
  for (int i = 0; i < f->n; i++) {
    const double B = b->B[i], q = t->charge[i], damp = exp(-kappa * B) / f->solvent.solvent;
    const double own = -0.5 * k * q * q / B * (1 / f->solvent.solute - damp);
    polar += own;
    b->slope[i] += -own / B - 0.5 * k * q * q / B * kappa * damp;
    const double area = surface * mol_born_surface(f, i, B);
    w->energy[CDN_TERM_SURFACE] += area;
    b->slope[i] -= 6 * area / B;
    b->slope[i] *= mol_born_radius(f, i, b->I[i]).slope;
  }
  for (int i = f->n; i < f->row; i++) b->slope[i] = 0;
  return polar;
}

cdn_status mol_add_solvent(const field *f, cdn_state *state, const field_tables *t, const double *factor,
                           field_work *w) {
  if (!f->born || (factor[CDN_TERM_POLAR] == 0 && factor[CDN_TERM_SURFACE] == 0)) return CDN_OK;
  const size_t row = (size_t)f->row;
  double *memory = cdn_work_push(state, 3 * row * sizeof *memory), energy[2], none[2];
  if (!memory) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", f->name, "out of memory");
  born_work b = { memory, memory + row, memory + 2 * row };
  memset(b.slope, 0, row * sizeof *b.slope);
  const double k = f->coulomb_constant * factor[CDN_TERM_POLAR];
  const field_sum sum = { .f = f, .t = t, .w = w, .b = &b, .polar = k };
  cdn_status status = mol_calc_born_radii(f, state, w, &b);
  if (!status) status = mol_sum(&sum, state, mol_born_kernels()->polar, w, b.slope, energy);
  if (!status) {
    w->energy[CDN_TERM_POLAR] += energy[0] + add_own(f, t, k, factor[CDN_TERM_SURFACE], &b, w);
    status = mol_sum(&sum, state, mol_born_kernels()->chain, w, NULL, none);
  }
  cdn_work_pop(state, memory);
  return status;
}
