/* Weights of q and of u are of their own: what is a change of one in q says nothing of u, and the other way round. */
#include "ode.h"

/* Two masses on springs of 1 N/m, of which both swing by 1 m, at 1 and 1.3 rad/s. */
static cdn_state *two_masses(void) {
  static const char *const names[] = { "first", "second" };
  const double mass[2] = { 1, 1 / (1.3 * 1.3) }, one = 1;
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  for (int i = 0; i < 2; i++) {
    cdn_body_def def = cdn_default_body_def();
    def.name = names[i], def.mobilizer = CDN_SLIDER, def.mass.mass = mass[i], def.q0 = &one;
    cdn_body body = cdn_system_add_body(system, &def);
    cdn_system_add_mobility_spring(system, NULL, body, 0, 1, 0);
  }
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  return state;
}

static cdn_stepper *start(cdn_state *state, const double *q_weights, const double *u_weights) {
  cdn_stepper_def def = cdn_default_stepper_def();
  def.q_weights = q_weights, def.u_weights = u_weights;
  def.final_time = 20;
  return ode_stepper(state, &def);
}

/* The distance between two States, of which one is a millimetre and a millimetre a second off in everything. */
START_TEST(distances_go_with_weights_of_their_own) {
  static const double thousands[2] = { 1e3, 1e3 };
  cdn_state *state = two_masses(), *other;
  OK(cdn_state_create(cdn_state_system(state), &other));
  OK_ON(other, cdn_state_set_q(other, (const double[]){ 1.001, 1.001 }));
  OK_ON(other, cdn_state_set_u(other, (const double[]){ 0.001, 0.001 }));
  for (int k = 0; k < 4; k++) {
    cdn_stepper *stepper = start(state, k % 2 ? thousands : NULL, k / 2 ? thousands : NULL);
    cdn_distance d;
    OK_STEP(stepper, cdn_stepper_distance(stepper, other, &d));
    NEAR(d.q, k % 2 ? 1 : 1e-3, 1e-12);
    NEAR(d.u, k / 2 ? 1 : 1e-3, 1e-12);
    cdn_stepper_destroy(stepper);
  }
  cdn_state_destroy(other);
  cdn_state_destroy(state);
}
END_TEST

static int64_t evaluations(cdn_state *state, const double *q_weights, const double *u_weights) {
  cdn_stepper *stepper = start(state, q_weights, u_weights);
  OK_STEP(stepper, cdn_stepper_advance(stepper, 20, NULL));
  const int64_t n = certificate_of(stepper).evaluations;
  cdn_stepper_destroy(stepper);
  return n;
}

/* Speeds that hardly count leave the coordinates as accurate as before, and the other way round: each pool asks for its
 * steps. */
START_TEST(each_pool_asks_for_its_steps) {
  static const double few[2] = { 1e-4, 1e-4 }, many[2] = { 1e4, 1e4 };
  cdn_state *state = two_masses();
  const int64_t plain = evaluations(state, NULL, NULL), loose = evaluations(state, few, few);
  const int64_t no_u = evaluations(state, NULL, few), no_q = evaluations(state, few, NULL);
  const int64_t tight_q = evaluations(state, many, NULL), tight_u = evaluations(state, NULL, many);
  ck_assert_int_lt((int)loose, (int)(0.6 * (double)plain));
  ck_assert_int_gt((int)no_u, (int)(0.8 * (double)plain));
  ck_assert_int_gt((int)no_q, (int)(0.8 * (double)plain));
  ck_assert_int_gt((int)tight_q, (int)(1.3 * (double)plain));
  ck_assert_int_gt((int)tight_u, (int)(1.3 * (double)plain));

  /* and a weight is for the coordinate along its own speed */
  cdn_stepper *stepper = start(state, (const double[]){ 1, 100 }, NULL);
  cdn_state *other;
  cdn_distance d;
  OK(cdn_state_create(cdn_state_system(state), &other));
  OK_ON(other, cdn_state_set_q(other, (const double[]){ 1.01, 1.001 }));
  OK_STEP(stepper, cdn_stepper_distance(stepper, other, &d));
  ck_assert_str_eq(d.slot, "second.q");
  NEAR(d.q, sqrt((1e-4 + 1e-2) / 2), 1e-12);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(other);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("weights", distances_go_with_weights_of_their_own, each_pool_asks_for_its_steps)
