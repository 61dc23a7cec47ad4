/* Solvers of SUNDIALS (Hindmarsh et al., ACM Transactions on Mathematical Software 31, 2005) as methods of ours: the
 * part that CVODE and IDA share.
 *
 * The solver chooses and repeats its steps itself; our loop asks for one at a time (CV_ONE_STEP), so events, reports
 * and the certificate work as with any method. The solver's vectors have (q, u, z), then the work of forces without
 * potential, which is integrated by the same formulas, then algebraic variables if there are any (ggl.h). The work
 * and the algebraic variables do not count in norms. */
#ifndef CARDAN_INTEGRATORS_SUNDIALS_H
#define CARDAN_INTEGRATORS_SUNDIALS_H

#include <sundials/sundials_linearsolver.h>
#include <sundials/sundials_matrix.h>
#include <sundials/sundials_nonlinearsolver.h>
#include <sundials/sundials_nvector.h>

#include "core/archive.h"
#include "integrators/ggl.h"
#include "integrators/method.h"
#include "integrators/newton.h"
#include "integrators/sundials_order.h"

typedef struct cdni_sundials cdni_sundials;

/* Why a solver gave up. */
typedef enum cdni_sundials_cause {
  CDNI_SUNDIALS_ERROR,     /* the error of steps stays too large */
  CDNI_SUNDIALS_ITERATION, /* the iteration for a step's end does not converge */
  CDNI_SUNDIALS_CALLBACK,  /* an evaluation failed */
  CDNI_SUNDIALS_ACCURACY,  /* the accuracy asked for is below rounding */
  CDNI_SUNDIALS_MEMORY,
  CDNI_SUNDIALS_OTHER /* wrong use: a mistake in this library */
} cdni_sundials_cause;

/* The differences between the solvers: calls of one or the other. All return SUNDIALS' flags; below zero is failure. */
typedef struct cdni_sundials_ops {
  const char *name;
  double part;    /* tolerance over accuracy, for accuracies of 1e-3 and more */
  double sharper; /* for smaller ones the tolerance has the further factor (accuracy / 1e-3)^sharper */
  cdni_sundials_cause (*cause)(int flag);
  /* Makes m->memory, with all permanent settings. */
  int (*create)(cdn_stepper *s, cdni_sundials *m);
  void (*destroy)(void **memory);
  /* Starts anew from m->y at time t, with a step of size h. */
  int (*restart)(cdni_sundials *m, double t, double h);
  /* One step, not below `least` and not beyond `end`, into m->y. */
  int (*step)(cdni_sundials *m, double least, double end, double *t);
  /* The k-th derivative of the last step's polynomial at t, and its degree. */
  int (*within)(const cdni_sundials *m, double t, int k, N_Vector y);
  int (*order)(const cdni_sundials *m, int *order);
  int (*error)(cdni_sundials *m, N_Vector error);
  int (*next)(const cdni_sundials *m, double *h);
  /* Bounds the orders from the next start on; NULL: they all damp oscillations. */
  int (*limit)(cdni_sundials *m, int most);
  int (*failures)(const cdni_sundials *m, long *error_tests, long *convergence);
  bool algebraic; /* takes constraints as equations */
} cdni_sundials_ops;

struct cdni_sundials {
  cdn_stepper *s;
  const cdni_sundials_ops *ops;
  SUNContext context;
  void *memory;
  N_Vector y, rates, scratch; /* scratch: errors, and y within the step */
  SUNMatrix matrix;
  SUNLinearSolver linear;
  SUNNonlinearSolver nonlinear;
  cdni_newton *newton;
  cdni_ggl *ggl; /* NULL: there are no algebraic equations */

  double t;     /* time of the solver: later than the stepper's t after a step that was cut short */
  double work0; /* the work's integral at step.t0 */
  int terms;    /* the last step's polynomial as a Taylor series about t, in the method's memory; 0: ask the solver */
  double tried; /* time of the last evaluation: the end of a step that fails */
  double error; /* norm of the last step's error estimate */
  double gain;  /* of the linear solver: its matrix is (1 - gamma J) / gain */
  bool starved; /* memory for a vector ran out */
  double tolerance; /* bound on the error estimate of its steps */
  bool fresh;       /* the next step starts anew */
  int since;        /* number of steps since the last start */
  cdni_order_guard guard;
  bool changed;      /* the guard has other limits for the steps to come, which start anew */
  cdn_status status; /* of the last callback */
  bool hopeless;     /* a callback failed for good: nothing is evaluated any more in this step */
  char text[256];    /* the solver's last message */
};

/* The adapter's part of a method, by the ops in method->data. */
size_t cdni_sundials_memory(const cdni_method *method, int ny);
cdn_status cdni_sundials_create(cdn_stepper *s);
void cdni_sundials_destroy(cdn_stepper *s);
void cdni_sundials_begin(cdn_stepper *s);
cdn_status cdni_sundials_attempt(cdn_stepper *s);
double cdni_sundials_resize(cdn_stepper *s, double h, double error, bool accepted);
void cdni_sundials_interpolate(const cdn_stepper *s, double theta, double *y, double *work);
void cdni_sundials_slope(const cdn_stepper *s, double theta, double *ydot);
void cdni_sundials_archive(cdn_stepper *s, cdni_archive *a);

#define CDNI_SUNDIALS_METHOD(method_name, ops, ...)                                                           \
  {                                                                                                           \
    .name = method_name, .error_order = 2, .own_steps = true, .memory = cdni_sundials_memory,                 \
    .attempt = cdni_sundials_attempt, .interpolate = cdni_sundials_interpolate, .slope = cdni_sundials_slope, \
    .create = cdni_sundials_create, .destroy = cdni_sundials_destroy, .begin = cdni_sundials_begin,           \
    .resize = cdni_sundials_resize, .archive = cdni_sundials_archive, .data = &ops, __VA_ARGS__               \
  }

/* sundials_vector.c: a vector of the stepper's own, in its allocator's memory, whose weighted norm is the largest of
 * our three over the accuracy aimed at. NULL if memory ran out. */
N_Vector cdni_sundials_vector(cdn_stepper *s, SUNContext context);
double *cdni_vector_data(N_Vector v);

/* sundials_callbacks.c: callbacks of the solvers. `user` is the cdni_sundials. */
int cdni_sundials_rates(double t, N_Vector y, N_Vector ydot, void *user);
int cdni_sundials_weights(N_Vector y, N_Vector weights, void *user);
void cdni_sundials_message(int code, const char *module, const char *function, char *text, void *user);
/* Status of a callback in SUNDIALS' convention: 0; 1, a smaller step may avoid the failure; -1. */
int cdni_sundials_verdict(cdni_sundials *m, cdn_status status);
/* A matrix and a linear solver that stand for m->newton; false if memory ran out. */
bool cdni_sundials_newton(cdni_sundials *m);

/* sundials_failure.c: translates a flag below zero: CDN_OK if the step's error is too large (the loop judges that),
 * else a status with its message on `work`. */
cdn_status cdni_sundials_failure(cdn_stepper *s, int flag);

#endif
