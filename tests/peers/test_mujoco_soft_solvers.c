/* The solvers of soft rows against those of MuJoCo 2.2.2, live: where they converge to, and, iteration by iteration,
 * the way they take. */
#include <stdio.h>
#include <stdlib.h>

#include "../testing.h"
#include "mujoco_bridge.h"
#include "random_mjcf.h"
#include "soft_models.h"

enum { MOST_NU = 60 };

typedef struct rig {
  cdn_model *model;
  cdn_state *state;
  mjModel *m;
  mjData *d;
  mj_bridge bridge;
} rig;

/* The model as MuJoCo's file says it, with these options of ours. */
static rig start(int which, const soft_choice *choice, const cdn_soft_def *soft) {
  rig r = { .model = NULL };
  char *text = soft_model_text(which, choice);
  cdn_model_options options = cdn_default_model_options();
  options.contact = CDN_MODEL_SOFT;
  cdn_spec *spec;
  cdn_system *system = cdn_system_create(NULL);
  r.m = soft_model_load(text);
  cdn_system_set_soft(system, soft);
  OK(cdn_spec_load_string(text, strlen(text), "model.xml", &options, &spec));
  OK(cdn_model_build(spec, &options, system, &r.model));
  OK_FREEZE(system);
  OK(cdn_state_create(system, &r.state));
  ck_assert(mj_bridge_init(&r.bridge, r.m, r.model));
  for (int i = 0; i < r.m->ngeom; i++) r.m->geom_sameframe[i] = 0;
  for (int b = 1; b < r.m->nbody; b++)
    mj_bridge_set_inertia(r.m, b, cdn_body_mass_properties(r.state, cdn_model_body(r.model, b - 1)).inertia);
  r.m->opt.jacobian = mjJAC_DENSE;
  r.m->opt.tolerance = 0, r.m->opt.iterations = 500;
  r.d = mj_makeData(r.m);
  mj_setConst(r.m, r.d);
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

/* Points on planes are the same in both. */
static bool only_planes_touch(const rig *r) {
  for (int i = 0; i < r->d->ncon; i++)
    if (r->m->geom_type[r->d->contact[i].geom1] != mjGEOM_PLANE) return false;
  return true;
}

static void follow(rig *r, uint64_t *seed) {
  double q[80], u[MOST_NU];
  do {
    soft_model_state(r->m, r->d, seed, 3);
    mj_forward(r->m, r->d);
  } while (!only_planes_touch(r));
  mj_bridge_q_from_mujoco(&r->bridge, r->d->qpos, q);
  mj_bridge_u_from_mujoco(&r->bridge, q, r->d->qvel, u);
  OK_ON(r->state, cdn_state_set_q(r->state, q));
  OK_ON(r->state, cdn_state_set_u(r->state, u));
  OK_ON(r->state, cdn_realize(r->state, CDN_STAGE_ACCELERATION));
}

/* How far udot is from MuJoCo's, in the metric of the masses, relative to what the rows change. */
static double differ(rig *r) {
  double theirs[MOST_NU], smooth[MOST_NU], M_d[MOST_NU], M_c[MOST_NU], error = 0, size = 0;
  const double *q = cdn_state_q(r->state), *udot = cdn_state_udot(r->state);
  const int nu = r->m->nv;
  mj_bridge_u_from_mujoco(&r->bridge, q, r->d->qacc, theirs);
  mj_bridge_u_from_mujoco(&r->bridge, q, r->d->qacc_smooth, smooth);
  for (int i = 0; i < nu; i++) smooth[i] = theirs[i] - smooth[i], theirs[i] = udot[i] - theirs[i];
  OK_ON(r->state, cdn_multiply_by_M(r->state, theirs, M_d));
  OK_ON(r->state, cdn_multiply_by_M(r->state, smooth, M_c));
  for (int i = 0; i < nu; i++) error += theirs[i] * M_d[i], size += smooth[i] * M_c[i];
  return size > 0 ? sqrt(error / size) : 0;
}

/* How far forces of contacts are from MuJoCo's, relative to the largest one: along the normal, and the lengths of
 * friction, torsion and rolling moments. */
static double differ_in_contacts(rig *r) {
  double error = 0, size = 1e-9;
  int n, found = 0;
  OK_ON(r->state, cdn_soft_count(r->state, &n));
  for (int i = 0; i < n; i++) {
    cdn_soft_group g;
    OK_ON(r->state, cdn_soft_get(r->state, i, &g));
    if (g.contact < 0) continue;
    for (int c = 0; c < r->d->ncon; c++) {
      const mjContact *theirs = &r->d->contact[c];
      const cdn_vec3 at = cdn_v3(theirs->pos[0], theirs->pos[1], theirs->pos[2]);
      if (theirs->efc_address < 0 || cdn_norm(cdn_sub(at, g.point_G)) > 1e-9) continue;
      double f[6];
      mj_contactForce(r->m, r->d, c, f);
      size = fmax(size, fabs(f[0])), found++;
      error = fmax(error, fabs(f[0] - g.force[0]));
      error = fmax(error, fabs(hypot(f[1], f[2]) - hypot(g.force[1], g.force[2])));
      error = fmax(error, fabs(fabs(f[3]) - fabs(g.force[3])));
      error = fmax(error, fabs(hypot(f[4], f[5]) - hypot(g.force[4], g.force[5])));
    }
  }
  int there = 0;
  for (int c = 0; c < r->d->ncon; c++) there += r->d->contact[c].efc_address >= 0;
  ck_assert_int_eq(found, there);
  return error / size;
}

/* The same of the forces of the rows on mobilities, against all of them. */
static double differ_in_forces(rig *r) {
  double theirs[MOST_NU], change[MOST_NU], ours[MOST_NU], error = 0, size = 0;
  const double *q = cdn_state_q(r->state), *udot = cdn_state_udot(r->state);
  const int nu = r->m->nv;
  mj_bridge_u_from_mujoco(&r->bridge, q, r->d->qacc_smooth, change);
  mj_bridge_u_from_mujoco(&r->bridge, q, r->d->qfrc_constraint, theirs);
  for (int i = 0; i < nu; i++) change[i] = udot[i] - change[i];
  OK_ON(r->state, cdn_multiply_by_M(r->state, change, ours));
  for (int i = 0; i < nu; i++) error = fmax(error, fabs(theirs[i] - ours[i])), size = fmax(size, fabs(theirs[i]));
  return size > 0 ? error / size : 0;
}

static const char *const names[] = { "Newton", "CG", "PGS" }, *const cones[] = { "pyramidal", "elliptic" };
static const int models[] = { 0, 3 }; /* without equalities, which are exact here */

static cdn_soft_def options_of(const soft_choice *choice, cdn_soft_solver solver) {
  cdn_soft_def soft = cdn_default_soft_def();
  soft.solver = solver;
  soft.rates = false;
  soft.cone = strcmp(choice->cone, "elliptic") == 0 ? CDN_SOFT_ELLIPTIC : CDN_SOFT_PYRAMIDAL;
  soft.impedance_ratio = choice->impratio;
  soft.shortest_time = 0.008;
  return soft;
}

START_TEST(test_converged) {
  uint64_t seed = 71;
  for (size_t which = 0; which < sizeof models / sizeof *models; which++)
    for (cdn_soft_solver solver = CDN_SOFT_NEWTON; solver <= CDN_SOFT_PGS; solver++)
      for (int cone = 0; cone < 2; cone++) {
        const soft_choice choice = { cones[cone], cone ? 3 : 1, "enable", "Newton" };
        cdn_soft_def soft = options_of(&choice, solver);
        soft.tolerance = 1e-12, soft.iterations = 20000;
        rig r = start(models[which], &choice, &soft);
        double most = 0, residual = 0, forces = 0;
        for (int round = 0; round < 30; round++) {
          cdn_soft_statistics s;
          follow(&r, &seed);
          most = fmax(most, differ(&r));
          forces = fmax(forces, differ_in_contacts(&r));
          OK_ON(r.state, cdn_soft_get_statistics(r.state, &s));
          residual = fmax(residual, s.residual);
        }
        printf("%-7s %-9s %-7s udot %.2g, forces of contacts %.2g; residual %.2g\n", soft_model_names[models[which]],
               cones[cone], names[solver], most, forces, residual);
        /* Newton's end is rounding, which masses of six powers of ten multiply. CG's is the tolerance, relative to a
         * cost at udot0 that may be 1e4 times what the rows change. */
        AT_MOST(most, solver != CDN_SOFT_NEWTON ? 1e-10 : models[which] == 3 ? 1e-9 : 1e-12);
        AT_MOST(forces, 1e-8);
        stop(&r);
      }
}
END_TEST

/* After so many iterations both stand at the same place: the steps are the same, and `iterations` means the same. */
START_TEST(test_iterations) {
  uint64_t seed = 72;
  for (cdn_soft_solver solver = CDN_SOFT_NEWTON; solver <= CDN_SOFT_CG; solver++)
    for (int cone = 0; cone < 2; cone++) {
      const soft_choice choice = { cones[cone], cone ? 3 : 1, "enable", names[solver] };
      for (int n = 1; n <= 6; n++) {
        cdn_soft_def soft = options_of(&choice, solver);
        soft.tolerance = 0, soft.cost_tolerance = 0, soft.iterations = n, soft.line_tolerance = 1e-15;
        rig r = start(0, &choice, &soft);
        r.m->opt.iterations = n;
        double most = 0;
        for (int round = 0; round < 10; round++) {
          follow(&r, &seed);
          most = fmax(most, differ_in_forces(&r));
        }
        printf("%-9s %-7s %d iterations: forces %.2g\n", cones[cone], names[solver], n, most);
        /* MuJoCo's line searches end where slopes are rounding; later directions of CG multiply what they leave. */
        AT_MOST(most, solver == CDN_SOFT_CG && n > 3 ? 1e-4 : 1e-8);
        stop(&r);
      }
    }
}
END_TEST

/* `tolerance` means the same: both stop after the same iteration. */
START_TEST(test_tolerance) {
  static const double tolerances[] = { 1e-2, 1e-4, 1e-8 };
  uint64_t seed = 73;
  for (cdn_soft_solver solver = CDN_SOFT_NEWTON; solver <= CDN_SOFT_CG; solver++)
    for (int choice = 0; choice < 6; choice++) {
      const int cone = choice % 2;
      const double tolerance = tolerances[choice / 2];
      const soft_choice c = { cones[cone], cone ? 3 : 1, "enable", names[solver] };
      cdn_soft_def soft = options_of(&c, solver);
      soft.cost_tolerance = tolerance, soft.line_tolerance = 0.01;
      rig r = start(0, &c, &soft);
      r.m->opt.tolerance = tolerance, r.m->opt.iterations = soft.iterations;
      int same = 0, all = 0, most = 0;
      for (int round = 0; round < 20; round++) {
        cdn_soft_statistics s;
        follow(&r, &seed);
        OK_ON(r.state, cdn_soft_get_statistics(r.state, &s));
        all++, same += s.most_iterations == r.d->solver_iter;
        most = most > s.most_iterations ? most : s.most_iterations;
      }
      printf("%-9s %-7s tolerance %g: %d of %d states stop together, after up to %d iterations\n", cones[cone],
             names[solver], tolerance, same, all, most);
      /* what line searches leave makes long ways part, and an iteration more or less */
      ck_assert_int_ge(same, solver == CDN_SOFT_CG ? all - 4 : all);
      stop(&r);
    }
}
END_TEST

/* MuJoCo 2.2.2 stops short where a contact has torsion and rolling: its friction there does not oppose what slips. */
static bool has_plain_friction(const rig *r) {
  for (int i = 0; i < r->d->ncon; i++)
    if (r->d->contact[i].dim > 3) return false;
  return true;
}

/* The no-slip pass after each solver. MuJoCo's keeps other sums of forces of pyramids
 * (docs/evidence/soft_contact.md). */
START_TEST(test_noslip) {
  uint64_t seed = 74;
  for (cdn_soft_solver solver = CDN_SOFT_NEWTON; solver <= CDN_SOFT_PGS; solver++) {
    const soft_choice choice = { "elliptic", 2, "enable", "Newton" };
    cdn_soft_def soft = options_of(&choice, solver);
    soft.tolerance = 1e-12, soft.iterations = 20000;
    soft.noslip_iterations = 20000, soft.noslip_tolerance = 1e-22;
    rig r = start(0, &choice, &soft);
    r.m->opt.noslip_iterations = soft.noslip_iterations, r.m->opt.noslip_tolerance = 1e-22;
    double most = 0, moved = 0;
    for (int round = 0; round < 20; round++) {
      do follow(&r, &seed);
      while (!has_plain_friction(&r));
      most = fmax(most, differ(&r));
      r.m->opt.noslip_iterations = 0;
      mj_forward(r.m, r.d);
      moved = fmax(moved, differ(&r));
      r.m->opt.noslip_iterations = soft.noslip_iterations;
    }
    /* sweeps gain little where contacts share their work: both may end before the end */
    AT_MOST(most, 1e-6);
    AT_MOST(1e-3, moved);
    printf("no-slip after %-7s udot %.2g, which the pass has changed by up to %.2g\n", names[solver], most, moved);
    stop(&r);
  }
}
END_TEST

CHECK_MAIN("mujoco soft solvers", test_converged, test_iterations, test_tolerance, test_noslip)
