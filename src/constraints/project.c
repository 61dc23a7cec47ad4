/* Coordinate projection (10.1): the smallest weighted change that satisfies the constraints, by Newton's method on the
 * elimination with a diagonal metric. */
#include <float.h>
#include <math.h>

#include "constraints/loops.h"
#include "constraints/project.h"
#include "matter/operators.h"

CDNI_DEF(projection_def, .tolerance = 1e-4, .time_scale = 0.1, .most_iterations = 30);

/* A projection of q or of u, in memory of its own or in the State's workspace. */
typedef struct projection {
  const constraint_room *room;
  loop_level level;
  int first_u, nq, nu;
  void *memory; /* its own, if it has any */
  size_t size;
  bool has_factor; /* f is the factor of the last step that has moved the State */
  loop_factor f;
  double *weights;                           /* W^2 by mobility */
  double *b, *lambda, *x, *q, *start, *came; /* the first two by equation of the plan */
  sv *A;
  int32_t *all; /* by equation: 1 */
  /* the present call */
  const loop_plan *plan;
  cdn_state *state;
  const char *function;
  cdn_projection_def def;
  double length; /* of position errors in model units; 0: in the constraints' unit errors */
} projection;

static projection projection_of(const cdn_system *system, loop_level level) {
  projection p = {
    .room = cdni_constraints(system), .level = level, .nq = cdn_system_nq(system), .nu = cdn_system_nu(system)
  };
  if (p.room && p.room->m == 0) p.room = NULL;
  if (p.room) p.first_u = cdni_subsystem_runs(system, p.room->matter->subsystem).u;
  return p;
}

static size_t most(const projection *p) { return (size_t)(p->nq > p->nu ? p->nq : p->nu); }

/* Bytes of a projection's memory. */
static size_t size_of(const projection *p) {
  const loop_plan *plan = p->plan;
  const size_t m = (size_t)plan->m, n = (size_t)plan->tree->nu;
  return cdni_loop_factor_size(plan) + cdni_aligned((size_t)plan->tree->n * sizeof(sv)) +
         cdni_aligned(m * sizeof(int32_t)) + cdni_aligned((n + 2 * m + (size_t)p->nu + 3 * most(p)) * sizeof(double));
}

static void divide(projection *p, void *memory) {
  const loop_plan *plan = p->plan;
  p->f = cdni_loop_factor_at(plan, memory);
  p->A = (sv *)((char *)memory + cdni_loop_factor_size(plan));
  p->all = (int32_t *)((char *)p->A + cdni_aligned((size_t)plan->tree->n * sizeof(sv)));
  for (int k = 0; k < plan->m; k++) p->all[k] = 1;
  p->weights = (double *)((char *)p->all + cdni_aligned((size_t)plan->m * sizeof(int32_t)));
  p->b = p->weights + plan->tree->nu;
  p->lambda = p->b + plan->m;
  p->x = p->lambda + plan->m;
  p->q = p->x + p->nu;
  p->start = p->q + most(p);
  p->came = p->start + most(p);
}

static cdn_status begin(projection *p, cdn_state *state, const char *function, const cdn_projection_def *def) {
  p->state = state;
  p->function = function;
  const char *unreadable = read_projection_def(&p->def, def ? def : &projection_def_defaults);
  if (unreadable) return cdni_state_fail(state, CDN_ERR_VERSION, false, function, NULL, "%s", unreadable);
  if (p->def.tolerance == 0) p->def.tolerance = 1e-4;
  if (p->def.time_scale == 0) p->def.time_scale = 0.1;
  if (p->def.most_iterations == 0) p->def.most_iterations = 30;
  if (!(p->def.tolerance > 0) || !(p->def.time_scale > 0) || p->def.most_iterations < 0)
    return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL,
                           "tolerance %g, time scale %g and %d iterations must be positive", p->def.tolerance,
                           p->def.time_scale, p->def.most_iterations);
  CDNI_TRY(cdni_operator_check_optional(state, function, "the weights", p->def.u_weights, p->nu));
  for (int k = 0; p->def.u_weights && k < p->nu; k++)
    if (!(p->def.u_weights[k] > 0))
      return cdni_state_fail(state, CDN_ERR_ARG, false, function, NULL, "weight %d is %g: weights are positive", k,
                             p->def.u_weights[k]);
  return p->room ? cdni_constraint_plan(p->room, state, &p->plan) : CDN_OK;
}

/* The largest error, in units, and its element *worst (may be NULL). */
static cdn_status measure(const projection *p, double *error, int *worst) {
  const bool position = p->level == LOOP_POSITION;
  const double *e = position ? cdn_state_qerr(p->state) : cdn_state_uerr(p->state);
  *error = 0;
  if (!e) {
    cdn_error message;
    cdn_state_last_error(p->state, &message);
    return message.code;
  }
  const cdni_runs runs = cdni_subsystem_runs(cdn_state_system(p->state), p->room->subsystem);
  const double *unit = cdn_state_parameters(p->state, p->room->units);
  constraint_rows rows;
  if (p->length > 0) CDNI_TRY(cdni_constraint_rows(p->room, p->state, &rows));
  for (int i = 0; i < p->plan->n_constraints; i++) {
    const constraint_element *c = constraint_on(p->room, p->plan, i);
    const double *of_c = e + (position ? runs.qerr + c->qerr : runs.uerr + c->uerr);
    const int n = position ? c->np : c->np + c->nv, id = p->plan->constraint[i];
    for (int k = 0; k < n; k++) {
      const double one = p->length > 0 ? cdni_constraint_scale(p->room, p->state, &rows, i, k, p->length) : unit[id];
      const double size = fabs(of_c[k]) / one * (!position && k < c->np ? p->def.time_scale : 1);
      if (size <= *error) continue;
      *error = size;
      if (worst) *worst = id;
    }
  }
  return CDN_OK;
}

/* Factors at the State's pose. If errors exceed the tolerance, every direction that reduces them is used. If all errors
 * are within the tolerance, nearly singular directions are left out, because rounding errors would cause large steps of
 * positions and speeds along them. To leave them out, all equations are marked as formerly redundant. */
static cdn_status factor(projection *p, bool must) {
  constraint_rows rows;
  CDNI_TRY(cdni_constraint_rows(p->room, p->state, &rows));
  const tree_data d = cdni_matter_data(p->room->matter, p->state);
  (void)!cdni_loop_factor(p->room, &d, &rows, p->level, p->weights, must ? NULL : p->all, &p->f);
  return CDN_OK;
}

/* x = the smallest weighted change with G x = b. */
static cdn_status solve(projection *p) {
  const tree_data d = cdni_matter_data(p->room->matter, p->state);
  void *scratch;
  CDNI_TRY(cdni_operator_work(p->state, p->function, cdni_loop_solve_scratch(p->plan, &p->f), &scratch));
  if (p->nu) memset(p->x, 0, (size_t)p->nu * sizeof *p->x);
  const loop_problem problem = { .b = p->b, .weighted = true, .x = p->x + p->first_u, .lambda = p->lambda, .A = p->A };
  cdni_loop_solve(p->plan, &d, &p->f, &problem, scratch);
  cdn_work_pop(p->state, scratch);
  return CDN_OK;
}

/* The errors of the level, by equation. */
static void collect(projection *p) {
  const bool position = p->level == LOOP_POSITION;
  const cdni_runs runs = cdni_subsystem_runs(cdn_state_system(p->state), p->room->subsystem);
  const double *e = position ? cdn_state_qerr(p->state) + runs.qerr : cdn_state_uerr(p->state) + runs.uerr;
  double *b = p->b;
  for (int i = 0; i < p->plan->n_constraints; i++) {
    const constraint_element *c = constraint_on(p->room, p->plan, i);
    const double *of_c = e + (position ? c->qerr : c->uerr);
    const int n = position ? c->np : c->np + c->nv;
    for (int k = 0; k < c->m; k++) *b++ = k < n ? of_c[k] : 0;
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

static size_t bytes_of(const projection *p) {
  return (size_t)(p->level == LOOP_POSITION ? p->nq : p->nu) * sizeof(double);
}

static void keep(const projection *p, double *values) {
  const double *now = p->level == LOOP_POSITION ? cdn_state_q(p->state) : cdn_state_u(p->state);
  if (bytes_of(p)) memcpy(values, now, bytes_of(p));
}

static cdn_status put_back(projection *p, const double *values) {
  return p->level == LOOP_POSITION ? cdn_state_set_q(p->state, values) : cdn_state_set_u(p->state, values);
}

/* Newton's method. A step that increases the error is halved. Far from the solution errors fall slowly; near it each
 * step squares them. */
static cdn_status iterate(projection *p, double *error) {
  bool first = p->def.always;
  double before;
  CDNI_TRY(measure(p, &before, NULL));
  for (int step = 0; step < p->def.most_iterations && (first || before > p->def.tolerance); step++) {
    double now = INFINITY, scale = 1;
    first = false;
    collect(p);
    CDNI_TRY(factor(p, before > p->def.tolerance));
    CDNI_TRY(solve(p));
    keep(p, p->start);
    for (int half = 0; half < 8; half++, scale /= 2) {
      cdn_status status = move(p, scale);
      if (status == CDN_OK) status = measure(p, &now, NULL);
      if (status == CDN_OK && (now < before || now <= p->def.tolerance)) break;
      CDNI_TRY(put_back(p, p->start));
    }
    if (!(now < before)) break;
    before = now;
  }
  *error = before;
  return CDN_OK;
}

/* Projects a State whose errors exceed the tolerance. The memory has been taken. */
static cdn_status bring(projection *p, double *error) {
  const double *W = p->def.u_weights ? p->def.u_weights + p->first_u : NULL;
  int worst = 0;
  for (int k = 0; k < p->room->matter->tree.nu; k++) p->weights[k] = W ? W[k] * W[k] : 1;
  keep(p, p->came);
  cdn_status status = iterate(p, error);
  if (status == CDN_OK) status = measure(p, error, &worst);
  p->has_factor = status == CDN_OK;
  if (status == CDN_OK && !(*error <= p->def.tolerance)) {
    const char *name = constraint_at(p->room, worst)->name;
    status = cdni_state_fail(p->state, CDN_ERR_CONSTRAINT, true, p->function, name,
                             "%s cannot satisfy the constraints from here: constraint '%s' is left with an error of %g "
                             "%sunits (tolerance %g)",
                             p->level == LOOP_POSITION ? "q" : "u", name, *error, p->length > 0 ? "model " : "",
                             p->def.tolerance);
  }
  /* the State has had these values before */
  if (status != CDN_OK) (void)!put_back(p, p->came);
  return status;
}

static bool is_due(const projection *p, double error) {
  if (p->def.always) return p->plan->np + (p->level == LOOP_POSITION ? 0 : p->plan->nv) > 0;
  return !(error <= p->def.tolerance);
}

static cdn_status project(cdn_state *state, const char *function, loop_level level, const cdn_projection_def *def,
                          double length, double *error) {
  projection p = projection_of(cdn_state_system(state), level);
  p.length = length;
  double now;
  void *frame;
  if (error) *error = 0;
  CDNI_TRY(begin(&p, state, function, def));
  if (!p.room) return CDN_OK;
  CDNI_TRY(measure(&p, &now, NULL));
  cdn_status status = CDN_OK;
  if (is_due(&p, now)) {
    CDNI_TRY(cdni_operator_work(state, function, size_of(&p), &frame));
    divide(&p, frame);
    status = bring(&p, &now);
    cdn_work_pop(state, frame);
  }
  if (error) *error = now;
  return status;
}

cdn_status cdn_project_q(cdn_state *state, const cdn_projection_def *def, double *error) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return project(state, "cdn_project_q", LOOP_POSITION, def, 0, error);
}

cdn_status cdni_project_q_in_model_units(cdn_state *state, bool always, double length, double *error) {
  cdn_projection_def def = projection_def_defaults;
  def.tolerance = CDNI_CONSTRAINTS_HELD, def.always = always;
  const matter *m = cdni_matter(cdn_state_system(state));
  return project(state, "cdn_project_q", LOOP_POSITION, &def, cdni_constraint_length(m, state, length), error);
}

cdn_status cdn_project_u(cdn_state *state, const cdn_projection_def *def, double *error) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  return project(state, "cdn_project_u", LOOP_VELOCITY, def, 0, error);
}

cdn_status cdni_constraint_errors(cdn_state *state, double time_scale, cdni_constraint_worst *worst) {
  const cdn_projection_def def = { .struct_size = sizeof def, .time_scale = time_scale };
  *worst = (cdni_constraint_worst){ .of_position = "", .of_velocity = "" };
  for (int level = LOOP_POSITION; level <= LOOP_VELOCITY; level++) {
    projection p = projection_of(cdn_state_system(state), (loop_level)level);
    int i = -1;
    CDNI_TRY(begin(&p, state, "cdn_stepper_advance", &def));
    if (!p.room) return CDN_OK;
    CDNI_TRY(measure(&p, level == LOOP_POSITION ? &worst->position : &worst->velocity, &i));
    if (i >= 0) *(level == LOOP_POSITION ? &worst->of_position : &worst->of_velocity) = constraint_at(p.room, i)->name;
  }
  return CDN_OK;
}

/* ---- projectors ---- */

struct cdni_projector {
  cdn_allocator allocator;
  projection q, u;
};

bool cdni_projects(const cdn_system *system) { return projection_of(system, LOOP_POSITION).room != NULL; }

cdni_projector *cdni_projector_create(const cdn_system *system) {
  const cdn_allocator *a = cdni_system_allocator(system);
  cdni_projector *p = cdni_alloc(a, sizeof *p);
  if (p) *p = (cdni_projector){ *a, projection_of(system, LOOP_POSITION), projection_of(system, LOOP_VELOCITY) };
  return p;
}

void cdni_projector_destroy(cdni_projector *p) {
  if (!p) return;
  const cdn_allocator a = p->allocator;
  cdni_free(&a, p->q.memory, p->q.size);
  cdni_free(&a, p->u.memory, p->u.size);
  cdni_free(&a, p, sizeof *p);
}

/* Takes the memory that the plan needs. It grows, and never shrinks. */
static cdn_status reserve(const cdn_allocator *a, projection *p, cdn_state *state, const char *function) {
  const size_t size = size_of(p);
  if (size > p->size) {
    void *memory = cdni_alloc(a, size);
    if (!memory) return cdni_state_fail(state, CDN_ERR_NOMEM, false, function, NULL, "out of memory");
    cdni_free(a, p->memory, p->size);
    p->memory = memory, p->size = size;
  }
  divide(p, p->memory);
  return CDN_OK;
}

cdn_status cdni_projector_reserve(cdni_projector *p, cdn_state *state) {
  projection *const both[] = { &p->q, &p->u };
  for (int i = 0; i < CDNI_COUNT(both); i++) {
    both[i]->has_factor = false;
    CDNI_TRY(cdni_constraint_plan(both[i]->room, state, &both[i]->plan));
    CDNI_TRY(reserve(&p->allocator, both[i], state, "cdn_stepper_advance"));
  }
  return CDN_OK;
}

void cdni_projector_forget(cdni_projector *p) { p->q.has_factor = p->u.has_factor = false; }

static cdn_status project_with(const cdn_allocator *a, projection *p, cdn_state *state, const char *function,
                               const cdn_projection_def *def, bool *moved) {
  double error;
  p->has_factor = false;
  CDNI_TRY(begin(p, state, function, def));
  CDNI_TRY(measure(p, &error, NULL));
  if (!is_due(p, error)) return CDN_OK;
  CDNI_TRY(reserve(a, p, state, function));
  *moved = true;
  return bring(p, &error);
}

cdn_status cdni_projector_q(cdni_projector *p, cdn_state *state, const cdn_projection_def *def, bool *moved) {
  return project_with(&p->allocator, &p->q, state, "cdn_project_q", def, moved);
}

cdn_status cdni_projector_u(cdni_projector *p, cdn_state *state, const cdn_projection_def *def, bool *moved) {
  return project_with(&p->allocator, &p->u, state, "cdn_project_u", def, moved);
}

/* Removes the part of a vector along u that violates the constraints: e -= W^-2 G^T (G W^-2 G^T)^-1 G e. */
static cdn_status remove_across(projection *p, double *e) {
  constraint_rows rows;
  CDNI_TRY(cdni_constraint_rows(p->room, p->state, &rows));
  p->plan = rows.plan;
  const tree_data d = cdni_matter_data(p->room->matter, p->state);
  p->room->matter->kernels->jacobian(&p->room->matter->tree, &d, e + p->first_u, p->A);
  cdni_constraint_multiply(p->room, &rows, p->A, e + p->first_u, p->b);
  CDNI_TRY(solve(p));
  for (int k = 0; k < p->nu; k++) e[k] -= p->x[k];
  return CDN_OK;
}

cdn_status cdni_projector_estimate(cdni_projector *p, cdn_state *state, double *e_q, double *e_u) {
  if (p->q.has_factor) {
    double *along = p->q.start;
    p->q.state = state;
    /* along u, which removes changes of quaternion lengths */
    CDNI_TRY(cdni_state_multiply_by_N_inv(state, e_q, along));
    CDNI_TRY(remove_across(&p->q, along));
    CDNI_TRY(cdni_state_multiply_by_N(state, along, e_q));
  }
  p->u.state = state;
  return p->u.has_factor ? remove_across(&p->u, e_u) : CDN_OK;
}
