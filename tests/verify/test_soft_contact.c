/* Soft contact against closed forms that follow from MuJoCo's law: how deep a ball rests, how fast a block creeps
 * down a slope, when a ball that slides begins to roll, and where the energy goes. */
#include "../testing.h"

static const double G = 9.81;

/* What a test places on a half-space through the origin whose normal leans towards x. */
typedef struct scene {
  cdn_system *system;
  cdn_body body;
} scene;

static cdn_soft_material soft_of(double d, double friction, int dimension) {
  cdn_soft_material m = cdn_default_soft_material();
  m.law.imp[0] = m.law.imp[1] = d; /* the impedance is a constant */
  m.friction[0] = friction;
  m.condim = dimension;
  return m;
}

static scene make_scene(cdn_geometry g, double mass, double moment, double slope, const cdn_soft_material *soft,
                        const cdn_soft_def *options) {
  scene s = { .system = cdn_system_create(NULL) };
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_SOFT;
  cdn_system_set_contact(s.system, &contact);
  if (options) cdn_system_set_soft(s.system, options);
  cdn_system_add_gravity(s.system, NULL, cdn_v3(G * sin(slope), 0, -G * cos(slope)));
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_FREE, b.mass.mass = mass;
  b.mass.inertia = (cdn_inertia){ moment, moment, moment, 0, 0, 0 };
  s.body = cdn_system_add_body(s.system, &b);
  cdn_shape_def shape = cdn_default_shape_def();
  shape.soft = soft;
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_HALF_SPACE };
  cdn_system_add_shape(s.system, &shape);
  shape.geometry = g, shape.body = s.body;
  cdn_system_add_shape(s.system, &shape);
  OK_FREEZE(s.system);
  return s;
}

/* The run from a height and a speed along x until `end`; the System belongs to the stepper's State. */
static cdn_stepper *run(const scene *s, double height, double speed, double accuracy, double end) {
  cdn_state *state;
  OK(cdn_state_create(s->system, &state));
  cdn_system_release(s->system);
  const double q[7] = { 1, 0, 0, 0, 0, 0, height }, u[6] = { 0, 0, 0, speed, 0, 0 };
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = accuracy, def.companion = false;
  cdn_stepper *stepper;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  cdn_state_destroy(state);
  OK_STEP(stepper, cdn_stepper_advance(stepper, end, NULL));
  return stepper;
}

/* Stiffness and damping of the law, by its documentation. */
static double damping(double d) { return 2 / (d * 0.02); }
static double stiffness(double d) { return 1 / (d * d * 0.02 * 0.02); }

/* At rest the force D K d x is the weight; D = m d / (1 - d), as the inverse inertia is 1 / m, by MuJoCo's
 * approximation and exactly. */
START_TEST(test_a_ball_rests_as_deep_as_the_law_says) {
  const double impedances[] = { 0.5, 0.9, 0.99 };
  for (int i = 0; i < 6; i++) {
    const double d = impedances[i % 3], radius = 0.1, mass = 3;
    const cdn_soft_material soft = soft_of(d, 0.5, 3);
    cdn_soft_def options = cdn_default_soft_def();
    options.exact_diagonal = i >= 3;
    const scene s = make_scene((cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { radius } }, mass,
                               0.4 * mass * radius * radius, 0, &soft, &options);
    cdn_stepper *stepper = run(&s, radius, 0, 1e-9, 3);
    NEAR(cdn_state_q(cdn_stepper_state(stepper))[6] - radius, -G * (1 - d) / (d * d * stiffness(d)), 1e-9);
    cdn_stepper_destroy(stepper);
  }
}
END_TEST

/* Friction that sticks is viscous: four corners with D_t B v each bear m g sin(slope). D_t is D times impratio. */
START_TEST(test_a_block_creeps_as_fast_as_the_law_says) {
  const double ratios[] = { 1, 10 }, slope = 20 * PI / 180, d = 0.95;
  for (int i = 0; i < 2; i++) {
    const cdn_soft_material soft = soft_of(d, 0.7, 3);
    cdn_soft_def options = cdn_default_soft_def();
    options.impedance_ratio = ratios[i];
    const scene s = make_scene((cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { 0.2, 0.2, 0.05 } }, 2, 2 * 0.08 / 3,
                               slope, &soft, &options);
    cdn_stepper *stepper = run(&s, 0.05, 0, 1e-9, 3);
    const double creep = G * sin(slope) * (1 - d) / (4 * d * damping(d) * ratios[i]);
    NEAR(cdn_state_u(cdn_stepper_state(stepper))[3], creep, 1e-6 * creep + 1e-9);
    cdn_stepper_destroy(stepper);
  }
}
END_TEST

/* A ball that slides rolls in the end, at a speed that follows from its angular momentum about the point of contact.
 * This point is midway between the surfaces; while the ball slides, the law lifts it, but not off the plane. */
START_TEST(test_a_ball_that_slides_rolls_in_the_end) {
  const cdn_soft_material soft = soft_of(0.95, 0.3, 3);
  const double radius = 0.1, mass = 1;
  const scene s = make_scene((cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { radius } }, mass,
                             0.4 * mass * radius * radius, 0, &soft, NULL);
  const double rest = G * (1 - 0.95) / (0.95 * 0.95 * stiffness(0.95));
  cdn_stepper *stepper = run(&s, radius - rest, 1, 1e-8, 2);
  const double *u = cdn_state_u(cdn_stepper_state(stepper));
  const double arm = radius - rest / 2;
  ck_assert(u[3] > 1 / (1 + 0.4 * radius * radius / (arm * arm)) && u[3] < 5. / 7);
  NEAR(u[1] * arm, u[3], 1e-6);
  cdn_stepper_destroy(stepper);
}
END_TEST

/* What a fall and a slide lose is what the rows dissipate. */
START_TEST(test_energy_is_accounted_for) {
  const cdn_soft_material soft = soft_of(0.9, 0.4, 3);
  const scene s =
      make_scene((cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { 0.1, 0.1, 0.1 } }, 1, 0.02 / 3, 0.1, &soft, NULL);
  cdn_stepper *stepper = run(&s, 0.3, 1, 1e-7, 1.5);
  cdn_certificate c;
  OK(cdn_stepper_certificate(stepper, &c));
  AT_MOST(fabs(c.energy_residual), 1e-5);
  cdn_stepper_destroy(stepper);
}
END_TEST

/* Methods of different kinds agree: the law is a function of the State. */
START_TEST(test_methods_agree) {
  const cdn_method methods[] = { CDN_METHOD_ADAMS, CDN_METHOD_DORMAND_PRINCE, CDN_METHOD_BOGACKI_SHAMPINE,
#ifdef TEST_SUNDIALS
                                 CDN_METHOD_CVODE_BDF
#endif
  };
  double x[4] = { 0 };
  for (int i = 0; i < (int)(sizeof methods / sizeof *methods); i++) {
    const cdn_soft_material soft = soft_of(0.9, 0.4, 3);
    const scene s =
        make_scene((cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 0.1 } }, 1, 0.004, 0.05, &soft, NULL);
    cdn_state *state;
    OK(cdn_state_create(s.system, &state));
    cdn_system_release(s.system);
    const double q[7] = { 1, 0, 0, 0, 0, 0, 0.15 }, u[6] = { 0, 3, 0, 1, 0, 0 };
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_state_set_u(state, u));
    cdn_stepper_def def = cdn_default_stepper_def();
    def.accuracy = 1e-8, def.companion = false, def.method = methods[i];
    cdn_stepper *stepper;
    OK_ON(state, cdn_stepper_create(state, &def, &stepper));
    cdn_state_destroy(state);
    OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
    x[i] = cdn_state_q(cdn_stepper_state(stepper))[4];
    NEAR(x[i], x[0], 2e-6);
    cdn_stepper_destroy(stepper);
  }
}
END_TEST

static void near3(cdn_vec3 a, cdn_vec3 b, double tolerance) {
  NEAR(a.x, b.x, tolerance);
  NEAR(a.y, b.y, tolerance);
  NEAR(a.z, b.z, tolerance);
}

static cdn_vec3 measured(cdn_state *state, cdn_measure m) {
  const double *x = cdn_measure_value(state, m);
  ck_assert_msg(x, "%s", cdn_last_error_text());
  return cdn_v3(x[0], x[1], x[2]);
}

/* Newton and Euler: what contacts tell of their forces is what moves the body. Of a cone and a pyramid, of all
 * dimensions. */
START_TEST(test_contacts_tell_the_forces_that_move_a_body) {
  const int dimensions[] = { 1, 3, 4, 6 };
  const double mass = 3, moment = 0.05;
  for (int i = 0; i < 8; i++) {
    cdn_soft_material soft = soft_of(0.9, 0.4, dimensions[i / 2]);
    soft.friction[1] = 0.02, soft.friction[2] = 0.01;
    cdn_soft_def options = cdn_default_soft_def();
    options.cone = i % 2 ? CDN_SOFT_PYRAMIDAL : CDN_SOFT_ELLIPTIC;
    scene s = { .system = cdn_system_create(NULL) };
    cdn_contact_def contact = cdn_default_contact_def();
    contact.model = CDN_CONTACT_SOFT;
    cdn_system_set_contact(s.system, &contact);
    cdn_system_set_soft(s.system, &options);
    cdn_system_add_gravity(s.system, NULL, cdn_v3(0, 0, -G));
    cdn_body_def b = cdn_default_body_def();
    b.mobilizer = CDN_FREE, b.mass.mass = mass, b.mass.inertia = (cdn_inertia){ moment, moment, moment, 0, 0, 0 };
    s.body = cdn_system_add_body(s.system, &b);
    cdn_shape_def shape = cdn_default_shape_def();
    shape.soft = &soft;
    /* the body is the first of the two shapes: the force is on the second */
    shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { 0.2, 0.1, 0.05 } }, shape.body = s.body;
    const cdn_shape box = cdn_system_add_shape(s.system, &shape);
    shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_HALF_SPACE }, shape.body = cdn_ground();
    cdn_system_add_shape(s.system, &shape);
    cdn_contact_measure_def m = cdn_default_contact_measure_def();
    m.shape_a = box;
    cdn_measure measures[3];
    const cdn_contact_quantity quantities[] = { CDN_CONTACT_FORCE, CDN_CONTACT_FRICTION, CDN_CONTACT_POWER };
    for (int k = 0; k < 3; k++) m.quantity = quantities[k], measures[k] = cdn_system_add_contact_measure(s.system, &m);
    OK_FREEZE(s.system);
    cdn_state *state;
    OK(cdn_state_create(s.system, &state));
    const double q[7] = { 1, 0.01, 0.005, 0.3, 0.1, 0.2, 0.0505 }, u[6] = { 0.3, -0.2, 2, 0.5, 0.2, -0.1 };
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_state_set_u(state, u));
    int n;
    OK_ON(state, cdn_contact_count(state, &n));
    ck_assert_int_ge(n, 1);
    cdn_transform X;
    cdn_spatial V, A;
    OK_ON(state, cdn_body_pose(state, s.body, &X));
    OK_ON(state, cdn_body_velocity(state, s.body, &V));
    cdn_vec3 force = { 0, 0, 0 }, turning = { 0, 0, 0 }, friction = { 0, 0, 0 };
    double power = 0, most = 0;
    bool turns = false;
    for (int k = 0; k < n; k++) {
      cdn_contact c;
      OK_ON(state, cdn_contact_get(state, k, &c));
      const cdn_vec3 arm = cdn_sub(c.point, X.p), on_b = cdn_add(cdn_scale(c.force, c.normal), c.friction);
      force = cdn_sub(force, on_b), friction = cdn_sub(friction, c.friction);
      turning = cdn_sub(turning, cdn_add(c.moment, cdn_cross(arm, on_b)));
      const cdn_vec3 v = cdn_add(V.v, cdn_cross(V.w, arm));
      const double p = -cdn_dot(on_b, v) - cdn_dot(c.moment, V.w);
      NEAR(c.power, p, 1e-12 * fabs(p) + 1e-12);
      power += p, most = fmax(most, c.force);
      /* in the cone, or in the pyramid */
      const double a = fabs(cdn_dot(c.friction, c.tangent[0])), o = fabs(cdn_dot(c.friction, c.tangent[1]));
      ck_assert_int_eq(c.pyramid, i % 2);
      NEAR(c.coefficient[0], i < 2 ? 0 : 0.4, 0);
      AT_MOST(c.pyramid ? a + o : hypot(a, o), c.coefficient[0] * c.force * (1 + 1e-9) + 1e-12);
      turns = turns || cdn_norm(c.moment) > 0;
    }
    /* of a pyramid only the edges that are pressed act */
    ck_assert(most > 0 && (i < 4 ? !turns : turns || i % 2 == 1));
    OK_ON(state, cdn_body_acceleration(state, s.body, &A));
    near3(force, cdn_scale(mass, cdn_add(A.v, cdn_v3(0, 0, G))), 1e-10 * most);
    near3(turning, cdn_scale(moment, A.w), 1e-10 * most);
    near3(measured(state, measures[0]), force, 1e-12 * most);
    near3(measured(state, measures[1]), friction, 1e-12 * most);
    NEAR(*cdn_measure_value(state, measures[2]), power, 1e-12 * fabs(power));
    cdn_state_destroy(state);
    cdn_system_release(s.system);
  }
}
END_TEST

/* Of soft rows beside contacts names and forces are told; they are those on the joint. */
START_TEST(test_rows_have_names_and_forces) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_PIN, b.mass.mass = 2, b.mass.inertia = (cdn_inertia){ 0.5, 0.5, 0.5, 0, 0, 0 };
  const cdn_body arm = cdn_system_add_body(system, &b);
  b.parent = arm, b.mobilizer = CDN_SLIDER;
  const cdn_body slide = cdn_system_add_body(system, &b);
  cdn_soft_limit_def limit = cdn_default_soft_limit_def();
  limit.name = "stop", limit.body = arm, limit.upper = 0.1;
  cdn_system_add_soft_limit(system, &limit);
  cdn_friction_loss_def loss = cdn_default_friction_loss_def();
  loss.name = "dry", loss.body = slide, loss.loss = 3;
  cdn_system_add_friction_loss(system, &loss);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_state_set_q(state, (double[]){ 0.2, 0.3 }));
  OK_ON(state, cdn_state_set_u(state, (double[]){ 0, 5 }));
  int n;
  OK_ON(state, cdn_soft_count(state, &n));
  ck_assert_int_eq(n, 2);
  static const char *const names[] = { "stop", "dry" };
  double all[2], sum[2] = { 0, 0 };
  OK_ON(state, cdn_soft_forces(state, cdn_state_udot(state), all));
  for (int i = 0; i < n; i++) {
    cdn_soft_group g;
    cdn_spatial F[3];
    double f[2];
    OK_ON(state, cdn_soft_get(state, i, &g));
    OK_ON(state, cdn_soft_group_forces(state, i, F, f));
    OK_ON(state, cdn_soft_group_forces(state, i, NULL, NULL));
    ck_assert_str_eq(g.name, names[i]);
    ck_assert(g.contact == -1 && g.element == i && g.joint.i == (i ? slide.i : arm.i));
    NEAR(f[i], i ? -3 : f[0], 1e-12);
    NEAR(f[1 - i], 0, 0);
    for (int k = 0; k < 2; k++) sum[k] += f[k];
    for (int k = 0; k < 3; k++) NEAR(cdn_norm(F[k].v) + cdn_norm(F[k].w), 0, 0);
  }
  ck_assert(sum[0] < 0);
  for (int k = 0; k < 2; k++) NEAR(sum[k], all[k], 1e-9 * fabs(all[k]));
  FAILS(cdn_soft_group_forces(state, 2, NULL, NULL), CDN_ERR_ARG);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* Friction knows surfaces by how they slide on each other: a belt at rest under a moving ball is a running belt under a
 * ball at rest, whichever of the two the belt is on. */
START_TEST(test_belts_run_under_what_touches_them) {
  static const cdn_soft_kind cones[] = { CDN_SOFT_ELLIPTIC, CDN_SOFT_PYRAMIDAL };
  const cdn_vec3 over = cdn_v3(0.7, -0.3, 0.2), spin = cdn_v3(0.1, 0.4, 1.3), place = cdn_v3(0.2, -0.1, 0.099);
  const cdn_vec3 v = cdn_add(over, cdn_cross(spin, place)); /* of the surface where the ball's centre is */
  for (int dimension = 3; dimension <= 6; dimension += dimension == 3 ? 1 : 2)
    for (int cone = 0; cone < 2; cone++) {
      cdn_soft_def options = cdn_default_soft_def();
      cdn_soft_material soft = soft_of(0.9, 0.6, dimension);
      soft.friction[1] = 0.02, soft.friction[2] = 0.01;
      options.cone = cones[cone];
      const cdn_geometry ball = { .kind = CDN_GEOMETRY_SPHERE, .size = { 0.1 } };
      const scene s = make_scene(ball, 2, 0.008, 0.1, &soft, &options);
      cdn_state *state;
      double udot[3][6];
      OK(cdn_state_create(s.system, &state));
      const double q[7] = { 1, 0, 0, 0, place.x, place.y, place.z }, none[6] = { 0 };
      /* the point of contact moves up and down with the belt alone */
      const double u[6] = { -spin.x, -spin.y, -spin.z, -v.x, -v.y, -v.z };
      const double normal = over.z + spin.x * place.y - spin.y * place.x;
      const double still[6] = { 0, 0, 0, 0, 0, -normal };
      OK_ON(state, cdn_state_set_q(state, q));
      OK_ON(state, cdn_state_set_u(state, u));
      memcpy(udot[0], cdn_state_udot(state), sizeof udot[0]);
      OK_ON(state, cdn_state_set_u(state, still));
      OK_ON(state, cdn_shape_set_surface_velocity(state, (cdn_shape){ 0 }, over, spin));
      memcpy(udot[1], cdn_state_udot(state), sizeof udot[1]);
      /* the same on the ball, in whose frame the surface runs the other way */
      OK_ON(state, cdn_shape_set_surface_velocity(state, (cdn_shape){ 0 }, cdn_v3(0, 0, 0), cdn_v3(0, 0, 0)));
      OK_ON(state, cdn_shape_set_surface_velocity(state, (cdn_shape){ 1 }, cdn_scale(-1, v), cdn_scale(-1, spin)));
      memcpy(udot[2], cdn_state_udot(state), sizeof udot[2]);
      for (int i = 0; i < 6; i++) {
        NEAR(udot[1][i], udot[0][i], 1e-11 * (1 + fabs(udot[0][5])));
        NEAR(udot[2][i], udot[0][i], 1e-11 * (1 + fabs(udot[0][5])));
      }
      OK_ON(state, cdn_state_set_u(state, none));
      ck_assert(fabs(udot[0][3]) > 0.1);
      cdn_state_destroy(state);
      cdn_system_release(s.system);
    }
}
END_TEST

/* A parcel becomes as fast as its belt. */
START_TEST(test_a_belt_carries) {
  const cdn_soft_material soft = soft_of(0.9, 0.5, 3);
  const cdn_geometry box = { .kind = CDN_GEOMETRY_BOX, .size = { 0.2, 0.2, 0.1 } };
  const scene s = make_scene(box, 1, 0.02, 0, &soft, NULL);
  cdn_state *state;
  cdn_stepper *stepper;
  OK(cdn_state_create(s.system, &state));
  OK_ON(state, cdn_state_set_q(state, (double[]){ 1, 0, 0, 0, 0, 0, 0.1 }));
  OK_ON(state, cdn_shape_set_surface_velocity(state, (cdn_shape){ 0 }, cdn_v3(0, 0.5, 0), cdn_v3(0, 0, 0)));
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_SEMI_EXPLICIT_EULER, def.fixed_step = 0.002;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
  NEAR(cdn_state_u(cdn_stepper_state(stepper))[4], 0.5, 1e-8);
  NEAR(cdn_state_u(cdn_stepper_state(stepper))[3], 0, 1e-8);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(s.system);
}
END_TEST

CHECK_MAIN("verify/soft_contact", test_belts_run_under_what_touches_them, test_a_belt_carries,
           test_contacts_tell_the_forces_that_move_a_body, test_rows_have_names_and_forces,
           test_a_ball_rests_as_deep_as_the_law_says, test_a_block_creeps_as_fast_as_the_law_says,
           test_a_ball_that_slides_rolls_in_the_end, test_energy_is_accounted_for, test_methods_agree)
