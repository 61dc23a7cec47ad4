/* What an integration method is. A method takes one step from (t0, y0) of a size that the step loop chose, says how
 * far off it may be, and can tell y anywhere within that step. It knows nothing of accuracy, weights, reports or
 * energy: those belong to the loop. A new method is one file that fills a cdni_method; an explicit Runge-Kutta one
 * is a file of coefficients (see explicit_rk.h). */
#ifndef CARDAN_INTEGRATORS_METHOD_H
#define CARDAN_INTEGRATORS_METHOD_H

#include <cardan/stepper.h>

#include "core/archive.h"
#include "core/core.h"

/* One step. The loop fills the upper half, the method the lower half. */
typedef struct cdni_step {
  double t0, t1, h;      /* h = t1 - t0, exactly as a stage should see it */
  double end;            /* a time that no step may pass: for methods that choose their own t1 and h */
  const double *y0, *f0; /* y and ydot at t0 */
  double power0;         /* power of the forces without potential at t0 */

  double *y1, *f1; /* y at t1, on the manifold, and ydot there (if `work` is left with rates) */
  double power1;
  double work;   /* integral of the power, by the method's own weights */
  double *error; /* estimate of the local error, without weights */
  double norm;   /* its norm, where the method knows better than the norm of `error`; < 0 as it is handed in */
  /* h |lambda_max| (estimated) / radius of the stability region; 0: unknown */
  double stiffness;
} cdni_step;

typedef struct cdni_method cdni_method;
struct cdni_method {
  const char *name;
  /* Power of h with which the error estimate of the first step shrinks, and of all steps unless `resize` is there: what
   * the step size control goes by. */
  int error_order;
  bool own_steps; /* chooses the sizes of its steps itself: no fixed ones */
  bool bare; /* carries on the solution whose error it estimates, at order 1: it delivers the root of the accuracy */
  bool unconstrained; /* cannot project: for Systems without constraints */
  /* How many doubles of memory of its own the method wants for ny variables (64-byte aligned, kept over steps). */
  size_t (*memory)(const cdni_method *method, int ny);
  /* Fills the lower half of s->step. A failure of an evaluation is passed on as it is. A method that fills `norm` may
   * leave y1, f1, power1 and work alone where the norm is above the tolerance and steps are not fixed. */
  cdn_status (*attempt)(cdn_stepper *s);
  /* y at t0 + theta h of the last accepted step, unprojected, and the work done up to there. */
  void (*interpolate)(const cdn_stepper *s, double theta, double *y, double *work);

  /* The rest may be NULL. */
  /* A solver of another library, which lives as long as the stepper: s->solver. What `create` fails of goes to `work`. */
  cdn_status (*create)(cdn_stepper *s);
  void (*destroy)(cdn_stepper *s);
  /* The next attempt starts from a y and rates that have nothing to do with the steps before it. */
  void (*begin)(cdn_stepper *s);
  /* The attempt is accepted: methods with a memory of earlier steps take it in. */
  void (*accepted)(cdn_stepper *s);
  /* A method with a rule of its own for the next step's size: after an attempt of size h whose error over the
   * tolerance was `error`. */
  double (*resize)(cdn_stepper *s, double h, double error, bool accepted);
  /* Further evaluations that `interpolate` needs, made once in a step whose inside is looked at (cdni_look). */
  cdn_status (*extend)(cdn_stepper *s);
  /* Saves or loads what the method remembers from one step to the next and what `interpolate` reads; loading comes after
   * `begin`. A method whose memory cannot be saved saves what `interpolate` needs and begins anew, in the run that is saved as
   * well, so that both go on with the same bits. NULL: it remembers nothing. */
  void (*archive)(cdn_stepper *s, cdni_archive *a);
  /* Coefficients, for methods that share their code. */
  const void *data;
};

extern const cdni_method cdni_merson, cdni_dormand_prince, cdni_bogacki_shampine, cdni_fehlberg, cdni_dormand_prince_8,
    cdni_explicit_euler, cdni_trapezoid, cdni_semi_explicit_euler, cdni_semi_explicit_euler_2, cdni_verlet, cdni_adams,
    cdni_cvode_bdf, cdni_cvode_adams, cdni_ida;

/* The method that a def asks for, for a System with constraints or without; NULL if there is none of that number. */
const cdni_method *cdni_choose_method(const cdn_stepper_def *def, bool constrained);

/* ---- what a method may ask of the loop ---- */

/* ydot and power at a trial point; ydot is copied out. */
cdn_status cdni_evaluate(cdn_stepper *s, double t, const double *y, double *ydot, double *power);
/* The end of a step: brings y1 to the manifold in place and fills f1 and power1 there, where the next step starts.
 * raw (may be NULL) receives rates for estimates and dense output: those of y1, with qdot for the quaternion lengths with
 * which it was handed in. */
cdn_status cdni_arrive(cdn_stepper *s, double *raw);
/* For `extend`: ydot and power at a point within the last accepted step, with the discrete variables of that step. */
cdn_status cdni_evaluate_within(cdn_stepper *s, double t, const double *y, double *ydot, double *power);

/* For methods that bring nothing better: the cubic through y and ydot at the step's ends. */
void cdni_hermite(const cdn_stepper *s, double theta, double *y, double *work);

#endif
