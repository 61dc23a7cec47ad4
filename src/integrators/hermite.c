/* Dense output for methods that have none of their own: a cubic, whose error within a step is proportional to h^4. */
#include "integrators/explicit_rk.h"
#include "integrators/stepper.h"

void cdni_hermite(const cdn_stepper *s, double theta, double *y, double *work) {
  const cdni_step *step = &s->step;
  cdni_cubic c = cdni_cubic_at(theta);
  double of_f0 = step->h * c.of_f0, of_f1 = step->h * c.of_f1;
  for (int i = 0; i < s->ny; i++) {
    y[i] = step->y0[i] + (c.of_dy * (step->y1[i] - step->y0[i]) + of_f0 * step->f0[i] + of_f1 * step->f1[i]);
  }
  *work = c.of_dy * step->work + of_f0 * step->power0 + of_f1 * step->power1;
}

void cdni_hermite_slope(const cdn_stepper *s, double theta, double *ydot) {
  const cdni_step *step = &s->step;
  const double of_dy = 6 * theta * (1 - theta) / step->h;
  const double of_f0 = (1 - theta) * (1 - 3 * theta), of_f1 = theta * (3 * theta - 2);
  for (int i = 0; i < s->ny; i++)
    ydot[i] = of_dy * (step->y1[i] - step->y0[i]) + of_f0 * step->f0[i] + of_f1 * step->f1[i];
}
