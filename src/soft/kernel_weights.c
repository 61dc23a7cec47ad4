/* The weights of rows on accelerations: on bodies, on mobilities, and between bodies.
 *
 * A contact weighs the relative acceleration of two bodies at a point. Contacts of the same bodies are summed about the
 * point of the first one, near all the others; the bodies' origins may be far from there. Compiled for each set of
 * kernels of one lane. */
#include "soft/kernel_rows.h"

static void multiply_rows(int n, const double *H, const sv *J, sv *HJ) {
  for (int k = 0; k < n; k++) {
    HJ[k] = sv_zero();
    for (int l = 0; l < n; l++) HJ[k] = sv_fma(H[k * n + l], J[l], HJ[k]);
  }
}

static const articulated_inertia none;

/* A contact, with friction or without. */
static bool is_contact(const soft_group *g) {
  return g->s.kind == SOFT_PYRAMIDAL || g->s.kind == SOFT_ELLIPTIC || (g->contact > 0 && !(g->give > 0));
}

/* Weights between two bodies, summed over contacts that follow each other. */
typedef struct pair_sum {
  const soft_work *at; /* the first group: W is about its point; NULL: nothing yet */
  articulated_inertia W;
} pair_sum;

/* W += d x [0 0; 0 K], for forces at the point d. */
static void add_at(s3 K, v3 d, articulated_inertia *W) {
  const m3 F = { v3_cross(d, (v3){ K.xx, K.xy, K.xz }), v3_cross(d, (v3){ K.xy, K.yy, K.yz }),
                 v3_cross(d, (v3){ K.xz, K.yz, K.zz }) };
  const v3 x = { F.x.x, F.y.x, F.z.x }, y = { F.x.y, F.y.y, F.z.y }, z = { F.x.z, F.y.z, F.z.z };
  W->J = s3_add(W->J, (s3){ d.y * x.z - d.z * x.y, d.z * y.x - d.x * y.z, d.x * z.y - d.y * z.x, d.z * x.x - d.x * x.z,
                            d.x * x.y - d.y * x.x, d.x * y.y - d.y * y.x });
  W->F = (m3){ v3_add(W->F.x, F.x), v3_add(W->F.y, F.y), v3_add(W->F.z, F.z) };
  W->M = s3_add(W->M, K);
}

/* B^T H B of a group whose rows are forces alone. */
static inline s3 stiffness_of(const sv *B, int n, const double *H) {
  s3 minus = { 0 };
  for (int k = 0; k < n; k++) {
    v3 HB = v3_scale(H[k * n], B[0].v);
    for (int l = 1; l < n; l++) HB = v3_fma(H[k * n + l], B[l].v, HB);
    minus = s3_minus_outer(minus, HB, B[k].v);
  }
  return (s3){ -minus.xx, -minus.yy, -minus.zz, -minus.xy, -minus.xz, -minus.yz };
}

static void add_to_pair(const soft_work *w, const double *H, pair_sum *sum) {
  const int n = w->g->s.rows;
  const v3 d = v3_sub(w->r_b, sum->at->r_b);
  if (!w->turns) {
    const s3 K = n == 3   ? stiffness_of(w->g->B, 3, H)
                 : n == 1 ? stiffness_of(w->g->B, 1, H)
                          : stiffness_of(w->g->B, n, H);
    if (w == sum->at) sum->W.M = K;
    else add_at(K, d, &sum->W);
    return;
  }
  sv J[SOFT_MOST_ROWS], HJ[SOFT_MOST_ROWS];
  for (int k = 0; k < n; k++) J[k] = sv_shift_force(w->g->B[k], d);
  multiply_rows(n, H, J, HJ);
  cdni_soft_add_inertia(n, HJ, J, &sum->W);
}

/* C -= S_x^T W S_y, where S takes the acceleration of a body to the point at r from it. */
static void couple(const articulated_inertia *W, v3 r_x, v3 r_y, sv *C) {
  const sv row[6] = { { { W->J.xx, W->J.xy, W->J.xz }, { W->F.x.x, W->F.y.x, W->F.z.x } },
                      { { W->J.xy, W->J.yy, W->J.yz }, { W->F.x.y, W->F.y.y, W->F.z.y } },
                      { { W->J.xz, W->J.yz, W->J.zz }, { W->F.x.z, W->F.y.z, W->F.z.z } },
                      { W->F.x, { W->M.xx, W->M.xy, W->M.xz } },
                      { W->F.y, { W->M.xy, W->M.yy, W->M.yz } },
                      { W->F.z, { W->M.xz, W->M.yz, W->M.zz } } };
  sv X[6];
  for (int l = 0; l < 6; l++) X[l] = sv_shift_force(row[l], r_y);
  X[0] = sv_fma(r_x.y, X[5], sv_fma(-r_x.z, X[4], X[0]));
  X[1] = sv_fma(r_x.z, X[3], sv_fma(-r_x.x, X[5], X[1]));
  X[2] = sv_fma(r_x.x, X[4], sv_fma(-r_x.y, X[3], X[2]));
  for (int l = 0; l < 6; l++) C[l] = sv_sub(C[l], X[l]);
}

/* Adds what has been summed to the weights of the two bodies. */
static void end_pair(const soft_problem *p, pair_sum *sum) {
  const soft_work *w = sum->at;
  if (!w) return;
  sum->at = NULL;
  const int a = w->g->body[0], b = w->g->body[1];
  if (a > 0) p->P[a] = articulated_add(p->P[a], articulated_shift(sum->W, w->r_a));
  if (b > 0) p->P[b] = articulated_add(p->P[b], articulated_shift(sum->W, w->r_b));
  if (w->C < 0) return;
  sv *C = p->factor.C + 6 * w->C; /* rows: the body that is eliminated first */
  if (p->plan->place[a] < p->plan->place[b]) couple(&sum->W, w->r_a, w->r_b, C);
  else couple(&sum->W, w->r_b, w->r_a, C);
}

/* Rows on two bodies at points of their own, or one row, about the bodies' own origins: exact rows are so stiff that
 * what is near zero there must not come from large numbers elsewhere. */
static void weigh_rows(const soft_problem *p, const soft_work *w, const double *H) {
  const soft_group *g = w->g;
  const int n = g->s.rows, a = g->body[0], b = g->body[1];
  sv J_a[SOFT_MOST_ROWS], J_b[SOFT_MOST_ROWS], HJ[SOFT_MOST_ROWS];
  for (int k = 0; k < n; k++) J_a[k] = sv_shift_force(g->B[k], w->r_a), J_b[k] = sv_shift_force(g->B[k], w->r_b);
  if (a > 0) {
    multiply_rows(n, H, J_a, HJ);
    cdni_soft_add_inertia(n, HJ, J_a, &p->P[a]);
  }
  if (b == 0) return;
  multiply_rows(n, H, J_b, HJ);
  cdni_soft_add_inertia(n, HJ, J_b, &p->P[b]);
  if (w->C < 0) return;
  const bool a_first = p->plan->place[a] < p->plan->place[b]; /* its are the rows of C */
  sv *C = p->factor.C + 6 * w->C;
  for (int k = 0; k < n; k++) {
    const real *row = a_first ? &J_a[k].w.x : &HJ[k].w.x;
    const sv column = a_first ? HJ[k] : J_a[k];
    for (int l = 0; l < 6; l++) C[l] = sv_fma(-row[l], column, C[l]);
  }
}

static void weigh_pair(const soft_problem *p, const soft_work *w, const double *H, pair_sum *sum) {
  const soft_group *g = w->g, *first = sum->at ? sum->at->g : NULL;
  if (!is_contact(g)) {
    weigh_rows(p, w, H);
    return;
  }
  if (!first || g->body[0] != first->body[0] || g->body[1] != first->body[1]) {
    end_pair(p, sum);
    sum->at = w, sum->W = none;
  }
  add_to_pair(w, H, sum);
}

static void weigh_joint(const soft_problem *p, const soft_work *w, const double *H) {
  const tree_node *node = &p->plan->tree->node[w->g->body[1]];
  const int n = w->g->s.rows;
  for (int k = 0; k < n; k++)
    for (int l = 0; l < n; l++) {
      const double h = H[k * n + l];
      if (h == 0) continue;
      for (int i = 0; i < node->nu; i++)
        for (int j = 0; j < node->nu; j++) p->D[6 * (node->u + i) + j] += h * w->g->g[k][i] * w->g->g[l][j];
    }
}

/* Weights on mobilities are zero where no group acts, from the start. */
static void forget_weights(const soft_problem *p, int island) {
  const loop_plan *plan = p->plan;
  const tree_node *node = plan->tree->node;
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    const soft_group *g = p->work[k].g;
    for (int s = 0; s < cdni_soft_bodies(g) && g->place != SOFT_PAIR; s++) {
      const int i = cdni_soft_body(g, s);
      for (int l = 6 * node[i].u; l < 6 * (node[i].u + node[i].nu); l++) p->D[l] = 0;
    }
  }
  for (int at = plan->island_body[island]; at < plan->island_body[island + 1]; at++) {
    const int i = plan->bodies[at];
    p->P[i] = none;
    for (int c = plan->couple_first[i]; c < plan->couple_first[i + 1] && plan->n_C > 0; c++)
      for (int l = 0; l < 6; l++) p->factor.C[6 * plan->couple_C[c] + l] = sv_zero();
  }
}

void KERNEL_NAME(cdni_soft_kernel_weigh)(const soft_problem *p, int island, bool all) {
  pair_sum sum = { .at = NULL };
  if (all) forget_weights(p, island);
  for (int k = p->first[island]; k < p->first[island + 1]; k++) {
    soft_work *w = &p->work[k];
    const soft_group *g = w->g;
    const int n = g->s.rows * g->s.rows;
    double more[SOFT_MOST_ROWS * SOFT_MOST_ROWS];
    const double *H = w->H;
    if (!all) {
      if (!cdni_soft_has_changed(w)) continue;
      for (int i = 0; i < n; i++) more[i] = w->H[i] - w->weighed[i];
      H = more;
    }
    w->factored = w->zone;
    if (n == 1) w->weighed[0] = w->H[0]; /* most have one row, or three */
    else if (n == 9) memcpy(w->weighed, w->H, 9 * sizeof *w->H);
    else memcpy(w->weighed, w->H, (size_t)n * sizeof *w->H);
    if (g->place == SOFT_JOINT) weigh_joint(p, w, H);
    else if (g->place == SOFT_TERMS) cdni_soft_weigh_terms(p, w, H[0]);
    else if (!all || w->H[0] != 0 || !is_contact(g)) weigh_pair(p, w, H, &sum);
  }
  end_pair(p, &sum);
}
