/* Cardan: streams, the destinations and sources of checkpoints: functions of yours, a file, or a buffer in memory.
 *
 * A checkpoint (cdn_state_save, cdn_stepper_save) has a version and a checksum; its numbers are little-endian.
 * docs/checkpoints.md describes it.
 *
 * I want to
 *   save to a file of `<stdio.h>` and load from it: cdn_file_write, cdn_file_read
 *   save to memory and load from it: cdn_buffer_write, cdn_buffer_read, cdn_buffer_free */
#ifndef CARDAN_STREAM_H
#define CARDAN_STREAM_H

#include <cardan/base.h>

CDN_BEGIN_DECLS

/** Writes `size` bytes. A status other than CDN_OK ends the saving call, which returns it. */
typedef cdn_status cdn_write_fn(void *context, const void *bytes, size_t size);
/** Reads exactly `size` bytes. A status other than CDN_OK ends the loading call, which returns it. */
typedef cdn_status cdn_read_fn(void *context, void *bytes, size_t size);

/** A buffer in memory. `cdn_buffer b = { 0 };` is an empty one. To read bytes of your own, set `bytes` and `size`,
 *  and do not call cdn_buffer_free. */
typedef struct cdn_buffer {
  void *bytes;
  size_t size;     /**< number of bytes with contents */
  size_t at;       /**< position at which the next read begins */
  size_t capacity; /**< number of bytes allocated, by realloc */
} cdn_buffer;

/** A cdn_write_fn whose context is a cdn_buffer: appends the bytes. CDN_ERR_NOMEM. */
CDN_API cdn_status cdn_buffer_write(void *buffer, const void *bytes, size_t size) CDN_NODISCARD;
/** A cdn_read_fn whose context is a cdn_buffer: copies the next bytes. CDN_ERR_FILE if fewer than `size` are left. */
CDN_API cdn_status cdn_buffer_read(void *buffer, void *bytes, size_t size) CDN_NODISCARD;
/** Frees the bytes and leaves the buffer empty. */
CDN_API void cdn_buffer_free(cdn_buffer *buffer);

/** A cdn_write_fn whose context is a FILE of <stdio.h>: writes the bytes. CDN_ERR_FILE if not all of them were written.
 *  The file buffers: check what fclose returns, too. */
CDN_API cdn_status cdn_file_write(void *file, const void *bytes, size_t size) CDN_NODISCARD;
/** A cdn_read_fn whose context is a FILE: reads the next bytes. CDN_ERR_FILE if fewer than `size` are left. */
CDN_API cdn_status cdn_file_read(void *file, void *bytes, size_t size) CDN_NODISCARD;

CDN_END_DECLS
#endif
