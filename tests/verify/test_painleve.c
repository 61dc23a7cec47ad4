/* Painleve's rod: it slides on one end, and friction turns it into the floor. With the angle a to the floor, a normal
 * force N lifts the end by N / m (1 + 3 cos^2 a - 3 mu sin a cos a). Where that is negative, pressing does not lift,
 * and rigid bodies with Coulomb's friction have no solution with slip, or two. Each way of contact here has one
 * solution at every State. The rod jams: its end stops within milliseconds, and the rod goes on over it. */
#include "runs.h"

#include <cardan/contact.h>
#include <cardan/soft.h>

static const double HALF = 0.5, RADIUS = 0.01, MASS = 1, ANGLE = 1.0471975511965977, MU = 2, SPEED = 2, G = 9.81;

typedef struct way {
  const char *name;
  cdn_contact_model model;
  cdn_friction friction;
  cdn_soft_kind cone;
  cdn_method method;
  double accuracy, step;
} way;

static const way ways[] = {
  { "compliant, sticking", CDN_CONTACT_COMPLIANT, CDN_FRICTION_STICKING, 0, CDN_METHOD_DEFAULT, 1e-5, 0 },
  { "compliant, slip", CDN_CONTACT_COMPLIANT, CDN_FRICTION_SLIP_SPEED, 0, CDN_METHOD_DEFAULT, 1e-5, 0 },
  { "implicit contact step", CDN_CONTACT_COMPLIANT, CDN_FRICTION_STICKING, 0, CDN_METHOD_IMPLICIT_CONTACT, 1e-4, 0 },
  { "soft, elliptic", CDN_CONTACT_SOFT, 0, CDN_SOFT_ELLIPTIC, CDN_METHOD_DEFAULT, 1e-4, 0 },
  { "soft, elliptic, steps", CDN_CONTACT_SOFT, 0, CDN_SOFT_ELLIPTIC, CDN_METHOD_MUJOCO_EULER, 0, 1e-3 },
  { "soft, pyramidal, steps", CDN_CONTACT_SOFT, 0, CDN_SOFT_PYRAMIDAL, CDN_METHOD_MUJOCO_EULER, 0, 1e-3 },
};

/* In the plane x z: q is the angle from x to z, x and z of the middle. A ball at each end touches the floor. */
static cdn_system *make_rod(const way *w, cdn_body *rod) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, NULL, cdn_v3(0, 0, -G));
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = w->model, contact.friction = w->friction;
  cdn_system_set_contact(system, &contact);
  cdn_soft_def options = cdn_default_soft_def();
  if (w->model == CDN_CONTACT_SOFT) options.cone = w->cone, cdn_system_set_soft(system, &options);
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = 1e8, m.dissipation = 0.5, m.static_friction = m.dynamic_friction = MU;
  cdn_soft_material soft = cdn_default_soft_material();
  soft.friction[0] = MU;
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_PLANAR, b.X_PF.R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), 0.5 * 3.141592653589793);
  const double across = MASS * HALF * HALF / 3;
  b.mass.mass = MASS, b.mass.inertia = (cdn_inertia){ 1e-4, across, across, 0, 0, 0 };
  *rod = cdn_system_add_body(system, &b);
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &m, shape.soft = &soft;
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_HALF_SPACE };
  cdn_system_add_shape(system, &shape);
  shape.body = *rod, shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { RADIUS } };
  for (int end = -1; end <= 1; end += 2) {
    shape.X_BS.p = cdn_v3(end * HALF, 0, 0);
    cdn_system_add_shape(system, &shape);
  }
  OK_FREEZE(system);
  return system;
}

static double energy_of(cdn_state *state) {
  double kinetic, potential;
  OK_ON(state, cdn_kinetic_energy(state, &kinetic));
  OK_ON(state, cdn_potential_energy(state, &potential));
  return kinetic + potential;
}

/* Velocity along x of the end on the floor. */
static double slip_of(const cdn_state *state) {
  const double *q = cdn_state_q(state), *u = cdn_state_u(state);
  return u[1] + HALF * sin(q[0]) * u[0];
}

static cdn_state *start(const cdn_system *system, double depth) {
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  OK_ON(state, cdn_state_set_q(state, (double[]){ ANGLE, 0, HALF * sin(ANGLE) + RADIUS - depth }));
  OK_ON(state, cdn_state_set_u(state, (double[]){ 0, -SPEED, 0 }));
  return state;
}

START_TEST(the_rod_jams_and_tips) {
  const way *w = &ways[_i];
  cdn_body rod;
  cdn_system *system = make_rod(w, &rod);
  cdn_state *state = start(system, 0);
  cdn_stepper *stepper;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = w->method, def.fixed_step = w->step;
  if (w->accuracy > 0) def.accuracy = w->accuracy;
  OK(cdn_stepper_create(state, &def, &stepper));
  cdn_state *now = cdn_stepper_state(stepper);
  const double before = energy_of(now);
  double stopped = INFINITY, deepest = 0, most = before;
  ck_assert_double_lt(1 + 3 * cos(ANGLE) * (cos(ANGLE) - MU * sin(ANGLE)), -0.8); /* pressing does not lift */
  for (int k = 1; k <= 1000; k++) {
    OK_STEP(stepper, cdn_stepper_advance(stepper, 1e-3 * k, NULL));
    const double *q = cdn_state_q(now);
    if (fabs(slip_of(now)) < 0.05 * SPEED) stopped = fmin(stopped, 1e-3 * k);
    deepest = fmax(deepest, HALF * fabs(sin(q[0])) + RADIUS - q[2]);
    most = fmax(most, energy_of(now));
  }
  if (getenv("CARDAN_TEST_SHOW"))
    printf("%s: slip ends after %.0f ms, %.2g mm deep, energy rises by %.1e of %.3g J, turned to %.2f rad\n", w->name,
           1e3 * stopped, 1e3 * deepest, most - before, before, cdn_state_q(now)[0]);
  AT_MOST(stopped, 0.05);
  /* soft contact gives way for its time constant of 20 ms, at the speed of the end */
  AT_MOST(deepest, w->model == CDN_CONTACT_SOFT ? 1.5 * 0.02 * SPEED : 0.005);
  ck_assert_double_gt(cdn_state_q(now)[0], 1.6); /* it has gone over */
  if (w->model == CDN_CONTACT_COMPLIANT) AT_MOST(most - before, 50 * w->accuracy);
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
}
END_TEST

/* The convex problem has its solution: the residual is small, and the force is in the cone and slows the end down. */
START_TEST(accelerations_are_solved_at_every_depth) {
  for (int i = 3; i < 6; i++)
    for (int k = -8; k <= -2; k++) {
      cdn_body rod;
      cdn_system *system = make_rod(&ways[i], &rod);
      cdn_state *state = start(system, pow(10, k));
      cdn_soft_statistics s;
      cdn_contact c;
      OK_ON(state, cdn_soft_get_statistics(state, &s));
      ck_assert(s.converged);
      OK_ON(state, cdn_contact_get(state, 0, &c));
      ck_assert_double_gt(c.force, 0);
      AT_MOST(cdn_norm(c.friction), MU * c.force * (1 + 1e-6));
      ck_assert_double_gt(c.friction.x, 0);
      cdn_state_destroy(state), cdn_system_release(system);
    }
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, the_rod_jams_and_tips, 0, sizeof ways / sizeof *ways);
  tcase_add_test(c, accelerations_are_solved_at_every_depth);
}
CHECK_MAIN_OF("painleve", 60, add)
