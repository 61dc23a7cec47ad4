/* Checks of a force element: of its potential, its power, its derivatives, and the dependences that it declares. */
#include <math.h>
#include <stdio.h>

#include <cardan/derivatives.h>

#include "studies/check.h"

typedef struct force {
  checker c;
  cdn_force id;
  double *f, *with, *without; /* generalized forces; derivatives: nu x (2 nu + nz) with and without the element */
  cdn_spatial *F;
  size_t memory_size;
} force;

/* ---- functions to be differenced ---- */

/* The generalized force of the element, one number for each u. */
static cdn_status generalized(void *context, cdn_state *state, double *values) {
  force *x = context;
  CDNI_TRY(cdn_applied_forces(state, x->F, x->f));
  CDNI_TRY(cdn_multiply_by_J_transpose(state, x->F, values));
  for (int k = 0; k < x->c.nu; k++) values[k] += x->f[k];
  return CDN_OK;
}

static cdn_status potential(void *context, cdn_state *state, double *values) {
  (void)context;
  return cdn_potential_energy(state, values);
}

static cdn_status forces_and_potential(void *context, cdn_state *state, double *values) {
  force *x = context;
  CDNI_TRY(generalized(x, state, values));
  return cdn_potential_energy(state, values + x->c.nu);
}

/* ---- the checks at one pose ---- */

static cdn_status check_gradient(force *x) {
  checker *c = &x->c;
  char slot[96];
  double *slope = x->with, *doubt = x->with + c->nu, *f = x->without, *one = c->values + 5 * c->most;
  for (int k = 0; k < c->nu; k++) {
    memset(one, 0, (size_t)c->nu * sizeof *one);
    one[k] = 1;
    CDNI_TRY(cdni_check_go_along(c, one, 0));
    CDNI_TRY(cdni_check_rate(c, potential, x, 1));
    slope[k] = c->rate[0], doubt[k] = c->doubt[0];
  }
  double size = 0;
  for (int k = 0; k < c->nu; k++) size = fmax(size, isnan(slope[k]) ? 0 : fabs(slope[k]) - doubt[k]);
  if (!(size > 0)) return CDN_OK; /* no potential: power tells the rest */
  memset(one, 0, (size_t)c->nu * sizeof *one);
  CDNI_TRY(cdn_state_set_u(c->state, one));
  CDNI_TRY(generalized(x, c->state, f));
  CDNI_TRY(cdn_state_set_u(c->state, c->at.u));
  size = fmax(size, check_largest(f, c->nu));
  for (int k = 0; k < c->nu; k++) {
    cdn_system_slot_name(c->system, CDN_POOL_U, k, slot, sizeof slot);
    cdni_check_compare(c, "potential", k, -1, slot, -slope[k], f[k], size, doubt[k],
                       "at rest the force along each u is minus the derivative of the potential along N u");
  }
  return CDN_OK;
}

static cdn_status check_power(force *x) {
  checker *c = &x->c;
  double *f = x->without, stated = 0, power = 0, size = 0;
  CDNI_TRY(generalized(x, c->state, f));
  CDNI_TRY(cdn_nonpotential_power(c->state, &stated));
  for (int k = 0; k < c->nu; k++) power += f[k] * c->at.u[k], size = fmax(size, fabs(f[k] * c->at.u[k]));
  CDNI_TRY(cdni_check_go_along(c, c->at.u, 0));
  CDNI_TRY(cdni_check_rate(c, potential, x, 1));
  cdni_check_compare(c, "power", -1, -1, "", stated - c->rate[0], power, fmax(size, fabs(c->rate[0])), c->doubt[0],
                     "what the force does to the system is not what its potential loses, and what it does beside "
                     "a potential (cdn_nonpotential_power); a force with a potential must not depend on u");
  return CDN_OK;
}

static cdn_status derivatives(force *x, bool on, double *dq) {
  const int nu = x->c.nu;
  double *du = dq + nu * nu, *dz = du + nu * nu;
  CDNI_TRY(cdn_force_set_enabled(x->c.state, x->id, on));
  return cdn_inverse_dynamics_derivatives(x->c.state, NULL, dq, du, x->c.nz ? dz : NULL);
}

static void compare_column(force *x, const char *what, int k, const double *with, const double *without, int columns,
                           const char *column) {
  checker *c = &x->c;
  char slot[96], where[260];
  double size = 0;
  for (int i = 0; i < c->nu; i++) /* the subtracted values are rounded, too */
    size = fmax(size, 1e-6 * fabs(without[i * columns + k]));
  for (int i = 0; i < c->nu * columns; i++) size = fmax(size, 1e-3 * fabs(without[i] - with[i]));
  size = fmax(size, check_largest(c->rate, c->nu));
  for (int i = 0; i < c->nu; i++) {
    cdn_system_slot_name(c->system, CDN_POOL_U, i, slot, sizeof slot);
    snprintf(where, sizeof where, "row %d (%s), column %d (%s)", i, slot, k, column);
    cdni_check_compare(c, what, i, k, where, c->rate[i], without[i * columns + k] - with[i * columns + k], size,
                       c->doubt[i], "the derivatives that calc_derivative describes are not those of calc_force");
  }
}

/* Only derivatives that the element brings itself: others are differences like those that would judge them, and differ
 * from them by rounding alone. */
static cdn_status check_derivatives(force *x) {
  checker *c = &x->c;
  if (cdni_force_is_differenced(c->state, x->id.i)) return CDN_OK;
  const int nu = c->nu, square = nu * nu;
  char slot[96];
  double *one = c->values + 5 * c->most;
  const cdn_status status = derivatives(x, true, x->with);
  if (status != CDN_OK) return status == CDN_ERR_UNSUPPORTED ? CDN_OK : status;
  CDNI_TRY(derivatives(x, false, x->without));
  CDNI_TRY(cdn_force_set_enabled(c->state, x->id, true));
  for (int k = 0; k < nu; k++) {
    memset(one, 0, (size_t)nu * sizeof *one);
    one[k] = 1;
    cdn_system_slot_name(c->system, CDN_POOL_U, k, slot, sizeof slot);
    CDNI_TRY(cdni_check_go_along(c, one, 0));
    CDNI_TRY(cdni_check_rate(c, generalized, x, nu));
    compare_column(x, "derivatives by q", k, x->with, x->without, nu, slot);
    cdni_check_stay(c);
    c->along.u[k] = 1;
    CDNI_TRY(cdni_check_rate(c, generalized, x, nu));
    compare_column(x, "derivatives by u", k, x->with + square, x->without + square, nu, slot);
  }
  for (int k = 0; k < c->nz; k++) {
    cdn_system_slot_name(c->system, CDN_POOL_Z, k, slot, sizeof slot);
    cdni_check_stay(c);
    c->along.z[k] = 1;
    CDNI_TRY(cdni_check_rate(c, generalized, x, nu));
    compare_column(x, "derivatives by z", k, x->with + 2 * square, x->without + 2 * square, c->nz, slot);
  }
  return CDN_OK;
}

static cdn_status check_pose(force *x) {
  checker *c = &x->c;
  CDNI_TRY(cdni_check_set(c, &c->at));
  CDNI_TRY(check_gradient(x));
  CDNI_TRY(check_power(x));
  CDNI_TRY(check_derivatives(x));
  return c->pose == 1 ? cdni_check_reads(c, forces_and_potential, x, c->nu + 1) : CDN_OK;
}

static cdn_status check(force *x) {
  checker *c = &x->c;
  CDNI_TRY(cdn_force_set_enabled(c->state, x->id, true));
  for (int i = 0; i <= c->def.poses + 1; i++) {
    cdni_check_choose(c, i, cdn_ground());
    const cdn_status here = check_pose(x);
    if (here == CDN_OK) c->report->poses++;
    else CDNI_TRY(cdni_check_failed(c, here));
    CDNI_TRY(cdn_force_set_enabled(c->state, x->id, true));
  }
  return CDN_OK;
}

cdn_status cdn_check_force(cdn_state *state, cdn_force id, const cdn_check_def *def, cdn_check **out) {
  if (out) *out = NULL;
  if (!state || !out) return cdni_refuse(CDN_ERR_ARG, __func__, "the State, or where the check shall go, is NULL");
  const cdn_system *system = cdn_state_system(state);
  if (id.i < 0 || id.i >= cdn_system_force_count(system)) return cdni_state_lacks(state, __func__, "force", (int)id.i);
  force x = { .id = id };
  const int nu = cdn_system_nu(system), nq = cdn_system_nq(system), nz = cdn_system_nz(system);
  const int longest = (nq > nu ? nq : nu) > nz ? (nq > nu ? nq : nu) : nz;
  CDNI_TRY(cdni_check_begin(&x.c, state, __func__, "force", cdn_force_name(system, id), cdn_force_kind_name(system, id),
                            def, longest + 2, out));
  const cdn_allocator *a = cdni_system_allocator(system);
  const size_t matrices = (size_t)nu * (size_t)(2 * nu + nz) + 2 * (size_t)nu;
  x.memory_size = ((size_t)nu + 2 * matrices) * sizeof(double) + (size_t)x.c.nb * sizeof *x.F;
  x.F = cdni_calloc(a, x.memory_size);
  x.f = (double *)(x.F + x.c.nb), x.with = x.f + nu, x.without = x.with + matrices;
  cdn_status status = x.F ? check(&x) : cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory");
  if (x.F) cdni_free(a, x.F, x.memory_size);
  return cdni_check_end(&x.c, status, out);
}
