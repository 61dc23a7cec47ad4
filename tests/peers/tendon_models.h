/* Random models with tendons: spatial ones past spheres and cylinders, with branches, and fixed ones. */
#ifndef CARDAN_TESTS_TENDON_MODELS_H
#define CARDAN_TESTS_TENDON_MODELS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct tendon_choice {
  int tendons;
  bool inside; /* some go through what they pass; MuJoCo looks for the point where they touch it to 1e-6 */
  bool rows;   /* with limits, dry friction, and an equality */
  bool chain;  /* bodies are one chain: each is outboard of all before it */
  const char *integrator;
} tendon_choice;

/* Bodies b0, ...; tendons t0, ... The caller frees it. */
char *tendon_model_text(uint64_t seed, const tendon_choice *choice);

#endif
