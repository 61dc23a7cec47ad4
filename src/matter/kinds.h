/* What is known of each kind of mobilizer beside its kernels (mobilizers/mobilizers.h): kinds.c has a row for each. Who
 * asks here needs no list of the kinds. */
#ifndef CARDAN_MATTER_KINDS_H
#define CARDAN_MATTER_KINDS_H

#include "matter/matter.h"
#include "system/elements.h"

/* What u is. */
typedef enum mobilizer_speeds {
  SPEEDS_ARE_RATES,      /* u = qdot */
  SPEEDS_TURN_IN_F,      /* the first three are the angular velocity, in F's axes */
  SPEEDS_TURN_ABOUT_AXES /* the first two are the angular velocity, along x and y of M; it has none along z */
} mobilizer_speeds;

/* How the columns of H change in F with the mobilizer's own coordinates (derivatives_joints.c). */
typedef enum mobilizer_columns {
  COLUMNS_CARRIED,    /* as `carriers` says */
  COLUMNS_FIXED,      /* not at all */
  COLUMNS_FIXED_IN_F, /* not at all, unless the mobilizer is reversed */
  COLUMNS_STRETCHED   /* as those of an ellipsoid */
} mobilizer_columns;

typedef struct mobilizer_kind {
  const char
      *dimensions; /* of what each mobility is the rate: A an angle, L a length, which come last; NULL: unknown */
  mobilizer_speeds speeds;
  bool ball;   /* it turns about all axes through M's origin, whatever else it does: a ball, a free joint */
  bool swings; /* M's origin may move along a circle while the body turns */
  mobilizer_columns columns;
  uint8_t carriers[MOST_MOBILITIES]; /* bit l of element k: motion l carries column k; no matter where S_l x S_k is 0 */
  const cdni_parameter *parameters;
  int n_parameters;
  /* Of parameters that are within their limits: false, with the reason, if they are refused. NULL: none is. */
  bool (*accepts)(const double *params, char *reason, size_t size);
  void (*decode)(const double *params, double *kernel); /* from parameters to those of the kernels; NULL: the same */
} mobilizer_kind;

/* By the kind of a tree_node. */
extern const mobilizer_kind cdni_mobilizer_kinds[];

static inline const mobilizer_kind *cdni_kind_of(const tree_node *node) { return &cdni_mobilizer_kinds[node->kind]; }
/* A body's, while building or later. */
static inline const mobilizer_kind *cdni_body_kind(const matter *m, int body) {
  return cdni_kind_of(&CDNI_AT(m->nodes, tree_node, body));
}

/* How many of a kind's last mobilities are rates of lengths. -1: nobody knows. */
static inline int cdni_kind_lengths(const mobilizer_kind *kind) {
  int n = 0;
  if (!kind->dimensions) return -1;
  for (const char *d = kind->dimensions; *d; d++) n = *d == 'L' ? n + 1 : 0;
  return n;
}
/* Of what mobility k is the rate: 'L' of a length, 'A' of an angle, 0 where only a user's functions know. */
static inline char cdni_kind_dimension(const mobilizer_kind *kind, int k) {
  return kind->dimensions ? kind->dimensions[k] : 0;
}

#endif
