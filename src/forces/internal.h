/* The forces room: shared by its files. Every kind of element is one file that defines one force_kind. */
#ifndef CARDAN_FORCES_INTERNAL_H
#define CARDAN_FORCES_INTERNAL_H

#include <cardan/derivatives.h>
#include <cardan/forces.h>

#include "forces/elements/mobility.h"
#include "forces/forces.h"
#include "forces/kernels.h"
#include "paths/paths.h"
#include "system/elements.h"

/* ---- the kinds: a new kind needs its file and its line here ---- */

#define FORCE_KIND_LIST(X)                      \
  X(GRAVITY, gravity)                           \
  X(GRAVITY_COMPENSATION, gravity_compensation) \
  X(MOBILITY_SPRING, mobility_spring)           \
  X(MOBILITY_DAMPER, mobility_damper)           \
  X(MOBILITY_FORCE, mobility_force)             \
  X(ACTUATOR, actuator)                         \
  X(MOBILITY_STOP, mobility_stop)               \
  X(MOBILITY_FRICTION, mobility_friction)       \
  X(POSITION_SPRING, position_spring)           \
  X(ROTATION_SPRING, rotation_spring)           \
  X(ROTATION_DAMPER, rotation_damper)           \
  X(ROTATION_STOP, rotation_stop)               \
  X(TWO_POINT_SPRING, two_point_spring)         \
  X(TWO_POINT_DAMPER, two_point_damper)         \
  X(TWO_POINT_FORCE, two_point_force)           \
  X(PATH_SPRING, path_spring)                   \
  X(PATH_DAMPER, path_damper)                   \
  X(PATH_STOP, path_stop)                       \
  X(BODY_FORCE, body_force)                     \
  X(LINEAR_BUSHING, linear_bushing)             \
  X(GLOBAL_DAMPER, global_damper)               \
  X(FLUID_BOX, fluid_box)                       \
  X(FLUID_ELLIPSOID, fluid_ellipsoid)           \
  X(SMOOTH_CONTACT, smooth_contact)             \
  X(CUSTOM, custom)

#define FORCE_KIND_ENUM(ENUM, name) FORCE_##ENUM,
typedef enum force_kind_id { FORCE_KIND_LIST(FORCE_KIND_ENUM) FORCE_KIND_COUNT } force_kind_id;
#undef FORCE_KIND_ENUM

enum { FORCE_MOST_PARAMS = 36, FORCE_CLASSES = CDNI_FORCE_SUMS };

typedef struct force_part force_part;

/* All elements of one kind, for its functions to read. */
typedef struct force_batch {
  const force_room *room;
  force_kind_id kind;
  const matter *matter;   /* NULL in a System without bodies */
  const force_part *part; /* the part that is being summed */
  int n;
  const void *elements;  /* n of the kind's own structs */
  const int32_t *ids;    /* n */
  const double *params;  /* n x n_params */
  const double *enabled; /* 0 or 1 by id */
} force_batch;

/* A part of a kind's forces: those that read the same variables and have, or do not have, a potential. */
struct force_part {
  cdn_force_reads reads;
  bool potential;
  bool bodies, mobilities; /* targets of the forces */
  bool inertia;            /* reads the bodies' inertias */
  /* The function that adds to `out`: a kernel, or for custom forces `calc`. Neither: there is no such part. */
  force_kernel_id kernel;
  cdn_status (*calc)(const force_batch *b, cdn_state *state, cdn_forces *out);
};

/* The elements of a kind while they are collected; const once the System is frozen. */
typedef struct force_set {
  cdni_array elements; /* of kind->element_size */
  cdni_array ids;      /* int32_t */
  cdni_array defaults; /* double, n_params an element */
  cdn_dvar params;
  bool has_own;
  cdn_dvar own; /* parameters that the kind's prepare() may declare */
  cdn_zvar z;   /* of kinds that have them: n_z an element */
} force_set;

typedef struct force_kind {
  const char *name; /* of the kind's parameter array */
  size_t element_size;
  int n_params;
  cdni_parameter params[FORCE_MOST_PARAMS];
  bool on_mobility; /* its struct begins with a force_mobility, whose dimension decides among the units */
  /* Among speeds its forces vary with that of their own mobility alone, but for elements that are differenced. Without
   * this, forces that read velocities may vary with any. */
  bool own_speed;
  /* Returns false, with the reason, for numbers within their limits that do not go together; may be NULL. */
  bool (*check)(const double *params, char *reason, size_t size);
  force_part parts[FORCE_CLASSES];
  /* Writes a number for each element and lane, which the kernel reads beside the parameters; may be NULL. */
  cdn_status (*gather)(const force_batch *b, cdn_state *state, double *inputs);
  cdn_status (*calc_potential)(const force_batch *b, cdn_state *state, double *energy); /* adds; may be NULL */
  /* Fails for an element without a defined force; NULL if the force is always defined. */
  cdn_status (*fail)(cdn_state *state, const char *function, const char *name);
  /* How the forces vary (forces/derivatives.h). Every kind has it: one that is constant adds nothing. */
  cdn_status (*derivative)(const force_batch *b, cdn_state *state, cdn_force_derivatives *out);
  /* Whether element i is on and left out of that: then calc_one, which adds its force alone, is differenced. NULL: none
   * is. subsystem_of: whose z it may read; NULL: any's. */
  bool (*is_differenced)(const force_batch *b, int i);
  cdn_status (*calc_one)(const force_batch *b, int i, cdn_state *state, cdn_forces *out);
  cdn_subsystem (*subsystem_of)(const force_batch *b, int i);
  /* Auxiliary states of each element: what a unit change is, by the default parameters; their rates, and how these
   * vary; and, of a State at rest, the values after all that slides has slid. */
  int n_z;
  double (*z_unit)(const double *params);
  cdn_status (*calc_zdot)(const force_batch *b, cdn_state *state, double *zdot);
  cdn_status (*zdot_derivative)(const force_batch *b, cdn_state *state, cdn_zdot_derivatives *out);
  cdn_status (*hold)(const force_batch *b, cdn_state *state, const double *udot, double *z);
  /* Kinks of each element, their values and rates, and what they stand for (system/system.h); NULL where there are
   * none. */
  int n_kinks;
  int (*count_kinks)(const void *element); /* replaces n_kinks if elements differ */
  bool kinks_read_poses;
  cdn_status (*calc_kinks)(const force_batch *b, cdn_state *state, double *values, double *rates);
  cdn_status (*kink_force)(const force_batch *b, cdn_state *state, int k, double x, double *f); /* may be NULL */
  /* For kinds whose elements differ; each may be NULL. */
  void (*prepare)(force_set *set, cdn_declarer *d); /* called when all other rooms have declared */
  bool (*has_part)(const force_set *set, const force_part *part);
  /* Adds the kind's own prerequisites to the entry of a part, or of the potential (part NULL). */
  void (*depend)(const force_set *set, const force_part *part, const matter *m, cdn_declarer *d, cdn_cache entry);
  /* Ticket k of what tells which controls an element reads: those of controls, and of entries that may be computed from
   * some; { 0 }: there are no more. NULL: none of the kind reads any. */
  cdn_ticket (*reads)(const cdn_system *system, const void *element, int k);
  /* Adds how the force of element i varies with a control that it reads. knows_controls: whether the element can; NULL:
   * all can, if there is by_control. */
  bool (*knows_controls)(const void *element);
  cdn_status (*by_control)(const force_batch *b, int i, cdn_state *state, cdn_control control, cdn_forces *out);
  void (*destroy)(force_set *set, const cdn_allocator *a);
  /* The place of an element, or the kind of its callbacks: the end of "a force of kind ..." in checkpoints. */
  void (*describe)(const force_room *room, const void *element, char *text, size_t size);
} force_kind;

#define FORCE_KIND_EXTERN(ENUM, name) extern const force_kind cdni_force_##name;
FORCE_KIND_LIST(FORCE_KIND_EXTERN)
#undef FORCE_KIND_EXTERN

extern const force_kind *const cdni_force_kinds[FORCE_KIND_COUNT];
/* What an entry lacks that its other columns call for; NULL: nothing. Its elements are refused. */
const char *cdni_force_kind_lacks(const force_kind *kind);

/* ---- the room ---- */

typedef struct force_element {
  char *name;
  int32_t kind, index; /* its index in the kind's set */
} force_element;

/* One sum of forces: of those that read the same variables, and all have a potential or all have none. */
typedef struct accumulator {
  int n_parts; /* 0: this System has no such sum */
  struct {
    force_kind_id kind;
    const force_part *part;
  } parts[FORCE_KIND_COUNT];
  bool bodies, mobilities, called; /* called: all parts are functions of users and of other rooms */
  size_t f_offset,
      size; /* storage: F (one a body, if bodies), then f (nu, if mobilities); then, by lane, whether it has begun */
  cdn_cache entry;
} accumulator;

/* An element that reads a control. */
typedef struct force_reader {
  int32_t control, element;
} force_reader;

struct force_room {
  cdni_array elements; /* force_element, by id */
  cdni_array enabled0; /* double */
  force_set sets[FORCE_KIND_COUNT];
  /* Known once the System is frozen. */
  const cdn_system *system;
  const matter *matter;
  const force_kernels *kernels;
  int first_q, first_u; /* first slots of matter in the pools */
  cdn_dvar enabled;
  accumulator accumulators[FORCE_CLASSES]; /* 2 reads + potential */
  cdn_cache potential, kinks;
  int n_kinks;
  cdni_array readers; /* force_reader, by control */
};

/* sum.c: the elements of a kind as a batch; part may be NULL. */
force_batch cdni_force_batch(const force_room *room, cdn_state *state, force_kind_id kind, const force_part *part);
static inline bool force_part_exists(const force_part *part) { return part->kernel != FORCE_KERNEL_none || part->calc; }
/* sum.c: adds the forces of a part to `out`. */
cdn_status cdni_force_calc(const force_batch *b, cdn_state *state, cdn_forces *out);
/* sum.c: makes the kind's parameters, and further dependencies of a part (or of the potential: NULL), prerequisites. */
void cdni_force_depend(const force_room *room, cdn_declarer *d, cdn_cache entry, int k, const force_part *part);
/* auxiliary.c */
void cdni_force_declare_z(force_room *room, cdn_declarer *d);
cdn_status cdni_force_calc_zdot(const void *self, cdn_state *state, double *zdot);
cdn_status cdni_force_zdot_derivative(const void *self, cdn_state *state, cdn_zdot_derivatives *out);
/* kinks.c */
void cdni_force_kinks_declare(force_room *room, cdn_declarer *d);
/* describe.c: force_kind.describe for elements on mobilities, between stations, at a station, and between bodies;
 * and the description of the subsystem. */
void cdni_describe_mobility(const force_room *room, const void *element, char *text, size_t size);
void cdni_describe_two_points(const force_room *room, const void *element, char *text, size_t size);
void cdni_describe_body_force(const force_room *room, const void *element, char *text, size_t size);
void cdni_describe_bushing(const force_room *room, const void *element, char *text, size_t size);
void cdni_forces_describe(const void *self, const cdn_system *system, cdn_description *d);
extern const cdn_subsystem_ops cdni_forces_ops;   /* sum.c */
extern const cdni_elements cdni_force_elements[]; /* parameters.c */
/* readers.c: finds who reads which control, of a System without lanes. */
cdn_status cdni_force_readers_plan(cdn_system *system, force_room *room);
/* sum.c: what depends on the layout of the State's block, and on how many lanes there are. */
cdn_status cdni_forces_planned(cdn_system *system, void *room);

static inline bool force_is_on(const force_batch *b, int k) { return b->enabled[b->ids[k]] != 0; }
static inline const char *force_name(const force_batch *b, int k) {
  return CDNI_AT(b->room->elements, force_element, b->ids[k]).name;
}
/* q and u of matter, for a compute function. */
static inline cdn_status force_q(const force_batch *b, cdn_state *state, const double **q) {
  CDNI_TRY(cdni_state_ensure(state, CDN_Q_EFF));
  *q = cdn_state_q_eff(state) + b->room->first_q;
  return CDN_OK;
}
static inline cdn_status force_u(const force_batch *b, cdn_state *state, const double **u) {
  CDNI_TRY(cdni_state_ensure(state, CDN_U_EFF));
  *u = cdn_state_u_eff(state) + b->room->first_u;
  return CDN_OK;
}

/* The z of a batch's elements, and the first in the pool. In lanes each z is a block. */
static inline int force_first_z(const force_batch *b) {
  return cdni_zvar_first(b->room->system, b->room->sets[b->kind].z);
}
static inline const double *force_z(const force_batch *b, const cdn_state *state) {
  return cdn_state_z(state) + force_first_z(b) * b->matter->lanes;
}

/* ---- adding and setting, with their common checks ---- */

typedef struct force_adder {
  cdni_adder by;
  force_room *room;
  force_kind_id kind;
} force_adder;

/* Starts adding. */
void cdni_force_begin(force_adder *a, cdn_system *system, force_kind_id kind, const char *function, const char *name);
/* Checks two different bodies. */
void cdni_force_check_pair(force_adder *a, cdn_body body_a, cdn_body body_b);
/* Finds mobility k of a body. */
force_mobility cdni_force_check_mobility(force_adder *a, cdn_body body, int k);
/* Finds coordinate k of a body and the mobility whose u is its rate. */
force_mobility cdni_force_check_coordinate(force_adder *a, cdn_body body, int k);
/* Finds the first slots of a body on a ball or free mobilizer. */
force_mobility cdni_force_check_rotation(force_adder *a, cdn_body body);
/* Finds the first slots of the three lengths of a body, whose rates are speeds. */
force_mobility cdni_force_check_position(force_adder *a, cdn_body body);
/* Ends adding: checks the parameters, copies everything; { -1 } if anything was wrong. */
cdn_force cdni_force_add(force_adder *a, const void *element, const double *params);

/* Sets all parameters of an element. */
cdn_status cdni_force_set(cdn_state *state, cdn_force force, force_kind_id kind, const char *function,
                          const double *params);
/* The parameters of an element, or NULL if the id is not an element of that kind. */
const double *cdni_force_params(const cdn_state *state, cdn_force force, force_kind_id kind);

/* ---- collecting forces ---- */

/* The target of calc functions. Most custom forces and providers add nothing most of the time: the numbers of a sum of
 * these alone are set to zero with the first that is added. */
struct cdn_forces {
  cdn_state *state;
  const matter *matter;
  const body_pose *pose;
  sv *F;        /* for each body, about M's origin, in Ground */
  double *f;    /* nu */
  void *unset;  /* the numbers that are to be set to zero before one is added; NULL: they are set */
  size_t bytes; /* of them */
};

static inline void force_begin(cdn_forces *f) {
  if (f->unset) memset(f->unset, 0, f->bytes);
  f->unset = NULL;
}

/* The target of calc functions, and their first mistake. `to` comes first: every cdn_forces is the beginning of a
 * force_collector. */
typedef struct force_collector {
  cdn_forces to;
  cdn_status mistake;
  int body, mobility; /* mobility -1: the force is on the body */
} force_collector;
/* In place of a mobility: the number is that of a path. */
enum { MISTAKE_OF_PATH = -2 };

/* The frames of the State's bodies, for the arithmetic of the elements. */
static inline const double *force_frames(const force_batch *b, cdn_state *state) {
  return cdn_state_parameters(state, b->matter->frames);
}

/* A force at distance r from M's origin, in Ground. */
static inline void force_push(cdn_forces *out, int body, v3 r, v3 f) {
  if (body == 0) return; /* Ground takes it in silence */
  sv *F = &out->F[body];
  *F = (sv){ v3_cross_add(r, f, F->w), v3_add(F->v, f) };
}

#endif
