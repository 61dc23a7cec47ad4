/* Forces of soft rows at given accelerations. */
#include "soft/internal.h"
#include "matter/operators.h"

cdn_status cdni_soft_forces(const soft_room *room, cdn_state *state, const double *udot, bool left_out, sv *F,
                            double *f) {
  const matter *m = room->matter;
  const void *elements;
  int n;
  CDNI_TRY(cdn_region_eval(state, room->groups, &elements, &n));
  if (n == 0) return CDN_OK;
  const tree_data d = cdni_matter_data(m, state);
  sv *A = cdn_work_push(state, 2 * (size_t)m->tree.n * sizeof *A), *A_full = A + m->tree.n;
  if (!A) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
  m->kernels->jacobian(&m->tree, &d, udot, A);
  cdni_operator_accelerations(m, &d, udot, A_full);
  for (int i = 0; i < n; i++) {
    soft_work w = { .g = (const soft_group *)elements + i };
    if (left_out && w.g->known) continue;
    cdni_soft_place(d.pose, &w);
    cdni_soft_multiply(&m->tree, &w, w.g->rates ? A_full : A, udot, w.r);
    for (int k = 0; k < w.g->s.rows; k++) w.r[k] -= w.g->ref[k];
    cdni_soft_function(&w.g->s, w.r, w.f, NULL, NULL);
    cdni_soft_add_force(&m->tree, &w, w.f, F, f);
  }
  cdn_work_pop(state, A);
  return CDN_OK;
}

cdn_status cdn_soft_forces(cdn_state *state, const double *udot, double *f) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  CDNI_NEED_SOME(state, f, cdn_system_nu(cdn_state_system(state)));
  static const char function[] = "cdn_soft_forces";
  const soft_room *room = cdni_soft(cdn_state_system(state));
  const matter *m = NULL;
  void *frame;
  CDNI_TRY(cdni_operator_matter(state, function, &m));
  CDNI_TRY(cdni_operator_check_optional(state, function, "udot", udot, m->tree.nu));
  const size_t nb = (size_t)m->tree.n, nu = (size_t)m->tree.nu;
  CDNI_TRY(cdni_operator_work(state, function, nb * sizeof(sv) + (2 * nu + 1) * sizeof(double), &frame));
  sv *F = frame;
  double *f_mob = (double *)(F + nb), *a = f_mob + nu;
  memset(F, 0, nb * sizeof *F);
  memset(f_mob, 0, (2 * nu + 1) * sizeof *f_mob);
  if (udot && nu) memcpy(a, udot, nu * sizeof *a);
  cdn_status status = cdni_state_ensure(state, CDN_TWIST);
  if (status == CDN_OK && room) status = cdni_soft_forces(room, state, a, false, F, f_mob);
  if (status == CDN_OK) {
    tree_data d = cdni_matter_data(m, state);
    d.z = F;
    m->kernels->jacobian_transpose(&m->tree, &d, f);
    for (size_t k = 0; k < nu; k++) f[k] += f_mob[k];
  }
  cdn_work_pop(state, frame);
  return status;
}
