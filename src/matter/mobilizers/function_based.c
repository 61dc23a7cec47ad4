/* Function-based: three rotations about, and three translations along, given axes by functions of the coordinates;
 * u = qdot. With b_i the turned axes and f_i the functions: H_k = (sum b_i df_i/dq_k, sum a_i df_i/dq_k), and
 * Hdot u = (sum f_i'' b_i + f_i' b_i', sum f_i'' a_i), where f' = grad f . u and f'' = u . hess f u. */
#include <math.h>
#include <stdio.h>

#include "matter/custom.h"

#define IN_ORDER \
  { 0, 1, 2, 3, 4, 5 }
#define XYZ \
  { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 }
CDNI_DEF(function_mobilizer, .nu = 1, .input = { IN_ORDER, IN_ORDER, IN_ORDER, IN_ORDER, IN_ORDER, IN_ORDER },
         .axis = { XYZ, XYZ });

/* The six values with their derivatives by the coordinates: f, and d (6 x nu); with u also f' and f''. */
typedef struct six_functions {
  double f[6], d[6][6], rate[6], rise[6];
} six_functions;

static cdn_status evaluate(const cdn_function_mobilizer *m, const double *q, const double *u, six_functions *out) {
  memset(out, 0, sizeof *out);
  for (int i = 0; i < 6; i++) {
    int n = cdn_function_n_inputs(m->function[i]);
    double x[CDN_FUNCTION_MOST_INPUTS], v[CDN_FUNCTION_MOST_INPUTS];
    cdn_function_result r;
    if (!m->function[i]) continue;
    for (int j = 0; j < n; j++) x[j] = q[m->input[i][j]], v[j] = u ? u[m->input[i][j]] : 0;
    cdn_status status = cdn_function_calc(m->function[i], x, u ? 2 : 1, &r);
    if (status != CDN_OK) return status;
    out->f[i] = r.value;
    for (int j = 0; j < n; j++) {
      out->d[i][m->input[i][j]] += r.d1[j];
      out->rate[i] += r.d1[j] * v[j];
      for (int k = 0; u && k < n; k++) out->rise[i] += v[j] * r.d2[j * n + k] * v[k];
    }
  }
  return CDN_OK;
}

/* R_FM, and the axes as the rotations before them turned them. */
static cdn_rotation turn(const cdn_function_mobilizer *m, const double *angles, cdn_vec3 *axes) {
  cdn_rotation R = cdn_rotation_axis_angle(m->axis[0], angles[0]);
  axes[0] = m->axis[0];
  for (int i = 1; i < 3; i++) {
    axes[i] = cdn_rotate(R, m->axis[i]);
    R = cdn_rotation_multiply(R, cdn_rotation_axis_angle(m->axis[i], angles[i]));
  }
  return R;
}

static cdn_status across(const void *self, const double *params, const double *q, cdn_transform *X_FM,
                         cdn_spatial *H_FM) {
  const cdn_function_mobilizer *m = &((const function_mobilizer *)self)->def;
  six_functions f;
  cdn_vec3 b[3], p = cdn_v3(0, 0, 0);
  (void)params;
  CDNI_TRY(evaluate(m, q, NULL, &f));
  X_FM->R = turn(m, f.f, b);
  for (int i = 0; i < 3; i++) p = cdn_add(p, cdn_scale(f.f[3 + i], m->axis[3 + i]));
  X_FM->p = p;
  for (int k = 0; k < m->nu; k++)
    for (int i = 0; i < 3; i++) {
      H_FM[k].w = cdn_add(H_FM[k].w, cdn_scale(f.d[i][k], b[i]));
      H_FM[k].v = cdn_add(H_FM[k].v, cdn_scale(f.d[3 + i][k], m->axis[3 + i]));
    }
  return CDN_OK;
}

static cdn_status Hdot_u(const void *self, const double *params, const double *q, const double *u, cdn_spatial *A_FM) {
  const cdn_function_mobilizer *m = &((const function_mobilizer *)self)->def;
  six_functions f;
  cdn_vec3 b[3], w = cdn_v3(0, 0, 0); /* of the rotations so far */
  (void)params;
  CDNI_TRY(evaluate(m, q, u, &f));
  turn(m, f.f, b);
  for (int i = 0; i < 3; i++) {
    cdn_vec3 wi = cdn_scale(f.rate[i], b[i]);
    A_FM->w = cdn_add(A_FM->w, cdn_add(cdn_scale(f.rise[i], b[i]), cdn_cross(w, wi)));
    A_FM->v = cdn_add(A_FM->v, cdn_scale(f.rise[3 + i], m->axis[3 + i]));
    w = cdn_add(w, wi);
  }
  return CDN_OK;
}

static void destroy(void *self) {
  function_mobilizer *m = self;
  for (int i = 0; i < 6; i++) cdn_function_release(m->def.function[i]);
}

cdn_status cdni_function_mobilizer_ops(const cdn_function_mobilizer *def, cdn_custom_mobilizer_ops *ops,
                                       function_mobilizer *self, char *reason, size_t size) {
  *ops = (cdn_custom_mobilizer_ops){ .struct_size = sizeof *ops,
                                     .name = "function_based",
                                     .self_size = sizeof *self,
                                     .across = across,
                                     .Hdot_u = Hdot_u,
                                     .destroy = destroy };
  const char *unreadable = read_function_mobilizer(&self->def, def);
  def = &self->def;
  if (unreadable) {
    snprintf(reason, size, "is function-based, but its `functions` cannot be read: %s", unreadable);
    return CDN_ERR_VERSION;
  }
  if (def->nu < 1 || def->nu > 6) {
    snprintf(reason, size, "has %d coordinates; it must have 1 to 6", def->nu);
    return CDN_ERR_ARG;
  }
  ops->nq = ops->nu = def->nu;
  for (int i = 0; i < 6; i++) {
    for (int j = 0; j < cdn_function_n_inputs(def->function[i]); j++)
      if (def->input[i][j] < 0 || def->input[i][j] >= def->nu) {
        snprintf(reason, size, "has function %d read coordinate %d of %d", i, def->input[i][j], def->nu);
        return CDN_ERR_ARG;
      }
    double length = cdn_norm(def->axis[i]);
    if (!isfinite(length) || length == 0) {
      cdni_print(reason, size, "has axis %d of length %g", i, length);
      return CDN_ERR_ARG;
    }
    self->def.axis[i] = cdn_scale(1 / length, def->axis[i]);
  }
  return CDN_OK;
}
