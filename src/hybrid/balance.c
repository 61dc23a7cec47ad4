/* Forces that follow reactions, in a balance r + sum of lambda G = tau of inverse dynamics: accelerations are given,
 * and multipliers are wanted. Friction that slips is sigma = mu N(lambda, sigma). Near lambda0 this is linear,
 *
 *   sigma = c + D lambda,     (1 - mu N_sigma) (sigma - sigma0) = mu N0 - sigma0 + mu N_lambda (lambda - lambda0),
 *
 * so it becomes part of r and of G; Newton's method takes the next lambda0. At given accelerations what a mobilizer
 * transmits is linear in lambda and sigma. A force that keeps a reaction is a multiplier of its own; the multiplier
 * that it keeps is known. */
#include <math.h>

#include "hybrid/press.h"
#include "hybrid/slip.h"

struct hybrid_balance {
  const hybrid_room *room;
  cdn_state *state;
  const char *function;
  int m, n, *elements; /* equations of all constraints; friction that slips */
  friction_law *laws;
  double *H;                 /* by friction: what a force of 1 against its slip asks of mobilities (nu) */
  double *sigma, *c, *D;     /* n, n, n x m */
  double *L, *J;             /* changes along all multipliers and all sigma: of the multipliers, of the joints */
  double *joints0, *joints;  /* without multipliers and sigma; and with them */
  double *slope, *A, *right; /* m + n; n x n; n x (m + 1) */
  double *unit;              /* nu + m: no accelerations, and a multiplier of 1 */
};

static size_t divide(hybrid_balance *b, char *base) {
  const size_t n = (size_t)b->n, m = (size_t)b->m, nu = (size_t)b->room->matter->tree.nu, d = sizeof(double);
  const size_t joints = JOINT_NUMBERS * (size_t)b->room->joints, all = m + n;
  size_t at = cdni_aligned(sizeof *b);
  b->elements = cdni_part(base, &at, n, sizeof *b->elements), b->laws = cdni_part(base, &at, n, sizeof *b->laws);
  b->H = cdni_part(base, &at, (n + CONE_MOST_TANGENTS) * nu, d);
  b->sigma = cdni_part(base, &at, n, d), b->c = cdni_part(base, &at, n, d), b->D = cdni_part(base, &at, n * m, d);
  b->L = cdni_part(base, &at, n > 0 ? m * all : 0, d), b->J = cdni_part(base, &at, joints * all, d);
  b->joints0 = cdni_part(base, &at, joints, d), b->joints = cdni_part(base, &at, joints, d);
  b->slope = cdni_part(base, &at, all, d), b->A = cdni_part(base, &at, n * n, d);
  b->right = cdni_part(base, &at, n * (m + 1), d), b->unit = cdni_part(base, &at, nu + m, d);
  return at;
}

/* A slip that begins has the direction along which it accelerates (8.84), and that is known here. */
static cdn_status set_direction(hybrid_balance *b, int i, const sv *A, const double *udot) {
  const dry_friction *x = friction_at(b->room, b->elements[i]);
  friction_law *law = &b->laws[i];
  double a[CONE_MOST_TANGENTS] = { 0 };
  if (!cdni_friction_begins(b->room, hybrid_statuses(b->room, b->state), b->elements[i])) return CDN_OK;
  CDNI_TRY(cdni_constraint_accelerations(b->room->constraints, b->state, x->slip, A, udot, a));
  a[1] *= law->scale;
  const double size = cone_norm(a);
  if (!(size > 0)) return CDN_OK;
  for (int k = 0; k < CONE_MOST_TANGENTS; k++) law->e[k] = a[k] / size, law->pull[k] = law->e[k];
  law->pull[1] *= law->scale;
  return CDN_OK;
}

/* What the frictions ask of mobilities, by their size. */
static cdn_status find_columns(hybrid_balance *b, const sv *A, const double *udot) {
  const size_t nu = (size_t)b->room->matter->tree.nu;
  double *rows = b->H + (size_t)b->n * nu;
  for (int i = 0; i < b->n; i++) {
    const dry_friction *x = friction_at(b->room, b->elements[i]);
    double *to = b->H + (size_t)i * nu;
    CDNI_TRY(cdni_friction_law(b->room, b->state, b->elements[i], &b->laws[i]));
    CDNI_TRY(set_direction(b, i, A, udot));
    CDNI_TRY(cdni_constraint_full_rows(b->room->constraints, b->state, x->slip, rows));
    for (size_t u = 0; u < nu; u++)
      for (int k = 0; k < x->n; k++) to[u] += b->laws[i].pull[k] * rows[(size_t)k * nu + u];
  }
  return CDN_OK;
}

/* How what mobilizers transmit follows each multiplier and each sigma, and what it is without them. */
static cdn_status find_joints(hybrid_balance *b, const sv *A, const sv *F) {
  const size_t all = (size_t)(b->m + b->n), nu = (size_t)b->room->matter->tree.nu;
  double *lambda = b->unit + nu;
  if (b->room->joints == 0) return CDN_OK;
  CDNI_TRY(cdni_joint_forces_at(b->room, b->state, A, F, NULL, b->joints0));
  for (int e = 0; e < b->m; e++) {
    lambda[e] = 1;
    const joint_cause cause = { b->unit, lambda, 1, 1, -1, NULL };
    CDNI_TRY(cdni_joint_change(b->room, b->state, &cause, all, b->J + e));
    lambda[e] = 0;
  }
  for (int i = 0; i < b->n; i++) {
    const double *pull = b->laws[i].pull, force[] = { -pull[0], -pull[1], -pull[2] };
    const joint_cause cause = { b->unit, lambda, 1, 1, friction_at(b->room, b->elements[i])->slip, force };
    CDNI_TRY(cdni_joint_change(b->room, b->state, &cause, all, b->J + b->m + i));
  }
  return CDN_OK;
}

/* Of this friction nothing is asked but its load. */
static bool is_known(const hybrid_room *room, const cdn_state *state, int i) {
  const double *p = friction_params(room, state, i);
  return p[FRICTION_DYNAMIC] == 0 && p[FRICTION_VISCOUS] == 0;
}

cdn_status cdni_hybrid_balance_begin(const hybrid_room *room, cdn_state *state, const char *function,
                                     const double *udot, const sv *A, const sv *F, hybrid_balance **out) {
  hybrid_balance b = {
    .room = room, .state = state, .function = function, .m = cdni_constraints_equations(room->constraints)
  };
  void *frame;
  for (int i = 0; i < hybrid_frictions(room); i++)
    b.n += friction_status(room, state, i) == CDN_FRICTION_SLIP && !is_known(room, state, i);
  const size_t size = divide(&b, NULL);
  CDNI_TRY(cdni_operator_work(state, function, size, &frame));
  memset(frame, 0, size);
  divide(&b, frame);
  for (int i = 0, k = 0; i < hybrid_frictions(room); i++)
    if (friction_status(room, state, i) == CDN_FRICTION_SLIP && !is_known(room, state, i)) b.elements[k++] = i;
  for (int e = 0; e < b.m && b.n > 0; e++) b.L[(size_t)e * (size_t)(b.m + b.n) + (size_t)e] = 1;
  *out = frame;
  **out = b;
  cdn_status status = find_columns(*out, A, udot);
  if (status == CDN_OK) status = find_joints(*out, A, F);
  if (status != CDN_OK) cdn_work_pop(state, frame);
  return status;
}

void cdni_hybrid_balance_end(hybrid_balance *b) { cdn_work_pop(b->state, b); }

/* ---- at multipliers ---- */

const double *cdni_hybrid_balance_joints(hybrid_balance *b, const double *lambda) {
  const size_t all = (size_t)(b->m + b->n);
  for (int k = 0; k < JOINT_NUMBERS * b->room->joints; k++) {
    const double *row = b->J + (size_t)k * all;
    b->joints[k] = b->joints0[k];
    for (int e = 0; e < b->m; e++) b->joints[k] += row[e] * lambda[e];
    for (int i = 0; i < b->n; i++) b->joints[k] += row[b->m + i] * b->sigma[i];
  }
  return b->room->joints > 0 ? b->joints : NULL;
}

/* sigma = c + D lambda near these multipliers and the present sigma. */
static cdn_status follow(hybrid_balance *b, const double *lambda) {
  const size_t n = (size_t)b->n, m = (size_t)b->m, width = m + 1;
  const pressing at = { lambda, cdni_hybrid_balance_joints(b, lambda), b->m + b->n, b->L, b->J };
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    const double mu = b->laws[i].mu, N = cdni_friction_press(b->room, b->state, b->elements[i], &at, b->slope);
    double *right = b->right + i * width;
    right[m] = mu * N;
    for (size_t e = 0; e < m; e++) right[e] = mu * b->slope[e], right[m] -= right[e] * lambda[e];
    for (size_t j = 0; j < n; j++) {
      b->A[i * n + j] = (i == j) - mu * b->slope[m + j];
      right[m] -= mu * b->slope[m + j] * b->sigma[j];
    }
  }
  for (size_t k = 0; k < n * n; k++) most = fmax(most, fabs(b->A[k]));
  if (!cdni_eliminate(b->n, most, b->A, (int)width, b->right)) {
    const char *name = friction_at(b->room, b->elements[0])->name;
    return cdni_state_fail(b->state, CDN_ERR_SINGULAR, false, b->function, name,
                           "friction '%s' slips, and its force does not follow from the reactions that it causes",
                           name);
  }
  for (size_t i = 0; i < n; i++) {
    b->c[i] = b->right[i * width + m];
    memcpy(b->D + i * m, b->right + i * width, m * sizeof *b->D);
  }
  return CDN_OK;
}

cdn_status cdni_hybrid_balance_add(hybrid_balance *b, const double *lambda, double *r, double *G) {
  const size_t nu = (size_t)b->room->matter->tree.nu, m = (size_t)b->m;
  if (b->n > 0) CDNI_TRY(follow(b, lambda));
  for (int i = 0; i < b->n; i++) {
    const double *H = b->H + (size_t)i * nu, *D = b->D + (size_t)i * m;
    for (size_t u = 0; u < nu; u++) r[u] += b->c[i] * H[u];
    for (size_t e = 0; e < m; e++)
      for (size_t u = 0; u < nu && D[e] != 0; u++) G[e * nu + u] += D[e] * H[u];
  }
  return CDN_OK;
}

double cdni_hybrid_balance_take(hybrid_balance *b, const double *lambda) {
  double change = 0, most = 0;
  for (int i = 0; i < b->n; i++) {
    double sigma = b->c[i];
    for (int e = 0; e < b->m; e++) sigma += b->D[(size_t)i * (size_t)b->m + (size_t)e] * lambda[e];
    change = fmax(change, fabs(sigma - b->sigma[i])), most = fmax(most, fabs(sigma));
    b->sigma[i] = sigma;
  }
  return most > 0 ? change / most : 0;
}

/* ---- reactions that are kept ---- */

int cdni_hybrid_kept_count(const hybrid_room *room, const cdn_state *state) {
  int n = 0;
  for (int i = 0; i < hybrid_kept(room); i++) n += kept_acts(room, state, i);
  return n;
}

cdn_status cdni_hybrid_balance_keep(const hybrid_room *room, cdn_state *state, double *r, double *G) {
  const size_t nu = (size_t)room->matter->tree.nu;
  double *to = G + (size_t)cdni_constraints_equations(room->constraints) * nu;
  for (int i = 0; i < hybrid_kept(room); i++) {
    const kept_reaction *x = kept_at(room, i);
    if (!kept_acts(room, state, i)) continue;
    CDNI_TRY(cdni_constraint_full_rows(room->constraints, state, x->push, to));
    to += nu;
    if (x->constraint < 0) continue;
    double *known = G + (size_t)(constraint_at(room->constraints, x->constraint)->row + x->equation) * nu;
    for (size_t u = 0; u < nu; u++) r[u] += kept_value(room, state, i) * known[u], known[u] = 0;
  }
  return CDN_OK;
}

/* How far what mobilizers transmit may be from the value that is kept, relative to the largest of both. */
static const double KEPT = 1e-8;

void cdni_hybrid_fill_kept(const hybrid_room *room, const cdn_state *state, double *lambda) {
  for (int i = 0; i < hybrid_kept(room); i++) {
    const kept_reaction *x = kept_at(room, i);
    if (kept_acts(room, state, i) && x->constraint >= 0)
      lambda[constraint_at(room->constraints, x->constraint)->row + x->equation] = kept_value(room, state, i);
  }
}

cdn_status cdni_hybrid_check_kept(hybrid_balance *b, const double *lambda) {
  const hybrid_room *room = b->room;
  const pressing at = { .lambda = lambda, .joints = cdni_hybrid_balance_joints(b, lambda) };
  for (int i = 0; i < hybrid_kept(room); i++) {
    if (!kept_acts(room, b->state, i)) continue;
    const double now = cdni_kept_now(room, i, &at, NULL), value = kept_value(room, b->state, i);
    if (fabs(now - value) <= KEPT * fmax(fabs(now), fabs(value))) continue;
    return cdni_state_fail(b->state, CDN_ERR_CONSTRAINT, false, b->function, kept_at(room, i)->name,
                           "'%s' keeps a reaction at %g, which is %g with these accelerations", kept_at(room, i)->name,
                           value, now);
  }
  return CDN_OK;
}
