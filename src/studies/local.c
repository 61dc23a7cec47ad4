/* Local independent coordinates: null spaces of the constraints, displacements along them, and the count of degrees
 * of freedom. */
#include <math.h>

#include <cardan/angles.h>

#include "constraints/loops.h"
#include "constraints/project.h"
#include "math/dense.h"
#include "matter/kinds.h"
#include "matter/move.h"
#include "matter/operators.h"
#include "matter/scale.h"
#include "studies/statics.h"

cdn_status cdni_study_matter(cdn_state *state, const char *function, const matter **m) {
  const cdn_system *system = cdn_state_system(state);
  CDNI_TRY(cdni_operator_matter(state, function, m));
  if (cdn_system_nq(system) == (*m)->tree.nq && cdn_system_nu(system) == (*m)->tree.nu) return CDN_OK;
  return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, NULL,
                         "subsystems other than matter have q or u of their own");
}

/* ---- bases ---- */

/* Mobilities that are not prescribed at this level or below. */
static int free_mobilities(const cdn_state *state, const matter *m, cdn_motion_level level, int *free) {
  int n = 0;
  for (int i = 1; i < m->tree.n; i++)
    for (int k = 0; k < m->tree.node[i].nu; k++)
      if (cdn_body_driver(state, (cdn_body){ i }).level < level) free[n++] = m->tree.node[i].u + k;
  return n;
}

double cdni_row_rounding(const constraint_room *room, const constraint_rows *rows, int i, int k) {
  const constraint_element *c = constraint_on(room, rows->plan, i);
  const int32_t *body = constraint_bodies_on(rows->plan, i);
  double size = 0;
  for (int b = 0; b < c->n_bodies; b++) {
    if (body[b] == 0) continue; /* Ground does not move: a long arm on it rounds nothing */
    const sv J = rows->J[rows->plan->J[i] + k * c->n_bodies + b];
    size += v3_norm(J.w) + v3_norm(J.v);
  }
  for (int g = 0; g < c->n_mobilities; g++) size += fabs(rows->g[rows->plan->g[i] + k * c->n_mobilities + g]);
  return 1e-10 * size;
}

/* Of each row of G that is an equation of the level and not zero a copy of unit length, column-major. */
static int gather(const constraint_room *room, const constraint_rows *from, cdn_motion_level level, int nu,
                  const double *G, int n, const int *free, int most, double *A) {
  int rows = 0;
  for (int i = 0; room && i < from->plan->n_constraints; i++) {
    const constraint_element *c = constraint_on(room, from->plan, i);
    const int last = c->np + (level < CDN_LEVEL_POSITION ? c->nv : 0) + (level < CDN_LEVEL_VELOCITY ? c->na : 0);
    for (int k = 0; k < last; k++) {
      const double *row = G + (size_t)(room->first_row + c->row + k) * (size_t)nu;
      double square = 0;
      for (int j = 0; j < n; j++) square += row[free[j]] * row[free[j]];
      const double length = sqrt(square);
      if (!(length > cdni_row_rounding(room, from, i, k))) continue;
      for (int j = 0; j < n; j++) A[j * most + rows] = row[free[j]] / length;
      rows++;
    }
  }
  for (int j = 0; j < n && rows < most; j++) memmove(A + j * rows, A + j * most, (size_t)rows * sizeof *A);
  return rows;
}

cdn_status cdni_local_basis(cdn_state *state, const char *function, cdn_motion_level level, double *basis, int *n) {
  const matter *m = NULL;
  CDNI_TRY(cdni_study_matter(state, function, &m));
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  const int nu = m->tree.nu, most = cdn_system_nudoterr(cdn_state_system(state));
  const size_t width = (size_t)nu, height = (size_t)most, smaller = width < height ? width : height;
  double *G =
      cdn_work_push(state, (2 * height * width + smaller * (height + 1) + width * width + width + 1) * sizeof *G);
  if (!G) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  double *A = G + height * width, *U = A + height * width, *s = U + smaller * height, *VT = s + smaller;
  int *free = (int *)(VT + width * width);
  const int columns = free_mobilities(state, m, level, free);
  const constraint_room *room = most > 0 ? cdni_constraints(cdn_state_system(state)) : NULL;
  constraint_rows from = { .J = NULL };
  if (room && room->m == 0) room = NULL;
  cdn_status status = room ? cdn_calc_G(state, G) : CDN_OK;
  if (status == CDN_OK && room) status = cdni_constraint_rows(room, state, &from);
  if (status == CDN_OK) {
    const int rows = gather(room, &from, level, nu, G, columns, free, most, A);
    double *work = cdn_work_push(state, cdni_svd_work(rows, columns) * sizeof *work);
    if (!work) status = cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
    else if (!cdni_svd(rows, columns, A, s, U, VT, work))
      status = cdni_state_fail(state, CDN_ERR_SINGULAR, false, function, NULL,
                               "the singular values of the constraints' matrix were not found");
    const int rank = status == CDN_OK ? cdni_svd_rank(rows < columns ? rows : columns, s) : 0;
    *n = columns - rank;
    if (width) memset(basis, 0, (size_t)*n * width * sizeof *basis);
    for (int k = 0; k < *n && status == CDN_OK; k++)
      for (int j = 0; j < columns; j++) basis[k * nu + free[j]] = VT[j * columns + rank + k];
    cdn_work_pop(state, work);
  }
  cdn_work_pop(state, G);
  return status;
}

cdn_status cdn_displacement_basis(cdn_state *state, double *basis, int *n) {
  CDNI_NEED_SOME(state, basis, cdn_system_nu(cdn_state_system(state)));
  CDNI_NEED(state, n);
  return cdni_local_basis(state, "cdn_displacement_basis", CDN_LEVEL_POSITION, basis, n);
}

cdn_status cdn_velocity_basis(cdn_state *state, double *basis, int *n) {
  CDNI_NEED_SOME(state, basis, cdn_system_nu(cdn_state_system(state)));
  CDNI_NEED(state, n);
  return cdni_local_basis(state, "cdn_velocity_basis", CDN_LEVEL_VELOCITY, basis, n);
}

/* ---- displacements ---- */

/* Copies q; quaternions of another length than 1 are normalized, in the State, too: turns begin at unit quaternions. */
static cdn_status at_unit_length(cdn_state *state, double *q) {
  const size_t nq = (size_t)cdn_system_nq(cdn_state_system(state));
  if (nq == 0) return CDN_OK;
  memcpy(q, cdn_state_q(state), nq * sizeof *q);
  cdni_state_normalize_q(state, q, NULL);
  return memcmp(q, cdn_state_q(state), nq * sizeof *q) == 0 ? CDN_OK : cdn_state_set_q(state, q);
}

cdn_status cdn_displace(cdn_state *state, int n, const double *basis, const double *y, const cdn_projection_def *def) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const matter *m = NULL;
  CDNI_TRY(cdni_study_matter(state, __func__, &m));
  if (n < 0 || n > m->tree.nu)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, NULL,
                           "the basis cannot have %d displacements: 0 to %d, as many as there are speeds", n,
                           m->tree.nu);
  CDNI_TRY(cdni_operator_check(state, __func__, "y", y, n));
  for (int i = 0; i < n; i++)
    CDNI_TRY(cdni_operator_check(state, __func__, "a displacement of the basis",
                                 basis ? basis + (size_t)i * (size_t)m->tree.nu : NULL, m->tree.nu));
  const size_t nq = (size_t)m->tree.nq, nu = (size_t)m->tree.nu;
  double *q = cdn_work_push(state, (4 * nq + nu + 1) * sizeof *q), *before = q + nq, *from = before + nq,
         *rate = from + nq, *v = rate + nq;
  if (!q) return cdni_state_fail(state, CDN_ERR_NOMEM, false, __func__, NULL, "out of memory");
  for (size_t k = 0; k < nu; k++) {
    v[k] = 0;
    for (int i = 0; i < n; i++) v[k] += y[i] * basis[(size_t)i * nu + k];
  }
  if (nq) memcpy(before, cdn_state_q(state), nq * sizeof *q);
  const double length = cdni_matter_length(m, state);
  cdn_status status = at_unit_length(state, from);
  if (status == CDN_OK) status = cdni_move(state, MOVE_TURN, 1, (int)nq, &(double){ 1 }, from, v, rate, q);
  cdni_state_normalize_q(state, q, NULL);
  if (status == CDN_OK) status = cdn_state_set_q(state, q);
  if (status == CDN_OK) {
    status = def ? cdn_project_q(state, def, NULL) : cdni_project_q_in_model_units(state, true, length, NULL);
    if (status != CDN_OK) (void)!cdn_state_set_q(state, before); /* these values were there */
  }
  cdn_work_pop(state, q);
  return status;
}

/* ---- differences ---- */

static cdn_quaternion load(const double *q) { return (cdn_quaternion){ q[0], q[1], q[2], q[3] }; }

/* Of the turn from a to b, in M's axes, the part that is no turn about M's z: b becomes where that leads. */
static void leave_out_z(const double *a, double *b) {
  const cdn_quaternion turn = cdn_quaternion_multiply(cdn_quaternion_conjugate(load(a)), load(b));
  const double size = hypot(turn.w, turn.z);
  if (!(size > 0)) return; /* the line points the other way: all turns about it are as good */
  const cdn_quaternion back = { turn.w / size, 0, 0, -turn.z / size };
  const cdn_quaternion there = cdn_quaternion_multiply(load(a), cdn_quaternion_multiply(turn, back));
  b[0] = there.w, b[1] = there.x, b[2] = there.y, b[3] = there.z;
}

/* The rate at which the unit quaternion a comes to b, or to -b if that is nearer, in unit time along a great circle. */
static void turn_between(const double *a, const double *b, double *rate) {
  double along = 0, across = 0;
  for (int i = 0; i < 4; i++) along += a[i] * b[i];
  const double sign = along < 0 ? -1 : 1;
  for (int i = 0; i < 4; i++) rate[i] = sign * (b[i] - along * a[i]), across += rate[i] * rate[i];
  across = sqrt(across);
  const double stretch = across > 0 ? atan2(across, fabs(along)) / across : 1;
  for (int i = 0; i < 4; i++) rate[i] *= stretch;
}

/* The rates of all coordinates from a to b, with unit quaternions. */
static void rates_between(const matter *m, const double *a, double *b, double *rate) {
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *n = &m->tree.node[i];
    for (int k = n->q; k < n->q + n->nq; k++) rate[k] = b[k] - a[k];
    if (!n->quaternion) continue;
    if (cdni_kind_of(n)->speeds == SPEEDS_TURN_ABOUT_AXES) leave_out_z(a + n->q, b + n->q);
    turn_between(a + n->q, b + n->q, rate + n->q);
  }
}

/* A quaternion of q that is zero has no direction. */
static cdn_status refuse_zero(cdn_state *state, const char *function, const matter *m, const double *q) {
  for (int i = 1; i < m->tree.n; i++) {
    const double *p = q + m->tree.node[i].q;
    if (m->tree.node[i].quaternion && p[0] == 0 && p[1] == 0 && p[2] == 0 && p[3] == 0)
      return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                             "the quaternion of joint '%s' is zero: give it a direction",
                             cdn_body_mobilizer_name(cdn_state_system(state), (cdn_body){ i }));
  }
  return CDN_OK;
}

cdn_status cdn_difference(cdn_state *state, const double *q, double *v) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const matter *m = NULL;
  CDNI_TRY(cdni_study_matter(state, __func__, &m));
  CDNI_NEED_SOME(state, v, m->tree.nu);
  CDNI_TRY(cdni_operator_check(state, __func__, "q", q, m->tree.nq));
  CDNI_TRY(refuse_zero(state, __func__, m, q));
  const size_t nq = (size_t)m->tree.nq;
  double *a = cdn_work_push(state, (4 * nq + 1) * sizeof *a), *b = a + nq, *rate = b + nq, *before = rate + nq;
  if (!a) return cdni_state_fail(state, CDN_ERR_NOMEM, false, __func__, NULL, "out of memory");
  if (nq) memcpy(before, cdn_state_q(state), nq * sizeof *before), memcpy(b, q, nq * sizeof *b);
  cdn_status status = at_unit_length(state, a);
  cdni_state_normalize_q(state, b, NULL);
  rates_between(m, a, b, rate);
  if (status == CDN_OK) status = cdni_state_multiply_by_N_inv(state, rate, v);
  if (nq && memcmp(a, before, nq * sizeof *a) != 0) (void)!cdn_state_set_q(state, before); /* these values were there */
  cdn_work_pop(state, a);
  return status;
}

/* ---- degrees of freedom ---- */

cdn_constraint cdn_constraint_of_equation(const cdn_system *system, int row, int *equation) {
  CDNI_NEED_OBJECT(system, (cdn_constraint){ -1 });
  for (int c = 0; c < cdn_system_constraint_count(system); c++) {
    const cdn_constraint_equations e = cdn_constraint_get_equations(system, (cdn_constraint){ c });
    if (row < e.row || row >= e.row + e.np + e.nv + e.na) continue;
    if (equation) *equation = row - e.row;
    return (cdn_constraint){ c };
  }
  return (cdn_constraint){ -1 };
}

/* The elimination distinguishes idle equations (left out because their row became zero) and redundant ones. */
static cdn_equation_role role_of(int32_t redundant) {
  if (redundant == 0) return CDN_EQUATION_INDEPENDENT;
  return redundant == 1 ? CDN_EQUATION_IDLE : CDN_EQUATION_REDUNDANT;
}

cdn_status cdn_degrees_of_freedom_sized(cdn_state *state, cdn_freedom *out, cdn_equation_role *roles, size_t size) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  static const char function[] = "cdn_degrees_of_freedom";
  const matter *m = NULL;
  CDNI_TRY(cdni_study_matter(state, function, &m));
  const cdn_system *system = cdn_state_system(state);
  const constraint_room *room = cdni_constraints(system);
  const int32_t *prescribed = cdni_matter_data(m, state).prescribed;
  const loop_plan *plan;
  const loop_factor *f;
  const int32_t *redundant = NULL;
  cdn_freedom sum = { .nu = m->tree.nu };
  for (int i = 1; i < m->tree.n && prescribed; i++) sum.prescribed += prescribed[i] ? m->tree.node[i].nu : 0;
  if (room && room->m > 0) {
    CDNI_TRY(cdni_constraint_factor(room, state, &plan, &f));
    redundant = cdni_constraint_redundant(room, state);
  }
  for (int k = 0; k < cdn_system_nudoterr(system) && roles; k++) roles[k] = CDN_EQUATION_OFF;
  for (int c = 0; c < cdn_system_constraint_count(system); c++) {
    const cdn_constraint id = { c };
    const cdn_constraint_equations e = cdn_constraint_get_equations(system, id);
    const int last = cdn_constraint_is_enabled(state, id) ? e.row + e.np + e.nv + e.na : e.row;
    for (int k = e.row; k < last; k++) {
      const cdn_equation_role role = role_of(redundant[k - room->first_row]);
      sum.equations++;
      sum.independent += role == CDN_EQUATION_INDEPENDENT;
      sum.redundant += role == CDN_EQUATION_REDUNDANT;
      sum.idle += role == CDN_EQUATION_IDLE;
      if (roles) roles[k] = role;
    }
  }
  sum.net = sum.nu - sum.prescribed - sum.independent;
  cdni_sized_write(out, size, &sum, sizeof sum);
  return CDN_OK;
}
