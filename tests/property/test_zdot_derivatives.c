/* How the rates of auxiliary states vary: what subsystems describe against differences, compressed differences,
 * mistakes. */
#include "../robust/counting_allocator.h"
#include "differences.h"
#include "dynamics/zdot.h"

/* ---- z that read everything there is ---- */

enum { OWN = 3 };

typedef struct reader {
  cdn_body station_body, joint_body;
  cdn_vec3 p_B;
  bool by_udot;
  cdn_zvar z, other; /* other: of the reader before; group -1: none */
} reader;

static cdn_zvar last_z; /* of the reader that has declared last */

static cdn_status declare(void *self, cdn_declarer *d) {
  static const double z0[OWN] = { 0.4, -0.7, 1.1 };
  reader *r = self;
  r->other = last_z;
  r->z = last_z = cdn_declare_z(d, OWN, z0);
  return CDN_OK;
}

static cdn_status calc_zdot(const void *self, cdn_state *state, double *zdot) {
  const reader *r = self;
  const double *z = cdn_state_zvar(state, r->z), *other = cdn_state_zvar(state, r->other);
  cdn_vec3 p, v;
  cdn_status status = cdn_body_station(state, r->station_body, r->p_B, &p, &v);
  if (status) return status;
  const double q = cdn_body_q(state, r->joint_body)[0], u = cdn_body_u(state, r->joint_body)[0];
  zdot[0] = -2 * z[0] + z[1] * z[1] + q * u;
  zdot[1] = cdn_dot(p, v) + 0.3 * p.x * z[2];
  zdot[2] = -z[2] + (other ? sin(other[0]) * z[0] : 0);
  if (r->by_udot) {
    const double *udot = cdn_state_udot(state);
    if (!udot) return CDN_ERR_CALLBACK;
    zdot[2] += 0.2 * u * udot[cdn_body_first_u(cdn_state_system(state), r->joint_body)];
  }
  return CDN_OK;
}

static cdn_status calc_derivative(const void *self, cdn_state *state, cdn_zdot_derivatives *d) {
  const reader *r = self;
  const double *z = cdn_state_zvar(state, r->z), *other = cdn_state_zvar(state, r->other);
  cdn_vec3 p, v;
  cdn_status status = cdn_body_station(state, r->station_body, r->p_B, &p, &v);
  if (status) return status;
  const double q = cdn_body_q(state, r->joint_body)[0], u = cdn_body_u(state, r->joint_body)[0];
  cdn_zdot_derivatives_add_z(d, r->z, 0, r->z, 0, -2);
  cdn_zdot_derivatives_add_z(d, r->z, 0, r->z, 1, 2 * z[1]);
  cdn_zdot_derivatives_add_mobility(d, r->z, 0, r->joint_body, 0, u, q, 0);
  const cdn_vec3 by_p = cdn_add(v, cdn_v3(0.3 * z[2], 0, 0));
  cdn_zdot_derivatives_add_station(d, r->z, 1, r->station_body, r->p_B, by_p, p);
  cdn_zdot_derivatives_add_z(d, r->z, 1, r->z, 2, 0.3 * p.x);
  cdn_zdot_derivatives_add_z(d, r->z, 2, r->z, 2, -1);
  if (other) {
    cdn_zdot_derivatives_add_z(d, r->z, 2, r->other, 0, cos(other[0]) * z[0]);
    cdn_zdot_derivatives_add_z(d, r->z, 2, r->z, 0, sin(other[0]));
  }
  if (r->by_udot) {
    const int slot = cdn_body_first_u(cdn_state_system(state), r->joint_body);
    const double udot = cdn_state_udot(state)[slot];
    cdn_zdot_derivatives_add_mobility(d, r->z, 2, r->joint_body, 0, 0, 0, 0.2 * u);
    cdn_zdot_derivatives_add_slot(d, r->z, 2, slot, 0, 0.2 * udot);
  }
  return CDN_OK;
}

/* A force that reads z, so that udot varies with them. */
static cdn_status calc_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const reader *r = self;
  const double *z = cdn_state_zvar(state, r->z);
  cdn_forces_add_mobility(forces, r->joint_body, 0, z[0] * z[1] - 0.4 * z[2]);
  return CDN_OK;
}

static cdn_status calc_force_derivative(const void *self, cdn_state *state, cdn_force_derivatives *d) {
  const reader *r = self;
  const double *z = cdn_state_zvar(state, r->z), by[OWN] = { z[1], z[0], -0.4 };
  for (int k = 0; k < OWN; k++) {
    cdn_forces *f = cdn_force_derivatives_wrt_z(d, r->z, k);
    if (f) cdn_forces_add_mobility(f, r->joint_body, 0, by[k]);
  }
  return CDN_OK;
}

/* A joint with a coordinate that is an angle or a length; any will do as the place of a station. */
static cdn_body joint_of(const random_tree *made) {
  for (int i = 1; i <= made->bodies; i++)
    if (made->kind[i] == CDN_PIN || made->kind[i] == CDN_SLIDER) return (cdn_body){ i };
  return (cdn_body){ 0 };
}

typedef enum way { DESCRIBED, DIFFERENCED, MIXED } way;

static cdn_state *make(uint64_t seed, way how, bool by_udot, const cdn_allocator *allocator) {
  tree_options options = { .bodies = 4 + (int)(seed % 7), .shape = seed, .numbers = seed, .forces = true };
  if (allocator) options.allocator = *allocator;
  random_tree made;
  for (;; options.shape += 1000) {
    made = make_random_tree(&options);
    if (joint_of(&made).i > 0) break;
    cdn_system_release(made.system);
  }
  rng r = rng_of(seed + 7);
  last_z = (cdn_zvar){ .group = -1 };
  for (int k = 0; k < 2; k++) {
    reader self = { .joint_body = joint_of(&made), .p_B = random_vec3(&r, 0.7), .by_udot = by_udot };
    self.station_body.i = 1 + pick(&r, made.bodies);
    cdn_force_ops ops = { .struct_size = sizeof ops, .reads = CDN_READS_VELOCITY, .calc_force = calc_force };
    ops.subsystem.self_size = sizeof self;
    ops.subsystem.declare = declare;
    ops.subsystem.calc_zdot = calc_zdot;
    if (how == DESCRIBED || (how == MIXED && k == 0)) {
      ops.subsystem.calc_zdot_derivative = calc_derivative;
      ops.calc_derivative = calc_force_derivative;
    }
    cdn_system_add_custom_force(made.system, &ops, &self);
  }
  return random_tree_state(&made, seed);
}

static void rates(sample *s, double *out) {
  const double *zdot = cdn_state_zdot(s->state);
  ck_assert_ptr_nonnull(zdot);
  memset(out, 0, (size_t)s->nu * sizeof *out);
  memcpy(out, zdot, (size_t)s->nz * sizeof *out);
}

static void check_state(cdn_state *state, uint64_t seed, double tolerance) {
  sample s = sample_of(state, seed);
  if (!cdn_state_udot(s.state)) { /* frames without mass in line, by chance */
    drop(&s);
    return;
  }
  const int rows = s.nu > s.nz ? s.nu : s.nz;
  double *dq = calloc((size_t)(rows * s.nu), sizeof *dq), *du = calloc((size_t)(rows * s.nu), sizeof *du);
  double *dz = calloc((size_t)(rows * s.nz), sizeof *dz);
  OK_ON(s.state, cdn_calc_zdot_derivatives(s.state, dq, du, dz));
  /* matrices of as many rows as check_matrix looks at, with zeros behind */
  const int nu = s.nu;
  if (s.nz <= nu) {
    check_matrix(&s, rates, ALONG_Q, nu, dq, tolerance, "dzdot/dq");
    check_matrix(&s, rates, ALONG_U, nu, du, tolerance, "dzdot/du");
    check_matrix(&s, rates, ALONG_Z, s.nz, dz, tolerance, "dzdot/dz");
  }
  /* and udot varies with z */
  double *a_q = calloc((size_t)(nu * nu), sizeof *a_q), *a_u = calloc((size_t)(nu * nu), sizeof *a_u);
  OK_ON(s.state, cdn_forward_dynamics_derivatives(s.state, a_q, a_u, NULL, dz));
  check_matrix(&s, forward, ALONG_Q, nu, a_q, fmax(tolerance, 1e-7), "dudot/dq");
  check_matrix(&s, forward, ALONG_U, nu, a_u, fmax(tolerance, 1e-7), "dudot/du");
  check_matrix(&s, forward, ALONG_Z, s.nz, dz, tolerance, "dudot/dz");
  free(dq), free(du), free(dz), free(a_q), free(a_u);
  drop(&s);
}

static void check(uint64_t seed, way how, bool by_udot, double tolerance) {
  check_state(make(seed, how, by_udot, NULL), seed, tolerance);
}

START_TEST(described) {
  for (uint64_t seed = 1; seed <= 40; seed++) check(seed, DESCRIBED, seed % 2, 1e-9);
}
END_TEST

START_TEST(differenced) {
  for (uint64_t seed = 1; seed <= 40; seed++) check(seed, seed % 3 ? DIFFERENCED : MIXED, seed % 2, 1e-7);
}
END_TEST

/* Dry friction of joints: some stick, some slide either way, one is off. */
START_TEST(dry_friction) {
  enum { MOST = 8 };
  for (uint64_t seed = 1; seed <= 30; seed++) {
    tree_options options = { .bodies = 3 + (int)(seed % 5), .shape = seed, .numbers = seed, .forces = true };
    random_tree made = make_random_tree(&options);
    rng r = rng_of(seed + 3);
    double z[MOST], k[MOST], loss[MOST];
    int n = 0, slot[MOST];
    cdn_mobility ends[2] = { { { 0 }, 0 } };
    const double coefficients[2] = { 0.6, -1.2 };
    bool bends = false;
    cdn_force last = { -1 };
    for (int i = 1; i <= made.bodies; i++)
      for (int l = 0; l < cdn_body_nu(made.system, (cdn_body){ i }) && n < MOST - 1; l++, n++) {
        z[n] = uniform(&r, -1, 1), k[n] = uniform(&r, 20, 40), loss[n] = n % 2 ? 0.3 : 1e3;
        slot[n] = cdn_body_first_u(made.system, (cdn_body){ i }) + l;
        ends[n > 0] = (cdn_mobility){ { i }, l };
        last = cdn_system_add_mobility_friction(made.system, NULL, (cdn_body){ i }, l, loss[n], k[n], 0.2);
      }
    if (n == 0) {
      cdn_system_release(made.system);
      continue;
    }
    const bool tendon = n > 1; /* along the first mobility and the last of these */
    z[n] = uniform(&r, -1, 1), k[n] = 25, loss[n] = seed % 2 ? 0.3 : 1e3;
    if (tendon) cdn_system_add_tendon_friction(made.system, NULL, 2, ends, coefficients, loss[n], k[n], 0.2);
    cdn_state *state = random_tree_state(&made, seed);
    OK(cdn_state_set_z(state, z));
    if (seed % 3 == 0) OK(cdn_force_set_enabled(state, last, false));
    for (int i = 0; i < n; i++) /* where one is about to slide, differences see both sides */
      bends = bends || fabs(fabs(k[i] * (z[i] + 0.2 * cdn_state_u(state)[slot[i]])) - loss[i]) < 2;
    if (tendon) {
      const double *u = cdn_state_u(state), v = coefficients[0] * u[slot[0]] + coefficients[1] * u[slot[n - 1]];
      bends = bends || fabs(fabs(k[n] * (z[n] + 0.2 * v)) - loss[n]) < 2;
    }
    if (bends) cdn_state_destroy(state);
    else check_state(state, seed, 1e-9);
  }
}
END_TEST

/* ---- differences that are compressed ---- */

/* Many z, each of which reads one mobility and itself, some their neighbour: few evaluations find all. */
typedef struct many {
  cdn_body body[4];
  int n, evaluations;
  cdn_zvar z;
  bool coupled; /* each with the one before: found out as soon as it happens */
} many;

static int64_t evaluations;
static bool coupled;

static cdn_status declare_many(void *self, cdn_declarer *d) {
  many *m = self;
  double z0[64];
  for (int i = 0; i < m->n; i++) z0[i] = 0.1 + 0.01 * i;
  m->z = cdn_declare_z(d, m->n, z0);
  return CDN_OK;
}

static cdn_status many_zdot(const void *self, cdn_state *state, double *zdot) {
  const many *m = self;
  const double *z = cdn_state_zvar(state, m->z);
  evaluations++;
  for (int i = 0; i < m->n; i++) {
    const double q = cdn_body_q(state, m->body[i % 4])[0], u = cdn_body_u(state, m->body[i % 4])[0];
    zdot[i] = -(1 + 0.1 * i) * z[i] + sin(q) + 0.5 * u * z[i] + (coupled && i ? 3 * z[i - 1] : 0);
  }
  return CDN_OK;
}

static double truth(const many *m, cdn_state *state, int i, char by, int k) {
  const double *z = cdn_state_zvar(state, m->z);
  const double q = cdn_body_q(state, m->body[i % 4])[0], u = cdn_body_u(state, m->body[i % 4])[0];
  if (by == 'z') return i == k ? -(1 + 0.1 * i) + 0.5 * u : coupled && k == i - 1 ? 3 : 0;
  return i % 4 != k ? 0 : by == 'q' ? cos(q) : 0.5 * z[i];
}

START_TEST(columns_are_displaced_together) {
  enum { NZ = 40, NU = 4, COLUMNS = 2 * NU + NZ };
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_PIN;
  def.mass = (cdn_mass_properties){ 1, { 0, -0.2, 0 }, { 1, 1, 1, 0, 0, 0 } };
  many m = { .n = NZ };
  for (int i = 0; i < NU; i++) def.parent = m.body[i] = cdn_system_add_body(system, &def);
  const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "many", .self_size = sizeof m, .declare = declare_many, .calc_zdot = many_zdot
  };
  const cdn_subsystem id = cdn_system_add_subsystem(system, &ops, &m);
  OK_FREEZE(system);
  const many *self = cdn_subsystem_self(system, id);
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  double step[COLUMNS], G[NZ * NU], H[NZ * NU], W[NZ * NU], L[NZ * NZ];
  int group[COLUMNS];
  bool varies[COLUMNS * NZ] = { 0 }, taken[NZ];
  zdot_groups groups = { .group = group, .varies = varies, .taken = taken };
  const zdot_matrices to = { G, H, W, L };
  for (int k = 0; k < COLUMNS; k++) step[k] = 1.5e-8;
  coupled = false;
  for (int time = 0; time < 5; time++) {
    const double u[NU] = { 0.1 * time, 0.2, -0.3, 0.4 }, q[NU] = { 0.3, -0.2, 0.1 * time, 1 };
    OK_ON(state, cdn_state_set_q(state, q));
    OK_ON(state, cdn_state_set_u(state, u));
    coupled = time >= 3;
    OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
    evaluations = 0;
    OK_ON(state, cdni_zdot_differentiate(state, "test", step, &groups, &to));
    for (int i = 0; i < NZ; i++) {
      for (int k = 0; k < NU; k++) {
        NEAR(G[i * NU + k], truth(self, state, i, 'q', k), 1e-6);
        NEAR(H[i * NU + k], truth(self, state, i, 'u', k), 1e-6);
        ck_assert(W[i * NU + k] == 0);
      }
      for (int k = 0; k < NZ; k++) NEAR(L[i * NZ + k], truth(self, state, i, 'z', k), 1e-6);
    }
    /* every column at first, and where they prove to vary with others than before; else one for q, u, z each and one to
     * confirm */
    if (time == 0) ck_assert_int_eq(evaluations, COLUMNS + 1);
    if (time == 1 || time == 2) ck_assert_int_le(evaluations, 5);
    if (time == 3) ck_assert_int_ge(evaluations, COLUMNS);
    if (time == 4) ck_assert_int_le(evaluations, 6);
  }
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* ---- what is prescribed, and Systems without bodies ---- */

START_TEST(prescribed_columns_are_zero) {
  for (int how = DESCRIBED; how <= DIFFERENCED; how++) {
    cdn_state *state = make(3, (way)how, false, NULL);
    const cdn_system *system = cdn_state_system(state);
    const int nu = cdn_system_nu(system), nz = cdn_system_nz(system);
    double *dq = calloc((size_t)(nz * nu), sizeof *dq), *du = calloc((size_t)(nz * nu), sizeof *du);
    for (int i = 1; i < cdn_system_body_count(system); i++)
      OK_ON(state, cdn_body_lock(state, (cdn_body){ i }, CDN_LEVEL_POSITION));
    OK_ON(state, cdn_calc_zdot_derivatives(state, dq, du, NULL));
    for (int k = 0; k < nz * nu; k++) ck_assert(dq[k] == 0 && du[k] == 0);
    free(dq), free(du);
    cdn_state_destroy(state);
  }
}
END_TEST

typedef struct decay {
  cdn_zvar z;
} decay;
static cdn_status declare_decay(void *self, cdn_declarer *d) {
  const double z0[2] = { 1, 2 };
  ((decay *)self)->z = cdn_declare_z(d, 2, z0);
  return CDN_OK;
}
static cdn_status decay_zdot(const void *self, cdn_state *state, double *zdot) {
  const double *z = cdn_state_zvar(state, ((const decay *)self)->z);
  zdot[0] = -z[0] * z[1], zdot[1] = z[0];
  return CDN_OK;
}
static int mistake;
static cdn_status decay_derivative(const void *self, cdn_state *state, cdn_zdot_derivatives *d) {
  const cdn_zvar own = ((const decay *)self)->z, none = { .group = 77 };
  const double *z = cdn_state_zvar(state, own);
  const cdn_vec3 zero = { 0, 0, 0 };
  cdn_zdot_derivatives_add_z(d, mistake == 1 ? none : own, mistake == 2 ? 2 : 0, own, 0, -z[1]);
  cdn_zdot_derivatives_add_z(d, own, 0, mistake == 3 ? none : own, mistake == 4 ? -1 : 1, mistake == 5 ? NAN : -z[0]);
  cdn_zdot_derivatives_add_z(d, own, 1, own, 0, 1);
  if (mistake == 6) cdn_zdot_derivatives_add_mobility(d, own, 0, (cdn_body){ 1 }, 0, 0, 0, 0);
  if (mistake == 7) cdn_zdot_derivatives_add_station(d, own, 0, (cdn_body){ 0 }, zero, zero, zero);
  if (mistake == 8) cdn_zdot_derivatives_add_slot(d, own, 0, 0, 0, 0);
  return mistake == 9 ? CDN_ERR_CALLBACK : CDN_OK;
}

START_TEST(without_bodies_and_mistakes) {
  const cdn_subsystem_ops ops = { .struct_size = sizeof ops,
                                  .name = "decay",
                                  .self_size = sizeof(decay),
                                  .declare = declare_decay,
                                  .calc_zdot = decay_zdot,
                                  .calc_zdot_derivative = decay_derivative };
  static const cdn_status expected[] = { CDN_OK,      CDN_ERR_ARG,       CDN_ERR_ARG, CDN_ERR_ARG,
                                         CDN_ERR_ARG, CDN_ERR_NONFINITE, CDN_ERR_ARG, CDN_ERR_ARG,
                                         CDN_ERR_ARG, CDN_ERR_CALLBACK };
  cdn_system *system = cdn_system_create(NULL);
  const decay self = { 0 };
  cdn_system_add_subsystem(system, &ops, &self);
  OK_FREEZE(system);
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  double dz[4];
  for (mistake = 9; mistake >= 0; mistake--) {
    const cdn_status status = cdn_calc_zdot_derivatives(state, NULL, NULL, dz);
    ck_assert_msg(status == expected[mistake], "%d: %s", mistake, cdn_status_name(status));
    if (mistake == 0) break;
    cdn_error e;
    cdn_state_last_error(state, &e);
    ck_assert_str_eq(e.element, "decay");
  }
  const double there[4] = { -2, -1, 1, 0 };
  for (int k = 0; k < 4; k++) NEAR(dz[k], there[k], 1e-15);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* ---- linearization: a mass on a slider, a spring, a damper, and a controller with an integrator that leaks ---- */

typedef struct controller {
  cdn_body body;
  cdn_zvar z;
} controller;
static const double K = 7, C = 0.4, GAIN = 3, T = 2, MASS = 5;
static cdn_status controller_declare(void *self, cdn_declarer *d) {
  ((controller *)self)->z = cdn_declare_z(d, 1, NULL);
  return CDN_OK;
}
static cdn_status controller_zdot(const void *self, cdn_state *state, double *zdot) {
  const controller *c = self;
  zdot[0] = cdn_body_q(state, c->body)[0] - cdn_state_zvar(state, c->z)[0] / T;
  return CDN_OK;
}
static cdn_status controller_force(const void *self, cdn_state *state, cdn_forces *forces) {
  const controller *c = self;
  cdn_forces_add_mobility(forces, c->body, 0, -GAIN * cdn_state_zvar(state, c->z)[0]);
  return CDN_OK;
}

START_TEST(linearization) {
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  def.mobilizer = CDN_SLIDER;
  def.mass.mass = MASS;
  const controller c = { .body = cdn_system_add_body(system, &def) };
  cdn_system_add_mobility_spring(system, "spring", c.body, 0, K, 0);
  cdn_system_add_mobility_damper(system, "damper", c.body, 0, C);
  cdn_force_ops ops = { .struct_size = sizeof ops, .calc_force = controller_force };
  ops.subsystem.self_size = sizeof c;
  ops.subsystem.declare = controller_declare;
  ops.subsystem.calc_zdot = controller_zdot;
  cdn_system_add_custom_force(system, &ops, &c);
  OK_FREEZE(system);
  cdn_state *state = NULL;
  OK(cdn_state_create(system, &state));
  double A[9], sign, D, U;
  int n, l;
  OK_ON(state, cdn_linearize_with_z(state, A, &D, &n, &U, &l));
  ck_assert(n == 1 && l == 1);
  sign = D; /* of the bases, which are 1 or -1 */
  ck_assert(D == U && fabs(D) == 1);
  const double truth[9] = { 0, 1, 0, -K / MASS, -C / MASS, -sign * GAIN / MASS, sign, 0, -1 / T };
  for (int k = 0; k < 9; k++) NEAR(A[k], truth[k], 1e-9);
  double held[4];
  OK_ON(state, cdn_linearize(state, held, NULL, &n, NULL, &l));
  for (int k = 0; k < 4; k++) NEAR(held[k], truth[k / 2 * 3 + k % 2], 1e-12);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

/* ---- nothing in the State changes, nothing is allocated ---- */

START_TEST(state_is_left_alone) {
  counting_allocator counter = { 0 };
  const cdn_allocator allocator = allocator_of(&counter);
  cdn_state *state = make(5, MIXED, true, &allocator);
  const cdn_system *system = cdn_state_system(state);
  const size_t nu = (size_t)cdn_system_nu(system), nz = (size_t)cdn_system_nz(system);
  double *dq = calloc(nz * nu, sizeof *dq), *du = calloc(nz * nu, sizeof *du), *dz = calloc(nz * nz, sizeof *dz);
  OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
  const uint64_t serial = cdn_state_serial(state, CDN_Z);
  for (int i = 0; i < 4; i++) {
    const int64_t calls = counter.calls;
    OK_ON(state, cdn_calc_zdot_derivatives(state, dq, du, dz));
    if (i > 1) /* the workspace has grown into one piece */
      ck_assert_int_eq(counter.calls, calls);
    ck_assert_uint_eq(cdn_state_serial(state, CDN_Z), serial);
    ck_assert_int_eq(cdn_state_stage(state), CDN_STAGE_ACCELERATION);
  }
  free(dq), free(du), free(dz);
  cdn_state_destroy(state);
  ck_assert_int_eq(counter.outstanding, 0);
}
END_TEST

/* ---- models of any size ---- */

static const double NANOMETRE = 1e-9;

static cdn_status wave(const void *self, cdn_state *state, double *zdot) {
  (void)self;
  zdot[0] = sin(cdn_state_q(state)[0] / NANOMETRE);
  return CDN_OK;
}
static cdn_status declare_wave(void *self, cdn_declarer *d) {
  (void)self;
  cdn_declare_z(d, 1, (double[]){ 0 });
  return CDN_OK;
}

START_TEST(differences_have_the_size_of_the_model) {
  const cdn_subsystem_ops ops = {
    .struct_size = sizeof ops, .name = "wave", .declare = declare_wave, .calc_zdot = wave
  };
  cdn_system *system = cdn_system_create(NULL);
  cdn_body_def def = cdn_default_body_def();
  const double I = NANOMETRE * NANOMETRE;
  def.mobilizer = CDN_SLIDER;
  def.mass = (cdn_mass_properties){ .mass = 1, .inertia = { .xx = I, .yy = I, .zz = I } };
  cdn_system_add_body(system, &def);
  cdn_system_add_subsystem(system, &ops, NULL);
  OK_FREEZE(system);
  cdn_state *state;
  OK(cdn_state_create(system, &state));
  double by_q, by_u, by_z;
  const double q = 0.4 * NANOMETRE;
  OK_ON(state, cdn_state_set_q(state, &q));
  OK_ON(state, cdn_calc_zdot_derivatives(state, &by_q, &by_u, &by_z));
  NEAR(by_q * NANOMETRE, cos(0.4), 1e-8);
  cdn_state_destroy(state);
  cdn_system_release(system);
}
END_TEST

CHECK_MAIN("derivatives of auxiliary states", described, dry_friction, differenced, columns_are_displaced_together,
           prescribed_columns_are_zero, without_bodies_and_mistakes, linearization, state_is_left_alone,
           differences_have_the_size_of_the_model)
