/* <actuator> and <sensor>, and the sites that they name. */
#include <math.h>
#include <stdio.h>

#include "io/mjcf.h"
#include "io/mjcf_write.h"

/* ---- actuators ------------------------------------------------------------------------------- */

static bool on_frame(const cdn_spec_actuator *a) { return !a->joint && a->body && !a->on_contacts; }

static cdn_status put_target(mjcf_writer *w, const cdn_spec_actuator *a) {
  if (a->joint) return io_put_text(&w->xml, a->in_parent ? "jointinparent" : "joint", a->joint);
  if (a->on_contacts) return io_put_text(&w->xml, "body", a->body);
  if (!a->body) return io_put_text(&w->xml, "tendon", a->tendon);
  CDNI_TRY(io_mjcf_put_site(w, a->rod > 0 ? "cranksite" : "site", a->body, &a->X_BS, NULL));
  if (a->rod > 0) CDNI_TRY(io_put_number(&w->xml, "cranklength", a->rod));
  if (!a->has_reference) return CDN_OK;
  return io_mjcf_put_site(w, a->rod > 0 ? "slidersite" : "refsite", a->reference, &a->X_RF, NULL);
}

/* Wrenches have the force before the moment. */
static cdn_status put_gear(mjcf_writer *w, const cdn_spec_actuator *a) {
  const int j = a->joint ? io_names_find(&w->names.joints, a->joint) : -1;
  const bool wrench = j >= 0 ? io_spec_joint(w->spec, j)->kind == CDN_FREE : on_frame(a) && !(a->rod > 0);
  static const double usual[6] = { 1 };
  double gear[6];
  for (int k = 0; k < 6; k++) gear[wrench ? (k + 3) % 6 : k] = a->gear[k];
  return io_put_unless(&w->xml, "gear", gear, usual, 6);
}

static bool plain(const cdn_spec_actuator *a, cdn_actuator_dynamics dynamics) {
  return a->gain_law == CDN_LAW_AFFINE && a->bias_law == CDN_LAW_AFFINE && a->dynamics == dynamics && a->gain[1] == 0 &&
         a->gain[2] == 0 && a->bias[0] == 0;
}

/* Motors and servos by name say the unit of their control. */
static const char *word_of(const cdn_spec_actuator *a) {
  const double *g = a->gain, *b = a->bias;
  const char *unit = a->unit ? a->unit : "";
  const bool force = strcmp(unit, "N m") == 0 || strcmp(unit, "N") == 0;
  const bool place = strcmp(unit, "rad") == 0 || strcmp(unit, "m") == 0;
  const bool speed = strcmp(unit, "rad/s") == 0 || strcmp(unit, "m/s") == 0;
  if (force && plain(a, CDN_ACTUATOR_DIRECT) && g[0] == 1 && b[1] == 0 && b[2] == 0) return "motor";
  /* older versions know no kv here */
  const bool servo = place && b[1] == -g[0] && (b[2] == 0 || a->damping_ratio > 0);
  if (servo && (plain(a, CDN_ACTUATOR_DIRECT) || (plain(a, CDN_ACTUATOR_FILTER) && a->exact_filter))) return "position";
  if (speed && plain(a, CDN_ACTUATOR_DIRECT) && b[1] == 0 && b[2] == -g[0]) return "velocity";
  if (speed && plain(a, CDN_ACTUATOR_INTEGRATOR) && b[1] == -g[0]) return "intvelocity";
  return "general";
}

static cdn_status put_servo(mjcf_writer *w, const cdn_spec_actuator *a, const char *word) {
  if (strcmp(word, "motor") == 0) return CDN_OK;
  if (strcmp(word, "velocity") == 0) return io_put_number(&w->xml, "kv", a->gain[0]);
  CDNI_TRY(io_put_number(&w->xml, "kp", a->gain[0]));
  if (a->dynamics == CDN_ACTUATOR_FILTER) CDNI_TRY(io_put_number(&w->xml, "timeconst", a->time_constant));
  if (a->damping_ratio > 0) return io_put_number(&w->xml, "dampratio", a->damping_ratio);
  return a->bias[2] == 0 ? CDN_OK : io_put_number(&w->xml, "kv", -a->bias[2]);
}

static void muscle_numbers(const cdn_muscle *m, double p[9]) {
  const double all[9] = { m->range[0], m->range[1], m->peak, m->scale, m->lmin, m->lmax, m->vmax, m->fpmax, m->fvmax };
  memcpy(p, all, sizeof all);
}

static cdn_status put_law(mjcf_writer *w, const char *type, const char *numbers, cdn_drive_law law, const double x[3],
                          const char *plain_word, bool affine, const cdn_muscle *m) {
  static const char *const words[] = { "affine", "muscle", "user" };
  double p[9];
  CDNI_TRY(io_put_text(&w->xml, type, law == CDN_LAW_AFFINE && !affine ? plain_word : words[law]));
  if (law != CDN_LAW_OF_MUSCLE) return io_put_numbers(&w->xml, numbers, x, 3);
  muscle_numbers(m, p);
  return io_put_numbers(&w->xml, numbers, p, 9);
}

static cdn_status put_general(mjcf_writer *w, const cdn_spec_actuator *a) {
  static const char *const dyn[] = { "none", "integrator", "filter", "muscle", "user" };
  const bool servo = a->damping_ratio > 0 && plain(a, a->dynamics) && a->bias[1] == -a->gain[0];
  const double bias[3] = { a->bias[0], a->bias[1], servo ? a->damping_ratio : a->bias[2] };
  const bool exact = a->dynamics == CDN_ACTUATOR_FILTER && a->exact_filter;
  CDNI_TRY(io_put_text(&w->xml, "dyntype", exact ? "filterexact" : dyn[a->dynamics]));
  if (a->dynamics == CDN_ACTUATOR_FILTER) CDNI_TRY(io_put_number(&w->xml, "dynprm", a->time_constant));
  if (a->dynamics == CDN_ACTUATOR_MUSCLE) CDNI_TRY(io_put_numbers(&w->xml, "dynprm", a->muscle_time, 3));
  const bool affine = a->gain[1] != 0 || a->gain[2] != 0;
  const bool biased = bias[0] != 0 || bias[1] != 0 || bias[2] != 0;
  CDNI_TRY(put_law(w, "gaintype", "gainprm", a->gain_law, a->gain, "fixed", affine, &a->muscle));
  CDNI_TRY(put_law(w, "biastype", "biasprm", a->bias_law, bias, "none", biased, &a->passive));
  const cdn_muscle *m = a->gain_law == CDN_LAW_OF_MUSCLE ? &a->muscle : &a->passive;
  if (a->gain_law != CDN_LAW_OF_MUSCLE && a->bias_law != CDN_LAW_OF_MUSCLE) return CDN_OK;
  if (m->length_range[0] == m->length_range[1]) return CDN_OK;
  return io_put_numbers(&w->xml, "lengthrange", m->length_range, 2);
}

/* MuJoCo wants to know how many samples are kept. */
static cdn_status put_history(mjcf_writer *w, double delay, double period, int samples,
                              cdn_interpolation interpolation) {
  static const char *const words[] = { "zoh", "linear", "cubic" };
  const double needed = ceil(delay / fmax(w->spec->whole.solver.timestep, period) * (1 - 1e-12));
  const int kept = samples > 0 || (delay == 0 && period == 0) ? samples : (int)fmin(fmax(needed, 1), 65536);
  CDNI_TRY(io_put_int_unless(&w->xml, "nsample", kept, 0));
  CDNI_TRY(io_put_number_unless(&w->xml, "delay", delay, 0));
  return interpolation == CDN_INTERPOLATE_HOLD ? CDN_OK : io_put_text(&w->xml, "interp", words[interpolation]);
}

static cdn_status write_actuator(mjcf_writer *w, const cdn_spec_actuator *a) {
  const char *word = word_of(a);
  CDNI_TRY(io_put_begin(&w->xml, word));
  CDNI_TRY(io_put_text(&w->xml, "name", a->name));
  CDNI_TRY(put_target(w, a));
  CDNI_TRY(put_gear(w, a));
  CDNI_TRY(strcmp(word, "general") == 0 ? put_general(w, a) : put_servo(w, a, word));
  CDNI_TRY(io_mjcf_put_range(w, "ctrllimited", "ctrlrange", a->control_lower, a->control_upper));
  CDNI_TRY(io_mjcf_put_range(w, "forcelimited", "forcerange", a->force_lower, a->force_upper));
  CDNI_TRY(io_mjcf_put_range(w, "actlimited", "actrange", a->activation_lower, a->activation_upper));
  if (a->early) CDNI_TRY(io_put_text(&w->xml, "actearly", "true"));
  CDNI_TRY(put_history(w, a->delay, 0, a->samples, a->interpolation));
  return io_put_end(&w->xml);
}

cdn_status io_mjcf_write_actuators(mjcf_writer *w) {
  const int n = cdn_spec_count(w->spec, CDN_SPEC_ACTUATOR);
  if (n == 0) return CDN_OK;
  CDNI_TRY(io_put_begin(&w->xml, "actuator"));
  CDNI_TRY(io_put_into(&w->xml));
  for (int i = 0; i < n; i++) CDNI_TRY(write_actuator(w, io_spec_actuator(w->spec, i)));
  return io_put_close(&w->xml, "actuator");
}

/* ---- sensors --------------------------------------------------------------------------------- */

/* How a sensor says what it is of. */
typedef enum said_by {
  BY_JOINT,
  BY_SITE,
  BY_OBJECT,
  BY_BODY,
  BY_ACTUATOR,
  BY_TENDON,
  BY_SIDES,
  BY_NOTHING,
  BY_INSIDE,
  BY_CAMERA,
  BY_RAYS
} said_by;

static said_by way_of(cdn_sensor_kind kind) {
  switch (kind) {
    case CDN_SENSOR_JOINT_POSITION:
    case CDN_SENSOR_JOINT_VELOCITY:
    case CDN_SENSOR_BALL_QUATERNION:
    case CDN_SENSOR_BALL_VELOCITY:
    case CDN_SENSOR_JOINT_LIMIT_POSITION:
    case CDN_SENSOR_JOINT_LIMIT_VELOCITY:
    case CDN_SENSOR_JOINT_LIMIT_FORCE:
    case CDN_SENSOR_JOINT_ACTUATOR_FORCE: return BY_JOINT;
    case CDN_SENSOR_ACCELEROMETER:
    case CDN_SENSOR_VELOCIMETER:
    case CDN_SENSOR_GYRO:
    case CDN_SENSOR_FORCE:
    case CDN_SENSOR_TORQUE:
    case CDN_SENSOR_TOUCH:
    case CDN_SENSOR_MAGNETOMETER: return BY_SITE;
    case CDN_SENSOR_POSITION:
    case CDN_SENSOR_QUATERNION:
    case CDN_SENSOR_X_AXIS:
    case CDN_SENSOR_Y_AXIS:
    case CDN_SENSOR_Z_AXIS:
    case CDN_SENSOR_LINEAR_VELOCITY:
    case CDN_SENSOR_ANGULAR_VELOCITY:
    case CDN_SENSOR_LINEAR_ACCELERATION:
    case CDN_SENSOR_ANGULAR_ACCELERATION: return BY_OBJECT;
    case CDN_SENSOR_SUBTREE_COM:
    case CDN_SENSOR_SUBTREE_VELOCITY:
    case CDN_SENSOR_SUBTREE_MOMENTUM: return BY_BODY;
    case CDN_SENSOR_ACTUATOR_POSITION:
    case CDN_SENSOR_ACTUATOR_VELOCITY:
    case CDN_SENSOR_ACTUATOR_FORCE: return BY_ACTUATOR;
    case CDN_SENSOR_TENDON_POSITION:
    case CDN_SENSOR_TENDON_VELOCITY:
    case CDN_SENSOR_TENDON_LIMIT_POSITION:
    case CDN_SENSOR_TENDON_LIMIT_VELOCITY:
    case CDN_SENSOR_TENDON_LIMIT_FORCE:
    case CDN_SENSOR_TENDON_ACTUATOR_FORCE: return BY_TENDON;
    case CDN_SENSOR_CONTACT:
    case CDN_SENSOR_DISTANCE:
    case CDN_SENSOR_NORMAL:
    case CDN_SENSOR_FROM_TO: return BY_SIDES;
    case CDN_SENSOR_INSIDE: return BY_INSIDE;
    case CDN_SENSOR_RANGE: return BY_RAYS;
    case CDN_SENSOR_CAMERA_PROJECTION: return BY_CAMERA;
    case CDN_SENSOR_USER:
    case CDN_SENSOR_CLOCK:
    case CDN_SENSOR_KINETIC_ENERGY:
    case CDN_SENSOR_POTENTIAL_ENERGY:
    case CDN_SENSOR_KIND_COUNT: break;
  }
  return BY_NOTHING;
}

/* A body's own frame needs no site. */
static bool is_body(const cdn_transform *X) {
  const cdn_transform I = cdn_transform_identity();
  return memcmp(X, &I, sizeof I) == 0;
}

static cdn_status put_frame(mjcf_writer *w, const char *type, const char *name, const char *body,
                            const cdn_transform *X) {
  CDNI_TRY(io_put_text(&w->xml, type, is_body(X) ? "xbody" : "site"));
  return is_body(X) ? io_put_text(&w->xml, name, io_mjcf_body_name(body)) : io_mjcf_put_site(w, name, body, X, NULL);
}

static cdn_status put_object(mjcf_writer *w, const cdn_spec_sensor *s) {
  CDNI_TRY(put_frame(w, "objtype", "objname", s->body, &s->X_BS));
  return s->has_reference ? put_frame(w, "reftype", "refname", s->reference, &s->X_RS) : CDN_OK;
}

static cdn_status put_side(mjcf_writer *w, const cdn_spec_sensor *s, cdn_sensor_side side, const char *name,
                           int number) {
  static const char *const words[] = {
    [CDN_SIDE_SHAPE] = "geom", [CDN_SIDE_BODY] = "body", [CDN_SIDE_SUBTREE] = "subtree"
  };
  char attribute[20];
  if (side == CDN_SIDE_ANY) return CDN_OK;
  if (side == CDN_SIDE_VOLUME) return io_mjcf_put_site(w, "site", s->body, &s->X_BS, s);
  snprintf(attribute, sizeof attribute, "%s%d", words[side], number);
  return io_put_text(&w->xml, attribute, io_mjcf_body_name(name));
}

static cdn_status put_words(mjcf_writer *w, int data, const char *const *words, int n_words) {
  char text[80] = "";
  for (int k = 0, n = 0; k < n_words; k++)
    if (data >> k & 1) n += snprintf(text + n, sizeof text - (size_t)n, "%s%s", n ? " " : "", words[k]);
  return io_put_text(&w->xml, "data", text);
}

static cdn_status put_sides(mjcf_writer *w, const cdn_spec_sensor *s) {
  static const char *const words[] = { "found", "force", "torque", "dist", "pos", "normal", "tangent" };
  static const char *const reductions[] = { "none", "mindist", "maxforce", "netforce" };
  CDNI_TRY(put_side(w, s, s->side_a, s->name_a, 1));
  CDNI_TRY(put_side(w, s, s->side_b, s->name_b, 2));
  if (s->kind != CDN_SENSOR_CONTACT) return CDN_OK;
  CDNI_TRY(put_words(w, s->data, words, CDNI_COUNT(words)));
  CDNI_TRY(io_put_text(&w->xml, "reduce", reductions[s->reduce]));
  return io_put_int_unless(&w->xml, "num", s->contacts, 1);
}

/* The camera at a frame. */
static cdn_status put_camera(mjcf_writer *w, const cdn_spec_sensor *s, const char *body, const cdn_transform *X) {
  for (int i = 0; i < cdn_spec_count(w->spec, CDN_SPEC_CAMERA); i++) {
    const cdn_spec_camera *c = io_spec_camera(w->spec, i);
    if (io_mjcf_body_of(w, c->body) == io_mjcf_body_of(w, body) && memcmp(&c->X_BC, X, sizeof c->X_BC) == 0)
      return io_put_text(&w->xml, "camera", c->name);
  }
  return cdni_refuse(CDN_ERR_UNSUPPORTED, "cdn_spec_save", "MJCF cannot hold sensor '%.80s': no camera is at its frame",
                     s->name);
}

static cdn_status put_rays(mjcf_writer *w, const cdn_spec_sensor *s) {
  static const char *const words[] = { "dist", "dir", "origin", "point", "normal", "depth" };
  if (s->extent > 0)
    return cdni_refuse(CDN_ERR_UNSUPPORTED, "cdn_spec_save",
                       "MJCF cannot hold sensor '%.80s': its rays are parallel, and cameras of a spec are not so",
                       s->name);
  CDNI_TRY(s->of_pixels ? put_camera(w, s, s->body, &s->X_BS) : io_mjcf_put_site(w, "site", s->body, &s->X_BS, NULL));
  return s->data == CDN_RAY_DISTANCE ? CDN_OK : put_words(w, s->data, words, CDNI_COUNT(words));
}

static cdn_status put_target_of(mjcf_writer *w, const cdn_spec_sensor *s) {
  switch (way_of(s->kind)) {
    case BY_JOINT: return io_put_text(&w->xml, "joint", s->joint);
    case BY_RAYS: return put_rays(w, s);
    case BY_SITE: return io_mjcf_put_site(w, "site", s->body, &s->X_BS, s->kind == CDN_SENSOR_TOUCH ? s : NULL);
    case BY_OBJECT: return put_object(w, s);
    case BY_BODY: return io_put_text(&w->xml, "body", io_mjcf_body_name(s->body));
    case BY_ACTUATOR: return io_put_text(&w->xml, "actuator", s->actuator);
    case BY_TENDON: return io_put_text(&w->xml, "tendon", s->tendon);
    case BY_SIDES: return put_sides(w, s);
    case BY_CAMERA:
      CDNI_TRY(io_mjcf_put_site(w, "site", s->body, &s->X_BS, NULL));
      return put_camera(w, s, s->reference, &s->X_RS);
    case BY_INSIDE:
      CDNI_TRY(io_mjcf_put_site(w, "site", s->reference, &s->X_RS, s));
      return put_frame(w, "objtype", "objname", s->body, &s->X_BS);
    case BY_NOTHING: break;
  }
  return s->kind == CDN_SENSOR_USER ? io_put_int(&w->xml, "dim", s->numbers) : CDN_OK;
}

cdn_status io_mjcf_write_sensors(mjcf_writer *w) {
  const int n = cdn_spec_count(w->spec, CDN_SPEC_SENSOR);
  if (n == 0) return CDN_OK;
  CDNI_TRY(io_put_begin(&w->xml, "sensor"));
  CDNI_TRY(io_put_into(&w->xml));
  for (int i = 0; i < n; i++) {
    const cdn_spec_sensor *s = io_spec_sensor(w->spec, i);
    CDNI_TRY(io_put_begin(&w->xml, io_mjcf_sensor_word(s->kind)));
    CDNI_TRY(io_put_text(&w->xml, "name", s->name));
    CDNI_TRY(put_target_of(w, s));
    CDNI_TRY(io_put_number_unless(&w->xml, "cutoff", s->cutoff, 0));
    CDNI_TRY(io_put_number_unless(&w->xml, "noise", s->noise, 0));
    CDNI_TRY(put_history(w, s->delay, s->period, s->samples, s->interpolation));
    const double interval[2] = { s->period, s->phase };
    if (s->period > 0) CDNI_TRY(io_put_numbers(&w->xml, "interval", interval, 2));
    CDNI_TRY(io_put_end(&w->xml));
  }
  return io_put_close(&w->xml, "sensor");
}

/* ---- sites ----------------------------------------------------------------------------------- */

static cdn_status need_of_sensor(mjcf_writer *w, const cdn_spec_sensor *s) {
  const said_by way = way_of(s->kind);
  if (way == BY_SITE) return io_mjcf_need_site(w, s->body, &s->X_BS, s->kind == CDN_SENSOR_TOUCH ? s : NULL);
  if (way == BY_SIDES && s->side_a == CDN_SIDE_VOLUME) return io_mjcf_need_site(w, s->body, &s->X_BS, s);
  if (way == BY_CAMERA || (way == BY_RAYS && !s->of_pixels)) return io_mjcf_need_site(w, s->body, &s->X_BS, NULL);
  if (way == BY_INSIDE) CDNI_TRY(io_mjcf_need_site(w, s->reference, &s->X_RS, s));
  if (way != BY_OBJECT && way != BY_INSIDE) return CDN_OK;
  if (!is_body(&s->X_BS)) CDNI_TRY(io_mjcf_need_site(w, s->body, &s->X_BS, NULL));
  if (way == BY_INSIDE || !s->has_reference || is_body(&s->X_RS)) return CDN_OK;
  return io_mjcf_need_site(w, s->reference, &s->X_RS, NULL);
}

cdn_status io_mjcf_need_sites(mjcf_writer *w) {
  const cdn_spec *s = w->spec;
  for (int i = 0; i < cdn_spec_count(s, CDN_SPEC_SENSOR); i++) CDNI_TRY(need_of_sensor(w, io_spec_sensor(s, i)));
  for (int i = 0; i < cdn_spec_count(s, CDN_SPEC_ACTUATOR); i++) {
    const cdn_spec_actuator *a = io_spec_actuator(s, i);
    if (!on_frame(a)) continue;
    CDNI_TRY(io_mjcf_need_site(w, a->body, &a->X_BS, NULL));
    if (a->has_reference) CDNI_TRY(io_mjcf_need_site(w, a->reference, &a->X_RF, NULL));
  }
  for (int i = 0; i < cdn_spec_count(s, CDN_SPEC_PATH_ITEM); i++) {
    const cdn_spec_path_item *item = io_spec_path_item(s, i);
    const cdn_transform side = { .p = item->side };
    if (item->kind == CDN_SPEC_PATH_POINT) CDNI_TRY(io_mjcf_need_site(w, item->body, &item->X_BP, NULL));
    if (item->has_side) CDNI_TRY(io_mjcf_need_site(w, item->side_body, &side, NULL));
  }
  return CDN_OK;
}
