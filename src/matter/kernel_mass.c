/* The mass matrix by composite rigid bodies (Featherstone 2008, 6.2): for one State, not for lanes. */
#include "matter/hinge.h"
#include "matter/kernel.h"

#if CDNI_LANES == 1

/* The rest of column `at`: what the force F at body i does to the mobilities of its ancestors. F comes by address: as a
 * value it would be stored by its numbers and loaded again by the register, which waits for the stores. Every moment is
 * the first one's and the arm's, so that only the arm is a sum from body to body. */
static __attribute__((noinline)) void mass_column(const tree *t, const tree_data *d, int i, size_t at, const sv *F_i,
                                                  double *M) {
  size_t size = (size_t)t->nu;
  double *row = M + at * size, *column = M + at;
  sv F = *F_i;
  v3 arm = v3_zero();
  for (int j = i; t->node[j].parent > 0;) {
    arm = v3_add(arm, d->pose[j].r);
    F.w = v3_cross_add(arm, F.v, F_i->w);
    j = t->node[j].parent;
    const tree_node *a = &t->node[j];
    real *above = row + a->u, *left = column + (size_t)a->u * size;
    const real *H = d->H + a->H;
#  define BODY(NU, FORM)                                                     \
    {                                                                        \
      real f[6];                                                             \
      hinge_tmul(FORM, NU, H, F, f);                                         \
      for (int l = 0; l < NU; l++) above[l] = left[(size_t)l * size] = f[l]; \
    }
    FOR_KIND(a)
#  undef BODY
  }
}

/* Rows and columns of body i: its own block, then those with its ancestors. */
CDNI_INLINE void mass_rows(const tree *t, const tree_data *d, int i, int nu, hinge_form form,
                           const rigid_inertia *composite, double *M) {
  const tree_node *n = &t->node[i];
  size_t size = (size_t)t->nu;
  for (int k = 0; k < nu; k++) {
    size_t at = (size_t)(n->u + k);
    sv F = rigid_mul(composite[i], hinge_column(form, d->H + n->H, k));
    real f[6];
    hinge_tmul(form, nu, d->H + n->H, F, f);
    f[k] += d->mass[i].armature;
    for (int l = 0; l <= k; l++) M[at * size + (size_t)(n->u + l)] = M[(size_t)(n->u + l) * size + at] = f[l];
    if (n->parent > 0) mass_column(t, d, i, at, &F, M);
  }
}

/* M is filled where it is not zero: n d numbers for a tree of depth d. */
void KERNEL(mass_matrix)(const tree *t, const tree_data *d, rigid_inertia *composite, double *M) {
  memset(M, 0, (size_t)t->nu * (size_t)t->nu * sizeof *M);
  memcpy(composite, d->inertia, (size_t)t->n * sizeof *composite);
  for (int i = t->n - 1; i > 0; i--)
    if (t->node[i].parent > 0)
      composite[t->node[i].parent] = rigid_add(composite[t->node[i].parent], rigid_shift(composite[i], d->pose[i].r));
  for (int i = t->n - 1; i > 0; i--) {
#  define BODY(NU, FORM) mass_rows(t, d, i, NU, FORM, composite, M)
    FOR_KIND(&t->node[i])
#  undef BODY
  }
}

#endif
