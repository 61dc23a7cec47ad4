/* Bodies that fall on a floor: the States that a run reports lie on its path, and no body gets through. Without
 * friction that stores energy, the sum of kinetic and potential energy can only fall, from one report to the next, and
 * within a step as well. */
#include "runs.h"
#include "property/sample_geometries.h"

typedef struct fall {
  cdn_geometry geometry;
  double modulus, dissipation;
} fall;

static cdn_system *system_of(const fall *f, cdn_vec3 axis, double angle) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -10));
  cdn_contact_def contact = cdn_default_contact_def();
  contact.friction = CDN_FRICTION_SLIP_SPEED;
  cdn_system_set_contact(system, &contact);
  cdn_contact_material m = cdn_default_contact_material();
  m.modulus = f->modulus, m.dissipation = f->dissipation, m.static_friction = 0.5, m.dynamic_friction = 0.4;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &m, shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  const cdn_quaternion r = cdn_quaternion_from_rotation(cdn_rotation_axis_angle(axis, angle));
  const double q0[7] = { r.w, r.x, r.y, r.z, 0, 0, 0.15 };
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_FREE, body.q0 = q0;
  body.mass.mass = 1, body.mass.inertia = (cdn_inertia){ 0.003, 0.004, 0.005, 0, 0, 0 };
  shape.body = cdn_system_add_body(system, &body), shape.geometry = f->geometry;
  cdn_system_add_shape(system, &shape);
  OK_FREEZE(system);
  return system;
}

/* Reports four times a millisecond: there are steps with many of them, steps with one, and reports right behind a
 * touch. `tolerance`: what the energy, which is 1.5 J at first, may grow by. The momentum is 2 kg m/s at most, so that
 * an error of the accuracy in u is twice the accuracy in energy. */
static void follow(const fall *f, uint64_t *seed, cdn_method method, double accuracy, double tolerance) {
  cdn_system *system =
      system_of(f, mesh_direction(seed),
                mesh_uniform(seed, 0, 1) < 0.5 ? mesh_uniform(seed, 0, 0.1) : mesh_uniform(seed, 0, 1.5));
  cdn_state *state;
  cdn_stepper *stepper;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = method, def.accuracy = accuracy;
  OK(cdn_state_create(system, &state));
  OK(cdn_stepper_create(state, &def, &stepper));
  double before = INFINITY;
  for (int k = 0; k <= 2400; k++) {
    double kinetic, potential;
    OK_STEP(stepper, cdn_stepper_advance(stepper, 2.5e-4 * k, NULL));
    OK(cdn_state_copy(state, cdn_stepper_state(stepper)));
    OK_ON(state, cdn_kinetic_energy(state, &kinetic));
    OK_ON(state, cdn_potential_energy(state, &potential));
    AT_MOST(kinetic + potential, before + tolerance);
    before = kinetic + potential;
    ck_assert_double_gt(cdn_state_q(state)[6], 0);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
}

static void follow_kind(const cdn_geometry *g, int all) {
  const int falls = FEWER(all);
  const fall soft = { *g, 1e6, 0.5 }, hard = { *g, 1e8, 0.05 };
  uint64_t seed = 11;
  for (int i = 0; i < falls; i++) follow(i % 2 ? &hard : &soft, &seed, CDN_METHOD_DEFAULT, 1e-6, 4e-6);
  for (int i = 0; i < falls / 4; i++) {
    follow(&soft, &seed, CDN_METHOD_ADAMS, 1e-8, 4e-8);
    follow(&soft, &seed, CDN_METHOD_DORMAND_PRINCE, 1e-6, 1e-5);
    follow(&soft, &seed, CDN_METHOD_DORMAND_PRINCE_8, 1e-6, 1e-5);
    follow(&soft, &seed, CDN_METHOD_BOGACKI_SHAMPINE, 1e-5, 1e-4);
  }
}

START_TEST(a_box_falls) { follow_kind(&(cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { 0.08, 0.06, 0.05 } }, 24); }
END_TEST

START_TEST(a_cylinder_falls) {
  follow_kind(&(cdn_geometry){ .kind = CDN_GEOMETRY_CYLINDER, .size = { 0.06, 0.05 } }, 4);
}
END_TEST

START_TEST(a_hull_falls) {
  const double v[] = { 0.08, 0, -0.05, -0.04, 0.07, -0.05, -0.04, -0.07, -0.05, 0.02, 0.01, 0.09 };
  cdn_surface *surface;
  OK(cdn_surface_create_convex(4, v, &surface));
  follow_kind(&(cdn_geometry){ .kind = CDN_GEOMETRY_CONVEX, .surface = surface }, 8);
  cdn_surface_release(surface);
}
END_TEST

START_TEST(a_ball_falls) { follow_kind(&(cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 0.06 } }, 4); }
END_TEST

CHECK_MAIN("contact_falls", a_box_falls, a_cylinder_falls, a_hull_falls, a_ball_falls)
