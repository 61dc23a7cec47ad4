/* Equations that give way: points that coincide, welded bodies, coordinates that follow one another. */
#include <math.h>
#include <stdio.h>

#include "core/sized.h"
#include "soft/elements.h"

CDNI_DEF(soft_equality_def, .q_AB = { 1, 0, 0, 0 }, .torque_scale = 1, .polynomial = { 0, 1 },
         .law = { { 0.02, 1 }, { 0.9, 0.95, 0.001, 0.5, 2 } });

/* ---- connect and weld ---- */

enum { P_A, P_B = 3, CONNECT_LAW = 6, Q_AB = 6, TORQUE_SCALE = 10, WELD_LAW };
static const cdni_parameter connect_table[] = { CDNI_VECTOR("p_A", "m"), CDNI_VECTOR("p_B", "m"), SOFT_LAW_TABLE };
static const cdni_parameter weld_table[] = { CDNI_VECTOR("p_A", "m"), CDNI_VECTOR("p_B", "m"), CDNI_QUATERNION("q_AB"),
                                             CDNI_NOT_NEGATIVE("torque_scale", "m"), SOFT_LAW_TABLE };

static const char *check_connect(const double *p) {
  return cdni_soft_check_law(p + CONNECT_LAW, p + CONNECT_LAW + LAW_IMP);
}
static const char *check_weld(const double *p) {
  double square = 0;
  for (int i = 0; i < 4; i++) square += p[Q_AB + i] * p[Q_AB + i];
  return square > 0 ? cdni_soft_check_law(p + WELD_LAW, p + WELD_LAW + LAW_IMP) : "its quaternion q_AB is zero";
}

/* The rows p_A - p_B along Ground's axes. */
static void add_points(const soft_element_view *v, soft_group *g, double x[6], double rate[6]) {
  const int a = v->e->body[0], b = v->e->body[1];
  const body_pose *pose = v->d.pose;
  v3 r[2], p[2], V[2], centripetal[2];
  for (int s = 0; s < 2; s++) {
    const int body = v->e->body[s];
    const double *station = v->params + (s ? P_B : P_A);
    const sv twist = v->d.twist[body].V;
    r[s] = cdni_to_v3(
        cdni_matter_station(v->m, v->state, pose, (cdn_body){ body }, cdn_v3(station[0], station[1], station[2])));
    p[s] = v3_add(pose[body].p_GM, r[s]);
    V[s] = sv_shift_motion(twist, r[s]).v;
    centripetal[s] = v3_cross(twist.w, v3_cross(twist.w, r[s]));
  }
  const v3 gap = v3_sub(p[0], p[1]), speed = v3_sub(V[0], V[1]), bias = v3_sub(centripetal[0], centripetal[1]);
  g->rates = v->rates;
  g->place = SOFT_PAIR, g->body[0] = b, g->body[1] = a, g->point = p[0], g->arm = v3_sub(p[1], p[0]);
  for (int k = 0; k < 3; k++) {
    g->B[k] = (sv){ v3_zero(), { k == 0, k == 1, k == 2 } };
    x[k] = v3_dot(g->B[k].v, gap), rate[k] = v3_dot(g->B[k].v, speed);
    if (v->rates) g->ref[k] = -v3_dot(g->B[k].v, bias);
  }
}

static cdn_rotation orientation(const soft_element_view *v, int side) {
  const int body = v->e->body[side];
  const double *X_BM = cdni_matter_X_BM(v->m, v->state, (cdn_body){ body });
  return cdni_body_transform(X_BM, &v->d.pose[body]).R;
}

/* The vector part of e = q_B^-1 q_A q_AB, half of a small angle, in b's axes, and its rows on the angular velocity of a
 * relative to b. With w that velocity in b's axes, edot = w e / 2. MuJoCo 2.2.2 scales the rows, and not the
 * violation that they ask for. */
static void add_turn(const soft_element_view *v, soft_group *g, double x[6], double rate[6]) {
  const double *q = v->params + Q_AB, scale = v->params[TORQUE_SCALE];
  const cdn_rotation R_AB = cdn_rotation_from_quaternion((cdn_quaternion){ q[0], q[1], q[2], q[3] });
  const cdn_rotation R = orientation(v, 1), R_A = cdn_rotation_multiply(orientation(v, 0), R_AB);
  const cdn_quaternion e = cdn_quaternion_from_rotation(cdn_rotation_multiply(cdn_rotation_transpose(R), R_A));
  const v3 axes[3] = { cdni_to_v3(R.x), cdni_to_v3(R.y), cdni_to_v3(R.z) }, part = { e.x, e.y, e.z };
  const v3 w_A = v->d.twist[v->e->body[0]].V.w, w_B = v->d.twist[v->e->body[1]].V.w, w = v3_sub(w_A, w_B);
  const double violation[3] = { e.x, e.y, e.z };
  for (int k = 0; k < 3; k++) {
    /* row k of (e0 w + w x e) / 2: e0 b_k + e x b_k, where b_k is b's axis; e is turned to Ground's axes */
    const v3 e_G = v3_fma(part.x, axes[0], v3_fma(part.y, axes[1], v3_scale(part.z, axes[2])));
    const v3 row = v3_scale(0.5 * scale, v3_fma(e.w, axes[k], v3_cross(e_G, axes[k])));
    g->B[3 + k] = (sv){ row, v3_zero() };
    x[3 + k] = (v->rates ? scale : 1) * violation[k], rate[3 + k] = v3_dot(row, w);
    /* b's axes turn, and e changes */
    if (v->rates) g->ref[3 + k] = v3_dot(row, v3_cross(w_B, w)) + 0.25 * scale * violation[k] * v3_dot(w, w);
  }
}

static cdn_status add_pair(const soft_element_view *v, int rows) {
  const int a = v->e->body[0], b = v->e->body[1];
  soft_group g = cdni_soft_element_group(v, SOFT_EQUALITY, rows);
  double x[6], rate[6], size = 0, bias[6];
  add_points(v, &g, x, rate);
  if (rows == 6) add_turn(v, &g, x, rate);
  /* of angles that are not scaled in the violation, 2.2.2 scales what the impedance follows */
  const double scale = rows == 6 && !v->rates ? v->params[TORQUE_SCALE] : 1;
  for (int k = 0; k < rows; k++) size += x[k] * x[k] * (k > 2 ? scale * scale : 1);
  const soft_response response = cdni_soft_response(&v->law, sqrt(size), v->safe);
  for (int k = 0; k < rows; k++) {
    /* MuJoCo 2.2.2 takes the weights of translations for rotations, too */
    const int turns = k > 2 && v->rates;
    bias[k] = g.ref[k];
    cdni_soft_element_row(&g, k, &response, v->weights.body[a][turns] + v->weights.body[b][turns], x[k], rate[k]);
    g.ref[k] += bias[k];
  }
  return v->add(v->to, &g);
}

static cdn_status add_connect(const soft_element_view *v) { return add_pair(v, 3); }
static cdn_status add_weld(const soft_element_view *v) { return add_pair(v, 6); }

const soft_element_kind cdni_soft_element_connect = { .name = "connect",
                                                      .n_params = CDNI_COUNT(connect_table),
                                                      .params = connect_table,
                                                      .check = check_connect,
                                                      .add_groups = add_connect };
const soft_element_kind cdni_soft_element_weld = {
  .name = "weld", .n_params = CDNI_COUNT(weld_table), .params = weld_table, .check = check_weld, .add_groups = add_weld
};

/* ---- coordinates ---- */

enum { POLYNOMIAL, Y0 = 5, X0, COUPLE_LAW };
static const cdni_parameter couple_table[] = { CDNI_ANY("polynomial[0]", "m|rad"),
                                               CDNI_ANY("polynomial[1]", NULL),
                                               CDNI_ANY("polynomial[2]", NULL),
                                               CDNI_ANY("polynomial[3]", NULL),
                                               CDNI_ANY("polynomial[4]", NULL),
                                               CDNI_ANY("y0", "m|rad"),
                                               CDNI_ANY("x0", NULL),
                                               SOFT_LAW_TABLE };

/* polynomial[k] has the unit of y over that of x to the k-th. */
static void unit_of_couple(const soft_element_room *room, const soft_element *e, int k, char *text, size_t size) {
  const matter *m = room->matter;
  const char of_y = cdni_mobility_dimension(m, e->u[0]),
             of_x = e->u[1] < 0 ? of_y : cdni_mobility_dimension(m, e->u[1]);
  const char *y = of_y == 'A' ? "rad" : "m", *x = of_x == 'A' ? "rad" : "m";
  if (couple_table[k].unit || !of_y || !of_x) return;
  if (k == X0) snprintf(text, size, "%s", x);
  else if (of_x == of_y && k == 1) snprintf(text, size, "1");
  else if (of_x == of_y && k == 2) snprintf(text, size, "1/%s", x);
  else if (of_x == of_y) snprintf(text, size, "1/%s^%d", x, k - 1);
  else if (k == 1) snprintf(text, size, "%s/%s", y, x);
  else snprintf(text, size, "%s/%s^%d", y, x, k);
}

static const char *check_couple(const double *p) {
  return cdni_soft_check_law(p + COUPLE_LAW, p + COUPLE_LAW + LAW_IMP);
}

static cdn_status add_couple(const soft_element_view *v) {
  const soft_element *e = v->e;
  const bool pair = e->u[1] >= 0;
  const double x = pair ? v->d.q[e->q[1]] - v->params[X0] : 0;
  double p[3] = { 0 }; /* the polynomial and its derivatives over k! */
  for (int i = pair ? 4 : 0; i >= 0; i--) {
    p[2] = p[2] * x + p[1];
    p[1] = p[1] * x + p[0];
    p[0] = p[0] * x + v->params[POLYNOMIAL + i];
  }
  soft_group g = cdni_soft_element_group(v, SOFT_EQUALITY, 1);
  const double violation = v->d.q[e->q[0]] - v->params[Y0] - p[0], u_x = pair ? v->d.u[e->u[1]] : 0;
  const soft_response a = cdni_soft_response(&v->law, violation, v->safe);
  const double weight = v->weights.mobility[e->u[0]] + (pair ? v->weights.mobility[e->u[1]] : 0);
  cdni_soft_element_row(&g, 0, &a, weight, violation, v->d.u[e->u[0]] - p[1] * u_x);
  if (v->rates) g.ref[0] += 2 * p[2] * u_x * u_x;
  if (pair && e->body[0] != e->body[1]) {
    g.place = SOFT_TERMS, g.terms = 2;
    for (int k = 0; k < 2; k++) g.term[k] = (soft_term){ e->body[k], e->u[k], k ? -p[1] : 1 };
  } else {
    const tree_node *node = &v->m->tree.node[e->body[0]];
    g.place = SOFT_JOINT, g.body[1] = e->body[0];
    if (pair) g.g[0][e->u[1] - node->u] -= p[1];
    g.g[0][e->u[0] - node->u] += 1;
  }
  return v->add(v->to, &g);
}

const soft_element_kind cdni_soft_element_couple = { .name = "couple",
                                                     .n_params = CDNI_COUNT(couple_table),
                                                     .params = couple_table,
                                                     .unit_of = unit_of_couple,
                                                     .check = check_couple,
                                                     .add_groups = add_couple };

/* ---- adding ---- */

static void put(double *to, cdn_vec3 v) { to[0] = v.x, to[1] = v.y, to[2] = v.z; }

cdn_soft_element cdn_system_add_soft_equality(cdn_system *system, const cdn_soft_equality_def *given) {
  static const soft_element_kind_id kinds[] = { SOFT_ELEMENT_CONNECT, SOFT_ELEMENT_WELD, SOFT_ELEMENT_COUPLE };
  CDNI_NEED_OBJECT(system, (cdn_soft_element){ -1 });
  cdn_soft_equality_def d;
  soft_adder a;
  double p[SOFT_MOST_PARAMS];
  const char *unreadable = read_soft_equality_def(&d, given);
  const bool known = (unsigned)d.kind <= CDN_SOFT_COUPLE;
  cdni_soft_element_begin(&a, system, kinds[known ? d.kind : 0], "cdn_system_add_soft_equality", d.name, unreadable);
  if (!known) cdni_adder_refuse(&a.by, CDN_ERR_ARG, "its kind is none of cdn_soft_equality_kind");
  if (d.kind == CDN_SOFT_COUPLE) {
    cdni_soft_element_add_coordinate(&a, 0, d.y.body, d.y.k);
    if (d.x.body.i != 0) cdni_soft_element_add_coordinate(&a, 1, d.x.body, d.x.k);
    if (d.x.body.i == d.y.body.i && d.x.k == d.y.k)
      cdni_adder_refuse(&a.by, CDN_ERR_ARG, "x and y are the same coordinate");
    memcpy(p + POLYNOMIAL, d.polynomial, sizeof d.polynomial);
    p[Y0] = d.y0, p[X0] = d.x0;
    return cdni_soft_element_add(&a, p, &d.law, d.disabled);
  }
  cdni_soft_element_add_body(&a, 0, d.a);
  cdni_soft_element_add_body(&a, 1, d.b);
  if (d.a.i == d.b.i) cdni_adder_refuse(&a.by, CDN_ERR_ARG, "its bodies a and b are the same one");
  put(p + P_A, d.p_A);
  put(p + P_B, d.p_B);
  if (d.kind == CDN_SOFT_WELD) {
    p[Q_AB] = d.q_AB.w, p[Q_AB + 1] = d.q_AB.x, p[Q_AB + 2] = d.q_AB.y, p[Q_AB + 3] = d.q_AB.z;
    p[TORQUE_SCALE] = d.torque_scale;
  }
  return cdni_soft_element_add(&a, p, &d.law, d.disabled);
}
