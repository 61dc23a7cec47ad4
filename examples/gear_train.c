/* A gear train: a motor's pinion on a spur gear, whose shaft is the sun of a planetary gear with three planets and a
 * fixed ring; the carrier turns against a load. The pinion's pair is a coupling of coordinates, the planets' teeth do
 * not slip on sun and ring. Two of these seven equations follow from the others: the planets share the load, equally as
 * long as nobody says that one is stiffer (cdn_constraint_set_weight). Speeds, acceleration, torques and tooth forces
 * are compared with the closed form. */
#include <cardan/core.h>
#include <math.h>
#include <stdio.h>

enum { PINION = 20, SPUR = 50, SUN = 24, PLANET = 18, RING = SUN + 2 * PLANET, PLANETS = 3 }; /* teeth */
static const double MODULE = 0.002;                                                           /* m a tooth */
static const double MOTOR_TORQUE = -2, LOAD = -16;                                            /* N m */
/* about their axes, kg m^2, the carrier with what it turns; kg */
static const double I_MOTOR = 1e-4, I_SUN = 4e-4, I_CARRIER = 0.5, I_PLANET = 3e-5, PLANET_MASS = 0.2;

typedef struct train {
  cdn_body motor, sun, carrier, planet[PLANETS];
  cdn_constraint spur, at_sun[PLANETS], at_ring[PLANETS];
} train;

static cdn_body add_wheel(cdn_system *system, const char *name, cdn_body parent, cdn_transform X_PF, double mass,
                          double inertia) {
  cdn_body_def def = cdn_default_body_def();
  def.name = name, def.parent = parent, def.mobilizer = CDN_PIN, def.X_PF = X_PF;
  def.mass = (cdn_mass_properties){ mass, cdn_v3(0, 0, 0), { inertia / 2, inertia / 2, inertia, 0, 0, 0 } };
  return cdn_system_add_body(system, &def);
}

static train add_train(cdn_system *system) {
  const double r_sun = MODULE * SUN / 2, r_planet = MODULE * PLANET / 2, arm = r_sun + r_planet;
  const cdn_transform axis = cdn_transform_identity();
  cdn_transform aside = axis;
  aside.p = cdn_v3(-MODULE * (PINION + SPUR) / 2, 0, 0);
  train t = { .motor = add_wheel(system, "motor", cdn_ground(), aside, 0.5, I_MOTOR) };
  t.sun = add_wheel(system, "sun", cdn_ground(), axis, 1, I_SUN);
  t.carrier = add_wheel(system, "carrier", cdn_ground(), axis, 1, I_CARRIER);

  /* q_motor + (SPUR / PINION) q_sun = 0: the wheels of a pair outside each other turn against each other */
  const double teeth[] = { 1, (double)SPUR / PINION };
  const cdn_mobility shafts[] = { { t.motor, 0 }, { t.sun, 0 } };
  cdn_function *mesh = cdn_function_linear(2, teeth, 0);
  t.spur = cdn_system_couple_coordinates(system, "spur", mesh, 2, shafts);
  cdn_function_release(mesh);

  for (int i = 0; i < PLANETS; i++) {
    const double angle = i * 2 * 3.141592653589793 / PLANETS;
    const cdn_vec3 out = cdn_v3(cos(angle), sin(angle), 0), along = cdn_v3(-sin(angle), cos(angle), 0);
    char name[3][32];
    snprintf(name[0], sizeof name[0], "planet %d", i + 1);
    snprintf(name[1], sizeof name[1], "sun to planet %d", i + 1);
    snprintf(name[2], sizeof name[2], "planet %d to ring", i + 1);
    const cdn_transform pivot = { cdn_rotation_identity(), cdn_scale(arm, out) };
    t.planet[i] = add_wheel(system, name[0], t.carrier, pivot, PLANET_MASS, I_PLANET);
    /* where teeth meet does not move on the carrier, which holds the gears' axes */
    t.at_sun[i] =
        cdn_system_constrain_no_slip(system, name[1], t.carrier, cdn_scale(r_sun, out), along, t.sun, t.planet[i]);
    t.at_ring[i] = cdn_system_constrain_no_slip(system, name[2], t.carrier, cdn_scale(arm + r_planet, out), along,
                                                cdn_ground(), t.planet[i]);
  }
  return t;
}

static double multiplier(cdn_state *state, cdn_constraint c) {
  return cdn_state_multipliers(state)[cdn_constraint_get_equations(cdn_state_system(state), c).row];
}

static double off(double value, double truth) { return fabs(value - truth) / fmax(1, fabs(truth)); }

/* The largest difference from the closed form, relative where numbers are above 1; at rest at time 0. */
static double compare(cdn_state *state, const train *t, double time) {
  /* speeds over the carrier's: Willis' equation in the carrier's frame, seen from outside */
  const double sun = 1 + (double)RING / SUN, motor = -sun * SPUR / PINION, planet = 1 - (double)RING / PLANET;
  const double r_sun = MODULE * SUN / 2, r_planet = MODULE * PLANET / 2, arm = r_sun + r_planet;
  const double inertia = I_MOTOR * motor * motor + I_SUN * sun * sun + I_CARRIER +
                         PLANETS * (PLANET_MASS * arm * arm + I_PLANET * planet * planet);
  const double acceleration = (MOTOR_TORQUE * motor + LOAD) / inertia;
  /* what is left of the motor's torque, on the spur gear, on the sun's teeth, on the ring's */
  const double torque = MOTOR_TORQUE - I_MOTOR * acceleration * motor;
  const double at_sun = (torque * SPUR / PINION + I_SUN * acceleration * sun) / (PLANETS * r_sun);
  const double at_ring = at_sun - I_PLANET * acceleration * planet / r_planet;

  const double speed = *cdn_body_u(state, t->carrier);
  double most = off(speed, acceleration * time);
  most = fmax(most, off(*cdn_body_u(state, t->motor), motor * acceleration * time));
  most = fmax(most, off(*cdn_body_u(state, t->sun), sun * acceleration * time));
  most = fmax(most, off(*cdn_body_q(state, t->carrier), acceleration * time * time / 2));
  most = fmax(most, off(multiplier(state, t->spur), torque));
  for (int i = 0; i < PLANETS; i++) {
    most = fmax(most, off(*cdn_body_u(state, t->planet[i]), (planet - 1) * acceleration * time)); /* on the carrier */
    most = fmax(most, off(multiplier(state, t->at_sun[i]), at_sun));
    most = fmax(most, off(multiplier(state, t->at_ring[i]), at_ring));
  }
  printf("%4.1f s  carrier %8.4f rad/s, motor %9.4f; torque on the pinion's teeth %.5f N m; "
         "each planet puts %.4f N on the sun, %.4f N on the ring\n",
         time, speed, *cdn_body_u(state, t->motor), multiplier(state, t->spur), multiplier(state, t->at_sun[0]),
         multiplier(state, t->at_ring[0]));
  return most;
}

int main(void) {
  cdn_system *system = cdn_system_create(NULL);
  const train t = add_train(system);
  cdn_state *state = NULL;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-8;
  double force[3 + PLANETS] = { 0 }, most = 0;
  bool redundant[1 + 2 * PLANETS];
  int n_redundant = 0;
  cdn_certificate certificate = { .energy_residual = 1 };
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) {
    force[cdn_body_first_u(system, t.motor)] = MOTOR_TORQUE;
    force[cdn_body_first_u(system, t.carrier)] = LOAD;
    status = cdn_state_set_applied_mobility_forces(state, force);
  }
  if (!status) status = cdn_redundant_equations(state, redundant, &n_redundant);
  if (!status) printf("%d of %d equations are redundant\n", n_redundant, cdn_system_nudoterr(system));
  if (!status) status = cdn_stepper_create(state, &how, &stepper);
  for (int i = 1; !status && i <= 4; i++) {
    status = cdn_stepper_advance(stepper, 0.5 * i, NULL);
    cdn_state *now = cdn_stepper_state(stepper);
    if (!status && !cdn_state_multipliers(now)) status = CDN_ERR_SINGULAR;
    if (!status) most = fmax(most, compare(now, &t, 0.5 * i));
  }
  if (!status) status = cdn_stepper_certificate(stepper, &certificate);
  if (!status)
    printf("largest difference from the closed form %.0e; teeth slip by %.0e m/s; energy residual %.0e\n", most,
           certificate.max_velocity_error, certificate.energy_residual);
  if (status) fprintf(stderr, "gear_train: %s\n", cdn_last_error_text());
  cdn_stepper_destroy(stepper), cdn_state_destroy(state), cdn_system_release(system);
  return !status && most < 1e-7 && n_redundant == 2 && fabs(certificate.energy_residual) < 1e-8 ? 0 : 1;
}
