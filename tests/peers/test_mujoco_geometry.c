/* Points, normals and distances of the pairs that MuJoCo has in closed form, at random poses: MuJoCo's contacts are at
 * the middle of the two points, and its dist is the signed distance. */
#include "../property/geometry_reference.h"
#include "../testing.h"
#include "mujoco_bridge.h"
#include "mujoco_geometry.h"

static mj_geometry_pair peer;

/* Poses near each other: as deep as a fifth of the sizes, or apart. */
static void place(const cdn_geometry *a, const cdn_geometry *b, cdn_transform *X_WA, cdn_transform *X_WB,
                  cdn_proximity *near) {
  *X_WA = (cdn_transform){ sample_rotation(), sample_direction() };
  *X_WB = (cdn_transform){ sample_rotation(), cdn_add(X_WA->p, cdn_scale(4, sample_direction())) };
  OK(cdn_geometry_distance(a, X_WA, b, X_WB, near));
  X_WB->p = cdn_add(X_WB->p, cdn_scale(sample_number(-0.1, 0.05) - near->distance, near->normal));
  OK(cdn_geometry_distance(a, X_WA, b, X_WB, near));
}

typedef enum compared { ALL, NEAREST, DEPTH } compared;

/* MuJoCo's deepest contact against ours: the point, too (ALL); distance and normal (NEAREST). */
static void compare(cdn_geometry a, cdn_geometry b, compared what, double tolerance) {
  ck_assert(mj_geometry_init(&peer, &a, 0, NULL, &b, 0, NULL));
  ck_assert_ptr_nonnull(peer.function);
  int counted = 0;
  for (int pose = 0; pose < 400; pose++) {
    cdn_transform X_WA, X_WB;
    cdn_proximity near;
    place(&a, &b, &X_WA, &X_WB, &near);
    mj_geometry_pose(&peer, &X_WA, &X_WB);
    const int n = mj_geometry_collide(&peer, 0.06);
    ck_assert_msg(n > 0, "kinds %d and %d: MuJoCo sees no contact at distance %g", (int)a.kind, (int)b.kind,
                  near.distance);
    int deepest = 0;
    for (int i = 1; i < n; i++)
      if (peer.contacts[i].dist < peer.contacts[deepest].dist) deepest = i;
    const mjContact *c = &peer.contacts[deepest];
    NEAR(c->dist, near.distance, tolerance);
    /* Where two corners are equally deep, either may be named. */
    bool alone = true;
    for (int i = 0; i < n; i++) alone = alone && (i == deepest || peer.contacts[i].dist > c->dist + 1e-6);
    if (!alone) continue;
    counted++;
    AT_MOST(cdn_norm(cdn_sub(mj_geometry_normal(&peer, deepest), near.normal)), 1e3 * tolerance);
    if (what != ALL) continue;
    const cdn_vec3 middle = cdn_scale(0.5, cdn_add(near.point_a, near.point_b));
    AT_MOST(cdn_norm(cdn_sub(middle, cdn_v3(c->pos[0], c->pos[1], c->pos[2]))), 1e3 * tolerance);
  }
  ck_assert_int_gt(counted, 200);
  mj_geometry_free(&peer);
}

static const cdn_geometry plane = { .kind = CDN_GEOMETRY_HALF_SPACE },
                          ball = { .kind = CDN_GEOMETRY_SPHERE, .size = { 0.4 } },
                          other_ball = { .kind = CDN_GEOMETRY_SPHERE, .size = { 0.7 } },
                          pill = { .kind = CDN_GEOMETRY_CAPSULE, .size = { 0.3, 0.5 } },
                          other_pill = { .kind = CDN_GEOMETRY_CAPSULE, .size = { 0.2, 0.6 } },
                          brick = { .kind = CDN_GEOMETRY_BOX, .size = { 0.5, 0.3, 0.4 } },
                          other_brick = { .kind = CDN_GEOMETRY_BOX, .size = { 0.4, 0.6, 0.5 } },
                          can = { .kind = CDN_GEOMETRY_CYLINDER, .size = { 0.4, 0.5 } };

START_TEST(closed_forms) {
  mj_bridge_handlers();
  compare(plane, ball, ALL, 1e-13);
  compare(plane, pill, ALL, 1e-13);
  compare(plane, brick, ALL, 1e-13);
  compare(plane, can, ALL, 1e-13);
  compare(ball, other_ball, ALL, 1e-13);
  compare(ball, pill, ALL, 1e-13);
  compare(pill, other_pill, ALL, 1e-13);
  compare(ball, brick, ALL, 1e-13);
}
END_TEST

/* Balls that have one centre: across both z axes, or along x where these are parallel. */
START_TEST(balls_about_one_point) {
  ck_assert(mj_geometry_init(&peer, &ball, 0, NULL, &other_ball, 0, NULL));
  for (int pose = 0; pose < 40; pose++) {
    const cdn_transform X_WA = { sample_rotation(), sample_direction() };
    const cdn_transform X_WB = { pose < 20 ? sample_rotation() : X_WA.R, X_WA.p };
    cdn_proximity near;
    OK(cdn_geometry_distance(&ball, &X_WA, &other_ball, &X_WB, &near));
    mj_geometry_pose(&peer, &X_WA, &X_WB);
    ck_assert_int_eq(mj_geometry_collide(&peer, 0), 1);
    NEAR(near.distance, -1.1, 1e-15);
    NEAR(peer.contacts[0].dist, near.distance, 1e-15);
    AT_MOST(cdn_norm(cdn_sub(mj_geometry_normal(&peer, 0), near.normal)), 1e-13);
  }
  mj_geometry_free(&peer);
}
END_TEST

/* How far the two bricks overlap along n: their extents less the distance of their centres. */
static double overlap_along(const cdn_transform *X_WA, const cdn_transform *X_WB, cdn_vec3 n) {
  const cdn_transform *X[] = { X_WA, X_WB };
  const double *half[] = { brick.size, other_brick.size };
  double sum = -cdn_dot(n, cdn_sub(X_WB->p, X_WA->p));
  for (int i = 0; i < 2; i++)
    sum += half[i][0] * fabs(cdn_dot(n, X[i]->R.x)) + half[i][1] * fabs(cdn_dot(n, X[i]->R.y)) +
           half[i][2] * fabs(cdn_dot(n, X[i]->R.z));
  return sum;
}

/* MuJoCo writes contacts of two boxes that are apart only where faces face each other, and prefers faces to edges: so
 * depths are compared, of boxes that overlap, where its axis is ours. In contacts of a face MuJoCo 2.2.2 writes half
 * the depth; in those of crossed edges the whole depth, as everywhere else. In one pose of a thousand it writes another
 * number, such as -0.13 for crossed edges whose bricks overlap by 0.055 along the normal that both have: so ours is
 * held against the overlap of the bricks along the normal, in every pose. */
START_TEST(boxes) {
  mj_bridge_handlers();
  ck_assert(mj_geometry_init(&peer, &brick, 0, NULL, &other_brick, 0, NULL));
  int same = 0, seen = 0, edges = 0, off = 0;
  for (int pose = 0; pose < 1000; pose++) {
    cdn_transform X_WA, X_WB;
    cdn_proximity near;
    place(&brick, &other_brick, &X_WA, &X_WB, &near);
    if (near.distance > -1e-3) continue;
    mj_geometry_pose(&peer, &X_WA, &X_WB);
    const int n = mj_geometry_collide(&peer, 0);
    if (n == 0) continue;
    seen++;
    int deepest = 0;
    for (int i = 1; i < n; i++)
      if (peer.contacts[i].dist < peer.contacts[deepest].dist) deepest = i;
    const double turn = cdn_norm(cdn_sub(mj_geometry_normal(&peer, deepest), near.normal));
    if (turn < 1e-6) {
      same++;
      bool across_edges = true;
      const cdn_vec3 axes[] = { X_WA.R.x, X_WA.R.y, X_WA.R.z, X_WB.R.x, X_WB.R.y, X_WB.R.z };
      for (int i = 0; i < 6; i++) across_edges = across_edges && fabs(cdn_dot(axes[i], near.normal)) < 1 - 1e-9;
      if (across_edges) edges++;
      const double theirs = across_edges ? near.distance : 0.5 * near.distance;
      if (fabs(peer.contacts[deepest].dist - theirs) > 1e-9) off++;
      NEAR(overlap_along(&X_WA, &X_WB, near.normal), -near.distance, 1e-13);
    }
  }
  mj_geometry_free(&peer);
  ck_assert_int_gt(edges, 20);
  AT_MOST(off, 0.005 * same);
  ck_assert_int_gt(seen, 500);
  ck_assert_msg(same > 0.9 * seen, "the normal is MuJoCo's at %d of %d poses", same, seen);
}
END_TEST

/* MuJoCo finds the nearest places of the segment of a capsule by cases, and writes one or two contacts. */
START_TEST(capsule_and_box) {
  mj_bridge_handlers();
  ck_assert(mj_geometry_init(&peer, &pill, 0, NULL, &brick, 0, NULL));
  int same = 0, seen = 0;
  for (int pose = 0; pose < 1000; pose++) {
    cdn_transform X_WA, X_WB;
    cdn_proximity near;
    place(&pill, &brick, &X_WA, &X_WB, &near);
    mj_geometry_pose(&peer, &X_WA, &X_WB);
    const int n = mj_geometry_collide(&peer, 0.06);
    if (n == 0) continue;
    seen++;
    double least = INFINITY;
    for (int i = 0; i < n; i++) least = fmin(least, peer.contacts[i].dist);
    if (fabs(least - near.distance) < 1e-9) same++;
  }
  ck_assert_msg(seen > 800 && same > 0.9 * seen, "the distance is MuJoCo's at %d of %d poses", same, seen);
  mj_geometry_free(&peer);
}
END_TEST

CHECK_MAIN("mujoco_geometry", closed_forms, balls_about_one_point, boxes, capsule_and_box)
