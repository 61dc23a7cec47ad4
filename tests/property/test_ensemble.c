/* Ensembles: every State is, to the last bit, the lone State with the same variables; whatever the lanes and
 * threads. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mechanisms.h"
#include "prescribed_tree.h"
#include "random_constraints.h"
#include "random_tree.h"

enum { COUNT = 11 };

/* Forces that the random trees do not bring: a bushing, a constant force between points, a damper on all mobilities. */
static void add_rest(random_tree *tree, uint64_t seed) {
  rng r = rng_of(seed);
  const double k[6] = { 3, 4, 5, 60, 70, 80 }, c[6] = { 0.3, 0.4, 0.5, 6, 7, 8 };
  cdn_transform X_A = { random_rotation(&r), random_vec3(&r, 0.3) },
                X_B = { random_rotation(&r), random_vec3(&r, 0.3) };
  cdn_smooth_contact_def smooth = cdn_default_smooth_contact_def();
  smooth.ball_body.i = tree->bodies, smooth.radius = 0.5, smooth.modulus = 1e3;
  cdn_system_add_smooth_contact(tree->system, &smooth);
  cdn_system_add_linear_bushing(tree->system, "bushing", cdn_ground(), X_A, (cdn_body){ tree->bodies }, X_B, k, c);
  cdn_system_add_two_point_force(tree->system, "thrust", (cdn_body){ 1 }, random_vec3(&r, 0.3), cdn_ground(),
                                 cdn_v3(5, 5, 5), 2.5);
  cdn_system_add_global_damper(tree->system, "all", 0.01);
  for (int l = 0; l < cdn_body_nu(tree->system, (cdn_body){ 1 }); l++) /* some stick, some slide */
    cdn_system_add_mobility_friction(tree->system, NULL, (cdn_body){ 1 }, l, l % 2 ? 0.3 : 1e3, 30, 0.2);
  const cdn_mobility ends[2] = { { { 1 }, 0 }, { { tree->bodies }, 0 } };
  const double coefficients[2] = { 0.7, -1.3 };
  if (tree->bodies > 1 && cdn_body_nu(tree->system, ends[0].body) > 0 && cdn_body_nu(tree->system, ends[1].body) > 0)
    cdn_system_add_tendon_friction(tree->system, NULL, 2, ends, coefficients, 0.4, 30, 0.2);
}

/* States of their own, and what becomes of them alone. */
typedef struct lone {
  cdn_state *state[COUNT];
  int n;
} lone;

static lone make_lone(cdn_state *first, uint64_t seed) {
  lone x = { .n = COUNT };
  rng r = rng_of(seed);
  for (int k = 0; k < COUNT; k++) {
    OK(cdn_state_create(cdn_state_system(first), &x.state[k]));
    OK(cdn_state_copy(x.state[k], first));
    set_random_qu(x.state[k], &r, 2);
    OK(cdn_state_set_time(x.state[k], 0.1 * k));
  }
  return x;
}

static void free_lone(lone *x) {
  for (int k = 0; k < x->n; k++) cdn_state_destroy(x->state[k]);
}

static cdn_ensemble *gather(cdn_state *first, const lone *x, int lanes, int threads, unsigned vary, cdn_method method) {
  cdn_ensemble_def def = cdn_default_ensemble_def();
  def.count = x->n, def.lanes = lanes, def.threads = threads, def.vary = vary, def.method = method;
  cdn_ensemble *e = NULL;
  cdn_status status = cdn_ensemble_create(first, &def, &e);
  if (status == CDN_ERR_UNSUPPORTED && lanes > 1) return NULL; /* a machine without these lanes */
  OK(status);
  for (int k = 0; k < x->n; k++) {
    if (cdn_ensemble_set_state(e, k, x->state[k]) == CDN_OK) continue;
    cdn_error error;
    cdn_ensemble_last_error(e, &error);
    ck_abort_msg("%s", error.text);
  }
  return e;
}

static void same(const char *what, int lanes, int k, const double *a, const double *b, int n) {
  for (int i = 0; i < n; i++)
    ck_assert_msg(memcmp(&a[i], &b[i], sizeof *a) == 0, "%s[%d] of State %d in %d lanes is %.17g, alone %.17g", what, i,
                  k, lanes, a[i], b[i]);
}

/* ---- evaluation ---- */

static void check_evaluation(cdn_ensemble *e, const lone *x, int lanes) {
  const cdn_system *system = cdn_state_system(x->state[0]);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system);
  double *rows = calloc((size_t)COUNT * (size_t)(nq + 3), sizeof *rows), *one = calloc((size_t)nu + 1, sizeof *one);
  const size_t stride = (size_t)nq + 3; /* wider than what there is */

  OK(cdn_ensemble_rates(e, CDN_POOL_U, rows, stride));
  for (int k = 0; k < COUNT; k++) same("udot", lanes, k, rows + stride * (size_t)k, cdn_state_udot(x->state[k]), nu);
  OK(cdn_ensemble_inverse_dynamics(e, rows, stride, rows, stride));
  for (int k = 0; k < COUNT; k++) {
    OK(cdn_inverse_dynamics(x->state[k], cdn_state_udot(x->state[k]), NULL, NULL, one));
    same("inverse dynamics", lanes, k, rows + stride * (size_t)k, one, nu);
  }
  OK(cdn_ensemble_multiply_by_M_inv(e, rows, stride, rows, stride));
  for (int k = 0; k < COUNT; k++) {
    OK(cdn_inverse_dynamics(x->state[k], cdn_state_udot(x->state[k]), NULL, NULL, one));
    OK(cdn_multiply_by_M_inv(x->state[k], one, one));
    same("M^-1 f", lanes, k, rows + stride * (size_t)k, one, nu);
  }
  OK(cdn_ensemble_inverse_dynamics(e, NULL, 0, rows, stride));
  for (int k = 0; k < COUNT; k++) {
    OK(cdn_calc_bias(x->state[k], one));
    same("bias", lanes, k, rows + stride * (size_t)k, one, nu);
  }
  OK(cdn_ensemble_rates(e, CDN_POOL_Q, rows, 0));
  for (int k = 0; k < COUNT; k++)
    same("qdot", lanes, k, rows + (size_t)nq * (size_t)k, cdn_state_qdot(x->state[k]), nq);

  double kinetic[COUNT], potential[COUNT];
  OK(cdn_ensemble_energies(e, kinetic, potential));
  for (int k = 0; k < COUNT; k++) {
    double energy[2];
    OK(cdn_kinetic_energy(x->state[k], &energy[0]));
    OK(cdn_potential_energy(x->state[k], &energy[1]));
    same("kinetic energy", lanes, k, &kinetic[k], &energy[0], 1);
    same("potential energy", lanes, k, &potential[k], &energy[1], 1);
  }
  for (int b = 0; b < cdn_system_body_count(system); b++) {
    cdn_transform X[COUNT];
    cdn_spatial V[COUNT];
    OK(cdn_ensemble_body(e, (cdn_body){ b }, X, V));
    for (int k = 0; k < COUNT; k++) {
      cdn_transform X_GB;
      cdn_spatial V_GB;
      OK(cdn_body_pose(x->state[k], (cdn_body){ b }, &X_GB));
      OK(cdn_body_velocity(x->state[k], (cdn_body){ b }, &V_GB));
      same("pose", lanes, k, &X[k].R.x.x, &X_GB.R.x.x, 12);
      same("velocity", lanes, k, &V[k].w.x, &V_GB.w.x, 6);
    }
  }
  free(rows), free(one);
}

static const int all_lanes[] = { 1, 4, 8, 0 };

static void check_tree(const random_tree *tree, uint64_t seed) {
  cdn_state *first = random_tree_state(tree, seed);
  lone x = make_lone(first, seed + 1);
  for (int i = 0; i < 4; i++) {
    cdn_ensemble *e = gather(first, &x, all_lanes[i], 1 + i % 3, 0, CDN_METHOD_DEFAULT);
    if (e) check_evaluation(e, &x, all_lanes[i]);
    cdn_ensemble_destroy(e);
  }
  free_lone(&x);
  cdn_state_destroy(first);
}

START_TEST(evaluation_is_the_same_bits) {
  for (uint64_t seed = 1; seed <= 30; seed++) {
    tree_options o = { .bodies = 3 + (int)(seed % 17), .shape = seed, .numbers = seed, .forces = true };
    random_tree tree = make_random_tree(&o);
    add_rest(&tree, seed);
    check_tree(&tree, seed);
  }
}
END_TEST

/* ---- time ---- */

static void check_advance(cdn_state *first, const lone *x, int lanes, int threads, unsigned vary, cdn_method method) {
  const double h = 0.003;
  enum { STEPS = 7 };
  cdn_ensemble *e = gather(first, x, lanes, threads, vary, method);
  if (!e) return;
  const cdn_system *system = cdn_state_system(first);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system), nz = cdn_system_nz(system);
  OK(cdn_ensemble_advance(e, h, STEPS));
  cdn_state *out = NULL;
  OK(cdn_state_create(system, &out));
  for (int k = 0; k < x->n; k++) {
    cdn_stepper_def how = cdn_default_stepper_def();
    how.method = method, how.fixed_step = h;
    cdn_stepper *stepper = NULL;
    OK_ON(x->state[k], cdn_stepper_create(x->state[k], &how, &stepper));
    OK_STEP(stepper, cdn_stepper_advance(stepper, cdn_state_time(x->state[k]) + STEPS * h, NULL));
    const cdn_state *alone = cdn_stepper_state(stepper);
    OK(cdn_ensemble_get_state(e, k, out));
    const double t[2] = { cdn_state_time(out), cdn_state_time(alone) };
    same("t", lanes, k, &t[0], &t[1], 1);
    same("q", lanes, k, cdn_state_q(out), cdn_state_q(alone), nq);
    same("u", lanes, k, cdn_state_u(out), cdn_state_u(alone), nu);
    same("z", lanes, k, cdn_state_z(out), cdn_state_z(alone), nz);
    cdn_stepper_destroy(stepper);
  }
  cdn_state_destroy(out);
  cdn_ensemble_destroy(e);
}

static const cdn_method methods[] = { CDN_METHOD_DEFAULT,
                                      CDN_METHOD_MERSON,
                                      CDN_METHOD_DORMAND_PRINCE,
                                      CDN_METHOD_FEHLBERG,
                                      CDN_METHOD_EXPLICIT_EULER,
                                      CDN_METHOD_BOGACKI_SHAMPINE,
                                      CDN_METHOD_DORMAND_PRINCE_8,
                                      CDN_METHOD_TRAPEZOID,
                                      CDN_METHOD_SEMI_EXPLICIT_EULER,
                                      CDN_METHOD_MUJOCO_EULER,
                                      CDN_METHOD_MUJOCO_IMPLICIT_FAST };
enum { METHODS = sizeof methods / sizeof methods[0] };

START_TEST(steps_are_the_same_bits) {
  for (uint64_t seed = 1; seed <= 2 * METHODS; seed++) {
    tree_options o = { .bodies = 2 + (int)(seed % 7), .shape = seed, .numbers = seed, .forces = true };
    random_tree tree = make_random_tree(&o);
    add_rest(&tree, seed);
    cdn_state *first = random_tree_state(&tree, seed);
    lone x = make_lone(first, seed + 1);
    for (int i = 0; i < 3; i++) check_advance(first, &x, all_lanes[i], 1 + i, 0, methods[seed % METHODS]);
    free_lone(&x);
    cdn_state_destroy(first);
  }
}
END_TEST

/* ---- what varies ---- */

/* Parameters of trees of the same shape with other numbers, and forces from outside on some. */
static void vary(lone *x, const tree_options *like) {
  rng r = rng_of(like->numbers + 99);
  for (int k = 0; k < x->n; k++) {
    cdn_state *state = x->state[k];
    tree_options o = *like;
    o.numbers += (uint64_t)(k % 3);
    random_tree other = make_random_tree(&o);
    add_rest(&other, o.numbers);
    cdn_state *other_state = random_tree_state(&other, 1);
    set_tree_parameters(state, &other, other_state);
    const int nu = cdn_system_nu(cdn_state_system(state));
    double f[6 * TREE_MOST_BODIES];
    random_numbers(&r, 1, f, nu);
    if (k % 2) OK(cdn_state_set_applied_mobility_forces(state, f));
    if (k % 4 == 1) OK(cdn_state_set_applied_body_force(state, (cdn_body){ other.bodies }, random_spatial(&r, 1)));
    cdn_state_destroy(other_state);
  }
}

START_TEST(parameters_may_vary) {
  const unsigned all = CDN_VARY_FRAMES | CDN_VARY_MASSES | CDN_VARY_FORCES | CDN_VARY_APPLIED;
  for (uint64_t seed = 1; seed <= 8; seed++) {
    tree_options o = { .bodies = 3 + (int)(seed % 5), .shape = seed, .numbers = 10 * seed, .forces = true };
    random_tree tree = make_random_tree(&o);
    add_rest(&tree, seed);
    cdn_state *first = random_tree_state(&tree, seed);
    lone x = make_lone(first, seed + 1);
    vary(&x, &o);
    for (int i = 0; i < 3; i++) {
      cdn_ensemble *e = gather(first, &x, all_lanes[i], 3 - i, all, CDN_METHOD_DEFAULT);
      if (e) check_evaluation(e, &x, all_lanes[i]);
      cdn_ensemble_destroy(e);
      check_advance(first, &x, all_lanes[i], 1 + i, all, CDN_METHOD_MERSON);
    }
    free_lone(&x);
    cdn_state_destroy(first);
  }
}
END_TEST

/* ---- custom forces ---- */

/* A force from q, u, t and poses on a body and a mobility; with `lag`, through a z of its own. */
typedef struct pull {
  cdn_body body;
  bool lag;
  cdn_zvar z;
} pull;

static cdn_status declare_pull(void *self, cdn_declarer *d) {
  pull *p = self;
  if (p->lag) p->z = cdn_declare_z(d, 1, NULL);
  return CDN_OK;
}

static cdn_status pull_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const pull *p = self;
  cdn_transform X;
  cdn_spatial V;
  cdn_status status = cdn_body_pose(state, p->body, &X);
  if (status == CDN_OK) status = cdn_body_velocity(state, p->body, &V);
  if (status != CDN_OK) return status;
  const double z = p->lag ? cdn_state_zvar(state, p->z)[0] : sin(cdn_state_time(state));
  cdn_forces_add_point(forces, p->body, cdn_v3(0.1, 0.2, 0.3), cdn_scale(-z, cdn_add(X.p, V.v)));
  cdn_forces_add_torque(forces, p->body, cdn_scale(0.1, V.w));
  return CDN_OK;
}

static cdn_status pull_zdot(const void *self, cdn_state *state, double *zdot) {
  const pull *p = self;
  if (p->lag) zdot[0] = cos(cdn_state_time(state)) - cdn_state_zvar(state, p->z)[0];
  return CDN_OK;
}

static void check_custom(bool lag) {
  cdn_force_ops ops = { .struct_size = sizeof ops, .calc_force = pull_force };
  ops.reads = lag ? CDN_READS_EVERYTHING : CDN_READS_VELOCITY;
  ops.subsystem = (cdn_subsystem_ops){ .name = "pull", .self_size = sizeof(pull), .declare = declare_pull };
  if (lag) ops.subsystem.calc_zdot = pull_zdot;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    tree_options o = { .bodies = 4, .shape = seed, .numbers = seed, .forces = true };
    random_tree tree = make_random_tree(&o);
    const pull self = { .body = { 3 }, .lag = lag };
    cdn_system_add_custom_force(tree.system, &ops, &self);
    cdn_state *first = random_tree_state(&tree, seed);
    lone x = make_lone(first, seed);
    for (int i = 0; i < 3; i++) {
      cdn_ensemble *e = gather(first, &x, all_lanes[i], 2, 0, CDN_METHOD_DEFAULT);
      if (e) {
        ck_assert_int_eq(cdn_ensemble_lanes(e), all_lanes[i]);
        check_evaluation(e, &x, all_lanes[i]);
      }
      cdn_ensemble_destroy(e);
      check_advance(first, &x, all_lanes[i], 2, 0, CDN_METHOD_BOGACKI_SHAMPINE);
      check_advance(first, &x, all_lanes[i], 2, 0, CDN_METHOD_SEMI_EXPLICIT_EULER);
    }
    free_lone(&x);
    cdn_state_destroy(first);
  }
}

START_TEST(custom_forces_in_lanes) { check_custom(false); }
END_TEST

START_TEST(auxiliary_states_in_lanes) { check_custom(true); }
END_TEST

/* ---- measures ---- */

/* A torque by three measures: where a body is, and two numbers that are as the State has them. */
typedef struct guide {
  cdn_body body;
  cdn_measure place, gain, offset;
} guide;

static cdn_status guide_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const guide *g = self;
  const double *gain = cdn_measure_value(state, g->gain), *offset = cdn_measure_value(state, g->offset);
  const double *p = cdn_measure_value(state, g->place);
  if (!gain || !offset || !p) return CDN_ERR_CALLBACK;
  cdn_forces_add_torque(forces, g->body, cdn_v3(*gain * p[0], *gain * p[1] + *offset, p[2]));
  return CDN_OK;
}

/* Measures are no obstacle to lanes; one that remembers is no affair of fixed steps without a stepper. */
static void check_measures(bool remembers) {
  const double gain = 0.7, offset = -0.3;
  for (uint64_t seed = 1; seed <= 4; seed++) {
    tree_options o = { .bodies = 4, .shape = seed, .numbers = seed, .forces = true };
    random_tree tree = make_random_tree(&o);
    guide g = { .body = { 3 } };
    g.place = cdn_system_add_station_measure(tree.system, "place", g.body, cdn_v3(0.1, 0, 0.2), CDN_STATION_POSITION);
    g.gain = cdn_system_add_variable_measure(tree.system, "gain", 1, &offset);
    g.offset = cdn_system_add_result_measure(tree.system, "offset", 1, CDN_STAGE_INSTANCE, 0, NULL);
    if (remembers) cdn_system_add_extreme_measure(tree.system, "farthest", g.place, CDN_MAX_ABS);
    const cdn_ticket reads[] = { cdn_measure_ticket(tree.system, g.place), cdn_measure_ticket(tree.system, g.gain),
                                 cdn_measure_ticket(tree.system, g.offset) };
    cdn_force_ops ops = {
      .struct_size = sizeof ops, .calc_force = guide_force, .prerequisites = reads, .n_prerequisites = 3
    };
    ops.subsystem.name = "guide", ops.subsystem.self_size = sizeof g;
    cdn_system_add_custom_force(tree.system, &ops, &g);
    cdn_state *first = random_tree_state(&tree, seed);
    OK_ON(first, cdn_measure_set_value(first, g.gain, &gain));
    OK_ON(first, cdn_measure_set_value(first, g.offset, &offset));
    lone x = make_lone(first, seed);
    for (int i = 0; i < 3; i++) {
      cdn_ensemble *e = gather(first, &x, all_lanes[i], 2, 0, CDN_METHOD_DEFAULT);
      if (e) {
        ck_assert_int_eq(cdn_ensemble_lanes(e), all_lanes[i]);
        check_evaluation(e, &x, all_lanes[i]);
      }
      cdn_ensemble_destroy(e);
      if (!remembers) check_advance(first, &x, all_lanes[i], 2, 0, CDN_METHOD_BOGACKI_SHAMPINE);
    }
    free_lone(&x);
    cdn_state_destroy(first);
  }
}

START_TEST(measures_in_lanes) { check_measures(false); }
END_TEST

START_TEST(measures_that_remember_in_lanes) { check_measures(true); }
END_TEST

/* ---- prescribed motion and constraints ---- */

/* Motions of every kind and level, own ones too, and locks: in evaluations and in steps. */
START_TEST(what_is_prescribed_in_lanes) {
  int driven = 0;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    tree_options o = { .bodies = 4 + (int)(seed % 5), .shape = seed, .numbers = seed, .forces = true };
    prescribed_tree p = make_prescribed_tree(&o, seed);
    cdn_state *first = prescribed_tree_state(&p, seed);
    driven += p.prescribed;
    lone x = make_lone(first, seed);
    for (int i = 0; i < 3; i++) {
      cdn_ensemble *e = gather(first, &x, all_lanes[i], 2, 0, CDN_METHOD_DEFAULT);
      if (e) ck_assert_int_eq(cdn_ensemble_lanes(e), all_lanes[i]);
      if (e) check_evaluation(e, &x, all_lanes[i]);
      cdn_ensemble_destroy(e);
      check_advance(first, &x, all_lanes[i], 2, 0, methods[seed % METHODS]);
    }
    free_lone(&x);
    cdn_state_destroy(first);
  }
  ck_assert_int_gt(driven, 12);
}
END_TEST

/* Rates of constrained States, some of whose equations are redundant. */
START_TEST(constraints_in_lanes) {
  for (uint64_t seed = 1; seed <= 8; seed++) {
    tree_options o = { .bodies = 5 + (int)(seed % 5), .shape = seed, .numbers = seed, .forces = true };
    random_tree tree = make_random_tree(&o);
    add_random_constraints(&tree, 1 + (int)(seed % 3), seed);
    cdn_state *first = random_tree_state(&tree, seed);
    lone x = make_lone(first, seed);
    for (int i = 0; i < 3; i++) {
      cdn_ensemble *e = gather(first, &x, all_lanes[i], 2, 0, CDN_METHOD_DEFAULT);
      if (e) ck_assert_int_eq(cdn_ensemble_lanes(e), all_lanes[i]);
      if (e) check_evaluation(e, &x, all_lanes[i]);
      cdn_ensemble_destroy(e);
    }
    free_lone(&x);
    cdn_state_destroy(first);
  }
}
END_TEST

/* ---- constraints and events in time: each State by itself ---- */

/* A chain whose tip a rod holds, and two rods that say the same. */
static cdn_state *make_held_chain(void) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ .mass = 1, .com = { 0, -0.5, 0 }, .inertia = { .xx = 0.5, .yy = 0.1, .zz = 0.5 } };
  for (int i = 0; i < 4; i++) {
    def.X_PF.p = cdn_v3(0, i > 0 ? -1 : 0, 0);
    def.parent = cdn_system_add_body(system, &def);
  }
  for (int i = 0; i < 2; i++)
    cdn_system_constrain_rod(system, NULL, cdn_ground(), cdn_v3(3, 0, 0), def.parent, cdn_v3(0, -1, 0), 5);
  cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.81, 0));
  OK_FREEZE(system);
  return mechanism_state(system);
}

START_TEST(constrained_steps_are_the_same_bits) {
  const cdn_method some[] = { CDN_METHOD_DEFAULT, CDN_METHOD_MERSON, CDN_METHOD_SEMI_EXPLICIT_EULER };
  rng r = rng_of(7);
  for (int m = 0; m < 3; m++) {
    cdn_state *first = make_held_chain();
    lone x = make_lone(first, 1);
    for (int k = 0; k < COUNT; k++) {
      double q[4];
      random_numbers(&r, 0.2, q, 4);
      OK(cdn_state_set_q(x.state[k], q));
      OK_ON(x.state[k], cdn_project_q(x.state[k], NULL, NULL));
      OK_ON(x.state[k], cdn_project_u(x.state[k], NULL, NULL));
    }
    for (int i = 0; i < 3; i++) check_advance(first, &x, all_lanes[i], 1 + i, 0, some[m]);
    free_lone(&x);
    cdn_state_destroy(first);
  }
}
END_TEST

/* A ball that bounces off the floor, and a trampoline that gives way: it changes the stiffness of a spring. */
typedef struct ground {
  cdn_body ball;
  cdn_force spring; /* -1: none */
} ground;

static cdn_status height(const void *self, cdn_state *state, double *value) {
  *value = cdn_state_q(state)[cdn_body_first_q(cdn_state_system(state), ((const ground *)self)->ball)];
  return CDN_OK;
}

static cdn_status bounce(const void *self, cdn_state *state, const cdn_occurrence *what, cdn_action *action) {
  const ground *f = self;
  (void)what, (void)action;
  const double u = -0.8 * cdn_state_u(state)[0];
  if (f->spring.i >= 0) OK(cdn_mobility_spring_set(state, f->spring, 20, 1));
  return cdn_state_set_u(state, &u);
}

static cdn_state *make_bouncing(bool trampoline) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER, def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  ground f = { .ball = cdn_system_add_body(system, &def), .spring = { -1 } };
  cdn_system_add_gravity(system, "gravity", cdn_v3(-9.81, 0, 0));
  if (trampoline) f.spring = cdn_system_add_mobility_spring(system, "spring", f.ball, 0, 10, 1);
  cdn_event_def event = cdn_default_event_def();
  event.value = height, event.direction = CDN_FALLING, event.handle = bounce;
  event.self = &f, event.self_size = sizeof f;
  cdn_system_add_event(system, &event);
  OK_FREEZE(system);
  return mechanism_state(system);
}

/* Heights from which some land and some do not. */
static lone make_falling(cdn_state *first) {
  lone x = make_lone(first, 1);
  for (int k = 0; k < COUNT; k++) {
    OK(cdn_state_set_q(x.state[k], &(double){ 1e-4 + 1e-4 * k }));
    OK(cdn_state_set_u(x.state[k], &(double){ -0.05 }));
  }
  return x;
}

START_TEST(events_are_the_same_bits) {
  cdn_state *first = make_bouncing(false);
  lone x = make_falling(first);
  for (int i = 0; i < 3; i++) check_advance(first, &x, all_lanes[i], 1 + i, 0, CDN_METHOD_MERSON);
  free_lone(&x);
  cdn_state_destroy(first);

  /* what handlers change must be what may vary */
  first = make_bouncing(true);
  x = make_falling(first);
  for (int i = 0; i < 3; i++) check_advance(first, &x, all_lanes[i], 1 + i, CDN_VARY_FORCES, CDN_METHOD_MERSON);
  cdn_ensemble *e = gather(first, &x, 0, 2, 0, CDN_METHOD_MERSON);
  FAILS(cdn_ensemble_advance(e, 0.003, 7), CDN_ERR_UNSUPPORTED);
  cdn_error error;
  cdn_ensemble_last_error(e, &error);
  ck_assert_msg(strstr(error.text, "forces.mobility_spring") && strstr(error.text, "vary"), "%s", error.text);
  int landed = 0;
  for (int k = 0; k < COUNT; k++) landed += cdn_ensemble_status(e, k) != CDN_OK;
  ck_assert(landed > 0 && landed < COUNT);
  cdn_ensemble_destroy(e);
  free_lone(&x);
  cdn_state_destroy(first);
}
END_TEST

/* ---- derivatives by differences ---- */

/* All columns of d udot / du at once, against the analytic ones. Central differences with h = 1e-5: truncation h^2 and
 * rounding eps / h, of the size of the largest udot. */
START_TEST(differences_are_an_ensemble) {
  tree_options o = { .bodies = 9, .shape = 5, .numbers = 5, .forces = true, .conservative = true };
  random_tree tree = make_random_tree(&o);
  cdn_state *state = random_tree_state(&tree, 5);
  const int nu = cdn_system_nu(cdn_state_system(state));
  const size_t n = (size_t)nu;
  const double h = 1e-5;
  cdn_ensemble_def def = cdn_default_ensemble_def();
  def.count = 2 * nu, def.threads = 2;
  cdn_ensemble *e = NULL;
  OK_ON(state, cdn_ensemble_create(state, &def, &e));
  double *u = calloc(2 * n * n, sizeof *u), *udot = calloc(2 * n * n, sizeof *udot), *exact = calloc(n * n, sizeof *u);
  for (size_t k = 0; k < 2 * n; k++) {
    memcpy(u + k * n, cdn_state_u(state), n * sizeof *u);
    u[k * n + k / 2] += k % 2 ? -h : h;
  }
  OK(cdn_ensemble_set(e, CDN_POOL_U, u, 0));
  OK(cdn_ensemble_rates(e, CDN_POOL_U, udot, 0));
  OK_ON(state, cdn_forward_dynamics_derivatives(state, NULL, exact, NULL, NULL));
  double largest = 1;
  for (size_t i = 0; i < 2 * n * n; i++) largest = fmax(largest, fabs(udot[i]));
  for (size_t r = 0; r < n; r++)
    for (size_t c = 0; c < n; c++)
      NEAR((udot[2 * c * n + r] - udot[(2 * c + 1) * n + r]) / (2 * h), exact[r * n + c], 1e-8 * largest);
  free(u), free(udot), free(exact);
  cdn_ensemble_destroy(e);
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("ensemble", evaluation_is_the_same_bits, steps_are_the_same_bits, parameters_may_vary,
           custom_forces_in_lanes, auxiliary_states_in_lanes, measures_in_lanes, measures_that_remember_in_lanes,
           what_is_prescribed_in_lanes, constraints_in_lanes, constrained_steps_are_the_same_bits,
           events_are_the_same_bits, differences_are_an_ensemble)
