/* The derivatives of inverse dynamics around their recursion (kernel_derivatives.c): derivatives.h tells the idea. */
#include "matter/derivatives.h"

#include "matter/subsystem.h"

cdn_status cdni_derivatives_begin(derivative_pass *p, cdn_state *state, const char *function, const double *udot,
                                  const sv *force, double *dq, double *du, double *M) {
  const matter *m = cdni_matter(cdn_state_system(state));
  if (!m) return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "the System has no bodies");
  const size_t nu = (size_t)m->tree.nu, nb = (size_t)m->tree.n;
  size_t bad;
  if (udot && nu && !cdni_all_finite(udot, nu, &bad))
    return cdni_state_fail(state, CDN_ERR_NONFINITE, false, function, NULL, "udot[%zu] is %g", bad, udot[bad]);
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));

  const tree_data d = cdni_matter_data(m, state);
  *p = (derivative_pass){
    .m = m, .state = state, .function = function, .node = m->tree.node, .pose = d.pose, .twist = d.twist, .u = d.u
  };
  p->udot = udot, p->dq = dq, p->du = du, p->M = M;
  p->frame = cdn_work_push(state, nu * (sizeof *p->motion + 7 * sizeof *p->turn + 1) +
                                      nb * (sizeof *p->sum + sizeof *p->A + 2 * sizeof *p->by_place + 1));
  if (!p->frame) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  p->motion = p->frame;
  p->sum = (body_sums *)(p->motion + nu);
  p->A = (sv *)(p->sum + nb);
  p->by_place = (response *)(p->A + nb);
  p->by_motion = p->by_place + nb;
  p->turn = (sv *)(p->by_motion + nb);
  p->turn_c = p->turn + 6 * nu;
  p->turns = (bool *)(p->turn_c + nu);
  p->carried = (uint8_t *)(p->turns + nb);
  double *matrices[] = { dq, du, M };
  for (int k = 0; k < CDNI_COUNT(matrices); k++)
    if (matrices[k] && nu) memset(matrices[k], 0, nu * nu * sizeof(double));

  m->kernels->derivatives_start(p, &d, force);
  for (int i = 1; i < m->tree.n; i++) {
    const cdn_status status = cdni_derivatives_joint(p, &d, i, function);
    if (status != CDN_OK) {
      cdni_derivatives_end(p);
      return status;
    }
  }
  m->kernels->derivatives_motion(p);
  return CDN_OK;
}

void cdni_derivatives_end(derivative_pass *p) { cdn_work_pop(p->state, p->frame); }

/* ---- forces ---- */

void cdni_derivatives_constant_moment(derivative_pass *p, int body, v3 m) {
  if (body == 0) return;
  m3 *A = &p->sum[body].A;
  A->x = v3_add(A->x, (v3){ 0, -m.z, m.y });
  A->y = v3_add(A->y, (v3){ m.z, 0, -m.x });
  A->z = v3_add(A->z, (v3){ -m.y, m.x, 0 });
}

cdn_status cdni_derivatives_applied(derivative_pass *p) {
  const double *applied = cdn_state_discrete(p->state, p->m->applied_F);
  for (int i = 1; applied[0] != 0 && i < p->m->tree.n; i++) {
    const double *F = applied + 1 + 6 * i;
    const v3 r = cdni_to_v3(cdni_matter_station(p->m, p->state, p->pose, (cdn_body){ i }, cdn_v3(0, 0, 0)));
    cdni_derivatives_constant_moment(p, i, v3_load(F));
    cdni_derivatives_constant_force(p, i, r, v3_load(F + 3));
  }
  return CDN_OK;
}

void cdni_derivatives_push(const derivative_pass *p, int body, sv F, double *matrix, int columns, int k) {
  for (int i = body; i > 0; i = p->node[i].parent) {
    const tree_node *n = &p->node[i];
    for (int l = 0; l < n->nu; l++)
      matrix[(n->u + l) * (size_t)columns + (size_t)k] -= sv_dot(p->motion[n->u + l].S, F);
    F = sv_shift_force(F, p->pose[i].r);
  }
}

void cdni_derivatives_push_difference(const derivative_pass *p, const sv *F_a, const sv *F_b, const double *f_a,
                                      const double *f_b, double h, double *tau, int columns, int column) {
  const double a = 1 / h;
  for (int i = 1; i < p->m->tree.n; i++) {
    const sv dF = sv_sub(F_a[i], F_b[i]);
    const double *x = (const double *)&dF;
    if (x[0] != 0 || x[1] != 0 || x[2] != 0 || x[3] != 0 || x[4] != 0 || x[5] != 0)
      cdni_derivatives_push(p, i, (sv){ v3_scale(a, dF.w), v3_scale(a, dF.v) }, tau, columns, column);
  }
  for (int k = 0; k < p->m->tree.nu; k++) tau[(size_t)k * (size_t)columns + (size_t)column] -= a * (f_a[k] - f_b[k]);
}

void cdni_derivatives_look_at(derivative_pass *p, const char *saved) {
  const char *block = cdni_state_block(p->state);
  p->pose = (const body_pose *)(saved + ((const char *)p->pose - block));
  p->twist = (const body_twist *)(saved + ((const char *)p->twist - block));
}

void cdni_derivatives_need_responses(derivative_pass *p) {
  if (!p->has_responses) memset(p->by_place, 0, 2 * (size_t)p->m->tree.n * sizeof *p->by_place);
  p->has_responses = true;
}

/* ---- the matrices ---- */

cdn_status cdni_derivatives_fill(derivative_pass *p) {
  const tree_kernels *kernels = p->m->kernels;
  void *scratch = cdn_work_push(p->state, kernels->derivatives_scratch(&p->m->tree));
  if (!scratch) return cdni_state_fail(p->state, CDN_ERR_NOMEM, false, p->function, NULL, "out of memory");
  kernels->derivatives_fill(p, cdni_matter_data(p->m, p->state).mass, scratch);
  cdn_work_pop(p->state, scratch);
  return CDN_OK;
}

/* As if all bodies were at rest, which leaves of the terms by u those of forces. */
cdn_status cdni_derivatives_fill_forces(derivative_pass *p) {
  const size_t nb = (size_t)p->m->tree.n, nu = (size_t)p->m->tree.nu;
  body_twist *still = cdn_work_push(p->state, nb * sizeof *still);
  if (!still) return cdni_state_fail(p->state, CDN_ERR_NOMEM, false, p->function, NULL, "out of memory");
  memset(still, 0, nb * sizeof *still);
  for (size_t i = 1; i < nb; i++) p->sum[i].h = v3_zero(), p->sum[i].K = (m3){ v3_zero(), v3_zero(), v3_zero() };
  for (size_t k = 0; k < nu; k++) p->motion[k].beta = sv_zero();
  p->twist = still;
  const cdn_status status = cdni_derivatives_fill(p);
  cdn_work_pop(p->state, still);
  return status;
}
