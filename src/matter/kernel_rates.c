/* qdot = N u, mobilizer by mobilizer; and sines of angles, a lane each. */
#include "matter/kernel_sincos.h"
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

void KERNEL(sincos)(const double *x, double *sine, double *cosine) {
  real angle, s, c;
  memcpy(&angle, x, sizeof angle);
  r_sincos(angle, &s, &c);
  memcpy(sine, &s, sizeof s);
  memcpy(cosine, &c, sizeof c);
}
