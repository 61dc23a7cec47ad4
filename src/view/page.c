/* Where the page is. */
#include "view/embed.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Appends " NAME 'sha256-...';" as the page says it. */
static bool add_hash(const char *html, const char *name, char *out, size_t size) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
  const char *policy = strstr(html, "http-equiv=\"Content-Security-Policy\" content=\"");
  const char *end = policy ? strstr(policy, "\">") : NULL, *found = end ? strstr(policy, name) : NULL;
  if (!found || found > end) return false;
  const char *hash = found + strlen(name);
  if (strncmp(hash, " 'sha256-", 9) != 0) return false;
  const int n = (int)strspn(hash + 9, digits);
  const size_t used = strlen(out);
  return strncmp(hash + 9 + n, "';", 2) == 0 &&
         snprintf(out + used, size - used, " %s 'sha256-%.*s';", name, n, hash + 9) < (int)(size - used);
}

cdn_status cdni_page_hashes(const char *html, const char *function, char *out, size_t size) {
  out[0] = 0;
  if (add_hash(html, "script-src", out, size) && add_hash(html, "style-src", out, size)) return CDN_OK;
  return cdni_refuse(CDN_ERR_PARSE, function,
                     "the page viewer.html does not name its script and style by hashes: it is not of this version; "
                     "`./run page` makes one");
}
