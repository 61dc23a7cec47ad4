/* Boxes of any size that tumble onto a floor: eight rigid contacts each, with restitution and friction. They lose
 * energy, stay above the floor and end at rest or in a slide. */
#include "random_tree.h"

typedef struct scene {
  cdn_state *state;
  double energy; /* at the start */
} scene;

static double energy_of(cdn_state *state) {
  double kinetic, potential;
  OK_ON(state, cdn_kinetic_energy(state, &kinetic));
  OK_ON(state, cdn_potential_energy(state, &potential));
  return kinetic + potential;
}

static void add_box(cdn_system *system, rng *r, double mu, double e) {
  const double x = uniform(r, 0.05, 0.2), y = uniform(r, 0.05, 0.2), z = uniform(r, 0.05, 0.2), m = uniform(r, 0.5, 2);
  cdn_body_def d = cdn_default_body_def();
  d.mobilizer = CDN_FREE;
  d.mass = (cdn_mass_properties){
    m, { 0, 0, 0 }, { m / 3 * (y * y + z * z), m / 3 * (x * x + z * z), m / 3 * (x * x + y * y), 0, 0, 0 }
  };
  const cdn_body box = cdn_system_add_body(system, &d);
  for (int i = 0; i < 8; i++) {
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    c.b = box, c.p_B = cdn_v3(i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
    c.mu_dynamic = mu, c.restitution = e;
    cdn_system_add_rigid_contact(system, &c);
  }
}

static scene make(uint64_t seed, int boxes) {
  rng r = rng_of(seed);
  scene s;
  double q[14], u[12];
  cdn_system *system = cdn_system_create(NULL);
  const double mu = uniform(&r, 0, 1), e = uniform(&r, 0, 0.6);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  for (int k = 0; k < boxes; k++) {
    add_box(system, &r, mu, e);
    random_numbers(&r, 1, q + 7 * k, 6);
    q[7 * k + 6] = uniform(&r, 0.4, 0.6);
    random_numbers(&r, 2, u + 6 * k, 6);
  }
  OK_FREEZE(system);
  OK(cdn_state_create(system, &s.state));
  cdn_system_release(system);
  OK_ON(s.state, cdn_state_set_q(s.state, q));
  OK_ON(s.state, cdn_state_set_u(s.state, u));
  s.energy = energy_of(s.state);
  return s;
}

static void fall(uint64_t seed, int boxes) {
  const scene s = make(seed, boxes);
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-5;
  cdn_stepper *run = NULL;
  OK_ON(s.state, cdn_stepper_create(s.state, &def, &run));
  OK_STEP(run, cdn_stepper_advance(run, 3, NULL));
  cdn_state *now = cdn_stepper_state(run);
  for (int i = 0; i < cdn_system_one_sided_count(cdn_state_system(now)); i++) {
    double gap, push;
    OK_ON(now, cdn_one_sided_gap(now, (cdn_one_sided){ i }, &gap));
    OK_ON(now, cdn_one_sided_push(now, (cdn_one_sided){ i }, &push));
    AT_MOST(-gap, 1e-5);
    AT_MOST(-push, 1e-6);
  }
  cdn_certificate c;
  OK_STEP(run, cdn_stepper_certificate(run, &c));
  AT_MOST(energy_of(now), s.energy * (1 + 1e-9));
  AT_MOST(fabs(c.energy_residual), 1e-5);
  const cdn_hybrid_totals totals = cdn_hybrid_get_totals(now);
  AT_MOST(totals.worst_residual, 1e-6);
  cdn_stepper_destroy(run);
  cdn_state_destroy(s.state);
}

START_TEST(boxes_fall_and_come_to_rest) {
  const int scenes = getenv("CARDAN_TEST_LONG") ? 500 : FEWER(12);
  for (int k = 0; k < scenes; k++) fall(1000 * (uint64_t)_i + (uint64_t)k, 1 + _i);
}
END_TEST

static void add(TCase *c) { tcase_add_loop_test(c, boxes_fall_and_come_to_rest, 0, 2); }

CHECK_MAIN_OF("hybrid boxes", 120, add)
