/* Tendons whose length is a sum of coordinates: limits of the length, and its dry friction. */
#include <math.h>
#include <stdio.h>

#include "core/sized.h"
#include "soft/elements.h"

CDNI_DEF(soft_tendon_def, .lower = -INFINITY, .upper = INFINITY, .law = { { 0.02, 1 }, { 0.9, 0.95, 0.001, 0.5, 2 } });

#define COEFFICIENT(k) CDNI_ANY("coefficient[" #k "]", NULL)
/* clang-format off */
#define COEFFICIENTS                                                                                                   \
  COEFFICIENT(0), COEFFICIENT(1), COEFFICIENT(2), COEFFICIENT(3), COEFFICIENT(4), COEFFICIENT(5), COEFFICIENT(6),       \
  COEFFICIENT(7), COEFFICIENT(8), COEFFICIENT(9), COEFFICIENT(10), COEFFICIENT(11), COEFFICIENT(12), COEFFICIENT(13),   \
  COEFFICIENT(14), COEFFICIENT(15)
/* clang-format on */
_Static_assert(CDN_SOFT_MOST_TERMS == 16, "a parameter for each joint");

enum { OWN = CDN_SOFT_MOST_TERMS, LOWER = OWN, UPPER, MARGIN, LIMIT_LAW, LOSS = OWN, LOSS_LAW };
static const cdni_parameter limit_table[] = { COEFFICIENTS, CDNI_BOUND("lower", "m"), CDNI_BOUND("upper", "m"),
                                              CDNI_NOT_NEGATIVE("margin", "m"), SOFT_LAW_TABLE };
static const cdni_parameter loss_table[] = { COEFFICIENTS, CDNI_NOT_NEGATIVE("loss", "N"), SOFT_LAW_TABLE };

static const char *check_limit(const double *p) {
  return p[LOWER] <= p[UPPER] ? cdni_soft_check_law(p + LIMIT_LAW, p + LIMIT_LAW + LAW_IMP)
                              : "its lower bound is above the upper";
}
static const char *check_loss(const double *p) { return cdni_soft_check_law(p + LOSS_LAW, p + LOSS_LAW + LAW_IMP); }

/* Of a coefficient: metres over the unit of the coordinate. */
static void unit_of(const soft_element_room *room, const soft_element *e, int k, char *text, size_t size) {
  const bool turns = k < e->terms && cdni_mobility_dimension(
                                         room->matter, CDNI_AT(room->terms, tendon_term, e->first_term + k).u) == 'A';
  if (k < CDN_SOFT_MOST_TERMS) snprintf(text, size, "%s", turns ? "m/rad" : "1");
}

/* A group of one row on the length, or on its opposite. */
static soft_group group_on(const soft_element_view *v, soft_kind kind, double sign) {
  soft_group g = cdni_soft_element_group(v, kind, 1);
  const tendon_term *t = v->terms;
  if (v->e->terms == 1) {
    g.place = SOFT_JOINT, g.body[1] = t->body;
    g.g[0][t->u - v->m->tree.node[t->body].u] = sign * v->params[0];
    return g;
  }
  g.place = SOFT_TERMS, g.terms = v->e->terms;
  for (int i = 0; i < g.terms; i++) g.term[i] = (soft_term){ t[i].body, t[i].u, sign * v->params[i] };
  return g;
}

/* The sum of coefficients times numbers of slots. */
static double along(const soft_element_view *v, const double *x, bool coordinates) {
  double sum = 0;
  for (int i = 0; i < v->e->terms; i++) sum += v->params[i] * x[coordinates ? v->terms[i].q : v->terms[i].u];
  return sum;
}

static cdn_status add_limit(const soft_element_view *v) {
  const double *p = v->params, length = along(v, v->d.q, true), rate = along(v, v->d.u, false);
  for (int side = LOWER; side <= UPPER; side++) {
    const double sign = side == LOWER ? 1 : -1, distance = sign * (length - p[side]), x = distance - p[MARGIN];
    if (!(x < 0) || !(v->tendon_weight > 0)) continue;
    soft_group g = group_on(v, SOFT_LIMIT, sign);
    const soft_response a = cdni_soft_response(&v->law, x, v->safe);
    cdni_soft_element_row(&g, 0, &a, v->tendon_weight, x, sign * rate);
    cdni_soft_set_in(&g, -x, v->onset);
    CDNI_TRY(v->add(v->to, &g));
  }
  return CDN_OK;
}

static cdn_status add_loss(const soft_element_view *v) {
  if (!(v->params[LOSS] > 0) || !(v->tendon_weight > 0)) return CDN_OK;
  soft_group g = group_on(v, SOFT_FRICTION_LOSS, 1);
  const soft_response a = cdni_soft_response(&v->law, 0, v->safe);
  g.s.loss = v->params[LOSS];
  cdni_soft_element_row(&g, 0, &a, v->tendon_weight, 0, along(v, v->d.u, false));
  return v->add(v->to, &g);
}

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

cdn_soft_element cdn_system_add_soft_tendon(cdn_system *system, const cdn_soft_tendon_def *given) {
  static const soft_element_kind_id kinds[] = { SOFT_ELEMENT_TENDON_LIMIT, SOFT_ELEMENT_TENDON_LOSS };
  CDNI_NEED_OBJECT(system, (cdn_soft_element){ -1 });
  cdn_soft_tendon_def d;
  soft_adder a;
  double p[SOFT_MOST_PARAMS] = { 0 };
  const char *unreadable = read_soft_tendon_def(&d, given);
  const bool known = (unsigned)d.kind <= CDN_TENDON_LOSS;
  cdni_soft_element_begin(&a, system, kinds[known ? d.kind : 0], "cdn_system_add_soft_tendon", d.name, unreadable);
  if (!known) cdni_adder_refuse(&a.by, CDN_ERR_ARG, "its kind is none of cdn_soft_tendon_kind");
  if (d.joints < 1 || d.joints > CDN_SOFT_MOST_TERMS)
    cdni_adder_refuse(&a.by, CDN_ERR_ARG, "it has %d joints: from 1 to %d are possible", d.joints, CDN_SOFT_MOST_TERMS);
  for (int i = 0; i < d.joints && a.by.ok; i++) {
    cdni_soft_element_add_term(&a, d.joint[i].body, d.joint[i].k);
    p[i] = d.coefficient[i];
  }
  if (d.kind == CDN_TENDON_LOSS) p[LOSS] = d.loss;
  else p[LOWER] = d.lower, p[UPPER] = d.upper, p[MARGIN] = d.margin;
  return cdni_soft_element_add(&a, p, &d.law, d.disabled);
}
