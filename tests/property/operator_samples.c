/* shared by tests in this folder */
#include "operator_samples.h"

void on_trees(check_sample *check, int most_bodies, bool with_forces) {
  static const int sizes[] = { 1, 1, 1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 5, 6, 7, 8, 10, 13, 17, 22, 30, 40 };
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
    for (uint64_t seed = 1; seed <= 6; seed++) {
      if (sizes[i] > most_bodies) continue;
      tree_options options = { .bodies = sizes[i], .shape = 100 * i + seed, .numbers = seed, .forces = with_forces };
      random_tree tree = make_random_tree(&options);
      sample s = { .state = random_tree_state(&tree, seed), .r = rng_of(seed) };
      s.naive = naive_of(s.state);
      s.nq = cdn_system_nq(tree.system), s.nu = cdn_system_nu(tree.system), s.nb = s.naive.nb;
      check(&s);
      naive_free(&s.naive);
      cdn_state_destroy(s.state);
    }
}

void near_vec3(cdn_vec3 a, cdn_vec3 b, double tolerance) {
  NEAR(a.x, b.x, tolerance);
  NEAR(a.y, b.y, tolerance);
  NEAR(a.z, b.z, tolerance);
}

void near_spatial(cdn_spatial a, cdn_spatial b, double tolerance) {
  near_vec3(a.w, b.w, tolerance);
  near_vec3(a.v, b.v, tolerance);
}

cdn_spatial spatial_sum(cdn_spatial a, cdn_spatial b) {
  cdn_spatial sum = { cdn_add(a.w, b.w), cdn_add(a.v, b.v) };
  return sum;
}

cdn_spatial motion_at(cdn_spatial V, cdn_vec3 p) {
  V.v = cdn_add(V.v, cdn_cross(V.w, p));
  return V;
}

cdn_spatial force_at(cdn_spatial F, cdn_vec3 p) {
  F.w = cdn_sub(F.w, cdn_cross(p, F.v));
  return F;
}

double spatial_size(cdn_spatial a) { return cdn_norm(a.w) + cdn_norm(a.v); }

void dense_mul(const double *A, int rows, int columns, const double *x, double *y, double *size) {
  for (int i = 0; i < rows; i++) {
    double sum = 0, magnitude = 0;
    for (int j = 0; j < columns; j++) {
      sum += A[i * columns + j] * x[j];
      magnitude += fabs(A[i * columns + j] * x[j]);
    }
    y[i] = sum;
    if (size) size[i] = magnitude;
  }
}

void dense_tmul(const double *A, int rows, int columns, const double *x, double *y, double *size) {
  for (int j = 0; j < columns; j++) {
    double sum = 0, magnitude = 0;
    for (int i = 0; i < rows; i++) {
      sum += A[i * columns + j] * x[i];
      magnitude += fabs(A[i * columns + j] * x[i]);
    }
    y[j] = sum;
    if (size) size[j] = magnitude;
  }
}

cdn_spatial naive_point_acceleration(const sample *s, int b, cdn_vec3 arm, const double *udot, double *size) {
  const naive_body *B = &s->naive.body[b];
  double zero[MOST_NU] = { 0 };
  cdn_vec3 w = B->V_GB.w;
  cdn_spatial A = motion_at(naive_acceleration(&s->naive, b, udot ? udot : zero), arm);
  A.v = cdn_add(A.v, cdn_cross(w, cdn_cross(w, arm)));
  double length = cdn_norm(arm);
  *size = B->rise * (1 + length) + cdn_dot(w, w) * length + B->speed * B->speed * length;
  for (int k = 0; udot && k < s->nu; k++)
    *size += fabs(udot[k]) * spatial_size(s->naive.J[b * s->nu + k]) * (1 + length);
  return A;
}
