/* Building the description of a molecule: residues, atoms, bonds. */
#include "molecules/molecule.h"

#include <math.h>
#include <stdio.h>

#include "core/sized.h"

CDNI_DEF(atom_def, .residue = -2, .atom_class = -1, .screen = 0.8);

/* ---- the object ---- */

static void copy_name(char *to, size_t size, const char *from) { snprintf(to, size, "%s", from); }

static cdni_array *array_of(cdn_molecule *m, int i) {
  cdni_array *const all[] = { &m->residues,    &m->atoms, &m->bonds,  &m->classes, &m->lj_pairs,
                              &m->definitions, &m->terms, &m->scales, &m->places,  &m->clusters };
  return i < CDNI_COUNT(all) ? all[i] : NULL;
}

cdn_molecule *cdn_molecule_create(const char *name) {
  const cdn_allocator memory = cdni_allocator_or_default((cdn_allocator){ 0 });
  cdn_molecule *m = cdni_calloc(&memory, sizeof *m);
  if (!m) {
    cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory");
    return NULL;
  }
  m->memory = memory;
  copy_name(m->name, sizeof m->name, name ? name : "molecule");
  m->neighbour_coulomb[2] = 1 / 1.2, m->neighbour_coulomb[3] = 1;
  m->neighbour_lj[2] = 0.5, m->neighbour_lj[3] = 1;
  m->coulomb_constant = CDN_COULOMB_CONSTANT;
  m->solvent = cdn_default_solvent_def();
  m->threads = 1;
  return m;
}

/* Functions of terms have one reference more, or less. */
static void hold(const cdn_molecule *m, void act(const cdn_function *)) {
  for (size_t i = 0; i < m->terms.count; i++)
    if (MOL_TERM(m, i).custom) act(MOL_TERM(m, i).custom);
}

cdn_molecule *cdn_molecule_copy(const cdn_molecule *from) {
  CDNI_NEED_OBJECT(from, NULL);
  cdn_molecule *m = cdni_alloc(&from->memory, sizeof *m), *source = (cdn_molecule *)from;
  if (!m) {
    cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory");
    return NULL;
  }
  *m = *from;
  bool ok = true;
  cdni_array *to;
  for (int i = 0; (to = array_of(m, i)); i++) {
    const cdni_array *of = array_of(source, i);
    *to = (cdni_array){ 0 };
    if (of->count == 0) continue;
    void *data = cdni_array_extend(&m->memory, to, of->element, of->count);
    if (data) memcpy(data, of->data, of->count * of->element);
    else ok = false;
  }
  hold(m, cdn_function_retain);
  if (ok) return m;
  cdn_molecule_destroy(m);
  cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory");
  return NULL;
}

void cdn_molecule_destroy(cdn_molecule *m) {
  if (!m) return;
  hold(m, cdn_function_release);
  const cdn_allocator memory = m->memory;
  cdni_array *a;
  for (int i = 0; (a = array_of(m, i)); i++) cdni_array_free(&memory, a);
  cdni_free(&memory, m, sizeof *m);
}

void cdn_molecule_last_error_sized(const cdn_molecule *m, cdn_error *out, size_t struct_size) {
  static const cdn_error none = { 0 };
  cdni_sized_write(out, struct_size, m ? &m->error : &none, sizeof none);
}

/* ---- mistakes ---- */

bool mol_fail(cdn_molecule *m, cdn_status code, const char *function, const char *element, const char *format, ...) {
  if (m->error.code != CDN_OK) return false;
  va_list args;
  va_start(args, format);
  cdni_error_vset(&m->error, code, function, element, format, args);
  va_end(args);
  return false;
}

bool mol_takes(cdn_molecule *m, const char *function) {
  if (m) return m->error.code == CDN_OK;
  cdni_misses(function, "molecule");
  return false;
}

bool mol_has_atom(cdn_molecule *m, const char *function, int atom) {
  if (atom >= 0 && (size_t)atom < m->atoms.count) return true;
  return mol_fail(m, CDN_ERR_ARG, function, m->name, "molecule '%s' has no atom %d: it has %zu, counted from 0",
                  m->name, atom, m->atoms.count);
}

bool mol_push(cdn_molecule *m, const char *function, cdni_array *array, size_t size, const void *value) {
  if (cdni_array_push(&m->memory, array, size, value)) return true;
  return mol_fail(m, CDN_ERR_NOMEM, function, m->name, "out of memory");
}

const char *mol_label(const cdn_molecule *m, int atom, char text[MOL_LABEL]) {
  const mol_atom *a = &MOL_ATOM(m, atom);
  if (a->residue < 0) snprintf(text, MOL_LABEL, "%s", a->name);
  else {
    const mol_residue *r = &CDNI_AT(m->residues, mol_residue, a->residue);
    snprintf(text, MOL_LABEL, "%s%d:%s", r->name, r->sequence, a->name);
  }
  return text;
}

/* Copies a name into its place; longer ones are a mistake. */
static bool take_name(cdn_molecule *m, const char *function, const char *what, const char *name, char *to) {
  if (strlen(name) >= MOLECULE_NAME)
    return mol_fail(m, CDN_ERR_ARG, function, name, "the name of %s '%s' has more than %d characters", what, name,
                    MOLECULE_NAME - 1);
  copy_name(to, MOLECULE_NAME, name);
  return true;
}

/* ---- parts ---- */

int cdn_molecule_add_residue(cdn_molecule *m, const char *name, int sequence) {
  mol_residue r = { .sequence = sequence };
  if (!mol_takes(m, __func__) || !take_name(m, __func__, "residue", name ? name : "", r.name)) return -1;
  return mol_push(m, __func__, &m->residues, sizeof r, &r) ? (int)m->residues.count - 1 : -1;
}

static bool is_positive(double x) { return isfinite(x) && x > 0; }

int cdn_molecule_add_atom(cdn_molecule *m, const cdn_atom_def *given) {
  if (!mol_takes(m, __func__)) return -1;
  cdn_atom_def def;
  const char *unreadable = read_atom_def(&def, given);
  if (unreadable) return mol_fail(m, CDN_ERR_VERSION, __func__, m->name, "%s", unreadable), -1;

  char made_up[MOLECULE_NAME];
  snprintf(made_up, sizeof made_up, "atom%zu", m->atoms.count);
  mol_atom a = { .residue = def.residue == -2 ? (int32_t)m->residues.count - 1 : def.residue,
                 .element = def.element,
                 .atom_class = def.atom_class,
                 .mass = def.mass,
                 .charge = def.charge,
                 .radius = def.radius,
                 .screen = def.screen,
                 .p = def.position };
  if (!take_name(m, __func__, "atom", def.name ? def.name : made_up, a.name)) return -1;
  if (a.residue < -1 || a.residue >= (int)m->residues.count)
    return mol_fail(m, CDN_ERR_ARG, __func__, a.name, "atom '%s': there is no residue %d (yet): add the residue first",
                    a.name, a.residue),
           -1;
  if (a.atom_class < -1 || a.atom_class >= (int)m->classes.count)
    return mol_fail(m, CDN_ERR_ARG, __func__, a.name, "atom '%s': there is no class %d (yet): add the class first",
                    a.name, a.atom_class),
           -1;
  if (!is_positive(a.mass))
    return mol_fail(m, CDN_ERR_ARG, __func__, a.name, "atom '%s': the mass %g is not positive", a.name, a.mass), -1;
  if (!isfinite(a.charge) || !(a.radius >= 0) || !isfinite(a.radius) || !(a.screen >= 0) || !isfinite(a.screen) ||
      !isfinite(cdn_norm(a.p)))
    return mol_fail(m, CDN_ERR_NONFINITE, __func__, a.name,
                    "atom '%s': charge, radius, screen or position is not finite, or negative", a.name),
           -1;
  return mol_push(m, __func__, &m->atoms, sizeof a, &a) ? (int)m->atoms.count - 1 : -1;
}

void cdn_molecule_add_bond(cdn_molecule *m, int a, int b) {
  if (!mol_takes(m, __func__) || !mol_has_atom(m, __func__, a) || !mol_has_atom(m, __func__, b)) return;
  char first[MOL_LABEL];
  mol_bond bond = { .a = a, .b = b, .x = -1, .y = -1 };
  if (a == b) mol_fail(m, CDN_ERR_ARG, __func__, m->name, "atom '%s' is bonded to itself", mol_label(m, a, first));
  else mol_push(m, __func__, &m->bonds, sizeof bond, &bond);
}

mol_bond *mol_find_bond(const cdn_molecule *m, int a, int b) {
  for (size_t i = 0; i < m->bonds.count; i++) {
    mol_bond *e = &MOL_BOND(m, i);
    if ((e->a == a && e->b == b) || (e->a == b && e->b == a)) return e;
  }
  return NULL;
}

/* ---- reading ---- */

int cdn_molecule_atom_count(const cdn_molecule *m) {
  CDNI_NEED_OBJECT(m, -1);
  return (int)m->atoms.count;
}

cdn_status cdn_molecule_atom_sized(const cdn_molecule *m, int atom, cdn_atom_def *out, size_t struct_size) {
  CDNI_NEED_OBJECT(m, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(out, CDN_ERR_ARG);
  if (atom < 0 || (size_t)atom >= m->atoms.count)
    return cdni_refuse(CDN_ERR_ARG, "cdn_molecule_atom", "molecule '%s' has no atom %d", m->name, atom);
  const mol_atom *a = &MOL_ATOM(m, atom);
  cdn_atom_def full = cdn_default_atom_def();
  full.name = a->name, full.residue = a->residue, full.element = a->element, full.mass = a->mass;
  full.charge = a->charge, full.atom_class = a->atom_class, full.radius = a->radius, full.screen = a->screen;
  full.position = a->p;
  cdni_sized_write(out, struct_size, &full, sizeof full);
  return CDN_OK;
}

/* Whether a residue is the one that "ALA2" or "2" means, n characters long. */
static bool is_residue(const mol_residue *r, const char *text, int n) {
  char whole[2 * MOLECULE_NAME];
  const int skip = (int)strlen(r->name);
  snprintf(whole, sizeof whole, "%s%d", r->name, r->sequence);
  return ((int)strlen(whole) == n && strncmp(whole, text, (size_t)n) == 0) ||
         ((int)strlen(whole + skip) == n && strncmp(whole + skip, text, (size_t)n) == 0);
}

int cdn_molecule_find_atom(const cdn_molecule *m, const char *text) {
  CDNI_NEED_OBJECT(m, -1);
  CDNI_NEED_OBJECT(text, -1);
  const char *colon = strchr(text, ':'), *name = colon ? colon + 1 : text;
  int found = -1;
  for (size_t i = 0; i < m->atoms.count; i++) {
    const mol_atom *a = &MOL_ATOM(m, i);
    if (strcmp(a->name, name) != 0) continue;
    if (colon &&
        (a->residue < 0 || !is_residue(&CDNI_AT(m->residues, mol_residue, a->residue), text, (int)(colon - text))))
      continue;
    if (found >= 0) {
      char one[MOL_LABEL], other[MOL_LABEL];
      cdni_refuse(CDN_ERR_ARG, __func__, "'%s' may be %s or %s: name the residue, as in '%s'", text,
                  mol_label(m, found, one), mol_label(m, (int)i, other), one);
      return -1;
    }
    found = (int)i;
  }
  if (found < 0) cdni_refuse(CDN_ERR_ARG, __func__, "molecule '%s' has no atom '%s'", m->name, text);
  return found;
}

void cdn_molecule_set_positions(cdn_molecule *m, const double *x) {
  if (!mol_takes(m, __func__)) return;
  CDNI_NEED_OBJECT_OR_NOTHING(x);
  size_t bad;
  if (!cdni_all_finite(x, 3 * m->atoms.count, &bad)) {
    char label[MOL_LABEL];
    mol_fail(m, CDN_ERR_NONFINITE, __func__, m->name, "the position of atom '%s' has a number that is %g",
             mol_label(m, (int)(bad / 3), label), x[bad]);
    return;
  }
  for (size_t i = 0; i < m->atoms.count; i++) MOL_ATOM(m, i).p = cdn_v3(x[3 * i], x[3 * i + 1], x[3 * i + 2]);
}

void cdn_molecule_positions(const cdn_molecule *m, double *x) {
  CDNI_NEED_OBJECT_OR_NOTHING(m);
  CDNI_NEED_OBJECT_OR_NOTHING(x);
  for (size_t i = 0; i < m->atoms.count; i++) {
    const cdn_vec3 p = MOL_ATOM(m, i).p;
    x[3 * i] = p.x, x[3 * i + 1] = p.y, x[3 * i + 2] = p.z;
  }
}
