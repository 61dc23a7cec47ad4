/* Static equilibrium by Newton's method in a trust region: the search. equilibrium_model.c chooses the displacement of
 * a step, equilibrium_walk.c takes the step and measures its work. */
#include "studies/equilibrium.h"

#include <math.h>
#include <stdio.h>

#include "matter/operators.h"
#include "matter/scale.h"
#include "studies/descent.h"

static const char function[] = "cdn_find_equilibrium";

static const double NEARLY_THERE = 1e-9; /* model units: rounding may hide further improvement below this */
static const double TINY = 1e-6;         /* model units: within this no wall of a potential hides */
static const double HARDLY = 0.99;       /* less improvement than this hardly counts */
static const double ROUNDING = 1e-14;    /* of the largest imbalance on the way */
static const double NEWTON_FROM = 1e-2;  /* model units: Newton's own step is tried where it is no longer */
static const double BEYOND = 10;         /* of the way to the balance, or to where rounding hides it: looks so far */
/* measured: docs/constants.md */
static const int PATIENCE = 20;             /* iterations */
static const int MOST_POLISHING = 10;       /* steps; each doubles the digits until rounding ends it */
static const int MANY = 100;                /* mobilities: with fewer, Newton's method alone is faster */
static const double NEAR = 1e-3;            /* model units: where steps of a descent become so short it ends */
static const double MOST_OF_DESCENT = 0.25; /* model units: it does not know where the energy bends */
static const double FAR = 1e100;            /* radius: as far as the model likes */

/* The trust region, with the numbers of Nocedal and Wright 2006, algorithm 4.1, where they leave a choice from 0 to 1/4
 * for the first: a step that does more than the first part of what the model predicts is taken. One that does more
 * than the second and is longer than a part of the radius doubles it; one that is not taken leaves a part of its
 * length. Measured: docs/constants.md. */
static const double TAKEN = 0.1, GOOD = 0.75, AT_THE_RADIUS = 0.8, SHORTENED = 0.25;
/* measured: docs/constants.md */
static const double BELOW_LARGEST = 0.9; /* where a step may be at most so long, the next one aims below */

CDNI_DEF(equilibrium_def, .tolerance = 1e-8, .largest_step = 0.5, .most_iterations = 500);

/* ---- where the State is ---- */

static cdn_status look(search *x) {
  const cdn_system *system = cdn_state_system(x->rest);
  const double *udot = cdn_state_udot(x->rest);
  if (!udot) return cdni_state_last_status(x->rest);
  int worst = -1;
  x->report->unbalanced = 0;
  for (int k = 0; k < x->s.nu; k++)
    if (!(fabs(udot[k]) <= x->report->unbalanced)) x->report->unbalanced = fabs(udot[k]), worst = k;
  x->report->worst[0] = 0;
  if (worst >= 0) cdn_system_slot_name(system, CDN_POOL_U, worst, x->report->worst, sizeof x->report->worst);
  return CDN_OK;
}

/* ---- one step ---- */

/* The best step of at most the radius in which no coordinate moves too far; returns its largest displacement. */
static double limited_step(search *x) {
  double (*const choose)(search *, double) = x->falls ? cdni_equilibrium_fall : cdni_equilibrium_step;
  double most = choose(x, x->radius);
  while (most > x->def->largest_step) { /* in the model's own measure it may be anything */
    x->radius = BELOW_LARGEST * cdni_equilibrium_length(x) * x->def->largest_step / most;
    most = choose(x, x->radius);
  }
  return most;
}

/* Whether a step that is hidden by rounding may be taken: accelerations fall by half, and energy does not rise. Over a
 * tiny step the slopes at both ends tell the work better than the difference of two energies. */
static bool is_converged(const cdni_walk *w, double before, double after, double most) {
  return after < 0.5 * before && (w->work >= 0 || (most <= TINY && w->by_slopes >= 0));
}

/* What sticks makes stiffness unsymmetric: the energy's model leads to the balance, but not fast. Near it Newton's own
 * step is tried first. */
static cdn_status try_newton(search *x, double before, bool *better) {
  double size, most;
  bool closes;
  cdni_walk w;
  *better = false;
  if (x->goal != CDN_EQUILIBRIUM_STABLE || !x->sticks || x->report->unstable > 0) return CDN_OK;
  most = cdni_equilibrium_newton(x);
  if (!(most > CDNI_NOT_A_STEP && most <= NEWTON_FROM)) return CDN_OK;
  if (cdni_equilibrium_clip(x, &most, &closes) == CDN_OK && !closes && cdni_equilibrium_walk(x, &w) == CDN_OK) {
    CDNI_TRY(cdni_equilibrium_imbalance(x, &size));
    *better = size < 0.5 * before && w.by_slopes >= 0;
    if (*better) x->report->work += w.work, x->gained = w.work;
  }
  return *better ? cdni_statics_friction_hold(x->rest) : cdni_equilibrium_place(x, x->q0, 0);
}

/* Tries steps until one is as good as predicted; *done if no step is left to try. */
static cdn_status one_iteration(search *x, bool *done) {
  const bool stable = x->goal == CDN_EQUILIBRIUM_STABLE;
  cdn_status failed = CDN_OK;
  double before, most;
  CDNI_TRY(cdni_equilibrium_begin_step(x));
  CDNI_TRY(cdni_equilibrium_imbalance(x, &before));
  x->largest = fmax(x->largest, before);
  bool better;
  CDNI_TRY(try_newton(x, before, &better));
  if (better) return CDN_OK;
  for (int attempt = 0; attempt < 60 && (most = limited_step(x)) > CDNI_NOT_A_STEP; attempt++) {
    double size = INFINITY;
    cdni_walk w = { .work = 0 };
    bool closes;
    cdn_status status = cdni_equilibrium_clip(x, &most, &closes);
    if (status == CDN_OK && closes && most <= CDNI_NOT_A_STEP) return cdni_equilibrium_touch(x);
    const double expected = cdni_equilibrium_promise(x), length = cdni_equilibrium_length(x);
    if (status == CDN_OK) status = cdni_equilibrium_walk(x, &w);
    if (status == CDN_OK) CDNI_TRY(cdni_equilibrium_imbalance(x, &size));
    const bool usable = status == CDN_OK && !(stable && w.doubtful);
    const double ratio = usable ? (stable ? w.work : before - size) / expected : -1;
    if (ratio > TAKEN || (status == CDN_OK && (!stable || x->report->unstable == 0) &&
                          (stable ? is_converged(&w, before, size, most) : size < 0.5 * before))) {
      x->report->work += w.work;
      x->gained = w.work, x->moved += most;
      if (ratio > GOOD && length > AT_THE_RADIUS * x->radius) x->radius *= 2;
      if (closes) CDNI_TRY(cdni_equilibrium_touch(x));
      return cdni_statics_friction_hold(x->rest);
    }
    failed = status;
    CDNI_TRY(cdni_equilibrium_place(x, x->q0, 0));
    x->radius = SHORTENED * length;
  }
  CDNI_TRY(failed);
  *done = true;
  return CDN_OK;
}

/* ---- the search ---- */

static bool has_arrived(const search *x) {
  const double *udot = cdn_state_udot(x->rest);
  for (int k = 0; k < x->s.nu; k++)
    if (!(fabs(udot[k]) <= x->bound[k])) return false;
  return x->def->goal == CDN_EQUILIBRIUM_ANY || x->report->unstable == 0;
}

/* Whether forces push back beyond the balance by as much as their stiffness says: they do not at the tip of a cone,
 * where a force jumps from one side to the other, however stiff it seems beside it. Newton's own step is at hand; the
 * State is where it was afterwards. */
static cdn_status pushes_back(search *x, double most, bool *does) {
  const double far = fmax(BEYOND, BEYOND * NEARLY_THERE / fmax(most, CDNI_NOT_A_STEP));
  double here = 0, there = 0;
  CDNI_TRY(cdni_equilibrium_begin_step(x));
  CDNI_TRY(cdn_multiply_by_M(x->rest, cdn_state_udot(x->rest), x->force));
  for (int k = 0; k < x->s.nu; k++) here += x->v[k] * x->force[k], x->v[k] *= far;
  cdni_walk w;
  *does = false;
  if (cdni_equilibrium_walk(x, &w) == CDN_OK) {
    CDNI_TRY(cdn_multiply_by_M(x->rest, cdn_state_udot(x->rest), x->force));
    for (int k = 0; k < x->s.nu; k++) there += x->v[k] / far * x->force[k];
    *does = there <= here - 0.5 * far * here;
  }
  return cdni_equilibrium_place(x, x->q0, 0);
}

/* The largest displacement of Newton's own step, which moves also what counts as balanced. */
static cdn_status newton_step(search *x, double *most) {
  const size_t nu = (size_t)x->s.nu;
  bool *balanced = cdn_work_push(x->rest, nu + 1);
  if (!balanced) return cdni_state_fail(x->rest, CDN_ERR_NOMEM, false, x->function, NULL, "out of memory");
  memcpy(balanced, x->balanced, nu), memset(x->balanced, 0, nu);
  *most = cdni_equilibrium_step(x, FAR);
  memcpy(x->balanced, balanced, nu);
  cdn_work_pop(x->rest, balanced);
  return CDN_OK;
}

/* Where accelerations are within a tolerance that grows with the stiffness: whether that is one. (Where friction sticks
 * stiffness is not symmetric: the energy's model does not tell how forces change along a step.) */
static cdn_status is_balanced(search *x, bool *is) {
  double most;
  if (x->sticks) return CDN_OK;
  CDNI_TRY(newton_step(x, &most));
  return most > 0 && most <= BEYOND * x->def->tolerance ? pushes_back(x, most, is) : CDN_OK;
}

/* At the edge of where nothing acts no stiffness is left to measure by: whether forces are rounding of those on the
 * way, and Newton's own step is tiny. */
static cdn_status has_faded(search *x, bool *has) {
  double size, most;
  CDNI_TRY(cdni_equilibrium_imbalance(x, &size));
  *has = x->goal == CDN_EQUILIBRIUM_STABLE && x->report->unstable == 0 && size <= ROUNDING * x->largest;
  if (!*has) return CDN_OK;
  CDNI_TRY(newton_step(x, &most));
  *has = most <= TINY;
  return CDN_OK;
}

/* Where no step is left: whether that is because Newton's own would hardly go anywhere, and balance all that there
 * is. */
static cdn_status is_as_near_as_can_be(search *x, bool *is) {
  const bool stable = x->goal == CDN_EQUILIBRIUM_STABLE;
  double size, most;
  *is = false;
  if (stable && x->def->goal == CDN_EQUILIBRIUM_STABLE && x->report->unstable > 0) return CDN_OK;
  if (!(cdni_equilibrium_step(x, FAR) <= NEARLY_THERE)) return CDN_OK;
  if (stable) {
    CDNI_TRY(newton_step(x, &most));
    return pushes_back(x, most, is);
  }
  CDNI_TRY(cdni_equilibrium_imbalance(x, &size));
  *is = cdni_equilibrium_promise(x) > 0.5 * size;
  return CDN_OK;
}

/* Whether the last steps hardly improved the balance: where accelerations are smallest but not zero, steps may creep
 * for ever. *mark is the imbalance at the last check. */
static cdn_status creeps(search *x, int steps, double *mark, bool *stuck) {
  double size;
  *stuck = false;
  if (x->goal == CDN_EQUILIBRIUM_STABLE || steps % PATIENCE != 0) return CDN_OK;
  CDNI_TRY(cdni_equilibrium_imbalance(x, &size));
  *stuck = size > HARDLY * *mark;
  *mark = size;
  return CDN_OK;
}

/* Newton's own step, kept if it improves the balance and does not change the kind of the equilibrium. (At the edge of a
 * stop, rounding would decide whether the stop is stiff.) */
static cdn_status polish_once(search *x, bool *better) {
  const cdn_equilibrium before = *x->report;
  double size_before, size;
  cdni_walk w;
  *better = false;
  CDNI_TRY(cdni_equilibrium_begin_step(x));
  CDNI_TRY(cdni_equilibrium_imbalance(x, &size_before));
  const double most = cdni_equilibrium_step(x, FAR);
  if (!(size_before > 0) || !(most <= x->def->largest_step)) return CDN_OK;
  if (cdni_equilibrium_walk(x, &w) == CDN_OK && cdni_equilibrium_imbalance(x, &size) == CDN_OK &&
      (x->goal == CDN_EQUILIBRIUM_STABLE ? is_converged(&w, size_before, size, most) : size < 0.5 * size_before)) {
    CDNI_TRY(look(x));
    CDNI_TRY(cdni_equilibrium_model_fill(x));
    x->report->work += w.work;
    *better = x->report->stable == before.stable && x->report->unstable == before.unstable;
    if (*better) return CDN_OK;
  }
  *x->report = before;
  CDNI_TRY(cdni_equilibrium_place(x, x->q0, 0));
  return cdni_equilibrium_model_fill(x);
}

/* Within the tolerance, Newton's steps lead to the limit of rounding. */
static cdn_status polish(search *x) {
  bool better = true;
  for (int i = 0; i < MOST_POLISHING && better; i++) CDNI_TRY(polish_once(x, &better));
  return CDN_OK;
}

/* With many coordinates a step of Newton's costs as much as very many of descent.c, which comes near a minimum without
 * matrices. Newton's steps end the way, and tell what kind of equilibrium it is. What friction remembers does not
 * follow a descent, and no gap ends it. */
static cdn_status come_near(search *x) {
  if (x->goal != CDN_EQUILIBRIUM_STABLE || x->friction.n > 0 || x->nu < MANY || !(x->length > 0) || x->hybrid)
    return CDN_OK;
  descent d = { .x = x,
                .least_step = NEAR,
                .largest_step = fmin(x->def->largest_step, MOST_OF_DESCENT),
                .most_evaluations = x->def->most_iterations };
  double *memory = cdn_work_push(x->from, cdni_descent_divide(&d, NULL) * sizeof *memory);
  if (!memory) return cdni_state_fail(x->rest, CDN_ERR_NOMEM, false, x->function, NULL, "out of memory");
  cdni_descent_divide(&d, memory);
  const cdn_status status = cdni_descent_run(&d);
  x->report->iterations += d.iterations;
  cdn_work_pop(x->from, memory);
  return status;
}

/* From where the State is; *found tells whether the way ends in an equilibrium. */
static cdn_status find(search *x, bool *found) {
  bool done = false, stuck = false;
  double mark = INFINITY;
  x->radius = FAR;
  CDNI_TRY(cdni_statics_friction_hold(x->rest));
  CDNI_TRY(cdn_realize(x->rest, CDN_STAGE_ACCELERATION));
  CDNI_TRY(come_near(x));
  for (int steps = 0;; steps++, x->report->iterations++) {
    CDNI_TRY(look(x));
    CDNI_TRY(cdni_equilibrium_model_fill(x));
    *found = has_arrived(x);
    if (*found) CDNI_TRY(is_balanced(x, found));
    else CDNI_TRY(has_faded(x, found));
    const bool arrived = *found;
    if (done && !arrived) CDNI_TRY(is_as_near_as_can_be(x, found));
    if (*found) {
      bool rests;
      CDNI_TRY(cdni_equilibrium_settle(x, &rests));
      done = done && rests, *found = rests;
      if (!rests) x->falls = x->moved <= NEARLY_THERE, x->moved = 0, x->radius = FAR;
      if (!rests && steps < x->def->most_iterations) continue;
    }
    if (*found && (arrived ? x->report->iterations > 0 : x->goal == CDN_EQUILIBRIUM_STABLE)) return polish(x);
    x->no_step = done;
    if (*found || done || stuck || steps >= x->def->most_iterations) return CDN_OK;
    CDNI_TRY(one_iteration(x, &done));
    x->falls = false;
    CDNI_TRY(creeps(x, steps, &mark, &stuck));
  }
}

/* The message names the coordinate with most of the imbalance: the one that falls, not the lightest one that swings
 * on it. */
static cdn_status no_equilibrium(search *x) {
  const double *udot = cdn_state_udot(x->rest);
  const int iterations = x->report->iterations;
  double most = -1, acceleration = x->report->unbalanced;
  char name[sizeof x->report->worst] = "";
  for (int k = 0; udot && k < x->s.nu; k++)
    if (fabs(udot[k]) * sqrt(x->s.mass[k]) > most) {
      most = fabs(udot[k]) * sqrt(x->s.mass[k]), acceleration = fabs(udot[k]);
      cdn_system_slot_name(cdn_state_system(x->rest), CDN_POOL_U, k, name, sizeof name);
    }
  char reason[200];
  if (x->no_step)
    cdni_print(reason, sizeof reason,
               "no step from there gives up energy: forces jump there, or a potential is not that of its force "
               "(cdn_check_force tells)");
  else
    cdni_print(reason, sizeof reason,
               "the last one still gave up %g J: nothing holds the model, or it needs more of them", x->gained);
  return cdni_state_fail(
      x->rest, CDN_ERR_LIMIT, false, x->function, name,
      "no equilibrium was found in %d iteration%s: from rest '%s' still accelerates at %g, and there "
      "are %d unstable directions; %s",
      iterations, iterations == 1 ? "" : "s", name, acceleration, x->report->unstable, reason);
}

static cdn_status run(search *x) {
  const size_t nq = (size_t)cdn_system_nq(cdn_state_system(x->rest));
  bool found;
  x->goal = x->def->goal;
  x->length = cdni_matter_length(cdni_matter(cdn_state_system(x->rest)), x->rest);
  CDNI_TRY(cdni_equilibrium_begin_sides(x));
  memcpy(x->start, cdn_state_q(x->rest), nq * sizeof *x->start);
  const cdn_status status = find(x, &found);
  if (status != CDN_OK && (x->goal == CDN_EQUILIBRIUM_STABLE || status == CDN_ERR_NOMEM)) return status;
  if (status != CDN_OK || (!found && x->goal == CDN_EQUILIBRIUM_ANY)) {
    /* accelerations may be least where they are not zero, or where the constraints cannot hold, but not energy */
    x->goal = CDN_EQUILIBRIUM_STABLE;
    CDNI_TRY(cdn_state_set_q(x->rest, x->start));
    CDNI_TRY(cdni_statics_friction_copy(x->rest, x->from));
    if (x->hybrid) CDNI_TRY(cdni_hybrid_copy_statuses(x->hybrid, x->rest, x->from));
    CDNI_TRY(cdni_equilibrium_begin_sides(x));
    CDNI_TRY(find(x, &found));
  }
  if (found) return x->hybrid ? cdn_settle(x->rest, 0) : CDN_OK;
  return no_equilibrium(x);
}

static size_t divide(search *x, double *at) {
  const size_t walk = cdni_equilibrium_walk_divide(x, at);
  return walk + cdni_equilibrium_model_divide(x, x->nu, at ? at + walk : NULL);
}

/* In model units, ten times the displacements that rounding may hide: a smaller largest_step could not be
 * distinguished from an end. */
static const double LEAST_RADIUS = 1e-8;

static cdn_status check_def(cdn_state *state, const cdn_equilibrium_def *def) {
  if (!(def->tolerance > 0) || !(def->largest_step >= LEAST_RADIUS) || def->most_iterations < 1)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                           "tolerance %g and %d iterations must be positive, and the largest step %g at least %g",
                           def->tolerance, def->most_iterations, def->largest_step, LEAST_RADIUS);
  return CDN_OK;
}

/* Writes the result to the caller's State: q that is not prescribed, the memory of friction, u = 0, statuses. */
static cdn_status hand_over(cdn_state *state, const search *x) {
  cdn_state *rest = x->rest;
  CDNI_TRY(cdn_state_set_q(state, cdn_state_q(rest)));
  CDNI_TRY(cdni_statics_friction_copy(state, rest));
  CDNI_TRY(cdn_state_set_u(state, cdn_state_u(rest)));
  return x->hybrid ? cdni_hybrid_copy_statuses(x->hybrid, state, rest) : CDN_OK;
}

static cdn_status find_rest(cdn_state *state, const cdn_equilibrium_def *def, cdn_equilibrium *report) {
  cdn_equilibrium_def known;
  const char *unreadable = read_equilibrium_def(&known, def ? def : &equilibrium_def_defaults);
  search x = { .function = function, .def = &known, .report = report, .from = state };
  x.hybrid = cdni_hybrid(cdn_state_system(state));
  *report = (cdn_equilibrium){ .unbalanced = INFINITY };
  if (unreadable) return cdni_state_fail(state, CDN_ERR_VERSION, false, function, NULL, "%s", unreadable);
  CDNI_TRY(check_def(state, x.def));
  if (x.hybrid) CDNI_TRY(cdni_hybrid_refuse_kept(x.hybrid, state, function));
  CDNI_TRY(cdni_rest_state(state, function, &x.rest));
  double *memory = cdn_work_push(state, divide(&x, NULL) * sizeof *memory);
  cdn_status status = CDN_OK;
  if (!memory) status = cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  else {
    divide(&x, memory);
    status = run(&x);
    if (status == CDN_OK) status = hand_over(state, &x);
  }
  cdn_work_pop(state, memory);
  cdni_rest_destroy(state, x.rest, status);
  return status;
}

cdn_status cdn_find_equilibrium_sized(cdn_state *state, const cdn_equilibrium_def *def, cdn_equilibrium *out,
                                      size_t size) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  cdn_equilibrium report;
  const cdn_status status = find_rest(state, def, &report);
  cdni_sized_write(out, size, &report, sizeof report);
  return status;
}
