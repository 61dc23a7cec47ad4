/* An actuator on a mobility, as MuJoCo's "affine" actuators are: torque motors, servos for position and velocity,
 * dampers. elements/actuator.h has the law. */
#include "forces/elements/actuator.h"

#include <math.h>
#include <stdio.h>

#include "controls/controls.h"
#include "forces/derivatives.h"

CDNI_DEF(actuator_def, .control = { -1 }, .gain = 1, .lower = -INFINITY, .upper = INFINITY, .gear = 1);

/* The values of the controls. Those of actuators that are off are not asked for. */
static cdn_status gather(const force_batch *b, cdn_state *state, double *inputs) {
  const actuator *e = b->elements;
  const control_room *controls = cdni_controls(cdn_state_system(state));
  const int lanes = b->matter->lanes;
  for (int i = 0; i < b->n; i++)
    if (force_is_on(b, i)) CDNI_TRY(cdni_control_values(controls, state, e[i].control, lanes, inputs + lanes * i));
  return CDN_OK;
}

/* One element in a State without lanes: what its force depends on, and its force without the limits. */
static cdn_status law_of(const force_batch *b, int i, cdn_state *state, double *c, double *f) {
  const actuator *e = (const actuator *)b->elements + i;
  const double *q = NULL, *u;
  CDNI_TRY(cdn_control_value(state, e->control, c));
  CDNI_TRY(force_u(b, state, &u));
  if (e->at.q >= 0) CDNI_TRY(force_q(b, state, &q));
  *f = actuator_law(b->params + ACTUATOR_PARAMS * i, *c, q ? q[e->at.q] : 0, u[e->at.u]);
  return CDN_OK;
}

static cdn_status calc_one(const force_batch *b, int i, cdn_state *state, cdn_forces *out) {
  double c, f;
  CDNI_TRY(law_of(b, i, state, &c, &f));
  out->f[((const actuator *)b->elements)[i].at.u] += actuator_limited(b->params + ACTUATOR_PARAMS * i, f);
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
    const double *p = b->params + ACTUATOR_PARAMS * i;
    double c, f;
    if (!force_is_on(b, i) || e[i].feeds_back) continue;
    CDNI_TRY(law_of(b, i, state, &c, &f));
    if (actuator_limited(p, f) != f) continue;
    derivative_of_mobility(out, e[i].at.u, e[i].at.u,
                           e[i].at.q >= 0 ? p[ACTUATOR_GAIN_Q] * c + p[ACTUATOR_BIAS + 1] : 0,
                           p[ACTUATOR_GAIN_U] * c + p[ACTUATOR_BIAS + 2]);
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

static bool check(const double *p, char *reason, size_t size) {
  if (p[ACTUATOR_LOWER] < p[ACTUATOR_UPPER]) return true;
  cdni_print(reason, size, "its limits are %g and %g: the lower one must be below the upper one", p[ACTUATOR_LOWER],
             p[ACTUATOR_UPPER]);
  return false;
}

static void describe(const force_room *room, const void *element, char *text, size_t size) {
  const actuator *e = element;
  char at[160];
  cdni_describe_mobility(room, &e->at, at, sizeof at);
  snprintf(text, size, "%s by control '%s'", at, cdn_control_name(room->system, e->control));
}

static cdn_ticket reads(const cdn_system *system, const void *element, int k) {
  return k == 0 ? cdn_control_ticket(system, ((const actuator *)element)->control) : (cdn_ticket){ 0 };
}

static cdn_status by_control(const force_batch *b, int i, cdn_state *state, cdn_control control, cdn_forces *out) {
  const actuator *e = (const actuator *)b->elements + i;
  const double *p = b->params + ACTUATOR_PARAMS * i, *q = NULL, *u;
  double c, f;
  (void)control;
  CDNI_TRY(law_of(b, i, state, &c, &f));
  if (actuator_limited(p, f) != f) return CDN_OK;
  CDNI_TRY(force_u(b, state, &u));
  if (e->at.q >= 0) CDNI_TRY(force_q(b, state, &q));
  out->f[e->at.u] += p[ACTUATOR_GAIN] + (q ? p[ACTUATOR_GAIN_Q] * q[e->at.q] : 0) + p[ACTUATOR_GAIN_U] * u[e->at.u];
  return CDN_OK;
}

const force_kind cdni_force_actuator = {
  .name = "actuator",
  .element_size = sizeof(actuator),
  .n_params = ACTUATOR_PARAMS,
  .params = { CDNI_ANY("gain", "N/control|N m/control"), CDNI_ANY("bias[0]", "N|N m"),
              CDNI_ANY("bias[1]", "N/m|N m/rad"), CDNI_ANY("bias[2]", "N s/m|N m s/rad"), CDNI_BOUND("lower", "N|N m"),
              CDNI_BOUND("upper", "N|N m"), CDNI_ANY("gain_q", "N/(m control)|N m/(rad control)"),
              CDNI_ANY("gain_u", "N s/(m control)|N m s/(rad control)") },
  .on_mobility = true,
  .own_speed = true,
  .check = check,
  .parts = { { .reads = CDN_READS_EVERYTHING, .mobilities = true, .kernel = FORCE_KERNEL_actuator } },
  .gather = gather,
  .derivative = derivative,
  .is_differenced = is_differenced,
  .calc_one = calc_one,
  .prepare = prepare,
  .depend = depend,
  .reads = reads,
  .by_control = by_control,
  .describe = describe,
};

/* ---- adding ---- */

static void put_params(double p[ACTUATOR_PARAMS], const cdn_actuator_def *d) {
  p[ACTUATOR_GAIN_Q] = d->gain_q, p[ACTUATOR_GAIN_U] = d->gain_u;
  p[ACTUATOR_GAIN] = d->gain;
  for (int k = 0; k < 3; k++) p[ACTUATOR_BIAS + k] = d->bias[k];
  p[ACTUATOR_LOWER] = cdni_finite_bound(d->lower), p[ACTUATOR_UPPER] = cdni_finite_bound(d->upper);
}

cdn_force cdn_system_add_actuator(cdn_system *system, const char *name, const cdn_actuator_def *def) {
  force_adder a;
  cdn_actuator_def d;
  const char *unreadable = def ? read_actuator_def(&d, def) : "no def is given: start with cdn_default_actuator_def()";
  cdni_force_begin(&a, system, FORCE_ACTUATOR, __func__, name);
  if (unreadable) {
    cdni_adder_refuse(&a.by, def ? CDN_ERR_VERSION : CDN_ERR_ARG, "%s", unreadable);
    return (cdn_force){ -1 };
  }
  actuator e = { .control = d.control, .gear = d.gear, .q = -1 };
  e.at = cdni_force_check_mobility(&a, d.body, d.mobility);
  cdni_adder_check_there(&a.by, "control", d.control.i, cdn_system_control_count(system));
  if (a.by.ok && !(d.gear != 0 && isfinite(d.gear)))
    cdni_adder_refuse(&a.by, CDN_ERR_ARG, "its gear is %g: it must be a number other than zero", d.gear);
  double p[ACTUATOR_PARAMS];
  put_params(p, &d);
  e.at.q = -1;
  if (a.by.ok && cdn_body_nq(system, d.body) == 1) e.q = cdni_force_check_coordinate(&a, d.body, 0).q;
  if (a.by.ok && (d.bias[1] != 0 || d.gain_q != 0)) {
    /* q are counted from the joint's first, and so are u; a u that is the rate of no q has no coordinate */
    const int extra = cdn_body_nq(system, d.body) - cdn_body_nu(system, d.body);
    const force_mobility at = cdni_force_check_coordinate(&a, d.body, d.mobility + extra);
    e.at.q = e.q = at.q;
  }
  return cdni_force_add(&a, &e, p);
}

cdn_status cdn_actuator_set(cdn_state *state, cdn_force force, double gain, const double bias[3], double lower,
                            double upper) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const double *now = cdni_force_params(state, force, FORCE_ACTUATOR);
  cdn_actuator_def d = { .gain = gain, .lower = lower, .upper = upper };
  double p[ACTUATOR_PARAMS];
  for (int k = 0; k < 3; k++) d.bias[k] = bias ? bias[k] : now ? now[ACTUATOR_BIAS + k] : 0;
  if (now) d.gain_q = now[ACTUATOR_GAIN_Q], d.gain_u = now[ACTUATOR_GAIN_U];
  put_params(p, &d);
  return cdni_force_set(state, force, FORCE_ACTUATOR, __func__, p);
}

/* ---- reading ---- */

cdn_status cdni_force_read_actuator(cdn_state *state, cdn_force force, bool moves, force_actuator *out) {
  const force_room *room = cdni_forces(cdn_state_system(state));
  const force_batch b = cdni_force_batch(room, state, FORCE_ACTUATOR, NULL);
  const int i = CDNI_AT(room->elements, force_element, force.i).index;
  const actuator *e = (const actuator *)b.elements + i;
  const double *q, *u;
  double f;
  CDNI_TRY(force_q(&b, state, &q));
  *out = (force_actuator){ .control = e->control, .gear = e->gear, .u = b.room->first_u + e->at.u };
  if (e->q >= 0) out->length = e->gear * q[e->q];
  if (!moves) return CDN_OK;
  CDNI_TRY(force_u(&b, state, &u));
  CDNI_TRY(law_of(&b, i, state, &out->signal, &f));
  const double *p = b.params + ACTUATOR_PARAMS * i;
  out->rate = e->gear * u[e->at.u];
  out->force = actuator_limited(p, f) / e->gear;
  out->by_signal =
      (p[ACTUATOR_GAIN] + p[ACTUATOR_GAIN_Q] * (e->at.q >= 0 ? q[e->at.q] : 0) + p[ACTUATOR_GAIN_U] * u[e->at.u]) /
      e->gear;
  out->lower = p[ACTUATOR_LOWER] / e->gear, out->upper = p[ACTUATOR_UPPER] / e->gear;
  if (e->gear < 0) {
    const double lower = out->upper;
    out->upper = out->lower, out->lower = lower;
  }
  out->rest = f / e->gear - out->by_signal * out->signal;
  return CDN_OK;
}

bool cdni_force_is_actuator(const cdn_system *system, cdn_force force) {
  const force_room *room = cdni_forces(system);
  return room && force.i >= 0 && (size_t)force.i < room->elements.count &&
         CDNI_AT(room->elements, force_element, force.i).kind == FORCE_ACTUATOR;
}

cdn_control cdni_force_actuator_control(const cdn_system *system, cdn_force force) {
  const force_room *room = cdni_forces(system);
  const force_element *e = &CDNI_AT(room->elements, force_element, force.i);
  return CDNI_AT(room->sets[FORCE_ACTUATOR].elements, actuator, e->index).control;
}
