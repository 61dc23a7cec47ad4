/* Reading a prmtop: its sections, and what is made of them. */
#ifndef CARDAN_IO_PRMTOP_H
#define CARDAN_IO_PRMTOP_H

#include "io/molecule.h"

/* X(flag, kind, count, needed): the sections that are read. Kinds: I integers, E numbers, A names, T the text of one
 * line. Count: by the POINTERS n; -1: any number. Needed: whether a file without it is refused. */
#define PRMTOP_SECTION_LIST(X)                                       \
  X(TITLE, 'T', -1, false)                                           \
  X(POINTERS, 'I', -1, true)                                         \
  X(ATOM_NAME, 'A', n[NATOM], true)                                  \
  X(CHARGE, 'E', n[NATOM], true)                                     \
  X(ATOMIC_NUMBER, 'I', n[NATOM], false)                             \
  X(MASS, 'E', n[NATOM], true)                                       \
  X(ATOM_TYPE_INDEX, 'I', n[NATOM], true)                            \
  X(NUMBER_EXCLUDED_ATOMS, 'I', n[NATOM], true)                      \
  X(NONBONDED_PARM_INDEX, 'I', n[NTYPES] * n[NTYPES], true)          \
  X(RESIDUE_LABEL, 'A', n[NRES], true)                               \
  X(RESIDUE_POINTER, 'I', n[NRES], true)                             \
  X(BOND_FORCE_CONSTANT, 'E', n[NUMBND], n[NUMBND] > 0)              \
  X(BOND_EQUIL_VALUE, 'E', n[NUMBND], n[NUMBND] > 0)                 \
  X(ANGLE_FORCE_CONSTANT, 'E', n[NUMANG], n[NUMANG] > 0)             \
  X(ANGLE_EQUIL_VALUE, 'E', n[NUMANG], n[NUMANG] > 0)                \
  X(DIHEDRAL_FORCE_CONSTANT, 'E', n[NPTRA], n[NPTRA] > 0)            \
  X(DIHEDRAL_PERIODICITY, 'E', n[NPTRA], n[NPTRA] > 0)               \
  X(DIHEDRAL_PHASE, 'E', n[NPTRA], n[NPTRA] > 0)                     \
  X(SCEE_SCALE_FACTOR, 'E', n[NPTRA], false)                         \
  X(SCNB_SCALE_FACTOR, 'E', n[NPTRA], false)                         \
  X(LENNARD_JONES_ACOEF, 'E', n[NTYPES] * (n[NTYPES] + 1) / 2, true) \
  X(LENNARD_JONES_BCOEF, 'E', n[NTYPES] * (n[NTYPES] + 1) / 2, true) \
  X(BONDS_INC_HYDROGEN, 'I', 3 * n[NBONH], n[NBONH] > 0)             \
  X(BONDS_WITHOUT_HYDROGEN, 'I', 3 * n[NBONA], n[NBONA] > 0)         \
  X(ANGLES_INC_HYDROGEN, 'I', 4 * n[NTHETH], n[NTHETH] > 0)          \
  X(ANGLES_WITHOUT_HYDROGEN, 'I', 4 * n[NTHETA], n[NTHETA] > 0)      \
  X(DIHEDRALS_INC_HYDROGEN, 'I', 5 * n[NPHIH], n[NPHIH] > 0)         \
  X(DIHEDRALS_WITHOUT_HYDROGEN, 'I', 5 * n[NPHIA], n[NPHIA] > 0)     \
  X(EXCLUDED_ATOMS_LIST, 'I', n[NNB], true)                          \
  X(HBOND_ACOEF, 'E', -1, false)                                     \
  X(HBOND_BCOEF, 'E', -1, false)                                     \
  X(AMBER_ATOM_TYPE, 'A', n[NATOM], false)                           \
  X(TREE_CHAIN_CLASSIFICATION, 'A', n[NATOM], false)                 \
  X(SOLVENT_POINTERS, 'I', -1, false)                                \
  X(ATOMS_PER_MOLECULE, 'I', -1, false)                              \
  X(RADIUS_SET, 'T', -1, false)                                      \
  X(RADII, 'E', n[NATOM], false)                                     \
  X(SCREEN, 'E', n[NATOM], false)                                    \
  X(IPOL, 'I', -1, false)

#define PRMTOP_SECTION_ENUM(flag, kind, count, needed) PRM_##flag,
typedef enum prmtop_section_id { PRMTOP_SECTION_LIST(PRMTOP_SECTION_ENUM) PRMTOP_SECTION_COUNT } prmtop_section_id;

/* The numbers of POINTERS, by AMBER's names. */
enum {
  NATOM,
  NTYPES,
  NBONH,
  MBONA,
  NTHETH,
  MTHETA,
  NPHIH,
  MPHIA,
  NHPARM,
  NPARM,
  NNB,
  NRES,
  NBONA,
  NTHETA,
  NPHIA,
  NUMBND,
  NUMANG,
  NPTRA,
  NATYP,
  NPHB,
  IFPERT,
  NBPER,
  NGPER,
  NDPER,
  MBPER,
  MGPER,
  MDPER,
  IFBOX,
  NMXRS,
  IFCAP,
  NUMEXTRA,
  NCOPY,
  PRMTOP_POINTERS
};

enum { PRMTOP_NAME = 8 }; /* bytes of a name, with its final 0 */

typedef struct prmtop_section {
  const char *flag;
  char kind;
  int line, first_line; /* of its %FLAG, of its first data */
  int per_line, width;  /* as its %FORMAT says */
  bool there;
  cdni_array values; /* int32_t, double, names of PRMTOP_NAME bytes; of a text its char */
} prmtop_section;

typedef struct prmtop_data {
  cdn_prmtop shown; /* what the program gets; the first member */
  cdn_molecule_read_def def;
  io_log log;
  io_blocks blocks;
  prmtop_section section[PRMTOP_SECTION_COUNT];
  int32_t n[PRMTOP_POINTERS];
} prmtop_data;

/* prmtop_sections.c: reads the file into its sections, of the kinds that the list says. Refuses, by the flag, what is
 * not computed. */
cdn_status io_prmtop_read_sections(prmtop_data *p);
/* Fails at value k of a section (k < 0: at its %FLAG). */
cdn_status io_prmtop_fail(prmtop_data *p, prmtop_section_id id, cdn_status code, long k, const char *format, ...)
    CDN_PRINTF(5, 6);

/* prmtop_terms.c: bonds, bends, torsions, Lennard-Jones' tables, exclusions. */
cdn_status io_prmtop_make_terms(prmtop_data *p);

static inline const int32_t *io_prmtop_ints(const prmtop_data *p, prmtop_section_id id) {
  return p->section[id].values.data;
}
static inline const double *io_prmtop_doubles(const prmtop_data *p, prmtop_section_id id) {
  return p->section[id].values.data;
}
static inline bool io_prmtop_has(const prmtop_data *p, prmtop_section_id id) { return p->section[id].there; }

#endif
