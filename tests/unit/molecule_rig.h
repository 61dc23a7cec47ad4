/* shared by tests in this folder */
/* Small molecules as the texts of their files, in memory. */
#ifndef CARDAN_TESTS_MOLECULE_RIG_H
#define CARDAN_TESTS_MOLECULE_RIG_H

#include <stdio.h>
#include <stdlib.h>

#include "../testing.h"

/* Four atoms in a row, H-C-C-H, in two residues; numbers chosen so that each of them is told apart. */
static const char prmtop_text[] =
    "%VERSION  VERSION_STAMP = V0001.000  DATE = 01/01/20  00:00:00\n"
    "%FLAG TITLE\n%FORMAT(20a4)\nFour atoms in a row\n"
    "%FLAG POINTERS\n%FORMAT(10I8)\n"
    "       4       2       2       1       2       0       2       0       0       0\n"
    "       7       2       1       0       0       2       1       2       2       0\n"
    "       0       0       0       0       0       0       0       0       2       0\n"
    "       0\n"
    "%FLAG ATOM_NAME\n%FORMAT(20a4)\nHA  C1  C2  HB\n"
    "%FLAG CHARGE\n%FORMAT(5E16.8)\n  1.82223000E+00 -1.82223000E+00 -3.64446000E+00  3.64446000E+00\n"
    "%FLAG ATOMIC_NUMBER\n%FORMAT(10I8)\n       1       6       6       1\n"
    "%FLAG MASS\n%FORMAT(5E16.8)\n  1.00800000E+00  1.20100000E+01  1.20100000E+01  1.00800000E+00\n"
    "%FLAG ATOM_TYPE_INDEX\n%FORMAT(10I8)\n       1       2       2       1\n"
    "%FLAG NUMBER_EXCLUDED_ATOMS\n%FORMAT(10I8)\n       3       2       1       1\n"
    "%FLAG NONBONDED_PARM_INDEX\n%FORMAT(10I8)\n       1       2       2       3\n"
    "%FLAG RESIDUE_LABEL\n%FORMAT(20a4)\nAAA BBB\n"
    "%FLAG RESIDUE_POINTER\n%FORMAT(10I8)\n       1       3\n"
    "%FLAG BOND_FORCE_CONSTANT\n%FORMAT(5E16.8)\n  3.40000000E+02  3.10000000E+02\n"
    "%FLAG BOND_EQUIL_VALUE\n%FORMAT(5E16.8)\n  1.09000000E+00  1.52600000E+00\n"
    "%FLAG ANGLE_FORCE_CONSTANT\n%FORMAT(5E16.8)\n  5.00000000E+01\n"
    "%FLAG ANGLE_EQUIL_VALUE\n%FORMAT(5E16.8)\n  1.91113553E+00\n"
    "%FLAG DIHEDRAL_FORCE_CONSTANT\n%FORMAT(5E16.8)\n  1.50000000E-01  1.10000000E+00\n"
    "%FLAG DIHEDRAL_PERIODICITY\n%FORMAT(5E16.8)\n  3.00000000E+00  2.00000000E+00\n"
    "%FLAG DIHEDRAL_PHASE\n%FORMAT(5E16.8)\n  0.00000000E+00  3.14159400E+00\n"
    "%FLAG SCEE_SCALE_FACTOR\n%FORMAT(5E16.8)\n  1.20000000E+00  0.00000000E+00\n"
    "%FLAG SCNB_SCALE_FACTOR\n%FORMAT(5E16.8)\n  2.00000000E+00  0.00000000E+00\n"
    "%FLAG LENNARD_JONES_ACOEF\n%FORMAT(5E16.8)\n  7.51607703E+03  9.71708117E+04  1.04308023E+06\n"
    "%FLAG LENNARD_JONES_BCOEF\n%FORMAT(5E16.8)\n  2.17257828E+01  1.26919150E+02  6.75612247E+02\n"
    "%FLAG BONDS_INC_HYDROGEN\n%FORMAT(10I8)\n       0       3       1       6       9       1\n"
    "%FLAG BONDS_WITHOUT_HYDROGEN\n%FORMAT(10I8)\n       3       6       2\n"
    "%FLAG ANGLES_INC_HYDROGEN\n%FORMAT(10I8)\n       0       3       6       1       3       6       9       1\n"
    "%FLAG DIHEDRALS_INC_HYDROGEN\n%FORMAT(10I8)\n       0       3       6       9       1       0       3      -6      -9       2\n"
    "%FLAG EXCLUDED_ATOMS_LIST\n%FORMAT(10I8)\n       2       3       4       3       4       4       0\n"
    "%FLAG AMBER_ATOM_TYPE\n%FORMAT(20a4)\nHC  CT  CT  HC\n"
    "%FLAG TREE_CHAIN_CLASSIFICATION\n%FORMAT(20a4)\nM   M   M   E\n"
    "%FLAG RADIUS_SET\n%FORMAT(1a80)\nmodified Bondi radii (mbondi)\n"
    "%FLAG RADII\n%FORMAT(5E16.8)\n  1.30000000E+00  1.70000000E+00  1.71000000E+00  1.31000000E+00\n"
    "%FLAG SCREEN\n%FORMAT(5E16.8)\n  8.50000000E-01  7.20000000E-01  7.30000000E-01  8.60000000E-01\n";

static const char restart_text[] = "Four atoms in a row\n"
                                   "    4  0.1100000E+05\n"
                                   "   1.0000000   2.0000000   3.0000000  -1.5000000   0.2500000-123.1234567\n"
                                   "   4.0000000   5.0000000   6.0000000   7.0000000   8.0000000   9.0000000\n";

/* Files in memory, for a def. */
typedef struct memory_file {
  const char *path;
  const void *bytes;
  size_t size;
} memory_file;
typedef struct memory {
  memory_file file[4];
} memory;

static inline cdn_status give(void *user, const char *path, const void **bytes, size_t *size) {
  const memory *m = user;
  for (int i = 0; i < 4; i++)
    if (m->file[i].path && strcmp(m->file[i].path, path) == 0) {
      *bytes = m->file[i].bytes, *size = m->file[i].size;
      return CDN_OK;
    }
  return CDN_ERR_FILE;
}

static inline cdn_molecule_read_def reading(memory *m) {
  cdn_molecule_read_def def = cdn_default_molecule_read_def();
  def.read_file = give, def.read_file_user = m;
  return def;
}

/* A copy in which one text stands for another, which must be there; the caller frees it. */
static inline char *with(const char *text, const char *old, const char *now) {
  const char *at = strstr(text, old);
  ck_assert_msg(at != NULL, "'%s' is not there", old);
  char *copy = malloc(strlen(text) + strlen(now) + 1);
  memcpy(copy, text, (size_t)(at - text));
  strcpy(copy + (at - text), now);
  strcat(copy, at + strlen(old));
  return copy;
}

/* The status, and a text of the message. */
static inline void refused(cdn_status status, cdn_status expected, const char *part) {
  ck_assert_msg(status == expected, "%s instead of %s; wanted: %s; last: %s", cdn_status_name(status),
                cdn_status_name(expected), part, cdn_last_error_text());
  ck_assert_msg(strstr(cdn_last_error_text(), part), "'%s' is not in: %s", part, cdn_last_error_text());
}

/* A file of the shared data; false: there is none. */
static inline bool shared_file(const char *name, char *path, size_t size) {
  const char *shared = getenv("CARDAN_SHARED");
  snprintf(path, size, "%s/molecular/%s", shared ? shared : "", name);
  FILE *file = shared ? fopen(path, "rb") : NULL;
  if (file) fclose(file);
  return file != NULL;
}

#endif
