/* How accelerations vary where rows are exact.
 *
 * With the changes d1 of udot for forces of rows that do not follow udot, and the changes `change` of the exact rows'
 * equations at constant udot and forces, the changes of the forces df and of udot are those for which
 *
 *   dudot = d1 + M^-1 J^T df,   J dudot + change + R df = 0 of exact rows,   df = -H J dudot of others.
 *
 * They are found by passes, as the forces are (exact.c): each one solves for what the equations lack, with the rows'
 * weights, and makes dudot anew from the forces without these. An exact row at a bound has H = 0. */
#include <math.h>

#include "matter/operators.h"
#include "soft/internal.h"

static const double GAIN = 0.5, ENOUGH = 1e-14;
enum { MOST_PASSES = 30 };

/* The passes of all variations, which lie side by side: columns in all, and where the columns of each begin. */
typedef struct exact_passes {
  soft_problem *p;
  soft_results *results;
  int columns, rows;
  double *first, *udot; /* nu x columns: d1 and dudot */
  double *df, *change; /* rows x columns: of all groups in the order of `work`; equations, 0 where a row is not exact */
  double *f;           /* nu */
} exact_passes;

static bool is_free(const soft_work *w) { return w->g->give > 0 && w->H[0] > 0; }

/* Factors all islands, with the groups' weights at the State's solution or without. */
static cdn_status factor(const exact_passes *x, bool weights) {
  soft_problem *p = x->p;
  const soft_outcome *out = soft_outcomes(x->results);
  for (int i = 0; i < p->n; i++) {
    soft_work *w = &p->work[i];
    const soft_outcome *o = &out[p->order[i]];
    memset(w->H, 0, sizeof w->H);
    if (!weights) continue;
    memcpy(w->r, o->residual, sizeof w->r);
    w->r[0] -= w->g->give * o->force[0];
    cdni_soft_function(&w->g->s, w->r, w->f, w->H, NULL);
  }
  for (int k = 0; k < p->plan->n_islands; k++) CDNI_TRY(cdni_soft_factor(p, k, true));
  return CDN_OK;
}

/* J^T times one column of numbers by row, in p->F and p->f. */
static void push(const exact_passes *x, const double *rows, int column) {
  const soft_problem *p = x->p;
  for (int k = 0; k < p->plan->n_islands; k++) cdni_soft_clear(p, &k, 1);
  for (int i = 0, at = 0; i < p->n; at += p->work[i].g->s.rows, i++) {
    double force[SOFT_MOST_ROWS];
    for (int e = 0; e < p->work[i].g->s.rows; e++)
      force[e] = rows[(size_t)(at + e) * (size_t)x->columns + (size_t)column];
    cdni_soft_add_force(p->plan->tree, &p->work[i], force, p->F, p->f);
  }
  p->F[0] = sv_zero();
}

/* y = (M + weights)^-1 J^T rows, with its motions in A_y. */
static void solve_column(const exact_passes *x, const double *rows, int column) {
  const soft_problem *p = x->p;
  const loop_problem problem = { .force = p->F, .f = p->f, .x = p->y, .A = p->A_y };
  push(x, rows, column);
  for (int k = 0; k < p->plan->n_islands; k++)
    cdni_loop_solve_island(p->plan, p->d, &p->factor, &problem, k, p->scratch);
}

/* dudot = d1 + M^-1 J^T df */
static cdn_status make_udot(exact_passes *x) {
  const size_t nu = (size_t)x->p->room->matter->tree.nu, columns = (size_t)x->columns;
  CDNI_TRY(factor(x, false));
  for (size_t c = 0; c < columns; c++) {
    solve_column(x, x->df, (int)c);
    for (size_t k = 0; k < nu; k++) x->udot[k * columns + c] = x->first[k * columns + c] + x->p->y[k];
  }
  return CDN_OK;
}

/* What the rows lack as forces, -H times it, of one column. Returns the most that an exact row lacks, beside the terms
 * of its equation. */
static double find_lack(const exact_passes *x, int c, double *lack) {
  soft_problem *p = x->p;
  double most = 0;
  cdni_soft_load_column(p, x->udot + c, x->columns);
  for (int i = 0, at = 0; i < p->n; at += p->work[i].g->s.rows, i++) {
    const soft_work *w = &p->work[i];
    const int n = w->g->s.rows;
    double Jx[SOFT_MOST_ROWS];
    cdni_soft_multiply(p->plan->tree, w, p->A_x, p->x, Jx);
    for (int e = 0; e < n; e++) {
      const size_t k = (size_t)(at + e) * (size_t)x->columns + (size_t)c;
      if (is_free(w)) {
        const double left = Jx[0] + x->change[k] + w->g->R * x->df[k];
        const double size = fabs(Jx[0]) + fabs(x->change[k]) + fabs(w->g->R * x->df[k]);
        if (fabs(left) > most * size) most = fabs(left) / size;
        lack[k] = -w->H[0] * left;
        continue;
      }
      lack[k] = -x->df[k];
      for (int l = 0; l < n; l++) lack[k] -= w->H[e * n + l] * Jx[l];
    }
  }
  return most;
}

/* df += what the equations lack */
static cdn_status pass(exact_passes *x, double *lack, double *most) {
  soft_problem *p = x->p;
  *most = 0;
  CDNI_TRY(factor(x, true));
  for (int c = 0; c < x->columns; c++) {
    *most = fmax(*most, find_lack(x, c, lack));
    solve_column(x, lack, c);
    for (int i = 0, at = 0; i < p->n; at += p->work[i].g->s.rows, i++) {
      const soft_work *w = &p->work[i];
      const int n = w->g->s.rows;
      double Jy[SOFT_MOST_ROWS];
      cdni_soft_multiply(p->plan->tree, w, p->A_y, p->y, Jy);
      for (int e = 0; e < n; e++) {
        const size_t k = (size_t)(at + e) * (size_t)x->columns + (size_t)c;
        x->df[k] += lack[k];
        for (int l = 0; l < n; l++) x->df[k] -= w->H[e * n + l] * Jy[l];
      }
    }
  }
  return CDN_OK;
}

/* The multipliers of the constraints change by what the forces alone do. */
static cdn_status vary_multipliers(exact_passes *x, const soft_variation *v, int first, double *b) {
  const constraint_room *constraints = x->p->room->constraints;
  const int equations = cdni_constraints_equations(constraints);
  for (int c = 0; c < v->columns; c++) {
    push(x, x->df, first + c);
    cdni_soft_add_up(x->p, x->f);
    memset(b, 0, (size_t)equations * sizeof *b);
    CDNI_TRY(cdni_constraint_solve_columns(constraints, x->p->state, 1, 1, x->f, b));
    for (int k = 0; k < equations; k++) v->lambda[(size_t)k * (size_t)v->columns + (size_t)c] += b[k];
  }
  return CDN_OK;
}

/* Columns of one variation, from there or back. */
static void copy_udot(const exact_passes *x, const soft_variation *v, int first, bool back) {
  for (int k = 0; k < x->p->room->matter->tree.nu; k++)
    for (int c = 0; c < v->columns; c++) {
      double *theirs = &v->udot[(size_t)k * (size_t)v->columns + (size_t)c];
      const size_t own = (size_t)k * (size_t)x->columns + (size_t)(first + c);
      if (back) *theirs = x->udot[own];
      else x->first[own] = x->udot[own] = *theirs;
    }
}

/* Those of all variations, in which exact rows come in the order of the State's groups. */
static void copy_changes(const exact_passes *x, int n, const soft_variation *variations) {
  const soft_problem *p = x->p;
  for (int i = 0, at = 0; i < p->n; at += p->work[i].g->s.rows, i++) {
    int exact = 0;
    if (!(p->work[i].g->give > 0)) continue;
    for (const soft_group *g = p->work[i].g - p->order[i]; g < p->work[i].g; g++) exact += g->give > 0;
    double *to = x->change + (size_t)at * (size_t)x->columns;
    for (int v = 0; v < n; to += variations[v++].columns) {
      const size_t columns = (size_t)variations[v].columns;
      if (variations[v].change) memcpy(to, variations[v].change + (size_t)exact * columns, columns * sizeof *to);
    }
  }
}

static cdn_status run(exact_passes *x, double *lack) {
  double most = INFINITY, before;
  memset(x->p->F, 0, (size_t)x->p->room->matter->tree.n * sizeof *x->p->F);
  for (int i = 0; i < MOST_PASSES; i++) {
    before = most;
    CDNI_TRY(pass(x, lack, &most));
    CDNI_TRY(make_udot(x));
    if (!(most < GAIN * before) || most <= ENOUGH) break;
  }
  return CDN_OK;
}

cdn_status cdni_soft_vary_exact(soft_problem *p, const char *function, int n, const soft_variation *variations) {
  const size_t nu = (size_t)p->room->matter->tree.nu;
  const size_t equations = p->rows ? (size_t)cdni_constraints_equations(p->room->constraints) : 0;
  exact_passes x = { .p = p };
  void *frame;
  CDNI_TRY(cdni_soft_results(p->room, p->state, p->n, &x.results));
  for (int v = 0; v < n; v++) x.columns += variations[v].columns;
  for (int i = 0; i < p->n; i++) x.rows += p->work[i].g->s.rows;
  const size_t columns = (size_t)x.columns, rows = (size_t)x.rows;
  CDNI_TRY(cdni_operator_work(p->state, function, ((2 * nu + 3 * rows) * columns + nu + equations + 1) * sizeof(double),
                              &frame));
  x.first = frame, x.udot = x.first + nu * columns, x.df = x.udot + nu * columns, x.change = x.df + rows * columns;
  double *lack = x.change + rows * columns, *b;
  x.f = lack + rows * columns, b = x.f + nu;
  memset(x.df, 0, 2 * rows * columns * sizeof *x.df);
  if (nu) memset(p->f, 0, nu * sizeof *p->f), memset(p->y, 0, nu * sizeof *p->y);
  for (int v = 0, first = 0; v < n; first += variations[v++].columns) copy_udot(&x, &variations[v], first, false);
  copy_changes(&x, n, variations);
  cdn_status status = run(&x, lack);
  for (int v = 0, first = 0; v < n && status == CDN_OK; first += variations[v++].columns) {
    copy_udot(&x, &variations[v], first, true);
    if (equations > 0 && variations[v].lambda) status = vary_multipliers(&x, &variations[v], first, b);
  }
  cdn_work_pop(p->state, frame);
  return status;
}
