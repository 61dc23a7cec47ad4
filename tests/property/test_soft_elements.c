/* Soft elements on bodies and joints of a tree: what their rows have besides J udot is the change of J u along the
 * motion, by differences; power and switches; and mistakes that adders refuse. */
#include "soft/elements.h"
#include "matter/operators.h"
#include "random_tree.h"

enum { MOST = 40, NU = 24 };

typedef struct groups {
  soft_group g[MOST];
  int n;
} groups;
static cdn_status collect(void *to, const soft_group *g) {
  groups *list = to;
  ck_assert_int_lt(list->n, MOST);
  list->g[list->n++] = *g;
  return CDN_OK;
}

static groups groups_of(cdn_state *state, bool rates) {
  groups list = { .n = 0 };
  const soft_element_room *room = cdni_soft_element_room(cdn_state_system(state));
  OK_ON(state, cdni_soft_element_groups(room, state, 0, 0, rates, collect, &list));
  return list;
}

/* Row k of a group on motions of bodies and mobilities. */
static double row_on(const tree_data *d, const soft_group *g, int k, const sv *A, const double *a, const tree *t) {
  double sum = 0;
  if (g->place == SOFT_JOINT) {
    const tree_node *node = &t->node[g->body[1]];
    for (int i = 0; i < node->nu; i++) sum += g->g[k][i] * a[node->u + i];
    return sum;
  }
  for (int i = 0; g->place == SOFT_TERMS && i < g->terms; i++) sum += g->term[i].slope * a[g->term[i].u];
  if (g->place == SOFT_TERMS) return sum;
  for (int s = 0; s < 2; s++) {
    const v3 point = s ? g->point : v3_add(g->point, g->arm);
    const sv V = sv_shift_motion(A[g->body[s]], v3_sub(point, d->pose[g->body[s]].p_GM));
    sum += (s ? 1 : -1) * sv_dot(g->B[k], V);
  }
  return sum;
}

/* Two chains: pins, a ball, a slider; and a free body. */
typedef struct rig {
  cdn_state *state;
  cdn_body arm, hand, cart, rod, drone;
} rig;

static cdn_body add(cdn_system *s, const char *name, cdn_body parent, cdn_mobilizer kind, rng *r) {
  cdn_body_def def = cdn_default_body_def();
  def.name = name, def.parent = parent, def.mobilizer = kind;
  def.mass.mass = uniform(r, 0.5, 2);
  def.mass.com = random_vec3(r, 0.2);
  def.mass.inertia = (cdn_inertia){ 0.2, 0.25, 0.3, 0, 0, 0 };
  def.X_PF = (cdn_transform){ random_rotation(r), random_vec3(r, 0.5) };
  def.X_BM = (cdn_transform){ random_rotation(r), random_vec3(r, 0.5) };
  return cdn_system_add_body(s, &def);
}

static rig make(uint64_t seed) {
  rng r = rng_of(seed);
  rig x;
  cdn_system *s = cdn_system_create(NULL);
  x.arm = add(s, "arm", cdn_ground(), CDN_PIN, &r);
  x.hand = add(s, "hand", x.arm, CDN_BALL, &r);
  x.cart = add(s, "cart", cdn_ground(), CDN_SLIDER, &r);
  x.rod = add(s, "rod", x.cart, CDN_PIN, &r);
  x.drone = add(s, "drone", cdn_ground(), CDN_FREE, &r);
  cdn_soft_limit_def limit = cdn_default_soft_limit_def();
  limit.body = x.arm, limit.lower = -0.1, limit.upper = 0.1, limit.margin = 10;
  cdn_system_add_soft_limit(s, &limit);
  limit.body = x.hand, limit.upper = 0.2, limit.margin = 10;
  cdn_system_add_soft_limit(s, &limit);
  cdn_friction_loss_def loss = cdn_default_friction_loss_def();
  loss.body = x.hand, loss.loss = 0.4;
  cdn_system_add_friction_loss(s, &loss);
  loss.body = x.drone;
  cdn_system_add_friction_loss(s, &loss);
  cdn_soft_equality_def same = cdn_default_soft_equality_def();
  same.a = x.hand, same.b = x.drone, same.p_A = random_vec3(&r, 0.5), same.p_B = random_vec3(&r, 0.5);
  cdn_system_add_soft_equality(s, &same);
  same.kind = CDN_SOFT_WELD, same.a = x.rod, same.q_AB = (cdn_quaternion){ 0.5, 0.1, -0.7, 0.3 };
  cdn_system_add_soft_equality(s, &same);
  same.a = cdn_ground(), same.b = x.rod;
  cdn_system_add_soft_equality(s, &same);
  same.kind = CDN_SOFT_COUPLE, same.y = (cdn_mobility){ x.arm, 0 }, same.x = (cdn_mobility){ x.rod, 0 };
  for (int i = 0; i < 5; i++) same.polynomial[i] = uniform(&r, -1, 1);
  cdn_system_add_soft_equality(s, &same);
  same.y = (cdn_mobility){ x.rod, 0 }, same.x = (cdn_mobility){ x.cart, 0 };
  cdn_system_add_soft_equality(s, &same);
  OK_FREEZE(s);
  OK(cdn_state_create(s, &x.state));
  cdn_system_release(s);
  return x;
}

/* J u of all rows, and what the State at udot = 0 has besides J udot, by the groups: r = J A + (ref without rates - ref
 * with). */
static int velocities(cdn_state *state, double *v, double *bias) {
  const matter *m = cdni_matter(cdn_state_system(state));
  const groups without = groups_of(state, false), with = groups_of(state, true);
  const tree_data d = cdni_matter_data(m, state);
  double none[NU] = { 0 };
  sv V[8], A[8];
  int n = 0;
  for (int i = 0; i < m->tree.n; i++) V[i] = d.twist[i].V;
  cdni_operator_accelerations(m, &d, NULL, A);
  for (int i = 0; i < with.n; i++)
    for (int k = 0; k < with.g[i].s.rows; k++, n++) {
      v[n] = row_on(&d, &with.g[i], k, V, d.u, &m->tree);
      if (bias) bias[n] = row_on(&d, &with.g[i], k, A, none, &m->tree) + without.g[i].ref[k] - with.g[i].ref[k];
    }
  return n;
}

/* The limit of the ball comes after two rows of the arm's. */
enum { BALL_LIMIT = 2 };

START_TEST(test_rates) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    rng r = rng_of(seed + 100);
    const rig x = make(seed);
    double v[64], bias[64], there[2][64], q[32], qdot[32], moved[32];
    set_random_qu(x.state, &r, 1.5);
    const int n = velocities(x.state, v, bias), nq = cdn_system_nq(cdn_state_system(x.state));
    memcpy(q, cdn_state_q(x.state), (size_t)nq * sizeof *q);
    OK_ON(x.state, cdn_multiply_by_N(x.state, cdn_state_u(x.state), qdot));
    /* extrapolated central differences */
    double slope[2][64];
    for (int level = 0; level < 2; level++) {
      const double h = 1e-3 / (level + 1);
      for (int side = 0; side < 2; side++) {
        for (int i = 0; i < nq; i++) moved[i] = q[i] + (side ? h : -h) * qdot[i];
        OK_ON(x.state, cdn_state_set_q(x.state, moved));
        ck_assert_int_eq(velocities(x.state, there[side], NULL), n);
      }
      for (int i = 0; i < n; i++) slope[level][i] = (there[1][i] - there[0][i]) / (2 * h);
    }
    for (int i = 0; i < n; i++) {
      /* how the direction of a ball's limit turns does not count, as in MuJoCo */
      const double rate = i == BALL_LIMIT ? 0 : (4 * slope[1][i] - slope[0][i]) / 3;
      ck_assert_msg(fabs(rate - bias[i]) <= 1e-7 * (1 + fabs(rate)),
                    "seed %d, row %d of %d: %.12g, by differences %.12g", (int)seed, i, n, bias[i], rate);
    }
    cdn_state_destroy(x.state);
  }
}
END_TEST

/* udot minimizes what the dense reference minimizes, through couplings of joints and stations that do not coincide. */
START_TEST(test_power_and_switches) {
  rng r = rng_of(7);
  const rig x = make(3);
  const cdn_system *s = cdn_state_system(x.state);
  int n = 0, all;
  set_random_qu(x.state, &r, 1);
  OK_ON(x.state, cdn_soft_count(x.state, &all));
  ck_assert_int_eq(all, groups_of(x.state, true).n);
  cdn_soft_group g;
  OK_ON(x.state, cdn_soft_get(x.state, 0, &g));
  ck_assert_int_eq(g.element, 0);
  OK_ON(x.state, cdn_soft_get(x.state, all - 1, &g));
  ck_assert_int_eq(g.element, cdn_element_count(s, CDN_ELEMENT_SOFT) - 1);
  /* forces are those of the functions, and the multipliers of the motion: M (udot - udot0) = J^T f */
  double with[NU], without[NU], change[NU], generalized[NU], expected[NU] = { 0 };
  memcpy(with, cdn_state_udot(x.state), (size_t)cdn_system_nu(s) * sizeof *with);
  const groups list = groups_of(x.state, true);
  const matter *m = cdni_matter(s);
  for (int i = 0; i < list.n; i++) {
    OK_ON(x.state, cdn_soft_get(x.state, i, &g));
    for (int k = 0; k < g.rows; k++)
      for (int c = 0; c < cdn_system_nu(s); c++) {
        double unit[NU] = { 0 };
        cdn_spatial V[8];
        sv A[8];
        unit[c] = 1;
        OK_ON(x.state, cdn_multiply_by_J(x.state, unit, V));
        const tree_data d = cdni_matter_data(m, x.state);
        m->kernels->jacobian(&m->tree, &d, unit, A);
        expected[c] += g.force[k] * row_on(&d, &list.g[i], k, A, unit, &m->tree);
      }
  }
  for (int e = 0; e < cdn_element_count(s, CDN_ELEMENT_SOFT); e++) {
    const cdn_soft_element id = { e };
    ck_assert(cdn_soft_element_is_enabled(x.state, id));
    OK_ON(x.state, cdn_soft_element_set_enabled(x.state, id, false));
    ck_assert(!cdn_soft_element_is_enabled(x.state, id));
  }
  OK_ON(x.state, cdn_soft_count(x.state, &n));
  ck_assert_int_eq(n, 0);
  memcpy(without, cdn_state_udot(x.state), (size_t)cdn_system_nu(s) * sizeof *without);
  double size = 0;
  for (int i = 0; i < cdn_system_nu(s); i++) change[i] = with[i] - without[i];
  OK_ON(x.state, cdn_multiply_by_M(x.state, change, generalized));
  for (int i = 0; i < cdn_system_nu(s); i++) size = fmax(size, fabs(expected[i]));
  for (int i = 0; i < cdn_system_nu(s); i++) NEAR(generalized[i], expected[i], 1e-9 * size);
  FAILS(cdn_soft_element_set_enabled(x.state, (cdn_soft_element){ 99 }, true), CDN_ERR_ARG);
  ck_assert(!cdn_soft_element_is_enabled(x.state, (cdn_soft_element){ -1 }));
  cdn_state_destroy(x.state);
}
END_TEST

static void refused(void (*mistake)(cdn_system *, cdn_body pin, cdn_body ball), const char *word, cdn_status status) {
  rng r = rng_of(1);
  cdn_error e;
  cdn_system *s = cdn_system_create(NULL);
  const cdn_body pin = add(s, "pin", cdn_ground(), CDN_PIN, &r), ball = add(s, "ball", pin, CDN_BALL, &r);
  mistake(s, pin, ball);
  FAILS(cdn_system_freeze(s), status);
  cdn_system_last_error(s, &e);
  ck_assert_msg(strstr(e.text, word) != NULL, "'%s' is not in: %s", word, e.text);
  cdn_system_release(s);
}
static void crossed_bounds(cdn_system *s, cdn_body pin, cdn_body ball) {
  cdn_soft_limit_def d = cdn_default_soft_limit_def();
  (void)ball;
  d.name = "knee", d.body = pin, d.lower = 1, d.upper = 0;
  cdn_system_add_soft_limit(s, &d);
}
static void no_angle(cdn_system *s, cdn_body pin, cdn_body ball) {
  cdn_soft_limit_def d = cdn_default_soft_limit_def();
  (void)pin;
  d.body = ball;
  cdn_system_add_soft_limit(s, &d);
}
static void nan_law(cdn_system *s, cdn_body pin, cdn_body ball) {
  cdn_friction_loss_def d = cdn_default_friction_loss_def();
  (void)ball;
  d.name = "rust", d.body = pin, d.loss = 1, d.law.ref[0] = NAN;
  cdn_system_add_friction_loss(s, &d);
}
static void mixed_law(cdn_system *s, cdn_body pin, cdn_body ball) {
  cdn_soft_equality_def d = cdn_default_soft_equality_def();
  d.a = pin, d.b = ball, d.law.ref[0] = -1;
  cdn_system_add_soft_equality(s, &d);
}
static void quaternion_coordinate(cdn_system *s, cdn_body pin, cdn_body ball) {
  cdn_soft_equality_def d = cdn_default_soft_equality_def();
  d.kind = CDN_SOFT_COUPLE, d.y = (cdn_mobility){ pin, 0 }, d.x = (cdn_mobility){ ball, 1 };
  cdn_system_add_soft_equality(s, &d);
}
static void one_body(cdn_system *s, cdn_body pin, cdn_body ball) {
  cdn_soft_equality_def d = cdn_default_soft_equality_def();
  (void)ball;
  d.a = d.b = pin;
  cdn_system_add_soft_equality(s, &d);
}

static void joint_twice(cdn_system *s, cdn_body pin, cdn_body ball) {
  cdn_soft_tendon_def d = cdn_default_soft_tendon_def();
  (void)ball;
  d.name = "cord", d.joints = 2, d.joint[0] = d.joint[1] = (cdn_mobility){ pin, 0 };
  cdn_system_add_soft_tendon(s, &d);
}
static void quaternion_in_tendon(cdn_system *s, cdn_body pin, cdn_body ball) {
  cdn_soft_tendon_def d = cdn_default_soft_tendon_def();
  d.joints = 2, d.joint[0] = (cdn_mobility){ pin, 0 }, d.joint[1] = (cdn_mobility){ ball, 0 };
  cdn_system_add_soft_tendon(s, &d);
}
static void no_joints(cdn_system *s, cdn_body pin, cdn_body ball) {
  cdn_soft_tendon_def d = cdn_default_soft_tendon_def();
  (void)pin, (void)ball;
  cdn_system_add_soft_tendon(s, &d);
}
static void too_many_joints(cdn_system *s, cdn_body pin, cdn_body ball) {
  cdn_soft_tendon_def d = cdn_default_soft_tendon_def();
  (void)pin, (void)ball;
  d.joints = 17;
  cdn_system_add_soft_tendon(s, &d);
}
static void negative_loss(cdn_system *s, cdn_body pin, cdn_body ball) {
  cdn_soft_tendon_def d = cdn_default_soft_tendon_def();
  (void)ball;
  d.kind = CDN_TENDON_LOSS, d.joints = 1, d.joint[0] = (cdn_mobility){ pin, 0 }, d.loss = -1;
  cdn_system_add_soft_tendon(s, &d);
}

START_TEST(test_mistakes) {
  refused(crossed_bounds, "soft element 'knee': its lower bound", CDN_ERR_ARG);
  refused(no_angle, "largest angle", CDN_ERR_ARG);
  refused(nan_law, "soft element 'rust': ref[0]", CDN_ERR_NONFINITE);
  refused(mixed_law, "solref", CDN_ERR_ARG);
  refused(quaternion_coordinate, "rate", CDN_ERR_ARG);
  refused(one_body, "the same", CDN_ERR_ARG);
  refused(joint_twice, "in it twice", CDN_ERR_ARG);
  refused(quaternion_in_tendon, "rate", CDN_ERR_ARG);
  refused(no_joints, "it has 0 joints", CDN_ERR_ARG);
  refused(too_many_joints, "it has 17 joints", CDN_ERR_ARG);
  refused(negative_loss, "loss", CDN_ERR_ARG);
}
END_TEST

/* Pushed by a part of the loss, a joint creeps at that part of the speed from which on friction is the loss:
 * docs/soft_elements.md. */
START_TEST(test_dry_friction_creeps) {
  const double inertia = 0.02, loss = 1, speed = loss / inertia * (0.1 / 0.9) * 0.95 * 0.02 / 2;
  NEAR(speed, 0.0528, 5e-5);
  for (int i = 1; i <= 6; i++) {
    cdn_system *s = cdn_system_create(NULL);
    cdn_body_def def = cdn_default_body_def();
    cdn_friction_loss_def dry = cdn_default_friction_loss_def();
    const double part = 0.25 * i, u = part * speed, push = loss * fmin(part, 1);
    def.mobilizer = CDN_PIN, def.mass.mass = 1, def.mass.inertia = (cdn_inertia){ inertia, inertia, inertia, 0, 0, 0 };
    dry.body = cdn_system_add_body(s, &def), dry.loss = loss;
    cdn_system_add_friction_loss(s, &dry);
    cdn_state *state;
    OK_FREEZE(s);
    OK(cdn_state_create(s, &state));
    OK_ON(state, cdn_state_set_u(state, &u));
    OK_ON(state, cdn_state_set_applied_mobility_forces(state, &push));
    NEAR(cdn_state_udot(state)[0], 0, 1e-12 * loss / inertia);
    cdn_state_destroy(state);
    cdn_system_release(s);
  }
}
END_TEST

/* A ball whose rotation is limited and rubbed moves alike, whether its coordinates are angles or a quaternion. */
START_TEST(test_angles_or_a_quaternion) {
  double udot[2][3];
  for (int euler = 0; euler < 2; euler++) {
    cdn_system *s = cdn_system_create(NULL);
    cdn_body_def def = cdn_default_body_def();
    cdn_soft_limit_def limit = cdn_default_soft_limit_def();
    cdn_friction_loss_def loss = cdn_default_friction_loss_def();
    def.mobilizer = CDN_BALL, def.euler = euler, def.mass.mass = 1, def.mass.com = cdn_v3(0.1, 0.2, 0);
    def.mass.inertia = (cdn_inertia){ 0.2, 0.25, 0.3, 0, 0, 0 };
    limit.body = loss.body = cdn_system_add_body(s, &def);
    limit.upper = 0.3, loss.mobility = 1, loss.loss = 0.4;
    cdn_system_add_soft_limit(s, &limit);
    cdn_system_add_friction_loss(s, &loss);
    cdn_state *state;
    OK_FREEZE(s);
    OK(cdn_state_create(s, &state));
    cdn_system_release(s);
    OK_ON(state, cdn_body_set_q_to_fit_rotation(state, loss.body, cdn_rotation_axis_angle(cdn_v3(1, -2, 1), 0.7)));
    OK_ON(state, cdn_state_set_u(state, (double[]){ 0.4, -0.7, 0.5 }));
    ck_assert_ptr_nonnull(cdn_state_udot(state));
    memcpy(udot[euler], cdn_state_udot(state), sizeof udot[euler]);
    cdn_state_destroy(state);
  }
  for (int k = 0; k < 3; k++) NEAR(udot[1][k], udot[0][k], 1e-12 * fabs(udot[0][k]));
}
END_TEST

CHECK_MAIN("soft elements", test_rates, test_angles_or_a_quaternion, test_dry_friction_creeps, test_power_and_switches,
           test_mistakes)
