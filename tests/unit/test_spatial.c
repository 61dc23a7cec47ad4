/* Spatial vectors and inertias as values: against a body's points, against matrices, and against the bodies of a
 * tree. */
#include "../property/random_tree.h"

#define ROUNDING 2e-14 /* of sums of some ten products of numbers of about one */

static void near_spatial(cdn_spatial a, cdn_spatial b, double tolerance) {
  NEAR(cdn_norm(cdn_sub(a.w, b.w)), 0, tolerance);
  NEAR(cdn_norm(cdn_sub(a.v, b.v)), 0, tolerance);
}

static cdn_transform random_frame(rng *r) { return (cdn_transform){ random_rotation(r), random_vec3(r, 1) }; }

/* A body as some particles that are rigidly joined. */
enum { PARTICLES = 7 };
typedef struct cloud {
  double m[PARTICLES];
  cdn_vec3 p[PARTICLES];
} cloud;

static cloud random_cloud(rng *r) {
  cloud c;
  for (int i = 0; i < PARTICLES; i++) c.m[i] = uniform(r, 0.1, 1), c.p[i] = random_vec3(r, 1);
  return c;
}

static cdn_spatial_inertia inertia_of(const cloud *c, cdn_transform X) {
  cdn_spatial_inertia I = { 0, { 0, 0, 0 }, { 0, 0, 0, 0, 0, 0 } };
  for (int i = 0; i < PARTICLES; i++) {
    const cdn_vec3 p = cdn_transform_point(X, c->p[i]);
    const cdn_inertia none = { 0, 0, 0, 0, 0, 0 };
    I = cdn_spatial_inertia_add(
        I, (cdn_spatial_inertia){ c->m[i], cdn_scale(c->m[i], p), cdn_inertia_shift(none, c->m[i], p) });
  }
  return I;
}

static void near_inertia(cdn_spatial_inertia a, cdn_spatial_inertia b, rng *r) {
  for (int i = 0; i < 6; i++) {
    const cdn_spatial V = random_spatial(r, 1);
    near_spatial(cdn_spatial_inertia_multiply(a, V), cdn_spatial_inertia_multiply(b, V), 10 * ROUNDING);
  }
}

START_TEST(inertias) {
  rng r = rng_of(1);
  for (int round = 0; round < 200; round++) {
    const cloud c = random_cloud(&r);
    const cdn_transform one = cdn_transform_identity(), X = random_frame(&r);
    const cdn_spatial_inertia I = inertia_of(&c, one);
    near_inertia(cdn_spatial_inertia_transform(X, I), inertia_of(&c, X), &r);
    near_inertia(cdn_spatial_inertia_shift(I, X.p), inertia_of(&c, (cdn_transform){ one.R, cdn_scale(-1, X.p) }), &r);
    near_inertia(cdn_spatial_inertia_from_mass(cdn_spatial_inertia_to_mass(I)), I, &r);
    /* momentum, energy and force particle by particle */
    const cdn_spatial V = random_spatial(&r, 1), A = random_spatial(&r, 1);
    cdn_spatial momentum = { { 0, 0, 0 }, { 0, 0, 0 } }, force = momentum;
    double energy = 0;
    for (int i = 0; i < PARTICLES; i++) {
      const cdn_vec3 v = cdn_spatial_shift_velocity(V, c.p[i]).v;
      const cdn_vec3 a = cdn_spatial_shift_acceleration(A, V.w, c.p[i]).v;
      momentum.v = cdn_add(momentum.v, cdn_scale(c.m[i], v));
      momentum.w = cdn_add(momentum.w, cdn_scale(c.m[i], cdn_cross(c.p[i], v)));
      force.v = cdn_add(force.v, cdn_scale(c.m[i], a));
      force.w = cdn_add(force.w, cdn_scale(c.m[i], cdn_cross(c.p[i], a)));
      energy += 0.5 * c.m[i] * cdn_dot(v, v);
    }
    near_spatial(cdn_spatial_inertia_multiply(I, V), momentum, ROUNDING);
    near_spatial(cdn_spatial_inertia_force(I, V, A), force, ROUNDING);
    NEAR(cdn_spatial_inertia_energy(I, V), energy, ROUNDING);
  }
}
END_TEST

/* Power does not depend on point and axes; transforms compose and their inverses undo them. */
START_TEST(vectors) {
  rng r = rng_of(2);
  for (int round = 0; round < 200; round++) {
    const cdn_transform X = random_frame(&r), Y = random_frame(&r);
    const cdn_spatial V = random_spatial(&r, 1), F = random_spatial(&r, 1), A = random_spatial(&r, 1);
    const cdn_vec3 p = random_vec3(&r, 1), q = random_vec3(&r, 1);
    const double power = cdn_spatial_dot(F, V);
    NEAR(cdn_spatial_dot(cdn_spatial_shift_force(F, p), cdn_spatial_shift_velocity(V, p)), power, ROUNDING);
    NEAR(cdn_spatial_dot(cdn_spatial_transform_force(X, F), cdn_spatial_transform_velocity(X, V)), power, ROUNDING);
    NEAR(cdn_spatial_dot(cdn_spatial_reexpress(X.R, F), cdn_spatial_reexpress(X.R, V)), power, ROUNDING);
    near_spatial(cdn_spatial_shift_velocity(cdn_spatial_shift_velocity(V, p), q),
                 cdn_spatial_shift_velocity(V, cdn_add(p, q)), ROUNDING);
    near_spatial(cdn_spatial_shift_acceleration(cdn_spatial_shift_acceleration(A, V.w, p), V.w, q),
                 cdn_spatial_shift_acceleration(A, V.w, cdn_add(p, q)), ROUNDING);
    const cdn_transform XY = cdn_transform_multiply(X, Y), back = cdn_transform_invert(X);
    near_spatial(cdn_spatial_transform_velocity(X, cdn_spatial_transform_velocity(Y, V)),
                 cdn_spatial_transform_velocity(XY, V), ROUNDING);
    near_spatial(cdn_spatial_transform_force(X, cdn_spatial_transform_force(Y, F)), cdn_spatial_transform_force(XY, F),
                 ROUNDING);
    near_spatial(
        cdn_spatial_transform_acceleration(back, cdn_spatial_transform_acceleration(X, A, V.w), cdn_rotate(X.R, V.w)),
        A, ROUNDING);
    /* a transform of an inertia is X* I X^-1 */
    const cdn_spatial_inertia I = cdn_spatial_inertia_from_mass(
        (cdn_mass_properties){ 1.3, random_vec3(&r, 1), { 0.3, 0.4, 0.5, 0.02, -0.03, 0.01 } });
    near_spatial(
        cdn_spatial_inertia_multiply(cdn_spatial_inertia_transform(X, I), V),
        cdn_spatial_transform_force(X, cdn_spatial_inertia_multiply(I, cdn_spatial_transform_velocity(back, V))),
        5 * ROUNDING);
    /* crosses: power is invariant, (V x U) . F + U . (V x* F) = 0, and Jacobi's identity */
    const cdn_spatial U = random_spatial(&r, 1), W = random_spatial(&r, 1);
    NEAR(cdn_spatial_dot(F, cdn_spatial_cross_motion(V, U)) + cdn_spatial_dot(cdn_spatial_cross_force(V, F), U), 0,
         ROUNDING);
    const cdn_spatial jacobi =
        cdn_spatial_add(cdn_spatial_cross_motion(U, cdn_spatial_cross_motion(V, W)),
                        cdn_spatial_add(cdn_spatial_cross_motion(V, cdn_spatial_cross_motion(W, U)),
                                        cdn_spatial_cross_motion(W, cdn_spatial_cross_motion(U, V))));
    near_spatial(jacobi, cdn_spatial_sub(V, V), ROUNDING);
    near_spatial(cdn_spatial_cross_motion(cdn_spatial_transform_velocity(X, U), cdn_spatial_transform_velocity(X, V)),
                 cdn_spatial_transform_velocity(X, cdn_spatial_cross_motion(U, V)), 5 * ROUNDING);
    near_spatial(cdn_spatial_cross_force(cdn_spatial_transform_velocity(X, U), cdn_spatial_transform_force(X, F)),
                 cdn_spatial_transform_force(X, cdn_spatial_cross_force(U, F)), 5 * ROUNDING);
    near_spatial(cdn_spatial_scale(-2, cdn_spatial_add(U, W)),
                 cdn_spatial_sub(cdn_spatial_scale(-2, U), cdn_spatial_scale(2, W)), ROUNDING);
  }
}
END_TEST

/* A body in the axes of another one: the first joint's motion of a chain of two, seen from in between. */
START_TEST(relative_motion) {
  rng r = rng_of(3);
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mass = (cdn_mass_properties){ 1, { 0.1, 0.2, 0.3 }, { 0.1, 0.1, 0.1, 0, 0, 0 } };
  def.mobilizer = CDN_FREE;
  const cdn_body a = cdn_system_add_body(system, &def);
  def.parent = a; /* frames are those of the bodies: X_FM = X_AB */
  const cdn_body b = cdn_system_add_body(system, &def);
  OK_FREEZE(system);
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  cdn_system_release(system);
  for (int round = 0; round < 50; round++) {
    set_random_qu(state, &r, 1);
    cdn_transform X_GA, X_GB;
    cdn_spatial V_GA, V_GB, A_GA, A_GB;
    OK_ON(state, cdn_body_pose(state, a, &X_GA));
    OK_ON(state, cdn_body_pose(state, b, &X_GB));
    OK_ON(state, cdn_body_velocity(state, a, &V_GA));
    OK_ON(state, cdn_body_velocity(state, b, &V_GB));
    OK_ON(state, cdn_body_acceleration(state, a, &A_GA));
    OK_ON(state, cdn_body_acceleration(state, b, &A_GB));
    cdn_spatial u, udot; /* the free mobilizer's speeds are V_FM, its udot A_FM */
    memcpy(&u, cdn_body_u(state, b), sizeof u);
    memcpy(&udot, cdn_state_udot(state) + 6, sizeof udot);
    near_spatial(cdn_relative_velocity(X_GA, V_GA, X_GB, V_GB), u, ROUNDING);
    near_spatial(cdn_relative_acceleration(X_GA, V_GA, A_GA, X_GB, V_GB, A_GB), udot, 1e-12);
  }
  cdn_state_destroy(state);
}
END_TEST

CHECK_MAIN("spatial", inertias, vectors, relative_motion)
