/* A weight falls until its rope is taut: an impact, which takes a part of its energy. It swings on, up to where the
 * rope goes slack, flies, and is caught again. A rope is a rod that may be too short: a constraint on one side.
 * docs/hybrid.md */
#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>

/* In closed form, from rest at an angle of 0.5 rad over the horizontal: when it is taut, when slack. */
static const double g = 9.81, length = 1.5, angle = 0.5, taut_at = 0.541504043489724, slack_at = 1.43740036552109;

static cdn_one_sided add_rope(cdn_system *system, cdn_body weight) {
  cdn_one_sided_def rope = cdn_default_one_sided_def();
  rope.constraint =
      cdn_system_constrain_rod(system, "rope", cdn_ground(), cdn_v3(0, 0, 0), weight, cdn_v3(0, 0, 0), length);
  rope.upper = true; /* its length must not exceed that of the rod */
  return cdn_system_make_one_sided(system, &rope);
}

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.name = "weight", def.mobilizer = CDN_TRANSLATION, def.mass.mass = 1;
  def.q0 = (double[]){ length * cos(angle), length * sin(angle), 0 };
  const cdn_one_sided rope = add_rope(system, cdn_system_add_body(system, &def));
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));

  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-9, how.return_on_events = true;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  double worst = 0;
  for (int seen = 0; !status && seen < 3;) {
    cdn_return_reason reason;
    status = cdn_stepper_advance(stepper, 3, &reason);
    if (status || reason == CDN_REACHED_TIME) break;
    cdn_state *now = cdn_stepper_state(stepper);
    const cdn_hybrid_change change = cdn_one_sided_get_change(now, rope);
    if (!change.what) continue;
    printf("%.9f s: the %s %s, by an impulse of %.6f N s that took %.6f J\n", change.time, change.element, change.what,
           change.impulse[0], change.energy);
    if (seen < 2) worst = fmax(worst, fabs(change.time - (seen == 0 ? taut_at : slack_at)));
    seen++;
  }
  if (status) fprintf(stderr, "rope: %s\n", cdn_last_error_text());
  else printf("Closed forms of the first two times differ by %.1e s at most.\n", worst);
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
  return status || !(worst < 1e-8);
}
