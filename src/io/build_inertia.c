/* Springs that are given by a time constant and a damping ratio, and actuators that are given a damping ratio: their
 * numbers follow from
 * the inertia that they meet at the default coordinates, as MuJoCo has them. */
#include <math.h>

#include <cardan/operators.h>

#include "io/build.h"
#include "io/joints.h"

static bool has_spring_times(const cdn_spec_joint *joint) {
  return joint->spring_timeconst > 0 && joint->spring_dampratio > 0;
}

bool io_has_ratios(const io_builder *b) {
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_JOINT); i++)
    if (has_spring_times(io_spec_joint(b->spec, i))) return true;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_ACTUATOR); i++)
    if (io_spec_actuator(b->spec, i)->damping_ratio > 0) return true;
  return false;
}

/* Diagonal numbers of M, one after another; work: 2 nu numbers, the first half of them 0. */
static cdn_status diagonal(cdn_state *state, int mobility, double *work, double *M_ii) {
  const int nu = cdn_system_nu(cdn_state_system(state));
  work[mobility] = 1;
  const cdn_status status = cdn_multiply_by_M(state, work, work + nu);
  work[mobility] = 0;
  *M_ii = work[nu + mobility];
  return status;
}

static cdn_status resolve_spring(io_builder *b, cdn_state *state, int index, double *work) {
  cdn_spec_joint *joint = io_spec_joint(b->spec, index);
  const double T = joint->spring_timeconst, D = joint->spring_dampratio;
  double inertia[IO_MOST_MOBILITIES];
  CDNI_TRY(io_joint_inertia(b, state, index, work, work + cdn_system_nu(b->system), inertia));
  const double mass = io_mean_inertia(inertia, io_spec_joint_nu(joint));
  joint->stiffness = mass / (T * T * D * D);
  joint->damping = 2 * mass / T;
  return CDN_OK;
}

/* What the actuator sees of one mobility, on which its moment for p = 1 is `moment`. */
static cdn_status add_mass(cdn_state *state, int mobility, double moment, double *work, double *mass) {
  double one;
  CDNI_TRY(diagonal(state, mobility, work, &one));
  if (moment != 0) *mass += one / (moment * moment);
  return CDN_OK;
}

static cdn_status mass_on_tendon(io_builder *b, cdn_state *state, const cdn_spec_actuator *a, double *work,
                                 double *mass) {
  const int i = cdn_spec_find(b->spec, CDN_SPEC_TENDON, a->tendon);
  if (i < 0) return CDN_OK; /* told where actuators are built */
  const cdn_spec_tendon *tendon = io_spec_tendon(b->spec, i);
  cdn_mobility joint[CDN_SPEC_TENDON_JOINTS];
  CDNI_TRY(io_find_tendon_joints(b, tendon, joint));
  for (int k = 0; k < tendon->joints; k++)
    CDNI_TRY(
        add_mass(state, cdn_body_first_u(b->system, joint[k].body), a->gear[0] * tendon->coefficient[k], work, mass));
  return CDN_OK;
}

static cdn_status mass_on_joint(io_builder *b, cdn_state *state, const cdn_spec_actuator *a, double *work,
                                double *mass) {
  const int i = io_names_find(&b->names.joints, a->joint);
  if (i < 0 || b->joints[i].i < 0) return CDN_OK;
  const int first = cdn_body_first_u(b->system, b->joints[i]), n = io_spec_joint_nu(io_spec_joint(b->spec, i));
  for (int k = 0; k < n && k < 6; k++) CDNI_TRY(add_mass(state, first + k, a->gear[k], work, mass));
  return CDN_OK;
}

static cdn_status mass_on_frame(io_builder *b, cdn_state *state, const cdn_spec_actuator *a, double *work,
                                double *mass) {
  io_drive drive = { .X_BS = a->X_BS, .X_RF = a->X_RF, .unforced = true };
  io_action x;
  cdn_body body[IO_DRIVE_BODIES];
  cdn_vec3 station[IO_DRIVE_BODIES];
  cdn_spatial F_G[IO_DRIVE_BODIES];
  const int nu = cdn_system_nu(b->system);
  double *moment = work + 2 * nu;
  memcpy(drive.gear, a->gear, sizeof drive.gear);
  CDNI_TRY(io_find_frame(b, a, &drive));
  CDNI_TRY(io_drive_act(&drive, state, &x));
  const int n = io_drive_on_bodies(&drive, &x, 1, body, station, F_G);
  CDNI_TRY(cdn_multiply_by_frame_J_transpose(state, n, body, station, F_G, moment));
  for (int k = 0; k < nu; k++)
    if (moment[k] * moment[k] > 1e-15) CDNI_TRY(add_mass(state, k, moment[k], work, mass)); /* MuJoCo's bound */
  return CDN_OK;
}

static cdn_status resolve_actuator(io_builder *b, cdn_state *state, cdn_spec_actuator *a, double *work) {
  double mass = 0;
  if (a->joint) CDNI_TRY(mass_on_joint(b, state, a, work, &mass));
  else if (a->tendon && !a->body) CDNI_TRY(mass_on_tendon(b, state, a, work, &mass));
  else CDNI_TRY(mass_on_frame(b, state, a, work, &mass));
  a->bias[2] = -2 * a->damping_ratio * sqrt(fmax(a->gain[0] * mass, 0));
  return CDN_OK;
}

static cdn_status resolve_all(io_builder *b, cdn_state *state, double *work) {
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_JOINT); i++)
    if (has_spring_times(io_spec_joint(b->spec, i)) && b->joints[i].i >= 0) CDNI_TRY(resolve_spring(b, state, i, work));
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_ACTUATOR); i++)
    if (io_spec_actuator(b->spec, i)->damping_ratio > 0)
      CDNI_TRY(resolve_actuator(b, state, io_spec_actuator(b->spec, i), work));
  return CDN_OK;
}

cdn_status io_resolve_ratios(io_builder *b) {
  if (!io_has_ratios(b)) return CDN_OK;
  const cdn_allocator *a = &b->log->allocator;
  const size_t bytes = 3 * sizeof(double) * (size_t)(cdn_system_nu(b->system) + 1);
  double *work = cdni_calloc(a, bytes);
  cdn_state *state = NULL;
  cdn_status status = work ? cdn_state_create(b->system, &state) : CDN_ERR_NOMEM;
  if (status == CDN_OK) status = resolve_all(b, state, work);
  cdn_state_destroy(state);
  cdni_free(a, work, bytes);
  if (status == CDN_OK || b->log->error.code != CDN_OK) return status;
  return io_fail(b->log, status, 0, "the inertia that springs and actuators meet cannot be found: %s",
                 cdn_status_text(status));
}
