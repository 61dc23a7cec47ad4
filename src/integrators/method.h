/* The interface of integration methods. A method takes one step from (t0, y0), of a size that the step loop chooses,
 * estimates its error, and interpolates y within that step. Accuracy, weights, reports and energy belong to the
 * loop, not to the method. A new method is one file that fills a cdni_method; an explicit Runge-Kutta method is a
 * file of coefficients (explicit_rk.h). */
#ifndef CARDAN_INTEGRATORS_METHOD_H
#define CARDAN_INTEGRATORS_METHOD_H

#include <cardan/stepper.h>

#include "core/archive.h"
#include "core/core.h"

/* One step. The loop fills the upper half, the method the lower half. */
typedef struct cdni_step {
  double t0, t1, h;      /* h = t1 - t0, exactly as the stages use it */
  double end;            /* a time that no step may pass: for methods that choose their own t1 and h */
  const double *y0, *f0; /* y and ydot at t0 */
  double power0;         /* power of the forces without potential at t0 */

  double *y1, *f1; /* y at t1, on the manifold, and ydot there (unless `work` has no valid rates at the end) */
  double power1;
  double work;   /* integral of the power, by the method's own weights */
  double *error; /* estimate of the local error, without weights */
  double norm;   /* norm of the error, if the method knows a better one than that of `error`; < 0 on entry */
  /* h |lambda_max| (estimated) / radius of the stability region; 0: unknown */
  double stiffness;
} cdni_step;

typedef struct cdni_method cdni_method;
struct cdni_method {
  const char *name;
  /* The error estimate shrinks with this power of h: in the first step, and without `resize` in all steps. The step
   * size control uses it. */
  int error_order;
  int order;        /* the error of a run in equal steps shrinks with this power of h; without own_steps */
  bool own_steps;   /* chooses the sizes of its steps itself: no fixed steps */
  bool equal_steps; /* estimates no error: fixed steps only */
  bool bare; /* of order 1; continues with the solution whose error it estimates: delivers the root of the accuracy */
  bool continues_estimated; /* of a higher order, but likewise: its error is not below its estimate, as that of a pair
                               is */
  bool over_kinks;          /* takes kinks of forces in its stride: steps do not end at them */
  bool unconstrained;       /* cannot project: only for Systems without constraints */
  /* Number of doubles of memory that the method needs for ny variables (64-byte aligned, kept from step to step). */
  size_t (*memory)(const cdni_method *method, int ny);
  /* Fills the lower half of s->step. Returns the status of an evaluation that fails. A method that fills `norm` need
   * not fill y1, f1, power1 and work if the norm is above the tolerance and steps are not fixed. */
  cdn_status (*attempt)(cdn_stepper *s);
  /* y at t0 + theta h of the last accepted step, unprojected, and the work done up to there. */
  void (*interpolate)(const cdn_stepper *s, double theta, double *y, double *work);
  /* The rates of that y, there. */
  void (*slope)(const cdn_stepper *s, double theta, double *ydot);

  /* The rest may be NULL. */
  /* Make and destroy a solver of another library, s->solver, which lives as long as the stepper. The message of a
   * failure of `create` goes to `work`. */
  cdn_status (*create)(cdn_stepper *s);
  void (*destroy)(cdn_stepper *s);
  /* Discard step history: the next attempt starts from y and rates that do not continue the steps before it. */
  void (*begin)(cdn_stepper *s);
  /* The attempt is accepted: methods with step history append it. */
  void (*accepted)(cdn_stepper *s);
  /* The method's own rule for the size of the next step, after an attempt of size h with this error over the
   * tolerance. */
  double (*resize)(cdn_stepper *s, double h, double error, bool accepted);
  /* Makes further evaluations for `interpolate`, once in a step that is interpolated (cdni_look). */
  cdn_status (*extend)(cdn_stepper *s);
  /* Saves or loads step history and the data of `interpolate`; called after `begin` when loading. A method whose
   * history cannot be saved saves the data of `interpolate` and begins anew, also in the run that is saved, so that
   * both runs continue with the same bits. NULL: the method has no history. */
  void (*archive)(cdn_stepper *s, cdni_archive *a);
  /* Coefficients, for methods that share their code. */
  const void *data;
};

extern const cdni_method cdni_merson, cdni_dormand_prince, cdni_bogacki_shampine, cdni_fehlberg, cdni_dormand_prince_8,
    cdni_explicit_euler, cdni_trapezoid, cdni_semi_explicit_euler, cdni_semi_explicit_euler_2, cdni_verlet, cdni_adams,
    cdni_cvode_bdf, cdni_cvode_adams, cdni_ida, cdni_mujoco_euler, cdni_mujoco_implicit, cdni_mujoco_implicit_fast,
    cdni_mujoco_rk4, cdni_mujoco_midpoint, cdni_implicit_contact;

/* The method that a def asks for, for a System (NULL: one without constraints); NULL if there is none of that
 * number. */
const cdni_method *cdni_choose_method(const cdn_stepper_def *def, const cdn_system *system);
/* Reads a caller's def (NULL: the defaults). Returns NULL, or why it cannot be read. */
const char *cdni_stepper_def_read(cdn_stepper_def *to, const cdn_stepper_def *from);

/* ---- the rules of step sizes, for one run and for several in lanes (control.c) ---- */

/* The share of the accuracy of the next step in a run of this length, of which `steps` steps have covered a part. */
double cdni_share_of(const cdni_method *method, double accuracy, double length, double covered, double steps);
/* The size after an accepted step of size h with this error (over the error allowed). *last_error is that of the step
 * before it, and then its own. `rejected`: the attempt before it was, so the size does not grow. */
double cdni_size_accepted(int order, double h, double error, double *last_error, bool rejected);
/* The size after a rejected attempt. */
double cdni_size_rejected(int order, double h, double error);

/* ---- services of the loop for methods ---- */

/* ydot and power (NULL: not wanted) at a trial point; ydot is copied out. */
cdn_status cdni_evaluate(cdn_stepper *s, double t, const double *y, double *ydot, double *power);
/* Ends a step: projects y1 in place, and fills f1 and power1 there; the next step starts from them. raw (may be NULL)
 * receives rates for estimates and dense output: those at y1, with qdot scaled to the quaternion lengths before
 * normalization. */
cdn_status cdni_arrive(cdn_stepper *s, double *raw);
/* Ends a step of a method that knows the rates there: projects y1 in place, and fills power1. The State has no
 * rates. */
cdn_status cdni_land(cdn_stepper *s);
/* For `extend`: ydot and power at a point within the last accepted step, with the discrete variables of that step. */
cdn_status cdni_evaluate_within(cdn_stepper *s, double t, const double *y, double *ydot, double *power);

/* Dense output for methods without one of their own: the cubic through y and ydot at both ends of the step. */
void cdni_hermite(const cdn_stepper *s, double theta, double *y, double *work);
void cdni_hermite_slope(const cdn_stepper *s, double theta, double *ydot);

#endif
