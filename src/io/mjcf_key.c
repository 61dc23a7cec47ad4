/* Keyframes. MuJoCo lists a free joint as (position, quaternion) and (linear, angular) velocity, the angular part of
 * free and ball joints in the moving axes; ours are (quaternion, position) and (angular, linear), all in F's axes. */
#include <math.h>
#include <stdio.h>

#include "io/joints.h"
#include "io/mjcf.h"

typedef int joint_numbers(const cdn_spec_joint *joint); /* io_spec_joint_nq or _nu */

/* An attribute: which joints it is of, and which of their numbers. */
typedef struct key_list {
  const char *attribute, *rest; /* what numbers are that it leaves out */
  joint_numbers *count;
  bool mocap;
  int first, n; /* of each joint; n 0: all */
} key_list;

/* As in MuJoCo, a key does not speak of what is attached of the model itself.
 * Numbers of the joints that the key speaks of, one after another, from (`out`: to) those of all joints; how many. */
static int pack(const mjcf_reader *r, const key_list *list, double *all, double *own, bool out) {
  int n = 0;
  for (int i = 1; i < (int)r->tree.places.count; i++) {
    const io_place *place = io_place_at(&r->tree, i);
    const bool listed = !place->itself && io_spec_body(r->spec, place->body)->mocap == list->mocap;
    for (int j = 0; j < place->n_joints; j++) {
      const int whole = list->count(io_spec_joint(r->spec, place->first_joint + j));
      const int k = list->n && whole ? list->n : whole;
      if (listed && k) {
        if (own) memcpy(out ? all + list->first : own + n, out ? own + n : all + list->first, (size_t)k * sizeof *own);
        n += k;
      }
      if (own) all += whole;
    }
  }
  return n;
}

/* A list that is too long is an error, unless its further numbers may belong to joints that are not simulated. */
static cdn_status refuse_count(mjcf_reader *r, io_xml_node *node, const char *attribute, bool mocap, int found,
                               int expected) {
  if (mocap)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "%s has %d number%s, but the model's mocap bodies need %d: 3 each for mpos, 4 for mquat, in the "
                       "file's order; remove the rest",
                       attribute, found, found == 1 ? "" : "s", expected);
  if (!r->lost_joints)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "%s has %d number%s, but the model's joints need %d: 7 a free joint, "
                       "4 a ball (for qvel 6 and 3), 1 a hinge or slide, in the file's "
                       "order",
                       attribute, found, found == 1 ? "" : "s", expected);
  char note[40];
  snprintf(note, sizeof note, "key %s", attribute);
  io_not_understood(r->log, io_xml_line(node), note);
  return CDN_OK;
}

/* Reads as many numbers as the attribute has, from the front; the others take their values from `rest`, as in
 * MuJoCo. */
static cdn_status read_values(mjcf_reader *r, io_xml_node *node, const key_list *list, double *values, int expected,
                              bool *present) {
  const char *attribute = list->attribute;
  const char *text = io_xml_string(node, attribute);
  if (!text) return CDN_OK;
  const int found = io_xml_count(text);
  if (found == 0) return CDN_OK;
  if (found > expected || (found < expected && !list->mocap && r->lost_joints))
    return refuse_count(r, node, attribute, list->mocap, found, expected);
  if (found < expected)
    io_warn(r->log, io_xml_line(node), "%s of a key has %d of %d numbers; the others are %s", attribute, found,
            expected, list->rest);
  int count;
  *present = true;
  return io_xml_doubles_upto(r->log, node, attribute, values, found, expected, &count);
}

/* *present becomes true if the attribute is there. */
static cdn_status read_own(mjcf_reader *r, io_xml_node *node, const key_list *list, double *all, bool *present) {
  const int n = pack(r, list, NULL, NULL, false);
  const size_t bytes = (size_t)(n + 1) * sizeof(double);
  double *own = cdni_alloc(&r->log->allocator, bytes);
  if (!own) return io_mjcf_out_of_memory(r);
  pack(r, list, all, own, false);
  const cdn_status status = read_values(r, node, list, own, n, present);
  pack(r, list, all, own, true);
  cdni_free(&r->log->allocator, own, bytes);
  return status;
}

/* Coordinates of the reference configuration, in the file's conventions. */
static void set_reference(const cdn_spec *spec, double *q) {
  for (int i = 0; i < cdn_spec_count(spec, CDN_SPEC_JOINT); i++) {
    const cdn_spec_joint *j = io_spec_joint(spec, i);
    const int nq = io_spec_joint_nq(j), p = j->kind == CDN_FREE ? 3 : 0;
    memcpy(q, j->q0 + 4, (size_t)p * sizeof *q);
    memcpy(q + p, j->q0, (size_t)(nq - p) * sizeof *q);
    q += nq;
  }
}

static cdn_status normalize(mjcf_reader *r, io_xml_node *node, const cdn_spec_joint *j, double *q) {
  const double largest = fmax(fmax(fabs(q[0]), fabs(q[1])), fmax(fabs(q[2]), fabs(q[3])));
  if (largest == 0)
    return io_xml_fail(r->log, CDN_ERR_PARSE, node,
                       "in %s the quaternion of line %d is zero; write "
                       "1 0 0 0 for no rotation",
                       j->name ? "qpos" : "qpos or mquat", j->line);
  for (int i = 0; i < 4; i++) q[i] /= largest;
  const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; i++) q[i] /= length;
  return CDN_OK;
}

/* One joint's numbers in place; `turned` is the quaternion in our order. */
static void convert_q(cdn_mobilizer kind, double *q) {
  if (kind != CDN_FREE) return;
  const double p[3] = { q[0], q[1], q[2] };
  memmove(q, q + 3, 4 * sizeof *q);
  memcpy(q + 4, p, sizeof p);
}

static void convert_u(cdn_mobilizer kind, const double turned[4], double *u) {
  if (kind != CDN_FREE && kind != CDN_BALL) return;
  const cdn_quaternion q = { turned[0], turned[1], turned[2], turned[3] };
  const double *w = kind == CDN_FREE ? u + 3 : u;
  const cdn_vec3 w_F = cdn_rotate(cdn_rotation_from_quaternion(q), cdn_v3(w[0], w[1], w[2]));
  if (kind == CDN_FREE) memmove(u + 3, u, 3 * sizeof *u);
  u[0] = w_F.x;
  u[1] = w_F.y;
  u[2] = w_F.z;
}

/* Without coordinates, velocities are meant in the reference configuration. */
static cdn_status convert(mjcf_reader *r, io_xml_node *node, double *q, double *u, bool has_q) {
  for (int i = 0; i < cdn_spec_count(r->spec, CDN_SPEC_JOINT); i++) {
    const cdn_spec_joint *j = io_spec_joint(r->spec, i);
    if (j->kind == CDN_WELD) continue;
    if (has_q) {
      convert_q(j->kind, q);
      if (io_spec_joint_has_quaternion(j)) CDNI_TRY(normalize(r, node, j, q));
    }
    convert_u(j->kind, has_q ? q : j->q0, u);
    q += io_spec_joint_nq(j);
    u += io_spec_joint_nu(j);
  }
  return CDN_OK;
}

/* Room for n numbers, which the key owns. */
static cdn_status make_list(mjcf_reader *r, int n, const double **list, int *length) {
  *list = n ? cdni_calloc(&r->log->allocator, (size_t)n * sizeof **list) : NULL;
  *length = *list ? n : 0;
  return n && !*list ? io_mjcf_out_of_memory(r) : CDN_OK;
}

static void drop_list(mjcf_reader *r, const double **list, int *length) {
  if (*list) cdni_free(&r->log->allocator, (void *)*list, (size_t)*length * sizeof **list);
  *list = NULL, *length = 0;
}

static bool is_in_list(const mjcf_drive *a, bool activations) {
  return !a->itself && (!activations || a->has_activation);
}

/* Values of the actuators in the file's order, those included that are left out. Activations are of those that have
 * one. */
static cdn_status read_list(mjcf_reader *r, io_xml_node *node, const char *attribute, bool activations,
                            const double **list, int *length) {
  io_log *log = r->log;
  const int n = (int)r->drives.count;
  const mjcf_drive *drives = r->drives.data;
  int expected = 0, count, next = 0;
  for (int i = 0; i < n; i++) expected += is_in_list(&drives[i], activations);
  const char *text = io_xml_string(node, attribute);
  const int found = text ? io_xml_count(text) : 0;
  if (found == 0) return CDN_OK;
  if (found > expected)
    return io_xml_fail(log, CDN_ERR_PARSE, node, "%s has %d numbers, but the model has %d actuators%s: remove the rest",
                       attribute, found, expected, activations ? " with an activation" : "");
  if (found < expected)
    io_warn(log, io_xml_line(node), "%s of a key has %d of %d numbers; the others are zero", attribute, found,
            expected);
  double *values = cdni_calloc(&log->allocator, (size_t)expected * sizeof *values);
  cdn_status status =
      values ? io_xml_doubles_upto(log, node, attribute, values, found, found, &count) : io_mjcf_out_of_memory(r);
  if (status == CDN_OK) status = make_list(r, cdn_spec_count(r->spec, CDN_SPEC_ACTUATOR), list, length);
  for (int i = 0; status == CDN_OK && i < n; i++) {
    const bool listed = is_in_list(&drives[i], activations);
    if (listed && drives[i].element >= 0) ((double *)*list)[drives[i].element] = values[next];
    next += listed;
  }
  if (values) cdni_free(&log->allocator, values, (size_t)expected * sizeof *values);
  return status;
}

static const char reference[] = "those of the reference configuration";

static cdn_status read_key(mjcf_reader *r, io_xml_node *node) {
  io_log *log = r->log;
  cdn_spec_key made = cdn_default_spec_key();
  int nq = 0, nu = 0, i;
  for (i = 0; i < cdn_spec_count(r->spec, CDN_SPEC_JOINT); i++) {
    nq += io_spec_joint_nq(io_spec_joint(r->spec, i));
    nu += io_spec_joint_nu(io_spec_joint(r->spec, i));
  }
  made.line = io_xml_line(node);
  CDNI_TRY(io_spec_append(r->spec, CDN_SPEC_KEY, &made, &i));
  cdn_spec_key *key = io_spec_key(r->spec, i); /* which owns its lists from the start */
  bool has_q = false, has_u = false;
  CDNI_TRY(io_mjcf_take_name(r, node, MJCF_NAME_KEY, &key->name));
  CDNI_TRY(make_list(r, nq, &key->q, &key->nq));
  CDNI_TRY(make_list(r, nu, &key->u, &key->nu));
  double *q = (double *)key->q, *u = (double *)key->u;
  CDNI_TRY(io_xml_double(log, node, "time", &key->time, NULL));
  if (nq) set_reference(r->spec, q);
  static const key_list lists[] = { { "qpos", reference, io_spec_joint_nq, false, 0, 0 },
                                    { "mpos", reference, io_spec_joint_nq, true, 0, 3 },
                                    { "mquat", reference, io_spec_joint_nq, true, 3, 4 },
                                    { "qvel", "zero", io_spec_joint_nu, false, 0, 0 } };
  for (int k = 0; k < 4; k++) CDNI_TRY(read_own(r, node, &lists[k], k < 3 ? q : u, k < 3 ? &has_q : &has_u));
  CDNI_TRY(convert(r, node, q, u, has_q));
  if (!has_q) drop_list(r, &key->q, &key->nq);
  if (!has_u) drop_list(r, &key->u, &key->nu);
  CDNI_TRY(read_list(r, node, "ctrl", false, &key->controls, &key->n_actuators));
  CDNI_TRY(read_list(r, node, "act", true, &key->activations, &key->n_actuators));
  io_xml_report_rest(log, node);
  return CDN_OK;
}

cdn_status io_mjcf_read_keyframe(mjcf_reader *r, io_xml_node *node) {
  mjcf_walk walk = io_mjcf_walk(r, node);
  for (io_xml_node *child; (child = io_mjcf_walk_next(&walk)) != NULL;) {
    if (io_xml_is(child, "key")) CDNI_TRY(io_mjcf_leave_strangers(r, read_key(r, child)));
    else io_not_understood(r->log, io_xml_line(child), io_xml_name(child));
  }
  r->own_keys = cdn_spec_count(r->spec, CDN_SPEC_KEY);
  io_xml_report_rest(r->log, node);
  return walk.status;
}
