/* cdn_step_derivatives against MuJoCo's mjd_transitionFD, which differences its step: joints of all kinds with
 * actuators, soft rows, and the humanoid on its floor. */
#include <stdio.h>
#include <stdlib.h>

#include "random_mjcf.h"
#include "step_rig.h"

enum { MOST_X = 2 * STEP_RIG_MOST + 20 };

typedef struct matrices {
  int n, nc; /* numbers of x, controls */
  double *A, *B, *theirs_A, *theirs_B, *to_ours, *to_theirs, *product;
} matrices;

static matrices room_for(const step_rig *r) {
  matrices m = { .n = 2 * r->m->nv + r->m->na, .nc = r->m->nu };
  const size_t n = (size_t)m.n * (size_t)m.n;
  double **all[] = { &m.A, &m.theirs_A, &m.to_ours, &m.to_theirs, &m.product };
  for (int k = 0; k < 5; k++) *all[k] = calloc(n + 1, sizeof(double));
  m.B = calloc((size_t)m.n * (size_t)m.nc + 1, sizeof(double));
  m.theirs_B = calloc((size_t)m.n * (size_t)m.nc + 1, sizeof(double));
  return m;
}

static void drop(matrices *m) {
  double *all[] = { m->A, m->theirs_A, m->to_ours, m->to_theirs, m->product, m->B, m->theirs_B };
  for (int k = 0; k < 7; k++) free(all[k]);
}

/* out (rows x columns) = a (rows x n) b (n x columns) */
static void multiply(int rows, int n, int columns, const double *a, const double *b, double *out) {
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < columns; k++) {
      double sum = 0;
      for (int l = 0; l < n; l++) sum += a[i * n + l] * b[l * columns + k];
      out[i * columns + k] = sum;
    }
}

/* Where MuJoCo's (dq, dv, da) lead from ours (v, du, dz), at our q and u; or back. A displacement changes as a velocity
 * does. Of balls and free joints MuJoCo's angular velocity w' = R^T w is in axes that turn: dw' = R^T (dw - v x w). */
static void changes(const step_rig *r, const double *q, const double *u, bool back, double *out) {
  const int nv = r->m->nv, n = 2 * nv + r->m->na;
  memset(out, 0, (size_t)n * (size_t)n * sizeof *out);
  for (int k = 0; k < 2 * nv; k++) {
    double x[STEP_RIG_MOST] = { 0 }, d[STEP_RIG_MOST] = { 0 }, a[STEP_RIG_MOST], b[STEP_RIG_MOST];
    if (k < nv) x[k] = 1;
    else d[k - nv] = 1;
    if (back) {
      mj_bridge_u_from_mujoco(&r->bridge, q, x, a);
      mj_bridge_u_from_mujoco(&r->bridge, q, d, b);
    }
    for (int j = 0; j < r->m->njnt; j++) {
      const cdn_model_joint joint = cdn_model_get_joint(r->model, j);
      if (joint.nq < 4) continue;
      const double *v = back ? a + joint.first_u : x + joint.first_u, *w = u + joint.first_u;
      const cdn_vec3 cross = cdn_cross(cdn_v3(v[0], v[1], v[2]), cdn_v3(w[0], w[1], w[2]));
      double *to = back ? b + joint.first_u : d + joint.first_u;
      const double sign = back ? 1 : -1;
      to[0] += sign * cross.x, to[1] += sign * cross.y, to[2] += sign * cross.z;
    }
    if (!back) {
      mj_bridge_u_to_mujoco(&r->bridge, q, x, a);
      mj_bridge_u_to_mujoco(&r->bridge, q, d, b);
    }
    for (int i = 0; i < nv; i++) out[i * n + k] = a[i], out[(nv + i) * n + k] = b[i];
  }
  for (int i = 0; i < cdn_model_actuator_count(r->model); i++) {
    cdn_model_actuator a;
    OK(cdn_model_get_actuator(r->model, i, &a));
    if (a.activation.group < 0) continue;
    const int theirs = 2 * nv + step_rig_activation(r, &a),
              ours = 2 * nv + (int)(cdn_state_zvar(r->state, a.activation) - cdn_state_z(r->state));
    out[back ? ours * n + theirs : theirs * n + ours] = 1;
  }
}

/* The largest difference, relative to the largest element, of what the step changes: of A - 1, and of B. */
static double distance(int rows, int columns, const double *a, const double *b) {
  double size = 0, off = 0;
  for (int i = 0; i < rows; i++)
    for (int k = 0; k < columns; k++) {
      const double one = columns == rows && i == k;
      size = fmax(size, fabs(b[i * columns + k] - one));
      off = fmax(off, fabs(a[i * columns + k] - b[i * columns + k]));
    }
  return off / fmax(size, 1e-6);
}

/* Of controls MuJoCo's order is theirs. */
static void order_controls(const step_rig *r, int n, const double *from, double *to) {
  const int nc = r->m->nu;
  for (int i = 0; i < cdn_model_actuator_count(r->model); i++) {
    cdn_model_actuator a;
    OK(cdn_model_get_actuator(r->model, i, &a));
    const int theirs = mj_name2id(r->m, mjOBJ_ACTUATOR, a.name);
    for (int k = 0; k < n; k++) to[k * nc + a.control.i] = from[k * nc + theirs];
  }
}

/* Of one state. */
static void compare_one(step_rig *r, cdn_method method, double eps, matrices *m, double off[2]) {
  double q[STEP_RIG_MOST], u[STEP_RIG_MOST];
  const int n = m->n;
  OK_ON(r->state, cdn_step_derivatives(r->state, method, r->m->opt.timestep, m->A, NULL, m->B));
  mjd_transitionFD(r->m, r->d, eps, 1, m->theirs_A, m->theirs_B, NULL, NULL);
  changes(r, cdn_state_q(r->state), cdn_state_u(r->state), false, m->to_theirs);
  mj_step(r->m, r->d);
  mj_bridge_q_from_mujoco(&r->bridge, r->d->qpos, q);
  mj_bridge_u_from_mujoco(&r->bridge, q, r->d->qvel, u);
  changes(r, q, u, true, m->to_ours);
  multiply(n, n, n, m->theirs_A, m->to_theirs, m->product);
  multiply(n, n, n, m->to_ours, m->product, m->theirs_A);
  multiply(n, n, m->nc, m->to_ours, m->theirs_B, m->product);
  order_controls(r, n, m->product, m->theirs_B);
  off[0] = distance(n, n, m->A, m->theirs_A);
  off[1] = m->nc > 0 ? distance(n, m->nc, m->B, m->theirs_B) : 0;
}

/* 2.2.2 leaves 0 at the first coordinate where some contacts are there, and differences the jump: here it is 0 before,
 * too. The floor is level, so that nothing depends on it. */
static void put_at_zero(step_rig *r) {
  double q[STEP_RIG_MOST];
  r->d->qpos[0] = 0;
  mj_bridge_q_from_mujoco(&r->bridge, r->d->qpos, q);
  OK_ON(r->state, cdn_state_set_q(r->state, q));
}

/* Where a row changes its piece within the differences these are off: of the steps of differences the best counts, and
 * the part of the states that are near. */
static void compare(step_rig *r, const char *theirs, cdn_method method, int states, double speed, bool at_zero,
                    double limit, double part) {
  static const double eps[] = { 1e-4, 1e-5, 1e-6 };
  uint64_t rng = 99;
  matrices m = room_for(r);
  int near = 0;
  double worst[2] = { 0, 0 };
  for (int i = 0; i < states; i++) {
    double best[2] = { INFINITY, INFINITY };
    uint64_t here = rng;
    for (int k = 0; k < 3; k++) {
      double off[2];
      rng = here;
      step_rig_draw(r, &rng, 0.7, speed);
      if (at_zero) put_at_zero(r);
      compare_one(r, method, eps[k], &m, off);
      for (int j = 0; j < 2; j++) best[j] = fmin(best[j], off[j]);
    }
    near += best[0] <= limit && best[1] <= limit;
    for (int j = 0; j < 2; j++) worst[j] = fmax(worst[j], best[j]);
    if (getenv("CARDAN_TEST_VERBOSE")) printf("  %d: %.2g %.2g\n", i, best[0], best[1]);
  }
  printf("%-10s %-9s derivatives: %d of %d within %g, worst %.2g by x, %.2g by controls\n", r->name, theirs, near,
         states, limit, worst[0], worst[1]);
  ck_assert_msg(near >= part * states, "%s, %s: %d of %d within %g, worst %.3g and %.3g", r->name, theirs, near, states,
                limit, worst[0], worst[1]);
  drop(&m);
}

typedef struct pair {
  const char *theirs;
  cdn_method ours;
} pair;
static const pair methods[] = { { "Euler", CDN_METHOD_MUJOCO_EULER }, { "implicit", CDN_METHOD_MUJOCO_IMPLICIT } };
enum { METHODS = sizeof methods / sizeof *methods };

START_TEST(of_smooth_steps) {
  const pair *p = &methods[_i];
  char text[5000];
  snprintf(text, sizeof text, step_rig_smooth, 0.01, p->theirs);
  step_rig r = step_rig_load("smooth", text, NULL);
  compare(&r, p->theirs, p->ours, 40, 3, false, 1e-8, 1);
  step_rig_drop(&r);
}
END_TEST

START_TEST(of_steps_with_soft_rows) {
  const pair *p = &methods[_i];
  char text[5000];
  snprintf(text, sizeof text, step_rig_touching, 0.002, p->theirs);
  cdn_soft_def soft = cdn_default_soft_def();
  /* 2.2.2 leaves out how the direction of a ball's limit turns */
  soft.rates = false, soft.tolerance = 1e-15, soft.shortest_time = 0.004;
  step_rig r = step_rig_load("touching", text, &soft);
  compare(&r, p->theirs, p->ours, 40, 1, false, 1e-7, 1);
  step_rig_drop(&r);
}
END_TEST

START_TEST(of_a_humanoid) {
  static char text[200000];
  const pair *p = &methods[_i];
  if (!mj_bridge_read_model("humanoid.xml", text, sizeof text))
    SKIP("there is no humanoid.xml among the shared models");
  step_rig r = step_rig_load("humanoid", text, NULL);
  r.m->opt.integrator = p->ours == CDN_METHOD_MUJOCO_EULER ? mjINT_EULER : mjINT_IMPLICIT;
  compare(&r, p->theirs, p->ours, 20, 1, true, 1e-6, 0.9);
  step_rig_drop(&r);
}
END_TEST

/* ---- sensors: MuJoCo's C and D ---- */

/* The text of a rig with sensors of all stages. */
static void with_sensors(const char *format, double h, const char *theirs, char *text, size_t size) {
  static const char sensors[] =
      "<sensor><jointpos joint='elbow' name='s0'/><jointvel joint='rail' name='s1'/><ballquat joint='shoulder' name='s2'/>"
      "<ballangvel joint='shoulder' name='s3'/><accelerometer site='nozzle' name='s4'/><gyro site='tip' name='s5'/>"
      "<velocimeter site='tip' name='s6'/><framepos objtype='site' objname='tip' name='s7'/>"
      "<framelinvel objtype='site' objname='tip' reftype='site' refname='nozzle' name='s8'/>"
      "<framelinacc objtype='site' objname='tip' name='s9'/><subtreecom body='arm' name='s10'/>"
      "<subtreeangmom body='base' name='s11'/><actuatorfrc actuator='d' name='s12'/>"
      "<actuatorpos actuator='a' name='s13'/><actuatorvel actuator='g' name='s14'/>"
      "<actuatorfrc actuator='e' name='s15'/><force site='tip' name='s16'/><torque site='nozzle' name='s17'/></sensor>"
      "</mujoco>";
  snprintf(text, size, format, h, theirs);
  char *end = strstr(text, "</mujoco>");
  snprintf(end, size - (size_t)(end - text), "%s", sensors);
}

/* Rows of theirs in our order; returns how many. */
static int order_sensors(const step_rig *r, int n, const double *from, double *to) {
  int rows = 0;
  for (int i = 0; i < cdn_model_sensor_count(r->model); i++) {
    cdn_model_sensor s;
    OK(cdn_model_get_sensor(r->model, i, &s));
    const int theirs = mj_name2id(r->m, mjOBJ_SENSOR, s.name);
    const int size = cdn_measure_size(cdn_model_system(r->model), s.measure);
    ck_assert_int_eq(size, r->m->sensor_dim[theirs]);
    memcpy(to + (size_t)rows * (size_t)n, from + (size_t)r->m->sensor_adr[theirs] * (size_t)n,
           (size_t)size * (size_t)n * sizeof *to);
    rows += size;
  }
  return rows;
}

/* Row by row, relative to the row's largest number and to 1. */
static double rows_differ(int rows, int n, const double *a, const double *b) {
  double worst = 0;
  for (int i = 0; i < rows; i++) {
    double size = 1, off = 0;
    for (int k = 0; k < n; k++) {
      size = fmax(size, fabs(b[i * n + k]));
      off = fmax(off, fabs(a[i * n + k] - b[i * n + k]));
    }
    worst = fmax(worst, off / size);
  }
  return worst;
}

/* 2.2.2's centred D has the opposite sign: so D is differenced here, as that function means to. */
static void difference_sensors(step_rig *r, double eps, double *D) {
  const int nc = r->m->nu, ny = r->m->nsensordata;
  for (int k = 0; k < nc; k++) {
    const double now = r->d->ctrl[k];
    for (int side = 1; side >= -1; side -= 2) {
      r->d->ctrl[k] = now + side * eps;
      mj_forward(r->m, r->d);
      for (int i = 0; i < ny; i++)
        D[i * nc + k] = side > 0 ? r->d->sensordata[i] : (D[i * nc + k] - r->d->sensordata[i]) / (2 * eps);
    }
    r->d->ctrl[k] = now;
  }
}

static void compare_sensors(step_rig *r, uint64_t *rng, double eps, double off[2]) {
  enum { MOST_Y = 60 };
  static double C[MOST_Y * MOST_X], D[MOST_Y * 20], raw[MOST_Y * MOST_X], rawD[MOST_Y * 20];
  static double theirs[MOST_Y * MOST_X], theirs_D[MOST_Y * 20], to[MOST_X * MOST_X], product[MOST_Y * MOST_X];
  const int n = 2 * r->m->nv + r->m->na, nc = r->m->nu, ny = r->m->nsensordata;
  cdn_measure measures[MOST_Y];
  cdn_model_sensor s;
  ck_assert(ny <= MOST_Y && n <= MOST_X);
  const int count = cdn_model_sensor_count(r->model);
  for (int i = 0; i < count; i++) {
    OK(cdn_model_get_sensor(r->model, i, &s));
    measures[i] = s.measure;
  }
  step_rig_draw(r, rng, 0.7, 2);
  OK_ON(r->state, cdn_measure_state_derivatives(r->state, count, measures, C, NULL, D));
  mjd_transitionFD(r->m, r->d, eps, 1, NULL, NULL, raw, NULL);
  difference_sensors(r, eps, rawD);
  changes(r, cdn_state_q(r->state), cdn_state_u(r->state), false, to);
  ck_assert_int_eq(order_sensors(r, n, raw, theirs), ny);
  multiply(ny, n, n, theirs, to, product);
  order_sensors(r, nc, rawD, theirs);
  for (int i = 0; i < cdn_model_actuator_count(r->model); i++) {
    cdn_model_actuator a;
    OK(cdn_model_get_actuator(r->model, i, &a));
    const int column = mj_name2id(r->m, mjOBJ_ACTUATOR, a.name);
    for (int k = 0; k < ny; k++) theirs_D[k * nc + a.control.i] = theirs[k * nc + column];
  }
  off[0] = rows_differ(ny, n, C, product);
  off[1] = rows_differ(ny, nc, D, theirs_D);
}

START_TEST(of_sensors) {
  static const double eps[] = { 1e-4, 1e-5, 1e-6 };
  char text[6000];
  uint64_t rng = 5;
  double worst[2] = { 0, 0 };
  with_sensors(step_rig_smooth, 0.01, methods[_i].theirs, text, sizeof text);
  step_rig r = step_rig_load("sensors", text, NULL);
  for (int i = 0; i < 10; i++) {
    double best[2] = { INFINITY, INFINITY };
    const uint64_t here = rng;
    for (int k = 0; k < 3; k++) {
      double off[2];
      rng = here;
      compare_sensors(&r, &rng, eps[k], off);
      for (int j = 0; j < 2; j++) best[j] = fmin(best[j], off[j]);
    }
    for (int j = 0; j < 2; j++) worst[j] = fmax(worst[j], best[j]);
  }
  printf("%-9s derivatives of sensors: worst %.2g by x, %.2g by controls\n", methods[_i].theirs, worst[0], worst[1]);
  AT_MOST(worst[0], 1e-7); /* both are differences, of numbers of some hundreds */
  AT_MOST(worst[1], 1e-8);
  step_rig_drop(&r);
}
END_TEST

static void add(TCase *c) {
  tcase_add_loop_test(c, of_sensors, 0, METHODS);
  tcase_add_loop_test(c, of_smooth_steps, 0, METHODS);
  tcase_add_loop_test(c, of_steps_with_soft_rows, 0, METHODS);
  tcase_add_loop_test(c, of_a_humanoid, 0, METHODS);
}
CHECK_MAIN_OF("mujoco step derivatives", 300, add)
