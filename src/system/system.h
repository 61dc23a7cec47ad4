/* What the system room offers the rooms above it, beyond the public headers. It knows nothing of mechanics. */
#ifndef CARDAN_SYSTEM_SYSTEM_H
#define CARDAN_SYSTEM_SYSTEM_H

#include <cardan/regions.h>
#include <cardan/state.h>

#include "core/archive.h"
#include "core/core.h"
#include "core/sized.h"
#include "math/kernel_sets.h"

/* ---- building ---- */

/* Keeps the first building error; returns its code (the sticky mechanism of the adders). */
cdn_status cdni_system_fail(cdn_system *system, cdn_status code, const char *function, const char *element,
                            const char *format, ...) CDN_PRINTF(5, 6);
/* The same of an element, which the text begins with: "force 'tether': ...". */
void cdni_system_refuse(cdn_system *system, cdn_status code, const char *function, const char *what, const char *name,
                        const char *format, va_list args);
/* True if adders should do nothing: an earlier error, or frozen (which is then recorded as an error). */
bool cdni_system_refuses(cdn_system *system, const char *function);
/* Records an error against a frozen (const) System's State instead. */
const cdn_allocator *cdni_system_allocator(const cdn_system *system);

/* Rooms above keep their builders on the System, one place each, by number. Freezing a System goes through them
 * three times: `freeze`, before any subsystem declares; `subsystem`, when all that were added while building have
 * declared, those of the rooms before, too; `planned`, when the State's block has been planned. A member that is
 * NULL or 0 is not there. */
enum { CDNI_MOST_ROOMS = 16 };
/* A sort of elements whose names must differ: "bodies". A name may be NULL. */
typedef struct cdni_named {
  const char *sort;
  int (*count)(const cdn_system *system);
  const char *(*name)(const cdn_system *system, int i);
} cdni_named;

typedef struct cdni_room_ops {
  size_t size; /* of the room's data */
  cdn_status (*freeze)(cdn_system *system, void *room);
  /* Whether a room that nobody has made so far is made, as the rooms' subsystems are added. */
  bool (*needed)(const cdn_system *system);
  /* The room's own subsystem. Its `self` is a pointer to the room's data. */
  const cdn_subsystem_ops *subsystem;
  cdn_status (*planned)(cdn_system *system, void *room);
  void (*destroy)(cdn_system *system, void *room);
  const cdni_named *named; /* its sorts of elements, ended by one without a sort; may be NULL */
} cdni_room_ops;
/* All of them, in the order in which they are frozen, NULL past the end. Whoever puts the library together defines
 * it. */
extern const cdni_room_ops *const cdni_rooms[CDNI_MOST_ROOMS];
/* The room's data, made (zeroed) on first use; NULL when memory ran out (the System then has failed). */
void *cdni_system_room(cdn_system *system, int which);
/* The same of any System, NULL if it was never made. */
const void *cdni_system_room_get(const cdn_system *system, int which);

/* Subsystems added by the rooms may own what `self` points to. */
void *cdni_subsystem_self_mutable(cdn_system *system, cdn_subsystem id);

/* ---- kinks: where rates bend or jump. Runs end steps there, without an event. ---- */

/* Adds to f (nu) the generalized force that value x of kink k stands for: how far the forces are, at this State,
 * from what they would be without the kink. *known: it does; what the kink does is not known otherwise. */
typedef cdn_status cdni_kink_force(const void *self, cdn_state *state, int k, double x, double *f, bool *known);
/* The entry holds n values, each with another sign on either side of its kink (NaN: there is none near), then their
 * n rates (NaN: not known). The kinks are those of ticket `of`, and count where rates are computed from it. `force`
 * may be NULL. */
void cdni_declare_kinks(cdn_declarer *d, int n, cdn_cache entry, cdn_ticket of, cdni_kink_force *force);
int cdni_system_kinks(const cdn_system *system);
/* Those of a State, evaluated if need be: all values, then all rates. */
cdn_status cdni_state_kinks(cdn_state *state, double *values);
cdn_status cdni_state_kink_force(cdn_state *state, int k, double x, double *f, bool *known);

/* ---- declaring ---- */

/* Well-known tickets have fixed numbers, so that a prerequisite list may name them before they are declared. */
enum { CDNI_TICKET_WELL_KNOWN = 24, CDNI_N_WELL_KNOWN = 12 };
/* A ticket for a cache entry that will be declared when the System is frozen, so that it can be named before. */
cdn_ticket cdni_ticket_reserve(cdn_system *system);
/* Makes the next declared cache entry answer to a well-known or a reserved ticket. */
void cdni_declare_well_known(cdn_declarer *d, cdn_ticket ticket);
/* Adds a prerequisite to an entry that was declared by this declarer or earlier. */
void cdni_declare_prerequisite(cdn_declarer *d, cdn_cache entry, cdn_ticket prerequisite);
/* Says that an entry gets its value from outside, by cdni_state_give: its compute function is what happens where it
 * is asked for without. Checkpoints hold such values. */
void cdni_declare_given(cdn_declarer *d, cdn_cache entry);
/* A cache entry whose storage is filled by another entry's compute function; valid when that one is. */
cdn_cache cdni_declare_companion(cdn_declarer *d, const char *name, size_t size, cdn_cache of);
/* Says that the compute function of `by` writes the numbers of an entry of the System (udot, multipliers) to their
 * pool. */
void cdni_declare_written_by(cdn_declarer *d, cdn_ticket entry, cdn_cache by);
/* A region that is filled by the compute functions of `of` and of entries that are computed from it; valid while
 * `of` is. */
cdn_computed_region cdni_declare_companion_region(cdn_declarer *d, const char *name, size_t element,
                                                  cdn_computed_region of);
/* Says that no checkpoint holds an entry, although it is computed from an update: its value, or a part of it, is in
 * a companion region, or has pointers. */
void cdni_declare_unsaved(cdn_declarer *d, cdn_ticket entry);
/* Makes a computed region so many elements long, whatever is in them. For the compute functions that fill it. */
cdn_status cdni_region_take(cdn_state *state, const char *function, cdn_computed_region r, size_t n, void **elements);
/* Where a region's elements are, without evaluating it: NULL if it never had any. They are elsewhere where the State
 * is copied to, and where the region has grown. */
void *cdni_region_elements(const cdn_state *state, cdn_computed_region r);
/* Where this subsystem's runs start (valid from freezing on). */
typedef struct cdni_runs {
  int q, nq, u, nu, z, nz;
  int qerr, nqerr, uerr, nuerr, udoterr, nudoterr;
} cdni_runs;
cdni_runs cdni_subsystem_runs(const cdn_system *system, cdn_subsystem id);
/* Index of the first z of a group in the pool; the group's size. -1 and 0 where there is no such group. */
int cdni_zvar_first(const cdn_system *system, cdn_zvar z);
int cdni_zvar_count(const cdn_system *system, cdn_zvar z);
/* The ops of subsystem i, whose name is always there; NULL past the end. */
const cdn_subsystem_ops *cdni_subsystem_ops(const cdn_system *system, int i);
/* An array of n finite numbers as cdn_declare_parameters makes, of which nothing depends on by stage. */
cdn_dvar cdni_declare_values(cdn_declarer *d, const char *name, int n, const double *defaults);
/* Which subsystem is declaring. */
cdn_subsystem cdni_declarer_subsystem(const cdn_declarer *d);
const cdn_system *cdni_declarer_system(const cdn_declarer *d);
/* What a subsystem has declared so far and rates may depend on: its z, discrete variables, parameters, and the
 * entries that do not read rates themselves. The i-th ticket, or { 0 } past the end. */
cdn_ticket cdni_subsystem_variable(const cdn_system *system, cdn_subsystem id, int i);

/* The entry whose compute function is running, or { 0 }. */
cdn_ticket cdni_state_computing(const cdn_state *state);
/* Whether an entry of a frozen System is computed from something, directly or by way of others. */
bool cdni_ticket_is_upstream(const cdn_system *system, cdn_ticket ticket, cdn_ticket entry);

/* What a System has that not every Study can treat. */
typedef struct cdni_traits {
  int subsystems, auto_updates;
  bool events, constraints, previous;
} cdni_traits;
cdni_traits cdni_system_traits(const cdn_system *system);
/* The i-th parameter array and its size; false past the end. */
bool cdni_system_parameters(const cdn_system *system, int i, cdn_dvar *v, int *n);
/* "subsystem.entry" of a variable that is there. */
void cdni_variable_name(const cdn_system *system, cdn_dvar v, char *text, size_t size);
/* The name of a discrete variable or parameter array, none of n, in which two States of one System differ, or NULL. */
const char *cdni_state_difference(const cdn_state *a, const cdn_state *b, int n, const cdn_dvar *except);

/* ---- several States in lanes ----
 *
 * A System has a twin whose States have several lanes each: numbers of that many States side by side
 * (math/lane_block.h), over the same graph, evaluated in the same order by the same code. The rooms' data are copies
 * that know how many lanes there are (cdni_room_ops.planned is called for them). What one lane cannot do fails in
 * that lane alone. */

/* How a compute function goes about several lanes, and how a variable is kept. */
typedef enum cdni_in_lanes {
  CDNI_LANE_BY_LANE,   /* entry: each lane's own State computes it, and keeps it. Variable: one value for all lanes */
  CDNI_LANES_GATHERED, /* entry: the same, and its numbers are put side by side */
  CDNI_LANES_TOGETHER  /* entry: the function takes all lanes at once. Variable: doubles, kept lane by lane */
} cdni_in_lanes;
/* Said of an entry (its companions follow) or of a variable by whoever declares it; CDNI_LANE_BY_LANE otherwise. */
void cdni_declare_in_lanes(cdn_declarer *d, cdn_ticket ticket, cdni_in_lanes how);

typedef struct cdni_lanes {
  bool failed[CDNI_MOST_LANES]; /* those are computed along, to no purpose, and nobody calls out for them */
  /* A lane's own State, of the System itself, with the lane's variables; NULL if there is none, or it cannot be had. */
  cdn_state *(*state)(void *context, int lane);
  void *context;
  cdn_state *standing[CDNI_MOST_LANES]; /* by lane: a State that stands for it, or NULL */
} cdni_lanes;

/* The twin of a frozen System, which it holds. `prescribed`: some q or u may be prescribed in its States. */
cdn_status cdni_lanes_system(const cdn_system *system, int lanes, bool prescribed, cdn_system **out);
void cdni_lanes_system_free(cdn_system *system);
/* One of its States; all lanes have the variables of `like`, a State of the System itself. NULL: memory ran out. */
cdn_state *cdni_lanes_state(const cdn_system *twin, const cdn_state *like, cdni_lanes *lanes);
void cdni_lanes_state_free(cdn_state *state);

/* Lanes of the States of a System: 1 of an ordinary one. */
int cdni_system_lanes(const cdn_system *system);
/* A lane's own State, NULL if the lane has failed; and that it fails. */
cdn_state *cdni_lane_state(cdn_state *state, int lane);
void cdni_lane_fail(cdn_state *state, int lane);
/* For functions that find out by lane what is wrong: which[l] >= 0 fails lane l, and -1 is returned; an ordinary
 * State's finding, which[0], is returned as it is. */
int64_t cdni_lanes_fail(cdn_state *state, const int64_t *which);
/* Room for such findings, as kernels of any number of lanes write them. */
#define CDNI_LANE_FINDINGS(name) int64_t name[CDNI_MOST_LANES] __attribute__((aligned(CDNI_ALIGN)))
/* New times and y of all lanes (blocks of lanes), without a look at the numbers; y may be the State's own. */
void cdni_lanes_set_ty(cdn_state *state, const double *t, const double *y);
/* `state` stands for a lane of `others` from now on, with the same variables: it takes what is computed there. NULL:
 * it does not. */
void cdni_lanes_stand_for(cdn_state *state, const cdn_state *others, int lane);

/* The constants of all lanes: variables that are kept lane by lane, and entries of Instance stage. How many numbers
 * they are a lane, a lane's from its own State (realized to Instance), and all of them for a State. */
size_t cdni_lanes_constants(const cdn_system *twin);
void cdni_lanes_collect_constants(const cdn_system *twin, const cdn_state *from, int lane, double *constants);
void cdni_lanes_use_constants(cdn_state *state, const double *constants);

/* ---- reading and writing a State from inside ---- */

/* y = (q, u, z) contiguous, and ydot = (qdot, udot, zdot) likewise, valid where their entries are. */
const double *cdni_state_y(const cdn_state *state);
const double *cdni_state_ydot(const cdn_state *state);
/* Storage of ydot for the hooks that fill it. */
double *cdni_state_ydot_storage(cdn_state *state);
/* An entry's storage without evaluating or auditing it (for companions and for what has just been evaluated). */
void *cdni_state_storage(cdn_state *state, cdn_cache entry);
/* The State's block, and where in it an entry and the runs of a subsystem are: for whoever looks them up once, when the
 * block is planned. */
char *cdni_state_block(const cdn_state *state);
size_t cdni_entry_offset(const cdn_system *system, cdn_cache entry);
size_t cdni_variable_offset(const cdn_system *system, cdn_dvar v);
size_t cdni_pool_offset(const cdn_system *system, cdn_pool pool, bool rates);
/* The block and all regions, to be returned to after the State has been evaluated elsewhere. Shared arrays must not
 * be set in between. `to` has as many bytes as the State says; the block comes first. */
size_t cdni_state_snapshot_size(const cdn_state *state);
void cdni_state_take_snapshot(const cdn_state *state, char *to);
void cdni_state_return_to(cdn_state *state, const char *from);
/* Values of shared arrays, for whoever keeps them without a State: those that a State has (NULL: the System's
 * defaults), held until they are let go of; and the same values given to a State. Nobody writes to values that are
 * held. Threads may do all of it at once. */
typedef struct cdni_shared_values cdni_shared_values;
bool cdni_is_shared(const cdn_system *system, cdn_dvar v);
cdni_shared_values *cdni_shared_hold(const cdn_state *state, cdn_dvar v);
void cdni_shared_let_go(const cdn_system *system, cdni_shared_values *held);
void cdni_shared_give(cdn_state *state, cdn_dvar v, cdni_shared_values *held);
/* Evaluates an entry by ticket; CDN_OK if it is valid afterwards. */
cdn_status cdni_state_ensure(cdn_state *state, cdn_ticket entry);
bool cdni_state_is_valid(const cdn_state *state, cdn_ticket entry);
/* Marks an entry valid that was computed along with another. */
void cdni_state_mark_valid(cdn_state *state, cdn_ticket entry);
/* Refuses, with a story, while something is being computed: whatever writes to a State asks. */
cdn_status cdni_state_check_free(cdn_state *state, const char *function, const char *what);
/* Gives an entry its value, or takes it back (NULL): what depends on it becomes invalid, it itself valid, or not.
 * Refused while something is being computed. */
cdn_status cdni_state_give(cdn_state *state, const char *function, cdn_cache entry, const void *value);
/* Notes a read for the audit. Every getter calls it. False: the audit failed and the story is on the State. */
bool cdni_state_note_read(const cdn_state *state, cdn_ticket ticket);
/* Writable storage of a discrete variable after invalidating what depends on it. Not of a shared array. */
void *cdni_state_update_discrete(cdn_state *state, cdn_dvar v);
/* The same, to write a part that only `entry`, and what is computed from it, reads: what else depends on the
 * variable stays valid. */
void *cdni_state_update_part(cdn_state *state, cdn_dvar v, cdn_ticket entry);
/* q with another quaternion scale, and so on, for the whole System; see cdn_subsystem_ops. */
cdn_status cdni_state_multiply_by_N(cdn_state *state, const double *u, double *q);
cdn_status cdni_state_multiply_by_N_inv(cdn_state *state, const double *q, double *u);
/* Which slots of q and u are prescribed at present; nq and nu flags. */
void cdni_state_prescribed(const cdn_state *state, bool *q, bool *u);
/* Largest manifold error of the q given (nq numbers), which is normalized in place; scale (nq) may be NULL. */
double cdni_state_normalize_q(const cdn_state *state, double *q, double *scale);
/* written.c: what has been written into a State since its serials were noted. */

/* How many serials a State has; they are copied into `out`. */
size_t cdni_system_serial_count(const cdn_system *system);
void cdni_state_note_serials(const cdn_state *state, uint64_t *out);
typedef struct cdni_written {
  bool t, y;
  bool variables; /* discrete variables and parameters, and entries that got their value from outside */
} cdni_written;
cdni_written cdni_state_written(const cdn_state *state, const uint64_t *noted);
/* Writes the variables that were written since, whole arrays, into another State of the System. t and y are left
 * alone. Fails where there is no memory for a region; nothing has then been written, and the story is on `to`. */
cdn_status cdni_state_pass_on(const cdn_state *from, const uint64_t *noted, cdn_state *to);
/* Saves or loads which of them were. */
void cdni_state_archive_noted(const cdn_state *state, uint64_t *noted, cdni_archive *a);
/* The same values of all discrete variables and of all entries that got theirs from outside. */
bool cdni_state_same_variables(const cdn_state *a, const cdn_state *b);

/* steps.c: what a run does to a State beside setting t and y. */

/* A run begins, or goes on after a jump: tells the subsystems. */
cdn_status cdni_state_begin_run(cdn_state *state);
/* Computes the next values of all auto-update variables: call where a step ends, before it is accepted. */
cdn_status cdni_state_finish_step(cdn_state *state);
/* Keeps t and y as "previous" where asked for, and does the auto-updates: call at each accepted step. */
void cdni_state_accept_step(cdn_state *state);
/* The time that a step from this State must not pass: `end`, or one before it that a subsystem names. */
double cdni_state_next_stop(const cdn_state *state, double end);
/* Unit changes of all z, or NULL where they are 1. */
const double *cdni_system_z_scale(const cdn_system *system);
/* Keep a failure's story: as cdn_state_fail, with the public function's name. */
cdn_status cdni_state_fail(cdn_state *state, cdn_status code, bool recoverable, const char *function,
                           const char *element, const char *format, ...) CDN_PRINTF(6, 7);
/* The failure of a call that needs an argument and got NULL. */
cdn_status cdni_state_misses(cdn_state *state, const char *function, const char *argument);
#define CDNI_NEED(state, pointer)                                          \
  do {                                                                     \
    if (!(pointer)) return cdni_state_misses((state), __func__, #pointer); \
  } while (0)
/* An array of `n` numbers: an empty one may be NULL. */
#define CDNI_NEED_SOME(state, pointer, n)                                             \
  do {                                                                                \
    if (!(pointer) && (n) > 0) return cdni_state_misses((state), __func__, #pointer); \
  } while (0)
void cdni_state_set_error(cdn_state *state, const cdn_error *error);
/* The status behind a getter that has returned NULL. */
cdn_status cdni_state_last_status(const cdn_state *state);
/* What failed on `from` is told on `state`, too. */
void cdni_state_take_error(cdn_state *state, const cdn_state *from);

/* ---- checkpoints ---- */

/* What a System is made of: loading compares it, and fails at the first difference with its story on `state`. */
void cdni_system_archive(const cdn_system *system, cdni_archive *a, cdn_state *state, const char *function);
/* The variables of a State, and the computed values that cannot be computed again. */
void cdni_state_archive(cdn_state *state, cdni_archive *a);
/* Ends a saving or loading on behalf of a public function: what failed goes to the State. */
cdn_status cdni_archive_finish(cdni_archive *a, cdn_state *state, const char *function);

#endif
