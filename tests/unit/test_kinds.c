/* The tables of the library's kinds are whole: a column that is forgotten is named, and its elements are refused. */
#include "../testing.h"

#include "constraints/internal.h"
#include "forces/internal.h"
#include "laws/laws.h"
#include "matter/kinds.h"
#include "measures/internal.h"
#include "soft/elements.h"

/* What an entry lacks without one of its columns. */
#define LACKS(lacks_of, type, entry, column, ...)                                                                      \
  do {                                                                                                                 \
    type without = entry;                                                                                              \
    memset(&without.column, 0, sizeof without.column);                                                                 \
    const char *lacks = lacks_of(&without __VA_ARGS__);                                                                \
    ck_assert_msg(lacks &&strcmp(lacks, #column) == 0, "%s without " #column ": %s", entry.name, lacks ? lacks : "-"); \
  } while (0)

START_TEST(mobilizers) {
  for (int i = 0; i < CDN_MOBILIZER_COUNT; i++) {
    const cdn_mobilizer kind = (cdn_mobilizer)i;
    const mobilizer_kind *row = &cdni_mobilizer_kinds[i];
    const bool own = kind == CDN_FUNCTION_BASED || kind == CDN_CUSTOM_MOBILIZER;
    ck_assert_msg(own == !row->dimensions, "%s: angles and lengths", cdn_mobilizer_name(kind));
    if (!own) {
      ck_assert_int_eq((int)strlen(row->dimensions), cdn_mobilizer_nu(kind));
      const char *length = strchr(row->dimensions, 'L');
      ck_assert_msg(!length || !strchr(length, 'A'), "%s: lengths come last", cdn_mobilizer_name(kind));
    }
    ck_assert((row->n_parameters > 0) == (row->parameters != NULL));
    for (int k = 0; k < row->n_parameters; k++) ck_assert_ptr_nonnull(row->parameters[k].name);
  }
}
END_TEST

START_TEST(forces) {
  for (int i = 0; i < FORCE_KIND_COUNT; i++) {
    const char *lacks = cdni_force_kind_lacks(cdni_force_kinds[i]);
    ck_assert_msg(!lacks, "%s lacks %s", cdni_force_kinds[i]->name, lacks);
  }
#define FORCE_LACKS(kind, column) LACKS(cdni_force_kind_lacks, force_kind, cdni_force_##kind, column, )
  FORCE_LACKS(mobility_damper, derivative);
  FORCE_LACKS(mobility_damper, parts);
  FORCE_LACKS(mobility_damper, params);
  FORCE_LACKS(gravity, calc_potential);
  FORCE_LACKS(custom, calc_one);
  FORCE_LACKS(mobility_friction, z_unit);
  FORCE_LACKS(mobility_friction, calc_zdot);
  FORCE_LACKS(mobility_friction, zdot_derivative);
  FORCE_LACKS(mobility_friction, hold);
  FORCE_LACKS(mobility_stop, calc_kinks);
  FORCE_LACKS(mobility_stop, n_kinks);
  force_kind unsaid = cdni_force_mobility_spring;
  unsaid.parts[0].potential = false;
  ck_assert_str_eq(cdni_force_kind_lacks(&unsaid), "parts.potential");
}
END_TEST

START_TEST(constraints) {
  for (int i = 0; i < CONSTRAINT_KIND_COUNT; i++) {
    const char *lacks = cdni_constraint_kind_lacks(cdni_constraint_kinds[i], 0);
    ck_assert_msg(!lacks, "%s lacks %s", cdni_constraint_kinds[i]->name, lacks);
  }
#define CONSTRAINT_LACKS(kind, column) \
  LACKS(cdni_constraint_kind_lacks, constraint_kind, cdni_constraint_##kind, column, , 1)
  CONSTRAINT_LACKS(rod, calc_position);
  CONSTRAINT_LACKS(rod, calc_rows);
  CONSTRAINT_LACKS(rod, add_bias);
  CONSTRAINT_LACKS(rod, params);
  /* of speeds alone */
  ck_assert_ptr_null(cdni_constraint_kind_lacks(&cdni_constraint_constant_speed, 0));
  ck_assert_str_eq(cdni_constraint_kind_lacks(&cdni_constraint_constant_speed, 1), "calc_position");
}
END_TEST

START_TEST(soft_elements) {
  for (int i = 0; i < SOFT_ELEMENT_KINDS; i++) {
    const char *lacks = cdni_soft_element_kind_lacks(cdni_soft_element_kinds[i]);
    ck_assert_msg(!lacks, "%s lacks %s", cdni_soft_element_kinds[i]->name, lacks);
  }
#define SOFT_LACKS(column) LACKS(cdni_soft_element_kind_lacks, soft_element_kind, cdni_soft_element_limit, column, )
  SOFT_LACKS(params);
  SOFT_LACKS(n_params);
  SOFT_LACKS(add_groups);
}
END_TEST

START_TEST(laws) {
  for (int i = 0; i < LAW_COUNT; i++) {
    const pressure_law *law = &cdni_pressure_laws[i];
    ck_assert(law->name && law->pressure && law->numbers > 0 && law->numbers <= CDN_LAW_NUMBERS);
  }
}
END_TEST

/* ---- measures have no table: each is looked at when it is added ---- */

static cdn_status value_of(const measure *m, cdn_state *state, int order, double *out) {
  (void)m, (void)state, (void)order;
  *out = 1;
  return CDN_OK;
}
static void depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  (void)m, (void)order;
  cdni_declare_prerequisite(d, entry, CDN_T);
}
static const measure_kind whole = {
  .name = "one", .size = sizeof(measure), .stage = cdni_measure_stage_time, .depend = depend, .value = value_of
};

static cdn_status freeze_with(const measure_kind *kind) {
  cdn_system *system = cdn_system_create(NULL);
  cdni_adder a;
  measure m = { .n = 1, .operand = { -1 } };
  cdni_measure_begin(&a, system, "test", "mine");
  cdni_measure_add(&a, kind, &m);
  const cdn_status status = cdn_system_freeze(system);
  cdn_system_release(system);
  return status;
}

START_TEST(measures) {
  OK(freeze_with(&whole));
#define MEASURE_LACKS(column)                                                                                  \
  do {                                                                                                         \
    LACKS(cdni_measure_kind_lacks, measure_kind, whole, column, );                                             \
    measure_kind part = whole;                                                                                 \
    memset(&part.column, 0, sizeof part.column);                                                               \
    FAILS(freeze_with(&part), CDN_ERR_UNSUPPORTED);                                                            \
    ck_assert_msg(strstr(cdn_last_error_text(), "'mine'") && strstr(cdn_last_error_text(), "." #column), "%s", \
                  cdn_last_error_text());                                                                      \
  } while (0)
  MEASURE_LACKS(value);
  MEASURE_LACKS(stage);
  MEASURE_LACKS(depend);
  MEASURE_LACKS(size);
}
END_TEST

CHECK_MAIN("kinds", mobilizers, forces, constraints, soft_elements, laws, measures)
