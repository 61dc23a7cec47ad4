/* The tables of a model: joints, bodies, frames, actuators, sensors, keyframes, and the parts of the file that were not
 * understood. */
#include <math.h>
#include <stdio.h>

#include <cardan/mobilizers.h>

#include "core/sized.h"
#include "io/joints.h"
#include "io/model.h"

const cdn_system *cdn_model_system(const cdn_model *model) { return model ? model->system : NULL; }
const cdn_spec *cdn_model_spec(const cdn_model *model) { return model ? model->spec : NULL; }
const char *cdn_model_name(const cdn_model *model) { return model ? cdn_spec_name(model->spec) : ""; }

/* ---- joints ---------------------------------------------------------------------------------- */

static const char *units_of(const cdn_system *system, cdn_body body) {
  const bool quaternion = cdn_body_has_quaternion(system, body);
  switch (cdn_body_mobilizer(system, body)) {
    case CDN_PIN:
    case CDN_SCREW:
    case CDN_UNIVERSAL:
    case CDN_GIMBAL: return "rad";
    case CDN_SLIDER:
    case CDN_TRANSLATION: return "m";
    case CDN_BALL:
    case CDN_ELLIPSOID:
    case CDN_LINE_ORIENTATION: return quaternion ? "quaternion" : "rad";
    case CDN_FREE:
    case CDN_FREE_LINE: return quaternion ? "quaternion, m" : "rad, m";
    case CDN_BUSHING:
    case CDN_CYLINDER:
    case CDN_BEND_STRETCH: return "rad, m";
    case CDN_PLANAR: return "rad, m, m";
    case CDN_SPHERICAL_COORDS: return "rad, rad, m";
    case CDN_WELD:
    case CDN_FUNCTION_BASED:
    case CDN_CUSTOM_MOBILIZER:
    case CDN_MOBILIZER_COUNT: break;
  }
  return "";
}

int cdn_model_joint_count(const cdn_model *model) { return model ? (int)model->joints.count : 0; }

static const char *joint_name(const cdn_model *model, int i) {
  const io_model_joint *j = &CDNI_AT(model->joints, io_model_joint, i);
  return j->joint >= 0 ? io_spec_joint(model->spec, j->joint)->name : cdn_body_mobilizer_name(model->system, j->body);
}

static cdn_model_joint joint_entry(const cdn_model *model, int i) {
  const io_model_joint *j = &CDNI_AT(model->joints, io_model_joint, i);
  const cdn_system *system = model->system;
  const cdn_spec_joint none = cdn_default_spec_joint();
  const cdn_spec_joint *s = j->joint >= 0 ? io_spec_joint(model->spec, j->joint) : &none;
  const bool stops = s->limited && !model->options.tree_only && io_spec_joint_has_range(s);
  return (cdn_model_joint){ .name = joint_name(model, i),
                            .kind = cdn_mobilizer_name(cdn_body_mobilizer(system, j->body)),
                            .body = cdn_body_name(system, j->shown),
                            .units = units_of(system, j->body),
                            .first_q = cdn_body_first_q(system, j->body),
                            .nq = cdn_body_nq(system, j->body),
                            .first_u = cdn_body_first_u(system, j->body),
                            .nu = cdn_body_nu(system, j->body),
                            .lower = stops ? s->lower : -INFINITY,
                            .upper = stops ? s->upper : INFINITY,
                            .mobilized = j->body,
                            .effort_lower = s->effort_lower,
                            .effort_upper = s->effort_upper,
                            .speed_limit = s->speed_limit,
                            .damping = s->damping,
                            .friction = s->friction,
                            .stiffness = s->stiffness,
                            .springref = s->springref,
                            .armature = s->armature,
                            .line = s->line };
}

void cdn_model_get_joint_sized(const cdn_model *model, int i, cdn_model_joint *out, size_t size) {
  cdn_model_joint entry = { .name = "", .kind = "", .body = "", .units = "", .first_q = -1, .first_u = -1 };
  entry.mobilized.i = -1;
  if (i >= 0 && i < cdn_model_joint_count(model)) entry = joint_entry(model, i);
  cdni_sized_write(out, size, &entry, sizeof entry);
}

int cdn_model_find_joint(const cdn_model *model, const char *name) {
  for (int i = 0; name && i < cdn_model_joint_count(model); i++)
    if (strcmp(joint_name(model, i), name) == 0) return i;
  return -1;
}

cdn_status cdn_model_bound_assembly(const cdn_model *model, cdn_assembly *assembly) {
  if (!model || !model->system || !assembly)
    return cdni_refuse(CDN_ERR_ARG, "cdn_model_bound_assembly", "a model that was loaded, and an assembly, are needed");
  for (int i = 0; i < cdn_model_joint_count(model); i++) {
    const cdn_model_joint j = joint_entry(model, i);
    if (j.lower > -INFINITY || j.upper < INFINITY)
      CDNI_TRY(cdn_assembly_set_bounds(assembly, j.mobilized, 0, j.lower, j.upper));
  }
  return CDN_OK;
}

/* ---- bodies and frames ----------------------------------------------------------------------- */

int cdn_model_body_count(const cdn_model *model) { return model ? (int)model->bodies.count : 0; }

cdn_body cdn_model_body(const cdn_model *model, int i) {
  if (i < 0 || i >= cdn_model_body_count(model)) return (cdn_body){ -1 };
  return CDNI_AT(model->bodies, cdn_body, i);
}

int cdn_model_mobilizer_count(const cdn_model *model) { return model ? model->n_mobilizers : 0; }

cdn_body cdn_model_find_body(const cdn_model *model, const char *name) {
  if (!model || !model->system || !name) return (cdn_body){ -1 };
  const int i = cdn_spec_find(model->spec, CDN_SPEC_BODY, name);
  if (i >= 0) return CDNI_AT(model->spec_bodies, cdn_body, i);
  return (cdn_body){ strcmp(name, "Ground") == 0 ? 0 : -1 };
}

int cdn_model_frame_count(const cdn_model *model) {
  return model && model->system ? cdn_spec_count(model->spec, CDN_SPEC_FRAME) : 0;
}

static const cdn_model_frame no_frame = { .name = "", .body = { -1 } };

cdn_status cdn_model_get_frame_sized(const cdn_model *model, int i, cdn_model_frame *out, size_t size) {
  const bool there = i >= 0 && i < cdn_model_frame_count(model);
  cdn_model_frame frame = no_frame;
  if (there) {
    const cdn_spec_frame *f = io_spec_frame(model->spec, i);
    frame = (cdn_model_frame){ f->name, cdn_model_find_body(model, f->body ? f->body : "Ground"), f->X_BF, f->line };
  }
  cdni_sized_write(out, size, &frame, sizeof frame);
  if (there && out) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, "cdn_model_get_frame_sized", "there is no frame %d, or nowhere to put it", i);
}

cdn_status cdn_model_find_frame_sized(const cdn_model *model, const char *name, cdn_model_frame *out, size_t size) {
  const int i = model && model->system ? cdn_spec_find(model->spec, CDN_SPEC_FRAME, name) : -1;
  if (i >= 0) return cdn_model_get_frame_sized(model, i, out, size);
  cdn_model_frame frame = no_frame;
  const cdn_body body = cdn_model_find_body(model, name);
  if (body.i >= 0) {
    const int b = cdn_spec_find(model->spec, CDN_SPEC_BODY, name);
    frame = (cdn_model_frame){ cdn_body_name(model->system, body), body, cdn_transform_identity(),
                               b >= 0 ? io_spec_body(model->spec, b)->line : 0 };
  }
  cdni_sized_write(out, size, &frame, sizeof frame);
  if (body.i >= 0 && out) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, "cdn_model_find_frame_sized",
                     "the model has neither a frame nor a body '%.60s', or there is nowhere to put it",
                     name ? name : "(NULL)");
}

/* ---- sensors --------------------------------------------------------------------------------- */

int cdn_model_sensor_count(const cdn_model *model) { return model ? (int)model->measures.count : 0; }

int cdn_model_find_sensor(const cdn_model *model, const char *name) {
  return cdn_model_sensor_count(model) > 0 ? cdn_spec_find(model->spec, CDN_SPEC_SENSOR, name) : -1;
}

cdn_status cdn_model_get_sensor_sized(const cdn_model *model, int i, cdn_model_sensor *out, size_t size) {
  cdn_model_sensor sensor = { .name = "", .measure = { -1 } };
  const bool there = i >= 0 && i < cdn_model_sensor_count(model);
  if (there) {
    const cdn_spec_sensor *s = io_spec_sensor(model->spec, i);
    sensor = (cdn_model_sensor){ .name = s->name, .kind = s->kind, .line = s->line };
    sensor.measure = CDNI_AT(model->measures, cdn_measure, i);
    sensor.n = sensor.measure.i >= 0 ? cdn_measure_size(model->system, sensor.measure) : 0;
  }
  cdni_sized_write(out, size, &sensor, sizeof sensor);
  if (there && out) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, "cdn_model_get_sensor_sized", "there is no sensor %d, or nowhere to put it", i);
}

/* ---- actuators ------------------------------------------------------------------------------- */

static cdn_zvar activation_of(const cdn_model *model, cdn_force force) {
  return model->system ? cdn_actuator_activation(model->system, force) : (cdn_zvar){ .group = -1 };
}

int cdn_model_actuator_count(const cdn_model *model) { return model ? (int)model->actuators.count : 0; }

int cdn_model_find_actuator(const cdn_model *model, const char *name) {
  return cdn_model_actuator_count(model) > 0 ? cdn_spec_find(model->spec, CDN_SPEC_ACTUATOR, name) : -1;
}

cdn_status cdn_model_get_actuator_sized(const cdn_model *model, int i, cdn_model_actuator *out, size_t size) {
  cdn_model_actuator actuator = { "", { -1 }, { -1 }, { -1 }, { .group = -1 }, 0 };
  const bool there = i >= 0 && i < cdn_model_actuator_count(model);
  if (there) {
    const cdn_spec_actuator *s = io_spec_actuator(model->spec, i);
    const io_model_actuator *made = &CDNI_AT(model->actuators, io_model_actuator, i);
    actuator = (cdn_model_actuator){ s->name, made->control, made->force, made->body, activation_of(model, made->force),
                                     s->line };
  }
  cdni_sized_write(out, size, &actuator, sizeof actuator);
  if (there && out) return CDN_OK;
  return cdni_refuse(CDN_ERR_ARG, "cdn_model_get_actuator_sized", "there is no actuator %d, or nowhere to put it", i);
}

/* ---- the log --------------------------------------------------------------------------------- */

static const io_log *log_of(const cdn_model *model) { return model && model->spec ? &model->spec->log : NULL; }

int cdn_model_not_understood_count(const cdn_model *model) {
  return log_of(model) ? (int)log_of(model)->notes.count : 0;
}

void cdn_model_not_understood_sized(const cdn_model *model, int i, cdn_model_note *out, size_t size) {
  cdn_model_note note = { .element = "" };
  if (i >= 0 && i < cdn_model_not_understood_count(model)) {
    const io_note *kept = &CDNI_AT(log_of(model)->notes, io_note, i);
    note = (cdn_model_note){ kept->element, kept->count, kept->line };
  }
  cdni_sized_write(out, size, &note, sizeof note);
}

int cdn_model_warning_count(const cdn_model *model) { return log_of(model) ? (int)log_of(model)->warnings.count : 0; }

const char *cdn_model_warning(const cdn_model *model, int i) {
  if (i < 0 || i >= cdn_model_warning_count(model)) return "";
  return CDNI_AT(log_of(model)->warnings, char *, i);
}

/* ---- keyframes ------------------------------------------------------------------------------- */

int cdn_model_key_count(const cdn_model *model) {
  return model && model->system ? cdn_spec_count(model->spec, CDN_SPEC_KEY) : 0;
}

const char *cdn_model_key_name(const cdn_model *model, int i) {
  if (i < 0 || i >= cdn_model_key_count(model)) return "";
  return io_spec_key(model->spec, i)->name;
}

static cdn_status no_such_key(cdn_model *model, const char *name) {
  char list[200] = "";
  for (int i = 0; i < cdn_model_key_count(model) && strlen(list) + 1 < sizeof list; i++) {
    const size_t used = strlen(list);
    snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", cdn_model_key_name(model, i));
  }
  return cdni_error_set(&model->error, CDN_ERR_ARG, "cdn_model_set_key", name, "%.120s: no keyframe '%.60s'; %s%s",
                        model->spec->log.file, name, list[0] ? "there are: " : "the model has none", list);
}

/* One joint after another; values that the key omits come from `defaults`. */
static cdn_status set_joints(const cdn_model *model, const cdn_spec_key *key, const cdn_state *defaults,
                             cdn_state *state) {
  int q = 0, u = 0;
  for (int i = 0; i < cdn_spec_count(model->spec, CDN_SPEC_BODY); i++) { /* those without a joint have no numbers */
    const cdn_body body = CDNI_AT(model->spec_bodies, cdn_body, i);
    if (!cdn_body_is_mocap(model->system, body)) continue;
    CDNI_TRY(cdn_body_set_q(state, body, 7, cdn_body_q(defaults, body)));
    CDNI_TRY(cdn_body_set_u(state, body, 6, cdn_body_u(defaults, body)));
  }
  for (int i = 0; i < cdn_spec_count(model->spec, CDN_SPEC_JOINT); i++) {
    const cdn_spec_joint *joint = io_spec_joint(model->spec, i);
    const cdn_body body = CDNI_AT(model->joint_bodies, cdn_body, i);
    const int nq = io_spec_joint_nq(joint), nu = io_spec_joint_nu(joint);
    q += nq;
    u += nu;
    if (body.i < 0 || nq == 0) continue; /* a loop is cut here */
    CDNI_TRY(cdn_body_set_q(state, body, nq, q <= key->nq ? key->q + q - nq : cdn_body_q(defaults, body)));
    CDNI_TRY(cdn_body_set_u(state, body, nu, u <= key->nu ? key->u + u - nu : cdn_body_u(defaults, body)));
  }
  return CDN_OK;
}

/* Values that the key omits come from `defaults`. */
static cdn_status set_actuators(const cdn_model *model, const cdn_spec_key *key, const cdn_state *defaults,
                                cdn_state *state) {
  for (int i = 0; i < cdn_model_actuator_count(model); i++) {
    const io_model_actuator *a = &CDNI_AT(model->actuators, io_model_actuator, i);
    const bool given = i < key->n_actuators;
    const double c = given && key->controls ? key->controls[i] : cdn_control_given(defaults, a->control);
    if (!cdn_control_follows(model->system, a->control)) CDNI_TRY(cdn_control_set(state, a->control, c));
    const cdn_zvar z = activation_of(model, a->force);
    if (z.group < 0) continue;
    const double *activation = given && key->activations ? &key->activations[i] : cdn_state_zvar(defaults, z);
    CDNI_TRY(cdn_state_set_zvar(state, z, activation));
  }
  return CDN_OK;
}

cdn_status cdn_model_set_key(cdn_model *model, const char *name, cdn_state *state) {
  CDNI_NEED_OBJECT(model, CDN_ERR_ARG);
  if (!name || !state || !model->system || cdn_state_system(state) != model->system)
    return cdni_error_set(&model->error, CDN_ERR_ARG, "cdn_model_set_key", NULL,
                          "a name and a State of this model's System are needed");
  const int i = cdn_spec_find(model->spec, CDN_SPEC_KEY, name);
  if (i < 0) return no_such_key(model, name);
  const cdn_spec_key *key = io_spec_key(model->spec, i);
  cdn_state *defaults;
  cdn_status status = cdn_state_create(model->system, &defaults);
  if (status != CDN_OK)
    return cdni_error_set(&model->error, status, "cdn_model_set_key", NULL, "cannot make a State: %s",
                          cdn_status_text(status));
  status = cdn_state_set_time(state, key->time);
  if (status == CDN_OK) status = set_joints(model, key, defaults, state);
  if (status == CDN_OK) status = cdn_mocap_take(state);
  if (status == CDN_OK) status = set_actuators(model, key, defaults, state);
  if (status != CDN_OK) cdn_state_last_error(state, &model->error); /* which has told it */
  cdn_state_destroy(defaults);
  return status;
}
