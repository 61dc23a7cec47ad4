/* Matter as a subsystem: its declarations and compute functions. Private to the room. */
#ifndef CARDAN_MATTER_SUBSYSTEM_H
#define CARDAN_MATTER_SUBSYSTEM_H

#include "matter/matter.h"
#include "matter/motion.h"
#include "system/elements.h"

extern const cdn_subsystem_ops cdni_matter_ops;
extern const cdni_elements cdni_matter_elements[]; /* elements.c */

void cdni_matter_describe(const void *self, const cdn_system *system, cdn_description *d);

/* Stores the offsets of matter's data, once the State's block is laid out. */
cdn_status cdni_matter_planned(cdn_system *system, void *room);
/* inverse_weights.c: computes the entry. */
cdn_status cdni_matter_calc_inverse_weights(const void *self, cdn_state *state, void *out);
/* coordinates.c: operations of the subsystem. */
cdn_status cdni_matter_calc_qdot(const void *self, cdn_state *state, double *qdot);
cdn_status cdni_matter_multiply_by_N(const void *self, cdn_state *state, const double *u, double *qdot);
cdn_status cdni_matter_multiply_by_N_inv(const void *self, cdn_state *state, const double *qdot, double *u);
double cdni_matter_normalize_q(const void *self, const cdn_state *state, double *q, double *scale);
/* For one body, on its own slots: u = N^+ qdot, out = Ndot u. */
void cdni_body_N_inv(const matter *m, int body, const double *q, const double *qdot, double *u);
void cdni_body_Ndot_u(const matter *m, int body, const double *q, const double *u, double *out);

/* ---- prescribed motion: see motion.h ---- */

/* motion.c */
void cdni_motion_free(const cdn_allocator *a, matter_motion *x);
cdn_status cdni_motion_declare(matter *m, cdn_declarer *d);

/* motion_built_in.c: the ops of a built-in kind; NULL if it has none for the level. */
const cdn_motion_ops *cdni_motion_built_in(cdn_motion_kind kind, cdn_motion_level level);

/* motion_values.c: operations of the subsystem. */
cdn_status cdni_motion_calc_q_eff(const void *self, cdn_state *state, double *q);
cdn_status cdni_motion_calc_u_eff(const void *self, cdn_state *state, double *u);
void cdni_motion_mark_prescribed(const void *self, const cdn_state *state, bool *q, bool *u);
/* udot of one custom motion at any q and u of the System, for differences. */
cdn_status cdni_motion_udot_at(const matter *m, cdn_state *state, const matter_motion *x, const double *q,
                               const double *u, double *udot);

#endif
