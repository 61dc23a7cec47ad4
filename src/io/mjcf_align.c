/* alignfree and align: the frame of a body that moves freely, and has no child, is moved to that of its inertia. What
 * is on the body stays where it is in the world; coordinates, which are the frame's pose, become others. */
#include "io/build.h"
#include "io/mjcf.h"
#include "io/spec_references.h"

mjcf_counts io_mjcf_count(const mjcf_reader *r) {
  mjcf_counts n;
  for (int kind = 0; kind < CDN_SPEC_KIND_COUNT; kind++) n.of[kind] = cdn_spec_count(r->spec, (cdn_spec_kind)kind);
  return n;
}

cdn_transform io_mjcf_inertia_frame(const cdn_spec_body *body) {
  const bool named = cdn_norm(body->principal.x) > 0;
  return (cdn_transform){ named ? body->principal : io_mujoco_axes(body->mass.inertia), body->mass.com };
}

/* Poses on the body, in its new frame. */
static void move_elements(mjcf_reader *r, cdn_spec_kind kind, int first, const cdn_transform *X) {
  const io_reference *references;
  const int n = io_references(kind, &references);
  for (int i = first; i < cdn_spec_count(r->spec, kind); i++) {
    void *element = io_spec_element(r->spec, kind, i);
    for (int k = 0; k < n; k++) io_reference_move(&references[k], element, X);
  }
}

void io_mjcf_align(mjcf_reader *r, const mjcf_counts *before, bool alone) {
  static const cdn_spec_kind kinds[] = { CDN_SPEC_SHAPE, CDN_SPEC_FRAME, CDN_SPEC_CAMERA, CDN_SPEC_LIGHT };
  static const cdn_spec_kind of[] = { [MJCF_OBJECT_GEOM] = CDN_SPEC_SHAPE, [MJCF_OBJECT_CAMERA] = CDN_SPEC_CAMERA };
  const int place = (int)r->tree.places.count - 1;
  cdn_spec_body *body = io_body_at(&r->tree, place);
  if (!r->aligns || !alone || io_place_at(&r->tree, place)->n_joints != 1) return;
  const cdn_transform X_BI = io_mjcf_inertia_frame(body), X_IB = cdn_transform_invert(X_BI);
  io_tree_move_frame(&r->tree, X_BI);
  body->mass = cdn_mass_properties_transform(X_IB, body->mass);
  body->principal = cdn_rotation_identity();
  for (int i = 0; i < CDNI_COUNT(kinds); i++) move_elements(r, kinds[i], before->of[kinds[i]], &X_IB);
  for (int kind = 0; kind < MJCF_OBJECT_KINDS; kind++)
    for (int i = before->of[of[kind]]; i < (int)r->objects[kind].count; i++) {
      mjcf_object *o = &CDNI_AT(r->objects[kind], mjcf_object, i);
      o->X = cdn_transform_multiply(X_IB, o->X);
    }
}
