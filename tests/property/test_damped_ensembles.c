/* Ensembles by Euler's method with implicit damping of joints: every State has the bits of a run of its own, with soft
 * rows and without, in every number of lanes; where axes of a joint have dampers of their own, too. */
#include <string.h>

#include "random_tree.h"

enum { COUNT = 11, STEPS = 9 };

typedef struct scene {
  bool soft, even; /* even: all axes of a joint have one damping */
} scene;

static random_tree make_tree(uint64_t seed, scene how) {
  const tree_options o = { .bodies = 3 + (int)(seed % 6), .shape = seed, .numbers = seed };
  random_tree tree = make_random_tree(&o);
  cdn_system_add_gravity(tree.system, NULL, cdn_v3(0, 0, -9.81));
  cdn_contact_def contact = cdn_default_contact_def();
  cdn_shape_def shape = cdn_default_shape_def();
  contact.model = CDN_CONTACT_SOFT;
  if (how.soft) cdn_system_set_contact(tree.system, &contact);
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  if (how.soft) cdn_system_add_shape(tree.system, &shape);
  shape.geometry.kind = CDN_GEOMETRY_SPHERE, shape.geometry.size[0] = 0.4;
  for (int b = 1; b <= tree.bodies; b++) {
    shape.body.i = b;
    if (how.soft) cdn_system_add_shape(tree.system, &shape);
    for (int k = 0; k < cdn_body_nu(tree.system, shape.body); k++)
      cdn_system_add_mobility_damper(tree.system, NULL, shape.body, k, 30 + b + (how.even ? 0 : k));
  }
  return tree;
}

static void same(const char *what, int lanes, int k, const double *a, const double *b, int n) {
  for (int i = 0; i < n; i++)
    ck_assert_msg(memcmp(&a[i], &b[i], sizeof *a) == 0, "%s[%d] of State %d in %d lanes is %.17g, alone %.17g", what, i,
                  k, lanes, a[i], b[i]);
}

/* In two stretches: the second one begins where the first has ended. */
static void check_advance(cdn_state *first, cdn_state *const *state, int lanes, unsigned vary) {
  const double h = 0.004;
  const cdn_system *system = cdn_state_system(first);
  cdn_ensemble_def def = cdn_default_ensemble_def();
  cdn_ensemble *e = NULL;
  cdn_state *out;
  def.count = COUNT, def.lanes = lanes, def.threads = 2, def.vary = vary, def.method = CDN_METHOD_MUJOCO_EULER;
  const cdn_status status = cdn_ensemble_create(first, &def, &e);
  if (status == CDN_ERR_UNSUPPORTED && lanes > 1) return; /* a machine without these lanes */
  OK(status);
  for (int k = 0; k < COUNT; k++) OK(cdn_ensemble_set_state(e, k, state[k]));
  OK(cdn_ensemble_advance(e, h, STEPS - 3));
  OK(cdn_ensemble_advance(e, h, 3));
  OK(cdn_state_create((cdn_system *)system, &out));
  for (int k = 0; k < COUNT; k++) {
    cdn_stepper_def how = cdn_default_stepper_def();
    cdn_stepper *stepper;
    how.method = def.method, how.fixed_step = h;
    OK_ON(state[k], cdn_stepper_create(state[k], &how, &stepper));
    /* the ensemble counts its steps anew in each stretch */
    OK_STEP(stepper, cdn_stepper_advance(stepper, (STEPS - 3) * h, NULL));
    OK(cdn_state_copy(out, cdn_stepper_state(stepper)));
    OK_STEP(stepper, cdn_stepper_restart(stepper, out));
    OK_STEP(stepper, cdn_stepper_advance(stepper, cdn_state_time(out) + 3 * h, NULL));
    const cdn_state *alone = cdn_stepper_state(stepper);
    OK(cdn_ensemble_get_state(e, k, out));
    same("q", lanes, k, cdn_state_q(out), cdn_state_q(alone), cdn_system_nq(system));
    same("u", lanes, k, cdn_state_u(out), cdn_state_u(alone), cdn_system_nu(system));
    cdn_stepper_destroy(stepper);
  }
  cdn_state_destroy(out);
  cdn_ensemble_destroy(e);
}

static void check(scene how) {
  static const int all_lanes[] = { 1, 4, 8 };
  for (uint64_t seed = 1; seed <= 10; seed++) {
    random_tree tree = make_tree(seed, how);
    cdn_state *first = random_tree_state(&tree, seed), *state[COUNT];
    rng r = rng_of(seed);
    for (int k = 0; k < COUNT; k++) {
      OK(cdn_state_create((cdn_system *)cdn_state_system(first), &state[k]));
      OK(cdn_state_copy(state[k], first));
      set_random_qu(state[k], &r, 1);
    }
    for (int i = 0; i < 3; i++) check_advance(first, state, all_lanes[i], seed % 2 ? 0 : CDN_VARY_FORCES);
    for (int k = 0; k < COUNT; k++) cdn_state_destroy(state[k]);
    cdn_state_destroy(first);
  }
}

START_TEST(without_rows) { check((scene){ .even = true }); }
END_TEST
START_TEST(with_rows) { check((scene){ .soft = true, .even = true }); }
END_TEST
START_TEST(with_uneven_dampers) { check((scene){ .soft = true }); }
END_TEST

CHECK_MAIN("damped ensembles", without_rows, with_rows, with_uneven_dampers)
