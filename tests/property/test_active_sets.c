/* Constraints that are on among many that are declared. What is computed is that of a System that has only those, to
 * the last bit, whatever was on before; and so is what it costs, as far as a test can count it. */
#include "constraint_samples.h"
#include "constraints/project.h"

enum { ON = 10, MANY = 1000, BODIES = 16, MOST = 600 };

/* ---- a System of ten constraints, with or without 990 others ---- */

typedef struct rig {
  random_tree tree;
  cdn_state *state;
  int declared;
  cdn_constraint on[ON], off[MANY];
  int n_off;
} rig;

static cdn_constraint add(rig *x, rng *r) {
  cdn_system *s = x->tree.system;
  const cdn_body a = { pick(r, BODIES + 1) }, b = { (a.i + 1 + pick(r, BODIES)) % (BODIES + 1) };
  const cdn_vec3 p = random_vec3(r, 1), q = random_vec3(r, 1), n = random_vec3(r, 1);
  switch (pick(r, 4)) {
    case 0: return cdn_system_constrain_rod(s, NULL, a, p, b, q, uniform(r, 0.2, 2));
    case 1: return cdn_system_constrain_ball(s, NULL, a, p, b, q);
    case 2: return cdn_system_constrain_point_in_plane(s, NULL, a, n, 0.3, b, q);
    default: return cdn_system_constrain_no_slip(s, NULL, a, p, n, a, b);
  }
}

/* `twice`: some of the ten are the same, so that equations are redundant. */
static void build(rig *x, int declared, bool twice, uint64_t seed) {
  *x = (rig){ .declared = declared };
  const tree_options options = { .bodies = BODIES, .shape = seed, .numbers = seed + 1, .forces = true };
  x->tree = make_random_tree(&options);
  rng others = rng_of(seed + 2), mine = rng_of(seed + 3);
  for (int i = 0; i < declared; i++) {
    if (i % (declared / ON) != declared / ON / 2) {
      x->off[x->n_off] = add(x, &others);
      cdn_system_disable_constraint(x->tree.system, x->off[x->n_off++]);
      continue;
    }
    const int k = i / (declared / ON);
    rng again = mine;
    x->on[k] = add(x, &mine);
    if (twice && k % 3 == 0) mine = again;
  }
}

static void make(rig *x, int declared, bool twice, uint64_t seed) {
  build(x, declared, twice, seed);
  x->state = random_tree_state(&x->tree, seed + 4);
}

static void same_bits(const char *what, const double *a, const double *b, int n) {
  for (int i = 0; i < n; i++)
    ck_assert_msg(memcmp(&a[i], &b[i], sizeof a[i]) == 0, "%s[%d]: %.17g and %.17g", what, i, a[i], b[i]);
}

static void same_of_constraints(const rig *x, const rig *y) {
  const cdn_system *s = cdn_state_system(x->state), *t = cdn_state_system(y->state);
  const double *lambda = cdn_state_multipliers(x->state), *mu = cdn_state_multipliers(y->state);
  const double *qerr = cdn_state_qerr(x->state), *perr = cdn_state_qerr(y->state);
  const double *uerr = cdn_state_uerr(x->state), *verr = cdn_state_uerr(y->state);
  const double *udoterr = cdn_state_udoterr(x->state), *aerr = cdn_state_udoterr(y->state);
  ck_assert(lambda && mu && qerr && perr && uerr && verr && udoterr && aerr);
  for (int k = 0; k < ON; k++) {
    const cdn_constraint_equations e = cdn_constraint_get_equations(s, x->on[k]);
    const cdn_constraint_equations f = cdn_constraint_get_equations(t, y->on[k]);
    same_bits("lambda", lambda + e.row, mu + f.row, e.np + e.nv + e.na);
    same_bits("qerr", qerr + e.qerr, perr + f.qerr, e.np);
    same_bits("uerr", uerr + e.uerr, verr + f.uerr, e.np + e.nv);
    same_bits("udoterr", udoterr + e.row, aerr + f.row, e.np + e.nv + e.na);
  }
  for (int k = 0; k < x->n_off; k++) {
    const cdn_constraint_equations e = cdn_constraint_get_equations(s, x->off[k]);
    for (int i = 0; i < e.np; i++) ck_assert(qerr[e.qerr + i] == 0);
    for (int i = 0; i < e.np + e.nv; i++) ck_assert(uerr[e.uerr + i] == 0);
    for (int i = 0; i < e.np + e.nv; i++) ck_assert(lambda[e.row + i] == 0 && udoterr[e.row + i] == 0);
  }
}

/* Everything that takes constraints into account. */
static void same(rig *x, rig *y) {
  const cdn_system *s = cdn_state_system(x->state);
  const int nq = cdn_system_nq(s), nu = cdn_system_nu(s);
  double power, other;
  OK_ON(x->state, cdn_realize(x->state, CDN_STAGE_ACCELERATION));
  OK_ON(y->state, cdn_realize(y->state, CDN_STAGE_ACCELERATION));
  same_bits("udot", cdn_state_udot(x->state), cdn_state_udot(y->state), nu);
  same_of_constraints(x, y);
  OK_ON(x->state, cdn_constraint_power(x->state, &power));
  OK_ON(y->state, cdn_constraint_power(y->state, &other));
  same_bits("power", &power, &other, 1);
  double f[MOST], a[MOST], b[MOST], *many = calloc(4 * MANY, sizeof *many);
  rng r = rng_of(5);
  random_numbers(&r, 1, f, nu);
  OK_ON(x->state, cdn_solve_constrained(x->state, f, NULL, a, many));
  OK_ON(y->state, cdn_solve_constrained(y->state, f, NULL, b, many));
  free(many);
  same_bits("solution", a, b, nu);
  cdn_projection_def def = cdn_default_projection_def();
  def.always = true;
  def.most_iterations = 2; /* far from the constraints: what two steps come to is compared, not whether they arrive */
  def.tolerance = 1e9;
  double error_x, error_y;
  OK_ON(x->state, cdn_project_q(x->state, &def, &error_x));
  OK_ON(y->state, cdn_project_q(y->state, &def, &error_y));
  same_bits("q", cdn_state_q(x->state), cdn_state_q(y->state), nq);
  OK_ON(x->state, cdn_project_u(x->state, &def, &error_x));
  OK_ON(y->state, cdn_project_u(y->state, &def, &error_y));
  same_bits("u", cdn_state_u(x->state), cdn_state_u(y->state), nu);
  same_bits("error", &error_x, &error_y, 1);
}

START_TEST(test_ten_of_a_thousand_are_as_ten) {
  for (uint64_t seed = 1; seed <= 12; seed++) {
    rig few, many;
    make(&few, ON, seed % 2, 100 * seed);
    make(&many, MANY, seed % 2, 100 * seed);
    same(&few, &many);
    cdn_state_destroy(few.state);
    cdn_state_destroy(many.state);
  }
}
END_TEST

/* ---- whatever was on before ---- */

/* Some of the others are on for a while, evaluations and accepted steps included. */
START_TEST(test_the_past_leaves_no_trace) {
  for (uint64_t seed = 1; seed <= 8; seed++) {
    rig few, many;
    make(&few, ON, seed % 2, 100 * seed);
    make(&many, 200, seed % 2, 100 * seed);
    rng r = rng_of(seed);
    for (int turn = 0; turn < 6; turn++) {
      int which[5];
      for (int k = 0; k < 5; k++) {
        which[k] = pick(&r, many.n_off);
        OK_ON(many.state, cdn_constraint_set_enabled(many.state, many.off[which[k]], true));
        if (k == 2) OK_ON(many.state, cdn_constraint_set_enabled(many.state, many.on[turn], false));
        OK_ON(many.state, cdn_realize(many.state, CDN_STAGE_ACCELERATION));
        if (turn % 2) OK_ON(many.state, cdn_state_auto_update(many.state));
      }
      for (int k = 4; k >= 0; k--) {
        OK_ON(many.state, cdn_constraint_set_enabled(many.state, many.off[which[k]], false));
        if (k % 2) OK_ON(many.state, cdn_realize(many.state, CDN_STAGE_ACCELERATION));
      }
      OK_ON(many.state, cdn_constraint_set_enabled(many.state, many.on[turn], true));
      same(&few, &many);
    }
    cdn_state_destroy(few.state);
    cdn_state_destroy(many.state);
  }
}
END_TEST

/* Sets of six constraints, some of which say the same, come to by random ways. */
START_TEST(test_all_orders_of_switching_give_the_same_bits) {
  enum { SIX = 6 };
  static double expected[1 << SIX][MOST];
  rig x;
  make(&x, ON, true, 7);
  const int nu = cdn_system_nu(cdn_state_system(x.state));
  for (int k = SIX; k < ON; k++) OK_ON(x.state, cdn_constraint_set_enabled(x.state, x.on[k], false));
  for (int set = 0; set < 1 << SIX; set++) {
    cdn_state *fresh;
    OK(cdn_state_create(cdn_state_system(x.state), &fresh));
    OK_ON(fresh, cdn_state_set_q(fresh, cdn_state_q(x.state)));
    OK_ON(fresh, cdn_state_set_u(fresh, cdn_state_u(x.state)));
    for (int k = 0; k < ON; k++) OK_ON(fresh, cdn_constraint_set_enabled(fresh, x.on[k], k < SIX && set >> k & 1));
    OK_ON(fresh, cdn_realize(fresh, CDN_STAGE_ACCELERATION));
    memcpy(expected[set], cdn_state_udot(fresh), (size_t)nu * sizeof(double));
    cdn_state_destroy(fresh);
  }
  rng r = rng_of(8);
  int set = (1 << SIX) - 1;
  for (int turn = 0; turn < 2000; turn++) {
    const int k = pick(&r, SIX);
    set ^= 1 << k;
    OK_ON(x.state, cdn_constraint_set_enabled(x.state, x.on[k], set >> k & 1));
    if (pick(&r, 3) == 0) continue;
    OK_ON(x.state, cdn_realize(x.state, CDN_STAGE_ACCELERATION));
    same_bits("udot", cdn_state_udot(x.state), expected[set], nu);
    if (pick(&r, 4) == 0) OK_ON(x.state, cdn_state_auto_update(x.state));
  }
  cdn_state_destroy(x.state);
}
END_TEST

/* A State that is copied to has the plan and the numbers of the other one, results included. */
START_TEST(test_copies_have_their_own_plan) {
  rig x, few;
  make(&x, 200, true, 11);
  make(&few, ON, true, 11);
  cdn_state *copy, *other;
  OK(cdn_state_create(cdn_state_system(x.state), &copy));
  OK(cdn_state_create(cdn_state_system(x.state), &other));
  OK_ON(x.state, cdn_realize(x.state, CDN_STAGE_ACCELERATION));
  /* of another size before, and of none */
  for (int k = 0; k < 30; k++) OK_ON(copy, cdn_constraint_set_enabled(copy, x.off[k], true));
  OK_ON(copy, cdn_realize(copy, CDN_STAGE_ACCELERATION));
  OK_ON(copy, cdn_state_copy(copy, x.state));
  OK_ON(other, cdn_state_copy(other, copy));
  for (int k = 0; k < 40; k++) OK_ON(x.state, cdn_constraint_set_enabled(x.state, x.off[k], true));
  OK_ON(x.state, cdn_realize(x.state, CDN_STAGE_ACCELERATION));
  cdn_state_destroy(x.state);
  rig c = x, o = x, d = few;
  c.state = copy, o.state = other;
  OK(cdn_state_create(cdn_state_system(few.state), &d.state));
  OK_ON(d.state, cdn_state_copy(d.state, few.state));
  same(&few, &c);
  same(&d, &o);
  cdn_state_destroy(copy);
  cdn_state_destroy(other);
  cdn_state_destroy(few.state);
  cdn_state_destroy(d.state);
}
END_TEST

/* ---- what it costs ---- */

typedef struct counter {
  size_t bytes, outstanding, calls;
  int fill; /* what new memory is full of */
} counter;

static void *count_alloc(void *context, size_t size, size_t align) {
  counter *c = context;
  c->bytes += size, c->outstanding += size, c->calls++;
  void *memory = aligned_alloc(align, (size + align - 1) / align * align);
  return memory ? memset(memory, c->fill, size) : NULL;
}

static void count_free(void *context, void *memory, size_t size) {
  ((counter *)context)->outstanding -= size;
  free(memory);
}

/* 46 particles, rods between pairs of them, of which `on` are on. */
static cdn_state *make_pairs(counter *c, int declared, int on, size_t *freezing) {
  cdn_system_def system_def = cdn_default_system_def();
  system_def.allocator = (cdn_allocator){ count_alloc, count_free, c };
  cdn_system *s = cdn_system_create(&system_def);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_TRANSLATION;
  def.mass.mass = 1;
  for (int i = 0; i < 46; i++) {
    def.X_PF.p = cdn_v3(i, i % 7, i * i % 5);
    cdn_system_add_body(s, &def);
  }
  for (int i = 1, n = 0; n < declared; i++)
    for (int j = 1; j < i && n < declared; j++, n++) {
      const cdn_constraint rod =
          cdn_system_constrain_rod(s, NULL, (cdn_body){ i }, cdn_v3(0, 0, 0), (cdn_body){ j }, cdn_v3(0, 0, 0), 2);
      if (n >= on) cdn_system_disable_constraint(s, rod);
    }
  const size_t before = c->bytes;
  cdn_state *state;
  OK_FREEZE(s);
  *freezing = c->bytes - before;
  OK(cdn_state_create(s, &state));
  cdn_system_release(s);
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  return state;
}

/* Bytes are counted: what freezing asks for in all, and what a State holds. */
START_TEST(test_memory_and_freezing_are_linear_in_what_is_declared) {
  size_t freezing[5], held[5], size[5];
  for (int i = 0; i < 5; i++) {
    counter c = { 0 };
    cdn_state *state = make_pairs(&c, 200 * (i + 1), ON, &freezing[i]);
    size[i] = cdn_system_state_size(cdn_state_system(state));
    held[i] = c.outstanding;
    cdn_state_destroy(state);
    ck_assert_uint_eq(c.outstanding, 0);
  }
  for (int i = 1; i < 5; i++) {
    AT_MOST((double)(freezing[i] - freezing[0]), 200. * i * 400);
    /* 7 parameters, 4 numbers of the constraint, 4 of its equation, 2 flags */
    AT_MOST((double)(size[i] - size[0]), 200. * i * 150);
    /* the System's names and elements among it */
    AT_MOST((double)(held[i] - held[0]), 200. * i * 1000);
  }
}
END_TEST

/* With all on as well: nobody waits for a plan when freezing. */
START_TEST(test_freezing_plans_nothing) {
  counter c = { 0 };
  size_t few, many;
  cdn_state_destroy(make_pairs(&c, 300, 1, &few));
  cdn_state_destroy(make_pairs(&c, 300, 300, &many));
  AT_MOST(fabs((double)many - (double)few), 1000);
}
END_TEST

/* A custom constraint that counts its evaluations. */
static int evaluations;

static cdn_status count_position(const void *self, const cdn_constraint_input *in, double *perr) {
  (void)self;
  evaluations++;
  perr[0] = in->q[0];
  return CDN_OK;
}

static cdn_status count_rows(const void *self, const cdn_constraint_input *in, cdn_rows *rows) {
  (void)self, (void)in;
  evaluations++;
  cdn_rows_add_mobility(rows, 0, (cdn_body){ 1 }, 0, 1);
  return CDN_OK;
}

START_TEST(test_what_is_off_is_not_evaluated) {
  static const cdn_constraint_ops ops = {
    .struct_size = sizeof ops, .name = "counting", .np = 1, .calc_position = count_position, .calc_rows = count_rows
  };
  const cdn_mobility pin = { { 1 }, 0 };
  cdn_system *s = cdn_system_create(NULL);
  cdn_body_def body = cdn_default_body_def();
  body.mobilizer = CDN_PIN;
  body.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = 1, .yy = 1, .zz = 1 } };
  const cdn_body a = cdn_system_add_body(s, &body), b = cdn_system_add_body(s, &body);
  cdn_system_constrain_coordinate(s, NULL, b, 0, 0.3);
  cdn_custom_constraint_def def = cdn_default_custom_constraint_def();
  def.ops = &ops, def.mobilities = &pin, def.n_mobilities = 1;
  cdn_constraint own[50];
  for (int i = 0; i < 50; i++) {
    own[i] = cdn_system_constrain_custom(s, &def);
    cdn_system_disable_constraint(s, own[i]);
  }
  cdn_state *state;
  OK_FREEZE(s);
  OK(cdn_state_create(s, &state));
  cdn_system_release(s);
  evaluations = 0;
  OK_ON(state, cdn_body_set_q(state, a, 1, &(double){ 0.2 }));
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  ck_assert(cdn_state_qerr(state) && cdn_state_uerr(state) && cdn_state_udoterr(state));
  OK_ON(state, cdn_project_q(state, NULL, NULL));
  ck_assert_int_eq(evaluations, 0);
  /* its gap is there for whoever asks */
  double gap = 0;
  OK_ON(state, cdn_calc_constraint_perr(state, own[7], &gap));
  ck_assert(gap == 0.2);
  ck_assert_int_eq(evaluations, 1);
  cdn_state_destroy(state);
}
END_TEST

/* Sets that a State has had cost no memory when they come again. */
START_TEST(test_choosing_a_plan_again_allocates_nothing) {
  counter c = { 0 };
  size_t unused;
  cdn_state *state = make_pairs(&c, 300, ON, &unused);
  for (int round = 0; round < 3; round++) {
    const size_t calls = c.calls;
    rng r = rng_of(3);
    for (int turn = 0; turn < 50; turn++) {
      for (int k = 0; k < 3; k++)
        OK_ON(state, cdn_constraint_set_enabled(state, (cdn_constraint){ pick(&r, 300) }, k == 0));
      OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    }
    for (int k = 0; k < 300; k++) OK_ON(state, cdn_constraint_set_enabled(state, (cdn_constraint){ k }, k < ON));
    if (round > 0) ck_assert_uint_eq(c.calls, calls);
  }
  cdn_state_destroy(state);
}
END_TEST

/* A chain whose loops to Ground stay open down to its root, each of them twice: equations are mixed, and many are
 * redundant. */
static cdn_state *make_piled(counter *c, uint64_t seed) {
  rng r = rng_of(seed);
  cdn_system_def system_def = cdn_default_system_def();
  system_def.allocator = (cdn_allocator){ count_alloc, count_free, c };
  cdn_system *s = cdn_system_create(&system_def);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = 0.4, .yy = 0.5, .zz = 0.6 } };
  for (int i = 0; i < 12; i++) {
    def.X_PF.p = random_vec3(&r, 0.5);
    def.parent = cdn_system_add_body(s, &def);
    const cdn_vec3 p = random_vec3(&r, 1), q = random_vec3(&r, 1);
    for (int k = 0; k < 2; k++) cdn_system_constrain_ball(s, NULL, cdn_ground(), p, def.parent, q);
  }
  cdn_state *state;
  OK_FREEZE(s);
  OK(cdn_state_create(s, &state));
  cdn_system_release(s);
  return state;
}

/* What was in a State's memory before it was the plan's and the numbers' takes no part. */
START_TEST(test_memory_is_not_read_before_it_is_written) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    counter a = { .fill = 0 }, b = { .fill = 0x11 };
    cdn_state *x = make_piled(&a, seed), *y = make_piled(&b, seed);
    double sines[100], others[100];
    int n, m;
    ck_assert_int_le(cdni_constraint_most_sines(cdn_state_system(x)), 100);
    OK_ON(x, cdni_constraint_sines(x, &n, sines));
    OK_ON(y, cdni_constraint_sines(y, &m, others));
    ck_assert_int_eq(n, m);
    same_bits("sine", sines, others, n);
    cdn_state_destroy(x);
    cdn_state_destroy(y);
  }
}
END_TEST

/* ---- errors of one constraint, on or off ---- */

START_TEST(test_gaps_can_be_read_on_or_off) {
  for (int i = 0; i < constraint_sample_count(); i++) {
    const tree_options options = { .bodies = 6, .shape = 60, .numbers = 61, .forces = true };
    random_tree tree = make_random_tree(&options);
    rng r = rng_of(62 + (uint64_t)i);
    const constraint_place place = constraint_place_on(&tree, &r);
    const cdn_constraint id = constraint_sample_add(i, &place, &r);
    cdn_state *state = random_tree_state(&tree, 63);
    const cdn_constraint_equations e = cdn_constraint_get_equations(cdn_state_system(state), id);
    double on_p[32] = { 0 }, on_v[32] = { 0 }, off_p[32] = { 0 }, off_v[32] = { 0 };
    OK_ON(state, cdn_calc_constraint_perr(state, id, on_p));
    OK_ON(state, cdn_calc_constraint_verr(state, id, on_v));
    same_bits("perr", on_p, cdn_state_qerr(state) + e.qerr, e.np);
    same_bits("verr", on_v, cdn_state_uerr(state) + e.uerr, e.np + e.nv);
    OK_ON(state, cdn_constraint_set_enabled(state, id, false));
    OK_ON(state, cdn_calc_constraint_perr(state, id, off_p));
    OK_ON(state, cdn_calc_constraint_verr(state, id, off_v));
    same_bits("perr off", on_p, off_p, e.np);
    same_bits("verr off", on_v, off_v, e.np + e.nv);
    FAILS(cdn_calc_constraint_perr(state, (cdn_constraint){ 1 }, off_p), CDN_ERR_ARG);
    FAILS(cdn_calc_constraint_verr(state, (cdn_constraint){ -1 }, off_v), CDN_ERR_ARG);
    if (e.np + e.nv > 0) FAILS(cdn_calc_constraint_verr(state, id, NULL), CDN_ERR_ARG);
    cdn_state_destroy(state);
  }
}
END_TEST

CHECK_MAIN("property/active_sets", test_ten_of_a_thousand_are_as_ten, test_the_past_leaves_no_trace,
           test_all_orders_of_switching_give_the_same_bits, test_copies_have_their_own_plan,
           test_memory_and_freezing_are_linear_in_what_is_declared, test_freezing_plans_nothing,
           test_what_is_off_is_not_evaluated, test_choosing_a_plan_again_allocates_nothing,
           test_memory_is_not_read_before_it_is_written, test_gaps_can_be_read_on_or_off)
