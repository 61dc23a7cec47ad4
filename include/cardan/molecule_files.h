/* Cardan: files of molecules, as plain data: topologies (AMBER's prmtop), coordinates and restarts (inpcrd, rst7,
 * NetCDF), PDB, trajectories (DCD).
 *
 * Positions are in nm, times in ps, velocities in nm/ps, masses in Da, charges in e, angles in rad. The tables of the
 * force field in a prmtop keep the file's units: kcal/mol, angstrom, rad; the constants below convert them. Atoms,
 * residues and all else count from 0, though files count from 1.
 *
 * Files whose content is compressed by gzip are read, whatever their names are. Files of text whose names end in .gz
 * are written compressed. Text that is written replaces a file as a whole: a failure leaves what was there before.
 * No function needs a System. docs/molecule_files.md tells what is read, and what is refused.
 *
 * Whatever fails tells why by cdn_last_error_text: the file, the line and, of a prmtop, the %FLAG of the section, and
 * the remedy. CDN_ERR_FILE: a file cannot be opened, read or written, or is not regular. CDN_ERR_PARSE: what it has is
 * damaged or contradicts itself, or files do not fit together. CDN_ERR_UNSUPPORTED: it is sound and has what Cardan
 * does not compute. CDN_ERR_LIMIT: more than CDN_MOST_ATOMS atoms. CDN_ERR_NOMEM. Memory is taken as data arrive: a
 * count in a damaged file takes none. What is loaded has `warnings`: one line each, with file and line.
 *
 * I want to
 *   say how files are read: the memory of my program, boxes: cdn_default_molecule_read_def
 *   read an AMBER topology, prmtop: cdn_prmtop_load, cdn_prmtop_destroy
 *   read coordinates or a restart: inpcrd, rst7, NetCDF: cdn_restart_load, cdn_restart_destroy
 *   write a restart: cdn_default_restart_def, cdn_restart_save
 *   read a PDB file: cdn_pdb_load, cdn_pdb_destroy
 *   write a PDB file: cdn_default_pdb_def, cdn_pdb_save
 *   make the atoms of a PDB file from a prmtop: cdn_prmtop_pdb_atoms
 *   find the atoms of a prmtop in a PDB file: cdn_prmtop_match_pdb
 *   read a DCD trajectory, frame by frame: cdn_dcd_open, cdn_dcd_get_info, cdn_dcd_read, cdn_dcd_close
 *   write a DCD trajectory, or append to one: cdn_default_dcd_def, cdn_dcd_create, cdn_dcd_append, cdn_dcd_write,
 *       cdn_dcd_finish */
#ifndef CARDAN_MOLECULE_FILES_H
#define CARDAN_MOLECULE_FILES_H

#include <cardan/math.h>

CDN_BEGIN_DECLS

/* ---- units of files ------------------------------------------------------------------------ */

#define CDN_KJ_PER_KCAL 4.184          /**< the thermochemical calorie; by definition */
#define CDN_ANGSTROM_PER_NM 10.0       /**< by definition */
#define CDN_AMBER_CHARGE_PER_E 18.2223 /**< AMBER's files have charges times this: sqrt(332.0522 kcal A/mol/e^2) */
#define CDN_AMBER_PER_PS 20.455        /**< AMBER's units of time in a ps: velocities of its restarts are A a unit */
#define CDN_MOST_ATOMS 100000000       /**< of a file that is read */

/* ---- how files are read -------------------------------------------------------------------- */

typedef struct cdn_molecule_read_def {
  CDN_DEF_HEADER;
  cdn_allocator allocator; /**< all zero: aligned_alloc and free */
  /** false (default): a periodic box is refused, because forces have none. true: it is dropped, with a warning. */
  bool ignore_box;
  /** Gives files from the memory of your program, as cdn_read_file_fn does (model.h). NULL (default): they are on the
   *  disk. */
  cdn_status (*read_file)(void *user, const char *path, const void **bytes, size_t *size);
  void *read_file_user; /**< its first argument; default NULL */
} cdn_molecule_read_def;
CDN_DEF(molecule_read_def);

/* ---- prmtop -------------------------------------------------------------------------------- */

/** A bond. Energy: k (r - r0)^2. */
typedef struct cdn_prmtop_bond {
  int32_t atom[2];   /**< numbers of the atoms, from 0 */
  int32_t type;      /**< the parameters' place in the file's lists */
  bool has_hydrogen; /**< it is in the file's list of bonds with hydrogen */
  double k, r0;      /**< kcal/(mol A^2) and angstrom, as in the file: no SI units */
} cdn_prmtop_bond;

/** A bend; atom[1] is the middle. Energy: k (theta - theta0)^2. */
typedef struct cdn_prmtop_angle {
  int32_t atom[3];   /**< numbers of the atoms, from 0 */
  int32_t type;      /**< the parameters' place in the file's lists */
  bool has_hydrogen; /**< it is in the file's list of angles with hydrogen */
  double k, theta0;  /**< kcal/mol/rad^2, rad */
} cdn_prmtop_angle;

/** One term of a torsion. Energy: k (1 + cos(periodicity phi - phase)), phi the IUPAC dihedral of the four atoms. */
typedef struct cdn_prmtop_dihedral {
  int32_t atom[4];     /**< numbers of the atoms, from 0 */
  int32_t type;        /**< the parameters' place in the file's lists */
  bool has_hydrogen;   /**< it is in the file's list of dihedrals with hydrogen */
  bool improper;       /**< the file's fourth index is negative */
  bool ignore_14;      /**< the file's third index is negative: atoms 0 and 3 have no 1-4 pair by this term */
  int32_t periodicity; /**< >= 0 */
  double k, phase;     /**< kcal/mol, rad */
  /** Coulomb's and Lennard-Jones' energies of the pair of atoms 0 and 3 are divided by these, where neither `improper`
   *  nor `ignore_14` is set. */
  double scee, scnb;
} cdn_prmtop_dihedral;

/** An AMBER topology. The library owns it. */
typedef struct cdn_prmtop {
  const char *file;  /**< the path by which it was loaded */
  const char *title; /**< without blanks at its end; "" if there is none */

  int32_t n_atoms;
  const char *const *name;       /**< of atoms, without blanks */
  const char *const *type_name;  /**< AMBER's atom types ("CT"); "" where the file has none */
  const char *const *tree_class; /**< "M", "S", "E", "3", "BLA", ...; "" where the file has none */
  const int32_t *residue;        /**< of each atom */
  const int32_t *atomic_number;  /**< of old files found by the mass, with a warning */
  const int32_t *lj_type;        /**< from 0 to n_lj_types - 1 */
  const double *mass;            /**< Da, > 0 */
  const double *charge_raw;      /**< as in the file: e CDN_AMBER_CHARGE_PER_E */
  const double *charge;          /**< e */
  const double *born_radius; /**< angstrom, as in the file: no SI unit; NULL: the file has none, which is no warning */
  const double *screen;      /**< factors of Born models, as in the file; NULL: the file has none */
  const char *radius_set;    /**< what the file calls its radii; "" if nothing */

  int32_t n_residues;
  const char *const *residue_name; /**< of residues, without blanks */
  const int32_t *residue_first;    /**< n_residues + 1: first atom of each; the last number is n_atoms */

  int32_t n_bonds, n_angles, n_dihedrals;
  const cdn_prmtop_bond *bonds;         /**< those with hydrogen first; likewise of the others */
  const cdn_prmtop_angle *angles;       /**< those with hydrogen first */
  const cdn_prmtop_dihedral *dihedrals; /**< those with hydrogen first */
  bool has_scale_factors;               /**< false: scee and scnb are AMBER's 1.2 and 2.0, with a warning */

  /** Lennard-Jones, A/r^12 - B/r^6, of types i and j: lj_A[i n_lj_types + j], kcal/mol A^12; lj_B likewise, A^6. */
  int32_t n_lj_types;
  const double *lj_A, *lj_B; /**< n_lj_types^2 numbers each; symmetric */

  /** Pairs without nonbonded forces (1-2, 1-3, 1-4): those of atom i, all greater than i, are excluded[k], k from
   *  excluded_first[i] to excluded_first[i + 1] - 1. */
  const int32_t *excluded_first; /**< n_atoms + 1 */
  const int32_t *excluded;

  int32_t box;                  /**< IFBOX: 0 none, 1 rectangular, 2 truncated octahedron, 3 other; dropped */
  int32_t n_molecules;          /**< 0: the file does not say */
  const int32_t *molecule_size; /**< atoms of each molecule, in order; NULL if n_molecules is 0 */
  int32_t n_solute_residues;    /**< IPTRES; 0: the file does not say */
  int32_t first_solvent;        /**< the first molecule of solvent; n_molecules if there is none */

  int32_t n_warnings;
  const char *const *warnings; /**< n_warnings sentences */
} cdn_prmtop;

/** Reads a prmtop of AMBER 7 or later (%VERSION, %FLAG, %FORMAT). `def` may be NULL. On failure *out is NULL.
 *  CDN_ERR_UNSUPPORTED, by the flag: CHARMM's files (CTITLE, and what comes with it), CMAP, 12-6-4
 *  (LENNARD_JONES_CCOEF), 10-12 pairs that act, polarizable atoms (IPOL), extra points, perturbed topologies,
 *  periodic boxes (unless ignore_box is set), and files older than AMBER 7. */
CDN_API cdn_status cdn_prmtop_load(const char *path, const cdn_molecule_read_def *def, cdn_prmtop **out) CDN_NODISCARD;
CDN_API void cdn_prmtop_destroy(cdn_prmtop *prmtop); /**< NULL is allowed */

/* ---- coordinates and restarts ---------------------------------------------------------------- */

/** Coordinates of AMBER: inpcrd, rst7, NetCDF. The library owns it. */
typedef struct cdn_restart {
  const char *file;  /**< the path by which it was loaded */
  const char *title; /**< without blanks at its end; "" if there is none */
  int32_t n_atoms;
  const cdn_vec3 *positions;  /**< nm */
  const cdn_vec3 *velocities; /**< nm/ps; NULL: the file has none */
  double time;                /**< ps; NaN: the file has none */
  double temperature;         /**< K, as replica exchange writes it; NaN: the file has none */
  /** Lengths of a box that was dropped, nm, and its angles, rad; zeros: the file has none. */
  double box[6];
  int32_t n_warnings;
  const char *const *warnings; /**< n_warnings sentences */
} cdn_restart;

/** Reads a restart; its content tells the format. `prmtop` not NULL: the file must have as many atoms, and a failure
 *  names both files. With NULL a file of one or two atoms may be ambiguous (velocities, or a box): it is refused. `def`
 *  may be NULL. On failure *out is NULL. CDN_ERR_UNSUPPORTED: a box (unless ignore_box is set); NetCDF where the
 *  library was built without libnetcdf. */
CDN_API cdn_status cdn_restart_load(const char *path, const cdn_prmtop *prmtop, const cdn_molecule_read_def *def,
                                    cdn_restart **out) CDN_NODISCARD;
CDN_API void cdn_restart_destroy(cdn_restart *restart); /**< NULL is allowed */

/** What a restart shall have. */
typedef struct cdn_restart_def {
  CDN_DEF_HEADER;
  const char *title; /**< NULL (default): "" */
  int32_t n_atoms;
  const cdn_vec3 *positions;  /**< nm */
  const cdn_vec3 *velocities; /**< nm/ps; NULL (default): none */
  double time;                /**< ps; NaN (default): none, which velocities do not allow */
} cdn_restart_def;
CDN_DEF(restart_def);

/** Writes a restart, as text with 7 decimals of an angstrom; a name that ends in .nc or .ncrst: as NetCDF, in double
 *  precision. CDN_ERR_ARG: counts, numbers that are not finite; CDN_ERR_LIMIT: a number that needs more than the 12
 *  columns of a text file. */
CDN_API cdn_status cdn_restart_save(const char *path, const cdn_restart_def *def) CDN_NODISCARD;

/* ---- PDB ------------------------------------------------------------------------------------- */

/** A record ATOM or HETATM. Texts have no blanks and end in 0. */
typedef struct cdn_pdb_atom {
  cdn_vec3 position;      /**< nm */
  double occupancy;       /**< a fraction; 1 where the file has none */
  double b_factor;        /**< square angstrom, as in the file: no SI unit; 0 where the file has none */
  int32_t serial;         /**< as in the file; hybrid-36 and hexadecimal numbers are read, too */
  int32_t residue_number; /**< as in the file */
  int32_t residue;        /**< the residue's place in the file, from 0: filled by readers, not used by writers */
  int32_t charge;         /**< formal charge, e; 0 where the file has none */
  char name[8], residue_name[8], chain[8], element[4]; /**< as in the file; "" where it has none */
  char insertion;                                      /**< the insertion code; ' ': none */
  char alternate;                                      /**< the alternate location that was taken; ' ': none */
  bool hetero;                                         /**< HETATM */
  bool ends_chain;                                     /**< TER follows */
} cdn_pdb_atom;

/** What a PDB file has. The library owns it. */
typedef struct cdn_pdb {
  const char *file;  /**< the path by which it was loaded */
  const char *title; /**< of TITLE records; "" if there are none */
  int32_t n_atoms;
  const cdn_pdb_atom *atoms; /**< of the first model */
  int32_t n_residues;
  const int32_t *residue_first; /**< n_residues + 1 */
  int32_t n_models;             /**< >= 1 */
  const cdn_vec3 *positions;    /**< n_models times n_atoms, nm: model by model */
  int32_t n_bonds;
  const int32_t (*bonds)[2]; /**< of CONECT records: pairs of atoms, the lesser first, each once, sorted */
  int32_t n_warnings;
  const char *const *warnings; /**< n_warnings sentences */
} cdn_pdb;

/** Reads a PDB file: ATOM, HETATM, TER, CONECT, MODEL, TITLE. Of alternate locations of an atom the first is taken, and
 *  CRYST1 dropped, with warnings. All models must have the same atoms. `def` may be NULL. On failure *out is NULL. */
CDN_API cdn_status cdn_pdb_load(const char *path, const cdn_molecule_read_def *def, cdn_pdb **out) CDN_NODISCARD;
CDN_API void cdn_pdb_destroy(cdn_pdb *pdb); /**< NULL is allowed */

/** What a PDB file shall have. */
typedef struct cdn_pdb_def {
  CDN_DEF_HEADER;
  const char *title; /**< NULL (default): none */
  int32_t n_atoms;
  const cdn_pdb_atom *atoms; /**< serial is not used: atoms, and TER after them, are numbered in order */
  int32_t n_models;          /**< default 1; more are written as MODEL and ENDMDL */
  const cdn_vec3 *positions; /**< n_models times n_atoms, nm; NULL (default; one model only): those of the atoms */
  int32_t n_bonds;           /**< default 0 */
  const int32_t (*bonds)[2]; /**< pairs of atoms, for CONECT */
} cdn_pdb_def;
CDN_DEF(pdb_def);

/** Writes a PDB file. Serial numbers above 99999 and residue numbers above 9999 are hybrid-36. CDN_ERR_ARG: counts,
 *  numbers that are not finite, names that are too long; CDN_ERR_LIMIT: a number that needs more columns than PDB
 *  has. */
CDN_API cdn_status cdn_pdb_save(const char *path, const cdn_pdb_def *def) CDN_NODISCARD;

/** Fills the n_atoms atoms of a PDB file: names, elements, residues numbered from 1. A chain ends, with TER, where no
 *  bond joins a residue to the next one; chains are called A to Z, a to z, 0 to 9, and A again. `positions` (n_atoms,
 *  nm) may be NULL: zeros. CDN_ERR_LIMIT: a name is too long for PDB's columns. */
CDN_API cdn_status cdn_prmtop_pdb_atoms(const cdn_prmtop *prmtop, const cdn_vec3 *positions,
                                        cdn_pdb_atom *atoms) CDN_NODISCARD;
/** Finds each atom of a prmtop in a PDB file: pdb_atom[i] is the place of atom i there. Residues must be the same, in
 *  the same order; atoms may have any order within a residue, and names as of older PDB files ("1HB", "HN"). Forms of
 *  one residue (HIS, HIE, HID, HIP; CYS, CYX; ...) are the same. CDN_ERR_PARSE names the first residue or atom that
 *  differs, and both files. CDN_ERR_NOMEM. O(n) but for the square of a residue's atoms. */
CDN_API cdn_status cdn_prmtop_match_pdb(const cdn_prmtop *prmtop, const cdn_pdb *pdb, int32_t *pdb_atom) CDN_NODISCARD;

/* ---- DCD ------------------------------------------------------------------------------------- */

typedef struct cdn_dcd cdn_dcd;               /**< a trajectory that is read; one thread at a time */
typedef struct cdn_dcd_writer cdn_dcd_writer; /**< one that is written; one thread at a time */

/** What a trajectory says of itself. Texts live as long as the file is open. */
typedef struct cdn_dcd_info {
  int32_t n_atoms;
  int64_t n_frames;    /**< frames that are there, whatever the header says; of a compressed file all are read for it */
  double time_step;    /**< ps */
  int64_t first_step;  /**< the step of the first frame */
  int64_t interval;    /**< steps from frame to frame: frame k is of time (first_step + k interval) time_step */
  bool has_cell;       /**< frames have unit cells, which are skipped */
  bool swapped;        /**< the file's order of bytes is not the machine's */
  const char *title;   /**< its lines, with '\n' between them; belongs to the trajectory */
  const char *warning; /**< "": none; else that the header's count is wrong, or the last frame is cut off */
} cdn_dcd_info;

/** Opens a DCD trajectory of CHARMM's or X-PLOR's kind, of 32 bit record marks, in either order of bytes. Frames are
 *  found by their place; a compressed file is read from its beginning for a frame before the last one. `prmtop` not
 *  NULL: it must have as many atoms. `def` may be NULL; ignore_box is not looked at: cells are skipped. On failure *out
 *  is NULL. CDN_ERR_UNSUPPORTED: fixed atoms, a fourth dimension, 64 bit record marks. */
CDN_API cdn_status cdn_dcd_open(const char *path, const cdn_prmtop *prmtop, const cdn_molecule_read_def *def,
                                cdn_dcd **out) CDN_NODISCARD;
/** What the file says. */
CDN_SIZED(cdn_dcd_get_info, (const cdn_dcd *dcd, cdn_dcd_info *out), (dcd, out), out);
/** Reads frame k into n_atoms positions, nm. CDN_ERR_ARG: there is no frame k. CDN_ERR_NONFINITE: a position is not
 *  finite. */
CDN_API cdn_status cdn_dcd_read(cdn_dcd *dcd, int64_t k, cdn_vec3 *positions) CDN_NODISCARD;
CDN_API void cdn_dcd_close(cdn_dcd *dcd); /**< NULL is allowed */

/** What a new trajectory shall say of itself. */
typedef struct cdn_dcd_def {
  CDN_DEF_HEADER;
  int32_t n_atoms;
  double time_step;   /**< ps, > 0 */
  int64_t first_step; /**< the step of the first frame; default 0 */
  int64_t interval;   /**< steps from frame to frame, >= 1; default 1 */
  const char *title;  /**< at most 80 bytes; NULL (default): "Created by Cardan" */
} cdn_dcd_def;
CDN_DEF(dcd_def);

/** Begins a trajectory, as CHARMM and OpenMM write them: little-endian, 32 bit numbers in angstrom, no unit cell; its
 *  bytes depend on what it is given alone. A
 *  file of that name is replaced at once. The header's count of frames is set after each frame, so that an interrupted
 *  run leaves a file that can be read. CDN_ERR_ARG, CDN_ERR_FILE; CDN_ERR_UNSUPPORTED: a name that ends in .gz, since a
 *  compressed file cannot be corrected. */
CDN_API cdn_status cdn_dcd_create(const char *path, const cdn_dcd_def *def, cdn_dcd_writer **out) CDN_NODISCARD;
/** Goes on with a trajectory that this machine or another has written. The first `keep` frames stay and what comes
 *  after them, a frame that is cut off included, is removed; `keep` < 0: all whole frames stay. `def` must have the
 *  file's number of atoms, step and interval (CDN_ERR_PARSE otherwise); its first_step and title are not looked at.
 *  CDN_ERR_UNSUPPORTED: the other order of bytes, unit cells, X-PLOR's kind, a compressed file. CDN_ERR_ARG: fewer than
 *  `keep` frames. */
CDN_API cdn_status cdn_dcd_append(const char *path, const cdn_dcd_def *def, int64_t keep,
                                  cdn_dcd_writer **out) CDN_NODISCARD;
/** Appends a frame of n_atoms positions, nm. After it the file is whole, and what the C library buffers is handed to
 *  the system. CDN_ERR_NONFINITE: nothing is written. Allocates nothing. */
CDN_API cdn_status cdn_dcd_write(cdn_dcd_writer *writer, const cdn_vec3 *positions) CDN_NODISCARD;
/** Closes the file and frees the writer, also on failure. NULL is allowed. CDN_ERR_FILE: not all was written. */
CDN_API cdn_status cdn_dcd_finish(cdn_dcd_writer *writer);

CDN_END_DECLS
#endif
