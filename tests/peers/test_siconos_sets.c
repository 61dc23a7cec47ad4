/* Sets of contacts with friction in space, against Siconos' solvers of the same problem (fc3d): a set that we solve
 * has no residual by Siconos' own measure, and where Siconos finds a solution we find one. Where rows are independent
 * and friction is small there is one answer: both have the same pushes. */
#include <stdlib.h>

#include "../testing.h"

#ifdef TEST_SICONOS
#  include <siconos/numerics/FrictionContactProblem.h>
#  include <siconos/numerics/Friction_cst.h>
#  include <siconos/numerics/NonSmoothDrivers.h>
#  include <siconos/numerics/NumericsMatrix.h>
#  include <siconos/numerics/SolverOptions.h>
#  include <siconos/numerics/fc3d_compute_error.h>
#endif

#include "../property/contact_sets.h"

enum { MOST = 12, ROWS = 3 * MOST, FREEDOMS = 60 };

typedef struct set {
  int n;
  double W[ROWS * ROWS], b[ROWS], mu[MOST];
} set;

/* Row 3 i is a normal, the two behind it are its tangents. Rows of random directions over `freedoms` speeds, with
 * random masses. */
static set draw(rng *r, int n, int freedoms, double mu) {
  set s = { .n = n };
  double G[ROWS][FREEDOMS], m[FREEDOMS];
  for (int k = 0; k < freedoms; k++) m[k] = exp(uniform(r, -1, 1));
  for (int i = 0; i < 3 * n; i++)
    for (int k = 0; k < freedoms; k++) G[i][k] = uniform(r, -1, 1);
  for (int i = 0; i < 3 * n; i++)
    for (int j = 0; j < 3 * n; j++)
      for (int k = 0; k < freedoms; k++) s.W[i * 3 * n + j] += G[i][k] * G[j][k] / m[k];
  for (int i = 0; i < 3 * n; i++) s.b[i] = uniform(r, -1, i % 3 ? 1 : 0.3);
  for (int i = 0; i < n; i++) s.mu[i] = uniform(r, 0, mu);
  return s;
}

static bool solve(const set *s, double *p, double *w) {
  cone cones[MOST];
  int first[ROWS + 1], column[ROWS * ROWS];
  for (int i = 0; i < s->n; i++)
    cones[i] = (cone){ .normal = 3 * i,
                       .tangent = 3 * i + 1,
                       .n = 2,
                       .mu_static = s->mu[i],
                       .mu_dynamic = s->mu[i],
                       .closed = true,
                       .status = CONE_STICKS };
  cone_problem problem = { .rows = 3 * s->n,
                           .n = s->n,
                           .W = full_matrix(3 * s->n, s->W, first, column),
                           .b = s->b,
                           .cones = cones,
                           .p = p,
                           .w = w };
  problem.allocator = cones_allocator();
  return cdni_cones_solve(&problem);
}

#ifdef TEST_SICONOS

/* W is symmetric: its order by rows or columns is the same. */
static FrictionContactProblem theirs(set *s) {
  return (FrictionContactProblem){ .dimension = 3,
                                   .numberOfContacts = s->n,
                                   .M = NM_create_from_data(NM_DENSE, 3 * s->n, 3 * s->n, s->W),
                                   .q = s->b,
                                   .mu = s->mu };
}

static void forget(FrictionContactProblem *problem) {
  problem->M->matrix0 = NULL; /* it is the set's */
  NM_clear(problem->M);
  free(problem->M);
}

static bool solve_there(FrictionContactProblem *problem, double *p, double *w) {
  SolverOptions *options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
  options->dparam[SICONOS_DPARAM_TOL] = 1e-12;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = 5000;
  const int failed = fc3d_driver(problem, p, w, options);
  solver_options_delete(options);
  free(options);
  return failed == 0;
}

static double residual_there(FrictionContactProblem *problem, double *p, double *w) {
  double error, norm = 0;
  SolverOptions *options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
  for (int i = 0; i < 3 * problem->numberOfContacts; i++) norm += problem->q[i] * problem->q[i];
  fc3d_compute_error(problem, p, w, 1e-10, options, sqrt(norm), &error);
  solver_options_delete(options);
  free(options);
  return error;
}

START_TEST(sets_are_solved_as_siconos_solves_them) {
  rng r = rng_of(4321 + (uint64_t)_i);
  const bool unique = _i == 0;
  const int problems = 60;
  int both = 0;
  for (int k = 0; k < problems; k++) {
    const int n = 1 + (int)pick(&r, MOST);
    set s = draw(&r, n, unique ? 5 * n : 3 + (int)pick(&r, 4 * (uint64_t)n), unique ? 0.4 : 1);
    double p[ROWS] = { 0 }, w[ROWS] = { 0 }, p_there[ROWS] = { 0 }, w_there[ROWS] = { 0 };
    FrictionContactProblem problem = theirs(&s);
    const bool here = solve(&s, p, w), there = solve_there(&problem, p_there, w_there);
    double largest = 0;
    for (int i = 0; i < 3 * n; i++) largest = fmax(largest, fabs(p[i]));
    both += here && there;
    if (there) ck_assert(here);
    if (here) AT_MOST(residual_there(&problem, p, w), 1e-9 * (1 + largest));
    for (int i = 0; i < 3 * n && here && there && unique; i++) NEAR(p[i], p_there[i], 1e-8 * (1 + largest));
    forget(&problem);
  }
  ck_assert_int_gt(both, problems / 2);
}
END_TEST

#else

START_TEST(sets_are_solved_as_siconos_solves_them) {
  (void)_i, (void)draw, (void)solve;
  SKIP("Siconos is not installed (Debian: libsiconos-numerics-dev)");
}
END_TEST

#endif

static void add(TCase *c) { tcase_add_loop_test(c, sets_are_solved_as_siconos_solves_them, 0, 2); }

CHECK_MAIN_OF("siconos sets", 120, add)
