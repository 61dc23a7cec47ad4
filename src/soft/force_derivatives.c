/* How the forces of soft rows vary with q and u at constant udot: exact for contacts of simple shapes, limits and
 * friction losses.
 *
 * The residual of row k is r_k = e_k . (A + B V) + K d x, with the acceleration A = J udot and the velocity V of body b
 * relative to body a at the point, the violation x, and the last term on the first row only. So f changes by -H dr, and
 * by a part of itself because D grows with x. A joint moves the bodies outboard of it as one piece, by S; what it does
 * to V is in matter/derivatives.h, and does the same to A with udot in place of u. */
#include "matter/derivatives.h"
#include "soft/internal.h"

typedef struct differentiation {
  const soft_room *room;
  derivative_pass *pass;
  const sv *A; /* by body: J udot */
} differentiation;

/* A contact between two bodies. */
typedef struct contact_terms {
  const soft_group *g;
  contact_point_motion motion;
  int body[2];
  v3 r[2];       /* from the bodies' M origins to the point */
  sv V[2], A[2]; /* of their material at the point */
  sv relative;   /* A + B V */
  sv F;          /* the force on b at the point */
  double f[SOFT_MOST_ROWS], H[SOFT_MOST_ROWS * SOFT_MOST_ROWS];
} contact_terms;

static v3 axis_of(const soft_group *g, int k) { return k < 3 ? g->B[k].v : g->B[k].w; }
static v3 half_of(sv a, int k) { return k < 3 ? a.v : a.w; }

/* ---- contacts ---- */

static void make_terms(const differentiation *x, const soft_group *g, contact_terms *c) {
  const derivative_pass *p = x->pass;
  double r[SOFT_MOST_ROWS];
  c->g = g;
  for (int s = 0; s < 2; s++) {
    const int i = c->body[s] = g->body[s];
    c->r[s] = v3_sub(g->point, p->pose[i].p_GM);
    c->V[s] = sv_shift_motion(p->twist[i].V, c->r[s]);
    c->A[s] = sv_shift_motion(x->A[i], c->r[s]);
  }
  const sv A = sv_sub(c->A[1], c->A[0]);
  for (int k = 0; k < g->s.rows; k++) r[k] = sv_dot(g->B[k], A) - g->ref[k];
  c->relative = sv_fma(g->damping, sv_sub(c->V[1], c->V[0]), A);
  cdni_soft_function(&g->s, r, c->f, c->H, NULL);
  c->F = sv_zero();
  for (int k = 0; k < g->s.rows; k++) c->F = sv_fma(c->f[k], g->B[k], c->F);
}

/* The force's change where the relative motion changes by `by`, the axes by `axes` (NULL: they stay), and the
 * distance. */
static sv change_force(const contact_terms *c, sv by, const v3 *axes, double distance) {
  const soft_group *g = c->g;
  const int n = g->s.rows;
  double dr[SOFT_MOST_ROWS] = { 0 };
  sv dF = sv_zero();
  for (int k = 0; k < n; k++) {
    dr[k] = v3_dot(axis_of(g, k), half_of(by, k));
    if (axes) dr[k] += v3_dot(axes[k % 3], half_of(c->relative, k));
  }
  dr[0] += g->stiffness * distance;
  for (int k = 0; k < n; k++) {
    double df = c->f[k] * g->growth * distance;
    for (int l = 0; l < n; l++) df -= c->H[k * n + l] * dr[l];
    dF = sv_fma(df, g->B[k], dF);
    if (!axes) continue;
    if (k < 3) dF.v = v3_fma(c->f[k], axes[k], dF.v);
    else dF.w = v3_fma(c->f[k], axes[k - 3], dF.w);
  }
  return dF;
}

/* What a mobility does to the material of a body at the point: its displacement, and the changes of V and A. */
typedef struct moved_material {
  sv X, V, A;
} moved_material;

/* The change of a field of motions that is W at the joint's M origin and `at` at the point; eta as in
 * matter/derivatives.h. */
static sv change_field(const mobility_motion *s, sv eta, sv W, sv at, v3 arm) {
  const sv rest = { eta.w, v3_sub(eta.v, v3_cross(s->S.w, W.v)) };
  return sv_add(sv_shift_motion(rest, arm), (sv){ v3_cross(s->S.w, at.w), v3_cross(s->S.w, at.v) });
}

/* eta of the accelerations J udot. */
static sv eta_of_accelerations(const differentiation *x, int j, int l) {
  const derivative_pass *p = x->pass;
  const tree_node *n = &p->node[j];
  const sv S = p->motion[n->u + l].S;
  sv eta = { v3_cross(x->A[j].w, S.w), v3_cross(x->A[j].w, S.v) };
  for (int k = 0; k < n->nu && p->turns[j] && p->udot; k++)
    eta = sv_fma(p->udot[n->u + k], p->turn[6 * (n->u + l) + k], eta);
  return eta;
}

static moved_material move_material(const differentiation *x, const contact_terms *c, int side, int j, int l) {
  const derivative_pass *p = x->pass;
  const mobility_motion *s = &p->motion[p->node[j].u + l];
  const v3 arm = v3_sub(c->g->point, p->pose[j].p_GM);
  return (moved_material){ .X = sv_shift_motion(s->S, arm),
                           .V = change_field(s, s->eta, p->twist[j].V, c->V[side], arm),
                           .A = change_field(s, eta_of_accelerations(x, j, l), x->A[j], c->A[side], arm) };
}

/* dF acts at the point, which is displaced by dp; `moved`: by how much the body's material there is. */
static void push(const differentiation *x, const contact_terms *c, int side, sv dF, v3 dp, sv moved, double *matrix,
                 int column) {
  const double sign = side ? 1 : -1;
  const int body = c->body[side];
  if (body == 0) return;
  /* the arm from the M origin, which moves by X.v - X.w x r */
  const v3 d_arm = v3_sub(dp, v3_sub(moved.v, v3_cross(moved.w, c->r[side])));
  sv all = sv_shift_force(dF, c->r[side]);
  all.w = v3_cross_add(d_arm, c->F.v, all.w);
  cdni_derivatives_push(x->pass, body, (sv){ v3_scale(sign, all.w), v3_scale(sign, all.v) }, matrix,
                        x->pass->m->tree.nu, column);
}

/* Column of mobility l of joint j, which moves the bodies that are marked. */
static void by_mobility(const differentiation *x, const contact_terms *c, int j, int l, const bool moves[2]) {
  static const moved_material still;
  const derivative_pass *p = x->pass;
  const soft_group *g = c->g;
  const int column = p->node[j].u + l;
  if (p->dq) {
    moved_material m[2];
    v3 axes[3] = { v3_zero(), v3_zero(), v3_zero() }, dp = v3_zero();
    double distance = 0;
    for (int s = 0; s < 2; s++) {
      m[s] = moves[s] ? move_material(x, c, s, j, l) : still;
      for (int k = 0; k < 6 && moves[s]; k++) {
        const double by = (&m[s].X.w.x)[k];
        const int at = 6 * s + k;
        axes[0] = v3_fma(by, cdni_to_v3(c->motion.normal[at]), axes[0]);
        for (int t = 0; t < 2; t++) axes[1 + t] = v3_fma(by, cdni_to_v3(c->motion.tangent[t][at]), axes[1 + t]);
        dp = v3_fma(by, cdni_to_v3(c->motion.point[at]), dp);
        distance += by * c->motion.distance[at];
      }
    }
    sv by = sv_zero();
    for (int s = 0; s < 2; s++) {
      const v3 over = v3_sub(dp, m[s].X.v); /* the point over the material */
      sv own = sv_fma(g->damping, m[s].V, m[s].A);
      own.v = v3_cross_add(v3_fma(g->damping, c->V[s].w, c->A[s].w), over, own.v);
      by = s ? sv_add(by, own) : sv_sub(by, own);
    }
    const sv dF = change_force(c, by, axes, distance);
    for (int s = 0; s < 2; s++) push(x, c, s, dF, dp, m[s].X, p->dq, column);
  }
  if (!p->du || (moves[0] && moves[1])) return; /* the two move as one piece */
  const sv S = sv_shift_motion(p->motion[column].S, v3_sub(g->point, p->pose[j].p_GM));
  const sv dF = change_force(
      c, (sv){ v3_scale(moves[1] ? g->damping : -g->damping, S.w), v3_scale(moves[1] ? g->damping : -g->damping, S.v) },
      NULL, 0);
  for (int s = 0; s < 2; s++)
    if (c->body[s] > 0) push(x, c, s, dF, v3_zero(), sv_zero(), p->du, column);
}

static void differentiate_contact(const differentiation *x, const soft_group *g, const contact_point *point) {
  derivative_pass *p = x->pass;
  contact_terms c;
  make_terms(x, g, &c);
  bool acts = false;
  for (int k = 0; k < g->s.rows; k++) acts = acts || c.f[k] != 0 || c.H[k * g->s.rows + k] != 0;
  if (!acts) return;
  cdni_contact_move_point(x->room->contact, p->state, point, &c.motion);
  /* as it is now it is constant; then comes how it varies */
  for (int s = 0; s < 2; s++) {
    const double sign = s ? 1 : -1;
    const sv F = sv_shift_force(c.F, c.r[s]);
    cdni_derivatives_constant_moment(p, c.body[s], v3_scale(sign, F.w));
    cdni_derivatives_constant_force(p, c.body[s], v3_zero(), v3_scale(sign, F.v));
  }
  int at[2] = { c.body[0], c.body[1] };
  for (;;) {
    const int outermost = at[0] > at[1] ? at[0] : at[1];
    if (outermost == 0) return;
    const bool moves[2] = { at[0] == outermost, at[1] == outermost };
    for (int l = 0; l < p->node[outermost].nu; l++) by_mobility(x, &c, outermost, l, moves);
    for (int s = 0; s < 2; s++)
      if (moves[s]) at[s] = p->node[outermost].parent;
  }
}

/* ---- rows on mobilities ---- */

/* The coefficients of a row on mobilities, and their slots of u; returns how many there are. */
static int coefficients_of(const derivative_pass *p, const soft_group *g, int32_t *u, double *by) {
  const tree_node *n = &p->node[g->body[1]];
  int count = 0;
  for (int k = 0; g->place == SOFT_TERMS && k < g->terms; k++) {
    u[count] = g->term[k].u, by[count++] = g->term[k].slope;
  }
  for (int k = 0; g->place == SOFT_JOINT && k < n->nu; k++)
    if (g->g[0][k] != 0) u[count] = n->u + k, by[count++] = g->g[0][k];
  return count;
}

static void differentiate_mobilities(const differentiation *x, const soft_group *g) {
  const derivative_pass *p = x->pass;
  const size_t nu = (size_t)p->m->tree.nu;
  int32_t u[CDN_SOFT_MOST_TERMS];
  double by[CDN_SOFT_MOST_TERMS], f, H, r = -g->ref[0];
  const int n = coefficients_of(p, g, u, by);
  for (int k = 0; k < n && p->udot; k++) r += by[k] * p->udot[u[k]];
  cdni_soft_function(&g->s, &r, &f, &H, NULL);
  for (int i = 0; i < n; i++)
    for (int k = 0; k < n; k++) {
      const size_t at = (size_t)u[i] * nu + (size_t)u[k];
      if (p->dq) p->dq[at] -= by[i] * by[k] * (f * g->growth - H * g->stiffness);
      if (p->du) p->du[at] += by[i] * by[k] * H * g->damping;
    }
}

cdn_status cdni_soft_differentiate(const soft_room *room, derivative_pass *p, bool *rest) {
  const matter *m = p->m;
  const void *elements;
  int n, n_points;
  *rest = false;
  CDNI_TRY(cdn_region_eval(p->state, room->groups, &elements, &n));
  if (n == 0) return CDN_OK;
  const contact_point *points = NULL;
  if (room->contact) CDNI_TRY(cdni_contact_points(room->contact, p->state, &points, &n_points));
  const size_t nb = (size_t)m->tree.n, nu = (size_t)m->tree.nu;
  sv *A = cdn_work_push(p->state, nb * sizeof *A + (nu + 1) * sizeof(double));
  if (!A) return cdni_state_fail(p->state, CDN_ERR_NOMEM, false, p->function, NULL, "out of memory");
  double *zero = (double *)(A + nb);
  memset(zero, 0, (nu + 1) * sizeof *zero);
  const tree_data d = cdni_matter_data(m, p->state);
  m->kernels->jacobian(&m->tree, &d, p->udot ? p->udot : zero, A);
  A[0] = sv_zero();
  const differentiation x = { .room = room, .pass = p, .A = A };
  const soft_group *groups = elements;
  for (int i = 0; i < n; i++) {
    if (!groups[i].known) *rest = true;
    else if (groups[i].place != SOFT_PAIR) differentiate_mobilities(&x, &groups[i]);
    else differentiate_contact(&x, &groups[i], &points[groups[i].source]);
  }
  cdn_work_pop(p->state, A);
  return CDN_OK;
}
