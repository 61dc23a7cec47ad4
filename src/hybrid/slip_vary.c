/* How accelerations vary while friction slips, by the implicit function theorem.
 *
 * Friction i pushes with -sigma e along its rows H, where sigma = mu(v) N(lambda), and v = H u + rest. At constant
 * sigma a change of q and u turns e, and carries the rows along. Then sigma changes by
 *
 *   d sigma = N d mu + mu N' dlambda,     dlambda = dlambda0 + L d sigma,     N' = dN/dlambda,
 *
 * with the columns L of the System's answer: (1 - mu N' L) d sigma = N d mu + mu N' dlambda0. The answer to d sigma is
 * added. A reaction r that is kept does not change: r' L d sigma = -r' dlambda0. */
#include <math.h>

#include "hybrid/press.h"
#include "hybrid/slip.h"
#include "matter/derivatives.h"

int cdni_hybrid_slip_count(const hybrid_room *room, const cdn_state *state) {
  return cdni_hybrid_list_slips(room, state, NULL);
}

static const double *multipliers(const hybrid_room *room, cdn_state *state) {
  return (const double *)cdni_state_storage(state, (cdn_cache){ 0, CDN_MULTIPLIERS }) +
         cdni_constraints_first_row(room->constraints);
}

/* ---- at constant multipliers ---- */

/* For a change of the speed of slip: that of e, and of mu. */
static double turn(const friction_law *law, const double *numbers, const double *p, int n, const double dv[2],
                   double de[2]) {
  const double length = numbers[FRICTION_REST] >= 0 ? hypot(law->v[0], law->v[1]) : 0;
  const double along = dv[0] * law->e[0] + dv[1] * law->e[1];
  for (int k = 0; k < 2; k++) de[k] = n > 1 && length > 0 ? (dv[k] - law->e[k] * along) / length : 0;
  const double more = along + law->v[0] * de[0] + law->v[1] * de[1];
  return law->along < 0 ? -p[FRICTION_VISCOUS] * more : p[FRICTION_VISCOUS] * more;
}

/* One friction: V has the derivatives of its speeds (n x nu) by q or u. Adds sigma H^T de to tau's, writes N dmu. */
static void add_turns(const friction_law *law, const double *numbers, const double *params, int n, size_t nu, double N,
                      const double *H, const double *V, double *tau, double *change) {
  for (size_t c = 0; c < nu; c++) {
    double dv[2] = { V[c], n > 1 ? V[nu + c] : 0 }, de[2];
    change[c] = N * turn(law, numbers, params, n, dv, de);
    for (int k = 0; k < n; k++)
      for (size_t u = 0; u < nu && de[k] != 0; u++) tau[u * nu + c] += law->mu * N * de[k] * H[(size_t)k * nu + u];
  }
}

static cdn_status one(const hybrid_room *room, derivative_pass *p, int i, double *V, double *by_q, double *by_u) {
  const size_t nu = (size_t)p->m->tree.nu;
  const follower x = cdni_follower(room, i);
  const double *now = cdni_hybrid_forces(room, p->state) + 2 * i;
  if (x.keeps) { /* its row, with a constant force */
    for (size_t k = 0; by_q && k < nu; k++) by_q[k] = 0;
    for (size_t k = 0; by_u && k < nu; k++) by_u[k] = 0;
    return cdni_constraint_differentiate_off(room->constraints, p, x.push, now, V);
  }
  const double *numbers = friction_numbers(room, p->state, i), *params = friction_params(room, p->state, i);
  double *H = V + 2 * nu, force[2] = { 0, 0 };
  friction_law law;
  CDNI_TRY(cdni_friction_law(room, p->state, i, &law));
  const double N = cdni_friction_press(room, p->state, i, &(pressing){ .lambda = multipliers(room, p->state) }, NULL);
  for (int k = 0; k < x.n; k++) force[k] = -law.mu * N * law.pull[k];
  CDNI_TRY(cdni_constraint_differentiate_off(room->constraints, p, x.push, force, V));
  CDNI_TRY(cdni_constraint_full_rows(room->constraints, p->state, x.push, H));
  for (size_t k = nu; x.n > 1 && k < 2 * nu; k++) V[k] *= law.scale, H[k] *= law.scale;
  if (by_q) add_turns(&law, numbers, params, x.n, nu, N, H, V, p->dq, by_q);
  if (by_u) add_turns(&law, numbers, params, x.n, nu, N, H, H, p->du, by_u);
  return CDN_OK;
}

cdn_status cdni_hybrid_differentiate(const hybrid_room *room, derivative_pass *p, double *by_q, double *by_u) {
  const size_t nu = (size_t)p->m->tree.nu;
  double *V;
  CDNI_TRY(cdni_hybrid_refuse_joints(room, p->state, p->function, CDN_FRICTION_SLIP));
  CDNI_TRY(cdni_operator_work(p->state, p->function, (4 * nu + 1) * sizeof *V, (void **)&V));
  cdn_status status = CDN_OK;
  for (int i = 0, k = 0; i < hybrid_followers(room) && status == CDN_OK; i++) {
    if (!cdni_follower_acts(room, hybrid_statuses(room, p->state), i)) continue;
    status = one(room, p, i, V, by_q ? by_q + (size_t)k * nu : NULL, by_u ? by_u + (size_t)k * nu : NULL);
    k++;
  }
  cdn_work_pop(p->state, V);
  return status;
}

/* ---- with them ---- */

typedef struct slip_columns {
  const hybrid_room *room;
  cdn_state *state;
  int n, *elements;
  friction_law *laws;
  double *G, *X, *L, *A, *B, *r; /* 2 x nu, nu x n, equations x n, n x n twice; n x the most columns */
  double *scale;                 /* of the equation of each kept reaction: its largest number */
} slip_columns;

static size_t divide(slip_columns *x, size_t columns, char *frame) {
  const size_t n = (size_t)x->n, nu = (size_t)x->room->matter->tree.nu, d = sizeof(double);
  const size_t m = (size_t)cdni_constraints_equations(x->room->constraints);
  size_t at = 0;
  x->elements = cdni_part(frame, &at, n, sizeof *x->elements);
  x->laws = cdni_part(frame, &at, n, sizeof *x->laws);
  x->G = cdni_part(frame, &at, 2 * nu, d), x->X = cdni_part(frame, &at, nu * n, d);
  x->L = cdni_part(frame, &at, m * n, d), x->A = cdni_part(frame, &at, n * n, d);
  x->B = cdni_part(frame, &at, n * n, d), x->r = cdni_part(frame, &at, n * columns, d);
  x->scale = cdni_part(frame, &at, n, d);
  return at;
}

/* to (rows x columns) += A (rows x n) times d sigma. */
static void add_answer(const slip_columns *x, size_t rows, const double *A, size_t columns, double *to) {
  const size_t n = (size_t)x->n;
  for (size_t k = 0; k < rows; k++)
    for (size_t j = 0; j < n; j++)
      for (size_t c = 0; c < columns && A[k * n + j] != 0; c++)
        to[k * columns + c] += A[k * n + j] * x->r[j * columns + c];
}

/* How a kept reaction changes along the columns. */
static void change_kept(const slip_columns *x, int element, const pressing *p, double *out) {
  cdni_kept_now(x->room, element - hybrid_frictions(x->room), p, out);
}

static cdn_status vary(slip_columns *x, const slip_variation *v) {
  const size_t n = (size_t)x->n, columns = (size_t)v->columns;
  const pressing p = { .lambda = multipliers(x->room, x->state),
                       .columns = v->lambda ? v->columns : 0,
                       .L = v->lambda };
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    double *r = x->r + i * columns;
    if (cdni_follower(x->room, x->elements[i]).keeps) {
      change_kept(x, x->elements[i], &p, r);
      for (size_t c = 0; c < columns; c++) r[c] /= -x->scale[i];
      continue;
    }
    cdni_friction_press(x->room, x->state, x->elements[i], &p, r);
    for (size_t c = 0; c < columns; c++)
      r[c] = (v->lambda ? x->laws[i].mu * r[c] : 0) + (v->change ? v->change[i * columns + c] : 0);
  }
  memcpy(x->B, x->A, n * n * sizeof *x->B);
  for (size_t k = 0; k < n * n; k++) most = fmax(most, fabs(x->B[k]));
  if (!cdni_eliminate(x->n, most, x->B, (int)columns, x->r)) {
    const char *name = cdni_follower(x->room, x->elements[0]).name;
    return cdni_state_fail(x->state, CDN_ERR_SINGULAR, false, "cdn_forward_dynamics_derivatives", name,
                           "the force of '%s' does not follow from the reactions that it causes (Painleve)", name);
  }
  add_answer(x, (size_t)x->room->matter->tree.nu, x->X, columns, v->udot);
  if (v->lambda) add_answer(x, (size_t)cdni_constraints_equations(x->room->constraints), x->L, columns, v->lambda);
  return CDN_OK;
}

static cdn_status vary_all(slip_columns *x, int variations, const slip_variation *v) {
  const size_t n = (size_t)x->n;
  const pressing p = { .lambda = multipliers(x->room, x->state), .columns = x->n, .L = x->L };
  cdni_hybrid_list_slips(x->room, x->state, x->elements);
  for (size_t i = 0; i < n; i++) CDNI_TRY(cdni_follower_law(x->room, x->state, x->elements[i], &x->laws[i]));
  CDNI_TRY(cdni_slip_columns(x->room, x->state, x->n, x->elements, x->laws, x->G, x->X));
  CDNI_TRY(x->room->answer.solve(x->state, x->n, x->X, x->L));
  for (size_t i = 0; i < n; i++) {
    double *row = x->A + i * n;
    x->scale[i] = 0;
    if (cdni_follower(x->room, x->elements[i]).keeps) {
      change_kept(x, x->elements[i], &p, row);
      for (size_t j = 0; j < n; j++) x->scale[i] = fmax(x->scale[i], fabs(row[j]));
      for (size_t j = 0; j < n; j++) row[j] /= x->scale[i];
      continue;
    }
    cdni_friction_press(x->room, x->state, x->elements[i], &p, row);
    for (size_t j = 0; j < n; j++) row[j] *= -x->laws[i].mu;
    row[i] += 1;
  }
  for (int k = 0; k < variations; k++)
    if (v[k].columns > 0) CDNI_TRY(vary(x, &v[k]));
  return CDN_OK;
}

cdn_status cdni_hybrid_vary(const hybrid_room *room, cdn_state *state, const char *function, int n,
                            const slip_variation *variations) {
  slip_columns x = { .room = room, .state = state, .n = cdni_hybrid_list_slips(room, state, NULL) };
  size_t columns = 0;
  for (int k = 0; k < n; k++)
    columns = (size_t)variations[k].columns > columns ? (size_t)variations[k].columns : columns;
  void *frame;
  CDNI_TRY(cdni_operator_work(state, function, divide(&x, columns, NULL), &frame));
  divide(&x, columns, frame);
  const cdn_status status = vary_all(&x, n, variations);
  cdn_work_pop(state, frame);
  return status;
}
