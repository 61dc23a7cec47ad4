#define _GNU_SOURCE
/* Tendons of files against MuJoCo 2.2.2, in random models: length, velocity, moments; forces of their springs and
 * dampers; accelerations with limits, dry friction and equality; one step. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "newer_mujoco.h"
#include "random_mjcf.h"
#include "step_rig.h"
#include "tendon_models.h"

enum { MODELS = 60, STATES = 20, TENDONS = 6 };

static step_rig load(uint64_t seed, const tendon_choice *choice) {
  static char name[40];
  char *text = tendon_model_text(seed, choice);
  cdn_soft_def soft = cdn_default_soft_def();
  soft.rates = false, soft.tolerance = 1e-15, soft.shortest_time = 0.004;
  snprintf(name, sizeof name, "model %d", (int)seed);
  step_rig r = step_rig_load(name, text, &soft);
  ck_assert_msg(cdn_model_not_understood_count(r.model) == 0, "%s", text);
  ck_assert_int_eq(cdn_system_path_count(cdn_model_system(r.model)), r.m->ntendon);
  free(text);
  return r;
}

static void near_all(const step_rig *r, const char *what, const double *ours, const double *theirs, int n,
                     double tolerance) {
  double scale = 1;
  for (int i = 0; i < n; i++) scale = fmax(scale, fabs(theirs[i]));
  for (int i = 0; i < n; i++)
    ck_assert_msg(fabs(ours[i] - theirs[i]) <= tolerance * scale, "%s: %s %d: %.17g, MuJoCo %.17g (difference %.3g)",
                  r->name, what, i, ours[i], theirs[i], ours[i] - theirs[i]);
}

/* False: MuJoCo has not found where a path touches an obstacle from inside, and takes a longer way. */
static bool compare_geometry(step_rig *r, double loose) {
  double J[STEP_RIG_MOST], row[STEP_RIG_MOST], length[TENDONS], rate[TENDONS];
  const int nv = r->m->nv;
  const cdn_system *system = cdn_state_system(r->state);
  for (int i = 0; i < r->m->ntendon; i++) {
    const cdn_path path = cdn_system_find_path(system, mj_id2name(r->m, mjOBJ_TENDON, i));
    ck_assert_int_ge(path.i, 0);
    OK_ON(r->state, cdn_path_length(r->state, path, &length[i]));
    OK_ON(r->state, cdn_path_rate(r->state, path, &rate[i]));
    OK_ON(r->state, cdn_path_moments(r->state, path, J));
    if (loose > 1e-6 && length[i] < r->d->ten_length[i] - 1e-7) return false;
    /* moments are as forces: dL/dt is their product with u */
    mj_bridge_u_from_mujoco(&r->bridge, cdn_state_q(r->state), r->d->ten_J + (size_t)i * (size_t)nv, row);
    near_all(r, "moment", J, row, nv, loose);
  }
  near_all(r, "length", length, r->d->ten_length, r->m->ntendon, fmin(loose, 1e-9));
  near_all(r, "velocity", rate, r->d->ten_velocity, r->m->ntendon, 10 * loose);
  return true;
}

static void compare_forces(step_rig *r, double loose) {
  double zero[STEP_RIG_MOST] = { 0 }, ours[STEP_RIG_MOST], theirs[STEP_RIG_MOST], all[STEP_RIG_MOST];
  for (int i = 0; i < r->m->nv; i++) all[i] = r->d->qfrc_bias[i] - r->d->qfrc_passive[i];
  mj_bridge_u_from_mujoco(&r->bridge, cdn_state_q(r->state), all, theirs);
  OK_ON(r->state, cdn_residual(r->state, zero, ours));
  near_all(r, "bias - passive", ours, theirs, r->m->nv, loose);
}

START_TEST(geometry_and_passive_forces) {
  const bool inside = _i == 1;
  const tendon_choice choice = { .tendons = TENDONS, .inside = inside, .integrator = "Euler" };
  const double loose = inside ? 1e-5 : 1e-11;
  int lost = 0;
  for (uint64_t seed = 1; seed <= (uint64_t)FEWER(MODELS); seed++) {
    step_rig r = load(seed, &choice);
    uint64_t rng = seed;
    r.m->opt.jacobian = mjJAC_DENSE;
    for (int i = 0; i < STATES; i++) {
      step_rig_draw(&r, &rng, 1, 2);
      mj_forward(r.m, r.d);
      const bool found = compare_geometry(&r, loose);
      if (found) compare_forces(&r, 10 * loose);
      lost += !found;
    }
    step_rig_drop(&r);
  }
  if (inside) printf("MuJoCo goes a longer way in %d of %d states\n", lost, FEWER(MODELS) * STATES);
  ck_assert_int_le(lost, FEWER(MODELS) * STATES / 50);
}
END_TEST

/* With limits, dry friction and an equality, of which MuJoCo 2.2.2 leaves out how J changes. */
START_TEST(accelerations_with_rows) {
  const tendon_choice choice = { .tendons = TENDONS, .rows = true, .integrator = "Euler" };
  double worst = 0;
  for (uint64_t seed = 1; seed <= (uint64_t)FEWER(MODELS); seed++) {
    step_rig r = load(seed, &choice);
    uint64_t rng = seed;
    for (int i = 0; i < STATES; i++) {
      double theirs[STEP_RIG_MOST], error = 0, size = 1;
      step_rig_draw(&r, &rng, 1, 2);
      mj_forward(r.m, r.d);
      mj_bridge_u_from_mujoco(&r.bridge, cdn_state_q(r.state), r.d->qacc, theirs);
      OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION));
      for (int k = 0; k < r.m->nv; k++) {
        error = fmax(error, fabs(cdn_state_udot(r.state)[k] - theirs[k]));
        size = fmax(size, fabs(theirs[k]));
      }
      worst = fmax(worst, error / size);
      ck_assert_msg(error <= 1e-8 * size, "%s, state %d: %.3g of %.3g", r.name, i, error, size);
    }
    step_rig_drop(&r);
  }
  printf("accelerations with rows of tendons differ by %.2g\n", worst);
}
END_TEST

static const struct {
  const char *theirs;
  cdn_method ours;
} methods[] = { { "Euler", CDN_METHOD_MUJOCO_EULER },
                { "implicit", CDN_METHOD_MUJOCO_IMPLICIT },
                { "RK4", CDN_METHOD_MUJOCO_RK4 } };

/* MuJoCo's implicit step leaves out what the damping of a tendon couples between branches of the tree: ours is compared
 * on chains. Beside rows that set in or let go within a step of RK4 nothing differs but rounding. */
START_TEST(one_step) {
  double worst = 0;
  for (int rows = 0; rows < 2; rows++) {
    const tendon_choice choice = { .tendons = TENDONS,
                                   .rows = rows,
                                   .chain = methods[_i].ours == CDN_METHOD_MUJOCO_IMPLICIT,
                                   .integrator = methods[_i].theirs };
    for (uint64_t seed = 1; seed <= (uint64_t)FEWER(MODELS); seed++) {
      step_rig r = load(seed, &choice);
      uint64_t rng = seed;
      for (int i = 0; i < 4; i++) {
        step_rig_draw(&r, &rng, 1, 2);
        const double off = step_rig_differ(&r, methods[_i].ours, 1);
        worst = fmax(worst, off);
        ck_assert_msg(off <= 1e-9, "%s, state %d, %s: %.3g", r.name, i, rows ? "with rows" : "smooth", off);
      }
      step_rig_drop(&r);
    }
  }
  printf("a step with tendons, %s: differs by %.2g\n", methods[_i].theirs, worst);
}
END_TEST

/* A random state on both sides, of which the newer one has no more than coordinates and speeds. */
static void draw(const step_rig *r, uint64_t *rng, double *q, double *u) {
  for (int i = 0; i < r->m->nq; i++) q[i] = random_uniform(rng, -1, 1);
  for (int i = 0; i < r->m->nv; i++) u[i] = random_uniform(rng, -2, 2);
  for (int i = 0; i < r->m->njnt; i++) {
    const cdn_model_joint joint = cdn_model_get_joint(r->model, i);
    if (joint.nq >= 4) random_quaternion(rng, q + joint.first_q);
  }
  OK_ON(r->state, cdn_state_set_q(r->state, q));
  OK_ON(r->state, cdn_state_set_u(r->state, u));
  mj_bridge_q_to_mujoco(&r->bridge, q, r->d->qpos);
  mj_bridge_u_to_mujoco(&r->bridge, q, u, r->d->qvel);
}

/* With springs that have a dead band, and armature, of which MuJoCo leaves out what it couples between branches of the
 * tree; CARDAN_NEWER_MUJOCO names where it is (newer_mujoco.h). */
START_TEST(a_newer_mujoco_accelerates_alike) {
  const tendon_choice choice = { .tendons = TENDONS, .chain = true, .integrator = "Euler", .newer = true };
  static newer_server server;
  double worst = 0;
  if (!newer_mujoco_folder()) SKIP("no newer MuJoCo is asked for");
  ck_assert(newer_server_start(&server));
  for (uint64_t seed = 1; seed <= 20; seed++) {
    char path[] = "/tmp/tendons-XXXXXX.xml", message[300] = "", *text = tendon_model_text(seed, &choice);
    const int file = mkstemps(path, 4);
    cdn_model *model;
    cdn_state *state;
    newer_mujoco n;
    mj_bridge bridge;
    cdn_model_options options = cdn_default_model_options();
    options.contact = CDN_MODEL_SOFT, options.strict = true;
    ck_assert(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) && close(file) == 0);
    ck_assert_msg(newer_mujoco_open(&n, &server, path, message, sizeof message), "%s", message);
    OK(cdn_model_load_string(text, strlen(text), "t.xml", &options, &model));
    OK(cdn_state_create(cdn_model_system(model), &state));
    ck_assert(mj_bridge_init(&bridge, &n.m, model));
    for (int b = 1; b < n.m.nbody; b++)
      mj_bridge_set_inertia(&n.m, b, cdn_body_mass_properties(state, cdn_model_body(model, b - 1)).inertia);
    ck_assert(newer_mujoco_prepare(&n, false));
    step_rig r = { .model = model, .state = state, .m = &n.m, .d = &n.d, .bridge = bridge };
    uint64_t rng = seed;
    for (int i = 0; i < 10; i++) {
      double theirs[STEP_RIG_MOST], q[STEP_RIG_MOST], u[STEP_RIG_MOST], size = 1, error = 0;
      draw(&r, &rng, q, u);
      ck_assert(newer_mujoco_forward(&n));
      mj_bridge_u_from_mujoco(&bridge, q, n.d.qacc, theirs);
      OK_ON(state, cdn_realize(state, CDN_STAGE_ACCELERATION));
      for (int k = 0; k < n.m.nv; k++) {
        error = fmax(error, fabs(cdn_state_udot(state)[k] - theirs[k]));
        size = fmax(size, fabs(theirs[k]));
      }
      worst = fmax(worst, error / size);
      ck_assert_msg(error <= 1e-9 * size, "model %d, state %d: %.3g of %.3g", (int)seed, i, error, size);
    }
    mj_bridge_free(&bridge);
    newer_mujoco_close(&n);
    cdn_state_destroy(state);
    cdn_model_destroy(model);
    remove(path);
    free(text);
  }
  newer_server_stop(&server);
  printf("accelerations of a newer MuJoCo differ by %.2g\n", worst);
}
END_TEST

/* A tendon over 60 sites of a chain of bodies, and one over 30 joints: lengths, forces, rows, and a step that knows how
 * forces vary. */
START_TEST(long_tendons) {
  enum { BODIES = 4, SITES = 60, JOINTS = 30, ROOM = 24000 };
  char *text = malloc(ROOM);
  int n = snprintf(text, ROOM,
                   "<mujoco><compiler autolimits='true' angle='radian'/><option timestep='.002' integrator='implicit'/>"
                   "<worldbody>");
  for (int b = 0; b < BODIES; b++) {
    n += snprintf(text + n, (size_t)(ROOM - n),
                  "<body pos='.3 .1 %g'><joint name='a%d' axis='1 .3 0'/><geom size='.1' pos='.2 0 .1' contype='0' "
                  "conaffinity='0'/>",
                  0.1 * b, b);
    for (int s = b; s < SITES; s += BODIES)
      n += snprintf(text + n, (size_t)(ROOM - n), "<site name='s%d' pos='%g %g %g'/>", s, 0.1 * sin(s),
                    0.1 * cos(3 * s), 0.02 * s);
  }
  for (int b = 0; b < BODIES; b++) n += snprintf(text + n, (size_t)(ROOM - n), "</body>");
  /* one upon the other: of damping MuJoCo's implicit step leaves out what couples speeds of different branches */
  for (int j = 0; j < JOINTS; j++)
    n += snprintf(text + n, (size_t)(ROOM - n),
                  "<body pos='1 0 0'><joint name='j%d' type='slide' axis='0 .2 1'/><geom size='.1' contype='0' "
                  "conaffinity='0'/>",
                  j);
  for (int j = 0; j < JOINTS; j++) n += snprintf(text + n, (size_t)(ROOM - n), "</body>");
  n += snprintf(text + n, (size_t)(ROOM - n),
                "</worldbody><tendon><spatial name='t0' stiffness='3' damping='.2' range='0 1' frictionloss='.1'>");
  for (int s = 0; s < SITES; s++) n += snprintf(text + n, (size_t)(ROOM - n), "<site site='s%d'/>", s);
  n += snprintf(text + n, (size_t)(ROOM - n),
                "</spatial><fixed name='t1' stiffness='2' damping='.1' range='-.1 .1' frictionloss='.2'>");
  for (int j = 0; j < JOINTS; j++)
    n += snprintf(text + n, (size_t)(ROOM - n), "<joint joint='j%d' coef='%g'/>", j, 1 + 0.1 * j);
  snprintf(text + n, (size_t)(ROOM - n), "</fixed></tendon></mujoco>");
  cdn_soft_def soft = cdn_default_soft_def();
  soft.rates = false, soft.tolerance = 1e-15, soft.shortest_time = 0.004;
  step_rig r = step_rig_load("long tendons", text, &soft);
  ck_assert_int_eq(cdn_model_not_understood_count(r.model), 0);
  uint64_t rng = 1;
  r.m->opt.jacobian = mjJAC_DENSE;
  for (int i = 0; i < 4; i++) {
    step_rig_draw(&r, &rng, 0.3, 1);
    mj_forward(r.m, r.d);
    ck_assert(compare_geometry(&r, 1e-11));
    compare_forces(&r, 1e-10);
    AT_MOST(step_rig_differ(&r, CDN_METHOD_MUJOCO_IMPLICIT, 1), 1e-9);
  }
  step_rig_drop(&r);
  free(text);
}
END_TEST

static void add(TCase *c) {
  tcase_add_test(c, long_tendons);
  tcase_add_test(c, a_newer_mujoco_accelerates_alike);
  tcase_add_loop_test(c, one_step, 0, (int)(sizeof methods / sizeof *methods));
  tcase_add_loop_test(c, geometry_and_passive_forces, 0, 2);
  tcase_add_test(c, accelerations_with_rows);
}
CHECK_MAIN_OF("mujoco tendons", 300, add)
