/* A constraint of your own: Chaplygin's sleigh. A body slides on ice on a knife edge that lets its point move along the
 * blade only. Spun about the edge at rest, it turns its spin into speed: with J = I + m a^2 about the edge, a the
 * distance from the edge to the centre of mass, it moves along the blade with v = w0 sqrt(J / m) tanh(a w0 sqrt(m / J)
 * t). */
#include <cardan/core.h>
#include <math.h>
#include <stdio.h>

/* The blade is along x of the body, at its origin. Across it nothing moves: y . v = 0. */
static cdn_status blade_rows(const void *self, const cdn_constraint_input *in, cdn_rows *rows) {
  cdn_rows_add_point(rows, 0, *(const cdn_body *)self, cdn_v3(0, 0, 0), in->X_GB[0].R.y);
  return CDN_OK;
}

/* The derivative of y . v but for the acceleration of the point: y turns with the body. */
static cdn_status blade_bias(const void *self, const cdn_constraint_input *in, double *bias) {
  (void)self;
  bias[0] = cdn_dot(cdn_cross(in->V_GB[0].w, in->X_GB[0].R.y), in->V_GB[0].v);
  return CDN_OK;
}

static const double m = 2, a = 0.3, I = 0.1, spin = 3, duration = 2;

static cdn_system *make_sleigh(cdn_body *sleigh) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "sleigh";
  def.mobilizer = CDN_PLANAR;
  def.mass = (cdn_mass_properties){ m, { a, 0, 0 }, { I, I, I, 0, 0, 0 } };
  *sleigh = cdn_system_add_body(system, &def);
  const cdn_constraint_ops ops = { .struct_size = sizeof ops,
                                   .name = "blade",
                                   .self_size = sizeof *sleigh,
                                   .nv = 1,
                                   .absolute = true, /* the ice pushes back, and is not listed */
                                   .calc_rows = blade_rows,
                                   .calc_bias = blade_bias };
  cdn_custom_constraint_def blade = cdn_default_custom_constraint_def();
  blade.name = "edge", blade.ops = &ops, blade.self = sleigh;
  blade.bodies = sleigh, blade.n_bodies = 1;
  cdn_system_constrain_custom(system, &blade);
  return system;
}

int main(void) {
  cdn_body sleigh;
  cdn_system *system = make_sleigh(&sleigh);
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-9;
  cdn_status status = cdn_system_freeze(system);
  if (status == CDN_OK) status = cdn_state_create(system, &state);
  if (status == CDN_OK) status = cdn_body_set_u(state, sleigh, 3, (double[]){ spin, 0, 0 });
  if (status == CDN_OK) status = cdn_stepper_create(state, &how, &stepper);
  if (status == CDN_OK) status = cdn_stepper_advance(stepper, duration, NULL);
  cdn_spatial V = { { 0, 0, 0 }, { 0, 0, 0 } };
  if (status == CDN_OK) status = cdn_body_velocity(cdn_stepper_state(stepper), sleigh, &V);
  const double J = I + m * a * a, expected = spin * sqrt(J / m) * tanh(a * spin * sqrt(m / J) * duration);
  printf("%.9f m/s after %g s, in closed form %.9f\n", cdn_norm(V.v), duration, expected);
  if (status != CDN_OK) fprintf(stderr, "custom_constraint: %s\n", cdn_last_error_text());
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
  return status == CDN_OK && fabs(cdn_norm(V.v) - expected) < 1e-7 ? 0 : 1;
}
