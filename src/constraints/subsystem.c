/* Constraints as a subsystem: what is declared and how each is computed.
 *
 *   which are on -> the plan of the elimination                                             (Instance)
 *   plan, pose, parameters -> rows of G -> the factorization, and which equations are redundant   (Position)
 *   rows, twist -> bias                                                                     (Velocity)
 *   all of these, forces -> multipliers and udot, in the entry of accelerations (dynamics/) (Acceleration) */
#include <stdio.h>

#include "constraints/derivatives.h"
#include "constraints/numbers.h"
#include "controls/controls.h"
#include "matter/operators.h"
#include "system/vectors.h"

static constraint_room *of(const void *self) { return *(constraint_room *const *)self; }

/* ---- views ---- */

constraint_view cdni_constraint_view(const constraint_room *room, cdn_state *state, int i) {
  const constraint_element *e = constraint_at(room, i);
  const matter *m = room->matter;
  const char *block = cdni_state_block(state);
  const constraint_mobility *mobilities = room->mobilities.data;
  return (constraint_view){ .room = room,
                            .c = e,
                            .state = state,
                            .data = e->data,
                            .params = cdn_state_parameters(state, room->params) + e->first_param,
                            .frames = cdn_state_parameters(state, m->frames),
                            .body = constraint_bodies(room, state, e),
                            .mobility = mobilities ? mobilities + e->first_mobility : NULL,
                            .pose = (const body_pose *)(block + m->at.pose),
                            .twist = (const body_twist *)(block + m->at.twist),
                            .q = (const double *)(block + m->at.q),
                            .u = (const double *)(block + m->at.u),
                            .t = room->rheonomic ? cdn_state_time(state) : 0 };
}

static cdn_status check_finite(cdn_state *state, const constraint_element *e, const char *what, const double *values,
                               size_t n) {
  size_t bad;
  if (n == 0 || cdni_all_finite(values, n, &bad)) return CDN_OK;
  return cdni_state_fail(state, CDN_ERR_NONFINITE, true, "cdn_realize", e->name, "constraint '%s': %s %zu is %g",
                         e->name, what, bad, values[bad]);
}

cdn_status cdni_constraint_singular(const constraint_view *v, const char *what) {
  return cdni_state_fail(v->state, CDN_ERR_SINGULAR, true, "cdn_realize", v->c->name, "constraint '%s': %s", v->c->name,
                         what);
}

/* ---- position ---- */

static cdn_status calc_plan(const void *self, cdn_state *state, cdn_region_output *out) {
  (void)out;
  return cdni_constraint_choose(of(self), state);
}

static cdn_status calc_rows(const void *self, cdn_state *state, void *out) {
  const constraint_room *room = of(self);
  const loop_plan *plan;
  (void)out;
  CDNI_TRY(cdni_constraint_plan(room, state, &plan));
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  if (room->nonlinear) CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  const constraint_numbers *n = cdni_constraint_numbers(room, state);
  memset(n->J, 0, (size_t)plan->n_J * sizeof *n->J);
  memset(n->g, 0, (size_t)plan->n_g * sizeof *n->g);
  for (int i = 0; i < plan->n_constraints; i++) {
    constraint_view v = cdni_constraint_view(room, state, plan->constraint[i]);
    v.J = n->J + plan->J[i], v.g = n->g + plan->g[i];
    CDNI_TRY(cdni_constraint_kinds[v.c->kind]->calc_rows(&v));
    CDNI_TRY(check_finite(state, v.c, "row number", &v.J->w.x, 6 * (size_t)(v.c->m * v.c->n_bodies)));
    CDNI_TRY(check_finite(state, v.c, "row coefficient", v.g, (size_t)(v.c->m * v.c->n_mobilities)));
  }
  return CDN_OK;
}

cdn_status cdni_constraint_rows(const constraint_room *room, cdn_state *state, constraint_rows *rows) {
  CDNI_TRY(cdni_state_ensure(state, room->rows.ticket));
  const constraint_numbers *n = cdni_constraint_numbers(room, state);
  *rows = (constraint_rows){ cdni_constraint_plan_now(room, state), n->J, n->g };
  return CDN_OK;
}

static cdn_status calc_qerr(const void *self, cdn_state *state, double *qerr) {
  const constraint_room *room = of(self);
  const loop_plan *plan;
  CDNI_TRY(cdni_constraint_plan(room, state, &plan));
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  for (int i = 0; i < plan->n_constraints; i++) {
    const constraint_view v = cdni_constraint_view(room, state, plan->constraint[i]);
    double *e = qerr + v.c->qerr;
    if (v.c->np == 0) continue;
    memset(e, 0, (size_t)v.c->np * sizeof *e);
    CDNI_TRY(cdni_constraint_kinds[v.c->kind]->calc_position(&v, e));
    CDNI_TRY(check_finite(state, v.c, "position error", e, (size_t)v.c->np));
  }
  return CDN_OK;
}

/* The factorization of the dynamics. The flags of redundant equations are an auto-update variable, since they
 * remember the flags before them; the rest is among the numbers. */
static cdn_status calc_factor(const void *self, cdn_state *state, void *out) {
  const constraint_room *room = of(self);
  const matter *m = room->matter;
  constraint_rows rows;
  int32_t *flags = out;
  CDNI_TRY(cdni_constraint_rows(room, state, &rows));
  if (rows.plan->n_constraints == 0) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  constraint_numbers *n = cdni_constraint_numbers(room, state);
  const tree_data d = cdni_matter_data(m, state);
  const int32_t *before = cdn_state_discrete(state, room->redundant.variable);
  for (int k = 0; k < rows.plan->m; k++) n->was_redundant[k] = before[rows.plan->row[k]];
  const int bad = cdni_loop_factor(room, &d, &rows, LOOP_ALL, NULL, n->was_redundant, &n->f);
  if (bad >= 0) return cdni_matter_singular(m, state, bad, "cdn_realize");
  /* what was is no longer needed */
  cdni_loop_null_name(rows.plan, &n->f, n->was_redundant);
  for (int k = 0; k < rows.plan->m; k++) flags[rows.plan->row[k]] = n->was_redundant[k];
  return CDN_OK;
}

cdn_status cdni_constraint_factor(const constraint_room *room, cdn_state *state, const loop_plan **plan,
                                  const loop_factor **f) {
  CDNI_TRY(cdni_state_ensure(state, room->redundant.update.ticket));
  *plan = cdni_constraint_plan_now(room, state);
  *f = (*plan)->n_constraints > 0 ? &cdni_constraint_numbers(room, state)->f : NULL;
  return CDN_OK;
}

const int32_t *cdni_constraint_redundant(const constraint_room *room, cdn_state *state) {
  return cdni_state_storage(state, room->redundant.update);
}

/* ---- velocity ---- */

static cdn_status calc_bias(const void *self, cdn_state *state, void *out) {
  const constraint_room *room = of(self);
  constraint_rows rows;
  (void)out;
  CDNI_TRY(cdni_constraint_rows(room, state, &rows));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  const loop_plan *plan = rows.plan;
  double *bias = cdni_constraint_numbers(room, state)->bias;
  memset(bias, 0, (size_t)plan->m * sizeof *bias);
  for (int i = 0; i < plan->n_constraints; i++) {
    constraint_view v = cdni_constraint_view(room, state, plan->constraint[i]);
    v.J = (sv *)rows.J + plan->J[i], v.g = (double *)rows.g + plan->g[i]; /* only read from here on */
    const constraint_kind *kind = cdni_constraint_kinds[v.c->kind];
    double *b = bias + plan->first[i];
    CDNI_TRY(kind->add_bias(&v, b));
    CDNI_TRY(check_finite(state, v.c, "acceleration bias", b, (size_t)v.c->m));
  }
  return CDN_OK;
}

cdn_status cdni_constraint_bias(const constraint_room *room, cdn_state *state, const double **bias) {
  CDNI_TRY(cdni_state_ensure(state, room->bias.ticket));
  *bias = cdni_constraint_numbers(room, state)->bias;
  return CDN_OK;
}

/* np + nv velocity errors of one element, whose rows the view has. */
static cdn_status velocity_errors(const constraint_view *v, double *e) {
  const constraint_element *c = v->c;
  const int n = c->np + c->nv;
  for (int k = 0; k < n; k++) e[k] = cdni_constraint_row_rate(v, k);
  if (n > 0 && cdni_constraint_kinds[c->kind]->finish_velocity)
    CDNI_TRY(cdni_constraint_kinds[c->kind]->finish_velocity(v, e));
  return check_finite(v->state, c, "velocity error", e, (size_t)n);
}

static cdn_status calc_uerr(const void *self, cdn_state *state, double *uerr) {
  const constraint_room *room = of(self);
  constraint_rows rows;
  CDNI_TRY(cdni_constraint_rows(room, state, &rows));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  for (int i = 0; i < rows.plan->n_constraints; i++) {
    constraint_view v = cdni_constraint_view(room, state, rows.plan->constraint[i]);
    v.J = (sv *)rows.J + rows.plan->J[i], v.g = (double *)rows.g + rows.plan->g[i]; /* only read here */
    CDNI_TRY(velocity_errors(&v, uerr + v.c->uerr));
  }
  return CDN_OK;
}

/* ---- of one constraint, on or off ---- */

static cdn_status find(cdn_state *state, const char *function, cdn_constraint constraint, const double *out,
                       const constraint_room **room) {
  *room = cdni_constraints(cdn_state_system(state));
  if (!constraint_exists(*room, constraint)) return cdni_state_lacks(state, function, "constraint", (int)constraint.i);
  const constraint_element *c = constraint_at(*room, constraint.i);
  if (!out && c->np + c->nv > 0)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, c->name,
                           "there is no place for the errors of constraint '%s': give an array", c->name);
  cdni_state_note_read(state, (*room)->params.ticket);
  if ((*room)->rheonomic) cdni_state_note_read(state, CDN_T);
  return CDN_OK;
}

cdn_status cdn_calc_constraint_perr(cdn_state *state, cdn_constraint constraint, double *perr) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const constraint_room *room;
  CDNI_TRY(find(state, __func__, constraint, perr, &room));
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  const constraint_view v = cdni_constraint_view(room, state, constraint.i);
  if (v.c->np == 0) return CDN_OK;
  memset(perr, 0, (size_t)v.c->np * sizeof *perr);
  CDNI_TRY(cdni_constraint_kinds[v.c->kind]->calc_position(&v, perr));
  return check_finite(state, v.c, "position error", perr, (size_t)v.c->np);
}

cdn_status cdn_calc_constraint_verr(cdn_state *state, cdn_constraint constraint, double *verr) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const constraint_room *room;
  void *rows;
  CDNI_TRY(find(state, __func__, constraint, verr, &room));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  constraint_view v = cdni_constraint_view(room, state, constraint.i);
  const size_t J = (size_t)(v.c->m * v.c->n_bodies) * sizeof(sv),
               g = (size_t)(v.c->m * v.c->n_mobilities) * sizeof(double);
  CDNI_TRY(cdni_operator_work(state, __func__, J + g + 1, &rows));
  memset(rows, 0, J + g);
  v.J = rows, v.g = (double *)((char *)rows + J);
  cdn_status status = cdni_constraint_kinds[v.c->kind]->calc_rows(&v);
  if (status == CDN_OK) status = velocity_errors(&v, verr);
  cdn_work_pop(state, rows);
  return status;
}

/* ---- acceleration ---- */

/* Where the multipliers of this room are in the State's pool. */
static double *multipliers_of(const constraint_room *room, cdn_state *state) {
  return (double *)cdni_state_storage(state, (cdn_cache){ 0, CDN_MULTIPLIERS }) + room->first_row;
}

/* Baumgarte's stabilization: errors e of positions shall follow e'' + 2 e' / T + e / T^2 = 0, those of velocities alone
 * e' + e / T = 0. */
static cdn_status stabilize(const constraint_room *room, cdn_state *state, const loop_plan *plan, double T, double *b) {
  CDNI_TRY(cdni_state_ensure(state, CDN_QERR));
  CDNI_TRY(cdni_state_ensure(state, CDN_UERR));
  const cdni_runs runs = cdni_subsystem_runs(cdn_state_system(state), room->subsystem);
  const double *qerr = cdn_state_qerr(state) + runs.qerr, *uerr = cdn_state_uerr(state) + runs.uerr;
  for (int i = 0; i < plan->n_constraints; i++, b += plan->equations[i - 1]) {
    const constraint_element *c = constraint_on(room, plan, i);
    for (int k = 0; k < c->np; k++) b[k] -= (2 * uerr[c->uerr + k] + qerr[c->qerr + k] / T) / T;
    for (int k = c->np; k < c->np + c->nv; k++) b[k] -= uerr[c->uerr + k] / T;
  }
  return CDN_OK;
}

cdn_status cdn_constraints_set_baumgarte(cdn_state *state, double time_constant) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const constraint_room *room = cdni_constraints(cdn_state_system(state));
  if (!(time_constant >= 0))
    return cdni_state_fail(state, CDN_ERR_ARG, false, "cdn_constraints_set_baumgarte", NULL,
                           "the time constant is %g; it must be positive, or 0 for no stabilization", time_constant);
  return room && room->m > 0 ? cdn_state_set_parameters(state, room->baumgarte, 0, 1, &time_constant) : CDN_OK;
}

cdn_status cdni_constraints_solve(const constraint_room *room, cdn_state *state, const tree_data *d) {
  const loop_plan *plan;
  const loop_factor *f;
  const double *bias;
  CDNI_TRY(cdni_constraint_factor(room, state, &plan, &f));
  CDNI_TRY(cdni_constraint_bias(room, state, &bias));
  const size_t m = (size_t)plan->m, own = cdni_aligned(2 * m * sizeof(double));
  char *work = cdn_work_push(state, own + cdni_loop_solve_scratch(plan, f));
  if (!work) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
  double *b = (double *)work, *lambda = b + m;
  for (size_t k = 0; k < m; k++) b[k] = -bias[k];
  const double T = *cdn_state_parameters(state, room->baumgarte);
  const cdn_status stabilized = T > 0 ? stabilize(room, state, plan, T, b) : CDN_OK;
  if (stabilized == CDN_OK) {
    const loop_problem problem = { .force = d->force,
                                   .f = d->f_mob,
                                   .b = b,
                                   .velocity = true,
                                   .prescribed = d->udot,
                                   .weight = cdn_state_parameters(state, room->weights),
                                   .x = d->udot,
                                   .lambda = lambda,
                                   .A = d->A };
    cdni_loop_solve(plan, d, f, &problem, work + own);
    cdni_constraint_scatter(plan, lambda, multipliers_of(room, state));
  }
  cdn_work_pop(state, work);
  return stabilized;
}

static cdn_status calc_multipliers(const void *self, cdn_state *state, double *multipliers) {
  (void)self, (void)multipliers;
  /* solving has put them there, and choosing the plan the zeros of those that are off */
  return cdni_state_ensure(state, CDN_ACCELERATION);
}

static cdn_status calc_udoterr(const void *self, cdn_state *state, double *udoterr) {
  const constraint_room *room = of(self);
  constraint_rows rows;
  const double *bias;
  void *frame;
  CDNI_TRY(cdni_constraint_rows(room, state, &rows));
  CDNI_TRY(cdni_constraint_bias(room, state, &bias));
  CDNI_TRY(cdni_state_ensure(state, CDN_ACCELERATION));
  CDNI_TRY(cdni_operator_work(state, "cdn_realize", (size_t)(rows.plan->m + 1) * sizeof(double), &frame));
  const tree_data d = cdni_matter_data(room->matter, state);
  double *errors = frame;
  cdni_constraint_multiply(room, &rows, d.A, d.udot, errors);
  for (int k = 0; k < rows.plan->m; k++) errors[k] += bias[k];
  cdni_constraint_scatter(rows.plan, errors, udoterr);
  cdn_work_pop(state, frame);
  return CDN_OK;
}

cdn_status cdni_constraints_add_forces(const constraint_room *room, cdn_state *state, sv *F, double *f) {
  constraint_rows rows;
  CDNI_TRY(cdni_constraint_rows(room, state, &rows));
  CDNI_TRY(cdni_state_ensure(state, CDN_MULTIPLIERS));
  cdni_constraint_multiply_transpose(room, &rows, -1, multipliers_of(room, state), F, f);
  return CDN_OK;
}

/* ---- what dynamics asks for ---- */

const constraint_room *cdni_constraints_declared(const cdn_system *system) {
  const constraint_room *room = cdni_constraints(system);
  return room && room->matter && room->elements.count > 0 ? room : NULL;
}

cdn_dvar cdni_constraints_memory(const constraint_room *room) { return room->redundant.variable; }

cdn_dvar cdni_constraints_switches(const constraint_room *room, int *n) {
  *n = (int)room->elements.count;
  return room->enabled;
}

cdn_status cdni_constraints_choose_plan(const constraint_room *room, cdn_state *state) {
  return cdni_state_ensure(state, room->plan.ticket);
}

int cdni_constraints_first_row(const constraint_room *room) { return room->first_row; }
int cdni_constraints_equations(const constraint_room *room) { return room->m; }

int cdni_constraints_solve_reads(const constraint_room *room, cdn_ticket *tickets) {
  const cdn_ticket all[] = { room->redundant.update.ticket, room->bias.ticket, room->weights.ticket,
                             room->baumgarte.ticket,        CDN_QERR,          CDN_UERR };
  memcpy(tickets, all, sizeof all);
  return CDNI_COUNT(all);
}

void cdni_constraints_weights(const constraint_room *room, const cdn_state *state, double *weights) {
  const double *of_element = cdn_state_parameters(state, room->weights);
  for (int i = 0; room->m > 0 && i < (int)room->elements.count; i++) {
    const constraint_element *c = constraint_at(room, i);
    for (int e = 0; e < c->m; e++) weights[c->row + e] = of_element[i];
  }
}

/* ---- declaring ---- */

static int common(const tree *t, int a, int b) {
  while (a != b) {
    if (a > b) a = t->node[a].parent;
    else b = t->node[b].parent;
  }
  return a;
}

static int ancestor_of(const constraint_room *room, const constraint_element *e) {
  const tree *t = &room->matter->tree;
  int at = -1;
  if (e->absolute) return 0;
  for (int n = 0; n < e->n_bodies; n++) {
    const int body = CDNI_AT(room->bodies, int32_t, e->first_body + n);
    at = at < 0 ? body : common(t, at, body);
  }
  for (int n = 0; n < e->n_mobilities; n++) {
    const int inner = t->node[CDNI_AT(room->mobilities, constraint_mobility, e->first_mobility + n).body].parent;
    at = at < 0 ? inner : common(t, at, inner);
  }
  return at;
}

static void number_equations(constraint_room *room) {
  for (size_t i = 0; i < room->elements.count; i++) {
    constraint_element *e = &CDNI_AT(room->elements, constraint_element, i);
    e->qerr = room->np, e->uerr = room->np + room->nv, e->row = room->m;
    e->ancestor = ancestor_of(room, e);
    room->np += e->np, room->nv += e->nv, room->na += e->na, room->m += e->m;
    room->rheonomic = room->rheonomic || e->rheonomic;
    room->nonlinear = room->nonlinear || e->nonlinear;
    room->drives = room->drives || cdni_constraint_kinds[e->kind]->finish_velocity || e->na > 0;
  }
}

/* Errors and biases read controls, too; what is computed from rows is computed again with them. A measure does not tell
 * its rates. */
static cdn_status declare_controls(const constraint_room *room, cdn_declarer *d) {
  const cdn_system *system = cdni_declarer_system(d);
  for (size_t i = 0; i < room->elements.count; i++) {
    const constraint_element *e = constraint_at(room, (int)i);
    if (e->control.i < 0) continue;
    if (!cdni_control_has_rates(system, e->control))
      return cdn_declare_error(d, CDN_ERR_UNSUPPORTED,
                               "constraint '%s' follows control '%s', which follows a measure, whose rates are not "
                               "known: use a custom constraint, or an actuator",
                               e->name, cdn_control_name(system, e->control));
    cdni_declare_prerequisite(d, room->rows, cdn_control_ticket(system, e->control));
    cdni_declare_prerequisite(d, (cdn_cache){ 0, CDN_QERR }, cdn_control_ticket(system, e->control));
  }
  return CDN_OK;
}

static bool has_slots(const constraint_room *room) {
  for (size_t i = 0; i < room->elements.count; i++)
    if (constraint_at(room, (int)i)->slot > 0) return true;
  return false;
}

static void name_switch(const cdn_system *system, int element, int k, char *name, size_t size) {
  snprintf(name, size, "%s is on", cdn_constraint_name(system, (cdn_constraint){ element + k }));
}

static cdn_status declare(void *self, cdn_declarer *d) {
  constraint_room *room = of(self);
  const cdn_system *system = cdni_declarer_system(d);
  room->matter = cdni_matter(system);
  room->contact = cdni_contact(system);
  room->subsystem = cdni_declarer_subsystem(d);
  if (!room->matter || room->elements.count == 0) return CDN_OK;
  const matter *m = room->matter;
  number_equations(room);
  cdn_declare_constraint_errors(d, room->np, room->nv, room->na);
  room->first_row = cdni_subsystem_runs(system, room->subsystem).udoterr;

  const int n = (int)room->elements.count;
  room->params = cdn_declare_parameters(d, "params", (int)room->defaults.count, room->defaults.data);
  room->enabled = cdn_declare_parameters(d, "enabled", n, room->enabled0.data);
  cdni_declare_vector_run(
      d, &(vector_run){ .part = CDN_VECTOR_SWITCHES, .variable = room->enabled, .n = n, .name = name_switch });
  room->units = cdn_declare_parameters(d, "unit_errors", n, room->units0.data);
  room->weights = cdn_declare_parameters(d, "multiplier_weights", n, room->weights0.data);

  const bool any_slots = has_slots(room);
  const cdn_ticket slots = any_slots ? cdni_rigid_variable(room->contact).ticket : room->enabled.ticket;
  const cdn_ticket of_plan[] = { room->enabled.ticket, slots };
  room->plan = cdn_declare_computed_region(d, "plan", 1, calc_plan, any_slots ? 2 : 1, of_plan, CDN_STAGE_EMPTY);
  room->numbers = cdni_declare_companion_region(d, "numbers", 1, room->plan);
  cdni_declare_prerequisite(d, (cdn_cache){ 0, CDN_QERR }, room->plan.ticket);

  cdn_ticket of_rows[7] = { CDN_POSE, room->params.ticket, room->plan.ticket, m->frames.ticket };
  int n_rows = 4;
  if (room->rheonomic) of_rows[n_rows++] = CDN_T;
  if (room->nonlinear) of_rows[n_rows++] = CDN_TWIST;
  if (any_slots) of_rows[n_rows++] = cdni_rigid_places(room->contact);
  room->rows = cdn_declare_cache(d, "rows", 0, calc_rows, n_rows, of_rows);
  CDNI_TRY(declare_controls(room, d));
  cdni_declare_prerequisite(d, (cdn_cache){ 0, CDN_UERR }, room->rows.ticket);
  const cdn_ticket surfaces = any_slots ? cdni_contact_surface_motion_ticket(room->contact) : room->rows.ticket;
  if (any_slots) cdni_declare_prerequisite(d, (cdn_cache){ 0, CDN_UERR }, surfaces);

  const cdn_ticket of_factor[] = { room->rows.ticket, m->inertia.ticket, m->driver_udot.ticket, m->armature.ticket };
  room->redundant = cdn_declare_auto_update(d, "redundant", (size_t)(room->m ? room->m : 1) * sizeof(int32_t), NULL,
                                            calc_factor, 4, of_factor);

  const cdn_ticket of_bias[] = { CDN_TWIST, room->rows.ticket, surfaces };
  room->bias = cdn_declare_cache(d, "bias", 0, calc_bias, any_slots ? 3 : 2, of_bias);
  const cdn_ticket unsaved[] = { room->plan.ticket, room->numbers.ticket, room->rows.ticket,
                                 room->redundant.update.ticket, room->bias.ticket };
  for (int i = 0; i < CDNI_COUNT(unsaved); i++) cdni_declare_unsaved(d, unsaved[i]);

  const double never = 0;
  room->baumgarte = cdn_declare_parameters(d, "baumgarte", 1, &never);
  return CDN_OK;
}

static void describe(const void *self, const cdn_system *system, cdn_description *d) {
  const constraint_room *room = of(self);
  for (size_t i = 0; i < room->elements.count; i++) {
    const constraint_element *e = constraint_at(room, (int)i);
    char on[200] = "";
    size_t at = 0;
    for (int b = 0; b < e->n_bodies && e->slot == 0 && at + 40 < sizeof on; b++) {
      const cdn_body body = { CDNI_AT(room->bodies, int32_t, e->first_body + b) };
      at += (size_t)snprintf(on + at, sizeof on - at, "%s%.30s", b ? ", " : "", cdn_body_name(system, body));
    }
    for (int k = 0; k < e->n_mobilities && at + 16 < sizeof on; k++) {
      const int u = CDNI_AT(room->mobilities, constraint_mobility, e->first_mobility + k).u;
      at += (size_t)snprintf(on + at, sizeof on - at, "%su[%d]", at ? ", " : "", u);
    }
    if (e->control.i >= 0)
      cdn_describe(d, e->name, "a constraint that follows control '%s'", cdn_control_name(system, e->control));
    cdn_describe(d, e->name, "a constraint of kind %s, %d + %d + %d equations, on %s", cdni_constraint_kind_name(e),
                 e->np, e->nv, e->na, on);
  }
}

const cdn_subsystem_ops cdni_constraints_ops = {
  .struct_size = sizeof cdni_constraints_ops,
  .name = "constraints",
  .self_size = sizeof(constraint_room *),
  .declare = declare,
  .calc_qerr = calc_qerr,
  .calc_uerr = calc_uerr,
  .calc_udoterr = calc_udoterr,
  .calc_multipliers = calc_multipliers,
  .describe = describe,
};
