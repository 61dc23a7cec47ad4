/* Sensors. The few that are no values of a State are listed as not simulated. */
#include <stdio.h>

#include "io/joints.h"
#include "io/mjcf_actuator.h"
#include "io/sensor.h"

/* ---- what sensors are of ---- */

typedef enum target {
  OF_SCALAR_JOINT,
  OF_BALL,
  OF_ANY_JOINT,
  OF_SITE,
  OF_RAYS,
  OF_FIELD,
  OF_CAMERA,
  OF_INSIDE,
  OF_GEOMS,
  OF_VOLUME,
  OF_OBJECT,
  OF_SUBTREE,
  OF_ACTUATOR,
  OF_TENDON,
  OF_CONTACTS,
  OF_USER,
  OF_NOTHING
} target;

static const struct {
  const char *name;
  cdn_sensor_kind kind;
  target of;
} kinds[] = { { "jointpos", CDN_SENSOR_JOINT_POSITION, OF_SCALAR_JOINT },
              { "jointvel", CDN_SENSOR_JOINT_VELOCITY, OF_SCALAR_JOINT },
              { "ballquat", CDN_SENSOR_BALL_QUATERNION, OF_BALL },
              { "ballangvel", CDN_SENSOR_BALL_VELOCITY, OF_BALL },
              { "accelerometer", CDN_SENSOR_ACCELEROMETER, OF_SITE },
              { "velocimeter", CDN_SENSOR_VELOCIMETER, OF_SITE },
              { "gyro", CDN_SENSOR_GYRO, OF_SITE },
              { "framepos", CDN_SENSOR_POSITION, OF_OBJECT },
              { "framequat", CDN_SENSOR_QUATERNION, OF_OBJECT },
              { "framexaxis", CDN_SENSOR_X_AXIS, OF_OBJECT },
              { "frameyaxis", CDN_SENSOR_Y_AXIS, OF_OBJECT },
              { "framezaxis", CDN_SENSOR_Z_AXIS, OF_OBJECT },
              { "framelinvel", CDN_SENSOR_LINEAR_VELOCITY, OF_OBJECT },
              { "frameangvel", CDN_SENSOR_ANGULAR_VELOCITY, OF_OBJECT },
              { "framelinacc", CDN_SENSOR_LINEAR_ACCELERATION, OF_OBJECT },
              { "frameangacc", CDN_SENSOR_ANGULAR_ACCELERATION, OF_OBJECT },
              { "subtreecom", CDN_SENSOR_SUBTREE_COM, OF_SUBTREE },
              { "subtreelinvel", CDN_SENSOR_SUBTREE_VELOCITY, OF_SUBTREE },
              { "subtreeangmom", CDN_SENSOR_SUBTREE_MOMENTUM, OF_SUBTREE },
              { "force", CDN_SENSOR_FORCE, OF_SITE },
              { "torque", CDN_SENSOR_TORQUE, OF_SITE },
              { "touch", CDN_SENSOR_TOUCH, OF_VOLUME },
              { "rangefinder", CDN_SENSOR_RANGE, OF_RAYS },
              { "actuatorpos", CDN_SENSOR_ACTUATOR_POSITION, OF_ACTUATOR },
              { "actuatorvel", CDN_SENSOR_ACTUATOR_VELOCITY, OF_ACTUATOR },
              { "actuatorfrc", CDN_SENSOR_ACTUATOR_FORCE, OF_ACTUATOR },
              { "tendonpos", CDN_SENSOR_TENDON_POSITION, OF_TENDON },
              { "tendonvel", CDN_SENSOR_TENDON_VELOCITY, OF_TENDON },
              { "contact", CDN_SENSOR_CONTACT, OF_CONTACTS },
              { "magnetometer", CDN_SENSOR_MAGNETOMETER, OF_FIELD },
              { "camprojection", CDN_SENSOR_CAMERA_PROJECTION, OF_CAMERA },
              { "insidesite", CDN_SENSOR_INSIDE, OF_INSIDE },
              { "jointlimitpos", CDN_SENSOR_JOINT_LIMIT_POSITION, OF_ANY_JOINT },
              { "jointlimitvel", CDN_SENSOR_JOINT_LIMIT_VELOCITY, OF_ANY_JOINT },
              { "jointlimitfrc", CDN_SENSOR_JOINT_LIMIT_FORCE, OF_ANY_JOINT },
              { "tendonlimitpos", CDN_SENSOR_TENDON_LIMIT_POSITION, OF_TENDON },
              { "tendonlimitvel", CDN_SENSOR_TENDON_LIMIT_VELOCITY, OF_TENDON },
              { "tendonlimitfrc", CDN_SENSOR_TENDON_LIMIT_FORCE, OF_TENDON },
              { "distance", CDN_SENSOR_DISTANCE, OF_GEOMS },
              { "normal", CDN_SENSOR_NORMAL, OF_GEOMS },
              { "fromto", CDN_SENSOR_FROM_TO, OF_GEOMS },
              { "jointactuatorfrc", CDN_SENSOR_JOINT_ACTUATOR_FORCE, OF_SCALAR_JOINT },
              { "tendonactuatorfrc", CDN_SENSOR_TENDON_ACTUATOR_FORCE, OF_TENDON },
              { "user", CDN_SENSOR_USER, OF_USER },
              { "clock", CDN_SENSOR_CLOCK, OF_NOTHING },
              { "e_kinetic", CDN_SENSOR_KINETIC_ENERGY, OF_NOTHING },
              { "e_potential", CDN_SENSOR_POTENTIAL_ENERGY, OF_NOTHING } };

const char *io_mjcf_sensor_word(cdn_sensor_kind kind) {
  int i = 0;
  while (kinds[i].kind != kind) i++;
  return kinds[i].name;
}

static bool turns_axes(cdn_sensor_kind kind) {
  return kind == CDN_SENSOR_QUATERNION || kind == CDN_SENSOR_X_AXIS || kind == CDN_SENSOR_Y_AXIS ||
         kind == CDN_SENSOR_Z_AXIS;
}

static bool has_reference(cdn_sensor_kind kind) {
  return kind == CDN_SENSOR_POSITION || turns_axes(kind) || kind == CDN_SENSOR_LINEAR_VELOCITY ||
         kind == CDN_SENSOR_ANGULAR_VELOCITY;
}

static cdn_status not_there(mjcf_reader *r, io_xml_node *node, const char *what, const char *name) {
  return io_xml_fail(r->log, CDN_ERR_PARSE, node, "there is no %s '%.60s' in the model; correct the name", what, name);
}

/* A sensor on its way into the spec: its texts are the document's, and its bodies have places. */
typedef struct sensing {
  cdn_spec_sensor made;
  mjcf_where at, reference;
} sensing;

static cdn_status find_site(mjcf_reader *r, io_xml_node *node, const char *name, mjcf_where *where) {
  return io_mjcf_find_site(r, name, where) ? CDN_OK : not_there(r, node, "site", name);
}

/* The frame of "body" is that of its inertia. */
static cdn_status find_body(mjcf_reader *r, io_xml_node *node, bool principal, const char *name, mjcf_where *where) {
  const int place = io_mjcf_find_body(r, name);
  if (place < 0) return not_there(r, node, "body", name);
  *where = (mjcf_where){ .place = place, .X = cdn_transform_identity() };
  if (!principal || place == 0) return CDN_OK;
  where->X = io_mjcf_inertia_frame(io_body_at(&r->tree, place));
  return CDN_OK;
}

/* A frame by type and name. *known: Cardan has a frame of this type. */
static cdn_status find_frame(mjcf_reader *r, io_xml_node *node, const char *type, const char *name, mjcf_where *where,
                             bool *known) {
  const bool principal = strcmp(type, "body") == 0, is_geom = strcmp(type, "geom") == 0;
  *known = true;
  if (strcmp(type, "site") == 0) return find_site(r, node, name, where);
  if (principal || strcmp(type, "xbody") == 0) return find_body(r, node, principal, name, where);
  *known = is_geom || strcmp(type, "camera") == 0;
  if (!*known) return CDN_OK;
  const mjcf_object_kind kind = is_geom ? MJCF_OBJECT_GEOM : MJCF_OBJECT_CAMERA;
  const mjcf_object *object = io_mjcf_find_object(r, kind, name);
  if (!object) return not_there(r, node, type, name);
  cdn_transform X_mesh = cdn_transform_identity();
  *known = object->fixed && (!object->mesh || io_mjcf_mesh_frame(r, object->mesh, &X_mesh));
  *where = (mjcf_where){ object->place, cdn_transform_multiply(object->X, X_mesh),
                         is_geom ? CDN_SPEC_SHAPE : CDN_SPEC_CAMERA,
                         (int)(object - (const mjcf_object *)r->objects[kind].data) };
  return CDN_OK;
}

/* ---- reading ---- */

static cdn_status read_joint_target(mjcf_reader *r, io_xml_node *node, target of, sensing *s) {
  const char *name;
  CDNI_TRY(io_xml_need_string(r->log, node, "joint", &name));
  const cdn_spec_joint *joint = io_mjcf_find_joint(r, name);
  if (!joint) return not_there(r, node, "joint", name);
  s->made.joint = joint->name;
  if (of != OF_SCALAR_JOINT && joint->kind == CDN_BALL) return CDN_OK;
  if (of != OF_BALL && io_spec_joint_has_range(joint)) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, node, "joint '%.60s' must be a %s for this sensor", name,
                     of == OF_BALL ? "ball" : "hinge or slide");
}

static cdn_status read_object(mjcf_reader *r, io_xml_node *node, mjcf_where *at, bool *known) {
  const char *type, *name;
  CDNI_TRY(io_xml_need_string(r->log, node, "objtype", &type));
  CDNI_TRY(io_xml_need_string(r->log, node, "objname", &name));
  return find_frame(r, node, type, name, at, known);
}

static cdn_status read_object_target(mjcf_reader *r, io_xml_node *node, sensing *s, bool *known) {
  const char *name, *reference = io_xml_string(node, "reftype");
  CDNI_TRY(read_object(r, node, &s->at, known));
  if (!*known || !reference || !has_reference(s->made.kind)) return CDN_OK;
  CDNI_TRY(io_xml_need_string(r->log, node, "refname", &name));
  s->made.has_reference = true;
  return find_frame(r, node, reference, name, &s->reference, known);
}

static cdn_status read_site_target(mjcf_reader *r, io_xml_node *node, mjcf_where *at, const char **name) {
  CDNI_TRY(io_xml_need_string(r->log, node, "site", name));
  return find_site(r, node, *name, at);
}

/* A volume on the frame, or on its reference. */
static cdn_status read_volume_target(mjcf_reader *r, io_xml_node *node, mjcf_where *at, sensing *s) {
  const char *name;
  CDNI_TRY(read_site_target(r, node, at, &name));
  const mjcf_site *site = &CDNI_AT(r->sites, mjcf_site, io_names_find(&r->site_names, name));
  s->made.volume = site->volume;
  memcpy(s->made.volume_size, site->volume_size, sizeof site->volume_size);
  return CDN_OK;
}

/* An actuator or tendon that is left out leaves its sensors out. */
static cdn_status read_actuator_target(mjcf_reader *r, io_xml_node *node, cdn_spec_sensor *s, bool *known) {
  CDNI_TRY(io_xml_need_string(r->log, node, "actuator", &s->actuator));
  for (size_t i = 0; i < r->drives.count; i++) {
    const mjcf_drive *a = &CDNI_AT(r->drives, mjcf_drive, i);
    *known = a->element >= 0;
    if (a->name && strcmp(a->name, s->actuator) == 0) return CDN_OK;
  }
  return not_there(r, node, "actuator", s->actuator);
}

static cdn_status read_tendon_target(mjcf_reader *r, io_xml_node *node, cdn_spec_sensor *s, bool *known) {
  CDNI_TRY(io_xml_need_string(r->log, node, "tendon", &s->tendon));
  *known = cdn_spec_find(r->spec, CDN_SPEC_TENDON, s->tendon) >= 0;
  return CDN_OK;
}

/* The point is a site, the reference a camera. */
static cdn_status read_camera_target(mjcf_reader *r, io_xml_node *node, sensing *s, bool *known) {
  const char *name;
  CDNI_TRY(read_site_target(r, node, &s->at, &name));
  CDNI_TRY(io_xml_need_string(r->log, node, "camera", &name));
  CDNI_TRY(find_frame(r, node, "camera", name, &s->reference, known));
  const mjcf_object *camera = io_mjcf_find_object(r, MJCF_OBJECT_CAMERA, name);
  memcpy(s->made.focal, camera->focal, sizeof camera->focal);
  memcpy(s->made.pixels, camera->pixels, sizeof camera->pixels);
  return CDN_OK;
}

static cdn_status read_user(mjcf_reader *r, io_xml_node *node, cdn_spec_sensor *s, bool *known) {
  static const char *const said[] = { "datatype", "needstage", "objtype", "objname" }; /* to the program alone */
  bool given;
  CDNI_TRY(io_xml_int(r->log, node, "dim", &s->numbers, &given));
  if (!given) return io_xml_missing(r->log, node, "dim", "say how many numbers the sensor has");
  for (int i = 0; i < CDNI_COUNT(said); i++) io_xml_ignore(node, said[i]);
  *known = s->numbers >= 1 && s->numbers <= CDN_MEASURE_MOST;
  return CDN_OK;
}

/* One side: geomI, bodyI or subtreeI. */
static cdn_status read_side(mjcf_reader *r, io_xml_node *node, int i, cdn_sensor_side *side, const char **of) {
  static const struct {
    const char *attribute[2];
    cdn_sensor_side side;
  } words[] = { { { "geom1", "geom2" }, CDN_SIDE_SHAPE },
                { { "body1", "body2" }, CDN_SIDE_BODY },
                { { "subtree1", "subtree2" }, CDN_SIDE_SUBTREE } };
  for (int k = 0; k < CDNI_COUNT(words); k++) {
    const char *name = io_xml_string(node, words[k].attribute[i]);
    if (!name) continue;
    if (*side != CDN_SIDE_ANY)
      return io_xml_fail(r->log, CDN_ERR_PARSE, node, "it has %s beside another; a side is one thing: remove one",
                         words[k].attribute[i]);
    *side = words[k].side;
    const int place = *side == CDN_SIDE_SHAPE ? -1 : io_mjcf_find_body(r, name);
    if (*side != CDN_SIDE_SHAPE && place < 0) return not_there(r, node, "body", name);
    if (place != 0) *of = name; /* the world is Ground, which has no name */
  }
  return CDN_OK;
}

static cdn_status read_data(mjcf_reader *r, io_xml_node *node, const char *const *words, int n_words,
                            cdn_spec_sensor *s) {
  const char *text = io_xml_string(node, "data");
  if (!text) return CDN_OK;
  for (s->data = 0; *(text += strspn(text, " ")); text += strcspn(text, " ")) {
    const size_t n = strcspn(text, " ");
    int k = 0;
    while (k < n_words && (strlen(words[k]) != n || strncmp(words[k], text, n) != 0)) k++;
    if (k == n_words)
      return io_xml_fail(r->log, CDN_ERR_PARSE, node, "data has '%.*s'; %s are possible", (int)n, text,
                         s->kind == CDN_SENSOR_RANGE ? "dist, dir, origin, point, normal and depth"
                                                     : "found, force, torque, dist, pos, normal and tangent");
    s->data |= 1 << k;
  }
  return CDN_OK;
}

/* Of a site or of a camera. */
static cdn_status read_rays(mjcf_reader *r, io_xml_node *node, sensing *s, bool *known) {
  static const char *const words[] = { "dist", "dir", "origin", "point", "normal", "depth" };
  const char *name = io_xml_string(node, "camera");
  s->made.of_pixels = name && !io_xml_has(node, "site");
  CDNI_TRY(read_data(r, node, words, CDNI_COUNT(words), &s->made));
  if (!s->made.of_pixels) return read_site_target(r, node, &s->at, &name);
  CDNI_TRY(find_frame(r, node, "camera", name, &s->at, known));
  const mjcf_object *camera = io_mjcf_find_object(r, MJCF_OBJECT_CAMERA, name);
  memcpy(s->made.focal, camera->focal, sizeof camera->focal);
  memcpy(s->made.pixels, camera->pixels, sizeof camera->pixels);
  s->made.extent = camera->extent;
  *known = *known && io_rays_count(s->made.data, true, s->made.pixels) > 0;
  return CDN_OK;
}

/* Numbers that a measure has no room for are not there. */
static cdn_status read_contacts(mjcf_reader *r, io_xml_node *node, sensing *to, bool *known) {
  cdn_spec_sensor *s = &to->made;
  static const char *const reductions[] = { "none", "mindist", "maxforce", "netforce" };
  int reduce = 0;
  static const char *const words[] = { "found", "force", "torque", "dist", "pos", "normal", "tangent" };
  CDNI_TRY(read_data(r, node, words, CDNI_COUNT(words), s));
  CDNI_TRY(io_xml_keyword(r->log, node, "reduce", reductions, 4, &reduce, NULL));
  CDNI_TRY(io_xml_int(r->log, node, "num", &s->contacts, NULL));
  s->reduce = (cdn_sensor_reduce)reduce;
  const int each = io_sensed_count(s->data);
  *known = each > 0 && s->contacts > 0 && s->contacts <= CDN_MEASURE_MOST / each;
  if (!*known) return CDN_OK;
  if (io_xml_has(node, "site")) {
    CDNI_TRY(read_volume_target(r, node, &to->at, to));
    s->side_a = CDN_SIDE_VOLUME;
  }
  CDNI_TRY(read_side(r, node, 0, &s->side_a, &s->name_a));
  return read_side(r, node, 1, &s->side_b, &s->name_b);
}

static cdn_status read_geoms(mjcf_reader *r, io_xml_node *node, cdn_spec_sensor *s) {
  CDNI_TRY(read_side(r, node, 0, &s->side_a, &s->name_a));
  CDNI_TRY(read_side(r, node, 1, &s->side_b, &s->name_b));
  const cdn_sensor_side sides[] = { s->side_a, s->side_b };
  const char *const names[] = { s->name_a, s->name_b };
  for (int i = 0; i < 2; i++) {
    if (sides[i] != CDN_SIDE_SHAPE && sides[i] != CDN_SIDE_BODY)
      return io_xml_missing(r->log, node, i == 0 ? "geom1" : "geom2", "name a geom or a body for each side");
    if (sides[i] == CDN_SIDE_SHAPE && !io_mjcf_find_object(r, MJCF_OBJECT_GEOM, names[i]))
      return not_there(r, node, "geom", names[i]);
  }
  return CDN_OK;
}

static cdn_status read_target(mjcf_reader *r, io_xml_node *node, target of, sensing *s, bool *known) {
  const char *name;
  switch (of) {
    case OF_VOLUME: return read_volume_target(r, node, &s->at, s);
    case OF_INSIDE:
      CDNI_TRY(read_volume_target(r, node, &s->reference, s));
      s->made.has_reference = true;
      return read_object(r, node, &s->at, known);
    case OF_CAMERA: return read_camera_target(r, node, s, known);
    case OF_FIELD: s->made.field = r->magnetic; return read_site_target(r, node, &s->at, &name);
    case OF_GEOMS: return read_geoms(r, node, &s->made);
    case OF_USER: return read_user(r, node, &s->made, known);
    case OF_ACTUATOR: return read_actuator_target(r, node, &s->made, known);
    case OF_TENDON: return read_tendon_target(r, node, &s->made, known);
    case OF_CONTACTS: return read_contacts(r, node, s, known);
    case OF_SCALAR_JOINT:
    case OF_ANY_JOINT:
    case OF_BALL: return read_joint_target(r, node, of, s);
    case OF_SITE: return read_site_target(r, node, &s->at, &name);
    case OF_RAYS: return read_rays(r, node, s, known);
    case OF_OBJECT: return read_object_target(r, node, s, known);
    case OF_SUBTREE:
      CDNI_TRY(io_xml_need_string(r->log, node, "body", &name));
      s->at.place = io_mjcf_find_body(r, name);
      return s->at.place < 0 ? not_there(r, node, "body", name) : CDN_OK;
    case OF_NOTHING: break;
  }
  return CDN_OK;
}

static void report(mjcf_reader *r, io_xml_node *node, const char *what) {
  char note[120];
  snprintf(note, sizeof note, "sensor/%.60s%s", io_xml_name(node), what);
  io_not_understood(r->log, io_xml_line(node), note);
}

static cdn_status add(mjcf_reader *r, io_xml_node *node, sensing *s) {
  int i;
  s->made.X_BS = s->at.X, s->made.X_RS = s->reference.X;
  CDNI_TRY(io_spec_append(r->spec, CDN_SPEC_SENSOR, &s->made, &i));
  CDNI_TRY(MJCF_REFER(r, SENSOR, sensor, i, body, &s->at));
  CDNI_TRY(MJCF_REFER(r, SENSOR, sensor, i, reference, &s->reference));
  return io_mjcf_take_name(r, node, MJCF_NAME_SENSOR, &io_spec_sensor(r->spec, i)->name);
}

static cdn_status read_history(mjcf_reader *r, io_xml_node *node, cdn_spec_sensor *s) {
  double interval[2] = { 0, 0 };
  int interpolation = 0, count;
  CDNI_TRY(io_mjcf_read_history(r, node, &s->delay, &s->samples, &interpolation));
  CDNI_TRY(io_xml_doubles_upto(r->log, node, "interval", interval, 1, 2, &count));
  s->interpolation = (cdn_interpolation)interpolation;
  s->period = interval[0], s->phase = interval[1];
  CDNI_TRY(io_mjcf_check_history(r, node, s->delay, s->period, s->samples));
  if (s->phase <= 0 && (s->period == 0 || s->phase > -s->period)) return CDN_OK;
  return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                     "the second number of its interval, the phase, is %g; write one above minus the first, and not "
                     "above 0",
                     s->phase);
}

/* Not *known: the sensor is left out. */
static cdn_status read_known(mjcf_reader *r, io_xml_node *node, target of, sensing *s, bool *known) {
  CDNI_TRY(read_target(r, node, of, s, known));
  if (!*known) return CDN_OK;
  CDNI_TRY(io_xml_double(r->log, node, "cutoff", &s->made.cutoff, NULL));
  if (!cdni_all_finite((const double *)&s->at.X, sizeof s->at.X / sizeof(double), NULL))
    return io_xml_fail(r->log, CDN_ERR_NONFINITE, node, "its object is farther away than the largest number");
  CDNI_TRY(io_xml_double(r->log, node, "noise", &s->made.noise, NULL));
  if (s->made.cutoff < 0 || s->made.noise < 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node, "its %s is negative; write a number of 0 or more",
                       s->made.cutoff < 0 ? "cutoff" : "noise");
  s->made.noisy = r->flags.sensornoise;
  io_xml_ignore(node, "user");
  CDNI_TRY(read_history(r, node, &s->made));
  CDNI_TRY(add(r, node, s));
  io_xml_report_rest(r->log, node);
  return CDN_OK;
}

static cdn_status read_sensor(mjcf_reader *r, io_xml_node *node) {
  int i = 0;
  while (i < CDNI_COUNT(kinds) && strcmp(kinds[i].name, io_xml_name(node)) != 0) i++;
  if (i == CDNI_COUNT(kinds) || r->lost_joints) { /* or it may be of something that was not understood */
    report(r, node, "");
    return CDN_OK;
  }
  const mjcf_where ground = { .X = cdn_transform_identity() };
  sensing s = { cdn_default_spec_sensor(), ground, ground };
  s.made.line = io_xml_line(node);
  s.made.kind = kinds[i].kind;
  bool known = true;
  CDNI_TRY(read_known(r, node, kinds[i].of, &s, &known));
  if (known) return CDN_OK;
  static const char *const reason[] = { [OF_OBJECT] = " of this objtype or reftype",
                                        [OF_RAYS] = " of a camera that turns by itself, or of more than 256 numbers",
                                        [OF_CAMERA] = " of a camera that turns by itself",
                                        [OF_INSIDE] = " of this objtype",
                                        [OF_USER] = " of more than 256 numbers",
                                        [OF_ACTUATOR] = " of an actuator that is left out",
                                        [OF_TENDON] = " of a tendon that is not simulated",
                                        [OF_CONTACTS] = " with more than 256 numbers" };
  report(r, node, reason[kinds[i].of]);
  return CDN_OK;
}

cdn_status io_mjcf_read_sensors(mjcf_reader *r, io_xml_node *node) {
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;)
    CDNI_TRY(io_mjcf_leave_strangers(r, read_sensor(r, child)));
  return walk.status;
}
