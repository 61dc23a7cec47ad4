/* The interface of matter for the rooms above, beyond the public headers. */
#ifndef CARDAN_MATTER_MATTER_H
#define CARDAN_MATTER_MATTER_H

#include <cardan/motion.h>

#include "matter/kernels.h"
#include "system/adding.h"

/* A body as it was added. The list is const once the System is frozen. */
typedef struct matter_body {
  char *name, *mobilizer_name;
  int32_t parent;
  bool improper;         /* allow_improper was set */
  bool X_BM_identity;    /* the default X_BM is the identity; a State may have another */
  cdn_motion_level lock; /* the default level of its lock */
  int32_t motion;        /* the motion that drives its mobilizer, or -1 */
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
  int lanes; /* States side by side: more than 1 only in the data of a System's twin (system/system.h) */
  const tree_kernels *kernels;
  /* Declared resources. */
  cdn_dvar frames, mass, armature, params; /* 24, 10, 1 and CDN_MOBILIZER_PARAMS doubles a body */
  cdn_dvar applied_f, applied_F;           /* nu doubles; 6 a body, at the body's origin */
  /* The present driver of a body's q, u and udot: one int32 for each body, 0 for none (motion.h). Ground's number is
   * the count of drivers. */
  cdn_dvar driver_q, driver_u, driver_udot;
  /* The choices of a State: levels of locks (one byte for each body), enabled motions (one byte each), their
   * parameters, and the values that locks hold. */
  cdn_dvar lock_level, motion_on, motion_params, lock_q, lock_u, lock_udot;
  cdn_dvar mocap; /* MOCAP_INPUTS for each mocap body, in the order of motions */
  cdn_cache frame_constants, mass_constants, inverse_weights;
  cdn_cache pose, H, custom, inertia, twist, articulated, G, D_inv;
  /* Offsets in a State's block. */
  struct {
    size_t applied_f, applied_F, frames, mass, q, u, pose, H, custom, inertia, twist, articulated, G, D_inv, A, z, eps,
        udot, driver_q, driver_u, driver_udot;
  } at;
};

/* The matter of a System, NULL if it has no bodies. */
const matter *cdni_matter(const cdn_system *system);
matter *cdni_matter_building(cdn_system *system);

/* ---- for adders (checks.c) ---- */

void cdni_adder_check_body(cdni_adder *a, cdn_body body);
/* Mobility k of a body, or coordinate k whose rate is a speed: `instead` is then what else to do, and not NULL. */
void cdni_adder_check_slot(cdni_adder *a, cdn_body body, int k, const char *instead);

/* ---- results: each function evaluates what it returns; NULL on failure ---- */

const body_pose *cdni_matter_pose(const matter *m, cdn_state *state);        /* X_GM */
const body_twist *cdni_matter_twist(const matter *m, cdn_state *state);      /* V_GM */
const rigid_inertia *cdni_matter_inertia(const matter *m, cdn_state *state); /* in Ground, about M's origins */
/* X_BM of a body as R by columns (9) and p (3). Its inverse turns stations in B into stations in M. */
const double *cdni_matter_X_BM(const matter *m, cdn_state *state, cdn_body body);
/* From M's origin to the station p_B, in Ground. */
cdn_vec3 cdni_matter_station(const matter *m, cdn_state *state, const body_pose *pose, cdn_body body, cdn_vec3 p_B);
/* X_GB and V_GB from the records of M. */
cdn_transform cdni_body_transform(const double *X_BM, const body_pose *pose);
cdn_spatial cdni_body_spatial_velocity(const double *X_BM, const body_pose *pose, const body_twist *twist);
/* Adds the forces that are applied from outside: those on bodies to F (about M's origins), those on mobilities to f. If
 * there are none, it costs nothing. */
cdn_status cdni_matter_add_applied(const matter *m, cdn_state *state, sv *F, double *f);
/* Whether forces are applied from outside. */
static inline bool cdni_matter_any_applied(const matter *m, const cdn_state *state) {
  const char *block = cdni_state_block(state);
  return *(const double *)(block + m->at.applied_f) != 0 || *(const double *)(block + m->at.applied_F) != 0;
}
/* The bytes of the entry with the ticket CDN_ACCELERATION, which dynamics declares. It has the accelerations of M's
 * origins, then z and eps of the pass that computes them. Its compute function writes udot to matter's run of the
 * rates. */
size_t cdni_matter_acceleration_size(const matter *m);

/* Generalized forces (nu) of a uniform field g. `excluded` has one number for each body; bodies with a number other
 * than 0 are left out (NULL: no body is). */
cdn_status cdni_matter_gravity_forces(cdn_state *state, const char *function, v3 g, const double *excluded, double *f);

/* Inverse masses and inertias at the default coordinates, from the masses and frames of the State. Locks and motions do
 * not count. Evaluated when asked for: O(n). */
typedef struct inverse_weights {
  /* A body: the mean diagonal of J M^-1 J^T at its centre of mass, of translations and of rotations; 0 for what cannot
   * move. */
  const double (*body)[2];
  /* A mobility: the diagonal of M^-1, averaged over the axes of balls and over each half of free joints. */
  const double *mobility;
  double trace; /* the sum of the diagonal of M */
} inverse_weights;
cdn_status cdni_matter_inverse_weights(const matter *m, cdn_state *state, inverse_weights *out);
/* f^T M^-1 f for n vectors f of nu numbers, there: O(n nu) after O(bodies). `rows` writes them one after another over
 * zeros; d has the poses and H there. */
typedef cdn_status matter_rows(const void *context, cdn_state *state, const tree_data *d, double *f);
cdn_status cdni_matter_inverse_squares(const matter *m, cdn_state *state, int n, matter_rows *rows, const void *context,
                                       double *out);

/* Ndot u, nq numbers, where Ndot is N's rate along qdot = N u: qdotdot = N udot + Ndot u. Reads q_eff. */
cdn_status cdni_matter_Ndot_u(const matter *m, cdn_state *state, const double *u, double *out);

/* The first coordinate of a body's mobilizer whose rate is a speed: it comes after the quaternion or the angles of the
 * orientation. */
int cdni_first_plain_coordinate(const matter *m, int body);

/* Adds to q (nq numbers of a State) the change from q0 to q1: quaternions turn by the same rotation. A slot with a flag
 * that changes gets the value of q1 instead, and a quaternion if its four have one. */
void cdni_matter_change_q(const matter *m, const double *q0, const double *q1, const bool *as_q1, double *q);
/* Mobilizers that `from` has locked at its own q and u are locked in `to` at those of `to`. */
cdn_status cdni_locks_where_they_are(cdn_state *to, const cdn_state *from);

/* Of what mobility u (matter's slot) is the rate: 'L' of a length, 'A' of an angle, 0 where only a user's functions
 * know. */
char cdni_mobility_dimension(const matter *m, int u);
/* Whether no force moves a body, ever: a mocap body, or what is welded to one or to Ground. */
bool cdni_body_stands(const matter *m, int body);
/* The poses and velocities of mocap bodies as a parameter array; how many numbers. */
cdn_dvar cdni_mocap_inputs(const matter *m, int *n);

/* The name of the kind of a body's mobilizer. */
const char *cdni_body_kind_name(const cdn_system *system, cdn_body body);

/* Whether a custom or function-based mobilizer (by its place in matter's list, -1 for other kinds) has an N of its own,
 * so that qdot is not u. */
bool cdni_custom_has_N(const matter *m, int32_t index);
/* Whether such a mobilizer has a function that finds coordinates for a wanted pose; otherwise the library iterates. */
bool cdni_custom_has_fit(const matter *m, int32_t index);

/* True if the id names a body of the System. */
static inline bool cdni_body_exists(const matter *m, cdn_body body) { return m && body.i >= 0 && body.i < m->tree.n; }

static inline cdn_vec3 cdni_from_v3(v3 a) { return cdn_v3(a.x, a.y, a.z); }
static inline v3 cdni_to_v3(cdn_vec3 a) { return (v3){ a.x, a.y, a.z }; }

/* ---- for callers of the kernels ---- */

/* Pointers into the State's block for the kernels, without evaluating anything. udot, eps, z and A belong to the
 * State's acceleration entry. */
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
/* "joint 'x' ... no inertia": the message of a kernel that returned a body. */
cdn_status cdni_matter_singular(const matter *m, cdn_state *state, int body, const char *function);

#endif
