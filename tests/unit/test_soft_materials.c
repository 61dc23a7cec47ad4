/* Soft materials of shapes and pairs: what they are together, and the points of soft contact that have them. */
#include "../testing.h"
#include "contact/contact.h"

#include <cardan/contact_law.h>

static cdn_body add_ball_body(cdn_system *system) {
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_FREE;
  def.mass.mass = 1, def.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
  return cdn_system_add_body(system, &def);
}

static cdn_shape add_shape(cdn_system *system, cdn_body body, cdn_geometry g, const cdn_soft_material *soft) {
  cdn_shape_def def = cdn_default_shape_def();
  def.body = body, def.geometry = g, def.soft = soft;
  return cdn_system_add_shape(system, &def);
}

static const cdn_geometry ball = { .kind = CDN_GEOMETRY_SPHERE, .size = { 0.1 } },
                          ground = { .kind = CDN_GEOMETRY_HALF_SPACE },
                          pill = { .kind = CDN_GEOMETRY_CAPSULE, .size = { 0.1, 0.2 } },
                          brick = { .kind = CDN_GEOMETRY_BOX, .size = { 0.3, 0.2, 0.1 } };

/* A shape on Ground and one on a free body. */
typedef struct scene {
  cdn_system *system;
  cdn_state *state;
  cdn_shape a, b;
  cdn_contact_pair pair;
} scene;

static scene begin(cdn_geometry a, const cdn_soft_material *of_a, cdn_geometry b, const cdn_soft_material *of_b,
                   const cdn_soft_pair_material *of_pair) {
  scene s = { .system = cdn_system_create(NULL), .pair = { -1 } };
  cdn_contact_def def = cdn_default_contact_def();
  def.model = CDN_CONTACT_SOFT;
  cdn_system_set_contact(s.system, &def);
  s.a = add_shape(s.system, cdn_ground(), a, of_a);
  s.b = add_shape(s.system, add_ball_body(s.system), b, of_b);
  if (of_pair) {
    cdn_contact_pair_def pair = cdn_default_contact_pair_def();
    pair.a = s.b, pair.b = s.a, pair.soft = of_pair;
    s.pair = cdn_system_add_contact_pair(s.system, &pair);
  }
  OK_FREEZE(s.system);
  OK(cdn_state_create(s.system, &s.state));
  return s;
}

static void end(scene *s) {
  cdn_state_destroy(s->state);
  cdn_system_release(s->system);
}

static int points_at(scene *s, double x, double y, double z, const contact_point **p) {
  int n;
  const double q[] = { 1, 0, 0, 0, x, y, z };
  OK_ON(s->state, cdn_state_set_q(s->state, q));
  OK_ON(s->state, cdni_contact_points(cdni_contact(s->system), s->state, p, &n));
  return n;
}

START_TEST(points_lie_midway) {
  const contact_point *p;
  scene s = begin(ground, NULL, ball, NULL, NULL);
  ck_assert_int_eq(points_at(&s, 1, 2, 0.1001, &p), 0);
  ck_assert_int_eq(points_at(&s, 1, 2, 0.08, &p), 1);
  ck_assert_int_eq(p->a, s.a.i);
  ck_assert_int_eq(p->b, s.b.i);
  ck_assert_int_eq(p->body[0], 0);
  ck_assert_int_eq(p->body[1], 1);
  ck_assert_int_eq(p->pair, -1);
  NEAR(p->distance, -0.02, 1e-15);
  NEAR(p->point.z, -0.01, 1e-15);
  NEAR(p->point.x, 1, 1e-15);
  NEAR(p->normal.z, 1, 1e-15);
  NEAR(cdn_dot(cdn_cross(p->normal, p->tangent[0]), p->tangent[1]), 1, 1e-15);
  /* the defaults are MuJoCo's */
  const double friction[] = { 1, 1, 0.005, 0.0001, 0.0001 }, imp[] = { 0.9, 0.95, 0.001, 0.5, 2 };
  for (int i = 0; i < 5; i++) ck_assert(p->soft.friction[i] == friction[i] && p->soft.law.imp[i] == imp[i]);
  ck_assert(p->soft.law.ref[0] == 0.02 && p->soft.law.ref[1] == 1 && p->soft.margin == 0 && p->soft.dimension == 3);
  end(&s);
  s = begin(ground, NULL, pill, NULL, NULL);
  ck_assert_int_eq(points_at(&s, 0, 0, 0.29, &p), 1); /* it stands on one end */
  end(&s);
  s = begin(ground, NULL, brick, NULL, NULL);
  ck_assert_int_eq(points_at(&s, 0, 0, 0.09, &p), 4);
  for (int i = 1; i < 4; i++) ck_assert_int_gt(p[i].feature, p[i - 1].feature);
  end(&s);
}
END_TEST

START_TEST(margins_reach_out) {
  const contact_point *p;
  cdn_soft_material near = cdn_default_soft_material(), far = near;
  near.margin = 0.01, near.gap = 0.004;
  far.margin = 0.05, far.gap = 0.002;
  cdn_soft_pair_material of_pair = cdn_default_soft_pair_material();
  of_pair.margin = 0.2;
  scene s = begin(ground, &near, ball, &far, NULL);
  ck_assert_int_eq(points_at(&s, 0, 0, 0.151, &p), 0);
  ck_assert_int_eq(points_at(&s, 0, 0, 0.149, &p), 1);
  NEAR(p->soft.margin, 0.046, 1e-15);
  NEAR(p->point.z, 0.0245, 1e-15);
  far.margin = 0.02;
  OK_ON(s.state, cdn_shape_set_soft_material(s.state, s.b, &far));
  ck_assert_int_eq(points_at(&s, 0, 0, 0.149, &p), 0);
  end(&s);
  s = begin(ground, &near, ball, &far, &of_pair);
  ck_assert_int_eq(points_at(&s, 0, 0, 0.299, &p), 1);
  ck_assert_int_eq(p->pair, 0);
  NEAR(p->soft.margin, 0.196, 1e-15);
  of_pair.margin = 0, of_pair.gap = 0;
  OK_ON(s.state, cdn_contact_pair_set_soft_material(s.state, s.pair, &of_pair));
  ck_assert_int_eq(points_at(&s, 0, 0, 0.101, &p), 0);
  ck_assert_int_eq(points_at(&s, 0, 0, 0.099, &p), 1);
  NEAR(p->soft.margin, 0, 0);
  end(&s);
}
END_TEST

START_TEST(materials_are_mixed) {
  const contact_point *p;
  cdn_soft_material a = cdn_default_soft_material(), b = a;
  a.law = (cdn_soft_law){ { 0.01, 2 }, { 0.1, 0.2, 0.3, 0.4, 5 } }, a.friction[0] = 0.3, a.friction[2] = 0.7;
  a.solmix = 3, a.condim = 4;
  b.law = (cdn_soft_law){ { 0.05, 1 }, { 0.5, 0.6, 0.7, 0.8, 1 } }, b.friction[0] = 0.2, b.condim = 1;
  scene s = begin(ground, &a, ball, &b, NULL);
  points_at(&s, 0, 0, 0.09, &p);
  NEAR(p->soft.law.ref[0], 0.02, 1e-15);
  NEAR(p->soft.law.ref[1], 1.75, 1e-15);
  NEAR(p->soft.law.imp[0], 0.2, 1e-15);
  NEAR(p->soft.law.imp[4], 4, 1e-15);
  NEAR(p->soft.friction[1], 0.3, 0);
  NEAR(p->soft.friction[2], 0.005, 0);
  NEAR(p->soft.friction[4], 0.7, 0);
  ck_assert_int_eq(p->soft.dimension, 4);
  /* stiffness and damping: the stronger ones; a weight of 0 leaves all to the other */
  b.law.ref[0] = -100, b.law.ref[1] = -5, a.solmix = 0;
  OK_ON(s.state, cdn_shape_set_soft_material(s.state, s.a, &a));
  OK_ON(s.state, cdn_shape_set_soft_material(s.state, s.b, &b));
  points_at(&s, 0, 0, 0.09, &p);
  NEAR(p->soft.law.ref[0], -100, 0);
  NEAR(p->soft.law.ref[1], -5, 0);
  NEAR(p->soft.law.imp[0], 0.5, 0);
  b.priority = 1;
  OK_ON(s.state, cdn_shape_set_soft_material(s.state, s.b, &b));
  points_at(&s, 0, 0, 0.09, &p);
  NEAR(p->soft.friction[0], 0.2, 0);
  ck_assert_int_eq(p->soft.dimension, 1);
  end(&s);
}
END_TEST

START_TEST(wrong_numbers_are_refused) {
  scene s = begin(ground, NULL, ball, NULL, NULL);
  const cdn_soft_material good = cdn_default_soft_material();
  static const struct {
    size_t at;
    double value;
  } wrong[] = {
    { offsetof(cdn_soft_material, law.ref[0]), NAN }, { offsetof(cdn_soft_material, law.ref[0]), -1 },
    { offsetof(cdn_soft_material, law.imp[0]), 1.5 }, { offsetof(cdn_soft_material, law.imp[2]), -1 },
    { offsetof(cdn_soft_material, law.imp[3]), -1 },  { offsetof(cdn_soft_material, law.imp[4]), INFINITY },
    { offsetof(cdn_soft_material, friction[1]), -1 }, { offsetof(cdn_soft_material, solmix), -1 },
    { offsetof(cdn_soft_material, margin), -1 },      { offsetof(cdn_soft_material, gap), NAN },
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    cdn_soft_material m = good;
    memcpy((char *)&m + wrong[i].at, &wrong[i].value, sizeof(double));
    FAILS(cdn_shape_set_soft_material(s.state, s.b, &m), CDN_ERR_ARG);
    cdn_system *system = cdn_system_create(NULL);
    add_shape(system, cdn_ground(), ball, &m);
    FAILS(cdn_system_freeze(system), CDN_ERR_ARG);
    cdn_system_release(system);
  }
  cdn_soft_material m = good;
  m.condim = 2;
  FAILS(cdn_shape_set_soft_material(s.state, s.b, &m), CDN_ERR_ARG);
  FAILS(cdn_shape_set_soft_material(s.state, (cdn_shape){ 7 }, &good), CDN_ERR_ARG);
  const cdn_soft_pair_material of_pair = cdn_default_soft_pair_material();
  FAILS(cdn_contact_pair_set_soft_material(s.state, (cdn_contact_pair){ 0 }, &of_pair), CDN_ERR_ARG);
  end(&s);
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_def def = cdn_default_contact_def();
  def.model = (cdn_contact_model)7;
  cdn_system_set_contact(system, &def);
  FAILS(cdn_system_freeze(system), CDN_ERR_ARG);
  cdn_system_release(system);
}
END_TEST

START_TEST(compliant_systems_have_no_soft_materials) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_shape a = add_shape(system, add_ball_body(system), ball, NULL);
  cdn_state *state;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  const cdn_soft_material m = cdn_default_soft_material();
  FAILS(cdn_shape_set_soft_material(state, a, &m), CDN_ERR_ARG);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* Boxes and height fields have no law; soft contact needs a distance alone. */
START_TEST(soft_contact_needs_no_law) {
  scene s = begin(brick, NULL, (cdn_geometry){ .kind = CDN_GEOMETRY_CYLINDER, .size = { 0.1, 0.1 } }, NULL, NULL);
  const contact_point *p;
  ck_assert_int_ge(points_at(&s, 0, 0, 0.19, &p), 3);
  int n;
  cdn_contact c;
  OK_ON(s.state, cdn_contact_count(s.state, &n));
  ck_assert_int_eq(n, points_at(&s, 0, 0, 0.19, &p));
  OK_ON(s.state, cdn_contact_get(s.state, 0, &c));
  NEAR(c.depth, -p->distance, 0);
  ck_assert(c.a.i == p->a && c.feature == p->feature && c.elastic == 0 && c.power == 0);
  /* the force is that of the contact's rows */
  cdn_soft_group g;
  int rows;
  OK_ON(s.state, cdn_soft_count(s.state, &rows));
  ck_assert_int_eq(rows, n);
  OK_ON(s.state, cdn_soft_get(s.state, 0, &g));
  ck_assert(g.contact == 0 && !g.name && c.force == g.force[0] && c.force > 0);
  NEAR(cdn_norm(cdn_sub(c.point, p->point)), 0, 0);
  end(&s);
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_def def = cdn_default_contact_def();
  def.model = CDN_CONTACT_SOFT;
  cdn_system_set_contact(system, &def);
  add_shape(system, cdn_ground(), ground, NULL);
  add_shape(system, add_ball_body(system), ground, NULL);
  FAILS(cdn_system_freeze(system), CDN_ERR_UNSUPPORTED);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("soft materials", points_lie_midway, margins_reach_out, materials_are_mixed, wrong_numbers_are_refused,
           compliant_systems_have_no_soft_materials, soft_contact_needs_no_law)
