/* cdn_difference is the inverse of cdn_displace: for every mobilizer, both ways round, with quaternions and angles, for
 * small turns, large ones, and half a turn. */
#include "../testing.h"

static uint64_t random_ = 1;
static double draw(void) {
  random_ = random_ * 6364136223846793005u + 1442695040888963407u;
  return (double)(random_ >> 11) * 0x1p-52 - 1;
}

enum { MOST = 7 };

static cdn_state *one_joint(cdn_mobilizer kind, bool reversed, bool euler) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_function *f = cdn_function_linear(2, (const double[]){ 0.7, 0.4 }, 0.1);
  cdn_function_mobilizer by_functions = cdn_default_function_mobilizer();
  by_functions.nu = 2;
  by_functions.function[2] = f, by_functions.input[2][0] = 0, by_functions.input[2][1] = 1;
  by_functions.function[3] = f, by_functions.input[3][0] = 0, by_functions.input[3][1] = 1;
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = kind, def.reversed = reversed, def.euler = euler;
  def.mass = (cdn_mass_properties){ 1, { 0.1, 0.2, 0.3 }, { 1, 1, 1, 0, 0, 0 } };
  def.params[0] = 0.5, def.params[1] = 0.6, def.params[2] = kind == CDN_SPHERICAL_COORDS ? 0 : 0.7;
  if (kind == CDN_FUNCTION_BASED) def.functions = &by_functions;
  cdn_system_add_body(system, &def);
  cdn_function_release(f);
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

static void displace(cdn_state *state, const double *v) {
  const int nu = cdn_system_nu(cdn_state_system(state));
  double identity[MOST * MOST] = { 0 };
  for (int i = 0; i < nu; i++) identity[i * nu + i] = 1;
  OK_ON(state, cdn_displace(state, nu, identity, v, NULL));
}

static bool has_line(cdn_mobilizer kind) { return kind == CDN_LINE_ORIENTATION || kind == CDN_FREE_LINE; }

/* From q1 to q2, which may be any; for lines the line, and not what turns about it. */
static void check(cdn_state *state, cdn_mobilizer kind, const double *q1, const double *q2) {
  const cdn_system *system = cdn_state_system(state);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system);
  const bool quaternion = cdn_body_has_quaternion(system, (cdn_body){ 1 });
  double v[MOST] = { 0 };
  cdn_transform there, here;
  OK_ON(state, cdn_state_set_q(state, q2));
  OK_ON(state, cdn_body_pose(state, (cdn_body){ 1 }, &there));
  OK_ON(state, cdn_state_set_q(state, q1));
  OK_ON(state, cdn_difference(state, q2, v));
  if (quaternion) AT_MOST(sqrt(v[0] * v[0] + v[1] * v[1] + (has_line(kind) ? 0 : v[2] * v[2])), PI * (1 + 1e-15));
  displace(state, v);
  OK_ON(state, cdn_body_pose(state, (cdn_body){ 1 }, &here));
  const double *q = cdn_state_q(state);
  for (int k = 0; k < nq && !(quaternion && k < 4) && !has_line(kind); k++)
    NEAR(q[k], q2[k], 4e-16 * (1 + fabs(q1[k])));
  if (has_line(kind) && cdn_body_is_reversed(system, (cdn_body){ 1 }))
    return; /* the body's frame turns about its own axis */
  for (int k = has_line(kind) ? 6 : 0; k < 9; k++) NEAR((&here.R.x.x)[k], (&there.R.x.x)[k], 3e-15);
  for (int k = 0; k < 3; k++) NEAR((&here.p.x)[k], (&there.p.x)[k], 3e-15);
  (void)nu;
}

static void draw_q(cdn_state *state, double *q) {
  const cdn_system *system = cdn_state_system(state);
  const int nq = cdn_system_nq(system);
  for (int k = 0; k < nq; k++) q[k] = draw();
  if (!cdn_body_has_quaternion(system, (cdn_body){ 1 })) return;
  double square = 0;
  for (int k = 0; k < 4; k++) square += q[k] * q[k];
  for (int k = 0; k < 4; k++) q[k] /= sqrt(square);
}

START_TEST(every_mobilizer) {
  for (int kind = 0; kind < CDN_CUSTOM_MOBILIZER; kind++)
    for (int how = 0; how < 4; how++) {
      const bool turns = kind == CDN_BALL || kind == CDN_FREE || kind == CDN_ELLIPSOID || has_line((cdn_mobilizer)kind);
      if (how & 2 && !turns) continue; /* no quaternion that angles could replace */
      cdn_state *state = one_joint((cdn_mobilizer)kind, how & 1, how & 2);
      const int nq = cdn_system_nq(cdn_state_system(state)), nu = cdn_system_nu(cdn_state_system(state));
      const bool angles = nq != nu && !cdn_body_has_quaternion(cdn_state_system(state), (cdn_body){ 1 });
      for (int run = 0; run < 50; run++) {
        double q1[MOST], q2[MOST], v[MOST], back[MOST] = { 0 };
        draw_q(state, q1), draw_q(state, q2);
        /* a line with angles has more coordinates than ways to move: only what it can reach is compared */
        if (!(has_line((cdn_mobilizer)kind) && (angles || how & 1))) check(state, (cdn_mobilizer)kind, q1, q2);
        for (int k = 0; k < nu; k++) v[k] = 1.7 * draw() / (1 + run % 3 * 1000);
        OK_ON(state, cdn_state_set_q(state, q1));
        displace(state, v);
        memcpy(q2, cdn_state_q(state), (size_t)nq * sizeof *q2);
        OK_ON(state, cdn_state_set_q(state, q1));
        OK_ON(state, cdn_difference(state, q2, back));
        /* beside a singularity of angles rounding grows with the rates' size, 1 / cos of the second angle */
        for (int k = 0; k < nu; k++) NEAR(back[k], v[k], 2e-14);
        for (int k = 0; k < nq; k++) ck_assert(cdn_state_q(state)[k] == q1[k]);
      }
      cdn_state_destroy(state);
    }
}
END_TEST

/* Turns about any axis, by nothing, by hardly anything, by half a turn and nearly so: v is angle times axis. */
START_TEST(turns_of_any_size) {
  static const double angles[] = { 0, 1e-300, 1e-17, 1e-9, 1e-4, 0.3, 1, 3, PI - 1e-4, PI - 1e-9, PI };
  cdn_state *state = one_joint(CDN_BALL, false, false);
  for (int run = 0; run < 20; run++)
    for (int i = 0; i < 11; i++) {
      double q1[4], v[3];
      draw_q(state, q1);
      const cdn_vec3 raw = { draw(), draw(), draw() }, axis = cdn_scale(1 / cdn_norm(raw), raw);
      const cdn_quaternion turned = cdn_quaternion_multiply(cdn_quaternion_axis_angle(axis, angles[i]),
                                                            (cdn_quaternion){ q1[0], q1[1], q1[2], q1[3] });
      const double sign = run % 2 ? -1 : 1, length = run % 3 ? 1 : 3;
      const double q2[4] = { sign * length * turned.w, sign * length * turned.x, sign * length * turned.y,
                             sign * length * turned.z };
      check(state, CDN_BALL, q1, q2);
      OK_ON(state, cdn_state_set_q(state, q1));
      OK_ON(state, cdn_difference(state, q2, v));
      const double way = angles[i] == PI && v[0] * axis.x + v[1] * axis.y + v[2] * axis.z < 0 ? -1 : 1;
      for (int k = 0; k < 3; k++) NEAR(way * v[k], angles[i] * (&axis.x)[k], 2e-15);
    }
  cdn_state_destroy(state);
}
END_TEST

START_TEST(wrong_arguments) {
  cdn_state *state = one_joint(CDN_FREE, false, false);
  double q[7] = { 0 }, v[6];
  FAILS(cdn_difference(state, q, v), CDN_ERR_ARG);
  q[0] = NAN;
  FAILS(cdn_difference(state, q, v), CDN_ERR_NONFINITE);
  FAILS(cdn_difference(state, NULL, v), CDN_ERR_ARG);
  FAILS(cdn_difference(NULL, q, v), CDN_ERR_ARG);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("differences of q", every_mobilizer, turns_of_any_size, wrong_arguments)
