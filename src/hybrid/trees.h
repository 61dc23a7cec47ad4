/* Which trees of bodies a moment's rows touch. Private to the room. */
#ifndef CARDAN_HYBRID_TREES_H
#define CARDAN_HYBRID_TREES_H

#include "hybrid/internal.h"

/* The trees on Ground. Those that constraints connect which are on are one. What pushes one of them changes nothing of
 * another. */
typedef struct moment_trees {
  int n, nu, equations;
  int *of_body, *up;                /* the tree of each body, -1: Ground; scratch */
  int *speed_first, *speeds;        /* by tree: its speeds, */
  int *equation_first, *equations_; /* and the equations of its constraints */
} moment_trees;

size_t cdni_trees_size(const hybrid_room *room);
/* In such memory. */
cdn_status cdni_trees_find(moment_trees *t, const hybrid_room *room, cdn_state *state, void *memory);
/* The trees that a constraint touches, on or off: at most `most` of them, each once. Returns their number. */
int cdni_trees_of(const moment_trees *t, const hybrid_room *room, const cdn_state *state, int constraint, int most,
                  int *trees);

#endif
