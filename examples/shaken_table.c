/* A ball on a table that shakes. The table throws it up; it bounces ever lower, infinitely often in a finite time,
 * rests on the table, and is thrown again. The run finds the end of the bounces, and goes on. docs/hybrid.md */
#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>

/* The height of the table is A sin(w t). It falls faster than the ball when A w^2 sin(w t) > g; when the bounces end
 * follows from the flights, with 13 digits. */
static const double A = 0.02, w = 30, g = 9.81, rests_at = 0.2028354918629;

static cdn_one_sided add_table(cdn_system *system) {
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER, def.mass.mass = 1;
  def.X_PF.R = def.X_BM.R = cdn_rotation_x_to(cdn_v3(0, 0, 1)); /* a slider slides along x; these go up */
  def.name = "table";
  const cdn_body table = cdn_system_add_body(system, &def);
  def.name = "ball";
  cdn_rigid_contact_def contact = cdn_default_rigid_contact_def();
  contact.name = "ball", contact.a = table, contact.b = cdn_system_add_body(system, &def);
  contact.p_B = cdn_v3(0, 0, 0.01), contact.radius = 0.01, contact.restitution = 0.3;
  cdn_motion_def shake = cdn_default_motion_def();
  shake.body = table, shake.kind = CDN_MOTION_SINUSOID, shake.params[0] = A, shake.params[1] = w;
  cdn_system_add_motion(system, &shake);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  return cdn_system_add_rigid_contact(system, &contact).normal;
}

/* Tells what happens in half a second: `thrown` and `rest` are the first times of these. */
static cdn_status run(cdn_stepper *stepper, cdn_one_sided contact, double *thrown, double *rest) {
  for (int bounces = 0;;) {
    cdn_return_reason reason;
    const cdn_status status = cdn_stepper_advance(stepper, 0.5, &reason);
    if (status || reason == CDN_REACHED_TIME) return status;
    const cdn_hybrid_change change = cdn_one_sided_get_change(cdn_stepper_state(stepper), contact);
    if (change.before && !change.after) {
      printf("%.9f s: thrown\n", change.time);
      if (isnan(*thrown)) *thrown = change.time;
      bounces = 0;
    } else if (change.after && !change.before && change.time > 0) {
      printf("%.9f s: rests, after %d bounces that were followed one by one\n", change.time, bounces);
      if (isnan(*rest)) *rest = change.time;
    } else if (change.impulse[0] > 0) bounces++;
  }
}

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_one_sided contact = add_table(system);
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-9, how.return_on_events = true;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_state_set_u(state, (double[]){ A * w, A * w }); /* it lies on the table at first */
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  double thrown = NAN, rest = NAN;
  if (!status) status = run(stepper, contact, &thrown, &rest);
  thrown -= asin(g / (A * w * w)) / w, rest -= rests_at;
  if (status) fprintf(stderr, "shaken_table: %s\n", cdn_last_error_text());
  else printf("The first two differ from closed forms by %.1e s and %.1e s.\n", thrown, rest);
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
  return status || !(fabs(thrown) < 1e-8 && fabs(rest) < 1e-8);
}
