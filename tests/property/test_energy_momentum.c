/* Simulated random trees keep what physics keeps: energy, linear and angular momentum, the motion of the centre of
 * mass; and with dampers, stops and outside forces the certificate closes the balance. */
#include "random_tree.h"

typedef struct kept {
  double energy;
  cdn_spatial momentum;
  cdn_vec3 center;
} kept;

static kept measure(cdn_state *state) {
  kept k;
  double ke, pe;
  OK_ON(state, cdn_kinetic_energy(state, &ke));
  OK_ON(state, cdn_potential_energy(state, &pe));
  OK_ON(state, cdn_momentum(state, &k.momentum));
  OK_ON(state, cdn_center_of_mass(state, &k.center));
  k.energy = ke + pe;
  return k;
}

/* Largest relative drift in a second. */
static double drift(const random_tree *tree, cdn_state *state, double accuracy, double *certificate_residual) {
  cdn_stepper *stepper = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_certificate certificate;
  double mass, scale, worst = 0;
  (void)tree;
  def.accuracy = accuracy;
  def.method = CDN_METHOD_DORMAND_PRINCE; /* one method for both accuracies that are compared */
  kept before = measure(state);
  OK_ON(state, cdn_system_mass(state, &mass, NULL));
  OK_ON(state, cdn_kinetic_energy(state, &scale));
  double momentum_scale = sqrt(2 * mass * scale); /* a momentum that goes with this energy */
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  for (int i = 1; i <= 5; i++) {
    double t = 0.2 * i;
    OK_STEP(stepper, cdn_stepper_advance(stepper, t, NULL));
    kept now = measure(cdn_stepper_state(stepper));
    cdn_vec3 straight = cdn_add(before.center, cdn_scale(t / mass, before.momentum.v));
    worst = fmax(worst, fabs(now.energy - before.energy) / scale);
    worst = fmax(worst, cdn_norm(cdn_sub(now.momentum.v, before.momentum.v)) / momentum_scale);
    worst = fmax(worst, cdn_norm(cdn_sub(now.momentum.w, before.momentum.w)) / momentum_scale);
    worst = fmax(worst, cdn_norm(cdn_sub(now.center, straight)));
  }
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &certificate));
  *certificate_residual = fabs(certificate.energy_residual);
  AT_MOST(certificate.max_constraint_error, 1e-3 * sqrt(accuracy)); /* quaternions are brought back each step */
  cdn_stepper_destroy(stepper);
  return worst;
}

START_TEST(test_conservation) {
  static const int sizes[] = { 1, 2, 3, 5, 8, 12 };
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      tree_options options = { .bodies = sizes[i], .shape = 900 + 10 * i + seed, .numbers = seed };
      options.floating = options.forces = options.conservative = true;
      random_tree tree = make_random_tree(&options);
      cdn_state *state = random_tree_state(&tree, seed);
      double residual, coarse = drift(&tree, state, 1e-5, &residual);
      /* local errors of alpha in coordinates, over some hundred steps, on speeds up to ten times the mean */
      AT_MOST(coarse, 1000 * 1e-5);
      AT_MOST(residual, 1000 * 1e-5);
      double fine = drift(&tree, state, 1e-9, &residual);
      AT_MOST(fine, 1000 * 1e-9);
      AT_MOST(residual, 1000 * 1e-9);
      AT_MOST(fine, fmax(1e-2 * coarse, 1e-12)); /* four decades asked for, two at least given */
      cdn_state_destroy(state);
    }
}
END_TEST

START_TEST(test_certificate_with_dissipation) {
  static const int sizes[] = { 1, 2, 3, 5, 8 };
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (uint64_t seed = 1; seed <= 3; seed++) {
      tree_options options = { .bodies = sizes[i], .shape = 700 + 10 * i + seed, .numbers = seed, .forces = true };
      random_tree tree = make_random_tree(&options);
      cdn_state *state = random_tree_state(&tree, seed);
      rng r = rng_of(seed);
      double f[6 * TREE_MOST_BODIES];
      random_numbers(&r, 2, f, cdn_system_nu(tree.system));
      OK(cdn_state_set_applied_mobility_forces(state, f));
      for (double accuracy = 1e-4; accuracy > 5e-9; accuracy *= 1e-2) {
        cdn_stepper *stepper = NULL;
        cdn_stepper_def def = cdn_default_stepper_def();
        cdn_certificate certificate;
        def.accuracy = accuracy;
        OK_ON(state, cdn_stepper_create(state, &def, &stepper));
        OK_STEP(stepper, cdn_stepper_advance(stepper, 0.5, NULL));
        OK_STEP(stepper, cdn_stepper_certificate(stepper, &certificate));
        AT_MOST(fabs(certificate.energy_residual), 1000 * accuracy);
        cdn_stepper_destroy(stepper);
      }
      cdn_state_destroy(state);
    }
}
END_TEST

CHECK_MAIN("energy and momentum", test_conservation, test_certificate_with_dissipation)
