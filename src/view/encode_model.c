/* The texts that describe a model: `hello` and `model`. */
#include <math.h>
#include <stdio.h>

#include <cardan/mobilizers.h>
#include <cardan/motion.h>
#include <cardan/stepper.h>

#include "geometry/kind.h"
#include "matter/matter.h"
#include "view/encode.h"

void cdni_encode_hello(view_text *t, view_mode mode) {
  static const char *const modes[] = { "live", "replay", "shown" };
  char version[32];
  const uint32_t v = cdn_version();
  snprintf(version, sizeof version, "%u.%u.%u", (unsigned)(v / 1000000), (unsigned)(v / 1000 % 1000),
           (unsigned)(v % 1000));
  cdni_text_clear(t);
  cdni_text_open(t, NULL, '{');
  cdni_text_string(t, "type", "hello");
  cdni_text_integer(t, "wire", 1);
  cdni_text_string(t, "cardan", version);
  cdni_text_string(t, "mode", modes[mode]);
  cdni_text_close(t, '}');
}

/* ---- coordinates ---- */

/* Limits of a joint with one coordinate. */
static void find_limits(const cdn_model *model, view_coordinate *c) {
  for (int i = 0; model && i < cdn_model_joint_count(model); i++) {
    const cdn_model_joint joint = cdn_model_get_joint(model, i);
    if (joint.mobilized.i != c->body.i || joint.nq != 1) continue;
    c->lower = joint.lower, c->upper = joint.upper;
    return;
  }
}

cdn_status cdni_list_coordinates(const cdn_system *system, const cdn_model *model, const cdn_allocator *allocator,
                                 cdni_array *out) {
  const matter *m = cdni_matter(system);
  *out = (cdni_array){ 0 };
  for (int b = 1; b < cdn_system_body_count(system); b++) {
    const cdn_body body = { b };
    const int nq = cdn_body_nq(system, body), nu = cdn_body_nu(system, body);
    for (int k = cdni_first_plain_coordinate(m, b); k < nq; k++) {
      const int u = cdn_body_first_u(system, body) + k - (nq - nu);
      view_coordinate c = { .body = body,
                            .k = k,
                            .slot = cdn_body_first_q(system, body) + k,
                            .is_angle = cdni_mobility_dimension(m, u - cdn_body_first_u(system, body) +
                                                                       m->tree.node[b].u) != 'L',
                            .lower = -INFINITY,
                            .upper = INFINITY };
      if (nq == 1) find_limits(model, &c);
      if (cdni_array_push(allocator, out, sizeof c, &c)) continue;
      cdni_array_free(allocator, out);
      return cdni_refuse(CDN_ERR_NOMEM, "cdn_view_open", "out of memory for the coordinates of the view");
    }
  }
  return CDN_OK;
}

bool cdni_coordinate_is_fixed(const cdn_state *state, const view_coordinate *c) {
  return cdn_body_driver(state, c->body).level != CDN_LEVEL_NONE;
}

/* ---- parts of the model ---- */

static void encode_vector(view_text *t, const char *key, cdn_vec3 v) {
  cdni_text_numbers(t, key, (const double[]){ v.x, v.y, v.z }, 3);
}

static void encode_pose(view_text *t, cdn_transform X) {
  const cdn_quaternion q = cdn_quaternion_from_rotation(X.R);
  cdni_text_numbers(t, "pose", (const double[]){ X.p.x, X.p.y, X.p.z, q.w, q.x, q.y, q.z }, 7);
}

static void encode_bodies(view_text *t, const view_model *m) {
  const cdn_system *system = cdn_state_system(m->state);
  cdni_text_open(t, "bodies", '[');
  for (int b = 0; b < cdn_system_body_count(system); b++) {
    const cdn_body body = { b };
    cdni_text_open(t, NULL, '{');
    cdni_text_string(t, "name", cdn_body_name(system, body));
    cdni_text_integer(t, "parent", cdn_body_parent(system, body).i);
    const cdn_mass_properties mass = b > 0 ? cdn_body_mass_properties(m->state, body) : (cdn_mass_properties){ 0 };
    cdni_text_number(t, "mass", mass.mass);
    encode_vector(t, "com", mass.com);
    cdni_text_close(t, '}');
  }
  cdni_text_close(t, ']');
}

static void encode_pattern(view_text *t, const cdn_visual *v) {
  cdni_text_open(t, "pattern", '{');
  cdni_text_string(t, "kind", v->pattern == CDN_PATTERN_CHECKER ? "checker" : "gradient");
  cdni_text_numbers(t, "rgb", v->rgb2, 3);
  cdni_text_numbers(t, "tile", v->tile, 2);
  cdni_text_close(t, '}');
}

/* What is as usual is left out. Planes have their places in a picture by two rows of `place`. */
static void encode_material(view_text *t, const cdn_visual *v) {
  const cdn_visual_def usual = cdn_default_visual_def();
  const struct {
    const char *name;
    double value, usual;
  } parts[] = { { "specular", v->specular, usual.specular },
                { "shininess", v->shininess, usual.shininess },
                { "emission", v->emission, 0 },
                { "reflectance", v->reflectance, 0 } };
  for (int i = 0; i < CDNI_COUNT(parts); i++)
    if (parts[i].value != parts[i].usual) cdni_text_number(t, parts[i].name, parts[i].value);
  if (v->texture < 0) return;
  cdni_text_integer(t, "texture", v->texture);
  if (v->geometry.kind == CDN_GEOMETRY_HALF_SPACE) cdni_text_numbers(t, "place", &v->place[0][0], 8);
}

static void encode_visuals(view_text *t, const view_model *m) {
  cdni_text_open(t, "visuals", '[');
  for (int i = 0; i < cdn_scene_visual_count(m->scene); i++) {
    cdn_visual v;
    if (cdn_scene_visual(m->scene, i, &v) != CDN_OK) continue;
    const geometry_kind *kind = kind_of(&v.geometry);
    const bool is_plane = v.geometry.kind == CDN_GEOMETRY_HALF_SPACE;
    const double half[2] = { v.half[0] > 0 ? v.half[0] : INFINITY, v.half[1] > 0 ? v.half[1] : INFINITY };
    const double *size = is_plane ? half : v.geometry.size;
    cdni_text_open(t, NULL, '{');
    cdni_text_string(t, "name", v.name);
    cdni_text_integer(t, "body", v.body.i);
    cdni_text_string(t, "shape", kind->page.shape ? kind->page.shape : "mesh");
    cdni_text_numbers(t, "size", size, kind->page.n);
    if (m->looks->of_visual[i] >= 0) cdni_text_integer(t, "mesh", m->looks->of_visual[i]);
    encode_pose(t, v.X_BV);
    cdni_text_numbers(t, "rgba", v.rgba, 4);
    if (is_plane && v.pattern != CDN_PATTERN_PLAIN) encode_pattern(t, &v);
    encode_material(t, &v);
    cdni_text_integer(t, "group", v.group);
    cdni_text_boolean(t, "collision", v.collision);
    cdni_text_boolean(t, "skeleton", v.skeleton);
    cdni_text_close(t, '}');
  }
  cdni_text_close(t, ']');
}

static void encode_cameras(view_text *t, const view_model *m) {
  static const char *const modes[] = { "fixed", "track", "track-com", "target", "target-com" };
  _Static_assert(CDNI_COUNT(modes) == CDN_CAMERA_MODE_COUNT, "each mode has a name");
  cdni_text_open(t, "cameras", '[');
  for (int i = 0; i < cdn_scene_camera_count(m->scene); i++) {
    cdn_camera_def c;
    if (cdn_scene_camera(m->scene, i, &c) != CDN_OK) continue;
    cdni_text_open(t, NULL, '{');
    cdni_text_string(t, "name", c.name);
    cdni_text_integer(t, "body", c.body.i);
    encode_pose(t, c.X_BC);
    cdni_text_number(t, "fovy", c.fovy);
    cdni_text_string(t, "mode", modes[c.mode]);
    cdni_text_integer(t, "target", c.target.i);
    cdni_text_close(t, '}');
  }
  cdni_text_close(t, ']');
  cdni_text_open(t, "lights", '[');
  for (int i = 0; i < cdn_scene_light_count(m->scene); i++) {
    cdn_light_def l;
    if (cdn_scene_light(m->scene, i, &l) != CDN_OK) continue;
    if (l.mode != CDN_CAMERA_FIXED) { /* the page has it as it shines in this frame */
      (void)!cdn_scene_light_ray(m->scene, i, &l.position, &l.direction);
      l.body = cdn_ground();
    }
    cdni_text_open(t, NULL, '{');
    cdni_text_integer(t, "body", l.body.i);
    encode_vector(t, "position", l.position);
    encode_vector(t, "direction", l.direction);
    cdni_text_boolean(t, "directional", l.directional);
    cdni_text_numbers(t, "rgb", l.rgb, 3);
    cdni_text_number(t, "cutoff", l.cutoff);
    cdni_text_number(t, "exponent", l.exponent);
    cdni_text_numbers(t, "attenuation", l.attenuation, 3);
    cdni_text_boolean(t, "castshadow", l.castshadow);
    cdni_text_close(t, '}');
  }
  cdni_text_close(t, ']');
}

static void encode_sky(view_text *t, const view_model *m) {
  if (m->looks->sky < 0) return;
  cdni_text_open(t, "sky", '{');
  cdni_text_integer(t, "mesh", m->looks->sky);
  cdni_text_integer(t, "texture", cdn_scene_sky(m->scene, NULL));
  cdni_text_close(t, '}');
}

static void encode_coordinates(view_text *t, const view_model *m) {
  const cdn_system *system = cdn_state_system(m->state);
  cdni_text_open(t, "coordinates", '[');
  for (int i = 0; i < m->n_coordinates; i++) {
    const view_coordinate *c = &m->coordinates[i];
    char name[96];
    cdn_system_slot_name(system, CDN_POOL_Q, c->slot, name, sizeof name);
    cdni_text_open(t, NULL, '{');
    cdni_text_string(t, "name", name);
    cdni_text_integer(t, "body", c->body.i);
    cdni_text_string(t, "unit", c->is_angle ? "rad" : cdn_system_unit(system, "m"));
    cdni_text_number(t, "lower", c->lower);
    cdni_text_number(t, "upper", c->upper);
    cdni_text_number(t, "value", cdn_state_q(m->state)[c->slot]);
    cdni_text_boolean(t, "fixed", cdni_coordinate_is_fixed(m->state, c));
    cdni_text_close(t, '}');
  }
  cdni_text_close(t, ']');
}

static void encode_controls(view_text *t, const view_model *m) {
  const cdn_system *system = cdn_state_system(m->state);
  cdni_text_open(t, "controls", '[');
  for (int i = 0; m->is_live && i < cdn_system_control_count(system); i++) {
    const cdn_control c = { i };
    double lower = -INFINITY, upper = INFINITY, value = NAN;
    (void)!cdn_control_limits(m->state, c, &lower, &upper);
    (void)!cdn_control_value(m->state, c, &value);
    cdni_text_open(t, NULL, '{');
    cdni_text_string(t, "name", cdn_control_name(system, c));
    cdni_text_string(t, "unit", cdn_control_unit(system, c));
    cdni_text_number(t, "lower", lower);
    cdni_text_number(t, "upper", upper);
    cdni_text_number(t, "value", value);
    cdni_text_boolean(t, "fixed", cdn_control_follows(system, c));
    cdni_text_close(t, '}');
  }
  cdni_text_close(t, ']');
}

/* What people may change: Ground's mass moves nothing, and the pull is the hand's. */
static bool is_offered(const view_model *m, cdn_element_type type, int i) {
  if (type == CDN_ELEMENT_SUBSYSTEM || (type == CDN_ELEMENT_BODY && i == 0)) return false;
  if (type == CDN_ELEMENT_FORCE && i == m->pull.i) return false;
  return cdn_element_parameter_count(cdn_state_system(m->state), type, i) > 0;
}

static const char *kind_name(const cdn_system *system, cdn_element_type type, int i) {
  const char *kind = cdn_element_kind(system, type, i);
  if (!kind && type == CDN_ELEMENT_BODY) return cdn_mobilizer_name(cdn_body_mobilizer(system, (cdn_body){ i }));
  return kind ? kind : "";
}

static void encode_elements(view_text *t, const view_model *m) {
  const cdn_system *system = cdn_state_system(m->state);
  cdni_text_open(t, "elements", '[');
  for (int type = 0; m->is_live && type < CDN_ELEMENT_COUNT; type++)
    for (int i = 0; i < cdn_element_count(system, (cdn_element_type)type); i++) {
      if (!is_offered(m, (cdn_element_type)type, i)) continue;
      cdni_text_open(t, NULL, '{');
      cdni_text_string(t, "element_type", cdn_element_type_name((cdn_element_type)type));
      cdni_text_integer(t, "element", i);
      cdni_text_string(t, "name", cdn_element_name(system, (cdn_element_type)type, i));
      cdni_text_string(t, "kind", kind_name(system, (cdn_element_type)type, i));
      cdni_text_close(t, '}');
    }
  cdni_text_close(t, ']');
}

static void encode_choices(view_text *t, const view_model *m) {
  cdni_text_open(t, "series", '[');
  for (int i = 0; i < m->n_series; i++) {
    cdni_text_open(t, NULL, '{');
    cdni_text_string(t, "name", m->series[i].name);
    cdni_text_string(t, "unit", m->series[i].unit);
    cdni_text_string(t, "group", m->series[i].group);
    cdni_text_close(t, '}');
  }
  cdni_text_close(t, ']');
  cdni_text_open(t, "keyframes", '[');
  for (int i = 0; m->is_live && m->model && i < cdn_model_key_count(m->model); i++)
    cdni_text_string(t, NULL, cdn_model_key_name(m->model, i));
  cdni_text_close(t, ']');
  cdni_text_open(t, "methods", '[');
  for (int i = 1; m->is_live && cdn_method_name((cdn_method)i); i++)
    if (cdn_method_is_available((cdn_method)i)) cdni_text_string(t, NULL, cdn_method_name((cdn_method)i));
  cdni_text_close(t, ']');
  cdni_text_open(t, "contacts", '[');
  for (int i = 0; i < m->n_contacts; i++) cdni_text_string(t, NULL, m->contacts[i]);
  cdni_text_close(t, ']');
}

static void encode_layers(view_text *t) {
  static const char *const names[] = { "joints", "frames", "masses", "constraints", "contacts",
                                       "forces", "points", "labels", "own",         "cones",
                                       "rows",   "paths",  "rays",   "media",       "statuses" };
  _Static_assert((1 << CDNI_COUNT(names)) - 1 == CDN_LAYER_ALL, "each layer has a name");
  cdni_text_open(t, "layers", '[');
  for (int i = 0; i < CDNI_COUNT(names); i++) {
    cdni_text_open(t, NULL, '{');
    cdni_text_string(t, "name", names[i]);
    cdni_text_integer(t, "bit", 1 << i);
    cdni_text_close(t, '}');
  }
  cdni_text_close(t, ']');
}

static void encode_runs(view_text *t, const view_model *m) {
  cdni_text_open(t, "runs", '[');
  for (int i = 0; i < m->n_runs; i++) {
    const view_run *r = &m->runs[i];
    cdni_text_open(t, NULL, '{');
    cdni_text_string(t, "name", r->name);
    cdni_text_numbers(t, "rgba", r->rgba, 4);
    cdni_text_number(t, "from", r->from);
    if (!isnan(r->to)) cdni_text_number(t, "to", r->to);
    if (!isnan(r->to)) cdni_text_number(t, "rows", r->rows);
    cdni_text_close(t, '}');
  }
  cdni_text_close(t, ']');
}

/* Of what pages say themselves. */
static void encode_units(view_text *t, const cdn_system *system) {
  cdni_text_open(t, "units", '{');
  cdni_text_string(t, "length", cdn_system_unit(system, "m"));
  cdni_text_string(t, "mass", cdn_system_unit(system, "kg"));
  cdni_text_string(t, "energy", cdn_system_unit(system, "J"));
  cdni_text_close(t, '}');
}

void cdni_encode_model(view_text *t, const view_model *m) {
  cdn_vec3 least, most;
  cdn_scene_bounds(m->scene, &least, &most);
  double radius = 0.5 * cdn_norm(cdn_sub(most, least));
  if (!(radius > 0)) radius = 1;
  cdni_text_clear(t);
  cdni_text_open(t, NULL, '{');
  cdni_text_string(t, "type", "model");
  cdni_text_string(t, "name", m->name);
  cdni_text_string(t, "source", m->source);
  encode_vector(t, "center", cdn_scale(0.5, cdn_add(least, most)));
  cdni_text_number(t, "radius", radius);
  encode_vector(t, "up", cdn_v3(0, 0, 1));
  encode_units(t, cdn_state_system(m->state));
  cdni_text_open(t, "time", '{');
  cdni_text_string(t, "unit", m->clock.name);
  cdni_text_number(t, "seconds", m->clock.seconds);
  cdni_text_close(t, '}');
  encode_bodies(t, m);
  encode_visuals(t, m);
  encode_sky(t, m);
  encode_cameras(t, m);
  encode_coordinates(t, m);
  encode_controls(t, m);
  encode_elements(t, m);
  encode_choices(t, m);
  encode_layers(t);
  encode_runs(t, m);
  cdni_text_close(t, '}');
}
