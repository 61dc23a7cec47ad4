/* What the parts of `cardan md` share. Units are nm, ps, Da, kJ/mol, K. */
#ifndef MD_H
#define MD_H

#include <cardan/molecule.h>
#include <cardan/stepper.h>

#include "command.h"

typedef struct md_arguments {
  const char *topology, *coordinates;
  text_list operands; /* the coordinates */
  const char *mobile, *solvent, *step_text, *duration_text, *report_text, *output, *table, *picture, *method_name,
      *checkpoint, *resume;
  double step, duration, report; /* ps */
  double salt;                   /* mol/l */
  bool energies, json, ignore_box, companion, amber_coulomb, quiet;
  cdn_solvent_model model;
  cdn_method method;
} md_arguments;

/* A molecule from its files, in a System of its own. */
typedef struct md_molecule {
  cdn_prmtop *prmtop;
  cdn_restart *restart;
  cdn_system *system;
  cdn_state *state;
  cdn_force field;
  int n_atoms, nu, freedom; /* freedom: nu less equations of constraints, for the temperature */
  bool moves;               /* the file has velocities */
} md_molecule;

/* ---- md_molecule.c ------------------------------------------------------------------------- */

/* Reads the files and builds the System and a State: positions, and speeds fitted to the file's velocities. Returns
 * CMD_OK or the code to exit with; md_close frees what is there in any case. */
int md_open(md_molecule *m, const md_arguments *a);
void md_close(md_molecule *m);
/* Says what failed on the State; returns CMD_FAILED. */
int md_failed(const md_arguments *a, cdn_state *state);
/* One evaluation. */
int md_print_energies(const md_arguments *a, md_molecule *m);

/* ---- md_period.c --------------------------------------------------------------------------- */

/* The period of the fastest vibration at the State's positions, ps; infinity: none. O(n) a trial. */
cdn_status md_fastest_period(cdn_state *state, double *period);

/* ---- md_table.c ---------------------------------------------------------------------------- */

/* A coordinate of a bond that moves. */
typedef struct md_coordinate {
  int bond, q;      /* of the topology; the place in q */
  const char *part; /* "angle", "dihedral", "length"; "": of a pin, which is most often a dihedral */
} md_coordinate;

/* A table of a run: time, energies by term, sums, temperature, coordinates of bonds. */
typedef struct md_table {
  FILE *file; /* NULL: none was asked for */
  int n_coordinates;
  md_coordinate *coordinate;
  bool begun;
  double within; /* energy within bodies, kJ/mol, which dynamics does not ask for */
} md_table;

/* Begins a table, or goes on with one behind its first `keep` bytes (< 0: begins). False after it has said what is
 * wrong. */
bool md_table_open(md_table *t, const md_arguments *a, const md_molecule *m, int64_t keep);
/* Bytes that have been written; -1: there is no table. */
int64_t md_table_bytes(const md_table *t);
cdn_status md_table_row(md_table *t, const md_molecule *m, cdn_state *state);
/* False if not all could be written, which has been said. */
bool md_table_close(md_table *t, const md_arguments *a);

/* ---- md_checkpoint.c ------------------------------------------------------------------------ */

/* A straight line through values of the conserved quantity, by least squares: sums of t - t0 and E - E0. */
typedef struct md_trend {
  double n, t0, E0, t, tt, E, EE, tE;
} md_trend;

/* Where a run is, beside its stepper. */
typedef struct md_position {
  double steps, frames, interval; /* whole numbers */
  double table;                   /* its bytes; -1: none */
  double t0, kinetic, within;     /* ps; sum over steps, and energy within bodies, kJ/mol */
  md_trend trend;
} md_position;

/* Writes a checkpoint as a whole. False after it has said what is wrong. */
bool md_save(const md_arguments *a, const md_position *position, cdn_stepper *stepper);
/* Reads one of the same molecule, rules and steps. Returns CMD_OK or the code to exit with. */
int md_resume(const md_arguments *a, const md_molecule *m, md_position *position, cdn_stepper **stepper);

/* ---- md_run.c ------------------------------------------------------------------------------ */

/* Runs, writes trajectory and table, and says what the run is worth. Returns the code to exit with; the State of `m` is
 * the last one then. */
int md_run(const md_arguments *a, md_molecule *m);

/* ---- md_picture.c -------------------------------------------------------------------------- */

/* A picture of the State as PNG. Returns CMD_OK or the code to exit with. */
int md_draw(const md_arguments *a, const md_molecule *m);

#endif
