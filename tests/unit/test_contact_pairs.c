/* Who may touch whom: masks, groups, exclusions, a filter of the program's, and pairs that touch whatever these say,
 * with numbers of their own. */
#include "../testing.h"

static cdn_body add_body(cdn_system *system, cdn_body parent, cdn_mobilizer mobilizer) {
  cdn_body_def def = cdn_default_body_def();
  def.parent = parent, def.mobilizer = mobilizer;
  def.mass.mass = 1, def.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
  return cdn_system_add_body(system, &def);
}

static cdn_shape_def ball_on(cdn_body body) {
  cdn_shape_def def = cdn_default_shape_def();
  def.body = body, def.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 0.1 } };
  return def;
}

static cdn_contact_pair pair_of(cdn_system *system, const char *name, cdn_shape a, cdn_shape b,
                                const cdn_contact_material *material) {
  cdn_contact_pair_def def = cdn_default_contact_pair_def();
  def.name = name, def.a = a, def.b = b, def.material = material;
  return cdn_system_add_contact_pair(system, &def);
}

/* A chain of three bodies, a piece that is welded to the last, and a body apart; a ball on each. */
typedef struct chain {
  cdn_system *system;
  cdn_body body[5];
  cdn_shape ball[5];
} chain;

static chain make_chain(const cdn_shape_def *like) {
  chain c = { .system = cdn_system_create(NULL) };
  for (int i = 0; i < 5; i++) {
    c.body[i] = add_body(c.system, i > 0 && i < 4 ? c.body[i - 1] : cdn_ground(), i == 3 ? CDN_WELD : CDN_FREE);
    cdn_shape_def def = like[i];
    def.body = c.body[i];
    c.ball[i] = cdn_system_add_shape(c.system, &def);
  }
  return c;
}

static bool may_touch(const chain *c, int i, int j) {
  const bool answer = cdn_shapes_may_touch(c->system, c->ball[i], c->ball[j]);
  ck_assert_int_eq(cdn_shapes_may_touch(c->system, c->ball[j], c->ball[i]), answer);
  return answer;
}

START_TEST(groups_do_not_touch) {
  cdn_shape_def like[5];
  for (int i = 0; i < 5; i++) like[i] = ball_on(cdn_ground());
  like[0].group = like[2].group = 1, like[4].group = 2;
  const chain c = make_chain(like);
  OK_FREEZE(c.system);
  ck_assert(!may_touch(&c, 0, 2));                         /* one group */
  ck_assert(may_touch(&c, 0, 4) && may_touch(&c, 2, 4));   /* two groups */
  ck_assert(may_touch(&c, 0, 3) && may_touch(&c, 1, 4));   /* a group and none; none and none */
  ck_assert(!may_touch(&c, 0, 1) && !may_touch(&c, 2, 3)); /* parent and child; welded */
  cdn_system_release(c.system);
}
END_TEST

START_TEST(pairs_touch_whatever_rules_say) {
  cdn_shape_def like[5];
  for (int i = 0; i < 5; i++) like[i] = ball_on(cdn_ground());
  like[0].group = like[2].group = 1;
  like[4].type = 2, like[4].affinity = 2;
  chain c = make_chain(like);
  cdn_system_exclude_contact(c.system, c.body[0], c.body[3]);
  const cdn_contact_pair p = pair_of(c.system, "elbow", c.ball[1], c.ball[0], NULL);
  pair_of(c.system, NULL, c.ball[0], c.ball[2], NULL);
  pair_of(c.system, NULL, c.ball[4], c.ball[0], NULL);
  pair_of(c.system, NULL, c.ball[0], c.ball[3], NULL);
  const cdn_contact_pair welded = pair_of(c.system, "welded", c.ball[2], c.ball[3], NULL);
  ck_assert_int_eq(cdn_system_contact_pair_count(c.system), 5);
  OK_FREEZE(c.system);
  ck_assert(may_touch(&c, 0, 1));  /* parent and child */
  ck_assert(may_touch(&c, 0, 2));  /* one group */
  ck_assert(may_touch(&c, 0, 4));  /* masks */
  ck_assert(may_touch(&c, 0, 3));  /* excluded */
  ck_assert(!may_touch(&c, 1, 4)); /* no pair */
  ck_assert(!may_touch(&c, 2, 3)); /* nothing between welded bodies can move */
  cdn_contact_pair found;
  cdn_shape a, b;
  found = cdn_system_find_contact_pair(c.system, "elbow");
  ck_assert_int_eq(found.i, p.i);
  OK(cdn_contact_pair_shapes(c.system, p, &a, &b));
  ck_assert(a.i == c.ball[0].i && b.i == c.ball[1].i);
  ck_assert_str_eq(cdn_contact_pair_name(c.system, welded), "welded");
  ck_assert_str_eq(cdn_contact_pair_name(c.system, (cdn_contact_pair){ 1 }), "pair1");
  ck_assert_ptr_null(cdn_contact_pair_name(c.system, (cdn_contact_pair){ 5 }));
  FAILS(cdn_contact_pair_shapes(c.system, (cdn_contact_pair){ 5 }, &a, &b), CDN_ERR_ARG);
  ck_assert_int_eq(cdn_system_find_contact_pair(c.system, "knee").i, -1);
  cdn_system_release(c.system);
}
END_TEST

typedef struct rule {
  int32_t apart;
} rule;

static bool keeps_apart(const void *self, const cdn_system *system, cdn_shape a, cdn_shape b) {
  ck_assert_ptr_nonnull(cdn_shape_name(system, a));
  ck_assert_int_lt(a.i, b.i);
  return a.i != ((const rule *)self)->apart;
}

START_TEST(a_filter_is_asked) {
  for (int copied = 0; copied < 2; copied++) {
    cdn_shape_def like[5];
    for (int i = 0; i < 5; i++) like[i] = ball_on(cdn_ground());
    chain c = make_chain(like);
    rule other = { 1 }, r = { 0 };
    cdn_system_set_contact_filter(c.system, keeps_apart, &other, sizeof other);
    cdn_system_set_contact_filter(c.system, keeps_apart, &r, copied ? sizeof r : 0);
    if (copied) r.apart = 1;
    pair_of(c.system, NULL, c.ball[0], c.ball[3], NULL);
    OK_FREEZE(c.system);
    ck_assert(!may_touch(&c, 0, 4) && !may_touch(&c, 0, 2));
    ck_assert(may_touch(&c, 1, 4) && may_touch(&c, 0, 3));
    cdn_system_release(c.system);
  }
}
END_TEST

/* The deepest contact of a ball 1 mm deep in a half-space, and its numbers. */
typedef struct pressed {
  cdn_system *system;
  cdn_state *state;
  cdn_contact_pair pair;
} pressed;

static const double depth = 1e-3, R = 0.1;

static pressed press_of(cdn_geometry geometry, double top, const cdn_contact_material *of_shapes,
                        const cdn_contact_material *material) {
  pressed p = { .system = cdn_system_create(NULL) };
  const double q0[7] = { 1, 0, 0, 0, 0, 0, top - depth }, u0[6] = { 0, 0, 0, 1, 0, -0.5 };
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_FREE, def.q0 = q0;
  def.mass.mass = 1, def.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
  const cdn_body body = cdn_system_add_body(p.system, &def);
  cdn_shape_def floor = cdn_default_shape_def(), shape = ball_on(body);
  floor.geometry.kind = CDN_GEOMETRY_HALF_SPACE, shape.geometry = geometry;
  floor.material = shape.material = of_shapes;
  const cdn_shape on = cdn_system_add_shape(p.system, &floor), of = cdn_system_add_shape(p.system, &shape);
  p.pair = pair_of(p.system, NULL, on, of, material);
  OK_FREEZE(p.system);
  OK(cdn_state_create(p.system, &p.state));
  OK_ON(p.state, cdn_body_set_u(p.state, body, 6, u0));
  return p;
}

static pressed press(cdn_geometry geometry, double top, const cdn_contact_material *material) {
  return press_of(geometry, top, NULL, material);
}

static cdn_contact contact_of(const pressed *p) {
  int n;
  cdn_contact c, sum = { 0 };
  OK_ON(p->state, cdn_contact_count(p->state, &n));
  ck_assert_int_gt(n, 0);
  for (int i = 0; i < n; i++) {
    OK_ON(p->state, cdn_contact_get(p->state, i, &c));
    sum.force += c.force, sum.rate = c.rate, sum.friction = cdn_add(sum.friction, c.friction);
  }
  return sum;
}

static void end(pressed *p) {
  cdn_state_destroy(p->state);
  cdn_system_release(p->system);
}

/* The numbers of a pair are those of its law: Hertz's 4/3 sqrt(R) E x^1.5 (1 + 3/2 c v), and E A x / L of a box's face
 * with E in series. */
START_TEST(numbers_of_a_pair) {
  const double E = 3e6, c = 0.2, mu = 0.3;
  cdn_contact_material m = cdn_contact_material_of_pair();
  m.modulus = E, m.dissipation = c, m.static_friction = m.dynamic_friction = mu;
  pressed p = press((cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { R } }, R, &m);
  cdn_contact got = contact_of(&p);
  const double hertz = 4.0 / 3 * sqrt(R) * E * pow(depth, 1.5), force = hertz * (1 + 1.5 * c * 0.5);
  NEAR(got.force, force, 1e-12 * force);
  NEAR(got.friction.x, -mu * force, 1e-10 * force);

  /* a State has its own numbers; -1 gives way to the materials */
  const double combined = 1e7 * pow(0.5, 1.5);
  cdn_contact_material again = cdn_contact_material_of_pair();
  again.dissipation = 0;
  OK_ON(p.state, cdn_contact_pair_set_material(p.state, p.pair, &again));
  got = contact_of(&p);
  NEAR(got.force, hertz / E * combined, 1e-12 * force);
  NEAR(got.friction.x, -0.7 * got.force, 1e-3 * force); /* the default material's, Stribeck's rest included */
  end(&p);

  /* two equal surfaces of twice the modulus in series; the rims of the box's face press less than E A x / L */
  const cdn_geometry box = { .kind = CDN_GEOMETRY_BOX, .size = { R, R, R } };
  const double whole = E / R * 4 * R * R * depth * (1 + c * 0.5);
  cdn_contact_material twice = cdn_default_contact_material();
  twice.modulus = 2 * E, twice.dissipation = c;
  pressed alike = press_of(box, R, &twice, NULL);
  p = press(box, R, &m);
  got = contact_of(&p);
  NEAR(got.force, contact_of(&alike).force, 1e-12 * got.force);
  NEAR(got.force, whole, 2 * depth / R * whole);
  end(&p), end(&alike);
}
END_TEST

/* One coefficient alone: the static one is never less than the dynamic one. */
START_TEST(friction_of_a_pair) {
  cdn_contact_material m = cdn_contact_material_of_pair();
  m.dynamic_friction = 5;
  pressed p = press((cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { R } }, R, &m);
  const cdn_contact got = contact_of(&p);
  NEAR(got.friction.x, -5 * got.force, 1e-12 * got.force);
  end(&p);
}
END_TEST

START_TEST(wrong_numbers_of_a_pair) {
  pressed p = press((cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { R } }, R, NULL);
  const double before = contact_of(&p).force;
  static const double wrong[][5] = { { 0, -1, -1, -1, -1 },    { -2, -1, -1, -1, -1 },  { -1, -0.5, -1, -1, -1 },
                                     { -1, -1, 0.1, 0.2, -1 }, { -1, -1, -1, NAN, -1 }, { -1, -1, -1, -1, INFINITY } };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    cdn_contact_material m = cdn_contact_material_of_pair();
    m.modulus = wrong[i][0], m.dissipation = wrong[i][1], m.static_friction = wrong[i][2];
    m.dynamic_friction = wrong[i][3], m.viscous_friction = wrong[i][4];
    FAILS(cdn_contact_pair_set_material(p.state, p.pair, &m), i < 4 ? CDN_ERR_ARG : CDN_ERR_NONFINITE);
    ck_assert(strstr(cdn_last_error_text(), "pair0"));
    ck_assert(contact_of(&p).force == before);
  }
  const cdn_contact_material none = cdn_contact_material_of_pair();
  FAILS(cdn_contact_pair_set_material(p.state, (cdn_contact_pair){ 1 }, &none), CDN_ERR_ARG);
  FAILS(cdn_contact_pair_set_material(p.state, p.pair, NULL), CDN_ERR_ARG);
  end(&p);
}
END_TEST

START_TEST(wrong_pairs) {
  for (int k = 0; k < 6; k++) {
    cdn_system *system = cdn_system_create(NULL);
    const cdn_body body = add_body(system, cdn_ground(), CDN_FREE), other = add_body(system, cdn_ground(), CDN_FREE);
    cdn_shape_def def = ball_on(body);
    const cdn_shape a = cdn_system_add_shape(system, &def);
    def.body = other;
    const cdn_shape b = cdn_system_add_shape(system, &def);
    cdn_contact_material m = cdn_contact_material_of_pair();
    m.modulus = -3;
    if (k == 0) pair_of(system, NULL, a, a, NULL);
    if (k == 1) pair_of(system, NULL, a, (cdn_shape){ 7 }, NULL);
    if (k == 2) pair_of(system, NULL, a, b, &m);
    if (k == 3) pair_of(system, "one", a, b, NULL), pair_of(system, "two", b, a, NULL);
    if (k == 4) cdn_system_add_contact_pair(system, NULL);
    if (k == 5) def.group = -1, cdn_system_add_shape(system, &def);
    FAILS(cdn_system_freeze(system), CDN_ERR_ARG);
    cdn_system_release(system);
  }
}
END_TEST

CHECK_MAIN("contact_pairs", groups_do_not_touch, pairs_touch_whatever_rules_say, a_filter_is_asked, numbers_of_a_pair,
           friction_of_a_pair, wrong_numbers_of_a_pair, wrong_pairs)
