/* What the step of sampling can move (flow.c), and what it refuses. */
#include <math.h>

#include <cardan/dynamics.h>

#include "matter/kinds.h"
#include "matter/operators.h"
#include "matter/scale.h"
#include "studies/sampling.h"

static cdn_status check_joint(cdn_state *state, const char *function, const matter *m, int i) {
  const cdn_system *system = cdn_state_system(state);
  const tree_node *n = &m->tree.node[i];
  const mobilizer_speeds speeds = cdni_kind_of(n)->speeds;
  const char *name = cdn_body_mobilizer_name(system, (cdn_body){ i });
  if (speeds != SPEEDS_ARE_RATES && !n->quaternion)
    return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, name,
                           "joint '%s' has an orientation by angles: use quaternions", name);
  if (speeds == SPEEDS_TURN_ABOUT_AXES && (n->variant & 1))
    return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, name,
                           "joint '%s' is a reversed line, whose axis is not its body's: turn it round", name);
  if (cdni_custom_has_N(m, n->custom))
    return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, name,
                           "joint '%s' has speeds that are neither rates of its coordinates nor an angular velocity: "
                           "the step that preserves volume is not known for it",
                           name);
  return CDN_OK;
}

/* What no turn of a line about itself may change. */
typedef struct line_view {
  double K, U, error;
} line_view;

static cdn_status look_at(cdn_state *state, line_view *out) {
  const double *error = cdn_state_qerr(state);
  if (!error) return CDN_ERR_CALLBACK;
  out->error = 0;
  for (int k = 0; k < cdn_system_nqerr(cdn_state_system(state)); k++) out->error += (1 + 0.1 * k) * error[k];
  CDNI_TRY(cdn_kinetic_energy(state, &out->K));
  return cdn_potential_energy(state, &out->U);
}

static const double LINE_ROUNDED = 1e-9; /* of energies and lengths: what rounding changes */

/* A line has no coordinate about itself: what it carries, and what acts on it, must not tell how it is turned. `state`
 * is a copy. */
static cdn_status check_line(cdn_state *state, const char *function, const matter *m, int i, double *u) {
  const tree_node *n = &m->tree.node[i];
  const char *name = cdn_body_mobilizer_name(cdn_state_system(state), (cdn_body){ i });
  line_view before = { 0 }, after = { 0 };
  double *q = u + m->tree.nu;
  for (int k = 0; k < m->tree.nu; k++) u[k] = 1;
  CDNI_TRY(cdn_state_set_u(state, u));
  CDNI_TRY(look_at(state, &before));
  memcpy(q, cdn_state_q(state), (size_t)m->tree.nq * sizeof *q);
  cdni_flow_turn_line(1, q + n->q, u + n->u);
  CDNI_TRY(cdn_state_set_q(state, q));
  CDNI_TRY(cdn_state_set_u(state, u));
  CDNI_TRY(look_at(state, &after));
  const double size = fabs(before.K) + fabs(before.U), length = cdni_matter_length(m, state);
  if (fabs(after.K - before.K) + fabs(after.U - before.U) <= LINE_ROUNDED * size &&
      fabs(after.error - before.error) <= LINE_ROUNDED * (length + fabs(before.error)))
    return CDN_OK;
  return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, name,
                         "joint '%s' is a line, but something tells how it is turned about its own axis: a mass that "
                         "it carries, a force or a constraint beside the axis. Give it a mobilizer of three rotations",
                         name);
}

static cdn_status check_lines(cdn_state *state, const char *function, const matter *m) {
  cdn_state *copy = NULL;
  const size_t size = ((size_t)m->tree.nu + (size_t)m->tree.nq) * sizeof(double);
  cdn_status status = CDN_OK;
  for (int i = 1; i < m->tree.n && status == CDN_OK; i++) {
    if (cdni_kind_of(&m->tree.node[i])->speeds != SPEEDS_TURN_ABOUT_AXES) continue;
    if (!copy) CDNI_TRY(cdn_state_create(cdn_state_system(state), &copy));
    status = cdn_state_copy(copy, state);
    double *memory = status == CDN_OK ? cdn_work_push(copy, size) : NULL;
    if (status == CDN_OK) status = memory ? check_line(copy, function, m, i, memory) : CDN_ERR_NOMEM;
    if (memory) cdn_work_pop(copy, memory);
  }
  cdn_error error;
  if (status != CDN_OK) cdn_state_last_error(copy, &error), cdni_state_set_error(state, &error);
  cdn_state_destroy(copy);
  return status;
}

static cdn_status check_prescribed(cdn_state *state, const char *function, const matter *m, const tree_data *d, int i) {
  const double *u = cdn_state_u_eff(state);
  if (!d->prescribed || !d->prescribed[i]) return CDN_OK;
  for (int k = 0; u && k < m->tree.node[i].nu; k++) {
    if (u[m->tree.node[i].u + k] == 0) continue;
    const char *name = cdn_body_mobilizer_name(cdn_state_system(state), (cdn_body){ i });
    return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, name,
                           "joint '%s' moves by a motion or lock: a sampled System has no motion but its own", name);
  }
  return CDN_OK;
}

static cdn_status check_constraints(cdn_state *state, const char *function) {
  const cdn_system *system = cdn_state_system(state);
  for (int c = 0; c < cdn_system_constraint_count(system); c++) {
    const cdn_constraint id = { c };
    const cdn_constraint_equations e = cdn_constraint_get_equations(system, id);
    if (cdn_constraint_is_enabled(state, id) && e.nv + e.na > 0)
      return cdni_state_fail(state, CDN_ERR_UNSUPPORTED, false, function, cdn_constraint_name(system, id),
                             "constraint '%s' has equations of velocities or accelerations: such a System has no "
                             "Hamiltonian",
                             cdn_constraint_name(system, id));
  }
  return CDN_OK;
}

cdn_status cdni_flow_check(cdn_state *state, const char *function) {
  const matter *m = cdni_matter(cdn_state_system(state));
  CDNI_TRY(cdn_realize(state, CDN_STAGE_VELOCITY));
  const tree_data d = cdni_matter_data(m, state);
  for (int i = 1; i < m->tree.n; i++) {
    CDNI_TRY(check_joint(state, function, m, i));
    CDNI_TRY(check_prescribed(state, function, m, &d, i));
  }
  CDNI_TRY(check_constraints(state, function));
  return check_lines(state, function, m);
}
