/* Set to fit, for every mobilizer, reversed or not, with a quaternion or angles: what can be reached is, nothing
 * comes nearer to what cannot, turns are kept, and singular poses are gone through. */
#include "own_mobilizers.h"
#include "random_tree.h"

typedef struct rig {
  cdn_system *system;
  cdn_state *state;
  cdn_body body;
  cdn_mobilizer kind;
  bool reversed, euler, iterates;
  int nq, nu;
  rng r;
} rig;

static rig make_rig(cdn_mobilizer kind, bool reversed, bool euler, uint64_t seed,
                    const cdn_custom_mobilizer_ops *custom) {
  rig g = { .system = cdn_system_create(NULL), .kind = kind, .reversed = reversed, .euler = euler };
  g.r = rng_of(1000 * seed + (uint64_t)kind);
  cdn_function_mobilizer functions = own_functions((int)seed % OWN_FUNCTION_SETS);
  double factor = 2;
  cdn_body_def def = cdn_default_body_def();
  def.mass = (cdn_mass_properties){ 1, { 0.1, 0.2, 0.3 }, { 0.1, 0.11, 0.12, 0, 0, 0 } };
  def.X_PF = (cdn_transform){ random_rotation(&g.r), random_vec3(&g.r, 0.5) };
  def.X_BM = (cdn_transform){ random_rotation(&g.r), random_vec3(&g.r, 0.5) };
  def.mobilizer = kind, def.reversed = reversed, def.euler = euler;
  for (int i = 0; i < 3; i++) def.params[i] = uniform(&g.r, 0.1, 0.9);
  if (kind == CDN_SPHERICAL_COORDS) def.params[2] = pick(&g.r, 16);
  if (kind == CDN_FUNCTION_BASED) def.params[3] = (int)seed % OWN_FUNCTION_SETS;
  if (kind == CDN_CUSTOM_MOBILIZER) def.params[3] = (int)seed % OWN_CUSTOMS;
  def.functions = &functions, def.custom = custom ? custom : own_custom((int)seed % OWN_CUSTOMS);
  def.custom_self = &factor;
  g.body = cdn_system_add_body(g.system, &def);
  release_functions(&functions);
  OK_FREEZE(g.system);
  OK(cdn_state_create(g.system, &g.state));
  g.nq = cdn_body_nq(g.system, g.body), g.nu = cdn_body_nu(g.system, g.body);
  g.iterates = kind == CDN_FUNCTION_BASED || kind == CDN_CUSTOM_MOBILIZER;
  return g;
}

static void drop(rig *g) {
  cdn_state_destroy(g->state);
  cdn_system_release(g->system);
}

typedef void check_rig(rig *g);

static void on_joints(check_rig *check) {
  for (int kind = 0; kind < CDN_MOBILIZER_COUNT; kind++)
    for (int variant = 0; variant < 4; variant++)
      for (uint64_t seed = 1; seed <= 3; seed++) {
        const bool orients = kind == CDN_BALL || kind == CDN_FREE || kind == CDN_ELLIPSOID ||
                             kind == CDN_LINE_ORIENTATION || kind == CDN_FREE_LINE;
        if (variant & 2 && !orients) continue;
        rig g = make_rig((cdn_mobilizer)kind, variant & 1, variant & 2, seed, NULL);
        check(&g);
        drop(&g);
      }
}

static bool has_quaternion(const rig *g) { return cdn_body_has_quaternion(g->system, g->body); }

/* Anywhere: quaternions of any direction and length, the rest within the size. */
static void random_q(rig *g, double size, double *q) {
  random_numbers(&g->r, size, q, g->nq);
  if (!has_quaternion(g)) return;
  const cdn_quaternion e = cdn_quaternion_from_rotation(random_rotation(&g->r));
  const double length = pick(&g->r, 2) ? 1 : -3;
  q[0] = length * e.w, q[1] = length * e.x, q[2] = length * e.y, q[3] = length * e.z;
}

static cdn_transform pose_at(rig *g, const double *q) {
  cdn_transform X;
  OK_ON(g->state, cdn_body_set_q(g->state, g->body, g->nq, q));
  OK_ON(g->state, cdn_body_X_FM(g->state, g->body, &X));
  return X;
}

static cdn_transform pose_now(rig *g) {
  cdn_transform X;
  OK_ON(g->state, cdn_body_X_FM(g->state, g->body, &X));
  return X;
}

static double angle_between(cdn_rotation A, cdn_rotation B) {
  return cdn_axis_angle_from_rotation(cdn_rotation_multiply(cdn_rotation_transpose(A), B), NULL);
}
static double distance(cdn_vec3 a, cdn_vec3 b) { return cdn_norm(cdn_sub(a, b)); }

/* X_FM as bodies have it: the getters agree with poses and velocities in Ground. */
static void check_getters(rig *g) {
  set_random_qu(g->state, &g->r, 1);
  cdn_transform X_GB, X = pose_now(g);
  cdn_spatial V_GB, V;
  OK_ON(g->state, cdn_body_pose(g->state, g->body, &X_GB));
  OK_ON(g->state, cdn_body_velocity(g->state, g->body, &V_GB));
  OK_ON(g->state, cdn_body_V_FM(g->state, g->body, &V));
  const cdn_transform X_PF = cdn_body_X_PF(g->state, g->body), X_BM = cdn_body_X_BM(g->state, g->body);
  const cdn_transform by_bodies =
      cdn_transform_multiply(cdn_transform_invert(X_PF), cdn_transform_multiply(X_GB, X_BM));
  AT_MOST(angle_between(X.R, by_bodies.R), 2e-15);
  AT_MOST(distance(X.p, by_bodies.p), 4e-15);
  const cdn_spatial there = cdn_spatial_shift_velocity(V_GB, cdn_rotate(X_GB.R, X_BM.p));
  AT_MOST(distance(V.w, cdn_rotate_inv(X_PF.R, there.w)), 1e-14);
  AT_MOST(distance(V.v, cdn_rotate_inv(X_PF.R, there.v)), 2e-14);
}

/* A pose of the mobilizer's own comes back, from anywhere; by iteration from not too far. */
static void check_reachable(rig *g) {
  const double near_zero = g->iterates ? 1e-9 : 2e-14;
  for (int round = 0; round < 40; round++) {
    double wanted[7], start[7];
    random_q(g, g->iterates ? 0.8 : 6, wanted);
    const cdn_transform X = pose_at(g, wanted);
    random_q(g, g->iterates ? 0.8 : 6, start);
    /* a length of the wrong sign would take half a turn: the pose is the same */
    pose_at(g, start);
    OK_ON(g->state, cdn_body_set_q_to_fit_transform(g->state, g->body, X));
    AT_MOST(angle_between(pose_now(g).R, X.R), near_zero);
    AT_MOST(distance(pose_now(g).p, X.p), 10 * near_zero);
    pose_at(g, start);
    OK_ON(g->state, cdn_body_set_q_to_fit_rotation(g->state, g->body, X.R));
    AT_MOST(angle_between(pose_now(g).R, X.R), near_zero);
    pose_at(g, start);
    OK_ON(g->state, cdn_body_set_q_to_fit_translation(g->state, g->body, X.p));
    AT_MOST(distance(pose_now(g).p, X.p), g->kind == CDN_ELLIPSOID ? 1e-9 : 10 * near_zero);
  }
}

/* From near by the coordinates themselves come back, whatever turn they are on. */
static void check_turns(rig *g) {
  for (int round = 0; round < 40; round++) {
    double q[7], start[7];
    random_q(g, g->iterates ? 0.7 : 20, q);
    if (has_quaternion(g)) {
      const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      for (int i = 0; i < 4; i++) q[i] /= length;
    }
    const bool angles = g->kind == CDN_GIMBAL || g->kind == CDN_BUSHING || g->euler;
    if (angles && fabs(cos(q[1])) < 0.2) continue;
    /* screws a whole turn off are a matter of the thread, and of the nearest turn for the rotation alone */
    const cdn_transform X = pose_at(g, q);
    for (int i = 0; i < g->nq; i++) start[i] = q[i] + uniform(&g->r, -0.05, 0.05);
    pose_at(g, start);
    OK_ON(g->state, cdn_body_set_q_to_fit_transform(g->state, g->body, X));
    const double *now = cdn_body_q(g->state, g->body);
    for (int i = 0; i < g->nq; i++) NEAR(now[i], q[i], g->iterates ? 1e-7 : 1e-12);
  }
}

/* Nothing comes nearer to a pose that cannot be reached. */
static void check_unreachable(rig *g) {
  if (g->nu == 0) return;
  for (int round = 0; round < 6; round++) {
    double start[7], best[7], q[7];
    random_q(g, g->iterates ? 0.5 : 3, start);
    pose_at(g, start);
    const cdn_transform X = { random_rotation(&g->r), random_vec3(&g->r, 1) };
    OK_ON(g->state, cdn_body_set_q_to_fit_transform(g->state, g->body, X));
    cdn_transform got = pose_now(g);
    const double angle = angle_between(got.R, X.R), far = distance(got.p, X.p);
    memcpy(best, cdn_body_q(g->state, g->body), (size_t)g->nq * sizeof *best);
    for (int i = 0; i < FEWER(300); i++) {
      if (i % 2) random_q(g, g->iterates ? 1 : 3, q);
      else
        for (int k = 0; k < g->nq; k++)
          q[k] = best[k] + pow(10, -(i % 8)) * uniform(&g->r, -0.3, 0.3) * (pick(&g->r, 2));
      got = pose_at(g, q);
      AT_MOST(angle - 1e-9, angle_between(got.R, X.R));
      /* a least angle grows by squares: 1e-13 more is 3e-7 away */
      if (angle_between(got.R, X.R) <= angle + 1e-13) AT_MOST(far - 1e-6, distance(got.p, X.p));
    }
    /* each by itself */
    pose_at(g, start);
    OK_ON(g->state, cdn_body_set_q_to_fit_rotation(g->state, g->body, X.R));
    AT_MOST(fabs(angle_between(pose_now(g).R, X.R) - angle), 1e-9);
    pose_at(g, start);
    OK_ON(g->state, cdn_body_set_q_to_fit_translation(g->state, g->body, X.p));
    const double alone = distance(pose_now(g).p, X.p);
    memcpy(best, cdn_body_q(g->state, g->body), (size_t)g->nq * sizeof *best);
    for (int i = 0; i < FEWER(300); i++) {
      if (i % 2) random_q(g, g->iterates ? 1 : 3, q);
      else
        for (int k = 0; k < g->nq; k++) q[k] = best[k] + pow(10, -(i % 8)) * uniform(&g->r, -0.3, 0.3);
      AT_MOST(alone - 1e-9, distance(pose_at(g, q).p, X.p));
    }
  }
}

/* ---- speeds ---- */

static cdn_spatial velocity_at(rig *g, const double *u) {
  cdn_spatial V;
  OK_ON(g->state, cdn_body_set_u(g->state, g->body, g->nu, u));
  OK_ON(g->state, cdn_body_V_FM(g->state, g->body, &V));
  return V;
}
static cdn_spatial velocity_now(rig *g) {
  cdn_spatial V;
  OK_ON(g->state, cdn_body_V_FM(g->state, g->body, &V));
  return V;
}

static void check_speeds(rig *g) {
  /* an ellipsoid's point moves a tenth of what it turns where half lengths are alike: digits are lost */
  const double near_zero = g->kind == CDN_ELLIPSOID ? 1e-10 : 2e-13;
  for (int round = 0; round < 20; round++) {
    double q[7], u[6], start[6], other[6];
    random_q(g, 1, q);
    pose_at(g, q);
    random_numbers(&g->r, 2, u, g->nu);
    random_numbers(&g->r, 2, start, g->nu);
    cdn_spatial V = velocity_at(g, u);
    velocity_at(g, start);
    OK_ON(g->state, cdn_body_set_u_to_fit_velocity(g->state, g->body, V));
    AT_MOST(distance(velocity_now(g).w, V.w), near_zero);
    AT_MOST(distance(velocity_now(g).v, V.v), near_zero);
    velocity_at(g, start);
    OK_ON(g->state, cdn_body_set_u_to_fit_angular_velocity(g->state, g->body, V.w));
    AT_MOST(distance(velocity_now(g).w, V.w), near_zero);
    velocity_at(g, start);
    OK_ON(g->state, cdn_body_set_u_to_fit_linear_velocity(g->state, g->body, V.v));
    AT_MOST(distance(velocity_now(g).v, V.v), near_zero);
    /* what cannot be: nothing is nearer, by w first */
    V = random_spatial(&g->r, 2);
    velocity_at(g, start);
    OK_ON(g->state, cdn_body_set_u_to_fit_velocity(g->state, g->body, V));
    const double w_off = distance(velocity_now(g).w, V.w), v_off = distance(velocity_now(g).v, V.v);
    memcpy(u, cdn_body_u(g->state, g->body), (size_t)g->nu * sizeof *u);
    velocity_at(g, start);
    OK_ON(g->state, cdn_body_set_u_to_fit_linear_velocity(g->state, g->body, V.v));
    const double alone = distance(velocity_now(g).v, V.v);
    for (int i = 0; i < FEWER(100); i++) {
      for (int k = 0; k < g->nu; k++)
        other[k] = (i % 2 ? u[k] : 0) + (pick(&g->r, 2) ? uniform(&g->r, -2, 2) : 0) * pow(10, -(i % 7));
      const cdn_spatial at = velocity_at(g, other);
      AT_MOST(w_off - 1e-12, distance(at.w, V.w));
      if (distance(at.w, V.w) <= w_off + 1e-15) AT_MOST(v_off - 1e-6, distance(at.v, V.v));
      AT_MOST(alone - 1e-12, distance(at.v, V.v));
    }
  }
}

START_TEST(test_getters) { on_joints(check_getters); }
END_TEST
START_TEST(test_reachable) { on_joints(check_reachable); }
END_TEST
START_TEST(test_turns) { on_joints(check_turns); }
END_TEST
START_TEST(test_unreachable) { on_joints(check_unreachable); }
END_TEST
START_TEST(test_speeds) { on_joints(check_speeds); }
END_TEST

/* ---- one by one ---- */

/* What is not asked for stays. */
START_TEST(test_the_rest_stays) {
  rig g = make_rig(CDN_FREE, false, false, 1, NULL);
  double q[7], u[6], before[7];
  random_q(&g, 1, q);
  random_numbers(&g.r, 1, u, 6);
  pose_at(&g, q);
  velocity_at(&g, u);
  OK_ON(g.state, cdn_body_set_q_to_fit_translation(g.state, g.body, cdn_v3(1, 2, 3)));
  ck_assert(memcmp(cdn_body_q(g.state, g.body), q, 4 * sizeof *q) == 0);
  memcpy(before, cdn_body_q(g.state, g.body), sizeof before);
  OK_ON(g.state, cdn_body_set_q_to_fit_rotation(g.state, g.body, random_rotation(&g.r)));
  ck_assert(memcmp(cdn_body_q(g.state, g.body) + 4, before + 4, 3 * sizeof *q) == 0);
  OK_ON(g.state, cdn_body_set_u_to_fit_angular_velocity(g.state, g.body, cdn_v3(1, 2, 3)));
  for (int i = 3; i < 6; i++) NEAR(cdn_body_u(g.state, g.body)[i], u[i], 1e-15);
  OK_ON(g.state, cdn_body_set_u_to_fit_linear_velocity(g.state, g.body, cdn_v3(4, 5, 6)));
  for (int i = 0; i < 6; i++) NEAR(cdn_body_u(g.state, g.body)[i], i + 1, 1e-15);
  drop(&g);
  /* reversed, a linear velocity alone does not change how it turns, though both move the origin */
  static const cdn_mobilizer kinds[] = { CDN_FREE, CDN_BUSHING, CDN_PLANAR, CDN_CYLINDER };
  for (int k = 0; k < 4; k++) {
    g = make_rig(kinds[k], true, false, 1, NULL);
    random_q(&g, 1, q);
    random_numbers(&g.r, 1, u, g.nu);
    pose_at(&g, q);
    const cdn_vec3 w = velocity_at(&g, u).w;
    OK_ON(g.state, cdn_body_set_u_to_fit_linear_velocity(g.state, g.body, cdn_v3(4, 5, 6)));
    AT_MOST(distance(velocity_now(&g).w, w), 1e-13);
    drop(&g);
  }
  /* a screw: the thread, the turn next to the present one, and turns from a distance */
  g = make_rig(CDN_SCREW, false, false, 2, NULL);
  const double pitch = cdn_body_mobilizer_params(g.state, g.body)[0], on_turn_2 = 4 * PI + 0.3,
               on_turn_9 = 18 * PI + 0.3;
  pose_at(&g, &on_turn_2);
  const cdn_transform X = { cdn_rotation_axis_angle(cdn_v3(0, 0, 1), 0.3), { 0, 0, pitch * on_turn_9 } };
  OK_ON(g.state, cdn_body_set_q_to_fit_rotation(g.state, g.body, X.R));
  NEAR(cdn_body_q(g.state, g.body)[0], on_turn_2, 1e-14);
  OK_ON(g.state, cdn_body_set_q_to_fit_transform(g.state, g.body, X));
  NEAR(cdn_body_q(g.state, g.body)[0], on_turn_9, 1e-13);
  drop(&g);
}
END_TEST

/* In gimbal lock and next to it: the pose is met, angles do not jump, speeds do not grow for what cannot be done. */
START_TEST(test_gimbal_lock) {
  static const cdn_mobilizer kinds[] = { CDN_GIMBAL, CDN_BUSHING, CDN_BALL };
  for (int k = 0; k < 3; k++)
    for (int off = 0; off < 18; off++) {
      rig g = make_rig(kinds[k], off % 2, k == 2, 1, NULL);
      double q[7] = { 0.7, PI / 2, -0.4 }, u[6] = { 0 };
      if (off < 17) q[1] -= pow(10, -off);
      const cdn_transform X = pose_at(&g, q);
      const double start[7] = { 0.7 + 0.1, q[1], -0.4 + 0.1 };
      pose_at(&g, start);
      OK_ON(g.state, cdn_body_set_q_to_fit_transform(g.state, g.body, X));
      AT_MOST(angle_between(pose_now(&g).R, X.R), 1e-14);
      /* what is known of the two angles is rounding over the distance from lock, and in lock nothing */
      const double moved = off < 17 ? 0.1 + fmin(4e-15 * pow(10, off), PI) : 0.11;
      AT_MOST(fabs(cdn_body_q(g.state, g.body)[0] - start[0]), moved);
      AT_MOST(fabs(cdn_body_q(g.state, g.body)[2] - start[2]), moved);
      velocity_at(&g, u);
      const cdn_vec3 w = cdn_v3(0.3, -0.2, 0.5);
      OK_ON(g.state, cdn_body_set_u_to_fit_angular_velocity(g.state, g.body, w));
      const double *now = cdn_body_u(g.state, g.body);
      for (int i = 0; i < 3; i++) AT_MOST(fabs(now[i]), off < 10 ? pow(10, off) : 1);
      if (k == 2 || off < 9) AT_MOST(distance(velocity_now(&g).w, w), 1e-6);
      drop(&g);
    }
}
END_TEST

/* A quaternion that is wanted comes with the sign that is nearer. */
START_TEST(test_quaternion_sign) {
  rig g = make_rig(CDN_BALL, false, false, 1, NULL);
  const double q[4] = { -1e-200, 1e-201, 0, 0 };
  pose_at(&g, q);
  OK_ON(g.state, cdn_body_set_q_to_fit_rotation(g.state, g.body, cdn_rotation_identity()));
  ck_assert(cdn_body_q(g.state, g.body)[0] == -1);
  drop(&g);
}
END_TEST

/* ---- a custom mobilizer's own function ---- */

static cdn_status slide(const void *self, const double *params, const double *q, cdn_transform *X, cdn_spatial *H) {
  (void)self, (void)params;
  X->p = cdn_v3(q[0], 0, 0);
  H[0].v = cdn_v3(1, 0, 0);
  return CDN_OK;
}
static cdn_status slide_fit(const void *self, const double *params, const cdn_rotation *R, const cdn_vec3 *p,
                            double *q) {
  (void)self, (void)params;
  q[0] = (p ? p->x : 0) + (R ? 100 : 0);
  return p && p->y > 50 ? CDN_ERR_ARG : CDN_OK;
}

START_TEST(test_own_function) {
  cdn_custom_mobilizer_ops ops = { .struct_size = sizeof ops, .name = "slide", .nq = 1, .nu = 1 };
  ops.across = slide, ops.fit = slide_fit;
  for (int reversed = 0; reversed < 2; reversed++) {
    rig g = make_rig(CDN_CUSTOM_MOBILIZER, reversed, false, 1, &ops);
    const cdn_transform X = { cdn_rotation_identity(), { 3, 0, 0 } };
    OK_ON(g.state, cdn_body_set_q_to_fit_transform(g.state, g.body, X));
    NEAR(cdn_body_q(g.state, g.body)[0], reversed ? 97 : 103, 0);
    OK_ON(g.state, cdn_body_set_q_to_fit_translation(g.state, g.body, X.p)); /* of a reversed one by iteration */
    NEAR(cdn_body_q(g.state, g.body)[0], reversed ? -3 : 3, 1e-12);
    if (!reversed) {
      FAILS(cdn_body_set_q_to_fit_translation(g.state, g.body, cdn_v3(5, 60, 0)), CDN_ERR_ARG);
      NEAR(cdn_body_q(g.state, g.body)[0], 3, 0);
    }
    drop(&g);
  }
}
END_TEST

START_TEST(test_refused) {
  rig g = make_rig(CDN_FREE, false, false, 1, NULL);
  cdn_transform X = cdn_transform_identity();
  cdn_error error;
  FAILS(cdn_body_set_q_to_fit_transform(g.state, cdn_ground(), X), CDN_ERR_ARG);
  FAILS(cdn_body_set_u_to_fit_linear_velocity(g.state, (cdn_body){ 7 }, X.p), CDN_ERR_ARG);
  FAILS(cdn_body_set_u_to_fit_linear_velocity(g.state, g.body, cdn_v3(0, NAN, 0)), CDN_ERR_NONFINITE);
  FAILS(cdn_body_set_q_to_fit_translation(g.state, g.body, cdn_v3(INFINITY, 0, 0)), CDN_ERR_NONFINITE);
  X.R.x = cdn_v3(0, 1, 0);
  FAILS(cdn_body_set_q_to_fit_rotation(g.state, g.body, X.R), CDN_ERR_ARG);
  cdn_state_last_error(g.state, &error);
  ck_assert_msg(strstr(error.text, "body1"), "%s", error.text);
  drop(&g);
}
END_TEST

CHECK_MAIN("fit", test_getters, test_reachable, test_turns, test_unreachable, test_speeds, test_the_rest_stays,
           test_gimbal_lock, test_quaternion_sign, test_own_function, test_refused)
