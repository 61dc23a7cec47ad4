/* D = H^T P H + armature of every mobilizer by Cholesky, D^-1 and G = P H D^-1 (12.5). */
#include "matter/operators_factor.h"

#include <math.h>

#include "math/cholesky.h"

/* D^-1 of an nu x nu D, and log det D; false if D is not positive definite. */
static bool invert(int nu, real D[MOST_MOBILITIES][MOST_MOBILITIES], mobility_factor *out, double *log_det) {
  real D_inv[MOST_MOBILITIES][MOST_MOBILITIES];
  if (cdni_cholesky(nu, MOST_MOBILITIES, D[0], 0, 0) >= 0) return false;
  for (int i = 0; log_det && i < nu; i++) *log_det += 2 * log(D[i][i]);
  cdni_cholesky_inverse(nu, MOST_MOBILITIES, D[0], D_inv[0]);
  for (int i = 0; i < nu; i++) memcpy(out[i].D_inv, D_inv[i], (size_t)nu * sizeof *D_inv[i]);
  return true;
}

int cdni_factor_mobilities(const matter *m, const tree_data *d, mobility_factor *out, double *log_det) {
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    mobility_factor *own = out + n->u;
    sv PH[MOST_MOBILITIES];
    real D[MOST_MOBILITIES][MOST_MOBILITIES];
    if (d->prescribed && d->prescribed[i]) {
      for (int k = 0; k < n->nu; k++) own[k] = (mobility_factor){ .h = cdni_hinge_column(n, d->H, k) };
      continue;
    }
    for (int k = 0; k < n->nu; k++) {
      own[k].h = cdni_hinge_column(n, d->H, k);
      PH[k] = articulated_mul(d->articulated[i].P, own[k].h);
      for (int l = 0; l <= k; l++) D[k][l] = sv_dot(PH[k], own[l].h) + (k == l ? d->mass[i].armature : 0);
    }
    if (!invert(n->nu, D, own, log_det)) return i;
    for (int k = 0; k < n->nu; k++) {
      own[k].g = sv_zero();
      for (int l = 0; l < n->nu; l++) own[k].g = sv_fma(own[k].D_inv[l], PH[l], own[k].g);
    }
  }
  return -1;
}

/* Articulated inertias as if no mobility were prescribed, in memory of their own. */
static int articulate_whole(const matter *m, tree_data *d, void *memory) {
  d->prescribed = NULL;
  d->articulated = memory;
  d->G = (real *)(d->articulated + m->tree.n);
  d->D_inv = d->G + m->tree.nG;
  rmask singular;
  m->kernels->articulate(&m->tree, d, &singular);
  return (int)singular;
}

cdn_status cdni_operator_factor(cdn_state *state, const char *function, bool whole, const matter **m, tree_data *d,
                                size_t more_bytes, mobility_factor **out, double *log_det) {
  CDNI_TRY(cdni_operator_matter(state, function, m));
  const tree *t = &(*m)->tree;
  *d = cdni_matter_data(*m, state);
  const bool apart = whole && d->prescribed;
  CDNI_TRY(cdni_state_ensure(state, apart ? (*m)->inertia.ticket : (*m)->articulated.ticket));
  size_t own = (size_t)t->nu * sizeof **out + more_bytes, bytes = own;
  if (apart) bytes += (size_t)t->n * sizeof(body_articulated) + (size_t)(t->nG + t->nD) * sizeof(real);
  void *frame = NULL;
  CDNI_TRY(cdni_operator_work(state, function, bytes, &frame));
  *out = frame;
  int bad = apart ? articulate_whole(*m, d, (char *)frame + own) : -1;
  if (bad < 0) bad = cdni_factor_mobilities(*m, d, *out, log_det);
  if (bad < 0) return CDN_OK;
  cdn_work_pop(state, frame);
  return cdni_matter_singular(*m, state, bad, function);
}
