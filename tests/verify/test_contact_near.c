/* Contacts among many shapes: no touch is missed however long the steps in flight and however many the pairs, and what
 * is found does not depend on what was looked for before. */
#include "runs.h"

static cdn_geometry sphere(double r) { return (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { r } }; }

static cdn_body add_ball(cdn_system *system, double r, cdn_vec3 p) {
  const double q0[7] = { 1, 0, 0, 0, p.x, p.y, p.z };
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.q0 = q0;
  body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 0.4 * r * r, 0.4 * r * r, 0.4 * r * r, 0, 0, 0 };
  const cdn_body b = cdn_system_add_body(system, &body);
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = 1e12, m.dissipation = 0, m.static_friction = m.dynamic_friction = 0;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.body = b, shape.geometry = sphere(r), shape.material = &m;
  cdn_system_add_shape(system, &shape);
  return b;
}

/* ---- flights ---- */

enum { OTHERS = 140 }; /* 10,011 pairs */

/* A ball of 1 cm flies at 10 m/s towards another one, 5 m away, among others that it does not meet. Nothing else
 * happens, so that steps get as long as they may. Without friction and dissipation the two exchange the part of their
 * velocities along the line between their centres, whatever the force. */
START_TEST(long_steps_miss_no_touch) {
  static const cdn_method methods[] = { CDN_METHOD_ADAMS, CDN_METHOD_DORMAND_PRINCE, CDN_METHOD_DORMAND_PRINCE_8,
                                        CDN_METHOD_MERSON, CDN_METHOD_BOGACKI_SHAMPINE };
  for (int k = 0; k < 5; k++)
    for (int off = 0; off < 3; off++) {
      const double aside = 0.009 * off, r = 0.01, speed = 10; /* up to 0.9 of the touching distance */
      cdn_system *system = cdn_system_create(NULL);
      const cdn_body flying = add_ball(system, r, cdn_v3(0, 0, 0)), hit = add_ball(system, r, cdn_v3(5, aside, 0));
      for (int i = 0; i < OTHERS; i++)
        add_ball(system, 0.05, cdn_v3(-1 + 0.2 * (i % 70), i < 70 ? 20 : -20, 0.1 * (i % 3)));
      OK_FREEZE(system);
      cdn_state *state;
      OK(cdn_state_create(system, &state));
      const double u0[6] = { 0, 0, 0, speed, 0, 0 };
      OK_ON(state, cdn_body_set_u(state, flying, 6, u0));
      cdn_stepper *stepper;
      cdn_stepper_def def = cdn_default_stepper_def();
      def.method = methods[k], def.accuracy = 1e-5, def.final_time = 1;
      OK(cdn_stepper_create(state, &def, &stepper));
      OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
      cdn_state *now = cdn_stepper_state(stepper);
      /* the line between the centres at the touch; Hertz's contact of these balls takes 3e-4 of the time of flight, and
       * turns that line a little */
      const double sine = aside / (2 * r), along = speed * (1 - sine * sine);
      NEAR(cdn_body_u(now, hit)[3], along, 0.15 * speed * sine + 1e-4);
      NEAR(cdn_body_u(now, flying)[3] + cdn_body_u(now, hit)[3], speed, 1e-3);
      const double *a = cdn_body_u(now, flying), *b = cdn_body_u(now, hit);
      const double twice = a[3] * a[3] + a[4] * a[4] + b[3] * b[3] + b[4] * b[4];
      NEAR(twice, speed * speed, 2e-3);
      cdn_stepper_destroy(stepper);
      cdn_state_destroy(state);
      cdn_system_release(system);
    }
}
END_TEST

/* More shapes than have few pairs fly at 100 m/s, and apart from one another: within one of their long steps nearly any
 * two could meet if it were not for the others' speed. */
START_TEST(many_fly_together) {
  enum { SIDE = 12, BALLS = SIDE * SIDE * SIDE };
  for (int apart = 0; apart < 2; apart++) {
    cdn_system *system = cdn_system_create(NULL);
    for (int i = 0; i < BALLS; i++)
      add_ball(system, 0.1, cdn_v3(0.5 * (i % SIDE), 0.5 * (i / SIDE % SIDE), 0.5 * (i / SIDE / SIDE)));
    OK_FREEZE(system);
    cdn_state *state;
    OK(cdn_state_create(system, &state));
    for (int i = 1; i <= BALLS; i++) {
      const double *q = cdn_body_q(state, (cdn_body){ i });
      const double s = 3 * apart, u[6] = { 0, 0, 0, 100 + s * q[4], s * q[5], s * q[6] };
      OK_ON(state, cdn_body_set_u(state, (cdn_body){ i }, 6, u));
    }
    cdn_stepper *stepper;
    cdn_stepper_def def = cdn_default_stepper_def();
    def.accuracy = 1e-3, def.final_time = 10;
    OK(cdn_stepper_create(state, &def, &stepper));
    OK_STEP(stepper, cdn_stepper_advance(stepper, 10, NULL));
    const double last = 0.5 * (SIDE - 1), *q = cdn_body_q(cdn_stepper_state(stepper), (cdn_body){ BALLS });
    NEAR(q[4], 1000 + last + 30 * apart * last, 1e-6);
    NEAR(q[6], last + 30 * apart * last, 1e-6);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
    cdn_system_release(system);
  }
}
END_TEST

/* ---- histories ---- */

static double random_number(unsigned *seed) { return (*seed = *seed * 1664525u + 1013904223u) / 4294967296.0; }

static void set_pose(cdn_state *state, int n, unsigned seed, double size) {
  for (int i = 0; i < n; i++) {
    double q[7] = { 1, 0, 0, 0 }, u[6];
    for (int k = 0; k < 3; k++) q[4 + k] = size * random_number(&seed);
    for (int k = 0; k < 6; k++) u[k] = random_number(&seed) - 0.5;
    OK_ON(state, cdn_body_set_q(state, (cdn_body){ i + 1 }, 7, q));
    OK_ON(state, cdn_body_set_u(state, (cdn_body){ i + 1 }, 6, u));
  }
}

static void same_contacts(cdn_state *a, cdn_state *b, int *total) {
  int n_a, n_b;
  OK_ON(a, cdn_contact_count(a, &n_a));
  OK_ON(b, cdn_contact_count(b, &n_b));
  ck_assert_int_eq(n_a, n_b);
  for (int i = 0; i < n_a; i++) {
    cdn_contact x, y;
    OK_ON(a, cdn_contact_get(a, i, &x));
    OK_ON(b, cdn_contact_get(b, i, &y));
    ck_assert(x.a.i == y.a.i && x.b.i == y.b.i && x.feature == y.feature);
    /* what is behind `feature` has any bits */
    ck_assert_mem_eq(&x.point, &y.point, sizeof x - offsetof(cdn_contact, point));
  }
  *total += n_a;
}

/* A State that has been moved about, a little and a lot, has the contacts of a new one; so has its copy. */
START_TEST(contacts_do_not_depend_on_history) {
  enum { BALLS = 60 };
  cdn_system *system = cdn_system_create(NULL);
  for (int i = 0; i < BALLS; i++) add_ball(system, 0.05 + 0.002 * (i % 20), cdn_v3(i, 0, 0));
  cdn_shape_def floor = cdn_default_shape_def();
  floor.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  const cdn_shape ground = cdn_system_add_shape(system, &floor);
  OK_FREEZE(system);
  cdn_state *old, *copy;
  OK(cdn_state_create(system, &old));
  OK(cdn_state_create(system, &copy));
  int total = 0;
  for (int k = 0; k < 40; k++) {
    set_pose(old, BALLS, 7u + (unsigned)(k / 4), 0.6 + 0.002 * (k % 4) + 0.1 * (k % 8 == 3));
    if (k == 20) OK_ON(old, cdn_shape_set_enabled(old, ground, false));
    if (k % 5 == 0) OK(cdn_state_copy(copy, old));
    cdn_state *fresh;
    OK(cdn_state_create(system, &fresh));
    set_pose(fresh, BALLS, 7u + (unsigned)(k / 4), 0.6 + 0.002 * (k % 4) + 0.1 * (k % 8 == 3));
    if (k >= 20) OK_ON(fresh, cdn_shape_set_enabled(fresh, ground, false));
    if (k % 5 == 0) same_contacts(copy, fresh, &total);
    same_contacts(old, fresh, &total);
    cdn_state_destroy(fresh);
  }
  ck_assert_int_gt(total, 500);
  cdn_state_destroy(copy);
  cdn_state_destroy(old);
  cdn_system_release(system);
}
END_TEST

/* ---- clear times ---- */

static int asked; /* how often a shape's box or distance was asked for */
static cdn_vec3 support_of_ball(const void *self, cdn_vec3 direction) {
  (void)self;
  asked++;
  return cdn_scale(0.05 / cdn_norm(direction), direction);
}

/* Two balls of 5 cm, known by their support functions alone, that turn and fall from 100 m, 1 m apart. */
START_TEST(what_meets_nothing_is_not_looked_at) {
  const cdn_surface_ops ops = { .struct_size = sizeof ops, .support = support_of_ball, .radius = 0.05 };
  cdn_surface *surface;
  OK(cdn_surface_create_custom(&ops, NULL, &surface));
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_shape_def shape = cdn_default_shape_def();
  for (int i = 0; i < 2; i++) {
    const double q0[7] = { 1, 0, 0, 0, i, 0, 100 };
    cdn_body_def body = cdn_default_body_def();
    body.mobilizer = CDN_FREE, body.q0 = q0, body.mass = solid(1, cdn_v3(0, 0, 0), 1e-3, 2e-3, 2.5e-3);
    shape.body = cdn_system_add_body(system, &body);
    shape.geometry = i == 0 ? (cdn_geometry){ .kind = CDN_GEOMETRY_CUSTOM, .surface = surface } : sphere(0.05);
    cdn_system_add_shape(system, &shape);
  }
  OK_FREEZE(system);
  cdn_state *state;
  cdn_stepper *stepper;
  cdn_certificate c;
  const double spin[6] = { 3, 20, 4, 0, 0, 0 };
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-8;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_body_set_u(state, (cdn_body){ 1 }, 6, spin));
  OK(cdn_stepper_create(state, &def, &stepper));
  asked = 0;
  OK_STEP(stepper, cdn_stepper_advance(stepper, 2, NULL));
  OK(cdn_stepper_certificate(stepper, &c));
  ck_assert_int_gt(c.evaluations, 400);
  ck_assert_int_lt(asked, 200); /* a box takes six of them */
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  cdn_surface_release(surface);
}
END_TEST

/* A pendulum of 1 m, whose bob of 1 cm meets a leaning wall at 30 degrees beyond the lowest point, far from the
 * straight lines of its motion. Without friction and dissipation it is thrown back with the same speed: it never goes
 * further than the depth of the impact, and swings back to where it began. */
START_TEST(what_swings_meets_the_wall) {
  const double angle = PI / 6, r = 0.01;
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_body_def body = cdn_default_body_def();
  const double q0 = -PI / 3;
  body.mobilizer = CDN_PIN, body.q0 = &q0;
  body.X_PF = body.X_BM = frame_z(cdn_v3(0, -1, 0), cdn_v3(0, 0, 0));
  body.mass = solid(1, cdn_v3(0, 0, -1), 1e-4, 1e-4, 1e-4);
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = 1e10, m.dissipation = 0, m.static_friction = m.dynamic_friction = 0;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.body = cdn_system_add_body(system, &body);
  shape.material = &m, shape.geometry = sphere(r), shape.X_BS.p = cdn_v3(0, 0, -1);
  cdn_system_add_shape(system, &shape);
  const cdn_vec3 along = cdn_v3(cos(angle), 0, sin(angle)), at = cdn_v3(sin(angle), 0, -cos(angle));
  shape.body = cdn_ground();
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_HALF_SPACE };
  shape.X_BS = frame_z(cdn_scale(-1, along), cdn_add(at, cdn_scale(r, along)));
  cdn_system_add_shape(system, &shape);
  OK_FREEZE(system);
  static const cdn_method methods[] = { CDN_METHOD_ADAMS, CDN_METHOD_DORMAND_PRINCE, CDN_METHOD_DORMAND_PRINCE_8 };
  for (int k = 0; k < 3; k++) {
    cdn_state *state;
    cdn_stepper *stepper;
    cdn_stepper_def def = cdn_default_stepper_def();
    def.method = methods[k], def.accuracy = 1e-6;
    OK(cdn_state_create(system, &state));
    OK(cdn_stepper_create(state, &def, &stepper));
    double most = -1, q = 0;
    for (double t = 0; t < 1.6;) {
      OK_STEP(stepper, cdn_stepper_step(stepper, 1.6));
      cdn_state *now = cdn_stepper_state(stepper);
      t = cdn_state_time(now);
      q = *cdn_body_q(now, (cdn_body){ 1 });
      if (q > most) most = q;
    }
    ck_assert_msg(most > angle - 1e-6 && most < angle + 2e-3, "%s: %.6f", cdn_method_name(methods[k]), most);
    const double u = *cdn_body_u(cdn_stepper_state(stepper), (cdn_body){ 1 });
    ck_assert_double_lt(q, -PI / 4);
    NEAR(0.5 * (1 + 1e-4) * u * u - 9.81 * cos(q), -9.81 * cos(PI / 3), 1e-3);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("contact near", long_steps_miss_no_touch, many_fly_together, contacts_do_not_depend_on_history,
           what_meets_nothing_is_not_looked_at, what_swings_meets_the_wall)
