/* Marks of what acts: constraints, contacts, forces; and what a program adds to a picture. */
#include <math.h>

#include <cardan/constraints.h>
#include <cardan/contact.h>
#include <cardan/forces.h>
#include <cardan/perturbation.h>

#include "forces/forces.h"
#include "scene/internal.h"

/* ---- places ---- */

static cdn_vec3 place_of(const cdn_decorations *d, const scene_places *p, int k) {
  return cdn_transform_point(d->scene->poses[p->body[k].i], p->p_B[k]);
}

static cdn_status mark_place(cdn_decorations *d, cdn_body body, cdn_vec3 p_G) {
  cdn_mark m = cdni_mark(d, CDN_MARK_POINT, body, (cdn_transform){ cdn_rotation_identity(), p_G });
  m.size[0] = 0.25 * d->scene->scale;
  return cdn_decorate(d, &m);
}

static cdn_status mark_line(cdn_decorations *d, const scene_places *p) {
  return p->n == 2 ? cdn_decorate_line(d, place_of(d, p, 0), place_of(d, p, 1), NULL) : CDN_OK;
}

/* ---- constraints ---- */

/* The force of a constraint on each body that feels one: at its anchor, if it has one there, else at the body's origin.
 * */
static cdn_status mark_forces(cdn_decorations *d, const cdn_spatial *F, const scene_places *anchors) {
  for (int b = 1; b < d->scene->n_bodies; b++) {
    const cdn_vec3 f = F[b].v, origin = d->scene->poses[b].p;
    cdn_vec3 place = origin;
    for (int k = 0; k < anchors->n; k++)
      if (anchors->body[k].i == b) place = place_of(d, anchors, k);
    CDNI_TRY(cdni_mark_force(d, (cdn_body){ b }, place, f));
    CDNI_TRY(cdni_mark_moment(d, (cdn_body){ b }, place, cdn_sub(F[b].w, cdn_cross(cdn_sub(place, origin), f))));
  }
  return CDN_OK;
}

cdn_status cdni_marks_constraints(cdn_decorations *d) {
  cdn_scene *s = d->scene;
  cdn_status first = CDN_OK;
  for (int i = 0; i < cdn_system_constraint_count(s->system); i++) {
    const cdn_constraint c = { i };
    if (!cdn_constraint_is_enabled(d->state, c)) continue;
    scene_places anchors;
    CDNI_TRY(cdni_scene_anchors(d->state, c, &anchors));
    for (int k = 0; k < anchors.n; k++) CDNI_TRY(mark_place(d, anchors.body[k], place_of(d, &anchors, k)));
    CDNI_TRY(mark_line(d, &anchors));
    const cdn_status status = cdn_constraint_force(d->state, c, s->loads, NULL);
    if (status == CDN_OK) CDNI_TRY(mark_forces(d, s->loads, &anchors));
    else if (first == CDN_OK) first = status;
  }
  return first;
}

/* ---- contacts ---- */

cdn_status cdni_marks_contacts(cdn_decorations *d) {
  int n;
  CDNI_TRY(cdn_contact_count(d->state, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    CDNI_TRY(cdn_contact_get(d->state, i, &c));
    const cdn_body b = cdn_shape_body(d->scene->system, c.b), a = cdn_shape_body(d->scene->system, c.a);
    const cdn_body moved = b.i != 0 ? b : a;
    const cdn_vec3 f = cdn_add(cdn_scale(c.force, c.normal), c.friction);
    CDNI_TRY(mark_place(d, moved, c.point));
    CDNI_TRY(cdni_mark_force(d, moved, c.point, b.i != 0 ? f : cdn_scale(-1, f)));
    if (!(c.radius[0] > 0)) continue;
    cdn_mark m =
        cdni_mark(d, CDN_MARK_DISC, moved, (cdn_transform){ { c.tangent[0], c.tangent[1], c.normal }, c.point });
    m.size[0] = c.radius[0], m.size[1] = c.radius[1];
    m.rgba[3] = 0.5f;
    CDNI_TRY(cdn_decorate(d, &m));
  }
  return CDN_OK;
}

/* ---- forces ---- */

cdn_status cdni_marks_forces(cdn_decorations *d) {
  const cdn_system *system = d->scene->system;
  for (int i = 0; i < cdn_system_force_count(system); i++) {
    if (!cdn_force_is_enabled(d->state, (cdn_force){ i })) continue;
    cdn_body bodies[2];
    cdn_vec3 stations[2];
    if (!cdni_force_stations(system, i, bodies, stations)) continue;
    const cdn_vec3 a = cdn_transform_point(d->scene->poses[bodies[0].i], stations[0]),
                   b = cdn_transform_point(d->scene->poses[bodies[1].i], stations[1]);
    CDNI_TRY(cdn_decorate_line(d, a, b, NULL));
  }
  for (int b = 1; b < d->scene->n_bodies; b++) {
    const cdn_spatial F = cdn_state_applied_body_force(d->state, (cdn_body){ b });
    CDNI_TRY(cdni_mark_force(d, (cdn_body){ b }, d->scene->poses[b].p, F.v));
    CDNI_TRY(cdni_mark_moment(d, (cdn_body){ b }, d->scene->poses[b].p, F.w));
  }
  return CDN_OK;
}

/* ---- what a program adds ---- */

/* From the station to the target. */
static cdn_status mark_pull(cdn_decorations *d, cdn_force force) {
  static const float colour[4] = { 0.95f, 0.55f, 0.10f, 1 };
  cdn_perturbation held;
  CDNI_TRY(cdn_perturbation_get(d->state, force, &held));
  if (held.body.i < 0) return CDN_OK;
  CDNI_TRY(cdn_decorate_point(d, held.p_G, 0.2 * d->scene->scale, colour));
  return cdn_decorate_arrow(d, held.p_G, held.target_G, colour);
}

cdn_status cdni_marks_own(cdn_decorations *d) {
  const cdn_system *system = d->scene->system;
  for (int i = 0; i < cdn_system_force_count(system); i++)
    if (cdni_force_is_perturbation(system, i)) CDNI_TRY(mark_pull(d, (cdn_force){ i }));
  return cdni_system_decorate(system, d->state, d);
}
