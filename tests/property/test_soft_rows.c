/* Soft rows (cardan/soft.h) on random trees with random loops: what udot and the forces must be for the convex problem
 * to be solved. The problem has one solution, so these conditions are a proof. */
#include "soft/function.h"
#include "random_constraints.h"

enum { MOST_GROUPS = 40 };

/* A subsystem whose groups a test makes. */
typedef struct group_source {
  const cdn_row_def *groups;
  const int *n;
} group_source;

static cdn_status add_groups(const void *self, cdn_state *state, cdn_row_list *list) {
  const group_source *s = self;
  (void)state;
  for (int i = 0; i < *s->n; i++) cdn_row_list_add(list, &s->groups[i]);
  return CDN_OK;
}

static cdn_status declare_groups(void *self, cdn_declarer *d) {
  const cdn_row_provider provider = { .struct_size = sizeof provider, .name = "source", .calc_rows = add_groups };
  (void)self;
  cdn_declare_rows(d, &provider);
  return CDN_OK;
}

typedef struct soft_case {
  random_tree tree;
  cdn_state *state;
  cdn_row_def group[MOST_GROUPS];
  int n;
  bool rates;
  cdn_soft_solver solver;
  cdn_body locked; /* Ground: none */
} soft_case;

static void add_source(soft_case *c) {
  const group_source source = { c->group, &c->n };
  const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "source", .self_size = sizeof source, .declare = declare_groups
  };
  cdn_system_add_subsystem(c->tree.system, &ops, &source);
}

static int mobilities_of(const cdn_system *s, cdn_body b) { return cdn_body_nu(s, b); }

/* A group on a pair of bodies, or on a joint, with numbers of all sizes. */
static cdn_row_def random_group(rng *r, const soft_case *c, const cdn_system *s) {
  cdn_row_def g = cdn_default_row_def();
  const int kind = pick(r, 5), on_joint = pick(r, 3) == 0;
  const int cones[] = { 3, 4, 6 };
  const double D = exp(uniform(r, -3, 6));
  g.kind = (cdn_soft_kind)kind;
  if (kind == CDN_SOFT_EQUALITY) g.rows = 1 + pick(r, 6);
  else if (kind == CDN_SOFT_ELLIPTIC || kind == CDN_SOFT_PYRAMIDAL) g.rows = cones[pick(r, 3)];
  g.loss = uniform(r, 0, 3);
  const double first = uniform(r, 0.1, 1.5), ratio = uniform(r, 0.5, 2);
  for (int k = 0; k < g.rows; k++) {
    g.target[k] = uniform(r, -5, 5);
    g.R[k] = 1 / (kind == CDN_SOFT_EQUALITY ? D * exp(uniform(r, -2, 2)) : D);
    if (k > 0) g.friction[k - 1] = k < 3 ? first : first * uniform(r, 0.01, 0.3);
  }
  if (kind == CDN_SOFT_LIMIT && g.loss < 1) /* some, which have Newton's method whatever the others have */
    g.kind = CDN_SOFT_BOUNDED, g.lower = -g.loss, g.upper = 3 * g.loss;
  if (kind == CDN_SOFT_ELLIPTIC) { /* R_1 = R_0 / ratio; R_k friction_k^2 is the same for all */
    for (int k = 1; k < g.rows; k++) g.R[k] = first * first / (D * ratio * g.friction[k - 1] * g.friction[k - 1]);
    g.mu = first * sqrt(g.R[1] / g.R[0]);
  }
  g.joint.i = 1 + pick(r, c->tree.bodies);
  if (on_joint && mobilities_of(s, g.joint) > 0) {
    for (int k = 0; k < g.rows; k++) random_numbers(r, 1, g.g[k], 6);
    return g;
  }
  g.joint.i = 0;
  g.a.i = pick(r, 3) == 0 ? 0 : pick(r, c->tree.bodies + 1);
  do g.b.i = pick(r, c->tree.bodies + 1);
  while (g.b.i == g.a.i);
  g.point_G = random_vec3(r, 1);
  for (int k = 0; k < g.rows; k++) g.J[k] = random_spatial(r, 1);
  return g;
}

/* Puts a row on mobilities of several joints, if there are enough. */
static void put_on_joints(rng *r, const soft_case *c, const cdn_system *s, cdn_row_def *g) {
  const int most = 2 + pick(r, 4);
  int terms = 0;
  for (int b = 1 + pick(r, c->tree.bodies), tried = 0; tried < c->tree.bodies; tried++) {
    const int nu = mobilities_of(s, (cdn_body){ b });
    for (int k = 0; k < nu && terms < most; k += 1 + pick(r, nu)) {
      g->term[terms] = (cdn_mobility){ { b }, k };
      g->slope[terms++] = uniform(r, -1, 1);
    }
    b = b % c->tree.bodies + 1;
  }
  if (terms >= 2) g->terms = terms, g->joint.i = g->a.i = g->b.i = 0;
}

/* Memory that is not a number: what is read before it is written shows. */
static void *nan_alloc(void *context, size_t size, size_t align) {
  const size_t unit = align < 16 ? 16 : align;
  void *memory = aligned_alloc(unit, (size + unit - 1) / unit * unit);
  (void)context;
  return memory ? memset(memory, 0xff, size) : NULL;
}
static void nan_free(void *context, void *memory, size_t size) {
  (void)context, (void)size;
  free(memory);
}

static soft_case make_case(int bodies, int constraints, uint64_t seed) {
  static soft_case c;
  memset(&c, 0, sizeof c);
  /* half of those without loops have no forces but those of rows */
  const tree_options options = { .bodies = bodies,
                                 .shape = seed,
                                 .numbers = seed + 1,
                                 .forces = constraints > 0 || seed / 10 % 2,
                                 .allocator = { nan_alloc, nan_free, NULL } };
  c.tree = make_random_tree(&options);
  if (constraints > 0) add_random_constraints(&c.tree, constraints, seed + 3);
  return c;
}

static void begin(soft_case *c, int groups, double tolerance, uint64_t seed, cdn_soft_solver solver) {
  rng r = rng_of(seed + 5);
  cdn_soft_def options = cdn_default_soft_def();
  c->rates = options.rates = pick(&r, 2) == 0;
  options.tolerance = tolerance;
  c->solver = options.solver = solver;
  /* CG comes no nearer than it is asked, and the conditions are those of udot in the metric of no masses */
  if (solver != CDN_SOFT_NEWTON) options.iterations = 5000, options.tolerance = fmin(tolerance, 1e-11);
  add_source(c);
  cdn_system_set_soft(c->tree.system, &options);
  c->state = random_tree_state(&c->tree, seed + 2);
  const cdn_system *s = cdn_state_system(c->state);
  for (c->n = 0; c->n < groups; c->n++) c->group[c->n] = random_group(&r, c, s);
  for (int i = 0; i < c->n; i++)
    if (c->group[i].rows == 1 && pick(&r, 3) == 0) put_on_joints(&r, c, s, &c->group[i]);
}

/* J udot of a group by the library's J, which knows nothing of soft rows. */
static void multiply(cdn_state *state, const cdn_row_def *g, bool rates, const cdn_spatial *V, const double *udot,
                     double *out) {
  const cdn_system *s = cdn_state_system(state);
  for (int k = 0; k < g->rows; k++) {
    out[k] = 0;
    for (int i = 0; i < g->terms; i++)
      out[k] += g->slope[i] * udot[cdn_body_first_u(s, g->term[i].body) + g->term[i].k];
    if (g->terms > 0) continue;
    if (g->joint.i > 0) {
      const int first = cdn_body_first_u(s, g->joint);
      for (int i = 0; i < mobilities_of(s, g->joint); i++) out[k] += g->g[k][i] * udot[first + i];
      continue;
    }
    for (int side = 0; side < 2; side++) {
      const cdn_body b = side ? g->b : g->a;
      cdn_transform X;
      OK_ON(state, cdn_body_pose(state, b, &X));
      const cdn_vec3 arm = cdn_sub(g->point_G, X.p);
      cdn_spatial A = V[b.i], twist;
      OK_ON(state, cdn_body_velocity(state, b, &twist));
      if (rates) OK_ON(state, cdn_body_acceleration(state, b, &A));
      cdn_vec3 at = cdn_add(A.v, cdn_cross(A.w, arm));
      if (rates) at = cdn_add(at, cdn_cross(twist.w, cdn_cross(twist.w, arm)));
      out[k] += (side ? 1 : -1) * (cdn_dot(g->J[k].w, A.w) + cdn_dot(g->J[k].v, at));
    }
  }
}

static int n_solutions, n_unfinished; /* of PGS */

/* The conditions: equations of the constraints hold; forces are those of the functions at udot. */
static void check_solution(soft_case *c, double most_residual) {
  cdn_state *state = c->state;
  const cdn_system *s = cdn_state_system(state);
  cdn_soft_statistics stats;
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  OK_ON(state, cdn_soft_get_statistics(state, &stats));
  n_solutions += c->solver == CDN_SOFT_PGS;
  if (c->solver == CDN_SOFT_PGS && !stats.converged) { /* it goes on for very long where rows are stiff, and says so */
    ck_assert(stats.most_iterations == 5000 && stats.residual > 1e-11);
    n_unfinished++;
    return;
  }
  AT_MOST(stats.residual, most_residual);
  ck_assert_msg(stats.converged, "residual %g after %d iterations", stats.residual, stats.most_iterations);
  const double *udot = cdn_state_udot(state);
  cdn_spatial V[TREE_MOST_BODIES + 1];
  OK_ON(state, cdn_multiply_by_J(state, udot, V));
  int n;
  OK_ON(state, cdn_soft_count(state, &n));
  ck_assert_int_eq(n, c->n);
  double size = 0, stiff = 0;
  for (int i = 0; i < cdn_system_nu(s); i++) size = fmax(size, fabs(udot[i]));
  for (int i = 0; i < n; i++) {
    const cdn_row_def *g = &c->group[i];
    cdn_soft_group got;
    double r[6], f[6];
    OK_ON(state, cdn_soft_get(state, i, &got));
    multiply(state, g, c->rates, V, udot, r);
    soft_function of = { .kind = (int32_t)g->kind, .rows = g->rows, .loss = g->loss, .mu = g->mu };
    for (int k = 0; k < g->rows; k++) of.D[k] = 1 / g->R[k];
    memcpy(of.friction, g->friction, sizeof of.friction);
    if (g->kind == CDN_SOFT_BOUNDED) of.friction[BOUNDED_LOWER] = g->lower, of.friction[BOUNDED_UPPER] = g->upper;
    for (int k = 0; k < g->rows; k++) {
      r[k] -= g->target[k];
      NEAR(r[k], got.residual[k], 1e-7 * (1 + size));
    }
    cdni_soft_function(&of, r, f, NULL, NULL);
    for (int k = 0; k < g->rows; k++) NEAR(f[k], got.force[k], 1e-7 * (1 + size) * (1 + 1 / g->R[k]));
    for (int k = 0; k < g->rows; k++) stiff += 1 / g->R[k];
  }
  /* inverse dynamics finds that no forces are missing */
  double missing[6 * TREE_MOST_BODIES];
  OK_ON(state, cdn_constrained_inverse_dynamics(state, udot, NULL, missing, NULL, NULL));
  const int first = c->locked.i > 0 ? cdn_body_first_u(s, c->locked) : 0;
  const int locked = c->locked.i > 0 ? mobilities_of(s, c->locked) : 0;
  const double *tau = cdn_motion_forces(state);
  ck_assert_ptr_nonnull(tau);
  for (int i = first; i < first + locked; i++) missing[i] += tau[i]; /* the lock bears it */
  for (int i = 0; i < cdn_system_nu(s); i++) NEAR(missing[i], 0, 1e-7 * (1 + size) * (1 + stiff));
  const double *error = cdn_state_udoterr(state);
  for (int i = 0; i < cdn_system_nudoterr(s); i++) NEAR(error[i], 0, 1e-10 * (1 + size));
}

static void run(int bodies, int constraints, int groups, uint64_t seed, cdn_soft_solver solver) {
  static soft_case c;
  c = make_case(bodies, constraints, seed);
  begin(&c, groups, 1e-9, seed, solver);
  check_solution(&c, 1e-9);
  c.locked.i = 1 + (int)(seed / 10 % (uint64_t)bodies);
  OK_ON(c.state, cdn_body_lock(c.state, c.locked, CDN_LEVEL_VELOCITY));
  if (constraints == 0) check_solution(&c, 1e-9);
  cdn_state_destroy(c.state);
}

START_TEST(test_trees) {
  for (cdn_soft_solver solver = CDN_SOFT_NEWTON; solver <= CDN_SOFT_PGS; solver++)
    for (uint64_t i = 0; i < FEWER(200); i++) run(1 + (int)(i % 20), 0, 1 + (int)(i % 13), 1000 + 10 * i, solver);
  ck_assert_msg(5 * n_unfinished <= n_solutions, "%d of %d are not finished", n_unfinished, n_solutions);
}
END_TEST

START_TEST(test_loops) {
  for (cdn_soft_solver solver = CDN_SOFT_NEWTON; solver <= CDN_SOFT_PGS; solver++)
    for (uint64_t i = 0; i < FEWER(200); i++)
      run(3 + (int)(i % 17), 1 + (int)(i % 5), 1 + (int)(i % 13), 50000 + 10 * i, solver);
  ck_assert_msg(5 * n_unfinished <= n_solutions, "%d of %d are not finished", n_unfinished, n_solutions);
}
END_TEST

/* Along a run, too; and what a State says does not depend on how it came about, to the last bit. */
START_TEST(test_runs) {
  static soft_case c;
  for (uint64_t i = 0; i < FEWER(30); i++) {
    const uint64_t seed = 70000 + 10 * i;
    c = make_case(2 + (int)(i % 9), 0, seed);
    begin(&c, 1 + (int)(i % 8), 1e-10, seed, (cdn_soft_solver)(i % 3));
    cdn_stepper_def def = cdn_default_stepper_def();
    cdn_stepper *stepper;
    def.method = CDN_METHOD_BOGACKI_SHAMPINE, def.companion = false;
    OK_ON(c.state, cdn_stepper_create(c.state, &def, &stepper));
    cdn_state *first = c.state;
    for (int k = 0; k < 5; k++) {
      OK_STEP(stepper, cdn_stepper_step(stepper, 1));
      c.state = cdn_stepper_state(stepper);
      check_solution(&c, 1e-9);
      cdn_state *again;
      OK(cdn_state_create((cdn_system *)cdn_state_system(first), &again));
      OK(cdn_state_copy(again, c.state));
      OK_ON(again, cdn_state_set_u(again, cdn_state_u(c.state)));
      OK_ON(again, cdn_realize(again, CDN_STAGE_ACCELERATION));
      ck_assert_mem_eq(cdn_state_udot(again), cdn_state_udot(c.state),
                       (size_t)cdn_system_nu(cdn_state_system(first)) * sizeof(double));
      cdn_state_destroy(again);
    }
    cdn_stepper_destroy(stepper);
    cdn_state_destroy(first);
  }
}
END_TEST

/* ---- derivatives ---- */

/* The udot and multipliers of a State whose q or u is displaced. */
static void displaced(soft_case *c, bool by_q, const double *base, const double *direction, double h, double *udot,
                      double *lambda) {
  const cdn_system *s = cdn_state_system(c->state);
  double x[8 * TREE_MOST_BODIES];
  const int n = by_q ? cdn_system_nq(s) : cdn_system_nu(s);
  for (int i = 0; i < n; i++) x[i] = base[i] + h * direction[i];
  OK_ON(c->state, by_q ? cdn_state_set_q(c->state, x) : cdn_state_set_u(c->state, x));
  OK_ON(c->state, cdn_realize(c->state, CDN_STAGE_ACCELERATION));
  memcpy(udot, cdn_state_udot(c->state), (size_t)cdn_system_nu(s) * sizeof *udot);
  if (cdn_system_nudoterr(s) > 0)
    memcpy(lambda, cdn_state_multipliers(c->state), (size_t)cdn_system_nudoterr(s) * sizeof *lambda);
}

enum { MOST_NU = 6 * TREE_MOST_BODIES, MOST_ROWS = 60 };

/* Differences of two orders tell how good they are: where they disagree, a kink is near, and nothing is compared. */
static int compare_column(soft_case *c, bool by_q, int k, const double *base, const double *direction,
                          const double *of_udot, const double *of_lambda) {
  static double there[4][MOST_NU], lambda[4][MOST_ROWS];
  const cdn_system *s = cdn_state_system(c->state);
  const int nu = cdn_system_nu(s), m = cdn_system_nudoterr(s);
  const double h = 1e-3, step[4] = { h, -h, h / 2, -h / 2 };
  for (int i = 0; i < 4; i++) displaced(c, by_q, base, direction, step[i], there[i], lambda[i]);
  double size = 0, doubt = 0;
  for (int i = 0; i < nu + m; i++) {
    double(*at)[MOST_NU] = there;
    const double coarse = i < nu ? (at[0][i] - at[1][i]) / (2 * h) : (lambda[0][i - nu] - lambda[1][i - nu]) / (2 * h);
    const double fine = i < nu ? (at[2][i] - at[3][i]) / h : (lambda[2][i - nu] - lambda[3][i - nu]) / h;
    size = fmax(size, fabs(fine)), doubt = fmax(doubt, fabs(fine - coarse));
  }
  if (doubt > 1e-6 * (1 + size)) return 0;
  for (int i = 0; i < nu; i++) {
    const double fine = (there[2][i] - there[3][i]) / h, coarse = (there[0][i] - there[1][i]) / (2 * h);
    NEAR(of_udot[i * nu + k], (4 * fine - coarse) / 3, 2e-6 * (1 + size) + doubt);
  }
  for (int i = 0; i < m; i++) {
    const double fine = (lambda[2][i] - lambda[3][i]) / h, coarse = (lambda[0][i] - lambda[1][i]) / (2 * h);
    NEAR(of_lambda[i * nu + k], (4 * fine - coarse) / 3, 2e-6 * (1 + size) + doubt);
  }
  return 1;
}

/* Columns that were compared. */
static int compare_derivatives(int bodies, int constraints, int groups, uint64_t seed, int *all) {
  static soft_case c;
  static double dq[MOST_NU * MOST_NU], du[MOST_NU * MOST_NU], lq[MOST_ROWS * MOST_NU], lu[MOST_ROWS * MOST_NU];
  double q[8 * TREE_MOST_BODIES], u[MOST_NU], unit[MOST_NU], direction[8 * TREE_MOST_BODIES];
  c = make_case(bodies, constraints, seed);
  begin(&c, groups, 1e-13, seed, CDN_SOFT_NEWTON); /* udot is differenced */
  const cdn_system *s = cdn_state_system(c.state);
  const int nu = cdn_system_nu(s);
  OK_ON(c.state, cdn_forward_dynamics_derivatives(c.state, dq, du, NULL, NULL));
  OK_ON(c.state, cdn_multiplier_derivatives(c.state, lq, lu, NULL, NULL));
  memcpy(q, cdn_state_q(c.state), (size_t)cdn_system_nq(s) * sizeof *q);
  memcpy(u, cdn_state_u(c.state), (size_t)nu * sizeof *u);
  int compared = 0;
  for (int k = 0; k < nu; k++) {
    memset(unit, 0, sizeof unit);
    unit[k] = 1;
    OK_ON(c.state, cdn_multiply_by_N(c.state, unit, direction));
    compared += compare_column(&c, true, k, q, direction, dq, lq);
    OK_ON(c.state, cdn_state_set_q(c.state, q));
    compared += compare_column(&c, false, k, u, unit, du, lu);
    OK_ON(c.state, cdn_state_set_u(c.state, u));
  }
  *all += 2 * nu;
  cdn_state_destroy(c.state);
  return compared;
}

START_TEST(test_derivatives) {
  int all = 0, compared = 0;
  for (uint64_t i = 0; i < FEWER(40); i++)
    compared += compare_derivatives(2 + (int)(i % 7), (int)(i % 3), 1 + (int)(i % 6), 90000 + 10 * i, &all);
  ck_assert_msg(compared > all / 4, "%d of %d columns were compared", compared, all);
}
END_TEST

CHECK_MAIN("property/soft_rows", test_trees, test_loops, test_runs, test_derivatives)
