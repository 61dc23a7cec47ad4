/* Where forces of contact bend: where two shapes begin or cease to touch, and where a contact that is pulled apart lets
 * go. Steps end there. Pairs that are far apart cost nothing but their place in the broad phase: a pair whose boxes do
 * not meet within the time that is asked for, if the shapes go on as they move now, is not looked at. */
#include <math.h>

#include <cardan/operators.h>

#include "contact/entries.h"
#include "contact/law_kinds.h"
#include "contact/laws.h"
#include "contact/materials.h"
#include "contact/motion.h"
#include "contact/near.h"
#include "contact/room.h"
#include "contact/search.h"
#include "contact/touch.h"

/* Contacts of a pair that come and go one by one. */
enum { MOST_FEATURES = 2 };
static int features_of(const contact_law *law) { return law ? law->features : 1; }

/* The kinks of one contact, in the order of their keys. */
enum { TOUCHING, LETTING_GO, KINKS };

typedef struct view {
  const contact_room *room;
  const shape_place *places;
  const shape_pose *poses;
  const body_pose *pose;
  const body_twist *twist;
  const double *pair_numbers;
} view;

static cdn_status look_at(const contact_room *room, cdn_state *state, view *v) {
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  *v = (view){ .room = room,
               .places = cdni_state_storage(state, room->places),
               .poses = cdni_state_storage(state, room->poses),
               .pose = cdni_matter_pose(room->matter, state),
               .twist = cdni_matter_twist(room->matter, state),
               .pair_numbers = cdn_state_parameters(state, room->pair_numbers) };
  return CDN_OK;
}

static cdn_vec3 velocity(const view *v, int i, cdn_vec3 p) {
  return cdni_contact_velocity(v->pose, v->twist, shape_body(v->room, i), p);
}

/* ---- one pair ---- */

typedef struct couple {
  int32_t a, b;
  cdn_vec3 rate_a, rate_b; /* velocities of the centres of the balls about them */
} couple;

/* Rate at which b's point moves away from a's, along n. */
static double separation_rate(const view *v, const couple *c, cdn_vec3 p_a, cdn_vec3 p_b, cdn_vec3 n) {
  return cdn_dot(n, cdn_sub(velocity(v, c->b, p_b), velocity(v, c->a, p_a)));
}

/* Gap, and its rate, of two balls about the shapes; false: they are so near that the shapes themselves must be looked
 * at. */
static bool far_apart(const view *v, const couple *c, double *gap, double *rate) {
  const double radii = v->places[c->a].radius + v->places[c->b].radius;
  const cdn_vec3 d = cdn_sub(v->poses[c->b].center, v->poses[c->a].center);
  const double square = cdn_dot(d, d);
  if (!(square > 4 * radii * radii)) return false;
  const double length = sqrt(square);
  *gap = length - radii;
  *rate = cdn_dot(d, cdn_sub(c->rate_b, c->rate_a)) / length;
  return true;
}

/* A pair, one of its features, as laws see it. */
typedef struct contact_pair {
  touch_pair pair;
  cdn_geometry end; /* of a capsule, in its place */
  cdn_transform X_end;
} contact_pair;

static void find_pair(const view *v, const couple *c, int feature, contact_pair *p) {
  p->pair = touch_pair_of(v->room, v->places, v->poses, v->pair_numbers, c->a, c->b);
  if (features_of(p->pair.law) == 2) cdni_capsule_end(p->pair.g, p->pair.X, feature, &p->end, &p->X_end);
}

/* What presses where the pair touches: a law, and its numbers, of laws of the library but for a factor. */
typedef struct presser {
  const pressure_law *law;
  double numbers[CDN_LAW_NUMBERS];
} presser;

static bool presser_of(const touch_pair *pair, double dissipation, double depth, const cdn_proximity *near,
                       presser *out) {
  const contact_law *law = pair->law;
  touch t;
  if (!law) return false;
  *out = (presser){ pressure_at(pair->room, law->pressure), { 1, law->damping * dissipation } };
  if (law->damping > 0) return true;
  const cdn_transform X_b = pose_at_depth(pair, depth, near);
  touch_pair there = *pair;
  there.X[1] = &X_b;
  if (!law->touch || !law->touch(&there, -1, &t)) return false;
  out->law = pressure_at(pair->room, t.law);
  memcpy(out->numbers, t.numbers, sizeof out->numbers);
  return true;
}

/* The rate at which it lets go; NaN: it does not, or does not say so. */
static double lets_go(const presser *p) {
  cdn_law_bends bends = { .depth = NAN, .rate = NAN };
  if (p->law->bends) p->law->bends(p->numbers, &bends);
  return bends.rate;
}

/* The part by which it presses more at a rate. */
static double dissipated(const presser *p, double depth, double rate) {
  const double still = law_force(p->law, p->numbers, depth, 0);
  return still > 0 ? law_force(p->law, p->numbers, depth, rate) / still : 1;
}

/* Values, and the rate of the first of them; NaN: there is none. */
static void kinks_of(const view *v, const couple *c, int feature, double values[KINKS], double *rate) {
  contact_pair p;
  cdn_proximity near;
  double share;
  values[TOUCHING] = values[LETTING_GO] = *rate = NAN;
  if (far_apart(v, c, &values[TOUCHING], rate)) return;
  find_pair(v, c, feature, &p);
  if (!cdni_law_near(p.pair.law, p.pair.g, p.pair.X, &near, &share)) return;
  values[TOUCHING] = near.distance - cdni_law_reach(p.pair.law, p.pair.g[0], p.pair.g[1]);
  *rate = share * separation_rate(v, c, near.point_a, near.point_b, near.normal);
  if (near.distance >= 0) return;
  const combined_material m = cdni_combine_materials(&p.pair);
  const cdn_vec3 middle = cdn_add(near.point_a, cdn_scale(m.share_a * near.distance, near.normal));
  presser presses;
  if (!presser_of(&p.pair, m.dissipation, -near.distance, &near, &presses)) return;
  const double bend = lets_go(&presses);
  if (!isnan(bend)) values[LETTING_GO] = 1 + separation_rate(v, c, middle, middle, near.normal) / bend;
}

/* ---- those that are near ---- */

/* The shapes at any time from `reach` before to `reach` behind the State, if they go on as they move now; seen from
 * something that moves with all of them. */
typedef struct sweep {
  const cdni_box *boxes;
  cdn_vec3 *rates; /* of the balls' centres */
  cdn_vec3 mean;
  cdni_box *swept, *wide;
} sweep;

static void find_rates(const view *v, int n, sweep *w) {
  int count = 0;
  w->mean = cdn_v3(0, 0, 0);
  for (int i = 0; i < n; i++) {
    const cdni_box *b = &w->boxes[i];
    w->rates[i] = velocity(v, i, v->poses[i].center);
    const double size = fabs(b->least[0]) + fabs(b->least[1]) + fabs(b->least[2]) + fabs(b->most[0]) +
                        fabs(b->most[1]) + fabs(b->most[2]);
    if (!(size < HUGE_VAL)) continue;
    w->mean = cdn_add(w->mean, w->rates[i]);
    count++;
  }
  if (count > 0) w->mean = cdn_scale(1.0 / count, w->mean);
}

static void sweep_boxes(const view *v, int n, const sweep *w, double reach, cdni_box *to) {
  for (int i = 0; i < n; i++) {
    const cdn_vec3 rate = cdn_sub(w->rates[i], w->mean);
    const v3 spin = v->twist[shape_body(v->room, i)].V.w;
    const double turning = sqrt(v3_dot(spin, spin));
    const bool turns = turning > 0 && v->places[i].geometry.kind != CDN_GEOMETRY_SPHERE;
    const double turn = turns ? reach * turning * v->places[i].radius : 0;
    const double by[3] = { reach * fabs(rate.x) + turn, reach * fabs(rate.y) + turn, reach * fabs(rate.z) + turn };
    for (int k = 0; k < 3; k++) {
      to[i].least[k] = w->boxes[i].least[k] - by[k];
      to[i].most[k] = w->boxes[i].most[k] + by[k];
    }
  }
}

static const contact_law *law_of(const view *v, const couple *c) { return law_between(v->room, c->a, c->b); }

static int64_t key_of(const contact_room *room, int a, int b, int feature) {
  return (((int64_t)a * (int64_t)room->shapes.count + b) * MOST_FEATURES + feature) * KINKS;
}

static cdn_status list_pair(const view *v, const couple *c, double reach, cdni_near_list *out) {
  if (contact_model_of(v->room, c->a, c->b) != CDN_CONTACT_COMPLIANT) return CDN_OK;
  const int features = features_of(law_of(v, c));
  for (int i = 0; i < features; i++) {
    double values[KINKS], rate;
    kinks_of(v, c, i, values, &rate);
    const int64_t key = key_of(v->room, c->a, c->b, i);
    if (values[TOUCHING] <= 0 || fabs(values[TOUCHING]) <= reach * fabs(rate))
      CDNI_TRY(cdni_near_list_add(out, key + TOUCHING, values[TOUCHING], rate));
    if (!isnan(values[LETTING_GO])) CDNI_TRY(cdni_near_list_add(out, key + LETTING_GO, values[LETTING_GO], NAN));
  }
  return CDN_OK;
}

/* The list of neighbours is made for times this much longer, so that it holds for some steps. */
static const double LONGER = 2;

static cdn_status list_pairs(const view *v, cdn_state *state, const sweep *w, double reach, cdni_near_list *out) {
  const int n = (int)v->room->shapes.count;
  const int32_t *pairs;
  int n_pairs;
  sweep_boxes(v, n, w, reach, w->swept);
  sweep_boxes(v, n, w, LONGER * reach, w->wide);
  CDNI_TRY(cdni_contact_neighbours(v->room, state, w->boxes, w->swept, w->wide, reach, &pairs, &n_pairs));
  for (int k = 0; k < n_pairs; k++) {
    const couple c = { pairs[2 * k], pairs[2 * k + 1], w->rates[pairs[2 * k]], w->rates[pairs[2 * k + 1]] };
    if (boxes_overlap(&w->swept[c.a], &w->swept[c.b])) CDNI_TRY(list_pair(v, &c, reach, out));
  }
  return CDN_OK;
}

/* If too many pairs could meet within this time, those that could meet within a shorter one: of the others error
 * estimates see what they see. */
static cdn_status list_near(const void *self, cdn_state *state, double reach, cdni_near_list *out) {
  enum { TRIES = 20 };
  const contact_room *room = contact_of(self);
  const size_t n = room->shapes.count;
  view v;
  out->n = 0;
  CDNI_TRY(look_at(room, state, &v));
  char *frame = cdn_work_push(state, n * (2 * sizeof(cdni_box) + sizeof(cdn_vec3)));
  if (!frame) return CDN_ERR_NOMEM;
  sweep w = { .boxes = shape_boxes(room, v.poses), .swept = (cdni_box *)frame, .wide = (cdni_box *)frame + n };
  w.rates = (cdn_vec3 *)(w.wide + n);
  find_rates(&v, (int)n, &w);
  cdn_status status = CDN_ERR_LIMIT;
  for (int k = 0; k <= TRIES && status == CDN_ERR_LIMIT; k++, reach *= 0.25)
    status = list_pairs(&v, state, &w, k < TRIES ? reach : 0, out);
  cdn_work_pop(state, frame);
  return status;
}

/* The pair and the feature of a key. */
static couple couple_of(const view *v, int64_t key, int *feature) {
  const int64_t pair = key / KINKS / MOST_FEATURES, n = (int64_t)v->room->shapes.count;
  couple c = { .a = (int32_t)(pair / n), .b = (int32_t)(pair % n) };
  c.rate_a = velocity(v, c.a, v->poses[c.a].center);
  c.rate_b = velocity(v, c.b, v->poses[c.b].center);
  *feature = (int)(key / KINKS % MOST_FEATURES);
  return c;
}

static cdn_status calc_one(const void *self, cdn_state *state, int64_t key, double *value, double *rate) {
  view v;
  int feature;
  CDNI_TRY(look_at(contact_of(self), state, &v));
  const couple c = couple_of(&v, key, &feature);
  double values[KINKS];
  kinks_of(&v, &c, feature, values, rate);
  *value = values[key % KINKS];
  if (key % KINKS != TOUCHING) *rate = NAN;
  return CDN_OK;
}

cdn_status cdni_contact_touching_kink(const void *self, cdn_state *state, int a, int b, int64_t *key) {
  view v;
  CDNI_TRY(look_at(contact_of(self), state, &v));
  const couple c = { a, b, velocity(&v, a, v.poses[a].center), velocity(&v, b, v.poses[b].center) };
  double least = INFINITY;
  *key = key_of(v.room, a, b, 0) + TOUCHING;
  for (int i = 0; i < features_of(law_of(&v, &c)); i++) {
    double values[KINKS], rate;
    kinks_of(&v, &c, i, values, &rate);
    if (values[TOUCHING] < least) least = values[TOUCHING], *key = key_of(v.room, a, b, i) + TOUCHING;
  }
  return CDN_OK;
}

/* The generalized force f (nu) of a force on b and its opposite on a at the point p. */
static cdn_status push_apart(const view *v, cdn_state *state, const couple *c, cdn_vec3 p, cdn_vec3 force, double *f) {
  const cdn_body bodies[2] = { { shape_body(v->room, c->a) }, { shape_body(v->room, c->b) } };
  const cdn_vec3 forces[2] = { cdn_scale(-1, force), force };
  cdn_vec3 stations[2];
  for (int i = 0; i < 2; i++) {
    cdn_transform X_GB;
    CDNI_TRY(cdn_body_pose(state, bodies[i], &X_GB));
    stations[i] = cdn_rotate_inv(X_GB.R, cdn_sub(p, X_GB.p));
  }
  return cdn_multiply_by_station_J_transpose(state, 2, bodies, stations, forces, f);
}

/* A contact of the depth x, or one of the present depth that would pull with the part x of its elastic force; with
 * friction. */
static cdn_status calc_force(const void *self, cdn_state *state, int64_t key, double x, double *f, bool *known) {
  view v;
  int feature;
  contact_pair p;
  cdn_proximity near;
  double share;
  *known = false;
  CDNI_TRY(look_at(contact_of(self), state, &v));
  const couple c = couple_of(&v, key, &feature);
  find_pair(&v, &c, feature, &p);
  if (!cdni_law_near(p.pair.law, p.pair.g, p.pair.X, &near, &share)) return CDN_OK;
  const bool touching = key % KINKS == TOUCHING;
  double size =
      p.pair.law && p.pair.law->force ? p.pair.law->force(&p.pair, touching ? x : fmax(-near.distance, 0), &near) : NAN;
  if (isnan(size)) return CDN_OK;
  const combined_material m = cdni_combine_materials(&p.pair);
  const cdn_vec3 slip = cdn_sub(velocity(&v, c.b, near.point_a), velocity(&v, c.a, near.point_a));
  const double apart = cdn_dot(slip, near.normal);
  const cdn_vec3 across = cdn_sub(slip, cdn_scale(apart, near.normal));
  const double speed = cdn_norm(across);
  presser presses;
  if (touching && presser_of(&p.pair, m.dissipation, x, &near, &presses)) size *= dissipated(&presses, x, fabs(apart));
  if (!touching) size *= x;
  cdn_vec3 force = cdn_scale(size, near.normal);
  if (speed > 0) force = cdn_sub(force, cdn_scale(size * friction_most(m.friction, speed) / speed, across));
  *known = true;
  return push_apart(&v, state, &c, near.point_a, force, f);
}

const cdni_near_kinks cdni_contact_kinks = { list_near, calc_one, calc_force };
