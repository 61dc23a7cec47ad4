/* Constraints as a subsystem: what is declared and how each is computed.
 *
 *   pose, parameters -> rows of G -> the factorization, and which equations are redundant   (Position)
 *   rows, twist -> bias                                                                     (Velocity)
 *   all of these, forces -> multipliers and udot, in the entry of accelerations (dynamics/) (Acceleration) */
#include <stdio.h>

#include "constraints/derivatives.h"
#include "constraints/loops.h"

static constraint_room *of(const void *self) { return *(constraint_room *const *)self; }

/* ---- views ---- */

constraint_view cdni_constraint_view(const constraint_room *room, cdn_state *state, int i) {
  const constraint_element *e = constraint_at(room, i);
  const matter *m = room->matter;
  const char *block = cdni_state_block(state);
  return (constraint_view){ .room = room,
                            .c = e,
                            .state = state,
                            .data = e->data,
                            .params = cdn_state_parameters(state, room->params) + e->first_param,
                            .frames = cdn_state_parameters(state, m->frames),
                            .body = (const int32_t *)room->bodies.data + e->first_body,
                            .mobility = (const constraint_mobility *)room->mobilities.data + e->first_mobility,
                            .pose = (const body_pose *)(block + m->at.pose),
                            .twist = (const body_twist *)(block + m->at.twist),
                            .q = (const double *)(block + m->at.q),
                            .u = (const double *)(block + m->at.u),
                            .t = room->rheonomic ? cdn_state_time(state) : 0 };
}

static bool is_on(const constraint_room *room, cdn_state *state, size_t i) {
  return constraint_enabled(room, state)[i] != 0;
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

static cdn_status calc_rows(const void *self, cdn_state *state, void *out) {
  const constraint_room *room = of(self);
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  if (room->nonlinear) CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  sv *J = out;
  double *g = cdni_state_storage(state, room->coefficients);
  memset(J, 0, (size_t)room->n_J * sizeof *J);
  if (room->n_g) memset(g, 0, (size_t)room->n_g * sizeof *g);
  for (size_t i = 0; i < room->elements.count; i++) {
    if (!is_on(room, state, i)) continue;
    constraint_view v = cdni_constraint_view(room, state, (int)i);
    v.J = J + v.c->J, v.g = g + v.c->g;
    CDNI_TRY(cdni_constraint_kinds[v.c->kind]->calc_rows(&v));
    CDNI_TRY(check_finite(state, v.c, "row number", &v.J->w.x, 6 * (size_t)(v.c->m * v.c->n_bodies)));
    CDNI_TRY(check_finite(state, v.c, "row coefficient", v.g, (size_t)(v.c->m * v.c->n_mobilities)));
  }
  return CDN_OK;
}

cdn_status cdni_constraint_rows(const constraint_room *room, cdn_state *state, constraint_rows *rows) {
  CDNI_TRY(cdni_state_ensure(state, room->rows.ticket));
  rows->J = cdni_state_storage(state, room->rows);
  rows->g = cdni_state_storage(state, room->coefficients);
  return CDN_OK;
}

static cdn_status calc_qerr(const void *self, cdn_state *state, double *qerr) {
  const constraint_room *room = of(self);
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  for (size_t i = 0; i < room->elements.count; i++) {
    const constraint_view v = cdni_constraint_view(room, state, (int)i);
    double *e = qerr + v.c->qerr;
    for (int k = 0; k < v.c->np; k++) e[k] = 0;
    if (v.c->np == 0 || !is_on(room, state, i)) continue;
    CDNI_TRY(cdni_constraint_kinds[v.c->kind]->calc_position(&v, e));
    CDNI_TRY(check_finite(state, v.c, "position error", e, (size_t)v.c->np));
  }
  return CDN_OK;
}

/* The factorization of the dynamics. The flags of redundant equations are an auto-update variable, since they remember the flags
 * before them; the rest is a companion. */
static cdn_status calc_factor(const void *self, cdn_state *state, void *out) {
  const constraint_room *room = of(self);
  const matter *m = room->matter;
  constraint_rows rows;
  CDNI_TRY(cdni_constraint_rows(room, state, &rows));
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  loop_factor f = cdni_loop_factor_at(&room->plan, cdni_state_storage(state, room->factor));
  const tree_data d = cdni_matter_data(m, state);
  const int32_t *before = cdn_state_discrete(state, room->redundant.variable);
  const int bad = cdni_loop_factor(room, &d, constraint_enabled(room, state), &rows, LOOP_ALL, NULL, before, &f);
  if (bad >= 0) return cdni_matter_singular(m, state, bad, "cdn_realize");
  cdni_loop_null_name(&room->plan, &f, out);
  return CDN_OK;
}

cdn_status cdni_constraint_factor(const constraint_room *room, cdn_state *state, loop_factor *f) {
  CDNI_TRY(cdni_state_ensure(state, room->redundant.update.ticket));
  *f = cdni_loop_factor_at(&room->plan, cdni_state_storage(state, room->factor));
  return CDN_OK;
}

const int32_t *cdni_constraint_redundant(const constraint_room *room, cdn_state *state) {
  return cdni_state_storage(state, room->redundant.update);
}

/* ---- velocity ---- */

static cdn_status calc_bias(const void *self, cdn_state *state, void *out) {
  const constraint_room *room = of(self);
  double *bias = out;
  constraint_rows rows;
  CDNI_TRY(cdni_constraint_rows(room, state, &rows));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  if (room->m) memset(bias, 0, (size_t)room->m * sizeof *bias);
  for (size_t i = 0; i < room->elements.count; i++) {
    constraint_view v = cdni_constraint_view(room, state, (int)i);
    v.J = (sv *)rows.J + v.c->J, v.g = (double *)rows.g + v.c->g; /* only read from here on */
    const constraint_kind *kind = cdni_constraint_kinds[v.c->kind];
    if (!kind->add_bias || !is_on(room, state, i)) continue;
    CDNI_TRY(kind->add_bias(&v, bias + v.c->row));
    CDNI_TRY(check_finite(state, v.c, "acceleration bias", bias + v.c->row, (size_t)v.c->m));
  }
  return CDN_OK;
}

static cdn_status calc_uerr(const void *self, cdn_state *state, double *uerr) {
  const constraint_room *room = of(self);
  constraint_rows rows;
  CDNI_TRY(cdni_constraint_rows(room, state, &rows));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  for (size_t i = 0; i < room->elements.count; i++) {
    const constraint_view v = cdni_constraint_view(room, state, (int)i);
    const constraint_element *c = v.c;
    double *e = uerr + c->uerr;
    const int n = c->np + c->nv;
    const bool on = is_on(room, state, i);
    for (int k = 0; k < n; k++) { e[k] = on ? cdni_constraint_row_rate(&v, &rows, k) : 0; }
    if (on && n > 0 && cdni_constraint_kinds[c->kind]->finish_velocity)
      CDNI_TRY(cdni_constraint_kinds[c->kind]->finish_velocity(&v, e));
    CDNI_TRY(check_finite(state, c, "velocity error", e, (size_t)n));
  }
  return CDN_OK;
}

/* ---- acceleration ---- */

/* Where the multipliers of this room are in the State's pool. */
static double *multipliers_of(const constraint_room *room, cdn_state *state) {
  return (double *)cdni_state_storage(state, (cdn_cache){ CDN_MULTIPLIERS.i, CDN_MULTIPLIERS }) + room->first_row;
}

/* Baumgarte's stabilization: errors e of positions shall follow e'' + 2 e' / T + e / T^2 = 0, those of velocities alone
 * e' + e / T = 0. */
static cdn_status stabilize(const constraint_room *room, cdn_state *state, double T, double *b) {
  CDNI_TRY(cdni_state_ensure(state, CDN_QERR));
  CDNI_TRY(cdni_state_ensure(state, CDN_UERR));
  const cdni_runs runs = cdni_subsystem_runs(cdn_state_system(state), room->subsystem);
  const double *qerr = cdn_state_qerr(state) + runs.qerr, *uerr = cdn_state_uerr(state) + runs.uerr;
  for (size_t i = 0; i < room->elements.count; i++) {
    const constraint_element *c = constraint_at(room, (int)i);
    for (int k = 0; k < c->np; k++) b[c->row + k] -= (2 * uerr[c->uerr + k] + qerr[c->qerr + k] / T) / T;
    for (int k = c->np; k < c->np + c->nv; k++) b[c->row + k] -= uerr[c->uerr + k] / T;
  }
  return CDN_OK;
}

cdn_status cdn_constraints_set_baumgarte(cdn_state *state, double time_constant) {
  const constraint_room *room = cdni_constraints(cdn_state_system(state));
  if (!(time_constant >= 0))
    return cdni_state_fail(state, CDN_ERR_ARG, false, "cdn_constraints_set_baumgarte", NULL,
                           "the time constant is %g; it must be positive, or 0 for no stabilization", time_constant);
  return room && room->m > 0 ? cdn_state_set_parameters(state, room->baumgarte, 0, 1, &time_constant) : CDN_OK;
}

cdn_status cdni_constraints_solve(const constraint_room *room, cdn_state *state, const tree_data *d) {
  loop_factor f;
  CDNI_TRY(cdni_constraint_factor(room, state, &f));
  CDNI_TRY(cdni_state_ensure(state, room->bias.ticket));
  const double *bias = cdni_state_storage(state, room->bias);
  const size_t own = (size_t)room->m * sizeof(double), aligned = (own + 63) / 64 * 64;
  char *work = cdn_work_push(state, aligned + cdni_loop_solve_scratch(&room->plan, &f));
  if (!work) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
  double *b = (double *)work;
  for (int k = 0; k < room->m; k++) b[k] = -bias[k];
  const double T = *cdn_state_parameters(state, room->baumgarte);
  const cdn_status stabilized = T > 0 ? stabilize(room, state, T, b) : CDN_OK;
  if (stabilized != CDN_OK) {
    cdn_work_pop(state, work);
    return stabilized;
  }
  const loop_problem problem = { .force = d->force,
                                 .f = d->f_mob,
                                 .b = b,
                                 .velocity = true,
                                 .prescribed = d->udot,
                                 .weight = cdn_state_parameters(state, room->weights),
                                 .x = d->udot,
                                 .lambda = multipliers_of(room, state),
                                 .A = d->A };
  cdni_loop_solve(room, d, &f, &problem, work + aligned);
  cdn_work_pop(state, work);
  return CDN_OK;
}

static cdn_status calc_multipliers(const void *self, cdn_state *state, double *multipliers) {
  const constraint_room *room = of(self);
  /* solving has put them there */
  CDNI_TRY(cdni_state_ensure(state, CDN_ACCELERATION));
  if (room->m && !cdni_constraint_any_enabled(room, state)) memset(multipliers, 0, (size_t)room->m * sizeof(double));
  return CDN_OK;
}

static cdn_status calc_udoterr(const void *self, cdn_state *state, double *udoterr) {
  const constraint_room *room = of(self);
  const matter *m = room->matter;
  constraint_rows rows;
  CDNI_TRY(cdni_constraint_rows(room, state, &rows));
  CDNI_TRY(cdni_state_ensure(state, room->bias.ticket));
  CDNI_TRY(cdni_state_ensure(state, CDN_ACCELERATION));
  const double *bias = cdni_state_storage(state, room->bias);
  const tree_data d = cdni_matter_data(m, state);
  cdni_constraint_multiply(room, constraint_enabled(room, state), &rows, d.A, d.udot, udoterr);
  for (int k = 0; k < room->m; k++) udoterr[k] += bias[k];
  return CDN_OK;
}

cdn_status cdni_constraints_add_forces(const constraint_room *room, cdn_state *state, sv *F, double *f) {
  constraint_rows rows;
  CDNI_TRY(cdni_constraint_rows(room, state, &rows));
  CDNI_TRY(cdni_state_ensure(state, CDN_MULTIPLIERS));
  cdni_constraint_multiply_transpose(room, constraint_enabled(room, state), &rows, -1, multipliers_of(room, state), F,
                                     f);
  return CDN_OK;
}

/* ---- what dynamics asks for ---- */

const constraint_room *cdni_constraints_declared(const cdn_system *system) {
  const constraint_room *room = cdni_constraints(system);
  return room && room->matter && room->elements.count > 0 ? room : NULL;
}

cdn_dvar cdni_constraints_memory(const constraint_room *room) { return room->redundant.variable; }

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

static void number_equations(constraint_room *room) {
  for (size_t i = 0; i < room->elements.count; i++) {
    constraint_element *e = &CDNI_AT(room->elements, constraint_element, i);
    e->qerr = room->np, e->uerr = room->np + room->nv, e->row = room->m;
    e->J = room->n_J, e->g = room->n_g;
    room->np += e->np, room->nv += e->nv, room->na += e->na, room->m += e->m;
    room->n_J += e->m * e->n_bodies;
    room->n_g += e->m * e->n_mobilities;
    room->rheonomic = room->rheonomic || e->rheonomic;
    room->nonlinear = room->nonlinear || e->nonlinear;
    room->drives = room->drives || cdni_constraint_kinds[e->kind]->finish_velocity || e->na > 0;
  }
}

static cdn_status declare(void *self, cdn_declarer *d) {
  constraint_room *room = of(self);
  const cdn_system *system = cdni_declarer_system(d);
  room->matter = cdni_matter(system);
  room->subsystem = cdni_declarer_subsystem(d);
  if (!room->matter || room->elements.count == 0) return CDN_OK;
  const matter *m = room->matter;
  number_equations(room);
  cdn_declare_constraint_errors(d, room->np, room->nv, room->na);
  room->first_row = cdni_subsystem_runs(system, room->subsystem).udoterr;
  if (!cdni_loop_plan_make(room, cdni_system_allocator(system)))
    return cdn_declare_error(d, CDN_ERR_NOMEM, "out of memory");

  const int n = (int)room->elements.count;
  room->params = cdn_declare_parameters(d, "params", (int)room->defaults.count, room->defaults.data);
  room->enabled = cdn_declare_parameters(d, "enabled", n, room->enabled0.data);
  room->units = cdn_declare_parameters(d, "unit_errors", n, room->units0.data);
  room->weights = cdn_declare_parameters(d, "multiplier_weights", n, room->units0.data);

  cdn_ticket of_rows[6] = { CDN_POSE, room->params.ticket, room->enabled.ticket, m->frames.ticket };
  int n_rows = 4;
  if (room->rheonomic) of_rows[n_rows++] = CDN_T;
  if (room->nonlinear) of_rows[n_rows++] = CDN_TWIST;
  room->rows = cdn_declare_cache(d, "rows", (size_t)room->n_J * sizeof(sv), calc_rows, n_rows, of_rows);
  room->coefficients = cdni_declare_companion(d, "coefficients", (size_t)room->n_g * sizeof(double), room->rows);

  cdni_declare_prerequisite(d, (cdn_cache){ CDN_UERR.i, CDN_UERR }, room->rows.ticket);

  const cdn_ticket of_factor[] = { room->rows.ticket, m->inertia.ticket, m->driver_udot.ticket, m->armature.ticket };
  room->redundant = cdn_declare_auto_update(d, "redundant", (size_t)(room->m ? room->m : 1) * sizeof(int32_t), NULL,
                                            calc_factor, 4, of_factor);
  room->factor = cdni_declare_companion(d, "factor", cdni_loop_factor_size(&room->plan), room->redundant.update);

  const cdn_ticket of_bias[] = { CDN_TWIST, room->rows.ticket };
  room->bias = cdn_declare_cache(d, "bias", (size_t)room->m * sizeof(double), calc_bias, 2, of_bias);

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
    for (int b = 0; b < e->n_bodies && at + 40 < sizeof on; b++) {
      const cdn_body body = { CDNI_AT(room->bodies, int32_t, e->first_body + b) };
      at += (size_t)snprintf(on + at, sizeof on - at, "%s%.30s", b ? ", " : "", cdn_body_name(system, body));
    }
    for (int k = 0; k < e->n_mobilities && at + 16 < sizeof on; k++) {
      const int u = CDNI_AT(room->mobilities, constraint_mobility, e->first_mobility + k).u;
      at += (size_t)snprintf(on + at, sizeof on - at, "%su[%d]", at ? ", " : "", u);
    }
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
