/* What a study keeps of its runs: measures, coordinates and energies, at the end or over the run. */
#include <math.h>
#include <stdio.h>

#include <cardan/matter.h>

#include "sweeps/internal.h"

static const char *const statistics[] = {
  [SWEEP_END] = "end", [SWEEP_MINIMUM] = "min", [SWEEP_MAXIMUM] = "max", [SWEEP_MEAN] = "mean"
};
static const char *const energies[] = { [CDN_ENERGY_KINETIC] = "kinetic energy",
                                        [CDN_ENERGY_POTENTIAL] = "potential energy",
                                        [CDN_ENERGY_TOTAL] = "total energy" };
static const char *const fixed_names[SWEEP_FIXED_COLUMNS] = {
  [SWEEP_STATUS] = "status",
  [SWEEP_DELIVERED] = "delivered",
  [SWEEP_ASKED] = "accuracy",
  [SWEEP_ERROR] = "error_estimate",
  [SWEEP_DELIVERED_UNTIL] = "delivered_until",
  [SWEEP_ENERGY_RESIDUAL] = "energy_residual",
  [SWEEP_CONSTRAINT_ERROR] = "max_constraint_error",
  [SWEEP_STEPS_TAKEN] = "steps",
  [SWEEP_REJECTED] = "rejected",
  [SWEEP_EVALUATIONS] = "evaluations",
  [SWEEP_TIME_FINAL] = "time_final",
};

/* ---- names ---- */

static cdn_status tell_unknown(cdn_sweep *s, const cdn_system *system, const char *name) {
  enum { SIZE = 96 };
  const int sizes[] = { cdn_system_nq(system), cdn_system_nu(system), cdn_system_nz(system) };
  const int measures = cdn_system_measure_count(system), slots = sizes[0] + sizes[1] + sizes[2];
  const int most = measures + CDNI_COUNT(energies) + slots;
  const char **all = cdni_sweep_memory(s, (size_t)most, sizeof *all);
  char(*texts)[SIZE] = cdni_sweep_memory(s, (size_t)slots, sizeof *texts);
  int n = 0, k = 0;
  if (!all || !texts) return CDN_ERR_NOMEM;
  for (int i = 0; i < measures; i++) all[n++] = cdn_measure_name(system, (cdn_measure){ i });
  for (int i = 0; i < CDNI_COUNT(energies); i++) all[n++] = energies[i];
  for (int pool = 0; pool < CDNI_COUNT(sizes); pool++)
    for (int i = 0; i < sizes[pool]; i++, k++) {
      cdn_system_slot_name(system, (cdn_pool)pool, i, texts[k], SIZE);
      all[n++] = texts[k];
    }
  return cdni_sweep_unknown(s, name, "\"keep\": there is no measure, coordinate or energy", all, n);
}

static bool find_slot(const cdn_system *system, const char *name, sweep_quantity *q) {
  for (int pool = 0; pool <= CDN_POOL_Z; pool++) {
    q->slot = cdn_system_find_slot(system, (cdn_pool)pool, name);
    q->pool = (cdn_pool)pool;
    if (q->slot >= 0) return true;
  }
  return false;
}

static cdn_status find(cdn_sweep *s, const cdn_system *system, const char *name, sweep_quantity *q) {
  q->name = name, q->n = 1;
  q->measure = cdn_system_find_measure(system, name);
  if (q->measure.i >= 0) {
    q->kind = SWEEP_MEASURE;
    q->n = cdn_measure_size(system, q->measure);
    return CDN_OK;
  }
  for (int i = 0; i < CDNI_COUNT(energies); i++)
    if (strcmp(name, energies[i]) == 0) {
      q->kind = SWEEP_ENERGY, q->energy = (cdn_energy)i;
      return CDN_OK;
    }
  q->kind = SWEEP_SLOT;
  return find_slot(system, name, q) ? CDN_OK : tell_unknown(s, system, name);
}

static cdn_status find_list(cdn_sweep *s, const cdn_system *system, json_t *list, sweep_statistic statistic) {
  json_t *item;
  size_t i;
  if (list && !json_is_array(list))
    return cdni_sweep_wrong(s, "\"keep\": \"%s\" should be a list of names", statistics[statistic]);
  json_array_foreach(list, i, item) {
    if (!json_is_string(item))
      return cdni_sweep_wrong(s, "\"keep\": \"%s\" should be a list of names", statistics[statistic]);
    sweep_quantity *q = &s->quantities[s->n_quantities++];
    *q = (sweep_quantity){ .statistic = statistic };
    CDNI_TRY(find(s, system, json_string_value(item), q));
  }
  return CDN_OK;
}

cdn_status cdni_sweep_find_quantities(cdn_sweep *s, const cdn_system *system) {
  json_t *keep = s->study.keep;
  const int measures = cdn_system_measure_count(system);
  size_t n = keep ? 0 : (size_t)measures;
  for (int i = 0; i < SWEEP_STATISTIC_COUNT; i++) n += json_array_size(json_object_get(keep, statistics[i]));
  CDNI_TRY(cdni_sweep_check_keys(s, "keep", keep, statistics, SWEEP_STATISTIC_COUNT));
  s->quantities = cdni_sweep_memory(s, n, sizeof *s->quantities);
  if (!s->quantities) return CDN_ERR_NOMEM;
  /* without "keep": all measures that the model has */
  for (int i = 0; i < measures && !keep; i++) {
    const char *name = cdni_sweep_text(s, "%s", cdn_measure_name(system, (cdn_measure){ i }));
    if (!name) return CDN_ERR_NOMEM;
    CDNI_TRY(find(s, system, name, &s->quantities[s->n_quantities++]));
  }
  for (int i = 0; i < SWEEP_STATISTIC_COUNT; i++)
    CDNI_TRY(find_list(s, system, json_object_get(keep, statistics[i]), (sweep_statistic)i));
  return CDN_OK;
}

/* ---- over a run ---- */

static cdn_measure operand_of(cdn_system *system, const sweep_quantity *q) {
  const cdn_ticket pools[] = { CDN_Q, CDN_U, CDN_Z };
  if (q->kind == SWEEP_MEASURE) return q->measure;
  if (q->kind == SWEEP_SLOT) return cdn_system_add_slot_measure(system, NULL, pools[q->pool], q->slot);
  return cdn_system_add_energy_measure(system, NULL, q->energy);
}

/* A mean is an integral over the time; its errors are
 * absolute below one. */
void cdni_sweep_add_measures(cdn_sweep *s, cdn_system *system) {
  for (int i = 0; i < s->n_quantities; i++) {
    sweep_quantity *q = &s->quantities[i];
    if (q->statistic == SWEEP_END) continue;
    const cdn_measure operand = operand_of(system, q);
    if (q->statistic == SWEEP_MEAN)
      q->measure = cdn_system_add_integral_measure(system, NULL, operand, NULL, s->study.run[SWEEP_DURATION]);
    else
      q->measure = cdn_system_add_extreme_measure(system, NULL, operand,
                                                  q->statistic == SWEEP_MINIMUM ? CDN_MINIMUM : CDN_MAXIMUM);
  }
}

/* What is added has z of its own, which may come before others. */
cdn_status cdni_sweep_settle_quantities(cdn_sweep *s, const cdn_system *system) {
  for (int i = 0; i < s->n_quantities; i++) {
    sweep_quantity *q = &s->quantities[i];
    if (q->kind != SWEEP_SLOT) continue;
    const int slot = cdn_system_find_slot(system, q->pool, q->name);
    if (q->statistic == SWEEP_END) q->slot = slot;
    else if (slot != q->slot)
      return cdni_sweep_wrong(s, "\"keep\": \"%.120s\" can be kept at the \"end\" only", q->name);
  }
  return CDN_OK;
}

/* ---- columns ---- */

static cdn_status add_column(cdn_sweep *s, const char *name, const char *unit) {
  if (!name) return CDN_ERR_NOMEM;
  for (int i = 0; i < s->n_columns; i++)
    if (strcmp(s->column_names[i], name) == 0)
      return cdni_sweep_wrong(
          s, "two columns would be called \"%.120s\"; rename what varies, and let it say what it \"sets\"", name);
  s->column_names[s->n_columns] = name;
  s->column_units[s->n_columns++] = unit;
  return CDN_OK;
}

static const char *unit_of(const cdn_sweep *s, int variable) {
  for (int i = 0; i < s->n_targets; i++)
    if (s->targets[i].variable == variable) return s->targets[i].use == SWEEP_FACTOR ? "1" : s->targets[i].unit;
  return "";
}

static cdn_status add_kept(cdn_sweep *s, const sweep_quantity *q) {
  const char *unit = q->kind == SWEEP_ENERGY ? "J" : "", *first = statistics[q->statistic];
  for (int i = 0; i < q->n; i++) {
    const char *name =
        q->n == 1 ? cdni_sweep_text(s, "%s %s", first, q->name) : cdni_sweep_text(s, "%s %s[%d]", first, q->name, i);
    CDNI_TRY(add_column(s, name, unit));
  }
  return CDN_OK;
}

cdn_status cdni_sweep_make_columns(cdn_sweep *s) {
  size_t n = 1 + (size_t)s->design.n_variables + SWEEP_FIXED_COLUMNS;
  for (int i = 0; i < s->n_quantities; i++) n += (size_t)s->quantities[i].n;
  s->column_names = cdni_sweep_memory(s, n, sizeof *s->column_names);
  s->column_units = cdni_sweep_memory(s, n, sizeof *s->column_units);
  s->values = cdni_sweep_memory(s, (size_t)s->design.n_variables, sizeof *s->values);
  if (!s->column_names || !s->column_units || !s->values) return CDN_ERR_NOMEM;
  CDNI_TRY(add_column(s, "case", ""));
  for (int i = 0; i < s->design.n_variables; i++) CDNI_TRY(add_column(s, s->design.variables[i].name, unit_of(s, i)));
  for (int i = 0; i < SWEEP_FIXED_COLUMNS; i++)
    CDNI_TRY(add_column(s, fixed_names[i], i == SWEEP_TIME_FINAL || i == SWEEP_DELIVERED_UNTIL ? "s" : ""));
  for (int i = 0; i < s->n_quantities; i++) CDNI_TRY(add_kept(s, &s->quantities[i]));
  return CDN_OK;
}

/* ---- values ---- */

static double energy_of(cdn_state *state, cdn_energy which) {
  double kinetic = 0, potential = 0;
  if (which != CDN_ENERGY_POTENTIAL && cdn_kinetic_energy(state, &kinetic) != CDN_OK) return NAN;
  if (which != CDN_ENERGY_KINETIC && cdn_potential_energy(state, &potential) != CDN_OK) return NAN;
  return kinetic + potential;
}

static double slot_of(const cdn_state *state, cdn_pool pool, int slot) {
  return (pool == CDN_POOL_Q ? cdn_state_q(state) : pool == CDN_POOL_U ? cdn_state_u(state) : cdn_state_z(state))[slot];
}

void cdni_sweep_keep(const cdn_sweep *s, cdn_stepper *stepper, double t0, double *row) {
  cdn_state *state = cdn_stepper_state(stepper);
  const double duration = cdn_state_time(state) - t0;
  double *to = row + cdni_sweep_fixed_at(s) + SWEEP_FIXED_COLUMNS;
  for (int i = 0; i < s->n_quantities; to += s->quantities[i++].n) {
    const sweep_quantity *q = &s->quantities[i];
    if (q->statistic == SWEEP_END && q->kind == SWEEP_ENERGY) to[0] = energy_of(state, q->energy);
    else if (q->statistic == SWEEP_END && q->kind == SWEEP_SLOT) to[0] = slot_of(state, q->pool, q->slot);
    else {
      const double *value = cdn_measure_value(state, q->measure);
      for (int k = 0; k < q->n; k++) to[k] = !value ? NAN : q->statistic == SWEEP_MEAN ? value[k] / duration : value[k];
    }
  }
}
