/* Mobilizers described by ops: function-based and custom. Private to the room. */
#ifndef CARDAN_MATTER_CUSTOM_H
#define CARDAN_MATTER_CUSTOM_H

#include "matter/matter.h"

struct cdn_body_def;

/* One such mobilizer, owned by the System. */
typedef struct custom_mobilizer {
  cdn_custom_mobilizer_ops ops; /* name is a copy */
  void *self;
  int32_t body;
} custom_mobilizer;

/* Copies the mobilizer of a def; *index is its place in matter's list. On failure the System has the message. */
cdn_status cdni_custom_add(cdn_system *system, matter *m, const struct cdn_body_def *def, const char *name,
                           int32_t *index);
void cdni_custom_free(const cdn_allocator *a, custom_mobilizer *x);
/* Fills the records of all these mobilizers: X and H from q, then Hdot u from q and u. */
cdn_status cdni_custom_across(const matter *m, cdn_state *state, const double *q, custom_across *out);
cdn_status cdni_custom_bias(const matter *m, cdn_state *state, const double *q, const double *u, custom_across *out);

/* qdot = N u of one of these mobilizers. */
static inline void cdni_custom_N(const custom_mobilizer *x, const double *q, const double *u, double *qdot, int nu) {
  if (x->ops.N) x->ops.N(x->self, q, u, qdot);
  else memcpy(qdot, u, (size_t)nu * sizeof *u);
}

/* Function-based mobilizers as ops (function_based.c). */
typedef struct function_mobilizer {
  cdn_function_mobilizer def; /* functions retained, axes of length 1 */
} function_mobilizer;
/* CDN_OK, or why the def is not a function-based mobilizer. */
cdn_status cdni_function_mobilizer_ops(const cdn_function_mobilizer *def, cdn_custom_mobilizer_ops *ops,
                                       function_mobilizer *self, char *reason, size_t size);
/* functions.c: "linear function, ...", for checkpoints. */
void cdni_function_describe(const cdn_function *f, char *text, size_t size);

#endif
