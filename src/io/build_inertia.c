/* Springs that are given by a time constant and a damping ratio, and actuators that are given a damping ratio: their
 * numbers follow from the inertia that they meet at the default coordinates, as MuJoCo has them. So do the peak forces
 * of muscles that are given none, and their length ranges from the joints' limits. */
#include <math.h>

#include <cardan/operators.h>

#include "io/build.h"
#include "io/joints.h"

static bool has_spring_times(const cdn_spec_joint *joint) {
  return joint->spring_timeconst > 0 && joint->spring_dampratio > 0;
}

static bool is_open(const cdn_muscle *m, cdn_drive_law law) {
  return law == CDN_LAW_OF_MUSCLE && (m->peak < 0 || m->length_range[0] == m->length_range[1]);
}
static bool has_open_muscle(const cdn_spec_actuator *a) {
  return is_open(&a->muscle, a->gain_law) || is_open(&a->passive, a->bias_law);
}
static bool is_asked(const cdn_spec_actuator *a) { return a->damping_ratio > 0 || has_open_muscle(a); }

bool io_has_ratios(const io_builder *b) {
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_JOINT); i++)
    if (has_spring_times(io_spec_joint(b->spec, i))) return true;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_ACTUATOR); i++)
    if (is_asked(io_spec_actuator(b->spec, i))) return true;
  return false;
}

/* Their transmissions alone matter. */
cdn_status io_add_drives_of_ratios(io_builder *b, cdn_force *forces) {
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_ACTUATOR); i++) {
    const cdn_spec_actuator *a = io_spec_actuator(b->spec, i);
    cdn_drive_def found, def = cdn_default_drive_def();
    forces[i].i = -1;
    if (!is_asked(a) || b->model->options.tree_only) continue;
    CDNI_TRY(io_find_drive(b, a, &found));
    cdn_control_def control = cdn_default_control_def();
    control.name = a->name;
    def.control = cdn_system_add_control(b->system, &control);
    def.on = found.on, def.body = found.body, def.X_BS = found.X_BS, def.has_reference = found.has_reference;
    def.reference = found.reference, def.X_RF = found.X_RF, def.path = found.path, def.rod = found.rod;
    def.in_parent = found.in_parent;
    memcpy(def.gear, found.gear, sizeof def.gear);
    forces[i] = cdn_system_add_drive(b->system, a->name, &def);
  }
  return CDN_OK;
}

/* Diagonal numbers of M, one after another; work: 2 nu numbers, the first half of them 0. */
static cdn_status diagonal(io_builder *b, cdn_state *state, int mobility, double *work, double *M_ii) {
  const int nu = cdn_system_nu(b->system);
  work[mobility] = 1;
  const cdn_status status = io_multiply_by_M(b, state, work, work + nu);
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

/* Squares of moments below this are rounding: MuJoCo's mjMINVAL. */
static const double LEAST_SQUARE = 1e-15;

/* The mass that the actuator meets, if each mobility resists alone. work: 3 nu numbers, the first nu of them 0. */
static cdn_status resolve_damping(io_builder *b, cdn_state *state, cdn_spec_actuator *a, cdn_force force,
                                  double *work) {
  const int nu = cdn_system_nu(b->system);
  const double *moment = work + 2 * nu;
  double mass = 0, one;
  CDNI_TRY(cdn_actuator_moments(state, force, work + 2 * nu));
  for (int k = 0; k < nu; k++) {
    if (!(moment[k] * moment[k] > LEAST_SQUARE)) continue;
    CDNI_TRY(diagonal(b, state, k, work, &one));
    mass += one / (moment[k] * moment[k]);
  }
  a->bias[2] = -2 * a->damping_ratio * sqrt(fmax(a->gain[0] * mass, 0));
  return CDN_OK;
}

/* |M^-1 moment|. */
static cdn_status calc_acceleration(io_builder *b, cdn_state *state, cdn_force force, double *work, double *size) {
  const int nu = cdn_system_nu(b->system);
  double *udot = work + nu, *moment = work + 2 * nu;
  CDNI_TRY(cdn_actuator_moments(state, force, moment));
  CDNI_TRY(io_multiply_by_M_inv(b, state, moment, udot));
  *size = 0;
  for (int k = 0; k < nu; k++) *size += udot[k] * udot[k];
  *size = sqrt(*size);
  return CDN_OK;
}

/* A tendon's limits bound its length, too. */
static cdn_status find_range(io_builder *b, cdn_state *state, const cdn_spec_actuator *a, cdn_force force,
                             double range[2]) {
  CDNI_TRY(io_find_length_range(b, state, a, force, range));
  const int i = !a->joint && !a->body && a->tendon ? cdn_spec_find(b->spec, CDN_SPEC_TENDON, a->tendon) : -1;
  if (i < 0 || !io_spec_tendon(b->spec, i)->limited) return CDN_OK;
  const double lower = a->gear[0] * io_spec_tendon(b->spec, i)->lower;
  const double upper = a->gear[0] * io_spec_tendon(b->spec, i)->upper;
  const double least = fmax(range[0], fmin(lower, upper)), most = fmin(range[1], fmax(lower, upper));
  if (least < most) range[0] = least, range[1] = most;
  return CDN_OK;
}

static cdn_status resolve_muscles(io_builder *b, cdn_state *state, cdn_spec_actuator *a, cdn_force force,
                                  double *work) {
  cdn_muscle *const all[] = { &a->muscle, &a->passive };
  const cdn_drive_law law[] = { a->gain_law, a->bias_law };
  double range[2] = { 0, 0 }, acceleration;
  CDNI_TRY(calc_acceleration(b, state, force, work, &acceleration));
  for (int i = 0; i < 2; i++) {
    if (!is_open(all[i], law[i])) continue;
    if (all[i]->peak < 0 && !(acceleration > 0))
      return io_fail(b->log, a->line > 0 ? CDN_ERR_PARSE : CDN_ERR_ARG, a->line,
                     "actuator '%.60s': its moments are zero at the default coordinates, so that its peak force would "
                     "be infinite; write force='NEWTONS', or change what it acts on",
                     a->name);
    all[i]->acceleration = acceleration;
    if (all[i]->length_range[0] != all[i]->length_range[1]) continue;
    if (range[0] == range[1]) CDNI_TRY(find_range(b, state, a, force, range));
    all[i]->length_range[0] = range[0], all[i]->length_range[1] = range[1];
  }
  return CDN_OK;
}

static cdn_status resolve_all(io_builder *b, cdn_state *state, const cdn_force *forces, double *work) {
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_JOINT); i++)
    if (has_spring_times(io_spec_joint(b->spec, i)) && b->joints[i].i >= 0) CDNI_TRY(resolve_spring(b, state, i, work));
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_ACTUATOR); i++) {
    cdn_spec_actuator *a = io_spec_actuator(b->spec, i);
    if (forces[i].i < 0) continue;
    if (a->damping_ratio > 0) CDNI_TRY(resolve_damping(b, state, a, forces[i], work));
    if (has_open_muscle(a)) CDNI_TRY(resolve_muscles(b, state, a, forces[i], work));
  }
  return CDN_OK;
}

cdn_status io_resolve_ratios(io_builder *b, const cdn_force *forces) {
  if (!io_has_ratios(b)) return CDN_OK;
  const cdn_allocator *a = &b->log->allocator;
  const size_t bytes = 3 * sizeof(double) * (size_t)(cdn_system_nu(b->system) + 1);
  double *work = cdni_calloc(a, bytes);
  cdn_state *state = NULL;
  cdn_status status = work ? cdn_state_create(b->system, &state) : CDN_ERR_NOMEM;
  if (status == CDN_OK) status = resolve_all(b, state, forces, work);
  cdn_state_destroy(state);
  cdni_free(a, work, bytes);
  if (status == CDN_OK || b->log->error.code != CDN_OK) return status;
  return io_fail(b->log, status, 0, "the inertia that springs and actuators meet cannot be found: %s",
                 cdn_status_text(status));
}
