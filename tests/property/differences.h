/* shared by tests in this folder */
/* Differences of what the public API computes, to compare derivatives with. */
#ifndef CARDAN_TESTS_DIFFERENCES_H
#define CARDAN_TESTS_DIFFERENCES_H

#include "random_tree.h"

enum { MOST_NU = 6 * TREE_MOST_BODIES, MOST_NQ = 7 * TREE_MOST_BODIES };

/* A State and where it stands. */
typedef struct sample {
  cdn_state *state;
  int nq, nu, nz, nb;
  double q[MOST_NQ], u[MOST_NU], z[8], udot[MOST_NU];
  double *a, *b; /* room for matrices, nu x 10 nb each */
} sample;

/* Takes the State over; udot is random. */
sample sample_of(cdn_state *state, uint64_t seed);
/* A random tree's State, with forces applied from outside. */
sample sample_of_tree(const random_tree *tree, uint64_t seed);
void drop(sample *s);
/* q, u and z as they were. */
void put_back(sample *s);

/* What is differenced: nu numbers. */
typedef void evaluate(sample *s, double *out);
void residual(sample *s, double *out);    /* cdn_residual at the sample's udot */
void forward(sample *s, double *out);     /* the State's udot */
void multipliers(sample *s, double *out); /* those of the constraints, up to nu of them */

typedef enum pool { ALONG_Q, ALONG_U, ALONG_Z } pool; /* q: in the tangent basis */

/* All columns of a matrix of derivatives by differences; the error is measured by the largest element, 1 at least. With
 * CARDAN_TEST_SHOW in the environment the errors are printed. */
void check_matrix(sample *s, evaluate *f, pool what, int columns, const double *matrix, double tolerance,
                  const char *name);
/* Those of udot and of the multipliers by q and u, of a sample of this State, which is taken over. */
void check_dynamics(cdn_state *state, double tolerance);
/* Likewise with steps up to h, for what is smooth only nearby. */
void check_matrix_by(double h, sample *s, evaluate *f, pool what, int columns, const double *matrix, double tolerance,
                     const char *name);

/* How udot changes with one of the ten numbers of a body's mass properties (mass, centre of mass, central inertia), nu
 * numbers each: by a regressor of forward dynamics, and by the difference of States that are 2 h apart. False if no
 * body has such properties. */
bool along_mass(sample *s, cdn_body body, int number, double h, const double *Y, double *by_Y, double *by_difference);

/* A pin with a custom force, "culprit", whose derivatives are described by this function, which finds `which` in its
 * private part. For mistakes in such functions. */
typedef cdn_status describe_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d);
cdn_state *state_with_culprit(describe_derivative *describe, int which);
/* The last failure of the State names the culprit. */
void check_culprit(const cdn_state *state);

#endif
