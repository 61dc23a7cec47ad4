/* What touches without any load, such as a joint at its limit in free fall: whether it opens is rounding, which would
 * open and close it again and again. It stays closed, unless others hold it already: then its push would not be told
 * from theirs. So a corner of a box that slides lets go where its push has come to zero, though the box lies flat. */
#include <math.h>

#include "hybrid/moment.h"
#include "math/cholesky.h"

/* Accelerations that are so small beside others are their rounding; of a row that others hold so much is left. */
static const double UNLOADED = 1e-12, HELD = 1e-8;

/* The rows that hold at present: pushes, and friction that sticks. */
static int list_held(const moment *m, int *rows) {
  int n = 0;
  for (int i = 0; i < m->n_cones; i++) {
    const cone *c = &m->cones[i];
    if (c->normal >= 0 && !c->closed) continue;
    if (c->normal >= 0) rows[n++] = c->normal;
    for (int k = 0; c->tangent >= 0 && c->status == CONE_STICKS && k < c->n; k++) rows[n++] = c->tangent + k;
  }
  return n;
}

/* Whether the rows that hold leave anything of another one. A has room for (n + 1)^2 numbers. */
static bool is_independent(const moment *m, int *rows, int n, int row, double *A) {
  const int size = n + 1;
  rows[n] = row;
  for (int i = 0; i < size; i++)
    for (int k = 0; k < size; k++) A[i * size + k] = cdni_sparse_at(&m->W, rows[i], rows[k]);
  const double whole = A[n * size + n];
  (void)!cdni_cholesky(size, size, A, -1, UNLOADED);
  return A[n * size + n] * A[n * size + n] > HELD * whole;
}

static double fastest(const moment *m) {
  const double *udot = cdn_state_udot(m->state);
  double most = 0;
  for (int k = 0; udot && k < m->all_nu; k++) most = fmax(most, fabs(udot[k]));
  return most;
}

/* A push that is so small beside others is none: the least of many solutions is found to 1e-7 of them. */
static const double UNPUSHED = 1e-6;

/* What has let go and has no push is open, also where others hold it: pushes that are not unique would come to zero
 * there again and again. */
static void open_what_lets_go(moment *m) {
  double most = 0;
  for (int r = 0; r < m->rows; r++) most = fmax(most, fabs(m->p[r]));
  for (int i = 0; i < hybrid_sides(m->room) && m->fired && m->fired->lets_go; i++) {
    cone *c = m->side_cone[i] >= 0 && m->fired->lets_go[i] ? &m->cones[m->side_cone[i]] : NULL;
    if (c && c->closed && fabs(m->p[c->normal]) <= UNPUSHED * most) c->closed = false, c->status = CONE_OPEN;
  }
}

/* Friction would need a load: contacts that have it are left alone, and so is what has just let go. */
cdn_status cdni_moment_keep_closed(moment *m) {
  const double least = UNLOADED * fastest(m);
  const size_t most = (size_t)m->rows + 1;
  double *A = NULL;
  int *rows = NULL;
  open_what_lets_go(m);
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    cone *c = m->side_cone[i] >= 0 ? &m->cones[m->side_cone[i]] : NULL;
    const bool lets_go = m->fired && m->fired->lets_go && m->fired->lets_go[i];
    if (!c || c->closed || c->tangent >= 0 || lets_go || !(m->w[c->normal] <= least)) continue;
    if (!A) {
      A = cdn_work_push(m->state, most * most * sizeof *A + most * sizeof *rows);
      if (!A) return cdni_state_fail(m->state, CDN_ERR_NOMEM, false, "cdn_settle", NULL, "out of memory");
      rows = (int *)(A + most * most);
    }
    c->closed = is_independent(m, rows, list_held(m, rows), c->normal, A);
  }
  if (A) cdn_work_pop(m->state, A);
  return CDN_OK;
}
