/* The step along Newton's direction. It ends within the cones, whose intersections are known in closed form.
 *
 * An impulse near the border of its cone leaves it soon on a straight line across, though the least may be far around
 * the cone. So a step first tries to turn such impulses about the normal; the border is then met on a straight line of
 * r and n. If the function does not fall enough that way, the step is the best one along the straight line. */
#include <math.h>

#include "soft/invertible_forward.h"

/* The least a > 0 where D + 2 a D1 + a^2 D2 = 0, D > 0; INFINITY: none. */
static double cone_border(double D, double D1, double D2) {
  const double square = D1 * D1 - D * D2;
  if (!(square >= 0)) return HUGE_VAL;
  const double below = sqrt(square) - D1;
  return below > 0 ? D / below : HUGE_VAL;
}

static void along(const double *f, const double *d, double *D, double *D1, double *D2) {
  const double length = hypot(f[0], f[1]), step = hypot(d[0], d[1]);
  *D = (f[2] - length) * (f[2] + length);
  *D1 = f[2] * d[2] - f[0] * d[0] - f[1] * d[1];
  *D2 = (d[2] - step) * (d[2] + step);
}

/* ---- around the cones ---- */

static bool turns(const forward *k, int i, double *r) {
  *r = hypot(k->f[i], k->f[i + 1]);
  return *r > 0.5 * k->f[i + 2];
}

/* The contact at i of f after a step. */
static void place(const forward *k, int i, double step, double *to) {
  const double *f = k->f + i, *d = k->d + i;
  double r;
  to[2] = f[2] + step * d[2];
  if (!turns(k, i, &r)) {
    to[0] = f[0] + step * d[0], to[1] = f[1] + step * d[1];
    return;
  }
  const double e[2] = { f[0] / r, f[1] / r }, along = e[0] * d[0] + e[1] * d[1], across = e[0] * d[1] - e[1] * d[0];
  const double angle = step * across / r, c = cos(angle), s = sin(angle), length = r + step * along;
  to[0] = length * (c * e[0] - s * e[1]), to[1] = length * (c * e[1] + s * e[0]);
}

static double inside(const double *f) {
  const double r = hypot(f[0], f[1]);
  return f[2] > 0 ? (f[2] - r) * (f[2] + r) : -1;
}

static double penalty(const forward *k, double s) {
  const double s0 = k->q > 0 ? k->kappa / k->q : 0;
  if (s > 0 && s >= s0) return -k->kappa * log(s);
  return -k->kappa * log(s0) + (s0 - s) * (k->q + 0.5 * k->q / s0 * (s0 - s));
}

/* How much the function falls on the way around, or -INFINITY where it ends outside. */
static double fall(const forward *k, double step, double *f) {
  const int limits = k->p->n_limits;
  double sum = 0;
  for (int i = 0; i < limits; i++) {
    f[i] = k->f[i] + step * k->d[i];
    if (!(f[i] > 0)) return -HUGE_VAL;
    sum += k->kappa * log(f[i] / k->f[i]);
  }
  for (int i = limits; i < k->n; i += 3) {
    place(k, i, step, f + i);
    const double D = inside(f + i);
    if (!(D > 0)) return -HUGE_VAL;
    sum += k->kappa * log(D / inside(k->f + i) * (f[i + 2] / k->f[i + 2]));
  }
  /* of the energy: the force at the middle times the way */
  for (int i = 0, normal = 0; i < k->n; i++) {
    const double *row = k->A + (size_t)i * (size_t)k->n;
    double change = 0;
    for (int j = 0; j < k->n; j++) change += row[j] * (f[j] - k->f[j]);
    sum -= (f[i] - k->f[i]) * (k->Af[i] + k->c[i] + k->R[i] * k->f[i] + 0.5 * (change + k->R[i] * (f[i] - k->f[i])));
    if (i >= limits && (i - limits) % 3 != 2) continue;
    const double s = k->s[normal] + change;
    if (k->q == 0 && !(s > 0)) return -HUGE_VAL;
    sum -= penalty(k, s) - penalty(k, k->s[normal]);
    normal++;
  }
  return sum;
}

static bool around(const forward *k, double decrement, double *f) {
  bool any = false;
  double most = HUGE_VAL, r;
  for (int i = k->p->n_limits; i < k->n; i += 3) {
    if (!turns(k, i, &r)) continue;
    any = true;
    const double closing = (k->f[i] * k->d[i] + k->f[i + 1] * k->d[i + 1]) / r - k->d[i + 2];
    if (closing > 0) most = fmin(most, (k->f[i + 2] - r) / closing);
  }
  if (!any) return false;
  double step = fmin(1, 0.9 * most);
  enum { MOST = 4 };
  for (int i = 0; i < MOST; i++, step *= 0.5)
    if (fall(k, step, f) >= 0.2 * step * decrement) return true;
  return false;
}

/* ---- straight on ---- */

static double border(const forward *k) {
  double most = HUGE_VAL, D, D1, D2;
  for (int i = 0; i < k->n; i++)
    if ((i < k->p->n_limits || (i - k->p->n_limits) % 3 == 2) && k->d[i] < 0) most = fmin(most, -k->f[i] / k->d[i]);
  for (int i = k->p->n_limits; i < k->n; i += 3) {
    along(k->f + i, k->d + i, &D, &D1, &D2);
    most = fmin(most, cone_border(D, D1, D2));
  }
  for (int i = 0; k->q == 0 && i < k->normals; i++) {
    const double ds = k->Ad[invertible_normal_row(k->p, i)];
    if (ds < 0) most = fmin(most, -k->s[i] / ds);
  }
  return most;
}

/* First and second derivative of the function along d at a; the quadratic part at 0 is given. */
static double slope(const forward *k, double linear, double square, double a, double *curvature) {
  double first = linear + a * square, second = square, D, D1, D2, v, w;
  for (int i = 0; i < k->p->n_limits; i++) {
    const double r = k->d[i] / (k->f[i] + a * k->d[i]);
    first -= k->kappa * r, second += k->kappa * r * r;
  }
  for (int i = k->p->n_limits; i < k->n; i += 3) {
    const double *d = k->d + i, at[3] = { k->f[i] + a * d[0], k->f[i + 1] + a * d[1], k->f[i + 2] + a * d[2] };
    along(at, d, &D, &D1, &D2);
    const double t = 2 * D1 / D, r = d[2] / at[2];
    first -= k->kappa * (t + r), second += k->kappa * (t * t - 2 * D2 / D + r * r);
  }
  for (int i = 0; i < k->normals; i++) {
    const double ds = k->Ad[invertible_normal_row(k->p, i)];
    invertible_barrier(k->kappa, k->q, k->s[i] + a * ds, &v, &w);
    first += v * ds, second += w * ds * ds;
  }
  *curvature = second;
  return first;
}

static double straight(const forward *k) {
  double linear = 0, square = 0, curvature;
  for (int i = 0; i < k->n; i++) {
    linear += k->d[i] * (k->Af[i] + k->c[i] + k->R[i] * k->f[i]);
    square += k->d[i] * (k->Ad[i] + k->R[i] * k->d[i]);
  }
  const double most = 0.9 * border(k), steep = fabs(slope(k, linear, square, 0, &curvature));
  double low = 0, high = HUGE_VAL, a = fmin(1, most);
  enum { MOST = 40 };
  for (int i = 0; i < MOST; i++) {
    const double here = slope(k, linear, square, a, &curvature);
    if (fabs(here) <= 0.1 * steep) break;
    if (here > 0) high = a;
    else low = a;
    if (here < 0 && a >= most) break;
    double next = a - here / curvature;
    if (!(next > low && next < high)) next = isfinite(high) ? 0.5 * (low + high) : 2 * a;
    a = fmin(next, most);
  }
  return a;
}

void cdni_forward_step(forward *k, double decrement) {
  const bool near = decrement < 1e-4 * k->kappa && k->q == 0;
  if (!near && around(k, decrement, k->g)) { /* the gradient is not needed any more */
    memcpy(k->f, k->g, (size_t)k->n * sizeof *k->f);
    return;
  }
  const double step = near ? 1 : straight(k);
  for (int i = 0; i < k->n; i++) k->f[i] += step * k->d[i];
}
