/* One moment: everything that may act at a State is one set with one answer. First impulses, if bodies approach where
 * nothing is between them; then accelerations, from which the statuses follow. */
#include "hybrid/impact.h"
#include "hybrid/slip.h"

#include <float.h>
#include <math.h>

#include "matter/operators.h"

/* ---- memory ---- */

/* What each element has, whether it takes part or not. */
static size_t divide_elements(moment *m, char *base) {
  const size_t sides = (size_t)hybrid_sides(m->room), frictions = (size_t)hybrid_frictions(m->room);
  const size_t all = (size_t)m->all_nu;
  size_t at = 0;
  m->in = cdni_part(base, &at, sides, sizeof *m->in);
  m->lands = cdni_part(base, &at, sides, sizeof *m->lands);
  m->leaves = cdni_part(base, &at, sides, sizeof *m->leaves);
  m->joins = cdni_part(base, &at, sides, sizeof *m->joins);
  m->side_cone = cdni_part(base, &at, sides, sizeof *m->side_cone);
  m->friction_cone = cdni_part(base, &at, frictions, sizeof *m->friction_cone);
  m->was = cdni_part(base, &at, frictions, sizeof *m->was);
  m->was_e = cdni_part(base, &at, CONE_MOST_TANGENTS * frictions, sizeof(double));
  m->begins = cdni_part(base, &at, frictions, sizeof *m->begins);
  m->f = cdni_part(base, &at, all, sizeof(double));
  m->applied = cdni_part(base, &at, (size_t)m->nu, sizeof(double));
  m->x = cdni_part(base, &at, all, sizeof(double));
  m->lambda = cdni_part(base, &at, (size_t)m->all_equations, sizeof(double));
  m->free_lambda = cdni_part(base, &at, (size_t)m->equations, sizeof(double));
  m->free_joints = cdni_part(base, &at, JOINT_NUMBERS * (size_t)m->room->joints, sizeof(double));
  const size_t kept = (size_t)hybrid_kept(m->room), joints = JOINT_NUMBERS * (size_t)m->room->joints;
  m->kept_G = cdni_part(base, &at, kept * (size_t)m->nu, sizeof(double));
  m->kept_X = cdni_part(base, &at, kept * (size_t)m->nu, sizeof(double));
  m->kept_L = cdni_part(base, &at, kept * (size_t)m->equations, sizeof(double));
  m->kept_J = cdni_part(base, &at, kept * joints, sizeof(double));
  m->kept = cdni_part(base, &at, 3 * kept, sizeof(double));
  m->kept_lambda = cdni_part(base, &at, kept > 0 ? (size_t)m->equations : 0, sizeof(double));
  m->kept_joints = cdni_part(base, &at, kept > 0 ? joints : 0, sizeof(double));
  m->kept_total = cdni_part(base, &at, kept, sizeof(double));
  m->keeps = cdni_part(base, &at, kept, sizeof *m->keeps);
  m->kept_before = cdni_part(base, &at, kept, sizeof *m->kept_before);
  m->changes = cdni_part(base, &at, hybrid_changes(m->room), sizeof(double));
  return at;
}

/* What grows with the rows that there may be. */
static size_t divide_rows(moment *m, char *base) {
  const size_t rows = (size_t)m->most_rows;
  size_t at = 0;
  m->cones = cdni_part(base, &at, (size_t)m->most_cones, sizeof *m->cones);
  m->J = cdni_part(base, &at, rows * JOINT_NUMBERS * (size_t)m->room->joints, sizeof(double));
  double **const vectors[] = { &m->v,     &m->b,      &m->p,      &m->w,       &m->e,   &m->least,
                               &m->total, &m->before, &m->kept_b, &m->allowed, &m->load };
  for (int i = 0; i < CDNI_COUNT(vectors); i++) *vectors[i] = cdni_part(base, &at, rows, sizeof(double));
  m->law_work = cdni_part(base, &at, cdni_impact_work(m->room, m->most_rows, m->most_cones), 1);
  return at;
}

static cdn_status take(moment *m, size_t (*divide)(moment *m, char *base), moment_memory *memory) {
  const cdn_allocator *a = cdni_system_allocator(cdn_state_system(m->state));
  if (memory->bytes) cdni_free(a, memory->bytes, memory->size);
  memory->size = divide(m, NULL) + 1; /* there may be no rows at all */
  memory->bytes = cdni_calloc(a, memory->size);
  if (!memory->bytes) return cdni_moment_fits(m, false);
  divide(m, memory->bytes);
  return CDN_OK;
}

cdn_status cdni_moment_fits(const moment *m, bool fits) {
  return fits ? CDN_OK : cdni_state_fail(m->state, CDN_ERR_NOMEM, false, "cdn_settle", NULL, "out of memory");
}

cdn_status cdni_moment_begin(moment *m) {
  const hybrid_room *room = m->room;
  const cdn_system *system = cdn_state_system(m->state);
  m->nu = room->matter->tree.nu;
  m->first_u = cdni_subsystem_runs(system, room->matter->subsystem).u;
  m->all_nu = cdn_system_nu(system);
  m->equations = cdni_constraints_equations(room->constraints);
  m->first_row = cdni_constraints_first_row(room->constraints);
  m->all_equations = cdn_system_nudoterr(system);
  return take(m, divide_elements, &m->of_elements);
}

/* Rows of all elements that are there: slots that hold nothing have none. */
cdn_status cdni_moment_begin_rows(moment *m) {
  const hybrid_room *room = m->room;
  int rows = 0, cones = 0;
  for (int i = 0; i < hybrid_sides(room); i++)
    if (side_is_there(room, m->state, i)) rows++, cones++;
  for (int i = 0; i < hybrid_frictions(room); i++) {
    const dry_friction *x = friction_at(room, i);
    if (x->normal >= 0 && !side_is_there(room, m->state, x->normal)) continue;
    rows += x->n, cones += friction_is_apart(x);
  }
  if (m->of_rows.bytes && rows <= m->most_rows && cones <= m->most_cones) return CDN_OK;
  /* who asks again may ask for ever more */
  const int more = m->of_rows.bytes ? rows / 4 : 0;
  m->most_rows = rows + more, m->most_cones = cones + more;
  return take(m, divide_rows, &m->of_rows);
}

void cdni_moment_end(moment *m) {
  const cdn_allocator *a = cdni_system_allocator(cdn_state_system(m->state));
  if (m->of_elements.bytes) cdni_free(a, m->of_elements.bytes, m->of_elements.size);
  if (m->of_rows.bytes) cdni_free(a, m->of_rows.bytes, m->of_rows.size);
  sparse_rows *const all[] = { &m->G, &m->X, &m->L, &m->W };
  for (int i = 0; i < CDNI_COUNT(all); i++) cdni_sparse_free(all[i]);
}

cdn_status cdni_moment_fails(const moment *m, const char *what) {
  const char *name = NULL;
  if (m->out_of_memory) return cdni_state_fail(m->state, CDN_ERR_NOMEM, false, "cdn_settle", NULL, "out of memory");
  if (m->unkept)
    return cdni_state_fail(m->state, CDN_ERR_CONSTRAINT, false, "cdn_settle", m->unkept,
                           "no force of '%s' keeps the reaction at its value: let it push what the reaction depends on",
                           m->unkept);
  for (int i = 0; i < hybrid_frictions(m->room) && !name; i++)
    if (m->friction_cone[i] >= 0) name = friction_at(m->room, i)->name;
  for (int i = 0; i < hybrid_sides(m->room); i++)
    if (m->side_cone[i] >= 0) name = side_at(m->room, i)->name;
  return cdni_state_fail(m->state, CDN_ERR_CONSTRAINT, false, "cdn_settle", name,
                         "%s: of %d elements that may act, '%s' among them, a relative error of %.2g remains", what,
                         m->n_cones, name ? name : "?", m->residual);
}

/* ---- who takes part ---- */

static bool fired_at(const bool *list, int i) { return list && list[i]; }

double cdni_moment_rounding(const moment *m) {
  const double *q = cdn_state_q(m->state);
  double largest = 1;
  for (int i = 0; i < cdn_system_nq(cdn_state_system(m->state)); i++) largest = fmax(largest, fabs(q[i]));
  return 16 * DBL_EPSILON * largest;
}

/* What counts as a gap of zero: rounding; at a start, what a user may have computed. */
static double touching(const moment *m) { return (m->fired ? 1 : 300) * cdni_moment_rounding(m); }

static cdn_status speed_of(moment *m, int i, double *speed) {
  const one_sided *s = side_at(m->room, i);
  CDNI_TRY(cdn_calc_constraint_verr(m->state, (cdn_constraint){ s->constraint }, speed));
  *speed *= s->sign;
  return CDN_OK;
}

/* Its gap, of a ratchet its speed; and its speed. */
cdn_status cdni_moment_gap(moment *m, int i, double *gap, double *speed) {
  const one_sided *s = side_at(m->room, i);
  CDNI_TRY(speed_of(m, i, speed));
  *gap = *speed;
  if (s->speed) return CDN_OK;
  CDNI_TRY(cdn_calc_constraint_perr(m->state, (cdn_constraint){ s->constraint }, gap));
  *gap *= s->sign;
  return CDN_OK;
}

/* Shapes are seen to touch somewhat less exactly. */
static double zero_of(const moment *m, int i, double near) {
  const int slot = side_slot(m->room, i);
  return slot < 0 ? near : fmax(near, cdni_rigid_near(m->room->contact, m->state, slot));
}

/* What would close within this part of the accuracy, in s, closes now: two legs that are alike strike their limits
 * together, whatever rounding does to them. What an impact alone makes approach has an impact of its own. */
static const double TOGETHER = 1e-4;

/* The one-sided elements whose gap is zero, as far as one can tell. What is there and parts slowly may yet be pulled
 * back at once: accelerations tell. */
static cdn_status choose_sides(moment *m) {
  const double near = touching(m);
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    const bool on = side_is_on(m->room, m->state, i), touches = m->fired && fired_at(m->fired->touches, i);
    double gap, speed;
    m->in[i] = false;
    if (!side_is_there(m->room, m->state, i)) continue;
    CDNI_TRY(cdni_moment_gap(m, i, &gap, &speed));
    const double slow = side_at(m->room, i)->speed || cdni_bounces_flies(m, i) ? near : fmax(near, m->accuracy);
    const bool closes = m->fired && !side_at(m->room, i)->speed && gap <= -speed * TOGETHER * m->accuracy;
    m->in[i] = on || ((touches || closes || gap <= zero_of(m, i, near)) && speed <= slow);
    /* a ratchet turns back if something has struck it, or at a start; one that has come to rest has not */
    const bool approaches = side_at(m->room, i)->speed ? !touches && speed < -near : speed < 0;
    m->approach = m->approach || (m->in[i] && !on && approaches);
  }
  return CDN_OK;
}

/* After an impact: contacts that parted before it, by less than one can tell, may approach now. They are the next
 * impact at the same place. (Two corners of a slider hammer on a guide by turns, ever faster.) */
static cdn_status choose_next(moment *m, double rest) {
  const double near = touching(m);
  m->approach = false;
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    double gap, speed;
    if (m->in[i] || !side_is_there(m->room, m->state, i)) continue;
    CDNI_TRY(cdni_moment_gap(m, i, &gap, &speed));
    m->in[i] = gap <= zero_of(m, i, near) && speed < -rest;
    m->approach = m->approach || m->in[i];
  }
  return CDN_OK;
}

cdn_status cdni_moment_close_approaching(moment *m, bool *closed, bool *any) {
  const double near = touching(m), rest = cdni_moment_at_rest(m);
  *any = false;
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    const one_sided *s = side_at(m->room, i);
    double gap, speed;
    if (s->speed || side_is_on(m->room, m->state, i) || closed[i] || !side_is_there(m->room, m->state, i)) continue;
    CDNI_TRY(cdni_moment_gap(m, i, &gap, &speed));
    if (!(gap <= zero_of(m, i, near) && speed < -rest)) continue;
    closed[i] = *any = true;
    CDNI_TRY(cdn_constraint_set_enabled(m->state, (cdn_constraint){ s->constraint }, true));
  }
  return CDN_OK;
}

/* Rows and cones of all that takes part, with their velocities. Friction does if its normal does, or if something else
 * presses. */
cdn_status cdni_moment_arrange(moment *m) {
  const hybrid_room *room = m->room;
  m->rows = m->n_cones = 0;
  memset(m->allowed, 0, (size_t)m->most_rows * sizeof *m->allowed);
  for (int i = 0; i < hybrid_sides(room); i++) {
    m->side_cone[i] = m->in[i] ? m->n_cones : -1;
    if (!m->in[i]) continue;
    CDNI_TRY(speed_of(m, i, &m->v[m->rows]));
    m->cones[m->n_cones++] = (cone){ .normal = m->rows++, .tangent = -1 };
  }
  for (int i = 0; i < hybrid_frictions(room); i++) {
    const dry_friction *x = friction_at(room, i);
    double v[CONE_MOST_TANGENTS];
    m->friction_cone[i] = x->normal >= 0 ? m->side_cone[x->normal] : m->n_cones;
    if (m->friction_cone[i] < 0) continue;
    if (friction_is_apart(x)) m->friction_cone[i] = m->n_cones;
    if (friction_is_apart(x)) m->cones[m->n_cones++] = (cone){ .normal = -1 };
    cone *c = &m->cones[m->friction_cone[i]];
    c->tangent = m->rows, c->n = x->n;
    CDNI_TRY(cdni_friction_slip(room, m->state, i, v));
    for (int k = 0; k < x->n; k++) m->v[m->rows++] = v[k];
  }
  return CDN_OK;
}

/* Notes what the frictions were, and where those that have begun to slip are pushed. */
static cdn_status remember(moment *m) {
  const hybrid_room *room = m->room;
  for (int i = 0; i < hybrid_frictions(room); i++) {
    const double *numbers = friction_numbers(room, m->state, i);
    double *e = m->was_e + CONE_MOST_TANGENTS * i;
    m->was[i] = friction_status(room, m->state, i);
    memcpy(e, numbers + FRICTION_DIRECTION, CONE_MOST_TANGENTS * sizeof *e);
    m->begins[i] = cdni_friction_begins(room, hybrid_statuses(room, m->state), i);
    if (!m->fired || !fired_at(m->fired->slips, i)) continue;
    m->begins[i] = false; /* forces that brake it, now */
    double force[CONE_MOST_TANGENTS] = { 0 };
    CDNI_TRY(cdn_dry_friction_force(m->state, (cdn_dry_friction){ i }, force));
    force[1] /= friction_scale(room, m->state, i, 1);
    const double size = cone_norm(force);
    for (int k = 0; k < CONE_MOST_TANGENTS && size > 0; k++) e[k] = -force[k] / size;
  }
  return CDN_OK;
}

/* Brings slots up to date. Who takes one begins without a status. */
static cdn_status renew_slots(moment *m) {
  const hybrid_room *room = m->room;
  if (room->slots == 0) return CDN_OK;
  CDNI_TRY(cdni_hybrid_renew_slots(room, m->state, m->fired && m->fired->shapes_touch, 0));
  cdni_changes_renewed(m);
  for (int i = slot_friction(room, 0); i < slot_friction(room, room->slots); i++)
    m->was[i] = friction_status(room, m->state, i), m->begins[i] = m->begins[i] && m->was[i] == CDN_FRICTION_SLIP;
  return cdn_realize(m->state, CDN_STAGE_VELOCITY);
}

/* Switches off all constraints of elements, so that the System answers without them. */
cdn_status cdni_moment_release(moment *m) {
  const int sides = hybrid_sides(m->room), frictions = hybrid_frictions(m->room);
  for (int i = 0; i < sides; i++)
    CDNI_TRY(cdn_constraint_set_enabled(m->state, (cdn_constraint){ side_at(m->room, i)->constraint }, false));
  for (int i = 0; i < frictions; i++)
    CDNI_TRY(cdn_constraint_set_enabled(m->state, (cdn_constraint){ friction_at(m->room, i)->slip }, false));
  double *status = cdni_state_update_discrete(m->state, m->room->status);
  for (int i = 0; i < frictions; i++) status[sides + FRICTION_NUMBERS * i + FRICTION_STATUS] = CDN_FRICTION_OFF;
  for (int i = 0; i < hybrid_kept(m->room); i++) status[kept_place(m->room, i) + KEPT_ACTS] = 0;
  for (int i = 0; i < sides; i++)
    if (m->in[i]) status[slack_place(m->room, i)] = 0;
  return CDN_OK;
}

/* ---- the whole ---- */

/* Brings to rest what is captured, by a projection; its energy counts. */
static cdn_status bring_to_rest(moment *m, double rest, bool whole, cdn_hybrid_totals *totals) {
  double before, after;
  CDNI_TRY(cdn_kinetic_energy(m->state, &before));
  CDNI_TRY(whole ? cdni_moment_hold(m) : cdni_bounces_hold(m, rest));
  CDNI_TRY(cdn_realize(m->state, CDN_STAGE_VELOCITY));
  CDNI_TRY(cdn_kinetic_energy(m->state, &after));
  totals->capture_energy += before - after;
  return CDN_OK;
}

/* Impacts one after another at one place. With e = 1 they would go on for ever. */
enum { MOST_IMPACTS = 10000, MOST_JAMS = 5 };

/* Impulses; what separates then takes no further part. What has no restitution and parts more slowly than its capture
 * speed has not separated. */
static cdn_status collide(moment *m, cdn_hybrid_totals *totals) {
  CDNI_TRY(cdni_moment_collide(m, totals));
  const double rest = cdni_moment_at_rest(m);
  for (int i = 0; i < hybrid_sides(m->room); i++) {
    if (!m->in[i]) continue;
    const int row = m->cones[m->side_cone[i]].normal;
    m->in[i] = m->v[row] <= fmax(rest, m->e[row] > 0 ? 0 : m->least[row]);
    m->stops = m->stops || (m->in[i] && m->v[row] > rest);
  }
  CDNI_TRY(cdn_realize(m->state, CDN_STAGE_VELOCITY));
  if (m->stops) CDNI_TRY(bring_to_rest(m, rest, false, totals));
  CDNI_TRY(choose_next(m, rest));
  CDNI_TRY(cdni_moment_arrange(m));
  return cdni_moment_respond(m);
}

/* Statuses, and the speeds that belong to them: what sticks is brought to rest. */
static cdn_status find_statuses(moment *m, cdn_hybrid_totals *totals) {
  bool found, parts = true;
  while (parts) {
    found = false;
    if (!m->jammed) CDNI_TRY(cdni_moment_accelerate(m, &found));
    parts = found && cdni_moment_parts(m);
    if (!parts) break;
    CDNI_TRY(cdni_moment_arrange(m));
    CDNI_TRY(cdni_moment_respond(m));
  }
  /* friction that jams ends by impulses without any approach (Painleve) */
  for (int k = 0; !found && k < MOST_JAMS; k++) {
    m->jammed = true, m->residual = 0;
    CDNI_TRY(collide(m, totals));
    CDNI_TRY(cdni_moment_accelerate(m, &found));
    totals->jams++;
  }
  m->jammed = false;
  if (!found && !m->out_of_memory) CDNI_TRY(cdni_moment_contradicts(m, m->b));
  if (!found) return cdni_moment_fails(m, "no statuses agree with the accelerations");
  cdni_moment_choose(m, totals);
  CDNI_TRY(cdni_moment_keep_closed(m));
  CDNI_TRY(cdni_moment_set_statuses(m));
  m->stopping = 0;
  return bring_to_rest(m, 0, true, totals);
}

/* How much faster slips count as slow no more, where one has stopped too much. */
static const double SLOWER = 1e-3;

/* The same, so that what is brought to rest stops nothing else. u: room for speeds. */
static cdn_status find_gentle_statuses(moment *m, cdn_hybrid_totals *totals, double *u) {
  for (;;) {
    const cdn_hybrid_totals before = *totals;
    if (m->all_nu > 0) memcpy(u, cdn_state_u(m->state), (size_t)m->all_nu * sizeof *u);
    const int jams = totals->jams;
    CDNI_TRY(find_statuses(m, totals));
    if (totals->jams > jams || !cdni_moment_stops_too_much(m, u)) return CDN_OK;
    m->slow *= SLOWER, *totals = before;
    CDNI_TRY(cdn_state_set_u(m->state, u));
    CDNI_TRY(cdn_realize(m->state, CDN_STAGE_VELOCITY));
    CDNI_TRY(cdni_moment_release(m));
    CDNI_TRY(cdni_moment_arrange(m));
    CDNI_TRY(cdni_moment_respond(m));
  }
}

/* Statuses are found anew so often. Slips below this part of the accuracy are slow. */
enum { MOST_ROUNDS = 20 };
static const double SLOW = 0.3;

static cdn_status find_all_statuses(moment *m, cdn_hybrid_totals *totals, double *u) {
  bool slowed;
  for (int k = 0; k <= MOST_ROUNDS; k++) {
    CDNI_TRY(find_gentle_statuses(m, totals, u));
    CDNI_TRY(cdni_moment_slowed(m, &slowed));
    if (!slowed) return CDN_OK;
    CDNI_TRY(cdni_moment_release(m));
    CDNI_TRY(cdni_moment_arrange(m));
  }
  return CDN_OK;
}

cdn_status cdni_moment_settle(moment *m, cdn_hybrid_totals *totals) {
  m->slow = SLOW * m->accuracy;
  CDNI_TRY(cdn_realize(m->state, CDN_STAGE_VELOCITY));
  if (m->fired && m->fired->jams) {
    CDNI_TRY(cdni_moment_pass_jam(m));
    CDNI_TRY(cdn_realize(m->state, CDN_STAGE_VELOCITY));
  }
  cdni_changes_begin(m);
  cdni_bounces_begin(m);
  CDNI_TRY(remember(m));
  cdni_kept_begin(m);
  CDNI_TRY(renew_slots(m));
  CDNI_TRY(cdni_moment_begin_rows(m));
  CDNI_TRY(choose_sides(m));
  CDNI_TRY(cdni_moment_release(m));
  CDNI_TRY(cdni_moment_arrange(m));
  CDNI_TRY(cdni_moment_respond(m));
  for (int k = 0; m->approach && k < MOST_IMPACTS; k++) CDNI_TRY(collide(m, totals));
  double *u = cdn_work_push(m->state, (size_t)m->all_nu * sizeof *u + 1);
  if (!u) return cdni_moment_fits(m, false);
  const cdn_status status = find_all_statuses(m, totals, u);
  cdn_work_pop(m->state, u);
  CDNI_TRY(status);
  totals->moments++;
  totals->worst_residual = fmax(totals->worst_residual, m->residual);
  CDNI_TRY(cdn_realize(m->state, CDN_STAGE_ACCELERATION));
  CDNI_TRY(cdni_moment_check(m));
  return cdni_bounces_end(m, totals);
}
