/* Goals: adding them, observations, residuals and their derivatives. */
#include <math.h>
#include <stdio.h>

#include "matter/differences.h"
#include "matter/operators.h"
#include "studies/assembly.h"

/* ---- adding --------------------------------------------------------------------------------- */

static void remember_mistake(cdn_assembly *a) {
  if (a->mistake.code == CDN_OK) a->mistake = a->error;
}

static bool is_finite(const double *values, int n) { return cdni_all_finite(values, (size_t)n, NULL); }

/* Adds a goal; numbers: n of them that must be finite. */
static cdn_goal add(cdn_assembly *a, const char *function, const char *name, assembly_goal g, const double *numbers,
                    int n) {
  cdn_goal id = { -1 };
  char made_up[32];
  if (!a) return id;
  const int i = assembly_goal_count(a);
  if (!name) snprintf(made_up, sizeof made_up, "goal%d", i), name = made_up;
  if (!is_finite(numbers, n) || !isfinite(g.weight))
    cdni_assembly_fail(a, CDN_ERR_NONFINITE, function, name, "goal '%s': a number that was given is not finite", name);
  else if (g.weight < 0)
    cdni_assembly_fail(a, CDN_ERR_ARG, function, name, "goal '%s': the weight is %g; weights are >= 0", name, g.weight);
  else if ((g.name = cdni_strdup(&a->allocator, name)) && cdni_array_push(&a->allocator, &a->goals, sizeof g, &g))
    id.i = i;
  else cdni_assembly_fail(a, CDN_ERR_NOMEM, function, name, "out of memory");
  if (id.i >= 0) {
    a->n_rows += g.rows;
    if (g.rows > a->most_rows) a->most_rows = g.rows;
    return id;
  }
  cdni_strfree(&a->allocator, g.name);
  remember_mistake(a);
  return id;
}

static cdn_goal add_slot(cdn_assembly *a, const char *function, const char *name, cdn_body body, int k, double value,
                         double weight, goal_kind kind) {
  assembly_goal g = { .kind = kind, .weight = weight, .body = body, .value = value, .seen = true, .rows = 1 };
  if (a && cdni_assembly_slots(a, function, name, body, k, kind == GOAL_COORDINATE, &g.q, &g.u))
    return add(a, function, name, g, &value, 1);
  if (a) remember_mistake(a);
  return (cdn_goal){ -1 };
}

static bool has_body(cdn_assembly *a, const char *function, const char *name, cdn_body body) {
  if (cdni_body_exists(a->m, body)) return true;
  cdni_assembly_fail(a, CDN_ERR_ARG, function, name, "there is no body %d in this System", (int)body.i);
  remember_mistake(a);
  return false;
}

cdn_goal cdn_assembly_add_coordinate(cdn_assembly *a, const char *name, cdn_body body, int k, double value,
                                     double weight) {
  return add_slot(a, "cdn_assembly_add_coordinate", name, body, k, value, weight, GOAL_COORDINATE);
}

cdn_goal cdn_assembly_add_speed(cdn_assembly *a, const char *name, cdn_body body, int k, double value, double weight) {
  return add_slot(a, "cdn_assembly_add_speed", name, body, k, value, weight, GOAL_SPEED);
}

cdn_goal cdn_assembly_add_marker(cdn_assembly *a, const char *name, cdn_body body, cdn_vec3 p_B, double weight) {
  const assembly_goal g = { .kind = GOAL_MARKER, .weight = weight, .body = body, .p_B = p_B, .rows = 3 };
  if (!a || !has_body(a, __func__, name, body)) return (cdn_goal){ -1 };
  return add(a, __func__, name, g, &p_B.x, 3);
}

cdn_goal cdn_assembly_add_orientation(cdn_assembly *a, const char *name, cdn_body body, cdn_rotation R_BS,
                                      double weight) {
  const assembly_goal g = { .kind = GOAL_ORIENTATION, .weight = weight, .body = body, .R_BS = R_BS, .rows = 3 };
  if (!a || !has_body(a, __func__, name, body)) return (cdn_goal){ -1 };
  return add(a, __func__, name, g, &R_BS.x.x, 9);
}

cdn_goal cdn_assembly_add_goal(cdn_assembly *a, const char *name, const cdn_goal_ops *ops, const void *self,
                               double weight) {
  if (!a) return (cdn_goal){ -1 };
  cdn_goal_ops known;
  const char *unreadable = CDNI_READ_OPS(cdn_goal_ops, &known, ops);
  ops = &known;
  if (unreadable || !ops->residual || ops->rows < 1 || (ops->self_size && !self)) {
    if (unreadable) cdni_assembly_fail(a, CDN_ERR_VERSION, __func__, name, "%s", unreadable);
    else
      cdni_assembly_fail(a, CDN_ERR_ARG, __func__, name,
                         "a goal's ops need residual, rows >= 1, and self where self_size is not 0");
    remember_mistake(a);
    return (cdn_goal){ -1 };
  }
  assembly_goal g = { .kind = GOAL_OWN, .weight = weight, .seen = true, .rows = ops->rows, .ops = *ops };
  g.ops.name = NULL;
  if (ops->self_size) {
    g.self = cdni_alloc(&a->allocator, ops->self_size);
    if (!g.self) {
      cdni_assembly_fail(a, CDN_ERR_NOMEM, __func__, name, "out of memory");
      remember_mistake(a);
      return (cdn_goal){ -1 };
    }
    memcpy(g.self, self, ops->self_size);
  }
  const cdn_goal id = add(a, __func__, name ? name : ops->name, g, NULL, 0);
  if (id.i < 0 && g.self) cdni_free(&a->allocator, g.self, ops->self_size);
  return id;
}

void cdni_assembly_free_goals(cdn_assembly *a) {
  for (int i = 0; i < assembly_goal_count(a); i++) {
    assembly_goal *g = assembly_goal_at(a, i);
    if (g->kind == GOAL_OWN && g->ops.destroy) g->ops.destroy(g->self);
    if (g->self) cdni_free(&a->allocator, g->self, g->ops.self_size);
    cdni_strfree(&a->allocator, g->name);
  }
  cdni_array_free(&a->allocator, &a->goals);
  if (a->goal_block) cdni_free(&a->allocator, a->goal_block, a->goal_block_size);
}

/* ---- access to goals ------------------------------------------------------------------------ */

int cdn_assembly_goal_count(const cdn_assembly *a) { return a ? assembly_goal_count(a) : 0; }

const char *cdn_assembly_goal_name(const cdn_assembly *a, cdn_goal goal) {
  return a && goal.i >= 0 && goal.i < assembly_goal_count(a) ? assembly_goal_at(a, goal.i)->name : NULL;
}

/* The goal, which must be of one of two kinds, or of any (-1); NULL with the message stored. */
static assembly_goal *find(cdn_assembly *a, const char *function, cdn_goal goal, int one, int other) {
  if (!a) {
    cdni_refuse(CDN_ERR_ARG, function, "the assembly is NULL");
    return NULL;
  }
  if (goal.i < 0 || goal.i >= assembly_goal_count(a)) {
    cdni_assembly_fail(a, CDN_ERR_ARG, function, NULL, "there is no goal %d in this assembly", (int)goal.i);
    return NULL;
  }
  assembly_goal *g = assembly_goal_at(a, goal.i);
  if (one < 0 || (int)g->kind == one || (int)g->kind == other) return g;
  cdni_assembly_fail(a, CDN_ERR_ARG, function, g->name, "goal '%s' is of another kind", g->name);
  return NULL;
}

cdn_status cdn_assembly_set_weight(cdn_assembly *a, cdn_goal goal, double weight) {
  assembly_goal *g = find(a, __func__, goal, -1, -1);
  if (!g) return CDN_ERR_ARG;
  if (!isfinite(weight) || weight < 0)
    return cdni_assembly_fail(a, isfinite(weight) ? CDN_ERR_ARG : CDN_ERR_NONFINITE, __func__, g->name,
                              "goal '%s': the weight is %g; weights are >= 0", g->name, weight);
  g->weight = weight;
  return CDN_OK;
}

cdn_status cdn_assembly_set_value(cdn_assembly *a, cdn_goal goal, double value) {
  assembly_goal *g = find(a, __func__, goal, GOAL_COORDINATE, GOAL_SPEED);
  if (!g) return CDN_ERR_ARG;
  if (!isfinite(value))
    return cdni_assembly_fail(a, CDN_ERR_NONFINITE, __func__, g->name, "goal '%s': the value is %g", g->name, value);
  g->value = value;
  return CDN_OK;
}

/* NaN: not seen; an infinity is a mistake. */
static cdn_status observe(cdn_assembly *a, const char *function, assembly_goal *g, const double *numbers, int n) {
  bool nan = false, inf = false;
  for (int i = 0; i < n; i++) nan = nan || isnan(numbers[i]), inf = inf || isinf(numbers[i]);
  if (inf && !nan)
    return cdni_assembly_fail(a, CDN_ERR_NONFINITE, function, g->name, "goal '%s': an infinity was observed", g->name);
  g->seen = !nan;
  return CDN_OK;
}

cdn_status cdn_assembly_observe_marker(cdn_assembly *a, cdn_goal goal, cdn_vec3 p_G) {
  assembly_goal *g = find(a, __func__, goal, GOAL_MARKER, GOAL_MARKER);
  if (!g) return CDN_ERR_ARG;
  CDNI_TRY(observe(a, __func__, g, &p_G.x, 3));
  g->p_G = p_G;
  return CDN_OK;
}

cdn_status cdn_assembly_observe_orientation(cdn_assembly *a, cdn_goal goal, cdn_rotation R_GS) {
  assembly_goal *g = find(a, __func__, goal, GOAL_ORIENTATION, GOAL_ORIENTATION);
  if (!g) return CDN_ERR_ARG;
  CDNI_TRY(observe(a, __func__, g, &R_GS.x.x, 9));
  g->R_GS = R_GS;
  return CDN_OK;
}

/* ---- residuals ------------------------------------------------------------------------------ */

/* The vector of the rotation R (angle times axis), at most pi long. */
static cdn_vec3 rotation_vector(cdn_rotation R) {
  const cdn_quaternion p = cdn_quaternion_from_rotation(R);
  const cdn_vec3 v = cdn_v3(p.x, p.y, p.z);
  const double sine = cdn_norm(v);
  return cdn_scale(sine > 0 ? 2 * atan2(sine, p.w) / sine : 2, v);
}

/* Of one goal, without its weight. */
static cdn_status residual(const assembly_goal *g, cdn_state *state, double *r) {
  cdn_transform X_GB;
  cdn_vec3 e;
  switch (g->kind) {
    case GOAL_COORDINATE: {
      const double *q = cdn_state_q(state);
      r[0] = q[g->q] - g->value;
      return CDN_OK;
    }
    case GOAL_SPEED: r[0] = cdn_state_u(state)[g->u] - g->value; return CDN_OK;
    case GOAL_OWN:
      CDNI_TRY(g->ops.residual(g->self, state, r));
      if (is_finite(r, g->rows)) return CDN_OK;
      return cdni_state_fail(state, CDN_ERR_NONFINITE, true, "cdn_assemble", g->name,
                             "goal '%s': a residual is not "
                             "finite",
                             g->name);
    case GOAL_MARKER:
      CDNI_TRY(cdn_body_station(state, g->body, g->p_B, &e, NULL));
      e = cdn_sub(e, g->p_G);
      break;
    case GOAL_ORIENTATION:
      CDNI_TRY(cdn_body_pose(state, g->body, &X_GB));
      e = rotation_vector(
          cdn_rotation_multiply(cdn_rotation_multiply(X_GB.R, g->R_BS), cdn_rotation_transpose(g->R_GS)));
      break;
  }
  r[0] = e.x, r[1] = e.y, r[2] = e.z;
  return CDN_OK;
}

cdn_status cdni_assembly_residuals(cdn_assembly *a, cdn_state *state, bool speeds, double *r, int *rows, double *sum) {
  *rows = 0, *sum = 0;
  for (int i = 0; i < assembly_goal_count(a); i++) {
    const assembly_goal *g = assembly_goal_at(a, i);
    if (!assembly_goal_counts(g, speeds)) continue;
    CDNI_TRY(residual(g, state, r + *rows));
    const double root = sqrt(g->weight);
    for (int k = *rows; k < *rows + g->rows; k++) r[k] *= root, *sum += r[k] * r[k] / 2;
    *rows += g->rows;
  }
  return CDN_OK;
}

/* ---- derivatives ---------------------------------------------------------------------------- */

typedef struct differ {
  differences by;
  const cdn_assembly *a;
  const assembly_goal *g;
  double *r[2], *J;
} differ;

static cdn_status evaluate(void *user, int side) {
  const differ *d = user;
  return residual(d->g, d->by.state, d->r[side]);
}

static cdn_status add_column(void *user, cdn_pool pool, int column, double h) {
  const differ *d = user;
  (void)pool;
  for (int i = 0; i < d->g->rows; i++) d->J[i * d->a->nu + column] = (d->r[0][i] - d->r[1][i]) / (2 * h);
  return CDN_OK;
}

static cdn_status each_column(void *user) {
  differ *d = user;
  for (int k = 0; k < d->a->nu; k++)
    if (!d->a->fixed[k]) CDNI_TRY(cdni_differences_by(&d->by, CDN_POOL_Q, k, 1));
  return CDN_OK;
}

/* Of a goal of the user's that brings no derivatives. */
static cdn_status difference(const cdn_assembly *a, const assembly_goal *g, cdn_state *state, double *J) {
  const size_t rows = (size_t)g->rows;
  double *r = cdn_work_push(state, (2 * rows + cdni_differences_room(cdn_state_system(state))) * sizeof *r);
  if (!r) return cdni_state_fail(state, CDN_ERR_NOMEM, false, "cdn_assemble", g->name, "out of memory");
  differ d = { .a = a, .g = g, .r = { r, r + rows }, .J = J };
  d.by = (differences){ .user = &d, .evaluate = evaluate, .add = add_column };
  cdn_status status = cdni_differences_begin(&d.by, state, "cdn_assemble", r + 2 * rows);
  if (status == CDN_OK) status = cdni_differences_make(&d.by, each_column);
  cdn_work_pop(state, r);
  return status;
}

static cdn_status derivative(cdn_assembly *a, const assembly_goal *g, cdn_state *state, double *J) {
  const size_t nu = (size_t)a->nu;
  const tree_node *n = g->kind == GOAL_OWN ? NULL : &a->m->tree.node[g->body.i];
  memset(J, 0, (size_t)g->rows * nu * sizeof *J);
  switch (g->kind) {
    case GOAL_COORDINATE:
    case GOAL_SPEED: J[g->u] = 1; return CDN_OK;
    case GOAL_OWN: return g->ops.jacobian ? g->ops.jacobian(g->self, state, J) : difference(a, g, state, J);
    case GOAL_MARKER:
    case GOAL_ORIENTATION: break;
  }
  /* The derivative of a sensor's residual is that of the rotation vector: w, and terms perpendicular to the vector,
   * which Gauss-Newton can omit. J^T r is exact, since r is perpendicular to them. */
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  const tree_data d = cdni_matter_data(a->m, state);
  v3 r = g->kind == GOAL_MARKER ? cdni_to_v3(cdni_matter_station(a->m, state, d.pose, g->body, g->p_B)) : v3_zero();
  for (int b = g->body.i; b > 0; b = n->parent) {
    n = &a->m->tree.node[b];
    for (int k = 0; k < n->nu; k++) {
      const sv h = cdni_hinge_column(n, d.H, k);
      const v3 change = g->kind == GOAL_MARKER ? sv_shift_motion(h, r).v : h.w;
      double *column = J + a->first_u + n->u + k;
      column[0] = change.x, column[nu] = change.y, column[2 * nu] = change.z;
    }
    r = v3_add(r, d.pose[b].r);
  }
  return CDN_OK;
}

cdn_status cdni_assembly_jacobian(cdn_assembly *a, cdn_state *state, bool speeds, double *J) {
  for (int i = 0; i < assembly_goal_count(a); i++) {
    const assembly_goal *g = assembly_goal_at(a, i);
    if (!assembly_goal_counts(g, speeds)) continue;
    CDNI_TRY(derivative(a, g, state, J));
    const size_t n = (size_t)g->rows * (size_t)a->nu;
    const double root = sqrt(g->weight);
    for (size_t k = 0; k < n; k++) J[k] *= root;
    if (!is_finite(J, (int)n))
      return cdni_state_fail(state, CDN_ERR_NONFINITE, true, "cdn_assemble", g->name,
                             "goal '%s': a derivative is not finite", g->name);
    J += n;
  }
  return CDN_OK;
}

/* ---- reports -------------------------------------------------------------------------------- */

cdn_status cdni_assembly_report_goals(cdn_assembly *a, cdn_state *state, bool speeds, cdn_assembly_report *report) {
  double worst = -1, squares = 0;
  report->goal = report->marker_most = report->marker_rms = 0;
  report->worst_goal = report->worst_marker = (cdn_goal){ -1 };
  report->markers = 0;
  for (int i = 0; i < assembly_goal_count(a); i++) {
    const assembly_goal *g = assembly_goal_at(a, i);
    double square = 0;
    if (!assembly_goal_counts(g, speeds)) continue;
    CDNI_TRY(residual(g, state, a->r));
    for (int k = 0; k < g->rows; k++) square += a->r[k] * a->r[k];
    report->goal += g->weight * square / 2;
    if (g->weight * square > worst) worst = g->weight * square, report->worst_goal.i = i;
    if (g->kind != GOAL_MARKER) continue;
    squares += square;
    if (report->markers++ == 0 || sqrt(square) > report->marker_most)
      report->marker_most = sqrt(square), report->worst_marker.i = i;
  }
  if (report->markers) report->marker_rms = sqrt(squares / report->markers);
  return CDN_OK;
}
