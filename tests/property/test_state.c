/* The State of a mechanical System: nothing stale, nothing computed twice, copies, and parameters that act like
 * building. */
#include "random_tree.h"

enum { MOST_NU = 6 * TREE_MOST_BODIES, MOST_NQ = 7 * TREE_MOST_BODIES };

/* ---- one set of everything that can be asked ------------------------------------------------ */

enum { MOST_ANSWERS = 60 * TREE_MOST_BODIES + 64 };
typedef struct answers {
  int n;
  double value[MOST_ANSWERS];
} answers;

static void note(answers *a, const void *values, int n) {
  ck_assert_int_le(a->n + n, MOST_ANSWERS);
  memcpy(a->value + a->n, values, (size_t)n * sizeof(double));
  a->n += n;
}

/* Asks question k of the State (of QUESTIONS); those asked first compute what the others need. */
enum { QUESTIONS = 14 };
static void ask(cdn_state *state, int k, answers *a) {
  const cdn_system *system = cdn_state_system(state);
  int nb = cdn_system_body_count(system), nq = cdn_system_nq(system), nu = cdn_system_nu(system);
  double x[MOST_NU + 1], e, e2;
  cdn_spatial V;
  cdn_transform X;
  cdn_vec3 p;
  switch (k) {
    case 0:
      for (int b = 0; b < nb; b++) {
        OK_ON(state, cdn_body_pose(state, (cdn_body){ b }, &X));
        note(a, &X, 12);
      }
      break;
    case 1:
      for (int b = 0; b < nb; b++) {
        OK_ON(state, cdn_body_velocity(state, (cdn_body){ b }, &V));
        note(a, &V, 6);
      }
      break;
    case 2:
      for (int b = 0; b < nb; b++) {
        OK_ON(state, cdn_body_acceleration(state, (cdn_body){ b }, &V));
        note(a, &V, 6);
      }
      break;
    case 3:
      ck_assert_ptr_nonnull(cdn_state_udot(state));
      note(a, cdn_state_udot(state), nu);
      break;
    case 4:
      ck_assert_ptr_nonnull(cdn_state_qdot(state));
      note(a, cdn_state_qdot(state), nq);
      break;
    case 5:
      OK_ON(state, cdn_kinetic_energy(state, &e));
      note(a, &e, 1);
      break;
    case 6:
      OK_ON(state, cdn_potential_energy(state, &e));
      note(a, &e, 1);
      break;
    case 7:
      OK_ON(state, cdn_nonpotential_power(state, &e));
      note(a, &e, 1);
      break;
    case 8:
      OK_ON(state, cdn_calc_bias(state, x));
      note(a, x, nu);
      break;
    case 9:
      OK_ON(state, cdn_momentum(state, &V));
      note(a, &V, 6);
      break;
    case 10:
      OK_ON(state, cdn_center_of_mass(state, &p));
      note(a, &p, 3);
      break;
    case 11:
      OK_ON(state, cdn_system_mass(state, &e, &e2));
      note(a, &e, 1), note(a, &e2, 1);
      break;
    case 12:
      OK_ON(state, cdn_multiply_by_M(state, cdn_state_u(state), x));
      note(a, x, nu);
      OK_ON(state, cdn_multiply_by_M_inv(state, cdn_state_u(state), x));
      note(a, x, nu);
      break;
    default:
      OK_ON(state, cdn_applied_forces(state, NULL, x));
      note(a, x, nu);
      break;
  }
}

/* All questions; exact bits must agree. */
static void same_answers(cdn_state *one, cdn_state *other) {
  for (int k = 0; k < QUESTIONS; k++) {
    answers a = { .n = 0 }, b = { .n = 0 };
    ask(one, k, &a);
    ask(other, k, &b);
    for (int i = 0; i < a.n; i++)
      ck_assert_msg(memcmp(&a.value[i], &b.value[i], sizeof(double)) == 0 || a.value[i] == b.value[i],
                    "question %d, number %d: %.17g and %.17g", k, i, a.value[i], b.value[i]);
  }
}

/* ---- never stale ---------------------------------------------------------------------------- */

/* A random change of one variable or parameter: the same for the same seed, whatever the State holds. */
static void change(cdn_state *state, const random_tree *tree, const random_tree *other, const cdn_state *other_state,
                   uint64_t seed) {
  rng r = rng_of(seed);
  int nq = cdn_system_nq(tree->system), nu = cdn_system_nu(tree->system);
  cdn_body body = { 1 + pick(&r, tree->bodies) };
  int body_nq = cdn_body_nq(tree->system, body), body_nu = cdn_body_nu(tree->system, body);
  double x[MOST_NQ + 1];
  random_numbers(&r, 1, x, nq + nu);
  const tree_force *f = tree->forces ? &other->force[pick(&r, other->forces)] : NULL;
  switch (pick(&r, 14)) {
    case 0: OK(cdn_state_set_q(state, x)); break;
    case 1: OK(cdn_state_set_u(state, x)); break;
    case 2: OK(cdn_state_set_time(state, x[0])); break;
    case 3: OK(cdn_body_set_q(state, body, body_nq, x)); break;
    case 4: OK(cdn_body_set_u(state, body, body_nu, x)); break;
    case 5: OK_ON(state, cdn_body_set_mass_properties(state, body, cdn_body_mass_properties(other_state, body))); break;
    case 6: OK_ON(state, cdn_body_set_X_PF(state, body, cdn_body_X_PF(other_state, body))); break;
    case 7: OK_ON(state, cdn_body_set_X_BM(state, body, cdn_body_X_BM(other_state, body))); break;
    case 8: OK_ON(state, cdn_body_set_armature(state, body, 0.1 + cdn_body_armature(other_state, body))); break;
    case 9:
      if (f) OK(cdn_force_set_enabled(state, f->id, pick(&r, 2)));
      break;
    case 10: OK(cdn_state_set_applied_mobility_forces(state, x)); break;
    case 11: OK(cdn_state_set_applied_body_force(state, body, random_spatial(&r, 2))); break;
    case 12:
      if (f && f->kind == GRAVITY) OK(cdn_gravity_set(state, f->id, f->f));
      if (f && f->kind == MOBILITY_SPRING) OK(cdn_mobility_spring_set(state, f->id, f->k, f->rest));
      if (f && f->kind == TWO_POINT_SPRING) OK(cdn_two_point_spring_set(state, f->id, f->k, f->rest));
      if (f && f->kind == MOBILITY_STOP)
        OK(cdn_mobility_stop_set(state, f->id, f->lower, f->upper, f->k, f->dissipation));
      break;
    default:
      if (nu > 0) OK(cdn_state_set_slots(state, CDN_POOL_U, pick(&r, nu), 1, x));
      break;
  }
}

START_TEST(test_never_stale) {
  for (uint64_t seed = 1; seed <= 30; seed++) {
    tree_options options = { .bodies = 1 + (int)(seed % 7), .shape = seed, .numbers = 1, .forces = true };
    random_tree tree = make_random_tree(&options);
    options.numbers = 2;
    random_tree other = make_random_tree(&options);
    cdn_state *lived = random_tree_state(&tree, seed), *other_state = random_tree_state(&other, seed);
    cdn_state *start = NULL;
    OK(cdn_state_create(tree.system, &start));
    OK(cdn_state_copy(start, lived));
    rng r = rng_of(seed + 99);
    uint64_t changes[40];
    for (int n = 0; n < 40; n++) {
      changes[n] = rng_next(&r);
      change(lived, &tree, &other, other_state, changes[n]);
      /* ask this and that, so that every combination of what is valid comes about */
      answers a = { .n = 0 };
      for (int k = pick(&r, 4); k > 0; k--) {
        a.n = 0;
        ask(lived, pick(&r, QUESTIONS), &a);
      }
      if (pick(&r, 4)) continue;
      /* a State that has seen the changes only, and no question in between */
      cdn_state *fresh = NULL;
      OK(cdn_state_create(tree.system, &fresh));
      OK(cdn_state_set_q(fresh, cdn_state_q(start)));
      OK(cdn_state_set_u(fresh, cdn_state_u(start)));
      for (int k = 0; k <= n; k++) change(fresh, &tree, &other, other_state, changes[k]);
      same_answers(lived, fresh);
      cdn_state_destroy(fresh);
    }
    cdn_state_destroy(start);
    cdn_state_destroy(lived);
    cdn_state_destroy(other_state);
  }
}
END_TEST

/* ---- parameters ----------------------------------------------------------------------------- */

START_TEST(test_set_parameters_are_built_parameters) {
  for (uint64_t seed = 1; seed <= 30; seed++) {
    tree_options options = { .bodies = 1 + (int)(seed % 11), .shape = 200 + seed, .numbers = 1, .forces = true };
    random_tree tree = make_random_tree(&options);
    options.numbers = 2;
    random_tree other = make_random_tree(&options);
    cdn_state *state = random_tree_state(&tree, seed), *built = random_tree_state(&other, seed);
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION)); /* results of the old parameters are there to go stale */
    set_tree_parameters(state, &other, built);
    for (int i = 0; i < tree.forces; i++) { /* a rotation's spring and stop cannot be set: leave them out */
      if (tree.force[i].kind != ROTATION_SPRING && tree.force[i].kind != ROTATION_STOP) continue;
      OK(cdn_force_set_enabled(state, tree.force[i].id, false));
      OK(cdn_force_set_enabled(built, other.force[i].id, false));
    }
    same_answers(state, built);
    cdn_state_destroy(state);
    cdn_state_destroy(built);
  }
}
END_TEST

START_TEST(test_getters_return_what_was_set) {
  tree_options options = { .bodies = 9, .shape = 5, .numbers = 1, .forces = true };
  random_tree tree = make_random_tree(&options);
  options.numbers = 2;
  random_tree other = make_random_tree(&options);
  cdn_state *state = random_tree_state(&tree, 1), *built = random_tree_state(&other, 1);
  set_tree_parameters(state, &other, built);
  for (int b = 1; b <= tree.bodies; b++) {
    cdn_body body = { b };
    cdn_mass_properties m = cdn_body_mass_properties(state, body), n = cdn_body_mass_properties(built, body);
    cdn_transform X = cdn_body_X_PF(state, body), Y = cdn_body_X_PF(built, body);
    ck_assert_mem_eq(&m, &n, sizeof m);
    ck_assert_mem_eq(&X, &Y, sizeof X);
    X = cdn_body_X_BM(state, body), Y = cdn_body_X_BM(built, body);
    ck_assert_mem_eq(&X, &Y, sizeof X);
    ck_assert_double_eq(cdn_body_armature(state, body), cdn_body_armature(built, body));
  }
  cdn_vec3 g = cdn_gravity_get(state, tree.force[0].id), h = other.force[0].f;
  ck_assert_mem_eq(&g, &h, sizeof g);
  cdn_state_destroy(state);
  cdn_state_destroy(built);
}
END_TEST

/* ---- stages and copies ---------------------------------------------------------------------- */

static cdn_state *some_state(random_tree *tree) {
  tree_options options = { .bodies = 8, .shape = 11, .numbers = 1, .forces = true };
  *tree = make_random_tree(&options);
  return random_tree_state(tree, 4);
}

START_TEST(test_stages) {
  random_tree tree;
  cdn_state *state = some_state(&tree);
  double x[MOST_NQ];
  OK_ON(state, cdn_realize(state, CDN_STAGE_REPORT));
  ck_assert_int_eq(cdn_state_stage(state), CDN_STAGE_REPORT);
  /* new speeds leave positions as they are */
  memcpy(x, cdn_state_u(state), (size_t)cdn_system_nu(tree.system) * sizeof *x);
  uint64_t q_serial = cdn_state_serial(state, CDN_Q), u_serial = cdn_state_serial(state, CDN_U);
  OK(cdn_state_set_u(state, x));
  ck_assert_int_eq(cdn_state_stage(state), CDN_STAGE_POSITION);
  ck_assert_uint_eq(cdn_state_serial(state, CDN_Q), q_serial);
  ck_assert_uint_eq(cdn_state_serial(state, CDN_U), u_serial + 1);
  /* forces from outside leave velocities as they are */
  OK_ON(state, cdn_realize(state, CDN_STAGE_REPORT));
  OK(cdn_state_set_applied_mobility_forces(state, x));
  ck_assert_int_eq(cdn_state_stage(state), CDN_STAGE_VELOCITY);
  /* new coordinates leave time and parameters as they are */
  OK_ON(state, cdn_realize(state, CDN_STAGE_REPORT));
  memcpy(x, cdn_state_q(state), (size_t)cdn_system_nq(tree.system) * sizeof *x);
  OK(cdn_state_set_q(state, x));
  ck_assert_int_eq(cdn_state_stage(state), CDN_STAGE_TIME);
  ck_assert_uint_eq(cdn_state_serial(state, CDN_Q), q_serial + 1);
  /* parameters send it back furthest */
  OK_ON(state, cdn_realize(state, CDN_STAGE_REPORT));
  OK(cdn_body_set_armature(state, (cdn_body){ 1 }, 0.3));
  ck_assert_int_lt(cdn_state_stage(state), CDN_STAGE_TIME);
  /* asking by stages works from anywhere, and a realized stage stays */
  for (int stage = CDN_STAGE_INSTANCE; stage <= CDN_STAGE_REPORT; stage++) {
    OK_ON(state, cdn_realize(state, (cdn_stage)stage));
    ck_assert_int_ge(cdn_state_stage(state), stage);
  }
  OK_ON(state, cdn_realize(state, CDN_STAGE_POSITION));
  ck_assert_int_eq(cdn_state_stage(state), CDN_STAGE_REPORT);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(test_copy) {
  random_tree tree;
  cdn_state *state = some_state(&tree), *copy = NULL;
  double x[MOST_NQ];
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  OK(cdn_state_create(tree.system, &copy));
  OK(cdn_state_copy(copy, state));
  ck_assert_int_eq(cdn_state_stage(copy), cdn_state_stage(state));
  same_answers(copy, state);
  /* what is then done to the copy does not touch the original */
  double q_before = cdn_state_q(state)[0];
  memcpy(x, cdn_state_q(state), (size_t)cdn_system_nq(tree.system) * sizeof *x);
  x[0] += 0.25;
  OK(cdn_state_set_q(copy, x));
  OK(cdn_body_set_armature(copy, (cdn_body){ 1 }, 0.7));
  ck_assert_int_eq(cdn_state_stage(state), CDN_STAGE_ACCELERATION);
  ck_assert_double_eq(cdn_state_q(state)[0], q_before);
  cdn_state_destroy(copy);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(test_pointers_stay) {
  /* variables stay where they are for the State's life, through setting, realizing and copying */
  random_tree tree;
  cdn_state *state = some_state(&tree), *other = NULL;
  OK(cdn_state_create(tree.system, &other));
  const double *q = cdn_state_q(state), *u = cdn_state_u(state);
  OK(cdn_state_set_q(state, cdn_state_q(other)));
  OK_ON(state, cdn_realize(state, CDN_STAGE_REPORT));
  OK(cdn_state_copy(state, other));
  ck_assert_ptr_eq(cdn_state_q(state), q);
  ck_assert_ptr_eq(cdn_state_u(state), u);
  cdn_state_destroy(other);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(test_repeatable) {
  /* the same calls on a second System built the same way give the same bits, along a whole run */
  cdn_stepper *stepper[2];
  cdn_state *state[2];
  for (int k = 0; k < 2; k++) {
    random_tree tree;
    state[k] = some_state(&tree);
    OK_ON(state[k], cdn_stepper_create(state[k], NULL, &stepper[k]));
  }
  for (int i = 1; i <= 10; i++) {
    for (int k = 0; k < 2; k++) OK_STEP(stepper[k], cdn_stepper_advance(stepper[k], 0.05 * i, NULL));
    same_answers(cdn_stepper_state(stepper[0]), cdn_stepper_state(stepper[1]));
  }
  for (int k = 0; k < 2; k++) cdn_stepper_destroy(stepper[k]), cdn_state_destroy(state[k]);
}
END_TEST

/* Scratch that comes and goes while other scratch is held takes no more memory the hundredth time. */
START_TEST(test_workspace_does_not_grow) {
  random_tree tree;
  cdn_state *state = some_state(&tree);
  for (int again = 0; again < 2; again++) {
    void *held = cdn_work_push(state, 1000);
    for (int i = 0; i < 100; i++) {
      void *one = cdn_work_push(state, 5000), *two = cdn_work_push(state, 100000);
      ck_assert_ptr_nonnull(one);
      ck_assert_ptr_nonnull(two);
      ck_assert_uint_eq((uintptr_t)two % 64, 0);
      memset(one, 1, 5000), memset(two, 2, 100000);
      cdn_work_pop(state, two), cdn_work_pop(state, one);
    }
    cdn_work_pop(state, held);
  }
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("state", test_never_stale, test_set_parameters_are_built_parameters, test_getters_return_what_was_set,
           test_stages, test_copy, test_pointers_stay, test_repeatable, test_workspace_does_not_grow)
