/* Materials: what their numbers must be, and how those of two surfaces become those of a contact (manual 11.2.2). */
#include <math.h>

#include "contact/laws.h"
#include "contact/materials.h"
#include "contact/room.h"
#include "contact/touch.h"
#include "core/sized.h"

CDNI_DEF(contact_material, .modulus = 1e7, .dissipation = 0.1, .static_friction = 0.8, .dynamic_friction = 0.7,
         .condim = 6, .friction_ratio = 1);

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
                                      .restitution = -1,
                                      .friction_ratio = -1,
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
  out[MATERIAL_PRIORITY] = m->priority, out[MATERIAL_CONDIM] = m->condim;
  out[MATERIAL_RESTITUTION] = m->restitution, out[MATERIAL_RATIO] = m->friction_ratio;
}

const char *cdni_contact_check_numbers(const double x[MATERIAL_NUMBERS], bool of_pair) {
  for (int i = 0; i < MATERIAL_NUMBERS; i++) {
    if (!isfinite(x[i])) return "a number of its material is not finite";
    if (of_pair && x[i] == -1) continue;
    if (i == MATERIAL_MODULUS && !(x[i] > 0)) return "the modulus of its material must be above 0";
    if (i == MATERIAL_RATIO && !(x[i] > 0)) return "friction_ratio of its material must be above 0";
    if (i == MATERIAL_DISSIPATION && x[i] < 0) return "the dissipation of its material must not be negative";
    if (i == MATERIAL_THICKNESS && x[i] < 0) return "the thickness of its material must not be negative";
    if (i == MATERIAL_CONDIM && x[i] != 1 && x[i] != 3 && x[i] != 4 && x[i] != 6)
      return "condim of its material is 1, 3, 4 or 6";
    if (i == MATERIAL_RESTITUTION && !(x[i] >= 0 && x[i] <= 1)) return "the restitution of its material is from 0 to 1";
    if (x[i] < 0 && i != MATERIAL_PRIORITY) return "a coefficient of friction must not be negative";
  }
  if (x[MATERIAL_STATIC] < x[MATERIAL_DYNAMIC] && !(of_pair && x[MATERIAL_STATIC] == -1))
    return "static friction must not be less than dynamic friction";
  return NULL;
}

/* The condim from which on a coefficient acts. */
static int least_condim(int number) { return number == MATERIAL_TORSIONAL ? 4 : number == MATERIAL_ROLLING ? 6 : 3; }
static double acting(const double *x, int number) { return x[MATERIAL_CONDIM] < least_condim(number) ? 0 : x[number]; }

/* Where no material has the condim for it, those that combine as MuJoCo's have no such friction, whatever their
 * coefficients are. */
bool cdni_contact_any_turning(const contact_room *room, int number) {
  const double *materials = room->materials0.data, *pairs = room->pair_numbers0.data;
  const bool of_any_condim = room->def.combining == CDN_COMBINE_MUJOCO;
  bool turns = false, acts = false;
  if (room->def.combining == CDN_COMBINE_OWN) return true; /* nobody knows what the function will say */
  for (size_t i = 0; i < room->materials0.count; i += MATERIAL_NUMBERS) {
    const double *x = materials + i;
    turns = turns || (x[number] > 0 && (of_any_condim || acting(x, number) > 0));
    acts = acts || x[MATERIAL_CONDIM] >= least_condim(number);
  }
  turns = turns && acts;
  for (size_t i = 0; i < room->pair_numbers0.count; i += MATERIAL_NUMBERS)
    turns = turns || pairs[i + (size_t)number] > 0;
  return turns;
}

double cdni_contact_largest(const contact_room *room, int number) {
  const double *materials = room->materials0.data, *pairs = room->pair_numbers0.data;
  double most = 0;
  for (size_t i = 0; i < room->materials0.count; i += MATERIAL_NUMBERS)
    most = fmax(most, materials[i + (size_t)number]);
  for (size_t i = 0; i < room->pair_numbers0.count; i += MATERIAL_NUMBERS) most = fmax(most, pairs[i + (size_t)number]);
  return most;
}

/* MuJoCo's friction. */
static double combine_larger(const double *a, const double *b, int number) {
  const double first = a[MATERIAL_PRIORITY] - b[MATERIAL_PRIORITY];
  if (first != 0) return acting(first > 0 ? a : b, number);
  return fmax(a[MATERIAL_CONDIM], b[MATERIAL_CONDIM]) < least_condim(number) ? 0 : fmax(a[number], b[number]);
}

static double combine_coefficient(const double *a, const double *b, int number) {
  const double x = acting(a, number), y = acting(b, number);
  if (number == MATERIAL_TORSIONAL || number == MATERIAL_ROLLING) return fmax(x, y);
  return x + y > 0 ? 2 * x * y / (x + y) : 0;
}

void cdni_prepare_material(const double *numbers, double prepared[MATERIAL_PREPARED]) {
  memcpy(prepared, numbers, MATERIAL_NUMBERS * sizeof *prepared);
  prepared[MATERIAL_ROOT] = cbrt(numbers[MATERIAL_MODULUS] * numbers[MATERIAL_MODULUS]);
}

/* ---- rules: what takes the place of the harmonic rule's numbers, as the material of a pair does ---- */

static const int friction_numbers[] = { MATERIAL_STATIC, MATERIAL_DYNAMIC, MATERIAL_VISCOUS, MATERIAL_TORSIONAL,
                                        MATERIAL_ROLLING };

static void mujoco(const contact_room *room, const double *a, const double *b, double *numbers) {
  (void)room;
  for (int i = 0; i < CDNI_COUNT(friction_numbers); i++)
    numbers[friction_numbers[i]] = combine_larger(a, b, friction_numbers[i]);
  if (a[MATERIAL_PRIORITY] == b[MATERIAL_PRIORITY]) return;
  const double *first = a[MATERIAL_PRIORITY] > b[MATERIAL_PRIORITY] ? a : b;
  numbers[MATERIAL_MODULUS] = first[MATERIAL_MODULUS], numbers[MATERIAL_DISSIPATION] = first[MATERIAL_DISSIPATION];
  numbers[MATERIAL_THICKNESS] = first[MATERIAL_THICKNESS], numbers[MATERIAL_RESTITUTION] = first[MATERIAL_RESTITUTION];
}

cdn_contact_material cdni_contact_material_of(const double x[MATERIAL_NUMBERS]) {
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = x[MATERIAL_MODULUS], m.dissipation = x[MATERIAL_DISSIPATION];
  m.static_friction = x[MATERIAL_STATIC], m.dynamic_friction = x[MATERIAL_DYNAMIC];
  m.viscous_friction = x[MATERIAL_VISCOUS], m.thickness = x[MATERIAL_THICKNESS];
  m.torsional_friction = x[MATERIAL_TORSIONAL], m.rolling_friction = x[MATERIAL_ROLLING];
  m.priority = x[MATERIAL_PRIORITY], m.condim = x[MATERIAL_CONDIM];
  m.restitution = x[MATERIAL_RESTITUTION], m.friction_ratio = x[MATERIAL_RATIO];
  return m;
}

static void own(const contact_room *room, const double *a, const double *b, double *numbers) {
  const cdn_contact_material of_a = cdni_contact_material_of(a), of_b = cdni_contact_material_of(b);
  cdn_contact_material combined = cdn_contact_material_of_pair();
  room->def.combine(room->def.combine_self, &of_a, &of_b, &combined);
  double told[MATERIAL_NUMBERS];
  cdni_contact_material_numbers(&combined, told);
  for (int i = 0; i < MATERIAL_PRIORITY; i++)
    if (isfinite(told[i]) && (told[i] > 0 || (told[i] == 0 && i != MATERIAL_MODULUS))) numbers[i] = told[i];
}

typedef void rule_fn(const contact_room *room, const double *a, const double *b, double *numbers);
/* NULL: the harmonic rule alone. */
static rule_fn *const rules[] = {
  [CDN_COMBINE_USUAL] = NULL, [CDN_COMBINE_HARMONIC] = NULL, [CDN_COMBINE_MUJOCO] = mujoco, [CDN_COMBINE_OWN] = own
};

/* What holds of a pair in place of the harmonic numbers, NULL: nothing. `made` has room for it. */
static const double *numbers_of(const touch_pair *pair, double made[MATERIAL_NUMBERS]) {
  rule_fn *const rule = rules[pair->room->def.combining];
  if (!rule) return pair->numbers;
  for (int i = 0; i < MATERIAL_NUMBERS; i++) made[i] = -1;
  rule(pair->room, pair->material[0], pair->material[1], made);
  for (int i = 0; pair->numbers && i < MATERIAL_PRIORITY; i++)
    if (pair->numbers[i] >= 0) made[i] = pair->numbers[i];
  return made;
}

combined_material cdni_combine_materials(const touch_pair *pair) {
  const double *a = pair->material[0], *b = pair->material[1];
  const double k_a = a[MATERIAL_ROOT], k_b = b[MATERIAL_ROOT];
  const double s = k_b / (k_a + k_b), k = k_a * s;
  combined_material m = { .modulus = k * sqrt(k), .share_a = s, .ratio = 1 };
  m.dissipation = s * a[MATERIAL_DISSIPATION] + (1 - s) * b[MATERIAL_DISSIPATION];
  double made[MATERIAL_NUMBERS];
  const double *told = numbers_of(pair, made);
  for (int i = 0; i < 3; i++)
    m.friction[i] = told && told[MATERIAL_STATIC + i] >= 0 ? told[MATERIAL_STATIC + i]
                                                           : combine_coefficient(a, b, MATERIAL_STATIC + i);
  m.torsional = combine_coefficient(a, b, MATERIAL_TORSIONAL);
  m.rolling = combine_coefficient(a, b, MATERIAL_ROLLING);
  m.restitution = fmax(a[MATERIAL_RESTITUTION], b[MATERIAL_RESTITUTION]);
  if (!told) return m;
  if (told[MATERIAL_MODULUS] > 0) m.modulus = told[MATERIAL_MODULUS];
  if (told[MATERIAL_DISSIPATION] >= 0) m.dissipation = told[MATERIAL_DISSIPATION], m.dissipation_is_told = true;
  if (told[MATERIAL_TORSIONAL] >= 0) m.torsional = told[MATERIAL_TORSIONAL];
  if (told[MATERIAL_ROLLING] >= 0) m.rolling = told[MATERIAL_ROLLING];
  if (told[MATERIAL_RESTITUTION] >= 0) m.restitution = told[MATERIAL_RESTITUTION];
  if (told[MATERIAL_RATIO] > 0) m.ratio = told[MATERIAL_RATIO];
  m.friction[0] = fmax(m.friction[0], m.friction[1]);
  return m;
}

void cdni_touch_friction(touch *t, const combined_material *m) {
  memcpy(t->friction, m->friction, sizeof t->friction);
  t->torsional = m->torsional, t->rolling = m->rolling, t->modulus = m->modulus;
}

void cdni_beds_in_series(const touch_pair *pair, double E[2], double thickness[2]) {
  double made[MATERIAL_NUMBERS];
  const double *told = numbers_of(pair, made);
  for (int i = 0; i < 2; i++) {
    E[i] = pair->material[i][MATERIAL_MODULUS];
    thickness[i] =
        told && told[MATERIAL_THICKNESS] >= 0 ? told[MATERIAL_THICKNESS] : pair->material[i][MATERIAL_THICKNESS];
  }
  if (!told || !(told[MATERIAL_MODULUS] > 0)) return;
  const double scale = told[MATERIAL_MODULUS] * (1 / E[0] + 1 / E[1]);
  E[0] *= scale, E[1] *= scale;
}
