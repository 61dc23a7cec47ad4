/* What a step has swept: where a plane is said to have been between two convex shapes all the time, they are apart at
 * all times of a motion that is known, turns included; and where one slides close along the face of another one that
 * turns, that is seen. */
#include "../testing.h"
#include "contact/swept.h"
#include "geometry_reference.h"

enum { TIMES = 40 };

typedef struct motion {
  cdn_rotation R;
  cdn_vec3 c, v, a, w;
} motion;

static shape_mark mark_of(const motion *m, double t) {
  const double angle = t * cdn_norm(m->w);
  const cdn_vec3 axis = angle != 0 ? cdn_scale(t / angle, m->w) : cdn_v3(0, 0, 1);
  const cdn_vec3 c = cdn_add(m->c, cdn_add(cdn_scale(t, m->v), cdn_scale(0.5 * t * t, m->a)));
  return (shape_mark){ .X = { cdn_rotation_multiply(cdn_rotation_axis_angle(axis, angle), m->R), c },
                       .c = c,
                       .v = cdn_add(m->v, cdn_scale(t, m->a)),
                       .w = m->w,
                       .turn = cdn_norm(m->w) };
}

static shape_place place_of(const sample_geometry *s) {
  const bool ends = s->geometry.kind != CDN_GEOMETRY_HALF_SPACE;
  return (shape_place){ .geometry = s->geometry,
                        .radius = ends ? sample_radius(s) : INFINITY,
                        .depth = ends ? 0.1 : INFINITY };
}

/* Whether a plane across the normal at the end is said to have been between them. */
static bool is_beside(const shape_place *places, const motion *m, double h, double *distance) {
  const shape_mark a[2] = { mark_of(&m[0], 0), mark_of(&m[1], 0) }, b[2] = { mark_of(&m[0], h), mark_of(&m[1], h) };
  const int both[2] = { 0, 1 };
  cdn_proximity near;
  OK(cdn_geometry_distance(&places[0].geometry, &b[0].X, &places[1].geometry, &b[1].X, &near));
  *distance = near.distance;
  const pair_motion swept = cdni_swept_pair(places, both, a, b, h);
  return cdni_swept_beside(&swept, places, both, a, b, h, near.normal, near.distance);
}

static void stay_apart(const shape_place *places, const motion *m, double h) {
  for (int k = 0; k <= TIMES; k++) {
    const shape_mark at[2] = { mark_of(&m[0], h * k / TIMES), mark_of(&m[1], h * k / TIMES) };
    cdn_proximity near;
    OK(cdn_geometry_distance(&places[0].geometry, &at[0].X, &places[1].geometry, &at[1].X, &near));
    ck_assert_msg(near.distance > -1e-12, "after %d/%d of %g s kinds %d and %d are %g deep", k, TIMES, h,
                  (int)places[0].geometry.kind, (int)places[1].geometry.kind, -near.distance);
  }
}

static motion random_motion(void) {
  return (motion){ .R = sample_rotation(),
                   .c = cdn_scale(0.1, sample_direction()),
                   .v = cdn_scale(sample_number(0, 2), sample_direction()),
                   .a = cdn_scale(sample_number(0, 10), sample_direction()),
                   .w = cdn_scale(sample_number(0, 1) < 0.2 ? 0 : sample_number(0, 10), sample_direction()) };
}

START_TEST(what_is_beside_stays_apart) {
  static const cdn_geometry_kind kinds[] = { CDN_GEOMETRY_HALF_SPACE, CDN_GEOMETRY_BOX, CDN_GEOMETRY_CYLINDER,
                                             CDN_GEOMETRY_CAPSULE, CDN_GEOMETRY_CONVEX };
  int beside = 0;
  for (int n = 0; n < 4000; n++) {
    sample_geometry s[2];
    sample_make(kinds[n % 5], 0.3, &s[0]);
    sample_make(kinds[1 + n / 5 % 4], 0.3, &s[1]);
    const shape_place places[2] = { place_of(&s[0]), place_of(&s[1]) };
    motion m[2] = { random_motion(), random_motion() };
    const double h = pow(10, sample_number(-7, -1)), gap = pow(10, sample_number(-9, -2));
    double distance;
    if (n % 3 == 0) m[1].v = m[0].v, m[1].w = m[0].w; /* next to each other at first */
    /* at the end they are that far apart */
    cdn_proximity near;
    const shape_mark b[2] = { mark_of(&m[0], h), mark_of(&m[1], h) };
    OK(cdn_geometry_distance(&places[0].geometry, &b[0].X, &places[1].geometry, &b[1].X, &near));
    m[1].c = cdn_add(m[1].c, cdn_scale(gap - near.distance, near.normal));
    if (is_beside(places, m, h, &distance)) stay_apart(places, m, h), beside++;
    for (int k = 0; k < 2; k++) sample_free(&s[k]);
  }
  ck_assert_int_gt(beside, 1000);
}
END_TEST

/* A box slides along the top of another one that turns about its middle: the gap stays. */
START_TEST(what_slides_along_a_turning_face_is_beside) {
  const double half[2] = { 0.2, 0.1 }, gap = 1e-8, h = 1e-5;
  sample_geometry s[2];
  for (int k = 0; k < 2; k++)
    s[k] = (sample_geometry){ .geometry = { .kind = CDN_GEOMETRY_BOX, .size = { half[k], half[k], half[k] } } };
  shape_place places[2] = { place_of(&s[0]), place_of(&s[1]) };
  for (int n = 0; n < 100; n++) {
    const cdn_vec3 w = cdn_scale(3, sample_direction());
    motion m[2] = { { .R = sample_rotation(), .w = w }, { .w = w } };
    m[1].R = cdn_rotation_multiply(m[0].R, cdn_rotation_axis_angle(cdn_v3(0, 0, 1), sample_number(0, 6)));
    m[1].c = cdn_rotate(m[0].R, cdn_v3(sample_number(-0.1, 0.1), 0, half[0] + half[1] + gap));
    const cdn_vec3 slide = cdn_rotate(m[0].R, cdn_v3(1, 0.5, 0)), carried = cdn_cross(w, m[1].c);
    m[1].v = cdn_add(slide, carried);
    m[1].a = cdn_add(cdn_cross(w, carried), cdn_scale(2, cdn_cross(w, slide)));
    double distance;
    ck_assert_msg(is_beside(places, m, h, &distance), "%d: gap %g", n, distance);
    stay_apart(places, m, h);
  }
}
END_TEST

/* One box turns, the other one turns with it and moves on a straight line, along the same face at both ends: in between
 * it comes nearer, or goes away. */
START_TEST(what_cuts_a_corner_is_not_beside) {
  const double half[2] = { 0.2, 0.1 };
  sample_geometry s[2];
  for (int k = 0; k < 2; k++)
    s[k] = (sample_geometry){ .geometry = { .kind = CDN_GEOMETRY_BOX, .size = { half[k], half[k], half[k] } } };
  const shape_place places[2] = { place_of(&s[0]), place_of(&s[1]) };
  int beside = 0;
  for (int n = 0; n < 2000; n++) {
    const double h = pow(10, sample_number(-5, -1)), gap = pow(10, sample_number(-9, -1)),
                 top = half[0] + half[1] + gap;
    const double x = sample_number(-0.2, 0.2), y = sample_number(-0.2, 0.2);
    motion m[2] = { { .R = sample_rotation(), .w = cdn_scale(sample_number(0, 5), sample_direction()) },
                    { .w = { 0 } } };
    m[1].R = m[0].R, m[1].w = m[0].w;
    m[1].c = cdn_rotate(m[0].R, cdn_v3(x, y, top));
    const cdn_vec3 end = cdn_rotate(mark_of(&m[0], h).X.R, cdn_v3(x + sample_number(-2, 2) * h, y, top));
    m[1].v = cdn_scale(1 / h, cdn_sub(end, m[1].c));
    double distance;
    if (is_beside(places, m, h, &distance)) stay_apart(places, m, h), beside++;
  }
  ck_assert_int_gt(beside, 200);
}
END_TEST

CHECK_MAIN("swept", what_is_beside_stays_apart, what_slides_along_a_turning_face_is_beside,
           what_cuts_a_corner_is_not_beside)
