/* Times in which nothing can touch. For a System whose shapes are apart, the balls about the shapes are followed along straight lines
 * from some time on, forth and back, and each shape is told how far it may be from its line: half of the least gap that it has to others in the
 * span of time. While every ball is as near to its line as that, no two shapes touch, and neither poses of shapes nor
 * pairs are looked at. That is a fact of geometry: it does not matter how the State has come to its pose.
 *
 * Lines are seen from the middle of all balls, so that what falls together is quiet for long. */
#include <math.h>

#include "contact/internal.h"

typedef struct quiet_list {
  double time, back, span; /* from time - back to time + span; 0: there is none */
  int32_t failures, wait;
} quiet_list;
/* `free`: how far the ball may be from its line. */
typedef struct quiet_line {
  v3 center, rate;
  double free;
} quiet_line;

size_t cdni_contact_quiet_size(int n) { return sizeof(quiet_list) + (size_t)n * sizeof(quiet_line); }
void cdni_contact_quiet_forget(void *bytes) { memset(bytes, 0, sizeof(quiet_list)); }

/* The balls of a State. A half-space has no ball, and is where its frame is: only those of Ground can be quiet. */
typedef struct balls {
  int n;
  v3 *center, *rate; /* seen from the middle; NULL: no rates */
} balls;

static inline v3 center_of(const shape_place *place, const body_pose *M) {
  return m3_mul_add(M->R_GM, place->radius < INFINITY ? place->center_M : place->p_MS, M->p_GM);
}

/* The mean of those that belong to balls. */
typedef struct mean_of {
  v3 sum;
  int count;
} mean_of;

static inline void count_ball(mean_of *m, const shape_place *place, v3 x) {
  if (!(place->radius < INFINITY)) return;
  m->sum = v3_add(m->sum, x), m->count++;
}

static void see_from(const mean_of *m, int n, v3 *x) {
  const v3 middle = v3_scale(m->count > 0 ? 1.0 / m->count : 0, m->sum);
  for (int i = 0; i < n; i++) x[i] = v3_sub(x[i], middle);
}

static cdn_status find_balls(const contact_room *room, cdn_state *state, balls *b) {
  CDNI_TRY(cdni_state_ensure(state, room->places.ticket));
  const shape_place *places = cdni_state_storage(state, room->places);
  const shape *shapes = room->shapes.data;
  const body_pose *pose = cdni_matter_pose(room->matter, state);
  if (!pose) return cdni_state_last_status(state);
  mean_of centers = { v3_zero(), 0 }, rates = centers;
  for (int i = 0; i < b->n; i++) {
    b->center[i] = center_of(&places[i], &pose[shapes[i].body]);
    count_ball(&centers, &places[i], b->center[i]);
  }
  if (b->rate) {
    CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
    const body_twist *twist = cdni_matter_twist(room->matter, state);
    for (int i = 0; i < b->n; i++) {
      const int body = shapes[i].body;
      b->rate[i] = sv_shift_motion(twist[body].V, v3_sub(b->center[i], pose[body].p_GM)).v;
      count_ball(&rates, &places[i], b->rate[i]);
    }
    see_from(&rates, b->n, b->rate);
  }
  see_from(&centers, b->n, b->center);
  return CDN_OK;
}

/* ---- asking ---- */

/* The part of the time that is asked for that is looked back: the last step. */
static const double BACK = 0.25;

static bool near_lines(const quiet_list *q, const balls *b, double since, double reach) {
  const quiet_line *line = (const quiet_line *)(q + 1);
  for (int i = 0; i < b->n; i++) {
    const v3 off = v3_sub(b->center[i], v3_fma(since, line[i].rate, line[i].center));
    double free = line[i].free;
    if (b->rate) {
      const v3 more = v3_sub(b->rate[i], line[i].rate);
      free -= reach * sqrt(v3_dot(more, more));
    }
    if (!(free > 0 && v3_dot(off, off) < free * free)) return false;
  }
  return true;
}

static cdn_status with_balls(const contact_room *room, cdn_state *state, bool rates, balls *b) {
  b->n = (int)room->shapes.count;
  b->center = cdn_work_push(state, (rates ? 2 : 1) * (size_t)b->n * sizeof(v3));
  if (!b->center) return CDN_ERR_NOMEM;
  b->rate = rates ? b->center + b->n : NULL;
  const cdn_status status = find_balls(room, state, b);
  if (status != CDN_OK) cdn_work_pop(state, b->center);
  return status;
}

cdn_status cdni_contact_is_quiet(const contact_room *room, cdn_state *state, double reach, bool *quiet) {
  balls b;
  *quiet = false;
  CDNI_TRY(cdni_state_ensure(state, room->vicinity.ticket));
  quiet_list *q = cdni_contact_quiet_list(room, state);
  const double since = cdni_state_time_for_reuse(state) - q->time;
  if (!(q->span > 0 && since + reach <= q->span && since - BACK * reach >= -q->back)) return CDN_OK;
  CDNI_TRY(with_balls(room, state, reach > 0, &b));
  *quiet = near_lines(q, &b, since, reach);
  cdn_work_pop(state, b.center);
  return CDN_OK;
}

/* ---- making ---- */

/* Beyond its path within the span, each ball is looked at with so much of its radius around it. */
static const double AROUND = 1;
/* Spans, over the time that is asked for. */
static const double SPANS[] = { 256, 64, 16, 4, 1.5 }, ROUNDED = 1e-9;

typedef struct sight {
  const contact_room *room;
  const shape_place *places;
  const body_pose *pose;
  const double *enabled;
  const balls *b;
  double back, span;
} sight;

static bool accept(const void *context, int i, int j) {
  const sight *s = context;
  return s->enabled[i] != 0 && s->enabled[j] != 0 && cdni_contact_accepts(s->room, i, j);
}

static void make_box(const sight *s, int i, cdni_box *box) {
  const v3 *c = &s->b->center[i], *v = &s->b->rate[i];
  const double r = s->places[i].radius, center[3] = { c->x, c->y, c->z }, rate[3] = { v->x, v->y, v->z };
  for (int k = 0; k < 3; k++) {
    const double by = (1 + AROUND) * r; /* a half-space: everything */
    box->least[k] = center[k] - by + fmin(-s->back * rate[k], s->span * rate[k]);
    box->most[k] = center[k] + by + fmax(-s->back * rate[k], s->span * rate[k]);
  }
}

/* Whether boxes are expected to overlap with far more others than there is room for, were they anywhere in the box around all. */
/* Shapes that fly together overlap with fewer than that. */
enum { CROWDED = 2 };

static bool crowded(const sight *s, const cdni_box *box, int most) {
  double least[3] = { HUGE_VAL, HUGE_VAL, HUGE_VAL }, end[3] = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL }, mean[3] = { 0 };
  double overlaps = 0;
  for (int i = 0; i < s->b->n; i++)
    for (int k = 0; s->places[i].radius < INFINITY && k < 3; k++) {
      least[k] = fmin(least[k], box[i].least[k]), end[k] = fmax(end[k], box[i].most[k]);
      mean[k] += (box[i].most[k] - box[i].least[k]) / s->b->n;
    }
  for (int i = 0; i < s->b->n; i++) {
    double part = 1;
    for (int k = 0; s->places[i].radius < INFINITY && k < 3; k++)
      part *= fmin(1, (box[i].most[k] - box[i].least[k] + mean[k]) / (end[k] - least[k]));
    overlaps += 0.5 * part * s->b->n;
  }
  return !(overlaps <= most);
}

/* The least gap of two balls, or of a ball and a half-space of Ground, on their lines. */
static double least_gap(const sight *s, int i, int j) {
  const shape_place *places = s->places;
  const v3 d = v3_sub(s->b->center[j], s->b->center[i]), w = v3_sub(s->b->rate[j], s->b->rate[i]);
  const bool end_i = places[i].radius < INFINITY, end_j = places[j].radius < INFINITY;
  if (end_i && end_j) {
    const double square = v3_dot(w, w), at = square > 0 ? -v3_dot(d, w) / square : 0;
    const v3 least = v3_fma(fmax(fmin(at, s->span), -s->back), w, d);
    return sqrt(v3_dot(least, least)) - places[i].radius - places[j].radius;
  }
  if (end_i == end_j) return 0;
  const int flat = end_i ? j : i, ball = end_i ? i : j;
  if (places[flat].geometry.kind != CDN_GEOMETRY_HALF_SPACE || s->room->group[shape_body(s->room, flat)] != 0) return 0;
  const v3 n = m3_mul(s->pose[shape_body(s->room, flat)].R_GM, places[flat].R_MS.z);
  const double sign = ball == j ? 1 : -1, height = sign * v3_dot(n, d), rate = sign * v3_dot(n, w);
  return height + fmin(-s->back * rate, s->span * rate) - places[ball].radius;
}

/* False: some shapes come too near to each other. */
static bool find_free(const sight *s, int n_pairs, const int32_t *pairs, quiet_line *line) {
  for (int i = 0; i < s->b->n; i++) {
    const double r = s->places[i].radius;
    line[i] = (quiet_line){ s->b->center[i], s->b->rate[i], r < INFINITY ? AROUND * r : HUGE_VAL };
  }
  for (int k = 0; k < n_pairs; k++) {
    const int i = pairs[2 * k], j = pairs[2 * k + 1];
    const double part = 0.499 * least_gap(s, i, j); /* the rest is for rounding */
    line[i].free = fmin(line[i].free, part), line[j].free = fmin(line[j].free, part);
    if (!(part > 0)) return false;
  }
  return true;
}

static cdn_status make(const contact_room *room, cdn_state *state, const balls *b, double reach, quiet_list *q) {
  const int room_for = 8 * b->n;
  const size_t boxes = (size_t)b->n * sizeof(cdni_box), size = boxes + cdni_broad_size(b->n);
  sight s = { .room = room,
              .places = cdni_state_storage(state, room->places),
              .pose = cdni_matter_pose(room->matter, state),
              .enabled = cdn_state_parameters(state, room->enabled),
              .b = b,
              .back = (1 + ROUNDED) * BACK * reach };
  char *work = cdn_work_push(state, size + 2 * (size_t)room_for * sizeof(int32_t));
  if (!work) return CDN_ERR_NOMEM;
  int32_t *pairs = (int32_t *)(void *)(work + size);
  q->span = 0, q->back = s.back;
  for (int k = 0; k < CDNI_COUNT(SPANS) && q->span == 0; k++) {
    cdni_box *box = (cdni_box *)(void *)work;
    s.span = SPANS[k] * reach;
    for (int i = 0; i < b->n; i++) make_box(&s, i, &box[i]);
    if (crowded(&s, box, CROWDED * room_for)) continue;
    const int n = cdni_broad_pairs(b->n, box, accept, &s, room_for, pairs, work + boxes);
    if (n <= room_for && find_free(&s, n, pairs, (quiet_line *)(q + 1))) q->span = s.span;
  }
  cdn_work_pop(state, work);
  return CDN_OK;
}

/* Where shapes always are near each other, the search is made ever less often. */
enum { MOST_WAIT = 64 };

cdn_status cdni_contact_make_quiet(const contact_room *room, cdn_state *state, double reach, bool *quiet) {
  quiet_list *q = cdni_contact_quiet_list(room, state);
  balls b;
  *quiet = false;
  if (!(reach > 0) || q->wait-- > 0) return CDN_OK;
  CDNI_TRY(with_balls(room, state, true, &b));
  const cdn_status status = make(room, state, &b, reach, q);
  cdn_work_pop(state, b.center);
  CDNI_TRY(status);
  q->time = cdni_state_time_for_reuse(state);
  *quiet = q->span > 0;
  q->failures = *quiet ? 0 : q->failures + 1;
  q->wait = q->failures < 6 ? (1 << q->failures) - 1 : MOST_WAIT;
  return CDN_OK;
}
