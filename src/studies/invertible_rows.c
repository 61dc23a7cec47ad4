/* The rows of contact of a State: limits and points of shapes, J, and A = J M^-1 J^T of the constrained System. */
#include "studies/invertible.h"

/* ---- memory ---- */

static cdn_status reserve(cdn_invertible_motion *motion, contact_rows *rows, int n) {
  if (n <= rows->room && rows->memory) return CDN_OK;
  const size_t room = (size_t)n + 6, nu = (size_t)motion->nu;
  const size_t doubles = 2 * room * nu + room * room + 10 * room;
  const size_t size = doubles * sizeof(double) + room * sizeof(bound_within);
  double *memory = cdni_alloc(&motion->allocator, size);
  if (!memory) return CDN_ERR_NOMEM;
  cdni_free(&motion->allocator, rows->memory, rows->size);
  rows->memory = memory, rows->size = size, rows->room = (int)room;
  rows->J = memory, rows->MJ = rows->J + room * nu, rows->A = rows->MJ + room * nu, rows->R = rows->A + room * room;
  rows->dR = rows->R + room, rows->f = rows->dR + room, rows->v = rows->f + room, rows->c = rows->v + room;
  rows->before = rows->c + room, rows->back = rows->before + room, rows->mu = rows->back + room,
  rows->v_min = rows->mu + room;
  rows->dv_min = rows->v_min + room;
  rows->bounds = (bound_within *)(void *)(rows->dv_min + room);
  return CDN_OK;
}

void cdni_contact_rows_free(cdn_invertible_motion *motion, contact_rows *rows) {
  cdni_free(&motion->allocator, rows->memory, rows->size);
  cdni_free(&motion->allocator, rows->points, (size_t)rows->point_room * sizeof *rows->points);
}

/* ---- what is near ---- */

static cdn_status find_points(cdn_invertible_motion *motion, cdn_state *state, double reach, contact_rows *rows,
                              int *n) {
  const contact_room *room = cdni_contact(motion->system);
  for (;;) {
    CDNI_TRY(cdni_contact_within(room, state, motion->enabled, reach, rows->point_room, rows->points, n));
    if (*n <= rows->point_room) return CDN_OK;
    contact_within *points = cdni_alloc(&motion->allocator, 2 * (size_t)*n * sizeof *points);
    if (!points) return CDN_ERR_NOMEM;
    cdni_free(&motion->allocator, rows->points, (size_t)rows->point_room * sizeof *points);
    rows->points = points, rows->point_room = 2 * *n;
  }
}

static int find_bounds(const cdn_invertible_motion *motion, const double *q, double reach, bound_within *out) {
  int n = 0;
  for (int i = 0; i < motion->n_given; i++) {
    const bound_given *b = &motion->given[i];
    const double gap[2] = { q[b->q] - b->lower, b->upper - q[b->q] };
    for (int side = 0; side < 2; side++)
      if (gap[side] < reach) out[n++] = (bound_within){ i, side ? 1 : -1, b->u, gap[side] };
  }
  return n;
}

/* ---- rows ---- */

/* J of the point's velocity on b relative to a along a direction. */
static cdn_status point_row(cdn_state *state, const contact_within *p, const cdn_vec3 station[2], cdn_vec3 along,
                            double *row) {
  const cdn_body body[2] = { { p->body[0] }, { p->body[1] } };
  const cdn_vec3 force[2] = { cdn_scale(-1, along), along };
  return cdn_multiply_by_station_J_transpose(state, 2, body, station, force, row);
}

static cdn_status fill_points(cdn_invertible_motion *motion, cdn_state *state, contact_rows *rows) {
  for (int i = 0; i < rows->problem.n_contacts; i++) {
    const contact_within *p = &rows->points[i];
    cdn_vec3 station[2];
    for (int k = 0; k < 2; k++) {
      cdn_transform X;
      CDNI_TRY(cdn_body_pose(state, (cdn_body){ p->body[k] }, &X));
      station[k] = cdn_rotate_inv(X.R, cdn_sub(p->point, X.p));
    }
    const cdn_vec3 axes[3] = { p->tangent, cdn_cross(p->normal, p->tangent), p->normal };
    double *row = rows->J + (size_t)(rows->problem.n_limits + 3 * i) * (size_t)motion->nu;
    for (int k = 0; k < 3; k++, row += motion->nu) CDNI_TRY(point_row(state, p, station, axes[k], row));
    rows->mu[i] = motion->def.friction < 0 ? p->friction : motion->def.friction;
  }
  return CDN_OK;
}

static void apply_law(cdn_invertible_motion *motion, const cdn_invertible_law *law, contact_rows *rows) {
  for (int i = 0; i < rows->normals; i++) {
    const double w = contact_rows_distance(rows, i);
    double slope;
    const double R = cdni_invertible_R(law, w, &slope);
    rows->v_min[i] = cdni_invertible_v_min(law, w, motion->def.step, &rows->dv_min[i]);
    const int last = invertible_normal_row(&rows->problem, i), first = i < rows->problem.n_limits ? last : last - 2;
    for (int k = first; k <= last; k++) rows->R[k] = R, rows->dR[k] = slope;
  }
}

cdn_status cdni_contact_rows_find(cdn_invertible_motion *motion, cdn_state *state, const cdn_invertible_law *law,
                                  contact_rows *rows) {
  const size_t nu = (size_t)motion->nu;
  int points;
  CDNI_TRY(find_points(motion, state, law->w_max, rows, &points));
  CDNI_TRY(reserve(motion, rows, 2 * motion->n_given + 3 * points));
  const double *q = cdn_state_q_eff(state);
  if (!q) return cdni_state_last_status(state);
  rows->problem = cdn_default_invertible_problem();
  cdn_invertible_problem *p = &rows->problem;
  p->n_limits = find_bounds(motion, q, law->w_max, rows->bounds), p->n_contacts = points;
  p->A = rows->A, p->R = rows->R, p->mu = rows->mu, p->v_min = rows->v_min;
  p->kappa = law->kappa, p->elastic = law->elastic;
  rows->n = invertible_rows(p), rows->normals = invertible_normals(p);
  if (rows->n == 0) return CDN_OK;
  memset(rows->J, 0, (size_t)p->n_limits * nu * sizeof *rows->J);
  for (int i = 0; i < p->n_limits; i++) rows->J[(size_t)i * nu + (size_t)rows->bounds[i].u] = -rows->bounds[i].side;
  CDNI_TRY(fill_points(motion, state, rows));
  apply_law(motion, law, rows);
  return CDN_OK;
}

cdn_status cdni_contact_rows_weigh(cdn_invertible_motion *motion, cdn_state *state, contact_rows *rows) {
  const size_t nu = (size_t)motion->nu, n = (size_t)rows->n;
  const bool constrained = cdn_system_constraint_count(motion->system) > 0;
  for (size_t k = 0; k < n; k++) {
    const double *row = rows->J + k * nu;
    double *to = rows->MJ + k * nu;
    CDNI_TRY(constrained ? cdn_solve_impulses(state, row, NULL, NULL, to, NULL, NULL)
                         : cdn_multiply_by_M_inv(state, row, to));
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      double sum = 0;
      for (size_t l = 0; l < nu; l++) sum += rows->J[i * nu + l] * rows->MJ[j * nu + l];
      rows->A[i * n + j] = rows->A[j * n + i] = sum;
    }
  return CDN_OK;
}

void cdni_contact_rows_multiply(const contact_rows *rows, const double *matrix, int nu, const double *x, double *out) {
  for (int i = 0; i < rows->n; i++) {
    const double *row = matrix + (size_t)i * (size_t)nu;
    double sum = 0;
    for (int k = 0; k < nu; k++) sum += row[k] * x[k];
    out[i] = sum;
  }
}

void cdni_contact_rows_add_transpose(const contact_rows *rows, const double *matrix, int nu, double factor,
                                     const double *x, double *out) {
  for (int i = 0; i < rows->n; i++) {
    const double *row = matrix + (size_t)i * (size_t)nu, y = factor * x[i];
    for (int k = 0; k < nu; k++) out[k] += row[k] * y;
  }
}
