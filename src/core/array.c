/* Growable arrays. */
#include "core/core.h"

enum { FIRST_CAPACITY = 8 };

void *cdni_array_extend(const cdn_allocator *a, cdni_array *array, size_t element, size_t n) {
  if (array->element == 0) array->element = element;
  if (n == 0 || element == 0 || element != array->element) return NULL;
  if (n > SIZE_MAX / element - array->count) return NULL;

  size_t wanted = array->count + n;
  if (wanted > array->capacity) {
    /* Doubles the capacity, but never beyond the largest size. */
    size_t capacity = array->capacity <= SIZE_MAX / element / 2 ? 2 * array->capacity : SIZE_MAX / element;
    if (capacity < FIRST_CAPACITY) capacity = FIRST_CAPACITY;
    if (capacity < wanted || capacity > SIZE_MAX / element) capacity = wanted;
    void *data = cdni_alloc(a, capacity * element);
    if (!data) return NULL;
    if (array->count > 0) memcpy(data, array->data, array->count * element);
    cdni_free(a, array->data, array->capacity * element);
    array->data = data;
    array->capacity = capacity;
  }

  char *first = (char *)array->data + array->count * element;
  memset(first, 0, n * element);
  array->count = wanted;
  return first;
}

void *cdni_array_push(const cdn_allocator *a, cdni_array *array, size_t element, const void *value) {
  /* The value may be an element of this very array, which growing moves: remember where by offset. */
  uintptr_t begin = (uintptr_t)array->data, at = (uintptr_t)value;
  bool inside = array->count > 0 && at >= begin && at < begin + array->count * array->element;
  void *slot = cdni_array_extend(a, array, element, 1);
  if (!slot) return NULL;
  if (inside) memcpy(slot, (char *)array->data + (at - begin), element);
  else if (value) memcpy(slot, value, element);
  return slot;
}

void cdni_array_free(const cdn_allocator *a, cdni_array *array) {
  if (array->data) cdni_free(a, array->data, array->capacity * array->element);
  *array = (cdni_array){ 0 };
}
