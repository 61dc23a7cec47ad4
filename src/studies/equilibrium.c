/* Static equilibrium by Newton's method in a trust region: the way. Where each step leads to is equilibrium_model.c's. */
#include "studies/equilibrium.h"

#include <math.h>

#include "contact/contact.h"
#include "matter/operators.h"

static const char function[] = "cdn_find_equilibrium";

static const double NEARLY_THERE = 1e-9; /* rad, m: rounding may hide further improvement below this */
static const double CONSTRAINTS = 1e-10; /* units */
static const double HARDLY = 0.99;       /* less improvement than this hardly counts */
static const int PATIENCE = 20;          /* iterations */
static const double FAR = 1e100;         /* radius: as far as the model likes */

CDNI_DEF(equilibrium_def, .tolerance = 1e-8, .largest_step = 0.5, .most_iterations = 500);

static cdn_projection_def tight(void) {
  cdn_projection_def def = cdn_default_projection_def();
  def.tolerance = CONSTRAINTS;
  return def;
}

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

/* |udot|_M here. */
static cdn_status imbalance(search *x, double *size) {
  const double *udot = cdn_state_udot(x->rest);
  if (!udot) return cdni_state_last_status(x->rest);
  CDNI_TRY(cdn_multiply_by_M(x->rest, udot, x->force));
  *size = 0;
  for (int k = 0; k < x->s.nu; k++) *size += udot[k] * x->force[k];
  *size = sqrt(fmax(0, *size));
  return CDN_OK;
}

/* Power of all forces where the State is, for q changing at this rate. */
static cdn_status power(search *x, const double *qdot, double *out) {
  CDNI_TRY(cdni_state_multiply_by_N_inv(x->rest, qdot, x->along));
  CDNI_TRY(cdn_residual(x->rest, NULL, x->force));
  *out = 0;
  for (int k = 0; k < x->s.nu; k++) *out -= x->along[k] * x->force[k];
  return CDN_OK;
}

/* The memory of friction follows the bodies. */
static cdn_status follow(search *x, double scale) {
  const size_t nz = (size_t)cdn_system_nz(cdn_state_system(x->rest));
  if (x->friction.n == 0) return CDN_OK;
  memcpy(x->z, x->z0, nz * sizeof *x->z);
  cdni_statics_friction_follow(&x->friction, x->s.nu, scale, x->v, x->z);
  return cdn_state_set_z(x->rest, x->z);
}

static cdn_status place(search *x, const double *q, double scale) {
  CDNI_TRY(cdn_state_set_q(x->rest, q));
  return follow(x, scale);
}

/* To q0 + scale N v, and back to the constraints; q is where that is. */
static cdn_status move(search *x, double scale, double *q) {
  const cdn_projection_def def = tight();
  const size_t nq = (size_t)cdn_system_nq(cdn_state_system(x->rest));
  CDNI_TRY(cdn_state_set_q(x->rest, x->q0));
  CDNI_TRY(cdni_state_multiply_by_N(x->rest, x->v, q));
  for (size_t k = 0; k < nq; k++) q[k] = x->q0[k] + scale * q[k];
  cdni_state_normalize_q(x->rest, q, NULL);
  CDNI_TRY(place(x, q, scale));
  CDNI_TRY(cdn_project_q(x->rest, &def, &x->report->constraint_error));
  if (nq) memcpy(q, cdn_state_q(x->rest), nq * sizeof *q);
  return CDN_OK;
}

static void begin_step(search *x) {
  const cdn_system *system = cdn_state_system(x->rest);
  memcpy(x->q0, cdn_state_q(x->rest), (size_t)cdn_system_nq(system) * sizeof *x->q0);
  if (x->friction.n > 0) memcpy(x->z0, cdn_state_z(x->rest), (size_t)cdn_system_nz(system) * sizeof *x->z0);
}

/* Takes the step v, by way of its middle, and the work of all forces on it: Simpson's rule on the parabola through the three
 * places. Forces without a potential, or none that is known, count like others. */
static cdn_status walk(search *x, double *work) {
  const int nq = cdn_system_nq(cdn_state_system(x->rest));
  double *rate = x->rate, P[3];
  CDNI_TRY(move(x, 1, x->q));
  CDNI_TRY(move(x, 0.5, x->middle));
  for (int k = 0; k < nq; k++) rate[k] = x->q[k] - x->q0[k];
  CDNI_TRY(power(x, rate, &P[1]));
  CDNI_TRY(place(x, x->q0, 0));
  for (int k = 0; k < nq; k++) rate[k] = 4 * x->middle[k] - 3 * x->q0[k] - x->q[k];
  CDNI_TRY(power(x, rate, &P[0]));
  CDNI_TRY(place(x, x->q, 1));
  for (int k = 0; k < nq; k++) rate[k] = 3 * x->q[k] - 4 * x->middle[k] + x->q0[k];
  CDNI_TRY(power(x, rate, &P[2]));
  *work = (P[0] + 4 * P[1] + P[2]) / 6;
  return cdn_realize(x->rest, CDN_STAGE_ACCELERATION);
}

/* The best step of at most the radius in which no coordinate moves too far; returns its largest displacement. */
static double limited_step(search *x) {
  double most = cdni_equilibrium_step(x, x->radius);
  while (most > x->def->largest_step) { /* in the model's own measure it may be anything */
    x->radius = 0.9 * cdni_equilibrium_length(x) * x->def->largest_step / most;
    most = cdni_equilibrium_step(x, x->radius);
  }
  return most;
}

/* Tries steps until one is as good as predicted; *done if no step is left to try. */
static cdn_status one_iteration(search *x, bool *done) {
  const bool stable = x->goal == CDN_EQUILIBRIUM_STABLE;
  begin_step(x);
  cdn_status failed = CDN_OK;
  double before, work = 0;
  CDNI_TRY(imbalance(x, &before));
  for (int attempt = 0; attempt < 60 && limited_step(x) > CDNI_NOT_A_STEP; attempt++) {
    double size = INFINITY;
    const double expected = cdni_equilibrium_promise(x), length = cdni_equilibrium_length(x);
    const cdn_status status = walk(x, &work);
    if (status == CDN_OK) CDNI_TRY(imbalance(x, &size));
    const double ratio = status == CDN_OK ? (stable ? work : before - size) / expected : -1;
    /* close to the end rounding hides the work, but not that accelerations fall */
    const bool settles = status == CDN_OK && size < 0.5 * before && (!stable || x->report->unstable == 0);
    if (ratio > 0.1 || settles) {
      x->report->work += work;
      if (ratio > 0.75 && length > 0.8 * x->radius) x->radius *= 2;
      return cdni_contact_settle(x->rest);
    }
    failed = status;
    CDNI_TRY(place(x, x->q0, 0));
    x->radius = 0.25 * length;
  }
  CDNI_TRY(failed);
  *done = true;
  return CDN_OK;
}

/* ---- the search ---- */

static bool has_arrived(const search *x) {
  return x->report->unbalanced <= x->def->tolerance &&
         (x->def->goal == CDN_EQUILIBRIUM_ANY || x->report->unstable == 0);
}

/* Where no step is left: whether that is because Newton's own would hardly go anywhere, and balance all that there is. */
static bool is_as_near_as_can_be(search *x) {
  const bool stable = x->goal == CDN_EQUILIBRIUM_STABLE;
  if (stable && x->def->goal == CDN_EQUILIBRIUM_STABLE && x->report->unstable > 0) return false;
  double size;
  return cdni_equilibrium_step(x, FAR) <= NEARLY_THERE &&
         (stable || (imbalance(x, &size) == CDN_OK && cdni_equilibrium_promise(x) > 0.5 * size));
}

/* Whether the last steps hardly improved the balance: where accelerations are smallest but not zero, steps may creep
 * for ever. *mark is the imbalance at the last check. */
static cdn_status creeps(search *x, int steps, double *mark, bool *stuck) {
  double size;
  *stuck = false;
  if (x->goal == CDN_EQUILIBRIUM_STABLE || steps % PATIENCE != 0) return CDN_OK;
  CDNI_TRY(imbalance(x, &size));
  *stuck = size > HARDLY * *mark;
  *mark = size;
  return CDN_OK;
}

/* Within the tolerance, Newton's own step leads to the limit of rounding: it is kept if it improves the balance and
 * does not change the kind of the equilibrium. (At the edge of a stop, rounding would decide whether the stop is
 * stiff.) */
static cdn_status polish(search *x) {
  const cdn_equilibrium before = *x->report;
  double size_before, work, size;
  begin_step(x);
  CDNI_TRY(imbalance(x, &size_before));
  if (!(cdni_equilibrium_step(x, FAR) <= x->def->largest_step)) return CDN_OK;
  if (walk(x, &work) == CDN_OK && imbalance(x, &size) == CDN_OK && size < 0.5 * size_before) {
    CDNI_TRY(look(x));
    CDNI_TRY(cdni_equilibrium_model_fill(x));
    x->report->work += work;
    if (x->report->stable == before.stable && x->report->unstable == before.unstable) return CDN_OK;
  }
  *x->report = before;
  return place(x, x->q0, 0);
}

/* From where the State is; *found tells whether the way ends in an equilibrium. */
static cdn_status find(search *x, bool *found) {
  bool done = false, stuck = false;
  double mark = INFINITY;
  x->radius = FAR;
  CDNI_TRY(cdni_contact_settle(x->rest));
  CDNI_TRY(cdn_realize(x->rest, CDN_STAGE_ACCELERATION));
  for (int steps = 0;; steps++, x->report->iterations++) {
    CDNI_TRY(look(x));
    CDNI_TRY(cdni_equilibrium_model_fill(x));
    *found = has_arrived(x);
    if (*found) return x->report->iterations > 0 ? polish(x) : CDN_OK;
    *found = done && is_as_near_as_can_be(x);
    if (*found || done || stuck || steps >= x->def->most_iterations) return CDN_OK;
    CDNI_TRY(one_iteration(x, &done));
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
  return cdni_state_fail(
      x->rest, CDN_ERR_LIMIT, false, x->function, name,
      "no equilibrium was found in %d iteration%s: from rest '%s' still accelerates at %g (tolerance %g), "
      "unstable directions: %d; there may be none (nothing holds the model), or a longer way to it",
      iterations, iterations == 1 ? "" : "s", name, acceleration, x->def->tolerance, x->report->unstable);
}

static cdn_status run(search *x) {
  const cdn_projection_def def = tight();
  const size_t nq = (size_t)cdn_system_nq(cdn_state_system(x->rest));
  bool found;
  x->goal = x->def->goal;
  CDNI_TRY(cdn_project_q(x->rest, &def, &x->report->constraint_error));
  memcpy(x->start, cdn_state_q(x->rest), nq * sizeof *x->start);
  CDNI_TRY(find(x, &found));
  if (!found &&
      x->goal == CDN_EQUILIBRIUM_ANY) { /* accelerations may be least where they are not zero, but not energy */
    x->goal = CDN_EQUILIBRIUM_STABLE;
    CDNI_TRY(cdn_state_set_q(x->rest, x->start));
    CDNI_TRY(cdni_contact_copy_memory(x->rest, x->from));
    CDNI_TRY(find(x, &found));
  }
  if (found) return CDN_OK;
  return no_equilibrium(x);
}

static size_t divide(search *x, int nq, int nu, int nz, double *at) {
  double **const coordinates[] = { &x->q, &x->q0, &x->middle, &x->rate, &x->start };
  for (int k = 0; at && k < CDNI_COUNT(coordinates); k++) *coordinates[k] = at, at += nq;
  double **const auxiliary[] = { &x->z, &x->z0 };
  for (int k = 0; at && k < CDNI_COUNT(auxiliary); k++) *auxiliary[k] = at, at += nz;
  double **const mobilities[] = { &x->force, &x->along };
  for (int k = 0; at && k < CDNI_COUNT(mobilities); k++) *mobilities[k] = at, at += nu;
  return cdni_equilibrium_model_divide(x, nu, at) + (size_t)nq * CDNI_COUNT(coordinates) +
         (size_t)nz * CDNI_COUNT(auxiliary) + (size_t)nu * CDNI_COUNT(mobilities);
}

/* Ten times the displacements that rounding may hide: a smaller largest_step could not be distinguished from an end. */
static const double LEAST_RADIUS = 1e-8;

static cdn_status check_def(cdn_state *state, const cdn_equilibrium_def *def) {
  if (!(def->tolerance > 0) || !(def->largest_step >= LEAST_RADIUS) || def->most_iterations < 1)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                           "tolerance %g and %d iterations must be positive, and the largest step %g at least %g",
                           def->tolerance, def->most_iterations, def->largest_step, LEAST_RADIUS);
  return CDN_OK;
}

/* Writes the result to the caller's State: q that is not prescribed, the memory of friction, and u = 0. */
static cdn_status hand_over(cdn_state *state, cdn_state *rest) {
  CDNI_TRY(cdn_state_set_q(state, cdn_state_q(rest)));
  CDNI_TRY(cdni_contact_copy_memory(state, rest));
  return cdn_state_set_u(state, cdn_state_u(rest));
}

static cdn_status find_rest(cdn_state *state, const cdn_equilibrium_def *def, cdn_equilibrium *report) {
  cdn_equilibrium_def known;
  const char *unreadable = read_equilibrium_def(&known, def ? def : &equilibrium_def_defaults);
  search x = { .function = function, .def = &known, .report = report, .from = state };
  *report = (cdn_equilibrium){ .unbalanced = INFINITY };
  if (unreadable) return cdni_state_fail(state, CDN_ERR_VERSION, false, function, NULL, "%s", unreadable);
  CDNI_TRY(check_def(state, x.def));
  CDNI_TRY(cdni_rest_state(state, function, &x.rest));
  const cdn_system *system = cdn_state_system(state);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system), nz = cdn_system_nz(system);
  double *memory = cdn_work_push(state, divide(&x, nq, nu, nz, NULL) * sizeof *memory);
  cdn_status status = CDN_OK;
  if (!memory) status = cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  else {
    divide(&x, nq, nu, nz, memory);
    status = run(&x);
    if (status == CDN_OK) status = hand_over(state, x.rest);
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
