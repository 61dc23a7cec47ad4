/* shared by tests in this folder */
#include "naive_tree.h"

#include "own_mobilizers.h"

static cdn_vec3 inertia_times(cdn_inertia I, cdn_vec3 v) {
  return cdn_v3(I.xx * v.x + I.xy * v.y + I.xz * v.z, I.xy * v.x + I.yy * v.y + I.yz * v.z,
                I.xz * v.x + I.yz * v.y + I.zz * v.z);
}

static double size_of(cdn_vec3 v) { return sqrt(cdn_dot(v, v)); }

/* The same motion seen at a point further by p: v + w x p. */
static cdn_spatial at(cdn_spatial V, cdn_vec3 p) {
  V.v = cdn_add(V.v, cdn_cross(V.w, p));
  return V;
}

static cdn_spatial turned(cdn_rotation R, cdn_spatial a) {
  return (cdn_spatial){ cdn_rotate(R, a.w), cdn_rotate(R, a.v) };
}

static void add_body(naive_tree *t, const cdn_state *state, int b) {
  const cdn_system *system = cdn_state_system(state);
  cdn_body body = { b }, parent = cdn_body_parent(system, body);
  const double *q = cdn_body_q(state, body);
  const double *u = cdn_body_u(state, body);
  const naive_body *P = &t->body[parent.i];
  naive_body *B = &t->body[b];

  cdn_transform X_GF = cdn_transform_multiply(P->X_GB, cdn_body_X_PF(state, body));
  across_truth across = truth_across(state, body, q, u);
  cdn_transform X_GM = cdn_transform_multiply(X_GF, across.X);
  B->X_GB = cdn_transform_multiply(X_GM, cdn_transform_invert(cdn_body_X_BM(state, body)));
  cdn_vec3 p_PM = cdn_sub(X_GM.p, P->X_GB.p), p_MB = cdn_sub(B->X_GB.p, X_GM.p), p_PB = cdn_add(p_PM, p_MB);

  /* The Jacobian's rows: the parent's, carried over, and the mobilizer's own columns. */
  int first = cdn_body_first_u(system, body);
  for (int k = 0; k < t->nu; k++) t->J[b * t->nu + k] = at(t->J[parent.i * t->nu + k], p_PB);
  for (int k = 0; k < cdn_body_nu(system, body); k++) {
    double unit[6] = { 0 };
    unit[k] = 1;
    cdn_spatial H = turned(X_GF.R, truth_across(state, body, q, unit).V);
    t->J[b * t->nu + first + k] = at(H, p_MB);
    t->armature[first + k] = cdn_body_armature(state, body);
  }
  cdn_spatial V_FM = turned(X_GF.R, across.V), A_FM = turned(X_GF.R, across.A);
  cdn_vec3 w = P->V_GB.w;
  B->V_GB.w = cdn_add(w, V_FM.w);
  B->V_GB.v = cdn_add(cdn_add(P->V_GB.v, cdn_cross(w, p_PM)), cdn_add(V_FM.v, cdn_cross(B->V_GB.w, p_MB)));
  B->speed =
      P->speed + size_of(w) * size_of(p_PM) + size_of(V_FM.v) + size_of(B->V_GB.w) * size_of(p_MB) + size_of(V_FM.w);

  /* Accelerations at udot = 0: what turns with the parent, Coriolis, and centripetal to B's origin. */
  cdn_vec3 alpha = P->A0.w, wB = B->V_GB.w;
  B->A0.w = cdn_add(cdn_add(alpha, A_FM.w), cdn_cross(w, V_FM.w));
  cdn_vec3 a_M = cdn_add(P->A0.v, cdn_add(cdn_cross(alpha, p_PM), cdn_cross(w, cdn_cross(w, p_PM))));
  a_M = cdn_add(cdn_add(a_M, A_FM.v), cdn_scale(2, cdn_cross(w, V_FM.v)));
  B->A0.v = cdn_add(a_M, cdn_add(cdn_cross(B->A0.w, p_MB), cdn_cross(wB, cdn_cross(wB, p_MB))));
  B->rise = P->rise + size_of(alpha) * size_of(p_PM) + cdn_dot(w, w) * size_of(p_PM) + size_of(A_FM.w) +
            size_of(A_FM.v) + 2 * size_of(w) * size_of(V_FM.v) + size_of(w) * size_of(V_FM.w) +
            size_of(B->A0.w) * size_of(p_MB) + cdn_dot(wB, wB) * size_of(p_MB) +
            size_of(V_FM.w) * (size_of(V_FM.w) * size_of(across.X.p) + size_of(V_FM.v));

  cdn_mass_properties m = cdn_body_mass_properties(state, body);
  B->mass = m.mass;
  B->p_BC_G = cdn_rotate(B->X_GB.R, m.com);
  B->I_G = cdn_inertia_reexpress(B->X_GB.R, m.inertia);
}

naive_tree naive_of(const cdn_state *state) {
  const cdn_system *system = cdn_state_system(state);
  naive_tree t = { .nb = cdn_system_body_count(system), .nu = cdn_system_nu(system) };
  t.body = calloc((size_t)t.nb, sizeof *t.body);
  t.J = calloc((size_t)t.nb * (size_t)(t.nu + 1), sizeof *t.J);
  t.armature = calloc((size_t)t.nu + 1, sizeof *t.armature);
  t.body[0].X_GB = cdn_transform_identity();
  for (int b = 1; b < t.nb; b++) add_body(&t, state, b);
  return t;
}

void naive_free(naive_tree *t) {
  free(t->body);
  free(t->J);
  free(t->armature);
}

cdn_spatial naive_acceleration(const naive_tree *t, int body, const double *udot) {
  cdn_spatial A = t->body[body].A0;
  for (int k = 0; k < t->nu; k++) {
    A.w = cdn_add(A.w, cdn_scale(udot[k], t->J[body * t->nu + k].w));
    A.v = cdn_add(A.v, cdn_scale(udot[k], t->J[body * t->nu + k].v));
  }
  return A;
}

void naive_inverse_dynamics(const naive_tree *t, const double *udot, const cdn_spatial *F, const double *f_mob,
                            double *f, double *size) {
  for (int k = 0; k < t->nu; k++) {
    f[k] = (udot ? t->armature[k] * udot[k] : 0) - (f_mob ? f_mob[k] : 0);
    if (size) size[k] = (udot ? t->armature[k] * fabs(udot[k]) : 0) + (f_mob ? fabs(f_mob[k]) : 0);
  }
  for (int b = 1; b < t->nb; b++) {
    const naive_body *B = &t->body[b];
    cdn_spatial A = B->A0;
    double rise = B->rise;
    for (int k = 0; udot && k < t->nu; k++) {
      const cdn_spatial *J = &t->J[b * t->nu + k];
      A.w = cdn_add(A.w, cdn_scale(udot[k], J->w));
      A.v = cdn_add(A.v, cdn_scale(udot[k], J->v));
      rise += fabs(udot[k]) * (size_of(J->w) + size_of(J->v));
    }
    /* Newton at the centre of mass, Euler about it */
    cdn_vec3 w = B->V_GB.w, c = B->p_BC_G;
    cdn_vec3 a_C = cdn_add(A.v, cdn_add(cdn_cross(A.w, c), cdn_cross(w, cdn_cross(w, c))));
    cdn_vec3 force = cdn_scale(B->mass, a_C);
    cdn_vec3 moment = cdn_add(inertia_times(B->I_G, A.w), cdn_cross(w, inertia_times(B->I_G, w)));
    double trace = B->I_G.xx + B->I_G.yy + B->I_G.zz, whirl = rise + cdn_dot(w, w);
    for (int k = 0; k < t->nu; k++) {
      cdn_spatial J_C = at(t->J[b * t->nu + k], c), J_B = t->J[b * t->nu + k];
      f[k] += cdn_dot(J_C.w, moment) + cdn_dot(J_C.v, force);
      if (F) f[k] -= cdn_dot(J_B.w, F[b].w) + cdn_dot(J_B.v, F[b].v);
      if (!size) continue;
      size[k] += size_of(J_C.w) * trace * whirl + size_of(J_C.v) * B->mass * whirl * (1 + size_of(c));
      if (F) size[k] += size_of(J_B.w) * size_of(F[b].w) + size_of(J_B.v) * size_of(F[b].v);
    }
  }
}

void naive_mass_matrix(const naive_tree *t, double *M) {
  for (int i = 0; i < t->nu; i++)
    for (int j = 0; j < t->nu; j++) M[i * t->nu + j] = i == j ? t->armature[i] : 0;
  for (int b = 1; b < t->nb; b++)
    for (int i = 0; i < t->nu; i++) {
      cdn_spatial Ji = at(t->J[b * t->nu + i], t->body[b].p_BC_G);
      if (cdn_dot(Ji.w, Ji.w) + cdn_dot(Ji.v, Ji.v) == 0) continue; /* not a mobility of b's path to Ground */
      cdn_vec3 moment = inertia_times(t->body[b].I_G, Ji.w), force = cdn_scale(t->body[b].mass, Ji.v);
      for (int j = 0; j < t->nu; j++) {
        cdn_spatial Jj = at(t->J[b * t->nu + j], t->body[b].p_BC_G);
        M[i * t->nu + j] += cdn_dot(Jj.w, moment) + cdn_dot(Jj.v, force);
      }
    }
}

cdn_spatial naive_momentum(const naive_tree *t) {
  cdn_spatial P = { { 0, 0, 0 }, { 0, 0, 0 } };
  for (int b = 1; b < t->nb; b++) {
    const naive_body *B = &t->body[b];
    cdn_spatial V = at(B->V_GB, B->p_BC_G);
    cdn_vec3 linear = cdn_scale(B->mass, V.v);
    cdn_vec3 arm = cdn_add(B->X_GB.p, B->p_BC_G);
    P.v = cdn_add(P.v, linear);
    P.w = cdn_add(P.w, cdn_add(inertia_times(B->I_G, V.w), cdn_cross(arm, linear)));
  }
  return P;
}

cdn_vec3 naive_center_of_mass(const naive_tree *t) {
  double mass = 0;
  cdn_vec3 sum = cdn_v3(0, 0, 0);
  for (int b = 1; b < t->nb; b++) {
    mass += t->body[b].mass;
    sum = cdn_add(sum, cdn_scale(t->body[b].mass, cdn_add(t->body[b].X_GB.p, t->body[b].p_BC_G)));
  }
  return cdn_scale(1 / mass, sum);
}
