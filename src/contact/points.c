/* The points of soft contact in a State: of each pair of shapes that may touch and are nearer than their margin, in
 * ascending order, with what the materials say of them. */
#include <math.h>

#include "contact/laws.h"
#include "contact/materials.h"
#include "contact/pairs.h"
#include "contact/points.h"
#include "contact/room.h"
#include "contact/search.h"
#include "contact/touch.h"

typedef struct view {
  const contact_room *room;
  const shape_place *places;
  const shape_pose *poses;
  const double *soft, *soft_pairs, *pair_numbers;
} view;

/* ---- boxes that reach as far as the margins ---- */

static double largest_margin(const view *v) {
  double most = 0;
  for (size_t i = 0; i < v->room->shapes.count; i++) most = fmax(most, v->soft[SOFT_NUMBERS * i + SOFT_MARGIN]);
  for (size_t i = 0; i < v->room->pairs.count; i++)
    most = fmax(most, v->soft_pairs[SOFT_PAIR_NUMBERS * i + SOFT_PAIR_MARGIN]);
  return most;
}

static void grow(cdni_box *box, double by) {
  for (int k = 0; k < 3; k++) box->least[k] -= by, box->most[k] += by;
}

/* Two boxes overlap if their shapes are nearer than the margin of the pair, which is the larger one of the two, or the
 * pair's own. */
static void reach_out(const view *v, cdni_box *boxes) {
  const int n = (int)v->room->shapes.count;
  memcpy(boxes, shape_boxes(v->room, v->poses), (size_t)n * sizeof *boxes);
  for (int i = 0; i < n; i++) grow(&boxes[i], v->soft[SOFT_NUMBERS * i + SOFT_MARGIN]);
  for (size_t i = 0; i < v->room->pairs.count; i++) {
    const double margin = v->soft_pairs[SOFT_PAIR_NUMBERS * i + SOFT_PAIR_MARGIN];
    const named_pair *p = &CDNI_AT(v->room->pairs, named_pair, i);
    if (margin > 0) grow(&boxes[p->a], margin), grow(&boxes[p->b], margin);
  }
}

/* ---- one pair ---- */

/* As MuJoCo has it: the second axis of Ground, or the third one if the normal is within 60 degrees of the second; or,
 * of a capsule on a half-space, the capsule's axis. */
cdn_vec3 cdni_contact_tangent_axis(const cdn_geometry *const g[2], const cdn_transform *const X[2], cdn_vec3 normal,
                                   int *turning) {
  *turning = -1;
  for (int i = 0; i < 2; i++)
    if (g[i]->kind == CDN_GEOMETRY_CAPSULE && g[1 - i]->kind == CDN_GEOMETRY_HALF_SPACE) {
      *turning = i;
      if (cdn_norm(cdn_cross(X[i]->R.z, normal)) > 1e-8) return X[i]->R.z;
    }
  *turning = -1;
  return fabs(normal.y) < 0.5 ? cdn_v3(0, 1, 0) : cdn_v3(0, 0, 1);
}

contact_point cdni_contact_point_between(const contact_room *room, int i, int j, const double *a, const double *b,
                                         const double *of_pair) {
  return (contact_point){ .a = i,
                          .b = j,
                          .body = { shape_body(room, i), shape_body(room, j) },
                          .pair = cdni_contact_pair_of(room, i, j),
                          .soft = cdni_soft_combine(room, a, b, of_pair) };
}

static void find_tangents(const cdn_geometry *const g[2], const cdn_transform *const X[2], contact_point *p) {
  int turning;
  cdni_contact_point_tangents(cdni_contact_tangent_axis(g, X, p->normal, &turning), p);
}

void cdni_contact_point_tangents(cdn_vec3 t, contact_point *p) {
  t = cdn_sub(t, cdn_scale(cdn_dot(t, p->normal), p->normal));
  p->tangent[0] = cdn_scale(1 / cdn_norm(t), t);
  p->tangent[1] = cdn_cross(p->normal, p->tangent[0]);
}

/* A point of the user's; `sides` has what all of the pair have in common. */
typedef struct own_points {
  const contact_point *sides;
  const cdn_geometry *const *g;
  const cdn_transform *const *X;
  double margin;
  cdn_region_output *out;
} own_points;

static cdn_status add_own_point(void *context, const cdn_law_contact *c, const combined_material *m) {
  const own_points *to = context;
  void *place;
  (void)m;
  if (!(-c->depth < to->margin)) return CDN_OK;
  CDNI_TRY(cdn_region_output_add(to->out, 1, &place));
  contact_point *p = place;
  *p = *to->sides;
  p->feature = c->feature, p->point = c->point, p->normal = c->normal, p->distance = -c->depth;
  find_tangents(to->g, to->X, p);
  return CDN_OK;
}

static bool is_same(cdn_vec3 a, cdn_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static cdn_status add_pair(const view *v, int i, int j, cdn_state *state, cdn_region_output *out) {
  const cdn_geometry *const g[2] = { &v->places[i].geometry, &v->places[j].geometry };
  const cdn_transform *const X[2] = { &v->poses[i].X_GS, &v->poses[j].X_GS };
  const int pair = cdni_contact_pair_of(v->room, i, j);
  const double *a = v->soft + SOFT_NUMBERS * i, *b = v->soft + SOFT_NUMBERS * j;
  const double *of_pair = pair < 0 ? NULL : v->soft_pairs + SOFT_PAIR_NUMBERS * pair;
  const double margin = cdni_soft_margin(a, b, of_pair);
  const touch_pair both = touch_pair_of(v->room, v->places, v->poses, v->pair_numbers, i, j);
  if (cdni_is_own_law(both.law)) {
    const contact_point sides = cdni_contact_point_between(v->room, i, j, a, b, of_pair);
    own_points to = { &sides, g, X, margin, out };
    return cdni_own_law_contacts(&both, state, margin, add_own_point, &to);
  }
  if (!cdni_pair_is_supported(g[0], g[1])) return CDN_OK;
  cdn_manifold m;
  cdni_contact_pair_points(g, X, margin, &m);
  int n = 0;
  for (int k = 0; k < m.n; k++)
    if (m.points[k].distance < margin) m.points[n] = m.points[k], m.id[n++] = m.id[k];
  if (n == 0) return CDN_OK;
  void *place;
  CDNI_TRY(cdn_region_output_add(out, n, &place));
  contact_point *p = place;
  *p = cdni_contact_point_between(v->room, i, j, a, b, of_pair);
  for (int k = 1; k < n; k++) p[k] = p[0];
  for (int k = 0; k < n; k++) {
    const cdn_proximity *near = &m.points[k];
    p[k].feature = m.id[k];
    p[k].point = cdn_scale(0.5, cdn_add(near->point_a, near->point_b));
    p[k].normal = near->normal;
    p[k].distance = near->distance;
    if (k > 0 && is_same(near->normal, p[k - 1].normal)) memcpy(p[k].tangent, p[k - 1].tangent, sizeof p[k].tangent);
    else find_tangents(g, X, &p[k]);
  }
  return CDN_OK;
}

/* ---- all of them ---- */

static cdn_status find(const view *v, cdn_state *state, const cdni_box *boxes, cdn_region_output *out) {
  const int32_t *pairs;
  int n;
  CDNI_TRY(cdni_contact_neighbours(v->room, state, shape_boxes(v->room, v->poses), boxes, boxes, 0, &pairs, &n));
  for (int k = 0; k < n; k++) {
    const int i = pairs[2 * k], j = pairs[2 * k + 1];
    if (boxes_overlap(&boxes[i], &boxes[j]) && contact_model_of(v->room, i, j) == CDN_CONTACT_SOFT)
      CDNI_TRY(add_pair(v, i, j, state, out));
  }
  return CDN_OK;
}

cdn_status cdni_contact_find_points(const void *self, cdn_state *state, cdn_region_output *out) {
  const contact_room *room = contact_of(self);
  CDNI_TRY(cdni_state_ensure(state, room->poses.ticket));
  CDNI_TRY(
      cdni_state_ensure(state, room->places.ticket)); /* a State that stands for a lane has taken the poses alone */
  const view v = { .room = room,
                   .places = cdni_state_storage(state, room->places),
                   .poses = cdni_state_storage(state, room->poses),
                   .soft = cdn_state_parameters(state, room->soft),
                   .soft_pairs = cdn_state_parameters(state, room->soft_pairs),
                   .pair_numbers = cdn_state_parameters(state, room->pair_numbers) };
  if (largest_margin(&v) == 0) return find(&v, state, shape_boxes(room, v.poses), out);
  cdni_box *boxes = cdn_work_push(state, room->shapes.count * sizeof *boxes);
  if (!boxes) return CDN_ERR_NOMEM;
  reach_out(&v, boxes);
  const cdn_status status = find(&v, state, boxes, out);
  cdn_work_pop(state, boxes);
  return status;
}

cdn_status cdni_contact_touch_points(const contact_room *room, cdn_state *state, cdn_region_output *out) {
  const contact_point *p;
  int n;
  CDNI_TRY(cdni_contact_points(room, state, &p, &n));
  for (int i = 0; i < n; i++) {
    void *place;
    if (!(p[i].distance < p[i].soft.margin)) continue;
    const bool frictional = p[i].soft.dimension > 1;
    CDNI_TRY(cdn_region_output_add(out, 1, &place));
    *(touch *)place =
        (touch){ .a = p[i].a,
                 .b = p[i].b,
                 .feature = p[i].feature,
                 .model = CDN_CONTACT_SOFT,
                 .point = p[i].point,
                 .normal = p[i].normal,
                 .tangent = p[i].tangent[0],
                 .depth = -p[i].distance,
                 .friction = { frictional ? p[i].soft.friction[0] : 0, frictional ? p[i].soft.friction[1] : 0 } };
  }
  return CDN_OK;
}

/* ---- for the rooms above ---- */

bool cdni_contact_any_soft(const contact_room *room) { return room && room->matter && room->uses[CDN_CONTACT_SOFT]; }

bool cdni_contact_any_compliant(const contact_room *room) {
  return room && room->matter && room->uses[CDN_CONTACT_COMPLIANT];
}

bool cdni_contact_has_rows(const contact_room *room) {
  return cdni_contact_any_soft(room) || cdni_contact_any_rigid(room);
}

cdn_ticket cdni_contact_points_ticket(const contact_room *room) { return room->points.ticket; }

cdn_status cdni_contact_points(const contact_room *room, cdn_state *state, const contact_point **points, int *n) {
  const void *elements;
  CDNI_TRY(cdn_region_eval(state, room->points, &elements, n));
  *points = elements;
  return CDN_OK;
}
