/* Where the page is. */
#include "view/embed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"
#include "view/page_paths.h" // made by Meson

const char cdni_page_remedy[] =
    "the page viewer.html is missing: `./run page` makes it (with node), `./run install` installs it, and the environment "
    "variable CARDAN_PAGE names one that is elsewhere";

static bool is_there(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file) fclose(file);
  return file != NULL;
}

const char *cdni_page_path(void) {
  const char *named = getenv("CARDAN_PAGE");
  if (named && *named) return named;
  if (is_there(PAGE_BUILT)) return PAGE_BUILT;
  return is_there(PAGE_INSTALLED) ? PAGE_INSTALLED : NULL;
}

cdn_status cdni_page_read(const char *path, const char *function, char **bytes, size_t *n) {
  enum { MOST = 64 * 1024 * 1024 };
  *bytes = NULL, *n = 0;
  if (!path) path = cdni_page_path();
  if (!path) return cdni_refuse(CDN_ERR_FILE, function, "%s", cdni_page_remedy);
  FILE *file = fopen(path, "rb");
  if (!file)
    return cdni_refuse(CDN_ERR_FILE, function, "the page %s could not be opened: %s; `./run page` makes one", path,
                       strerror(errno));
  const long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  char *text = size > 0 && size <= MOST ? malloc((size_t)size + 1) : NULL;
  rewind(file);
  const bool good = text && fread(text, 1, (size_t)size, file) == (size_t)size;
  fclose(file);
  if (!good) {
    free(text);
    return cdni_refuse(CDN_ERR_FILE, function, "the page %s could not be read; `./run page` makes one", path);
  }
  text[size] = 0;
  *bytes = text, *n = (size_t)size;
  return CDN_OK;
}
