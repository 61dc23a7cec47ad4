/* The motions that come with the library. */
#include <math.h>

#include "matter/subsystem.h"

/* ---- a sin(w t + p) for every coordinate, speed or acceleration ---- */

enum { AMPLITUDE, RATE, PHASE };

static cdn_status fill(int n, double value, double *out) {
  for (int i = 0; i < n; i++) out[i] = value;
  return CDN_OK;
}

static double sine(const cdn_motion_input *in) {
  const double *p = in->params;
  return p[AMPLITUDE] * sin(p[RATE] * in->t + p[PHASE]);
}
static double sine_dot(const cdn_motion_input *in) {
  const double *p = in->params;
  return p[AMPLITUDE] * p[RATE] * cos(p[RATE] * in->t + p[PHASE]);
}
static double sine_dotdot(const cdn_motion_input *in) { return -in->params[RATE] * in->params[RATE] * sine(in); }

static cdn_status sinusoid_q(const void *self, const cdn_motion_input *in, double *q) {
  (void)self;
  return fill(in->nq, sine(in), q);
}
static cdn_status sinusoid_qdot(const void *self, const cdn_motion_input *in, double *qdot) {
  (void)self;
  return fill(in->nq, sine_dot(in), qdot);
}
static cdn_status sinusoid_qdotdot(const void *self, const cdn_motion_input *in, double *qdotdot) {
  (void)self;
  return fill(in->nq, sine_dotdot(in), qdotdot);
}
static cdn_status sinusoid_u(const void *self, const cdn_motion_input *in, double *u) {
  (void)self;
  return fill(in->nu, sine(in), u);
}
static cdn_status sinusoid_u_dot(const void *self, const cdn_motion_input *in, double *udot) {
  (void)self;
  return fill(in->nu, sine_dot(in), udot);
}

static const cdn_motion_ops sinusoids[] = {
  [CDN_LEVEL_POSITION] = { .struct_size = sizeof(cdn_motion_ops),
                           .name = "sinusoid",
                           .q = sinusoid_q,
                           .qdot = sinusoid_qdot,
                           .qdotdot = sinusoid_qdotdot },
  [CDN_LEVEL_VELOCITY] = { .struct_size = sizeof(cdn_motion_ops),
                           .name = "sinusoid",
                           .u = sinusoid_u,
                           .udot = sinusoid_u_dot },
  [CDN_LEVEL_ACCELERATION] = { .struct_size = sizeof(cdn_motion_ops), .name = "sinusoid", .udot = sinusoid_u },
};

/* ---- constant speeds ---- */

static cdn_status steady_u(const void *self, const cdn_motion_input *in, double *u) {
  (void)self;
  memcpy(u, in->params, (size_t)in->nu * sizeof *u);
  return CDN_OK;
}

static cdn_status steady_udot(const void *self, const cdn_motion_input *in, double *udot) {
  (void)self;
  return fill(in->nu, 0, udot);
}

static const cdn_motion_ops steady = {
  .struct_size = sizeof(cdn_motion_ops), .name = "steady", .timeless = true, .u = steady_u, .udot = steady_udot
};

/* ---- the value of a control: its rates stand in the parameters ---- */

static cdn_status control_q(const void *self, const cdn_motion_input *in, double *q) {
  (void)self;
  return fill(in->nq, in->params[0], q);
}
static cdn_status control_qdot(const void *self, const cdn_motion_input *in, double *qdot) {
  (void)self;
  return fill(in->nq, in->params[1], qdot);
}
static cdn_status control_qdotdot(const void *self, const cdn_motion_input *in, double *qdotdot) {
  (void)self;
  return fill(in->nq, in->params[2], qdotdot);
}
static cdn_status control_u(const void *self, const cdn_motion_input *in, double *u) {
  (void)self;
  return fill(in->nu, in->params[0], u);
}
static cdn_status control_u_dot(const void *self, const cdn_motion_input *in, double *udot) {
  (void)self;
  return fill(in->nu, in->params[1], udot);
}

/* The time enters through the control. */
static const cdn_motion_ops controlled[] = {
  [CDN_LEVEL_POSITION] = { .struct_size = sizeof(cdn_motion_ops),
                           .name = "control",
                           .timeless = true,
                           .q = control_q,
                           .qdot = control_qdot,
                           .qdotdot = control_qdotdot },
  [CDN_LEVEL_VELOCITY] = { .struct_size = sizeof(cdn_motion_ops),
                           .name = "control",
                           .timeless = true,
                           .u = control_u,
                           .udot = control_u_dot },
  [CDN_LEVEL_ACCELERATION] = { .struct_size = sizeof(cdn_motion_ops),
                               .name = "control",
                               .timeless = true,
                               .udot = control_u },
};

/* ---- the choice ---- */

const cdn_motion_ops *cdni_motion_built_in(cdn_motion_kind kind, cdn_motion_level level) {
  const bool known = level >= CDN_LEVEL_ACCELERATION && level <= CDN_LEVEL_POSITION;
  if (kind == CDN_MOTION_SINUSOID && known) return &sinusoids[level];
  if (kind == CDN_MOTION_CONTROLLED && known) return &controlled[level];
  if (kind == CDN_MOTION_MOCAP) return &cdni_motion_mocap_ops;
  return kind == CDN_MOTION_STEADY ? &steady : NULL;
}
