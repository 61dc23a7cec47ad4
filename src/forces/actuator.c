/* An actuator on a mobility: f = (gain + gain_q q + gain_u u) c + bias[0] + bias[1] q + bias[2] u within limits of its
 * own; c is a control. Torque motors, servos for position and velocity, dampers. MuJoCo's "affine" actuators have this
 * law. Parameters: gain, bias (3), lower, upper, gain_q, gain_u. */
#include <float.h>
#include <math.h>
#include <stdio.h>

#include "controls/controls.h"
#include "forces/derivatives.h"

enum { GAIN, BIAS, LOWER = 4, UPPER, GAIN_Q, GAIN_U, N_PARAMS };

typedef struct actuator {
  force_mobility at; /* q -1: it reads none */
  cdn_control control;
  bool feeds_back; /* its control varies with the State */
} actuator;

CDNI_DEF(actuator_def, .control = { -1 }, .gain = 1, .lower = -INFINITY, .upper = INFINITY);

/* The force of a control c; *free: its limits leave it alone. */
static cdn_status force_of(const force_batch *b, int i, cdn_state *state, double c, double *f, bool *free) {
  const actuator *e = (const actuator *)b->elements + i;
  const double *p = b->params + N_PARAMS * i, *q = NULL, *u;
  CDNI_TRY(force_u(b, state, &u));
  if (e->at.q >= 0) CDNI_TRY(force_q(b, state, &q));
  const double by_q = p[GAIN_Q] * c + p[BIAS + 1], by_u = p[GAIN_U] * c + p[BIAS + 2];
  *f = p[GAIN] * c + p[BIAS] + (q ? by_q * q[e->at.q] : 0) + by_u * u[e->at.u];
  *free = *f >= p[LOWER] && *f <= p[UPPER];
  *f = fmin(fmax(*f, p[LOWER]), p[UPPER]);
  return CDN_OK;
}

static cdn_status calc_one(const force_batch *b, int i, cdn_state *state, cdn_forces *out) {
  const actuator *e = (const actuator *)b->elements + i;
  double c, f;
  bool free;
  CDNI_TRY(cdn_control_value(state, e->control, &c));
  CDNI_TRY(force_of(b, i, state, c, &f, &free));
  out->f[e->at.u] += f;
  return CDN_OK;
}

static cdn_status calc(const force_batch *b, cdn_state *state, cdn_forces *out) {
  for (int i = 0; i < b->n; i++)
    if (force_is_on(b, i)) CDNI_TRY(calc_one(b, i, state, out));
  return CDN_OK;
}

/* ---- how it varies ---- */

/* A control that follows a measure is differenced: a measure does not describe its derivatives. */
static bool is_differenced(const force_batch *b, int i) {
  return ((const actuator *)b->elements)[i].feeds_back && force_is_on(b, i);
}

static cdn_status derivative(const force_batch *b, cdn_state *state, cdn_force_derivatives *out) {
  const actuator *e = b->elements;
  for (int i = 0; i < b->n; i++) {
    const double *p = b->params + N_PARAMS * i;
    double c, f;
    bool free;
    if (!force_is_on(b, i) || e[i].feeds_back) continue;
    CDNI_TRY(cdn_control_value(state, e[i].control, &c));
    CDNI_TRY(force_of(b, i, state, c, &f, &free));
    if (free)
      derivative_of_mobility(out, e[i].at.u, e[i].at.u, e[i].at.q >= 0 ? p[GAIN_Q] * c + p[BIAS + 1] : 0,
                             p[GAIN_U] * c + p[BIAS + 2]);
  }
  return CDN_OK;
}

/* ---- the kind ---- */

static void depend(const force_set *set, const force_part *part, const matter *m, cdn_declarer *d, cdn_cache entry) {
  (void)part, (void)m;
  for (size_t i = 0; i < set->elements.count; i++)
    cdni_declare_prerequisite(d, entry,
                              cdn_control_ticket(cdni_declarer_system(d), CDNI_AT(set->elements, actuator, i).control));
}

/* Called when the System is complete: the source of a control may be set after the control's actuator was added. */
static void prepare(force_set *set, cdn_declarer *d) {
  for (size_t i = 0; i < set->elements.count; i++) {
    actuator *e = &CDNI_AT(set->elements, actuator, i);
    e->feeds_back = cdni_control_feeds_back(cdni_declarer_system(d), e->control);
  }
}

static bool check(const double *p, char *why, size_t size) {
  if (p[LOWER] < p[UPPER]) return true;
  snprintf(why, size, "its limits are %g and %g: the lower one must be below the upper one", p[LOWER], p[UPPER]);
  return false;
}

static void describe(const force_room *room, const void *element, char *text, size_t size) {
  const actuator *e = element;
  char at[160];
  cdni_describe_mobility(room, &e->at, at, sizeof at);
  snprintf(text, size, "%s by control '%s'", at, cdn_control_name(room->system, e->control));
}

const force_kind cdni_force_actuator = {
  .name = "actuator",
  .element_size = sizeof(actuator),
  .n_params = N_PARAMS,
  .param_names = { "gain", "bias", "bias", "bias", "lower", "upper", "gain_q", "gain_u" },
  .check = check,
  .parts = { { .reads = CDN_READS_EVERYTHING, .mobilities = true, .calc = calc } },
  .derivative = derivative,
  .is_differenced = is_differenced,
  .calc_one = calc_one,
  .prepare = prepare,
  .depend = depend,
  .describe = describe,
};

/* ---- adding ---- */

static double finite_limit(double limit) { return isinf(limit) ? copysign(DBL_MAX, limit) : limit; }

static void put_params(double p[N_PARAMS], const cdn_actuator_def *d) {
  p[GAIN_Q] = d->gain_q, p[GAIN_U] = d->gain_u;
  p[GAIN] = d->gain;
  for (int k = 0; k < 3; k++) p[BIAS + k] = d->bias[k];
  p[LOWER] = finite_limit(d->lower), p[UPPER] = finite_limit(d->upper);
}

cdn_force cdn_system_add_actuator(cdn_system *system, const char *name, const cdn_actuator_def *def) {
  static const char function[] = "cdn_system_add_actuator";
  force_adder a;
  cdn_actuator_def d;
  const char *unreadable = def ? read_actuator_def(&d, def) : "no def is given: start with cdn_default_actuator_def()";
  cdni_force_begin(&a, system, FORCE_ACTUATOR, function, name);
  if (unreadable) {
    cdni_force_refuse(&a, def ? CDN_ERR_VERSION : CDN_ERR_ARG, "%s", unreadable);
    return (cdn_force){ -1 };
  }
  actuator e = { .control = d.control };
  e.at = cdni_force_check_mobility(&a, d.body, d.mobility);
  if (a.ok && !cdn_control_name(system, d.control))
    cdni_force_refuse(&a, CDN_ERR_ARG, "there is no control %d in this System (yet): add the control first",
                      (int)d.control.i);
  double p[N_PARAMS];
  put_params(p, &d);
  e.at.q = -1;
  if (a.ok && (d.bias[1] != 0 || d.gain_q != 0)) {
    /* q are counted from the joint's first, and so are u; a u that is the rate of no q has no coordinate */
    const int extra = cdn_body_nq(system, d.body) - cdn_body_nu(system, d.body);
    const force_mobility at = cdni_force_check_coordinate(&a, d.body, d.mobility + extra);
    e.at.q = at.q;
  }
  return cdni_force_add(&a, &e, p);
}

cdn_status cdn_actuator_set(cdn_state *state, cdn_force force, double gain, const double bias[3], double lower,
                            double upper) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  static const char function[] = "cdn_actuator_set";
  const double *now = cdni_force_params(state, force, FORCE_ACTUATOR);
  cdn_actuator_def d = { .gain = gain, .lower = lower, .upper = upper };
  double p[N_PARAMS];
  for (int k = 0; k < 3; k++) d.bias[k] = bias ? bias[k] : now ? now[BIAS + k] : 0;
  if (now) d.gain_q = now[GAIN_Q], d.gain_u = now[GAIN_U];
  put_params(p, &d);
  return cdni_force_set(state, force, FORCE_ACTUATOR, function, p);
}
