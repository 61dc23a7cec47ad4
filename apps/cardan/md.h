/* What the parts of `cardan md` share. Units are nm, ps, Da, kJ/mol, K. */
#ifndef MD_H
#define MD_H

#include <cardan/molecule.h>
#include <cardan/stepper.h>

#include "command.h"

typedef struct md_arguments {
  const char *topology, *coordinates;
  text_list operands; /* the coordinates */
  const char *mobile, *solvent, *step_text, *duration_text, *report_text, *output, *table, *picture, *method_name;
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

/* False after it has said what is wrong. */
bool md_table_open(md_table *t, const md_arguments *a, const md_molecule *m);
cdn_status md_table_row(md_table *t, const md_molecule *m, cdn_state *state);
/* False if not all could be written, which has been said. */
bool md_table_close(md_table *t, const md_arguments *a);

/* ---- md_run.c ------------------------------------------------------------------------------ */

/* Runs, writes trajectory and table, and says what the run is worth. Returns the code to exit with; the State of `m` is
 * the last one then. */
int md_run(const md_arguments *a, md_molecule *m);

/* ---- md_picture.c -------------------------------------------------------------------------- */

/* A picture of the State as PNG. Returns CMD_OK or the code to exit with. */
int md_draw(const md_arguments *a, const md_molecule *m);

#endif
