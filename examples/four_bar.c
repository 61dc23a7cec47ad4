/* A four-bar linkage: a tree of three links, and a pin that closes the loop. Assembled from a guess that is nowhere
 * near, with the crank where we want it; then the speeds that go with a turning crank. Both are compared with
 * Freudenstein's equation. */
#include <cardan/core.h>
#include <cardan/assembly.h>
#include <math.h>
#include <stdio.h>

static const double GROUND = 4, CRANK = 1, COUPLER = 3, ROCKER = 3.5;

static cdn_body add_link(cdn_system *system, const char *name, cdn_body parent, double at, double length) {
  cdn_body_def def = cdn_default_body_def();
  def.name = name, def.parent = parent, def.mobilizer = CDN_PIN, def.X_PF.p = cdn_v3(at, 0, 0);
  const double inertia = length * length / 12; /* a slender rod of 1 kg */
  def.mass = (cdn_mass_properties){ 1, cdn_v3(length / 2, 0, 0), { 0, inertia, inertia, 0, 0, 0 } };
  return cdn_system_add_body(system, &def);
}

/* The rocker's angle for a crank's, of the linkage that is not crossed. */
static double freudenstein(double t) {
  const double k1 = GROUND / CRANK, k2 = GROUND / ROCKER;
  const double k3 = (CRANK * CRANK - COUPLER * COUPLER + ROCKER * ROCKER + GROUND * GROUND) / (2 * CRANK * ROCKER);
  const double A = cos(t) - k1 - k2 * cos(t) + k3, B = -2 * sin(t), C = k1 - (k2 + 1) * cos(t) + k3;
  return 2 * atan2(-B - sqrt(B * B - 4 * A * C), 2 * A);
}

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body crank = add_link(system, "crank", cdn_ground(), 0, CRANK);
  const cdn_body coupler = add_link(system, "coupler", crank, CRANK, COUPLER);
  const cdn_body rocker = add_link(system, "rocker", cdn_ground(), GROUND, ROCKER);
  /* three equations, of which a plane linkage needs two: the third is found to be redundant */
  cdn_system_constrain_ball(system, "pin", rocker, cdn_v3(ROCKER, 0, 0), coupler, cdn_v3(COUPLER, 0, 0));

  cdn_state *state = NULL;
  cdn_assembly *assembly = NULL;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_assembly_create(system, NULL, &assembly);
  const cdn_goal angle = cdn_assembly_add_coordinate(assembly, "crank angle", crank, 0, 0, 1);
  cdn_assembly_add_speed(assembly, "crank speed", crank, 0, 2, 1);
  /* the coupler's angle tells the two ways to assemble it apart: a guess in the right half is all that is needed */
  const double guess[] = { 0.3, 0.9, 2.3 };
  if (!status) status = cdn_state_set_q(state, guess);

  double most = 0;
  printf(" crank     rocker    rocker's speed at 2 rad/s\n");
  for (int i = 0; !status && i <= 8; i++) {
    const double t = 0.25 * i * 3.14159265358979, h = 1e-5;
    cdn_assembly_report report;
    status = cdn_assembly_set_value(assembly, angle, t);
    if (!status) status = cdn_assemble(assembly, state, &report);
    if (!status) status = cdn_assemble_speeds(assembly, state, NULL);
    if (status) break;
    const double psi = *cdn_body_q(state, rocker), speed = *cdn_body_u(state, rocker);
    const double slope = remainder(freudenstein(t + h) - freudenstein(t - h), 6.283185307179586) / (2 * h);
    most = fmax(most, fabs(remainder(psi - freudenstein(t), 6.283185307179586)));
    most = fmax(most, fabs(speed - 2 * slope));
    printf("%6.3f  %9.6f    %9.6f\n", t, psi, speed);
    if (i == 0) printf("        (%d degree of freedom, loop closed to %.0e m)\n", report.dof, report.error);
  }
  printf("largest difference from Freudenstein's equation %.0e\n", most);
  if (status) fprintf(stderr, "four_bar: %s\n", cdn_last_error_text());
  cdn_assembly_destroy(assembly), cdn_state_destroy(state), cdn_system_release(system);
  return !status && most < 1e-8 ? 0 : 1;
}
