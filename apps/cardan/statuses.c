/* What acts on one side and what rubs: constraints that push or not, dry friction that sticks or slips. */
#include "command.h"

#include <cardan/elements.h>
#include <cardan/hybrid.h>
#include <math.h>
#include <string.h>

static const char *const friction_words[] = {
  [CDN_FRICTION_OFF] = "off", [CDN_FRICTION_STICK] = "sticks", [CDN_FRICTION_SLIP] = "slips"
};

static const char *side_kind(const cdn_system *system, int i) {
  return cdn_element_kind(system, CDN_ELEMENT_ONE_SIDED, i);
}

/* ---- JSON ---- */

static cdn_status print_sides_json(json_writer *w, cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  char label[CDN_LABEL_SIZE];
  for (int i = 0; i < cdn_system_one_sided_count(system); i++) {
    const cdn_one_sided e = { i };
    double gap, push;
    if (cdn_one_sided_is_free(state, e)) continue;
    CDN_TRY(cdn_one_sided_gap(state, e, &gap));
    CDN_TRY(cdn_one_sided_push(state, e, &push));
    cdn_one_sided_text(state, e, label, sizeof label);
    jw_object(w, NULL, true);
    jw_text(w, "name", label);
    jw_text(w, "kind", side_kind(system, i));
    jw_boolean(w, "on", cdn_one_sided_is_on(state, e));
    jw_number(w, "gap", gap);
    jw_number(w, "push", push);
    jw_close(w);
  }
  return CDN_OK;
}

static cdn_status print_frictions_json(json_writer *w, cdn_state *state) {
  char label[CDN_LABEL_SIZE];
  for (int i = 0; i < cdn_system_dry_friction_count(cdn_state_system(state)); i++) {
    const cdn_dry_friction e = { i };
    double force[3] = { 0 };
    if (cdn_dry_friction_is_free(state, e)) continue;
    CDN_TRY(cdn_dry_friction_force(state, e, force));
    cdn_dry_friction_text(state, e, label, sizeof label);
    jw_object(w, NULL, true);
    jw_text(w, "name", label);
    jw_text(w, "status", friction_words[cdn_dry_friction_get_status(state, e)]);
    jw_numbers(w, "force", force, 3);
    jw_close(w);
  }
  return CDN_OK;
}

cdn_status print_statuses_json(json_writer *w, cdn_state *state) {
  jw_array(w, "one_sided", false);
  const cdn_status status = state ? print_sides_json(w, state) : CDN_OK;
  jw_close(w);
  jw_array(w, "frictions", false);
  const cdn_status last = state && status == CDN_OK ? print_frictions_json(w, state) : status;
  jw_close(w);
  return last;
}

/* ---- tables ---- */

static cdn_status print_sides(cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  const int n = cdn_system_one_sided_count(system);
  char a[CDN_NUMBER_SIZE], b[CDN_NUMBER_SIZE], label[CDN_LABEL_SIZE];
  int printed = 0;
  for (int i = 0; i < n; i++) {
    const cdn_one_sided e = { i };
    double gap, push;
    if (cdn_one_sided_is_free(state, e)) continue;
    CDN_TRY(cdn_one_sided_gap(state, e, &gap));
    CDN_TRY(cdn_one_sided_push(state, e, &push));
    cdn_one_sided_text(state, e, label, sizeof label);
    if (printed++ == 0) printf("\n  on one side: status; gap, m or rad; push, N or N m\n");
    printf("  %-6s %16s %16s  %s", cdn_one_sided_is_on(state, e) ? "on" : "off", rounded(gap, a), rounded(push, b),
           visible(label));
    printf(" (%s)\n", side_kind(system, i));
  }
  return CDN_OK;
}

static cdn_status print_frictions(cdn_state *state) {
  const int n = cdn_system_dry_friction_count(cdn_state_system(state));
  char a[CDN_NUMBER_SIZE], label[CDN_LABEL_SIZE];
  int printed = 0;
  for (int i = 0; i < n; i++) {
    const cdn_dry_friction e = { i };
    double force[3] = { 0 };
    if (cdn_dry_friction_is_free(state, e)) continue;
    CDN_TRY(cdn_dry_friction_force(state, e, force));
    cdn_dry_friction_text(state, e, label, sizeof label);
    if (printed++ == 0) printf("\n  dry friction: status; force, N or N m\n");
    printf("  %-6s %16s  %s\n", friction_words[cdn_dry_friction_get_status(state, e)],
           rounded(cdn_norm(cdn_v3(force[0], force[1], force[2])), a), visible(label));
  }
  return CDN_OK;
}

cdn_status print_statuses(cdn_state *state) {
  CDN_TRY(print_sides(state));
  return print_frictions(state);
}

/* ---- of a state that no run has come to ---- */

cdn_status settle_statuses(const model_arguments *arguments, cdn_state *state) {
  const double impacts = cdn_hybrid_get_totals(state).impacts;
  const cdn_system *system = cdn_state_system(state);
  if (cdn_system_one_sided_count(system) + cdn_system_dry_friction_count(system) == 0) return CDN_OK;
  CDN_TRY(cdn_settle(state, 0));
  if (cdn_hybrid_get_totals(state).impacts > impacts && !arguments->quiet)
    complain("bodies meet in this state: the speeds are those after their impact");
  return CDN_OK;
}
