/* How H changes with a mobilizer's own motion, for every kind, reversed or not, against differences of H itself. */
#include "matter/hinge_gradient.h"
#include "matter/operators.h"

#include "operator_samples.h"

/* Columns of body b's H with its q moved by step along N e_j; what is inboard stays, and so does F. */
static void columns_at(sample *s, int b, const double *q0, const double *qdot, double step, cdn_spatial *out) {
  const cdn_system *system = cdn_state_system(s->state);
  const matter *m = cdni_matter(system);
  double q[7];
  int first = cdn_body_first_q(system, (cdn_body){ b }), nq = cdn_body_nq(system, (cdn_body){ b });
  for (int i = 0; i < nq; i++) q[i] = q0[first + i] + step * qdot[first + i];
  OK(cdn_body_set_q(s->state, (cdn_body){ b }, nq, q));
  OK_ON(s->state, cdni_state_ensure(s->state, CDN_POSE));
  tree_data d = cdni_matter_data(m, s->state);
  for (int k = 0; k < m->tree.node[b].nu; k++) out[k] = cdni_from_sv(cdni_hinge_column(&m->tree.node[b], d.H, k));
}

/* Five-point differences: off by h^4 / 30 times fifth derivatives of order 1 (3e-14; more for the functions and
 * ellipsoids of the trees), and by roundings of H over h (1e-13). */
static void check_gradient(sample *s) {
  const matter *m = cdni_matter(cdn_state_system(s->state));
  const double h = 1e-3, weight[4] = { 1.0 / 12, -8.0 / 12, 8.0 / 12, -1.0 / 12 }, at[4] = { -2, -1, 1, 2 };
  double q0[MOST_NQ], unit[MOST_NU] = { 0 }, qdot[MOST_NQ];
  memcpy(q0, cdn_state_q(s->state), (size_t)s->nq * sizeof *q0);
  for (int b = 1; b < s->nb; b++) {
    const tree_node *n = &m->tree.node[b];
    sv dH[6][6];
    bool moves = false;
    OK(cdn_state_set_q(s->state, q0));
    OK_ON(s->state, cdni_state_ensure(s->state, CDN_POSE));
    tree_data d = cdni_matter_data(m, s->state);
    OK_ON(s->state, cdni_hinge_gradient(m, s->state, &d, b, &moves, dH));
    for (int j = 0; j < n->nu; j++) {
      cdn_spatial rate[6] = { { { 0, 0, 0 }, { 0, 0, 0 } } }, H[6];
      unit[n->u + j] = 1;
      OK(cdn_state_set_q(s->state, q0));
      OK_ON(s->state, cdn_multiply_by_N(s->state, unit, qdot));
      unit[n->u + j] = 0;
      for (int i = 0; i < 4; i++) {
        columns_at(s, b, q0, qdot, at[i] * h, H);
        for (int k = 0; k < n->nu; k++)
          rate[k] = (cdn_spatial){ cdn_add(rate[k].w, cdn_scale(weight[i] / h, H[k].w)),
                                   cdn_add(rate[k].v, cdn_scale(weight[i] / h, H[k].v)) };
      }
      for (int k = 0; k < n->nu; k++)
        near_spatial(moves ? cdni_from_sv(dH[j][k]) : (cdn_spatial){ { 0, 0, 0 }, { 0, 0, 0 } }, rate[k], 1e-11);
    }
  }
}

START_TEST(test_gradients) { on_trees(check_gradient, 40, false); }
END_TEST

CHECK_MAIN("hinge gradient", test_gradients)
