/* Writing a scene, and its motion, as glTF 2.0 in one binary file (the Khronos Group's specification 2.0.1). */
#ifndef GLTF_H
#define GLTF_H

#include "command.h"

typedef struct gltf gltf;
/* Collects the visuals of a scene, with its bodies where its present frame has them. */
gltf *gltf_begin(const cdn_scene *scene);
/* Adds the poses of the scene's present frame, at `time`, to the animation. Times ascend. */
void gltf_add_frame(gltf *g, const cdn_scene *scene, double time);
/* Writes the file and frees everything. False after it has said what is wrong. */
bool gltf_end(gltf *g, const char *path);

#endif
