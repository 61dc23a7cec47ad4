/* Laws of impact: Stronge's, contacts in turn, the limit of stiff springs, restitution by speed. Reference values are
 * closed forms and piecewise linear motions along the normal impulse (../shared/hybrid/reference_values.json). */
#include "property/random_tree.h"
#include "hybrid_scenes.h"

static void set_law(cdn_system *system, cdn_impact_law law, cdn_impact_propagation propagation) {
  cdn_impact_def impact = cdn_default_impact_def();
  impact.law = law, impact.propagation = propagation;
  cdn_system_set_impact(system, &impact);
}

/* ---- one contact in the plane ---- */

typedef struct tip {
  double m, J, x, y; /* of the body; the tip from its centre */
  double mu, e, u[3];
} tip;

/* Along the normal impulse: slip, stick and reversal by straight pieces, until the work of the expansion is e^2 of that
 * of the compression (Routh's construction). */
static void strike_by_pieces(const tip *b, double u[3]) {
  const double NN = 1 / b->m + b->x * b->x / b->J, NT = -b->x * b->y / b->J, TT = 1 / b->m + b->y * b->y / b->J;
  double vn = b->u[2] + b->u[0] * b->x, vt = b->u[1] - b->u[0] * b->y, PN = 0, PT = 0, work = 0, wanted = -1;
  bool rests = vt == 0;
  for (int piece = 0; piece < 6; piece++) {
    const bool sticks = rests && fabs(NT) <= b->mu * TT;
    const double along = rests ? NT : vt, rate = sticks ? -NT / TT : along > 0 ? -b->mu : b->mu;
    const double n = NN + rate * NT, t = NT + rate * TT;
    double step = INFINITY;
    bool turns = false;
    rests = false;
    if (wanted >= 0) step = (sqrt(vn * vn + 2 * n * (wanted - work)) - vn) / n;
    else if (n > 0) step = -vn / n;
    const double ends = step;
    if (!sticks && t * vt < 0 && -vt / t < step) step = -vt / t, rests = true;
    turns = wanted < 0 && step == ends;
    work += vn * step + 0.5 * n * step * step, PN += step, PT += rate * step, vn += n * step, vt += t * step;
    if (sticks) rests = true;
    if (rests) vt = 0;
    if (wanted >= 0 && step == ends) break;
    if (turns) wanted = -b->e * b->e * work, work = 0, vn = 0;
  }
  u[0] = b->u[0] + (b->x * PN - b->y * PT) / b->J, u[1] = b->u[1] + PT / b->m, u[2] = b->u[2] + PN / b->m;
}

static cdn_state *strike_tip(const tip *b, cdn_impact_law law, cdn_impact_propagation propagation) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.b = add_planar(system, "body", b->m, b->J), c.p_B = cdn_v3(b->x, b->y, 0);
  c.mu_dynamic = b->mu, c.restitution = b->e, c.X_AP = facing(cdn_v3(0, 1, 0), cdn_v3(0, b->y, 0));
  cdn_system_add_rigid_contact(system, &c);
  set_law(system, law, propagation);
  cdn_state *state = hybrid_state(system, NULL, b->u);
  OK_ON(state, cdn_settle(state, 0));
  return state;
}

START_TEST(stronge_follows_the_impact_of_one_contact) {
  rng r = rng_of(77);
  for (int k = 0; k < FEWER(60); k++) {
    tip b = { .m = uniform(&r, 0.5, 2), .J = uniform(&r, 0.05, 0.5), .x = uniform(&r, -1, 1), .y = uniform(&r, -1, 0) };
    b.mu = uniform(&r, 0, 1.5), b.e = uniform(&r, 0.1, 1);
    double u[3], speed;
    do {
      random_numbers(&r, 3, b.u, 3);
      speed = b.u[2] + b.u[0] * b.x;
    } while (speed > -0.1);
    if (k % 5 == 0) b.u[2] = -1e-5 - b.u[0] * b.x; /* a slow approach and a fast slip */
    strike_by_pieces(&b, u);
    cdn_state *state = strike_tip(&b, CDN_IMPACT_STRONGE, (cdn_impact_propagation)(k % 3));
    /* steps of the impact have errors of 1e-13 of the speeds each, some ten of them, and J is 0.05 */
    for (int i = 0; i < 3; i++) NEAR(cdn_state_u(state)[i], u[i], 1e-11);
    ck_assert(cdn_hybrid_get_totals(state).lowered == 0);
    cdn_state_destroy(state);
  }
}
END_TEST

/* ---- a sphere with spin, in space: its slip keeps its direction, and ends by rolling or not at all ---- */

START_TEST(a_sphere_slips_or_rolls_by_every_law) {
  const double m = 2, radius = 0.3, J = 0.4 * m * radius * radius, mu = _i & 1 ? 0.5 : 0.1, e = 0.6;
  const double u[] = { 1, -2, 3, 0.7, 0.4, -2 };
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def d = cdn_default_body_def();
  d.mobilizer = CDN_FREE, d.mass = (cdn_mass_properties){ m, { 0, 0, 0 }, { J, J, J, 0, 0, 0 } };
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.b = cdn_system_add_body(system, &d), c.radius = radius, c.X_AP.p = cdn_v3(0, 0, -radius);
  c.mu_dynamic = mu, c.restitution = e;
  cdn_system_add_rigid_contact(system, &c);
  set_law(system, (cdn_impact_law)(_i / 2 % 3), (cdn_impact_propagation)(_i / 6));
  cdn_state *state = hybrid_state(system, NULL, u);
  OK_ON(state, cdn_settle(state, 0));
  /* slip v - w x r n; friction of impulse P changes it by 7 P / (2 m) */
  const double slip[] = { u[3] - u[1] * radius, u[4] + u[0] * radius }, size = hypot(slip[0], slip[1]);
  const double P = fmin(mu * m * (1 + e) * 2, 2 * m / 7 * size), x = -P * slip[0] / size, y = -P * slip[1] / size;
  const double after[] = { u[0] + radius * y / J, u[1] - radius * x / J, u[2], u[3] + x / m, u[4] + y / m, 2 * e };
  for (int k = 0; k < 6; k++) NEAR(cdn_state_u(state)[k], after[k], 1e-11);
  cdn_state_destroy(state);
}
END_TEST

/* ---- balls in a row ---- */

static cdn_state *cradle_of(int n, const double *masses, const double *e, const cdn_impact_def *impact) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body ball[8];
  const double u[8] = { 1 };
  for (int i = 0; i < n; i++) ball[i] = add_slider(system, NULL, masses ? masses[i] : 1);
  for (int i = 0; i + 1 < n; i++) {
    cdn_one_sided_def touch = cdn_default_one_sided_def();
    cdn_function *gap = cdn_function_linear(2, (double[]){ -1, 1 }, 0);
    touch.constraint =
        cdn_system_couple_coordinates(system, NULL, gap, 2, (cdn_mobility[]){ { ball[i], 0 }, { ball[i + 1], 0 } });
    touch.restitution = e[i];
    cdn_system_make_one_sided(system, &touch);
    cdn_function_release(gap);
  }
  cdn_system_set_impact(system, impact);
  cdn_state *state = hybrid_state(system, NULL, u);
  OK_ON(state, cdn_settle(state, 0));
  return state;
}

static cdn_state *cradle(int n, const cdn_impact_def *impact) {
  return cradle_of(n, NULL, (double[]){ 1, 1, 1, 1 }, impact);
}

START_TEST(balls_in_turn_hand_on_their_speed) {
  const int n = _i & 1 ? 5 : 3;
  cdn_impact_def impact = cdn_default_impact_def();
  impact.propagation = CDN_IMPACT_PAIRWISE, impact.law = (cdn_impact_law)(_i / 2);
  cdn_state *state = cradle(n, &impact);
  for (int i = 0; i < n; i++) NEAR(cdn_state_u(state)[i], i + 1 == n, impact.law == CDN_IMPACT_STRONGE ? 1e-11 : 1e-15);
  cdn_state_destroy(state);
}
END_TEST

START_TEST(balls_of_stiff_springs) {
  static const double wanted[][3] = { { -0.13026169506436863, 0.15022956943493004, 0.9800321256294399 },
                                      { -0.07095235365140022, 0.07640303907110564, 0.9945493145802942 } };
  cdn_impact_def impact = cdn_default_impact_def();
  impact.propagation = CDN_IMPACT_COMPLIANT, impact.exponent = _i ? 1.5 : 1;
  cdn_state *state = cradle(3, &impact);
  for (int i = 0; i < 3; i++) NEAR(cdn_state_u(state)[i], wanted[_i][i], 1e-10); /* 10 digits are trusted */
  cdn_state_destroy(state);
}
END_TEST

/* A chain of four balls, with a slow spring from the last to a wall, and contacts of finite stiffness k. One of them
 * gives way along its way back more steeply, so that it returns e^2 of the work. The balls' speeds when all are apart,
 * by the classical method of Runge and Kutta. */
static void strike_by_chain(double k, double e, const double *masses, double u[4]) {
  double q[8] = { 0 }, deepest[3] = { 0 };
  const double h = 0.002 / sqrt(k);
  for (int i = 0; i < 4; i++) q[4 + i] = i == 0;
  for (int step = 0; step < 12000; step++) {
    double rate[4][8], at[8], sum[8];
    for (int stage = 0; stage < 4; stage++) {
      const double part = stage == 0 ? 0 : stage == 3 ? h : h / 2;
      double force[5] = { 0 };
      for (int j = 0; j < 8; j++) at[j] = q[j] + (stage == 0 ? 0 : part * rate[stage - 1][j]);
      for (int i = 0; i < 3; i++) {
        const double d = at[i] - at[i + 1], ei = i == 1 ? e : 1, left = (1 - ei * ei) * deepest[i];
        force[i + 1] = d >= deepest[i] ? k * d : d > left ? k * (d - left) / (ei * ei) : 0;
      }
      force[4] = at[3];
      for (int i = 0; i < 4; i++)
        rate[stage][i] = at[4 + i], rate[stage][4 + i] = (force[i] - force[i + 1]) / masses[i];
    }
    for (int j = 0; j < 8; j++) sum[j] = rate[0][j] + 2 * rate[1][j] + 2 * rate[2][j] + rate[3][j];
    for (int j = 0; j < 8; j++) q[j] += h / 6 * sum[j];
    for (int i = 0; i < 3; i++) deepest[i] = fmax(deepest[i], q[i] - q[i + 1]);
  }
  for (int i = 0; i < 4; i++) u[i] = q[4 + i];
}

START_TEST(stiffer_and_stiffer_chains_lead_to_the_compliant_limit) {
  static const double masses[] = { 1, 0.6, 1.7, 0.9 };
  const double e = _i ? 0.6 : 1;
  double u[4], before = 1;
  cdn_impact_def impact = cdn_default_impact_def();
  impact.propagation = CDN_IMPACT_COMPLIANT;
  cdn_state *state = cradle_of(4, masses, (double[]){ 1, e, 1 }, &impact);
  for (double k = 1e4; k < 1e9; k *= 16) {
    double error = 0;
    strike_by_chain(k, e, masses, u);
    for (int i = 0; i < 4; i++) error = fmax(error, fabs(u[i] - cdn_state_u(state)[i]));
    AT_MOST(error, 0.3 * before); /* the slow spring acts as long as the impact lasts: 1 / sqrt(k) */
    before = error;
  }
  AT_MOST(before, 1e-4);
  cdn_state_destroy(state);
}
END_TEST

/* ---- a rod on a pin with friction by its reaction strikes a block: impulses of the reaction press, too ---- */

/* A rod of 1 kg and 1 m along y, its pin a constraint at the origin; at a = 0.8 m it meets a block on a slider, or a
 * wall. The impulse of the pin is R = P + k w', with k = 1/2 and w' the change of w, and less than 0; its friction
 * gives mu |R| against w. */
static cdn_state *strike_with_pin(double block, double mu, double e, cdn_impact_law law) {
  const double a = 0.8, w = 2;
  cdn_system *system = cdn_system_create(NULL);
  const cdn_body rod = add_planar(system, "rod", 1, 1. / 12);
  cdn_dry_friction_def pin = cdn_default_dry_friction_def();
  pin.reaction = cdn_system_constrain_ball(system, "pin", cdn_ground(), cdn_v3(0, 0, 0), rod, cdn_v3(0, -0.5, 0));
  pin.slip = cdn_system_constrain_speed(system, "turn", rod, 0, 0);
  pin.mu_dynamic = mu;
  cdn_system_add_dry_friction(system, &pin);
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  const cdn_vec3 n = cdn_v3(1, 0, 0), p = cdn_v3(0, a - 0.5, 0);
  if (block > 0) c.a = add_slider(system, "block", block), c.X_AP = facing(cdn_v3(-1, 0, 0), cdn_v3(0, a, 0));
  else c.X_AP = facing(n, cdn_v3(0, a, 0));
  c.b = rod, c.p_B = p, c.restitution = e;
  cdn_system_add_rigid_contact(system, &c);
  set_law(system, law, CDN_IMPACT_TOGETHER);
  /* the rod turns towards -x by a positive w: towards the wall; the block is on the other side */
  const double sign = block > 0 ? -1 : 1, u[] = { sign * w, -sign * w / 2, 0, 0 };
  cdn_state *state = hybrid_state(system, (double[]){ 0, 0, 0.5, 0 }, u);
  OK_ON(state, cdn_settle(state, 0));
  return state;
}

START_TEST(friction_by_a_reaction_has_impulses) {
  const double a = 0.8, I = 1. / 3, k = 0.5, w = 2, mu = 0.05, e = 0.5, M = 3;
  /* a block: I w' = -a P - mu |R|, M a (w + w') = P */
  const double after = w * (I - mu * k) / (I - mu * k + M * a * (a - mu));
  for (int law = CDN_IMPACT_POISSON; law <= CDN_IMPACT_STRONGE; law++) {
    cdn_state *state = strike_with_pin(M, mu, 0, (cdn_impact_law)law);
    NEAR(cdn_state_u(state)[0], -after, law == CDN_IMPACT_STRONGE ? 1e-11 : 1e-14);
    cdn_state_destroy(state);
  }
  /* a wall: w falls by c1 for each P until it turns, then by c2 */
  const double c1 = (a - mu) / (I - mu * k), c2 = (a + mu) / (I + mu * k);
  cdn_state *state = strike_with_pin(0, mu, e, CDN_IMPACT_STRONGE);
  NEAR(cdn_state_u(state)[0], -e * w * sqrt(c2 / c1), 1e-11);
  cdn_state_destroy(state);
}
END_TEST

/* ---- restitution by speed, and laws of one's own: a ball that meets a floor with 2 m/s ---- */

static cdn_state *dropped(const cdn_function *by_speed, const cdn_impact_def *impact, double mu, double vx) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
  c.name = "floor", c.b = add_point(system, "ball", 1), c.restitution = 0.8, c.restitution_by_speed = by_speed;
  c.mu_dynamic = mu;
  cdn_system_add_rigid_contact(system, &c);
  cdn_system_set_impact(system, impact);
  return hybrid_state(system, NULL, (double[]){ vx, 0, -2 });
}

START_TEST(restitution_may_depend_on_speed) {
  cdn_function *slower = cdn_function_linear(1, (double[]){ -0.1 }, 1), *wrong = cdn_function_constant(1.5);
  cdn_function *two = cdn_function_linear(2, (double[]){ 1, 1 }, 0), *more = cdn_function_linear(1, (double[]){ 1 }, 0);
  cdn_impact_def impact = cdn_default_impact_def();
  impact.law = (cdn_impact_law)_i;
  cdn_state *state = dropped(slower, &impact, 0, 0);
  cdn_function_release(slower);
  OK_ON(state, cdn_settle(state, 0));
  NEAR(cdn_state_u(state)[2], 0.8 * 0.8 * 2, _i == CDN_IMPACT_STRONGE ? 1e-12 : 1e-15);
  cdn_state_destroy(state);
  state = dropped(more, &impact, 0, 0);
  ck_assert_int_eq(cdn_settle(state, 0), CDN_ERR_ARG);
  ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), "'floor' gives 2 at a speed of 2"));
  cdn_state_destroy(state);
  cdn_function *const refused[] = { wrong, two };
  for (int k = 0; k < 2; k++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_rigid_contact_def c = cdn_default_rigid_contact_def();
    c.b = add_point(system, "ball", 1), c.restitution_by_speed = refused[k];
    cdn_system_add_rigid_contact(system, &c);
    ck_assert_int_eq(cdn_system_freeze(system), CDN_ERR_ARG);
    cdn_system_release(system);
  }
  cdn_function_release(wrong), cdn_function_release(two), cdn_function_release(more);
}
END_TEST

typedef struct own_law {
  double normal, friction; /* factors of Newton's impulse without friction */
  cdn_status status;
  int *alive;
} own_law;

static cdn_status own_solve(const void *self, const cdn_impact_set *set, double *impulses) {
  const own_law *law = self;
  for (int i = 0; i < set->n; i++) {
    const cdn_impact_contact *c = &set->contacts[i];
    const double W = set->response[c->normal_row * set->rows + c->normal_row], v = set->speeds[c->normal_row];
    impulses[c->normal_row] = -law->normal * (1 + c->restitution) * v / W;
    if (c->tangents > 0) impulses[c->tangent_row] = -law->friction * c->mu * impulses[c->normal_row];
  }
  return law->status;
}
static void own_destroy(void *self) { --*((own_law *)self)->alive; }

static cdn_impact_def own_impact(const own_law *law, cdn_impact_ops *ops) {
  cdn_impact_def impact = cdn_default_impact_def();
  *ops = (cdn_impact_ops){
    .struct_size = sizeof *ops, .name = "mine", .self_size = sizeof *law, .solve = own_solve, .destroy = own_destroy
  };
  impact.ops = ops, impact.self = law;
  return impact;
}

START_TEST(a_law_of_ones_own) {
  static const struct {
    double normal, friction, vx;
    cdn_status status;
    const char *says; /* NULL: it is a law */
  } cases[] = { { 1, 1, 3, CDN_OK, NULL },
                { 1, 0, 0, CDN_OK, NULL },
                { -1, 1, 3, CDN_OK, "impact law 'mine': it pulls at 'floor'" },
                { 0.1, 1, 3, CDN_OK, "a speed of approach is left at 'floor'" },
                { 1, 1.1, 3, CDN_OK, "its friction exceeds mu times the push at 'floor'" },
                { 1.3, 0, 0, CDN_OK, "it gains energy" },
                { NAN, 1, 3, CDN_OK, "must be finite" },
                { 1, 1, 3, CDN_ERR_STEP, "impact law 'mine' failed" } };
  int alive = 1;
  const own_law law = { cases[_i].normal, cases[_i].friction, cases[_i].status, &alive };
  cdn_impact_ops ops;
  const cdn_impact_def impact = own_impact(&law, &ops);
  cdn_state *state = dropped(NULL, &impact, 0.2, cases[_i].vx);
  const cdn_status status = cdn_settle(state, 0);
  if (cases[_i].says) {
    ck_assert_int_eq(status, cases[_i].status ? cases[_i].status : CDN_ERR_CONSTRAINT);
    ck_assert_msg(strstr(cdn_last_error_text(), cases[_i].says) != NULL, "%s", cdn_last_error_text());
  } else {
    OK_ON(state, status);
    NEAR(cdn_state_u(state)[2], 1.6, 1e-15);
    NEAR(cdn_state_u(state)[0], cases[_i].vx - (cases[_i].vx > 0 ? 0.2 * 3.6 : 0), 1e-15);
  }
  cdn_state_destroy(state);
  ck_assert_int_eq(alive, 0);
}
END_TEST

START_TEST(a_law_of_ones_own_in_turn) {
  int alive = 1;
  const own_law law = { 1, 0, CDN_OK, &alive };
  cdn_impact_ops ops;
  cdn_impact_def impact = own_impact(&law, &ops);
  impact.propagation = CDN_IMPACT_PAIRWISE;
  cdn_state *state = cradle(5, &impact);
  for (int i = 0; i < 5; i++) NEAR(cdn_state_u(state)[i], i == 4, 1e-15);
  cdn_state_destroy(state);
  cdn_system *system = cdn_system_create(NULL);
  impact.propagation = CDN_IMPACT_COMPLIANT;
  cdn_system_set_impact(system, &impact);
  ck_assert_int_eq(cdn_system_freeze(system), CDN_ERR_ARG);
  ck_assert_ptr_nonnull(strstr(cdn_last_error_text(), "CDN_IMPACT_PAIRWISE"));
  cdn_system_release(system);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, restitution_may_depend_on_speed, 0, 3);
  tcase_add_loop_test(c, a_law_of_ones_own, 0, 8);
  tcase_add_test(c, a_law_of_ones_own_in_turn);
  tcase_add_test(c, friction_by_a_reaction_has_impulses);
  tcase_add_test(c, stronge_follows_the_impact_of_one_contact);
  tcase_add_loop_test(c, a_sphere_slips_or_rolls_by_every_law, 0, 18);
  tcase_add_loop_test(c, balls_in_turn_hand_on_their_speed, 0, 6);
  tcase_add_loop_test(c, balls_of_stiff_springs, 0, 2);
  tcase_add_loop_test(c, stiffer_and_stiffer_chains_lead_to_the_compliant_limit, 0, 2);
}

CHECK_MAIN_OF("hybrid laws", 60, add)
