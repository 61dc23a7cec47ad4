/* Shared by the build files: a System under construction and where the spec's elements are in it. */
#ifndef CARDAN_IO_BUILD_H
#define CARDAN_IO_BUILD_H

#include "io/model.h"

typedef struct io_builder {
  cdn_model *model;
  cdn_spec *spec;
  io_description *d; /* the spec's log */
  cdn_system *system;
  io_spec_names names;
  cdn_spec_tree tree;
  cdn_body *mobilizers;    /* for each of the tree's: its body in the System */
  cdn_body *bodies;        /* for each of the spec's: its body in the System */
  cdn_body *joints;        /* for each of the spec's: the body that its mobilizer moves; { -1 }: it is cut */
  cdn_force gravity;       /* { -1 }: none */
  cdni_array shape_bodies; /* int, for each shape that was added: the spec's body, -1 for Ground */
  cdni_array overlaps;     /* int, two by two: bodies of the spec that overlap from the beginning */
  bool trial;              /* shapes are added to a System that is looked at and thrown away: nothing is warned of */
  double *limit_stiffness; /* for each of the spec's joints: its stop's k; NULL: no stops */
} io_builder;

static inline const cdn_spec_mobilizer *io_mobilizer(const io_builder *b, int i) {
  return &CDNI_AT(b->tree.mobilizers, cdn_spec_mobilizer, i);
}
static inline const cdn_spec_loop *io_tree_loop(const io_builder *b, int i) {
  return &CDNI_AT(b->tree.loops, cdn_spec_loop, i);
}

/* Building is sticky: the System has the message of a refusal. Mistakes of the spec itself are returned. */

/* build_check.c: errors and warnings about a spec, before anything is built. */
cdn_status io_check_spec(io_builder *b);
/* build_tree.c: bodies and mobilizers. `trial`: of a System that is looked at and thrown away. */
void io_build_tree(io_builder *b, bool trial);
/* build_forces.c: gravity, springs, dampers, and stops where limit_stiffness is set. */
void io_build_forces(io_builder *b);
/* build_shapes.c: shapes, if the options want contact; bodies must have been looked at for overlaps before. */
cdn_status io_build_shapes(io_builder *b);
cdn_status io_find_overlaps(io_builder *b);
/* build_loops.c: constraints in the order of the spec, then those that close the loops cut by the tree. */
cdn_status io_build_loops(io_builder *b);
/* build_actuators.c: controls and the forces that read them, after bodies. */
cdn_status io_build_actuators(io_builder *b);
/* build_sensors.c: measures, after bodies and forces; { -1 } for sensors that are not simulated. */
cdn_status io_build_sensors(io_builder *b);
/* build_limits.c: the stiffness of every limit from the inertia that it must stop; b->system must be frozen. */
cdn_status io_calc_limit_stiffness(io_builder *b, double *stiffness);

#endif
