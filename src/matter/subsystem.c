/* Matter as a subsystem: its variables, its cache entries and how each is computed.
 *
 *   frames, mass -> frame constants, mass constants          (Instance)
 *   q_eff, frame constants -> pose, H                         (Position)
 *   pose, mass constants -> inertia in Ground -> articulated inertias, G, D^-1   (when asked for)
 *   u_eff, pose -> twist                                      (Velocity)
 *
 * Accelerations are not computed here: the entry of CDN_ACCELERATION, which a room above declares, leaves udot in
 * the pool. */
#include "matter/subsystem.h"

#include <stdio.h>

#include "matter/checks.h"
#include "matter/custom.h"
#include "matter/mobilizers/mobilizers.h"
#include "matter/motion.h"
#include "system/vectors.h"

enum { POSE = CDNI_TICKET_WELL_KNOWN, TWIST, ACCELERATION, MOTION_FORCES };
const cdn_ticket CDN_POSE = { POSE }, CDN_TWIST = { TWIST }, CDN_ACCELERATION = { ACCELERATION },
                 CDN_MOTION_FORCES = { MOTION_FORCES };

static const matter *of(const void *self) { return *(const matter *const *)self; }

cdn_status cdni_matter_planned(cdn_system *system, void *room) {
  matter *m = room;
  cdni_runs runs = cdni_subsystem_runs(system, m->subsystem);
  m->lanes = cdni_system_lanes(system);
  m->kernels = cdni_tree_kernels[cdni_kernel_set(m->lanes)];
  const size_t spatial = (size_t)(m->tree.n * m->lanes) * sizeof(sv);
  m->at.frames = cdni_entry_offset(system, m->frame_constants);
  m->at.mass = cdni_entry_offset(system, m->mass_constants);
  m->at.q = cdni_entry_offset(system, (cdn_cache){ 0, CDN_Q_EFF }) + (size_t)runs.q * sizeof(double);
  m->at.u = cdni_entry_offset(system, (cdn_cache){ 0, CDN_U_EFF }) + (size_t)runs.u * sizeof(double);
  m->at.udot = cdni_pool_offset(system, CDN_POOL_U, true) + (size_t)runs.u * sizeof(double);
  m->at.pose = cdni_entry_offset(system, m->pose);
  m->at.H = cdni_entry_offset(system, m->H);
  m->at.custom = cdni_entry_offset(system, m->custom);
  m->at.inertia = cdni_entry_offset(system, m->inertia);
  m->at.twist = cdni_entry_offset(system, m->twist);
  m->at.articulated = cdni_entry_offset(system, m->articulated);
  m->at.G = cdni_entry_offset(system, m->G);
  m->at.D_inv = cdni_entry_offset(system, m->D_inv);
  m->at.applied_f = cdni_variable_offset(system, m->applied_f);
  m->at.applied_F = cdni_variable_offset(system, m->applied_F);
  m->at.driver_q = cdni_variable_offset(system, m->driver_q);
  m->at.driver_u = cdni_variable_offset(system, m->driver_u);
  m->at.driver_udot = cdni_variable_offset(system, m->driver_udot);
  /* The acceleration entry: accelerations, then the scratch of the pass that makes them. */
  m->at.A = cdni_entry_offset(system, (cdn_cache){ 0, CDN_ACCELERATION });
  m->at.z = m->at.A + spatial;
  m->at.eps = m->at.z + spatial;
  return CDN_OK;
}

/* ---- Instance ---- */

/* The mobilizer's parameters in the form that the kernels use. */
static void decode_params(const tree_node *n, const double *params, double *kind) {
  memset(kind, 0, sizeof((body_frames *)0)->kind);
  memcpy(kind, params, CDN_MOBILIZER_PARAMS * sizeof *kind);
  if (cdni_kind_of(n)->decode) cdni_kind_of(n)->decode(params, kind);
}

static cdn_status calc_frame_constants(const void *self, cdn_state *state, void *out) {
  const matter *m = of(self);
  body_frames *c = out;
  const double *frames = cdn_state_parameters(state, m->frames), *params = cdn_state_parameters(state, m->params);
  for (int i = 1; i < m->tree.n; i++) {
    decode_params(&m->tree.node[i], params + CDN_MOBILIZER_PARAMS * i, c[i].kind);
    cdn_transform X_PF = cdni_unpack_transform(frames + FRAME_PARAMETERS * i);
    cdn_transform X_BM_parent = cdni_unpack_transform(frames + FRAME_PARAMETERS * m->tree.node[i].parent + 12);
    double packed[12];
    cdni_pack_transform(packed, cdn_transform_multiply(cdn_transform_invert(X_BM_parent), X_PF));
    memcpy(c[i].R_PF, packed, sizeof c[i].R_PF);
    memcpy(c[i].p_PF, packed + 9, sizeof c[i].p_PF);
  }
  return CDN_OK;
}

static cdn_status calc_mass_constants(const void *self, cdn_state *state, void *out) {
  const matter *m = of(self);
  body_mass *c = out;
  const double *frames = cdn_state_parameters(state, m->frames), *mass = cdn_state_parameters(state, m->mass);
  const double *armature = cdn_state_parameters(state, m->armature);
  for (int i = 1; i < m->tree.n; i++) {
    cdn_transform X_MB = cdn_transform_invert(cdni_unpack_transform(frames + FRAME_PARAMETERS * i + 12));
    cdn_mass_properties p = cdn_mass_properties_transform(X_MB, cdni_unpack_mass(mass + MASS_PARAMETERS * i));
    cdn_inertia I = cdn_inertia_shift(p.inertia, p.mass, p.com);
    c[i] = (body_mass){ .I = { I.xx, I.yy, I.zz, I.xy, I.xz, I.yz },
                        .mc = { p.mass * p.com.x, p.mass * p.com.y, p.mass * p.com.z },
                        .m = p.mass,
                        .armature = armature[i],
                        .massless = p.mass == 0 && I.xx == 0 && I.yy == 0 && I.zz == 0 };
  }
  return CDN_OK;
}

/* ---- Position and Velocity ---- */

/* The only coordinates without a configuration are quaternions of length zero. */
static cdn_status check_quaternion(const matter *m, cdn_state *state, int i, const double *q) {
  const int lanes = m->lanes;
  for (int l = 0; l < lanes; l++) {
    if (q[l] != 0 || q[lanes + l] != 0 || q[2 * lanes + l] != 0 || q[3 * lanes + l] != 0) continue;
    const char *name = CDNI_AT(m->bodies, matter_body, i).mobilizer_name;
    if (lanes == 1)
      return cdni_state_fail(state, CDN_ERR_ARG, true, "cdn_realize", name,
                             "the quaternion of joint '%s' is zero; (1,0,0,0) is the identity", name);
    cdni_lane_fail(state, l);
  }
  return CDN_OK;
}

static cdn_status calc_pose(const void *self, cdn_state *state, void *out) {
  const matter *m = of(self);
  (void)out;
  CDNI_TRY(cdni_state_ensure(state, m->frame_constants.ticket));
  CDNI_TRY(cdni_state_ensure(state, CDN_Q_EFF));
  tree_data d = cdni_matter_data(m, state);
  for (int i = 1; i < m->tree.n && m->tree.n_quaternions > 0; i++) {
    const tree_node *n = &m->tree.node[i];
    if (n->quaternion) CDNI_TRY(check_quaternion(m, state, i, d.q + n->q * m->lanes));
  }
  if (m->tree.n_custom) CDNI_TRY(cdni_custom_across(m, state, d.q, (custom_across *)d.custom));
  m->kernels->position(&m->tree, &d);
  return CDN_OK;
}

static cdn_status calc_inertia(const void *self, cdn_state *state, void *out) {
  const matter *m = of(self);
  (void)out;
  CDNI_TRY(cdni_state_ensure(state, m->mass_constants.ticket));
  CDNI_TRY(cdni_state_ensure(state, m->pose.ticket));
  tree_data d = cdni_matter_data(m, state);
  m->kernels->inertia(&m->tree, &d);
  return CDN_OK;
}

static cdn_status calc_twist(const void *self, cdn_state *state, void *out) {
  const matter *m = of(self);
  (void)out;
  CDNI_TRY(cdni_state_ensure(state, m->pose.ticket));
  CDNI_TRY(cdni_state_ensure(state, CDN_U_EFF));
  tree_data d = cdni_matter_data(m, state);
  if (m->tree.n_custom) CDNI_TRY(cdni_custom_bias(m, state, d.q, d.u, (custom_across *)d.custom));
  m->kernels->velocity(&m->tree, &d);
  return CDN_OK;
}

/* ---- articulated inertias ---- */

cdn_status cdni_matter_singular(const matter *m, cdn_state *state, int body, const char *function) {
  const matter_body *b = &CDNI_AT(m->bodies, matter_body, body);
  cdni_state_fail(
      state, CDN_ERR_SINGULAR, true, function, b->mobilizer_name,
      "joint '%s' (of body '%s') has no inertia to work against in this configuration: the bodies beyond it are massless along it, or "
      "joints in line cancel each other. Give the body mass or the joint armature, or weld it",
      b->mobilizer_name, b->name);
  return CDN_ERR_SINGULAR;
}

static cdn_status calc_articulated(const void *self, cdn_state *state, void *out) {
  const matter *m = of(self);
  (void)out;
  CDNI_TRY(cdni_state_ensure(state, m->inertia.ticket));
  tree_data d = cdni_matter_data(m, state);
  CDNI_LANE_FINDINGS(singular);
  m->kernels->articulate(&m->tree, &d, singular);
  const int64_t body = cdni_lanes_fail(state, singular);
  return body < 0 ? CDN_OK : cdni_matter_singular(m, state, (int)body, "cdn_eval");
}

size_t cdni_matter_acceleration_size(const matter *m) {
  return 2 * (size_t)m->tree.n * sizeof(sv) + (size_t)m->tree.nu * sizeof(real);
}

/* The entry that computes accelerations writes udot into the pool. */
static cdn_status calc_udot(const void *self, cdn_state *state, double *udot) {
  (void)udot;
  (void)self;
  return cdni_state_ensure(state, CDN_ACCELERATION);
}

/* ---- names ---- */

/* "knee.q", "hip.wx". */
static void slot_name(const void *self, cdn_pool pool, int i, char *text, size_t size) {
  static const struct {
    const char *q[7], *u[6];
  } names[] = {
#define SLOT_NAMES(ROW, name, KIND, NQ, NU, FORM, QUATERNION, BIAS, Q, ...) [ROW_##ROW] = { Q, __VA_ARGS__ },
    MOBILIZER_LIST(SLOT_NAMES)
  };
  const matter *m = of(self);
  bool is_q = pool == CDN_POOL_Q;
  for (size_t b = 1; b < m->nodes.count; b++) {
    const tree_node *n = &CDNI_AT(m->nodes, tree_node, b);
    int k = i - (is_q ? n->q : n->u), count = is_q ? n->nq : n->nu, row = n->variant / 2;
    if (k < 0 || k >= count) continue;
    const char *joint = CDNI_AT(m->bodies, matter_body, b).mobilizer_name;
    if (row == ROW_CUSTOM) snprintf(text, size, "%s.%c%d", joint, is_q ? 'q' : 'u', k);
    else snprintf(text, size, "%s.%s", joint, is_q ? names[row].q[k] : names[row].u[k]);
    return;
  }
}

/* ---- declaring ---- */

static void name_mobility_force(const cdn_system *system, int element, int k, char *name, size_t size) {
  (void)element;
  char slot[200];
  cdn_system_slot_name(system, CDN_POOL_U, cdni_subsystem_runs(system, cdni_matter(system)->subsystem).u + k, slot,
                       sizeof slot);
  snprintf(name, size, "f of %s", slot);
}
static void name_body_force(const cdn_system *system, int element, int k, char *name, size_t size) {
  (void)element;
  snprintf(name, size, "%s.%s.%c", cdn_body_name(system, (cdn_body){ k / 6 }), k % 6 < 3 ? "torque" : "force",
           "xyz"[k % 3]);
}

static cdn_status declare(void *self, cdn_declarer *d) {
  matter *m = *(matter **)self;
  const tree *t = &m->tree;
  size_t n = (size_t)t->n, real_size = sizeof(real);
  cdn_declare_qu(d, t->nq, m->q0.data, t->nu, m->u0.data);
  m->frames = cdn_declare_parameters(d, "frames", FRAME_PARAMETERS * t->n, m->frames0.data);
  m->mass = cdn_declare_parameters(d, "mass", MASS_PARAMETERS * t->n, m->mass0.data);
  m->armature = cdn_declare_parameters(d, "armature", t->n, m->armature0.data);
  m->params = cdn_declare_parameters(d, "mobilizer_params", CDN_MOBILIZER_PARAMS * t->n, m->params0.data);
  m->applied_f = cdn_declare_discrete(d, "applied_f", (size_t)(1 + t->nu) * sizeof(double), NULL, CDN_STAGE_FORCE);
  m->applied_F = cdn_declare_discrete(d, "applied_F", (1 + 6 * n) * sizeof(double), NULL, CDN_STAGE_FORCE);
  cdni_declare_vector_run(d, &(vector_run){ .part = CDN_VECTOR_APPLIED,
                                            .variable = m->applied_f,
                                            .numbers = VECTOR_FLAGGED,
                                            .n = t->nu,
                                            .name = name_mobility_force });
  cdni_declare_vector_run(d, &(vector_run){ .part = CDN_VECTOR_APPLIED,
                                            .variable = m->applied_F,
                                            .numbers = VECTOR_FLAGGED,
                                            .n = 6 * t->n,
                                            .name = name_body_force });

  const cdn_ticket of_frames[] = { m->frames.ticket, m->params.ticket };
  const cdn_ticket of_mass[] = { m->frames.ticket, m->mass.ticket, m->armature.ticket };
  m->frame_constants = cdn_declare_eager_cache(d, "frame_constants", n * sizeof(body_frames), calc_frame_constants, 2,
                                               of_frames, CDN_STAGE_INSTANCE);
  m->mass_constants = cdn_declare_eager_cache(d, "mass_constants", n * sizeof(body_mass), calc_mass_constants, 3,
                                              of_mass, CDN_STAGE_INSTANCE);

  const cdn_ticket of_weights[] = { m->frame_constants.ticket, m->mass_constants.ticket };
  m->inverse_weights = cdn_declare_cache(d, "inverse_weights", (2 * n + (size_t)t->nu + 1) * sizeof(double),
                                         cdni_matter_calc_inverse_weights, 2, of_weights);

  const cdn_ticket of_pose[] = { m->frame_constants.ticket, CDN_Q_EFF };
  cdni_declare_well_known(d, CDN_POSE);
  m->pose = cdn_declare_eager_cache(d, "pose", n * sizeof(body_pose), calc_pose, 2, of_pose, CDN_STAGE_POSITION);
  m->H = cdni_declare_companion(d, "H", (size_t)t->nH * real_size, m->pose);

  m->custom = cdni_declare_companion(d, "custom", (size_t)t->n_custom * sizeof(custom_across), m->pose);

  const cdn_ticket of_inertia[] = { CDN_POSE, m->mass_constants.ticket };
  m->inertia = cdn_declare_cache(d, "inertia", n * sizeof(rigid_inertia), calc_inertia, 2, of_inertia);
  m->articulated =
      cdn_declare_cache(d, "articulated", n * sizeof(body_articulated), calc_articulated, 1, &m->inertia.ticket);
  m->G = cdni_declare_companion(d, "G", (size_t)t->nG * real_size, m->articulated);
  m->D_inv = cdni_declare_companion(d, "D_inv", (size_t)t->nD * real_size, m->articulated);

  const cdn_ticket of_twist[] = { CDN_POSE, CDN_U_EFF };
  cdni_declare_well_known(d, CDN_TWIST);
  m->twist = cdn_declare_eager_cache(d, "twist", n * sizeof(body_twist), calc_twist, 2, of_twist, CDN_STAGE_VELOCITY);

  cdni_declare_prerequisite(d, (cdn_cache){ 0, CDN_UDOT }, CDN_ACCELERATION);

  const cdn_ticket together[] = { m->frames.ticket, m->pose.ticket, m->inertia.ticket, m->articulated.ticket,
                                  m->twist.ticket };
  for (int i = 0; i < CDNI_COUNT(together); i++) cdni_declare_in_lanes(d, together[i], CDNI_LANES_TOGETHER);
  cdni_declare_in_lanes(d, m->frame_constants.ticket, CDNI_LANES_GATHERED);
  cdni_declare_in_lanes(d, m->mass_constants.ticket, CDNI_LANES_GATHERED);
  return cdni_motion_declare(m, d);
}

const cdn_subsystem_ops cdni_matter_ops = {
  .struct_size = sizeof cdni_matter_ops,
  .name = "matter",
  .self_size = sizeof(matter *),
  .declare = declare,
  .calc_qdot = cdni_matter_calc_qdot,
  .calc_udot = calc_udot,
  .multiply_by_N = cdni_matter_multiply_by_N,
  .multiply_by_N_inv = cdni_matter_multiply_by_N_inv,
  .normalize_q = cdni_matter_normalize_q,
  .calc_q_eff = cdni_motion_calc_q_eff,
  .calc_u_eff = cdni_motion_calc_u_eff,
  .mark_prescribed = cdni_motion_mark_prescribed,
  .slot_name = slot_name,
  .describe = cdni_matter_describe,
};
