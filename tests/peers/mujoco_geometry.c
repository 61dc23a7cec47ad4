#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mujoco_bridge.h"
#include "mujoco_geometry.h"

static const struct {
  const char *name;
  int sizes, type;
} types[CDN_GEOMETRY_KIND_COUNT] = {
  [CDN_GEOMETRY_SPHERE] = { "sphere", 1, mjGEOM_SPHERE },
  [CDN_GEOMETRY_HALF_SPACE] = { "plane", 0, mjGEOM_PLANE },
  [CDN_GEOMETRY_CAPSULE] = { "capsule", 2, mjGEOM_CAPSULE },
  [CDN_GEOMETRY_ELLIPSOID] = { "ellipsoid", 3, mjGEOM_ELLIPSOID },
  [CDN_GEOMETRY_CYLINDER] = { "cylinder", 2, mjGEOM_CYLINDER },
  [CDN_GEOMETRY_BOX] = { "box", 3, mjGEOM_BOX },
  [CDN_GEOMETRY_CONVEX] = { "mesh", 0, mjGEOM_MESH },
};

bool mj_geometry_init(mj_geometry_pair *pair, const cdn_geometry *a, int n_points_a, const double *points_a,
                      const cdn_geometry *b, int n_points_b, const double *points_b) {
  memset(pair, 0, sizeof *pair);
  const cdn_geometry *const geometries[2] = { a, b };
  const int n_points[2] = { n_points_a, n_points_b };
  const double *const points[2] = { points_a, points_b };
  const size_t size = 4096 + 80 * (size_t)(n_points_a + n_points_b);
  char *text = malloc(size);
  if (!text) return false;
  size_t at = (size_t)snprintf(text, size, "<mujoco><asset>");
  for (int i = 0; i < 2; i++) {
    if (geometries[i]->kind != CDN_GEOMETRY_CONVEX) continue;
    at += (size_t)snprintf(text + at, size - at, "<mesh name='m%d' vertex='", i);
    for (int k = 0; k < 3 * n_points[i]; k++) at += (size_t)snprintf(text + at, size - at, "%.17g ", points[i][k]);
    at += (size_t)snprintf(text + at, size - at, "'/>");
  }
  at += (size_t)snprintf(text + at, size - at, "</asset><worldbody>");
  for (int i = 0; i < 2; i++) {
    const cdn_geometry *g = geometries[i];
    at += (size_t)snprintf(text + at, size - at, "<geom type='%s'", types[g->kind].name);
    if (g->kind == CDN_GEOMETRY_CONVEX) at += (size_t)snprintf(text + at, size - at, " mesh='m%d'", i);
    else if (g->kind == CDN_GEOMETRY_HALF_SPACE) at += (size_t)snprintf(text + at, size - at, " size='1 1 1'");
    else at += (size_t)snprintf(text + at, size - at, " size='%.17g %.17g %.17g'", g->size[0], g->size[1], g->size[2]);
    at += (size_t)snprintf(text + at, size - at, "/>");
  }
  snprintf(text + at, size - at, "</worldbody></mujoco>");
  char error[300] = "";
  pair->m = mj_bridge_load_string(text, "pair.xml", error, sizeof error);
  free(text);
  if (!pair->m) {
    fprintf(stderr, "MuJoCo: %s\n", error);
    return false;
  }
  pair->d = mj_makeData(pair->m);
  mj_kinematics(pair->m, pair->d);
  for (int i = 0; i < 2; i++) {
    pair->geom[i] = i;
    const double *p = pair->d->geom_xpos + 3 * i, *R = pair->d->geom_xmat + 9 * i;
    pair->X_SM[i] =
        (cdn_transform){ { { R[0], R[3], R[6] }, { R[1], R[4], R[7] }, { R[2], R[5], R[8] } }, { p[0], p[1], p[2] } };
  }
  const int ta = types[a->kind].type, tb = types[b->kind].type;
  pair->turned = ta > tb;
  pair->function = mjCOLLISIONFUNC[ta < tb ? ta : tb][ta < tb ? tb : ta];
  return true;
}

void mj_geometry_free(mj_geometry_pair *pair) {
  mj_deleteData(pair->d);
  mj_deleteModel(pair->m);
}

void mj_geometry_pose(mj_geometry_pair *pair, const cdn_transform *X_WA, const cdn_transform *X_WB) {
  for (int i = 0; i < 2; i++) {
    const cdn_transform X = cdn_transform_multiply(i ? *X_WB : *X_WA, pair->X_SM[i]);
    double *p = pair->d->geom_xpos + 3 * i, *R = pair->d->geom_xmat + 9 * i;
    p[0] = X.p.x, p[1] = X.p.y, p[2] = X.p.z;
    R[0] = X.R.x.x, R[3] = X.R.x.y, R[6] = X.R.x.z;
    R[1] = X.R.y.x, R[4] = X.R.y.y, R[7] = X.R.y.z;
    R[2] = X.R.z.x, R[5] = X.R.z.y, R[8] = X.R.z.z;
  }
}

cdn_vec3 mj_geometry_normal(const mj_geometry_pair *pair, int contact) {
  const double *n = pair->contacts[contact].frame, s = pair->turned ? -1 : 1;
  return cdn_v3(s * n[0], s * n[1], s * n[2]);
}
