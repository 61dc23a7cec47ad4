/* M^-1 for all columns of a matrix at once.
 *
 * M = L^T D L keeps M's own zeros (Featherstone, "Rigid Body Dynamics Algorithms" (2008), section 6.5): row i of L has
 * entries for the mobilities inboard of i only, so that a column costs as many multiplications as M has non-zeros, and
 * sixteen columns are worked on at a time. In deep trees the O(n) passes of the tree are quicker, column by column. */
#include "matter/derivatives.h"

#include "matter/subsystem.h"

/* The mean number of mobilities inboard of one from which the O(n) passes win; measured. */
enum { DEEP = 64 };

/* ---- which entries there are ---- */

/* For each mobility the one next inboard, or -1. Returns how many entries L has. */
static size_t find_inboard(const derivative_pass *p, int32_t *inboard, int32_t *count) {
  size_t sum = 0;
  for (int i = 1; i < p->m->tree.n; i++) {
    const tree_node *n = &p->node[i];
    int a = n->parent;
    while (a > 0 && p->node[a].nu == 0) a = p->node[a].parent;
    for (int k = 0; k < n->nu; k++) {
      const int at = n->u + k, next = k > 0 ? at - 1 : a > 0 ? p->node[a].u + p->node[a].nu - 1 : -1;
      inboard[at] = next;
      count[at] = next < 0 ? 0 : count[next] + 1;
      sum += (size_t)count[at];
    }
  }
  return sum;
}

/* Their columns, row by row: from the next one inboard to Ground. */
static void list_entries(mass_solver *s, const int32_t *inboard, int n) {
  int32_t at = 0;
  for (int i = 0; i < n; i++) {
    s->first[i] = at;
    for (int j = inboard[i]; j >= 0; j = inboard[j]) s->column[at++] = j;
  }
  s->first[n] = at;
}

/* ---- L^T D L ---- */

/* Entries of L in the order of the list, D on the side; M is used up. */
static void factor(mass_solver *s, int n, double *M) {
  const size_t nu = (size_t)n;
  for (int k = n - 1; k >= 0; k--) {
    double *row = M + (size_t)k * nu;
    const double D_inv = 1 / row[k];
    s->D_inv[k] = D_inv;
    for (int e = s->first[k]; e < s->first[k + 1]; e++) {
      const int i = s->column[e];
      const double a = row[i] * D_inv;
      double *to = M + (size_t)i * nu;
      to[i] -= a * row[i];
      /* What is inboard of i is inboard of k, too. */
      for (int f = s->first[i]; f < s->first[i + 1]; f++) to[s->column[f]] -= a * row[s->column[f]];
      s->L[e] = a;
    }
  }
}

/* L^T, D, L in turn. Two vectors at a time hide how long a subtraction takes. */
CDNI_INLINE void solve_strip(const mass_solver *s, int n, double scale, mass_strip *X) {
  for (int i = n - 1; i >= 0; i--) {
    const mass_strip x = X[i];
    for (int e = s->first[i]; e < s->first[i + 1]; e++) {
      mass_strip *to = &X[s->column[e]];
      to->a -= s->L[e] * x.a;
      to->b -= s->L[e] * x.b;
    }
    const double d = scale * s->D_inv[i];
    X[i] = (mass_strip){ d * x.a, d * x.b };
  }
  for (int i = 0; i < n; i++) {
    mass_strip x = X[i];
    for (int e = s->first[i]; e < s->first[i + 1]; e++) {
      const mass_strip *from = &X[s->column[e]];
      x.a -= s->L[e] * from->a;
      x.b -= s->L[e] * from->b;
    }
    X[i] = x;
  }
}

CDNI_INLINE void solve_strips(const mass_solver *s, int n, double scale, double *X, int columns) {
  enum { STRIP = sizeof(mass_strip) / sizeof(double) };
  const size_t width = (size_t)columns;
  int c = 0;
  for (; c + STRIP <= columns; c += STRIP) {
    for (int i = 0; i < n; i++) memcpy(&s->strip[i], X + (size_t)i * width + c, sizeof *s->strip);
    solve_strip(s, n, scale, s->strip);
    for (int i = 0; i < n; i++) memcpy(X + (size_t)i * width + c, &s->strip[i], sizeof *s->strip);
  }
  if (c == columns) return;
  for (int i = 0; i < n; i++) {
    double *to = (double *)&s->strip[i];
    for (int k = 0; k < STRIP; k++) to[k] = c + k < columns ? X[(size_t)i * width + (size_t)(c + k)] : 0;
  }
  solve_strip(s, n, scale, s->strip);
  for (int i = 0; i < n; i++)
    for (int k = 0; c + k < columns; k++) X[(size_t)i * width + (size_t)(c + k)] = ((const double *)&s->strip[i])[k];
}

/* Prescribed mobilities take no part: in M their rows and columns are those of the identity, */
static void take_out(const derivative_pass *p, double *M) {
  const int32_t *prescribed = cdni_matter_data(p->m, p->state).prescribed;
  const int nu = p->m->tree.nu;
  for (int i = 1; prescribed && i < p->m->tree.n; i++) {
    const tree_node *n = &p->node[i];
    for (int r = n->u; prescribed[i] && r < n->u + n->nu; r++)
      for (int k = 0; k < nu; k++) M[r * nu + k] = M[k * nu + r] = k == r;
  }
}

/* and in what is solved for their rows are zero. */
static void clear_rows(const derivative_pass *p, double *X, int columns) {
  const int32_t *prescribed = cdni_matter_data(p->m, p->state).prescribed;
  for (int i = 1; prescribed && i < p->m->tree.n; i++) {
    const tree_node *n = &p->node[i];
    if (prescribed[i] && n->nu) memset(X + (size_t)n->u * (size_t)columns, 0, n->nu * (size_t)columns * sizeof *X);
  }
}

/* The same for wider registers; without contraction every version gives the same bits. */
static void solve_base(const mass_solver *s, int n, double scale, double *X, int columns) {
  solve_strips(s, n, scale, X, columns);
}
#ifdef __x86_64__
__attribute__((target("avx2"))) static void solve_avx2(const mass_solver *s, int n, double scale, double *X,
                                                       int columns) {
  solve_strips(s, n, scale, X, columns);
}
__attribute__((target("avx512f"))) static void solve_avx512(const mass_solver *s, int n, double scale, double *X,
                                                            int columns) {
  solve_strips(s, n, scale, X, columns);
}
#endif

static void solve_rows(const mass_solver *s, int n, double scale, double *X, int columns) {
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) {
    solve_avx512(s, n, scale, X, columns);
    return;
  }
  if (__builtin_cpu_supports("avx2")) {
    solve_avx2(s, n, scale, X, columns);
    return;
  }
#endif
  solve_base(s, n, scale, X, columns);
}

/* ---- by the tree's own passes ---- */

static cdn_status solve_columns(const derivative_pass *p, double scale, double *X, int columns) {
  const size_t nu = (size_t)p->m->tree.nu, nb = (size_t)p->m->tree.n, width = (size_t)columns;
  double *f = cdn_work_push(p->state, 3 * nu * sizeof *f + 2 * nb * sizeof(sv));
  if (!f) return cdni_state_fail(p->state, CDN_ERR_NOMEM, false, "derivatives", NULL, "out of memory");
  tree_data d = cdni_matter_data(p->m, p->state);
  d.force = NULL;
  d.f_mob = f;
  d.udot = f + nu;
  d.eps = f + 2 * nu;
  d.z = (sv *)(f + 3 * nu);
  d.A = d.z + nb;
  for (size_t c = 0; c < width; c++) {
    for (size_t k = 0; k < nu; k++) f[k] = scale * X[k * width + c];
    p->m->kernels->solve(&p->m->tree, &d);
    for (size_t k = 0; k < nu; k++) X[k * width + c] = d.udot[k];
  }
  cdn_work_pop(p->state, f);
  return CDN_OK;
}

/* ---- the choice ---- */

cdn_status cdni_mass_solver_begin(mass_solver *s, const derivative_pass *p, double *M) {
  const size_t n = (size_t)p->m->tree.nu;
  *s = (mass_solver){ .pass = p };
  CDNI_TRY(cdni_state_ensure(p->state, p->m->articulated.ticket));
  int32_t *inboard = cdn_work_push(p->state, (2 * n + 1) * sizeof *inboard);
  if (!inboard) return cdni_state_fail(p->state, CDN_ERR_NOMEM, false, "derivatives", NULL, "out of memory");
  const size_t entries = find_inboard(p, inboard, inboard + n);
  s->deep = entries > (size_t)DEEP * n;
  if (!s->deep) {
    s->frame = cdn_work_push(p->state, n * sizeof *s->strip + (n + entries) * sizeof(double) +
                                           (n + 1 + entries) * sizeof(int32_t));
    if (!s->frame) {
      cdn_work_pop(p->state, inboard);
      return cdni_state_fail(p->state, CDN_ERR_NOMEM, false, "derivatives", NULL, "out of memory");
    }
    s->strip = s->frame;
    s->D_inv = (double *)(s->strip + n);
    s->L = s->D_inv + n;
    s->first = (int32_t *)(s->L + entries);
    s->column = s->first + n + 1;
    list_entries(s, inboard, (int)n);
    take_out(p, M);
    factor(s, (int)n, M);
  }
  s->below = inboard;
  return CDN_OK;
}

void cdni_mass_solver_end(mass_solver *s) {
  cdn_work_pop(s->pass->state, s->frame);
  cdn_work_pop(s->pass->state, s->below);
}

cdn_status cdni_mass_solver_apply(const mass_solver *s, double scale, double *X, int columns) {
  clear_rows(s->pass, X, columns);
  if (s->deep) return solve_columns(s->pass, scale, X, columns);
  solve_rows(s, s->pass->m->tree.nu, scale, X, columns);
  return CDN_OK;
}
