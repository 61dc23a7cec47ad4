/* The mass matrix by composite rigid bodies (Featherstone 2008, 6.2): for one State, not for lanes. */
#include "matter/kernel.h"

#if CDNI_LANES == 1
#  include "matter/kernel_blocks.h"

/* A block of many mobilities, about the M origin of its last body: columns of H, and the forces by which composite
 * bodies are moved along them. */
typedef struct block_motion {
  wide6 S, F;
  wide armature;
} block_motion;

/* Any block. The composite inertia of the bodies that hang on it, about its origin, is complete when the inward pass
 * reaches it. */
typedef struct block_whole {
  v3 reach; /* from the parent block's origin */
  sv S, F;  /* of a lone mobility */
  double armature;
  rigid_inertia composite;
} block_whole;

typedef struct mass_pass {
  const tree *t;
  const tree_data *d;
  block_motion *motion;
  block_whole *whole;
  double *M;
} mass_pass;

/* Inward through block k. */
CDNI_INLINE void block_begin(const mass_pass *p, int k) {
  const tree_block *b = &p->t->block[k];
  block_motion *m = &p->motion[k];
  block_whole *one = &p->whole[k];
  rigid_inertia B = one->composite;
  v3 to_last = v3_zero();
  if (b->nu > 1 && b->nu < WIDE) m->S = m->F = wide6_zero();
  for (int i = b->end - 1; i >= b->first; i--) {
    const tree_node *n = &p->t->node[i];
    sv S[6];
    B = rigid_add(B, p->d->inertia[i]);
    block_columns(n, p->d->H, S);
    for (int l = 0; l < n->nu; l++) {
      const int at = n->u - b->u + l;
      const sv moved = sv_shift_motion(S[l], to_last), F = sv_shift_force(rigid_mul(B, S[l]), v3_neg(to_last));
      if (b->nu == 1) {
        one->S = moved, one->F = F, one->armature = p->d->mass[i].armature;
        continue;
      }
      wide6_put(&m->S, at, moved);
      wide6_put(&m->F, at, F);
      ((double *)&m->armature)[at] = p->d->mass[i].armature;
    }
    to_last = v3_add(to_last, p->d->pose[i].r);
    if (i > b->first || b->parent >= 0) B = rigid_shift(B, p->d->pose[i].r);
  }
  one->reach = to_last;
  if (b->parent < 0) return;
  block_whole *parent = &p->whole[b->parent];
  parent->composite = rigid_add(parent->composite, B);
}

/* Within the block: whichever of two mobilities is farther out sends the force. */
CDNI_INLINE void block_own(const mass_pass *p, const tree_block *b, const block_motion *m) {
  const size_t size = (size_t)p->t->nu;
  double *M = p->M + (size_t)b->u * size + (size_t)b->u;
  for (int a = 0; a < b->nu; a++) {
    const wide sent = block_dot(&m->F.w.x, a, &m->S.w.x), met = block_dot(&m->S.w.x, a, &m->F.w.x);
    const wide diagonal = wide_add(sent, m->armature);
    block_store(M + (size_t)a * size, wide_first(a, sent, wide_first(a + 1, diagonal, met)), b->nu);
  }
}

/* With the blocks inboard. Every moment is the first one's and the arm's, so that only the arm is a sum from block to
 * block. */
CDNI_INLINE void block_outer(const mass_pass *p, int k) {
  const tree_block *b = &p->t->block[k];
  const size_t size = (size_t)p->t->nu;
  const wide6 *F0 = &p->motion[k].F;
  wide6 F = *F0;
  v3 arm = p->whole[k].reach;
  for (int j = b->parent; j >= 0; j = p->t->block[j].parent) {
    const tree_block *inner = &p->t->block[j];
    double *outer_row = p->M + (size_t)b->u * size + (size_t)inner->u;
    double *inner_row = p->M + (size_t)inner->u * size + (size_t)b->u;
    F.w = wide3_cross_add(arm, F0->v, F0->w);
    if (inner->nu == 1) {
      const wide all = wide6_dot(p->whole[j].S, &F);
      block_store(inner_row, all, b->nu);
      block_store_column(outer_row, size, all, b->nu);
    } else {
      const wide *S = &p->motion[j].S.w.x;
      block_product(&F.w.x, b->nu, S, inner->nu, outer_row, size);
      block_product(S, inner->nu, &F.w.x, b->nu, inner_row, size);
    }
    arm = v3_add(arm, p->whole[j].reach);
  }
}

/* The column of a lone mobility. */
CDNI_INLINE void lone_outer(const mass_pass *p, int k) {
  const tree_block *b = &p->t->block[k];
  const size_t size = (size_t)p->t->nu, at = (size_t)b->u;
  const sv F0 = p->whole[k].F;
  v3 arm = p->whole[k].reach;
  p->M[at * size + at] = sv_dot(p->whole[k].S, F0) + p->whole[k].armature;
  for (int j = b->parent; j >= 0; j = p->t->block[j].parent) {
    const tree_block *inner = &p->t->block[j];
    const sv F = sv_shift_force(F0, arm);
    double *row = p->M + at * size + (size_t)inner->u, *column = p->M + (size_t)inner->u * size + at;
    if (inner->nu == 1) {
      *row = *column = sv_dot(F, p->whole[j].S);
    } else {
      const wide all = wide6_dot(F, &p->motion[j].S);
      block_store(row, all, inner->nu);
      block_store_column(column, size, all, inner->nu);
    }
    arm = v3_add(arm, p->whole[j].reach);
  }
}

size_t KERNEL(mass_matrix_scratch)(const tree *t) {
  return (size_t)t->n_blocks * (sizeof(block_motion) + sizeof(block_whole));
}

/* Fills the non-zeros of M: n d numbers for a tree of depth d. */
void KERNEL(mass_matrix)(const tree *t, const tree_data *d, void *scratch, double *M) {
  const mass_pass p = {
    .t = t, .d = d, .motion = scratch, .whole = (block_whole *)((block_motion *)scratch + t->n_blocks), .M = M
  };
  /* A lone row of bodies has no zeros. */
  bool dense = true;
  for (int k = 0; k < t->n_blocks; k++) {
    dense = dense && t->block[k].parent == k - 1;
    p.whole[k].composite = d->inertia[0];
  }
  if (!dense) memset(M, 0, (size_t)t->nu * (size_t)t->nu * sizeof *M);

  for (int k = t->n_blocks - 1; k >= 0; k--) block_begin(&p, k);
  for (int k = 0; k < t->n_blocks; k++) {
    if (t->block[k].nu == 1) {
      lone_outer(&p, k);
    } else if (t->block[k].nu > 1) {
      block_own(&p, &t->block[k], &p.motion[k]);
      block_outer(&p, k);
    }
  }
}

#endif
