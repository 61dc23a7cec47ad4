/* Pictures in files: which format it is, and PNG, by libpng. Only this file knows that. */
#include "io/pictures.h"

#include <errno.h>
#include <png.h>
#include <stdio.h>

static const char function[] = "cdn_model_dress";

enum { MOST_PIXELS = 16384 };

void io_picture_free(io_picture *p) {
  cdni_free(NULL, p->rgba, 0);
  *p = (io_picture){ 0 };
}

static cdn_status broken(const char *path, const png_image *image) {
  return cdni_refuse(CDN_ERR_FILE, function, "the picture '%s' is broken: %s", path, image->message);
}

/* `image` knows its sizes. */
static cdn_status read_pixels(const char *path, png_image *image, io_picture *out) {
  if (image->width > MOST_PIXELS || image->height > MOST_PIXELS)
    return cdni_refuse(CDN_ERR_UNSUPPORTED, function, "the picture '%s' has %u x %u pixels: at most %d a side are read",
                       path, (unsigned)image->width, (unsigned)image->height, MOST_PIXELS);
  const size_t n = (size_t)image->width * image->height;
  image->format = PNG_FORMAT_RGBA;
  out->rgba = cdni_alloc(NULL, 4 * n);
  if (!out->rgba) return cdni_refuse(CDN_ERR_NOMEM, function, "no memory for the picture '%s'", path);
  if (!png_image_finish_read(image, NULL, out->rgba, 0, NULL)) return broken(path, image);
  for (size_t i = 0; i < n; i++) out->rgba[4 * i + 3] = 255; /* MuJoCo and COLLADA's diffuse colours have no opacity */
  out->width = (int)image->width, out->height = (int)image->height;
  return CDN_OK;
}

static cdn_status read_png(const char *path, FILE *file, io_picture *out) {
  png_image image = { .version = PNG_IMAGE_VERSION };
  const cdn_status status =
      png_image_begin_read_from_stdio(&image, file) ? read_pixels(path, &image, out) : broken(path, &image);
  png_image_free(&image);
  return status;
}

cdn_status io_picture_load(const io_files *files, const char *path, io_picture *out) {
  *out = (io_picture){ 0 };
  errno = 0;
  FILE *file = io_file_look(files, path) == IO_FILE_REGULAR ? io_file_open(files, path) : NULL;
  if (!file)
    return cdni_refuse(CDN_ERR_FILE, function, "the picture '%s' cannot be opened: %s", path,
                       errno ? strerror(errno) : "it is no regular file");
  unsigned char head[8] = { 0 };
  const bool whole = fread(head, 1, sizeof head, file) == sizeof head;
  cdn_status status;
  rewind(file);
  if (whole && png_sig_cmp(head, 0, sizeof head) == 0) status = read_png(path, file, out);
  else if (whole && head[0] == 0xff && head[1] == 0xd8) status = io_picture_read_jpeg(path, file, out);
  else
    status =
        cdni_refuse(CDN_ERR_UNSUPPORTED, function, "the picture '%s' is no PNG and no JPEG: convert it to PNG", path);
  fclose(file);
  if (status != CDN_OK) io_picture_free(out);
  return status;
}
