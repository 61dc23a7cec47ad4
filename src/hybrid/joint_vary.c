/* How what mobilizers transmit changes with q, u and z at constant accelerations, multipliers and sizes of forces that
 * follow: by differences, of the sum of m a - F of all bodies beyond the mobilizer (press.c). Friction turns along with
 * its slip. */
#include "hybrid/joint_vary.h"

#include "hybrid/press.h"
#include "hybrid/slip.h"
#include "matter/differences.h"

typedef struct joint_differences {
  const hybrid_room *room;
  differences by;
  int first_u, n; /* matter's u; numbers of joints */
  const double *udot, *lambda;
  double *force, *sigma; /* by follower: its force, and the size of that */
  sv *F, *A;
  double *f, *side[2];
  double *const *out;
  size_t columns[3];
} joint_differences;

static size_t divide(joint_differences *x, const cdn_system *system, char *base, double **room, double **values) {
  const size_t nb = (size_t)x->room->matter->tree.n, nu = (size_t)x->room->matter->tree.nu, d = sizeof(double);
  const size_t m = (size_t)cdni_constraints_equations(x->room->constraints);
  size_t at = 0;
  *room = cdni_part(base, &at, cdni_differences_room(system), d);
  *values = cdni_part(base, &at, nu + m, d);
  x->sigma = cdni_part(base, &at, (size_t)hybrid_followers(x->room), d);
  x->force = cdni_part(base, &at, FOLLOWER_NUMBERS * (size_t)hybrid_followers(x->room), d);
  x->F = cdni_part(base, &at, nb, sizeof *x->F), x->A = cdni_part(base, &at, nb, sizeof *x->A);
  x->f = cdni_part(base, &at, nu, d);
  for (int s = 0; s < 2; s++) x->side[s] = cdni_part(base, &at, (size_t)x->n, d);
  return at;
}

/* Forces that follow reactions, where the State is displaced to. What begins to slip has a direction of its own. */
static cdn_status push(joint_differences *x) {
  cdn_state *state = x->by.state;
  for (int i = 0; i < hybrid_followers(x->room); i++) {
    friction_law law;
    double force[FOLLOWER_NUMBERS];
    if (!cdni_follower_acts(x->room, hybrid_statuses(x->room, state), i)) continue;
    CDNI_TRY(cdni_follower_law(x->room, state, i, &law));
    const bool begins = cdni_friction_begins(x->room, hybrid_statuses(x->room, state), i);
    for (int k = 0; k < FOLLOWER_NUMBERS; k++)
      force[k] = begins ? x->force[FOLLOWER_NUMBERS * i + k] : -x->sigma[i] * law.pull[k];
    CDNI_TRY(cdni_constraint_push(x->room->constraints, state, cdni_follower(x->room, i).push, force, x->F, x->f));
  }
  return CDN_OK;
}

static cdn_status evaluate(void *user, int side) {
  joint_differences *x = user;
  const matter *m = x->room->matter;
  cdn_state *state = x->by.state;
  const sv *applied;
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  CDNI_TRY(x->room->answer.applied(state, &applied));
  memcpy(x->F, applied, (size_t)m->tree.n * sizeof *x->F);
  CDNI_TRY(push(x));
  const tree_data d = cdni_matter_data(m, state);
  cdni_operator_accelerations(m, &d, x->udot, x->A);
  return cdni_joint_forces_at(x->room, state, x->A, x->F, x->lambda, x->side[side]);
}

static cdn_status add(void *user, cdn_pool pool, int column, double h) {
  const joint_differences *x = user;
  const size_t at = (size_t)(pool == CDN_POOL_Z ? column : column - x->first_u);
  for (int k = 0; k < x->n; k++)
    x->out[pool][(size_t)k * x->columns[pool] + at] = (x->side[0][k] - x->side[1][k]) / (2 * h);
  return CDN_OK;
}

static cdn_status all(void *user) {
  joint_differences *x = user;
  for (int pool = 0; pool < 3; pool++) {
    const int first = pool == CDN_POOL_Z ? 0 : x->first_u;
    if (x->out[pool]) CDNI_TRY(cdni_differences_by(&x->by, (cdn_pool)pool, first, (int)x->columns[pool]));
  }
  return CDN_OK;
}

/* What stays: accelerations, multipliers, sizes. */
static cdn_status keep(joint_differences *x, double *values) {
  const hybrid_room *room = x->room;
  cdn_state *state = x->by.state;
  const size_t nu = (size_t)room->matter->tree.nu, m = (size_t)cdni_constraints_equations(room->constraints);
  const double *udot = cdn_state_udot(state);
  if (!udot) return cdni_state_last_status(state);
  memcpy(values, udot + x->first_u, nu * sizeof *values);
  memcpy(values + nu,
         (const double *)cdni_state_storage(state, (cdn_cache){ 0, CDN_MULTIPLIERS }) +
             cdni_constraints_first_row(room->constraints),
         m * sizeof *values);
  x->udot = values, x->lambda = values + nu;
  for (int i = 0; i < hybrid_followers(room); i++) {
    friction_law law;
    if (!cdni_follower_acts(room, hybrid_statuses(room, state), i)) continue;
    CDNI_TRY(cdni_follower_law(room, state, i, &law));
    x->sigma[i] = cdni_slip_along(&law, follower_force(room, state, i));
    memcpy(x->force + FOLLOWER_NUMBERS * i, follower_force(room, state, i), FOLLOWER_NUMBERS * sizeof *x->force);
  }
  return CDN_OK;
}

cdn_status cdni_hybrid_vary_joints(const hybrid_room *room, cdn_state *state, const char *function,
                                   double *const by[3]) {
  const cdn_system *system = cdn_state_system(state);
  joint_differences x = { .room = room, .n = JOINT_NUMBERS * room->joints, .out = by };
  double *of_engine, *values;
  void *frame;
  bool bends;
  CDNI_TRY(room->answer.bends(state, &bends));
  if (bends)
    return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, NULL,
                           "a force follows what a mobilizer transmits beside soft rows, which %s cannot handle",
                           function);
  x.columns[CDN_POOL_Q] = x.columns[CDN_POOL_U] = (size_t)room->matter->tree.nu;
  x.columns[CDN_POOL_Z] = (size_t)cdn_system_nz(system);
  x.first_u = cdni_subsystem_runs(system, room->matter->subsystem).u;
  CDNI_TRY(cdni_operator_work(state, function, divide(&x, system, NULL, &of_engine, &values), &frame));
  divide(&x, system, frame, &of_engine, &values);
  memset(x.f, 0, (size_t)room->matter->tree.nu * sizeof *x.f);
  x.by = (differences){ .frees = true, .user = &x, .evaluate = evaluate, .add = add };
  cdn_status status = cdni_differences_begin(&x.by, state, function, of_engine);
  if (status == CDN_OK) status = keep(&x, values);
  if (status == CDN_OK) status = cdni_differences_make(&x.by, all);
  cdn_work_pop(state, frame);
  return status;
}
