/* Materials: what their numbers must be, and how those of two surfaces become those of a contact (manual 11.2.2). */
#include <math.h>

#include "contact/internal.h"
#include "core/sized.h"

CDNI_DEF(contact_material, .modulus = 1e7, .dissipation = 0.1, .static_friction = 0.8, .dynamic_friction = 0.7,
         .condim = 6);

void cdn_contact_material_of_pair_init(void *def, size_t size) {
  const cdn_contact_material none = { .struct_size = (uint32_t)size,
                                      .modulus = -1,
                                      .dissipation = -1,
                                      .static_friction = -1,
                                      .dynamic_friction = -1,
                                      .viscous_friction = -1,
                                      .thickness = -1,
                                      .torsional_friction = -1,
                                      .rolling_friction = -1,
                                      .larger_friction = -1,
                                      .priority = -1,
                                      .condim = -1 };
  cdni_sized_write(def, size, &none, sizeof none);
}

const char *cdni_contact_read_material(cdn_contact_material *to, const cdn_contact_material *from) {
  return read_contact_material(to, from);
}

const char *cdni_contact_read_material_of_pair(cdn_contact_material *to, const cdn_contact_material *from) {
  *to = cdn_contact_material_of_pair();
  return cdni_sized_read(
      to, from, CDNI_SIZED(cdn_contact_material, "start the material of a pair with cdn_contact_material_of_pair()"));
}

void cdni_contact_material_numbers(const cdn_contact_material *m, double out[MATERIAL_NUMBERS]) {
  out[MATERIAL_MODULUS] = m->modulus, out[MATERIAL_DISSIPATION] = m->dissipation;
  out[MATERIAL_STATIC] = m->static_friction, out[MATERIAL_DYNAMIC] = m->dynamic_friction;
  out[MATERIAL_VISCOUS] = m->viscous_friction, out[MATERIAL_THICKNESS] = m->thickness;
  out[MATERIAL_TORSIONAL] = m->torsional_friction, out[MATERIAL_ROLLING] = m->rolling_friction;
  out[MATERIAL_LARGER] = m->larger_friction, out[MATERIAL_PRIORITY] = m->priority, out[MATERIAL_CONDIM] = m->condim;
}

const char *cdni_contact_check_numbers(const double x[MATERIAL_NUMBERS], bool of_pair) {
  for (int i = 0; i < MATERIAL_NUMBERS; i++) {
    if (!isfinite(x[i])) return "a number of its material is not finite";
    if (of_pair && x[i] == -1) continue;
    if (i == MATERIAL_MODULUS && !(x[i] > 0)) return "the modulus of its material must be above 0";
    if (i == MATERIAL_DISSIPATION && x[i] < 0) return "the dissipation of its material must not be negative";
    if (i == MATERIAL_LARGER && x[i] != 0 && x[i] != 1) return "larger_friction of its material is 0 or 1";
    if (i == MATERIAL_THICKNESS && x[i] < 0) return "the thickness of its material must not be negative";
    if (i == MATERIAL_CONDIM && x[i] != 1 && x[i] != 3 && x[i] != 4 && x[i] != 6)
      return "condim of its material is 1, 3, 4 or 6";
    if (x[i] < 0 && i != MATERIAL_PRIORITY) return "a coefficient of friction must not be negative";
  }
  if (x[MATERIAL_STATIC] < x[MATERIAL_DYNAMIC] && !(of_pair && x[MATERIAL_STATIC] == -1))
    return "static friction must not be less than dynamic friction";
  return NULL;
}

/* The condim from which on a coefficient acts. */
static int least_condim(int number) { return number == MATERIAL_TORSIONAL ? 4 : number == MATERIAL_ROLLING ? 6 : 3; }
static double acting(const double *x, int number) { return x[MATERIAL_CONDIM] < least_condim(number) ? 0 : x[number]; }

bool cdni_contact_rolls(const double x[MATERIAL_NUMBERS], bool of_pair) {
  return x[MATERIAL_ROLLING] > 0 && (of_pair || x[MATERIAL_LARGER] > 0 || acting(x, MATERIAL_ROLLING) > 0);
}

/* Of two that both have larger_friction. */
static double combine_larger(const double *a, const double *b, int number) {
  const double first = a[MATERIAL_PRIORITY] - b[MATERIAL_PRIORITY];
  if (first != 0) return acting(first > 0 ? a : b, number);
  return fmax(a[MATERIAL_CONDIM], b[MATERIAL_CONDIM]) < least_condim(number) ? 0 : fmax(a[number], b[number]);
}

static double combine_coefficient(bool larger, const double *a, const double *b, int number) {
  if (larger) return combine_larger(a, b, number);
  const double x = acting(a, number), y = acting(b, number);
  if (number == MATERIAL_TORSIONAL || number == MATERIAL_ROLLING) return fmax(x, y);
  return x + y > 0 ? 2 * x * y / (x + y) : 0;
}

void cdni_prepare_material(const double *numbers, double prepared[MATERIAL_PREPARED]) {
  memcpy(prepared, numbers, MATERIAL_NUMBERS * sizeof *prepared);
  prepared[MATERIAL_ROOT] = cbrt(numbers[MATERIAL_MODULUS] * numbers[MATERIAL_MODULUS]);
}

combined_material cdni_combine_materials(const double *a, const double *b, const double *pair) {
  const double k_a = a[MATERIAL_ROOT], k_b = b[MATERIAL_ROOT];
  const double s = k_b / (k_a + k_b), k = k_a * s;
  combined_material m = { .modulus = k * sqrt(k), .share_a = s };
  m.dissipation = s * a[MATERIAL_DISSIPATION] + (1 - s) * b[MATERIAL_DISSIPATION];
  const bool larger = a[MATERIAL_LARGER] > 0 && b[MATERIAL_LARGER] > 0;
  for (int i = 0; i < 3; i++) m.friction[i] = combine_coefficient(larger, a, b, MATERIAL_STATIC + i);
  m.torsional = combine_coefficient(larger, a, b, MATERIAL_TORSIONAL);
  m.rolling = combine_coefficient(larger, a, b, MATERIAL_ROLLING);
  if (!pair) return m;
  if (pair[MATERIAL_MODULUS] > 0) m.modulus = pair[MATERIAL_MODULUS];
  if (pair[MATERIAL_DISSIPATION] >= 0) m.dissipation = pair[MATERIAL_DISSIPATION];
  for (int i = 0; i < 3; i++)
    if (pair[MATERIAL_STATIC + i] >= 0) m.friction[i] = pair[MATERIAL_STATIC + i];
  if (pair[MATERIAL_TORSIONAL] >= 0) m.torsional = pair[MATERIAL_TORSIONAL];
  if (pair[MATERIAL_ROLLING] >= 0) m.rolling = pair[MATERIAL_ROLLING];
  m.friction[0] = fmax(m.friction[0], m.friction[1]);
  return m;
}

void cdni_touch_friction(touch *t, const combined_material *m) {
  memcpy(t->friction, m->friction, sizeof t->friction);
  t->torsional = m->torsional, t->rolling = m->rolling, t->modulus = m->modulus;
}

void cdni_moduli_in_series(const double *a, const double *b, const double *pair, double E[2]) {
  E[0] = a[MATERIAL_MODULUS], E[1] = b[MATERIAL_MODULUS];
  if (!pair || !(pair[MATERIAL_MODULUS] > 0)) return;
  const double scale = pair[MATERIAL_MODULUS] * (1 / E[0] + 1 / E[1]);
  E[0] *= scale, E[1] *= scale;
}

double cdni_thickness(const double *material, const double *pair) {
  return pair && pair[MATERIAL_THICKNESS] >= 0 ? pair[MATERIAL_THICKNESS] : material[MATERIAL_THICKNESS];
}
