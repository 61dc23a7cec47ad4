/* Sobol's sequence, in the order of Gray codes (I. A. Antonov and V. M. Saleev 1979), point by point: P. Bratley and
 * B. L. Fox, "Algorithm 659", ACM TOMS 14 (1988). */
#include "sweeps/design.h"

enum { BITS = 32 };

/* The first dimension is van der Corput's sequence: all its numbers are 1. In the others
 * m_k = 2 a_1 m_(k-1) ^ 4 a_2 m_(k-2) ^ ... ^ 2^s m_(k-s) ^ m_(k-s); direction k is m_k / 2^k. */
uint32_t cdni_sweep_sobol(int dimension, uint32_t i) {
  const sweep_sobol_row *row = &cdni_sweep_sobol_rows[dimension];
  const int s = row->degree;
  const uint32_t gray = i ^ i >> 1;
  uint32_t m[BITS], x = 0;
  for (int k = 0; k < BITS && gray >> k; k++) {
    if (s == 0) m[k] = 1;
    else if (k < s) m[k] = row->m[k];
    else {
      m[k] = m[k - s] << s ^ m[k - s];
      for (int j = 1; j < s; j++)
        if (row->polynomial >> (s - 1 - j) & 1) m[k] ^= m[k - j] << j;
    }
    if (gray >> k & 1) x ^= m[k] << (BITS - 1 - k);
  }
  return x;
}
