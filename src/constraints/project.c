/* Coordinate projection (10.1): the smallest weighted change that satisfies the constraints, by Newton's method on the
 * elimination with a diagonal metric. */
#include <float.h>
#include <math.h>

#include "constraints/loops.h"
#include "constraints/project.h"
#include "matter/operators.h"

cdn_projection_def cdn_default_projection_def(void) {
  return (cdn_projection_def){
    .struct_size = sizeof(cdn_projection_def), .tolerance = 1e-4, .time_scale = 0.1, .most_iterations = 30
  };
}

/* Memory of one projection, in the State's workspace. */
typedef struct projection {
  const constraint_room *room;
  cdn_state *state;
  const char *function;
  loop_level level;
  cdn_projection_def def;
  loop_factor f;
  double *weights; /* W^2 by mobility */
  double *b, *x, *lambda, *q, *start;
  sv *A;
  void *scratch, *frame;
  int first_u, nq, nu;
} projection;

static size_t align(size_t bytes) { return (bytes + CDNI_ALIGN - 1) / CDNI_ALIGN * CDNI_ALIGN; }

static cdn_status begin(projection *p, cdn_state *state, const char *function, loop_level level,
                        const cdn_projection_def *def) {
  const cdn_system *system = cdn_state_system(state);
  *p = (projection){ .room = cdni_constraints(system), .state = state, .function = function, .level = level };
  p->def = def ? *def : cdn_default_projection_def();
  if (p->def.struct_size != sizeof p->def)
    return cdni_state_fail(state, CDN_ERR_VERSION, false, function, NULL,
                           "the projection def was not made by cdn_default_projection_def of this library");
  if (p->def.tolerance == 0) p->def.tolerance = 1e-4;
  if (p->def.time_scale == 0) p->def.time_scale = 0.1;
  if (p->def.most_iterations == 0) p->def.most_iterations = 30;
  if (!(p->def.tolerance > 0) || !(p->def.time_scale > 0) || p->def.most_iterations < 0)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                           "tolerance %g, time scale %g and %d iterations must be positive", p->def.tolerance,
                           p->def.time_scale, p->def.most_iterations);
  p->nq = cdn_system_nq(system), p->nu = cdn_system_nu(system);
  CDNI_TRY(cdni_operator_check_optional(state, function, "the weights", p->def.u_weights, p->nu));
  for (int k = 0; p->def.u_weights && k < p->nu; k++)
    if (!(p->def.u_weights[k] > 0))
      return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "weight %d is %g: weights are positive", k,
                             p->def.u_weights[k]);
  if (p->room && p->room->m > 0) p->first_u = cdni_subsystem_runs(system, p->room->matter->subsystem).u;
  return CDN_OK;
}

/* Takes memory, once there is something to do. */
static cdn_status take(projection *p) {
  const loop_plan *plan = &p->room->plan;
  const tree *t = plan->tree;
  const size_t m = (size_t)plan->m, nu = (size_t)t->nu, factor = cdni_loop_factor_size(plan),
               A = (size_t)t->n * sizeof(sv), numbers = nu + 2 * m + (size_t)p->nu + 2 * (size_t)p->nq;
  CDNI_TRY(cdni_operator_work(p->state, p->function, factor + align(A) + align(numbers * sizeof(double)), &p->frame));
  p->f = cdni_loop_factor_at(plan, p->frame);
  p->A = (sv *)((char *)p->frame + factor);
  p->weights = (double *)((char *)p->A + align(A));
  p->b = p->weights + nu;
  p->lambda = p->b + m;
  p->x = p->lambda + m;
  p->q = p->x + p->nu;
  p->start = p->q + p->nq;
  const double *W = p->def.u_weights ? p->def.u_weights + p->first_u : NULL;
  for (size_t k = 0; k < nu; k++) p->weights[k] = W ? W[k] * W[k] : 1;
  return CDN_OK;
}

/* The largest error in units; *worst (may be NULL) is its element. */
static cdn_status measure(const projection *p, double *error, int *worst) {
  const bool position = p->level == LOOP_POSITION;
  const double *e = position ? cdn_state_qerr(p->state) : cdn_state_uerr(p->state);
  *error = 0;
  if (!e) {
    cdn_error story;
    cdn_state_last_error(p->state, &story);
    return story.code;
  }
  const cdni_runs runs = cdni_subsystem_runs(cdn_state_system(p->state), p->room->subsystem);
  const double *unit = cdn_state_parameters(p->state, p->room->units);
  e += position ? runs.qerr : runs.uerr;
  for (size_t i = 0; i < p->room->elements.count; i++) {
    const constraint_element *c = constraint_at(p->room, (int)i);
    const int n = position ? c->np : c->np + c->nv;
    for (int k = 0; k < n; k++) {
      const double size = fabs(*e++) / unit[i] * (!position && k < c->np ? p->def.time_scale : 1);
      if (size <= *error) continue;
      *error = size;
      if (worst) *worst = (int)i;
    }
  }
  return CDN_OK;
}

/* Factors where the State is. */
static cdn_status factor(projection *p) {
  constraint_rows rows;
  CDNI_TRY(cdni_constraint_rows(p->room, p->state, &rows));
  const tree_data d = cdni_matter_data(p->room->matter, p->state);
  const int32_t *before = cdn_state_discrete(p->state, p->room->redundant.variable);
  (void)!cdni_loop_factor(p->room, &d, constraint_enabled(p->room, p->state), &rows, p->level, p->weights, before,
                          &p->f);
  return CDN_OK;
}

/* x = the smallest weighted change with G x = b. */
static cdn_status solve(projection *p) {
  const tree_data d = cdni_matter_data(p->room->matter, p->state);
  void *scratch;
  CDNI_TRY(cdni_operator_work(p->state, p->function, cdni_loop_solve_scratch(&p->room->plan, &p->f), &scratch));
  if (p->nu) memset(p->x, 0, (size_t)p->nu * sizeof *p->x);
  const loop_problem problem = { .b = p->b, .weighted = true, .x = p->x + p->first_u, .lambda = p->lambda, .A = p->A };
  cdni_loop_solve(p->room, &d, &p->f, &problem, scratch);
  cdn_work_pop(p->state, scratch);
  return CDN_OK;
}

/* Errors of the level, by equation of all. */
static void collect(projection *p) {
  const bool position = p->level == LOOP_POSITION;
  const cdni_runs runs = cdni_subsystem_runs(cdn_state_system(p->state), p->room->subsystem);
  const double *e = position ? cdn_state_qerr(p->state) + runs.qerr : cdn_state_uerr(p->state) + runs.uerr;
  for (size_t i = 0; i < p->room->elements.count; i++) {
    const constraint_element *c = constraint_at(p->room, (int)i);
    const int n = position ? c->np : c->np + c->nv;
    for (int k = 0; k < c->m; k++) p->b[c->row + k] = k < n ? e[k] : 0;
    e += n;
  }
}

/* Moves the State by -scale x from `start`. */
static cdn_status move(projection *p, double scale) {
  const bool position = p->level == LOOP_POSITION;
  const int n = position ? p->nq : p->nu;
  if (position) CDNI_TRY(cdni_state_multiply_by_N(p->state, p->x, p->q));
  else memcpy(p->q, p->x, (size_t)p->nu * sizeof *p->q);
  for (int k = 0; k < n; k++) p->q[k] = p->start[k] - scale * p->q[k];
  if (position) cdni_state_normalize_q(p->state, p->q, NULL);
  return position ? cdn_state_set_q(p->state, p->q) : cdn_state_set_u(p->state, p->q);
}

static void keep(projection *p) {
  const bool position = p->level == LOOP_POSITION;
  const double *now = position ? cdn_state_q(p->state) : cdn_state_u(p->state);
  memcpy(p->start, now, (size_t)(position ? p->nq : p->nu) * sizeof *now);
}

/* Newton's method; a step that makes things worse is halved. Far from a solution errors fall slowly, near it they square. */
static cdn_status iterate(projection *p, double *error) {
  bool first = p->def.always;
  double before;
  CDNI_TRY(measure(p, &before, NULL));
  for (int step = 0; step < p->def.most_iterations && (first || before > p->def.tolerance); step++) {
    double now = INFINITY, scale = 1;
    first = false;
    collect(p);
    CDNI_TRY(factor(p));
    CDNI_TRY(solve(p));
    keep(p);
    for (int half = 0; half < 8; half++, scale /= 2) {
      cdn_status status = move(p, scale);
      if (status == CDN_OK) status = measure(p, &now, NULL);
      if (status == CDN_OK && (now < before || now <= p->def.tolerance)) break;
      if (half < 7)
        CDNI_TRY(p->level == LOOP_POSITION ? cdn_state_set_q(p->state, p->start) : cdn_state_set_u(p->state, p->start));
    }
    if (!(now < before)) break;
    before = now;
  }
  *error = before;
  return CDN_OK;
}

static cdn_status project(cdn_state *state, const char *function, loop_level level, const cdn_projection_def *def,
                          double *error) {
  projection p;
  double after;
  int worst = 0;
  if (error) *error = 0;
  CDNI_TRY(begin(&p, state, function, level, def));
  if (!p.room || p.room->m == 0) return CDN_OK;
  CDNI_TRY(measure(&p, &after, NULL));
  if (error) *error = after;
  if (after <= p.def.tolerance && !p.def.always) return CDN_OK;
  CDNI_TRY(take(&p));
  const bool position = level == LOOP_POSITION;
  const int n = position ? p.nq : p.nu;
  double *came = cdn_work_push(state, (size_t)(n + 1) * sizeof *came);
  cdn_status status = came ? CDN_OK : cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
  if (came) memcpy(came, position ? cdn_state_q(state) : cdn_state_u(state), (size_t)n * sizeof *came);
  if (status == CDN_OK) status = iterate(&p, &after);
  if (status == CDN_OK) status = measure(&p, &after, &worst);
  if (status == CDN_OK && !(after <= p.def.tolerance)) {
    const char *name = constraint_at(p.room, worst)->name;
    status = cdni_state_fail(state, CDN_ERR_CONSTRAINT, true, function, name,
                             "%s cannot satisfy the constraints from here: constraint '%s' is left with an error of %g "
                             "units (tolerance %g)",
                             position ? "q" : "u", name, after, p.def.tolerance);
  }
  if (status != CDN_OK && came) {
    /* these values were there before */
    (void)!(position ? cdn_state_set_q(state, came) : cdn_state_set_u(state, came));
  }
  if (came) cdn_work_pop(state, came);
  cdn_work_pop(state, p.frame);
  if (error) *error = after;
  return status;
}

cdn_status cdn_project_q(cdn_state *state, const cdn_projection_def *def, double *error) {
  return project(state, "cdn_project_q", LOOP_POSITION, def, error);
}

cdn_status cdn_project_u(cdn_state *state, const cdn_projection_def *def, double *error) {
  return project(state, "cdn_project_u", LOOP_VELOCITY, def, error);
}

cdn_status cdni_constraint_errors(cdn_state *state, double time_scale, double *position, double *velocity) {
  projection p;
  cdn_projection_def def = cdn_default_projection_def();
  def.time_scale = time_scale;
  *position = *velocity = 0;
  CDNI_TRY(begin(&p, state, "cdn_stepper_advance", LOOP_POSITION, &def));
  if (!p.room || p.room->m == 0) return CDN_OK;
  CDNI_TRY(measure(&p, position, NULL));
  p.level = LOOP_VELOCITY;
  return measure(&p, velocity, NULL);
}

/* Removes from a vector along u what lies across the constraints in the metric: e -= W^-2 G^T (G W^-2 G^T)^-1 G e. */
static cdn_status remove_across(projection *p, double *e) {
  constraint_rows rows;
  CDNI_TRY(cdni_constraint_rows(p->room, p->state, &rows));
  const tree_data d = cdni_matter_data(p->room->matter, p->state);
  p->room->matter->kernels->jacobian(&p->room->matter->tree, &d, e + p->first_u, p->A);
  cdni_constraint_multiply(p->room, constraint_enabled(p->room, p->state), &rows, p->A, e + p->first_u, p->b);
  CDNI_TRY(factor(p));
  CDNI_TRY(solve(p));
  for (int k = 0; k < p->nu; k++) e[k] -= p->x[k];
  return CDN_OK;
}

cdn_status cdni_constraint_project_errors(cdn_state *state, const double *q_weights, const double *u_weights,
                                          double *e_q, double *e_u) {
  projection p;
  cdn_projection_def def = cdn_default_projection_def();
  def.u_weights = q_weights;
  CDNI_TRY(begin(&p, state, "cdn_stepper_advance", LOOP_POSITION, &def));
  if (!p.room || !cdni_constraint_any_enabled(p.room, state)) return CDN_OK;
  CDNI_TRY(take(&p));
  cdn_status status = CDN_OK;
  if (p.room->np > 0) {
    /* along u: a quaternion's change of length has gone */
    status = cdni_state_multiply_by_N_inv(state, e_q, p.start);
    if (status == CDN_OK) status = remove_across(&p, p.start);
    if (status == CDN_OK) status = cdni_state_multiply_by_N(state, p.start, e_q);
  }
  p.level = LOOP_VELOCITY;
  for (int k = 0; k < p.room->matter->tree.nu; k++)
    p.weights[k] = u_weights ? u_weights[p.first_u + k] * u_weights[p.first_u + k] : 1;
  if (status == CDN_OK && p.room->np + p.room->nv > 0) status = remove_across(&p, e_u);
  cdn_work_pop(state, p.frame);
  return status;
}
