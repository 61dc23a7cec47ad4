/* The scales of a model, so that the search does the same in metres and seconds as in nanometres and picoseconds.
 *
 * The length is the bodies' (matter/scale.h), or where they are points at one place the displacement that would balance
 * them. The scale of accelerations comes from the stiffness: the square of a frequency, times 1 rad or the length. */
#include <math.h>

#include "matter/scale.h"
#include "studies/equilibrium.h"

static const double ROUNDING = 1e-14; /* of the forces that displacements of one model unit make */
static const double FAINTEST =
    1e-10; /* of the largest stiffness: below it is what rounding leaves of directions without one */
static const double NOTHING = 1e-13; /* of forces and stiffness: where constraints hold these, rounding is left */
static const double NO_SCALE = 1;    /* where nothing has a stiffness: the tolerance is in the user's units */

/* How far coordinates are from balance, by their own stiffness. */
static double distance_from_balance(const search *x) {
  double most = 0;
  for (int k = 0; k < x->s.nu; k++) {
    double force = 0;
    for (int i = 0; i < x->s.n; i++) force += x->s.Z[i * x->s.nu + k] * x->s.gradient[i];
    const double there = fabs(force / x->s.work[k * x->s.nu + k]);
    if (isfinite(there)) most = fmax(most, there);
  }
  return most;
}

void cdni_equilibrium_set_units(search *x) {
  if (!(x->length > 0)) x->length = distance_from_balance(x);
  cdni_matter_units(cdni_matter(cdn_state_system(x->rest)), x->rest, x->length > 0 ? x->length : 1, x->unit);
}

/* The square of the model's lowest frequency, of modes and of single mobilities; 0 if nothing has a stiffness. */
static double softest(const search *x) {
  const int n = x->s.n, nu = x->s.nu;
  const cdni_stiffness_scale scale = cdni_statics_scale(&x->s);
  const double most = n ? fmax(fabs(x->d[0]), fabs(x->d[n - 1])) : 0;
  double least = INFINITY;
  for (int i = 0; i < n; i++)
    if (fabs(x->d[i]) > fmax(FAINTEST * most, x->faint)) least = fmin(least, fabs(x->d[i]));
  for (int k = 0; k < nu; k++) {
    const double K = fabs(x->s.work[k * nu + k]);
    if (K > FAINTEST * fmin(scale.largest, scale.stiffest * x->s.mass[k]) && K > x->faint * x->s.mass[k])
      least = fmin(least, K / x->s.mass[k]);
  }
  return isfinite(least) ? least : 0;
}

void cdni_equilibrium_set_bounds(search *x) {
  const int nu = x->s.nu;
  x->faint = 0;
  for (int k = 0; k < nu && x->s.n < nu; k++)
    x->faint = fmax(x->faint, NOTHING * fabs(x->force[k]) / (x->unit[k] * x->s.mass[k]));
  const double least = softest(x);
  for (int k = 0; k < nu; k++) {
    double noise = 0;
    for (int j = 0; j < nu; j++) noise += fabs(x->s.work[k * nu + j]) * x->unit[j];
    x->bound[k] =
        fmax(x->def->tolerance * (least > 0 ? least * x->unit[k] : NO_SCALE), ROUNDING * noise / x->s.mass[k]);
  }
}
