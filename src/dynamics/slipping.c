/* Accelerations while friction slips: first with the forces that are known, then with those that agree with the
 * multipliers. Beside soft rows multipliers follow forces by pieces: there it takes some rounds. */
#include "dynamics/internal.h"
#include "matter/operators.h"

/* M^-1 of the columns of X. */
static cdn_status solve_free(const dynamics *dyn, cdn_state *state, int columns, double *X) {
  const size_t nu = (size_t)dyn->matter->tree.nu, width = (size_t)columns;
  void *frame;
  CDNI_TRY(cdni_operator_work(state, "cdn_realize", (2 * nu + 1) * sizeof(double), &frame));
  double *f = frame, *a = f + nu;
  cdn_status status = CDN_OK;
  for (size_t c = 0; c < width && status == CDN_OK; c++) {
    for (size_t k = 0; k < nu; k++) f[k] = X[k * width + c];
    status = cdn_multiply_by_M_inv(state, f, a);
    for (size_t k = 0; k < nu; k++) X[k * width + c] = a[k];
  }
  cdn_work_pop(state, frame);
  return status;
}

static cdn_status bends(cdn_state *state, bool *does) {
  const dynamics *dyn = cdni_dynamics(cdn_state_system(state));
  *does = false;
  return dyn->soft ? cdni_soft_any(dyn->soft, state, does) : CDN_OK;
}

static cdn_status answer(cdn_state *state, int columns, double *X, double *L) {
  const dynamics *dyn = cdni_dynamics(cdn_state_system(state));
  const bool constrained = cdni_dynamics_is_constrained(dyn, state);
  bool rows;
  CDNI_TRY(bends(state, &rows));
  const soft_variation x = { columns, X, constrained ? L : NULL, NULL };
  memset(L, 0, (size_t)cdni_constraints_equations(dyn->constraints) * (size_t)columns * sizeof *L);
  if (constrained) CDNI_TRY(cdni_constraint_solve_columns(dyn->constraints, state, 1, columns, X, L));
  else CDNI_TRY(solve_free(dyn, state, columns, X));
  return rows ? cdni_soft_vary(dyn->soft, state, "cdn_realize", 1, &x) : CDN_OK;
}

static cdn_status forces(cdn_state *state, const sv **F) {
  return cdni_dynamics_acting_forces(cdni_dynamics(cdn_state_system(state)), state, F, NULL);
}

static cdn_status applied(cdn_state *state, const sv **F) {
  return cdni_dynamics_applied_forces(cdni_dynamics(cdn_state_system(state)), state, F, NULL);
}

const slip_answer cdni_dynamics_answer = { answer, bends, forces, applied };

/* Forces of slipping friction that change by less, as a part of the largest, agree; after some rounds also those that
 * change by what the rounding of hard soft rows leaves (4e-9 where R is 1e-4 of the answer). */
static const double AGREED = 1e-13, NEARLY = 1e-8;
enum { MOST_ROUNDS = 40, MANY_ROUNDS = 10 };

cdn_status cdni_dynamics_accelerate_slipping(const dynamics *dyn, cdn_state *state, tree_data *d) {
  sv *F;
  double *f, change = INFINITY, before = INFINITY, part = 1;
  bool rows, depends = false;
  CDNI_TRY(bends(state, &rows));
  CDNI_TRY(cdni_hybrid_load_slips(dyn->hybrid, state, &depends));
  for (int round = 0; round < MOST_ROUNDS; round++) {
    cdni_dynamics_copy_forces(dyn, state, d, &F, &f);
    CDNI_TRY(cdni_hybrid_push(dyn->hybrid, state, F, f));
    CDNI_TRY(cdni_dynamics_accelerate(dyn, state, d));
    if (rows) CDNI_TRY(cdni_soft_solve(dyn->soft, state, d, depends, F, f));
    if (rows) CDNI_TRY(cdni_dynamics_accelerate(dyn, state, d));
    if (!depends || (!rows && round == 1)) break;
    /* rows that come by one round and go by the next lead to and fro: then in between */
    if (round > MANY_ROUNDS) part = change > (1 - 0.5 * part) * before ? 0.5 * part : part;
    before = change;
    CDNI_TRY(cdni_hybrid_correct(dyn->hybrid, state, F, part, &change));
    if (change <= AGREED || (round > MANY_ROUNDS && change <= NEARLY)) break;
  }
  if (depends && rows && !(change <= NEARLY)) {
    const char *does = NULL;
    char name[128];
    cdni_hybrid_follower_text(dyn->hybrid, state, name, sizeof name, &does);
    return cdni_state_fail(state, CDN_ERR_SINGULAR, true, "cdn_realize", name,
                           "'%s' %s, and no force of it agrees with the reaction that it causes beside soft rows", name,
                           does);
  }
  return rows ? cdni_soft_judge(dyn->soft, state, d) : CDN_OK;
}
