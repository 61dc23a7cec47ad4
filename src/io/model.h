/* What stands behind cdn_model. */
#ifndef CARDAN_IO_MODEL_H
#define CARDAN_IO_MODEL_H

#include "io/description.h"

struct cdn_model {
  cdn_allocator allocator;
  cdn_model_options options;
  io_description description; /* owns every name that the tables below point to */
  cdn_system *system;         /* NULL until io_build has succeeded */
  cdni_array joints;          /* cdn_model_joint */
  cdni_array bodies;          /* cdn_body */
  int n_mobilizers;
  double *q0, *u0; /* default values: what a keyframe leaves out */
  cdn_error error; /* the last failure */
};

#endif
