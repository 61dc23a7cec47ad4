/* One set of kernels of pairs. */
#include "molecules/kernel.h"

/* Marks the slots that slot i leaves out, or takes the marks away. */
CDNI_INLINE void mark(const field *f, const field_work *w, int i, double far) {
  for (int k = f->left_start[i]; k < f->left_start[i + 1]; k++) w->far[f->left_out[k]] = far;
}

static void calc_pairs(const field *f, const field_tables *t, const field_work *w, double *lj, double *coulomb) {
  const wide factor = wide_set(t->lj);
  wide sum_lj = wide_zero(), sum_coulomb = wide_zero();
  for (int b = 0; b < f->n_bodies; b++) {
    const int end = f->bodies[b + 1].first;
    for (int i = f->bodies[b].first; i < end; i++) {
      mark(f, w, i, 1e300);
      const double *A = t->A + (size_t)f->type[i] * (size_t)f->row, *B = t->B + (size_t)f->type[i] * (size_t)f->row;
      const wide x = wide_set(w->x[i]), y = wide_set(w->y[i]), z = wide_set(w->z[i]),
                 q = wide_set(t->coulomb * t->charge[i]);
      wide fx = wide_zero(), fy = wide_zero(), fz = wide_zero();
      for (int j = end; j < f->n; j += WIDE) {
        const wide dx = wide_sub(x, wide_load(w->x + j)), dy = wide_sub(y, wide_load(w->y + j));
        const wide dz = wide_sub(z, wide_load(w->z + j));
        const wide r2 = wide_fma(dx, dx, wide_fma(dy, dy, wide_fma(dz, dz, wide_load(w->far + j))));
        const wide inverse = wide_inverse_root(r2), inverse2 = wide_mul(inverse, inverse);
        const wide inverse6 = wide_mul(inverse2, wide_mul(inverse2, inverse2)), scaled6 = wide_mul(factor, inverse6);
        const wide c = wide_mul(wide_mul(q, wide_load(t->charge + j)), inverse);
        const wide a6 = wide_mul(wide_load(A + j), inverse6), b6 = wide_load(B + j);
        sum_coulomb = wide_add(sum_coulomb, c);
        sum_lj = wide_fma(scaled6, wide_sub(a6, b6), sum_lj);
        /* -dE/dr over r */
        const wide slope =
            wide_fma(wide_mul(wide_set(6), scaled6), wide_fma(wide_set(2), a6, wide_sub(wide_zero(), b6)), c);
        const wide s = wide_mul(slope, inverse2);
        fx = wide_fma(s, dx, fx), fy = wide_fma(s, dy, fy), fz = wide_fma(s, dz, fz);
        wide_store(w->fx + j, wide_fnma(s, dx, wide_load(w->fx + j)));
        wide_store(w->fy + j, wide_fnma(s, dy, wide_load(w->fy + j)));
        wide_store(w->fz + j, wide_fnma(s, dz, wide_load(w->fz + j)));
      }
      w->fx[i] += wide_sum(fx), w->fy[i] += wide_sum(fy), w->fz[i] += wide_sum(fz);
      mark(f, w, i, 0);
    }
  }
  *lj = wide_sum(sum_lj), *coulomb = wide_sum(sum_coulomb);
}

const field_kernels KERNEL_NAME(cdni_molecule_kernels) = { .pairs = calc_pairs };
