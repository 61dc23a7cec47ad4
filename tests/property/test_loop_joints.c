/* A mobilizer between two bodies, and two free bodies with the same kind of loop joint, move alike: in states of the
 * first the second's errors are zero, and accelerations and redundancy are the same. */
#include "constraint_samples.h"
#include "random_tree.h"

typedef struct joint {
  cdn_mobilizer kind;
  bool reversed;
  double params[CDN_MOBILIZER_PARAMS];
  cdn_transform X_AF, X_BM;
} joint;

static joint random_joint(cdn_mobilizer kind, rng *r) {
  joint j = { .kind = kind, .reversed = pick(r, 2) };
  j.X_AF = (cdn_transform){ random_rotation(r), random_vec3(r, 0.5) };
  j.X_BM = (cdn_transform){ random_rotation(r), random_vec3(r, 0.5) };
  for (int i = 0; i < 3; i++) j.params[i] = uniform(r, 0.2, 1);
  if (kind == CDN_SCREW) j.params[0] = uniform(r, -0.5, 0.5);
  if (kind == CDN_SPHERICAL_COORDS) {
    j.params[0] = uniform(r, -1, 1), j.params[1] = uniform(r, -1, 1);
    j.params[2] = pick(r, 16);
  }
  return j;
}

static cdn_mass_properties solid(rng *r) {
  cdn_mass_properties m = { .mass = uniform(r, 0.5, 2), .com = random_vec3(r, 0.2) };
  const cdn_inertia principal = { .xx = uniform(r, 0.1, 0.12),
                                  .yy = uniform(r, 0.1, 0.12),
                                  .zz = uniform(r, 0.1, 0.12) };
  m.inertia = cdn_inertia_reexpress(random_rotation(r), principal);
  return m;
}

typedef struct pair {
  cdn_system *system;
  cdn_state *state;
  cdn_body a, b;
} pair;

static pair make_pair(const joint *j, uint64_t seed, bool loop) {
  pair p = { .system = cdn_system_create(NULL) };
  rng r = rng_of(seed);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_FREE, def.mass = solid(&r);
  p.a = cdn_system_add_body(p.system, &def);
  def.mass = solid(&r);
  if (!loop) {
    def.parent = p.a, def.mobilizer = j->kind, def.reversed = j->reversed;
    def.X_PF = j->X_AF, def.X_BM = j->X_BM;
    memcpy(def.params, j->params, sizeof def.params);
  }
  p.b = cdn_system_add_body(p.system, &def);
  if (loop && j->reversed) cdn_system_constrain_joint(p.system, "loop", j->kind, p.b, j->X_BM, p.a, j->X_AF, j->params);
  else if (loop) cdn_system_constrain_joint(p.system, "loop", j->kind, p.a, j->X_AF, p.b, j->X_BM, j->params);
  cdn_system_add_gravity(p.system, "gravity", cdn_v3(1, 2, -9));
  const cdn_vec3 at = random_vec3(&r, 0.5), f = random_vec3(&r, 5);
  cdn_system_add_body_force(p.system, "push", p.a, at, f, random_vec3(&r, 5));
  cdn_system_add_two_point_spring(p.system, "spring", p.b, cdn_v3(1, 0, 0), cdn_ground(), cdn_v3(0, 2, 0), 20, 1);
  OK_FREEZE(p.system);
  OK(cdn_state_create(p.system, &p.state));
  return p;
}

static void drop_pair(pair *p) {
  cdn_state_destroy(p->state);
  cdn_system_release(p->system);
}

/* A free body is where, and as fast as, it is in another State. */
static void follow(const pair *to, const pair *from, cdn_body body) {
  cdn_transform X;
  cdn_spatial V;
  OK_ON(from->state, cdn_body_pose(from->state, body, &X));
  OK_ON(from->state, cdn_body_velocity(from->state, body, &V));
  const cdn_quaternion q = cdn_quaternion_from_rotation(X.R);
  OK_ON(to->state, cdn_body_set_q(to->state, body, 7, (double[]){ q.w, q.x, q.y, q.z, X.p.x, X.p.y, X.p.z }));
  OK_ON(to->state, cdn_body_set_u(to->state, body, 6, (double[]){ V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z }));
}

static void near3(const char *name, cdn_vec3 a, cdn_vec3 b, double tolerance) {
  const double error = cdn_norm(cdn_sub(a, b));
  ck_assert_msg(error <= tolerance, "%s: (%g, %g, %g) and (%g, %g, %g) differ by %.3g > %.3g", name, a.x, a.y, a.z, b.x,
                b.y, b.z, error, tolerance);
}

static void compare(const joint *j, uint64_t seed, rng *r) {
  pair tree = make_pair(j, seed, false), loop = make_pair(j, seed, true);
  const char *name = cdn_mobilizer_name(j->kind);
  const cdn_constraint id = cdn_system_find_constraint(loop.system, "loop");
  const cdn_constraint_equations n = cdn_constraint_get_equations(loop.system, id);
  ck_assert_int_eq(n.np + n.nv, 6 - cdn_mobilizer_nu(j->kind));
  for (int i = 0; i < 5; i++) {
    set_random_qu(tree.state, r, 1.5);
    follow(&loop, &tree, loop.a);
    follow(&loop, &tree, loop.b);
    const double *qerr = cdn_state_qerr(loop.state), *uerr = cdn_state_uerr(loop.state);
    for (int k = 0; k < n.np; k++)
      ck_assert_msg(fabs(qerr[k]) <= 1e-13, "%s: position error %d is %g", name, k, qerr[k]);
    for (int k = 0; k < n.np + n.nv; k++)
      ck_assert_msg(fabs(uerr[k]) <= 1e-12, "%s: velocity error %d is %g", name, k, uerr[k]);
    for (int b = 1; b <= 2; b++) {
      cdn_spatial A, B;
      OK_ON(tree.state, cdn_body_acceleration(tree.state, (cdn_body){ b }, &A));
      OK_ON(loop.state, cdn_body_acceleration(loop.state, (cdn_body){ b }, &B));
      /* roundings of 1e-15 in forces of 100, by inertias of 0.1 and levers of 1, and where equations are nearly
       * dependent */
      near3(name, A.w, B.w, 1e-10 * (100 + cdn_norm(A.w)));
      near3(name, A.v, B.v, 1e-10 * (100 + cdn_norm(A.v)));
    }
  }
  drop_pair(&tree);
  drop_pair(&loop);
}

/* Other kinds are refused. */
static bool is_loop_joint(cdn_mobilizer kind) {
  rng r = rng_of(1);
  const joint j = random_joint(kind, &r);
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_FREE, def.mass = solid(&r);
  const cdn_body body = cdn_system_add_body(system, &def);
  cdn_system_constrain_joint(system, "loop", kind, cdn_ground(), j.X_AF, body, j.X_BM, j.params);
  const cdn_status status = cdn_system_freeze(system);
  cdn_system_release(system);
  return status == CDN_OK;
}

/* Rows, biases and derivatives of the samples are tested. */
START_TEST(test_loop_joints_have_samples) {
  for (int kind = 0; kind < CDN_MOBILIZER_COUNT; kind++) {
    bool there = false;
    for (int i = 0; i < constraint_sample_count(); i++)
      there = there || (!constraint_sample_at(i)->add && (int)constraint_sample_at(i)->joint == kind);
    ck_assert_msg(there == is_loop_joint((cdn_mobilizer)kind), "%s: its JOINT in constraint_samples.c is %s",
                  cdn_mobilizer_name((cdn_mobilizer)kind), there ? "no loop joint" : "missing");
  }
}
END_TEST

START_TEST(test_loop_joints_are_mobilizers) {
  for (int kind = 0; kind < CDN_MOBILIZER_COUNT; kind++) {
    if (!is_loop_joint((cdn_mobilizer)kind)) continue;
    for (uint64_t seed = 0; seed < 12; seed++) {
      rng r = rng_of(900 + 50 * (uint64_t)kind + seed);
      const joint j = random_joint((cdn_mobilizer)kind, &r);
      compare(&j, seed, &r);
    }
  }
}
END_TEST

/* Turns of a screw count by the nearest: the nut is where the turn says, not one thread off. */
START_TEST(test_screw_turns_more_than_once) {
  rng r = rng_of(5);
  const joint j = { .kind = CDN_SCREW,
                    .params = { 0.1 },
                    .X_AF = { random_rotation(&r), { 0, 0, 0 } },
                    .X_BM = { random_rotation(&r), { 0, 0, 0 } } };
  pair tree = make_pair(&j, 1, false), loop = make_pair(&j, 1, true);
  for (double angle = -20; angle < 20; angle += 0.37) {
    OK_ON(tree.state, cdn_body_set_q(tree.state, tree.b, 1, &angle));
    follow(&loop, &tree, loop.a);
    follow(&loop, &tree, loop.b);
    const double *e = cdn_state_qerr(loop.state);
    for (int k = 0; k < 5; k++) NEAR(e[k], 0, 1e-13);
  }
  drop_pair(&tree);
  drop_pair(&loop);
}
END_TEST

/* Orientation errors are rotation vectors: as large as the angle that is missing, whatever it is; a half turn does not
 * pass for none. */
START_TEST(test_orientation_errors_are_angles) {
  const cdn_transform I = cdn_transform_identity();
  for (int which = 0; which < 2; which++) {
    const joint j = { .kind = which ? CDN_PIN : CDN_WELD, .X_AF = I, .X_BM = I };
    pair p = make_pair(&j, 3, true);
    for (double angle = 1e-9; angle < PI; angle *= 1.7) {
      const cdn_vec3 axis = which ? cdn_v3(0.6, 0.8, 0) : cdn_v3(2.0 / 7, 3.0 / 7, 6.0 / 7);
      const cdn_quaternion q = cdn_quaternion_from_rotation(cdn_rotation_axis_angle(axis, angle));
      OK_ON(p.state, cdn_body_set_q(p.state, p.a, 7, (double[]){ 1, 0, 0, 0, 0, 0, 0 }));
      OK_ON(p.state, cdn_body_set_q(p.state, p.b, 7, (double[]){ q.w, q.x, q.y, q.z, 0, 0, 0 }));
      const double *e = cdn_state_qerr(p.state);
      NEAR(e[0], angle * axis.x, 1e-14 + 1e-15 / (PI - angle));
      NEAR(e[1], angle * axis.y, 1e-14 + 1e-15 / (PI - angle));
      if (!which) NEAR(e[2], angle * axis.z, 1e-14 + 1e-15 / (PI - angle));
    }
    drop_pair(&p);
  }
}
END_TEST

CHECK_MAIN("loop_joints", test_loop_joints_have_samples, test_loop_joints_are_mobilizers,
           test_screw_turns_more_than_once, test_orientation_errors_are_angles)
