/* Soft contact that jumps to and fro. The law is MuJoCo's: the points at which two shapes touch are a function of the
 * pose, and some come and go where they carry a load: where a face lies flat by a hair, or two faces of a hull are as
 * deep as each other. If the forces on either side drive the bodies back to the other side, the motion stays there,
 * and no step across is accurate: the run makes no progress by any explicit method. So the points at the ends of steps
 * are compared. */
#include <stdio.h>

#include <cardan/contact.h>
#include <cardan/math.h>

#include "contact/contact.h"
#include "core/archive.h"
#include "integrators/chatter.h"
#include "integrators/stepper.h"

/* Of normals at the ends of a step that is so short: the motion itself turns them by less. */
static const double TURNED = 1e-6; /* 1 - cosine */

/* Steps in a window, and those of them over which points change where the motion stays at a jump: some fifty short
 * steps lead to a jump and away from it. A jump that is passed changes them once, and then steps grow. */
static const int WINDOW = 200, OFTEN = 4;
/* If the rest of the run needs more steps of the window's mean size than MOST_STEPS, so many windows in a row are
 * enough; if it needs more than MANY_STEPS, a motion that stays at a jump for a while may yet leave it: a block that
 * is thrown on its way along a floor takes some thousand such steps. */
static const double MANY_STEPS = 1e7, MOST_STEPS = 1e9;
static const int WINDOWS = 3, MORE_WINDOWS = 50;

void cdni_chatter_forget(cdni_chatter *c) {
  c->n = -1;
  c->steps = c->changes = c->windows = 0;
}

/* The points that are in contact, pair by pair; pairs beyond the list's room are left out. */
static int list_pairs(const contact_point *p, int n, cdni_touching *out) {
  int pairs = 0;
  for (int i = 0; i < n; i++) {
    if (!(p[i].distance < p[i].soft.margin)) continue;
    cdni_touching *t = pairs > 0 ? &out[pairs - 1] : NULL;
    if (!t || t->a != p[i].a || t->b != p[i].b) {
      if (pairs == CDNI_CHATTER_PAIRS) return pairs;
      t = &out[pairs++];
      *t = (cdni_touching){ .a = p[i].a, .b = p[i].b, .points = 1469598103934665603u, .normal = p[i].normal };
    }
    t->points = (t->points ^ (uint32_t)p[i].feature) * 1099511628211u;
    t->n++;
  }
  return pairs;
}

static bool before(const cdni_touching *x, const cdni_touching *y) { return x->a != y->a ? x->a < y->a : x->b < y->b; }

static bool differ(const cdni_touching *x, const cdni_touching *y) {
  return x->points != y->points || 1 - cdn_dot(x->normal, y->normal) > TURNED;
}

/* Whether points came, went or turned since the step before. */
static bool compare(cdni_chatter *c, const cdni_touching *now, int n) {
  bool changed = false;
  for (int i = 0, j = 0; c->n >= 0 && (i < c->n || j < n);) {
    const bool gone = j == n || (i < c->n && before(&c->pairs[i], &now[j]));
    const bool came = !gone && (i == c->n || before(&now[j], &c->pairs[i]));
    cdni_touching was = gone || !came ? c->pairs[i] : now[j], is = gone ? c->pairs[i] : now[j];
    if (gone) is.n = 0;
    if (came) was.n = 0;
    i += !came, j += !gone;
    if (!gone && !came && !differ(&was, &is)) continue;
    changed = true;
    c->last[0] = was, c->last[1] = is;
  }
  c->n = n;
  if (n > 0) memcpy(c->pairs, now, sizeof *now * (size_t)n);
  return changed;
}

bool cdni_chatters(cdn_stepper *s, double left) {
  cdni_chatter *c = &s->progress.chatter;
  const contact_room *room = cdni_contact(s->system);
  const contact_point *points;
  cdni_touching now[CDNI_CHATTER_PAIRS];
  int n;
  if (!cdni_contact_any_soft(room) || cdni_contact_points(room, s->work, &points, &n) != CDN_OK) return false;
  if (c->steps++ == 0) c->since = s->t - s->taken;
  c->changes += compare(c, now, list_pairs(points, n, now));
  if (c->steps < WINDOW) return false;
  c->mean = (s->t - c->since) / c->steps;
  c->windows = c->changes >= OFTEN && left > MANY_STEPS * c->mean ? c->windows + 1 : 0;
  c->steps = c->changes = 0;
  return c->windows >= (left > MOST_STEPS * c->mean ? WINDOWS : MORE_WINDOWS);
}

/* "3 points" */
static void tell_points(const cdni_touching *t, char text[32]) {
  if (t->n == 0) cdni_print(text, 32, "none");
  else cdni_print(text, 32, "%d point%s", (int)t->n, t->n == 1 ? "" : "s");
}

void cdni_chatter_blame(const cdn_stepper *s, cdn_failure *f, double goal) {
  const cdni_touching *last = s->progress.chatter.last;
  const char *a = cdn_shape_name(s->system, (cdn_shape){ last[0].a });
  const char *b = cdn_shape_name(s->system, (cdn_shape){ last[0].b });
  const double step = s->progress.chatter.mean;
  char was[32], is[32];
  tell_points(&last[0], was), tell_points(&last[1], is);
  if (last[0].n == last[1].n)
    cdni_print(is, sizeof is, "%s", last[0].points == last[1].points ? "another normal" : "others");
  cdni_error_set(
      &f->error, CDN_ERR_STEP, "cdn_stepper_advance", a,
      "at t = %.9g the run makes no progress: soft contact of '%.60s' and '%.60s' jumps to and fro, "
      "between %s and %s, for "
      "on either side the forces drive it back. Steps are %.2g s long; the way to t = %.6g would take %.1g more",
      s->t, a, b, was, is, step, goal, (goal - s->t) / step);
  cdni_print(
      f->advice, sizeof f->advice,
      "take contact whose forces do not jump (--contact compliant; CDN_MODEL_COMPLIANT), or equal steps, which go over "
      "jumps (--method file, --like mujoco, --step; cdn_stepper_def.fixed_step)");
}

void cdni_chatter_archive(cdni_chatter *c, cdni_archive *a) {
  cdni_archive_int(a, &c->steps, 0, WINDOW);
  cdni_archive_int(a, &c->changes, 0, WINDOW);
  cdni_archive_int(a, &c->windows, 0, MORE_WINDOWS);
  cdni_archive_double(a, &c->since);
  cdni_archive_double(a, &c->mean);
  if (a->loading) c->n = -1;
}
