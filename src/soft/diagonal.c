/* The inverse inertia J M^-1 J^T that soft rows meet at the pose of the State.
 *
 * With M = L D L^T along the tree it is the square of L^-1 J^T over D: inward along the paths from the bodies of a row
 * to Ground, eps = f - H^T z and z_parent = phi (z + G eps), where f and -z are J^T on mobilities and on bodies. Paths
 * that meet go on as one. */
#include "soft/diagonal.h"

#include "soft/internal.h"

cdn_status cdni_soft_diagonal_begin(cdn_state *state, soft_diagonal *out) {
  const matter *m;
  tree_data d;
  CDNI_TRY(cdni_operator_factor(state, "cdn_realize", false, &m, &d, 0, &out->factor, NULL));
  out->tree = &m->tree, out->pose = d.pose;
  return CDN_OK;
}

void cdni_soft_diagonal_end(const soft_diagonal *x, cdn_state *state) { cdn_work_pop(state, x->factor); }

/* ---- one row ---- */

/* The bodies that the paths have reached, and what has come to them. At most one a term. */
typedef struct path_end {
  int32_t body;
  sv z;
} path_end;
typedef struct paths {
  path_end end[SOFT_MOST_TERMS];
  int n;
} paths;

static void arrive(paths *p, int body, sv z) {
  if (body == 0) return;
  for (int i = 0; i < p->n; i++)
    if (p->end[i].body == body) {
      p->end[i].z = sv_add(p->end[i].z, z);
      return;
    }
  p->end[p->n++] = (path_end){ body, z };
}

/* The end that no other path can still reach: parents have lower numbers. */
static path_end leave_outermost(paths *p) {
  int last = 0;
  for (int i = 1; i < p->n; i++)
    if (p->end[i].body > p->end[last].body) last = i;
  const path_end end = p->end[last];
  p->end[last] = p->end[--p->n];
  return end;
}

static void start(const soft_work *w, int k, paths *p) {
  const soft_group *g = w->g;
  p->n = 0;
  if (g->place == SOFT_PAIR) {
    arrive(p, g->body[0], sv_shift_force(g->B[k], w->r_a));
    arrive(p, g->body[1], sv_neg(sv_shift_force(g->B[k], w->r_b)));
  } else if (g->place == SOFT_JOINT) arrive(p, g->body[1], sv_zero());
  else
    for (int i = 0; i < g->terms; i++) {
      const soft_term *t = &g->term[i];
      arrive(p, t->body, cdni_soft_is_body(t) ? sv_neg(cdni_soft_body_row(g, t)) : sv_zero());
    }
}

/* What row k has on mobility l of the joint of a body. */
static double slope_of(const tree_node *node, const soft_group *g, int k, int body, int l) {
  double slope = 0;
  if (g->place == SOFT_JOINT) return body == g->body[1] ? g->g[k][l] : 0;
  for (int i = 0; g->place == SOFT_TERMS && i < g->terms; i++)
    if (g->term[i].u == node->u + l) slope += g->term[i].slope;
  return slope;
}

static double diagonal_of(const soft_diagonal *x, const soft_work *w, int k) {
  paths p;
  double sum = 0;
  start(w, k, &p);
  while (p.n > 0) {
    const path_end at = leave_outermost(&p);
    const tree_node *node = &x->tree->node[at.body];
    const mobility_factor *own = x->factor + node->u;
    double eps[MOST_MOBILITIES];
    sv z = at.z;
    for (int l = 0; l < node->nu; l++) {
      eps[l] = slope_of(node, w->g, k, at.body, l) - sv_dot(own[l].h, at.z);
      z = sv_fma(eps[l], own[l].g, z);
    }
    for (int l = 0; l < node->nu; l++)
      for (int j = 0; j < node->nu; j++) sum += eps[l] * own[l].D_inv[j] * eps[j];
    arrive(&p, node->parent, sv_shift_force(z, x->pose[at.body].r));
  }
  return sum;
}

/* ---- groups ---- */

/* Below this part of the approximation what is left is rounding: nothing moves along the row, which keeps the
 * approximation. */
static const double NOTHING = 1e-10;

void cdni_soft_diagonal_scale(const soft_diagonal *x, soft_group *g) {
  const bool cone = g->s.kind == SOFT_ELLIPTIC || g->s.kind == SOFT_PYRAMIDAL;
  soft_work w = { .g = g };
  cdni_soft_place(x->pose, &w);
  for (int k = 0; k < (cone ? 1 : g->s.rows); k++) {
    double exact = diagonal_of(x, &w, k);
    if (g->s.kind == SOFT_PYRAMIDAL) { /* the mean of the first two edges, normal +- friction times tangent */
      const double square = g->s.friction[0] * g->s.friction[0];
      exact = (exact + square * diagonal_of(x, &w, 1)) / (1 + square);
    }
    if (!(exact > NOTHING * g->about[k]) || !(g->about[k] > 0)) continue;
    /* the rows of a cone have one regularisation, and its parts */
    for (int l = k; l < (cone ? g->s.rows : k + 1); l++) g->s.D[l] *= g->about[k] / exact;
  }
  g->known = false;
}
