/* Row providers: registering them, and collecting the rows of one evaluation. */
#include "dynamics/rows.h"

#include <math.h>
#include <stdio.h>

#include "core/sized.h"
#include "rooms.h"

/* ---- registering ---- */

static cdn_row_set refuse(cdn_declarer *d, cdn_status code, const char *name, const char *why) {
  cdn_declare_error(d, code, "row provider '%s': %s", name, why);
  return (cdn_row_set){ -1 };
}

cdn_row_set cdn_declare_rows(cdn_declarer *d, const cdn_row_provider *given) {
  CDNI_NEED_OBJECT(d, (cdn_row_set){ -1 });
  cdn_system *system = (cdn_system *)cdni_declarer_system(d); /* it is being frozen */
  const cdn_allocator *a = cdni_system_allocator(system);
  cdn_row_provider known;
  const char *unreadable = CDNI_READ_OPS(cdn_row_provider, &known, given);
  const cdn_row_provider *provider = &known;
  if (unreadable) return refuse(d, CDN_ERR_VERSION, "?", unreadable);
  const char *name = provider->name ? provider->name : "rows";
  if (!cdni_matter(system)) return refuse(d, CDN_ERR_ARG, name, "the System has no bodies: add them before freezing");
  if (!provider->calc_rows) return refuse(d, CDN_ERR_ARG, name, "it has no calc_rows");
  if (provider->most_rows < 1 || provider->most_rows > MOST_PROVIDED_ROWS)
    return refuse(d, CDN_ERR_ARG, name, "most_rows is not from 1 to 1000");
  if (provider->n_prerequisites < 0 || (provider->n_prerequisites > 0 && !provider->prerequisites))
    return refuse(d, CDN_ERR_ARG, name, "n_prerequisites is negative, or there is no list of them");
  dynamics *dyn = cdni_system_room(system, CDNI_ROOM_DYNAMICS);
  if (!dyn) return (cdn_row_set){ -1 };
  if (dyn->matter)
    return refuse(d, CDN_ERR_FROZEN, name, "rows have been declared already: add the subsystem while building");
  row_provider p = { .ops = *provider, .subsystem = cdni_declarer_subsystem(d), .name = cdni_strdup(a, name) };
  const size_t n = (size_t)provider->n_prerequisites;
  p.ops.prerequisites = NULL;
  cdn_ticket *copy = n ? cdni_alloc(a, n * sizeof *copy) : NULL;
  if (copy) memcpy(copy, provider->prerequisites, n * sizeof *copy);
  p.ops.prerequisites = copy;
  if (!p.name || (n && !copy) || !cdni_array_push(a, &dyn->row_providers, sizeof p, &p)) {
    cdni_row_provider_free(a, &p);
    return refuse(d, CDN_ERR_NOMEM, name, "out of memory");
  }
  return (cdn_row_set){ (int32_t)dyn->row_providers.count - 1 };
}

void cdni_row_provider_free(const cdn_allocator *a, const row_provider *p) {
  cdni_strfree(a, p->name);
  if (p->ops.prerequisites)
    cdni_free(a, (void *)p->ops.prerequisites, (size_t)p->ops.n_prerequisites * sizeof(cdn_ticket));
}

/* ---- collecting ---- */

static void note(cdn_row_list *rows, cdn_status mistake, const char *why) {
  if (rows->mistake == CDN_OK) rows->mistake = mistake, rows->why = why;
}

static bool is_finite3(cdn_vec3 a) { return (a.x - a.x) + (a.y - a.y) + (a.z - a.z) == 0; }

CDNI_DEF(row_def, .lower = -INFINITY, .upper = INFINITY);

static provided_row *add(cdn_row_list *rows) {
  if (rows->n - rows->first >= rows->most) {
    note(rows, CDN_ERR_LIMIT, "it adds more rows than its most_rows");
    return NULL;
  }
  provided_row *r = &rows->row[rows->n++];
  memset(r, 0, sizeof *r);
  r->weight = -1;
  r->lower = -INFINITY, r->upper = INFINITY;
  return r;
}

void cdn_row_list_add(cdn_row_list *rows, const cdn_row_def *given) {
  CDNI_NEED_OBJECT_OR_NOTHING(rows);
  cdn_row_def def;
  const char *unreadable = read_row_def(&def, given);
  if (unreadable) {
    note(rows, CDN_ERR_VERSION, unreadable);
    return;
  }
  if (!(def.lower <= def.upper) || def.lower == INFINITY || def.upper == -INFINITY)
    note(
        rows, CDN_ERR_ARG,
        "one of its rows has bounds between which there is no number: lower must not be above upper, nor either a NaN");
  if (!(def.regularisation >= 0) || !isfinite(def.regularisation) || !isfinite(def.bias))
    note(rows, CDN_ERR_NONFINITE,
         "one of its rows has a bias that is not finite, or a regularisation that is negative or not finite");
  provided_row *r = add(rows);
  if (!r) return;
  r->bias = def.bias, r->regularisation = def.regularisation;
  r->lower = def.lower, r->upper = def.upper;
}

/* The row that is being described; NULL if there is none. */
static provided_row *last(cdn_row_list *rows) {
  if (rows->n > rows->first) return &rows->row[rows->n - 1];
  note(rows, CDN_ERR_ARG, "it describes a row before it has added one: call cdn_row_list_add first");
  return NULL;
}

/* J about a point at r from M's origin; the centripetal acceleration of that point goes to the bias. */
static void add_at(cdn_row_list *rows, provided_row *row, int32_t body, v3 r, sv J) {
  const matter *m = rows->dynamics->matter;
  if (body == 0) return;
  if (row->n_bodies == CDN_ROW_MOST_BODIES) {
    note(rows, CDN_ERR_LIMIT, "one of its rows names more than CDN_ROW_MOST_BODIES bodies");
    return;
  }
  const v3 w = cdni_matter_data(m, rows->state).twist[body].V.w;
  row->bias += v3_dot(J.v, v3_cross(w, v3_cross(w, r)));
  row->body[row->n_bodies] = body;
  row->J[row->n_bodies++] = sv_shift_force(J, r);
}

static bool is_body(cdn_row_list *rows, cdn_body body) {
  if (cdni_body_exists(rows->dynamics->matter, body)) return true;
  note(rows, CDN_ERR_ARG, "one of its rows names a body that this System does not have");
  return false;
}

static v3 station(const cdn_row_list *rows, cdn_body body, cdn_vec3 p_B) {
  const matter *m = rows->dynamics->matter;
  return cdni_to_v3(cdni_matter_station(m, rows->state, cdni_matter_data(m, rows->state).pose, body, p_B));
}

static const char not_finite[] = "it gave a NaN or an infinity";

void cdn_row_list_add_body(cdn_row_list *rows, cdn_body body, cdn_spatial J_G) {
  CDNI_NEED_OBJECT_OR_NOTHING(rows);
  provided_row *r = last(rows);
  if (!r || !is_body(rows, body)) return;
  if (!is_finite3(J_G.w) || !is_finite3(J_G.v)) note(rows, CDN_ERR_NONFINITE, not_finite);
  add_at(rows, r, body.i, station(rows, body, cdn_v3(0, 0, 0)), (sv){ cdni_to_v3(J_G.w), cdni_to_v3(J_G.v) });
}

void cdn_row_list_add_point(cdn_row_list *rows, cdn_body body, cdn_vec3 p_B, cdn_vec3 direction_G) {
  CDNI_NEED_OBJECT_OR_NOTHING(rows);
  provided_row *r = last(rows);
  if (!r || !is_body(rows, body)) return;
  if (!is_finite3(p_B) || !is_finite3(direction_G)) note(rows, CDN_ERR_NONFINITE, not_finite);
  add_at(rows, r, body.i, station(rows, body, p_B), (sv){ v3_zero(), cdni_to_v3(direction_G) });
}

void cdn_row_list_add_mobility(cdn_row_list *rows, cdn_body body, int k, double g) {
  CDNI_NEED_OBJECT_OR_NOTHING(rows);
  provided_row *r = last(rows);
  if (!r || !is_body(rows, body)) return;
  const tree_node *n = &rows->dynamics->matter->tree.node[body.i];
  if (k < 0 || k >= n->nu) note(rows, CDN_ERR_ARG, "one of its rows names a mobility that the joint does not have");
  else if (!isfinite(g)) note(rows, CDN_ERR_NONFINITE, not_finite);
  else if (r->n_mobilities == CDN_ROW_MOST_MOBILITIES)
    note(rows, CDN_ERR_LIMIT, "one of its rows names more than CDN_ROW_MOST_MOBILITIES mobilities");
  else r->u[r->n_mobilities] = n->u + k, r->g[r->n_mobilities++] = g;
}

void cdn_row_list_add_weight(cdn_row_list *rows, cdn_body a, cdn_body b, cdn_vec3 p_G, const double W[36],
                             cdn_spatial bias) {
  CDNI_NEED_OBJECT_OR_NOTHING(rows);
  static const v3 axis[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };
  if (!is_body(rows, a) || !is_body(rows, b)) return;
  size_t bad;
  if (!W) {
    note(rows, CDN_ERR_ARG, "a weight of it is NULL");
    return;
  }
  if (!is_finite3(p_G) || !is_finite3(bias.w) || !is_finite3(bias.v) || !cdni_all_finite(W, 36, &bad))
    note(rows, CDN_ERR_NONFINITE, not_finite);
  const body_pose *pose = cdni_matter_data(rows->dynamics->matter, rows->state).pose;
  const v3 p = cdni_to_v3(p_G), r_a = v3_sub(p, pose[a.i].p_GM), r_b = v3_sub(p, pose[b.i].p_GM);
  const double biases[6] = { bias.w.x, bias.w.y, bias.w.z, bias.v.x, bias.v.y, bias.v.z };
  for (int k = 0; k < 6; k++) {
    provided_row *r = add(rows);
    if (!r) return;
    const v3 e = axis[k % 3];
    const sv J = k < 3 ? (sv){ e, v3_zero() } : (sv){ v3_zero(), e };
    r->bias = biases[k];
    r->weight = k;
    memcpy(r->W, W + 6 * k, sizeof r->W);
    add_at(rows, r, b.i, r_b, J);
    add_at(rows, r, a.i, r_a, sv_neg(J));
  }
}

static cdn_status calc_rows(const void *self, cdn_state *state, void *out) {
  const dynamics *d = *(const dynamics *const *)self;
  cdn_row_list all = { .state = state, .dynamics = d, .row = out }, *rows = &all;
  CDNI_TRY(cdni_state_ensure(state, CDN_POSE));
  CDNI_TRY(cdni_state_ensure(state, CDN_TWIST));
  int32_t *ends = cdni_state_storage(state, d->row_ends);
  for (size_t i = 0; i < d->row_providers.count; i++) {
    const row_provider *p = &CDNI_AT(d->row_providers, row_provider, i);
    rows->first = rows->n, rows->most = p->ops.most_rows;
    cdni_state_clear_error(state);
    const void *own = cdn_subsystem_self(cdn_state_system(state), p->subsystem);
    const cdn_status status = p->ops.calc_rows(own, state, rows);
    cdn_error e;
    cdn_state_last_error(state, &e);
    if (status != CDN_OK && e.code != CDN_OK) return status;
    if (status != CDN_OK)
      return cdni_state_fail(state, status, status == CDN_ERR_NONFINITE, "cdn_realize", p->name,
                             "calc_rows of row provider '%s' failed: %s", p->name, cdn_status_text(status));
    if (rows->mistake != CDN_OK)
      return cdni_state_fail(state, rows->mistake, rows->mistake == CDN_ERR_NONFINITE, "cdn_realize", p->name,
                             "row provider '%s': %s", p->name, rows->why);
    ends[i] = rows->n;
  }
  return CDN_OK;
}

cdn_status cdni_rows_evaluate(const dynamics *d, cdn_state *state, provided_rows *rows) {
  CDNI_TRY(cdni_state_ensure(state, d->rows.ticket));
  rows->row = cdni_state_storage(state, d->rows);
  rows->n = ((const int32_t *)cdni_state_storage(state, d->row_ends))[d->row_providers.count - 1];
  return CDN_OK;
}

cdn_status cdni_rows_count(const dynamics *d, cdn_state *state, int *n) {
  provided_rows rows = { .n = 0 };
  if (d->most_rows > 0) CDNI_TRY(cdni_rows_evaluate(d, state, &rows));
  *n = rows.n;
  return CDN_OK;
}

/* ---- declaring ---- */

void cdni_rows_declare(dynamics *dyn, cdn_declarer *d) {
  for (size_t i = 0; i < dyn->row_providers.count; i++)
    dyn->most_rows += CDNI_AT(dyn->row_providers, row_provider, i).ops.most_rows;
  if (dyn->most_rows == 0) return;
  const cdn_ticket reads[] = { CDN_POSE, CDN_TWIST, CDN_U_EFF, CDN_T, cdn_stage_ticket(CDN_STAGE_INSTANCE) };
  const size_t most = (size_t)dyn->most_rows;
  dyn->rows = cdn_declare_cache(d, "rows", most * sizeof(provided_row), calc_rows, CDNI_COUNT(reads), reads);
  dyn->row_ends = cdni_declare_companion(d, "row_ends", dyn->row_providers.count * sizeof(int32_t), dyn->rows);
  for (size_t i = 0; i < dyn->row_providers.count; i++) {
    const row_provider *p = &CDNI_AT(dyn->row_providers, row_provider, i);
    cdn_ticket own;
    for (int k = 0; (own = cdni_subsystem_variable(cdni_declarer_system(d), p->subsystem, k)).i != 0; k++)
      cdni_declare_prerequisite(d, dyn->rows, own);
    for (int k = 0; k < p->ops.n_prerequisites; k++) cdni_declare_prerequisite(d, dyn->rows, p->ops.prerequisites[k]);
  }
}

/* ---- effects of rows ---- */

double cdni_row_multiply(const provided_row *r, const sv *A, const double *a) {
  double sum = 0;
  for (int b = 0; b < r->n_bodies; b++) sum += sv_dot(r->J[b], A[r->body[b]]);
  for (int k = 0; a && k < r->n_mobilities; k++) sum += r->g[k] * a[r->u[k]];
  return sum;
}

void cdni_rows_add_forces(const provided_rows *rows, const double *lambda, sv *F, double *f) {
  for (int i = 0; i < rows->n; i++) {
    const provided_row *r = &rows->row[i];
    for (int b = 0; b < r->n_bodies; b++) F[r->body[b]] = sv_fma(-lambda[i], r->J[b], F[r->body[b]]);
    for (int k = 0; k < r->n_mobilities; k++) f[r->u[k]] -= lambda[i] * r->g[k];
  }
}

cdn_status cdni_dynamics_rows_power(const dynamics *d, cdn_state *state, double *power) {
  *power = 0;
  if (d->most_rows == 0) return CDN_OK;
  provided_rows rows;
  CDNI_TRY(cdni_rows_evaluate(d, state, &rows));
  if (rows.n == 0) return CDN_OK;
  CDNI_TRY(cdni_state_ensure(state, CDN_ACCELERATION));
  const tree_data data = cdni_matter_data(d->matter, state);
  const double *lambda = cdni_state_storage(state, d->row_lambda);
  for (int i = 0; i < rows.n; i++) {
    const provided_row *r = &rows.row[i];
    for (int b = 0; b < r->n_bodies; b++) *power -= lambda[i] * sv_dot(r->J[b], data.twist[r->body[b]].V);
    for (int k = 0; k < r->n_mobilities; k++) *power -= lambda[i] * r->g[k] * data.u[r->u[k]];
  }
  return CDN_OK;
}

cdn_status cdni_dynamics_refuse_provided_rows(cdn_state *state, const char *function) {
  const dynamics *d = cdni_dynamics(cdn_state_system(state));
  if (!d || d->most_rows == 0) return CDN_OK;
  provided_rows rows;
  CDNI_TRY(cdni_rows_evaluate(d, state, &rows));
  if (rows.n == 0) return CDN_OK;
  const char *name = CDNI_AT(d->row_providers, row_provider, 0).name;
  for (size_t i = d->row_providers.count; i-- > 0;) {
    const int32_t *ends = cdni_state_storage(state, d->row_ends);
    if (ends[i] > (i ? ends[i - 1] : 0)) name = CDNI_AT(d->row_providers, row_provider, i).name;
  }
  return cdni_state_fail(
      state, CDN_ERR_UNSUPPORTED, false, function, name,
      "row provider '%s' has rows at present, which %s cannot handle: use a constraint of the System instead", name,
      function);
}

cdn_status cdni_dynamics_refuse_rows(cdn_state *state, const char *function) {
  const dynamics *d = cdni_dynamics(cdn_state_system(state));
  bool soft = false;
  if (d && d->soft) CDNI_TRY(cdni_soft_any(d->soft, state, &soft));
  if (soft)
    return cdni_state_fail(
        state, CDN_ERR_UNSUPPORTED, false, function, cdni_soft_first_name(d->soft),
        "soft rows of '%s' act at present, which %s cannot handle: use compliant contact and exact equalities instead",
        cdni_soft_first_name(d->soft), function);
  return cdni_dynamics_refuse_provided_rows(state, function);
}

cdn_status cdn_row_multipliers(cdn_state *state, cdn_row_set set, int *n, const double **lambda) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const dynamics *d = cdni_dynamics(cdn_state_system(state));
  if (!d || set.i < 0 || (size_t)set.i >= d->row_providers.count)
    return cdni_state_fail(state, CDN_ERR_ARG, false, "cdn_row_multipliers", NULL,
                           "there is no row provider %d in this System", (int)set.i);
  CDNI_TRY(cdni_state_ensure(state, CDN_ACCELERATION));
  provided_rows rows;
  CDNI_TRY(cdni_rows_evaluate(d, state, &rows));
  const int32_t *ends = cdni_state_storage(state, d->row_ends), first = set.i > 0 ? ends[set.i - 1] : 0;
  *n = ends[set.i] - first;
  *lambda = (const double *)cdni_state_storage(state, d->row_lambda) + first;
  return CDN_OK;
}
