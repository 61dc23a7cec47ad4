/* Contact and methods of integration: the order of each method while a contact lasts, and a pile that rests. */
#include "runs.h"

#include <cardan/contact.h>

#include "property/mesh_shapes.h"

static cdn_system *balls_on_a_floor(int n, double modulus, double dissipation) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -10));
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = modulus, m.dissipation = dissipation, m.static_friction = 0.4, m.dynamic_friction = 0.3;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &m, shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  for (int i = 0; i < n; i++) {
    const double r = 0.1, q0[7] = { 1, 0, 0, 0, 0.19 * (i % 2) + 0.01 * i, 0.19 * (i / 2 % 2), 0.098 + 0.2 * (i / 4) };
    cdn_body_def body = cdn_default_body_def();
    body.mobilizer = CDN_FREE, body.q0 = q0;
    body.mass.mass = 4, body.mass.inertia = (cdn_inertia){ 1.6 * r * r, 1.6 * r * r, 1.6 * r * r, 0, 0, 0 };
    shape.body = cdn_system_add_body(system, &body);
    shape.geometry.kind = CDN_GEOMETRY_SPHERE, shape.geometry.size[0] = r;
    cdn_system_add_shape(system, &shape);
  }
  OK_FREEZE(system);
  return system;
}

/* A ball that swings in its contact while it slides and begins to roll; it does not leave the floor, and slips faster
 * than the transition velocity. */
static void swing(const cdn_system *system, cdn_method method, int steps, double y[13]) {
  static const double u0[6] = { 3, -2, 5, 2, 1, 0 };
  cdn_state *state;
  cdn_stepper *stepper;
  cdn_stepper_def def = cdn_default_stepper_def();
  const double end = 0.03;
  def.method = method, def.fixed_step = end / steps;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_body_set_u(state, (cdn_body){ 1 }, 6, u0));
  OK(cdn_stepper_create(state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, end, NULL));
  cdn_state *now = cdn_stepper_state(stepper);
  int n;
  OK_ON(now, cdn_contact_count(now, &n));
  ck_assert_int_eq(n, 1);
  memcpy(y, cdn_body_q(now, (cdn_body){ 1 }), 7 * sizeof *y);
  memcpy(y + 7, cdn_body_u(now, (cdn_body){ 1 }), 6 * sizeof *y);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}

static double distance(const double a[13], const double b[13]) {
  double most = 0;
  for (int i = 0; i < 13; i++) most = fmax(most, fabs(a[i] - b[i]));
  return most;
}

START_TEST(methods_keep_their_order_in_contact) {
  static const struct {
    cdn_method method;
    int order, steps;
  } methods[] = {
    { CDN_METHOD_EXPLICIT_EULER, 1, 400 },  { CDN_METHOD_SEMI_EXPLICIT_EULER, 1, 400 },
    { CDN_METHOD_VERLET, 2, 100 },          { CDN_METHOD_TRAPEZOID, 2, 100 },
    { CDN_METHOD_BOGACKI_SHAMPINE, 3, 60 }, { CDN_METHOD_MERSON, 4, 30 },
    { CDN_METHOD_FEHLBERG, 5, 20 },         { CDN_METHOD_DORMAND_PRINCE, 5, 20 },
    { CDN_METHOD_DORMAND_PRINCE_8, 8, 3 },
  };
  cdn_system *system = balls_on_a_floor(1, 1e5, 0.05);
  double truth[13];
  swing(system, CDN_METHOD_DORMAND_PRINCE_8, 300, truth);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    double y[2][13];
    for (int k = 0; k < 2; k++) swing(system, methods[i].method, methods[i].steps << k, y[k]);
    const double order = log2(distance(y[0], truth) / distance(y[1], truth));
    if (getenv("CARDAN_TEST_SHOW"))
      printf("%-24s order %d: %.2f (errors %.1e, %.1e)\n", cdn_method_name(methods[i].method), methods[i].order, order,
             distance(y[0], truth), distance(y[1], truth));
    ck_assert_double_gt(order, methods[i].order - 0.35);
  }
  cdn_system_release(system);
}
END_TEST

/* Steps in flight are far longer than an impact. They end where the force sets in and where it ceases, and none that
 * goes beyond is tried in vain: a parabola tells when the ball will touch. */
START_TEST(steps_end_where_balls_touch) {
  static const cdn_method methods[] = { CDN_METHOD_ADAMS, CDN_METHOD_MERSON, CDN_METHOD_DORMAND_PRINCE,
                                        CDN_METHOD_DORMAND_PRINCE_8 };
  static const int stages[] = { 2, 5, 6, 12 };
  cdn_system *system = balls_on_a_floor(1, 1e6, 0);
  for (int k = 0; k < 4; k++)
    for (int digits = 3; digits <= 7; digits += 2) {
      cdn_state *state;
      cdn_stepper *stepper;
      cdn_certificate c, touch = { 0 };
      cdn_stepper_def def = cdn_default_stepper_def();
      def.method = methods[k], def.accuracy = pow(10, -digits);
      const double q[7] = { 1, 0, 0, 0, 0, 0, 0.3 };
      OK(cdn_state_create(system, &state));
      OK_ON(state, cdn_body_set_q(state, (cdn_body){ 1 }, 7, q));
      OK(cdn_stepper_create(state, &def, &stepper));
      int64_t inside = 0, beyond = 0;
      for (double z = 1; beyond == 0;) {
        OK_STEP(stepper, cdn_stepper_step(stepper, 1));
        OK(cdn_stepper_certificate(stepper, &c));
        z = cdn_body_q(cdn_stepper_state(stepper), (cdn_body){ 1 })[6];
        if (touch.steps == 0 && z < 0.1 + 1e-9) touch = c;
        if (touch.steps > 0 && z < 0.0998) inside = c.evaluations;
        if (inside > 0 && z > 0.1002) beyond = c.evaluations;
      }
      /* free fall of 0.2 m with g = 10 */
      NEAR(touch.time_final, 0.2, 1e-3 * def.accuracy + 1e-9);
      ck_assert_int_eq(touch.rejected, 0);
      if (getenv("CARDAN_TEST_SHOW"))
        printf("%s at 1e-%d: lift-off takes %d evaluations\n", cdn_method_name(methods[k]), digits,
               (int)(beyond - inside));
      ck_assert_int_le(beyond - inside, 10 * stages[k]);
      cdn_stepper_destroy(stepper);
      cdn_state_destroy(state);
    }
  cdn_system_release(system);
}
END_TEST

/* A box of triangles falls on a height field: its springs begin to push when the middles of its lowest triangles are
 * there. */
START_TEST(steps_end_where_a_mesh_meets_a_field) {
  static const double heights[9] = { 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 };
  const double fall = 0.3, q0[7] = { 1, 0, 0, 0, 0.07, -0.03, 0.1 + 0.25 + fall };
  cdn_system *system = cdn_system_create(NULL);
  cdn_surface *ground, *box;
  mesh_shape shape = mesh_box(0.3, 0.2, 0.25);
  OK(cdn_surface_create_height_field(3, 3, heights, 2, 2, &ground));
  box = mesh_surface(&shape);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -10));
  cdn_shape_def def = cdn_default_shape_def();
  def.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_HEIGHT_FIELD, .surface = ground };
  cdn_system_add_shape(system, &def);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.q0 = q0;
  body.mass.mass = 10, body.mass.inertia = (cdn_inertia){ 0.3, 0.3, 0.3, 0, 0, 0 };
  def.body = cdn_system_add_body(system, &body);
  def.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_MESH, .surface = box };
  cdn_system_add_shape(system, &def);
  OK_FREEZE(system);
  cdn_state *state;
  cdn_stepper *stepper;
  cdn_certificate c;
  int n = 0;
  OK(cdn_state_create(system, &state));
  OK(cdn_stepper_create(state, NULL, &stepper));
  do {
    OK_STEP(stepper, cdn_stepper_step(stepper, 1));
    OK(cdn_stepper_certificate(stepper, &c));
  } while (cdn_body_q(cdn_stepper_state(stepper), (cdn_body){ 1 })[6] > 0.35 + 1e-6);
  NEAR(c.time_final, sqrt(2 * fall / 10), 1e-6);
  /* twelve triangles, of which two lie below */
  OK_STEP(stepper, cdn_stepper_advance(stepper, c.time_final + 1e-3, NULL));
  OK_ON(cdn_stepper_state(stepper), cdn_contact_count(cdn_stepper_state(stepper), &n));
  ck_assert_int_eq(n, 2);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  cdn_surface_release(ground);
  cdn_surface_release(box);
  mesh_shape_free(&shape);
}
END_TEST

/* A checkpoint of every step, loaded again: the touches that lie ahead are foreseen as if the run had not been
 * interrupted. */
START_TEST(runs_resume_before_touches) {
  static const cdn_method methods[] = { CDN_METHOD_ADAMS, CDN_METHOD_DORMAND_PRINCE_8 };
  cdn_system *system = balls_on_a_floor(5, 1e6, 0.1);
  for (int k = 0; k < 2; k++) {
    cdn_state *state;
    cdn_stepper *whole, *parted;
    cdn_stepper_def def = cdn_default_stepper_def();
    def.method = methods[k];
    OK(cdn_state_create(system, &state));
    for (int b = 1; b <= 5; b++) {
      const double q[7] = { 1, 0, 0, 0, 0.3 * (b % 2), 0.3 * (b / 2 % 2), 0.11 + 0.037 * b + 0.25 * (b / 4) };
      OK_ON(state, cdn_body_set_q(state, (cdn_body){ b }, 7, q));
    }
    OK(cdn_stepper_create(state, &def, &whole));
    OK(cdn_stepper_create(state, &def, &parted));
    for (int i = 0; cdn_state_time(cdn_stepper_state(whole)) < 0.4; i++) {
      cdn_buffer saved = { 0 };
      cdn_certificate a, b;
      OK_STEP(parted, cdn_stepper_save(parted, cdn_buffer_write, &saved));
      cdn_stepper_destroy(parted);
      OK_ON(state, cdn_stepper_load(state, NULL, NULL, cdn_buffer_read, &saved, &parted));
      cdn_buffer_free(&saved);
      OK_STEP(whole, cdn_stepper_step(whole, 1));
      OK_STEP(parted, cdn_stepper_step(parted, 1));
      OK(cdn_stepper_certificate(whole, &a));
      OK(cdn_stepper_certificate(parted, &b));
      ck_assert_msg(a.time_final == b.time_final, "step %d of %s ends at %.17g, resumed at %.17g", i,
                    cdn_method_name(methods[k]), a.time_final, b.time_final);
      ck_assert_int_eq(a.evaluations, b.evaluations);
      for (int j = 1; j <= 5; j++)
        ck_assert(memcmp(cdn_body_q(cdn_stepper_state(whole), (cdn_body){ j }),
                         cdn_body_q(cdn_stepper_state(parted), (cdn_body){ j }), 7 * sizeof(double)) == 0);
    }
    cdn_stepper_destroy(whole);
    cdn_stepper_destroy(parted);
    cdn_state_destroy(state);
  }
  cdn_system_release(system);
}
END_TEST

#ifdef TEST_SUNDIALS
/* While a pile settles steps are short; when it rests the method of backward differences takes few. */
START_TEST(a_pile_gets_cheaper_as_it_rests) {
  cdn_system *system = balls_on_a_floor(8, 1e6, 0.5);
  cdn_state *state;
  cdn_stepper *stepper;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_CVODE_BDF, def.accuracy = 1e-3, def.final_time = 12;
  OK(cdn_state_create(system, &state));
  OK(cdn_stepper_create(state, &def, &stepper));
  int64_t spent[12], before = 0;
  for (int i = 0; i < 12; i++) {
    cdn_certificate c;
    OK_STEP(stepper, cdn_stepper_advance(stepper, i + 1, NULL));
    OK(cdn_stepper_certificate(stepper, &c));
    spent[i] = c.evaluations - before;
    before = c.evaluations;
    if (getenv("CARDAN_TEST_SHOW")) printf("second %d: %d evaluations\n", i + 1, (int)spent[i]);
  }
  ck_assert_int_lt(20 * spent[11], spent[0]);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* A box on a floor swings at 1700 rad/s with 0.3 % of the critical damping, and rests after some seconds. */
static void rest_a_box(cdn_friction friction) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -10));
  cdn_shape_def shape = cdn_default_shape_def();
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = 1e7, m.dissipation = 1;
  shape.material = &m, shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  cdn_body_def body = cdn_default_body_def();
  const double q0[7] = { 1, 0, 0, 0, 0, 0, 0.05 };
  body.mobilizer = CDN_FREE, body.q0 = q0;
  body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 0.004, 0.004, 0.007, 0, 0, 0 };
  shape.body = cdn_system_add_body(system, &body);
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { 0.1, 0.1, 0.05 } };
  cdn_system_add_shape(system, &shape);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.friction = friction;
  cdn_system_set_contact(system, &contact);
  OK_FREEZE(system);
  cdn_state *state;
  cdn_stepper *stepper;
  cdn_certificate settled, rested;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_CVODE_BDF, def.accuracy = 1e-5;
  OK(cdn_state_create(system, &state));
  OK(cdn_stepper_create(state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 5, NULL));
  OK(cdn_stepper_certificate(stepper, &settled));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 600, NULL));
  OK(cdn_stepper_certificate(stepper, &rested));
  if (getenv("CARDAN_TEST_SHOW"))
    printf("a box: %d steps, then %d\n", (int)settled.steps, (int)(rested.steps - settled.steps));
  ck_assert_int_lt(rested.steps - settled.steps, 100);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
}

START_TEST(a_box_that_rests_costs_nothing) {
  rest_a_box(CDN_FRICTION_SLIP_SPEED);
  rest_a_box(CDN_FRICTION_STICKING);
}
END_TEST
#else
START_TEST(a_pile_gets_cheaper_as_it_rests) { puts("skipped: built without SUNDIALS"); }
END_TEST
START_TEST(a_box_that_rests_costs_nothing) { puts("skipped: built without SUNDIALS"); }
END_TEST
#endif

CHECK_MAIN("contact methods", steps_end_where_a_mesh_meets_a_field, methods_keep_their_order_in_contact,
           steps_end_where_balls_touch, runs_resume_before_touches, a_pile_gets_cheaper_as_it_rests,
           a_box_that_rests_costs_nothing)
