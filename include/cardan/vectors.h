/* Cardan: the numbers of a State as one vector, part by part, for programs that save, compare or learn from them.
 *
 * A *signature* is a sum of parts. The vector of a signature has the numbers of its parts one after another, in the
 * order of cdn_vector_part. Two States of one System have the same numbers at the same places, but for
 * CDN_VECTOR_MEMORY, whose length depends on the State. A State that gets the vector CDN_VECTOR_INTEGRATION of another
 * continues from there to the same bits. docs/state.md has an example.
 *
 * I want to
 *   know how long the vector of a signature is: cdn_state_vector_size
 *   get it, or set a State to it: cdn_state_get_vector, cdn_state_set_vector
 *   know what a number of it is: cdn_state_vector_name */
#ifndef CARDAN_VECTORS_H
#define CARDAN_VECTORS_H

#include <cardan/state.h>

CDN_BEGIN_DECLS

/** Parts of a State; combine them by addition. */
typedef enum cdn_vector_part {
  CDN_VECTOR_TIME = 1, /**< t */
  CDN_VECTOR_Q = 2,    /**< nq coordinates */
  CDN_VECTOR_U = 4,    /**< nu speeds */
  CDN_VECTOR_Z = 8,    /**< nz auxiliary states: activations, integrals */
  /** The written values of controls (controls.h); those that follow a source have a place, which nothing reads. */
  CDN_VECTOR_CONTROLS = 16,
  /** Applied forces (matter.h): nu of mobilities, then six of each body, Ground's first: torque, force. */
  CDN_VECTOR_APPLIED = 32,
  CDN_VECTOR_MOCAP = 64, /**< 14 of each mocap body (motion.h): quaternion, position, velocity, and its time */
  /** 1 or 0 of each constraint, then of each soft element, whether it is on. */
  CDN_VECTOR_SWITCHES = 128,
  CDN_VECTOR_PARAMETERS = 256, /**< all other parameters: masses, frames, stiffnesses, locks, and what is on */
  /** What steps remember, and all variables that are no numbers: friction, delays, discrete variables, regions, where
   *  solvers start. Its numbers are the bytes of these, four by four, behind their count: whole numbers below 2^32. */
  CDN_VECTOR_MEMORY = 512,

  CDN_VECTOR_PHYSICS = 14,      /**< q, u, z */
  CDN_VECTOR_FULL_PHYSICS = 15, /**< t, q, u, z */
  CDN_VECTOR_INPUTS = 240,      /**< controls, applied forces, mocap bodies, switches */
  CDN_VECTOR_INTEGRATION = 1023 /**< everything that makes the State continue to the same bits */
} cdn_vector_part;

/** How many numbers the vector has. 0 for a signature that is no sum of parts. With CDN_VECTOR_MEMORY it is that of the
 *  State at present, and allocates; evaluating the State or taking a step may change it. */
CDN_API int cdn_state_vector_size(cdn_state *state, unsigned parts);
/** Writes the vector's n numbers. CDN_ERR_ARG: n is not their number, or the signature no sum of parts. */
CDN_API cdn_status cdn_state_get_vector(cdn_state *state, unsigned parts, int n, double *out) CDN_NODISCARD;
/** Sets the State to a vector of n numbers. Numbers that do not change invalidate nothing. Parameters are set as by
 *  cdn_state_set_parameters: their limits are not checked. Allocates with CDN_VECTOR_MEMORY only. CDN_ERR_ARG: a
 *  wrong n or signature, and while something of the State is being computed; CDN_ERR_NONFINITE; CDN_ERR_PARSE: the
 *  memory is damaged, or of another System. Then nothing has changed. */
CDN_API cdn_status cdn_state_set_vector(cdn_state *state, unsigned parts, int n, const double *values) CDN_NODISCARD;
/** Writes the name of number i of the vector, cut off at `size` bytes: "t", names of slots and of controls, "f of
 *  elbow.u", "hand.torque.x", "target.qw", "door is on", "matter.mass[3]", "memory[2]". CDN_ERR_ARG: there is no such
 *  number. */
CDN_API cdn_status cdn_state_vector_name(cdn_state *state, unsigned parts, int i, char *name,
                                         size_t size) CDN_NODISCARD;

CDN_END_DECLS
#endif
