/* The measures room: shared by its files. Every kind of measure is one file that defines one measure_kind.
 *
 * Each measure is a subsystem: its private part is a struct that begins with a `measure`, its value is a cache entry
 * whose ticket is reserved when the measure is added. The room is above forces, so files that measure mechanical
 * quantities may include matter and forces (slot.c, station.c and energy.c do). No other room includes this one:
 * integrators see measures as subsystems, and forces and events read them through the public header. */
#ifndef CARDAN_MEASURES_INTERNAL_H
#define CARDAN_MEASURES_INTERNAL_H

#include <cardan/measures.h>

#include "system/adding.h"

typedef struct measure measure;

typedef struct measure_kind {
  const char *name;
  size_t size;    /* of the kind's struct, which begins with a measure */
  bool rewirable; /* its value does not depend on the operand at the same moment: it may close a loop */
  /* Number of known time derivatives; NULL: none. Called repeatedly while the System is frozen, until no answer
   * changes. */
  int (*derivatives)(const measure *m);
  /* The stage that the derivative of this order (0: the value) needs. */
  cdn_stage (*stage)(const measure *m, int order);
  /* Makes this derivative of the measure a prerequisite of the entry. */
  void (*depend)(const measure *m, int order, cdn_declarer *d, cdn_cache entry);
  /* Computes the derivative of this order, at most the number that `derivatives` returns. */
  cdn_status (*value)(const measure *m, cdn_state *state, int order, double *out);

  /* The rest may be NULL. */
  void (*declare)(measure *m, cdn_declarer *d); /* declares everything except the value */
  cdn_status (*begin_run)(const void *self, cdn_state *state);
  double (*next_stop)(const void *self, const cdn_state *state);
  cdn_status (*calc_zdot)(const void *self, cdn_state *state, double *zdot);
  cdn_status (*set)(const measure *m, cdn_state *state, const double *value);
  cdn_status (*reset)(const measure *m, cdn_state *state);
  /* What is wrong, or NULL; called when all sizes are known. */
  const char *(*check)(const measure *m);
  void (*destroy)(measure *m);
} measure_kind;

/* What an entry lacks; NULL: nothing. Its measures are refused. */
const char *cdni_measure_kind_lacks(const measure_kind *kind);

struct measure {
  const measure_kind *kind;
  cdn_system *system;
  cdn_measure id, operand; /* operand: { -1 } for kinds that have none, or several */
  int n;
  cdn_ticket ticket; /* of the value; known from the adding on */
  cdn_cache value;
  int derivatives; /* this and the next are known once the System is frozen */
  cdn_stage stage;
};

/* The measure of an id, or NULL. */
const measure *cdni_measure_at(const cdn_system *system, cdn_measure id);
const char *cdni_measure_name(const measure *m);

/* ---- adding ---- */

/* Starts adding. */
void cdni_measure_begin(cdni_adder *a, cdn_system *system, const char *function, const char *name);
/* The size of an operand, which must exist; 0 if it does not. */
int cdni_measure_check_operand(cdni_adder *a, cdn_measure operand);
/* Checks a size: 1 to CDN_MEASURE_MOST. */
void cdni_measure_check_size(cdni_adder *a, int n);
/* Ends adding: the System copies *m with the data of its kind behind it, and from then on calls the kind's
 * `destroy`. m->n must be set, and m->operand if there is one. { -1 } if anything was wrong. */
cdn_measure cdni_measure_add(cdni_adder *a, const measure_kind *kind, measure *m);

/* ---- for kinds with operands ---- */

/* Like the functions of a measure_kind, by id. */
int cdni_measure_derivatives_of(const measure *m, cdn_measure operand);
cdn_stage cdni_measure_stage_of(const measure *m, cdn_measure operand, int order);
void cdni_measure_depend_on(const measure *m, cdn_measure operand, int order, cdn_declarer *d, cdn_cache entry);
/* Reads the value from the operand's entry; computes derivatives, and checks them for NaN. */
cdn_status cdni_measure_read(const measure *m, cdn_state *state, cdn_measure operand, int order, double *out);

/* The stage of values that depend on time alone. */
cdn_stage cdni_measure_stage_time(const measure *m, int order);

#endif
