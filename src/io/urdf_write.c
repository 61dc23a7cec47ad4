/* Writing a spec as URDF. A link's frame is that of the joint that moves it, M of its mobilizer, because URDF's joints
 * have no frame of their own on the child. What URDF has no word for is told; the format has no place for last bits. */
#include <math.h>
#include <stdio.h>

#include "io/joints.h"
#include "io/spec_fields.h"
#include "io/xml_write.h"

static const char function[] = "cdn_spec_save";

typedef struct urdf_writer {
  io_xml_writer xml;
  const cdn_spec *spec;
  const char *path;
  const io_lost *lost;
  io_spec_names names;
  int *joint_of; /* for each body; -1: none */
  int root;      /* the body that is the root link; -1: one called "world" is */
  int n_lost;
  char first[400]; /* of what is lost, for the message */
} urdf_writer;

/* ---- what is lost ---------------------------------------------------------------------------- */

static void tell_text(urdf_writer *w, const char *text) {
  if (w->lost->tell) w->lost->tell(w->lost->context, text);
  const size_t used = strlen(w->first);
  if (w->n_lost < 3) snprintf(w->first + used, sizeof w->first - used, "%s%.120s", used ? "; " : "", text);
  w->n_lost++;
}

static void tell(urdf_writer *w, const io_element_kind *kind, const char *name, const char *what) {
  char text[300];
  snprintf(text, sizeof text, "%s '%.120s'%s%.60s", kind->word, name ? name : "", what[0] ? ": " : "", what);
  tell_text(w, text);
}

static bool is_listed(const char *name, const char *const *list) {
  for (; *list; list++)
    if (strcmp(*list, name) == 0) return true;
  return false;
}

/* Fields that are not at their default, and are neither written nor without a meaning. */
static void tell_fields(urdf_writer *w, cdn_spec_kind which, int i, const char *const *written) {
  const io_element_kind *kind = &io_element_kinds()[which];
  io_any_element element, usual;
  kind->start(&element), kind->start(&usual);
  if (kind->get(w->spec, i, &element) != CDN_OK) return;
  for (int k = 0; k < kind->n_fields; k++) {
    const io_field *f = &kind->fields[k];
    const bool is_place = which == CDN_SPEC_JOINT && element.joint.kind == CDN_FREE && strcmp(f->name, "q0") == 0;
    if (!is_place && !is_listed(f->name, written) && !io_field_equal(f, &element, &usual))
      tell(w, kind, *(const char *const *)io_field_at(&kind->fields[0], &element), f->name);
  }
}

static void tell_all(urdf_writer *w, cdn_spec_kind which) {
  const io_element_kind *kind = &io_element_kinds()[which];
  for (int i = 0; i < cdn_spec_count(w->spec, which); i++) {
    io_any_element element;
    kind->start(&element);
    if (kind->get(w->spec, i, &element) == CDN_OK)
      tell(w, kind, *(const char *const *)io_field_at(&kind->fields[0], &element), "");
  }
}

static void tell_lost(urdf_writer *w) {
  static const char *const body[] = { "name",           "mass",         "com",       "inertia", "intermediate",
                                      "allow_improper", "must_be_base", "principal", NULL };
  static const char *const joint[] = { "name",
                                       "parent",
                                       "child",
                                       "kind",
                                       "X_PF",
                                       "X_CM",
                                       "q0",
                                       "damping",
                                       "limited",
                                       "lower",
                                       "upper",
                                       "limit_timeconst",
                                       "limit_dampratio",
                                       "friction",
                                       "effort_lower",
                                       "effort_upper",
                                       "speed_limit",
                                       "weight",
                                       "X_FM_rest",
                                       NULL };
  static const char *const shape[] = { "name", "body",   "X_BS",      "type",    "size",        "asset", "material",
                                       "rgba", "visual", "collision", "contype", "conaffinity", "part",  NULL };
  static const cdn_spec_kind whole[] = { CDN_SPEC_TENDON, CDN_SPEC_PATH_ITEM, CDN_SPEC_ACTUATOR, CDN_SPEC_SENSOR,
                                         CDN_SPEC_KEY,    CDN_SPEC_CONTACT,   CDN_SPEC_CAMERA,   CDN_SPEC_LIGHT };
  for (int i = 0; i < cdn_spec_count(w->spec, CDN_SPEC_BODY); i++) tell_fields(w, CDN_SPEC_BODY, i, body);
  for (int i = 0; i < cdn_spec_count(w->spec, CDN_SPEC_JOINT); i++) tell_fields(w, CDN_SPEC_JOINT, i, joint);
  for (int i = 0; i < cdn_spec_count(w->spec, CDN_SPEC_SHAPE); i++) tell_fields(w, CDN_SPEC_SHAPE, i, shape);
  for (int i = 0; i < CDNI_COUNT(whole); i++) tell_all(w, whole[i]);
}

/* ---- poses ----------------------------------------------------------------------------------- */

/* R = Rz(yaw) Ry(pitch) Rx(roll). */
static cdn_vec3 rpy_of(cdn_rotation R) {
  const double pitch = atan2(-R.x.z, hypot(R.x.x, R.x.y));
  if (hypot(R.x.x, R.x.y) > 1e-8) return cdn_v3(atan2(R.y.z, R.z.z), pitch, atan2(R.x.y, R.x.x));
  return cdn_v3(atan2(-R.z.y, R.y.y), pitch, 0); /* roll and yaw turn about one axis */
}

static cdn_status write_origin(urdf_writer *w, const cdn_transform *X) {
  const cdn_vec3 rpy = rpy_of(X->R);
  CDNI_TRY(io_put_begin(&w->xml, "origin"));
  CDNI_TRY(io_put_numbers(&w->xml, "xyz", &X->p.x, 3));
  CDNI_TRY(io_put_numbers(&w->xml, "rpy", &rpy.x, 3));
  return io_put_end(&w->xml);
}

/* The body in its link. */
static cdn_transform body_in_link(const urdf_writer *w, int body) {
  const int j = body < 0 ? -1 : w->joint_of[body];
  return j < 0 ? cdn_transform_identity() : cdn_transform_invert(io_spec_joint(w->spec, j)->X_CM);
}

/* ---- links ----------------------------------------------------------------------------------- */

static cdn_status write_inertial(urdf_writer *w, const cdn_mass_properties *m_B, cdn_transform X_LB) {
  const cdn_mass_properties m = cdn_mass_properties_transform(X_LB, *m_B);
  const cdn_transform X = { cdn_rotation_identity(), m.com };
  const cdn_inertia I = m.inertia;
  static const char *const names[] = { "ixx", "iyy", "izz", "ixy", "ixz", "iyz" };
  const double values[] = { I.xx, I.yy, I.zz, I.xy, I.xz, I.yz };
  if (m.mass == 0 && I.xx == 0 && I.yy == 0 && I.zz == 0) return CDN_OK;
  CDNI_TRY(io_put_begin(&w->xml, "inertial"));
  CDNI_TRY(io_put_into(&w->xml));
  CDNI_TRY(write_origin(w, &X));
  CDNI_TRY(io_put_begin(&w->xml, "mass"));
  CDNI_TRY(io_put_number(&w->xml, "value", m.mass));
  CDNI_TRY(io_put_end(&w->xml));
  CDNI_TRY(io_put_begin(&w->xml, "inertia"));
  for (int k = 0; k < 6; k++) CDNI_TRY(io_put_number(&w->xml, names[k], values[k]));
  CDNI_TRY(io_put_end(&w->xml));
  return io_put_close(&w->xml, "inertial");
}

static cdn_status put_form(urdf_writer *w, const cdn_spec_shape *s, const cdn_spec_asset *mesh) {
  char seen[4096];
  switch (s->type) {
    case CDN_SHAPE_SPHERE:
      CDNI_TRY(io_put_begin(&w->xml, "sphere"));
      return io_put_number(&w->xml, "radius", s->size[0]);
    case CDN_SHAPE_CAPSULE:
    case CDN_SHAPE_CYLINDER:
      CDNI_TRY(io_put_begin(&w->xml, s->type == CDN_SHAPE_CAPSULE ? "capsule" : "cylinder"));
      CDNI_TRY(io_put_number(&w->xml, "radius", s->size[0]));
      return io_put_number(&w->xml, "length", 2 * s->size[1]);
    case CDN_SHAPE_BOX:
      CDNI_TRY(io_put_begin(&w->xml, "box"));
      return io_put_numbers(&w->xml, "size", (double[3]){ 2 * s->size[0], 2 * s->size[1], 2 * s->size[2] }, 3);
    default: break;
  }
  io_path_from(w->spec, mesh->file, w->path, seen, sizeof seen);
  CDNI_TRY(io_put_begin(&w->xml, "mesh"));
  CDNI_TRY(io_put_text(&w->xml, "filename", seen));
  return io_put_numbers(&w->xml, "scale", mesh->scale, 3);
}

/* The file of a mesh that is as it is there; NULL: there is none. */
static const cdn_spec_asset *mesh_of(const urdf_writer *w, const cdn_spec_shape *s) {
  const int i = s->asset ? cdn_spec_find(w->spec, CDN_SPEC_ASSET, s->asset) : -1;
  const cdn_spec_asset *a = i >= 0 ? io_spec_asset(w->spec, i) : NULL, usual = cdn_default_spec_asset();
  const bool plain = a && a->file && memcmp(a->refpos, usual.refpos, sizeof usual.refpos) == 0 &&
                     memcmp(a->refquat, usual.refquat, sizeof usual.refquat) == 0;
  return plain && a->type == CDN_ASSET_MESH ? a : NULL;
}

static bool has_form(const urdf_writer *w, const cdn_spec_shape *s) {
  switch (s->type) {
    case CDN_SHAPE_SPHERE:
    case CDN_SHAPE_CAPSULE:
    case CDN_SHAPE_CYLINDER:
    case CDN_SHAPE_BOX: return !(s->fit_scale > 0);
    case CDN_SHAPE_MESH: return mesh_of(w, s) != NULL;
    case CDN_SHAPE_PLANE:
    case CDN_SHAPE_HFIELD:
    case CDN_SHAPE_ELLIPSOID: break;
  }
  return false;
}

static cdn_status write_color(urdf_writer *w, const cdn_spec_shape *s) {
  const int i = s->material ? cdn_spec_find(w->spec, CDN_SPEC_ASSET, s->material) : -1;
  const double *rgba = i >= 0 ? io_spec_asset(w->spec, i)->rgba : s->rgba;
  CDNI_TRY(io_put_begin(&w->xml, "material"));
  CDNI_TRY(io_put_text(&w->xml, "name", i >= 0 ? s->material : s->name));
  CDNI_TRY(io_put_into(&w->xml));
  CDNI_TRY(io_put_begin(&w->xml, "color"));
  CDNI_TRY(io_put_numbers(&w->xml, "rgba", rgba, 4));
  CDNI_TRY(io_put_end(&w->xml));
  return io_put_close(&w->xml, "material");
}

/* As what is looked at, or as what touches. */
static cdn_status write_use(urdf_writer *w, const cdn_spec_shape *s, const cdn_transform *X, const char *use) {
  const bool looks = strcmp(use, "visual") == 0;
  CDNI_TRY(io_put_begin(&w->xml, use));
  CDNI_TRY(io_put_text(&w->xml, "name", s->name));
  CDNI_TRY(io_put_into(&w->xml));
  CDNI_TRY(write_origin(w, X));
  CDNI_TRY(io_put_begin(&w->xml, "geometry"));
  CDNI_TRY(io_put_into(&w->xml));
  CDNI_TRY(put_form(w, s, mesh_of(w, s)));
  CDNI_TRY(io_put_end(&w->xml));
  CDNI_TRY(io_put_close(&w->xml, "geometry"));
  if (looks) CDNI_TRY(write_color(w, s));
  return io_put_close(&w->xml, use);
}

static cdn_status write_shapes(urdf_writer *w, int body, cdn_transform X_LB) {
  for (int i = 0; i < cdn_spec_count(w->spec, CDN_SPEC_SHAPE); i++) {
    const cdn_spec_shape *s = io_spec_shape(w->spec, i);
    if (io_spec_find_body(&w->names, s->body) != body) continue;
    if (!has_form(w, s)) {
      tell(w, &io_element_kinds()[CDN_SPEC_SHAPE], s->name, "");
      continue;
    }
    const cdn_transform X = cdn_transform_multiply(X_LB, s->X_BS);
    if (s->visual) CDNI_TRY(write_use(w, s, &X, "visual"));
    if (s->collision) CDNI_TRY(write_use(w, s, &X, "collision"));
  }
  return CDN_OK;
}

/* -1: the world. */
static cdn_status write_link(urdf_writer *w, int body) {
  const cdn_transform X_LB = body_in_link(w, body);
  CDNI_TRY(io_put_begin(&w->xml, "link"));
  CDNI_TRY(io_put_text(&w->xml, "name", body < 0 ? "world" : io_spec_body(w->spec, body)->name));
  CDNI_TRY(io_put_into(&w->xml));
  if (body >= 0) CDNI_TRY(write_inertial(w, &io_spec_body(w->spec, body)->mass, X_LB));
  CDNI_TRY(write_shapes(w, body, X_LB));
  if (body >= 0 && body == w->root) CDNI_TRY(write_shapes(w, -1, cdn_transform_identity()));
  return io_put_close(&w->xml, "link");
}

/* ---- joints ---------------------------------------------------------------------------------- */

static cdn_status write_limit(urdf_writer *w, const cdn_spec_joint *j) {
  const bool effort = isfinite(j->effort_upper), speed = isfinite(j->speed_limit);
  if (!j->limited && !effort && !speed) return CDN_OK;
  CDNI_TRY(io_put_begin(&w->xml, "limit"));
  if (j->limited) {
    CDNI_TRY(io_put_number(&w->xml, "lower", j->lower));
    CDNI_TRY(io_put_number(&w->xml, "upper", j->upper));
  }
  CDNI_TRY(io_put_number(&w->xml, "effort", effort ? j->effort_upper : 0)); /* 0: none is known */
  CDNI_TRY(io_put_number(&w->xml, "velocity", speed ? j->speed_limit : 0));
  if (effort && j->effort_lower != -j->effort_upper)
    tell(w, &io_element_kinds()[CDN_SPEC_JOINT], j->name, "effort_lower");
  return io_put_end(&w->xml);
}

static bool is_mimic(const cdn_spec_constraint *c) {
  return c->kind == CDN_SPEC_COUPLING && c->joint_x && c->c[2] == 0 && c->c[3] == 0 && c->c[4] == 0 && !c->disabled;
}

static cdn_status write_mimic(urdf_writer *w, const cdn_spec_joint *j) {
  for (int i = 0; i < cdn_spec_count(w->spec, CDN_SPEC_CONSTRAINT); i++) {
    const cdn_spec_constraint *c = io_spec_constraint(w->spec, i);
    if (!is_mimic(c) || strcmp(c->joint_y, j->name) != 0) continue;
    CDNI_TRY(io_put_begin(&w->xml, "mimic"));
    CDNI_TRY(io_put_text(&w->xml, "joint", c->joint_x));
    CDNI_TRY(io_put_number(&w->xml, "multiplier", c->c[1]));
    CDNI_TRY(io_put_number(&w->xml, "offset", c->y0 + c->c[0] - c->c[1] * c->x0));
    return io_put_end(&w->xml);
  }
  return CDN_OK;
}

/* A free body's coordinates are its pose, and its origin is where it begins. */
static cdn_transform start_of(const cdn_spec_joint *j) {
  return (cdn_transform){ cdn_rotation_from_quaternion((cdn_quaternion){ j->q0[0], j->q0[1], j->q0[2], j->q0[3] }),
                          { j->q0[4], j->q0[5], j->q0[6] } };
}

static cdn_status write_joint(urdf_writer *w, int i) {
  static const char *const types[] = { [CDN_WELD] = "fixed",
                                       [CDN_PIN] = "revolute",
                                       [CDN_SLIDER] = "prismatic",
                                       [CDN_FREE] = "floating",
                                       [CDN_PLANAR] = "planar" };
  const cdn_spec_joint *j = io_spec_joint(w->spec, i);
  const int parent = w->names.parent[i], child = w->names.child[i];
  const cdn_transform X = cdn_transform_multiply(body_in_link(w, parent), j->kind == CDN_FREE ? start_of(j) : j->X_PF);
  const bool turns = j->kind == CDN_PIN, slides = j->kind == CDN_SLIDER;
  CDNI_TRY(io_put_begin(&w->xml, "joint"));
  CDNI_TRY(io_put_text(&w->xml, "name", j->name));
  CDNI_TRY(io_put_text(&w->xml, "type", turns && !j->limited ? "continuous" : types[j->kind]));
  CDNI_TRY(io_put_into(&w->xml));
  CDNI_TRY(write_origin(w, &X));
  CDNI_TRY(io_put_begin(&w->xml, "parent"));
  CDNI_TRY(io_put_text(&w->xml, "link", parent < 0 ? "world" : io_spec_body(w->spec, parent)->name));
  CDNI_TRY(io_put_end(&w->xml));
  CDNI_TRY(io_put_begin(&w->xml, "child"));
  CDNI_TRY(io_put_text(&w->xml, "link", io_spec_body(w->spec, child)->name));
  CDNI_TRY(io_put_end(&w->xml));
  if (turns || slides || j->kind == CDN_PLANAR) {
    CDNI_TRY(io_put_begin(&w->xml, "axis"));
    CDNI_TRY(io_put_text(&w->xml, "xyz", slides ? "1 0 0" : "0 0 1"));
    CDNI_TRY(io_put_end(&w->xml));
  }
  if (turns || slides) CDNI_TRY(write_limit(w, j));
  if (j->damping != 0 || j->friction != 0) {
    CDNI_TRY(io_put_begin(&w->xml, "dynamics"));
    CDNI_TRY(io_put_number(&w->xml, "damping", j->damping));
    CDNI_TRY(io_put_number(&w->xml, "friction", j->friction));
    CDNI_TRY(io_put_end(&w->xml));
  }
  CDNI_TRY(write_mimic(w, j));
  return io_put_close(&w->xml, "joint");
}

/* ---- the whole ------------------------------------------------------------------------------- */

static cdn_status refuse(const cdn_spec_joint *j, const char *because) {
  return cdni_refuse(CDN_ERR_UNSUPPORTED, function, "URDF cannot hold joint '%.80s': %s", j->name ? j->name : "",
                     because);
}

static cdn_status find_joints(urdf_writer *w) {
  for (int b = 0; b < cdn_spec_count(w->spec, CDN_SPEC_BODY); b++) w->joint_of[b] = -1;
  for (int i = 0; i < cdn_spec_count(w->spec, CDN_SPEC_JOINT); i++) {
    const cdn_spec_joint *j = io_spec_joint(w->spec, i);
    const bool known = j->kind == CDN_WELD || j->kind == CDN_PIN || j->kind == CDN_SLIDER || j->kind == CDN_FREE ||
                       j->kind == CDN_PLANAR;
    if (!known) return refuse(j, "its types are fixed, revolute, prismatic, planar and floating");
    if (w->names.child[i] < 0) return refuse(j, "its child is Ground; swap its ends");
    if (w->joint_of[w->names.child[i]] >= 0) return refuse(j, "another joint moves its child, and a robot is a tree");
    w->joint_of[w->names.child[i]] = i;
  }
  for (int b = 0; b < cdn_spec_count(w->spec, CDN_SPEC_BODY); b++)
    if (w->joint_of[b] < 0)
      return cdni_refuse(CDN_ERR_UNSUPPORTED, function,
                         "URDF cannot hold body '%.80s': no joint moves it: give it a free one",
                         io_spec_body(w->spec, b)->name);
  return CDN_OK;
}

/* The one body that is welded to Ground as it is, with no other there; -1: there are others. */
static int find_root(const urdf_writer *w) {
  const cdn_transform I = cdn_transform_identity();
  int root = -1;
  for (int i = 0; i < cdn_spec_count(w->spec, CDN_SPEC_JOINT); i++) {
    const cdn_spec_joint *j = io_spec_joint(w->spec, i);
    if (w->names.parent[i] >= 0) continue;
    if (root >= 0 || j->kind != CDN_WELD || memcmp(&j->X_PF, &I, sizeof I) != 0 || memcmp(&j->X_CM, &I, sizeof I) != 0)
      return -1;
    root = w->names.child[i];
  }
  return root;
}

static cdn_status write_all(urdf_writer *w) {
  const cdn_spec *s = w->spec;
  CDNI_TRY(find_joints(w));
  w->root = find_root(w);
  if (w->root < 0 && cdn_spec_find(s, CDN_SPEC_BODY, "world") >= 0)
    return cdni_refuse(CDN_ERR_UNSUPPORTED, function,
                       "URDF's root would be called 'world', as a body is: rename the body");
  tell_lost(w);
  const cdn_vec3 usual = cdn_v3(0, 0, -9.81), g = s->whole.gravity;
  if (g.x != usual.x || g.y != usual.y || g.z != usual.z) tell_text(w, "gravity");
  for (int i = 0; i < cdn_spec_count(s, CDN_SPEC_CONSTRAINT); i++)
    if (!is_mimic(io_spec_constraint(s, i)))
      tell(w, &io_element_kinds()[CDN_SPEC_CONSTRAINT], io_spec_constraint(s, i)->name, "");
  CDNI_TRY(io_put(w->xml.to, "<robot"));
  CDNI_TRY(io_put_text(&w->xml, "name", cdn_spec_name(s)));
  CDNI_TRY(io_put(w->xml.to, ">\n"));
  if (w->root < 0) CDNI_TRY(write_link(w, -1));
  for (int b = 0; b < cdn_spec_count(s, CDN_SPEC_BODY); b++) CDNI_TRY(write_link(w, b));
  for (int i = 0; i < cdn_spec_count(s, CDN_SPEC_JOINT); i++)
    if (w->names.child[i] != w->root) CDNI_TRY(write_joint(w, i));
  CDNI_TRY(io_put(w->xml.to, "</robot>\n"));
  if (w->n_lost == 0 || w->lost->tell) return CDN_OK;
  return cdni_refuse(CDN_ERR_UNSUPPORTED, function, "URDF cannot hold %d things, among them %s", w->n_lost, w->first);
}

cdn_status io_write_urdf(cdn_spec *spec, const char *path, const io_lost *lost, cdn_buffer *to) {
  const size_t bytes = ((size_t)cdn_spec_count(spec, CDN_SPEC_BODY) + 1) * sizeof(int);
  urdf_writer w = {
    .xml = { .to = to }, .spec = spec, .path = path, .lost = lost, .joint_of = cdni_alloc(NULL, bytes)
  };
  cdn_status status =
      w.joint_of ? io_spec_names_make(spec, &w.names) : cdni_refuse(CDN_ERR_NOMEM, function, "out of memory");
  if (status != CDN_OK && spec->log.error.code != CDN_OK)
    status = cdni_refuse(status, function, "%s", spec->log.error.text);
  if (status == CDN_OK) status = write_all(&w);
  io_spec_names_free(spec, &w.names);
  cdni_free(NULL, w.joint_of, bytes);
  return status;
}
