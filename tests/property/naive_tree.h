/* shared by tests in this folder */
/* The mechanics of a tree done the long way: poses by composing transforms, a dense geometric Jacobian, the mass
 * matrix as a sum over bodies. O(n^3), no recursion shared with the library: what its O(n) operators are compared
 * with. It reads q, u and parameters of a State and nothing that the library computes. */
#ifndef CARDAN_TESTS_NAIVE_TREE_H
#define CARDAN_TESTS_NAIVE_TREE_H

#include "../testing.h"

typedef struct naive_body {
  cdn_transform X_GB;
  cdn_spatial V_GB;   /* at the body's origin */
  cdn_spatial A0;     /* acceleration of the body's origin if udot were zero */
  double speed, rise; /* sums of magnitudes behind V_GB and A0: what rounding is measured by */
  double mass;
  cdn_vec3 p_BC_G; /* centre of mass from the body's origin */
  cdn_inertia I_G; /* central inertia in Ground's axes */
} naive_body;

typedef struct naive_tree {
  int nb, nu; /* nb includes Ground */
  naive_body *body;
  cdn_spatial *J;   /* nb x nu: velocity of body b's origin by u_k */
  double *armature; /* nu */
} naive_tree;

naive_tree naive_of(const cdn_state *state);
void naive_free(naive_tree *t);

/* A_GB of one body. */
cdn_spatial naive_acceleration(const naive_tree *t, int body, const double *udot);
/* f = M udot + f_bias - J^T F - f_mob; udot, F (nb) and f_mob may be NULL. size[k] (may be NULL) is the sum of the
 * magnitudes of the terms of row k. */
void naive_inverse_dynamics(const naive_tree *t, const double *udot, const cdn_spatial *F, const double *f_mob,
                            double *f, double *size);
/* M, nu x nu. */
void naive_mass_matrix(const naive_tree *t, double *M);
/* Angular about Ground's origin, and linear. */
cdn_spatial naive_momentum(const naive_tree *t);
cdn_vec3 naive_center_of_mass(const naive_tree *t);

#endif
