/* Springs, dampers and stops along paths. A tension T does the work -T dL where the length L changes. */
#include <math.h>
#include <stdio.h>

#include "forces/derivatives.h"
#include "forces/elements/mobility.h"
#include "forces/elements/path.h"

static const path_element *element_of(const force_batch *b, int i) { return (const path_element *)b->elements + i; }

static cdn_status view_of(const force_batch *b, int i, cdn_state *state, path_view *view) {
  return cdni_path_view(cdni_paths(b->room->system), state, element_of(b, i)->path, view);
}

/* ---- the spring ---- */

enum { SPRING_K, SPRING_LOWER, SPRING_UPPER, SPRING_K2, SPRING_K3, SPRING_PARAMS };

/* How much longer than its slack the path is, or shorter (negative). */
static double stretch(const double *p, double length) {
  return length > p[SPRING_UPPER] ? length - p[SPRING_UPPER] : fmin(length - p[SPRING_LOWER], 0);
}

/* k x + k2 x^2 + k3 x^3, its slope and its integral. */
static double pull_of(const double *p, double x) { return x * (p[SPRING_K] + x * (p[SPRING_K2] + x * p[SPRING_K3])); }
static double slope_of(const double *p, double x) {
  return p[SPRING_K] + x * (2 * p[SPRING_K2] + 3 * x * p[SPRING_K3]);
}
static double energy_of(const double *p, double x) {
  return x * x * (p[SPRING_K] / 2 + x * (p[SPRING_K2] / 3 + x * p[SPRING_K3] / 4));
}

static cdn_status calc_spring(const force_batch *b, cdn_state *state, cdn_forces *out) {
  path_view view;
  for (int i = 0; i < b->n; i++) {
    const double *p = b->params + SPRING_PARAMS * i;
    if (!force_is_on(b, i)) continue;
    CDNI_TRY(view_of(b, i, state, &view));
    const double tension = pull_of(p, stretch(p, view.length));
    if (tension != 0) force_begin(out), cdni_path_pull(&view, out->pose, tension, out->F, out->f);
  }
  return CDN_OK;
}

static cdn_status calc_potential(const force_batch *b, cdn_state *state, double *energy) {
  path_view view;
  for (int i = 0; i < b->n; i++) {
    const double *p = b->params + SPRING_PARAMS * i;
    if (!force_is_on(b, i)) continue;
    CDNI_TRY(view_of(b, i, state, &view));
    *energy += energy_of(p, stretch(p, view.length));
  }
  return CDN_OK;
}

static cdn_status derivative_of_spring(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  path_view view;
  for (int i = 0; i < b->n; i++) {
    const double *p = b->params + SPRING_PARAMS * i;
    if (!force_is_on(b, i)) continue;
    CDNI_TRY(view_of(b, i, state, &view));
    const double x = stretch(p, view.length);
    if (x != 0) CDNI_TRY(cdni_derivative_of_path(out, element_of(b, i)->path, pull_of(p, x), slope_of(p, x), 0));
  }
  return CDN_OK;
}

/* Where the slack begins or ends. */
static cdn_status calc_kinks(const force_batch *b, cdn_state *state, double *values, double *rates) {
  path_view view;
  for (int i = 0; i < b->n; i++) {
    const double *p = b->params + SPRING_PARAMS * i;
    values[i] = rates[i] = NAN;
    if (!force_is_on(b, i) || p[SPRING_LOWER] == p[SPRING_UPPER]) continue;
    CDNI_TRY(view_of(b, i, state, &view));
    values[i] = fmin(p[SPRING_UPPER] - view.length, view.length - p[SPRING_LOWER]);
  }
  return CDN_OK;
}

static bool check(const double *p, char *reason, size_t size) {
  if (p[SPRING_LOWER] <= p[SPRING_UPPER]) return true;
  cdni_print(reason, size, "its slack is from %g to %g: the lower length must not be above the upper one",
             p[SPRING_LOWER], p[SPRING_UPPER]);
  return false;
}

static void depend_on_lengths(const force_set *set, const force_part *part, const matter *m, cdn_declarer *d,
                              cdn_cache entry) {
  (void)set, (void)part, (void)m;
  cdni_declare_prerequisite(d, entry, cdn_path_ticket(cdni_declarer_system(d)));
}

void cdni_describe_path(const force_room *room, const void *element, char *text, size_t size) {
  snprintf(text, size, "along path '%s'", cdn_path_name(room->system, ((const path_element *)element)->path));
}

const force_kind cdni_force_path_spring = {
  .name = "path_spring",
  .element_size = sizeof(path_element),
  .n_params = SPRING_PARAMS,
  .params = { CDNI_NOT_NEGATIVE("k", "N/m"), CDNI_BOUND("lower", "m"), CDNI_BOUND("upper", "m"),
              CDNI_ANY("k2", "N/m^2"), CDNI_ANY("k3", "N/m^3") },
  .check = check,
  .parts = { { .reads = CDN_READS_POSITION,
               .potential = true,
               .bodies = true,
               .mobilities = true,
               .calc = calc_spring } },
  .calc_potential = calc_potential,
  .derivative = derivative_of_spring,
  .n_kinks = 1,
  .kinks_read_poses = true,
  .calc_kinks = calc_kinks,
  .depend = depend_on_lengths,
  .describe = cdni_describe_path,
};

/* ---- the damper ---- */

/* c v + c2 v |v| + c3 v^3, and its slope. */
static double drag_of(const double *p, double v) { return v * damper_factor(p, v); }
static double drag_slope(const double *p, double v) {
  return p[DAMPER_C] + 2 * fabs(v) * p[DAMPER_C2] + 3 * v * v * p[DAMPER_C3];
}
static bool drags(const double *p) { return p[DAMPER_C] != 0 || p[DAMPER_C2] != 0 || p[DAMPER_C3] != 0; }

static cdn_status calc_damper(const force_batch *b, cdn_state *state, cdn_forces *out) {
  path_view view;
  double rate;
  for (int i = 0; i < b->n; i++) {
    const double *p = b->params + DAMPER_PARAMS * i;
    if (!force_is_on(b, i) || !drags(p)) continue;
    CDNI_TRY(view_of(b, i, state, &view));
    CDNI_TRY(cdni_path_rate(cdni_paths(b->room->system), state, element_of(b, i)->path, &rate));
    force_begin(out), cdni_path_pull(&view, out->pose, drag_of(p, rate), out->F, out->f);
  }
  return CDN_OK;
}

static cdn_status derivative_of_damper(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  double rate;
  for (int i = 0; i < b->n; i++) {
    const double *p = b->params + DAMPER_PARAMS * i;
    if (!force_is_on(b, i) || !drags(p)) continue;
    CDNI_TRY(cdni_path_rate(cdni_paths(b->room->system), state, element_of(b, i)->path, &rate));
    CDNI_TRY(cdni_derivative_of_path(out, element_of(b, i)->path, drag_of(p, rate), 0, drag_slope(p, rate)));
  }
  return CDN_OK;
}

static void depend_on_rates(const force_set *set, const force_part *part, const matter *m, cdn_declarer *d,
                            cdn_cache entry) {
  (void)set, (void)part, (void)m;
  cdni_declare_prerequisite(d, entry, cdn_path_rate_ticket(cdni_declarer_system(d)));
}

const force_kind cdni_force_path_damper = {
  .name = "path_damper",
  .element_size = sizeof(path_element),
  .n_params = DAMPER_PARAMS,
  .params = { CDNI_NOT_NEGATIVE("c", "N s/m"), CDNI_ANY("c2", "N s^2/m^2"), CDNI_ANY("c3", "N s^3/m^3") },
  .parts = { { .reads = CDN_READS_VELOCITY, .bodies = true, .mobilities = true, .calc = calc_damper } },
  .derivative = derivative_of_damper,
  .depend = depend_on_rates,
  .describe = cdni_describe_path,
};

/* ---- the stop ---- */

enum { STOP_LOWER, STOP_UPPER, STOP_K, STOP_D, STOP_PARAMS };

/* A stop in a State: how far the length is beyond a bound (0: it is not), and which way is deeper. */
typedef struct stop {
  const double *p;
  path_view view;
  double x, outward, rate;
} stop;

static cdn_status look_at_stop(const force_batch *b, int i, cdn_state *state, bool with_rate, stop *s) {
  s->p = b->params + STOP_PARAMS * i;
  CDNI_TRY(view_of(b, i, state, &s->view));
  const double above = s->view.length - s->p[STOP_UPPER], below = s->p[STOP_LOWER] - s->view.length;
  s->x = fmax(fmax(above, below), 0), s->outward = above > 0 ? 1 : -1, s->rate = 0;
  return with_rate ? cdni_path_rate(cdni_paths(b->room->system), state, element_of(b, i)->path, &s->rate) : CDN_OK;
}

static cdn_status calc_elastic(const force_batch *b, cdn_state *state, cdn_forces *out) {
  for (int i = 0; i < b->n; i++) {
    stop s;
    if (!force_is_on(b, i)) continue;
    CDNI_TRY(look_at_stop(b, i, state, false, &s));
    if (s.x > 0) force_begin(out), cdni_path_pull(&s.view, out->pose, s.outward * s.p[STOP_K] * s.x, out->F, out->f);
  }
  return CDN_OK;
}

/* At -1 this part takes away the elastic one: a stop that is left fast lets go. */
static cdn_status calc_dissipative(const force_batch *b, cdn_state *state, cdn_forces *out) {
  for (int i = 0; i < b->n; i++) {
    stop s;
    if (!force_is_on(b, i)) continue;
    CDNI_TRY(look_at_stop(b, i, state, true, &s));
    const double growth = fmax(s.p[STOP_D] * s.outward * s.rate, -1);
    if (s.x > 0 && growth != 0)
      force_begin(out), cdni_path_pull(&s.view, out->pose, s.outward * s.p[STOP_K] * s.x * growth, out->F, out->f);
  }
  return CDN_OK;
}

static cdn_status calc_stop_potential(const force_batch *b, cdn_state *state, double *energy) {
  for (int i = 0; i < b->n; i++) {
    stop s;
    if (!force_is_on(b, i)) continue;
    CDNI_TRY(look_at_stop(b, i, state, false, &s));
    *energy += 0.5 * s.p[STOP_K] * s.x * s.x;
  }
  return CDN_OK;
}

static cdn_status derivative_of_stop(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  for (int i = 0; i < b->n; i++) {
    stop s;
    if (!force_is_on(b, i)) continue;
    CDNI_TRY(look_at_stop(b, i, state, true, &s));
    const double growth = 1 + s.p[STOP_D] * s.outward * s.rate, k = s.p[STOP_K];
    if (s.x > 0 && growth > 0)
      CDNI_TRY(cdni_derivative_of_path(out, element_of(b, i)->path, s.outward * k * s.x * growth, k * growth,
                                       k * s.x * s.p[STOP_D]));
  }
  return CDN_OK;
}

/* Two kinks: where a bound is met or left, and, beyond a bound, where damping lets go. */
static cdn_status calc_stop_kinks(const force_batch *b, cdn_state *state, double *values, double *rates) {
  for (int i = 0; i < b->n; i++) {
    stop s;
    values[2 * i] = values[2 * i + 1] = rates[2 * i] = rates[2 * i + 1] = NAN;
    if (!force_is_on(b, i)) continue;
    CDNI_TRY(look_at_stop(b, i, state, true, &s));
    const double above = s.p[STOP_UPPER] - s.view.length, below = s.view.length - s.p[STOP_LOWER];
    values[2 * i] = fmin(above, below), rates[2 * i] = above < below ? -s.rate : s.rate;
    if (values[2 * i] < 0) values[2 * i + 1] = 1 - s.p[STOP_D] * rates[2 * i];
  }
  return CDN_OK;
}

static bool check_stop(const double *p, char *reason, size_t size) {
  if (p[STOP_LOWER] <= p[STOP_UPPER]) return true;
  cdni_print(reason, size, "the lower bound %g is above the upper bound %g", p[STOP_LOWER], p[STOP_UPPER]);
  return false;
}

static void depend_of_stop(const force_set *set, const force_part *part, const matter *m, cdn_declarer *d,
                           cdn_cache entry) {
  if (part && part->reads == CDN_READS_VELOCITY) depend_on_rates(set, part, m, d, entry);
  else depend_on_lengths(set, part, m, d, entry);
}

const force_kind cdni_force_path_stop = {
  .name = "path_stop",
  .element_size = sizeof(path_element),
  .n_params = STOP_PARAMS,
  .params = { CDNI_BOUND("lower", "m"), CDNI_BOUND("upper", "m"), CDNI_POSITIVE("k", "N/m"),
              CDNI_NOT_NEGATIVE("d", "s/m") },
  .check = check_stop,
  .parts = { { .reads = CDN_READS_POSITION,
               .potential = true,
               .bodies = true,
               .mobilities = true,
               .calc = calc_elastic },
             { .reads = CDN_READS_VELOCITY, .bodies = true, .mobilities = true, .calc = calc_dissipative } },
  .calc_potential = calc_stop_potential,
  .derivative = derivative_of_stop,
  .n_kinks = 2,
  .kinks_read_poses = true,
  .calc_kinks = calc_stop_kinks,
  .depend = depend_of_stop,
  .describe = cdni_describe_path,
};

/* ---- adding ---- */

static cdn_force add(force_adder *a, cdn_path path, const double *params) {
  const path_element e = { path };
  cdni_adder_check_there(&a->by, "path", path.i, cdn_system_path_count(a->by.system));
  return cdni_force_add(a, &e, params);
}

static const double no_numbers[3] = { NAN, NAN, NAN };

static cdn_force add_spring(cdn_system *system, const char *function, const char *name, cdn_path path,
                            const double k[3], double lower, double upper) {
  force_adder a;
  if (!k) k = no_numbers;
  cdni_force_begin(&a, system, FORCE_PATH_SPRING, function, name);
  const double params[SPRING_PARAMS] = { k[0], cdni_finite_bound(lower), cdni_finite_bound(upper), k[1], k[2] };
  return add(&a, path, params);
}

cdn_force cdn_system_add_path_spring(cdn_system *system, const char *name, cdn_path path, double k, double lower,
                                     double upper) {
  return add_spring(system, __func__, name, path, (double[]){ k, 0, 0 }, lower, upper);
}

cdn_force cdn_system_add_polynomial_path_spring(cdn_system *system, const char *name, cdn_path path, const double k[3],
                                                double lower, double upper) {
  return add_spring(system, __func__, name, path, k, lower, upper);
}

cdn_status cdn_path_spring_set(cdn_state *state, cdn_force force, double k, double lower, double upper) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const double *now = cdni_force_params(state, force, FORCE_PATH_SPRING);
  double params[SPRING_PARAMS] = { 0 };
  if (now) memcpy(params, now, sizeof params);
  params[SPRING_K] = k, params[SPRING_LOWER] = cdni_finite_bound(lower),
  params[SPRING_UPPER] = cdni_finite_bound(upper);
  return cdni_force_set(state, force, FORCE_PATH_SPRING, __func__, params);
}

static cdn_force add_damper(cdn_system *system, const char *function, const char *name, cdn_path path,
                            const double c[3]) {
  force_adder a;
  cdni_force_begin(&a, system, FORCE_PATH_DAMPER, function, name);
  return add(&a, path, c ? c : no_numbers);
}

cdn_force cdn_system_add_path_damper(cdn_system *system, const char *name, cdn_path path, double c) {
  return add_damper(system, __func__, name, path, (double[]){ c, 0, 0 });
}

cdn_force cdn_system_add_polynomial_path_damper(cdn_system *system, const char *name, cdn_path path,
                                                const double c[3]) {
  return add_damper(system, __func__, name, path, c);
}

cdn_status cdn_path_damper_set(cdn_state *state, cdn_force force, double c) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const double *now = cdni_force_params(state, force, FORCE_PATH_DAMPER);
  double params[DAMPER_PARAMS] = { 0 };
  if (now) memcpy(params, now, sizeof params);
  params[DAMPER_C] = c;
  return cdni_force_set(state, force, FORCE_PATH_DAMPER, __func__, params);
}

cdn_force cdn_system_add_path_stop(cdn_system *system, const char *name, cdn_path path, double lower, double upper,
                                   double k, double d) {
  force_adder a;
  cdni_force_begin(&a, system, FORCE_PATH_STOP, __func__, name);
  const double params[STOP_PARAMS] = { cdni_finite_bound(lower), cdni_finite_bound(upper), k, d };
  return add(&a, path, params);
}

cdn_status cdn_path_stop_set(cdn_state *state, cdn_force force, double lower, double upper, double k, double d) {
  const double params[STOP_PARAMS] = { cdni_finite_bound(lower), cdni_finite_bound(upper), k, d };
  return cdni_force_set(state, force, FORCE_PATH_STOP, __func__, params);
}
