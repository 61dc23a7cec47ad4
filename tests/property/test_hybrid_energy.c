/* Impacts of random sets, by every law and propagation: chains in space whose points meet planes of any direction, all
 * at one moment, with friction and restitution. No impact adds energy, and nothing approaches afterwards. */
#include "random_tree.h"

enum { LINKS = 3, MOST = 5 };

static cdn_system *make_chain(rng *r, const cdn_impact_def *impact) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  for (int i = 0; i < LINKS; i++) {
    d.mobilizer = i == 0 ? CDN_FREE : i == 1 ? CDN_BALL : CDN_PIN;
    d.mass = (cdn_mass_properties){ uniform(r, 0.5, 2), { 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 } };
    const double J = uniform(r, 0.02, 0.1) * d.mass.mass;
    for (int k = 0; k < 3; k++) (&d.mass.inertia.xx)[k] = J;
    if (i > 0) d.X_PF.p = cdn_v3(0.3, 0, 0);
    d.parent = cdn_system_add_body(system, &d);
  }
  cdn_system_set_impact(system, impact);
  return system;
}

/* Contacts of points of the chain, straight along x, with planes through them. */
static void add_contacts(cdn_system *system, rng *r, int n, double e, double mu) {
  for (int i = 0; i < n; i++) {
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    const int link = (int)pick(r, LINKS);
    double z[3], length = 0;
    random_numbers(r, 1, z, 3);
    z[2] += 0.5;
    for (int k = 0; k < 3; k++) length += z[k] * z[k];
    const cdn_vec3 n_ = cdn_scale(1 / sqrt(length), cdn_v3(z[0], z[1], z[2]));
    const cdn_vec3 x = cdn_scale(1 / hypot(n_.x, n_.y), cdn_v3(n_.y, -n_.x, 0));
    c.b.i = 1 + link, c.p_B = cdn_v3(uniform(r, -0.3, 0.3), uniform(r, -0.3, 0.3), uniform(r, -0.3, 0.3));
    c.X_AP = (cdn_transform){ { x, cdn_cross(n_, x), n_ }, cdn_v3(c.p_B.x + 0.3 * link, c.p_B.y, c.p_B.z) };
    c.restitution = e < 0 ? uniform(r, 0, 1) : e, c.mu_dynamic = mu < 0 ? uniform(r, 0, 1) : mu;
    c.stiffness = exp(uniform(r, -1, 1));
    cdn_system_add_rigid_contact(system, &c);
  }
}

static double energy_of(cdn_state *state) {
  double energy;
  OK_ON(state, cdn_kinetic_energy(state, &energy));
  return energy;
}

static void strike(uint64_t seed, const cdn_impact_def *impact) {
  rng r = rng_of(seed);
  double u[10];
  cdn_state *state = NULL;
  cdn_system *system = make_chain(&r, impact);
  static const double es[] = { -1, 0, 1, 0.5 };
  add_contacts(system, &r, 1 + (int)pick(&r, MOST), es[pick(&r, 4)], pick(&r, 4) ? -1 : 0);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  random_numbers(&r, 2, u, cdn_system_nu(system));
  OK_ON(state, cdn_state_set_u(state, u));
  const double before = energy_of(state);
  OK_ON(state, cdn_settle(state, 0));
  const double after = energy_of(state);
  AT_MOST(after, before * (1 + 1e-12));
  const cdn_hybrid_totals totals = cdn_hybrid_get_totals(state);
  /* what is captured loses its last speed, up to the accuracy of 1e-6, by projection: that is counted nowhere */
  NEAR(totals.impact_energy, before - after, (totals.captures > 0 ? 1e-5 : 1e-10) * before);
  for (int i = 0; i < cdn_system_one_sided_count(system); i++) {
    double speed;
    const char *name = cdn_one_sided_name(system, (cdn_one_sided){ i });
    OK_ON(state, cdn_calc_constraint_verr(state, cdn_system_find_constraint(system, name), &speed));
    AT_MOST(-speed, 1e-8);
  }
  cdn_state_destroy(state);
}

START_TEST(no_law_gains_energy) {
  cdn_impact_def impact = cdn_default_impact_def();
  impact.law = (cdn_impact_law)(_i % 3), impact.propagation = (cdn_impact_propagation)(_i / 3);
  const int scenes = getenv("CARDAN_TEST_LONG") ? 400 : FEWER(12);
  for (int k = 0; k < scenes; k++) {
    impact.exponent = k % 2 ? 1 : 1.5;
    strike(10000 * (uint64_t)_i + (uint64_t)k, &impact);
  }
}
END_TEST

static void add(TCase *c) { tcase_add_loop_test(c, no_law_gains_energy, 0, 9); }

CHECK_MAIN_OF("hybrid energy", 120, add)
