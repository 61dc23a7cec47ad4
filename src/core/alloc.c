/* Memory: the user's allocator or the C library's, always aligned to a cache line. */
#include "core/core.h"

static void *default_alloc(void *context, size_t size, size_t align) {
  (void)context;
  /* aligned_alloc wants a multiple of the alignment. */
  size_t rounded = (size + align - 1) / align * align;
  return size > SIZE_MAX - (align - 1) ? NULL : aligned_alloc(align, rounded);
}

static void default_free(void *context, void *memory, size_t size) {
  (void)context;
  (void)size;
  free(memory);
}

cdn_allocator cdni_allocator_or_default(cdn_allocator a) {
  cdn_allocator standard = { default_alloc, default_free, NULL };
  return a.alloc && a.free ? a : standard;
}

/* Whoever gets nothing need not tell a message: the thread has one. */
void *cdni_alloc(const cdn_allocator *a, size_t size) {
  if (size == 0) return NULL;
  void *memory = a && a->alloc ? a->alloc(a->context, size, CDNI_ALIGN) : default_alloc(NULL, size, CDNI_ALIGN);
  if (!memory) cdni_refuse(CDN_ERR_NOMEM, "", "out of memory: there are no %zu bytes", size);
  return memory;
}

void *cdni_calloc(const cdn_allocator *a, size_t size) {
  void *memory = cdni_alloc(a, size);
  if (memory) memset(memory, 0, size);
  return memory;
}

void cdni_free(const cdn_allocator *a, void *memory, size_t size) {
  if (!memory) return;
  if (a && a->alloc) a->free(a->context, memory, size);
  else default_free(NULL, memory, size);
}

char *cdni_strdup(const cdn_allocator *a, const char *text) {
  if (!text) return NULL;
  size_t size = strlen(text) + 1;
  char *copy = cdni_alloc(a, size);
  if (copy) memcpy(copy, text, size);
  return copy;
}

void cdni_strfree(const cdn_allocator *a, char *text) {
  if (text) cdni_free(a, text, strlen(text) + 1);
}
