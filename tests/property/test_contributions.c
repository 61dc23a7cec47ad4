/* What single force elements do adds up to what all of them do: random trees with forces of every kind, and contact. */
#include "random_tree.h"

static double size_of(const double *x, int n) {
  double most = 1e-300;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

static void check_sums(cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  const int nb = cdn_system_body_count(system), nu = cdn_system_nu(system), n = cdn_system_force_count(system);
  cdn_spatial *F = calloc((size_t)nb * 3, sizeof *F), *sum = F + nb, *all = sum + nb;
  double *f = calloc((size_t)nu * 4 + 1, sizeof *f), *f_sum = f + nu, *f_all = f_sum + nu, *f_J = f_all + nu;
  double power, potential, power_sum = 0, potential_sum = 0, power_of_f = 0, power_size = 0, potential_size = 0;
  double largest = 0, f_largest = 0;
  for (int i = 0; i < n; i++) {
    OK_ON(state, cdn_force_contribution(state, (cdn_force){ i }, F, f, &power, &potential));
    for (int k = 0; k < 6 * nb; k++) (&sum->w.x)[k] += (&F->w.x)[k];
    for (int k = 0; k < nu; k++) f_sum[k] += f[k];
    largest += size_of(&F->w.x, 6 * nb), f_largest += size_of(f, nu);
    power_sum += power, power_size += fabs(power);
    potential_sum += potential, potential_size += fabs(potential);
    double own = 0, own_size = 0;
    for (int k = 0; k < nu; k++) own += f[k] * cdn_state_u(state)[k], own_size += fabs(f[k] * cdn_state_u(state)[k]);
    NEAR(power, own, 1e-13 * (own_size + size_of(&F->w.x, 6 * nb) * 10));
    if (cdn_force_is_enabled(state, (cdn_force){ i })) continue;
    ck_assert(power == 0 && potential == 0 && size_of(f, nu) <= 1e-300);
  }
  OK_ON(state, cdn_applied_forces(state, all, f_all));
  OK_ON(state, cdn_multiply_by_J_transpose(state, all, f_J));
  OK_ON(state, cdn_potential_energy(state, &potential));
  for (int k = 0; k < 6 * nb; k++) NEAR((&sum->w.x)[k], (&all->w.x)[k], 1e-14 * largest);
  for (int k = 0; k < nu; k++) NEAR(f_sum[k], f_all[k] + f_J[k], 1e-13 * (f_largest + 10 * largest));
  for (int k = 0; k < nu; k++) power_of_f += f_sum[k] * cdn_state_u(state)[k];
  NEAR(potential_sum, potential, 1e-14 * potential_size);
  NEAR(power_sum, power_of_f, 1e-12 * (power_size + 10 * largest));
  free(F), free(f);
}

START_TEST(elements_add_up) {
  for (uint64_t seed = 1; seed <= 40; seed++) {
    tree_options options = { .bodies = 2 + (int)(seed % 8), .shape = seed, .numbers = seed, .forces = true };
    random_tree tree = make_random_tree(&options);
    cdn_state *state = random_tree_state(&tree, seed);
    check_sums(state);
    const int n = cdn_system_force_count(cdn_state_system(state));
    for (int i = 0; i < n; i += 2) OK_ON(state, cdn_force_set_enabled(state, (cdn_force){ i }, false));
    check_sums(state);
    cdn_state_destroy(state);
  }
}
END_TEST

/* A ball that sinks into the floor and slides: contact has elements like other forces. */
START_TEST(with_contact) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  const double q0[7] = { 1, 0, 0, 0, 0, 0, 0.099 }, u0[6] = { 0.1, 0.2, 0.3, 0.5, 0, -0.2 };
  def.mobilizer = CDN_FREE, def.q0 = q0, def.u0 = u0;
  def.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { 0.01, 0.01, 0.01, 0, 0, 0 } };
  const cdn_body ball = cdn_system_add_body(system, &def);
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  shape.body = ball, shape.geometry.kind = CDN_GEOMETRY_SPHERE, shape.geometry.size[0] = 0.1;
  cdn_system_add_shape(system, &shape);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.8));
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  check_sums(state);
  cdn_spatial F[2];
  double power, potential, up = 0;
  for (int i = 0; i < cdn_system_force_count(cdn_state_system(state)); i++) {
    OK_ON(state, cdn_force_contribution(state, (cdn_force){ i }, F, NULL, &power, &potential));
    const char *name = cdn_force_name(cdn_state_system(state), (cdn_force){ i });
    if (!strcmp(name, "contact")) up = F[1].v.z, ck_assert(potential > 0 && power < 0);
    if (!strcmp(name, "gravity")) NEAR(power, 9.8 * 0.2, 1e-14);
  }
  ck_assert(up > 0);
  FAILS(cdn_force_contribution(state, (cdn_force){ 99 }, NULL, NULL, NULL, NULL), CDN_ERR_ARG);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("contributions of force elements", elements_add_up, with_contact)
