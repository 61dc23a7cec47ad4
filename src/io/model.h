/* The struct behind cdn_model. */
#ifndef CARDAN_IO_MODEL_H
#define CARDAN_IO_MODEL_H

#include "io/spec.h"

/* A mobilizer with motion that the model has put into the System. */
typedef struct io_model_joint {
  int joint; /* of the spec; -1: a free joint that was added */
  cdn_body body;
  cdn_body shown; /* the body of the file that it moves */
} io_model_joint;

/* An actuator of the spec in the System. */
typedef struct io_model_actuator {
  cdn_control control;
  cdn_force force;
  cdn_body body; /* the one that its joint moves, or that has its frame */
} io_model_actuator;

struct cdn_model {
  cdn_allocator allocator;
  cdn_model_options options;
  cdn_spec *spec;     /* owns every name that the tables give away, and the log; NULL only if memory ran out */
  cdn_system *system; /* retained; NULL until it was filled */
  cdni_array joints;  /* io_model_joint, in the System's order */
  /* cdn_body, for each joint of the spec: the body that it moves, { -1 } if it is a constraint */
  cdni_array joint_bodies;
  cdni_array bodies;      /* cdn_body: the spec's bodies without intermediate frames, in the System's order */
  cdni_array spec_bodies; /* cdn_body, for each body of the spec */
  cdni_array measures;    /* cdn_measure, for each sensor of the spec; { -1 }: not simulated */
  cdni_array actuators;   /* io_model_actuator, for each actuator of the spec; none with the option tree_only */
  int n_mobilizers;
  cdn_model_hull_info hulls;
  /* io_loaded_asset, by asset of the spec: what their files were read to, for a build of the same spec that follows */
  cdni_array read;
  bool keeps_read; /* there will be one */
  cdn_error error; /* the last failure */
};

/* build.c: adds model->spec, which the model owns, to a System that is not frozen, and fills the tables. The message
 * of a failure is on the spec's log. */
cdn_status io_build(cdn_model *model, cdn_system *system);
/* model.c: builds the spec of a model once more, with other options. What it reads of meshes is kept in
 * (*out)->read. */
cdn_status io_build_again(const cdn_model *model, const cdn_model_options *options, cdn_system *system,
                          cdn_model **out);
/* build_geometry.c */
void io_forget_read(cdn_model *model);
/* ground.c: adds the plane of the option ground to model->spec. The message of a failure is on the spec's log. */
cdn_status io_add_ground(cdn_model *model);
/* spec_solver.c: equal steps for people who look on: of the file's size, or 2 ms, in a method that is implicit where
 * the System's contact is stiff. `model` may be NULL. */
void io_interactive_steps(cdn_model *model, const cdn_system *system, cdn_method *method, double *step);
/* The System's first mistake as one of the model: with the file's line. */
cdn_status io_tell_mistake(cdn_model *model, const cdn_system *system);
/* Does all: makes a System of the model's own, fills and freezes it. */
cdn_status io_build_frozen(cdn_model *model);

#endif
