/* Spatial vectors and inertias as public functions of values (manual 3.3). */
#include <cardan/spatial.h>

/* ---- products, shifts, transforms ---- */

cdn_spatial cdn_spatial_cross_motion(cdn_spatial V, cdn_spatial U) {
  return (cdn_spatial){ cdn_cross(V.w, U.w), cdn_add(cdn_cross(V.w, U.v), cdn_cross(V.v, U.w)) };
}

cdn_spatial cdn_spatial_cross_force(cdn_spatial V, cdn_spatial F) {
  return (cdn_spatial){ cdn_add(cdn_cross(V.w, F.w), cdn_cross(V.v, F.v)), cdn_cross(V.w, F.v) };
}

cdn_spatial cdn_spatial_shift_velocity(cdn_spatial V, cdn_vec3 p) {
  return (cdn_spatial){ V.w, cdn_add(V.v, cdn_cross(V.w, p)) };
}

cdn_spatial cdn_spatial_shift_acceleration(cdn_spatial A, cdn_vec3 w, cdn_vec3 p) {
  const cdn_vec3 centripetal = cdn_cross(w, cdn_cross(w, p));
  return (cdn_spatial){ A.w, cdn_add(A.v, cdn_add(cdn_cross(A.w, p), centripetal)) };
}

cdn_spatial cdn_spatial_shift_force(cdn_spatial F, cdn_vec3 p) {
  return (cdn_spatial){ cdn_sub(F.w, cdn_cross(p, F.v)), F.v };
}

cdn_spatial cdn_spatial_reexpress(cdn_rotation R_AB, cdn_spatial in_B) {
  return (cdn_spatial){ cdn_rotate(R_AB, in_B.w), cdn_rotate(R_AB, in_B.v) };
}

/* A's origin lies at -p from B's. */
cdn_spatial cdn_spatial_transform_velocity(cdn_transform X_AB, cdn_spatial V_B) {
  return cdn_spatial_shift_velocity(cdn_spatial_reexpress(X_AB.R, V_B), cdn_scale(-1, X_AB.p));
}

cdn_spatial cdn_spatial_transform_acceleration(cdn_transform X_AB, cdn_spatial A_B, cdn_vec3 w_B) {
  const cdn_spatial A = cdn_spatial_reexpress(X_AB.R, A_B);
  return cdn_spatial_shift_acceleration(A, cdn_rotate(X_AB.R, w_B), cdn_scale(-1, X_AB.p));
}

cdn_spatial cdn_spatial_transform_force(cdn_transform X_AB, cdn_spatial F_B) {
  return cdn_spatial_shift_force(cdn_spatial_reexpress(X_AB.R, F_B), cdn_scale(-1, X_AB.p));
}

/* ---- relative motion ---- */

cdn_spatial cdn_relative_velocity(cdn_transform X_GA, cdn_spatial V_GA, cdn_transform X_GB, cdn_spatial V_GB) {
  const cdn_spatial carried = cdn_spatial_shift_velocity(V_GA, cdn_sub(X_GB.p, X_GA.p));
  return cdn_spatial_reexpress(cdn_rotation_transpose(X_GA.R), cdn_spatial_sub(V_GB, carried));
}

/* Subtracts the acceleration of A's point there, and the Coriolis acceleration: b_AB = b_B - b_A - w_A x w_AB,
 * a_AB = a_B - a_A(there) - 2 w_A x v_AB. */
cdn_spatial cdn_relative_acceleration(cdn_transform X_GA, cdn_spatial V_GA, cdn_spatial A_GA, cdn_transform X_GB,
                                      cdn_spatial V_GB, cdn_spatial A_GB) {
  const cdn_vec3 p = cdn_sub(X_GB.p, X_GA.p);
  const cdn_spatial V = cdn_spatial_sub(V_GB, cdn_spatial_shift_velocity(V_GA, p));
  cdn_spatial A = cdn_spatial_sub(A_GB, cdn_spatial_shift_acceleration(A_GA, V_GA.w, p));
  A.w = cdn_sub(A.w, cdn_cross(V_GA.w, V.w));
  A.v = cdn_sub(A.v, cdn_scale(2, cdn_cross(V_GA.w, V.v)));
  return cdn_spatial_reexpress(cdn_rotation_transpose(X_GA.R), A);
}

/* ---- inertia ---- */

cdn_spatial_inertia cdn_spatial_inertia_from_mass(cdn_mass_properties m) {
  return (cdn_spatial_inertia){ m.mass, cdn_scale(m.mass, m.com), cdn_inertia_shift(m.inertia, m.mass, m.com) };
}

cdn_mass_properties cdn_spatial_inertia_to_mass(cdn_spatial_inertia I) {
  if (I.mass == 0) return (cdn_mass_properties){ 0, { 0, 0, 0 }, I.inertia };
  const cdn_vec3 com = cdn_scale(1 / I.mass, I.mass_com);
  return (cdn_mass_properties){ I.mass, com, cdn_inertia_shift(I.inertia, -I.mass, com) };
}

cdn_spatial_inertia cdn_spatial_inertia_add(cdn_spatial_inertia a, cdn_spatial_inertia b) {
  const cdn_inertia sum = { a.inertia.xx + b.inertia.xx, a.inertia.yy + b.inertia.yy, a.inertia.zz + b.inertia.zz,
                            a.inertia.xy + b.inertia.xy, a.inertia.xz + b.inertia.xz, a.inertia.yz + b.inertia.yz };
  return (cdn_spatial_inertia){ a.mass + b.mass, cdn_add(a.mass_com, b.mass_com), sum };
}

static cdn_vec3 times(cdn_inertia I, cdn_vec3 w) {
  return cdn_v3(I.xx * w.x + I.xy * w.y + I.xz * w.z, I.xy * w.x + I.yy * w.y + I.yz * w.z,
                I.xz * w.x + I.yz * w.y + I.zz * w.z);
}

cdn_spatial cdn_spatial_inertia_multiply(cdn_spatial_inertia I, cdn_spatial V) {
  return (cdn_spatial){ cdn_add(times(I.inertia, V.w), cdn_cross(I.mass_com, V.v)),
                        cdn_sub(cdn_scale(I.mass, V.v), cdn_cross(I.mass_com, V.w)) };
}

cdn_spatial cdn_spatial_inertia_force(cdn_spatial_inertia I, cdn_spatial V, cdn_spatial A) {
  cdn_spatial F = cdn_spatial_inertia_multiply(I, A);
  F.w = cdn_add(F.w, cdn_cross(V.w, times(I.inertia, V.w)));
  F.v = cdn_add(F.v, cdn_cross(V.w, cdn_cross(V.w, I.mass_com)));
  return F;
}

double cdn_spatial_inertia_energy(cdn_spatial_inertia I, cdn_spatial V) {
  return 0.5 * cdn_spatial_dot(cdn_spatial_inertia_multiply(I, V), V);
}

/* The parallel axes twice, by way of the centre c / m, which cancels: I' = I + (m p.p - 2 c.p) 1 + c p^T + p c^T - m
 * p p^T. */
cdn_spatial_inertia cdn_spatial_inertia_shift(cdn_spatial_inertia I, cdn_vec3 p) {
  const cdn_vec3 c = I.mass_com, d = cdn_sub(cdn_scale(I.mass, p), c); /* m p - c */
  const double s = cdn_dot(d, p) - cdn_dot(c, p);
  cdn_inertia J = I.inertia;
  J.xx += s - (d.x * p.x - p.x * c.x), J.yy += s - (d.y * p.y - p.y * c.y), J.zz += s - (d.z * p.z - p.z * c.z);
  J.xy -= d.x * p.y - p.x * c.y, J.xz -= d.x * p.z - p.x * c.z, J.yz -= d.y * p.z - p.y * c.z;
  return (cdn_spatial_inertia){ I.mass, cdn_scale(-1, d), J };
}

cdn_spatial_inertia cdn_spatial_inertia_reexpress(cdn_rotation R_AB, cdn_spatial_inertia I_B) {
  return (cdn_spatial_inertia){ I_B.mass, cdn_rotate(R_AB, I_B.mass_com), cdn_inertia_reexpress(R_AB, I_B.inertia) };
}

cdn_spatial_inertia cdn_spatial_inertia_transform(cdn_transform X_AB, cdn_spatial_inertia I_B) {
  return cdn_spatial_inertia_shift(cdn_spatial_inertia_reexpress(X_AB.R, I_B), cdn_scale(-1, X_AB.p));
}
