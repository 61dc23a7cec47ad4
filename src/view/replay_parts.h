/* What replays in pages and in files share. Private to the room. */
#ifndef CARDAN_VIEW_REPLAY_PARTS_H
#define CARDAN_VIEW_REPLAY_PARTS_H

#include "view/internal.h"
#include "view/replay.h"

/* The curves of whole runs, for plots: a few places of them are computed in each turn. */
enum { CURVE_PLACES = 2000, CURVE_NUMBERS = 32768 }; /* most of a run: places, and values of all series together */
typedef struct replay_curves {
  cdn_state *state; /* another one than that which is shown */
  double *times, *values;
  int series[VIEW_PLOTS], n_series;
  int run;      /* whose curves are next; as many as there are runs: all are told */
  int n;        /* places of it that are there */
  bool by_rows; /* the places are its rows, else they are evenly spaced */
} replay_curves;

typedef struct replay {
  cdn_view *view;
  const cdni_replayed *runs;
  int n;
  view_run shown[REPLAY_MOST_RUNS];
  cdn_state *state;
  double from, to, time; /* of all runs */
  double speed;
  bool plays;
  bool changed;     /* a frame is to be sent though it stands still */
  double last_turn; /* by the clock */
  replay_curves curves;
} replay;

/* Begins one and tells the opening. */
cdn_status cdni_replay_begin(replay *r, cdn_view *view, const cdni_replayed *runs, int n);
void cdni_replay_end(replay *r);
cdn_status cdni_replay_send_status(const replay *r);

/* ---- replay_curves.c ---- */

cdn_status cdni_curves_make(replay *r);
void cdni_curves_free(replay *r);
/* Tells the curves of the view's plots anew. */
void cdni_curves_begin(replay *r);
/* Computes until the clock shows `deadline`, and sends each run's curves when they are whole. True: more are to
 * come. */
bool cdni_curves_turn(replay *r, double deadline);

#endif
