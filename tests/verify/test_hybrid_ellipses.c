/* Rigid contact of shapes whose friction differs along the two tangents: closed forms of blocks that slide along them
 * and aslant, what holds a block on a slope, and the same of a model file. */
#include <cardan/model.h>

#include "shape_scenes.h"

/* A body on the floor, whose pair has mu along the first tangent, and ratio times that along the second. */
static cdn_state *on_floor(double mu, double ratio, cdn_geometry shape, cdn_transform floor, const double pose[7],
                           const double *u) {
  const shape_scene s = begin_scene(1, 0);
  const cdn_body body = add_free(&s, "body", 2, 0.02, 0.02, 0.03);
  cdn_contact_material m = cdn_contact_material_of_pair();
  cdn_contact_pair_def pair = cdn_default_contact_pair_def();
  m.static_friction = m.dynamic_friction = mu, m.friction_ratio = ratio;
  pair.a = put_shape(&s, "floor", cdn_ground(), half_space(), floor);
  pair.b = put_shape(&s, "body", body, shape, cdn_transform_identity()), pair.material = &m;
  cdn_system_add_contact_pair(s.system, &pair);
  return free_state(&s, pose, u);
}

/* The first tangent of a floor is y of Ground. A force of the ellipse that takes most power slows v_i by g mu_i^2 v_i /
 * |(mu_1 v_1, mu_2 v_2)|: so log(v_i) / mu_i^2 differ by a constant, and the energy by what friction takes. */
START_TEST(a_block_slides_across_an_ellipse) {
  static const double starts[][2] = { { 0, 1 }, { 1, 0 }, { 0.8, 0.6 }, { 0.3, -0.9 } };
  const double mu = 0.3, ratio = 0.5, across = mu * ratio, *v = starts[_i], u[6] = { 0, 0, 0, v[0], v[1], 0 };
  cdn_state *state =
      on_floor(mu, ratio, box(0.2, 0.2, 0.02), cdn_transform_identity(), (double[]){ 1, 0, 0, 0, 0, 0, 0.02 }, u);
  const double t = 0.25, least = 1e-3;
  cdn_stepper *run = plain_run(state, 1e-10, t);
  cdn_state *now = cdn_stepper_state(run);
  const double *end = cdn_state_u(now) + 3;
  for (int k = 0; k < 3; k++) NEAR(cdn_state_u(now)[k], 0, 1e-9);
  if (v[0] == 0) NEAR(end[1], v[1] - mu * g * t, 1e-9);
  if (v[1] == 0) NEAR(end[0], v[0] - across * g * t, 1e-9);
  if (fabs(v[0]) > least && fabs(v[1]) > least)
    NEAR(log(end[0] / v[0]) / (across * across), log(end[1] / v[1]) / (mu * mu), 1e-6);
  /* |(mu_1 v_1, mu_2 v_2)| g is the power over the mass; the contact tells it, too */
  int n;
  double power = 0;
  OK_ON(now, cdn_contact_count(now, &n));
  ck_assert_int_eq(n, 4);
  for (int i = 0; i < n; i++) {
    cdn_contact contact;
    OK_ON(now, cdn_contact_get(now, i, &contact));
    NEAR(contact.coefficient[0], mu, 1e-15);
    NEAR(contact.coefficient[1], across, 1e-15);
    NEAR(fabs(contact.tangent[0].y), 1, 1e-12);
    power += cdn_dot(contact.friction, cdn_v3(end[0], end[1], 0));
  }
  NEAR(power, -2 * g * hypot(across * end[0], mu * end[1]), 1e-7);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* A slope that falls along a direction at an angle with the tangents holds a block while its pull is within the
 * ellipse: tan(alpha) < 1 / |(cos / mu_1, sin / mu_2)|. The first tangent is y made perpendicular to the normal. */
START_TEST(an_ellipse_holds_up_to_its_edge) {
  const double mu = 0.3, ratio = 2, angle = 0.6;
  const double most = atan(1 / hypot(cos(angle) / mu, sin(angle) / (mu * ratio)));
  const double alpha = most + (_i ? 1e-4 : -1e-4);
  /* the normal leans so that the pull is at the angle from the first tangent */
  cdn_transform X = { .p = { 0, 0, 0 } };
  const double c = cos(alpha), lean = sin(alpha);
  /* n = (a, b, c) with y's part of the slope: pull = -z + c n; tangent ~ y - b n */
  double low = 0, high = 1.5707963267948966;
  cdn_vec3 n = { 0, 0, 1 };
  for (int k = 0; k < 60; k++) {
    const double turn = 0.5 * (low + high);
    n = cdn_v3(lean * sin(turn), lean * cos(turn), c);
    const cdn_vec3 flat = cdn_sub(cdn_v3(0, 1, 0), cdn_scale(n.y, n)), pull = cdn_sub(cdn_scale(c, n), cdn_v3(0, 0, 1));
    *(cdn_dot(flat, pull) / (cdn_norm(flat) * cdn_norm(pull)) > cos(angle) ? &low : &high) = turn;
  }
  X.R.z = n, X.R.x = cdn_cross(cdn_v3(0, 1, 0), n);
  X.R.x = cdn_scale(1 / cdn_norm(X.R.x), X.R.x), X.R.y = cdn_cross(n, X.R.x);
  const cdn_quaternion q = cdn_quaternion_from_rotation(X.R);
  cdn_state *state = on_floor(mu, ratio, box(0.2, 0.2, 0.02), X,
                              (double[]){ q.w, q.x, q.y, q.z, 0.02 * n.x, 0.02 * n.y, 0.02 * n.z }, NULL);
  cdn_stepper *run = plain_run(state, 1e-8, 0.5);
  const double *u = cdn_state_u(cdn_stepper_state(run));
  const double speed = sqrt(u[3] * u[3] + u[4] * u[4] + u[5] * u[5]);
  ck_assert_msg(_i ? speed > 1e-5 : speed < 1e-8, "at %g rad beyond its limit it goes at %g m/s", alpha - most, speed);
  end_event_run(run, state);
}
END_TEST

/* A capsule on a floor has its own axis as the first tangent: along it friction is mu, whichever way it lies. */
START_TEST(a_capsule_slides_along_itself) {
  const double mu = 0.2, yaw = 0.4 * (_i + 1), t = 0.3;
  const double h = sqrt(0.5), c = cos(0.5 * yaw), s = sin(0.5 * yaw); /* z of the capsule to x, then about z */
  const cdn_vec3 along = cdn_v3(cos(yaw), sin(yaw), 0);
  cdn_state *state =
      on_floor(mu, 3, capsule(0.05, 0.2), cdn_transform_identity(),
               (double[]){ h * c, -h * s, h * c, h * s, 0, 0, 0.05 }, (double[]){ 0, 0, 0, along.x, along.y, 0 });
  cdn_stepper *run = plain_run(state, 1e-9, t);
  const double *q = cdn_state_q(cdn_stepper_state(run)), way = t - 0.5 * mu * g * t * t;
  NEAR(q[4], way * along.x, 1e-8);
  NEAR(q[5], way * along.y, 1e-8);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* Of a file: the pair says 0.4 and 0.1, which are y and x on a floor. */
START_TEST(pairs_of_files_have_both_coefficients) {
  static const char text[] =
      "<mujoco><worldbody><geom name='floor' type='plane' size='5 5 1'/><body pos='0 0 .02'><freejoint/>"
      "<geom name='block' type='box' size='.2 .2 .02' mass='2'/></body></worldbody>"
      "<contact><pair geom1='floor' geom2='block' friction='0.4 0.1'/></contact></mujoco>";
  cdn_model_options options = cdn_default_model_options();
  cdn_model *model = NULL;
  cdn_state *state = NULL;
  options.contact = CDN_MODEL_RIGID;
  OK(cdn_model_load_string(text, sizeof text - 1, "block.xml", &options, &model));
  OK(cdn_state_create(cdn_model_system(model), &state));
  double u[6] = { 0 };
  u[_i ? 4 : 3] = 1;
  OK_ON(state, cdn_state_set_u(state, u));
  cdn_stepper *run = plain_run(state, 1e-9, 0.2);
  NEAR(cdn_state_u(cdn_stepper_state(run))[_i ? 4 : 3], 1 - (_i ? 0.4 : 0.1) * g * 0.2, 1e-8);
  end_event_run(run, state);
  cdn_model_destroy(model);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, a_block_slides_across_an_ellipse, 0, 4);
  tcase_add_loop_test(c, an_ellipse_holds_up_to_its_edge, 0, 2);
  tcase_add_loop_test(c, a_capsule_slides_along_itself, 0, 3);
  tcase_add_loop_test(c, pairs_of_files_have_both_coefficients, 0, 2);
}

CHECK_MAIN_OF("hybrid ellipses", 60, add)
