/* Grazes: an error of the size of the accuracy would decide whether an event occurs. But at the turn the errors of the
 * run and of its companion may be far smaller. The difference of the values that both have there is about the error of
 * the run, and more than that of its companion. Where it is a small part of the value, the event is decided: it occurs
 * in both or in none, as it does in truth. */
#include <math.h>

#include "integrators/companion.h"
#include "integrators/events_run.h"
#include "integrators/graze.h"
#include "integrators/stepper.h"

/* The largest part of the value by which it may differ. */
static const double DECIDED = 0.5;

static void drop(cdni_grazes *g, int i) {
  g->n--;
  for (int k = i; k < g->n; k++) g->list[k] = g->list[k + 1];
}

/* Where there is no room a run forgets its first; its companion keeps those, which are not decided. */
void cdni_graze_note(cdn_stepper *s, int32_t event, double time, double value) {
  cdni_grazes *g = &s->grazes;
  if (g->n == CDNI_MOST_GRAZES && s->muted) return;
  if (g->n == CDNI_MOST_GRAZES) drop(g, 0);
  g->list[g->n++] = (cdni_graze){ event, s->events->records[event].count, time, value };
}

void cdni_grazes_compare(cdn_stepper *s) {
  cdni_grazes *of_run = &s->grazes, *of_companion = &s->companion->run->grazes;
  for (int i = of_companion->n - 1; i >= 0; i--)
    for (int k = 0; k < of_run->n; k++) {
      const cdni_graze *a = &of_run->list[k], *b = &of_companion->list[i];
      if (a->event != b->event || a->count - s->events->records[a->event].agreed != b->count) continue;
      if (!(fabs(a->value - b->value) <= DECIDED * fmin(fabs(a->value), fabs(b->value)))) continue;
      drop(of_run, k), drop(of_companion, i);
      break;
    }
}

/* Where one run has had the event and the other has not, and they agree, nothing depends on it. */
void cdni_grazes_settle(cdn_stepper *s, int32_t event) {
  cdni_grazes *g = &s->companion->run->grazes;
  for (int i = g->n - 1; i >= 0; i--)
    if (g->list[i].event == event) drop(g, i);
}

const cdni_graze *cdni_graze_undecided(const cdn_stepper *s) { return s->grazes.n > 0 ? &s->grazes.list[0] : NULL; }

void cdni_grazes_archive(cdn_stepper *s, cdni_archive *a) {
  cdni_grazes *g = &s->grazes;
  cdni_archive_int(a, &g->n, 0, CDNI_MOST_GRAZES);
  for (int i = 0; i < g->n; i++) {
    int event = g->list[i].event;
    cdni_archive_int(a, &event, 0, cdn_system_event_count(s->system) - 1);
    g->list[i].event = event;
    cdni_archive_int64(a, &g->list[i].count, 0, INT64_MAX);
    cdni_archive_double(a, &g->list[i].time);
    cdni_archive_double(a, &g->list[i].value);
  }
}
