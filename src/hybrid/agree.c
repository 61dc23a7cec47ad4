/* Forces that agree with the reactions that follow from them, within one evaluation. Near a solution lambda = lambda0 +
 * sum of columns times the change of sigma, one for each force (8.70), and Newton's method finds the sigma that agree
 * with their own multipliers. It takes one round where N is linear. Beside soft rows lambda bends where rows come and
 * go, and more solutions follow. Of a slip that begins the direction is unknown, too: it has a column for each of its
 * equations. */
#include <math.h>

#include "hybrid/press.h"
#include "hybrid/slip.h"

typedef struct slip_problem {
  const hybrid_room *room;
  cdn_state *state;
  int n, m;      /* columns; equations of all constraints */
  int *elements; /* by column; of a slip that begins there is one along the direction of its status, and one or two */
  int *across;   /* across: by column its number among these, 0: along */
  bool holds;    /* slips that begin keep the direction of their status */
  int begin;     /* how many begin */
  friction_law *laws;
  double *base, *sigma;  /* of the solution with multipliers lambda0, and now */
  const loop_plan *plan; /* of the constraints that are on */
  const double *lambda0;
  double *lambda;
  double *columns;              /* m x n: the change of lambda by each sigma */
  double *joints0, *joints, *J; /* the same of what mobilizers transmit: 3 numbers of each, and 3 x n */
  double *X;                    /* nu x n */
  double *a, *B;                /* slips that begin: accelerations along their columns, and what changes them (n x n) */
  double *G;                    /* the rows of one */
  double *A, *r, *step, *inverse; /* of Newton's method */
  double ease;
} slip_problem;

static size_t divide(slip_problem *p, char *frame) {
  const size_t n = (size_t)p->n, m = (size_t)p->m, nu = (size_t)p->room->matter->tree.nu, d = sizeof(double);
  const size_t joints = JOINT_NUMBERS * (size_t)p->room->joints;
  size_t at = 0;
  p->elements = cdni_part(frame, &at, n, sizeof *p->elements);
  p->across = cdni_part(frame, &at, n, sizeof *p->across);
  p->laws = cdni_part(frame, &at, n, sizeof *p->laws);
  p->a = cdni_part(frame, &at, n, d), p->B = cdni_part(frame, &at, n * n, d);
  p->base = cdni_part(frame, &at, n, d), p->sigma = cdni_part(frame, &at, n, d);
  p->lambda = cdni_part(frame, &at, m, d), p->columns = cdni_part(frame, &at, m * n, d);
  p->X = cdni_part(frame, &at, nu * n, d), p->G = cdni_part(frame, &at, CONE_MOST_TANGENTS * nu, d);
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

static double acceleration(const slip_problem *p, int i) {
  double sum = p->a[i];
  for (int j = 0; j < p->n; j++) sum += p->B[i * p->n + j] * (p->sigma[j] - p->base[j]);
  return sum;
}

/* Several slips of one body that begin may share what turns it in many ways: each takes as little as this part of what
 * it could do lets it. */
static const double SHARED = 1e-7;

/* The slip accelerates along its own direction: across it nothing is left. The direction is (along, across) of the
 * columns `first` and i. */
static void set_direction(slip_problem *p, int i, double *row) {
  const int first = i - p->across[i];
  const double along = p->sigma[first], across = p->sigma[i], b = acceleration(p, i);
  const double least = p->begin > 1 ? SHARED * fabs(p->B[i * p->n + i] * along) : 0;
  const double a = acceleration(p, first) + least;
  for (int j = 0; j < p->n; j++) row[j] = along * p->B[i * p->n + j] - across * p->B[first * p->n + j];
  row[first] += b, row[i] -= a;
  p->r[i] = across * a - along * b;
  if (along != 0 && cdni_slip_turns(p->n, p->B, p->across, i) && !p->holds) return;
  for (int j = 0; j < p->n; j++) row[j] = j == i;
  p->r[i] = -across;
}

/* The number of columns of the element that column i is the first of. */
static int width(const slip_problem *p, int i) {
  int n = 1;
  while (i + n < p->n && p->across[i + n] > 0) n++;
  return n;
}

/* The size of its force. */
static double size_of(const slip_problem *p, int i) {
  double size = 0;
  for (int k = i; k < i + width(p, i); k++) size = hypot(size, p->sigma[k]);
  return size;
}

/* A force that changes what it keeps by more than this part of what others do is measured by its own effect. */
static const double OWN = 1e-6;

/* One equation of Newton's method: the size of friction is mu N; its direction, where a slip begins; that a reaction
 * has its value. The last two are scaled by what their force does. */
static void set_equation(slip_problem *p, int i, const pressing *at) {
  double *row = p->A + (size_t)i * (size_t)p->n, most = 0;
  const int kept = p->elements[i] - hybrid_frictions(p->room);
  if (kept >= 0 || p->across[i]) {
    if (kept >= 0) p->r[i] = kept_value(p->room, p->state, kept) - cdni_kept_now(p->room, kept, at, row);
    else set_direction(p, i, row);
    for (int j = 0; j < p->n; j++) most = fmax(most, fabs(row[j]));
    if (fabs(row[i]) > OWN * most) most = fabs(row[i]);
    for (int j = 0; j < p->n && most > 0; j++) row[j] /= most;
    if (most > 0) p->r[i] /= most;
    return;
  }
  const int columns = width(p, i);
  const double mu = p->laws[i].mu, N = cdni_friction_press(p->room, p->state, p->elements[i], at, row);
  /* negative where rounding leaves a push that pulls */
  const double size = copysign(size_of(p, i), p->sigma[i]);
  for (int j = 0; j < p->n; j++) row[j] *= -mu;
  if (columns == 1 || size == 0) row[i] += 1;
  for (int k = i; k < i + columns && columns > 1 && size != 0; k++) row[k] += p->sigma[k] / size;
  p->r[i] = mu * N - size;
}

/* A and r at sigma. */
static void compare(slip_problem *p) {
  const int n = p->n;
  const pressing at = { p->lambda, p->joints, n, p->columns, p->J };
  follow(p, p->plan->m, p->plan->row, p->lambda0, p->columns, p->lambda);
  follow(p, JOINT_NUMBERS * p->room->joints, NULL, p->joints0, p->J, p->joints);
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

/* Sigma of all, so that sigma = mu N(sigma). False where there is none. Near a jam rounding of what is left makes large
 * changes: then what is left tells the end. */
static bool agree(slip_problem *p) {
  for (int round = 0; round < 50; round++) {
    double largest = 0, change = 0, left = 0;
    if (!find_step(p)) return false;
    for (int i = 0; i < p->n; i++) {
      left = fmax(left, fabs(p->r[i]));
      p->sigma[i] += p->step[i];
      largest = fmax(largest, fabs(p->sigma[i]));
      change = fmax(change, (p->across[i] ? SHARED : 1) * fabs(p->step[i]));
    }
    if (!(change > 1e-15 * largest)) return isfinite(change);
    if (round > 10 && (change <= 1e-12 * largest || left <= 1e-12 * largest)) return true;
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

/* How slips that begin accelerate, and what changes that: X has the answers to the columns. */
static cdn_status see_accelerations(slip_problem *p) {
  const size_t n = (size_t)p->n, nu = (size_t)p->room->matter->tree.nu;
  const tree_data d = cdni_matter_data(p->room->matter, p->state);
  for (size_t i = 0; i + 1 < n; i++) {
    const int push = cdni_follower(p->room, p->elements[i]).push;
    const size_t columns = (size_t)width(p, (int)i);
    double a[CONE_MOST_TANGENTS] = { 0 };
    if (p->across[i] > 0 || columns == 1) continue;
    CDNI_TRY(cdni_constraint_full_rows(p->room->constraints, p->state, push, p->G));
    CDNI_TRY(cdni_constraint_accelerations(p->room->constraints, p->state, push, d.A, d.udot, a));
    for (size_t k = i; k < i + columns; k++) {
      const double *e = p->laws[k].pull; /* errors along it, of scaled equations */
      p->a[k] = cone_dot(e, a);
      memset(p->B + k * n, 0, n * sizeof *p->B);
      for (size_t u = 0; u < nu; u++) {
        double row = 0;
        for (size_t c = 0; c < columns; c++) row += e[c] * p->G[c * nu + u];
        for (size_t j = 0; j < n; j++) p->B[k * n + j] += row * p->X[u * n + j];
      }
    }
  }
  return CDN_OK;
}

/* Forces that are so much smaller than others are rounding, and have no direction. */
static const double NO_FORCE = 1e-10;

/* The cosine of the largest angle by which the direction of a slip that begins may be another than that of its status.
 */
static const double NEAR = 0.70710678118654752;

/* Whether slips that begin have found a direction near that of their status. Forces that jump may take it away. */
static bool begin_well(const slip_problem *p) {
  double largest = 0;
  for (int k = 0; k < p->plan->m; k++) largest = fmax(largest, fabs(p->lambda[p->plan->row[k]]));
  for (int i = 0; i < p->n; i++) {
    if (p->across[i] > 0 || width(p, i) == 1) continue;
    const double size = size_of(p, i);
    if (!(p->sigma[i] >= size * NEAR) && size > NO_FORCE * largest) return false;
  }
  return true;
}

/* Where there is none they hold it, and do not steer: an event. */
static bool agree_somehow(slip_problem *p) {
  p->begin = 0;
  for (int i = 0; i < p->n; i++) p->begin += p->across[i] == 1;
  p->holds = false;
  const bool agrees = agree(p);
  if (p->begin == 0 || (agrees && begin_well(p))) return agrees;
  p->holds = true;
  memcpy(p->sigma, p->base, (size_t)p->n * sizeof *p->sigma);
  return agree(p);
}

/* A slip whose direction is off by a small angle comes back at the rate (mu N / m + a) / v, where it accelerates with
 * a. As a part of the sum of both sizes. */
static void measure_steering(slip_problem *p) {
  double *to = hybrid_steers(p->room, p->state);
  for (int i = 0; i < p->n; i++) {
    const int columns = width(p, i);
    const double size = size_of(p, i);
    double a = 0, least = 1;
    if (p->across[i] > 0 || columns == 1) continue;
    for (int k = i; k < i + columns && size > 0; k++) a += p->sigma[k] * acceleration(p, k);
    if (size > 0) a /= size;
    for (int k = i + 1; k < i + columns; k++) {
      const double back = fmax(0, -p->B[k * p->n + k]) * size;
      if (cdni_slip_turns(p->n, p->B, p->across, k) && back + fabs(a) > 0)
        least = fmin(least, (back + a) / (back + fabs(a)));
    }
    to[p->elements[i]] = p->holds ? -1 : least;
  }
}

static cdn_status correct(slip_problem *p, const sv *F, double part, double *change) {
  const hybrid_room *room = p->room;
  double largest = 0;
  CDNI_TRY(cdni_constraint_plan(room->constraints, p->state, &p->plan));
  memcpy(p->lambda, p->lambda0, (size_t)p->m * sizeof *p->lambda);
  cdni_slip_list_columns(room, p->state, p->elements, p->across);
  CDNI_TRY(cdni_slip_laws(room, p->state, p->n, p->elements, p->across, p->laws));
  for (int i = 0; i < p->n; i++) {
    const double *now = follower_force(room, p->state, p->elements[i]);
    p->base[i] = p->sigma[i] = cdni_slip_along(&p->laws[i], now);
  }
  CDNI_TRY(cdni_slip_columns(room, p->state, p->n, p->elements, p->laws, p->G, p->X));
  CDNI_TRY(room->answer.solve(p->state, p->n, p->X, p->columns));
  CDNI_TRY(cdni_joint_forces(room, p->state, F, p->joints0));
  CDNI_TRY(cdni_slip_joints(room, p->state, p->n, p->elements, p->laws, p->X, p->columns, p->J));
  CDNI_TRY(see_accelerations(p));
  if (!agree_somehow(p)) return disagree(p);
  measure_ease(p);
  measure_steering(p);
  *hybrid_ease(room, p->state) = p->ease;
  *change = 0;
  for (int i = 0; i < p->n; i++) {
    double *to = follower_force(room, p->state, p->elements[i]);
    *change = fmax(*change, fabs(p->sigma[i] - p->base[i]));
    largest = fmax(largest, fabs(p->sigma[i]));
    const double taken = p->base[i] + part * (p->sigma[i] - p->base[i]);
    for (int k = 0; k < cdni_follower(room, p->elements[i]).n; k++)
      to[k] = (p->across[i] > 0 ? to[k] : 0) - taken * p->laws[i].pull[k];
  }
  if (largest > 0) *change /= largest;
  return CDN_OK;
}

cdn_status cdni_hybrid_correct(const hybrid_room *room, cdn_state *state, const sv *F, double part, double *change) {
  slip_problem p = { .room = room, .state = state, .m = cdni_constraints_equations(room->constraints) };
  p.n = cdni_slip_list_columns(room, state, NULL, NULL);
  p.lambda0 = (const double *)cdni_state_storage(state, (cdn_cache){ 0, CDN_MULTIPLIERS }) +
              cdni_constraints_first_row(room->constraints);
  char *frame = NULL;
  CDNI_TRY(cdni_operator_work(state, "cdn_realize", divide(&p, NULL), (void **)&frame));
  divide(&p, frame);
  const cdn_status status = correct(&p, F, part, change);
  cdn_work_pop(state, frame);
  return status;
}
