/* Marks of what acts on one side, and of dry friction: a point in the colour of its status where it acts (limits of
 * joints only while they push), a cone of friction, and an arrow for an impulse for a while after it. */
#include <math.h>

#include <cardan/contact.h>
#include <cardan/elements.h>
#include <cardan/hybrid.h>

#include "hybrid/hybrid.h"
#include "scene/internal.h"

/* How long an impulse is seen, s. Its arrow is as long as that of the force that has the impulse in a second. */
static const double seen = 0.1;

/* Off; on; sticks; slips. */
static const float grey[4] = { 0.60f, 0.60f, 0.60f, 1 }, green[4] = { 0.15f, 0.65f, 0.30f, 1 },
                   blue[4] = { 0.15f, 0.35f, 0.90f, 1 }, red[4] = { 0.90f, 0.15f, 0.10f, 1 };

static const float *color_of(const cdn_decorations *d, bool on, int friction) {
  if (!on) return grey;
  if (friction < 0) return green;
  switch (cdn_dry_friction_get_status(d->state, (cdn_dry_friction){ friction })) {
    case CDN_FRICTION_STICK: return blue;
    case CDN_FRICTION_SLIP: return red;
    case CDN_FRICTION_OFF: break;
  }
  return green;
}

/* ---- where an element acts ---- */

typedef struct acting {
  bool there;
  bool of_joint; /* it acts on a joint: there may be several at its place */
  bool turns;    /* about `along`; else along it */
  cdn_body body;
  cdn_vec3 p, along;
} acting;

/* The radius of what touches a plane, m; 0: a point. */
static double radius_of(const cdn_state *state, cdn_constraint c) {
  const cdn_system *system = cdn_state_system(state);
  const int n = cdn_element_parameter_count(system, CDN_ELEMENT_CONSTRAINT, c.i);
  double radius = 0;
  for (int k = 0; k < n; k++) {
    cdn_parameter parameter;
    if (cdn_element_parameter(system, CDN_ELEMENT_CONSTRAINT, c.i, k, &parameter) == CDN_OK &&
        strcmp(parameter.name, "radius") == 0)
      (void)!cdn_element_get_parameters(state, CDN_ELEMENT_CONSTRAINT, c.i, k, 1, &radius);
  }
  return radius;
}

/* On the last body that is pushed: at its anchor, or where the line of the force is nearest to its origin. */
static cdn_status act_on_bodies(cdn_decorations *d, cdn_constraint c, const cdn_spatial *F, acting *out) {
  scene_places anchors;
  int b = d->scene->n_bodies - 1;
  while (b > 0 && !(cdn_norm(F[b].v) > 0)) b--;
  if (b <= 0) return CDN_OK;
  const cdn_vec3 f = F[b].v;
  *out = (acting){ .there = true, .body = { b }, .along = cdn_scale(1 / cdn_norm(f), f) };
  out->p = cdn_add(d->scene->poses[b].p, cdn_scale(1 / cdn_dot(f, f), cdn_cross(f, F[b].w)));
  CDNI_TRY(cdni_scene_anchors(d->state, c, &anchors));
  for (int k = 0; k < anchors.n; k++)
    if (anchors.body[k].i == b)
      out->p = cdn_sub(cdn_transform_point(d->scene->poses[b], anchors.p_B[k]),
                       cdn_scale(radius_of(d->state, c), out->along));
  return CDN_OK;
}

/* On the joint of the largest of the forces on mobilities. */
static cdn_status act_on_joint(cdn_decorations *d, const double *f, acting *out) {
  const cdn_scene *s = d->scene;
  double largest = 0;
  joint_axis axis;
  int body = 0, k = 0;
  for (int b = 1; b < s->n_bodies; b++)
    for (int j = 0; j < cdn_body_nu(s->system, (cdn_body){ b }); j++) {
      const double size = fabs(f[cdn_body_first_u(s->system, (cdn_body){ b }) + j]);
      if (size > largest) largest = size, body = b, k = j;
    }
  if (body == 0) return CDN_OK;
  CDNI_TRY(cdni_scene_motion_across(d, k, s->loads));
  if (!cdni_scene_axis(d, (cdn_body){ body }, s->loads[body], &axis)) return CDN_OK;
  const double sign = f[cdn_body_first_u(s->system, (cdn_body){ body }) + k] < 0 ? -1 : 1;
  *out = (acting){ true, true, axis.turns, { body }, axis.p, cdn_scale(sign, axis.axis) };
  return CDN_OK;
}

static cdn_status find_place(cdn_decorations *d, cdn_constraint c, const double *f, acting *out) {
  out->there = false;
  CDNI_TRY(act_on_bodies(d, c, d->scene->loads, out));
  return out->there ? CDN_OK : act_on_joint(d, f, out);
}

/* ---- marks ---- */

static cdn_status mark_point(cdn_decorations *d, const acting *at, const float *color) {
  cdn_mark m = cdni_mark(d, CDN_MARK_POINT, at->body, (cdn_transform){ cdn_rotation_identity(), at->p });
  m.size[0] = 0.3 * d->scene->scale;
  memcpy(m.rgba, color, sizeof m.rgba);
  return cdn_decorate(d, &m);
}

static cdn_status mark_arrow(cdn_decorations *d, const acting *at, cdn_vec3 impulse) {
  return at->turns ? cdni_mark_moment(d, at->body, at->p, impulse) : cdni_mark_force(d, at->body, at->p, impulse);
}

static bool is_seen(const cdn_decorations *d, const cdn_hybrid_change *c) {
  const double since = cdn_state_time(d->state) - c->time;
  return since >= 0 && since < seen && (c->impulse[0] != 0 || c->impulse[1] != 0 || c->impulse[2] != 0);
}

/* Of friction along surfaces: the force on the body. */
static cdn_status mark_rubbing(cdn_decorations *d, const hybrid_room *room, int i, acting at, double *f) {
  const cdn_hybrid_change c = cdn_dry_friction_get_change(d->state, (cdn_dry_friction){ i });
  if (!is_seen(d, &c)) return CDN_OK;
  CDNI_TRY(cdni_hybrid_push_friction(room, d->state, i, c.impulse, d->scene->loads, f));
  return mark_arrow(d, &at, d->scene->loads[at.body.i].v);
}

static cdn_status mark_side(cdn_decorations *d, const hybrid_room *room, int i, acting at, double *f) {
  const cdn_one_sided element = { i };
  if (!at.there) return CDN_OK;
  const int friction = cdni_hybrid_friction_of(room, i);
  const bool on = cdn_one_sided_is_on(d->state, element);
  if (on || !at.of_joint) CDNI_TRY(mark_point(d, &at, color_of(d, on, friction)));
  const cdn_hybrid_change c = cdn_one_sided_get_change(d->state, element);
  if (is_seen(d, &c)) CDNI_TRY(mark_arrow(d, &at, cdn_scale(c.impulse[0], at.along)));
  if (friction < 0) return CDN_OK;
  CDNI_TRY(mark_rubbing(d, room, friction, at, f));
  const cdn_rotation R = cdn_rotation_z_to(at.along);
  const double mu = cdni_hybrid_friction_bound(room, d->state, friction);
  if (!on) return CDN_OK;
  return cdni_mark_cone(
      d, (friction_cone){
             .body = at.body, .top = at.p, .normal = at.along, .tangent = { R.x, R.y }, .coefficient = { mu, mu } });
}

/* Of friction that no one-sided element presses: a joint that rubs, a belt, a motor with a limit. */
static cdn_status mark_friction(cdn_decorations *d, const hybrid_room *room, int i, double *f) {
  acting at;
  CDNI_TRY(cdni_hybrid_push_friction(room, d->state, i, (double[]){ 1, 1, 1 }, d->scene->loads, f));
  CDNI_TRY(find_place(d, cdni_hybrid_friction_constraint(room, i), f, &at));
  return at.there ? mark_point(d, &at, color_of(d, true, i)) : CDN_OK;
}

/* Contacts of shapes tell where they are. */
static cdn_status mark_contacts(cdn_decorations *d, const hybrid_room *room, double *f) {
  const cdn_system *system = d->scene->system;
  int n;
  if (!cdni_contact_any_rigid(cdni_contact(system))) return CDN_OK;
  CDNI_TRY(cdn_contact_count(d->state, &n));
  for (int i = 0; i < n; i++) {
    cdn_contact c;
    CDNI_TRY(cdn_contact_get(d->state, i, &c));
    const int side = cdni_hybrid_side_of_contact(room, d->state, i);
    const cdn_body b = cdn_shape_body(system, c.b), a = cdn_shape_body(system, c.a);
    const acting at = {
      .there = side >= 0, .body = b.i != 0 ? b : a, .p = c.point, .along = b.i != 0 ? c.normal : cdn_scale(-1, c.normal)
    };
    CDNI_TRY(mark_side(d, room, side, at, f));
  }
  return CDN_OK;
}

static cdn_status mark_all(cdn_decorations *d, const hybrid_room *room, double *f) {
  for (int i = 0; i < cdn_system_one_sided_count(d->scene->system); i++) {
    acting at;
    if (cdni_hybrid_is_of_pool(room, i)) continue;
    CDNI_TRY(cdni_hybrid_push_side(room, d->state, i, 1, d->scene->loads, f));
    CDNI_TRY(find_place(d, cdni_hybrid_side_constraint(room, i), f, &at));
    CDNI_TRY(mark_side(d, room, i, at, f));
  }
  CDNI_TRY(mark_contacts(d, room, f));
  for (int i = 0; i < cdn_system_dry_friction_count(d->scene->system); i++)
    if (cdni_hybrid_friction_is_alone(room, i)) CDNI_TRY(mark_friction(d, room, i, f));
  return CDN_OK;
}

cdn_status cdni_marks_statuses(cdn_decorations *d) {
  const hybrid_room *room = cdni_hybrid(d->scene->system);
  if (!room) return CDN_OK;
  CDNI_TRY(cdn_realize(d->state, CDN_STAGE_VELOCITY));
  double *f = cdn_work_push(d->state, ((size_t)cdn_system_nu(d->scene->system) + 1) * sizeof *f);
  if (!f) return CDN_ERR_NOMEM;
  const cdn_status status = mark_all(d, room, f);
  cdn_work_pop(d->state, f);
  return status;
}
