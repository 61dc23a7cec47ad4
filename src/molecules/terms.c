/* Building the description: classes, van der Waals numbers, terms of bonds, factors of pairs. */
#include <math.h>
#include <stdio.h>

#include "molecules/molecule.h"

static const double KCAL = 4.184, ANGSTROM = 0.1, DEGREE = 0.017453292519943295769;

/* ---- mixing ---- */

cdn_status cdn_mix_lj(cdn_mixing rule, double ri, double ei, double rj, double ej, double *r, double *e) {
  CDNI_NEED_OBJECT(r, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(e, CDN_ERR_ARG);
  *r = *e = 0;
  if (!(ri >= 0 && ei >= 0 && rj >= 0 && ej >= 0) || isinf(ri + ei + rj + ej))
    return cdni_refuse(CDN_ERR_ARG, __func__, "a radius or a depth is negative or not finite");
  const double ri3 = ri * ri * ri, rj3 = rj * rj * rj, depth = sqrt(ei * ej);
  switch (rule) {
    case CDN_MIX_LORENTZ_BERTHELOT: *r = 0.5 * (ri + rj), *e = depth; return CDN_OK;
    case CDN_MIX_JORGENSEN: *r = sqrt(ri * rj), *e = depth; return CDN_OK;
    case CDN_MIX_HALGREN: {
      const double below = ri * ri + rj * rj, roots = sqrt(ei) + sqrt(ej);
      if (below > 0) *r = (ri3 + rj3) / below;
      if (roots > 0) *e = 4 * ei * ej / (roots * roots);
      return CDN_OK;
    }
    case CDN_MIX_WALDMAN_HAGLER: {
      const double r6 = 0.5 * (ri3 * ri3 + rj3 * rj3);
      *r = cbrt(sqrt(r6));
      if (r6 > 0) *e = depth * ri3 * rj3 / r6;
      return CDN_OK;
    }
    case CDN_MIX_KONG: {
      const double r6 = sqrt(ei * ri3 * ri3 * ej * rj3 * rj3); /* e r^6 */
      const double mean = 0.5 * (pow(ei * ri3 * ri3 * ri3 * ri3, 1.0 / 13) + pow(ej * rj3 * rj3 * rj3 * rj3, 1.0 / 13));
      const double r12 = pow(mean, 13); /* e r^12 */
      if (r6 > 0) *r = cbrt(sqrt(r12 / r6)), *e = r6 * r6 / r12;
      return CDN_OK;
    }
    case CDN_MIX_COUNT: break;
  }
  return cdni_refuse(CDN_ERR_ARG, __func__, "there is no mixing rule %d", (int)rule);
}

void mol_lj_numbers(const cdn_molecule *m, int i, int j, double *A, double *B) {
  *A = *B = 0;
  if (i < 0 || j < 0) return;
  for (size_t k = m->lj_pairs.count; k-- > 0;) {
    const mol_lj *own = &CDNI_AT(m->lj_pairs, mol_lj, k);
    if ((own->i == i && own->j == j) || (own->i == j && own->j == i)) {
      *A = own->A, *B = own->B;
      return;
    }
  }
  const mol_class *a = &CDNI_AT(m->classes, mol_class, i), *b = &CDNI_AT(m->classes, mol_class, j);
  double r, e;
  if (cdn_mix_lj(m->mixing, a->radius, a->depth, b->radius, b->depth, &r, &e)) return;
  const double s = 2 * r, s6 = s * s * s * s * s * s;
  *A = e * s6 * s6, *B = 2 * e * s6;
}

/* ---- classes ---- */

static int add_class(cdn_molecule *m, const char *function, const char *name, double radius, double depth) {
  if (!mol_takes(m, function)) return -1;
  mol_class c = { .radius = radius, .depth = depth };
  snprintf(c.name, sizeof c.name, "%s", name ? name : "");
  if (!(radius >= 0 && depth >= 0) || isinf(radius + depth))
    return mol_fail(m, CDN_ERR_ARG, function, c.name, "class '%s': radius %g or depth %g is negative or not finite",
                    c.name, radius, depth),
           -1;
  return mol_push(m, function, &m->classes, sizeof c, &c) ? (int)m->classes.count - 1 : -1;
}

int cdn_molecule_add_class(cdn_molecule *m, const char *name, double radius, double depth) {
  return add_class(m, __func__, name, radius, depth);
}
int cdn_molecule_add_class_kA(cdn_molecule *m, const char *name, double radius, double depth) {
  return add_class(m, __func__, name, ANGSTROM * radius, KCAL * depth);
}

static bool has_class(cdn_molecule *m, const char *function, int c, bool any) {
  if ((any && c == CDN_ANY_CLASS) || (c >= 0 && (size_t)c < m->classes.count)) return true;
  return mol_fail(m, CDN_ERR_ARG, function, m->name, "molecule '%s' has no class %d%s", m->name, c,
                  c == CDN_ANY_CLASS ? ": a wildcard is not allowed here" : " (yet): add the class first");
}

void cdn_molecule_set_mixing(cdn_molecule *m, cdn_mixing rule) {
  if (!mol_takes(m, __func__)) return;
  if ((int)rule < 0 || rule >= CDN_MIX_COUNT)
    mol_fail(m, CDN_ERR_ARG, __func__, m->name, "there is no mixing rule %d", (int)rule);
  else m->mixing = rule;
}

void cdn_molecule_set_lj(cdn_molecule *m, int i, int j, double A, double B) {
  if (!mol_takes(m, __func__) || !has_class(m, __func__, i, false) || !has_class(m, __func__, j, false)) return;
  mol_lj own = { i, j, A, B };
  if (!isfinite(A) || !isfinite(B))
    mol_fail(m, CDN_ERR_NONFINITE, __func__, m->name, "A or B of classes %d and %d is not finite", i, j);
  else mol_push(m, __func__, &m->lj_pairs, sizeof own, &own);
}

/* ---- terms ---- */

/* Checks the numbers of a term; `of` names it. */
static bool check_numbers(cdn_molecule *m, const char *function, const mol_term *t, const char *of) {
  const bool turns = mol_term_atoms(t->kind) == 4;
  if (!isfinite(t->k) || !isfinite(t->x0))
    return mol_fail(m, CDN_ERR_NONFINITE, function, m->name, "%s: a number is not finite", of);
  if (!turns && t->k < 0)
    return mol_fail(m, CDN_ERR_ARG, function, m->name, "%s: the stiffness %g is negative", of, t->k);
  if (t->kind == CDN_TERM_STRETCH && !(t->x0 > 0))
    return mol_fail(m, CDN_ERR_ARG, function, m->name, "%s: the length %g is not positive", of, t->x0);
  if (turns && (t->n < 1 || t->n > MOST_PERIODICITY))
    return mol_fail(m, CDN_ERR_ARG, function, m->name, "%s: the periodicity %d is not between 1 and %d", of, t->n,
                    MOST_PERIODICITY);
  return true;
}

static void define(cdn_molecule *m, const char *function, mol_term t) {
  if (!mol_takes(m, function)) return;
  const int n = mol_term_atoms(t.kind);
  for (int i = 0; i < n; i++) {
    const bool any = t.kind == CDN_TERM_IMPROPER ? i != 2 : n == 4 && (i == 0 || i == 3);
    if (!has_class(m, function, t.at[i], any)) return;
  }
  char of[64];
  snprintf(of, sizeof of, "%s of classes %d, %d", cdn_energy_term_name(t.kind), t.at[0], t.at[1]);
  if (check_numbers(m, function, &t, of)) mol_push(m, function, &m->definitions, sizeof t, &t);
}

void cdn_molecule_define_stretch(cdn_molecule *m, int c1, int c2, double k, double r0) {
  define(m, __func__, (mol_term){ CDN_TERM_STRETCH, { c1, c2, -1, -1 }, 0, k, r0, NULL });
}
void cdn_molecule_define_bend(cdn_molecule *m, int c1, int c2, int c3, double k, double theta0) {
  define(m, __func__, (mol_term){ CDN_TERM_BEND, { c1, c2, c3, -1 }, 0, k, theta0, NULL });
}
void cdn_molecule_define_torsion(cdn_molecule *m, int c1, int c2, int c3, int c4, int n, double k, double phase) {
  define(m, __func__, (mol_term){ CDN_TERM_TORSION, { c1, c2, c3, c4 }, n, k, phase, NULL });
}
void cdn_molecule_define_improper(cdn_molecule *m, int c1, int c2, int c3, int c4, int n, double k, double phase) {
  define(m, __func__, (mol_term){ CDN_TERM_IMPROPER, { c1, c2, c3, c4 }, n, k, phase, NULL });
}
void cdn_molecule_define_stretch_kA(cdn_molecule *m, int c1, int c2, double k, double r0) {
  cdn_molecule_define_stretch(m, c1, c2, k * KCAL / (ANGSTROM * ANGSTROM), r0 * ANGSTROM);
}
void cdn_molecule_define_bend_kA(cdn_molecule *m, int c1, int c2, int c3, double k, double theta0) {
  cdn_molecule_define_bend(m, c1, c2, c3, k * KCAL, theta0 * DEGREE);
}
void cdn_molecule_define_torsion_kA(cdn_molecule *m, int c1, int c2, int c3, int c4, int n, double k, double phase) {
  cdn_molecule_define_torsion(m, c1, c2, c3, c4, n, k * KCAL, phase * DEGREE);
}
void cdn_molecule_define_improper_kA(cdn_molecule *m, int c1, int c2, int c3, int c4, int n, double k, double phase) {
  cdn_molecule_define_improper(m, c1, c2, c3, c4, n, k * KCAL, phase * DEGREE);
}

/* "torsion of ALA2:N, ALA2:CA, ALA2:C, NME3:N" */
static void name_term(const cdn_molecule *m, const mol_term *t, char *text, size_t size) {
  int at = snprintf(text, size, "%s of ", cdn_energy_term_name(t->kind));
  for (int i = 0; i < mol_term_atoms(t->kind) && at > 0 && (size_t)at < size; i++) {
    char label[MOL_LABEL];
    at += snprintf(text + at, size - (size_t)at, "%s%s", i ? ", " : "", mol_label(m, t->at[i], label));
  }
}

static bool add_term(cdn_molecule *m, const char *function, mol_term t) {
  if (!mol_takes(m, function)) return false;
  const int n = mol_term_atoms(t.kind);
  for (int i = 0; i < n; i++)
    if (!mol_has_atom(m, function, t.at[i])) return false;
  char of[5 * MOL_LABEL];
  name_term(m, &t, of, sizeof of);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++)
      if (t.at[i] == t.at[j]) return mol_fail(m, CDN_ERR_ARG, function, m->name, "%s: an atom comes twice", of);
  if (!t.custom && !check_numbers(m, function, &t, of)) return false;
  return mol_push(m, function, &m->terms, sizeof t, &t);
}

void cdn_molecule_add_stretch(cdn_molecule *m, int a, int b, double k, double r0) {
  add_term(m, __func__, (mol_term){ CDN_TERM_STRETCH, { a, b, -1, -1 }, 0, k, r0, NULL });
}
void cdn_molecule_add_bend(cdn_molecule *m, int a, int b, int c, double k, double theta0) {
  add_term(m, __func__, (mol_term){ CDN_TERM_BEND, { a, b, c, -1 }, 0, k, theta0, NULL });
}
void cdn_molecule_add_torsion(cdn_molecule *m, int a, int b, int c, int d, int n, double k, double phase) {
  add_term(m, __func__, (mol_term){ CDN_TERM_TORSION, { a, b, c, d }, n, k, phase, NULL });
}
void cdn_molecule_add_improper(cdn_molecule *m, int a, int b, int c, int d, int n, double k, double phase) {
  add_term(m, __func__, (mol_term){ CDN_TERM_IMPROPER, { a, b, c, d }, n, k, phase, NULL });
}

static void add_custom(cdn_molecule *m, const char *function, mol_term t) {
  if (!mol_takes(m, function)) return;
  if (!t.custom || cdn_function_n_inputs(t.custom) != 1) {
    mol_fail(m, CDN_ERR_ARG, function, m->name, "the energy of a term of one's own must be a function of one input");
    return;
  }
  if (add_term(m, function, t)) cdn_function_retain(t.custom);
}
void cdn_molecule_add_custom_stretch(cdn_molecule *m, int a, int b, cdn_function *energy) {
  add_custom(m, __func__, (mol_term){ CDN_TERM_STRETCH, { a, b, -1, -1 }, 0, 0, 0, energy });
}
void cdn_molecule_add_custom_bend(cdn_molecule *m, int a, int b, int c, cdn_function *energy) {
  add_custom(m, __func__, (mol_term){ CDN_TERM_BEND, { a, b, c, -1 }, 0, 0, 0, energy });
}
void cdn_molecule_add_custom_torsion(cdn_molecule *m, int a, int b, int c, int d, cdn_function *energy) {
  add_custom(m, __func__, (mol_term){ CDN_TERM_TORSION, { a, b, c, d }, 0, 0, 0, energy });
}
void cdn_molecule_add_custom_improper(cdn_molecule *m, int a, int b, int c, int d, cdn_function *energy) {
  add_custom(m, __func__, (mol_term){ CDN_TERM_IMPROPER, { a, b, c, d }, 0, 0, 0, energy });
}

/* ---- terms of classes ---- */

/* How many classes a definition names if it is for these atoms, in this order or, but for impropers, in the reverse;
 * -1: it is not. */
static int fits(const cdn_molecule *m, const mol_term *d, const int32_t *atoms, int n) {
  for (int reverse = 0; reverse < (d->kind == CDN_TERM_IMPROPER ? 1 : 2); reverse++) {
    int named = 0;
    for (int i = 0; i < n && named >= 0; i++) {
      const int c = d->at[reverse ? n - 1 - i : i];
      if (c == CDN_ANY_CLASS) continue;
      named = MOL_ATOM(m, atoms[i]).atom_class == c ? named + 1 : -1;
    }
    if (named >= 0) return named;
  }
  return -1;
}

/* Adds the terms of the definitions that fit best; false: none fits. */
static bool assign(cdn_molecule *m, const char *function, cdn_energy_term kind, const int32_t atoms[4]) {
  const int n = mol_term_atoms(kind);
  int best = -1;
  for (size_t i = 0; i < m->definitions.count; i++) {
    const mol_term *d = &CDNI_AT(m->definitions, mol_term, i);
    if (d->kind != kind) continue;
    const int named = fits(m, d, atoms, n);
    if (named > best) best = named;
  }
  for (size_t i = 0; best >= 0 && i < m->definitions.count; i++) {
    mol_term t = CDNI_AT(m->definitions, mol_term, i);
    if (t.kind != kind || fits(m, &t, atoms, n) != best) continue;
    memcpy(t.at, atoms, sizeof t.at);
    if (!add_term(m, function, t)) return true;
    if (n < 4) break;
  }
  return best >= 0;
}

static void miss(cdn_molecule *m, const char *function, cdn_energy_term kind, const int32_t atoms[4]) {
  char of[5 * MOL_LABEL];
  name_term(m, &(mol_term){ kind, { atoms[0], atoms[1], atoms[2], atoms[3] }, 0, 0, 0, NULL }, of, sizeof of);
  mol_fail(m, CDN_ERR_ARG, function, m->name, "no definition is for the %s: define one of its classes", of);
}

/* Angles and impropers about atom i, dihedrals about its bonds to atoms of higher number. */
static void assign_about(cdn_molecule *m, const char *function, const mol_graph *g, int i) {
  const int begin = g->start[i], end = g->start[i + 1];
  for (int a = begin; a < end; a++)
    for (int b = a + 1; b < end; b++) {
      const int32_t at[4] = { g->neighbour[a], i, g->neighbour[b], -1 };
      if (!assign(m, function, CDN_TERM_BEND, at)) miss(m, function, CDN_TERM_BEND, at);
    }
  if (end - begin == 3)
    for (int a = 0; a < 6; a++) { /* the orders of three; the first that is defined counts */
      const int first = a / 2, second = (first + 1 + a % 2) % 3, third = 3 - first - second;
      const int32_t at[4] = { g->neighbour[begin + first], g->neighbour[begin + second], i,
                              g->neighbour[begin + third] };
      if (assign(m, function, CDN_TERM_IMPROPER, at)) break;
    }
  for (int k = begin; k < end; k++) {
    const int j = g->neighbour[k];
    if (j < i) continue;
    for (int a = begin; a < end; a++)
      for (int b = g->start[j]; b < g->start[j + 1]; b++) {
        const int32_t at[4] = { g->neighbour[a], i, j, g->neighbour[b] };
        if (at[0] != j && at[3] != i && at[0] != at[3]) assign(m, function, CDN_TERM_TORSION, at);
      }
  }
}

void cdn_molecule_assign_terms(cdn_molecule *m) {
  mol_graph g;
  if (!mol_takes(m, __func__)) return;
  if (!mol_graph_make(m, &g)) mol_fail(m, CDN_ERR_NOMEM, __func__, m->name, "out of memory");
  for (size_t i = 0; m->error.code == CDN_OK && i < m->bonds.count; i++) {
    const int32_t at[4] = { MOL_BOND(m, i).a, MOL_BOND(m, i).b, -1, -1 };
    if (!assign(m, __func__, CDN_TERM_STRETCH, at)) miss(m, __func__, CDN_TERM_STRETCH, at);
  }
  for (int i = 0; m->error.code == CDN_OK && i < g.n; i++) assign_about(m, __func__, &g, i);
  mol_graph_free(&g);
}

/* ---- pairs ---- */

static bool check_scale(cdn_molecule *m, const char *function, double scale) {
  if (isfinite(scale)) return true;
  return mol_fail(m, CDN_ERR_NONFINITE, function, m->name, "a factor of pairs is not finite");
}

void cdn_molecule_set_neighbour_scales(cdn_molecule *m, const double coulomb[4], const double lj[4]) {
  if (!mol_takes(m, __func__)) return;
  CDNI_NEED_OBJECT_OR_NOTHING(coulomb);
  CDNI_NEED_OBJECT_OR_NOTHING(lj);
  for (int i = 0; i < 4; i++) {
    if (!check_scale(m, __func__, coulomb[i]) || !check_scale(m, __func__, lj[i])) return;
    m->neighbour_coulomb[i] = coulomb[i], m->neighbour_lj[i] = lj[i];
  }
}

void cdn_molecule_scale_pair(cdn_molecule *m, int a, int b, double coulomb, double lj) {
  if (!mol_takes(m, __func__) || !mol_has_atom(m, __func__, a) || !mol_has_atom(m, __func__, b)) return;
  if (!check_scale(m, __func__, coulomb) || !check_scale(m, __func__, lj)) return;
  char label[MOL_LABEL];
  const mol_scale s = { a < b ? a : b, a < b ? b : a, coulomb, lj };
  if (a == b) mol_fail(m, CDN_ERR_ARG, __func__, m->name, "atom '%s' is no pair", mol_label(m, a, label));
  else mol_push(m, __func__, &m->scales, sizeof s, &s);
}

void cdn_molecule_set_coulomb_constant(cdn_molecule *m, double k) {
  if (!mol_takes(m, __func__)) return;
  if (isfinite(k) && k >= 0) m->coulomb_constant = k;
  else mol_fail(m, CDN_ERR_ARG, __func__, m->name, "Coulomb's constant %g is negative or not finite", k);
}
