/* The progress line: drawn over itself on a terminal, absent everywhere else. */
#define _POSIX_C_SOURCE 200809L
#include "simulate.h"

#include <math.h>
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
  p.started = now;
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

void progress_update(progress *p, double t, double step) {
  if (!p->shown) return;
  double now = wall_clock();
  if (now - p->last_update < 0.1) return;
  p->last_update = now;
  p->on_screen = true;
  double elapsed = now - p->started;
  double speed = elapsed > 0 ? (t - p->t0) / elapsed : 0;
  char left[32];
  time_left_text(speed > 0 ? (p->t_end - t) / speed : INFINITY, left);
  fprintf(stderr, "\r\x1b[K%s %3.0f%%  t = %.4g of %.4g s  step %.1e s  %.3g x real time  %s left", p->label,
          floor(100 * (t - p->t0) / (p->t_end - p->t0)), t, p->t_end, step, speed, left);
  fflush(stderr);
}

void progress_erase(progress *p) {
  if (!p->on_screen) return;
  fputs("\r\x1b[K", stderr);
  fflush(stderr);
  p->on_screen = false;
}
