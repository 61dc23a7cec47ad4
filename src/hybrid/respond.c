/* How the System answers to the rows of a moment: G, X = M^-1 G^T on what constraints allow, and the multipliers L of X
 * (8.62). Rows that touch different trees do not meet in the answer: many of them are answered by one solution. */
#include <stdlib.h>

#include "hybrid/moment.h"
#include "hybrid/trees.h"
#include "matter/operators.h"

enum { MOST_TREES = 80 }; /* of one constraint: as many as bodies and mobilities that it names */

typedef struct responding {
  moment *m;
  moment_trees trees;
  sparse_rows of_row;        /* the trees of each row; no numbers */
  double *G;                 /* two rows over all speeds */
  int *list;                 /* columns of a row */
  int *batch, *first, *rows; /* by row; by batch the rows that are answered together */
  int n;                     /* batches */
} responding;

static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static cdn_status fits(const responding *x, bool it_does) { return cdni_moment_fits(x->m, it_does); }

/* The lists of the trees of row r, together, in rising order. */
static int collect(const responding *x, int r, const int *first, const int *lists) {
  int n = 0;
  for (int k = x->of_row.first[r]; k < x->of_row.first[r + 1]; k++) {
    const int at = x->of_row.column[k], count = first[at + 1] - first[at];
    memcpy(x->list + n, lists + first[at], (size_t)count * sizeof *lists);
    n += count;
  }
  if (x->of_row.first[r + 1] - x->of_row.first[r] > 1) qsort(x->list, (size_t)n, sizeof *x->list, compare);
  return n;
}

/* Rows come in the order of their numbers. The first one is scaled, and so is the second one. */
static cdn_status add_rows(responding *x, int constraint, double scale, double second) {
  moment *m = x->m;
  const int equations = constraint_at(m->room->constraints, constraint)->m;
  int trees[MOST_TREES];
  double *to;
  CDNI_TRY(cdni_constraint_full_rows(m->room->constraints, m->state, constraint, x->G));
  const int n = cdni_trees_of(&x->trees, m->room, m->state, constraint, MOST_TREES, trees);
  qsort(trees, (size_t)n, sizeof *trees, compare);
  for (int k = 0; k < equations; k++) {
    const double *row = x->G + (size_t)k * (size_t)m->nu;
    CDNI_TRY(fits(x, cdni_sparse_add(&x->of_row, n, trees, &to)));
    const int count = collect(x, x->of_row.rows - 1, x->trees.speed_first, x->trees.speeds);
    int kept = 0;
    for (int i = 0; i < count; i++)
      if (row[x->list[i]] != 0) x->list[kept++] = x->list[i];
    CDNI_TRY(fits(x, cdni_sparse_add(&m->G, kept, x->list, &to)));
    for (int i = 0; i < kept; i++) to[i] = (k == 0 ? scale : second) * row[x->list[i]];
  }
  return CDN_OK;
}

static cdn_status find_rows(responding *x) {
  moment *m = x->m;
  const cdn_allocator *allocator = cdni_system_allocator(cdn_state_system(m->state));
  cdni_sparse_begin(&m->G, allocator), cdni_sparse_begin(&x->of_row, allocator);
  for (int i = 0; i < hybrid_sides(m->room); i++)
    if (m->side_cone[i] >= 0) CDNI_TRY(add_rows(x, side_at(m->room, i)->constraint, side_at(m->room, i)->sign, 0));
  for (int i = 0; i < hybrid_frictions(m->room); i++)
    if (m->friction_cone[i] >= 0)
      CDNI_TRY(add_rows(x, friction_at(m->room, i)->slip, 1, friction_scale(m->room, m->state, i, 1)));
  return CDN_OK;
}

/* Gives each row the first batch in which none of its trees is. */
static cdn_status choose_batches(responding *x) {
  const int rows = x->m->rows;
  const sparse_rows *of = &x->of_row;
  int most = 0, widest = 0;
  int *degree = x->first; /* for now; there are at most as many batches as rows */
  memset(degree, 0, (size_t)(x->trees.n + 1) * sizeof *degree);
  for (int k = 0; k < of->first[rows]; k++) most = ++degree[of->column[k]] > most ? degree[of->column[k]] : most;
  for (int r = 0; r < rows; r++)
    widest = of->first[r + 1] - of->first[r] > widest ? of->first[r + 1] - of->first[r] : widest;
  const size_t words = (size_t)most * (size_t)widest / 64 + 1;
  uint64_t *used;
  CDNI_TRY(
      cdni_operator_work(x->m->state, "cdn_settle", (size_t)(x->trees.n + 1) * words * sizeof *used, (void **)&used));
  memset(used, 0, (size_t)(x->trees.n + 1) * words * sizeof *used);
  x->n = 0;
  for (int r = 0; r < rows; r++) {
    for (size_t w = 0; w < words; w++) {
      uint64_t taken = 0;
      for (int k = of->first[r]; k < of->first[r + 1]; k++) taken |= used[(size_t)of->column[k] * words + w];
      if (taken == UINT64_MAX) continue;
      int bit = 0;
      while (taken >> bit & 1) bit++;
      for (int k = of->first[r]; k < of->first[r + 1]; k++)
        used[(size_t)of->column[k] * words + w] |= UINT64_C(1) << bit;
      x->batch[r] = (int)w * 64 + bit;
      break;
    }
    x->n = x->batch[r] >= x->n ? x->batch[r] + 1 : x->n;
  }
  cdn_work_pop(x->m->state, used);
  return CDN_OK;
}

static void list_batches(responding *x) {
  const int rows = x->m->rows;
  memset(x->first, 0, ((size_t)x->n + 1) * sizeof *x->first);
  for (int r = 0; r < rows; r++) x->first[x->batch[r] + 1]++;
  for (int b = 0; b < x->n; b++) x->first[b + 1] += x->first[b];
  for (int r = 0; r < rows; r++) x->rows[x->first[x->batch[r]]++] = r;
  for (int b = x->n; b > 0; b--) x->first[b] = x->first[b - 1];
  x->first[0] = 0;
}

/* Where the numbers of X and L are. */
static cdn_status shape(responding *x) {
  moment *m = x->m;
  double *to;
  cdni_sparse_begin(&m->X, m->G.allocator), cdni_sparse_begin(&m->L, m->G.allocator);
  for (int r = 0; r < m->rows; r++) {
    int n = collect(x, r, x->trees.speed_first, x->trees.speeds);
    CDNI_TRY(fits(x, cdni_sparse_add(&m->X, n, x->list, &to)));
    n = collect(x, r, x->trees.equation_first, x->trees.equations_);
    CDNI_TRY(fits(x, cdni_sparse_add(&m->L, n, x->list, &to)));
  }
  return CDN_OK;
}

static cdn_status answer(responding *x, int batch) {
  moment *m = x->m;
  memset(m->f, 0, (size_t)m->all_nu * sizeof *m->f);
  for (int i = x->first[batch]; i < x->first[batch + 1]; i++)
    cdni_sparse_add_to(&m->G, x->rows[i], 1, m->f + m->first_u);
  CDNI_TRY(cdn_solve_constrained(m->state, m->f, NULL, m->x, m->lambda));
  for (int i = x->first[batch]; i < x->first[batch + 1]; i++) {
    const int r = x->rows[i];
    for (int k = m->X.first[r]; k < m->X.first[r + 1]; k++) m->X.value[k] = m->x[m->first_u + m->X.column[k]];
    for (int k = m->L.first[r]; k < m->L.first[r + 1]; k++) m->L.value[k] = m->lambda[m->first_row + m->L.column[k]];
  }
  return CDN_OK;
}

static cdn_status respond(responding *x, void *trees) {
  moment *m = x->m;
  CDNI_TRY(cdni_trees_find(&x->trees, m->room, m->state, trees));
  CDNI_TRY(find_rows(x));
  if (m->rows == 0) return cdni_moment_multiply(m);
  CDNI_TRY(choose_batches(x));
  list_batches(x);
  CDNI_TRY(shape(x));
  for (int b = 0; b < x->n; b++) CDNI_TRY(answer(x, b));
  return cdni_moment_multiply(m);
}

static size_t divide(responding *x, char *base, void **trees) {
  const size_t rows = (size_t)x->m->rows, nu = (size_t)x->m->nu, eq = (size_t)x->m->equations;
  const size_t bodies = (size_t)x->m->room->matter->tree.n;
  size_t at = 0;
  *trees = cdni_part(base, &at, cdni_trees_size(x->m->room), 1);
  x->G = cdni_part(base, &at, 2 * nu, sizeof(double));
  x->list = cdni_part(base, &at, nu + eq, sizeof(int));
  x->batch = cdni_part(base, &at, rows, sizeof(int)), x->rows = cdni_part(base, &at, rows, sizeof(int));
  x->first = cdni_part(base, &at, rows + bodies + 2, sizeof(int));
  return at;
}

cdn_status cdni_moment_respond(moment *m) {
  responding x = { .m = m };
  void *frame, *trees;
  CDNI_TRY(cdni_operator_work(m->state, "cdn_settle", divide(&x, NULL, &trees), &frame));
  divide(&x, frame, &trees);
  const cdn_status status = respond(&x, trees);
  cdni_sparse_free(&x.of_row);
  cdn_work_pop(m->state, frame);
  return status;
}
