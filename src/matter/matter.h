/* What matter offers the rooms above it, beyond the public headers. */
#ifndef CARDAN_MATTER_MATTER_H
#define CARDAN_MATTER_MATTER_H

#include <cardan/motion.h>

#include "matter/kernels.h"
#include "system/system.h"

/* A body as it was added; the builder's list, const once the System is frozen. */
typedef struct matter_body {
  char *name, *mobilizer_name;
  int32_t parent;
  cdn_mobilizer mobilizer;
  bool improper;         /* allow_improper was set */
  bool X_BM_identity;    /* by default; the State may change it */
  cdn_motion_level lock; /* by default */
  int32_t motion;        /* the one that drives its mobilizer, or -1 */
} matter_body;

typedef struct matter matter;

struct matter {
  tree tree;
  cdni_array nodes;                              /* tree_node, while building */
  cdni_array blocks;                             /* tree_block */
  cdni_array bodies;                             /* matter_body */
  cdni_array q0, u0;                             /* double */
  cdni_array frames0, mass0, armature0, params0; /* double: defaults of the parameter arrays */
  cdni_array customs;                            /* custom_mobilizer: see custom.h */
  cdni_array motions;                            /* matter_motion: see motion.h */
  cdn_subsystem subsystem;
  int lanes; /* States side by side: 1, but in the data of a System's twin (system/system.h) */
  const tree_kernels *kernels;
  /* Declared resources. */
  cdn_dvar frames, mass, armature, params; /* 24, 10, 1 and CDN_MOBILIZER_PARAMS doubles a body */
  cdn_dvar applied_f, applied_F;           /* nu doubles; 6 a body, at the body's origin */
  /* What prescribes a body's q, u and udot at present: one int32 a body, 0 for nothing (motion.h); Ground's counts them. */
  cdn_dvar driver_q, driver_u, driver_udot;
  /* What was chosen: levels of locks (a byte a body), motions that are on (a byte each), their parameters; the values
   * that locks hold. */
  cdn_dvar lock_level, motion_on, motion_params, lock_q, lock_u, lock_udot;
  cdn_cache frame_constants, mass_constants;
  cdn_cache pose, H, custom, inertia, twist, articulated, G, D_inv;
  /* Where all this is in a State's block. */
  struct {
    size_t applied_f, applied_F, frames, mass, q, u, pose, H, custom, inertia, twist, articulated, G, D_inv, A, z, eps,
        udot, driver_q, driver_u, driver_udot;
  } at;
};

/* The matter of a System, NULL if it has no bodies. */
const matter *cdni_matter(const cdn_system *system);
matter *cdni_matter_building(cdn_system *system);

/* ---- results, evaluated if need be; NULL on failure ---- */

const body_pose *cdni_matter_pose(const matter *m, cdn_state *state);        /* X_GM */
const body_twist *cdni_matter_twist(const matter *m, cdn_state *state);      /* V_GM */
const rigid_inertia *cdni_matter_inertia(const matter *m, cdn_state *state); /* in Ground, about M's origins */
/* X_BM of a body as R by columns (9) and p (3): stations given in B become stations in M by its inverse. */
const double *cdni_matter_X_BM(const matter *m, cdn_state *state, cdn_body body);
/* From M's origin to the station p_B, in Ground. */
cdn_vec3 cdni_matter_station(const matter *m, cdn_state *state, const body_pose *pose, cdn_body body, cdn_vec3 p_B);
/* X_GB and V_GB from the records of M. */
cdn_transform cdni_body_transform(const double *X_BM, const body_pose *pose);
cdn_spatial cdni_body_spatial_velocity(const double *X_BM, const body_pose *pose, const body_twist *twist);
/* The forces applied from outside: bodies' F about M's origins are added to F (skipped at no cost while there are none), f to f. */
cdn_status cdni_matter_add_applied(const matter *m, cdn_state *state, sv *F, double *f);
/* Whether there are any. */
static inline bool cdni_matter_any_applied(const matter *m, const cdn_state *state) {
  const char *block = cdni_state_block(state);
  return *(const double *)(block + m->at.applied_f) != 0 || *(const double *)(block + m->at.applied_F) != 0;
}
/* Bytes of the entry that answers to CDN_ACCELERATION, which the room of the equations of motion declares: accelerations of M's
 * origins, then z and eps of the pass that makes them. It leaves udot in matter's run of the rates. */
size_t cdni_matter_acceleration_size(const matter *m);

/* Generalized forces (nu) of a uniform field g on the bodies that are not excluded (a number a body, not 0; NULL:
 * none is). */
cdn_status cdni_matter_gravity_forces(cdn_state *state, const char *function, v3 g, const double *excluded, double *f);

/* Ndot u, nq numbers, where Ndot is N's rate along qdot = N u: qdotdot = N udot + Ndot u. Reads q_eff. */
cdn_status cdni_matter_Ndot_u(const matter *m, cdn_state *state, const double *u, double *out);

/* The first coordinate of a body's mobilizer from which on rates are speeds: after what turns by a quaternion or by angles of
 * its own. */
int cdni_first_plain_coordinate(const matter *m, int body);

/* Whether a custom or function-based mobilizer (by its place in matter's list) has an N of its own: qdot is not u. */
bool cdni_custom_has_N(const matter *m, int32_t index);
/* Whether it finds its coordinates from a wanted pose by itself, not by iteration. */
bool cdni_custom_has_fit(const matter *m, int32_t index);

/* True if the id names a body of the System. */
static inline bool cdni_body_exists(const matter *m, cdn_body body) { return m && body.i >= 0 && body.i < m->tree.n; }

static inline cdn_vec3 cdni_from_v3(v3 a) { return cdn_v3(a.x, a.y, a.z); }
static inline v3 cdni_to_v3(cdn_vec3 a) { return (v3){ a.x, a.y, a.z }; }

/* ---- for those who run the kernels themselves ---- */

/* Pointers into the State's block for the kernels; nothing is evaluated. udot, eps, z, A are those of the State's own
 * acceleration entry. */
static inline tree_data cdni_matter_data(const matter *m, const cdn_state *state) {
  char *block = cdni_state_block(state);
#define AT(member) ((void *)(block + m->at.member))
  const int32_t *driver = AT(driver_udot);
  return (tree_data){ .frames = AT(frames),
                      .mass = AT(mass),
                      .q = AT(q),
                      .u = AT(u),
                      .pose = AT(pose),
                      .H = AT(H),
                      .custom = AT(custom),
                      .inertia = AT(inertia),
                      .twist = AT(twist),
                      .articulated = AT(articulated),
                      .G = AT(G),
                      .D_inv = AT(D_inv),
                      .z = AT(z),
                      .A = AT(A),
                      .eps = AT(eps),
                      .udot = AT(udot),
                      .prescribed = driver[0] ? driver : NULL };
#undef AT
}
/* Whether a lock or a motion drives any mobilizer of this State. */
static inline bool cdni_matter_is_prescribed(const matter *m, const cdn_state *state) {
  return cdni_matter_data(m, state).prescribed != NULL;
}
/* "joint 'x' ... no inertia": the story of a kernel that returned a body. */
cdn_status cdni_matter_singular(const matter *m, cdn_state *state, int body, const char *function);

#endif
