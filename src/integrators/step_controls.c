/* How forces and rates vary with controls, and rates with forces. What elements and drives know themselves is taken;
 * the others that read the control are differenced. Of soft rows only those of the user's providers, and contacts of
 * the user's sources, can read controls. */
#include <math.h>

#include <cardan/controls.h>
#include <cardan/matter.h>

#include "actuators/actuators.h"
#include "constraints/constraints.h"
#include "controls/controls.h"
#include "dynamics/dynamics.h"
#include "dynamics/zdot.h"
#include "forces/forces.h"
#include "integrators/step_derivatives.h"
#include "math/difference.h"
#include "matter/matter.h"
#include "matter/motion_derivatives.h"
#include "matter/operators.h"
#include "soft/soft.h"
#include "system/system.h"

/* What reads controls: forces on bodies about M's origins and on mobilities, h J a, zdot and udot. */
typedef struct readers {
  sv *F;
  double *f, *change, *udot, *zdot;
} readers;

/* Column `column` of matrices that are `columns` wide: generalized forces, h J a, zdot. */
typedef struct control_columns {
  int column, columns;
  double *force, *change, *zdot;
  bool *moved; /* set if the State has been elsewhere */
} control_columns;

/* Memory for one side. */
static size_t divide(readers *r, size_t nb, size_t nu, size_t nz, double *memory) {
  r->F = (sv *)memory, r->f = memory + 6 * nb, r->change = r->f + nu, r->udot = r->change + nu, r->zdot = r->udot + nu;
  return 6 * nb + 3 * nu + nz;
}

static bool rows_read_controls(const soft_room *soft, const cdn_state *state) {
  return cdni_soft_has_providers(soft) || cdni_contact_reads(cdni_contact(cdn_state_system(state)));
}

/* Whether h J a may vary with controls: dampers of joints read none. */
static bool reads_change(const step_start *s) { return s->kind && s->kind->damping != STEP_JOINTS; }

/* Whether rates of a subsystem are differenced. */
static bool is_unknown(const cdn_system *system, int i) {
  return cdni_subsystem_runs(system, (cdn_subsystem){ i }).nz > 0 &&
         !cdni_drive_rate_is_known(system, (cdn_subsystem){ i });
}

static bool any_unknown(const cdn_system *system) {
  for (int i = 0; cdni_subsystem_ops(system, i); i++)
    if (is_unknown(system, i)) return true;
  return false;
}

/* Without those whose derivatives by controls are known, if `unknown`: their numbers become 0. */
static cdn_status rates_at(cdn_state *state, bool unknown, double *zdot) {
  const cdn_system *system = cdn_state_system(state);
  const cdn_subsystem_ops *ops;
  for (int i = 0; (ops = cdni_subsystem_ops(system, i)); i++) {
    const cdni_runs runs = cdni_subsystem_runs(system, (cdn_subsystem){ i });
    if (runs.nz == 0) continue;
    if (unknown && !is_unknown(system, i)) memset(zdot + runs.z, 0, (size_t)runs.nz * sizeof *zdot);
    else CDNI_TRY(ops->calc_zdot(cdn_subsystem_self(system, (cdn_subsystem){ i }), state, zdot + runs.z));
  }
  return CDN_OK;
}

/* One side of a difference. */
static cdn_status read(const step_start *s, cdn_control control, bool udot, readers *r) {
  const size_t nu = (size_t)s->nu;
  if (nu == 0) return rates_at(s->state, true, r->zdot);
  const force_room *forces = cdni_forces(cdn_state_system(s->state));
  memset(r->F, 0, (size_t)cdn_system_body_count(cdn_state_system(s->state)) * sizeof *r->F);
  memset(r->f, 0, nu * sizeof *r->f);
  if (forces) CDNI_TRY(cdni_forces_of_control(forces, s->state, control, r->F, r->f));
  const soft_room *soft = cdni_soft(cdn_state_system(s->state));
  if (soft && rows_read_controls(soft, s->state))
    CDNI_TRY(cdni_soft_forces(soft, s->state, s->udot, SOFT_LEFT_OUT, NULL, r->F, r->f, NULL, NULL));
  if (reads_change(s))
    CDNI_TRY(cdni_dynamics_step_change(s->state, s->function, s->kind->damping, s->h, s->a, r->change));
  else memset(r->change, 0, nu * sizeof *r->change);
  CDNI_TRY(rates_at(s->state, true, r->zdot));
  if (!udot) return CDN_OK;
  const double *now = cdn_state_udot(s->state);
  if (!now) return cdni_state_last_status(s->state);
  memcpy(r->udot, now, nu * sizeof *now);
  return CDN_OK;
}

static cdn_status refuse_motion(const step_start *s, cdn_control control) {
  const cdn_system *system = cdn_state_system(s->state);
  const matter *m = cdni_matter(system);
  const constraint_room *room = cdni_constraints(system);
  const bool prescribes = m && cdni_motion_reads_control(m, s->state, control);
  if (!prescribes && !(room && cdni_constraint_reads_control(room, s->state, control))) return CDN_OK;
  return cdni_state_fail(s->state, CDN_ERR_UNSUPPORTED, false, s->function, cdn_control_name(system, control),
                         "control '%s' prescribes a motion: there is no derivative by it",
                         cdn_control_name(system, control));
}

static void put_rates(const step_start *s, const double *W, const readers sides[2], double by, int column, int columns,
                      double *zdot) {
  for (int i = 0; i < s->nz; i++) {
    double d = sides[1].zdot[i] - sides[0].zdot[i];
    for (int k = 0; W && k < s->nu; k++)
      if (W[i * s->nu + k] != 0) d -= W[i * s->nu + k] * (sides[1].udot[k] - sides[0].udot[k]);
    zdot[(size_t)i * (size_t)columns + (size_t)column] += by * d;
  }
}

/* f += J^T F, with room for nu numbers. */
static void gather_forces(const step_start *s, sv *F, double *f, double *room) {
  const matter *m = cdni_matter(cdn_state_system(s->state));
  bool any = false;
  for (int i = 1; i < m->tree.n && !any; i++) any = v3_dot(F[i].w, F[i].w) != 0 || v3_dot(F[i].v, F[i].v) != 0;
  if (!any) return;
  tree_data d = cdni_matter_data(m, s->state);
  d.z = F;
  m->kernels->jacobian_transpose(&m->tree, &d, room);
  for (int k = 0; k < s->nu; k++) f[k] += room[k];
}

/* The difference of two sides over `by`, in the columns of the control. */
static void put_difference(const step_start *s, const double *W, readers sides[2], double by,
                           const control_columns *to) {
  readers *a = &sides[0], *b = &sides[1];
  for (int k = 0; k < s->nu; k++) b->f[k] -= a->f[k];
  for (int i = 0; s->nu > 0 && i < cdn_system_body_count(cdn_state_system(s->state)); i++)
    b->F[i] = sv_sub(b->F[i], a->F[i]);
  if (s->nu > 0) gather_forces(s, b->F, b->f, a->f);
  for (int i = 0; i < s->nu; i++) {
    const size_t at = (size_t)i * (size_t)to->columns + (size_t)to->column;
    to->force[at] += by * b->f[i];
    to->change[at] += by * (b->change[i] - a->change[i]);
  }
  put_rates(s, W, sides, by, to->column, to->columns, to->zdot);
}

/* What elements know. */
static cdn_status put_known(const step_start *s, cdn_control control, readers *r, const control_columns *to,
                            bool *others) {
  const force_room *forces = cdni_forces(cdn_state_system(s->state));
  *others = false;
  if (!forces || s->nu == 0) return CDN_OK;
  memset(r->F, 0, (size_t)cdn_system_body_count(cdn_state_system(s->state)) * sizeof *r->F);
  memset(r->f, 0, (size_t)s->nu * sizeof *r->f);
  CDNI_TRY(cdni_forces_by_control(forces, s->state, control, r->F, r->f, others));
  gather_forces(s, r->F, r->f, r->udot);
  for (int i = 0; i < s->nu; i++) to->force[(size_t)i * (size_t)to->columns + (size_t)to->column] += r->f[i];
  return CDN_OK;
}

/* Rates that drives know, where their controls have an effect. */
static cdn_status put_known_rates(const step_start *s, int first, int columns, double *zdot) {
  const cdn_system *system = cdn_state_system(s->state);
  for (int i = 0; cdni_subsystem_ops(system, i); i++) {
    const cdni_runs runs = cdni_subsystem_runs(system, (cdn_subsystem){ i });
    cdn_control control;
    double slope, at[2];
    if (runs.nz == 0 || !cdni_drive_rate_is_known(system, (cdn_subsystem){ i })) continue;
    CDNI_TRY(cdni_drive_rate_by_control(s->state, (cdn_subsystem){ i }, &control, &slope));
    CDNI_TRY(cdni_control_sides(s->state, control, at));
    if (at[0] < at[1]) zdot[(size_t)runs.z * (size_t)columns + (size_t)(first + control.i)] += slope;
  }
  return CDN_OK;
}

static cdn_status vary(const step_start *s, const double *W, cdn_control control, bool differenced, readers sides[2],
                       const control_columns *to) {
  double at[2];
  bool others;
  CDNI_TRY(refuse_motion(s, control));
  CDNI_TRY(cdni_control_sides(s->state, control, at));
  if (at[0] == at[1]) return CDN_OK;
  CDNI_TRY(put_known(s, control, &sides[0], to, &others));
  if (!others && !differenced) return CDN_OK;
  *to->moved = true;
  const double now = cdn_control_given(s->state, control), by = 1 / (at[1] - at[0]);
  for (int k = 0; k < 2; k++) {
    CDNI_TRY(cdn_control_set(s->state, control, at[k]));
    CDNI_TRY(read(s, control, W != NULL, &sides[k]));
  }
  put_difference(s, W, sides, by, to);
  return cdn_control_set(s->state, control, now);
}

static cdn_status rates_and_udot(const step_start *s, readers *r) {
  CDNI_TRY(rates_at(s->state, false, r->zdot));
  const double *now = cdn_state_udot(s->state);
  if (!now) return cdni_state_last_status(s->state);
  memcpy(r->udot, now, (size_t)s->nu * sizeof *now);
  return CDN_OK;
}

static cdn_status each_force(const step_start *s, const double *W, int columns, double *f, readers sides[2],
                             double *zdot) {
  for (int k = 0; k < s->nu; k++) {
    const double now = f[k], d = cdni_difference_of(now);
    for (int side = 0; side < 2; side++) {
      f[k] = now + (side ? d : -d);
      CDNI_TRY(cdn_state_set_applied_mobility_forces(s->state, f));
      CDNI_TRY(rates_and_udot(s, &sides[side]));
    }
    f[k] = now;
    put_rates(s, W, sides, 1 / (2 * d), k, columns, zdot);
  }
  return CDN_OK;
}

cdn_status cdni_step_vary_forces(const step_start *s, const double *W, int columns, double *zdot) {
  int described, differenced;
  double *frame;
  readers sides[2] = { { 0 } };
  cdni_zdot_count(cdn_state_system(s->state), &described, &differenced);
  if (differenced == 0 || s->nu == 0) return CDN_OK;
  const size_t nu = (size_t)s->nu, nz = (size_t)s->nz;
  CDNI_TRY(cdni_operator_work(s->state, s->function, (3 * nu + 2 * nz) * sizeof(double), (void **)&frame));
  for (int k = 0; k < 2; k++) sides[k].udot = frame + nu + (size_t)k * (nu + nz), sides[k].zdot = sides[k].udot + nu;
  memcpy(frame, cdn_state_applied_mobility_forces(s->state), nu * sizeof *frame);
  const cdn_status status = each_force(s, W, columns, frame, sides, zdot);
  cdn_work_pop(s->state, frame);
  cdni_state_return_to(s->state, s->saved);
  return status;
}

cdn_status cdni_step_vary_controls(const step_start *s, const double *W, int first, int columns, double *force,
                                   double *change, double *zdot) {
  const int n = cdn_system_control_count(cdn_state_system(s->state));
  const size_t nb = (size_t)cdn_system_body_count(cdn_state_system(s->state)), nu = (size_t)s->nu, nz = (size_t)s->nz;
  readers sides[2];
  double *frame, *memory;
  if (n == 0) return CDN_OK;
  CDNI_TRY(cdni_dynamics_refuse_exact_rows(s->state, s->function));
  CDNI_TRY(cdni_operator_work(s->state, s->function, 2 * (6 * nb + 3 * nu + nz + 1) * sizeof(double), (void **)&frame));
  memory = frame;
  for (int k = 0; k < 2; k++) memory += divide(&sides[k], nb, nu, nz, memory);
  const soft_room *soft = cdni_soft(cdn_state_system(s->state));
  const bool differenced =
      any_unknown(cdn_state_system(s->state)) || reads_change(s) || (soft && rows_read_controls(soft, s->state));
  bool moved = false;
  cdn_status status = put_known_rates(s, first, columns, zdot);
  for (int k = 0; k < n && status == CDN_OK; k++) {
    const control_columns to = { first + k, columns, force, change, zdot, &moved };
    status = vary(s, W, (cdn_control){ k }, differenced, sides, &to);
  }
  cdn_work_pop(s->state, frame);
  if (moved) cdni_state_return_to(s->state, s->saved);
  return status;
}
