/* What the scene room offers the rooms above, beyond the public header. */
#ifndef CARDAN_SCENE_SCENE_H
#define CARDAN_SCENE_SCENE_H

#include <cardan/scene.h>

#include "core/core.h"

/* paint.c: where a direction from the middle of a cube is in its texture, whose width is in pixels. */
void cdni_cube_place(cdn_vec3 direction, int width, double place[2]);

#endif
