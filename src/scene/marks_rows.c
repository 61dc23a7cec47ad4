/* Marks of cones of friction, and of soft rows. */
#include <math.h>

#include <cardan/contact.h>
#include <cardan/soft.h>

#include "scene/internal.h"

/* ---- cones ---- */

/* A point of the rim: x and y along the tangents, of the unit circle or square. */
static cdn_vec3 rim(const friction_cone *k, double x, double y) {
  const cdn_vec3 side =
      cdn_add(cdn_scale(x * k->coefficient[0], k->tangent[0]), cdn_scale(y * k->coefficient[1], k->tangent[1]));
  return cdn_add(k->top, cdn_scale(k->height, cdn_add(k->normal, side)));
}

static cdn_status mark_line(cdn_decorations *d, const friction_cone *k, cdn_vec3 from, cdn_vec3 to) {
  const cdn_vec3 along = cdn_sub(to, from);
  const double length = cdn_norm(along);
  if (!(length > 0)) return CDN_OK;
  cdn_mark m = cdni_mark(d, CDN_MARK_LINE, k->body, (cdn_transform){ cdn_rotation_z_to(along), from });
  m.size[0] = length;
  return cdn_decorate(d, &m);
}

/* The pyramid's edges, or lines on the cone, from the top to the rim, and the rim. */
static cdn_status mark_rim(cdn_decorations *d, const friction_cone *k) {
  enum { LINES = 12 };
  const int n = k->pyramid ? 4 : LINES, step = k->pyramid ? 1 : LINES / 4;
  for (int i = 0; i < n; i++) {
    const double turn = 2 * 3.14159265358979323846, a = turn * i / n, b = turn * (i + 1) / n;
    const cdn_vec3 here = rim(k, cos(a), sin(a));
    if (i % step == 0) CDNI_TRY(mark_line(d, k, k->top, here));
    CDNI_TRY(mark_line(d, k, here, rim(k, cos(b), sin(b))));
  }
  return CDN_OK;
}

cdn_status cdni_mark_cone(cdn_decorations *d, friction_cone k) {
  k.height = 1.5 * d->scene->scale / fmax(1, fmax(k.coefficient[0], k.coefficient[1]));
  CDNI_TRY(mark_line(d, &k, k.top, cdn_add(k.top, cdn_scale(1.5 * d->scene->scale, k.normal))));
  return k.coefficient[0] > 0 ? mark_rim(d, &k) : CDN_OK;
}

cdn_status cdni_marks_cones(cdn_decorations *d) {
  int n;
  CDNI_TRY(cdn_contact_count(d->state, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    CDNI_TRY(cdn_contact_get(d->state, i, &c));
    const cdn_body b = cdn_shape_body(d->scene->system, c.b), a = cdn_shape_body(d->scene->system, c.a);
    CDNI_TRY(cdni_mark_cone(d, (friction_cone){ .body = b.i != 0 ? b : a,
                                                .top = c.point,
                                                .normal = b.i != 0 ? c.normal : cdn_scale(-1, c.normal),
                                                .tangent = { c.tangent[0], c.tangent[1] },
                                                .coefficient = { c.coefficient[0], c.coefficient[1] },
                                                .pyramid = c.pyramid }));
  }
  return CDN_OK;
}

/* ---- rows ---- */

/* On bodies: at the point of the rows, the force on b, or on a where b is Ground. */
static cdn_status mark_pair(cdn_decorations *d, const cdn_soft_group *g, const cdn_spatial *F) {
  const cdn_body body = g->b.i != 0 ? g->b : g->a;
  const cdn_vec3 f = F[body.i].v, arm = cdn_sub(g->point_G, d->scene->poses[body.i].p);
  cdn_mark m = cdni_mark(d, CDN_MARK_POINT, body, (cdn_transform){ cdn_rotation_identity(), g->point_G });
  m.size[0] = 0.25 * d->scene->scale;
  CDNI_TRY(cdn_decorate(d, &m));
  CDNI_TRY(cdni_mark_force(d, body, g->point_G, f));
  return cdni_mark_moment(d, body, g->point_G, cdn_sub(F[body.i].w, cdn_cross(arm, f)));
}

/* On mobilities: forces and moments along the axes of the joints. f: one a speed. */
static cdn_status mark_joints(cdn_decorations *d, const double *f) {
  const cdn_scene *s = d->scene;
  const int most = cdni_scene_most_speeds(s);
  for (int k = 0; k < most; k++) {
    CDNI_TRY(cdni_scene_motion_across(d, k, s->loads));
    for (int i = 1; i < s->n_bodies; i++) {
      const cdn_body b = { i };
      joint_axis axis;
      if (k >= cdn_body_nu(s->system, b) || !cdni_scene_axis(d, b, s->loads[i], &axis)) continue;
      const cdn_vec3 along = cdn_scale(f[cdn_body_first_u(s->system, b) + k] / axis.rate, axis.axis);
      CDNI_TRY(axis.turns ? cdni_mark_moment(d, b, axis.p, along) : cdni_mark_force(d, b, axis.p, along));
    }
  }
  return CDN_OK;
}

/* Rows on the joints of a State are shown as what they do together. */
static cdn_status mark_rows(cdn_decorations *d, int n, double *sum, double *f) {
  const int nu = cdn_system_nu(d->scene->system);
  bool any = false;
  for (int i = 0; i < n; i++) {
    cdn_soft_group g;
    CDNI_TRY(cdn_soft_get(d->state, i, &g));
    if (g.contact >= 0) continue;
    CDNI_TRY(cdn_soft_group_forces(d->state, i, d->scene->loads, f));
    if (g.joint.i == 0 && (g.a.i != 0 || g.b.i != 0)) CDNI_TRY(mark_pair(d, &g, d->scene->loads));
    for (int k = 0; k < nu; k++) any = any || f[k] != 0, sum[k] += f[k];
  }
  return any ? mark_joints(d, sum) : CDN_OK;
}

cdn_status cdni_marks_rows(cdn_decorations *d) {
  const size_t nu = (size_t)cdn_system_nu(d->scene->system);
  int n;
  CDNI_TRY(cdn_soft_count(d->state, &n));
  if (n == 0) return CDN_OK;
  double *work = cdn_work_push(d->state, (2 * nu + 1) * sizeof *work);
  if (!work) return CDN_ERR_NOMEM;
  memset(work, 0, (2 * nu + 1) * sizeof *work);
  const cdn_status status = mark_rows(d, n, work, work + nu);
  cdn_work_pop(d->state, work);
  return status;
}
