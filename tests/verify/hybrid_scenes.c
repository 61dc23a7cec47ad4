/* shared by tests in this folder */
#include "hybrid_scenes.h"

cdn_body add_slider(cdn_system *system, const char *name, double m) {
  cdn_body_def d = cdn_default_body_def();
  d.name = name, d.mobilizer = CDN_SLIDER, d.mass.mass = m;
  return cdn_system_add_body(system, &d);
}

cdn_body add_planar(cdn_system *system, const char *name, double m, double J) {
  cdn_body_def d = cdn_default_body_def();
  d.name = name, d.mobilizer = CDN_PLANAR;
  d.mass = (cdn_mass_properties){ m, { 0, 0, 0 }, { J, J, J, 0, 0, 0 } };
  return cdn_system_add_body(system, &d);
}

cdn_body add_point(cdn_system *system, const char *name, double m) {
  cdn_body_def d = cdn_default_body_def();
  d.name = name, d.mobilizer = CDN_TRANSLATION, d.mass.mass = m;
  return cdn_system_add_body(system, &d);
}

cdn_body add_shaking_table(cdn_system *system, double A, double w) {
  cdn_body_def d = cdn_default_body_def();
  d.name = "table", d.mobilizer = CDN_SLIDER, d.mass.mass = 1;
  d.X_PF.R = d.X_BM.R = (cdn_rotation){ { 0, 0, 1 }, { 1, 0, 0 }, { 0, 1, 0 } };
  const cdn_body table = cdn_system_add_body(system, &d);
  cdn_motion_def shake = cdn_default_motion_def();
  shake.body = table, shake.kind = CDN_MOTION_SINUSOID, shake.params[0] = A, shake.params[1] = w;
  cdn_system_add_motion(system, &shake);
  return table;
}

cdn_transform facing(cdn_vec3 n, cdn_vec3 p) {
  const cdn_vec3 x = cdn_v3(n.y, -n.x, 0);
  return (cdn_transform){ { x, cdn_cross(n, x), n }, p };
}

cdn_model *rigid_example(const char *name, cdn_state **state) {
  cdn_model_options options = cdn_default_model_options();
  cdn_model *model = NULL;
  char path[1024];
  options.contact = CDN_MODEL_RIGID;
  snprintf(path, sizeof path, "%s/examples/models/%s.xml", getenv("CARDAN_SOURCE_ROOT"), name);
  OK(cdn_model_load(path, &options, &model));
  OK(cdn_state_create(cdn_model_system(model), state));
  return model;
}

cdn_state *hybrid_state(cdn_system *system, const double *q, const double *u) {
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  if (q) OK_ON(state, cdn_state_set_q(state, q));
  if (u) OK_ON(state, cdn_state_set_u(state, u));
  return state;
}

cdn_dry_friction add_belt(cdn_system *system, const char *name, cdn_body slider, double speed, double N,
                          double mu_static, double mu_dynamic) {
  cdn_dry_friction_def f = cdn_default_dry_friction_def();
  f.slip = cdn_system_constrain_speed(system, name, slider, 0, speed);
  f.load = N, f.mu_static = mu_static, f.mu_dynamic = mu_dynamic;
  return cdn_system_add_dry_friction(system, &f);
}

cdn_stepper *event_run(cdn_state *state, double accuracy) {
  cdn_stepper *run = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = accuracy, def.companion = true, def.return_on_events = true;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  return run;
}

bool run_to_event(cdn_stepper *run, const char *what, double t) {
  cdn_return_reason reason = CDN_HANDLED_EVENT;
  while (reason == CDN_HANDLED_EVENT) {
    OK_STEP(run, cdn_stepper_advance(run, t, &reason));
    for (int i = 0; i < cdn_stepper_occurrence_count(run) && reason == CDN_HANDLED_EVENT; i++)
      if (strstr(cdn_stepper_occurrence(run, i)->name, what)) return true;
  }
  return false;
}

void check_verdict(cdn_stepper *run) {
  cdn_certificate c;
  OK_STEP(run, cdn_stepper_certificate(run, &c));
  ck_assert_msg(c.delivered != CDN_VERDICT_NOT_DELIVERED, "asked %g, off by %g (%s at t = %g s) %s", c.accuracy,
                c.error_estimate, c.error_slot, c.error_time, c.event_alone);
}

void end_event_run(cdn_stepper *run, cdn_state *state) {
  cdn_stepper_destroy(run);
  cdn_state_destroy(state);
}

double bouncing_height(double g, double h, double e, double t) {
  const double first = sqrt(2 * h / g);
  double speed = g * first, at = first;
  if (t < first) return h - g / 2 * t * t;
  for (;;) {
    speed *= e;
    if (speed < 1e-9) return 0;
    if (t < at + 2 * speed / g) return speed * (t - at) - g / 2 * (t - at) * (t - at);
    at += 2 * speed / g;
  }
}

void check_inverse(cdn_state *state) {
  enum { MOST = 32 };
  const int nu = cdn_system_nu(cdn_state_system(state));
  const bool nobody[MOST] = { false };
  double at[MOST], other[MOST], f[MOST], push[MOST] = { 0 }, none[MOST] = { 0 }, unbalanced, size = 1;
  ck_assert_int_le(nu, MOST);
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  memcpy(at, cdn_state_udot(state), (size_t)nu * sizeof *at);
  OK_ON(state, cdn_constrained_inverse_dynamics(state, at, nobody, f, NULL, &unbalanced));
  AT_MOST(unbalanced, 1e-10);
  for (int k = 0; k < nu; k++) push[k] = 0.05 * (k % 2 ? 1 - k : 1 + k);
  OK_ON(state, cdn_state_set_applied_mobility_forces(state, push));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  memcpy(other, cdn_state_udot(state), (size_t)nu * sizeof *other);
  OK_ON(state, cdn_state_set_applied_mobility_forces(state, none));
  OK_ON(state, cdn_constrained_inverse_dynamics(state, other, NULL, f, NULL, NULL));
  OK_ON(state, cdn_state_set_applied_mobility_forces(state, f));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  for (int k = 0; k < nu; k++) size = fmax(size, fabs(other[k]));
  for (int k = 0; k < nu; k++) NEAR(cdn_state_udot(state)[k], other[k], 1e-10 * size);
  OK_ON(state, cdn_state_set_applied_mobility_forces(state, none));
}

void check_swings_of_pin(cdn_state *state, cdn_dry_friction bearing) {
  static const double turns[][2] = {
    { 0.8898835255106088, -1.0626444476579886 }, { 1.7633067883607196, 0.9387340148276384 },
    { 2.623945831213008, -0.8251872302482391 },  { 3.474487919488171, 0.719782093728134 },
    { 4.316977771134595, -0.6208450490107082 },  { 5.1530243094795605, 0.5270693470024216 },
    { 5.983931941722107, -0.4374017825544366 },  { 6.8107881900290685, 0.3509682059419123 },
    { 7.634524838196612, -0.26702219118582177 }, { 8.455962462935034, 0.18490804792935786 },
    { 9.275844353685834, -0.10403290216401327 },
  };
  cdn_stepper *run = event_run(state, 1e-10);
  const cdn_state *now = cdn_stepper_state(run);
  for (int k = 0; k < (int)(sizeof turns / sizeof *turns); k++) {
    ck_assert(run_to_event(run, "sticks", 20));
    NEAR(cdn_state_time(now), turns[k][0], 1e-8);
    NEAR(cdn_state_q(now)[0], turns[k][1], 1e-8);
  }
  ck_assert(run_to_event(run, "sticks", 20));
  NEAR(cdn_state_time(now), 10.094863684153857, 1e-8);
  NEAR(cdn_state_q(now)[0], 0.02384450014656613, 1e-8);
  ck_assert_int_eq(cdn_dry_friction_get_status(now, bearing), CDN_FRICTION_STICK);
  ck_assert(!run_to_event(run, "s", 20));
  NEAR(cdn_state_q(now)[0], 0.02384450014656613, 1e-8);
  check_verdict(run);
  end_event_run(run, state);
}
