/* Where a step's solution starts: at the residuals that the rows had before the step. The force of a row changes little
 * from step to step, and so does its residual, -R f where it acts; its acceleration and its target change far more.
 * Where no row has left its piece since, Newton's method takes one step.
 *
 * Evaluations outside of steps do not see them. What steps have computed is taken back before anybody else looks at the
 * State. */
#include "matter/matter.h"
#include "soft/internal.h"
#include "system/hints.h"

enum { NOT_THERE, KEPT, IN_USE };

/* Who a row is, and its residual. */
typedef struct soft_row_before {
  int32_t body[2], of, rows;
  double residual[SOFT_MOST_ROWS];
} soft_row_before;

/* Asked for by nobody but audits. */
static cdn_status calc(const void *self, cdn_state *state, void *out) {
  (void)self, (void)state;
  *(double *)out = NOT_THERE;
  return CDN_OK;
}

void cdni_soft_declare_guess(soft_room *room, cdn_declarer *d) {
  const cdn_ticket reads[] = { CDN_Q_EFF, CDN_U_EFF };
  room->guess = cdn_declare_cache(d, "guess", sizeof(double), calc, 2, reads);
  room->rows_before = cdn_declare_region(d, "rows_before", sizeof(soft_row_before), 0, NULL, CDN_STAGE_REPORT);
  cdni_declare_hint(d, room->guess.ticket);
  cdni_declare_hint(d, room->rows_before.ticket);
}

/* Newton's method to the end alone starts elsewhere than at udot0. */
static const soft_room *room_of(const cdn_state *state) {
  const soft_room *room = cdni_soft(cdn_state_system(state));
  const bool uses = room && room->matter->lanes == 1 && room->def.solver == CDN_SOFT_NEWTON &&
                    !(room->def.cost_tolerance >= 0) && room->def.noslip_iterations == 0;
  return uses ? room : NULL;
}

/* What it is for; NULL: there is none. */
static double *there(const soft_room *room, cdn_state *state) {
  if (!room || !cdni_state_is_valid(state, room->guess.ticket)) return NULL;
  double *guess = cdni_state_storage(state, room->guess);
  return *guess != NOT_THERE ? guess : NULL;
}

bool cdni_soft_has_guess(const soft_room *room, cdn_state *state) {
  const double *guess = there(room, state);
  return guess && *guess == IN_USE;
}

/* ---- the rows ---- */

static soft_row_before row_of(const soft_group *g) {
  return (soft_row_before){ .body = { g->body[0], g->body[1] },
                            .of = g->element ? g->element : -g->provider,
                            .rows = g->s.rows + 16 * g->place + 64 * (int32_t)g->s.kind };
}
static bool is_same_row(const soft_row_before *a, const soft_row_before *b) {
  return a->body[0] == b->body[0] && a->body[1] == b->body[1] && a->of == b->of && a->rows == b->rows;
}

cdn_status cdni_soft_keep_rows(cdn_state *state) {
  const soft_room *room = room_of(state);
  const soft_group *groups;
  soft_results *results;
  int n, before;
  if (!room) return CDN_OK;
  CDNI_TRY(cdni_soft_find(state, &groups, &n, &results));
  CDNI_TRY(cdn_region_get(state, room->rows_before, NULL, &before));
  if (n == 0 && before == 0) return CDN_OK;
  soft_row_before *rows = cdn_work_push(state, (size_t)n * sizeof *rows + 1);
  if (!rows) return CDN_ERR_NOMEM;
  const soft_outcome *out = n > 0 ? soft_outcomes(results) : NULL;
  for (int i = 0; i < n; i++) {
    rows[i] = row_of(&groups[i]);
    memcpy(rows[i].residual, out[i].residual, sizeof rows[i].residual);
  }
  const cdn_status status = cdn_region_set(state, room->rows_before, n, rows);
  cdn_work_pop(state, rows);
  return status;
}

void cdni_soft_give_guess(cdn_state *state) {
  const soft_room *room = room_of(state);
  int n = 0;
  if (!room || cdn_region_get(state, room->rows_before, NULL, &n) != CDN_OK || n == 0) return;
  *(double *)cdni_state_storage(state, room->guess) = KEPT;
  cdni_state_mark_valid(state, room->guess.ticket);
}

cdn_status cdni_soft_save_guess(cdn_state *state, const cdn_allocator *a, cdni_array *to) {
  const soft_room *room = room_of(state);
  const void *rows;
  int n;
  to->count = 0;
  if (!there(room, state)) return CDN_OK;
  CDNI_TRY(cdn_region_get(state, room->rows_before, &rows, &n));
  void *place = cdni_array_extend(a, to, sizeof(soft_row_before), (size_t)n);
  if (n > 0 && !place) return CDN_ERR_NOMEM;
  if (n > 0) memcpy(place, rows, (size_t)n * sizeof(soft_row_before));
  return CDN_OK;
}

cdn_status cdni_soft_load_guess(cdn_state *state, const cdni_array *from) {
  const soft_room *room = room_of(state);
  if (!room) return CDN_OK;
  CDNI_TRY(cdn_region_set(state, room->rows_before, (int)from->count, from->data));
  cdni_soft_give_guess(state);
  return CDN_OK;
}

/* Rows come in one order, with some more and some less from step to step. */
enum { LOOK_AHEAD = 32 };

cdn_status cdni_soft_look_at_guess(soft_problem *p, const soft_group *groups) {
  const void *elements;
  int n, next = 0;
  cdni_hint_elements(p->state, p->room->rows_before, &elements, &n);
  const soft_row_before *before = elements;
  int32_t *found = cdn_work_push(p->state, ((size_t)p->n + 1) * sizeof *found);
  if (!found) return CDN_ERR_NOMEM;
  for (int i = 0; i < p->n; i++) {
    const soft_row_before row = row_of(&groups[i]);
    found[i] = -1;
    for (int k = next; k < n && k < next + LOOK_AHEAD && found[i] < 0; k++)
      if (is_same_row(&row, &before[k])) found[i] = k, next = k + 1;
    p->guessed = p->guessed || found[i] >= 0;
  }
  for (int i = 0; i < p->n; i++) {
    soft_work *w = &p->work[i];
    const int at = found[p->order[i]];
    if (at < 0 || !cdni_all_finite(before[at].residual, (size_t)w->g->s.rows, NULL)) continue; /* loaded from a file */
    for (int e = 0; e < w->g->s.rows; e++) w->past[e] = before[at].residual[e] - w->r[e];
  }
  cdn_work_pop(p->state, found);
  return CDN_OK;
}

/* ---- evaluations ---- */

/* Takes back accelerations that steps have, or have not, computed. */
static cdn_status take_back(const soft_room *room, cdn_state *state, bool of_steps) {
  const cdn_cache accelerations = { 0, CDN_ACCELERATION };
  const void *groups;
  int n;
  if (!cdni_state_is_valid(state, CDN_ACCELERATION)) return CDN_OK;
  CDNI_TRY(cdn_region_eval(state, room->groups, &groups, &n));
  const soft_results *results = n > 0 ? cdni_region_elements(state, room->results) : NULL;
  if (!results || results->guessed != of_steps) return CDN_OK;
  return cdni_state_give(state, "cdn_stepper_advance", accelerations, NULL);
}

cdn_status cdni_soft_begin_step(cdn_state *state) {
  const soft_room *room = room_of(state);
  double *guess = there(room, state);
  if (!guess) return CDN_OK;
  CDNI_TRY(take_back(room, state, false));
  *guess = IN_USE;
  return CDN_OK;
}

void cdni_soft_end_step(cdn_state *state) {
  const soft_room *room = room_of(state);
  double *guess = there(room, state);
  if (guess) *guess = KEPT;
}

cdn_status cdni_soft_realize_step(cdn_state *state) {
  CDNI_TRY(cdni_soft_begin_step(state));
  const cdn_status status = cdn_realize(state, CDN_STAGE_ACCELERATION);
  cdni_soft_end_step(state);
  return status;
}

void cdni_soft_hide_step(cdn_state *state) {
  const soft_room *room = room_of(state);
  if (room) (void)!take_back(room, state, true);
}
