/* shared by tests in this folder */
/* What questions have in common, and the list of them. */
#include <stdarg.h>
#include <stdlib.h>

#include "../random_tree.h"
#include "matrix.h"

static const question questions[] = {
  { "udot against residual", ask_equations, 1, 1 },
  { "laws of rows", ask_laws, 1, 1 },
  { "total forces", ask_total, 1, 1 },
  { "inverse of forward", ask_inverse, 1, 1 },
  { "tau", ask_tau, 1, 1 },
  { "reactions", ask_reactions, 1, 1 },
  { "power balance", ask_power, 1, 1 },
  { "contributions", ask_contributions, 1, 1 },
  { "derivatives of udot", ask_udot_derivatives, 1, 1 },
  { "derivatives of tau", ask_tau_derivatives, 1, 1 },
  { "derivatives of multipliers", ask_multiplier_derivatives, 1, 1 },
  { "derivatives of zdot", ask_zdot_derivatives, 1, 1 },
  { "derivatives of qdot", ask_qdot_derivatives, 1, 1 },
  { "derivatives of a step", ask_step_derivatives, 4, 1 },
  { "a step by controls", ask_control_derivatives, 4, 1 },
  { "inverse of a step", ask_step_inverse, 4, 1 },
  { "regressors", ask_regressors, 1, 1 },
  { "method", ask_method, ALL_METHODS, 1 },
  { "lanes", ask_lanes, 2, 1 },
  { "lanes in time", ask_lanes_advance, ALL_METHODS, 1 },
  { "copy", ask_copy, 1, 1 },
  { "checkpoint", ask_checkpoint, 1, 1 },
  { "checkpoint of a run", ask_run_checkpoint, ALL_METHODS, 1 },
  { "invertible motion", ask_invertible, 1, 1 },
  { "linearization", ask_linearization, 1, 12 },
  { "eigenvalues", ask_eigenvalues, 1, 48 },
  { "normal modes", ask_normal_modes, 1, 12 },
  { "equilibrium", ask_equilibrium, 1, 48 },
  { "impulses", ask_impulses, 1, 2 },
  { "goals", ask_goals, 1, 3 },
  { "verdict", ask_verdict, 2, 97 },
  { "vector", ask_vector, 1, 4 },
  { "run from a vector", ask_run_vector, ALL_METHODS, 4 },
};

int question_count(void) { return (int)(sizeof questions / sizeof *questions); }
const question *question_at(int i) { return &questions[i]; }

/* ---- cells ---- */

enum { MOST_ROOMS = 512 };
static double *rooms[MOST_ROOMS]; /* of the question that is being asked */
static int n_rooms;

double *cell_room(cell *c, size_t n) {
  (void)c;
  ck_assert_int_lt(n_rooms, MOST_ROOMS);
  return rooms[n_rooms++] = calloc(n + 1, sizeof(double));
}

static void free_rooms(void) {
  while (n_rooms > 0) free(rooms[--n_rooms]);
}

static double *copied(const double *x, int n) {
  double *out = calloc((size_t)n + 1, sizeof *out);
  if (x && n > 0) memcpy(out, x, (size_t)n * sizeof *out);
  return out;
}

bool cell_call(cell *c, cdn_status status, const char *call) {
  if (status == CDN_OK) return true;
  const char *text = cdn_last_error_text();
  if (status == CDN_ERR_UNSUPPORTED) snprintf(c->refused, sizeof c->refused, "%s", text);
  else cell_wrong(c, "%.60s: %s", call, text);
  return false;
}

void cell_wrong(cell *c, const char *format, ...) {
  va_list args;
  if (c->wrong[0]) return; /* the first mistake counts */
  va_start(args, format);
  vsnprintf(c->wrong, sizeof c->wrong, format, args);
  va_end(args);
}

double largest_of(const double *x, int n, double least) {
  for (int i = 0; i < n; i++) least = fmax(least, fabs(x[i]));
  return least;
}

void cell_near(cell *c, const char *what, const double *got, const double *want, int n, double scale,
               double tolerance) {
  for (int i = 0; i < n; i++)
    if (!(fabs(got[i] - want[i]) <= tolerance * scale)) {
      cell_wrong(c, "%s[%d] is %.12g, should be %.12g: off by %.2g of %.3g", what, i, got[i], want[i],
                 fabs(got[i] - want[i]) / scale, scale);
      return;
    }
}

bool cell_is_differenced(const cell *c) {
  bool any = false;
  for (int i = 0; i < c->s->features; i++) any = any || c->s->feature[i]->differenced;
  return any;
}

double cell_derivative_tolerance(const cell *c) {
  bool soft = false;
  for (int i = 0; i < c->s->features; i++) soft = soft || c->s->feature[i]->soft;
  return cell_is_differenced(c) ? 1e-4 : soft ? 1e-5 : 1e-6;
}

void cell_random(cell *c, double *x, int n) { random_numbers(c->random, 1, x, n); }

bool cell_open(cell *c, scene *s, int turn) {
  cdn_state *state = s->state;
  const cdn_system *system = cdn_state_system(state);
  rng r = rng_of(s->seed + 31);
  *c = (cell){ .s = s, .state = state, .turn = turn };
  c->random = malloc(sizeof r);
  memcpy(c->random, &r, sizeof r);
  OK(cdn_state_create(system, &c->other));
  if (!cell_call(c, cdn_realize(state, CDN_STAGE_ACCELERATION), "cdn_realize")) return false;
  c->nq = cdn_system_nq(system), c->nu = cdn_system_nu(system), c->nz = cdn_system_nz(system);
  c->nb = cdn_system_body_count(system), c->m = cdn_system_nudoterr(system), c->t = cdn_state_time(state);
  c->q = copied(cdn_state_q(state), c->nq), c->u = copied(cdn_state_u(state), c->nu);
  c->z = copied(cdn_state_z(state), c->nz), c->udot = copied(cdn_state_udot(state), c->nu);
  c->qdot = copied(cdn_state_qdot(state), c->nq), c->zdot = copied(cdn_state_zdot(state), c->nz);
  c->lambda = copied(c->m ? cdn_state_multipliers(state) : NULL, c->m);
  c->prescribed = calloc((size_t)c->nu + 1, sizeof(bool));
  for (int b = 1; b < c->nb; b++) {
    const cdn_body body = { b };
    const bool driven = cdn_body_driver(state, body).level != CDN_LEVEL_NONE;
    for (int k = 0; k < cdn_body_nu(system, body); k++) c->prescribed[cdn_body_first_u(system, body) + k] = driven;
  }
  return true;
}

void cell_close(cell *c) {
  cdn_state_destroy(c->other);
  free(c->q), free(c->u), free(c->z), free(c->udot), free(c->qdot), free(c->zdot), free(c->lambda);
  free(c->prescribed), free(c->reference), free(c->random);
  free_rooms();
}

bool cell_move(cell *c, const direction *d, double h) {
  if (!cell_call(c, cdn_state_copy(c->other, c->state), "cdn_state_copy")) return false;
  double *to = calloc((size_t)(c->nq + c->nu + c->nz) + 1, sizeof *to);
  cdn_status status = CDN_OK;
  if (d->q) {
    status = cdn_multiply_by_N(c->state, d->q, to);
    for (int i = 0; i < c->nq; i++) to[i] = c->q[i] + h * to[i];
    if (status == CDN_OK) status = cdn_state_set_q(c->other, to);
  }
  if (d->u && status == CDN_OK) {
    for (int i = 0; i < c->nu; i++) to[i] = c->u[i] + h * d->u[i];
    status = cdn_state_set_u(c->other, to);
  }
  if (d->z && status == CDN_OK && c->nz > 0) {
    for (int i = 0; i < c->nz; i++) to[i] = c->z[i] + h * d->z[i];
    status = cdn_state_set_z(c->other, to);
  }
  if (d->f && status == CDN_OK) {
    const double *f = cdn_state_applied_mobility_forces(c->state);
    for (int i = 0; i < c->nu; i++) to[i] = f[i] + h * d->f[i];
    status = cdn_state_set_applied_mobility_forces(c->other, to);
  }
  free(to);
  return cell_call(c, status, "to displace the State");
}
