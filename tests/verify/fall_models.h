/* shared by tests in this folder */
/* MJCF models in which a body must not get through another one, as people write them: for our runs and for MuJoCo's. */
#ifndef CARDAN_TESTS_FALL_MODELS_H
#define CARDAN_TESTS_FALL_MODELS_H

#include "falls/scene.h"

enum { FALL_MODEL_KINDS = 9 };

/* The text has a key "go". The moving body is called "body"; the guard's bodies are not filled in. */
typedef struct fall_model {
  char text[1600];
  guard guard;
  double end, finest; /* s; steps that short step over nothing */
} fall_model;

/* One of each kind, with the numbers that the dice give. */
void fall_model_make(dice *d, int kind, fall_model *out);
/* As a scene, with this contact. The scene's State lives without the model. */
void fall_model_scene(const fall_model *f, cdn_model_contact contact, scene *out);

#endif
