/* Core: structs that grow at their end from release to release. A program that was compiled with other headers has them in
 * another size, and tells it: this is the one place that reads and writes memory of a caller's by that size. */
#ifndef CARDAN_CORE_SIZED_H
#define CARDAN_CORE_SIZED_H

#include "core/core.h"

/* A struct as this library knows it, and what to say of one that cannot be read. */
typedef struct cdni_sized {
  size_t size, align;
  const char *unset, *newer;
} cdni_sized;
#define CDNI_SIZED(type, unset)                                                                              \
  ((cdni_sized){ sizeof(type), _Alignof(type), unset,                                                        \
                 "the program was compiled with newer headers than this library, and sets members of " #type \
                 " that this library does not have: run it with a library of that version" })

/* Copies the first `size` bytes of `from` onto `to`, whose other members keep what they have. Returns NULL, or why `from`
 * cannot be read: a size that no such struct has had, or members beyond what this library knows that are not zero. */
const char *cdni_sized_copy(void *to, const void *from, size_t size, cdni_sized known);
/* The same of a struct that begins with its struct_size; in `to` that is then the size that this library knows. `from` NULL
 * is one that cannot be read. */
const char *cdni_sized_read(void *to, const void *from, cdni_sized known);
/* Writes the first `size` bytes of `full` (of `known` bytes) to a caller's struct; what the caller has beyond is zeroed.
 * `out` may be NULL. */
void cdni_sized_write(void *out, size_t size, const void *full, size_t known);

/* A public def: its defaults, the exported function that cdn_default_NAME calls, and read_NAME, by which this library reads
 * one of a caller's: *to has the defaults where `from` has nothing. A def without this line does not link. */
#define CDNI_DEF(name, ...)                                                                                           \
  static const cdn_##name name##_defaults = { .struct_size = sizeof(cdn_##name), __VA_ARGS__ };                       \
  void cdn_##name##_init(void *def, size_t size) {                                                                    \
    const uint32_t struct_size = (uint32_t)size;                                                                      \
    cdni_sized_write(def, size, &name##_defaults, sizeof name##_defaults);                                            \
    if (def && size >= sizeof struct_size) memcpy(def, &struct_size, sizeof struct_size);                             \
  }                                                                                                                   \
  static const char *read_##name(cdn_##name *to, const cdn_##name *from) {                                            \
    *to = name##_defaults;                                                                                            \
    return cdni_sized_read(to, from, CDNI_SIZED(cdn_##name, "start the cdn_" #name " with cdn_default_" #name "()")); \
  }                                                                                                                   \
  _Static_assert(offsetof(cdn_##name, struct_size) == 0, "the size comes first")

/* Reads a caller's ops: members that an older program does not have are NULL or 0. NULL, or why they cannot be read. */
#define CDNI_READ_OPS(type, to, from) \
  (memset((to), 0, sizeof(type)),     \
   cdni_sized_read((to), (from), CDNI_SIZED(type, "struct_size of the ops is not set: set it to sizeof(" #type ")")))

#endif
