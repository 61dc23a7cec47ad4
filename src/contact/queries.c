/* Rays, points and distances among the shapes of a State. Boxes tell which shapes are looked at closely. */
#include <cardan/queries.h>
#include <math.h>

#include "contact/room.h"
#include "core/sized.h"

CDNI_DEF(shape_query_def, .type = UINT32_MAX, .affinity = UINT32_MAX, .except = { -1 });

/* A query on its way: the shapes, and which of them take part. */
typedef struct query {
  const contact_room *room;
  const shape_pose *poses;
  const double *sizes, *enabled;
  cdn_shape_query_def def;
  int n_shapes;
} query;

cdn_ticket cdn_shapes_ticket(const cdn_system *system) {
  const contact_room *room = system ? cdni_contact(system) : NULL;
  return room ? room->poses_ticket : (cdn_ticket){ 0 };
}

/* The errors that all queries have; `reach` may be infinite. */
static cdn_status begin(query *q, cdn_state *state, const char *function, const cdn_shape_query_def *def,
                        const char *reach_name, double reach, int room) {
  const char *wrong = NULL;
  q->def = cdn_default_shape_query_def();
  if (def) wrong = read_shape_query_def(&q->def, def);
  if (wrong) return cdni_state_fail(state, CDN_ERR_VERSION, false, function, NULL, "%s", wrong);
  if (q->def.except.i < -1 || q->def.except.i >= cdn_system_body_count(cdn_state_system(state)))
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                           "there is no body %d in this System: give { -1 } if no body is left out",
                           (int)q->def.except.i);
  if (isnan(reach) || reach == -INFINITY)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "the %s is %g: give a number", reach_name, reach);
  if (room < 0)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                           "there is room for %d results: give a number >= 0", room);
  q->room = cdni_contact(cdn_state_system(state));
  q->n_shapes = 0;
  if (!q->room || !q->room->matter || room == 0) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, q->room->poses.ticket));
  q->poses = cdni_state_storage(state, q->room->poses);
  q->sizes = cdn_state_parameters(state, q->room->sizes);
  q->enabled = cdn_state_parameters(state, q->room->enabled);
  q->n_shapes = (int)q->room->shapes.count;
  return CDN_OK;
}

static bool takes_part(const query *q, int i) {
  const shape *s = &CDNI_AT(q->room->shapes, shape, i);
  const cdn_shape_query_def *d = &q->def;
  if (q->enabled[i] == 0 || s->body == d->except.i) return false;
  if (((s->type & d->affinity) | (d->type & s->affinity)) == 0) return false;
  return !d->accept || d->accept(d->context, (cdn_shape){ i });
}

/* ---- rays ---- */

/* Whether a ray enters a box within its reach. */
static bool enters_box(const cdni_box *box, cdn_vec3 origin, cdn_vec3 direction, double reach) {
  const double o[3] = { origin.x, origin.y, origin.z }, d[3] = { direction.x, direction.y, direction.z };
  double first = 0, last = reach;
  for (int k = 0; k < 3; k++) {
    if (d[k] == 0) {
      if (o[k] < box->least[k] || o[k] > box->most[k]) return false;
      continue;
    }
    const double x = (box->least[k] - o[k]) / d[k], y = (box->most[k] - o[k]) / d[k];
    first = fmax(first, fmin(x, y)), last = fmin(last, fmax(x, y));
  }
  /* rounding must not lose a ray along a side of the box */
  return first * (1 - 1e-12) <= last * (1 + 1e-12);
}

/* Keeps the nearest hits in order; what is equally near stays behind what was there. */
static void insert_hit(cdn_shape_hit *hits, int room, int *n, cdn_shape_hit hit) {
  int at = *n < room ? (*n)++ : room - 1;
  for (; at > 0 && hits[at - 1].hit.distance > hit.hit.distance; at--) hits[at] = hits[at - 1];
  hits[at] = hit;
}

static cdn_status add_hits(const query *q, cdn_state *state, int i, cdn_vec3 origin, cdn_vec3 direction, double reach,
                           int room, cdn_shape_hit *hits, int *n) {
  const cdn_geometry g = shape_geometry(q->room, q->sizes, i);
  const cdn_transform *X = &q->poses[i].X_GS;
  const int most = cdni_most_hits(&g), work_room = most < room ? most : room;
  cdn_ray_hit *work = cdn_work_push(state, (size_t)work_room * sizeof *work);
  if (!work)
    return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_shapes_ray", NULL, "out of memory for the hits of a ray");
  const int found = cdni_ray(&g, X, origin, direction, reach, work_room, work);
  for (int k = 0; k < found; k++) {
    if (*n == room && !(work[k].distance < hits[room - 1].hit.distance)) break;
    insert_hit(hits, room, n, (cdn_shape_hit){ { i }, work[k] });
  }
  cdn_work_pop(state, work);
  return CDN_OK;
}

cdn_status cdn_shapes_ray(cdn_state *state, cdn_vec3 origin, cdn_vec3 direction, double reach,
                          const cdn_shape_query_def *def, int room, cdn_shape_hit *hits, int *n) {
  CDNI_NEED(state, n);
  *n = 0;
  CDNI_NEED_SOME(state, hits, room);
  query q;
  CDNI_TRY(begin(&q, state, __func__, def, "reach", reach, room));
  if (reach < 0)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL, "the reach is %g: give a number >= 0", reach);
  const double largest = fmax(fabs(direction.x), fmax(fabs(direction.y), fabs(direction.z)));
  if (!isfinite(cdn_norm(origin)) || !isfinite(largest) || isnan(direction.x + direction.y + direction.z))
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL,
                           "the origin or the direction is not finite: give finite numbers");
  if (!(largest > 0))
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL,
                           "the direction is 0: give one of any other length");
  if (q.n_shapes == 0) return CDN_OK;
  const cdn_vec3 scaled = cdn_v3(direction.x / largest, direction.y / largest, direction.z / largest);
  direction = cdn_scale(1 / cdn_norm(scaled), scaled);
  for (int i = 0; i < q.n_shapes; i++) {
    const double limit = *n == room ? hits[room - 1].hit.distance : reach;
    if (!enters_box(&shape_boxes(q.room, q.poses)[i], origin, direction, limit) || !takes_part(&q, i)) continue;
    CDNI_TRY(add_hits(&q, state, i, origin, direction, limit, room, hits, n));
  }
  return CDN_OK;
}

/* ---- points ---- */

static double box_distance(const cdni_box *box, cdn_vec3 p) {
  const double x[3] = { p.x, p.y, p.z };
  double square = 0;
  for (int k = 0; k < 3; k++) {
    const double out = fmax(0, fmax(box->least[k] - x[k], x[k] - box->most[k]));
    square += out * out;
  }
  return sqrt(square);
}

cdn_status cdn_shapes_near_point(cdn_state *state, cdn_vec3 p_G, double radius, const cdn_shape_query_def *def,
                                 int room, cdn_shape_proximity *found, int *n) {
  CDNI_NEED(state, n);
  *n = 0;
  CDNI_NEED_SOME(state, found, room);
  query q;
  CDNI_TRY(begin(&q, state, __func__, def, "radius", radius, room));
  if (!isfinite(p_G.x) || !isfinite(p_G.y) || !isfinite(p_G.z))
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL, "the point is not finite: give finite numbers");
  for (int i = 0; i < q.n_shapes; i++) {
    const double limit = *n == room ? found[room - 1].near.distance : radius;
    /* a box is never farther away than what it contains, but for rounding; inside of it all is possible */
    const double least = box_distance(&shape_boxes(q.room, q.poses)[i], p_G);
    if ((least > 0 && least * (1 - 1e-12) > limit) || !takes_part(&q, i)) continue;
    const cdn_geometry g = shape_geometry(q.room, q.sizes, i);
    const cdn_transform *X = &q.poses[i].X_GS;
    cdn_vec3 gradient;
    int feature;
    const double distance = cdni_point_distance(&g, cdn_rotate_inv(X->R, cdn_sub(p_G, X->p)), &gradient, &feature);
    if (!(distance <= limit) || (*n == room && !(distance < limit))) continue;
    const cdn_vec3 normal = cdn_rotate(X->R, gradient);
    const cdn_shape_proximity here = {
      { i }, { distance, normal, cdn_sub(p_G, cdn_scale(distance, normal)), p_G, feature, 0 }
    };
    int at = *n < room ? (*n)++ : room - 1;
    for (; at > 0 && found[at - 1].near.distance > distance; at--) found[at] = found[at - 1];
    found[at] = here;
  }
  return CDN_OK;
}

/* ---- two shapes ---- */

cdn_status cdn_shapes_distance(cdn_state *state, cdn_shape a, cdn_shape b, cdn_proximity *out) {
  CDNI_NEED(state, out);
  cdn_geometry g[2];
  cdn_transform X[2];
  CDNI_TRY(cdn_shape_get(state, a, &g[0], &X[0]));
  CDNI_TRY(cdn_shape_get(state, b, &g[1], &X[1]));
  const contact_room *room = cdni_contact(cdn_state_system(state));
  const char *name = CDNI_AT(room->shapes, shape, a.i).name;
  if (a.i == b.i)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, name, "both shapes are '%s': give two", name);
  const cdn_status status = cdn_geometry_distance(&g[0], &X[0], &g[1], &X[1], out);
  if (status == CDN_OK) return CDN_OK;
  cdn_error error;
  cdn_last_error(&error);
  return cdni_state_fail(state, status, false, __func__, name, "shapes '%s' (a %s) and '%s' (a %s): %s", name,
                         cdn_geometry_kind_name(g[0].kind), CDNI_AT(room->shapes, shape, b.i).name,
                         cdn_geometry_kind_name(g[1].kind), error.text);
}
