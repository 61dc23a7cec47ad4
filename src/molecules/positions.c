/* Coordinates of a molecule's mobilizers from positions of its atoms. */
#include <math.h>

#include "math/dense.h"
#include "molecules/field.h"
#include "system/system.h"

static cdn_vec3 at(const double *x, int atom) { return cdn_v3(x[3 * atom], x[3 * atom + 1], x[3 * atom + 2]); }

/* ---- roots and balls: the pose of a body that brings its atoms nearest to their places ---- */

enum { SVD_ROOM = 512 };

/* R of least squares: with the products H = sum of (p - mean)(x - mean)^T = U S V^T it is V U^T, with the smallest
 * direction turned where that is a reflection (W. Kabsch, Acta Cryst. A32:922, 1976). */
static cdn_status nearest_rotation(cdn_state *state, double H[9], cdn_rotation *R) {
  double s[3], U[9], VT[9], work[SVD_ROOM], r[9];
  if (cdni_svd_work(3, 3) > SVD_ROOM || !cdni_svd(3, 3, H, s, U, VT, work))
    return cdni_state_fail(state, CDN_ERR_SINGULAR, false, "cdn_force_field_set_positions", NULL,
                           "no rotation fits the positions");
  for (int sign = 1; sign >= -1; sign -= 2) {
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++)
        r[3 * i + j] = VT[3 * i] * U[j] + VT[3 * i + 1] * U[3 + j] + sign * VT[3 * i + 2] * U[6 + j];
    const double det =
        r[0] * (r[4] * r[8] - r[5] * r[7]) - r[1] * (r[3] * r[8] - r[5] * r[6]) + r[2] * (r[3] * r[7] - r[4] * r[6]);
    if (det > 0) break;
  }
  *R = (cdn_rotation){ { r[0], r[3], r[6] }, { r[1], r[4], r[7] }, { r[2], r[5], r[8] } };
  return CDN_OK;
}

/* The rotation with the z axis along one direction, and the other one in the plane of z and x; false: they are on one
 * line. */
static bool rotation_of(const cdn_vec3 d[2], bool second, cdn_rotation *R) {
  if (!(cdn_norm(d[0]) > 0)) return false;
  const cdn_vec3 z = cdn_scale(1 / cdn_norm(d[0]), d[0]);
  if (!second) {
    *R = cdn_rotation_z_to(z);
    return true;
  }
  const cdn_vec3 y = cdn_cross(z, d[1]);
  if (!(cdn_norm(y) > 1e-6 * cdn_norm(d[1]))) return false;
  R->z = z, R->y = cdn_scale(1 / cdn_norm(y), y), R->x = cdn_cross(R->y, z);
  return true;
}

/* The rotation of a root whose atoms are on one line. */
static cdn_status follow_directions(const field *f, cdn_state *state, const field_joint *j, const double *x,
                                    cdn_rotation *R) {
  cdn_vec3 d[2];
  cdn_rotation there, here;
  const bool second = j->toward[1] >= 0;
  for (int k = 0; k <= second; k++) d[k] = cdn_sub(at(x, j->toward[k]), at(x, j->from[k]));
  if (!rotation_of(d, second, &there) || !rotation_of(j->direction, second, &here))
    return cdni_state_fail(state, CDN_ERR_SINGULAR, false, "cdn_force_field_set_positions", f->name,
                           "atoms '%s', '%s' and '%s' are on one line, from which no rotation of molecule '%s' follows",
                           f->label[j->from[0]], f->label[j->toward[0]], f->label[j->toward[second]], f->name);
  *R = cdn_rotation_multiply(there, cdn_rotation_transpose(here));
  return CDN_OK;
}

/* The pose of body b; `pivot` (an atom of its joint, or -1) counts as one of its atoms, at `pivot_B`. */
static cdn_status fit_pose(const field *f, cdn_state *state, int b, int pivot, cdn_vec3 pivot_B, const double *x,
                           cdn_transform *X) {
  const int first = f->bodies[b].first, end = f->bodies[b + 1].first, n = end - first + (pivot >= 0);
  cdn_vec3 mean_B = { 0, 0, 0 }, mean_G = { 0, 0, 0 };
  for (int k = 0; k < n; k++) {
    const bool own = first + k < end;
    mean_B = cdn_add(mean_B, own ? f->station[first + k] : pivot_B);
    mean_G = cdn_add(mean_G, at(x, own ? f->atom_of[first + k] : pivot));
  }
  mean_B = cdn_scale(1.0 / n, mean_B), mean_G = cdn_scale(1.0 / n, mean_G);
  double H[9] = { 0 };
  for (int k = 0; k < n; k++) {
    const bool own = first + k < end;
    const cdn_vec3 p = cdn_sub(own ? f->station[first + k] : pivot_B, mean_B);
    const cdn_vec3 g = cdn_sub(at(x, own ? f->atom_of[first + k] : pivot), mean_G);
    const double pp[3] = { p.x, p.y, p.z }, gg[3] = { g.x, g.y, g.z };
    for (int i = 0; i < 9; i++) H[i] += pp[i % 3] * gg[i / 3];
  }
  const field_joint *j = &f->joints[b];
  CDNI_TRY(j->toward[0] >= 0 ? follow_directions(f, state, j, x, &X->R) : nearest_rotation(state, H, &X->R));
  X->p = cdn_sub(mean_G, cdn_rotate(X->R, mean_B));
  return CDN_OK;
}

static cdn_status set_pose(const field *f, cdn_state *state, int b, const double *x) {
  const cdn_body body = f->bodies[b].body, parent = cdn_body_parent(cdn_state_system(state), body);
  const field_joint *j = &f->joints[b];
  cdn_transform X_GB, X_GP;
  CDNI_TRY(fit_pose(f, state, b, j->a, cdn_body_X_BM(state, body).p, x, &X_GB));
  CDNI_TRY(cdn_body_pose(state, parent, &X_GP));
  const cdn_transform X_GF = cdn_transform_multiply(X_GP, cdn_body_X_PF(state, body));
  const cdn_transform X_GM = cdn_transform_multiply(X_GB, cdn_body_X_BM(state, body));
  const cdn_transform X_FM = cdn_transform_multiply(cdn_transform_invert(X_GF), X_GM);
  return j->a >= 0 ? cdn_body_set_q_to_fit_rotation(state, body, X_FM.R)
                   : cdn_body_set_q_to_fit_transform(state, body, X_FM);
}

/* ---- bonds ---- */

/* The angle and the dihedral of a bond in the frame F of a mobilizer that has both (joints.c): the bond is e, y lies at
 * d from its outer atom. The angle has a sign: the bond moves in a plane that the inner part decides. */
static void read_turns(cdn_vec3 e, cdn_vec3 d, double q[2]) {
  q[0] = atan2(e.z, e.y);
  const double back = cos(q[0]) * d.z - sin(q[0]) * d.y;
  q[1] = atan2(-d.x, -back);
}

/* Turned about y. */
static cdn_vec3 turned_back(double angle, cdn_vec3 v) {
  const double c = cos(angle), s = sin(angle);
  return cdn_v3(c * v.x - s * v.z, v.y, s * v.x + c * v.z);
}

static cdn_status set_bond(const field *f, cdn_state *state, int b, const double *x) {
  const field_joint *j = &f->joints[b];
  const cdn_body body = f->bodies[b].body, parent = cdn_body_parent(cdn_state_system(state), body);
  const cdn_vec3 inner = at(x, j->a), outer = at(x, j->b);
  cdn_transform X_GP;
  CDNI_TRY(cdn_body_pose(state, parent, &X_GP));
  const cdn_rotation R_GF = cdn_rotation_multiply(X_GP.R, cdn_body_X_PF(state, body).R);
  cdn_vec3 e = cdn_rotate_inv(R_GF, cdn_sub(outer, inner));
  cdn_vec3 d = j->y >= 0 ? cdn_rotate_inv(R_GF, cdn_sub(at(x, j->y), outer)) : e;
  const bool has_x = j->x >= 0, has_y = j->y >= 0, bends = j->mobility != CDN_BOND_TORSION && has_x;
  double q[4], turns[2];
  int n = 0;
  if (j->mobility == CDN_BOND_BALL) return set_pose(f, state, b, x);
  const double azimuth = j->azimuth ? atan2(e.x, e.z) : 0;
  if (j->azimuth) e = turned_back(azimuth, e), d = turned_back(azimuth, d);
  read_turns(e, d, turns);
  if (bends) q[n++] = has_y || j->azimuth ? turns[0] : atan2(e.y, e.x);
  if (has_y) q[n++] = bends ? turns[1] : atan2(d.y, d.x);
  if (j->mobility == CDN_BOND_FLEXIBLE) q[n++] = cdn_norm(e);
  if (j->azimuth) q[n++] = azimuth;
  return cdn_body_set_q(state, body, n, q);
}

cdn_status cdn_force_field_set_positions(cdn_state *state, cdn_force force, const double *x) {
  CDNI_NEED(state, x);
  const field *f = mol_field(cdn_state_system(state), force, __func__);
  size_t bad;
  if (!f) return CDN_ERR_ARG;
  if (!cdni_all_finite(x, 3 * (size_t)f->n, &bad))
    return cdni_state_fail(state, CDN_ERR_NONFINITE, false, __func__, f->name,
                           "the position of atom '%s' has a number "
                           "that is %g",
                           f->label[bad / 3], x[bad]);
  for (int b = 0; b < f->n_bodies; b++) {
    if (f->joints[b].attached) continue;
    CDNI_TRY(f->joints[b].a >= 0 ? set_bond(f, state, b, x) : set_pose(f, state, b, x));
  }
  return CDN_OK;
}
