/* How far a motion is from the truth. */
#include "distance.h"

#include <math.h>
#include <string.h>

#include "parts.h"

enum { MOST = 128 };

/* The quaternion of the first four q as the truth has it: of unit length and of the nearer sign. */
static void align(double *e, const double *truth) {
  const double length = sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2] + e[3] * e[3]);
  const double dot = e[0] * truth[0] + e[1] * truth[1] + e[2] * truth[2] + e[3] * truth[3];
  for (int i = 0; i < 4; i++) e[i] *= (dot < 0 ? -1 : 1) / length;
}

static void take(distance *d, double *worst, double error, cdn_pool pool, int slot) {
  if (!(fabs(error) > *worst) && !isnan(error)) return;
  *worst = isnan(error) ? INFINITY : fabs(error);
  d->pool = pool, d->slot = slot;
}

distance distance_of(const cdn_state *at, const double *y, cdn_state *scratch) {
  const cdn_system *system = cdn_state_system(at);
  const int nq = cdn_system_nq(system), nu = cdn_system_nu(system), nz = cdn_system_nz(system);
  const double *q_truth = y, *u_truth = y + nq, *z_truth = u_truth + nu;
  double dq[MOST], du[MOST], q = 0, u = 0, z = 0, worst = 0;
  distance d = { .pool = CDN_POOL_Q };
  int free_q = 0, free_u = 0;
  memcpy(dq, cdn_state_q(at), (size_t)nq * sizeof *dq);
  MUST(scratch, cdn_state_set_time(scratch, cdn_state_time(at)));
  MUST(scratch, cdn_state_set_q(scratch, q_truth));
  for (int b = 1; b < cdn_system_body_count(system); b++) {
    const cdn_body body = { b };
    const int first = cdn_body_first_q(system, body);
    if (cdn_body_has_quaternion(system, body)) align(dq + first, q_truth + first);
  }
  for (int i = 0; i < nq; i++) dq[i] -= q_truth[i];
  MUST(scratch, cdn_multiply_by_N_inv(scratch, dq, du));
  for (int b = 1; b < cdn_system_body_count(system); b++) {
    const cdn_body body = { b };
    const cdn_motion_level level = cdn_body_driver(at, body).level;
    const int first = cdn_body_first_u(system, body), n = cdn_body_nu(system, body);
    double length = 0;
    for (int i = first; i < first + n; i++) length += u_truth[i] * u_truth[i];
    length = fmax(1, sqrt(length));
    for (int i = first; i < first + n; i++) {
      const double off = (cdn_state_u(at)[i] - u_truth[i]) / length;
      if (level < CDN_LEVEL_POSITION) free_q++, q += du[i] * du[i], take(&d, &worst, du[i], CDN_POOL_Q, i);
      if (level < CDN_LEVEL_VELOCITY) free_u++, u += off * off, take(&d, &worst, off, CDN_POOL_U, i);
    }
  }
  for (int i = 0; i < nz; i++) {
    const double off = (cdn_state_z(at)[i] - z_truth[i]) / fmax(1, fabs(z_truth[i]));
    z += off * off, take(&d, &worst, off, CDN_POOL_Z, i);
  }
  d.q = free_q ? sqrt(q / free_q) : 0, d.u = free_u ? sqrt(u / free_u) : 0, d.z = nz ? sqrt(z / nz) : 0;
  return d;
}

double distance_norm(const distance *d) {
  const double norm = fmax(d->q, fmax(d->u, d->z));
  /* fmax drops NaN */
  return isnan(d->q) || isnan(d->u) || isnan(d->z) ? INFINITY : norm;
}
