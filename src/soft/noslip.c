/* The no-slip pass (MuJoCo's): Gauss-Seidel over forces along surfaces and of dry friction, as if their rows had no
 * regularisation. Normal forces of elliptic cones keep what the solver gave them, and so do limits and equalities.
 *
 * The normal force of a pyramid is the sum of its edges' forces, and these are those of soft friction: it is not the
 * normal force of what does not slip. MuJoCo 2.2.2 keeps it, and the sum of each two opposite edges: a block that
 * should rest on a slope is lifted a little, falls back, and creeps. Here it is a row of its own with the
 * regularisation of all edges together, and friction is anywhere in the pyramid. */
#include <math.h>

#include "soft/dual.h"

enum { MOST_EDGES = 2 * (SOFT_MOST_ROWS - 1) };

/* Part of the square along two edges that is rounding. */
static const double NOTHING = 1e-14;

/* Row of edge k on row e: +- friction of its tangent. */
static double slope_of(const soft_function *s, int k) { return k % 2 ? -s->friction[k / 2] : s->friction[k / 2]; }

/* Forces of the edges that add up to f, with no two opposite ones that both push but for the rest of the normal
 * force. */
static void spread(const soft_function *s, const double *f, double *edge) {
  double rest = f[0];
  for (int k = 1; k < s->rows; k++) {
    const double part = s->friction[k - 1] > 0 ? fabs(f[k]) / s->friction[k - 1] : 0;
    edge[2 * (k - 1)] = f[k] > 0 ? part : 0, edge[2 * (k - 1) + 1] = f[k] < 0 ? part : 0;
    rest -= part;
  }
  edge[0] += fmax(rest, 0) / 2, edge[1] += fmax(rest, 0) / 2;
}

/* Moves force from edge b to edge a, or back, as far as the cost falls; by how much. */
static double exchange(const soft_function *s, const double *A, int a, int b, double *edge, double *g, double *f) {
  const int n = s->rows, i = a / 2 + 1, j = b / 2 + 1;
  const double x = slope_of(s, a), y = -slope_of(s, b);
  const double own = x * x * A[i * n + i] + y * y * A[j * n + j];
  const double square = own + x * y * (A[i * n + j] + A[j * n + i]), slope = x * g[i] + y * g[j];
  if (!(square > NOTHING * own)) return 0;
  const double by = fmin(fmax(-slope / square, -edge[a]), edge[b]);
  edge[a] += by, edge[b] -= by;
  f[i] += x * by, f[j] += y * by;
  for (int e = 0; e < n; e++) g[e] += (A[e * n + i] * x + A[e * n + j] * y) * by;
  return -by * (slope + 0.5 * square * by);
}

static void add(const soft_function *s, const double *A, int k, double by, double *g, double *f) {
  f[k] += by;
  for (int e = 0; e < s->rows; e++) g[e] += A[e * s->rows + k] * by;
}

/* The normal force of a pyramid as of a row of its own; friction shrinks where it no longer fits. What the step counts
 * for. */
static double take_normal(const soft_function *s, const double *A, double *g, double *f) {
  const double R = 1 / (s->D[0] * 2 * (s->rows - 1)), square = A[0] + R;
  const double by = fmax(-(g[0] + R * f[0]) / square, -f[0]);
  double asked = 0;
  add(s, A, 0, by, g, f);
  for (int k = 1; k < s->rows; k++) asked += s->friction[k - 1] > 0 ? fabs(f[k]) / s->friction[k - 1] : 0;
  for (int k = 1; k < s->rows && asked > f[0]; k++) add(s, A, k, f[k] * (f[0] / asked - 1), g, f);
  return 0.5 * square * by * by;
}

static double take_pyramid(const soft_function *s, const double *A, double *g, double *f) {
  const int n = 2 * (s->rows - 1);
  double edge[MOST_EDGES] = { 0 }, fallen = take_normal(s, A, g, f);
  spread(s, f, edge);
  for (int a = 0; a < n; a++)
    for (int b = 0; b < a; b++) fallen += exchange(s, A, a, b, edge, g, f);
  return fallen;
}

static double take_loss(const soft_function *s, const double *A, const double *g, double *f) {
  if (!(A[0] > 0)) return 0;
  const double by = fmin(fmax(-g[0] / A[0], -s->loss - f[0]), s->loss - f[0]);
  f[0] += by;
  return -by * (g[0] + 0.5 * A[0] * by);
}

/* By how much the cost without R falls. */
static double sweep(const soft_dual *x) {
  double fallen = 0;
  for (int i = 0; i < x->n; i++) {
    soft_work *w = &x->work[i];
    const soft_function *s = &w->g->s;
    const double *A = x->A + x->at[x->own[i]];
    double g[SOFT_MOST_ROWS];
    if (s->kind != SOFT_FRICTION_LOSS && s->kind != SOFT_ELLIPTIC && s->kind != SOFT_PYRAMIDAL) continue;
    cdni_soft_dual_residual(x, i, g);
    if (s->kind == SOFT_FRICTION_LOSS) fallen += take_loss(s, A, g, w->f);
    else if (s->kind == SOFT_PYRAMIDAL) fallen += take_pyramid(s, A, g, w->f);
    else fallen += cdni_soft_take_friction(s, A, false, g, w->f);
  }
  return fallen;
}

/* What R costs at the start counts as gained by the first sweep. */
static double cost_of_R(const soft_dual *x) {
  double sum = 0;
  for (int i = 0; i < x->n; i++) {
    const soft_function *s = &x->work[i].g->s;
    const double *f = x->work[i].f;
    if (s->kind == SOFT_FRICTION_LOSS) sum += 0.5 * f[0] * f[0] / s->D[0];
    for (int k = 1; k < s->rows && s->kind == SOFT_ELLIPTIC; k++) sum += 0.5 * f[k] * f[k] / s->D[k];
  }
  return sum;
}

static cdn_status run_island(soft_problem *p, int island, cdn_soft_statistics *statistics) {
  const cdn_soft_def *def = p->def;
  soft_dual x;
  CDNI_TRY(cdni_soft_dual_begin(&x, p, island));
  const double rest = cost_of_R(&x), limit = def->noslip_tolerance * p->trace;
  for (int it = 1; it <= def->noslip_iterations; it++) {
    const double fallen = sweep(&x) + (it == 1 ? rest : 0);
    if (statistics->noslip_iterations < it) statistics->noslip_iterations = it;
    if (fallen < limit || fallen == 0) break;
  }
  cdni_soft_dual_move(&x);
  cdni_soft_dual_end(&x);
  return CDN_OK;
}

/* What the solver has left: 1/2 |P J^T f - x|_M^2 for its x and f; the pass changes both. */
static double left_by(soft_problem *p, const double *x) {
  const tree *t = p->plan->tree;
  double sum = 0;
  for (int k = 0; k < p->n_islands; k++) cdni_soft_follow(p, k, p->y, p->A_y);
  for (int k = 0; k < t->nu; k++) p->step[k] = p->y[k] - x[k];
  p->room->matter->kernels->jacobian(t, p->d, p->step, p->A_step);
  for (int k = 0; k < p->n_islands; k++) sum += 0.5 * cdni_soft_metric(p, k, p->step, p->A_step, p->step, p->A_step);
  return sum;
}

static cdn_status run(soft_problem *p, const double *x, soft_results *results) {
  results->gap += left_by(p, x);
  for (int k = 0; k < p->n_islands; k++) CDNI_TRY(run_island(p, k, &results->statistics));
  return CDN_OK;
}

/* Forces and residuals by the numbers of groups. */
static void take_from(soft_problem *to, const soft_problem *from, int32_t *place) {
  for (int i = 0; i < from->n; i++) place[from->order[i]] = i;
  for (int i = 0; i < to->n; i++) {
    const soft_work *w = &from->work[place[to->order[i]]];
    memcpy(to->work[i].f, w->f, sizeof w->f);
    memcpy(to->work[i].r, w->r, sizeof w->r);
  }
}

/* A solution by Newton's method goes on in a problem without couplings. */
static cdn_status run_apart(soft_problem *p, soft_problem *apart, int32_t *place, soft_results *results) {
  take_from(apart, p, place);
  cdni_soft_start(apart);
  for (int k = 0; k < apart->n_islands; k++) CDNI_TRY(cdni_soft_factor_pieces(apart, k, &results->statistics));
  CDNI_TRY(run(apart, p->x, results));
  take_from(p, apart, place);
  memcpy(p->x, apart->x, (size_t)p->plan->tree->nu * sizeof *p->x);
  return CDN_OK;
}

cdn_status cdni_soft_stop_slip(soft_problem *p, const soft_group *groups, soft_results *results) {
  if (!p->coupled) return run(p, p->x, results);
  cdn_soft_def def = *p->def;
  def.solver = CDN_SOFT_CG;
  soft_problem apart;
  int32_t *place = cdn_work_push(p->state, ((size_t)p->n + 1) * sizeof *place);
  if (!place) return cdni_state_fail(p->state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
  cdn_status status = cdni_soft_begin(&apart, p->room, p->state, p->d, p->d->udot, &def, NULL, groups, p->n);
  if (status == CDN_OK) {
    status = run_apart(p, &apart, place, results);
    cdni_soft_end(&apart);
  }
  cdn_work_pop(p->state, place);
  return status;
}
