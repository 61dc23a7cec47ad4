/* A trajectory of what is shown, in a file. */
#include <errno.h>
#include <math.h>

#include "view/live.h"

/* NULL, or what went wrong. */
static const char *close_recording(live *l) {
  const cdn_status status = l->trajectory ? cdn_trajectory_close(l->trajectory) : CDN_OK;
  l->trajectory = NULL;
  return status == CDN_OK ? NULL : cdni_view_refuse_last(l->view);
}

/* The name of the view, with a number before the ending from the second one on; never a file that is there. */
static bool make_file(live *l) {
  FILE *file = NULL;
  const char *name = l->view->recording, *slash = strrchr(name, '/'), *dot = strrchr(name, '.');
  const int stem = (int)(dot && (!slash || dot > slash) ? dot - name : (ptrdiff_t)strlen(name));
  for (int tries = 0; tries < 1000; tries++) {
    if (l->recordings == 0) snprintf(l->recording, sizeof l->recording, "%s", name);
    else snprintf(l->recording, sizeof l->recording, "%.*s-%d%s", stem, name, l->recordings + 1, name + stem);
    l->recordings++;
    file = fopen(l->recording, "wx");
    if (file || errno != EEXIST) break;
  }
  return file && fclose(file) == 0;
}

const char *cdni_live_record(live *l, bool on) {
  if (on == (l->trajectory != NULL)) return NULL;
  if (!on) return close_recording(l);
  cdn_trajectory_def def = cdn_default_trajectory_def();
  def.controls = def.all_measures = true;
  if (!make_file(l)) return cdni_view_refuse(l->view, "%s: could not be written: %s", l->recording, strerror(errno));
  cdn_state *state = cdni_live_shown(l);
  if (cdn_trajectory_open(state, &def, l->recording, &l->trajectory) != CDN_OK) return cdni_view_refuse_last(l->view);
  l->last_row = -INFINITY;
  cdni_live_write_row(l);
  return NULL;
}

void cdni_live_write_row(live *l) {
  cdn_state *state = cdni_live_shown(l);
  const double time = cdn_state_time(state);
  if (!l->trajectory || l->of_the_past || !(time > l->last_row)) return;
  l->last_row = time;
  if (cdn_trajectory_row(l->trajectory, state, NULL) == CDN_OK) return;
  (void)!cdni_view_say(l->view, time, "error", cdni_view_refuse_last(l->view));
  (void)close_recording(l);
}
