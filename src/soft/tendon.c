/* Tendons: limits of the length, and its dry friction; of paths also equality and inertia. The length is a sum of
 * coordinates that the element has itself, or that of a path. */
#include <math.h>
#include <stdio.h>

#include "core/sized.h"
#include "soft/elements.h"

CDNI_DEF(soft_tendon_def, .lower = -INFINITY, .upper = INFINITY, .law = { { 0.02, 1 }, { 0.9, 0.95, 0.001, 0.5, 2 } },
         .path = { -1 }, .x = { -1 }, .polynomial = { 0, 1 });

#define COEFFICIENT(k) CDNI_ANY("coefficient[" #k "]", NULL)
/* clang-format off */
#define COEFFICIENTS                                                                                                   \
  COEFFICIENT(0), COEFFICIENT(1), COEFFICIENT(2), COEFFICIENT(3), COEFFICIENT(4), COEFFICIENT(5), COEFFICIENT(6),       \
  COEFFICIENT(7), COEFFICIENT(8), COEFFICIENT(9), COEFFICIENT(10), COEFFICIENT(11), COEFFICIENT(12), COEFFICIENT(13),   \
  COEFFICIENT(14), COEFFICIENT(15)
/* clang-format on */
_Static_assert(CDN_SOFT_MOST_TERMS == 16, "a parameter for each joint");

/* Numbers of a kind; those of a sum of coordinates are behind its coefficients. */
enum { LOWER, UPPER, MARGIN, LIMIT_LAW, LOSS = 0, LOSS_LAW };
#define LIMIT_NUMBERS \
  CDNI_BOUND("lower", "m"), CDNI_BOUND("upper", "m"), CDNI_NOT_NEGATIVE("margin", "m"), SOFT_LAW_TABLE
#define LOSS_NUMBERS CDNI_NOT_NEGATIVE("loss", "N"), SOFT_LAW_TABLE
static const cdni_parameter limit_table[] = { COEFFICIENTS, LIMIT_NUMBERS }, path_limit_table[] = { LIMIT_NUMBERS };
static const cdni_parameter loss_table[] = { COEFFICIENTS, LOSS_NUMBERS }, path_loss_table[] = { LOSS_NUMBERS };

static const char *check_path_limit(const double *p) {
  return p[LOWER] <= p[UPPER] ? cdni_soft_check_law(p + LIMIT_LAW, p + LIMIT_LAW + LAW_IMP)
                              : "its lower bound is above the upper";
}
static const char *check_path_loss(const double *p) {
  return cdni_soft_check_law(p + LOSS_LAW, p + LOSS_LAW + LAW_IMP);
}
static const char *check_limit(const double *p) { return check_path_limit(p + CDN_SOFT_MOST_TERMS); }
static const char *check_loss(const double *p) { return check_path_loss(p + CDN_SOFT_MOST_TERMS); }

/* Of a coefficient: metres over the unit of the coordinate. */
static void unit_of(const soft_element_room *room, const soft_element *e, int k, char *text, size_t size) {
  const bool turns = k < e->terms && cdni_mobility_dimension(
                                         room->matter, CDNI_AT(room->terms, tendon_term, e->first_term + k).u) == 'A';
  if (k < CDN_SOFT_MOST_TERMS) snprintf(text, size, "%s", turns ? "m/rad" : "1");
}

/* ---- lengths and rows ---- */

/* The sum of coefficients times numbers of slots. */
static double along(const soft_element_view *v, const double *x, bool coordinates) {
  double sum = 0;
  for (int i = 0; i < v->e->terms; i++) sum += v->params[i] * x[coordinates ? v->terms[i].q : v->terms[i].u];
  return sum;
}

/* The length of an element's tendon, or of its second one, and its rate. */
typedef struct tendon_length {
  path_view path;
  double length, rate;
} tendon_length;

static cdn_status look(const soft_element_view *v, int which, tendon_length *t) {
  if (v->e->path[0] < 0) {
    t->length = along(v, v->d.q, true), t->rate = along(v, v->d.u, false);
    return CDN_OK;
  }
  const cdn_path path = { v->e->path[which] };
  CDNI_TRY(cdni_path_view(v->paths, v->state, path, &t->path));
  t->length = t->path.length;
  return cdni_path_rate(v->paths, v->state, path, &t->rate);
}

/* A group of one row that has nothing yet. */
static soft_group start(const soft_element_view *v, soft_kind kind) {
  soft_group g = cdni_soft_element_group(v, kind, 1);
  g.place = SOFT_TERMS;
  return g;
}

/* Adds `scale` times the tendon to the row. What the row needs beside J times accelerations comes to *bias. */
static void add_path(const soft_element_view *v, const tendon_length *t, double scale, path_rows *rows, soft_group *g,
                     double *bias) {
  const path_view *path = &t->path;
  (void)cdni_path_add_rows(path, v->d.pose, scale, rows); /* freezing has looked whether they fit */
  for (int i = 0; i < path->n_coordinates; i++) {
    const path_coordinate *c = &path->coordinates[i];
    g->term[g->terms++] = (soft_term){ c->body, c->u, scale * path->coefficient[i * PATH_NUMBERS] };
  }
  if (v->rates && path->n_gaps > 0) *bias += scale * cdni_path_bias(path, v->d.pose, v->d.twist);
}

/* The rows of bodies come behind the terms of mobilities. */
static void add_bodies(const soft_element_view *v, const path_rows *rows, soft_group *g, double bias) {
  if (rows->n == 0) return;
  for (int i = 0; i < rows->n; i++) {
    g->mixed[g->terms++] = (soft_term){ rows->body[i], SOFT_TERM_BODY - i, 0 };
    g->row[i] = rows->row[i];
  }
  g->rates = v->rates;
  g->ref[0] -= bias;
}

/* The row on `sign` times the length. */
static void place(const soft_element_view *v, const tendon_length *t, double sign, soft_group *g) {
  if (v->e->path[0] >= 0) {
    path_rows rows = { .n = 0 };
    double bias = 0;
    add_path(v, t, sign, &rows, g, &bias);
    add_bodies(v, &rows, g, bias);
    return;
  }
  const tendon_term *term = v->terms;
  if (v->e->terms == 1) {
    g->place = SOFT_JOINT, g->body[1] = term->body;
    g->g[0][term->u - v->m->tree.node[term->body].u] = sign * v->params[0];
    return;
  }
  g->terms = v->e->terms;
  for (int i = 0; i < g->terms; i++) g->term[i] = (soft_term){ term[i].body, term[i].u, sign * v->params[i] };
}

/* Whether it is a sum of coordinates alone. */
static bool is_sum(const soft_element_view *v, const tendon_length *t) {
  return v->e->path[0] < 0 || t->path.n_gaps == 0;
}

static cdn_status add_limit_of(const soft_element_view *v, const double *p) {
  tendon_length t;
  CDNI_TRY(look(v, 0, &t));
  for (int side = LOWER; side <= UPPER; side++) {
    const double sign = side == LOWER ? 1 : -1, distance = sign * (t.length - p[side]), x = distance - p[MARGIN];
    if (!(x < 0) || !(*v->tendon_weight > 0)) continue;
    soft_group g = start(v, SOFT_LIMIT);
    const soft_response a = cdni_soft_response(&v->law, x, v->safe);
    cdni_soft_element_row(&g, 0, &a, *v->tendon_weight, x, sign * t.rate);
    if (is_sum(v, &t)) cdni_soft_element_know(&g, &a, true);
    cdni_soft_set_in(&g, -x, v->onset);
    place(v, &t, sign, &g);
    if (g.place != SOFT_TERMS || g.terms > 0) CDNI_TRY(v->add(v->to, &g));
  }
  return CDN_OK;
}

static cdn_status add_loss_of(const soft_element_view *v, const double *p) {
  tendon_length t;
  if (!(p[LOSS] > 0) || !(*v->tendon_weight > 0)) return CDN_OK;
  CDNI_TRY(look(v, 0, &t));
  soft_group g = start(v, SOFT_FRICTION_LOSS);
  const soft_response a = cdni_soft_response(&v->law, 0, v->safe);
  g.s.loss = p[LOSS];
  cdni_soft_element_row(&g, 0, &a, *v->tendon_weight, 0, t.rate);
  if (is_sum(v, &t)) cdni_soft_element_know(&g, &a, false);
  place(v, &t, 1, &g);
  return g.place != SOFT_TERMS || g.terms > 0 ? v->add(v->to, &g) : CDN_OK;
}

static cdn_status add_limit(const soft_element_view *v) { return add_limit_of(v, v->params + CDN_SOFT_MOST_TERMS); }
static cdn_status add_path_limit(const soft_element_view *v) { return add_limit_of(v, v->params); }
static cdn_status add_loss(const soft_element_view *v) { return add_loss_of(v, v->params + CDN_SOFT_MOST_TERMS); }
static cdn_status add_path_loss(const soft_element_view *v) { return add_loss_of(v, v->params); }

const soft_element_kind cdni_soft_element_tendon_limit = { .name = "tendon limit",
                                                           .n_params = CDNI_COUNT(limit_table),
                                                           .params = limit_table,
                                                           .unit_of = unit_of,
                                                           .check = check_limit,
                                                           .add_groups = add_limit };
const soft_element_kind cdni_soft_element_tendon_loss = { .name = "tendon friction loss",
                                                          .n_params = CDNI_COUNT(loss_table),
                                                          .params = loss_table,
                                                          .unit_of = unit_of,
                                                          .check = check_loss,
                                                          .add_groups = add_loss };
const soft_element_kind cdni_soft_element_path_limit = { .name = "path limit",
                                                         .n_params = CDNI_COUNT(path_limit_table),
                                                         .params = path_limit_table,
                                                         .check = check_path_limit,
                                                         .add_groups = add_path_limit };
const soft_element_kind cdni_soft_element_path_loss = { .name = "path friction loss",
                                                        .n_params = CDNI_COUNT(path_loss_table),
                                                        .params = path_loss_table,
                                                        .check = check_path_loss,
                                                        .add_groups = add_path_loss };

/* ---- an equality of two lengths ---- */

enum { POLYNOMIAL, Y0 = 5, X0, COUPLE_LAW };
static const cdni_parameter couple_table[] = { CDNI_ANY("polynomial[0]", "m"),
                                               CDNI_ANY("polynomial[1]", "1"),
                                               CDNI_ANY("polynomial[2]", "1/m"),
                                               CDNI_ANY("polynomial[3]", "1/m^2"),
                                               CDNI_ANY("polynomial[4]", "1/m^3"),
                                               CDNI_ANY("y0", "m"),
                                               CDNI_ANY("x0", "m"),
                                               SOFT_LAW_TABLE };

static const char *check_couple(const double *p) {
  return cdni_soft_check_law(p + COUPLE_LAW, p + COUPLE_LAW + LAW_IMP);
}

static cdn_status add_couple(const soft_element_view *v) {
  const double *c = v->params;
  const bool pair = v->e->path[1] >= 0;
  tendon_length y, x = { .length = c[X0], .rate = 0 };
  path_rows rows = { .n = 0 };
  double bias = 0, p[3] = { 0 }; /* the polynomial and its derivatives over k! */
  CDNI_TRY(look(v, 0, &y));
  if (pair) CDNI_TRY(look(v, 1, &x));
  for (int i = pair ? 4 : 0; i >= 0; i--) {
    p[2] = p[2] * (x.length - c[X0]) + p[1];
    p[1] = p[1] * (x.length - c[X0]) + p[0];
    p[0] = p[0] * (x.length - c[X0]) + c[POLYNOMIAL + i];
  }
  const double violation = y.length - c[Y0] - p[0], weight = v->tendon_weight[0] + (pair ? v->tendon_weight[1] : 0);
  soft_group g = start(v, SOFT_EQUALITY);
  if (!(weight > 0)) return CDN_OK;
  const soft_response a = cdni_soft_response(&v->law, violation, v->safe);
  cdni_soft_element_row(&g, 0, &a, weight, violation, y.rate - p[1] * x.rate);
  add_path(v, &y, 1, &rows, &g, &bias);
  if (pair) add_path(v, &x, -p[1], &rows, &g, &bias);
  add_bodies(v, &rows, &g, bias);
  if (v->rates) g.ref[0] += 2 * p[2] * x.rate * x.rate;
  return g.terms > 0 ? v->add(v->to, &g) : CDN_OK;
}

const soft_element_kind cdni_soft_element_path_couple = { .name = "path couple",
                                                          .n_params = CDNI_COUNT(couple_table),
                                                          .params = couple_table,
                                                          .check = check_couple,
                                                          .add_groups = add_couple };

/* ---- inertia along a path ---- */

/* The mass a of what moves with the length L has the force -a d2L/dt2 along the path: that of a row that wants rest
 * with D = a. It is no law that gives way, and what it needs of one is whether it is on. */
enum { MASS, INERTIA_LAW };
static const cdni_parameter inertia_table[] = { CDNI_NOT_NEGATIVE("mass", "kg"), SOFT_LAW_TABLE };

static const char *check_inertia(const double *p) {
  return cdni_soft_check_law(p + INERTIA_LAW, p + INERTIA_LAW + LAW_IMP);
}

static cdn_status add_inertia(const soft_element_view *of) {
  soft_element_view v = *of;
  tendon_length t;
  if (!(v.params[MASS] > 0)) return CDN_OK;
  v.rates = true;
  CDNI_TRY(look(&v, 0, &t));
  soft_group g = start(&v, SOFT_EQUALITY);
  g.s.D[0] = v.params[MASS];
  place(&v, &t, 1, &g);
  return g.terms > 0 ? v.add(v.to, &g) : CDN_OK;
}

const soft_element_kind cdni_soft_element_path_inertia = { .name = "path inertia",
                                                           .n_params = CDNI_COUNT(inertia_table),
                                                           .params = inertia_table,
                                                           .check = check_inertia,
                                                           .add_groups = add_inertia };

/* ---- adding ---- */

/* Of a path. */
static void fill_numbers(const cdn_soft_tendon_def *d, double *p) {
  switch (d->kind) {
    case CDN_TENDON_LIMIT: p[LOWER] = d->lower, p[UPPER] = d->upper, p[MARGIN] = d->margin; break;
    case CDN_TENDON_LOSS: p[LOSS] = d->loss; break;
    case CDN_TENDON_COUPLE:
      memcpy(p + POLYNOMIAL, d->polynomial, sizeof d->polynomial);
      p[Y0] = d->y0, p[X0] = d->x0;
      break;
    case CDN_TENDON_INERTIA: p[MASS] = d->mass; break;
  }
}

static void add_joints(soft_adder *a, const cdn_soft_tendon_def *d, double *p) {
  if (d->kind > CDN_TENDON_LOSS)
    cdni_adder_refuse(&a->by, CDN_ERR_ARG, "it is on joints, and needs a path: see cdn_path_add_coordinate");
  if (d->joints < 1 || d->joints > CDN_SOFT_MOST_TERMS)
    cdni_adder_refuse(&a->by, CDN_ERR_ARG, "it has %d joints: from 1 to %d are possible, or a path", d->joints,
                      CDN_SOFT_MOST_TERMS);
  for (int i = 0; i < d->joints && a->by.ok; i++) {
    cdni_soft_element_add_term(a, d->joint[i].body, d->joint[i].k);
    p[i] = d->coefficient[i];
  }
}

cdn_soft_element cdn_system_add_soft_tendon(cdn_system *system, const cdn_soft_tendon_def *given) {
  static const soft_element_kind_id kinds[] = { SOFT_ELEMENT_TENDON_LIMIT, SOFT_ELEMENT_TENDON_LOSS };
  static const soft_element_kind_id of_paths[] = { SOFT_ELEMENT_PATH_LIMIT, SOFT_ELEMENT_PATH_LOSS,
                                                   SOFT_ELEMENT_PATH_COUPLE, SOFT_ELEMENT_PATH_INERTIA };
  CDNI_NEED_OBJECT(system, (cdn_soft_element){ -1 });
  cdn_soft_tendon_def d;
  soft_adder a;
  double p[SOFT_MOST_PARAMS] = { 0 };
  const char *unreadable = read_soft_tendon_def(&d, given);
  const bool known = (unsigned)d.kind <= CDN_TENDON_INERTIA, joints = d.path.i < 0;
  const soft_element_kind_id kind = !known   ? SOFT_ELEMENT_PATH_LIMIT
                                    : joints ? kinds[d.kind <= CDN_TENDON_LOSS ? d.kind : 0]
                                             : of_paths[d.kind];
  cdni_soft_element_begin(&a, system, kind, "cdn_system_add_soft_tendon", d.name, unreadable);
  if (!known) cdni_adder_refuse(&a.by, CDN_ERR_ARG, "its kind is none of cdn_soft_tendon_kind");
  if (!joints && d.joints != 0) cdni_adder_refuse(&a.by, CDN_ERR_ARG, "it has both a path and joints: leave out one");
  if (joints) add_joints(&a, &d, p);
  else {
    cdni_soft_element_add_path(&a, 0, d.path);
    if (d.kind == CDN_TENDON_COUPLE && d.x.i >= 0) cdni_soft_element_add_path(&a, 1, d.x);
    if (d.kind == CDN_TENDON_COUPLE && d.x.i == d.path.i)
      cdni_adder_refuse(&a.by, CDN_ERR_ARG, "it couples a path with itself");
  }
  if (known) fill_numbers(&d, joints ? p + CDN_SOFT_MOST_TERMS : p);
  return cdni_soft_element_add(&a, p, &d.law, d.disabled);
}
