/* Distance of two bounded convex geometries, and of a triangle and one: what has no closed form. */
#include "geometry/convex/survey.h"

static cdn_vec3 fill_core(core *c, const cdn_geometry *g) {
  const geometry_kind *kind = kind_of(g);
  *c = (core){ .corner = kind->corner,
               .curve = kind->curve,
               .size = { g->size[0], g->size[1], g->size[2] },
               .radius = kind->is_swept ? g->size[0] : 0,
               .geometry = g };
  if (kind->corner == CORNER_HULL && g->surface->n_columns > 0) c->kernels = cdni_survey_kernels[cdni_kernel_set(1)];
  cdn_vec3 middle = cdn_v3(0, 0, 0);
  if (kind->corner == CORNER_SUPPORT || kind->corner == CORNER_HULL) kind->ball(g, &middle);
  return middle;
}

static double corner_extent(const core *c) {
  switch (c->corner) {
    case CORNER_POINT: return 0;
    case CORNER_SEGMENT: return c->size[1];
    case CORNER_BOX: return c->size[0] + c->size[1] + c->size[2];
    case CORNER_TRIANGLE: {
      double most = 0;
      for (int i = 0; i < 3; i++)
        most = fmax(most, fabs(c->triangle[i].x) + fabs(c->triangle[i].y) + fabs(c->triangle[i].z));
      return most;
    }
    default: {
      cdn_vec3 center;
      const double radius = kind_of(c->geometry)->ball(c->geometry, &center);
      return radius + cdn_norm(center);
    }
  }
}

static double extent(const core *c) {
  const double corner = corner_extent(c);
  if (c->curve == CURVE_DISK) return c->size[0] + corner;
  return c->curve == CURVE_ELLIPSOID ? c->size[0] + c->size[1] + c->size[2] : corner;
}

/* The radius of a ball about the middle of the core that is within it. */
static double inner_radius(const core *c) {
  if (c->curve == CURVE_DISK) return fmin(c->size[0], c->size[1]);
  if (c->curve == CURVE_ELLIPSOID || c->corner == CORNER_BOX) return fmin(c->size[0], fmin(c->size[1], c->size[2]));
  return c->corner == CORNER_HULL ? c->geometry->surface->inner_radius : 0;
}

/* The radius of the ball that touches an ellipsoid from inside at any of its points. */
static double rolling_radius(const core *c) {
  if (c->curve != CURVE_ELLIPSOID) return 0;
  const double least = fmin(c->size[0], fmin(c->size[1], c->size[2]));
  return least * least / fmax(c->size[0], fmax(c->size[1], c->size[2]));
}

static cdn_vec3 prepare(core_pair *pair) {
  pair->curved = pair->a.curve || pair->b.curve;
  pair->radii = pair->a.radius + pair->b.radius;
  pair->scale = extent(&pair->a) + extent(&pair->b) + fabs(pair->p.x) + fabs(pair->p.y) + fabs(pair->p.z);
  pair->inner = inner_radius(&pair->a) + inner_radius(&pair->b);
  pair->far = -INFINITY, pair->parted = false;
  pair->rolling = rolling_radius(&pair->a) + rolling_radius(&pair->b);
  return unit_or(pair->toward, cdn_v3(1, 0, 0));
}

static bool solve(core_pair *pair, double reach, core_answer *answer) {
  cdn_vec3 n = prepare(pair);
  probe q;
  pair_probe(pair, n, &q);
  const double h = cdn_dot(n, q.w);
  pair->far = -(pair->radii + reach);
  if (h < pair->far) return false;
  simplex s;
  minimum found;
  survey_end end = SURVEY_OPEN;
  const bool known_forms = pair->a.corner != CORNER_SUPPORT && pair->b.corner != CORNER_SUPPORT;
  if (h > 0 && known_forms && pair->curved) end = cdni_survey(pair, &n, h, &found);
  if (end == SURVEY_FAR) return false;
  if (end == SURVEY_LEAST) *answer = found.answer;
  else if (end != SURVEY_LOCAL || !cdni_deep(pair, &s, &found, answer)) {
    /* Of polytopes the certificate proves few minima, and a polytope that grows is short. */
    const bool polytopes = known_forms && !pair->curved && pair->radii == 0 && pair->a.corner != CORNER_TRIANGLE;
    if (h > 0 && polytopes && cdni_deep_toward(pair, &n, &q, answer)) return true;
    const gjk_end way = cdni_gjk(pair, n, reach, &s, answer);
    if (way == GJK_FAR) return false;
    if (way != GJK_APART) cdni_deep(pair, &s, NULL, answer);
  }
  return answer->distance - pair->radii <= reach;
}

/* From the cores, in the frame of a, to the geometries, in W. The two points are made to differ by distance * normal.
 * */
static void finish(const core_pair *pair, const core_answer *answer, const cdn_transform *X_WA, cdn_proximity *out) {
  const cdn_vec3 middle = cdn_scale(0.5, cdn_add(g_fma(pair->a.radius, answer->normal, answer->point_a),
                                                 g_fma(-pair->b.radius, answer->normal, answer->point_b)));
  const double distance = answer->distance - pair->radii;
  const cdn_vec3 n = g_rotate(&X_WA->R, answer->normal), at = g_point(X_WA, middle);
  *out = (cdn_proximity){ .distance = distance, .normal = n };
  out->point_a = g_fma(-0.5 * distance, n, at);
  out->point_b = g_fma(0.5 * distance, n, at);
}

static void fill_pair(core_pair *pair, const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                      const cdn_transform *X_WB) {
  const cdn_vec3 middle_a = fill_core(&pair->a, a), middle_b = fill_core(&pair->b, b);
  pair->R.x = g_rotate_inv(&X_WA->R, X_WB->R.x);
  pair->R.y = g_rotate_inv(&X_WA->R, X_WB->R.y);
  pair->R.z = g_rotate_inv(&X_WA->R, X_WB->R.z);
  pair->p = g_point_inv(X_WA, X_WB->p);
  pair->toward = cdn_sub(g_rotate(&pair->R, middle_b), cdn_sub(middle_a, pair->p));
}

bool cdni_convex_distance(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                          const cdn_transform *X_WB, double reach, cdn_proximity *out) {
  core_pair pair;
  core_answer answer;
  fill_pair(&pair, a, X_WA, b, X_WB);
  if (!solve(&pair, reach, &answer)) return false;
  finish(&pair, &answer, X_WA, out);
  return true;
}

bool cdni_convex_apart(const cdn_geometry *a, const cdn_transform *X_WA, const cdn_geometry *b,
                       const cdn_transform *X_WB, double reach) {
  core_pair pair;
  core_answer answer;
  simplex s;
  fill_pair(&pair, a, X_WA, b, X_WB);
  return cdni_gjk(&pair, prepare(&pair), reach, &s, &answer) == GJK_FAR;
}

/* The triangle is seen from its centre, along the axes of W. */
bool cdni_triangle_distance(const cdn_vec3 triangle[3], const cdn_geometry *b, const cdn_transform *X_WB, double reach,
                            cdn_proximity *out) {
  const cdn_vec3 center = cdn_scale(1.0 / 3, cdn_add(triangle[0], cdn_add(triangle[1], triangle[2])));
  cdn_transform X_WA = { cdn_rotation_identity(), center };
  if (b->kind == CDN_GEOMETRY_HALF_SPACE) {
    const cdn_vec3 up = X_WB->R.z;
    int lowest = 0;
    double height[3];
    for (int i = 0; i < 3; i++) {
      height[i] = cdn_dot(up, cdn_sub(triangle[i], X_WB->p));
      if (height[i] < height[lowest]) lowest = i;
    }
    if (height[lowest] > reach) return false;
    proximity_from_a(height[lowest], g_neg(up), triangle[lowest], out);
    return true;
  }
  const cdn_vec3 corners[3] = { cdn_sub(triangle[0], center), cdn_sub(triangle[1], center),
                                cdn_sub(triangle[2], center) };
  core_pair pair;
  const cdn_vec3 middle_b = fill_core(&pair.b, b);
  pair.a = (core){ .corner = CORNER_TRIANGLE, .triangle = corners };
  pair.R = X_WB->R;
  pair.p = cdn_sub(X_WB->p, center);
  pair.toward = cdn_add(pair.p, g_rotate(&pair.R, middle_b));
  core_answer answer;
  if (!solve(&pair, reach, &answer)) return false;
  finish(&pair, &answer, &X_WA, out);
  return true;
}
