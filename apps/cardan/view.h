/* What the parts of `cardan view` share: a live run, and a replay. */
#ifndef VIEW_H
#define VIEW_H

#include "command.h"

typedef struct view_arguments {
  model_arguments model;
  text_list runs;
  double port, speed, accuracy, step;
  const char *host, *method_name, *record;
  cdn_method method;
  bool no_browser, paused, as_fast, no_companion, no_assemble;
  text_list locks;
} view_arguments;

/* ---- view.c ---------------------------------------------------------------------------------- */

/* Tells where the page is, and opens it in a browser where there is a display. */
void announce(const view_arguments *a, const char *address);

#endif
