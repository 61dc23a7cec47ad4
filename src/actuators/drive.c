/* Drives: a custom force that reads a control, through an activation, and acts through a transmission. */
#include <cardan/events.h>
#include <stdio.h>

#include "actuators/actuators.h"
#include "actuators/internal.h"
#include "controls/controls.h"
#include "core/sized.h"
#include "system/adding.h"

#define IDENTITY                                   \
  {                                                \
    .R = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } \
  }
/* The numbers of cdn_default_muscle. */
#define MUSCLE                                                                                              \
  {                                                                                                         \
    .range = { 0.75, 1.05 }, .peak = -1, .scale = 200, .lmin = 0.5, .lmax = 1.6, .vmax = 1.5, .fpmax = 1.3, \
    .fvmax = 1.2, .length_range = { 0, 1 }, .acceleration = 1                                               \
  }
CDNI_DEF(drive_def, .control = { -1 }, .X_BS = IDENTITY, .X_RF = IDENTITY, .path = { -1 }, .gear = { 1 },
         .time = { 1, 1 }, .activation_lower = -INFINITY, .activation_upper = INFINITY, .gain = { 1 }, .muscle = MUSCLE,
         .passive = MUSCLE, .lower = -INFINITY, .upper = INFINITY);

const transmission *cdni_transmission(const drive *a) {
  static const transmission *const all[] = { [CDN_ON_JOINT] = &cdni_drive_on_joint,
                                             [CDN_ON_PATH] = &cdni_drive_on_path,
                                             [CDN_ON_FRAME] = &cdni_drive_on_frame,
                                             [CDN_ON_CRANK] = &cdni_drive_on_crank,
                                             [CDN_ON_CONTACTS] = &cdni_drive_on_contacts };
  _Static_assert(CDNI_COUNT(all) == CDN_ON_CONTACTS + 1, "each transmission has its file");
  return all[a->def.on];
}

/* ---- the law ---------------------------------------------------------------------------------- */

static cdn_status ask_user(const drive *a, cdn_state *state, cdn_drive_fn *function, double missing,
                           const cdn_drive_view *view, double *value) {
  *value = missing;
  return function ? function(a->def.user.context, state, view, value) : CDN_OK;
}

/* 0 where the user says nothing. */
static cdn_status ask_slopes(const drive *a, cdn_state *state, cdn_drive_slopes_fn *function,
                             const cdn_drive_view *view, cdn_drive_slopes *slopes) {
  *slopes = (cdn_drive_slopes){ 0, 0, 0 };
  return function ? function(a->def.user.context, state, view, slopes) : CDN_OK;
}

/* da/dt as if there were no limits. */
static cdn_status free_rate(const drive *a, cdn_state *state, double z, double *rate) {
  cdn_drive_view view = { .control = a->def.control, .a = z };
  CDNI_TRY(cdn_control_value(state, a->def.control, &view.c));
  switch (a->def.dynamics) {
    case CDN_ACTUATOR_INTEGRATOR: *rate = view.c; break;
    case CDN_ACTUATOR_FILTER: *rate = (view.c - z) / a->def.time[0]; break;
    case CDN_ACTUATOR_MUSCLE: *rate = cdn_muscle_rate(a->def.time, view.c, z); break;
    default: return ask_user(a, state, a->def.user.rate, 0, &view, rate);
  }
  return CDN_OK;
}

/* What the activation changes by until then, over its rate. */
static double early_part(const cdn_drive_def *d) {
  const bool exact = d->exact_filter && d->dynamics == CDN_ACTUATOR_FILTER;
  return exact ? -d->time[0] * expm1(-d->early / d->time[0]) : d->early;
}

/* Without the limits. */
static cdn_status signal_of(const drive *a, cdn_state *state, double *signal) {
  double rate;
  *signal = cdn_state_zvar(state, a->z)[0];
  if (a->def.early == 0) return CDN_OK;
  CDNI_TRY(free_rate(a, state, *signal, &rate));
  *signal += early_part(&a->def) * rate;
  return CDN_OK;
}

cdn_status cdni_drive_signal(const drive *a, cdn_state *state, double *signal) {
  if (a->def.dynamics == CDN_ACTUATOR_DIRECT) return cdn_control_value(state, a->def.control, signal);
  CDNI_TRY(signal_of(a, state, signal));
  *signal = drive_within(*signal, a->def.activation_lower, a->def.activation_upper);
  return CDN_OK;
}

/* Gain or bias, and how it varies; with the signal that of a user. */
static cdn_status part_of_law(const drive *a, cdn_state *state, bool gain, double signal, const drive_reach *at,
                              muscle_force *out, double *by_signal) {
  const double *x = gain ? a->def.gain : a->def.bias;
  *by_signal = 0;
  switch (gain ? a->def.gain_law : a->def.bias_law) {
    case CDN_LAW_OF_MUSCLE:
      *out = gain ? cdni_muscle_active(&a->def.muscle, at->length, at->rate)
                  : cdni_muscle_passive(&a->def.passive, at->length);
      return CDN_OK;
    case CDN_LAW_OF_USER: {
      cdn_drive_view view = { .control = a->def.control, .a = signal, .length = at->length, .rate = at->rate };
      CDNI_TRY(cdn_control_value(state, a->def.control, &view.c));
      cdn_drive_slopes s;
      CDNI_TRY(ask_slopes(a, state, gain ? a->def.gain_slopes : a->def.bias_slopes, &view, &s));
      *out = (muscle_force){ 0, s.by_length, s.by_rate };
      *by_signal = s.by_a;
      return ask_user(a, state, gain ? a->def.user.gain : a->def.user.bias, gain ? 1 : 0, &view, &out->value);
    }
    default: *out = (muscle_force){ x[0] + x[1] * at->length + x[2] * at->rate, x[1], x[2] }; return CDN_OK;
  }
}

cdn_status cdni_drive_law(const drive *a, cdn_state *state, double signal, drive_action *out) {
  muscle_force gain, bias;
  double gain_by_signal, bias_by_signal;
  CDNI_TRY(part_of_law(a, state, true, signal, &out->at, &gain, &gain_by_signal));
  CDNI_TRY(part_of_law(a, state, false, signal, &out->at, &bias, &bias_by_signal));
  out->signal = signal;
  out->p = gain.value * signal + bias.value;
  out->by_signal = gain.value;
  out->by_activation = gain_by_signal * signal + bias_by_signal;
  out->by_length = gain.by_length * signal + bias.by_length;
  out->by_rate = gain.by_rate * signal + bias.by_rate;
  return CDN_OK;
}

cdn_status cdni_drive_act(const drive *a, cdn_state *state, drive_action *out) {
  double signal;
  *out = (drive_action){ .p = 0 };
  CDNI_TRY(cdni_drive_signal(a, state, &signal));
  CDNI_TRY(cdni_transmission(a)->reach(a, state, true, &out->at));
  CDNI_TRY(cdni_drive_law(a, state, signal, out));
  const double p = drive_within(out->p, a->def.lower, a->def.upper);
  if (p != out->p) out->by_signal = out->by_activation = out->by_length = out->by_rate = 0;
  out->p = p;
  return CDN_OK;
}

static cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *forces) {
  drive_action x;
  CDNI_TRY(cdni_drive_act(self, state, &x));
  return cdni_transmission(self)->push(self, state, &x.at, x.p, forces);
}

/* Of da/dt by a, without limits. */
static cdn_status slope_of_rate(const drive *a, cdn_state *state, double *slope) {
  cdn_drive_view view = { .control = a->def.control, .a = cdn_state_zvar(state, a->z)[0] };
  cdn_drive_slopes s = { 0, 0, 0 };
  CDNI_TRY(cdn_control_value(state, a->def.control, &view.c));
  if (a->def.dynamics == CDN_ACTUATOR_FILTER) s.by_a = -1 / a->def.time[0];
  if (a->def.dynamics == CDN_ACTUATOR_MUSCLE) s.by_a = cdni_muscle_rate_slope(a->def.time, view.c, view.a);
  if (a->def.dynamics == CDN_ACTUATOR_USER) CDNI_TRY(ask_slopes(a, state, a->def.rate_slopes, &view, &s));
  *slope = s.by_a;
  return CDN_OK;
}

static cdn_status calc_derivative(const void *self, cdn_state *state, cdn_force_derivatives *derivatives) {
  const drive *a = self;
  drive_action x;
  CDNI_TRY(cdni_drive_act(a, state, &x));
  CDNI_TRY(cdni_transmission(a)->vary(a, state, &x, derivatives));
  if (a->def.dynamics == CDN_ACTUATOR_DIRECT) return CDN_OK;
  double signal, slope;
  CDNI_TRY(signal_of(a, state, &signal));
  CDNI_TRY(slope_of_rate(a, state, &slope));
  if (signal != drive_within(signal, a->def.activation_lower, a->def.activation_upper)) return CDN_OK;
  cdn_forces *by_z = cdn_force_derivatives_wrt_z(derivatives, a->z, 0);
  const double part = 1 + early_part(&a->def) * slope;
  return by_z ? cdni_transmission(a)->push(a, state, &x.at, part * (x.by_signal + x.by_activation), by_z) : CDN_OK;
}

/* Of da/dt by the control, without limits. */
static cdn_status rate_by_control(const drive *a, cdn_state *state, double *slope) {
  double control;
  CDNI_TRY(cdn_control_value(state, a->def.control, &control));
  const double z = cdn_state_zvar(state, a->z)[0];
  switch (a->def.dynamics) {
    case CDN_ACTUATOR_INTEGRATOR: *slope = 1; break;
    case CDN_ACTUATOR_FILTER: *slope = 1 / a->def.time[0]; break;
    case CDN_ACTUATOR_MUSCLE: *slope = cdni_muscle_rate_by_control(a->def.time, control, z); break;
    default: *slope = 0; break;
  }
  return CDN_OK;
}

/* The force depends on the control by its signal alone. */
static cdn_status calc_control_derivative(const void *self, cdn_state *state, cdn_control control, cdn_forces *out) {
  const drive *a = self;
  drive_action x;
  double signal, part = 1;
  (void)control;
  if (a->def.dynamics != CDN_ACTUATOR_DIRECT && a->def.early == 0) return CDN_OK;
  CDNI_TRY(cdni_drive_act(a, state, &x));
  if (a->def.dynamics != CDN_ACTUATOR_DIRECT) {
    CDNI_TRY(signal_of(a, state, &signal));
    if (signal != drive_within(signal, a->def.activation_lower, a->def.activation_upper)) return CDN_OK;
    CDNI_TRY(rate_by_control(a, state, &part));
    part *= early_part(&a->def);
  }
  return cdni_transmission(a)->push(a, state, &x.at, part * (x.by_signal + x.by_activation), out);
}

/* ---- the activation --------------------------------------------------------------------------- */

/* What a step has carried beyond a limit goes back to it. */
static cdn_status hold_within(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const drive *a = self;
  const double z = cdn_state_zvar(state, a->z)[0];
  const double within = drive_within(z, a->def.activation_lower, a->def.activation_upper);
  (void)what, (void)action;
  return within == z ? CDN_OK : cdn_state_set_zvar(state, a->z, &within);
}

static bool is_limited(const cdn_drive_def *d) {
  return d->dynamics != CDN_ACTUATOR_DIRECT && !(isinf(d->activation_lower) && isinf(d->activation_upper));
}

static cdn_status declare(void *self, cdn_declarer *d) {
  drive *a = self;
  cdn_event_def event = cdn_default_event_def();
  if (a->def.dynamics != CDN_ACTUATOR_DIRECT) a->z = cdn_declare_z(d, 1, NULL);
  if (a->def.dynamics == CDN_ACTUATOR_FILTER && a->def.exact_filter) cdni_declare_z_filter(d, a->z, a->def.time[0]);
  event.kind = CDN_EVENT_STEP, event.handle = hold_within;
  if (is_limited(&a->def)) cdn_declare_event(d, &event);
  if (cdni_control_feeds_back(cdni_declarer_system(d), a->def.control)) cdni_declare_differenced_rates(d);
  return CDN_OK;
}

/* At its limits an activation does not go on; *holds: a limit holds it. */
static cdn_status rate_of(const drive *a, cdn_state *state, double *rate, bool *holds) {
  const double z = cdn_state_zvar(state, a->z)[0];
  CDNI_TRY(free_rate(a, state, z, rate));
  *holds = (z >= a->def.activation_upper && *rate > 0) || (z <= a->def.activation_lower && *rate < 0);
  if (*holds) *rate = 0;
  return CDN_OK;
}

static cdn_status calc_zdot(const void *self, cdn_state *state, double *zdot) {
  bool holds;
  return rate_of(self, state, zdot, &holds);
}

static cdn_status calc_zdot_derivative(const void *self, cdn_state *state, cdn_zdot_derivatives *derivatives) {
  const drive *a = self;
  double rate, slope;
  bool holds;
  CDNI_TRY(rate_of(a, state, &rate, &holds));
  CDNI_TRY(slope_of_rate(a, state, &slope));
  if (!holds && slope != 0) cdn_zdot_derivatives_add_z(derivatives, a->z, 0, a->z, 0, slope);
  return CDN_OK;
}

/* A step ends where the activation meets a limit, and where a rate that leads away from it begins; that of a muscle
 * also where its time constants bend, at 0 and 1. (Where it turns back its rate is 0, and bends by little: a muscle
 * that has arrived would turn in every step.) */
enum { AT_LOWER, AT_UPPER, LEAVES, KINKS_OF_LIMITS, AT_ZERO = KINKS_OF_LIMITS, AT_ONE, KINKS_OF_MUSCLES };
static int count_kinks(const cdn_drive_def *d) {
  if (d->dynamics == CDN_ACTUATOR_MUSCLE) return KINKS_OF_MUSCLES;
  return is_limited(d) ? KINKS_OF_LIMITS : 0;
}

static cdn_status calc_kinks(const void *self, cdn_state *state, double *values, double *rates) {
  const drive *a = self;
  const double z = cdn_state_zvar(state, a->z)[0];
  double rate;
  CDNI_TRY(free_rate(a, state, z, &rate));
  if (!isinf(a->def.activation_lower)) values[AT_LOWER] = z - a->def.activation_lower, rates[AT_LOWER] = rate;
  if (!isinf(a->def.activation_upper)) values[AT_UPPER] = a->def.activation_upper - z, rates[AT_UPPER] = -rate;
  if (z <= a->def.activation_lower || z >= a->def.activation_upper) values[LEAVES] = rate;
  if (a->def.dynamics != CDN_ACTUATOR_MUSCLE) return CDN_OK;
  values[AT_ZERO] = z, rates[AT_ZERO] = rate;
  values[AT_ONE] = 1 - z, rates[AT_ONE] = -rate;
  return CDN_OK;
}

/* ---- the force -------------------------------------------------------------------------------- */

static int more_prerequisites(const void *self, const cdn_system *system, cdn_ticket *tickets) {
  const transmission *t = cdni_transmission(self);
  if (!t->reads) return 0;
  tickets[0] = t->reads(system);
  return tickets[0].i != 0;
}

static void describe(const void *self, const cdn_system *system, cdn_description *d) {
  static const char *const words[] = { "directly", "through an integrator", "through a filter", "as a muscle",
                                       "by a function of a user" };
  const drive *a = self;
  const bool on_path = a->def.on == CDN_ON_PATH;
  cdn_describe(d, cdn_control_name(system, a->def.control), "an actuator on the %s of '%s', driven %s",
               cdni_transmission(a)->word,
               on_path ? cdn_path_name(system, a->def.path) : cdn_body_name(system, a->def.body),
               words[a->def.dynamics]);
}

/* What is wrong with the numbers; NULL: nothing. */
static const char *complaint_of_numbers(const cdn_drive_def *d) {
  const bool filters = d->dynamics == CDN_ACTUATOR_FILTER, is_muscle = d->dynamics == CDN_ACTUATOR_MUSCLE;
  if ((unsigned)d->on > CDN_ON_CONTACTS) return "it acts on none of cdn_transmission";
  if ((unsigned)d->dynamics > CDN_ACTUATOR_USER) return "its dynamics are not one of cdn_actuator_dynamics";
  if ((unsigned)d->gain_law > CDN_LAW_OF_USER || (unsigned)d->bias_law > CDN_LAW_OF_USER)
    return "its gain or its bias is none of cdn_drive_law";
  if (!cdni_all_finite(d->gear, 6, NULL) || !cdni_all_finite(d->gain, 3, NULL) || !cdni_all_finite(d->bias, 3, NULL) ||
      !cdni_all_finite((const double *)&d->X_BS, sizeof d->X_BS / sizeof(double), NULL) ||
      !cdni_all_finite((const double *)&d->X_RF, sizeof d->X_RF / sizeof(double), NULL))
    return "its gear, gain, bias or frame has a NaN or an infinity";
  if ((filters || is_muscle) && (!(d->time[0] > 0) || isinf(d->time[0])))
    return "its time constant must be a number above zero";
  if (is_muscle && (!(d->time[1] > 0) || isinf(d->time[1]) || !(d->time[2] >= 0) || isinf(d->time[2])))
    return "the second time constant of a muscle must be above zero, and the width not below";
  if (!(d->early >= 0) || isinf(d->early)) return "the time that its signal is early must be a number, not below zero";
  if (!(d->activation_lower < d->activation_upper))
    return "the lower limit of its activation must be below the upper one";
  if (!(d->lower < d->upper)) return "the lower limit of its force must be below the upper one";
  const char *wrong = d->gain_law == CDN_LAW_OF_MUSCLE ? cdni_muscle_complaint(&d->muscle) : NULL;
  return !wrong && d->bias_law == CDN_LAW_OF_MUSCLE ? cdni_muscle_complaint(&d->passive) : wrong;
}

/* Whether the derivatives of the user's functions are known: of da/dt; of gain and bias. */
static bool knows_rate(const cdn_drive_def *d) {
  return d->dynamics != CDN_ACTUATOR_USER || !d->user.rate || d->rate_slopes;
}
static bool knows_law(const cdn_drive_def *d) {
  return (d->gain_law != CDN_LAW_OF_USER || !d->user.gain || d->gain_slopes) &&
         (d->bias_law != CDN_LAW_OF_USER || !d->user.bias || d->bias_slopes);
}

static bool has_derivatives(const drive *a) {
  return cdni_transmission(a)->vary && knows_law(&a->def) && (knows_rate(&a->def) || a->def.early == 0);
}

/* A user's functions may read the control besides. */
static bool knows_control(const drive *a) {
  return a->def.gain_law != CDN_LAW_OF_USER && a->def.bias_law != CDN_LAW_OF_USER &&
         (a->def.dynamics != CDN_ACTUATOR_USER || a->def.early == 0);
}

static cdn_force refuse(cdn_system *system, cdn_status code, const char *name, const char *wrong) {
  cdni_system_fail(system, code, "cdn_system_add_drive", name, "actuator '%.60s': %s", name ? name : "", wrong);
  return (cdn_force){ -1 };
}

cdn_force cdn_system_add_drive(cdn_system *system, const char *name, const cdn_drive_def *given) {
  CDNI_NEED_OBJECT(system, (cdn_force){ -1 });
  drive a = { .z = { .group = -1 } };
  const char *wrong = given ? read_drive_def(&a.def, given) : "no def is given: start with cdn_default_drive_def()";
  if (wrong) return refuse(system, given ? CDN_ERR_VERSION : CDN_ERR_ARG, name, wrong);
  wrong = complaint_of_numbers(&a.def);
  if (!wrong && (a.def.control.i < 0 || a.def.control.i >= cdn_system_control_count(system)))
    wrong = "there is no such control: add it before";
  if (!wrong) wrong = cdni_transmission(&a)->check(system, &a);
  if (wrong) return refuse(system, CDN_ERR_ARG, name, wrong);
  const cdn_ticket control = cdn_control_ticket(system, a.def.control);
  const bool has_z = a.def.dynamics != CDN_ACTUATOR_DIRECT;
  const cdn_force_ops ops = {
    .subsystem = { .struct_size = sizeof(cdn_subsystem_ops),
                   .name = name,
                   .self_size = sizeof a,
                   .declare = declare,
                   .calc_zdot = has_z ? calc_zdot : NULL,
                   .calc_zdot_derivative = has_z && knows_rate(&a.def) ? calc_zdot_derivative : NULL,
                   .describe = describe },
    .struct_size = sizeof ops,
    .reads = has_z ? CDN_READS_EVERYTHING : CDN_READS_VELOCITY,
    .calc_force = calc_force,
    .calc_derivative = has_derivatives(&a) ? calc_derivative : NULL,
    .prerequisites = &control,
    .n_prerequisites = 1,
    .n_kinks = count_kinks(&a.def),
    .calc_kinks = calc_kinks,
    .more_prerequisites = more_prerequisites,
    .calc_control_derivative = knows_control(&a) ? calc_control_derivative : NULL,
  };
  return cdn_system_add_custom_force(system, &ops, &a);
}

const drive *cdni_drive_of(const cdn_system *system, cdn_force force) {
  const cdn_subsystem by = cdn_force_subsystem(system, force);
  const bool is_drive = by.i >= 0 && cdni_subsystem_ops(system, by.i)->declare == declare;
  return is_drive ? cdn_subsystem_self(system, by) : NULL;
}

bool cdni_drive_rate_is_known(const cdn_system *system, cdn_subsystem subsystem) {
  if (cdni_subsystem_ops(system, subsystem.i)->declare != declare) return false;
  return ((const drive *)cdn_subsystem_self(system, subsystem))->def.dynamics != CDN_ACTUATOR_USER;
}

cdn_status cdni_drive_rate_by_control(cdn_state *state, cdn_subsystem subsystem, cdn_control *control, double *slope) {
  const drive *a = cdn_subsystem_self(cdn_state_system(state), subsystem);
  double rate;
  bool holds;
  *control = a->def.control;
  CDNI_TRY(rate_of(a, state, &rate, &holds));
  CDNI_TRY(rate_by_control(a, state, slope));
  if (holds) *slope = 0;
  return CDN_OK;
}
