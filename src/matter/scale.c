#include "matter/scale.h"

#include <math.h>
#include <stdlib.h>

#include "matter/operators.h"

/* The size of a body about its origin: radius of gyration and centre of mass. */
static double size_of_body(const cdn_state *state, int b) {
  const cdn_mass_properties p = cdn_body_mass_properties(state, (cdn_body){ b });
  const double trace = p.inertia.xx + p.inertia.yy + p.inertia.zz;
  return p.mass > 0 ? fmax(sqrt(fmax(0, trace) / (2 * p.mass)), cdn_norm(p.com)) : 0;
}

double cdni_matter_length(const matter *m, cdn_state *state) {
  const body_pose *pose = cdni_matter_pose(m, state);
  const int n = m->tree.n - 1;
  double links = 0, sizes = 0, spread = 0;
  int n_links = 0;
  v3 middle = v3_zero();
  if (!pose || n == 0) return 0;
  for (int b = 1; b <= n; b++) {
    const double size = size_of_body(state, b), link = v3_norm(pose[b].r);
    sizes += size * size;
    if (m->tree.node[b].parent > 0) links += link * link, n_links++;
    middle = v3_fma(1.0 / n, pose[b].p_GM, middle);
  }
  for (int b = 1; b <= n; b++) {
    const v3 away = v3_sub(pose[b].p_GM, middle);
    spread += v3_dot(away, away);
  }
  double length = fmax(sqrt(sizes / n), sqrt(spread / n) / cbrt(n));
  if (n_links > 0) length = fmax(length, sqrt(links / n_links));
  return length > 0 ? length : v3_norm(middle);
}

double cdni_matter_reach(const matter *m, cdn_state *state) {
  const body_pose *pose = cdni_matter_pose(m, state);
  double reach = 0;
  for (int b = 1; pose && b < m->tree.n; b++) reach = fmax(reach, v3_norm(pose[b].p_GM));
  return reach;
}

static int by_x(const void *a, const void *b) {
  const double *p = a, *q = b;
  return (p[0] > q[0]) - (p[0] < q[0]);
}

double cdni_matter_nearest_points(const matter *m, cdn_state *state, double *work) {
  const body_pose *pose = cdni_matter_pose(m, state);
  size_t n = 0;
  for (int b = 1; pose && b < m->tree.n; b++) {
    if (!(cdn_body_mass_properties(state, (cdn_body){ b }).mass > 0) || size_of_body(state, b) > 0) continue;
    const cdn_vec3 p = cdni_from_v3(pose[b].p_GM);
    double *at = work + 3 * n++;
    at[0] = p.x, at[1] = p.y, at[2] = p.z;
  }
  if (n > 1) qsort(work, n, 3 * sizeof *work, by_x);
  double least = INFINITY;
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n && work[3 * j] - work[3 * i] < least; j++) {
      const double *p = work + 3 * i, *q = work + 3 * j;
      const double d = hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]);
      if (d > 0 && d < least) least = d;
    }
  return least;
}

double cdni_matter_displacement(const matter *m, const cdn_state *state, const cdn_spatial *V, double length) {
  double most = 0;
  for (int b = 1; b < m->tree.n; b++) {
    const double turn = cdn_norm(V[b].w), way = cdn_norm(V[b].v) + turn * size_of_body(state, b);
    most = fmax(most, fmax(turn, way / length));
  }
  return most;
}

double cdni_matter_unit(const matter *m, const cdn_state *state, int b, int k, double length) {
  const sv h = cdni_hinge_column(&m->tree.node[b], cdni_matter_data(m, state).H, k);
  const double moves = fmax(v3_norm(h.w), length > 0 ? v3_norm(h.v) / length : 0);
  return moves > 0 ? 1 / moves : 1;
}

void cdni_matter_units(const matter *m, const cdn_state *state, double length, double *unit) {
  for (int b = 1; b < m->tree.n; b++)
    for (int k = 0; k < m->tree.node[b].nu; k++) unit[m->tree.node[b].u + k] = cdni_matter_unit(m, state, b, k, length);
}
