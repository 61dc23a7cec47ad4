/* A tension as forces on bodies, and the moments of a path: its length's derivatives by the coordinates. */
#include "matter/operators.h"
#include "paths/internal.h"

static void pull_at(const body_pose *pose, int body, v3 place, v3 force, sv *F) {
  if (body <= 0) return;
  const v3 r = v3_sub(place, pose[body].p_GM);
  F[body] = (sv){ v3_cross_add(r, force, F[body].w), v3_add(F[body].v, force) };
}

/* The pull of a gap at its ends, and the opposite of both at the obstacle: along the same lines. */
static void pull_gap(const path_gap *gap, const body_pose *pose, double tension, sv *F) {
  const double T = tension * gap->weight;
  const v3 at_P = v3_scale(T, gap->path.from_P), at_Q = v3_scale(-T, gap->path.to_Q);
  pull_at(pose, gap->body[0], gap->P, at_P, F);
  pull_at(pose, gap->body[2], gap->Q, at_Q, F);
  if (!gap->wraps) return;
  pull_at(pose, gap->body[1], gap->P, v3_neg(at_P), F);
  pull_at(pose, gap->body[1], gap->Q, v3_neg(at_Q), F);
}

void cdni_path_pull(const path_view *path, const body_pose *pose, double tension, sv *F, double *f) {
  for (int k = 0; k < path->n_gaps; k++) pull_gap(&path->gaps[k], pose, tension, F);
  for (int k = 0; k < path->n_coordinates; k++)
    f[path->coordinates[k].u] -= tension * path->coefficient[k * PATH_NUMBERS];
}

/* Subtracts the generalized forces of a force at a place of a body. */
static void push(const matter *m, const tree_data *d, int body, v3 place, v3 force, double *moments) {
  if (body <= 0) return;
  const v3 r = v3_sub(place, d->pose[body].p_GM);
  sv F = { v3_cross(r, force), force };
  for (int i = body; i > 0; i = m->tree.node[i].parent) {
    const tree_node *node = &m->tree.node[i];
    for (int k = 0; k < node->nu; k++) moments[node->u + k] -= sv_dot(cdni_hinge_column(node, d->H, k), F);
    F = sv_shift_force(F, d->pose[i].r);
  }
}

void cdni_path_add_moments(const matter *m, const tree_data *d, const path_view *path, double *moments) {
  for (int k = 0; k < path->n_gaps; k++) {
    const path_gap *gap = &path->gaps[k];
    const v3 at_P = v3_scale(gap->weight, gap->path.from_P), at_Q = v3_scale(-gap->weight, gap->path.to_Q);
    push(m, d, gap->body[0], gap->P, at_P, moments);
    push(m, d, gap->body[2], gap->Q, at_Q, moments);
    if (!gap->wraps) continue;
    push(m, d, gap->body[1], gap->P, v3_neg(at_P), moments);
    push(m, d, gap->body[1], gap->Q, v3_neg(at_Q), moments);
  }
  for (int k = 0; k < path->n_coordinates; k++) moments[path->coordinates[k].u] += path->coefficient[k * PATH_NUMBERS];
}
