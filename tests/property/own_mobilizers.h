/* shared by tests in this folder */
/* Function-based and custom mobilizers that the random trees use, and the truth about every mobilizer: X_FM, V_FM and
 * A_FM from the definitions in matter.h, by composing elementary turns and shifts. No hinge matrices are formed. */
#ifndef CARDAN_TESTS_OWN_MOBILIZERS_H
#define CARDAN_TESTS_OWN_MOBILIZERS_H

#include "../testing.h"

/* ---- mobilizers of the tests' own: number `which` of each, which is also the body's parameter 3 ---- */

enum { OWN_FUNCTION_SETS = 3, OWN_CUSTOMS = 2 };
/* Functions are created: release them with release_functions once the body has been added. */
cdn_function_mobilizer own_functions(int which);
void release_functions(cdn_function_mobilizer *def);
/* 0: a helix over an ellipse, with parameters a, b, pitch: q = (turn about z, further distance along z).
 * 1: a ball whose u is the angular velocity in M's axes. */
const cdn_custom_mobilizer_ops *own_custom(int which);

/* ---- the truth ---- */

typedef struct across_truth {
  cdn_transform X; /* X_FM */
  cdn_spatial V;   /* velocity of M in F, in F's axes */
  cdn_spatial A;   /* its rate at udot = 0 */
} across_truth;

/* For coordinates and speeds of a body in this State, whatever the State's own are. */
across_truth truth_across(const cdn_state *state, cdn_body body, const double *q, const double *u);

#endif
