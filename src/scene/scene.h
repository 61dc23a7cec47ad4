/* What the scene room offers the rooms above, beyond the public header. */
#ifndef CARDAN_SCENE_SCENE_H
#define CARDAN_SCENE_SCENE_H

#include <cardan/scene.h>

#include "core/core.h"

#endif
