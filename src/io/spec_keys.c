/* Keyframes of a spec to which elements are added in the middle, or from which some are taken. */
#include "io/joints.h"
#include "io/spec_references.h"

/* Room for n numbers in a list that holds `full` at last. */
static cdn_status room(cdn_spec *spec, int n, double **list) {
  *list = n > 0 ? cdni_calloc(&spec->log.allocator, (size_t)n * sizeof **list) : NULL;
  return n > 0 && !*list ? CDN_ERR_NOMEM : CDN_OK;
}

void io_key_free(cdn_spec *spec, cdn_spec_key *key) {
  const cdn_allocator *a = &spec->log.allocator;
  const double *lists[] = { key->q, key->u, key->controls, key->activations };
  const int n[] = { key->nq, key->nu, key->n_actuators, key->n_actuators };
  for (int i = 0; i < CDNI_COUNT(lists); i++)
    if (lists[i]) cdni_free(a, (void *)lists[i], (size_t)n[i] * sizeof(double));
  key->q = key->u = key->controls = key->activations = NULL;
}

typedef int numbers_of(const cdn_spec_joint *joint);

/* The numbers of joints that are (or are not) marked, as far as the list goes; NULL `to`: only how many. */
static int pick(const cdn_spec *spec, const io_marks *marks, bool taken, numbers_of *count, const double *from, int n,
                double *to) {
  int at = 0, got = 0;
  for (int i = 0; i < cdn_spec_count(spec, CDN_SPEC_JOINT) && at < n; i++) {
    const int k = count(io_spec_joint(spec, i)), there = k < n - at ? k : n - at;
    if (marks->of[CDN_SPEC_JOINT][i] == taken) {
      if (to) memcpy(to + got, from + at, (size_t)there * sizeof *to);
      got += there;
    }
    at += k;
  }
  return got;
}

static cdn_status pick_list(cdn_spec *spec, const io_marks *marks, bool taken, numbers_of *count, const double *from,
                            int n, const double **out, int *length) {
  double *list;
  if (!from) return CDN_OK;
  const int got = pick(spec, marks, taken, count, from, n, NULL);
  CDNI_TRY(room(spec, got, &list));
  if (list) pick(spec, marks, taken, count, from, n, list);
  *out = list, *length = list ? got : 0;
  return CDN_OK;
}

static int pick_actuators(const io_marks *marks, bool taken, const double *from, int n, double *to) {
  int got = 0;
  for (int i = 0; i < marks->n[CDN_SPEC_ACTUATOR] && i < n; i++)
    if (marks->of[CDN_SPEC_ACTUATOR][i] == taken) {
      if (to) to[got] = from[i];
      got++;
    }
  return got;
}

cdn_status io_key_select(cdn_spec *spec, const cdn_spec_key *key, const io_marks *marks, bool taken,
                         cdn_spec_key *out) {
  double *controls, *activations;
  *out = *key;
  out->q = out->u = out->controls = out->activations = NULL;
  out->nq = out->nu = out->n_actuators = 0;
  CDNI_TRY(pick_list(spec, marks, taken, io_spec_joint_nq, key->q, key->nq, &out->q, &out->nq));
  CDNI_TRY(pick_list(spec, marks, taken, io_spec_joint_nu, key->u, key->nu, &out->u, &out->nu));
  const int n = key->controls || key->activations ? pick_actuators(marks, taken, NULL, key->n_actuators, NULL) : 0;
  out->n_actuators = n;
  CDNI_TRY(room(spec, key->controls ? n : 0, &controls));
  out->controls = controls;
  CDNI_TRY(room(spec, key->activations ? n : 0, &activations));
  out->activations = activations;
  if (controls) pick_actuators(marks, taken, key->controls, key->n_actuators, controls);
  if (activations) pick_actuators(marks, taken, key->activations, key->n_actuators, activations);
  return CDN_OK;
}

/* ---- behind others --------------------------------------------------------------------------- */

static int total(const cdn_spec *spec, int joints, numbers_of *count) {
  int n = 0;
  for (int i = 0; i < joints; i++) n += count(io_spec_joint(spec, i));
  return n;
}

/* The numbers of all joints, or actuators, that a list has at `before` and the defaults elsewhere. */
static cdn_status behind(cdn_spec *spec, const double *list, int n, int before, int all, double **out, int *length) {
  *out = NULL;
  if (!list) return CDN_OK;
  const int full = before + n > all ? before + n : all;
  CDNI_TRY(room(spec, full, out));
  if (*out) *length = full;
  return CDN_OK;
}

static void put_defaults(const cdn_spec *spec, double *q, double *u) {
  for (int i = 0; i < cdn_spec_count(spec, CDN_SPEC_JOINT); i++) {
    const cdn_spec_joint *j = io_spec_joint(spec, i);
    const int nq = io_spec_joint_nq(j), nu = io_spec_joint_nu(j);
    if (q) {
      memcpy(q, j->q0, (size_t)nq * sizeof *q);
      if (io_spec_joint_has_quaternion(j) && q[0] == 0 && q[1] == 0 && q[2] == 0 && q[3] == 0) q[0] = 1;
      q += nq;
    }
    if (!u) continue;
    memcpy(u, j->u0, (size_t)nu * sizeof *u);
    u += nu;
  }
}

static void put(double *to, int before, const double *list, int n) {
  if (to && n > 0) memcpy(to + before, list, (size_t)n * sizeof *to);
}

cdn_status io_key_behind(cdn_spec *spec, const cdn_spec_key *key, int joints, int actuators, cdn_spec_key *out) {
  const int all = cdn_spec_count(spec, CDN_SPEC_JOINT), drives = cdn_spec_count(spec, CDN_SPEC_ACTUATOR);
  const int q_before = total(spec, joints, io_spec_joint_nq), u_before = total(spec, joints, io_spec_joint_nu);
  const int q_all = total(spec, all, io_spec_joint_nq), u_all = total(spec, all, io_spec_joint_nu);
  double *q, *u, *controls, *activations;
  *out = *key;
  out->q = out->u = out->controls = out->activations = NULL;
  out->nq = out->nu = out->n_actuators = 0;
  CDNI_TRY(behind(spec, key->q, key->nq, q_before, q_all, &q, &out->nq));
  out->q = q;
  CDNI_TRY(behind(spec, key->u, key->nu, u_before, u_all, &u, &out->nu));
  out->u = u;
  CDNI_TRY(behind(spec, key->controls, key->n_actuators, actuators, drives, &controls, &out->n_actuators));
  out->controls = controls;
  CDNI_TRY(behind(spec, key->activations, key->n_actuators, actuators, drives, &activations, &out->n_actuators));
  out->activations = activations;
  put_defaults(spec, q, u);
  put(q, q_before, key->q, key->nq);
  put(u, u_before, key->u, key->nu);
  put(controls, actuators, key->controls, key->n_actuators);
  put(activations, actuators, key->activations, key->n_actuators);
  return CDN_OK;
}

void io_key_turn(cdn_spec *spec, int key, int joints, const cdn_spec *child, const io_spec_index *names, int i,
                 cdn_rotation R) {
  double *u = (double *)io_spec_key(spec, key)->u;
  const int n = io_spec_key(child, i)->nu;
  if (u) u += total(spec, joints, io_spec_joint_nu);
  for (int j = 0, at = 0; u && j < cdn_spec_count(child, CDN_SPEC_JOINT); j++) {
    const cdn_spec_joint *joint = io_spec_joint(child, j);
    if (joint->kind == CDN_FREE && io_is_ground(names, joint->parent) && at + 3 <= n) {
      const cdn_vec3 w = cdn_rotate(R, cdn_v3(u[at], u[at + 1], u[at + 2]));
      u[at] = w.x, u[at + 1] = w.y, u[at + 2] = w.z;
    }
    at += io_spec_joint_nu(joint);
  }
}
