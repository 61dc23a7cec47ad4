/* qdot = N u, mobilizer by mobilizer. */
#include "matter/kernel.h"
#include "matter/mobilizers/mobilizers.h"

void KERNEL(multiply_N)(const tree *t, const real *q, const real *u, real *qdot) {
  for (int i = 1; i < t->n; i++) {
    const tree_node *n = &t->node[i];
    switch (n->variant / 2) {
#define N_CASE(ROW, name, ...) \
  case ROW_##ROW: name##_N(q + n->q, u + n->u, qdot + n->q); break;
      MOBILIZER_LIST(N_CASE)
      default: break; /* the caller's */
    }
  }
}
