/* Private to the room: runs until the accuracy is delivered. deliver.c decides which runs are made, deliver_run.c makes
 * them. */
#ifndef CARDAN_STUDIES_DELIVER_H
#define CARDAN_STUDIES_DELIVER_H

#include <cardan/deliver.h>

/* One run with its certificate, which is about the accuracy asked for. */
typedef struct cdni_attempt {
  int number;
  double accuracy; /* of its steps */
  cdn_stepper *stepper;
  cdn_certificate certificate;
} cdni_attempt;

/* The companion of the first attempt at some reports, at most RECORDED of them: every `stride`-th and the last one. */
typedef struct cdni_record {
  double *y; /* rows of ny numbers; NULL: nothing is recorded */
  int64_t rows, stride;
  double accuracy; /* of its steps */
  bool same_method;
} cdni_record;

/* Distances from that companion. */
typedef struct cdni_found {
  double of[3], largest, time, until;
  char slot[96];
} cdni_found;

typedef struct cdni_study {
  cdn_state *initial, *place;
  cdn_allocator allocator;
  cdn_stepper_def def; /* with the accuracy asked for */
  cdn_deliver_def how;
  double t0, interval;
  int64_t reports;
  int ny;
  cdni_record record;
  cdn_delivery delivery;
  bool ended; /* a status of the caller's functions ends the study */
} cdni_study;

/* Finds the reports, and makes room for the record, if `smooth` motion may need it. */
cdn_status cdni_study_begin(cdni_study *x, bool smooth);
void cdni_study_end(cdni_study *x);
/* Makes a run with steps of this accuracy: with its companion, or without, compared with the record. After a failure,
 * too, *out is what the caller destroys. */
cdn_status cdni_study_run(cdni_study *x, double accuracy, bool companion, cdni_attempt *out, cdni_found *found);

#endif
