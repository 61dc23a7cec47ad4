/* Inverse dynamics where forces follow reactions: friction that slips, and what keeps a reaction. Newton's method for
 * the multipliers that friction follows comes first; then these become admissible. */
#include "dynamics/inverse_dynamics.h"
#include "matter/operators.h"

static const char function[] = "cdn_constrained_inverse_dynamics";

/* Friction agrees with its reactions where it changes by less than this part of the largest; after some rounds, where
 * it changes by what rounding of redundant multipliers leaves. */
static const double AGREED = 1e-14, NEARLY = 1e-10;
enum { FEW_ROUNDS = 10, MOST_ROUNDS = 50 };

/* What the balance is without forces that follow; forces on bodies and accelerations. */
typedef struct following {
  inverse_problem *p;
  const hybrid_room *room;
  sv *F, *A;
  double *f, *r, *G, *lambda;
} following;

static size_t divide(following *x, int bodies, char *base) {
  const size_t nb = (size_t)bodies, nu = (size_t)x->p->nu, m = (size_t)x->p->m, d = sizeof(double);
  size_t at = 0;
  x->F = cdni_part(base, &at, nb, sizeof *x->F), x->A = cdni_part(base, &at, nb, sizeof *x->A);
  x->f = cdni_part(base, &at, nu, d), x->r = cdni_part(base, &at, nu, d), x->G = cdni_part(base, &at, nu * m, d);
  x->lambda = cdni_part(base, &at, m, d);
  return at;
}

/* Solves near x->lambda, which becomes the answer's. *change: of friction. */
static cdn_status solve_near(following *x, bool admits, double *change) {
  inverse_problem *p = x->p;
  const size_t nu = (size_t)p->nu, m = (size_t)p->m;
  memcpy(p->r, x->r, nu * sizeof *p->r);
  memcpy(p->B, x->G, nu * m * sizeof *p->B);
  CDNI_TRY(cdni_hybrid_balance_add(p->follows, x->lambda, p->r, p->B));
  cdni_inverse_scale(p);
  CDNI_TRY(cdni_inverse_solve(p, p->m, p->B, p->r, p->y));
  const cdn_status status = admits ? cdni_inverse_admit(p, x->room) : CDN_OK;
  for (size_t e = 0; e < m; e++) x->lambda[e] = p->scale[e] * p->y[e];
  cdni_hybrid_fill_kept(x->room, p->state, x->lambda);
  *change = cdni_hybrid_balance_take(p->follows, x->lambda);
  return status;
}

static cdn_status solve(following *x) {
  bool admits = false;
  double change = 1;
  for (int round = 0; round < MOST_ROUNDS; round++) {
    const cdn_status status = solve_near(x, admits, &change);
    if (status != CDN_OK && status != CDN_ERR_CONSTRAINT) return status;
    const bool agrees = change <= AGREED || (round > FEW_ROUNDS && change <= NEARLY);
    if (agrees && admits) return status == CDN_OK ? cdni_hybrid_check_kept(x->p->follows, x->lambda) : status;
    if (status != CDN_OK) cdni_state_clear_error(x->p->state);
    admits = admits || agrees;
  }
  const char *does = NULL;
  char name[128] = "?";
  cdni_hybrid_follower_text(x->room, x->p->state, name, sizeof name, &does);
  return cdni_state_fail(x->p->state, CDN_ERR_SINGULAR, false, function, name,
                         "friction '%s' slips, and no force of it agrees with the reactions that balance it", name);
}

static cdn_status begin(following *x, const dynamics *dyn, const double *udot) {
  inverse_problem *p = x->p;
  const size_t nb = (size_t)dyn->matter->tree.n;
  const sv *applied;
  CDNI_TRY(cdni_dynamics_applied_forces(dyn, p->state, &applied, NULL));
  memcpy(x->F, applied, nb * sizeof *x->F);
  if (dyn->soft) CDNI_TRY(cdni_soft_forces(dyn->soft, p->state, udot, SOFT_ALL, NULL, x->F, x->f, NULL, NULL));
  const tree_data d = cdni_matter_data(dyn->matter, p->state);
  cdni_operator_accelerations(dyn->matter, &d, udot, x->A);
  cdni_hybrid_scale_ellipses(x->room, p->state, p->scale);
  CDNI_TRY(cdni_hybrid_balance_keep(x->room, p->state, p->r, p->B));
  memcpy(x->r, p->r, (size_t)p->nu * sizeof *x->r);
  memcpy(x->G, p->B, (size_t)p->nu * (size_t)p->m * sizeof *x->G);
  return cdni_hybrid_balance_begin(x->room, p->state, function, udot, x->A, x->F, &p->follows);
}

cdn_status cdni_inverse_follow(inverse_problem *p, const hybrid_room *room, const double *udot) {
  const dynamics *dyn = cdni_dynamics(cdn_state_system(p->state));
  following x = { .p = p, .room = room };
  const size_t size = divide(&x, dyn->matter->tree.n, NULL);
  void *frame;
  CDNI_TRY(cdni_operator_work(p->state, function, size + 1, &frame));
  memset(frame, 0, size);
  divide(&x, dyn->matter->tree.n, frame);
  cdn_status status = begin(&x, dyn, udot);
  if (status == CDN_OK) {
    status = solve(&x);
    cdni_hybrid_balance_end(p->follows);
  }
  cdn_work_pop(p->state, frame);
  return status;
}
