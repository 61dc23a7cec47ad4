/* Keyframes. MuJoCo lists a free joint as (position, quaternion) and (linear, angular) velocity, the angular part of
 * free and ball joints in the moving axes; ours are (quaternion, position) and (angular, linear), all in F's axes. */
#include <math.h>
#include <stdio.h>

#include "io/mjcf.h"

/* The keys of an attached model have numbers for that model alone. */
static bool is_in_key(const mjcf_reader *r, int model) { return r->model == 0 || model == r->model; }

static int model_of_joint(const io_description *d, size_t i) {
  return CDNI_AT(d->bodies, io_body, CDNI_AT(d->joints, io_joint, i).body).model;
}

/* Numbers of the joints that the key speaks of, one after another, from (`out`: to) those of all joints; how many. */
static int pack(const mjcf_reader *r, int (*count)(io_joint_kind kind), double *all, double *own, bool out) {
  int n = 0;
  for (size_t i = 0; i < r->d->joints.count; i++) {
    const int k = count(CDNI_AT(r->d->joints, io_joint, i).kind);
    if (is_in_key(r, model_of_joint(r->d, i))) {
      if (own) memcpy(out ? all : own + n, out ? own + n : all, (size_t)k * sizeof *own);
      n += k;
    }
    if (own) all += k;
  }
  return n;
}

static int count_all(const io_description *d, int (*count)(io_joint_kind kind)) {
  int n = 0;
  for (size_t i = 0; i < d->joints.count; i++) n += count(CDNI_AT(d->joints, io_joint, i).kind);
  return n;
}

/* A list that is too long is an error, unless its further numbers may belong to joints that are not simulated. */
static cdn_status refuse_count(mjcf_reader *r, io_xml_node *node, const char *attribute, int found, int expected) {
  if (!r->lost_joints && r->model == 0)
    return io_xml_fail(r->d, CDN_ERR_PARSE, node,
                       "%s has %d number%s, but the model's joints need %d: 7 a free joint, "
                       "4 a ball (for qvel 6 and 3), 1 a hinge or slide, in the file's "
                       "order",
                       attribute, found, found == 1 ? "" : "s", expected);
  char note[40];
  snprintf(note, sizeof note, "key %s", attribute);
  io_not_understood(r->d, io_xml_line(node), note);
  return CDN_OK;
}

/* The orientation in which a keyframe's velocities are meant, when it gives none: the reference configuration. */
static cdn_quaternion reference(const io_description *d, const io_joint *j) {
  if (j->kind == IO_FREE) return cdn_quaternion_from_rotation(CDNI_AT(d->bodies, io_body, j->body).X_PB.R);
  return (cdn_quaternion){ 1, 0, 0, 0 };
}

/* Reads as many numbers as the attribute has, from the front; the others take their values from `rest`, as in
 * MuJoCo. */
static cdn_status read_values(mjcf_reader *r, io_xml_node *node, const char *attribute, const char *rest,
                              double *values, int expected, bool *present) {
  *present = false;
  const char *text = io_xml_string(node, attribute);
  if (!text) return CDN_OK;
  const int found = io_xml_count(text);
  if (found == 0) return CDN_OK;
  if (found > expected || (found < expected && (r->lost_joints || r->model > 0)))
    return refuse_count(r, node, attribute, found, expected);
  if (found < expected)
    io_warn(r->d, io_xml_line(node), "%s of a key has %d of %d numbers; the others are %s", attribute, found, expected,
            rest);
  int count;
  *present = true;
  return io_xml_doubles_upto(r->d, node, attribute, values, found, expected, &count);
}

static cdn_status read_own(mjcf_reader *r, io_xml_node *node, const char *attribute, const char *rest,
                           int (*count)(io_joint_kind kind), double *all, bool *present) {
  const int n = pack(r, count, NULL, NULL, false);
  const size_t bytes = (size_t)(n + 1) * sizeof(double);
  double *own = cdni_alloc(&r->d->allocator, bytes);
  if (!own) return io_mjcf_out_of_memory(r);
  pack(r, count, all, own, false);
  const cdn_status status = read_values(r, node, attribute, rest, own, n, present);
  pack(r, count, all, own, true);
  cdni_free(&r->d->allocator, own, bytes);
  return status;
}

/* Coordinates of the reference configuration, in the file's conventions. */
static void set_reference(const io_description *d, double *q) {
  for (size_t i = 0; i < d->joints.count; i++) {
    const io_joint *j = &CDNI_AT(d->joints, io_joint, i);
    const cdn_transform X = CDNI_AT(d->bodies, io_body, j->body).X_PB;
    const cdn_quaternion turned = reference(d, j);
    const double pose[7] = { X.p.x, X.p.y, X.p.z, turned.w, turned.x, turned.y, turned.z };
    const int nq = io_joint_nq(j->kind);
    if (j->kind == IO_FREE) memcpy(q, pose, sizeof pose);
    else if (j->kind == IO_BALL) memcpy(q, pose + 3, 4 * sizeof *pose);
    else q[0] = j->ref;
    q += nq;
  }
}

static cdn_status normalize(mjcf_reader *r, io_xml_node *node, const io_joint *j, double *q) {
  const double largest = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
  if (largest == 0)
    return io_xml_fail(r->d, CDN_ERR_PARSE, node,
                       "in qpos the quaternion of the joint of line %d is zero; write "
                       "1 0 0 0 for no rotation",
                       j->line);
  for (int i = 0; i < 4; i++) q[i] /= largest;
  const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) q[i] /= length;
  return CDN_OK;
}

/* One joint's numbers in place; `turned` is the quaternion in our order. */
static void convert_q(io_joint_kind kind, double *q) {
  if (kind != IO_FREE) return;
  const double p[3] = { q[0], q[1], q[2] };
  memmove(q, q + 3, 4 * sizeof *q);
  memcpy(q + 4, p, sizeof p);
}

static void convert_u(io_joint_kind kind, cdn_quaternion turned, double *u) {
  if (kind != IO_FREE && kind != IO_BALL) return;
  const double *w = kind == IO_FREE ? u + 3 : u;
  const cdn_vec3 w_F = cdn_rotate(cdn_rotation_from_quaternion(turned), cdn_v3(w[0], w[1], w[2]));
  if (kind == IO_FREE) memmove(u + 3, u, 3 * sizeof *u);
  u[0] = w_F.x;
  u[1] = w_F.y;
  u[2] = w_F.z;
}

static cdn_status convert(mjcf_reader *r, io_xml_node *node, io_key *key) {
  double *q = key->q, *u = key->u;
  for (size_t i = 0; i < r->d->joints.count; i++) {
    const io_joint *j = &CDNI_AT(r->d->joints, io_joint, i);
    const bool turns = j->kind == IO_FREE || j->kind == IO_BALL;
    cdn_quaternion turned = reference(r->d, j);
    if (key->has_q) {
      convert_q(j->kind, q);
      if (turns) CDNI_TRY(normalize(r, node, j, q));
      if (turns) turned = (cdn_quaternion){ q[0], q[1], q[2], q[3] };
    }
    if (key->has_u) convert_u(j->kind, turned, u);
    q += io_joint_nq(j->kind);
    u += io_joint_nu(j->kind);
  }
  return CDN_OK;
}

static bool is_in_list(const mjcf_reader *r, size_t i, bool activations) {
  const io_actuator *a = &CDNI_AT(r->d->actuators, io_actuator, i);
  return is_in_key(r, a->model) && (!activations || a->has_activation);
}

/* Values of the actuators in the file's order. Activations are of those that have one. */
static cdn_status read_list(mjcf_reader *r, io_xml_node *node, const char *attribute, bool activations,
                            double **values) {
  io_description *d = r->d;
  int expected = 0, count;
  for (size_t i = 0; i < d->actuators.count; i++) expected += is_in_list(r, i, activations);
  const char *text = io_xml_string(node, attribute);
  const int found = text ? io_xml_count(text) : 0;
  if (found == 0) return CDN_OK;
  if (found > expected && r->model > 0) return refuse_count(r, node, attribute, found, expected);
  if (found > expected)
    return io_xml_fail(d, CDN_ERR_PARSE, node, "%s has %d numbers, but the model has %d actuators%s: remove the rest",
                       attribute, found, expected, activations ? " with an activation" : "");
  if (found < expected)
    io_warn(d, io_xml_line(node), "%s of a key has %d of %d numbers; the others are zero", attribute, found, expected);
  *values = cdni_calloc(&d->allocator, d->actuators.count * sizeof **values);
  if (!*values) return io_mjcf_out_of_memory(r);
  CDNI_TRY(io_xml_doubles_upto(d, node, attribute, *values, found, found, &count));
  for (size_t i = d->actuators.count; i-- > 0;) /* from packed numbers to one for each actuator */
    (*values)[i] = is_in_list(r, i, activations) ? (*values)[--expected] : 0;
  return CDN_OK;
}

static cdn_status read_actuators(mjcf_reader *r, io_xml_node *node, io_key *key) {
  CDNI_TRY(read_list(r, node, "ctrl", false, &key->c));
  return read_list(r, node, "act", true, &key->a);
}

static cdn_status read_key(mjcf_reader *r, io_xml_node *node) {
  io_description *d = r->d;
  const int nq = count_all(d, io_joint_nq), nu = count_all(d, io_joint_nu);
  /* The description owns the key's memory from the start. */
  io_key *key = cdni_array_push(&d->allocator, &d->keys, sizeof *key, NULL);
  if (!key) return io_mjcf_out_of_memory(r);
  key->line = io_xml_line(node);
  CDNI_TRY(io_mjcf_take_name(r, node, MJCF_NAME_KEY, &key->name));
  key->q = nq ? cdni_calloc(&d->allocator, (size_t)nq * sizeof *key->q) : NULL;
  key->u = nu ? cdni_calloc(&d->allocator, (size_t)nu * sizeof *key->u) : NULL;
  if ((nq && !key->q) || (nu && !key->u)) return io_mjcf_out_of_memory(r);
  CDNI_TRY(io_xml_double(d, node, "time", &key->time, &key->has_time));
  if (nq) set_reference(d, key->q);
  CDNI_TRY(read_own(r, node, "qpos", "those of the reference configuration", io_joint_nq, key->q, &key->has_q));
  CDNI_TRY(read_own(r, node, "qvel", "zero", io_joint_nu, key->u, &key->has_u));
  CDNI_TRY(convert(r, node, key));
  CDNI_TRY(read_actuators(r, node, key));
  /* Of mocap bodies, which are reported where they are defined. */
  io_xml_ignore(node, "mpos");
  io_xml_ignore(node, "mquat");
  io_xml_report_rest(d, node);
  return CDN_OK;
}

cdn_status io_mjcf_read_keyframe(mjcf_reader *r, io_xml_node *node) {
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;) {
    if (io_xml_is(child, "key")) CDNI_TRY(read_key(r, child));
    else io_not_understood(r->d, io_xml_line(child), io_xml_name(child));
  }
  io_xml_report_rest(r->d, node);
  return walk.status;
}
