/* Checks of a constraint: errors of positions, of velocities, of accelerations, and the rows must be derivatives of
 * each other. */
#include <stdio.h>

#include "studies/check.h"

typedef struct constraint {
  checker c;
  cdn_constraint id;
  cdn_constraint_equations e;
  double *G, *udoterr; /* of all constraints */
  double *zeros;
} constraint;

/* ---- functions to be differenced ---- */

static cdn_status copy(const double *from, int n, double *values, const cdn_state *state) {
  if (!from) return cdni_state_last_status(state);
  if (n > 0) memcpy(values, from, (size_t)n * sizeof *values);
  return CDN_OK;
}

static cdn_status position_errors(void *context, cdn_state *state, double *values) {
  const constraint *x = context;
  const double *all = cdn_state_qerr(state);
  return copy(all ? all + x->e.qerr : NULL, x->e.np, values, state);
}

static cdn_status velocity_errors(void *context, cdn_state *state, double *values) {
  const constraint *x = context;
  const double *all = cdn_state_uerr(state);
  return copy(all ? all + x->e.uerr : NULL, x->e.np + x->e.nv, values, state);
}

/* Where udot is zero. */
static cdn_status acceleration_errors(constraint *x, cdn_state *state, double *values) {
  CDNI_TRY(cdn_calc_udoterr(state, x->zeros, x->udoterr));
  return copy(x->udoterr + x->e.row, x->e.np + x->e.nv + x->e.na, values, state);
}

/* All of them, one after another. */
static cdn_status all_errors(void *context, cdn_state *state, double *values) {
  constraint *x = context;
  CDNI_TRY(position_errors(x, state, values));
  CDNI_TRY(velocity_errors(x, state, values + x->e.np));
  return acceleration_errors(x, state, values + 2 * x->e.np + x->e.nv);
}

/* ---- the checks at one pose ---- */

/* The size of a row of G. It is also the scale for the row's products with velocities. */
static double row_size(const constraint *x, int row) {
  return check_largest(x->G + (size_t)(x->e.row + row) * (size_t)x->c.nu, x->c.nu);
}

static void compare_rows(constraint *x, const char *what, int n, int k, const char *hint) {
  char slot[96], where[160];
  cdn_system_slot_name(x->c.system, CDN_POOL_U, k, slot, sizeof slot);
  for (int i = 0; i < n; i++) {
    snprintf(where, sizeof where, "equation %d, column %d (%s)", i, k, slot);
    cdni_check_compare(&x->c, what, i, k, where, x->c.rate[i],
                       x->G[(size_t)(x->e.row + i) * (size_t)x->c.nu + (size_t)k], row_size(x, i), x->c.doubt[i], hint);
  }
}

static cdn_status check_rows(constraint *x) {
  checker *c = &x->c;
  double *one = c->values + 5 * c->most;
  for (int k = 0; k < c->nu; k++) {
    memset(one, 0, (size_t)c->nu * sizeof *one);
    one[k] = 1;
    if (x->e.np > 0) {
      CDNI_TRY(cdni_check_go_along(c, one, 0));
      CDNI_TRY(cdni_check_rate(c, position_errors, x, x->e.np));
      compare_rows(
          x, "rows", x->e.np, k,
          "a row of G is the derivative of the position error along N u; differences of the error say otherwise");
    }
    if (x->e.np + x->e.nv > 0) {
      cdni_check_stay(c);
      c->along.u[k] = 1;
      CDNI_TRY(cdni_check_rate(c, velocity_errors, x, x->e.np + x->e.nv));
      compare_rows(x, "rows of velocities", x->e.np + x->e.nv, k,
                   "a row of G is the derivative of the velocity error with respect to u; differences of the error say "
                   "otherwise");
    }
  }
  return CDN_OK;
}

static cdn_status check_velocity_errors(constraint *x) {
  checker *c = &x->c;
  char where[40];
  if (x->e.np == 0) return CDN_OK;
  double found[32];
  CDNI_TRY(velocity_errors(x, c->state, c->values));
  memcpy(found, c->values, (size_t)x->e.np * sizeof *found);
  CDNI_TRY(cdni_check_go_along(c, c->at.u, 1));
  CDNI_TRY(cdni_check_rate(c, position_errors, x, x->e.np));
  for (int i = 0; i < x->e.np; i++) {
    snprintf(where, sizeof where, "equation %d", i);
    cdni_check_compare(c, "velocity errors", i, -1, where, c->rate[i], found[i],
                       row_size(x, i) * check_largest(c->at.u, c->nu), c->doubt[i],
                       "the velocity error is the rate of the position error, time included: a difference puts power "
                       "into the system");
  }
  return CDN_OK;
}

static cdn_status check_bias(constraint *x) {
  checker *c = &x->c;
  char where[40];
  const int n = x->e.np + x->e.nv;
  const double speed = check_largest(c->at.u, c->nu);
  double found[32];
  CDNI_TRY(acceleration_errors(x, c->state, found));
  CDNI_TRY(cdni_check_go_along(c, c->at.u, 1));
  if (n > 0) CDNI_TRY(cdni_check_rate(c, velocity_errors, x, n));
  for (int i = 0; i < n; i++) {
    snprintf(where, sizeof where, "equation %d", i);
    cdni_check_compare(
        c, "bias", i, -1, where, c->rate[i], found[i], row_size(x, i) * speed * speed, c->doubt[i],
        "the bias is the rate of the velocity error at constant u; differences of the error say otherwise");
  }
  return CDN_OK;
}

static cdn_status check_pose(constraint *x) {
  checker *c = &x->c;
  CDNI_TRY(cdni_check_set(c, &c->at));
  CDNI_TRY(cdn_calc_G(c->state, x->G));
  CDNI_TRY(check_rows(x));
  CDNI_TRY(check_velocity_errors(x));
  CDNI_TRY(check_bias(x));
  return c->pose == 1 ? cdni_check_reads(c, all_errors, x, 3 * x->e.np + 2 * x->e.nv + x->e.na) : CDN_OK;
}

static cdn_status check(constraint *x) {
  checker *c = &x->c;
  CDNI_TRY(cdn_constraint_set_enabled(c->state, x->id, true));
  CDNI_TRY(cdn_constraints_set_baumgarte(c->state, 0));
  for (int i = 0; i <= c->def.poses + 1; i++) {
    cdni_check_choose(c, i, cdn_ground());
    const cdn_status here = check_pose(x);
    if (here == CDN_OK) c->report->poses++;
    else CDNI_TRY(cdni_check_failed(c, here));
  }
  return CDN_OK;
}

cdn_status cdn_check_constraint(cdn_state *state, cdn_constraint id, const cdn_check_def *def, cdn_check **out) {
  if (out) *out = NULL;
  if (!state || !out) return cdni_refuse(CDN_ERR_ARG, __func__, "the State, or where the check shall go, is NULL");
  const cdn_system *system = cdn_state_system(state);
  const char *name = cdn_constraint_name(system, id);
  if (!name) return cdni_state_lacks(state, __func__, "constraint", (int)id.i);
  constraint x = { .id = id, .e = cdn_constraint_get_equations(system, id) };
  const int nu = cdn_system_nu(system), nq = cdn_system_nq(system), longest = nq > nu ? nq : nu;
  const size_t m = (size_t)cdn_system_nudoterr(system), all = m * (size_t)nu + m + (size_t)nu + 1;
  CDNI_TRY(cdni_check_begin(&x.c, state, __func__, "constraint", name, cdn_constraint_kind_name(system, id), def,
                            longest > 96 ? longest : 96, out));
  x.G = cdni_calloc(cdni_system_allocator(system), all * sizeof *x.G);
  cdn_status status = x.G ? CDN_OK : cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory");
  x.udoterr = x.G + m * (size_t)nu, x.zeros = x.udoterr + m;
  if (status == CDN_OK) status = check(&x);
  if (x.G) cdni_free(cdni_system_allocator(system), x.G, all * sizeof *x.G);
  return cdni_check_end(&x.c, status, out);
}
