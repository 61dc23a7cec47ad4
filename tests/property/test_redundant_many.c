/* Multipliers of many redundant equations. They are linear in the forces, so the column of their derivatives by a force
 * is the difference between those with the force and without it. Derivatives divide by a factor of the equations'
 * dependence, the multipliers themselves take steps of conjugate gradients: two ways to one answer. */
#include "constraint_samples.h"

enum { BODIES = 36, HOLDS = 3 };

static cdn_vec3 corner(int k) { return cdn_v3(k == 0 ? 0.2 : -0.1, k == 1 ? 0.2 : -0.1, 0.05 * k); }

/* Bodies that are held to Ground at three points each, one more than needed, declared in turns. Of every twelve, four
 * hang together in a row, three in a ring, and five are alone. */
static cdn_system *row(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body body[BODIES];
  for (int i = 0; i < BODIES; i++) {
    cdn_body_def def = cdn_default_body_def();
    char name[20];
    snprintf(name, sizeof name, "body %d", i);
    def.name = name, def.mobilizer = CDN_FREE;
    def.mass = (cdn_mass_properties){ 1 + 0.1 * i, { 0, 0, 0 }, { 0.1, 0.1, 0.1, 0, 0, 0 } };
    body[i] = cdn_system_add_body(system, &def);
  }
  for (int k = 0; k < HOLDS; k++)
    for (int i = 0; i < BODIES; i++) {
      const int at = 7 * i % BODIES; /* neighbours are declared far apart */
      const cdn_vec3 p = corner(k);
      cdn_system_constrain_ball(system, NULL, (cdn_body){ 0 }, cdn_v3(p.x + at, p.y, p.z), body[at], p);
    }
  for (int i = 0; i + 1 < BODIES; i++) {
    const int in = i % 12, next = in == 6 ? i - 2 : i + 1;
    if (in < 3 || (in >= 4 && in < 7))
      cdn_system_constrain_ball(system, NULL, body[i], cdn_v3(next - i, 0.5, 0), body[next], cdn_v3(0, 0.5, 0));
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0.1, 0, -9.81));
  return system;
}

static void multipliers(cdn_state *state, const double *f, double *lambda, int m) {
  OK_ON(state, cdn_state_set_applied_mobility_forces(state, f));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  memcpy(lambda, cdn_state_multipliers(state), (size_t)m * sizeof *lambda);
}

START_TEST(derivatives_are_those_of_least_multipliers) {
  cdn_system *system = row();
  cdn_state *state;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  for (int i = 0; i < BODIES; i++)
    OK_ON(state, cdn_body_set_q(state, (cdn_body){ i + 1 }, 7, (double[]){ 1, 0, 0, 0, i, 0, 0 }));
  const int nu = cdn_system_nu(system), m = cdn_system_nudoterr(system);
  int redundant;
  bool *flags = calloc((size_t)m, sizeof *flags);
  double *f = calloc((size_t)nu, sizeof *f), *lambda = calloc(2 * (size_t)m, sizeof *lambda);
  double *by_f = calloc((size_t)m * (size_t)nu, sizeof *by_f);
  OK_ON(state, cdn_redundant_equations(state, flags, &redundant));
  ck_assert_int_eq(redundant, m - nu); /* all of the bodies' mobilities are held */
  OK_ON(state, cdn_multiplier_derivatives(state, NULL, NULL, by_f, NULL));
  multipliers(state, f, lambda, m);
  for (int c = 1; c < nu; c += 29) {
    double size = 0;
    f[c] = 1;
    multipliers(state, f, lambda + m, m);
    f[c] = 0;
    for (int e = 0; e < m; e++) size = fmax(size, fabs(lambda[m + e]));
    for (int e = 0; e < m; e++) NEAR(by_f[e * nu + c], lambda[m + e] - lambda[e], 1e-12 * size);
  }
  free(flags), free(f), free(lambda), free(by_f);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("many redundant equations", derivatives_are_those_of_least_multipliers)
