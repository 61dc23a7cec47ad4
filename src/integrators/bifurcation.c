/* Finds the pose at which a run and its companion part. At a singular pose a mechanism can continue in more than one
 * way, and two runs may take different ways. Then no accuracy helps, and the certificate names the pose.
 *
 * Soon after such a pose, the speeds of two parted runs differ by a large part of themselves. The speeds of two runs
 * on the same way differ only by their errors. */
#include <math.h>

#include "constraints/project.h"
#include "integrators/bifurcation.h"
#include "integrators/singular.h"
#include "integrators/stepper.h"
#include "system/system.h"

/* The speeds of two runs belong to different ways if they differ by this part of the larger ones, and by this many
 * times the error that all steps so far may have made. */
static const double APART = 0.2, BEYOND = 10;

static double length(const double *u, const double *from, int n) {
  double sum = 0;
  for (int i = 0; i < n; i++) {
    const double d = u[i] - (from ? from[i] : 0);
    sum += d * d;
  }
  return sqrt(sum);
}

bool cdni_bifurcated(cdn_stepper *s, cdn_stepper *other, double since, double t, cdni_bifurcation *out) {
  const cdni_singular *a = &s->singular, *b = &other->singular, *last = a->met > b->met ? a : b;
  const double *u = cdni_state_y(s->report) + s->nq, *v = cdni_state_y(other->report) + s->nq;
  if (!s->projector || !(last->met >= since) || !(last->met <= t) || s->nu == 0) return false;
  const double apart = length(u, v, s->nu), size = fmax(length(u, NULL, s->nu), length(v, NULL, s->nu));
  if (!(apart > APART * size) || !(apart > BEYOND * (s->local_errors + other->local_errors))) return false;
  out->time = last->met;
  cdni_constraint_name_block(s->work, last->met_block, out->name, sizeof out->name);
  return true;
}
