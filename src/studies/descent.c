/* Limited-memory BFGS (Nocedal and Wright 2006, algorithm 7.4) in the metric of the mass matrix.
 *
 * With u = 0 the accelerations are minus the gradient in that metric, along what constraints, motions and locks leave
 * free: one evaluation of the equations of motion, in O(n). The metric is the preconditioner: a bond that turns half of
 * a molecule is stiffer than one that turns a methyl group by about as much as it is heavier. So a displacement is
 * kept as a vector (nu speeds), and a change of the gradient twice: as a vector, and multiplied by M.
 *
 * The line search bisects for the weak Wolfe conditions (Lewis and Overton 2013), with secants of the slopes. It judges
 * by the work of walks, so by the potential itself, and only over tiny steps by slopes. */
#include "studies/descent.h"

#include <math.h>

#include <cardan/forces.h>
#include <cardan/operators.h>

#include "constraints/project.h"
#include "math/dense.h"
#include "matter/operators.h"
#include "matter/scale.h"

enum { MEMORY = 20, MOST_TRIALS = 60 };

static const double TINY = 1e-6;   /* model units: over so short a step slopes tell more than energies */
static const double ENOUGH = 1e-4; /* of what the slope promises: Nocedal and Wright 2006, section 3.1 */
static const double STEEP = 0.9;   /* of the first slope: a line search that stops there stops too early (ibid.) */
static const double FIRST = 0.1;   /* of the bound: the first step of all, which knows no stiffness */
static const double LONGER = 4;    /* at most, where no end is in sight; and at least the root of it */
static const double INSIDE = 0.1;  /* of an interval: a trial keeps so far from its ends */
static const double AFTER_FAILURE = 0.2;   /* of an interval: where its far end could not be evaluated */
static const double ANY = 1e300;           /* errors: one step of a linear projection is enough */
static const double ENERGY_ROUNDS = 1e-13; /* of energies: differences below this are rounding */
static const double LEAST_BOUND = 1e-3;    /* of the model's length: points nearer than this do not shorten steps */
static const double APPROACH = 0.25;       /* of the least distance of two points each may move: together half of it */

size_t cdni_descent_divide(descent *d, double *at) {
  const size_t nu = (size_t)d->x->nu;
  const size_t bodies = (size_t)cdn_system_body_count(cdn_state_system(d->x->from));
  double **const one[] = { &d->slope, &d->covector, &d->direction, &d->work };
  double **const many[] = { &d->steps, &d->turns, &d->rows };
  if (at) {
    for (int k = 0; k < CDNI_COUNT(one); k++) *one[k] = at, at += nu;
    for (int k = 0; k < CDNI_COUNT(many); k++) *many[k] = at, at += MEMORY * nu;
    d->weight = at, d->share = at + MEMORY, at += 2 * MEMORY;
    d->V = (cdn_spatial *)at, d->places = at + 6 * bodies;
  }
  return (CDNI_COUNT(one) + MEMORY * CDNI_COUNT(many)) * nu + 2 * MEMORY + 9 * bodies;
}

static void add(double *a, double scale, const double *b, int n) {
  for (int k = 0; k < n; k++) a[k] += scale * b[k];
}

/* The gradient where the State is. */
static cdn_status look(descent *d) {
  const double *udot = cdn_state_udot(d->x->rest);
  if (!udot) return cdni_state_last_status(d->x->rest);
  const int nu = d->x->nu;
  for (int k = 0; k < nu; k++) d->slope[k] = -udot[k];
  CDNI_TRY(cdn_multiply_by_M(d->x->rest, d->slope, d->covector));
  d->worst = 0, d->worst_u = -1;
  for (int k = 0; k < nu; k++)
    if (!(fabs(d->covector[k]) <= d->worst)) d->worst = fabs(d->covector[k]), d->worst_u = k;
  return CDN_OK;
}

/* ---- directions ---- */

static int in_ring(const descent *d, int i) { return (d->first + i) % MEMORY; }

/* The two loops. Both forms of the gradient lose their parts along what is known. */
static void choose_direction(descent *d) {
  const int nu = d->x->nu;
  double *to = d->direction, *covector = d->work;
  memcpy(to, d->slope, (size_t)nu * sizeof *to);
  memcpy(covector, d->covector, (size_t)nu * sizeof *covector);
  for (int i = d->kept - 1; i >= 0; i--) {
    const int at = in_ring(d, i);
    const size_t from = (size_t)at * (size_t)nu;
    d->share[at] = d->weight[at] * cdni_dot(nu, d->steps + from, covector);
    add(to, -d->share[at], d->turns + from, nu);
    add(covector, -d->share[at], d->rows + from, nu);
  }
  for (int k = 0; k < nu; k++) to[k] *= d->scale;
  for (int i = 0; i < d->kept; i++) {
    const int at = in_ring(d, i);
    const size_t from = (size_t)at * (size_t)nu;
    add(to, d->share[at] - d->weight[at] * cdni_dot(nu, d->rows + from, to), d->steps + from, nu);
  }
  for (int k = 0; k < nu; k++) to[k] = -to[k];
}

/* Off the constraints a direction is not what its slope says: its part along what they leave free. (What is known is of
 * other places, where they left other directions free.) */
static cdn_status along_constraints(descent *d) {
  cdn_state *rest = d->x->rest;
  const size_t size = (size_t)d->x->nu * sizeof *d->work;
  cdn_projection_def def = cdn_default_projection_def();
  def.tolerance = ANY, def.always = true;
  if (!cdni_projects(cdn_state_system(rest))) return CDN_OK;
  CDNI_TRY(cdn_state_set_u(rest, d->direction));
  const cdn_status status = cdn_project_u(rest, &def, NULL);
  if (status == CDN_OK) memcpy(d->direction, cdn_state_u(rest), size);
  memset(d->work, 0, size);
  CDNI_TRY(cdn_state_set_u(rest, d->work));
  return status;
}

static void straight_down(descent *d) {
  for (int k = 0; k < d->x->nu; k++) d->direction[k] = -d->slope[k] * (d->scale > 0 ? d->scale : 1);
}

/* Remembers the step v that was taken, and how the gradient has changed in it; the gradient is of the State then. */
static cdn_status remember(descent *d) {
  const int nu = d->x->nu, at = in_ring(d, d->kept);
  double *step = d->steps + (size_t)at * (size_t)nu, *turn = d->turns + (size_t)at * (size_t)nu,
         *row = d->rows + (size_t)at * (size_t)nu;
  memcpy(step, d->x->v, (size_t)nu * sizeof *step);
  for (int k = 0; k < nu; k++) turn[k] = -d->slope[k], row[k] = -d->covector[k];
  CDNI_TRY(look(d));
  add(turn, 1, d->slope, nu), add(row, 1, d->covector, nu);
  const double along = cdni_dot(nu, step, row), square = cdni_dot(nu, turn, row);
  if (!(along > 0) || !(square > 0) || !isfinite(1 / along)) return CDN_OK; /* it bends the other way */
  d->weight[at] = 1 / along;
  d->scale = along / square;
  if (d->kept < MEMORY) d->kept++;
  else d->first = in_ring(d, 1);
  return CDN_OK;
}

/* How far the direction moves any body, in model units. */
static cdn_status reach_of(descent *d, double *reach) {
  const matter *m = cdni_matter(cdn_state_system(d->x->rest));
  CDNI_TRY(cdn_multiply_by_J(d->x->rest, d->direction, d->V));
  *reach = cdni_matter_displacement(m, d->x->rest, d->V, d->x->length);
  return CDN_OK;
}

/* The largest displacement in this step, in model units. No two points pass through each other in it. */
static double bound_of(descent *d) {
  const matter *m = cdni_matter(cdn_state_system(d->x->rest));
  const double nearest = cdni_matter_nearest_points(m, d->x->rest, d->places);
  return fmin(d->largest_step, fmax(APPROACH * nearest / d->x->length, LEAST_BOUND * d->largest_step));
}

/* ---- the line search ---- */

/* A place on the line: what was gained on the way there, and what the next part gains. */
typedef struct place {
  double t, gained, slope;
} place;

typedef struct line {
  double reach, furthest; /* of the direction in model units; t may be at most this */
  double slope;           /* what the direction gains where it begins */
  place from, to;         /* between them a good place is looked for; to.t INFINITY: there is no end yet */
} line;

/* Walks to t; *enough tells whether it gains enough. */
static cdn_status try_place(descent *d, const line *l, double t, place *p, bool *enough) {
  search *x = d->x;
  cdni_walk w = { .work = 0 };
  for (int k = 0; k < x->nu; k++) x->v[k] = t * d->direction[k];
  const cdn_status status = cdni_equilibrium_walk(x, &w);
  d->evaluations++;
  *enough = false;
  *p = (place){ t, -INFINITY, NAN };
  if (status == CDN_ERR_NOMEM) return status;
  d->failed = status;
  if (status != CDN_OK || !isfinite(w.work) || !isfinite(w.power) || w.doubtful) return CDN_OK;
  const bool tiny = t * l->reach <= TINY;
  double energy;
  CDNI_TRY(cdn_potential_energy(x->rest, &energy));
  const double rounding = ENERGY_ROUNDS * (fabs(energy) + fabs(x->potential));
  p->gained = tiny && w.work >= -rounding ? w.by_slopes : w.work;
  p->slope = w.power / t;
  *enough = p->gained > 0 && p->gained >= ENOUGH * t * l->slope && p->gained >= l->from.gained;
  if (*enough) x->gained = w.work;
  return CDN_OK;
}

/* Where the slope would be zero, if it were a straight line. */
static double secant(const place *a, const place *b) { return a->t + (b->t - a->t) * a->slope / (a->slope - b->slope); }

static double next_place(const line *l, const place *before) {
  if (!isfinite(l->to.t)) { /* `before` is behind `from`, and as steep or steeper */
    const double guess = secant(before, &l->from), t = l->from.t;
    const double longer = guess > t ? fmin(fmax(guess, sqrt(LONGER) * t), LONGER * t) : LONGER * t;
    return fmin(longer, l->furthest);
  }
  const double width = l->to.t - l->from.t;
  double part = AFTER_FAILURE;
  if (isfinite(l->to.gained)) {
    const double bend = l->from.gained + l->from.slope * width - l->to.gained; /* of a parabola */
    part = l->to.slope < 0 && l->to.gained > l->from.gained ? (secant(&l->from, &l->to) - l->from.t) / width
                                                            : 0.5 * l->from.slope * width / bend;
  }
  if (!(part >= INSIDE)) part = INSIDE;
  return l->from.t + fmin(part, 1 - INSIDE) * width;
}

/* Goes along the direction to a place that is good; *taken is false if there is none, and the State where it was. */
static cdn_status search_line(descent *d, line *l, double t, bool *taken) {
  place here, before = { 0, 0, l->slope };
  bool enough = false;
  *taken = true;
  for (int n = 0; n < MOST_TRIALS && d->evaluations < d->most_evaluations; n++) {
    CDNI_TRY(try_place(d, l, t, &here, &enough));
    if (enough && (here.slope <= STEEP * l->slope || t >= l->furthest)) return CDN_OK;
    if (enough) before = l->from, l->from = here;
    else l->to = here;
    if (isfinite(l->to.t) && (l->to.t - l->from.t) * l->reach <= CDNI_NOT_A_STEP) break;
    t = next_place(l, &before);
  }
  if (l->from.t > 0) {
    if (!enough) CDNI_TRY(try_place(d, l, l->from.t, &here, &enough));
    return CDN_OK;
  }
  *taken = false;
  return cdni_equilibrium_place(d->x, d->x->q0, 0);
}

/* ---- the way ---- */

/* The line along the direction, which may be a part of its length at most. */
static cdn_status begin_line(descent *d, double bound, line *l) {
  *l = (line){ .slope = -cdni_dot(d->x->nu, d->direction, d->covector), .to.t = INFINITY };
  l->from.slope = l->slope;
  CDNI_TRY(reach_of(d, &l->reach));
  l->furthest = bound / l->reach;
  return CDN_OK;
}

/* A direction from what is known, and how far it leads; or straight down where nothing is known, or where what is
 * known leads far away and gains less: then it is about a place that is left long since, or about rounding. (A molecule
 * without surroundings turns freely. Whoever follows rounding there turns it for ever.) */
static cdn_status choose_line(descent *d, double bound, line *l) {
  const double least = d->least_step;
  if (d->kept > 0) {
    choose_direction(d);
    CDNI_TRY(along_constraints(d));
    CDNI_TRY(begin_line(d, bound, l));
    if (l->slope > 0 && (l->furthest >= 1 || l->reach <= least)) return CDN_OK;
    const double gained = l->slope * l->furthest;
    memcpy(d->work, d->direction, (size_t)d->x->nu * sizeof *d->work);
    const line limited = *l;
    straight_down(d);
    CDNI_TRY(begin_line(d, bound, l));
    if (gained >= l->slope * fmin(1, l->furthest)) {
      memcpy(d->direction, d->work, (size_t)d->x->nu * sizeof *d->work);
      *l = limited;
    } else d->kept = 0;
    return CDN_OK;
  }
  straight_down(d);
  return begin_line(d, bound, l);
}

/* One step from where the State is. *ends: there is none to take. */
static cdn_status one_step(descent *d, bool *ends) {
  search *x = d->x;
  bool taken;
  line l;
  const double bound = bound_of(d);
  CDNI_TRY(choose_line(d, bound, &l));
  *ends = !(l.slope > 0) || !(l.reach > 0) || (d->tolerance == 0 && d->scale > 0 && l.reach <= d->least_step);
  d->end = DESCENT_BALANCED;
  if (*ends) return CDN_OK;
  CDNI_TRY(cdni_equilibrium_begin_step(x));
  CDNI_TRY(search_line(d, &l, fmin(d->scale > 0 ? 1 : FIRST * l.furthest, l.furthest), &taken));
  if (taken) {
    x->report->work += x->gained;
    d->iterations++;
    return remember(d);
  }
  if (d->evaluations >= d->most_evaluations) *ends = true, d->end = DESCENT_EVALUATIONS;
  else if (d->kept > 0) d->kept = 0; /* what is known may be wrong */
  else {
    *ends = true;
    /* forces push back before the least step, or what the step promises is rounding */
    const bool near = l.to.slope < 0 && l.to.t * l.reach <= d->least_step;
    const bool hidden = d->scale > 0 && l.slope <= ENERGY_ROUNDS * fabs(x->potential);
    d->end = near || hidden ? DESCENT_ROUNDING : DESCENT_NO_STEP;
  }
  return CDN_OK;
}

cdn_status cdni_descent_run(descent *d) {
  bool ends = false;
  d->first = d->kept = d->evaluations = d->iterations = 0;
  d->scale = 0;
  d->failed = CDN_OK;
  CDNI_TRY(look(d));
  d->evaluations++;
  while (!ends) {
    d->end = DESCENT_BALANCED;
    if (d->worst <= d->tolerance) return CDN_OK;
    d->end = DESCENT_EVALUATIONS;
    if (d->evaluations >= d->most_evaluations) return CDN_OK;
    CDNI_TRY(one_step(d, &ends));
  }
  return CDN_OK;
}
