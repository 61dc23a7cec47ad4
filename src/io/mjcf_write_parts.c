/* <contact>, <equality>, <tendon> and <keyframe>. */
#include <math.h>
#include <stdio.h>

#include "io/mjcf_write.h"

/* A section is there if it has elements. */
static cdn_status begin(mjcf_writer *w, const char *section, int n) {
  if (n == 0) return CDN_OK;
  CDNI_TRY(io_put_begin(&w->xml, section));
  return io_put_into(&w->xml);
}
static cdn_status end(mjcf_writer *w, const char *section, int n) {
  return n == 0 ? CDN_OK : io_put_close(&w->xml, section);
}

/* ---- contact --------------------------------------------------------------------------------- */

/* A part of a body is no body there. */
static bool is_body(const mjcf_writer *w, const char *name) { return io_spec_find_body(&w->names, name) != -2; }

static cdn_status write_contact(mjcf_writer *w, int i) {
  const cdn_spec_contact *c = io_spec_contact(w->spec, i);
  if (c->exclude && !(is_body(w, c->body_a) && is_body(w, c->body_b))) return CDN_OK;
  CDNI_TRY(io_put_begin(&w->xml, c->exclude ? "exclude" : "pair"));
  if (cdn_spec_find(w->spec, CDN_SPEC_CONTACT, c->name) == i) CDNI_TRY(io_put_text(&w->xml, "name", c->name));
  CDNI_TRY(
      io_put_text(&w->xml, c->exclude ? "body1" : "geom1", c->exclude ? io_mjcf_body_name(c->body_a) : c->shape_a));
  CDNI_TRY(
      io_put_text(&w->xml, c->exclude ? "body2" : "geom2", c->exclude ? io_mjcf_body_name(c->body_b) : c->shape_b));
  if (c->exclude) return io_put_end(&w->xml);
  CDNI_TRY(io_put_int_unless(&w->xml, "condim", c->condim, 3));
  CDNI_TRY(io_put_numbers(&w->xml, "friction", c->friction, 5));
  CDNI_TRY(io_put_number_unless(&w->xml, "margin", c->margin, 0));
  CDNI_TRY(io_put_number_unless(&w->xml, "gap", c->gap, 0));
  CDNI_TRY(io_mjcf_put_law(w, "solref", "solimp", &c->law));
  return io_put_end(&w->xml);
}

cdn_status io_mjcf_write_contacts(mjcf_writer *w) {
  const int n = cdn_spec_count(w->spec, CDN_SPEC_CONTACT);
  CDNI_TRY(begin(w, "contact", n));
  for (int i = 0; i < n; i++) CDNI_TRY(write_contact(w, i));
  return end(w, "contact", n);
}

/* ---- equality -------------------------------------------------------------------------------- */

static cdn_status put_pair(mjcf_writer *w, const char *a, const char *of_a, const char *b, const char *of_b) {
  CDNI_TRY(io_put_text(&w->xml, a, of_a));
  return io_put_text(&w->xml, b, of_b);
}

/* By sites where they say what is where on both bodies; else by a point, or by the pose of the second body. */
static cdn_status put_ends(mjcf_writer *w, const cdn_spec_constraint *c) {
  if (io_mjcf_has_site(w, c->body_a, &c->X_A) && io_mjcf_has_site(w, c->body_b, &c->X_B)) {
    CDNI_TRY(io_mjcf_put_site(w, "site1", c->body_a, &c->X_A, NULL));
    return io_mjcf_put_site(w, "site2", c->body_b, &c->X_B, NULL);
  }
  CDNI_TRY(put_pair(w, "body1", io_mjcf_body_name(c->body_a), "body2", io_mjcf_body_name(c->body_b)));
  if (c->kind == CDN_SPEC_CONNECT) return io_put_numbers(&w->xml, "anchor", &c->X_A.p.x, 3);
  const cdn_quaternion q = cdn_quaternion_from_rotation(c->X_A.R);
  const cdn_vec3 p = c->X_A.p;
  CDNI_TRY(io_put_numbers(&w->xml, "anchor", &c->X_B.p.x, 3));
  return io_put_numbers(&w->xml, "relpose", (double[7]){ p.x, p.y, p.z, q.w, q.x, q.y, q.z }, 7);
}

static cdn_status write_equality(mjcf_writer *w, const cdn_spec_constraint *c) {
  static const char *const words[] = { "connect", "weld", "joint", "tendon" };
  static const double usual[5] = { 0, 1 };
  CDNI_TRY(io_put_begin(&w->xml, words[c->kind]));
  CDNI_TRY(io_put_text(&w->xml, "name", c->name));
  if (c->disabled) CDNI_TRY(io_put_bool(&w->xml, "active", false));
  switch (c->kind) {
    case CDN_SPEC_CONNECT:
    case CDN_SPEC_WELD: CDNI_TRY(put_ends(w, c)); break;
    case CDN_SPEC_COUPLING: CDNI_TRY(put_pair(w, "joint1", c->joint_y, "joint2", c->joint_x)); break;
    case CDN_SPEC_TENDON_COUPLING: CDNI_TRY(put_pair(w, "tendon1", c->tendon_y, "tendon2", c->tendon_x)); break;
  }
  if (c->kind == CDN_SPEC_WELD) CDNI_TRY(io_put_number_unless(&w->xml, "torquescale", c->torque_scale, 1));
  if (c->kind != CDN_SPEC_CONNECT && c->kind != CDN_SPEC_WELD)
    CDNI_TRY(io_put_unless(&w->xml, "polycoef", c->c, usual, 5));
  CDNI_TRY(io_mjcf_put_law(w, "solref", "solimp", &c->law));
  return io_put_end(&w->xml);
}

cdn_status io_mjcf_write_equalities(mjcf_writer *w) {
  const int n = cdn_spec_count(w->spec, CDN_SPEC_CONSTRAINT);
  CDNI_TRY(begin(w, "equality", n));
  for (int i = 0; i < n; i++) CDNI_TRY(write_equality(w, io_spec_constraint(w->spec, i)));
  return end(w, "equality", n);
}

/* ---- tendon ---------------------------------------------------------------------------------- */

static cdn_status write_coordinate(mjcf_writer *w, const char *joint, double coefficient) {
  CDNI_TRY(io_put_begin(&w->xml, "joint"));
  CDNI_TRY(io_put_text(&w->xml, "joint", joint));
  CDNI_TRY(io_put_number(&w->xml, "coef", coefficient));
  return io_put_end(&w->xml);
}

/* The geom that an obstacle is. */
static const cdn_spec_shape *geom_of(const mjcf_writer *w, const cdn_spec_path_item *item) {
  const cdn_shape_type type = item->kind == CDN_SPEC_PATH_SPHERE ? CDN_SHAPE_SPHERE : CDN_SHAPE_CYLINDER;
  const int body = io_mjcf_body_of(w, item->body);
  for (int i = 0; i < cdn_spec_count(w->spec, CDN_SPEC_SHAPE); i++) {
    const cdn_spec_shape *s = io_spec_shape(w->spec, i);
    if (s->type == type && s->size[0] == item->radius && io_mjcf_body_of(w, s->body) == body &&
        memcmp(&s->X_BS, &item->X_BP, sizeof s->X_BS) == 0)
      return s;
  }
  return NULL;
}

static cdn_status write_obstacle(mjcf_writer *w, const cdn_spec_path_item *item) {
  const cdn_spec_shape *geom = geom_of(w, item);
  if (!geom)
    return cdni_refuse(CDN_ERR_UNSUPPORTED, "cdn_spec_save",
                       "MJCF cannot hold what tendon '%.80s' goes around: there is no shape of its size and pose",
                       item->tendon);
  CDNI_TRY(io_put_begin(&w->xml, "geom"));
  CDNI_TRY(io_put_text(&w->xml, "geom", geom->name));
  if (item->has_side) {
    const cdn_transform X = { .p = item->side };
    CDNI_TRY(io_mjcf_put_site(w, "sidesite", item->side_body, &X, NULL));
  }
  return io_put_end(&w->xml);
}

static cdn_status write_item(mjcf_writer *w, const cdn_spec_path_item *item) {
  switch (item->kind) {
    case CDN_SPEC_PATH_COORDINATE: return write_coordinate(w, item->joint, item->coefficient);
    case CDN_SPEC_PATH_SPHERE:
    case CDN_SPEC_PATH_CYLINDER: return write_obstacle(w, item);
    case CDN_SPEC_PATH_POINT:
      CDNI_TRY(io_put_begin(&w->xml, "site"));
      CDNI_TRY(io_mjcf_put_site(w, "site", item->body, &item->X_BP, NULL));
      return io_put_end(&w->xml);
    case CDN_SPEC_PATH_PULLEY:
      CDNI_TRY(io_put_begin(&w->xml, "pulley"));
      CDNI_TRY(io_put_number(&w->xml, "divisor", item->divisor));
      return io_put_end(&w->xml);
  }
  return CDN_ERR_ARG;
}

static cdn_status put_tendon(mjcf_writer *w, const cdn_spec_tendon *t) {
  const cdn_spec_tendon usual = cdn_default_spec_tendon();
  CDNI_TRY(io_put_text(&w->xml, "name", t->name));
  if (t->limited) CDNI_TRY(io_mjcf_put_range(w, "limited", "range", t->lower, t->upper));
  CDNI_TRY(io_put_number_unless(&w->xml, "margin", t->margin, 0));
  CDNI_TRY(io_put_number_unless(&w->xml, "frictionloss", t->friction, 0));
  CDNI_TRY(io_mjcf_put_polynomial(w, "stiffness", t->stiffness, t->stiffness_higher));
  CDNI_TRY(io_mjcf_put_polynomial(w, "damping", t->damping, t->damping_higher));
  CDNI_TRY(io_put_number_unless(&w->xml, "armature", t->armature, 0));
  if (t->has_rest) CDNI_TRY(io_put_numbers(&w->xml, "springlength", (double[2]){ t->rest_lower, t->rest_upper }, 2));
  CDNI_TRY(io_mjcf_put_law(w, "solreflimit", "solimplimit", &t->limit_law));
  CDNI_TRY(io_mjcf_put_law(w, "solreffriction", "solimpfriction", &t->friction_law));
  CDNI_TRY(io_mjcf_put_range(w, "actuatorfrclimited", "actuatorfrcrange", t->effort_lower, t->effort_upper));
  CDNI_TRY(io_put_number_unless(&w->xml, "width", t->width, usual.width));
  CDNI_TRY(io_put_unless(&w->xml, "rgba", t->rgba, usual.rgba, 4));
  return io_put_int_unless(&w->xml, "group", t->group, 0);
}

static cdn_status write_tendon(mjcf_writer *w, const cdn_spec_tendon *t) {
  const char *word = t->joints > 0 ? "fixed" : "spatial";
  CDNI_TRY(io_put_begin(&w->xml, word));
  CDNI_TRY(put_tendon(w, t));
  CDNI_TRY(io_put_into(&w->xml));
  for (int k = 0; k < t->joints; k++) CDNI_TRY(write_coordinate(w, t->joint[k], t->coefficient[k]));
  for (int i = 0; i < cdn_spec_count(w->spec, CDN_SPEC_PATH_ITEM); i++) {
    const cdn_spec_path_item *item = io_spec_path_item(w->spec, i);
    if (item->tendon && strcmp(item->tendon, t->name) == 0) CDNI_TRY(write_item(w, item));
  }
  return io_put_close(&w->xml, word);
}

cdn_status io_mjcf_write_tendons(mjcf_writer *w) {
  const int n = cdn_spec_count(w->spec, CDN_SPEC_TENDON);
  CDNI_TRY(begin(w, "tendon", n));
  for (int i = 0; i < n; i++) CDNI_TRY(write_tendon(w, io_spec_tendon(w->spec, i)));
  return end(w, "tendon", n);
}

/* ---- keyframe -------------------------------------------------------------------------------- */

/* MuJoCo has the place of a free joint before its quaternion, and the angular velocity of ball and free joints in the
 * moving axes. `q` is ours. */
static void turn_q(const cdn_spec_joint *j, const double *q, double *out) {
  if (j->kind != CDN_FREE) return (void)memcpy(out, q, (size_t)io_spec_joint_nq(j) * sizeof *out);
  memcpy(out, q + 4, 3 * sizeof *out);
  memcpy(out + 3, q, 4 * sizeof *out);
}

static void turn_u(const cdn_spec_joint *j, const double *q, const double *u, double *out) {
  if (j->kind != CDN_FREE && j->kind != CDN_BALL)
    return (void)memcpy(out, u, (size_t)io_spec_joint_nu(j) * sizeof *out);
  const cdn_rotation R = cdn_rotation_from_quaternion((cdn_quaternion){ q[0], q[1], q[2], q[3] });
  const cdn_vec3 turned = cdn_rotate_inv(R, cdn_v3(u[0], u[1], u[2]));
  if (j->kind == CDN_FREE) memcpy(out, u + 3, 3 * sizeof *out), out += 3;
  out[0] = turned.x, out[1] = turned.y, out[2] = turned.z;
}

/* Where a joint's numbers begin in the lists of a key. */
static int place_in_key(const mjcf_writer *w, int joint, int (*count)(const cdn_spec_joint *)) {
  int at = 0;
  for (int i = 0; i < joint; i++) at += count(io_spec_joint(w->spec, i));
  return at;
}

/* An attribute of a key: which joints it is of, and which of their numbers. */
typedef struct key_list {
  const char *name;
  bool mocap, speeds;
  int first, n; /* 0: all */
} key_list;

static bool is_in_list(const mjcf_writer *w, int joint, const key_list *list) {
  return io_spec_body(w->spec, w->names.child[joint])->mocap == list->mocap;
}

/* The numbers of the joints, one joint after another in the order of the file. */
static cdn_status put_joints(mjcf_writer *w, const cdn_spec_key *key, const key_list *list) {
  int written = 0;
  for (int k = 0; k < w->n_order; k++) {
    const cdn_spec_joint *j = io_spec_joint(w->spec, w->order[k]);
    const int at_q = place_in_key(w, w->order[k], io_spec_joint_nq), nq = io_spec_joint_nq(j);
    const int at_u = place_in_key(w, w->order[k], io_spec_joint_nu), nu = io_spec_joint_nu(j);
    const double *q = at_q + nq <= key->nq ? key->q + at_q : j->q0;
    double out[7] = { 0 };
    char text[CDN_NUMBER_SIZE];
    if (!is_in_list(w, w->order[k], list)) continue;
    if (!list->speeds) turn_q(j, q, out);
    else if (at_u + nu <= key->nu) turn_u(j, q, key->u + at_u, out);
    const int n = list->n ? list->n : list->speeds ? nu : nq;
    for (int i = list->first; i < list->first + n; i++) {
      if (written == 0) CDNI_TRY(io_put(w->xml.to, " %s=\"", list->name));
      CDNI_TRY(io_put(w->xml.to, "%s%s", written++ ? " " : "", cdn_number_text(out[i], text)));
    }
  }
  return written ? io_put(w->xml.to, "\"") : CDN_OK;
}

static cdn_status put_list(mjcf_writer *w, const char *name, const double *x, int n, bool activations) {
  char text[CDN_NUMBER_SIZE];
  int written = 0;
  if (!x) return CDN_OK;
  CDNI_TRY(io_put(w->xml.to, " %s=\"", name));
  for (int i = 0; i < cdn_spec_count(w->spec, CDN_SPEC_ACTUATOR); i++)
    if (!activations || io_spec_actuator(w->spec, i)->dynamics != CDN_ACTUATOR_DIRECT)
      CDNI_TRY(io_put(w->xml.to, "%s%s", written++ ? " " : "", cdn_number_text(i < n ? x[i] : 0, text)));
  return io_put(w->xml.to, "\"");
}

static cdn_status write_key(mjcf_writer *w, const cdn_spec_key *k) {
  static const key_list lists[] = { { .name = "qpos" },
                                    { .name = "qvel", .speeds = true },
                                    { "mpos", true, false, 0, 3 },
                                    { "mquat", true, false, 3, 4 } };
  CDNI_TRY(io_put_begin(&w->xml, "key"));
  CDNI_TRY(io_put_text(&w->xml, "name", k->name));
  CDNI_TRY(io_put_number_unless(&w->xml, "time", k->time, 0));
  for (int i = 0; i < CDNI_COUNT(lists); i++)
    if (lists[i].speeds ? k->u : k->q) CDNI_TRY(put_joints(w, k, &lists[i]));
  CDNI_TRY(put_list(w, "ctrl", k->controls, k->n_actuators, false));
  CDNI_TRY(put_list(w, "act", k->activations, k->n_actuators, true));
  return io_put_end(&w->xml);
}

cdn_status io_mjcf_write_keys(mjcf_writer *w) {
  const int n = cdn_spec_count(w->spec, CDN_SPEC_KEY);
  CDNI_TRY(begin(w, "keyframe", n));
  for (int i = 0; i < n; i++) CDNI_TRY(write_key(w, io_spec_key(w->spec, i)));
  return end(w, "keyframe", n);
}
