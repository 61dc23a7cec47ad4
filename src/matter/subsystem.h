/* Matter as a subsystem: what it declares and computes. Private to the room. */
#ifndef CARDAN_MATTER_SUBSYSTEM_H
#define CARDAN_MATTER_SUBSYSTEM_H

#include "matter/internal.h"

extern const cdn_subsystem_ops cdni_matter_ops;

void cdni_matter_describe(const void *self, const cdn_system *system, cdn_description *d);

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
/* Looks up where everything is, once the State's block has been planned. */
cdn_status cdni_matter_planned(cdn_system *system, void *room);
/* coordinates.c: operations of the subsystem. */
cdn_status cdni_matter_calc_qdot(const void *self, cdn_state *state, double *qdot);
cdn_status cdni_matter_multiply_by_N(const void *self, cdn_state *state, const double *u, double *qdot);
cdn_status cdni_matter_multiply_by_N_inv(const void *self, cdn_state *state, const double *qdot, double *u);
double cdni_matter_normalize_q(const void *self, const cdn_state *state, double *q, double *scale);
/* For one body, on its own run: u = N^+ qdot, out = Ndot u. */
void cdni_body_N_inv(const matter *m, int body, const double *q, const double *qdot, double *u);
void cdni_body_Ndot_u(const matter *m, int body, const double *q, const double *u, double *out);
/* "joint 'x' ... no inertia": the story of a kernel that returned a body. */
cdn_status cdni_matter_singular(const matter *m, cdn_state *state, int body, const char *function);

#endif
