/* MuJoCo seen through Cardan's conventions. */
#include "mujoco_bridge.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- loading ------------------------------------------------------------------------------- */

static void on_error(const char *text) {
  fprintf(stderr, "MuJoCo: %s\n", text);
  abort();
}

static void on_warning(const char *text) { (void)text; }

void mj_bridge_handlers(void) {
  mju_user_error = on_error;
  mju_user_warning = on_warning;
}

bool mj_bridge_read_model(const char *name, char *text, size_t size) {
  char path[1000];
  const char *shared = getenv("CARDAN_SHARED");
  snprintf(path, sizeof path, "%s/models/mjcf/%s", shared ? shared : "../shared", name);
  FILE *file = fopen(path, "r");
  if (!file) return false;
  text[fread(text, 1, size - 1, file)] = 0;
  fclose(file);
  return true;
}

mjModel *mj_bridge_load_string(const char *text, const char *name, char *error, int size) {
  mjVFS *vfs = malloc(sizeof *vfs); /* two megabytes: not for the stack */
  if (!vfs) return NULL;
  mj_defaultVFS(vfs);
  mjModel *m = NULL;
  size_t length = strlen(text);
  if (mj_makeEmptyFileVFS(vfs, name, (int)length) == 0) {
    memcpy(vfs->filedata[mj_findFileVFS(vfs, name)], text, length);
    m = mj_loadXML(name, vfs, error, size);
  }
  mj_deleteVFS(vfs);
  free(vfs);
  return m;
}

mjModel *mj_bridge_load_file(const char *path, char *error, int size) { return mj_loadXML(path, NULL, error, size); }

void mj_bridge_tree_only(mjModel *m) {
  m->opt.disableflags |= mjDSBL_CONSTRAINT | mjDSBL_EQUALITY | mjDSBL_FRICTIONLOSS | mjDSBL_LIMIT | mjDSBL_CONTACT |
                         mjDSBL_ACTUATION | mjDSBL_SENSOR;
  m->opt.enableflags |= mjENBL_ENERGY;
}

/* ---- inertia ------------------------------------------------------------------------------- */

cdn_inertia mj_bridge_inertia(const mjModel *m, int body) {
  const double *q = m->body_iquat + 4 * body, *d = m->body_inertia + 3 * body;
  cdn_rotation R = cdn_rotation_from_quaternion((cdn_quaternion){ q[0], q[1], q[2], q[3] });
  return cdn_inertia_reexpress(R, (cdn_inertia){ d[0], d[1], d[2], 0, 0, 0 });
}

double mj_bridge_set_inertia(mjModel *m, int body, cdn_inertia I) {
  if (m->body_sameframe[body]) return 0;
  cdn_rotation R;
  cdn_inertia_principal(I, m->body_inertia + 3 * body, &R);
  cdn_quaternion q = cdn_quaternion_from_rotation(R);
  memcpy(m->body_iquat + 4 * body, (double[4]){ q.w, q.x, q.y, q.z }, 4 * sizeof(double));
  const double *d = m->body_inertia + 3 * body;
  double worst = 0;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double element = 0, wanted[3][3] = { { I.xx, I.xy, I.xz }, { I.xy, I.yy, I.yz }, { I.xz, I.yz, I.zz } };
      for (int k = 0; k < 3; k++) element += (&R.x.x)[3 * k + i] * d[k] * (&R.x.x)[3 * k + j];
      worst = fmax(worst, fabs(element - wanted[i][j]));
    }
  return worst;
}

/* ---- coordinates --------------------------------------------------------------------------- */

static int joint_nq(int type) { return type == mjJNT_FREE ? 7 : type == mjJNT_BALL ? 4 : 1; }
static int joint_nu(int type) { return type == mjJNT_FREE ? 6 : type == mjJNT_BALL ? 3 : 1; }

/* The next of our joints from `i` on that MuJoCo has, too: there mocap bodies have none. */
static int next_joint(const cdn_model *model, int i) {
  while (i < cdn_model_joint_count(model) &&
         cdn_body_is_mocap(cdn_model_system(model), cdn_model_get_joint(model, i).mobilized))
    i++;
  return i;
}

static int count_joints(const cdn_model *model) {
  int count = 0;
  for (int i = next_joint(model, 0); i < cdn_model_joint_count(model); i = next_joint(model, i + 1)) count++;
  return count;
}

bool mj_bridge_init(mj_bridge *bridge, const mjModel *m, const cdn_model *model) {
  const int count = m ? m->njnt : count_joints(model);
  *bridge = (mj_bridge){ m, calloc((size_t)count + 1, sizeof *bridge->joints), count };
  bool good = bridge->joints && (!model || count_joints(model) == count);
  for (int j = 0, i = -1, q = 0, u = 0; good && j < count; j++) {
    if (model) i = next_joint(model, i + 1);
    const cdn_model_joint ours = model ? cdn_model_get_joint(model, i) : (cdn_model_joint){ 0 };
    mj_bridge_joint *joint = &bridge->joints[j];
    joint->nq = m ? joint_nq(m->jnt_type[j]) : ours.nq;
    joint->nu = m ? joint_nu(m->jnt_type[j]) : ours.nu;
    joint->qpos = q, joint->qvel = u;
    joint->first_q = model ? ours.first_q : q, joint->first_u = model ? ours.first_u : u;
    good = !model || (ours.nq == joint->nq && ours.nu == joint->nu);
    q += joint->nq, u += joint->nu;
  }
  if (!good) mj_bridge_free(bridge);
  return good;
}

void mj_bridge_free(mj_bridge *bridge) {
  free(bridge->joints);
  *bridge = (mj_bridge){ 0 };
}

void mj_bridge_q_to_mujoco(const mj_bridge *bridge, const double *q, double *qpos) {
  for (int j = 0; j < bridge->count; j++) {
    const mj_bridge_joint joint = bridge->joints[j];
    const double *ours = q + joint.first_q;
    double *theirs = qpos + joint.qpos;
    if (joint.nq == 7) {
      memcpy(theirs, ours + 4, 3 * sizeof *q);
      memcpy(theirs + 3, ours, 4 * sizeof *q);
    } else {
      memcpy(theirs, ours, (size_t)joint.nq * sizeof *q);
    }
  }
}

void mj_bridge_q_from_mujoco(const mj_bridge *bridge, const double *qpos, double *q) {
  for (int j = 0; j < bridge->count; j++) {
    const mj_bridge_joint joint = bridge->joints[j];
    double *ours = q + joint.first_q;
    const double *theirs = qpos + joint.qpos;
    if (joint.nq == 7) {
      memcpy(ours, theirs + 3, 4 * sizeof *q);
      memcpy(ours + 4, theirs, 3 * sizeof *q);
    } else {
      memcpy(ours, theirs, (size_t)joint.nq * sizeof *q);
    }
  }
}

static cdn_rotation joint_rotation(const double *q) {
  return cdn_rotation_from_quaternion((cdn_quaternion){ q[0], q[1], q[2], q[3] });
}

void mj_bridge_u_to_mujoco(const mj_bridge *bridge, const double *q, const double *u, double *qvel) {
  for (int j = 0; j < bridge->count; j++) {
    const mj_bridge_joint joint = bridge->joints[j];
    const double *ours = u + joint.first_u;
    double *theirs = qvel + joint.qvel;
    if (joint.nu == 1) {
      *theirs = *ours;
      continue;
    }
    cdn_vec3 w = cdn_rotate_inv(joint_rotation(q + joint.first_q), cdn_v3(ours[0], ours[1], ours[2]));
    if (joint.nu == 6) {
      memcpy(theirs, ours + 3, 3 * sizeof *u);
      theirs += 3;
    }
    theirs[0] = w.x;
    theirs[1] = w.y;
    theirs[2] = w.z;
  }
}

void mj_bridge_u_from_mujoco(const mj_bridge *bridge, const double *q, const double *qvel, double *u) {
  for (int j = 0; j < bridge->count; j++) {
    const mj_bridge_joint joint = bridge->joints[j];
    double *ours = u + joint.first_u;
    const double *theirs = qvel + joint.qvel;
    if (joint.nu == 1) {
      *ours = *theirs;
      continue;
    }
    if (joint.nu == 6) {
      memcpy(ours + 3, theirs, 3 * sizeof *u);
      theirs += 3;
    }
    cdn_vec3 w = cdn_rotate(joint_rotation(q + joint.first_q), cdn_v3(theirs[0], theirs[1], theirs[2]));
    ours[0] = w.x;
    ours[1] = w.y;
    ours[2] = w.z;
  }
}

bool mj_bridge_M_from_mujoco(const mj_bridge *bridge, const mjData *d, const double *q, double *M) {
  size_t n = (size_t)bridge->m->nv;
  double *full = malloc((n * n + n + 1) * sizeof *full), *column = full + n * n;
  if (!full) return false;
  mj_fullM(bridge->m, full, d->qM);
  /* Rows of T qM, then rows of T (T qM)^T: the second pass works on columns. */
  for (size_t i = 0; i < n; i++) mj_bridge_u_from_mujoco(bridge, q, full + i * n, M + i * n);
  for (size_t j = 0; j < n; j++) {
    for (size_t i = 0; i < n; i++) full[i] = M[i * n + j];
    mj_bridge_u_from_mujoco(bridge, q, full, column);
    for (size_t i = 0; i < n; i++) M[i * n + j] = column[i];
  }
  free(full);
  return true;
}
