/* A hammer thrown ten thousand times, a little differently each time: how far apart do the landing places lie?
 *
 * The hammer is a head on a cable of three rods. Spin, angle and the head's mass vary; all throws are States of one
 * System and are advanced together, in the lanes of the CPU's vector instructions and on two threads. One of them is
 * checked against a lone State with the same variables: it is the same to the last bit. */
#include <cardan/core.h>
#include <cardan/ensemble.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { THROWS = 10000, RODS = 3, STEPS = 100 };
static const double STEP = 0.02; /* s */

/* Numbers in [-1, 1), the same everywhere. */
static double scatter(int throw, int which) {
  uint64_t x = (uint64_t) throw *0x9e3779b97f4a7c15u + (uint64_t)which * 0xbf58476d1ce4e5b9u + 1;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (double)(x >> 11) * 0x1p-52 - 1;
}

static cdn_system *make_hammer(cdn_body *head) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def rod = cdn_default_body_def();
  rod.mobilizer = CDN_FREE;
  rod.mass =
      (cdn_mass_properties){ .mass = 0.1, .com = { 0.2, 0, 0 }, .inertia = { .xx = 1e-5, .yy = 2e-3, .zz = 2e-3 } };
  for (int i = 0; i < RODS; i++) {
    rod.parent = cdn_system_add_body(system, &rod);
    rod.mobilizer = CDN_UNIVERSAL;
    rod.X_PF.p = cdn_v3(0.4, 0, 0);
  }
  cdn_body_def ball = cdn_default_body_def();
  ball.name = "head", ball.parent = rod.parent, ball.mobilizer = CDN_WELD;
  ball.X_PF.p = cdn_v3(0.4, 0, 0);
  ball.mass = (cdn_mass_properties){ .mass = 7.26, .inertia = { .xx = 0.01, .yy = 0.01, .zz = 0.01 } };
  *head = cdn_system_add_body(system, &ball);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.80665));
  return system;
}

/* What throw number k starts from: the hammer turns about z with its head at 27 m/s and climbs at some 40 degrees. */
static cdn_status set_throw(cdn_state *state, cdn_body head, int k) {
  const double angle = 0.7 + 0.05 * scatter(k, 0), spin = 22 + 0.5 * scatter(k, 1);
  cdn_mass_properties mass = cdn_body_mass_properties(state, head);
  mass.mass = 7.26 + 0.02 * scatter(k, 2);
  double u[6] = { 0, 0, spin, 27 * cos(angle), 0, 27 * sin(angle) };
  cdn_status status = cdn_body_set_u(state, (cdn_body){ 1 }, 6, u);
  return status == CDN_OK ? cdn_body_set_mass_properties(state, head, mass) : status;
}

static cdn_status throw_all(cdn_system *system, cdn_body head, cdn_vec3 *landed, bool *same) {
  cdn_state *state = NULL, *first = NULL, *alone = NULL;
  cdn_ensemble *ensemble = NULL;
  cdn_stepper *stepper = NULL;
  cdn_transform *X = malloc(THROWS * sizeof *X);
  cdn_ensemble_def def = cdn_default_ensemble_def();
  def.count = THROWS, def.threads = 2, def.vary = CDN_VARY_MASSES;
  if (!X) return CDN_ERR_NOMEM;
  cdn_status status = cdn_system_freeze(system);
  if (status == CDN_OK) status = cdn_state_create(system, &state);
  if (status == CDN_OK) status = cdn_ensemble_create(state, &def, &ensemble);
  for (int k = 0; status == CDN_OK && k < THROWS; k++) {
    status = set_throw(state, head, k);
    if (status == CDN_OK) status = cdn_ensemble_set_state(ensemble, k, state);
  }
  if (status == CDN_OK) status = cdn_ensemble_advance(ensemble, STEP, STEPS);
  if (status == CDN_OK) status = cdn_ensemble_body(ensemble, head, X, NULL);
  for (int k = 0; status == CDN_OK && k < THROWS; k++) landed[k] = X[k].p;

  /* The last throw alone. `state` is still what it started from. */
  cdn_stepper_def how = cdn_default_stepper_def();
  how.method = def.method, how.fixed_step = STEP;
  if (status == CDN_OK) status = cdn_state_create(system, &first);
  if (status == CDN_OK) status = cdn_stepper_create(state, &how, &stepper);
  if (status == CDN_OK) status = cdn_stepper_advance(stepper, STEPS * STEP, NULL);
  if (status == CDN_OK) status = cdn_ensemble_get_state(ensemble, THROWS - 1, first);
  if (status == CDN_OK) {
    alone = cdn_stepper_state(stepper);
    *same = memcmp(cdn_state_q(alone), cdn_state_q(first), (size_t)cdn_system_nq(system) * sizeof(double)) == 0;
    printf("%d throws in %d lanes\n", THROWS, cdn_ensemble_lanes(ensemble));
  }
  cdn_stepper_destroy(stepper), cdn_ensemble_destroy(ensemble);
  cdn_state_destroy(state), cdn_state_destroy(first);
  free(X);
  return status;
}

int main(void) {
  cdn_body head;
  cdn_system *system = make_hammer(&head);
  cdn_vec3 *landed = malloc(THROWS * sizeof *landed), mean = { 0, 0, 0 };
  bool same = false;
  const cdn_status status = landed ? throw_all(system, head, landed, &same) : CDN_ERR_NOMEM;
  if (status != CDN_OK) fprintf(stderr, "ensemble: %s\n", cdn_last_error_text());
  for (int k = 0; status == CDN_OK && k < THROWS; k++) mean = cdn_add(mean, cdn_scale(1.0 / THROWS, landed[k]));
  double spread = 0;
  for (int k = 0; status == CDN_OK && k < THROWS; k++) spread += pow(cdn_norm(cdn_sub(landed[k], mean)), 2) / THROWS;
  if (status == CDN_OK)
    printf("after %.0f s the head is at (%.2f, %.2f, %.2f) m, give or take %.2f m\n", STEPS * STEP, mean.x, mean.y,
           mean.z, sqrt(spread));
  if (status == CDN_OK)
    printf("alone the last throw ends %s\n", same ? "in the same place, to the last bit" : "elsewhere");
  free(landed);
  cdn_system_release(system);
  return status == CDN_OK && same && mean.x > 30 && mean.x < 60 && spread > 0 ? 0 : 1;
}
