/* What replays in pages and in files share. Private to the room. */
#ifndef CARDAN_VIEW_REPLAY_PARTS_H
#define CARDAN_VIEW_REPLAY_PARTS_H

#include "view/internal.h"
#include "view/replay.h"

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
} replay;

/* Begins one and tells the opening. */
cdn_status cdni_replay_begin(replay *r, cdn_view *view, const cdni_replayed *runs, int n);
void cdni_replay_end(replay *r);
cdn_status cdni_replay_send_status(const replay *r);

#endif
