/* Three boxes, one on another on the floor, and a ball that is thrown at them: contact by forces. Prints what touches
 * at the end, and how accurate the run was. */
#include <cardan/core.h>
#include <cardan/contact.h>
#include <stdio.h>

static cdn_body add(cdn_system *system, const char *name, cdn_geometry geometry, double mass, double inertia,
                    cdn_vec3 p) {
  cdn_body_def body = cdn_default_body_def();
  body.name = name, body.mobilizer = CDN_FREE, body.mass.mass = mass;
  body.mass.inertia = (cdn_inertia){ inertia, inertia, inertia, 0, 0, 0 };
  body.q0 = (double[]){ 1, 0, 0, 0, p.x, p.y, p.z };
  cdn_shape_def shape = cdn_default_shape_def();
  cdn_contact_material wood = cdn_default_contact_material();
  wood.modulus = 1e6, wood.dissipation = 1;
  shape.name = name, shape.body = cdn_system_add_body(system, &body), shape.geometry = geometry, shape.material = &wood;
  cdn_system_add_shape(system, &shape);
  return shape.body;
}

static cdn_status report(cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  int n;
  CDN_TRY(cdn_contact_count(state, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    CDN_TRY(cdn_contact_get(state, i, &c));
    printf("%s on %s: %.2f N at (%.3f, %.3f, %.3f), %.3f mm deep\n", cdn_shape_name(system, c.b),
           cdn_shape_name(system, c.a), c.force, c.point.x, c.point.y, c.point.z, 1e3 * c.depth);
  }
  return n > 0 ? CDN_OK : CDN_ERR_ARG;
}

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.80665));
  cdn_shape_def floor = cdn_default_shape_def();
  floor.name = "floor", floor.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &floor);
  const cdn_geometry box = { .kind = CDN_GEOMETRY_BOX, .size = { 0.1, 0.1, 0.1 } };
  const cdn_geometry ball = { .kind = CDN_GEOMETRY_SPHERE, .size = { 0.05 } };
  const char *names[] = { "lowest box", "middle box", "upper box" };
  for (int i = 0; i < 3; i++) add(system, names[i], box, 1, 0.0067, cdn_v3(0, 0, 0.1 + 0.2 * i));
  const cdn_body thrown = add(system, "ball", ball, 0.5, 0.0005, cdn_v3(-1, 0, 0.6));

  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_certificate certificate;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.companion = true, def.final_time = 1;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_body_set_u(state, thrown, 6, (double[]){ 0, 0, 0, 4, 0, 0.3 });
  if (!status) status = cdn_stepper_create(state, &def, &stepper);
  if (!status) status = cdn_stepper_advance(stepper, 1, NULL);
  if (!status) status = report(cdn_stepper_state(stepper));
  if (!status) status = cdn_stepper_certificate(stepper, &certificate);
  if (!status)
    printf("%lld steps, %lld evaluations; energy is off by %.1e of what was in play\n", (long long)certificate.steps,
           (long long)certificate.evaluations, certificate.energy_residual);
  if (status) fprintf(stderr, "stack: %s\n", cdn_last_error_text());
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
  return status != CDN_OK;
}
