/* Core: structs that grow at their end from release to release. A program compiled with other headers has them in
 * another size, and passes that size. Only the functions of this file read and write a caller's memory by that size. */
#ifndef CARDAN_CORE_SIZED_H
#define CARDAN_CORE_SIZED_H

#include "core/core.h"

/* A struct as this library defines it, and the messages for one that cannot be read. */
typedef struct cdni_sized {
  size_t size, align;
  const char *unset, *newer;
} cdni_sized;
#define CDNI_SIZED(type, unset)                                                                              \
  ((cdni_sized){ sizeof(type), _Alignof(type), unset,                                                        \
                 "the program was compiled with newer headers than this library, and sets members of " #type \
                 " that this library does not have: run it with a library of that version" })

/* Copies the first `size` bytes of `from` onto `to`; the other members of `to` stay. Returns NULL, or the reason why
 * `from` cannot be read: a size that this struct never had, or members unknown to this library that are not zero. */
const char *cdni_sized_copy(void *to, const void *from, size_t size, cdni_sized known);
/* cdni_sized_read for a struct that begins with its struct_size. In `to` struct_size becomes the size that this library
 * knows. `from` NULL cannot be read. */
const char *cdni_sized_read(void *to, const void *from, cdni_sized known);
/* Writes the first `size` bytes of `full` (`known` bytes) to a caller's struct, and zeros to the bytes beyond
 * `known`. `out` may be NULL. */
void cdni_sized_write(void *out, size_t size, const void *full, size_t known);

/* A public def: its defaults, the exported function that cdn_default_NAME calls, and read_NAME, which reads a
 * caller's def: *to gets the defaults for members that `from` does not have. A def without this line does not link. */
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

/* Reads a caller's ops; members that an older program does not have are NULL or 0. Returns NULL, or why they cannot
 * be read. */
#define CDNI_READ_OPS(type, to, from) \
  (memset((to), 0, sizeof(type)),     \
   cdni_sized_read((to), (from), CDNI_SIZED(type, "struct_size of the ops is not set: set it to sizeof(" #type ")")))

#endif
