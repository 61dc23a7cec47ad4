/* Another law of contact: another System, which goes on where the first one was. */
#include <math.h>

#include "view/live.h"

/* Values of the same names. */
static cdn_status carry_controls(cdn_state *to, const cdn_state *from) {
  const cdn_system *system = cdn_state_system(to);
  for (int i = 0; i < cdn_system_control_count(system); i++) {
    const cdn_control c = { i }, old = cdn_system_find_control(cdn_state_system(from), cdn_control_name(system, c));
    if (old.i < 0 || cdn_control_follows(system, c)) continue;
    CDNI_TRY(cdn_control_set(to, c, cdn_control_given(from, old)));
  }
  return CDN_OK;
}

static cdn_status carry_z(cdn_state *to, const cdn_state *from) {
  const cdn_system *system = cdn_state_system(to);
  for (int i = 0; i < cdn_system_nz(system); i++) {
    char name[96];
    int old;
    cdn_system_slot_name(system, CDN_POOL_Z, i, name, sizeof name);
    if (cdn_system_find_slot(cdn_state_system(from), CDN_POOL_Z, name, &old) != CDN_OK) continue;
    CDNI_TRY(cdn_state_set_slots(to, CDN_POOL_Z, i, 1, &cdn_state_z(from)[old]));
  }
  return CDN_OK;
}

static cdn_status carry(const cdn_system *system, const cdn_state *from, cdn_state **out) {
  const cdn_system *old = cdn_state_system(from);
  *out = NULL;
  if (cdn_system_nq(system) != cdn_system_nq(old) || cdn_system_nu(system) != cdn_system_nu(old))
    return cdni_refuse(CDN_ERR_ARG, "cdn_view_run", "the model with the other law of contact has other joints");
  CDNI_TRY(cdn_state_create(system, out));
  CDNI_TRY(cdn_state_set_time(*out, cdn_state_time(from)));
  CDNI_TRY(cdn_state_set_q(*out, cdn_state_q(from)));
  CDNI_TRY(cdn_state_set_u(*out, cdn_state_u(from)));
  CDNI_TRY(carry_controls(*out, from));
  CDNI_TRY(carry_z(*out, from));
  return cdn_contact_forget(*out);
}

/* What the live run and the view have of a System. */
typedef struct parts {
  cdn_model *model;
  cdn_state *now, *initial;
  view_history past;
  view_picture picture;
} parts;

static cdn_status make(live *l, int contact, const cdn_state *from, parts *p) {
  cdn_view *v = l->view;
  CDNI_TRY(v->build(v->context, contact, &p->model));
  const cdn_system *system = cdn_model_system(p->model);
  CDNI_TRY(carry(system, from, &p->now));
  CDNI_TRY(carry(system, v->initial, &p->initial));
  CDNI_TRY(cdni_past_make(&p->past, system, v->history, &v->allocator));
  CDNI_TRY(cdni_picture_make(v, p->initial, p->model, NULL, &p->picture));
  p->picture.owns_model = true;
  return CDN_OK;
}

static void drop(live *l, parts *p) {
  cdn_state_destroy(p->now);
  cdn_state_destroy(p->initial);
  cdni_past_free(&p->past);
  if (p->picture.system) cdni_picture_free(l->view, &p->picture);
  else cdn_model_destroy(p->model);
}

const char *cdni_live_change_contact(live *l, int contact) {
  cdn_view *v = l->view;
  parts p = { 0 };
  if (make(l, contact, cdni_live_edit(l), &p) != CDN_OK) {
    const char *error = cdni_view_refuse_last(v);
    drop(l, &p);
    return error;
  }
  const uint32_t layers = cdn_scene_layers(v->picture.scene);
  (void)!cdni_live_record(l, false);
  cdni_drag_end(&l->drag);
  cdn_stepper_destroy(l->stepper);
  l->stepper = NULL;
  l->of_the_past = false;
  const parts old = { NULL, l->now, v->initial, l->past, v->picture };
  l->now = p.now, v->initial = p.initial, l->past = p.past, v->picture = p.picture;
  v->contact = contact;
  v->n_plots = 0;
  cdn_scene_set_layers(v->picture.scene, layers);
  drop(l, &(parts){ old.model, old.now, old.initial, old.past, old.picture });
  if (l->state == LIVE_FAILED) l->state = LIVE_PAUSED;
  l->note[0] = 0;
  v->jumped = v->unsettled = true;
  return cdni_view_send_opening(v, l->now, VIEW_LIVE) == CDN_OK ? NULL : cdni_view_refuse_last(v);
}
