/* Dry friction in joints. */
#include "core/sized.h"
#include "matter/kinds.h"
#include "soft/elements.h"

CDNI_DEF(friction_loss_def, .mobility = -1, .law = { { 0.02, 1 }, { 0.9, 0.95, 0.001, 0.5, 2 } });

enum { LOSS, LAW };
static const cdni_parameter table[] = { CDNI_NOT_NEGATIVE("loss", "N|N m"), SOFT_LAW_TABLE };

static const char *check(const double *p) { return cdni_soft_check_law(p + LAW, p + LAW + LAW_IMP); }

/* Row k: mobility k, or of a ball the rotation about axis k of M; returns whether it is that. */
static bool set_row(bool ball, const cdn_rotation *R, int k, double *g) {
  if (!ball || k >= 3) {
    g[k] = 1;
    return false;
  }
  const cdn_vec3 axis = (&R->x)[k];
  g[0] = axis.x, g[1] = axis.y, g[2] = axis.z;
  return true;
}

static cdn_status add_groups(const soft_element_view *v) {
  const tree_node *node = &v->m->tree.node[v->e->body[0]];
  const soft_response a = cdni_soft_response(&v->law, 0, v->safe);
  const bool ball = cdni_kind_of(node)->ball;
  if (!(v->params[LOSS] > 0)) return CDN_OK;
  const cdn_rotation R = ball ? cdni_soft_rotation(node, v->d.q + node->q) : cdn_rotation_identity();
  for (int k = 0; k < node->nu; k++) {
    if (v->e->u[0] >= 0 && v->e->u[0] != node->u + k) continue;
    soft_group g = cdni_soft_element_group(v, SOFT_FRICTION_LOSS, 1);
    double rate = 0;
    g.s.loss = v->params[LOSS];
    g.place = SOFT_JOINT, g.body[1] = v->e->body[0];
    const bool turns = set_row(ball, &R, k, g.g[0]);
    for (int i = 0; i < node->nu; i++) rate += g.g[0][i] * v->d.u[node->u + i];
    cdni_soft_element_row(&g, 0, &a, v->weights.mobility[node->u + k], 0, rate);
    if (!turns) cdni_soft_element_know(&g, &a, false);
    CDNI_TRY(v->add(v->to, &g));
  }
  return CDN_OK;
}

const soft_element_kind cdni_soft_element_loss = {
  .name = "friction loss", .n_params = CDNI_COUNT(table), .params = table, .check = check, .add_groups = add_groups
};

cdn_soft_element cdn_system_add_friction_loss(cdn_system *system, const cdn_friction_loss_def *given) {
  CDNI_NEED_OBJECT(system, (cdn_soft_element){ -1 });
  cdn_friction_loss_def d;
  soft_adder a;
  double p[SOFT_MOST_PARAMS];
  const char *unreadable = read_friction_loss_def(&d, given);
  cdni_soft_element_begin(&a, system, SOFT_ELEMENT_LOSS, "cdn_system_add_friction_loss", d.name, unreadable);
  cdni_soft_element_add_body(&a, 0, d.body);
  if (a.by.ok) {
    const int nu = cdn_body_nu(system, d.body);
    if (d.mobility < -1 || d.mobility >= nu || nu == 0)
      cdni_adder_refuse(&a.by, CDN_ERR_ARG, "joint '%s' has %d mobilities: there is no number %d",
                        cdn_body_mobilizer_name(system, d.body), nu, d.mobility);
    else if (d.mobility >= 0) a.element.u[0] = CDNI_AT(cdni_matter(system)->nodes, tree_node, d.body.i).u + d.mobility;
  }
  p[LOSS] = d.loss;
  return cdni_soft_element_add(&a, p, &d.law, d.disabled);
}
