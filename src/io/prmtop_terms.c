/* The terms of a prmtop's force field: bonds, bends, torsions, Lennard-Jones' tables, excluded pairs. */
#include <math.h>

#include "io/prmtop.h"

/* AMBER's factors for 1-4 pairs where a file has none: those of the force fields of that time. */
static const double usual_scee = 1.2, usual_scnb = 2.0;

static cdn_status no_memory(prmtop_data *p) { return io_fail(&p->log, CDN_ERR_NOMEM, 0, "out of memory"); }

/* ---- lists ---- */

/* Reads an entry of a list: n atoms as three times their index, and the place of the parameters. `what` is "bond". */
static cdn_status read_entry(prmtop_data *p, prmtop_section_id id, int32_t e, int n, int32_t n_types, const char *what,
                             int32_t *atom, int32_t *type) {
  const long at = (long)e * (n + 1);
  const int32_t *entry = io_prmtop_ints(p, id) + at;
  for (int k = 0; k < n; k++) {
    if (entry[k] % 3 != 0 || entry[k] / 3 >= p->n[NATOM] || entry[k] / 3 <= -p->n[NATOM])
      return io_prmtop_fail(p, id, CDN_ERR_PARSE, at + k,
                            "%s %d has the index %d, which is not three times that of one of "
                            "the %d atoms",
                            what, e + 1, entry[k], p->n[NATOM]);
    if (entry[k] < 0 && k < 2)
      return io_prmtop_fail(p, id, CDN_ERR_PARSE, at + k, "%s %d has the negative index %d", what, e + 1, entry[k]);
    if (entry[k] < 0 && n < 4)
      return io_prmtop_fail(p, id, CDN_ERR_PARSE, at + k, "%s %d has the negative index %d", what, e + 1, entry[k]);
    atom[k] = abs(entry[k]) / 3;
    for (int j = 0; j < k; j++)
      if (atom[j] == atom[k])
        return io_prmtop_fail(p, id, CDN_ERR_PARSE, at + k, "%s %d has atom %d ('%s') twice", what, e + 1, atom[k] + 1,
                              p->shown.name[atom[k]]);
  }
  if (entry[n] < 1 || entry[n] > n_types)
    return io_prmtop_fail(p, id, CDN_ERR_PARSE, at + n, "%s %d has the parameters %d; POINTERS says that there are %d",
                          what, e + 1, entry[n], n_types);
  *type = entry[n] - 1;
  return CDN_OK;
}

static cdn_status make_bonds(prmtop_data *p) {
  const int32_t n_h = p->n[NBONH], n = n_h + p->n[NBONA];
  cdn_prmtop_bond *bonds = io_blocks_new(&p->blocks, &p->log, (size_t)n, sizeof *bonds);
  if (!bonds) return no_memory(p);
  for (int32_t i = 0; i < n; i++) {
    cdn_prmtop_bond *b = &bonds[i];
    b->has_hydrogen = i < n_h;
    CDNI_TRY(read_entry(p, i < n_h ? PRM_BONDS_INC_HYDROGEN : PRM_BONDS_WITHOUT_HYDROGEN, i < n_h ? i : i - n_h, 2,
                        p->n[NUMBND], "bond", b->atom, &b->type));
    b->k = io_prmtop_doubles(p, PRM_BOND_FORCE_CONSTANT)[b->type];
    b->r0 = io_prmtop_doubles(p, PRM_BOND_EQUIL_VALUE)[b->type];
  }
  p->shown.n_bonds = n, p->shown.bonds = bonds;
  return CDN_OK;
}

static cdn_status make_angles(prmtop_data *p) {
  const int32_t n_h = p->n[NTHETH], n = n_h + p->n[NTHETA];
  cdn_prmtop_angle *angles = io_blocks_new(&p->blocks, &p->log, (size_t)n, sizeof *angles);
  if (!angles) return no_memory(p);
  for (int32_t i = 0; i < n; i++) {
    cdn_prmtop_angle *a = &angles[i];
    a->has_hydrogen = i < n_h;
    CDNI_TRY(read_entry(p, i < n_h ? PRM_ANGLES_INC_HYDROGEN : PRM_ANGLES_WITHOUT_HYDROGEN, i < n_h ? i : i - n_h, 3,
                        p->n[NUMANG], "bend", a->atom, &a->type));
    a->k = io_prmtop_doubles(p, PRM_ANGLE_FORCE_CONSTANT)[a->type];
    a->theta0 = io_prmtop_doubles(p, PRM_ANGLE_EQUIL_VALUE)[a->type];
  }
  p->shown.n_angles = n, p->shown.angles = angles;
  return CDN_OK;
}

static cdn_status fill_dihedral(prmtop_data *p, prmtop_section_id id, int32_t e, cdn_prmtop_dihedral *d) {
  CDNI_TRY(read_entry(p, id, e, 4, p->n[NPTRA], "torsion", d->atom, &d->type));
  const int32_t *entry = io_prmtop_ints(p, id) + (long)e * 5;
  const bool factors = p->shown.has_scale_factors;
  const double periodicity = io_prmtop_doubles(p, PRM_DIHEDRAL_PERIODICITY)[d->type];
  d->ignore_14 = entry[2] < 0, d->improper = entry[3] < 0;
  d->k = io_prmtop_doubles(p, PRM_DIHEDRAL_FORCE_CONSTANT)[d->type];
  d->phase = io_prmtop_doubles(p, PRM_DIHEDRAL_PHASE)[d->type];
  d->scee = factors ? io_prmtop_doubles(p, PRM_SCEE_SCALE_FACTOR)[d->type] : usual_scee;
  d->scnb = factors ? io_prmtop_doubles(p, PRM_SCNB_SCALE_FACTOR)[d->type] : usual_scnb;
  if (!(periodicity >= 0 && periodicity <= 100) || periodicity != floor(periodicity))
    return io_prmtop_fail(p, PRM_DIHEDRAL_PERIODICITY, CDN_ERR_PARSE, d->type,
                          "the periodicity %g is no whole number from "
                          "0 to 100",
                          periodicity);
  d->periodicity = (int32_t)periodicity;
  if (!d->improper && !d->ignore_14 && !(d->scee > 0 && d->scnb > 0))
    return io_prmtop_fail(p, d->scee > 0 ? PRM_SCNB_SCALE_FACTOR : PRM_SCEE_SCALE_FACTOR, CDN_ERR_PARSE, d->type,
                          "the factor of torsion %d of line %d is not > 0, and its 1-4 pair is divided by it", e + 1,
                          p->section[id].first_line + (int)(5L * e / p->section[id].per_line));
  return CDN_OK;
}

static cdn_status make_dihedrals(prmtop_data *p) {
  cdn_prmtop *s = &p->shown;
  const int32_t n_h = p->n[NPHIH], n = n_h + p->n[NPHIA];
  cdn_prmtop_dihedral *dihedrals = io_blocks_new(&p->blocks, &p->log, (size_t)n, sizeof *dihedrals);
  if (!dihedrals) return no_memory(p);
  const bool scee = io_prmtop_has(p, PRM_SCEE_SCALE_FACTOR), scnb = io_prmtop_has(p, PRM_SCNB_SCALE_FACTOR);
  if (scee != scnb)
    return io_prmtop_fail(p, scee ? PRM_SCEE_SCALE_FACTOR : PRM_SCNB_SCALE_FACTOR, CDN_ERR_PARSE, -1,
                          "there is no section %%FLAG %s beside it; make the file again",
                          scee ? "SCNB_SCALE_FACTOR" : "SCEE_SCALE_FACTOR");
  s->has_scale_factors = scee;
  if (!scee && n > 0)
    io_warn(&p->log, 0,
            "there are no sections %%FLAG SCEE_SCALE_FACTOR and SCNB_SCALE_FACTOR: 1-4 pairs are divided by "
            "1.2 (Coulomb) and 2.0 (Lennard-Jones)");
  for (int32_t i = 0; i < n; i++) {
    dihedrals[i].has_hydrogen = i < n_h;
    CDNI_TRY(fill_dihedral(p, i < n_h ? PRM_DIHEDRALS_INC_HYDROGEN : PRM_DIHEDRALS_WITHOUT_HYDROGEN,
                           i < n_h ? i : i - n_h, &dihedrals[i]));
  }
  s->n_dihedrals = n, s->dihedrals = dihedrals;
  return p->log.error.code;
}

/* ---- Lennard-Jones ---- */

/* A negative index is of a 10-12 pair: harmless where its coefficients are 0. */
static cdn_status check_hydrogen_bond(prmtop_data *p, long at, int32_t index) {
  const cdni_array *a = &p->section[PRM_HBOND_ACOEF].values, *b = &p->section[PRM_HBOND_BCOEF].values;
  const size_t k = (size_t) - (int64_t)index - 1;
  if (index >= 0 || k >= (size_t)p->n[NPHB] || k >= a->count || k >= b->count)
    return io_prmtop_fail(p, PRM_NONBONDED_PARM_INDEX, CDN_ERR_PARSE, at,
                          "the index %d is of no pair of coefficients: "
                          "there are %d of Lennard-Jones and %d of 10-12 pairs",
                          index, (int)p->section[PRM_LENNARD_JONES_ACOEF].values.count, p->n[NPHB]);
  if (CDNI_AT(*a, double, k) == 0 && CDNI_AT(*b, double, k) == 0) return CDN_OK;
  return io_prmtop_fail(
      p, PRM_NONBONDED_PARM_INDEX, CDN_ERR_UNSUPPORTED, at,
      "the types of atoms %ld and %ld have a 10-12 hydrogen bond (HBOND_ACOEF, line %d), which is not "
      "computed; use a force field of 1994 or later",
      at / p->n[NTYPES] + 1, at % p->n[NTYPES] + 1, p->section[PRM_HBOND_ACOEF].line);
}

static cdn_status make_lj(prmtop_data *p) {
  const size_t n = (size_t)p->n[NTYPES];
  const int32_t *index = io_prmtop_ints(p, PRM_NONBONDED_PARM_INDEX);
  double *A = io_blocks_new(&p->blocks, &p->log, n * n, sizeof *A);
  double *B = io_blocks_new(&p->blocks, &p->log, n * n, sizeof *B);
  if (!A || !B) return no_memory(p);
  for (size_t k = 0; k < n * n; k++) {
    const size_t mirror = k % n * n + k / n;
    if (index[mirror] != index[k])
      return io_prmtop_fail(p, PRM_NONBONDED_PARM_INDEX, CDN_ERR_PARSE, (long)k,
                            "types %zu and %zu have the index %d, and "
                            "the reverse %d",
                            k / n + 1, k % n + 1, index[k], index[mirror]);
    if (index[k] < 1) CDNI_TRY(check_hydrogen_bond(p, (long)k, index[k]));
    if (index[k] < 1) continue;
    if ((size_t)index[k] > p->section[PRM_LENNARD_JONES_ACOEF].values.count)
      return check_hydrogen_bond(p, (long)k, index[k]);
    A[k] = io_prmtop_doubles(p, PRM_LENNARD_JONES_ACOEF)[index[k] - 1];
    B[k] = io_prmtop_doubles(p, PRM_LENNARD_JONES_BCOEF)[index[k] - 1];
  }
  p->shown.lj_A = A, p->shown.lj_B = B;
  return CDN_OK;
}

/* ---- excluded pairs ---- */

static cdn_status make_exclusions(prmtop_data *p) {
  const int32_t n = p->n[NATOM], *count = io_prmtop_ints(p, PRM_NUMBER_EXCLUDED_ATOMS),
                *list = io_prmtop_ints(p, PRM_EXCLUDED_ATOMS_LIST);
  int32_t *first = io_blocks_new(&p->blocks, &p->log, (size_t)n + 1, sizeof *first);
  int32_t *excluded = io_blocks_new(&p->blocks, &p->log, (size_t)p->n[NNB], sizeof *excluded);
  if (!first || !excluded) return no_memory(p);
  int64_t at = 0;
  int32_t kept = 0;
  for (int32_t i = 0; i < n; i++) {
    first[i] = kept;
    if (count[i] < 0 || count[i] > p->n[NNB] - at)
      return io_prmtop_fail(p, PRM_NUMBER_EXCLUDED_ATOMS, CDN_ERR_PARSE, i,
                            "atom %d has %d excluded atoms; with those of "
                            "the atoms before it these are more than the %d of EXCLUDED_ATOMS_LIST",
                            i + 1, count[i], p->n[NNB]);
    for (int32_t k = 0; k < count[i]; k++, at++) {
      if (list[at] == 0 && count[i] == 1) continue; /* stands for none */
      if (list[at] <= i + 1 || list[at] > n)
        return io_prmtop_fail(p, PRM_EXCLUDED_ATOMS_LIST, CDN_ERR_PARSE, (long)at,
                              "atom %d excludes atom %d; it must be "
                              "from %d to %d",
                              i + 1, list[at], i + 2, n);
      excluded[kept++] = list[at] - 1;
    }
  }
  if (at != p->n[NNB])
    return io_prmtop_fail(p, PRM_NUMBER_EXCLUDED_ATOMS, CDN_ERR_PARSE, -1,
                          "the atoms have %lld excluded atoms; POINTERS "
                          "(line %d) says %d",
                          (long long)at, p->section[PRM_POINTERS].line, p->n[NNB]);
  first[n] = kept;
  p->shown.excluded_first = first, p->shown.excluded = excluded;
  return CDN_OK;
}

cdn_status io_prmtop_make_terms(prmtop_data *p) {
  CDNI_TRY(make_bonds(p));
  CDNI_TRY(make_angles(p));
  CDNI_TRY(make_dihedrals(p));
  CDNI_TRY(make_lj(p));
  return make_exclusions(p);
}
