/* Impact as springs on the contacts would have it, if they were stiffer than all else: nothing moves while they push,
 * so only speeds, impulses and the springs' depths count, in a time of their own. Of one contact the push at every
 * moment of the impact is known up to that time, so this is Stronge's law: the motion along the normal impulse (Routh;
 * 8.56 to 8.62). Friction is Coulomb's at every moment. */
#include "hybrid/springs.h"

#include <float.h>
#include <math.h>

enum { STEPS = 3000, FLIGHTS = 200, SEARCHES = 100 };
/* Of a step, relative to the scales. */
static const double ERROR = 1e-13;
/* Restitution below this counts as none: such springs would be too stiff on their way back. */
static const double LEAST = 1e-4;
/* What has jammed begins with this depth, for it does not approach. */
static const double SEED = 1e-9;
/* Approaches that are slower than this part of the first speeds are none. */
static const double SLOW = 1e-11;
/* Where friction sticks its force may exceed the bound by this part of the forces. */
static const double EXCEEDS = 2e-9;

/* ---- events ---- */

/* Turns the mode of a spring that has come to its end. */
static void turn(const springs *s, spring *x, double speed, double depth) {
  switch (x->mode) {
    case SPRING_APART: x->mode = x->deepest > x->left ? SPRING_UNLOADS : SPRING_LOADS; return;
    case SPRING_LOADS:
      x->deepest = depth, x->left = depth * (1 - x->e * x->e);
      x->mode = x->e == 0 ? SPRING_HOLDS : SPRING_UNLOADS;
      if (!(depth > 1e-15 * s->speed)) x->mode = SPRING_APART, x->deepest = x->left = fmax(0, depth);
      return;
    case SPRING_UNLOADS: x->mode = speed < 0 ? SPRING_LOADS : SPRING_APART; return;
    case SPRING_HOLDS: x->mode = speed < 0 ? SPRING_LOADS : SPRING_APART, x->left = x->deepest = depth; return;
  }
}

/* How far a spring is from the end of its mode, negative: beyond; *inward: it is pressed on. */
static double end_of_mode(const springs *s, const spring *x, int row, const double *y, double *inward) {
  const double w = y[row] / s->speed, d = y[2 * s->m->rows + row] / s->speed, push = s->push[row] / s->force;
  const double deepest = x->deepest / s->speed, left = x->left / s->speed;
  *inward = w;
  switch (x->mode) {
    case SPRING_APART: return w < 0 ? left - d : 1;
    case SPRING_LOADS: return 1e-14 - w;
    case SPRING_UNLOADS: return w < 0 ? fmin(d - left, deepest - d + 1e-15) : d - left;
    case SPRING_HOLDS: {
      const double rest = x->k * pow(x->deepest, s->exponent) / s->force - push + 1e-12;
      *inward = rest < 0 ? -1 : 1;
      return fmin(rest, 1e-13 - w);
    }
  }
  return 1;
}

static double end_of_friction(const springs *s, const spring *x, const cone *c, const double *y) {
  if (x->sticks) {
    const double bound = c->base_dynamic + (c->normal >= 0 ? c->mu_dynamic * s->push[c->normal] : 0);
    return (bound - cone_size(c, s->push)) / s->force + (1 + c->mu_dynamic) * EXCEEDS;
  }
  if (x->begins) return 1;
  double w[CONE_MOST_TANGENTS];
  cone_get(c, y, w);
  const double ahead = cone_dot(w, x->along);
  return ahead / s->size - (c->n > 1 ? 0.1 * SPRING_REST : -1e-14);
}

/* The least of all ends at y; if asked, what has come to its end turns. */
static double watch(springs *s, const double *y, bool turns) {
  double least = 1;
  cdni_spring_rates(s, y, s->high);
  for (int i = 0; i < s->m->n_cones; i++) {
    const cone *c = &s->m->cones[i];
    spring *x = &s->spring[i];
    if (c->normal >= 0) {
      double inward;
      const double end = end_of_mode(s, x, c->normal, y, &inward);
      least = fmin(least, end);
      if (turns && end < 0) turn(s, x, inward, y[2 * s->m->rows + c->normal]);
    }
    if (c->n == 0 || (c->normal >= 0 && x->mode == SPRING_APART)) continue;
    least = fmin(least, end_of_friction(s, x, c, y));
  }
  return least;
}

/* The first end within a step of h: shortens the step to it, by secants (Illinois) between a time before and a time
 * behind. */
static void find_end(springs *s, double h, double value) {
  double before = 0, behind = h, at_before = fmax(watch(s, s->y, false), 0), at_behind = value;
  for (int k = 0; k < SEARCHES && behind - before > 4 * DBL_EPSILON * behind && at_behind < -1e-16; k++) {
    double middle = behind - at_behind * (behind - before) / (at_behind - at_before);
    if (k > 30 || !(middle > before && middle < behind)) middle = 0.5 * (before + behind);
    cdni_spring_step(s, middle);
    const double now = watch(s, s->next, false);
    if (now < 0) {
      behind = middle, at_behind = now, at_before *= 0.5;
    } else {
      before = middle, at_before = now, at_behind *= 0.5;
    }
  }
  cdni_spring_step(s, behind);
}

/* ---- the impact ---- */

static size_t divide(springs *s, void *base, int rows, int cones) {
  size_t at = 0;
  s->spring = cdni_part(base, &at, (size_t)cones, sizeof *s->spring);
  s->cones = cdni_part(base, &at, (size_t)cones, sizeof *s->cones);
  double **const vectors[] = { &s->push, &s->b, &s->p, &s->w };
  for (int i = 0; i < CDNI_COUNT(vectors); i++) *vectors[i] = cdni_part(base, &at, (size_t)rows, sizeof(double));
  double **const states[] = { &s->y, &s->next, &s->rates, &s->low, &s->middle, &s->high };
  for (int i = 0; i < CDNI_COUNT(states); i++) *states[i] = cdni_part(base, &at, 3 * (size_t)rows, sizeof(double));
  s->columns = cdni_part(base, &at, 6 * 3 * (size_t)rows, sizeof(double));
  return at;
}

size_t cdni_impact_spring_work(int rows, int cones) {
  springs s;
  return divide(&s, NULL, rows, cones);
}

static void begin(springs *s, double by) {
  moment *m = s->m;
  double response = 0, stiffest = 0;
  for (int i = 0; i < m->n_cones; i++) {
    const int row = m->cones[i].normal;
    if (row < 0) continue;
    response = fmax(response, cdni_sparse_at(&m->W, row, row));
    s->speed = fmax(s->speed, fabs(m->v[row]));
  }
  for (int r = 0; r < m->rows; r++) s->size = fmax(s->size, fabs(m->v[r]));
  if (m->jammed) s->speed = s->size;
  s->force = s->speed / response;
  for (int i = 0; i < hybrid_sides(m->room); i++)
    if (m->side_cone[i] >= 0) stiffest = fmax(stiffest, side_params(m->room, m->state, i)[ONE_SIDED_STIFFNESS]);
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    if (m->side_cone[i] < 0) continue;
    const int row = m->cones[m->side_cone[i]].normal;
    spring *x = &s->spring[m->side_cone[i]];
    const double e = by * m->e[row], ratio = side_params(m->room, m->state, i)[ONE_SIDED_STIFFNESS] / stiffest;
    x->k = ratio * s->force / pow(s->speed, s->exponent), x->e = e < LEAST ? 0 : e;
    x->mode = m->v[row] > 1e-14 * s->speed ? SPRING_APART : SPRING_LOADS;
    if (m->jammed && fabs(m->v[row]) < 1e-6 * s->speed) s->y[2 * m->rows + row] = SEED * s->speed;
  }
  memcpy(s->y, m->v, (size_t)m->rows * sizeof *s->y);
}

static bool is_quiet(const springs *s) {
  for (int i = 0; i < s->m->n_cones; i++) {
    const int row = s->m->cones[i].normal;
    const spring *x = &s->spring[i];
    if (row < 0 || x->mode == SPRING_APART || x->mode == SPRING_HOLDS) continue;
    const bool began = s->y[2 * s->m->rows + row] > 1e-15 * s->speed || s->y[row] < -SLOW * s->speed;
    if (x->mode == SPRING_UNLOADS || began) return false;
  }
  return true;
}

/* Nothing pushes: the time until the next spring is met, which then turns. False: there is none. */
static bool fly(springs *s) {
  const moment *m = s->m;
  const size_t depths = 2 * (size_t)m->rows;
  double time = INFINITY;
  int next = -1;
  for (int i = 0; i < m->n_cones; i++) {
    const int row = m->cones[i].normal;
    if (row < 0 || s->spring[i].mode != SPRING_APART || !(s->y[row] < -SLOW * s->speed)) continue;
    const double until = fmax(0, (s->spring[i].left - s->y[depths + (size_t)row]) / -s->y[row]);
    if (until < time) time = until, next = i;
  }
  if (next < 0) return false;
  for (size_t r = 0; r < (size_t)m->rows; r++) s->y[depths + r] -= time * s->y[r];
  turn(s, &s->spring[next], -1, s->y[depths + (size_t)m->cones[next].normal]);
  return true;
}

/* A push that does not lift (Painleve) makes an approach grow: errors count relative to what it has come to. */
static void grow(springs *s) {
  double speed = s->speed;
  for (int i = 0; i < s->m->n_cones; i++)
    if (s->m->cones[i].normal >= 0) speed = fmax(speed, fabs(s->y[s->m->cones[i].normal]));
  s->force *= speed / s->speed, s->speed = speed;
}

/* Until nothing pushes or approaches. False: it did not come to an end. */
static bool run(springs *s) {
  const size_t size = 3 * (size_t)s->m->rows * sizeof *s->y;
  double h = 0.01;
  bool decided = false;
  for (int step = 0, flights = 0; step < STEPS && flights < FLIGHTS && !s->failed; step++) {
    if (is_quiet(s)) {
      if (!fly(s)) return true;
      flights++, decided = false;
    }
    if (!decided) cdni_spring_decide(s, s->y);
    decided = true;
    cdni_spring_aim(s);
    const double error = cdni_spring_step(s, h);
    const double by = fmin(4, fmax(0.1, 0.9 * pow(ERROR / fmax(error, 1e-20), 1. / 11)));
    if (!(error <= ERROR) && h > 1e-12) {
      h *= error <= 1e10 ? by : 0.1;
      continue;
    }
    const double end = watch(s, s->next, false);
    if (end < 0) {
      find_end(s, h, end);
      watch(s, s->next, true);
      decided = false;
    }
    memcpy(s->y, s->next, size);
    grow(s);
    h *= by;
  }
  return false;
}

cdn_status cdni_impact_by_springs(moment *m, double by) {
  const size_t rows = (size_t)m->rows;
  springs s = { .m = m, .exponent = m->jammed ? 1 : m->room->impact.exponent };
  memset(m->law_work, 0, divide(&s, m->law_work, m->rows, m->n_cones));
  memcpy(m->w, m->v, rows * sizeof *m->w);
  memset(m->total, 0, rows * sizeof *m->total);
  memset(m->kept_total, 0, (size_t)hybrid_kept(m->room) * sizeof *m->kept_total);
  begin(&s, by);
  if (!(s.speed > 0)) return CDN_OK;
  const bool ends = run(&s);
  for (size_t r = 0; r < rows; r++) {
    m->total[r] = s.y[rows + r], m->w[r] = m->v[r] + cdni_sparse_dot(&m->W, (int)r, s.y + rows);
  }
  return ends ? CDN_OK : cdni_impact_end(m);
}
