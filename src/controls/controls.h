/* Functions and types of the controls room for the rooms above it, beyond the public header. */
#ifndef CARDAN_CONTROLS_CONTROLS_H
#define CARDAN_CONTROLS_CONTROLS_H

#include <cardan/controls.h>

#include "system/adding.h"

typedef struct control_room control_room;

/* The controls of a System, NULL if it has none. */
const control_room *cdni_controls(const cdn_system *system);
/* The parameter array of the values that the user wrote: one number per control. */
cdn_dvar cdni_controls_variable(const control_room *room);
/* What the values in effect of all controls are computed from. */
cdn_ticket cdni_controls_limits(const control_room *room);
/* The control with this ticket; { -1 }: there is none. O(log controls). */
cdn_control cdni_control_of_ticket(const control_room *room, cdn_ticket ticket);
/* The values in effect of all lanes of a State, 1 for a State without lanes. The control's ticket must be a
 * prerequisite of the caller. `room`: the System's controls. */
cdn_status cdni_control_values(const control_room *room, cdn_state *state, cdn_control control, int lanes,
                               double *values);
/* The value in effect and its first two time derivatives. The derivatives are 0 where a limit holds the value, and
 * for a control that the program writes. The control's ticket must be a prerequisite of the caller.
 * CDN_ERR_UNSUPPORTED if the control follows a measure. */
cdn_status cdni_control_rates(cdn_state *state, cdn_control control, double value_and_rates[3]);
/* Whether the rates of a control are known; true if there is no such control. */
bool cdni_control_has_rates(const cdn_system *system, cdn_control control);
/* Whether a control varies with t, q, u or z other than as a function of t: it follows a measure of such values. */
bool cdni_control_feeds_back(const cdn_system *system, cdn_control control);
/* Values at[0] < at[1] about that of a control, within its limits, for differences by it; equal: it has no effect, or
 * follows a source. */
cdn_status cdni_control_sides(cdn_state *state, cdn_control control, double at[2]);

/* The source that a control follows. */
typedef struct control_source control_source;
struct control_source {
  const char *word;  /* "samples", "a function", "measure 'x'" is put together by describe */
  cdn_ticket ticket; /* the entry that the value is computed from */
  bool feeds_back;   /* the value varies with other variables than t and what steps keep */
  cdn_status (*calc)(const control_source *source, cdn_state *state, double *value);
  /* The first two time derivatives of the value; NULL: they are not known. */
  cdn_status (*calc_rates)(const control_source *source, cdn_state *state, double rates[2]);
  double (*next_stop)(const control_source *source, double t); /* may be NULL */
  void (*describe)(const control_source *source, const cdn_system *system, char *text, size_t size);
  void (*destroy)(const control_source *source, const cdn_allocator *a); /* may be NULL */
  const void *data;
  int index, component;
};
/* Makes the control follow a copy of the source. Returns false, with a building error, if that is not possible: then
 * the caller keeps the source. */
bool cdni_control_follow(cdn_system *system, const char *function, cdn_control control, const control_source *source);
/* For refusals that name the control. */
cdni_adder cdni_control_adder(cdn_system *system, const char *function, cdn_control control);

#endif
