/* Derivatives of forward dynamics where mobilizers are prescribed, against differences. Where only accelerations are
 * prescribed q and u can be displaced; a tree with positions and velocities prescribed has the same derivatives as one
 * whose accelerations are held at what they come to. */
#include "differences.h"
#include "prescribed_tree.h"

/* As in test_derivatives.c; motions are differenced themselves, which leaves 1e-10 of them. */
static const double BY_DIFFERENCES = 1e-9;

typedef struct pair {
  prescribed_tree p;
  sample s;
} pair;

/* The c of the tests' own motion is what makes it vary with u at velocity level. */
static void stop_varying(cdn_state *state, const prescribed_tree *p) {
  for (int i = 1; i <= p->tree.bodies; i++) {
    double params[CDN_MOTION_PARAMS];
    if (p->motion[i].i < 0 || p->level[i] != CDN_LEVEL_VELOCITY) continue;
    memcpy(params, cdn_motion_params(state, p->motion[i]), sizeof params);
    params[3] = 0;
    OK_ON(state, cdn_motion_set_params(state, p->motion[i], params));
  }
}

static pair make_pair(int bodies, uint64_t seed, bool varying) {
  tree_options options = { .bodies = bodies, .shape = 100 * (uint64_t)bodies + seed, .numbers = seed, .forces = true };
  pair x = { .p = make_prescribed_tree(&options, seed) };
  cdn_state *state = prescribed_tree_state(&x.p, seed);
  if (!varying) stop_varying(state, &x.p);
  OK_ON(state, cdn_prescribe(state, NULL));
  x.s = sample_of(state, seed);
  return x;
}

static const int sizes[] = { 1, 2, 2, 3, 3, 4, 5, 7, 9, 12 };

START_TEST(accelerations_prescribed) {
  for (int i = 0; i < 10; i++)
    for (uint64_t seed = 1; seed <= 6; seed++) {
      pair x = make_pair(sizes[i], seed, true);
      sample *s = &x.s;
      hold_accelerations(s->state, &x.p);
      OK_ON(s->state, cdn_forward_dynamics_derivatives(s->state, s->a, s->b, NULL, NULL));
      check_matrix(s, forward, ALONG_Q, s->nu, s->a, BY_DIFFERENCES, "dudot/dq");
      check_matrix(s, forward, ALONG_U, s->nu, s->b, BY_DIFFERENCES, "dudot/du");
      drop(s);
    }
}
END_TEST

static double largest(const double *a, int n) {
  double most = 1;
  for (int i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

/* By q, by u and by f; forces by differences among those of the trees. */
START_TEST(positions_and_velocities_prescribed) {
  for (int i = 0; i < 10; i++)
    for (uint64_t seed = 1; seed <= 6; seed++) {
      pair x = make_pair(sizes[i], seed, false);
      sample *s = &x.s;
      const int n = s->nu * s->nu;
      const size_t bytes = (size_t)(n + 1) * sizeof(double);
      double *dq = malloc(bytes), *du = malloc(bytes), *df = malloc(bytes), *df_held = malloc(bytes);
      OK_ON(s->state, cdn_forward_dynamics_derivatives(s->state, dq, du, df, NULL));
      hold_accelerations(s->state, &x.p);
      OK_ON(s->state, cdn_forward_dynamics_derivatives(s->state, s->a, s->b, df_held, NULL));
      for (int k = 0; k < n; k++) {
        NEAR(dq[k], s->a[k], 1e-11 * largest(s->a, n));
        NEAR(du[k], s->b[k], 1e-11 * largest(s->b, n));
        NEAR(df[k], df_held[k], 1e-11 * largest(df_held, n));
      }
      free(dq), free(du), free(df), free(df_held);
      drop(s);
    }
}
END_TEST

/* dudot/df is M_ff^-1, zero elsewhere; the same by the passes of the tree, which deep trees use. */
START_TEST(by_forces) {
  for (uint64_t seed = 1; seed <= 12; seed++) {
    pair x = make_pair(seed % 2 ? 8 : 40, seed, true);
    sample *s = &x.s;
    OK_ON(s->state, cdn_forward_dynamics_derivatives(s->state, NULL, NULL, s->a, NULL));
    OK_ON(s->state, cdn_calc_M_inv(s->state, s->b));
    for (int k = 0; k < s->nu * s->nu; k++) NEAR(s->a[k], s->b[k], 1e-10 * largest(s->b, s->nu * s->nu));
    drop(s);
  }
}
END_TEST

CHECK_MAIN("prescribed derivatives", accelerations_prescribed, positions_and_velocities_prescribed, by_forces)
