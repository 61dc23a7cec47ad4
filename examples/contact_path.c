/* A leg goes to a place half a metre away, and nobody says when its foot leaves the floor or where it lands: invertible
 * contact makes forces a smooth function of positions, so that positions alone are optimized. The trunk has no motor:
 * forces on it have a large weight, until the floor provides them. Then the leg runs forward with the forces that were
 * found. */
#include <cardan/core.h>
#include <cardan/invertible.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 61, NQ = 4 }; /* positions, 20 ms apart; x and z of the trunk, hip, length of the leg */

static cdn_body add_body(cdn_system *system, const char *name, cdn_body parent, cdn_mobilizer kind, double mass) {
  cdn_body_def def = cdn_default_body_def();
  def.name = name, def.parent = parent, def.mobilizer = kind;
  def.mass = (cdn_mass_properties){ .mass = mass, .inertia = { 0.02 * mass, 0.02 * mass, 0.02 * mass, 0, 0, 0 } };
  /* a slider moves along x, a pin turns about z: sliders along Ground's z, and the hip about its y */
  if (kind == CDN_PIN) def.X_PF.R = def.X_BM.R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), -1.57079632679489662);
  if (kind == CDN_SLIDER && parent.i == 1)
    def.X_PF.R = def.X_BM.R = cdn_rotation_axis_angle(cdn_v3(0, 1, 0), -1.57079632679489662);
  if (kind == CDN_SLIDER && parent.i == 3)
    def.X_PF.R = def.X_BM.R = cdn_rotation_axis_angle(cdn_v3(0, 1, 0), 1.57079632679489662);
  return cdn_system_add_body(system, &def);
}

static cdn_system *make_leg(void) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body along = add_body(system, "along", cdn_ground(), CDN_SLIDER, 0.1);
  const cdn_body trunk = add_body(system, "trunk", along, CDN_SLIDER, 8);
  const cdn_body hip = add_body(system, "hip", trunk, CDN_PIN, 1);
  const cdn_body foot = add_body(system, "foot", hip, CDN_SLIDER, 0.5);
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(system, &shape);
  shape.body = foot, shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 0.05 } };
  cdn_system_add_shape(system, &shape);
  /* to be looked at: of no type, they touch nothing */
  shape.type = shape.affinity = 0;
  shape.body = along, shape.geometry.size[0] = 0.01;
  cdn_system_add_shape(system, &shape);
  shape.body = trunk, shape.geometry.size[0] = 0.12;
  cdn_system_add_shape(system, &shape);
  shape.body = hip, shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_CAPSULE, .size = { 0.03, 0.2 } };
  shape.X_BS.p = cdn_v3(0, 0, -0.25);
  cdn_system_add_shape(system, &shape);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -9.81));
  return system;
}

/* Runs forward with these forces; how far the trunk ends from where it should, and how high the foot was. */
static cdn_status run(cdn_invertible_motion *motion, const double *q, const double *tau, double *apart,
                      double *highest) {
  cdn_state *state = cdn_invertible_motion_state(motion);
  double u[NQ];
  for (int k = 0; k < NQ; k++) u[k] = (q[NQ + k] - q[k]) / 0.02;
  cdn_status status = cdn_state_set_q(state, q + NQ);
  if (!status) status = cdn_state_set_u(state, u);
  *highest = 0;
  for (int i = 0; !status && i < N - 2; i++) {
    status = cdn_state_set_applied_mobility_forces(state, tau + NQ * i);
    if (!status) status = cdn_invertible_motion_advance(motion, 1);
    const double *now = cdn_state_q(state);
    *highest = fmax(*highest, now[1] - now[3] * cos(now[2]) - 0.05);
  }
  *apart = hypot(cdn_state_q(state)[0] - q[NQ * (N - 1)], cdn_state_q(state)[1] - q[NQ * (N - 1) + 1]);
  return status;
}

int main(void) {
  cdn_system *system = make_leg();
  cdn_state *state = NULL;
  cdn_invertible_motion *motion = NULL;
  cdn_invertible_motion_def def = cdn_default_invertible_motion_def();
  cdn_invertible_law law = cdn_default_invertible_law();
  law.kappa = 0.1, law.elastic = 10;
  law.growth = CDN_INVERTIBLE_EXPONENTIAL, law.R_max = 1e4, law.w_max = 0.15;
  def.law = &law, def.step = 0.02, def.friction = 0.8;
  cdn_status status = cdn_system_freeze(system);
  if (!status) status = cdn_state_create(system, &state);
  if (!status) status = cdn_invertible_motion_create(state, &def, &motion);

  double q[N * NQ], tau[(N - 2) * NQ] = { 0 }, apart = INFINITY, highest = 0;
  for (int i = 0; i < N; i++) {
    const double part = fmin(fmax((i - 1.0) / (N - 3), 0), 1);
    memcpy(q + NQ * i, (const double[]){ 0.5 * part, 0.6, 0, 0.527 }, NQ * sizeof *q);
  }
  const double tau_weights[NQ] = { 1e3, 1e3, 1, 1 }, q_weights[NQ] = { 0, 0, 1, 1 };
  cdn_invertible_path_def how = cdn_default_invertible_path_def();
  how.tau_weights = tau_weights, how.q_weights = q_weights;
  how.stages = 4, how.kappa_first = 1, how.most_iterations = 200;
  cdn_invertible_path_report report = { 0 };
  if (!status) status = cdn_invertible_optimize_path(motion, &how, N, q, tau, &report);
  if (!status) status = run(motion, q, tau, &apart, &highest);
  if (!status) status = cdn_state_set_q(state, q + NQ * 15); /* on its way */
  if (status) fprintf(stderr, "contact_path: %s\n", cdn_last_error_text());
  double motors = 0, hand = 0;
  for (int i = 0; i < N - 2; i++) {
    hand = fmax(hand, fmax(fabs(tau[NQ * i]), fabs(tau[NQ * i + 1])));
    motors = fmax(motors, fmax(fabs(tau[NQ * i + 2]), fabs(tau[NQ * i + 3])));
  }
  printf("cost %.3g to %.3g in %d steps; motors give up to %.3g N m, %.2g N come from nowhere\n", report.first,
         report.last, report.iterations, motors, hand);
  printf("forward with these forces the foot rises to %.3f m, and the trunk ends %.1g m from its place\n", highest,
         apart);
  cdn_invertible_motion_destroy(motion);
  cdn_state_destroy(state);
  cdn_system_release(system);
  return !status && apart < 1e-3 && hand < 5 && highest > 0.05 ? 0 : 1;
}
