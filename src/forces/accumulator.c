/* The functions by which custom forces add forces. Wrong ids and numbers that are not finite are noted and not
 * added; when the force's function has returned, the sum reports the first of them. */
#include "forces/internal.h"

static void note(force_collector *c, cdn_status mistake, cdn_body body, int mobility) {
  if (c->mistake != CDN_OK) return;
  c->mistake = mistake;
  c->body = body.i;
  c->mobility = mobility;
}

/* A number minus itself is zero, unless it is no number. */
static bool finite3(cdn_vec3 a) { return (a.x - a.x) + (a.y - a.y) + (a.z - a.z) == 0; }

/* Whether there is something to add to: a body that moves, numbers that are finite. */
static bool accepts(cdn_forces *f, cdn_body body, bool finite) {
  if (!cdni_body_exists(f->matter, body)) note((force_collector *)f, CDN_ERR_ARG, body, -1);
  else if (!finite) note((force_collector *)f, CDN_ERR_NONFINITE, body, -1);
  else if (body.i != 0) return force_begin(f), true;
  return false;
}

void cdn_forces_add_point(cdn_forces *f, cdn_body body, cdn_vec3 p_B, cdn_vec3 f_G) {
  CDNI_NEED_OBJECT_OR_NOTHING(f);
  if (!accepts(f, body, finite3(p_B) && finite3(f_G))) return;
  force_push(f, body.i, cdni_to_v3(cdni_matter_station(f->matter, f->state, f->pose, body, p_B)), cdni_to_v3(f_G));
}

void cdn_forces_add_at(cdn_forces *f, cdn_body body, cdn_vec3 p_G, cdn_vec3 f_G) {
  CDNI_NEED_OBJECT_OR_NOTHING(f);
  if (!accepts(f, body, finite3(p_G) && finite3(f_G))) return;
  force_push(f, body.i, v3_sub(cdni_to_v3(p_G), f->pose[body.i].p_GM), cdni_to_v3(f_G));
}

void cdn_forces_add_torque(cdn_forces *f, cdn_body body, cdn_vec3 moment_G) {
  CDNI_NEED_OBJECT_OR_NOTHING(f);
  if (!accepts(f, body, finite3(moment_G))) return;
  f->F[body.i].w = v3_add(f->F[body.i].w, cdni_to_v3(moment_G));
}

void cdn_forces_add_body(cdn_forces *f, cdn_body body, cdn_spatial F_G) {
  CDNI_NEED_OBJECT_OR_NOTHING(f);
  cdn_forces_add_torque(f, body, F_G.w);
  cdn_forces_add_point(f, body, cdn_v3(0, 0, 0), F_G.v);
}

void cdn_forces_add_path(cdn_forces *f, cdn_path path, double tension) {
  CDNI_NEED_OBJECT_OR_NOTHING(f);
  const path_room *room = cdni_paths(cdn_state_system(f->state));
  force_collector *c = (force_collector *)f;
  path_view view;
  if (!cdni_path_exists(room, path)) note(c, CDN_ERR_ARG, (cdn_body){ path.i }, MISTAKE_OF_PATH);
  else if (tension - tension != 0) note(c, CDN_ERR_NONFINITE, (cdn_body){ path.i }, MISTAKE_OF_PATH);
  else if (cdni_path_view(room, f->state, path, &view) != CDN_OK)
    note(c, CDN_ERR_SINGULAR, (cdn_body){ path.i }, MISTAKE_OF_PATH);
  else force_begin(f), cdni_path_pull(&view, f->pose, tension, f->F, f->f);
}

void cdn_forces_add_mobility(cdn_forces *f, cdn_body body, int k, double force) {
  CDNI_NEED_OBJECT_OR_NOTHING(f);
  const matter *m = f->matter;
  if (!cdni_body_exists(m, body) || k < 0 || k >= m->tree.node[body.i].nu)
    note((force_collector *)f, CDN_ERR_ARG, body, k);
  else if (force - force != 0) note((force_collector *)f, CDN_ERR_NONFINITE, body, k);
  else force_begin(f), f->f[m->tree.node[body.i].u + k] += force;
}
