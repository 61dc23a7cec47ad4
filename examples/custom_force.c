/* A force of your own in about twenty lines: the van der Waals attraction and repulsion of two atoms (Lennard-Jones),
 * with its potential, so that the energy certificate knows it. Two argon atoms are pulled apart a little and let go:
 * the period is that of a spring with the potential's curvature, and energy is kept. Units: nm, Da, ps; energies in
 * kJ/mol. */
#include <cardan/core.h>
#include <math.h>
#include <stdio.h>

typedef struct lennard_jones {
  cdn_body a, b;
  double epsilon, sigma;
} lennard_jones;

/* Where b is from a; the bodies' origins are the atoms. */
static cdn_status separation(const lennard_jones *lj, cdn_state *state, cdn_vec3 *apart) {
  cdn_transform X_GA, X_GB;
  cdn_status status = cdn_body_pose(state, lj->a, &X_GA);
  if (!status) status = cdn_body_pose(state, lj->b, &X_GB);
  if (!status) *apart = cdn_sub(X_GB.p, X_GA.p);
  return status;
}

static cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const lennard_jones *lj = self;
  cdn_vec3 apart, none = { 0, 0, 0 };
  cdn_status status = separation(lj, state, &apart);
  if (status) return status;
  double s2 = lj->sigma * lj->sigma / cdn_dot(apart, apart), s6 = s2 * s2 * s2;
  /* -dV/dr along the line; over r twice, once to make `apart` a direction */
  cdn_vec3 push = cdn_scale(24 * lj->epsilon * (2 * s6 * s6 - s6) / cdn_dot(apart, apart), apart);
  cdn_forces_add_point(forces, lj->b, none, push);
  cdn_forces_add_point(forces, lj->a, none, cdn_scale(-1, push));
  return CDN_OK;
}

static cdn_status calc_potential(const void *self, cdn_state *state, double *energy) {
  const lennard_jones *lj = self;
  cdn_vec3 apart;
  cdn_status status = separation(lj, state, &apart);
  if (status) return status;
  double s2 = lj->sigma * lj->sigma / cdn_dot(apart, apart), s6 = s2 * s2 * s2;
  *energy = 4 * lj->epsilon * (s6 * s6 - s6);
  return CDN_OK;
}

int main(void) {
  const double mass = 39.948, r0 = 0.34 * pow(2, 1.0 / 6), stretch = 1e-4;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  double start[2] = { 0, r0 + stretch };
  def.mobilizer = CDN_SLIDER; /* both on the x axis */
  def.mass.mass = mass;
  lennard_jones lj = { .epsilon = 0.996, .sigma = 0.34 };
  def.name = "argon 1", def.q0 = &start[0], lj.a = cdn_system_add_body(system, &def);
  def.name = "argon 2", def.q0 = &start[1], lj.b = cdn_system_add_body(system, &def);

  /* All that makes it a force element: */
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_POSITION };
  ops.subsystem = (cdn_subsystem_ops){ .struct_size = sizeof ops.subsystem, .name = "argon", .self_size = sizeof lj };
  ops.calc_force = calc_force;
  ops.calc_potential = calc_potential;
  cdn_system_add_custom_force(system, &ops, &lj);

  /* Small vibrations: k = V''(r0) = 72 epsilon / r0^2, on the reduced mass. */
  const double pi = 3.14159265358979323846;
  double period = 2 * pi / sqrt(72 * lj.epsilon / (r0 * r0) / (mass / 2));
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  cdn_certificate certificate = { .energy_residual = 1 };
  double r = 0;
  how.accuracy = 1e-10; /* nm, and nm/ps */
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  if (!status) status = cdn_stepper_advance(stepper, period, NULL);
  if (!status) status = cdn_stepper_certificate(stepper, &certificate);
  if (!status) {
    const double *q = cdn_state_q(cdn_stepper_state(stepper));
    r = q[1] - q[0];
    printf("after one period of %.6f ps the stretch is %.9f nm, at the start it was %.9f nm\n", period, r - r0,
           stretch);
    printf("energy kept to %.1e\n", fabs(certificate.energy_residual));
  } else fprintf(stderr, "custom_force: %s\n", cdn_last_error_text());

  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  /* the vibration is a little soft on the outside: a part stretch / r0 of the stretch may differ */
  return !status && fabs(r - r0 - stretch) < 1e-3 * stretch && fabs(certificate.energy_residual) < 1e-4 ? 0 : 1;
}
