/* Random shapes fall onto each other and onto a floor, rigidly: they do not overlap, gain no energy, and the run goes
 * on to its end. */
#include <cardan/queries.h>

#include "random_tree.h"

enum { MOST = 3 };

typedef struct scene {
  cdn_state *state;
  int bodies;
} scene;

/* A box, a capsule or a ball, or a cylinder, and its inertia over its mass. */
static cdn_geometry any_geometry(rng *r, bool cylinders, double J[3]) {
  const double a = uniform(r, 0.05, 0.2), b = uniform(r, 0.05, 0.2), c = uniform(r, 0.05, 0.2);
  if (cylinders) {
    J[0] = J[1] = a * a / 4 + b * b / 3, J[2] = a * a / 2;
    return (cdn_geometry){ .kind = CDN_GEOMETRY_CYLINDER, .size = { a, b } };
  }
  switch ((int)uniform(r, 0, 3)) {
    case 0:
      J[0] = (b * b + c * c) / 3, J[1] = (a * a + c * c) / 3, J[2] = (a * a + b * b) / 3;
      return (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { a, b, c } };
    case 1:
      J[0] = J[1] = a * a / 16 + b * b / 3, J[2] = a * a / 8;
      return (cdn_geometry){ .kind = CDN_GEOMETRY_CAPSULE, .size = { a / 2, b } };
    default: J[0] = J[1] = J[2] = 0.4 * a * a; return (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { a } };
  }
}

static void add_shape(cdn_system *system, cdn_body body, cdn_geometry geometry, double mu, double e) {
  cdn_contact_material m = cdn_default_contact_material();
  cdn_shape_def d = cdn_default_shape_def();
  m.static_friction = m.dynamic_friction = mu, m.restitution = e;
  d.body = body, d.geometry = geometry, d.material = &m;
  cdn_system_add_shape(system, &d);
}

/* Every other body is a cylinder, if there are any. */
static scene make(uint64_t seed, int bodies, bool cylinders) {
  rng r = rng_of(seed);
  scene s = { .bodies = bodies };
  double q[7 * MOST], u[6 * MOST];
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_def contact = cdn_default_contact_def();
  const double mu = uniform(&r, 0, 0.8), e = uniform(&r, 0, 1) < 0.5 ? 0 : uniform(&r, 0, 0.8);
  contact.model = CDN_CONTACT_RIGID;
  cdn_system_set_contact(system, &contact);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  add_shape(system, cdn_ground(), (cdn_geometry){ .kind = CDN_GEOMETRY_HALF_SPACE }, mu, e);
  for (int k = 0; k < bodies; k++) {
    double J[3];
    const cdn_geometry g = any_geometry(&r, cylinders && k % 2 == 0, J);
    const double m = uniform(&r, 0.5, 2);
    cdn_body_def d = cdn_default_body_def();
    d.mobilizer = CDN_FREE, d.mass = (cdn_mass_properties){ m, { 0, 0, 0 }, { m * J[0], m * J[1], m * J[2], 0, 0, 0 } };
    add_shape(system, cdn_system_add_body(system, &d), g, mu, e);
    random_numbers(&r, 1, q + 7 * k, 4);
    q[7 * k + 4] = uniform(&r, -0.1, 0.1), q[7 * k + 5] = uniform(&r, -0.1, 0.1), q[7 * k + 6] = 0.4 + 0.65 * k;
    random_numbers(&r, 2, u + 6 * k, 6);
  }
  OK_FREEZE(system);
  OK(cdn_state_create(system, &s.state));
  cdn_system_release(system);
  OK_ON(s.state, cdn_state_set_q(s.state, q));
  OK_ON(s.state, cdn_state_set_u(s.state, u));
  return s;
}

static double energy_of(cdn_state *state) {
  double kinetic, potential;
  OK_ON(state, cdn_kinetic_energy(state, &kinetic));
  OK_ON(state, cdn_potential_energy(state, &potential));
  return kinetic + potential;
}

/* Between events a State is dense output, on surfaces and with energy as the accuracy asks. */
static void fall(uint64_t seed, int bodies, bool cylinders, double accuracy) {
  const scene s = make(seed, bodies, cylinders);
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *run = NULL;
  double least = energy_of(s.state);
  def.accuracy = accuracy, def.final_time = 1.2;
  OK_ON(s.state, cdn_stepper_create(s.state, &def, &run));
  for (int t = 1; t <= 120; t++) {
    OK_STEP(run, cdn_stepper_advance(run, t < 120 ? 0.01 * t : 1.2, NULL));
    cdn_state *now = cdn_stepper_state(run);
    for (int i = 0; i <= bodies; i++)
      for (int k = 0; k < i; k++) {
        cdn_proximity near;
        OK_ON(now, cdn_shapes_distance(now, (cdn_shape){ k }, (cdn_shape){ i }, &near));
        ck_assert_msg(near.distance > -1e-2 * accuracy, "scene %d: %d and %d overlap by %g at %g s", (int)seed, k, i,
                      -near.distance, 0.01 * t);
      }
    const double energy = energy_of(now);
    ck_assert_msg(energy < least + accuracy, "scene %d gains %g J at %g s", (int)seed, energy - least, 0.01 * t);
    least = fmin(least, energy);
  }
  cdn_stepper_destroy(run);
  cdn_state_destroy(s.state);
}

START_TEST(shapes_fall_on_each_other) {
  const int scenes = getenv("CARDAN_TEST_LONG") ? 200 : FEWER(12);
  for (int k = 0; k < scenes; k++) fall(100 * (uint64_t)_i + (uint64_t)k, 1 + _i % 3, false, _i < 3 ? 1e-3 : 1e-5);
}
END_TEST

/* Cylinders touch by their rims, sides and caps, and along edges. */
START_TEST(cylinders_fall_on_each_other) {
  const int scenes = getenv("CARDAN_TEST_LONG") ? 200 : FEWER(6);
  for (int k = 0; k < scenes; k++) fall(100 * (uint64_t)_i + (uint64_t)k, 1 + _i % 3, true, _i < 3 ? 1e-3 : 1e-5);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, shapes_fall_on_each_other, 0, 6);
  tcase_add_loop_test(c, cylinders_fall_on_each_other, 0, 6);
}

CHECK_MAIN_OF("rigid falls", 120, add)
