/* How accelerations vary where soft rows act, by the implicit function theorem.
 *
 * At the solution [M G^T; G 0] (udot, lambda) = (f + S, b), where the forces S of the soft rows follow from q, u and
 * udot. For a small change, let (d1, l1) be what the derivatives would be if S did not follow udot. S changes by -W
 * dudot, with W = J^T H J, so that ([M G^T; G 0] + W) (dudot, dlambda) = [M G^T; G 0] (d1, l1): dudot = d1 + e, where e
 * solves with the weights for the forces -W d1. That is done for the unit force of each row once, or for each column.
 * The multipliers change by those that the forces -W dudot have alone. */
#include "matter/operators.h"
#include "soft/internal.h"

/* The weights at the State's solution, factored. */
static cdn_status factor_all(soft_problem *p) {
  soft_results *results;
  CDNI_TRY(cdni_soft_results(p->room, p->state, p->n, &results));
  const soft_outcome *out = soft_outcomes(results);
  for (int i = 0; i < p->n; i++) {
    soft_work *w = &p->work[i];
    memcpy(w->r, out[p->order[i]].residual, sizeof w->r);
    cdni_soft_function(&w->g->s, w->r, w->f, w->H, NULL);
  }
  for (int k = 0; k < p->plan->n_islands; k++) CDNI_TRY(cdni_soft_factor(p, k, true));
  return CDN_OK;
}

/* ---- row by row ---- */

/* Islands with more rows are varied column by column, which is quicker there; measured. */
enum { FEW_ROWS = 256 };

/* An island, and matrices for one variation of it. */
typedef struct island_rows {
  soft_problem *p;
  int island, first, mobilities; /* the mobilities are among these */
  double *f;                     /* nu */
  double *J, *Y;                 /* by row: J, and what the row's unit force does; `mobilities` numbers each */
  double *V, *HV;                /* by row: J times the columns, then H times that */
} island_rows;

/* Whether the force of row e follows udot. */
static bool follows(const soft_work *w, int e) {
  const int n = w->g->s.rows;
  for (int k = 0; k < n; k++)
    if (w->H[e * n + k] != 0) return true;
  return false;
}

/* The unit force of a row, in p->F and p->f, which are zero elsewhere. */
static void push_row(const soft_problem *p, int island, const soft_work *w, int e) {
  double force[SOFT_MOST_ROWS] = { 0 };
  cdni_soft_clear(p, &island, 1);
  force[e] = 1;
  cdni_soft_add_force(p->plan->tree, w, force, p->F, p->f);
  p->F[0] = sv_zero();
}

void cdni_soft_add_up(const soft_problem *p, double *f) {
  const matter *m = p->room->matter;
  tree_data d = *p->d;
  d.z = p->F;
  m->kernels->jacobian_transpose(&m->tree, &d, f);
  for (int k = 0; k < m->tree.nu; k++) f[k] += p->f[k];
}

/* Looks at an island; false if it has many rows. */
static bool enter(island_rows *x, int island) {
  const loop_plan *plan = x->p->plan;
  int rows = 0, last = 0;
  x->island = island, x->first = plan->tree->nu;
  for (int i = x->p->first[island]; i < x->p->first[island + 1]; i++) rows += x->p->work[i].g->s.rows;
  for (int at = plan->island_body[island]; at < plan->island_body[island + 1]; at++) {
    const tree_node *node = &plan->tree->node[plan->bodies[at]];
    if (node->nu > 0 && node->u < x->first) x->first = node->u;
    if (node->u + node->nu > last) last = node->u + node->nu;
  }
  x->mobilities = last - x->first;
  return rows <= FEW_ROWS;
}

/* J and Y; zero for rows whose force does not follow udot. */
static void make_rows(const island_rows *x) {
  const soft_problem *p = x->p;
  const loop_problem problem = { .force = p->F, .f = p->f, .x = p->y, .A = p->A_y };
  const size_t width = (size_t)x->mobilities;
  size_t row = 0;
  for (int i = p->first[x->island]; i < p->first[x->island + 1]; i++) {
    const soft_work *w = &p->work[i];
    const int n = w->g->s.rows;
    memset(x->J + row * width, 0, (size_t)n * width * sizeof *x->J);
    memset(x->Y + row * width, 0, (size_t)n * width * sizeof *x->Y);
    for (int e = 0; e < n; e++, row++) {
      if (!follows(w, e)) continue;
      push_row(p, x->island, w, e);
      cdni_loop_solve_island(p->plan, p->d, &p->factor, &problem, x->island, p->scratch);
      for (size_t k = 0; k < width; k++) x->Y[row * width + k] = p->y[(size_t)x->first + k];
      cdni_soft_add_up(p, x->f);
      memcpy(x->J + row * width, x->f + x->first, width * sizeof *x->J);
    }
  }
  cdni_soft_clear(p, &x->island, 1);
}

/* dudot -= Y^T H J dudot */
static void vary_by_rows(const island_rows *x, const soft_variation *v) {
  const soft_problem *p = x->p;
  const tree_kernels *kernels = p->room->matter->kernels;
  double *udot = v->udot + (size_t)x->first * (size_t)v->columns, *V = x->V, *HV = x->HV;
  int rows = 0;
  for (int i = p->first[x->island]; i < p->first[x->island + 1]; i++) rows += p->work[i].g->s.rows;
  memset(V, 0, (size_t)rows * (size_t)v->columns * sizeof *V);
  memset(HV, 0, (size_t)rows * (size_t)v->columns * sizeof *HV);
  kernels->add_product(rows, x->mobilities, v->columns, 1, x->J, (size_t)x->mobilities, 1, udot, V);
  for (int i = p->first[x->island]; i < p->first[x->island + 1]; i++) {
    const soft_work *w = &p->work[i];
    const int n = w->g->s.rows;
    kernels->add_product(n, n, v->columns, 1, w->H, (size_t)n, 1, V, HV);
    V += n * v->columns, HV += n * v->columns;
  }
  kernels->add_product(x->mobilities, rows, v->columns, -1, x->Y, 1, (size_t)x->mobilities, x->HV, udot);
}

/* ---- column by column ---- */

void cdni_soft_load_column(soft_problem *p, const double *column, int stride) {
  const matter *m = p->room->matter;
  for (int k = 0; k < m->tree.nu; k++) p->x[k] = column[(size_t)k * (size_t)stride];
  m->kernels->jacobian(&m->tree, p->d, p->x, p->A_x);
}

/* The forces -W x of an island, in F and f. */
static void weigh(const soft_problem *p, int island) {
  const tree *t = p->plan->tree;
  for (int i = p->first[island]; i < p->first[island + 1]; i++) {
    const soft_work *w = &p->work[i];
    const int n = w->g->s.rows;
    double Jx[SOFT_MOST_ROWS], force[SOFT_MOST_ROWS];
    cdni_soft_multiply(t, w, p->A_x, p->x, Jx);
    for (int e = 0; e < n; e++) {
      force[e] = 0;
      for (int g = 0; g < n; g++) force[e] -= w->H[e * n + g] * Jx[g];
    }
    cdni_soft_add_force(t, w, force, p->F, p->f);
  }
  p->F[0] = sv_zero();
}

static void vary_by_columns(const island_rows *x, const soft_variation *v) {
  soft_problem *p = x->p;
  const loop_problem problem = { .force = p->F, .f = p->f, .x = p->y, .A = p->A_y };
  for (int c = 0; c < v->columns; c++) {
    double *column = v->udot + c;
    cdni_soft_load_column(p, column, v->columns);
    cdni_soft_clear(p, &x->island, 1);
    weigh(p, x->island);
    cdni_loop_solve_island(p->plan, p->d, &p->factor, &problem, x->island, p->scratch);
    for (int k = x->first; k < x->first + x->mobilities; k++) column[(size_t)k * (size_t)v->columns] += p->y[k];
  }
  cdni_soft_clear(p, &x->island, 1);
}

/* The multipliers' derivatives, once udot's are final: what the forces -W dudot do is added. `f`, b: room for a
 * column. */
static cdn_status vary_multipliers(soft_problem *p, const soft_variation *v, double *f, double *b) {
  const constraint_room *constraints = p->room->constraints;
  const int equations = cdni_constraints_equations(constraints);
  for (int c = 0; c < v->columns; c++) {
    cdni_soft_load_column(p, v->udot + c, v->columns);
    for (int k = 0; k < p->plan->n_islands; k++) cdni_soft_clear(p, &k, 1);
    for (int k = 0; k < p->plan->n_islands; k++) weigh(p, k);
    cdni_soft_add_up(p, f);
    memset(b, 0, (size_t)equations * sizeof *b);
    CDNI_TRY(cdni_constraint_solve_columns(constraints, p->state, 1, 1, f, b));
    for (int k = 0; k < equations; k++) v->lambda[(size_t)k * (size_t)v->columns + (size_t)c] += b[k];
  }
  return CDN_OK;
}

/* ---- both ---- */

static cdn_status vary(soft_problem *p, const char *function, int n, const soft_variation *variations) {
  const size_t nu = (size_t)p->room->matter->tree.nu, nb = (size_t)p->room->matter->tree.n;
  const size_t equations = p->rows ? (size_t)cdni_constraints_equations(p->room->constraints) : 0;
  size_t rows = 0, columns = 0;
  for (int v = 0; v < n; v++)
    columns = (size_t)variations[v].columns > columns ? (size_t)variations[v].columns : columns;
  for (int i = 0; i < p->n; i++) rows += (size_t)p->work[i].g->s.rows;
  if (rows > FEW_ROWS) rows = FEW_ROWS;
  void *frame;
  CDNI_TRY(cdni_operator_work(p->state, function, (nu + equations + 2 * rows * (nu + columns) + 1) * sizeof(double),
                              &frame));
  island_rows x = { .p = p, .f = frame };
  x.J = x.f + nu + equations, x.Y = x.J + rows * nu, x.V = x.Y + rows * nu, x.HV = x.V + rows * columns;
  memset(p->F, 0, nb * sizeof *p->F);
  if (nu) memset(p->f, 0, nu * sizeof *p->f), memset(p->y, 0, nu * sizeof *p->y);
  cdn_status status = factor_all(p);
  for (int k = 0; k < p->plan->n_islands && status == CDN_OK; k++) {
    const bool few = enter(&x, k);
    if (few) make_rows(&x);
    for (int v = 0; v < n; v++) {
      if (few) vary_by_rows(&x, &variations[v]);
      else vary_by_columns(&x, &variations[v]);
    }
  }
  for (int v = 0; v < n && status == CDN_OK; v++)
    if (equations > 0 && variations[v].lambda) status = vary_multipliers(p, &variations[v], x.f, x.f + nu);
  cdn_work_pop(p->state, frame);
  return status;
}

cdn_status cdni_soft_vary(const soft_room *room, cdn_state *state, const char *function, int n,
                          const soft_variation *variations) {
  soft_problem p;
  const tree_data d = cdni_matter_data(room->matter, state);
  const void *groups;
  int count;
  CDNI_TRY(cdn_region_eval(state, room->groups, &groups, &count));
  CDNI_TRY(cdni_soft_begin(&p, room, state, &d, d.udot, &room->newton, NULL, groups, count));
  const cdn_status status =
      p.exact ? cdni_soft_vary_exact(&p, function, n, variations) : vary(&p, function, n, variations);
  cdni_soft_end(&p);
  return status;
}
