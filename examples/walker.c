/* The simplest walker: a wheel without a rim. It rolls down a slope from spoke to spoke. Each spoke that lands takes
 * energy, the slope gives energy, and the speed at which it lands comes to where both are the same. docs/hybrid.md */
#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>

enum { SPOKES = 8 };
static const double mass = 1, inertia = 0.4, length = 1, slope = 0.12, g = 9.81, TURN = 6.283185307179586;

/* A body in the x-y plane, with y up, whose spokes may touch the slope. */
static cdn_body add_walker(cdn_system *system) {
  cdn_body_def def = cdn_default_body_def();
  def.name = "walker", def.mobilizer = CDN_PLANAR;
  def.mass = (cdn_mass_properties){ .mass = mass, .inertia = { inertia, inertia, inertia, 0, 0, 0 } };
  const cdn_body walker = cdn_system_add_body(system, &def);
  for (int i = 0; i < SPOKES; i++) {
    const double angle = TURN * (i + 0.5) / SPOKES;
    cdn_rigid_contact_def foot = cdn_default_rigid_contact_def();
    char name[16];
    snprintf(name, sizeof name, "foot %d", i);
    foot.name = name, foot.b = walker, foot.p_B = cdn_v3(length * cos(angle), length * sin(angle), 0);
    foot.X_AP.R = cdn_rotation_z_to(cdn_v3(0, 1, 0)); /* the ground; the slope is in the direction of gravity */
    foot.mu_dynamic = 1;
    cdn_system_add_rigid_contact(system, &foot);
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(g * sin(slope), -g * cos(slope), 0));
  return walker;
}

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body walker = add_walker(system);
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-8, how.return_on_events = true;
  const double half = TURN / SPOKES / 2, height = length * cos(half), push = 1.5;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  /* it stands on two spokes and turns about the one in front */
  if (!status) status = cdn_state_set_q(state, (double[]){ 0, 0, height });
  if (!status) status = cdn_state_set_u(state, (double[]){ -push, push * height, push * length * sin(half) });
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  double speed = NAN;
  for (double t = 0; !status && t < 30;) {
    cdn_return_reason reason;
    const double impacts = cdn_hybrid_get_totals(cdn_stepper_state(stepper)).impacts;
    status = cdn_stepper_advance(stepper, 30, &reason);
    t = cdn_state_time(cdn_stepper_state(stepper));
    if (cdn_hybrid_get_totals(cdn_stepper_state(stepper)).impacts > impacts) /* it turns about the new foot */
      speed = -*cdn_body_u(cdn_stepper_state(stepper), walker);
  }
  /* What a step keeps of the speed, by the momentum about the new foot; the energy that the slope gives. */
  const double about = inertia + mass * length * length,
               kept = (inertia + mass * length * length * cos(2 * half)) / about;
  const double given = 2 * mass * g * length * sin(half) * sin(slope);
  const double steady = kept * sqrt(2 * given / (about * (1 - kept * kept)));
  if (status) fprintf(stderr, "walker: %s\n", cdn_last_error_text());
  else {
    const cdn_hybrid_totals totals = cdn_hybrid_get_totals(cdn_stepper_state(stepper));
    printf("After %g steps, %.3f m down the slope, it leaves each at %.9f rad/s (in closed form %.9f).\n",
           totals.impacts, cdn_body_q(cdn_stepper_state(stepper), walker)[1], speed, steady);
    printf("The ground took %.6f J, %.6f J a step in the end.\n", totals.impact_energy, given);
  }
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
  return status || !(fabs(speed - steady) < 1e-7);
}
