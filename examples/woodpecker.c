/* The woodpecker toy: a bird on a spring climbs down a pole. Its sleeve jams on the pole, slips, and is struck free by
 * the beak: three contacts with friction, nine changes in each period. Where they touch is taken from the angles
 * themselves, which are small, as in Pfeiffer and Glocker, Multibody Dynamics with Unilateral Contacts, 1996.
 * docs/hybrid.md */
#include <cardan/cardan.h>
#include <math.h>
#include <stdio.h>

enum { BEAK, BELOW, ABOVE };

/* ---- the toy: lengths in m, masses in kg ---- */

static const double pole = 2.5e-3, hole = 3.1e-3, sleeve_half = 5.8e-3; /* radii of pole and hole */
static const double to_spring = 0.01, to_bird = 0.015, beak_up = 0.02, beak_out = 0.0201, stiffness = 5.6e-3;

typedef struct toy {
  cdn_body height, sleeve, bird; /* the sleeve slides along y and turns about z; the bird turns on its spring */
} toy;

static toy add_bodies(cdn_system *system) {
  toy t;
  cdn_body_def def = cdn_default_body_def();
  def.name = "height", def.mobilizer = CDN_SLIDER;
  def.X_PF.R = def.X_BM.R = cdn_rotation_x_to(cdn_v3(0, 1, 0)); /* a slider slides along x; this one along y */
  t.height = cdn_system_add_body(system, &def);
  def = cdn_default_body_def();
  def.name = "sleeve", def.mobilizer = CDN_PIN, def.parent = t.height;
  def.mass = (cdn_mass_properties){ .mass = 3e-4, .inertia = { 5e-9, 5e-9, 5e-9, 0, 0, 0 } };
  t.sleeve = cdn_system_add_body(system, &def);
  const double m = 4.5e-3, J = 7e-7 + m * to_bird * to_bird;
  def.name = "bird", def.parent = t.sleeve, def.X_PF.p = cdn_v3(to_spring, 0, 0);
  def.mass = (cdn_mass_properties){ .mass = m, .com = { to_bird, 0, 0 }, .inertia = { 7e-7, J, J, 0, 0, 0 } };
  t.bird = cdn_system_add_body(system, &def);
  cdn_system_add_mobility_spring(system, "spring", t.bird, 0, stiffness, 0);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  return t;
}

/* A contact with the pole: the gap c + a[1] q_sleeve + a[2] q_bird, and the slip s . (speeds). */
static void add_contact(cdn_system *system, const toy *t, const char *name, double c, const double a[3],
                        const double s[3], double restitution) {
  const cdn_mobility q[] = { { t->height, 0 }, { t->sleeve, 0 }, { t->bird, 0 } };
  char slip[32];
  snprintf(slip, sizeof slip, "%s slip", name);
  cdn_function *gap = cdn_function_linear(3, a, c), *speed = cdn_function_linear(3, s, 0);
  cdn_one_sided_def side = cdn_default_one_sided_def();
  side.constraint = cdn_system_couple_coordinates(system, name, gap, 3, q), side.restitution = restitution;
  cdn_dry_friction_def friction = cdn_default_dry_friction_def();
  friction.name = name, friction.normal = cdn_system_make_one_sided(system, &side), friction.mu_dynamic = 0.3;
  friction.slip = cdn_system_couple_speeds(system, slip, speed, q, 3, NULL, 0);
  cdn_system_add_dry_friction(system, &friction);
  cdn_function_release(gap), cdn_function_release(speed);
}

/* The angle of the bird is that of the sleeve and that of the spring. */
static void add_contacts(cdn_system *system, const toy *t) {
  const double out = to_spring + to_bird - beak_out - pole, play = hole - pole, at = to_bird - beak_out;
  add_contact(system, t, "beak", out, (double[]){ 0, -beak_up, -beak_up }, (double[]){ 1, to_spring + at, at }, 0.5);
  add_contact(system, t, "sleeve below", play, (double[]){ 0, sleeve_half, 0 }, (double[]){ 1, hole, 0 }, 0);
  add_contact(system, t, "sleeve above", play, (double[]){ 0, -sleeve_half, 0 }, (double[]){ 1, hole, 0 }, 0);
}

/* ---- its way down ---- */

/* Goes on until the lower end of the sleeve begins to slip, at most to 10 s: `at` gets the time and the height. */
static cdn_status to_slip(cdn_stepper *stepper, const toy *t, bool tell, double at[2]) {
  const cdn_state *now = cdn_stepper_state(stepper);
  const cdn_dry_friction below = cdn_system_find_dry_friction(cdn_state_system(now), "sleeve below");
  for (;;) {
    cdn_return_reason reason;
    const cdn_friction_status before = cdn_dry_friction_get_status(now, below);
    const cdn_status status = cdn_stepper_advance(stepper, 10, &reason);
    at[0] = cdn_state_time(now), at[1] = *cdn_body_q(now, t->height);
    if (status || reason == CDN_REACHED_TIME) return status;
    for (int i = 0; tell && i < cdn_stepper_occurrence_count(stepper); i++)
      printf("%.6f s: %s\n", at[0], cdn_stepper_occurrence(stepper, i)->name);
    if (before == CDN_FRICTION_STICK && cdn_dry_friction_get_status(now, below) == CDN_FRICTION_SLIP) return CDN_OK;
  }
}

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  const toy t = add_bodies(system);
  add_contacts(system, &t);
  cdn_impact_def impact = cdn_default_impact_def();
  impact.law = CDN_IMPACT_NEWTON;
  cdn_system_set_impact(system, &impact);

  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-8, how.return_on_events = true;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_state_set_q(state, (double[]){ 0, -(hole - pole) / sleeve_half, -0.1 }); /* jammed */
  if (!status) status = cdn_state_set_u(state, (double[]){ 0, 0, 17.6 }); /* the bird swings up */
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  enum { PERIODS = 24 };
  double at[PERIODS][2] = { 0 }, period[PERIODS] = { 0 }, drop[PERIODS] = { 0 };
  for (int i = 0; i < PERIODS && !status; i++) {
    status = to_slip(stepper, &t, i == 0, at[i]);
    if (i > 0) period[i] = at[i][0] - at[i - 1][0], drop[i] = at[i - 1][1] - at[i][1];
    if (i > 0 && i < 6 && !status) printf("period %d: %.5f s, %.3f mm\n", i, period[i], 1e3 * drop[i]);
  }
  const double left = fabs(period[PERIODS - 1] - period[PERIODS - 2]);
  if (status) fprintf(stderr, "woodpecker: %s\n", cdn_last_error_text());
  else {
    printf("Then every %.7f s by %.5f mm; two periods differ by %.0e s.\n", period[PERIODS - 1],
           1e3 * drop[PERIODS - 1], left);
    printf(
        "With equations that are linear in all angles it were 0.1459761 s and 19.44538 mm: 0.4 rad are not small.\n");
  }
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
  return status || !(left < 1e-7) || !(drop[PERIODS - 1] > 0);
}
