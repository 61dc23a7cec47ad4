/* A hash table from names to numbers, for files with many thousands of names. */
#ifndef CARDAN_IO_NAMES_H
#define CARDAN_IO_NAMES_H

#include "core/core.h"

/* Zero-initialise it. It borrows the names, which must outlive the table. */
typedef struct io_names {
  struct io_names_slot *slots;
  size_t capacity, count; /* capacity: a power of two, or 0 */
} io_names;

/* The number of a name, or -1. */
int io_names_find(const io_names *table, const char *name);
/* Adds a name; a name that is there keeps its number. Returns the number of the name (`value` if it is new), or -1 if
 * memory ran out. value >= 0. */
int io_names_add(const cdn_allocator *a, io_names *table, const char *name, int value);
void io_names_free(const cdn_allocator *a, io_names *table);

#endif
