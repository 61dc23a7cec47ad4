/* MuJoCo, of whatever version the headers are. */
#include "mujoco_functions.h"

#include <mujoco/mujoco.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct mujoco_engine {
  mjModel *m;
  mjData *d;
  mjtNum *A, *B; /* derivatives of a step */
} mujoco_engine;

static void on_error(const char *text) {
  fprintf(stderr, "MuJoCo: %s\n", text);
  abort();
}

static void on_warning(const char *text) { (void)text; }

static void destroy(void *engine) {
  mujoco_engine *e = engine;
  if (!e) return;
  if (e->d) mj_deleteData(e->d);
  if (e->m) mj_deleteModel(e->m);
  free(e->A), free(e->B), free(e);
}

static void *load(const char *path, char *message, int size) {
  mju_user_error = on_error, mju_user_warning = on_warning;
  mujoco_engine *e = calloc(1, sizeof *e);
  if (!e) return NULL;
  e->m = mj_loadXML(path, NULL, message, size);
  e->d = e->m ? mj_makeData(e->m) : NULL;
  if (e->d) {
    const size_t n = 2 * (size_t)e->m->nv + (size_t)e->m->na;
    e->A = malloc((n * n + 1) * sizeof *e->A), e->B = malloc((n * (size_t)e->m->nu + 1) * sizeof *e->B);
  }
  if (!e->A || !e->B) {
    destroy(e);
    return NULL;
  }
  e->m->opt.disableflags |= mjDSBL_SENSOR; /* nobody asks for sensors */
#if mjVERSION_HEADER >= 3004000
  e->m->opt.enableflags &= ~mjENBL_SLEEP; /* all of them compute every body */
#endif
  return e;
}

static mujoco_sizes sizes(void *engine) {
  const mjModel *m = ((mujoco_engine *)engine)->m;
  return (mujoco_sizes){ (int)m->nq, (int)m->nv, (int)m->nu, (int)m->na, (int)m->nkey, m->opt.timestep };
}

static void use_newton_and_pyramids(void *engine) {
  mjOption *options = &((mujoco_engine *)engine)->m->opt;
  options->solver = mjSOL_NEWTON, options->cone = mjCONE_PYRAMIDAL;
}

static void solve_to_the_end(void *engine) {
  mjOption *options = &((mujoco_engine *)engine)->m->opt;
  options->solver = mjSOL_NEWTON, options->tolerance = 0, options->iterations = 300;
}

static void reset(void *engine, int keyframe) {
  mujoco_engine *e = engine;
  if (keyframe < 0) mj_resetData(e->m, e->d);
  else mj_resetDataKeyframe(e->m, e->d, keyframe);
}

static void put(void *engine, const double *qpos, const double *qvel, const double *warm, const double *act) {
  mujoco_engine *e = engine;
  memcpy(e->d->qpos, qpos, (size_t)e->m->nq * sizeof *qpos);
  memcpy(e->d->qvel, qvel, (size_t)e->m->nv * sizeof *qvel);
  memcpy(e->d->qacc_warmstart, warm, (size_t)e->m->nv * sizeof *warm);
  if (act) memcpy(e->d->act, act, (size_t)e->m->na * sizeof *act);
  else memset(e->d->act, 0, (size_t)e->m->na * sizeof *act);
}

static void put_controls(void *engine, const double *ctrl) {
  const mujoco_engine *e = engine;
  memcpy(e->d->ctrl, ctrl, (size_t)e->m->nu * sizeof *ctrl);
}

static void control_ranges(void *engine, double *lower, double *upper) {
  const mjModel *m = ((mujoco_engine *)engine)->m;
  for (int i = 0; i < (int)m->nu; i++) {
    const int limited = m->actuator_ctrllimited[i];
    lower[i] = limited ? m->actuator_ctrlrange[2 * i] : -1, upper[i] = limited ? m->actuator_ctrlrange[2 * i + 1] : 1;
  }
}

static void length_range(void *engine, int actuator, double range[2]) {
  const mjModel *m = ((mujoco_engine *)engine)->m;
  range[0] = m->actuator_lengthrange[2 * actuator], range[1] = m->actuator_lengthrange[2 * actuator + 1];
}

static void use_sensors(void *engine) { ((mujoco_engine *)engine)->m->opt.disableflags &= ~mjDSBL_SENSOR; }

static void copy(double *to, const mjtNum *from, size_t n) {
  if (to) memcpy(to, from, n * sizeof *to);
}

static void take(void *engine, double *qpos, double *qvel, double *warm, double *act, double *qacc) {
  const mujoco_engine *e = engine;
  const size_t nq = (size_t)e->m->nq, nv = (size_t)e->m->nv;
  copy(qpos, e->d->qpos, nq), copy(qvel, e->d->qvel, nv);
  copy(warm, e->d->qacc_warmstart, nv), copy(act, e->d->act, (size_t)e->m->na), copy(qacc, e->d->qacc, nv);
}

static void step(void *engine, int count) {
  mujoco_engine *e = engine;
  for (int i = 0; i < count; i++) mj_step(e->m, e->d);
}

static void forward(void *engine) { mj_forward(((mujoco_engine *)engine)->m, ((mujoco_engine *)engine)->d); }

static void inverse(void *engine, const double *qacc) {
  mujoco_engine *e = engine;
  memcpy(e->d->qacc, qacc, (size_t)e->m->nv * sizeof *qacc);
  mj_inverse(e->m, e->d);
}

static void step_derivatives(void *engine) {
  mujoco_engine *e = engine;
  mjd_transitionFD(e->m, e->d, 1e-6, 0, e->A, e->m->nu ? e->B : NULL, NULL, NULL);
}

static const double *transition(void *engine) { return ((mujoco_engine *)engine)->A; }

static void poses(void *engine, int with_tendons) {
  mujoco_engine *e = engine;
  mj_kinematics(e->m, e->d), mj_comPos(e->m, e->d);
  if (with_tendons) mj_tendon(e->m, e->d);
}

static mujoco_counts counts(void *engine) {
  const mjData *d = ((mujoco_engine *)engine)->d;
  mujoco_counts all = { d->ncon, d->nefc, 0 };
#if mjVERSION_HEADER < 300 /* 222 is 2.2.2; newer ones are 3012001 for 3.12.1 */
  all.iterations = d->solver_iter;
#else
  for (int i = 0; i < (d->nisland > 0 ? d->nisland : 1) && i < mjNISLAND; i++) all.iterations += d->solver_niter[i];
#endif
  return all;
}

const mujoco_functions *mujoco_functions_here(void) {
  static mujoco_functions here = { NULL,
                                   load,
                                   destroy,
                                   sizes,
                                   use_newton_and_pyramids,
                                   solve_to_the_end,
                                   reset,
                                   put,
                                   put_controls,
                                   control_ranges,
                                   length_range,
                                   use_sensors,
                                   take,
                                   step,
                                   forward,
                                   inverse,
                                   step_derivatives,
                                   transition,
                                   poses,
                                   counts };
  here.version = mj_versionString();
  return &here;
}
