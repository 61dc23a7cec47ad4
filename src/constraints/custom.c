/* Custom constraints: they work like built-in kinds; their functions see only the bodies and mobilities that they
 * name. */
#include <math.h>
#include <stdio.h>

#include "constraints/kinds/equations.h"

typedef struct custom {
  cdn_constraint_ops ops; /* name: in our block, after `self` */
  size_t name_at;         /* where the name starts */
} custom;

enum { SELF_AT = (sizeof(custom) + 15) / 16 * 16 };

static const void *self_of(const void *data) { return (const char *)data + SELF_AT; }
static const char *name_of(const constraint_element *c) {
  return (const char *)c->data + ((const custom *)c->data)->name_at;
}

/* ---- arguments of the callbacks ---- */

typedef struct seen {
  cdn_constraint_input in;
  cdn_transform X_GB[CONSTRAINT_MOST_BODIES];
  cdn_spatial V_GB[CONSTRAINT_MOST_BODIES];
  double q[CONSTRAINT_MOST_MOBILITIES], u[CONSTRAINT_MOST_MOBILITIES];
} seen;

static const double *X_BM(const constraint_view *v, int b) { return v->frames + (size_t)24 * (size_t)v->body[b] + 12; }

static void look(const constraint_view *v, bool velocities, seen *s) {
  const constraint_element *c = v->c;
  s->in = (cdn_constraint_input){ .t = c->rheonomic ? v->t : 0,
                                  .params = v->params,
                                  .n_bodies = c->n_bodies,
                                  .X_GB = s->X_GB,
                                  .V_GB = velocities ? s->V_GB : NULL,
                                  .n_mobilities = c->n_mobilities,
                                  .q = s->q,
                                  .u = velocities ? s->u : NULL };
  for (int b = 0; b < c->n_bodies; b++) {
    const int body = v->body[b];
    s->X_GB[b] = cdni_body_transform(X_BM(v, b), &v->pose[body]);
    if (velocities) s->V_GB[b] = cdni_body_spatial_velocity(X_BM(v, b), &v->pose[body], &v->twist[body]);
  }
  for (int i = 0; i < c->n_mobilities; i++) {
    s->q[i] = v->mobility[i].q < 0 ? (double)NAN : v->q[v->mobility[i].q];
    if (velocities) s->u[i] = v->u[v->mobility[i].u];
  }
}

static cdn_status pass_on(const constraint_view *v, const char *function, cdn_status status) {
  if (status == CDN_OK) return CDN_OK;
  return cdni_state_fail(v->state, status, status == CDN_ERR_NONFINITE, "cdn_realize", v->c->name,
                         "%s of custom constraint '%s' failed: %s", function, v->c->name, cdn_status_text(status));
}

/* ---- rows ---- */

struct cdn_rows {
  const constraint_view *v;
  cdn_status mistake;
  int equation, mobility;
  cdn_body body;
};

static void note(cdn_rows *rows, cdn_status mistake, int equation, cdn_body body, int mobility) {
  if (rows->mistake != CDN_OK) return;
  rows->mistake = mistake;
  rows->equation = equation, rows->body = body, rows->mobility = mobility;
}

static bool finite3(cdn_vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }

/* The row of an equation on a body, or NULL. */
static sv *row_of(cdn_rows *rows, int equation, cdn_body body, bool finite) {
  const constraint_element *c = rows->v->c;
  int b = 0;
  while (b < c->n_bodies && rows->v->body[b] != body.i) b++;
  if (equation < 0 || equation >= c->m || b == c->n_bodies) note(rows, CDN_ERR_ARG, equation, body, -1);
  else if (!finite) note(rows, CDN_ERR_NONFINITE, equation, body, -1);
  else return &rows->v->J[equation * c->n_bodies + b];
  return NULL;
}

void cdn_rows_add_point(cdn_rows *rows, int equation, cdn_body body, cdn_vec3 p_B, cdn_vec3 f_G) {
  CDNI_NEED_OBJECT_OR_NOTHING(rows);
  const constraint_view *v = rows->v;
  sv *J = row_of(rows, equation, body, finite3(p_B) && finite3(f_G));
  if (!J) return;
  const v3 f = cdni_to_v3(f_G);
  const v3 arm = cdni_to_v3(cdni_matter_station(v->room->matter, v->state, v->pose, body, p_B));
  *J = (sv){ v3_cross_add(arm, f, J->w), v3_add(J->v, f) };
}

void cdn_rows_add_torque(cdn_rows *rows, int equation, cdn_body body, cdn_vec3 m_G) {
  CDNI_NEED_OBJECT_OR_NOTHING(rows);
  sv *J = row_of(rows, equation, body, finite3(m_G));
  if (J) J->w = v3_add(J->w, cdni_to_v3(m_G));
}

void cdn_rows_add_mobility(cdn_rows *rows, int equation, cdn_body body, int k, double coefficient) {
  CDNI_NEED_OBJECT_OR_NOTHING(rows);
  const constraint_view *v = rows->v;
  const tree *t = &v->room->matter->tree;
  int i = 0;
  while (i < v->c->n_mobilities && (v->mobility[i].body != body.i || v->mobility[i].u - t->node[body.i].u != k)) i++;
  if (equation < 0 || equation >= v->c->m || i == v->c->n_mobilities) note(rows, CDN_ERR_ARG, equation, body, k);
  else if (!isfinite(coefficient)) note(rows, CDN_ERR_NONFINITE, equation, body, k);
  else v->g[equation * v->c->n_mobilities + i] += coefficient;
}

static cdn_status tell_mistake(const cdn_rows *rows) {
  const constraint_view *v = rows->v;
  const char *name = v->c->name;
  if (rows->equation < 0 || rows->equation >= v->c->m)
    return cdni_state_fail(v->state, CDN_ERR_ARG, false, "cdn_realize", name,
                           "custom constraint '%s' added to row %d of %d", name, rows->equation, (int)v->c->m);
  char to[64];
  if (rows->mobility < 0) snprintf(to, sizeof to, "body %d", (int)rows->body.i);
  else snprintf(to, sizeof to, "mobility %d of body %d", rows->mobility, (int)rows->body.i);
  if (rows->mistake == CDN_ERR_NONFINITE)
    return cdni_state_fail(v->state, CDN_ERR_NONFINITE, true, "cdn_realize", name,
                           "custom constraint '%s' added a NaN or an infinity to row %d on %s", name, rows->equation,
                           to);
  return cdni_state_fail(v->state, CDN_ERR_ARG, false, "cdn_realize", name,
                         "custom constraint '%s' added to row %d on %s, which its def does not list", name,
                         rows->equation, to);
}

/* Rows that act only between the listed bodies have no net force: the elimination stops at their common ancestor,
 * and would lose a net force. If the ancestor is Ground nothing would be lost; but a constraint must not begin to
 * fail when its bodies stand on another body. */
static cdn_status check_balance(const constraint_view *v) {
  const constraint_element *c = v->c;
  if (c->absolute) return CDN_OK;
  for (int k = 0; k < c->m; k++) {
    sv sum = sv_zero();
    double force = 0, moment = 0;
    for (int b = 0; b < c->n_bodies; b++) {
      const sv J = v->J[k * c->n_bodies + b];
      const v3 p = v->pose[v->body[b]].p_GM;
      sum = sv_add(sum, sv_shift_force(J, p));
      force += v3_norm(J.v), moment += v3_norm(J.w) + v3_norm(p) * v3_norm(J.v);
    }
    if (v3_norm(sum.v) <= 1e-9 * force && v3_norm(sum.w) <= 1e-9 * moment) continue;
    return cdni_state_fail(
        v->state, CDN_ERR_ARG, false, "cdn_realize", c->name,
        "row %d of custom constraint '%s' has a net force (%.3g) or moment (%.3g) on the bodies that it "
        "lists: act on them equally and oppositely, or set ops.absolute",
        k, c->name, v3_norm(sum.v), v3_norm(sum.w));
  }
  return CDN_OK;
}

/* ---- the kind ---- */

static cdn_status calc_position(const constraint_view *v, double *e) {
  const custom *self = v->data;
  seen s;
  look(v, false, &s);
  return pass_on(v, "calc_position", self->ops.calc_position(self_of(self), &s.in, e));
}

static cdn_status calc_rows(const constraint_view *v) {
  const custom *self = v->data;
  cdn_rows rows = { .v = v };
  seen s;
  look(v, v->c->nonlinear, &s);
  CDNI_TRY(pass_on(v, "calc_rows", self->ops.calc_rows(self_of(self), &s.in, &rows)));
  return rows.mistake == CDN_OK ? check_balance(v) : tell_mistake(&rows);
}

static cdn_status finish_velocity(const constraint_view *v, double *e) {
  const custom *self = v->data;
  if (!self->ops.calc_velocity) return CDN_OK;
  seen s;
  look(v, true, &s);
  return pass_on(v, "calc_velocity", self->ops.calc_velocity(self_of(self), &s.in, e));
}

/* Callbacks count from accelerations of the bodies' origins, the room from those of M: the difference is w x (w x
 * r). */
static cdn_status add_bias(const constraint_view *v, double *bias) {
  static const double origin[3] = { 0, 0, 0 };
  const custom *self = v->data;
  const constraint_element *c = v->c;
  if (self->ops.calc_bias) {
    double own[CONSTRAINT_MOST_EQUATIONS] = { 0 };
    seen s;
    look(v, true, &s);
    CDNI_TRY(pass_on(v, "calc_bias", self->ops.calc_bias(self_of(self), &s.in, own)));
    for (int k = 0; k < c->m; k++) bias[k] += own[k];
  }
  for (int b = 0; b < c->n_bodies; b++) {
    const v3 w = v->twist[v->body[b]].V.w, r = constraint_arm(v, b, origin), a = v3_cross(w, v3_cross(w, r));
    for (int k = 0; k < c->m; k++) bias[k] += v3_dot(v->J[k * c->n_bodies + b].v, a);
  }
  return CDN_OK;
}

static void destroy(void *data) {
  const custom *self = data;
  if (self->ops.destroy) self->ops.destroy((char *)data + SELF_AT);
}

const constraint_kind cdni_constraint_custom = {
  .name = "custom",
  .name_of = name_of,
  .calc_position = calc_position,
  .calc_rows = calc_rows,
  .finish_velocity = finish_velocity,
  .add_bias = add_bias,
  .destroy = destroy,
};

/* ---- adding ---- */

CDNI_DEF(custom_constraint_def, .name = NULL);

static void check(constraint_adder *a, const cdn_custom_constraint_def *def) {
  const cdn_constraint_ops *ops = def->ops;
  if (ops->np < 0 || ops->nv < 0 || ops->na < 0 || ops->np > CONSTRAINT_MOST_EQUATIONS ||
      ops->nv > CONSTRAINT_MOST_EQUATIONS || ops->na > CONSTRAINT_MOST_EQUATIONS || ops->np + ops->nv + ops->na < 1 ||
      ops->np + ops->nv + ops->na > CONSTRAINT_MOST_EQUATIONS)
    cdni_adder_refuse(&a->by, CDN_ERR_ARG, "it has %d + %d + %d equations; it may have 1 to %d", ops->np, ops->nv,
                      ops->na, CONSTRAINT_MOST_EQUATIONS);
  else if (!ops->calc_rows || (ops->np > 0 && !ops->calc_position))
    cdni_adder_refuse(&a->by, CDN_ERR_ARG, "its ops have no %s", ops->calc_rows ? "calc_position" : "calc_rows");
  else if ((ops->nonlinear || ops->rheonomic) && ops->np + ops->nv > 0 && !ops->calc_velocity)
    cdni_adder_refuse(
        &a->by, CDN_ERR_ARG,
        "its ops have no calc_velocity, which a constraint that is nonlinear or depends on time must have");
  if (ops->self_size > 0 && !def->self) cdni_adder_refuse(&a->by, CDN_ERR_ARG, "self is NULL, but self_size is not 0");
  if (def->n_bodies < 0 || (def->n_bodies > 0 && !def->bodies) || def->n_mobilities < 0 ||
      (def->n_mobilities > 0 && !def->mobilities) || def->n_params < 0 || (def->n_params > 0 && !def->params))
    cdni_adder_refuse(&a->by, CDN_ERR_ARG, "a list of its bodies, mobilities or parameters is missing");
  else if (def->n_bodies + def->n_mobilities == 0)
    cdni_adder_refuse(&a->by, CDN_ERR_ARG, "it lists neither bodies nor mobilities");
}

cdn_constraint cdn_system_constrain_custom(cdn_system *system, const cdn_custom_constraint_def *def) {
  constraint_adder adder;
  cdn_custom_constraint_def known;
  cdn_constraint_ops known_ops;
  const char *unreadable = read_custom_constraint_def(&known, def);
  if (!unreadable) unreadable = CDNI_READ_OPS(cdn_constraint_ops, &known_ops, known.ops);
  def = &known;
  known.ops = &known_ops;
  cdni_constraint_begin(&adder, system, CONSTRAINT_CUSTOM, __func__, def->name, 0, 0, 0);
  if (unreadable) cdni_adder_refuse(&adder.by, CDN_ERR_VERSION, "%s", unreadable);
  if (adder.by.ok) check(&adder, def);
  if (!adder.by.ok) return (cdn_constraint){ -1 };

  const cdn_constraint_ops *ops = def->ops;
  constraint_element *e = &adder.element;
  e->np = ops->np, e->nv = ops->nv, e->na = ops->na, e->m = ops->np + ops->nv + ops->na;
  e->n_params = def->n_params;
  e->absolute = ops->absolute, e->rheonomic = ops->rheonomic, e->nonlinear = ops->nonlinear;
  for (int i = 0; i < def->n_bodies && adder.by.ok; i++) cdni_constraint_add_body(&adder, def->bodies[i]);
  for (int i = 0; i < def->n_mobilities && adder.by.ok; i++)
    cdni_constraint_add_mobility(&adder, def->mobilities[i].body, def->mobilities[i].k);

  /* One block: the ops, self, and the name of the kind. */
  const cdn_allocator *memory = cdni_system_allocator(system);
  const char *name = ops->name ? ops->name : cdni_constraint_custom.name;
  const size_t size = SELF_AT + ops->self_size + strlen(name) + 1;
  char *block = adder.by.ok ? cdni_calloc(memory, size) : NULL;
  if (!block) {
    cdni_adder_refuse(&adder.by, CDN_ERR_NOMEM, "out of memory");
    return (cdn_constraint){ -1 };
  }
  *(custom *)block = (custom){ .ops = *ops, .name_at = SELF_AT + ops->self_size };
  ((custom *)block)->ops.name = NULL;
  if (ops->self_size) memcpy(block + SELF_AT, def->self, ops->self_size);
  memcpy(block + SELF_AT + ops->self_size, name, strlen(name) + 1);
  const cdn_constraint id = cdni_constraint_add(&adder, block, size, def->params);
  cdni_free(memory, block, size);
  return id;
}

cdn_status cdn_custom_constraint_set(cdn_state *state, cdn_constraint constraint, const double *params) {
  return cdni_constraint_set(state, constraint, CONSTRAINT_CUSTOM, "cdn_custom_constraint_set", params);
}
