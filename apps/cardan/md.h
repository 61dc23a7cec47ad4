/* What the parts of `cardan md` share. Units are nm, ps, Da, kJ/mol, K. */
#ifndef MD_H
#define MD_H

#include <cardan/minimize.h>
#include <cardan/molecule.h>
#include <cardan/sampling.h>
#include <cardan/table.h>

#include "command.h"

typedef enum md_thermostat { MD_FREE, MD_LANGEVIN, MD_NOSE_HOOVER, MD_REDRAW, MD_THERMOSTAT_COUNT } md_thermostat;
extern const char *const md_thermostat_names[MD_THERMOSTAT_COUNT];

typedef struct md_arguments {
  const char *topology, *coordinates;
  text_list operands; /* the coordinates */
  const char *mobile, *solvent, *step_text, *duration_text, *report_text, *answer_text, *trajectory_text, *output,
      *table, *picture, *checkpoint, *resume, *thermostat_name, *sampler, *seed_text;
  double step, duration, report; /* ps */
  double answer;                 /* ps, in which the thermostat answers */
  double trajectory;             /* ps, of Monte Carlo */
  double salt;                   /* mol/l */
  double cutoff;                 /* nm; 0: none */
  double threads;                /* 0: one */
  double temperature;            /* K; 0: none was given */
  bool energies, json, ignore_box, companion, amber_coulomb, quiet, fixman, minimize;
  bool hmc;
  uint32_t seed;
  cdn_solvent_model model;
  md_thermostat thermostat;
} md_arguments;

/* A molecule from its files, in a System of its own. */
typedef struct md_molecule {
  cdn_prmtop *prmtop;
  cdn_restart *restart;
  cdn_system *system;
  cdn_state *state;
  cdn_force field, fixman, chain; /* { -1 }: there is none */
  int n_atoms, nu, freedom;       /* freedom: speeds that share the kinetic energy */
  cdn_minimization minimum;       /* with --minimize */
  double within;                  /* energy within bodies, kJ/mol, which dynamics does not ask for */
} md_molecule;

/* ---- md_arguments.c ------------------------------------------------------------------------ */

/* Reads what the options say. False after it has said what is wrong. */
bool md_settle(md_arguments *a);
/* The options on which all numbers of a run depend, as one line of text. */
void md_options_text(const md_arguments *a, char *text, size_t size);

/* ---- md_molecule.c ------------------------------------------------------------------------- */

/* Reads the files and builds the System and a State: positions, at the minimum if that is asked for. Returns CMD_OK or
 * the code to exit with; md_close frees what is there in any case. */
int md_open(md_molecule *m, const md_arguments *a);
void md_close(md_molecule *m);
/* Says what failed on the State; returns CMD_FAILED. */
int md_failed(const md_arguments *a, cdn_state *state);

/* ---- md_energies.c ------------------------------------------------------------------------- */

typedef struct md_energies {
  double term[CDN_TERM_COUNT], sum;  /* of all terms and pairs, also within bodies */
  double fixman, potential, kinetic; /* potential: all of it; kinetic: of the State's speeds */
} md_energies;
cdn_status md_find_energies(const md_molecule *m, cdn_state *state, md_energies *out);
/* One evaluation, printed. Returns CMD_OK or the code to exit with. */
int md_print_energies(const md_arguments *a, md_molecule *m);
/* What --minimize came to. */
void md_print_minimum(const md_molecule *m, FILE *to);
void md_print_minimum_json(const md_molecule *m, json_writer *w);

/* ---- md_speeds.c --------------------------------------------------------------------------- */

/* Speeds at the start: drawn at the temperature, or fitted to the file's velocities. */
cdn_status md_set_speeds(const md_arguments *a, md_molecule *m);

/* ---- md_table.c ---------------------------------------------------------------------------- */

/* A coordinate of a bond that moves. */
typedef struct md_coordinate {
  int bond, q;      /* of the topology; the place in q */
  const char *part; /* "angle", "dihedral", "length"; "": of a pin, which is most often a dihedral */
} md_coordinate;

/* A table of a run: time, energies by term, sums, temperature, coordinates of bonds. */
typedef struct md_table {
  cdn_table_writer *file;  /* NULL: none was asked for */
  bool conserved, streams; /* streams: to standard output */
  int n_coordinates, columns;
  md_coordinate *coordinate;
  char **name; /* of the columns */
  const char **unit;
  double *row;
} md_table;

/* Begins a table, or goes on with one behind its first `keep` rows of this checksum (< 0: begins). False after it has
 * said what is wrong. */
bool md_table_open(md_table *t, const md_arguments *a, const md_molecule *m, double keep, double checksum);
/* What has been written is on the disk. */
bool md_table_sync(md_table *t);
/* Rows that have been written (-1: there is no table), and their checksum, after md_table_sync. */
double md_table_rows(const md_table *t);
double md_table_checksum(const md_table *t);
/* heat: what the thermostat has given, kJ/mol. */
cdn_status md_table_row(md_table *t, const md_molecule *m, cdn_state *state, double heat);
/* False if not all could be written, which has been said. */
bool md_table_close(md_table *t);

/* ---- md_sampler.c -------------------------------------------------------------------------- */

/* What the steps have come to so far. */
typedef struct md_sums {
  double n, t0, E0, t, tt, E, EE, tE; /* a straight line through the conserved quantity: of t - t0 and E - E0 */
  double kinetic, heat;               /* sum over steps; what the thermostat has given: kJ/mol */
  double chain;                       /* the chain's energy at the start, kJ/mol */
  double constraint_error, distance;  /* nm: the largest; from the companion, the farthest of an atom */
  double trajectories, accepted, unsolved, exp, exp_squares; /* of Monte Carlo; of exp(-dH/kT), where dH is known */
} md_sums;

/* Steps that are taken at a time: those of a trajectory, or 1. */
int64_t md_stride(const md_arguments *a);

typedef struct md_sampler {
  const md_arguments *a;
  const md_molecule *m;
  cdn_hmc *hmc, *companion; /* the second one, with half the steps, or NULL */
  int64_t stride;
  double t0;
  md_sums sums;
  double *x, *y; /* positions of atoms, nm */
} md_sampler;

/* Begins at the molecule's State; `companion`: the State of the second run, or NULL: the same. */
cdn_status md_sampler_open(md_sampler *s, const md_arguments *a, const md_molecule *m, const cdn_state *companion);
void md_sampler_close(md_sampler *s);
cdn_state *md_sampler_state(const md_sampler *s);
/* A step or trajectory after `done` steps. */
cdn_status md_sampler_advance(md_sampler *s, int64_t done);
/* Adds what the State says to the sums. */
cdn_status md_sampler_note(md_sampler *s);

/* ---- md_checkpoint.c ------------------------------------------------------------------------ */

/* Where a run is, beside its States. */
typedef struct md_position {
  double steps, frames, interval; /* whole numbers */
  double table, table_sum;        /* its rows; -1: none; their checksum */
  double t0, within;              /* ps; kJ/mol */
  md_sums sums;
} md_position;

/* Writes a checkpoint as a whole. False after it has said what is wrong. */
bool md_save(const md_arguments *a, const md_position *position, const md_sampler *s);
/* Reads one of the same files and options: the molecule's State, and that of a companion (NULL: there is none). Returns
 * CMD_OK or the code to exit with. */
int md_resume(const md_arguments *a, const md_molecule *m, md_position *position, cdn_state **companion);

/* ---- md_run.c ------------------------------------------------------------------------------ */

typedef struct md_ended {
  int64_t steps, first, frames; /* first: those of an earlier part */
  double period;                /* of the fastest vibration at the start, ps; INFINITY: none */
  double t0, t, seconds;
} md_ended;

/* Runs, writes trajectory and table, and says what the run is worth. Returns the code to exit with; the State of `m` is
 * the last one then. */
int md_run(const md_arguments *a, md_molecule *m);

/* ---- md_report.c --------------------------------------------------------------------------- */

/* Says what a run is worth. */
void md_report(const md_arguments *a, const md_molecule *m, const md_sampler *s, const md_ended *ended);

/* ---- md_picture.c -------------------------------------------------------------------------- */

/* A picture of the State as PNG. Returns CMD_OK or the code to exit with. */
int md_draw(const md_arguments *a, const md_molecule *m);

#endif
