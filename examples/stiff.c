/* A stiff model, and the method for it: a light flap closes against a strong damper. What it does takes a second, what
 * the damper does to any error of the speed a millisecond, and an explicit method has to take steps that follow the
 * latter. The certificate notices, and backward differences need a small part of the evaluations. */
#include <cardan/core.h>
#include <math.h>
#include <stdio.h>

static const double inertia = 0.01, damping = 20, stiffness = 30;

/* The angle of I q'' + c q' + k q = 0, released at 1 rad. */
static double exact(double t) {
  double root = sqrt(damping * damping / 4 - inertia * stiffness);
  double slow = (-damping / 2 + root) / inertia, fast = (-damping / 2 - root) / inertia;
  return (slow * exp(fast * t) - fast * exp(slow * t)) / (slow - fast);
}

static cdn_status run(cdn_state *state, cdn_method method, double *angle, cdn_certificate *certificate) {
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.method = method;
  how.accuracy = 1e-6;
  cdn_status status = cdn_stepper_create(state, &how, &stepper);
  if (status == CDN_OK) status = cdn_stepper_advance(stepper, 1, NULL);
  if (status == CDN_OK) status = cdn_stepper_certificate(stepper, certificate);
  if (status == CDN_OK) *angle = cdn_state_q(cdn_stepper_state(stepper))[0];
  cdn_stepper_destroy(stepper);
  return status;
}

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  double open = 1;
  def.name = "flap", def.mobilizer = CDN_PIN, def.q0 = &open;
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = inertia, .yy = inertia, .zz = inertia } };
  cdn_body flap = cdn_system_add_body(system, &def);
  cdn_system_add_mobility_spring(system, "spring", flap, 0, stiffness, 0);
  cdn_system_add_mobility_damper(system, "closer", flap, 0, damping);

  cdn_state *state = NULL;
  cdn_status status = cdn_system_freeze(system);
  if (status == CDN_OK) status = cdn_state_create(system, &state);
  double angle = 0, worst = 0;
  cdn_certificate certificate;
  const cdn_method methods[] = { CDN_METHOD_DEFAULT, CDN_METHOD_CVODE_BDF };
  for (int i = 0; status == CDN_OK && i < 2; i++) {
    status = run(state, methods[i], &angle, &certificate);
    if (i == 1 && status == CDN_ERR_UNSUPPORTED) {
      printf("this library was built without SUNDIALS, which has the method for stiff models\n");
      status = CDN_OK;
      break;
    }
    if (status != CDN_OK) break;
    worst = fmax(worst, fabs(angle - exact(1)));
    printf("%-10s error %.1e, %6d evaluations, %d Jacobians, %d of %d steps short for stability\n",
           cdn_method_name(methods[i]), fabs(angle - exact(1)), (int)certificate.evaluations,
           (int)certificate.jacobians, (int)certificate.stiff_steps, (int)certificate.steps);
  }
  if (status != CDN_OK) fprintf(stderr, "stiff: %s\n", cdn_last_error_text());
  cdn_state_destroy(state);
  cdn_system_release(system);
  return status == CDN_OK && worst < 1e-5 ? 0 : 1;
}
