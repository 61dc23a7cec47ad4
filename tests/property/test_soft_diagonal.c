/* Rows that are scaled by the inverse inertia that they meet at the present pose: against J M^-1 J^T of the operators,
 * and against the approximation where the two are the same by theory. */
#include "soft/internal.h"
#include "random_tree.h"

enum { MOST_NU = 6 * TREE_MOST_BODIES };

/* The impedance is a constant, so that R = (1 - d) / d times the diagonal. */
static const double IMPEDANCE = 0.8;
static cdn_soft_law law(void) {
  cdn_soft_law l = cdn_default_soft_law();
  l.imp[0] = l.imp[1] = IMPEDANCE;
  return l;
}

static cdn_soft_def exactly(cdn_soft_kind cone) {
  cdn_soft_def d = cdn_default_soft_def();
  d.exact_diagonal = true, d.cone = cone, d.tolerance = 0;
  return d;
}

static bool is_plain(cdn_mobilizer kind) { return kind == CDN_PIN || kind == CDN_SLIDER; }

/* Elements of every kind; random bodies for those on two. */
static void add_elements(const random_tree *on, rng *r) {
  cdn_mobility plain[TREE_MOST_BODIES];
  int n = 0;
  for (int i = 1; i <= on->bodies; i++) {
    const cdn_body body = { i };
    const cdn_mobilizer kind = cdn_body_mobilizer(on->system, body);
    cdn_friction_loss_def loss = cdn_default_friction_loss_def();
    loss.body = body, loss.loss = 1, loss.law = law();
    if (kind != CDN_WELD) cdn_system_add_friction_loss(on->system, &loss);
    cdn_soft_limit_def limit = cdn_default_soft_limit_def();
    limit.body = body, limit.margin = 20, limit.law = law();
    if (is_plain(kind)) limit.lower = 0;
    else limit.upper = 0.1;
    if (is_plain(kind) || kind == CDN_BALL) cdn_system_add_soft_limit(on->system, &limit);
    if (is_plain(kind)) plain[n++] = (cdn_mobility){ body, 0 };
  }
  for (int i = 0; i < 4; i++) {
    cdn_soft_equality_def same = cdn_default_soft_equality_def();
    same.kind = i % 2 ? CDN_SOFT_WELD : CDN_SOFT_CONNECT, same.law = law();
    same.a.i = 1 + pick(r, on->bodies), same.b.i = pick(r, same.a.i);
    same.p_A = random_vec3(r, 1), same.p_B = random_vec3(r, 1), same.torque_scale = 0.7;
    cdn_system_add_soft_equality(on->system, &same);
  }
  if (n < 2) return;
  cdn_soft_equality_def couple = cdn_default_soft_equality_def();
  couple.kind = CDN_SOFT_COUPLE, couple.y = plain[0], couple.x = plain[1], couple.law = law();
  couple.polynomial[2] = 0.4;
  cdn_system_add_soft_equality(on->system, &couple);
  for (int kind = CDN_TENDON_LIMIT; kind <= CDN_TENDON_LOSS; kind++) {
    cdn_soft_tendon_def tendon = cdn_default_soft_tendon_def();
    tendon.kind = kind, tendon.law = law(), tendon.loss = 1, tendon.lower = 0, tendon.margin = 100;
    tendon.joints = n < CDN_SOFT_MOST_TERMS ? n : CDN_SOFT_MOST_TERMS;
    for (int i = 0; i < tendon.joints; i++) tendon.joint[i] = plain[i], tendon.coefficient[i] = uniform(r, -2, 2);
    cdn_system_add_soft_tendon(on->system, &tendon);
  }
}

/* Balls on all bodies, and a floor, with a wide margin. */
static void add_shapes(const random_tree *on, int condim) {
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_SOFT;
  cdn_system_set_contact(on->system, &contact);
  for (int i = 0; i <= on->bodies; i++) {
    cdn_soft_material m = cdn_default_soft_material();
    m.condim = condim, m.margin = 0.5, m.law = law();
    m.friction[0] = 0.7, m.friction[1] = 0.3, m.friction[2] = 0.2;
    cdn_shape_def shape = cdn_default_shape_def();
    shape.body.i = i, shape.soft = &m;
    shape.geometry.kind = i ? CDN_GEOMETRY_SPHERE : CDN_GEOMETRY_HALF_SPACE;
    shape.geometry.size[0] = 0.4;
    cdn_system_add_shape(on->system, &shape);
  }
}

/* J^T of row k, times `factor`, is added to f. */
static void add_row(cdn_state *state, const soft_group *g, int k, double factor, double *f) {
  const cdn_system *s = cdn_state_system(state);
  cdn_spatial F[TREE_MOST_BODIES + 1] = { 0 };
  double own[MOST_NU];
  const int first = cdni_matter(s)->tree.node[g->body[1]].u, n = cdn_body_nu(s, (cdn_body){ g->body[1] });
  for (int i = 0; g->place == SOFT_JOINT && i < n; i++) f[first + i] += factor * g->g[k][i];
  for (int i = 0; g->place == SOFT_TERMS && i < g->terms; i++) f[g->term[i].u] += factor * g->term[i].slope;
  for (int side = 0; g->place == SOFT_PAIR && side < 2; side++) {
    const cdn_body body = { g->body[side] };
    cdn_transform X;
    OK_ON(state, cdn_body_pose(state, body, &X));
    const v3 arm = v3_sub(side ? g->point : v3_add(g->point, g->arm), cdni_to_v3(X.p));
    const double sign = side ? factor : -factor;
    const v3 push = v3_scale(sign, g->B[k].v), turn = v3_add(v3_scale(sign, g->B[k].w), v3_cross(arm, push));
    F[body.i] = (cdn_spatial){ cdni_from_v3(turn), cdni_from_v3(push) };
  }
  OK_ON(state, cdn_multiply_by_J_transpose(state, F, own));
  for (int i = 0; i < cdn_system_nu(s); i++) f[i] += own[i];
}

/* J M^-1 J^T of row k + factor times row l. */
static double square(cdn_state *state, const soft_group *g, int k, double factor, int l) {
  const int nu = cdn_system_nu(cdn_state_system(state));
  double f[MOST_NU] = { 0 }, a[MOST_NU], sum = 0;
  add_row(state, g, k, 1, f);
  if (factor != 0) add_row(state, g, l, factor, f);
  OK_ON(state, cdn_multiply_by_M_inv(state, f, a));
  for (int i = 0; i < nu; i++) sum += f[i] * a[i];
  return sum;
}

/* Whether rows of this group were compared; those along which nothing moves are not. */
static int compare(cdn_state *state, const soft_group *g) {
  const double mu = g->s.friction[0], scale = (1 - IMPEDANCE) / IMPEDANCE;
  const bool elliptic = g->s.kind == SOFT_ELLIPTIC, pyramid = g->s.kind == SOFT_PYRAMIDAL;
  int compared = 0;
  for (int k = 0; k < (elliptic || pyramid ? 1 : g->s.rows); k++) {
    double expected = square(state, g, k, 0, 0), found = 1 / (scale * g->s.D[k]);
    if (pyramid) {
      expected = 0.5 * (square(state, g, 0, mu, 1) + square(state, g, 0, -mu, 1));
      found /= 2 * mu * mu;
    }
    if (!(expected > 1e-6 * g->about[k])) continue;
    /* rounding grows with what cancels: 1e-12 of the approximation, which is the size of the terms */
    NEAR(found, expected, 1e-11 * expected + 1e-12 * g->about[k]);
    compared++;
  }
  for (int k = 1; elliptic && k < g->s.rows; k++) {
    const double part = g->s.friction[k - 1] / mu;
    NEAR(g->s.D[k], g->s.D[0] * part * part, 1e-13 * g->s.D[k]);
  }
  return compared;
}

/* Rows by the kind of their function, and those of several joints, last. */
static void check_tree(uint64_t seed, int condim, cdn_soft_kind cone, int rows[6]) {
  const tree_options o = { .bodies = 4 + (int)(seed % 9), .shape = seed, .numbers = seed };
  random_tree made = make_random_tree(&o);
  rng r = rng_of(seed + 3);
  const cdn_soft_def soft = exactly(cone);
  cdn_system_set_soft(made.system, &soft);
  add_elements(&made, &r);
  add_shapes(&made, condim);
  cdn_state *state = random_tree_state(&made, seed);
  const void *elements;
  int n;
  OK_ON(state, cdn_realize(state, CDN_STAGE_VELOCITY));
  OK_ON(state, cdn_region_eval(state, cdni_soft(cdn_state_system(state))->groups, &elements, &n));
  for (int i = 0; i < n; i++) {
    const soft_group g = ((const soft_group *)elements)[i];
    const int compared = compare(state, &g);
    rows[g.s.kind] += compared;
    if (g.place == SOFT_TERMS) rows[5] += compared;
  }
  cdn_state_destroy(state);
}

START_TEST(diagonal_is_that_of_the_operators) {
  static const int condims[] = { 1, 3, 4, 6 };
  int rows[6] = { 0 };
  for (uint64_t seed = 1; seed <= 40; seed++)
    check_tree(seed, condims[seed % 4], seed % 8 < 4 ? CDN_SOFT_ELLIPTIC : CDN_SOFT_PYRAMIDAL, rows);
  for (int k = 0; k < 6; k++) ck_assert_int_gt(rows[k], 20);
}
END_TEST

/* What an impedance means (MuJoCo, chapter Computation): a lone row that acts brings its acceleration from that without
 * it by the part d to aref. Of two links the first joint has a limit, which meets another inertia at each angle of the
 * second, and where that is locked. */
START_TEST(a_lone_row_interpolates) {
  cdn_system *s = cdn_system_create(NULL);
  const cdn_soft_def soft = exactly(CDN_SOFT_ELLIPTIC);
  cdn_system_set_soft(s, &soft);
  cdn_system_add_gravity(s, NULL, cdn_v3(0, -9.81, 0));
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_PIN, b.mass.mass = 2, b.mass.com.x = 0.5;
  b.mass.inertia = (cdn_inertia){ 0.1, 0.7, 0.7, 0, 0, 0 };
  const cdn_body arm = cdn_system_add_body(s, &b);
  b.parent = arm, b.X_PF.p.x = 1;
  const cdn_body hand = cdn_system_add_body(s, &b);
  cdn_soft_limit_def limit = cdn_default_soft_limit_def();
  limit.body = arm, limit.lower = 0, limit.law = law();
  const cdn_soft_element id = cdn_system_add_soft_limit(s, &limit);
  OK_FREEZE(s);
  cdn_state *state;
  OK(cdn_state_create(s, &state));
  cdn_system_release(s);
  for (int i = 0; i < 18; i++) {
    if (i == 9) OK_ON(state, cdn_body_lock(state, hand, CDN_LEVEL_ACCELERATION));
    const double q[2] = { -0.01, 0.7 * (i % 9) }, u[2] = { -0.2, 0.3 }, d = IMPEDANCE, T = limit.law.ref[0];
    const double ref = -2 / (d * T) * u[0] - q[0] / (d * T * T);
    double udot[2];
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_state_set_u(state, u));
    for (int on = 0; on < 2; on++) {
      OK_ON(state, cdn_soft_element_set_enabled(state, id, on));
      OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
      udot[on] = cdn_state_udot(state)[0];
    }
    NEAR(udot[1], (1 - d) * udot[0] + d * ref, 1e-13 * ref);
  }
  cdn_state_destroy(state);
}
END_TEST

/* ---- where both are the same ---- */

/* A ball over a floor: its normal goes through its centre, where a translation meets 1 / m in all directions. A point
 * at its centre is held, and its joint has dry friction. */
static cdn_state *lone_ball(bool exact, int condim) {
  cdn_system *s = cdn_system_create(NULL);
  cdn_soft_def soft = exactly(CDN_SOFT_ELLIPTIC);
  soft.exact_diagonal = exact;
  cdn_system_set_soft(s, &soft);
  cdn_contact_def contact = cdn_default_contact_def();
  contact.model = CDN_CONTACT_SOFT;
  cdn_system_set_contact(s, &contact);
  cdn_system_add_gravity(s, NULL, cdn_v3(0, 0, -9.81));
  cdn_body_def b = cdn_default_body_def();
  b.mobilizer = CDN_FREE, b.mass.mass = 3;
  b.mass.inertia = (cdn_inertia){ 0.2, 0.2, 0.2, 0, 0, 0 };
  const cdn_body body = cdn_system_add_body(s, &b);
  cdn_soft_material m = cdn_default_soft_material();
  m.condim = condim;
  cdn_shape_def shape = cdn_default_shape_def();
  shape.soft = &m, shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
  cdn_system_add_shape(s, &shape);
  shape.geometry.kind = CDN_GEOMETRY_SPHERE, shape.geometry.size[0] = 0.3, shape.body = body;
  cdn_system_add_shape(s, &shape);
  cdn_soft_equality_def held = cdn_default_soft_equality_def();
  held.a = body, held.p_B = cdn_v3(0.1, 0.2, 0.4);
  cdn_system_add_soft_equality(s, &held);
  cdn_friction_loss_def loss = cdn_default_friction_loss_def();
  loss.body = body, loss.loss = 0.4;
  cdn_system_add_friction_loss(s, &loss);
  OK_FREEZE(s);
  cdn_state *state;
  OK(cdn_state_create(s, &state));
  cdn_system_release(s);
  return state;
}

START_TEST(a_lone_ball_feels_no_difference) {
  static const int condims[] = { 1, 3, 4, 6 };
  for (int i = 0; i < 12; i++) {
    cdn_state *state[2];
    double udot[2][6], size = 0;
    for (int exact = 0; exact < 2; exact++) {
      rng r = rng_of((uint64_t)i);
      state[exact] = lone_ball(exact, condims[i % 4]);
      set_random_qu(state[exact], &r, 1);
      double q[7];
      memcpy(q, cdn_state_q(state[exact]), sizeof q);
      q[6] = 0.28;
      OK_ON(state[exact], cdn_state_set_q(state[exact], q));
      OK_ON(state[exact], cdn_realize(state[exact], CDN_STAGE_ACCELERATION));
      memcpy(udot[exact], cdn_state_udot(state[exact]), sizeof udot[exact]);
    }
    for (int k = 0; k < 6; k++) size = fmax(size, fabs(udot[0][k]));
    /* both are solved to rounding */
    for (int k = 0; k < 6; k++) NEAR(udot[1][k], udot[0][k], 1e-11 * size);
    for (int exact = 0; exact < 2; exact++) cdn_state_destroy(state[exact]);
  }
}
END_TEST

/* A slider along a floor cannot move along the normal: its rows keep the approximation, and its weight stays what it
 * was. */
START_TEST(rows_along_which_nothing_moves_keep_the_approximation) {
  double udot[2];
  for (int exact = 0; exact < 2; exact++) {
    cdn_system *s = cdn_system_create(NULL);
    cdn_soft_def soft = exactly(CDN_SOFT_ELLIPTIC);
    soft.exact_diagonal = exact;
    cdn_system_set_soft(s, &soft);
    cdn_contact_def contact = cdn_default_contact_def();
    contact.model = CDN_CONTACT_SOFT;
    cdn_system_set_contact(s, &contact);
    cdn_body_def b = cdn_default_body_def();
    b.mobilizer = CDN_SLIDER, b.mass.mass = 2, b.X_PF.p.z = 0.29;
    const cdn_body body = cdn_system_add_body(s, &b);
    cdn_shape_def shape = cdn_default_shape_def();
    shape.geometry.kind = CDN_GEOMETRY_HALF_SPACE;
    cdn_system_add_shape(s, &shape);
    shape.geometry.kind = CDN_GEOMETRY_SPHERE, shape.geometry.size[0] = 0.3, shape.body = body;
    cdn_system_add_shape(s, &shape);
    OK_FREEZE(s);
    cdn_state *state;
    OK(cdn_state_create(s, &state));
    cdn_system_release(s);
    const double u = 0.5;
    OK_ON(state, cdn_state_set_u(state, &u));
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    udot[exact] = cdn_state_udot(state)[0];
    cdn_state_destroy(state);
  }
  ck_assert(udot[0] < -0.1);
  NEAR(udot[1], udot[0], 1e-12 * fabs(udot[0]));
}
END_TEST

CHECK_MAIN("soft diagonal", diagonal_is_that_of_the_operators, a_lone_row_interpolates, a_lone_ball_feels_no_difference,
           rows_along_which_nothing_moves_keep_the_approximation)
