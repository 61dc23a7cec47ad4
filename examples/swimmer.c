/* A swimmer of five links bends in a wave that runs from head to tail. In water the wave pushes it along; in empty
 * space its centre of mass stays where it is. Water is a medium (docs/media.md): drag, lift and the momentum of the
 * water that the links move along. */
#include <cardan/core.h>
#include <cardan/media.h>
#include <math.h>
#include <stdio.h>

enum { LINKS = 5 };
static const double LENGTH = 0.2, TIME = 6; /* m, s */

static cdn_system *make_swimmer(double density) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body link = { 0 };
  for (int i = 0; i < LINKS; i++) {
    char name[20];
    cdn_body_def def = cdn_default_body_def();
    cdn_fluid_ellipsoid_def water = cdn_default_fluid_ellipsoid_def();
    snprintf(name, sizeof name, "link %d", i + 1);
    def.name = name, def.parent = link;
    def.mobilizer = i == 0 ? CDN_PLANAR : CDN_PIN; /* it swims in a plane; links turn about z */
    if (i > 0) def.X_PF.p = cdn_v3(-LENGTH / 2, 0, 0), def.X_BM.p = cdn_v3(LENGTH / 2, 0, 0);
    def.mass.mass = 0.6;
    def.mass.inertia = (cdn_inertia){ 6e-4, 2.3e-3, 2.3e-3, 0, 0, 0 };
    link = cdn_system_add_body(system, &def);

    water.body = link, water.density = density, water.viscosity = density * 1e-6;
    water.half[0] = LENGTH / 2, water.half[1] = 0.02, water.half[2] = 0.06; /* flat, and high */
    snprintf(name, sizeof name, "water %d", i + 1);
    cdn_system_add_fluid_ellipsoid(system, name, &water);

    if (i == 0) continue;
    cdn_motion_def bend = cdn_default_motion_def(); /* a sin(w t + p) */
    bend.body = link, bend.kind = CDN_MOTION_SINUSOID, bend.level = CDN_LEVEL_POSITION;
    bend.params[0] = 0.5, bend.params[1] = 6, bend.params[2] = -1.2 * i;
    cdn_system_add_motion(system, &bend);
  }
  return system;
}

/* The links move already: the first one so, that the centre of mass does not. */
static cdn_status start_at_rest(cdn_state *state, cdn_vec3 *com) {
  cdn_vec3 v;
  double u[3];
  cdn_status status = cdn_center_of_mass_velocity(state, &v);
  if (status) return status;
  const cdn_body first = { 1 };
  u[0] = cdn_body_u(state, first)[0], u[1] = -v.x, u[2] = -v.y;
  status = cdn_body_set_u(state, first, 3, u);
  return status ? status : cdn_center_of_mass(state, com);
}

/* How far the centre of mass goes. */
static cdn_status swim(double density, double *distance, double *residual) {
  cdn_system *system = make_swimmer(density);
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  cdn_certificate certificate = { .energy_residual = 1 };
  cdn_vec3 start = { 0, 0, 0 }, end = { 0, 0, 0 };
  how.accuracy = 1e-7;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = start_at_rest(state, &start);
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  if (!status) status = cdn_stepper_advance(stepper, TIME, NULL);
  if (!status) status = cdn_stepper_certificate(stepper, &certificate);
  if (!status) status = cdn_state_copy(state, cdn_stepper_state(stepper));
  if (!status) status = cdn_center_of_mass(state, &end);
  *distance = cdn_norm(cdn_sub(end, start));
  *residual = certificate.energy_residual;
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return status;
}

int main(void) {
  double in_space = 0, in_water = 0, off[2] = { 1, 1 };
  cdn_status status = swim(0, &in_space, &off[0]);
  if (!status) status = swim(1000, &in_water, &off[1]);
  if (status) fprintf(stderr, "swimmer: %s\n", cdn_last_error_text());
  printf("after %g s the centre of mass is %.3f m away in water, %.1g m in empty space\n", TIME, in_water, in_space);
  printf("energy that does not balance: %.1g, %.1g\n", off[1], off[0]);
  return !status && in_water > LENGTH && in_space < 1e-5 && fabs(off[0]) < 1e-5 && fabs(off[1]) < 1e-5 ? 0 : 1;
}
