/* A look at a COLLADA file before Assimp 5 reads it: a character that is no digit in a list of indices makes that
 * version read on until the memory is used up. */
#include <ctype.h>
#include <stdio.h>

#include "io/meshes.h"

/* Elements whose text is numbers. */
static const struct {
  const char *name;
  const char *characters; /* beside digits and blanks */
} lists[] = {
  { "p", "" }, { "v", "" }, { "h", "" }, { "vcount", "" }, { "int_array", "+-" }, { "float_array", "+-.eE" }
};

static const char *characters_of(const char *tag) {
  for (int i = 0; i < CDNI_COUNT(lists); i++) {
    const size_t n = strlen(lists[i].name);
    if (strncmp(tag, lists[i].name, n) == 0 && !isalnum((unsigned char)tag[n]) && tag[n] && !strchr("_-.:", tag[n]))
      return lists[i].characters;
  }
  return NULL;
}

static cdn_status check_text(const char *path, const char *text) {
  static const char function[] = "cdn_surface_load";
  for (const char *at = strchr(text, '<'); at; at = strchr(at, '<')) {
    if (strncmp(at, "<!DOCTYPE", 9) == 0 || strncmp(at, "<![CDATA[", 9) == 0)
      return cdni_refuse(CDN_ERR_FILE, function, "the mesh file '%s' has a DOCTYPE or CDATA: export it without", path);
    const char *allowed = characters_of(++at);
    if (!allowed) continue;
    at += strcspn(at, "<>");
    if (*at != '>') continue;
    for (at++; *at && *at != '<'; at++)
      if (!isdigit((unsigned char)*at) && !isspace((unsigned char)*at) && !strchr(allowed, *at))
        return cdni_refuse(CDN_ERR_FILE, function, "the mesh file '%s' has '%c' in a list of numbers: export it again",
                           path, *at);
  }
  return CDN_OK;
}

cdn_status cdni_mesh_check_collada(const mesh_file *mesh) {
  static const char function[] = "cdn_surface_load";
  const char *path = mesh->path;
  FILE *file = io_file_open(mesh->files, path);
  if (!file) return cdni_refuse(CDN_ERR_FILE, function, "the mesh file '%s' cannot be opened", path);
  const long size = io_file_size(file);
  char *text = size >= 0 ? cdni_alloc(NULL, (size_t)size + 1) : NULL;
  cdn_status status = CDN_OK;
  if (!text) status = cdni_refuse(CDN_ERR_NOMEM, function, "no memory to read '%s'", path);
  else if (fread(text, 1, (size_t)size, file) != (size_t)size)
    status = cdni_refuse(CDN_ERR_FILE, function, "the mesh file '%s' cannot be read", path);
  else if (memchr(text, 0, (size_t)size))
    status = cdni_refuse(CDN_ERR_FILE, function, "the mesh file '%s' is not a text in UTF-8: export it again", path);
  else {
    text[size] = 0;
    status = check_text(path, text);
  }
  cdni_free(NULL, text, 0);
  fclose(file);
  return status;
}
