/* A block slides over the edge of a table, tips over it, falls back on its side and lies still. Contact is rigid: the
 * run returns at each event, and this program tells which. docs/hybrid.md */
#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>

static cdn_shape add_box(cdn_system *system, const char *name, cdn_body body, cdn_vec3 half, cdn_vec3 p) {
  cdn_contact_material wood = cdn_default_contact_material();
  cdn_shape_def shape = cdn_default_shape_def();
  wood.static_friction = wood.dynamic_friction = 0.5;
  shape.name = name, shape.body = body, shape.material = &wood, shape.X_BS.p = p;
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { half.x, half.y, half.z } };
  return cdn_system_add_shape(system, &shape);
}

static cdn_system *make(cdn_body *block) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_RIGID;
  cdn_system_set_contact(system, &contact);
  cdn_body_def def = cdn_default_body_def();
  def.name = "block", def.mobilizer = CDN_FREE;
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { 0.01, 0.02, 0.03, 0, 0, 0 } };
  def.q0 = (double[]){ 1, 0, 0, 0, 0, 0, 0.3 }; /* on the table, 0.6 m high */
  *block = cdn_system_add_body(system, &def);
  add_box(system, "table", cdn_ground(), cdn_v3(0.5, 0.5, 0.05), cdn_v3(0, 0, -0.05));
  add_box(system, "sides", *block, cdn_v3(0.1, 0.2, 0.3), cdn_v3(0, 0, 0));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  return system;
}

/* Advances to 1.25 s, and tells each event. */
static cdn_status run(cdn_stepper *stepper) {
  cdn_return_reason reason = CDN_HANDLED_EVENT;
  while (reason == CDN_HANDLED_EVENT) {
    const cdn_status status = cdn_stepper_advance(stepper, 1.25, &reason);
    if (status) return status;
    const double t = cdn_state_time(cdn_stepper_state(stepper));
    for (int i = 0; i < cdn_stepper_occurrence_count(stepper) && reason == CDN_HANDLED_EVENT; i++)
      printf("%.6f s: %s\n", t, cdn_stepper_occurrence(stepper, i)->name);
  }
  return CDN_OK;
}

int main(void) {
  cdn_body block;
  cdn_system *system = make(&block);
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-6, how.companion = true, how.return_on_events = true;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_body_set_u(state, block, 6, (double[]){ 0, 0, 0, 1, 0, 0 }); /* pushed at 1 m/s */
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  if (!status) status = run(stepper);
  bool lies = false;
  if (status) fprintf(stderr, "tipping_block: %s\n", cdn_last_error_text());
  else {
    cdn_certificate certificate;
    const cdn_hybrid_totals totals = cdn_hybrid_get_totals(cdn_stepper_state(stepper));
    const double height = cdn_body_q(cdn_stepper_state(stepper), block)[6];
    status = cdn_stepper_certificate(stepper, &certificate);
    printf("The block lies on its side, %.6f m over the table. %g impacts took %.4f J.\n", height, totals.impacts,
           totals.impact_energy);
    printf("Asked %g, delivered about %.1g.\n", certificate.accuracy, certificate.error_estimate);
    lies = fabs(height - 0.1) < 1e-6;
  }
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
  return status || !lies;
}
