/* Steps over singular poses (singular.h has the reasons). */
#include "integrators/singular.h"

#include "integrators/internal.h"

enum { KEPT = 3 }; /* values of each sine */

/* Rates are held on the manifold from so many steps' sizes away from a pose; from farther away if a step was rejected there, since
 * the pole in the rates makes steps short long before they are near it. */
static const double NEAR = 4, FAR = 20;
/* A step ends at least this part of its size away from a pose. */
static const double CLEAR = 0.1;
/* A step over a pose is at least this part of what errors allow. */
static const double CLOSE = 0.2;
/* By how much a step may be longer than its error asks to go over a pose. */
static const double STRETCH = 1.05;

/* Methods of several steps find their orders by steps that are alike, and are left alone. */
static bool watches(const cdn_stepper *s) { return s->projector && s->method->gap && s->def.fixed_step == 0; }

size_t cdni_singular_memory(const cdn_system *system) {
  return (size_t)KEPT * (size_t)cdni_constraint_sine_count(system);
}

void cdni_singular_reset(cdn_stepper *s) {
  cdni_singular *p = &s->singular;
  p->known = p->corrected = 0;
  p->ahead = p->behind = INFINITY;
  p->hold = false;
}

/* ---- prediction: the parabola through a sine's last values, y + b d + c d^2 at a time d after the last step ---- */

typedef struct parabola {
  double y, b, c;
} parabola;

static parabola fit(const cdni_singular *p, int i) {
  const double *y = p->sine + (size_t)(KEPT * i);
  parabola f = { .y = y[0] };
  if (p->known > 1) f.b = (y[0] - y[1]) / p->h[0];
  if (p->known > 2) {
    f.c = (f.b - (y[1] - y[2]) / p->h[1]) / (p->h[0] + p->h[1]);
    f.b += f.c * p->h[0];
  }
  return f;
}

static double value_at(parabola f, double d) { return f.y + d * (f.b + d * f.c); }

/* The first zero after the last step, INFINITY if there is none, and the slope there. */
static double zero_of(parabola f, double *slope) {
  const double square = f.b * f.b - 4 * f.c * f.y;
  if (square < 0) return INFINITY;
  const double root = sqrt(square), sum = f.b + copysign(root, f.b);
  const double near = sum != 0 ? -2 * f.y / sum : INFINITY, far = f.c != 0 ? -sum / (2 * f.c) : INFINITY;
  *slope = root;
  return near > 0 ? (far > 0 ? fmin(near, far) : near) : far > 0 ? far : INFINITY;
}

static void predict(cdni_singular *p) {
  p->ahead = p->behind = INFINITY;
  for (int i = 0; i < p->n && p->known > 1; i++) {
    const double *y = p->sine + (size_t)(KEPT * i), rise = (y[0] - y[1]) / p->h[0];
    double slope = 0;
    const double d = zero_of(fit(p, i), &slope);
    if (d < p->ahead) p->ahead = d, p->slope = slope;
    if (rise > 0) p->behind = fmin(p->behind, y[0] / rise);
  }
}

cdn_status cdni_singular_accept(cdn_stepper *s) {
  cdni_singular *p = &s->singular;
  const double *sine;
  if (!watches(s)) return CDN_OK;
  CDNI_TRY(cdni_constraint_sines(s->work, &p->n, &sine));
  for (int i = 0; i < p->n; i++) {
    double *y = p->sine + (size_t)(KEPT * i);
    /* magnitudes are what is known: on the other side of a pose the past has the other sign */
    const double sign = p->known && value_at(fit(p, i), s->taken) < 0 ? -1 : 1;
    y[2] = sign * y[1];
    y[1] = sign * y[0];
    y[0] = sine[i];
  }
  p->h[1] = p->h[0];
  p->h[0] = s->taken;
  p->known = p->known < KEPT ? p->known + 1 : KEPT;
  p->corrected = 0;
  predict(p);
  return CDN_OK;
}

/* ---- the next attempt ---- */

/* What rounding does to a step of size h over a pose in the middle of a gap of the given width, relative to what it judges:
 * an acceleration near the pose has an error of eps / s^3, and the step takes a part of that as its own. */
static double noise_of(const cdni_singular *p, double h, double width) {
  const double away = 0.5 * width * h, s = p->slope * away;
  return 0.2 * DBL_EPSILON / (s * s) * (h / away);
}

double cdni_singular_size(cdn_stepper *s, double h) {
  cdni_singular *p = &s->singular;
  double from = 0, to = 1;
  p->noise = 0;
  p->size = h;
  p->alters = false;
  if (!watches(s)) return h;
  s->method->gap(s->method, &from, &to);
  const double middle = 0.5 * (from + to), d = p->ahead, over = d / middle;
  /* over the pose, or to where the next step will go over it; from close before it there is nothing to choose */
  if (over > STRETCH * h) h = fmin(h, d - middle * h);
  else if (over > CLOSE * h) h = over;
  const double away = fmin(d, p->behind);
  p->hold = away < NEAR * h || (away < FAR * h && (p->hold || s->control.rejected));
  if (d < h) p->noise = noise_of(p, h, to - from);
  p->alters = d < h || h < 0.99 * p->size;
  return s->def.max_step > 0 ? fmin(h, s->def.max_step) : h;
}

bool cdni_singular_is_clear(cdn_stepper *s) {
  cdni_singular *p = &s->singular;
  const double *sine, h = s->step.h;
  int n;
  if (!watches(s) || p->known == 0 || p->corrected >= 2 || s->step.t1 == s->step.end) return true;
  if (cdni_constraint_sines(s->work, &n, &sine) != CDN_OK) return true;
  for (int i = 0; i < n; i++) {
    const double slope = (p->sine[KEPT * i] - sine[i]) / h, d = slope > 0 ? sine[i] / slope : INFINITY;
    if (!(d < CLEAR * p->size)) continue;
    p->ahead = h + (value_at(fit(p, i), h) < 0 ? -d : d);
    p->slope = slope;
    p->corrected++;
    return false;
  }
  return true;
}

void cdni_singular_archive(cdn_stepper *s, cdni_archive *a) {
  cdni_singular *p = &s->singular;
  double *const numbers[] = { &p->h[0], &p->h[1], &p->ahead, &p->behind, &p->slope };
  const int most = cdni_constraint_sine_count(s->system);
  cdni_archive_mark(a, "POSE");
  cdni_archive_int(a, &p->n, 0, most);
  cdni_archive_int(a, &p->known, 0, KEPT);
  for (int i = 0; i < CDNI_COUNT(numbers); i++) cdni_archive_double(a, numbers[i]);
  cdni_archive_bool(a, &p->hold);
  cdni_archive_doubles(a, p->sine, (size_t)(KEPT * p->n));
}
