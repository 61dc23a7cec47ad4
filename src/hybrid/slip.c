/* Friction that slips, within one evaluation. Its force is sigma = mu(v) N against the slip, where N may be made of
 * multipliers lambda, which depend on all forces. So lambda = lambda0 + sum of sigma times columns, one for each
 * friction (8.70), and Newton's method finds the sigma that agree with their own multipliers: in one round where N is
 * linear. */
#include <math.h>

#include "hybrid/internal.h"
#include "math/lu.h"
#include "matter/operators.h"

cdn_status cdni_friction_slip(const hybrid_room *room, cdn_state *state, int i, double v[2], double rate[2]) {
  double along[2] = { 0, 0 };
  v[0] = v[1] = 0;
  CDNI_TRY(cdni_constraint_rates(room->constraints, state, friction_at(room, i)->slip, along, v));
  if (rate) rate[0] = along[0], rate[1] = along[1];
  return CDN_OK;
}

/* Along one equation the direction is that of the status: a slip that has turned back within a step has come to rest,
 * the step ends there, and until then the force continues smoothly. Along two it is that of the speed; where a slip
 * begins, it turns to it from that of the status. */
void cdni_friction_direction(const double *numbers, int n, const double v[2], double e[2]) {
  const double *d = numbers + FRICTION_DIRECTION, begins = fmax(0, -numbers[FRICTION_REST]);
  e[0] = d[0], e[1] = d[1];
  if (n == 1) return;
  const double x = v[0] + begins * d[0], y = v[1] + begins * d[1], length = hypot(x, y);
  if (length > 0) e[0] = x / length, e[1] = y / length;
}

const char *cdni_hybrid_first_slipping(const hybrid_room *room, const cdn_state *state) {
  for (int i = 0; i < hybrid_frictions(room); i++)
    if (friction_status(room, state, i) == CDN_FRICTION_SLIP) return friction_at(room, i)->name;
  return NULL;
}

bool cdni_hybrid_slips(const hybrid_room *room, const cdn_state *state) {
  return cdni_hybrid_first_slipping(room, state) != NULL;
}

static double *forces_of(const hybrid_room *room, cdn_state *state) { return cdni_state_storage(state, room->forces); }

/* mu at the present speed, and the direction. */
static cdn_status find_slip(const hybrid_room *room, cdn_state *state, int i, double *mu, double e[2]) {
  double v[2];
  CDNI_TRY(cdni_friction_slip(room, state, i, v, NULL));
  cdni_friction_direction(friction_numbers(room, state, i), friction_at(room, i)->n, v, e);
  const double *p = friction_params(room, state, i);
  *mu = p[FRICTION_DYNAMIC] + p[FRICTION_VISCOUS] * fabs(v[0] * e[0] + v[1] * e[1]);
  return CDN_OK;
}

cdn_status cdni_hybrid_push_loads(const hybrid_room *room, cdn_state *state, sv *F, double *f, bool *depends) {
  double *forces = forces_of(room, state);
  memset(forces, 0, (size_t)hybrid_frictions(room) * 2 * sizeof *forces);
  *depends = false;
  for (int i = 0; i < hybrid_frictions(room); i++) {
    double mu, e[2];
    if (friction_status(room, state, i) != CDN_FRICTION_SLIP) continue;
    const dry_friction *x = friction_at(room, i);
    *depends = *depends || x->normal >= 0 || x->reaction >= 0;
    const double load = friction_params(room, state, i)[FRICTION_LOAD];
    if (load == 0) continue;
    CDNI_TRY(find_slip(room, state, i, &mu, e));
    for (int k = 0; k < x->n; k++) forces[2 * i + k] = -mu * load * e[k];
    CDNI_TRY(cdni_constraint_push(room->constraints, state, x->slip, forces + 2 * i, F, f));
  }
  return CDN_OK;
}

/* ---- what depends on multipliers ---- */

typedef struct slipping {
  int element;
  double mu, e[2], sigma;
} slipping;

typedef struct slip_problem {
  const hybrid_room *room;
  cdn_state *state;
  int n, m; /* frictions; equations of all constraints */
  slipping *slips;
  const double *lambda; /* without sigma */
  double *columns;      /* m x n: their change by each sigma */
  double *X;            /* nu x n */
  double *A, *r;        /* of Newton's method */
} slip_problem;

/* N of friction x and its derivative by each sigma, at the present ones. */
static double press(const slip_problem *p, const slipping *x, double *slope) {
  const dry_friction *friction = friction_at(p->room, x->element);
  const constraint_room *constraints = p->room->constraints;
  double N = 0;
  memset(slope, 0, (size_t)p->n * sizeof *slope);
  for (int part = 0; part < 2; part++) {
    const int element = part == 0 ? friction->normal : friction->reaction;
    if (element < 0) continue;
    const double sign = part == 0 ? -side_at(p->room, element)->sign : 0;
    const constraint_element *c =
        constraint_at(constraints, part == 0 ? side_at(p->room, element)->constraint : element);
    double now[HYBRID_MOST_EQUATIONS], size = 0;
    for (int k = 0; k < c->m; k++) {
      now[k] = p->lambda[c->row + k];
      for (int j = 0; j < p->n; j++) now[k] += p->columns[(size_t)(c->row + k) * (size_t)p->n + j] * p->slips[j].sigma;
      size += now[k] * now[k];
    }
    size = sqrt(size);
    N += part == 0 ? sign * now[0] : size;
    for (int j = 0; j < p->n; j++)
      for (int k = 0; k < c->m; k++) {
        const double by = p->columns[(size_t)(c->row + k) * (size_t)p->n + j];
        slope[j] += part == 0 ? sign * by : size > 0 ? now[k] / size * by : 0;
      }
  }
  return N;
}

/* Sigma of all, so that sigma = mu N(sigma). False where there is none. */
static bool agree(slip_problem *p) {
  const int n = p->n;
  for (int round = 0; round < 50; round++) {
    double largest = 0, change = 0;
    for (int i = 0; i < n; i++) {
      slipping *x = &p->slips[i];
      double *row = p->A + (size_t)i * (size_t)n;
      const double N = press(p, x, row);
      for (int j = 0; j < n; j++) row[j] *= -x->mu;
      row[i] += 1;
      p->r[i] = x->mu * N - x->sigma;
    }
    double most = 0;
    for (int k = 0; k < n * n; k++) most = fmax(most, fabs(p->A[k]));
    if (!cdni_eliminate(n, most, p->A, 1, p->r)) return false;
    for (int i = 0; i < n; i++) {
      p->slips[i].sigma += p->r[i];
      largest = fmax(largest, fabs(p->slips[i].sigma));
      change = fmax(change, fabs(p->r[i]));
    }
    if (!(change > 1e-15 * largest)) return isfinite(change);
    if (round > 10 && change <= 1e-12 * largest) return true;
  }
  return false;
}

/* The columns: how multipliers change if a friction pushes with 1 against its slip. */
static cdn_status find_columns(slip_problem *p, double *G) {
  const constraint_room *c = p->room->constraints;
  const size_t nu = (size_t)p->room->matter->tree.nu, n = (size_t)p->n;
  memset(p->columns, 0, (size_t)p->m * n * sizeof *p->columns);
  if (!cdni_constraint_any_enabled(c, p->state)) return CDN_OK;
  for (size_t i = 0; i < n; i++) {
    const slipping *x = &p->slips[i];
    const dry_friction *friction = friction_at(p->room, x->element);
    CDNI_TRY(cdni_constraint_full_rows(c, p->state, friction->slip, G));
    for (size_t u = 0; u < nu; u++) {
      double sum = 0;
      for (int k = 0; k < friction->n; k++) sum -= x->e[k] * G[(size_t)k * nu + u];
      p->X[u * n + i] = sum;
    }
  }
  return cdni_constraint_solve_columns(c, p->state, 1, p->n, p->X, p->columns);
}

static cdn_status solve(slip_problem *p, double *G, sv *F, double *f) {
  const hybrid_room *room = p->room;
  double *forces = forces_of(room, p->state);
  for (int i = 0, k = 0; k < p->n; i++) {
    if (friction_status(room, p->state, i) != CDN_FRICTION_SLIP) continue;
    if (friction_at(room, i)->normal < 0 && friction_at(room, i)->reaction < 0) continue;
    slipping *x = &p->slips[k++];
    *x = (slipping){ .element = i };
    CDNI_TRY(find_slip(room, p->state, i, &x->mu, x->e));
  }
  CDNI_TRY(find_columns(p, G));
  if (!agree(p)) {
    const char *name = friction_at(room, p->slips[0].element)->name;
    return cdni_state_fail(p->state, CDN_ERR_SINGULAR, true, "cdn_realize", name,
                           "friction '%s' slips, and no force of it agrees with the push that it causes (Painleve)",
                           name);
  }
  for (int i = 0; i < p->n; i++) {
    const slipping *x = &p->slips[i];
    const dry_friction *friction = friction_at(room, x->element);
    double more[2] = { 0, 0 };
    for (int k = 0; k < friction->n; k++) more[k] = -x->sigma * x->e[k], forces[2 * x->element + k] += more[k];
    CDNI_TRY(cdni_constraint_push(room->constraints, p->state, friction->slip, more, F, f));
  }
  return CDN_OK;
}

cdn_status cdni_hybrid_push_rest(const hybrid_room *room, cdn_state *state, sv *F, double *f) {
  slip_problem p = { .room = room, .state = state, .m = cdni_constraints_equations(room->constraints) };
  for (int i = 0; i < hybrid_frictions(room); i++)
    p.n += friction_status(room, state, i) == CDN_FRICTION_SLIP &&
           (friction_at(room, i)->normal >= 0 || friction_at(room, i)->reaction >= 0);
  const size_t n = (size_t)p.n, nu = (size_t)room->matter->tree.nu;
  p.lambda = (const double *)cdni_state_storage(state, (cdn_cache){ 0, CDN_MULTIPLIERS }) +
             cdni_constraints_first_row(room->constraints);
  char *frame = NULL;
  double *G = NULL;
  size_t at = 0;
  for (int pass = 0; pass < 2; pass++) {
    if (pass > 0) CDNI_TRY(cdni_operator_work(state, "cdn_realize", at, (void **)&frame));
    at = 0;
    p.slips = cdni_part(frame, &at, n, sizeof *p.slips);
    p.columns = cdni_part(frame, &at, n * (size_t)p.m, sizeof(double));
    p.X = cdni_part(frame, &at, n * nu, sizeof(double));
    p.A = cdni_part(frame, &at, n * n, sizeof(double));
    p.r = cdni_part(frame, &at, n, sizeof(double));
    G = cdni_part(frame, &at, 2 * nu, sizeof(double));
  }
  const cdn_status status = solve(&p, G, F, f);
  cdn_work_pop(state, frame);
  return status;
}

cdn_status cdni_hybrid_power(const hybrid_room *room, cdn_state *state, double *power) {
  *power = 0;
  if (!cdni_hybrid_slips(room, state)) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_ACCELERATION));
  for (int i = 0; i < hybrid_frictions(room); i++) {
    double v[2], rate[2];
    if (friction_status(room, state, i) != CDN_FRICTION_SLIP) continue;
    CDNI_TRY(cdni_friction_slip(room, state, i, v, rate));
    const double *force = forces_of(room, state) + 2 * i;
    *power += force[0] * rate[0] + force[1] * rate[1];
  }
  return CDN_OK;
}
