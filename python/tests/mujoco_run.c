/* mujoco_run MODEL STEPS: steps a model by MuJoCo under controls that vary, then writes, a number a line: time, qpos,
 * qvel, and, after mj_forward, qacc, xpos, xmat, sensordata, energy, the mass matrix, and the Jacobian of the last
 * body's frame. For test_mujoco_like.py. */
#include <math.h>
#include <mujoco/mujoco.h>
#include <stdio.h>
#include <stdlib.h>

static void put(const mjtNum *x, int n) {
  for (int i = 0; i < n; i++) printf("%.17g\n", x[i]);
}

int main(int argc, char **argv) {
  char error[500];
  if (argc < 3) return 1;
  mjModel *m = mj_loadXML(argv[1], NULL, error, sizeof error);
  if (!m) return fprintf(stderr, "%s\n", error), 1;
  m->opt.enableflags |= mjENBL_ENERGY;
  mjData *d = mj_makeData(m);
  if (m->nkey) mj_resetDataKeyframe(m, d, 0);
  for (int i = 0; i < m->nv; i++) d->qvel[i] = 0.1 * sin(1.0 + i);
  for (int k = 0; k < atoi(argv[2]); k++) {
    for (int i = 0; i < m->nu; i++) d->ctrl[i] = 0.5 * sin(0.1 * k + i);
    if (m->nv) d->qfrc_applied[m->nv - 1] = 0.3;
    d->xfrc_applied[6 * (m->nbody - 1)] = 0.2, d->xfrc_applied[6 * (m->nbody - 1) + 4] = 0.01;
    mj_step(m, d);
  }
  put(&d->time, 1), put(d->qpos, m->nq), put(d->qvel, m->nv);
  mj_forward(m, d);
  put(d->qacc, m->nv), put(d->xpos, 3 * m->nbody), put(d->xmat, 9 * m->nbody), put(d->sensordata, m->nsensordata);
  put(d->energy, 2);
  mjtNum *M = calloc((size_t)(m->nv * m->nv + 6 * m->nv), sizeof *M), *J = M + m->nv * m->nv;
  mj_fullM(m, M, d->qM), put(M, m->nv * m->nv);
  mj_jacBody(m, d, J, J + 3 * m->nv, m->nbody - 1), put(J, 6 * m->nv);
  free(M), mj_deleteData(d), mj_deleteModel(m);
  return 0;
}
