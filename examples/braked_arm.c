/* An arm falls. Its brake closes, stops it, and holds it for a hundred seconds without creeping; then the brake
 * loosens, and the arm slips until it hangs where the weak brake can hold it. Dry friction is an element that sticks or
 * slips, and what the brake can hold is a parameter, which handlers of events set. docs/hybrid.md */
#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>

/* A uniform rod; its brake in N m: open, then strong, then weak. */
static const double mass = 2, length = 1, g = 9.81, strong = 25, weak = 5, closes_at = 0.3, loosens_at = 100;

static cdn_status set_brake(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  (void)what, (void)action;
  return cdn_parameter_set(state, CDN_ELEMENT_DRY_FRICTION, "brake", "load", *(const double *)self);
}

static void add_setting(cdn_system *system, const char *name, double when, double load) {
  cdn_event_def event = cdn_default_event_def();
  event.name = name, event.kind = CDN_EVENT_SCHEDULED, event.times = &when, event.n_times = 1;
  event.handle = set_brake, event.self = &load, event.self_size = sizeof load;
  cdn_system_add_event(system, &event);
}

static cdn_body add_arm(cdn_system *system) {
  const double horizontal = 1.5707963267948966, J = mass * length * length / 3;
  cdn_body_def def = cdn_default_body_def();
  def.name = "arm", def.mobilizer = CDN_PIN, def.q0 = &horizontal; /* the angle from hanging */
  def.mass = (cdn_mass_properties){ .mass = mass, .com = { 0, -length / 2, 0 }, .inertia = { J, 0, J, 0, 0, 0 } };
  const cdn_body arm = cdn_system_add_body(system, &def);
  cdn_dry_friction_def brake = cdn_default_dry_friction_def();
  brake.name = "brake", brake.slip = cdn_system_constrain_speed(system, "speed of the arm", arm, 0, 0);
  brake.mu_dynamic = 1, brake.load = 0;
  cdn_system_add_dry_friction(system, &brake);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  add_setting(system, "the brake closes", closes_at, strong);
  add_setting(system, "the brake loosens", loosens_at, weak);
  return arm;
}

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body arm = add_arm(system);
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-9;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  const double times[] = { closes_at, 1, loosens_at, 110 };
  double q[4] = { 0 };
  for (int i = 0; i < 4 && !status; i++) {
    status = cdn_stepper_advance(stepper, times[i], NULL);
    q[i] = *cdn_body_q(cdn_stepper_state(stepper), arm);
    if (!status) printf("%5.1f s: %.9f rad\n", times[i], q[i]);
  }
  const cdn_state *now = cdn_stepper_state(stepper);
  const cdn_dry_friction brake = cdn_system_find_dry_friction(system, "brake");
  const bool sticks = !status && cdn_dry_friction_get_status(now, brake) == CDN_FRICTION_STICK;
  /* The brake took all that the arm had lost in height; the weak one holds it by less than it can. */
  const double pull = mass * g * length / 2, left = pull * cos(q[1]) - strong * (q[0] - q[1]);
  if (status) fprintf(stderr, "braked_arm: %s\n", cdn_last_error_text());
  else
    printf("Of the energy %.1e J are missing; it crept %.1e rad; at last the brake bears %.3f of %g N m.\n", fabs(left),
           fabs(q[2] - q[1]), pull * fabs(sin(q[3])), weak);
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
  return status || !sticks || !(fabs(left) < 1e-7) || !(fabs(q[2] - q[1]) < 1e-9) || !(pull * fabs(sin(q[3])) <= weak);
}
