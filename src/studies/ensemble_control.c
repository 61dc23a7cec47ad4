/* Steps under error control in lanes: each lane has its own time and its own size of steps. An attempt is made in all
 * lanes together. Lanes whose error is too large stay where they are and try again; lanes at the end wait, with steps
 * of size 0. The norms and the rules of sizes are those of the stepper (docs/accuracy.md). */
#include <float.h>
#include <math.h>

#include "studies/ensemble.h"

/* The first step changes y by at most this part of its unit, and is at most this long, s. It grows fast. */
static const double FIRST_CHANGE = 0.01, FIRST_SIZE = 0.01;
/* Roundings in the sum of y and its change over a step; no error estimate is smaller. */
static const double ROUNDINGS = 4;
/* Tenths: the part of the accuracy that one step may err by. */
static const double PART = 0.1;

/* ---- norms, by lane ---- */

typedef struct sums {
  double of[3][CDNI_MOST_LANES]; /* squares over q, u and z */
} sums;

static void add_part(sums *s, int pool, int lane, double x) { s->of[pool][lane] += x * x; }

/* The largest of the three root mean squares. */
static void take_root(const cdn_ensemble *e, const sums *s, double *norm) {
  for (int l = 0; l < e->lanes; l++) {
    double worst = 0;
    for (int p = 0; p < 3; p++) {
      const double mean = e->n_free[p] > 0 ? s->of[p][l] / e->n_free[p] : 0;
      worst = mean <= worst ? worst : mean; /* NaN stays */
    }
    norm[l] = sqrt(worst);
  }
}

static bool counts(const cdn_ensemble *e, int slot) { return !e->driven || !e->driven[slot]; }

static double z_weight(const cdn_ensemble *e, int slot, double size) {
  const double *scale = cdni_system_z_scale(e->system);
  const double weight = scale ? 1 / scale[slot - e->nq - e->nu] : 1;
  return weight * size > 1 ? 1 / size : weight;
}

/* Errors of z are relative to the larger of ya and yb, where that exceeds their unit. */
static void norm_of_error(const cdn_ensemble *e, const double *error, const double *ya, const double *yb,
                          double *norm) {
  const int lanes = e->lanes, nqu = e->nq + e->nu;
  sums s = { 0 };
  for (int i = 0; i < nqu; i++)
    for (int l = 0; l < lanes && counts(e, i); l++) add_part(&s, i >= e->nq, l, error[i * lanes + l]);
  for (int i = nqu; i < e->ny; i++)
    for (int l = 0; l < lanes; l++) {
      const int at = i * lanes + l;
      add_part(&s, 2, l, error[at] * z_weight(e, i, fmax(fabs(ya[at]), fabs(yb[at]))));
    }
  take_root(e, &s, norm);
}

/* The size of y and of its change over a step, in units; of z at most 1. */
static void norm_of_size(const cdn_ensemble *e, const double *y, const double *f, const double *h, double *norm) {
  const int lanes = e->lanes, nqu = e->nq + e->nu;
  sums s = { 0 };
  for (int i = 0; i < e->ny; i++)
    for (int l = 0; l < lanes; l++) {
      const int at = i * lanes + l;
      const double size = fabs(y[at]) + fabs(h[l] * f[at]);
      add_part(&s, i < e->nq ? 0 : i < nqu ? 1 : 2, l, i < nqu ? size : fmin(1, size * z_weight(e, i, 0)));
    }
  take_root(e, &s, norm);
}

/* ---- an attempt ---- */

typedef struct attempt {
  const cdni_stretch *x;
  cdn_ensemble *e;
  worker *w;
  int thread, batch;
  cdni_ends ends;
  double ratio, asked; /* size of the State's steps over that of these, and the accuracy asked of it */
  double start[CDNI_MOST_LANES], end[CDNI_MOST_LANES]; /* of this call */
  double goal[CDNI_MOST_LANES];                        /* the end, or before it the next mark of a companion's State */
  int mark[CDNI_MOST_LANES];                           /* number of the next mark */
  double most[CDNI_MOST_LANES];                        /* size of a step */
  int64_t tried[CDNI_MOST_LANES];
  double taken[CDNI_MOST_LANES]; /* steps */
  bool moves[CDNI_MOST_LANES];   /* lanes that take part; the others wait or have failed */
  double t1[CDNI_MOST_LANES], h[CDNI_MOST_LANES], allowed[CDNI_MOST_LANES], error[CDNI_MOST_LANES];
} attempt;

static course *course_of(const attempt *a, int lane) { return &a->e->courses[a->batch * a->e->lanes + lane]; }

/* The shortest step in which times of stages are resolved. */
static double shortest(const attempt *a, int lane) {
  const course *c = course_of(a, lane);
  return 16 * DBL_EPSILON * fmax(fabs(ensemble_t(a->e, a->batch)[lane]), c->steps ? c->longest : c->next);
}

static void choose_first(attempt *a) {
  const cdn_ensemble *e = a->e;
  double rate[CDNI_MOST_LANES];
  const double *y = ensemble_y(e, a->batch);
  norm_of_error(e, ensemble_rates(e, a->batch), y, y, rate);
  for (int l = 0; l < e->lanes; l++) {
    course *c = course_of(a, l);
    if (c->next > 0) continue;
    c->next = fmin(FIRST_SIZE, FIRST_CHANGE / fmax(rate[l], DBL_MIN));
    c->next /= a->ratio;
    c->last_error = 1e-4;
    c->rejected = false;
  }
}

/* Where the ends of calls cut steps short, a companion with the same steps would see no error: its steps stay shorter
 * than the longest of its State.
 *
 * The last two steps of a stretch are equally long, rather than that the last is a sliver. */
static bool aim(attempt *a) {
  const cdn_ensemble *e = a->e;
  const double *t0 = ensemble_t(e, a->batch);
  bool any = false;
  for (int l = 0; l < e->lanes; l++) {
    const double left = a->goal[l] - t0[l], next = fmin(course_of(a, l)->next, a->most[l]);
    a->moves[l] = ensemble_live(e, a->batch, l) >= 0 && left > 0;
    any = any || a->moves[l];
    a->t1[l] = !a->moves[l] ? t0[l] : left <= 1.01 * next ? a->goal[l] : t0[l] + (left < 2 * next ? 0.5 * left : next);
    a->h[l] = a->t1[l] - t0[l];
  }
  return any;
}

/* Adds a weighted sum of rates to what judges the attempt: its norm, by lane. */
static void weigh(attempt *a, const cdni_rk_step *step, const double *weights, double *norm) {
  cdni_rk_sum(step, a->e->rk->stages + 1, weights, NULL, a->ends.error);
  norm_of_error(a->e, a->ends.error, step->y0, step->y1, norm);
}

/* As the stepper judges a step (explicit_rk.c), without its rules for constraints and for stiff modes. */
static void estimate(attempt *a, const cdni_rk_step *step) {
  const cdn_ensemble *e = a->e;
  const cdni_rk_tableau *rk = e->rk;
  double of_e[CDNI_MOST_LANES], of_look[CDNI_MOST_LANES] = { 0 }, high[CDNI_MOST_LANES] = { 0 };
  weigh(a, step, rk->e, of_e);
  if (rk->look) weigh(a, step, rk->look, of_look);
  if (rk->e_high) weigh(a, step, rk->e_high, high);
  for (int l = 0; l < e->lanes; l++) {
    if (!a->moves[l]) continue;
    course *c = course_of(a, l);
    const bool calm = a->h[l] > 1.1 * shortest(a, l); /* a shorter step would not see a kink better */
    c->of_e.tried = of_e[l], c->of_look.tried = of_look[l];
    const double part = rk->share * (calm ? cdni_rk_swell(rk, &c->of_e, a->h[l]) : 1);
    const double seen = rk->look && calm ? cdni_rk_seen(&c->of_look, a->h[l]) : 0;
    a->error[l] = fmin(rk->of_kink, part) * of_e[l];
    if (!(a->error[l] > seen)) a->error[l] = isnan(a->error[l]) ? INFINITY : seen;
    if (!(a->error[l] > high[l])) a->error[l] = isnan(high[l]) ? INFINITY : high[l];
  }
}

/* A step of a companion has the share of its State's steps: shares follow from the number of steps. */
static void allow(attempt *a, const cdni_rk_step *step) {
  const cdn_ensemble *e = a->e;
  double size[CDNI_MOST_LANES];
  norm_of_size(e, step->y0, step->f0, step->h, size);
  for (int l = 0; l < e->lanes; l++) {
    if (!a->moves[l]) continue;
    const double share =
        cdni_share_of(e->how, a->asked, a->end[l] - a->start[l], step->t0[l] - a->start[l], a->taken[l] / a->ratio);
    a->allowed[l] = fmax(PART * e->accuracy * share, ROUNDINGS * DBL_EPSILON * size[l]);
  }
}

static void try_step(attempt *a) {
  cdn_ensemble *e = a->e;
  const cdni_rk_step step = cdni_ensemble_rk_step(a->w, ensemble_t(e, a->batch), a->t1, a->h);
  allow(a, &step);
  cdni_ensemble_rk_stages(a->w, &step);
  cdni_ensemble_arrive(a->w, a->batch, a->t1, &a->ends);
  estimate(a, &step);
}

/* ---- what becomes of it ---- */

/* `text` takes the time, and the size of the last attempt. */
static void give_up(const attempt *a, int lane, cdn_status status, const char *text) CDN_PRINTF(4, 0);
static void give_up(const attempt *a, int lane, cdn_status status, const char *text) {
  cdn_state *one = a->w->views[lane % a->w->n_views].state;
  cdni_state_fail(one, status, false, "cdn_ensemble_advance_to", NULL, text, ensemble_t(a->e, a->batch)[lane],
                  a->h[lane]);
  cdni_ensemble_lane_failed(a->w, lane, status);
}

/* An attempt that could not be evaluated has marked the State as failed. A shorter step may succeed. */
static void retry(const attempt *a, int lane) {
  cdn_ensemble *e = a->e;
  course *c = course_of(a, lane);
  const int k = a->batch * e->lanes + lane;
  const bool may = e->status[k] == CDN_ERR_NONFINITE || e->errors[k].recoverable;
  if (!may || a->h[lane] <= 1.1 * shortest(a, lane)) return;
  e->status[k] = CDN_OK;
  c->next = 0.25 * a->h[lane];
  c->rejected = true;
  c->rejections++;
}

static void reject(const attempt *a, int lane) {
  course *c = course_of(a, lane);
  c->rejections++;
  if (a->h[lane] <= 1.1 * shortest(a, lane)) {
    give_up(a, lane, CDN_ERR_STEP,
            "at t = %.9g no step has a small enough error, down to a size of %.2g: forces that jump, or grow "
            "beyond all bounds, need a looser def.accuracy or a smoother law");
    return;
  }
  c->next = isfinite(a->error[lane])
                ? cdni_size_rejected(a->e->how->error_order, a->h[lane], a->error[lane] / a->allowed[lane])
                : 0.25 * a->h[lane];
  c->rejected = true;
}

static void book(attempt *a, int lane) {
  course *c = course_of(a, lane);
  const double h = a->h[lane], error = a->error[lane] / a->allowed[lane];
  const bool cut = h < 0.99 * c->next; /* to end at a given time: the next steps need not be shorter */
  double last = c->last_error;
  const double next = cdni_size_accepted(a->e->how->error_order, h, error, &last, c->rejected);
  c->next = cut ? fmax(next, c->next) : next;
  if (!cut) c->last_error = last;
  c->rejected = false;
  cdni_trend_follow(&c->of_e, h, a->e->rk->order_of_e);
  cdni_trend_follow(&c->of_look, h, CDNI_ORDER_OF_LOOK);
  a->taken[lane]++;
  c->longest_of_call = fmax(c->longest_of_call, h);
  c->smallest = c->steps ? fmin(c->smallest, h) : h;
  c->longest = fmax(c->longest, h);
  c->steps++;
  c->local_errors += a->error[lane];
}

static void decide(attempt *a) {
  cdn_ensemble *e = a->e;
  bool good[CDNI_MOST_LANES];
  for (int l = 0; l < e->lanes; l++) {
    good[l] = false;
    if (!a->moves[l]) continue;
    course_of(a, l)->evaluations += e->rk->stages;
    if (ensemble_live(e, a->batch, l) < 0) retry(a, l);
    else if (!(a->error[l] <= a->allowed[l])) reject(a, l);
    else book(a, l), good[l] = true;
    if (e->max_steps > 0 && ++a->tried[l] >= e->max_steps && a->t1[l] < a->end[l] &&
        ensemble_live(e, a->batch, l) >= 0) {
      give_up(a, l, CDN_ERR_LIMIT, "def.max_steps attempts have brought it to t = %.9g, the last with a size of %.2g");
      good[l] = false;
    }
  }
  cdni_ensemble_accept(a->w, a->batch, good, a->t1, &a->ends);
}

/* ---- marks ---- */

static void aim_at_mark(attempt *a, int lane) {
  const worker *ahead = a->x->leader ? &a->x->leader->workers[a->thread] : NULL;
  const int m = a->mark[lane];
  a->goal[lane] = ahead && m < ahead->n_marks[lane] ? ahead->mark_t[m][lane] : a->end[lane];
}

/* A stop costs a companion about half a step. */
static const double STEPS_TO_A_MARK = 10;

/* A State marks its way where steps end anyhow, so companions do not change it. A companion stops at these marks. */
static void pass_marks(attempt *a) {
  const cdn_ensemble *e = a->e;
  for (int l = 0; l < e->lanes; l++) {
    const double t = ensemble_t(e, a->batch)[l], part = (double)(a->mark[l] + 1) / (CDNI_MARKS + 1);
    if (!a->moves[l] || t >= a->end[l]) continue;
    if (a->x->leader && t == a->goal[l]) {
      cdni_ensemble_compare(a->x, a->thread, a->batch, l, a->mark[l]++);
      aim_at_mark(a, l);
    } else if (e->judged && a->mark[l] < CDNI_MARKS && a->taken[l] >= STEPS_TO_A_MARK * (a->mark[l] + 1) &&
               t >= a->start[l] + part * (a->end[l] - a->start[l])) {
      cdni_ensemble_mark(a->w, a->batch, l);
      a->mark[l]++;
    }
  }
}

void cdni_ensemble_control(void *stretch, int thread, int batch) {
  const cdni_stretch *x = stretch;
  cdn_ensemble *e = x->e;
  attempt a = { .x = x, .e = e, .w = &e->workers[thread], .thread = thread, .batch = batch };
  a.ends = cdni_ensemble_ends(a.w);
  a.ratio = x->leader ? CDNI_COMPANION_RATIO : 1;
  a.asked = e->accuracy * pow(a.ratio, e->how->error_order);
  for (int l = 0; l < e->lanes; l++) {
    a.start[l] = ensemble_t(e, batch)[l];
    course_of(&a, l)->longest_of_call = 0;
    a.most[l] = x->leader ? x->leader->courses[batch * e->lanes + l].longest_of_call / a.ratio : INFINITY;
    a.end[l] = x->ends ? x->ends[batch * e->lanes + l] : x->end;
    aim_at_mark(&a, l);
  }
  cdni_ensemble_begin(a.w, batch);
  choose_first(&a);
  while (!atomic_load(e->interrupt) && aim(&a)) {
    try_step(&a);
    decide(&a);
    pass_marks(&a);
  }
  a.w->prescribes = false;
}
