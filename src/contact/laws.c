/* Which law acts between which geometries, and the laws of round surfaces: their contacts by the pose alone.
 *
 * - Round surfaces (spheres, ellipsoids, capsules) touch each other and half-spaces as Hertz has it.
 * - A capsule is a sphere that is swept along a segment. It touches with its own radius in all directions, so that its
 *   force does not jump where its ends begin. On a half-space both of its ends touch, and nothing jumps when it lies
 *   down.
 * - Round surfaces touch boxes, cylinders and hulls as if these were flat: faces and edges push alike, and nothing
 *   jumps between them. Height fields as well, but there the normal jumps in valleys.
 * - Boxes, cylinders, hulls and half-spaces have pressure fields (pressure.c), and so have the first three and height
 *   fields.
 * - Meshes have springs (foundation.c). */
#include <math.h>

#include "contact/law_kinds.h"
#include "contact/laws.h"
#include "contact/materials.h"
#include "contact/near.h"
#include "contact/room.h"
#include "contact/touch.h"

/* ---- one touch ---- */

/* d of Hertz's law over the dissipation of the materials, of which slow impacts then have the restitution 1 - c v. */
static const double HERTZ_DAMPING = 1.5;

void cdni_hertz_touch(const combined_material *m, double share, const double k[2], double depth, touch *t) {
  const pressure_law *hertz = &cdni_pressure_laws[LAW_HERTZ];
  const double root = sqrt(depth);
  double radius[2];
  const double stiffness = cdni_hertz_stiffness(k, m->modulus, radius);
  const double numbers[CDN_LAW_NUMBERS] = { share * stiffness, HERTZ_DAMPING * m->dissipation };
  memcpy(t->numbers, numbers, sizeof numbers);
  t->law = LAW_HERTZ, t->depth = depth, t->energy = hertz->potential(&stiffness, depth);
  for (int i = 0; i < 2; i++) t->radius[i] = radius[i] * root;
  t->elastic = hertz->pressure(t->numbers, depth, 0);
  t->spread = sqrt(0.4 * t->radius[0] * t->radius[1]); /* of a circle, Hertz's pressure has 2/5 a^2 */
}

/* A Hertz contact with the relative curvatures k[0] >= k[1] > 0; `near` has distance < 0. */
static void make_hertz(const touch_pair *pair, const cdn_proximity *near, double share, const double k[2],
                       cdn_vec3 direction, int feature, touch *t) {
  const combined_material m = cdni_combine_materials(pair);
  const double depth = -near->distance;
  *t = (touch){
    .a = pair->shape[0], .b = pair->shape[1], .feature = feature, .normal = near->normal, .tangent = direction
  };
  cdni_hertz_touch(&m, share, k, depth, t);
  cdni_touch_friction(t, &m);
  t->point = cdn_add(near->point_a, cdn_scale(-m.share_a * depth, near->normal));
  if (cdni_curvature_varies(pair->g[0]) || cdni_curvature_varies(pair->g[1])) cdni_varying_stiffness(pair, near, t);
}

static cdn_status add_hertz(const touch_pair *pair, const cdn_proximity *near, double share, const double k[2],
                            cdn_vec3 direction, int feature, cdn_region_output *out) {
  void *place;
  CDNI_TRY(cdn_region_output_add(out, 1, &place));
  make_hertz(pair, near, share, k, direction, feature, place);
  return CDN_OK;
}

/* ---- curvatures ---- */

/* Relative principal curvatures of two surfaces that touch: those of the sum of their curvature tensors. False: not
 * convex. */
static bool relative_curvature(const double a[2], cdn_vec3 along_a, const double b[2], cdn_vec3 along_b,
                               cdn_vec3 normal, double k[2], cdn_vec3 *direction) {
  /* in the axes along_a, normal x along_a */
  const cdn_vec3 side = cdn_cross(normal, along_a);
  const double x = cdn_dot(along_b, along_a), y = cdn_dot(along_b, side);
  const double cos_2 = x * x - y * y, sin_2 = 2 * x * y;
  const double mean = 0.5 * (a[0] + a[1] + b[0] + b[1]);
  const double d_x = 0.5 * ((a[0] - a[1]) + (b[0] - b[1]) * cos_2), d_y = 0.5 * (b[0] - b[1]) * sin_2;
  const double half = sqrt(d_x * d_x + d_y * d_y);
  k[0] = mean + half, k[1] = mean - half;
  *direction = along_a;
  if (!(half > 0)) return k[1] > 0;
  const double angle = 0.5 * atan2(d_y, d_x);
  *direction = cdn_add(cdn_scale(cos(angle), along_a), cdn_scale(sin(angle), side));
  return k[1] > 1e-12 * k[0];
}

/* The same of what is known by its support function, for its outward normal in Ground. */
static void curvature_by_support(const touch_pair *pair, int which, cdn_vec3 normal, double k[2], cdn_vec3 *along) {
  const cdn_transform *X = pair->X[which];
  const cdn_vec3 n = cdn_rotate_inv(X->R, normal), t = contact_tangent(n), s = cdn_cross(n, t);
  double A[3];
  cdni_support_tensor(pair->g[which], n, t, s, A);
  const double mean = 0.5 * (A[0] + A[2]), half = 0.5 * (A[0] - A[2]), root = hypot(half, A[1]);
  const double angle = root > 0 ? 0.5 * atan2(A[1], half) : 0;
  k[0] = mean + root, k[1] = mean - root;
  *along = cdn_rotate(X->R, cdn_add(cdn_scale(cos(angle), t), cdn_scale(sin(angle), s)));
}

/* Curvatures of a shape at its nearest point, with a direction in Ground. */
static bool curvature_at(const touch_pair *pair, int which, const cdn_proximity *near, double k[2], cdn_vec3 *along) {
  const cdn_transform *X = pair->X[which];
  if (!kind_of(pair->g[which])->curvature) {
    curvature_by_support(pair, which, which == 0 ? near->normal : cdn_scale(-1, near->normal), k, along);
    return true;
  }
  const cdn_vec3 p = cdn_rotate_inv(X->R, cdn_sub(which == 0 ? near->point_a : near->point_b, X->p));
  if (!cdni_curvature(pair->g[which], p, k, along)) return false;
  *along = cdn_rotate(X->R, *along);
  return true;
}

/* ---- laws ---- */

/* Relative curvatures of two surfaces of which one is round, at their nearest points. */
static bool curvatures_of(const touch_pair *pair, const cdn_proximity *near, double both[2], cdn_vec3 *direction) {
  double k[2][2];
  cdn_vec3 along[2];
  for (int i = 0; i < 2; i++) {
    const cdn_geometry *g = pair->g[i];
    if (cdni_curvature_varies(g) && curvature_at(pair, i, near, k[i], &along[i])) continue;
    k[i][0] = k[i][1] = kind_of(g)->is_swept ? 1 / g->size[0] : 0;
    along[i] = contact_tangent(near->normal);
  }
  return relative_curvature(k[0], along[0], k[1], along[1], near->normal, both, direction);
}

/* A ball and a ball or a half-space: nothing has two curvatures. */
static void curvatures_of_balls(const touch_pair *pair, double both[2]) {
  both[0] = 0;
  for (int i = 0; i < 2; i++)
    if (pair->g[i]->kind == CDN_GEOMETRY_SPHERE) both[0] += 1 / pair->g[i]->size[0];
  both[1] = both[0];
}

static cdn_status find_balls(const touch_pair *pair, cdn_state *state, cdn_region_output *out) {
  cdn_proximity near;
  double share, both[2];
  (void)state;
  if (!cdni_contact_near(pair->g, pair->X, 0, &near, &share) || !(near.distance < 0)) return CDN_OK;
  curvatures_of_balls(pair, both);
  return add_hertz(pair, &near, 1, both, contact_tangent(near.normal), 0, out);
}

static bool touch_round(const touch_pair *pair, int feature, touch *out) {
  cdn_proximity near;
  double share, both[2];
  cdn_vec3 direction;
  (void)feature;
  if (!cdni_contact_near(pair->g, pair->X, 0, &near, &share) || !(near.distance < 0)) return false;
  if (!curvatures_of(pair, &near, both, &direction)) return false;
  make_hertz(pair, &near, share, both, direction, 0, out);
  return true;
}

static cdn_status find_round(const touch_pair *pair, cdn_state *state, cdn_region_output *out) {
  touch t;
  void *place;
  (void)state;
  if (!touch_round(pair, 0, &t)) return CDN_OK;
  CDNI_TRY(cdn_region_output_add(out, 1, &place));
  *(touch *)place = t;
  return CDN_OK;
}

static double hertz_force(const touch_pair *pair, double depth, const cdn_proximity *near) {
  double both[2], radius[2], numbers[CDN_LAW_NUMBERS] = { 0 };
  cdn_vec3 direction;
  if (!curvatures_of(pair, near, both, &direction)) return NAN;
  const combined_material m = cdni_combine_materials(pair);
  numbers[0] = cdni_hertz_stiffness(both, m.modulus, radius);
  return cdni_pressure_laws[LAW_HERTZ].pressure(numbers, depth, 0);
}

void cdni_capsule_end(const cdn_geometry *g[2], const cdn_transform *X[2], int i, cdn_geometry *end,
                      cdn_transform *X_end) {
  const int capsule = g[0]->kind == CDN_GEOMETRY_CAPSULE ? 0 : 1;
  const double *size = g[capsule]->size;
  *X_end = *X[capsule];
  X_end->p = cdn_transform_point(*X_end, cdn_v3(0, 0, i == 0 ? -size[1] : size[1]));
  *end = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { size[0] } };
  g[capsule] = end, X[capsule] = X_end;
}

/* A capsule and a half-space: the two ends are spheres. */
static cdn_status find_ends(const touch_pair *pair, cdn_state *state, cdn_region_output *out) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    const cdn_geometry *g[2] = { pair->g[0], pair->g[1] };
    const cdn_transform *X[2] = { pair->X[0], pair->X[1] };
    cdn_geometry end;
    cdn_transform X_end;
    cdni_capsule_end(g, X, i, &end, &X_end);
    const double k[2] = { 1 / end.size[0], 1 / end.size[0] };
    cdn_proximity near;
    if (cdni_pair_distance(g[0], X[0], g[1], X[1], 0, &near) && near.distance < 0)
      CDNI_TRY(add_hertz(pair, &near, 1, k, contact_tangent(near.normal), i, out));
  }
  return CDN_OK;
}

/* ---- the table ---- */

typedef enum law_id { LAW_BALLS, LAW_ENDS, LAW_ROUND, LAW_VARYING, LAW_POLYGONS, LAW_SPRINGS, LAWS } law_id;

static const contact_law laws[LAWS] = {
  [LAW_BALLS] = { .name = "Hertz's law of balls",
                  .find = find_balls,
                  .exact = true,
                  .pressure = LAW_HERTZ,
                  .damping = HERTZ_DAMPING,
                  .features = 1,
                  .force = hertz_force },
  [LAW_ENDS] = { .name = "Hertz's law of a capsule's ends",
                 .find = find_ends,
                 .exact = true,
                 .pressure = LAW_HERTZ,
                 .damping = HERTZ_DAMPING,
                 .features = 2,
                 .force = hertz_force },
  [LAW_ROUND] = { .name = "Hertz's law",
                  .find = find_round,
                  .touch = touch_round,
                  .exact = true,
                  .pressure = LAW_HERTZ,
                  .damping = HERTZ_DAMPING,
                  .features = 1,
                  .force = hertz_force },
  /* of ellipsoids and on height fields: no formula tells how the curvatures go with the pose */
  [LAW_VARYING] = { .name = "Hertz's law of curvatures that vary",
                    .find = find_round,
                    .touch = touch_round,
                    .pressure = LAW_HERTZ,
                    .damping = HERTZ_DAMPING,
                    .features = 1,
                    .force = hertz_force },
  [LAW_POLYGONS] = { .name = "pressure fields",
                     .find = cdni_find_polygons,
                     .pressure = LAW_SPRING,
                     .damping = 1,
                     .features = 1,
                     .reach = cdni_pressure_reach,
                     .force = cdni_pressure_force,
                     .energy = cdni_pressure_energy,
                     .acts = cdni_pressure_acts },
  [LAW_SPRINGS] = { .name = "springs of a mesh",
                    .find = cdni_find_springs,
                    .pressure = LAW_SPRING,
                    .damping = 1,
                    .features = 1,
                    .near = cdni_springs_near,
                    .force = cdni_foundation_force },
};

/* Its curvatures are the same wherever it is touched: a ball's, or none of what counts as flat. */
static bool is_steady(const geometry_kind *k) { return k->contact == CONTACT_FACES || k->is_swept; }

/* By what the two surfaces are; the kinds are in ascending order. */
static const contact_law *law_of_surfaces(const geometry_kind *low, const geometry_kind *high, bool ground) {
  const geometry_contact a = low->contact, b = high->contact;
  if (a == CONTACT_WITHOUT_LAW || b == CONTACT_WITHOUT_LAW) return NULL;
  if (a == CONTACT_SPRINGS || b == CONTACT_SPRINGS) return &laws[LAW_SPRINGS];
  if (a == CONTACT_ROUND || b == CONTACT_ROUND)
    return &laws[is_steady(low) && is_steady(high) ? LAW_ROUND : LAW_VARYING];
  /* columns of a height field have an end above only */
  const bool any_heights = a == CONTACT_HEIGHTS || b == CONTACT_HEIGHTS, both = a == b;
  return any_heights && (ground || both) ? NULL : &laws[LAW_POLYGONS];
}

const contact_law *cdni_library_law(cdn_geometry_kind a, cdn_geometry_kind b) {
  const cdn_geometry_kind low = a < b ? a : b, high = a < b ? b : a;
  /* the springs of a mesh ask for distances of points only */
  if (low == CDN_GEOMETRY_MESH && high == CDN_GEOMETRY_HEIGHT_FIELD) return &laws[LAW_SPRINGS];
  if (!cdn_geometry_pair_is_supported(a, b)) return NULL;
  if (low == CDN_GEOMETRY_SPHERE && (high == CDN_GEOMETRY_SPHERE || high == CDN_GEOMETRY_HALF_SPACE))
    return &laws[LAW_BALLS];
  const bool ground = low == CDN_GEOMETRY_HALF_SPACE || high == CDN_GEOMETRY_HALF_SPACE;
  const geometry_kind *kinds[2] = { cdni_geometry_kinds[low], cdni_geometry_kinds[high] };
  if (ground && (kinds[0]->stands_on_ends || kinds[1]->stands_on_ends)) return &laws[LAW_ENDS];
  return law_of_surfaces(kinds[0], kinds[1], ground);
}

bool cdni_library_law_acts(const cdn_geometry *a, const cdn_geometry *b) {
  const contact_law *law = cdni_library_law(a->kind, b->kind);
  if (law != &laws[LAW_VARYING]) return law != NULL;
  const bool any_round =
      kind_of(a)->is_swept || kind_of(b)->is_swept || cdni_curvature_varies(a) || cdni_curvature_varies(b);
  return any_round && cdni_pair_is_supported(a, b);
}

void cdni_contact_choose_laws(contact_room *room) {
  static const contact_law rows = { .name = "rows", .features = 1 };
  for (int a = 0; a < CDN_GEOMETRY_KIND_COUNT; a++)
    for (int b = 0; b < CDN_GEOMETRY_KIND_COUNT; b++) {
      const cdn_geometry_kind kinds[2] = { (cdn_geometry_kind)a, (cdn_geometry_kind)b };
      const own_law *own = cdni_contact_own_law(room, kinds[0], kinds[1]);
      for (int k = 0; k <= CDN_CONTACT_RIGID; k++) {
        const contact_law *librarys = k == CDN_CONTACT_COMPLIANT ? cdni_library_law(kinds[0], kinds[1]) : &rows;
        room->law[k][a][b] = own ? &own->law : librarys;
      }
    }
}

bool cdni_contact_has_law(cdn_geometry_kind a, cdn_geometry_kind b) { return cdni_library_law(a, b) != NULL; }

/* ---- where a law acts ---- */

bool cdni_law_near(const contact_law *law, const cdn_geometry *const g[2], const cdn_transform *const X[2],
                   cdn_proximity *near, double *share) {
  *share = 1;
  return law && law->near ? law->near(g, X, near) : cdni_contact_near(g, X, INFINITY, near, share);
}

double cdni_law_reach(const contact_law *law, const cdn_geometry *a, const cdn_geometry *b) {
  return law && law->reach ? law->reach(a, b) : 0;
}
