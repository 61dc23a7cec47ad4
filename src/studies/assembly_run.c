/* Assembling: the guess and other starts, constraints and then goals, and never a State that is worse than the one
 * given. */
#include <math.h>
#include <stdio.h>

#include "hybrid/hybrid.h"
#include "studies/assembly.h"

/* ---- memory of the goals -------------------------------------------------------------------- */

static size_t lay_out(cdn_assembly *a, char *base) {
  const size_t rows = (size_t)a->n_rows, nu = (size_t)a->nu, d = sizeof(double);
  const size_t all = (size_t)cdn_system_nudoterr(a->system), m = a->room ? (size_t)(a->room->np + a->room->nv) : 0;
  size_t at = 0;
  a->r = cdni_part(base, &at, rows, d), a->J = cdni_part(base, &at, rows * nu, d);
  a->H = cdni_part(base, &at, nu * nu, d), a->L = cdni_part(base, &at, nu * nu, d);
  a->S = cdni_part(base, &at, nu * nu, d), a->moved = cdni_part(base, &at, nu, d);
  a->kept = cdni_part(base, &at, nu, d), a->pulled = cdni_part(base, &at, nu, d);
  a->step = cdni_part(base, &at, nu, d), a->map = cdni_part(base, &at, nu, sizeof *a->map);
  a->G = cdni_part(base, &at, all * nu, d), a->g_lambda = cdni_part(base, &at, m, d);
  a->null.A = cdni_part(base, &at, m * nu, d), a->null.scale = cdni_part(base, &at, m, d);
  a->null.size = cdni_part(base, &at, m, d), a->null.order = cdni_part(base, &at, m, sizeof *a->null.order);
  return at + CDNI_ALIGN;
}

/* Memory for goals; none is needed without goals. */
static cdn_status make_room(cdn_assembly *a) {
  if (a->made_rows == a->n_rows) return CDN_OK;
  if (a->goal_block) cdni_free(&a->allocator, a->goal_block, a->goal_block_size);
  a->made_rows = 0;
  a->goal_block_size = lay_out(a, NULL);
  a->goal_block = cdni_calloc(&a->allocator, a->goal_block_size);
  if (!a->goal_block) return CDN_ERR_NOMEM;
  lay_out(a, a->goal_block);
  a->made_rows = a->n_rows;
  return CDN_OK;
}

/* ---- free mobilities ------------------------------------------------------------------------ */

static bool is_body_slot(const cdn_assembly *a, int k) {
  return a->m && k >= a->first_u && k < a->first_u + a->m->tree.nu;
}

static void find_free(cdn_assembly *a, const cdn_state *state, bool speeds) {
  cdni_state_prescribed(state, a->prescribed, a->prescribed + a->nq);
  for (int k = 0; k < a->nu; k++)
    a->fixed[k] = a->locked[k] || !is_body_slot(a, k) || (speeds && a->prescribed[a->nq + k]);
  for (int i = 1; !speeds && a->m && i < a->m->tree.n; i++) {
    const tree_node *n = &a->m->tree.node[i];
    /* positions are prescribed by whole mobilizers */
    for (int k = 0; k < n->nu; k++)
      if (a->prescribed[a->first_q + n->q]) a->fixed[a->first_u + n->u + k] = true;
  }
}

/* Into the bounds. */
static cdn_status clip(cdn_assembly *a, cdn_state *state) {
  bool any = false;
  memcpy(a->q, cdn_state_q(state), (size_t)a->nq * sizeof *a->q);
  for (int k = 0; a->bounded && k < a->nu; k++) {
    if (a->slot[k] < 0 || a->fixed[k]) continue;
    double *q = &a->q[a->slot[k]], inside = fmin(fmax(*q, a->lower[k]), a->upper[k]);
    any = any || inside != *q;
    *q = inside;
  }
  return any ? cdn_state_set_q(state, a->q) : CDN_OK;
}

/* ---- other starts --------------------------------------------------------------------------- */

/* The next of a fixed sequence of numbers between -1 and 1 (Steele, Lea and Flood 2014: splitmix). */
static double next_random(cdn_assembly *a) {
  uint64_t x = a->random += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  x ^= x >> 31;
  return (double)(x >> 11) * 0x1p-52 - 1;
}

/* From q = came by a displacement of this size in every free mobility to which errors are left. */
static cdn_status displace(cdn_assembly *a, cdn_state *state, double size) {
  assembly_errors e;
  CDNI_TRY(cdn_state_set_q(state, a->came));
  CDNI_TRY(cdni_assembly_measure(a, state, false, &e));
  cdni_assembly_concern_errors(a, state, false, a->def.tolerance);
  memcpy(a->start, a->came, (size_t)a->nq * sizeof *a->start);
  for (int k = 0; k < a->nu; k++) {
    const bool moves = !a->fixed[k] && cdni_assembly_is_concerned(a, k);
    a->x[k] = moves ? size * next_random(a) : 0;
    if (a->slot[k] >= 0 && size > 1 && moves && a->upper[k] - a->lower[k] < INFINITY)
      a->x[k] = a->lower[k] + (a->upper[k] - a->lower[k]) * (1 + next_random(a)) / 2 - a->came[a->slot[k]];
  }
  return cdni_assembly_move(a, state, 1);
}

/* Satisfies the constraints from the guess. If that ends at a place without a better one nearby, tries places beside
 * it, and then the starts that were asked for. Keeps the best. */
static cdn_status satisfy(cdn_assembly *a, cdn_state *state, assembly_errors *e, int *from) {
  static const double beside[] = { 0.05, 0.3, 1 };
  enum { BESIDE = 3 };
  CDNI_TRY(clip(a, state));
  CDNI_TRY(cdni_assembly_restore(a, state, a->def.most_iterations, e));
  *from = 0;
  a->random = 0;
  for (int start = 1; e->most > a->def.tolerance && start <= BESIDE + a->def.restarts; start++) {
    assembly_errors now;
    memcpy(a->came, cdn_state_q(state), (size_t)a->nq * sizeof *a->came);
    memcpy(a->best, a->came, (size_t)a->nq * sizeof *a->best);
    CDNI_TRY(displace(a, state, start <= BESIDE ? beside[start - 1] : 3.14159265358979));
    CDNI_TRY(cdni_assembly_restore(a, state, a->def.most_iterations, &now));
    if (now.most < e->most) *e = now, *from = start;
    else CDNI_TRY(cdn_state_set_q(state, a->best));
  }
  return CDN_OK;
}

/* ---- coordinates ---------------------------------------------------------------------------- */

static cdn_status begin(cdn_assembly *a, cdn_state *state, const char *function, bool speeds) {
  if (!a || !state) return cdni_refuse(CDN_ERR_ARG, function, "the assembly or the State is NULL");
  a->error.code = CDN_OK;
  if (cdn_state_system(state) != a->system)
    return cdni_assembly_fail(a, CDN_ERR_ARG, function, NULL, "the State is of another System");
  if (a->mistake.code != CDN_OK) {
    a->error = a->mistake;
    cdni_error_tell(&a->error);
    return a->mistake.code;
  }
  if (make_room(a) != CDN_OK) return cdni_assembly_fail(a, CDN_ERR_NOMEM, function, NULL, "out of memory");
  const cdn_status status = cdn_prescribe(state, NULL);
  if (status != CDN_OK) return cdni_assembly_fail_state(a, state, function, status);
  find_free(a, state, speeds);
  if (cdni_assembly_take_plan(a, state) != CDN_OK) return cdni_assembly_fail_state(a, state, function, CDN_ERR_NOMEM);
  cdni_assembly_group(a, speeds);
  a->iterations = 0;
  return CDN_OK;
}

/* Mobilities that are free, less the equations that bind them independently. */
static cdn_status count_dof(cdn_assembly *a, cdn_state *state, bool speeds, int *dof) {
  *dof = 0;
  for (int k = 0; k < a->nu; k++) *dof += !a->fixed[k];
  if (!a->room) return CDN_OK;
  CDNI_TRY(cdni_assembly_factor(a, state, speeds ? LOOP_VELOCITY : LOOP_POSITION, NULL));
  for (int i = 0; i < a->plan->n_constraints; i++) *dof -= a->factor.count[i];
  *dof += *a->factor.n_redundant;
  return CDN_OK;
}

static cdn_status finish(cdn_assembly *a, cdn_state *state, bool speeds, const assembly_errors *e,
                         cdn_assembly_report *report) {
  report->error = e->most;
  report->worst_constraint.i = e->worst;
  report->iterations = a->iterations;
  CDNI_TRY(cdni_assembly_report_goals(a, state, speeds, report));
  return count_dof(a, state, speeds, &report->dof);
}

/* The first coordinate that is at a bound, in words; empty if there is none. */
static void name_bound(const cdn_assembly *a, const cdn_state *state, char *text, size_t size) {
  char name[96];
  text[0] = 0;
  for (int k = 0; a->bounded && k < a->nu; k++) {
    const double q = a->slot[k] >= 0 ? cdn_state_q(state)[a->slot[k]] : 0;
    if (a->slot[k] < 0 || a->fixed[k] || (q > a->lower[k] && q < a->upper[k])) continue;
    cdn_system_slot_name(a->system, CDN_POOL_Q, a->slot[k], name, sizeof name);
    cdni_print(text, size, "; '%s' is at its bound %g", name, q);
    return;
  }
}

/* How messages call a constraint: its name, or the shapes whose contact it holds. */
static void name_constraint(const cdn_assembly *a, const cdn_state *state, int constraint, char *text, size_t size) {
  const hybrid_room *room = cdni_hybrid(a->system);
  snprintf(text, size, "%s", constraint_at(a->room, constraint)->name);
  for (int i = 0; room && i < cdni_hybrid_side_count(room); i++)
    if (cdni_hybrid_side_constraint(room, i).i == constraint)
      cdn_one_sided_text(state, (cdn_one_sided){ i }, text, size);
}

static cdn_status complain(cdn_assembly *a, const cdn_state *state, const char *function, const cdn_assembly_report *r,
                           const char *what) {
  char name[128], bound[160];
  name_constraint(a, state, r->worst_constraint.i, name, sizeof name);
  name_bound(a, state, bound, sizeof bound);
  cdni_assembly_fail(a, CDN_ERR_CONSTRAINT, function, name,
                     "%s cannot satisfy the constraints from here: constraint '%s' is left with an error of %g units "
                     "(tolerance %g)%s; another guess may, or def.restarts",
                     what, name, r->error, a->def.tolerance, what[0] == 'q' ? bound : "");
  a->error.index = r->worst_constraint.i, a->error.value = r->error;
  cdni_error_tell(&a->error);
  return CDN_ERR_CONSTRAINT;
}

/* `first` has the q that was given. */
static cdn_status assemble(cdn_assembly *a, cdn_state *state, const double *first, cdn_assembly_report *report) {
  static const char function[] = "cdn_assemble";
  assembly_errors before, e;
  bool limit = false;
  CDNI_TRY(cdni_assembly_measure(a, state, false, &before));
  CDNI_TRY(cdni_assembly_report_goals(a, state, false, report));
  report->goal_before = report->goal, report->error_before = before.most;
  CDNI_TRY(satisfy(a, state, &e, &report->attempt));
  if (e.most <= a->def.tolerance) CDNI_TRY(cdni_assembly_fit(a, state, &limit));
  CDNI_TRY(cdni_assembly_measure(a, state, false, &e));
  CDNI_TRY(finish(a, state, false, &e, report));
  const double tolerance = a->def.tolerance;
  const bool worse = e.most > tolerance         ? e.most >= before.most
                     : before.most <= tolerance ? report->goal > report->goal_before
                                                : false;
  if (worse) {
    CDNI_TRY(cdn_state_set_q(state, first));
    CDNI_TRY(clip(a, state));
    CDNI_TRY(cdni_assembly_measure(a, state, false, &e));
    CDNI_TRY(finish(a, state, false, &e, report));
  }
  if (e.most > tolerance) return complain(a, state, function, report, "q");
  if (!limit) return CDN_OK;
  const char *name = assembly_goal_at(a, report->worst_goal.i)->name;
  return cdni_assembly_fail(a, CDN_ERR_LIMIT, function, name,
                            "the goals were still falling after %d iterations; most is left of goal '%s'",
                            a->def.most_iterations, name);
}

/* ---- speeds --------------------------------------------------------------------------------- */

/* The smallest change of u that satisfies the velocity constraints; done twice, because of rounding. */
static cdn_status satisfy_speeds(cdn_assembly *a, cdn_state *state, assembly_errors *e) {
  CDNI_TRY(cdni_assembly_measure(a, state, true, e));
  for (int step = 0; step < 2 && a->room && e->half_square > 0; step++) {
    assembly_errors now;
    memcpy(a->start, cdn_state_u(state), (size_t)a->nu * sizeof *a->start);
    cdni_assembly_concern_errors(a, state, true, 0);
    CDNI_TRY(cdni_assembly_factor(a, state, LOOP_VELOCITY, NULL));
    CDNI_TRY(cdni_assembly_solve(a, state));
    for (int k = 0; k < a->nu; k++) a->q[k] = a->start[k] - (cdni_assembly_is_concerned(a, k) ? a->x[k] : 0);
    CDNI_TRY(cdn_state_set_u(state, a->q));
    CDNI_TRY(cdni_assembly_measure(a, state, true, &now));
    a->iterations++;
    if (now.most < e->most) {
      *e = now;
      continue;
    }
    CDNI_TRY(cdn_state_set_u(state, a->start));
    break;
  }
  return CDN_OK;
}

static cdn_status assemble_speeds(cdn_assembly *a, cdn_state *state, const double *first, cdn_assembly_report *report) {
  assembly_errors before, e;
  CDNI_TRY(cdni_assembly_measure(a, state, true, &before));
  CDNI_TRY(cdni_assembly_report_goals(a, state, true, report));
  report->goal_before = report->goal, report->error_before = before.most;
  CDNI_TRY(satisfy_speeds(a, state, &e));
  CDNI_TRY(cdni_assembly_fit_speeds(a, state));
  CDNI_TRY(satisfy_speeds(a, state, &e));
  CDNI_TRY(finish(a, state, true, &e, report));
  const double tolerance = a->def.tolerance;
  if (e.most > tolerance ? e.most >= before.most : before.most <= tolerance && report->goal > report->goal_before) {
    CDNI_TRY(cdn_state_set_u(state, first));
    CDNI_TRY(cdni_assembly_measure(a, state, true, &e));
    CDNI_TRY(finish(a, state, true, &e, report));
  }
  return e.most > tolerance ? complain(a, state, "cdn_assemble_speeds", report, "u") : CDN_OK;
}

/* ---- the public calls ----------------------------------------------------------------------- */

/* Where it fails, the State has the values that were there before. */
cdn_status cdni_assembly_once(cdn_assembly *a, cdn_state *state, const char *function, bool speeds,
                              cdn_assembly_report *report) {
  *report = (cdn_assembly_report){ .worst_constraint = { -1 }, .worst_goal = { -1 }, .worst_marker = { -1 } };
  CDNI_TRY(begin(a, state, function, speeds));
  const size_t n = (size_t)(speeds ? a->nu : a->nq);
  double *first = cdn_work_push(state, (n + 1) * sizeof *first);
  if (!first) return cdni_assembly_fail(a, CDN_ERR_NOMEM, function, NULL, "out of memory");
  if (n) memcpy(first, speeds ? cdn_state_u(state) : cdn_state_q(state), n * sizeof *first);
  const cdn_status status = (speeds ? assemble_speeds : assemble)(a, state, first, report);
  if (status != CDN_OK && a->error.code != status) {
    cdni_assembly_fail_state(a, state, function, status);
    (void)!(speeds ? cdn_state_set_u : cdn_state_set_q)(state, first);
  }
  cdn_work_pop(state, first);
  return status;
}

cdn_status cdn_assemble_sized(cdn_assembly *a, cdn_state *state, cdn_assembly_report *out, size_t size) {
  cdn_assembly_report report;
  const cdn_status status = cdni_assembly_with_sides(a, state, "cdn_assemble", false, &report);
  cdni_sized_write(out, size, &report, sizeof report);
  return status;
}

cdn_status cdn_track_sized(cdn_assembly *a, cdn_state *state, double t, int n, const cdn_vec3 *markers,
                           cdn_assembly_report *out, size_t size) {
  static const char function[] = "cdn_track";
  int count = 0;
  if (!a || !state) return cdni_refuse(CDN_ERR_ARG, function, "the assembly or the State is NULL");
  if (n > 0 && !markers) return cdni_assembly_fail(a, CDN_ERR_ARG, function, NULL, "%d markers, but no places", n);
  for (int i = 0; i < assembly_goal_count(a); i++) count += assembly_goal_at(a, i)->kind == GOAL_MARKER;
  if (n != count)
    return cdni_assembly_fail(a, CDN_ERR_ARG, function, NULL, "%d places were given, but the assembly has %d markers",
                              n, count);
  for (int i = 0, k = 0; i < assembly_goal_count(a); i++)
    if (assembly_goal_at(a, i)->kind == GOAL_MARKER)
      CDNI_TRY(cdn_assembly_observe_marker(a, (cdn_goal){ i }, markers[k++]));
  const cdn_status status = cdn_state_set_time(state, t);
  if (status != CDN_OK) return cdni_assembly_fail_state(a, state, function, status);
  return cdn_assemble_sized(a, state, out, size);
}

cdn_status cdn_assemble_speeds_sized(cdn_assembly *a, cdn_state *state, cdn_assembly_report *out, size_t size) {
  cdn_assembly_report report;
  const cdn_status status = cdni_assembly_with_sides(a, state, "cdn_assemble_speeds", true, &report);
  cdni_sized_write(out, size, &report, sizeof report);
  return status;
}
