/* The same ball on the same slope by rigid, compliant and soft contact: the stiffer the last two, the nearer to the
 * first, which is exact. (Impacts in the limit of stiff materials: verify/test_contact_impacts.) */
#include "hybrid_scenes.h"

static const double g = 9.81, radius = 0.1;

/* A ball at rest on a slope, which slides (slip all the time) or rolls. */
typedef struct slope {
  double angle, mu;
  double acceleration; /* of the rigid ball */
} slope;
static slope slope_of(bool rolls) {
  const double angle = rolls ? 0.1 : 0.6, mu = rolls ? 0.5 : 0.1;
  return (slope){ angle, mu, g * (rolls ? sin(angle) * 5 / 7 : sin(angle) - mu * cos(angle)) };
}

/* `stiffness`: the modulus of compliant contact; for soft contact 1 / R: its impedance is 1 - R. Returns how far the
 * ball is, after 1 s, from where the rigid one is; *depth: how deep it lies. */
static double off_by(cdn_contact_model model, const slope *x, double stiffness, double accuracy, double *depth) {
  const double J = 0.4 * radius * radius;
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(g * sin(x->angle), 0, -g * cos(x->angle)));
  cdn_body_def d = cdn_default_body_def();
  d.name = "ball", d.mobilizer = CDN_FREE, d.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { J, J, J, 0, 0, 0 } };
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = model, contact.friction = CDN_FRICTION_STICKING;
  cdn_system_set_contact(system, &contact);
  cdn_contact_material hard = cdn_default_contact_material();
  hard.static_friction = hard.dynamic_friction = x->mu, hard.viscous_friction = 0;
  if (model == CDN_CONTACT_COMPLIANT) hard.modulus = stiffness, hard.dissipation = 5;
  cdn_soft_material soft = cdn_default_soft_material();
  soft.friction[0] = x->mu, soft.condim = 3, soft.law.ref[0] = 0.005, soft.law.ref[1] = 1;
  if (model == CDN_CONTACT_SOFT) soft.law.imp[0] = soft.law.imp[1] = 1 - 1 / stiffness;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &hard, shape.soft = &soft, shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  shape.body = cdn_system_add_body(system, &d);
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { radius } };
  cdn_system_add_shape(system, &shape);
  cdn_state *state = hybrid_state(system, (double[]){ 1, 0, 0, 0, 0, 0, radius }, NULL);
  cdn_stepper *run = stepper_of(state, accuracy);
  OK_STEP(run, cdn_stepper_advance(run, 1, NULL));
  const double *q = cdn_state_q(cdn_stepper_state(run)), off = q[4] - x->acceleration / 2;
  *depth = radius - q[6];
  cdn_stepper_destroy(run);
  cdn_state_destroy(state);
  return off;
}

START_TEST(rigid_contact_is_the_limit_itself) {
  const slope x = slope_of(_i);
  double depth;
  NEAR(off_by(CDN_CONTACT_RIGID, &x, 0, 1e-9, &depth), 0, 1e-14);
  NEAR(depth, 0, 1e-14);
}
END_TEST

/* By Hertz the depth goes with the power -2/3 of the modulus. While it slides, friction lacks what the push lacks: the
 * push has given the ball the momentum of its way down, which is mu times the depth when all is at rest along the
 * normal. */
START_TEST(compliant_contact_tends_to_rigid_contact) {
  const slope x = slope_of(_i);
  double before = NAN, depth;
  for (double modulus = 1e5; modulus < 2e8; modulus *= 10) {
    const double off = off_by(CDN_CONTACT_COMPLIANT, &x, modulus, 1e-8, &depth);
    if (_i == 0) NEAR(off, x.mu * depth, 1e-7);
    if (!isnan(before)) NEAR(log10(before / off), 2. / 3, 0.01);
    before = off;
  }
  AT_MOST(fabs(before), 1e-4);
}
END_TEST

/* R has the power 1, down to the least one that there is (soft_rows.md). */
START_TEST(soft_contact_tends_to_rigid_contact) {
  const slope x = slope_of(true);
  double before = NAN, depth;
  for (double stiffness = 10; stiffness < 2e4; stiffness *= 10) {
    const double off = off_by(CDN_CONTACT_SOFT, &x, stiffness, 1e-8, &depth);
    if (!isnan(before)) NEAR(log10(before / off), 1, 0.01);
    before = off;
  }
  AT_MOST(fabs(before), 1e-8);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, rigid_contact_is_the_limit_itself, 0, 2);
  tcase_add_loop_test(c, compliant_contact_tends_to_rigid_contact, 0, 2);
  tcase_add_test(c, soft_contact_tends_to_rigid_contact);
}

CHECK_MAIN_OF("hybrid limits", 60, add)
