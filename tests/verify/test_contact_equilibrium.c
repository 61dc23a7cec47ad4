/* Equilibrium with friction that sticks: what it remembers follows the bodies, so that a block stays on a slope. */
#include "../testing.h"

#include <cardan/contact.h>
#include <cardan/equilibrium.h>

static const double G = 9.81, SIDE = 0.1, MODULUS = 1e6;

/* The slope falls along x: gravity is turned by `angle`. The body lies on it, or a little in it. */
static cdn_state *on_slope(double angle, double mu, double rolling, cdn_geometry_kind kind, double depth) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.friction = CDN_FRICTION_STICKING;
  cdn_system_set_contact(system, &contact);
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = MODULUS, m.static_friction = mu, m.dynamic_friction = mu, m.rolling_friction = rolling;
  m.torsional_friction = 1e-3, m.dissipation = 1;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &m, shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  cdn_body_def body = cdn_default_body_def();
  const double I = 2e-3, q0[7] = { 1, 0, 0, 0, 0, 0, SIDE / 2 - depth };
  body.name = "block", body.mobilizer = CDN_FREE, body.q0 = q0;
  body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ I, I, I, 0, 0, 0 };
  shape.body = cdn_system_add_body(system, &body);
  shape.geometry.kind = kind;
  shape.geometry.size[0] = SIDE / 2;
  if (kind == CDN_GEOMETRY_BOX) shape.geometry.size[1] = shape.geometry.size[2] = SIDE / 2;
  cdn_system_add_shape(system, &shape);
  cdn_system_add_gravity(system, "gravity", cdn_v3(G * sin(angle), 0, -G * cos(angle)));
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

/* Where it is displaced by the load, as far as k = 1.6 E* a allows (docs/friction.md); and there it stays when time
 * goes on. */
START_TEST(a_block_stays_on_a_slope) {
  const double angle = 20 * PI / 180, a = 0.5 * sqrt(3) * SIDE / 2;
  for (int goal = CDN_EQUILIBRIUM_STABLE; goal <= CDN_EQUILIBRIUM_ANY; goal++) {
    cdn_state *state = on_slope(angle, 0.7, 0, CDN_GEOMETRY_BOX, 1e-5);
    cdn_equilibrium_def def = cdn_default_equilibrium_def();
    def.goal = (cdn_equilibrium_goal)goal;
    cdn_equilibrium found;
    OK_ON(state, cdn_find_equilibrium(state, &def, &found));
    if (getenv("CARDAN_TEST_SHOW"))
      printf("%d iterations, unbalanced %g, stable %d, neutral %d, x = %.9g\n", found.iterations, found.unbalanced,
             found.stable, found.neutral, cdn_state_q(state)[4]);
    AT_MOST(found.unbalanced, def.tolerance);
    ck_assert_int_eq(found.stable, 6);
    cdn_contact c;
    int n;
    OK_ON(state, cdn_contact_count(state, &n));
    double along = 0;
    for (int i = 0; i < n; i++) {
      OK_ON(state, cdn_contact_get(state, i, &c));
      along += c.friction.x;
      ck_assert(c.sticks);
      /* E* of both surfaces together is that of Hertz's law; the block leans, and the plane of friction with it */
      const double expected = G * sin(angle) / (1.6 * pow(0.5, 1.5) * MODULUS * a);
      NEAR(c.displacement.x, expected, 2e-3 * expected);
    }
    NEAR(fabs(along), G * sin(angle), 1e-6);
    const double x = cdn_state_q(state)[4];
    double q[7];
    memcpy(q, cdn_state_q(state), sizeof q);
    ck_assert(x > 0 && x < 1e-3);
    cdn_stepper *stepper;
    cdn_stepper_def how = cdn_default_stepper_def();
    how.accuracy = 1e-8;
    OK_ON(state, cdn_stepper_create(state, &how, &stepper));
    OK_STEP(stepper, cdn_stepper_advance(stepper, 1, NULL));
    for (int i = 0; i < 7; i++) NEAR(cdn_state_q(cdn_stepper_state(stepper))[i], q[i], 1e-8);
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(state);
  }
}
END_TEST

/* tan(40 deg) is more than mu: what slides finds no rest. */
START_TEST(a_slope_may_be_too_steep) {
  cdn_state *state = on_slope(40 * PI / 180, 0.7, 0, CDN_GEOMETRY_BOX, 1e-5);
  cdn_equilibrium found;
  double q[7];
  memcpy(q, cdn_state_q(state), sizeof q);
  FAILS(cdn_find_equilibrium(state, NULL, &found), CDN_ERR_LIMIT);
  ck_assert(memcmp(q, cdn_state_q(state), sizeof q) == 0);
  if (getenv("CARDAN_TEST_SHOW")) puts(cdn_last_error_text());
  cdn_state_destroy(state);
}
END_TEST

/* A ball rolls down, unless friction against rolling holds it: mg R sin(angle) is at most c N. */
START_TEST(a_ball_rests_if_it_may_not_roll) {
  const double angle = 5 * PI / 180;
  for (int k = 0; k < 2; k++) {
    const double c = (k ? 1.2 : 0.8) * SIDE / 2 * tan(angle);
    cdn_state *state = on_slope(angle, 0.7, c, CDN_GEOMETRY_SPHERE, 1e-5);
    cdn_equilibrium found;
    FAILS(cdn_find_equilibrium(state, NULL, &found), k ? CDN_OK : CDN_ERR_LIMIT);
    if (k) AT_MOST(found.unbalanced, 1e-8);
    cdn_state_destroy(state);
  }
}
END_TEST

/* It falls in the direction of gravity, though nothing has been touched yet, and stays where it has come to lie. */
START_TEST(a_block_in_the_air_comes_to_rest) {
  cdn_state *state = on_slope(20 * PI / 180, 0.7, 0, CDN_GEOMETRY_BOX, -1e-3);
  cdn_equilibrium_def def = cdn_default_equilibrium_def();
  cdn_equilibrium found;
  def.largest_step = 0.2 * SIDE;
  OK_ON(state, cdn_find_equilibrium(state, &def, &found));
  AT_MOST(found.unbalanced, 1e-7);
  int slots, used;
  OK_ON(state, cdn_contact_memory(state, &slots, &used, NULL));
  ck_assert_int_eq(used, 1);
  cdn_state_destroy(state);
}
END_TEST

/* What a run has displaced stays so: the State of a run that rests is its own equilibrium. */
START_TEST(a_run_at_rest_is_an_equilibrium) {
  cdn_state *state = on_slope(20 * PI / 180, 0.7, 0, CDN_GEOMETRY_BOX, 1e-5);
  cdn_stepper *stepper;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-8;
  OK(cdn_stepper_create(state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 2, NULL));
  cdn_state *rests = cdn_stepper_state(stepper);
  OK_ON(state, cdn_state_copy(state, rests));
  cdn_equilibrium found;
  OK_ON(state, cdn_find_equilibrium(state, NULL, &found));
  for (int i = 0; i < 7; i++) NEAR(cdn_state_q(state)[i], cdn_state_q(rests)[i], 1e-7);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("contact equilibrium", a_slope_may_be_too_steep, a_ball_rests_if_it_may_not_roll,
           a_block_in_the_air_comes_to_rest, a_run_at_rest_is_an_equilibrium, a_block_stays_on_a_slope)
