/* Controls that follow a function of time. */
#include <cardan/functions.h>

#include "controls/controls.h"
#include "matter/custom.h"

static cdn_status evaluate(const control_source *s, cdn_state *state, int order, cdn_function_result *y) {
  const double t = cdn_state_time(state);
  const cdn_status status = cdn_function_calc(s->data, &t, order, y);
  if (status == CDN_OK) return CDN_OK;
  return cdni_state_fail(state, status, false, "cdn_realize", NULL, "a function that a control follows failed: %s",
                         cdn_status_text(status));
}

static cdn_status calc(const control_source *s, cdn_state *state, double *value) {
  cdn_function_result y;
  CDNI_TRY(evaluate(s, state, 0, &y));
  *value = y.value;
  return CDN_OK;
}

static cdn_status calc_rates(const control_source *s, cdn_state *state, double rates[2]) {
  cdn_function_result y;
  CDNI_TRY(evaluate(s, state, 2, &y));
  rates[0] = y.d1[0];
  rates[1] = y.d2[0];
  return CDN_OK;
}

static void describe(const control_source *s, const cdn_system *system, char *text, size_t size) {
  (void)system;
  cdni_function_describe(s->data, text, size);
}

static void destroy(const control_source *s, const cdn_allocator *a) {
  (void)a;
  cdn_function_release(s->data);
}

void cdn_control_follow_function(cdn_system *system, cdn_control control, const cdn_function *f) {
  if (cdni_system_refuses(system, __func__)) return;
  if (!f || cdn_function_n_inputs(f) > 1) {
    cdni_adder by = cdni_control_adder(system, __func__, control);
    cdni_adder_refuse(&by, CDN_ERR_ARG,
                      f ? "its function has %d inputs: time is the only one" : "%.0dno function is given",
                      f ? cdn_function_n_inputs(f) : 0);
    return;
  }
  const control_source source = { .word = "a function",
                                  .ticket = CDN_T,
                                  .calc = calc,
                                  .calc_rates = calc_rates,
                                  .describe = describe,
                                  .destroy = destroy,
                                  .data = f };
  if (cdni_control_follow(system, __func__, control, &source)) cdn_function_retain(f);
}
