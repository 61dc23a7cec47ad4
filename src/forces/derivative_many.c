/* Derivatives of forces between many bodies, each of which may act on each: molecules.
 *
 * Move mobility j. If a body is carried by j, its force is carried along by the recursion (matter/derivatives.h), and
 * what remains is what the bodies that stay behind add: it is as if they had moved by -S. If the body is not carried,
 * what remains is what the carried bodies add by their motion S. So blocks of two different bodies are all that is
 * needed, and sums of them along the tree: over what j carries, and over what it does not carry. No sum is a difference
 * of two others. */
#include "forces/derivatives.h"

enum { SPATIAL = 6, BLOCK = SPATIAL * SPATIAL };

/* A force on one body by the motions of the others: `width` numbers of each. Those of body b become the sum over all
 * that it carries; if `own` is among them, minus the sum over all that it does not carry. T: by body of the tree, those
 * of `own` are zero. path: room for a number a body. */
static void sum_across(const derivative_pass *p, int own, int width, double *T, int32_t *path) {
  double others[BLOCK];
  int depth = 0, next = 0;
  for (int i = own; i > 0; i = p->node[i].parent) path[depth++] = i;
  for (int b = p->m->tree.n - 1; b > 0; b--) {
    if (next < depth && path[next] == b) {
      next++; /* it carries `own`: its parent's others do not count it */
      continue;
    }
    double *to = T + p->node[b].parent * width;
    for (int k = 0; k < width; k++) to[k] += T[b * width + k];
  }
  memcpy(others, T, (size_t)width * sizeof *T);
  while (depth-- > 0) {
    double *at = T + path[depth] * width;
    for (int k = 0; k < width; k++) {
      const double beside = at[k];
      at[k] = -others[k], others[k] += beside;
    }
  }
}

/* Columns of H about the origin of the blocks, 6 numbers each. */
static void find_columns(const derivative_pass *p, v3 origin, double *S) {
  for (int b = 1; b < p->m->tree.n; b++)
    for (int k = p->node[b].u; k < p->node[b].u + p->node[b].nu; k++) {
      const sv s = sv_shift_motion(p->motion[k].S, v3_sub(origin, p->pose[b].p_GM));
      memcpy(S + SPATIAL * k, &s, sizeof s);
    }
}

static double product(const double *a, const double *b) {
  return (a[0] * b[0] + a[1] * b[1]) + (a[2] * b[2] + a[3] * b[3]) + (a[4] * b[4] + a[5] * b[5]);
}

bool cdni_force_derivatives_by_q(const cdn_force_derivatives *d) { return d->pass->dq != NULL; }

typedef struct room {
  double *rest;  /* by body, number of a spatial vector, mobility: what remains of the force on the body */
  double *K, *T; /* blocks by body of the web; by body of the tree */
  double *S;     /* by mobility */
  int32_t *path;
} room;

static void add_row(const derivative_pass *p, const force_web *web, int i, const room *r) {
  const int own = web->body[i], nu = p->m->tree.nu;
  double *rest = r->rest + (size_t)SPATIAL * (size_t)nu * (size_t)own;
  memset(r->T, 0, (size_t)BLOCK * (size_t)p->m->tree.n * sizeof *r->T);
  for (int b = 0; b < web->n; b++)
    for (int k = 0; web->body[b] != own && k < BLOCK; k++) r->T[BLOCK * web->body[b] + k] += r->K[BLOCK * b + k];
  sum_across(p, own, BLOCK, r->T, r->path);
  for (int b = 1; b < p->m->tree.n; b++)
    for (int j = p->node[b].u; j < p->node[b].u + p->node[b].nu; j++)
      for (int k = 0; k < SPATIAL; k++) rest[k * nu + j] -= product(r->T + BLOCK * b + SPATIAL * k, r->S + SPATIAL * j);
}

/* What remains goes inward to all mobilities that feel it. */
static void push_inward(const derivative_pass *p, const room *r) {
  const size_t nu = (size_t)p->m->tree.nu, size = SPATIAL * nu;
  for (int b = p->m->tree.n - 1; b > 0; b--) {
    const double *rest = r->rest + size * (size_t)b;
    double *to = r->rest + size * (size_t)p->node[b].parent;
    for (size_t i = (size_t)p->node[b].u; i < (size_t)p->node[b].u + p->node[b].nu; i++)
      for (size_t k = 0; k < SPATIAL; k++)
        for (size_t j = 0; j < nu; j++) p->dq[i * nu + j] -= r->S[SPATIAL * i + k] * rest[k * nu + j];
    for (size_t k = 0; k < size; k++) to[k] += rest[k];
  }
}

cdn_status cdni_force_derivatives_add_web(cdn_force_derivatives *d, const force_web *web) {
  const derivative_pass *p = d->pass;
  const size_t nb = (size_t)p->m->tree.n, nu = (size_t)p->m->tree.nu, n = (size_t)web->n;
  if (!p->dq) return CDN_OK;
  double *memory = cdn_work_push(p->state, (SPATIAL * nb * nu + BLOCK * (n + nb) + SPATIAL * nu) * sizeof *memory +
                                               nb * sizeof(int32_t));
  if (!memory) return cdni_state_fail(p->state, CDN_ERR_NOMEM, false, p->function, NULL, "out of memory");
  room r = { .rest = memory, .K = memory + SPATIAL * nb * nu };
  r.T = r.K + BLOCK * n, r.S = r.T + BLOCK * nb, r.path = (int32_t *)(r.S + SPATIAL * nu);
  memset(r.rest, 0, SPATIAL * nb * nu * sizeof *r.rest);
  find_columns(p, web->origin, r.S);
  cdn_status status = CDN_OK;
  for (int i = 0; i < web->n && status == CDN_OK; i++) {
    if (web->body[i] == 0) continue;
    memset(r.K, 0, BLOCK * n * sizeof *r.K);
    status = web->find_row(web->law, i, r.K);
    if (status == CDN_OK) add_row(p, web, i, &r);
  }
  if (status == CDN_OK) push_inward(p, &r);
  cdn_work_pop(p->state, memory);
  return status;
}

/* ---- energies that are functions of numbers of the web ---- */

cdn_status cdni_force_derivatives_of_number(cdn_force_derivatives *d, const force_web *web, int i,
                                            const double *gradient, double *by_q) {
  const derivative_pass *p = d->pass;
  const size_t nb = (size_t)p->m->tree.n, nu = (size_t)p->m->tree.nu;
  double *T = cdn_work_push(p->state, SPATIAL * (nb + nu) * sizeof *T + nb * sizeof(int32_t)), *S = T + SPATIAL * nb;
  if (!T) return cdni_state_fail(p->state, CDN_ERR_NOMEM, false, p->function, NULL, "out of memory");
  memset(T, 0, SPATIAL * nb * sizeof *T);
  find_columns(p, web->origin, S);
  for (int b = 0; b < web->n; b++)
    for (int k = 0; web->body[b] != web->body[i] && k < SPATIAL; k++)
      T[SPATIAL * web->body[b] + k] += gradient[SPATIAL * b + k];
  sum_across(p, web->body[i], SPATIAL, T, (int32_t *)(S + SPATIAL * nu));
  for (int b = 1; b < p->m->tree.n; b++)
    for (int j = p->node[b].u; j < p->node[b].u + p->node[b].nu; j++)
      by_q[j] = product(T + SPATIAL * b, S + SPATIAL * j);
  cdn_work_pop(p->state, T);
  return CDN_OK;
}

void cdni_force_derivatives_add_product(cdn_force_derivatives *d, const double *a, const double *b) {
  const size_t nu = (size_t)d->pass->m->tree.nu;
  for (size_t i = 0; i < nu; i++)
    for (size_t j = 0; j < nu; j++) d->pass->dq[i * nu + j] += a[i] * b[j];
}
