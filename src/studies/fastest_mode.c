/* The fastest normal mode, by Lanczos' method on M^-1 K (Golub and Van Loan, 10.1), in the space that constraints and
 * motions leave free. K v is a difference of residuals of the equations at rest, M^-1 is applied in O(n), and no matrix
 * is made. */
#include <math.h>

#include <cardan/constraints.h>
#include <cardan/modes.h>
#include <cardan/operators.h>

#include "math/dense.h"
#include "matter/kinds.h"
#include "matter/operators.h"
#include "matter/scale.h"
#include "studies/sampling.h"
#include "studies/statics.h"

enum { MOST = 150, SETTLED = 4 };
static const double SHIFT = 1e-6; /* of a difference: the farthest that a body moves, in lengths of the model or rad */
static const double CLOSE = 1e-9; /* the eigenvalue is known if SETTLED vectors change it by less, relatively */
static const double EXHAUSTED = 1e-8; /* of the size of M^-1 K: a vector that is shorter is rounding */

typedef struct lanczos {
  cdn_state *state; /* at rest */
  const matter *m;
  int nq, nu, equations;
  double length;
  double *q0, *q, *qdot;
  double *lambda, *balance, *plus, *minus; /* multipliers; the residual at q0; K v and work */
  double *v, *Mv, *before, *M_before, *w;  /* vectors of nu numbers */
  cdn_spatial *V;
} lanczos;

static size_t divide(lanczos *l, double *at) {
  const size_t nu = (size_t)l->nu, nq = (size_t)l->nq,
               bodies = (size_t)cdn_system_body_count(cdn_state_system(l->state));
  double **const of_q[] = { &l->q0, &l->q, &l->qdot };
  double **const of_u[] = { &l->balance, &l->plus, &l->minus, &l->v, &l->Mv, &l->before, &l->M_before, &l->w };
  if (at) {
    l->V = (cdn_spatial *)at, at += 6 * bodies;
    for (int i = 0; i < CDNI_COUNT(of_q); i++, at += nq) *of_q[i] = at;
    for (int i = 0; i < CDNI_COUNT(of_u); i++, at += nu) *of_u[i] = at;
    l->lambda = at;
  }
  return 6 * bodies + 3 * nq + CDNI_COUNT(of_u) * nu + (size_t)l->equations + 1;
}

/* r = -f + G^T lambda at q0 + h qdot; work: nu. */
static cdn_status residual(lanczos *l, double h, double *r, double *work) {
  for (int i = 0; i < l->nq; i++) l->q[i] = l->q0[i] + h * l->qdot[i];
  CDNI_TRY(cdn_state_set_q(l->state, l->q));
  CDNI_TRY(cdn_residual(l->state, NULL, r));
  if (l->equations == 0) return CDN_OK;
  CDNI_TRY(cdn_multiply_by_G_transpose(l->state, l->lambda, work));
  for (int i = 0; i < l->nu; i++) r[i] += work[i];
  return CDN_OK;
}

/* Takes the skew part of K v away. It comes from turns, which do not commute: along speeds in F's axes K - K^T is the
 * cross product with the torque that is out of balance. */
static void symmetrize(const lanczos *l, double *Kv) {
  for (int i = 1; i < l->m->tree.n; i++) {
    const tree_node *n = &l->m->tree.node[i];
    if (cdni_kind_of(n)->speeds != SPEEDS_TURN_IN_F) continue;
    const double *r = l->balance + n->u, *v = l->v + n->u;
    const cdn_vec3 skew = cdn_cross(cdn_v3(r[0], r[1], r[2]), cdn_v3(v[0], v[1], v[2]));
    Kv[n->u] += 0.5 * skew.x, Kv[n->u + 1] += 0.5 * skew.y, Kv[n->u + 2] += 0.5 * skew.z;
  }
}

/* plus = K v; the State is at q0 again. */
static cdn_status stiffness(lanczos *l) {
  CDNI_TRY(cdn_multiply_by_N(l->state, l->v, l->qdot));
  CDNI_TRY(cdn_multiply_by_J(l->state, l->v, l->V));
  const double size = cdni_matter_displacement(l->m, l->state, l->V, l->length);
  const double h = size > 0 ? SHIFT / size : SHIFT;
  CDNI_TRY(residual(l, h, l->plus, l->w));
  CDNI_TRY(residual(l, -h, l->minus, l->w));
  for (int i = 0; i < l->nu; i++) l->plus[i] = (l->plus[i] - l->minus[i]) / (2 * h);
  symmetrize(l, l->plus);
  return cdn_state_set_q(l->state, l->q0);
}

/* x = M^-1 f along what is free; f becomes M x. */
static cdn_status accelerate(lanczos *l, double *f, double *x) {
  CDNI_TRY(cdn_multiply_by_M_inv(l->state, f, x));
  CDNI_TRY(cdni_project_speeds(l->state, x));
  return cdn_multiply_by_M(l->state, x, f);
}

/* Eigenvalues of the tridiagonal matrix that are below x (Sturm's sequence). */
static int count_below(const double *alpha, const double *beta, int n, double x) {
  int below = 0;
  double d = 1;
  for (int i = 0; i < n; i++) {
    d = alpha[i] - x - (i > 0 ? beta[i - 1] * beta[i - 1] / d : 0);
    if (d == 0) d = 1e-300;
    below += d < 0;
  }
  return below;
}

static double largest_eigenvalue(const double *alpha, const double *beta, int n) {
  double low = -INFINITY, high = -INFINITY;
  for (int i = 0; i < n; i++) {
    const double around = (i > 0 ? beta[i - 1] : 0) + (i + 1 < n ? beta[i] : 0);
    low = fmax(low, alpha[i]), high = fmax(high, alpha[i] + around);
  }
  for (int i = 0; i < 60; i++) {
    const double middle = 0.5 * (low + high);
    if (count_below(alpha, beta, n, middle) < n) low = middle;
    else high = middle;
  }
  return high;
}

/* A first vector in which every mode has a part. */
static cdn_status begin(lanczos *l) {
  const cdn_random_place place = { .seed = 1 };
  cdn_random_uniform(&place, l->nu, l->Mv);
  for (int i = 0; i < l->nu; i++) l->Mv[i] -= 0.5, l->before[i] = l->M_before[i] = 0;
  return accelerate(l, l->Mv, l->v);
}

/* v, Mv become the next vector: w and plus without their parts along the last two, whose length is *beta then. */
static void next(lanczos *l, double alpha, double before, double *beta) {
  double square = 0;
  for (int i = 0; i < l->nu; i++) {
    const double x = l->w[i] - alpha * l->v[i] - before * l->before[i],
                 Mx = l->plus[i] - alpha * l->Mv[i] - before * l->M_before[i];
    l->before[i] = l->v[i], l->M_before[i] = l->Mv[i];
    l->v[i] = x, l->Mv[i] = Mx;
    square += x * Mx;
  }
  *beta = square > 0 ? sqrt(square) : 0;
}

static cdn_status iterate(lanczos *l, double *omega_squared) {
  double alpha[MOST], beta[MOST + 1] = { 0 }, size = 0;
  int settled = 0;
  CDNI_TRY(begin(l));
  double along = sqrt(fmax(cdni_dot(l->nu, l->v, l->Mv), 0));
  for (int n = 0; n < MOST && n < l->nu && settled < SETTLED && along > EXHAUSTED * size; n++) {
    for (int i = 0; i < l->nu; i++) l->v[i] /= along, l->Mv[i] /= along;
    if (n > 0) beta[n - 1] = along;
    CDNI_TRY(stiffness(l));
    alpha[n] = cdni_dot(l->nu, l->v, l->plus);
    CDNI_TRY(accelerate(l, l->plus, l->w));
    next(l, alpha[n], n > 0 ? beta[n - 1] : 0, &along);
    const double largest = largest_eigenvalue(alpha, beta, n + 1);
    settled = n > 0 && fabs(largest - *omega_squared) <= CLOSE * fabs(largest) ? settled + 1 : 0;
    *omega_squared = largest;
    size = fmax(size, fmax(fabs(alpha[n]), n > 0 ? beta[n - 1] : 0));
  }
  return CDN_OK;
}

static cdn_status find(lanczos *l, double *omega_squared) {
  CDNI_TRY(cdn_realize(l->state, CDN_STAGE_ACCELERATION));
  l->length = cdni_matter_length(l->m, l->state);
  memcpy(l->q0, cdn_state_q(l->state), (size_t)l->nq * sizeof *l->q0);
  if (l->equations > 0) {
    const double *lambda = cdn_state_multipliers(l->state);
    if (!lambda) return cdni_state_last_status(l->state);
    memcpy(l->lambda, lambda, (size_t)l->equations * sizeof *lambda);
  }
  memset(l->qdot, 0, (size_t)l->nq * sizeof *l->qdot);
  CDNI_TRY(residual(l, 0, l->balance, l->w));
  return iterate(l, omega_squared);
}

cdn_status cdn_fastest_mode(cdn_state *state, double *omega_squared) {
  CDNI_NEED(state, omega_squared);
  const cdn_system *system = cdn_state_system(state);
  lanczos l = { .nq = cdn_system_nq(system), .nu = cdn_system_nu(system), .equations = cdn_system_nudoterr(system) };
  *omega_squared = 0;
  CDNI_TRY(cdni_study_matter(state, __func__, &l.m));
  if (l.nu == 0) return CDN_OK;
  CDNI_TRY(cdni_rest_state(state, __func__, &l.state));
  double *memory = cdn_work_push(state, divide(&l, NULL) * sizeof *memory);
  cdn_status status = CDN_OK;
  if (!memory) status = cdni_state_fail(state, CDN_ERR_NOMEM, false, __func__, NULL, "out of memory");
  else {
    divide(&l, memory);
    status = find(&l, omega_squared);
  }
  cdn_work_pop(state, memory);
  cdni_rest_destroy(state, l.state, status);
  return status;
}
