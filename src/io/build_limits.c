/* The stiffness of compliant limits. A file gives a time constant at best, and no stiffness. So a limit is scaled to
 * the inertia that it must stop, 1 / (M^-1)_ii in the default configuration: k = m / (timeconst dampratio)^2 brings
 * a finger and a torso to rest within about the same time. */
#include "io/build.h"

#include <math.h>

#include <cardan/operators.h>

/* MuJoCo's defaults. */
static const double default_timeconst = 0.02, default_dampratio = 1;

static double stiffness_for(const cdn_spec_joint *joint, double inertia) {
  const double timeconst = joint->limit_timeconst > 0 ? joint->limit_timeconst : default_timeconst;
  const double dampratio = joint->limit_dampratio > 0 ? joint->limit_dampratio : default_dampratio;
  return inertia / (timeconst * timeconst * dampratio * dampratio);
}

cdn_status io_joint_inertia(io_builder *b, cdn_state *state, int index, double *unit, double *column, double *inertia) {
  const int first = cdn_body_first_u(b->system, b->joints[index]);
  const int n = io_spec_joint_nu(io_spec_joint(b->spec, index));
  double sum = 0;
  for (int i = first; i < first + n; i++) {
    unit[i] = 1;
    const cdn_status status = cdn_multiply_by_M_inv(state, unit, column);
    unit[i] = 0;
    CDNI_TRY(status);
    sum += column[i];
  }
  *inertia = n / sum;
  return CDN_OK;
}

/* A frozen model may still have no dynamics in this configuration; it can be looked at, and posed elsewhere. */
static void warn_singular(io_builder *b, const cdn_spec_joint *joint, const char *why) {
  io_warn(b->d, joint->line,
          "joint '%.60s': the inertia that its limit has to stop cannot be told (%.200s); the limit "
          "is made for 1 kg or 1 kg m^2",
          joint->name, why);
}

static cdn_status calc_all(io_builder *b, cdn_state *state, double *unit, double *column, double *stiffness) {
  bool singular = false;
  for (int i = 0; i < cdn_spec_count(b->spec, CDN_SPEC_JOINT); i++) {
    const cdn_spec_joint *joint = io_spec_joint(b->spec, i);
    if (!joint->limited || b->joints[i].i < 0) continue;
    double inertia = 1;
    if (!singular) {
      const cdn_status status = io_joint_inertia(b, state, i, unit, column, &inertia);
      if (status == CDN_ERR_NOMEM) return io_fail(b->d, status, 0, "out of memory");
      if (status != CDN_OK) {
        cdn_error error;
        cdn_state_last_error(state, &error);
        warn_singular(b, joint, error.text);
        singular = true;
      } else if (!(inertia > 0) || !isfinite(inertia)) {
        warn_singular(b, joint, "it is not positive");
      }
    }
    if (!(inertia > 0) || !isfinite(inertia)) inertia = 1;
    stiffness[i] = stiffness_for(joint, inertia);
  }
  return CDN_OK;
}

cdn_status io_calc_limit_stiffness(io_builder *b, double *stiffness) {
  const size_t bytes = sizeof(double) * (size_t)cdn_system_nu(b->system);
  const cdn_allocator *a = &b->d->allocator;
  double *unit = cdni_calloc(a, bytes), *column = cdni_calloc(a, bytes);
  cdn_state *state = NULL;
  cdn_status status = unit && column ? cdn_state_create(b->system, &state) : CDN_ERR_NOMEM;
  if (status == CDN_OK) status = calc_all(b, state, unit, column, stiffness);
  else io_fail(b->d, status, 0, "cannot make a State: %s", cdn_status_text(status));
  cdn_state_destroy(state);
  cdni_free(a, unit, bytes);
  cdni_free(a, column, bytes);
  return status;
}
