/* The O(n) operators (12.8). Scratch comes from the State's workspace: results that the State holds stay as they are. */
#include "matter/subsystem.h"

static const matter *matter_of(const cdn_state *state) { return cdni_matter(cdn_state_system(state)); }

/* Numbers given to an operator pass the door as variables do. */
static cdn_status check(cdn_state *state, const char *function, const char *what, const double *values, int n) {
  size_t bad;
  if (!values || n == 0 || cdni_all_finite(values, (size_t)n, &bad)) return CDN_OK;
  return cdni_state_fail(state, CDN_ERR_NONFINITE, false, function, NULL, "%s[%zu] is %g", what, bad, values[bad]);
}

/* Pointers for a pass with scratch of its own. */
typedef struct pass {
  const matter *m;
  tree_data d;
  void *frame;
} pass;

static cdn_status begin(cdn_state *state, pass *p, const char *function, const double *a, const double *f) {
  const matter *m = matter_of(state);
  if (!m) return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "the System has no bodies");
  CDNI_TRY(check(state, function, "the mobility vector", a, m->tree.nu));
  CDNI_TRY(check(state, function, "the mobility forces", f, m->tree.nu));
  size_t n = (size_t)m->tree.n;
  p->m = m;
  p->d = cdni_matter_data(m, state);
  p->frame = cdn_work_push(state, 3 * n * sizeof(sv) + 2 * (size_t)m->tree.nu * sizeof(real));
  if (!p->frame) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  p->d.z = p->frame;
  p->d.A = p->d.z + n;
  p->d.force = NULL;
  p->d.eps = (real *)(p->d.A + 2 * n); /* n spatial vectors are left between for forces */
  p->d.udot = NULL;
  return CDN_OK;
}

/* Forces given at bodies' origins, moved to M's origins. */
static cdn_status take_forces(cdn_state *state, pass *p, const cdn_spatial *F_G) {
  if (!F_G) return CDN_OK;
  CDNI_TRY(check(state, "cdn_spatial forces", "the forces on bodies", &F_G->w.x, 6 * p->m->tree.n));
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  const body_pose *pose = cdni_matter_pose(p->m, state);
  sv *F = p->d.A + p->m->tree.n;
  for (int i = 0; i < p->m->tree.n; i++) {
    v3 r = cdni_to_v3(cdni_matter_station(p->m, state, pose, (cdn_body){ i }, cdn_v3(0, 0, 0)));
    F[i] = sv_shift_force((sv){ cdni_to_v3(F_G[i].w), cdni_to_v3(F_G[i].v) }, r);
  }
  p->d.force = F;
  return CDN_OK;
}

static cdn_status end(cdn_state *state, pass *p, cdn_status status) {
  cdn_work_pop(state, p->frame);
  return status;
}

/* ---- N and J ---- */

cdn_status cdn_multiply_by_N(cdn_state *state, const double *u, double *qdot) {
  CDNI_TRY(check(state, "cdn_multiply_by_N", "u", u, cdn_system_nu(cdn_state_system(state))));
  return cdni_state_multiply_by_N(state, u, qdot);
}

cdn_status cdn_multiply_by_N_inv(cdn_state *state, const double *qdot, double *u) {
  CDNI_TRY(check(state, "cdn_multiply_by_N_inv", "qdot", qdot, cdn_system_nq(cdn_state_system(state))));
  return cdni_state_multiply_by_N_inv(state, qdot, u);
}

cdn_status cdn_multiply_by_J(cdn_state *state, const double *u, cdn_spatial *V_G) {
  pass p;
  CDNI_TRY(begin(state, &p, "cdn_multiply_by_J", u, NULL));
  cdn_status status = cdni_state_ensure(state, CDN_POSE);
  if (status == CDN_OK) {
    p.m->kernels->jacobian(&p.m->tree, &p.d, u, p.d.A);
    for (int i = 0; i < p.m->tree.n; i++) {
      v3 r = cdni_to_v3(cdni_matter_station(p.m, state, p.d.pose, (cdn_body){ i }, cdn_v3(0, 0, 0)));
      sv V = sv_shift_motion(p.d.A[i], r);
      V_G[i] = (cdn_spatial){ cdni_from_v3(V.w), cdni_from_v3(V.v) };
    }
  }
  return end(state, &p, status);
}

cdn_status cdn_multiply_by_J_transpose(cdn_state *state, const cdn_spatial *F_G, double *f) {
  pass p;
  CDNI_TRY(begin(state, &p, "cdn_multiply_by_J_transpose", NULL, NULL));
  cdn_status status = cdni_state_ensure(state, CDN_POSE);
  if (status == CDN_OK) status = take_forces(state, &p, F_G);
  if (status == CDN_OK) {
    memcpy(p.d.z, p.d.force, (size_t)p.m->tree.n * sizeof(sv));
    p.m->kernels->jacobian_transpose(&p.m->tree, &p.d, f);
  }
  return end(state, &p, status);
}

/* ---- M ---- */

cdn_status cdn_multiply_by_M(cdn_state *state, const double *a, double *f) {
  pass p;
  CDNI_TRY(begin(state, &p, "cdn_multiply_by_M", a, NULL));
  cdn_status status = cdni_state_ensure(state, p.m->inertia.ticket);
  p.d.udot = (real *)a; /* read only in this pass */
  if (status == CDN_OK) p.m->kernels->inverse(&p.m->tree, &p.d, false, f);
  return end(state, &p, status);
}

cdn_status cdn_multiply_by_M_inv(cdn_state *state, const double *f, double *a) {
  pass p;
  CDNI_TRY(begin(state, &p, "cdn_multiply_by_M_inv", NULL, f));
  cdn_status status = cdni_state_ensure(state, p.m->articulated.ticket);
  p.d.f_mob = f;
  p.d.udot = a;
  if (status == CDN_OK) p.m->kernels->solve(&p.m->tree, &p.d);
  return end(state, &p, status);
}

cdn_status cdn_calc_M(cdn_state *state, double *M) {
  const matter *m = matter_of(state);
  if (!m) return cdni_state_fail(state, CDN_ERR_ARG, false, "cdn_calc_M", NULL, "the System has no bodies");
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  rigid_inertia *composite = cdn_work_push(state, (size_t)m->tree.n * sizeof *composite);
  if (!composite) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_calc_M", NULL, "out of memory");
  tree_data d = cdni_matter_data(m, state);
  m->kernels->mass_matrix(&m->tree, &d, composite, M);
  cdn_work_pop(state, composite);
  return CDN_OK;
}

/* ---- dynamics with forces given here ---- */

static cdn_status ensure_velocity(cdn_state *state, const matter *m) {
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  return cdni_state_ensure(state, CDN_TWIST);
}

cdn_status cdn_inverse_dynamics(cdn_state *state, const double *udot, const cdn_spatial *F_G, const double *f_mob,
                                double *f) {
  pass p;
  CDNI_TRY(begin(state, &p, "cdn_inverse_dynamics", udot, f_mob));
  cdn_status status = ensure_velocity(state, p.m);
  if (status == CDN_OK) status = take_forces(state, &p, F_G);
  p.d.udot = (real *)udot;
  p.d.f_mob = f_mob;
  if (status == CDN_OK) p.m->kernels->inverse(&p.m->tree, &p.d, true, f);
  return end(state, &p, status);
}

cdn_status cdn_calc_bias(cdn_state *state, double *f_bias) {
  return cdn_inverse_dynamics(state, NULL, NULL, NULL, f_bias);
}

cdn_status cdn_residual(cdn_state *state, const double *udot, double *r) {
  pass p;
  CDNI_TRY(begin(state, &p, "cdn_residual", udot, NULL));
  cdn_status status = ensure_velocity(state, p.m);
  const sv *F = NULL;
  const double *f = NULL;
  if (status == CDN_OK) status = cdni_matter_total_forces(p.m, state, &F, &f);
  p.d.udot = (real *)udot;
  p.d.force = F;
  p.d.f_mob = f;
  if (status == CDN_OK) p.m->kernels->inverse(&p.m->tree, &p.d, true, r);
  return end(state, &p, status);
}

cdn_status cdn_forward_dynamics(cdn_state *state, const cdn_spatial *F_G, const double *f_mob, double *udot,
                                cdn_spatial *A_G) {
  pass p;
  CDNI_TRY(begin(state, &p, "cdn_forward_dynamics", NULL, f_mob));
  cdn_status status = ensure_velocity(state, p.m);
  if (status == CDN_OK) status = cdni_state_ensure(state, p.m->articulated.ticket);
  if (status == CDN_OK) status = take_forces(state, &p, F_G);
  p.d.f_mob = f_mob;
  p.d.udot = udot;
  if (status == CDN_OK) {
    (void)p.m->kernels->forward(&p.m->tree, &p.d, true);
    for (int i = 0; A_G && i < p.m->tree.n; i++) {
      v3 r = cdni_to_v3(cdni_matter_station(p.m, state, p.d.pose, (cdn_body){ i }, cdn_v3(0, 0, 0)));
      v3 w = p.d.twist[i].V.w;
      sv A = sv_shift_motion(p.d.A[i], r);
      A.v = v3_add(A.v, v3_cross(w, v3_cross(w, r)));
      A_G[i] = (cdn_spatial){ cdni_from_v3(A.w), cdni_from_v3(A.v) };
    }
  }
  return end(state, &p, status);
}
