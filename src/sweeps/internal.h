/* What the files of this room share. */
#ifndef CARDAN_SWEEPS_INTERNAL_H
#define CARDAN_SWEEPS_INTERNAL_H

#include <jansson.h>
#include <stdatomic.h>

#include <cardan/elements.h>
#include <cardan/model.h>
#include <cardan/random.h>
#include <cardan/sweep.h>
#include <cardan/table.h>

#include "core/core.h"
#include "sweeps/design.h"

/* What a study sets: a number of a State, a parameter of an element, or an option of the run. */
typedef enum sweep_target_kind { SWEEP_OF_VECTOR, SWEEP_OF_ELEMENT, SWEEP_OF_RUN } sweep_target_kind;
typedef enum sweep_use { SWEEP_VALUE, SWEEP_FACTOR, SWEEP_OFFSET, SWEEP_USE_COUNT } sweep_use;

typedef struct sweep_target {
  int variable; /* whose value it takes; -1: it is the same in all cases */
  sweep_use use;
  double base; /* at the study's start */
  sweep_target_kind kind;
  cdn_element_type type; /* of the element */
  int element;
  int number; /* in the vector, of the parameters, or of the options */
  const char *unit;
} sweep_target;

/* What one run is asked for. */
enum { SWEEP_ACCURACY, SWEEP_STEP, SWEEP_DURATION, SWEEP_RUN_NUMBERS };

/* What is kept: a number at the end of a run, or its extreme or mean over the run. */
typedef enum sweep_statistic {
  SWEEP_END,
  SWEEP_MINIMUM,
  SWEEP_MAXIMUM,
  SWEEP_MEAN,
  SWEEP_STATISTIC_COUNT
} sweep_statistic;
typedef enum sweep_quantity_kind { SWEEP_MEASURE, SWEEP_SLOT, SWEEP_ENERGY } sweep_quantity_kind;

typedef struct sweep_quantity {
  const char *name;
  sweep_statistic statistic;
  sweep_quantity_kind kind;
  int n; /* numbers */
  cdn_measure measure;
  cdn_pool pool;
  int slot;
  cdn_energy energy;
} sweep_quantity;

/* The columns before those of what varies, and between those and what is kept. */
enum {
  SWEEP_STATUS,
  SWEEP_DELIVERED,
  SWEEP_ASKED,
  SWEEP_ERROR,
  SWEEP_DELIVERED_UNTIL,
  SWEEP_ENERGY_RESIDUAL,
  SWEEP_CONSTRAINT_ERROR,
  SWEEP_STEPS_TAKEN,
  SWEEP_REJECTED,
  SWEEP_EVALUATIONS,
  SWEEP_TIME_FINAL,
  SWEEP_FIXED_COLUMNS
};

/* A study as its file says it. Texts belong to `root`, or to the sweep. */
typedef struct sweep_study {
  json_t *root;
  const char *path, *folder; /* of the study's file: as messages name it, and what relative paths begin with */
  const char *model, *results, *key, *method;
  json_t *set, *vary, *keep;
  cdn_model_options options;
  bool has_contact, like_mujoco, as_file, companion, assemble;
  double run[SWEEP_RUN_NUMBERS];
  double report, trajectory; /* intervals, s; 0: a tenth of the run, no trajectory */
  int64_t most_steps, block; /* 0: not said */
  double most_seconds;
} sweep_study;

struct cdn_sweep {
  cdni_array memory; /* what is freed with the sweep */
  sweep_study study;
  sweep_design design;
  cdn_model *model;
  cdn_method method;
  cdn_state *base, *work;        /* the study's start; the case that runs */
  double *numbers, *own_numbers; /* the base's vector, and room for that of a case */
  int n_numbers;
  double *values;        /* room for those of a case */
  sweep_target *targets; /* those of one element follow each other */
  int n_targets;
  sweep_quantity *quantities;
  int n_quantities;
  const char **column_names, **column_units,
      **block_names; /* of results; of the files of blocks, when one is written */
  int n_columns;
  bool is_ours;                               /* the folder of results has been found to be of this study */
  char message[sizeof((cdn_error *)0)->text]; /* why the last case failed */
  atomic_bool interrupted;
  _Atomic(cdn_stepper *) running; /* what an interruption breaks off; NULL: nothing */
  atomic_int interrupting;        /* calls of cdn_sweep_interrupt that may be using it */
};

/* ---- sweep.c: memory that lives as long as the sweep; NULL: there is no more, which has been told ---- */
void *cdni_sweep_memory(cdn_sweep *s, size_t n, size_t size);
char *cdni_sweep_text(cdn_sweep *s, const char *format, ...) CDN_PRINTF(2, 3);

/* ---- study.c ---- */
/* Fills s->study from its bytes, but for what needs the model. */
cdn_status cdni_sweep_read_study(cdn_sweep *s, const char *text, size_t size);
/* "PATH: ..." as the thread's last failure. Returns CDN_ERR_PARSE. */
cdn_status cdni_sweep_wrong(const cdn_sweep *s, const char *format, ...) CDN_PRINTF(2, 3);
/* The same of a word that is not among the candidates: names the nearest one, or all where they are few. */
cdn_status cdni_sweep_unknown(const cdn_sweep *s, const char *word, const char *what, const char *const *candidates,
                              int n);
/* Refuses a key of an object that is not among these; `where` is "" for the study itself. */
cdn_status cdni_sweep_check_keys(const cdn_sweep *s, const char *where, json_t *object, const char *const *keys, int n);
/* A member, if it is there. */
cdn_status cdni_sweep_read_number(const cdn_sweep *s, json_t *object, const char *key, double least, double *out);
cdn_status cdni_sweep_read_count(const cdn_sweep *s, json_t *object, const char *key, double most, int64_t *out);
cdn_status cdni_sweep_read_word(const cdn_sweep *s, json_t *object, const char *key, const char *const *words, int n,
                                int *out);

/* ---- vary.c: the variables and the design ---- */
cdn_status cdni_sweep_read_variables(cdn_sweep *s);

/* ---- targets.c ---- */
/* Finds what "set" and "vary" name, and sets the base. */
cdn_status cdni_sweep_find_targets(cdn_sweep *s);
/* The start of case k in a State, without assembly; the numbers of its run. */
cdn_status cdni_sweep_apply(cdn_sweep *s, int64_t k, const double *values, cdn_state *state,
                            double run[SWEEP_RUN_NUMBERS]);

/* ---- model.c: the model in a System that has measures of what is kept ---- */
cdn_status cdni_sweep_load_model(cdn_sweep *s);

/* ---- kept.c ---- */
/* Which quantities there are in a frozen System of the model. */
cdn_status cdni_sweep_find_quantities(cdn_sweep *s, const cdn_system *system);
/* Adds the measures of extremes and means, before freezing. */
void cdni_sweep_add_measures(cdn_sweep *s, cdn_system *system);
/* After freezing. */
cdn_status cdni_sweep_settle_quantities(cdn_sweep *s, const cdn_system *system);
cdn_status cdni_sweep_make_columns(cdn_sweep *s);
/* Writes what is kept of a run that has ended; NaN where a number cannot be computed. */
void cdni_sweep_keep(const cdn_sweep *s, cdn_stepper *stepper, double t0, double *row);
static inline int cdni_sweep_fixed_at(const cdn_sweep *s) { return 1 + s->design.n_variables; }

/* ---- case.c ---- */
/* Runs a case; `trajectory` is where its rows go, or NULL. A failure of the run is a row; s->message says why, or is
 * "". / */
cdn_status cdni_sweep_case(cdn_sweep *s, int64_t k, bool with_trajectory, double *row);
/* The row of a case that was not run. */
void cdni_sweep_empty_row(const cdn_sweep *s, int64_t k, int status, double *row);

/* ---- folder.c: the folder of results ---- */
/* Makes it if it is not there, where `make`, and sees to it that it is of this study. *there: whether it is there. */
cdn_status cdni_sweep_enter(cdn_sweep *s, bool make, bool *there);
enum { SWEEP_PATH = 4096 };
/* The path of a block's file. */
void cdni_sweep_block_path(const cdn_sweep *s, int64_t block, const char *ending, char path[SWEEP_PATH]);
#define SWEEP_TABLE ".csv"      /* the block's rows */
#define SWEEP_MARK ".begun.csv" /* which of its cases was begun; then its rows, as long as they are not whole */
/* Which files the blocks have: one byte each. */
enum { SWEEP_HAS_TABLE = 1, SWEEP_HAS_MARK = 2 };
cdn_status cdni_sweep_look(cdn_sweep *s, unsigned char *has);

/* ---- marks.c: which case of a block was begun ---- */
typedef struct sweep_mark {
  int file;
  char path[SWEEP_PATH];
} sweep_mark;
/* Opens the mark of a block; mark->file is -1 where another program runs it. crashes[i]: how often a program ended in
 * case i of the block. */
cdn_status cdni_sweep_mark_open(cdn_sweep *s, int64_t block, unsigned char *crashes, sweep_mark *mark);
cdn_status cdni_sweep_mark_case(sweep_mark *mark, int64_t k);
/* No case runs until the next one is marked. */
cdn_status cdni_sweep_mark_pause(sweep_mark *mark);
/* The program has come to the end of the block, or ends as it should: `more` says that the mark is needed again. */
void cdni_sweep_mark_close(sweep_mark *mark, bool more);
/* Whether the block's mark tells of a crash, and whether it is being run now. */
void cdni_sweep_mark_look(const cdn_sweep *s, int64_t block, bool *crashed, bool *running);

/* ---- block.c ---- */
/* A block's rows are those of the sweep, and a column more: the processor time that a case took, s. */
#define SWEEP_TIME_COLUMN "seconds"
/* Reads the file of a block that is done: *rows are the table's, each of n_columns + 1 numbers. */
cdn_status cdni_sweep_read_block(cdn_sweep *s, int64_t block, cdn_table **table, const double **rows);
cdn_status cdni_sweep_need_block(const cdn_sweep *s, int64_t block, const char *function);
static inline int64_t cdni_sweep_cases_of(const cdn_sweep *s, int64_t block) {
  const int64_t first = block * s->study.block, left = s->design.cases - first;
  return left < s->study.block ? left : s->study.block;
}

#endif
