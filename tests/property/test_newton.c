/* The Jacobian of the rates against differences of the rates, and Newton's equations solved with it. */
#include "differences.h"
#include "integrators/newton.h"
#include "integrators/stepper.h"
#include "prescribed_tree.h"
#include "system/system.h"

enum { MOST_NY = 13 * 12 + 12 };

/* ---- a spring and a damper in series at a mobility: a z that reads u, and a force that reads z ---- */

typedef struct element {
  cdn_body body;
  cdn_zvar z;
} element;

static cdn_status element_declare(void *self, cdn_declarer *d) {
  const double start = 0.3;
  ((element *)self)->z = cdn_declare_z(d, 1, &start);
  return CDN_OK;
}

static double tension(const element *e, cdn_state *state) {
  double z = cdn_state_zvar(state, e->z)[0];
  return 3 * z * (1 + 0.2 * z);
}

static cdn_status element_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const element *e = self;
  cdn_forces_add_mobility(forces, e->body, 0, -tension(e, state));
  return CDN_OK;
}

static cdn_status element_zdot(const void *self, cdn_state *state, double *zdot) {
  const element *e = self;
  double q = cdn_body_q(state, e->body)[cdn_body_nq(cdn_state_system(state), e->body) - 1];
  zdot[0] = cdn_body_u(state, e->body)[0] * cos(q) - sin(tension(e, state));
  return CDN_OK;
}

/* The same with a rate that reads udot, and says how it varies. */
static cdn_status inertial_zdot(const void *self, cdn_state *state, double *zdot) {
  const element *e = self;
  const double *udot = cdn_state_udot(state);
  CDNI_TRY(element_zdot(self, state, zdot));
  if (!udot) return CDN_ERR_CALLBACK;
  zdot[0] += 0.1 * udot[cdn_body_first_u(cdn_state_system(state), e->body)];
  return CDN_OK;
}

static cdn_status inertial_derivative(const void *self, cdn_state *state, cdn_zdot_derivatives *d) {
  const element *e = self;
  const cdn_system *system = cdn_state_system(state);
  const int nq = cdn_body_nq(system, e->body), u = cdn_body_first_u(system, e->body);
  double q = cdn_body_q(state, e->body)[nq - 1], z = cdn_state_zvar(state, e->z)[0];
  cdn_zdot_derivatives_add_mobility(d, e->z, 0, e->body, 0, 0, cos(q), 0.1);
  cdn_zdot_derivatives_add_z(d, e->z, 0, e->z, 0, -cos(tension(e, state)) * (3 + 1.2 * z));
  /* the last coordinate varies with these mobilities */
  double unit[MOST_NY] = { 0 }, along[MOST_NY];
  for (int k = 0; k < cdn_body_nu(system, e->body); k++) {
    unit[u + k] = 1;
    CDNI_TRY(cdn_multiply_by_N(state, unit, along));
    unit[u + k] = 0;
    const double by = -cdn_body_u(state, e->body)[0] * sin(q) * along[cdn_body_first_q(system, e->body) + nq - 1];
    cdn_zdot_derivatives_add_slot(d, e->z, 0, u + k, by, 0);
  }
  return CDN_OK;
}

static void add_elements(random_tree *drawn, bool inertial) {
  cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_EVERYTHING, .calc_force = element_force };
  ops.subsystem = (cdn_subsystem_ops){ .self_size = sizeof(element),
                                       .declare = element_declare,
                                       .calc_zdot = inertial ? inertial_zdot : element_zdot,
                                       .calc_zdot_derivative = inertial ? inertial_derivative : NULL };
  int added = 0;
  for (int i = 1; i <= drawn->bodies && added < 3; i++) {
    element e = { .body = { i } };
    if (drawn->kind[i] == CDN_WELD) continue;
    cdn_system_add_custom_force(drawn->system, &ops, &e);
    added++;
  }
}

/* ---- J against differences ---- */

static cdn_stepper *stepper_at(cdn_state *state) {
  cdn_stepper *stepper = NULL;
  OK_ON(state, cdn_stepper_create(state, NULL, &stepper));
  return stepper;
}

/* Rates at y + h d; d of ny numbers. */
static void rates_along(cdn_stepper *s, const double *y, const double *d, double h, double *rates) {
  double at[MOST_NY], power;
  for (int i = 0; i < s->ny; i++) at[i] = y[i] + h * d[i];
  OK_ON(s->work, cdni_evaluate(s, 0, at, rates, &power));
}

/* J d against central differences, extrapolated once: their error is of order h^4, and rounding's 1e-13 of the
 * rates. */
static void check_direction(cdn_stepper *s, const double *y, const double *J, const double *d, const char *what,
                            int k) {
  const double h = 1e-3;
  double plus[MOST_NY], minus[MOST_NY], D[2][MOST_NY], size = 1;
  for (int level = 0; level < 2; level++) {
    double step = h / (1 << level);
    rates_along(s, y, d, step, plus);
    rates_along(s, y, d, -step, minus);
    for (int i = 0; i < s->ny; i++) D[level][i] = (plus[i] - minus[i]) / (2 * step);
  }
  for (int i = 0; i < s->ny; i++) size = fmax(size, fmax(fabs(plus[i]), fabs(D[1][i])));
  for (int i = 0; i < s->ny; i++) {
    double truth = (4 * D[1][i] - D[0][i]) / 3, own = 0;
    for (int j = 0; j < s->ny; j++) own += J[i * s->ny + j] * d[j];
    /* rows of z are one-sided differences: half of sqrt(eps) times the second derivative */
    double allowed = (i < s->nq + s->nu ? 2e-8 : 1e-6) * size;
    ck_assert_msg(fabs(own - truth) <= allowed, "%s %d, row %d of %d: %.10g, by differences %.10g", what, k, i, s->ny,
                  own, truth);
  }
}

/* Takes the State over. */
static void check_state(cdn_state *state, uint64_t seed) {
  cdn_stepper *s = stepper_at(state);
  cdni_newton *newton = NULL;
  int ny = s->ny;
  double *J = malloc(sizeof(double) * (size_t)(ny * ny)), y[MOST_NY], d[MOST_NY];
  ck_assert_int_le(ny, MOST_NY);
  memcpy(y, cdni_state_y(s->work), sizeof(double) * (size_t)ny);
  OK(cdni_newton_create(s, &newton));
  OK_ON(s->work, cdni_newton_evaluate(s, newton, 0, y));
  ck_assert(memcmp(cdni_state_y(s->work), y, sizeof(double) * (size_t)ny) == 0);
  cdni_newton_jacobian(newton, J);
  for (int k = 0; k < s->nu; k++) {
    double unit[MOST_NY] = { 0 };
    unit[k] = 1;
    memset(d, 0, sizeof d);
    OK_ON(s->work, cdn_state_set_ty(s->work, 0, y));
    OK_ON(s->work, cdni_state_multiply_by_N(s->work, unit, d));
    check_direction(s, y, J, d, "along q", k);
  }
  for (int k = s->nq; k < ny; k++) {
    memset(d, 0, sizeof d);
    d[k] = 1;
    check_direction(s, y, J, d, k < s->nq + s->nu ? "u" : "z", k);
  }

  /* x - gamma J x = r */
  rng r = rng_of(seed);
  for (double gamma = 1e-4; gamma < 2; gamma *= 10) {
    double right[MOST_NY], x[MOST_NY], size = 1;
    random_numbers(&r, 1, right, ny);
    memcpy(x, right, sizeof x);
    ck_assert(cdni_newton_factor(newton, gamma));
    cdni_newton_solve(newton, x);
    for (int i = 0; i < ny; i++) {
      for (int j = 0; j < ny; j++) size = fmax(size, fabs(gamma * J[i * ny + j] * x[j]));
    }
    for (int i = 0; i < ny; i++) {
      double sum = x[i] - right[i];
      for (int j = 0; j < ny; j++) sum -= gamma * J[i * ny + j] * x[j];
      NEAR(sum, 0, 1e-11 * size);
    }
  }
  free(J);
  cdni_newton_destroy(s, newton);
  cdn_stepper_destroy(s);
  cdn_state_destroy(state);
}

static tree_options options_of(uint64_t seed, int bodies) {
  return (tree_options){ .bodies = bodies, .shape = 10 * seed, .numbers = seed, .forces = true, .conservative = true };
}

static void check_tree(uint64_t seed, int bodies, bool with_z) {
  tree_options options = options_of(seed, bodies);
  random_tree drawn = make_random_tree(&options);
  if (with_z) add_elements(&drawn, seed % 2);
  check_state(random_tree_state(&drawn, seed), seed);
}

START_TEST(jacobian_of_trees) {
  for (uint64_t seed = 1; seed <= 60; seed++) check_tree(seed, 1 + (int)(seed % 12), false);
}
END_TEST

START_TEST(jacobian_with_auxiliary_states) {
  for (uint64_t seed = 1; seed <= 20; seed++) check_tree(seed, 1 + (int)(seed % 7), true);
}
END_TEST

/* Slots that are prescribed have no effect. (Speeds that are given as functions of q would: they are held.) */
START_TEST(jacobian_with_motions) {
  for (uint64_t seed = 1; seed <= 30; seed++) {
    tree_options options = options_of(seed, 1 + (int)(seed % 9));
    prescribed_tree p = make_prescribed_tree(&options, seed);
    cdn_state *state = prescribed_tree_state(&p, seed);
    for (int i = 1; i <= p.tree.bodies; i++) {
      double params[CDN_MOTION_PARAMS];
      if (p.motion[i].i < 0 || p.level[i] != CDN_LEVEL_VELOCITY) continue;
      memcpy(params, cdn_motion_params(state, p.motion[i]), sizeof params);
      params[3] = 0;
      OK_ON(state, cdn_motion_set_params(state, p.motion[i], params));
    }
    check_state(state, seed);
  }
}
END_TEST

/* ---- q and u that are not bodies': everything is differenced ---- */

static cdn_status oscillator_declare(void *self, cdn_declarer *d) {
  const double q0[2] = { 1, -0.5 }, u0[2] = { 0.2, 0.4 };
  (void)self;
  cdn_declare_qu(d, 2, q0, 2, u0);
  return CDN_OK;
}

static cdn_status oscillator_udot(const void *self, cdn_state *state, double *udot) {
  const double *q = cdn_state_q_eff(state), *u = cdn_state_u_eff(state);
  (void)self;
  udot[0] = -3 * q[0] + q[1] * q[0] - 0.1 * u[0];
  udot[1] = -sin(q[1]) + 0.3 * u[0] * u[1];
  return CDN_OK;
}

START_TEST(jacobian_without_bodies) {
  static const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "oscillator", .declare = oscillator_declare, .calc_udot = oscillator_udot
  };
  cdn_system *system = cdn_system_create(NULL);
  cdn_state *state = NULL;
  cdni_newton *newton = NULL;
  cdn_system_add_subsystem(system, &ops, NULL);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &state));
  cdn_stepper *s = stepper_at(state);
  const double *y = cdn_state_q(state);
  double J[16], at[4] = { 1, -0.5, 0.2, 0.4 };
  OK(cdni_newton_create(s, &newton));
  OK_ON(s->work, cdni_newton_evaluate(s, newton, 0, at));
  cdni_newton_jacobian(newton, J);
  const double truth[16] = { 0, 0, 1, 0, 0, 0, 0, 1, -3.5, 1, -0.1, 0, 0, -cos(-0.5), 0.3 * 0.4, 0.3 * 0.2 };
  for (int i = 0; i < 16; i++) NEAR(J[i], truth[i], 1e-7);
  ck_assert(y[0] == 1);
  cdni_newton_destroy(s, newton);
  cdn_stepper_destroy(s);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("Newton", jacobian_of_trees, jacobian_with_auxiliary_states, jacobian_with_motions, jacobian_without_bodies)
