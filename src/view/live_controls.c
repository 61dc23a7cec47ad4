/* Tables of controls (docs/controls.md): of those that people set while a run goes, and of those that it takes. Where
 * one is written, controls change at ends of steps alone, and no later step ends because of it: so who takes the table
 * again takes the same steps. */
#include "view/live.h"

static cdn_status close_table(live *l) {
  const cdn_status status = l->table ? cdn_trajectory_close(l->table) : CDN_OK;
  l->table = NULL;
  return status;
}

void cdni_live_begin_table(live *l) {
  const char *name = l->view->record_controls;
  char text[600];
  (void)!close_table(l);
  if (!name) return;
  cdn_state *state = cdni_live_shown(l);
  const cdn_trajectory_def def = cdni_control_record_def();
  cdn_status status = cdn_trajectory_open(state, &def, name, &l->table);
  if (status == CDN_OK) status = cdn_trajectory_row(l->table, state, NULL);
  if (status == CDN_OK) status = cdn_table_flush(cdn_trajectory_table(l->table));
  if (status == CDN_OK) return;
  snprintf(text, sizeof text, "the controls could not be recorded: %.500s", cdn_last_error_text());
  (void)!close_table(l);
  (void)!cdni_view_say(l->view, cdn_state_time(state), "error", text);
}

void cdni_live_end_table(live *l, const char *why) {
  char text[600];
  if (!l->table) return;
  if (close_table(l) != CDN_OK && !why) why = "not all of it could be written";
  if (!why) return;
  snprintf(text, sizeof text, "the record of controls ends here, as %s: %.400s has them up to now", why,
           l->view->record_controls);
  (void)!cdni_view_say(l->view, cdn_state_time(cdni_live_shown(l)), "warning", text);
}

/* ---- the table that the run takes ---- */

void cdni_live_begin_controls(live *l, cdn_state *state) {
  cdn_view *v = l->view;
  cdn_error error;
  if (!v->controls) return;
  if (cdni_control_table_begin(v->controls, state) != CDN_OK) {
    cdn_last_error(&error);
    (void)!cdni_view_say(v, cdn_state_time(state), "error", error.text);
    cdni_control_table_close(v->controls);
    v->controls = NULL;
  }
  l->taken = cdni_control_table_rows(v->controls);
  v->stale = true;
}

/* A row of the table that is written. */
static void write_row(live *l) {
  if (!l->table) return;
  if (cdn_trajectory_row(l->table, cdni_live_shown(l), NULL) != CDN_OK ||
      cdn_table_flush(cdn_trajectory_table(l->table)) != CDN_OK)
    cdni_live_end_table(l, "a row could not be written");
}

void cdni_live_see_controls(live *l) {
  const double taken = cdni_control_table_rows(l->view->controls);
  if (taken == l->taken) return;
  l->taken = taken;
  l->view->stale = true;
  write_row(l);
}

/* Who moves a slider has the control. */
static void take_over(live *l, const json_t *request) {
  char text[300];
  int index;
  const cdn_system *system = l->view->picture.system;
  if (!l->view->controls || !cdni_request_index(l->view, request, "index", cdn_system_control_count(system), &index) ||
      !cdni_control_table_release(l->view->controls, (cdn_control){ index }))
    return;
  snprintf(text, sizeof text, "control '%.100s' was set by hand: until a reset the table sets it no more",
           cdn_control_name(system, (cdn_control){ index }));
  (void)!cdni_view_say(l->view, cdn_state_time(cdni_live_shown(l)), "event", text);
}

/* ---- what pages set ---- */

/* Where the run already is, or to the end of the step in which it is shown. No step is taken. */
static void come_to(live *l, double time) {
  while (l->stepper && cdn_stepper_advance(l->stepper, time, NULL) == CDN_ERR_LIMIT) continue;
}

const char *cdni_live_set_control(live *l, const json_t *request) {
  bool known;
  cdn_certificate c;
  cdn_state *state = cdni_live_edit(l);
  if (l->table && l->stepper && cdn_stepper_certificate(l->stepper, &c) == CDN_OK &&
      c.time_final > cdn_state_time(state))
    come_to(l, c.time_final);
  const char *error = cdni_view_answer(l->view, state, "control", request, &known);
  if (error) return error;
  take_over(l, request);
  if (!l->table) return NULL;
  write_row(l);
  come_to(l, cdn_state_time(state)); /* takes it in */
  return NULL;
}
