/* Cardan: base definitions that every other header shares.
 * Status codes, errors, ids, stages, and the two macros of the C ABI. */
#ifndef CARDAN_BASE_H
#define CARDAN_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#  define CDN_API __attribute__((visibility("default")))
#  define CDN_NODISCARD __attribute__((warn_unused_result))
#  define CDN_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#  define CDN_API
#  define CDN_NODISCARD
#  define CDN_PRINTF(fmt, args)
#endif

#ifdef __cplusplus
#  define CDN_BEGIN_DECLS extern "C" {
#  define CDN_END_DECLS }
#else
#  define CDN_BEGIN_DECLS
#  define CDN_END_DECLS
#endif

#define CDN_VERSION_MAJOR 0
#define CDN_VERSION_MINOR 1
#define CDN_VERSION_PATCH 0
/** The version as one number: major * 1000000 + minor * 1000 + patch. */
#define CDN_VERSION (CDN_VERSION_MAJOR * 1000000 + CDN_VERSION_MINOR * 1000 + CDN_VERSION_PATCH)

CDN_BEGIN_DECLS

/* ---- status ------------------------------------------------------------------------------ */

/* clang-format off */
/* X(name, code, text): expanded into the enum here and into names and texts in src/core/status.c. */
#define CDN_STATUS_LIST(X)                                                              \
  X(OK,               0, "success")                                                     \
  X(ERR_NOMEM,       -1, "out of memory")                                               \
  X(ERR_ARG,         -2, "invalid argument")                                            \
  X(ERR_VERSION,     -3, "definition built against an incompatible header")             \
  X(ERR_FROZEN,      -4, "the System is frozen, or not frozen yet")                     \
  X(ERR_NONFINITE,   -5, "a NaN or an infinity")                                        \
  X(ERR_CYCLE,       -6, "cache entries depend on each other in a cycle")               \
  X(ERR_UNDECLARED,  -7, "a compute function read something that it did not declare")   \
  X(ERR_SINGULAR,    -8, "the mass matrix is singular")                                 \
  X(ERR_STEP,        -9, "the step size fell below the minimum")                        \
  X(ERR_CALLBACK,   -10, "a user callback reported failure")                            \
  X(ERR_FILE,       -11, "a file could not be read or written")                         \
  X(ERR_PARSE,      -12, "a file's contents are not what they should be")               \
  X(ERR_UNSUPPORTED,-13, "not supported")                                               \
  X(ERR_LIMIT,      -14, "a stated limit was reached")                                  \
  X(ERR_CHATTER,    -15, "an event recurs faster than it can be told apart")            \
  X(ERR_CONSTRAINT, -16, "constraints cannot be satisfied")

/** What a call that can fail returns; CDN_OK is 0. The story is on the object: see cdn_error. */
typedef enum cdn_status {
#define CDN_STATUS_ENUM(name, code, text) CDN_##name = (code),
  CDN_STATUS_LIST(CDN_STATUS_ENUM)
#undef CDN_STATUS_ENUM
  CDN_STATUS_FORCE_INT = 0x7fffffff
} cdn_status;
/* clang-format on */

/** "CDN_ERR_STEP" and the like; "CDN_?" for a number that is no status. Static storage. */
CDN_API const char *cdn_status_name(cdn_status status);
/** One line of English for a status. Static storage. */
CDN_API const char *cdn_status_text(cdn_status status);
/** What to try where a run failed with this status, one line; "" where the story says it all. Static storage. */
CDN_API const char *cdn_status_advice(cdn_status status);
/** CDN_VERSION of the library that is running. */
CDN_API uint32_t cdn_version(void);

/* ---- numbers ----------------------------------------------------------------------------- */

#define CDN_NUMBER_SIZE 32
/** The shortest decimal text that reads back as the same bits, in the C locale's way, with a point or an exponent in it; "nan",
 *  "inf" and "-inf" for the others. Returns `text`. */
CDN_API const char *cdn_number_text(double x, char text[CDN_NUMBER_SIZE]);

/* ---- names that are shown to people --------------------------------------------------------- */

/** A text without what a terminal would obey: control characters, marks that turn the direction of writing, and bytes that are
 *  not UTF-8 appear as `\n`, `\x1b`, `\u009b`. Returns `out`, which is cut to `size` bytes, its end included, never within a
 *  character. Names of elements come from files and may hold anything; texts of cdn_error have been through this. */
CDN_API const char *cdn_visible_text(const char *text, char *out, size_t size);

/* ---- stages ------------------------------------------------------------------------------ */

/** Realization stages, in order (manual section 7.1.3). */
typedef enum cdn_stage {
  CDN_STAGE_EMPTY,
  CDN_STAGE_TOPOLOGY,
  CDN_STAGE_MODEL,
  CDN_STAGE_INSTANCE,
  CDN_STAGE_TIME,
  CDN_STAGE_POSITION,
  CDN_STAGE_VELOCITY,
  CDN_STAGE_FORCE,
  CDN_STAGE_ACCELERATION,
  CDN_STAGE_REPORT,
  CDN_STAGE_COUNT
} cdn_stage;

/** "Position" and the like. Static storage. */
CDN_API const char *cdn_stage_name(cdn_stage stage);

/* ---- errors ------------------------------------------------------------------------------ */

/** What went wrong, with where: kept by the object (System, State, stepper, model) that reported it. Grows at its end. */
typedef struct cdn_error {
  cdn_status code;
  bool recoverable;     /**< a smaller step may cure it */
  cdn_stage stage;      /**< the stage being realized, or CDN_STAGE_EMPTY */
  int32_t index;        /**< index of the element in its own list, or -1 */
  double value;         /**< the offending number (residual, pivot, step size), or 0 */
  const char *function; /**< the public function that failed; static storage */
  char element[96];     /**< name of the body, force or cache entry, or "" */
  char text[416];       /**< what happened and what to do about it, one line, no newline */
} cdn_error;

/* ---- ids --------------------------------------------------------------------------------- */

/* Typed ids: a struct around an index, so that the compiler rejects a swapped argument. */
/* clang-format off */
typedef struct cdn_body { int32_t i; } cdn_body;           /**< 0 is Ground */
typedef struct cdn_force { int32_t i; } cdn_force;         /**< any force element */
typedef struct cdn_event { int32_t i; } cdn_event;         /**< anything that happens at a moment */
typedef struct cdn_motion { int32_t i; } cdn_motion;       /**< what prescribes a mobilizer's motion */
typedef struct cdn_constraint { int32_t i; } cdn_constraint; /**< any constraint element */
typedef struct cdn_measure { int32_t i; } cdn_measure;     /**< a value that a State has */
typedef struct cdn_subsystem { int32_t i; } cdn_subsystem; /**< anything that declares resources */
typedef struct cdn_ticket { int32_t i; } cdn_ticket;       /**< anything one can depend on */
/* clang-format on */

typedef struct cdn_system cdn_system; /**< a model: immutable and shareable once frozen */
typedef struct cdn_state cdn_state;   /**< every number that varies: owned by one thread at a time */

/** Where memory comes from. Both functions must be thread-safe if Systems are shared by threads. */
typedef struct cdn_allocator {
  void *(*alloc)(void *context, size_t size, size_t align); /**< NULL on failure; size > 0 */
  void (*free)(void *context, void *memory, size_t size);   /**< never called with NULL */
  void *context;
} cdn_allocator;

/* Structs grow at their end from release to release, and the library goes by the size that the program was compiled with
 * (docs/abi.md). For defs it is their first member, which cdn_default_*_def() writes; for ops it is struct_size; for
 * results an inline function passes it to the exported function of the same name and _sized. What callbacks receive belongs to
 * the library. Ids, the values of <cardan/math.h> and other small values never change. */

/** First member of every def struct: only the cdn_default_*_def() functions write it. */
#define CDN_DEF_HEADER uint32_t struct_size

CDN_END_DECLS
#endif
