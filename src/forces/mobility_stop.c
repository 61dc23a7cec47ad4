/* A compliant stop on one coordinate: elements/mobility_stop.h has its formula. */
#include <math.h>

#include "forces/derivatives.h"
#include "forces/elements/mobility_stop.h"

static bool check(const double *params, char *reason, size_t size) {
  if (params[0] <= params[1]) return true;
  cdni_print(reason, size, "the lower bound %g is above the upper bound %g", params[0], params[1]);
  return false;
}

static cdn_status calc_potential(const force_batch *b, cdn_state *state, double *energy) {
  const force_mobility *at = b->elements;
  const double *q;
  CDNI_TRY(force_q(b, state, &q));
  for (int i = 0; i < b->n; i++) {
    const double *p = b->params + 4 * i;
    double outward, x = mobility_penetration(p, q[at[i].q], &outward);
    if (x > 0 && force_is_on(b, i)) *energy += 0.5 * p[2] * x * x;
  }
  return CDN_OK;
}

/* Derivatives of -outward k x (1 + d xdot); zero outside the stop and where it lets go. At the bound itself, x = 0, the
 * free side counts. */
static cdn_status derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  const force_mobility *at = b->elements;
  const double *q, *u;
  CDNI_TRY(force_q(b, state, &q));
  CDNI_TRY(force_u(b, state, &u));
  for (int i = 0; i < b->n; i++) {
    const double *p = b->params + 4 * i;
    double outward, x = mobility_penetration(p, q[at[i].q], &outward);
    const double growth = 1 + p[3] * outward * u[at[i].u];
    if (x > 0 && growth > 0 && force_is_on(b, i))
      derivative_of_mobility(out, at[i].u, at[i].u, -p[2] * growth, -p[2] * x * p[3]);
  }
  return CDN_OK;
}

/* Two kinks: where a bound is met or left, and, beyond a bound, where damping lets go. */
static cdn_status calc_kinks(const force_batch *b, cdn_state *state, double *values, double *rates) {
  const force_mobility *at = b->elements;
  const double *q, *u;
  CDNI_TRY(force_q(b, state, &q));
  CDNI_TRY(force_u(b, state, &u));
  for (int i = 0; i < b->n; i++) {
    const double *p = b->params + 4 * i, x = q[at[i].q], v = u[at[i].u];
    const bool upper = p[1] - x < x - p[0], on = force_is_on(b, i);
    values[2 * i] = !on ? NAN : upper ? p[1] - x : x - p[0];
    rates[2 * i] = upper ? -v : v;
    values[2 * i + 1] = values[2 * i] < 0 ? 1 - p[3] * rates[2 * i] : NAN;
    rates[2 * i + 1] = NAN;
  }
  return CDN_OK;
}

static cdn_status kink_force(const force_batch *b, cdn_state *state, int k, double x, double *f) {
  const force_mobility *at = b->elements;
  const int i = k / 2;
  const double *p = b->params + 4 * i, *q, *u;
  double outward;
  CDNI_TRY(force_q(b, state, &q));
  CDNI_TRY(force_u(b, state, &u));
  f[at[i].u] += p[2] * x * (k % 2 ? mobility_penetration(p, q[at[i].q], &outward) : 1 + p[3] * fabs(u[at[i].u]));
  return CDN_OK;
}

const force_kind cdni_force_mobility_stop = {
  .name = "mobility_stop",
  .element_size = sizeof(force_mobility),
  .n_params = 4,
  .params = { CDNI_BOUND("lower", "m|rad"), CDNI_BOUND("upper", "m|rad"), CDNI_POSITIVE("k", "N/m|N m/rad"),
              CDNI_NOT_NEGATIVE("d", "s/m|s/rad") },
  .on_mobility = true,
  .own_speed = true,
  .check = check,
  .parts = { { .reads = CDN_READS_POSITION,
               .potential = true,
               .mobilities = true,
               .kernel = FORCE_KERNEL_mobility_stop_elastic },
             { .reads = CDN_READS_VELOCITY, .mobilities = true, .kernel = FORCE_KERNEL_mobility_stop_dissipative } },
  .calc_potential = calc_potential,
  .derivative = derivative,
  .n_kinks = 2,
  .calc_kinks = calc_kinks,
  .kink_force = kink_force,
  .describe = cdni_describe_mobility,
};

cdn_force cdn_system_add_mobility_stop(cdn_system *system, const char *name, cdn_body body, int coordinate,
                                       double lower, double upper, double k, double d) {
  force_adder a;
  cdni_force_begin(&a, system, FORCE_MOBILITY_STOP, "cdn_system_add_mobility_stop", name);
  const force_mobility at = cdni_force_check_coordinate(&a, body, coordinate);
  const double params[] = { cdni_finite_bound(lower), cdni_finite_bound(upper), k, d };
  return cdni_force_add(&a, &at, params);
}

cdn_status cdn_mobility_stop_set(cdn_state *state, cdn_force force, double lower, double upper, double k, double d) {
  const double params[] = { cdni_finite_bound(lower), cdni_finite_bound(upper), k, d };
  return cdni_force_set(state, force, FORCE_MOBILITY_STOP, "cdn_mobility_stop_set", params);
}

bool cdni_force_stop(const cdn_state *state, int i, int32_t slots[2], double bounds[2]) {
  const force_room *room = cdni_forces(cdn_state_system(state));
  const double *p = cdni_force_params(state, (cdn_force){ i }, FORCE_MOBILITY_STOP);
  if (!p) return false;
  const int32_t index = CDNI_AT(room->elements, force_element, i).index;
  const force_mobility *at = &CDNI_AT(room->sets[FORCE_MOBILITY_STOP].elements, force_mobility, index);
  slots[0] = at->q, slots[1] = at->u;
  for (int k = 0; k < 2; k++) bounds[k] = cdni_bound(p[k]);
  return true;
}
