/* M with the armature of tendons: a mass a that moves with a length adds a m m^T, with the moments m of the tendon. */
#include "io/build.h"

#include <cardan/operators.h>

static bool has_armature(const io_builder *b, int tendon) {
  return io_spec_tendon(b->spec, tendon)->armature > 0 && b->tendons[tendon].path.i >= 0;
}

static int count_armatures(const io_builder *b) {
  int n = 0;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_TENDON); i++) n += has_armature(b, i);
  return n;
}

static double product(const double *x, const double *y, int n) {
  double sum = 0;
  for (int k = 0; k < n; k++) sum += x[k] * y[k];
  return sum;
}

cdn_status io_multiply_by_M(io_builder *b, cdn_state *state, const double *u, double *f) {
  const int nu = cdn_system_nu(b->system);
  CDNI_TRY(cdn_multiply_by_M(state, u, f));
  if (count_armatures(b) == 0) return CDN_OK;
  double *m = cdn_work_push(state, (size_t)nu * sizeof *m);
  cdn_status status = m ? CDN_OK : CDN_ERR_NOMEM;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_TENDON) && status == CDN_OK; i++) {
    if (!has_armature(b, i)) continue;
    status = cdn_path_moments(state, b->tendons[i].path, m);
    const double along = status == CDN_OK ? io_spec_tendon(b->spec, i)->armature * product(m, u, nu) : 0;
    for (int k = 0; k < nu && status == CDN_OK; k++) f[k] += along * m[k];
  }
  if (m) cdn_work_pop(state, m);
  return status;
}

/* A tendon of those before which M is known: its moments m, w = M^-1 m, and 1 / a + m w (Sherman and Morrison). */
typedef struct armature {
  double *m, *w, below;
} armature;

static cdn_status solve(cdn_state *state, const armature *list, int n, int nu, const double *f, double *udot) {
  CDNI_TRY(cdn_multiply_by_M_inv(state, f, udot));
  for (int i = 0; i < n; i++) {
    const double part = product(list[i].m, udot, nu) / list[i].below;
    for (int k = 0; k < nu; k++) udot[k] -= part * list[i].w[k];
  }
  return CDN_OK;
}

static cdn_status solve_with(io_builder *b, cdn_state *state, armature *list, double *numbers, const double *f,
                             double *udot) {
  const int nu = cdn_system_nu(b->system);
  int n = 0;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_TENDON); i++) {
    if (!has_armature(b, i)) continue;
    armature *a = &list[n];
    a->m = numbers + 2 * (size_t)nu * (size_t)n, a->w = a->m + nu;
    CDNI_TRY(cdn_path_moments(state, b->tendons[i].path, a->m));
    CDNI_TRY(solve(state, list, n, nu, a->m, a->w));
    a->below = 1 / io_spec_tendon(b->spec, i)->armature + product(a->m, a->w, nu);
    n++;
  }
  return solve(state, list, n, nu, f, udot);
}

cdn_status io_multiply_by_M_inv(io_builder *b, cdn_state *state, const double *f, double *udot) {
  const size_t n = (size_t)count_armatures(b), nu = (size_t)cdn_system_nu(b->system);
  if (n == 0) return cdn_multiply_by_M_inv(state, f, udot);
  armature *list = cdn_work_push(state, n * (sizeof *list + 2 * nu * sizeof(double)));
  if (!list) return CDN_ERR_NOMEM;
  const cdn_status status = solve_with(b, state, list, (double *)(list + n), f, udot);
  cdn_work_pop(state, list);
  return status;
}
