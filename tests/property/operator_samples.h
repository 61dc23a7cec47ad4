/* shared by tests in this folder */
/* Random trees at random states, each with its dense, naive counterpart: what every test of operators runs on. */
#ifndef CARDAN_TESTS_OPERATOR_SAMPLES_H
#define CARDAN_TESTS_OPERATOR_SAMPLES_H

#include "naive_tree.h"
#include "random_tree.h"

enum { MOST_NU = 6 * TREE_MOST_BODIES, MOST_NQ = 7 * TREE_MOST_BODIES, MOST_NB = TREE_MOST_BODIES + 1 };

/* Rounding of a quantity that is summed along a path to Ground of up to 40 bodies: each level adds a few roundings of
 * the largest partial sum, 40 * 10 * 1.1e-16 = 4e-14 at worst; usually far less. */
#define ALONG_A_PATH 5e-14

typedef struct sample {
  cdn_state *state;
  naive_tree naive;
  rng r;
  int nq, nu, nb;
} sample;

typedef void check_sample(sample *s);
/* Runs a check on trees of 1 to most_bodies (at most 40) bodies of every style. */
void on_trees(check_sample *check, int most_bodies, bool with_forces);

void near_vec3(cdn_vec3 a, cdn_vec3 b, double tolerance);
void near_spatial(cdn_spatial a, cdn_spatial b, double tolerance);

cdn_spatial spatial_sum(cdn_spatial a, cdn_spatial b);
/* A motion seen at a point further by p: (w, v + w x p). */
cdn_spatial motion_at(cdn_spatial V, cdn_vec3 p);
/* A force (moment, force) about a point further by p: (m - p x f, f). */
cdn_spatial force_at(cdn_spatial F, cdn_vec3 p);
double spatial_size(cdn_spatial a);

/* A x, rows x columns, row-major; size (may be NULL) gets the sums of magnitudes. */
void dense_mul(const double *A, int rows, int columns, const double *x, double *y, double *size);
/* Products of rows: A^T x. */
void dense_tmul(const double *A, int rows, int columns, const double *x, double *y, double *size);

/* The acceleration of body b's point at p_B (Ground's axes: arm) for udot (NULL: zero), and the magnitudes summed. */
cdn_spatial naive_point_acceleration(const sample *s, int b, cdn_vec3 arm, const double *udot, double *size);

#endif
