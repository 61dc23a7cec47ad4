/* Ten boxes on each other stand for ten simulated minutes: how far each one has moved and turned since the tower has settled. That takes two
 * minutes: it begins a little askew and sways. The eigenvalues of its slowest two modes are -0.094 +- 33.3i 1/s, for the tilting of the
 * boxes is hardly damped, so that the sway of 0.1 mm in the first second decays to 1e-6 m within 50 s.
 * Not in the suite: `./run long`. The argument is the time in s that the tower stands (default 600). Fails where a box has moved by more
 * than 1e-6 m or turned by more than 1e-6 rad, or where the last minute takes more than 60 steps. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cardan/cardan.h>

enum { BOXES = 10 };

static int fail(const char *what, const char *why) {
  fprintf(stderr, "long_boxes: %s: %s\n", what, why);
  return EXIT_FAILURE;
}

static cdn_system *make_tower(cdn_body body[BOXES]) {
  const double half[3] = { 0.1, 0.1, 0.05 }, m = 1;
  cdn_system *system = cdn_system_create(NULL);
  cdn_contact_material wood = cdn_default_contact_material();
  wood.modulus = 1e7, wood.dissipation = 1, wood.static_friction = 0.6, wood.dynamic_friction = 0.5;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.material = &wood, shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  for (int i = 0; i < BOXES; i++) {
    /* a little askew, so that nothing is symmetric */
    const double turn = 0.02 * (i % 3 - 1),
                 q0[7] = { cos(turn / 2),        0, 0, sin(turn / 2), 0.004 * (i % 4 - 1.5), 0.004 * (i % 5 - 2),
                           half[2] * (2 * i + 1) };
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = CDN_FREE, def.q0 = q0, def.mass.mass = m;
    def.mass.inertia = (cdn_inertia){ m / 3 * (half[1] * half[1] + half[2] * half[2]),
                                      m / 3 * (half[0] * half[0] + half[2] * half[2]),
                                      m / 3 * (half[0] * half[0] + half[1] * half[1]),
                                      0,
                                      0,
                                      0 };
    body[i] = shape.body = cdn_system_add_body(system, &def);
    shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_BOX, .size = { half[0], half[1], half[2] } };
    cdn_system_add_shape(system, &shape);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  cdn_contact_def contact = cdn_default_contact_def();
  contact.friction = CDN_FRICTION_STICKING;
  cdn_system_set_contact(system, &contact);
  return system;
}

/* How far a box has moved, and how far it has turned. */
static void drift(const double *from, const double *to, double *moved, double *turned) {
  *moved = cdn_norm(cdn_v3(to[4] - from[4], to[5] - from[5], to[6] - from[6]));
  double dot = 0, length = 0;
  for (int k = 0; k < 4; k++) dot += from[k] * to[k];
  for (int k = 0; k < 4; k++) length += (to[k] - copysign(1, dot) * from[k]) * (to[k] - copysign(1, dot) * from[k]);
  *turned = 4 * asin(fmin(sqrt(length) / 2, 1));
}

int main(int argc, char **argv) {
  const double settled = 120, duration = settled + (argc > 1 ? atof(argv[1]) : 600);
  cdn_body body[BOXES];
  cdn_system *system = make_tower(body);
  cdn_state *state;
  cdn_stepper *stepper;
  if (cdn_system_freeze(system) != CDN_OK) {
    cdn_error error;
    cdn_system_last_error(system, &error);
    return fail("freeze", error.text);
  }
  if (cdn_state_create(system, &state) != CDN_OK) return fail("state", "out of memory");
  cdn_stepper_def def = cdn_default_stepper_def();
#ifdef TEST_SUNDIALS
  def.method = CDN_METHOD_CVODE_BDF;
#endif
  def.accuracy = 1e-5;
  if (cdn_stepper_create(state, &def, &stepper) != CDN_OK) return fail("stepper", "not made");
  cdn_state *now = cdn_stepper_state(stepper);
  double start[BOXES][7], most_moved = 0, most_turned = 0;
  int64_t steps = 0, before = 0;
  for (double t = 0; t < duration;) {
    t = t < settled ? settled : fmin(t + 60, duration);
    if (cdn_stepper_advance(stepper, t, NULL) != CDN_OK) {
      cdn_failure failure;
      cdn_stepper_failure(stepper, &failure);
      return fail("run", failure.error.text);
    }
    most_moved = most_turned = 0;
    for (int i = 0; i < BOXES; i++) {
      const double *q = cdn_body_q(now, body[i]);
      if (t == settled)
        for (int k = 0; k < 7; k++) start[i][k] = q[k];
      double moved, turned;
      drift(start[i], q, &moved, &turned);
      most_moved = fmax(most_moved, moved), most_turned = fmax(most_turned, turned);
    }
    cdn_certificate c;
    if (cdn_stepper_certificate(stepper, &c) != CDN_OK) return fail("certificate", "none");
    steps = c.steps - before, before = c.steps;
    printf("%6.0f s: a box has moved by %.2e m and turned by %.2e rad at most; %lld steps\n", t, most_moved,
           most_turned, (long long)steps);
    fflush(stdout);
  }
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
#ifndef TEST_SUNDIALS
  steps = 0; /* explicit methods do not take longer steps at rest */
#endif
  return most_moved <= 1e-6 && most_turned <= 1e-6 && steps <= 60 ? EXIT_SUCCESS : EXIT_FAILURE;
}
