/* Another law of contact: another System, which goes on where the first one was. */
#include <math.h>
#include <stdio.h>

#include <cardan/carry.h>

#include "view/live.h"

/* What the live run and the view have of a System. */
typedef struct parts {
  cdn_model *model;
  cdn_state *now, *initial;
  view_history past;
  view_picture picture;
} parts;

/* What has appeared and what is gone goes to the report, which may be NULL. */
static cdn_status carry_one(const cdn_system *to, cdn_state *from, cdn_state **out, cdn_carry_report **report) {
  CDNI_TRY(cdn_state_create(to, out));
  return cdn_state_carry(from, *out, report);
}

/* The present, the beginning and the past. */
static cdn_status carry_states(live *l, const cdn_system *to, cdn_state *from, parts *p, cdn_carry_report **report) {
  const cdn_view *v = l->view;
  cdn_state *one = NULL;
  CDNI_TRY(carry_one(to, v->initial, &p->initial, NULL));
  CDNI_TRY(carry_one(to, from, &p->now, report));
  CDNI_TRY(cdni_past_make(&p->past, to, v->history, &v->allocator));
  cdn_status status = CDN_OK;
  for (int i = 0; i < l->past.n && status == CDN_OK; i++) {
    status = carry_one(to, l->past.past[i].state, &one, NULL);
    if (status == CDN_OK) status = cdni_past_keep(&p->past, one);
    cdn_state_destroy(one);
    one = NULL;
  }
  return status;
}

static cdn_status make(live *l, int contact, cdn_state *from, parts *p, cdn_carry_report **report) {
  cdn_view *v = l->view;
  CDNI_TRY(v->build(v->context, contact, &p->model));
  const cdn_system *old = v->picture.system, *new = cdn_model_system(p->model);
  if (cdn_system_nq(old) != cdn_system_nq(new) || cdn_system_nu(old) != cdn_system_nu(new) ||
      cdn_system_body_count(old) != cdn_system_body_count(new))
    return cdni_refuse(CDN_ERR_ARG, "cdn_view_run",
                       "the model with the other law of contact has other bodies or joints");
  CDNI_TRY(carry_states(l, new, from, p, report));
  CDNI_TRY(cdni_picture_make(v, p->initial, p->model, NULL, &p->picture));
  p->picture.owns_model = true;
  return CDN_OK;
}

/* Names the first few of what is new, gone or could not be kept; "": nothing is. */
static void describe(const cdn_carry_report *report, char *text, size_t size) {
  enum { MOST = 6 };
  const int n = cdn_carry_report_count(report);
  size_t used = 0;
  text[0] = 0;
  for (int i = 0; i < n && i < MOST; i++) {
    cdn_carried entry;
    if (cdn_carry_report_entry(report, i, &entry) != CDN_OK) continue;
    used +=
        (size_t)cdni_print(text + used, size - used, "%s%.120s", i ? "; " : "with this law of contact ", entry.text);
  }
  if (n > MOST) cdni_print(text + used, size - used, "; and %d more", n - MOST);
}

static void drop(live *l, parts *p) {
  cdn_state_destroy(p->now);
  cdn_state_destroy(p->initial);
  cdni_past_free(&p->past);
  if (p->picture.system) cdni_picture_free(l->view, &p->picture);
  else cdn_model_destroy(p->model);
}

/* Half the diagonal of a shape's box; infinite for planes. */
static double size_of(cdn_state *state, cdn_shape shape) {
  cdn_geometry g;
  cdn_transform X;
  cdn_vec3 least, most;
  if (cdn_shape_get(state, shape, &g, &X) != CDN_OK || cdn_geometry_bounds(&g, &X, &least, &most) != CDN_OK)
    return INFINITY;
  return 0.5 * cdn_norm(cdn_sub(most, least));
}

/* Bodies that have passed through others are deeper in them than they are large: contact would shoot them out, and the
 * run would soon end. So it waits, and says why. */
static cdn_status warn_of_deep(live *l) {
  char text[256];
  int n = 0;
  const cdn_system *system = cdn_state_system(l->now);
  if (cdn_system_shape_count(system) == 0 || cdn_contact_count(l->now, &n) != CDN_OK) return CDN_OK;
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    if (cdn_contact_get(l->now, i, &c) != CDN_OK) continue;
    if (!(c.depth > fmin(size_of(l->now, c.a), size_of(l->now, c.b)))) continue;
    if (l->state == LIVE_RUNNING) l->state = LIVE_PAUSED;
    cdni_print(
        text, sizeof text,
        "'%.50s' is %.3g m deep in '%.50s': contact would shoot them apart. Go back to a time before, or to the start",
        cdn_shape_name(system, c.b), c.depth, cdn_shape_name(system, c.a));
    snprintf(l->note, sizeof l->note, "%s", text);
    return cdni_view_say(l->view, cdn_state_time(l->now), "warning", text);
  }
  return CDN_OK;
}

const char *cdni_live_change_contact(live *l, int contact) {
  cdn_view *v = l->view;
  parts p = { 0 };
  cdn_carry_report *report = NULL;
  char text[1024];
  if (make(l, contact, cdni_live_edit(l), &p, &report) != CDN_OK) {
    const char *error = cdni_view_refuse_last(v);
    cdn_carry_report_destroy(report);
    drop(l, &p);
    return error;
  }
  describe(report, text, sizeof text);
  cdn_carry_report_destroy(report);
  const uint32_t layers = cdn_scene_layers(v->picture.scene);
  (void)!cdni_live_record(l, false);
  cdni_drag_end(&l->drag);
  cdn_stepper_destroy(l->stepper);
  l->stepper = NULL;
  l->of_the_past = false;
  const parts old = { NULL, l->now, v->initial, l->past, v->picture };
  l->now = p.now, v->initial = p.initial, l->past = p.past, v->picture = p.picture;
  v->contact = contact;
  cdni_readers_clear_plots(v);
  cdn_scene_set_layers(v->picture.scene, layers);
  drop(l, &(parts){ old.model, old.now, old.initial, old.past, old.picture });
  if (l->state == LIVE_FAILED) l->state = LIVE_PAUSED;
  l->note[0] = 0;
  v->jumped = v->stale = true;
  cdn_status status = cdni_view_send_opening(v, l->now, VIEW_LIVE);
  if (status == CDN_OK && text[0]) status = cdni_view_say(v, cdn_state_time(l->now), "event", text);
  if (status == CDN_OK) status = warn_of_deep(l);
  return status == CDN_OK ? NULL : cdni_view_refuse_last(v);
}
