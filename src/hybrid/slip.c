/* Forces that follow reactions: that of friction that slips is sigma = mu(v) N against the slip, where N may be made of
 * multipliers, which depend on all forces; one that keeps a reaction is what makes that reaction its value. Which
 * sigma agree with their own multipliers is found elsewhere (agree.c). */
#include <math.h>
#include <stdio.h>

#include "hybrid/press.h"
#include "hybrid/slip.h"

cdn_status cdni_friction_slip(const hybrid_room *room, cdn_state *state, int i, double v[2]) {
  double along[2] = { 0, 0 };
  v[0] = v[1] = 0;
  CDNI_TRY(cdni_constraint_rates(room->constraints, state, friction_at(room, i)->slip, along, v));
  v[1] *= friction_scale(room, state, i, 1);
  return CDN_OK;
}

/* Along one equation the direction is that of the status: a slip that has turned back within a step has come to rest,
 * the step ends there, and until then the force continues smoothly. Along two it is that of the speed; where a slip
 * begins (below), that of the status comes first. */
void cdni_friction_direction(const double *numbers, int n, const double v[2], double e[2]) {
  const double *d = numbers + FRICTION_DIRECTION, length = hypot(v[0], v[1]);
  e[0] = d[0], e[1] = d[1];
  if (n > 1 && numbers[FRICTION_REST] >= 0 && length > 0) e[0] = v[0] / length, e[1] = v[1] / length;
}

/* ---- the forces that follow ---- */

follower cdni_follower(const hybrid_room *room, int i) {
  const int kept = i - hybrid_frictions(room);
  if (kept >= 0) return (follower){ kept_at(room, kept)->name, kept_at(room, kept)->push, 1, true };
  return (follower){ friction_at(room, i)->name, friction_at(room, i)->slip, friction_at(room, i)->n, false };
}

bool cdni_follower_acts(const hybrid_room *room, const double *statuses, int i) {
  const int kept = i - hybrid_frictions(room);
  return kept >= 0 ? kept_acts_in(room, statuses, kept) : friction_status_in(room, statuses, i) == CDN_FRICTION_SLIP;
}

/* The first whose force is not zero whatever presses; -1: none. */
static int first_follower(const hybrid_room *room, const cdn_state *state) {
  const double *statuses = hybrid_statuses(room, state);
  for (int i = 0; i < hybrid_followers(room); i++) {
    if (!cdni_follower_acts(room, statuses, i)) continue;
    if (i >= hybrid_frictions(room)) return i;
    const double *p = friction_params(room, state, i);
    if (p[FRICTION_DYNAMIC] > 0 || p[FRICTION_VISCOUS] > 0) return i;
  }
  return -1;
}

bool cdni_hybrid_follower_text(const hybrid_room *room, const cdn_state *state, char *text, size_t size,
                               const char **does) {
  const int i = first_follower(room, state);
  if (i < 0) return false;
  const follower x = cdni_follower(room, i);
  *does = x.keeps ? "keeps a reaction" : "slips";
  if (x.keeps) snprintf(text, size, "%s", x.name);
  else cdn_dry_friction_text(state, (cdn_dry_friction){ i }, text, size);
  return true;
}

bool cdni_hybrid_follows(const hybrid_room *room, const cdn_state *state) { return first_follower(room, state) >= 0; }

double *cdni_hybrid_forces(const hybrid_room *room, cdn_state *state) {
  return cdni_state_storage(state, room->forces);
}

/* One that keeps a reaction pushes along its equation, whatever the speed. */
cdn_status cdni_follower_law(const hybrid_room *room, cdn_state *state, int i, friction_law *out) {
  if (i < hybrid_frictions(room)) return cdni_friction_law(room, state, i, out);
  *out = (friction_law){ .e = { 1, 0 }, .pull = { 1, 0 }, .scale = 1 };
  return CDN_OK;
}

/* ---- a slip that begins ----
 *
 * The direction of a speed that is almost zero follows the forces within m v / (mu N), and would keep steps as short.
 * What it follows to is known: the direction along which the slip accelerates (8.84). Friction in that direction is
 * wrong by the part v e' / (mu N / m) where e turns with e', so speeds across it by v turn / 3. Until that comes to the
 * accuracy ("is fast") or forces that brake the slip no longer let it follow, this direction is solved for. */

bool cdni_friction_begins(const hybrid_room *room, const double *statuses, int i) {
  if (i >= hybrid_frictions(room) || friction_at(room, i)->n < 2) return false;
  return friction_status_in(room, statuses, i) == CDN_FRICTION_SLIP &&
         friction_numbers_in(room, statuses, i)[FRICTION_BEGINS] != 0;
}

double cdni_friction_steers(const hybrid_room *room, cdn_state *state, int i) {
  return cdni_friction_begins(room, hybrid_statuses(room, state), i) ? hybrid_steers(room, state)[i] : NAN;
}

double cdni_hybrid_ease(const hybrid_room *room, cdn_state *state) { return *hybrid_ease(room, state); }

cdn_status cdni_friction_law(const hybrid_room *room, cdn_state *state, int i, friction_law *out) {
  const double *numbers = friction_numbers(room, state, i), *p = friction_params(room, state, i);
  CDNI_TRY(cdni_friction_slip(room, state, i, out->v));
  cdni_friction_direction(numbers, friction_at(room, i)->n, out->v, out->e);
  out->along = out->v[0] * out->e[0] + out->v[1] * out->e[1];
  out->scale = p[FRICTION_RATIO];
  out->pull[0] = out->e[0], out->pull[1] = out->e[1] * out->scale;
  out->mu = p[FRICTION_DYNAMIC] + p[FRICTION_VISCOUS] * fabs(out->along);
  return CDN_OK;
}

cdn_status cdni_hybrid_load_slips(const hybrid_room *room, cdn_state *state, bool *depends) {
  double *forces = cdni_hybrid_forces(room, state);
  const double *statuses = hybrid_statuses(room, state);
  bool follows = false, joints = false;
  memset(forces, 0, (size_t)hybrid_followers(room) * 2 * sizeof *forces);
  *hybrid_ease(room, state) = 1;
  for (int i = 0; i < hybrid_kept(room); i++) joints = joints || kept_acts_in(room, statuses, i);
  for (int i = 0; i < hybrid_frictions(room); i++) {
    friction_law law;
    if (friction_status_in(room, statuses, i) != CDN_FRICTION_SLIP) continue;
    const dry_friction *x = friction_at(room, i);
    follows = follows || x->normal >= 0 || x->reaction >= 0;
    joints = joints || x->joint >= 0 || cdni_friction_begins(room, statuses, i);
    CDNI_TRY(cdni_friction_law(room, state, i, &law));
    const double load = friction_params(room, state, i)[FRICTION_LOAD];
    for (int k = 0; k < x->n; k++) forces[2 * i + k] = -law.mu * load * law.pull[k];
  }
  *depends = joints || (follows && cdni_constraint_any_enabled(room->constraints, state));
  return CDN_OK;
}

cdn_status cdni_hybrid_push(const hybrid_room *room, cdn_state *state, sv *F, double *f) {
  const double *forces = cdni_hybrid_forces(room, state);
  const double *statuses = hybrid_statuses(room, state);
  for (int i = 0; i < hybrid_followers(room); i++)
    if (cdni_follower_acts(room, statuses, i))
      CDNI_TRY(cdni_constraint_push(room->constraints, state, cdni_follower(room, i).push, forces + 2 * i, F, f));
  return CDN_OK;
}

/* ---- what agrees with multipliers ---- */

int cdni_hybrid_list_slips(const hybrid_room *room, const cdn_state *state, int *elements) {
  int n = 0;
  const double *statuses = hybrid_statuses(room, state);
  for (int i = 0; i < hybrid_followers(room); i++)
    if (cdni_follower_acts(room, statuses, i)) {
      if (elements) elements[n] = i;
      n++;
    }
  return n;
}

cdn_status cdni_slip_columns(const hybrid_room *room, cdn_state *state, int n, const int *elements,
                             const friction_law *laws, double *G, double *X) {
  const size_t nu = (size_t)room->matter->tree.nu, width = (size_t)n;
  for (size_t i = 0; i < width; i++) {
    const follower x = cdni_follower(room, elements[i]);
    CDNI_TRY(cdni_constraint_full_rows(room->constraints, state, x.push, G));
    for (size_t u = 0; u < nu; u++) {
      double sum = 0;
      for (int k = 0; k < x.n; k++) sum -= laws[i].pull[k] * G[(size_t)k * nu + u];
      X[u * width + i] = sum;
    }
  }
  return CDN_OK;
}

cdn_status cdni_slip_joints(const hybrid_room *room, cdn_state *state, int n, const int *elements,
                            const friction_law *laws, const double *X, const double *L, double *J) {
  const size_t width = (size_t)n;
  for (size_t i = 0; i < width; i++) {
    const double force[2] = { -laws[i].pull[0], -laws[i].pull[1] };
    const joint_cause cause = { X + i, L + i, width, width, cdni_follower(room, elements[i]).push, force };
    CDNI_TRY(cdni_joint_change(room, state, &cause, width, J + i));
  }
  return CDN_OK;
}

<<<<<<< HEAD
typedef struct slip_problem {
  const hybrid_room *room;
  cdn_state *state;
  int n, m; /* followers; equations of all constraints */
  int *elements;
  friction_law *laws;
  double *base, *sigma;  /* of the solution with multipliers lambda0, and now */
  const loop_plan *plan; /* of the constraints that are on */
  const double *lambda0;
  double *lambda;                 /* of all constraints; zero of those that are off */
  double *columns;                /* m x n: the change of lambda by each sigma */
  double *joints0, *joints, *J;   /* the same of what mobilizers transmit: 3 numbers of each, and 3 x n */
  double *X;                      /* nu x n */
  double *G;                      /* 2 x nu */
  double *A, *r, *step, *inverse; /* of Newton's method */
  double ease;
} slip_problem;

static size_t divide(slip_problem *p, char *frame) {
  const size_t n = (size_t)p->n, m = (size_t)p->m, nu = (size_t)p->room->matter->tree.nu, d = sizeof(double);
  const size_t joints = 3 * (size_t)p->room->joints;
  size_t at = 0;
  p->elements = cdni_part(frame, &at, n, sizeof *p->elements);
  p->laws = cdni_part(frame, &at, n, sizeof *p->laws);
  p->base = cdni_part(frame, &at, n, d), p->sigma = cdni_part(frame, &at, n, d);
  p->lambda = cdni_part(frame, &at, m, d), p->columns = cdni_part(frame, &at, m * n, d);
  p->X = cdni_part(frame, &at, nu * n, d), p->G = cdni_part(frame, &at, 2 * nu, d);
  p->joints0 = cdni_part(frame, &at, joints, d), p->joints = cdni_part(frame, &at, joints, d);
  p->J = cdni_part(frame, &at, joints * n, d);
  p->A = cdni_part(frame, &at, n * n, d), p->r = cdni_part(frame, &at, n, d);
  p->inverse = cdni_part(frame, &at, n * n, d);
  p->step = cdni_part(frame, &at, n, d);
  return at;
}

/* to = from + columns (sigma - base), of m numbers: the first ones, or those that are listed. */
static void follow(const slip_problem *p, int m, const int32_t *which, const double *from, const double *columns,
                   double *to) {
  for (int i = 0; i < m; i++) {
    const int k = which ? which[i] : i;
    to[k] = from[k];
    for (int j = 0; j < p->n; j++) to[k] += columns[k * p->n + j] * (p->sigma[j] - p->base[j]);
  }
}

/* A force that changes what it keeps by more than this part of what others do is measured by its own effect. */
static const double OWN = 1e-6;

/* One equation of Newton's method: sigma = mu N, or that a reaction has its value, scaled by what its
 * force does to it. */
static void set_equation(slip_problem *p, int i, const pressing *at) {
  double *row = p->A + (size_t)i * (size_t)p->n, most = 0;
  const int kept = p->elements[i] - hybrid_frictions(p->room);
  if (kept >= 0) {
    p->r[i] = kept_value(p->room, p->state, kept) - cdni_kept_now(p->room, kept, at, row);
    for (int j = 0; j < p->n; j++) most = fmax(most, fabs(row[j]));
    if (fabs(row[i]) > OWN * most) most = fabs(row[i]);
    for (int j = 0; j < p->n && most > 0; j++) row[j] /= most;
    if (most > 0) p->r[i] /= most;
    return;
  }
  const double mu = p->laws[i].mu, N = cdni_friction_press(p->room, p->state, p->elements[i], at, row);
  for (int j = 0; j < p->n; j++) row[j] *= -mu;
  row[i] += 1;
  p->r[i] = mu * N - p->sigma[i];
}

/* A and r at sigma. */
static void compare(slip_problem *p) {
  const int n = p->n;
  const pressing at = { p->lambda, p->joints, n, p->columns, p->J };
  follow(p, p->plan->m, p->plan->row, p->lambda0, p->columns, p->lambda);
  follow(p, 3 * p->room->joints, NULL, p->joints0, p->J, p->joints);
  for (int i = 0; i < n; i++) set_equation(p, i, &at);
}

static double largest_of(const slip_problem *p) {
  double most = 0;
  for (int k = 0; k < p->n * p->n; k++) most = fmax(most, fabs(p->A[k]));
  return most;
}

/* Of several answers the least: two corners that slide on a floor and two on a wall, with mu = 1, may turn a box to and
 * fro. */
static bool find_step(slip_problem *p) {
  compare(p);
  const double most = largest_of(p);
  memcpy(p->step, p->r, (size_t)p->n * sizeof *p->r);
  if (cdni_eliminate(p->n, most, p->A, 1, p->step)) return true;
  compare(p);
  double size = 0;
  for (int i = 0; i < p->n; i++) size = fmax(size, fmax(fabs(p->sigma[i]), fabs(p->r[i])));
  return cdni_solve_least(p->n, most, p->A, size, p->r, p->step);
}

/* Sigma of all, so that sigma = mu N(sigma). False where there is none. */
static bool agree(slip_problem *p) {
  for (int round = 0; round < 50; round++) {
    double largest = 0, change = 0;
    if (!find_step(p)) return false;
    for (int i = 0; i < p->n; i++) {
      p->sigma[i] += p->step[i];
      largest = fmax(largest, fabs(p->sigma[i]));
      change = fmax(change, fabs(p->step[i]));
    }
    if (!(change > 1e-15 * largest)) return isfinite(change);
    if (round > 10 && change <= 1e-12 * largest) return true;
  }
  return false;
}

static cdn_status disagree(const slip_problem *p) {
  const follower last = cdni_follower(p->room, p->elements[p->n - 1]);
  const char *name = last.keeps ? last.name : cdni_follower(p->room, p->elements[0]).name;
  if (last.keeps)
    return cdni_state_fail(p->state, CDN_ERR_SINGULAR, true, "cdn_realize", name,
                           "no force of '%s' keeps the reaction at its value: let it push what the reaction depends on",
                           name);
  return cdni_state_fail(p->state, CDN_ERR_SINGULAR, true, "cdn_realize", name,
                         "friction '%s' slips, and no force of it agrees with the push that it causes (Painleve)",
                         name);
}

/* A push of its own makes friction grow by the inverse of A. How far that is from growing without bound: the inverse of
 * its norm. */
static void measure_ease(slip_problem *p) {
  const size_t n = (size_t)p->n;
  double norm = 0;
  compare(p);
  memset(p->inverse, 0, n * n * sizeof *p->inverse);
  for (size_t i = 0; i < n; i++) p->inverse[i * n + i] = 1;
  p->ease = 0;
  if (!cdni_eliminate(p->n, largest_of(p), p->A, p->n, p->inverse)) return;
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += fabs(p->inverse[i * n + j]);
    norm = fmax(norm, sum);
  }
  p->ease = 1 / fmax(1, norm);
}

static cdn_status correct(slip_problem *p, const sv *F, double *change) {
  const hybrid_room *room = p->room;
  double *forces = cdni_hybrid_forces(room, p->state), largest = 0;
  CDNI_TRY(cdni_constraint_plan(room->constraints, p->state, &p->plan));
  memcpy(p->lambda, p->lambda0, (size_t)p->m * sizeof *p->lambda);
  cdni_hybrid_list_slips(room, p->state, p->elements);
  for (int i = 0; i < p->n; i++) {
    const double *now = forces + 2 * p->elements[i];
    CDNI_TRY(cdni_follower_law(room, p->state, p->elements[i], &p->laws[i]));
    p->base[i] = p->sigma[i] = -(now[0] * p->laws[i].e[0] + now[1] / p->laws[i].scale * p->laws[i].e[1]);
  }
  CDNI_TRY(cdni_slip_columns(room, p->state, p->n, p->elements, p->laws, p->G, p->X));
  CDNI_TRY(room->answer.solve(p->state, p->n, p->X, p->columns));
  CDNI_TRY(cdni_joint_forces(room, p->state, F, p->joints0));
  CDNI_TRY(cdni_slip_joints(room, p->state, p->n, p->elements, p->laws, p->X, p->columns, p->J));
  if (!agree(p)) return disagree(p);
  measure_ease(p);
  *ease_of(room, p->state) = p->ease;
  *change = 0;
  for (int i = 0; i < p->n; i++) {
    double *to = forces + 2 * p->elements[i];
    *change = fmax(*change, fabs(p->sigma[i] - p->base[i]));
    largest = fmax(largest, fabs(p->sigma[i]));
    for (int k = 0; k < cdni_follower(room, p->elements[i]).n; k++) to[k] = -p->sigma[i] * p->laws[i].pull[k];
  }
  if (largest > 0) *change /= largest;
  return CDN_OK;
}

cdn_status cdni_hybrid_correct(const hybrid_room *room, cdn_state *state, const sv *F, double *change) {
  slip_problem p = { .room = room, .state = state, .m = cdni_constraints_equations(room->constraints) };
  p.n = cdni_hybrid_list_slips(room, state, NULL);
  p.lambda0 = (const double *)cdni_state_storage(state, (cdn_cache){ 0, CDN_MULTIPLIERS }) +
              cdni_constraints_first_row(room->constraints);
  char *frame = NULL;
  CDNI_TRY(cdni_operator_work(state, "cdn_realize", divide(&p, NULL), (void **)&frame));
  divide(&p, frame);
  const cdn_status status = correct(&p, F, change);
  cdn_work_pop(state, frame);
  return status;
}

=======
>>>>>>> 60feb23d (Where a slip begins its direction is that of its acceleration; what is brought to rest at a moment is so by impulses)
cdn_status cdni_hybrid_power(const hybrid_room *room, cdn_state *state, double *power) {
  *power = 0;
  if (!cdni_hybrid_follows(room, state)) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_ACCELERATION));
  for (int i = 0; i < hybrid_followers(room); i++) {
    double v[2], rate[2] = { 0, 0 };
    if (!cdni_follower_acts(room, hybrid_statuses(room, state), i)) continue;
    CDNI_TRY(cdni_constraint_rates(room->constraints, state, cdni_follower(room, i).push, rate, v));
    const double *force = cdni_hybrid_forces(room, state) + 2 * i;
    *power += force[0] * rate[0] + force[1] * rate[1];
  }
  return CDN_OK;
}
