/* Private to the room: numbers that are found by a key while a System is built, names of shapes for one, in a time that
 * does not grow with how many there are. */
#ifndef CARDAN_CONTACT_LOOKUP_H
#define CARDAN_CONTACT_LOOKUP_H

#include "core/core.h"

typedef struct lookup_entry {
  uint64_t hash;
  int64_t number; /* + 1; 0: empty */
} lookup_entry;
typedef struct lookup {
  lookup_entry *entry;
  size_t room, count; /* the room is a power of two, or 0 */
} lookup;

/* Whether the key that is looked for is that of this number. */
typedef bool lookup_is(const void *context, int number);
/* The number that has the key, or -1. */
int cdni_lookup_find(const lookup *t, uint64_t hash, lookup_is *is, const void *context);
/* False: out of memory, and nothing has changed. */
bool cdni_lookup_add(const cdn_allocator *a, lookup *t, uint64_t hash, int number);
void cdni_lookup_free(const cdn_allocator *a, lookup *t);

/* FNV-1a (Fowler, Noll, Vo; RFC 9923). */
static inline uint64_t lookup_hash(const void *bytes, size_t n) {
  uint64_t h = 14695981039346656037u;
  for (size_t i = 0; i < n; i++) h = (h ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
  return h;
}

#endif
