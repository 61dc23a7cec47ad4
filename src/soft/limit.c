/* Soft limits of coordinates and of the angles of balls. */
#include <math.h>

#include "core/sized.h"
#include "matter/kinds.h"
#include "soft/elements.h"

CDNI_DEF(soft_limit_def, .lower = -INFINITY, .upper = INFINITY, .law = { { 0.02, 1 }, { 0.9, 0.95, 0.001, 0.5, 2 } });

enum { LOWER, UPPER, MARGIN, LAW };
static const cdni_parameter table[] = { CDNI_BOUND("lower", "m|rad"), CDNI_BOUND("upper", "m|rad"),
                                        CDNI_NOT_NEGATIVE("margin", "m|rad"), SOFT_LAW_TABLE };
enum { BALL_UPPER, BALL_MARGIN, BALL_LAW };
static const cdni_parameter ball_table[] = { CDNI_NOT_NEGATIVE("upper", "rad"), CDNI_NOT_NEGATIVE("margin", "rad"),
                                             SOFT_LAW_TABLE };

static const char *check(const double *p) {
  return p[LOWER] <= p[UPPER] ? cdni_soft_check_law(p + LAW, p + LAW + LAW_IMP) : "its lower bound is above the upper";
}
static const char *check_ball(const double *p) { return cdni_soft_check_law(p + BALL_LAW, p + BALL_LAW + LAW_IMP); }

/* Lower bound first, as in MuJoCo. */
static cdn_status add_groups(const soft_element_view *v) {
  const double *p = v->params, q = v->d.q[v->e->q[0]], u = v->d.u[v->e->u[0]];
  const tree_node *node = &v->m->tree.node[v->e->body[0]];
  for (int side = LOWER; side <= UPPER; side++) {
    const double sign = side == LOWER ? 1 : -1, distance = sign * (q - p[side]);
    if (!(distance < p[MARGIN])) continue;
    soft_group g = cdni_soft_element_group(v, SOFT_LIMIT, 1);
    const double x = distance - p[MARGIN];
    const soft_response a = cdni_soft_response(&v->law, x, v->safe);
    cdni_soft_element_row(&g, 0, &a, v->weights.mobility[v->e->u[0]], x, sign * u);
    cdni_soft_element_know(&g, &a, true);
    cdni_soft_set_in(&g, -x, v->onset);
    g.place = SOFT_JOINT, g.body[1] = v->e->body[0];
    g.g[0][v->e->u[0] - node->u] = sign;
    CDNI_TRY(v->add(v->to, &g));
  }
  return CDN_OK;
}

/* The axis n of the rotation, in F and in M, and the angle from 0 to pi. The row is on n . wdot, as in MuJoCo: how n
 * turns does not count. */
static cdn_status add_ball_groups(const soft_element_view *v) {
  const tree_node *node = &v->m->tree.node[v->e->body[0]];
  const double *p = v->params, *u = v->d.u + node->u;
  const cdn_quaternion q = cdni_soft_quaternion(node, v->d.q + node->q);
  const v3 vector = { q.x, q.y, q.z }, e = q.w < 0 ? v3_neg(vector) : vector, w = v3_load(u);
  const double sine = v3_norm(e), angle = 2 * atan2(sine, fabs(q.w));
  const v3 n = sine > 0 ? v3_scale(1 / sine, e) : (v3){ 1, 0, 0 };
  const double distance = p[BALL_UPPER] - angle, x = distance - p[BALL_MARGIN];
  if (!(x < 0)) return CDN_OK;
  soft_group g = cdni_soft_element_group(v, SOFT_LIMIT, 1);
  const soft_response a = cdni_soft_response(&v->law, x, v->safe);
  cdni_soft_element_row(&g, 0, &a, v->weights.mobility[node->u], x, -v3_dot(n, w));
  cdni_soft_set_in(&g, -x, v->onset);
  g.place = SOFT_JOINT, g.body[1] = v->e->body[0];
  g.g[0][0] = -n.x, g.g[0][1] = -n.y, g.g[0][2] = -n.z;
  return v->add(v->to, &g);
}

const soft_element_kind cdni_soft_element_limit = {
  .name = "limit", .n_params = CDNI_COUNT(table), .params = table, .check = check, .add_groups = add_groups
};
const soft_element_kind cdni_soft_element_ball_limit = { .name = "ball limit",
                                                         .n_params = CDNI_COUNT(ball_table),
                                                         .params = ball_table,
                                                         .check = check_ball,
                                                         .add_groups = add_ball_groups };

static bool is_ball(const cdn_system *system, cdn_body body) {
  return body.i > 0 && body.i < cdn_system_body_count(system) && cdn_body_nu(system, body) == 3 &&
         cdni_body_kind(cdni_matter(system), body.i)->ball;
}

cdn_soft_element cdn_system_add_soft_limit(cdn_system *system, const cdn_soft_limit_def *given) {
  CDNI_NEED_OBJECT(system, (cdn_soft_element){ -1 });
  cdn_soft_limit_def d;
  soft_adder a;
  const char *unreadable = read_soft_limit_def(&d, given);
  const bool ball = !unreadable && is_ball(system, d.body);
  double p[SOFT_MOST_PARAMS];
  cdni_soft_element_begin(&a, system, ball ? SOFT_ELEMENT_BALL_LIMIT : SOFT_ELEMENT_LIMIT, "cdn_system_add_soft_limit",
                          d.name, unreadable);
  if (ball) {
    cdni_soft_element_add_body(&a, 0, d.body);
    p[BALL_UPPER] = d.upper, p[BALL_MARGIN] = d.margin;
    if (isinf(d.upper)) cdni_adder_refuse(&a.by, CDN_ERR_ARG, "it is on a ball: give the largest angle as `upper`");
  } else {
    cdni_soft_element_add_coordinate(&a, 0, d.body, d.coordinate);
    p[LOWER] = d.lower, p[UPPER] = d.upper, p[MARGIN] = d.margin;
  }
  return cdni_soft_element_add(&a, p, &d.law, d.disabled);
}
