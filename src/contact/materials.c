/* How the numbers of two surfaces become those of a contact (manual 11.2.2). */
#include <math.h>

#include "contact/internal.h"

static double combine_friction(double a, double b) { return a + b > 0 ? 2 * a * b / (a + b) : 0; }

combined_material cdni_combine_materials(const double *a, const double *b) {
  const double k_a = cbrt(a[MATERIAL_MODULUS] * a[MATERIAL_MODULUS]);
  const double k_b = cbrt(b[MATERIAL_MODULUS] * b[MATERIAL_MODULUS]);
  const double s = k_b / (k_a + k_b), k = k_a * s;
  combined_material m = { .modulus = k * sqrt(k), .share_a = s };
  m.dissipation = s * a[MATERIAL_DISSIPATION] + (1 - s) * b[MATERIAL_DISSIPATION];
  for (int i = 0; i < 3; i++) m.friction[i] = combine_friction(a[MATERIAL_STATIC + i], b[MATERIAL_STATIC + i]);
  return m;
}
