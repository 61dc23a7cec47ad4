/* The loop that pages steer: a run in real time or at another speed, its past, and what people change while it goes.
 * Private to the room. */
#ifndef CARDAN_VIEW_LIVE_H
#define CARDAN_VIEW_LIVE_H

#include <stdio.h>

#include <cardan/trajectory.h>

#include "view/drag.h"
#include "view/history.h"

typedef enum live_state { LIVE_RUNNING, LIVE_PAUSED, LIVE_FAILED, LIVE_ENDED } live_state;

typedef struct live {
  cdn_view *view;
  cdn_stepper_def def;
  cdn_stepper *stepper; /* NULL: `now` is where the next one begins */
  cdn_state *now;       /* what is shown without a stepper, or of the past */
  bool of_the_past;     /* `now` is shown, and the stepper is later */
  live_state state;
  double speed;
  int64_t steps_left; /* that were asked for while it stands still */
  view_history past;
  view_drag drag;
  cdn_status status; /* of the run */
  int pages;         /* in the last turn */
  bool awaits;       /* the run has not begun: no page has drawn the model */

  /* Real time. */
  double next_keep;                 /* by the clock: when a State may be kept again */
  double last_turn;                 /* by the clock */
  double window_clock, window_time; /* where the present measurement of the speed began */
  double reached;                   /* NaN: not measured yet */
  double last_message;              /* by the clock: of an event */
  int messages;                     /* of events since then */
  char note[1024];                  /* "" : there is none */

  /* Recording. */
  cdn_trajectory *trajectory;
  double last_row;
  char recording[512];
  int recordings;
  cdn_trajectory *table;
  double taken; /* rows of the table that the run takes, which have been seen */
} live;

/* ---- live.c ---- */

cdn_status cdni_live_open(cdn_view *view, const cdn_stepper_def *def, live **out);
void cdni_live_close(live *l);
/* One turn: answers requests, advances by the time that has passed, sends a frame. Returns how long the loop may wait
 * for a request, s. */
double cdni_live_turn(live *l);
/* The State that is shown. */
cdn_state *cdni_live_shown(live *l);
/* The State from which the run goes on: what is later is forgotten. */
cdn_state *cdni_live_edit(live *l);
/* The same, without a stepper: its pose may be changed. */
cdn_state *cdni_live_pose(live *l);
/* Makes sure that there is a stepper. */
cdn_status cdni_live_begin(live *l);
void cdni_live_fail(live *l, cdn_status status);
/* Continues from the present State by another def; on failure the old one stays. */
const char *cdni_live_change(live *l, cdn_stepper_def def);

/* ---- live_advance.c ---- */

/* Advances to a time, or as far as it comes until the clock shows `deadline`. */
void cdni_live_advance(live *l, double time, double deadline);
/* Takes the steps that were asked for. */
void cdni_live_step(live *l, double deadline);

/* ---- live_requests.c ---- */

void cdni_live_answer_all(live *l);

/* ---- live_model.c ---- */

/* Goes on with another law of contact: with another System, from the same q and u. */
const char *cdni_live_change_contact(live *l, int contact);

/* ---- live_status.c ---- */

void cdni_live_numbers(live *l, view_run_numbers *out);
cdn_status cdni_live_send_status(live *l);

/* ---- live_controls.c: the table of controls that is written, and the one that is taken ---- */

/* Begins the one that is written, or begins it anew: the run is at its start. */
void cdni_live_begin_table(live *l);
/* Ends it, and says why, unless that is NULL. */
void cdni_live_end_table(live *l, const char *why);
/* A stepper will begin at this State: sets its controls by the table that is taken. A table that cannot be read is no
 * longer taken, and it is said why. */
void cdni_live_begin_controls(live *l, cdn_state *state);
/* After the run was advanced: a row that was taken is seen, and written. */
void cdni_live_see_controls(live *l);
/* What pages ask for: sets a control, and writes the row. */
const char *cdni_live_set_control(live *l, const json_t *request);

/* ---- live_record.c ---- */

const char *cdni_live_record(live *l, bool on);
/* A row of the State that is shown, if a recording is on and the State is later than the last row. */
void cdni_live_write_row(live *l);

#endif
