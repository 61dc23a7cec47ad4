/* Adding a molecule to a System: bodies, rods, and the force field with its slots, terms and pairs. */
#include "molecules/field.h"

#include <math.h>
#include <stdio.h>

#include "core/sized.h"
#include "molecules/born.h"
#include "molecules/parts.h"
#include "system/system.h"

CDNI_DEF(solvent_def, .solute = 1, .solvent = 78.5, .surface = 28.3919551, .probe = 0.14);

const char *cdn_energy_term_name(cdn_energy_term term) {
  static const char *const names[] = { "stretch", "bend",      "torsion",        "improper", "lj",
                                       "coulomb", "lj_scaled", "coulomb_scaled", "polar",    "surface" };
  _Static_assert(CDNI_COUNT(names) == CDN_TERM_COUNT, "a term has no name");
  return (int)term >= 0 && term < CDN_TERM_COUNT ? names[term] : NULL;
}

void cdn_molecule_set_solvent(cdn_molecule *m, const cdn_solvent_def *given) {
  if (!mol_takes(m, __func__)) return;
  cdn_solvent_def def;
  const char *unreadable = read_solvent_def(&def, given);
  if (unreadable) mol_fail(m, CDN_ERR_VERSION, __func__, m->name, "%s", unreadable);
  else if ((int)def.model < 0 || def.model >= CDN_SOLVENT_COUNT)
    mol_fail(m, CDN_ERR_ARG, __func__, m->name, "there is no solvent model %d", (int)def.model);
  else if (!(def.solute > 0 && def.solvent > 0 && def.kappa >= 0 && def.surface >= 0 && def.probe >= 0) ||
           !isfinite(def.solute + def.solvent + def.kappa + def.surface + def.probe))
    mol_fail(m, CDN_ERR_ARG, __func__, m->name, "a number of the solvent is negative or not finite");
  else m->solvent = def;
}

enum { MOST_MOLECULE_THREADS = 4096 };
void cdn_molecule_set_threads(cdn_molecule *m, int threads) {
  if (!mol_takes(m, __func__)) return;
  if (threads >= 1 && threads <= MOST_MOLECULE_THREADS) m->threads = threads;
  else mol_fail(m, CDN_ERR_ARG, __func__, m->name, "%d threads: give 1 to %d", threads, (int)MOST_MOLECULE_THREADS);
}

/* ---- memory of a field ---- */

static void *take(field *f, size_t count, size_t size, bool *ok) {
  void *memory = cdni_calloc(&f->memory, (count + 1) * size);
  if (!memory) *ok = false;
  return memory;
}
#define GIVE(f, pointer, count) cdni_free(&(f)->memory, (pointer), ((size_t)(count) + 1) * sizeof *(pointer))

void mol_field_free(field *f) {
  for (int i = 0; f->terms && i < f->n_terms; i++)
    if (f->terms[i].custom) cdn_function_release(f->terms[i].custom);
  mol_born_free(f);
  mol_shares_free(f);
  GIVE(f, f->slot_of, f->n), GIVE(f, f->atom_of, f->n), GIVE(f, f->type, f->n), GIVE(f, f->station, f->n);
  GIVE(f, f->charge, f->n), GIVE(f, f->radius, f->n), GIVE(f, f->screen, f->n), GIVE(f, f->label, f->n);
  GIVE(f, f->bodies, f->n_bodies + 1), GIVE(f, f->terms, f->n_terms), GIVE(f, f->pairs, f->n_pairs);
  GIVE(f, f->left_start, f->n + 1), GIVE(f, f->left_out, f->n_left), GIVE(f, f->next, f->n);
  GIVE(f, f->lj, 2 * f->n_types * f->n_types), GIVE(f, f->parameter, 2 * f->n_terms);
  GIVE(f, f->type_of_class, f->n_classes + 1), GIVE(f, f->joints, f->n_bodies), GIVE(f, f->turns, f->n_bodies),
      GIVE(f, f->element, f->n), GIVE(f, f->bond, f->n_bonds);
}

static void destroy(void *self) { mol_field_free(self); }

/* ---- slots ---- */

static void fill_directions(field_joint *j, const mol_parts *p, const mol_part *part) {
  const mol_root *root = &part->root;
  for (int k = 0; k < 2; k++) {
    j->from[k] = root->from[k], j->toward[k] = root->toward[k];
    if (part->parent >= 0 || part->attached || root->toward[k] < 0) continue;
    const cdn_vec3 d = cdn_sub(MOL_ATOM(p->m, root->toward[k]).p, MOL_ATOM(p->m, root->from[k]).p);
    j->direction[k] = cdn_rotate_inv(part->X.R, d);
  }
}

static void fill_slots(field *f, const mol_parts *p) {
  const cdn_molecule *m = p->m;
  int slot = 0;
  for (int i = 0; i < p->n; i++) {
    f->bodies[i] = (field_body){ p->part[i].body, slot };
    f->joints[i] = (field_joint){ .x = p->part[i].x,
                                  .a = p->part[i].a,
                                  .b = p->part[i].b,
                                  .y = p->part[i].y,
                                  .mobility = mol_joint_of(p, i),
                                  .body = p->part[i].body,
                                  .attached = p->part[i].attached,
                                  .azimuth = p->part[i].azimuth };
    fill_directions(&f->joints[i], p, &p->part[i]);
    for (int k = 0; k < f->n; k++)
      if (p->of_atom[k] == i) f->slot_of[k] = slot, f->atom_of[slot++] = k;
  }
  f->bodies[p->n] = (field_body){ { -1 }, slot };
  for (int i = 0; i < f->n; i++) {
    const mol_atom *a = &MOL_ATOM(m, i);
    const int s = f->slot_of[i];
    f->next[s] = f->bodies[p->of_atom[i] + 1].first;
    f->station[s] = p->station[i];
    f->charge[i] = a->charge;
    f->radius[s] = a->radius, f->screen[s] = a->screen;
    f->element[s] = a->element;
    mol_label(m, i, f->label[i]);
  }
  for (int k = 0; k < f->n_bonds; k++)
    f->bond[k][0] = f->slot_of[MOL_BOND(m, k).a], f->bond[k][1] = f->slot_of[MOL_BOND(m, k).b];
}

/* Types: the classes that atoms have, and one for atoms without. */
static void fill_types(field *f, const cdn_molecule *m, int32_t *class_of_type) {
  const int classes = f->n_classes;
  int32_t *type_of_class = f->type_of_class; /* and at the end of atoms without a class */
  int n = 0;
  for (int c = 0; c <= classes; c++) type_of_class[c] = -1;
  for (int i = 0; i < f->n; i++) {
    const int c = MOL_ATOM(m, i).atom_class, at = c < 0 ? classes : c;
    if (type_of_class[at] < 0) class_of_type[n] = c, type_of_class[at] = n++;
    f->type[f->slot_of[i]] = type_of_class[at];
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      mol_lj_numbers(m, class_of_type[i], class_of_type[j], &f->lj[i * n + j], &f->lj[n * n + i * n + j]);
}

static int count_types(const cdn_molecule *m, int32_t *seen) {
  int n = 0;
  const int classes = (int)m->classes.count;
  for (int c = 0; c <= classes; c++) seen[c] = 0;
  for (size_t i = 0; i < m->atoms.count; i++) {
    const int c = MOL_ATOM(m, i).atom_class, at = c < 0 ? classes : c;
    if (!seen[at]) seen[at] = 1, n++;
  }
  return n;
}

/* ---- terms ---- */

static bool keeps_shape(const mol_parts *p, const mol_term *t, int n) {
  for (int i = 0; i < n; i++) {
    const int k = p->of_atom[t->at[i]];
    bool fixed = true;
    for (int j = 0; fixed && j < n; j++) fixed = mol_is_fixed_to(p, t->at[j], k);
    if (fixed) return true;
  }
  return false;
}

/* The part on whose pin alone a dihedral depends; -1: none. */
static int pin_of(const mol_parts *p, const mol_term *t) {
  for (int reverse = 0; reverse < 2; reverse++) {
    const int x = t->at[reverse ? 3 : 0], a = t->at[reverse ? 2 : 1], b = t->at[reverse ? 1 : 2];
    const int y = t->at[reverse ? 0 : 3], k = p->of_atom[b];
    const mol_part *part = &p->part[k];
    if (part->a != a || part->b != b || mol_joint_of(p, k) != CDN_BOND_TORSION) continue;
    if (part->y < 0) continue; /* nothing turns */
    if (mol_is_fixed_to(p, x, part->parent) && mol_is_fixed_to(p, y, k)) return k;
  }
  return -1;
}

static void fill_terms(field *f, const mol_parts *p) {
  const cdn_molecule *m = p->m;
  for (int i = 0; i < f->n_terms; i++) {
    const mol_term *t = &MOL_TERM(m, i);
    const int n = mol_term_atoms(t->kind);
    field_term *out = &f->terms[i];
    *out = (field_term){ .kind = t->kind, .n = t->n, .number = i, .moves = !keeps_shape(p, t, n), .pin = -1 };
    for (int k = 0; k < 4; k++) out->slot[k] = k < n ? f->slot_of[t->at[k]] : 0;
    f->parameter[2 * i] = t->k, f->parameter[2 * i + 1] = t->x0;
    if (t->custom) out->custom = t->custom, cdn_function_retain(t->custom);
    const int k = n == 4 && out->moves ? pin_of(p, t) : -1;
    if (k < 0) continue;
    const mol_part *part = &p->part[k];
    if (part->x < 0) continue; /* the pin's q is no dihedral */
    out->pin = k;
    const double phi = mol_dihedral(MOL_ATOM(m, t->at[0]).p, MOL_ATOM(m, t->at[1]).p, MOL_ATOM(m, t->at[2]).p,
                                    MOL_ATOM(m, t->at[3]).p, NULL);
    out->offset = phi - mol_dihedral(MOL_ATOM(m, part->x).p, MOL_ATOM(m, part->a).p, MOL_ATOM(m, part->b).p,
                                     MOL_ATOM(m, part->y).p, NULL);
    if (mol_is_of_pin(out)) f->turns[k] = true;
  }
}

/* ---- pairs ---- */

typedef struct listed {
  int32_t i, j;   /* slots, i < j */
  int32_t number; /* of the user's factors of one pair the last ones count */
  double coulomb, lj;
} listed;

static int by_slots(const void *a, const void *b) {
  const listed *x = a, *y = b;
  if (x->i != y->i) return x->i < y->i ? -1 : 1;
  if (x->j != y->j) return x->j < y->j ? -1 : 1;
  return (x->number > y->number) - (x->number < y->number);
}
static bool is_same_pair(const listed *a, const listed *b) { return a->i == b->i && a->j == b->j; }

static void order(listed *e, const field *f, int a, int b, int number, double coulomb, double lj) {
  const int i = f->slot_of[a], j = f->slot_of[b];
  *e = (listed){ i < j ? i : j, i < j ? j : i, number, coulomb, lj };
}

/* Pairs up to four bonds apart whose factors are not both 1. */
static bool list_neighbours(const field *f, const mol_parts *p, cdni_array *list, int32_t *room) {
  const cdn_molecule *m = p->m;
  int32_t *distance = room, *queue = room + f->n;
  int far = 4;
  while (far > 0 && m->neighbour_coulomb[far - 1] == 1 && m->neighbour_lj[far - 1] == 1) far--;
  for (int i = 0; i < f->n; i++) distance[i] = -1;
  for (int i = 0; i < f->n; i++) {
    int head = 0, tail = 0;
    queue[tail++] = i, distance[i] = 0;
    while (head < tail) {
      const int at = queue[head++];
      const int d = distance[at];
      if (d > 0 && at > i) {
        listed e;
        order(&e, f, i, at, 0, m->neighbour_coulomb[d - 1], m->neighbour_lj[d - 1]);
        if ((e.coulomb != 1 || e.lj != 1) && !cdni_array_push(&f->memory, list, sizeof e, &e)) return false;
      }
      for (int k = p->g.start[at]; d < far && k < p->g.start[at + 1]; k++) {
        const int to = p->g.neighbour[k];
        if (distance[to] < 0) distance[to] = d + 1, queue[tail++] = to;
      }
    }
    while (tail > 0) distance[queue[--tail]] = -1;
  }
  return true;
}

/* The user's factors take the place of what bonds say. */
static bool list_pairs(const field *f, const mol_parts *p, cdni_array *list, int32_t *room) {
  const cdn_molecule *m = p->m;
  if (!list_neighbours(f, p, list, room)) return false;
  for (size_t k = 0; k < m->scales.count; k++) {
    const mol_scale *s = &CDNI_AT(m->scales, mol_scale, k);
    listed e;
    order(&e, f, s->a, s->b, 1 + (int)k, s->coulomb, s->lj);
    if (!cdni_array_push(&f->memory, list, sizeof e, &e)) return false;
  }
  if (list->count > 0) qsort(list->data, list->count, sizeof(listed), by_slots);
  size_t n = 0;
  for (size_t k = 0; k < list->count; k++) {
    const listed e = CDNI_AT(*list, listed, k);
    if (n > 0 && is_same_pair(&e, &CDNI_AT(*list, listed, n - 1))) CDNI_AT(*list, listed, n - 1) = e;
    else CDNI_AT(*list, listed, n++) = e;
  }
  list->count = n;
  return true;
}

static bool fill_pairs(field *f, const mol_parts *p, int32_t *room) {
  cdni_array list = { 0 };
  bool ok = list_pairs(f, p, &list, room);
  f->n_left = (int)list.count;
  f->left_start = take(f, (size_t)f->n + 1, sizeof *f->left_start, &ok);
  f->left_out = take(f, list.count, sizeof *f->left_out, &ok);
  int scaled = 0;
  for (size_t k = 0; k < list.count; k++) {
    const listed *e = &CDNI_AT(list, listed, k);
    if (e->coulomb != 0 || e->lj != 0) scaled++;
  }
  f->pairs = take(f, (size_t)scaled, sizeof *f->pairs, &ok);
  f->n_pairs = scaled;
  for (size_t k = 0, at = 0; ok && k < list.count; k++) {
    const listed *e = &CDNI_AT(list, listed, k);
    f->left_start[e->i + 1]++;
    f->left_out[k] = e->j;
    const int a = f->atom_of[e->i], b = f->atom_of[e->j];
    if (e->coulomb != 0 || e->lj != 0)
      f->pairs[at++] = (field_pair){ e->i, e->j, e->coulomb, e->lj,
                                     !mol_is_fixed_to(p, a, p->of_atom[b]) && !mol_is_fixed_to(p, b, p->of_atom[a]) };
  }
  for (int i = 0; ok && i < f->n; i++) f->left_start[i + 1] += f->left_start[i];
  cdni_array_free(&f->memory, &list);
  return ok;
}

/* ---- the whole ---- */

static bool fill(field *f, const mol_parts *p) {
  const cdn_molecule *m = p->m;
  bool ok = true;
  const size_t n = (size_t)f->n, room_size = 2 * n + 2 * m->classes.count + 4;
  int32_t *room = take(f, room_size, sizeof *room, &ok);
  if (!ok) return false;
  f->n_types = count_types(m, room), f->n_classes = (int)m->classes.count;
  f->type_of_class = take(f, m->classes.count + 1, sizeof *f->type_of_class, &ok);
  f->slot_of = take(f, n, sizeof *f->slot_of, &ok), f->atom_of = take(f, n, sizeof *f->atom_of, &ok);
  f->type = take(f, n, sizeof *f->type, &ok), f->next = take(f, n, sizeof *f->next, &ok);
  f->station = take(f, n, sizeof *f->station, &ok);
  f->charge = take(f, n, sizeof *f->charge, &ok), f->label = take(f, n, sizeof *f->label, &ok);
  f->radius = take(f, n, sizeof *f->radius, &ok), f->screen = take(f, n, sizeof *f->screen, &ok);
  f->bodies = take(f, (size_t)f->n_bodies + 1, sizeof *f->bodies, &ok);
  f->terms = take(f, (size_t)f->n_terms, sizeof *f->terms, &ok);
  f->parameter = take(f, 2 * (size_t)f->n_terms, sizeof *f->parameter, &ok);
  f->lj = take(f, 2 * (size_t)f->n_types * (size_t)f->n_types, sizeof *f->lj, &ok);
  f->joints = take(f, (size_t)f->n_bodies, sizeof *f->joints, &ok);
  f->turns = take(f, (size_t)f->n_bodies, sizeof *f->turns, &ok);
  f->element = take(f, n, sizeof *f->element, &ok), f->bond = take(f, (size_t)f->n_bonds, sizeof *f->bond, &ok);
  if (ok) {
    fill_slots(f, p);
    fill_types(f, m, room);
    fill_terms(f, p);
    mol_cutoff_make(f, &m->cutoff);
    ok = fill_pairs(f, p, room) && mol_born_make(f, m) && mol_shares_make(f, m->threads);
  }
  GIVE(f, room, room_size);
  return ok;
}

static bool check(const cdn_molecule *m, cdn_system *system, const char *function) {
  if (m->error.code != CDN_OK)
    return cdni_system_fail(system, m->error.code, function, m->name, "%s", m->error.text), false;
  if (m->atoms.count == 0)
    return cdni_system_fail(system, CDN_ERR_ARG, function, m->name, "molecule '%s' has no atoms", m->name), false;
  if (m->cutoff.distance > 0 && m->solvent.model != CDN_SOLVENT_VACUUM)
    return cdni_system_fail(
               system, CDN_ERR_UNSUPPORTED, function, m->name,
               "molecule '%s' has a solvent and a cutoff: a Born radius depends on all atoms, and cut forces "
               "pull molecules apart: give no cutoff, or no solvent",
               m->name),
           false;
  for (size_t i = 0; m->solvent.model != CDN_SOLVENT_VACUUM && i < m->atoms.count; i++) {
    char label[MOL_LABEL];
    if (!(MOL_ATOM(m, i).radius > 0))
      return cdni_system_fail(system, CDN_ERR_ARG, function, m->name,
                              "atom '%s' has no Born radius, which the solvent needs: set cdn_atom_def.radius",
                              mol_label(m, (int)i, label)),
             false;
  }
  for (size_t i = 0; i < m->bonds.count; i++) {
    const mol_bond *e = &MOL_BOND(m, i);
    char one[MOL_LABEL], other[MOL_LABEL];
    if (cdn_norm(cdn_sub(MOL_ATOM(m, e->a).p, MOL_ATOM(m, e->b).p)) > 0) continue;
    return cdni_system_fail(system, CDN_ERR_SINGULAR, function, m->name,
                            "atoms '%s' and '%s' are bonded and at one place", mol_label(m, e->a, one),
                            mol_label(m, e->b, other)),
           false;
  }
  return true;
}

static void add_rods(cdn_system *system, const mol_parts *p) {
  for (size_t i = 0; i < p->m->bonds.count; i++) {
    const mol_bond *e = &MOL_BOND(p->m, i);
    const int a = p->of_atom[e->a], b = p->of_atom[e->b];
    if (e->mobility != CDN_BOND_CUT || a == b) continue;
    char name[2 * MOL_LABEL + 8], one[MOL_LABEL], other[MOL_LABEL];
    snprintf(name, sizeof name, "%s-%s", mol_label(p->m, e->a, one), mol_label(p->m, e->b, other));
    cdn_system_constrain_rod(system, name, p->part[a].body, p->station[e->a], p->part[b].body, p->station[e->b],
                             cdn_norm(cdn_sub(MOL_ATOM(p->m, e->a).p, MOL_ATOM(p->m, e->b).p)));
  }
}

/* Stations of attached atoms are those in their clusters. */
static void place_attached(mol_parts *p) {
  for (size_t i = 0; i < p->m->places.count; i++) {
    const mol_place *at = &CDNI_AT(p->m->places, mol_place, i);
    const mol_cluster *c = &CDNI_AT(p->m->clusters, mol_cluster, at->cluster);
    if (c->body.i >= 0) p->station[at->atom] = cdn_transform_point(c->X_BC, at->p);
  }
}

cdn_force cdn_system_add_molecule(cdn_system *system, const char *name, const cdn_molecule *m, cdn_body parent) {
  const cdn_force none = { -1 };
  CDNI_NEED_OBJECT(system, none);
  CDNI_NEED_OBJECT(m, none);
  mol_parts p;
  if (cdni_system_refuses(system, __func__) || !check(m, system, __func__)) return none;
  if (!mol_parts_make(&p, system, __func__, m)) {
    mol_parts_free(&p);
    return none;
  }
  mol_find_references(&p);
  for (int i = 0; i < p.n; i++)
    if (!p.part[i].attached) mol_part_add_body(&p, i, system, name, parent);
  place_attached(&p);
  add_rods(system, &p);
  cdn_system_set_units(system, CDN_UNITS_MOLECULAR);

  field f = { .memory = m->memory,
              .n = (int)m->atoms.count,
              .n_bodies = p.n,
              .n_terms = (int)m->terms.count,
              .n_bonds = (int)m->bonds.count,
              .coulomb_constant = m->coulomb_constant,
              .solvent = m->solvent };
  f.row = (f.n + 2 * FIELD_ROW - 1) / FIELD_ROW * FIELD_ROW;
  snprintf(f.name, sizeof f.name, "%s", name ? name : m->name);
  const bool ok = fill(&f, &p);
  mol_parts_free(&p);
  if (!ok) cdni_system_fail(system, CDN_ERR_NOMEM, __func__, m->name, "out of memory");

  cdn_force_ops ops = { .struct_size = sizeof ops,
                        .reads = CDN_READS_POSITION,
                        .calc_force = mol_calc_force,
                        .calc_potential = mol_calc_potential,
                        .calc_derivative = mol_calc_derivative };
  ops.subsystem.name = f.name;
  ops.subsystem.self_size = sizeof f;
  ops.subsystem.declare = mol_declare;
  ops.subsystem.destroy = destroy;
  ops.subsystem.decorate = mol_decorate;
  const cdn_force id = ok ? cdn_system_add_custom_force(system, &ops, &f) : none;
  if (id.i < 0) mol_field_free(&f);
  return id;
}
