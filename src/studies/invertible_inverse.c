/* Inverse dynamics along positions, and its derivative. */
#include "dynamics/dynamics.h"
#include "math/difference.h"
#include "matter/operators.h"
#include "studies/invertible.h"

#include <cardan/derivatives.h>

/* ---- speeds of positions ---- */

/* `next` as it would be before its quaternions were brought to unit length: so that the step is N u h to rounding. */
static void lengthen(const matter *m, const double *q, double *next) {
  for (int i = 1; i < m->tree.n; i++) {
    const tree_node *node = &m->tree.node[i];
    if (!node->quaternion) continue;
    const double *a = q + node->q;
    double *b = next + node->q, square = 0, dot = 0;
    for (int k = 0; k < 4; k++) square += a[k] * a[k], dot += a[k] * b[k];
    for (int k = 0; k < 4; k++) b[k] *= square / dot;
  }
}

cdn_status cdni_motion_speeds(cdn_invertible_motion *motion, const double *q, const double *next, double *w) {
  double *rate = motion->vector;
  const size_t nq = (size_t)motion->nq;
  memcpy(rate, next, nq * sizeof *rate);
  lengthen(motion->m, q, rate);
  for (size_t k = 0; k < nq; k++) rate[k] = (rate[k] - q[k]) / motion->def.step;
  CDNI_TRY(cdn_state_set_q(motion->scratch, q));
  return cdn_multiply_by_N_inv(motion->scratch, rate, w);
}

/* q displaced by `by` along mobility k. */
static cdn_status displace(cdn_invertible_motion *motion, const double *q, int k, double by, double *out) {
  double *unit = motion->vector, *rate = unit + motion->nu;
  memset(unit, 0, (size_t)motion->nu * sizeof *unit);
  unit[k] = by;
  CDNI_TRY(cdn_state_set_q(motion->scratch, q));
  CDNI_TRY(cdn_multiply_by_N(motion->scratch, unit, rate));
  for (int i = 0; i < motion->nq; i++) out[i] = q[i] + rate[i];
  cdni_state_normalize_q(motion->scratch, out, NULL);
  return CDN_OK;
}

/* ---- one position ---- */

/* What is known of the middle one of three positions. */
typedef struct place {
  const double *before, *q, *after;
  double *w, *w_next, *udot; /* nu */
} place;

static cdn_status look(cdn_invertible_motion *motion, const cdn_invertible_law *law, place *p, contact_rows *rows) {
  CDNI_TRY(cdni_motion_speeds(motion, p->q, p->after, p->w_next));
  CDNI_TRY(cdni_motion_speeds(motion, p->before, p->q, p->w));
  for (int k = 0; k < motion->nu; k++) p->udot[k] = (p->w_next[k] - p->w[k]) / motion->def.step;
  CDNI_TRY(cdn_state_set_q(motion->scratch, p->q));
  CDNI_TRY(cdn_state_set_u(motion->scratch, p->w));
  CDNI_TRY(cdni_contact_rows_find(motion, motion->scratch, law, rows));
  if (rows->n == 0) return CDN_OK;
  CDNI_TRY(cdni_contact_rows_weigh(motion, motion->scratch, rows));
  cdni_contact_rows_multiply(rows, rows->J, motion->nu, p->w_next, rows->v);
  return cdn_invertible_inverse(&rows->problem, rows->v, rows->f, NULL);
}

/* Derivatives of cdni_motion_speeds by displacements of q and of next, nu x nu each, by differences. `work`: nq + 2
 * nu. */
static cdn_status speed_derivatives(cdn_invertible_motion *motion, const double *q, const double *next, double *by_q,
                                    double *by_next, double *work) {
  const int nu = motion->nu;
  const double e = CDNI_DIFFERENCE;
  double *moved = work, *high = moved + motion->nq, *low = high + nu;
  for (int side = 0; side < 2; side++)
    for (int k = 0; k < nu; k++) {
      const double *from = side ? next : q, *a = side ? q : moved, *b = side ? moved : next;
      CDNI_TRY(displace(motion, from, k, e, moved));
      CDNI_TRY(cdni_motion_speeds(motion, a, b, high));
      CDNI_TRY(displace(motion, from, k, -e, moved));
      CDNI_TRY(cdni_motion_speeds(motion, a, b, low));
      for (int i = 0; i < nu; i++) (side ? by_next : by_q)[i * nu + k] = (high[i] - low[i]) / (2 * e);
    }
  return CDN_OK;
}

/* ---- the derivative of J^T f ---- */

/* f follows from R f + g + grad d_F = 0 with g = v + A y, y = grad d_V: so df = -B (dg + f dR). */
typedef struct contact_derivative {
  double *B, *y, *D;      /* of the contact problem */
  double *a;              /* nu: M^-1 J^T y */
  double *dM;             /* nu x nu: of M a by q at constant a */
  double *dv;             /* normals x nu: of v - v_min by q at constant w_next */
  double *g_q, *g_w;      /* n x nu: of g and f R, by q and by w_next */
  double *f_q, *f_w;      /* nu x nu: of J^T f */
  double *column, *moved; /* nu, nq */
} contact_derivative;

static size_t contact_derivative_size(size_t n, size_t normals, size_t nu, size_t nq) {
  return 9 * n + 2 * normals + 2 * nu + 3 * nu * nu + normals * nu + 2 * n * nu + nq;
}

static contact_derivative contact_derivative_at(size_t n, size_t normals, size_t nu, double *memory) {
  contact_derivative d = { .B = memory };
  d.y = d.B + 9 * n, d.D = d.y + normals, d.a = d.D + normals, d.column = d.a + nu, d.dM = d.column + nu;
  d.f_q = d.dM + nu * nu, d.f_w = d.f_q + nu * nu, d.dv = d.f_w + nu * nu, d.g_q = d.dv + normals * nu;
  d.g_w = d.g_q + n * nu, d.moved = d.g_w + n * nu;
  return d;
}

/* The row of a contact of `rows` in another set, or -1. */
static int same_row(const contact_rows *rows, const contact_rows *other, int row) {
  const int limits = rows->problem.n_limits;
  if (row < limits) {
    for (int i = 0; i < other->problem.n_limits; i++)
      if (other->bounds[i].limit == rows->bounds[row].limit && other->bounds[i].side == rows->bounds[row].side)
        return i;
    return -1;
  }
  const contact_within *p = &rows->points[(row - limits) / 3];
  for (int i = 0; i < other->problem.n_contacts; i++) {
    const contact_within *o = &other->points[i];
    if (o->a == p->a && o->b == p->b && o->feature == p->feature)
      return other->problem.n_limits + 3 * i + (row - limits) % 3;
  }
  return -1;
}

/* What a displacement along mobility k makes of J, by differences: column k of dv, g_q and f_q. */
static cdn_status differ(cdn_invertible_motion *motion, const cdn_invertible_law *law, const place *p,
                         const contact_rows *rows, int k, contact_derivative *d) {
  const int nu = motion->nu;
  const double e = CDNI_DIFFERENCE;
  contact_rows *side[2] = { &motion->own[1], &motion->own[2] };
  for (int i = 0; i < 2; i++) {
    CDNI_TRY(displace(motion, p->q, k, i ? -e : e, d->moved));
    CDNI_TRY(cdn_state_set_q(motion->scratch, d->moved));
    CDNI_TRY(cdni_contact_rows_find(motion, motion->scratch, law, side[i]));
  }
  for (int j = 0; j < nu; j++) d->column[j] = -d->dM[j * nu + k], d->f_q[j * nu + k] = 0;
  for (int i = 0, normal = 0; i < rows->n; i++) {
    const bool is_normal = invertible_normal_row(&rows->problem, normal) == i;
    double dv = 0, da = 0;
    const int a = same_row(rows, side[0], i), b = same_row(rows, side[1], i);
    for (int j = 0; j < nu && a >= 0 && b >= 0; j++) {
      const double dJ =
          (side[0]->J[(size_t)a * (size_t)nu + (size_t)j] - side[1]->J[(size_t)b * (size_t)nu + (size_t)j]) / (2 * e);
      dv += dJ * p->w_next[j], da += dJ * d->a[j];
      if (is_normal) d->column[j] += dJ * d->y[normal];
      d->f_q[j * nu + k] += dJ * rows->f[i];
    }
    d->g_q[i * nu + k] = dv + da;
    if (is_normal) d->dv[normal++ * nu + k] = dv;
  }
  for (int i = 0; i < rows->n; i++)
    for (int j = 0; j < nu; j++) d->g_q[i * nu + k] += rows->MJ[(size_t)i * (size_t)nu + (size_t)j] * d->column[j];
  return CDN_OK;
}

/* What is not differenced: R, v_min and v - v_min in y; then f_q, f_w. */
static void finish(const contact_rows *rows, int nu, contact_derivative *d) {
  const int n = rows->n, limits = rows->problem.n_limits;
  memcpy(d->g_w, rows->J, (size_t)n * (size_t)nu * sizeof *d->g_w);
  for (int l = 0; l < rows->normals; l++) {
    const int row = invertible_normal_row(&rows->problem, l);
    const double *J = rows->J + (size_t)row * (size_t)nu;
    for (int k = 0; k < nu; k++) d->dv[l * nu + k] -= rows->dv_min[l] * J[k];
    for (int i = 0; i < n; i++) {
      const double weight = rows->A[i * n + row] * d->D[l];
      for (int k = 0; k < nu; k++)
        d->g_q[i * nu + k] += weight * d->dv[l * nu + k], d->g_w[i * nu + k] += weight * J[k];
    }
    for (int i = l < limits ? row : row - 2; i <= row; i++)
      for (int k = 0; k < nu; k++) d->g_q[i * nu + k] += rows->f[i] * rows->dR[i] * J[k];
  }
  memset(d->f_w, 0, (size_t)nu * (size_t)nu * sizeof *d->f_w);
  for (int i = 0; i < n; i++) {
    const int first = i < limits ? i : limits + (i - limits) / 3 * 3, size = i < limits ? 1 : 3;
    const double *B = i < limits ? d->B + i : d->B + limits + 9 * ((i - limits) / 3) + 3 * ((i - limits) % 3);
    const double *J = rows->J + (size_t)i * (size_t)nu;
    for (int k = 0; k < nu; k++) {
      double by_q = 0, by_w = 0;
      for (int l = 0; l < size; l++)
        by_q -= B[l] * d->g_q[(first + l) * nu + k], by_w -= B[l] * d->g_w[(first + l) * nu + k];
      for (int j = 0; j < nu; j++) d->f_q[j * nu + k] += J[j] * by_q, d->f_w[j * nu + k] += J[j] * by_w;
    }
  }
}

/* d(M a)/dq at u = 0: inverse dynamics is linear in udot. */
static cdn_status mass_derivative(cdn_invertible_motion *motion, const place *p, const double *a, double *out,
                                  double *work) {
  const size_t nu = (size_t)motion->nu;
  memset(work, 0, nu * sizeof *work);
  CDNI_TRY(cdn_state_set_u(motion->scratch, work));
  CDNI_TRY(cdn_inverse_dynamics_derivatives(motion->scratch, a, out, NULL, NULL));
  CDNI_TRY(cdn_inverse_dynamics_derivatives(motion->scratch, NULL, work, NULL, NULL));
  for (size_t i = 0; i < nu * nu; i++) out[i] -= work[i];
  return cdn_state_set_u(motion->scratch, p->w);
}

static cdn_status contact_part(cdn_invertible_motion *motion, const cdn_invertible_law *law, const place *p,
                               contact_rows *rows, contact_derivative *d) {
  const int nu = motion->nu;
  CDNI_TRY(cdn_invertible_inverse_derivatives(&rows->problem, rows->v, rows->f, d->B, d->y, d->D));
  memset(d->a, 0, (size_t)nu * sizeof *d->a);
  for (int l = 0; l < rows->normals; l++)
    for (int j = 0; j < nu; j++)
      d->a[j] += rows->MJ[(size_t)invertible_normal_row(&rows->problem, l) * (size_t)nu + (size_t)j] * d->y[l];
  CDNI_TRY(mass_derivative(motion, p, d->a, d->dM, d->f_q));
  for (int k = 0; k < nu; k++) CDNI_TRY(differ(motion, law, p, rows, k, d));
  CDNI_TRY(cdn_state_set_q(motion->scratch, p->q));
  finish(rows, nu, d);
  return CDN_OK;
}

/* ---- the derivative of tau ---- */

/* out (nu x columns, nu of them from `at` on) += factor A B. */
static void add_product(int nu, double factor, const double *A, const double *B, double *out, int columns, int at) {
  for (int i = 0; i < nu; i++)
    for (int l = 0; l < nu; l++) {
      const double x = factor * A[i * nu + l];
      for (int k = 0; k < nu; k++) out[i * columns + at + k] += x * B[l * nu + k];
    }
}

static cdn_status differentiate(cdn_invertible_motion *motion, const cdn_invertible_law *law, const place *p,
                                contact_rows *rows, double *out, double *memory) {
  const int nu = motion->nu;
  const size_t square = (size_t)nu * (size_t)nu;
  const double h = motion->def.step;
  double *by_q = memory, *by_u = by_q + square, *M = by_u + square, *now[2] = { M + square, M + 2 * square };
  double *next[2] = { now[1] + square, now[1] + 2 * square }, *work = next[1] + square;
  memset(out, 0, 3 * square * sizeof *out);
  CDNI_TRY(cdn_inverse_dynamics_derivatives(motion->scratch, p->udot, by_q, by_u, NULL));
  CDNI_TRY(cdn_calc_M(motion->scratch, M));
  for (size_t i = 0; i < square; i++) M[i] /= h, by_u[i] -= M[i];
  if (rows->n > 0) {
    contact_derivative d = contact_derivative_at((size_t)rows->n, (size_t)rows->normals, (size_t)nu, work);
    CDNI_TRY(contact_part(motion, law, p, rows, &d));
    for (size_t i = 0; i < square; i++) by_q[i] -= d.f_q[i] / h, M[i] -= d.f_w[i] / h;
  }
  CDNI_TRY(speed_derivatives(motion, p->before, p->q, now[0], now[1], work));
  CDNI_TRY(speed_derivatives(motion, p->q, p->after, next[0], next[1], work));
  add_product(nu, 1, by_u, now[0], out, 3 * nu, 0);
  for (int i = 0; i < nu; i++)
    for (int k = 0; k < nu; k++) out[i * 3 * nu + nu + k] += by_q[i * nu + k];
  add_product(nu, 1, by_u, now[1], out, 3 * nu, nu);
  add_product(nu, 1, M, next[0], out, 3 * nu, nu);
  add_product(nu, 1, M, next[1], out, 3 * nu, 2 * nu);
  return CDN_OK;
}

/* Soft rows answer to the accelerations without contact, as in a step. Provided rows do not tell their forces by
 * these. */
static cdn_status subtract_soft(cdn_invertible_motion *motion, const place *p, const contact_rows *rows, bool varied,
                                double *tau) {
  const size_t nu = (size_t)motion->nu;
  double *a = motion->vector + motion->nq + 4 * motion->nu, *f = a + nu;
  if (varied) CDNI_TRY(cdni_dynamics_refuse_rows(motion->scratch, "cdn_invertible_optimize_path"));
  else CDNI_TRY(cdni_dynamics_refuse_exact_rows(motion->scratch, "cdn_invertible_motion_inverse"));
  memcpy(a, p->udot, nu * sizeof *a);
  if (rows->n > 0) cdni_contact_rows_add_transpose(rows, rows->MJ, motion->nu, -1 / motion->def.step, rows->f, a);
  CDNI_TRY(cdn_soft_forces(motion->scratch, a, f));
  for (size_t k = 0; k < nu; k++) tau[k] -= f[k];
  return CDN_OK;
}

cdn_status cdni_motion_inverse_at(cdn_invertible_motion *motion, const cdn_invertible_law *law, const double *q,
                                  double *tau, double *derivative) {
  const size_t nq = (size_t)motion->nq, nu = (size_t)motion->nu;
  contact_rows *rows = &motion->own[0];
  double *speeds = motion->vector + nq + nu;
  place p = { q, q + nq, q + 2 * nq, speeds, speeds + nu, speeds + 2 * nu };
  CDNI_TRY(look(motion, law, &p, rows));
  CDNI_TRY(cdn_residual(motion->scratch, p.udot, tau));
  CDNI_TRY(subtract_soft(motion, &p, rows, derivative != NULL, tau));
  if (rows->n > 0) cdni_contact_rows_add_transpose(rows, rows->J, motion->nu, -1 / motion->def.step, rows->f, tau);
  if (!derivative) return CDN_OK;
  const size_t doubles =
      7 * nu * nu + 2 * nu + nq + contact_derivative_size((size_t)rows->n, (size_t)rows->normals, nu, nq);
  double *memory = cdni_alloc(&motion->allocator, doubles * sizeof *memory);
  if (!memory) return CDN_ERR_NOMEM;
  const cdn_status status = differentiate(motion, law, &p, rows, derivative, memory);
  cdni_free(&motion->allocator, memory, doubles * sizeof *memory);
  return status;
}

/* ---- along positions ---- */

cdn_status cdni_motion_check_inverse(cdn_invertible_motion *motion, const char *function) {
  for (int i = 0; i < cdn_system_constraint_count(motion->system); i++)
    if (cdn_constraint_is_enabled(motion->state, (cdn_constraint){ i })) {
      const char *name = cdn_constraint_name(motion->system, (cdn_constraint){ i });
      return cdni_state_fail(motion->state, CDN_ERR_UNSUPPORTED, false, function, name,
                             "the constraint '%s' is on, and forces are not unique with it: switch it off", name);
    }
  for (int i = 1; i < motion->m->tree.n; i++)
    if (cdn_body_driver(motion->state, (cdn_body){ i }).level != CDN_LEVEL_NONE) {
      const char *name = cdn_body_name(motion->system, (cdn_body){ i });
      return cdni_state_fail(motion->state, CDN_ERR_UNSUPPORTED, false, function, name,
                             "'%s' is locked or has a prescribed motion: unlock it, or switch the motion off", name);
    }
  return CDN_OK;
}

cdn_status cdn_invertible_motion_inverse(cdn_invertible_motion *motion, int n, const double *q, double *tau) {
  CDNI_NEED_OBJECT(motion, CDN_ERR_ARG);
  CDNI_NEED(motion->state, q);
  CDNI_NEED(motion->state, tau);
  if (n < 3)
    return cdni_state_fail(motion->state, CDN_ERR_ARG, false, __func__, NULL, "n is %d: give three positions or more",
                           n);
  size_t bad;
  if (!cdni_all_finite(q, (size_t)n * (size_t)motion->nq, &bad))
    return cdni_state_fail(motion->state, CDN_ERR_NONFINITE, false, __func__, NULL,
                           "position %d has a number that is not finite", (int)(bad / (size_t)motion->nq));
  CDNI_TRY(cdni_motion_check_inverse(motion, __func__));
  CDNI_TRY(cdn_state_copy(motion->scratch, motion->state));
  for (int i = 0; i + 2 < n; i++) {
    const cdn_status status = cdni_motion_inverse_at(motion, &motion->law, q + (size_t)i * (size_t)motion->nq,
                                                     tau + (size_t)i * (size_t)motion->nu, NULL);
    if (status == CDN_OK) continue;
    cdn_error error;
    cdn_last_error(&error);
    return cdni_state_fail(motion->state, status, error.recoverable, __func__, error.element[0] ? error.element : NULL,
                           "position %d: %s", i + 1, status == CDN_ERR_NOMEM ? "out of memory" : error.text);
  }
  return CDN_OK;
}
