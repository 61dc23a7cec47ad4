/* Private to the room: pictures, from files and as MuJoCo draws them itself. */
#ifndef CARDAN_IO_PICTURES_H
#define CARDAN_IO_PICTURES_H

#include <stdio.h>

#include "io/log.h"

/* Rows from top to bottom, 4 bytes a pixel; all are opaque. A cube has six squares, one below the other
 * (cdn_texture_def). */
typedef struct io_picture {
  int width, height;
  bool cube;
  uint8_t *rgba; /* by cdni_alloc */
} io_picture;
void io_picture_free(io_picture *p);

/* pictures.c: reads a PNG or a JPEG. What fails is the thread's last failure: CDN_ERR_FILE, CDN_ERR_UNSUPPORTED,
 * CDN_ERR_NOMEM; then *out is empty. */
cdn_status io_picture_load(const io_files *files, const char *path, io_picture *out);
/* pictures_jpeg.c or pictures_jpeg_absent.c: reads a JPEG from its beginning. What fails may leave pixels in *out,
 * which is empty before. */
cdn_status io_picture_read_jpeg(const char *path, FILE *file, io_picture *out);
/* textures.c: makes the picture or the cube of a texture of a spec. CDN_ERR_ARG where its numbers do not make one;
 * else as above. */
cdn_status io_make_texture(const io_log *log, const cdn_spec_asset *texture, io_picture *out);

#endif
