/* Soft materials: what their numbers must be, and how those of two surfaces, and of a pair, become those of a contact
 * (MuJoCo 2.2.2, chapter Modeling, Contact parameters). */
#include <math.h>

#include "contact/materials.h"
#include "contact/pairs.h"
#include "contact/room.h"
#include "core/sized.h"

CDNI_DEF(soft_material, .law = { { 0.02, 1 }, { 0.9, 0.95, 0.001, 0.5, 2 } }, .friction = { 1, 0.005, 0.0001 },
         .condim = 3, .solmix = 1);
CDNI_DEF(soft_pair_material, .friction = { -1, -1, -1, -1, -1 }, .condim = -1, .margin = -1, .gap = -1);

const char *cdni_soft_read_material(cdn_soft_material *to, const cdn_soft_material *from) {
  return read_soft_material(to, from);
}

const char *cdni_soft_read_pair_material(cdn_soft_pair_material *to, const cdn_soft_pair_material *from) {
  return read_soft_pair_material(to, from);
}

void cdni_soft_numbers(const cdn_soft_material *m, double out[SOFT_NUMBERS]) {
  memcpy(out + SOFT_REF, m->law.ref, sizeof m->law.ref);
  memcpy(out + SOFT_IMP, m->law.imp, sizeof m->law.imp);
  memcpy(out + SOFT_FRICTION, m->friction, sizeof m->friction);
  out[SOFT_CONDIM] = m->condim, out[SOFT_PRIORITY] = m->priority, out[SOFT_SOLMIX] = m->solmix;
  out[SOFT_MARGIN] = m->margin, out[SOFT_GAP] = m->gap;
}

void cdni_soft_pair_numbers(const cdn_soft_pair_material *m, double out[SOFT_PAIR_NUMBERS]) {
  memcpy(out + SOFT_REF, m->law.ref, sizeof m->law.ref);
  memcpy(out + SOFT_IMP, m->law.imp, sizeof m->law.imp);
  memcpy(out + SOFT_PAIR_FRICTION, m->friction, sizeof m->friction);
  out[SOFT_PAIR_CONDIM] = m->condim, out[SOFT_PAIR_MARGIN] = m->margin, out[SOFT_PAIR_GAP] = m->gap;
}

/* ---- what they must be ---- */

const char *cdni_soft_check_law(const double *ref, const double *imp) {
  if ((ref[0] > 0) != (ref[1] > 0))
    return "solref must be a time constant and a damping ratio, both above 0, or a negative stiffness and a negative "
           "damping, neither above 0";
  for (int i = 0; i < 2; i++)
    if (imp[i] < 0 || imp[i] > 1) return "the impedances of solimp, its first two numbers, must be from 0 to 1";
  if (imp[2] < 0) return "the width of solimp, its third number, must not be negative";
  if (imp[3] < 0 || imp[3] > 1) return "the midpoint of solimp, its fourth number, must be from 0 to 1";
  if (imp[4] < 0) return "the power of solimp, its fifth number, must not be negative";
  return NULL;
}

static bool is_dimension(double x) { return x == 1 || x == 3 || x == 4 || x == 6; }
static const char wrong_dimension[] = "the dimension of a contact, condim, must be 1, 3, 4 or 6";
static const char not_finite[] = "a number of its soft material is not finite";

const char *cdni_soft_check(const double x[SOFT_NUMBERS]) {
  for (int i = 0; i < SOFT_NUMBERS; i++)
    if (!isfinite(x[i])) return not_finite;
  for (int i = 0; i < 3; i++)
    if (x[SOFT_FRICTION + i] < 0) return "a coefficient of friction must not be negative";
  if (!is_dimension(x[SOFT_CONDIM])) return wrong_dimension;
  if (x[SOFT_PRIORITY] != rint(x[SOFT_PRIORITY])) return "its priority must be a whole number";
  if (x[SOFT_SOLMIX] < 0) return "its weight, solmix, must not be negative";
  if (x[SOFT_MARGIN] < 0) return "its margin must not be negative";
  if (x[SOFT_GAP] < 0) return "its gap must not be negative";
  return cdni_soft_check_law(x + SOFT_REF, x + SOFT_IMP);
}

static bool has_ref(const double *x) { return x[SOFT_REF] != 0 || x[SOFT_REF + 1] != 0; }
static bool has_imp(const double *x) {
  for (int i = 0; i < 5; i++)
    if (x[SOFT_IMP + i] != 0) return true;
  return false;
}

const char *cdni_soft_check_pair(const double x[SOFT_PAIR_NUMBERS]) {
  for (int i = 0; i < SOFT_PAIR_NUMBERS; i++)
    if (!isfinite(x[i])) return not_finite;
  for (int i = 0; i < 5; i++)
    if (x[SOFT_PAIR_FRICTION + i] < 0 && x[SOFT_PAIR_FRICTION + i] != -1)
      return "a coefficient of friction must not be negative";
  if (x[SOFT_PAIR_CONDIM] != -1 && !is_dimension(x[SOFT_PAIR_CONDIM])) return wrong_dimension;
  if (x[SOFT_PAIR_MARGIN] < 0 && x[SOFT_PAIR_MARGIN] != -1) return "its margin must not be negative";
  if (x[SOFT_PAIR_GAP] < 0 && x[SOFT_PAIR_GAP] != -1) return "its gap must not be negative";
  return cdni_soft_check_law(x + SOFT_REF, x + SOFT_IMP);
}

/* ---- mixing ---- */

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

/* The part of a in a mean. A weight this small counts as none. */
static double share_of(double a, double b) {
  static const double least = 1e-15;
  if (a >= least && b >= least) return a / (a + b);
  if (a < least && b < least) return 0.5;
  return a < least ? 0 : 1;
}

static void mix_laws(const double *a, const double *b, cdn_soft_law *out) {
  const double s = share_of(a[SOFT_SOLMIX], b[SOFT_SOLMIX]);
  const bool decays = a[SOFT_REF] > 0 && b[SOFT_REF] > 0;
  for (int i = SOFT_REF; i < SOFT_REF + 2; i++)
    out->ref[i - SOFT_REF] = decays ? s * a[i] + (1 - s) * b[i] : smaller(a[i], b[i]);
  for (int i = SOFT_IMP; i < SOFT_IMP + 5; i++) out->imp[i - SOFT_IMP] = s * a[i] + (1 - s) * b[i];
}

static void put_friction(const double three[3], double five[5]) {
  five[0] = five[1] = three[0], five[2] = three[1], five[3] = five[4] = three[2];
}

/* Friction counts as at least this: MuJoCo's mjMINMU. */
static const double least_friction = 1e-5;

static void replace_by_pair(const double *pair, soft_contact *out) {
  if (has_ref(pair)) memcpy(out->law.ref, pair + SOFT_REF, sizeof out->law.ref);
  if (has_imp(pair)) memcpy(out->law.imp, pair + SOFT_IMP, sizeof out->law.imp);
  for (int i = 0; i < 5; i++)
    if (pair[SOFT_PAIR_FRICTION + i] >= 0) out->friction[i] = pair[SOFT_PAIR_FRICTION + i];
  if (pair[SOFT_PAIR_CONDIM] > 0) out->dimension = (int32_t)pair[SOFT_PAIR_CONDIM];
}

static void combine_harmonically(const double *a, const double *b, double three[3], soft_contact *out) {
  mix_laws(a, b, &out->law);
  static const int least_condim[3] = { 3, 4, 6 };
  for (int i = 0; i < 3; i++) {
    const double x = a[SOFT_CONDIM] < least_condim[i] ? 0 : a[SOFT_FRICTION + i],
                 y = b[SOFT_CONDIM] < least_condim[i] ? 0 : b[SOFT_FRICTION + i];
    three[i] = i > 0 ? larger(x, y) : x + y > 0 ? 2 * x * y / (x + y) : 0;
  }
  out->dimension = (int32_t)smaller(a[SOFT_CONDIM], b[SOFT_CONDIM]);
}

static void combine_as_mujoco(const double *a, const double *b, double three[3], soft_contact *out) {
  if (a[SOFT_PRIORITY] != b[SOFT_PRIORITY]) {
    const double *first = a[SOFT_PRIORITY] > b[SOFT_PRIORITY] ? a : b;
    memcpy(out->law.ref, first + SOFT_REF, sizeof out->law.ref);
    memcpy(out->law.imp, first + SOFT_IMP, sizeof out->law.imp);
    memcpy(three, first + SOFT_FRICTION, 3 * sizeof *three);
    out->dimension = (int32_t)first[SOFT_CONDIM];
    return;
  }
  mix_laws(a, b, &out->law);
  for (int i = 0; i < 3; i++) three[i] = larger(a[SOFT_FRICTION + i], b[SOFT_FRICTION + i]);
  out->dimension = (int32_t)larger(a[SOFT_CONDIM], b[SOFT_CONDIM]);
}

static cdn_soft_material soft_material_of(const double *x) {
  cdn_soft_material m = cdn_default_soft_material();
  memcpy(m.law.ref, x + SOFT_REF, sizeof m.law.ref);
  memcpy(m.law.imp, x + SOFT_IMP, sizeof m.law.imp);
  memcpy(m.friction, x + SOFT_FRICTION, sizeof m.friction);
  m.condim = (int32_t)x[SOFT_CONDIM], m.priority = (int32_t)x[SOFT_PRIORITY], m.solmix = x[SOFT_SOLMIX];
  m.margin = x[SOFT_MARGIN], m.gap = x[SOFT_GAP];
  return m;
}

/* What the user's function says, unless it is nonsense. */
static void replace_by_own(const cdn_contact_def *def, const double *a, const double *b, soft_contact *out) {
  const cdn_soft_material of_a = soft_material_of(a), of_b = soft_material_of(b);
  cdn_soft_pair_material combined = cdn_default_soft_pair_material();
  double numbers[SOFT_PAIR_NUMBERS];
  def->combine_soft(def->combine_self, &of_a, &of_b, &combined);
  cdni_soft_pair_numbers(&combined, numbers);
  if (!cdni_soft_check_pair(numbers)) replace_by_pair(numbers, out);
}

soft_contact cdni_soft_combine(const contact_room *room, const double *a, const double *b, const double *pair) {
  soft_contact out;
  double three[3];
  if (room->def.combining == CDN_COMBINE_HARMONIC) combine_harmonically(a, b, three, &out);
  else combine_as_mujoco(a, b, three, &out);
  put_friction(three, out.friction);
  const double margin = cdni_soft_margin(a, b, pair);
  const double gap = pair && pair[SOFT_PAIR_GAP] >= 0 ? pair[SOFT_PAIR_GAP] : larger(a[SOFT_GAP], b[SOFT_GAP]);
  out.margin = margin - gap;
  if (room->def.combining == CDN_COMBINE_OWN) replace_by_own(&room->def, a, b, &out);
  if (pair) replace_by_pair(pair, &out);
  for (int i = 0; i < 5; i++) out.friction[i] = larger(out.friction[i], least_friction);
  return out;
}

double cdni_soft_margin(const double *a, const double *b, const double *pair) {
  return pair && pair[SOFT_PAIR_MARGIN] >= 0 ? pair[SOFT_PAIR_MARGIN] : larger(a[SOFT_MARGIN], b[SOFT_MARGIN]);
}

/* ---- in a State ---- */

static cdn_status need_soft(cdn_state *state, const char *function, const contact_room *room) {
  if (cdni_contact_any_soft(room)) return CDN_OK;
  return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                         "no contact of this System is soft, and nothing reads soft materials: set "
                         "cdn_contact_def.model to CDN_CONTACT_SOFT, or set the contact material");
}

cdn_status cdn_shape_set_soft_material(cdn_state *state, cdn_shape id, const cdn_soft_material *material) {
  CDNI_NEED(state, material);
  const contact_room *room = cdni_contact(cdn_state_system(state));
  const shape *s = cdni_shape_at(room, id);
  if (!s) return cdni_state_lacks(state, __func__, "shape", (int)id.i);
  CDNI_TRY(need_soft(state, __func__, room));
  cdn_soft_material m;
  const char *wrong = read_soft_material(&m, material);
  double numbers[SOFT_NUMBERS];
  cdni_soft_numbers(&m, numbers);
  if (!wrong) wrong = cdni_soft_check(numbers);
  if (wrong) return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, s->name, "shape '%s': %s", s->name, wrong);
  return cdn_state_set_parameters(state, room->soft, SOFT_NUMBERS * id.i, SOFT_NUMBERS, numbers);
}

cdn_status cdn_contact_pair_set_soft_material(cdn_state *state, cdn_contact_pair pair,
                                              const cdn_soft_pair_material *material) {
  CDNI_NEED(state, material);
  const contact_room *room = cdni_contact(cdn_state_system(state));
  const named_pair *p = cdni_pair_at(room, pair);
  if (!p) return cdni_state_lacks(state, __func__, "pair", (int)pair.i);
  CDNI_TRY(need_soft(state, __func__, room));
  cdn_soft_pair_material m;
  const char *wrong = read_soft_pair_material(&m, material);
  double numbers[SOFT_PAIR_NUMBERS];
  cdni_soft_pair_numbers(&m, numbers);
  if (!wrong) wrong = cdni_soft_check_pair(numbers);
  if (wrong) return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, p->name, "pair '%s': %s", p->name, wrong);
  return cdn_state_set_parameters(state, room->soft_pairs, SOFT_PAIR_NUMBERS * pair.i, SOFT_PAIR_NUMBERS, numbers);
}
