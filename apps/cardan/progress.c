/* The progress line: drawn over itself on a terminal, absent everywhere else. And a word where there is no progress. */
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double wall_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

progress progress_begin(const char *label, double t0, double t_end, bool quiet) {
  double now = wall_clock();
  progress p = { .shown = !quiet && isatty(STDERR_FILENO), .label = label, .t0 = t0, .t_end = t_end };
  p.quiet = quiet;
  p.looked_t = t0;
  p.started = p.looked = now;
  p.last_update = now - 1;
  return p;
}

/* "42 s", "3:07", "2:05:00"; "?" where nobody can tell. */
static const char *time_left_text(double seconds, char text[32]) {
  if (!isfinite(seconds) || seconds > 1e7) snprintf(text, 32, "?");
  else if (seconds < 60) snprintf(text, 32, "%.0f s", ceil(seconds));
  else if (seconds < 3600) snprintf(text, 32, "%d:%02d", (int)seconds / 60, (int)seconds % 60);
  else snprintf(text, 32, "%d:%02d:%02d", (int)seconds / 3600, (int)seconds / 60 % 60, (int)seconds % 60);
  return text;
}

/* Whether the line is due; *elapsed is the time since the beginning. */
static bool is_due(progress *p, double *elapsed) {
  if (!p->shown) return false;
  const double now = wall_clock();
  if (now - p->last_update < 0.1) return false;
  p->last_update = now;
  p->on_screen = true;
  *elapsed = now - p->started;
  return true;
}

void progress_update(progress *p, double t, double step) {
  double elapsed;
  if (!is_due(p, &elapsed)) return;
  double speed = elapsed > 0 ? (t - p->t0) / elapsed : 0;
  char left[32];
  time_left_text(speed > 0 ? (p->t_end - t) / speed : INFINITY, left);
  fprintf(stderr, "\r\x1b[K%s %3.0f%%  t = %.4g of %.4g s  step %.1e s  %.3g x real time  %s left", p->label,
          floor(100 * (t - p->t0) / (p->t_end - p->t0)), t, p->t_end, step, speed, left);
  fflush(stderr);
}

void progress_count(progress *p, double done, double all, const char *what) {
  double elapsed;
  if (done == 0 || !is_due(p, &elapsed)) return;
  char left[32];
  time_left_text(elapsed / done * (all - done), left);
  fprintf(stderr, "\r\x1b[K%s %3.0f%%  %.0f of %.0f %s  %s left", p->label, floor(100 * done / all), done, all, what,
          left);
  fflush(stderr);
}

void progress_erase(progress *p) {
  if (!p->on_screen) return;
  fputs("\r\x1b[K", stderr);
  fflush(stderr);
  p->on_screen = false;
}

/* ---- a run that gets nowhere ------------------------------------------------------------------- */

/* Seconds of real time between two looks, and those that are too long for the way that is left. A run may be slow for a
 * look, where contacts crowd: it gets nowhere if it is at so many in a row. */
static const double LOOK = 3, TOO_LONG = 2 * 86400.0;
enum { SLOW_LOOKS = 2 };

static void add_duration(char *text, size_t size, double seconds) {
  const double day = 86400, year = 31557600;
  const size_t used = strlen(text);
  if (!(seconds < 1e6 * year)) snprintf(text + used, size - used, "out of reach");
  else if (seconds < 2 * year) snprintf(text + used, size - used, "some %.2g days away", seconds / day);
  else snprintf(text + used, size - used, "some %.2g years away", seconds / year);
}

/* Bodies that are deep in each other are the most common cause. */
static void add_deepest(char *text, size_t size, cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  cdn_contact deepest = { .depth = 0 }, c;
  int n = 0;
  if (cdn_contact_count(state, &n) != CDN_OK) return;
  for (int i = 0; i < n; i++)
    if (cdn_contact_get(state, i, &c) == CDN_OK && c.depth > deepest.depth) deepest = c;
  if (!(deepest.depth > 0)) return;
  const size_t used = strlen(text);
  snprintf(text + used, size - used, ". Of %d contacts that of '%.60s' and '%.60s' is the deepest, %.2g m", n,
           cdn_shape_name(system, deepest.a), cdn_shape_name(system, deepest.b), deepest.depth);
}

void progress_watch(progress *p, cdn_stepper *stepper) {
  const double now = wall_clock();
  if (p->quiet || p->told || now - p->looked < LOOK) return;
  cdn_state *state = cdn_stepper_state(stepper);
  const double t = cdn_state_time(state), pace = (t - p->looked_t) / (now - p->looked);
  const double left = pace > 0 ? (p->t_end - t) / pace : INFINITY;
  p->looked = now, p->looked_t = t;
  p->slow_looks = left < TOO_LONG ? 0 : p->slow_looks + 1;
  if (p->slow_looks < SLOW_LOOKS) return;
  char text[512];
  cdn_failure f;
  cdn_stepper_failure(stepper, &f);
  progress_erase(p);
  snprintf(text, sizeof text, "after %.0f s the run is at t = %.4g s, and takes steps of %.1e s: t = %.4g s is ",
           now - p->started, t, cdn_stepper_last_step(stepper), p->t_end);
  add_duration(text, sizeof text, left);
  if (f.coordinate[0])
    snprintf(text + strlen(text), sizeof text - strlen(text), ". Most of the error of a step is in %.90s",
             f.coordinate);
  add_deepest(text, sizeof text, state);
  complain("%s. Ctrl-C ends the run and keeps its rows", text);
  p->told = true;
}
