/* Cardan: random numbers. The whole library draws from one stream, Philox4x32-10 (J. K. Salmon, M. A. Moraes, R. O.
 * Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011). It has no memory: a number is a function
 * of its place in the stream. So threads, lanes and the order of calls change nothing, and no draw can spoil another.
 *
 * A State that uses random numbers holds its place: a seed, the number of a case (a run of a sweep), and a
 * count that grows by one in each step. Trial steps do not change it, copies and checkpoints have it.
 * See docs/measures.md (Noise).
 *
 * I want to
 *   draw random numbers, uniform or normal: cdn_random_uniform, cdn_random_normal
 *   get the bits of the stream itself: cdn_philox
 *   give States a place in the stream: cdn_system_use_random
 *   — read it, set it: cdn_state_random, cdn_state_set_random
 *   depend on it in an element of my own: cdn_system_random_ticket */
#ifndef CARDAN_RANDOM_H
#define CARDAN_RANDOM_H

#include <cardan/state.h>
#include <cardan/system.h>

CDN_BEGIN_DECLS

/** A place in the stream. The struct never changes. */
typedef struct cdn_random_place {
  uint32_t seed;  /**< the stream: other seeds give other numbers */
  uint32_t run;   /**< the case: numbers of different cases have nothing to do with each other */
  uint64_t count; /**< of the State: which step it is in */
  uint32_t user;  /**< who draws: each user of one State takes a number of its own */
} cdn_random_place;

/** Philox4x32-10: four words of a key of two and a counter of four. O(1), about 20 ns. */
CDN_API void cdn_philox(const uint32_t key[2], const uint32_t counter[4], uint32_t out[4]);

/* The key is (seed, run); the counter is the two words of `count`, `user`, and the number of the block: one for every
 * two numbers. n numbers begin with the n - 1 numbers that a shorter call writes. */

/** Writes n numbers, each uniform in the open interval (0, 1), a multiple of 2^-53 plus 2^-54. O(n). */
CDN_API void cdn_random_uniform(const cdn_random_place *place, int n, double *out);
/** Writes n independent normal numbers of mean 0 and deviation 1 (G. E. P. Box, M. E. Muller, 1958). O(n). */
CDN_API void cdn_random_normal(const cdn_random_place *place, int n, double *out);

/* ---- in States ------------------------------------------------------------------------------ */

/** Gives every State a place: seed, run 0, count 0. A second call changes the seed. Sticky (system.h). */
CDN_API void cdn_system_use_random(cdn_system *system, uint32_t seed);
/** The prerequisite of whoever draws; { 0 } without cdn_system_use_random before. */
CDN_API cdn_ticket cdn_system_random_ticket(const cdn_system *system);
/** Writes the place that is in force, with this user. The count is one larger in each accepted step: it changes with
 *  the first evaluation at another time, and holds for all evaluations of the step and for its end. CDN_ERR_ARG
 *  without cdn_system_use_random. */
CDN_API cdn_status cdn_state_random(cdn_state *state, uint32_t user, cdn_random_place *out) CDN_NODISCARD;
/** Sets seed, run and count; `user` is not read. Invalidates what was drawn. Errors: as cdn_state_random. */
CDN_API cdn_status cdn_state_set_random(cdn_state *state, const cdn_random_place *place) CDN_NODISCARD;

CDN_END_DECLS
#endif
