/* A law of contact of your own: a ball on a plane pushes like a linear spring, in place of Hertz's law. A ball without
 * weight falls on the floor at 1 m/s. It stays for half a period of the spring, pi sqrt(m / k), and leaves as fast as
 * it came; energy is kept, as the law tells its potential. */
#include <cardan/core.h>
#include <cardan/contact_law.h>
#include <math.h>
#include <stdio.h>

typedef struct spring {
  double k; /* N/m */
} spring;

/* a is the half-space and b the sphere, as in the def below. */
static cdn_status push(const void *self, const cdn_law_input *in, cdn_law_output *out) {
  const spring *s = self;
  const cdn_vec3 up = in->X_GA.R.z;
  const double R = in->geometry_b->size[0], height = cdn_dot(up, cdn_sub(in->X_GB.p, in->X_GA.p)), x = R - height;
  if (x <= 0) return CDN_OK;
  cdn_law_contact c = cdn_default_law_contact();
  c.normal = up, c.point = cdn_sub(in->X_GB.p, cdn_scale(height, up));
  c.depth = x, c.elastic = s->k * x, c.energy = 0.5 * s->k * x * x;
  return cdn_law_add(out, &c);
}

int main(void) {
  const double R = 0.05, m = 0.2, drop = 0.1, pi = 3.14159265358979323846;
  const spring s = { 500 };
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_TRANSLATION, body.mass.mass = m, body.q0 = (double[]){ 0, 0, R + drop };
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  shape.body = cdn_system_add_body(system, &body);
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { R } };
  cdn_system_add_shape(system, &shape);

  cdn_contact_law_def law = cdn_default_contact_law_def();
  law.name = "linear spring", law.a = CDN_GEOMETRY_HALF_SPACE, law.b = CDN_GEOMETRY_SPHERE;
  law.find = push, law.self = &s, law.self_size = sizeof s;
  cdn_system_add_contact_law(system, &law);

  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  cdn_certificate certificate = { .energy_residual = 1 };
  how.accuracy = 1e-9;
  /* when it is back where it started */
  const double end = 2 * drop + pi * sqrt(m / s.k);
  double height = 0, speed = 0;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_state_set_u(state, (double[]){ 0, 0, -1 });
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  if (!status) status = cdn_stepper_advance(stepper, end, NULL);
  if (!status) status = cdn_stepper_certificate(stepper, &certificate);
  if (!status) {
    height = cdn_state_q(cdn_stepper_state(stepper))[2] - R, speed = cdn_state_u(cdn_stepper_state(stepper))[2];
    printf("back at %.9f m with %.9f m/s; energy is kept to %.1e\n", height, speed, fabs(certificate.energy_residual));
  } else fprintf(stderr, "custom_contact_law: %s\n", cdn_last_error_text());
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
  return status || !(fabs(height - drop) < 1e-7) || !(fabs(speed - 1) < 1e-7) ||
         !(fabs(certificate.energy_residual) < 1e-7);
}
