/* Friction that sticks (manual 11.2.3): between two surfaces there is a bristle, a spring k with a damper k T beside
 * it, and in series with it a slider that bears at most F. The displacement x of the bristle is a state. With the
 * velocity v of the one surface relative to the other,
 *
 *    g = k (x + T v),   f = -s g  with  s = min(1, F / |g|),   xdot = s v - (1 - s) x / T.
 *
 * - While |g| < F nothing slides: xdot = v, and x is the displacement of the surfaces, exactly. So what is loaded below
 * F
 *   moves elastically and does not creep, also while it is shaken.
 * - What slides has |f| = F at any speed. Its bristle follows within T: no rate is larger than 1/T, however fast it
 * slides.
 * - It is passive, whatever F and its changes are: f.v + d/dt(k x.x / 2) = -(s |g - k x|^2 + (1 - s) |k x|^2) / (k T).
 * - Without a normal force F is 0: the force vanishes, and the bristle forgets within T.
 *
 * The elasto-plastic model of Dupont, Hayward, Armstrong and Altpeter (2002) has the first property too; here no
 * function has to be chosen that joins sticking and sliding, and the bound of the rates does not depend on the speed.
 *
 * Torsion is a fourth coordinate: the turn about the normal times a fixed length `lever0`, with the moment over
 * lever0 as its force. The slider bears the force f and the moment m if |f|^2 + (m / lever)^2 <= F^2: what spins slides
 * easily. The sum of the powers is the one above, with the same s. */
#include <math.h>

#include "laws/laws.h"

bool cdni_bristle(const bristle *b, const double x[4], const double v[4], double f[4], double xdot[4]) {
  /* what of x is along the normal has come there by turning: it does not act, and dies away */
  const double along = b->normal.x * x[0] + b->normal.y * x[1] + b->normal.z * x[2];
  const double n[4] = { along * b->normal.x, along * b->normal.y, along * b->normal.z, 0 };
  double g[4], square = 0;
  for (int i = 0; i < 4; i++) g[i] = b->stiffness * (x[i] - n[i] + b->time * v[i]);
  for (int i = 0; i < 3; i++) square += g[i] * g[i];
  if (b->lever > 0) square += g[3] * g[3] * (b->lever0 / b->lever) * (b->lever0 / b->lever);
  const double size = sqrt(square), s = size > b->strength ? b->strength / size : 1;
  for (int i = 0; i < 4; i++) {
    f[i] = -s * g[i];
    xdot[i] = s * v[i] - ((1 - s) * x[i] + s * n[i]) / b->time;
  }
  if (!(b->lever > 0)) f[3] = 0, xdot[3] = -x[3] / b->time;
  return s == 1;
}

void cdni_bristle_derivative(const bristle *b, const double x[4], const double v[4], const bristle_change *d,
                             double df[4], double dxdot[4]) {
  const double *n = &b->normal.x, *dn = &d->normal.x;
  double along = 0, d_along = 0, away[4] = { 0 }, d_away[4] = { 0 }, g[4], dg[4], square = 0, d_square = 0;
  for (int i = 0; i < 3; i++) along += n[i] * x[i], d_along += dn[i] * x[i] + n[i] * d->x[i];
  for (int i = 0; i < 3; i++) away[i] = along * n[i], d_away[i] = d_along * n[i] + along * dn[i];
  for (int i = 0; i < 4; i++) {
    g[i] = b->stiffness * (x[i] - away[i] + b->time * v[i]);
    dg[i] = d->stiffness * g[i] + b->stiffness * (d->x[i] - d_away[i] + b->time * (d->v[i] + d->time * v[i]));
  }
  for (int i = 0; i < 3; i++) square += g[i] * g[i], d_square += 2 * g[i] * dg[i];
  if (b->lever > 0) {
    const double ratio = b->lever0 / b->lever, turn = g[3] * ratio,
                 d_turn = ratio * (dg[3] + g[3] * (d->lever0 / b->lever0 - d->lever / b->lever));
    square += turn * turn, d_square += 2 * turn * d_turn;
  }
  const double size = sqrt(square), s = size > b->strength ? b->strength / size : 1;
  const double ds = size > b->strength ? (d->strength - 0.5 * s * d_square / size) / size : 0;
  for (int i = 0; i < 4; i++) {
    df[i] = -ds * g[i] - s * dg[i];
    const double falls = (1 - s) * x[i] + s * away[i];
    dxdot[i] = ds * v[i] + s * d->v[i] -
               ((1 - s) * d->x[i] - ds * x[i] + ds * away[i] + s * d_away[i] - d->time * falls) / b->time;
  }
  if (!(b->lever > 0)) df[3] = 0, dxdot[3] = (d->time * x[3] - d->x[3]) / b->time;
}
