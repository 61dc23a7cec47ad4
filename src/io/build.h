/* Shared by the build files: a System under construction and where the description's parts are in it. */
#ifndef CARDAN_IO_BUILD_H
#define CARDAN_IO_BUILD_H

#include "io/model.h"

typedef struct io_builder {
  cdn_model *model;
  io_description *d;
  cdn_system *system;
  cdn_body *bodies;        /* for each of d->bodies: its body in the System */
  cdn_body *joint_bodies;  /* for each of d->joints: the body that its mobilizer moves */
  cdn_force gravity;       /* { -1 }: none */
  double *limit_stiffness; /* for each of d->joints: its stop's k; NULL: no stops */
} io_builder;

static inline io_body *io_body_at(const io_description *d, int i) { return &CDNI_AT(d->bodies, io_body, i); }
static inline io_loop *io_loop_at(const io_description *d, int i) { return &CDNI_AT(d->loops, io_loop, i); }
static inline io_joint *io_joint_at(const io_description *d, int i) { return &CDNI_AT(d->joints, io_joint, i); }

/* build_tree.c: bodies, joints and massless frames between the joints of one body. Building is sticky. */
void io_build_tree(io_builder *b);
/* build_forces.c: gravity, springs, dampers, and stops where limit_stiffness is set. */
void io_build_forces(io_builder *b);
/* build_loops.c: constraints, in the order of the description's loops. */
void io_build_loops(io_builder *b);
/* build_sensors.c: measures, once bodies and forces are there. */
void io_build_sensors(io_builder *b);
/* build_limits.c: the stiffness of every limit from what it has to stop; b->system must be frozen and without stops. */
cdn_status io_calc_limit_stiffness(io_builder *b, double *stiffness);

#endif
