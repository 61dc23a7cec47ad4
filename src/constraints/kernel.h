/* Shared by the files of the kernels, which are compiled once for every set; those that know constraints alone only for
 * sets of one lane. */
#ifndef CARDAN_CONSTRAINTS_KERNEL_H
#define CARDAN_CONSTRAINTS_KERNEL_H

#include "constraints/kernels.h"
#include "matter/hinge.h"

/* A form beside those of hinge_form: the mobilities of a free joint in Ground's axes, three rotations and three
 * translations, so that H is the identity. */
#define HINGE_GROUND ((hinge_form)(HINGE_FULL + 1))

/* Column k of H. */
CDNI_INLINE sv axis(hinge_form form, const real *H, int k) {
  if (form != HINGE_GROUND) return hinge_column(form, H, k);
  sv unit = sv_zero();
  (&unit.w.x)[k] = r_set(1);
  return unit;
}

/* Column k of H times F, and A + x times that column: without products with the zeros of a column. */
CDNI_INLINE real column_dot(hinge_form form, const real *H, int k, sv F) {
  if (form == HINGE_GROUND) return (&F.w.x)[k];
  if (form == HINGE_FREE) return v3_dot(((const v3 *)H)[k < 3 ? k : k - 3], k < 3 ? F.w : F.v);
  return hinge_dot(form, H, k, F);
}
CDNI_INLINE sv column_fma(hinge_form form, const real *H, int k, real x, sv A) {
  if (form == HINGE_ANGULAR) return (sv){ v3_fma(x, ((const v3 *)H)[k], A.w), A.v };
  if (form == HINGE_LINEAR) return (sv){ A.w, v3_fma(x, ((const v3 *)H)[k], A.v) };
  return sv_fma(x, hinge_column(form, H, k), A);
}

void KERNEL_NAME(cdni_loop_kernel_factor)(const loop_plan *p, const tree_data *d, const double *weights,
                                          const loop_weights *soft, const int32_t *was_redundant, int island,
                                          bool keeps, loop_factor *f, rmask *singular);
void KERNEL_NAME(cdni_loop_kernel_give_back)(const loop_plan *p, const tree_data *d, int island, const uint8_t *changed,
                                             loop_factor *f);
/* Eliminates a block's multipliers: subtracts their effect from the blocks that meet it, and from the inertia of the
 * body where it closes. Slot -1: the block has no K. `was`: flags of its equations in an earlier factorization, or
 * NULL. */
void KERNEL_NAME(cdni_loop_kernel_close)(const loop_plan *p, int block, int slot, const int32_t *was, bool weighted,
                                         loop_factor *f);
/* Replaces the equations of a mix's sources by T times them: equations that keep a K are passed on, the others are
 * closed. */
void KERNEL_NAME(cdni_loop_kernel_mix)(const loop_plan *p, int mix, const int32_t *was_redundant, bool weighted,
                                       loop_factor *f);
void KERNEL_NAME(cdni_loop_kernel_inward)(const loop_solution *s);
void KERNEL_NAME(cdni_loop_kernel_outward)(const loop_solution *s);

#endif
