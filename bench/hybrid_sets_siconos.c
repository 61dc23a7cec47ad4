/* The same sets in Siconos (fc3d). */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <siconos/numerics/FrictionContactProblem.h>
#include <siconos/numerics/Friction_cst.h>
#include <siconos/numerics/NonSmoothDrivers.h>
#include <siconos/numerics/NumericsMatrix.h>
#include <siconos/numerics/SolverOptions.h>
#include <siconos/numerics/fc3d_compute_error.h>

#include "hybrid_sets.h"

static const double ASKED = 1e-8;

static FrictionContactProblem *problem_there(const contact_set *set) {
  FrictionContactProblem *problem = calloc(1, sizeof *problem);
  problem->dimension = 3, problem->numberOfContacts = set->n;
  problem->M = NM_create(NM_SPARSE, set->rows, set->rows);
  NM_triplet_alloc(problem->M, set->first[set->rows]);
  problem->M->matrix2->origin = NSM_TRIPLET;
  problem->q = calloc((size_t)set->rows, sizeof(double)), problem->mu = calloc((size_t)set->n, sizeof(double));
  for (int r = 0; r < set->rows; r++)
    for (int k = set->first[r]; k < set->first[r + 1]; k++) NM_entry(problem->M, r, set->column[k], set->value[k]);
  memcpy(problem->q, set->b, (size_t)set->rows * sizeof(double));
  for (int i = 0; i < set->n; i++) problem->mu[i] = set->cones[i].mu_dynamic;
  return problem;
}

static void forget(FrictionContactProblem *problem) {
  NM_clear(problem->M);
  free(problem->M), free(problem->q), free(problem->mu), free(problem);
}

/* Siconos tells what it does on the standard output. */
static int hush(void) {
  fflush(stdout);
  const int kept = dup(1), nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, 1), close(nowhere);
  return kept;
}

static void speak(int kept) {
  fflush(stdout);
  dup2(kept, 1), close(kept);
}

static double residual(FrictionContactProblem *problem, double *p) {
  const int rows = 3 * problem->numberOfContacts;
  double *w = calloc((size_t)rows, sizeof *w), error = INFINITY, norm = 0;
  SolverOptions *options = solver_options_create(SICONOS_FRICTION_3D_NSGS);
  for (int i = 0; i < rows; i++) norm += problem->q[i] * problem->q[i];
  fc3d_compute_error(problem, p, w, ASKED, options, sqrt(norm), &error);
  solver_options_delete(options);
  free(options), free(w);
  return error;
}

double siconos_residual(const contact_set *set, const double *p) {
  FrictionContactProblem *problem = problem_there(set);
  double *copy = calloc((size_t)set->rows, sizeof *copy);
  memcpy(copy, p, (size_t)set->rows * sizeof *copy);
  const double error = residual(problem, copy);
  free(copy), forget(problem);
  return error;
}

/* Seconds; INFINITY: it does not come to what is asked. */
static double time_one(const contact_set *set, int solver, int iterations, double *p) {
  FrictionContactProblem *problem = problem_there(set);
  SolverOptions *options = solver_options_create(solver);
  double *w = calloc((size_t)set->rows, sizeof *w);
  options->dparam[SICONOS_DPARAM_TOL] = ASKED;
  options->iparam[SICONOS_IPARAM_MAX_ITER] = iterations;
  memset(p, 0, (size_t)set->rows * sizeof *p);
  const int kept = hush();
  const clock_t began = clock();
  const int failed = fc3d_driver(problem, p, w, options);
  const double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
  const double left = failed ? INFINITY : residual(problem, p);
  speak(kept);
  solver_options_delete(options);
  free(options), free(w), forget(problem);
  return left <= 2 * ASKED ? seconds : INFINITY;
}

double siconos_best(const contact_set *set, double *p, const char **name) {
  static const struct {
    int solver, iterations;
    const char *name;
  } solvers[] = { { SICONOS_FRICTION_3D_NSGS, 20000, "NSGS" },
                  { SICONOS_FRICTION_3D_NSN_AC, 200, "NSN_AC" },
                  { SICONOS_FRICTION_3D_ADMM, 20000, "ADMM" } };
  double best = INFINITY;
  for (int k = 0; k < (int)(sizeof solvers / sizeof *solvers); k++) {
    const double seconds = time_one(set, solvers[k].solver, solvers[k].iterations, p);
    if (!(seconds < best)) continue;
    best = seconds, *name = solvers[k].name;
  }
  return best;
}
