#define _GNU_SOURCE
/* Soft limits, friction losses and equalities against MuJoCo 2.2.2: J, aref and D of every row, and the accelerations
 * that follow, at random states. */
#include <stdio.h>
#include <stdlib.h>

#include "../testing.h"
#include "soft/elements.h"
#include "mujoco_bridge.h"
#include "random_mjcf.h"
#include "soft_models.h"

enum { MOST_GROUPS = 200, MOST_NU = 60, MOST_JOINTS = 40 };

typedef struct rig {
  mjModel *m;
  mjData *d;
  mj_bridge bridge;
  cdn_model *model;
  cdn_state *state;
  cdn_model_joint joint[MOST_JOINTS];
  int nu;
} rig;

/* Where forms of solref are mixed MuJoCo takes the default, and ours is an error. */
static cdn_soft_law law_of(const double *ref, const double *imp) {
  static const double usual[] = { 0.02, 1 };
  if ((ref[0] > 0) != (ref[1] > 0)) ref = usual;
  return (cdn_soft_law){ { ref[0], ref[1] }, { imp[0], imp[1], imp[2], imp[3], imp[4] } };
}

static cdn_body body_of(const rig *r, int body) {
  return body == 0 ? cdn_ground() : cdn_model_body(r->model, body - 1);
}
static cdn_mobility coordinate_of(const rig *r, int joint) { return (cdn_mobility){ r->joint[joint].mobilized, 0 }; }
static cdn_vec3 vec(const double *x) { return cdn_v3(x[0], x[1], x[2]); }

/* MuJoCo's equality i. Of a weld `relpose` is the pose of the anchor, and of b's axes, in a. */
static void add_equality(const rig *r, cdn_system *system, int i) {
  const mjModel *m = r->m;
  const double *data = m->eq_data + mjNEQDATA * i;
  const int a = m->eq_obj1id[i], b = m->eq_obj2id[i];
  cdn_soft_equality_def def = cdn_default_soft_equality_def();
  def.law = law_of(m->eq_solref + mjNREF * i, m->eq_solimp + mjNIMP * i);
  if (m->eq_type[i] == mjEQ_JOINT) {
    def.kind = CDN_SOFT_COUPLE;
    def.y = coordinate_of(r, a), def.y0 = m->qpos0[m->jnt_qposadr[a]];
    if (b >= 0) def.x = coordinate_of(r, b), def.x0 = m->qpos0[m->jnt_qposadr[b]];
    memcpy(def.polynomial, data, sizeof def.polynomial);
  } else {
    const bool weld = m->eq_type[i] == mjEQ_WELD;
    def.kind = weld ? CDN_SOFT_WELD : CDN_SOFT_CONNECT;
    def.a = body_of(r, a), def.b = body_of(r, b);
    def.p_A = vec(weld ? data + 3 : data), def.p_B = vec(weld ? data : data + 3);
    def.q_AB = (cdn_quaternion){ data[6], data[7], data[8], data[9] };
    def.torque_scale = data[10];
  }
  cdn_system_add_soft_equality(system, &def);
}

/* In MuJoCo's order of rows; only free joints have their halves the other way round. */
static void add_elements(const rig *r, cdn_system *system) {
  const mjModel *m = r->m;
  for (int i = 0; i < m->neq; i++) add_equality(r, system, i);
  for (int j = 0; j < m->njnt; j++) {
    const int dof = m->jnt_dofadr[j];
    const cdn_body body = r->joint[j].mobilized;
    cdn_friction_loss_def def = cdn_default_friction_loss_def();
    def.body = body;
    def.loss = m->dof_frictionloss[dof];
    def.law = law_of(m->dof_solref + mjNREF * dof, m->dof_solimp + mjNIMP * dof);
    if (def.loss > 0) cdn_system_add_friction_loss(system, &def);
  }
  for (int j = 0; j < m->njnt; j++) {
    cdn_soft_limit_def def = cdn_default_soft_limit_def();
    if (!m->jnt_limited[j]) continue;
    def.body = r->joint[j].mobilized;
    def.lower = m->jnt_range[2 * j], def.upper = m->jnt_range[2 * j + 1];
    def.margin = m->jnt_margin[j];
    def.law = law_of(m->jnt_solref + mjNREF * j, m->jnt_solimp + mjNIMP * j);
    cdn_system_add_soft_limit(system, &def);
  }
}

static rig start(int which, bool rates) {
  const soft_choice choice = { "elliptic", 1, "enable", "Newton" };
  rig r = { .nu = 0 };
  char *text = soft_model_text(which, &choice);
  cdn_spec *spec;
  cdn_system *system;
  cdn_model_options options = cdn_default_model_options();
  options.tree_only = true;
  r.m = soft_model_load(text);
  r.m->opt.jacobian = mjJAC_DENSE;
  r.m->opt.disableflags |= mjDSBL_CONTACT;
  r.d = mj_makeData(r.m);
  OK(cdn_spec_load_string(text, strlen(text), "model.xml", &options, &spec));
  ck_assert((system = cdn_system_create(NULL)) != NULL);
  OK(cdn_model_build(spec, &options, system, &r.model));
  for (int j = 0; j < r.m->njnt; j++) r.joint[j] = cdn_model_get_joint(r.model, j);
  add_elements(&r, system);
  cdn_soft_def soft = cdn_default_soft_def();
  soft.rates = rates;
  soft.shortest_time = 2 * r.m->opt.timestep;
  soft.tolerance = 1e-13;
  cdn_system_set_soft(system, &soft);
  OK_FREEZE(system);
  OK(cdn_state_create(system, &r.state));
  for (int j = 0; j < r.m->njnt; j++) r.joint[j] = cdn_model_get_joint(r.model, j);
  ck_assert(mj_bridge_init(&r.bridge, r.m, r.model));
  for (int b = 1; b < r.m->nbody; b++)
    mj_bridge_set_inertia(r.m, b, cdn_body_mass_properties(r.state, body_of(&r, b)).inertia);
  mj_setConst(r.m, r.d);
  r.nu = cdn_system_nu(system);
  ck_assert_int_le(r.nu, MOST_NU);
  cdn_system_release(system);
  cdn_spec_destroy(spec);
  free(text);
  return r;
}

static void stop(rig *r) {
  mj_bridge_free(&r->bridge);
  cdn_state_destroy(r->state);
  cdn_model_destroy(r->model);
  mj_deleteData(r->d);
  mj_deleteModel(r->m);
}

static void follow(rig *r, uint64_t *seed) {
  double q[80], u[MOST_NU];
  soft_model_state(r->m, r->d, seed, 3);
  mj_forward(r->m, r->d);
  mj_bridge_q_from_mujoco(&r->bridge, r->d->qpos, q);
  mj_bridge_u_from_mujoco(&r->bridge, q, r->d->qvel, u);
  OK_ON(r->state, cdn_state_set_q(r->state, q));
  OK_ON(r->state, cdn_state_set_u(r->state, u));
}

typedef struct groups {
  soft_group g[MOST_GROUPS];
  int n;
} groups;
static cdn_status collect(void *to, const soft_group *g) {
  groups *list = to;
  ck_assert_int_lt(list->n, MOST_GROUPS);
  list->g[list->n++] = *g;
  return CDN_OK;
}

/* Row k of a group on u. */
static void row_of(rig *r, const soft_group *g, int k, double *row) {
  const matter *m = cdni_matter(cdn_state_system(r->state));
  static double J[6 * MOST_NU];
  memset(row, 0, (size_t)r->nu * sizeof *row);
  if (g->place == SOFT_JOINT) {
    const tree_node *node = &m->tree.node[g->body[1]];
    for (int i = 0; i < node->nu; i++) row[node->u + i] = g->g[k][i];
    return;
  }
  if (g->place == SOFT_TERMS) {
    for (int i = 0; i < g->terms; i++) row[g->term[i].u] += g->term[i].slope;
    return;
  }
  for (int s = 0; s < 2; s++) {
    const cdn_body body = { g->body[s] };
    const v3 point = s ? g->point : v3_add(g->point, g->arm);
    cdn_transform X;
    OK_ON(r->state, cdn_body_pose(r->state, body, &X));
    const cdn_vec3 d = cdn_sub(cdn_v3(point.x, point.y, point.z), X.p);
    const cdn_vec3 station = cdn_v3(cdn_dot(X.R.x, d), cdn_dot(X.R.y, d), cdn_dot(X.R.z, d));
    OK_ON(r->state, cdn_calc_frame_J(r->state, 1, &body, &station, J));
    const double B[6] = { g->B[k].w.x, g->B[k].w.y, g->B[k].w.z, g->B[k].v.x, g->B[k].v.y, g->B[k].v.z };
    for (int c = 0; c < 6; c++)
      for (int i = 0; i < r->nu; i++) row[i] += (s ? 1 : -1) * B[c] * J[c * r->nu + i];
  }
}

static void compare_rows(const char *label, rig *r, groups *list, int *rows) {
  const mjModel *m = r->m;
  const mjData *d = r->d;
  double row[MOST_NU], theirs[MOST_NU];
  const double *q = cdn_state_q(r->state);
  int at = 0;
  for (int i = 0; i < list->n; i++) {
    const soft_group *g = &list->g[i];
    for (int k = 0; k < g->s.rows; k++, at++) {
      int e = at;
      /* a free joint loses in rotations first, and MuJoCo's in translations */
      if (d->efc_type[at] == mjCNSTR_FRICTION_DOF) {
        const int dof = d->efc_id[at], joint = m->dof_jntid[dof], n = dof - m->jnt_dofadr[joint];
        if (m->jnt_type[joint] == mjJNT_FREE) e = at - n + (n + 3) % 6;
      }
      rows[d->efc_type[e]]++;
      row_of(r, g, k, row);
      mj_bridge_u_to_mujoco(&r->bridge, q, row, theirs); /* T is orthogonal: rows change as speeds do */
      double size = 0, dot = 0, speed = 0;
      for (int c = 0; c < m->nv; c++) {
        const double other = d->efc_J[e * m->nv + c];
        dot += theirs[c] * other, size += other * other, speed += fabs(other * d->qvel[c]);
      }
      /* the quaternion of a weld may have the other sign in MuJoCo */
      const double sign = dot < 0 && g->s.rows == 6 && k > 2 ? -1 : 1;
      for (int c = 0; c < m->nv; c++) {
        const double other = sign * d->efc_J[e * m->nv + c];
        ck_assert_msg(fabs(theirs[c] - other) <= 1e-12 * (1 + sqrt(size)),
                      "%s, row %d of type %d, J[%d]: %.15g, MuJoCo %.15g", label, e, d->efc_type[e], c, theirs[c],
                      other);
      }
      const double *KBIP = d->efc_KBIP + 4 * e, violation = fabs(d->efc_pos[e] - d->efc_margin[e]);
      const double scale = KBIP[1] * (1 + speed) + KBIP[0] * KBIP[2] * (1 + violation);
      ck_assert_msg(fabs(g->ref[k] - sign * d->efc_aref[e]) <= 1e-12 * scale,
                    "%s, row %d of type %d, aref: %.15g, MuJoCo %.15g", label, e, d->efc_type[e], g->ref[k],
                    sign * d->efc_aref[e]);
      ck_assert_msg(fabs(g->s.D[k] - d->efc_D[e]) <= 1e-10 * d->efc_D[e],
                    "%s, row %d of type %d, D: %.15g, MuJoCo %.15g", label, e, d->efc_type[e], g->s.D[k], d->efc_D[e]);
      if (g->s.kind == SOFT_FRICTION_LOSS) NEAR(g->s.loss, d->efc_frictionloss[e], 0);
    }
  }
  ck_assert_int_eq(at, d->nefc);
}

START_TEST(test_rows) {
  uint64_t seed = 61;
  int rows[8] = { 0 };
  for (int which = 0; which < SOFT_MODELS; which++) {
    rig r = start(which, false);
    const soft_element_room *room = cdni_soft_element_room(cdn_state_system(r.state));
    for (int round = 0; round < 60; round++) {
      static groups list;
      follow(&r, &seed);
      list.n = 0;
      OK_ON(r.state, cdni_soft_element_groups(room, r.state, 2 * r.m->opt.timestep, 0, false, collect, &list));
      compare_rows(soft_model_names[which], &r, &list, rows);
    }
    stop(&r);
  }
  printf("rows: %d of equalities, %d of friction losses, %d of limits\n", rows[0], rows[1], rows[3]);
  ck_assert(rows[0] > 500 && rows[1] > 500 && rows[3] > 300);
}
END_TEST

/* The whole: accelerations with all rows, in the metric of the masses. */
START_TEST(test_accelerations) {
  uint64_t seed = 62;
  for (int which = 0; which < SOFT_MODELS; which++) {
    rig r = start(which, false);
    double worst = 0;
    for (int round = 0; round < 40; round++) {
      double theirs[MOST_NU], difference[MOST_NU], change[MOST_NU], M_d[MOST_NU], M_c[MOST_NU], error = 0, size = 0;
      double smooth[MOST_NU];
      follow(&r, &seed);
      OK_ON(r.state, cdn_realize(r.state, CDN_STAGE_ACCELERATION));
      mj_bridge_u_from_mujoco(&r.bridge, cdn_state_q(r.state), r.d->qacc, theirs);
      mj_bridge_u_from_mujoco(&r.bridge, cdn_state_q(r.state), r.d->qacc_smooth, smooth);
      for (int i = 0; i < r.nu; i++) {
        difference[i] = cdn_state_udot(r.state)[i] - theirs[i];
        change[i] = theirs[i] - smooth[i];
      }
      OK_ON(r.state, cdn_multiply_by_M(r.state, difference, M_d));
      OK_ON(r.state, cdn_multiply_by_M(r.state, change, M_c));
      for (int i = 0; i < r.nu; i++) error += difference[i] * M_d[i], size += change[i] * M_c[i];
      AT_MOST(sqrt(error), 1e-9 * sqrt(size));
      worst = fmax(worst, sqrt(error / fmax(size, 1e-300)));
    }
    printf("%-7s accelerations differ by %.2g\n", soft_model_names[which], worst);
    stop(&r);
  }
}
END_TEST

/* ---- equalities of files ---- */

/* The same file in both, its contacts left out. `soft` NULL: as the file has it. */
static rig start_file(const char *text, const cdn_soft_def *soft) {
  rig r = { .nu = 0 };
  cdn_system *system = cdn_system_create(NULL);
  cdn_model_options options = cdn_default_model_options();
  cdn_spec *spec;
  options.contact = CDN_MODEL_SOFT, options.equality = CDN_MODEL_SOFT_EQUALITY;
  options.solving = CDN_MODEL_SOLVE_AS_FILE;
  r.m = soft_model_load(text);
  r.d = mj_makeData(r.m);
  OK(cdn_spec_load_string(text, strlen(text), "model.xml", &options, &spec));
  if (soft) cdn_system_set_soft(system, soft);
  OK(cdn_model_build(spec, &options, system, &r.model));
  OK_FREEZE(system);
  ck_assert_int_eq(cdn_system_constraint_count(system), 0);
  OK(cdn_state_create(system, &r.state));
  ck_assert(mj_bridge_init(&r.bridge, r.m, r.model));
  r.nu = cdn_system_nu(system);
  ck_assert_int_le(r.nu, MOST_NU);
  cdn_system_release(system);
  cdn_spec_destroy(spec);
  return r;
}

/* Accelerations at random states with speeds up to `speed`. */
static void compare_file(const char *label, rig *r, uint64_t seed, double speed) {
  double q[80], u[MOST_NU], theirs[MOST_NU], worst = 0;
  for (int round = 0; round < 100; round++) {
    double error = 0, size = 0;
    soft_model_state(r->m, r->d, &seed, speed);
    mj_forward(r->m, r->d);
    mj_bridge_q_from_mujoco(&r->bridge, r->d->qpos, q);
    mj_bridge_u_from_mujoco(&r->bridge, q, r->d->qvel, u);
    mj_bridge_u_from_mujoco(&r->bridge, q, r->d->qacc, theirs);
    OK_ON(r->state, cdn_state_set_q(r->state, q));
    OK_ON(r->state, cdn_state_set_u(r->state, u));
    OK_ON(r->state, cdn_realize(r->state, CDN_STAGE_ACCELERATION));
    for (int i = 0; i < r->nu; i++)
      error = fmax(error, fabs(cdn_state_udot(r->state)[i] - theirs[i])), size = fmax(size, fabs(theirs[i]));
    AT_MOST(error, 1e-9 * size);
    worst = fmax(worst, error / size);
  }
  printf("%-7s of a file: accelerations differ by %.2g\n", label, worst);
}

START_TEST(test_files) {
  const soft_choice choice = { "elliptic", 1, "enable", "Newton" };
  for (int which = 0; which < SOFT_MODELS; which++) {
    char *text = soft_model_text(which, &choice), *without;
    const char *flag = strstr(text, "<flag ");
    ck_assert(asprintf(&without, "%.*s<flag contact='disable' %s", (int)(flag - text), text, flag + 6) > 0);
    cdn_soft_def soft = cdn_default_soft_def();
    soft.rates = false, soft.shortest_time = 0.008, soft.tolerance = 1e-13;
    rig r = start_file(without, &soft);
    for (int b = 1; b < r.m->nbody; b++)
      mj_bridge_set_inertia(r.m, b, cdn_body_mass_properties(r.state, body_of(&r, b)).inertia);
    mj_setConst(r.m, r.d);
    compare_file(soft_model_names[which], &r, 63, 3);
    stop(&r);
    free(text);
    free(without);
  }
}
END_TEST

/* With the solver of the file, too. At rest J does not change, and there are no welds, whose rotations 2.2.2 weighs
 * otherwise. */
START_TEST(test_file_alone) {
  static const char text[] =
      "<mujoco><option timestep='.02' tolerance='1e-15' iterations='500'><flag contact='disable'/></option><worldbody>"
      "<body name='a' pos='0 0 1'><joint name='a' axis='0 1 0' armature='.1' ref='20'/><geom type='box' size='.1 .2 .3' mass='1'/>"
      "<body name='b' pos='.4 0 0'><joint name='b' type='slide' axis='0 0 1'/><geom type='box' size='.3 .1 .2' mass='2'/></body></body>"
      "<body name='c' pos='0 .5 1'><freejoint/><geom type='box' size='.1 .2 .1' mass='2'/></body></worldbody>"
      "<equality><connect name='pin' body1='b' body2='c' anchor='.1 .05 .02'/><joint name='gear' joint1='a' joint2='b' polycoef='.1 .9 -.5 .3 .2'/>"
      "<joint name='stay' joint1='b' polycoef='.1 0 0 0 0' solref='.1 1.5' solimp='.3 .8 .1 .5 1'/>"
      "<connect name='off' body1='a' anchor='.2 0 0' active='false'/></equality></mujoco>";
  rig r = start_file(text, NULL);
  compare_file("rest", &r, 64, 0);
  stop(&r);
}
END_TEST

/* A weld whose impedance follows how far it is: of angles 2.2.2 takes that scaled by torquescale, though its rows ask
 * for the angle itself. */
START_TEST(test_weld_that_softens) {
  static const char text[] =
      "<mujoco><worldbody><body name='a' pos='.3 .1 .2'><freejoint/><geom type='box' size='.3 .2 .1' pos='.1 0 -.1'/>"
      "</body>"
      "</worldbody><equality><weld body1='a' anchor='.1 .2 0' solimp='.1 .96 8' torquescale='.2'/></equality></mujoco>";
  cdn_soft_def soft = cdn_default_soft_def();
  soft.shortest_time = 0.004, soft.tolerance = 1e-13, soft.rates = false;
  rig r = start_file(text, &soft);
  mj_bridge_set_inertia(r.m, 1, cdn_body_mass_properties(r.state, body_of(&r, 1)).inertia);
  mj_setConst(r.m, r.d);
  compare_file("a weld", &r, 66, 2);
  stop(&r);
}
END_TEST

/* Tendons over joints of one chain, of neighbours, of three trees, and over one joint; their J does not change. */
START_TEST(test_tendons) {
  static const char text[] =
      "<mujoco><option timestep='.004' tolerance='1e-15' iterations='500'><flag contact='disable'/></option>"
      "<default><joint armature='.02'/><tendon margin='.1'/><default class='dry'><tendon frictionloss='.8'/></default></default><worldbody>"
      "<body pos='0 0 1'><joint name='a' axis='0 1 0'/><joint name='b' axis='1 0 0'/><geom type='box' size='.1 .2 .3' mass='2'/>"
      "<body pos='.4 0 0'><joint name='c' type='slide' axis='0 1 1'/><geom type='box' size='.3 .1 .2' mass='1'/>"
      "<body pos='.4 0 0'><joint name='d' axis='0 0 1'/><geom type='box' size='.1 .1 .2' mass='.5'/></body>"
      "<body pos='0 .4 0'><joint name='e' axis='0 1 0'/><geom type='box' size='.1 .3 .2' mass='.7'/></body></body></body>"
      "<body pos='0 2 1'><joint name='f' axis='1 1 0'/><geom type='box' pos='.2 0 0' size='.1 .2 .1' mass='3'/></body>"
      "<body pos='0 4 1'><joint name='g' type='slide' axis='0 0 1' range='-.1 .1' limited='true'/><geom type='box' size='.2 .1 .1' mass='100'/></body>"
      "</worldbody><tendon>"
      "<fixed name='long' class='dry' limited='true' range='-.2 .3' solreflimit='.03 .8' solimplimit='.3 .9 .1 .4 3'><joint joint='a' coef='.5'/>"
      "<joint joint='c' coef='-1.2'/><joint joint='e' coef='.3'/><joint joint='d' coef='.7'/></fixed>"
      "<fixed name='near' limited='true' range='-.4 .1' margin='.02' solreflimit='-300 -20'><joint joint='b' coef='1'/><joint joint='a' coef='-.6'/></fixed>"
      "<fixed name='far' class='dry' limited='true' range='-.1 .05' solreffriction='.1 1' solimpfriction='.5 .6'><joint joint='f' coef='.2'/>"
      "<joint joint='b' coef='.3'/><joint joint='g' coef='1'/></fixed>"
      "<fixed name='one' limited='true' frictionloss='.3' range='-.3 .2'><joint joint='d' coef='-.8'/></fixed>"
      "<fixed name='idle'><joint joint='d' coef='-.8'/></fixed></tendon></mujoco>";
  cdn_soft_def soft = cdn_default_soft_def();
  soft.shortest_time = 0.008, soft.tolerance = 1e-13;
  rig r = start_file(text, &soft);
  ck_assert_int_eq(cdn_model_not_understood_count(r.model), 0);
  for (int b = 1; b < r.m->nbody; b++)
    mj_bridge_set_inertia(r.m, b, cdn_body_mass_properties(r.state, body_of(&r, b)).inertia);
  mj_setConst(r.m, r.d);
  compare_file("tendons", &r, 65, 3);
  stop(&r);
}
END_TEST

CHECK_MAIN("mujoco soft elements", test_rows, test_accelerations, test_files, test_file_alone, test_tendons,
           test_weld_that_softens)
