/* Actuators that press the surfaces of a body's contacts together, such as suction cups: p is shared evenly by all
 * points of soft contact of the body, those in the gap of the materials included, along their normals. Without contact
 * they do nothing. */
#include <cardan/operators.h>

#include "actuators/internal.h"
#include "contact/contact.h"

static const char *check(const cdn_system *system, drive *a) {
  return a->def.body.i > 0 && a->def.body.i < cdn_system_body_count(system)
             ? NULL
             : "there is no such body, or it is Ground, whose contacts are those of all others";
}

/* The points of a State; of the body they are those for which touches() holds. */
static cdn_status points_of(cdn_state *state, const contact_point **points, int *n) {
  const contact_room *room = cdni_contact(cdn_state_system(state));
  *n = 0;
  return cdni_contact_any_soft(room) ? cdni_contact_points(room, state, points, n) : CDN_OK;
}

static bool touches(const drive *a, const contact_point *p) {
  return p->body[0] == a->def.body.i || p->body[1] == a->def.body.i;
}

/* How fast the surfaces part. */
static cdn_status parting(cdn_state *state, const contact_point *p, double *rate) {
  cdn_vec3 v[2];
  for (int s = 0; s < 2; s++) {
    cdn_transform X_GB;
    cdn_spatial V;
    CDNI_TRY(cdn_body_pose(state, (cdn_body){ p->body[s] }, &X_GB));
    CDNI_TRY(cdn_body_velocity(state, (cdn_body){ p->body[s] }, &V));
    v[s] = cdn_add(V.v, cdn_cross(V.w, cdn_sub(p->point, X_GB.p)));
  }
  *rate = cdn_dot(p->normal, cdn_sub(v[1], v[0]));
  return CDN_OK;
}

/* moment[0]: the share of one point. */
static cdn_status reach(const drive *a, cdn_state *state, bool moves, drive_reach *out) {
  const contact_point *points;
  int n, count = 0;
  CDNI_TRY(points_of(state, &points, &n));
  for (int i = 0; i < n; i++) {
    if (!touches(a, &points[i])) continue;
    double rate = 0;
    count++;
    if (moves) CDNI_TRY(parting(state, &points[i], &rate));
    out->rate -= rate;
  }
  if (count == 0) return CDN_OK;
  out->moment[0] = 1.0 / count;
  out->rate *= out->moment[0];
  return CDN_OK;
}

static cdn_status push(const drive *a, cdn_state *state, const drive_reach *at, double p, cdn_forces *forces) {
  const contact_point *points;
  int n;
  if (p * at->moment[0] == 0) return CDN_OK;
  CDNI_TRY(points_of(state, &points, &n));
  for (int i = 0; i < n; i++) {
    if (!touches(a, &points[i])) continue;
    const cdn_vec3 force = cdn_scale(p * at->moment[0], points[i].normal);
    cdn_forces_add_at(forces, (cdn_body){ points[i].body[0] }, points[i].point, force);
    cdn_forces_add_at(forces, (cdn_body){ points[i].body[1] }, points[i].point, cdn_scale(-1, force));
  }
  return CDN_OK;
}

static cdn_status add_point(cdn_state *state, const contact_point *p, double share, double *own, double *moments) {
  const int nu = cdn_system_nu(cdn_state_system(state));
  cdn_body body[2];
  cdn_vec3 station[2];
  cdn_spatial F_G[2];
  for (int s = 0; s < 2; s++) {
    cdn_transform X_GB;
    body[s] = (cdn_body){ p->body[s] };
    CDNI_TRY(cdn_body_pose(state, body[s], &X_GB));
    station[s] = cdn_rotate_inv(X_GB.R, cdn_sub(p->point, X_GB.p));
    F_G[s] = (cdn_spatial){ cdn_v3(0, 0, 0), cdn_scale(s == 0 ? share : -share, p->normal) };
  }
  CDNI_TRY(cdn_multiply_by_frame_J_transpose(state, 2, body, station, F_G, own));
  for (int k = 0; k < nu; k++) moments[k] += own[k];
  return CDN_OK;
}

static cdn_status add_moments(const drive *a, cdn_state *state, const drive_reach *at, double *moments) {
  const contact_point *points;
  int n;
  CDNI_TRY(points_of(state, &points, &n));
  double *own = cdn_work_push(state, (size_t)cdn_system_nu(cdn_state_system(state)) * sizeof *own);
  if (!own) return CDN_ERR_NOMEM;
  cdn_status status = CDN_OK;
  for (int i = 0; i < n && status == CDN_OK; i++)
    if (touches(a, &points[i])) status = add_point(state, &points[i], at->moment[0], own, moments);
  cdn_work_pop(state, own);
  return status;
}

static cdn_ticket reads(const cdn_system *system) {
  const contact_room *room = cdni_contact(system);
  return cdni_contact_any_soft(room) ? cdni_contact_points_ticket(room) : (cdn_ticket){ 0 };
}

const transmission cdni_drive_on_contacts = {
  .word = "contacts", .check = check, .reach = reach, .push = push, .add_moments = add_moments, .reads = reads
};
