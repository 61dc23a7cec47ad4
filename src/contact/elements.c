/* Shapes and pairs as elements that are looked up: names, kinds, parameters. */
#include <math.h>
#include <stdio.h>

#include "contact/entries.h"
#include "contact/materials.h"
#include "contact/pairs.h"
#include "contact/room.h"
#include "matter/checks.h"

/* ---- what their numbers are ---- */

/* Of a shape: its frame, its sizes, its material, the motion of its surface, and whether it is enabled. */
static const cdni_parameter frame_table[FRAME_NUMBERS] = { CDNI_FRAME("X_BS") };
static const cdni_parameter material_table[MATERIAL_NUMBERS] = {
  [MATERIAL_MODULUS] = CDNI_POSITIVE("modulus", "Pa"),
  [MATERIAL_DISSIPATION] = CDNI_NOT_NEGATIVE("dissipation", "s/m"),
  [MATERIAL_STATIC] = CDNI_NOT_NEGATIVE("static_friction", "1"),
  [MATERIAL_DYNAMIC] = CDNI_NOT_NEGATIVE("dynamic_friction", "1"),
  [MATERIAL_VISCOUS] = CDNI_NOT_NEGATIVE("viscous_friction", "s/m"),
  [MATERIAL_TORSIONAL] = CDNI_NOT_NEGATIVE("torsional_friction", "m"),
  [MATERIAL_ROLLING] = CDNI_NOT_NEGATIVE("rolling_friction", "m"),
  [MATERIAL_THICKNESS] = CDNI_NOT_NEGATIVE("thickness", "m"),
  [MATERIAL_PRIORITY] = { "priority", "1", -INFINITY, INFINITY, 0, 0, "whose friction counts" },
  [MATERIAL_RESTITUTION] = { "restitution", "1", 0, 1, 0, 0, "of rigid contact" },
  [MATERIAL_RATIO] = { "friction_ratio", "1", 0, INFINITY, CDNI_EXCLUDES_LOWER, 0, "of a pair, in rigid contact" },
  [MATERIAL_CONDIM] = { "condim", "1", 1, 6, 0, 0, "which coefficients of friction act: 1, 3, 4 or 6" },
};
static const cdni_parameter surface_motion_table[SURFACE_MOTION_NUMBERS] = { CDNI_VECTOR("surface_velocity", "m/s"),
                                                                             CDNI_VECTOR("surface_spin", "rad/s") };
static const cdni_parameter enabled_table[] = { { "enabled", "1", 0, 1, 0, 0, "0 switches it off" } };

/* A run of an element's parameters, which is a part of an array of the State. */
typedef struct part {
  const cdni_parameter *table;
  int n, at;
  cdn_dvar array;
} part;

/* The sizes of a kind of geometry; returns how many there are. */
static int size_table(const geometry_kind *kind, cdni_parameter out[3]) {
  for (int k = 0; k < kind->n_sizes; k++) {
    out[k] = (cdni_parameter)CDNI_POSITIVE(NULL, "m");
    if (kind->size[k].may_be_zero) out[k] = (cdni_parameter)CDNI_NOT_NEGATIVE(NULL, "m");
    out[k].name = kind->size[k].parameter;
  }
  return kind->n_sizes;
}

enum { SHAPE_PARTS = 5, MOST_NUMBERS = FRAME_NUMBERS + 3 + MATERIAL_NUMBERS + SURFACE_MOTION_NUMBERS + 1 };

/* `sizes` has room for the table of the sizes. */
static void shape_parts(const contact_room *room, int i, cdni_parameter sizes[3], part out[SHAPE_PARTS]) {
  const int n_sizes = size_table(kind_of(&CDNI_AT(room->shapes, shape, i).geometry), sizes);
  out[0] = (part){ frame_table, FRAME_NUMBERS, FRAME_NUMBERS * i, room->frames };
  out[1] = (part){ sizes, n_sizes, 3 * i, room->sizes };
  out[2] = (part){ material_table, MATERIAL_NUMBERS, MATERIAL_NUMBERS * i, room->materials };
  out[3] = (part){ surface_motion_table, SURFACE_MOTION_NUMBERS, SURFACE_MOTION_NUMBERS * i, room->surface_motions };
  out[4] = (part){ enabled_table, 1, i, room->enabled };
}

/* ---- shapes ---- */

static const char *shape_name(const cdn_system *system, int i) { return cdn_shape_name(system, (cdn_shape){ i }); }
static const char *shape_kind(const cdn_system *system, int i) {
  return cdn_geometry_kind_name(CDNI_AT(cdni_contact(system)->shapes, shape, i).geometry.kind);
}

/* Without bodies a State has nothing for shapes. */
static int shape_parameter_count(const cdn_system *system, int i) {
  const contact_room *room = cdni_contact(system);
  part parts[SHAPE_PARTS];
  cdni_parameter sizes[3];
  int n = 0;
  shape_parts(room, i, sizes, parts);
  for (int p = 0; p < SHAPE_PARTS; p++) n += parts[p].n;
  return room->matter ? n : 0;
}

static void shape_parameter(const cdn_system *system, int i, int k, cdni_parameter_place *out) {
  part parts[SHAPE_PARTS];
  cdni_parameter sizes[3];
  int p = 0;
  shape_parts(cdni_contact(system), i, sizes, parts);
  for (; k >= parts[p].n; p++) k -= parts[p].n;
  out->is = parts[p].table[k], out->array = parts[p].array, out->at = parts[p].at + k;
}

/* All are checked before one is set. */
static cdn_status set_shape(cdn_state *state, const char *function, int i, int first, int n, const double *values) {
  const contact_room *room = cdni_contact(cdn_state_system(state));
  const char *name = CDNI_AT(room->shapes, shape, i).name, *wrong = NULL;
  part parts[SHAPE_PARTS];
  cdni_parameter sizes[3];
  double all[MOST_NUMBERS], *numbers = all;
  char reason[200];
  shape_parts(room, i, sizes, parts);
  for (int p = 0; p < SHAPE_PARTS; numbers += parts[p++].n)
    memcpy(numbers, cdn_state_parameters(state, parts[p].array) + parts[p].at, (size_t)parts[p].n * sizeof *numbers);
  memcpy(all + first, values, (size_t)n * sizeof *values);
  cdn_status status = CDN_OK;
  numbers = all;
  for (int p = 0; p < SHAPE_PARTS && status == CDN_OK; numbers += parts[p++].n)
    if ((status = cdni_parameters_check(parts[p].table, parts[p].n, numbers, reason, sizeof reason)) != CDN_OK)
      wrong = reason;
  cdn_transform X_BS;
  memcpy(&X_BS, all, sizeof X_BS);
  if (!wrong && (status = cdni_check_frame(X_BS)) != CDN_OK)
    wrong = "X_BS must have axes that are right-handed unit vectors";
  if (!wrong && (wrong = cdni_contact_check_numbers(all + FRAME_NUMBERS + parts[1].n, false))) status = CDN_ERR_ARG;
  if (wrong)
    return cdni_state_fail(state, status, false, function, name, "shape '%s': %s; nothing was changed", name, wrong);
  numbers = all;
  for (int p = 0, at = 0; p < SHAPE_PARTS; at += parts[p].n, numbers += parts[p++].n)
    if (first < at + parts[p].n && first + n > at)
      CDNI_TRY(cdn_state_set_parameters(state, parts[p].array, parts[p].at, parts[p].n, numbers));
  return CDN_OK;
}

/* ---- pairs ---- */

static const char *pair_name(const cdn_system *system, int i) {
  return cdn_contact_pair_name(system, (cdn_contact_pair){ i });
}

static int pair_parameter_count(const cdn_system *system, int i) {
  (void)i;
  return cdni_contact(system)->matter ? MATERIAL_NUMBERS : 0;
}

static void pair_parameter(const cdn_system *system, int i, int k, cdni_parameter_place *out) {
  out->is = material_table[k];
  out->is.lower = -1, out->is.flags = 0;
  out->array = cdni_contact(system)->pair_numbers, out->at = MATERIAL_NUMBERS * i + k;
}

static cdn_status set_pair(cdn_state *state, const char *function, int i, int first, int n, const double *values) {
  const contact_room *room = cdni_contact(cdn_state_system(state));
  double all[MATERIAL_NUMBERS];
  memcpy(all, cdn_state_parameters(state, room->pair_numbers) + MATERIAL_NUMBERS * i, sizeof all);
  memcpy(all + first, values, (size_t)n * sizeof *values);
  return cdni_contact_set_pair_numbers(state, function, i, all);
}

const cdni_elements cdni_contact_elements[] = {
  { .type = CDN_ELEMENT_SHAPE,
    .count = cdn_system_shape_count,
    .name = shape_name,
    .kind = shape_kind,
    .parameter_count = shape_parameter_count,
    .parameter = shape_parameter,
    .set = set_shape },
  { .type = CDN_ELEMENT_CONTACT_PAIR,
    .count = cdn_system_contact_pair_count,
    .name = pair_name,
    .parameter_count = pair_parameter_count,
    .parameter = pair_parameter,
    .set = set_pair },
  CDNI_NO_MORE_ELEMENTS,
};
