/* A shape of your own, by its support function: an egg, half a ball above and half an ellipsoid below. Two eggs fall on
 * a floor, one upright and one on its side, and rest as high as the egg reaches down in each pose. */
#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>

typedef struct egg {
  double round, tall; /* m: half its width, and how far it reaches below */
} egg;

/* The farthest point along a direction: that of an ellipsoid, whose half axis along z is another one below. */
static cdn_vec3 support(const void *self, cdn_vec3 d) {
  const egg *e = self;
  const double a = e->round, c = d.z < 0 ? e->tall : e->round;
  const double length = sqrt(a * a * (d.x * d.x + d.y * d.y) + c * c * d.z * d.z);
  return cdn_v3(a * a * d.x / length, a * a * d.y / length, c * c * d.z / length);
}

/* It falls from a height of 1 mm, and does not turn. */
static cdn_body add_egg(cdn_system *system, const char *name, cdn_geometry geometry, cdn_vec3 p, cdn_rotation R) {
  cdn_body_def body = cdn_default_body_def();
  body.name = name, body.mobilizer = CDN_TRANSLATION, body.mass.mass = 0.06;
  body.q0 = (double[]){ p.x, p.y, p.z + 0.001 };
  cdn_shape_def shape = cdn_default_shape_def();
  shape.name = name, shape.body = cdn_system_add_body(system, &body), shape.geometry = geometry, shape.X_BS.R = R;
  cdn_system_add_shape(system, &shape);
  return shape.body;
}

int main(void) {
  const egg e = { 0.022, 0.033 };
  const cdn_surface_ops ops = {
    .struct_size = sizeof ops, .name = "egg", .self_size = sizeof e, .support = support, .radius = e.tall
  };
  cdn_geometry geometry = { .kind = CDN_GEOMETRY_CUSTOM };
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_SOFT;
  cdn_system_set_contact(system, &contact);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.80665));
  cdn_shape_def floor = cdn_default_shape_def();
  floor.name = "floor", floor.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &floor);
  cdn_surface *surface = NULL;
  cdn_status status = cdn_surface_create_custom(&ops, &e, &surface);
  if (!status) {
    geometry.surface = surface;
    add_egg(system, "upright", geometry, cdn_v3(0, 0, e.tall), cdn_rotation_identity());
    add_egg(system, "lying", geometry, cdn_v3(0.1, 0, e.round), cdn_rotation_axis_angle(cdn_v3(0, 1, 0), acos(0)));
  }
  cdn_surface_release(surface); /* shapes keep it */

  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  double upright = 0, lying = 0;
  if (!status) status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_stepper_create(state, NULL, &stepper);
  if (!status) status = cdn_stepper_advance(stepper, 1, NULL);
  if (!status) {
    const double *q = cdn_state_q(cdn_stepper_state(stepper));
    upright = q[2], lying = q[5];
    printf("upright it rests at %.5f m, on its side at %.5f m\n", upright, lying);
  } else fprintf(stderr, "custom_shape: %s\n", cdn_last_error_text());
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
  /* contact is soft: it gives way by a fraction of a millimetre */
  return status || fabs(upright - e.tall) > 5e-4 || fabs(lying - e.round) > 5e-4;
}
