/* The interface of the system room for the rooms above, beyond the public headers. It knows nothing of mechanics. */
#ifndef CARDAN_SYSTEM_SYSTEM_H
#define CARDAN_SYSTEM_SYSTEM_H

#include <stdatomic.h>
#include <cardan/regions.h>
#include <cardan/state.h>

#include "core/archive.h"
#include "core/core.h"
#include "core/sized.h"
#include "math/kernel_sets.h"

/* ---- building ---- */

/* Stores a building error, if it is the first one (errors of adders are sticky); returns its code. */
cdn_status cdni_system_fail(cdn_system *system, cdn_status code, const char *function, const char *element,
                            const char *format, ...) CDN_PRINTF(5, 6);
/* Whether adders must do nothing: after an earlier error, or if the System is frozen, which is then stored as an
 * error. */
bool cdni_system_refuses(cdn_system *system, const char *function);
/* The allocator of a System. */
const cdn_allocator *cdni_system_allocator(const cdn_system *system);
/* names.c: the whole name of a slot, however long, which cdni_strfree frees; NULL: no memory. */
char *cdni_slot_name(const cdn_system *system, cdn_pool pool, int i);

/* Each room above has a place on the System for its data, by number. Freezing goes through the rooms four times:
 * `prepare` runs first; `freeze` runs before any subsystem declares; `subsystem` is added when all subsystems added
 * while building, and those of the rooms before, have declared; `planned` runs when the State's block has been planned.
 * Members that are NULL or 0 are skipped. */
enum { CDNI_MOST_ROOMS = 16 };
typedef struct cdni_room_ops {
  size_t size; /* of the room's data */
  /* Adds elements that those of other rooms call for, before any room freezes; also of a room that does not exist. */
  cdn_status (*prepare)(cdn_system *system);
  cdn_status (*freeze)(cdn_system *system, void *room);
  /* Whether a room that does not exist yet is made when the rooms' subsystems are added. */
  bool (*needed)(const cdn_system *system);
  /* The room's own subsystem. Its `self` is a pointer to the room's data. */
  const cdn_subsystem_ops *subsystem;
  cdn_status (*planned)(cdn_system *system, void *room);
  void (*destroy)(cdn_system *system, void *room);
  const struct cdni_elements *elements; /* its types of elements (system/elements.h); may be NULL */
} cdni_room_ops;
/* All rooms, in the order of freezing, NULL past the end. src/rooms.c defines it. */
extern const cdni_room_ops *const cdni_rooms[CDNI_MOST_ROOMS];
/* The room's data, made (zeroed) on first use; NULL when memory ran out (the System then has failed). */
void *cdni_system_room(cdn_system *system, int which);
/* The room's data of any System; NULL if it was never made. */
const void *cdni_system_room_get(const cdn_system *system, int which);

/* A subsystem's `self`, for rooms that own what it points to. */
void *cdni_subsystem_self_mutable(cdn_system *system, cdn_subsystem id);

/* ---- sweeps ---- */

/* A subsystem whose things may meet (shapes) is asked about the time between two States of a step. A *mark* is what it
 * notes of all things at one time; a *sight* is two of them at one time. Between two marks things move along cubics
 * with the places and rates of the marks; the subsystem allows for what turns make of that. */
typedef struct cdni_sight {
  int64_t key;     /* which two */
  double distance; /* m, negative: they overlap */
  double normal[3];
  double graze; /* m; what is not deeper than that is nothing */
  bool apart;   /* for whoever asks */
} cdni_sight;
/* It grows and never shrinks. */
typedef struct cdni_sights {
  cdni_sight *sights;
  int n, room;
  const cdn_allocator *allocator;
} cdni_sights;
typedef enum cdni_passing {
  CDNI_PASSES_NOTHING, /* nothing between the two times that the sights do not show */
  CDNI_PASSES_UNKNOWN, /* look in between */
  CDNI_PASSES_THROUGH, /* one is on the other side */
  CDNI_PASSES_SLOWLY   /* that too, and the step is short: forces do not stop it */
} cdni_passing;
/* The time h between two marks, in which a step has gone from one to the other. `last`: the step ends there, and the
 * State that is given is at its end. `through`: it is enough that neither of two has got through the other. */
typedef struct cdni_lapse {
  const void *a, *b;
  double h;
  bool last, through;
} cdni_lapse;
typedef struct cdni_sweeper {
  /* *id > 0: nothing can meet between two States with the same id and reaches (s) of at least a third of the time
   * between them. `turn`: that time. 0: somebody has to look. */
  cdn_status (*clear)(const void *self, cdn_state *state, double reach, double turn, int64_t *id);
  size_t (*mark_size)(const void *self);
  cdn_status (*mark)(const void *self, cdn_state *state, void *mark);
  /* Here and below `state` has the parameters. Adds all pairs that may meet within a lapse (or, if that is enough, get
   * through each other). */
  cdn_status (*pairs)(const void *self, cdn_state *state, const cdni_lapse *lapse, cdni_sights *out);
  /* Whether a mark in between, a part of the time behind a, is off the cubics: they say nothing then. */
  bool (*strays)(const void *self, const void *a, const void *b, double h, double part, const void *m);
  /* What the end of a lapse says of a pair. If that is not NOTHING, *y is its sight there. */
  cdn_status (*glance)(const void *self, cdn_state *state, const cdni_lapse *lapse, cdni_sight *y,
                       cdni_passing *passing);
  /* Fills all but the key, for the time of a mark. */
  void (*look)(const void *self, cdn_state *state, const void *mark, cdni_sight *sight);
  /* By the sights at both ends. */
  cdni_passing (*judge)(const void *self, cdn_state *state, const cdni_lapse *lapse, const cdni_sight *x,
                        const cdni_sight *y);
  /* Whether there are pairs that may overlap so that no force parts them; whether two do. */
  bool (*loses)(const void *self);
  cdn_status (*lost)(const void *self, cdn_state *state, const cdni_sight *sight, bool *lost);
  /* The key of its listed kink (system/triggers.h) that is nearest to zero in a State. */
  cdn_status (*kink)(const void *self, cdn_state *state, int64_t key, int64_t *kink);
  void (*name)(const void *self, int64_t key, const char *names[2]);
} cdni_sweeper;
/* At most one subsystem has one. */
void cdni_declare_sweeper(cdn_declarer *d, const cdni_sweeper *ops);
const cdni_sweeper *cdni_system_sweeper(const cdn_system *system, const void **self);
cdn_status cdni_sights_reserve(cdni_sights *list, int n);
void cdni_sights_free(cdni_sights *list);

/* ---- declaring ---- */

/* Well-known tickets have fixed numbers, so that lists of prerequisites may name them before they are declared. */
enum { CDNI_TICKET_WELL_KNOWN = 24, CDNI_N_WELL_KNOWN = 12 };
/* Reserves a ticket for a cache entry that is declared later, during freezing. */
cdn_ticket cdni_ticket_reserve(cdn_system *system);
/* Gives the next declared cache entry a well-known or reserved ticket. */
void cdni_declare_well_known(cdn_declarer *d, cdn_ticket ticket);
/* Adds a prerequisite to an entry, whoever has declared it. */
void cdni_declare_prerequisite(cdn_declarer *d, cdn_cache entry, cdn_ticket prerequisite);
/* Declares that an entry gets its value from outside, by cdni_state_give. Its compute function runs if no value has
 * been given. Checkpoints hold given values. */
void cdni_declare_given(cdn_declarer *d, cdn_cache entry);
/* A companion: a cache entry that the compute function of another entry fills. It is valid while that entry is. */
cdn_cache cdni_declare_companion(cdn_declarer *d, const char *name, size_t size, cdn_cache of);
/* Declares that the compute function of `by` writes the numbers of an entry of the System (udot, multipliers) to their
 * pool. */
void cdni_declare_written_by(cdn_declarer *d, cdn_ticket entry, cdn_cache by);
/* A companion of a computed region: a region that the compute functions of `of`, and of entries computed from it,
 * fill. It is valid while `of` is. */
cdn_computed_region cdni_declare_companion_region(cdn_declarer *d, const char *name, size_t element,
                                                  cdn_computed_region of);
/* Declares that no checkpoint holds an entry, although it is computed from an update. Its value has pointers, or is
 * partly in a companion region. */
void cdni_declare_unsaved(cdn_declarer *d, cdn_ticket entry);
/* The calc_zdot_derivative of the subsystem that declares does not hold in this System: its rates are differenced. */
void cdni_declare_differenced_rates(cdn_declarer *d);
/* For compute functions: makes a region n elements long. The values of the elements are undefined. */
cdn_status cdni_region_take(cdn_state *state, const char *function, cdn_computed_region r, size_t n, void **elements);
/* The elements of a region, without evaluating it; NULL if it never had any. Copying a State, and growth of the region,
 * move them. */
void *cdni_region_elements(const cdn_state *state, cdn_computed_region r);
/* Those that have been added to it so far, and how many; until the next ones are added. */
void *cdni_region_output_elements(const cdn_region_output *out, int *n);
/* How many elements it has, likewise. */
size_t cdni_region_size(const cdn_state *state, cdn_computed_region r);
/* The first slots of a subsystem in the pools, and their numbers (valid from freezing on). */
typedef struct cdni_runs {
  int q, nq, u, nu, z, nz;
  int qerr, nqerr, uerr, nuerr, udoterr, nudoterr;
} cdni_runs;
cdni_runs cdni_subsystem_runs(const cdn_system *system, cdn_subsystem id);
/* The index in the pool of the first z of a group, and the size of the group; -1 and 0 if there is no such group. */
int cdni_zvar_first(const cdn_system *system, cdn_zvar z);
int cdni_zvar_count(const cdn_system *system, cdn_zvar z);
/* The ops of subsystem i, which have a name always; NULL past the end. */
const cdn_subsystem_ops *cdni_subsystem_ops(const cdn_system *system, int i);
/* A parameter array like that of cdn_declare_parameters, but no stage depends on it. */
cdn_dvar cdni_declare_values(cdn_declarer *d, const char *name, int n, const double *defaults);
/* The subsystem that is declaring. */
cdn_subsystem cdni_declarer_subsystem(const cdn_declarer *d);
const cdn_system *cdni_declarer_system(const cdn_declarer *d);
/* The i-th ticket that a subsystem has declared so far and that rates may depend on, { 0 } past the end: its z,
 * discrete variables, parameters, and entries that do not read rates themselves. */
cdn_ticket cdni_subsystem_variable(const cdn_system *system, cdn_subsystem id, int i);

/* The entry whose compute function is running, or { 0 }. */
cdn_ticket cdni_state_computing(const cdn_state *state);
/* Whether an entry of a frozen System is computed from something, directly or by way of others. */
bool cdni_ticket_is_upstream(const cdn_system *system, cdn_ticket ticket, cdn_ticket entry);

/* Properties of a System that some Studies cannot handle. */
typedef struct cdni_traits {
  int subsystems, auto_updates;
  const char *remembered; /* the first auto-update variable, "subsystem.entry"; NULL: there is none */
  bool events, constraints, previous;
} cdni_traits;
cdni_traits cdni_system_traits(const cdn_system *system);
/* The i-th parameter array, and its size; false past the end. */
bool cdni_system_parameters(const cdn_system *system, int i, cdn_dvar *v, int *n);
/* Writes the name of a variable, "subsystem.entry". */
void cdni_variable_name(const cdn_system *system, cdn_dvar v, char *text, size_t size);
/* The name of a variable that differs between two States of one System, other than the n in `except`; NULL: all are
 * equal. */
const char *cdni_state_difference(const cdn_state *a, const cdn_state *b, int n, const cdn_dvar *except);

/* ---- several States in lanes ----
 *
 * A System has a twin, whose States have several lanes each: the numbers of that many States side by side
 * (math/lane_block.h). The graph, the order of evaluation and the code are the same. The rooms' data are copies that
 * know the number of lanes (cdni_room_ops.planned is called for them). A failure of one lane fails that lane alone. */

/* How an entry is computed for several lanes, and how a variable is stored. */
typedef enum cdni_in_lanes {
  CDNI_LANE_BY_LANE,   /* entry: the lone State of each lane computes and keeps it. Variable: one value for all lanes */
  CDNI_LANES_GATHERED, /* entry: the lone States compute it, and the numbers are put side by side */
  CDNI_LANES_TOGETHER /* entry: the function computes all lanes at once. Variable: doubles of all lanes, side by side */
} cdni_in_lanes;
/* Declares it for an entry and its companions, or for a variable. The default is CDNI_LANE_BY_LANE. */
void cdni_declare_in_lanes(cdn_declarer *d, cdn_ticket ticket, cdni_in_lanes how);

typedef struct cdni_lanes {
  bool failed[CDNI_MOST_LANES]; /* kernels go on computing failed lanes; no callback is called for them */
  /* The lone State of a lane, of the System itself, with the lane's variables; NULL on failure. */
  cdn_state *(*state)(void *context, int lane);
  void *context;
  cdn_state *standing[CDNI_MOST_LANES]; /* by lane: the lone State that stands for it, or NULL */
} cdni_lanes;

/* Makes the twin of a frozen System, which it holds. `prescribed`: some q or u may be prescribed in its States. */
cdn_status cdni_lanes_system(const cdn_system *system, int lanes, bool prescribed, cdn_system **out);
void cdni_lanes_system_free(cdn_system *system);
/* Makes a State of the twin. All lanes have the variables of `like`, a State of the System itself. NULL: memory ran
 * out. */
cdn_state *cdni_lanes_state(const cdn_system *twin, const cdn_state *like, cdni_lanes *lanes);
void cdni_lanes_state_free(cdn_state *state);

/* Lanes of the States of a System: 1 of an ordinary one. */
int cdni_system_lanes(const cdn_system *system);
/* The lone State of a lane, NULL if the lane has failed; and a function that marks a lane as failed. */
cdn_state *cdni_lane_state(cdn_state *state, int lane);
void cdni_lane_fail(cdn_state *state, int lane);
/* For functions that report a finding for each lane, -1 for none: fails the lanes with a finding and returns -1. For an
 * ordinary State it returns the finding which[0]. */
int64_t cdni_lanes_fail(cdn_state *state, const int64_t *which);
/* An array for such findings, as kernels of any number of lanes write them. */
#define CDNI_LANE_FINDINGS(name) int64_t name[CDNI_MOST_LANES] __attribute__((aligned(CDNI_ALIGN)))
/* Sets t and y of all lanes (blocks of lanes) without checking the numbers; y may be the State's own. */
void cdni_lanes_set_ty(cdn_state *state, const double *t, const double *y);
/* Makes `state`, with the same variables, stand for a lane of `others`: it takes valid results from there. others
 * NULL: it no longer stands for a lane. */
void cdni_lanes_stand_for(cdn_state *state, const cdn_state *others, int lane);

/* The constants of lanes: variables that are stored for each lane, and entries of Instance stage. The functions return
 * their number for one lane, collect those of one lane from its lone State (realized to Instance), and set those of all
 * lanes in a State. */
size_t cdni_lanes_constants(const cdn_system *twin);
void cdni_lanes_collect_constants(const cdn_system *twin, const cdn_state *from, int lane, double *constants);
void cdni_lanes_use_constants(cdn_state *state, const double *constants);

/* ---- reading and writing a State from inside ---- */

/* The first members of a State, for the functions that are called most. */
typedef struct cdni_state_head {
  char *block;     /* everything that a copy has to copy, except regions and shared arrays */
  uint64_t *valid; /* in the block: one bit for each ticket */
  bool audit;      /* reads are audited */
} cdni_state_head;
static inline const cdni_state_head *cdni_state_head_of(const cdn_state *state) { return (const void *)state; }
/* The State's block. */
static inline char *cdni_state_block(const cdn_state *state) { return cdni_state_head_of(state)->block; }
/* y = (q, u, z) and ydot = (qdot, udot, zdot), each contiguous. ydot is valid as far as its entries are. */
const double *cdni_state_y(const cdn_state *state);
const double *cdni_state_ydot(const cdn_state *state);
/* Storage of ydot for the hooks that fill it. */
double *cdni_state_ydot_storage(cdn_state *state);
/* The storage of an entry, without evaluation or audit: for companions, and for entries that have just been
 * evaluated. */
void *cdni_state_storage(cdn_state *state, cdn_cache entry);
/* The time, for a decision on which no result depends: no dependency. */
double cdni_state_time_for_reuse(const cdn_state *state);
/* Offsets in the block of an entry, a variable, a pool. For rooms that look them up once, when the block has been
 * planned. / */
size_t cdni_entry_offset(const cdn_system *system, cdn_cache entry);
size_t cdni_variable_offset(const cdn_system *system, cdn_dvar v);
size_t cdni_pool_offset(const cdn_system *system, cdn_pool pool, bool rates);
/* Saves the block and all regions in memory of the caller, to return to them after evaluations elsewhere. Shared arrays
 * must not be set in between. The size is that of the State at present. The block comes first in `to`. */
size_t cdni_state_snapshot_size(const cdn_state *state);
void cdni_state_take_snapshot(const cdn_state *state, char *to);
void cdni_state_return_to(cdn_state *state, const char *from);
/* Values of shared arrays without a State. cdni_shared_hold holds the values of a State (NULL: the System's
 * defaults), until cdni_shared_let_go; cdni_shared_give gives them to a State. Held values never change. All threads
 * may call these functions at once. */
typedef struct cdni_shared_values cdni_shared_values;
bool cdni_is_shared(const cdn_system *system, cdn_dvar v);
cdni_shared_values *cdni_shared_hold(const cdn_state *state, cdn_dvar v);
void cdni_shared_let_go(const cdn_system *system, cdni_shared_values *held);
void cdni_shared_give(cdn_state *state, cdn_dvar v, cdni_shared_values *held);
/* Evaluates an entry unless it is valid. CDN_OK: it is valid now. cdni_state_evaluate is the part that is not
 * inline. */
cdn_status cdni_state_evaluate(cdn_state *state, cdn_ticket entry);
static inline cdn_status cdni_state_ensure(cdn_state *state, cdn_ticket entry) {
  const cdni_state_head *s = cdni_state_head_of(state);
  if (!s->audit && s->valid[entry.i >> 6] >> (entry.i & 63) & 1) return CDN_OK;
  return cdni_state_evaluate(state, entry);
}
bool cdni_state_is_valid(const cdn_state *state, cdn_ticket entry);
/* Marks an entry as valid that another compute function has computed. */
void cdni_state_mark_valid(cdn_state *state, cdn_ticket entry);
/* While *stop is true whatever would be evaluated fails with CDN_ERR_LIMIT; another thread or a signal may set it.
 * NULL: nothing stops the State. */
void cdni_state_stop_by(cdn_state *state, const atomic_bool *stop);
/* CDN_ERR_LIMIT if it is stopped: for loops that evaluate without the graph. */
cdn_status cdni_state_goes_on(cdn_state *state);
/* Refuses, with a message, while an entry is being computed. Every function that writes to a State calls it. */
cdn_status cdni_state_check_free(cdn_state *state, const char *function, const char *what);
/* Gives an entry a value, which makes it valid, or takes the value back (NULL). Invalidates everything downstream.
 * Refuses while an entry is being computed. */
cdn_status cdni_state_give(cdn_state *state, const char *function, cdn_cache entry, const void *value);
/* Notes a read for the audit. Every getter calls it. False: the audit has failed; the message is on the State. */
bool cdni_state_audit_read(const cdn_state *state, cdn_ticket ticket);
static inline bool cdni_state_note_read(const cdn_state *state, cdn_ticket ticket) {
  return !cdni_state_head_of(state)->audit || cdni_state_audit_read(state, ticket);
}
/* Invalidates everything downstream of a discrete variable, and returns its storage for writing. Not for shared
 * arrays. */
void *cdni_state_update_discrete(cdn_state *state, cdn_dvar v);
/* The same for a part of the variable that only `entry` reads: invalidates `entry` and everything downstream of it. */
void *cdni_state_update_part(cdn_state *state, cdn_dvar v, cdn_ticket entry);
/* N u and N^+ q for the whole System; see cdn_subsystem_ops. */
cdn_status cdni_state_multiply_by_N(cdn_state *state, const double *u, double *q);
cdn_status cdni_state_multiply_by_N_inv(cdn_state *state, const double *q, double *u);
/* Flags (nq and nu) of the slots of q and u that are prescribed at present. */
void cdni_state_prescribed(const cdn_state *state, bool *q, bool *u);
/* Normalizes q (nq numbers) in place, and returns its largest manifold error. scale (nq) may be NULL. */
double cdni_state_normalize_q(const cdn_state *state, double *q, double *scale);
/* written.c: the variables that have been written since the serials of a State were noted. */

/* The number of serials of a State, and a function that copies them to `out`. */
size_t cdni_system_serial_count(const cdn_system *system);
void cdni_state_note_serials(const cdn_state *state, uint64_t *out);
typedef struct cdni_written {
  bool t, y;
  bool variables; /* discrete variables, parameters, given entries */
} cdni_written;
cdni_written cdni_state_written(const cdn_state *state, const uint64_t *noted);
bool cdni_state_is_written(const cdn_state *state, const uint64_t *noted, cdn_ticket ticket);
/* Copies the variables that have been written since (whole arrays) to another State of the System, except t and y.
 * Fails if there is no memory for a region. Nothing has been copied then, and the message is on `to`. */
cdn_status cdni_state_pass_on(const cdn_state *from, const uint64_t *noted, cdn_state *to);
/* The same for the variables in which `from` differs from `base`. */
cdn_status cdni_state_pass_on_differences(const cdn_state *from, const cdn_state *base, cdn_state *to);
/* Saves or loads the set of variables that have been written. */
void cdni_state_archive_noted(const cdn_state *state, uint64_t *noted, cdni_archive *a);
/* Whether two States have the same values of all discrete variables, and of all given entries. */
bool cdni_state_same_variables(const cdn_state *a, const cdn_state *b);

/* steps.c: changes of a State by a run, other than those of t and y. */

/* Asks the subsystems for their marks in the picture of a State. */
cdn_status cdni_system_decorate(const cdn_system *system, cdn_state *state, cdn_decorations *d);

/* Tells the subsystems that a run begins, or goes on after a jump. */
cdn_status cdni_state_begin_run(cdn_state *state);
/* Computes the next values of all auto-update variables. Call it at the end of a step, before the step is accepted. */
cdn_status cdni_state_finish_step(cdn_state *state);
/* Stores t and y as the previous values, if a subsystem needs them, and performs the auto-updates. Call it at each
 * accepted step. */
void cdni_state_accept_step(cdn_state *state);
/* The time that a step from this State must not pass: `end`, or one before it that a subsystem names. */
double cdni_state_next_stop(const cdn_state *state, double end);
/* The rates of a group of z are those of filters, zdot = (x - z) / time: methods that do so follow them as if x were
 * constant in a step (integrators/fixed.h). */
void cdni_declare_z_filter(cdn_declarer *d, cdn_zvar z, double time);
/* The time of number i of z; 0: it is no such filter. */
double cdni_system_z_filter(const cdn_system *system, int i);
/* Unit changes of all z; NULL: all are 1. */
const double *cdni_system_z_scale(const cdn_system *system);
/* Stores a failure, like cdn_state_fail, with the name of the public function. */
cdn_status cdni_state_fail(cdn_state *state, cdn_status code, bool recoverable, const char *function,
                           const char *element, const char *format, ...) CDN_PRINTF(6, 7);
/* The failure of a call that names an element by a number that none has. */
cdn_status cdni_state_lacks(cdn_state *state, const char *function, const char *what, int number);
/* The failure of a call that needs an argument and got NULL. */
cdn_status cdni_state_misses(cdn_state *state, const char *function, const char *argument);
/* A public function needs a State, and something besides. */
#define CDNI_NEED(state, pointer) CDNI_NEED_SOME(state, pointer, 1)
/* A State, and an array of `n` numbers: an empty one may be NULL. */
#define CDNI_NEED_SOME(state, pointer, n)                                             \
  do {                                                                                \
    if (!(state)) return cdni_misses(__func__, "state");                              \
    if (!(pointer) && (n) > 0) return cdni_state_misses((state), __func__, #pointer); \
  } while (0)
void cdni_state_set_error(cdn_state *state, const cdn_error *error);
/* Before a callback, whose own message is told apart from none. */
void cdni_state_clear_error(cdn_state *state);
/* The status behind a getter that has returned NULL. */
cdn_status cdni_state_last_status(const cdn_state *state);
/* Copies the last failure of `from` to `state`. */
void cdni_state_take_error(cdn_state *state, const cdn_state *from);

/* ---- checkpoints ---- */

/* What a System is made of: loading compares it, and fails at the first difference with its message on `state`. */
void cdni_system_archive(const cdn_system *system, cdni_archive *a, cdn_state *state, const char *function);
/* The variables of a State, and the computed values that cannot be computed again. */
void cdni_state_archive(cdn_state *state, cdni_archive *a);
/* Ends a saving or loading on behalf of a public function: what failed goes to the State. */
cdn_status cdni_archive_finish(cdni_archive *a, cdn_state *state, const char *function);

#endif
