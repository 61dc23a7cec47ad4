/* Where a run and its companion part: at a singular pose a mechanism can go on in more than one way, and two runs may choose
 * differently. Then no accuracy helps, and the certificate names the pose.
 *
 * Runs that part have speeds that differ by a good part of themselves soon after the pose, while those that err have speeds that
 * differ by their errors. */
#include "integrators/internal.h"

/* Speeds of two ways differ by so much of the larger ones, and by so many times what all steps so far may have erred. */
static const double APART = 0.2, BEYOND = 10;

static double length(const double *u, const double *from, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const double d = u[i] - (from ? from[i] : 0);
    sum += d * d;
  }
  return sqrt(sum);
}

bool cdni_parted(cdn_stepper *s, cdn_stepper *other, double since, double t, cdni_parting *out) {
  const cdni_singular *a = &s->singular, *b = &other->singular, *last = a->met > b->met ? a : b;
  const double *u = cdni_state_y(s->report) + s->nq, *v = cdni_state_y(other->report) + s->nq;
  if (!s->projector || !(last->met >= since) || !(last->met <= t) || s->nu == 0) return false;
  const double apart = length(u, v, s->nu), size = fmax(length(u, NULL, s->nu), length(v, NULL, s->nu));
  if (!(apart > APART * size) || !(apart > BEYOND * (s->local_errors + other->local_errors))) return false;
  out->time = last->met;
  cdni_constraint_name_block(s->system, last->met_block, out->name, sizeof out->name);
  return true;
}
