/* Core: errors, memory and growable arrays, shared by every room. */
#ifndef CARDAN_CORE_CORE_H
#define CARDAN_CORE_CORE_H

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cardan/base.h>

#define CDNI_ALIGN 64

/* Return a failing status to the caller. */
#define CDNI_TRY CDN_TRY

/* At the beginning of a public function: no call crashes because a pointer is NULL. The thread's last error names the
 * argument, and the call returns `otherwise`. For what a call on a State needs besides the State there is CDNI_NEED
 * (system/system.h). */
#define CDNI_NEED_OBJECT(pointer, otherwise)                             \
  do {                                                                   \
    if (!(pointer)) return cdni_misses(__func__, #pointer), (otherwise); \
  } while (0)
#define CDNI_NEED_OBJECT_OR_NOTHING(pointer) \
  do {                                       \
    if (!(pointer)) {                        \
      cdni_misses(__func__, #pointer);       \
      return;                                \
    }                                        \
  } while (0)

#define CDNI_COUNT(array) ((int)(sizeof(array) / sizeof((array)[0])))

/* ---- dividing a block of memory: without one (base is NULL) its size is only counted, in *at ---- */

static inline size_t cdni_aligned(size_t bytes) { return (bytes + CDNI_ALIGN - 1) / CDNI_ALIGN * CDNI_ALIGN; }
/* Room for `count` things of `size` bytes; *at in bytes. */
static inline void *cdni_part(void *base, size_t *at, size_t count, size_t size) {
  char *here = base ? (char *)base + *at : NULL;
  *at += cdni_aligned(count * size);
  return here;
}
/* Room for n doubles; *at in doubles. */
static inline double *cdni_take(double *base, size_t *at, size_t n) {
  double *here = base ? base + *at : NULL;
  *at += cdni_aligned(n * sizeof *here) / sizeof *here;
  return here;
}

/* ---- errors: filling the cdn_error that an object keeps ---- */

/* print.c: snprintf and vsnprintf with the point of the locale "C", for all text that has numbers. */
int cdni_print(char *text, size_t size, const char *format, ...) CDN_PRINTF(3, 4);
int cdni_vprint(char *text, size_t size, const char *format, va_list args);

/* Fills every field, and tells it as the thread's last failure, too; text is formatted, element may be NULL. Returns
 * code. */
cdn_status cdni_error_set(cdn_error *error, cdn_status code, const char *function, const char *element,
                          const char *format, ...) CDN_PRINTF(5, 6);
cdn_status cdni_error_vset(cdn_error *error, cdn_status code, const char *function, const char *element,
                           const char *format, va_list args);

/* The same where no object keeps it: it is told as the thread's last failure only. */
cdn_status cdni_refuse(cdn_status code, const char *function, const char *format, ...) CDN_PRINTF(3, 4);
/* The same of a call that needs an argument and got NULL. */
cdn_status cdni_misses(const char *function, const char *argument);
/* Tells a message as the thread's last failure: one that is kept elsewhere, or got more fields since it was filled in.
 * A message with the code CDN_OK is none. */
void cdni_error_tell(const cdn_error *error);

/* True if all n numbers are finite; else *bad (may be NULL) is the first that is not. */
bool cdni_all_finite(const double *values, size_t n, size_t *bad);
/* Parameters are finite: a bound that is infinite is kept as +-DBL_MAX. And the reverse. */
double cdni_finite_bound(double bound);
double cdni_bound(double kept);

/* ---- memory ---- */

/* The allocator to use: `a` if it is set, else aligned_alloc and free. */
cdn_allocator cdni_allocator_or_default(cdn_allocator a);
/* 64-byte aligned; NULL when size is 0 or memory ran out. */
void *cdni_alloc(const cdn_allocator *a, size_t size);
void *cdni_calloc(const cdn_allocator *a, size_t size);
void cdni_free(const cdn_allocator *a, void *memory, size_t size);
/* A copy of a string, or NULL for NULL or when memory ran out. */
char *cdni_strdup(const cdn_allocator *a, const char *text);
void cdni_strfree(const cdn_allocator *a, char *text);

/* A growable array of trivially copyable elements. Zero-initialise it. */
typedef struct cdni_array {
  void *data;
  size_t count, capacity; /* numbers of elements */
  size_t element;         /* bytes of one element; set by the first push */
} cdni_array;

/* Appends a copy of *value (or zeros for NULL); returns the new element, or NULL when memory ran out. */
void *cdni_array_push(const cdn_allocator *a, cdni_array *array, size_t element, const void *value);
/* Appends n zeroed elements; returns the first of them. */
void *cdni_array_extend(const cdn_allocator *a, cdni_array *array, size_t element, size_t n);
void cdni_array_free(const cdn_allocator *a, cdni_array *array);
#define CDNI_AT(array, type, i) (((type *)(array).data)[i])

#endif
