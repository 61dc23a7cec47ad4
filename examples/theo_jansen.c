/* A leg of Theo Jansen's walking machine: seven links, three loops, one degree of freedom. It is assembled from a rough
 * sketch, then its crank is driven at a constant speed by a motion while the stepper holds the three loops closed. For
 * more than a third of every turn the foot goes along a nearly level line, which is what the numbers are famous for;
 * here it comes out of a simulation, and is compared with the leg assembled anew at the same crank angle. The work that
 * the motor does all the time is in the certificate's energy account. */
#include <cardan/core.h>
#include <cardan/assembly.h>
#include <math.h>
#include <stdio.h>

static cdn_body add_link(cdn_system *system, const char *name, cdn_body parent, double x, double y, double angle) {
  cdn_body_def def = cdn_default_body_def();
  def.name = name, def.parent = parent, def.mobilizer = CDN_PIN, def.X_PF.p = cdn_v3(x, y, 0), def.q0 = &angle;
  def.mass = (cdn_mass_properties){ 0.1, cdn_v3(0.2, 0, 0), { 0.001, 0.005, 0.005, 0, 0, 0 } };
  return cdn_system_add_body(system, &def);
}

/* The third corner of a triangle, from the sides: the first corner is the origin, the second (c, 0). */
static cdn_vec3 corner(double a, double b, double c, double side) {
  const double x = (b * b + c * c - a * a) / (2 * c);
  return cdn_v3(x, side * sqrt(b * b - x * x), 0);
}

int main(void) {
  /* his holy numbers, in decimetres: 38 7.8 15 50 61.9 41.5 39.3 55.8 40.1 39.4 36.7 65.7 49 cm */
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body crank = add_link(system, "crank", cdn_ground(), 0, 0, 0);
  const cdn_body upper = add_link(system, "upper triangle", cdn_ground(), -3.8, -0.78, 1.5);
  const cdn_body lower = add_link(system, "lower link", cdn_ground(), -3.8, -0.78, -1.3);
  const cdn_body foot = add_link(system, "foot", lower, 3.93, 0, -1);
  const cdn_vec3 back = corner(5.58, 4.01, 4.15, 1), toe = corner(6.57, 4.9, 3.67, 1);
  const cdn_body j = add_link(system, "rod j", crank, 1.5, 0, 2.5);
  const cdn_body k = add_link(system, "rod k", crank, 1.5, 0, -2.5);
  const cdn_body f = add_link(system, "rod f", upper, back.x, back.y, 1);
  cdn_system_constrain_ball(system, "top", upper, cdn_v3(4.15, 0, 0), j, cdn_v3(5, 0, 0));
  cdn_system_constrain_ball(system, "knee", lower, cdn_v3(3.93, 0, 0), k, cdn_v3(6.19, 0, 0));
  cdn_system_constrain_ball(system, "heel", foot, cdn_v3(3.67, 0, 0), f, cdn_v3(3.94, 0, 0));
  cdn_motion_def motion = cdn_default_motion_def();
  motion.name = "motor", motion.body = crank, motion.kind = CDN_MOTION_STEADY, motion.level = CDN_LEVEL_VELOCITY;
  motion.params[0] = 6.283185307179586; /* a turn a second */
  cdn_system_add_motion(system, &motion);

  cdn_state *state = NULL, *again = NULL;
  cdn_assembly *assembly = NULL;
  cdn_stepper *stepper = NULL;
  cdn_assembly_report report = { .dof = 0 };
  cdn_stepper_def how = cdn_default_stepper_def();
  how.accuracy = 1e-7;
  how.max_step = 0.01; /* the motor decides about all motion: what is left to integrate with care is its work */
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_assembly_create(system, NULL, &assembly);
  if (!status) status = cdn_assemble(assembly, state, &report);
  if (!status) printf("assembled: errors were %.2f, are %.0e; dof %d\n", report.error_before, report.error, report.dof);
  /* the motor's speed is known, the others follow */
  if (!status) status = cdn_assemble_speeds(assembly, state, NULL);
  if (!status) status = cdn_state_create(system, &again);
  if (!status) status = cdn_state_copy(again, state);
  if (!status) status = cdn_stepper_create(state, &how, &stepper);

  enum { REPORTS = 40 };
  double most = 0, low = INFINITY, high = -INFINITY;
  cdn_vec3 path[REPORTS];
  for (int i = 1; !status && i <= REPORTS; i++) {
    cdn_vec3 at;
    status = cdn_stepper_advance(stepper, (double)i / REPORTS, NULL);
    cdn_state *now = cdn_stepper_state(stepper);
    if (!status) status = cdn_body_station(now, foot, toe, &path[i - 1], NULL);
    /* the same leg, assembled with the crank at this angle, from where it was the last time */
    const double angle = *cdn_body_q(now, crank);
    if (!status) status = cdn_body_lock_at(again, crank, CDN_LEVEL_POSITION, 1, &angle);
    if (!status) status = cdn_assemble(assembly, again, NULL);
    if (!status) status = cdn_body_station(again, foot, toe, &at, NULL);
    if (status) break;
    most = fmax(most, cdn_norm(cdn_sub(path[i - 1], at)));
    low = fmin(low, path[i - 1].y), high = fmax(high, path[i - 1].y);
    if (i % 2 == 0) printf("%5.2f s  foot at (%7.4f, %7.4f)\n", (double)i / REPORTS, path[i - 1].x, path[i - 1].y);
  }
  cdn_certificate certificate = { .energy_residual = 1 };
  if (!status) status = cdn_stepper_certificate(stepper, &certificate);
  if (!status)
    printf("loops closed to %.0e at every step; simulated and assembled differ by %.0e; energy residual %.0e\n",
           certificate.max_position_error, most, certificate.energy_residual);

  /* the step: where the foot is as good as on the ground */
  int on_ground = 0;
  double back_most = -INFINITY, front_most = INFINITY;
  for (int i = 0; !status && i < REPORTS; i++) {
    if (path[i].y > low + 0.07) continue;
    on_ground++;
    back_most = fmax(back_most, path[i].x), front_most = fmin(front_most, path[i].x);
  }
  const double step = back_most - front_most;
  printf("the foot lifts by %.2f; for %.0f %% of the turn it is within 0.07 of its lowest, on a step of %.2f\n",
         high - low, 100. * on_ground / REPORTS, step);
  if (status) fprintf(stderr, "theo_jansen: %s\n", cdn_last_error_text());
  cdn_stepper_destroy(stepper), cdn_assembly_destroy(assembly);
  cdn_state_destroy(state), cdn_state_destroy(again), cdn_system_release(system);
  /* flat to a seventieth of the step for more than a third of the turn */
  const bool flat = 3 * on_ground > REPORTS && step > 70 * 0.07;
  return !status && most < 1e-6 && certificate.max_position_error < 1e-8 && fabs(certificate.energy_residual) < 1e-6 &&
                 flat
             ? 0
             : 1;
}
