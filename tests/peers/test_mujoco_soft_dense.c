/* The dense reference of soft rows against the solvers of MuJoCo 2.2.2, with MuJoCo's own M, J, aref and R: Newton, CG
 * and PGS, both cones. */
#include <stdio.h>
#include <stdlib.h>

#include "../property/dense_soft.h"
#include "../testing.h"
#include "random_mjcf.h"
#include "soft_models.h"

enum { MOST_ROWS = 2000 };

/* MuJoCo's rows as groups: edges of pyramids one by one. */
static int groups_of(const mjModel *m, const mjData *d, dense_group *g) {
  int n = 0;
  for (int i = 0; i < d->nefc; n++) {
    const int type = d->efc_type[i];
    g[n] = (dense_group){ .kind = SOFT_LIMIT, .rows = 1, .J = d->efc_J + i * m->nv };
    if (type == mjCNSTR_EQUALITY) g[n].kind = SOFT_EQUALITY;
    if (type == mjCNSTR_FRICTION_DOF) g[n].kind = SOFT_FRICTION_LOSS, g[n].loss = d->efc_frictionloss[i];
    if (type == mjCNSTR_CONTACT_ELLIPTIC) {
      const mjContact *c = d->contact + d->efc_id[i];
      g[n].kind = SOFT_ELLIPTIC;
      g[n].rows = c->dim;
      memcpy(g[n].friction, c->friction, sizeof c->friction);
    }
    for (int k = 0; k < g[n].rows; k++) g[n].ref[k] = d->efc_aref[i + k], g[n].R[k] = d->efc_R[i + k];
    i += g[n].rows;
  }
  return n;
}

typedef struct outcome {
  double a, f;      /* the largest differences met, relative */
  int states, left; /* left: not within the limit */
} outcome;

static void compare(const mjModel *m, mjData *d, double limit, outcome *o) {
  static dense_group group[MOST_ROWS];
  double *M = calloc((size_t)m->nv * (size_t)m->nv, sizeof *M);
  ck_assert_int_lt(d->nefc, MOST_ROWS);
  mj_fullM(m, M, d->qM);
  const dense_problem p = {
    .nv = m->nv, .groups = groups_of(m, d, group), .M = M, .a0 = d->qacc_smooth, .group = group
  };
  dense_solution s;
  ck_assert_msg(dense_solve(&p, &s), "gradient %g after %d iterations", s.gradient, s.iterations);
  /* in the metric of the masses, against what the rows change */
  double error = 0, size = 0, wrong = 0, most = 0;
  for (int i = 0; i < m->nv; i++)
    for (int k = 0; k < m->nv; k++) {
      error += (s.a[i] - d->qacc[i]) * M[i * m->nv + k] * (s.a[k] - d->qacc[k]);
      size += (d->qacc_smooth[i] - s.a[i]) * M[i * m->nv + k] * (d->qacc_smooth[k] - s.a[k]);
    }
  for (int g = 0, i = 0; g < p.groups; g++)
    for (int k = 0; k < group[g].rows; k++, i++) {
      wrong = fmax(wrong, fabs(s.force[g][k] - d->efc_force[i]));
      most = fmax(most, fabs(s.force[g][k]));
    }
  o->states++;
  if (size > 0 && sqrt(error / size) <= limit && wrong / most <= 10 * limit) {
    o->a = fmax(o->a, sqrt(error / size));
    o->f = fmax(o->f, wrong / most);
  } else if (size > 0) {
    o->left++;
  }
  dense_free(&s);
  free(M);
}

START_TEST(test_solvers) {
  static const char *const solvers[] = { "Newton", "CG", "PGS" }, *const cones[] = { "pyramidal", "elliptic" };
  /* How far MuJoCo's solvers come. Its PGS stands still where cones are elliptic, bodies are of very different mass and
   * contacts are redundant: there some states are left out. */
  static const double limits[] = { 1e-12, 1e-12, 1e-4, 1e-4, 1e-2, 1e-2 };
  uint64_t seed = 51;
  for (int which = 0; which < SOFT_MODELS; which++) {
    for (int choice = 0; choice < 6; choice++) {
      const soft_choice c = { cones[choice % 2], choice % 2 ? 3 : 1, "enable", solvers[choice / 2] };
      outcome o = { .states = 0 };
      char *text = soft_model_text(which, &c);
      mjModel *m = soft_model_load(text);
      m->opt.jacobian = mjJAC_DENSE;
      m->opt.tolerance = 0;
      m->opt.iterations = choice / 2 == 2 ? 20000 : 500;
      mjData *d = mj_makeData(m);
      for (int state = 0; state < 15; state++) {
        soft_model_state(m, d, &seed, 3);
        mj_forward(m, d);
        compare(m, d, limits[choice], &o);
      }
      printf("%-7s %-10s %-7s %d states: qacc %.2g, efc_force %.2g; not converged %d\n", soft_model_names[which],
             c.cone, c.solver, o.states, o.a, o.f, o.left);
      ck_assert_int_le(o.left, choice == 5 ? o.states / 2 : 0);
      mj_deleteData(d);
      mj_deleteModel(m);
      free(text);
    }
  }
}
END_TEST

CHECK_MAIN("mujoco soft dense", test_solvers)
