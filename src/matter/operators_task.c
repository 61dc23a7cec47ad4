/* The operational space: J M^-1 J^T of tasks, Khatib's (1987) Lambda^-1, and its inverse. Column by column, along
 * paths only: a unit force at one task's point acts on its ancestors' mobilities inward; the motion of every other
 * task's point follows outward along the path to it. Neither J nor M^-1 is formed: O(n) for the articulated bodies,
 * then O(d) for each pair of tasks at depth d. */
#include <math.h>

#include "matter/operators_factor.h"
#include "math/cholesky.h"

typedef struct tasks {
  const matter *m;
  tree_data d;
  mobility_factor *mobility;
  sv *A;         /* a body on the present path: its acceleration */
  v3 *arm;       /* a task: from M's origin of its body to its point */
  real *eps;     /* for each mobility: the part of the force that is left for it; set on the force's path only */
  double *L_inv; /* a copy to be factored, if the inverse is wanted */
  int32_t *seen; /* for each body: the last task whose path contains it */
  int32_t *path; /* bodies from a task's inward */
  const cdn_body *body;
  int n, rows; /* rows a task: 3 for stations, 6 for frames */
} tasks;

/* Bytes of the workspace: doubles, then ints. */
static size_t bytes_of(size_t bodies, size_t nu, size_t n, size_t rows) {
  return bodies * sizeof(sv) + n * sizeof(v3) + nu * sizeof(real) + n * rows * n * rows * sizeof(double) +
         2 * bodies * sizeof(int32_t);
}

static cdn_status begin(cdn_state *state, const char *function, int n, const cdn_body *body, const cdn_vec3 *point_B,
                        int rows, tasks *t) {
  CDNI_TRY(cdni_operator_matter(state, function, &t->m));
  CDNI_TRY(cdni_operator_check_tasks(state, function, t->m, n, body, point_B));
  const size_t bodies = (size_t)t->m->tree.n, nu = (size_t)t->m->tree.nu;
  CDNI_TRY(cdni_operator_factor(state, function, false, &t->m, &t->d, bytes_of(bodies, nu, (size_t)n, (size_t)rows),
                                &t->mobility, NULL));
  t->A = (sv *)(t->mobility + nu);
  t->arm = (v3 *)(t->A + bodies);
  t->eps = (real *)(t->arm + n);
  t->L_inv = t->eps + nu;
  t->seen = (int32_t *)(t->L_inv + (size_t)n * (size_t)rows * (size_t)n * (size_t)rows);
  t->path = t->seen + bodies;
  t->body = body, t->n = n, t->rows = rows;
  for (size_t i = 0; i < bodies; i++) t->seen[i] = -1;
  for (int i = 0; i < n; i++) t->arm[i] = cdni_to_v3(cdni_matter_station(t->m, state, t->d.pose, body[i], point_B[i]));
  return CDN_OK;
}

/* Inward from a force at task j's point: eps = -H^T z, z_P = phi (z + G eps). */
static void inward(const tasks *t, int j, sv F) {
  sv z = sv_neg(sv_shift_force(F, t->arm[j]));
  for (int b = t->body[j].i; b > 0; b = t->m->tree.node[b].parent) {
    const tree_node *n = &t->m->tree.node[b];
    sv passed_on = z;
    t->seen[b] = j;
    for (int l = 0; l < n->nu; l++) {
      const mobility_factor *own = &t->mobility[n->u + l];
      t->eps[n->u + l] = -sv_dot(own->h, z);
      passed_on = sv_fma(t->eps[n->u + l], own->g, passed_on);
    }
    z = sv_shift_force(passed_on, t->d.pose[b].r);
  }
}

/* Outward to task i's point: udot = D^-1 eps - G^T A. */
static sv outward(const tasks *t, int i, int j) {
  const tree_node *node = t->m->tree.node;
  int length = 0;
  for (int b = t->body[i].i; b > 0; b = node[b].parent) t->path[length++] = b;
  sv A = sv_zero();
  while (length > 0) {
    const int b = t->path[--length];
    const tree_node *n = &node[b];
    A = sv_shift_motion(A, t->d.pose[b].r);
    sv sum = A;
    for (int l = 0; l < n->nu; l++) {
      const mobility_factor *own = &t->mobility[n->u + l];
      real udot = -sv_dot(own->g, A);
      for (int k = 0; t->seen[b] == j && k < n->nu; k++) udot = r_fma(own->D_inv[k], t->eps[n->u + k], udot);
      sum = sv_fma(udot, own->h, sum);
    }
    A = sum;
  }
  return sv_shift_motion(A, t->arm[i]);
}

static void fill(const tasks *t, double *out) {
  const int rows = t->rows, size = rows * t->n;
  for (int j = 0; j < t->n; j++)
    for (int k = 0; k < rows; k++) {
      real unit[6] = { 0 };
      unit[k + 6 - rows] = 1;
      inward(t, j, (sv){ v3_load(unit), v3_load(unit + 3) });
      for (int i = 0; i <= j; i++) {
        const sv A = outward(t, i, j);
        const double values[6] = { A.w.x, A.w.y, A.w.z, A.v.x, A.v.y, A.v.z };
        const size_t column = (size_t)(rows * j + k);
        for (int l = 0; l < rows && (i < j || l <= k); l++) {
          const size_t row = (size_t)(rows * i + l);
          out[row * (size_t)size + column] = out[column * (size_t)size + row] = values[l + 6 - rows];
        }
      }
    }
}

static cdn_status calc_inv(cdn_state *state, const char *function, int n, const cdn_body *body, const cdn_vec3 *point_B,
                           int rows, double *out) {
  tasks t;
  CDNI_TRY(begin(state, function, n, body, point_B, rows, &t));
  fill(&t, out);
  cdn_work_pop(state, t.mobility);
  return CDN_OK;
}

/* The remainder of a row of J M^-1 J^T after elimination by the rows before it, as a fraction; below this the rows
 * depend on each other. */
static const double DEPENDENT = 1e-12;

static cdn_status calc(cdn_state *state, const char *function, int n, const cdn_body *body, const cdn_vec3 *point_B,
                       int rows, double *out) {
  tasks t;
  CDNI_TRY(begin(state, function, n, body, point_B, rows, &t));
  fill(&t, t.L_inv);
  const int bad = cdni_cholesky(n * rows, n * rows, t.L_inv, DEPENDENT, 0);
  if (bad < 0) cdni_cholesky_inverse(n * rows, n * rows, t.L_inv, out);
  cdn_work_pop(state, t.mobility);
  if (bad < 0) return CDN_OK;
  const int task = bad / rows;
  const char *name = CDNI_AT(t.m->bodies, matter_body, body[task].i).name;
  return cdni_state_fail(
      state, CDN_ERR_SINGULAR, false, function, name,
      "task %d, on body '%s': its row %d depends on the rows before. The pose is singular, or the task asks for more than the joints can do: take fewer tasks, a station in place of a "
      "frame, or %s_inv",
      task, name, bad % rows, function);
}

cdn_status cdn_calc_station_operational_inertia_inv(cdn_state *state, int n, const cdn_body *body,
                                                    const cdn_vec3 *station_B, double *Lambda_inv) {
  CDNI_NEED_SOME(state, Lambda_inv, n);
  return calc_inv(state, "cdn_calc_station_operational_inertia_inv", n, body, station_B, 3, Lambda_inv);
}
cdn_status cdn_calc_station_operational_inertia(cdn_state *state, int n, const cdn_body *body,
                                                const cdn_vec3 *station_B, double *Lambda) {
  CDNI_NEED_SOME(state, Lambda, n);
  return calc(state, "cdn_calc_station_operational_inertia", n, body, station_B, 3, Lambda);
}
cdn_status cdn_calc_frame_operational_inertia_inv(cdn_state *state, int n, const cdn_body *body,
                                                  const cdn_vec3 *origin_B, double *Lambda_inv) {
  CDNI_NEED_SOME(state, Lambda_inv, n);
  return calc_inv(state, "cdn_calc_frame_operational_inertia_inv", n, body, origin_B, 6, Lambda_inv);
}
cdn_status cdn_calc_frame_operational_inertia(cdn_state *state, int n, const cdn_body *body, const cdn_vec3 *origin_B,
                                              double *Lambda) {
  CDNI_NEED_SOME(state, Lambda, n);
  return calc(state, "cdn_calc_frame_operational_inertia", n, body, origin_B, 6, Lambda);
}
