/* Impact and lift-off of rigid contact. Reference values are closed forms, quadratures and maps with 30
 * digits (../shared/hybrid/reference_values.json), digits as printed there. */
#include "hybrid_scenes.h"

static const double g = 9.81;

/* ---- a ball on a floor ---- */

static cdn_rigid_contact floor_under(cdn_system *system, cdn_body a, cdn_body b, double e) {
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.a = a, c.b = b, c.restitution = e, c.name = "floor";
  return cdn_system_add_rigid_contact(system, &c);
}

START_TEST(a_ball_bounces_and_rests) {
  static const double times[] = { 0.45152364098573090445, 0.9030472819714618089, 1.1288091024643272611,
                                  1.2416900127107599872,  1.2981304678339763503, 1.3263506953955845318,
                                  1.3404608091763886226,  1.347515866066790668 };
  static const double speeds[] = { 4.4294469180700201727,   2.2147234590350100863,  1.1073617295175050432,
                                   0.55368086475875252158,  0.27684043237937626079, 0.1384202161896881304,
                                   0.069210108094844065198, 0.034605054047422032599 };
  static const double losses[] = { 7.3575,         1.839375,         0.45984375,         0.1149609375,
                                   0.028740234375, 0.00718505859375, 0.0017962646484375, 0.000449066162109375 };
  static const double accuracies[] = { 1e-3, 3e-5, 1e-6, 2e-8, 1e-10 };
  const double accuracy = accuracies[_i];
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body ball = add_point(system, "ball", 1);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  const cdn_rigid_contact contact = floor_under(system, cdn_ground(), ball, 0.5);
  cdn_state *state = hybrid_state(system, (double[]){ 0, 0, 1 }, NULL);
  cdn_stepper *run = event_run(state, accuracy);
  const cdn_state *now = cdn_stepper_state(run);
  for (int k = 0; k < 8; k++) {
    ck_assert(run_to_event(run, "touches", 2));
    NEAR(cdn_state_time(now), times[k], 3 * accuracy);
    NEAR(cdn_state_u(now)[2], 0.5 * speeds[k], 3 * accuracy);
    NEAR(cdn_one_sided_get_change(now, contact.normal).energy, losses[k], 10 * accuracy * speeds[k]);
    ck_assert(!cdn_one_sided_is_on(now, contact.normal));
  }
  while (!cdn_one_sided_is_on(now, contact.normal)) ck_assert(run_to_event(run, "touches", 2));
  /* the bounces that are slower than the accuracy, or lower than rounding, have one flight in their place: rest comes
   * at their limit */
  NEAR(cdn_state_time(now), 1.3545709229571927134, fmax(1e-3 * accuracy, 1e-12));
  ck_assert(!run_to_event(run, "touches", 2));
  double push;
  OK_ON(state, cdn_one_sided_push((cdn_state *)now, contact.normal, &push));
  NEAR(push, g, 1e-13 * g);
  NEAR(cdn_state_q(now)[2], 0, 1e-12);
  const cdn_hybrid_totals totals = cdn_hybrid_get_totals(now);
  NEAR(totals.impact_energy, g, 1e-9 * g); /* all of it: 1 kg from 1 m */
  ck_assert_int_eq((int)totals.captures, 1);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

START_TEST(a_ball_rests_on_a_shaking_table_and_leaves_it) {
  static const double impacts[][2] = {
    { 0.1644606325916044, 1.053592896915441 },    { 0.1891199158063923, 0.2859851802803527 },
    { 0.1982950832866451, 0.07906007055687542 },  { 0.2014197582422962, 0.02287554008514321 },
    { 0.2024053190102452, 0.00677746348621565 },  { 0.2027059295044177, 0.002025278878861802 },
    { 0.202796576649741, 0.0006068589788541716 }, { 0.2028238130980752, 0.0001819922455033944 },
  };
  const double accuracy = 1e-8, A = 0.02, w = 30, e = 0.3, period = 0.2094395102393195;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body table = add_shaking_table(system, A, w), ball = add_point(system, "ball", 1);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  floor_under(system, table, ball, e);
  cdn_state *state = hybrid_state(system, NULL, (double[]){ A * w, 0, 0, A * w });
  cdn_stepper *run = event_run(state, accuracy);
  const cdn_state *now = cdn_stepper_state(run);
  for (int round = 0; round < 3; round++) {
    const double since = round * period;
    ck_assert(run_to_event(run, "lets go", 1));
    NEAR(cdn_state_time(now), 0.01921297049120657 + since, 1e-8);
    for (int k = 0; k < 8; k++) {
      ck_assert(run_to_event(run, "touches", 1));
      NEAR(cdn_state_time(now), impacts[k][0] + since, 1e-8);
      NEAR(cdn_state_u(now)[3] - cdn_state_u(now)[0], e * impacts[k][1], 1e-7);
    }
    while (!cdn_one_sided_is_on(now, (cdn_one_sided){ 0 })) ck_assert(run_to_event(run, "touches", 1));
    NEAR(cdn_state_time(now), 0.2028354918629 + since, 1e-8);
  }
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* ---- Housner's block, which rocks to rest ---- */

START_TEST(a_block_rocks_to_rest) {
  static const double times[] = { 0.41812787608242916193, 1.0105700550112734509, 1.4791586394851988115,
                                  1.8650126047623517669,  2.1894358388721589953, 2.4656392968617858736 };
  static const double before[] = { 0.99873910413135656844, 0.87504205912426194758, 0.76666529033364234856,
                                   0.67171133235653985585, 0.58851772697293170857, 0.51562791675151356118 };
  static const double amplitudes[] = { 0.1179735158876867471,   0.084582182436602442818, 0.062186485122523703317,
                                       0.046357264167194717637, 0.034855406532993269485, -1 };
  const double b = 0.15, h = 0.5, lean = 0.1748740766867202552, ratio = 0.87614678899082568807;
  /* lean is 0.6 of the angle at which it would fall; on one corner it swings with J p^2 = m g R, J = 4/3 m R^2 */
  NEAR(lean, 0.6 * 0.291456794477867092, 1e-16);
  NEAR(atan(b / h), 0.291456794477867092, 1e-16);
  NEAR(hypot(b, h), 0.52201532544552750899, 2e-16);
  NEAR(sqrt(g / (4. / 3 * hypot(b, h))), 3.7542527601413896733, 1e-15);
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body block = add_planar(system, "block", 1, (b * b + h * h) / 3);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -g, 0));
  for (int i = 0; i < 2; i++) {
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    c.name = i ? "right" : "left", c.b = block, c.p_B = cdn_v3(i ? b : -b, -h, 0), c.mu_dynamic = 2;
    c.X_AP = facing(cdn_v3(0, 1, 0), cdn_v3(0, 0, 0));
    cdn_system_add_rigid_contact(system, &c);
  }
  const double q[] = { -lean, b - b * cos(lean) + h * sin(lean), b * sin(lean) + h * cos(lean) };
  cdn_state *state = hybrid_state(system, q, NULL);
  cdn_stepper *run = event_run(state, 1e-8);
  const cdn_state *now = cdn_stepper_state(run);
  for (int k = 0; k < 6; k++) {
    ck_assert(run_to_event(run, "touches", 6));
    NEAR(cdn_state_time(now), times[k], 1e-8);
    NEAR(fabs(cdn_state_u(now)[0]), ratio * before[k], 1e-8);
    if (k == 5) break;
    /* half way to the next impact it turns back */
    ck_assert(!run_to_event(run, "touches", 0.5 * (times[k] + times[k + 1])));
    NEAR(fabs(cdn_state_q(now)[0]), amplitudes[k], 1e-8);
    NEAR(cdn_state_u(now)[0], 0, 1e-7);
  }
  while (!cdn_one_sided_is_on(now, (cdn_one_sided){ 0 }) || !cdn_one_sided_is_on(now, (cdn_one_sided){ 1 }))
    ck_assert(run_to_event(run, "touches", 6));
  NEAR(cdn_state_time(now), 4.308047091692417, 1e-8);
  ck_assert(!run_to_event(run, "touches", 6));
  NEAR(cdn_state_q(now)[0], 0, 1e-12);
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* ---- pushes of a table on four legs ---- */

START_TEST(four_legs_push_as_little_as_they_can) {
  static const double load[][2] = { { 0.7, 0.6 }, { 0.2, 0.3 } };
  static const double pushes[][4] = { { 65, 15, 0, 20 }, { 37.5, 27.5, 12.5, 22.5 } };
  static const double leg[][2] = { { 1, 1 }, { -1, 1 }, { -1, -1 }, { 1, -1 } };
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.name = "table", d.mobilizer = CDN_FREE;
  d.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { 1, 1, 1, 0, 0, 0 } };
  const cdn_body table = cdn_system_add_body(system, &d);
  cdn_system_add_body_force(system, "load", table, cdn_v3(load[_i][0], load[_i][1], 0), cdn_v3(0, 0, -100),
                            cdn_v3(0, 0, 0));
  for (int i = 0; i < 4; i++) {
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    c.b = table, c.p_B = cdn_v3(leg[i][0], leg[i][1], 0);
    cdn_system_add_rigid_contact(system, &c);
  }
  cdn_state *state = hybrid_state(system, NULL, NULL);
  OK_ON(state, cdn_settle(state, 0));
  for (int i = 0; i < 4; i++) {
    double push;
    OK_ON(state, cdn_one_sided_push(state, (cdn_one_sided){ i }, &push));
    NEAR(push, pushes[_i][i], 1e-11);
  }
  cdn_state_destroy(state);
}
END_TEST

/* ---- Newton's cradle ---- */

START_TEST(a_cradle_strikes_as_its_rule_says) {
  static const double three[2][3] = { { -1. / 3, 2. / 3, 2. / 3 }, { 0, 0.5, 0.5 } };
  static const double five[2][5] = { { -0.6, 0.4, 0.4, 0.4, 0.4 }, { -0.2, 0.3, 0.3, 0.3, 0.3 } };
  const int n = _i & 1 ? 5 : 3, half = _i >> 1 & 1;
  const double *wanted = n == 5 ? five[half] : three[half];
  cdn_system *system = cdn_system_create(NULL);
  cdn_body ball[5];
  double u[5] = { 1 };
  for (int i = 0; i < n; i++) ball[i] = add_slider(system, NULL, 1);
  for (int i = 0; i + 1 < n; i++) {
    cdn_one_sided_def touch = cdn_default_one_sided_def();
    cdn_function *gap = cdn_function_linear(2, (double[]){ -1, 1 }, 0);
    touch.constraint =
        cdn_system_couple_coordinates(system, NULL, gap, 2, (cdn_mobility[]){ { ball[i], 0 }, { ball[i + 1], 0 } });
    touch.restitution = half ? 0.5 : 1;
    cdn_system_make_one_sided(system, &touch);
    cdn_function_release(gap);
  }
  cdn_impact_def impact = cdn_default_impact_def();
  impact.law = _i >> 2 ? CDN_IMPACT_NEWTON : CDN_IMPACT_POISSON;
  cdn_system_set_impact(system, &impact);
  cdn_state *state = hybrid_state(system, NULL, u);
  OK_ON(state, cdn_settle(state, 0));
  for (int i = 0; i < n; i++) NEAR(cdn_state_u(state)[i], wanted[i], 1e-14);
  cdn_state_destroy(state);
}
END_TEST

/* ---- many States: each bounces at times of its own ---- */

START_TEST(an_ensemble_bounces_as_single_runs_do) {
  enum { STATES = 6 };
  double q[3 * STATES], u[3 * STATES] = { 0 }, end[3 * STATES];
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body ball = add_point(system, "ball", 1);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.b = ball, c.restitution = 0.5, c.mu_dynamic = 0.2;
  cdn_system_add_rigid_contact(system, &c);
  cdn_state *state = hybrid_state(system, NULL, NULL);
  for (int i = 0; i < STATES; i++) q[3 * i] = q[3 * i + 1] = 0, q[3 * i + 2] = 0.5 + 0.1 * i, u[3 * i] = 1;
  cdn_ensemble_def def = cdn_default_ensemble_def();
  def.count = STATES, def.accuracy = 1e-8;
  cdn_ensemble *ensemble = NULL;
  OK_ON(state, cdn_ensemble_create(state, &def, &ensemble));
  OK(cdn_ensemble_set(ensemble, CDN_POOL_Q, q, 3));
  OK(cdn_ensemble_set(ensemble, CDN_POOL_U, u, 3));
  OK(cdn_ensemble_advance_to(ensemble, 2));
  OK(cdn_ensemble_get(ensemble, CDN_POOL_Q, end, 3));
  for (int i = 0; i < STATES; i++) {
    OK_ON(state, cdn_state_set_q(state, q + 3 * i));
    OK_ON(state, cdn_state_set_u(state, u + 3 * i));
    cdn_stepper *run = NULL;
    cdn_stepper_def alone = cdn_default_stepper_def();
    alone.accuracy = 1e-8;
    OK_ON(state, cdn_stepper_create(state, &alone, &run));
    OK_STEP(run, cdn_stepper_advance(run, 2, NULL));
    for (int k = 0; k < 3; k++) NEAR(end[3 * i + k], cdn_state_q(cdn_stepper_state(run))[k], 1e-13);
    cdn_stepper_destroy(run);
  }
  cdn_ensemble_destroy(ensemble);
  cdn_state_destroy(state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, a_ball_bounces_and_rests, 0, 5);
  tcase_add_test(c, a_ball_rests_on_a_shaking_table_and_leaves_it);
  tcase_add_test(c, a_block_rocks_to_rest);
  tcase_add_loop_test(c, a_cradle_strikes_as_its_rule_says, 0, 8);
  tcase_add_test(c, an_ensemble_bounces_as_single_runs_do);
  tcase_add_loop_test(c, four_legs_push_as_little_as_they_can, 0, 2);
}

CHECK_MAIN_OF("hybrid impacts", 60, add)
