/* Cardan: base definitions that every other header shares.
 * Status codes, errors, ids, stages, and the macros of the C ABI.
 *
 * I want to
 *   get the version of the library that runs: cdn_version
 *   get the name of a stage: cdn_stage_name
 *   get a status as a name, a text, or advice: cdn_status_name, cdn_status_text, cdn_status_advice
 *   read the message of the last failure, whatever object it was about: cdn_last_error_text, cdn_last_error,
 *       cdn_last_error_clear
 *   print a name that comes from a file without harm to the terminal: cdn_visible_text
 *   print a number so that it reads back exactly: cdn_number_text */
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

/* ---- structs that grow --------------------------------------------------------------------- */

/* Public structs grow at their end from release to release. The library writes and reads only as many bytes as the
 * program was compiled with (docs/abi.md). A def carries its size in its first member, which cdn_default_NAME()
 * writes; ops carry it in struct_size; for results, an inline function passes it to the exported function of the
 * same name with _sized. The macros below declare these pairs of functions. Structs that callbacks receive belong to
 * the library. Ids and the values of <cardan/math.h> never change. */

#ifdef __cplusplus
#  define CDN_STATIC_ASSERT static_assert
#else
#  define CDN_STATIC_ASSERT _Static_assert
#endif

/** First member of every def struct. Only the functions cdn_default_NAME write it. What other members point to is
 *  copied by the function that takes the def, unless their comments say otherwise; a `void *` is passed on as it is. */
#define CDN_DEF_HEADER uint32_t struct_size

/** After a def struct cdn_NAME: declares cdn_default_NAME(), which returns a def with its defaults, and the exported
 *  cdn_NAME_init(&def, size), which it calls. */
#define CDN_DEF(name) CDN_DEF_PAIR(name, cdn_default_##name, cdn_##name##_init)
/** The same with names of their own, for further defaults of the struct. */
#define CDN_DEF_PAIR(name, function, init)   \
  CDN_API void init(void *def, size_t size); \
  static inline cdn_##name function(void) {  \
    cdn_##name def;                          \
    init(&def, sizeof def);                  \
    return def;                              \
  }                                          \
  CDN_STATIC_ASSERT(offsetof(cdn_##name, struct_size) == 0, "a def begins with CDN_DEF_HEADER")

/** A function of these parameters that returns a cdn_status and fills or reads *out, a struct that grows: declares the
 *  exported NAME_sized, which takes the size of the struct behind the parameters, and the inline NAME, which passes
 *  that of the program. */
#define CDN_SIZED(name, parameters, arguments, out) \
  CDN_SIZED_PAIR(CDN_NODISCARD, cdn_status, return, name, parameters, arguments, (size_t struct_size), (sizeof *(out)))
/** The same for one that returns nothing. */
#define CDN_SIZED_VOID(name, parameters, arguments, out) \
  CDN_SIZED_PAIR(, void, , name, parameters, arguments, (size_t struct_size), (sizeof *(out)))
/** The same for one that returns the struct, which NAME_sized writes to its last pointer. */
#define CDN_SIZED_VALUE(type, name, parameters, arguments)                       \
  CDN_API void name##_sized(CDN_LIST parameters, type *out, size_t struct_size); \
  static inline type name(CDN_LIST parameters) {                                 \
    type out;                                                                    \
    name##_sized(CDN_LIST arguments, &out, sizeof out);                          \
    return out;                                                                  \
  }                                                                              \
  CDN_TAKES_SEMICOLON
/** The same for other results, and for several sizes. */
#define CDN_SIZED_PAIR(attribute, type, returns, name, parameters, arguments, size_parameters, sizes)                  \
  CDN_API type name##_sized(CDN_LIST parameters, CDN_LIST size_parameters) attribute;                                  \
  static inline attribute type name(CDN_LIST parameters) { returns name##_sized(CDN_LIST arguments, CDN_LIST sizes); } \
  CDN_TAKES_SEMICOLON
#define CDN_TAKES_SEMICOLON CDN_STATIC_ASSERT(1, "")
#define CDN_LIST(...) __VA_ARGS__

CDN_BEGIN_DECLS

/* ---- status ------------------------------------------------------------------------------ */

/* clang-format off */
/* X(name, code, text): expanded into the enum here and into names and texts in src/core/status.c. */
#define CDN_STATUS_LIST(X)                                                              \
  X(OK,               0, "success")                                                     \
  X(ERR_NOMEM,       -1, "out of memory")                                               \
  X(ERR_ARG,         -2, "invalid argument")                                            \
  X(ERR_VERSION,     -3, "definition built against an incompatible header")             \
  X(ERR_FROZEN,      -4, "the System is frozen: nothing can be added to it")            \
  X(ERR_NONFINITE,   -5, "a NaN or an infinity")                                        \
  X(ERR_CYCLE,       -6, "cache entries depend on each other in a cycle")               \
  X(ERR_UNDECLARED,  -7, "a compute function read something that it did not declare")   \
  X(ERR_SINGULAR,    -8, "a matrix has no inverse here, or a direction no meaning")     \
  X(ERR_STEP,        -9, "the step size fell below the minimum")                        \
  X(ERR_CALLBACK,   -10, "a user callback reported failure")                            \
  X(ERR_FILE,       -11, "a file could not be read or written")                         \
  X(ERR_PARSE,      -12, "the contents of a file are invalid")                          \
  X(ERR_UNSUPPORTED,-13, "not supported")                                               \
  X(ERR_LIMIT,      -14, "a stated limit was reached")                                  \
  X(ERR_CHATTER,    -15, "an event recurs at times too close to be distinguished")      \
  X(ERR_CONSTRAINT, -16, "constraints cannot be satisfied")                             \
  X(ERR_NOT_FROZEN, -17, "the System is not frozen yet: call cdn_system_freeze first")

/* The contract on pointers. A pointer must be valid or NULL. No function crashes because a pointer is NULL: if it
 * needs the pointer, it returns CDN_ERR_ARG, and cdn_last_error_text names the argument. A function that returns
 * something other than a status returns NULL, 0, false, NaN or the id { -1 } then. A docstring names the pointers
 * that may be NULL. The functions that free an object ignore NULL. */

/** Every fallible call returns a cdn_status; 0 is success. cdn_last_error_text and cdn_last_error give the message. */
typedef enum cdn_status {
#define CDN_STATUS_ENUM(name, code, text) CDN_##name = (code),
  CDN_STATUS_LIST(CDN_STATUS_ENUM)
#undef CDN_STATUS_ENUM
  CDN_STATUS_FORCE_INT = 0x7fffffff
} cdn_status;
/* clang-format on */

/** Within a function that returns a cdn_status: returns the status of this call, unless it is CDN_OK. */
#define CDN_TRY(call)                        \
  do {                                       \
    cdn_status cdn_try_ = (call);            \
    if (cdn_try_ != CDN_OK) return cdn_try_; \
  } while (0)

/** The name of a status, such as "CDN_ERR_STEP"; "CDN_?" for an unknown number. Static storage. */
CDN_API const char *cdn_status_name(cdn_status status);
/** One line of English for a status. Static storage. */
CDN_API const char *cdn_status_text(cdn_status status);
/** One line of advice for a run that failed with this status; "" if the message of the failure is enough. Static
 *  storage. */
CDN_API const char *cdn_status_advice(cdn_status status);
/** CDN_VERSION of the running library. */
CDN_API uint32_t cdn_version(void);

/* ---- numbers ----------------------------------------------------------------------------- */

#define CDN_NUMBER_SIZE 32
/** Writes x as the shortest decimal text that reads back as the same bits. In any locale the text has the C locale's
 *  decimal point, and contains a point or an exponent. Other values: "nan", "inf", "-inf". Returns `text`, which is the
 *  caller's own. */
CDN_API const char *cdn_number_text(double x, char text[CDN_NUMBER_SIZE]);

/* ---- names for display ---------------------------------------------------------------------- */

/** Copies a text and escapes what could control a terminal: control characters, marks that change the direction of
 *  writing, and bytes that are not UTF-8 appear as `\n`, `\x1b`, `\u009b`. Names of elements come from files and may
 *  contain anything; the texts of cdn_error are escaped already. The copy is cut to `size` bytes with its final 0,
 *  never within a character. Returns `out`. */
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

/** The name of a stage, such as "Position". Static storage. */
CDN_API const char *cdn_stage_name(cdn_stage stage);

/* ---- errors ------------------------------------------------------------------------------ */

/** A failure: what happened, and where. Later releases append members. */
typedef struct cdn_error {
  cdn_status code;  /**< the status of the call */
  bool recoverable; /**< true: a smaller step may avoid the failure */
  cdn_stage stage;  /**< the stage that was being realized, or CDN_STAGE_EMPTY */
  int32_t index;    /**< index of the element among the elements of its kind, or -1 */
  double value;     /**< the offending number (residual, pivot, step size), or 0 */
  const char *
      function; /**< the public function that failed, or cdn_state_fail for the message of a callback; static storage */
  char element[96]; /**< name of the body, force or cache entry, or "" */
  char text[416];   /**< what happened and what to do about it, one line, no newline */
} cdn_error;

/** Writes the last failure of this thread, on any object; its code is CDN_OK if no call has failed. Call it after a
 *  call that returned a status other than CDN_OK, or NULL if its comment says that NULL is a failure. A call that
 *  succeeds does not clear an earlier failure, and may leave the failure of an attempt from which it recovered.
 *  Objects keep their own last failures as well: cdn_system_last_error, cdn_state_last_error, cdn_stepper_failure. */
CDN_SIZED_VOID(cdn_last_error, (cdn_error *out), (out), out);
/** The last failure of this thread in one line: function, message, status. "" if no call has failed. The text
 *  belongs to the thread; the next call of this function overwrites it. */
CDN_API const char *cdn_last_error_text(void);
/** Forgets the last failure of this thread. The library itself does not need this call. */
CDN_API void cdn_last_error_clear(void);

/* ---- ids --------------------------------------------------------------------------------- */

/* Typed ids: a struct around an index, so that the compiler rejects swapped arguments. */
/* clang-format off */
typedef struct cdn_body { int32_t i; } cdn_body;           /**< 0 is Ground */
typedef struct cdn_force { int32_t i; } cdn_force;         /**< any force element */
typedef struct cdn_event { int32_t i; } cdn_event;         /**< an event (events.h) */
typedef struct cdn_motion { int32_t i; } cdn_motion;       /**< a prescribed motion of a mobilizer (motion.h) */
typedef struct cdn_constraint { int32_t i; } cdn_constraint; /**< any constraint element */
typedef struct cdn_measure { int32_t i; } cdn_measure;     /**< a named value of a State (measures.h) */
typedef struct cdn_subsystem { int32_t i; } cdn_subsystem; /**< an owner of variables and cache entries (system.h) */
typedef struct cdn_ticket { int32_t i; } cdn_ticket;       /**< names a prerequisite: a variable or a cache entry */
/* clang-format on */

typedef struct cdn_system cdn_system; /**< a model: once frozen it never changes, and threads may share it */
typedef struct cdn_state cdn_state;   /**< all variables and the results computed from them; one thread at a time */

/** A source of memory. Both functions must be thread-safe if threads share Systems. */
typedef struct cdn_allocator {
  void *(*alloc)(void *context, size_t size, size_t align); /**< NULL on failure; size > 0 */
  void (*free)(void *context, void *memory, size_t size);   /**< never called with NULL */
  void *context; /**< passed to both functions; it belongs to the program, which keeps it */
} cdn_allocator;

CDN_END_DECLS
#endif
