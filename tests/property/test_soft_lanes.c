/* Soft rows of lanes whose plans are alike are eliminated together: several trees on a floor, each State in contacts of
 * its own, and some with a tendon at its limit, which no other lane has. Every State has the bits of a run of its own,
 * also beside one that fails. */
#include <string.h>

#include "random_tree.h"

enum { COUNT = 13, TREES = 3, STEPS = 25, FAILS = 5 };
static const double H = 1.0 / 256; /* a power of two, so that times are sums of steps */

typedef struct scene {
  cdn_soft_kind cone;
  double tolerance;
  bool fails, varies; /* a State is nonsense; shapes differ */
} scene;

static void add_rows(cdn_system *s, const cdn_body *pin, cdn_body slide) {
  cdn_soft_limit_def limit = cdn_default_soft_limit_def();
  cdn_friction_loss_def dry = cdn_default_friction_loss_def();
  cdn_soft_tendon_def tendon = cdn_default_soft_tendon_def();
  limit.body = pin[0], limit.lower = -0.4, limit.upper = 0.4;
  cdn_system_add_soft_limit(s, &limit);
  dry.body = slide, dry.loss = 0.8;
  cdn_system_add_friction_loss(s, &dry);
  tendon.kind = CDN_TENDON_LIMIT, tendon.joints = 2, tendon.upper = 0.7;
  for (int i = 0; i < 2; i++) tendon.joint[i].body = pin[i], tendon.coefficient[i] = 1;
  cdn_system_add_soft_tendon(s, &tendon);
}

/* A free body with two pins and a ball, a slider on one of the pins. */
static void add_tree(cdn_system *s, int tree) {
  static const cdn_mobilizer kinds[] = { CDN_FREE, CDN_PIN, CDN_PIN, CDN_BALL, CDN_SLIDER };
  static const int parents[] = { -1, 0, 0, 0, 1 };
  cdn_body body[5];
  cdn_shape_def shape = cdn_default_shape_def();
  shape.type = 2, shape.affinity = 1; /* with the floor alone */
  for (int i = 0; i < 5; i++) {
    cdn_body_def b = cdn_default_body_def();
    if (parents[i] >= 0) b.parent = body[parents[i]];
    b.mobilizer = kinds[i];
    b.mass.mass = 1 + 0.3 * i + 0.1 * tree, b.mass.com = cdn_v3(0.02, 0.01 * i, 0);
    b.mass.inertia = (cdn_inertia){ 0.02, 0.025, 0.03, 0, 0, 0 };
    b.X_PF.p = cdn_v3(i ? 0.3 - 0.2 * i : 2.0 * tree, 0.25 * (i % 2), 0.05 * i);
    body[i] = cdn_system_add_body(s, &b);
    shape.body = body[i];
    shape.geometry.kind = i % 2 ? CDN_GEOMETRY_CAPSULE : CDN_GEOMETRY_BOX;
    shape.geometry.size[0] = 0.1, shape.geometry.size[1] = 0.15, shape.geometry.size[2] = 0.08;
    cdn_system_add_shape(s, &shape);
    for (int k = 0; k < cdn_body_nu(s, body[i]) && i > 0; k++) cdn_system_add_mobility_damper(s, NULL, body[i], k, 0.4);
  }
  add_rows(s, body + 1, body[4]);
}

static cdn_state *make_state(cdn_soft_kind cone, double tolerance) {
  cdn_system *s = cdn_system_create(NULL);
  cdn_state *state;
  cdn_contact_def contact = cdn_default_contact_def();
  cdn_soft_def soft = cdn_default_soft_def();
  contact.model = CDN_CONTACT_SOFT, soft.cone = cone, soft.tolerance = tolerance;
  cdn_system_set_contact(s, &contact);
  cdn_system_set_soft(s, &soft);
  cdn_system_add_gravity(s, NULL, cdn_v3(0, 0, -9.81));
  cdn_shape_def floor = cdn_default_shape_def();
  floor.geometry.kind = CDN_GEOMETRY_HALF_SPACE, floor.type = 1, floor.affinity = 2;
  cdn_system_add_shape(s, &floor);
  for (int tree = 0; tree < TREES; tree++) add_tree(s, tree);
  OK_FREEZE(s);
  OK(cdn_state_create(s, &state));
  cdn_system_release(s);
  return state;
}

/* Near the floor, some of the trees above it. */
static cdn_state *place(cdn_state *first, rng *r) {
  cdn_system *system = (cdn_system *)cdn_state_system(first);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  OK(cdn_state_copy(state, first));
  set_random_qu(state, r, 0.7);
  for (int tree = 0; tree < TREES; tree++) {
    cdn_body base = { 1 + 5 * tree };
    double q[7];
    memcpy(q, cdn_state_q(state) + cdn_body_first_q(system, base), sizeof q);
    q[4] = q[5] = 0, q[6] = uniform(r, 0.1, 0.5);
    OK(cdn_body_set_q(state, base, 7, q));
  }
  return state;
}

static void same(const char *what, int lanes, int k, const double *a, const double *b, int n) {
  for (int i = 0; i < n; i++)
    ck_assert_msg(memcmp(&a[i], &b[i], sizeof *a) == 0, "%s[%d] of State %d in %d lanes is %.17g, alone %.17g", what, i,
                  k, lanes, a[i], b[i]);
}

static cdn_state *alone(cdn_state *start) {
  cdn_stepper_def how = cdn_default_stepper_def();
  cdn_stepper *stepper;
  cdn_state *out;
  how.method = CDN_METHOD_MUJOCO_EULER, how.fixed_step = H;
  OK_ON(start, cdn_stepper_create(start, &how, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, STEPS * H, NULL));
  OK(cdn_state_create((cdn_system *)cdn_state_system(start), &out));
  OK(cdn_state_copy(out, cdn_stepper_state(stepper)));
  cdn_stepper_destroy(stepper);
  return out;
}

/* Rates at the start are found from udot0, steps from their guesses. */
static void check_lanes(cdn_state *const *start, cdn_state *const *end, int lanes, scene how) {
  const cdn_system *system = cdn_state_system(start[0]);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system);
  cdn_ensemble_def def = cdn_default_ensemble_def();
  cdn_ensemble *e = NULL;
  cdn_state *out;
  double udot[COUNT * 13 * TREES];
  def.count = COUNT, def.lanes = lanes, def.threads = 2, def.method = CDN_METHOD_MUJOCO_EULER;
  def.vary = how.varies ? CDN_VARY_OWN : 0;
  const cdn_status status = cdn_ensemble_create(start[0], &def, &e);
  if (status == CDN_ERR_UNSUPPORTED && lanes > 1) return; /* a machine without these lanes */
  OK(status);
  ck_assert_int_le(nu, 13 * TREES);
  for (int k = 0; k < COUNT; k++) OK(cdn_ensemble_set_state(e, k, start[k]));
  if (!how.fails) OK(cdn_ensemble_rates(e, CDN_POOL_U, udot, 0));
  for (int k = 0; k < COUNT && !how.fails; k++) {
    OK_ON(start[k], cdn_realize(start[k], CDN_STAGE_ACCELERATION));
    same("udot", lanes, k, udot + k * nu, cdn_state_udot(start[k]), nu);
  }
  ck_assert_int_eq(cdn_ensemble_advance(e, H, STEPS) == CDN_OK, !how.fails);
  OK(cdn_state_create((cdn_system *)system, &out));
  for (int k = 0; k < COUNT; k++) {
    if (how.fails && k == FAILS) {
      ck_assert_int_ne(cdn_ensemble_status(e, k), CDN_OK);
      continue;
    }
    OK(cdn_ensemble_get_state(e, k, out));
    same("q", lanes, k, cdn_state_q(out), cdn_state_q(end[k]), nq);
    same("u", lanes, k, cdn_state_u(out), cdn_state_u(end[k]), nu);
  }
  cdn_state_destroy(out);
  cdn_ensemble_destroy(e);
}

/* Shapes of sizes of its own. */
static void resize(cdn_state *state, rng *r) {
  for (int i = 1; i < cdn_system_shape_count(cdn_state_system(state)); i++) {
    const double size[3] = { uniform(r, 0.08, 0.12), uniform(r, 0.1, 0.2), uniform(r, 0.05, 0.1) };
    OK(cdn_shape_set_size(state, (cdn_shape){ i }, size));
  }
}

static void check(scene how) {
  static const int all_lanes[] = { 1, 4, 8 };
  cdn_state *first = make_state(how.cone, how.tolerance), *start[COUNT], *end[COUNT];
  rng r = rng_of(17);
  for (int k = 0; k < COUNT; k++) {
    start[k] = place(first, &r);
    if (how.varies) resize(start[k], &r);
    end[k] = how.fails && k == FAILS ? NULL : alone(start[k]);
  }
  if (how.fails) {
    const double u[6] = { 1e200, 1e200, 0, 0, 0, 0 };
    OK(cdn_body_set_u(start[FAILS], (cdn_body){ 1 }, 6, u));
  }
  for (int i = 0; i < 3; i++) check_lanes(start, end, all_lanes[i], how);
  for (int k = 0; k < COUNT; k++) cdn_state_destroy(start[k]), cdn_state_destroy(end[k]);
  cdn_state_destroy(first);
}

START_TEST(in_pyramids) { check((scene){ .cone = CDN_SOFT_PYRAMIDAL, .tolerance = 1e-8 }); }
END_TEST
START_TEST(in_cones) { check((scene){ .cone = CDN_SOFT_ELLIPTIC, .tolerance = 1e-8 }); }
END_TEST
START_TEST(with_refinement) { check((scene){ .cone = CDN_SOFT_ELLIPTIC, .tolerance = 1e-13 }); }
END_TEST
START_TEST(beside_one_that_fails) { check((scene){ .cone = CDN_SOFT_PYRAMIDAL, .tolerance = 1e-8, .fails = true }); }
END_TEST
START_TEST(with_shapes_of_their_own) {
  check((scene){ .cone = CDN_SOFT_PYRAMIDAL, .tolerance = 1e-8, .varies = true });
}
END_TEST

CHECK_MAIN("soft rows in lanes", in_pyramids, in_cones, with_refinement, beside_one_that_fails,
           with_shapes_of_their_own)
