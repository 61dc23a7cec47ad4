/* Features of rigid contact: gap, normal and point of each move as their rates say, by differences of the pose. */
#include "contact/rigid.h"
#include "random_tree.h"

static cdn_geometry half_space(void) { return (cdn_geometry){ .kind = CDN_GEOMETRY_HALF_SPACE }; }
static cdn_geometry sphere(double r) { return (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { r } }; }
static cdn_geometry box(double x, double y, double z) {
  return (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { x, y, z } };
}
static cdn_geometry cylinder(double r, double h) {
  return (cdn_geometry){ .kind = CDN_GEOMETRY_CYLINDER, .size = { r, h } };
}
static cdn_geometry capsule(double r, double h) {
  return (cdn_geometry){ .kind = CDN_GEOMETRY_CAPSULE, .size = { r, h } };
}

typedef struct rate_pair {
  const char *name;
  cdn_geometry g[2];
} rate_pair;

static cdn_transform moved(const cdn_transform *X, const rigid_motion *m, double h) {
  const double angle = cdn_norm(m->w) * h;
  const cdn_vec3 axis = angle != 0 ? cdn_scale(1 / cdn_norm(m->w), m->w) : cdn_v3(0, 0, 1);
  const cdn_quaternion turn = { cos(0.5 * angle), sin(0.5 * angle) * axis.x, sin(0.5 * angle) * axis.y,
                                sin(0.5 * angle) * axis.z };
  const cdn_rotation R = cdn_rotation_from_quaternion(turn);
  cdn_transform out;
  out.R.x = cdn_rotate(R, X->R.x), out.R.y = cdn_rotate(R, X->R.y), out.R.z = cdn_rotate(R, X->R.z);
  out.p = cdn_add(cdn_add(m->at, cdn_scale(h, m->v)), cdn_rotate(R, cdn_sub(X->p, m->at)));
  return out;
}

typedef struct told_features {
  rigid_feature f[400];
  int n;
} told_features;
static void keep_feature(void *context, const rigid_feature *f, double gap) {
  told_features *t = context;
  (void)gap;
  if (t->n < (int)(sizeof t->f / sizeof *t->f)) t->f[t->n++] = *f;
}

static void check_rates(const rate_pair *pair, rng *r) {
  const rigid_pair base = { .g = { &pair->g[0], &pair->g[1] }, .size = 0.1 };
  cdn_transform X[2];
  rigid_motion m[2];
  for (int k = 0; k < 2; k++) {
    cdn_quaternion a = { uniform(r, -1, 1), uniform(r, -1, 1), uniform(r, -1, 1), uniform(r, -1, 1) };
    X[k].R = cdn_rotation_from_quaternion(a);
    X[k].p =
        k == 0 ? cdn_v3(0, 0, 0) : cdn_v3(0.35 * uniform(r, -1, 1), 0.35 * uniform(r, -1, 1), 0.35 * uniform(r, -1, 1));
    m[k].w = cdn_v3(uniform(r, -1, 1), uniform(r, -1, 1), uniform(r, -1, 1)),
    m[k].v = cdn_v3(uniform(r, -1, 1), uniform(r, -1, 1), uniform(r, -1, 1));
    m[k].at = cdn_v3(uniform(r, -1, 1), uniform(r, -1, 1), uniform(r, -1, 1));
  }
  rigid_pair p = base;
  p.X[0] = &X[0], p.X[1] = &X[1];
  told_features features = { .n = 0 };
  cdni_rigid_visit(&p, &(rigid_feature){ .b = 1 }, 0.5, keep_feature, &features);
  for (int i = 0; i < features.n; i++) {
    const rigid_feature *f = &features.f[i];
    rigid_touch now, ahead, back;
    const double h = 1e-5;
    cdn_transform Xa[2], Xb[2];
    for (int k = 0; k < 2; k++) Xa[k] = moved(&X[k], &m[k], h), Xb[k] = moved(&X[k], &m[k], -h);
    rigid_pair a = p, b = p;
    a.X[0] = &Xa[0], a.X[1] = &Xa[1], b.X[0] = &Xb[0], b.X[1] = &Xb[1];
    ck_assert(cdni_rigid_measure(&p, f, m, &now));
    ck_assert(cdni_rigid_measure(&a, f, NULL, &ahead) && cdni_rigid_measure(&b, f, NULL, &back));
    /* nearest points on edges: their sharpness stands for a corner at a gap of zero alone */
    if (f->kind == RIGID_CLOSEST && pair->g[1].kind != CDN_GEOMETRY_ELLIPSOID) continue;
    /* between two sides of a surface the normal jumps: differences say nothing there */
    if (cdn_norm(cdn_sub(ahead.normal, back.normal)) > 1e-3) continue;
    const cdn_vec3 v[2] = { cdn_add(m[0].v, cdn_cross(m[0].w, cdn_sub(now.point, m[0].at))),
                            cdn_add(m[1].v, cdn_cross(m[1].w, cdn_sub(now.point, m[1].at))) };
    const double rate = cdn_dot(now.normal, cdn_sub(v[1], v[0]));
    const cdn_vec3 normal = cdn_scale(0.5 / h, cdn_sub(ahead.normal, back.normal));
    const cdn_vec3 point = cdn_scale(0.5 / h, cdn_sub(ahead.point, back.point));
    /* the third derivative over h^2, and rounding over h; edges that are nearly parallel turn fast */
    const double scale = 1 + cdn_norm(now.normal_rate) + cdn_norm(now.point_rate);
    const double most = 1e-7 * scale * scale * scale;
    ck_assert_msg(fabs(rate - 0.5 * (ahead.gap - back.gap) / h) < most, "%s: rate of gap %g, not %g, of feature %d",
                  pair->name, rate, 0.5 * (ahead.gap - back.gap) / h, f->kind);
    ck_assert_msg(cdn_norm(cdn_sub(normal, now.normal_rate)) < most, "%s: normal of feature %d off by %g", pair->name,
                  f->kind, cdn_norm(cdn_sub(normal, now.normal_rate)));
    ck_assert_msg(cdn_norm(cdn_sub(point, now.point_rate)) < most, "%s: point of feature %d off by %g", pair->name,
                  f->kind, cdn_norm(cdn_sub(point, now.point_rate)));
  }
}

START_TEST(rates_of_features_are_those_of_motion) {
  const cdn_geometry ellipsoid = { .kind = CDN_GEOMETRY_ELLIPSOID, .size = { 0.1, 0.15, 0.2 } };
  const rate_pair pairs[] = {
    { "balls", { sphere(0.1), sphere(0.15) } },
    { "ball and half-space", { half_space(), sphere(0.1) } },
    { "ball and box", { sphere(0.1), box(0.1, 0.15, 0.2) } },
    { "ball and cylinder", { sphere(0.1), cylinder(0.1, 0.15) } },
    { "ball and ellipsoid", { ellipsoid, sphere(0.1) } },
    { "capsules", { capsule(0.1, 0.2), capsule(0.05, 0.1) } },
    { "capsule and box", { capsule(0.1, 0.2), box(0.1, 0.15, 0.2) } },
    { "boxes", { box(0.1, 0.2, 0.3), box(0.1, 0.15, 0.2) } },
    { "box and half-space", { box(0.1, 0.2, 0.3), half_space() } },
    { "cylinder and half-space", { half_space(), cylinder(0.1, 0.2) } },
    { "cylinder and box", { box(0.1, 0.15, 0.2), cylinder(0.1, 0.2) } },
    { "cylinder and capsule", { cylinder(0.1, 0.15), capsule(0.1, 0.2) } },
    { "cylinders", { cylinder(0.1, 0.15), cylinder(0.05, 0.3) } },
    { "ellipsoid and half-space", { half_space(), ellipsoid } },
    { "ellipsoids", { ellipsoid, ellipsoid } },
  };
  rng r = rng_of(17);
  for (int i = 0; i < (int)(sizeof pairs / sizeof *pairs); i++)
    for (int k = 0; k < 40; k++) check_rates(&pairs[i], &r);
}
END_TEST

static void add(TCase *c) { tcase_add_test(c, rates_of_features_are_those_of_motion); }

CHECK_MAIN_OF("rigid features", 60, add)
