/* <worldbody>: bodies within bodies, with their joints, geoms, sites, cameras and lights. */
#include <math.h>
#include <stdio.h>

#include "io/mjcf_write.h"

static const char function[] = "cdn_spec_save";

/* ---- who is where ---------------------------------------------------------------------------- */

static cdn_status refuse_joint(const cdn_spec_joint *j, const char *because) {
  return cdni_refuse(CDN_ERR_UNSUPPORTED, function, "MJCF cannot hold joint '%.80s': %s", j->name ? j->name : "",
                     because);
}

static cdn_status check_joint(const mjcf_writer *w, int i) {
  const cdn_spec_joint *j = io_spec_joint(w->spec, i);
  const bool known =
      j->kind == CDN_PIN || j->kind == CDN_SLIDER || j->kind == CDN_BALL || j->kind == CDN_FREE || j->kind == CDN_WELD;
  if (!known) return refuse_joint(j, "it is no hinge, slide, ball or free joint");
  if (w->names.child[i] < 0) return refuse_joint(j, "its child is Ground; swap its ends");
  if (w->joint_of[w->names.child[i]] >= 0)
    return refuse_joint(j, "another joint moves its child, and loops are equalities there");
  if (j->kind != CDN_FREE) return CDN_OK;
  const cdn_transform I = cdn_transform_identity();
  if (w->names.parent[i] >= 0) return refuse_joint(j, "a free joint's parent is the world there");
  if (memcmp(&j->X_PF, &I, sizeof I) != 0 || memcmp(&j->X_CM, &I, sizeof I) != 0)
    return refuse_joint(j, "the coordinates of a free joint are the pose of its body there");
  return CDN_OK;
}

/* The joints of all bodies, and the bodies that bodies are in. */
static cdn_status find_places(mjcf_writer *w) {
  const int bodies = cdn_spec_count(w->spec, CDN_SPEC_BODY), joints = cdn_spec_count(w->spec, CDN_SPEC_JOINT);
  for (int b = 0; b < bodies; b++) w->joint_of[b] = -1;
  for (int i = 0; i < joints; i++) {
    CDNI_TRY(check_joint(w, i));
    w->joint_of[w->names.child[i]] = i;
  }
  for (int b = 0; b < bodies; b++) {
    int at = b, most = joints;
    do at = w->joint_of[at] >= 0 ? w->names.parent[w->joint_of[at]] : -1;
    while (at >= 0 && io_spec_body(w->spec, at)->intermediate && most-- > 0);
    w->place_of[b] = at;
  }
  return CDN_OK;
}

/* ---- contents -------------------------------------------------------------------------------- */

static cdn_status write_inertial(mjcf_writer *w, const cdn_spec_body *b) {
  const cdn_mass_properties *m = &b->mass;
  const cdn_inertia I = m->inertia;
  if (m->mass == 0 && I.xx == 0 && I.yy == 0 && I.zz == 0) return CDN_OK;
  CDNI_TRY(io_put_begin(&w->xml, "inertial"));
  CDNI_TRY(io_put_numbers(&w->xml, "pos", &m->com.x, 3));
  CDNI_TRY(io_put_number(&w->xml, "mass", m->mass));
  if (cdn_norm(b->principal.x) > 0) {
    const cdn_quaternion q = cdn_quaternion_from_rotation(b->principal);
    const cdn_inertia own = cdn_inertia_reexpress(cdn_rotation_transpose(b->principal), I);
    CDNI_TRY(io_put_numbers(&w->xml, "quat", &q.w, 4));
    CDNI_TRY(io_put_numbers(&w->xml, "diaginertia", (double[3]){ own.xx, own.yy, own.zz }, 3));
  } else {
    CDNI_TRY(io_put_numbers(&w->xml, "fullinertia", (double[6]){ I.xx, I.yy, I.zz, I.xy, I.xz, I.yz }, 6));
  }
  return io_put_end(&w->xml);
}

static cdn_status write_joint(mjcf_writer *w, int i) {
  static const char *const types[] = {
    [CDN_PIN] = "hinge", [CDN_SLIDER] = "slide", [CDN_BALL] = "ball", [CDN_FREE] = "free"
  };
  static const double origin[3];
  const cdn_spec_joint *j = io_spec_joint(w->spec, i);
  if (j->kind == CDN_WELD) return CDN_OK;
  const bool scalar = j->kind == CDN_PIN || j->kind == CDN_SLIDER;
  const cdn_vec3 axis = j->kind == CDN_SLIDER ? j->X_CM.R.x : j->X_CM.R.z;
  w->order[w->n_order++] = i;
  if (io_spec_body(w->spec, w->names.child[i])->mocap) return CDN_OK; /* its joint is its pose, which keys have */
  CDNI_TRY(io_put_begin(&w->xml, "joint"));
  CDNI_TRY(io_put_text(&w->xml, "name", j->name));
  CDNI_TRY(io_put_text(&w->xml, "type", types[j->kind]));
  if (j->kind != CDN_FREE) CDNI_TRY(io_put_unless(&w->xml, "pos", &j->X_CM.p.x, origin, 3));
  if (scalar) CDNI_TRY(io_put_numbers(&w->xml, "axis", &axis.x, 3));
  if (scalar) CDNI_TRY(io_put_number_unless(&w->xml, "ref", j->q0[0], 0));
  if (scalar) CDNI_TRY(io_put_number_unless(&w->xml, "springref", j->springref, 0));
  if (j->limited) CDNI_TRY(io_mjcf_put_range(w, "limited", "range", j->kind == CDN_BALL ? 0 : j->lower, j->upper));
  CDNI_TRY(io_mjcf_put_polynomial(w, "stiffness", j->stiffness, j->stiffness_higher));
  CDNI_TRY(io_mjcf_put_polynomial(w, "damping", j->damping, j->damping_higher));
  CDNI_TRY(io_put_number_unless(&w->xml, "armature", j->armature, 0));
  CDNI_TRY(io_put_number_unless(&w->xml, "frictionloss", j->friction, 0));
  CDNI_TRY(io_put_number_unless(&w->xml, "margin", j->margin, 0));
  if (j->spring_timeconst > 0)
    CDNI_TRY(io_put_numbers(&w->xml, "springdamper", (double[2]){ j->spring_timeconst, j->spring_dampratio }, 2));
  CDNI_TRY(io_mjcf_put_law(w, "solreflimit", "solimplimit", &j->limit_law));
  CDNI_TRY(io_mjcf_put_law(w, "solreffriction", "solimpfriction", &j->friction_law));
  if (scalar && isfinite(j->effort_lower) && isfinite(j->effort_upper)) {
    CDNI_TRY(io_put_numbers(&w->xml, "actuatorfrcrange", (double[2]){ j->effort_lower, j->effort_upper }, 2));
    CDNI_TRY(io_put_bool(&w->xml, "actuatorfrclimited", j->drive_limited));
  }
  if (j->drive_compensates) CDNI_TRY(io_put_bool(&w->xml, "actuatorgravcomp", true));
  return io_put_end(&w->xml);
}

static int size_count(cdn_shape_type type) {
  switch (type) {
    case CDN_SHAPE_SPHERE: return 1;
    case CDN_SHAPE_CAPSULE:
    case CDN_SHAPE_CYLINDER: return 2;
    case CDN_SHAPE_HFIELD:
    case CDN_SHAPE_MESH: return 0;
    case CDN_SHAPE_PLANE:
    case CDN_SHAPE_ELLIPSOID:
    case CDN_SHAPE_BOX: break;
  }
  return 3;
}

static cdn_status put_touch(mjcf_writer *w, const cdn_spec_shape *s, const cdn_spec_shape *usual) {
  CDNI_TRY(io_put_int_unless(&w->xml, "contype", s->collision || w->no_contacts ? s->contype : 0, 1));
  CDNI_TRY(io_put_int_unless(&w->xml, "conaffinity", s->collision || w->no_contacts ? s->conaffinity : 0, 1));
  CDNI_TRY(io_put_int_unless(&w->xml, "condim", s->condim, usual->condim));
  CDNI_TRY(io_put_int_unless(&w->xml, "priority", s->priority, usual->priority));
  CDNI_TRY(io_put_unless(&w->xml, "friction", s->friction, usual->friction, 3));
  CDNI_TRY(io_put_number_unless(&w->xml, "margin", s->margin, 0));
  CDNI_TRY(io_put_number_unless(&w->xml, "gap", s->gap, 0));
  CDNI_TRY(io_put_number_unless(&w->xml, "solmix", s->solmix, 1));
  return io_mjcf_put_law(w, "solref", "solimp", &s->law);
}

static cdn_status write_geom(mjcf_writer *w, const cdn_spec_shape *s) {
  static const char *const types[] = { "plane", "hfield", "sphere", "capsule", "ellipsoid", "cylinder", "box", "mesh" };
  const cdn_spec_shape usual = cdn_default_spec_shape();
  static const double nothing[3];
  const int n = memcmp(s->size, nothing, sizeof nothing) == 0 && s->fit_scale > 0 ? 0 : size_count(s->type);
  const bool further = memcmp(s->size + n, nothing, sizeof(double) * (size_t)(3 - n)) != 0;
  CDNI_TRY(io_put_begin(&w->xml, "geom"));
  CDNI_TRY(io_put_text(&w->xml, "name", s->name));
  CDNI_TRY(io_put_text(&w->xml, "type", types[s->type]));
  if (n > 0 || further) CDNI_TRY(io_put_numbers(&w->xml, "size", s->size, further ? 3 : n));
  CDNI_TRY(io_mjcf_put_pose(w, &s->X_BS));
  CDNI_TRY(io_put_text(&w->xml, s->type == CDN_SHAPE_HFIELD ? "hfield" : "mesh", s->asset));
  if (s->fit_scale > 0) CDNI_TRY(io_put_number_unless(&w->xml, "fitscale", s->fit_scale, 1));
  CDNI_TRY(io_put_text(&w->xml, "material", s->material));
  CDNI_TRY(io_put_unless(&w->xml, "rgba", s->rgba, usual.rgba, 4));
  CDNI_TRY(io_put_int_unless(&w->xml, "group", s->group, usual.group));
  if (s->fluid) CDNI_TRY(io_put_text(&w->xml, "fluidshape", "ellipsoid"));
  CDNI_TRY(io_put_unless(&w->xml, "fluidcoef", s->fluid_coefficients, usual.fluid_coefficients, 5));
  CDNI_TRY(put_touch(w, s, &usual));
  return io_put_end(&w->xml);
}

static cdn_status write_site(mjcf_writer *w, int i) {
  static const char *const types[] = { [CDN_SHAPE_SPHERE] = "sphere",
                                       [CDN_SHAPE_CAPSULE] = "capsule",
                                       [CDN_SHAPE_ELLIPSOID] = "ellipsoid",
                                       [CDN_SHAPE_CYLINDER] = "cylinder",
                                       [CDN_SHAPE_BOX] = "box" };
  const mjcf_written_site *site = &CDNI_AT(w->sites, mjcf_written_site, i);
  CDNI_TRY(io_put_begin(&w->xml, "site"));
  CDNI_TRY(io_mjcf_put_site_name(w, "name", i));
  CDNI_TRY(io_mjcf_put_pose(w, &site->X));
  if (site->has_volume && (unsigned)site->volume < CDNI_COUNT(types) && types[site->volume]) {
    CDNI_TRY(io_put_text(&w->xml, "type", types[site->volume]));
    CDNI_TRY(io_put_numbers(&w->xml, "size", site->volume_size, 3));
  }
  return io_put_end(&w->xml);
}

/* All that is fixed to a body; -1: to the world. */
static cdn_status write_contents(mjcf_writer *w, int body) {
  const cdn_spec *s = w->spec;
  for (int i = 0; i < cdn_spec_count(s, CDN_SPEC_SHAPE); i++)
    if (io_mjcf_body_of(w, io_spec_shape(s, i)->body) == body) CDNI_TRY(write_geom(w, io_spec_shape(s, i)));
  for (int i = 0; i < (int)w->sites.count; i++)
    if (CDNI_AT(w->sites, mjcf_written_site, i).body == body) CDNI_TRY(write_site(w, i));
  for (int i = 0; i < cdn_spec_count(s, CDN_SPEC_CAMERA); i++)
    if (io_mjcf_body_of(w, io_spec_camera(s, i)->body) == body) CDNI_TRY(io_mjcf_write_camera(w, io_spec_camera(s, i)));
  for (int i = 0; i < cdn_spec_count(s, CDN_SPEC_LIGHT); i++)
    if (io_mjcf_body_of(w, io_spec_light(s, i)->body) == body) CDNI_TRY(io_mjcf_write_light(w, io_spec_light(s, i)));
  return CDN_OK;
}

/* ---- bodies ---------------------------------------------------------------------------------- */

/* Where the body is in its parent, as its first joint has its reference value. */
static cdn_transform pose_of(const cdn_spec_joint *j) {
  cdn_transform X_BF = j->X_CM;
  if (j->kind == CDN_FREE)
    return (cdn_transform){ cdn_rotation_from_quaternion((cdn_quaternion){ j->q0[0], j->q0[1], j->q0[2], j->q0[3] }),
                            { j->q0[4], j->q0[5], j->q0[6] } };
  if (j->kind == CDN_SLIDER) X_BF.p = cdn_sub(X_BF.p, cdn_scale(j->q0[0], X_BF.R.x));
  if (j->kind == CDN_PIN && j->q0[0] != 0)
    X_BF.R = cdn_rotation_multiply(X_BF.R, cdn_rotation_axis_angle(cdn_v3(0, 0, 1), -j->q0[0]));
  return cdn_transform_multiply(j->X_PF, cdn_transform_invert(X_BF));
}

/* Joints from the parent to the body: those of the frames in between come first. */
static cdn_status write_joints(mjcf_writer *w, int body) {
  const int i = w->joint_of[body];
  if (i < 0) return CDN_OK;
  const int before = w->names.parent[i];
  if (before >= 0 && io_spec_body(w->spec, before)->intermediate) CDNI_TRY(write_joints(w, before));
  return write_joint(w, i);
}

static int first_joint(const mjcf_writer *w, int body) {
  int i = w->joint_of[body];
  for (int b; i >= 0 && (b = w->names.parent[i]) >= 0 && io_spec_body(w->spec, b)->intermediate;) i = w->joint_of[b];
  return i;
}

/* Bodies that a body is around, in the order of the spec; -1: those of the world. */
static cdn_status write_bodies(mjcf_writer *w, int around, int *written);

static cdn_status write_body(mjcf_writer *w, int b, int *written) {
  const cdn_spec_body *body = io_spec_body(w->spec, b);
  const int first = first_joint(w, b);
  ++*written;
  CDNI_TRY(io_put_begin(&w->xml, "body"));
  CDNI_TRY(io_put_text(&w->xml, "name", body->name));
  if (first >= 0) {
    const cdn_transform X = pose_of(io_spec_joint(w->spec, first));
    CDNI_TRY(io_mjcf_put_pose(w, &X));
  }
  if (body->mocap) CDNI_TRY(io_put_bool(&w->xml, "mocap", true));
  CDNI_TRY(io_put_number_unless(&w->xml, "gravcomp", body->gravity_compensation, 0));
  CDNI_TRY(io_put_into(&w->xml));
  if (first < 0 && !body->mocap) { /* a body that nothing holds is free */
    CDNI_TRY(io_put_begin(&w->xml, "freejoint"));
    CDNI_TRY(io_put_end(&w->xml));
  }
  CDNI_TRY(write_joints(w, b));
  CDNI_TRY(write_inertial(w, body));
  CDNI_TRY(write_contents(w, b));
  CDNI_TRY(write_bodies(w, b, written));
  return io_put_close(&w->xml, "body");
}

static cdn_status write_bodies(mjcf_writer *w, int around, int *written) {
  for (int b = around < 0 ? 0 : around + 1; b < cdn_spec_count(w->spec, CDN_SPEC_BODY); b++)
    if (w->place_of[b] == around && !io_spec_body(w->spec, b)->intermediate) CDNI_TRY(write_body(w, b, written));
  for (int b = 0; b < around; b++) /* a body may stand before the one that it is in */
    if (w->place_of[b] == around && !io_spec_body(w->spec, b)->intermediate) CDNI_TRY(write_body(w, b, written));
  return CDN_OK;
}

cdn_status io_mjcf_write_worldbody(mjcf_writer *w) {
  int written = 0;
  CDNI_TRY(find_places(w));
  for (int b = 0; b < cdn_spec_count(w->spec, CDN_SPEC_BODY); b++) written -= !io_spec_body(w->spec, b)->intermediate;
  CDNI_TRY(io_put_begin(&w->xml, "worldbody"));
  CDNI_TRY(io_put_into(&w->xml));
  CDNI_TRY(write_contents(w, -1));
  CDNI_TRY(write_bodies(w, -1, &written));
  if (written != 0)
    return cdni_refuse(CDN_ERR_UNSUPPORTED, function, "%d bodies hang on each other in a ring: cut it", -written);
  return io_put_close(&w->xml, "worldbody");
}
