/* One model in Cardan and in MuJoCo at random states.
 *
 * Tolerances. Both engines round each operation once, in different orders, over trees of up to about twenty levels,
 * so a few hundred roundings (1e-13) of the quantities that are summed. The scales are those sums, not the results,
 * which may cancel: the model's size for positions, sqrt(M_ii) times the norm of accelerations in the metric of the
 * masses for forces (by Cauchy's inequality the most that inertia forces can put on a mobility); for udot, times the
 * condition of M scaled to a unit diagonal, which does not depend on units. MuJoCo's M has roundings of m d^2 as well,
 * d up to the model's size: it refers all inertias to the centre of mass of the whole tree.
 *
 * MuJoCo's principal axes are found by rotations that stop early: its inertias are off by up to 1e-6 of the largest
 * moment, while its moments, for which that is of second order, are good to 1e-12 over their relative differences.
 * So inertias are compared to 1e-5, moments to 1e-11, centres of mass to rounding, and then MuJoCo is given our axes
 * for all that follows. */
#include "mujoco_compare.h"

#include "condition.h"
#include "random_mjcf.h"
#include "../testing.h"

#include <stdio.h>

static const double tolerances[] = {
#define COMPARED_TOLERANCE(name, text, tolerance) tolerance,
  COMPARED_LIST(COMPARED_TOLERANCE)
#undef COMPARED_TOLERANCE
};
static const char *const names[] = {
#define COMPARED_NAME(name, text, tolerance) text,
  COMPARED_LIST(COMPARED_NAME)
#undef COMPARED_NAME
};

typedef struct comparison {
  const char *label;
  cdn_model *model;
  cdn_state *state;
  mjModel *m;
  mjData *d;
  mj_bridge bridge;
  tally *t;
  int *ours; /* our body for each of MuJoCo's; -1 for a body that stands for a frame */
  int nq, nu;
  double size; /* of the model, metres */
  double cond;
  double *q, *u, *f, *a, *b, *M, *scale; /* numbers of each kind, in our order; a, b scratch */
} comparison;

static void judge(comparison *c, compared what, double error, double scale, const char *element) {
  double relative = error == 0 ? 0 : error / scale;
  if (!(relative <= c->t->worst[what])) {
    c->t->worst[what] = relative;
    snprintf(c->t->where[what], sizeof c->t->where[what], "%s %s", c->label, element);
  }
  ck_assert_msg(relative <= tolerances[what], "%s: %s of %s: error %.3g at scale %.3g (relative %.3g, allowed %.3g)",
                c->label, names[what], element, error, scale, relative, tolerances[what]);
}

static void judge_all(comparison *c, compared what, const double *x, const double *y, int n, double scale) {
  char element[32];
  for (int i = 0; i < n; i++) {
    snprintf(element, sizeof element, "%d", i);
    judge(c, what, fabs(x[i] - y[i]), scale, element);
  }
}

static double length(const double *v, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += v[i] * v[i];
  return sqrt(sum);
}

static double distance(cdn_vec3 a, const double *b) { return cdn_norm(cdn_sub(a, cdn_v3(b[0], b[1], b[2]))); }

/* ---- pairing ------------------------------------------------------------------------------- */

static bool stands_for_frame(const char *name) { return name && strncmp(name, "frame", 5) == 0; }

/* Bodies in the same order and of the same name where they have one. */
static void pair_bodies(comparison *c) {
  const cdn_system *system = cdn_model_system(c->model);
  int n = 0;
  for (int b = 1; b < c->m->nbody; b++) {
    const char *name = mj_id2name(c->m, mjOBJ_BODY, b);
    c->ours[b] = -1;
    if (stands_for_frame(name)) continue;
    ck_assert_msg(n < cdn_model_body_count(c->model), "%s: bodies are missing from '%s' on", c->label,
                  name ? name : "");
    cdn_body body = cdn_model_body(c->model, n++);
    c->ours[b] = body.i;
    if (name && *name)
      ck_assert_msg(strcmp(name, cdn_body_name(system, body)) == 0, "%s: body %d is '%s', MuJoCo's is '%s'", c->label,
                    n, cdn_body_name(system, body), name);
  }
  ck_assert_msg(n == cdn_model_body_count(c->model), "%s: %d bodies, MuJoCo has %d", c->label,
                cdn_model_body_count(c->model), n);
  for (int j = 0; j < c->m->njnt; j++) {
    const char *name = mj_id2name(c->m, mjOBJ_JOINT, j);
    if (name && *name) ck_assert_str_eq(name, cdn_model_get_joint(c->model, j).name);
  }
}

/* ---- one state ----------------------------------------------------------------------------- */

static void compare_positions(comparison *c) {
  const mjData *d = c->d;
  c->size = 1;
  for (int b = 1; b < c->m->nbody; b++) c->size = fmax(c->size, length(d->xpos + 3 * b, 3));
  for (int b = 1; b < c->m->nbody; b++) {
    if (c->ours[b] < 0) continue;
    cdn_transform X_GB;
    cdn_body body = { c->ours[b] };
    const char *name = cdn_body_name(cdn_model_system(c->model), body);
    OK_ON(c->state, cdn_body_pose(c->state, body, &X_GB));
    judge(c, COMPARED_POSE, distance(X_GB.p, d->xpos + 3 * b), c->size, name);
    const double *R = d->xmat + 9 * b;
    const double *columns = &X_GB.R.x.x; /* ours by columns, MuJoCo's by rows */
    for (int i = 0; i < 9; i++) judge(c, COMPARED_POSE, fabs(columns[i] - R[i % 3 * 3 + i / 3]), 1, name);
  }
  cdn_vec3 com;
  OK_ON(c->state, cdn_center_of_mass(c->state, &com));
  judge(c, COMPARED_COM, distance(com, d->subtree_com), c->size, "model");
}

static void compare_velocities(comparison *c) {
  for (int b = 1; b < c->m->nbody; b++) {
    if (c->ours[b] < 0) continue;
    cdn_body body = { c->ours[b] };
    const char *name = cdn_body_name(cdn_model_system(c->model), body);
    cdn_spatial V_GB;
    double theirs[6];
    OK_ON(c->state, cdn_body_velocity(c->state, body, &V_GB));
    mj_objectVelocity(c->m, c->d, mjOBJ_XBODY, b, theirs, 0);
    /* The speeds of all joints add up, on arms as long as the model. */
    double speed = 1 + length(c->u, c->nu);
    judge(c, COMPARED_VELOCITY, distance(V_GB.w, theirs), speed, name);
    judge(c, COMPARED_VELOCITY, distance(V_GB.v, theirs + 3), speed * c->size, name);
  }
}

/* M, the condition of D^-1/2 M D^-1/2 (D its diagonal), and the scale of the forces on each mobility. */
static void compare_mass_matrix(comparison *c) {
  int n = c->nu;
  double *ours = c->M, *theirs = c->M + n * n;
  OK_ON(c->state, cdn_calc_M(c->state, ours));
  ck_assert(mj_bridge_M_from_mujoco(&c->bridge, c->d, c->q, theirs));
  char element[64];
  double cancelled = 0.1 * mj_getTotalmass(c->m) * c->size * c->size; /* 1e-14 of m d^2 */
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++) {
      snprintf(element, sizeof element, "M[%d][%d]", i, j);
      judge(c, COMPARED_MATRIX, fabs(ours[i * n + j] - theirs[i * n + j]),
            sqrt(theirs[i * n + i] * theirs[j * n + j]) + cancelled, element);
    }
  c->cond = scaled_condition(theirs, n, c->scale);
  ck_assert_msg(c->cond > 0, "%s: the mass matrix is singular", c->label);
}

/* The norm of the bodies' velocities in the metric of their masses if those that the mobilities give never
 * cancelled. */
static double velocity_norm(const comparison *c) {
  double norm = 0;
  for (int i = 0; i < c->nu; i++) norm += c->scale[i] * fabs(c->u[i]);
  return norm;
}

/* The same of their accelerations: gravity, and rates times velocities. */
static double acceleration_norm(const comparison *c) {
  double rate = 0;
  for (int b = 1; b < c->m->nbody; b++) rate = fmax(rate, length(c->d->cvel + 6 * b, 3));
  return sqrt(mj_getTotalmass(c->m)) * length(c->m->opt.gravity, 3) + 3 * rate * velocity_norm(c);
}

static void compare_forces(comparison *c, const double *udot_random) {
  int n = c->nu;
  mjData *d = c->d;
  double inertial = acceleration_norm(c);
  char element[32];
  /* residual at udot = 0: bias and gravity, less springs, dampers and what is applied */
  double *zero = c->a, *ours = c->b, *theirs = c->a;
  memset(zero, 0, (size_t)n * sizeof *zero);
  OK_ON(c->state, cdn_residual(c->state, zero, ours));
  for (int i = 0; i < n; i++) c->f[i] = d->qfrc_bias[i] - d->qfrc_passive[i] - d->qfrc_applied[i];
  mj_bridge_u_from_mujoco(&c->bridge, c->q, c->f, theirs);
  double passive = length(d->qfrc_passive, n) + length(d->qfrc_applied, n);
  for (int i = 0; i < n; i++) {
    snprintf(element, sizeof element, "u[%d]", i);
    judge(c, COMPARED_BIAS, fabs(ours[i] - theirs[i]), c->scale[i] * inertial + passive, element);
  }
  /* and at a random udot */
  OK_ON(c->state, cdn_residual(c->state, udot_random, ours));
  mj_bridge_u_to_mujoco(&c->bridge, c->q, udot_random, d->qacc);
  mj_inverse(c->m, d);
  for (int i = 0; i < n; i++) c->f[i] = d->qfrc_inverse[i] - d->qfrc_applied[i];
  mj_bridge_u_from_mujoco(&c->bridge, c->q, c->f, theirs);
  for (int i = 0; i < n; i++) inertial += fabs(udot_random[i]) * c->scale[i];
  for (int i = 0; i < n; i++) {
    snprintf(element, sizeof element, "u[%d]", i);
    judge(c, COMPARED_INVERSE, fabs(ours[i] - theirs[i]), c->scale[i] * inertial + passive, element);
  }
}

static void compare_energies(comparison *c) {
  double ke, pe;
  OK_ON(c->state, cdn_kinetic_energy(c->state, &ke));
  OK_ON(c->state, cdn_potential_energy(c->state, &pe));
  double v = velocity_norm(c);
  judge(c, COMPARED_KINETIC, fabs(ke - c->d->energy[1]), 1 + v * v / 2, "model");
  judge(c, COMPARED_POTENTIAL, fabs(pe - c->d->energy[0]),
        1 + fabs(pe) + mj_getTotalmass(c->m) * length(c->m->opt.gravity, 3) * c->size, "model");
}

static cdn_vec3 gravity(const mjModel *m) {
  const double *g = m->opt.gravity;
  return m->opt.disableflags & mjDSBL_GRAVITY ? cdn_v3(0, 0, 0) : cdn_v3(g[0], g[1], g[2]);
}

static void compare_accelerations(comparison *c) {
  int n = c->nu;
  mjData *d = c->d;
  double *theirs = c->a;
  const double *ours = cdn_state_udot(c->state);
  if (!ours) OK_ON(c->state, cdn_realize(c->state, CDN_STAGE_ACCELERATION));
  ck_assert_ptr_nonnull(ours);
  mj_bridge_u_from_mujoco(&c->bridge, c->q, d->qacc, theirs);
  /* In the coordinates y = D^1/2 udot the matrix has a unit diagonal; its right-hand side is scaled force. */
  double norm = 0, right = acceleration_norm(c);
  for (int i = 0; i < n; i++) {
    norm = fmax(norm, fabs(theirs[i]) * c->scale[i]);
    right = fmax(right, (fabs(d->qfrc_passive[i]) + fabs(d->qfrc_applied[i])) / c->scale[i]);
  }
  char element[32];
  for (int i = 0; i < n; i++) {
    snprintf(element, sizeof element, "u[%d]", i);
    judge(c, COMPARED_UDOT, fabs(ours[i] - theirs[i]) * c->scale[i], c->cond * (norm + right), element);
  }
  mj_rnePostConstraint(c->m, d);
  double least = c->scale[0];
  for (int i = 1; i < n; i++) least = fmin(least, c->scale[i]);
  double scale = c->cond * (norm + right) / least * c->size * c->m->nbody;
  for (int b = 1; b < c->m->nbody; b++) {
    if (c->ours[b] < 0) continue;
    cdn_body body = { c->ours[b] };
    cdn_spatial A_GB;
    double A[6];
    OK_ON(c->state, cdn_body_acceleration(c->state, body, &A_GB));
    mj_objectAcceleration(c->m, d, mjOBJ_XBODY, b, A, 0);
    /* theirs starts from a world that accelerates upwards */
    cdn_vec3 a_GB = cdn_sub(A_GB.v, gravity(c->m));
    const char *name = cdn_body_name(cdn_model_system(c->model), body);
    judge(c, COMPARED_ACCELERATION, distance(A_GB.w, A), scale, name);
    judge(c, COMPARED_ACCELERATION, distance(a_GB, A + 3), scale, name);
  }
}

/* Everything at the q, u, f of the comparison. */
static void compare_here(comparison *c, const double *udot_random) {
  OK_ON(c->state, cdn_state_set_q(c->state, c->q));
  OK_ON(c->state, cdn_state_set_u(c->state, c->u));
  OK_ON(c->state, cdn_state_set_applied_mobility_forces(c->state, c->f));
  mj_bridge_q_to_mujoco(&c->bridge, c->q, c->d->qpos);
  mj_bridge_u_to_mujoco(&c->bridge, c->q, c->u, c->d->qvel);
  mj_bridge_u_to_mujoco(&c->bridge, c->q, c->f, c->d->qfrc_applied);
  mj_forward(c->m, c->d);
  compare_positions(c);
  compare_velocities(c);
  if (c->nu > 0) {
    compare_mass_matrix(c);
    compare_energies(c);
    compare_accelerations(c);
    compare_forces(c, udot_random);
  }
  c->t->states++;
}

/* ---- states -------------------------------------------------------------------------------- */

static void random_q(comparison *c, uint64_t *rng) {
  for (int j = 0; j < c->m->njnt; j++) {
    double *q = c->q + c->bridge.joints[j].first_q;
    int type = c->m->jnt_type[j];
    bool quaternion = type == mjJNT_FREE || type == mjJNT_BALL;
    if (quaternion) random_quaternion(rng, q);
    int n = type == mjJNT_FREE ? 3 : quaternion ? 0 : 1;
    for (int i = 0; i < n; i++) q[4 * quaternion + i] = random_uniform(rng, -2, 2);
  }
}

static void random_fill(double *x, int n, double size, uint64_t *rng) {
  for (int i = 0; i < n; i++) x[i] = random_uniform(rng, -size, size);
}

/* Of a quaternion and its negative, which mean the same, the one nearer to ours. */
static void match_signs(const comparison *c, const double *ours, double *theirs) {
  for (int j = 0; j < c->m->njnt; j++) {
    if (c->m->jnt_type[j] != mjJNT_FREE && c->m->jnt_type[j] != mjJNT_BALL) continue;
    int first = c->bridge.joints[j].first_q;
    double product = 0;
    for (int i = first; i < first + 4; i++) product += ours[i] * theirs[i];
    for (int i = first; i < first + 4; i++) theirs[i] *= product < 0 ? -1 : 1;
  }
}

/* The state that a file gives: ours as loaded, theirs from the model. */
static void compare_given(comparison *c, const double *qpos, const double *qvel) {
  mj_bridge_q_from_mujoco(&c->bridge, qpos, c->q);
  match_signs(c, cdn_state_q(c->state), c->q);
  mj_bridge_u_from_mujoco(&c->bridge, c->q, qvel, c->u);
  judge_all(c, COMPARED_KEY, cdn_state_q(c->state), c->q, c->nq, 1 + length(c->q, c->nq));
  judge_all(c, COMPARED_KEY, cdn_state_u(c->state), c->u, c->nu, 1 + length(c->u, c->nu));
}

static void compare_keys(comparison *c) {
  ck_assert_int_eq(cdn_model_key_count(c->model), c->m->nkey);
  for (int k = 0; k < c->m->nkey; k++) {
    const char *name = cdn_model_key_name(c->model, k), *theirs = mj_id2name(c->m, mjOBJ_KEY, k);
    if (theirs && *theirs) ck_assert_str_eq(name, theirs);
    OK_ON(c->state, cdn_model_set_key(c->model, name, c->state));
    ck_assert_msg(cdn_state_time(c->state) == c->m->key_time[k], "%s: time of key %s", c->label, name);
    compare_given(c, c->m->key_qpos + k * c->m->nq, c->m->key_qvel + k * c->m->nv);
  }
}

static void compare_masses(comparison *c) {
  double total, moving;
  OK_ON(c->state, cdn_system_mass(c->state, &total, &moving));
  double theirs = mj_getTotalmass(c->m);
  judge(c, COMPARED_MASS, fabs(total - theirs), theirs > 0 ? theirs : 1, "model");
  /* what moves, in MuJoCo: bodies that are not welded to the world */
  double sum = 0;
  for (int b = 1; b < c->m->nbody; b++)
    if (c->m->body_weldid[b] != 0) sum += c->m->body_mass[b];
  judge(c, COMPARED_MASS, fabs(moving - sum), sum > 0 ? sum : 1, "what moves");
}

static void sort3(double d[3]) {
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2 - i; j++)
      if (d[j] > d[j + 1]) {
        double larger = d[j];
        d[j] = d[j + 1];
        d[j + 1] = larger;
      }
}

/* Mass properties body by body; MuJoCo continues with our inertias. */
static void compare_bodies(comparison *c) {
  for (int b = 1; b < c->m->nbody; b++) {
    if (c->ours[b] < 0) continue;
    cdn_body body = { c->ours[b] };
    const char *name = cdn_body_name(cdn_model_system(c->model), body);
    cdn_mass_properties mass = cdn_body_mass_properties(c->state, body);
    judge(c, COMPARED_MASS, fabs(mass.mass - c->m->body_mass[b]), mass.mass, name);
    if (mass.mass == 0) continue;
    judge(c, COMPARED_COM, distance(mass.com, c->m->body_ipos + 3 * b), 1 + cdn_norm(mass.com), name);
    cdn_inertia I = mass.inertia, J = mj_bridge_inertia(c->m, b);
    double theirs[3], most = 0;
    memcpy(theirs, c->m->body_inertia + 3 * b, sizeof theirs);
    sort3(theirs);
    const double *x = &I.xx, *y = &J.xx;
    for (int k = 0; k < 6; k++) most = fmax(most, fabs(x[k] - y[k]));
    judge(c, COMPARED_INERTIA, most, theirs[2], name);
    double error = mj_bridge_set_inertia(c->m, b, I);
    ck_assert_msg(error <= 1e-14 * theirs[2], "%s: principal axes of %s leave %.2g", c->label, name, error);
    double ours[3];
    memcpy(ours, c->m->body_inertia + 3 * b, sizeof ours);
    sort3(ours);
    for (int k = 0; k < 3; k++) judge(c, COMPARED_MOMENTS, fabs(ours[k] - theirs[k]), theirs[2], name);
  }
}

void mujoco_compare(const char *label, cdn_model *model, mjModel *m, int states, uint64_t seed, tally *t) {
  comparison c = { .label = label, .model = model, .m = m, .t = t };
  const cdn_system *system = cdn_model_system(model);
  c.nq = cdn_system_nq(system);
  c.nu = cdn_system_nu(system);
  ck_assert_msg(c.nq == m->nq && c.nu == m->nv, "%s: nq %d, nu %d; MuJoCo has %d, %d", label, c.nq, c.nu, m->nq, m->nv);
  mj_bridge_tree_only(m);
  c.d = mj_makeData(m);
  ck_assert_ptr_nonnull(c.d);
  OK(cdn_state_create(system, &c.state));
  ck_assert_msg(mj_bridge_init(&c.bridge, m, model), "%s: the joints do not correspond", label);
  c.ours = calloc((size_t)m->nbody, sizeof *c.ours);
  size_t n = (size_t)c.nu;
  double *numbers = calloc((size_t)c.nq + 6 * n + 2 * n * n + 1, sizeof *numbers);
  ck_assert(c.ours && numbers);
  c.q = numbers;
  c.u = c.q + c.nq;
  c.f = c.u + n;
  c.a = c.f + n;
  c.b = c.a + n;
  c.scale = c.b + n;
  double *udot = c.scale + n;
  c.M = udot + n;

  pair_bodies(&c);
  compare_masses(&c);
  compare_bodies(&c);
  compare_given(&c, m->qpos0, c.d->qvel);
  compare_keys(&c);
  uint64_t rng = seed;
  for (int i = 0; i < states; i++) {
    random_q(&c, &rng);
    random_fill(c.u, c.nu, i % 3 ? 3 : 0.3, &rng);
    random_fill(c.f, c.nu, i % 2 ? 20 : 1, &rng);
    random_fill(udot, c.nu, 5, &rng);
    compare_here(&c, udot);
  }
  t->models++;

  free(numbers);
  free(c.ours);
  mj_bridge_free(&c.bridge);
  cdn_state_destroy(c.state);
  mj_deleteData(c.d);
}

void tally_print(const char *title, const tally *t) {
  printf("%s: %d models, %d states; largest errors, relative to their scales:\n", title, t->models, t->states);
  for (int i = 0; i < COMPARED_COUNT; i++)
    printf("  %-22s %8.1e of %.0e  %s\n", names[i], t->worst[i], tolerances[i], t->where[i]);
  fflush(stdout);
}
