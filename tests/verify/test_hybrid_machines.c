/* A slider with clearance, rods on pins with friction, a rope, blocks and rods on a floor. Reference values are closed
 * forms, or runs with 13 digits (../shared/hybrid/reference_values.json). */
#include "hybrid_scenes.h"
#include "problem.h"

static const double g = 9.81;

/* ---- a slider crank whose slider has clearance in its guide (Flores, Leine and Glocker 2010) ---- */

START_TEST(a_slider_hammers_in_its_guide) {
  static const struct {
    double t;
    int corner;
    double u[3], loss;
  } impacts[] = {
    { 0.002690903648407705, 1, { 109.57068139885314, -49.385819640230274, 23.287447687199435 }, 0.0004292181931715433 },
    { 0.0026922543109252337,
      2,
      { 109.52942370324475, -49.46697245072526, -31.872404093728402 },
      0.0020176987398698998 },
    { 0.002692444433197119, 1, { 109.49977901730591, -49.57886311942825, 34.29323955911282 }, 0.002878262342145277 },
    { 0.0026925056979773144, 2, { 109.4712853954309, -49.69474836754048, -34.17538793792973 }, 0.003039432394889019 },
    { 0.0026925298206644504, 1, { 109.44354719440543, -49.81000087340419, 33.04086263758553 }, 0.0029642168825834148 },
    { 0.0026925400505861115,
      2,
      { 109.41734081079711, -49.91975207753929, -31.539980944569635 },
      0.0027215700342120286 },
    { 0.002692544524632311, 1, { 109.39221922625357, -50.02532712699362, 29.93601496784501 }, 0.002503606664508773 },
    { 0.0026925465076740804,
      2,
      { 109.36867122564261, -50.12444136481435, -28.345664717987596 },
      0.0022426417761014505 },
  };
  const double l1 = 0.153, l2 = 0.306, a = 0.05, b = 0.025, c = 0.001, J1 = 7.4e-5, J2 = 5.9e-4, J3 = 2.7e-6;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  cdn_body link[3];
  d.mobilizer = CDN_PIN;
  d.name = "crank", d.mass = (cdn_mass_properties){ 0.038, { l1 / 2, 0, 0 }, { J1, J1, J1, 0, 0, 0 } };
  link[0] = cdn_system_add_body(system, &d);
  d.name = "rod", d.parent = link[0], d.X_PF.p = cdn_v3(l1, 0, 0);
  d.mass = (cdn_mass_properties){ 0.038, { l2 / 2, 0, 0 }, { J2, J2, J2, 0, 0, 0 } };
  link[1] = cdn_system_add_body(system, &d);
  d.name = "slider", d.parent = link[1], d.X_PF.p = cdn_v3(l2, 0, 0);
  d.mass = (cdn_mass_properties){ 0.076, { 0, 0, 0 }, { J3, J3, J3, 0, 0, 0 } };
  link[2] = cdn_system_add_body(system, &d);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  for (int i = 0; i < 4; i++) { /* corners 1 and 2 above, 3 and 4 below */
    static const char *const names[] = { "corner 1", "corner 2", "corner 3", "corner 4" };
    const double up = i < 2 ? 1 : -1;
    cdn_rigid_contact_def contact = cdn_default_rigid_contact_def();
    contact.name = names[i], contact.b = link[2], contact.p_B = cdn_v3(i % 2 ? a : -a, up * b, 0);
    contact.restitution = 0.4, contact.mu_dynamic = 0.01;
    contact.X_AP = facing(cdn_v3(0, -up, 0), cdn_v3(0, up * (b + c), 0));
    cdn_system_add_rigid_contact(system, &contact);
  }
  cdn_impact_def law = cdn_default_impact_def();
  law.law = CDN_IMPACT_NEWTON;
  cdn_system_set_impact(system, &law);
  cdn_state *state = hybrid_state(system, NULL, (double[]){ 150, -225, 75 - 0.01 });
  cdn_stepper *run = event_run(state, 1e-11);
  const cdn_state *now = cdn_stepper_state(run);
  double before = 0;
  for (int k = 0; k < (int)(sizeof impacts / sizeof *impacts); k++) {
    const double *wanted = impacts[k].u, *u = cdn_state_u(now);
    ck_assert(run_to_event(run, impacts[k].corner == 1 ? "corner 1 touches" : "corner 2 touches", 0.003));
    NEAR(cdn_state_time(now), impacts[k].t, 1e-12);
    for (int i = 0; i < 3; i++) NEAR(u[0] + (i > 0 ? u[1] : 0) + (i > 1 ? u[2] : 0), wanted[i], 1e-8);
    const double taken = cdn_hybrid_get_totals(now).impact_energy;
    NEAR(taken - before, impacts[k].loss, 1e-11); /* of 0.5 m v du = 0.04 kg 15 m/s 2e-11 m/s */
    before = taken;
  }
  /* they go on, ever faster, and end at rest on the guide, where both slide */
  while (!cdn_one_sided_is_on(now, (cdn_one_sided){ 0 }) || !cdn_one_sided_is_on(now, (cdn_one_sided){ 1 }))
    ck_assert(run_to_event(run, "touches", 0.003));
  const double *u = cdn_state_u(now);
  NEAR(cdn_state_time(now), 0.0026925481074, 1e-12);
  /* the reference takes the pose after the eighth impact for that of all others: 2e-9 s of 100 rad/s */
  NEAR(u[0], 108.96197, 5e-5);
  NEAR(u[0] + u[1], -51.83863, 5e-5);
  NEAR(u[0] + u[1] + u[2], 0, 1e-10);
  end_event_run(run, state);
}
END_TEST

/* ---- three rods on pins with friction ---- */

/* Angles from the downward vertical. */
static cdn_state *three_rods(const double angle[3], const double omega[3], cdn_constraint pin[3]) {
  const double l = 0.5;
  cdn_system *system = cdn_system_create(NULL);
  cdn_body rod[3];
  double q[9], u[9], x = 0, y = 0, vx = 0, vy = 0;
  for (int i = 0; i < 3; i++) {
    rod[i] = add_planar(system, NULL, 1, l * l / 12);
    cdn_dry_friction_def f = cdn_default_dry_friction_def();
    f.reaction = pin[i] = cdn_system_constrain_ball(system, NULL, i ? rod[i - 1] : cdn_ground(),
                                                    cdn_v3(0, i ? -l / 2 : 0, 0), rod[i], cdn_v3(0, l / 2, 0));
    cdn_function *difference = cdn_function_linear(i ? 2 : 1, i ? (double[]){ -1, 1 } : (double[]){ 1 }, 0);
    const cdn_mobility speeds[] = { { i ? rod[i - 1] : rod[0], 0 }, { rod[i], 0 } };
    f.slip = cdn_system_couple_speeds(system, NULL, difference, speeds, i ? 2 : 1, NULL, 0);
    cdn_function_release(difference);
    f.mu_dynamic = 0.01;
    cdn_system_add_dry_friction(system, &f);
    for (int half = 0; half < 2; half++) { /* to the middle, to the end */
      x += l / 2 * sin(angle[i]), y -= l / 2 * cos(angle[i]);
      vx += l / 2 * cos(angle[i]) * omega[i], vy += l / 2 * sin(angle[i]) * omega[i];
      if (half) continue;
      q[3 * i] = angle[i], q[3 * i + 1] = x, q[3 * i + 2] = y;
      u[3 * i] = omega[i], u[3 * i + 1] = vx, u[3 * i + 2] = vy;
    }
  }
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  return hybrid_state(system, q, u);
}

START_TEST(three_rods_rub_on_their_pins) {
  static const double angle[] = { 0.9491474225168051, 0.8160170632976749, 0.8890239218881726 };
  static const double omega[] = { -2.0595432564259353, -2.0595432564259353, -6.60442885966385 };
  static const double reactions[] = { 34.104582745706175, 27.33933373935518, 19.49216289064082 };
  cdn_constraint pin[3];
  cdn_state *state = three_rods((double[]){ 1, 0.9, 1.1 }, (double[]){ -1, -3, -6 }, pin);
  cdn_stepper *run = event_run(state, 1e-10);
  const cdn_state *now = cdn_stepper_state(run);
  ck_assert(run_to_event(run, "sticks", 1));
  NEAR(cdn_state_time(now), 0.033304914191374435, 1e-9);
  for (int i = 0; i < 3; i++) {
    NEAR(cdn_state_q(now)[3 * i], angle[i], 1e-9);
    NEAR(cdn_state_u(now)[3 * i], omega[i], 1e-9);
  }
  check_verdict(run);
  end_event_run(run, state);
  /* the reactions just before the second pin turns back */
  state = three_rods(angle, (double[]){ omega[0], omega[1] - 1e-8, omega[2] }, pin);
  OK_ON(state, cdn_settle(state, 0));
  for (int i = 0; i < 3; i++) {
    const double *lambda = cdn_state_multipliers(state);
    lambda += cdn_constraint_get_equations(cdn_state_system(state), pin[i]).row;
    NEAR(sqrt(lambda[0] * lambda[0] + lambda[1] * lambda[1]), reactions[i], 1e-6);
  }
  cdn_state_destroy(state);
}
END_TEST

/* ---- a rope ---- */

typedef struct taut {
  double angle, t, speed, loss, t_slack, speed_slack, t_again, x_again, y_again, loss_again;
  double before, impulse, slack; /* the speed, the rope's impulse; the angle where it goes slack */
} taut;

static const taut ropes[] = {
  { 0.5, 0.541504043489723606, 4.66185430150273028, 3.24305083690194041, 1.43740036552109203, 1.59409241966683707,
    2.0776218478097912, -1.3012219584788017, -0.746204673512965654, 2.21444550469217771, 5.31215466663418885,
    2.54678261219992642, -1.74435618937797917 },
  { 0.2, 0.348583267045705477, 3.35143748243306362, 0.230771805970016049, 1.38328472484277027, 1.33981277216366066,
    1.92550938516527554, -1.40017280271813352, -0.538067024197215362, 0.817257912360115179, 3.4196018497183709,
    0.679370011069102239, -1.69309199346280352 },
};

START_TEST(a_rope_goes_taut_and_slack) {
  const taut *x = &ropes[_i];
  const double L = 1.5;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body b = add_point(system, "weight", 1);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  cdn_one_sided_def rope = cdn_default_one_sided_def();
  rope.constraint = cdn_system_constrain_rod(system, "rope", cdn_ground(), cdn_v3(0, 0, 0), b, cdn_v3(0, 0, 0), L);
  rope.upper = true;
  const cdn_one_sided id = cdn_system_make_one_sided(system, &rope);
  cdn_state *state = hybrid_state(system, (double[]){ L * cos(x->angle), L * sin(x->angle), 0 }, NULL);
  cdn_stepper *run = event_run(state, 1e-10);
  cdn_state *now = cdn_stepper_state(run);
  ck_assert(run_to_event(run, "touches", 3));
  NEAR(cdn_state_time(now), x->t, 1e-9);
  NEAR(hypot(cdn_state_u(now)[0], cdn_state_u(now)[1]), x->speed, 1e-9);
  NEAR(cdn_hybrid_get_totals(now).impact_energy, x->loss, 1e-9);
  const cdn_hybrid_change change = cdn_one_sided_get_change(now, id);
  NEAR(change.impulse[0], x->impulse, 1e-9);
  NEAR(hypot(hypot(cdn_state_u(now)[0], cdn_state_u(now)[1]), change.impulse[0]), x->before, 1e-9);
  ck_assert(cdn_one_sided_is_on(now, id));
  ck_assert(run_to_event(run, "lets go", 3));
  NEAR(atan2(cdn_state_q(now)[0], -cdn_state_q(now)[1]), x->slack, 1e-8); /* from straight down */
  NEAR(cdn_state_time(now), x->t_slack, 1e-8);
  NEAR(hypot(cdn_state_u(now)[0], cdn_state_u(now)[1]), x->speed_slack, 1e-8);
  ck_assert(run_to_event(run, "touches", 3));
  NEAR(cdn_state_time(now), x->t_again, 1e-8);
  NEAR(cdn_state_q(now)[0], x->x_again, 1e-8);
  NEAR(cdn_state_q(now)[1], x->y_again, 1e-8);
  NEAR(cdn_hybrid_get_totals(now).impact_energy, x->loss + x->loss_again, 1e-8);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* The rope is off at first: methods that solve for multipliers take only those that are on. */
START_TEST(every_method_meets_a_rope) {
  static const cdn_method methods[] = { CDN_METHOD_DORMAND_PRINCE, CDN_METHOD_ADAMS, CDN_METHOD_CVODE_BDF,
                                        CDN_METHOD_IDA };
  const taut *x = &ropes[0];
  const problem *p = find_problem("rigid-rope");
  cdn_state *state = p->start(p);
  cdn_stepper *run = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = methods[_i], def.accuracy = 1e-6, def.return_on_events = true;
  const cdn_status status = cdn_stepper_create(state, &def, &run);
  if (status == CDN_ERR_UNSUPPORTED) SKIP("no method %s", cdn_method_name(methods[_i]));
  OK_ON(state, status);
  const cdn_state *now = cdn_stepper_state(run);
  ck_assert(run_to_event(run, "touches", 3));
  NEAR(cdn_state_time(now), x->t, 1e-5);
  ck_assert(run_to_event(run, "lets go", 3));
  NEAR(cdn_state_time(now), x->t_slack, 1e-5);
  /* it parts so slowly that its rounding may touch once more */
  do ck_assert(run_to_event(run, "touches", 3));
  while (cdn_state_time(now) < x->t_slack + 1e-3);
  NEAR(cdn_state_time(now), x->t_again, 1e-5);
  NEAR(cdn_hybrid_get_totals(now).impact_energy, x->loss + x->loss_again, 1e-5);
  end_event_run(run, state);
}
END_TEST

/* ---- capture at a speed that is given ---- */

START_TEST(a_ball_is_captured_at_a_given_speed) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body ball = add_point(system, "ball", 1);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.b = ball, c.restitution = 0.5, c.capture_speed = 1e-3;
  cdn_system_add_rigid_contact(system, &c);
  cdn_state *state = hybrid_state(system, (double[]){ 0, 0, 1 }, NULL);
  cdn_stepper *run = event_run(state, 1e-10);
  const cdn_state *now = cdn_stepper_state(run);
  int impacts = 0;
  for (; !cdn_one_sided_is_on(now, (cdn_one_sided){ 0 }); impacts++) ck_assert(run_to_event(run, "touches", 2));
  ck_assert_int_eq(impacts, 14);
  NEAR(cdn_state_time(now), 1.3544606876932801814, 1e-9);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* ---- a rocking block needs friction to strike as Housner's does; one that is wide stops ---- */

/* A block that lands on its right corner while it leaves its left one. Returns the speed of rotation afterwards over
 * that before; *slip: the speed of the right corner. */
static double landing(double b, double h, double mu, double *slip) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body block = add_planar(system, "block", 1, (b * b + h * h) / 3);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  for (int i = 0; i < 2; i++) {
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    c.b = block, c.p_B = cdn_v3(i ? b : -b, -h, 0), c.mu_dynamic = mu;
    c.X_AP = facing(cdn_v3(0, 1, 0), cdn_v3(0, 0, 0));
    cdn_system_add_rigid_contact(system, &c);
  }
  /* it turns about the left corner */
  cdn_state *state = hybrid_state(system, (double[]){ 0, 0, h }, (double[]){ -1, h, -b });
  OK_ON(state, cdn_settle(state, 0));
  const double *u = cdn_state_u(state), after = -u[0];
  *slip = u[1] + h * u[0];
  cdn_state_destroy(state);
  return after;
}

START_TEST(a_block_needs_friction_to_rock) {
  const double ratio = 0.87614678899082568807, needed = 0.22004889975550122249;
  double slip;
  NEAR(landing(0.15, 0.5, needed + 1e-6, &slip), ratio, 1e-13);
  NEAR(slip, 0, 1e-14);
  landing(0.15, 0.5, needed - 1e-6, &slip);
  ck_assert(fabs(slip) > 1e-7);
  /* b / h of the square root of 2 and more: it stays */
  NEAR(landing(sqrt(2.) * 0.5 + 1e-9, 0.5, 10, &slip), 0, 1e-14);
  ck_assert(landing(sqrt(2.) * 0.5 - 1e-3, 0.5, 10, &slip) > 1e-4);
}
END_TEST

/* ---- a ball on a slope rolls where the slope is at most 7/2 mu ---- */

static cdn_friction_status ball_on_slope(double tangent) {
  const double r = 0.1, J = 0.4 * r * r, slope = atan(tangent);
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.name = "ball", d.mobilizer = CDN_FREE, d.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { J, J, J, 0, 0, 0 } };
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.b = cdn_system_add_body(system, &d), c.radius = r, c.mu_dynamic = 0.25;
  cdn_system_add_gravity(system, "gravity", cdn_v3(g * sin(slope), 0, -g * cos(slope)));
  const cdn_rigid_contact contact = cdn_system_add_rigid_contact(system, &c);
  cdn_state *state = hybrid_state(system, (double[]){ 1, 0, 0, 0, 0, 0, r }, NULL);
  OK_ON(state, cdn_settle(state, 0));
  const cdn_friction_status status = cdn_dry_friction_get_status(state, contact.friction);
  cdn_state_destroy(state);
  return status;
}

START_TEST(a_ball_rolls_down_a_slope) {
  ck_assert_int_eq(ball_on_slope(0.875 - 1e-9), CDN_FRICTION_STICK);
  ck_assert_int_eq(ball_on_slope(0.875 + 1e-9), CDN_FRICTION_SLIP);
}
END_TEST

static void add(TCase *c) {
  tcase_add_test(c, a_slider_hammers_in_its_guide);
  tcase_add_test(c, three_rods_rub_on_their_pins);
  tcase_add_loop_test(c, a_rope_goes_taut_and_slack, 0, 2);
  tcase_add_loop_test(c, every_method_meets_a_rope, 0, 4);
  tcase_add_test(c, a_ball_is_captured_at_a_given_speed);
  tcase_add_test(c, a_block_needs_friction_to_rock);
  tcase_add_test(c, a_ball_rolls_down_a_slope);
}

CHECK_MAIN_OF("hybrid machines", 60, add)
