/* A tension as forces on bodies, and the moments of a path: its length's derivatives by the coordinates; and how they
 * change with time. */
#include "matter/operators.h"
#include "paths/internal.h"

static void pull_at(const body_pose *pose, int body, v3 place, v3 force, sv *F) {
  if (body <= 0) return;
  const v3 r = v3_sub(place, pose[body].p_GM);
  F[body] = (sv){ v3_cross_add(r, force, F[body].w), v3_add(F[body].v, force) };
}

/* A force on one body and its opposite on another, along the same line. */
static void pull_between(const body_pose *pose, int a, int b, v3 place, v3 force, sv *F) {
  if (a == b) return;
  pull_at(pose, a, place, force, F);
  pull_at(pose, b, place, v3_neg(force), F);
}

/* The pull of a gap at its ends; where it wraps the opposite of both is at the obstacle. */
static void pull_gap(const path_gap *gap, const body_pose *pose, double tension, sv *F) {
  const double T = tension * gap->weight;
  const v3 at_P = v3_scale(T, gap->path.from_P);
  if (!gap->wraps) {
    pull_between(pose, gap->body[0], gap->body[2], gap->P, at_P, F);
    return;
  }
  pull_between(pose, gap->body[0], gap->body[1], gap->P, at_P, F);
  pull_between(pose, gap->body[2], gap->body[1], gap->Q, v3_scale(-T, gap->path.to_Q), F);
}

void cdni_path_pull(const path_view *path, const body_pose *pose, double tension, sv *F, double *f) {
  for (int k = 0; k < path->n_gaps; k++) pull_gap(&path->gaps[k], pose, tension, F);
  for (int k = 0; k < path->n_coordinates; k++)
    f[path->coordinates[k].u] -= tension * path->coefficient[k * PATH_NUMBERS];
}

/* Subtracts the generalized forces of a force on body a and of its opposite on body b, along the same line: joints that
 * carry both bodies do not feel them. */
static void push_between(const matter *m, const tree_data *d, int a, int b, v3 place, v3 force, double *moments) {
  int at[2] = { a, b };
  sv F[2];
  for (int s = 0; s < 2; s++) {
    const v3 f = s ? v3_neg(force) : force;
    F[s] = (sv){ v3_cross(v3_sub(place, d->pose[at[s]].p_GM), f), f };
  }
  while (at[0] != at[1]) {
    const int s = at[1] > at[0];
    const tree_node *node = &m->tree.node[at[s]];
    for (int k = 0; k < node->nu; k++) moments[node->u + k] -= sv_dot(cdni_hinge_column(node, d->H, k), F[s]);
    F[s] = sv_shift_force(F[s], d->pose[at[s]].r);
    at[s] = node->parent;
  }
}

void cdni_path_add_moments(const matter *m, const tree_data *d, const path_view *path, double *moments) {
  for (int k = 0; k < path->n_gaps; k++) {
    const path_gap *gap = &path->gaps[k];
    const v3 at_P = v3_scale(gap->weight, gap->path.from_P);
    if (!gap->wraps) {
      push_between(m, d, gap->body[0], gap->body[2], gap->P, at_P, moments);
      continue;
    }
    push_between(m, d, gap->body[0], gap->body[1], gap->P, at_P, moments);
    push_between(m, d, gap->body[2], gap->body[1], gap->Q, v3_scale(-gap->weight, gap->path.to_Q), moments);
  }
  for (int k = 0; k < path->n_coordinates; k++) moments[path->coordinates[k].u] += path->coefficient[k * PATH_NUMBERS];
}

/* ---- as rows ---- */

static bool add_row(const body_pose *pose, int body, v3 place, v3 force, path_rows *rows) {
  if (body <= 0) return true;
  int i = 0;
  while (i < rows->n && rows->body[i] != body) i++;
  if (i == PATH_MOST_BODIES) return false;
  if (i == rows->n) rows->body[i] = body, rows->row[i] = sv_zero(), rows->n++;
  const v3 r = v3_sub(place, pose[body].p_GM);
  rows->row[i] = (sv){ v3_cross_add(r, force, rows->row[i].w), v3_add(rows->row[i].v, force) };
  return true;
}

bool cdni_path_add_rows(const path_view *path, const body_pose *pose, double scale, path_rows *rows) {
  bool good = true;
  for (int k = 0; k < path->n_gaps && good; k++) {
    const path_gap *gap = &path->gaps[k];
    const double s = scale * gap->weight;
    const v3 at_P = v3_scale(-s, gap->path.from_P), at_Q = v3_scale(s, gap->path.to_Q);
    good = add_row(pose, gap->body[0], gap->P, at_P, rows) && add_row(pose, gap->body[2], gap->Q, at_Q, rows);
    if (gap->wraps && good)
      good = add_row(pose, gap->body[1], gap->P, v3_neg(at_P), rows) &&
             add_row(pose, gap->body[1], gap->Q, v3_neg(at_Q), rows);
  }
  return good;
}

/* ---- how they change ---- */

static m3 in_ground(m3 R, m3 A) { return m3_mul_m3(m3_mul_m3(R, A), m3_transpose(R)); }

void cdni_gap_bend(const path_gap *gap, wrap_bend *bend) {
  wrap_path again;
  (void)cdni_wrap(&gap->around, m3_tmul(gap->R, v3_sub(gap->P, gap->O)), m3_tmul(gap->R, v3_sub(gap->Q, gap->O)),
                  &again, bend);
  *bend = (wrap_bend){ in_ground(gap->R, bend->PP), in_ground(gap->R, bend->PQ), in_ground(gap->R, bend->QQ) };
}

/* Velocity and centripetal acceleration of a body at a place. */
typedef struct carried {
  v3 v, a;
} carried;

static carried carry(const body_pose *pose, const body_twist *twist, int body, v3 place) {
  const v3 r = v3_sub(place, pose[body].p_GM), w = twist[body].V.w;
  return (carried){ v3_cross_add(w, r, twist[body].V.v), v3_cross(w, v3_cross(w, r)) };
}

static double bias_of_straight(const path_gap *gap, carried P, carried Q) {
  const v3 n = gap->path.to_Q, e = v3_sub(Q.v, P.v);
  const double along = v3_dot(n, e), across = v3_dot(e, e) - along * along;
  return v3_dot(n, v3_sub(Q.a, P.a)) + (gap->path.length > 0 ? across / gap->path.length : 0);
}

/* The velocity of an end seen from the obstacle, whose axes turn with w, and how it changes without what accelerations
 * of bodies do. */
static carried seen_from(carried end, carried origin, v3 w, v3 arm) {
  const v3 past = v3_sub(end.v, origin.v);
  return (carried){ v3_sub(past, v3_cross(w, arm)), v3_sub(v3_sub(end.a, origin.a), v3_cross(w, past)) };
}

static double bias_of_wrapped(const path_gap *gap, carried P, carried O, carried Q, v3 w) {
  wrap_bend bend;
  cdni_gap_bend(gap, &bend);
  P = seen_from(P, O, w, v3_sub(gap->P, gap->O)), Q = seen_from(Q, O, w, v3_sub(gap->Q, gap->O));
  const v3 dP = v3_add(m3_mul(bend.PP, P.v), m3_mul(bend.PQ, Q.v));
  const v3 dQ = v3_add(m3_tmul(bend.PQ, P.v), m3_mul(bend.QQ, Q.v));
  const v3 from_P = v3_sub(v3_cross(w, gap->path.from_P), dP), to_Q = v3_add(v3_cross(w, gap->path.to_Q), dQ);
  return v3_dot(to_Q, Q.v) + v3_dot(gap->path.to_Q, Q.a) - v3_dot(from_P, P.v) - v3_dot(gap->path.from_P, P.a);
}

double cdni_path_bias(const path_view *path, const body_pose *pose, const body_twist *twist) {
  double sum = 0;
  for (int k = 0; k < path->n_gaps; k++) {
    const path_gap *gap = &path->gaps[k];
    const carried P = carry(pose, twist, gap->body[0], gap->P), Q = carry(pose, twist, gap->body[2], gap->Q);
    if (!gap->wraps) {
      sum += gap->weight * bias_of_straight(gap, P, Q);
      continue;
    }
    const carried O = carry(pose, twist, gap->body[1], gap->O);
    sum += gap->weight * bias_of_wrapped(gap, P, O, Q, twist[gap->body[1]].V.w);
  }
  return sum;
}
