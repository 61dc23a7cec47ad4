/* MJCF's equality constraints against what MuJoCo 2.2.2 makes of the same text, at random states: errors, and rates and
 * Jacobians at states that satisfy them. Where MuJoCo has p_1 - p_2 in the world's axes we have p_2 - p_1 in body 1's;
 * where it has half of the vector part of a quaternion's double, we have the rotation vector of the same axis. All
 * joints are hinges and slides: coordinates are the same. */
#include "../check_main.h"
#include "../testing.h"
#include "mujoco_bridge.h"

#include <stdio.h>

static const char MODEL[] =
    "<mujoco><compiler angle='radian'/><option gravity='0 0 -9.81'/><worldbody>"
    "<body name='a' pos='1 0 0' euler='.1 .2 .3'><joint name='a1' axis='0 1 1' ref='.4'/><joint name='a2' axis='1 0 0' pos='.1 0 0'/>"
    "<inertial pos='.1 0 0' mass='2' diaginertia='.1 .2 .3'/>"
    "<body name='b' pos='0 1 0' euler='0 .7 0'><joint name='b1' axis='1 .3 0'/><joint name='b2' type='slide' axis='0 1 0' ref='-.2'/>"
    "<inertial pos='0 .1 0' mass='1' diaginertia='.1 .1 .1'/></body></body>"
    "<body name='c' pos='0 0 2' euler='.3 0 1.2'><joint name='c1' type='slide' axis='0 1 1' ref='.3'/><joint name='c2' axis='1 2 3'/>"
    "<joint name='c3' axis='-1 .2 0'/><inertial pos='0 0 .1' mass='3' diaginertia='.3 .2 .2'/></body></worldbody>"
    "<equality><connect name='pin' body1='b' body2='c' anchor='.1 .2 .3'/><connect name='nail' body1='c' anchor='.3 0 .1'/>"
    "<weld name='glue' body1='b' body2='c'/><weld name='post' body1='b' body2='c' relpose='1 2 3 .8 .6 0 0'/>"
    "<weld name='bolt' body1='b' body2='c' relpose='.3 -.2 .5 .8 0 .6 0' anchor='.4 .1 -.3'/>"
    "<joint name='gear' joint1='b2' joint2='a1' polycoef='.1 .9 -.5 .3 .2'/><joint name='stay' joint1='c2' polycoef='.7 0 0 0 0'/>"
    "</equality></mujoco>";

enum { NQ = 7 };

static uint64_t seed = 12345;
static double next(double size) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return size * ((double)(seed >> 11) / 4503599627370496.0 - 1);
}

typedef struct rig {
  cdn_model *ours;
  cdn_state *state;
  mjModel *m;
  mjData *d;
  double G[64 * NQ];
} rig;

static rig start(void) {
  rig r = { .ours = NULL };
  char message[500] = "";
  cdn_model_options options = cdn_default_model_options();
  options.strict = true;
  mj_bridge_handlers();
  r.m = mj_bridge_load_string(MODEL, "model.xml", message, sizeof message);
  ck_assert_msg(r.m != NULL, "%s", message);
  r.d = mj_makeData(r.m);
  OK(cdn_model_load_string(MODEL, strlen(MODEL), "model.xml", &options, &r.ours));
  OK(cdn_state_create(cdn_model_system(r.ours), &r.state));
  ck_assert_int_eq(r.m->nq, NQ);
  ck_assert_int_eq(r.m->nv, NQ);
  return r;
}

static void stop(rig *r) {
  cdn_state_destroy(r->state);
  cdn_model_destroy(r->ours);
  mj_deleteData(r->d);
  mj_deleteModel(r->m);
}

/* Only one of the constraints is on, on both sides. */
static cdn_constraint choose(rig *r, int which, cdn_constraint_equations *n) {
  const cdn_system *system = cdn_model_system(r->ours);
  const cdn_constraint chosen = cdn_system_find_constraint(system, mj_id2name(r->m, mjOBJ_EQUALITY, which));
  for (int i = 0; i < r->m->neq; i++) {
    r->m->eq_active[i] = i == which;
    OK_ON(r->state, cdn_constraint_set_enabled(r->state, (cdn_constraint){ i }, i == chosen.i));
  }
  *n = cdn_constraint_get_equations(system, chosen);
  return chosen;
}

static void randomize(rig *r) {
  double q[NQ], u[NQ];
  for (int i = 0; i < NQ; i++) q[i] = next(1.2), u[i] = next(2);
  OK_ON(r->state, cdn_state_set_q(r->state, q));
  OK_ON(r->state, cdn_state_set_u(r->state, u));
}

/* MuJoCo at our State. */
static void follow(rig *r, const cdn_constraint_equations *n) {
  memcpy(r->d->qpos, cdn_state_q(r->state), NQ * sizeof(double));
  memcpy(r->d->qvel, cdn_state_u(r->state), NQ * sizeof(double));
  mj_forward(r->m, r->d);
  OK_ON(r->state, cdn_calc_G(r->state, r->G));
  ck_assert_int_eq(r->d->nefc, n->np);
}

/* MuJoCo's row i times a sign against the combination w of our rows from `at` on; rows and rates only if `rates`. */
static void compare_row(const rig *r, const char *name, int i, double sign, const cdn_constraint_equations *n, int at,
                        const double *w, int terms, bool rates) {
  const double *qerr = cdn_state_qerr(r->state) + n->qerr + at, *uerr = cdn_state_uerr(r->state) + n->uerr + at;
  double e = 0, v = 0, row[NQ] = { 0 };
  for (int k = 0; k < terms; k++) {
    e += w[k] * qerr[k], v += w[k] * uerr[k];
    for (int j = 0; j < NQ; j++) row[j] += w[k] * r->G[(n->row + at + k) * NQ + j];
  }
  /* a hundred roundings of lengths of a few metres */
  const double pos = sign * r->d->efc_pos[i], vel = sign * r->d->efc_vel[i];
  ck_assert_msg(fabs(e - pos) <= 1e-13, "%s: error %g, MuJoCo %g", name, e, pos);
  if (!rates) return;
  ck_assert_msg(fabs(v - vel) <= 1e-12, "%s: rate %g, MuJoCo %g", name, v, vel);
  for (int j = 0; j < NQ; j++) {
    const double theirs = sign * r->d->efc_J[i * NQ + j];
    ck_assert_msg(fabs(row[j] - theirs) <= 1e-12, "%s: row %g, MuJoCo %g", name, row[j], theirs);
  }
}

static cdn_rotation axes_of(const rig *r, const char *body) {
  cdn_transform X;
  OK_ON(r->state, cdn_body_pose(r->state, cdn_system_find_body(cdn_model_system(r->ours), body), &X));
  return X.R;
}

/* The rows of one constraint. Rates of places are alike where the places are one: ours are of what is seen on body
 * 1. */
static void compare(rig *r, int which, cdn_constraint id, const cdn_constraint_equations *n, bool satisfied) {
  static const char *const first[] = { "b", "c", "b", "b", "b" };
  const char *name = cdn_constraint_name(cdn_model_system(r->ours), id);
  follow(r, n);
  if (n->np == 1) {
    compare_row(r, name, 0, 1, n, 0, (double[]){ 1 }, 1, true);
    return;
  }
  const double *p = cdn_constraint_params(r->state, id, NULL);
  cdn_rotation R = axes_of(r, first[which]);
  if (n->np == 6) {
    R = cdn_rotation_multiply(R, (cdn_rotation){ { p[0], p[1], p[2] }, { p[3], p[4], p[5] }, { p[6], p[7], p[8] } });
    const double *e = cdn_state_qerr(r->state) + n->qerr, *theirs = r->d->efc_pos + 3;
    const double angle = cdn_norm(cdn_v3(e[0], e[1], e[2])), part = cdn_norm(cdn_v3(theirs[0], theirs[1], theirs[2]));
    ck_assert_msg(fabs(sin(angle / 2) - part) <= 1e-13, "%s: sine of half the angle %g, MuJoCo %g", name,
                  sin(angle / 2), part);
  }
  R = cdn_rotation_transpose(R);
  const cdn_vec3 world[] = { R.x, R.y, R.z };
  for (int i = 0; i < 3; i++) compare_row(r, name, i, -1, n, n->np - 3, &world[i].x, 3, satisfied);
}

START_TEST(test_equality) {
  rig r = start();
  ck_assert_int_eq(r.m->neq, 7);
  for (int which = 0; which < 7; which++) {
    int satisfied = 0;
    cdn_constraint_equations n;
    const cdn_constraint id = choose(&r, which, &n);
    for (int round = 0; round < 30; round++) {
      cdn_projection_def def = cdn_default_projection_def();
      def.tolerance = 1e-14;
      randomize(&r);
      compare(&r, which, id, &n, false);
      if (cdn_project_q(r.state, &def, NULL) != CDN_OK) continue;
      compare(&r, which, id, &n, true);
      satisfied++;
    }
    ck_assert_msg(satisfied >= 3, "%s: satisfied at %d states", cdn_constraint_name(cdn_model_system(r.ours), id),
                  satisfied);
  }
  stop(&r);
}
END_TEST

CHECK_MAIN("mujoco equality", test_equality)
