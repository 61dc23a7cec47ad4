/* shared by tests in this folder */
/* Features of programs: rows of providers (equal, yielding, bounded, weights), forces of subsystems with z,
 * controls, entries and regions. */
#include <cardan/derivatives.h>
#include <cardan/regions.h>

#include "matrix.h"

/* ---- rows of a provider ---- */

typedef enum row_sort { EQUAL, YIELDING, BOUNDED, WEIGHT, SOFT_BOUND } row_sort;
typedef struct provider {
  row_sort type;
  cdn_body joint, a, b;
  cdn_row_set set;
} provider;

enum { MOST_TERMS = 2 };
typedef struct row {
  cdn_row_def def;
  cdn_body body[MOST_TERMS];
  cdn_spatial J[MOST_TERMS];
  int bodies;
  double g; /* of the joint's mobility */
} row;

static cdn_spatial at_point(cdn_transform X, cdn_vec3 p_B, cdn_vec3 d) {
  return (cdn_spatial){ cdn_cross(cdn_rotate(X.R, p_B), d), d };
}
/* The Jdot u of that point along d. */
static double centripetal(cdn_transform X, cdn_spatial V, cdn_vec3 p_B, cdn_vec3 d) {
  return cdn_dot(d, cdn_cross(V.w, cdn_cross(V.w, cdn_rotate(X.R, p_B))));
}

/* What rows the provider has, with their J about the bodies' origins. */
static cdn_status rows_of(const provider *p, cdn_state *state, row *out, int *n) {
  const double q = q_of(state, p->joint), u = u_of(state, p->joint);
  cdn_transform A, B;
  cdn_spatial V_A, V_B;
  CDN_TRY(cdn_body_pose(state, p->a, &A));
  CDN_TRY(cdn_body_pose(state, p->b, &B));
  CDN_TRY(cdn_body_velocity(state, p->a, &V_A));
  CDN_TRY(cdn_body_velocity(state, p->b, &V_B));
  const cdn_vec3 p_A = cdn_v3(0.1, 0.2, 0), p_B = cdn_v3(-0.2, 0, 0.1), d = B.R.x;
  const cdn_vec3 v_A = cdn_add(V_A.v, cdn_cross(V_A.w, cdn_rotate(A.R, p_A)));
  const cdn_vec3 v_B = cdn_add(V_B.v, cdn_cross(V_B.w, cdn_rotate(B.R, p_B)));
  row r = { .def = cdn_default_row_def(), .bodies = 2, .body = { p->a, p->b } };
  r.J[0] = at_point(A, p_A, cdn_scale(-1, d)), r.J[1] = at_point(B, p_B, d);
  r.def.target[0] = centripetal(A, V_A, p_A, d) - centripetal(B, V_B, p_B, d) - 2 * cdn_dot(d, cdn_sub(v_B, v_A));
  row own = { .def = cdn_default_row_def(), .g = 1 + 0.2 * sin(q) };
  own.def.target[0] = -(3 * u + 2 * q + 0.3);
  *n = 0;
  switch (p->type) {
    case EQUAL: out[(*n)++] = r; break;
    case YIELDING:
      own.def.R[0] = 0.2 + 0.1 * q * q;
      out[(*n)++] = own;
      break;
    case BOUNDED: /* one that holds, one at its bound */
      r.def.lower = -100, r.def.upper = 100;
      own.def.target[0] -= 60, own.def.upper = 0.5, own.def.lower = -0.7 - 0.1 * q;
      out[(*n)++] = r, out[(*n)++] = own;
      break;
    case WEIGHT: break;
    case SOFT_BOUND: /* at its bound, which moves */
      own.def.R[0] = 0.5, own.def.target[0] += 5, own.def.lower = -20, own.def.upper = 0.3 + 0.1 * q;
      out[(*n)++] = own;
      break;
  }
  return CDN_OK;
}

static void weight_of(const provider *p, cdn_state *state, double W[36], cdn_vec3 *point, cdn_spatial *bias) {
  const double q = q_of(state, p->joint), u = u_of(state, p->joint);
  cdn_transform B;
  if (cdn_body_pose(state, p->b, &B) != CDN_OK) return;
  memset(W, 0, 36 * sizeof *W);
  for (int k = 0; k < 6; k++) W[7 * k] = 0.3 + 0.1 * k + 0.1 * sin(q);
  W[1] = W[6] = 0.1;
  *point = B.p, *bias = (cdn_spatial){ cdn_v3(u, 0, 1), cdn_v3(0, q, 2) };
}

static cdn_status calc_rows(const void *self, cdn_state *state, cdn_row_list *rows) {
  const provider *p = self;
  row r[2];
  int n;
  CDN_TRY(rows_of(p, state, r, &n));
  for (int i = 0; i < n; i++) {
    cdn_row_list_add(rows, &r[i].def);
    for (int k = 0; k < r[i].bodies; k++) cdn_row_list_add_body(rows, r[i].body[k], r[i].J[k]);
    if (r[i].g != 0) cdn_row_list_add_mobility(rows, p->joint, 0, r[i].g);
  }
  if (p->type == WEIGHT) {
    double W[36];
    cdn_vec3 point;
    cdn_spatial bias;
    weight_of(p, state, W, &point, &bias);
    cdn_row_list_add_weight(rows, p->a, p->b, point, W, bias);
  }
  return CDN_OK;
}

static cdn_status declare_rows(void *self, cdn_declarer *d) {
  provider *p = self;
  const cdn_row_provider def = { .struct_size = sizeof def, .name = "provided rows", .calc_rows = calc_rows };
  p->set = cdn_declare_rows(d, &def);
  return CDN_OK;
}

static void add_rows(scene *s) {
  const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "provider", .self_size = sizeof(provider), .declare = declare_rows
  };
  const provider self = { *(const row_sort *)scene_feature(s)->data, s->slider, s->ball, s->loose[1], { -1 } };
  s->id[s->now] = cdn_system_add_subsystem(s->system, &ops, &self).i;
}

/* J^T f, by the rows as they are given; for a weight -W (A + bias) by the accelerations. */
static void row_forces(scene *s, cdn_state *state, cdn_spatial *F_G, double *f) {
  const provider *p = cdn_subsystem_self(cdn_state_system(state), (cdn_subsystem){ s->id[s->now] });
  row r[2];
  int n, count;
  double along[6];
  OK_ON(state, rows_of(p, state, r, &n));
  OK_ON(state, cdn_row_forces(state, p->set, 6, along, &count));
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < r[i].bodies; k++) {
      cdn_spatial *F = &F_G[r[i].body[k].i];
      F->w = cdn_add(F->w, cdn_scale(along[i], r[i].J[k].w)), F->v = cdn_add(F->v, cdn_scale(along[i], r[i].J[k].v));
    }
    f[cdn_body_first_u(cdn_state_system(state), p->joint)] += along[i] * r[i].g;
  }
  if (p->type != WEIGHT) return;
  double W[36], A[6], g[6] = { 0 };
  cdn_vec3 point;
  cdn_spatial bias, a[2];
  cdn_transform X[2];
  cdn_spatial V[2];
  const cdn_body body[2] = { p->a, p->b };
  weight_of(p, state, W, &point, &bias);
  for (int k = 0; k < 2; k++) {
    OK_ON(state, cdn_body_acceleration(state, body[k], &a[k]));
    OK_ON(state, cdn_body_pose(state, body[k], &X[k]));
    OK_ON(state, cdn_body_velocity(state, body[k], &V[k]));
    const cdn_vec3 arm = cdn_sub(point, X[k].p);
    a[k].v = cdn_add(a[k].v, cdn_add(cdn_cross(a[k].w, arm), cdn_cross(V[k].w, cdn_cross(V[k].w, arm))));
  }
  const cdn_vec3 w = cdn_add(cdn_sub(a[1].w, a[0].w), bias.w), v = cdn_add(cdn_sub(a[1].v, a[0].v), bias.v);
  memcpy(A, (double[]){ w.x, w.y, w.z, v.x, v.y, v.z }, sizeof A);
  for (int i = 0; i < 6; i++)
    for (int k = 0; k < 6; k++) g[i] -= W[6 * i + k] * A[k];
  for (int k = 0; k < 2; k++) {
    const double sign = k ? 1 : -1;
    const cdn_vec3 force = cdn_v3(sign * g[3], sign * g[4], sign * g[5]),
                   moment = cdn_v3(sign * g[0], sign * g[1], sign * g[2]);
    cdn_spatial *F = &F_G[body[k].i];
    F->v = cdn_add(F->v, force);
    F->w = cdn_add(F->w, cdn_add(moment, cdn_cross(cdn_sub(point, X[k].p), force)));
  }
}

/* A row holds, or its force is at a bound and its residual has the sign for it. */
static double row_law(scene *s, cdn_state *state) {
  const provider *p = cdn_subsystem_self(cdn_state_system(state), (cdn_subsystem){ s->id[s->now] });
  row r[2];
  int n, count;
  const double *udot = cdn_state_udot(state);
  double worst = 0, force[6];
  OK_ON(state, rows_of(p, state, r, &n));
  OK_ON(state, cdn_row_forces(state, p->set, 6, force, &count));
  for (int i = 0; i < n; i++) {
    double sum = r[i].def.R[0] * force[i] - r[i].def.target[0], size = 1 + fabs(r[i].def.target[0]);
    sum += r[i].g * udot[cdn_body_first_u(cdn_state_system(state), p->joint)];
    for (int k = 0; k < r[i].bodies; k++) {
      cdn_spatial A;
      OK_ON(state, cdn_body_acceleration(state, r[i].body[k], &A));
      sum += cdn_dot(r[i].J[k].w, A.w) + cdn_dot(r[i].J[k].v, A.v);
      size += fabs(cdn_dot(r[i].J[k].w, A.w)) + fabs(cdn_dot(r[i].J[k].v, A.v));
    }
    const bool low = force[i] <= r[i].def.lower, high = force[i] >= r[i].def.upper;
    worst = fmax(worst, (low ? fmax(-sum, 0) : high ? fmax(sum, 0) : fabs(sum)) / size);
  }
  return worst;
}

static const row_sort sorts[] = { EQUAL, YIELDING, BOUNDED, WEIGHT, SOFT_BOUND };

/* ---- a muscle: z that reads q, u and udot, an entry, a force of z; a region that remembers ---- */

typedef struct muscle {
  cdn_body body, other;
  cdn_control control;
  cdn_ticket command; /* the control's */
  bool remembers, describes;
  cdn_zvar z;
  cdn_cache length, excitation;
  cdn_auto_region past;
} muscle;

static cdn_status calc_length(const void *self, cdn_state *state, void *out) {
  const muscle *m = self;
  cdn_vec3 a, b;
  CDN_TRY(cdn_body_station(state, m->body, cdn_v3(0.1, 0, 0), &a, NULL));
  CDN_TRY(cdn_body_station(state, m->other, cdn_v3(0, 0.1, 0), &b, NULL));
  *(double *)out = cdn_norm(cdn_sub(a, b));
  return CDN_OK;
}
static cdn_status calc_excitation(const void *self, cdn_state *state, void *out) {
  return cdn_control_value(state, ((const muscle *)self)->control, out);
}
static cdn_status calc_past(const void *self, cdn_state *state, cdn_region_output *out) {
  const muscle *m = self;
  const double *length = cdn_eval(state, m->length);
  void *to;
  if (!length) return CDN_ERR_CALLBACK;
  CDN_TRY(cdn_region_output_add(out, 1, &to));
  *(double *)to = *length;
  return CDN_OK;
}
static cdn_status muscle_rates(const void *self, cdn_state *state, double *zdot) {
  const muscle *m = self;
  const double *z = cdn_state_zvar(state, m->z), *udot = cdn_state_udot(state), *length = cdn_eval(state, m->length);
  double c = 0.3;
  if (!udot || !length) return CDN_ERR_CALLBACK;
  if (m->control.i >= 0) {
    const double *excitation = cdn_eval(state, m->excitation);
    if (!excitation) return CDN_ERR_CALLBACK;
    c = *excitation;
  }
  zdot[0] = 5 * (c - z[0]) + *length - 0.2 * u_of(state, m->body);
  zdot[1] = z[0] * z[1] - 0.1 * udot[cdn_body_first_u(cdn_state_system(state), m->body)];
  return CDN_OK;
}
static double pull_of(const muscle *m, cdn_state *state) {
  const double *length = cdn_eval(state, m->length), *z = cdn_state_zvar(state, m->z);
  double bend = 0;
  if (m->remembers) {
    const void *past;
    int n;
    if (cdn_region_eval(state, m->past.update, &past, &n) == CDN_OK && n > 0) bend = 0.1 * *(const double *)past;
  }
  return length ? (1 + z[0] + 0.5 * z[1] * z[1]) * (2 + *length + bend) : NAN;
}
static cdn_status calc_pull(const void *self, cdn_state *state, cdn_forces *forces) {
  const muscle *m = self;
  cdn_vec3 a, b;
  CDN_TRY(cdn_body_station(state, m->body, cdn_v3(0.1, 0, 0), &a, NULL));
  CDN_TRY(cdn_body_station(state, m->other, cdn_v3(0, 0.1, 0), &b, NULL));
  const cdn_vec3 line = cdn_sub(b, a), f = cdn_scale(pull_of(m, state) / cdn_norm(line), line);
  cdn_forces_add_at(forces, m->body, a, f);
  cdn_forces_add_at(forces, m->other, b, cdn_scale(-1, f));
  return CDN_OK;
}
static cdn_status describe_pull(const void *self, cdn_state *state, cdn_force_derivatives *d) {
  const muscle *m = self;
  const double *z = cdn_state_zvar(state, m->z), *length = cdn_eval(state, m->length);
  if (!length) return CDN_ERR_CALLBACK;
  const double tension = pull_of(m, state), activity = 1 + z[0] + 0.5 * z[1] * z[1];
  cdn_force_derivatives_add_line(d, m->body, cdn_v3(0.1, 0, 0), m->other, cdn_v3(0, 0.1, 0), tension, activity, 0);
  cdn_vec3 a, b;
  CDN_TRY(cdn_body_station(state, m->body, cdn_v3(0.1, 0, 0), &a, NULL));
  CDN_TRY(cdn_body_station(state, m->other, cdn_v3(0, 0.1, 0), &b, NULL));
  for (int k = 0; k < 2; k++) {
    cdn_forces *by_z = cdn_force_derivatives_wrt_z(d, m->z, k);
    if (!by_z) continue;
    const cdn_vec3 f = cdn_scale((k ? z[1] : 1) * tension / activity / *length, cdn_sub(b, a));
    cdn_forces_add_at(by_z, m->body, a, f);
    cdn_forces_add_at(by_z, m->other, b, cdn_scale(-1, f));
  }
  return CDN_OK;
}
static cdn_status declare_muscle(void *self, cdn_declarer *d) {
  muscle *m = self;
  m->z = cdn_declare_z(d, 2, (double[]){ 0.4, -0.3 });
  m->length = cdn_declare_cache(d, "length", sizeof(double), calc_length, 1, &CDN_POSE);
  if (m->control.i >= 0)
    m->excitation = cdn_declare_cache(d, "excitation", sizeof(double), calc_excitation, 1, &m->command);
  if (m->remembers)
    m->past = cdn_declare_auto_region(d, "past", sizeof(double), 0, NULL, calc_past, 1, &m->length.ticket);
  const cdn_force_provider pull = { .struct_size = sizeof pull,
                                    .name = "muscle",
                                    .reads = CDN_READS_EVERYTHING,
                                    .calc_force = calc_pull,
                                    .calc_derivative = m->describes ? describe_pull : NULL };
  cdn_declare_forces(d, &pull);
  return CDN_OK;
}
typedef enum muscle_sort { PLAIN, DESCRIBED, CONTROLLED, REMEMBERING } muscle_sort;
static void add_muscle(scene *s) {
  const muscle_sort type = *(const muscle_sort *)scene_feature(s)->data;
  const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                  .name = "muscle",
                                  .self_size = sizeof(muscle),
                                  .declare = declare_muscle,
                                  .calc_zdot = muscle_rates };
  muscle self = { .body = s->slider,
                  .other = s->loose[1],
                  .control = { -1 },
                  .remembers = type == REMEMBERING,
                  .describes = type == DESCRIBED };
  if (type == CONTROLLED) {
    cdn_control_def def = cdn_default_control_def();
    def.name = "excitation", def.initial = 0.6;
    self.control = cdn_system_add_control(s->system, &def);
    self.command = cdn_control_ticket(s->system, self.control);
    cdn_function *f = cdn_function_polynomial(2, (double[]){ 0.3, 0.5 });
    cdn_control_follow_function(s->system, self.control, f);
    cdn_function_release(f);
  }
  cdn_system_add_subsystem(s->system, &ops, &self);
}
static const muscle_sort muscles[] = { PLAIN, DESCRIBED, CONTROLLED, REMEMBERING };

#define ROWS(question, method) \
  { question, method, "provided rows" }
/* Of exact rows, whose forces do not follow from the accelerations. */
static const refusal exact_refuse[] = {
  ROWS("inverse of forward", NULL),
  ROWS("invertible motion", NULL),
  ROWS("inverse of a step", NULL),
  ROWS("a step by controls", NULL),
  ROWS("derivatives of a step", "mujoco-euler"),
  ROWS("derivatives of a step", "mujoco-implicit"),
  ROWS("derivatives of a step", "mujoco-implicit-fast"),
  ROWS("method", "mujoco-euler"),
  ROWS("method", "mujoco-implicit"),
  ROWS("method", "mujoco-implicit-fast"),
  ROWS("method", "mujoco-midpoint"),
  ROWS("lanes in time", "mujoco-euler"),
  ROWS("lanes in time", "mujoco-implicit"),
  ROWS("lanes in time", "mujoco-implicit-fast"),
  ROWS("lanes in time", "mujoco-midpoint"),
  ROWS("checkpoint of a run", "mujoco-euler"),
  ROWS("run from a vector", "mujoco-euler"),
  ROWS("checkpoint of a run", "mujoco-implicit"),
  ROWS("run from a vector", "mujoco-implicit"),
  ROWS("checkpoint of a run", "mujoco-implicit-fast"),
  ROWS("run from a vector", "mujoco-implicit-fast"),
  ROWS("checkpoint of a run", "mujoco-midpoint"),
  ROWS("run from a vector", "mujoco-midpoint"),
  { NULL, NULL, NULL },
};
static const refusal memory_refuses[] = { { "lanes in time", NULL, "muscle.past" }, { NULL, NULL, NULL } };

static const feature table[] = {
  { .name = "provided row",
    .add = add_rows,
    .forces = row_forces,
    .law = row_law,
    .refuses = exact_refuse,
    .exact = true,
    .data = &sorts[0] },
  { .name = "yielding row", .add = add_rows, .forces = row_forces, .law = row_law, .data = &sorts[1] },
  { .name = "bounded rows",
    .add = add_rows,
    .forces = row_forces,
    .law = row_law,
    .refuses = exact_refuse,
    .exact = true,
    .data = &sorts[2] },
  { .name = "weight", .add = add_rows, .forces = row_forces, .law = row_law, .data = &sorts[3] },
  { .name = "muscle", .add = add_muscle, .data = &muscles[0] },
  { .name = "described muscle", .add = add_muscle, .data = &muscles[1], .tip = true },
  { .name = "controlled muscle", .add = add_muscle, .data = &muscles[2] },
  { .name = "muscle with a region", .add = add_muscle, .data = &muscles[3], .refuses = memory_refuses },
  { .name = "yielding row with bounds", .add = add_rows, .forces = row_forces, .law = row_law, .data = &sorts[4] },
};

feature_table own_features(void) { return (feature_table){ table, (int)(sizeof table / sizeof *table) }; }
