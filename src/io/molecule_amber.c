/* The description of a molecule from an AMBER topology. */
#include <cardan/molecule.h>
#include <cardan/molecule_files.h>

#include <math.h>

#include "core/core.h"

static const double KCAL = CDN_KJ_PER_KCAL, ANGSTROM = 1 / CDN_ANGSTROM_PER_NM;

static void add_atoms(cdn_molecule *m, const cdn_prmtop *p, const cdn_vec3 *positions) {
  for (int r = 0; r < p->n_residues; r++) cdn_molecule_add_residue(m, p->residue_name[r], r + 1);
  for (int c = 0; c < p->n_lj_types; c++) cdn_molecule_add_class(m, NULL, 0, 0);
  const double A = KCAL * pow(ANGSTROM, 12), B = KCAL * pow(ANGSTROM, 6);
  for (int i = 0; i < p->n_lj_types; i++)
    for (int j = i; j < p->n_lj_types; j++)
      cdn_molecule_set_lj(m, i, j, A * p->lj_A[i * p->n_lj_types + j], B * p->lj_B[i * p->n_lj_types + j]);
  for (int i = 0; i < p->n_atoms; i++) {
    cdn_atom_def def = cdn_default_atom_def();
    def.name = p->name[i], def.residue = p->residue[i], def.element = p->atomic_number[i];
    def.mass = p->mass[i], def.charge = p->charge[i], def.atom_class = p->lj_type[i];
    if (p->born_radius) def.radius = ANGSTROM * p->born_radius[i];
    if (p->screen) def.screen = p->screen[i];
    if (positions) def.position = positions[i];
    cdn_molecule_add_atom(m, &def);
  }
}

static void add_terms(cdn_molecule *m, const cdn_prmtop *p) {
  for (int i = 0; i < p->n_bonds; i++) {
    const cdn_prmtop_bond *e = &p->bonds[i];
    cdn_molecule_add_bond(m, e->atom[0], e->atom[1]);
    cdn_molecule_add_stretch(m, e->atom[0], e->atom[1], KCAL * e->k / (ANGSTROM * ANGSTROM), ANGSTROM * e->r0);
  }
  for (int i = 0; i < p->n_angles; i++) {
    const cdn_prmtop_angle *e = &p->angles[i];
    cdn_molecule_add_bend(m, e->atom[0], e->atom[1], e->atom[2], KCAL * e->k, e->theta0);
  }
  for (int i = 0; i < p->n_dihedrals; i++) {
    const cdn_prmtop_dihedral *e = &p->dihedrals[i];
    void (*const add)(cdn_molecule *, int, int, int, int, int, double, double) =
        e->improper ? cdn_molecule_add_improper : cdn_molecule_add_torsion;
    /* A periodicity of 0 is a constant energy, which AMBER counts and which exerts no force. */
    if (e->periodicity > 0)
      add(m, e->atom[0], e->atom[1], e->atom[2], e->atom[3], e->periodicity, KCAL * e->k, e->phase);
  }
}

/* The file's list of exclusions counts, and the factors of its 1-4 pairs; not what bonds say. */
static void add_pairs(cdn_molecule *m, const cdn_prmtop *p) {
  static const double as_listed[4] = { 1, 1, 1, 1 };
  cdn_molecule_set_neighbour_scales(m, as_listed, as_listed);
  for (int i = 0; i < p->n_atoms; i++)
    for (int k = p->excluded_first[i]; k < p->excluded_first[i + 1]; k++)
      cdn_molecule_scale_pair(m, i, p->excluded[k], 0, 0);
  for (int i = 0; i < p->n_dihedrals; i++) {
    const cdn_prmtop_dihedral *e = &p->dihedrals[i];
    if (!e->improper && !e->ignore_14) cdn_molecule_scale_pair(m, e->atom[0], e->atom[3], 1 / e->scee, 1 / e->scnb);
  }
}

cdn_molecule *cdn_molecule_from_prmtop(const cdn_prmtop *p, const cdn_vec3 *positions) {
  CDNI_NEED_OBJECT(p, NULL);
  cdn_molecule *m = cdn_molecule_create(p->title[0] ? p->title : NULL);
  if (!m) return NULL;
  add_atoms(m, p, positions);
  add_terms(m, p);
  add_pairs(m, p);
  return m;
}
