/* One geometry of each kind, about 1 m large; several of the kinds with surfaces. */
#ifndef CARDAN_TESTS_SAMPLE_GEOMETRIES_H
#define CARDAN_TESTS_SAMPLE_GEOMETRIES_H

#include "property/mesh_shapes.h"

typedef struct sample_geometries {
  int n;
  cdn_geometry geometry[16];
} sample_geometries;

sample_geometries sample_geometries_make(void);
void sample_geometries_free(sample_geometries *samples);

#endif
