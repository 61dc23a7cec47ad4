/* What sensors of contacts show: of contacts between two sides, some or all of their numbers. */
#include <math.h>
#include <string.h>

#include "core/core.h"
#include "io/sensor.h"

static const struct {
  int flag, count;
} parts[] = { { CDN_SENSED_FOUND, 1 }, { CDN_SENSED_FORCE, 3 },  { CDN_SENSED_TORQUE, 3 }, { CDN_SENSED_DISTANCE, 1 },
              { CDN_SENSED_POINT, 3 }, { CDN_SENSED_NORMAL, 3 }, { CDN_SENSED_TANGENT, 3 } };

int io_sensed_count(int data) {
  int n = 0;
  for (int i = 0; i < CDNI_COUNT(parts); i++) n += data & parts[i].flag ? parts[i].count : 0;
  return n;
}

static bool is_on(const cdn_system *system, const io_side *side, cdn_shape shape) {
  if (side->kind == CDN_SIDE_ANY || side->kind == CDN_SIDE_VOLUME) return true;
  if (side->kind == CDN_SIDE_SHAPE) return shape.i == side->shape.i;
  const int32_t body = cdn_shape_body(system, shape).i;
  return body >= side->first && body <= side->last;
}

/* A contact as seen from the first side. */
typedef struct sensed {
  cdn_vec3 force, torque, point, normal, tangent; /* of the first side on the second, in Ground */
  double distance;
} sensed;

/* Whether the volume, if one is asked for, has the point. */
static cdn_status is_within(const io_sensor_part *s, cdn_state *state, cdn_vec3 point, bool *within) {
  cdn_transform X_GB;
  cdn_proximity near;
  *within = true;
  if (s->side[0].kind != CDN_SIDE_VOLUME) return CDN_OK;
  CDNI_TRY(cdn_body_pose(state, s->body, &X_GB));
  const cdn_transform X_GV = cdn_transform_multiply(X_GB, s->X_BS);
  CDNI_TRY(cdn_geometry_point_distance(&s->volume, &X_GV, point, &near));
  *within = near.distance <= 0;
  return CDN_OK;
}

/* False: it is not between the sides. */
static bool look(const io_sensor_part *s, const cdn_system *system, const cdn_contact *c, sensed *out) {
  const bool along = is_on(system, &s->side[0], c->a) && is_on(system, &s->side[1], c->b);
  const bool against = !along && is_on(system, &s->side[0], c->b) && is_on(system, &s->side[1], c->a);
  const double sign = against ? -1 : 1;
  const cdn_vec3 force = cdn_add(cdn_add(cdn_scale(c->force, c->normal), c->friction), c->side_force);
  *out = (sensed){ .force = cdn_scale(sign, force),
                   .torque = cdn_scale(sign, cdn_add(c->moment, c->side_moment)),
                   .point = c->point,
                   .normal = cdn_scale(sign, c->normal),
                   .tangent = c->tangent[0],
                   .distance = -c->depth };
  return along || against;
}

/* Numbers in the axes normal, tangent, and their product. */
static cdn_vec3 in_axes(const sensed *c, cdn_vec3 v) {
  return cdn_v3(cdn_dot(v, c->normal), cdn_dot(v, c->tangent), cdn_dot(v, cdn_cross(c->normal, c->tangent)));
}

static void write_one(const io_sensor_part *s, const sensed *c, int found, double *value) {
  const cdn_vec3 vectors[] = {
    { found, 0, 0 }, in_axes(c, c->force), in_axes(c, c->torque), { c->distance, 0, 0 }, c->point, c->normal, c->tangent
  };
  for (int i = 0; i < CDNI_COUNT(parts); i++) {
    if (!(s->data & parts[i].flag)) continue;
    memcpy(value, &vectors[i], (size_t)parts[i].count * sizeof *value);
    value += parts[i].count;
  }
}

/* Which of two comes first. */
static bool is_before(const io_sensor_part *s, const sensed *a, const sensed *b) {
  if (s->reduce == CDN_REDUCE_DEEPEST) return a->distance < b->distance;
  if (s->reduce == CDN_REDUCE_STRONGEST) return cdn_norm(a->force) > cdn_norm(b->force);
  return false;
}

/* The sum of the forces, at the mean of the points by the forces' sizes. */
static cdn_status net(const io_sensor_part *s, cdn_state *state, sensed *sum, int *found) {
  double weight = 0;
  int n;
  *sum = (sensed){ .normal = { 1, 0, 0 }, .tangent = { 0, 1, 0 } };
  *found = 0;
  CDNI_TRY(cdn_contact_count(state, &n));
  cdn_vec3 about_zero = { 0, 0, 0 };
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    sensed one;
    bool within;
    CDNI_TRY(cdn_contact_get(state, i, &c));
    if (!look(s, cdn_state_system(state), &c, &one)) continue;
    CDNI_TRY(is_within(s, state, c.point, &within));
    if (!within) continue;
    const double size = cdn_norm(one.force);
    sum->force = cdn_add(sum->force, one.force);
    sum->point = cdn_add(sum->point, cdn_scale(size, one.point));
    about_zero = cdn_add(about_zero, cdn_add(one.torque, cdn_cross(one.point, one.force)));
    weight += size, ++*found;
  }
  if (weight > 0) sum->point = cdn_scale(1 / weight, sum->point);
  sum->torque = cdn_sub(about_zero, cdn_cross(sum->point, sum->force));
  return CDN_OK;
}

cdn_status io_sensed_contacts(const io_sensor_part *s, cdn_state *state, double *value) {
  enum { MOST = CDN_MEASURE_MOST };
  const int numbers = io_sensed_count(s->data);
  sensed kept[MOST];
  int n, found = 0, count = 0;
  memset(value, 0, (size_t)(numbers * s->contacts) * sizeof *value);
  if (s->reduce == CDN_REDUCE_NET) {
    CDNI_TRY(net(s, state, &kept[0], &found));
    if (found > 0) write_one(s, &kept[0], found, value);
    return CDN_OK;
  }
  CDNI_TRY(cdn_contact_count(state, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    sensed one;
    bool within;
    CDNI_TRY(cdn_contact_get(state, i, &c));
    if (!look(s, cdn_state_system(state), &c, &one)) continue;
    CDNI_TRY(is_within(s, state, c.point, &within));
    if (!within) continue;
    found++;
    int at = count;
    while (at > 0 && is_before(s, &one, &kept[at - 1])) at--;
    if (at >= s->contacts) continue;
    count += count < s->contacts;
    for (int k = count - 1; k > at; k--) kept[k] = kept[k - 1];
    kept[at] = one;
  }
  for (int k = 0; k < count; k++) write_one(s, &kept[k], found, value + k * numbers);
  return CDN_OK;
}
