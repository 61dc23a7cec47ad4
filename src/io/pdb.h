/* What the reader and the writer of PDB files share. */
#ifndef CARDAN_IO_PDB_H
#define CARDAN_IO_PDB_H

#include "io/molecule.h"

/* Numbers in few columns (pdb_numbers.c): hybrid-36 counts on with letters where decimal digits end, "A0000" after
 * "99999" (R. W. Grosse-Kunstleve, http://cci.lbl.gov/hybrid_36); VMD writes hexadecimal digits, "186a0". */
typedef enum pdb_counting { PDB_DECIMAL, PDB_HYBRID, PDB_HEXADECIMAL } pdb_counting;

/* Reads `width` columns. The kind of counting stays, once it has begun. False: they are no number. */
bool io_pdb_read_count(const char *field, int width, pdb_counting *counting, int32_t *number);
/* Writes `width` columns and a final 0, as hybrid-36. False: the number is too large, or negative and too large. */
bool io_pdb_write_count(int32_t number, int width, char *to);

#endif
