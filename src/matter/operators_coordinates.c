/* Between q and u: N, its inverse, their transposes, and second derivatives (5.4). */
#include "matter/operators.h"

cdn_status cdn_multiply_by_N(cdn_state *state, const double *u, double *qdot) {
  CDNI_NEED_SOME(state, qdot, cdn_system_nu(cdn_state_system(state)));
  CDNI_TRY(cdni_operator_check(state, __func__, "u", u, cdn_system_nu(cdn_state_system(state))));
  return cdni_state_multiply_by_N(state, u, qdot);
}

cdn_status cdn_multiply_by_N_inv(cdn_state *state, const double *qdot, double *u) {
  CDNI_NEED_SOME(state, u, cdn_system_nu(cdn_state_system(state)));
  CDNI_TRY(cdni_operator_check(state, __func__, "qdot", qdot, cdn_system_nq(cdn_state_system(state))));
  return cdni_state_multiply_by_N_inv(state, qdot, u);
}

/* ---- the operators that only matter has ---- */

/* The tree, with the arguments checked, and scratch: n_work vectors as long as q and u together. */
static cdn_status begin(cdn_state *state, const char *function, const char *what, const double *in, bool in_q,
                        const matter **m, real **work) {
  const cdn_system *system = cdn_state_system(state);
  CDNI_TRY(cdni_operator_matter(state, function, m));
  const tree *t = &(*m)->tree;
  if (cdn_system_nq(system) != t->nq || cdn_system_nu(system) != t->nu)
    return cdni_state_fail(
        state, CDN_ERR_UNSUPPORTED, false, function, NULL,
        "subsystems other than matter have q or u of their own, of which only N and its inverse are known");
  CDNI_TRY(cdni_operator_check(state, function, what, in, in_q ? t->nq : t->nu));
  void *frame = NULL;
  CDNI_TRY(cdni_operator_work(state, function, (size_t)(t->nq + t->nu) * sizeof **work, &frame));
  *work = frame;
  return CDN_OK;
}

/* N is made of one block a mobilizer, so that one product with the k-th unit vectors of all of them gives column k of
 * every block, and as many products as the largest block has columns give the transpose. f_out is of the space that
 * `columns` counts, f_in of the other. */
static cdn_status multiply_transpose(cdn_state *state, const matter *m, bool inverse, const double *f_in, real *work,
                                     double *f_out) {
  const tree *t = &m->tree;
  int n_unit = inverse ? t->nq : t->nu, most = 0;
  real *unit = work, *column = work + n_unit;
  for (int i = 1; i < t->n; i++) {
    int columns = inverse ? t->node[i].nq : t->node[i].nu;
    most = columns > most ? columns : most;
  }
  for (int k = 0; k < most; k++) {
    memset(unit, 0, (size_t)n_unit * sizeof *unit);
    for (int i = 1; i < t->n; i++) {
      const tree_node *n = &t->node[i];
      if (k < (inverse ? n->nq : n->nu)) unit[(inverse ? n->q : n->u) + k] = 1;
    }
    CDNI_TRY(inverse ? cdni_state_multiply_by_N_inv(state, unit, column)
                     : cdni_state_multiply_by_N(state, unit, column));
    for (int i = 1; i < t->n; i++) {
      const tree_node *n = &t->node[i];
      if (k >= (inverse ? n->nq : n->nu)) continue;
      int from = inverse ? n->u : n->q, rows = inverse ? n->nu : n->nq;
      real sum = 0;
      for (int j = 0; j < rows; j++) sum = r_fma(column[from + j], f_in[from + j], sum);
      f_out[(inverse ? n->q : n->u) + k] = sum;
    }
  }
  return CDN_OK;
}

cdn_status cdn_multiply_by_N_transpose(cdn_state *state, const double *f_q, double *f_u) {
  CDNI_NEED_SOME(state, f_u, cdn_system_nu(cdn_state_system(state)));
  const matter *m = NULL;
  real *work = NULL;
  CDNI_TRY(begin(state, "cdn_multiply_by_N_transpose", "f_q", f_q, true, &m, &work));
  cdn_status status = multiply_transpose(state, m, false, f_q, work, f_u);
  cdn_work_pop(state, work);
  return status;
}

cdn_status cdn_multiply_by_N_inv_transpose(cdn_state *state, const double *f_u, double *f_q) {
  CDNI_NEED_SOME(state, f_q, cdn_system_nu(cdn_state_system(state)));
  const matter *m = NULL;
  real *work = NULL;
  CDNI_TRY(begin(state, "cdn_multiply_by_N_inv_transpose", "f_u", f_u, false, &m, &work));
  cdn_status status = multiply_transpose(state, m, true, f_u, work, f_q);
  cdn_work_pop(state, work);
  return status;
}

/* ---- second derivatives ---- */

/* Ndot u at the State's own u, into work (nq). */
static cdn_status own_Ndot_u(cdn_state *state, const matter *m, real *work) {
  CDNI_TRY(cdni_state_ensure(state, CDN_U_EFF));
  return cdni_matter_Ndot_u(m, state, cdni_matter_data(m, state).u, work);
}

cdn_status cdn_calc_qdotdot(cdn_state *state, const double *udot, double *qdotdot) {
  CDNI_NEED_SOME(state, qdotdot, cdn_system_nu(cdn_state_system(state)));
  const matter *m = NULL;
  real *bias = NULL;
  CDNI_TRY(begin(state, "cdn_calc_qdotdot", "udot", udot, false, &m, &bias));
  cdn_status status = own_Ndot_u(state, m, bias);
  if (status == CDN_OK) status = cdni_state_multiply_by_N(state, udot, qdotdot);
  for (int j = 0; status == CDN_OK && j < m->tree.nq; j++) qdotdot[j] += bias[j];
  cdn_work_pop(state, bias);
  return status;
}

cdn_status cdn_calc_udot_of_qdotdot(cdn_state *state, const double *qdotdot, double *udot) {
  CDNI_NEED_SOME(state, udot, cdn_system_nu(cdn_state_system(state)));
  const matter *m = NULL;
  real *rest = NULL;
  CDNI_TRY(begin(state, "cdn_calc_udot_of_qdotdot", "qdotdot", qdotdot, true, &m, &rest));
  cdn_status status = own_Ndot_u(state, m, rest);
  for (int j = 0; status == CDN_OK && j < m->tree.nq; j++) rest[j] = qdotdot[j] - rest[j];
  if (status == CDN_OK) status = cdni_state_multiply_by_N_inv(state, rest, udot);
  cdn_work_pop(state, rest);
  return status;
}
