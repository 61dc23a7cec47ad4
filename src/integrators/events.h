/* The events of a run, as its steps see them (events.c). These functions do nothing if the System has no events. */
#ifndef CARDAN_INTEGRATORS_EVENTS_H
#define CARDAN_INTEGRATORS_EVENTS_H

#include <cardan/stepper.h>

#include "core/archive.h"

cdn_status cdni_events_create(cdn_stepper *s);
void cdni_events_destroy(cdn_stepper *s);
/* Saves or loads the memory of events. */
void cdni_events_archive(cdn_stepper *s, cdni_archive *a);
/* Starts watching from the present `work`. */
cdn_status cdni_events_reset(cdn_stepper *s);
/* Latest end of the next step: `end`, or before it the time of the next scheduled event that has a handler. */
double cdni_events_end(const cdn_stepper *s, double end);
/* What events make of an attempt whose error is small enough. */
typedef enum cdni_outcome {
  CDNI_STEP_TAKEN,
  CDNI_STEP_AGAIN,  /* take it again, to end just before an event */
  CDNI_STEP_SHORTER /* take a shorter one: this one is too long to resolve an event */
} cdni_outcome;

/* The course of a step: tried, found good (locate.c: `error` is the attempt's, over the tolerance), accepted.
 * cdni_events_aim gives the end of an attempt that would end at t1 without events; `end` is that of the present
 * call, which may be earlier than before. */
void cdni_events_attempt(cdn_stepper *s);
/* The rates of `work` have been evaluated within an attempt. */
cdn_status cdni_events_glance(cdn_stepper *s);
double cdni_events_aim(cdn_stepper *s, double t1, double end);
cdn_status cdni_events_examine(cdn_stepper *s, double error, cdni_outcome *outcome);
void cdni_events_rejected(cdn_stepper *s);
/* The next attempt is half as long. False: no event takes a run on where steps fail (rescue.c). */
bool cdni_events_shorten(cdn_stepper *s);
void cdni_events_accepted(cdn_stepper *s);
/* Tells the step size control about an accepted step that an event has ended. */
cdn_status cdni_events_resize(cdn_stepper *s, double error);
/* Whether an event has ended the present step; whether events are to be shown within it. */
bool cdni_events_cut(const cdn_stepper *s);
bool cdni_events_within(const cdn_stepper *s);
/* rescue.c: whether an event takes the run on from here, as no step does; then the run stands where it did. And whether
 * one should, as the last steps were very short. */
bool cdni_rescue_takes(cdn_stepper *s, cdn_status failed);
void cdni_rescue_note(cdn_stepper *s);
/* Lets all events occur up to time t, within the steps taken so far. *reason other than CDN_REACHED_TIME: advance
 * should return (if `all`: only because the run was stopped), and the report State is at that moment. */
cdn_status cdni_events_serve(cdn_stepper *s, double t, bool all, cdn_return_reason *reason);

#endif
