/* A table of keys with open addressing, at most half full. */
#include "contact/lookup.h"

int cdni_lookup_find(const lookup *t, uint64_t hash, lookup_is *is, const void *context) {
  for (size_t i = hash; t->room > 0; i++) {
    const lookup_entry *e = &t->entry[i & (t->room - 1)];
    if (e->number == 0) break;
    if (e->hash == hash && is(context, (int)(e->number - 1))) return (int)(e->number - 1);
  }
  return -1;
}

static void put(lookup *t, lookup_entry e) {
  size_t i = e.hash;
  while (t->entry[i & (t->room - 1)].number != 0) i++;
  t->entry[i & (t->room - 1)] = e;
  t->count++;
}

bool cdni_lookup_add(const cdn_allocator *a, lookup *t, uint64_t hash, int number) {
  if (2 * (t->count + 1) > t->room) {
    lookup more = { .room = t->room > 0 ? 2 * t->room : 16 };
    more.entry = cdni_calloc(a, more.room * sizeof *more.entry);
    if (!more.entry) return false;
    for (size_t i = 0; i < t->room; i++)
      if (t->entry[i].number != 0) put(&more, t->entry[i]);
    cdni_lookup_free(a, t);
    *t = more;
  }
  put(t, (lookup_entry){ hash, (int64_t)number + 1 });
  return true;
}

void cdni_lookup_free(const cdn_allocator *a, lookup *t) {
  cdni_free(a, t->entry, t->room * sizeof *t->entry);
  *t = (lookup){ .room = 0 };
}
