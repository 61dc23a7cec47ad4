/* A spec's sensors as measures of the same names: what they are of is found here; sensor_kinds.c makes the measures. */
#include <cardan/random.h>
#include <cardan/soft_elements.h>
#include <stdio.h>

#include "io/build.h"
#include "io/joints.h"
#include "io/sensor.h"
#include "system/system.h"

typedef io_sensor_part sensor;

/* ---- adding ---- */

static cdn_status wrong(int line) { return line > 0 ? CDN_ERR_PARSE : CDN_ERR_ARG; }

static cdn_status find_body(io_builder *b, const cdn_spec_sensor *of, const char *name, cdn_body *found) {
  const int body = io_spec_find_body(&b->names, name);
  *found = body >= 0 ? b->bodies[body] : cdn_ground();
  if (body != -2) return CDN_OK;
  return io_fail(b->log, wrong(of->line), of->line, "sensor '%.60s': there is no %s '%.60s'; correct the name",
                 of->name, b->log->body_word, name);
}

/* A joint of the kind that the sensor is for. */
static cdn_status find_joint(io_builder *b, const cdn_spec_sensor *of, io_sensed_of what, cdn_body *found) {
  const int joint = of->joint ? io_names_find(&b->names.joints, of->joint) : -1;
  if (joint < 0)
    return io_fail(b->log, wrong(of->line), of->line, "sensor '%.60s': there is no joint '%.60s'; correct the name",
                   of->name, of->joint ? of->joint : "(none)");
  const cdn_spec_joint *j = io_spec_joint(b->spec, joint);
  const bool is_ball = j->kind == CDN_BALL && !j->euler, is_scalar = io_spec_joint_nq(j) == 1;
  if (!(what == IO_OF_BALL ? is_ball : is_scalar || (what == IO_OF_JOINT_LIMIT && is_ball)))
    return io_fail(b->log, wrong(of->line), of->line, "sensor '%.60s': joint '%.60s' must %s for this kind of sensor",
                   of->name, of->joint, what == IO_OF_BALL ? "be a ball with a quaternion" : "have one coordinate");
  *found = b->joints[joint];
  if (found->i >= 0) return CDN_OK;
  return io_fail(b->log, wrong(of->line), of->line,
                 "sensor '%.60s': joint '%.60s' is where a loop is cut, and has no coordinates; cut the loop by "
                 "splitting a body (CDN_CUT_BODY), or give the joint a larger weight",
                 of->name, of->joint);
}

/* The bodies of a subtree are a run: the System has them depth first. Ground carries all of the model. */
static void find_run(const io_builder *b, cdn_body body, int32_t *first_body, int32_t *last_body) {
  const int n = (int)b->tree.mobilizers.count;
  int first = 0;
  while (body.i > 0 && first < n && b->mobilizers[first].i != body.i) first++;
  int last = first;
  if (body.i > 0)
    while (last + 1 < n && io_mobilizer(b, last + 1)->level > io_mobilizer(b, first)->level) last++;
  else last = n - 1;
  *first_body = n > 0 ? b->mobilizers[first].i : 0;
  *last_body = n > 0 ? b->mobilizers[last].i : 0;
}

/* ---- sensors of contacts, actuators and tendons ---- */

static cdn_status nothing_called(io_builder *b, const cdn_spec_sensor *of, const char *what, const char *name) {
  return io_fail(b->log, wrong(of->line), of->line, "sensor '%.60s': there is no %s '%.60s'; correct the name",
                 of->name, what, name ? name : "(none)");
}

static cdn_status find_drive(io_builder *b, const cdn_spec_sensor *of, sensor *s) {
  const int i = of->actuator ? cdn_spec_find(b->spec, CDN_SPEC_ACTUATOR, of->actuator) : -1;
  if (i < 0 || i >= cdn_model_actuator_count(b->model)) return nothing_called(b, of, "actuator", of->actuator);
  s->driven = CDNI_AT(b->model->actuators, io_model_actuator, i).force;
  return CDN_OK;
}

static cdn_status add_driving(io_builder *b, sensor *s, cdn_force force) {
  if (cdni_array_push(s->memory, &s->driving, sizeof force, &force)) return CDN_OK;
  return io_fail(b->log, CDN_ERR_NOMEM, 0, "out of memory");
}

/* All actuators may act on a joint, and what bounds them; those that name a tendon act on it. */
static cdn_status find_driving(io_builder *b, const cdn_spec_sensor *of, bool tendon, sensor *s) {
  for (int i = 0; i < cdn_model_actuator_count(b->model); i++) {
    const char *name = io_spec_actuator(b->spec, i)->tendon;
    if (!tendon || (name && strcmp(name, of->tendon) == 0))
      CDNI_TRY(add_driving(b, s, CDNI_AT(b->model->actuators, io_model_actuator, i).force));
  }
  char bound[256];
  if (!tendon) snprintf(bound, sizeof bound, "%.200s actuators' limit", of->joint); /* build_actuators.c */
  const cdn_force force = tendon ? (cdn_force){ -1 } : cdn_system_find_force(b->system, bound);
  return force.i < 0 ? CDN_OK : add_driving(b, s, force);
}

static cdn_status find_tendon(io_builder *b, const cdn_spec_sensor *of, sensor *s) {
  if (of->tendon && io_find_tendon(b, of->tendon, &s->path)) return CDN_OK;
  return nothing_called(b, of, "tendon", of->tendon);
}

static cdn_status find_volume(io_builder *b, const cdn_spec_sensor *of, sensor *s) {
  memcpy(s->volume.size, of->volume_size, sizeof s->volume.size);
  if (io_geometry_kind(of->volume, &s->volume.kind) && cdn_geometry_check(&s->volume) == CDN_OK) return CDN_OK;
  return io_fail(b->log, wrong(of->line), of->line,
                 "sensor '%.60s': its volume is no sphere, capsule, ellipsoid, cylinder or box of positive sizes",
                 of->name);
}

static cdn_status find_side(io_builder *b, const cdn_spec_sensor *of, cdn_sensor_side kind, const char *name,
                            const sensor *s, io_side *side) {
  *side = (io_side){ .kind = kind, .shape = { -1 } };
  if (kind == CDN_SIDE_ANY || (kind == CDN_SIDE_VOLUME && side == &s->side[0])) return CDN_OK;
  if (kind == CDN_SIDE_VOLUME)
    return io_fail(b->log, wrong(of->line), of->line, "sensor '%.60s': a volume is side_a, not side_b", of->name);
  if (kind == CDN_SIDE_SHAPE) {
    const int i = name ? cdn_spec_find(b->spec, CDN_SPEC_SHAPE, name) : -1;
    if (i < 0) return nothing_called(b, of, "shape", name);
    if (b->ready[i].there) side->shape = b->ready[i].shape; /* one that never touches is { -1 } */
    return CDN_OK;
  }
  cdn_body body;
  CDNI_TRY(find_body(b, of, name, &body));
  side->first = side->last = body.i;
  if (kind == CDN_SIDE_SUBTREE) find_run(b, body, &side->first, &side->last);
  if (kind == CDN_SIDE_SUBTREE && body.i == 0) side->first = 0; /* the world itself, too */
  return CDN_OK;
}

static cdn_status find_sides(io_builder *b, const cdn_spec_sensor *of, sensor *s) {
  s->contacts = of->reduce == CDN_REDUCE_NET ? 1 : of->contacts, s->data = of->data, s->reduce = of->reduce;
  const int each = io_sensed_count(of->data);
  if (s->contacts < 1 || each < 1 || s->contacts > CDN_MEASURE_MOST / each)
    return io_fail(b->log, wrong(of->line), of->line,
                   "sensor '%.60s' has %d numbers of each of %d contacts: from 1 to %d in all are possible", of->name,
                   each, s->contacts, CDN_MEASURE_MOST);
  if (of->side_a == CDN_SIDE_VOLUME) {
    CDNI_TRY(find_volume(b, of, s));
    CDNI_TRY(find_body(b, of, of->body, &s->body));
  }
  CDNI_TRY(find_side(b, of, of->side_a, of->name_a, s, &s->side[0]));
  return find_side(b, of, of->side_b, of->name_b, s, &s->side[1]);
}

/* ---- limits ---------------------------------------------------------------------------------- */

/* The element that is the limit of a joint or a tendon. One that there is not leaves the sensor at zero. */
static void find_limit(const io_builder *b, const char *of, bool tendon, sensor *s) {
  static const struct {
    cdn_element_type type;
    const char *kind;
    bool tendon, ball;
  } kinds[] = {
    { CDN_ELEMENT_SOFT, "limit", false, false },          { CDN_ELEMENT_SOFT, "ball limit", false, true },
    { CDN_ELEMENT_FORCE, "mobility_stop", false, false }, { CDN_ELEMENT_FORCE, "rotation_stop", false, true },
    { CDN_ELEMENT_SOFT, "tendon limit", true, false },    { CDN_ELEMENT_SOFT, "path limit", true, false },
    { CDN_ELEMENT_FORCE, "path_stop", true, false },
  };
  char name[256];
  snprintf(name, sizeof name, "%.200s limit", of);
  s->limit = (io_limit){ .type = CDN_ELEMENT_COUNT, .rigid = { { -1 }, { -1 } } };
  for (int k = 0; k < CDNI_COUNT(kinds); k++)
    for (int i = 0; i < cdn_element_count(b->system, kinds[k].type) && kinds[k].tendon == tendon; i++)
      if (strcmp(cdn_element_kind(b->system, kinds[k].type, i), kinds[k].kind) == 0 &&
          strcmp(cdn_element_name(b->system, kinds[k].type, i), name) == 0)
        s->limit = (io_limit){ kinds[k].type, i, kinds[k].ball, { { -1 }, { -1 } } };
  for (int k = 0; k < 2 && !tendon; k++) {
    io_rigid_limit_name(of, k, name, sizeof name);
    s->limit.rigid[k] = cdn_system_find_one_sided(b->system, name);
  }
}

static cdn_status find_joint_limit(io_builder *b, const cdn_spec_sensor *of, sensor *s) {
  CDNI_TRY(find_joint(b, of, IO_OF_JOINT_LIMIT, &s->body));
  find_limit(b, of->joint, false, s);
  return CDN_OK;
}

/* ---- what is seen ----------------------------------------------------------------------------- */

static bool is_on_side(const cdn_spec_shape *shape, cdn_sensor_side side, const char *name) {
  const char *of = side == CDN_SIDE_SHAPE ? shape->name : shape->body;
  return of && name ? strcmp(of, name) == 0 : side == CDN_SIDE_BODY && of == name;
}

static bool is_invisible(const io_builder *b, const cdn_spec_shape *shape) {
  const int i = shape->material ? cdn_spec_find(b->spec, CDN_SPEC_ASSET, shape->material) : -1;
  return (i >= 0 ? io_spec_asset(b->spec, i)->rgba : shape->rgba)[3] == 0;
}

bool io_is_sensed(const io_builder *b, int i) {
  const cdn_spec_shape *shape = io_spec_shape(b->spec, i);
  for (int k = 0; k < cdn_spec_count(b->spec, CDN_SPEC_SENSOR); k++) {
    const cdn_spec_sensor *of = io_spec_sensor(b->spec, k);
    const io_sensor_kind *kind = io_sensor_kind_of(of->kind);
    if (of->kind == CDN_SENSOR_RANGE) return true;
    if (kind && kind->of == IO_OF_SHAPES &&
        (is_on_side(shape, of->side_a, of->name_a) || is_on_side(shape, of->side_b, of->name_b)))
      return true;
  }
  return false;
}

static cdn_status add_seen(io_builder *b, int i, cdn_sensor_kind kind, sensor *s) {
  const cdn_spec_shape *shape = io_spec_shape(b->spec, i);
  const io_ready_shape *ready = &b->ready[i];
  io_seen it = { { -1 }, cdn_ground(), ready->X_BS, ready->geometry };
  const int body = shape->body ? io_spec_find_body(&b->names, shape->body) : -1;
  if (body >= 0) it.body = b->bodies[body];
  if (ready->there) it.shape = ready->shape;
  if (!ready->there && !ready->seen) return CDN_OK;
  /* of rays: shapes that they do not meet, and what they meet without its being a shape */
  if (kind == CDN_SENSOR_RANGE && ready->there != is_invisible(b, shape)) return CDN_OK;
  if (!cdni_array_push(s->memory, &s->seen, sizeof it, &it)) return io_fail(b->log, CDN_ERR_NOMEM, 0, "out of memory");
  cdn_surface_retain(it.geometry.surface);
  return CDN_OK;
}

static cdn_status find_shapes(io_builder *b, const cdn_spec_sensor *of, sensor *s) {
  const struct {
    cdn_sensor_side side;
    const char *name;
  } sides[2] = { { of->side_a, of->name_a }, { of->side_b, of->name_b } };
  for (int k = 0; k < 2; k++) {
    if (sides[k].side != CDN_SIDE_SHAPE && sides[k].side != CDN_SIDE_BODY)
      return io_fail(b->log, wrong(of->line), of->line,
                     "sensor '%.60s': each side of it must be a shape or a body (side_a, side_b)", of->name);
    for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_SHAPE); i++)
      if (is_on_side(io_spec_shape(b->spec, i), sides[k].side, sides[k].name)) CDNI_TRY(add_seen(b, i, of->kind, s));
    if (k == 0) s->n_first = (int)s->seen.count;
  }
  return CDN_OK;
}

static cdn_status find_visible(io_builder *b, sensor *s) {
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_SHAPE); i++) CDNI_TRY(add_seen(b, i, CDN_SENSOR_RANGE, s));
  return CDN_OK;
}

/* ---- all --------------------------------------------------------------------------------------- */

static cdn_status find_frames(io_builder *b, const cdn_spec_sensor *of, sensor *s) {
  CDNI_TRY(find_body(b, of, of->body, &s->body));
  CDNI_TRY(find_body(b, of, of->reference, &s->reference));
  s->has_reference = of->has_reference;
  const double *frames[] = { (const double *)&of->X_BS, (const double *)&of->X_RS };
  for (int i = 0; i < 2; i++)
    if (!cdni_all_finite(frames[i], sizeof(cdn_transform) / sizeof(double), NULL))
      return io_fail(b->log, CDN_ERR_NONFINITE, of->line, "sensor '%.60s': a frame of it has a NaN or an infinity",
                     of->name);
  if (of->kind != CDN_SENSOR_RANGE) return CDN_OK;
  s->data = of->data, s->of_pixels = of->of_pixels, s->extent = of->extent;
  if (io_rays_count(of->data, of->of_pixels, of->pixels) == 0)
    return io_fail(b->log, wrong(of->line), of->line,
                   "sensor '%.60s': the numbers of its rays (data, pixels) are 1 to %d in all", of->name,
                   CDN_MEASURE_MOST);
  return find_visible(b, s);
}

static cdn_status check_numbers(io_builder *b, const cdn_spec_sensor *of) {
  if (of->numbers >= 1 && of->numbers <= CDN_MEASURE_MOST) return CDN_OK;
  return io_fail(b->log, wrong(of->line), of->line, "sensor '%.60s' has %d numbers: from 1 to %d are possible",
                 of->name, of->numbers, CDN_MEASURE_MOST);
}

static cdn_status find_what(io_builder *b, const cdn_spec_sensor *of, io_sensed_of what, sensor *s) {
  switch (what) {
    case IO_OF_JOINT:
    case IO_OF_BALL: return find_joint(b, of, what, &s->body);
    case IO_OF_JOINT_LIMIT: return find_joint_limit(b, of, s);
    case IO_OF_ACTUATOR: return find_drive(b, of, s);
    case IO_OF_DRIVEN_JOINT: CDNI_TRY(find_joint(b, of, what, &s->body)); return find_driving(b, of, false, s);
    case IO_OF_DRIVEN_TENDON: CDNI_TRY(find_tendon(b, of, s)); return find_driving(b, of, true, s);
    case IO_OF_TENDON: return find_tendon(b, of, s);
    case IO_OF_TENDON_LIMIT: find_limit(b, of->tendon ? of->tendon : "", true, s); return find_tendon(b, of, s);
    case IO_OF_CONTACTS: return find_sides(b, of, s);
    case IO_OF_SHAPES: return find_shapes(b, of, s);
    case IO_OF_USER: return check_numbers(b, of);
    case IO_OF_VOLUME: CDNI_TRY(find_volume(b, of, s)); return find_frames(b, of, s);
    case IO_OF_SUBTREE:
      CDNI_TRY(find_frames(b, of, s));
      find_run(b, s->body, &s->first, &s->last);
      return CDN_OK;
    case IO_OF_FRAME: return find_frames(b, of, s);
    case IO_OF_NOTHING: break;
  }
  return CDN_OK;
}

/* What the options leave out, its sensors cannot show. */
static const char *lacks(const io_builder *b, const cdn_spec_sensor *of, io_sensed_of what) {
  const bool of_contacts = of->kind == CDN_SENSOR_TOUCH || of->kind == CDN_SENSOR_RANGE || what == IO_OF_CONTACTS;
  if ((of_contacts || what == IO_OF_SHAPES) && !io_shapes_touch(&b->model->options))
    return "sensor of contacts or shapes (no contact)";
  if (what >= IO_OF_ACTUATOR && what <= IO_OF_DRIVEN_TENDON && b->model->options.tree_only)
    return "sensor of an actuator (none are built)";
  if (cdn_system_body_count(b->system) < 2 && what != IO_OF_USER && of->kind != CDN_SENSOR_CLOCK)
    return "sensor of a model without bodies";
  return NULL;
}

static bool is_noisy(const io_builder *b, const cdn_spec_sensor *of) {
  return of->noise > 0 && (of->noisy || b->model->options.noise);
}

static io_lag lag_of(const cdn_spec_sensor *s) {
  return (io_lag){ .of = "sensor",
                   .name = s->name,
                   .line = s->line,
                   .delay = s->delay,
                   .period = s->period,
                   .phase = s->phase,
                   .samples = s->samples,
                   .interpolation = s->interpolation };
}

static cdn_status add_sensor(io_builder *b, int index, cdn_measure *made) {
  const cdn_spec_sensor *of = io_spec_sensor(b->spec, index);
  const io_sensor_kind *kind = io_sensor_kind_of(of->kind);
  if (!kind)
    return io_fail(b->log, CDN_ERR_ARG, of->line, "sensor '%.60s': there is no kind %d", of->name, (int)of->kind);
  if (lacks(b, of, kind->of)) {
    io_not_understood(b->log, of->line, lacks(b, of, kind->of));
    return CDN_OK;
  }
  sensor s = { .kind = of->kind,
               .cutoff = of->cutoff,
               .noise = is_noisy(b, of) ? of->noise : 0,
               .user = (uint32_t)index,
               .X_BS = of->X_BS,
               .X_BR = of->X_RS,
               .gravity = b->gravity,
               .field = of->field,
               .driven = { -1 },
               .path = { -1 },
               .memory = cdni_system_allocator(b->system) };
  memcpy(s.focal, of->focal, sizeof s.focal);
  memcpy(s.pixels, of->pixels, sizeof s.pixels);
  const io_lag lag = lag_of(of);
  char now[256];
  snprintf(now, sizeof now, "%.200s now", of->name);
  CDNI_TRY(io_check_lag(b, &lag));
  const cdn_status status = find_what(b, of, kind->of, &s);
  if (status == CDN_OK) *made = io_add_sensor(b->system, of, io_is_late(&lag) ? now : of->name, &s);
  if (made->i < 0) io_forget_lists(&s);
  else if (io_is_late(&lag)) *made = io_add_late(b, *made, &lag, of->name);
  return status;
}

cdn_status io_build_sensors(io_builder *b) {
  const int n = cdn_spec_count(b->spec, CDN_SPEC_SENSOR);
  for (int i = 0; i < n; i++)
    if (is_noisy(b, io_spec_sensor(b->spec, i)) && cdn_system_random_ticket(b->system).i == 0)
      cdn_system_use_random(b->system, b->model->options.seed);
  for (int i = 0; i < n; i++) {
    cdn_measure made = { -1 };
    CDNI_TRY(add_sensor(b, i, &made));
    if (!cdni_array_push(&b->model->allocator, &b->model->measures, sizeof made, &made))
      return io_fail(b->log, CDN_ERR_NOMEM, 0, "out of memory");
  }
  return CDN_OK;
}
