/* Jacobians of all bodies as a matrix, and of stations and frames fixed on bodies as products and matrices (12.8). */
#include "matter/operators.h"

/* ---- tasks: points on bodies, and how many rows each has ---- */

/* A station has the rows of v; a frame has the rows of w and v. */
typedef struct tasks {
  const matter *m;
  tree_data d;
  const cdn_body *body;
  const cdn_vec3 *point_B;
  int n;
} tasks;

cdn_status cdni_operator_check_tasks(cdn_state *state, const char *function, const matter *m, int n,
                                     const cdn_body *body, const cdn_vec3 *point_B) {
  if (n < 0 || (n > 0 && (!body || !point_B)))
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "%d tasks, or their bodies or points are NULL",
                           n);
  for (int i = 0; i < n; i++)
    if (!cdni_body_exists(m, body[i]))
      return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "there is no body %d in this System",
                             (int)body[i].i);
  return cdni_operator_check(state, function, "the points on bodies", n ? &point_B->x : NULL, 3 * n);
}

static cdn_status check(cdn_state *state, const char *function, int n, const cdn_body *body, const cdn_vec3 *point_B,
                        tasks *t) {
  CDNI_TRY(cdni_operator_matter(state, function, &t->m));
  CDNI_TRY(cdni_operator_check_tasks(state, function, t->m, n, body, point_B));
  t->body = body, t->point_B = point_B, t->n = n;
  return CDN_OK;
}

static cdn_status begin(cdn_state *state, const char *function, int n, const cdn_body *body, const cdn_vec3 *point_B,
                        tasks *t) {
  CDNI_TRY(check(state, function, n, body, point_B, t));
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  t->d = cdni_matter_data(t->m, state);
  return CDN_OK;
}

/* From M's origin of its body to task i's point, in Ground. */
static v3 arm(const tasks *t, cdn_state *state, int i) {
  return cdni_to_v3(cdni_matter_station(t->m, state, t->d.pose, t->body[i], t->point_B[i]));
}

/* The velocity of a point on body b, at r from its M origin, for u: the sum over the mobilities inboard of it. */
static sv velocity_of(const tasks *t, int b, v3 r, const double *u) {
  sv V = sv_zero();
  for (; b > 0; b = t->m->tree.node[b].parent) {
    const tree_node *n = &t->m->tree.node[b];
    V = sv_add(V, sv_shift_motion(cdni_hinge_mul(n, t->d.H, u), r));
    r = v3_add(r, t->d.pose[b].r);
  }
  return V;
}

/* ---- products ---- */

static cdn_status multiply(cdn_state *state, const char *function, int n, const cdn_body *body, const cdn_vec3 *point_B,
                           const double *u, cdn_vec3 *v_G, cdn_spatial *V_G) {
  tasks t;
  CDNI_TRY(begin(state, function, n, body, point_B, &t));
  CDNI_TRY(cdni_operator_check(state, function, "u", u, t.m->tree.nu));
  void *frame = NULL;
  if (n > 1) {
    CDNI_TRY(cdni_operator_work(state, function, (size_t)t.m->tree.n * sizeof(sv), &frame));
    t.m->kernels->jacobian(&t.m->tree, &t.d, u, frame);
  }
  for (int i = 0; i < n; i++) {
    v3 r = arm(&t, state, i);
    sv V = frame ? sv_shift_motion(((const sv *)frame)[body[i].i], r) : velocity_of(&t, body[i].i, r, u);
    if (v_G) v_G[i] = cdni_from_v3(V.v);
    else V_G[i] = cdni_from_sv(V);
  }
  if (frame) cdn_work_pop(state, frame);
  return CDN_OK;
}

cdn_status cdn_multiply_by_station_J(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *station_B,
                                     const double *u, cdn_vec3 *v_G) {
  CDNI_NEED_SOME(state, v_G, n);
  return multiply(state, "cdn_multiply_by_station_J", n, body, station_B, u, v_G, NULL);
}

cdn_status cdn_multiply_by_frame_J(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *origin_B,
                                   const double *u, cdn_spatial *V_G) {
  CDNI_NEED_SOME(state, V_G, n);
  return multiply(state, "cdn_multiply_by_frame_J", n, body, origin_B, u, NULL, V_G);
}

/* Task i's force, at its body's M. */
static sv force_at_M(const tasks *t, cdn_state *state, int i, const double *given, bool station) {
  v3 r = arm(t, state, i);
  const double *F = given + (station ? 3 : 6) * i;
  return sv_shift_force(station ? (sv){ v3_zero(), v3_load(F) } : (sv){ v3_load(F), v3_load(F + 3) }, r);
}

static cdn_status multiply_transpose(cdn_state *state, const char *function, int n, const cdn_body *body,
                                     const cdn_vec3 *point_B, const double *F, bool station, double *f) {
  tasks t;
  CDNI_TRY(begin(state, function, n, body, point_B, &t));
  CDNI_TRY(cdni_operator_check(state, function, "the forces", F, (station ? 3 : 6) * n));
  const tree *tr = &t.m->tree;
  if (n == 1) {
    if (tr->nu) memset(f, 0, (size_t)tr->nu * sizeof *f);
    sv at = force_at_M(&t, state, 0, F, station);
    for (int b = body[0].i; b > 0; b = tr->node[b].parent) {
      const tree_node *node = &tr->node[b];
      for (int k = 0; k < node->nu; k++) f[node->u + k] = sv_dot(at, cdni_hinge_column(node, t.d.H, k));
      at = sv_shift_force(at, t.d.pose[b].r);
    }
    return CDN_OK;
  }
  void *frame = NULL;
  CDNI_TRY(cdni_operator_work(state, function, (size_t)tr->n * sizeof(sv), &frame));
  t.d.z = frame;
  for (int b = 0; b < tr->n; b++) t.d.z[b] = sv_zero();
  for (int i = 0; i < n; i++) t.d.z[body[i].i] = sv_add(t.d.z[body[i].i], force_at_M(&t, state, i, F, station));
  t.m->kernels->jacobian_transpose(tr, &t.d, f);
  cdn_work_pop(state, frame);
  return CDN_OK;
}

cdn_status cdn_multiply_by_station_J_transpose(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *station_B,
                                               const cdn_vec3 *f_G, double *f) {
  CDNI_NEED_SOME(state, f, cdn_system_nu(cdn_state_system(state)));
  return multiply_transpose(state, "cdn_multiply_by_station_J_transpose", n, body, station_B, f_G ? &f_G->x : NULL,
                            true, f);
}

cdn_status cdn_multiply_by_frame_J_transpose(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *origin_B,
                                             const cdn_spatial *F_G, double *f) {
  CDNI_NEED_SOME(state, f, cdn_system_nu(cdn_state_system(state)));
  return multiply_transpose(state, "cdn_multiply_by_frame_J_transpose", n, body, origin_B, F_G ? &F_G->w.x : NULL,
                            false, f);
}

/* ---- matrices ---- */

/* The bodies from Ground to b, each after its parent, at the end of `path` (one place a body). Returns how many, or
 * t->n if a quaternion on the way is zero: such a body has no pose. */
static int find_path(const tree *t, const double *q, int b, int32_t *path) {
  int n = 0;
  for (const tree_node *node; b > 0; b = node->parent) {
    node = &t->node[b];
    const double *own = q + node->q;
    if (node->quaternion && own[0] == 0 && own[1] == 0 && own[2] == 0 && own[3] == 0) return t->n;
    path[t->n - ++n] = b;
  }
  return n;
}

/* Poses and H of the bodies inboard of a single body, in scratch that *frame names. Used if poses are not valid and
 * at most half of the bodies are on the way, because placing all bodies would cost more. Otherwise *frame is NULL
 * and CDN_POSE is valid. */
static cdn_status place(cdn_state *state, const char *function, const matter *m, cdn_body body, tree_data *d,
                        void **frame) {
  const tree *t = &m->tree;
  const size_t n = (size_t)t->n;
  *frame = NULL;
  if (t->n_custom == 0 && !cdni_state_is_valid(state, CDN_POSE)) {
    CDNI_TRY(cdni_state_ensure(state, m->frame_constants.ticket));
    CDNI_TRY(cdni_state_ensure(state, CDN_Q_EFF));
    CDNI_TRY(cdni_operator_work(
        state, function, n * (sizeof *d->pose + sizeof(int32_t)) + (size_t)t->nH * sizeof *d->H + CDNI_ALIGN, frame));
    const tree_data here = cdni_matter_data(m, state);
    d->frames = here.frames, d->q = here.q; /* with pose and H all that the kernels read */
    d->pose = *frame;
    d->H = (real *)(d->pose + n);
    int32_t *path = (int32_t *)(d->H + t->nH);
    const int length = find_path(t, here.q, body.i, path);
    if (2 * length <= t->n) {
      m->kernels->position_of_path(t, d, path + t->n - length, length);
      return CDN_OK;
    }
    cdn_work_pop(state, *frame);
    *frame = NULL;
  }
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  *d = cdni_matter_data(m, state);
  return CDN_OK;
}

static cdn_status calc(cdn_state *state, const char *function, int n, const cdn_body *body, const cdn_vec3 *point_B,
                       bool station, double *J) {
  tasks t;
  void *frame = NULL;
  CDNI_TRY(check(state, function, n, body, point_B, &t));
  const tree *tr = &t.m->tree;
  const size_t size = (station ? 3 : 6) * (size_t)tr->nu;
  if (n == 1) {
    CDNI_TRY(place(state, function, t.m, body[0], &t.d, &frame));
  } else {
    CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
    t.d = cdni_matter_data(t.m, state);
  }
  if (size > 0 && n > 0) memset(J, 0, (size_t)n * size * sizeof *J);
  for (int i = 0; size > 0 && i < n; i++)
    t.m->kernels->jacobian_rows(tr, &t.d, body[i].i, arm(&t, state, i), station, J + (size_t)i * size);
  if (frame) cdn_work_pop(state, frame);
  return CDN_OK;
}

cdn_status cdn_calc_station_J(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *station_B, double *J) {
  CDNI_NEED_SOME(state, J, n);
  return calc(state, "cdn_calc_station_J", n, body, station_B, true, J);
}

cdn_status cdn_calc_frame_J(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *origin_B, double *J) {
  CDNI_NEED_SOME(state, J, n);
  return calc(state, "cdn_calc_frame_J", n, body, origin_B, false, J);
}

/* d/dt (R axis) = w x (R axis) */
cdn_status cdn_calc_axis_J(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *axis_B, double *J) {
  CDNI_NEED_SOME(state, J, n);
  tasks t;
  CDNI_TRY(begin(state, "cdn_calc_axis_J", n, body, axis_B, &t));
  const size_t nu = (size_t)t.m->tree.nu;
  if (nu > 0 && n > 0) memset(J, 0, 3 * (size_t)n * nu * sizeof *J);
  for (int i = 0; nu > 0 && i < n; i++, J += 3 * nu) {
    cdn_transform X_GB;
    CDNI_TRY(cdn_body_pose(state, body[i], &X_GB));
    const v3 axis = cdni_to_v3(cdn_rotate(X_GB.R, axis_B[i]));
    for (int b = body[i].i; b > 0; b = t.m->tree.node[b].parent)
      for (int k = 0; k < t.m->tree.node[b].nu; k++) {
        const v3 rate = v3_cross(cdni_hinge_column(&t.m->tree.node[b], t.d.H, k).w, axis);
        double *column = J + t.m->tree.node[b].u + k;
        column[0] = rate.x, column[nu] = rate.y, column[2 * nu] = rate.z;
      }
  }
  return CDN_OK;
}

cdn_status cdn_calc_J(cdn_state *state, double *J) {
  CDNI_NEED_SOME(state, J, cdn_system_nu(cdn_state_system(state)));
  const matter *m = NULL;
  CDNI_TRY(cdni_operator_matter(state, "cdn_calc_J", &m));
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  tree_data d = cdni_matter_data(m, state);
  body_origins origins = cdni_body_origins(m, state, d.pose);
  size_t nu = (size_t)m->tree.nu;
  if (nu == 0) return CDN_OK;
  memset(J, 0, 6 * (size_t)m->tree.n * nu * sizeof *J);
  for (int i = 1; i < m->tree.n; i++)
    m->kernels->jacobian_rows(&m->tree, &d, i, cdni_body_offset(&origins, i), false, J + 6 * (size_t)i * nu);
  return CDN_OK;
}

/* ---- accelerations: J udot + Jdot u ---- */

/* The common part of all functions that take n points; udot NULL means zero. */
static cdn_status accelerate(cdn_state *state, const char *function, const double *udot, int n, const cdn_body *body,
                             const cdn_vec3 *point_B, cdn_vec3 *a_G, cdn_spatial *A_G) {
  tasks t;
  CDNI_TRY(begin(state, function, n, body, point_B, &t));
  CDNI_TRY(cdni_operator_check_optional(state, function, "udot", udot, t.m->tree.nu));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  void *frame = NULL;
  if (n > 1) {
    CDNI_TRY(cdni_operator_work(state, function, (size_t)t.m->tree.n * sizeof(sv), &frame));
    cdni_operator_accelerations(t.m, &t.d, udot, frame);
  }
  for (int i = 0; i < n; i++) {
    sv A = sv_zero();
    v3 r = arm(&t, state, i), from_M = r;
    if (frame) A = sv_shift_motion(((const sv *)frame)[body[i].i], r);
    for (int b = frame ? 0 : body[i].i; b > 0; b = t.m->tree.node[b].parent) {
      const tree_node *node = &t.m->tree.node[b];
      sv own = t.d.twist[b].a_cor;
      if (udot) own = sv_add(own, cdni_hinge_mul(node, t.d.H, udot));
      A = sv_add(A, sv_shift_motion(own, from_M));
      from_M = v3_add(from_M, t.d.pose[b].r);
    }
    v3 w = t.d.twist[body[i].i].V.w;
    A.v = v3_add(A.v, v3_cross(w, v3_cross(w, r)));
    if (a_G) a_G[i] = cdni_from_v3(A.v);
    else A_G[i] = cdni_from_sv(A);
  }
  if (frame) cdn_work_pop(state, frame);
  return CDN_OK;
}

cdn_status cdn_calc_station_Jdot_u(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *station_B,
                                   cdn_vec3 *a_G) {
  CDNI_NEED_SOME(state, a_G, n);
  return accelerate(state, "cdn_calc_station_Jdot_u", NULL, n, body, station_B, a_G, NULL);
}

cdn_status cdn_calc_frame_Jdot_u(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *origin_B,
                                 cdn_spatial *A_G) {
  CDNI_NEED_SOME(state, A_G, n);
  return accelerate(state, "cdn_calc_frame_Jdot_u", NULL, n, body, origin_B, NULL, A_G);
}

cdn_status cdn_calc_station_accelerations(cdn_state *state, const double *udot, int n, const cdn_body *body,
                                          const cdn_vec3 *station_B, cdn_vec3 *a_G) {
  CDNI_NEED_SOME(state, a_G, n);
  const matter *m = NULL;
  CDNI_TRY(cdni_operator_matter(state, __func__, &m));
  CDNI_TRY(cdni_operator_check(state, __func__, "udot", udot, m->tree.nu));
  return accelerate(state, __func__, udot, n, body, station_B, a_G, NULL);
}
