/* Rows on accelerations that subsystems provide: they hold, their forces are where they say, and they stand beside
 * constraints. */
#include "force_rig.h"

/* A provider whose function the test gives. */
typedef struct source {
  cdn_status (*calc)(const struct source *s, cdn_state *state, cdn_row_list *rows);
  const rig *r;
  double bias, R; /* the row's acceleration and this are zero */
  int copies;
  cdn_row_set *set;
} source;

static cdn_status calc_source(const void *self, cdn_state *state, cdn_row_list *rows) {
  const source *s = self;
  return s->calc(s, state, rows);
}

static cdn_status declare_source(void *self, cdn_declarer *d) {
  const source *s = self;
  const cdn_row_provider provider = { .struct_size = sizeof provider, .name = "source", .calc_rows = calc_source };
  *s->set = cdn_declare_rows(d, &provider);
  return CDN_OK;
}

static void add_source(rig *r, source s, cdn_row_set *set) {
  s.r = r, s.set = set;
  const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "source", .self_size = sizeof s, .declare = declare_source
  };
  cdn_system_add_subsystem(r->system, &ops, &s);
}

static void set_somewhere(const rig *r) {
  OK(cdn_state_set_q(r->state, (double[]){ 0.4, 0.3, 0.9, 0.3, -0.2, 0.5, 0.8, -0.5, 0.1, 0.4, 1.2, -0.7, 0.6 }));
  OK(cdn_state_set_u(r->state, (double[]){ 0.7, -1.1, 0.4, -0.9, 1.3, 0.8, -0.6, 0.5, 1.4, 0.2, -1.0 }));
}

static cdn_row_def def_of(const source *s) {
  cdn_row_def def = cdn_default_row_def();
  def.target[0] = -s->bias, def.R[0] = s->R;
  return def;
}

/* udot of the slider */
static cdn_status of_slider(const source *s, cdn_state *state, cdn_row_list *rows) {
  (void)state;
  const cdn_row_def def = def_of(s);
  for (int i = 0; i <= s->copies; i++) {
    cdn_row_list_add(rows, &def);
    cdn_row_list_add_mobility(rows, s->r->slider, 0, 1);
  }
  return CDN_OK;
}

/* the same, twice, with accelerations that are 1 apart */
static cdn_status of_two_minds(const source *s, cdn_state *state, cdn_row_list *rows) {
  source other = *s;
  other.copies = 0, other.bias += 1;
  const cdn_status status = of_slider(s, state, rows);
  return status == CDN_OK ? of_slider(&other, state, rows) : status;
}

static const double station_of_rod[3] = { 0.1, -0.2, 0.3 }, station_of_box[3] = { -0.3, 0.2, 0.1 };
static cdn_vec3 from(const double p[3]) { return v(p[0], p[1], p[2]); }

/* a station of the rod against one of the box, along x + 2 z */
static cdn_status of_points(const source *s, cdn_state *state, cdn_row_list *rows) {
  (void)state;
  const cdn_row_def def = def_of(s);
  cdn_row_list_add(rows, &def);
  cdn_row_list_add_point(rows, s->r->slider, from(station_of_rod), v(1, 0, 2));
  cdn_row_list_add_point(rows, s->r->free, from(station_of_box), v(-1, 0, -2));
  return CDN_OK;
}

/* ---- hard rows ---- */

/* A row on a mobility is the constraint of constant acceleration: udot, multipliers and reactions alike. */
START_TEST(test_as_a_constraint) {
  double udot[2][11], lambda[2];
  cdn_spatial F[2][5];
  for (int k = 0; k < 2; k++) {
    rig r = make_rig();
    cdn_row_set set = { -1 };
    cdn_system_add_gravity(r.system, NULL, v(1, -9, 3));
    if (k == 0) cdn_system_constrain_acceleration(r.system, NULL, r.slider, 0, 2.5);
    else add_source(&r, (source){ .calc = of_slider, .bias = -2.5 }, &set);
    start(&r);
    set_somewhere(&r);
    OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION));
    memcpy(udot[k], cdn_state_udot(r.state), sizeof udot[k]);
    OK_ON(r.state, cdn_calc_reaction_forces(r.state, udot[k], CDN_REACTION_ON_BODY_AT_M, F[k]));
    int n = 1;
    lambda[k] = *cdn_state_multipliers(r.state);
    if (k == 1) {
      OK_ON(r.state, cdn_row_forces(r.state, set, 1, &lambda[k], &n));
      lambda[k] = -lambda[k]; /* M udot + G^T lambda = f */
    }
    ck_assert_int_eq(n, 1);
    double with;
    OK_ON(r.state, cdn_nonpotential_power(r.state, &with));
    if (k == 1) NEAR(with, -lambda[1] * -1.1, 1e-12 * fabs(lambda[1]));
    stop(&r);
  }
  NEAR(udot[1][1], 2.5, 1e-13);
  NEAR(lambda[1], lambda[0], 1e-12 * fabs(lambda[0]));
  for (int i = 0; i < 11; i++) NEAR(udot[1][i], udot[0][i], 1e-11);
  for (int b = 0; b < 5; b++) {
    NEAR(cdn_norm(cdn_sub(F[1][b].w, F[0][b].w)), 0, 1e-11);
    NEAR(cdn_norm(cdn_sub(F[1][b].v, F[0][b].v)), 0, 1e-11);
  }
}
END_TEST

static double along(const rig *r) {
  cdn_vec3 a[2];
  const cdn_body bodies[] = { r->slider, r->free };
  const cdn_vec3 stations[] = { from(station_of_rod), from(station_of_box) };
  OK_ON(r->state, cdn_calc_station_accelerations(r->state, cdn_state_udot(r->state), 2, bodies, stations, a));
  return a[0].x + 2 * a[0].z - a[1].x - 2 * a[1].z;
}

/* The row's equation holds, softened or not, beside a constraint or not, and its forces balance the rest. */
START_TEST(test_equation_and_forces) {
  for (int k = 0; k < 4; k++) {
    rig r = make_rig();
    cdn_row_set set, other;
    const double R = k & 1 ? 0.3 : 0;
    const bool constrained = k >= 2;
    cdn_system_add_gravity(r.system, NULL, v(1, -9, 3));
    if (constrained) cdn_system_constrain_ball(r.system, NULL, r.slider, v(0, 0, 0.1), r.ball, v(0.2, 0, 0));
    add_source(&r, (source){ .calc = of_points, .bias = 0.7, .R = R }, &set);
    add_source(&r, (source){ .calc = of_slider, .bias = 0.2, .R = 0.5 }, &other);
    start(&r);
    set_somewhere(&r);
    OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION));
    const double *udot = cdn_state_udot(r.state);
    double force, of_other;
    int n, m;
    OK_ON(r.state, cdn_row_forces(r.state, set, 1, &force, &n));
    OK_ON(r.state, cdn_row_forces(r.state, other, 1, &of_other, &m));
    ck_assert(n == 1 && m == 1 && fabs(force) > 0.1 && fabs(of_other) > 0.1);
    NEAR(along(&r) + 0.7 + R * force, 0, 1e-11);
    NEAR(udot[1] + 0.2 + 0.5 * of_other, 0, 1e-11);
    for (int i = 0; i < cdn_system_nudoterr(r.system); i++) NEAR(cdn_state_udoterr(r.state)[i], 0, 1e-11);

    double left[11], f[11], G_f[11] = { 0 };
    OK_ON(r.state, cdn_residual(r.state, udot, left));
    if (constrained) OK_ON(r.state, cdn_multiply_by_G_transpose(r.state, cdn_state_multipliers(r.state), G_f));
    cdn_spatial F[5] = { { { 0, 0, 0 }, { 0, 0, 0 } } };
    const cdn_vec3 d = cdn_scale(force, v(1, 0, 2));
    cdn_transform X;
    OK_ON(r.state, cdn_body_pose(r.state, r.slider, &X));
    F[r.slider.i] = (cdn_spatial){ cdn_cross(cdn_rotate(X.R, from(station_of_rod)), d), d };
    OK_ON(r.state, cdn_body_pose(r.state, r.free, &X));
    F[r.free.i] = (cdn_spatial){ cdn_cross(cdn_rotate(X.R, from(station_of_box)), cdn_scale(-1, d)), cdn_scale(-1, d) };
    OK_ON(r.state, cdn_multiply_by_J_transpose(r.state, F, f));
    for (int i = 0; i < 11; i++) NEAR(left[i] + G_f[i] - f[i] - (i == 1 ? of_other : 0), 0, 1e-10);
    stop(&r);
  }
}
END_TEST

/* ---- weights ---- */

static cdn_status of_mass(const source *s, cdn_state *state, cdn_row_list *rows) {
  cdn_transform X;
  const cdn_status status = cdn_body_pose(state, s->r->free, &X);
  double W[36] = { 0 };
  for (int k = 3; k < 6; k++) W[7 * k] = s->bias;
  cdn_row_list_add_weight(rows, ground, s->r->free, X.p, W, (cdn_spatial){ { 0, 0, 0 }, { 0, 0, 0 } });
  return status;
}

/* A singular weight of m on the linear acceleration of a body's centre is m of added mass: a = F / (M + m), and alpha
 * is as it was. */
START_TEST(test_added_mass) {
  rig r = make_floater();
  cdn_row_set set;
  add_source(&r, (source){ .calc = of_mass, .bias = 2 }, &set);
  start(&r);
  OK(cdn_state_set_u(r.state, (double[]){ 0, 0, 0, 0.3, 0.2, 0.1 }));
  OK(cdn_state_set_applied_body_force(r.state, r.free, (cdn_spatial){ v(0.5, -0.2, 0.1), v(10, -5, 2) }));
  OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION));
  const double expected[] = { 0.5, -0.2, 0.1, 10 / 5.0, -5 / 5.0, 2 / 5.0 };
  for (int k = 0; k < 6; k++) NEAR(cdn_state_udot(r.state)[k], expected[k], 1e-14);
  cdn_spatial F[5];
  cdn_transform X;
  int n;
  OK_ON(r.state, cdn_row_forces(r.state, set, 0, NULL, &n));
  ck_assert_int_eq(n, 6);
  OK_ON(r.state, cdn_soft_count(r.state, &n));
  ck_assert_int_eq(n, 1);
  OK_ON(r.state, cdn_soft_group_forces(r.state, 0, F, NULL));
  OK_ON(r.state, cdn_body_pose(r.state, r.free, &X));
  NEAR(cdn_norm(cdn_add(F[r.free.i].v, cdn_v3(4, -2, 0.8))), 0, 1e-13);
  stop(&r);
}
END_TEST

/* ---- how many is decided at each evaluation ---- */

static cdn_status where_negative(const source *s, cdn_state *state, cdn_row_list *rows) {
  return *cdn_body_q(state, s->r->slider) < 0 ? of_slider(s, state, rows) : CDN_OK;
}

START_TEST(test_rows_come_and_go) {
  rig r = make_rig();
  cdn_row_set set;
  add_source(&r, (source){ .calc = where_negative }, &set);
  start(&r);
  cdn_system_retain(r.system);
  double q[13] = { 0.4, 0.3, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0 }, without = 0;
  double pushed[11] = { 0, 5 }, dq[121];
  OK(cdn_state_set_applied_mobility_forces(r.state, pushed));
  for (int k = 0; k < 3; k++) {
    q[1] = k == 1 ? -0.3 : 0.3;
    OK(cdn_state_set_q(r.state, q));
    int n;
    double force;
    OK_ON(r.state, cdn_row_forces(r.state, set, 1, &force, &n));
    ck_assert_int_eq(n, k == 1);
    if (k == 1) NEAR(cdn_state_udot(r.state)[1], 0, 1e-14);
    else if (k == 0) without = cdn_state_udot(r.state)[1];
    else ck_assert(cdn_state_udot(r.state)[1] == without && fabs(without) > 0.1);
    /* nothing moves the slider while it is held */
    OK_ON(r.state, cdn_forward_dynamics_derivatives(r.state, dq, NULL, NULL, NULL));
    for (int i = 0; i < 11 && k == 1; i++) NEAR(dq[11 + i], 0, 1e-9);
    double udot[11] = { 0 }, tau[11];
    bool actuated[11] = { true };
    FAILS(cdn_constrained_inverse_dynamics(r.state, udot, actuated, tau, NULL, NULL),
          k == 1 ? CDN_ERR_UNSUPPORTED : CDN_OK);
  }
  cdn_system_release(r.system);
  stop(&r);
}
END_TEST

/* ---- checkpoints ---- */

static cdn_state *loaded_again(cdn_state *state) {
  cdn_state *other = NULL;
  cdn_buffer bytes = { 0 };
  OK(cdn_state_create(cdn_state_system(state), &other));
  OK_ON(state, cdn_state_save(state, cdn_buffer_write, &bytes));
  OK_ON(other, cdn_state_load(other, cdn_buffer_read, &bytes));
  cdn_buffer_free(&bytes);
  return other;
}

/* With constraints the accelerations follow from an auto-update variable, so that a checkpoint has them. It has all
 * that belongs to them: multipliers and forces of rows, udot and the constraints' multipliers, even if nobody had asked
 * for these when it was saved. */
START_TEST(test_after_loading) {
  for (int asked = 0; asked < 2; asked++) {
    rig r = make_rig();
    cdn_row_set set;
    cdn_system_add_gravity(r.system, NULL, v(1, -9, 3));
    cdn_system_constrain_ball(r.system, NULL, r.slider, v(0, 0, 0.1), r.ball, v(0.2, 0, 0));
    add_source(&r, (source){ .calc = of_points, .bias = 0.7, .R = 0.3 }, &set);
    start(&r);
    set_somewhere(&r);
    double udot[11], multipliers[3], power, there;
    cdn_spatial F[5], loaded[5];
    double force, again;
    int n;
    if (asked) OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION));
    OK_ON(r.state, cdn_row_forces(r.state, set, 1, &force, &n));
    cdn_state *other = loaded_again(r.state);
    OK_ON(other, cdn_row_forces(other, set, 1, &again, &n));
    ck_assert(again == force);
    memcpy(udot, cdn_state_udot(r.state), sizeof udot);
    memcpy(multipliers, cdn_state_multipliers(r.state), sizeof multipliers);
    ck_assert_mem_eq(cdn_state_udot(other), udot, sizeof udot);
    ck_assert_mem_eq(cdn_state_multipliers(other), multipliers, sizeof multipliers);
    OK_ON(r.state, cdn_calc_reaction_forces(r.state, udot, CDN_REACTION_ON_BODY_AT_M, F));
    OK_ON(other, cdn_calc_reaction_forces(other, udot, CDN_REACTION_ON_BODY_AT_M, loaded));
    ck_assert_mem_eq(loaded, F, sizeof F);
    OK_ON(r.state, cdn_nonpotential_power(r.state, &power));
    OK_ON(other, cdn_nonpotential_power(other, &there));
    ck_assert(power == there);
    cdn_state_destroy(other);
    stop(&r);
  }
}
END_TEST

/* ---- refusals ---- */

static void refused(source s, cdn_status expected, const char *says) {
  rig r = make_rig();
  cdn_row_set set;
  cdn_error e;
  add_source(&r, s, &set);
  cdn_status status = cdn_system_freeze(r.system);
  cdn_system_last_error(r.system, &e);
  if (status == CDN_OK) {
    OK(cdn_state_create(r.system, &r.state));
    status = cdn_realize(r.state, CDN_STAGE_ACCELERATION);
    cdn_state_last_error(r.state, &e);
  }
  ck_assert_int_eq(status, expected);
  ck_assert_msg(strstr(e.text, says), "'%s' does not say '%s'", e.text, says);
  stop(&r);
}

static cdn_status names_nobody(const source *s, cdn_state *state, cdn_row_list *rows) {
  (void)state, (void)s;
  cdn_row_list_add_mobility(rows, s->r->slider, 0, 1);
  return CDN_OK;
}

START_TEST(test_refusals) {
  refused((source){ .calc = of_two_minds, .copies = 1 }, CDN_ERR_SINGULAR, "regularisation");
  refused((source){ .calc = of_slider, .bias = NAN }, CDN_ERR_NONFINITE, "row provider 'source'");
  refused((source){ .calc = names_nobody }, CDN_ERR_ARG, "cdn_row_list_add first");
}
END_TEST

/* Equal rows share the force of one, if they agree; those that do not are no mistake if they give way. */
START_TEST(test_equal_rows) {
  double alone = 0;
  for (int copies = 0; copies < 3; copies++) {
    rig r = make_rig();
    cdn_row_set set;
    double f[3];
    int n;
    add_source(&r, (source){ .calc = of_slider, .copies = copies, .bias = 0.7 }, &set);
    start(&r);
    OK_ON(r.state, cdn_row_forces(r.state, set, 3, f, &n));
    ck_assert_int_eq(n, copies + 1);
    NEAR(cdn_state_udot(r.state)[1], -0.7, 1e-14);
    if (copies == 0) alone = f[0];
    for (int i = 0; i < n; i++) NEAR(f[i], alone / n, 1e-12 * fabs(alone));
    stop(&r);
  }
  rig r = make_rig();
  cdn_row_set set;
  add_source(&r, (source){ .calc = of_two_minds, .copies = 1, .R = 0.1 }, &set);
  start(&r);
  OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION));
  stop(&r);
}
END_TEST

CHECK_MAIN("row providers", test_as_a_constraint, test_equation_and_forces, test_added_mass, test_rows_come_and_go,
           test_after_loading, test_refusals, test_equal_rows)
