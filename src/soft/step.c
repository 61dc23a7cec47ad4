/* A stage of an implicit step: compliant contacts as convex functions of the velocities u = u0 + h udot at its end, at
 * the pose of the State. With r = V / h, where V = J u is the velocity of a row, r is J udot less a constant, as in all
 * soft rows. */
#include <float.h>
#include <math.h>

#include "contact/step.h"
#include "soft/internal.h"

/* ---- groups ---- */

static soft_group group_of(const contact_step_row *r, double h) {
  soft_group g = {
    .place = SOFT_PAIR, .body = { r->body[0], r->body[1] }, .point = cdni_to_v3(r->point), .s = { .rows = r->rows }
  };
  for (int k = 0; k < r->rows; k++) g.B[k] = (sv){ cdni_to_v3(r->w[k]), cdni_to_v3(r->v[k]) };
  if (r->kind == CONTACT_STEP_PRESS) {
    double slope[2];
    g.s.kind = SOFT_PRESS, g.s.law = r->law;
    g.s.friction[PRESS_STEP] = h, g.s.friction[PRESS_DEPTH] = r->depth + h * r->V[0];
    memcpy(g.s.D + PRESS_NUMBERS, r->numbers, sizeof r->numbers);
    (void)cdni_law_slopes(r->law, r->numbers, r->usual, 0, slope);
    g.s.D[0] = h * (h * slope[0] + slope[1]);
    return g;
  }
  g.s.kind = SOFT_SLIDE;
  g.s.loss = r->bound;
  g.s.friction[SLIDE_VISCOUS] = h * r->viscous;
  for (int k = 0; k < r->rows; k++) g.s.D[k] = h * r->stiffness * r->time;
  return g;
}

/* ref of a group: r = V / h where V has the part of udot alone. */
static void refer(const soft_stage *s, const contact_step_row *r, const tree_data *d, const sv *A, soft_group *g) {
  const double h = s->step->h;
  soft_work w = { .g = g };
  double V[SOFT_MOST_ROWS];
  cdni_soft_place(d->pose, &w);
  cdni_soft_multiply(&s->room->matter->tree, &w, A, s->step->u, V);
  for (int k = 0; k < r->rows; k++) {
    const double before = r->kind == CONTACT_STEP_SLIDE && r->time > 0 ? r->x[k] / r->time : 0;
    g->ref[k] = -(V[k] + r->offset[k] + before) / h;
  }
}

/* A row that has no effect: no force, or bodies that nothing moves. */
static bool is_idle(const soft_stage *s, const contact_step_row *r) {
  if (!s->room->moves[r->body[0]] && !s->room->moves[r->body[1]]) return true;
  return r->kind == CONTACT_STEP_SLIDE && !(r->bound > 0) && !(r->viscous > 0);
}

/* Equal rows on mobilities that resist. */
static int add_resistance(const soft_stage *s, const tree_data *d, soft_group *groups) {
  const tree *t = &s->room->matter->tree;
  const double h = s->step->h;
  int n = 0;
  for (int i = 1; i < t->n; i++)
    for (int k = 0; k < t->node[i].nu; k++) {
      const int at = t->node[i].u + k;
      if (!(s->resistance[at] > 0)) continue;
      soft_group *g = &groups[n++];
      memset(g, 0, sizeof *g);
      g->place = SOFT_JOINT, g->body[1] = i, g->source = -1;
      g->s = (soft_function){ .kind = SOFT_EQUALITY, .rows = 1, .D = { h * s->resistance[at] } };
      g->g[0][k] = 1;
      g->ref[0] = (d->u[at] - s->step->u[at]) / h;
    }
  return n;
}

/* Those of the State, those on mobilities, then the contacts', whose source is the row. */
static cdn_status make_groups(soft_stage *s, const tree_data *d, const sv *A, soft_group *groups, int own, int *n) {
  const void *elements;
  CDNI_TRY(cdn_region_eval(s->state, s->room->groups, &elements, n));
  if (own > 0) memcpy(groups, elements, (size_t)own * sizeof *groups);
  for (int i = 0; i < own; i++) groups[i].source = -1;
  *n = own + add_resistance(s, d, groups + own);
  for (int i = 0; i < s->n; i++) {
    const contact_step_row *r = &s->rows[i];
    if (is_idle(s, r)) continue;
    soft_group *g = &groups[(*n)++];
    *g = group_of(r, s->step->h);
    g->source = i;
    refer(s, r, d, A, g);
  }
  return CDN_OK;
}

/* ---- the stage ---- */

cdn_status cdni_soft_hold(const soft_room *room, cdn_state *state) {
  return room->compliant ? cdni_contact_step_hold(room->compliant, state) : CDN_OK;
}

cdn_status cdni_soft_stage_begin(soft_stage *s, const soft_room *room, cdn_state *state, const soft_step *step,
                                 const double *resistance, sv *F) {
  *s = (soft_stage){ .room = room, .state = state, .step = step, .resistance = resistance };
  int rows = 0;
  if (room->compliant) CDNI_TRY(cdni_contact_step_touches(room->compliant, state, &s->touches, &rows));
  const size_t most = (size_t)rows, n = (size_t)s->touches;
  s->frame = cdn_work_push(state, most * (sizeof *s->rows + 3 * sizeof(double)) + n * sizeof(double) + 1);
  if (!s->frame) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
  s->rows = s->frame;
  s->force = (double *)(s->rows + most), s->normal = s->force + 3 * most;
  const cdn_status status = n > 0 ? cdni_contact_step_remove(room->compliant, state, F) : CDN_OK;
  if (status != CDN_OK) cdni_soft_stage_end(s);
  return status;
}

void cdni_soft_stage_end(soft_stage *s) { cdn_work_pop(s->state, s->frame); }

/* Normal forces this far from those assumed, as a part of the larger one, are assumed in their turn.
 * Measured: docs/constants.md. */
static const double FAR = 0.05;

/* Normal forces by touch; whether they are far from those before. */
static bool take_normals(soft_stage *s, double *normal) {
  bool far = false;
  double most = 0;
  for (int t = 0; t < s->touches; t++) normal[t] = 0;
  for (int i = 0; i < s->n; i++) {
    const contact_step_row *r = &s->rows[i];
    if (r->kind != CONTACT_STEP_PRESS || r->touch < 0) continue;
    normal[r->touch] += s->force[3 * i];
  }
  for (int t = 0; t < s->touches; t++) most = fmax(most, normal[t]);
  for (int t = 0; t < s->touches; t++) {
    const double apart = fabs(normal[t] - s->normal[t]);
    far = far || apart > FAR * fmax(normal[t], s->normal[t]) + 1e-9 * most;
  }
  return far;
}

static void note_effort(const soft_problem *p, const soft_results *head, soft_effort *effort) {
  const cdn_soft_statistics *s = &head->statistics;
  effort->iterations += s->most_iterations;
  if (s->most_iterations < p->def->iterations || p->records == 0) return;
  effort->residual = fmax(effort->residual, p->record[p->records - 1].gradient / sqrt(fmax(head->scale, DBL_MIN)));
}

/* x, not what the forces make, goes to udot: where contact is stiff, rounding of r is a force, but not a motion. */
static cdn_status solve_groups(soft_stage *s, const tree_data *d, const soft_group *groups, int n, double *udot) {
  const int nu = s->room->matter->tree.nu;
  soft_problem p;
  soft_results head = { .scale = 0 };
  CDNI_TRY(cdni_soft_begin(&p, s->room, s->state, d, d->udot, &s->room->newton, NULL, groups, n));
  const cdn_status status = cdni_soft_run(&p, groups, &head);
  if (status == CDN_OK) note_effort(&p, &head, &s->effort);
  memset(s->force, 0, 3 * (size_t)s->n * sizeof *s->force);
  for (int i = 0; i < n && status == CDN_OK; i++) {
    const soft_group *g = &groups[p.order[i]];
    for (int k = 0; g->source >= 0 && k < g->s.rows; k++) s->force[3 * g->source + k] = p.work[i].f[k];
  }
  for (int k = 0; k < nu && status == CDN_OK; k++) udot[k] += p.x[k];
  cdni_soft_end(&p);
  return status;
}

static cdn_status solve(soft_stage *s, const tree_data *d, sv *A, soft_group *groups, int own, double *udot) {
  const tree *t = &s->room->matter->tree;
  int n;
  s->room->matter->kernels->jacobian(t, d, s->step->u, A);
  CDNI_TRY(make_groups(s, d, A, groups, own, &n));
  if (t->nu) memcpy(udot, d->udot, (size_t)t->nu * sizeof *udot);
  return n > 0 ? solve_groups(s, d, groups, n, udot) : CDN_OK;
}

/* What is assumed at first is what the State has. */
static cdn_status make_rows(soft_stage *s) {
  const contact_step step = { .h = s->step->h, .z = s->step->z, .normal = s->normal };
  if (!s->room->compliant) return CDN_OK;
  if (!s->solved) CDNI_TRY(cdni_contact_step_normals(s->room->compliant, s->state, s->normal));
  return cdni_contact_step_rows(s->room->compliant, s->state, &step, s->rows, &s->n);
}

cdn_status cdni_soft_stage_solve(soft_stage *s, const tree_data *d, double *udot, bool *again) {
  const size_t nb = (size_t)s->room->matter->tree.n;
  int own;
  *again = false;
  CDNI_TRY(cdn_region_eval(s->state, s->room->groups, NULL, &own));
  CDNI_TRY(make_rows(s));
  const size_t most = (size_t)own + (size_t)s->room->matter->tree.nu + (size_t)s->n, n = (size_t)s->touches;
  void *frame = cdn_work_push(s->state, nb * sizeof(sv) + most * sizeof(soft_group) + n * sizeof(double) + 1);
  if (!frame) return cdni_state_fail(s->state, CDN_ERR_NOMEM, false, "cdn_realize", NULL, "out of memory");
  sv *A = frame;
  soft_group *groups = (soft_group *)(A + nb);
  double *normal = (double *)(groups + most);
  const cdn_status status = solve(s, d, A, groups, own, udot);
  if (status == CDN_OK && s->touches > 0) {
    *again = take_normals(s, normal);
    s->effort.unconverged = *again;
    memcpy(s->normal, normal, n * sizeof *normal);
    s->solved = true;
  }
  cdn_work_pop(s->state, frame);
  return status;
}

void cdni_soft_stage_rates(soft_stage *s, double *zdot) {
  const contact_step step = { .h = s->step->h, .z = s->step->z };
  if (s->room->compliant) cdni_contact_step_rates(s->state, &step, s->rows, s->n, s->force, zdot);
}
