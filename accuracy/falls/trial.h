/* One run of a scene, and the two judgements on it. */
#ifndef CARDAN_ACCURACY_TRIAL_H
#define CARDAN_ACCURACY_TRIAL_H

#include "scene.h"

enum { TRIAL_REPORTS = 120 };

/* The motion by a run whose steps are too short to step over anything. */
typedef struct scene_truth {
  bool tried, known, behind;
  double doubt; /* how far two such runs are apart */
  int n_y;
  double *y; /* report by report */
} scene_truth;

typedef enum outcome {
  TRIAL_WELL,   /* as true as it says, as far as that is known */
  TRIAL_SAID,   /* not delivered, and said so */
  TRIAL_BELOW,  /* behind the guard, and nothing said so */
  TRIAL_DENIED, /* beyond ten accuracies though told delivered */
  TRIAL_SILENT, /* the same, with equal steps, by whose estimate nobody could know */
  TRIAL_FAILED, /* stopped by name */
  TRIAL_CUT,    /* took too many steps */
  TRIAL_ABSENT, /* the method cannot do this */
  TRIAL_OUTCOMES
} trial_outcome;

typedef struct trial {
  cdn_method method;
  double accuracy, fixed_step;
  trial_outcome outcome;
  bool behind;
  bool known;          /* the truth, and with it whether it is behind, too */
  bool judged, beyond; /* by a truth that is known well enough: more than ten accuracies off */
  bool passage;        /* the certificate names two shapes of which one went through the other */
  bool alarm;          /* said not delivered although it is */
  double error, estimate, amplification, seconds, cost;
  long long steps, evaluations, companion_evaluations;
  cdn_verdict verdict;
  cdn_status status;
  char message[400];
} trial;

extern const char *const trial_outcome_names[TRIAL_OUTCOMES];

/* Runs the scene with this method and accuracy (equal steps where fixed_step > 0). The truth is found where it is
 * wanted, or where a run is behind the guard, so that nothing is blamed that physics does, too. */
void trial_run(const scene *s, scene_truth *truth, bool wants_truth, cdn_method method, double accuracy,
               double fixed_step, trial *out);
void scene_find_truth(const scene *s, scene_truth *t);
/* The largest distance between the values of two motions at their first reports, in the norms of distance.h. */
double scene_error(const scene *s, const double *a, const double *b, int reports);
void scene_truth_clear(scene_truth *t);
/* One line by which the run can be repeated. */
void trial_print(FILE *to, const scene *s, const trial *t);

#endif
