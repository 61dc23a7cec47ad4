/* What the methods with equal steps share. */
#include <cardan/math.h>
#include <math.h>

#include "integrators/fixed.h"
#include "integrators/step.h"
#include "integrators/stepper.h"
#include "matter/matter.h"
#include "matter/move.h"
#include "soft/soft.h"
#include "system/system.h"

cdn_status cdni_fixed_start(cdn_stepper *s) {
  const cdni_step *step = &s->step;
  const size_t size = sizeof(double) * (size_t)s->ny;
  const bool here = cdn_state_time(s->work) == step->t0 && memcmp(cdni_state_y(s->work), step->y0, size) == 0;
  if (!here) CDNI_TRY(cdn_state_set_ty(s->work, step->t0, step->y0));
  if (!here) CDNI_TRY(cdni_prescribe_values(s, s->work, NULL));
  /* counted when the step before ended here */
  CDNI_TRY(cdni_realize_start(s, s->work));
  return cdni_soft_keep_rows(s->work);
}

cdn_status cdni_fixed_move(cdn_stepper *s, double h, const double *q0, const double *u, double *q1) {
  return cdni_move(s->work, MOVE_TURN, 1, s->nq, &h, q0, u, s->scratch, q1);
}

void cdni_fixed_turn(const cdn_stepper *s, const double *q, bool back, double *x) {
  const matter *m = cdni_matter(s->system);
  if (!m || m->tree.n_quaternions == 0) return;
  const cdni_runs runs = cdni_subsystem_runs(s->system, m->subsystem);
  for (int b = 1; b < m->tree.n; b++) {
    const tree_node *n = &m->tree.node[b];
    if (!cdni_fixed_turns(n)) continue;
    const double *e = q + runs.q + n->q;
    double *w = x + runs.u + n->u;
    const cdn_rotation R = cdn_rotation_from_quaternion((cdn_quaternion){ e[0], e[1], e[2], e[3] });
    const cdn_vec3 v = cdn_v3(w[0], w[1], w[2]), turned = back ? cdn_rotate(R, v) : cdn_rotate_inv(R, v);
    w[0] = turned.x, w[1] = turned.y, w[2] = turned.z;
  }
}

double cdni_fixed_z_step(const cdn_system *system, int i, double h) {
  const double T = cdni_system_z_filter(system, i);
  return T > 0 ? -T * expm1(-h / T) : h;
}

cdn_status cdni_fixed_arrive(cdn_stepper *s) {
  cdni_step *step = &s->step;
  CDNI_TRY(cdni_arrive(s, NULL));
  for (int i = 0; i < s->ny; i++) step->error[i] = 0;
  step->work = 0.5 * step->h * (step->power0 + step->power1);
  return CDN_OK;
}
