/* Cardan: sweeps, studies of many cases of one model. A study is a file in JSON. It says what varies, what each run is
 * asked for, and what is kept of it (docs/sweeps.md).
 *
 * A study has cases 0 to cdn_sweep_case_count - 1, in blocks of cdn_sweep_block_size. A block is the piece of work that
 * an executor hands out: cdn_sweep_run_block runs one, and writes one file into the folder of results, which has its
 * name when it is whole. What stands in it depends on the study alone: not on who runs it, in which order, or how often
 * the work was killed. Any executor will do: threads of one sweep each, processes, a cluster's.
 *
 * A row of results has the number of the case, the values that were drawn for it, what came of the run (columns
 * "status" to "time_final"), and what the study keeps.
 *
 * A sweep belongs to one thread at a time; cdn_sweep_interrupt alone may come from another one. Functions with a
 * cdn_status tell their message as the thread's last failure (cdn_last_error_text). A missing argument is CDN_ERR_ARG.
 * A library without jansson has no sweeps: CDN_ERR_UNSUPPORTED.
 *
 * I want to
 *   read a study: cdn_sweep_load, cdn_sweep_load_string
 *   know how many cases and blocks it has: cdn_sweep_case_count, cdn_sweep_block_count, cdn_sweep_block_size
 *   list what varies, and get the values of a case: cdn_sweep_variable_count, cdn_sweep_variable_name, cdn_sweep_values
 *   list the columns of results: cdn_sweep_column_count, cdn_sweep_column_name, cdn_sweep_column_unit
 *   get a State at the start of a case, to look at it: cdn_sweep_system, cdn_sweep_set_state
 *   run one case here and now, without files: cdn_sweep_run_case
 *   know why it failed: cdn_sweep_message
 *   run a block and write its file: cdn_sweep_run_block, cdn_default_sweep_run_def
 *   end a run from a signal handler or another thread: cdn_sweep_interrupt
 *   list the blocks that are still to be run: cdn_sweep_missing
 *   know what is done, what failed and why, and how long the rest takes: cdn_sweep_status
 *   put a status of a case into words: cdn_sweep_status_text
 *   get one table of all cases: cdn_sweep_gather
 *   know where its results are: cdn_sweep_folder
 *   give up a sweep: cdn_sweep_destroy */
#ifndef CARDAN_SWEEP_H
#define CARDAN_SWEEP_H

#include <cardan/state.h>

CDN_BEGIN_DECLS

typedef struct cdn_sweep cdn_sweep; /**< a study, its model in one System, and where its results are */

/** Reads a study and its model, and checks every name in it. Paths in it are relative to its folder. Nothing is written
 *  yet. Errors: CDN_ERR_FILE, CDN_ERR_PARSE (the message names the key, and the name that is nearest to a wrong one),
 *  CDN_ERR_UNSUPPORTED, CDN_ERR_NOMEM; *out is NULL then. Cost: that of loading the model, twice where something is
 *  kept of whole runs. */
CDN_API cdn_status cdn_sweep_load(const char *path, cdn_sweep **out) CDN_NODISCARD;
/** Reads a study from `size` bytes of memory. `path` stands for its file: in messages, for the folder of relative
 *  paths, and for the folder of results. */
CDN_API cdn_status cdn_sweep_load_string(const char *text, size_t size, const char *path,
                                         cdn_sweep **out) CDN_NODISCARD;
CDN_API void cdn_sweep_destroy(cdn_sweep *sweep); /**< NULL is allowed */

/* ---- cases ---------------------------------------------------------------------------------- */

CDN_API int64_t cdn_sweep_case_count(const cdn_sweep *sweep);  /**< how many runs there are */
CDN_API int64_t cdn_sweep_block_count(const cdn_sweep *sweep); /**< how many blocks there are */
/** How many cases a block has; the last one may have fewer. */
CDN_API int64_t cdn_sweep_block_size(const cdn_sweep *sweep);
/** The folder of results. Lives as long as the sweep. */
CDN_API const char *cdn_sweep_folder(const cdn_sweep *sweep);
CDN_API int cdn_sweep_variable_count(const cdn_sweep *sweep); /**< how many things vary */
/** The name of a variable as the study has it; NULL for a wrong number. Lives as long as the sweep. */
CDN_API const char *cdn_sweep_variable_name(const cdn_sweep *sweep, int i);
/** Writes the values of a case, cdn_sweep_variable_count numbers, each in the unit of what it sets. They follow from
 *  the study and the number of the case alone. CDN_ERR_ARG: no such case. O(variables), about 0.1 us each. */
CDN_API cdn_status cdn_sweep_values(const cdn_sweep *sweep, int64_t k, double *values) CDN_NODISCARD;
CDN_API int cdn_sweep_column_count(const cdn_sweep *sweep); /**< how many numbers a row has */
/** Name and unit of a column; the unit is "" where there is none or it is not known. NULL for a wrong number. Both live
 *  as long as the sweep. */
CDN_API const char *cdn_sweep_column_name(const cdn_sweep *sweep, int i);
CDN_API const char *cdn_sweep_column_unit(const cdn_sweep *sweep, int i);

/** The System that all cases share. Lives as long as the sweep; retain it for longer. */
CDN_API const cdn_system *cdn_sweep_system(const cdn_sweep *sweep);
/** Makes a State of that System the start of a case: the study's start, the values of the case, the case's place in the
 *  stream of random numbers, and closed loops assembled. Errors: CDN_ERR_ARG (no such case, a State of another System,
 *  a value that is refused), and those of assembly. */
CDN_API cdn_status cdn_sweep_set_state(cdn_sweep *sweep, int64_t k, cdn_state *state) CDN_NODISCARD;
/** Runs a case, and writes its row: cdn_sweep_column_count numbers, NaN where there is no value. No file is written,
 *  also no trajectory. A run that fails is a row as well; its column "status" says why. Errors: CDN_ERR_ARG (no such
 *  case), CDN_ERR_LIMIT (interrupted), CDN_ERR_NOMEM; nothing is written then. Cost: that of the run, and about 5
 *  us. */
CDN_API cdn_status cdn_sweep_run_case(cdn_sweep *sweep, int64_t k, double *row) CDN_NODISCARD;
/** Why the last case that this sweep ran or started has failed, in words; "" if it has not. Lives until the next
 *  one. */
CDN_API const char *cdn_sweep_message(const cdn_sweep *sweep);

/* ---- blocks --------------------------------------------------------------------------------- */

/** What a run comes to, in the column "status". Values below zero are those of cdn_status. */
typedef enum cdn_sweep_outcome {
  CDN_SWEEP_DONE,    /**< the run came to its end, or a handler ended it */
  CDN_SWEEP_CRASHED, /**< the program ended twice while the case was running */
  CDN_SWEEP_STEPS,   /**< it took more steps than the study allows */
  CDN_SWEEP_SECONDS  /**< it took more time than the study allows */
} cdn_sweep_outcome;
/** A value of the column "status" in words, such as "the step size fell below the minimum". Static storage. */
CDN_API const char *cdn_sweep_status_text(int status);

/** Called before each case of a block, and behind the last one: `done` cases of `cases` have been run. A status other
 *  than CDN_OK ends the block, and cdn_sweep_run_block returns it. */
typedef cdn_status cdn_sweep_between_fn(void *context, int64_t block, int64_t done, int64_t cases);

/** Called before (`begins`) and behind a case of a block in which a program has ended once. Where one program that
 *  crashes brings others down, all cases that run are suspected: then `suspect` waits until none but this one runs, and
 *  a second crash meets the one that is to blame. A status other than CDN_OK ends the block, and cdn_sweep_run_block
 *  returns it; no call behind the case follows one that failed. */
typedef cdn_status cdn_sweep_suspect_fn(void *context, int64_t block, int64_t k, bool begins);

typedef struct cdn_sweep_run_def {
  CDN_DEF_HEADER;
  cdn_sweep_between_fn *between; /**< NULL (the default): nothing is called */
  void *context;                 /**< passed to `between` and `suspect`; the program's */
  cdn_sweep_suspect_fn *suspect; /**< NULL (the default): suspected cases run as all others */
} cdn_sweep_run_def;
CDN_DEF(sweep_run_def);

/** Runs the cases of a block and writes its file, and trajectories if the study wants them. A block whose file is
 *  there, or that another process runs now, is left as it is: CDN_OK. `def` may be NULL: the defaults.
 *
 *  Before each case its number goes into a small file beside the block's. If the program ends in the middle of a case,
 *  the next run of the block finds it there, and runs it last; if it has happened twice, the case becomes a row with
 *  the status CDN_SWEEP_CRASHED. A program that is told to end, by SIGTERM or Ctrl-C, must call cdn_sweep_interrupt in
 *  its handler: otherwise that counts as a crash.
 *
 *  Errors, after which there is no file, and the block can be run again: CDN_ERR_LIMIT (interrupted); the status that
 *  `between` returned; CDN_ERR_FILE (the folder cannot be written, the disk is full); CDN_ERR_ARG (no such block; the
 *  folder has results of another study); CDN_ERR_NOMEM. A case that fails is no error. Memory: the rows of the
 *  block. */
CDN_API cdn_status cdn_sweep_run_block(cdn_sweep *sweep, int64_t block, const cdn_sweep_run_def *def) CDN_NODISCARD;
/** Asks the call of run_block or run_case that is in progress, or else the next one, to return CDN_ERR_LIMIT soon:
 *  before the next evaluation of the run. Other threads and signal handlers may call it at any time before
 *  cdn_sweep_destroy. Nothing without a sweep. Cost: a few atomic operations. */
CDN_API void cdn_sweep_interrupt(cdn_sweep *sweep);

/** Writes the numbers of the blocks that have no file and are not being run now, at most `room` of them, and their
 *  number into *count. Of n_parts shares it looks at share `part`, from 0: the blocks whose number has the remainder
 *  `part`. Blocks in which a program crashed come last. `blocks` may be NULL: they are only counted. Errors:
 *  CDN_ERR_ARG (also: the folder has results of another study), CDN_ERR_FILE, CDN_ERR_NOMEM. Reads the folder. */
CDN_API cdn_status cdn_sweep_missing(cdn_sweep *sweep, int64_t part, int64_t n_parts, int64_t room, int64_t *blocks,
                                     int64_t *count) CDN_NODISCARD;

#define CDN_SWEEP_REASONS 24

/** Where a study stands. */
typedef struct cdn_sweep_report {
  int64_t cases, blocks;               /**< of the study */
  int64_t blocks_done, blocks_running; /**< that have a file; that are being run now */
  int64_t cases_done;                  /**< cases in files, failed ones included */
  int64_t delivered, not_delivered;    /**< of these: verdicts (cdn_certificate); those of the rest are unknown */
  int64_t failed;                      /**< of these: status not CDN_SWEEP_DONE */
  int n_reasons;                       /**< of the failures */
  int reason[CDN_SWEEP_REASONS];       /**< a status, for cdn_sweep_status_text */
  int64_t reason_count[CDN_SWEEP_REASONS], reason_case[CDN_SWEEP_REASONS]; /**< how many; the first case */
  double seconds;      /**< time that the blocks took that are done, s */
  double seconds_left; /**< what the rest takes by those that run now, or by one if none does, s; NaN: not known */
} cdn_sweep_report;
/** Reads the files of all blocks that are done. Errors: those of cdn_sweep_missing, and of reading tables. */
CDN_SIZED(cdn_sweep_status, (cdn_sweep *sweep, cdn_sweep_report *out), (sweep, out), out);

/** Writes one table of all cases, in their order; the ending of `path` says in which format (table.h). Its attributes
 *  are the study, the model, the seed and the version of the library. It takes the place of an earlier file when it is
 *  whole. Errors: CDN_ERR_LIMIT (blocks are missing), CDN_ERR_FILE, CDN_ERR_PARSE (a damaged block: delete its file and
 *  run it again), and those of cdn_sweep_missing. Memory: one block. */
CDN_API cdn_status cdn_sweep_gather(cdn_sweep *sweep, const char *path) CDN_NODISCARD;

CDN_END_DECLS
#endif
