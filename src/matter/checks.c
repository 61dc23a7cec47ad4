/* Packing and checking of a body's parameters. */
#include "matter/checks.h"

#include <math.h>
#include <stdio.h>

void cdni_pack_transform(double out[12], cdn_transform X) {
  const double v[12] = { X.R.x.x, X.R.x.y, X.R.x.z, X.R.y.x, X.R.y.y, X.R.y.z,
                         X.R.z.x, X.R.z.y, X.R.z.z, X.p.x,   X.p.y,   X.p.z };
  memcpy(out, v, sizeof v);
}

cdn_transform cdni_unpack_transform(const double in[12]) {
  return (cdn_transform){ { cdn_v3(in[0], in[1], in[2]), cdn_v3(in[3], in[4], in[5]), cdn_v3(in[6], in[7], in[8]) },
                          cdn_v3(in[9], in[10], in[11]) };
}

void cdni_pack_mass(double out[10], cdn_mass_properties m) {
  const double v[10] = { m.mass,       m.com.x,      m.com.y,      m.com.z,      m.inertia.xx,
                         m.inertia.yy, m.inertia.zz, m.inertia.xy, m.inertia.xz, m.inertia.yz };
  memcpy(out, v, sizeof v);
}

cdn_mass_properties cdni_unpack_mass(const double in[10]) {
  return (cdn_mass_properties){ in[0], cdn_v3(in[1], in[2], in[3]), { in[4], in[5], in[6], in[7], in[8], in[9] } };
}

cdn_status cdni_check_frame(cdn_transform X) {
  double v[12];
  cdni_pack_transform(v, X);
  if (!cdni_all_finite(v, 12, NULL)) return CDN_ERR_NONFINITE;
  const double dots[6] = { cdn_dot(X.R.x, X.R.x) - 1, cdn_dot(X.R.y, X.R.y) - 1, cdn_dot(X.R.z, X.R.z) - 1,
                           cdn_dot(X.R.x, X.R.y),     cdn_dot(X.R.x, X.R.z),     cdn_dot(X.R.y, X.R.z) };
  for (int i = 0; i < 6; i++)
    if (fabs(dots[i]) > 1e-9) return CDN_ERR_ARG;
  return cdn_dot(cdn_cross(X.R.x, X.R.y), X.R.z) > 0 ? CDN_OK : CDN_ERR_ARG;
}

cdn_status cdni_check_params(const mobilizer_kind *kind, const double *params, char *reason, size_t size) {
  if (!params) {
    snprintf(reason, size, "no mobilizer parameters were given");
    return CDN_ERR_ARG;
  }
  size_t bad;
  if (!cdni_all_finite(params, CDN_MOBILIZER_PARAMS, &bad)) {
    cdni_print(reason, size, "parameter %zu of its mobilizer is %g", bad, params[bad]);
    return CDN_ERR_NONFINITE;
  }
  CDNI_TRY(cdni_parameters_check(kind->parameters, kind->n_parameters, params, reason, size));
  return !kind->accepts || kind->accepts(params, reason, size) ? CDN_OK : CDN_ERR_ARG;
}

cdn_status cdni_check_mass(cdn_mass_properties m, bool allow_improper, char *reason, size_t size) {
  double v[10];
  cdni_pack_mass(v, m);
  if (!cdni_all_finite(v, 10, NULL)) {
    snprintf(reason, size, "its mass properties have a NaN or an infinity");
    return CDN_ERR_NONFINITE;
  }
  if (m.mass < 0) {
    cdni_print(reason, size, "its mass is %g; it must not be negative", m.mass);
    return CDN_ERR_ARG;
  }
  if (allow_improper) return CDN_OK;
  double moments[3];
  cdn_inertia_principal(m.inertia, moments, NULL);
  /* Rods and plates sit exactly on the bounds: leave room for the rounding of how their numbers were made. */
  double slack = 1e-9 * fmax(fabs(moments[0]), fabs(moments[2]));
  if (m.mass == 0 && (moments[0] != 0 || moments[2] != 0)) snprintf(reason, size, "it has inertia but no mass");
  else if (moments[0] < -slack)
    cdni_print(reason, size, "its central inertia has a negative principal moment (%g)", moments[0]);
  else if (moments[2] > moments[0] + moments[1] + slack)
    cdni_print(
        reason, size,
        "its central principal moments %g, %g, %g break the triangle inequality: is the inertia about the centre of mass?",
        moments[0], moments[1], moments[2]);
  else return CDN_OK;
  return CDN_ERR_ARG;
}

/* ---- what others refer to ---- */

bool cdni_body_lacks_slot(const cdn_system *system, cdn_body body, int k, const char *instead, char *reason,
                          size_t size) {
  const char *joint = cdn_body_mobilizer_name(system, body), *kind = cdni_body_kind_name(system, body);
  const int n = instead ? cdn_body_nq(system, body) : cdn_body_nu(system, body);
  if (k < 0 || k >= n)
    cdni_print(reason, size, "joint '%s' is a %s, which has %d %s: there is no number %d", joint, kind, n,
               instead ? "coordinates" : "mobilities", k);
  else if (instead && k < cdni_first_plain_coordinate(cdni_matter(system), body.i))
    cdni_print(reason, size, "joint '%s' is a %s, and the rate of its coordinate %d is not a speed u: %s", joint, kind,
               k, instead);
  else return false;
  return true;
}

void cdni_adder_check_body(cdni_adder *a, cdn_body body) {
  if (a->ok) cdni_adder_check_there(a, "body", body.i, cdn_system_body_count(a->system));
}

void cdni_adder_check_slot(cdni_adder *a, cdn_body body, int k, const char *instead) {
  char reason[300];
  cdni_adder_check_body(a, body);
  if (a->ok && cdni_body_lacks_slot(a->system, body, k, instead, reason, sizeof reason))
    cdni_adder_refuse(a, CDN_ERR_ARG, "%s", reason);
}
