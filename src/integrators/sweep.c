/* No touch is missed: what things (shapes) have swept in a step is looked at before the step is accepted, whatever the
 * method, its errors and its sizes of steps. Most steps are clear: nothing is near, and that is known at once. In
 * others the subsystem names pairs that may have met. The time of the step is halved until each of them has surely not
 * met, or has.
 *
 * Two things have met without a stage that shows it if they are apart at both ends of the step, and overlap in between;
 * or if one of them comes out on the other side. Then the step is taken again, to end where they meet. */
#include <math.h>
#include <stdio.h>

#include "integrators/events.h"
#include "integrators/events_run.h"
#include "integrators/kinks.h"
#include "integrators/stepper.h"
#include "integrators/sweep.h"
#include "system/system.h"
#include "system/triggers.h"

enum { START, END, BETWEEN };
/* Times are halved so often. */
enum { MOST_LEVELS = 44, FIRST_LEVELS = 8, MOST_SHORTENED = 16 };
/* A span that needs more looks than that is too long: things pass each other at next to no distance. The step is
 * shortened so often, and then let pass. Measured: docs/constants.md. */
enum { MOST_LOOKS = 64, MOST_TOO_LONG = 3 };
/* A clear time is asked for that is this much longer than the step. */
static const double LONGER = 4;
/* A meeting is known to this part of the time until then, or of the step. */
static const double FINE = 1e-4, FINEST = 1e-8;

static char *mark_at(const cdni_sweep *w, int i) {
  /* the start and the end change places from step to step */
  return w->marks + (size_t)(i < BETWEEN ? (i ^ w->first) : i) * w->mark_size;
}

static cdn_status reserve_marks(cdn_stepper *s, int n) {
  cdni_sweep *w = &s->events->sweep;
  if (n <= w->n_marks) return CDN_OK;
  char *marks = cdni_calloc(&s->allocator, (size_t)n * w->mark_size);
  if (!marks) return CDN_ERR_NOMEM;
  if (w->marks) {
    memcpy(marks, w->marks, (size_t)w->n_marks * w->mark_size);
    cdni_free(&s->allocator, w->marks, (size_t)w->n_marks * w->mark_size);
  }
  w->marks = marks, w->n_marks = n;
  return CDN_OK;
}

cdn_status cdni_sweep_create(cdn_stepper *s) {
  cdni_sweep *w = &s->events->sweep;
  if (!w->ops) return CDN_OK;
  w->sights.allocator = &s->allocator;
  w->mark_size = w->ops->mark_size(w->self);
  w->met = -1;
  return reserve_marks(s, BETWEEN + FIRST_LEVELS);
}

void cdni_sweep_destroy(cdn_stepper *s) {
  cdni_sweep *w = &s->events->sweep;
  if (w->marks) cdni_free(&s->allocator, w->marks, (size_t)w->n_marks * w->mark_size);
  cdni_sights_free(&w->sights);
  w->marks = NULL, w->n_marks = 0;
}

/* The scene is made ready where it is needed: most steps are seen well enough at their end. */
static cdn_status scene_at(cdn_stepper *s, double t) {
  cdni_sweep *w = &s->events->sweep;
  if (!w->has_scene) CDNI_TRY(cdni_scene_begin(s));
  w->has_scene = true;
  return cdni_scene_at(s, t);
}

/* ---- one State ---- */

static cdn_status refuse_lost(cdn_stepper *s, int64_t key, double depth) {
  const cdni_sweep *w = &s->events->sweep;
  const char *names[2];
  w->ops->name(w->self, key, names);
  return cdni_state_fail(
      s->work, CDN_ERR_SINGULAR, false, "cdn_stepper_advance", names[0],
      "at t = %.9g shape '%s' or '%s' lies %.3g m deep inside the other, where the law of contact has "
      "no force that parts them: move one of them out, leave the pair out "
      "(cdn_system_exclude_contact, <exclude>), or take soft contact, whose forces act at any depth",
      cdn_state_time(s->work), names[0], names[1], depth);
}

/* The sight of the same pair at another time; the two may be one. */
static void look_at(cdn_stepper *s, int mark, const cdni_sight *of, cdni_sight *to) {
  const cdni_sweep *w = &s->events->sweep;
  to->key = of->key, to->apart = of->apart;
  w->ops->look(w->self, s->work, mark_at(w, mark), to);
}

static cdn_status is_lost(cdn_stepper *s, const cdni_sight *sight, bool *lost) {
  const cdni_sweep *w = &s->events->sweep;
  *lost = false;
  return sight->distance < 0 ? w->ops->lost(w->self, s->work, sight, lost) : CDN_OK;
}

void cdni_sweep_forget(cdn_stepper *s) {
  cdni_sweep *w = s->events ? &s->events->sweep : NULL;
  if (!w || !w->ops) return;
  w->start = 0;
  w->marked = false;
  w->met = -1;
}

cdn_status cdni_sweep_begin(cdn_stepper *s) {
  cdni_sweep *w = &s->events->sweep;
  if (!w->ops) return CDN_OK;
  cdni_sweep_forget(s);
  w->end = 0;
  w->end_marked = false;
  w->shortened = 0;
  w->sights.n = 0;
  CDNI_TRY(w->ops->mark(w->self, s->work, mark_at(w, START)));
  /* the scene gets its workspace before the first step */
  CDNI_TRY(cdni_take_failure(s, s->events->scene, w->ops->mark(w->self, s->events->scene, mark_at(w, BETWEEN))));
  w->marked = true;
  if (!w->ops->loses(w->self)) return CDN_OK;
  const cdni_lapse none = { .a = mark_at(w, START), .b = mark_at(w, START), .last = true };
  CDNI_TRY(w->ops->pairs(w->self, s->work, &none, &w->sights));
  for (int i = 0; i < w->sights.n; i++) {
    cdni_sight *sight = &w->sights.sights[i];
    bool lost;
    look_at(s, START, sight, sight);
    CDNI_TRY(is_lost(s, sight, &lost));
    if (lost) return refuse_lost(s, sight->key, -sight->distance);
  }
  return CDN_OK;
}

/* ---- between two times ---- */

/* Where the first two things meet: they are apart at lo, or have not gone through each other yet; hi is behind that. */
typedef struct meeting {
  int64_t key; /* -1: none */
  double lo, hi;
  bool through;
  double depth;   /* of one that is lost in the other */
  int looks;      /* that have been made for it */
  int64_t counts; /* the pair that was last found to change the motion */
} meeting;

/* n sights at both ends of a span: the first ones of each in the list. */
typedef struct span {
  double t[2];
  int mark[2], sight[2], n;
} span;

static cdni_sight *sight_at(const cdni_sweep *w, int i) { return &w->sights.sights[i]; }

static bool meets(const cdni_sight *x, const cdni_sight *y) {
  return x->apart && x->distance > 0 && y->distance < -y->graze;
}

/* One goes through the other although steps are short: forces do not stop it. */
static void note_passage(cdn_stepper *s, int64_t key, double t) {
  const cdni_sweep *w = &s->events->sweep;
  cdn_certificate *c = &s->certificate;
  const char *names[2];
  if (c->passed[0]) return;
  w->ops->name(w->self, key, names);
  snprintf(c->passed, sizeof c->passed, "'%.80s' and '%.80s'", names[0], names[1]);
  c->passed_time = t;
}

/* Leaves out of the span what has been seen well enough; the rest is put behind the list. */
static cdn_status sort_out(cdn_stepper *s, const span *p, span *rest, meeting *first) {
  cdni_sweep *w = &s->events->sweep;
  const double h = p->t[1] - p->t[0];
  const bool fine = h <= fmax(FINE * (p->t[1] - s->step.t0), FINEST * s->step.h);
  const int top = w->sights.n;
  CDNI_TRY(cdni_sights_reserve(&w->sights, top + 3 * p->n));
  *rest = (span){ .t = { p->t[0], p->t[1] }, .mark = { p->mark[0], p->mark[1] }, .sight = { top, top + p->n } };
  for (int i = 0; i < p->n && first->key < 0; i++) {
    const cdni_sight *x = sight_at(w, p->sight[0] + i), *y = sight_at(w, p->sight[1] + i);
    const cdni_lapse lapse = {
      .a = mark_at(w, p->mark[0]), .b = mark_at(w, p->mark[1]), .h = h, .through = s->def.fixed_step > 0
    };
    const cdni_passing passing = w->ops->judge(w->self, s->work, &lapse, x, y);
    const bool through = passing == CDNI_PASSES_THROUGH && x->distance <= 0;
    if (through || (meets(x, y) && fine)) {
      first->key = x->key, first->lo = p->t[0], first->hi = p->t[1], first->through = through;
    } else if (passing == CDNI_PASSES_SLOWLY) {
      note_passage(s, x->key, p->t[1]);
    } else if (passing != CDNI_PASSES_NOTHING || meets(x, y)) {
      *sight_at(w, rest->sight[0] + rest->n) = *x;
      *sight_at(w, rest->sight[1] + rest->n) = *y;
      rest->n++;
    }
  }
  w->sights.n = top + 3 * p->n;
  return CDN_OK;
}

/* What meets within the step for a moment, and so gently that the motion does not change by it, is let pass. The
 * scene is where they overlap: behind that they may have gone through each other, and show no force. */
static cdn_status let_pass(cdn_stepper *s, span *p, int i, meeting *first) {
  cdni_sweep *w = &s->events->sweep;
  bool matters = true;
  int64_t kink;
  const int64_t key = sight_at(w, p->sight[0] + i)->key;
  if (!s->events->has_near || first->counts == key) return CDN_OK;
  CDNI_TRY(cdni_take_failure(s, s->events->scene, w->ops->kink(w->self, s->events->scene, key, &kink)));
  CDNI_TRY(cdni_kinks_matters(s, cdni_listed_trigger(s->system, kink), &matters));
  if (matters) first->counts = key;
  for (int k = 0; k < 2 && !matters; k++) sight_at(w, p->sight[k] + i)->apart = false;
  return CDN_OK;
}

static cdn_status resolve(cdn_stepper *s, const span *p, int level, meeting *first) {
  cdni_sweep *w = &s->events->sweep;
  const int top = w->sights.n;
  span rest;
  CDNI_TRY(sort_out(s, p, &rest, first));
  const double middle = rest.t[0] + 0.5 * (rest.t[1] - rest.t[0]);
  if (first->key >= 0 || rest.n == 0 || level == MOST_LEVELS || !(middle > rest.t[0] && middle < rest.t[1]) ||
      first->looks >= MOST_LOOKS) {
    w->sights.n = top;
    return CDN_OK;
  }
  const int here = rest.sight[1] + p->n, mark = BETWEEN + level;
  CDNI_TRY(reserve_marks(s, mark + 1));
  first->looks++;
  CDNI_TRY(scene_at(s, middle));
  CDNI_TRY(cdni_take_failure(s, s->events->scene, w->ops->mark(w->self, s->events->scene, mark_at(w, mark))));
  for (int i = 0; i < rest.n; i++) {
    const cdni_sight *x = sight_at(w, rest.sight[0] + i), *y = sight_at(w, rest.sight[1] + i);
    cdni_sight *m = sight_at(w, here + i);
    look_at(s, mark, x, m);
    /* what touches at first and has parted here may meet again */
    if (x->distance <= 0 && m->distance > 0) m->apart = y->distance > 0 || rest.t[1] < s->step.t1;
  }
  for (int i = 0; i < rest.n; i++)
    if (meets(sight_at(w, rest.sight[0] + i), sight_at(w, here + i))) {
      CDNI_TRY(let_pass(s, &rest, i, first));
      sight_at(w, here + i)->apart = sight_at(w, rest.sight[0] + i)->apart;
    }
  const span left = { { rest.t[0], middle }, { rest.mark[0], mark }, { rest.sight[0], here }, rest.n };
  const span right = { { middle, rest.t[1] }, { mark, rest.mark[1] }, { here, rest.sight[1] }, rest.n };
  CDNI_TRY(resolve(s, &left, level + 1, first));
  if (first->key < 0) CDNI_TRY(resolve(s, &right, level + 1, first));
  w->sights.n = top;
  return CDN_OK;
}

/* ---- the step ---- */

/* Those pairs that the end of the span alone does not clear, with sights at both ends, at the list's end. */
static cdn_status suspects(cdn_stepper *s, span *p, meeting *first) {
  cdni_sweep *w = &s->events->sweep;
  /* equal steps are not shortened to meet what they touch for a moment: they tell what they went through */
  const cdni_lapse lapse = { .a = mark_at(w, p->mark[0]),
                             .b = mark_at(w, p->mark[1]),
                             .h = p->t[1] - p->t[0],
                             .last = p->t[1] == s->step.t1,
                             .through = s->def.fixed_step > 0 };
  const int top = w->sights.n;
  int n = 0;
  CDNI_TRY(w->ops->pairs(w->self, s->work, &lapse, &w->sights));
  for (int i = top; i < w->sights.n; i++) {
    cdni_sight *y = sight_at(w, top + n);
    cdni_passing passing;
    *y = *sight_at(w, i);
    CDNI_TRY(w->ops->glance(w->self, s->work, &lapse, y, &passing));
    n += passing != CDNI_PASSES_NOTHING;
  }
  w->sights.n = top + n;
  p->n = n, p->sight[1] = top, p->sight[0] = top + n;
  if (n == 0) return CDN_OK;
  CDNI_TRY(cdni_sights_reserve(&w->sights, top + 2 * n));
  w->sights.n = top + 2 * n;
  for (int i = 0; i < n; i++) {
    cdni_sight *y = sight_at(w, top + i), *x = sight_at(w, top + n + i);
    bool lost = false;
    look_at(s, p->mark[0], y, x);
    if (lapse.last) CDNI_TRY(is_lost(s, y, &lost));
    /* the end of the step shows what meets there; other times do not */
    x->apart = y->apart = x->distance > 0 && (y->distance > 0 || lost || !lapse.last);
    if (lost && !x->apart)
      *first = (meeting){ .key = y->key, .lo = p->t[0], .hi = p->t[1], .through = true, .depth = -y->distance };
  }
  return CDN_OK;
}

/* What is prescribed may move to and fro within a step. A mark in between, at a part of the time that is no simple
 * fraction, tells whether it does. */
static const double PART = 0.381966;
enum { MOST_PARTS = 10 };

static cdn_status look_between(cdn_stepper *s, span p, int level, meeting *first) {
  cdni_sweep *w = &s->events->sweep;
  const int top = w->sights.n;
  if (s->n_prescribed_q + s->n_prescribed_u > 0 && level < MOST_PARTS) {
    const int mark = BETWEEN + level;
    const double t = p.t[0] + PART * (p.t[1] - p.t[0]);
    CDNI_TRY(reserve_marks(s, mark + 1));
    CDNI_TRY(scene_at(s, t));
    CDNI_TRY(cdni_take_failure(s, s->events->scene, w->ops->mark(w->self, s->events->scene, mark_at(w, mark))));
    if (w->ops->strays(w->self, mark_at(w, p.mark[0]), mark_at(w, p.mark[1]), p.t[1] - p.t[0], PART,
                       mark_at(w, mark))) {
      CDNI_TRY(look_between(s, (span){ .t = { p.t[0], t }, .mark = { p.mark[0], mark } }, level + 1, first));
      if (first->key >= 0) return CDN_OK;
      return look_between(s, (span){ .t = { t, p.t[1] }, .mark = { mark, p.mark[1] } }, level + 1, first);
    }
  }
  CDNI_TRY(suspects(s, &p, first));
  if (p.n > 0 && first->key < 0) CDNI_TRY(resolve(s, &p, level, first));
  w->sights.n = top;
  return CDN_OK;
}

static cdn_status look_all(cdn_stepper *s, meeting *first) {
  cdni_sweep *w = &s->events->sweep;
  w->sights.n = 0;
  w->has_scene = false;
  CDNI_TRY(w->ops->mark(w->self, s->work, mark_at(w, END)));
  w->end_marked = true;
  if (!w->marked) {
    CDNI_TRY(cdni_scene_at_start(s));
    CDNI_TRY(cdni_take_failure(s, s->events->scene, w->ops->mark(w->self, s->events->scene, mark_at(w, START))));
    s->events->scene_set = false;
    w->marked = true;
  }
  return look_between(s, (span){ .t = { s->step.t0, s->step.t1 }, .mark = { START, END } }, 0, first);
}

/* The end of a step that shows the meeting. */
static double end_for(const cdn_stepper *s, const meeting *m) {
  const cdni_step *step = &s->step;
  if (!m->through) return m->hi;
  return m->lo > step->t0 ? m->lo : step->t0 + 0.5 * (step->t1 - step->t0);
}

static cdn_status meet(cdn_stepper *s, const meeting *m, cdni_outcome *outcome) {
  struct cdni_events *ev = s->events;
  cdni_sweep *w = &ev->sweep;
  const cdni_step *step = &s->step;
  const double h = step->t1 - step->t0, tau = m->lo - step->t0, end = end_for(s, m);
  /* steps of equal size stay what they are, and say so */
  if (s->def.fixed_step > 0 || (m->through && m->lo <= step->t0 && w->shortened++ >= MOST_SHORTENED)) {
    if (m->depth > 0) return refuse_lost(s, m->key, m->depth);
    note_passage(s, m->key, m->lo);
    return CDN_OK;
  }
  if (!(end < step->t1)) return CDN_OK;
  w->met = m->key;
  if (s->method->own_steps) {
    CDNI_TRY(cdni_cut_at(s, end));
    ev->cut = true;
    return CDN_OK;
  }
  *outcome = CDNI_STEP_AGAIN;
  ev->aim = ev->limit = NAN;
  if (ev->has_near && !m->through && tau > 10 * FINEST * h) {
    int64_t kink;
    CDNI_TRY(scene_at(s, m->hi));
    CDNI_TRY(cdni_take_failure(s, ev->scene, w->ops->kink(w->self, ev->scene, m->key, &kink)));
    cdni_kinks_aim(s, cdni_listed_trigger(s->system, kink), tau, h);
  } else {
    ev->limit = end;
  }
  return CDN_OK;
}

static cdn_status shorten(cdn_stepper *s, cdni_outcome *outcome) {
  struct cdni_events *ev = s->events;
  /* measured: docs/constants.md */
  const double end = s->step.t0 + 0.25 * (s->step.t1 - s->step.t0);
  if (s->def.fixed_step > 0 || s->method->own_steps || ev->sweep.shortened++ >= MOST_TOO_LONG) return CDN_OK;
  ev->aim = NAN;
  ev->limit = end;
  *outcome = CDNI_STEP_AGAIN;
  return CDN_OK;
}

cdn_status cdni_sweep_step(cdn_stepper *s, cdni_outcome *outcome) {
  cdni_sweep *w = s->events ? &s->events->sweep : NULL;
  if (!w || !w->ops) return CDN_OK;
  const double h = s->step.t1 - s->step.t0;
  meeting first = { .key = -1, .counts = -1 };
  if (s->step.t1 != s->events->limit) w->met = -1; /* the step that was shortened to meet */
  w->end_marked = false;
  w->end_time = s->step.t1;
  w->end = 0;
  /* equal steps tell the first passage, and nothing else where nothing is lost */
  if (s->def.fixed_step > 0 && s->certificate.passed[0] && !w->ops->loses(w->self)) return CDN_OK;
  CDNI_TRY(w->ops->clear(w->self, s->work, LONGER * h, h, &w->end));
  const bool clear = w->end > 0 && w->end == w->start && h <= 3 * w->reach;
  if (clear && s->n_prescribed_q + s->n_prescribed_u == 0) return CDN_OK;
  CDNI_TRY(look_all(s, &first));
  if (first.key >= 0) return meet(s, &first, outcome);
  return first.looks < MOST_LOOKS ? CDN_OK : shorten(s, outcome);
}

cdn_status cdni_sweep_bound(cdn_stepper *s, double *h) {
  const cdni_sweep *w = &s->events->sweep;
  int64_t kink;
  if (!w->ops || w->met < 0 || !cdni_system_has_near_kinks(s->system)) return CDN_OK;
  CDNI_TRY(w->ops->kink(w->self, s->work, w->met, &kink));
  return cdni_kinks_bound_at(s, cdni_listed_trigger(s->system, kink), h);
}

void cdni_sweep_accepted(cdn_stepper *s) {
  cdni_sweep *w = &s->events->sweep;
  if (!w->ops) return;
  const bool whole = w->end_time == s->step.t1;
  w->start = whole ? w->end : 0;
  w->reach = LONGER * (s->step.t1 - s->step.t0);
  w->marked = whole && w->end_marked;
  if (w->marked) w->first = !w->first;
  w->shortened = 0;
  if (w->met >= 0 && s->method->own_steps && s->method->begin) s->method->begin(s);
}
