/* Energies of a pair as functions of its distance, one pair at a time: what kernels.c has for eight. */
#include <math.h>

#include "molecules/field.h"

static pair_law law_of(double qq, double A, double B, double r2) {
  const double inverse2 = 1 / r2, inverse6 = inverse2 * inverse2 * inverse2;
  const double c = qq / sqrt(r2), a12 = A * inverse6 * inverse6, b6 = B * inverse6;
  return (pair_law){ c, a12 - b6, 6 * b6 - 12 * a12 - c, 156 * a12 - 42 * b6 + 2 * c };
}

static pair_law cut_law(const field_cutoff *cut, double qq, double A, double B, double r2) {
  if (!(r2 < cut->distance * cut->distance)) return (pair_law){ 0 };
  const double r = sqrt(r2);
  pair_law law = law_of(0, A, B, r2);
  if (r > cut->first) {
    const double by_width = 1 / (cut->distance - cut->first), x = (r - cut->first) * by_width, scale = r * by_width;
    const double keep = 1 + x * x * x * (x * (15 - 6 * x) - 10), fades = -30 * x * x * (1 - x) * (1 - x) * scale;
    const double bends = -60 * x * (1 - x) * (1 - 2 * x) * scale * scale;
    law.curvature = law.curvature * keep + 2 * law.slope * fades + law.lj * bends;
    law.slope = law.slope * keep + law.lj * fades;
    law.lj *= keep;
  }
  law.coulomb = qq * (1 / r + cut->krf * r2 - cut->crf);
  law.slope += qq * (2 * cut->krf * r2 - 1 / r);
  law.curvature += 2 * qq * (cut->krf * r2 + 1 / r);
  return law;
}

pair_law mol_pair_law(const field *f, const field_tables *t, int i, int j, double coulomb, double lj, bool scaled,
                      double r2) {
  const size_t at = (size_t)f->type[i] * (size_t)f->row + (size_t)j;
  const double qq = coulomb * t->charge[i] * t->charge[j], A = lj * t->A[at], B = lj * t->B[at];
  return scaled || f->cutoff.distance == 0 ? law_of(qq, A, B, r2) : cut_law(&f->cutoff, qq, A, B, r2);
}
