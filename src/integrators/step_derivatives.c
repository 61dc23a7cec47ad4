/* Derivatives of a step of Euler's methods. From the derivatives of udot follow those of the step's accelerations a,
 * and
 *
 *   u1 = u0 + h a,    z1 = z0 + h zdot0,    q1: from q0 at u1 for h;
 *
 * at last q1 and u1 are projected. */
#include <math.h>

#include <cardan/constraints.h>
#include <cardan/controls.h>
#include <cardan/motion.h>
#include <cardan/stepper.h>

#include "constraints/constraints.h"
#include "constraints/elements.h"
#include "constraints/project.h"
#include "dynamics/dynamics.h"
#include "dynamics/zdot.h"
#include "integrators/fixed.h"
#include "integrators/step_derivatives.h"
#include "matter/matter.h"
#include "matter/motion_derivatives.h"
#include "matter/move.h"
#include "matter/operators.h"
#include "system/system.h"

/* A matrix of derivatives of (q1, u1, z1), by forces from number `first` on; -1: by q, u and z of the start. */
typedef struct block {
  int columns, first;
  double *x;
} block;

typedef struct differentiation {
  step_start step;
  int controls, forces;    /* columns of generalized forces: those of the caller, then those of controls */
  dynamics_variation by;   /* of udot, then of a */
  double *force;           /* what by.force is */
  double *change, *zdot_f; /* by column of forces: h J a (nu), zdot (nz) */
  zdot_matrices zdot;
  double *a, *udot, *u1, *move_q, *move_u;
  bool *held_q, *held_u; /* by mobility: prescribed */
  block blocks[3];
  int n_blocks;
} differentiation;

static size_t take(double **to, double *base, size_t *at, size_t n) {
  if (base) *to = base + *at;
  return *at += n;
}

/* Divides memory, or counts the doubles if there is none. */
static size_t divide(differentiation *x, double *base) {
  const size_t nu = (size_t)x->step.nu, nz = (size_t)x->step.nz, nf = (size_t)x->forces;
  size_t at = 0;
  double *held = NULL;
  take(&x->by.by_q, base, &at, nu * nu), take(&x->by.by_u, base, &at, nu * nu), take(&x->by.by_z, base, &at, nu * nz);
  take(&x->by.by_f, base, &at, nu * nf), take(&x->force, base, &at, nu * nf);
  take(&x->change, base, &at, nu * nf), take(&x->zdot_f, base, &at, nz * nf);
  take(&x->zdot.G, base, &at, nz * nu), take(&x->zdot.H, base, &at, nz * nu), take(&x->zdot.W, base, &at, nz * nu);
  take(&x->zdot.L, base, &at, nz * nz);
  take(&x->a, base, &at, nu), take(&x->udot, base, &at, nu), take(&x->u1, base, &at, nu);
  take(&x->move_q, base, &at, MOVE_COLUMNS * nu), take(&x->move_u, base, &at, MOVE_COLUMNS * nu);
  take(&held, base, &at, 2 * nu / sizeof *held + 1);
  x->held_q = (bool *)held, x->held_u = x->held_q ? x->held_q + nu : NULL;
  return at;
}

static bool any(const double *x, size_t n) {
  for (size_t k = 0; k < n; k++)
    if (x[k] != 0) return true;
  return false;
}

/* to += W X for nu rows of X */
static void add_product(const differentiation *x, const double *X, int columns, double *to) {
  const size_t nu = (size_t)x->step.nu, n = (size_t)columns;
  for (size_t i = 0; i < (size_t)x->step.nz; i++)
    for (size_t l = 0; l < nu; l++) {
      const double w = x->zdot.W[i * nu + l];
      for (size_t k = 0; w != 0 && k < n; k++) to[i * n + k] += w * X[l * n + k];
    }
}

/* ---- accelerations and rates ---- */

static cdn_status differentiate_rates(differentiation *x) {
  return cdni_zdot_differentiate(x->step.state, x->step.function, NULL, NULL, &x->zdot);
}

/* Columns of forces: a unit matrix for those of the caller, if they are wanted, and those of controls. */
static cdn_status find_forces(differentiation *x, bool by_force) {
  const step_start *s = &x->step;
  const size_t nu = (size_t)s->nu, nz = (size_t)s->nz, nf = (size_t)x->forces;
  memset(x->force, 0, nu * nf * sizeof *x->force);
  memset(x->change, 0, nu * nf * sizeof *x->change);
  memset(x->zdot_f, 0, nz * nf * sizeof *x->zdot_f);
  for (size_t k = 0; by_force && k < nu; k++) x->force[k * nf + k] = 1;
  const double *W = any(x->zdot.W, nz * nu) ? x->zdot.W : NULL;
  if (by_force) CDNI_TRY(cdni_step_vary_forces(s, W, x->forces, x->zdot_f));
  if (x->controls == 0) return CDN_OK;
  return cdni_step_vary_controls(s, W, by_force ? s->nu : 0, x->forces, x->force, x->change, x->zdot_f);
}

/* Derivatives of udot, of zdot and of a. */
static cdn_status differentiate_accelerations(differentiation *x) {
  const step_start *s = &x->step;
  CDNI_TRY(cdni_forward_dynamics_vary(s->state, s->function, &x->by));
  if (s->nz > 0) {
    add_product(x, x->by.by_q, s->nu, x->zdot.G);
    add_product(x, x->by.by_u, s->nu, x->zdot.H);
    add_product(x, x->by.by_z, s->nz, x->zdot.L);
    if (x->forces > 0) add_product(x, x->by.by_f, x->forces, x->zdot_f);
  }
  if (!s->kind) return CDN_OK;
  return cdni_dynamics_damp_vary(s->state, s->function, s->kind->damping, s->h, s->a, x->change, &x->by);
}

/* ---- the step ---- */

/* to (rows of `width`) from column `at` on = h from (rows x n), from its column `first` on and `columns` wide. */
static void put(double h, const double *from, int rows, int n, int first, int columns, double *to, int width, int at) {
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < columns; k++) to[(size_t)i * (size_t)width + (size_t)(at + k)] = h * from[i * n + first + k];
}

/* Rows of z1 that were filled for a step of h. */
static void follow_filters(const step_start *s, int columns, double *z1) {
  for (int i = 0; i < s->nz; i++) {
    const double part = cdni_fixed_z_step(cdn_state_system(s->state), i, s->h) / s->h;
    for (int k = 0; k < columns; k++) z1[(size_t)i * (size_t)columns + (size_t)k] *= part;
  }
}

/* The rows of u1 and z1. */
static void fill_rates(const differentiation *x, const block *b) {
  const step_start *s = &x->step;
  const int nu = s->nu, nz = s->nz;
  double *u1 = b->x + (size_t)nu * (size_t)b->columns, *z1 = u1 + (size_t)nu * (size_t)b->columns;
  if (b->first >= 0) {
    put(s->h, x->by.by_f, nu, x->forces, b->first, b->columns, u1, b->columns, 0);
    put(s->h, x->zdot_f, nz, x->forces, b->first, b->columns, z1, b->columns, 0);
    follow_filters(s, b->columns, z1);
    return;
  }
  put(s->h, x->by.by_q, nu, nu, 0, nu, u1, b->columns, 0);
  put(s->h, x->by.by_u, nu, nu, 0, nu, u1, b->columns, nu);
  put(s->h, x->by.by_z, nu, nz, 0, nz, u1, b->columns, 2 * nu);
  put(s->h, x->zdot.G, nz, nu, 0, nu, z1, b->columns, 0);
  put(s->h, x->zdot.H, nz, nu, 0, nu, z1, b->columns, nu);
  put(s->h, x->zdot.L, nz, nz, 0, nz, z1, b->columns, 2 * nu);
  follow_filters(s, b->columns, z1);
  for (int k = 0; k < nu; k++) u1[(size_t)k * (size_t)b->columns + (size_t)(nu + k)] += 1;
  for (int k = 0; k < nz; k++) z1[(size_t)k * (size_t)b->columns + (size_t)(2 * nu + k)] += 1;
}

/* What is prescribed at the start does not vary. */
static void clear_columns(const differentiation *x, const block *b) {
  const int nu = x->step.nu, n = 2 * nu + x->step.nz;
  for (int k = 0; k < nu; k++)
    for (int i = 0; i < n; i++) {
      if (x->held_q[k]) b->x[(size_t)i * (size_t)n + (size_t)k] = 0;
      if (x->held_u[k]) b->x[(size_t)i * (size_t)n + (size_t)(nu + k)] = 0;
    }
}

static void add_row(size_t n, double by, const double *row, double *to) {
  for (size_t c = 0; by != 0 && c < n; c++) to[c] += by * row[c];
}

/* The rows of q1, from those of u1 and the start's q. */
static void fill_positions(const differentiation *x, const block *b) {
  const matter *m = cdni_matter(cdn_state_system(x->step.state));
  const size_t n = (size_t)b->columns;
  const double *u1 = b->x + (size_t)x->step.nu * n;
  memset(b->x, 0, (size_t)x->step.nu * n * sizeof *b->x);
  for (int i = 1; m && i < m->tree.n; i++) {
    const tree_node *node = &m->tree.node[i];
    for (int r = node->u; r < node->u + node->nu; r++)
      for (int k = 0; k < node->nu; k++) {
        if (b->first < 0) b->x[(size_t)r * n + (size_t)(node->u + k)] += x->move_q[MOVE_COLUMNS * r + k];
        add_row(n, x->move_u[MOVE_COLUMNS * r + k], u1 + (size_t)(node->u + k) * n, b->x + (size_t)r * n);
      }
  }
}

/* What is prescribed at the end does not vary. */
static void clear_rows(const differentiation *x, const block *b) {
  const size_t n = (size_t)b->columns, nu = (size_t)x->step.nu;
  for (size_t k = 0; k < nu; k++) {
    if (x->held_q[k]) memset(b->x + k * n, 0, n * sizeof *b->x);
    if (x->held_u[k]) memset(b->x + (nu + k) * n, 0, n * sizeof *b->x);
  }
}

/* The State goes the step. */
static cdn_status go(differentiation *x) {
  const step_start *s = &x->step;
  cdn_state *state = s->state;
  const double *u0 = cdn_state_u(state);
  projection_variation v[3];
  for (int k = 0; k < s->nu; k++) x->u1[k] = u0[k] + s->h * s->a[k];
  for (int k = 0; k < x->n_blocks; k++) {
    fill_rates(x, &x->blocks[k]);
    if (x->blocks[k].first < 0) clear_columns(x, &x->blocks[k]);
  }
  if (s->nu == 0) return CDN_OK;
  CDNI_TRY(cdni_move_vary(state, s->function, MOVE_TURN, s->h, x->u1, x->move_q, x->move_u));
  for (int k = 0; k < x->n_blocks; k++) {
    block *b = &x->blocks[k];
    fill_positions(x, b);
    if (b->first < 0) clear_columns(x, b);
    clear_rows(x, b);
    v[k] = (projection_variation){ b->columns, b->x, b->x + (size_t)s->nu * (size_t)b->columns };
  }
  CDNI_TRY(cdn_state_set_time(state, cdn_state_time(state) + s->h));
  CDNI_TRY(cdn_state_set_u(state, x->u1));
  CDNI_TRY(cdn_prescribe(state, NULL));
  return cdni_project_vary(state, s->function, x->n_blocks, v);
}

static cdn_status differentiate(differentiation *x, bool by_force) {
  const step_start *s = &x->step;
  if (s->kind) CDNI_TRY(cdni_dynamics_damp(s->state, s->function, s->kind->damping, s->h, x->a));
  if (s->nu > 0) memcpy(x->udot, cdn_state_udot(s->state), (size_t)s->nu * sizeof *x->udot);
  if (s->nu > 0 && !s->kind) memcpy(x->a, x->udot, (size_t)s->nu * sizeof *x->a);
  const matter *m = cdni_matter(cdn_state_system(s->state));
  if (m) cdni_motion_held(m, s->state, x->held_q, x->held_u);
  CDNI_TRY(differentiate_rates(x));
  CDNI_TRY(find_forces(x, by_force));
  if (m) CDNI_TRY(differentiate_accelerations(x));
  const cdn_status status = go(x);
  cdni_state_return_to(s->state, s->saved);
  return status;
}

/* The State is put aside. */
static cdn_status put_aside(differentiation *x, bool by_force) {
  cdn_state *state = x->step.state;
  char *saved;
  CDNI_TRY(cdni_operator_work(state, x->step.function, cdni_state_snapshot_size(state), (void **)&saved));
  cdni_state_take_snapshot(state, saved);
  x->step.saved = saved;
  const cdn_status status = differentiate(x, by_force);
  cdn_work_pop(state, saved);
  return status;
}

/* What has no derivative here, or whose derivatives nobody knows. */
static cdn_status refuse(cdn_state *state, const char *function) {
  const cdn_system *system = cdn_state_system(state);
  const matter *m = cdni_matter(system);
  if (cdn_system_nu(system) != (m ? m->tree.nu : 0))
    return cdni_state_fail(
        state, CDN_ERR_UNSUPPORTED, false, function, NULL,
        "a subsystem of yours has coordinates or speeds: derivatives of steps know those of mobilizers");
  const cdn_motion varying = { m ? cdni_motion_first_varying(m, state) : -1 };
  const char *name = cdn_motion_name(system, varying);
  if (varying.i >= 0)
    return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, name,
                           "motion '%s' may depend on q or u: there are no derivatives of steps with it", name);
  const constraint_room *room = cdni_constraints(system);
  for (int i = 0; room && i < cdn_system_constraint_count(system); i++)
    if (constraint_at(room, i)->nonlinear && cdn_constraint_is_enabled(state, (cdn_constraint){ i }))
      return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, constraint_at(room, i)->name,
                             "the velocity error of constraint '%s' is not linear in u, and how it is projected has no "
                             "derivatives",
                             constraint_at(room, i)->name);
  return CDN_OK;
}

cdn_status cdn_step_derivatives(cdn_state *state, cdn_method method, double h, double *dx_dx, double *dx_dtau,
                                double *dx_dc) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const cdn_system *system = cdn_state_system(state);
  const int nu = cdn_system_nu(system), nz = cdn_system_nz(system);
  differentiation x = { .step = { .state = state, .function = __func__, .h = h, .nu = nu, .nz = nz } };
  CDNI_TRY(cdni_euler_of(state, __func__, "derivatives", method, h, &x.step.kind));
  CDNI_TRY(refuse(state, __func__));
  CDNI_TRY(cdn_realize(state, CDN_STAGE_ACCELERATION));
  x.controls = dx_dc ? cdn_system_control_count(system) : 0;
  x.by.forces = x.forces = (dx_dtau ? nu : 0) + x.controls;
  if (dx_dx) x.blocks[x.n_blocks++] = (block){ 2 * nu + nz, -1, dx_dx };
  if (dx_dtau && nu > 0) x.blocks[x.n_blocks++] = (block){ nu, 0, dx_dtau };
  if (x.controls > 0) x.blocks[x.n_blocks++] = (block){ x.controls, dx_dtau ? nu : 0, dx_dc };
  double *memory;
  CDNI_TRY(cdni_operator_work(state, __func__, divide(&x, NULL) * sizeof *memory, (void **)&memory));
  divide(&x, memory);
  x.step.a = x.a, x.step.udot = x.udot, x.by.force = x.force;
  const cdn_status status = put_aside(&x, dx_dtau != NULL);
  cdn_work_pop(state, memory);
  return status;
}
