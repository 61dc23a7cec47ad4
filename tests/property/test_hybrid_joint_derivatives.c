/* Derivatives of forward dynamics while friction slips that follows what mobilizers transmit, while reactions are kept,
 * and while slips begin, against differences of what cdn_realize computes. */
#include "differences.h"

/* Of the largest element: truncation and rounding of the differences. */
static const double BY_DIFFERENCES = 1e-9;

static cdn_body add_body(cdn_system *system, cdn_body parent, cdn_mobilizer mobilizer, cdn_vec3 at, cdn_vec3 center) {
  cdn_body_def d = cdn_default_body_def();
  d.parent = parent, d.mobilizer = mobilizer, d.X_PF.p = at;
  d.mass = (cdn_mass_properties){ 1.3, center, { 0.05, 0.06, 0.07, 0.01, -0.005, 0.003 } };
  return cdn_system_add_body(system, &d);
}

/* Viscous friction has a kink at rest. */
static double viscous = 0.01;

/* Friction of one mobility, or of a ball's rotation, pressed by the mobilizer. */
static void add_bearing(cdn_system *system, cdn_body parent, cdn_body body, bool ball, cdn_vec3 axis, double length) {
  cdn_dry_friction_def f = cdn_default_dry_friction_def();
  f.slip = ball ? cdn_system_constrain_rotation(system, NULL, parent, body)
                : cdn_system_constrain_speed(system, NULL, body, 0, 0);
  f.mobilizer = body, f.mu_dynamic = 0.05, f.viscous = viscous, f.axis = axis, f.moment_length = length, f.load = 0.3;
  cdn_system_add_dry_friction(system, &f);
}

static cdn_state *settled(cdn_system *system, const double *q, const double *u) {
  cdn_state *state = NULL;
  cdn_system_add_gravity(system, "gravity", cdn_v3(0.5, -1, -9.5));
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  if (q) OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  OK_ON(state, cdn_settle(state, 0));
  return state;
}

typedef enum joint_scene {
  PINS,
  TOP,
  SLEDGE,
  BALL_IN_LOOP,
  KEPT_PIN,
  BALL_BEGINS,
  FOOT_BEGINS,
  ELLIPSE_BEGINS,
  SCENES
} joint_scene;

/* Pins along a chain, with springs, the second of which carries a couple. */
static cdn_state *pins(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body body = cdn_ground();
  for (int i = 0; i < 3; i++) {
    const cdn_body parent = body;
    body = add_body(system, parent, CDN_PIN, cdn_v3(0.1, i ? -0.5 : 0, 0.05), cdn_v3(0.05, -0.2, 0.1));
    cdn_system_add_mobility_spring(system, NULL, body, 0, 2, 0.1);
    cdn_system_add_mobility_damper(system, NULL, body, 0, 0.1);
    add_bearing(system, parent, body, false, cdn_v3(0, 0, 0), i == 1 ? 0.2 : 0);
  }
  return settled(system, (double[]){ 0.4, -0.3, 0.8 }, (double[]){ 1.1, 0.7, -0.9 });
}

static cdn_state *top(bool spins, bool loop) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body body = add_body(system, cdn_ground(), CDN_BALL, cdn_v3(0, 0, 0), cdn_v3(0.05, 0.3, 0.2));
  const double a = 0.3, q[] = { cos(a), sin(a) * 0.6, sin(a) * 0.8, 0 };
  add_bearing(system, cdn_ground(), body, true, cdn_v3(0, 0, 0), 0);
  if (loop) {
    const cdn_rotation R = cdn_rotation_from_quaternion((cdn_quaternion){ q[0], q[1], q[2], q[3] });
    const cdn_vec3 tip = cdn_v3(0.1, 0.2, 0.3), there = cdn_rotate(R, tip), post = cdn_v3(0.8, 0.1, -0.2);
    cdn_system_constrain_rod(system, "rod", cdn_ground(), post, body, tip, cdn_norm(cdn_sub(there, post)));
  }
  /* with the rod it turns about the line through post and joint, along which the tip keeps its distance */
  const double u[] = { spins ? 2 * (loop ? 0.8 : 1) : 0, spins ? (loop ? 0.2 : -1.5) : 0,
                       spins ? (loop ? -0.4 : 4) : 0 };
  return settled(system, q, u);
}

/* A sledge on a rail, with a weight on a pendulum across. */
static cdn_state *sledge(void) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body rail = add_body(system, cdn_ground(), CDN_PIN, cdn_v3(0, 0, 0), cdn_v3(0, 0, 0));
  const cdn_body body = add_body(system, rail, CDN_SLIDER, cdn_v3(0.1, 0, 0), cdn_v3(0.05, 0.1, 0.2));
  add_bearing(system, rail, body, false, cdn_v3(1, 0, 0), 0.3);
  add_body(system, body, CDN_BALL, cdn_v3(0, 0.1, 0.2), cdn_v3(0.1, -0.2, 0.1));
  return settled(system, (double[]){ 0.2, 0.3, 0.9, 0.1, 0.3, -0.2 }, (double[]){ 0.5, 1.2, 0.4, -0.6, 0.3 });
}

/* A rod hangs on a cart; a motor of the cart keeps the force of the pin along the rod. */
static cdn_state *kept_pin(void) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body cart = add_body(system, cdn_ground(), CDN_SLIDER, cdn_v3(0, 0, 0), cdn_v3(0, 0, 0));
  const cdn_body rod = add_body(system, cart, CDN_PIN, cdn_v3(0, 0.1, 0), cdn_v3(0.1, -0.5, 0));
  cdn_kept_reaction_def k = cdn_default_kept_reaction_def();
  k.push = cdn_system_constrain_speed(system, "motor", cart, 0, 0);
  k.mobilizer = rod, k.axis = cdn_v3(0.2, 1, 0.1), k.value = 1.5;
  cdn_system_keep_reaction(system, &k);
  return settled(system, (double[]){ 0.1, 0.7 }, (double[]){ 0.2, 1 });
}

/* A box on one foot, from rest. */
static cdn_state *foot(double ratio) {
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body box = add_body(system, cdn_ground(), CDN_FREE, cdn_v3(0, 0, 0), cdn_v3(0.01, -0.02, 0.03));
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.b = box, c.p_B = cdn_v3(0.1, 0.05, -0.1), c.radius = 0.02, c.mu_dynamic = 0.05, c.mu_ratio = ratio;
  cdn_system_add_rigid_contact(system, &c);
  return settled(system, (double[]){ 1, 0, 0, 0, 0.2, -0.1, 0.12 }, (double[6]){ 0 });
}

static cdn_state *scene(joint_scene which) {
  viscous = which == BALL_BEGINS ? 0 : 0.01;
  switch (which) {
    case PINS: return pins();
    case TOP: return top(true, false);
    case SLEDGE: return sledge();
    case BALL_IN_LOOP: return top(true, true);
    case KEPT_PIN: return kept_pin();
    case BALL_BEGINS: return top(false, false);
    case FOOT_BEGINS: return foot(1);
    default: return foot(1.7);
  }
}

START_TEST(derivatives_follow) {
  cdn_state *state = scene((joint_scene)_i);
  const int frictions = cdn_system_dry_friction_count(cdn_state_system(state));
  for (int i = 0; i < frictions; i++)
    ck_assert_int_eq(cdn_dry_friction_get_status(state, (cdn_dry_friction){ i }), CDN_FRICTION_SLIP);
  check_dynamics(state, BY_DIFFERENCES);
}
END_TEST

static void add(TCase *c) { tcase_add_loop_test(c, derivatives_follow, 0, SCENES); }

CHECK_MAIN_OF("hybrid joint derivatives", 60, add)
