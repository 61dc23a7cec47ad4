/* Every mobilizer, reversed or not, with a quaternion or angles: rates by differentiation of poses, accelerations by
 * differentiation of velocities, N and its kin, dynamics, energy, and kinds against what they are special cases of. */
#include "../../src/matter/kinds.h"
#include "../../src/matter/matter.h"
#include "own_mobilizers.h"
#include "random_tree.h"

/* ---- one mobilizer of each sort, on Ground or on a moving body ---- */

typedef struct joint {
  cdn_mobilizer kind;
  bool reversed, euler;
  int own; /* which of the tests' own, for function-based and custom */
  double params[4];
} joint;

typedef struct rig {
  cdn_system *system;
  cdn_state *state;
  cdn_body body;
  cdn_transform X_PF, X_BM;
  int nq, nu; /* of the joint */
} rig;

static cdn_mass_properties solid(rng *r) {
  cdn_mass_properties m = { .mass = uniform(r, 0.5, 2), .com = random_vec3(r, 0.2) };
  cdn_inertia principal = { .xx = uniform(r, 0.1, 0.12), .yy = uniform(r, 0.1, 0.12), .zz = uniform(r, 0.1, 0.12) };
  m.inertia = cdn_inertia_reexpress(random_rotation(r), principal);
  return m;
}

static cdn_body add(cdn_system *system, cdn_body_def *def, const joint *j) {
  cdn_function_mobilizer functions = own_functions(j->own % OWN_FUNCTION_SETS);
  double factor = 2;
  def->mobilizer = j->kind, def->reversed = j->reversed, def->euler = j->euler;
  memcpy(def->params, j->params, sizeof def->params);
  def->functions = &functions, def->custom = own_custom(j->own % OWN_CUSTOMS), def->custom_self = &factor;
  cdn_body body = cdn_system_add_body(system, def);
  release_functions(&functions);
  return body;
}

/* The joint on Ground, or between a free body and a further one on a pin. */
static rig make_rig(const joint *j, uint64_t seed, bool moving) {
  rig g = { .system = cdn_system_create(NULL) };
  rng r = rng_of(seed);
  cdn_body_def def = cdn_default_body_def();
  def.mass = solid(&r);
  if (moving) {
    def.mobilizer = CDN_FREE;
    def.parent = cdn_system_add_body(g.system, &def);
  }
  g.X_PF = def.X_PF = (cdn_transform){ random_rotation(&r), random_vec3(&r, 0.5) };
  g.X_BM = def.X_BM = (cdn_transform){ random_rotation(&r), random_vec3(&r, 0.5) };
  def.mass = solid(&r);
  g.body = add(g.system, &def, j);
  if (moving) {
    def = cdn_default_body_def();
    def.mass = solid(&r), def.mobilizer = CDN_PIN, def.parent = g.body;
    def.X_PF = (cdn_transform){ random_rotation(&r), random_vec3(&r, 0.5) };
    cdn_system_add_body(g.system, &def);
  }
  cdn_system_add_gravity(g.system, "gravity", random_vec3(&r, 5));
  OK_FREEZE(g.system);
  OK(cdn_state_create(g.system, &g.state));
  g.nq = cdn_body_nq(g.system, g.body), g.nu = cdn_body_nu(g.system, g.body);
  set_random_qu(g.state, &r, 1);
  return g;
}

static void drop(rig *g) {
  cdn_state_destroy(g->state);
  cdn_system_release(g->system);
}

typedef void check_rig(rig *g, const joint *j, rng *r);

/* Of the library's kinds: one number more than the angles that may take its place. */
static bool has_quaternion(cdn_mobilizer kind) { return cdn_mobilizer_nq(kind) > cdn_mobilizer_nu(kind); }

static void on_joints(check_rig *check, bool moving) {
  for (int kind = 0; kind < CDN_MOBILIZER_COUNT; kind++)
    for (int variant = 0; variant < 4; variant++)
      for (uint64_t seed = 1; seed <= 6; seed++) {
        joint j = { .kind = (cdn_mobilizer)kind, .reversed = variant & 1, .euler = variant & 2, .own = (int)seed % 6 };
        rng r = rng_of(100 * seed + (uint64_t)kind);
        if (j.euler && !has_quaternion(j.kind)) continue;
        for (int i = 0; i < 3; i++) j.params[i] = uniform(&r, 0.1, 0.9);
        if (kind == CDN_SPHERICAL_COORDS) j.params[2] = pick(&r, 16);
        if (kind == CDN_FUNCTION_BASED) j.params[3] = j.own % OWN_FUNCTION_SETS;
        if (kind == CDN_CUSTOM_MOBILIZER) j.params[3] = j.own % OWN_CUSTOMS;
        rig g = make_rig(&j, seed, moving);
        check(&g, &j, &r);
        drop(&g);
      }
}

/* ---- differences: f'(0) from f(+-h), f(+-2h), with an error of h^4 f^(5) / 30 and of eps f / h. With h = 1e-3 and
 * motions of about one unit a second both stay below 1e-11, and 1e-10 leaves room. ---- */

static const double STEP = 1e-3, BY_DIFFERENCES = 1e-10;
static const int places[4] = { -2, -1, 1, 2 };
static const double weights[4] = { 1 / 12.0, -8 / 12.0, 8 / 12.0, -1 / 12.0 };

/* The State at q + h a, u + h b. */
static void displace(cdn_state *to, const cdn_state *from, double h, const double *a, const double *b) {
  const cdn_system *system = cdn_state_system(from);
  double q[64], u[64];
  for (int i = 0; i < cdn_system_nq(system); i++) q[i] = cdn_state_q(from)[i] + h * a[i];
  for (int i = 0; i < cdn_system_nu(system); i++) u[i] = cdn_state_u(from)[i] + (b ? h * b[i] : 0);
  OK(cdn_state_set_q(to, q));
  OK(cdn_state_set_u(to, u));
}

/* ---- kinematics ---- */

/* X_FM as the library has it. */
static cdn_transform X_FM(const rig *g, cdn_state *state) {
  cdn_transform X_GB;
  OK_ON(state, cdn_body_pose(state, g->body, &X_GB));
  return cdn_transform_multiply(cdn_transform_invert(g->X_PF), cdn_transform_multiply(X_GB, g->X_BM));
}

static cdn_vec3 near_truth(cdn_vec3 a, cdn_vec3 b, double tolerance) {
  NEAR(a.x, b.x, tolerance);
  NEAR(a.y, b.y, tolerance);
  NEAR(a.z, b.z, tolerance);
  return a;
}

/* H u against the rate of X_FM along qdot = N u (5.6): Rdot R^T is the cross product matrix of w. */
static void check_velocity(rig *g, const joint *j, rng *r) {
  (void)j, (void)r;
  cdn_state *other = NULL;
  OK(cdn_state_create(g->system, &other));
  double qdot[64], rate[12] = { 0 };
  OK_ON(g->state, cdn_multiply_by_N(g->state, cdn_state_u(g->state), qdot));
  for (int k = 0; k < 4; k++) {
    displace(other, g->state, STEP * places[k], qdot, NULL);
    cdn_transform X = X_FM(g, other);
    double at[12];
    memcpy(at, &X, sizeof X);
    for (int i = 0; i < 12; i++) rate[i] += weights[k] / STEP * at[i];
  }
  cdn_transform X = X_FM(g, g->state);
  cdn_rotation Rdot;
  memcpy(&Rdot, rate, sizeof Rdot);
  cdn_rotation W = cdn_rotation_multiply(Rdot, cdn_rotation_transpose(X.R));
  cdn_spatial V_GB;
  OK_ON(g->state, cdn_body_velocity(g->state, g->body, &V_GB));
  cdn_vec3 w = cdn_rotate_inv(g->X_PF.R, V_GB.w), v = cdn_rotate_inv(g->X_PF.R, V_GB.v);
  v = cdn_add(v, cdn_cross(w, cdn_rotate(cdn_rotation_multiply(X.R, cdn_rotation_transpose(g->X_BM.R)), g->X_BM.p)));
  near_truth(cdn_v3(W.y.z, W.z.x, W.x.y), w, BY_DIFFERENCES);
  near_truth(cdn_v3(rate[9], rate[10], rate[11]), v, BY_DIFFERENCES);
  cdn_state_destroy(other);
}

/* A against the rate of V along (qdot, udot), which has Hdot u in it (5.3). */
static void check_acceleration(rig *g, const joint *j, rng *r) {
  (void)j, (void)r;
  cdn_state *other = NULL;
  OK(cdn_state_create(g->system, &other));
  double qdot[64], udot[64];
  int nb = cdn_system_body_count(g->system);
  OK_ON(g->state, cdn_multiply_by_N(g->state, cdn_state_u(g->state), qdot));
  memcpy(udot, cdn_state_udot(g->state), (size_t)cdn_system_nu(g->system) * sizeof *udot);
  double scale = 1;
  for (int i = 0; i < cdn_system_nu(g->system); i++) scale = fmax(scale, fabs(udot[i]));
  for (int b = 1; b < nb; b++) {
    cdn_spatial A, V;
    cdn_vec3 alpha = cdn_v3(0, 0, 0), a = alpha;
    OK_ON(g->state, cdn_body_acceleration(g->state, (cdn_body){ b }, &A));
    for (int k = 0; k < 4; k++) {
      displace(other, g->state, STEP * places[k], qdot, udot);
      OK_ON(other, cdn_body_velocity(other, (cdn_body){ b }, &V));
      alpha = cdn_add(alpha, cdn_scale(weights[k] / STEP, V.w));
      a = cdn_add(a, cdn_scale(weights[k] / STEP, V.v));
    }
    near_truth(alpha, A.w, 10 * scale * BY_DIFFERENCES);
    near_truth(a, A.v, 10 * scale * BY_DIFFERENCES);
  }
  cdn_state_destroy(other);
}

/* X, V and A against compositions of elementary motions: rounding only. */
static void check_truth(rig *g, const joint *j, rng *r) {
  (void)j, (void)r;
  const double *q = cdn_body_q(g->state, g->body), *u = cdn_body_u(g->state, g->body);
  across_truth truth = truth_across(g->state, g->body, q, u);
  cdn_transform X = X_FM(g, g->state);
  near_truth(X.p, truth.X.p, 1e-14);
  near_truth(X.R.x, truth.X.R.x, 1e-14);
  near_truth(X.R.y, truth.X.R.y, 1e-14);
  near_truth(X.R.z, truth.X.R.z, 1e-14);
  for (int k = 0; k < g->nu; k++) {
    double unit[6] = { 0 };
    unit[k] = 1;
    cdn_spatial V = truth_across(g->state, g->body, q, unit).V, J[2];
    OK_ON(g->state, cdn_multiply_by_J(g->state, unit, J));
    cdn_vec3 arm = cdn_rotate(cdn_rotation_multiply(X.R, cdn_rotation_transpose(g->X_BM.R)), g->X_BM.p);
    cdn_vec3 w = cdn_rotate_inv(g->X_PF.R, J[1].w), v = cdn_rotate_inv(g->X_PF.R, J[1].v);
    near_truth(w, V.w, 1e-14);
    near_truth(cdn_add(v, cdn_cross(w, arm)), V.v, 2e-14);
  }
}

/* ---- what a row of the table says ---- */

/* Where a turn moves M's origin across its axis, the origin may move along a circle. */
static void check_swings(rig *g, const joint *j, rng *r) {
  (void)r;
  const cdn_transform X = X_FM(g, g->state);
  const cdn_vec3 arm = cdn_rotate(cdn_rotation_multiply(X.R, cdn_rotation_transpose(g->X_BM.R)), g->X_BM.p);
  for (int k = 0; k < g->nu && !j->reversed; k++) {
    double unit[6] = { 0 };
    cdn_spatial J[2];
    unit[k] = 1;
    OK_ON(g->state, cdn_multiply_by_J(g->state, unit, J));
    const cdn_vec3 w = cdn_rotate_inv(g->X_PF.R, J[1].w), v = cdn_rotate_inv(g->X_PF.R, J[1].v);
    const double across = cdn_norm(cdn_cross(w, cdn_add(v, cdn_cross(w, arm))));
    ck_assert_msg(across < 1e-12 || cdni_mobilizer_kinds[j->kind].swings,
                  "%s: speed %d turns M about an axis that does not pass through M's origin; its row of kinds.c needs "
                  ".swings",
                  cdn_mobilizer_name(j->kind), k);
  }
}

/* A parameter that its row does not have has no name, no limits, and no place among those of an element. */
static void check_parameters(rig *g, const joint *j, rng *r) {
  (void)r;
  double params[CDN_MOBILIZER_PARAMS];
  memcpy(params, cdn_body_mobilizer_params(g->state, g->body), sizeof params);
  const cdn_transform before = X_FM(g, g->state);
  for (int k = cdni_mobilizer_kinds[j->kind].n_parameters; k < CDN_MOBILIZER_PARAMS; k++) params[k] += 0.3;
  OK_ON(g->state, cdn_body_set_mobilizer_params(g->state, g->body, params));
  const cdn_transform after = X_FM(g, g->state);
  ck_assert_msg(memcmp(&before, &after, sizeof before) == 0, "%s reads a parameter that its row of kinds.c lacks",
                cdn_mobilizer_name(j->kind));
}

/* ---- N ---- */

/* N^+ N = 1; Ndot u against the rate of N u along qdot; all at a quaternion of length one and of another. */
static void check_rates(rig *g, const joint *j, rng *r) {
  (void)j;
  cdn_state *other = NULL;
  OK(cdn_state_create(g->system, &other));
  for (int pass = 0; pass < 2; pass++) {
    double u[64], back[64], qdot[64], at[64], rate[64] = { 0 }, Ndot_u[64];
    int nq = cdn_system_nq(g->system), nu = cdn_system_nu(g->system);
    random_numbers(r, 1, u, nu);
    OK_ON(g->state, cdn_multiply_by_N(g->state, u, qdot));
    OK_ON(g->state, cdn_multiply_by_N_inv(g->state, qdot, back));
    for (int i = 0; i < nu; i++) NEAR(back[i], u[i], 1e-14);
    for (int k = 0; k < 4; k++) {
      displace(other, g->state, STEP * places[k], qdot, NULL);
      OK_ON(other, cdn_multiply_by_N(other, u, at));
      for (int i = 0; i < nq; i++) rate[i] += weights[k] / STEP * at[i];
    }
    OK_ON(g->state, cdni_matter_Ndot_u(cdni_matter(g->system), g->state, u, Ndot_u));
    /* angles near the singularity at pi/2 turn fast: at most 1.2 rad here, where derivatives grow by 1/cos each */
    for (int i = 0; i < nq; i++) NEAR(Ndot_u[i], rate[i], 100 * BY_DIFFERENCES);
    if (!cdn_body_has_quaternion(g->system, g->body)) break;
    double q[7];
    memcpy(q, cdn_body_q(g->state, g->body), (size_t)g->nq * sizeof *q);
    for (int i = 0; i < 4; i++) q[i] *= 1.7;
    OK(cdn_body_set_q(g->state, g->body, g->nq, q));
  }
  cdn_state_destroy(other);
}

/* ---- dynamics ---- */

static void check_dynamics(rig *g, const joint *j, rng *r) {
  (void)j;
  int n = cdn_system_nu(g->system);
  double M[64 * 64], f[64], udot[64], back[64], bias[64];
  random_numbers(r, 5, f, n);
  OK_ON(g->state, cdn_forward_dynamics(g->state, NULL, f, udot, NULL));
  OK_ON(g->state, cdn_inverse_dynamics(g->state, udot, NULL, NULL, back));
  OK_ON(g->state, cdn_calc_bias(g->state, bias));
  OK_ON(g->state, cdn_calc_M(g->state, M));
  for (int k = 0; k < n; k++) {
    double size = fabs(f[k]) + fabs(bias[k]);
    for (int i = 0; i < n; i++) size += fabs(M[k * n + i] * udot[i]);
    NEAR(back[k], f[k], 1e-12 * size);
  }
  /* symmetric, and positive by Cholesky's pivots */
  for (int i = 0; i < n; i++)
    for (int k = 0; k <= i; k++) {
      ck_assert(M[i * n + k] == M[k * n + i]);
      double sum = M[i * n + k];
      for (int l = 0; l < k; l++) sum -= M[i * n + l] * M[k * n + l];
      if (i == k) ck_assert_msg(sum > 0, "pivot %d of M is %g", i, sum);
      M[i * n + k] = i == k ? sqrt(sum) : sum / M[k * n + k];
      /* the upper triangle stays M's: rows above are done with it */
    }
}

/* Half a second of free motion under gravity keeps the energy as well as the accuracy asked for. */
static void check_energy(rig *g, const joint *j, rng *r) {
  (void)j, (void)r;
  cdn_stepper *stepper = NULL;
  cdn_stepper_def def = cdn_default_stepper_def();
  double ke, pe, before, size;
  def.accuracy = 1e-9;
  OK_ON(g->state, cdn_kinetic_energy(g->state, &ke));
  OK_ON(g->state, cdn_potential_energy(g->state, &pe));
  before = ke + pe, size = 1 + ke + fabs(pe);
  OK_ON(g->state, cdn_stepper_create(g->state, &def, &stepper));
  OK_STEP(stepper, cdn_stepper_advance(stepper, 0.25, NULL));
  cdn_state *now = cdn_stepper_state(stepper);
  OK_ON(now, cdn_kinetic_energy(now, &ke));
  OK_ON(now, cdn_potential_energy(now, &pe));
  NEAR(ke + pe, before, 1000 * 1e-9 * size);
  cdn_stepper_destroy(stepper);
}

START_TEST(test_truth) { on_joints(check_truth, false); }
END_TEST
START_TEST(test_velocity) { on_joints(check_velocity, false); }
END_TEST
START_TEST(test_acceleration) {
  on_joints(check_acceleration, false);
  on_joints(check_acceleration, true);
}
END_TEST
START_TEST(test_rows) {
  on_joints(check_swings, false);
  on_joints(check_parameters, false);
}
END_TEST
START_TEST(test_rates) { on_joints(check_rates, true); }
END_TEST
START_TEST(test_dynamics) {
  on_joints(check_dynamics, false);
  on_joints(check_dynamics, true);
}
END_TEST
START_TEST(test_energy) { on_joints(check_energy, true); }
END_TEST

/* ---- a kind, and the functions that say the same: another form of H, the general factorization of D ---- */

static void set_all(rig *g, const double *q, const double *u) {
  OK(cdn_state_set_q(g->state, q));
  OK(cdn_state_set_u(g->state, u));
}

static void same_dynamics(rig *a, rig *b, double tolerance) {
  int n = cdn_system_nu(a->system);
  double M[64 * 64], N[64 * 64];
  ck_assert_int_eq(n, cdn_system_nu(b->system));
  OK_ON(a->state, cdn_calc_M(a->state, M));
  OK_ON(b->state, cdn_calc_M(b->state, N));
  for (int i = 0; i < n * n; i++) NEAR(M[i], N[i], tolerance * 10);
  const double *x = cdn_state_udot(a->state), *y = cdn_state_udot(b->state);
  double size = 1;
  for (int i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
  for (int i = 0; i < n; i++) NEAR(x[i], y[i], 1000 * tolerance * size); /* the condition of M, below 1000 here */
}

START_TEST(test_functions_say_the_same) {
  /* which function goes where, for nu coordinates */
  static const struct {
    cdn_mobilizer kind;
    int nu, at[6];
  } cases[] = { { CDN_PIN, 1, { 2 } },
                { CDN_SLIDER, 1, { 3 } },
                { CDN_UNIVERSAL, 2, { 0, 1 } },
                { CDN_CYLINDER, 2, { 2, 5 } },
                { CDN_PLANAR, 3, { 2, 3, 4 } },
                { CDN_GIMBAL, 3, { 0, 1, 2 } },
                { CDN_TRANSLATION, 3, { 3, 4, 5 } },
                { CDN_BUSHING, 6, { 0, 1, 2, 3, 4, 5 } } };
  const double one = 1;
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    for (int reversed = 0; reversed < 2; reversed++)
      for (uint64_t seed = 1; seed <= 4; seed++) {
        joint j = { .kind = cases[c].kind, .reversed = reversed };
        rig a = make_rig(&j, seed, true);
        /* the same again with functions */
        rig b = { .system = cdn_system_create(NULL) };
        cdn_function_mobilizer f = cdn_default_function_mobilizer();
        f.nu = cases[c].nu;
        for (int k = 0; k < f.nu; k++) {
          f.function[cases[c].at[k]] = cdn_function_linear(1, &one, 0);
          f.input[cases[c].at[k]][0] = k;
        }
        for (int i = 1; i < cdn_system_body_count(a.system); i++) {
          cdn_body_def def = cdn_default_body_def();
          cdn_body body = { i };
          bool it = i == a.body.i;
          def.parent = cdn_body_parent(a.system, body);
          def.mobilizer = it ? CDN_FUNCTION_BASED : cdn_body_mobilizer(a.system, body);
          def.functions = &f, def.reversed = it && reversed;
          def.mass = cdn_body_mass_properties(a.state, body);
          def.X_PF = cdn_body_X_PF(a.state, body), def.X_BM = cdn_body_X_BM(a.state, body);
          cdn_system_add_body(b.system, &def);
        }
        release_functions(&f);
        rng r = rng_of(seed);
        for (int k = 0; k < 4; k++) random_vec3(&r, 1);
        OK_FREEZE(b.system);
        OK(cdn_state_create(b.system, &b.state));
        set_all(&b, cdn_state_q(a.state), cdn_state_u(a.state));
        OK_ON(a.state, cdn_force_set_enabled(a.state, (cdn_force){ 0 }, false)); /* gravity */
        same_dynamics(&a, &b, 1e-14);
        drop(&a);
        drop(&b);
      }
}
END_TEST

/* Angles and quaternions of the same orientation: the same u, the same udot. */
START_TEST(test_angles_and_quaternions) {
  for (int kind = 0; kind < CDN_MOBILIZER_COUNT; kind++)
    for (int reversed = 0; reversed < 2; reversed++)
      for (uint64_t seed = 1; seed <= 4 && has_quaternion((cdn_mobilizer)kind); seed++) {
        joint j = { .kind = (cdn_mobilizer)kind, .reversed = reversed, .params = { 0.3, 0.5, 0.7 } };
        rig a = make_rig(&j, seed, true);
        j.euler = true;
        rig b = make_rig(&j, seed, true);
        double angles[6], q[7];
        memcpy(angles, cdn_body_q(b.state, b.body), (size_t)b.nq * sizeof *q);
        cdn_rotation R = cdn_rotation_axis_angle(cdn_v3(1, 0, 0), angles[0]);
        R = cdn_rotation_multiply(R, cdn_rotation_axis_angle(cdn_v3(0, 1, 0), angles[1]));
        R = cdn_rotation_multiply(R, cdn_rotation_axis_angle(cdn_v3(0, 0, 1), angles[2]));
        cdn_quaternion e = cdn_quaternion_from_rotation(R);
        q[0] = e.w, q[1] = e.x, q[2] = e.y, q[3] = e.z;
        memcpy(q + 4, angles + 3, 3 * sizeof *q);
        OK(cdn_state_set_q(a.state, cdn_state_q(a.state)));
        for (int i = 1; i < cdn_system_body_count(a.system); i++) {
          cdn_body body = { i };
          if (i == a.body.i) OK(cdn_body_set_q(a.state, body, a.nq, q));
          else OK(cdn_body_set_q(a.state, body, cdn_body_nq(b.system, body), cdn_body_q(b.state, body)));
        }
        OK(cdn_state_set_u(a.state, cdn_state_u(b.state)));
        same_dynamics(&a, &b, 1e-14);
        drop(&a);
        drop(&b);
      }
}
END_TEST

/* ---- parameters, and bodies that need their mobilizer ---- */

START_TEST(test_parameters) {
  joint j = { .kind = CDN_SCREW, .params = { 0.25 } };
  rig g = make_rig(&j, 1, false);
  double params[4] = { 0.5, 0, 0, 0 }, q = 2;
  ck_assert_double_eq(cdn_body_mobilizer_params(g.state, g.body)[0], 0.25);
  OK(cdn_body_set_q(g.state, g.body, 1, &q));
  NEAR(X_FM(&g, g.state).p.z, 0.5, 1e-15);
  OK(cdn_body_set_mobilizer_params(g.state, g.body, params));
  NEAR(X_FM(&g, g.state).p.z, 1, 1e-15);
  params[3] = NAN;
  FAILS(cdn_body_set_mobilizer_params(g.state, g.body, params), CDN_ERR_NONFINITE);
  FAILS(cdn_body_set_mobilizer_params(g.state, (cdn_body){ 7 }, params), CDN_ERR_ARG);
  ck_assert_ptr_null(cdn_body_mobilizer_params(g.state, (cdn_body){ 7 }));
  NEAR(X_FM(&g, g.state).p.z, 1, 1e-15);
  drop(&g);

  j.kind = CDN_ELLIPSOID;
  g = make_rig(&j, 1, false);
  FAILS(cdn_body_set_mobilizer_params(g.state, g.body, (double[]){ 1, -1, 1, 0 }), CDN_ERR_ARG);
  drop(&g);
  j.kind = CDN_SPHERICAL_COORDS;
  g = make_rig(&j, 1, false);
  FAILS(cdn_body_set_mobilizer_params(g.state, g.body, (double[]){ 0, 0, 16, 0 }), CDN_ERR_ARG);
  FAILS(cdn_body_set_mobilizer_params(g.state, g.body, (double[]){ 0, 0, 0.5, 0 }), CDN_ERR_ARG);
  OK(cdn_body_set_mobilizer_params(g.state, g.body, (double[]){ 0, 0, 15, 0 }));
  drop(&g);
}
END_TEST

/* A rod along M's z: singular where it may turn about itself, regular on the kinds made for it. */
START_TEST(test_rods) {
  static const cdn_mobilizer fit[] = { CDN_LINE_ORIENTATION, CDN_FREE_LINE }, unfit[] = { CDN_BALL, CDN_FREE };
  for (int k = 0; k < 4; k++) {
    cdn_system *system = cdn_system_create(NULL);
    cdn_state *state = NULL;
    cdn_body_def def = cdn_default_body_def();
    def.mobilizer = k < 2 ? fit[k] : unfit[k - 2];
    def.mass = (cdn_mass_properties){ 2, { 0, 0, 0.5 }, { .xx = 0.1, .yy = 0.1 } };
    cdn_system_add_body(system, &def);
    cdn_system_add_gravity(system, "gravity", cdn_v3(0, -9.8, 0));
    OK_FREEZE(system);
    OK(cdn_state_create(system, &state));
    if (k < 2) OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    else FAILS(cdn_realize(state, CDN_STAGE_ACCELERATION), CDN_ERR_SINGULAR);
    /* hanging level on its end: m g l = (I + m l^2) wdot about -x */
    if (k == 0) NEAR(cdn_state_udot(state)[0], 2 * 9.8 * 0.5 / (0.1 + 2 * 0.25), 1e-14 * 20);
    cdn_state_destroy(state);
    cdn_system_release(system);
  }
}
END_TEST

/* ---- what cannot be added ---- */

static void refused(const cdn_body_def *def, cdn_status code) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_error error;
  ck_assert_int_eq(cdn_system_add_body(system, def).i, -1);
  FAILS(cdn_system_freeze(system), code);
  cdn_system_last_error(system, &error);
  ck_assert_str_eq(error.element, "odd");
  cdn_system_release(system);
}

START_TEST(test_refusals) {
  cdn_body_def def = cdn_default_body_def();
  def.mass = (cdn_mass_properties){ 1, { 0, 0, 0 }, { .xx = 1, .yy = 1, .zz = 1 } };
  def.name = "odd", def.mobilizer = CDN_PIN, def.euler = true;
  refused(&def, CDN_ERR_ARG);
  def.euler = false, def.params[1] = INFINITY;
  refused(&def, CDN_ERR_NONFINITE);
  def.params[1] = 0, def.mobilizer = CDN_FUNCTION_BASED;
  refused(&def, CDN_ERR_VERSION);
  cdn_function_mobilizer f = cdn_default_function_mobilizer();
  def.functions = &f, f.nu = 7;
  refused(&def, CDN_ERR_ARG);
  f.nu = 1, f.axis[4] = cdn_v3(0, 0, 0);
  refused(&def, CDN_ERR_ARG);
  f = own_functions(1);
  f.nu = 1; /* a function reads coordinate 1 */
  refused(&def, CDN_ERR_ARG);
  release_functions(&f);
  def.mobilizer = CDN_CUSTOM_MOBILIZER;
  refused(&def, CDN_ERR_ARG);
  cdn_custom_mobilizer_ops ops = *own_custom(0);
  def.custom = &ops;
  refused(&def, CDN_ERR_ARG); /* no private part */
  double self = 1;
  def.custom_self = &self, ops.nu = 0;
  refused(&def, CDN_ERR_ARG);
  ops.nu = 1; /* one speed for two coordinates, and no N */
  refused(&def, CDN_ERR_ARG);
  ops = *own_custom(1), ops.N_inv = NULL;
  refused(&def, CDN_ERR_ARG);
  ops = *own_custom(1);
  def.q0 = (double[]){ 0, 0, 0, 0 };
  refused(&def, CDN_ERR_ARG);
}
END_TEST

CHECK_MAIN("mobilizers", test_truth, test_velocity, test_acceleration, test_rows, test_rates, test_dynamics,
           test_energy, test_functions_say_the_same, test_angles_and_quaternions, test_parameters, test_rods,
           test_refusals)
