/* The measures room: what its files share. Every kind of measure is one file that defines one measure_kind.
 *
 * A measure is a subsystem of its own: its private part is a struct that begins with a `measure`, its value a cache entry
 * whose ticket is reserved when it is added. The room stands above forces, so that files which measure mechanical things
 * may include matter and forces (slot.c, station.c, energy.c do; no other does). Nothing includes this room: integrators
 * see measures as they see any subsystem, and forces and events read them through the public header. */
#ifndef CARDAN_MEASURES_INTERNAL_H
#define CARDAN_MEASURES_INTERNAL_H

#include <cardan/measures.h>

#include "system/system.h"

typedef struct measure measure;

typedef struct measure_kind {
  const char *name;
  size_t size;    /* of its struct, which begins with a measure */
  bool rewirable; /* its value does not depend on its operand's at the same moment: it may close a loop */
  /* How many time derivatives are known; NULL: none. Asked repeatedly while the System is frozen, until no answer changes. */
  int (*derivatives)(const measure *m);
  /* The stage whose results the derivative of this order (0: the value) needs. */
  cdn_stage (*stage)(const measure *m, int order);
  /* Makes it a prerequisite of the entry. */
  void (*depend)(const measure *m, int order, cdn_declarer *d, cdn_cache entry);
  /* The derivative of this order, not above what `derivatives` says. */
  cdn_status (*value)(const measure *m, cdn_state *state, int order, double *out);

  /* The rest may be NULL. */
  void (*declare)(measure *m, cdn_declarer *d); /* what it needs beside its value */
  cdn_status (*begin_run)(const void *self, cdn_state *state);
  double (*next_stop)(const void *self, const cdn_state *state);
  cdn_status (*calc_zdot)(const void *self, cdn_state *state, double *zdot);
  cdn_status (*set)(const measure *m, cdn_state *state, const double *value);
  cdn_status (*reset)(const measure *m, cdn_state *state);
  /* What is wrong now that the sizes of everything are known, or NULL. */
  const char *(*check)(const measure *m);
  void (*destroy)(measure *m);
} measure_kind;

struct measure {
  const measure_kind *kind;
  cdn_system *system;
  cdn_measure id, operand; /* operand: { -1 } for kinds that have none, or several */
  int n;
  cdn_ticket ticket; /* of the value, from adding on */
  cdn_cache value;
  int derivatives; /* known once the System is frozen, like the next */
  cdn_stage stage;
};

/* The measure of an id, or NULL. */
const measure *cdni_measure_at(const cdn_system *system, cdn_measure id);
const char *cdni_measure_name(const measure *m);

/* ---- adding ---- */

typedef struct measure_adder {
  cdn_system *system;
  const char *function, *name;
  char made_up[32]; /* the name of a measure without one */
  bool ok;
} measure_adder;

/* Starts adding; a->ok is false if there is no point in going on. */
void cdni_measure_begin(measure_adder *a, cdn_system *system, const char *function, const char *name);
/* Keeps a building error that names the measure. */
void cdni_measure_refuse(measure_adder *a, cdn_status code, const char *format, ...) CDN_PRINTF(3, 4);
/* The size of an operand, which must be there; 0 if it is not. */
int cdni_measure_check_operand(measure_adder *a, cdn_measure operand);
/* 1 to CDN_MEASURE_MOST. */
void cdni_measure_check_size(measure_adder *a, int n);
/* n finite numbers; NULL is allowed. */
void cdni_measure_check_numbers(measure_adder *a, const char *what, const double *numbers, int n);
/* Ends adding: the System takes a copy of *m, which is followed by what its kind knows, and from then on calls the kind's
 * `destroy`. m->n must be set, and m->operand where there is one. { -1 } if anything was wrong. */
cdn_measure cdni_measure_add(measure_adder *a, const measure_kind *kind, measure *m);

/* ---- for kinds that have operands ---- */

/* By id, as the functions of a measure_kind. */
int cdni_measure_derivatives_of(const measure *m, cdn_measure operand);
cdn_stage cdni_measure_stage_of(const measure *m, cdn_measure operand, int order);
void cdni_measure_depend_on(const measure *m, cdn_measure operand, int order, cdn_declarer *d, cdn_cache entry);
/* The value comes from the operand's entry; derivatives are computed, and checked for NaN. */
cdn_status cdni_measure_read(const measure *m, cdn_state *state, cdn_measure operand, int order, double *out);

/* Stages of what depends on time alone, for kinds to use. */
cdn_stage cdni_measure_stage_time(const measure *m, int order);

#endif
