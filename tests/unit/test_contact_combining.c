/* By which rule two materials become those of a contact: the library's rules as their definitions have them, a rule of
 * the user's; what many materials and many pairs cost. */
#include <time.h>

#include "../testing.h"

/* ---- a ball pressed into a half-space ---- */

static const double radius = 0.1, depth = 1e-3;

typedef struct touch_of_two {
  double friction, force; /* static coefficient; N */
} touch_of_two;

static cdn_body add_ball(cdn_system *system, double x, const cdn_contact_material *material,
                         const cdn_soft_material *soft, cdn_shape *shape) {
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 1, 1, 1, 0, 0, 0 };
  body.X_PF.p = cdn_v3(x, 0, radius - depth);
  cdn_shape_def def = cdn_default_shape_def();
  def.body = cdn_system_add_body(system, &body), def.material = material, def.soft = soft;
  def.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { radius } };
  const cdn_shape s = cdn_system_add_shape(system, &def);
  if (shape) *shape = s;
  return def.body;
}

static cdn_shape add_ground(cdn_system *system, const cdn_contact_material *material, const cdn_soft_material *soft) {
  cdn_shape_def def = cdn_default_shape_def();
  def.geometry.kind = CDN_GEOMETRY_HALF_SPACE, def.material = material, def.soft = soft;
  return cdn_system_add_shape(system, &def);
}

static touch_of_two touch_by(const cdn_contact_def *rule, const cdn_contact_material *a, const cdn_contact_material *b,
                             const cdn_contact_material *of_pair) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_set_contact(system, rule);
  cdn_shape ball;
  const cdn_shape ground = add_ground(system, a, NULL);
  add_ball(system, 0, b, NULL, &ball);
  cdn_contact_pair_def pair = cdn_default_contact_pair_def();
  pair.a = ground, pair.b = ball, pair.material = of_pair;
  if (of_pair) cdn_system_add_contact_pair(system, &pair);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  cdn_contact c;
  OK_ON(state, cdn_contact_get(state, 0, &c));
  cdn_state_destroy(state);
  cdn_system_release(system);
  return (touch_of_two){ c.coefficient[0], c.force };
}

/* Hertz: 4/3 sqrt(R) E* x^(3/2). */
static double hertz(double modulus) { return 4.0 / 3 * sqrt(radius) * modulus * depth * sqrt(depth); }
static double in_series(double a, double b) {
  const double x = pow(a, 2.0 / 3), y = pow(b, 2.0 / 3);
  return pow(x * y / (x + y), 1.5);
}

static void two_materials(cdn_contact_material *a, cdn_contact_material *b) {
  *a = *b = cdn_default_contact_material();
  a->modulus = 1e7, a->static_friction = 0.9, a->dynamic_friction = 0.5;
  b->modulus = 4e6, b->static_friction = 0.3, b->dynamic_friction = 0.3;
}

START_TEST(the_usual_rule_is_harmonic) {
  cdn_contact_material a, b;
  two_materials(&a, &b);
  cdn_contact_def rule = cdn_default_contact_def();
  touch_of_two t = touch_by(&rule, &a, &b, NULL);
  NEAR(t.friction, 2 * 0.9 * 0.3 / 1.2, 1e-15);
  NEAR(t.force, hertz(in_series(1e7, 4e6)), 1e-12 * t.force);
  a.priority = 1; /* is not read */
  NEAR(touch_by(&rule, &a, &b, NULL).friction, 2 * 0.9 * 0.3 / 1.2, 1e-15);
  rule.combining = CDN_COMBINE_HARMONIC;
  NEAR(touch_by(&rule, &a, &b, NULL).friction, 2 * 0.9 * 0.3 / 1.2, 1e-15);
}
END_TEST

/* mjmodel: of two geoms with one priority the larger coefficients count, else all numbers of the one with the higher
 * priority. */
START_TEST(mujocos_rule_takes_the_larger_one) {
  cdn_contact_material a, b;
  two_materials(&a, &b);
  cdn_contact_def rule = cdn_default_contact_def();
  rule.combining = CDN_COMBINE_MUJOCO;
  touch_of_two t = touch_by(&rule, &a, &b, NULL);
  NEAR(t.friction, 0.9, 0);
  NEAR(t.force, hertz(in_series(1e7, 4e6)), 1e-12 * t.force);
  b.priority = 1;
  t = touch_by(&rule, &a, &b, NULL);
  NEAR(t.friction, 0.3, 0);
  NEAR(t.force, hertz(4e6), 1e-12 * t.force);
  b.condim = 1;
  NEAR(touch_by(&rule, &a, &b, NULL).friction, 0, 0);
  /* a pair that was named has the last word */
  cdn_contact_material grip = cdn_contact_material_of_pair();
  grip.static_friction = grip.dynamic_friction = 2;
  t = touch_by(&rule, &a, &b, &grip);
  NEAR(t.friction, 2, 0);
  NEAR(t.force, hertz(4e6), 1e-12 * t.force);
}
END_TEST

static void geometric(const void *self, const cdn_contact_material *a, const cdn_contact_material *b,
                      cdn_contact_material *combined) {
  ck_assert_double_eq(combined->modulus, -1);
  combined->static_friction = sqrt(a->static_friction * b->static_friction);
  combined->dynamic_friction = sqrt(a->dynamic_friction * b->dynamic_friction);
  combined->modulus = *(const double *)self;
}

START_TEST(a_rule_of_the_users) {
  cdn_contact_material a, b;
  two_materials(&a, &b);
  cdn_contact_def rule = cdn_default_contact_def();
  double modulus = 3e6;
  rule.combining = CDN_COMBINE_OWN, rule.combine = geometric, rule.combine_self = &modulus;
  touch_of_two t = touch_by(&rule, &a, &b, NULL);
  NEAR(t.friction, sqrt(0.9 * 0.3), 1e-15);
  NEAR(t.force, hertz(3e6), 1e-12 * t.force);
  modulus = NAN; /* no modulus: it is not taken */
  t = touch_by(&rule, &a, &b, NULL);
  NEAR(t.force, hertz(in_series(1e7, 4e6)), 1e-12 * t.force);
  modulus = -1;
  cdn_contact_material grip = cdn_contact_material_of_pair();
  grip.modulus = 2e6;
  NEAR(touch_by(&rule, &a, &b, &grip).force, hertz(2e6), 1e-12 * hertz(2e6));
}
END_TEST

START_TEST(rules_without_sense_are_refused) {
  for (int k = 0; k < 3; k++) {
    cdn_contact_def rule = cdn_default_contact_def();
    rule.combining = k == 0 ? (cdn_combining)9 : CDN_COMBINE_OWN;
    if (k == 1) rule.model = CDN_CONTACT_SOFT, rule.combine = geometric;
    cdn_system *system = cdn_system_create(NULL);
    cdn_system_set_contact(system, &rule);
    FAILS(cdn_system_freeze(system), CDN_ERR_ARG);
    ck_assert(strstr(cdn_last_error_text(), k == 0 ? "combining" : k == 1 ? "combine_soft" : "combine is NULL"));
    cdn_system_release(system);
  }
}
END_TEST

/* ---- soft contact ---- */

static void product(const void *self, const cdn_soft_material *a, const cdn_soft_material *b,
                    cdn_soft_pair_material *combined) {
  (void)self;
  combined->friction[0] = combined->friction[1] = a->friction[0] * b->friction[0];
}

static double soft_friction(const cdn_contact_def *rule, const cdn_soft_material *a, const cdn_soft_material *b) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_set_contact(system, rule);
  add_ground(system, NULL, a);
  add_ball(system, 0, NULL, b, NULL);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  cdn_contact c;
  OK_ON(state, cdn_contact_get(state, 0, &c));
  cdn_state_destroy(state);
  cdn_system_release(system);
  return c.coefficient[0];
}

START_TEST(soft_materials_combine_by_the_rule) {
  cdn_soft_material a = cdn_default_soft_material(), b = a;
  a.friction[0] = 0.6, b.friction[0] = 0.3;
  cdn_contact_def rule = cdn_default_contact_def();
  rule.model = CDN_CONTACT_SOFT, rule.combine_soft = product;
  static const double expected[] = {
    [CDN_COMBINE_USUAL] = 0.6, [CDN_COMBINE_HARMONIC] = 0.4, [CDN_COMBINE_MUJOCO] = 0.6, [CDN_COMBINE_OWN] = 0.18
  };
  for (int k = 0; k <= CDN_COMBINE_OWN; k++) {
    rule.combining = (cdn_combining)k;
    NEAR(soft_friction(&rule, &a, &b), expected[k], 1e-15);
  }
  rule.combining = CDN_COMBINE_MUJOCO, b.priority = 1;
  NEAR(soft_friction(&rule, &a, &b), 0.3, 0);
}
END_TEST

/* ---- what it costs ---- */

static double seconds_since(clock_t start) { return (double)(clock() - start) / CLOCKS_PER_SEC; }

/* Processor time until 400 balls on the ground have been added, frozen and evaluated. */
static double time_of_balls(bool two) {
  cdn_contact_material materials[2];
  two_materials(&materials[0], &materials[1]);
  const clock_t start = clock();
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_def rule = cdn_default_contact_def();
  rule.combining = CDN_COMBINE_MUJOCO;
  cdn_system_set_contact(system, &rule);
  add_ground(system, &materials[0], NULL);
  for (int i = 0; i < 400; i++) add_ball(system, 0.3 * i, &materials[two ? i % 2 : 0], NULL, NULL);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  const double t = seconds_since(start);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return t;
}

START_TEST(two_materials_load_as_fast_as_one) {
  double least[2] = { INFINITY, INFINITY };
  for (int i = 0; i < 10; i++) least[i % 2] = fmin(least[i % 2], time_of_balls(i % 2));
  AT_MOST(least[1], 1.5 * least[0]);
}
END_TEST

/* Processor time to name the pairs of n balls with two others. */
static double time_of_pairs(int n) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_shape a = add_ground(system, NULL, NULL);
  const clock_t start = clock();
  for (int i = 0; i < n; i++) {
    cdn_shape_def def = cdn_default_shape_def();
    def.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { radius } };
    cdn_contact_pair_def pair = cdn_default_contact_pair_def();
    pair.a = a, pair.b = cdn_system_add_shape(system, &def);
    ck_assert_int_eq(cdn_system_add_contact_pair(system, &pair).i, i);
  }
  const double t = seconds_since(start);
  ck_assert_int_eq(cdn_system_find_contact_pair(system, "pair7").i, 7);
  cdn_system_release(system);
  return t;
}

/* Four times as many take four times as long, and not sixteen times. */
START_TEST(pairs_cost_the_same_however_many_there_are) {
  double few = INFINITY, many = INFINITY;
  for (int i = 0; i < 3; i++) few = fmin(few, time_of_pairs(4000)), many = fmin(many, time_of_pairs(16000));
  AT_MOST(many, 8 * few);
}
END_TEST

CHECK_MAIN("contact_combining", the_usual_rule_is_harmonic, mujocos_rule_takes_the_larger_one, a_rule_of_the_users,
           rules_without_sense_are_refused, soft_materials_combine_by_the_rule, two_materials_load_as_fast_as_one,
           pairs_cost_the_same_however_many_there_are)
