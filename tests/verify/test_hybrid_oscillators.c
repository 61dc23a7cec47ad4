/* Impact oscillators: a mass that strikes a stop, a ball on a table that moves. Reference values are closed forms, or
 * maps with 30 digits (../shared/hybrid/reference_values.json). */
#include "hybrid_scenes.h"
#include "problem.h"

static const double g = 9.81;

/* ---- a driven mass on a spring, whose coordinate must not exceed a stop (Shaw and Holmes) ---- */

typedef struct oscillator {
  double omega, zeta, stop, e;
  double phase_time, impact_speed, loss; /* of the period-one orbit; loss in a period */
  double product, sum;                   /* of its multipliers */
  double amplitude;                      /* without a stop */
} oscillator;

static const oscillator oscillators[] = {
  { 2.8, 0, 0, 0.8, 1.0926345564090809343, 0.33617726997567011916, 0.020342728232693026948,
    2.95809506699 * 0.216355453596, -2.95809506699 - 0.216355453596, 0.14619883040935672515 },
  { 2.2, 0.05, 0.1, 0.7, 1.2136550002360066546, 1.1193984560056302017, 0.31952849034348614759,
    0.395418457068 * 0.395418457068 + 0.460337320341 * 0.460337320341, 2 * 0.395418457068, 0.25999032853966414093 },
};

typedef struct cosine {
  double w, phase;
} cosine;

static cdn_status calc_cosine(const void *self, const double *t, int order, cdn_function_result *out) {
  const cosine *c = self;
  const double w = c->w, at = w * t[0] + c->phase;
  out->value = cos(at);
  if (order >= 1) out->d1[0] = -w * sin(at);
  if (order >= 2) out->d2[0] = -w * w * cos(at);
  return CDN_OK;
}

/* A force cos(w t + phase) on a slider. */
static void drive(cdn_system *system, cdn_body slider, cosine by) {
  const cdn_function_ops ops = {
    .struct_size = sizeof ops, .name = "cosine", .self_size = sizeof by, .n_inputs = 1, .calc = calc_cosine
  };
  cdn_control_def wave = cdn_default_control_def();
  wave.name = "force", wave.unit = "N";
  const cdn_control control = cdn_system_add_control(system, &wave);
  cdn_function *function = cdn_function_create(&ops, &by);
  cdn_control_follow_function(system, control, function);
  cdn_function_release(function);
  cdn_actuator_def force = cdn_default_actuator_def();
  force.body = slider, force.control = control;
  cdn_system_add_actuator(system, "force", &force);
}

static cdn_state *oscillator_state(const oscillator *o, double stop, double phase) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body mass = add_slider(system, "mass", 1);
  cdn_system_add_mobility_spring(system, "spring", mass, 0, 1, 0);
  if (o->zeta > 0) cdn_system_add_mobility_damper(system, "damper", mass, 0, 2 * o->zeta);
  drive(system, mass, (cosine){ o->omega, phase });
  cdn_one_sided_def side = cdn_default_one_sided_def();
  side.constraint = cdn_system_constrain_coordinate(system, "stop", mass, 0, stop);
  side.upper = true, side.restitution = o->e;
  cdn_system_make_one_sided(system, &side);
  return hybrid_state(system, NULL, NULL);
}

static void start_at(cdn_state *state, double t, double x, double v) {
  OK_ON(state, cdn_state_set_time(state, t));
  OK_ON(state, cdn_state_set_q(state, &x));
  OK_ON(state, cdn_state_set_u(state, &v));
}

START_TEST(an_oscillator_strikes_once_in_a_period) {
  const oscillator *o = &oscillators[_i];
  const double period = 2 * PI / o->omega, accuracy = 1e-10;
  cdn_state *state = oscillator_state(o, o->stop, 0);
  start_at(state, o->phase_time, o->stop, -o->e * o->impact_speed);
  cdn_stepper *run = event_run(state, accuracy);
  const cdn_state *now = cdn_stepper_state(run);
  ck_assert(run_to_event(run, "statuses", 20));
  for (int k = 1; k <= 4; k++) { /* errors of an unstable orbit grow 3 times in a period */
    const double grown = fmax(1, pow(3, k) * (_i == 0));
    ck_assert(run_to_event(run, "touches", 20));
    NEAR(cdn_state_time(now), o->phase_time + k * period, 10 * grown * accuracy);
    NEAR(cdn_state_u(now)[0], -o->e * o->impact_speed, 10 * grown * accuracy);
    NEAR(cdn_hybrid_get_totals(now).impact_energy, k * o->loss, 20 * grown * accuracy);
  }
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* The State a period later, from between two impacts. */
static void follow_period(cdn_state *state, double t, double period, double x[2]) {
  cdn_stepper *run = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-12;
  start_at(state, t, x[0], x[1]);
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  OK_STEP(run, cdn_stepper_advance(run, t + period, NULL));
  x[0] = cdn_state_q(cdn_stepper_state(run))[0], x[1] = cdn_state_u(cdn_stepper_state(run))[0];
  cdn_stepper_destroy(run);
}

/* Multipliers are those of the map over a period, whose derivative jumps at the impact: differences of runs. Their step
 * is 3e-5: truncation some 1e-7, errors of the runs 1e-12 / 3e-5. */
START_TEST(an_oscillator_has_its_multipliers) {
  const oscillator *o = &oscillators[_i];
  const double period = 2 * PI / o->omega, step = 3e-5;
  cdn_state *state = oscillator_state(o, o->stop, 0);
  double at[2] = { o->stop, -o->e * o->impact_speed }, D[2][2];
  follow_period(state, o->phase_time, period / 2, at);
  for (int k = 0; k < 2; k++) {
    double up[2] = { at[0], at[1] }, down[2] = { at[0], at[1] };
    up[k] += step, down[k] -= step;
    follow_period(state, o->phase_time + period / 2, period, up);
    follow_period(state, o->phase_time + period / 2, period, down);
    for (int i = 0; i < 2; i++) D[i][k] = (up[i] - down[i]) / (2 * step);
  }
  NEAR(D[0][0] + D[1][1], o->sum, 1e-6);
  NEAR(D[0][0] * D[1][1] - D[0][1] * D[1][0], o->product, 1e-6);
  cdn_state_destroy(state);
}
END_TEST

/* A stop that a free vibration comes close to: it is reached if it is 1e-9 within the amplitude, and not if it is 1e-9
 * beyond. */
START_TEST(a_stop_is_grazed_at_the_amplitude) {
  const oscillator *o = &oscillators[_i / 2];
  const double within = _i % 2 ? 1e-9 : -1e-9, k = 1 - o->omega * o->omega, c = 2 * o->zeta * o->omega;
  /* x = A cos(w t - pi), so that the first peak is half a period later */
  cdn_state *state = oscillator_state(o, o->amplitude * (1 - within), atan2(c, k) - PI);
  start_at(state, 0, -o->amplitude, 0);
  cdn_stepper *run = event_run(state, 1e-12);
  const cdn_state *now = cdn_stepper_state(run);
  ck_assert_int_eq(run_to_event(run, "touches", 20), within > 0);
  if (within > 0) { /* an error of 1e-11 of the value is a two-hundredth of what is left of it */
    NEAR(cdn_state_time(now), (PI - acos(1 - within)) / o->omega, 1e-2 * acos(1 - within) / o->omega);
    NEAR(cdn_state_u(now)[0], -o->e * o->amplitude * o->omega * sin(acos(1 - within)),
         1e-2 * o->amplitude * o->omega * sin(acos(1 - within)));
  }
  end_event_run(run, state);
}
END_TEST

/* ---- a ball that bounces on a table once in each of its periods ---- */

START_TEST(a_ball_bounces_with_the_table) {
  const double A = 0.02, w = 30, e = 0.3, phase = 0.3977454555952885, speed = 1.580462765729019, period = 2 * PI / w;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body table = add_shaking_table(system, A, w), ball = add_point(system, "ball", 1);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, 0, -g));
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.a = table, c.b = ball, c.restitution = e;
  cdn_system_add_rigid_contact(system, &c);
  const double height = A * sin(phase), table_speed = A * w * cos(phase);
  cdn_state *state = hybrid_state(system, (double[]){ height, 0, 0, height },
                                  (double[]){ table_speed, 0, 0, table_speed + e * speed });
  OK_ON(state, cdn_state_set_time(state, phase / w));
  cdn_stepper *run = event_run(state, 1e-10);
  const cdn_state *now = cdn_stepper_state(run);
  ck_assert(run_to_event(run, "statuses", 20));
  for (int k = 1; k <= 5; k++) {
    ck_assert(run_to_event(run, "touches", 20));
    NEAR(cdn_state_time(now), phase / w + k * period, 1e-8);
    NEAR(cdn_state_u(now)[3] - cdn_state_u(now)[0], e * speed, 1e-8);
  }
  check_verdict(run);
  end_event_run(run, state);
}
END_TEST

/* The table is prescribed: its place at a time has the rounding of time, by which a gap of zero comes and goes. */
START_TEST(a_ball_rests_at_the_finest_accuracy) {
  const problem *p = find_problem("rigid-table");
  cdn_state *state = p->start(p);
  cdn_stepper *run = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.method = CDN_METHOD_DORMAND_PRINCE, def.accuracy = 1e-13, def.final_time = p->end;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  OK_STEP(run, cdn_stepper_advance(run, p->end, NULL));
  end_event_run(run, state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, an_oscillator_strikes_once_in_a_period, 0, 2);
  tcase_add_loop_test(c, an_oscillator_has_its_multipliers, 0, 2);
  tcase_add_loop_test(c, a_stop_is_grazed_at_the_amplitude, 0, 4);
  tcase_add_test(c, a_ball_bounces_with_the_table);
  tcase_add_test(c, a_ball_rests_at_the_finest_accuracy);
}

CHECK_MAIN_OF("hybrid oscillators", 60, add)
