/* Random MJCF models as text: trees that use every form in which the tree part of the language may be written. */
#ifndef CARDAN_TESTS_RANDOM_MJCF_H
#define CARDAN_TESTS_RANDOM_MJCF_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How frame elements are written: older readers of the language do not know them, but a massless body without joints
 *  does the same. The two spellings of a seed differ in nothing else. */
typedef enum random_mjcf_frames {
  RANDOM_MJCF_NO_FRAMES,
  RANDOM_MJCF_FRAMES,
  RANDOM_MJCF_FRAMES_AS_BODIES
} random_mjcf_frames;

/** The model of a seed; the caller frees it. NULL if memory ran out. */
char *random_mjcf(uint64_t seed, random_mjcf_frames frames);

/** Uniform in [lo, hi), from a state that any seed may start (splitmix64). */
double random_uniform(uint64_t *state, double lo, double hi);
/** Uniform in 0 .. n - 1. */
int random_below(uint64_t *state, int n);
/** A unit quaternion, uniform over the rotations. */
void random_quaternion(uint64_t *state, double q[4]);

#ifdef __cplusplus
}
#endif
#endif
