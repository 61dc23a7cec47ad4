/* Steps over singular poses (singular.h has the reasons). */
#include <float.h>
#include <math.h>

#include "constraints/project.h"
#include "core/archive.h"
#include "integrators/control.h"
#include "integrators/singular.h"
#include "integrators/stepper.h"

enum { KEPT = 3 }; /* values of each sine */

/* Rates are held on the manifold within this many bridge lengths of a pose; from farther away if a step was rejected
 * there, since the pole in the rates shortens steps long before they are near it. Measured: docs/constants.md. */
static const double NEAR = 4, FAR = 20;
/* A step ends at least this part of a bridge's length before or behind a pose. */
static const double CLEAR = 0.1;
/* A bridge has at least this part of its intended length. */
static const double CLOSE = 0.2;
/* Values of sines are at least this many bridge lengths apart. */
static const double APART = 0.1;
/* The factor by which a bridge may be longer than its error asks. */
static const double STRETCH = 1.05;
/* The first bridge is at most this many steps of the run's own method. */
static const double FIRST = 32;
/* The part of a bridge's error that may be rounding, if the bridge can be long enough. */
static const double QUIET = 0.1;
/* The error at which bridges aim, over the tolerance, and the largest change of their length at once.
 * Measured: docs/constants.md. */
static const double TARGET = 0.1, SHRINK = 0.3, GROW = 3;
/* The sine below which an equation is redundant. */
static const double REDUNDANT = 3e-6;
/* After this many bridges over one pose have failed, the run's own method must find its way. */
enum { MOST_REFUSED = 12 };

static bool watches(const cdn_stepper *s) { return s->projector && s->def.fixed_step == 0; }

/* ---- the method of bridges ---- */

static const cdni_method *const bridge = &cdni_dormand_prince_8;

/* The place of the pose in a bridge, and its distance from the nearest times at which rates are evaluated, as parts
 * of the length: between the stages at 0.651 and 0.857, whose weights are small. The gap from 1/3 to 3/5 is wider,
 * but errors by rounding in the stages before it count up to six times. */
static const double MIDDLE = 0.5 * (127. / 195 + 6. / 7), AWAY = 0.5 * (6. / 7 - 127. / 195);

static bool has_bridge(const cdn_system *system, const cdn_stepper_def *def, const cdni_method *method) {
  return cdni_projects(system) && def->fixed_step == 0 && method != bridge;
}

/* Number of doubles for the history of sines. */
static size_t history_of(const cdn_system *system) {
  return cdni_stride((KEPT + 3) * cdni_constraint_most_sines(system));
}

size_t cdni_singular_memory(const cdn_stepper *s) {
  return history_of(s->system) + (has_bridge(s->system, &s->def, s->method) ? bridge->memory(bridge, s->ny) : 0);
}

void cdni_singular_divide(cdn_stepper *s, double *memory) {
  cdni_singular *p = &s->singular;
  const int n = cdni_constraint_most_sines(s->system);
  p->sine = memory;
  p->most = memory + (ptrdiff_t)KEPT * n;
  p->redundant = p->most + n;
  p->now = p->redundant + n;
  if (!has_bridge(s->system, &s->def, s->method)) return;
  p->method = bridge;
  p->memory = memory + history_of(s->system);
}

/* The stepper's method is that of bridges, or the run's own. */
static void set_bridging(cdn_stepper *s, bool on) {
  cdni_singular *p = &s->singular;
  const cdni_method *method = s->method;
  double *memory = s->memory;
  if (!p->method || p->bridging == on) return;
  s->method = p->method, p->method = method;
  s->memory = p->memory, p->memory = memory;
  p->bridging = on;
  /* bridges at an earlier pose say nothing about the next pose */
  if (on && s->method->begin) s->method->begin(s);
}

const cdni_method *cdni_singular_own_method(const cdn_stepper *s) {
  return s->singular.bridging ? s->singular.method : s->method;
}

void cdni_singular_reset(cdn_stepper *s) {
  cdni_singular *p = &s->singular;
  set_bridging(s, false);
  p->known = -1;
  p->met = -INFINITY;
  p->began = s->t;
  for (int i = 0; s->projector && i < cdni_constraint_most_sines(s->system); i++) p->most[i] = p->redundant[i] = 0;
  p->dependent = 0;
  p->corrected = p->refused = 0;
  p->ahead = p->behind = p->reach = INFINITY;
  p->length = p->own = p->last = 0;
  p->hold = p->over = p->starts = false;
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

/* The first zero after the last step (INFINITY: none), and the slope there. */
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
    if (d < p->ahead) p->ahead = d, p->slope = slope, p->block = i;
    if (rise > 0) p->behind = fmin(p->behind, y[0] / rise);
  }
}

/* The size of a sine away from poses. */
static void note_regular(cdn_stepper *s, int i, double sine) {
  cdni_singular *p = &s->singular;
  const bool first = p->most[i] == 0;
  p->most[i] = first ? sine : fmax(p->most[i], sine);
  p->redundant[i] = fmin(first ? INFINITY : p->redundant[i], cdni_constraint_redundant_in(s->work, i));
}

static void meet(cdni_singular *p, double t, int block) {
  if (t > p->met) p->met = t, p->met_block = block;
}

/* Number of redundant equations; *block has one of them. */
static int count_dependent(cdn_stepper *s, int *block) {
  int n = 0, blocks = 0;
  if (cdni_constraint_sines(s->work, &blocks, s->singular.now) != CDN_OK) return 0;
  for (int i = 0; i < blocks; i++) {
    const int here = cdni_constraint_redundant_in(s->work, i);
    if (here > 0) *block = i;
    n += here;
  }
  return n;
}

cdn_status cdni_singular_accept(cdn_stepper *s) {
  cdni_singular *p = &s->singular;
  const double *sine = p->now;
  int block = 0;
  if (!s->projector) return CDN_OK;
  if (p->ahead < s->taken) meet(p, s->t - s->taken + p->ahead, p->block);
  /* a run that has started in a pose has left it */
  if (p->dependent > 0 && count_dependent(s, &block) < p->dependent) {
    meet(p, p->began, p->met_block);
    p->dependent = 0;
    for (int i = 0; i < cdni_constraint_most_sines(s->system); i++) p->most[i] = 1;
    if (p->known > 0) p->known = 0; /* with more equations these are other sines */
  }
  /* equations that are always redundant are known as such after the first step */
  if (p->known < 0) {
    p->known = 0;
    return CDN_OK;
  }
  CDNI_TRY(cdni_constraint_sines(s->work, &p->n, p->now));
  /* the difference of values that are too close together is rounding */
  const bool merges = p->known > 1 && p->h[0] < APART * p->length;
  for (int i = 0; i < p->n; i++) {
    double *y = p->sine + (size_t)(KEPT * i);
    /* only magnitudes are known: on the other side of a pose the history has the other sign */
    const double sign = value_at(fit(p, i), s->taken) < 0 ? -1 : 1;
    if (!merges) y[2] = y[1], y[1] = y[0];
    y[2] *= sign;
    y[1] *= sign;
    y[0] = sine[i];
    note_regular(s, i, sine[i]);
  }
  if (merges) {
    p->h[0] += s->taken;
  } else {
    p->h[1] = p->h[0];
    p->h[0] = s->taken;
    p->known = p->known < KEPT ? p->known + 1 : KEPT;
  }
  p->corrected = 0;
  if (p->over) p->own = p->refused = 0;
  if (p->noise > 0) p->last = s->taken;
  predict(p);
  return CDN_OK;
}

void cdni_singular_start(cdn_stepper *s) {
  cdni_singular *p = &s->singular;
  if (!s->projector || p->known >= 0) return;
  p->dependent = count_dependent(s, &p->met_block);
  p->starts = watches(s) && p->method && p->dependent > 0;
  set_bridging(s, p->starts);
}

cdn_status cdni_singular_leave(cdn_stepper *s) {
  cdni_singular *p = &s->singular;
  if (!p->bridging || (p->starts && p->known < 0)) return CDN_OK;
  set_bridging(s, false);
  if (s->method->begin) s->method->begin(s);
  /* a method with a rule of its own for its sizes has a history, which has ended before the bridge */
  const bool anew = s->method->resize || p->starts;
  p->starts = false;
  return anew ? cdni_first_step(s) : CDN_OK;
}

/* ---- the next attempt ---- */

/* Error of a bridge of length h by rounding, relative to its tolerance: an acceleration near the pose has an error
 * of eps / s^3, and the bridge takes over a part of it. */
static const double SHARE_OF_NOISE = 0.2;

static double noise_of(const cdni_singular *p, double h) {
  const double s = p->slope * AWAY * h;
  return SHARE_OF_NOISE * DBL_EPSILON / (s * s) / AWAY;
}

/* The length of a bridge: long enough to keep rounding small, as far as errors allow, but at least as long as the
 * run's own steps on the way to the pose. */
static double length_of(const cdn_stepper *s, double h) {
  const cdni_singular *p = &s->singular;
  const double noise = QUIET * cdni_tolerance(s), own = fmax(h, p->own);
  if (!p->method || !(noise > 0)) return h;
  return fmin(fmax(own, h * sqrt(noise_of(p, h) / noise)), isfinite(p->reach) ? p->reach : FIRST * own);
}

/* A method that restarts with short steps of low order must not be left this close behind a pose. */
static bool is_to_leave(const cdn_stepper *s, double left) {
  const cdni_singular *p = &s->singular;
  return s->method->own_steps && p->behind < MIDDLE * p->last && left > p->last && p->ahead > 2 * p->last;
}

double cdni_singular_size(cdn_stepper *s, double h, double left) {
  cdni_singular *p = &s->singular;
  if (p->starts) {
    p->over = true;
    return fmin(h, p->reach);
  }
  set_bridging(s, false);
  p->noise = 0;
  p->size = p->span = h;
  p->alters = p->over = false;
  if (!watches(s)) return h;
  const double d = p->ahead, away = fmin(d, p->behind);
  const bool tries = p->refused < MOST_REFUSED, comes = tries && isfinite(d);
  double span = h;
  if (comes) {
    span = p->length = length_of(s, h);
    p->own = fmax(p->own, h);
  }
  /* the run ends soon behind the pose */
  if (left > d) span = fmin(span, fmax(h, (left - d) / (1 - MIDDLE)));
  /* over the pose, or to the point from which the next step will go over it; close before the pose there is no
   * choice */
  p->over = comes && d / MIDDLE <= STRETCH * span;
  if (p->over) h = fmin(d / MIDDLE > CLOSE * span ? d / MIDDLE : span, left);
  else if (comes) h = fmin(h, d - MIDDLE * span);
  if (tries && !p->over && is_to_leave(s, left)) {
    p->over = true;
    h = fmin(span = p->last, p->reach);
  }
  p->span = span;
  p->hold = away < NEAR * span || (away < FAR * span && (p->hold || s->control.rejected));
  if (d < h) p->noise = noise_of(p, h);
  p->alters = d < h || h < 0.99 * p->size;
  set_bridging(s, p->over);
  return s->def.max_step > 0 ? fmin(h, s->def.max_step) : h;
}

/* Rates held on the manifold have errors of eps / s^2. Above this part of the tolerance they may look like a kink. */
static const double LOOKS_LIKE_A_KINK = 0.01;

bool cdni_singular_is_rough(const cdn_stepper *s) {
  const cdni_singular *p = &s->singular;
  const double much = LOOKS_LIKE_A_KINK * cdni_tolerance(s);
  if (p->noise > 0 || !p->hold) return p->noise > much;
  double least = isfinite(p->ahead) ? fmax(0, p->slope * (p->ahead - s->step.h)) : INFINITY;
  for (int i = 0; i < p->n; i++) least = fmin(least, p->sine[KEPT * i]);
  return DBL_EPSILON > much * least * least;
}

cdn_status cdni_singular_begin(cdn_stepper *s) {
  const cdni_singular *p = &s->singular;
  /* SUNDIALS' solvers do not evaluate rates at the ends of steps */
  if (!p->bridging || !p->method->own_steps) return CDN_OK;
  return cdni_evaluate(s, s->t, s->y[s->at], s->f[s->at], &s->power);
}

bool cdni_singular_holds(const cdn_stepper *s) { return s->singular.hold && !s->method->own_steps; }

bool cdni_singular_judges(cdn_stepper *s, double error) {
  cdni_singular *p = &s->singular;
  const double ratio = pow(TARGET / fmax(error, 1e-8), 1. / bridge->error_order);
  if (!p->bridging) return false;
  if (error >= 0 && error <= 1) {
    p->reach = fmax(p->reach, s->step.h * fmin(GROW, ratio));
  } else {
    p->reach = s->step.h * (error > 1 ? fmax(SHRINK, fmin(0.9, ratio)) : SHRINK);
    p->refused++;
  }
  return true;
}

bool cdni_singular_is_clear(cdn_stepper *s) {
  cdni_singular *p = &s->singular;
  const double *sine = p->now, h = s->step.h;
  int n;
  if (!watches(s) || p->known <= 0 || p->corrected >= 2 || s->step.t1 == s->step.end) return true;
  if (cdni_constraint_sines(s->work, &n, p->now) != CDN_OK) return true;
  for (int i = 0; i < n; i++) {
    const double slope = (p->sine[KEPT * i] - sine[i]) / h, d = slope > 0 ? sine[i] / slope : INFINITY;
    if (!(d < CLEAR * p->span)) continue;
    p->ahead = h + (value_at(fit(p, i), h) < 0 ? -d : d);
    p->slope = slope;
    p->corrected++;
    return false;
  }
  return true;
}

double cdni_singular_nearest(cdn_stepper *s, int *block) {
  const cdni_singular *p = &s->singular;
  const double *sine = p->now;
  double least = INFINITY;
  int n;
  if (!s->projector || cdni_constraint_sines(s->work, &n, p->now) != CDN_OK) return INFINITY;
  for (int i = 0; i < n; i++) {
    const bool known = p->known > 0 && p->most[i] > 0;
    const double ratio =
        known && cdni_constraint_redundant_in(s->work, i) > p->redundant[i] ? fmin(sine[i], REDUNDANT) : sine[i];
    const double relative = known && ratio > REDUNDANT ? ratio / p->most[i] : ratio;
    if (relative < least) least = relative, *block = i;
  }
  return least;
}

void cdni_singular_archive(cdn_stepper *s, cdni_archive *a) {
  cdni_singular *p = &s->singular;
  double *const numbers[] = { &p->h[0],  &p->h[1],   &p->ahead, &p->behind, &p->slope,
                              &p->reach, &p->length, &p->own,   &p->last };
  const int most = cdni_constraint_most_sines(s->system);
  bool bridging = p->bridging;
  cdni_archive_mark(a, "POSE");
  cdni_archive_int(a, &p->n, 0, most);
  cdni_archive_int(a, &p->known, -1, KEPT);
  cdni_archive_int(a, &p->refused, 0, INT32_MAX);
  for (int i = 0; i < CDNI_COUNT(numbers); i++) cdni_archive_double(a, numbers[i]);
  cdni_archive_bool(a, &p->hold);
  cdni_archive_doubles(a, p->sine, (size_t)(KEPT * p->n));
  cdni_archive_doubles(a, p->most, (size_t)p->n);
  cdni_archive_doubles(a, p->redundant, (size_t)p->n);
  cdni_archive_bool(a, &bridging);
  cdni_archive_bool(a, &p->starts);
  cdni_archive_int(a, &p->block, 0, most);
  cdni_archive_int(a, &p->met_block, 0, most);
  cdni_archive_int(a, &p->dependent, 0, INT32_MAX);
  if (bridging && !p->method) cdni_archive_fail(a, CDN_ERR_PARSE, "its method has no bridges");
  set_bridging(s, bridging);
}
