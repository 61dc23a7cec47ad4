/* Shared by the tests of the readers: text or files in, spec out, and questions to the spec. */
#ifndef CARDAN_TESTS_UNIT_READING_H
#define CARDAN_TESTS_UNIT_READING_H

#include "testing.h"

#include "io/joints.h"

static cdn_spec *spec; /* the one that was read last; its log and its message are spec->log */

static inline void done(void) { cdn_spec_destroy(spec); }

/* ---- asking ---- */

static inline int count(cdn_spec_kind kind) { return cdn_spec_count(spec, kind); }

static inline const cdn_spec_body *body_named(const char *name) {
  const int i = cdn_spec_find(spec, CDN_SPEC_BODY, name);
  ck_assert_msg(i >= 0, "there is no body '%s'", name);
  return io_spec_body(spec, i);
}

static inline const cdn_spec_joint *joint_named(const char *name) {
  const int i = cdn_spec_find(spec, CDN_SPEC_JOINT, name);
  ck_assert_msg(i >= 0, "there is no joint '%s'", name);
  return io_spec_joint(spec, i);
}

/* The joint that moves a body, or welds it. */
static inline const cdn_spec_joint *joint_of(const char *body) {
  for (int i = 0; i < count(CDN_SPEC_JOINT); i++)
    if (strcmp(io_spec_joint(spec, i)->child, body) == 0) return io_spec_joint(spec, i);
  ck_abort_msg("no joint moves '%s'", body);
  return NULL;
}

/* Joints of the file, without welds. */
static inline int moving_count(void) {
  int n = 0;
  for (int i = 0; i < count(CDN_SPEC_JOINT); i++) n += io_spec_joint(spec, i)->kind != CDN_WELD;
  return n;
}

/* What a joint turns about or slides along, or the normal of its plane. */
static inline cdn_vec3 axis_of(const cdn_spec_joint *joint) {
  return joint->kind == CDN_SLIDER ? joint->X_CM.R.x : joint->X_CM.R.z;
}

/* A body in its parent where all coordinates have their default values, over frames in between; *parent is the parent's
 * name, or NULL for Ground. */
static inline cdn_transform pose_in_parent(const char *body, const char **parent) {
  cdn_transform X = cdn_transform_identity();
  do {
    const cdn_spec_joint *j = joint_of(body);
    cdn_transform X_FM = cdn_transform_identity();
    if (j->kind == CDN_PIN) X_FM.R = cdn_rotation_axis_angle(cdn_v3(0, 0, 1), j->q0[0]);
    if (j->kind == CDN_SLIDER) X_FM.p = cdn_v3(j->q0[0], 0, 0);
    if (j->kind == CDN_FREE) X_FM = j->X_FM_rest;
    const cdn_transform X_PM = cdn_transform_multiply(j->X_PF, X_FM);
    X = cdn_transform_multiply(cdn_transform_multiply(X_PM, cdn_transform_invert(j->X_CM)), X);
    body = j->parent;
  } while (body && body_named(body)->intermediate);
  if (parent) *parent = body;
  return X;
}

static inline const char *parent_of(const char *body) {
  const char *parent;
  pose_in_parent(body, &parent);
  return parent;
}

/* How often an element was listed, 0 if not at all. */
static inline int noted(const char *element) {
  for (size_t i = 0; i < spec->log.notes.count; i++)
    if (strcmp(CDNI_AT(spec->log.notes, io_note, i).element, element) == 0)
      return CDNI_AT(spec->log.notes, io_note, i).count;
  return 0;
}

/* ---- numbers ---- */

static inline void near_vec3(cdn_vec3 a, cdn_vec3 b, double tolerance) {
  NEAR(a.x, b.x, tolerance);
  NEAR(a.y, b.y, tolerance);
  NEAR(a.z, b.z, tolerance);
}

static inline void near_rotation(cdn_rotation a, cdn_rotation b, double tolerance) {
  near_vec3(a.x, b.x, tolerance);
  near_vec3(a.y, b.y, tolerance);
  near_vec3(a.z, b.z, tolerance);
}

static inline void near_transform(cdn_transform a, cdn_transform b, double tolerance) {
  near_rotation(a.R, b.R, tolerance);
  near_vec3(a.p, b.p, tolerance);
}

static inline void near_inertia(cdn_inertia a, cdn_inertia b, double tolerance) {
  NEAR(a.xx, b.xx, tolerance);
  NEAR(a.yy, b.yy, tolerance);
  NEAR(a.zz, b.zz, tolerance);
  NEAR(a.xy, b.xy, tolerance);
  NEAR(a.xz, b.xz, tolerance);
  NEAR(a.yz, b.yz, tolerance);
}

/* A handful of roundings of numbers of order one. */
#define TINY 4e-15

static inline cdn_rotation about(double x, double y, double z, double angle) {
  return cdn_rotation_axis_angle(cdn_v3(x, y, z), angle);
}

#endif
