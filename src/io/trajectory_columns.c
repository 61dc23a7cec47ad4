/* Names and units of a trajectory's columns. */
#include "io/trajectory_columns.h"

#include <stdio.h>

#include "matter/kinds.h"
#include "matter/matter.h"
#include "system/system.h"

static bool put(trajectory_columns *c, const char *name, const char *unit) {
  char *texts[2] = { cdni_strdup(&c->allocator, name), cdni_strdup(&c->allocator, unit ? unit : "") };
  if (texts[0] && texts[1] && cdni_array_push(&c->allocator, &c->names, sizeof *texts, &texts[0])) {
    texts[0] = NULL;
    if (cdni_array_push(&c->allocator, &c->units, sizeof *texts, &texts[1])) return true;
    cdni_strfree(&c->allocator, CDNI_AT(c->names, char *, --c->names.count));
  }
  cdni_strfree(&c->allocator, texts[0]);
  cdni_strfree(&c->allocator, texts[1]);
  return false;
}

void io_free_columns(trajectory_columns *c) {
  for (size_t i = 0; i < c->names.count; i++) {
    cdni_strfree(&c->allocator, CDNI_AT(c->names, char *, i));
    cdni_strfree(&c->allocator, CDNI_AT(c->units, char *, i));
  }
  cdni_array_free(&c->allocator, &c->names);
  cdni_array_free(&c->allocator, &c->units);
}

/* ---- coordinates and speeds ---- */

/* In the SI; "": only a user's functions know. */
static const char *unit_of(const cdn_system *system, cdn_body body, cdn_pool pool, int k) {
  const bool quaternion = pool == CDN_POOL_Q && cdn_body_has_quaternion(system, body);
  if (quaternion && k < 4) return "1";
  const char dimension = cdni_kind_dimension(cdni_body_kind(cdni_matter(system), body.i), quaternion ? k - 1 : k);
  if (dimension == 'A') return pool == CDN_POOL_Q ? "rad" : "rad/s";
  if (dimension == 'L') return pool == CDN_POOL_Q ? "m" : "m/s";
  return "";
}

static void find_units(const cdn_system *system, cdn_pool pool, const char **unit) {
  for (int b = 1; b < cdn_system_body_count(system); b++) {
    const cdn_body body = { b };
    const bool q = pool == CDN_POOL_Q;
    const int first = q ? cdn_body_first_q(system, body) : cdn_body_first_u(system, body),
              n = q ? cdn_body_nq(system, body) : cdn_body_nu(system, body);
    for (int k = 0; k < n; k++) unit[first + k] = cdn_system_unit(system, unit_of(system, body, pool, k));
  }
}

static bool put_slots(trajectory_columns *c, const cdn_system *system, cdn_pool pool, int n) {
  const size_t bytes = (size_t)n * sizeof(char *);
  const char **unit = cdni_calloc(&c->allocator, bytes);
  bool ok = unit || n == 0;
  if (unit) find_units(system, pool, unit);
  for (int i = 0; i < n && ok; i++) {
    char *name = cdni_slot_name(system, pool, i);
    ok = name && put(c, name, unit[i]);
    cdni_strfree(cdni_system_allocator(system), name);
  }
  cdni_free(&c->allocator, unit, bytes);
  return ok;
}

/* ---- all columns ---- */

static bool put_measure(trajectory_columns *c, const cdn_system *system, cdn_measure measure) {
  const char *name = cdn_measure_name(system, measure);
  const int n = cdn_measure_size(system, measure);
  char text[256];
  bool ok = true;
  if (n == 1) return put(c, name, "");
  for (int i = 0; i < n && ok; i++) {
    snprintf(text, sizeof text, "%.230s[%d]", name, i);
    ok = put(c, text, "");
  }
  return ok;
}

bool io_name_columns(trajectory_columns *c, const cdn_system *system, const cdn_trajectory_def *def,
                     const cdn_measure *measures, int n_measures) {
  const char *energy = cdn_system_unit(system, "J");
  bool ok = put(c, "time", cdn_system_unit(system, "s"));
  ok = ok && (!def->q || put_slots(c, system, CDN_POOL_Q, cdn_system_nq(system)));
  ok = ok && (!def->u || put_slots(c, system, CDN_POOL_U, cdn_system_nu(system)));
  ok = ok && (!def->energies || (put(c, "kinetic_energy", energy) && put(c, "potential_energy", energy)));
  for (int i = 0; def->controls && i < cdn_system_control_count(system) && ok; i++)
    ok = put(c, cdn_control_name(system, (cdn_control){ i }), cdn_control_unit(system, (cdn_control){ i }));
  for (int i = 0; i < n_measures && ok; i++) ok = put_measure(c, system, measures[i]);
  for (int i = 0; i < def->n_own && ok; i++) ok = put(c, def->own[i], def->own_units ? def->own_units[i] : "");
  return ok;
}
