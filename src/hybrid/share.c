/* Multipliers of equations that depend on each other: four feet of a table that stick. They may change along the null
 * space of G^T without an effect on any acceleration. The elimination takes those of least norm
 * (constraints/least_norm.c), which may pull, or have friction beyond its bound, where others do not. Here they become
 * those of least norm among the admissible: lambda + N y with the least |N y| that is in all cones.
 *
 * The method of multipliers with Newton's method finds y: the cones' distances, shifted by their multipliers, are
 * weighed against |N y|^2. Where no multipliers are admissible it comes to those that are nearest to be, and what they
 * violate is what has to give. */
#include <math.h>

#include "constraints/loops.h"
#include "hybrid/press.h"
#include "math/cholesky.h"
#include "math/dense.h"
#include "matter/operators.h"

/* Relative to the largest multiplier: what is a violation; what the end may leave, which is then taken off. */
static const double VIOLATED = 1e-13, LEFT = 1e-13, TAKEN = 2e-12;
/* How much more distances weigh; a violation that shrinks by less than this stays. */
static const double WEIGHT = 1e6, SHRINKS = 0.5;
/* The rounding of the function whose least value is sought, relative to it: steps that change it by less are taken. */
static const double SUM_ROUNDING = 1e-14;
enum { LIMIT_ROWS = 1 + CONE_MOST_TANGENTS };
enum { MOST_OPEN = 100, MOVES = 20, STEPS = 40, HALVINGS = 30 };

/* One cone: its rows among the equations of the plan (-1: none), and where they may be. */
typedef struct limit {
  int row[LIMIT_ROWS];             /* normal, tangents */
  double sign, slope, base, ratio; /* ratio: of the second tangent, which counts by its part of that */
  double moved[LIMIT_ROWS];        /* its multiplier over the weight */
  limit_place place;
} limit;

typedef struct sharing {
  const hybrid_room *room;
  cdn_state *state;
  const loop_plan *plan;
  loop_null null;
  int m, n, k;             /* equations; cones; open directions */
  double *lambda, *weight; /* by equation */
  const double *all;       /* of all constraints */
  multiplier_cone *cones;
  limit *limits;
  int32_t *place; /* by equation of all constraints: that of the plan */
  int32_t *open;  /* the directions that take part */
  bool *fixed, *marked;
  double *N;     /* m x k, by columns */
  double *H, *A; /* k x k: products of directions, and of Newton's method */
  double *y, *trial, *g, *step;
  double scale;
  void *null_memory;
} sharing;

static size_t divide(sharing *s, char *base, size_t null_size) {
  const size_t m = (size_t)s->m, n = (size_t)s->n, d = sizeof(double);
  size_t at = 0;
  s->lambda = cdni_part(base, &at, m, d), s->weight = cdni_part(base, &at, m, d);
  s->cones = cdni_part(base, &at, n, sizeof *s->cones), s->limits = cdni_part(base, &at, n, sizeof *s->limits);
  s->place = cdni_part(base, &at, (size_t)cdni_constraints_equations(s->room->constraints), sizeof *s->place);
  s->open = cdni_part(base, &at, MOST_OPEN, sizeof *s->open);
  s->fixed = cdni_part(base, &at, m, sizeof *s->fixed), s->marked = cdni_part(base, &at, m, sizeof *s->marked);
  s->null_memory = cdni_part(base, &at, null_size, 1);
  return at;
}

/* What grows with the directions that take part. */
static size_t divide_open(sharing *s, char *base) {
  const size_t m = (size_t)s->m, k = (size_t)s->k, d = sizeof(double);
  size_t at = 0;
  s->N = cdni_part(base, &at, m * k, d);
  s->H = cdni_part(base, &at, k * k, d), s->A = cdni_part(base, &at, k * k, d);
  double **const vectors[] = { &s->y, &s->trial, &s->g, &s->step };
  for (int i = 0; i < CDNI_COUNT(vectors); i++) *vectors[i] = cdni_part(base, &at, k, d);
  return at;
}

/* ---- cones ---- */

static limit_numbers numbers_of(const limit *l, const double *z) {
  limit_numbers x = { .slope = l->slope, .base = l->base };
  if (l->row[0] >= 0) x.push = -l->sign * z[0];
  for (int k = 1; k < LIMIT_ROWS; k++) x.t[k - 1] = l->row[k] >= 0 ? z[k] : 0;
  x.size = cone_norm(x.t);
  return x;
}

/* What the cone leaves of z: z - P(z). */
static double distance_of(limit *l, const double *z, double *off) {
  limit_numbers x = numbers_of(l, z);
  l->place = cdni_limit_project(&x);
  off[0] = l->row[0] >= 0 ? z[0] + l->sign * x.push : 0;
  double sum = off[0] * off[0];
  for (int k = 1; k < LIMIT_ROWS; k++) {
    off[k] = l->row[k] >= 0 ? z[k] - x.t[k - 1] : 0;
    sum += off[k] * off[k];
  }
  return sum;
}

/* What its i-th multiplier counts by. */
static double part_of(const limit *l, int i) { return i == 2 ? l->ratio : 1; }

/* The cone's multipliers at y, shifted by `part` of what the method has moved. */
static void read_cone(const sharing *s, const limit *l, const double *y, double part, double *z) {
  for (int i = 0; i < LIMIT_ROWS; i++) {
    z[i] = 0;
    if (l->row[i] < 0) continue;
    z[i] = s->lambda[l->row[i]];
    for (int k = 0; k < s->k; k++) z[i] += s->N[(size_t)k * (size_t)s->m + (size_t)l->row[i]] * y[k];
    z[i] = z[i] / part_of(l, i) + part * l->moved[i];
  }
}

/* The largest violation at y. */
static double violation(sharing *s, const double *y) {
  double most = 0;
  for (int i = 0; i < s->n; i++) {
    double z[LIMIT_ROWS], off[LIMIT_ROWS];
    read_cone(s, &s->limits[i], y, 0, z);
    most = fmax(most, distance_of(&s->limits[i], z, off));
  }
  return sqrt(most);
}

/* ---- which directions take part ---- */

static void describe(sharing *s) {
  const constraint_room *room = s->room->constraints;
  const double *weights = cdn_state_parameters(s->state, room->weights);
  for (int k = 0; k < cdni_constraints_equations(room); k++) s->place[k] = -1;
  for (int k = 0; k < s->m; k++) s->place[s->plan->row[k]] = k;
  for (int c = 0; c < s->plan->n_constraints; c++)
    for (int e = s->plan->first[c]; e < s->plan->first[c] + s->plan->equations[c]; e++)
      s->weight[e] = weights[s->plan->constraint[c]];
  for (int i = 0; i < s->n; i++) {
    const multiplier_cone *c = &s->cones[i];
    limit *l = &s->limits[i];
    *l = (limit){ .row = { -1, -1, -1, -1 },
                  .sign = c->sign,
                  .slope = c->normal >= 0 ? c->mu : 0,
                  .base = c->base,
                  .ratio = c->ratio };
    if (c->normal >= 0) l->row[0] = s->place[c->normal];
    if (c->shared >= 0 && isfinite(c->base)) {
      l->row[0] = s->place[c->shared], l->slope = c->mu;
      l->base -= -c->sign * c->mu * s->all[c->shared];
    }
    for (int t = 0; t < c->n; t++) l->row[1 + t] = s->place[c->tangent + t];
    if (c->n == 0) l->slope = l->base = 0;
  }
}

static void fix(sharing *s, int constraint) {
  if (constraint < 0) return;
  const constraint_element *c = constraint_at(s->room->constraints, constraint);
  for (int k = c->row; k < c->row + c->m; k++)
    if (s->place[k] >= 0) s->fixed[s->place[k]] = true;
}

/* Whether the bound of a friction is not that of its cone alone. */
static bool is_bound_beside(const sharing *s, int i) {
  const dry_friction *x = friction_at(s->room, i);
  return x->joint >= 0 || x->reaction >= 0;
}

/* What friction that slips follows stays as it is, and so does friction whose bound is not that of a cone here, with
 * what presses on it, and what is kept. */
static void fix_all(sharing *s) {
  for (int i = 0; i < hybrid_frictions(s->room); i++) {
    const dry_friction *x = friction_at(s->room, i);
    const cdn_friction_status status = friction_status(s->room, s->state, i);
    if (status == CDN_FRICTION_OFF) continue;
    if (status == CDN_FRICTION_SLIP) fix(s, x->reaction);
    if (status == CDN_FRICTION_SLIP && x->normal >= 0) fix(s, side_at(s->room, x->normal)->constraint);
    if (status != CDN_FRICTION_STICK || !is_bound_beside(s, i)) continue;
    fix(s, x->slip), fix(s, x->reaction);
    if (x->normal >= 0) fix(s, side_at(s->room, x->normal)->constraint);
  }
  for (int i = 0; i < hybrid_kept(s->room); i++)
    if (kept_acts(s->room, s->state, i)) fix(s, kept_at(s->room, i)->constraint);
}

static void mark_cones(sharing *s) {
  for (int i = 0; i < s->n; i++) {
    const int *row = s->limits[i].row;
    bool any = false;
    for (int t = 0; t < LIMIT_ROWS; t++) any = any || (row[t] >= 0 && s->marked[row[t]]);
    for (int t = 0; t < LIMIT_ROWS && any; t++)
      if (row[t] >= 0) s->marked[row[t]] = true;
  }
}

/* The directions that reach a cone that is violated, or one that such a direction reaches. Returns their number; 0 also
 * where they are too many to be looked at in each evaluation. */
static int find_open(sharing *s) {
  int n = 0;
  for (int i = 0; i < s->n; i++) {
    double z[LIMIT_ROWS], off[LIMIT_ROWS];
    read_cone(s, &s->limits[i], NULL, 0, z);
    const bool violated = sqrt(distance_of(&s->limits[i], z, off)) > VIOLATED * s->scale;
    for (int t = 0; t < LIMIT_ROWS && violated; t++)
      if (s->limits[i].row[t] >= 0) s->marked[s->limits[i].row[t]] = true;
  }
  for (int before = -1; n != before;) {
    before = n;
    for (int j = 0; j < s->null.n; j++) {
      bool reaches = false, is_fixed = false, is_listed = false;
      for (int i = 0; i < n; i++) is_listed = is_listed || s->open[i] == j;
      for (int e = s->null.first[j]; e < s->null.first[j + 1]; e++)
        reaches = reaches || s->marked[s->null.row[e]], is_fixed = is_fixed || s->fixed[s->null.row[e]];
      if (is_listed || is_fixed || !reaches) continue;
      if (n == MOST_OPEN) return 0;
      for (int e = s->null.first[j]; e < s->null.first[j + 1]; e++) s->marked[s->null.row[e]] = true;
      s->open[n++] = j;
      mark_cones(s);
    }
  }
  return n;
}

static void fill_directions(sharing *s) {
  const size_t m = (size_t)s->m;
  memset(s->N, 0, m * (size_t)s->k * sizeof *s->N);
  for (int i = 0; i < s->k; i++)
    for (int e = s->null.first[s->open[i]]; e < s->null.first[s->open[i] + 1]; e++)
      s->N[(size_t)i * m + (size_t)s->null.row[e]] = s->null.value[e];
  for (int i = 0; i < s->k; i++)
    for (int j = 0; j < s->k; j++) s->H[i * s->k + j] = cdni_dot((int)m, s->N + (size_t)i * m, s->N + (size_t)j * m);
  for (int i = 0; i < s->k; i++)
    for (size_t e = 0; e < m; e++) s->N[(size_t)i * m + e] *= s->weight[e];
}

/* ---- the least of them ---- */

/* The function whose least value is sought, its gradient and, if `curves`, the matrix of Newton's method. */
static double evaluate(sharing *s, const double *y, bool curves) {
  const size_t k = (size_t)s->k;
  double sum = 0;
  for (size_t i = 0; i < k; i++) {
    s->g[i] = 0;
    for (size_t j = 0; j < k; j++) s->g[i] += s->H[i * k + j] * y[j];
    sum += 0.5 * s->g[i] * y[i];
  }
  if (curves) memcpy(s->A, s->H, k * k * sizeof *s->A);
  for (int c = 0; c < s->n; c++) {
    limit *l = &s->limits[c];
    double z[LIMIT_ROWS], off[LIMIT_ROWS];
    read_cone(s, l, y, 1, z);
    sum += 0.5 * WEIGHT * distance_of(l, z, off);
    if (l->place == LIMIT_INSIDE) continue;
    const limit_numbers x = numbers_of(l, z);
    for (size_t i = 0; i < k; i++) {
      double d[LIMIT_ROWS] = { 0 };
      for (int t = 0; t < LIMIT_ROWS; t++)
        if (l->row[t] >= 0) d[t] = s->N[i * (size_t)s->m + (size_t)l->row[t]] / part_of(l, t);
      double along = 0;
      for (int t = 0; t < LIMIT_ROWS; t++) along += d[t] * off[t];
      s->g[i] += WEIGHT * along;
      if (!curves) continue;
      double push = -l->sign * d[0], slide[3] = { d[1], d[2], d[3] };
      cdni_limit_change(&x, l->place, &push, slide);
      const double rest[] = { l->row[0] >= 0 ? d[0] + l->sign * push : 0, d[1] - slide[0], d[2] - slide[1],
                              d[3] - slide[2] };
      for (size_t j = 0; j <= i; j++)
        for (int t = 0; t < LIMIT_ROWS; t++)
          if (l->row[t] >= 0)
            s->A[i * k + j] += WEIGHT * rest[t] * s->N[j * (size_t)s->m + (size_t)l->row[t]] / part_of(l, t);
    }
  }
  return sum;
}

static void minimize(sharing *s) {
  const int k = s->k;
  for (int round = 0; round < STEPS; round++) {
    const double here = evaluate(s, s->y, true);
    double slope = 0, by = 1, most = 0;
    for (int i = 0; i < k; i++) s->step[i] = -s->g[i], most = fmax(most, fabs(s->g[i]));
    if (!(most > 1e-15 * s->scale * WEIGHT) && round > 0) return;
    if (cdni_cholesky(k, k, s->A, 0, 1e-14) >= 0) return;
    cdni_cholesky_down(k, k, s->A, s->step);
    cdni_cholesky_up(k, k, s->A, s->step);
    double length = 0;
    for (int i = 0; i < k; i++) slope += s->g[i] * s->step[i], length = fmax(length, fabs(s->step[i]));
    for (int halved = 0; halved < HALVINGS; halved++, by *= 0.5) {
      for (int i = 0; i < k; i++) s->trial[i] = s->y[i] + by * s->step[i];
      if (evaluate(s, s->trial, false) <= here + 1e-4 * by * slope + SUM_ROUNDING * fabs(here)) break;
    }
    memcpy(s->y, s->trial, (size_t)k * sizeof *s->y);
    if (length * by <= 1e-15 * s->scale) return;
  }
}

/* Returns what is violated at the end. */
static double find(sharing *s) {
  double before = INFINITY, now = INFINITY;
  memset(s->y, 0, (size_t)s->k * sizeof *s->y);
  for (int move = 0; move < MOVES; move++) {
    minimize(s);
    now = violation(s, s->y);
    if (now <= LEFT * s->scale || (move > 1 && now > SHRINKS * before)) break;
    before = now;
    for (int c = 0; c < s->n; c++) {
      limit *l = &s->limits[c];
      double z[LIMIT_ROWS], off[LIMIT_ROWS];
      read_cone(s, l, s->y, 1, z);
      distance_of(l, z, off);
      memcpy(l->moved, off, sizeof off);
    }
  }
  return now;
}

/* ---- the whole ---- */

static void write(sharing *s, double left, double *all) {
  for (int e = 0; e < s->m; e++)
    for (int k = 0; k < s->k; k++) all[s->plan->row[e]] += s->N[(size_t)k * (size_t)s->m + (size_t)e] * s->y[k];
  for (int c = 0; c < s->n && left <= TAKEN * s->scale; c++) {
    limit *l = &s->limits[c];
    double z[LIMIT_ROWS], off[LIMIT_ROWS];
    read_cone(s, l, s->y, 0, z);
    distance_of(l, z, off);
    for (int t = 0; t < LIMIT_ROWS; t++)
      if (l->row[t] >= 0) all[s->plan->row[l->row[t]]] = (z[t] - off[t]) * part_of(l, t);
  }
}

/* With the directions s->open. */
static cdn_status share_open(sharing *s, double *all) {
  void *frame;
  CDNI_TRY(cdni_operator_work(s->state, "cdn_realize", divide_open(s, NULL), &frame));
  divide_open(s, frame);
  fill_directions(s);
  write(s, find(s), all);
  cdn_work_pop(s->state, frame);
  return CDN_OK;
}

static bool any_is_violated(sharing *s) {
  s->scale = 0;
  for (int e = 0; e < s->m; e++) s->scale = fmax(s->scale, fabs(s->lambda[e]));
  return violation(s, NULL) > VIOLATED * s->scale;
}

static cdn_status share(sharing *s, const loop_factor *f, double *all) {
  const double *weights = cdn_state_parameters(s->state, s->room->constraints->weights);
  s->all = all;
  cdni_hybrid_limits(s->room, s->state, all, NULL, s->cones);
  describe(s);
  for (int e = 0; e < s->m; e++) s->lambda[e] = all[s->plan->row[e]];
  if (!any_is_violated(s)) return CDN_OK;
  s->null = cdni_loop_null_make(s->plan, f, weights, s->null_memory);
  fix_all(s);
  s->k = find_open(s);
  return s->k > 0 ? share_open(s, all) : CDN_OK;
}

/* Whether a force follows what a mobilizer transmits, which all multipliers are part of. */
static bool follows_joint(const hybrid_room *room, const cdn_state *state) {
  for (int i = 0; i < hybrid_frictions(room); i++)
    if (friction_at(room, i)->joint >= 0 && friction_status(room, state, i) == CDN_FRICTION_SLIP) return true;
  for (int i = 0; i < hybrid_kept(room); i++)
    if (kept_at(room, i)->joint >= 0 && kept_acts(room, state, i)) return true;
  return false;
}

cdn_status cdni_hybrid_share(const hybrid_room *room, cdn_state *state) {
  sharing s = { .room = room, .state = state };
  const loop_factor *f;
  void *frame;
  if (!cdni_constraint_any_enabled(room->constraints, state)) return CDN_OK;
  if (room->joints > 0 && follows_joint(room, state)) return CDN_OK;
  CDNI_TRY(cdni_constraint_factor(room->constraints, state, &s.plan, &f));
  if (!f || *f->n_shared == 0) return CDN_OK;
  double *all = (double *)cdni_state_storage(state, (cdn_cache){ 0, CDN_MULTIPLIERS }) +
                cdni_constraints_first_row(room->constraints);
  s.m = s.plan->m, s.n = cdni_hybrid_limits(room, state, all, NULL, NULL);
  if (s.n == 0) return CDN_OK;
  const size_t null_size = cdni_loop_null_size(s.plan, f), size = divide(&s, NULL, null_size);
  CDNI_TRY(cdni_operator_work(state, "cdn_realize", size, &frame));
  memset(frame, 0, size);
  divide(&s, frame, null_size);
  const cdn_status status = share(&s, f, all);
  cdn_work_pop(state, frame);
  return status;
}
