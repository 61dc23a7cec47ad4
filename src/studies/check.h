/* Checks of elements: what the files of the three types share. Private to the room. */
#ifndef CARDAN_STUDIES_CHECK_H
#define CARDAN_STUDIES_CHECK_H

#include <cardan/check.h>
#include <cardan/operators.h>

#include "forces/forces.h"

struct cdn_check {
  cdn_allocator allocator;
  cdni_array entries; /* cdn_check_entry */
  int poses;
  char element[96], kind[48], type[16];
  char text[512];
};

/* A point of the space of t, q, u, z; or a direction in it. */
typedef struct check_point {
  double t, *q, *u, *z;
} check_point;

/* What is evaluated: n numbers of a State. */
typedef cdn_status check_fn(void *context, cdn_state *state, double *values);

typedef struct checker {
  cdn_check *report;
  const char *function; /* the public one */
  cdn_check_def def;
  const cdn_system *system;
  const matter *matter;
  cdn_state *state; /* where everything is evaluated: a copy of the caller's, the element alone */
  int nq, nu, nz, nb;
  uint64_t random;
  check_point given;             /* the caller's */
  check_point at;                /* the present pose, */
  check_point along;             /* and a direction, for whoever needs one */
  check_point moved;             /* scratch of differences */
  double *values, *rate, *doubt; /* scratch: results of differences, most numbers each */
  double *memory;
  size_t memory_size;
  int most; /* numbers in a result */
  int pose; /* 0 is the State's own */
} checker;

/* check_pose.c: makes the report and a State of its own with locks, motions and forces from outside taken away. `most`:
 * the longest result that is differenced. On failure nothing is left. */
cdn_status cdni_check_begin(checker *c, cdn_state *state, const char *function, const char *type, const char *element,
                            const char *kind, const cdn_check_def *def, int most, cdn_check **out);
/* Frees all but the report, which it finishes. */
cdn_status cdni_check_end(checker *c, cdn_status status, cdn_check **out);
/* Chooses the i-th pose; only coordinates and speeds of `body` are drawn if it is not Ground. */
void cdni_check_choose(checker *c, int pose, cdn_body body);
/* Sets the checker's State to a point. */
cdn_status cdni_check_set(checker *c, const check_point *p);
/* Zeroes `along` and sets its dq to N u for the u given, at the pose. */
cdn_status cdni_check_go_along(checker *c, const double *u, double dt);
void cdni_check_stay(checker *c);

/* The rate of n values along `along` at the pose: c->rate, and what it may err by: c->doubt. Values that bend or jump
 * there have NaN. The State is at the pose again afterwards. */
cdn_status cdni_check_rate(checker *c, check_fn *f, void *context, int n);

/* check_report.c: reads a def; puts what was found in order and words. */
cdn_status cdni_check_read_def(cdn_check_def *to, const cdn_check_def *from, const char *function);
void cdni_check_tell(cdn_check *report);

/* Notes that `found` is not `expected`, if it is not, within what the checker allows. `hint`: what to look at. */
void cdni_check_compare(checker *c, const char *what, int row, int column, const char *where, double expected,
                        double found, double scale, double doubt, const char *hint);
void cdni_check_note(checker *c, const char *what, int row, int column, double expected, double found, double error,
                     const char *format, ...) CDN_PRINTF(8, 9);
/* A failure to evaluate: noted unless the pose may be one where the element has no meaning. CDN_OK: go on with the next
 * pose. */
cdn_status cdni_check_failed(checker *c, cdn_status status);

/* check_reads.c: whether n values that are computed at the pose change, unnoticed, with something that they do not
 * declare. */
cdn_status cdni_check_reads(checker *c, check_fn *f, void *context, int n);

static inline double check_largest(const double *x, int n) {
  double most = 0;
  for (int i = 0; i < n; i++) most = x[i] > most ? x[i] : -x[i] > most ? -x[i] : most;
  return most;
}

#endif
