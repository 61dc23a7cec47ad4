/* A problem: a System, where it starts and how long it runs, and how its true motion is known. */
#ifndef CARDAN_ACCURACY_PROBLEM_H
#define CARDAN_ACCURACY_PROBLEM_H

#include "extrapolation.h"
#include "parts.h"

enum { PROBLEM_NUMBERS = 8 };

typedef struct problem problem;

/* The motion as equations in as few variables as it has, written down without Cardan, to be solved in long double. */
typedef struct problem_equations {
  int n;
  void (*start)(const problem *p, long double *x);
  extrapolation_rates *rates; /* `self` is the problem */
  /* q, u and z of the System, one after the other */
  void (*unfold)(const problem *p, long double t, const long double *x, double *y);
} problem_equations;

/* Numbers that others have published, or that were integrated elsewhere with more digits. The truth is compared with
 * them. */
typedef struct published {
  const char *source;
  int n, columns;
  const double *rows; /* each begins with its time */
  double most;        /* how far the truth may be from them: what their digits and the truth's are good for */
  /* The largest distance of a State that holds the truth from a row. */
  double (*apart)(const problem *p, cdn_state *truth, const double *row);
} published;

struct problem {
  const char *name, *what;
  double end;
  cdn_state *(*start)(const problem *p);
  double x[PROBLEM_NUMBERS]; /* by which problems of one builder differ */
  /* How the truth is known: the motion in closed form (q, u, z at time t), or by equations; or, where both are NULL, by
   * two runs of different methods. */
  void (*exact)(const problem *p, double t, double *y);
  const problem_equations *equations;
  /* The times of events before `end`, at most `most` of them; their number. NULL where there are none. Where the truth
   * is known by two runs they find them. */
  int (*events)(const problem *p, double *t, int most);
  /* What the first of these runs is asked for, the second for ten times as much; 0: 1e-14. A System whose forces are
   * rounded by more than that cannot have it. */
  double witness;
  const published *published;
  double fails_after; /* a run that fails from there on is right to do so; 0: none is */
  bool chaotic;       /* errors grow a thousandfold and more, whatever makes them */
};

/* All problems. */
extern const problem *const problems[];
extern const int problem_count;
/* The problem of this name, or NULL. */
const problem *find_problem(const char *name);

#endif
