/* The structures behind cdn_system and cdn_state. Private to the room. */
#ifndef CARDAN_SYSTEM_STRUCTS_H
#define CARDAN_SYSTEM_STRUCTS_H

#include <cardan/regions.h>
#include <stdatomic.h>

#include "system/elements.h"
#include "system/system.h"
#include "system/triggers.h"

/* Ticket numbers. Everything that something can depend on is a node of one graph. Its ticket is the index of the
 * node. */
enum {
  TICKET_NONE = 0,
  TICKET_T,
  TICKET_Q,
  TICKET_U,
  TICKET_Z,
  TICKET_STAGE_EMPTY, /* stage s is TICKET_STAGE_EMPTY + s */
  TICKET_Q_EFF = TICKET_STAGE_EMPTY + CDN_STAGE_COUNT,
  TICKET_U_EFF,
  TICKET_QDOT,
  TICKET_UDOT,
  TICKET_ZDOT,
  TICKET_QERR,
  TICKET_UERR,
  TICKET_UDOTERR,
  TICKET_MULTIPLIERS,
  TICKET_FIRST_FREE = CDNI_TICKET_WELL_KNOWN + CDNI_N_WELL_KNOWN
};
_Static_assert((int)TICKET_MULTIPLIERS < (int)CDNI_TICKET_WELL_KNOWN, "fixed tickets run into the well-known ones");

typedef enum node_kind { NODE_NONE, NODE_VARIABLE, NODE_STAGE, NODE_ENTRY, NODE_COMPANION } node_kind;

/* The place of the bytes of a variable or an entry in a State. */
typedef enum storage {
  IN_BLOCK,  /* in the block, from `offset` on */
  IN_REGION, /* in a region; the block has the count of its elements, an int64_t, at `offset` */
  SHARED     /* variable: in the System, or in memory that several States hold */
} storage;

typedef struct node {
  char *name; /* "subsystem.entry" */
  node_kind kind;
  storage storage;
  int32_t slot;      /* the number of its region, or of its shared array, in a State */
  int32_t subsystem; /* -1: the System's own */
  int32_t of;        /* the entry that writes the numbers of this companion or entry; TICKET_NONE: the entry itself */
  cdn_stage eager; /* entry: computed at the latest with this stage; EMPTY: lazy. Variable: the stage it invalidates */
  bool parameters; /* variable: an array of doubles, checked for NaN */
  bool in_vector;  /* variable: it belongs to a part of vectors by itself (vectors.h) */
  bool given;      /* entry: its value comes from outside (cdni_state_give) */
  bool hint;       /* likewise, from steps (hints.h) */
  cdni_in_lanes in_lanes;
  bool unsaved; /* entry: no checkpoint holds it (cdni_declare_unsaved) */
  cdn_calc_fn *calc;
  size_t size, offset; /* bytes in the State's block, or of a shared array */
  void *initial;       /* variable: default value */
  size_t initial_size; /* its bytes */
  cdn_region_fn *calc_region;
  size_t element;  /* region: bytes of one element */
  int32_t partner; /* region that updates itself: the ticket of its other half, or 0 */
} node;

/* A State's part of a region. Its memory never shrinks. */
typedef struct region_slot {
  char *data;
  size_t capacity; /* bytes */
} region_slot;

/* Values that several States may hold, in memory of their own. A State may write to them only if no other holds
 * them. */
typedef struct cdni_shared_values {
  atomic_int holders;
  size_t size; /* bytes of this struct and the values */
  /* the values follow, CDNI_ALIGN bytes from the start */
} shared_values;

/* A State's part of a shared array. */
typedef struct shared_slot {
  const void *data;     /* the values: the System's defaults, or those in `held` */
  shared_values *held;  /* NULL: the System's defaults */
  shared_values *spare; /* memory of an earlier change, which no other State holds; may be NULL */
} shared_slot;

typedef struct edge {
  int32_t from, to;
} edge;

typedef struct subsystem {
  cdn_subsystem_ops ops;
  char *name;
  void *self;
  cdni_runs runs;
  int32_t nodes_from, nodes_to; /* tickets: its variables and entries are among these */
  bool moves;                   /* has declared q and u */
  bool is_room;                 /* its parameters are those of a room's elements */
} subsystem;

typedef struct z_group {
  int32_t subsystem, first, n;
} z_group;
/* Triggers with slots, which are numbers of a cache entry; or kinks that a function lists. */
typedef struct trigger_group {
  int32_t subsystem, n; /* number of slots; 0: listed */
  cdn_stage stage;      /* of the events that read the slots */
  cdn_cache entry;      /* the values of the slots; behind them the rates of kinks */
  /* Kinks: triggers that no event reads, for steps end there without a handler. */
  int32_t of;                    /* the ticket in which they are; TICKET_NONE: events read the slots */
  bool counts;                   /* rates are computed from it */
  cdni_kink_force *force;        /* may be NULL */
  cdni_trigger_motion *moves;    /* of slots that events read; may be NULL */
  const cdni_trigger_ways *ways; /* likewise */
  bool shows;                    /* the values come with the rates */
  const cdni_near_kinks *ops;    /* NULL: they have slots */
} trigger_group;
typedef struct auto_variable {
  int32_t variable, update;
} auto_variable;

struct cdn_system {
  atomic_int references;
  bool frozen, freezing, audit;
  int32_t mark;                     /* of what is declared in this System: not 0, and no other living System has it */
  int lanes;                        /* lanes of its States: more than 1 only if cdni_lanes_system has made it */
  const struct cdn_system *twin_of; /* then the System whose twin it is */
  cdn_allocator allocator;
  char *name;
  cdn_units units;
  cdn_error error;

  void *rooms[CDNI_MOST_ROOMS];

  cdni_array subsystems;     /* subsystem */
  cdni_array nodes;          /* node, by ticket */
  cdni_array edges;          /* edge */
  cdni_array z_groups;       /* z_group */
  cdni_array trigger_groups; /* trigger_group */
  cdni_array events;         /* cdni_event */
  struct {
    const cdni_sweeper *ops; /* NULL: there is none */
    int32_t subsystem;
  } sweeper;
  cdni_array autos;       /* auto_variable */
  cdni_array vector_runs; /* vector_run */
  cdni_array prescribers; /* int32_t: subsystems that prescribe q and u */
  cdni_array moving;      /* int32_t: subsystems with q and u, */
  cdni_array with_z;      /* with z, */
  cdni_array stopping;    /* and those that say when a step must end: so that a step does not ask each one */
  cdni_array regions;     /* int32_t: tickets of regions, by slot */
  cdni_array shared;      /* int32_t: tickets of shared arrays, by slot */
  cdni_array q0, u0, z0;  /* double: default values of the pools */
  cdni_array z_scale;     /* double: unit changes of z; empty if all are 1 */
  cdni_array z_filters;   /* double: time constants of filters, up to the last z that is one; 0: it is none */

  /* void *: pointers of the program, by type and element. An array ends with the last element that has one. */
  cdni_array users[CDN_ELEMENT_COUNT];

  bool keep_previous;
  bool q_is_read, u_is_read; /* something depends on q, or on u, itself and not only on the effective values */

  /* Planned at freezing. */
  int nq, nu, nz, n_qerr, n_uerr, n_udoterr;
  int words;            /* 64-bit words of a bitset over tickets */
  int most_nested;      /* entries on the longest way through the graph */
  uint64_t *downstream; /* words a ticket */
  int32_t *eager;       /* entries by stage, prerequisites first */
  int32_t eager_first[CDN_STAGE_COUNT + 1];
  size_t block_size, off_t, off_y, off_ydot, off_qerr, off_uerr, off_udoterr, off_multipliers, off_previous, off_valid,
      off_serials;
};

/* The most entries in a chain in which each entry is asked for during the computation of the one before. Each takes
 * some hundred bytes of the thread's stack. */
enum { MOST_NESTED = 1000 };

/* The most numbers of a pool, and the most bytes of a variable or entry. Sums of a few of them fit in an int, or in a
 * size_t. Larger requests are mistakes, which would fill the memory. */
enum { MOST_SLOTS = 1 << 27 };
static const size_t MOST_BYTES = (size_t)1 << 30;

typedef struct work_chunk {
  struct work_chunk *below;
  size_t size, used;
} work_chunk;

typedef struct state_times state_times;

struct cdn_state {
  union {
    cdni_state_head head;
    struct { /* the same members by their names alone */
      char *block;
      uint64_t *valid;
      bool audit;
    };
  };
  const cdn_system *system;
  region_slot *regions; /* as many as the System has */
  shared_slot *shared;  /* likewise */
  int depth;            /* the number of entries being evaluated */
  bool audit_failed;
  cdn_error error;
  work_chunk *work;
  int work_depth;
  size_t work_wanted;
  /* A State of several lanes: the lone States of the lanes. */
  cdni_lanes *lanes;
  /* A lone State that stands for a lane: the State of all lanes, from which it takes valid results; or NULL. */
  const cdn_state *others;
  int lane;
  const atomic_bool *stop; /* while this is true nothing is evaluated; or NULL */
  state_times *times;      /* timing.c; NULL: it is not timed */
  int32_t stack[];         /* the entries being evaluated, at most most_nested */
};

struct cdn_declarer {
  cdn_system *system;
  int32_t subsystem;
  int32_t well_known; /* ticket for the next entry, or 0 */
  cdn_status status;
};

/* timing.c: around the computation of an entry of a State that is timed. The first returns what the second is given. */
int32_t cdni_state_time_begins(state_times *times, int32_t ticket);
void cdni_state_time_ends(state_times *times, int32_t before);
void cdni_state_forget_times(cdn_state *state);

static inline node *node_at(const cdn_system *s, int32_t ticket) { return &CDNI_AT(s->nodes, node, ticket); }
static inline bool bit_is_set(const uint64_t *bits, int32_t i) { return bits[i >> 6] >> (i & 63) & 1; }
static inline void bit_set(uint64_t *bits, int32_t i) { bits[i >> 6] |= UINT64_C(1) << (i & 63); }
static inline void bit_clear(uint64_t *bits, int32_t i) { bits[i >> 6] &= ~(UINT64_C(1) << (i & 63)); }

static inline double *state_doubles(const cdn_state *s, size_t offset) { return (double *)(s->block + offset); }

/* Whether an id with this mark is another System's; only the audit asks. */
static inline bool is_of_another(const cdn_state *s, int32_t of) {
  return s->system->audit && of != 0 && of != s->system->mark;
}
/* state.c: the message of it. */
cdn_status cdni_state_refuse_other(const cdn_state *state, const char *function, cdn_ticket ticket);

/* Invalidates everything downstream of a ticket. */
static inline void invalidate(cdn_state *s, int32_t ticket) {
  const cdn_system *sys = s->system;
  const uint64_t *down = sys->downstream + (size_t)ticket * (size_t)sys->words;
  for (int w = 0; w < sys->words; w++) s->valid[w] &= ~down[w];
  ((uint64_t *)(s->block + sys->off_serials))[ticket]++;
}

/* Invalidates everything downstream of t, q, u and z. */
static inline void invalidate_ty(cdn_state *s) {
  const cdn_system *sys = s->system;
  const size_t words = (size_t)sys->words;
  const uint64_t *of_t = sys->downstream + (size_t)TICKET_T * words, *of_q = of_t + words, *of_u = of_q + words,
                 *of_z = of_u + words;
  for (size_t w = 0; w < words; w++) s->valid[w] &= ~(of_t[w] | of_q[w] | of_u[w] | of_z[w]);
  uint64_t *serials = (uint64_t *)(s->block + sys->off_serials);
  for (int32_t ticket = TICKET_T; ticket <= TICKET_Z; ticket++) serials[ticket]++;
}

/* state.c: makes an empty State at Topology stage, which does not hold its System; NULL: memory ran out. And frees
 * it. */
cdn_state *cdni_state_alloc(const cdn_system *system);
void cdni_state_free(cdn_state *state);
/* lanes.c: takes an entry from the State of all lanes. False: it is not valid there, and must be computed. */
bool cdni_lanes_fetch(cdn_state *state, int32_t ticket);
/* The place of the count of a region's elements. */
static inline int64_t *region_count(const cdn_state *s, const node *n) { return (int64_t *)(s->block + n->offset); }
/* The number of a region's elements, 0 for a computed region that is not valid. */
static inline int64_t region_live(const cdn_state *s, const node *n, int32_t ticket) {
  if (n->kind != NODE_VARIABLE && !bit_is_set(s->valid, n->kind == NODE_COMPANION ? n->of : ticket)) return 0;
  return *region_count(s, n);
}
/* The bytes of these elements. */
static inline size_t region_bytes(const cdn_state *s, int32_t ticket) {
  const node *n = node_at(s->system, ticket);
  return (size_t)region_live(s, n, ticket) * n->element;
}

/* regions.c: */

/* Takes memory for so many elements of a region, and of its partner. The present elements stay. A failure is told on
 * the State. */
cdn_status cdni_region_reserve(cdn_state *state, const char *function, int32_t ticket, int64_t count);
/* Gives the regions of a new State their default contents. */
cdn_status cdni_regions_set_defaults(cdn_state *state);
/* Takes memory for the elements of another State's regions. */
cdn_status cdni_regions_reserve_like(cdn_state *state, const cdn_state *like, const char *function);
/* Copies a region's elements from another State. The memory must have been taken. */
void cdni_region_copy(cdn_state *to, const cdn_state *from, int32_t ticket);
/* Copies all regions. */
void cdni_regions_copy(cdn_state *to, const cdn_state *from);
/* Swaps an update region into its variable. */
void cdni_region_swap(cdn_state *state, int32_t variable, int32_t update);
bool cdni_region_is_same(const cdn_state *a, const cdn_state *b, int32_t ticket);
/* Saves or loads the count and the elements. */
void cdni_region_archive(cdn_state *state, int32_t ticket, cdni_archive *a);
/* Compute function of every computed region. */
cdn_status cdni_calc_region(const void *self, cdn_state *state, void *out);
void cdni_regions_free(cdn_state *state);

/* shared.c: */

void cdni_shared_set_defaults(cdn_state *state);
/* Writes `bytes` bytes of a shared array, beginning at byte `from`. The State then holds the array alone. Fails if
 * memory ran out. */
cdn_status cdni_shared_write(cdn_state *state, int32_t ticket, size_t from, size_t bytes, const void *values);
/* Gives the array the values of another State. Never fails. */
void cdni_shared_copy(cdn_state *to, const cdn_state *from, int32_t ticket);
void cdni_shared_free(cdn_state *state);

/* The bytes of a variable, for reading. Those of a region are its elements. */
static inline const void *variable_data(const cdn_state *s, const node *n) {
  switch (n->storage) {
    case IN_REGION: return s->regions[n->slot].data;
    case SHARED: return s->shared[n->slot].data;
    default: return s->block + n->offset;
  }
}
/* checkpoint.c: what no other part of a vector has; takes back results that it has brought; makes a State what another
 * of the System is, which has been filled from outside. */
void cdni_state_archive_memory(cdn_state *state, cdni_archive *a);
void cdni_state_drop_kept(cdn_state *state);
cdn_status cdni_state_take(cdn_state *state, cdn_state *loaded);
/* written.c: whether two States have the same values of a variable, to the bit. */
bool cdni_variable_is_same(const cdn_state *a, const cdn_state *b, int32_t ticket);

/* graph.c: orders the nodes, rejects cycles, fills downstream and eager lists. */
cdn_status cdni_graph_freeze(cdn_system *system);
/* triggers.c: finds out which kinks count: those in entries from which rates are computed. */
void cdni_triggers_freeze(cdn_system *system);
/* elements.c: refuses two elements of one type and one name. */
cdn_status cdni_names_freeze(cdn_system *system);
/* layout.c: plans the block. */
cdn_status cdni_layout_plan(cdn_system *system);
/* Adds a node; returns its ticket, or TICKET_NONE when memory ran out. */
int32_t cdni_node_add(cdn_system *system, const char *subsystem_name, const char *name, node_kind kind, int32_t owner);
bool cdni_edge_add(cdn_system *system, int32_t from, int32_t to);
/* Gives every z without a scale the unit 1; false: memory ran out. */
bool cdni_z_scale_complete(cdn_system *system);
/* events.c: frees the memory of the System's events. */
void cdni_events_free(cdn_system *system);
/* effective.c and realize.c: compute functions of the System's own entries. */
cdn_status cdni_calc_q_eff(const void *self, cdn_state *state, void *out);
cdn_status cdni_calc_u_eff(const void *self, cdn_state *state, void *out);
cdn_status cdni_calc_qdot(const void *self, cdn_state *state, void *out);
cdn_status cdni_calc_udot(const void *self, cdn_state *state, void *out);
cdn_status cdni_calc_zdot(const void *self, cdn_state *state, void *out);
/* errors.c: compute functions of constraint errors and multipliers. */
cdn_status cdni_calc_qerr(const void *self, cdn_state *state, void *out);
cdn_status cdni_calc_uerr(const void *self, cdn_state *state, void *out);
cdn_status cdni_calc_udoterr(const void *self, cdn_state *state, void *out);
cdn_status cdni_calc_multipliers(const void *self, cdn_state *state, void *out);

#endif
