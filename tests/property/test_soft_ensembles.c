/* Soft rows in ensembles: every State has the bits of the lone State with the same variables, with every solver, in
 * every number of lanes. */
#include <string.h>

#include "random_constraints.h"
#include "random_tree.h"

enum { COUNT = 9 };

static bool has_loops(uint64_t seed) { return seed % 3 == 0; }

/* Balls on all bodies above a floor, limits, dry friction, and hard loops. */
static random_tree make_tree(uint64_t seed, const cdn_soft_def *soft) {
  const tree_options o = { .bodies = 3 + (int)(seed % 6), .shape = seed, .numbers = seed, .forces = true };
  random_tree tree = make_random_tree(&o);
  if (has_loops(seed)) add_random_constraints(&tree, 2, seed);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_SOFT;
  cdn_system_set_contact(tree.system, &contact);
  cdn_system_set_soft(tree.system, soft);
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(tree.system, &shape);
  shape.geometry.kind = CDN_GEOMETRY_SPHERE, shape.geometry.size[0] = 0.4;
  for (int b = 1; b <= tree.bodies; b++) {
    shape.body.i = b;
    cdn_system_add_shape(tree.system, &shape);
    cdn_friction_loss_def dry = cdn_default_friction_loss_def();
    dry.body.i = b, dry.loss = 0.3;
    if (cdn_body_mobilizer(tree.system, dry.body) != CDN_WELD) cdn_system_add_friction_loss(tree.system, &dry);
  }
  return tree;
}

static void compare(cdn_ensemble *e, cdn_state *const *alone, int lanes, const char *what) {
  const size_t nu = (size_t)cdn_system_nu(cdn_state_system(alone[0]));
  double udot[COUNT * 6 * TREE_MOST_BODIES];
  const cdn_status status = cdn_ensemble_rates(e, CDN_POOL_U, udot, 0);
  cdn_error error;
  cdn_ensemble_last_error(e, &error);
  ck_assert_msg(status == CDN_OK, "%s", error.text);
  for (int k = 0; k < COUNT; k++) {
    const double *own = cdn_state_udot(alone[k]);
    for (size_t i = 0; i < nu; i++)
      ck_assert_msg(memcmp(&udot[nu * (size_t)k + i], &own[i], sizeof *own) == 0,
                    "%s: udot[%zu] of State %d in %d lanes is %.17g, alone %.17g", what, i, k, lanes,
                    udot[nu * (size_t)k + i], own[i]);
  }
}

static cdn_state *advanced(cdn_state *state, double h, int steps) {
  cdn_stepper_def how = cdn_default_stepper_def();
  cdn_stepper *stepper;
  cdn_state *out;
  how.method = CDN_METHOD_SEMI_EXPLICIT_EULER, how.fixed_step = h;
  OK_ON(state, cdn_stepper_create(state, &how, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, steps * h, NULL));
  OK(cdn_state_create((cdn_system *)cdn_state_system(state), &out));
  OK(cdn_state_copy(out, cdn_stepper_state(stepper)));
  OK_ON(out, cdn_realize(out, CDN_STAGE_ACCELERATION));
  cdn_stepper_destroy(stepper);
  return out;
}

static void check_steps(cdn_ensemble *e, cdn_state *const *state, int lanes) {
  cdn_state *out[COUNT];
  OK(cdn_ensemble_advance(e, 0.002, 5));
  for (int k = 0; k < COUNT; k++) out[k] = advanced(state[k], 0.002, 5);
  compare(e, out, lanes, "after steps");
  for (int k = 0; k < COUNT; k++) cdn_state_destroy(out[k]);
}

/* Groups that were found. */
static int check(uint64_t seed, const cdn_soft_def *soft) {
  static const int all_lanes[] = { 1, 4, 8 };
  random_tree tree = make_tree(seed, soft);
  cdn_state *first = random_tree_state(&tree, seed), *state[COUNT];
  rng r = rng_of(seed);
  int groups = 0;
  for (int k = 0; k < COUNT; k++) {
    int n;
    OK(cdn_state_create((cdn_system *)cdn_state_system(first), &state[k]));
    OK(cdn_state_copy(state[k], first));
    set_random_qu(state[k], &r, 2);
    OK_ON(state[k], cdn_soft_count(state[k], &n));
    groups += n;
  }
  for (size_t i = 0; i < sizeof all_lanes / sizeof *all_lanes; i++) {
    cdn_ensemble_def def = cdn_default_ensemble_def();
    def.count = COUNT, def.lanes = all_lanes[i], def.threads = 1 + (int)i, def.method = CDN_METHOD_SEMI_EXPLICIT_EULER;
    cdn_ensemble *e = NULL;
    const cdn_status status = cdn_ensemble_create(first, &def, &e);
    if (status == CDN_ERR_UNSUPPORTED && all_lanes[i] > 1) continue; /* a machine without these lanes */
    OK(status);
    for (int k = 0; k < COUNT; k++) OK(cdn_ensemble_set_state(e, k, state[k]));
    compare(e, state, all_lanes[i], "at the start");
    if (!has_loops(seed)) check_steps(e, state, all_lanes[i]); /* loops of random States are open */
    cdn_ensemble_destroy(e);
  }
  for (int k = 0; k < COUNT; k++) cdn_state_destroy(state[k]);
  cdn_state_destroy(first);
  return groups;
}

START_TEST(lanes_have_the_bits_of_states) {
  for (cdn_soft_solver solver = CDN_SOFT_NEWTON; solver <= CDN_SOFT_PGS; solver++) {
    cdn_soft_def soft = cdn_default_soft_def();
    soft.solver = solver;
    int groups = 0;
    for (uint64_t seed = 1; seed <= 12; seed++) {
      soft.cone = seed % 2 ? CDN_SOFT_ELLIPTIC : CDN_SOFT_PYRAMIDAL;
      soft.cost_tolerance = seed % 4 ? -1 : 1e-8;
      soft.exact_diagonal = seed % 5 == 0;
      groups += check(seed, &soft);
    }
    ck_assert_int_gt(groups, 1000);
  }
}
END_TEST

CHECK_MAIN("soft ensembles", lanes_have_the_bits_of_states)
