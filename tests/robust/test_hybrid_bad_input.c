/* One-sided elements, friction and impacts of bad input: sizes from nothing to 1e9, elements twice or against each
 * other, starts in penetration, numbers that are none. Every call succeeds with finite results, or fails with a
 * message, in bounded time. */
#include "../property/random_tree.h"

/* ---- numbers ---- */

static double one_of(rng *r, const double *values, int n) { return values[(int)uniform(r, 0, n) % n]; }
#define ONE_OF(r, ...) one_of((r), (double[]){ __VA_ARGS__ }, (int)(sizeof((double[]){ __VA_ARGS__ }) / sizeof(double)))

static double coefficient(rng *r) { return ONE_OF(r, 0, 0, 1e-12, 0.3, 1, 50, 1e9); }
static double place(rng *r) { return ONE_OF(r, 0, 0, 1, -1, 1e-9, -0.3, 0.5); }

static cdn_body add_body(cdn_system *system, rng *r, cdn_body parent) {
  static const cdn_mobilizer kinds[] = { CDN_FREE, CDN_TRANSLATION, CDN_PLANAR, CDN_PIN, CDN_SLIDER };
  cdn_body_def d = cdn_default_body_def();
  const double m = ONE_OF(r, 1, 1, 1e-6, 1e6), I = m * ONE_OF(r, 0.1, 1, 1e-4);
  d.mobilizer = kinds[(int)uniform(r, 0, 5) % 5], d.parent = parent;
  d.mass = (cdn_mass_properties){ m, { 0, 0, 0 }, { I, I, I, 0, 0, 0 } };
  d.X_PF.p = cdn_v3(place(r), place(r), place(r));
  return cdn_system_add_body(system, &d);
}

static void add_contact(cdn_system *system, rng *r, cdn_body body) {
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.b = body, c.p_B = cdn_v3(place(r), place(r), place(r)), c.radius = ONE_OF(r, 0, 0, 0.1, 1e9);
  c.X_AP.R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), ONE_OF(r, 0, 0, 0.3, PI / 2, PI));
  c.X_AP.p.z = ONE_OF(r, 0, 0, 0.2, -2);
  c.restitution = ONE_OF(r, 0, 0, 0.5, 1), c.mu_dynamic = coefficient(r), c.viscous = ONE_OF(r, 0, 0, 0.1, 1e6);
  c.mu_static = uniform(r, 0, 1) < 0.5 ? -1 : coefficient(r);
  for (int times = uniform(r, 0, 1) < 0.2 ? 2 : 1; times > 0; times--) cdn_system_add_rigid_contact(system, &c);
}

static void add_side(cdn_system *system, rng *r, cdn_body body) {
  cdn_one_sided_def d = cdn_default_one_sided_def();
  const double length = ONE_OF(r, 0, 0.5, 1, 1e9);
  d.upper = uniform(r, 0, 1) < 0.5, d.restitution = ONE_OF(r, 0, 0.5, 1);
  switch ((int)uniform(r, 0, 3)) {
    case 0:
      d.constraint = cdn_system_constrain_rod(system, NULL, cdn_ground(), cdn_v3(place(r), place(r), place(r)), body,
                                              cdn_v3(0, 0, 0), length);
      break;
    case 1: d.constraint = cdn_system_constrain_speed(system, NULL, body, 0, ONE_OF(r, 0, 1, -1)); break;
    default: d.constraint = cdn_system_constrain_coordinate(system, NULL, body, 0, ONE_OF(r, 0, 1, -1));
  }
  cdn_system_make_one_sided(system, &d);
}

static void add_friction(cdn_system *system, rng *r, cdn_body body) {
  cdn_dry_friction_def f = cdn_default_dry_friction_def();
  f.slip = cdn_system_constrain_speed(system, NULL, body, 0, ONE_OF(r, 0, 0, 1));
  if (uniform(r, 0, 1) < 0.3) f.mobilizer = body, f.axis = cdn_v3(place(r), place(r), place(r));
  f.load = ONE_OF(r, 0, 1, 1e9), f.mu_dynamic = coefficient(r), f.viscous = ONE_OF(r, 0, 0, 1);
  cdn_system_add_dry_friction(system, &f);
}

static void add_kept(cdn_system *system, rng *r, cdn_body body) {
  cdn_kept_reaction_def d = cdn_default_kept_reaction_def();
  d.push = cdn_system_constrain_speed(system, NULL, body, 0, 0), d.value = ONE_OF(r, 0, 1, -1, 1e9);
  d.keep = (cdn_keep)((int)uniform(r, 0, 3) % 3);
  if (uniform(r, 0, 1) < 0.5) d.mobilizer = body, d.axis = cdn_v3(place(r), place(r), 1);
  else d.constraint.i = (int)uniform(r, 0, cdn_system_constraint_count(system));
  cdn_system_keep_reaction(system, &d);
}

/* ---- what is asked ---- */

static void check_finite(const double *x, int n, const char *call) {
  for (int k = 0; k < n; k++) ck_assert_msg(isfinite(x[k]), "%s: number %d is %g", call, k, x[k]);
}

/* Whether a call on the State was right; if not it says why. */
static bool went_well(cdn_state *state, cdn_status status, const char *call) {
  if (status == CDN_OK) return true;
  cdn_error e;
  cdn_state_last_error(state, &e);
  ck_assert_msg(e.text[0] != 0, "%s fails without a word", call);
  return false;
}
#define WELL(state, call) went_well(state, call, #call)

static void run(cdn_state *state) {
  cdn_stepper *stepper = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 1e-3, def.max_steps = 3000; /* loads of 1e9 N that grow with speed are stiff */
  if (!WELL(state, cdn_stepper_create(state, &def, &stepper))) return;
  const cdn_status status = cdn_stepper_advance(stepper, 0.02, NULL);
  cdn_failure e = { .error = { .code = CDN_OK } };
  if (status != CDN_OK) cdn_stepper_failure(stepper, &e);
  ck_assert_msg(status == CDN_OK || e.error.text[0] != 0, "a run fails without a word");
  const cdn_state *now = cdn_stepper_state(stepper);
  if (status == CDN_OK) check_finite(cdn_state_u(now), cdn_system_nu(cdn_state_system(now)), "a run");
  cdn_stepper_destroy(stepper);
}

static void study(cdn_state *state, const double *q) {
  const cdn_system *system = cdn_state_system(state);
  const int nu = cdn_system_nu(system);
  const size_t n = (size_t)nu;
  double *a = calloc(n * n + 1, sizeof *a), *f = calloc(n + 1, sizeof *f), *udot = calloc(n + 1, sizeof *udot);
  cdn_equilibrium_def def = cdn_default_equilibrium_def();
  cdn_assembly *assembly = NULL;
  def.most_iterations = 40;
  if (WELL(state, cdn_forward_dynamics_derivatives(state, a, NULL, NULL, NULL)))
    check_finite(a, nu * nu, "derivatives");
  if (WELL(state, cdn_constrained_inverse_dynamics(state, udot, NULL, f, NULL, NULL)))
    check_finite(f, nu, "inverse dynamics");
  bool *nobody = calloc(n + 1, sizeof *nobody);
  (void)WELL(state, cdn_constrained_inverse_dynamics(state, udot, nobody, f, NULL, NULL));
  check_finite(f, nu, "inverse dynamics without motors");
  if (WELL(state, cdn_find_equilibrium(state, &def, NULL))) check_finite(cdn_state_q(state), nu, "an equilibrium");
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_assembly_create(system, NULL, &assembly));
  cdn_error e;
  const cdn_status status = cdn_assemble(assembly, state, NULL);
  cdn_assembly_last_error(assembly, &e);
  ck_assert_msg(status == CDN_OK || e.text[0] != 0, "an assembly fails without a word");
  check_finite(cdn_state_q(state), nu, "an assembly");
  cdn_assembly_destroy(assembly);
  free(a), free(f), free(udot), free(nobody);
}

static void ask(cdn_system *system, rng *r) {
  cdn_state *state = NULL;
  if (cdn_system_freeze(system) != CDN_OK || cdn_state_create(system, &state) != CDN_OK) {
    ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), ":"));
    cdn_system_release(system);
    return;
  }
  cdn_system_release(system);
  double *q = calloc((size_t)cdn_system_nq(system) + 1, sizeof *q),
         *u = calloc((size_t)cdn_system_nu(system) + 1, sizeof *u);
  memcpy(q, cdn_state_q(state), (size_t)cdn_system_nq(system) * sizeof *q);
  for (int k = 0; k < cdn_system_nq(system); k++) q[k] += ONE_OF(r, 0, 0, 0.1, -0.3);
  for (int k = 0; k < cdn_system_nu(system); k++) u[k] = ONE_OF(r, 0, 0, 1, -1, 1e3, 1e-12);
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  cdn_state *other = NULL;
  OK(cdn_state_create(system, &other));
  OK_ON(other, cdn_state_copy(other, state));
  run(other);
  cdn_state_destroy(other);
  if (WELL(state, cdn_settle(state, 0)) && WELL(state, cdn_realize(state, CDN_STAGE_ACCELERATION)))
    check_finite(cdn_state_udot(state), cdn_system_nu(system), "accelerations");
  study(state, q);
  cdn_state_destroy(state);
  free(q), free(u);
}

START_TEST(scenes_of_bad_input) {
  const int scenes = getenv("CARDAN_TEST_LONG") ? 500 : FEWER(60);
  for (int k = 0; k < scenes; k++) {
    rng r = rng_of(1000 * (uint64_t)_i + (uint64_t)k);
    if (getenv("CARDAN_TEST_SHOW")) printf("scene %d %d\n", _i, k), fflush(stdout);
    cdn_system *system = cdn_system_create(NULL);
    cdn_body body[2] = { add_body(system, &r, cdn_ground()), { 0 } };
    body[1] = uniform(&r, 0, 1) < 0.5 ? add_body(system, &r, body[0]) : body[0];
    cdn_system_add_gravity(system, "gravity", cdn_v3(0, ONE_OF(&r, 0, 1), -9.81));
    for (int i = (int)uniform(&r, 0, 4); i > 0; i--) add_contact(system, &r, body[i % 2]);
    for (int i = (int)uniform(&r, 0, 3); i > 0; i--) add_side(system, &r, body[i % 2]);
    if (uniform(&r, 0, 1) < 0.3) add_friction(system, &r, body[0]);
    if (uniform(&r, 0, 1) < 0.2) add_kept(system, &r, body[0]);
    ask(system, &r);
  }
}
END_TEST

/* ---- numbers that are refused ---- */

START_TEST(wrong_numbers_are_refused) {
  static const struct {
    double e, mu, load, capture;
    const char *word;
  } wrong[] = {
    { 1.5, 0.3, 0, 0, "restitution" },
    { -0.1, 0.3, 0, 0, "restitution" },
    { NAN, 0.3, 0, 0, "restitution" },
    { 0, -0.5, 0, 0, "mu" },
    { 0, NAN, 0, 0, "mu" },
    { 0, INFINITY, 0, 0, "mu" },
    { 0, 0.3, 0, -1, "capture" },
  };
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.name = "ball", d.mobilizer = CDN_TRANSLATION, d.mass.mass = 1;
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.name = "floor", c.b = cdn_system_add_body(system, &d), c.restitution = wrong[_i].e, c.mu_dynamic = wrong[_i].mu;
  c.capture_speed = wrong[_i].capture;
  cdn_system_add_rigid_contact(system, &c);
  ck_assert_int_ne(cdn_system_freeze(system), CDN_OK);
  ck_assert_msg(strstr(cdn_last_error_text(), "floor") && strstr(cdn_last_error_text(), wrong[_i].word), "%s",
                cdn_last_error_text());
  cdn_system_release(system);
}
END_TEST

/* ---- contacts that contradict each other ---- */

/* A ball of radius 0.1 between a wall at x and a press: another one, which is driven along x. */
static cdn_state *press_scene(double x, double mu, cdn_mobilizer of_ball, cdn_motion_kind kind, const double *params,
                              const double *q) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  cdn_motion_def drive = cdn_default_motion_def();
  cdn_contact_def contact = cdn_default_contact_def();
  cdn_shape_def shape = cdn_default_shape_def();
  d.name = "press", d.mobilizer = CDN_SLIDER, d.mass.mass = 1;
  drive.body = cdn_system_add_body(system, &d), drive.kind = kind;
  drive.level = kind == CDN_MOTION_STEADY ? CDN_LEVEL_VELOCITY : CDN_LEVEL_POSITION;
  memcpy(drive.params, params, 3 * sizeof *params);
  cdn_system_add_motion(system, &drive);
  d.name = "ball", d.mobilizer = of_ball;
  const cdn_body ball = cdn_system_add_body(system, &d);
  contact.model = CDN_CONTACT_RIGID;
  cdn_system_set_contact(system, &contact);
  shape.name = "wall", shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_contact_material material = cdn_default_contact_material();
  material.static_friction = material.dynamic_friction = mu;
  shape.material = &material;
  shape.X_BS = (cdn_transform){ { { 0, 1, 0 }, { 0, 0, -1 }, { -1, 0, 0 } }, { x, 0, 0 } };
  cdn_system_add_shape(system, &shape);
  shape.X_BS = cdn_transform_identity();
  shape.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { 0.1 } };
  shape.name = "press", shape.body = drive.body;
  cdn_system_add_shape(system, &shape);
  shape.name = "ball", shape.body = ball;
  cdn_system_add_shape(system, &shape);
  cdn_state *state = NULL;
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  OK_ON(state, cdn_state_set_q(state, q));
  return state;
}

static cdn_stepper *press_run(cdn_state *state) {
  cdn_stepper *run = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  def.accuracy = 3.7e-5;
  OK_ON(state, cdn_stepper_create(state, &def, &run));
  return run;
}

/* The press comes at 0.1 m/s, takes the ball along after 1 s, and presses it against the wall after 5 s: no impulse
 * ends that. Or it stands at the ball that stands at the wall, and begins to move: no force ends that. */
START_TEST(a_press_contradicts_a_wall) {
  cdn_state *state =
      _i ? press_scene(0.29, 0.7, CDN_SLIDER, CDN_MOTION_SINUSOID, (double[]){ 0.01, 1, -PI / 2 },
                       (double[]){ -0.01, 0.19 })
         : press_scene(0.5, 0.7, CDN_SLIDER, CDN_MOTION_STEADY, (double[]){ 0.1, 0, 0 }, (double[]){ -0.3, 0 });
  cdn_stepper *run = press_run(state);
  ck_assert_int_eq(cdn_stepper_advance(run, 7, NULL), CDN_ERR_CONSTRAINT);
  cdn_failure why = { .error = { .code = CDN_OK } };
  cdn_stepper_failure(run, &why);
  ck_assert_msg(strstr(why.error.text, "contradict") && strstr(why.error.text, "press - ball") &&
                    strstr(why.error.text, "wall - ball"),
                "%s", why.error.text);
  NEAR(cdn_state_time(cdn_stepper_state(run)), _i ? 0 : 5, 1e-9);
  cdn_stepper_destroy(run);
  cdn_state_destroy(state);
}
END_TEST

/* The press comes to the wall itself. */
START_TEST(a_press_at_a_wall) {
  cdn_state *state =
      press_scene(0.5, 0.7, CDN_SLIDER, CDN_MOTION_STEADY, (double[]){ 0.1, 0, 0 }, (double[]){ 0.3, -1 });
  cdn_stepper *run = press_run(state);
  ck_assert_int_eq(cdn_stepper_advance(run, 7, NULL), CDN_ERR_CONSTRAINT);
  cdn_failure why = { .error = { .code = CDN_OK } };
  cdn_stepper_failure(run, &why);
  ck_assert_msg(strstr(why.error.text, "driven closes 'wall - press'"), "%s", why.error.text);
  NEAR(cdn_state_time(cdn_stepper_state(run)), 1, 1e-9);
  cdn_stepper_destroy(run);
  cdn_state_destroy(state);
}
END_TEST

/* A ball a little aside escapes, if friction does not lock it: the normal of the press is turned by 0.01 or 0.005. */
START_TEST(a_ball_escapes_or_is_locked) {
  const double aside = _i == 0 ? 2e-3 : 1e-3, mu = (const double[]){ 0, 0.001, 0.02, 0.7 }[_i];
  cdn_state *state = press_scene(0.5, mu, CDN_TRANSLATION, CDN_MOTION_STEADY, (double[]){ 0.1, 0, 0 },
                                 (double[]){ -0.3, 0, aside, 0 });
  cdn_stepper *run = press_run(state);
  const cdn_state *now = cdn_stepper_state(run);
  if (_i < 2) {
    OK_STEP(run, cdn_stepper_advance(run, 6.9, NULL));
    AT_MOST(0.1, hypot(cdn_state_q(now)[1] - 0.4, cdn_state_q(now)[2]));
  } else {
    ck_assert_int_eq(cdn_stepper_advance(run, 6.9, NULL), CDN_ERR_CONSTRAINT);
    cdn_failure why = { .error = { .code = CDN_OK } };
    cdn_stepper_failure(run, &why);
    ck_assert_msg(strstr(why.error.text, "friction may lock it against what is driven"), "%s", why.error.text);
    NEAR(cdn_state_time(now), 5, 1e-3);
  }
  cdn_stepper_destroy(run);
  cdn_state_destroy(state);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, a_press_contradicts_a_wall, 0, 2);
  tcase_add_test(c, a_press_at_a_wall);
  tcase_add_loop_test(c, a_ball_escapes_or_is_locked, 0, 4);
  tcase_add_loop_test(c, scenes_of_bad_input, 0, 2);
  tcase_add_loop_test(c, wrong_numbers_are_refused, 0, 7);
}

CHECK_MAIN_OF("hybrid bad input", getenv("CARDAN_TEST_LONG") ? 600 : 60, add)
