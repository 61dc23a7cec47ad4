/* Steps start the solution of soft rows where they were before. Nobody sees it but by the time it takes: what a State
 * shows follows from its variables alone, and runs that are looked at, resumed or in lanes have the same bits. */
#include <math.h>
#include <stdlib.h>

#include <cardan/stream.h>

#include "../testing.h"

static const cdn_method methods[] = { CDN_METHOD_MUJOCO_EULER, CDN_METHOD_MUJOCO_IMPLICIT_FAST };
/* A power of two, so that times are sums of steps. */
static const double H = 1.0 / 256;
enum { BOXES = 4, STEPS = 120 };

/* Boxes that fall on each other, and an arm with dampers and limits that falls on them. */
static cdn_state *pile(void) {
  cdn_system *s = cdn_system_create(NULL);
  cdn_state *state;
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_SOFT;
  cdn_system_set_contact(s, &contact);
  cdn_system_add_gravity(s, NULL, cdn_v3(0, 0, -9.81));
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(s, &shape);
  shape.geometry.kind = CDN_GEOMETRY_BOX;
  shape.geometry.size[0] = shape.geometry.size[1] = 0.1, shape.geometry.size[2] = 0.05;
  for (int i = 0; i < BOXES; i++) {
    const double q0[7] = { 1, 0.02 * i, 0.01, 0, 0.03 * i, 0, 0.06 + 0.105 * i };
    cdn_body_def b = cdn_default_body_def();
    b.mobilizer = CDN_FREE, b.q0 = q0;
    b.mass.mass = 1 + i, b.mass.inertia = (cdn_inertia){ 0.02, 0.02, 0.03, 0, 0, 0 };
    shape.body = cdn_system_add_body(s, &b);
    cdn_system_add_shape(s, &shape);
  }
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_PIN, b.mass.mass = 0.5, b.mass.com = cdn_v3(0.15, 0, 0);
  b.mass.inertia = (cdn_inertia){ 0.002, 0.006, 0.006, 0, 0, 0 };
  b.X_PF.p = cdn_v3(-0.4, 0, 0.5), b.X_PF.R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), 1.5707963267948966);
  for (int i = 0; i < 2; i++) {
    b.parent = cdn_system_add_body(s, &b);
    b.X_PF.p = cdn_v3(0.3, 0, 0), b.X_PF.R = cdn_rotation_identity();
    cdn_system_add_mobility_damper(s, NULL, b.parent, 0, 0.3);
    cdn_soft_limit_def limit = cdn_default_soft_limit_def();
    limit.body = b.parent, limit.lower = -0.5, limit.upper = 0.5;
    cdn_system_add_soft_limit(s, &limit);
    shape.geometry.kind = CDN_GEOMETRY_SPHERE, shape.geometry.size[0] = 0.05;
    shape.X_BS.p = cdn_v3(0.3, 0, 0), shape.body = b.parent;
    cdn_system_add_shape(s, &shape);
  }
  OK_FREEZE(s);
  OK(cdn_state_create(s, &state));
  cdn_system_release(s);
  return state;
}

static cdn_body add_link(cdn_system *s, cdn_body parent, cdn_mobilizer kind, cdn_vec3 place) {
  cdn_body_def b = cdn_default_body_def();
  cdn_shape_def shape = cdn_default_shape_def();
  b.parent = parent, b.mobilizer = kind, b.X_PF.p = place;
  b.mass.mass = 0.7, b.mass.com = cdn_v3(0.1, 0, 0), b.mass.inertia = (cdn_inertia){ 0.004, 0.011, 0.012, 0, 0, 0 };
  shape.body = cdn_system_add_body(s, &b), shape.geometry.kind = CDN_GEOMETRY_SPHERE;
  shape.geometry.size[0] = 0.05, shape.X_BS.p = cdn_v3(0.2, 0, 0);
  cdn_system_add_shape(s, &shape);
  return shape.body;
}

/* Trees of every sort, without damping: a leg that reaches the floor, with a limit; one whose joints a tendon couples;
 * a ball with a limit; one that is driven, and bears a link with a limit; two bodies that meet; and one that flies. */
static cdn_state *trees(void) {
  cdn_system *s = cdn_system_create(NULL);
  cdn_state *state;
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_SOFT;
  cdn_system_set_contact(s, &contact);
  cdn_system_add_gravity(s, NULL, cdn_v3(0, 0, -9.81));
  cdn_shape_def shape = cdn_default_shape_def();
  shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(s, &shape);
  cdn_soft_limit_def limit = cdn_default_soft_limit_def();
  limit.lower = -0.3, limit.upper = 0.2;
  const cdn_body ground = { 0 }, leg = add_link(s, ground, CDN_FREE, cdn_v3(0, 0, 0.05));
  limit.body = add_link(s, leg, CDN_PIN, cdn_v3(0.2, 0, 0));
  cdn_system_add_soft_limit(s, &limit);
  cdn_soft_tendon_def tendon = cdn_default_soft_tendon_def();
  tendon.joints = 2, tendon.lower = -0.1, tendon.upper = 0.1;
  cdn_body last = ground;
  for (int i = 0; i < 2; i++) {
    last = add_link(s, last, CDN_UNIVERSAL, cdn_v3(i ? 0.2 : 2, 0, i ? 0 : 0.3));
    tendon.joint[i] = (cdn_mobility){ last, i }, tendon.coefficient[i] = 1 - 0.4 * i;
  }
  cdn_system_add_soft_tendon(s, &tendon);
  limit.body = add_link(s, ground, CDN_BALL, cdn_v3(4, 0, 0.5)), limit.upper = 0.3;
  cdn_system_add_soft_limit(s, &limit);
  cdn_motion_def motion = cdn_default_motion_def();
  motion.body = add_link(s, ground, CDN_PIN, cdn_v3(6, 0, 0.1));
  motion.params[0] = 0.3, motion.params[1] = 4;
  cdn_system_add_motion(s, &motion);
  limit.body = add_link(s, motion.body, CDN_PIN, cdn_v3(0.2, 0, 0)), limit.upper = 0.1;
  cdn_system_add_soft_limit(s, &limit);
  (void)add_link(s, ground, CDN_FREE, cdn_v3(8, 0, 0.05));
  (void)add_link(s, ground, CDN_FREE, cdn_v3(8, 0, 0.16));
  (void)add_link(s, ground, CDN_FREE, cdn_v3(10, 0, 5));
  OK_FREEZE(s);
  OK(cdn_state_create(s, &state));
  cdn_system_release(s);
  return state;
}

static cdn_stepper *stepper_of(cdn_state *state, cdn_method method) {
  cdn_stepper_def def = cdn_default_stepper_def();
  cdn_stepper *stepper;
  def.method = method, def.fixed_step = H;
  OK_ON(state, cdn_stepper_create(state, &def, &stepper));
  return stepper;
}

static void same_bits(const cdn_state *a, const cdn_state *b) {
  const cdn_system *s = cdn_state_system(a);
  ck_assert(cdn_state_time(a) == cdn_state_time(b));
  ck_assert_mem_eq(cdn_state_q(a), cdn_state_q(b), (size_t)cdn_system_nq(s) * sizeof(double));
  ck_assert_mem_eq(cdn_state_u(a), cdn_state_u(b), (size_t)cdn_system_nu(s) * sizeof(double));
}

/* The State of a run, a copy of it, and one that was given its q and u have the same accelerations; whoever looks at
 * them changes no step. */
START_TEST(looks_change_nothing) {
  cdn_state *state = pile(), *copy;
  OK(cdn_state_create((cdn_system *)cdn_state_system(state), &copy));
  const size_t size = (size_t)cdn_system_nu(cdn_state_system(state)) * sizeof(double);
  cdn_stepper *seen = stepper_of(state, methods[_i]), *unseen = stepper_of(state, methods[_i]);
  cdn_state *run = cdn_stepper_state(seen);
  for (int k = 1; k <= STEPS; k++) {
    OK_STEP(seen, cdn_stepper_advance(seen, k * H, NULL));
    OK(cdn_state_copy(copy, run));
    OK_ON(run, cdn_realize(run, CDN_STAGE_ACCELERATION));
    OK_ON(copy, cdn_realize(copy, CDN_STAGE_ACCELERATION));
    ck_assert_mem_eq(cdn_state_udot(run), cdn_state_udot(copy), size);
    OK_ON(copy, cdn_state_set_q(copy, cdn_state_q(run)));
    ck_assert_mem_eq(cdn_state_udot(run), cdn_state_udot(copy), size);
  }
  OK_STEP(unseen, cdn_stepper_advance(unseen, STEPS * H, NULL));
  same_bits(run, cdn_stepper_state(unseen));
  cdn_stepper_destroy(seen);
  cdn_stepper_destroy(unseen);
  cdn_state_destroy(copy);
  cdn_state_destroy(state);
}
END_TEST

/* From a checkpoint of the run, from one of its State, and from a copy. */
START_TEST(runs_go_on_with_the_same_bits) {
  cdn_state *state = pile();
  cdn_stepper *whole = stepper_of(state, methods[_i]), *part = stepper_of(state, methods[_i]), *loaded;
  cdn_state *at = cdn_stepper_state(part), *copy;
  cdn_buffer bytes = { 0 }, of_state = { 0 };
  OK_STEP(whole, cdn_stepper_advance(whole, STEPS * H, NULL));
  OK_STEP(part, cdn_stepper_advance(part, 70 * H, NULL));
  OK_STEP(part, cdn_stepper_save(part, cdn_buffer_write, &bytes));
  OK_ON(at, cdn_state_save(at, cdn_buffer_write, &of_state));
  OK_ON(state, cdn_stepper_load(state, NULL, NULL, cdn_buffer_read, &bytes, &loaded));
  OK_STEP(loaded, cdn_stepper_advance(loaded, STEPS * H, NULL));
  same_bits(cdn_stepper_state(loaded), cdn_stepper_state(whole));
  cdn_stepper_destroy(loaded);
  OK(cdn_state_create((cdn_system *)cdn_state_system(state), &copy));
  for (int from_file = 0; from_file < 2; from_file++) {
    if (from_file) OK_ON(copy, cdn_state_load(copy, cdn_buffer_read, &of_state));
    else OK(cdn_state_copy(copy, at));
    loaded = stepper_of(copy, methods[_i]);
    OK_STEP(loaded, cdn_stepper_advance(loaded, STEPS * H, NULL));
    same_bits(cdn_stepper_state(loaded), cdn_stepper_state(whole));
    cdn_stepper_destroy(loaded);
  }
  cdn_buffer_free(&bytes);
  cdn_buffer_free(&of_state);
  cdn_stepper_destroy(whole);
  cdn_stepper_destroy(part);
  cdn_state_destroy(copy);
  cdn_state_destroy(state);
}
END_TEST

/* In calls of 70 steps and of 50, in as many lanes as there are and alone. */
START_TEST(lanes_have_the_same_bits) {
  enum { STATES = 10 };
  cdn_state *state = pile(), *start, *end;
  OK(cdn_state_create((cdn_system *)cdn_state_system(state), &start));
  OK(cdn_state_create((cdn_system *)cdn_state_system(state), &end));
  for (int lanes = 0; lanes < 2; lanes++) {
    cdn_ensemble_def def = cdn_default_ensemble_def();
    cdn_ensemble *e;
    def.count = STATES, def.method = methods[_i], def.lanes = lanes;
    OK_ON(state, cdn_ensemble_create(state, &def, &e));
    const int nu = cdn_system_nu(cdn_state_system(state));
    double u[STATES][32] = { { 0 } };
    for (int k = 0; k < STATES; k++) u[k][5] = -0.1 * k, u[k][8] = 0.2 * k;
    OK(cdn_ensemble_set(e, CDN_POOL_U, &u[0][0], 32));
    OK(cdn_ensemble_advance(e, H, 70));
    OK(cdn_ensemble_advance(e, H, STEPS - 70));
    for (int k = 0; k < STATES; k++) {
      OK_ON(start, cdn_state_set_u(start, u[k]));
      cdn_stepper *stepper = stepper_of(start, methods[_i]);
      OK_STEP(stepper, cdn_stepper_advance(stepper, STEPS * H, NULL));
      OK(cdn_ensemble_get_state(e, k, end));
      same_bits(end, cdn_stepper_state(stepper));
      cdn_stepper_destroy(stepper);
    }
    ck_assert_int_le(nu, 32);
    cdn_ensemble_destroy(e);
  }
  cdn_state_destroy(end);
  cdn_state_destroy(start);
  cdn_state_destroy(state);
}
END_TEST

/* Steps find the accelerations that their States have, whichever way they went: without damping u1 = u0 + h udot. */
START_TEST(steps_have_the_accelerations_of_their_states) {
  cdn_state *state = trees(), *copy;
  const cdn_system *s = cdn_state_system(state);
  const int nu = cdn_system_nu(s), driven = cdn_body_first_u(s, cdn_motion_body(s, (cdn_motion){ 0 }));
  OK(cdn_state_create((cdn_system *)s, &copy));
  cdn_stepper *stepper = stepper_of(state, methods[_i]);
  cdn_state *run = cdn_stepper_state(stepper);
  cdn_certificate c;
  int groups, most = 0;
  for (int k = 1; k <= 4 * STEPS; k++) {
    OK(cdn_state_copy(copy, run));
    OK_ON(copy, cdn_realize(copy, CDN_STAGE_ACCELERATION));
    OK_ON(copy, cdn_soft_count(copy, &groups));
    most = groups > most ? groups : most;
    OK_STEP(stepper, cdn_stepper_advance(stepper, k * H, NULL));
    double size = 1;
    for (int i = 0; i < nu; i++) size = fmax(size, fabs(cdn_state_udot(copy)[i]));
    for (int i = 0; i < nu; i++) {
      if (i == driven) continue; /* u is that of the motion at the step's end */
      const double udot = (cdn_state_u(run)[i] - cdn_state_u(copy)[i]) / H;
      NEAR(udot, cdn_state_udot(copy)[i], 1e-7 * size);
    }
  }
  ck_assert_int_ge(most, 7);
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &c));
  AT_MOST(c.max_soft_residual, 1e-8);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(copy);
  cdn_state_destroy(state);
}
END_TEST

/* At rest one step of Newton's method is enough: udot0, from which cdn_realize starts, is far away. */
START_TEST(rest_takes_one_iteration) {
  cdn_state *state = pile();
  cdn_stepper *stepper = stepper_of(state, methods[_i]);
  cdn_certificate before, after;
  OK_STEP(stepper, cdn_stepper_advance(stepper, 4, NULL));
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &before));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 5, NULL));
  OK_STEP(stepper, cdn_stepper_certificate(stepper, &after));
  AT_MOST((double)(after.soft_iterations - before.soft_iterations), 1.1 * 256);
  AT_MOST(after.max_soft_residual, 1e-8);
  cdn_stepper_destroy(stepper);
  cdn_state_destroy(state);
}
END_TEST

static void add(TCase *c) {
  const int n = sizeof methods / sizeof *methods;
  tcase_add_loop_test(c, looks_change_nothing, 0, n);
  tcase_add_loop_test(c, runs_go_on_with_the_same_bits, 0, n);
  tcase_add_loop_test(c, lanes_have_the_same_bits, 0, n);
  tcase_add_loop_test(c, rest_takes_one_iteration, 0, n);
  tcase_add_loop_test(c, steps_have_the_accelerations_of_their_states, 0, n);
}
CHECK_MAIN_OF("where soft rows start", 120, add)
