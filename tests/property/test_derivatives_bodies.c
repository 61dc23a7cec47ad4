/* Derivatives of forces that depend on where several bodies are: bends, axes that line up, drag by another body's
 * motion. */
#include "differences.h"

#include <complex.h>
#undef I /* inertias have that name */

enum { MOST = 3 };

typedef struct law {
  int n;
  cdn_body body[MOST];
  cdn_vec3 station[MOST];
  bool relative;
} law;

typedef struct place {
  cdn_vec3 p, v, w;
  cdn_rotation R;
} place;

static cdn_status find(const law *l, cdn_state *state, place at[MOST]) {
  for (int k = 0; k < l->n; k++) {
    cdn_transform X = { 0 };
    cdn_spatial V = { 0 };
    cdn_status status = cdn_body_station(state, l->body[k], l->station[k], &at[k].p, &at[k].v);
    if (!status) status = cdn_body_pose(state, l->body[k], &X);
    if (!status) status = cdn_body_velocity(state, l->body[k], &V);
    if (status) return status;
    at[k].R = X.R, at[k].w = V.w;
  }
  return CDN_OK;
}

/* What each law is: n forces about the stations, and how they vary. */
typedef void law_of(const place *at, cdn_spatial *F, double *by_X, double *by_V);

/* ---- a bend: k (cos theta - c)^2 / 2 of the angle at station 1 ---- */

/* Minus the gradient by the nine coordinates. */
static void bend_gradient(const double complex x[9], double complex f[9]) {
  const double k = 7, c = -0.3;
  double complex a[3], b[3], aa = 0, bb = 0, ab = 0;
  for (int i = 0; i < 3; i++) {
    a[i] = x[i] - x[3 + i], b[i] = x[6 + i] - x[3 + i];
    aa += a[i] * a[i], bb += b[i] * b[i], ab += a[i] * b[i];
  }
  const double complex size = csqrt(aa) * csqrt(bb), s = -k * (ab / size - c);
  for (int i = 0; i < 3; i++) {
    const double complex by_a = b[i] / size - ab / size * a[i] / aa, by_b = a[i] / size - ab / size * b[i] / bb;
    f[i] = s * by_a, f[6 + i] = s * by_b, f[3 + i] = -s * (by_a + by_b);
  }
}

/* Its derivatives are exact: by complex steps. */
static void bend(const place *at, cdn_spatial *F, double *by_X, double *by_V) {
  (void)by_V;
  double complex x[9], f[9];
  for (int k = 0; k < 3; k++) x[3 * k] = at[k].p.x, x[3 * k + 1] = at[k].p.y, x[3 * k + 2] = at[k].p.z;
  bend_gradient(x, f);
  for (int k = 0; k < 3; k++)
    F[k] = (cdn_spatial){ cdn_v3(0, 0, 0), cdn_v3(creal(f[3 * k]), creal(f[3 * k + 1]), creal(f[3 * k + 2])) };
  for (int c = 0; by_X && c < 9; c++) {
    double complex to[9], there[9];
    memcpy(to, x, sizeof to);
    to[c] += 1e-30 * _Complex_I;
    bend_gradient(to, there);
    for (int r = 0; r < 9; r++)
      by_X[(6 * (r / 3) + 3 + r % 3) * 18 + 6 * (c / 3) + 3 + c % 3] = cimag(there[r]) / 1e-30;
  }
}

/* ---- two axes that line up, with friction: moments only ---- */

static void put_cross(double *to, int columns, double scale, cdn_vec3 a) {
  const double x[9] = { 0, -a.z, a.y, a.z, 0, -a.x, -a.y, a.x, 0 };
  for (int i = 0; i < 9; i++) to[(i / 3) * columns + i % 3] += scale * x[i];
}

/* to += a b^T - (a . b) 1: the derivative of a x (t x b) by t, with its sign turned, and so on */
static void put_double_cross(double *to, int columns, double scale, cdn_vec3 a, cdn_vec3 b) {
  const double x[3] = { a.x, a.y, a.z }, y[3] = { b.x, b.y, b.z };
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      to[i * columns + k] += scale * (x[k] * y[i] - (i == k ? cdn_dot(a, b) : 0)); /* a x (b x .) */
}

static void line_up(const place *at, cdn_spatial *F, double *by_X, double *by_V) {
  const double k = 5, c = 0.8;
  const cdn_vec3 a = at[0].R.x, b = at[1].R.y, m = cdn_cross(a, b), w = cdn_sub(at[1].w, at[0].w);
  const cdn_vec3 moment = cdn_add(cdn_scale(k, m), cdn_scale(c, w));
  F[0] = (cdn_spatial){ moment, cdn_v3(0, 0, 0) };
  F[1] = (cdn_spatial){ cdn_scale(-1, moment), cdn_v3(0, 0, 0) };
  for (int r = 0; by_X && r < 2; r++) {
    const double sign = r ? -1 : 1;
    /* d(a x b) = (t_a x a) x b + a x (t_b x b) = b x (a x t_a) - a x (b x t_b) */
    put_double_cross(by_X + 6 * r * 12, 12, sign * k, b, a);
    put_double_cross(by_X + 6 * r * 12 + 6, 12, -sign * k, a, b);
    for (int i = 0; i < 3; i++) {
      by_V[(6 * r + i) * 12 + i] -= sign * c;
      by_V[(6 * r + i) * 12 + 6 + i] += sign * c;
    }
  }
}

/* ---- a force on one body by the place, velocity and turning of another, in Ground's axes ---- */

static void wake(const place *at, cdn_spatial *F, double *by_X, double *by_V) {
  const double k = 2, c = 0.6;
  F[0] = (cdn_spatial){ cdn_scale(c, at[1].w), cdn_add(cdn_scale(-k, at[1].p), cdn_cross(at[0].p, at[1].v)) };
  F[1] = (cdn_spatial){ cdn_v3(0, 0, 0), cdn_v3(0, 0, 0) };
  if (!by_X) return;
  put_cross(by_X + 3 * 12 + 3, 12, -1, at[1].v); /* dp x v = -v x dp */
  put_cross(by_V + 3 * 12 + 9, 12, 1, at[0].p);
  for (int i = 0; i < 3; i++) {
    by_X[(3 + i) * 12 + 9 + i] = -k;
    by_V[i * 12 + 6 + i] = c;
  }
}

/* ---- as custom forces ---- */

static cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *forces, law_of *of) {
  const law *l = self;
  place at[MOST];
  cdn_spatial F[MOST];
  cdn_status status = find(l, state, at);
  if (status) return status;
  of(at, F, NULL, NULL);
  for (int k = 0; k < l->n; k++) {
    cdn_forces_add_point(forces, l->body[k], l->station[k], F[k].v);
    cdn_forces_add_torque(forces, l->body[k], F[k].w);
  }
  return CDN_OK;
}

static cdn_status calc_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d, law_of *of) {
  const law *l = self;
  place at[MOST];
  cdn_spatial F[MOST];
  double by_X[36 * MOST * MOST] = { 0 }, by_V[36 * MOST * MOST] = { 0 };
  cdn_status status = find(l, state, at);
  if (status) return status;
  of(at, F, by_X, by_V);
  cdn_force_derivatives_add_bodies(d, l->n, l->body, l->station, F, by_X, by_V, l->relative);
  return CDN_OK;
}

#define LAW(name)                                                                                     \
  static cdn_status name##_force(const void *self, cdn_state *state, cdn_forces *forces) {            \
    return calc_force(self, state, forces, name);                                                     \
  }                                                                                                   \
  static cdn_status name##_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d) { \
    return calc_derivative(self, state, d, name);                                                     \
  }
LAW(bend)
LAW(line_up)
LAW(wake)

static void add(cdn_system *system, const law *l, int which, bool with_derivative) {
  static cdn_status (*const force[])(const void *, cdn_state *, cdn_forces *) = { bend_force, line_up_force,
                                                                                  wake_force };
  static cdn_status (*const derivative[])(
      const void *, cdn_state *, cdn_force_derivatives *) = { bend_derivative, line_up_derivative, wake_derivative };
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_VELOCITY, .calc_force = force[which] };
  ops.subsystem.self_size = sizeof *l;
  if (with_derivative) ops.calc_derivative = derivative[which];
  cdn_system_add_custom_force(system, &ops, l);
}

/* ---- against differences ---- */

static void check_law(uint64_t seed, int which, bool relative) {
  tree_options options = { .bodies = 3 + (int)(seed % 8), .shape = seed, .numbers = seed, .forces = true };
  random_tree tree = make_random_tree(&options);
  rng r = rng_of(seed + 3);
  law l = { .n = which == 0 ? 3 : 2, .relative = relative };
  for (int k = 0; k < l.n; k++) {
    /* apart from each other; Ground is one of them every third time, and one body twice every fourth */
    do l.body[k].i = pick(&r, tree.bodies + 1);
    while (seed % 3 && l.body[k].i == 0);
    if (k == 1 && seed % 4 == 0 && which != 1) l.body[k] = l.body[0];
    l.station[k] = random_vec3(&r, 0.8);
  }
  add(tree.system, &l, which, true);
  sample s = sample_of_tree(&tree, seed);
  OK_ON(s.state, cdn_inverse_dynamics_derivatives(s.state, s.udot, s.a, s.b, NULL));
  check_matrix(&s, residual, ALONG_Q, s.nu, s.a, 1e-10, "dtau/dq");
  check_matrix(&s, residual, ALONG_U, s.nu, s.b, 1e-10, "dtau/du");
  drop(&s);
}

START_TEST(bends) {
  for (uint64_t seed = 1; seed <= 40; seed++) check_law(seed, 0, seed % 2);
}
END_TEST

START_TEST(axes_that_line_up) {
  for (uint64_t seed = 1; seed <= 40; seed++) check_law(seed, 1, seed % 2);
}
END_TEST

START_TEST(forces_that_know_ground) {
  for (uint64_t seed = 1; seed <= 40; seed++) check_law(seed, 2, false);
}
END_TEST

/* Said to be relative or not: the same derivatives. */
START_TEST(relative_or_not) {
  for (uint64_t seed = 1; seed <= 10; seed++) {
    double *D[2][2];
    int nu = 0;
    for (int way = 0; way < 2; way++) {
      tree_options options = { .bodies = 8, .shape = seed, .numbers = seed };
      random_tree tree = make_random_tree(&options);
      rng r = rng_of(seed + 3);
      law l = { .n = 2, .relative = way };
      for (int k = 0; k < 2; k++) l.body[k].i = 4 + 3 * k, l.station[k] = random_vec3(&r, 0.8);
      add(tree.system, &l, 1, true);
      cdn_state *state = random_tree_state(&tree, seed);
      nu = cdn_system_nu(cdn_state_system(state));
      for (int k = 0; k < 2; k++) D[way][k] = calloc((size_t)(nu * nu + 1), sizeof(double));
      OK_ON(state, cdn_inverse_dynamics_derivatives(state, NULL, D[way][0], D[way][1], NULL));
      cdn_state_destroy(state);
    }
    for (int k = 0; k < 2; k++) {
      double size = 1;
      for (int i = 0; i < nu * nu; i++) size = fmax(size, fabs(D[0][k][i]));
      for (int i = 0; i < nu * nu; i++) NEAR(D[0][k][i], D[1][k][i], 1e-13 * size);
      free(D[0][k]), free(D[1][k]);
    }
  }
}
END_TEST

/* ---- a bushing against derivatives in extended precision: its own formulas in one dimension, and its symmetry ---- */

/* Two bodies on sliders along z and pins about it: the bushing is a spring and a damper, whose derivatives are its
 * numbers. */
START_TEST(bushing_of_one_axis) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_CYLINDER;
  def.mass = (cdn_mass_properties){ 2, { 0, 0, 0 }, { 1, 1, 1.5, 0, 0, 0 } };
  const cdn_body a = cdn_system_add_body(system, &def), b = cdn_system_add_body(system, &def);
  const double k[6] = { 1, 2, 30, 4, 5, 60 }, c[6] = { 1, 1, 0.3, 1, 1, 0.6 };
  const cdn_transform X = cdn_transform_identity();
  cdn_system_add_linear_bushing(system, "bushing", a, X, b, X, k, c);
  OK_FREEZE(system);
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  const double q[4] = { 0.2, 0.5, -0.4, 0.1 }, u[4] = { 1, -2, 3, 0.5 };
  OK_ON(state, cdn_state_set_q(state, q));
  OK_ON(state, cdn_state_set_u(state, u));
  double dq[16], du[16];
  OK_ON(state, cdn_inverse_dynamics_derivatives(state, NULL, dq, du, NULL));
  const double K[2] = { 30, 60 }, C[2] = { 0.3, 0.6 };
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++) {
      const double sign = i % 2 != j % 2 ? 0 : i == j ? 1 : -1;
      NEAR(dq[4 * i + j], sign * K[i % 2], 1e-13);
      NEAR(du[4 * i + j], sign * C[i % 2], 1e-13);
    }
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* ---- mistakes ---- */

static cdn_status wrong(const void *self, cdn_state *state, cdn_force_derivatives *d) {
  (void)state;
  const int which = *(const int *)self;
  const cdn_body one[2] = { { 1 }, { which == 0 ? 99 : 0 } };
  const cdn_vec3 p[2] = { { 0, 0, 0 }, { which == 1 ? NAN : 0, 0, 0 } };
  const cdn_spatial F[2] = { 0 };
  double by[144] = { 0 };
  by[143] = which == 2 ? INFINITY : 0;
  cdn_force_derivatives_add_bodies(d,
                                   which == 3   ? 9
                                   : which == 4 ? 0
                                                : 2,
                                   which == 5 ? NULL : one, p, F, by, NULL, true);
  return CDN_OK;
}

START_TEST(mistakes_are_named) {
  static const cdn_status expected[] = { CDN_ERR_ARG, CDN_ERR_NONFINITE, CDN_ERR_NONFINITE,
                                         CDN_ERR_ARG, CDN_ERR_ARG,       CDN_ERR_ARG };
  for (int which = 0; which < 6; which++) {
    cdn_state *state = state_with_culprit(wrong, which);
    double dq[1];
    FAILS(cdn_inverse_dynamics_derivatives(state, NULL, dq, NULL, NULL), expected[which]);
    check_culprit(state);
    cdn_state_destroy(state);
  }
}
END_TEST

CHECK_MAIN("derivatives of forces between bodies", bends, axes_that_line_up, forces_that_know_ground, relative_or_not,
           bushing_of_one_axis, mistakes_are_named)
