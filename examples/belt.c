/* A parcel is put on a belt. Friction carries it until it is as fast as the belt; then it sticks, also when the belt
 * climbs a slope and stops for a while. Prints where the parcel is, and how far friction is stretched. */
#include <cardan/core.h>
#include <cardan/contact.h>
#include <math.h>
#include <stdio.h>

static const double SPEED = 0.5, SLOPE = 0.26; /* m/s; rad: 15 degrees */

static cdn_body build(cdn_system *system, cdn_shape *belt) {
  cdn_contact_def contact = cdn_default_contact_def();
  contact.friction = CDN_FRICTION_STICKING;
  cdn_system_set_contact(system, &contact);
  /* the belt runs along x; seen from it, gravity is tilted */
  cdn_system_add_gravity(system, "gravity", cdn_v3(-9.81 * sin(SLOPE), 0, -9.81 * cos(SLOPE)));

  cdn_shape_def surface = cdn_default_shape_def();
  surface.name = "belt", surface.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  surface.surface_velocity = cdn_v3(SPEED, 0, 0);
  *belt = cdn_system_add_shape(system, &surface);

  cdn_body_def body = cdn_default_body_def();
  body.name = "parcel", body.mobilizer = CDN_FREE, body.mass.mass = 2;
  body.mass.inertia = (cdn_inertia){ 0.02, 0.02, 0.02, 0, 0, 0 };
  body.q0 = (double[]){ 1, 0, 0, 0, 0, 0, 0.1 };
  cdn_contact_material cardboard = cdn_default_contact_material();
  cardboard.modulus = 1e5, cardboard.dissipation = 2;
  cdn_shape_def box = cdn_default_shape_def();
  box.name = "parcel", box.body = cdn_system_add_body(system, &body), box.material = &cardboard;
  box.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { 0.15, 0.15, 0.1 } };
  cdn_system_add_shape(system, &box);
  return box.body;
}

static cdn_status show(cdn_state *state, cdn_body parcel, cdn_contact *contact) {
  CDN_TRY(cdn_contact_get(state, 0, contact));
  printf("%.2f s: at %.4f m, %.4f m/s; friction %s, stretched by %.2f micrometres\n", cdn_state_time(state),
         cdn_body_q(state, parcel)[4], cdn_body_u(state, parcel)[3], contact->sticks ? "sticks" : "slides",
         1e6 * cdn_norm(contact->displacement));
  return CDN_OK;
}

static cdn_status run(cdn_state *state, cdn_body parcel, cdn_shape belt) {
  cdn_stepper *stepper = NULL;
  cdn_contact contact;
  const cdn_stepper_def def = cdn_default_stepper_def();
  CDN_TRY(cdn_stepper_create(state, &def, &stepper));
  cdn_status status = CDN_OK;
  for (double t = 0.05; t < 0.3 && !status; t += 0.05) {
    status = cdn_stepper_advance(stepper, t, NULL);
    if (!status) status = show(cdn_stepper_state(stepper), parcel, &contact);
  }
  if (!status) status = cdn_stepper_advance(stepper, 1, NULL);
  if (!status) status = show(cdn_stepper_state(stepper), parcel, &contact);
  /* it is carried */
  if (!status && fabs(cdn_body_u(cdn_stepper_state(stepper), parcel)[3] - SPEED) > 1e-4) status = CDN_ERR_ARG;

  /* the belt stops: the parcel slides on, comes to rest, and stays */
  if (!status) status = cdn_state_copy(state, cdn_stepper_state(stepper));
  if (!status) status = cdn_shape_set_surface_velocity(state, belt, cdn_v3(0, 0, 0), cdn_v3(0, 0, 0));
  if (!status) status = cdn_stepper_restart(stepper, state);
  double place = 0;
  for (double t = 3; t <= 11 && !status; t += 8) {
    status = cdn_stepper_advance(stepper, t, NULL);
    if (!status) status = show(cdn_stepper_state(stepper), parcel, &contact);
    const double now = cdn_body_q(cdn_stepper_state(stepper), parcel)[4];
    if (!status && t > 3 && fabs(now - place) > 1e-6) status = CDN_ERR_ARG;
    place = now;
  }
  cdn_stepper_destroy(stepper);
  return status;
}

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  cdn_shape belt;
  const cdn_body parcel = build(system, &belt);
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = run(state, parcel, belt);
  if (status) fprintf(stderr, "belt: %s\n", cdn_last_error_text());
  cdn_state_destroy(state), cdn_system_release(system);
  return status != CDN_OK;
}
