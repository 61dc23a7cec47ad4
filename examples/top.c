/* A top with a round foot is set down on a table, tilted and spinning. Friction at the foot drives it in circles and
 * raises it; friction against spin slows it down. Prints its tilt and the path of its foot. */
#include <cardan/core.h>
#include <cardan/contact.h>
#include <math.h>
#include <stdio.h>

static const double FOOT = 0.01, HEIGHT = 0.03, TILT = 0.3, SPIN = 200; /* m, m, rad, rad/s */

static cdn_body build(cdn_system *system) {
  cdn_contact_def contact = cdn_default_contact_def();
  contact.friction = CDN_FRICTION_STICKING;
  cdn_system_set_contact(system, &contact);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));

  cdn_contact_material wood = cdn_default_contact_material();
  wood.modulus = 1e6, wood.dissipation = 0.5;
  wood.static_friction = wood.dynamic_friction = 0.3;
  wood.torsional_friction = 2e-4, wood.rolling_friction = 1e-5;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.name = "table", shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE, shape.material = &wood;
  cdn_system_add_shape(system, &shape);

  cdn_body_def top = cdn_default_body_def();
  top.name = "top", top.mobilizer = CDN_FREE, top.mass.mass = 0.1;
  top.mass.inertia = (cdn_inertia){ 4e-5, 4e-5, 5e-5, 0, 0, 0 };
  top.q0 = (double[]){ cos(TILT / 2), sin(TILT / 2), 0, 0, 0, 0, FOOT + HEIGHT * cos(TILT) };
  shape.name = "foot", shape.body = cdn_system_add_body(system, &top);
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { FOOT } };
  shape.X_BS.p = cdn_v3(0, 0, -HEIGHT);
  cdn_system_add_shape(system, &shape);
  return shape.body;
}

static cdn_status show(cdn_state *state, cdn_body top, double *tilt, double *spin) {
  cdn_transform X;
  cdn_spatial V;
  int n;
  CDN_TRY(cdn_body_pose(state, top, &X));
  CDN_TRY(cdn_body_velocity(state, top, &V));
  CDN_TRY(cdn_contact_count(state, &n));
  cdn_contact foot = { 0 };
  if (n > 0) CDN_TRY(cdn_contact_get(state, 0, &foot));
  *tilt = acos(X.R.z.z), *spin = cdn_dot(V.w, X.R.z);
  printf("%.1f s: tilt %5.2f degrees, spin %6.1f rad/s, foot at (%7.2f, %7.2f) mm, slips at %.3f m/s\n",
         cdn_state_time(state), *tilt * 180 / 3.14159265358979, *spin, 1e3 * foot.point.x, 1e3 * foot.point.y,
         hypot(foot.slip[0], foot.slip[1]));
  return CDN_OK;
}

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  const cdn_body top = build(system);
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_certificate certificate;
  double tilt = 0, spin = 0;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_body_set_u(state, top, 6, (double[]){ 0, -SPIN * sin(TILT), SPIN * cos(TILT), 0, 0, 0 });
  if (!status) status = cdn_stepper_create(state, &def, &stepper);
  for (int i = 0; i <= 8 && !status; i++) {
    status = cdn_stepper_advance(stepper, 0.5 * i, NULL);
    if (!status) status = show(cdn_stepper_state(stepper), top, &tilt, &spin);
  }
  /* it has slowed down, stands more upright than at the start, and the account of energy holds */
  if (!status && !(tilt < TILT && spin < SPIN && spin > 0)) status = CDN_ERR_ARG;
  if (!status) status = cdn_stepper_certificate(stepper, &certificate);
  if (!status) printf("energy is off by %.1e of what was in play\n", certificate.energy_residual);
  if (!status && fabs(certificate.energy_residual) > 1e-3) status = CDN_ERR_ARG;
  if (status) fprintf(stderr, "top: %s\n", cdn_last_error_text());
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
  return status != CDN_OK;
}
