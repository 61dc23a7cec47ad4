/* Controls and measures: the value of a control as a measure, and controls that follow measures. */
#include <stdio.h>

#include "controls/controls.h"
#include "measures/internal.h"

typedef struct of_control {
  measure base;
  cdn_control control;
} of_control;

/* A control may follow any measure that is known before forces are, so the measure of a control has the force stage. */
static cdn_stage stage(const measure *m, int order) {
  (void)m, (void)order;
  return CDN_STAGE_FORCE;
}

static void depend(const measure *m, int order, cdn_declarer *d, cdn_cache entry) {
  (void)order;
  cdni_declare_prerequisite(d, entry, cdn_control_ticket(m->system, ((const of_control *)m)->control));
}

static cdn_status value(const measure *m, cdn_state *state, int order, double *out) {
  (void)order;
  return cdn_control_value(state, ((const of_control *)m)->control, out);
}

static const measure_kind control_kind = {
  .name = "control", .size = sizeof(of_control), .stage = stage, .depend = depend, .value = value
};

cdn_measure cdn_system_add_control_measure(cdn_system *system, const char *name, cdn_control control) {
  cdni_adder a;
  of_control c = { .base = { .n = 1, .operand = { -1 } }, .control = control };
  cdni_measure_begin(&a, system, "cdn_system_add_control_measure", name);
  cdni_adder_check_there(&a, "control", control.i, cdn_system_control_count(system));
  return cdni_measure_add(&a, &control_kind, &c.base);
}

/* ---- following ---- */

static cdn_status calc(const control_source *s, cdn_state *state, double *value) {
  const double *x = cdn_measure_value(state, (cdn_measure){ s->index });
  if (!x) return cdni_state_last_status(state);
  *value = x[s->component];
  return CDN_OK;
}

static void describe(const control_source *s, const cdn_system *system, char *text, size_t size) {
  snprintf(text, size, "measure '%s'[%d]", cdn_measure_name(system, (cdn_measure){ s->index }), s->component);
}

void cdn_control_follow_measure(cdn_system *system, cdn_control control, cdn_measure id, int component) {
  if (cdni_system_refuses(system, __func__)) return;
  const measure *m = cdni_measure_at(system, id);
  if (!m || component < 0 || component >= m->n) {
    cdni_adder by = cdni_control_adder(system, __func__, control);
    cdni_adder_refuse(&by, CDN_ERR_ARG,
                      m ? "measure '%s' has no number %d: it has %d" : "there is no measure '%s'%.0d%.0d",
                      m ? cdni_measure_name(m) : "", m ? component : 0, m ? m->n : 0);
    return;
  }
  const control_source source = { .word = "a measure",
                                  .ticket = cdn_measure_ticket(system, id),
                                  .feeds_back = m->kind->stage != cdni_measure_stage_time, /* else t and memory alone */
                                  .calc = calc,
                                  .describe = describe,
                                  .index = id.i,
                                  .component = component };
  (void)!cdni_control_follow(system, __func__, control, &source);
}
