/* Times in which nothing can touch. For a System whose shapes are apart, the balls about the shapes are followed along
 * straight lines from some time on, forth and back, and each shape is told how far it may be from its line: half of the
 * least gap that it has to others in the span of time. While every ball is as near to its line as that, no two shapes
 * touch, and neither poses of shapes nor pairs are looked at. That is a fact of geometry: it does not matter how the
 * State has come to its pose.
 *
 * Lines are seen from the middle of all balls, so that what falls together is clear for long. */
#include <math.h>

#include "contact/entries.h"
#include "contact/pairs.h"
#include "contact/room.h"
#include "contact/search.h"

/* Seen from a point that moves by a t^2 / 2 from `time` on, a the acceleration that the shapes have in common, the
 * balls are near their lines: what falls together is clear for long. */
typedef struct clearance_list {
  double time, back, span; /* from time - back to time + span; 0: there is none */
  int64_t count, id;       /* of the lists that this State has had, and this one's: no two lists have the same */
  bool turns;              /* a ball is off the axis of its body's turns */
  v3 acceleration;         /* as the last State had it in which balls were looked at twice */
  int32_t failures, wait;
} clearance_list;
/* `free`: how far the ball may be from its line. A half-space has no ball, and is where its frame is: only those of
 * Ground can be clear. */
typedef struct clearance_line {
  v3 center, rate;
  double free;
  double lever;         /* about axes of turns */
  v3 center_M;          /* on its body M */
  int32_t body, counts; /* counts: as one ball in means */
} clearance_line;

size_t cdni_contact_clearance_size(int n) { return sizeof(clearance_list) + (size_t)n * sizeof(clearance_line); }
void cdni_contact_clearance_forget(void *bytes) { memset(bytes, 0, sizeof(clearance_list)); }
static clearance_line *lines_of(clearance_list *q) { return (clearance_line *)(q + 1); }

/* ---- asking ---- */

/* The part of the time that is asked for that is looked back: the last step. */
static const double BACK = 0.25;

typedef struct looking {
  int n;
  const clearance_line *line;
  const body_pose *pose;
  const body_twist *twist; /* NULL: no rates */
  double since, reach;
  double turn; /* the largest angle by which a body turns; 0: nothing that turns has a lever */
} looking;

static inline v3 ball_center(const clearance_line *l, const body_pose *pose) {
  return m3_mul_add(pose[l->body].R_GM, l->center_M, pose[l->body].p_GM);
}
static inline v3 ball_rate(const clearance_line *l, const body_pose *pose, const body_twist *twist, v3 center) {
  return sv_shift_motion(twist[l->body].V, v3_sub(center, pose[l->body].p_GM)).v;
}

/* How far a ball is from its line, and how fast it leaves it. */
static inline v3 deviation(const looking *k, const clearance_line *l, v3 *leaving) {
  const v3 center = ball_center(l, k->pose);
  *leaving = k->twist ? v3_sub(ball_rate(l, k->pose, k->twist, center), l->rate) : v3_zero();
  return v3_sub(center, v3_fma(k->since, l->rate, l->center));
}

/* Whether all balls are and stay near their lines, as seen from a point that is at `shift` and moves at `rate`. */
static bool near_lines(const looking *k, v3 shift, v3 rate) {
  for (int i = 0; i < k->n; i++) {
    v3 leaving;
    const v3 off = v3_sub(deviation(k, &k->line[i], &leaving), shift);
    const double square = v3_dot(off, off);
    double free = k->line[i].free;
    if (k->turn > 0) free -= cdni_contact_bulge(k->turn, k->line[i].lever);
    if (!(free > 0 && square < free * free)) return false;
    if (!k->twist) continue;
    leaving = v3_sub(leaving, rate);
    /* (a + b)^2 <= 2 (a^2 + b^2) spares the roots of most */
    const double more = k->reach * k->reach * v3_dot(leaving, leaving);
    if (2 * (square + more) < free * free) continue;
    if (!(sqrt(square) + sqrt(more) < free)) return false;
  }
  return true;
}

/* The means of what belongs to balls. */
static void mean_deviation(const looking *k, v3 *shift, v3 *rate) {
  int count = 0;
  *shift = *rate = v3_zero();
  for (int i = 0; i < k->n; i++) {
    v3 leaving;
    const v3 off = deviation(k, &k->line[i], &leaving);
    if (!k->line[i].counts) continue;
    *shift = v3_add(*shift, off), *rate = v3_add(*rate, leaving), count++;
  }
  const double part = count > 0 ? 1.0 / count : 0;
  *shift = v3_scale(part, *shift), *rate = v3_scale(part, *rate);
}

static bool is_near(const looking *k, clearance_list *q) {
  v3 shift = v3_scale(0.5 * k->since * k->since, q->acceleration), rate = v3_scale(k->since, q->acceleration);
  if (near_lines(k, shift, rate)) return true;
  mean_deviation(k, &shift, &rate);
  if (!near_lines(k, shift, rate)) return false;
  if (k->since != 0) q->acceleration = v3_scale(2 / (k->since * k->since), shift);
  return true;
}

/* Of all bodies. */
static double largest_turn(const contact_room *room, const body_twist *twist) {
  double square = 0;
  for (int i = 1; i < room->matter->tree.n; i++) square = fmax(square, v3_dot(twist[i].V.w, twist[i].V.w));
  return sqrt(square);
}

cdn_status cdni_contact_is_clear(const contact_room *room, cdn_state *state, double reach, double turn, int64_t *id) {
  *id = 0;
  CDNI_TRY(cdni_state_ensure(state, room->vicinity.ticket));
  clearance_list *q = cdni_contact_clearance_list(room, state);
  const double since = cdni_state_time_for_reuse(state) - q->time;
  if (!(q->span > 0 && since + reach <= q->span && since - BACK * reach >= -q->back)) return CDN_OK;
  looking k = { .n = (int)room->shapes.count, .line = lines_of(q), .since = since, .reach = reach };
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  k.pose = cdni_matter_pose(room->matter, state);
  if (reach > 0) {
    CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
    k.twist = cdni_matter_twist(room->matter, state);
    if (q->turns) k.turn = turn * largest_turn(room, k.twist);
  }
  if (is_near(&k, q)) *id = q->id;
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
  int n;
  clearance_line *line;
  v3 center, rate; /* the means of all balls: boxes are seen from there */
  double back, span;
} sight;

/* The lines that the balls begin now. */
static cdn_status draw_lines(sight *s, cdn_state *state, bool *turns) {
  CDNI_TRY(cdni_state_ensure(state, s->room->places.ticket));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  const shape_place *places = s->places = cdni_state_storage(state, s->room->places);
  const body_pose *pose = s->pose = cdni_matter_pose(s->room->matter, state);
  const body_twist *twist = cdni_matter_twist(s->room->matter, state);
  int count = 0;
  *turns = false;
  for (int i = 0; i < s->n; i++) {
    const bool counts = places[i].radius < INFINITY;
    clearance_line *l = &s->line[i];
    l->body = shape_body(s->room, i), l->counts = counts;
    l->center_M = counts ? places[i].center_M : places[i].p_MS;
    l->center = ball_center(l, pose);
    l->rate = ball_rate(l, pose, twist, l->center);
    l->lever = sqrt(v3_dot(l->center_M, l->center_M)) + cdni_contact_lever(s->room, pose, l->body);
    *turns = *turns || (l->body > 0 && l->lever > 0);
    if (!counts) continue;
    s->center = v3_add(s->center, l->center), s->rate = v3_add(s->rate, l->rate), count++;
  }
  const double part = count > 0 ? 1.0 / count : 0;
  s->center = v3_scale(part, s->center), s->rate = v3_scale(part, s->rate);
  return CDN_OK;
}

static bool accept(const void *context, int i, int j) {
  const sight *s = context;
  return s->enabled[i] != 0 && s->enabled[j] != 0 && cdni_contact_accepts(s->room, i, j);
}

static void make_box(const sight *s, int i, cdni_box *box) {
  const v3 c = v3_sub(s->line[i].center, s->center), v = v3_sub(s->line[i].rate, s->rate);
  const double r = s->places[i].radius, center[3] = { c.x, c.y, c.z }, rate[3] = { v.x, v.y, v.z };
  for (int k = 0; k < 3; k++) {
    const double by = (1 + AROUND) * r; /* a half-space: everything */
    box->least[k] = center[k] - by + fmin(-s->back * rate[k], s->span * rate[k]);
    box->most[k] = center[k] + by + fmax(-s->back * rate[k], s->span * rate[k]);
  }
}

/* Whether boxes are expected to overlap with far more others than there is room for, were they anywhere in the box
 * around all. */
/* Shapes that fly together overlap with fewer than that. */
enum { CROWDED = 2 };

static bool crowded(const sight *s, const cdni_box *box, int most) {
  double least[3] = { HUGE_VAL, HUGE_VAL, HUGE_VAL }, end[3] = { -HUGE_VAL, -HUGE_VAL, -HUGE_VAL }, mean[3] = { 0 };
  double overlaps = 0;
  for (int i = 0; i < s->n; i++)
    for (int k = 0; s->places[i].radius < INFINITY && k < 3; k++) {
      least[k] = fmin(least[k], box[i].least[k]), end[k] = fmax(end[k], box[i].most[k]);
      mean[k] += (box[i].most[k] - box[i].least[k]) / s->n;
    }
  for (int i = 0; i < s->n; i++) {
    double part = 1;
    for (int k = 0; s->places[i].radius < INFINITY && k < 3; k++)
      part *= fmin(1, (box[i].most[k] - box[i].least[k] + mean[k]) / (end[k] - least[k]));
    overlaps += 0.5 * part * s->n;
  }
  return !(overlaps <= most);
}

/* The least gap of two balls, or of a ball and a half-space of Ground, on their lines. */
static double least_gap(const sight *s, int i, int j) {
  const shape_place *places = s->places;
  const v3 d = v3_sub(s->line[j].center, s->line[i].center), w = v3_sub(s->line[j].rate, s->line[i].rate);
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
static bool find_free(const sight *s, int n_pairs, const int32_t *pairs) {
  clearance_line *line = s->line;
  for (int i = 0; i < s->n; i++) line[i].free = line[i].counts ? AROUND * s->places[i].radius : HUGE_VAL;
  for (int k = 0; k < n_pairs; k++) {
    const int i = pairs[2 * k], j = pairs[2 * k + 1];
    const double part = 0.499 * least_gap(s, i, j); /* the rest is for rounding */
    line[i].free = fmin(line[i].free, part), line[j].free = fmin(line[j].free, part);
    if (!(part > 0)) return false;
  }
  return true;
}

static cdn_status make(const contact_room *room, cdn_state *state, double reach, clearance_list *q) {
  const int count = (int)room->shapes.count, room_for = 8 * count;
  const size_t boxes = (size_t)count * sizeof(cdni_box), size = boxes + cdni_broad_size(count);
  sight s = { .room = room,
              .enabled = cdn_state_parameters(state, room->enabled),
              .n = count,
              .line = lines_of(q),
              .back = (1 + ROUNDED) * BACK * reach };
  q->span = 0, q->back = s.back;
  CDNI_TRY(draw_lines(&s, state, &q->turns));
  char *work = cdn_work_push(state, size + 2 * (size_t)room_for * sizeof(int32_t));
  if (!work) return CDN_ERR_NOMEM;
  int32_t *pairs = (int32_t *)(void *)(work + size);
  for (int k = 0; k < CDNI_COUNT(SPANS) && q->span == 0; k++) {
    cdni_box *box = (cdni_box *)(void *)work;
    s.span = SPANS[k] * reach;
    for (int i = 0; i < count; i++) make_box(&s, i, &box[i]);
    if (crowded(&s, box, CROWDED * room_for)) continue;
    const int n = cdni_broad_pairs(count, box, accept, &s, room_for, pairs, work + boxes);
    if (n <= room_for && find_free(&s, n, pairs)) q->span = s.span;
  }
  cdn_work_pop(state, work);
  return CDN_OK;
}

/* The gap of two balls, or of a ball and a half-space, now. */
static double gap_now(const shape_place *places, const shape_pose *poses, int i, int j) {
  const cdn_vec3 d = cdn_sub(poses[j].center, poses[i].center);
  const double radii = places[i].radius + places[j].radius;
  if (radii < INFINITY) return sqrt(cdn_dot(d, d)) - radii;
  const int flat = places[i].radius < INFINITY ? j : i, ball = flat == j ? i : j;
  if (places[flat].geometry.kind != CDN_GEOMETRY_HALF_SPACE || !(places[ball].radius < INFINITY)) return 0;
  const cdn_vec3 above = cdn_sub(poses[ball].center, poses[flat].X_GS.p);
  return cdn_dot(poses[flat].X_GS.R.z, above) - places[ball].radius;
}

/* Whether some neighbours' balls touch, so that no time is clear. */
static cdn_status any_touch(const contact_room *room, cdn_state *state, bool *any) {
  const int32_t *pairs;
  int n;
  *any = false;
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  const shape_place *places = cdni_state_storage(state, room->places);
  const shape_pose *poses = cdni_state_storage(state, room->poses);
  cdni_contact_last_neighbours(room, state, &pairs, &n);
  for (int k = 0; k < n && !*any; k++) *any = !(gap_now(places, poses, pairs[2 * k], pairs[2 * k + 1]) > 0);
  return CDN_OK;
}

/* Where shapes always are near each other, the search is made ever less often. */
enum { MOST_WAIT = 64 };

cdn_status cdni_contact_find_clearance(const contact_room *room, cdn_state *state, double reach, double turn,
                                       int64_t *id) {
  clearance_list *q = cdni_contact_clearance_list(room, state);
  *id = 0;
  if (!(reach > 0) || q->wait-- > 0) return CDN_OK;
  bool any;
  CDNI_TRY(any_touch(room, state, &any));
  q->span = 0;
  if (!any) CDNI_TRY(make(room, state, reach, q));
  q->time = cdni_state_time_for_reuse(state);
  memcpy(&q->id, &q->time, sizeof q->id);
  q->id = (q->id & (INT64_MAX >> 1)) + ++q->count;
  CDNI_TRY(cdni_contact_is_clear(room, state, reach, turn, id));
  q->failures = *id > 0 ? 0 : q->failures + 1;
  q->wait = q->failures < 6 ? (1 << q->failures) - 1 : MOST_WAIT;
  return CDN_OK;
}
