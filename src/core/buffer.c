/* Bytes in memory, written and read as a stream. */
#include <cardan/stream.h>
#include <stdlib.h>
#include <string.h>

cdn_status cdn_buffer_write(void *buffer, const void *bytes, size_t size) {
  cdn_buffer *b = buffer;
  if (!b || (size > 0 && !bytes)) return CDN_ERR_ARG;
  if (size > SIZE_MAX / 2 - b->size) return CDN_ERR_NOMEM;
  if (b->size + size > b->capacity) {
    size_t capacity = b->size + size > 2 * b->capacity ? b->size + size : 2 * b->capacity;
    void *grown = realloc(b->bytes, capacity);
    if (!grown) return CDN_ERR_NOMEM;
    b->bytes = grown;
    b->capacity = capacity;
  }
  if (size > 0) memcpy((char *)b->bytes + b->size, bytes, size);
  b->size += size;
  return CDN_OK;
}

cdn_status cdn_buffer_read(void *buffer, void *bytes, size_t size) {
  cdn_buffer *b = buffer;
  if (!b || (size > 0 && !bytes)) return CDN_ERR_ARG;
  if (b->at > b->size || size > b->size - b->at) return CDN_ERR_FILE;
  if (size > 0) memcpy(bytes, (const char *)b->bytes + b->at, size);
  b->at += size;
  return CDN_OK;
}

void cdn_buffer_free(cdn_buffer *buffer) {
  if (!buffer) return;
  free(buffer->bytes);
  *buffer = (cdn_buffer){ 0 };
}
