/* The atoms of a prmtop in a PDB file, by the names of residues and atoms. */
#include <ctype.h>

#include "io/pdb.h"

/* Names of one residue: forms that differ in their protons, and the same thing in two vocabularies. */
static const char *const forms[][6] = {
  { "HIS", "HID", "HIE", "HIP", "HSD", "HSE" },
  { "CYS", "CYX", "CYM", "CYS2" },
  { "ASP", "ASH" },
  { "GLU", "GLH" },
  { "LYS", "LYN" },
  { "WAT", "HOH", "TIP3", "TIP", "SOL", "H2O" },
  { "A", "RA", "ADE", "RA5", "RA3" },
  { "C", "RC", "CYT", "RC5", "RC3" },
  { "G", "RG", "GUA", "RG5", "RG3" },
  { "U", "RU", "URA", "RU5", "RU3" },
  { "DA", "DA5", "DA3" },
  { "DC", "DC5", "DC3" },
  { "DG", "DG5", "DG3" },
  { "DT", "DT5", "DT3", "THY" },
  { "NH2", "NHE" },
  { "NME", "NMA" },
};

/* The row of a name, or -1. Names of residues at the ends of chains may have N or C before them (NALA). */
static int form_of(const char *name) {
  for (int i = 0; i < CDNI_COUNT(forms); i++)
    for (int k = 0; k < 6 && forms[i][k]; k++)
      if (strcmp(forms[i][k], name) == 0) return i;
  return -1;
}

static bool same_residue(const char *a, const char *b) {
  for (int k = 0; k < 2; k++) {
    const char **longer = strlen(a) > strlen(b) ? &a : &b;
    if (strcmp(a, b) == 0 || (form_of(a) >= 0 && form_of(a) == form_of(b))) return true;
    if (strlen(*longer) != 4 || ((*longer)[0] != 'N' && (*longer)[0] != 'C')) return false;
    ++*longer;
  }
  return strcmp(a, b) == 0;
}

/* A name without what vocabularies differ in: a digit in front goes to the end, primes are asterisks. */
static void plain_name(const char *name, char to[8]) {
  const size_t n = strlen(name) < 7 ? strlen(name) : 7;
  const bool turned = n > 1 && isdigit((unsigned char)name[0]) && isalpha((unsigned char)name[1]);
  for (size_t k = 0; k < n; k++) to[k] = name[turned ? (k + 1) % n : k];
  to[n] = 0;
  for (char *c = to; *c; c++)
    if (*c == '*') *c = '\'';
}

/* Names of the same atom of an amino acid or nucleotide. */
static bool synonyms(const char *a, const char *b) {
  static const char *const same[][2] = { { "H", "HN" },    { "OXT", "O2" },  { "OXT", "OT2" }, { "O", "OT1" },
                                         { "O", "O1" },    { "H1", "HT1" },  { "H2", "HT2" },  { "H3", "HT3" },
                                         { "O1P", "OP1" }, { "O2P", "OP2" }, { "C7", "C5M" },  { "O", "OW" },
                                         { "H1", "HW1" },  { "H2", "HW2" } };
  for (int k = 0; k < CDNI_COUNT(same); k++)
    if ((strcmp(a, same[k][0]) == 0 && strcmp(b, same[k][1]) == 0) ||
        (strcmp(a, same[k][1]) == 0 && strcmp(b, same[k][0]) == 0))
      return true;
  return false;
}

/* How an atom's name fits: by itself, but for a digit in front, by another vocabulary. */
enum { FITS_EXACTLY, FITS_PLAINLY, FITS_AS_SYNONYM, WAYS };

static bool fits(int way, const char *a, const char *b) {
  char x[8], y[8];
  if (way == FITS_EXACTLY) return strcmp(a, b) == 0;
  plain_name(a, x), plain_name(b, y);
  return way == FITS_PLAINLY ? strcmp(x, y) == 0 : synonyms(x, y);
}

static cdn_status match_residue(const cdn_prmtop *prmtop, const cdn_pdb *pdb, int32_t r, bool *taken,
                                int32_t *pdb_atom) {
  const int32_t first = prmtop->residue_first[r], end = prmtop->residue_first[r + 1], from = pdb->residue_first[r],
                to = pdb->residue_first[r + 1];
  const cdn_pdb_atom *b = &pdb->atoms[from];
  if (!same_residue(prmtop->residue_name[r], b->residue_name))
    return cdni_refuse(
        CDN_ERR_PARSE, "cdn_prmtop_match_pdb",
        "residue %d is '%s' in '%s', and '%s' (number %d, chain '%s') in '%s'; give two files of one molecule", r + 1,
        prmtop->residue_name[r], prmtop->file, b->residue_name, b->residue_number, b->chain, pdb->file);
  if (end - first != to - from)
    return cdni_refuse(
        CDN_ERR_PARSE, "cdn_prmtop_match_pdb",
        "residue %d ('%s') has %d atoms in '%s', and %d in '%s'; add or remove atoms there, hydrogens perhaps", r + 1,
        prmtop->residue_name[r], end - first, prmtop->file, to - from, pdb->file);
  for (int32_t i = first; i < end; i++) pdb_atom[i] = -1;
  for (int way = 0; way < WAYS; way++)
    for (int32_t i = first; i < end; i++)
      for (int32_t j = from; j < to && pdb_atom[i] < 0; j++) {
        if (taken[j] || !fits(way, prmtop->name[i], pdb->atoms[j].name)) continue;
        taken[j] = true;
        pdb_atom[i] = j;
      }
  for (int32_t i = first; i < end; i++)
    if (pdb_atom[i] < 0)
      return cdni_refuse(
          CDN_ERR_PARSE, "cdn_prmtop_match_pdb",
          "atom '%s' of residue %d ('%s') of '%s' is not in '%s' (number %d, chain '%s'); rename it there",
          prmtop->name[i], r + 1, prmtop->residue_name[r], prmtop->file, pdb->file, b->residue_number, b->chain);
  return CDN_OK;
}

cdn_status cdn_prmtop_match_pdb(const cdn_prmtop *prmtop, const cdn_pdb *pdb, int32_t *pdb_atom) {
  CDNI_NEED_OBJECT(prmtop, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(pdb, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(pdb_atom, CDN_ERR_ARG);
  const int32_t n = prmtop->n_residues < pdb->n_residues ? prmtop->n_residues : pdb->n_residues;
  const cdn_allocator a = cdni_allocator_or_default((cdn_allocator){ .alloc = NULL });
  bool *taken = cdni_calloc(&a, (size_t)pdb->n_atoms * sizeof *taken);
  if (!taken) return cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory");
  cdn_status status = CDN_OK;
  for (int32_t r = 0; r < n && status == CDN_OK; r++) status = match_residue(prmtop, pdb, r, taken, pdb_atom);
  cdni_free(&a, taken, (size_t)pdb->n_atoms * sizeof *taken);
  CDNI_TRY(status);
  if (prmtop->n_residues != pdb->n_residues)
    return cdni_refuse(CDN_ERR_PARSE, __func__, "'%s' has %d residues, and '%s' %d; give two files of one molecule",
                       prmtop->file, prmtop->n_residues, pdb->file, pdb->n_residues);
  return CDN_OK;
}
