/* What can be plotted, and its values. */
#include <math.h>
#include <stdio.h>

#include "view/internal.h"

static bool add(const cdn_view *view, view_picture *p, view_quantity quantity, const char *group, const char *unit,
                const char *name) {
  view_series s = { .group = group };
  snprintf(s.name, sizeof s.name, "%s", name);
  snprintf(s.unit, sizeof s.unit, "%s", cdn_system_unit(p->system, unit));
  return cdni_array_push(&view->allocator, &p->series, sizeof s, &s) &&
         cdni_array_push(&view->allocator, &p->quantities, sizeof quantity, &quantity);
}

static bool add_slots(const cdn_view *view, view_picture *p, cdn_pool pool, int n, view_source source,
                      const char *group) {
  for (int i = 0; i < n; i++) {
    char name[96];
    cdn_system_slot_name(p->system, pool, i, name, sizeof name);
    if (!add(view, p, (view_quantity){ source, i, 0 }, group, "", name)) return false;
  }
  return true;
}

static bool add_measures(const cdn_view *view, view_picture *p) {
  for (int i = 0; i < cdn_system_measure_count(p->system); i++) {
    const cdn_measure measure = { i };
    const int n = cdn_measure_size(p->system, measure);
    for (int k = 0; k < n; k++) {
      char name[96];
      if (n == 1) snprintf(name, sizeof name, "%s", cdn_measure_name(p->system, measure));
      else snprintf(name, sizeof name, "%.80s[%d]", cdn_measure_name(p->system, measure), k);
      if (!add(view, p, (view_quantity){ VIEW_MEASURE, i, k }, "measures", "", name)) return false;
    }
  }
  return true;
}

static void set_units(view_picture *p) {
  for (size_t i = 0; i < p->coordinates.count; i++) {
    const view_coordinate *c = &CDNI_AT(p->coordinates, view_coordinate, i);
    const int k = c->k - cdn_body_nq(p->system, c->body) + cdn_body_nu(p->system, c->body);
    const int q = c->slot, u = cdn_system_nq(p->system) + cdn_body_first_u(p->system, c->body) + k;
    snprintf(CDNI_AT(p->series, view_series, q).unit, sizeof(view_series){ 0 }.unit, "%s",
             cdn_system_unit(p->system, c->is_angle ? "rad" : "m"));
    snprintf(CDNI_AT(p->series, view_series, u).unit, sizeof(view_series){ 0 }.unit, "%s",
             cdn_system_unit(p->system, c->is_angle ? "rad/s" : "m/s"));
  }
}

/* What joints have to bear. */
static bool add_reactions(const cdn_view *view, view_picture *p) {
  static const struct { const char *unit, *name; } parts[] = { { "N", "reaction" }, { "N m", "moment of reaction" } };
  for (int b = 1; b < cdn_system_body_count(p->system); b++)
    for (int k = 0; k < CDNI_COUNT(parts); k++) {
      char name[96];
      snprintf(name, sizeof name, "%.64s %s", cdn_body_mobilizer_name(p->system, (cdn_body){ b }), parts[k].name);
      if (!add(view, p, (view_quantity){ VIEW_REACTION, b, k }, "forces", parts[k].unit, name)) return false;
    }
  return true;
}

cdn_status cdni_list_series(const cdn_view *view, view_picture *p) {
  static const struct {
    view_source source;
    const char *group, *unit, *name;
  } others[] = {
    { VIEW_KINETIC, "energy", "J", "kinetic energy" },
    { VIEW_POTENTIAL, "energy", "J", "potential energy" },
    { VIEW_TOTAL, "energy", "J", "energy" },
    { VIEW_CONTACT_FORCE, "forces", "N", "contact force" },
    { VIEW_CONTACT_COUNT, "run", "", "contacts" },
    { VIEW_CONSTRAINT_ERROR, "run", "", "constraint error" },
    { VIEW_STEP, "run", "s", "step size" },
    { VIEW_EVALUATIONS, "run", "", "evaluations" },
    { VIEW_ESTIMATE, "run", "", "error estimate" },
  };
  bool good = add_slots(view, p, CDN_POOL_Q, cdn_system_nq(p->system), VIEW_COORDINATE, "coordinates") &&
              add_slots(view, p, CDN_POOL_U, cdn_system_nu(p->system), VIEW_SPEED, "speeds") && add_measures(view, p);
  for (int i = 0; i < CDNI_COUNT(others) && good; i++)
    good = add(view, p, (view_quantity){ others[i].source, 0, 0 }, others[i].group, others[i].unit, others[i].name);
  good = good && add_reactions(view, p);
  if (!good) return cdni_refuse(CDN_ERR_NOMEM, "cdn_view_open", "out of memory for the list of plots");
  set_units(p);
  return CDN_OK;
}

int cdni_view_page_series(const cdn_view *view, bool is_run, int *series) {
  static const struct {
    view_source source;
    bool of_run; /* known while it runs, and not afterwards */
  } order[] = { { VIEW_TOTAL, false },         { VIEW_KINETIC, false },       { VIEW_POTENTIAL, false },
                { VIEW_CONTACT_FORCE, false }, { VIEW_CONTACT_COUNT, false }, { VIEW_CONSTRAINT_ERROR, false },
                { VIEW_STEP, true },           { VIEW_EVALUATIONS, true },    { VIEW_ESTIMATE, true },
                { VIEW_MEASURE, false },       { VIEW_COORDINATE, false },    { VIEW_SPEED, false },
                { VIEW_REACTION, false } };
  const cdni_array *all = &view->picture.quantities;
  int n = 0;
  for (int k = 0; k < CDNI_COUNT(order); k++)
    for (size_t i = 0; i < all->count && n < VIEW_PLOTS && (is_run || !order[k].of_run); i++)
      if (CDNI_AT(*all, view_quantity, i).source == order[k].source) series[n++] = (int)i;
  return n;
}

/* ---- values ---- */

static double kinetic(cdn_state *state) {
  double energy;
  return cdn_kinetic_energy(state, &energy) == CDN_OK ? energy : NAN;
}

static double potential(cdn_state *state) {
  double energy;
  return cdn_potential_energy(state, &energy) == CDN_OK ? energy : NAN;
}

double cdni_view_energy(cdn_state *state) { return kinetic(state) + potential(state); }

static double measure(cdn_state *state, int i, int k) {
  const double *value = cdn_measure_value(state, (cdn_measure){ i });
  return value ? value[k] : NAN;
}

static double contacts(cdn_state *state) {
  int n;
  if (cdn_system_shape_count(cdn_state_system(state)) == 0) return 0;
  return cdn_contact_count(state, &n) == CDN_OK ? n : NAN;
}

/* The sum of the normal forces: numbers, whatever their directions. */
static double contact_force(cdn_state *state) {
  int n;
  double sum = 0;
  if (cdn_system_shape_count(cdn_state_system(state)) == 0) return 0;
  if (cdn_contact_count(state, &n) != CDN_OK) return NAN;
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    if (cdn_contact_get(state, i, &c) != CDN_OK) return NAN;
    sum += c.force;
  }
  return sum;
}

/* The size of the force, or of the moment, of a joint on its body. */
static double reaction(cdn_state *state, int body, int k) {
  cdn_spatial *F = cdn_work_push(state, (size_t)cdn_system_body_count(cdn_state_system(state)) * sizeof *F);
  const double *udot = F ? cdn_state_udot(state) : NULL;
  double size = NAN;
  if (udot && cdn_calc_reaction_forces(state, udot, CDN_REACTION_ON_BODY_AT_M, F) == CDN_OK)
    size = cdn_norm(k == 0 ? F[body].v : F[body].w);
  if (F) cdn_work_pop(state, F);
  return size;
}

static double constraint_error(cdn_state *state) {
  const int n = cdn_system_nqerr(cdn_state_system(state));
  const double *error = n > 0 ? cdn_state_qerr(state) : NULL;
  double most = n > 0 && !error ? NAN : 0;
  for (int i = 0; error && i < n; i++) most = fmax(most, fabs(error[i]));
  return most;
}

static double value_of(cdn_state *state, const view_quantity *q, const view_run_numbers *run) {
  switch (q->source) {
    case VIEW_COORDINATE: return cdn_state_q(state)[q->i];
    case VIEW_SPEED: return cdn_state_u(state)[q->i];
    case VIEW_MEASURE: return measure(state, q->i, q->k);
    case VIEW_KINETIC: return kinetic(state);
    case VIEW_POTENTIAL: return potential(state);
    case VIEW_TOTAL: return cdni_view_energy(state);
    case VIEW_CONTACT_COUNT: return contacts(state);
    case VIEW_CONTACT_FORCE: return contact_force(state);
    case VIEW_REACTION: return reaction(state, q->i, q->k);
    case VIEW_CONSTRAINT_ERROR: return constraint_error(state);
    case VIEW_STEP: return run ? run->step : NAN;
    case VIEW_EVALUATIONS: return run ? (double)run->evaluations : NAN;
    case VIEW_ESTIMATE: return run ? run->estimate : NAN;
  }
  return NAN;
}

void cdni_view_measure(const cdn_view *view, cdn_state *state, const view_run_numbers *run, const int *series, int n,
                       double *values) {
  for (int i = 0; i < n; i++)
    values[i] = value_of(state, &CDNI_AT(view->picture.quantities, view_quantity, series[i]), run);
}
