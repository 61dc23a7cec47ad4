/* Materials, and how those of two surfaces become those of a contact. Private to the room. */
#ifndef CARDAN_CONTACT_MATERIALS_H
#define CARDAN_CONTACT_MATERIALS_H

#include "contact/room.h"
#include "contact/touch.h"

/* ---- materials.c ---- */

const char *cdni_contact_read_material(cdn_contact_material *to, const cdn_contact_material *from);
const char *cdni_contact_read_material_of_pair(cdn_contact_material *to, const cdn_contact_material *from);
/* Whether any material may have this friction (MATERIAL_TORSIONAL, MATERIAL_ROLLING), by itself or with another one of
 * any condim. */
bool cdni_contact_any_turning(const contact_room *room, int number);
/* The largest number that any material or pair has of it. */
double cdni_contact_largest(const contact_room *room, int number);
/* What is wrong with a material, or NULL. `of_pair`: -1 stands for no number. */
const char *cdni_contact_check_numbers(const double x[MATERIAL_NUMBERS], bool of_pair);
void cdni_contact_material_numbers(const cdn_contact_material *m, double out[MATERIAL_NUMBERS]);

/* ---- soft.c: materials of soft contact ---- */

const char *cdni_soft_read_material(cdn_soft_material *to, const cdn_soft_material *from);
const char *cdni_soft_read_pair_material(cdn_soft_pair_material *to, const cdn_soft_pair_material *from);
void cdni_soft_numbers(const cdn_soft_material *m, double out[SOFT_NUMBERS]);
void cdni_soft_pair_numbers(const cdn_soft_pair_material *m, double out[SOFT_PAIR_NUMBERS]);
/* What is wrong with the numbers, or NULL. */
const char *cdni_soft_check(const double x[SOFT_NUMBERS]);
const char *cdni_soft_check_pair(const double x[SOFT_PAIR_NUMBERS]);
/* The numbers of two shapes together; `pair` has those of a pair of the user's, or is NULL. */
soft_contact cdni_soft_combine(const contact_room *room, const double *a, const double *b, const double *pair);
/* The distance below which points are found. */
double cdni_soft_margin(const double *a, const double *b, const double *pair);

/* ---- of a contact ---- */

/* Materials of two surfaces combined. */
typedef struct combined_material {
  double modulus, share_a, dissipation, friction[3], ratio, torsional, rolling, restitution;
  bool dissipation_is_told; /* by a rule or a pair */
} combined_material;
/* By the rule of the System, with numbers of the pair that the user has named in their place. */
typedef struct touch_pair touch_pair;
combined_material cdni_combine_materials(const touch_pair *pair);
void cdni_prepare_material(const double *numbers, double prepared[MATERIAL_PREPARED]);
cdn_contact_material cdni_contact_material_of(const double numbers[MATERIAL_NUMBERS]);
/* Of two elastic layers in series, E = E_a E_b / (E_a + E_b): their moduli and thicknesses (0: as the law has it). */
void cdni_beds_in_series(const touch_pair *pair, double E[2], double thickness[2]);
/* What friction of a touch needs of the materials. */
void cdni_touch_friction(touch *t, const combined_material *m);

#endif
