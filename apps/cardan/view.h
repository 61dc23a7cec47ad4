/* What the parts of `cardan view` share: a live run, and a replay. */
#ifndef VIEW_H
#define VIEW_H

#include <cardan/view.h>

#include "command.h"

typedef struct view_arguments {
  model_arguments model;
  text_list runs, summaries;
  double port, speed, accuracy, step, duration;
  const char *host, *method_name, *record, *controls, *record_controls, *html, *checkpoint, *token;
  cdn_method method;
  bool no_browser, paused, as_fast, no_companion, no_assemble;
  text_list locks;
} view_arguments;

/* ---- view.c ---------------------------------------------------------------------------------- */

/* Tells where the page is, and opens it in a browser where there is a display. */
void announce(const view_arguments *a, const char *address);
/* Ctrl-C ends the view. */
void catch_stop(cdn_view *view);
/* Says what the library's last failure was; returns the exit code for it. */
int complain_last(const char *doing);

/* ---- view_replay.c ------------------------------------------------------------------------------ */

/* Runs of files, or the model as it stands, in pages or in a file. */
int view_replay(const view_arguments *a);
/* The run of a checkpoint, with its model and options. */
int view_checkpoint(const view_arguments *a);

#endif
