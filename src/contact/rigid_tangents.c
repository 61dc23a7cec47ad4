/* The two tangents of a slot of rigid contact, along which friction has its equations. Where friction is the same along
 * both, the first one is an axis of Ground that is far from the normal, made perpendicular to it. Where it differs, the
 * axis is MuJoCo's (points.c has the same for soft contact). */
#include <math.h>

#include "contact/points.h"
#include "contact/rigid_view.h"

/* What the first tangent is made of: an axis of Ground that will do, the one that a direction of the normal has, or the
 * axis of a capsule. */
typedef enum tangent_axis { AXIS_X, AXIS_Y, AXIS_Z, AXIS_SECOND, AXIS_THIRD, AXIS_OF_A, AXIS_OF_B } tangent_axis;

/* Where an axis comes as near to the normal, as a cosine, it makes way for another one. */
static const double STEEP = 0.95;
/* Up to this cosine of the normal with the second axis, that one counts, and beyond it the third one. */
static const double TURNING = 0.5;
/* A capsule whose axis is nearer to the normal, as a sine, has no direction on the half-space. */
static const double UPRIGHT = 1e-3;

/* The axis that is farthest from the normal. */
static tangent_axis flattest(cdn_vec3 n) {
  const double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
  return x <= y ? (x <= z ? AXIS_X : AXIS_Z) : (y <= z ? AXIS_Y : AXIS_Z);
}

static double sine_of(const rigid_pair *p, int side, cdn_vec3 n) { return cdn_norm(cdn_cross(p->X[side]->R.z, n)); }

int cdni_rigid_axis(const rigid_pair *p, cdn_vec3 normal, bool elliptic) {
  int turning;
  if (!elliptic) return flattest(normal);
  cdni_contact_tangent_axis(p->g, p->X, normal, &turning);
  if (turning >= 0 && sine_of(p, turning, normal) > UPRIGHT) return turning == 0 ? AXIS_OF_A : AXIS_OF_B;
  return fabs(normal.y) < TURNING ? AXIS_SECOND : AXIS_THIRD;
}

static cdn_vec3 axis_of(const rigid_pair *p, tangent_axis axis) {
  switch (axis) {
    case AXIS_X: return cdn_v3(1, 0, 0);
    case AXIS_Y:
    case AXIS_SECOND: return cdn_v3(0, 1, 0);
    case AXIS_Z:
    case AXIS_THIRD: return cdn_v3(0, 0, 1);
    case AXIS_OF_A: return p->X[0]->R.z;
    case AXIS_OF_B: return p->X[1]->R.z;
  }
  return cdn_v3(0, 0, 1);
}

/* How long the axis may stay, as a part of a size. */
static double stays(const rigid_pair *p, tangent_axis axis, cdn_vec3 n, double along) {
  int turning;
  if (axis < AXIS_SECOND) return fabs(along) < STEEP ? INFINITY : STEEP - fabs(along);
  if (axis >= AXIS_OF_A) return sine_of(p, axis - AXIS_OF_A, n) - 0.5 * UPRIGHT;
  cdni_contact_tangent_axis(p->g, p->X, n, &turning);
  const double lies = turning >= 0 ? 2 * UPRIGHT - sine_of(p, turning, n) : INFINITY;
  return fmin(lies, axis == AXIS_SECOND ? TURNING - fabs(n.y) : fabs(n.y) - TURNING);
}

bool cdni_rigid_measure_slot(const rigid_pair *p, const rigid_feature *f, const rigid_motion *motion,
                             rigid_touch *out) {
  if (!cdni_rigid_measure(p, f, motion, out)) return false;
  const tangent_axis axis = (tangent_axis)f->axis;
  const cdn_vec3 e = axis_of(p, axis), n = out->normal;
  const double along = cdn_dot(e, n);
  const cdn_vec3 flat = cdn_sub(e, cdn_scale(along, n));
  const double length = fmax(cdn_norm(flat), 1e-9);
  out->tangent = cdn_scale(1 / length, flat);
  out->within = fmin(out->within, stays(p, axis, n, along) * p->size);
  if (!motion) return true;
  const cdn_vec3 erate = axis >= AXIS_OF_A ? cdn_cross(motion[axis - AXIS_OF_A].w, e) : cdn_v3(0, 0, 0);
  const double more = cdn_dot(e, out->normal_rate) + cdn_dot(erate, n);
  const cdn_vec3 rate = cdn_sub(erate, cdn_add(cdn_scale(more, n), cdn_scale(along, out->normal_rate)));
  const cdn_vec3 across = cdn_sub(rate, cdn_scale(cdn_dot(rate, out->tangent), out->tangent));
  out->tangent_rate = cdn_scale(1 / length, across);
  return true;
}
