/* How shapes move between two marks.
 *
 * A mark has, of each shape, its pose, the ball about it and its velocity at one time. Between two marks the middle of
 * a ball moves along a cubic, which lies within the hull of its four control points. A turn bends the path further: a
 * point at the distance L from the axis leaves the cubic by about x^4 / 384 L after a turn by x. As turns vary, four
 * times as much is allowed. The distance of two shapes varies by no more than the path of one middle as seen from the
 * other, and by turns of the shapes about their middles. */
#include <math.h>

#include "contact/entries.h"
#include "contact/search.h"
#include "contact/swept.h"
#include "matter/kinds.h"

/* ---- marks ---- */

/* Whether the origin of a body on Ground may move along a circle while the body turns. */
static bool swings(const tree_node *node) {
  const bool reversed = node->variant % 2 != 0;
  return reversed || cdni_kind_of(node)->swings;
}

/* What a body adds to the lever of those that it carries. */
static double lever_of(const tree_node *node, const body_pose *pose, int body) {
  const bool counts = node[body].parent > 0 || swings(&node[body]);
  return counts ? sqrt(v3_dot(pose[body].r, pose[body].r)) : 0;
}

double cdni_contact_lever(const contact_room *room, const body_pose *pose, int body) {
  const tree_node *node = room->matter->tree.node;
  double lever = 0;
  for (int b = body; b > 0; b = node[b].parent) lever += lever_of(node, pose, b);
  return lever;
}

/* The largest angular speed of each body and of those that carry it, and its lever; two numbers each. */
static void find_turns(const contact_room *room, const body_pose *pose, const body_twist *twist, double *turns) {
  const tree *t = &room->matter->tree;
  turns[0] = turns[1] = 0;
  for (int b = 1; b < t->n; b++) {
    const int parent = t->node[b].parent;
    const double square = v3_dot(twist[b].V.w, twist[b].V.w), before = turns[2 * parent];
    turns[2 * b] = square > before * before ? sqrt(square) : before;
    turns[2 * b + 1] = turns[2 * parent + 1] + lever_of(t->node, pose, b);
  }
}

double cdni_contact_bulge(double turn, double lever) {
  const double square = turn * turn, part = 0.01 * square * square;
  return (part < 2 ? part : 2) * lever;
}

size_t cdni_swept_mark_size(const void *self) { return (contact_of(self)->shapes.count + 1) * sizeof(shape_mark); }

cdn_status cdni_swept_mark(const void *self, cdn_state *state, void *to) {
  const contact_room *room = contact_of(self);
  shape_mark *marks = to;
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  const shape_place *places = cdni_state_storage(state, room->places);
  const shape_pose *poses = cdni_state_storage(state, room->poses);
  const body_pose *pose = cdni_matter_pose(room->matter, state);
  const body_twist *twist = cdni_matter_twist(room->matter, state);
  double *turns = cdn_work_push(state, 2 * (size_t)room->matter->tree.n * sizeof *turns);
  if (!turns) return CDN_ERR_NOMEM;
  find_turns(room, pose, twist, turns);
  const int n = (int)room->shapes.count;
  shape_mark *mean = &marks[n];
  int ending = 0;
  *mean = (shape_mark){ .turn = 0 };
  for (int i = 0; i < n; i++) {
    const int body = shape_body(room, i);
    const bool ends = places[i].radius < INFINITY;
    const v3 center = ends ? places[i].center_M : places[i].p_MS;
    const cdn_vec3 c = ends ? poses[i].center : poses[i].X_GS.p;
    const v3 arm = v3_sub(cdni_to_v3(c), pose[body].p_GM);
    shape_mark *m = &marks[i];
    m->X = poses[i].X_GS, m->c = c;
    m->v = cdni_from_v3(sv_shift_motion(twist[body].V, arm).v), m->w = cdni_from_v3(twist[body].V.w);
    m->turn = turns[2 * body], m->lever = turns[2 * body + 1] + sqrt(v3_dot(center, center));
    if (ends) mean->c = cdn_add(mean->c, m->c), mean->v = cdn_add(mean->v, m->v), ending++;
  }
  const double part = ending > 0 ? 1.0 / ending : 0;
  mean->c = cdn_scale(part, mean->c), mean->v = cdn_scale(part, mean->v);
  cdn_work_pop(state, turns);
  return CDN_OK;
}

/* ---- a path between two marks ---- */

/* What is too small for its square is nothing here. */
static double norm(cdn_vec3 a) { return sqrt(cdn_dot(a, a)); }

static path path_of(cdn_vec3 c0, cdn_vec3 v0, cdn_vec3 c1, cdn_vec3 v1, double h) {
  const double third = h / 3;
  path p = { .point = { c0, cdn_add(c0, cdn_scale(third, v0)), cdn_sub(c1, cdn_scale(third, v1)), c1 } };
  cdn_vec3 bend[2];
  for (int i = 0; i < 2; i++) bend[i] = cdn_add(cdn_sub(p.point[i], cdn_scale(2, p.point[i + 1])), p.point[i + 2]);
  /* what rates of higher order may add */
  p.off = 0.25 * (norm(bend[0]) + norm(bend[1]));
  return p;
}

static double bulge(const shape_mark *a, const shape_mark *b, double h) {
  return cdni_contact_bulge(h * larger(a->turn, b->turn), larger(a->lever, b->lever));
}

static double length_of(const path *p) {
  double length = 2 * p->off;
  for (int i = 0; i < 3; i++) length += norm(cdn_sub(p->point[i + 1], p->point[i]));
  return length;
}

double cdni_swept_against(const path *p, cdn_vec3 n, int from) {
  double least = 0;
  for (int i = 0; i < 4; i++) least = -larger(-least, -cdn_dot(n, cdn_sub(p->point[i], p->point[from])));
  return p->off - least;
}

/* The cubic at a part of the time. */
static cdn_vec3 point_at(const path *p, double x) {
  const double y = 1 - x, weight[4] = { y * y * y, 3 * x * y * y, 3 * x * x * y, x * x * x };
  cdn_vec3 c = { 0, 0, 0 };
  for (int i = 0; i < 4; i++) c = cdn_add(c, cdn_scale(weight[i], p->point[i]));
  return c;
}

bool cdni_swept_strays(const void *self, const void *a, const void *b, double h, double part, const void *m) {
  const contact_room *room = contact_of(self);
  const shape_mark *from = a, *to = b, *here = m;
  for (size_t i = 0; i < room->shapes.count; i++) {
    const path p = path_of(from[i].c, from[i].v, to[i].c, to[i].v, h);
    const double off = norm(cdn_sub(here[i].c, point_at(&p, part)));
    const double turn = 2 * fmax(from[i].turn, to[i].turn);
    if (off > p.off + bulge(&from[i], &to[i], h) + 1e-9 * norm(here[i].c) || h * here[i].turn > 0.1 + h * turn)
      return true;
  }
  return false;
}

/* ---- boxes ---- */

static double speed_of_turn(const shape_mark *a, const shape_mark *b) { return larger(norm(a->w), norm(b->w)); }

/* Turns of a ball about its own middle change nothing; of a shape without end, they move its surface past the other's
 * middle. */
static double turn_of(const shape_place *place, const shape_mark *a, const shape_mark *b, double h, double away) {
  if (place->geometry.kind == CDN_GEOMETRY_SPHERE) return 0;
  const double turned = h * speed_of_turn(a, b), angle = turned < 2 ? turned : 2;
  return angle > 0 ? angle * (place->radius < INFINITY ? place->radius : away) : 0;
}

/* At least the length of a vector, without a root. */
static double at_least(cdn_vec3 a) { return fabs(a.x) + fabs(a.y) + fabs(a.z); }

typedef double length(cdn_vec3 a);

/* The length of a path by c, from the speed v0 to v1, and how far it may be off. */
static double way_of(double h, cdn_vec3 c, cdn_vec3 v0, cdn_vec3 v1, length *of) {
  const cdn_vec3 first = cdn_scale(h / 3, v0), last = cdn_scale(h / 3, v1), middle = cdn_sub(c, cdn_add(first, last));
  const double bent = 0.5 * (of(cdn_sub(middle, first)) + of(cdn_sub(last, middle)));
  return of(first) + of(middle) + of(last) + bent;
}

/* What turns of a shape and of those that carry it add. */
static double added_by_turns(const shape_place *place, const shape_mark *a, const shape_mark *b, double h) {
  const double bulges = 2 * bulge(a, b, h);
  if (place->geometry.kind == CDN_GEOMETRY_SPHERE) return bulges;
  const double angle = h * larger(at_least(a->w), at_least(b->w));
  return angle > 0 ? bulges + smaller(angle, 2) * place->radius : bulges;
}

void cdni_swept_travels(const contact_room *room, const shape_place *places, const shape_mark *a, const shape_mark *b,
                        double h, bool tight, double *travel) {
  const size_t n = room->shapes.count;
  const cdn_vec3 moved = cdn_sub(b[n].c, a[n].c), v0 = a[n].v, v1 = b[n].v;
  for (size_t i = 0; i < n; i++)
    travel[i] = way_of(h, cdn_sub(cdn_sub(b[i].c, a[i].c), moved), cdn_sub(a[i].v, v0), cdn_sub(b[i].v, v1),
                       tight ? cdn_norm : at_least) +
                added_by_turns(&places[i], &a[i], &b[i], h);
}

double cdni_swept_travel_of_pair(const shape_place *places, const int both[2], const shape_mark *a, const shape_mark *b,
                                 double h) {
  const int i = both[0], j = both[1];
  const cdn_vec3 c = cdn_sub(cdn_sub(b[j].c, b[i].c), cdn_sub(a[j].c, a[i].c));
  return way_of(h, c, cdn_sub(a[j].v, a[i].v), cdn_sub(b[j].v, b[i].v), at_least) +
         added_by_turns(&places[i], &a[i], &b[i], h) + added_by_turns(&places[j], &a[j], &b[j], h);
}

/* ---- pairs ---- */

pair_motion cdni_swept_pair(const shape_place *places, const int both[2], const shape_mark *a, const shape_mark *b,
                            double h) {
  const int i = both[0], j = both[1];
  const cdn_vec3 c0 = cdn_sub(a[j].c, a[i].c), c1 = cdn_sub(b[j].c, b[i].c);
  pair_motion m = { .p = path_of(c0, cdn_sub(a[j].v, a[i].v), c1, cdn_sub(b[j].v, b[i].v), h) };
  m.p.off += bulge(&a[i], &b[i], h) + bulge(&a[j], &b[j], h);
  const double away = larger(norm(c0), norm(c1));
  m.turned = turn_of(&places[i], &a[i], &b[i], h, away) + turn_of(&places[j], &a[j], &b[j], h, away);
  m.length = length_of(&m.p) + m.turned;
  for (int k = 0; k < 2; k++)
    if (places[both[k]].geometry.kind != CDN_GEOMETRY_SPHERE) m.angle += h * speed_of_turn(&a[both[k]], &b[both[k]]);
  m.depth = fmin(places[i].depth, places[j].depth);
  m.size = fmin(places[i].radius, places[j].radius);
  m.convex = kind_of(&places[i].geometry)->is_convex && kind_of(&places[j].geometry)->is_convex;
  for (int k = 0; k < 2; k++)
    m.flat = m.flat || (places[both[k]].geometry.kind == CDN_GEOMETRY_HALF_SPACE &&
                        h * speed_of_turn(&a[both[k]], &b[both[k]]) <= CDNI_WIDE);
  return m;
}

/* A point at the distance r from the middle turns along an arc, which leaves its chord by about x^2 / 8 r after a turn
 * by x, and by as much as the rate of turns varies. Four times as much is allowed. */
static double arc(const shape_place *place, const shape_mark *a, const shape_mark *b, double h) {
  if (place->geometry.kind == CDN_GEOMETRY_SPHERE) return 0;
  const double angle = h * speed_of_turn(a, b), bent = angle * angle + h * norm(cdn_sub(b->w, a->w));
  return bent > 0 ? 0.5 * bent * place->radius : 0;
}

/* How far the plane parts them at a mark. A half-space has a reach along its own normal only, which is n there. */
static double gap_along(const shape_place *places, const int both[2], const shape_mark *at, cdn_vec3 n) {
  double gap = 0;
  for (int k = 0; k < 2; k++) {
    const shape_mark *mark = &at[both[k]];
    const cdn_geometry *g = &places[both[k]].geometry;
    const cdn_vec3 out = k ? cdn_scale(-1, n) : n;
    gap -= g->kind == CDN_GEOMETRY_HALF_SPACE ? cdn_dot(out, mark->X.p) : cdni_reach_along(g, &mark->X, out);
  }
  return gap;
}

/* How far paths along n leave their chord at most, by the middles of the shapes. */
static double bend_along(const pair_motion *m, cdn_vec3 n) {
  double along[4];
  for (int k = 0; k < 4; k++) along[k] = cdn_dot(n, m->p.point[k]);
  const double third = (along[3] - along[0]) / 3;
  return m->p.off + larger(0, larger(along[0] + third - along[1], along[0] + 2 * third - along[2]));
}

/* How far points of the other shape leave their chord as seen from shape k, which turns: by their own turns, and by
 * what centrifugal, Euler's and Coriolis' terms add. For a shape without end that turns, there is no bound. */
static double bend_seen_from(const pair_motion *m, const shape_place *places, const int both[2], const shape_mark *a,
                             const shape_mark *b, double h, int k) {
  const int i = both[k], other = both[1 - k];
  const double own = arc(&places[other], &a[other], &b[other], h), angle = h * speed_of_turn(&a[i], &b[i]);
  if (!(places[other].radius < INFINITY)) return own + angle > 0 ? INFINITY : 0;
  const double away = larger(norm(m->p.point[0]), norm(m->p.point[3])) + m->length + places[other].radius;
  const double bent = angle * angle + h * norm(cdn_sub(b[i].w, a[i].w));
  return own + 0.5 * bent * away + angle * m->length;
}

/* Each point of b as seen from each of a moves along n from its first to its last place on that line, but for what
 * bends its path. The plane may stand still, or turn with one of the shapes. */
bool cdni_swept_beside(const pair_motion *m, const shape_place *places, const int both[2], const shape_mark *a,
                       const shape_mark *b, double h, cdn_vec3 n, double gap) {
  if (!(gap > 0) || !m->convex) return false;
  const double along = bend_along(m, n);
  double bent = along;
  for (int k = 0; k < 2; k++) bent += arc(&places[both[k]], &a[both[k]], &b[both[k]], h);
  if (gap > bent && gap_along(places, both, a, n) > bent) return true;
  const double here = gap_along(places, both, b, n);
  for (int k = 0; k < 2; k++) {
    const cdn_vec3 before = cdn_rotate(a[both[k]].X.R, cdn_rotate_inv(b[both[k]].X.R, n));
    bent = along + bend_seen_from(m, places, both, a, b, h, k);
    if (here > bent && gap_along(places, both, a, before) > bent) return true;
  }
  return false;
}
