/* Solves a set of contacts, island by island. The statuses that are expected come first: one solution of linear
 * equations, and a check. Else Newton's method goes to the end along a path of easier problems; projected relaxation
 * makes new guesses; small sets are enumerated at last. */
#include "hybrid/cones.h"

#include <math.h>
#include <string.h>

#include "core/core.h"
#include "hybrid/cone_set.h"
#include "math/dense.h"

static const double NARROW[] = { 0.999, 1 };
/* More rows than this are solved by blocks. Measured: with twice as many, walls of 14 contacts take ten times as long.
 */
enum { MOST_DENSE = 30 };
enum { GUESSES = 60, GUESSES_LARGE = 8, GUESSES_ROUGH = 12, FEW = 2, ROUNDS = 10, SWEEPS = 20000, SWEEPS_LARGE = 2000 };
enum { FEW_COMBINATIONS = 1000, COMBINATIONS = 70000 };

/* ---- islands ---- */

static int root_of(int *up, int i) {
  while (up[i] != i) i = up[i] = up[up[i]];
  return i;
}

/* By cone, the number of its island; `of` gets the cone of each row, or -1. Returns how many islands there are. */
static int find_islands(const cone_problem *c, int *up, int *of) {
  int n = 0;
  for (int r = 0; r < c->rows; r++) of[r] = -1;
  for (int i = 0; i < c->n; i++) {
    const cone *a = &c->cones[i];
    up[i] = i;
    if (a->normal >= 0) of[a->normal] = i;
    for (int t = 0; t < a->n; t++) of[a->tangent + t] = i;
  }
  for (int r = 0; r < c->rows; r++)
    for (int k = c->W.first[r]; k < c->W.first[r + 1]; k++) {
      if (of[r] < 0 || of[c->W.column[k]] < 0 || c->W.value[k] == 0) continue;
      const int a = root_of(up, of[r]), b = root_of(up, of[c->W.column[k]]);
      if (a != b) up[a > b ? a : b] = a > b ? b : a;
    }
  /* a root comes before those it is the root of */
  for (int i = 0; i < c->n; i++) up[i] = up[i] == i ? n++ : up[up[i]];
  return n;
}

static size_t divide(cone_set *s, char *base, size_t numbers) {
  const size_t rows = (size_t)s->rows, slots = 3 * (size_t)s->n, dense = s->large ? 0 : rows;
  size_t at = 0;
  s->first = cdni_part(base, &at, rows + 1, sizeof *s->first);
  s->column = cdni_part(base, &at, numbers, sizeof *s->column);
  s->value = cdni_part(base, &at, numbers, sizeof *s->value);
  s->cones = cdni_part(base, &at, (size_t)s->n, sizeof *s->cones);
  s->kept = cdni_part(base, &at, (size_t)s->n, sizeof *s->kept);
  int **const ints[] = { &s->slot, &s->unknown };
  for (int i = 0; i < CDNI_COUNT(ints); i++) *ints[i] = cdni_part(base, &at, rows, sizeof(int));
  double **const of_rows[] = { &s->diagonal, &s->b, &s->p, &s->w, &s->part, &s->near, &s->was, &s->kept_p };
  for (int i = 0; i < CDNI_COUNT(of_rows); i++) *of_rows[i] = cdni_part(base, &at, rows, sizeof(double));
  double **const of_slots[] = { &s->y, &s->r, &s->d };
  for (int i = 0; i < CDNI_COUNT(of_slots); i++) *of_slots[i] = cdni_part(base, &at, slots, sizeof(double));
  double **const squares[] = { &s->K, &s->A, &s->U, &s->VT };
  for (int i = 0; i < CDNI_COUNT(squares); i++) *squares[i] = cdni_part(base, &at, dense * dense, sizeof(double));
  s->s = cdni_part(base, &at, dense, sizeof(double));
  s->x = cdni_part(base, &at, dense, sizeof(double));
  s->svd_work = cdni_part(base, &at, dense ? cdni_svd_work((int)dense, (int)dense) : 0, sizeof(double));
  s->inner = cdni_part(base, &at, (size_t)s->n, 128);
  s->which = cdni_part(base, &at, dense + slots, sizeof(int));
  return at;
}

/* The cones of one island; row[] is the number in the problem of each of its rows, local[] the reverse, or -1. */
static void fill(const cone_problem *c, cone_set *s, const int *row, const int *local) {
  int at = 0;
  for (int r = 0; r < s->rows; r++) {
    s->first[r] = at, s->b[r] = c->b[row[r]];
    for (int k = c->W.first[row[r]]; k < c->W.first[row[r] + 1]; k++) {
      if (local[c->W.column[k]] < 0 || (c->W.value[k] == 0 && c->W.column[k] != row[r])) continue;
      s->column[at] = local[c->W.column[k]], s->value[at] = c->W.value[k];
      if (s->column[at] == r) s->diagonal[r] = s->value[at];
      at++;
    }
    s->most = fmax(s->most, s->diagonal[r]);
  }
  s->first[s->rows] = at;
  for (int i = 0; i < s->n; i++) {
    cone *a = &s->cones[i];
    if (a->normal >= 0) a->normal = local[a->normal], s->slot[a->normal] = 3 * i;
    if (a->n > 0) a->tangent = local[a->tangent];
    for (int t = 0; t < a->n; t++) s->slot[a->tangent + t] = 3 * i + cone_place(a, t);
    a->closed = a->closed && a->normal >= 0;
    if (a->slips) a->status = CONE_SLIPS;
    if (a->normal >= 0 && !a->closed && a->floor <= 0) a->status = CONE_OPEN;
  }
}

/* ---- one island ---- */

/* By relaxation alone, where no statuses were found; as exact as it gets. */
static bool approach(cone_set *s, int sweeps) {
  cdni_cone_relax(s, sweeps, 1);
  if (cdni_cone_newton(s)) return true;
  memcpy(s->p, s->near, (size_t)s->rows * sizeof *s->near);
  cdni_cone_read(s, 1);
  cdni_cone_results(s);
  cdni_cone_judge(s);
  return s->residual <= CONE_ACCEPTED;
}

/* Guesses that relaxation makes. */
static bool guess_on(cone_set *s) {
  for (int sweeps = 20; sweeps <= (s->large ? SWEEPS_LARGE : SWEEPS); sweeps *= 10)
    for (int k = s->large ? 1 : 0; k < CDNI_COUNT(NARROW); k++) {
      cdni_cone_relax(s, sweeps, NARROW[k]);
      if (cdni_cone_guess(s, s->large ? GUESSES_LARGE : GUESSES)) return true;
    }
  return false;
}

/* The second path gives way more, and leads past where the first does not. */
static bool solve(cone_set *s, bool rough) {
  if (cdni_cone_guess(s, s->large ? FEW : rough ? GUESSES_ROUGH : GUESSES)) return true;
  if (cdni_cone_interior(s, 1e-8) || cdni_cone_alternate(s, FEW)) return true;
  if (rough) return approach(s, SWEEPS_LARGE);
  const double combinations = cdni_cone_combinations(s);
  if (combinations <= FEW_COMBINATIONS) return cdni_cone_enumerate(s) || approach(s, SWEEPS_LARGE);
  if (cdni_cone_alternate(s, ROUNDS) || cdni_cone_interior(s, 1e-5) || cdni_cone_alternate(s, ROUNDS)) return true;
  return guess_on(s) || (combinations <= COMBINATIONS && cdni_cone_enumerate(s)) || approach(s, SWEEPS);
}

/* Whether there may be other solutions: by the equations, or as something that is open neither parts nor pushes. */
static bool may_be_less(const cone_set *s) {
  for (int i = 0; i < s->n; i++) {
    const cone *a = &s->cones[i];
    if (a->normal >= 0 && !a->closed && fabs(s->w[a->normal]) <= CONE_TOLERANCE * s->scale_w) return true;
  }
  return !s->unique;
}

/* Solves the cones which[0] to which[n - 1]. */
static bool solve_island(cone_problem *c, const int *which, int n, int *row, int *local) {
  cone_set s = { .allocator = c->allocator, .n = n, .solutions = 1 };
  size_t numbers = 0;
  for (int i = 0; i < n; i++) {
    const cone *a = &c->cones[which[i]];
    if (a->normal >= 0) row[s.rows++] = a->normal;
    for (int t = 0; t < a->n; t++) row[s.rows++] = a->tangent + t;
  }
  for (int r = 0; r < s.rows; r++) {
    local[row[r]] = r;
    numbers += (size_t)(c->W.first[row[r] + 1] - c->W.first[row[r]]);
  }
  s.large = s.rows > MOST_DENSE;
  s.size = divide(&s, NULL, numbers);
  s.memory = cdni_calloc(c->allocator, s.size);
  if (!s.memory) {
    c->out_of_memory = true;
    return false;
  }
  divide(&s, s.memory, numbers);
  for (int i = 0; i < n; i++) s.cones[i] = c->cones[which[i]];
  fill(c, &s, row, local);
  const bool found = solve(&s, c->rough);
  if (found && may_be_less(&s)) cdni_cone_lessen(&s, s.large || c->nearby);
  for (int i = 0; i < n; i++) {
    cone *a = &c->cones[which[i]];
    a->closed = s.cones[i].closed, a->status = s.cones[i].status;
    memcpy(a->e, s.cones[i].e, sizeof a->e);
  }
  for (int r = 0; r < s.rows; r++) c->p[row[r]] = s.p[r], c->w[row[r]] = s.w[r];
  c->residual = fmax(c->residual, s.residual), c->solutions *= s.solutions;
  c->out_of_memory = c->out_of_memory || s.out_of_memory;
  cdni_cone_factor_free(&s);
  cdni_free(c->allocator, s.memory, s.size);
  return found;
}

bool cdni_cones_solve(cone_problem *c) {
  const size_t n = (size_t)c->n, rows = (size_t)c->rows;
  c->solutions = 1, c->residual = 0, c->out_of_memory = false;
  if (c->rows == 0) return true;
  const size_t size = (3 * n + 2 + 2 * rows) * sizeof(int);
  int *numbers = cdni_calloc(c->allocator, size);
  if (!numbers) return !(c->out_of_memory = true);
  int *island = numbers, *first = island + n, *which = first + n + 2, *row = which + n, *local = row + rows;
  const int islands = find_islands(c, island, local);
  for (int i = 0; i < c->n; i++) first[island[i] + 2]++;
  for (int k = 0; k < islands; k++) first[k + 2] += first[k + 1];
  for (int i = 0; i < c->n; i++) which[first[island[i] + 1]++] = i;
  bool found = true;
  for (int r = 0; r < c->rows; r++) local[r] = -1, c->p[r] = 0;
  for (int k = 0; k < islands; k++)
    found = solve_island(c, which + first[k], first[k + 1] - first[k], row, local) && found;
  /* rows of no cone have no push */
  for (int r = 0; r < c->rows; r++) {
    if (local[r] >= 0) continue;
    c->w[r] = c->b[r];
    for (int k = c->W.first[r]; k < c->W.first[r + 1]; k++) c->w[r] += c->W.value[k] * c->p[c->W.column[k]];
  }
  cdni_free(c->allocator, numbers, size);
  return found;
}
