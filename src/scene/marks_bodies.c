/* Marks of bodies: joints, frames, masses, points, labels; and what subsystems of a program add. */
#include <math.h>

#include <cardan/operators.h>

#include "scene/internal.h"
#include "system/system.h"

/* ---- joints ---- */

/* V has the velocities of the bodies, and is left with those relative to the parents, at the origins of M. */
cdn_status cdni_scene_motion_across(cdn_decorations *d, int k, cdn_spatial *V) {
  const cdn_scene *s = d->scene;
  const size_t size = (size_t)cdn_system_nu(s->system) * sizeof(double);
  double *u = cdn_work_push(d->state, size);
  if (!u) return CDN_ERR_NOMEM;
  memset(u, 0, size);
  for (int b = 1; b < s->n_bodies; b++)
    if (k < cdn_body_nu(s->system, (cdn_body){ b })) u[cdn_body_first_u(s->system, (cdn_body){ b }) + k] = 1;
  const cdn_status status = cdn_multiply_by_J(d->state, u, V);
  cdn_work_pop(d->state, u);
  CDNI_TRY(status);
  for (int b = s->n_bodies - 1; b > 0; b--) {
    const int parent = cdn_body_parent(s->system, (cdn_body){ b }).i;
    const cdn_vec3 M = cdn_transform_point(s->poses[b], cdn_body_X_BM(d->state, (cdn_body){ b }).p);
    const cdn_vec3 from_b = cdn_cross(V[b].w, cdn_sub(M, s->poses[b].p)),
                   from_parent = cdn_cross(V[parent].w, cdn_sub(M, s->poses[parent].p));
    V[b].v = cdn_sub(cdn_add(V[b].v, from_b), cdn_add(V[parent].v, from_parent));
    V[b].w = cdn_sub(V[b].w, V[parent].w);
  }
  return CDN_OK;
}

bool cdni_scene_axis(const cdn_decorations *d, cdn_body body, cdn_spatial V, joint_axis *out) {
  out->turns = cdn_norm(V.w) > 1e-9;
  const cdn_vec3 along = out->turns ? V.w : V.v;
  const double length = cdn_norm(along);
  if (!(length > 1e-9)) return false;
  out->p = cdn_transform_point(d->scene->poses[body.i], cdn_body_X_BM(d->state, body).p);
  out->axis = cdn_scale(1 / length, along), out->rate = length;
  return true;
}

static cdn_status mark_axis(cdn_decorations *d, cdn_body body, const joint_axis *axis) {
  const double half = d->scene->scale;
  cdn_mark m =
      cdni_mark(d, axis->turns ? CDN_MARK_LINE : CDN_MARK_ARROW, body,
                (cdn_transform){ cdn_rotation_z_to(axis->axis), cdn_sub(axis->p, cdn_scale(half, axis->axis)) });
  m.size[0] = 2 * half;
  return cdn_decorate(d, &m);
}

/* An arc from the lower to the upper bound of an angle, or a line of a length. `x` of the body's frame M shows the
 * present value. */
static cdn_status mark_range(cdn_decorations *d, const scene_range *r, double q, const joint_axis *axis) {
  const double turn = 6.28318530717958647693;
  if (!axis->turns) {
    if (!isfinite(r->lower) || !isfinite(r->upper)) return CDN_OK;
    cdn_mark m = cdni_mark(
        d, CDN_MARK_LINE, r->body,
        (cdn_transform){ cdn_rotation_z_to(axis->axis), cdn_add(axis->p, cdn_scale(r->lower - q, axis->axis)) });
    m.size[0] = r->upper - r->lower;
    return cdn_decorate(d, &m);
  }
  const double lower = fmax(r->lower, q - turn), upper = fmin(r->upper, q + turn);
  const cdn_rotation M = cdn_rotation_multiply(d->scene->poses[r->body.i].R, cdn_body_X_BM(d->state, r->body).R);
  const cdn_vec3 z = axis->axis;
  cdn_vec3 x = fabs(cdn_dot(M.x, z)) > 0.9 ? M.y : M.x;
  x = cdn_sub(x, cdn_scale(cdn_dot(x, z), z));
  x = cdn_scale(1 / cdn_norm(x), x);
  const cdn_rotation now = { x, cdn_cross(z, x), z };
  cdn_mark m = cdni_mark(d, CDN_MARK_ARC, r->body,
                         (cdn_transform){ cdn_rotation_multiply(cdn_rotation_axis_angle(z, -q), now), axis->p });
  m.size[0] = lower, m.size[1] = upper, m.size[2] = 1.5 * d->scene->scale;
  CDNI_TRY(cdn_decorate(d, &m));
  m = cdni_mark(d, CDN_MARK_LINE, r->body, (cdn_transform){ cdn_rotation_z_to(x), axis->p });
  m.size[0] = 1.5 * d->scene->scale;
  return cdn_decorate(d, &m);
}

int cdni_scene_most_speeds(const cdn_scene *scene) {
  int most = 0;
  for (int b = 1; b < scene->n_bodies; b++) {
    const int nu = cdn_body_nu(scene->system, (cdn_body){ b });
    most = most > nu ? most : nu;
  }
  return most;
}

cdn_status cdni_marks_joints(cdn_decorations *d) {
  const cdn_scene *s = d->scene;
  const int most = cdni_scene_most_speeds(s);
  joint_axis axis;
  for (int k = 0; k < most; k++) {
    CDNI_TRY(cdni_scene_motion_across(d, k, s->loads));
    for (int b = 1; b < s->n_bodies; b++)
      if (k < cdn_body_nu(s->system, (cdn_body){ b }) && cdni_scene_axis(d, (cdn_body){ b }, s->loads[b], &axis))
        CDNI_TRY(mark_axis(d, (cdn_body){ b }, &axis));
    for (size_t i = 0; i < s->ranges.count; i++) {
      const scene_range *r = &CDNI_AT(s->ranges, scene_range, i);
      const double *q = cdn_body_q(d->state, r->body);
      if (r->k == k && q && cdn_body_nq(s->system, r->body) == cdn_body_nu(s->system, r->body) &&
          cdni_scene_axis(d, r->body, s->loads[r->body.i], &axis))
        CDNI_TRY(mark_range(d, r, q[k], &axis));
    }
  }
  return CDN_OK;
}

/* ---- frames, masses, points, labels ---- */

cdn_status cdni_marks_frames(cdn_decorations *d) {
  for (int b = 0; b < d->scene->n_bodies; b++) {
    cdn_mark m = cdni_mark(d, CDN_MARK_FRAME, (cdn_body){ b }, d->scene->poses[b]);
    m.size[0] = d->scene->scale;
    CDNI_TRY(cdn_decorate(d, &m));
  }
  return CDN_OK;
}

cdn_status cdni_marks_masses(cdn_decorations *d) {
  for (int b = 1; b < d->scene->n_bodies; b++) {
    const cdn_body body = { b };
    const cdn_mass_properties mass = cdn_body_mass_properties(d->state, body);
    if (!(mass.mass > 0)) continue;
    cdn_transform X = { cdn_rotation_identity(), mass.com };
    cdn_mark m = cdni_mark(d, CDN_MARK_POINT, body, cdn_transform_multiply(d->scene->poses[b], X));
    m.size[0] = 0.2 * d->scene->scale;
    m.rgba[3] = 1;
    CDNI_TRY(cdn_decorate(d, &m));
    double half[3];
    if (!cdni_inertia_ellipsoid(&mass, half, &X.R)) continue;
    m = cdni_mark(d, CDN_MARK_ELLIPSOID, body, cdn_transform_multiply(d->scene->poses[b], X));
    memcpy(m.size, half, sizeof half);
    CDNI_TRY(cdn_decorate(d, &m));
  }
  return CDN_OK;
}

cdn_status cdni_marks_points(cdn_decorations *d) {
  for (size_t i = 0; i < d->scene->points.count; i++) {
    const scene_point *p = &CDNI_AT(d->scene->points, scene_point, i);
    const cdn_transform X = cdn_transform_multiply(d->scene->poses[p->body.i], p->X_BP);
    cdn_mark m = cdni_mark(d, CDN_MARK_FRAME, p->body, X);
    m.size[0] = 0.5 * d->scene->scale;
    CDNI_TRY(cdn_decorate(d, &m));
    m.kind = CDN_MARK_TEXT, m.text = p->name;
    CDNI_TRY(cdn_decorate(d, &m));
  }
  return CDN_OK;
}

cdn_status cdni_marks_labels(cdn_decorations *d) {
  for (int b = 1; b < d->scene->n_bodies; b++) {
    const cdn_body body = { b };
    cdn_mark m = cdni_mark(d, CDN_MARK_TEXT, body, d->scene->poses[b]);
    m.X_G.p = cdn_transform_point(d->scene->poses[b], cdn_body_mass_properties(d->state, body).com);
    m.text = cdn_body_name(d->scene->system, body);
    CDNI_TRY(cdn_decorate(d, &m));
  }
  return CDN_OK;
}
