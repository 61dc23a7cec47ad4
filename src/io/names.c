/* Open addressing with linear probing; never more than half full. */
#include "io/names.h"

struct io_names_slot {
  const char *name; /* NULL: empty */
  int value;
};

/* FNV-1a (Fowler, Noll, Vo). */
static uint64_t hash(const char *name) {
  uint64_t h = 1469598103934665603u;
  for (; *name; name++) h = (h ^ (unsigned char)*name) * 1099511628211u;
  return h;
}

/* The slot of a name, or the empty slot for it. */
static struct io_names_slot *locate(struct io_names_slot *slots, size_t capacity, const char *name) {
  size_t i = hash(name) & (capacity - 1);
  while (slots[i].name && strcmp(slots[i].name, name) != 0) i = (i + 1) & (capacity - 1);
  return &slots[i];
}

int io_names_find(const io_names *table, const char *name) {
  if (table->capacity == 0) return -1;
  const struct io_names_slot *slot = locate(table->slots, table->capacity, name);
  return slot->name ? slot->value : -1;
}

static bool grow(const cdn_allocator *a, io_names *table) {
  const size_t capacity = table->capacity ? 2 * table->capacity : 32;
  struct io_names_slot *slots = cdni_calloc(a, capacity * sizeof *slots);
  if (!slots) return false;
  for (size_t i = 0; i < table->capacity; i++)
    if (table->slots[i].name) *locate(slots, capacity, table->slots[i].name) = table->slots[i];
  if (table->slots) cdni_free(a, table->slots, table->capacity * sizeof *slots);
  table->slots = slots;
  table->capacity = capacity;
  return true;
}

int io_names_add(const cdn_allocator *a, io_names *table, const char *name, int value) {
  if (2 * table->count >= table->capacity && !grow(a, table)) return -1;
  struct io_names_slot *slot = locate(table->slots, table->capacity, name);
  if (slot->name) return slot->value;
  slot->name = name;
  slot->value = value;
  table->count++;
  return value;
}

void io_names_free(const cdn_allocator *a, io_names *table) {
  if (table->slots) cdni_free(a, table->slots, table->capacity * sizeof *table->slots);
  *table = (io_names){ 0 };
}
