/* A State at rest, and the problem of statics in it. */
#include "studies/statics.h"

#include <math.h>

#include <cardan/derivatives.h>

#include "constraints/constraints.h"
#include "contact/contact.h"
#include "dynamics/dynamics.h"
#include "forces/forces.h"
#include "matter/operators.h"

static cdn_status hold(cdn_state *rest, const matter *m) {
  for (int i = 1; i < m->tree.n; i++)
    if (cdn_body_driver(rest, (cdn_body){ i }).level != CDN_LEVEL_NONE)
      CDNI_TRY(cdn_body_lock(rest, (cdn_body){ i }, CDN_LEVEL_POSITION));
  return CDN_OK;
}

cdn_status cdni_rest_state(cdn_state *state, const char *function, cdn_state **rest) {
  const matter *m = NULL;
  CDNI_TRY(cdni_study_matter(state, function, &m));
  *rest = NULL;
  cdn_status status = cdn_state_create(cdn_state_system(state), rest);
  if (status != CDN_OK) return cdni_state_fail(state, status, false, function, NULL, "out of memory");
  const size_t nu = (size_t)m->tree.nu;
  double *zeros = cdn_work_push(state, (nu + 1) * sizeof *zeros);
  status = zeros ? cdn_state_copy(*rest, state) : CDN_ERR_NOMEM;
  if (zeros) memset(zeros, 0, (nu + 1) * sizeof *zeros);
  if (status == CDN_OK) status = hold(*rest, m);
  if (status == CDN_OK) status = cdn_prescribe(*rest, NULL);
  if (status == CDN_OK) status = cdn_state_set_u(*rest, zeros);
  cdn_work_pop(state, zeros);
  if (status == CDN_OK) return CDN_OK;
  cdn_error message;
  cdn_state_last_error(*rest, &message);
  cdn_state_destroy(*rest);
  *rest = NULL;
  if (message.code == CDN_OK) return cdni_state_fail(state, status, false, function, NULL, "out of memory");
  cdni_state_set_error(state, &message);
  return status;
}

void cdni_rest_destroy(cdn_state *state, cdn_state *rest, cdn_status status) {
  cdn_error message;
  cdn_state_last_error(rest, &message);
  if (status != CDN_OK && message.code != CDN_OK) cdni_state_set_error(state, &message);
  cdn_state_destroy(rest);
}

/* ---- the reduced problem ---- */

size_t cdni_statics_size(int nu) {
  const size_t n = (size_t)nu;
  return 5 * n * n + 3 * n + 1;
}

cdni_statics cdni_statics_at(int nu, double *memory) {
  const size_t n = (size_t)nu;
  return (cdni_statics){ .nu = nu,
                         .Z = memory,
                         .gradient = memory + n * n,
                         .H = memory + n * n + n,
                         .B = memory + 2 * n * n + n,
                         .mass = memory + 3 * n * n + n,
                         .work = memory + 3 * n * n + 2 * n };
}

/* to = Z A Z^T, A (nu x nu) by rows; `half` is nu numbers. */
static void reduce(const cdni_statics *s, const double *A, double *half, double *to) {
  const int nu = s->nu, n = s->n;
  for (int j = 0; j < n; j++) {
    for (int i = 0; i < nu; i++) {
      half[i] = 0;
      for (int k = 0; k < nu; k++) half[i] += A[i * nu + k] * s->Z[j * nu + k];
    }
    for (int i = 0; i < n; i++) {
      double sum = 0;
      for (int k = 0; k < nu; k++) sum += s->Z[i * nu + k] * half[k];
      to[j * n + i] = sum;
    }
  }
}

/* ---- friction that remembers ---- */

size_t cdni_statics_friction_size(const cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  const size_t nu = (size_t)cdn_system_nu(system), nz = (size_t)cdn_system_nz(system);
  return cdni_statics_friction_at(state, NULL).n > 0 ? 2 * nu * nz + 2 * nu : 0;
}

cdni_statics_friction cdni_statics_friction_at(const cdn_state *state, double *memory) {
  const cdn_system *system = cdn_state_system(state);
  const size_t nu = (size_t)cdn_system_nu(system), nz = (size_t)cdn_system_nz(system);
  cdni_statics_friction f = { .by_u = memory };
  f.of[0].n = cdni_contact_memory_z(state, &f.of[0].first);
  f.of[1].n = cdni_forces_memory_z(state, &f.of[1].first);
  f.n = f.of[0].n + f.of[1].n;
  if (memory) f.by_z = memory + nu * nz, f.work = memory + 2 * nu * nz;
  return f;
}

void cdni_statics_friction_follow(const cdni_statics_friction *f, int nu, double scale, const double *v, double *z) {
  for (int g = 0; g < CDNI_COUNT(f->of); g++)
    for (int i = f->of[g].first; i < f->of[g].first + f->of[g].n; i++)
      for (int k = 0; k < nu; k++) z[i] += scale * f->by_u[i * nu + k] * v[k];
}

cdn_status cdni_statics_friction_hold(cdn_state *rest) {
  CDNI_TRY(cdni_forces_hold(rest));
  return cdni_contact_hold(rest);
}

cdn_status cdni_statics_friction_copy(cdn_state *to, cdn_state *from) {
  CDNI_TRY(cdni_forces_copy_memory(to, from));
  return cdni_contact_copy_memory(to, from);
}

/* The same of one group of z. */
static cdn_status add_group(cdn_state *rest, const cdni_statics_friction *f, int g, int nu, double *K) {
  const int nz = cdn_system_nz(cdn_state_system(rest));
  double *column = f->work, *force = f->work + nu;
  for (int z = f->of[g].first; z < f->of[g].first + f->of[g].n; z++) {
    bool any = false;
    for (int i = 0; i < nu; i++) column[i] = f->by_z[i * nz + z], any = any || column[i] != 0;
    if (!any) continue;
    CDNI_TRY(cdn_multiply_by_M(rest, column, force));
    for (int i = 0; i < nu; i++)
      for (int k = 0; k < nu; k++) K[i * nu + k] -= force[i] * f->by_u[z * nu + k];
  }
  return CDN_OK;
}

/* Adds -M (dudot/dz) (dzdot/du) to K. (Constraint forces that change with z do no work along free directions.) */
static cdn_status add_friction(cdn_state *rest, cdni_statics_friction *f, int nu, double *K) {
  CDNI_TRY(cdn_forward_dynamics_derivatives(rest, NULL, NULL, NULL, f->by_z));
  CDNI_TRY(cdn_calc_zdot_derivatives(rest, NULL, f->by_u, NULL));
  CDNI_TRY(add_group(rest, f, 0, nu, K));
  return add_group(rest, f, 1, nu, K);
}

cdn_status cdni_statics_fill(cdn_state *rest, const char *function, cdn_motion_level level, cdni_statics *s,
                             cdni_statics_friction *friction) {
  const size_t nu = (size_t)s->nu;
  double *A = s->work, *half = A + nu * nu;
  CDNI_TRY(cdni_local_basis(rest, function, level, s->Z, &s->n));
  CDNI_TRY(cdn_realize(rest, CDN_STAGE_ACCELERATION));
  CDNI_TRY(cdn_calc_M(rest, A));
  for (size_t k = 0; k < nu; k++) s->mass[k] = A[k * nu + k];
  reduce(s, A, half, s->B);
  CDNI_TRY(cdn_multiply_by_M(rest, cdn_state_udot(rest), half));
  for (int i = 0; i < s->n; i++) {
    s->gradient[i] = 0;
    for (size_t k = 0; k < nu; k++) s->gradient[i] -= s->Z[(size_t)i * nu + k] * half[k];
  }
  const double *lambda = cdn_state_multipliers(rest);
  const constraint_room *room = lambda ? cdni_constraints(cdn_state_system(rest)) : NULL;
  CDNI_TRY(cdni_constrained_residual_derivatives(
      rest, function, NULL, room ? lambda + cdni_constraints_first_row(room) : NULL, A, NULL, NULL, NULL));
  if (friction && friction->n > 0) CDNI_TRY(add_friction(rest, friction, s->nu, A));
  reduce(s, A, half, s->H);
  return CDN_OK;
}

/* ---- idle mobilities ---- */

static const double ROUNDING = 1e-13;

cdni_stiffness_scale cdni_statics_scale(const cdni_statics *s) {
  cdni_stiffness_scale scale = { 0 };
  for (int k = 0; k < s->nu; k++)
    for (int j = 0; j < s->nu; j++) {
      const double size = fabs(s->work[k * s->nu + j]);
      scale.largest = fmax(scale.largest, size);
      scale.stiffest = fmax(scale.stiffest, size / sqrt(s->mass[k] * s->mass[j]));
    }
  return scale;
}

void cdni_statics_idle(const cdni_statics *s, const double *bound, bool *balanced, bool *idle) {
  const int nu = s->nu;
  const double *K = s->work, *mass = s->mass;
  const cdni_stiffness_scale scale = cdni_statics_scale(s);
  for (int k = 0; k < nu; k++) {
    double free = 0, force = 0;
    for (int i = 0; i < s->n; i++) {
      free += s->Z[i * nu + k] * s->Z[i * nu + k];
      force += s->Z[i * nu + k] * s->gradient[i];
    }
    balanced[k] = fabs(force) * nu <= bound[k] * mass[k];
    idle[k] = balanced[k] && free > 1 - ROUNDING;
    for (int j = 0; j < nu && idle[k]; j++) {
      const double most = ROUNDING * fmin(scale.largest, scale.stiffest * sqrt(mass[k] * mass[j]));
      idle[k] = fabs(K[k * nu + j]) <= most && fabs(K[j * nu + k]) <= most;
    }
  }
}
