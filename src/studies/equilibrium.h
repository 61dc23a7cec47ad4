/* The search for an equilibrium, shared by its files: equilibrium.c searches, equilibrium_model.c chooses the
 * displacement of a step, equilibrium_walk.c takes it. A walk needs nothing but the displacement v: descent.c chooses
 * it without dense matrices. */
#ifndef CARDAN_STUDIES_EQUILIBRIUM_H
#define CARDAN_STUDIES_EQUILIBRIUM_H

#include <cardan/equilibrium.h>

#include "hybrid/hybrid.h"
#include "studies/statics.h"

#define CDNI_NOT_A_STEP 1e-13 /* model units */

typedef struct search {
  cdn_state *from, *rest; /* the user's, and the one that the search moves */
  const char *function;
  const cdn_equilibrium_def *def;
  cdn_equilibrium_goal goal; /* of the present search */
  double radius;             /* trust radius of the steps */
  cdn_equilibrium *report;
  double *q, *q0, *middle, *rate, *start; /* nq */
  double *z, *z0;                         /* nz: of a step, and before it */
  int nu;
  double *force, *along, *turned; /* nu */
  double *v;                      /* nu: a step's displacement */
  double *pull;                   /* nu: M udot where the step begins */
  bool conservative;              /* all forces there have a potential */
  cdn_spatial *F;                 /* one for each body */
  double potential;               /* J, where the step begins */
  double gained;                  /* J, by the last step that was taken */
  bool no_step;                   /* the search ended because no step was good */
  const hybrid_room *hybrid;      /* NULL: no element is one-sided, and no friction dry */
  double *least;                  /* by one-sided element, and of shapes without a slot: gaps where the step begins */
  bool sticks;                    /* friction does: stiffness is not symmetric */
  double moved;                   /* by steps since statuses were chosen: the largest displacements, model units */
  double *fall;                   /* nu: accelerations with the statuses that were chosen last */
  bool falls;                     /* the next step is along these */
  bool *blocks;                   /* the same: whether it has come nearer in the step */

  /* The model's own scales. A displacement is measured in its mobility's unit: 1 rad, or a length of the model. */
  double length; /* m; 0 until it is known */
  double *unit;  /* nu: rad or m */
  double faint;  /* stiffness over mass that rounding of forces may leave, 1/s^2 */
  double *bound; /* nu: accelerations up to this count as balance, rad/s^2 or m/s^2 */

  /* The model, in the basis of modes: column k of X has the components of mode k in Z. */
  cdni_statics s;
  cdni_statics_friction friction;
  double imbalance;                      /* |g| */
  double largest;                        /* |udot|_M, the largest that the search has met */
  double *X, *d, *g;                     /* n x n, n, n: modes, their curvatures, the gradient */
  double *k;                             /* n: the stiffness that the step uses */
  double *y;                             /* n: a step */
  bool *balanced;                        /* nu: mobilities whose own acceleration is within the tolerance */
  bool *idle;                            /* nu: mobilities that no force or constraint depends on */
  double *L, *residual, *U, *VT, *sigma; /* CDN_EQUILIBRIUM_ANY: n x n, n, n x n, n x n, n */
  double *work;
} search;

/* What a step came to. */
typedef struct cdni_walk {
  double work;      /* of all forces, J: what the potential lost, and the work of forces without one */
  double by_slopes; /* the same by the power at both ends alone: exact for tiny steps */
  double power;     /* of all forces at its end, for the displacement v in unit time */
  bool doubtful;    /* forces without a potential vary too much on the way for their work to be known */
} cdni_walk;

/* ---- equilibrium_walk.c ---- */

/* Divides the memory that walks need; returns the number of doubles. `at` NULL: counts only. x->from is known. */
size_t cdni_equilibrium_walk_divide(search *x, double *at);
/* Notes where the step begins. */
cdn_status cdni_equilibrium_begin_step(search *x);
/* Takes the step v from there; the State is at its end. */
cdn_status cdni_equilibrium_walk(search *x, cdni_walk *w);
/* Puts the State at q; the memory of friction follows `scale` of the step. */
cdn_status cdni_equilibrium_place(search *x, const double *q, double scale);
/* To where `scale` of v leads, and back to the constraints; q is where that is. */
cdn_status cdni_equilibrium_move(search *x, double scale, double *q);
/* To the constraints. */
cdn_status cdni_equilibrium_project(search *x);
/* |udot|_M where the State is. */
cdn_status cdni_equilibrium_imbalance(search *x, double *size);

/* ---- equilibrium_sides.c: one-sided elements and dry friction ---- */

/* What is in penetration is put on its surface, and all statuses are those of rest. */
cdn_status cdni_equilibrium_begin_sides(search *x);
/* Shortens the step v, y to where the first gap closes. *most, its largest displacement, follows; *closes: one does. */
cdn_status cdni_equilibrium_clip(search *x, double *most, bool *closes);
/* Where the State is, switches on what has closed in the step. */
cdn_status cdni_equilibrium_touch(search *x);
/* Where all is balanced: finds the statuses of rest. *rests: it is balanced with them, too; if not, what cannot push
 * has let go, and what cannot stick slides without friction. */
cdn_status cdni_equilibrium_settle(search *x, bool *rests);

/* ---- equilibrium_scale.c ---- */

/* Sets x->unit, and x->length if it is not known yet. */
void cdni_equilibrium_set_units(search *x);
/* Sets x->bound and x->faint, from the linearized statics, the curvatures x->d of their modes, and what forces leave
 * without constraints: x->force. */
void cdni_equilibrium_set_bounds(search *x);

/* ---- equilibrium_model.c ---- */

/* Divides memory for a model of nu mobilities; returns the number of doubles. `at` NULL: counts only. */
size_t cdni_equilibrium_model_divide(search *x, int nu, double *at);

/* Linearizes statics at the present State, and counts the directions for the report. */
cdn_status cdni_equilibrium_model_fill(search *x);
/* Computes y and v for the best step of at most this length; returns the largest element of v, in model units. */
double cdni_equilibrium_step(search *x, double radius);
/* The same along the accelerations x->fall, which no element that is off resists. */
double cdni_equilibrium_fall(search *x, double radius);
/* The same for Newton's own step, by all of the stiffness; after a fill for the goal ANY, or where friction sticks. */
double cdni_equilibrium_newton(search *x);
/* The length of y. */
double cdni_equilibrium_length(const search *x);
/* The model's prediction for y: the work, or the decrease of the imbalance. */
double cdni_equilibrium_promise(const search *x);

#endif
