/* Inverse dynamics and Jacobians against MuJoCo 2.2.2: how the forces that mj_inverse needs vary with accelerations,
 * where soft rows act; Jacobians of a subtree's centre of mass and of an axis; angular momenta of subtrees. What MuJoCo
 * 2.2.2 has no function for is compared with differences of our own. */
#include <stdlib.h>

#include "random_mjcf.h"
#include "step_rig.h"

enum { MOST = STEP_RIG_MOST };

static step_rig touching(cdn_soft_def *soft) {
  char text[5000];
  snprintf(text, sizeof text, step_rig_touching, 0.002, "Euler");
  *soft = cdn_default_soft_def();
  soft->rates = false, soft->tolerance = 1e-15, soft->shortest_time = 0.004;
  return step_rig_load("touching", text, soft);
}

static void ours_of(const step_rig *r, const double *theirs, double *ours) {
  mj_bridge_u_from_mujoco(&r->bridge, cdn_state_q(r->state), theirs, ours);
}

static void multiply(int rows, int n, const double *A, const double *x, double *y) {
  for (int i = 0; i < rows; i++) {
    y[i] = 0;
    for (int k = 0; k < n; k++) y[i] += A[i * n + k] * x[k];
  }
}

/* ---- inverse dynamics with soft rows ---- */

static void inverse_of_theirs(step_rig *r, const double *qacc, double *tau) {
  memcpy(r->d->qacc, qacc, (size_t)r->m->nv * sizeof *qacc);
  mj_inverse(r->m, r->d);
  ours_of(r, r->d->qfrc_inverse, tau);
}

START_TEST(forces_by_accelerations_are_mujocos) {
  cdn_soft_def soft;
  step_rig r = touching(&soft);
  const int nv = r.m->nv;
  uint64_t rng = 3;
  double worst = 0, rows = 0;
  for (int i = 0; i < 30; i++) {
    double qacc[MOST], udot[MOST], tau[3][MOST], column[MOST], one[MOST], M[MOST * MOST], size = 0, off = 0;
    step_rig_draw(&r, &rng, 0.7, 1);
    for (int k = 0; k < nv; k++) qacc[k] = random_uniform(&rng, -5, 5);
    ours_of(&r, qacc, udot);
    OK_ON(r.state, cdn_soft_inverse_dynamics_derivatives(r.state, udot, NULL, NULL, NULL, M));
    for (int k = 0; k < nv * nv; k++) size = fmax(size, fabs(M[k]));
    for (int k = 0; k < nv; k++) {
      /* pieces are quadratic but for the cone's middle zone; a step that meets a bend is not counted */
      double e[MOST] = { 0 };
      const double h = 1e-5, now = qacc[k];
      inverse_of_theirs(&r, qacc, tau[0]);
      qacc[k] = now + h;
      inverse_of_theirs(&r, qacc, tau[1]);
      qacc[k] = now - h;
      inverse_of_theirs(&r, qacc, tau[2]);
      qacc[k] = now;
      rows += r.d->nefc;
      e[k] = 1;
      ours_of(&r, e, one);
      multiply(nv, nv, M, one, column);
      double bend = 0, here = 0;
      for (int j = 0; j < nv; j++) {
        bend = fmax(bend, fabs(tau[1][j] + tau[2][j] - 2 * tau[0][j]) / (2 * h));
        here = fmax(here, fabs((tau[1][j] - tau[2][j]) / (2 * h) - column[j]));
      }
      if (bend < 1e-4 * size) off = fmax(off, here);
    }
    worst = fmax(worst, off / size);
  }
  printf("dtau / dudot: worst %.2g of the largest, %.1f rows\n", worst, rows / (30 * nv));
  ck_assert(rows > 0);
  AT_MOST(worst, 1e-7); /* differences of forces of a thousand times 1e-16, over 1e-5 */
  step_rig_drop(&r);
}
END_TEST

/* cdn_residual less cdn_soft_forces. */
static void inverse_of_ours(cdn_state *state, int nu, const double *udot, double *tau) {
  double f[MOST];
  OK_ON(state, cdn_residual(state, udot, tau));
  OK_ON(state, cdn_soft_forces(state, udot, f));
  for (int k = 0; k < nu; k++) tau[k] -= f[k];
}

START_TEST(forces_by_q_and_u_are_differences) {
  cdn_soft_def soft;
  step_rig r = touching(&soft);
  const int nu = r.m->nv;
  uint64_t rng = 11;
  int near = 0, all = 0;
  for (int i = 0; i < 20; i++) {
    double udot[MOST], by[2][MOST * MOST], plus[MOST], minus[MOST], q[MOST], u[MOST], v[MOST], size = 0;
    step_rig_draw(&r, &rng, 0.7, 1);
    for (int k = 0; k < nu; k++) udot[k] = random_uniform(&rng, -5, 5);
    OK_ON(r.state, cdn_soft_inverse_dynamics_derivatives(r.state, udot, by[0], by[1], NULL, NULL));
    for (int k = 0; k < nu * nu; k++) size = fmax(size, fmax(fabs(by[0][k]), fabs(by[1][k])));
    memcpy(q, cdn_state_q(r.state), (size_t)cdn_system_nq(cdn_state_system(r.state)) * sizeof *q);
    memcpy(u, cdn_state_u(r.state), (size_t)nu * sizeof *u);
    for (int which = 0; which < 2; which++)
      for (int k = 0; k < nu; k++) {
        const double h = 1e-6;
        double off = 0;
        for (int side = 0; side < 2; side++) {
          const double d = side ? -h : h;
          OK_ON(r.state, cdn_state_set_q(r.state, q));
          OK_ON(r.state, cdn_state_set_u(r.state, u));
          if (which == 0) {
            double unit[MOST] = { 0 };
            unit[k] = 1;
            OK_ON(r.state, cdn_displace(r.state, 1, unit, &d, NULL));
          } else {
            memcpy(v, u, sizeof v);
            v[k] += d;
            OK_ON(r.state, cdn_state_set_u(r.state, v));
          }
          inverse_of_ours(r.state, nu, udot, side ? minus : plus);
        }
        for (int j = 0; j < nu; j++) off = fmax(off, fabs((plus[j] - minus[j]) / (2 * h) - by[which][j * nu + k]));
        near += off < 1e-5 * size, all++;
      }
  }
  /* where a row changes its piece within the step the two are off */
  ck_assert_msg(near > 0.97 * all, "%d of %d columns", near, all);
  step_rig_drop(&r);
}
END_TEST

/* ---- of steps of equal size ---- */

/* Of a smooth model every column; with soft rows all but those that meet a bend within the step of differences. */
static void compare_steps(step_rig *of, double limit, double part) {
  static const cdn_method methods[] = { CDN_METHOD_MUJOCO_EULER, CDN_METHOD_MUJOCO_IMPLICIT,
                                        CDN_METHOD_MUJOCO_IMPLICIT_FAST, CDN_METHOD_SEMI_EXPLICIT_EULER };
  step_rig r = *of;
  const cdn_system *system = cdn_state_system(r.state);
  const int nu = cdn_system_nu(system), nz = cdn_system_nz(system), n = 2 * nu + nz;
  uint64_t rng = 21;
  int near = 0, all = 0;
  for (int i = 0; i < 8; i++) {
    static double X[MOST * 3 * MOST], U[MOST * MOST];
    double next[MOST], q[MOST], u[MOST], z[MOST], plus[MOST], minus[MOST], size[2] = { 0, 0 };
    const double h = r.m->opt.timestep, d = 6e-6;
    step_rig_draw(&r, &rng, 0.7, 2);
    memcpy(q, cdn_state_q(r.state), (size_t)cdn_system_nq(system) * sizeof *q);
    memcpy(u, cdn_state_u(r.state), (size_t)nu * sizeof *u);
    if (nz > 0) memcpy(z, cdn_state_z(r.state), (size_t)nz * sizeof *z);
    for (int k = 0; k < nu; k++) next[k] = u[k] + random_uniform(&rng, -0.1, 0.1);
    OK_ON(r.state, cdn_step_inverse_derivatives(r.state, methods[i % 4], h, next, X, U));
    for (int k = 0; k < nu * n; k++) size[0] = fmax(size[0], fabs(X[k]));
    for (int k = 0; k < nu * nu; k++) size[1] = fmax(size[1], fabs(U[k]));
    for (int k = 0; k < n + nu; k++) {
      for (int side = 0; side < 2; side++) {
        const double by = side ? -d : d;
        double to[MOST], unit[MOST] = { 0 };
        memcpy(to, next, sizeof to);
        OK_ON(r.state, cdn_state_set_q(r.state, q));
        OK_ON(r.state, cdn_state_set_u(r.state, u));
        if (nz > 0) OK_ON(r.state, cdn_state_set_slots(r.state, CDN_POOL_Z, 0, nz, z));
        if (k < nu) {
          unit[k] = 1;
          OK_ON(r.state, cdn_displace(r.state, 1, unit, &by, NULL));
        } else if (k < 2 * nu)
          OK_ON(r.state, cdn_state_set_slots(r.state, CDN_POOL_U, k - nu, 1, &(double){ u[k - nu] + by }));
        else if (k < n)
          OK_ON(r.state, cdn_state_set_slots(r.state, CDN_POOL_Z, k - 2 * nu, 1, &(double){ z[k - 2 * nu] + by }));
        else to[k - n] += by;
        OK_ON(r.state, cdn_step_inverse_dynamics(r.state, methods[i % 4], h, to, side ? minus : plus));
      }
      double off = 0;
      for (int j = 0; j < nu; j++) {
        const double slope = (plus[j] - minus[j]) / (2 * d), ours = k < n ? X[j * n + k] : U[j * nu + k - n];
        off = fmax(off, fabs(slope - ours));
      }
      near += off <= limit * size[k >= n], all++;
    }
  }
  ck_assert_msg(near >= part * all, "%s: %d of %d columns", r.name, near, all);
}

START_TEST(forces_of_steps_vary_as_differences_do) {
  char text[5000];
  cdn_soft_def soft;
  snprintf(text, sizeof text, step_rig_smooth, 0.01, "Euler");
  step_rig smooth = step_rig_load("smooth", text, NULL), touch = touching(&soft);
  compare_steps(&smooth, 1e-7, 1); /* a condition of some hundreds, times 1e-10 */
  compare_steps(&touch, 1e-5, 0.97);
  step_rig_drop(&smooth), step_rig_drop(&touch);
}
END_TEST

/* ---- Jacobians ---- */

START_TEST(jacobians_are_mujocos) {
  char text[5000];
  snprintf(text, sizeof text, step_rig_smooth, 0.01, "Euler");
  step_rig r = step_rig_load("smooth", text, NULL);
  const cdn_system *system = cdn_state_system(r.state);
  const int nv = r.m->nv;
  uint64_t rng = 17;
  for (int i = 0; i < 10; i++) {
    step_rig_draw(&r, &rng, 0.7, 2);
    mj_forward(r.m, r.d);
    mj_subtreeVel(r.m, r.d);
    for (int b = 1; b < r.m->nbody; b++) {
      const cdn_body body = cdn_system_find_body(system, mj_id2name(r.m, mjOBJ_BODY, b));
      ck_assert_int_ge(body.i, 0);
      double J[3 * MOST], H[3 * MOST], P[3 * MOST], A[3 * MOST], com[3 * MOST], point[3 * MOST], axis[3 * MOST], Hu[3];
      cdn_transform X;
      const cdn_vec3 p_B = cdn_v3(0.1, -0.2, 0.3), a_B = cdn_v3(0.3, 0.5, -2);
      OK_ON(r.state, cdn_calc_subtree_center_J(r.state, body, J));
      OK_ON(r.state, cdn_calc_subtree_momentum_matrix(r.state, body, H));
      OK_ON(r.state, cdn_calc_station_J(r.state, 1, &body, &p_B, P));
      OK_ON(r.state, cdn_calc_axis_J(r.state, 1, &body, &a_B, A));
      OK_ON(r.state, cdn_body_pose(r.state, body, &X));
      const cdn_vec3 p = cdn_transform_point(X, p_B), a = cdn_rotate(X.R, a_B);
      mj_jacSubtreeCom(r.m, r.d, com, b);
      mj_jacPointAxis(r.m, r.d, point, axis, (const double[]){ p.x, p.y, p.z }, (const double[]){ a.x, a.y, a.z }, b);
      for (int k = 0; k < nv; k++) {
        double e[MOST] = { 0 }, one[MOST], y[3];
        e[k] = 1;
        ours_of(&r, e, one);
        multiply(3, nv, J, one, y);
        for (int j = 0; j < 3; j++) NEAR(y[j], com[j * nv + k], 1e-13);
        multiply(3, nv, P, one, y);
        for (int j = 0; j < 3; j++) NEAR(y[j], point[j * nv + k], 1e-13);
        multiply(3, nv, A, one, y);
        for (int j = 0; j < 3; j++) NEAR(y[j], axis[j * nv + k], 1e-13);
      }
      multiply(3, nv, H, cdn_state_u(r.state), Hu);
      for (int j = 0; j < 3; j++) NEAR(Hu[j], r.d->subtree_angmom[3 * b + j], 1e-11); /* of some ten kg m^2/s */
    }
    /* of all bodies it is the centroidal momentum matrix */
    double all[3 * MOST], G[6 * MOST];
    OK_ON(r.state, cdn_calc_subtree_momentum_matrix(r.state, (cdn_body){ 0 }, all));
    OK_ON(r.state, cdn_calc_centroidal_momentum_matrix(r.state, G));
    for (int k = 0; k < 3 * nv; k++) NEAR(all[k], G[k], 1e-12);
  }
  double J[3 * MOST];
  FAILS(cdn_calc_subtree_center_J(r.state, (cdn_body){ 99 }, J), CDN_ERR_ARG);
  step_rig_drop(&r);
}
END_TEST

CHECK_MAIN("mujoco inverse", forces_by_accelerations_are_mujocos, forces_by_q_and_u_are_differences,
           forces_of_steps_vary_as_differences_do, jacobians_are_mujocos)
