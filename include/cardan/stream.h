/* Cardan: where a checkpoint's bytes go to and come from: functions of yours, or a buffer in memory.
 *
 * The bytes (cdn_state_save, cdn_stepper_save) have a version and a checksum, and numbers in little-endian order.
 * docs/checkpoints.md describes them. */
#ifndef CARDAN_STREAM_H
#define CARDAN_STREAM_H

#include <cardan/base.h>

CDN_BEGIN_DECLS

/** Takes `size` bytes. A status other than CDN_OK ends the saving, which returns it. */
typedef cdn_status cdn_write_fn(void *context, const void *bytes, size_t size);
/** Brings exactly `size` bytes. A status other than CDN_OK ends the loading, which returns it. */
typedef cdn_status cdn_read_fn(void *context, void *bytes, size_t size);

/** Bytes in memory: `cdn_buffer b = { 0 };` is an empty one. To read bytes that are there already, set `bytes` and `size`
 *  and do not free it. */
typedef struct cdn_buffer {
  void *bytes;
  size_t size;     /**< bytes that are there */
  size_t at;       /**< where reading goes on */
  size_t capacity; /**< bytes allocated, by realloc */
} cdn_buffer;

/** A cdn_write_fn whose context is a cdn_buffer: appends. CDN_ERR_NOMEM. */
CDN_API cdn_status cdn_buffer_write(void *buffer, const void *bytes, size_t size) CDN_NODISCARD;
/** A cdn_read_fn whose context is a cdn_buffer: CDN_ERR_FILE where it does not hold that many bytes more. */
CDN_API cdn_status cdn_buffer_read(void *buffer, void *bytes, size_t size) CDN_NODISCARD;
/** Gives its memory back and leaves it empty. */
CDN_API void cdn_buffer_free(cdn_buffer *buffer);

CDN_END_DECLS
#endif
