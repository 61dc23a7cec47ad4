/* Bodies without a visual are drawn from what the model knows about them: a rod from the body's joint to each of its
 * children's joints, to the anchors of its constraints and to its centre of mass, and, for a body that would be a
 * point, the ellipsoid of its inertia. */
#include <math.h>

#include "scene/internal.h"

/* Of a solid ellipsoid I_x = m (b^2 + c^2) / 5, and so a^2 = 5 (I_y + I_z - I_x) / (2 m). */
bool cdni_inertia_ellipsoid(const cdn_mass_properties *m, double half[3], cdn_rotation *axes) {
  double moments[3];
  if (!(m->mass > 0)) return false;
  cdn_inertia_principal(m->inertia, moments, axes);
  const double sum = moments[0] + moments[1] + moments[2];
  if (!(sum > 0)) return false;
  const double most = sqrt(2.5 * sum / m->mass);
  for (int k = 0; k < 3; k++) half[k] = fmax(sqrt(fmax(2.5 * (sum - 2 * moments[k]) / m->mass, 0)), 0.02 * most);
  return true;
}

typedef struct drawer {
  cdn_scene *scene;
  cdn_visual_def def;
  double radius;
} drawer;

static cdn_status add(drawer *d) {
  int i;
  CDNI_TRY(cdn_scene_add_visual(d->scene, &d->def, &i));
  scene_visual(d->scene, i)->skeleton = true;
  return CDN_OK;
}

static cdn_status add_ball(drawer *d, cdn_vec3 p, double radius) {
  d->def.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_SPHERE, .size = { radius } };
  d->def.X_BV = cdn_transform_identity();
  d->def.X_BV.p = p;
  return add(d);
}

static cdn_status add_rod(drawer *d, cdn_vec3 from, cdn_vec3 to) {
  const cdn_vec3 along = cdn_sub(to, from);
  const double length = cdn_norm(along);
  if (!(length > 2 * d->radius)) return CDN_OK;
  d->def.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_CAPSULE, .size = { d->radius, 0.5 * length } };
  d->def.X_BV = (cdn_transform){ cdn_rotation_z_to(along), cdn_scale(0.5, cdn_add(from, to)) };
  return add(d);
}

/* The longest way from a joint to the next: what the model's rods are measured by. */
static double longest_link(const cdn_scene *scene, cdn_state *state) {
  double most = 0;
  for (int b = 1; b < scene->n_bodies; b++) {
    const cdn_body body = { b }, parent = cdn_body_parent(scene->system, body);
    const cdn_vec3 from = parent.i > 0 ? cdn_body_X_BM(state, parent).p : cdn_v3(0, 0, 0);
    if (parent.i > 0) most = fmax(most, cdn_norm(cdn_sub(cdn_body_X_PF(state, body).p, from)));
    most = fmax(most, cdn_norm(cdn_sub(cdn_body_mass_properties(state, body).com, cdn_body_X_BM(state, body).p)));
  }
  return most;
}

/* What a body is known by: its place among the visuals, and whether a rod leads to a child. */
enum { HAS_LOOK = 1, HAS_CHILD = 2, HAS_ROD = 4 };

static void begin_body(drawer *d, cdn_body body) {
  d->def.body = body;
  d->def.name = cdn_body_name(d->scene->system, body);
}

/* The rod on a body that leads from its joint to a place. */
static cdn_status draw_arm(drawer *d, cdn_state *state, cdn_body body, cdn_vec3 to_B, unsigned char *known) {
  const size_t before = d->scene->visuals.count;
  if (body.i == 0 || known[body.i] & HAS_LOOK) return CDN_OK;
  begin_body(d, body);
  CDNI_TRY(add_rod(d, cdn_body_X_BM(state, body).p, to_B));
  if (d->scene->visuals.count > before) known[body.i] |= HAS_ROD;
  return CDN_OK;
}

/* The rods that lead to the joints of children. */
static cdn_status draw_links(drawer *d, cdn_state *state, unsigned char *known) {
  for (int b = 1; b < d->scene->n_bodies; b++) {
    const cdn_body parent = cdn_body_parent(d->scene->system, (cdn_body){ b });
    known[parent.i] |= HAS_CHILD;
    CDNI_TRY(draw_arm(d, state, parent, cdn_body_X_PF(state, (cdn_body){ b }).p, known));
  }
  return CDN_OK;
}

/* The rods that lead to the anchors of constraints, on or off. */
static cdn_status draw_anchors(drawer *d, cdn_state *state, unsigned char *known) {
  for (int i = 0; i < cdn_system_constraint_count(d->scene->system); i++) {
    scene_places anchors;
    CDNI_TRY(cdni_scene_anchors(state, (cdn_constraint){ i }, &anchors));
    for (int k = 0; k < anchors.n; k++) CDNI_TRY(draw_arm(d, state, anchors.body[k], anchors.p_B[k], known));
  }
  return CDN_OK;
}

/* The rest of a body: the rod to its centre of mass, and the ball at its joint; or its inertia alone. */
static cdn_status draw_body(drawer *d, cdn_state *state, cdn_body body, unsigned char known) {
  const cdn_vec3 joint = cdn_body_X_BM(state, body).p;
  const cdn_mass_properties mass = cdn_body_mass_properties(state, body);
  const size_t before = d->scene->visuals.count;
  begin_body(d, body);
  if (mass.mass > 0) CDNI_TRY(add_rod(d, joint, mass.com));
  if (known & HAS_ROD || d->scene->visuals.count > before) return add_ball(d, joint, 1.4 * d->radius);
  if (!(mass.mass > 0) && known & HAS_CHILD) return CDN_OK; /* a frame between two joints of one body */
  double half[3];
  cdn_rotation axes;
  if (!cdni_inertia_ellipsoid(&mass, half, &axes)) return add_ball(d, joint, 1.4 * d->radius);
  d->def.geometry = (cdn_geometry){ .kind = CDN_GEOMETRY_ELLIPSOID, .size = { half[0], half[1], half[2] } };
  d->def.X_BV = (cdn_transform){ axes, mass.com };
  return add(d);
}

cdn_status cdn_scene_complete(cdn_scene *scene, cdn_state *state) {
  CDNI_NEED_OBJECT(scene, CDN_ERR_ARG);
  CDNI_NEED_OBJECT(state, CDN_ERR_ARG);
  if (cdn_state_system(state) != scene->system)
    return cdni_refuse(CDN_ERR_ARG, __func__, "the State belongs to another System than the scene");
  const int n = scene->n_bodies;
  if (n < 1) return CDN_OK;
  unsigned char *known = cdni_calloc(&scene->allocator, (size_t)n);
  if (!known) return cdni_refuse(CDN_ERR_NOMEM, __func__, "out of memory for the scene");
  for (size_t i = 0; i < scene->visuals.count; i++) {
    const cdn_visual *v = scene_visual(scene, (int)i);
    if (!v->collision) known[v->body.i] |= HAS_LOOK;
  }
  for (size_t i = 0; i < scene->visuals.count; i++) {
    cdn_visual *v = scene_visual(scene, (int)i);
    v->collision = v->collision && known[v->body.i] & HAS_LOOK;
  }
  for (size_t i = 0; i < scene->visuals.count; i++) known[scene_visual(scene, (int)i)->body.i] |= HAS_LOOK;
  const double longest = longest_link(scene, state);
  drawer d = { scene, cdn_default_visual_def(), longest > 0 ? 0.03 * longest : 0.02 };
  d.def.rgba[0] = 0.45, d.def.rgba[1] = 0.55, d.def.rgba[2] = 0.7;
  cdn_status status = draw_links(&d, state, known);
  if (status == CDN_OK) status = draw_anchors(&d, state, known);
  for (int b = 1; b < n && status == CDN_OK; b++)
    if (!(known[b] & HAS_LOOK)) status = draw_body(&d, state, (cdn_body){ b }, known[b]);
  cdni_free(&scene->allocator, known, (size_t)n);
  return status;
}
