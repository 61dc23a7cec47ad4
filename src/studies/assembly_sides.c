/* One-sided elements in an assembly: an active set. Gaps are inequalities, whatever statuses say. First nothing of them
 * is held. What is violated then is held on its surface, and all is assembled again; goals may pull some off again. */
#include "hybrid/hybrid.h"
#include "studies/assembly.h"

typedef struct sides {
  cdn_assembly *a;
  cdn_state *state;
  const hybrid_room *room;
  const char *function;
  bool speeds;
  cdn_assembly_report *report;
  int n, iterations;
  bool *takes_part, *was, *held;
  double *kept; /* q, or u */
} sides;

static cdn_status once(sides *x) {
  const cdn_status status = cdni_assembly_once(x->a, x->state, x->function, x->speeds, x->report);
  x->iterations += x->report->iterations;
  return status;
}

/* Contacts of shapes that have come to be on the way have the status of what is held: else their slots would be
 * freed. */
static cdn_status hold(sides *x, int i, bool on) {
  x->held[i] = on;
  if (cdni_hybrid_is_of_pool(x->room, i) && !x->was[i])
    return (on ? cdni_hybrid_touch : cdni_hybrid_let_go)(x->room, x->state, i);
  return cdn_constraint_set_enabled(x->state, cdni_hybrid_side_constraint(x->room, i), on);
}

/* How far an element is on its wrong side, in units of its constraint. */
static cdn_status depth_of(const sides *x, int i, double *depth) {
  double gap;
  CDNI_TRY(cdn_one_sided_gap(x->state, (cdn_one_sided){ i }, &gap));
  const double *unit = cdn_state_parameters(x->state, x->a->room->units);
  *depth = -gap / unit[cdni_hybrid_side_constraint(x->room, i).i];
  return CDN_OK;
}

/* Shapes that are within each other get slots, whose elements take part from here on. */
static cdn_status see_shapes(sides *x) {
  double gap;
  if (x->speeds) return CDN_OK;
  CDNI_TRY(cdni_hybrid_least_gap(x->room, x->state, &gap));
  if (!(gap < -x->a->def.tolerance)) return CDN_OK;
  CDNI_TRY(cdni_hybrid_take_slots(x->room, x->state));
  for (int i = 0; i < x->n; i++)
    if (cdni_hybrid_is_of_pool(x->room, i)) x->takes_part[i] = cdni_hybrid_side_is_there(x->room, x->state, i);
  return CDN_OK;
}

/* If asked, what is farthest on its wrong side is held: all at once may not go, as of a box that is upside down. */
static cdn_status any_violated(sides *x, bool hold_it, bool *any) {
  double depth, most = x->a->def.tolerance;
  int worst = -1;
  CDNI_TRY(see_shapes(x));
  for (int i = 0; i < x->n; i++) {
    if (!x->takes_part[i] || x->held[i]) continue;
    CDNI_TRY(depth_of(x, i, &depth));
    if (depth > most) most = depth, worst = i;
  }
  *any = worst >= 0;
  return *any && hold_it ? hold(x, worst, true) : CDN_OK;
}

static size_t numbers(const sides *x) { return (size_t)(x->speeds ? x->a->nu : x->a->nq); }
static void keep(const sides *x) {
  const double *now = x->speeds ? cdn_state_u(x->state) : cdn_state_q(x->state);
  if (numbers(x)) memcpy(x->kept, now, numbers(x) * sizeof *now);
}

/* What is held and need not be is let go, one after another. */
static cdn_status let_go(sides *x) {
  for (int i = 0; i < x->n; i++) {
    const cdn_assembly_report before = *x->report;
    bool any;
    if (!x->held[i]) continue;
    keep(x);
    CDNI_TRY(hold(x, i, false));
    const cdn_status status = once(x);
    if (status == CDN_OK) CDNI_TRY(any_violated(x, false, &any));
    if (status == CDN_OK && !any) continue;
    CDNI_TRY(hold(x, i, true));
    CDNI_TRY((x->speeds ? cdn_state_set_u : cdn_state_set_q)(x->state, x->kept));
    *x->report = before;
  }
  return CDN_OK;
}

static cdn_status run(sides *x) {
  bool any;
  CDNI_TRY(once(x));
  const double error_before = x->report->error_before, goal_before = x->report->goal_before;
  CDNI_TRY(any_violated(x, true, &any));
  for (int round = 0; round < x->n && any; round++) {
    CDNI_TRY(once(x));
    CDNI_TRY(any_violated(x, true, &any));
  }
  if (assembly_goal_count(x->a) > 0) CDNI_TRY(let_go(x));
  x->report->error_before = error_before, x->report->goal_before = goal_before;
  return CDN_OK;
}

/* Constraints are on as before, but for what has a gap now. */
static cdn_status end(sides *x, bool assembled) {
  double depth = 0;
  for (int i = 0; i < x->n; i++) {
    if (!x->takes_part[i]) continue;
    if (!x->was[i] && cdni_hybrid_is_of_pool(x->room, i)) {
      CDNI_TRY(cdni_hybrid_let_go(x->room, x->state, i));
      continue;
    }
    CDNI_TRY(cdn_constraint_set_enabled(x->state, cdni_hybrid_side_constraint(x->room, i), x->was[i]));
    if (!x->was[i] || !assembled) continue;
    CDNI_TRY(depth_of(x, i, &depth));
    if (-depth > x->a->def.tolerance) CDNI_TRY(cdni_hybrid_let_go(x->room, x->state, i));
  }
  return CDN_OK;
}

cdn_status cdni_assembly_with_sides(cdn_assembly *a, cdn_state *state, const char *function, bool speeds,
                                    cdn_assembly_report *report) {
  sides x = { .a = a, .state = state, .function = function, .speeds = speeds, .report = report };
  x.room = a && state && cdn_state_system(state) == a->system ? cdni_hybrid(a->system) : NULL;
  if (!x.room) return cdni_assembly_once(a, state, function, speeds, report);
  x.n = cdni_hybrid_side_count(x.room);
  const size_t n = (size_t)x.n;
  x.kept = cdn_work_push(state, numbers(&x) * sizeof *x.kept + 3 * n + 1);
  if (!x.kept) return cdni_assembly_fail(a, CDN_ERR_NOMEM, function, NULL, "out of memory");
  x.takes_part = (bool *)(x.kept + numbers(&x)), x.was = x.takes_part + n, x.held = x.was + n;
  cdn_status status = CDN_OK;
  for (int i = 0; i < x.n; i++) {
    const cdn_constraint c = cdni_hybrid_side_constraint(x.room, i);
    x.takes_part[i] = cdni_hybrid_side_is_there(x.room, state, i) && cdni_hybrid_side_is_ratchet(x.room, i) == speeds;
    x.was[i] = cdn_constraint_is_enabled(state, c), x.held[i] = false;
    if (x.takes_part[i] && status == CDN_OK) status = hold(&x, i, false);
  }
  if (status == CDN_OK) status = run(&x);
  const cdn_status ended = end(&x, status == CDN_OK);
  report->iterations = x.iterations;
  cdn_work_pop(state, x.kept);
  if (status == CDN_OK) status = ended;
  if (status == CDN_OK) a->error.code = CDN_OK; /* of what was tried on the way */
  else if (a->error.code != status) return cdni_assembly_fail_state(a, state, function, status);
  return status;
}
