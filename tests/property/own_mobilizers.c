/* shared by tests in this folder */
#include "own_mobilizers.h"

/* ---- functions: linear ones, a parabola, and sin(a x) of the tests' own ---- */

typedef struct wave {
  int n;
  double a[2];
} wave;

static cdn_status calc_wave(const void *self, const double *x, int order, cdn_function_result *out) {
  const wave *w = self;
  double angle = 0;
  for (int i = 0; i < w->n; i++) angle += w->a[i] * x[i];
  out->value = sin(angle);
  for (int i = 0; i < w->n; i++) {
    if (order >= 1) out->d1[i] = w->a[i] * cos(angle);
    for (int j = 0; j < w->n; j++) {
      if (order >= 2) out->d2[i * w->n + j] = -w->a[i] * w->a[j] * sin(angle);
      for (int k = 0; order >= 3 && k < w->n; k++)
        out->d3[(i * w->n + j) * w->n + k] = -w->a[i] * w->a[j] * w->a[k] * cos(angle);
    }
  }
  return CDN_OK;
}

static cdn_function *make_wave(int n, double a, double b) {
  cdn_function_ops ops = { .struct_size = sizeof ops, .self_size = sizeof(wave), .n_inputs = n, .calc = calc_wave };
  wave w = { n, { a, b } };
  return cdn_function_create(&ops, &w);
}

cdn_function_mobilizer own_functions(int which) {
  cdn_function_mobilizer m = cdn_default_function_mobilizer();
  const double one = 1, parabola[] = { 0.3, -0.1, 0.2 }, mixed[] = { 0.7, 0.2 };
  if (which == 0) { /* a knee: it slides as it bends */
    m.nu = 1;
    m.function[2] = cdn_function_linear(1, &one, 0);
    m.function[3] = cdn_function_polynomial(3, parabola);
    m.function[4] = make_wave(1, 1, 0);
  } else if (which == 1) {
    m.nu = 2;
    m.axis[0] = cdn_v3(1, 1, 0);
    m.function[0] = cdn_function_linear(2, mixed, 0.1);
    m.function[1] = cdn_function_linear(1, &one, 0), m.input[1][0] = 1;
    m.function[5] = make_wave(2, 0.8, -0.5);
  } else {
    m.nu = 4;
    m.axis[4] = cdn_v3(1, 2, -1);
    m.function[0] = cdn_function_linear(1, &one, 0);
    m.function[1] = cdn_function_linear(1, &one, 0), m.input[1][0] = 1;
    m.function[2] = cdn_function_constant(0.4);
    m.function[3] = cdn_function_linear(1, &one, 0.1), m.input[3][0] = 2;
    m.function[4] = cdn_function_linear(1, &one, 0), m.input[4][0] = 3;
    m.function[5] = make_wave(2, 0.5, 0.3), m.input[5][0] = 0, m.input[5][1] = 3;
  }
  return m;
}

void release_functions(cdn_function_mobilizer *def) {
  for (int i = 0; i < 6; i++) cdn_function_release(def->function[i]);
}

/* Value, first and second rate of a function of time. */
typedef struct jet {
  double f, rate, rise;
} jet;

static jet linear_jet(double a, double qa, double ua, double b, double qb, double ub, double c) {
  return (jet){ a * qa + b * qb + c, a * ua + b * ub, 0 };
}
static jet wave_jet(double angle, double rate) {
  return (jet){ sin(angle), cos(angle) * rate, -sin(angle) * rate * rate };
}

/* ---- custom ones ---- */

static cdn_status helix_across(const void *self, const double *params, const double *q, cdn_transform *X,
                               cdn_spatial *H) {
  double a = params[0], b = params[1], pitch = params[2] * *(const double *)self;
  X->R = cdn_rotation_axis_angle(cdn_v3(0, 0, 1), q[0]);
  X->p = cdn_v3(a * cos(q[0]), b * sin(q[0]), pitch * q[0] + q[1]);
  H[0].w = cdn_v3(0, 0, 1);
  H[0].v = cdn_v3(-a * sin(q[0]), b * cos(q[0]), pitch);
  H[1].v = cdn_v3(0, 0, 1);
  return CDN_OK;
}

static cdn_status helix_Hdot_u(const void *self, const double *params, const double *q, const double *u,
                               cdn_spatial *A) {
  (void)self;
  A->v = cdn_v3(-params[0] * cos(q[0]) * u[0] * u[0], -params[1] * sin(q[0]) * u[0] * u[0], 0);
  return CDN_OK;
}

static cdn_status ball_across(const void *self, const double *params, const double *q, cdn_transform *X,
                              cdn_spatial *H) {
  (void)self, (void)params;
  X->R = cdn_rotation_from_quaternion((cdn_quaternion){ q[0], q[1], q[2], q[3] });
  H[0].w = X->R.x, H[1].w = X->R.y, H[2].w = X->R.z;
  return CDN_OK;
}

/* qdot = 1/2 q w */
static void ball_N(const void *self, const double *q, const double *w, double *qdot) {
  (void)self;
  qdot[0] = -0.5 * (q[1] * w[0] + q[2] * w[1] + q[3] * w[2]);
  qdot[1] = 0.5 * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]);
  qdot[2] = 0.5 * (q[0] * w[1] + q[3] * w[0] - q[1] * w[2]);
  qdot[3] = 0.5 * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]);
}

static void ball_N_inv(const void *self, const double *q, const double *d, double *w) {
  double s = 2 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  (void)self;
  w[0] = s * (q[0] * d[1] - q[1] * d[0] + q[3] * d[2] - q[2] * d[3]);
  w[1] = s * (q[0] * d[2] - q[2] * d[0] + q[1] * d[3] - q[3] * d[1]);
  w[2] = s * (q[0] * d[3] - q[3] * d[0] + q[2] * d[1] - q[1] * d[2]);
}

static void ball_Ndot_u(const void *self, const double *q, const double *w, double *out) {
  double qdot[4];
  ball_N(self, q, w, qdot);
  ball_N(self, qdot, w, out);
}

const cdn_custom_mobilizer_ops *own_custom(int which) {
  static const cdn_custom_mobilizer_ops customs[OWN_CUSTOMS] = {
    { .struct_size = sizeof(cdn_custom_mobilizer_ops),
      .name = "helix",
      .self_size = sizeof(double), /* a factor of the pitch */
      .nq = 2,
      .nu = 2,
      .across = helix_across,
      .Hdot_u = helix_Hdot_u },
    { .struct_size = sizeof(cdn_custom_mobilizer_ops),
      .name = "body-rate ball",
      .nq = 4,
      .nu = 3,
      .quaternion = true,
      .across = ball_across,
      .N = ball_N,
      .N_inv = ball_N_inv,
      .Ndot_u = ball_Ndot_u },
  };
  return &customs[which];
}

/* ---- elementary motions ---- */

/* A turn about an axis fixed in the frame as it is so far. */
static void turn(across_truth *m, cdn_vec3 axis, jet angle) {
  axis = cdn_scale(1 / cdn_norm(axis), axis);
  cdn_vec3 n = cdn_rotate(m->X.R, axis), w = cdn_scale(angle.rate, n);
  m->X.R = cdn_rotation_multiply(m->X.R, cdn_rotation_axis_angle(axis, angle.f));
  m->A.w = cdn_add(m->A.w, cdn_add(cdn_scale(angle.rise, n), cdn_cross(m->V.w, w)));
  m->V.w = cdn_add(m->V.w, w);
}

/* A shift along a direction fixed in the frame as it is so far. */
static void shift(across_truth *m, cdn_vec3 axis, jet distance) {
  cdn_vec3 n = cdn_rotate(m->X.R, cdn_scale(1 / cdn_norm(axis), axis));
  cdn_vec3 s = cdn_scale(distance.f, n), v = cdn_scale(distance.rate, n), w = m->V.w, w_s = cdn_cross(w, s);
  m->X.p = cdn_add(m->X.p, s);
  m->A.v = cdn_add(cdn_add(m->A.v, cdn_scale(distance.rise, n)),
                   cdn_add(cdn_cross(m->A.w, s), cdn_add(cdn_cross(w, w_s), cdn_scale(2, cdn_cross(w, v)))));
  m->V.v = cdn_add(m->V.v, cdn_add(w_s, v));
}

static const cdn_vec3 axes[3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } };

static void turn_xyz(across_truth *m, const double *q, const double *u) {
  for (int i = 0; i < 3; i++) turn(m, axes[i], (jet){ q[i], u[i], 0 });
}
static void shift_xyz(across_truth *m, const double *q, const double *u) {
  for (int i = 0; i < 3; i++) shift(m, axes[i], (jet){ q[i], u[i], 0 });
}

/* Orientation by a quaternion or angles. */
static cdn_rotation orientation(const double *q, bool quaternion) {
  if (quaternion) return cdn_rotation_from_quaternion((cdn_quaternion){ q[0], q[1], q[2], q[3] });
  return cdn_rotation_multiply(
      cdn_rotation_multiply(cdn_rotation_axis_angle(axes[0], q[0]), cdn_rotation_axis_angle(axes[1], q[1])),
      cdn_rotation_axis_angle(axes[2], q[2]));
}

static cdn_vec3 stretch(const double *a, cdn_vec3 v) { return cdn_v3(a[0] * v.x, a[1] * v.y, a[2] * v.z); }

/* ---- every kind ---- */

static void functions_truth(across_truth *m, int which, const double *q, const double *u) {
  if (which == 0) {
    shift(m, axes[0], (jet){ 0.3 * q[0] * q[0] - 0.1 * q[0] + 0.2, (0.6 * q[0] - 0.1) * u[0], 0.6 * u[0] * u[0] });
    shift(m, axes[1], wave_jet(q[0], u[0]));
    turn(m, axes[2], (jet){ q[0], u[0], 0 });
  } else if (which == 1) {
    shift(m, axes[2], wave_jet(0.8 * q[0] - 0.5 * q[1], 0.8 * u[0] - 0.5 * u[1]));
    turn(m, cdn_v3(1, 1, 0), linear_jet(0.7, q[0], u[0], 0.2, q[1], u[1], 0.1));
    turn(m, axes[1], (jet){ q[1], u[1], 0 });
  } else {
    shift(m, axes[0], (jet){ q[2] + 0.1, u[2], 0 });
    shift(m, cdn_v3(1, 2, -1), (jet){ q[3], u[3], 0 });
    shift(m, axes[2], wave_jet(0.5 * q[0] + 0.3 * q[3], 0.5 * u[0] + 0.3 * u[3]));
    turn(m, axes[0], (jet){ q[0], u[0], 0 });
    turn(m, axes[1], (jet){ q[1], u[1], 0 });
    turn(m, axes[2], (jet){ 0.4, 0, 0 });
  }
}

static across_truth forward_truth(cdn_mobilizer kind, bool quaternion, const double *params, const double *q,
                                  const double *u) {
  across_truth m = { cdn_transform_identity(), { { 0, 0, 0 }, { 0, 0, 0 } }, { { 0, 0, 0 }, { 0, 0, 0 } } };
  const double *p = q + (quaternion ? 4 : 3);
  int flags = (int)params[2];
  double s0 = flags & 1 ? -1 : 1, s1 = flags & 2 ? -1 : 1, s2 = flags & 8 ? -1 : 1;
  switch (kind) {
    case CDN_WELD:
    case CDN_MOBILIZER_COUNT: break;
    case CDN_PIN: turn(&m, axes[2], (jet){ q[0], u[0], 0 }); break;
    case CDN_SLIDER: shift(&m, axes[0], (jet){ q[0], u[0], 0 }); break;
    case CDN_UNIVERSAL:
      turn(&m, axes[0], (jet){ q[0], u[0], 0 });
      turn(&m, axes[1], (jet){ q[1], u[1], 0 });
      break;
    case CDN_CYLINDER:
      turn(&m, axes[2], (jet){ q[0], u[0], 0 });
      shift(&m, axes[2], (jet){ q[1], u[1], 0 });
      break;
    case CDN_BEND_STRETCH:
      turn(&m, axes[2], (jet){ q[0], u[0], 0 });
      shift(&m, axes[0], (jet){ q[1], u[1], 0 });
      break;
    case CDN_PLANAR:
      shift(&m, axes[0], (jet){ q[1], u[1], 0 });
      shift(&m, axes[1], (jet){ q[2], u[2], 0 });
      turn(&m, axes[2], (jet){ q[0], u[0], 0 });
      break;
    case CDN_BUSHING:
      shift_xyz(&m, q + 3, u + 3);
      turn_xyz(&m, q, u);
      break;
    case CDN_GIMBAL: turn_xyz(&m, q, u); break;
    case CDN_TRANSLATION: shift_xyz(&m, q, u); break;
    case CDN_SPHERICAL_COORDS:
      turn(&m, axes[2], (jet){ s0 * q[0] + params[0], s0 * u[0], 0 });
      turn(&m, axes[1], (jet){ s1 * q[1] + params[1], s1 * u[1], 0 });
      shift(&m, axes[flags & 4 ? 0 : 2], (jet){ s2 * q[2], s2 * u[2], 0 });
      break;
    case CDN_SCREW:
      turn(&m, axes[2], (jet){ q[0], u[0], 0 });
      shift(&m, axes[2], (jet){ params[0] * q[0], params[0] * u[0], 0 });
      break;
    case CDN_BALL:
    case CDN_ELLIPSOID:
    case CDN_FREE:
      m.X.R = orientation(q, quaternion);
      m.V.w = cdn_v3(u[0], u[1], u[2]);
      if (kind == CDN_FREE) m.X.p = cdn_v3(p[0], p[1], p[2]), m.V.v = cdn_v3(u[3], u[4], u[5]);
      if (kind == CDN_ELLIPSOID) {
        cdn_vec3 n = m.X.R.z, ndot = cdn_cross(m.V.w, n);
        m.X.p = stretch(params, n);
        m.V.v = stretch(params, ndot);
        m.A.v = stretch(params, cdn_cross(m.V.w, ndot));
      }
      break;
    case CDN_LINE_ORIENTATION:
    case CDN_FREE_LINE:
      m.X.R = orientation(q, quaternion);
      m.V.w = cdn_rotate(m.X.R, cdn_v3(u[0], u[1], 0));
      if (kind == CDN_FREE_LINE) m.X.p = cdn_v3(p[0], p[1], p[2]), m.V.v = cdn_v3(u[2], u[3], u[4]);
      break;
    case CDN_FUNCTION_BASED: functions_truth(&m, (int)params[3], q, u); break;
    case CDN_CUSTOM_MOBILIZER:
      if (params[3] == 1) {
        m.X.R = orientation(q, true);
        m.V.w = cdn_rotate(m.X.R, cdn_v3(u[0], u[1], u[2]));
        break;
      }
      shift(&m, axes[0],
            (jet){ params[0] * cos(q[0]), -params[0] * sin(q[0]) * u[0], -params[0] * cos(q[0]) * u[0] * u[0] });
      shift(&m, axes[1],
            (jet){ params[1] * sin(q[0]), params[1] * cos(q[0]) * u[0], -params[1] * sin(q[0]) * u[0] * u[0] });
      shift(&m, axes[2], linear_jet(2 * params[2], q[0], u[0], 1, q[1], u[1], 0));
      turn(&m, axes[2], (jet){ q[0], u[0], 0 });
      break;
  }
  return m;
}

/* How M moves in F, from how F moves in M: derivatives of R^T and of -R^T p. */
static across_truth reverse(across_truth m) {
  cdn_vec3 w = m.V.w, p = m.X.p, turned = cdn_sub(m.V.v, cdn_cross(w, p));
  cdn_vec3 a = cdn_sub(cdn_sub(m.A.v, cdn_cross(m.A.w, p)), cdn_cross(w, cdn_add(m.V.v, turned)));
  across_truth r;
  r.X = cdn_transform_invert(m.X);
  r.V.w = cdn_scale(-1, cdn_rotate(r.X.R, w));
  r.V.v = cdn_scale(-1, cdn_rotate(r.X.R, turned));
  r.A.w = cdn_scale(-1, cdn_rotate(r.X.R, m.A.w));
  r.A.v = cdn_scale(-1, cdn_rotate(r.X.R, a));
  return r;
}

across_truth truth_across(const cdn_state *state, cdn_body body, const double *q, const double *u) {
  const cdn_system *system = cdn_state_system(state);
  across_truth m = forward_truth(cdn_body_mobilizer(system, body), cdn_body_has_quaternion(system, body),
                                 cdn_body_mobilizer_params(state, body), q, u);
  return cdn_body_is_reversed(system, body) ? reverse(m) : m;
}
