/* What shapes do between two States of a step: whether two of them may meet there, and whether they have gone through
 * each other. All looks at what a step has swept come from here.
 *
 * A mark has, of each shape, the ball about it and its velocity at one time. Between two marks the middle of a ball
 * moves along a cubic, which lies within the hull of its four control points. A turn bends the path further: a point at
 * the distance L from the axis leaves the cubic by about x^4 / 384 L after a turn by x. As turns vary, four times as
 * much is allowed. The distance of two shapes varies by no more than the path of one middle as seen from the other, and
 * by turns of the shapes about their middles. */
#include <math.h>

#include "contact/entries.h"
#include "contact/law_kinds.h"
#include "contact/laws.h"
#include "contact/pairs.h"
#include "contact/room.h"
#include "contact/search.h"
#include "matter/kinds.h"

typedef struct shape_mark {
  cdn_vec3 c, v; /* the ball's middle, or the place of a shape without end */
  cdn_vec3 w;    /* of its body */
  double turn;   /* the largest angular speed of the bodies that carry it */
  double lever;  /* how far it may be from the axes of these turns */
} shape_mark;

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

static size_t mark_size(const void *self) { return contact_of(self)->shapes.count * sizeof(shape_mark); }

static cdn_status mark(const void *self, cdn_state *state, void *to) {
  const contact_room *room = contact_of(self);
  shape_mark *marks = to;
  CDNI_TRY(cdni_state_ensure(state, room->places.ticket));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  const shape_place *places = cdni_state_storage(state, room->places);
  const body_pose *pose = cdni_matter_pose(room->matter, state);
  const body_twist *twist = cdni_matter_twist(room->matter, state);
  double *turns = cdn_work_push(state, 2 * (size_t)room->matter->tree.n * sizeof *turns);
  if (!turns) return CDN_ERR_NOMEM;
  find_turns(room, pose, twist, turns);
  for (int i = 0; i < (int)room->shapes.count; i++) {
    const int body = shape_body(room, i);
    const v3 center = places[i].radius < INFINITY ? places[i].center_M : places[i].p_MS;
    const v3 arm = m3_mul(pose[body].R_GM, center);
    marks[i] = (shape_mark){ .c = cdni_from_v3(v3_add(arm, pose[body].p_GM)),
                             .v = cdni_from_v3(sv_shift_motion(twist[body].V, arm).v),
                             .w = cdni_from_v3(twist[body].V.w),
                             .turn = turns[2 * body],
                             .lever = turns[2 * body + 1] + sqrt(v3_dot(center, center)) };
  }
  cdn_work_pop(state, turns);
  return CDN_OK;
}

/* ---- a path between two marks ---- */

static double larger(double a, double b) { return a > b ? a : b; }
/* What is too small for its square is nothing here. */
static double norm(cdn_vec3 a) { return sqrt(cdn_dot(a, a)); }

typedef struct path {
  cdn_vec3 point[4]; /* control points */
  double off;        /* how far the true path may be from the cubic */
} path;

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

/* How far the path goes against n at most, from its point `from`. */
static double against(const path *p, cdn_vec3 n, int from) {
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

static bool strays(const void *self, const void *a, const void *b, double h, double part, const void *m) {
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

/* ---- pairs that may meet ---- */

static double speed_of_turn(const shape_mark *a, const shape_mark *b) { return larger(norm(a->w), norm(b->w)); }

/* Turns of a ball about its own middle change nothing; of a shape without end, they move its surface past the other's
 * middle. */
static double turn_of(const shape_place *place, const shape_mark *a, const shape_mark *b, double h, double away) {
  if (place->geometry.kind == CDN_GEOMETRY_SPHERE) return 0;
  const double turned = h * speed_of_turn(a, b), angle = turned < 2 ? turned : 2;
  return angle > 0 ? angle * (place->radius < INFINITY ? place->radius : away) : 0;
}

/* The mean of the shapes that have an end: boxes are seen from there. */
static void mean_of(const contact_room *room, const shape_place *places, const shape_mark *marks, cdn_vec3 *c,
                    cdn_vec3 *v) {
  int count = 0;
  *c = *v = cdn_v3(0, 0, 0);
  for (size_t i = 0; i < room->shapes.count; i++) {
    if (!(places[i].radius < INFINITY)) continue;
    *c = cdn_add(*c, marks[i].c), *v = cdn_add(*v, marks[i].v), count++;
  }
  const double part = count > 0 ? 1.0 / count : 0;
  *c = cdn_scale(part, *c), *v = cdn_scale(part, *v);
}

/* A box about the control points of a path. */
static cdni_box box_of_path(const path *p) {
  cdni_box box;
  for (int k = 0; k < 3; k++) {
    box.least[k] = INFINITY, box.most[k] = -INFINITY;
    for (int j = 0; j < 4; j++) {
      const double x = (&p->point[j].x)[k];
      box.least[k] = -larger(-box.least[k], -x), box.most[k] = larger(box.most[k], x);
    }
  }
  return box;
}

static cdni_box grown(const cdni_box *box, double by) {
  cdni_box out;
  for (int k = 0; k < 3; k++) out.least[k] = box->least[k] - by, out.most[k] = box->most[k] + by;
  return out;
}

/* Boxes about what each shape sweeps, as seen from the mean. ends: the boxes at b, which are closer about the shapes
 * than their balls are, and are where those are in Ground; NULL: not known. */
static void swept_boxes(const contact_room *room, const shape_place *places, const shape_mark *a, const shape_mark *b,
                        double h, const cdni_box *ends, cdni_box *boxes) {
  static const cdni_box everywhere = { { -INFINITY, -INFINITY, -INFINITY }, { INFINITY, INFINITY, INFINITY } };
  cdn_vec3 c0, v0, c1, v1;
  mean_of(room, places, a, &c0, &v0);
  mean_of(room, places, b, &c1, &v1);
  for (size_t i = 0; i < room->shapes.count; i++) {
    const double r = places[i].radius, turned = turn_of(&places[i], &a[i], &b[i], h, INFINITY);
    path p = path_of(cdn_sub(a[i].c, c0), cdn_sub(a[i].v, v0), cdn_sub(b[i].c, c1), cdn_sub(b[i].v, v1), h);
    p.off += bulge(&a[i], &b[i], h);
    const cdni_box around = box_of_path(&p);
    if (ends && turned < INFINITY) boxes[i] = grown(&ends[i], length_of(&p) + turned);
    else if (!ends && r < INFINITY) boxes[i] = grown(&around, r + p.off);
    else boxes[i] = everywhere;
  }
}

/* What is seen of a pair: what the law acts between; of a mesh with springs, its surface, too. */
enum { LAW, SURFACE, SIGHTS };

static int64_t key_of(const contact_room *room, int a, int b, int kind) {
  return ((int64_t)a * (int64_t)room->shapes.count + b) * SIGHTS + kind;
}
static void shapes_of(const contact_room *room, int64_t key, int both[2]) {
  const int64_t n = (int64_t)room->shapes.count, pair = key / SIGHTS;
  both[0] = (int)(pair / n), both[1] = (int)(pair % n);
}
static bool is_of_surface(int64_t key) { return key % SIGHTS == SURFACE; }

static void add_pair(const contact_room *room, const shape_place *places, int a, int b, cdni_sights *out) {
  const cdn_geometry *const g[2] = { &places[a].geometry, &places[b].geometry };
  const contact_law *law = room->law[g[0]->kind][g[1]->kind];
  const bool springs = law && law->near, surfaces = cdni_pair_is_supported(g[0], g[1]);
  if (surfaces || springs) out->sights[out->n++] = (cdni_sight){ .key = key_of(room, a, b, LAW) };
  if (surfaces && springs && fmin(cdni_largest_depth(g[0]), cdni_largest_depth(g[1])) < INFINITY)
    out->sights[out->n++] = (cdni_sight){ .key = key_of(room, a, b, SURFACE) };
}

static cdn_status add_pairs(const contact_room *room, const shape_place *places, const int32_t *pair, int n,
                            const cdni_box *boxes, cdni_sights *out) {
  CDNI_TRY(cdni_sights_reserve(out, out->n + SIGHTS * n));
  for (int k = 0; k < n; k++) {
    const int i = pair[2 * k], j = pair[2 * k + 1];
    if (boxes_overlap(&boxes[i], &boxes[j])) add_pair(room, places, i, j, out);
  }
  return CDN_OK;
}

/* By the list of neighbours, which holds for many steps. */
static cdn_status pairs_here(const contact_room *room, cdn_state *state, const void *a, const void *b, double h,
                             cdni_box *boxes, cdni_sights *out) {
  const shape_place *places = cdni_state_storage(state, room->places);
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  const cdni_box *ends = shape_boxes(room, cdni_state_storage(state, room->poses));
  const int32_t *found;
  int n;
  swept_boxes(room, places, a, b, h, ends, boxes);
  CDNI_TRY(cdni_contact_neighbours(room, state, ends, boxes, boxes, 0, &found, &n));
  return add_pairs(room, places, found, n, boxes, out);
}

static cdn_status pairs_between(const contact_room *room, cdn_state *state, const void *a, const void *b, double h,
                                cdni_box *boxes, cdni_sights *out) {
  const int n = (int)room->shapes.count;
  const shape_place *places = cdni_state_storage(state, room->places);
  const shapes_on f = { room, cdn_state_parameters(state, room->enabled) };
  swept_boxes(room, places, a, b, h, NULL, boxes);
  for (int room_for = 4 * n + 64;;) {
    char *work = cdn_work_push(state, cdni_broad_size(n) + 2 * (size_t)room_for * sizeof(int32_t));
    if (!work) return CDN_ERR_NOMEM;
    int32_t *found = (int32_t *)(void *)(work + cdni_broad_size(n));
    const int count = cdni_broad_pairs(n, boxes, cdni_contact_take_part, &f, room_for, found, work);
    cdn_status status = count <= room_for ? add_pairs(room, places, found, count, boxes, out) : CDN_OK;
    cdn_work_pop(state, work);
    if (status != CDN_OK || count <= room_for) return status;
    room_for = count;
  }
}

static cdn_status pairs(const void *self, cdn_state *state, const void *a, const void *b, double h, bool here,
                        cdni_sights *out) {
  const contact_room *room = contact_of(self);
  CDNI_TRY(cdni_state_ensure(state, room->places.ticket));
  cdni_box *boxes = cdn_work_push(state, room->shapes.count * sizeof *boxes);
  if (!boxes) return CDN_ERR_NOMEM;
  const cdn_status status = (here ? pairs_here : pairs_between)(room, state, a, b, h, boxes, out);
  cdn_work_pop(state, boxes);
  return status;
}

/* ---- one pair at one time ---- */

/* A graze that is shallower than this, over the depth of the pair, is nothing. */
static const double GRAZE = 1e-9;

/* How deep a solid is in a mesh, over its own depth, where a spring should long have pressed. */
static const double UNHELD = 0.9;

/* A solid that is smaller than the triangles of a mesh may get between two springs. Its surface says nothing else. */
static void look_at_surface(const cdn_geometry *const g[2], const cdn_transform *const X[2], double depth,
                            cdni_sight *sight) {
  cdn_proximity near;
  sight->graze = INFINITY; /* nothing sets in there */
  if (!cdni_pair_distance(g[0], X[0], g[1], X[1], INFINITY, &near)) return;
  sight->distance = near.distance;
  if (near.distance >= -UNHELD * depth) return;
  if (cdni_springs_near(g, X, &near) && near.distance < 0) sight->distance = -UNHELD * depth;
}

static cdn_status look(const void *self, cdn_state *state, cdni_sight *sight) {
  const contact_room *room = contact_of(self);
  int both[2];
  shapes_of(room, sight->key, both);
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  const shape_place *places = cdni_state_storage(state, room->places);
  const shape_pose *poses = cdni_state_storage(state, room->poses);
  const cdn_geometry *const g[2] = { &places[both[0]].geometry, &places[both[1]].geometry };
  const cdn_transform *const X[2] = { &poses[both[0]].X_GS, &poses[both[1]].X_GS };
  cdn_proximity near;
  double share;
  const double depth = fmin(cdni_largest_depth(g[0]), cdni_largest_depth(g[1]));
  const cdn_vec3 between = cdn_sub(poses[both[1]].center, poses[both[0]].center);
  sight->distance = INFINITY;
  sight->graze = GRAZE * fmin(depth, norm(between));
  memset(sight->normal, 0, sizeof sight->normal);
  if (is_of_surface(sight->key)) {
    look_at_surface(g, X, depth, sight);
    return CDN_OK;
  }
  if (!cdni_law_near(room, g, X, &near, &share)) return CDN_OK;
  sight->distance = near.distance - cdni_law_reach(room, g[0], g[1]);
  sight->normal[0] = near.normal.x, sight->normal[1] = near.normal.y, sight->normal[2] = near.normal.z;
  return CDN_OK;
}

/* How a pair moves between two marks: b as seen from a. */
typedef struct motion {
  path p;
  double turned, length; /* by how much turns and all motion change the distance, at most, m */
  double angle;
  double depth, size; /* of the smaller one */
  bool convex;
} motion;

static motion motion_of(const shape_place *places, const int both[2], const shape_mark *a, const shape_mark *b,
                        double h) {
  const int i = both[0], j = both[1];
  const cdn_vec3 c0 = cdn_sub(a[j].c, a[i].c), c1 = cdn_sub(b[j].c, b[i].c);
  motion m = { .p = path_of(c0, cdn_sub(a[j].v, a[i].v), c1, cdn_sub(b[j].v, b[i].v), h) };
  m.p.off += bulge(&a[i], &b[i], h) + bulge(&a[j], &b[j], h);
  const double away = larger(norm(c0), norm(c1));
  m.turned = turn_of(&places[i], &a[i], &b[i], h, away) + turn_of(&places[j], &a[j], &b[j], h, away);
  m.length = length_of(&m.p) + m.turned;
  m.angle = h * (speed_of_turn(&a[i], &b[i]) + speed_of_turn(&a[j], &b[j]));
  m.depth = fmin(cdni_largest_depth(&places[i].geometry), cdni_largest_depth(&places[j].geometry));
  m.size = fmin(places[i].radius, places[j].radius);
  m.convex = kind_of(&places[i].geometry)->is_convex && kind_of(&places[j].geometry)->is_convex;
  return m;
}

static cdn_vec3 normal_of(const cdni_sight *s) { return cdn_v3(s->normal[0], s->normal[1], s->normal[2]); }

/* Whether what is apart at y (and at x, if that is known) has been apart all the time. */
static bool stays_apart(const motion *m, const cdni_sight *x, const cdni_sight *y) {
  if (y->distance > m->length) return true;
  if (m->convex && y->distance - against(&m->p, normal_of(y), 3) - m->turned > 0) return true;
  if (!x) return false;
  if (x->distance + y->distance > m->length - 2 * y->graze) return true;
  return m->convex && x->distance - against(&m->p, normal_of(x), 0) - m->turned > 0;
}

/* Over the depth. */
static const double SHORT = 0.25;

static bool keeps_its_side(const motion *m) { return m->length < SHORT * m->depth; }

/* A plane across an axis of Ground between the boxes is as good as the nearest points. That two convex shapes are
 * farther apart than they move is known before their distance is. */
static cdn_status far(const void *self, cdn_state *state, const void *a, const void *b, double h, bool through,
                      int64_t key, bool *is_far) {
  const contact_room *room = contact_of(self);
  int both[2];
  *is_far = false;
  shapes_of(room, key, both);
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  const shape_place *places = cdni_state_storage(state, room->places);
  const shape_pose *poses = cdni_state_storage(state, room->poses);
  const cdni_box *boxes = shape_boxes(room, poses), *of_a = &boxes[both[0]], *of_b = &boxes[both[1]];
  cdni_sight sight = { .key = key, .distance = -INFINITY };
  for (int k = 0; k < 3; k++) {
    const double above = of_b->least[k] - of_a->most[k], below = of_a->least[k] - of_b->most[k];
    if (!(fmax(above, below) > sight.distance)) continue;
    sight.distance = fmax(above, below);
    memset(sight.normal, 0, sizeof sight.normal);
    sight.normal[k] = above > below ? 1 : -1;
  }
  const cdn_geometry *const g[2] = { &places[both[0]].geometry, &places[both[1]].geometry };
  const motion m = motion_of(places, both, a, b, h);
  const double reach = cdni_law_reach(room, g[0], g[1]);
  sight.distance -= reach;
  *is_far = sight.distance > 0 && ((through && keeps_its_side(&m)) || stays_apart(&m, NULL, &sight));
  if (*is_far || !m.convex) return CDN_OK;
  cdn_proximity near;
  *is_far = !cdni_pair_distance(g[0], &poses[both[0]].X_GS, g[1], &poses[both[1]].X_GS, m.length + reach, &near);
  return CDN_OK;
}

/* Of what moves by so little within a step, over its depth, errors of the step do not decide to which side it is
 * pushed. */
static const double SLOW = 0.01;

/* What moves by so little, over the size of the smaller of two shapes, while it parts from one that is not convex, has
 * parted. */
static const double BRIEF = 1e-6;

/* Whether two that touch at first only part, as the normal at their end has it, and so do not touch again. */
static bool only_parts(const motion *m, const cdni_sight *y) {
  for (int i = 0; i < 3; i++)
    if (cdn_dot(normal_of(y), cdn_sub(m->p.point[i + 1], m->p.point[i])) < 0) return false;
  return true;
}

/* Of the surface of a mesh: whether something gets through it between its springs. */
static cdni_passing judge_surface(const motion *m, const cdni_sight *x, const cdni_sight *y) {
  if (y->distance > 0 && (!x || x->distance > 0)) {
    cdni_sight end = *y;
    end.graze = 0; /* the sight's own says that nothing sets in there */
    return stays_apart(m, x, &end) ? CDNI_PASSES_NOTHING : CDNI_PASSES_UNKNOWN;
  }
  if (y->distance < -UNHELD * m->depth) return CDNI_PASSES_SLOWLY;
  return m->length > (1 - UNHELD) * m->depth ? CDNI_PASSES_UNKNOWN : CDNI_PASSES_NOTHING;
}

/* Of what touches at first and has parted. Other places of a shape that is not convex may be near. */
static bool may_touch_again(const motion *m, const cdni_sight *y) {
  return m->convex ? !only_parts(m, y) : m->length > BRIEF * fmax(y->distance, m->size);
}

static cdni_passing judge(const void *self, cdn_state *state, const void *a, const void *b, double h, bool through,
                          const cdni_sight *x, const cdni_sight *y) {
  const contact_room *room = contact_of(self);
  const shape_place *places = cdni_state_storage(state, room->places);
  int both[2];
  shapes_of(room, y->key, both);
  const motion m = motion_of(places, both, a, b, h);
  if (through && y->distance > 0 && keeps_its_side(&m)) return CDNI_PASSES_NOTHING;
  if (is_of_surface(y->key)) return judge_surface(&m, x, y);
  if (y->distance > 0 && (!x || x->distance > 0)) {
    return stays_apart(&m, x, y) ? CDNI_PASSES_NOTHING : CDNI_PASSES_UNKNOWN;
  }
  /* what is so shallow, and moves by so little, comes from where it looks to come from */
  if (!x) {
    const bool shallow = y->distance > -0.5 * m.depth && keeps_its_side(&m);
    return shallow || m.depth == INFINITY ? CDNI_PASSES_NOTHING : CDNI_PASSES_UNKNOWN;
  }
  if (x->distance <= 0 && y->distance > 0 && may_touch_again(&m, y)) return CDNI_PASSES_UNKNOWN;
  if (m.depth == INFINITY) return CDNI_PASSES_NOTHING;
  if (m.length > m.depth || m.angle > 0.5) return CDNI_PASSES_UNKNOWN;
  if (!(cdn_dot(normal_of(x), normal_of(y)) < -0.5)) return CDNI_PASSES_NOTHING;
  return m.length > SLOW * m.depth ? CDNI_PASSES_THROUGH : CDNI_PASSES_SLOWLY;
}

/* ---- what else is asked of a pair ---- */

/* Pressure fields of two solids of which one is wholly within the other are nowhere equal. */
static cdn_status lost(const void *self, cdn_state *state, const cdni_sight *sight, bool *is_lost) {
  const contact_room *room = contact_of(self);
  int both[2];
  *is_lost = false;
  shapes_of(room, sight->key, both);
  if (cdni_contact_is_soft(room)) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  const shape_place *places = cdni_state_storage(state, room->places);
  const shape_pose *poses = cdni_state_storage(state, room->poses);
  const shape_place *p[2] = { &places[both[0]], &places[both[1]] };
  const double depth = fmin(cdni_largest_depth(&p[0]->geometry), cdni_largest_depth(&p[1]->geometry));
  if (!(sight->distance < -depth)) return CDN_OK;
  const double *numbers = cdn_state_parameters(state, room->pair_numbers);
  const touch_pair pair = touch_pair_of(room, places, poses, numbers, both[0], both[1]);
  *is_lost = pair.law && pair.law->acts && !pair.law->acts(&pair);
  return CDN_OK;
}

static cdn_status kink(const void *self, cdn_state *state, int64_t key, int64_t *out) {
  const contact_room *room = contact_of(self);
  int both[2];
  shapes_of(room, key, both);
  return cdni_contact_touching_kink(self, state, both[0], both[1], out);
}

static void name(const void *self, int64_t key, const char *names[2]) {
  const contact_room *room = contact_of(self);
  int both[2];
  shapes_of(room, key, both);
  for (int i = 0; i < 2; i++) names[i] = cdni_shape_at(room, (cdn_shape){ both[i] })->name;
}

static cdn_status clear(const void *self, cdn_state *state, double reach, double turn, int64_t *id) {
  const contact_room *room = contact_of(self);
  CDNI_TRY(cdni_contact_is_clear(room, state, reach, turn, id));
  return *id == 0 ? cdni_contact_find_clearance(room, state, reach, turn, id) : CDN_OK;
}

const cdni_sweeper cdni_contact_sweeper = { clear, mark_size, mark, pairs, strays, far, look, judge, lost, kink, name };
