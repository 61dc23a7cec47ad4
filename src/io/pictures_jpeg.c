/* Pictures in JPEG files, by libjpeg. Only this file knows it. */
#include "io/pictures.h"

#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h> /* needs stdio.h */

static const char function[] = "cdn_model_dress";

enum { MOST_PIXELS = 16384 };

/* libjpeg ends a call that fails by a function that must not come back. */
typedef struct jpeg_errors {
  struct jpeg_error_mgr manager; /* first, for libjpeg */
  jmp_buf back;
  char text[JMSG_LENGTH_MAX];
} jpeg_errors;

static void fail(j_common_ptr info) {
  jpeg_errors *e = (jpeg_errors *)(void *)info->err;
  e->manager.format_message(info, e->text);
  longjmp(e->back, 1);
}

static void be_silent(j_common_ptr info, int level) {
  (void)info;
  (void)level;
}

static cdn_status read_rows(struct jpeg_decompress_struct *info, const char *path, io_picture *out) {
  jpeg_read_header(info, TRUE);
  if (info->image_width > MOST_PIXELS || info->image_height > MOST_PIXELS)
    return cdni_refuse(CDN_ERR_UNSUPPORTED, function, "the picture '%s' has %u x %u pixels: at most %d a side are read",
                       path, info->image_width, info->image_height, MOST_PIXELS);
  info->out_color_space = JCS_EXT_RGBA; /* opaque */
  jpeg_start_decompress(info);
  out->width = (int)info->output_width, out->height = (int)info->output_height;
  out->rgba = cdni_alloc(NULL, 4 * (size_t)out->width * (size_t)out->height);
  if (!out->rgba) return cdni_refuse(CDN_ERR_NOMEM, function, "no memory for the picture '%s'", path);
  while (info->output_scanline < info->output_height) {
    JSAMPROW row = out->rgba + 4 * (size_t)out->width * info->output_scanline;
    jpeg_read_scanlines(info, &row, 1);
  }
  jpeg_finish_decompress(info);
  return CDN_OK;
}

cdn_status io_picture_read_jpeg(const char *path, FILE *file, io_picture *out) {
  struct jpeg_decompress_struct info;
  jpeg_errors errors = { .text = "" };
  cdn_status status = CDN_OK;
  info.err = jpeg_std_error(&errors.manager);
  errors.manager.error_exit = fail, errors.manager.emit_message = be_silent;
  if (setjmp(errors.back)) {
    status = cdni_refuse(CDN_ERR_FILE, function, "the picture '%s' is broken: %s", path, errors.text);
  } else {
    jpeg_create_decompress(&info);
    jpeg_stdio_src(&info, file);
    status = read_rows(&info, path, out);
  }
  jpeg_destroy_decompress(&info);
  return status;
}
