/* Paths over random trees: the moments are the gradient of the length, the rate is their product with u, and tensions
 * vary as differences say: springs, dampers, and a muscle of the user's. */
#include "differences.h"
#include "matter/operators.h"
#include "paths/paths.h"

/* What is led where. */
typedef struct cable {
  cdn_path path;
  bool obstacle, side;
} cable;

static cdn_body any_body(const random_tree *drawn, rng *r) { return (cdn_body){ pick(r, drawn->bodies + 1) }; }

static cable add_cable(random_tree *drawn, rng *r) {
  cdn_system *s = drawn->system;
  cable c = { .path = cdn_system_add_path(s, NULL) };
  const int parts = 1 + pick(r, 2);
  for (int part = 0; part < parts; part++) {
    if (part > 0) cdn_path_add_pulley(s, c.path, uniform(r, 0.5, 3));
    cdn_path_add_point(s, c.path, any_body(drawn, r), random_vec3(r, 1));
    for (int i = 0; i < 1 + pick(r, 3); i++) {
      const int kind = pick(r, 3);
      const cdn_transform X = { random_rotation(r), random_vec3(r, 0.3) };
      const cdn_body on = any_body(drawn, r);
      if (kind == 1) cdn_path_add_sphere(s, c.path, on, X.p, uniform(r, 0.1, 0.4));
      if (kind == 2) cdn_path_add_cylinder(s, c.path, on, &X, uniform(r, 0.1, 0.4));
      c.obstacle = c.obstacle || kind > 0;
      if (kind > 0 && pick(r, 2)) {
        const double size = pick(r, 2) ? 0.05 : 1; /* within the obstacle, or not */
        cdn_path_pass_by(s, c.path, on, cdn_add(X.p, random_vec3(r, size)));
        c.side = true;
      }
      cdn_path_add_point(s, c.path, any_body(drawn, r), random_vec3(r, 1));
    }
  }
  return c;
}

static random_tree tree_of(uint64_t seed) {
  const tree_options options = { .bodies = (int)(seed % 7) + 1, .shape = seed, .numbers = seed };
  return make_random_tree(&options);
}

/* ---- lengths ---- */

static cdn_path wanted;

static void length(sample *s, double *out) { OK_ON(s->state, cdn_path_length(s->state, wanted, out)); }

/* The length's derivative by mobility k, by differences of the tangent basis; NaN where it jumps in between. */
static double slope(sample *s, int k, double h) {
  double at[2], qdot[MOST_NQ], q[MOST_NQ], one[MOST_NU] = { 0 };
  for (int side = 0; side < 2; side++) {
    put_back(s);
    one[k] = side ? h : -h;
    OK_ON(s->state, cdn_realize(s->state, CDN_STAGE_POSITION));
    OK_ON(s->state, cdn_multiply_by_N(s->state, one, qdot));
    for (int i = 0; i < s->nq; i++) q[i] = s->q[i] + qdot[i];
    OK_ON(s->state, cdn_state_set_q(s->state, q));
    length(s, &at[side]);
  }
  put_back(s);
  return fabs(at[1] - at[0]) < 1e-3 ? (at[1] - at[0]) / (2 * h) : NAN;
}

START_TEST(moments_are_the_gradient_of_the_length) {
  int jumps = 0, slopes = 0;
  for (uint64_t seed = 1; seed <= (uint64_t)FEWER(300); seed++) {
    random_tree drawn = tree_of(seed);
    rng r = rng_of(seed + 17);
    wanted = add_cable(&drawn, &r).path;
    sample s = sample_of_tree(&drawn, seed);
    double moments[MOST_NU], rate, product = 0, size = 0;
    OK_ON(s.state, cdn_path_moments(s.state, wanted, moments));
    OK_ON(s.state, cdn_path_rate(s.state, wanted, &rate));
    for (int k = 0; k < s.nu; k++) product += moments[k] * s.u[k], size += fabs(moments[k] * s.u[k]);
    NEAR(rate, product, 1e-14 * (1 + size));
    for (int k = 0; k < s.nu; k++, slopes++) {
      const double by_differences = slope(&s, k, 1e-6);
      if (isnan(by_differences)) jumps++;
      else NEAR(moments[k], by_differences, 3e-8); /* bends are below 1e4 at these sizes: h^2 / 6 times them */
    }
    drop(&s);
  }
  ck_assert_int_lt(jumps, slopes / 100);
}
END_TEST

/* The rate at the pose h qdot away, with the same speeds. */
static double rate_at(sample *s, double h) {
  double qdot[MOST_NQ], q[MOST_NQ], rate;
  put_back(s);
  OK_ON(s->state, cdn_realize(s->state, CDN_STAGE_VELOCITY));
  OK_ON(s->state, cdn_multiply_by_N(s->state, s->u, qdot));
  for (int i = 0; i < s->nq; i++) q[i] = s->q[i] + h * qdot[i];
  OK_ON(s->state, cdn_state_set_q(s->state, q));
  OK_ON(s->state, cdn_path_rate(s->state, wanted, &rate));
  return rate;
}

/* As rows of soft elements have it: L'' = J A + bias, with the accelerations A that the speeds make without udot. */
START_TEST(rows_know_how_lengths_accelerate) {
  int compared = 0;
  for (uint64_t seed = 1; seed <= (uint64_t)FEWER(200); seed++) {
    random_tree drawn = tree_of(seed);
    rng r = rng_of(seed + 29);
    wanted = add_cable(&drawn, &r).path;
    sample s = sample_of_tree(&drawn, seed);
    const cdn_system *system = cdn_state_system(s.state);
    const double by[2] = { (rate_at(&s, 1e-5) - rate_at(&s, -1e-5)) / 2e-5,
                           (rate_at(&s, 1e-6) - rate_at(&s, -1e-6)) / 2e-6 };
    put_back(&s);
    if (!(fabs(by[0] - by[1]) < 1e-5 * (1 + fabs(by[1])))) { /* it bends nearby, or is stiff */
      drop(&s);
      continue;
    }
    const matter *m = cdni_matter(system);
    path_rows rows = { .n = 0 };
    path_view view;
    sv A[TREE_MOST_BODIES + 1];
    OK_ON(s.state, cdn_realize(s.state, CDN_STAGE_VELOCITY));
    OK_ON(s.state, cdni_path_view(cdni_paths(system), s.state, wanted, &view));
    const tree_data d = cdni_matter_data(m, s.state);
    cdni_operator_accelerations(m, &d, NULL, A);
    ck_assert(cdni_path_add_rows(&view, d.pose, 1, &rows));
    double rate = 0, ours = cdni_path_bias(&view, d.pose, d.twist), theirs;
    for (int i = 0; i < rows.n; i++) {
      ours += sv_dot(rows.row[i], A[rows.body[i]]);
      rate += sv_dot(rows.row[i], d.twist[rows.body[i]].V);
    }
    OK_ON(s.state, cdn_path_rate(s.state, wanted, &theirs));
    NEAR(rate, theirs, 1e-13 * (1 + fabs(theirs)));
    NEAR(ours, by[0], 1e-5 * (1 + fabs(by[0])));
    compared++;
    drop(&s);
  }
  ck_assert_int_gt(compared, FEWER(200) / 2);
}
END_TEST

/* ---- forces ---- */

/* A muscle: the tension varies with length and rate. */
typedef struct muscle {
  cdn_path path;
} muscle;

static cdn_status tension_of(const muscle *m, cdn_state *state, double *T, double *by_length, double *by_rate) {
  double L, rate;
  CDN_TRY(cdn_path_length(state, m->path, &L));
  CDN_TRY(cdn_path_rate(state, m->path, &rate));
  *T = 2 + L * L + 0.3 * L * rate;
  *by_length = 2 * L + 0.3 * rate, *by_rate = 0.3 * L;
  return CDN_OK;
}
static cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *forces) {
  double T, by_length, by_rate;
  CDN_TRY(tension_of(self, state, &T, &by_length, &by_rate));
  cdn_forces_add_path(forces, ((const muscle *)self)->path, T);
  return CDN_OK;
}
static cdn_status calc_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d) {
  double T, by_length, by_rate;
  CDN_TRY(tension_of(self, state, &T, &by_length, &by_rate));
  cdn_force_derivatives_add_path(d, ((const muscle *)self)->path, T, by_length, by_rate);
  return CDN_OK;
}
static void add_muscle(cdn_system *system, cdn_path path) {
  const muscle self = { path };
  const cdn_ticket reads[] = { CDN_POSE, CDN_TWIST };
  cdn_force_ops ops = { .struct_size = sizeof ops,
                        .reads = CDN_READS_VELOCITY,
                        .calc_force = calc_force,
                        .calc_derivative = calc_derivative,
                        .prerequisites = reads,
                        .n_prerequisites = 2 };
  ops.subsystem.name = "muscle", ops.subsystem.self_size = sizeof self;
  cdn_system_add_custom_force(system, &ops, &self);
}

/* Whether differences mean something: lengths bend evenly nearby, and the rate is not near zero, where v |v| bends. */
static bool is_smooth(sample *s) {
  double rate;
  OK_ON(s->state, cdn_path_rate(s->state, wanted, &rate));
  if (fabs(rate) < 1e-2) return false;
  for (int k = 0; k < s->nu; k++) {
    const double a = slope(s, k, 1e-4), b = slope(s, k, 1e-5);
    if (!(fabs(a - b) < 1e-6)) return false;
  }
  return true;
}

START_TEST(tensions_vary_as_differences_say) {
  int compared = 0;
  for (uint64_t seed = 1; seed <= (uint64_t)FEWER(160); seed++) {
    random_tree drawn = tree_of(seed);
    rng r = rng_of(seed + 71);
    const cable c = add_cable(&drawn, &r);
    wanted = c.path;
    cdn_system_add_path_spring(drawn.system, "spring", wanted, 7, 0.1, 0.4);
    cdn_system_add_path_damper(drawn.system, "damper", wanted, 0.8);
    cdn_system_add_polynomial_path_spring(drawn.system, "bent spring", wanted, (double[]){ 2, 0.7, 0.4 }, 0.2, 0.5);
    cdn_system_add_polynomial_path_damper(drawn.system, "bent damper", wanted, (double[]){ 0.2, 0.3, 0.1 });
    cdn_system_add_path_stop(drawn.system, "stop", wanted, 0.3, 0.6, 5, 0.3);
    add_muscle(drawn.system, wanted);
    sample s = sample_of_tree(&drawn, seed);
    if (is_smooth(&s)) {
      OK_ON(s.state, cdn_inverse_dynamics_derivatives(s.state, s.udot, s.a, s.b, NULL));
      check_matrix_by(1e-4, &s, residual, ALONG_Q, s.nu, s.a, 1e-7, "dtau/dq");
      check_matrix(&s, residual, ALONG_U, s.nu, s.b, 1e-10, "dtau/du");
      compared++;
    }
    drop(&s);
  }
  ck_assert_int_gt(compared, FEWER(160) / 2);
}
END_TEST

/* The work of the spring on the way is what its potential loses. */
START_TEST(springs_have_a_potential) {
  for (uint64_t seed = 1; seed <= 20; seed++) {
    random_tree drawn = tree_of(seed);
    rng r = rng_of(seed + 3);
    const cdn_path path = add_cable(&drawn, &r).path;
    cdn_system_add_path_spring(drawn.system, "spring", path, 5, 0.2, 0.5);
    cdn_state *state = random_tree_state(&drawn, seed);
    double L, energy;
    OK_ON(state, cdn_path_length(state, path, &L));
    OK_ON(state, cdn_potential_energy(state, &energy));
    const double x = L > 0.5 ? L - 0.5 : fmin(L - 0.2, 0);
    NEAR(energy, 2.5 * x * x, 1e-14 * (1 + energy));
    cdn_state_destroy(state);
  }
}
END_TEST

CHECK_MAIN("path forces", moments_are_the_gradient_of_the_length, rows_know_how_lengths_accelerate,
           tensions_vary_as_differences_say, springs_have_a_potential)
