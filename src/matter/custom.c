/* Mobilizers described by ops: copied when a body is added, called when poses and velocities are computed. Their
 * results go into records of plain numbers, so that the passes over the tree call no user functions. */
#include <cardan/mobilizers.h>

#include "matter/custom.h"

#include <stddef.h>

#include "math/lane_block.h"

#include <stdio.h>

#include "matter/checks.h"

void cdni_custom_free(const cdn_allocator *a, custom_mobilizer *x) {
  if (x->ops.destroy && x->self) x->ops.destroy(x->self);
  cdni_free(a, x->self, x->ops.self_size ? x->ops.self_size : 1);
  cdni_strfree(a, (char *)x->ops.name);
}

static const char *complaint(const cdn_custom_mobilizer_ops *ops, const void *self) {
  if (!ops) return "is custom, but has no ops";
  if (!ops->across) return "has ops without `across`";
  if (ops->nu < 1 || ops->nu > 6 || ops->nq < ops->nu || ops->nq > 7)
    return "must have 1 to 6 speeds and nu to 7 coordinates";
  if (ops->quaternion && ops->nq < 4) return "cannot have a quaternion in fewer than 4 coordinates";
  if (!ops->N != !ops->N_inv || !ops->N != !ops->Ndot_u) return "has some of N, N_inv and Ndot_u: bring all or none";
  if (!ops->N && ops->nq != ops->nu) return "has more coordinates than speeds, but no N, N_inv and Ndot_u";
  if (ops->self_size && !self) return "has ops with a private part, but none was given";
  return NULL;
}

cdn_status cdni_custom_add(cdn_system *system, matter *m, const cdn_body_def *def, const char *name, int32_t *index) {
  static const char function[] = "cdn_system_add_body";
  const cdn_allocator *a = cdni_system_allocator(system);
  bool of_functions = def->mobilizer == CDN_FUNCTION_BASED;
  cdn_custom_mobilizer_ops made;
  function_mobilizer made_self;
  char reason[320];
  if (of_functions) {
    cdn_status status = cdni_function_mobilizer_ops(def->functions, &made, &made_self, reason, sizeof reason);
    if (status != CDN_OK)
      return cdni_system_fail(system, status, function, name, "the mobilizer of body '%s' %s", name, reason);
  }
  const cdn_custom_mobilizer_ops *ops = of_functions ? &made : def->custom;
  if (!of_functions && ops) {
    const char *unreadable = CDNI_READ_OPS(cdn_custom_mobilizer_ops, &made, ops);
    if (unreadable)
      return cdni_system_fail(system, CDN_ERR_VERSION, function, name, "the mobilizer of body '%s': %s", name,
                              unreadable);
    ops = &made;
  }
  const void *self = of_functions ? &made_self : def->custom_self;
  const char *wrong = complaint(ops, self);
  if (wrong) return cdni_system_fail(system, CDN_ERR_ARG, function, name, "the mobilizer of body '%s' %s", name, wrong);

  custom_mobilizer x = { .ops = *ops, .body = (int32_t)m->bodies.count };
  x.ops.name = cdni_strdup(a, ops->name ? ops->name : "custom");
  x.self = cdni_calloc(a, ops->self_size ? ops->self_size : 1);
  bool there = x.ops.name && x.self && cdni_array_push(a, &m->customs, sizeof x, &x);
  if (!there) {
    x.ops.destroy = NULL; /* there is nothing to destroy yet */
    cdni_custom_free(a, &x);
    return cdni_system_fail(system, CDN_ERR_NOMEM, function, name, "out of memory");
  }
  if (ops->self_size) memcpy(x.self, self, ops->self_size);
  for (int i = 0; of_functions && i < 6; i++) cdn_function_retain(made_self.def.function[i]);
  *index = (int32_t)m->customs.count - 1;
  return CDN_OK;
}

/* ---- calls ---- */

static cdn_status failed(const matter *m, cdn_state *state, const custom_mobilizer *x, cdn_status status,
                         const char *what) {
  const char *name = CDNI_AT(m->bodies, matter_body, x->body).mobilizer_name;
  return cdni_state_fail(state, status, true, "cdn_realize", name,
                         status == CDN_ERR_NONFINITE ? "joint '%s' (%s): its %s is not finite"
                                                     : "joint '%s' (%s): its function for %s failed",
                         name, x->ops.name, what);
}

/* In lanes these are asked one State after another: for all of each record, or for the bias, which ends it. */
static cdn_status ask_lanes(const matter *m, cdn_state *state, bool bias, custom_across *out) {
  enum { NUMBERS = sizeof(custom_across) / sizeof(double), BIAS = offsetof(custom_across, bias) / sizeof(double) };
  for (int l = 0; l < m->lanes; l++) {
    cdn_state *one = cdni_lane_state(state, l);
    if (!one) continue;
    const matter *own = cdni_matter(cdn_state_system(one));
    cdn_status status = cdni_state_ensure(one, bias ? CDN_U_EFF : CDN_Q_EFF);
    const tree_data d = cdni_matter_data(own, one);
    custom_across *records = (custom_across *)d.custom;
    if (status == CDN_OK)
      status = bias ? cdni_custom_bias(own, one, d.q, d.u, records) : cdni_custom_across(own, one, d.q, records);
    const int first = bias ? BIAS : 0;
    for (int i = 0; i < m->tree.n_custom; i++)
      lane_put((double *)out + (i * NUMBERS + first) * m->lanes, m->lanes, l, (const double *)&records[i] + first,
               (size_t)(NUMBERS - first));
    if (status != CDN_OK) cdni_lane_fail(state, l);
  }
  return CDN_OK;
}

cdn_status cdni_custom_across(const matter *m, cdn_state *state, const double *q, custom_across *out) {
  if (m->lanes > 1) return ask_lanes(m, state, false, out);
  const double *params = cdn_state_parameters(state, m->params);
  for (size_t i = 0; i < m->customs.count; i++) {
    const custom_mobilizer *x = &CDNI_AT(m->customs, custom_mobilizer, i);
    cdn_transform X_FM = cdn_transform_identity();
    cdn_spatial H[6];
    memset(H, 0, sizeof H);
    cdn_status status =
        x->ops.across(x->self, params + CDN_MOBILIZER_PARAMS * x->body, q + m->tree.node[x->body].q, &X_FM, H);
    double packed[12];
    cdni_pack_transform(packed, X_FM);
    if (status == CDN_OK && (!cdni_all_finite(packed, 12, NULL) || !cdni_all_finite(&H[0].w.x, 36, NULL)))
      status = CDN_ERR_NONFINITE;
    if (status != CDN_OK) return failed(m, state, x, status, "X_FM or H");
    out[i].R = m3_load(packed);
    out[i].p = v3_load(packed + 9);
    for (int k = 0; k < x->ops.nu; k++) out[i].H[k] = (sv){ cdni_to_v3(H[k].w), cdni_to_v3(H[k].v) };
    out[i].bias = sv_zero();
  }
  return CDN_OK;
}

cdn_status cdni_custom_bias(const matter *m, cdn_state *state, const double *q, const double *u, custom_across *out) {
  if (m->lanes > 1) return ask_lanes(m, state, true, out);
  const double *params = cdn_state_parameters(state, m->params);
  for (size_t i = 0; i < m->customs.count; i++) {
    const custom_mobilizer *x = &CDNI_AT(m->customs, custom_mobilizer, i);
    const tree_node *n = &m->tree.node[x->body];
    cdn_spatial A = { { 0, 0, 0 }, { 0, 0, 0 } };
    if (!x->ops.Hdot_u) continue;
    cdn_status status = x->ops.Hdot_u(x->self, params + CDN_MOBILIZER_PARAMS * x->body, q + n->q, u + n->u, &A);
    if (status == CDN_OK && !cdni_all_finite(&A.w.x, 6, NULL)) status = CDN_ERR_NONFINITE;
    if (status != CDN_OK) return failed(m, state, x, status, "Hdot u");
    out[i].bias = (sv){ cdni_to_v3(A.w), cdni_to_v3(A.v) };
  }
  return CDN_OK;
}

bool cdni_custom_has_N(const matter *m, int32_t index) {
  return index >= 0 && CDNI_AT(m->customs, custom_mobilizer, index).ops.N != NULL;
}

bool cdni_custom_has_fit(const matter *m, int32_t index) {
  return CDNI_AT(m->customs, custom_mobilizer, index).ops.fit != NULL;
}
