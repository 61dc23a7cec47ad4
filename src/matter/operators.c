/* The mass matrix and the dynamics with forces given, through the kernels (12.8). Scratch comes from the State's
 * workspace: results that the State holds stay as they are. */
#include "matter/motion.h"
#include "matter/operators.h"

/* ---- the door ---- */

cdn_status cdni_operator_matter(cdn_state *state, const char *function, const matter **m) {
  *m = cdni_matter(cdn_state_system(state));
  if (*m) return CDN_OK;
  return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "the System has no bodies");
}

cdn_status cdni_operator_check_optional(cdn_state *state, const char *function, const char *what, const double *values,
                                        int n) {
  size_t bad;
  if (!values || n == 0 || cdni_all_finite(values, (size_t)n, &bad)) return CDN_OK;
  return cdni_state_fail(state, CDN_ERR_NONFINITE, false, function, NULL, "%s[%zu] is %g", what, bad, values[bad]);
}

cdn_status cdni_operator_check(cdn_state *state, const char *function, const char *what, const double *values, int n) {
  if (!values && n > 0)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "%s is NULL; %d numbers are needed", what, n);
  return cdni_operator_check_optional(state, function, what, values, n);
}

cdn_status cdni_operator_work(cdn_state *state, const char *function, size_t bytes, void **frame) {
  *frame = cdn_work_push(state, bytes);
  if (*frame) return CDN_OK;
  return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
}

/* ---- passes with scratch of their own ---- */

typedef struct pass {
  const matter *m;
  tree_data d;
  void *frame;
} pass;

enum { NO_VECTOR, NEEDED, OPTIONAL };

/* a: a mobility vector that is given, and whether it must be. */
static cdn_status begin(cdn_state *state, pass *p, const char *function, int how, const double *a) {
  const matter *m = NULL;
  CDNI_TRY(cdni_operator_matter(state, function, &m));
  if (how == NEEDED) CDNI_TRY(cdni_operator_check(state, function, "the mobility vector", a, m->tree.nu));
  if (how == OPTIONAL) CDNI_TRY(cdni_operator_check_optional(state, function, "udot", a, m->tree.nu));
  size_t n = (size_t)m->tree.n;
  CDNI_TRY(cdni_operator_work(state, function, 3 * n * sizeof(sv) + 2 * (size_t)m->tree.nu * sizeof(real), &p->frame));
  p->m = m;
  p->d = cdni_matter_data(m, state);
  p->d.z = p->frame;
  p->d.A = p->d.z + n;
  p->d.force = NULL;
  p->d.eps = (real *)(p->d.A + 2 * n); /* n spatial vectors are left between for forces */
  p->d.udot = NULL;
  return CDN_OK;
}

/* Forces given at bodies' origins, moved to M's origins, and forces given on mobilities. */
static cdn_status take_forces(cdn_state *state, pass *p, const char *function, const cdn_spatial *F_G,
                              const double *f_mob) {
  CDNI_TRY(cdni_operator_check_optional(state, function, "the mobility forces", f_mob, p->m->tree.nu));
  p->d.f_mob = f_mob;
  if (!F_G) return CDN_OK;
  CDNI_TRY(cdni_operator_check(state, function, "the forces on bodies", &F_G->w.x, 6 * p->m->tree.n));
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  sv *F = p->d.A + p->m->tree.n;
  body_origins origins = cdni_body_origins(p->m, state, p->d.pose);
  for (int i = 0; i < p->m->tree.n; i++) F[i] = sv_shift_force(cdni_to_sv(F_G[i]), cdni_body_offset(&origins, i));
  p->d.force = F;
  return CDN_OK;
}

static cdn_status end(cdn_state *state, pass *p, cdn_status status) {
  cdn_work_pop(state, p->frame);
  return status;
}

/* ---- J, whole ---- */

cdn_status cdn_multiply_by_J(cdn_state *state, const double *u, cdn_spatial *V_G) {
  CDNI_NEED(state, V_G);
  pass p;
  CDNI_TRY(begin(state, &p, "cdn_multiply_by_J", NEEDED, u));
  cdn_status status = cdni_state_ensure(state, CDN_POSE);
  if (status == CDN_OK) {
    body_origins origins = cdni_body_origins(p.m, state, p.d.pose);
    p.m->kernels->jacobian(&p.m->tree, &p.d, u, p.d.A);
    for (int i = 0; i < p.m->tree.n; i++)
      V_G[i] = cdni_from_sv(sv_shift_motion(p.d.A[i], cdni_body_offset(&origins, i)));
  }
  return end(state, &p, status);
}

cdn_status cdn_multiply_by_J_transpose(cdn_state *state, const cdn_spatial *F_G, double *f) {
  CDNI_NEED_SOME(state, f, cdn_system_nu(cdn_state_system(state)));
  pass p;
  CDNI_TRY(begin(state, &p, __func__, NO_VECTOR, NULL));
  cdn_status status = cdni_state_ensure(state, CDN_POSE);
  if (status == CDN_OK && !F_G)
    status = cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL, "the forces on bodies are NULL");
  if (status == CDN_OK) status = take_forces(state, &p, __func__, F_G, NULL);
  if (status == CDN_OK) {
    memcpy(p.d.z, p.d.force, (size_t)p.m->tree.n * sizeof(sv));
    p.m->kernels->jacobian_transpose(&p.m->tree, &p.d, f);
  }
  return end(state, &p, status);
}

/* ---- M ---- */

cdn_status cdn_multiply_by_M(cdn_state *state, const double *a, double *f) {
  CDNI_NEED_SOME(state, f, cdn_system_nu(cdn_state_system(state)));
  pass p;
  CDNI_TRY(begin(state, &p, "cdn_multiply_by_M", NEEDED, a));
  cdn_status status = cdni_state_ensure(state, p.m->inertia.ticket);
  p.d.udot = (real *)a; /* read only in this pass */
  if (status == CDN_OK) p.m->kernels->inverse(&p.m->tree, &p.d, false, f);
  return end(state, &p, status);
}

cdn_status cdn_multiply_by_M_inv(cdn_state *state, const double *f, double *a) {
  CDNI_NEED_SOME(state, a, cdn_system_nu(cdn_state_system(state)));
  pass p;
  CDNI_TRY(begin(state, &p, "cdn_multiply_by_M_inv", NEEDED, f));
  cdn_status status = cdni_state_ensure(state, p.m->articulated.ticket);
  p.d.f_mob = f;
  p.d.udot = a;
  CDNI_LANE_FINDINGS(singular);
  if (status == CDN_OK) p.m->kernels->solve(&p.m->tree, &p.d, 1, p.m->tree.n, true, singular);
  return end(state, &p, status);
}

cdn_status cdn_calc_M(cdn_state *state, double *M) {
  CDNI_NEED_SOME(state, M, cdn_system_nu(cdn_state_system(state)));
  const matter *m = NULL;
  void *scratch = NULL;
  CDNI_TRY(cdni_operator_matter(state, __func__, &m));
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  CDNI_TRY(cdni_operator_work(state, __func__, m->kernels->mass_matrix_scratch(&m->tree), &scratch));
  tree_data d = cdni_matter_data(m, state);
  m->kernels->mass_matrix(&m->tree, &d, scratch, M);
  cdn_work_pop(state, scratch);
  return CDN_OK;
}

/* ---- dynamics with forces given here ---- */

static cdn_status ensure_velocity(cdn_state *state, const matter *m) {
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  return cdni_state_ensure(state, CDN_TWIST);
}

cdn_status cdn_inverse_dynamics(cdn_state *state, const double *udot, const cdn_spatial *F_G, const double *f_mob,
                                double *f) {
  CDNI_NEED_SOME(state, f, cdn_system_nu(cdn_state_system(state)));
  pass p;
  CDNI_TRY(begin(state, &p, __func__, OPTIONAL, udot));
  cdn_status status = ensure_velocity(state, p.m);
  if (status == CDN_OK) status = take_forces(state, &p, __func__, F_G, f_mob);
  p.d.udot = (real *)udot;
  if (status == CDN_OK) p.m->kernels->inverse(&p.m->tree, &p.d, true, f);
  return end(state, &p, status);
}

cdn_status cdn_calc_bias(cdn_state *state, double *f_bias) {
  CDNI_NEED_SOME(state, f_bias, cdn_system_nu(cdn_state_system(state)));
  return cdn_inverse_dynamics(state, NULL, NULL, NULL, f_bias);
}

cdn_status cdn_forward_dynamics(cdn_state *state, const cdn_spatial *F_G, const double *f_mob, double *udot,
                                cdn_spatial *A_G) {
  CDNI_NEED_SOME(state, udot, cdn_system_nu(cdn_state_system(state)));
  pass p;
  CDNI_TRY(begin(state, &p, __func__, NO_VECTOR, NULL));
  cdn_status status = ensure_velocity(state, p.m);
  if (status == CDN_OK) status = cdni_state_ensure(state, p.m->articulated.ticket);
  if (status == CDN_OK) status = take_forces(state, &p, __func__, F_G, f_mob);
  p.d.udot = udot;
  if (status == CDN_OK && p.d.prescribed) status = cdni_motion_calc_udot(p.m, state, udot);
  if (status == CDN_OK) {
    body_origins origins = cdni_body_origins(p.m, state, p.d.pose);
    rmask singular; /* factored already: nowhere */
    p.m->kernels->forward(&p.m->tree, &p.d, true, &singular);
    for (int i = 0; A_G && i < p.m->tree.n; i++) {
      v3 r = cdni_body_offset(&origins, i);
      A_G[i] = cdni_from_sv(cdni_acceleration_at(p.d.A[i], p.d.twist[i].V.w, r));
    }
  }
  return end(state, &p, status);
}
