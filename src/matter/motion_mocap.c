/* Mocap bodies: motions whose pose and velocity are inputs of the State. The inputs are those of M in F, so that a
 * motion needs no frames: q at a time, and u, by which the body moves on from there. */
#include <math.h>
#include <stdio.h>

#include "matter/checks.h"
#include "matter/subsystem.h"
#include "system/vectors.h"

/* ---- the motion ---- */

static bool is_at_rest(const double *u) {
  for (int k = 0; k < 6; k++)
    if (u[k] != 0) return false;
  return true;
}

/* The unit quaternion of q; false: q is zero. */
static bool unit(const double *q, double *out) {
  const double largest = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
  if (!(largest > 0)) return false;
  double square = 0;
  for (int k = 0; k < 4; k++) out[k] = q[k] / largest, square += out[k] * out[k];
  const double length = sqrt(square);
  for (int k = 0; k < 4; k++) out[k] = out[k] / length;
  return true;
}

/* q turned by the rotation vector. */
static void turn(double *q, cdn_vec3 by) {
  const double angle = cdn_norm(by);
  if (angle == 0) return;
  const cdn_vec3 v = cdn_scale(sin(angle / 2) / angle, by);
  const double w = cos(angle / 2), q0 = q[0];
  const cdn_vec3 e = cdn_v3(q[1], q[2], q[3]), crossed = cdn_cross(v, e);
  q[0] = w * q0 - cdn_dot(v, e);
  q[1] = w * e.x + q0 * v.x + crossed.x, q[2] = w * e.y + q0 * v.y + crossed.y, q[3] = w * e.z + q0 * v.z + crossed.z;
}

static cdn_status mocap_q(const void *self, const cdn_motion_input *in, double *q) {
  (void)self;
  const double *input = in->params, *u = input + MOCAP_U;
  if (!unit(input + MOCAP_Q, q)) return CDN_ERR_ARG;
  memcpy(q + 4, input + MOCAP_Q + 4, 3 * sizeof *q);
  if (is_at_rest(u)) return CDN_OK;
  const double dt = in->t - input[MOCAP_TIME];
  turn(q, cdn_scale(dt, cdn_v3(u[0], u[1], u[2])));
  for (int k = 0; k < 3; k++) q[4 + k] += dt * u[3 + k];
  return CDN_OK;
}

/* The speeds and their rates are inputs, and found without q. */
static cdn_status mocap_u(const void *self, const cdn_motion_input *in, double *u) {
  (void)self;
  memcpy(u, in->params + MOCAP_U, 6 * sizeof *u);
  return CDN_OK;
}
static cdn_status mocap_udot(const void *self, const cdn_motion_input *in, double *udot) {
  (void)self, (void)in;
  for (int k = 0; k < 6; k++) udot[k] = 0;
  return CDN_OK;
}

const cdn_motion_ops cdni_motion_mocap_ops = {
  .struct_size = sizeof(cdn_motion_ops), .name = "mocap", .q = mocap_q, .u = mocap_u, .udot = mocap_udot
};

const char *const cdni_mocap_input_names[MOCAP_INPUTS] = { "qw", "qx", "qy", "qz", "x",  "y",  "z",
                                                           "wx", "wy", "wz", "vx", "vy", "vz", "time" };

/* ---- declaring ---- */

static void name_input(const cdn_system *system, int element, int k, char *name, size_t size) {
  snprintf(name, size, "%s.%s", cdn_motion_name(system, (cdn_motion){ element }), cdni_mocap_input_names[k]);
}

void cdni_motion_declare_mocap(matter *m, cdn_declarer *d, double *work) {
  int n = 0;
  for (size_t i = 0; i < m->motions.count; i++) {
    const matter_motion *x = cdni_motion_at(m, (int32_t)i);
    if (x->mocap < 0) continue;
    memset(work + n, 0, MOCAP_INPUTS * sizeof *work);
    memcpy(work + n + MOCAP_Q, &CDNI_AT(m->q0, double, m->tree.node[x->body].q), 7 * sizeof *work);
    n += MOCAP_INPUTS;
  }
  m->mocap = cdn_declare_parameters(d, "mocap", n, work);
  n = 0;
  for (size_t i = 0; i < m->motions.count; i++) {
    const matter_motion *x = cdni_motion_at(m, (int32_t)i);
    const vector_run run = { .part = CDN_VECTOR_MOCAP,
                             .variable = m->mocap,
                             .first = MOCAP_INPUTS * x->mocap,
                             .n = MOCAP_INPUTS,
                             .name = name_input,
                             .element = (int)i };
    if (x->mocap >= 0) cdni_declare_vector_run(d, &run);
  }
}

/* ---- queries ---- */

static const matter_motion *mocap_of(const matter *m, cdn_body body) {
  if (!m || body.i < 0 || (size_t)body.i >= m->bodies.count) return NULL;
  const int32_t i = CDNI_AT(m->bodies, matter_body, body.i).motion;
  return i >= 0 && cdni_motion_at(m, i)->mocap >= 0 ? cdni_motion_at(m, i) : NULL;
}

bool cdn_body_is_mocap(const cdn_system *system, cdn_body body) {
  CDNI_NEED_OBJECT(system, false);
  return mocap_of(cdni_matter(system), body) != NULL;
}

bool cdni_body_stands(const matter *m, int body) {
  while (body > 0 && CDNI_AT(m->nodes, tree_node, body).nu == 0) body = CDNI_AT(m->nodes, tree_node, body).parent;
  return body == 0 || mocap_of(m, (cdn_body){ body });
}

cdn_dvar cdni_mocap_inputs(const matter *m, int *n) {
  *n = 0;
  for (size_t i = 0; i < m->motions.count; i++)
    if (cdni_motion_at(m, (int32_t)i)->mocap >= 0) *n += MOCAP_INPUTS;
  return m->mocap;
}

/* ---- in a State ---- */

static cdn_status find(cdn_state *state, const char *function, cdn_body body, const matter_motion **out) {
  const matter *m = cdni_matter(cdn_state_system(state));
  if (!cdni_body_exists(m, body)) return cdni_state_lacks(state, function, "body", body.i);
  *out = mocap_of(m, body);
  if (*out) return CDN_OK;
  const char *name = CDNI_AT(m->bodies, matter_body, body.i).name;
  return cdni_state_fail(state, CDN_ERR_ARG, false, function, name,
                         "body '%s' is no mocap body: give it a motion of kind CDN_MOTION_MOCAP, or in a file "
                         "mocap=\"true\"",
                         name);
}

/* Inputs that are as they were stay valid. A body at rest has no time. */
static cdn_status set(cdn_state *state, const matter_motion *x, double *inputs) {
  const matter *m = cdni_matter(cdn_state_system(state));
  const int at = MOCAP_INPUTS * x->mocap;
  inputs[MOCAP_TIME] = is_at_rest(inputs + MOCAP_U) ? 0 : cdn_state_time(state);
  if (memcmp(cdn_state_parameters(state, m->mocap) + at, inputs, MOCAP_INPUTS * sizeof *inputs) == 0) return CDN_OK;
  return cdn_state_set_parameters(state, m->mocap, at, MOCAP_INPUTS, inputs);
}

static void get(const cdn_state *state, const matter_motion *x, double *inputs) {
  const matter *m = cdni_matter(cdn_state_system(state));
  memcpy(inputs, cdn_state_parameters(state, m->mocap) + MOCAP_INPUTS * x->mocap, MOCAP_INPUTS * sizeof *inputs);
}

cdn_status cdn_mocap_set_pose(cdn_state *state, cdn_body body, cdn_transform X_GB) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const matter_motion *x;
  double inputs[MOCAP_INPUTS];
  CDNI_TRY(find(state, __func__, body, &x));
  const cdn_status status = cdni_check_frame(X_GB);
  if (status != CDN_OK)
    return cdni_state_fail(state, status, false, __func__, x->name,
                           "motion '%s': the pose is not finite, or its R not a rotation to 1e-9", x->name);
  get(state, x, inputs);
  const cdn_transform X_FM = cdn_transform_multiply(
      cdn_transform_multiply(cdn_transform_invert(cdn_body_X_PF(state, body)), X_GB), cdn_body_X_BM(state, body));
  const cdn_quaternion e = cdn_quaternion_from_rotation(X_FM.R);
  const double q[7] = { e.w, e.x, e.y, e.z, X_FM.p.x, X_FM.p.y, X_FM.p.z };
  memcpy(inputs + MOCAP_Q, q, sizeof q);
  return set(state, x, inputs);
}

cdn_status cdn_mocap_set_velocity(cdn_state *state, cdn_body body, cdn_spatial V_GB) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const matter_motion *x;
  double inputs[MOCAP_INPUTS], q[7];
  CDNI_TRY(find(state, __func__, body, &x));
  get(state, x, inputs);
  const cdn_motion_input in = { .t = cdn_state_time(state), .params = inputs };
  if (mocap_q(NULL, &in, q) != CDN_OK)
    return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, x->name, "motion '%s': its quaternion is zero",
                           x->name);
  if (!is_at_rest(inputs + MOCAP_U)) memcpy(inputs + MOCAP_Q, q, sizeof q);
  const cdn_transform X_PF = cdn_body_X_PF(state, body), X_BM = cdn_body_X_BM(state, body);
  const cdn_rotation R_FM = cdn_rotation_from_quaternion((cdn_quaternion){ q[0], q[1], q[2], q[3] });
  const cdn_vec3 p_FBM = cdn_rotate(R_FM, cdn_rotate(cdn_rotation_transpose(X_BM.R), X_BM.p)); /* from B to M, in F */
  const cdn_rotation R_FP = cdn_rotation_transpose(X_PF.R);
  const cdn_vec3 w = cdn_rotate(R_FP, V_GB.w), v = cdn_add(cdn_rotate(R_FP, V_GB.v), cdn_cross(w, p_FBM));
  const double u[6] = { w.x, w.y, w.z, v.x, v.y, v.z };
  memcpy(inputs + MOCAP_U, u, sizeof u);
  return set(state, x, inputs);
}

cdn_status cdn_mocap_take(cdn_state *state) {
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  const cdn_system *system = cdn_state_system(state);
  const matter *m = cdni_matter(system);
  for (int check = 1; m && check >= 0; check--) {
    for (size_t i = 0; i < m->motions.count; i++) {
      const matter_motion *x = cdni_motion_at(m, (int32_t)i);
      const cdni_runs runs = cdni_subsystem_runs(system, m->subsystem);
      double inputs[MOCAP_INPUTS], q[4];
      if (x->mocap < 0) continue;
      memcpy(inputs + MOCAP_Q, cdn_state_q(state) + runs.q + m->tree.node[x->body].q, 7 * sizeof *inputs);
      memcpy(inputs + MOCAP_U, cdn_state_u(state) + runs.u + m->tree.node[x->body].u, 6 * sizeof *inputs);
      if (!unit(inputs + MOCAP_Q, q))
        return cdni_state_fail(state, CDN_ERR_ARG, false, __func__, x->name,
                               "motion '%s': the quaternion in q is zero; (1,0,0,0) is the identity", x->name);
      if (!check) CDNI_TRY(set(state, x, inputs));
    }
  }
  return CDN_OK;
}
