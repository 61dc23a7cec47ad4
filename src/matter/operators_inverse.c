/* M^-1 as a matrix, column by column: a unit force at one mobility acts on its ancestors' mobilities inward, and
 * then moves all bodies outboard of the base body outward. Of each column only the part on and above the diagonal is
 * computed; it needs no body of a higher index, since parents come first. */
#include "matter/operators_factor.h"

typedef struct inverse_pass {
  const matter *m;
  tree_data d;
  mobility_factor *mobility;
  sv *A;         /* a body: accelerations by the unit force */
  real *eps;     /* for each mobility: the part of the force that is left for it; set on the path only */
  int32_t *base; /* a body: the base body that it hangs on */
  int32_t *seen; /* for each body: the last column whose path contains it */
} inverse_pass;

/* Inward from a unit force at mobility k of body b: eps = f - H^T z, z_P = phi (z + G eps) along the path to Ground. */
static void inward(inverse_pass *p, int b, int k, int column) {
  const tree *t = &p->m->tree;
  sv z = sv_zero();
  for (int i = b; i > 0; i = t->node[i].parent) {
    const tree_node *n = &t->node[i];
    sv passed_on = z;
    p->seen[i] = column;
    for (int l = 0; l < n->nu; l++) {
      const mobility_factor *own = &p->mobility[n->u + l];
      real eps = (i == b && l == k ? 1.0 : 0.0) - sv_dot(own->h, z);
      p->eps[n->u + l] = eps;
      passed_on = sv_fma(eps, own->g, passed_on);
    }
    z = sv_shift_force(passed_on, p->d.pose[i].r);
  }
}

/* Outward to b: udot = D^-1 eps - G^T A with A = phi^T A_P, then A += H udot. Body b stores up to its own mobility
 * k. */
static void outward(inverse_pass *p, int b, int k, int column, double *M_inv) {
  const tree *t = &p->m->tree;
  size_t nu = (size_t)t->nu, at = (size_t)column;
  for (int i = p->base[b]; i <= b; i++) {
    if (p->base[i] != p->base[b]) continue;
    const tree_node *n = &t->node[i];
    sv A = n->parent == 0 ? sv_zero() : sv_shift_motion(p->A[n->parent], p->d.pose[i].r), sum = A;
    for (int l = 0; l < n->nu; l++) {
      const mobility_factor *own = &p->mobility[n->u + l];
      real udot = -sv_dot(own->g, A);
      if (p->seen[i] == column)
        for (int j = 0; j < n->nu; j++) udot = r_fma(own->D_inv[j], p->eps[n->u + j], udot);
      sum = sv_fma(udot, own->h, sum);
      size_t row = (size_t)(n->u + l);
      if (i < b || l <= k) M_inv[row * nu + at] = M_inv[at * nu + row] = udot;
    }
    p->A[i] = sum;
  }
}

cdn_status cdn_calc_M_inv(cdn_state *state, double *M_inv) {
  CDNI_NEED_SOME(state, M_inv, cdn_system_nu(cdn_state_system(state)));
  inverse_pass p = { .m = cdni_matter(cdn_state_system(state)) };
  size_t n = p.m ? (size_t)p.m->tree.n : 0, nu = p.m ? (size_t)p.m->tree.nu : 0;
  CDNI_TRY(cdni_operator_factor(state, "cdn_calc_M_inv", false, &p.m, &p.d,
                                n * sizeof *p.A + nu * sizeof *p.eps + 2 * n * sizeof *p.base, &p.mobility, NULL));
  p.A = (sv *)(p.mobility + nu);
  p.eps = (real *)(p.A + n);
  p.base = (int32_t *)(p.eps + nu);
  p.seen = p.base + n;
  p.base[0] = 0;
  for (int i = 1; i < p.m->tree.n; i++) {
    int parent = p.m->tree.node[i].parent;
    p.base[i] = parent == 0 ? i : p.base[parent];
    p.seen[i] = -1;
  }
  if (nu) memset(M_inv, 0, nu * nu * sizeof *M_inv);
  for (int b = 1; b < p.m->tree.n; b++)
    for (int k = 0; k < p.m->tree.node[b].nu; k++) {
      int column = p.m->tree.node[b].u + k;
      inward(&p, b, k, column);
      outward(&p, b, k, column, M_inv);
    }
  cdn_work_pop(state, p.mobility);
  return CDN_OK;
}
