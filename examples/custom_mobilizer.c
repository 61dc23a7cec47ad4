/* A mobilizer of your own: a bead that slides on a parabola, z = k x^2 / 2, and stays upright to the curve. X_FM, H_FM
 * and the change of H are all there is to write; k is a parameter of the State. The bead swings through the bottom with
 * the period of its small vibrations, and energy is kept. */
#include <cardan/core.h>
#include <math.h>
#include <stdio.h>

/* The curve's slope is k q; M's x axis is its tangent: a turn by -atan(k q) about y. */
static cdn_status across(const void *self, const double *params, const double *q, cdn_transform *X_FM,
                         cdn_spatial *H_FM) {
  const double k = params[0], slope = k * q[0];
  (void)self;
  X_FM->R = cdn_rotation_axis_angle(cdn_v3(0, 1, 0), -atan(slope));
  X_FM->p = cdn_v3(q[0], 0, 0.5 * slope * q[0]);
  H_FM[0].w = cdn_v3(0, -k / (1 + slope * slope), 0); /* d(angle)/dq */
  H_FM[0].v = cdn_v3(1, 0, slope);                    /* dp/dq */
  return CDN_OK;
}

/* What the column changes by in time, times u: dH/dq u u. */
static cdn_status Hdot_u(const void *self, const double *params, const double *q, const double *u, cdn_spatial *A_FM) {
  const double k = params[0], slope = k * q[0], d = 1 + slope * slope;
  (void)self;
  A_FM->w = cdn_v3(0, 2 * k * k * slope / (d * d) * u[0] * u[0], 0);
  A_FM->v = cdn_v3(0, 0, k * u[0] * u[0]);
  return CDN_OK;
}

static cdn_body add_bead(cdn_system *system, double k, double mass, double inertia, double start) {
  cdn_custom_mobilizer_ops ops = { .struct_size = sizeof ops, .name = "parabola", .nq = 1, .nu = 1 };
  ops.across = across;
  ops.Hdot_u = Hdot_u;
  cdn_body_def def = cdn_default_body_def();
  def.name = "bead";
  def.mobilizer = CDN_CUSTOM_MOBILIZER;
  def.custom = &ops;
  def.params[0] = k;
  def.q0 = &start;
  def.mass = (cdn_mass_properties){ .mass = mass, .inertia = { inertia, inertia, inertia, 0, 0, 0 } };
  return cdn_system_add_body(system, &def);
}

int main(void) {
  const double k = 0.5, mass = 2, inertia = 0.01, g = 9.81, start = 1e-3, pi = 3.14159265358979323846;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body bead = add_bead(system, k, mass, inertia, start);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));

  /* At the bottom m g k q pulls it back against m, and the inertia of a rotation by k q. */
  double period = 2 * pi * sqrt((mass + inertia * k * k) / (mass * g * k));
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  cdn_certificate certificate = { .energy_residual = 1 };
  double end = 0, wide = 1;
  how.accuracy = 1e-10;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  if (!status) status = cdn_stepper_advance(stepper, period, NULL);
  if (!status) end = *cdn_body_q(cdn_stepper_state(stepper), bead);
  cdn_stepper_destroy(stepper);
  stepper = NULL;

  /* A wide swing, where the curve's own accelerations matter. */
  if (!status) status = cdn_body_set_q(state, bead, 1, &wide);
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  if (!status) status = cdn_stepper_advance(stepper, 10, NULL);
  if (!status) status = cdn_stepper_certificate(stepper, &certificate);
  if (!status) {
    printf("after one period of %.6f s the bead is at %.9f m; it started at %.9f m\n", period, end, start);
    printf("energy kept to %.1e over a wide swing of 10 s\n", fabs(certificate.energy_residual));
  } else fprintf(stderr, "custom_mobilizer: %s\n", cdn_last_error_text());

  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return !status && fabs(end - start) < 1e-4 * start && fabs(certificate.energy_residual) < 1e-7 ? 0 : 1;
}
