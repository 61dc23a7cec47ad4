/* Poses of a check, and rates of functions at a pose, by differences. */
#include <math.h>
#include <stdio.h>

#include "studies/check.h"
#include "studies/statics.h"

/* ---- beginning and ending ---- */

static void *give(double **at, int n) {
  double *here = *at;
  *at += n;
  return here;
}

static void lay_out(checker *c) {
  double *at = c->memory;
  check_point *points[] = { &c->given, &c->at, &c->along, &c->moved };
  for (int i = 0; i < CDNI_COUNT(points); i++) {
    points[i]->q = give(&at, c->nq), points[i]->u = give(&at, c->nu), points[i]->z = give(&at, c->nz);
  }
  c->rate = give(&at, c->most), c->doubt = give(&at, c->most);
  c->values = give(&at, 6 * c->most);
}

/* Frees all joints: prescribed coordinates would not follow the changes that a check makes. */
static cdn_status set_free(checker *c) {
  for (int i = 1; i < c->nb; i++) CDNI_TRY(cdn_body_unlock(c->state, (cdn_body){ i }));
  for (int i = 0; i < cdn_system_motion_count(c->system); i++)
    CDNI_TRY(cdn_motion_set_enabled(c->state, (cdn_motion){ i }, false));
  memset(c->moved.u, 0, (size_t)c->nu * sizeof(double));
  if (c->nu > 0) CDNI_TRY(cdn_state_set_applied_mobility_forces(c->state, c->moved.u));
  for (int i = 1; i < c->nb; i++)
    CDNI_TRY(cdn_state_set_applied_body_force(c->state, (cdn_body){ i }, (cdn_spatial){ { 0, 0, 0 }, { 0, 0, 0 } }));
  for (int i = 0; i < cdn_system_constraint_count(c->system); i++)
    CDNI_TRY(cdn_constraint_set_enabled(c->state, (cdn_constraint){ i }, false));
  for (int i = 0; i < cdn_system_force_count(c->system); i++)
    CDNI_TRY(cdn_force_set_enabled(c->state, (cdn_force){ i }, false));
  return CDN_OK;
}

static cdn_status make_state(checker *c, cdn_state *state) {
  CDNI_TRY(cdn_state_create(c->system, &c->state));
  CDNI_TRY(cdn_state_copy(c->state, state));
  CDNI_TRY(cdn_prescribe(c->state, NULL));
  c->given.t = cdn_state_time(c->state);
  if (c->nq) memcpy(c->given.q, cdn_state_q(c->state), (size_t)c->nq * sizeof(double));
  if (c->nu) memcpy(c->given.u, cdn_state_u(c->state), (size_t)c->nu * sizeof(double));
  if (c->nz) memcpy(c->given.z, cdn_state_z(c->state), (size_t)c->nz * sizeof(double));
  return set_free(c);
}

cdn_status cdni_check_begin(checker *c, cdn_state *state, const char *function, const char *type, const char *element,
                            const char *kind, const cdn_check_def *def, int most, cdn_check **out) {
  *c = (checker){ .function = function, .most = most };
  *out = NULL;
  CDNI_TRY(cdni_check_read_def(&c->def, def, function));
  CDNI_TRY(cdni_study_matter(state, function, &c->matter));
  c->system = cdn_state_system(state);
  c->nq = cdn_system_nq(c->system), c->nu = cdn_system_nu(c->system), c->nz = cdn_system_nz(c->system);
  c->nb = cdn_system_body_count(c->system);
  c->random = c->def.seed * 0x9e3779b97f4a7c15u + 1;
  const cdn_allocator *a = cdni_system_allocator(c->system);
  c->memory_size = sizeof(double) * (size_t)(4 * (c->nq + c->nu + c->nz) + 8 * most + 1);
  c->memory = cdni_calloc(a, c->memory_size);
  c->report = cdni_calloc(a, sizeof *c->report);
  cdn_status status = c->memory && c->report ? CDN_OK : cdni_refuse(CDN_ERR_NOMEM, function, "out of memory");
  if (c->report) {
    c->report->allocator = *a;
    snprintf(c->report->type, sizeof c->report->type, "%s", type);
    snprintf(c->report->element, sizeof c->report->element, "%s", element);
    snprintf(c->report->kind, sizeof c->report->kind, "%s", kind);
  }
  if (c->memory) lay_out(c);
  if (status == CDN_OK) status = make_state(c, state);
  return status == CDN_OK ? CDN_OK : cdni_check_end(c, status, out);
}

cdn_status cdni_check_end(checker *c, cdn_status status, cdn_check **out) {
  const cdn_allocator *a = cdni_system_allocator(c->system);
  if (c->memory) cdni_free(a, c->memory, c->memory_size);
  if (status == CDN_OK) {
    cdni_check_tell(c->report);
    *out = c->report;
  } else {
    cdn_check_destroy(c->report);
  }
  cdn_state_destroy(c->state);
  return status;
}

/* ---- poses ---- */

/* In -1 .. 1. */
static double draw(checker *c) {
  uint64_t x = c->random += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return (double)((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1;
}

static void draw_body(checker *c, int body) {
  const tree_node *n = &c->matter->tree.node[body];
  double *q = c->at.q + n->q, *u = c->at.u + n->u;
  for (int k = 0; k < n->nq && c->pose > 1; k++) q[k] += c->def.range * draw(c);
  for (int k = 0; k < n->nu && c->pose > 0; k++) u[k] = c->def.speed * draw(c);
  if (c->pose < 2 || !cdn_body_has_quaternion(c->system, (cdn_body){ body })) return;
  const double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  if (square < 0.05) memcpy(q, c->given.q + n->q, 4 * sizeof *q); /* no direction to speak of */
}

void cdni_check_choose(checker *c, int pose, cdn_body body) {
  c->pose = pose;
  c->at.t = c->given.t;
  memcpy(c->at.q, c->given.q, (size_t)(c->nq + c->nu + c->nz) * sizeof(double));
  if (body.i > 0) memset(c->at.u, 0, (size_t)c->nu * sizeof(double));
  for (int i = 1; i < c->nb; i++)
    if (body.i <= 0 || body.i == i) draw_body(c, i);
}

cdn_status cdni_check_set(checker *c, const check_point *p) {
  CDNI_TRY(cdn_state_set_time(c->state, p->t));
  CDNI_TRY(cdn_state_set_q(c->state, p->q));
  CDNI_TRY(cdn_state_set_u(c->state, p->u));
  return cdn_state_set_z(c->state, p->z);
}

/* ---- directions ---- */

void cdni_check_stay(checker *c) {
  c->along.t = 0;
  memset(c->along.q, 0, (size_t)(c->nq + c->nu + c->nz) * sizeof(double));
}

cdn_status cdni_check_go_along(checker *c, const double *u, double dt) {
  cdni_check_stay(c);
  c->along.t = dt;
  return cdn_multiply_by_N(c->state, u, c->along.q);
}

/* ---- rates ---- */

static cdn_status evaluate_at(checker *c, double step, check_fn *f, void *context, double *values) {
  const int ny = c->nq + c->nu + c->nz;
  c->moved.t = c->at.t + step * c->along.t;
  for (int i = 0; i < ny; i++) c->moved.q[i] = c->at.q[i] + step * c->along.q[i];
  CDNI_TRY(cdni_check_set(c, &c->moved));
  return f(context, c->state, values);
}

/* Central differences with two steps, h and h / 2: the fourth order, and by how much both differ. */
static cdn_status differences(checker *c, double h, check_fn *f, void *context, int n, double *rate, double *doubt) {
  double *v[4];
  for (int i = 0; i < 4; i++) v[i] = c->values + i * c->most;
  static const double at[4] = { -1, -0.5, 0.5, 1 };
  for (int i = 0; i < 4; i++) CDNI_TRY(evaluate_at(c, at[i] * h, f, context, v[i]));
  /* Small numbers may be differences of large ones, with the rounding of the large ones. */
  const double size = fmax(check_largest(v[0], n), check_largest(v[3], n)), rounding = 50 * 2.3e-16 * size / h;
  for (int i = 0; i < n; i++) {
    const double wide = (v[3][i] - v[0][i]) / (2 * h), near = (v[2][i] - v[1][i]) / h;
    rate[i] = near + (near - wide) / 3;
    doubt[i] = fabs(near - wide) + rounding;
  }
  return CDN_OK;
}

cdn_status cdni_check_rate(checker *c, check_fn *f, void *context, int n) {
  static const double steps[] = { 1e-3, 1e-4, 1e-5 };
  const double length = fmax(1, check_largest(c->along.q, c->nq + c->nu + c->nz));
  double *rate = c->values + 4 * c->most, *doubt = rate + c->most;
  for (int s = 0; s < CDNI_COUNT(steps); s++) {
    CDNI_TRY(differences(c, steps[s] / length, f, context, n, s ? rate : c->rate, s ? doubt : c->doubt));
    for (int i = 0; i < n && s > 0; i++)
      if (doubt[i] < c->doubt[i]) c->rate[i] = rate[i], c->doubt[i] = doubt[i];
    bool good = true;
    const double size = check_largest(c->rate, n);
    for (int i = 0; i < n; i++) good = good && c->doubt[i] <= 0.1 * c->def.tolerance * size;
    if (good) break;
  }
  /* A value whose differences do not converge with shorter steps has no rate here. */
  const double size = check_largest(c->rate, n);
  for (int i = 0; i < n; i++)
    if (!(c->doubt[i] <= 0.01 * size + 1e-9)) c->rate[i] = NAN;
  return cdni_check_set(c, &c->at);
}
