/* A prmtop as a whole: its atoms, residues, molecules; what of it is refused. */
#include <math.h>

#include "io/prmtop.h"

#define RETURN_NOMEM_UNLESS(pointer) \
  if (!(pointer)) return CDN_ERR_NOMEM /* the log has been told */

/* ---- what is not computed ---- */

static cdn_status refuse_by_pointers(prmtop_data *p) {
  const int32_t *n = p->n;
  const prmtop_section_id id = PRM_POINTERS;
  const cdn_status code = CDN_ERR_UNSUPPORTED;
  if (n[NPARM] > 0)
    return io_prmtop_fail(p, id, code, NPARM,
                          "the topology has several copies of atoms (LES, NPARM = %d), which are not "
                          "computed; make it without addles",
                          n[NPARM]);
  if (n[IFPERT] > 0)
    return io_prmtop_fail(p, id, code, IFPERT,
                          "the topology is perturbed (IFPERT = %d), which is not computed; make one "
                          "for each end state",
                          n[IFPERT]);
  if (n[NUMEXTRA] > 0)
    return io_prmtop_fail(p, id, code, NUMEXTRA,
                          "there are %d extra points, which are not computed; use a model of "
                          "water with three points, or remove the water",
                          n[NUMEXTRA]);
  if (n[IFBOX] > 0 && !p->def.ignore_box)
    return io_prmtop_fail(p, id, code, IFBOX,
                          "the system is in a periodic box (IFBOX = %d), which forces do not know; "
                          "drop the box (--ignore-box), or make a topology without water and box",
                          n[IFBOX]);
  const prmtop_section *ipol = &p->section[PRM_IPOL];
  if (ipol->values.count > 0 && io_prmtop_ints(p, PRM_IPOL)[0] != 0)
    return io_prmtop_fail(p, PRM_IPOL, code, 0,
                          "atoms are polarizable (IPOL = %d), which is not computed; use a force "
                          "field with fixed charges",
                          io_prmtop_ints(p, PRM_IPOL)[0]);
  if (n[IFBOX] > 0) io_warn(&p->log, p->section[id].first_line, "the periodic box is dropped");
  if (n[IFCAP] > 0) io_warn(&p->log, p->section[id].first_line, "the cap of solvent exerts no forces");
  return p->log.error.code;
}

/* ---- atoms ---- */

static const char *const *list_names(prmtop_data *p, prmtop_section_id id, int32_t n) {
  const char **names = io_blocks_new(&p->blocks, &p->log, (size_t)n, sizeof *names);
  const char *text = p->section[id].values.data;
  for (int32_t i = 0; names && i < n; i++) names[i] = text ? text + (size_t)i * PRMTOP_NAME : "";
  return names;
}

static cdn_status refuse_extra_point(prmtop_data *p, prmtop_section_id id, int32_t i) {
  return io_prmtop_fail(
      p, id, CDN_ERR_UNSUPPORTED, i,
      "atom %d ('%s') is an extra point without mass, which is not computed; use a model without extra "
      "points, or remove the water",
      i + 1, p->shown.name[i]);
}

static cdn_status make_elements(prmtop_data *p) {
  cdn_prmtop *s = &p->shown;
  const bool there = io_prmtop_has(p, PRM_ATOMIC_NUMBER);
  const int32_t *given = io_prmtop_ints(p, PRM_ATOMIC_NUMBER);
  int32_t *number = io_blocks_new(&p->blocks, &p->log, (size_t)s->n_atoms, sizeof *number);
  RETURN_NOMEM_UNLESS(number);
  for (int32_t i = 0; i < s->n_atoms; i++) {
    if (there && given[i] == 0) return refuse_extra_point(p, PRM_ATOMIC_NUMBER, i);
    number[i] = there && given[i] > 0 ? given[i] : io_element_by_mass(s->mass[i], s->name[i]);
    if (!io_element_symbol(number[i])[0])
      return io_prmtop_fail(p, there ? PRM_ATOMIC_NUMBER : PRM_MASS, CDN_ERR_PARSE, i,
                            "atom %d ('%s', %g Da) is of no element; %s", i + 1, s->name[i], s->mass[i],
                            there ? "its atomic number is not from 1 to 92"
                                  : "add a section ATOMIC_NUMBER (ParmEd does)");
  }
  if (!there)
    io_warn(&p->log, p->section[PRM_MASS].line,
            "there is no section %%FLAG ATOMIC_NUMBER: elements are found by masses "
            "and names");
  s->atomic_number = number;
  return p->log.error.code;
}

static cdn_status make_atoms(prmtop_data *p) {
  cdn_prmtop *s = &p->shown;
  const int32_t n = s->n_atoms, *types = io_prmtop_ints(p, PRM_ATOM_TYPE_INDEX);
  s->name = list_names(p, PRM_ATOM_NAME, n);
  s->type_name = list_names(p, PRM_AMBER_ATOM_TYPE, n);
  s->tree_class = list_names(p, PRM_TREE_CHAIN_CLASSIFICATION, n);
  double *charge = io_blocks_new(&p->blocks, &p->log, (size_t)n, sizeof *charge);
  int32_t *type = io_blocks_new(&p->blocks, &p->log, (size_t)n, sizeof *type);
  RETURN_NOMEM_UNLESS(s->name && s->type_name && s->tree_class && charge && type);
  s->mass = io_prmtop_doubles(p, PRM_MASS);
  s->charge_raw = io_prmtop_doubles(p, PRM_CHARGE);
  for (int32_t i = 0; i < n; i++) {
    charge[i] = s->charge_raw[i] / CDN_AMBER_CHARGE_PER_E;
    type[i] = types[i] - 1;
    if (strcmp(s->name[i], "EP") == 0 || strcmp(s->type_name[i], "EP") == 0)
      return refuse_extra_point(p, PRM_ATOM_NAME, i);
    if (types[i] < 1 || types[i] > p->n[NTYPES])
      return io_prmtop_fail(p, PRM_ATOM_TYPE_INDEX, CDN_ERR_PARSE, i,
                            "the type of atom %d is %d; POINTERS says that there "
                            "are %d types",
                            i + 1, types[i], p->n[NTYPES]);
    if (s->mass[i] == 0) return refuse_extra_point(p, PRM_MASS, i);
    if (s->mass[i] < 0)
      return io_prmtop_fail(p, PRM_MASS, CDN_ERR_PARSE, i, "the mass of atom %d ('%s') is negative: %g Da", i + 1,
                            s->name[i], s->mass[i]);
  }
  s->charge = charge, s->lj_type = type;
  return make_elements(p);
}

/* ---- radii of Born models ---- */

/* Of Hawkins, Cramer and Truhlar (1996), as tleap writes them by element. */
static double usual_screen(int32_t element) {
  switch (element) {
    case 1: return 0.85;
    case 6: return 0.72;
    case 7: return 0.79;
    case 8: return 0.85;
    case 9: return 0.88;
    case 15: return 0.86;
    case 16: return 0.96;
    default: return 0.8;
  }
}

static cdn_status make_radii(prmtop_data *p) {
  cdn_prmtop *s = &p->shown;
  const prmtop_section *set = &p->section[PRM_RADIUS_SET];
  s->radius_set = set->values.count > 0 ? set->values.data : "";
  if (!io_prmtop_has(p, PRM_RADII)) return CDN_OK;
  s->born_radius = io_prmtop_doubles(p, PRM_RADII);
  for (int32_t i = 0; i < s->n_atoms; i++)
    if (s->born_radius[i] < 0)
      return io_prmtop_fail(p, PRM_RADII, CDN_ERR_PARSE, i, "the radius of atom %d ('%s') is negative: %g A", i + 1,
                            s->name[i], s->born_radius[i]);
  if (io_prmtop_has(p, PRM_SCREEN)) {
    s->screen = io_prmtop_doubles(p, PRM_SCREEN);
    return CDN_OK;
  }
  double *screen = io_blocks_new(&p->blocks, &p->log, (size_t)s->n_atoms, sizeof *screen);
  RETURN_NOMEM_UNLESS(screen);
  for (int32_t i = 0; i < s->n_atoms; i++) screen[i] = usual_screen(s->atomic_number[i]);
  io_warn(&p->log, p->section[PRM_RADII].line,
          "there is no section %%FLAG SCREEN: the factors that tleap writes for "
          "each element are taken");
  s->screen = screen;
  return p->log.error.code;
}

/* ---- residues and molecules ---- */

static cdn_status make_residues(prmtop_data *p) {
  cdn_prmtop *s = &p->shown;
  const int32_t *pointer = io_prmtop_ints(p, PRM_RESIDUE_POINTER), n = s->n_residues;
  int32_t *first = io_blocks_new(&p->blocks, &p->log, (size_t)n + 1, sizeof *first);
  int32_t *residue = io_blocks_new(&p->blocks, &p->log, (size_t)s->n_atoms, sizeof *residue);
  s->residue_name = list_names(p, PRM_RESIDUE_LABEL, n);
  RETURN_NOMEM_UNLESS(first && residue && s->residue_name);
  for (int32_t r = 0; r < n; r++) {
    const int32_t least = r > 0 ? pointer[r - 1] + 1 : 1, most = r > 0 ? s->n_atoms : 1;
    if (pointer[r] < least || pointer[r] > most)
      return io_prmtop_fail(p, PRM_RESIDUE_POINTER, CDN_ERR_PARSE, r,
                            "residue %d begins at atom %d; it must be from %d to "
                            "%d",
                            r + 1, pointer[r], least, most);
    first[r] = pointer[r] - 1;
  }
  first[n] = s->n_atoms;
  for (int32_t r = 0; r < n; r++)
    for (int32_t i = first[r]; i < first[r + 1]; i++) residue[i] = r;
  s->residue_first = first, s->residue = residue;
  return CDN_OK;
}

static cdn_status make_molecules(prmtop_data *p) {
  cdn_prmtop *s = &p->shown;
  const prmtop_section *pointers = &p->section[PRM_SOLVENT_POINTERS], *sizes = &p->section[PRM_ATOMS_PER_MOLECULE];
  if (!pointers->there) return CDN_OK;
  const int32_t *three = pointers->values.data, *size = sizes->values.data;
  if (pointers->values.count != 3 || three[0] < 0 || three[0] > s->n_residues || three[1] < 1 || three[2] < 1 ||
      three[2] - 1 > three[1])
    return io_prmtop_fail(p, PRM_SOLVENT_POINTERS, CDN_ERR_PARSE, 0,
                          "these are not the last residue of the solute, the "
                          "number of molecules, the first one of solvent");
  if (sizes->values.count != (size_t)three[1])
    return io_prmtop_fail(p, sizes->there ? PRM_ATOMS_PER_MOLECULE : PRM_SOLVENT_POINTERS, CDN_ERR_PARSE, -1,
                          "there are sizes of %zu molecules; SOLVENT_POINTERS (line %d) says %d", sizes->values.count,
                          pointers->line, three[1]);
  int64_t sum = 0;
  for (int32_t m = 0; m < three[1]; m++) {
    if (size[m] < 1)
      return io_prmtop_fail(p, PRM_ATOMS_PER_MOLECULE, CDN_ERR_PARSE, m, "molecule %d has %d atoms", m + 1, size[m]);
    sum += size[m];
  }
  if (sum != s->n_atoms)
    return io_prmtop_fail(p, PRM_ATOMS_PER_MOLECULE, CDN_ERR_PARSE, -1,
                          "all molecules together have %lld atoms; POINTERS "
                          "(line %d) says %d",
                          (long long)sum, p->section[PRM_POINTERS].line, s->n_atoms);
  s->n_molecules = three[1], s->molecule_size = size;
  s->n_solute_residues = three[0], s->first_solvent = three[2] - 1;
  return CDN_OK;
}

/* ---- loading ---- */

static cdn_status fill(prmtop_data *p) {
  cdn_prmtop *s = &p->shown;
  CDNI_TRY(io_prmtop_read_sections(p));
  const prmtop_section *title = &p->section[PRM_TITLE];
  s->title = title->values.count > 0 ? title->values.data : "";
  s->n_atoms = p->n[NATOM], s->n_residues = p->n[NRES], s->n_lj_types = p->n[NTYPES], s->box = p->n[IFBOX];
  CDNI_TRY(refuse_by_pointers(p));
  CDNI_TRY(make_atoms(p));
  CDNI_TRY(make_radii(p));
  CDNI_TRY(make_residues(p));
  CDNI_TRY(make_molecules(p));
  CDNI_TRY(io_prmtop_make_terms(p));
  s->n_warnings = (int32_t)p->log.warnings.count;
  s->warnings = p->log.warnings.data;
  return p->log.error.code;
}

cdn_status cdn_prmtop_load(const char *path, const cdn_molecule_read_def *def, cdn_prmtop **out) {
  if (out) *out = NULL;
  cdn_molecule_read_def known;
  CDNI_TRY(io_molecule_arguments(__func__, !path || !out, def, &known));
  prmtop_data *p = cdni_calloc(&known.allocator, sizeof *p);
  if (!p) return cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory");
  p->def = known, p->blocks.allocator = known.allocator;
  cdn_status status = io_molecule_log(&p->log, __func__, path, &known);
  p->shown.file = p->log.file;
  if (status == CDN_OK) status = fill(p);
  if (status == CDN_OK) *out = &p->shown;
  else cdn_prmtop_destroy(&p->shown);
  return status;
}

void cdn_prmtop_destroy(cdn_prmtop *prmtop) {
  if (!prmtop) return;
  prmtop_data *p = (prmtop_data *)prmtop; /* its first member */
  const cdn_allocator a = p->blocks.allocator;
  for (int i = 0; i < PRMTOP_SECTION_COUNT; i++) cdni_array_free(&a, &p->section[i].values);
  io_blocks_free(&p->blocks);
  io_log_free(&p->log);
  cdni_free(&a, p, sizeof *p);
}
