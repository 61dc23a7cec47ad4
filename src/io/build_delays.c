/* What a spec says of delays and sampling: of controls, which actuators then read late, and of sensors. */
#include <math.h>
#include <stdio.h>

#include "io/build.h"

enum { MOST = 65536 }; /* samples that measures keep */

static cdn_status refuse(const io_builder *b, const io_lag *lag, const char *wrong) {
  return io_fail(b->log, lag->line > 0 ? CDN_ERR_PARSE : CDN_ERR_ARG, lag->line, "%s '%.60s': %s", lag->of, lag->name,
                 wrong);
}

cdn_status io_check_lag(const io_builder *b, const io_lag *lag) {
  if (!(lag->delay >= 0) || isinf(lag->delay)) return refuse(b, lag, "its delay must be a number, not below zero");
  if (!(lag->period >= 0) || isinf(lag->period)) return refuse(b, lag, "its period must be a number, not below zero");
  if (isnan(lag->phase) || lag->phase > 0 || (lag->period > 0 && lag->phase <= -lag->period))
    return refuse(b, lag, "its phase must be above minus the period, and not above zero");
  if (lag->samples < 0 || lag->samples > MOST) return refuse(b, lag, "it keeps 0 to 65536 samples");
  if ((unsigned)lag->interpolation > CDN_INTERPOLATE_CUBIC)
    return refuse(b, lag, "its interpolation is not one of cdn_interpolation");
  return CDN_OK;
}

/* As MuJoCo keeps it in equal steps. */
static cdn_measure add_record(io_builder *b, cdn_measure operand, const io_lag *lag, const char *name) {
  const double fixed = b->model->options.fixed_step, step = fixed > 0 ? fixed : b->spec->whole.solver.timestep;
  cdn_record_def def = cdn_default_record_def();
  def.name = name, def.operand = operand;
  def.delay = lag->delay, def.period = lag->period, def.phase = lag->phase, def.step = step;
  def.interpolation = lag->interpolation;
  const double needed = ceil(lag->delay / fmax(step, lag->period) * (1 - 1e-12));
  def.samples = lag->samples > 0 ? lag->samples : (int)fmin(fmax(needed, 1), MOST);
  return cdn_system_add_record_measure(b->system, &def);
}

/* Room for jumps: those of samples, and those of a control that a program writes in its own steps. */
static int room_for(const cdn_delay_def *def, const io_lag *lag) {
  const double jumps = fmax(lag->samples, lag->period > 0 ? lag->delay / lag->period : 0);
  return (int)fmin(fmax(def->capacity, 16 + 16 * jumps), MOST);
}

static cdn_measure add_exact(io_builder *b, cdn_measure operand, const io_lag *lag, const char *name) {
  static const double zeros[CDN_MEASURE_MOST];
  char held[256];
  snprintf(held, sizeof held, "%.200s sampled", lag->name);
  if (lag->period > 0) {
    const double first = lag->phase == 0 ? 0 : lag->phase + lag->period;
    operand =
        cdn_system_add_sample_hold_measure(b->system, lag->delay > 0 ? held : name, operand, lag->period, first, zeros);
  }
  if (!(lag->delay > 0)) return operand;
  cdn_delay_def def = cdn_default_delay_def();
  def.name = name, def.operand = operand;
  def.delay = lag->delay, def.history = zeros, def.capacity = room_for(&def, lag);
  return cdn_system_add_delay_measure(b->system, &def);
}

cdn_measure io_add_late(io_builder *b, cdn_measure operand, const io_lag *lag, const char *name) {
  const bool as_file = b->model->options.solving == CDN_MODEL_SOLVE_AS_FILE;
  return as_file ? add_record(b, operand, lag, name) : add_exact(b, operand, lag, name);
}

cdn_control io_add_late_control(io_builder *b, cdn_control control, const io_lag *lag) {
  char now[256], late[256];
  cdn_control_def def = cdn_default_control_def();
  snprintf(now, sizeof now, "%.200s now", lag->name);
  snprintf(late, sizeof late, "%.200s late", lag->name);
  const cdn_measure given = cdn_system_add_control_measure(b->system, now, control);
  const cdn_measure measure = io_add_late(b, given, lag, late);
  const cdn_spec_actuator *a = io_spec_actuator(b->spec, cdn_spec_find(b->spec, CDN_SPEC_ACTUATOR, lag->name));
  def.name = late, def.unit = a->unit;
  def.lower = a->control_lower, def.upper = a->control_upper;
  const cdn_control made = cdn_system_add_control(b->system, &def);
  cdn_control_follow_measure(b->system, made, measure, 0);
  return made;
}
