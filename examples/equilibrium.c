/* A four-bar linkage hangs on a spring: how many degrees of freedom it has, where it comes to rest, how it vibrates
 * there. */
#include <cardan/core.h>
#include <cardan/equilibrium.h>
#include <cardan/modes.h>
#include <math.h>
#include <stdio.h>

/* A bar on a pin about z at x on its parent, its mass in its middle. */
static cdn_body add_bar(cdn_system *system, const char *name, cdn_body parent, double x, double length) {
  cdn_body_def bar = cdn_default_body_def();
  bar.name = name, bar.parent = parent, bar.mobilizer = CDN_PIN;
  bar.X_PF.p = cdn_v3(x, 0, 0);
  const double I = length * length / 12;
  bar.mass = (cdn_mass_properties){ .mass = 1, .com = cdn_v3(length / 2, 0, 0), .inertia = { 0, I, I, 0, 0, 0 } };
  return cdn_system_add_body(system, &bar);
}

static cdn_status study(cdn_state *state, cdn_equilibrium *found) {
  const cdn_system *system = cdn_state_system(state);
  const double guess[3] = { 0.3, 0, 1.4 };
  cdn_freedom freedom;
  cdn_equation_role role[3];
  cdn_status status = cdn_state_set_q(state, guess);
  if (status == CDN_OK) status = cdn_project_q(state, NULL, NULL); /* to the nearest closed configuration */
  if (status == CDN_OK) status = cdn_degrees_of_freedom(state, &freedom, role);
  if (status != CDN_OK) return status;
  printf("%d mobilities, %d equations, %d degree of freedom\n", freedom.nu, freedom.equations, freedom.net);
  for (int k = 0; k < freedom.equations; k++) {
    int equation;
    const cdn_constraint c = cdn_constraint_of_equation(system, k, &equation);
    if (role[k] == CDN_EQUATION_IDLE) printf("equation %d of '%s' is idle\n", equation, cdn_constraint_name(system, c));
  }

  status = cdn_find_equilibrium(state, NULL, found);
  if (status != CDN_OK) return status;
  double omega2[3];
  int n;
  status = cdn_normal_modes(state, &n, omega2, NULL);
  printf("at rest after %d iterations, with the crank at %.4f rad; it vibrates at %.3f Hz\n", found->iterations,
         cdn_state_q(state)[0], sqrt(omega2[0]) / (2 * 3.14159265358979));
  return status;
}

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body crank = add_bar(system, "crank", cdn_ground(), 0, 0.5);
  cdn_body coupler = add_bar(system, "coupler", crank, 0.5, 1.3);
  cdn_body rocker = add_bar(system, "rocker", cdn_ground(), 1.5, 1.1);
  cdn_system_constrain_ball(system, "closure", coupler, cdn_v3(1.3, 0, 0), rocker, cdn_v3(1.1, 0, 0));
  cdn_system_add_two_point_spring(system, "spring", cdn_ground(), cdn_v3(0.3, 1.5, 0), coupler, cdn_v3(0.65, 0.2, 0),
                                  40, 0.4);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.80665, 0));

  cdn_state *state = NULL;
  cdn_equilibrium found = { .unbalanced = 1 };
  cdn_status status = cdn_system_freeze(system);
  if (status == CDN_OK) status = cdn_state_create(system, &state);
  if (status == CDN_OK) status = study(state, &found);
  if (status != CDN_OK) fprintf(stderr, "equilibrium: %s\n", cdn_last_error_text());
  cdn_state_destroy(state), cdn_system_release(system);
  return status == CDN_OK && found.stable == 1 && found.unbalanced < 1e-8 ? 0 : 1;
}
